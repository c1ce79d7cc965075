//! Directives in statements and declarations: what each applies to.

use super::{Failed, Parsed, Parser};
use crate::directive::openacc::tiles;
use crate::directive::{check_body, openacc};
use crate::lex::{Punct, TokenKind};
use crate::pragma::Family;
use crate::tree::{DirectiveId, ItemKind, StmtId, StmtKind};

impl Parser {
    /// Reads the directive of pragma `number`, whose token stands here.
    fn directive(&mut self, number: u32) -> Parsed<DirectiveId> {
        let line = self.advance().span;
        let tokens = self.pragma_tokens(number);
        let directive = self.within(tokens, Parser::openacc_directive)?;
        let mut directive = openacc::meaning(directive, &self.checker.unit);
        directive.span = line;
        Ok(self.checker.unit.directives.alloc(directive))
    }

    /// A pragma where no directive may stand.
    pub(super) fn misplaced_pragma<T>(&mut self, where_: &str) -> Parsed<T> {
        let span = self.advance().span;
        self.checker.error(span, format!("a directive cannot stand {where_}"));
        Err(Failed)
    }

    /// A directive at file scope.
    pub(super) fn file_scope_pragma(&mut self, number: u32) -> Parsed<ItemKind> {
        match self.checker.unit.pragmas[number as usize].family {
            Family::OpenMp => return Ok(self.openmp_at_file_scope(number)),
            Family::Hmpp | Family::HmppCg => return Ok(self.hmpp_at_file_scope(number)),
            Family::Jolokia => return Ok(self.jolokia_at_file_scope(number)),
            _ if self.is_share(number) => {
                let span = self.advance().span;
                let message = format!("`{}` cannot stand outside of a function", openacc::SHARE);
                self.checker.error(span, message);
                return Ok(ItemKind::Other);
            }
            _ => {}
        }
        let span = self.span();
        let Ok(id) = self.directive(number) else {
            // The line is read; what follows it is a declaration of its own.
            return Ok(ItemKind::Other);
        };
        let directive = &self.checker.unit.directives[id];
        if !directive.is_for_files() {
            let message = format!("`{}` cannot stand outside of a function", directive.words);
            self.checker.error(span, message);
        }
        Ok(ItemKind::Directive(id))
    }

    /// A directive within a function, with the statement it applies to.
    pub(super) fn directive_statement(&mut self, number: u32) -> Parsed<StmtId> {
        match self.checker.unit.pragmas[number as usize].family {
            Family::OpenMp => return self.openmp_statement(number),
            Family::Hmpp => return self.hmpp_statement(number),
            Family::HmppCg => return self.hmppcg_statement(number),
            Family::Jolokia => return self.jolokia_statement(number),
            _ if self.is_share(number) => return self.share_statement(number),
            _ => {}
        }
        let start = self.span();
        let Ok(directive) = self.directive(number) else {
            // The directive is reported; the statement behind it stands for itself.
            if self.at(Punct::RBrace) {
                return Err(Failed);
            }
            return self.statement();
        };
        let read = &self.checker.unit.directives[directive];
        let words = read.words;
        if !read.has_body() {
            return Ok(self.stmt(StmtKind::Directive { directive, body: None }, start));
        }
        if self.at(Punct::RBrace) || self.peek() == TokenKind::Eof {
            let message = format!("no statement follows this `{words}`");
            self.checker.error(start, message);
            return Err(Failed);
        }
        let body = self.statement()?;
        let unit = &self.checker.unit;
        if let Some((span, diagnostic)) = check_body(&unit.directives[directive], unit, body) {
            self.checker.report(span, diagnostic);
        }
        let unit = &self.checker.unit;
        match tiles::asked(unit, &unit.directives[directive], body) {
            Some(Ok(wish)) => self.checker.unit.directives[directive].steps.push(wish),
            Some(Err((span, diagnostic))) => self.checker.report(span, diagnostic),
            None => {}
        }
        Ok(self.stmt(StmtKind::Directive { directive, body: Some(body) }, start))
    }
}

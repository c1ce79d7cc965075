//! Directives in statements and declarations: what each applies to.

use super::{Failed, Parsed, Parser};
use crate::directive::openacc::{self, DirectiveKind};
use crate::directive::{Construct, Directive};
use crate::lex::{Punct, TokenKind};
use crate::tree::{DirectiveId, ItemKind, StmtId, StmtKind};

impl Parser {
    /// Reads the directive of pragma `number`, whose token stands here.
    fn directive(&mut self, number: u32) -> Parsed<(DirectiveId, DirectiveKind)> {
        let line = self.advance().span;
        let tokens = self.pragma_tokens(number);
        let directive = self.within(tokens, Parser::openacc_directive)?;
        let kind = directive.kind;
        let construct = Construct::OpenAcc(directive);
        Ok((
            self.checker.unit.directives.alloc(Directive { construct, span: line, found: false }),
            kind,
        ))
    }

    /// A pragma where no directive may stand.
    pub(super) fn misplaced_pragma<T>(&mut self, where_: &str) -> Parsed<T> {
        let span = self.advance().span;
        self.checker.error(span, format!("a directive cannot stand {where_}"));
        Err(Failed)
    }

    /// A directive at file scope.
    pub(super) fn file_scope_pragma(&mut self, number: u32) -> Parsed<ItemKind> {
        let span = self.span();
        let Ok((id, kind)) = self.directive(number) else {
            // The line is read; what follows it is a declaration of its own.
            return Ok(ItemKind::Other);
        };
        if !matches!(kind, DirectiveKind::Declare | DirectiveKind::Routine) {
            let message = format!("`{}` cannot stand outside of a function", kind.spelling());
            self.checker.error(span, message);
        }
        Ok(ItemKind::Directive(id))
    }

    /// A directive within a function, with the statement it applies to.
    pub(super) fn directive_statement(&mut self, number: u32) -> Parsed<StmtId> {
        let start = self.span();
        let Ok((directive, kind)) = self.directive(number) else {
            // The directive is reported; the statement behind it stands for itself.
            if self.at(Punct::RBrace) {
                return Err(Failed);
            }
            return self.statement();
        };
        if !kind.has_body() {
            return Ok(self.stmt(StmtKind::Directive { directive, body: None }, start));
        }
        if self.at(Punct::RBrace) || self.peek() == TokenKind::Eof {
            let message = format!("no statement follows this `{}`", kind.spelling());
            self.checker.error(start, message);
            return Err(Failed);
        }
        let body = self.statement()?;
        let Construct::OpenAcc(read) = &self.checker.unit.directives[directive].construct;
        for (span, diagnostic) in openacc::check_body(read, &self.checker.unit, body, start) {
            self.checker.report(span, diagnostic);
        }
        Ok(self.stmt(StmtKind::Directive { directive, body: Some(body) }, start))
    }
}

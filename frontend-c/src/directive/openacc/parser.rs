//! Reads an OpenACC directive: its name, its own argument, its clauses.

use gpuc_diagnostics::{Diagnostic, codes, did_you_mean};

use super::meaning::for_our_devices;
use super::rules::allowed;
use super::{Argument, Clause, ClauseName, Directive, DirectiveKind, SHARE, rules, support};
use crate::lex::{Punct, TokenKind};
use crate::parse::{Failed, Parsed, Parser};
use crate::source::Span;
use crate::tree::DeclKind;

impl Parser {
    /// Reads a directive from the tokens of its pragma, and checks it against the specification and
    /// against what is implemented.
    pub(crate) fn openacc_directive(&mut self) -> Parsed<Directive> {
        let start = self.span();
        let kind = self.openacc_kind()?;
        let name_span = self.span_from(start);
        let argument = self.openacc_argument(kind)?;
        let mut clauses = Vec::new();
        while self.peek() != TokenKind::EndOfPragma {
            if !clauses.is_empty() || argument.is_some() {
                self.eat(Punct::Comma);
            }
            clauses.push(self.openacc_clause(kind)?);
        }
        let mut directive = Directive { kind, clauses, argument, span: name_span };
        let unit = &self.checker.unit;
        let mut found = rules::check(&directive, unit);
        if !kind.is_about_devices() {
            directive.clauses = for_our_devices(unit, directive.clauses);
        }
        if found.is_empty() {
            found = support::check(&directive, unit);
        }
        for (span, diagnostic) in found {
            self.checker.report(span, diagnostic);
        }
        Ok(directive)
    }

    fn openacc_kind(&mut self) -> Parsed<DirectiveKind> {
        use DirectiveKind as D;
        let span = self.span();
        let Some(first) = self.word() else {
            return Err(self.unexpected("the name of an OpenACC directive"));
        };
        self.advance();
        let kind = match first.as_str() {
            "parallel" if self.eat_word("loop") => Some(D::ParallelLoop),
            "serial" if self.eat_word("loop") => Some(D::SerialLoop),
            "kernels" if self.eat_word("loop") => Some(D::KernelsLoop),
            "enter" | "exit" => {
                if !self.eat_word("data") {
                    return Err(self.unexpected(&format!("`data` after `{first}`")));
                }
                Some(if first == "enter" { D::EnterData } else { D::ExitData })
            }
            word => D::ALL.iter().copied().find(|kind| kind.spelling() == word),
        };
        kind.ok_or_else(|| {
            let mut diagnostic =
                Diagnostic::error(format!("`{first}` is not a directive of OpenACC"))
                    .code(codes::UNKNOWN_DIRECTIVE);
            let words = D::ALL.iter().map(|kind| kind.spelling()).chain(["enter", "exit", SHARE]);
            if let Some(near) = did_you_mean(&first, words) {
                diagnostic = diagnostic.meant(near);
            } else if ClauseName::find(&first).is_some() {
                diagnostic = diagnostic.help("this is a clause; the directive stands before it");
            }
            self.checker.report(span, diagnostic);
            Failed
        })
    }

    /// What stands in parentheses right behind the directive's name.
    fn openacc_argument(&mut self, kind: DirectiveKind) -> Parsed<Option<Argument>> {
        if !self.at(Punct::LParen) {
            if kind == DirectiveKind::Cache {
                return Err(self.unexpected("`(` after `cache`"));
            }
            return Ok(None);
        }
        match kind {
            DirectiveKind::Cache => {
                self.advance();
                let readonly = self.eat_modifier("readonly");
                let vars = self.var_list()?;
                self.expect(Punct::RParen, "after the list of `cache`")?;
                Ok(Some(Argument::Cache { readonly, vars }))
            }
            DirectiveKind::Wait => Ok(Some(Argument::Wait(self.wait_argument()?))),
            DirectiveKind::Routine => {
                self.advance();
                let (name, span) = self.expect_name("the name of a function")?;
                let expr = self.checker.name(name, span);
                self.expect(Punct::RParen, "after the name of the function")?;
                let decl = self.checker.unit.named(expr);
                let function = decl.filter(|&decl| {
                    matches!(self.checker.unit.decls[decl].kind, DeclKind::Function(_))
                });
                match function {
                    Some(decl) => Ok(Some(Argument::Routine(decl))),
                    None => {
                        if decl.is_some() {
                            self.checker.error(span, "this is not a function");
                        }
                        Err(Failed)
                    }
                }
            }
            _ => {
                Err(self.unexpected(&format!("a clause (`{}` takes no argument)", kind.spelling())))
            }
        }
    }

    fn openacc_clause(&mut self, directive: DirectiveKind) -> Parsed<Clause> {
        let name_span = self.span();
        let Some(word) = self.word() else {
            return Err(self.unexpected("a clause"));
        };
        let allowed = allowed(directive);
        let Some(name) = ClauseName::find(&word) else {
            return Err(self.unknown_clause(&word, directive, &allowed, name_span));
        };
        if !allowed.contains(&name) {
            let message = format!("`{word}` is not a clause of `{}`", directive.spelling());
            let mut diagnostic = Diagnostic::error(message).code(codes::CLAUSE_NOT_ALLOWED);
            let names = allowed.iter().map(|name| name.spelling());
            if let Some(near) = did_you_mean(&word, names.filter(|&n| n != word)) {
                diagnostic = diagnostic.meant(near);
            }
            self.checker.report(name_span, diagnostic);
            return Err(Failed);
        }
        self.advance();
        let kind = self.clause_kind(name, directive)?;
        Ok(Clause { name, kind, span: self.span_from(name_span), name_span })
    }

    fn unknown_clause(
        &mut self,
        word: &str,
        directive: DirectiveKind,
        allowed: &[ClauseName],
        span: Span,
    ) -> Failed {
        let mut diagnostic = Diagnostic::error(format!("`{word}` is not a clause of OpenACC"))
            .code(codes::UNKNOWN_CLAUSE);
        let names = allowed.iter().map(|name| name.spelling());
        if let Some(near) = did_you_mean(word, names) {
            diagnostic = diagnostic.meant(near);
        } else if DirectiveKind::ALL.iter().any(|kind| kind.spelling() == word) {
            let first = directive.spelling();
            diagnostic =
                diagnostic.help(format!("`{word}` is a directive and cannot follow `{first}`"));
        }
        self.checker.report(span, diagnostic);
        Failed
    }
}

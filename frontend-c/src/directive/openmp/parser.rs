//! Reads an OpenMP directive: its words and its clauses.

use gpuc_diagnostics::{Diagnostic, codes, did_you_mean};

use super::names::{CLAUSES, FORMS, Form, Support};
use super::{Clause, Directive};
use crate::lex::{Punct, TokenKind};
use crate::parse::{Failed, Parsed, Parser};
use crate::source::Span;

/// What is not implemented, by name.
pub(super) fn refusal(what: &str, section: &str) -> Diagnostic {
    Diagnostic::error(format!(
        "`{what}` (OpenMP 5.2 §{section}) is not supported in device code by this version of gpuc"
    ))
    .code(codes::NOT_SUPPORTED)
}

impl Parser {
    /// Reads the words of a directive; `None` for those that mean nothing to devices.
    pub(crate) fn openmp_form(&mut self) -> Option<(&'static Form, Span)> {
        let start = self.span();
        // OpenMP 6.0 has names with underscores for the same directives.
        let mut words = self.word()?.replace('_', " ");
        self.advance();
        loop {
            let next = self.word().map(|word| format!("{words} {}", word.replace('_', " ")));
            let Some(longer) = next else { break };
            let starts =
                |form: &Form| form.words == longer || form.words.starts_with(&format!("{longer} "));
            if !FORMS.iter().any(starts) {
                break;
            }
            words = longer;
            self.advance();
        }
        let form = FORMS.iter().find(|form| form.words == words)?;
        Some((form, self.span_from(start)))
    }

    /// Reads what follows the words of a directive.
    pub(crate) fn openmp_directive(
        &mut self,
        form: &'static Form,
        span: Span,
    ) -> Parsed<Directive> {
        let mut directive = Directive {
            form,
            clauses: Vec::new(),
            listed: Vec::new(),
            linked: Vec::new(),
            host_only: false,
            span,
        };
        if form.support == Support::No {
            self.checker.report(span, refusal(form.words, form.section));
            return Err(Failed);
        }
        if form.words == "declare target" && self.at(Punct::LParen) {
            directive.listed = self.argument(form.words, Parser::declared_names)?;
        }
        if form.words == "declare mapper" {
            self.declare_mapper()?;
        }
        if form.words == "declare reduction" {
            self.declare_reduction()?;
        }
        if form.words == "groupprivate" {
            let names = self.argument(form.words, Parser::declared_names)?;
            self.group_private.extend(names);
        }
        // `critical (name)`, `flush (list)`, and which construct is cancelled.
        if matches!(form.words, "critical" | "flush" | "allocate") && self.at(Punct::LParen) {
            self.skip_argument()?;
        }
        if matches!(form.words, "cancel" | "cancellation point") {
            self.advance();
        }
        while self.peek() != TokenKind::EndOfPragma {
            self.eat(Punct::Comma);
            let clauses = self.openmp_clause(&mut directive)?;
            directive.clauses.extend(clauses);
        }
        self.asks_for_data(&directive);
        Ok(directive)
    }

    /// `target data` has a clause about data (OpenMP 5.2 §13.5); without one it would do nothing.
    fn asks_for_data(&mut self, directive: &Directive) {
        let data = ["map", "use_device_ptr", "use_device_addr"];
        if directive.form.words == "target data"
            && !directive.clauses.iter().any(|clause| data.contains(&clause.name.spelling))
        {
            let message =
                "`target data` needs a `map`, `use_device_ptr` or `use_device_addr` clause";
            self.checker.error(directive.span, message);
        }
    }

    /// Names of variables and functions.
    pub(super) fn declared_names(&mut self) -> Parsed<Vec<crate::tree::DeclId>> {
        let names = self.separated(|parser| {
            let (name, span) = parser.expect_name("the name of a variable or function")?;
            let expr = parser.checker.name(name, span);
            parser.checker.unit.named(expr).ok_or(Failed)
        })?;
        Ok(names)
    }

    fn openmp_clause(&mut self, directive: &mut Directive) -> Parsed<Vec<Clause>> {
        let start = self.span();
        let Some(word) = self.word() else {
            return Err(self.unexpected("a clause"));
        };
        let form = directive.form;
        let leaves = form.leaves();
        let allowed = || {
            CLAUSES.iter().filter(|clause| clause.leaves.iter().any(|leaf| leaves.contains(leaf)))
        };
        let Some(name) = allowed().find(|clause| clause.spelling == word) else {
            let known = CLAUSES.iter().any(|clause| clause.spelling == word);
            let (message, code) = match known {
                true => (
                    format!("`{word}` is not a clause of `{}`", form.words),
                    codes::CLAUSE_NOT_ALLOWED,
                ),
                false => (format!("`{word}` is not a clause of OpenMP"), codes::UNKNOWN_CLAUSE),
            };
            let mut diagnostic = Diagnostic::error(message).code(code);
            if let Some(near) = did_you_mean(&word, allowed().map(|clause| clause.spelling)) {
                diagnostic = diagnostic.meant(near);
            }
            self.checker.report(start, diagnostic);
            return Err(Failed);
        };
        if name.support == Support::No {
            self.checker.report(start, refusal(name.spelling, name.section));
            return Err(Failed);
        }
        let once =
            ["if", "collapse", "num_teams", "num_threads", "thread_limit", "device", "default"];
        let first = directive.clauses.iter().find(|clause| clause.name == name);
        if let Some(first) = first
            && once.contains(&name.spelling)
            && (name.spelling != "if" || form.leaves().len() == 1)
        {
            let place = self.checker.unit.place(first.span);
            let message = format!("`{}` takes one `{}` clause", form.words, name.spelling);
            self.checker
                .report(start, Diagnostic::error(message).related(place, "this is the first"));
            return Err(Failed);
        }
        self.advance();
        if form.words.contains("declare target") {
            self.declare_target_clause(name, directive)?;
            return Ok(Vec::new());
        }
        self.assumed_sizes = true;
        let kind = self.openmp_clause_kind(name, form);
        self.assumed_sizes = false;
        self.iterators.clear();
        self.mapped(Clause { name, kind: kind?, span: self.span_from(start) })
    }
}

//! Directives in statements and declarations: what each applies to.

use gpuc_diagnostics::Diagnostic;

use super::{Failed, Parsed, Parser};
use crate::directive::openacc::{self, ClauseName, DirectiveKind};
use crate::directive::{Construct, Directive};
use crate::lex::{Punct, TokenKind};
use crate::source::Span;
use crate::tree::{DirectiveId, ExprKind, ItemKind, StmtId, StmtKind};

impl Parser {
    /// Reads the directive of pragma `number`, whose token stands here.
    fn directive(&mut self, number: u32) -> Parsed<(DirectiveId, DirectiveKind)> {
        let line = self.advance().span;
        let tokens = self.pragma_tokens(number);
        let directive = self.within(tokens, Parser::openacc_directive)?;
        let kind = directive.kind;
        let construct = Construct::OpenAcc(directive);
        Ok((self.checker.unit.directives.alloc(Directive { construct, span: line }), kind))
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
        self.check_body(directive, kind, body, start);
        Ok(self.stmt(StmtKind::Directive { directive, body: Some(body) }, start))
    }

    fn check_body(&mut self, id: DirectiveId, kind: DirectiveKind, body: StmtId, line: Span) {
        let Construct::OpenAcc(directive) = &self.checker.unit.directives[id].construct;
        let collapsed = directive.collapsed();
        let force = directive
            .clauses
            .iter()
            .any(|clause| matches!(clause.kind, openacc::ClauseKind::Collapse { force: true, .. }));
        let form = [ClauseName::Read, ClauseName::Write, ClauseName::Capture]
            .into_iter()
            .find(|&form| directive.clause(form).is_some());
        if kind.is_loop() {
            self.check_loops(kind, body, collapsed, force, line);
        } else if kind == DirectiveKind::Atomic && form.is_none() {
            self.check_atomic_update(body);
        }
    }

    /// A `loop` is followed by as many tightly nested `for` loops as it collapses.
    fn check_loops(
        &mut self,
        kind: DirectiveKind,
        body: StmtId,
        count: u32,
        force: bool,
        line: Span,
    ) {
        let word = kind.spelling();
        let mut at = body;
        for depth in 0..count {
            let unit = &self.checker.unit;
            // Braces around a single loop keep the nest tight.
            while depth > 0
                && let StmtKind::Compound(inner) = &unit.stmts[at].kind
                && let [single] = inner.as_slice()
            {
                at = *single;
            }
            match &unit.stmts[at].kind {
                StmtKind::For { body, .. } => at = *body,
                _ if force && depth > 0 => return,
                StmtKind::Compound(inner) if depth > 0 && inner.len() > 1 => {
                    let span = unit.stmts[inner[0]].span;
                    let message = format!(
                        "`{word}` collapses {count} loops, but loop {} is not alone in its body",
                        depth + 1
                    );
                    let place = unit.place(line);
                    self.checker
                        .report(span, Diagnostic::error(message).related(place, "the directive"));
                    return;
                }
                _ => {
                    let span = unit.stmts[at].span;
                    let message = match depth {
                        0 => format!("`{word}` must be followed by a `for` loop"),
                        _ => format!("`{word}` collapses {count} loops, but only {depth} follow"),
                    };
                    let place = unit.place(line);
                    self.checker
                        .report(span, Diagnostic::error(message).related(place, "the directive"));
                    return;
                }
            }
        }
    }

    /// `atomic update` applies to `x++`, `x op= e`, or `x = x op e` and the like.
    fn check_atomic_update(&mut self, body: StmtId) {
        let unit = &self.checker.unit;
        let stmt = &unit.stmts[body];
        let good = match stmt.kind {
            StmtKind::Expr(expr) => match unit.exprs[unit.peel(expr)].kind {
                ExprKind::IncDec(..) | ExprKind::CompoundAssign { .. } | ExprKind::Error => true,
                ExprKind::Assign { value, .. } => {
                    matches!(unit.exprs[unit.peel(value)].kind, ExprKind::Binary(..))
                }
                _ => false,
            },
            StmtKind::Empty => false,
            _ => false,
        };
        if !good {
            let span = stmt.span;
            let diagnostic =
                Diagnostic::error("`atomic update` must be followed by an update of one scalar")
                    .help(
                        "its forms are `x++`, `x op= value`, `x = x op value` and `x = value op x`",
                    );
            self.checker.report(span, diagnostic);
        }
    }
}

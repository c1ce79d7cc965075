//! The statements that directives apply to.

use gpuc_diagnostics::Diagnostic;

use super::atomic::Atomic;
use super::construct::Nest;
use super::{Directive, Kind};
use crate::source::Span;
use crate::tree::{ExprId, ExprKind, StmtId, StmtKind, TranslationUnit};

/// Checks the statement behind a directive.
pub(crate) fn check_body(
    directive: &Directive,
    unit: &TranslationUnit,
    body: StmtId,
) -> Option<(Span, Diagnostic)> {
    match (&directive.nest, directive.kind) {
        (Some(nest), _) => loops(directive, nest, unit, body),
        (None, Kind::Atomic(form)) if !is_refused(unit, body) => {
            Atomic::of(unit, form, directive.family, body).err()
        }
        _ => None,
    }
}

/// Whether part of the statement was refused already.
fn is_refused(unit: &TranslationUnit, body: StmtId) -> bool {
    let has_error = |expr: ExprId| {
        let mut pending = vec![expr];
        while let Some(expr) = pending.pop() {
            if matches!(unit.exprs[expr].kind, ExprKind::Error) {
                return true;
            }
            unit.exprs[expr].kind.for_each_operand(|operand| pending.push(operand));
        }
        false
    };
    match &unit.stmts[body].kind {
        StmtKind::Expr(expr) => has_error(*expr),
        StmtKind::Compound(list) => list.iter().any(|&stmt| is_refused(unit, stmt)),
        _ => false,
    }
}

/// A `loop` is followed by as many tightly nested `for` loops as it collapses.
fn loops(
    directive: &Directive,
    nest: &Nest,
    unit: &TranslationUnit,
    body: StmtId,
) -> Option<(Span, Diagnostic)> {
    let (word, count) = (directive.words, nest.count);
    let mut at = body;
    for depth in 0..count {
        // Braces around a single loop keep the nest tight.
        while depth > 0
            && let StmtKind::Compound(inner) = &unit.stmts[at].kind
            && let [single] = inner.as_slice()
        {
            at = *single;
        }
        let (span, message) = match &unit.stmts[at].kind {
            StmtKind::For { body, .. } => {
                at = *body;
                continue;
            }
            _ if nest.force && depth > 0 => return None,
            StmtKind::Compound(inner) if depth > 0 && inner.len() > 1 => (
                unit.stmts[inner[0]].span,
                format!(
                    "`{word}` collapses {count} loops, but loop {} is not alone in its body",
                    depth + 1
                ),
            ),
            _ if depth == 0 => {
                (unit.stmts[at].span, format!("`{word}` must be followed by a `for` loop"))
            }
            _ => (
                unit.stmts[at].span,
                format!("`{word}` collapses {count} loops, but only {depth} follow"),
            ),
        };
        return Some((
            span,
            Diagnostic::error(message).related(unit.place(directive.span), "the directive"),
        ));
    }
    None
}

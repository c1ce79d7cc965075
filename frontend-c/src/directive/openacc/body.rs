//! The statements that directives apply to.

use gpuc_diagnostics::Diagnostic;

use super::rules::Checks;
use super::{ClauseKind, ClauseName, Directive, DirectiveKind};
use crate::source::Span;
use crate::tree::{BinaryOp, ExprId, ExprKind, IncDec, StmtId, StmtKind, TranslationUnit};
use crate::types::Type;

/// Checks the statement behind a directive, whose pragma stands at `line`.
pub(crate) fn check_body(
    directive: &Directive,
    unit: &TranslationUnit,
    body: StmtId,
    line: Span,
) -> Checks {
    let forms = [ClauseName::Read, ClauseName::Write, ClauseName::Capture];
    if directive.kind.is_loop() {
        loops(directive, unit, body, line).into_iter().collect()
    } else if directive.kind == DirectiveKind::Atomic
        && !forms.into_iter().any(|form| directive.clause(form).is_some())
        && AtomicUpdate::of(unit, body).is_none()
        && !is_refused(unit, body)
    {
        vec![(unit.stmts[body].span, AtomicUpdate::refusal())]
    } else {
        Checks::new()
    }
}

/// Whether part of an expression statement was refused already.
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
    matches!(unit.stmts[body].kind, StmtKind::Expr(expr) if has_error(expr))
}

/// A `loop` is followed by as many tightly nested `for` loops as it collapses.
fn loops(
    directive: &Directive,
    unit: &TranslationUnit,
    body: StmtId,
    line: Span,
) -> Option<(Span, Diagnostic)> {
    let word = directive.kind.spelling();
    let count = directive.collapsed();
    let force = directive
        .clauses
        .iter()
        .any(|clause| matches!(clause.kind, ClauseKind::Collapse { force: true, .. }));
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
            _ if force && depth > 0 => return None,
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
        return Some((span, Diagnostic::error(message).related(unit.place(line), "the directive")));
    }
    None
}

/// The statement of an `atomic update` (OpenACC 3.3 §2.12): `target = target op value`, computed in
/// type `computed`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtomicUpdate {
    /// What is updated.
    pub target: ExprId,
    /// The operator.
    pub op: BinaryOp,
    /// The other operand; 1 where it is none.
    pub value: Option<ExprId>,
    /// The type of the operation.
    pub computed: Type,
    /// Whether it is `value op target`.
    pub swapped: bool,
}

impl AtomicUpdate {
    /// Takes a statement apart; `None` where it is no update.
    pub(crate) fn of(unit: &TranslationUnit, mut body: StmtId) -> Option<AtomicUpdate> {
        while let StmtKind::Compound(list) = &unit.stmts[body].kind {
            let [single] = list.as_slice() else { return None };
            body = *single;
        }
        let StmtKind::Expr(expr) = unit.stmts[body].kind else { return None };
        match unit.exprs[unit.peel(expr)].kind {
            ExprKind::IncDec(op, target) => {
                let up = matches!(op, IncDec::PreIncrement | IncDec::PostIncrement);
                Some(AtomicUpdate {
                    target,
                    op: if up { BinaryOp::Add } else { BinaryOp::Sub },
                    value: None,
                    computed: unit.exprs[target].ty.unqualified(),
                    swapped: false,
                })
            }
            ExprKind::CompoundAssign { op, target, value, computed } => {
                Some(AtomicUpdate { target, op, value: Some(value), computed, swapped: false })
            }
            ExprKind::Assign { target, value } => {
                // The conversion back to the target's type is implied.
                let value = unit.peel(value);
                let ExprKind::Binary(op, a, b) = unit.exprs[value].kind else { return None };
                let computed = unit.exprs[value].ty;
                let (value, swapped) = if unit.same_expression(a, target) {
                    (b, false)
                } else if unit.same_expression(b, target) {
                    (a, true)
                } else {
                    return None;
                };
                Some(AtomicUpdate { target, op, value: Some(value), computed, swapped })
            }
            _ => None,
        }
    }

    /// Why a statement that is no update is refused.
    pub(crate) fn refusal() -> Diagnostic {
        Diagnostic::error("`atomic update` must be followed by an update of one scalar")
            .help("its forms are `x++`, `x op= value`, `x = x op value` and `x = value op x`")
    }
}

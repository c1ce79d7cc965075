//! Whether a statement does nothing with a variable but combine values into it.

use crate::directive::construct::ReductionOp;
use crate::lower::array_reduction::mentions;
use crate::lower::walk::{self, Below, Node};
use crate::tree::{BinaryOp, DeclId, ExprId, ExprKind, StmtId, StmtKind, TranslationUnit};

/// Whether all that a statement does with a variable is to combine values into it, by an operator: then the parts of each piece may be
/// combined at its end.
pub(super) fn is_only_combined(
    unit: &TranslationUnit,
    op: ReductionOp,
    decl: DeclId,
    body: StmtId,
) -> bool {
    let mut allowed = 0;
    let mut all = 0;
    walk::stmt(unit, body, &mut |node| {
        match node {
            Node::Stmt(stmt) => match &unit.stmts[stmt].kind {
                StmtKind::Expr(expr) if combines(unit, op, *expr, decl) => {
                    allowed += mentions(unit, *expr, decl);
                }
                // `if (x > most) most = x;`
                StmtKind::If { condition, then, otherwise: None }
                    if is_choice(op) && is_set(unit, *then, decl) =>
                {
                    let named = mentions(unit, *condition, decl);
                    allowed += named + usize::from(named > 0);
                }
                _ => {}
            },
            Node::Expr(expr) => all += usize::from(is_name(unit, expr, decl)),
            _ => {}
        }
        Below::Enter
    });
    all == allowed
}

/// Whether an operator chooses one of its operands.
fn is_choice(op: ReductionOp) -> bool {
    matches!(op, ReductionOp::Max | ReductionOp::Min)
}

fn is_name(unit: &TranslationUnit, expr: ExprId, decl: DeclId) -> bool {
    matches!(unit.exprs[expr].kind, ExprKind::Name(own) if own == decl)
}

/// Whether a statement does nothing but give a variable a value in which it has no part.
fn is_set(unit: &TranslationUnit, stmt: StmtId, decl: DeclId) -> bool {
    match &unit.stmts[stmt].kind {
        StmtKind::Expr(expr) => {
            matches!(unit.exprs[unit.peel(*expr)].kind, ExprKind::Assign { target, .. } if is_name(unit, unit.peel(target), decl))
                && mentions(unit, *expr, decl) == 1
        }
        StmtKind::Compound(list) => matches!(list.as_slice(), [only] if is_set(unit, *only, decl)),
        _ => false,
    }
}

/// Whether an expression combines a value into a variable by an operator.
fn combines(unit: &TranslationUnit, op: ReductionOp, expr: ExprId, decl: DeclId) -> bool {
    let by = |written: BinaryOp| match op {
        ReductionOp::Add => matches!(written, BinaryOp::Add | BinaryOp::Sub),
        ReductionOp::Mul => written == BinaryOp::Mul,
        ReductionOp::And => written == BinaryOp::And,
        ReductionOp::Or => written == BinaryOp::Or,
        ReductionOp::Xor => written == BinaryOp::Xor,
        ReductionOp::LogicalAnd => written == BinaryOp::LogicalAnd,
        ReductionOp::LogicalOr => written == BinaryOp::LogicalOr,
        ReductionOp::Max | ReductionOp::Min => false,
    };
    let is_its = |expr: ExprId| is_name(unit, unit.peel(expr), decl);
    match unit.exprs[unit.peel(expr)].kind {
        ExprKind::IncDec(_, target) => op == ReductionOp::Add && is_its(target),
        ExprKind::CompoundAssign { op: written, target, value, .. } => {
            is_its(target) && by(written) && mentions(unit, value, decl) == 0
        }
        ExprKind::Assign { target, value } if is_its(target) => {
            let value = unit.without_casts(value);
            let once = mentions(unit, value, decl) == 1;
            match unit.exprs[value].kind {
                ExprKind::Binary(written, first, second) => {
                    let is_right = written != BinaryOp::Sub && is_value_of(unit, second, decl);
                    once && by(written) && (is_value_of(unit, first, decl) || is_right)
                }
                ExprKind::Conditional { .. } => is_choice(op),
                ExprKind::Call { .. } => is_choice(op) && once,
                _ => false,
            }
        }
        _ => false,
    }
}

/// Whether an expression is a variable's value, in whatever type.
fn is_value_of(unit: &TranslationUnit, expr: ExprId, decl: DeclId) -> bool {
    is_name(unit, unit.without_casts(expr), decl)
}

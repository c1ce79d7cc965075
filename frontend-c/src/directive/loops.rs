//! Loops as steps of plans call them.

use super::construct::LoopName;
use crate::lower::walk::{self, Below, Node};
use crate::tree::{BinaryOp, DeclKind, ExprKind, Initializer, StmtId, StmtKind, TranslationUnit};

/// A loop as steps call it.
pub(crate) fn named(unit: &TranslationUnit, stmt: StmtId, variable: &str) -> LoopName {
    let line = unit.source.line(unit.stmts[stmt].span.start).1;
    LoopName { variable: variable.to_owned(), line }
}

/// All loops in a statement, and in functions that it calls.
pub(crate) fn all_loops(unit: &TranslationUnit, body: StmtId) -> Vec<LoopName> {
    let mut loops = Vec::new();
    walk::through_calls(unit, [body], &mut |node| {
        if let Node::Stmt(stmt) = node
            && let Some(decl) = unit.counted_by(stmt)
        {
            loops.push(named(unit, stmt, unit.name(decl)));
        }
        Below::Enter
    });
    loops
}

/// How often a loop from one constant to another runs.
pub(crate) fn trips(unit: &TranslationUnit, stmt: StmtId) -> Option<i128> {
    let StmtKind::For { init: Some(init), condition: Some(condition), .. } = &unit.stmts[stmt].kind
    else {
        return None;
    };
    let low = match &unit.stmts[*init].kind {
        StmtKind::Expr(expr) => match unit.exprs[*expr].kind {
            ExprKind::Assign { value, .. } => unit.constant_int(value)?,
            _ => return None,
        },
        StmtKind::Declaration(decls) => match &unit.decls[*decls.first()?].kind {
            DeclKind::Variable(variable) => match &variable.init {
                Some(Initializer::Value(value)) => unit.constant_int(*value)?,
                _ => return None,
            },
            _ => return None,
        },
        _ => return None,
    };
    let ExprKind::Binary(BinaryOp::Less, _, high) = unit.exprs[*condition].kind else {
        return None;
    };
    Some(unit.constant_int(high)? - low)
}

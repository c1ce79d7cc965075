//! The pieces of a `parallel` region between barriers, and statements that all of its threads go through together.

use rustc_hash::FxHashSet;

use crate::lower::uses::mutated_by;
use crate::lower::walk::{self, Below, Node};
use crate::tree::{DeclId, ExprKind, StmtId, StmtKind, TranslationUnit};

/// Statements of a region between barriers.
pub(super) struct Piece {
    /// Whether each thread executes them; else its team does, once.
    pub by_each: bool,
    /// The statements.
    pub stmts: Vec<StmtId>,
    /// The loops around, from outside to inside, whose rounds all threads go through together, and conditions that hold for all
    /// or none.
    pub loops: Vec<StmtId>,
}

/// The pieces of a region in their order.
pub(super) type Pieces = Vec<Piece>;

/// The statement of a loop whose rounds all threads go through together, or of a condition that holds for all or none: its header
/// is about nothing that each has for itself, and nothing leaves it from within.
pub(super) fn gone_through_together(
    unit: &TranslationUnit,
    stmt: StmtId,
    known: &FxHashSet<DeclId>,
) -> Option<StmtId> {
    let mut header = Vec::new();
    let body = match unit.stmts[stmt].kind {
        StmtKind::For { init: Some(init), condition: Some(condition), step: Some(step), body } => {
            let counters = declared(unit, init);
            let changed = mutated_by(unit, body);
            if counters.is_empty() || counters.iter().any(|decl| changed.contains(decl)) {
                return None;
            }
            header.extend([Node::Stmt(init), Node::Expr(condition), Node::Expr(step)]);
            body
        }
        StmtKind::If { condition, then, otherwise: None } => {
            header.push(Node::Expr(condition));
            then
        }
        // What the team finds in front of a round, every thread does: barriers stand between what sets it and the next round.
        StmtKind::While { condition, body } | StmtKind::DoWhile { condition, body } => {
            header.push(Node::Expr(condition));
            body
        }
        _ => return None,
    };
    let mut together = true;
    let mut look = |node: Node| {
        if let Node::Expr(expr) = node {
            together &= match unit.exprs[expr].kind {
                ExprKind::Name(decl) => !known.contains(&decl),
                ExprKind::Call { .. } => false,
                _ => true,
            };
        }
        Below::Enter
    };
    for part in header {
        match part {
            Node::Stmt(stmt) => walk::stmt(unit, stmt, &mut look),
            Node::Expr(expr) => walk::expr(unit, expr, &mut look),
            Node::Leave(_) | Node::Declare(_) => {}
        }
    }
    (together && !is_left_from_within(unit, body)).then_some(body)
}

/// Whether something in a statement may go on behind it.
fn is_left_from_within(unit: &TranslationUnit, body: StmtId) -> bool {
    let jumps = |stmt: StmtId| {
        let kind = &unit.stmts[stmt].kind;
        matches!(kind, StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::GotoComputed(_))
    };
    let mut left = false;
    walk::stmt(unit, body, &mut |node| {
        let Node::Stmt(stmt) = node else { return Below::Enter };
        left |= jumps(stmt);
        match unit.stmts[stmt].kind {
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => {
                // What leaves a loop inside stays in this one, but for jumps.
                walk::stmt(unit, stmt, &mut |node| {
                    left |= matches!(node, Node::Stmt(stmt) if jumps(stmt));
                    Below::Enter
                });
                Below::Skip
            }
            StmtKind::Break | StmtKind::Continue => {
                left = true;
                Below::Skip
            }
            _ => Below::Enter,
        }
    });
    left
}

/// The variables that a statement declares.
pub(super) fn declared(unit: &TranslationUnit, stmt: StmtId) -> Vec<DeclId> {
    match &unit.stmts[stmt].kind {
        StmtKind::Declaration(decls) => decls.clone(),
        _ => Vec::new(),
    }
}

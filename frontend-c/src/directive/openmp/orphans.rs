//! Functions that all threads of a region call together: their loops stand in no region of their own ("orphaned").
//!
//! What such a function does outside of what threads divide, or one of them executes, every thread repeats. Where that is
//! nothing but values of its own variables, the same for all, the team may call it in their place.

use rustc_hash::FxHashSet;

use super::threads::{is_by_one, named};
use crate::lower::role::declared_in;
use crate::lower::uses::root;
use crate::lower::walk::{self, Below, Node};
use crate::tree::{
    DeclId, DeclKind, ExprId, ExprKind, StmtId, StmtKind, Storage, TranslationUnit, UnaryOp,
};

/// Whether a statement is a call that all threads of a region make alike, with arguments that are the same for all, and that
/// one call of their team may stand for.
pub(super) fn called_by_team(
    unit: &TranslationUnit,
    stmt: StmtId,
    own: &FxHashSet<DeclId>,
) -> bool {
    let StmtKind::Expr(expr) = unit.stmts[stmt].kind else { return false };
    let ExprKind::Call { callee, ref arguments } = unit.exprs[unit.peel(expr)].kind else {
        return false;
    };
    let Some((_, Some(body))) = walk::callee(unit, callee) else { return false };
    let plain = arguments.iter().all(|&argument| {
        let mut plain = true;
        walk::expr(unit, argument, &mut |node| {
            if let Node::Expr(expr) = node {
                plain &= !matches!(unit.exprs[expr].kind, ExprKind::Call { .. })
                    && changed(unit, expr).is_none();
            }
            Below::Enter
        });
        plain
    });
    plain && named(unit, stmt).is_disjoint(own) && repeats_nothing(unit, body)
}

/// What an expression assigns to or gives away the address of.
fn changed(unit: &TranslationUnit, expr: ExprId) -> Option<ExprId> {
    match unit.exprs[expr].kind {
        ExprKind::Assign { target, .. }
        | ExprKind::CompoundAssign { target, .. }
        | ExprKind::IncDec(_, target)
        | ExprKind::Unary(UnaryOp::AddressOf, target) => Some(target),
        _ => None,
    }
}

/// Whether all that a function does outside of what threads share or one of them executes is to set its own variables.
fn repeats_nothing(unit: &TranslationUnit, body: StmtId) -> bool {
    let inside = declared_in(unit, body);
    let is_own = |decl: DeclId| match &unit.decls[decl].kind {
        DeclKind::Variable(variable) => {
            inside.contains(&decl) && variable.storage == Storage::Automatic
        }
        DeclKind::Parameter { .. } => true,
        _ => false,
    };
    let mut nothing = true;
    walk::stmt(unit, body, &mut |node| {
        match node {
            Node::Stmt(stmt) => match unit.stmts[stmt].kind {
                StmtKind::Directive { directive, .. } => {
                    let directive = &unit.directives[directive];
                    let words = directive.words;
                    let shared =
                        matches!(words, "for" | "for simd" | "loop" | "sections" | "barrier");
                    nothing &= shared || is_by_one(Some(directive));
                    return Below::Skip;
                }
                StmtKind::Asm => nothing = false,
                _ => {}
            },
            Node::Expr(expr) => {
                nothing &= !matches!(unit.exprs[expr].kind, ExprKind::Call { .. });
                if let Some(target) = changed(unit, expr) {
                    nothing &= root(unit, target).is_some_and(is_own);
                }
            }
            _ => {}
        }
        Below::Enter
    });
    nothing
}

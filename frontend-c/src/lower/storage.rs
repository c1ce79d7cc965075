//! What may reach a mapped variable besides its name: what parallelisation needs to know of pointers.

use gpuc_dialects::offload::{STORAGE_EXCLUSIVE, STORAGE_OBJECT, STORAGE_RESTRICT};

use super::capture::{Capturing, Target};
use super::uses::Captured;
use super::walk::{self, Below, Node};
use crate::tree::{DeclId, DeclKind, ExprId, ExprKind, Linkage, Storage, TranslationUnit, UnaryOp};
use crate::types::Qualifiers;

/// The value of `offload.storage` for a captured variable; `None` where pointers may reach it, as
/// what an ordinary pointer points to.
pub(super) fn storage(
    unit: &TranslationUnit,
    c: &Capturing<'_>,
    captured: Captured,
    target: &Target,
) -> Option<&'static str> {
    // Members may be those of a union.
    let Captured::Variable(decl) = captured else { return None };
    match target {
        Target::Pointee(..) => {
            // What nothing writes to shares no memory with what is written.
            let mut own = c.directive.data.iter().filter(|known| known.var.decl == decl);
            if own.any(|known| known.flags.readonly) {
                return Some(STORAGE_EXCLUSIVE);
            }
            let restrict = unit.decls[decl].ty.qualifiers().contains(Qualifiers::RESTRICT);
            restrict.then_some(STORAGE_RESTRICT)
        }
        Target::Shared(_) if is_local(unit, decl) && !has_address_taken(unit, c.function, decl) => {
            Some(STORAGE_EXCLUSIVE)
        }
        Target::Shared(_) | Target::SharedPointer(_) | Target::Object(..) => Some(STORAGE_OBJECT),
        Target::Value(..)
        | Target::Member(..)
        | Target::MemberPointee(..)
        | Target::Extent(_)
        | Target::HostValue(_) => None,
    }
}

fn is_local(unit: &TranslationUnit, decl: DeclId) -> bool {
    match &unit.decls[decl].kind {
        DeclKind::Variable(variable) => variable.linkage == Linkage::None,
        DeclKind::Parameter { .. } => true,
        _ => false,
    }
}

/// Whether a variable is one of each call of its function.
pub(super) fn is_automatic(unit: &TranslationUnit, decl: DeclId) -> bool {
    match &unit.decls[decl].kind {
        DeclKind::Variable(variable) => variable.storage == Storage::Automatic,
        DeclKind::Parameter { .. } => true,
        _ => false,
    }
}

/// Whether the function that declares a variable takes its address.
pub(super) fn has_address_taken(unit: &TranslationUnit, function: DeclId, decl: DeclId) -> bool {
    let DeclKind::Function(function) = &unit.decls[function].kind else { return true };
    let Some(body) = function.body else { return true };
    let mut taken = false;
    walk::stmt(unit, body, &mut |node| {
        if let Node::Expr(expr) = node
            && let ExprKind::Unary(UnaryOp::AddressOf, operand) = unit.exprs[expr].kind
        {
            taken |= object(unit, operand) == Some(decl);
        }
        Below::Enter
    });
    taken
}

/// Whether `function` has another variable of the same name.
pub(crate) fn is_hidden(unit: &TranslationUnit, decl: DeclId, function: DeclId) -> bool {
    let Some(around) = unit.function(function) else { return false };
    let same_name =
        |other: DeclId| other != decl && unit.decls[other].name == unit.decls[decl].name;
    let mut hidden = around.parameters.iter().any(|&parameter| same_name(parameter));
    if let Some(body) = around.body {
        walk::stmt(unit, body, &mut |node| {
            if let Node::Declare(other) = node {
                hidden |= same_name(other);
            }
            Below::Enter
        });
    }
    hidden
}

/// The variable that an lvalue is, or is a part of.
fn object(unit: &TranslationUnit, expr: ExprId) -> Option<DeclId> {
    match unit.exprs[expr].kind {
        ExprKind::Name(decl) => Some(decl),
        ExprKind::Paren(e) | ExprKind::Index { base: e, .. } | ExprKind::Member { base: e, .. } => {
            object(unit, e)
        }
        _ => None,
    }
}

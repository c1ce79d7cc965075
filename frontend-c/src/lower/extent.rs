//! Run-time extents of arrays.
//!
//! The extent of a variable-length array is the value that its expression had at the declaration
//! (C11 §6.7.6.2 ¶5). Where the variables in it cannot have changed since, a region evaluates the
//! expression itself, so that analyses see one `n` in bounds and rows. Elsewhere the host, whose
//! compiler has kept the value, hands it over.

use super::lowerer;
use super::storage::{has_address_taken, is_automatic, is_hidden};
use super::uses::mutates;
use super::walk::{self, Below, Node};
use crate::tree::{
    BinaryOp, CastKind, DeclId, ExprId, ExprKind, StmtKind, TranslationUnit, UnaryOp,
};
use crate::types::{ArraySize, Qualifiers, Type};

/// The run-time extents in the type of an object or of what a pointer points to, outermost first, each
/// with its value as a C expression. `object` is a C expression for the object or pointer.
pub(super) fn run_time_extents(
    unit: &TranslationUnit,
    ty: Type,
    object: &str,
) -> Vec<(ExprId, String)> {
    let mut found = Vec::new();
    let mut text = format!("({object})");
    let mut at = ty;
    if let Some(to) = unit.types.pointee(ty) {
        text += "[0]";
        at = to;
    }
    while let Some((element, size)) = unit.types.as_array(at) {
        if let ArraySize::Variable(extent) = size {
            found.push((extent, format!("__gpuc_extent(sizeof({text}), sizeof({text}[0]))")));
        }
        text += "[0]";
        at = element;
    }
    found
}

/// Whether an extent can be evaluated wherever `function` still uses its array: it is computed from
/// numbers, constants, and variables of the function that nothing behind the declaration assigns to and
/// whose names nothing hides. What stands before the declaration in the text cannot run between it and
/// the end of the array's life.
pub(super) fn keeps_value(unit: &TranslationUnit, function: DeclId, extent: ExprId) -> bool {
    let mut variables = Vec::new();
    is_plain(unit, extent, &mut variables)
        && variables.into_iter().all(|decl| {
            stays_behind(unit, function, decl, extent) && !is_hidden(unit, decl, function)
        })
}

/// Whether an expression computes with variables and numbers only; which variables.
fn is_plain(unit: &TranslationUnit, expr: ExprId, variables: &mut Vec<DeclId>) -> bool {
    match unit.exprs[expr].kind {
        ExprKind::Int(_) => true,
        ExprKind::Paren(inner) => is_plain(unit, inner, variables),
        ExprKind::Unary(UnaryOp::Plus | UnaryOp::Minus, inner) => is_plain(unit, inner, variables),
        ExprKind::Binary(
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem,
            a,
            b,
        ) => is_plain(unit, a, variables) && is_plain(unit, b, variables),
        ExprKind::Cast { kind: CastKind::Load, operand, .. } => match unit.named(operand) {
            Some(decl) => {
                variables.push(decl);
                true
            }
            None => false,
        },
        ExprKind::Cast { kind: CastKind::Integer | CastKind::Same, operand, .. } => {
            is_plain(unit, operand, variables)
        }
        _ => false,
    }
}

fn stays_behind(unit: &TranslationUnit, function: DeclId, decl: DeclId, extent: ExprId) -> bool {
    let qualifiers = unit.decls[decl].ty.qualifiers();
    if qualifiers.contains(Qualifiers::VOLATILE) {
        return false;
    }
    if qualifiers.contains(Qualifiers::CONST) {
        return true;
    }
    if !is_automatic(unit, decl) || has_address_taken(unit, function, decl) {
        return false;
    }
    let Some(body) = unit.function(function).and_then(|function| function.body) else {
        return false;
    };
    let declared = unit.exprs[extent].span.start;
    let mut stays = true;
    walk::stmt(unit, body, &mut |node| {
        match node {
            Node::Expr(expr) if unit.exprs[expr].span.start > declared => {
                stays &= mutates(unit, expr) != Some(decl);
            }
            // What a directive brings back from the device, it assigns.
            Node::Stmt(stmt) => {
                if let StmtKind::Directive { directive, .. } = unit.stmts[stmt].kind {
                    let directive = &unit.directives[directive];
                    let mut named = directive.data().map(|(_, var)| var.decl);
                    stays &= !named.any(|named| named == decl);
                }
            }
            _ => {}
        }
        Below::Enter
    });
    stays
}

impl lowerer::Lowerer<'_> {
    /// Evaluates the run-time extents of a type where it is declared.
    pub(super) fn declare_extents(&mut self, ty: Type) -> lowerer::Lowering<()> {
        for (extent, _) in run_time_extents(self.unit, ty, "") {
            let value = self.subscript(extent)?;
            self.extents.insert(extent, value);
        }
        Ok(())
    }

    /// A run-time extent: its value at the declaration, where that is kept, else its value here.
    pub(super) fn extent(&mut self, extent: ExprId) -> lowerer::Lowering<gpuc_ir::Value> {
        match self.extents.get(&extent) {
            Some(&known) => Ok(known),
            None => self.subscript(extent),
        }
    }
}

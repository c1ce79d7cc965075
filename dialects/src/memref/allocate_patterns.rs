//! Canonicalisation of allocations.

use gpuc_ir::rewrite::{Pattern, Rewriter};
use gpuc_ir::{DYNAMIC, Op, OpState, OpView, TypeKind, Value};

use super::access::StoreOp;
use super::allocate::DeallocOp;
use super::view::CastOp;
use crate::arith::constant_index_value;

pub(super) const ALLOC: &[Pattern] = &[
    Pattern { name: "alloc-constant-extents", apply: make_extents_static },
    Pattern { name: "alloc-never-read", apply: drop_never_read },
];

/// Extents that are constants become part of the type.
fn make_extents_static(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let buffer = rw.result(op, 0);
    let ty = rw.ty(buffer);
    let TypeKind::MemRef { shape, element, layout, space } = rw.ctx.type_kind(ty).clone() else {
        return false;
    };
    let mut shape = shape.to_vec();
    let mut kept: Vec<Value> = Vec::new();
    let mut operands = rw.operands(op).collect::<Vec<_>>().into_iter();
    for extent in shape.iter_mut().filter(|extent| **extent == DYNAMIC) {
        let Some(size) = operands.next() else { return false };
        match constant_index_value(rw, size).filter(|&size| size >= 0) {
            Some(constant) => *extent = constant,
            None => kept.push(size),
        }
    }
    let symbols: Vec<Value> = operands.collect();
    if kept.len() + symbols.len() == rw.operand_count(op) {
        return false;
    }
    let new_ty = rw.ctx.memref_in(&shape, element, layout, space);
    let sizes = rw.ctx.i32_array_attr(&[kept.len() as i32, symbols.len() as i32]);
    let mut state = OpState::new(rw.op_name(op), rw.location(op));
    state.operands.extend(kept.into_iter().chain(symbols));
    state.results.push(new_ty);
    state.attrs.extend(rw.ctx.dict_entries(rw.attrs(op)).iter().copied());
    state.attrs.push((rw.ctx.ident("operandSegmentSizes"), sizes));
    let new = rw.create_op(state);
    let mut b = rw.before(op);
    b.insert(new);
    let result = b.result(new, 0);
    let cast = CastOp::new(&mut b, result).result(ty).value(&mut b);
    rw.replace(op, &[cast]);
    true
}

/// A buffer that is only written to and released need not be there.
fn drop_never_read(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let buffer = rw.result(op, 0);
    let users: Vec<Op> = rw.users(buffer).collect();
    let harmless = users.iter().all(|&user| match StoreOp::cast(rw, user) {
        Some(store) => store.value(rw) != buffer,
        None => DeallocOp::is(rw, user),
    });
    if !harmless {
        return false;
    }
    for user in users {
        if !rw.is_erased(user) {
            rw.erase(user);
        }
    }
    rw.erase(op);
    true
}

//! Loads, stores and copies.

use gpuc_ir::op;
use gpuc_ir::op::{
    AccessInterface, AccessKind, AccessedValue, AttrConstraint, SubscriptForm, attrs, types,
};
use gpuc_ir::rewrite::{Pattern, Rewriter};
use gpuc_ir::{Attr, Context, DYNAMIC, Ir, Op, Value};

use super::effects::{read, write};
use super::folds::fold_casts;
use super::syntax::PREFETCH;
use attrs::{BOOL, I32};
use types::{ANY, INDEX, MEMREF, MEMREF_ANY_RANK, element_of};

/// From 0, not to be kept, to 3, to be kept in the nearest cache.
pub(crate) static LOCALITY_HINT: AttrConstraint = AttrConstraint {
    summary: "32-bit signless integer attribute whose minimum value is 0 whose maximum value is 3",
    holds: |ctx, attr| {
        (I32.holds)(ctx, attr) && ctx.i64_value(attr).is_some_and(|n| (0..=3).contains(&n))
    },
    syntax: I32.syntax,
};

/// The default of flags.
pub(crate) fn no(ctx: &mut Context) -> Attr {
    ctx.bool_attr(false)
}

op! {
    /// Loads an element.
    LoadOp = "memref.load" {
        operands { memref: One MEMREF, indices: Variadic INDEX }
        results { result: One ANY }
        attrs { nontemporal: Default(no) BOOL }
        types { result = element_of(memref) "result type matches element type of 'memref'" }
        format "$memref `[` $indices `]` attr-dict `:` type($memref)"
        hooks {
            verify: Some(verify_load),
            access: Some(AccessInterface { kind: AccessKind::Read, buffer: 0, subscripts: SubscriptForm::Operands, value: AccessedValue::Result }),
            fold: Some(|ir, op, _| fold_casts(ir, op, &[0])),
            effects: Some(|ir, op, effects| read(effects, ir.operand(op, 0))),
        }
    }
}

op! {
    /// Stores an element.
    StoreOp = "memref.store" {
        operands { value: One ANY, memref: One MEMREF, indices: Variadic INDEX }
        attrs { nontemporal: Default(no) BOOL }
        types { value = element_of(memref) "type of 'value' matches element type of 'memref'" }
        format "$value `,` $memref `[` $indices `]` attr-dict `:` type($memref)"
        hooks {
            verify: Some(verify_store),
            access: Some(AccessInterface { kind: AccessKind::Write, buffer: 1, subscripts: SubscriptForm::Operands, value: AccessedValue::Operand(0) }),
            fold: Some(|ir, op, _| fold_casts(ir, op, &[1])),
            effects: Some(|ir, op, effects| write(effects, ir.operand(op, 1))),
        }
    }
}

op! {
    /// Copies all elements of one buffer to another of the same shape, which must not overlap.
    CopyOp = "memref.copy" {
        operands { source: One MEMREF_ANY_RANK, target: One MEMREF_ANY_RANK }
        format "$source `,` $target attr-dict `:` type($source) `to` type($target)"
        hooks {
            verify: Some(verify_copy),
            fold: Some(|ir, op, _| fold_casts(ir, op, &[0, 1])),
            canonicalize: &[Pattern { name: "copy-to-itself", apply: drop_copy_to_itself }],
            effects: Some(|ir, op, effects| {
                read(effects, ir.operand(op, 0));
                write(effects, ir.operand(op, 1));
            }),
        }
    }
}

op! {
    /// Hints that an element will be read or written soon.
    PrefetchOp = "memref.prefetch" {
        operands { memref: One MEMREF, indices: Variadic INDEX }
        attrs { isWrite: Required BOOL, localityHint: Required LOCALITY_HINT, isDataCache: Required BOOL }
        format "$memref `[` $indices `]` `,` custom<Prefetch>($isWrite, $localityHint, $isDataCache) attr-dict `:` type($memref)"
        hooks {
            verify: Some(verify_prefetch),
            fold: Some(|ir, op, _| fold_casts(ir, op, &[0])),
            custom: &[PREFETCH],
            effects: Some(|ir, op, effects| {
                read(effects, ir.operand(op, 0));
                write(effects, ir.operand(op, 0));
            }),
        }
    }
}

/// Number of dimensions of a buffer.
pub(super) fn rank(ir: &Ir, buffer: Value) -> usize {
    ir.ctx.shape(ir.ty(buffer)).map_or(0, <[i64]>::len)
}

fn verify_load(ir: &Ir, op: Op) -> Result<(), String> {
    let view = LoadOp(op);
    let (rank, indices) = (rank(ir, view.memref(ir)), view.indices(ir).len());
    if indices != rank {
        return Err(format!(
            "incorrect number of indices for load, expected {rank} but got {indices}"
        ));
    }
    Ok(())
}

fn verify_store(ir: &Ir, op: Op) -> Result<(), String> {
    let view = StoreOp(op);
    if view.indices(ir).len() != rank(ir, view.memref(ir)) {
        return Err("store index operand count not equal to memref rank".into());
    }
    Ok(())
}

/// Whether extents may be equal: a dynamic one may be anything.
pub(crate) fn compatible_shapes(a: Option<&[i64]>, b: Option<&[i64]>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return true };
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| a == b || a == DYNAMIC || b == DYNAMIC)
}

/// Checks that two buffers have one element type and compatible shapes.
pub(crate) fn verify_same_elements_and_shape(ir: &Ir, a: Value, b: Value) -> Result<(), String> {
    let (a, b) = (ir.ty(a), ir.ty(b));
    if ir.ctx.element(a) != ir.ctx.element(b) {
        return Err("requires the same element type for all operands".into());
    }
    if !compatible_shapes(ir.ctx.shape(a), ir.ctx.shape(b)) {
        return Err("requires the same shape for all operands".into());
    }
    Ok(())
}

fn verify_copy(ir: &Ir, op: Op) -> Result<(), String> {
    verify_same_elements_and_shape(ir, ir.operand(op, 0), ir.operand(op, 1))
}

fn drop_copy_to_itself(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = CopyOp(op);
    let empty = |value| rw.ctx.shape(rw.ty(value)).is_some_and(|shape| shape.contains(&0));
    let (source, target) = (view.source(rw), view.target(rw));
    if source != target && !empty(source) && !empty(target) {
        return false;
    }
    rw.erase(op);
    true
}

fn verify_prefetch(ir: &Ir, op: Op) -> Result<(), String> {
    let view = PrefetchOp(op);
    let (rank, indices) = (rank(ir, view.memref(ir)), view.indices(ir).len());
    match indices.cmp(&rank) {
        std::cmp::Ordering::Less => Err("too few indices".into()),
        std::cmp::Ordering::Greater => Err("too many indices".into()),
        std::cmp::Ordering::Equal => Ok(()),
    }
}

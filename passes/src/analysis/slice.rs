//! Backward slices: what it takes to compute a value again elsewhere.

use gpuc_ir::{Builder, Ir, Op, Value, ValueDef, ValueMap, WalkOrder};
use rustc_hash::FxHashSet;

/// Operations inside `scope` that compute `value`, in order, if all of them are free of effects
/// and without regions; values from outside `scope` are taken as they are.
pub fn pure_slice(ir: &Ir, value: Value, scope: Op) -> Option<Vec<Op>> {
    let mut slice = Vec::new();
    let mut seen = FxHashSet::default();
    collect(ir, value, scope, &mut slice, &mut seen).then_some(slice)
}

fn collect(
    ir: &Ir,
    value: Value,
    scope: Op,
    slice: &mut Vec<Op>,
    seen: &mut FxHashSet<Op>,
) -> bool {
    let Some(op) = ir.defining_op(value) else {
        // An argument of a block inside: its value differs from iteration to iteration.
        let block = ir.value_block(value).and_then(|block| ir.block_op(block));
        return !block.is_some_and(|owner| ir.is_inside(owner, scope));
    };
    if !ir.is_inside(op, scope) || seen.contains(&op) {
        return true;
    }
    if !ir.regions(op).is_empty() || !ir.is_effect_free(op) {
        return false;
    }
    if !ir.operands(op).all(|operand| collect(ir, operand, scope, slice, seen)) {
        return false;
    }
    seen.insert(op);
    slice.push(op);
    true
}

/// Copies a slice to the builder's point and gives the value that stands for `value` there.
pub fn clone_slice(b: &mut Builder<'_>, slice: &[Op], value: Value, map: &mut ValueMap) -> Value {
    for &op in slice {
        let result = b.results(op).first().copied();
        // Parts of several slices are copied once.
        if result.is_some_and(|result| map.get(result) != result) {
            continue;
        }
        let copy = b.clone_op(op, map);
        b.insert(copy);
    }
    map.get(value)
}

/// Whether a value comes into being in an operation: as an argument of a block in it, or as the result of
/// an operation inside.
pub fn is_defined_inside(ir: &Ir, value: Value, op: Op) -> bool {
    match ir.value_def(value) {
        ValueDef::Result(def, _) => def != op && ir.is_inside(def, op),
        ValueDef::Argument(block, _) => {
            ir.block_op(block).is_some_and(|owner| ir.is_inside(owner, op))
        }
    }
}

/// What an operation, with what stands inside, uses from around it.
pub fn used_from_around(ir: &Ir, op: Op) -> Vec<Value> {
    let mut used = Vec::new();
    ir.walk(op, WalkOrder::PreOrder, &mut |inner| {
        used.extend(ir.operands(inner).filter(|&value| !is_defined_inside(ir, value, op)));
    });
    used
}

//! Backward slices: what it takes to compute a value again elsewhere.

use gpuc_dialects::arith;
use gpuc_ir::{Builder, Ir, Op, Value, ValueDef, ValueMap, WalkOrder};
use indexmap::IndexSet;
use rustc_hash::FxHashSet;

use super::polynomial::Polynomial;

/// Operations inside `scope` that compute `value`, in order, if all of them are free of effects
/// and without regions; values from outside `scope` are taken as they are.
pub fn pure_slice(ir: &Ir, value: Value, scope: Op) -> Option<Vec<Op>> {
    let mut slice = Vec::new();
    let mut seen = FxHashSet::default();
    // An argument of a block inside: its value differs from iteration to iteration.
    let is_given = |value: Value| {
        let block = ir.value_block(value).and_then(|block| ir.block_op(block));
        !block.is_some_and(|owner| ir.is_inside(owner, scope))
    };
    collect(ir, value, scope, &is_given, &mut slice, &mut seen).then_some(slice)
}

/// Operations of a function that compute `value` from its scalar arguments alone, in order, if all of
/// them are free of effects and without regions.
pub fn slice_from_arguments(ir: &Ir, value: Value, function: Op) -> Option<Vec<Op>> {
    let mut slice = Vec::new();
    let mut seen = FxHashSet::default();
    let is_given = |value: Value| {
        let owner = ir.value_block(value).and_then(|block| ir.block_op(block));
        owner == Some(function) && !ir.ctx.is_memref(ir.ty(value))
    };
    collect(ir, value, function, &is_given, &mut slice, &mut seen).then_some(slice)
}

/// Operations of a function that compute `value` from values that are `given` elsewhere, in order, if all of
/// them are free of effects and without regions.
pub fn slice_from_given(
    ir: &Ir,
    value: Value,
    function: Op,
    given: &dyn Fn(Value) -> bool,
) -> Option<Vec<Op>> {
    let mut slice = Vec::new();
    let mut seen = FxHashSet::default();
    collect(ir, value, function, given, &mut slice, &mut seen).then_some(slice)
}

fn collect(
    ir: &Ir,
    value: Value,
    scope: Op,
    is_given: &dyn Fn(Value) -> bool,
    slice: &mut Vec<Op>,
    seen: &mut FxHashSet<Op>,
) -> bool {
    let Some(op) = ir.defining_op(value) else { return is_given(value) };
    if !ir.is_inside(op, scope) || seen.contains(&op) {
        return true;
    }
    if !ir.regions(op).is_empty() || !ir.is_effect_free(op) {
        return false;
    }
    if !ir.operands(op).all(|operand| collect(ir, operand, scope, is_given, slice, seen)) {
        return false;
    }
    seen.insert(op);
    slice.push(op);
    true
}

/// Computes a value at the builder's point, outside `scope`; `None` where that takes more than a
/// [`pure_slice`].
pub fn compute_outside(
    b: &mut Builder<'_>,
    value: Value,
    scope: Op,
    map: &mut ValueMap,
) -> Option<Value> {
    let slice = pure_slice(b, value, scope)?;
    Some(clone_slice(b, &slice, value, map))
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

/// Operations and those that make what they use, as far as `counts` says of these; the given ones first.
pub fn needed_by(
    ir: &Ir,
    ops: impl Iterator<Item = Op>,
    counts: &dyn Fn(Op) -> bool,
) -> IndexSet<Op> {
    let mut needed: IndexSet<Op> = ops.collect();
    let mut next = 0;
    while let Some(&op) = needed.get_index(next) {
        let made = ir.operands(op).filter_map(|operand| ir.defining_op(operand));
        needed.extend(made.filter(|&op| counts(op)));
        next += 1;
    }
    needed
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

/// Builds the value of a polynomial, as an index. `slice` says how each value in it is computed; what
/// was copied already stands in `map`.
pub fn build_polynomial(
    b: &mut Builder<'_>,
    form: &Polynomial,
    slice: impl Fn(&Ir, Value) -> Option<Vec<Op>>,
    map: &mut ValueMap,
) -> Option<Value> {
    let index = b.ctx.index();
    let mut sum = arith::constant_index(b, form.constant_term());
    for (monomial, coefficient) in form.terms().filter(|(m, _)| !m.is_empty()) {
        let mut product = arith::constant_index(b, coefficient);
        for &value in monomial {
            let slice = slice(b, value)?;
            let mut factor = clone_slice(b, &slice, value, map);
            if !b.ctx.is_index(b.ty(factor)) {
                factor = arith::IndexCastOp::new(b, factor).result(index).value(b);
            }
            product = arith::MulIOp::new(b, product, factor).value(b);
        }
        sum = arith::AddIOp::new(b, sum, product).value(b);
    }
    Some(sum)
}

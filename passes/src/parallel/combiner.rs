//! Combiners of reductions: regions of two arguments that yield one value, copied to where values
//! meet.

use gpuc_dialects::gpu;
use gpuc_ir::op::Traits;
use gpuc_ir::{Builder, Op, Region, Value, ValueMap};

/// A copy of a combiner's body at the builder's point.
pub fn combine(b: &mut Builder<'_>, combiner: Region, left: Value, right: Value) -> Value {
    let block = b.blocks(combiner)[0];
    let mut map = ValueMap::new();
    let arguments = b.arguments(block).to_vec();
    map.insert(arguments[0], left);
    map.insert(arguments[1], right);
    let ops: Vec<Op> = b.ops(block).collect();
    let mut result = left;
    for op in ops {
        if b.has_trait(op, Traits::TERMINATOR) {
            result = map.get(b.operand(op, 0));
        } else {
            let copy = b.clone_op(op, &mut map);
            b.insert(copy);
        }
    }
    result
}

/// `gpu.all_reduce` with a copy of the combiner. The copy sees nothing from outside, so constants
/// that were hoisted out of the combiner come along.
pub fn all_reduce(b: &mut Builder<'_>, value: Value, combiner: Region) -> Value {
    let ty = b.ty(value);
    let body = b.region(&[ty, ty], |b, arguments| {
        let block = b.blocks(combiner)[0];
        let mut map = ValueMap::new();
        let own = b.arguments(block).to_vec();
        map.insert(own[0], arguments[0]);
        map.insert(own[1], arguments[1]);
        for op in b.ops(block).collect::<Vec<_>>() {
            for operand in b.operands(op).collect::<Vec<_>>() {
                let outside = b.defining_op(operand).filter(|&def| {
                    b.parent_block(def) != Some(block)
                        && b.has_trait(def, Traits::CONSTANT_LIKE)
                        && map.get(operand) == operand
                });
                if let Some(constant) = outside {
                    let copy = b.clone_op(constant, &mut map);
                    b.insert(copy);
                }
            }
            if b.has_trait(op, Traits::TERMINATOR) {
                let result = map.get(b.operand(op, 0));
                gpu::YieldOp::new(b, &[result]).build(b);
            } else {
                let copy = b.clone_op(op, &mut map);
                b.insert(copy);
            }
        }
    });
    let unit = b.ctx.unit_attr();
    gpu::AllReduceOp::new(b, value).attr(b, "uniform", unit).region(body).value(b)
}

//! Loops whose variable may come around behind the last iteration.
//!
//! A launch has more threads than a loop has iterations, and parts of a loop are as long as a launch can be: what would be
//! the variable of an iteration that does not exist has to be beyond the bound, not a number near the other end of
//! 64 bits. That is so unless the loop begins near the end, which hardly any does, and is asked while the loops round it
//! are still loops.

use gpuc_arch::MAX_THREADS_PER_BLOCK;
use gpuc_dialects::offload::NEAR_END_ATTR;
use gpuc_dialects::offload::mapping::MAPPING_ATTR;
use gpuc_ir::{Ir, Op, Value, ValueDef, WalkOrder};

use crate::analysis::loops::{CountedLoop, dimensions};
use crate::analysis::polynomial::Polynomial;
use crate::analysis::range::{Range, range};

/// So many iterations no loop has that ever ends: a billion in a second, each second of two years.
const MOST_ITERATIONS: i128 = 1 << 56;

/// What a launch is rounded up by, at most, and beyond what one part of a loop can be.
const MOST_BEYOND: i128 = (1 << 31) + MAX_THREADS_PER_BLOCK as i128;

/// Loops round a loop that are looked at.
const DEPTH: u32 = 8;

/// Marks the mapped loops in an operation whose iterations have to be counted.
pub fn mark_loops_near_end(ir: &mut Ir, root: Op) {
    for op in ir.nested_ops(root, WalkOrder::PreOrder) {
        let comes_around = |dim: &CountedLoop| behind(ir, dim, DEPTH) > Range::signed(64).max;
        if ir.attr(op, MAPPING_ATTR).is_some() && dimensions(ir, op).iter().any(comes_around) {
            let unit = ir.ctx.unit_attr();
            ir.set_attr(op, NEAR_END_ATTR, unit);
        }
    }
}

/// Whether the iterations of a loop have to be counted.
pub fn is_near_end(ir: &Ir, op: Op) -> bool {
    ir.attr(op, NEAR_END_ATTR).is_some()
}

/// The greatest number that the variable would be for threads behind the last iteration.
fn behind(ir: &Ir, dim: &CountedLoop, depth: u32) -> i128 {
    last(ir, dim, depth) + MOST_BEYOND * i128::from(dim.step.unwrap_or(i64::MAX))
}

/// The greatest number that the variable can be: below the upper bound, and not farther from the lower one than a loop
/// goes.
fn last(ir: &Ir, dim: &CountedLoop, depth: u32) -> i128 {
    let end = Range::signed(64).max;
    let greatest = |form: &Polynomial| greatest(ir, form, depth);
    // All lower bounds have to be known to say where it starts, one upper bound is enough.
    let start = match dim.known && dim.divided_lower.is_empty() {
        true => dim.lower.iter().map(greatest).max().unwrap_or(end),
        false => end,
    };
    let stop = dim.upper.iter().map(greatest).min().unwrap_or(end);
    let farthest = MOST_ITERATIONS * i128::from(dim.step.unwrap_or(i64::MAX));
    stop.min(start.saturating_add(farthest))
}

/// The greatest number that a sum can be, as far as 64 bits hold.
fn greatest(ir: &Ir, form: &Polynomial, depth: u32) -> i128 {
    let of_value = |value: Value| {
        let known = range(ir, value);
        let ValueDef::Argument(block, _) = ir.value_def(value) else { return known };
        let dims = ir.block_op(block).map(|op| dimensions(ir, op)).unwrap_or_default();
        match dims.iter().find(|dim| dim.variable == value).filter(|_| depth > 0) {
            Some(dim) => {
                Range::new(known.min, known.max.min(last(ir, dim, depth - 1).max(known.min)))
            }
            None => known,
        }
    };
    form.range_over(&of_value).max
}

//! Which operands and results belong to which group of a definition.

use std::ops::Range;

use smallvec::SmallVec;

use super::{Arity, OpDef, Traits, ValueSpec};
use crate::graph::{Ir, Op, Value};

/// Values of a variadic group.
pub type Values = SmallVec<[Value; 4]>;

/// Splits `count` values over the groups: by the given sizes, or, where at most one group is of
/// variable length (or all variable groups are of the same length), by counting.
fn range(specs: &[ValueSpec], sizes: Option<&[i64]>, count: usize, group: usize) -> Range<usize> {
    if let Some(sizes) = sizes {
        let size = |i: usize| sizes.get(i).map_or(0, |&n| n.max(0) as usize);
        let start: usize = (0..group).map(size).sum();
        let start = start.min(count);
        return start..(start + size(group)).min(count);
    }
    let singles = specs.iter().filter(|spec| spec.arity == Arity::One).count();
    let variable = specs.len() - singles;
    let each = count.saturating_sub(singles).checked_div(variable).unwrap_or(0);
    let size = |spec: &ValueSpec| if spec.arity == Arity::One { 1 } else { each };
    let start: usize = specs[..group].iter().map(size).sum();
    let start = start.min(count);
    start..(start + size(&specs[group])).min(count)
}

/// Operand indices of group `group`.
pub fn operand_range(ir: &Ir, op: Op, def: &OpDef, group: usize) -> Range<usize> {
    let sizes = def
        .traits
        .contains(Traits::ATTR_SIZED_OPERANDS)
        .then(|| ir.attr(op, "operandSegmentSizes").and_then(|attr| ir.ctx.dense_array(attr)))
        .flatten();
    range(def.operands, sizes, ir.operand_count(op), group)
}

/// Operands of group `group`.
pub fn operand_group(ir: &Ir, op: Op, def: &OpDef, group: usize) -> Values {
    operand_range(ir, op, def, group).map(|index| ir.operand(op, index)).collect()
}

/// Replaces the operands of group `group`.
pub fn set_operand_group(ir: &mut Ir, op: Op, def: &OpDef, group: usize, values: &[Value]) {
    let range = operand_range(ir, op, def, group);
    let mut operands: Vec<Value> = ir.operands(op).collect();
    if def.traits.contains(Traits::ATTR_SIZED_OPERANDS) {
        let length = |other: usize| match other == group {
            true => values.len() as i32,
            false => operand_range(ir, op, def, other).len() as i32,
        };
        let sizes: Vec<i32> = (0..def.operands.len()).map(length).collect();
        let sizes = ir.ctx.i32_array_attr(&sizes);
        ir.set_attr(op, "operandSegmentSizes", sizes);
    }
    operands.splice(range, values.iter().copied());
    ir.set_operands(op, &operands);
}

/// Result indices of group `group`.
pub fn result_range(ir: &Ir, op: Op, def: &OpDef, group: usize) -> Range<usize> {
    let sizes = def
        .traits
        .contains(Traits::ATTR_SIZED_RESULTS)
        .then(|| ir.attr(op, "resultSegmentSizes").and_then(|attr| ir.ctx.dense_array(attr)))
        .flatten();
    range(def.results, sizes, ir.results(op).len(), group)
}

/// Results of group `group`.
pub fn result_group<'a>(ir: &'a Ir, op: Op, def: &OpDef, group: usize) -> &'a [Value] {
    &ir.results(op)[result_range(ir, op, def, group)]
}

//! Canonicalisation of `scf.if`.

use gpuc_ir::rewrite::{Pattern, Rewriter};
use gpuc_ir::{Ir, Op, OpView, Region, Value};

use super::branch::IfOp;
use super::inline::{inline_before, is_outside, kept, replace_kept, take_region};
use crate::arith::fold::defined_by;
use crate::arith::{AndIOp, SelectOp, XOrIOp, constant_bool, constant_int_value};

pub(super) const IF: &[Pattern] = &[
    Pattern { name: "if-with-known-condition", apply: take_known_branch },
    Pattern { name: "if-without-else", apply: drop_empty_else },
    Pattern { name: "if-on-negation", apply: exchange_branches },
    Pattern { name: "if-results-outside", apply: select_results },
    Pattern { name: "if-unused-results", apply: drop_unused_results },
    Pattern { name: "if-known-inside", apply: propagate_condition },
    Pattern { name: "if-nested", apply: combine_nested },
];

fn take_known_branch(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = IfOp(op);
    let Some(condition) = constant_int_value(rw, view.condition(rw)) else { return false };
    let taken = if condition != 0 { Some(view.then_block(rw)) } else { view.else_block(rw) };
    let yielded = match taken {
        Some(block) => inline_before(rw, block, op, &[]),
        None => Vec::new(),
    };
    rw.replace(op, &yielded);
    true
}

fn is_empty(ir: &Ir, region: Region) -> bool {
    ir.entry_block(region).is_none_or(|block| ir.first_op(block) == ir.last_op(block))
}

/// A second region that does nothing need not be there.
fn drop_empty_else(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = IfOp(op);
    let Some(block) = view.else_block(rw) else { return false };
    if !rw.results(op).is_empty() || !is_empty(rw, view.elseRegion(rw)) {
        return false;
    }
    if let Some(end) = rw.last_op(block) {
        rw.erase(end);
    }
    rw.erase_block(block);
    rw.changed(op);
    true
}

/// Builds the conditional anew with other parts.
fn rebuild(rw: &mut Rewriter<'_>, op: Op, condition: Value, keep: &[bool], regions: [Region; 2]) {
    let results = rw.results(op).to_vec();
    let types: Vec<_> = kept(&results, keep).into_iter().map(|value| rw.ty(value)).collect();
    let attrs = rw.attrs(op);
    let regions = regions.map(|region| take_region(rw, region));
    let mut b = rw.before(op);
    let build = IfOp::new(&mut b, condition).result_group(&types);
    let new = build.region(regions[0]).region(regions[1]).build(&mut b);
    rw.set_attrs(new, attrs);
    replace_kept(rw, op, new, keep);
}

/// `if not c` with both regions to `if c` with the regions exchanged.
fn exchange_branches(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = IfOp(op);
    let Some(not) = defined_by::<XOrIOp>(rw, view.condition(rw)) else { return false };
    if view.else_block(rw).is_none() || constant_int_value(rw, not.rhs(rw)) != Some(1) {
        return false;
    }
    let regions = [view.elseRegion(rw), view.thenRegion(rw)];
    let keep = vec![true; rw.results(op).len()];
    let condition = not.lhs(rw);
    rebuild(rw, op, condition, &keep, regions);
    true
}

fn yields(ir: &Ir, op: Op) -> Option<(Op, Op)> {
    let view = IfOp(op);
    Some((ir.last_op(view.then_block(ir))?, ir.last_op(view.else_block(ir)?)?))
}

/// Results that are chosen between values from outside are selections.
fn select_results(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let Some((then, otherwise)) = yields(rw, op) else { return false };
    let condition = IfOp(op).condition(rw);
    let mut changed = false;
    for (i, result) in rw.results(op).to_vec().into_iter().enumerate() {
        let (a, b) = (rw.operand(then, i), rw.operand(otherwise, i));
        if rw.is_unused(result) || !is_outside(rw, a, op) || !is_outside(rw, b, op) {
            continue;
        }
        let value = if a == b {
            a
        } else {
            let mut builder = rw.before(op);
            SelectOp::new(&mut builder, condition, a, b).value(&mut builder)
        };
        rw.replace_uses(result, value);
        changed = true;
    }
    changed
}

fn drop_unused_results(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let keep: Vec<_> = rw.results(op).iter().map(|&result| !rw.is_unused(result)).collect();
    if keep.iter().all(|&keep| keep) {
        return false;
    }
    let Some((then, otherwise)) = yields(rw, op) else { return false };
    for end in [then, otherwise] {
        let values: Vec<_> = rw.operands(end).collect();
        rw.set_operands(end, &kept(&values, &keep));
    }
    let view = IfOp(op);
    let (condition, regions) = (view.condition(rw), [view.thenRegion(rw), view.elseRegion(rw)]);
    rebuild(rw, op, condition, &keep, regions);
    true
}

/// Inside the regions the condition is known.
fn propagate_condition(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = IfOp(op);
    let condition = view.condition(rw);
    let mut inside: [Vec<_>; 2] = Default::default();
    for slot in rw.uses(condition).collect::<Vec<_>>() {
        let owner = rw.use_owner(slot);
        let child = std::iter::once(owner)
            .chain(rw.ancestors(owner))
            .find(|&a| rw.parent_op(a) == Some(op));
        if let Some(region) = child.and_then(|child| rw.parent_region(child)) {
            inside[usize::from(region != view.thenRegion(rw))].push((owner, rw.use_index(slot)));
        }
    }
    let mut changed = false;
    for (slots, value) in inside.iter().zip([true, false]) {
        if slots.is_empty() {
            continue;
        }
        let known = constant_bool(&mut rw.before(op), value);
        for &(owner, index) in slots {
            rw.set_operand(owner, index, known);
        }
        changed = true;
    }
    changed
}

/// A conditional that holds nothing but a conditional, both without results and second regions, is
/// one on both conditions.
fn combine_nested(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = IfOp(op);
    let is_plain =
        |ir: &Ir, op: Op| ir.results(op).is_empty() && is_empty(ir, IfOp(op).elseRegion(ir));
    let Some(inner) = rw.first_op(view.then_block(rw)).and_then(|inner| IfOp::cast(rw, inner))
    else {
        return false;
    };
    let alone = rw.next_op(inner.0) == rw.last_op(view.then_block(rw));
    let (outer_condition, inner_condition) = (view.condition(rw), inner.condition(rw));
    if !alone || !is_plain(rw, op) || !is_plain(rw, inner.0) || !is_outside(rw, inner_condition, op)
    {
        return false;
    }
    let both = {
        let mut b = rw.before(op);
        AndIOp::new(&mut b, outer_condition, inner_condition).value(&mut b)
    };
    let block = inner.then_block(rw);
    inline_before(rw, block, inner.0, &[]);
    rw.erase(inner.0);
    rw.set_operand(op, 0, both);
    true
}

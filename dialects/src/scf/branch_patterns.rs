//! Canonicalisation of `scf.index_switch` and `scf.execute_region`.

use gpuc_ir::op::Traits;
use gpuc_ir::rewrite::{Pattern, Rewriter};
use gpuc_ir::{InsertPoint, Op, OpView};

use super::branch::{ExecuteRegionOp, IndexSwitchOp};
use super::inline::inline_before;
use super::terminators::YieldOp;
use crate::arith::constant_index_value;
use crate::cf::BranchOp;

pub(super) const INDEX_SWITCH: &[Pattern] =
    &[Pattern { name: "switch-with-known-case", apply: take_known_case }];

pub(super) const EXECUTE_REGION: &[Pattern] = &[
    Pattern { name: "execute-one-block", apply: inline_single_block },
    Pattern { name: "execute-in-function", apply: inline_blocks },
];

fn take_known_case(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = IndexSwitchOp(op);
    let Some(value) = constant_index_value(rw, view.arg(rw)) else { return false };
    let case = view.case_numbers(rw).iter().position(|&case| case == value);
    let block = rw.body(op, case.map_or(0, |case| case + 1));
    let yielded = inline_before(rw, block, op, &[]);
    rw.replace(op, &yielded);
    true
}

fn inline_single_block(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let [block] = *rw.blocks(rw.region(op, 0)) else { return false };
    if !rw.last_op(block).is_some_and(|end| YieldOp::is(rw, end)) {
        return false;
    }
    let yielded = inline_before(rw, block, op, &[]);
    rw.replace(op, &yielded);
    true
}

/// Where blocks may stand (in a function, say), those of the region may stand in line.
fn inline_blocks(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let Some(parent) = rw.parent_op(op) else { return false };
    let is_function = rw.def(parent).is_some_and(|def| def.hooks.function.is_some());
    let multi_block = is_function || ExecuteRegionOp::is(rw, parent);
    if !multi_block || rw.has_trait(parent, Traits::SINGLE_BLOCK) {
        return false;
    }
    let blocks = rw.blocks(rw.region(op, 0)).to_vec();
    let (Some(&entry), Some(before)) = (blocks.first(), rw.parent_block(op)) else { return false };
    let Some(region) = rw.block_region(before) else { return false };
    let location = rw.location(op);
    let rest = rw.split_block(op, location);
    for result in rw.results(op).to_vec() {
        let ty = rw.ty(result);
        let argument = rw.add_argument(rest, ty, location);
        rw.replace_uses(result, argument);
    }
    for &block in &blocks {
        rw.detach_block(block);
        let at = rw.blocks(region).iter().position(|&b| b == rest).unwrap_or(0);
        rw.insert_block(region, at, block);
        let Some(end) = rw.last_op(block).filter(|&end| YieldOp::is(rw, end)) else { continue };
        let values: Vec<_> = rw.operands(end).collect();
        let mut b = rw.before(end);
        BranchOp::new(&mut b, &values).successor(rest).build(&mut b);
        rw.erase(end);
    }
    let mut b = rw.before(op);
    b.set_point(InsertPoint::End(before));
    BranchOp::new(&mut b, &[]).successor(entry).build(&mut b);
    rw.erase(op);
    true
}

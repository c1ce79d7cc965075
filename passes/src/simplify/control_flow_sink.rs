//! `control-flow-sink`: what only one branch uses is computed in that branch.
//!
//! Needs nothing. An operation without effects moves into a region that is executed once at most, if all of its
//! users are in there; what it uses follows it. Regions that may be executed again, those of loops, take
//! nothing in. After MLIR's pass of the same name.

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::op::{RegionPoint, Traits};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op, Region, WalkOrder};

gpuc_ir::pass! {
    /// Move operations into the branch that uses them.
    ControlFlowSink = "control-flow-sink" {}
    counts { "num-sunk": "Number of operations sunk" }
}

impl Pass for ControlFlowSink {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for inner in ir.nested_ops(op, WalkOrder::PostOrder) {
            for (index, &region) in ir.regions(inner).to_vec().iter().enumerate() {
                if runs_once_at_most(ir, inner, index) {
                    let sunk = sink(ir, region);
                    cx.count("num-sunk", sunk);
                }
            }
        }
        Ok(())
    }
}

/// Whether control cannot come back to a region of `op` once it has been there.
fn runs_once_at_most(ir: &Ir, op: Op, index: usize) -> bool {
    let Some(branch) = ir.def(op).and_then(|def| def.hooks.region_branch.as_ref()) else {
        return false;
    };
    let mut seen = vec![false; ir.regions(op).len()];
    let mut waiting = vec![index];
    while let Some(from) = waiting.pop() {
        for edge in (branch.edges)(ir, op, RegionPoint::Region(from)) {
            if let RegionPoint::Region(to) = edge.to
                && let Some(seen) = seen.get_mut(to)
                && !std::mem::replace(seen, true)
            {
                waiting.push(to);
            }
        }
    }
    !seen.get(index).copied().unwrap_or(true)
}

/// Moves into a region what is used nowhere else; the number of operations moved.
pub fn sink(ir: &mut Ir, region: Region) -> usize {
    let Some(entry) = ir.entry_block(region) else { return 0 };
    let Some(owner) = ir.region_op(region) else { return 0 };
    let mut moved = 0;
    let mut users: Vec<Op> = Vec::new();
    for &block in ir.blocks(region) {
        for op in ir.ops(block) {
            users.extend(ir.nested_ops(op, WalkOrder::PreOrder));
        }
    }
    // The last first, as upstream: what is moved stands in front of what uses it.
    while let Some(user) = users.pop() {
        for operand in ir.operands(user).collect::<Vec<_>>() {
            let Some(op) = ir.defining_op(operand) else { continue };
            if ir.is_inside(op, owner) || op == owner || !may_move(ir, op) {
                continue;
            }
            let results = ir.results(op).to_vec();
            let inside = |user: Op| {
                let mut at = ir.parent_region(user);
                while let Some(here) = at {
                    if here == region {
                        return true;
                    }
                    at = ir.region_op(here).and_then(|outer| ir.parent_region(outer));
                }
                false
            };
            if !results.iter().all(|&result| ir.users(result).all(inside)) {
                continue;
            }
            match ir.first_op(entry) {
                Some(first) => ir.move_before(first, op),
                None => ir.move_to_end(entry, op),
            }
            moved += 1;
            users.extend(ir.nested_ops(op, WalkOrder::PreOrder));
        }
    }
    moved
}

/// Whether nothing can tell where an operation is executed: it has no effects, and threads do not meet in
/// it. A division that may fail fails less often where it is executed less often.
fn may_move(ir: &Ir, op: Op) -> bool {
    let anywhere = ir.is_speculatable(op) || ir.name(op).starts_with("arith.");
    ir.is_effect_free(op) && anywhere && !ir.has_trait(op, Traits::TERMINATOR)
}

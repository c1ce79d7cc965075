//! `loop-invariant-code-motion`: moves out of loops what does not vary in them.
//!
//! An operation moves in front of its loop if its operands are defined outside, it has no effects
//! and may run even where the loop runs zero times. Inner loops come first, so that code climbs as
//! far as it can. After MLIR's pass of the same name.

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::dominance::DominanceInfo;
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op, Region, Value, WalkOrder};

use crate::analysis::slice::used_from_around;

gpuc_ir::pass! {
    /// Move loop-invariant code in front of its loop.
    LoopInvariantCodeMotion = "loop-invariant-code-motion" {
        /// Move what stands under conditions in the loop, too: addresses, which are cheaper once than in each round.
        conditional: bool = false,
    }
}

impl Pass for LoopInvariantCodeMotion {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for inner in ir.nested_ops(op, WalkOrder::PostOrder) {
            if inner != op {
                hoist(ir, inner, self.conditional);
            }
        }
        // Blocks and their terminators stay as they are.
        cx.preserve::<DominanceInfo>();
        Ok(())
    }
}

/// Moves what does not vary in `loop_op` in front of it, with `conditional` also what stands under conditions in it, where no
/// other loop does; nothing if it is no loop. Returns the number of operations moved.
pub fn hoist(ir: &mut Ir, loop_op: Op, conditional: bool) -> usize {
    let Some(regions) = ir.def(loop_op).and_then(|def| def.hooks.loop_regions) else { return 0 };
    let regions = regions(ir, loop_op);
    let conditional = conditional && !regions.iter().any(|&region| has_loops(ir, region));
    let mut moved = 0;
    for region in regions {
        let (mut blocks, mut at) = (ir.blocks(region).to_vec(), 0);
        while let Some(&block) = blocks.get(at) {
            at += 1;
            let mut next = ir.first_op(block);
            while let Some(op) = next {
                next = ir.next_op(op);
                if is_invariant(ir, op, region) {
                    ir.move_before(loop_op, op);
                    moved += 1;
                } else if conditional && is_condition(ir, op) {
                    let inner = ir.regions(op).iter().flat_map(|&inner| ir.blocks(inner));
                    blocks.extend(inner);
                }
            }
        }
    }
    moved
}

/// Whether loops are in a region: registers that hold what is moved out of it are theirs, too.
fn has_loops(ir: &Ir, region: Region) -> bool {
    let is_loop = |op: Op| ir.def(op).is_some_and(|def| def.hooks.loop_regions.is_some());
    let mut ops = ir.blocks(region).iter().flat_map(|&block| ir.ops(block));
    ops.any(|op| ir.nested_ops(op, WalkOrder::PreOrder).into_iter().any(is_loop))
}

/// Whether an operation executes its regions once at most, for what they do.
fn is_condition(ir: &Ir, op: Op) -> bool {
    ir.def(op)
        .is_some_and(|def| def.hooks.region_branch.is_some() && def.hooks.loop_regions.is_none())
}

fn is_invariant(ir: &Ir, op: Op, region: Region) -> bool {
    !ir.has_trait(op, Traits::TERMINATOR)
        && ir.is_effect_free(op)
        && ir.is_speculatable(op)
        && uses_only_outside(ir, op, region)
}

/// Whether nothing that `op` or the operations inside it use is defined in `region` outside `op`.
fn uses_only_outside(ir: &Ir, op: Op, region: Region) -> bool {
    used_from_around(ir, op).into_iter().all(|value| !defined_in_region(ir, value, region))
}

fn defined_in_region(ir: &Ir, value: Value, region: Region) -> bool {
    let mut at = ir.value_block(value).and_then(|block| ir.block_region(block));
    while let Some(here) = at {
        if here == region {
            return true;
        }
        at = ir.region_op(here).and_then(|op| ir.parent_region(op));
    }
    false
}

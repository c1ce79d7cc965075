//! Simplification of control flow graphs: unreachable blocks, blocks with one way in.

use super::merge_blocks::merge_identical_blocks;
use gpuc_ir::dominance::Dominators;
use gpuc_ir::{Block, Ir, Op, Region, WalkOrder};
use rustc_hash::FxHashMap;

/// Erases unreachable blocks, merges blocks into their only predecessor, and drops block arguments
/// that nothing uses, in every region inside `root`; where `merge` is asked for, blocks that do the same become one.
/// Returns whether anything changed.
pub fn simplify_regions(ir: &mut Ir, root: Op, merge: bool) -> bool {
    let mut changed = false;
    for op in ir.nested_ops(root, WalkOrder::PostOrder) {
        for region in ir.regions(op).to_vec() {
            // One block and no branches: nothing to do, and by far the usual case.
            if ir.blocks(region).len() > 1 {
                changed |= erase_unreachable(ir, region);
                changed |= merge_chains(ir, region);
                changed |= drop_unused_arguments(ir, region);
                if merge {
                    changed |= merge_identical_blocks(ir, region);
                    changed |= replace_constant_arguments(ir, region);
                }
            }
        }
    }
    changed
}

fn erase_unreachable(ir: &mut Ir, region: Region) -> bool {
    let dominators = Dominators::of(ir, region);
    let dead: Vec<Block> =
        ir.blocks(region).iter().copied().filter(|&b| !dominators.is_reachable(b)).collect();
    // Dead blocks may use each other's values: all operands go before any operation does.
    for &block in &dead {
        for op in ir.ops(block).collect::<Vec<_>>() {
            for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
                ir.set_operands(inner, &[]);
            }
        }
    }
    for &block in &dead {
        ir.erase_block(block);
    }
    !dead.is_empty()
}

fn predecessors(ir: &Ir, region: Region) -> FxHashMap<Block, Vec<(Op, usize)>> {
    let mut found: FxHashMap<Block, Vec<(Op, usize)>> = FxHashMap::default();
    for &block in ir.blocks(region) {
        if let Some(terminator) = ir.last_op(block) {
            for (i, &successor) in ir.successors(terminator).iter().enumerate() {
                found.entry(successor).or_default().push((terminator, i));
            }
        }
    }
    found
}

/// `^a: ... br ^b` where nothing else goes to `^b`.
fn merge_chains(ir: &mut Ir, region: Region) -> bool {
    let mut changed = false;
    let entry = ir.entry_block(region);
    // Branches stay who they are when their block is joined to another one.
    let predecessors = predecessors(ir, region);
    for block in ir.blocks(region).to_vec() {
        if Some(block) == entry {
            continue;
        }
        let Some([(branch, 0)]) = predecessors.get(&block).map(Vec::as_slice) else { continue };
        let branch = *branch;
        let Some(from) = ir.parent_block(branch).filter(|&from| from != block) else { continue };
        let forwarded = ir.def(branch).and_then(|def| def.hooks.successor_operands);
        // What does more than branch stays.
        if ir.successors(branch).len() != 1
            || !ir.results(branch).is_empty()
            || !ir.is_effect_free(branch)
        {
            continue;
        }
        let Some(forwarded) = forwarded else { continue };
        let range = forwarded(ir, branch, 0);
        if range.len() != ir.operand_count(branch)
            || ir.operand_count(branch) != ir.arguments(block).len()
        {
            continue;
        }
        let values: Vec<_> = ir.operands(branch).collect();
        for (argument, value) in ir.arguments(block).to_vec().into_iter().zip(values) {
            ir.replace_all_uses(argument, value);
        }
        ir.erase_op(branch);
        ir.splice_ops(block, from);
        ir.erase_block(block);
        changed = true;
    }
    changed
}

/// Arguments without uses, together with the operands that feed them.
fn drop_unused_arguments(ir: &mut Ir, region: Region) -> bool {
    let mut changed = false;
    let predecessors = predecessors(ir, region);
    for block in ir.blocks(region).to_vec() {
        if ir.entry_block(region) == Some(block) {
            continue;
        }
        let Some(edges) = predecessors.get(&block) else { continue };
        for index in (0..ir.arguments(block).len()).rev() {
            if !ir.is_unused(ir.arguments(block)[index]) {
                continue;
            }
            let feeds: Option<Vec<(Op, usize)>> = edges
                .iter()
                .map(|&(branch, successor)| {
                    let forwarded = ir.def(branch)?.hooks.successor_operands?;
                    Some((branch, forwarded(ir, branch, successor).start + index))
                })
                .collect();
            // A branch may go to the block twice; its operands are then counted by segment sizes.
            let Some(feeds) = feeds else { continue };
            for (edge, (branch, operand)) in feeds.into_iter().enumerate() {
                ir.remove_operand(branch, operand);
                resize_segment(ir, branch, edges[edge].1, -1);
            }
            ir.remove_argument(block, index);
            changed = true;
        }
    }
    changed
}

/// Arguments that are the same value on each way to their block are that value; they are left without uses.
fn replace_constant_arguments(ir: &mut Ir, region: Region) -> bool {
    let mut changed = false;
    let predecessors = predecessors(ir, region);
    for block in ir.blocks(region).to_vec() {
        let Some(edges) = predecessors.get(&block) else { continue };
        if ir.entry_block(region) == Some(block) {
            continue;
        }
        for (index, argument) in ir.arguments(block).to_vec().into_iter().enumerate() {
            let given: Option<Vec<_>> = edges
                .iter()
                .map(|&(branch, successor)| {
                    let forwarded = ir.def(branch)?.hooks.successor_operands?;
                    let range = forwarded(ir, branch, successor);
                    range.clone().nth(index).map(|operand| ir.operand(branch, operand))
                })
                .collect();
            let Some(given) = given else { continue };
            let Some(&value) = given.first() else { continue };
            let is_same = value != argument && given.iter().all(|&other| other == value);
            if is_same && !ir.is_unused(argument) {
                ir.replace_all_uses(argument, value);
                changed = true;
            }
        }
    }
    changed
}

/// The operand segment of successor `successor` has become longer by `more`.
pub(super) fn resize_segment(ir: &mut Ir, branch: Op, successor: usize, more: i32) {
    let Some(attr) = ir.attr(branch, "operandSegmentSizes") else { return };
    let Some(sizes) = ir.ctx.dense_array(attr) else { return };
    let mut sizes: Vec<i32> = sizes.iter().map(|&n| n as i32).collect();
    // Segments of successors come last, one for each.
    let first = sizes.len() - ir.successors(branch).len().min(sizes.len());
    if let Some(size) = sizes.get_mut(first + successor) {
        *size += more;
    }
    let attr = ir.ctx.i32_array_attr(&sizes);
    ir.set_attr(branch, "operandSegmentSizes", attr);
}

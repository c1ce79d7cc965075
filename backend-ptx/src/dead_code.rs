//! Removes instructions and block arguments that nothing uses.

use std::ops::Range;

use gpuc_dialects::ptx::{DeviceFuncOp, PtxFuncOp};
use gpuc_ir::{Block, Ir, Op, OpView, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Cleans every function of a `ptx.module`.
pub(crate) fn run(ir: &mut Ir, module: Op) {
    let functions: Vec<Op> = ir
        .ops(ir.body(module, 0))
        .filter(|&op| PtxFuncOp::is(ir, op) || DeviceFuncOp::is(ir, op))
        .collect();
    for function in functions {
        let blocks = ir.blocks(ir.region(function, 0)).to_vec();
        remove_dead(ir, &blocks);
        remove_dead_arguments(ir, &blocks);
    }
}

fn remove_dead(ir: &mut Ir, blocks: &[Block]) {
    let mut work: Vec<Op> = Vec::new();
    for &block in blocks {
        work.extend(ir.ops(block));
    }
    // Users first: a pop takes the last instruction, and what it used is looked at again.
    while let Some(op) = work.pop() {
        if ir.is_erased(op) || !ir.is_trivially_dead(op) {
            continue;
        }
        let operands: Vec<Value> = ir.operands(op).collect();
        ir.erase_op(op);
        work.extend(operands.into_iter().filter_map(|value| ir.defining_op(value)));
    }
}

/// Removes arguments that only lead, through branches and instructions without effects, to
/// themselves and each other.
fn remove_dead_arguments(ir: &mut Ir, blocks: &[Block]) {
    let mut live: FxHashSet<Value> = FxHashSet::default();
    let mut work: Vec<Value> = Vec::new();
    for &block in blocks {
        for op in ir.ops(block) {
            let pure = ir.is_effect_free(op) && ir.successors(op).is_empty();
            if pure && !ir.results(op).is_empty() {
                continue;
            }
            for (index, value) in ir.operands(op).enumerate() {
                if argument_of(ir, op, index).is_none() {
                    work.push(value);
                }
            }
        }
    }
    let ways = ways(ir, blocks);
    while let Some(value) = work.pop() {
        if !live.insert(value) {
            continue;
        }
        match ir.value_def(value) {
            gpuc_ir::ValueDef::Result(op, _) => work.extend(ir.operands(op)),
            gpuc_ir::ValueDef::Argument(block, index) => {
                for &(branch, successor) in ways.get(&block).into_iter().flatten() {
                    let handed = handed(ir, branch, successor).map(|handed| handed.start);
                    work.extend(handed.map(|start| ir.operand(branch, start + index as usize)));
                }
            }
        }
    }
    let mut dead: Vec<(Block, usize)> = Vec::new();
    for &block in blocks {
        let arguments = ir.arguments(block).iter().enumerate().rev();
        dead.extend(arguments.filter(|(_, v)| !live.contains(v)).map(|(index, _)| (block, index)));
    }
    // First no branch hands them anything, then nothing uses them, then they go.
    for &(block, index) in &dead {
        remove_incoming(ir, ways.get(&block).map_or(&[], Vec::as_slice), index);
    }
    remove_dead(ir, blocks);
    for &(block, index) in &dead {
        ir.remove_argument(block, index);
    }
}

/// The successor and argument number that an operand of a branch goes to.
fn argument_of(ir: &Ir, op: Op, operand: usize) -> Option<(usize, usize)> {
    let hook = ir.def(op)?.hooks.successor_operands?;
    (0..ir.successors(op).len()).find_map(|successor| {
        let range = hook(ir, op, successor);
        range.contains(&operand).then(|| (successor, operand - range.start))
    })
}

/// The branches to each block, with the number of the successor that it is.
fn ways(ir: &Ir, blocks: &[Block]) -> FxHashMap<Block, Vec<(Op, usize)>> {
    let mut ways: FxHashMap<Block, Vec<(Op, usize)>> = FxHashMap::default();
    for branch in blocks.iter().filter_map(|&block| ir.last_op(block)) {
        for (number, &successor) in ir.successors(branch).iter().enumerate() {
            ways.entry(successor).or_default().push((branch, number));
        }
    }
    ways
}

/// The operands that a branch hands to a successor.
fn handed(ir: &Ir, branch: Op, successor: usize) -> Option<Range<usize>> {
    let hook = ir.def(branch)?.hooks.successor_operands?;
    Some(hook(ir, branch, successor))
}

/// Takes argument `index` out of what the branches on some ways to a block hand over.
fn remove_incoming(ir: &mut Ir, ways: &[(Op, usize)], index: usize) {
    // A later successor's operands stand behind those of an earlier one.
    for &(branch, successor) in ways.iter().rev() {
        if let Some(handed) = handed(ir, branch, successor) {
            ir.remove_operand(branch, handed.start + index);
            shrink_segment(ir, branch, successor);
        }
    }
}

/// Counts one operand less for a successor of a conditional branch.
fn shrink_segment(ir: &mut Ir, op: Op, successor: usize) {
    let name = "operandSegmentSizes";
    let Some(sizes) = ir.attr(op, name).and_then(|attr| ir.ctx.dense_array(attr)) else { return };
    let mut sizes: Vec<i32> = sizes.iter().map(|&size| size as i32).collect();
    // The predicate comes in front of the successors' operands.
    if let Some(size) = sizes.get_mut(successor + 1) {
        *size -= 1;
    }
    let attr = ir.ctx.i32_array_attr(&sizes);
    ir.set_attr(op, name, attr);
}

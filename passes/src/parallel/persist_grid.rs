//! A loop that persists in a grid whose blocks wait for each other: which can, and its barriers.
//!
//! All blocks execute the loop; they share the iterations of each parallel loop in turns, and what stands between is done by each, as
//! long as nobody sees how often.
//! A barrier of the grid stands between two phases of which one touches what the other changes, and at the end of each
//! round of a loop.

use gpuc_dialects::offload::mapping::{
    Axis, DimMap, Distribution, LoopMapping, MAPPING_ATTR, Size,
};
use gpuc_dialects::offload::{
    GridBarrierOp, PERSISTENT_ATTR, RegionOp, ResidentGridOp, SCHEDULE_ATTR,
};
use gpuc_ir::op::Traits;
use gpuc_ir::{Block, Builder, Ir, Op, OpView, Value, WalkOrder};

use super::persist_loops::NAME;
use super::segments::{has_effects, has_parallel_loop, meet};
use crate::steps::refusal::Refusal;

/// Refuses a loop that blocks of a grid cannot share.
pub fn check(ir: &Ir, op: Op, parallel: &[Op]) -> Result<(), Refusal> {
    let is_around = |nest: Op, outer: Op| outer != nest && ir.is_inside(nest, outer);
    let depth = |nest: Op| parallel.iter().filter(|&&outer| is_around(nest, outer)).count();
    if let Some(&at) = parallel.iter().find(|&&nest| depth(nest) > 1) {
        let rule = "its parallel loops are deeper than one in another";
        return Err(Refusal::new(NAME, at, rule));
    }
    let combines = |&&nest: &&Op| depth(nest) == 0 && !ir.results(nest).is_empty();
    if let Some(&at) = parallel.iter().find(combines) {
        let rule = "a parallel loop combines values, which no block of a grid has alone";
        return Err(Refusal::new(NAME, at, rule));
    }
    let is_around = |inner: Op| has_parallel_loop(ir, inner) || inner == op;
    let is_of_step = |inner: Op| !parallel.iter().any(|&nest| ir.is_inside(inner, nest));
    let nested = ir.nested_ops(op, WalkOrder::PreOrder).into_iter();
    let mut between = nested.filter(|&inner| is_of_step(inner) && !is_around(inner));
    if let Some(at) = between.find(|&inner| has_effects(ir, inner)) {
        let rule = "what one thread does between its parallel loops, each block of a grid would do";
        return Err(Refusal::new(NAME, at, rule));
    }
    Ok(())
}

/// Asks in front of a region for a grid whose blocks wait for each other: the word by which they do, and their number.
pub fn ask(ir: &mut Ir, region: RegionOp, (blocks, threads): (i64, i64)) -> (Value, Value) {
    let mut b = Builder::before(ir, region.op());
    let word = b.ctx.i32();
    let (word, index) = (b.ctx.memref(&[], word), b.ctx.index());
    let (threads, most) = (b.ctx.i64_attr(threads), b.ctx.i64_attr(blocks));
    let grid = ResidentGridOp::new(&mut b)
        .result(word)
        .result(index)
        .attr(&mut b, "threads", threads)
        .attr(&mut b, "most", most)
        .build(&mut b);
    (b.result(grid, 0), b.result(grid, 1))
}

/// Marks a loop, gives the iterations of its parallel loops to the threads of a grid, and lets blocks wait for each other.
pub fn mark(ir: &mut Ir, op: Op, word: Value, threads: i64) {
    for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
        if !ir.has_trait(inner, Traits::PARALLEL_LOOP) {
            continue;
        }
        let mapping = LoopMapping(mapping(ir, inner, threads));
        let attr = mapping.attr(&mut ir.ctx);
        ir.set_attr(inner, MAPPING_ATTR, attr);
        ir.remove_attr(inner, SCHEDULE_ATTR);
    }
    let unit = ir.ctx.unit_attr();
    ir.set_attr(op, PERSISTENT_ATTR, unit);
    wait_in_rounds(ir, op, word);
}

/// Who executes a parallel loop: rows in turns the blocks, what a row has in turns the threads, be it the last dimension or a loop
/// inside. Iterations counted as one would be divided into both for each of them, which takes longer than most do.
fn mapping(ir: &Ir, op: Op, threads: i64) -> Vec<DimMap> {
    let dims = ir.arguments(ir.body(op, 0)).len();
    let (block, thread) =
        ((Axis::Block(0), Size::Free), (Axis::Thread(0), Size::Constant(threads)));
    let how = Distribution::Strided;
    let counted = |axis, dims| DimMap { axes: vec![axis], how, dims };
    let is_parallel = |at: Op| ir.has_trait(at, Traits::PARALLEL_LOOP);
    let nested = ir.nested_ops(op, WalkOrder::PreOrder).into_iter();
    if ir.ancestors(op).any(is_parallel) {
        vec![counted(thread, dims)]
    } else if nested.filter(|&inner| inner != op).any(is_parallel) {
        vec![counted(block, dims)]
    } else if dims == 1 {
        vec![DimMap::over(&[block, thread], how)]
    } else {
        vec![counted(block, dims - 1), counted(thread, 1)]
    }
}

/// Puts barriers into the blocks of a loop or conditional round parallel loops.
fn wait_in_rounds(ir: &mut Ir, op: Op, word: Value) {
    let blocks = ir.regions(op).iter().flat_map(|&region| ir.blocks(region).to_vec());
    for block in blocks.collect::<Vec<_>>() {
        let waiting = wait_between(ir, block, word);
        let end = ir.terminator(block).filter(|_| waiting);
        if let Some(end) = end {
            wait(ir, end, word);
        }
    }
}

/// Puts barriers between the phases of a block; whether something has been done since the last of them.
fn wait_between(ir: &mut Ir, block: Block, word: Value) -> bool {
    let mut since: Vec<Op> = Vec::new();
    for op in ir.ops(block).collect::<Vec<_>>() {
        let is_phase = ir.has_trait(op, Traits::PARALLEL_LOOP) || !has_parallel_loop(ir, op);
        if is_phase && ir.is_effect_free(op) {
            continue;
        }
        let touches = |&other: &Op| !is_phase || meet(ir, other, op);
        if since.iter().any(touches) {
            wait(ir, op, word);
            since.clear();
        }
        match is_phase {
            true => since.push(op),
            false => wait_in_rounds(ir, op, word),
        }
    }
    !since.is_empty()
}

fn wait(ir: &mut Ir, at: Op, word: Value) {
    let mut b = Builder::before(ir, at);
    GridBarrierOp::new(&mut b, word).build(&mut b);
}

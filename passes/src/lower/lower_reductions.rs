//! `lower-reductions`: `gpu.all_reduce` becomes shuffles within warps and one value a warp through
//! shared memory.
//!
//! The lanes of a warp combine in halves (`gpu.shuffle down`); the first one leaves the warp's value;
//! behind one barrier every thread combines those values in the order of the warps, so that all get
//! the same bits, in an order that depends on the size of the block alone. A block of one warp needs
//! neither memory nor barrier. Blocks of any size and shape work: lanes that a warp does not have
//! take no part. A reduction inside a loop meets its own buffer again and ends with a second
//! barrier. The steps are those of Tian et al. 2015, figs. 11 to 13, on warps.

use gpuc_arch::{MAX_THREADS_PER_BLOCK, WARP_SIZE};
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{arith, gpu, memref, scf};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Region, Value, WalkOrder};

use super::shuffle::shuffle;
use crate::parallel::combiner::combine;
use crate::parallel::threads::Processors;

gpuc_ir::pass! {
    /// Turn gpu.all_reduce into shuffles and one value a warp through shared memory.
    LowerReductions = "lower-reductions" on "builtin.module" {
        /// Threads of a block, at most, where its size is not known.
        max_threads: i64 = MAX_THREADS_PER_BLOCK.into(),
    }
}

/// Lanes of a warp.
const LANES: i64 = WARP_SIZE as i64;

impl Pass for LowerReductions {
    fn run(&mut self, ir: &mut Ir, module: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for func in ir.nested_ops(module, WalkOrder::PreOrder) {
            if !gpu::GPUFuncOp::is(ir, func) {
                continue;
            }
            for op in ir.nested_ops(func, WalkOrder::PreOrder) {
                if let Some(reduce) = gpu::AllReduceOp::cast(ir, op)
                    && !ir.blocks(reduce.body(ir)).is_empty()
                {
                    lower(ir, func, reduce, self.max_threads);
                }
            }
        }
        Ok(())
    }
}

/// The threads of a block.
#[derive(Clone, Copy)]
struct Block {
    /// How many, if that is known.
    size: Option<i64>,
    /// Warps, at most.
    most_warps: i64,
    /// How many, as a value.
    count: Value,
    /// Number of this thread in its warp, and of the warp in the block.
    lane: Value,
    warp: Value,
}

impl Block {
    fn read(b: &mut Builder<'_>, func: Op, max_threads: i64) -> Block {
        let size = Processors::of(b, func).extents.block_size();
        let (number, count) = Processors::of(b, func).thread(b);
        let lanes = arith::constant_index(b, LANES);
        let lane = arith::RemUIOp::new(b, number, lanes).value(b);
        let warp = arith::DivUIOp::new(b, number, lanes).value(b);
        let most_warps = (size.unwrap_or(max_threads).max(1) - 1) / LANES + 1;
        Block { size, most_warps, count, lane, warp }
    }

    /// Lanes of this thread's warp; `None` where it is whole.
    fn lanes(&self, b: &mut Builder<'_>) -> Option<Value> {
        if self.size.is_some_and(|size| size % LANES == 0) {
            return None;
        }
        let lanes = arith::constant_index(b, LANES);
        let before = arith::MulIOp::new(b, self.warp, lanes).value(b);
        let left = arith::SubIOp::new(b, self.count, before).value(b);
        Some(arith::MinSIOp::new(b, left, lanes).value(b))
    }
}

fn lower(ir: &mut Ir, func: Op, reduce: gpu::AllReduceOp, max_threads: i64) {
    let (value, combiner) = (reduce.value(ir), reduce.body(ir));
    let ty = ir.ty(value);
    let comes_again = ir.ancestors(reduce.0).any(|outer| ir.is_loop(outer));
    let mut b = Builder::before(ir, reduce.0);
    let block = Block::read(&mut b, func, max_threads);
    let of_warp = combine_lanes(&mut b, &block, value, combiner);
    if block.most_warps == 1 {
        let zero = arith::constant_index(&mut b, 0);
        let result = shuffle(&mut b, "idx", of_warp, zero, LANES);
        ir.replace_op(reduce.0, &[result]);
        return;
    }
    let workgroup = gpu::AddressSpace::Workgroup.attr(&mut b.ctx);
    let buffer_ty = b.ctx.memref_in(&[block.most_warps], ty, None, Some(workgroup));
    let buffer = gpu::GPUFuncOp(func).add_workgroup_buffer(&mut b, buffer_ty);
    let zero = arith::constant_index(&mut b, 0);
    let is_first = arith::compare(&mut b, arith::CmpIPredicate::Eq, block.lane, zero);
    let then = b.region(&[], |b, _| {
        memref::StoreOp::new(b, of_warp, buffer, &[block.warp]).build(b);
        scf::YieldOp::new(b, &[]).build(b);
    });
    scf::IfOp::new(&mut b, is_first).region(then).build(&mut b);
    gpu::BarrierOp::new(&mut b, &[]).build(&mut b);
    let result = combine_warps(&mut b, &block, buffer, combiner);
    if comes_again {
        // Nobody writes to the buffer again before everybody has read it.
        gpu::BarrierOp::new(&mut b, &[]).build(&mut b);
    }
    ir.replace_op(reduce.0, &[result]);
}

/// The first lane's result is that of the warp; those of the others mean nothing.
fn combine_lanes(b: &mut Builder<'_>, block: &Block, value: Value, combiner: Region) -> Value {
    let lanes = block.lanes(b);
    let mut value = value;
    let mut distance = LANES / 2;
    while distance > 0 {
        let step = arith::constant_index(b, distance);
        let other = shuffle(b, "down", value, step, LANES);
        value = match lanes {
            None => combine(b, combiner, value, other),
            Some(lanes) => {
                let partner = arith::AddIOp::new(b, block.lane, step).value(b);
                let exists = arith::compare(b, arith::CmpIPredicate::Slt, partner, lanes);
                combine_if(b, exists, combiner, value, other)
            }
        };
        distance /= 2;
    }
    value
}

/// `value` and `other` combined where a condition holds, else `value`.
fn combine_if(
    b: &mut Builder<'_>,
    condition: Value,
    combiner: Region,
    value: Value,
    other: Value,
) -> Value {
    let ty = b.ty(value);
    let then = b.region(&[], |b, _| {
        let both = combine(b, combiner, value, other);
        scf::YieldOp::new(b, &[both]).build(b);
    });
    let otherwise = b.region(&[], |b, _| {
        scf::YieldOp::new(b, &[value]).build(b);
    });
    let branch = scf::IfOp::new(b, condition).result_group(&[ty]);
    branch.region(then).region(otherwise).value(b)
}

/// The values of all warps combined, from the first to the last.
fn combine_warps(b: &mut Builder<'_>, block: &Block, buffer: Value, combiner: Region) -> Value {
    let zero = arith::constant_index(b, 0);
    let first = memref::LoadOp::new(b, buffer, &[zero]).value(b);
    if block.size.is_some() {
        return (1..block.most_warps).fold(first, |sum, warp| {
            let warp = arith::constant_index(b, warp);
            let other = memref::LoadOp::new(b, buffer, &[warp]).value(b);
            combine(b, combiner, sum, other)
        });
    }
    let (one, lanes) = (arith::constant_index(b, 1), arith::constant_index(b, LANES));
    let warps = arith::CeilDivUIOp::new(b, block.count, lanes).value(b);
    let others = scf::ForOp::create(b, (one, warps, one), &[first], |b, warp, sum| {
        let other = memref::LoadOp::new(b, buffer, &[warp]).value(b);
        vec![combine(b, combiner, sum[0], other)]
    });
    b.result(others.op(), 0)
}

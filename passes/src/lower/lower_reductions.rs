//! `lower-reductions`: `gpu.all_reduce` becomes a tree over shared memory.
//!
//! Every thread leaves its value; then, as long as more than one is left, the lower half of the
//! threads combines with the upper. Blocks of any size work, and the order of combination depends on
//! the size alone. The buffer is free again at the end, so that one serves all reductions of a type.
//! The shape is that of Tian et al. 2015, figs. 11 to 13, with halves rounded up.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{arith, gpu, memref, scf};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Type, Value, WalkOrder};
use rustc_hash::FxHashMap;

use crate::parallel::combiner::combine;
use crate::parallel::threads::Processors;

gpuc_ir::pass! {
    /// Turn gpu.all_reduce into trees over shared memory.
    LowerReductions = "lower-reductions" on "builtin.module" {
        /// Threads of a block, at most, where its size is not known; elements of the buffer.
        max_threads: i64 = gpuc_arch::MAX_THREADS_PER_BLOCK.into(),
    }
}

impl Pass for LowerReductions {
    fn run(&mut self, ir: &mut Ir, module: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for func in ir.nested_ops(module, WalkOrder::PreOrder) {
            if gpu::GPUFuncOp::is(ir, func) {
                self.lower_function(ir, func);
            }
        }
        Ok(())
    }
}

impl LowerReductions {
    fn lower_function(&self, ir: &mut Ir, func: Op) {
        let mut buffers: FxHashMap<Type, Value> = FxHashMap::default();
        let mut processors = Processors::of(ir, func);
        for op in ir.nested_ops(func, WalkOrder::PreOrder) {
            if let Some(reduce) = gpu::AllReduceOp::cast(ir, op)
                && !ir.blocks(reduce.body(ir)).is_empty()
            {
                let ty = ir.ty(reduce.result(ir));
                let buffer = match buffers.get(&ty) {
                    Some(&buffer) => buffer,
                    None => {
                        let workgroup = gpu::AddressSpace::Workgroup.attr(&mut ir.ctx);
                        let size = block_size(ir, func).unwrap_or(self.max_threads);
                        let buffer_ty = ir.ctx.memref_in(&[size], ty, None, Some(workgroup));
                        let buffer = gpu::GPUFuncOp(func).add_workgroup_buffer(ir, buffer_ty);
                        buffers.insert(ty, buffer);
                        buffer
                    }
                };
                lower(ir, reduce, buffer, &mut processors);
            }
        }
    }
}

/// Threads of a block, if they are known.
fn block_size(ir: &Ir, func: Op) -> Option<i64> {
    let sizes = ir.ctx.dense_array(ir.attr(func, "known_block_size")?)?;
    Some(sizes.iter().product())
}

fn lower(ir: &mut Ir, reduce: gpu::AllReduceOp, buffer: Value, processors: &mut Processors) {
    let (value, combiner) = (reduce.value(ir), reduce.body(ir));
    let mut b = Builder::before(ir, reduce.0);
    let (id, count) = processors.thread(&mut b);
    memref::StoreOp::new(&mut b, value, buffer, &[id]).build(&mut b);
    gpu::BarrierOp::new(&mut b).build(&mut b);
    let one = arith::constant_index(&mut b, 1);
    let two = arith::constant_index(&mut b, 2);
    let index = b.ctx.index();
    let before = b.region(&[index], |b, left| {
        let sgt = arith::CmpIPredicate::Sgt.attr(&mut b.ctx);
        let more = arith::CmpIOp::new(b, left[0], one).attr(b, "predicate", sgt).value(b);
        scf::ConditionOp::new(b, more, &[left[0]]).build(b);
    });
    let after = b.region(&[index], |b, left| {
        let up = arith::AddIOp::new(b, left[0], one).value(b);
        let half = arith::DivUIOp::new(b, up, two).value(b);
        let other = arith::AddIOp::new(b, id, half).value(b);
        let slt = arith::CmpIPredicate::Slt.attr(&mut b.ctx);
        let active = arith::CmpIOp::new(b, other, left[0]).attr(b, "predicate", slt).value(b);
        let then = b.region(&[], |b, _| {
            let mine = memref::LoadOp::new(b, buffer, &[id]).value(b);
            let theirs = memref::LoadOp::new(b, buffer, &[other]).value(b);
            let both = combine(b, combiner, mine, theirs);
            memref::StoreOp::new(b, both, buffer, &[id]).build(b);
            scf::YieldOp::new(b, &[]).build(b);
        });
        scf::IfOp::new(b, active).region(then).build(b);
        gpu::BarrierOp::new(b).build(b);
        scf::YieldOp::new(b, &[half]).build(b);
    });
    scf::WhileOp::new(&mut b, &[count])
        .result_group(&[index])
        .region(before)
        .region(after)
        .build(&mut b);
    let zero = arith::constant_index(&mut b, 0);
    let result = memref::LoadOp::new(&mut b, buffer, &[zero]).value(&mut b);
    // Nobody writes to the buffer again before everybody has read the result.
    gpu::BarrierOp::new(&mut b).build(&mut b);
    ir.replace_op(reduce.0, &[result]);
}

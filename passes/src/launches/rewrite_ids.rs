//! `test-gpu-rewrite`: what has no instruction of its own as what has.
//!
//! The position of a thread in the grid is that of its block and its own; shuffles of 64 bits are two of 32, of which the
//! value is valid if both are. After MLIR's pass of that name, which lowers reductions over the block too; ours leaves
//! them to [`lower-reductions`](crate::lower::lower_reductions).

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{arith, gpu, index};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, WalkOrder};

gpuc_ir::pass! {
    /// Write positions in the grid and shuffles of 64 bits with what has instructions.
    TestGpuRewrite = "test-gpu-rewrite" {}
}

impl Pass for TestGpuRewrite {
    fn run(&mut self, ir: &mut Ir, root: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for op in ir.nested_ops(root, WalkOrder::PreOrder) {
            if gpu::GlobalIdOp::is(ir, op) {
                split_global_id(ir, op);
            } else if let Some(view) = gpu::ShuffleOp::cast(ir, op) {
                split_shuffle(ir, view);
            }
        }
        Ok(())
    }
}

/// `block_id * block_dim + thread_id`.
fn split_global_id(ir: &mut Ir, op: Op) {
    let dimension = ir.attr(op, "dimension");
    let mut b = Builder::before(ir, op);
    let block =
        gpu::BlockIdOp::new(&mut b).attr_option(&mut b, "dimension", dimension).value(&mut b);
    let size =
        gpu::BlockDimOp::new(&mut b).attr_option(&mut b, "dimension", dimension).value(&mut b);
    let start = index::MulOp::new(&mut b, block, size).value(&mut b);
    let thread =
        gpu::ThreadIdOp::new(&mut b).attr_option(&mut b, "dimension", dimension).value(&mut b);
    let value = index::AddOp::new(&mut b, thread, start).value(&mut b);
    ir.replace_op(op, &[value]);
}

fn split_shuffle(ir: &mut Ir, view: gpu::ShuffleOp) {
    let op = view.op();
    let (value, offset, width) = (view.value(ir), view.offset(ir), view.width(ir));
    let (ty, mode) = (ir.ty(value), view.mode(ir));
    let float = ir.ctx.is_float(ty);
    let bits = ir.ctx.int_width(ty).or(ir.ctx.float_kind(ty).map(|kind| kind.width()));
    if bits != Some(64) {
        return;
    }
    let (i1, i32, i64) = (ir.ctx.i1(), ir.ctx.i32(), ir.ctx.i64());
    let mut b = Builder::before(ir, op);
    let c32 = arith::constant_int(&mut b, 32, i64);
    let whole = match float {
        true => arith::BitcastOp::new(&mut b, value).result(i64).value(&mut b),
        false => value,
    };
    let low = arith::TruncIOp::new(&mut b, whole).result(i32).value(&mut b);
    let shifted = arith::ShRUIOp::new(&mut b, whole, c32).value(&mut b);
    let high = arith::TruncIOp::new(&mut b, shifted).result(i32).value(&mut b);
    let [(low, low_valid), (high, high_valid)] = [low, high].map(|half| {
        let shuffle = gpu::ShuffleOp::new(&mut b, half, offset, width)
            .attr_option(&mut b, "mode", mode)
            .result(i32)
            .result(i1)
            .build(&mut b);
        (b.result(shuffle, 0), b.result(shuffle, 1))
    });
    let low = arith::ExtUIOp::new(&mut b, low).result(i64).value(&mut b);
    let high = arith::ExtUIOp::new(&mut b, high).result(i64).value(&mut b);
    let high = arith::ShLIOp::new(&mut b, high, c32).value(&mut b);
    let moved = arith::OrIOp::new(&mut b, high, low).value(&mut b);
    let moved = match float {
        true => arith::BitcastOp::new(&mut b, moved).result(ty).value(&mut b),
        false => moved,
    };
    let used = !b.is_unused(b.result(op, 1));
    let valid = match used {
        true => arith::AndIOp::new(&mut b, low_valid, high_valid).value(&mut b),
        false => low_valid,
    };
    ir.replace_op(op, &[moved, valid]);
}

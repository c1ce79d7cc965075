//! `gpu.launch` and the loops it is made from, by the passes that MLIR has for it: names, options and results
//! are upstream's where those are right. The compiler's own way from loops to kernels is `map`, `outline` and
//! `distribute` in [`parallel`](crate::parallel).
//!
//! | module | what |
//! |---|---|
//! | [`affine_loops`] | nests of `affine.for` to launches |
//! | [`map_loops`] | gives `scf.parallel` loops to processors |
//! | [`parallel_loops`] | mapped `scf.parallel` loops to launches |
//! | [`sink_index_computations`] | constants and extents into the kernels that use them |
//! | [`rewrite_ids`] | positions in the grid and wide shuffles by what has instructions |
//! | [`outline_kernels`] | bodies of launches to kernels of a `gpu.module` |

use gpuc_dialects::gpu;
use gpuc_ir::{Builder, Op, OpView, Type, Value};

pub mod affine_loops;
pub mod map_loops;
pub mod outline_kernels;
pub mod parallel_loops;
pub mod rewrite_ids;
pub mod sink_index_computations;

/// Builds a launch that waits for nothing; `body` gets the arguments of its region: the positions of block and
/// thread, the extents of grid and block.
pub fn launch(
    b: &mut Builder<'_>,
    [gx, gy, gz]: [Value; 3],
    [bx, by, bz]: [Value; 3],
    body: impl FnOnce(&mut Builder<'_>, &[Value]),
) -> Op {
    let arguments: Vec<Type> = vec![b.ctx.index(); 12];
    let region = b.region(&arguments, |b, values| {
        body(b, values);
        gpu::TerminatorOp::new(b).build(b);
    });
    gpu::LaunchOp::new(b, &[], gx, gy, gz, bx, by, bz, None, None, None, None)
        .result_group(&[])
        .region(region)
        .build(b)
}

/// The launches in an operation, outermost first.
fn launches(ir: &gpuc_ir::Ir, op: Op) -> Vec<Op> {
    let all = ir.nested_ops(op, gpuc_ir::WalkOrder::PreOrder);
    all.into_iter().filter(|&inner| gpu::LaunchOp::is(ir, inner)).collect()
}

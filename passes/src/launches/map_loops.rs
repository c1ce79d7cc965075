//! `gpu-map-parallel-loops`: gives the dimensions of parallel loops to the processors of the grid.
//!
//! Needs `scf.parallel`. Dimensions of an outermost loop go to blocks (x, y, z, further ones stay sequential), those of
//! loops directly in its body to threads, those of loops deeper in are sequential. What has a `mapping` keeps it. After
//! MLIR's pass of the same name.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::mapping::MAPPING_ATTR;
use gpuc_dialects::scf;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Attr, Ir, Op, OpView, WalkOrder};

gpuc_ir::pass! {
    /// Give parallel loops to blocks and threads.
    GpuMapParallelLoops = "gpu-map-parallel-loops" on "func.func" {}
}

/// The processors of each level, outermost first.
const LEVELS: [&[&str]; 3] =
    [&["block_x", "block_y", "block_z"], &["thread_x", "thread_y", "thread_z"], &[]];

impl Pass for GpuMapParallelLoops {
    fn run(&mut self, ir: &mut Ir, func: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for op in ir.nested_ops(func, WalkOrder::PreOrder) {
            let is_inside = ir.ancestors(op).any(|outer| scf::ParallelOp::is(ir, outer));
            if scf::ParallelOp::is(ir, op) && !is_inside {
                map(ir, op, 0);
            }
        }
        Ok(())
    }
}

/// Gives a loop the processors of a level, and the loops directly in its body those of the next.
pub fn map(ir: &mut Ir, op: Op, level: usize) {
    let view = scf::ParallelOp(op);
    if ir.attr(op, MAPPING_ATTR).is_some() {
        return;
    }
    let processors = LEVELS.get(level).copied().unwrap_or_default();
    let dims = view.induction_vars(ir).len();
    let elements: Vec<Attr> = (0..dims)
        .map(|dim| {
            let processor = processors.get(dim).copied().unwrap_or("sequential");
            let identity = "(d0) -> (d0)";
            let text = format!(
                "loop_dim_map<processor = {processor}, map = {identity}, bound = {identity}>"
            );
            ir.ctx.dialect_attr("gpu", &text)
        })
        .collect();
    let mapping = ir.ctx.array_attr(&elements);
    ir.set_attr(op, MAPPING_ATTR, mapping);
    for inner in ir.ops(view.body(ir)).collect::<Vec<_>>() {
        if scf::ParallelOp::is(ir, inner) {
            map(ir, inner, level + 1);
        }
    }
}

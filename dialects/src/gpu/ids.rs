//! Which thread this is, and of how many.

use gpuc_ir::op;
use gpuc_ir::op::{Fold, attrs, types};
use gpuc_ir::{Attr, Ir, Op, OpView};

use super::attributes::{DIMENSION, DIMENSIONS};
use attrs::INDEX as INDEX_ATTR;
use types::INDEX;

/// `thread_id_x` for `gpu.thread_id x`.
fn dimension_name(ir: &Ir, op: Op, _: usize) -> Option<String> {
    let dimension = DIMENSIONS.number(&ir.ctx, ir.attr(op, "dimension")?)?;
    let name = ir.name(op).strip_prefix("gpu.")?;
    Some(format!("{name}_{}", DIMENSIONS.keywords(dimension)))
}

/// The size of a block or of the grid, where the kernel around knows it.
fn fold_known_size(ir: &mut Ir, op: Op, _: &[Option<Attr>]) -> Fold {
    let name = match ir.name(op) {
        "gpu.block_dim" => "known_block_size",
        "gpu.grid_dim" => "known_grid_size",
        _ => return Fold::None,
    };
    let known = || {
        let dimension = DIMENSIONS.number(&ir.ctx, ir.attr(op, "dimension")?)?;
        let kernel = ir.ancestors(op).find(|&outer| super::GPUFuncOp::is(ir, outer))?;
        let sizes = ir.ctx.dense_array(ir.attr(kernel, name)?)?;
        sizes.get(usize::try_from(dimension).ok()?).copied()
    };
    match known() {
        Some(size) => Fold::one(ir.ctx.index_attr(size)),
        None => Fold::None,
    }
}

macro_rules! by_dimension {
    ($($doc:literal $view:ident = $name:literal;)*) => {$(
        op! {
            #[doc = $doc]
            $view = $name {
                results { result: One INDEX }
                attrs { dimension: Required DIMENSION, upper_bound: Optional INDEX_ATTR }
                traits PURE
                format "` ` $dimension (`upper_bound` $upper_bound^)? attr-dict"
                hooks { result_name: Some(dimension_name), fold: Some(fold_known_size) }
            }
        }
    )*};
}

by_dimension! {
    "Position of the thread in its block." ThreadIdOp = "gpu.thread_id";
    "Position of the block in the grid." BlockIdOp = "gpu.block_id";
    "Threads of a block." BlockDimOp = "gpu.block_dim";
    "Blocks of the grid." GridDimOp = "gpu.grid_dim";
    "Position of the thread in the grid." GlobalIdOp = "gpu.global_id";
    "Position of the cluster in the grid." ClusterIdOp = "gpu.cluster_id";
    "Clusters of the grid." ClusterDimOp = "gpu.cluster_dim";
    "Position of the block in its cluster." ClusterBlockIdOp = "gpu.cluster_block_id";
    "Blocks of a cluster." ClusterDimBlocksOp = "gpu.cluster_dim_blocks";
}

op! {
    /// Position of the thread in its subgroup (warp).
    LaneIdOp = "gpu.lane_id" {
        results { result: One INDEX }
        attrs { upper_bound: Optional INDEX_ATTR }
        traits PURE
        format "(`upper_bound` $upper_bound^)? attr-dict"
    }
}

macro_rules! by_subgroup {
    ($($doc:literal $view:ident = $name:literal;)*) => {$(
        op! {
            #[doc = $doc]
            $view = $name {
                results { result: One INDEX }
                attrs { upper_bound: Optional INDEX_ATTR }
                traits PURE
                format "(`upper_bound` $upper_bound^)? attr-dict `:` type($result)"
            }
        }
    )*};
}

by_subgroup! {
    "Number of the subgroup (warp) in its block." SubgroupIdOp = "gpu.subgroup_id";
    "Subgroups of a block." NumSubgroupsOp = "gpu.num_subgroups";
    "Threads of a subgroup." SubgroupSizeOp = "gpu.subgroup_size";
}

//! Which thread this is, and of how many.

use gpuc_ir::op;
use gpuc_ir::op::{attrs, types};
use gpuc_ir::{Ir, Op};

use super::attributes::{DIMENSION, DIMENSIONS};
use attrs::INDEX as INDEX_ATTR;
use types::INDEX;

/// `thread_id_x` for `gpu.thread_id x`.
fn dimension_name(ir: &Ir, op: Op, _: usize) -> Option<String> {
    let dimension = DIMENSIONS.number(&ir.ctx, ir.attr(op, "dimension")?)?;
    let name = ir.name(op).strip_prefix("gpu.")?;
    Some(format!("{name}_{}", DIMENSIONS.keywords(dimension)))
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
                hooks { result_name: Some(dimension_name) }
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

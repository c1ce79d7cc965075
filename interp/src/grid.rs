//! Grids of blocks of threads.

use gpuc_ir::Op;
use rustc_hash::FxHashMap;

use crate::memory::BufferId;

/// Threads of a subgroup.
pub(crate) const SUBGROUP: usize = 32;

/// The grid that runs.
#[derive(Debug)]
pub(crate) struct Grid {
    /// Blocks: x, y, z.
    pub blocks: [i64; 3],
    /// Threads of a block: x, y, z.
    pub threads: [i64; 3],
    /// Blocks of a cluster: x, y, z.
    pub cluster: [i64; 3],
    /// The dynamic memory of the block that runs, and its size in bytes.
    pub dynamic_memory: Option<(BufferId, i64)>,
    /// Globals in memory of the block that runs.
    pub block_globals: FxHashMap<Op, BufferId>,
}

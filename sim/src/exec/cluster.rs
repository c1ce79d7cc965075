//! Clusters: blocks that run together and see one another's shared memory.
//!
//! The blocks of a cluster run in turns on one worker, as the warps of a block do. A block alone is a
//! cluster of its own. Addresses of other blocks' shared memory lie behind the own block's
//! ([`window::BLOCK`]), so that plain accesses find out by their bounds that they are not their own.

use crate::program::{Inst, Op, window};

use super::block::{Block, BlockState, Environment};
use super::lanes::{LANES, Registers, store};
use super::memory::{MemoryRange, View};
use super::probe::Probe;
use super::warp::{State, Warp};

/// The number of the cluster's barrier where lanes wait, above those of the program.
pub(super) const CLUSTER_BARRIER: u32 = 16;

/// How the blocks of a launch form clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clusters {
    /// Blocks of a cluster, in x, y and z.
    pub(crate) extent: [u32; 3],
    /// Whether the kernel or the launch asked for them.
    pub(crate) explicit: bool,
}

impl Clusters {
    /// Blocks of a cluster.
    pub(crate) fn size(self) -> u64 {
        self.extent.iter().map(|&n| u64::from(n)).product()
    }

    /// Extents of a grid in clusters.
    pub(crate) fn of_grid(self, grid: [u32; 3]) -> [u32; 3] {
        std::array::from_fn(|axis| grid[axis] / self.extent[axis].max(1))
    }

    /// The place in the grid of a cluster's first block.
    fn corner(self, grid: [u32; 3], cluster: u64) -> [u32; 3] {
        let place = Environment::coordinates(self.of_grid(grid), cluster);
        std::array::from_fn(|axis| place[axis] * self.extent[axis])
    }

    /// The linear indices of a cluster's blocks, by rank.
    pub(super) fn blocks(self, grid: [u32; 3], cluster: u64) -> impl Iterator<Item = u64> {
        let corner = self.corner(grid, cluster);
        (0..self.size()).map(move |rank| {
            let inside = Environment::coordinates(self.extent, rank);
            let [x, y, z]: [u64; 3] =
                std::array::from_fn(|axis| u64::from(corner[axis] + inside[axis]));
            x + u64::from(grid[0]) * (y + u64::from(grid[1]) * z)
        })
    }
}

/// Blocks under way together.
pub(super) struct Cluster {
    /// Its number in the launch.
    pub(super) turn: u64,
    pub(super) blocks: Vec<Block>,
}

impl Cluster {
    /// Opens the barrier of the cluster if all threads have arrived; whether they have.
    pub(super) fn open_complete(&mut self, probe: &mut impl Probe) -> bool {
        let sum =
            |of: fn(&BlockState) -> u32| self.blocks.iter().map(|b| of(&b.state)).sum::<u32>();
        let arrived = sum(|state| state.cluster_arrived);
        if arrived == 0 || arrived < sum(|state| state.live) {
            return false;
        }
        let indices: Vec<u64> = self.blocks.iter().map(|block| block.state.index).collect();
        probe.open_cluster(&indices);
        for block in &mut self.blocks {
            block.state.cluster_arrived = 0;
            block.state.cluster_phase = !block.state.cluster_phase;
            for warp in &mut block.warps {
                warp.release(CLUSTER_BARRIER, true, true, 0);
            }
        }
        true
    }
}

/// The lanes of a warp between their arrival at the barrier of the cluster and their wait.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClusterArrivals {
    /// Lanes that have arrived and not waited.
    pending: u32,
    /// The phase in which each has arrived, which is even or odd.
    phase: u32,
}

impl Warp {
    /// Lanes arrive at the barrier of the cluster.
    pub(super) fn cluster_arrive(&mut self, enabled: u32, block: &mut BlockState) {
        let arrivals = &mut self.cluster;
        arrivals.pending |= enabled;
        arrivals.phase = arrivals.phase & !enabled | block.cluster_phase & enabled;
        block.cluster_arrived += enabled.count_ones();
    }

    /// Where lanes wait for the others of the cluster; `None` if those have arrived.
    pub(super) fn cluster_wait(
        &mut self,
        enabled: u32,
        aligned: bool,
        block: &BlockState,
    ) -> Option<State> {
        let arrivals = &mut self.cluster;
        let early = enabled & !(arrivals.phase ^ block.cluster_phase);
        // Who waits without having arrived waits for ever.
        let never = enabled & !arrivals.pending;
        arrivals.pending &= !enabled;
        (early | never != 0).then_some(State::Barrier {
            number: CLUSTER_BARRIER,
            kind: crate::program::BarrierKind::Sync,
            aligned,
            dst: 0,
            enabled,
        })
    }

    /// Lanes exit: those that have arrived in this phase are not counted twice.
    pub(super) fn cluster_exit(&mut self, enabled: u32, block: &mut BlockState) {
        let arrivals = &mut self.cluster;
        let counted = enabled & arrivals.pending & !(arrivals.phase ^ block.cluster_phase);
        arrivals.pending &= !enabled;
        block.cluster_arrived = block.cluster_arrived.saturating_sub(counted.count_ones());
    }
}

/// The window of the shared memory of a cluster's block, and what is behind it.
pub(super) fn shared_of(rank: usize, own: MemoryRange, pointer: *mut u8) -> MemoryRange {
    MemoryRange { base: (rank as u64 + 1) * window::BLOCK, pointer, ..own }
}

/// The rank of the block that an address in shared memory names, if it names one.
pub(crate) fn rank_of(address: u64) -> Option<usize> {
    (address / window::BLOCK).checked_sub(1).map(|rank| rank as usize)
}

/// Runs `mapa` and `getctarank`.
pub(super) fn execute(registers: &mut Registers, view: &View<'_>, inst: &Inst, mask: u32) {
    // The window that tells a generic address stays.
    const INSIDE: u64 = window::SIZE - 1;
    match inst.op {
        Op::MapRank { wide } => {
            let ranks = *registers.narrow(inst.src[1]);
            let mapped: [u64; LANES] = std::array::from_fn(|lane| {
                let address = registers.address(inst.src[0], 0, !wide, lane);
                let offset = address & (window::BLOCK - 1);
                // A rank that there is not leads outside.
                let rank = u64::from(ranks[lane].min(254));
                (address & !INSIDE) | ((rank + 1) * window::BLOCK) | offset
            });
            match wide {
                true => store(registers, inst.dst, mask, &mapped),
                false => store(registers, inst.dst, mask, &mapped.map(|address| address as u32)),
            }
        }
        Op::RankOf { wide } => {
            let ranks: [u32; LANES] = std::array::from_fn(|lane| {
                let address = registers.address(inst.src[0], 0, !wide, lane);
                rank_of(address & INSIDE).unwrap_or(view.rank) as u32
            });
            store(registers, inst.dst, mask, &ranks);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_blocks_of_all_clusters_are_those_of_the_grid() {
        for (grid, extent) in
            [([8, 1, 1], [2, 1, 1]), ([4, 6, 2], [2, 3, 1]), ([3, 2, 4], [1, 2, 4])]
        {
            let clusters = Clusters { extent, explicit: true };
            let blocks: u64 = grid.iter().map(|&n| u64::from(n)).product();
            let mut seen: Vec<u64> = (0..blocks / clusters.size())
                .flat_map(|cluster| clusters.blocks(grid, cluster))
                .collect();
            assert_eq!(seen.len() as u64, blocks);
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len() as u64, blocks, "{grid:?} by {extent:?}");
            assert_eq!(seen.last(), Some(&(blocks - 1)));
        }
    }
}

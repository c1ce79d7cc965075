//! The registers that a warp starts with: constants, addresses, special registers.

use crate::exec::{Clusters, Row};
use crate::launch::Launch;
use crate::module::Kernel;
use crate::program::{Initial, Special};
use crate::simulator::Simulator;

impl Simulator {
    /// Register rows with every constant that all warps of a launch share.
    pub(crate) fn template(
        &self,
        kernel: &Kernel,
        launch: &Launch<'_>,
        shared_bytes: u64,
        addresses: &[u64],
        workspace: u64,
        clusters: Clusters,
    ) -> Vec<Row> {
        // One spare row, so that a 64-bit access of the last row stays inside.
        let mut rows = vec![Row::ZERO; kernel.code().rows as usize + 1];
        let threads: u32 = launch.block.iter().product();
        for &(row, initial) in &kernel.code().initial {
            let row = row as usize;
            let mut wide = |value: u64| {
                for (half, out) in rows[row..row + 2].iter_mut().enumerate() {
                    // Lane 0's low word comes first: 64-bit lanes in the host's order.
                    let words = [value as u32, (value >> 32) as u32];
                    *out = Row(std::array::from_fn(|i| words[(half * 32 + i) % 2]));
                }
            };
            let value = match initial {
                Initial::B32(value) => value,
                Initial::B64(value) => {
                    wide(value);
                    continue;
                }
                Initial::Variable(index, offset) => {
                    wide(addresses[index as usize].wrapping_add_signed(offset));
                    continue;
                }
                Initial::Special(Special::LaneId) => {
                    rows[row] = Row(std::array::from_fn(|lane| lane as u32));
                    continue;
                }
                Initial::Special(
                    special @ (Special::LaneMaskEq
                    | Special::LaneMaskLe
                    | Special::LaneMaskLt
                    | Special::LaneMaskGe
                    | Special::LaneMaskGt),
                ) => {
                    rows[row] = Row(std::array::from_fn(|lane| lane_mask(special, lane as u32)));
                    continue;
                }
                Initial::Special(special) => match special {
                    Special::Ntid(axis) => launch.block[axis as usize],
                    Special::Nctaid(axis) => launch.grid[axis as usize],
                    Special::NumWarps => threads.div_ceil(self.arch.limits.warp_size),
                    Special::TotalSharedSize => shared_bytes as u32,
                    Special::DynamicSharedSize => launch.dynamic_shared_bytes,
                    Special::NumSm => self.arch.chip.sm_count,
                    Special::NumClusters(axis) => clusters.of_grid(launch.grid)[axis as usize],
                    Special::ClusterExtent(axis) => clusters.extent[axis as usize],
                    Special::ClusterSize => clusters.size() as u32,
                    Special::Workspace(half) => (workspace >> (32 * half)) as u32,
                    _ => 0,
                },
            };
            rows[row] = Row([value; 32]);
        }
        rows
    }
}

fn lane_mask(special: Special, lane: u32) -> u32 {
    let bit = 1u32 << lane;
    match special {
        Special::LaneMaskEq => bit,
        Special::LaneMaskLt => bit - 1,
        Special::LaneMaskLe => bit | (bit - 1),
        Special::LaneMaskGe => !(bit - 1),
        _ => !(bit | (bit - 1)),
    }
}

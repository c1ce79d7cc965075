//! What a kernel costs: counts and a device in, time and what bounds it out.
//!
//! A pure function over numbers, so that the simulator can price what it has counted and a compiler
//! what it has worked out. [`KernelWork`] is what is known of a launch; [`Arch::price`] answers with
//! an [`Estimate`].
//!
//! The model. A warp goes through its instructions; some hold a pipe, some the memory system, and for
//! some results it waits. All warps of a multiprocessor are customers of the same stations (issue
//! slots, pipes, load/store unit, its share of the second-level cache and of DRAM), so that the time
//! of a wave of blocks follows from what a warp needs of each station, from the time that a warp
//! takes when it is alone (which holds its latencies and its instruction-level parallelism), and
//! from how many warps there are (`network`). Barriers cut a warp's life into phases: within a
//! phase only the warps of one block are together, and blocks overlap with one another. Waves of
//! blocks follow one another, the last one may be thin. Atomics on one line are done one by one, and so are
//! the starts of blocks.
//!
//! No constant in here is fitted: those of devices stand in the table, each with its source.

mod estimate;
mod network;
mod resource;
mod work;

pub use estimate::{Bound, Estimate};
pub use resource::Resource;
pub use work::{Demand, KernelWork, Phase};

use crate::{Arch, OpClass};

/// Bytes a clock that a multiprocessor takes from the second-level cache at most (Volta to Hopper:
/// one sector pair a clock; RRZE's gpu-l2-cache with few blocks).
const L2_BYTES_PER_SM: f64 = 64.0;

/// What a wave takes.
struct Wave {
    clocks: f64,
    /// Of them, what barriers cost.
    barriers: f64,
}

impl Arch {
    /// Clocks of each resource that a warp's demand holds, when `active` multiprocessors share the
    /// chip; in the order of [`Resource::ALL`].
    fn station_clocks(&self, demand: &Demand, active: f64) -> [f64; Resource::ALL.len()] {
        let mut clocks = [0.0; Resource::ALL.len()];
        for class in OpClass::ALL {
            let count = demand.ops[class as usize];
            if count == 0.0 {
                continue;
            }
            let cost = self.cost(class);
            clocks[Resource::Issue as usize] +=
                count * f64::from(cost.instructions) / f64::from(self.throughput.issue);
            for (held, of_pipe) in clocks.iter_mut().zip(cost.pipes) {
                *held += count * f64::from(of_pipe);
            }
        }
        if self.throughput.f32_shares_int {
            let lanes = f64::from(self.throughput.int / self.throughput.f32);
            clocks[Resource::Fma as usize] += clocks[Resource::Alu as usize] * lanes;
        }
        let l2 = (f64::from(self.chip.l2_bytes_per_clock) / active).min(L2_BYTES_PER_SM);
        clocks[Resource::Lsu as usize] += demand.lsu_clocks;
        clocks[Resource::L2 as usize] += demand.l2_bytes / l2;
        clocks[Resource::Dram as usize] +=
            demand.dram_bytes * active / self.chip.dram_bytes_per_clock();
        clocks
    }

    /// Clocks for which a demand holds a resource, on a multiprocessor of a device at work everywhere.
    pub fn clocks_of(&self, demand: &Demand, resource: Resource) -> f64 {
        self.station_clocks(demand, f64::from(self.chip.sm_count))[resource as usize]
    }

    /// The time of `resident` blocks that start together on each of `active` multiprocessors.
    fn wave(&self, work: &KernelWork, resident: u32, active: f64) -> Wave {
        let warps = work.threads.div_ceil(self.limits.warp_size);
        let stations: Vec<_> =
            work.phases.iter().map(|phase| self.station_clocks(&phase.demand, active)).collect();
        let thinking =
            |at: usize| (work.phases[at].alone - stations[at].iter().sum::<f64>()).max(0.0);
        // A place is empty from the end of a block until the next one's first instruction.
        let turnover = f64::from(self.chip.turnover_clocks);
        if let [_] = work.phases[..] {
            let clocks = network::round(&stations[0], thinking(0) + turnover, warps * resident);
            return Wave { clocks, barriers: 0.0 };
        }
        // Phases of one block exclude each other; other blocks fill what it leaves idle.
        let mut alone = turnover;
        let mut sums = [0.0; Resource::ALL.len()];
        let mut whole = turnover;
        for (at, phase) in work.phases.iter().enumerate() {
            alone += network::round(&stations[at], thinking(at), warps);
            alone += phase.barriers * f64::from(self.latency.barrier);
            whole += thinking(at);
            sums.iter_mut().zip(stations[at]).for_each(|(sum, clocks)| *sum += clocks);
        }
        let busiest = sums.iter().fold(0.0f64, |most, &clocks| most.max(clocks));
        let of_block = busiest * f64::from(warps);
        let clocks = network::round(&[of_block], (alone - of_block).max(0.0), resident);
        let without = network::round(&sums, whole, warps * resident);
        Wave { clocks, barriers: (clocks - without).max(0.0) }
    }

    /// Prices a launch on this device. An empty grid or a block that does not fit costs the launch
    /// alone.
    pub fn price(&self, work: &KernelWork) -> Estimate {
        let occupancy = self.occupancy(work.threads, work.registers, work.shared_bytes);
        let launch = f64::from(self.chip.launch_us) * 1e-6;
        let hertz = f64::from(self.chip.clock_mhz) * 1e6;
        let mut out = Estimate {
            clocks: 0.0,
            seconds: launch,
            bound: Bound::Launch,
            utilization: [0.0; Resource::ALL.len()],
            occupancy,
            achieved_warps: 0.0,
            waves: 0.0,
            tail_clocks: 0.0,
            barrier_clocks: 0.0,
        };
        if occupancy.blocks == 0 || work.blocks == 0 || work.phases.is_empty() {
            return out;
        }
        let multiprocessors = u64::from(self.chip.sm_count);
        let per_wave = multiprocessors * u64::from(occupancy.blocks);
        let full = work.blocks / per_wave;
        let rest = work.blocks % per_wave;
        let mut warp_clocks = 0.0;
        let warps = f64::from(work.threads.div_ceil(self.limits.warp_size));
        if full > 0 {
            let wave = self.wave(work, occupancy.blocks, multiprocessors as f64);
            out.clocks += full as f64 * wave.clocks;
            out.barrier_clocks += full as f64 * wave.barriers;
            warp_clocks += out.clocks * warps * f64::from(occupancy.blocks);
        }
        if rest > 0 {
            let active = rest.min(multiprocessors) as f64;
            let resident = rest.div_ceil(multiprocessors) as u32;
            let wave = self.wave(work, resident, active);
            let even = self.wave(work, occupancy.blocks, multiprocessors as f64).clocks
                * rest as f64
                / per_wave as f64;
            out.clocks += wave.clocks;
            out.barrier_clocks += wave.barriers;
            out.tail_clocks = (wave.clocks - even).max(0.0);
            warp_clocks += wave.clocks * warps * rest as f64 / multiprocessors as f64;
        }
        let before = out.clocks;
        let atomics = work.atomic_clocks;
        let starts = work.blocks as f64 * f64::from(self.chip.block_clocks);
        let blocks = work.blocks.min(per_wave) as f64;
        let barriers = work.grid_barriers * self.chip.grid_barrier_clocks(blocks);
        out.barrier_clocks += barriers;
        out.clocks = out.clocks.max(atomics).max(starts) + barriers;
        out.seconds = launch + out.clocks / hertz;
        out.waves = work.blocks as f64 / per_wave as f64;
        if out.clocks <= 0.0 {
            return out;
        }
        let mut total = Demand::default();
        work.phases.iter().for_each(|phase| total.add(&phase.demand, 1.0));
        let each = self.station_clocks(&total, multiprocessors as f64);
        let warps_per_sm = work.blocks as f64 * warps / multiprocessors as f64;
        for (share, clocks) in out.utilization.iter_mut().zip(each) {
            *share = (clocks * warps_per_sm / out.clocks).min(1.0);
        }
        out.achieved_warps = warp_clocks / before.max(1.0);
        out.bound = if atomics >= before.max(starts) {
            Bound::Atomics
        } else if starts >= before {
            Bound::Starts
        } else {
            self.bound(work, &out)
        };
        if launch > out.seconds / 2.0 {
            out.bound = Bound::Launch;
        }
        out
    }

    /// What bounds a launch that neither itself, nor atomics, nor the starts of blocks bound.
    fn bound(&self, work: &KernelWork, estimate: &Estimate) -> Bound {
        let busiest = estimate.busiest();
        if estimate.share(busiest) >= Estimate::BUSY {
            Bound::Resource(busiest)
        } else if work.blocks < u64::from(self.chip.sm_count)
            || estimate.tail_clocks > 0.25 * estimate.clocks
        {
            Bound::Grid
        } else if estimate.barrier_clocks > 0.25 * estimate.clocks {
            Bound::Barriers
        } else {
            Bound::Latency
        }
    }
}

#[cfg(test)]
mod tests;

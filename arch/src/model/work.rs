//! What goes into the model. Numbers only: whoever knows or guesses them can ask for a price.
//!
//! | input | from a run | without one |
//! |---|---|---|
//! | `ops` | instructions issued, by class | instructions of the body times iterations times warps |
//! | `lsu_clocks` | addresses of every access | strides: 1 for consecutive words, else the stride's factor in common with the banks |
//! | `l2_bytes` | misses of a cache model | footprint of a block, in sectors |
//! | `dram_bytes` | misses of a cache model | footprint of a wave, what the wave before left taken off |
//! | `alone` | a scoreboard over a warp's instructions | the chain of dependences: latency of each, the loads of one group once |

use crate::OpClass;

/// What one warp needs of the device, in a phase or in its whole life. Means over the launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// Warp instructions of each class, indexed by `class as usize`.
    pub ops: [f64; OpClass::COUNT],
    /// Clocks of the load/store unit: passes through the banks of shared memory and of the
    /// first-level cache, each of which serves as many lanes as [`crate::Throughput`] says, or the
    /// tags of the cache, four lines a clock, where those take longer.
    pub lsu_clocks: f64,
    /// Bytes to and from the second-level cache, whole sectors.
    pub l2_bytes: f64,
    /// Bytes to and from DRAM.
    pub dram_bytes: f64,
}

impl Default for Demand {
    fn default() -> Self {
        Demand { ops: [0.0; OpClass::COUNT], lsu_clocks: 0.0, l2_bytes: 0.0, dram_bytes: 0.0 }
    }
}

impl Demand {
    /// Adds `times` another demand.
    pub fn add(&mut self, other: &Demand, times: f64) {
        for (sum, count) in self.ops.iter_mut().zip(other.ops) {
            *sum += times * count;
        }
        self.lsu_clocks += times * other.lsu_clocks;
        self.l2_bytes += times * other.l2_bytes;
        self.dram_bytes += times * other.dram_bytes;
    }

    /// Adds warp instructions of a class.
    pub fn count(&mut self, class: OpClass, instructions: f64) {
        self.ops[class as usize] += instructions;
    }
}

/// A part of a warp's life between barriers; equal parts of a loop are one phase.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Phase {
    /// What a warp needs in all passes of the phase together.
    pub demand: Demand,
    /// Clocks that a warp takes for them when it is alone on the device: issue, dependences and
    /// latencies, with what it overlaps itself.
    pub alone: f64,
    /// Barriers that end the phase, in a warp's life.
    pub barriers: f64,
}

/// What is known of a launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelWork {
    /// Blocks of the grid.
    pub blocks: u64,
    /// Threads of a block.
    pub threads: u32,
    /// 32-bit registers of a thread.
    pub registers: u32,
    /// Shared memory of a block in bytes, static and dynamic.
    pub shared_bytes: u32,
    /// The phases; one where there are no barriers.
    pub phases: Vec<Phase>,
    /// Clocks for which atomic operations on global memory hold the part of the second-level cache that has most of
    /// them ([`crate::AtomicClocks`]).
    pub atomic_clocks: f64,
    /// Barriers of the grid that each block comes to.
    pub grid_barriers: f64,
}

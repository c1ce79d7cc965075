//! One record a compute capability: limits, banks, sectors, latencies, throughputs, PTX versions and
//! features.
//!
//! Every number about a device that the compiler, the simulator and the reports use stands here.
//! Limits come from the CUDA C++ Programming Guide ("Compute Capabilities"), throughputs from its
//! table of arithmetic instructions; the reference chip of a capability (its number of
//! multiprocessors, clock, bandwidth, cache sizes) is the data-centre part where there is one.

mod cost;
mod features;
mod occupancy;
mod records;
mod version;

pub use cost::{Cost, OpClass};
pub use features::Feature;
pub use occupancy::{Limiter, Occupancy};
pub use version::PtxVersion;

/// Everything known about one compute capability.
#[derive(Debug, PartialEq)]
pub struct Arch {
    /// Target name as PTX spells it (`sm_90a`).
    pub name: &'static str,
    /// Compute capability times ten (90 for `sm_90` and `sm_90a`).
    pub number: u32,
    /// Whether this is the architecture-specific variant (`a`), whose code runs nowhere else.
    pub specific: bool,
    /// The lowest PTX `.version` that knows this target.
    pub min_ptx: PtxVersion,
    /// The chip that the figures below describe.
    pub reference_chip: &'static str,
    /// Limits a launch must keep.
    pub limits: Limits,
    /// Throughputs in lane results per clock and multiprocessor.
    pub throughput: Throughput,
    /// Latencies in clocks.
    pub latency: Latency,
    /// Caches, DRAM and clock of the reference chip.
    pub chip: Chip,
}

/// Lanes of a warp, on every target.
pub const WARP_SIZE: u32 = 32;

/// Shared-memory banks, on every target.
pub const BANKS: u32 = 32;

/// Width of a bank in bytes, on every target.
pub const BANK_BYTES: u32 = 4;

/// Granule of a global memory access in bytes, on every target.
pub const SECTOR_BYTES: u32 = 32;

/// Shared memory of a block without opting in, in bytes, on every target.
pub const SHARED_PER_BLOCK: u32 = 48 * 1024;

/// Threads of a block at most, on every target.
pub const MAX_THREADS_PER_BLOCK: u32 = 1024;

/// Blocks of a grid at most, in its first dimension, on every target.
pub const MAX_GRID_X: u32 = 0x7fff_ffff;

/// What a launch, a block and a multiprocessor can hold. What is the same on every target is a
/// constant too ([`WARP_SIZE`] and its neighbours), for code that knows no target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Lanes of a warp.
    pub warp_size: u32,
    /// Threads of a block.
    pub max_threads_per_block: u32,
    /// Block extent in x, y and z.
    pub max_block: [u32; 3],
    /// Grid extent in x, y and z.
    pub max_grid: [u32; 3],
    /// Shared memory of a block without opting in, in bytes.
    pub shared_per_block: u32,
    /// Shared memory of a block after opting in, in bytes.
    pub shared_per_block_optin: u32,
    /// Shared memory of a multiprocessor, in bytes.
    pub shared_per_sm: u32,
    /// Shared memory the system keeps for itself in every block, in bytes.
    pub shared_reserved_per_block: u32,
    /// 32-bit registers of a multiprocessor.
    pub registers_per_sm: u32,
    /// 32-bit registers of a block.
    pub registers_per_block: u32,
    /// 32-bit registers of a thread.
    pub registers_per_thread: u32,
    /// Registers are given to a warp in multiples of this.
    pub register_allocation_unit: u32,
    /// Shared memory is given to a block in multiples of this, in bytes.
    pub shared_allocation_unit: u32,
    /// Resident warps of a multiprocessor.
    pub max_warps_per_sm: u32,
    /// Resident blocks of a multiprocessor.
    pub max_blocks_per_sm: u32,
    /// Bytes of kernel parameters.
    pub max_param_bytes: u32,
    /// Constant memory of a module, in bytes.
    pub constant_bytes: u32,
    /// Shared-memory banks.
    pub banks: u32,
    /// Width of a bank in bytes.
    pub bank_bytes: u32,
    /// Granule of a global memory access, in bytes.
    pub sector_bytes: u32,
    /// Cache line, in bytes.
    pub line_bytes: u32,
}

/// Results per clock and multiprocessor, counted in lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throughput {
    /// 16-bit floating add, multiply, fma (each half of a pair counted).
    pub f16: f32,
    /// 32-bit floating add, multiply, fma.
    pub f32: f32,
    /// 64-bit floating add, multiply, fma.
    pub f64: f32,
    /// Reciprocal, root, exponential, logarithm, sine, cosine approximations.
    pub special: f32,
    /// 32-bit integer add, compare, minimum, logic.
    pub int: f32,
    /// 32-bit integer multiply and multiply-add.
    pub int_mul: f32,
    /// 32-bit shift and funnel shift.
    pub shift: f32,
    /// Conversion between 32-bit types.
    pub convert: f32,
    /// Conversion from and to 64-bit types.
    pub convert64: f32,
    /// Population count, bit reverse, find leading bit.
    pub bit_count: f32,
    /// Warp shuffle.
    pub shuffle: f32,
    /// Warp vote.
    pub vote: f32,
    /// Address generation of the load/store units.
    pub load_store: f32,
    /// Warp instructions issued per clock by all schedulers together.
    pub issue: f32,
}

/// Dependent-use latencies in clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latency {
    /// Integer and 32-bit floating pipes.
    pub alu: u32,
    /// 64-bit floating pipe.
    pub f64: u32,
    /// Special function unit.
    pub special: u32,
    /// Shared memory load.
    pub shared: u32,
    /// Load that hits the first-level cache.
    pub l1: u32,
    /// Load that hits the second-level cache.
    pub l2: u32,
    /// Load from device memory.
    pub dram: u32,
    /// Block barrier with all warps present.
    pub barrier: u32,
}

/// The reference chip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chip {
    /// Multiprocessors.
    pub sm_count: u32,
    /// Boost clock in MHz.
    pub clock_mhz: u32,
    /// First-level cache and shared memory together, bytes per multiprocessor.
    pub l1_bytes: u32,
    /// Second-level cache in bytes.
    pub l2_bytes: u64,
    /// DRAM bandwidth in GB/s.
    pub dram_gbs: f32,
    /// Second-level cache bandwidth in bytes per clock for the whole chip.
    pub l2_bytes_per_clock: u32,
    /// Device memory in bytes.
    pub dram_bytes: u64,
}

impl Arch {
    /// The record of a target name (`sm_80`), `None` if it is not one of ours.
    pub fn by_name(name: &str) -> Option<&'static Arch> {
        Self::all().iter().find(|arch| arch.name == name)
    }

    /// Every record, by rising compute capability.
    pub fn all() -> &'static [Arch] {
        &records::ALL
    }

    /// The target used where the user names none.
    pub fn default_target() -> &'static Arch {
        &records::ALL[records::DEFAULT]
    }

    /// Whether code for `other` runs on this device: generic targets run on the same and on newer
    /// capabilities, architecture-specific ones only on their own.
    pub fn runs_code_for(&self, other: &Arch) -> bool {
        if other.specific { self == other } else { other.number <= self.number }
    }

    /// Peak 32-bit floating operations per second of the reference chip (an fma counts two).
    pub fn peak_f32_flops(&self) -> f64 {
        self.peak(self.throughput.f32)
    }

    /// Peak 64-bit floating operations per second of the reference chip (an fma counts two).
    pub fn peak_f64_flops(&self) -> f64 {
        self.peak(self.throughput.f64)
    }

    fn peak(&self, lanes: f32) -> f64 {
        2.0 * f64::from(lanes)
            * f64::from(self.chip.sm_count)
            * f64::from(self.chip.clock_mhz)
            * 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_ordered() {
        let names: Vec<_> = Arch::all().iter().map(|arch| arch.name).collect();
        assert_eq!(
            names,
            [
                "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a",
                "sm_100", "sm_100a", "sm_103", "sm_120"
            ]
        );
        for arch in Arch::all() {
            assert_eq!(Arch::by_name(arch.name), Some(arch));
            assert_eq!(arch.limits.banks * arch.limits.bank_bytes, arch.limits.line_bytes);
            assert!(arch.limits.shared_per_block_optin <= arch.limits.shared_per_sm);
            let Limits { warp_size, banks, bank_bytes, sector_bytes, shared_per_block, .. } =
                arch.limits;
            assert_eq!(
                [warp_size, banks, bank_bytes, sector_bytes, shared_per_block],
                [WARP_SIZE, BANKS, BANK_BYTES, SECTOR_BYTES, SHARED_PER_BLOCK],
                "{}: a constant of every target is not its",
                arch.name
            );
        }
        assert_eq!(Arch::by_name("sm_42"), None);
        assert_eq!(Arch::default_target().name, "sm_75");
    }

    #[test]
    fn code_runs_upwards_only() {
        let get = |name| Arch::by_name(name).unwrap_or_else(|| panic!("{name}"));
        assert!(get("sm_90").runs_code_for(get("sm_80")));
        assert!(!get("sm_80").runs_code_for(get("sm_90")));
        assert!(get("sm_90a").runs_code_for(get("sm_90")));
        assert!(get("sm_90a").runs_code_for(get("sm_90a")));
        assert!(!get("sm_100").runs_code_for(get("sm_90a")));
    }

    #[test]
    fn peaks_match_the_data_sheets() {
        let h100 = Arch::by_name("sm_90").map(Arch::peak_f32_flops).unwrap_or_default();
        assert!((h100 / 67e12 - 1.0).abs() < 0.02, "{h100}");
        let v100 = Arch::by_name("sm_70").map(Arch::peak_f64_flops).unwrap_or_default();
        assert!((v100 / 7.8e12 - 1.0).abs() < 0.02, "{v100}");
    }
}

//! One record a compute capability: limits, banks, sectors, latencies, throughputs, PTX versions and
//! features.
//!
//! Every number about a device that the compiler, the simulator and the reports use stands here.
//! Limits come from the CUDA C++ Programming Guide ("Compute Capabilities"), throughputs from its
//! table of arithmetic instructions. A record has one chip (its number of multiprocessors, clock,
//! bandwidth, cache sizes): that of a capability the data-centre part where there is one, that of a
//! named device ([`Arch::device`]) the device's.

mod chips;
mod cost;
mod features;
mod model;
mod occupancy;
mod offload;
mod records;
mod version;

pub use chips::{AtomicClocks, Chip, MemoryLatency};
pub use cost::{Cost, OpClass};
pub use features::Feature;
pub use model::{Bound, Demand, Estimate, KernelWork, Phase, Resource};
pub use occupancy::{Limiter, Occupancy};
pub use offload::NestWork;
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
    /// Limits a launch must keep.
    pub limits: Limits,
    /// Throughputs in lane results per clock and multiprocessor.
    pub throughput: Throughput,
    /// Latencies inside a multiprocessor, in clocks.
    pub latency: Latency,
    /// The chip: multiprocessors, clock, caches, DRAM.
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

/// Blocks of a grid at most, in its second and third dimension each, on every target.
pub const MAX_GRID_YZ: u32 = 65_535;

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
    /// What a multiprocessor can set aside as shared memory, in KiB, rising; the rest of its memory
    /// is first-level cache.
    pub carveouts_kib: &'static [u32],
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
    /// 32-bit floating minimum and maximum.
    pub min_max: f32,
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
    /// Lanes that arrive at a barrier of their block.
    pub barrier: f32,
    /// Lines to which stores are sent on from the first-level cache.
    pub store_lines: f32,
    /// Lanes of 4 bytes that the first-level cache serves.
    pub load_store: f32,
    /// Lanes of 4 bytes that shared memory serves.
    pub shared: f32,
    /// Bytes of a load from shared memory that a lane gets, where lanes share words.
    pub shared_lane: f32,
    /// Whether half of the single-precision lanes are the integer lanes.
    pub f32_shares_int: bool,
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
    /// Block barrier of one warp; each has its time at the barrier, too ([`Throughput::barrier`]).
    pub barrier: u32,
    /// Reduction over the lanes of a warp.
    pub warp_reduce: u32,
    /// Lanes with the same value.
    pub warp_match: u32,
}

impl Arch {
    /// The record of a target name (`sm_80`), `None` if it is not one of ours.
    pub fn by_name(name: &str) -> Option<&'static Arch> {
        Self::all().iter().find(|arch| arch.name == name)
    }

    /// Every record, by rising compute capability.
    pub fn all() -> &'static [Arch] {
        static ALL: [Arch; records::ALL.len()] = records::ALL;
        &ALL
    }

    /// The record of a device by its name (`a100-80`): that of its capability, with its chip.
    pub fn device(name: &str) -> Option<&'static Arch> {
        chips::DEVICES.iter().find(|(known, _)| *known == name).map(|(_, arch)| arch)
    }

    /// The names of devices, by rising compute capability.
    pub fn devices() -> impl Iterator<Item = &'static str> {
        chips::DEVICES.iter().map(|&(name, _)| name)
    }

    /// The target used where the user names none.
    pub fn default_target() -> &'static Arch {
        &Self::all()[records::DEFAULT]
    }

    /// The target for devices of a compute capability, by its two numbers: their own, or the latest whose code they run; `None`
    /// for those that are older than all targets.
    pub fn for_capability(major: i32, minor: i32) -> Option<&'static Arch> {
        let number =
            u32::try_from(major).ok()?.checked_mul(10)?.checked_add(minor.try_into().ok()?)?;
        let runs = Self::all().iter().filter(|arch| !arch.specific && arch.number <= number);
        runs.max_by_key(|arch| arch.number)
    }

    /// What the simulator stands for where nobody says.
    pub fn default_simulated() -> &'static Arch {
        Self::by_name("sm_90").unwrap_or(Self::default_target())
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

    /// Bytes of first-level cache beside `shared` bytes of shared memory in use, those that the
    /// system keeps among them: the rest of the smallest carve-out that holds them.
    pub fn l1_cache_bytes(&self, shared: u32) -> u32 {
        let carveouts = self.limits.carveouts_kib.iter().map(|kib| kib * 1024);
        let largest = self.limits.shared_per_sm;
        let carveout = carveouts.into_iter().find(|&bytes| bytes >= shared).unwrap_or(largest);
        self.chip.l1_bytes.saturating_sub(carveout)
    }

    /// Memory of a block, in bytes, that this device and all later ones have for a launch that asks for it: code for this one
    /// runs on those.
    pub fn shared_per_block_everywhere(&self) -> u32 {
        let later = Arch::all().iter().filter(|other| other.number >= self.number);
        let optin = later.map(|other| other.limits.shared_per_block_optin);
        optin.min().unwrap_or(0).max(self.limits.shared_per_block)
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
    fn devices_have_the_figures_of_their_capability() {
        for name in Arch::devices() {
            let device = Arch::device(name).unwrap_or_else(|| panic!("{name}"));
            let capability = Arch::by_name(device.name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(device.limits, capability.limits, "{name}");
            let Chip { l2_bytes, l2_knee_bytes, latency, dram_sustained, .. } = device.chip;
            assert!(l2_knee_bytes <= l2_bytes && (0.8..1.0).contains(&dram_sustained), "{name}");
            assert!(latency.l1 < latency.l2 && latency.l2 < latency.dram, "{name}");
        }
        let find = |name| Arch::device(name).unwrap_or_else(|| panic!("{name}"));
        // Of an H100 8 bytes a thread are too few, 12 are enough (measured); of a T4 4 are too few, 8 are not.
        let a_thread = |name| {
            let device = find(name);
            let threads = device.limits.max_warps_per_sm * device.limits.warp_size;
            device.chip.bytes_under_way() / f64::from(threads)
        };
        assert!((8.0..12.0).contains(&a_thread("h100")), "{}", a_thread("h100"));
        assert!((4.0..8.0).contains(&a_thread("t4")), "{}", a_thread("t4"));
        assert_eq!(find("h200").chip.sm_count, 132);
        assert_eq!(find("a40").throughput.load_store, 16.0);
        assert!(Arch::device("sm_80").is_none());
    }

    #[test]
    fn carveouts_leave_the_rest_to_the_cache() {
        for arch in Arch::all() {
            let carveouts = arch.limits.carveouts_kib;
            assert!(carveouts.is_sorted(), "{}", arch.name);
            assert_eq!(carveouts.last().map(|kib| kib * 1024), Some(arch.limits.shared_per_sm));
        }
        let left =
            |name, shared| Arch::by_name(name).map(|arch| arch.l1_cache_bytes(shared) / 1024);
        assert_eq!(left("sm_70", 0), Some(128));
        assert_eq!(left("sm_70", 33 * 1024), Some(64));
        assert_eq!(left("sm_75", 0), Some(64));
        assert_eq!(left("sm_80", 164 * 1024), Some(28));
        assert_eq!(left("sm_90", 200 * 1024), Some(28));
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

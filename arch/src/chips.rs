//! The chips: what differs between products of one compute capability, and between those and the
//! next.
//!
//! Multiprocessors, clocks, sizes and nominal bandwidths are those of NVIDIA's data sheets. What a
//! program gets of them is measured, by the microbenchmarks of RRZE (Friedrich-Alexander-Universität
//! Erlangen-Nürnberg, `gpu-benches`): `gpu-l2-cache` for the second-level cache and its knee,
//! `gpu-stream` for the sustained share of DRAM bandwidth, `gpu-latency` (a pointer chase) for
//! latencies, `gpu-small-kernels` for launches. Starts of blocks were measured on an
//! H100 80GB HBM3 with driver 580: 2^21 empty blocks take 1267 µs, whether they have 32 threads or 512, that is
//! 0.604 ns each, and a copy by blocks of 64 or 128 threads keeps that pace. The life of a thread, the turnover of
//! blocks and atomics were measured there, too (`benches/gpu`). A figure that nobody has published for a chip is that of its nearest relative, and says so.

use crate::{Arch, records};

const KIB: u32 = 1024;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// One chip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chip {
    /// The product.
    pub name: &'static str,
    /// Multiprocessors.
    pub sm_count: u32,
    /// Boost clock in MHz.
    pub clock_mhz: u32,
    /// First-level cache and shared memory together, bytes per multiprocessor.
    pub l1_bytes: u32,
    /// Second-level cache in bytes.
    pub l2_bytes: u64,
    /// Bytes of the second-level cache that it answers from at full speed: beyond, data lie in the
    /// far partition or are evicted early.
    pub l2_knee_bytes: u64,
    /// Measured read bandwidth of the second-level cache in bytes per clock, for the whole chip.
    pub l2_bytes_per_clock: u32,
    /// Nominal DRAM bandwidth in GB/s.
    pub dram_gbs: f32,
    /// The share of it that a copy of large arrays reaches.
    pub dram_sustained: f32,
    /// Device memory in bytes.
    pub dram_bytes: u64,
    /// Latencies of a dependent load.
    pub latency: MemoryLatency,
    /// Bytes that the second-level cache fetches from DRAM at least, where one sector of them is missing.
    pub l2_fetch_bytes: u32,
    /// Clocks of atomic operations in the second-level cache.
    pub atomics: AtomicClocks,
    /// Clocks between the starts of two blocks, anywhere on the chip.
    pub block_clocks: f32,
    /// Clocks from the end of a block to the first instruction of the one that takes its place.
    pub turnover_clocks: u32,
    /// Microseconds from one kernel of a queue to the next when both are empty.
    pub launch_us: f32,
}

/// Clocks from a load to the use of its value, by where it hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLatency {
    /// In the first-level cache.
    pub l1: u32,
    /// In the second-level cache.
    pub l2: u32,
    /// In device memory, misses of the address translation among them.
    pub dram: u32,
}

/// What atomic operations take in one part of the second-level cache, of which each has [`AtomicClocks::BYTES`] of
/// every so many bytes of memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtomicClocks {
    /// A sector of a warp's request with words of 32 bits.
    pub sector: f32,
    /// One with words of 64 bits.
    pub sector64: f32,
    /// Each further lane that meets another one of its warp on one word, of integers.
    pub same_integer: f32,
    /// Of floating-point numbers.
    pub same_float: f32,
}

impl AtomicClocks {
    /// Bytes that follow one another in one part.
    pub const BYTES: u64 = 512;
}

impl Chip {
    /// Bytes a clock that a copy of large arrays reaches.
    pub fn dram_bytes_per_clock(&self) -> f64 {
        f64::from(self.dram_gbs) * f64::from(self.dram_sustained) * 1e3 / f64::from(self.clock_mhz)
    }

    /// Ways to the second-level cache and back that a barrier of a grid takes, besides what blocks that arrive at one word wait for
    /// each other there: what was written gets there, the block arrives, looks until the last has come, and loads anew what its first-level cache
    /// had. Barriers of this kind take 1.2 to 1.6 us on an H100 with 132 blocks, as those of cooperative groups do (how they are
    /// measured: Zhang, Wahib, Zhang and Matsuoka, "A study of single and multi-device synchronization methods in Nvidia GPUs", IPDPS
    /// 2020); this makes 1.23 us of it. Not yet measured by ourselves.
    pub const GRID_BARRIER_TRIPS: f64 = 8.0;

    /// Clocks of a barrier of a grid of so many blocks, one on each multiprocessor.
    pub fn grid_barrier_clocks(&self, blocks: f64) -> f64 {
        Self::GRID_BARRIER_TRIPS * f64::from(self.latency.l2)
            + blocks * f64::from(self.atomics.sector)
    }

    /// Bytes that threads which load once, and end, must have under way on each multiprocessor so that memory is busy
    /// (Little 1961: bytes a clock times the clocks that each is under way, here the whole life of its thread).
    pub fn bytes_under_way(&self) -> f64 {
        let life = LIFE * f64::from(self.latency.dram);
        self.dram_bytes_per_clock() / f64::from(self.sm_count) * life
    }
}

const fn latency(l1: u32, l2: u32, dram: u32) -> MemoryLatency {
    MemoryLatency { l1, l2, dram }
}

/// Life of a thread that loads once, in latencies of memory: its block starts, it finds its place, waits for memory that is
/// busy, stores, and its block's last thread ends. Of an H100: 2048 threads a multiprocessor with 8 bytes each (a star of five floats, by blocks
/// of 64x4) move 2057 GB/s, which are 2080 clocks; 12 bytes each move 2730 GB/s, all that there is, which 2350 clocks would
/// still allow (benches/RESULTS.md). Nobody has published those of other chips.
const LIFE: f64 = 3.0;

/// Clocks between the starts of blocks on an H100; nobody has published those of other chips.
const BLOCK_CLOCKS: f32 = 1.2;

/// Clocks from one block to the next in its place, on an H100: 2^17 empty blocks of 1024 threads, two of them on a
/// multiprocessor, take 114.1 µs with the launch, which is 445 clocks each, of which their own instructions take some 30.
const TURNOVER_CLOCKS: u32 = 415;

/// On an H100, whose every launch was of 2^19 additions: 32 words of one line, 43.0 µs, are 5.2 clocks a request and
/// 1.3 for each of its sectors, of doubles in two lines 2.35; one lane in each of 32 lines, 51.7 µs, fit 1.4 if
/// four lines are in one part, as 256 doubles in 64 lines do. All lanes on one word take 386 µs, or 1.46 clocks each;
/// floats and doubles 925 µs, or 3.5.
const ATOMICS: AtomicClocks =
    AtomicClocks { sector: 1.4, sector64: 2.4, same_integer: 1.46, same_float: 3.5 };

/// L2: 1775 bytes a clock measured (2048 nominal). Launches: of the A100.
pub(crate) const V100: Chip = Chip {
    name: "V100 SXM2",
    sm_count: 80,
    clock_mhz: 1530,
    l1_bytes: 128 * KIB,
    l2_bytes: 6 * MIB,
    l2_knee_bytes: 6 * MIB,
    l2_bytes_per_clock: 1775,
    dram_gbs: 900.0,
    dram_sustained: 0.90,
    dram_bytes: 32 * GIB,
    latency: latency(28, 212, 430),
    l2_fetch_bytes: 32,
    atomics: ATOMICS,
    block_clocks: BLOCK_CLOCKS,
    turnover_clocks: TURNOVER_CLOCKS,
    launch_us: 2.7,
};
/// Only data-sheet figures; the rest as V100.
pub(crate) const XAVIER: Chip = Chip {
    name: "Xavier",
    sm_count: 8,
    clock_mhz: 1377,
    l2_bytes: 512 << 10,
    l2_knee_bytes: 512 << 10,
    l2_bytes_per_clock: 512,
    dram_gbs: 137.0,
    ..V100
};
/// Latency of caches: Jia et al. 2019 (arXiv 1903.07486); the rest as V100.
pub(crate) const T4: Chip = Chip {
    name: "T4",
    sm_count: 40,
    clock_mhz: 1590,
    l1_bytes: 96 * KIB,
    l2_bytes: 4 * MIB,
    l2_knee_bytes: 4 * MIB,
    l2_bytes_per_clock: 1280,
    dram_gbs: 320.0,
    dram_bytes: 16 * GIB,
    latency: latency(32, 188, 434),
    ..V100
};
/// L2: 3870 bytes a clock up to some 20 MB, 3330 beyond.
pub(crate) const A100_40: Chip = Chip {
    name: "A100 SXM4 40 GB",
    sm_count: 108,
    clock_mhz: 1410,
    l1_bytes: 192 * KIB,
    l2_bytes: 40 * MIB,
    l2_knee_bytes: 25 * MIB,
    l2_bytes_per_clock: 3870,
    dram_gbs: 1555.0,
    dram_sustained: 0.89,
    dram_bytes: 40 * GIB,
    latency: latency(33, 205, 550),
    l2_fetch_bytes: 64,
    atomics: ATOMICS,
    block_clocks: BLOCK_CLOCKS,
    turnover_clocks: TURNOVER_CLOCKS,
    launch_us: 2.7,
};
const A100_80: Chip = Chip {
    name: "A100 SXM4 80 GB",
    dram_gbs: 2039.0,
    dram_sustained: 0.85,
    dram_bytes: 80 * GIB,
    ..A100_40
};
/// Measured on an A40, the same chip.
pub(crate) const A6000: Chip = Chip {
    name: "RTX A6000",
    sm_count: 84,
    clock_mhz: 1800,
    l1_bytes: 128 * KIB,
    l2_bytes: 6 * MIB,
    l2_knee_bytes: 6 * MIB,
    l2_bytes_per_clock: 1536,
    dram_gbs: 768.0,
    dram_sustained: 0.94,
    dram_bytes: 48 * GIB,
    latency: latency(33, 250, 555),
    l2_fetch_bytes: 64,
    atomics: ATOMICS,
    block_clocks: BLOCK_CLOCKS,
    turnover_clocks: TURNOVER_CLOCKS,
    launch_us: 2.1,
};
const A40: Chip = Chip { name: "A40", clock_mhz: 1740, dram_gbs: 696.0, ..A6000 };
/// Only data-sheet figures; the rest as A6000.
pub(crate) const ORIN: Chip = Chip {
    name: "Orin",
    sm_count: 16,
    clock_mhz: 1300,
    l1_bytes: 192 * KIB,
    l2_bytes: 4 * MIB,
    l2_knee_bytes: 4 * MIB,
    l2_bytes_per_clock: 512,
    dram_gbs: 204.8,
    dram_bytes: 32 * GIB,
    ..A6000
};
/// Measured on an L40: 2100 to 2400 bytes a clock from the L2.
pub(crate) const L40S: Chip = Chip {
    name: "L40S",
    sm_count: 142,
    clock_mhz: 2520,
    l1_bytes: 128 * KIB,
    l2_bytes: 96 * MIB,
    l2_knee_bytes: 96 * MIB,
    l2_bytes_per_clock: 2250,
    dram_gbs: 864.0,
    dram_sustained: 0.90,
    dram_bytes: 48 * GIB,
    latency: latency(34, 274, 625),
    l2_fetch_bytes: 64,
    atomics: ATOMICS,
    block_clocks: BLOCK_CLOCKS,
    turnover_clocks: TURNOVER_CLOCKS,
    launch_us: 1.6,
};
const L40: Chip = Chip { name: "L40", clock_mhz: 2490, ..L40S };
const RTX_4090: Chip = Chip {
    name: "RTX 4090",
    sm_count: 128,
    l2_bytes: 72 * MIB,
    l2_knee_bytes: 72 * MIB,
    dram_gbs: 1008.0,
    dram_bytes: 24 * GIB,
    ..L40S
};
/// L2: RRZE has 4900 to 5450 bytes a clock, at full speed up to some 40 of 50 MB; with all threads resident and 16 bytes
/// each under way it is 5170 of 1 MiB, 3890 of 8 and 3750 of 24 (`benches/gpu/memory.cu`, H100 80GB HBM3, as what follows).
/// DRAM: copies by 16 bytes 3010 GB/s (0.90), reading 3135, writing 3290. Loads with 64 bytes or more from lane to lane
/// take as long as if 64 bytes were fetched for each (A100 and later: `cudaLimitMaxL2FetchGranularity`).
/// Latency: of the GH200; launches: of the H200.
pub(crate) const H100: Chip = Chip {
    name: "H100 SXM5",
    sm_count: 132,
    clock_mhz: 1980,
    l1_bytes: 256 * KIB,
    l2_bytes: 50 * MIB,
    l2_knee_bytes: 40 * MIB,
    l2_bytes_per_clock: 3800,
    dram_gbs: 3350.0,
    dram_sustained: 0.90,
    dram_bytes: 80 * GIB,
    latency: latency(32, 280, 685),
    l2_fetch_bytes: 64,
    atomics: ATOMICS,
    block_clocks: BLOCK_CLOCKS,
    turnover_clocks: TURNOVER_CLOCKS,
    launch_us: 2.5,
};
const H100_PCIE: Chip =
    Chip { name: "H100 PCIe", sm_count: 114, clock_mhz: 1755, dram_gbs: 2039.0, ..H100 };
const H200: Chip = Chip { name: "H200", dram_gbs: 4800.0, dram_bytes: 141 * GIB, ..H100 };
/// Only data-sheet figures; the rest as H100.
pub(crate) const B200: Chip = Chip {
    name: "B200",
    sm_count: 148,
    clock_mhz: 1965,
    l2_bytes: 126 * MIB,
    l2_knee_bytes: 126 * MIB,
    l2_bytes_per_clock: 6144,
    dram_gbs: 8000.0,
    dram_bytes: 180 * GIB,
    ..H100
};
/// As B200.
pub(crate) const B300: Chip = Chip { name: "B300", clock_mhz: 1920, dram_bytes: 270 * GIB, ..B200 };
/// Only data-sheet figures; the rest as L40S.
pub(crate) const RTX_5090: Chip = Chip {
    name: "RTX 5090",
    sm_count: 170,
    clock_mhz: 2410,
    l2_bytes_per_clock: 6144,
    dram_gbs: 1792.0,
    dram_bytes: 32 * GIB,
    ..L40S
};

/// The record of a capability with another chip.
const fn with(at: usize, chip: Chip) -> Arch {
    Arch { chip, ..records::ALL[at] }
}

/// Devices by name, which are lower case and without blanks.
pub(crate) static DEVICES: [(&str, Arch); 16] = [
    ("v100", with(0, V100)),
    ("t4", with(2, T4)),
    ("a100-40", with(3, A100_40)),
    ("a100-80", with(3, A100_80)),
    ("a6000", with(4, A6000)),
    ("a40", with(4, A40)),
    ("orin", with(5, ORIN)),
    ("l40s", with(6, L40S)),
    ("l40", with(6, L40)),
    ("rtx4090", with(6, RTX_4090)),
    ("h100", with(7, H100)),
    ("h100-pcie", with(7, H100_PCIE)),
    ("h200", with(7, H200)),
    ("b200", with(9, B200)),
    ("b300", with(11, B300)),
    ("rtx5090", with(12, RTX_5090)),
];

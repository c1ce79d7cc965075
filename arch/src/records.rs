//! The table itself.

use crate::{
    Arch, BANK_BYTES, BANKS, Chip, Latency, Limits, MAX_GRID_X, MAX_THREADS_PER_BLOCK, PtxVersion,
    SECTOR_BYTES, SHARED_PER_BLOCK, Throughput, WARP_SIZE,
};

/// Index of the default target (`sm_75`).
pub(crate) const DEFAULT: usize = 2;

const KIB: u32 = 1024;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// What all capabilities from 7.0 on have in common.
const LIMITS: Limits = Limits {
    warp_size: WARP_SIZE,
    max_threads_per_block: MAX_THREADS_PER_BLOCK,
    max_block: [1024, 1024, 64],
    max_grid: [MAX_GRID_X, 65_535, 65_535],
    shared_per_block: SHARED_PER_BLOCK,
    shared_per_block_optin: 0,
    shared_per_sm: 0,
    shared_reserved_per_block: 0,
    registers_per_sm: 65_536,
    registers_per_block: 65_536,
    registers_per_thread: 255,
    register_allocation_unit: 256,
    shared_allocation_unit: 128,
    max_warps_per_sm: 64,
    max_blocks_per_sm: 32,
    max_param_bytes: 4096,
    constant_bytes: 64 * KIB,
    banks: BANKS,
    bank_bytes: BANK_BYTES,
    sector_bytes: SECTOR_BYTES,
    line_bytes: 128,
};

const VOLTA: Throughput = Throughput {
    f16: 128.0,
    f32: 64.0,
    f64: 32.0,
    special: 16.0,
    int: 64.0,
    int_mul: 64.0,
    shift: 64.0,
    convert: 16.0,
    convert64: 16.0,
    bit_count: 16.0,
    shuffle: 32.0,
    vote: 64.0,
    load_store: 32.0,
    issue: 4.0,
};
const AMPERE: Throughput = Throughput { f16: 256.0, ..VOLTA };
const AMPERE_SMALL: Throughput =
    Throughput { f16: 128.0, f32: 128.0, f64: 2.0, convert: 64.0, convert64: 2.0, ..VOLTA };
const HOPPER: Throughput = Throughput { f16: 256.0, f32: 128.0, f64: 64.0, convert: 64.0, ..VOLTA };

const LATENCY: Latency =
    Latency { alu: 4, f64: 8, special: 18, shared: 23, l1: 33, l2: 200, dram: 450, barrier: 20 };
/// Chips whose 64-bit pipe is a token one.
const LATENCY_SLOW_F64: Latency = Latency { f64: 40, ..LATENCY };

const fn v(major: u8, minor: u8) -> PtxVersion {
    PtxVersion::new(major, minor)
}

/// Limits of a capability by what differs: shared memory of a multiprocessor in KiB, what the
/// system keeps of it for each block, warps and blocks of a multiprocessor, bytes of parameters.
const fn limits(shared_kib: u32, reserved: u32, warps: u32, blocks: u32, params: u32) -> Limits {
    Limits {
        shared_per_sm: shared_kib * KIB,
        shared_per_block_optin: shared_kib * KIB - reserved,
        shared_reserved_per_block: reserved,
        max_warps_per_sm: warps,
        max_blocks_per_sm: blocks,
        max_param_bytes: params,
        ..LIMITS
    }
}

pub(crate) static ALL: [Arch; 13] = [
    Arch {
        name: "sm_70",
        number: 70,
        specific: false,
        min_ptx: v(6, 0),
        reference_chip: "V100 SXM2",
        limits: limits(96, 0, 64, 32, 4096),
        throughput: VOLTA,
        latency: LATENCY,
        chip: Chip {
            sm_count: 80,
            clock_mhz: 1530,
            l1_bytes: 128 * KIB,
            l2_bytes: 6 * MIB,
            dram_gbs: 900.0,
            l2_bytes_per_clock: 2048,
            dram_bytes: 32 * GIB,
        },
    },
    Arch {
        name: "sm_72",
        number: 72,
        specific: false,
        min_ptx: v(6, 1),
        reference_chip: "Xavier",
        limits: limits(96, 0, 64, 32, 4096),
        throughput: Throughput { f64: 2.0, convert64: 2.0, ..VOLTA },
        latency: LATENCY_SLOW_F64,
        chip: Chip {
            sm_count: 8,
            clock_mhz: 1377,
            l1_bytes: 128 * KIB,
            l2_bytes: 512 << 10,
            dram_gbs: 137.0,
            l2_bytes_per_clock: 512,
            dram_bytes: 32 * GIB,
        },
    },
    Arch {
        name: "sm_75",
        number: 75,
        specific: false,
        min_ptx: v(6, 3),
        reference_chip: "T4",
        limits: limits(64, 0, 32, 16, 4096),
        throughput: Throughput { f64: 2.0, convert64: 2.0, load_store: 16.0, ..VOLTA },
        latency: LATENCY_SLOW_F64,
        chip: Chip {
            sm_count: 40,
            clock_mhz: 1590,
            l1_bytes: 96 * KIB,
            l2_bytes: 4 * MIB,
            dram_gbs: 320.0,
            l2_bytes_per_clock: 1280,
            dram_bytes: 16 * GIB,
        },
    },
    Arch {
        name: "sm_80",
        number: 80,
        specific: false,
        min_ptx: v(7, 0),
        reference_chip: "A100 SXM4",
        limits: limits(164, 1024, 64, 32, 4096),
        throughput: AMPERE,
        latency: LATENCY,
        chip: Chip {
            sm_count: 108,
            clock_mhz: 1410,
            l1_bytes: 192 * KIB,
            l2_bytes: 40 * MIB,
            dram_gbs: 1555.0,
            l2_bytes_per_clock: 5120,
            dram_bytes: 40 * GIB,
        },
    },
    Arch {
        name: "sm_86",
        number: 86,
        specific: false,
        min_ptx: v(7, 1),
        reference_chip: "RTX A6000",
        limits: limits(100, 1024, 48, 16, 4096),
        throughput: AMPERE_SMALL,
        latency: LATENCY_SLOW_F64,
        chip: Chip {
            sm_count: 84,
            clock_mhz: 1800,
            l1_bytes: 128 * KIB,
            l2_bytes: 6 * MIB,
            dram_gbs: 768.0,
            l2_bytes_per_clock: 1536,
            dram_bytes: 48 * GIB,
        },
    },
    Arch {
        name: "sm_87",
        number: 87,
        specific: false,
        min_ptx: v(7, 4),
        reference_chip: "Orin",
        limits: limits(164, 1024, 48, 16, 4096),
        throughput: AMPERE_SMALL,
        latency: LATENCY_SLOW_F64,
        chip: Chip {
            sm_count: 16,
            clock_mhz: 1300,
            l1_bytes: 192 * KIB,
            l2_bytes: 4 * MIB,
            dram_gbs: 204.8,
            l2_bytes_per_clock: 512,
            dram_bytes: 32 * GIB,
        },
    },
    Arch {
        name: "sm_89",
        number: 89,
        specific: false,
        min_ptx: v(7, 8),
        reference_chip: "L40S",
        limits: limits(100, 1024, 48, 24, 4096),
        throughput: AMPERE_SMALL,
        latency: LATENCY_SLOW_F64,
        chip: Chip {
            sm_count: 142,
            clock_mhz: 2520,
            l1_bytes: 128 * KIB,
            l2_bytes: 96 * MIB,
            dram_gbs: 864.0,
            l2_bytes_per_clock: 4096,
            dram_bytes: 48 * GIB,
        },
    },
    Arch {
        name: "sm_90",
        number: 90,
        specific: false,
        min_ptx: v(7, 8),
        reference_chip: "H100 SXM5",
        limits: limits(228, 1024, 64, 32, 32764),
        throughput: HOPPER,
        latency: LATENCY,
        chip: Chip {
            sm_count: 132,
            clock_mhz: 1980,
            l1_bytes: 256 * KIB,
            l2_bytes: 50 * MIB,
            dram_gbs: 3350.0,
            l2_bytes_per_clock: 5632,
            dram_bytes: 80 * GIB,
        },
    },
    Arch {
        name: "sm_90a",
        number: 90,
        specific: true,
        min_ptx: v(8, 0),
        reference_chip: "H100 SXM5",
        limits: limits(228, 1024, 64, 32, 32764),
        throughput: HOPPER,
        latency: LATENCY,
        chip: Chip {
            sm_count: 132,
            clock_mhz: 1980,
            l1_bytes: 256 * KIB,
            l2_bytes: 50 * MIB,
            dram_gbs: 3350.0,
            l2_bytes_per_clock: 5632,
            dram_bytes: 80 * GIB,
        },
    },
    Arch {
        name: "sm_100",
        number: 100,
        specific: false,
        min_ptx: v(8, 6),
        reference_chip: "B200",
        limits: limits(228, 1024, 64, 32, 32764),
        throughput: HOPPER,
        latency: LATENCY,
        chip: Chip {
            sm_count: 148,
            clock_mhz: 1965,
            l1_bytes: 256 * KIB,
            l2_bytes: 126 * MIB,
            dram_gbs: 8000.0,
            l2_bytes_per_clock: 6144,
            dram_bytes: 180 * GIB,
        },
    },
    Arch {
        name: "sm_100a",
        number: 100,
        specific: true,
        min_ptx: v(8, 6),
        reference_chip: "B200",
        limits: limits(228, 1024, 64, 32, 32764),
        throughput: HOPPER,
        latency: LATENCY,
        chip: Chip {
            sm_count: 148,
            clock_mhz: 1965,
            l1_bytes: 256 * KIB,
            l2_bytes: 126 * MIB,
            dram_gbs: 8000.0,
            l2_bytes_per_clock: 6144,
            dram_bytes: 180 * GIB,
        },
    },
    Arch {
        name: "sm_103",
        number: 103,
        specific: false,
        min_ptx: v(8, 8),
        reference_chip: "B300",
        limits: limits(228, 1024, 64, 32, 32764),
        throughput: Throughput { f64: 2.0, convert64: 2.0, ..HOPPER },
        latency: LATENCY_SLOW_F64,
        chip: Chip {
            sm_count: 148,
            clock_mhz: 1920,
            l1_bytes: 256 * KIB,
            l2_bytes: 126 * MIB,
            dram_gbs: 8000.0,
            l2_bytes_per_clock: 6144,
            dram_bytes: 270 * GIB,
        },
    },
    Arch {
        name: "sm_120",
        number: 120,
        specific: false,
        min_ptx: v(8, 7),
        reference_chip: "RTX 5090",
        limits: limits(100, 1024, 48, 24, 32764),
        throughput: Throughput { int: 128.0, int_mul: 64.0, ..AMPERE_SMALL },
        latency: LATENCY_SLOW_F64,
        chip: Chip {
            sm_count: 170,
            clock_mhz: 2410,
            l1_bytes: 128 * KIB,
            l2_bytes: 96 * MIB,
            dram_gbs: 1792.0,
            l2_bytes_per_clock: 6144,
            dram_bytes: 32 * GIB,
        },
    },
];

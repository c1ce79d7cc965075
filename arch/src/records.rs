//! The table itself.

use crate::chips;
use crate::{
    Arch, BANK_BYTES, BANKS, Latency, Limits, MAX_GRID_X, MAX_GRID_YZ, MAX_THREADS_PER_BLOCK,
    PtxVersion, SECTOR_BYTES, SHARED_PER_BLOCK, Throughput, WARP_SIZE,
};

/// Index of the default target (`sm_75`).
pub(crate) const DEFAULT: usize = 2;

const KIB: u32 = 1024;

/// What all capabilities from 7.0 on have in common.
const LIMITS: Limits = Limits {
    warp_size: WARP_SIZE,
    max_threads_per_block: MAX_THREADS_PER_BLOCK,
    max_block: [1024, 1024, 64],
    max_grid: [MAX_GRID_X, MAX_GRID_YZ, MAX_GRID_YZ],
    shared_per_block: SHARED_PER_BLOCK,
    shared_per_block_optin: 0,
    shared_per_sm: 0,
    shared_reserved_per_block: 0,
    registers_per_sm: 65_536,
    registers_per_block: 65_536,
    registers_per_thread: 255,
    register_allocation_unit: 256,
    // 256 on 7.x, where `limits_7` says so (NVIDIA's `cuda_occupancy.h`).
    shared_allocation_unit: 128,
    max_warps_per_sm: 64,
    max_blocks_per_sm: 32,
    max_param_bytes: 4096,
    constant_bytes: 64 * KIB,
    banks: BANKS,
    bank_bytes: BANK_BYTES,
    sector_bytes: SECTOR_BYTES,
    line_bytes: 128,
    carveouts_kib: &[],
};

/// Arithmetic: "Throughput of Native Arithmetic Instructions" of the CUDA C++ Programming Guide, 12.6
/// for 7.0 to 9.0 and 13.x for later ones. Load/store lanes: what RRZE's gpu-cache and gpu-strides
/// measure (128 bytes a clock and multiprocessor on V100, A100 and H100, 64 on A40 and L40). Shared
/// memory: 128 bytes a clock, 64 on Turing (NVIDIA, "Ampere GA102 GPU Architecture", 2021).
///
/// Of an H100 80GB HBM3, driver 580, and taken for all, as nobody has published those of others (`benches/gpu`):
/// barriers take 15.7 clocks with one warp, 29.8 with 8, 77.6 with 32, that is 13.7 and 2 for each warp, and 2048
/// threads of a multiprocessor meet every 131 clocks, by blocks of 256 or 1024; stores of a warp to 32 lines (columns
/// of matrices of 2048, 4096, 8192 rows) 4.6 clocks a line and multiprocessor.
const VOLTA: Throughput = Throughput {
    f16: 128.0,
    f32: 64.0,
    f64: 32.0,
    special: 16.0,
    int: 64.0,
    int_mul: 64.0,
    min_max: 64.0,
    shift: 64.0,
    convert: 16.0,
    convert64: 16.0,
    bit_count: 16.0,
    shuffle: 32.0,
    vote: 64.0,
    barrier: 16.0,
    store_lines: 1.0 / 4.5,
    load_store: 32.0,
    shared: 32.0,
    shared_lane: 4.0,
    f32_shares_int: false,
    issue: 4.0,
};
const TURING: Throughput =
    Throughput { f64: 2.0, convert64: 2.0, load_store: 16.0, shared: 16.0, ..VOLTA };
const AMPERE: Throughput = Throughput { f16: 256.0, ..VOLTA };
/// The chips for graphics and their kin: token 64-bit units, half the lanes of the first-level cache,
/// and a second set of single-precision lanes that are those for integers.
const AMPERE_SMALL: Throughput = Throughput {
    f32: 128.0,
    f64: 2.0,
    convert64: 2.0,
    load_store: 16.0,
    f32_shares_int: true,
    ..VOLTA
};
const ORIN: Throughput = Throughput { f16: 256.0, ..AMPERE_SMALL };
/// A load of 16 bytes that are the same for all lanes takes 2.0 clocks on an H100 (`shared_load16` of
/// `benches/gpu/chains.py`); nobody has published it for others, which are taken to need the four of any such load.
const HOPPER: Throughput =
    Throughput { f16: 256.0, f32: 128.0, f64: 64.0, convert: 64.0, shared_lane: 8.0, ..VOLTA };
const BLACKWELL: Throughput = Throughput { f16: 128.0, min_max: 128.0, convert: 16.0, ..HOPPER };
const BLACKWELL_SMALL: Throughput = Throughput { int: 128.0, ..AMPERE_SMALL };

/// Dependent issue of arithmetic: 4 clocks since Volta (Jia et al. 2018, arXiv 1804.06826, and later
/// studies by the same method); shared memory from the same. The others by chains on an H100 (`benches/gpu/chains.py`):
/// special functions and population counts 17.0, conversions to integers and of 64 bits 18 to 19, double precision 8.1,
/// `redux` 44.1, `match` 28.0, a barrier of one warp 15.7, of which 2 are its time there.
const LATENCY: Latency = Latency {
    alu: 4,
    f64: 8,
    special: 17,
    shared: 23,
    barrier: 14,
    warp_reduce: 44,
    warp_match: 28,
};
/// Chips whose 64-bit pipe is a token one.
const LATENCY_SLOW_F64: Latency = Latency { f64: 40, ..LATENCY };

const fn v(major: u8, minor: u8) -> PtxVersion {
    PtxVersion::new(major, minor)
}

/// Carve-outs of shared memory (CUDA C++ Programming Guide, "Compute Capabilities").
const VOLTA_CARVEOUTS: &[u32] = &[0, 8, 16, 32, 64, 96];
const TURING_CARVEOUTS: &[u32] = &[32, 64];
const AMPERE_CARVEOUTS: &[u32] = &[0, 8, 16, 32, 64, 100, 132, 164];
const SMALL_CARVEOUTS: &[u32] = &[0, 8, 16, 32, 64, 100];
const HOPPER_CARVEOUTS: &[u32] = &[0, 8, 16, 32, 64, 100, 132, 164, 196, 228];

/// Limits of a capability by what differs: shared memory of a multiprocessor in KiB, what the
/// system keeps of it for each block, warps and blocks of a multiprocessor, bytes of parameters.
const fn limits(shared_kib: u32, reserved: u32, warps: u32, blocks: u32, params: u32) -> Limits {
    Limits {
        carveouts_kib: match shared_kib {
            64 => TURING_CARVEOUTS,
            96 => VOLTA_CARVEOUTS,
            100 => SMALL_CARVEOUTS,
            164 => AMPERE_CARVEOUTS,
            _ => HOPPER_CARVEOUTS,
        },
        shared_per_sm: shared_kib * KIB,
        shared_per_block_optin: shared_kib * KIB - reserved,
        shared_reserved_per_block: reserved,
        max_warps_per_sm: warps,
        max_blocks_per_sm: blocks,
        max_param_bytes: params,
        ..LIMITS
    }
}

/// Limits of 7.x, whose shared memory is given out in larger units.
const fn limits_7(shared_kib: u32, warps: u32, blocks: u32) -> Limits {
    Limits { shared_allocation_unit: 256, ..limits(shared_kib, 0, warps, blocks, 4096) }
}

pub(crate) const ALL: [Arch; 13] = [
    Arch {
        name: "sm_70",
        number: 70,
        specific: false,
        min_ptx: v(6, 0),
        limits: limits_7(96, 64, 32),
        throughput: VOLTA,
        latency: LATENCY,
        chip: chips::V100,
    },
    Arch {
        name: "sm_72",
        number: 72,
        specific: false,
        min_ptx: v(6, 1),
        limits: limits_7(96, 64, 32),
        throughput: Throughput { f64: 2.0, convert64: 2.0, ..VOLTA },
        latency: LATENCY_SLOW_F64,
        chip: chips::XAVIER,
    },
    Arch {
        name: "sm_75",
        number: 75,
        specific: false,
        min_ptx: v(6, 3),
        limits: limits_7(64, 32, 16),
        throughput: TURING,
        latency: LATENCY_SLOW_F64,
        chip: chips::T4,
    },
    Arch {
        name: "sm_80",
        number: 80,
        specific: false,
        min_ptx: v(7, 0),
        limits: limits(164, 1024, 64, 32, 4096),
        throughput: AMPERE,
        latency: LATENCY,
        chip: chips::A100_40,
    },
    Arch {
        name: "sm_86",
        number: 86,
        specific: false,
        min_ptx: v(7, 1),
        limits: limits(100, 1024, 48, 16, 4096),
        throughput: AMPERE_SMALL,
        latency: LATENCY_SLOW_F64,
        chip: chips::A6000,
    },
    Arch {
        name: "sm_87",
        number: 87,
        specific: false,
        min_ptx: v(7, 4),
        limits: limits(164, 1024, 48, 16, 4096),
        throughput: ORIN,
        latency: LATENCY_SLOW_F64,
        chip: chips::ORIN,
    },
    Arch {
        name: "sm_89",
        number: 89,
        specific: false,
        min_ptx: v(7, 8),
        limits: limits(100, 1024, 48, 24, 4096),
        throughput: AMPERE_SMALL,
        latency: LATENCY_SLOW_F64,
        chip: chips::L40S,
    },
    Arch {
        name: "sm_90",
        number: 90,
        specific: false,
        min_ptx: v(7, 8),
        limits: limits(228, 1024, 64, 32, 32764),
        throughput: HOPPER,
        latency: LATENCY,
        chip: chips::H100,
    },
    Arch {
        name: "sm_90a",
        number: 90,
        specific: true,
        min_ptx: v(8, 0),
        limits: limits(228, 1024, 64, 32, 32764),
        throughput: HOPPER,
        latency: LATENCY,
        chip: chips::H100,
    },
    Arch {
        name: "sm_100",
        number: 100,
        specific: false,
        min_ptx: v(8, 6),
        limits: limits(228, 1024, 64, 32, 32764),
        throughput: BLACKWELL,
        latency: LATENCY,
        chip: chips::B200,
    },
    Arch {
        name: "sm_100a",
        number: 100,
        specific: true,
        min_ptx: v(8, 6),
        limits: limits(228, 1024, 64, 32, 32764),
        throughput: BLACKWELL,
        latency: LATENCY,
        chip: chips::B200,
    },
    Arch {
        name: "sm_103",
        number: 103,
        specific: false,
        min_ptx: v(8, 8),
        limits: limits(228, 1024, 64, 32, 32764),
        throughput: Throughput { f64: 2.0, convert64: 2.0, ..BLACKWELL },
        latency: LATENCY_SLOW_F64,
        chip: chips::B300,
    },
    Arch {
        name: "sm_120",
        number: 120,
        specific: false,
        min_ptx: v(8, 7),
        limits: limits(100, 1024, 48, 24, 32764),
        throughput: BLACKWELL_SMALL,
        latency: LATENCY_SLOW_F64,
        chip: chips::RTX_5090,
    },
];

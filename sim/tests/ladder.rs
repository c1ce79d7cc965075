//! The order in which published variants of one computation stand, by the model of time.
//!
//! `ptx/sgemm_ladder.ptx` is what nvcc 13.5 makes of `benches/ladders/sgemm.cu`, `ptx/reduce_ladder.ptx` of
//! `reduce.cu`; the figures are those that the public SGEMM_CUDA series measures on an RTX A6000 at
//! 4096 × 4096 × 4096, and the public series of reductions on a V100 for 32 Mi elements. Nothing in the model is
//! fitted to them.

mod device;

use device::{Params, module};
use gpuc_arch::Arch;
use gpuc_sim::{Counters, Launch, Simulator};

/// Rows and columns of the result.
const SIZE: u32 = 4096;

#[test]
fn sgemm_on_an_a6000() {
    let module = module(include_str!("ptx/sgemm_ladder.ptx"));
    let simulator = Simulator::new(Arch::device("a6000").unwrap());
    let matrix = || simulator.alloc(4 * u64::from(SIZE * SIZE), "matrix").unwrap();
    let (a, b, c) = (matrix(), matrix(), matrix());
    // Kernel, rows and columns of a block's tile, threads, registers (ptxas 13.5), terms of each sum
    // (enough of them that the end of the kernel does not count), GFLOP/s measured.
    let ladder = [
        ("sgemm1_naive", 32, [32, 32, 1], 36, 32, 309.0),
        ("sgemm2_coalesced", 32, [1024, 1, 1], 36, 32, 1986.0),
        ("sgemm3_shared", 32, [1024, 1, 1], 36, 64, 2980.0),
        ("sgemm4_column", 64, [512, 1, 1], 48, 128, 8475.0),
        ("sgemm5_square", 128, [256, 1, 1], 152, 256, 15972.0),
        ("sgemm6_vectorized", 128, [256, 1, 1], 109, 256, 18237.0),
        ("sgemm9_tuned", 128, [256, 1, 1], 106, 256, 19721.0),
        ("sgemm10_warp_tiles", 128, [128, 1, 1], 228, 256, 21779.0),
    ];
    let mut before = 0.0;
    for (kernel, tile, block, registers, depth, measured) in ladder {
        let params = Params::default().int(SIZE as i32).int(depth).ptr(a).ptr(b).ptr(c);
        let launch = Launch {
            grid: [SIZE / tile, SIZE / tile, 1],
            block,
            params: &params.0,
            counters: Counters::Profile,
            registers: Some(registers),
            sampled: true,
            ..Launch::default()
        };
        let report = simulator.launch(&module, kernel, &launch).unwrap();
        let profile = report.profile.unwrap();
        assert!(profile.sample.executed < profile.sample.blocks, "{kernel}");
        assert!(profile.sample.error < 0.05, "{kernel}: {:?}", profile.sample);
        let operations = 2.0 * f64::from(SIZE) * f64::from(SIZE) * f64::from(depth);
        let gflops = operations / profile.estimate.seconds / 1e9;
        println!("{kernel}: {gflops:.0} by the model, {measured:.0} measured");
        assert!(gflops > before, "{kernel}: {gflops} after {before}");
        assert!((0.6..1.5).contains(&(gflops / measured)), "{kernel}: {gflops}");
        before = gflops;
    }
}

/// The order is that of the measurements. The steps are not: what a block and its barriers cost is underestimated
/// (`benches/RESULTS.md`).
#[test]
fn reduction_on_a_v100() {
    const ELEMENTS: u32 = 32 << 20;
    let module = module(include_str!("ptx/reduce_ladder.ptx"));
    let simulator = Simulator::new(Arch::device("v100").unwrap());
    let elements = simulator.alloc(4 * u64::from(ELEMENTS), "elements").unwrap();
    let sums = simulator.alloc(4 * u64::from(ELEMENTS / 256), "sums").unwrap();
    // Kernel, elements of a block, registers (ptxas 13.5, sm_75), µs measured.
    let ladder = [
        ("reduce0_divergent", 256, 13, 804.0),
        ("reduce1_conflicts", 256, 10, 506.0),
        ("reduce2_halves", 256, 10, 398.0),
        ("reduce3_two_each", 512, 10, 213.0),
        ("reduce4_last_warp", 512, 10, 169.0),
        ("reduce5_unrolled", 512, 14, 166.8),
    ];
    let mut before = f64::INFINITY;
    for (kernel, each, registers, measured) in ladder {
        let params = Params::default().ptr(elements).ptr(sums);
        let launch = Launch {
            grid: [ELEMENTS / each, 1, 1],
            block: [256, 1, 1],
            params: &params.0,
            counters: Counters::Profile,
            registers: Some(registers),
            sampled: true,
            ..Launch::default()
        };
        let report = simulator.launch(&module, kernel, &launch).unwrap();
        let time = report.profile.unwrap().estimate.seconds * 1e6;
        println!("{kernel}: {time:.1} us by the model, {measured} measured");
        assert!(time < before, "{kernel}: {time} after {before}");
        before = time;
    }
}

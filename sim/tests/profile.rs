//! Kernels whose counts, cache hits, DRAM bytes and occupancy follow from how they are written, against
//! what the profiler says.

mod device;

use device::module;
use gpuc_arch::{Arch, Limiter};
use gpuc_sim::{Counters, Launch, LaunchReport, Operation, Simulator};

/// Bytes of a buffer for every kernel.
const BUFFER: u64 = 8 << 20;

/// Runs a body on an A100 with 40 GB: `%p` and `%q` are buffers, `%i` is the number of the thread in
/// the grid, `%t` in its block, `%b` the number of the block; `%r0` to `%r9`, `%f0` to `%f9` and `%a`,
/// `%c` (addresses) are free.
fn profile(body: &str, blocks: u32, threads: u32) -> LaunchReport {
    profile_on("a100-40", body, blocks, threads, 32)
}

fn profile_on(name: &str, body: &str, blocks: u32, threads: u32, registers: u32) -> LaunchReport {
    let text = format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n\
         .visible .entry test(.param .u64 p, .param .u64 q) {{\n\
         .reg .b32 %t, %b, %n, %i, %r<10>; .reg .b64 %p, %q, %a, %c, %o; .reg .f32 %f<10>;\n\
         .reg .f64 %d<4>; .reg .pred %m;\n.shared .align 16 .b8 tile[16384];\n\
         ld.param.u64 %p, [p]; ld.param.u64 %q, [q];\n\
         mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x;\n\
         mad.lo.u32 %i, %b, %n, %t;\n{body}\nret;\n}}\n"
    );
    let simulator = Simulator::new(Arch::device(name).unwrap());
    let buffers = ["p", "q"].map(|label| simulator.alloc(BUFFER, label).unwrap());
    let params: Vec<u8> = buffers.iter().flat_map(|b| b.to_le_bytes()).collect();
    let launch = Launch {
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        params: &params,
        counters: Counters::Profile,
        registers: Some(registers),
        threads: Some(2),
        ..Launch::default()
    };
    simulator.launch(&module(&text), "test", &launch).unwrap()
}

/// `%a` becomes an address: `%p` plus so many bytes for each thread of the grid.
fn at(bytes: u32) -> String {
    format!("mul.wide.u32 %o, %i, {bytes}; add.u64 %a, %p, %o; add.u64 %c, %q, %o;")
}

/// A load or store of so many bytes.
fn access(op: &str, bytes: u32) -> String {
    let (ty, list) = match bytes {
        4 => ("u32", "%r0"),
        8 => ("v2.u32", "{%r0, %r1}"),
        _ => ("v4.u32", "{%r0, %r1, %r2, %r3}"),
    };
    match op {
        "ld" => format!("ld.global.{ty} {list}, [%a];"),
        _ => format!("st.global.{ty} [%c], {list};"),
    }
}

/// What a case must give: sectors of the first level, its hits, sectors of the second, its hits, bytes
/// read from and written to DRAM.
fn caches(what: &str, report: &LaunchReport, expected: [f64; 6]) {
    let profile = report.profile.as_ref().unwrap();
    let found = profile.caches;
    let found = [
        found.l1_sectors,
        found.l1_hits,
        found.l2_sectors,
        found.l2_hits,
        found.dram_read_bytes,
        found.dram_write_bytes,
    ];
    assert_eq!(found, expected, "{what}");
    assert_eq!(profile.sample.replayed, 1.0, "{what}");
    assert_eq!(profile.sample.error, 0.0, "{what}");
}

#[test]
fn streams() {
    for bytes in [4u32, 8, 16] {
        for (blocks, threads) in [(1u32, 32u32), (8, 128), (300, 64), (20, 1024)] {
            let what = format!("{bytes} bytes, {blocks} blocks of {threads}");
            let total = f64::from(bytes * blocks * threads);
            let sectors = total / 32.0;
            let copy = [at(bytes), access("ld", bytes), access("st", bytes)].concat();
            // Every sector comes from DRAM once and goes back once; nothing is used twice.
            let report = profile(&copy, blocks, threads);
            caches(&what, &report, [2.0 * sectors, 0.0, 2.0 * sectors, 0.0, total, total]);
            assert_eq!(report.counters.global_load.bytes, total as u64, "{what}");
            // Read again, it is in the first level.
            let twice = [at(bytes), access("ld", bytes), access("ld", bytes)].concat();
            let report = profile(&twice, blocks, threads);
            caches(&what, &report, [2.0 * sectors, sectors, sectors, 0.0, total, 0.0]);
        }
    }
}

#[test]
fn strides() {
    // Beyond a sector each lane has its own; between, lanes share. DRAM is read by pairs of sectors.
    for (stride, of_warp) in [(1u32, 4.0), (2, 8.0), (4, 16.0), (8, 32.0), (16, 32.0), (32, 32.0)] {
        let body = [at(4 * stride), access("ld", 4)].concat();
        let report = profile(&body, 16, 64);
        let sectors = 32.0 * of_warp;
        caches(
            &format!("stride {stride}"),
            &report,
            [sectors, 0.0, sectors, 0.0, if stride < 16 { 32.0 } else { 64.0 } * sectors, 0.0],
        );
        let load = report.counters.global_load;
        assert_eq!(load.sectors_per_request(), of_warp, "stride {stride}");
    }
}

#[test]
fn one_element_for_all() {
    let body = ["mov.u64 %a, %p;", &access("ld", 4)].concat();
    for blocks in [1u32, 7, 108, 216] {
        // Two warps a block; the first of each multiprocessor brings the sector in from the second
        // level, the very first one from DRAM, with its neighbour.
        let report = profile(&body, blocks, 64);
        let (warps, first) = (f64::from(2 * blocks), f64::from(blocks.min(108)));
        caches(
            &format!("{blocks} blocks"),
            &report,
            [warps, warps - first, first, first - 1.0, 64.0, 0.0],
        );
    }
}

#[test]
fn stores_bring_nothing_into_the_first_level() {
    let body =
        [at(4), "mov.u32 %r0, 1;".into(), access("st", 4), "mov.u64 %a, %c;".into()].concat();
    // Stored and loaded: the load asks the second level, which has it; DRAM is only written.
    let report = profile(&[body.clone(), access("ld", 4)].concat(), 10, 128);
    let sectors = 10.0 * 128.0 * 4.0 / 32.0;
    caches(
        "load after store",
        &report,
        [2.0 * sectors, 0.0, 2.0 * sectors, sectors, 0.0, 32.0 * sectors],
    );
    // Stored twice: modified twice, written back once.
    let report = profile(&[body, access("st", 4)].concat(), 10, 128);
    caches(
        "two stores",
        &report,
        [2.0 * sectors, 0.0, 2.0 * sectors, sectors, 0.0, 32.0 * sectors],
    );
}

#[test]
fn capacity() {
    // One warp goes twice over an array: smaller than the first level (164 KB of shared memory are not
    // used: 192 KB), larger than it, and than the second.
    for (kib, l1, l2) in [(16u32, true, true), (1024, false, true)] {
        let lines = kib * 8;
        let body = format!(
            "mov.u32 %r2, 0;\nagain: mov.u32 %r3, 0; mul.wide.u32 %o, %t, 4; add.u64 %a, %p, %o;\n\
             next: ld.global.u32 %r0, [%a]; add.u64 %a, %a, 128; add.u32 %r3, %r3, 1;\n\
             setp.lt.u32 %m, %r3, {lines}; @%m bra next;\n\
             add.u32 %r2, %r2, 1; setp.lt.u32 %m, %r2, 2; @%m bra again;"
        );
        let report = profile(&body, 1, 32);
        let sectors = f64::from(4 * lines);
        let of = |yes: bool, sectors: f64| if yes { sectors } else { 0.0 };
        let asked = 2.0 * sectors - of(l1, sectors);
        caches(
            &format!("{kib} KiB"),
            &report,
            [2.0 * sectors, of(l1, sectors), asked, of(l2 && !l1, sectors), 32.0 * sectors, 0.0],
        );
    }
}

#[test]
fn local_memory_is_interleaved() {
    // One word of each lane is a line of the warp; read back it is in the second level, whose copy the
    // store made.
    let body = ".local .align 4 .b8 own[16]; .reg .b32 %l; mov.u32 %l, own;\n\
                st.local.u32 [%l+4], %t; ld.local.u32 %r0, [%l+4];";
    let report = profile(body, 3, 96);
    let sectors = 9.0 * 4.0;
    caches("local", &report, [2.0 * sectors, 0.0, 2.0 * sectors, sectors, 0.0, 32.0 * sectors]);
    assert_eq!(report.counters.local_load.sectors, 36);
}

#[test]
fn atomics() {
    // All on one word: each request is one sector of the second level, which comes with its neighbour.
    let body = "red.global.add.u32 [%p], 1;";
    let report = profile(body, 4, 256);
    caches("one word", &report, [32.0, 0.0, 32.0, 31.0, 64.0, 32.0]);
    let profile_of = |report: &LaunchReport| report.profile.clone().unwrap();
    let found = profile_of(&report);
    let clocks = found.arch.chip.atomics;
    let close = |a: f64, b: f32| assert!((a / f64::from(b) - 1.0).abs() < 1e-6, "{a} {b}");
    close(found.work.atomic_clocks, 32.0 * (clocks.sector + 31.0 * clocks.same_integer));
    // One for each thread: 32 lanes share a line, and four lines a part of the second level.
    let report = profile(&[at(4).as_str(), "red.global.add.u32 [%a], 1;"].concat(), 4, 256);
    close(profile_of(&report).work.atomic_clocks, 4.0 * 4.0 * clocks.sector);
    // Doubles are twice as wide, and meet as floats do.
    let body = "red.global.add.f64 [%p], 0d3ff0000000000000;";
    let found = profile_of(&profile(body, 1, 32)).work.atomic_clocks;
    close(found, clocks.sector64 + 31.0 * clocks.same_float);
}

#[test]
fn instructions() {
    for (op, operation, flops) in [
        ("fma.rn.f32 %f0, %f1, %f2, %f0;", Operation::Ffma, [2, 0, 0]),
        ("add.rn.f32 %f0, %f1, %f0;", Operation::Fadd, [1, 0, 0]),
        ("sub.rn.f32 %f0, %f1, %f0;", Operation::Fadd, [1, 0, 0]),
        ("mul.rn.f32 %f0, %f1, %f0;", Operation::Fmul, [1, 0, 0]),
        ("fma.rn.f64 %d0, %d1, %d2, %d0;", Operation::Dfma, [0, 2, 0]),
        ("add.rn.f64 %d0, %d1, %d0;", Operation::Dadd, [0, 1, 0]),
        ("mul.rn.f64 %d0, %d1, %d0;", Operation::Dmul, [0, 1, 0]),
    ] {
        for (blocks, threads, times) in [(1u32, 32u32, 1usize), (3, 50, 7)] {
            let counters = profile(&op.repeat(times), blocks, threads).counters;
            let lanes = u64::from(blocks * threads) * times as u64;
            assert_eq!(counters.operations[operation as usize], lanes, "{op}");
            assert_eq!(counters.flops, flops.map(|each| each * lanes), "{op}");
            // Warps of 50 threads have 32 and 18 lanes; 7 instructions are the frame's.
            let warps = u64::from(blocks * threads.div_ceil(32));
            assert_eq!(counters.warp_instructions, warps * (7 + times as u64), "{op}");
            assert_eq!(
                counters.thread_instructions,
                u64::from(blocks * threads) * (7 + times as u64)
            );
        }
    }
}

#[test]
fn divergence() {
    for half in [1u32, 8, 16, 31] {
        let body = format!(
            "and.b32 %r1, %t, 31; setp.ge.u32 %m, %r1, {half}; @%m bra out;\n\
             add.u32 %r0, %r0, 1; add.u32 %r0, %r0, 1;\nout:"
        );
        let counters = profile(&body, 2, 64).counters;
        assert_eq!((counters.branches, counters.divergent_branches), (4, 4), "{half}");
        // 4 warps: 6 instructions before, 3 of the branch, ret together; 2 in the lanes below `half`.
        let lanes = u64::from(4 * (10 * 32 + 2 * half));
        assert_eq!(counters.thread_instructions, lanes, "{half}");
    }
}

#[test]
fn occupancy_and_its_limit() {
    use Limiter::*;
    for (device, threads, registers, resident, limiter) in [
        ("v100", 256, 32, 48, SharedMemory),
        ("v100", 256, 64, 32, Registers),
        ("v100", 128, 96, 20, Registers),
        ("v100", 1024, 32, 64, Warps),
        ("t4", 256, 32, 32, Warps),
        ("t4", 32, 32, 4, SharedMemory),
        ("a100-40", 256, 32, 64, Warps),
        ("a100-40", 64, 32, 18, SharedMemory),
        ("a100-40", 256, 128, 16, Registers),
        ("a6000", 512, 32, 48, Warps),
        ("a6000", 1024, 32, 32, Warps),
        ("a6000", 64, 32, 10, SharedMemory),
        ("l40s", 256, 40, 40, SharedMemory),
        ("h100", 256, 255, 8, Registers),
        ("h100", 128, 32, 52, SharedMemory),
        ("h200", 512, 64, 32, Registers),
    ] {
        // 16 KiB of shared memory a block, and what the system keeps.
        let report = profile_on(device, "st.shared.u32 [tile], %t;", 4, threads, registers);
        let profile = report.profile.unwrap();
        let found = profile.estimate.occupancy;
        let what = format!("{device} {threads} {registers}");
        let unlimited = Arch::device(device).unwrap().occupancy(threads, registers, 0);
        assert!(found.warps <= unlimited.warps, "{what}");
        assert_eq!((found.warps, found.limiter), (resident, limiter), "{what}");
        assert_eq!(profile.shared_bytes, 16384);
    }
}

#[test]
fn registers_are_estimated_where_nobody_says() {
    // Eight sums live at the same time, and one address: more than with one.
    let text = |sums: usize| {
        let loads: String =
            (0..sums).map(|n| format!("ld.global.f32 %f{n}, [%p+{}];", 4 * n)).collect();
        let adds: String = (0..sums).map(|n| format!("add.f32 %s, %s, %f{n};")).collect();
        format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry test(.param .u64 p) {{\n\
             .reg .b64 %p; .reg .f32 %f<64>, %s;\nld.param.u64 %p, [p]; mov.f32 %s, 0f00000000;\n\
             {loads}{adds}st.global.f32 [%p], %s; ret;\n}}\n"
        )
    };
    let registers = |sums| {
        let simulator = Simulator::new(Arch::device("v100").unwrap());
        let buffer = simulator.alloc(4096, "p").unwrap();
        let launch = Launch {
            params: &buffer.to_le_bytes(),
            counters: Counters::Profile,
            ..Launch::default()
        };
        let report = simulator.launch(&module(&text(sums)), "test", &launch).unwrap();
        let profile = report.profile.unwrap();
        assert!(!profile.registers_known);
        profile.registers
    };
    // Alive at the same time: the sums, the result, two for the address; six of the assembler's own.
    assert_eq!(registers(1), 16);
    assert_eq!(registers(40), 56);
}

//! Clusters of blocks: their registers, shared memory of other blocks, the barrier, multicast copies.

mod device;

use device::{Device, Params, module};
use gpuc_arch::Arch;
use gpuc_sim::{Checks, FaultKind, FindingKind, Launch, LaunchError, Simulator};

const HEAD: &str = ".version 8.8\n.target sm_90a\n.address_size 64\n";

/// A kernel that leaves a word for each thread in `pout`, from `%o`.
fn text(directives: &str, body: &str) -> String {
    format!(
        "{HEAD}.visible .entry k(.param .u64 pin, .param .u64 pout) {directives} {{\n\
         .shared .align 16 .b8 tile[1024]; .shared .align 8 .b64 gate;\n\
         .reg .pred %p<4>; .reg .b32 %t, %v, %w, %s, %o, %r, %n, %b<4>; .reg .b64 %in, %out, %x, %y, %st;\n\
         ld.param.u64 %in, [pin]; ld.param.u64 %out, [pout]; mov.u32 %t, %tid.x; mov.u32 %s, tile;\n\
         mov.u32 %r, %cluster_ctarank; mov.u32 %n, %cluster_nctarank; mov.u32 %o, 0; setp.ne.u32 %p0, %t, 0;\n\
         {body}\n\
         mov.u32 %b0, %ctaid.y; mov.u32 %b1, %nctaid.x; mov.u32 %b2, %ctaid.x; mad.lo.u32 %b0, %b0, %b1, %b2;\n\
         mov.u32 %b1, %ntid.x; mad.lo.u32 %b0, %b0, %b1, %t; mul.wide.u32 %x, %b0, 4; add.u64 %x, %x, %out;\n\
         st.global.u32 [%x], %o; ret;\n}}\n"
    )
}

fn simulator(checks: Checks) -> Device {
    Device(Simulator::checked(Arch::by_name("sm_90").expect("the table holds sm_90"), checks))
}

fn launch(
    device: &Device,
    text: &str,
    grid: [u32; 3],
    cluster: Option<[u32; 3]>,
    threads: u32,
) -> Result<Vec<u32>, LaunchError> {
    let input = device.words("in", &(0..256).map(|i| i * 3 + 1).collect::<Vec<_>>());
    let count = (grid[0] * grid[1] * threads) as usize;
    let out = device.words("out", &vec![0; count]);
    let params = Params::default().ptr(input).ptr(out);
    let launch = Launch {
        grid,
        cluster,
        block: [threads, 1, 1],
        params: &params.0,
        threads: Some(2),
        instruction_budget: Some(10_000_000),
        ..Launch::default()
    };
    device.0.launch(&module(text), "k", &launch)?;
    Ok(device.read_words(out, count))
}

fn run(body: &str, blocks: u32, cluster: u32, threads: u32) -> Vec<u32> {
    let device = simulator(Checks::default());
    launch(&device, &text("", body), [blocks, 1, 1], Some([cluster, 1, 1]), threads).unwrap()
}

const MEET: &str = "barrier.cluster.arrive; barrier.cluster.wait;";

/// Each thread leaves a number that tells block and thread, and reads its neighbour block's.
fn ring(load: &str) -> String {
    format!(
        "mov.u32 %w, %ctaid.x; mad.lo.u32 %w, %w, 1000, %t; mad.lo.u32 %v, %t, 4, %s; st.shared.u32 [%v], %w; {MEET}\n\
         add.u32 %w, %r, 1; rem.u32 %w, %w, %n; {load} {MEET}"
    )
}

#[test]
fn blocks_read_each_others_shared_memory() {
    let loads = [
        "mapa.shared::cluster.u32 %v, %v, %w; ld.shared::cluster.u32 %o, [%v];",
        "cvt.u64.u32 %y, %v; cvta.shared.u64 %y, %y; mapa.u64 %y, %y, %w; ld.u32 %o, [%y];",
        "cvt.u64.u32 %y, %v; mapa.shared::cluster.u64 %y, %y, %w; cvta.shared::cluster.u64 %y, %y; ld.volatile.u32 %o, [%y];",
        "mapa.shared::cluster.u32 %v, %v, %w; atom.shared::cluster.add.u32 %o, [%v], 0;",
    ];
    for (blocks, cluster, threads) in [(1, 1, 32), (2, 2, 1), (12, 4, 33), (16, 16, 64), (6, 3, 7)]
    {
        for load in loads {
            let got = run(&ring(load), blocks, cluster, threads);
            let want: Vec<u32> = (0..blocks * threads)
                .map(|i| {
                    let (block, thread) = (i / threads, i % threads);
                    let first = block / cluster * cluster;
                    (first + (block - first + 1) % cluster) * 1000 + thread
                })
                .collect();
            assert_eq!(got, want, "{blocks} blocks by {cluster}, {threads} threads: {load}");
        }
    }
}

#[test]
fn registers_tell_a_blocks_place() {
    // Rank, extents and places as digits; the rank of an address.
    let body = "mov.u32 %w, %clusterid.x; mad.lo.u32 %o, %r, 10, %w; mov.u32 %w, %clusterid.y; mad.lo.u32 %o, %o, 10, %w;\n\
        mov.u32 %w, %cluster_ctaid.x; mad.lo.u32 %o, %o, 10, %w; mov.u32 %w, %cluster_ctaid.y; mad.lo.u32 %o, %o, 10, %w;\n\
        mov.u32 %w, %cluster_nctaid.y; mad.lo.u32 %o, %o, 10, %w; mov.u32 %w, %nclusterid.x; mad.lo.u32 %o, %o, 10, %w;\n\
        mad.lo.u32 %o, %o, 10, %n; mapa.shared::cluster.u32 %v, %s, 3; getctarank.shared::cluster.u32 %w, %v; mad.lo.u32 %o, %o, 10, %w;\n\
        getctarank.shared::cluster.u32 %w, %s; mad.lo.u32 %o, %o, 10, %w; selp.u32 %w, 1, 0, %is_explicit_cluster; mad.lo.u32 %o, %o, 10, %w;";
    for (given, directive) in
        [(Some([2, 2, 1]), ""), (None, ".explicitcluster .reqnctapercluster 2, 2, 1")]
    {
        let device = simulator(Checks::default());
        let got = launch(&device, &text(directive, body), [6, 4, 1], given, 1).unwrap();
        for (i, value) in got.into_iter().enumerate() {
            let (x, y) = (i as u32 % 6, i as u32 / 6);
            let rank = x % 2 + y % 2 * 2;
            let digits = [rank, x / 2, y / 2, x % 2, y % 2, 2, 3, 4, 3, rank, 1];
            let want =
                digits.iter().fold(0u32, |all, digit| all.wrapping_mul(10).wrapping_add(*digit));
            assert_eq!(value, want, "block ({x}, {y})");
        }
    }
    // Without clusters every block is one.
    let device = simulator(Checks::default());
    let got = launch(
        &device,
        &text("", "selp.u32 %o, 7, 0, %is_explicit_cluster; add.u32 %o, %o, %n;"),
        [3, 1, 1],
        None,
        1,
    );
    assert_eq!(got.unwrap(), [1, 1, 1]);
}

#[test]
fn a_block_arrives_at_anothers_barrier_in_memory() {
    // All threads of all blocks arrive at the gate of block 0; its threads wait.
    let body = format!(
        "mad.lo.u32 %w, %n, 40, 0; @%p0 bra READY; setp.ne.u32 %p1, %r, 0; @%p1 bra READY; mbarrier.init.shared.b64 [gate], %w;\n\
         READY: {MEET} mov.u32 %v, gate; mapa.shared::cluster.u32 %v, %v, 0; mapa.shared::cluster.u32 %w, %s, 0;\n\
         red.shared::cluster.add.u32 [%w], 1; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%v];\n\
         setp.ne.u32 %p1, %r, 0; @%p1 bra DONE;\n\
         WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [gate], 0; @!%p2 bra WAIT; ld.shared.u32 %o, [tile];\n\
         DONE: {MEET}"
    );
    let got = run(&body, 8, 4, 40);
    for (i, value) in got.into_iter().enumerate() {
        assert_eq!(value, if i / 40 % 4 == 0 { 160 } else { 0 }, "thread {i}");
    }
}

#[test]
fn copies_go_to_several_blocks() {
    // Block 1 copies to blocks 0 and 2 of 3; each waits for its own bytes.
    let body = format!(
        "@%p0 bra READY; mbarrier.init.shared.b64 [gate], 1; setp.eq.u32 %p1, %r, 1; @%p1 bra READY; mbarrier.arrive.expect_tx.shared.b64 _, [gate], 64;\n\
         READY: {MEET} setp.eq.u32 %p1, %r, 1; @!%p1 bra WAIT; @%p0 bra DONE;\n\
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile+16], [%in], 64, [gate], 5; bra DONE;\n\
         WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [gate], 0; @!%p2 bra WAIT;\n\
         DONE: mad.lo.u32 %v, %t, 4, %s; ld.shared.u32 %o, [%v+16]; {MEET}"
    );
    let got = run(&body, 3, 3, 16);
    let want: Vec<u32> = (0..48).map(|i| if i / 16 == 1 { 0 } else { i % 16 * 3 + 1 }).collect();
    assert_eq!(got, want);
}

#[test]
fn exits_count_at_the_barrier_and_waits_without_arrivals_are_found() {
    // Odd threads leave; some of them after their arrival.
    let body = "and.b32 %w, %t, 3; setp.eq.u32 %p1, %w, 1; @%p1 exit; setp.eq.u32 %p2, %w, 3; barrier.cluster.arrive; @%p2 exit; barrier.cluster.wait; mov.u32 %o, 9;";
    let got = run(body, 4, 2, 64);
    assert!(got.iter().enumerate().all(|(i, &v)| v == if i % 2 == 0 { 9 } else { 0 }), "{got:?}");
    let device = simulator(Checks::default());
    let stuck = launch(&device, &text("", "barrier.cluster.wait;"), [2, 1, 1], Some([2, 1, 1]), 32);
    let Err(LaunchError::Fault(fault)) = stuck else { panic!("{stuck:?}") };
    assert_eq!(fault.kind, FaultKind::Deadlock);
    let stuck = launch(
        &device,
        &text(
            "",
            "setp.eq.u32 %p1, %r, 1; @%p1 bra PAST; barrier.cluster.arrive; barrier.cluster.wait; PAST: @%p1 bar.sync 1, 64;",
        ),
        [2, 1, 1],
        Some([2, 1, 1]),
        32,
    );
    let Err(LaunchError::Fault(fault)) = stuck else { panic!("{stuck:?}") };
    assert_eq!(fault.kind, FaultKind::Deadlock);
}

#[test]
fn what_cannot_be_a_cluster_is_refused() {
    let device = simulator(Checks::default());
    let plain = text("", "");
    let fixed = text(".reqnctapercluster 2", "");
    for (text, grid, cluster, want) in [
        (&plain, 5, Some([2, 1, 1]), "a grid of 5x1x1 blocks is not made of clusters of 2x1x1"),
        (
            &plain,
            32,
            Some([32, 1, 1]),
            "number of blocks of a cluster is 32, but the limit of sm_90 is 16",
        ),
        (&plain, 32, Some([0, 1, 1]), "not made of clusters"),
        (&fixed, 4, Some([4, 1, 1]), "kernel requires clusters of 2x1x1 blocks, not 4x1x1"),
        (&fixed, 3, None, "not made of clusters"),
    ] {
        let got = launch(&device, text, [grid, 1, 1], cluster, 1).unwrap_err().to_string();
        assert!(got.contains(want), "{got}");
    }
    let older = Device::new();
    let got = launch(&older, &plain, [4, 1, 1], Some([2, 1, 1]), 1).unwrap_err().to_string();
    assert!(
        got.contains("number of blocks of a cluster is 2, but the limit of sm_80 is 1"),
        "{got}"
    );
    // A rank that there is not, and an address outside the other block's memory.
    for bad in [
        "mapa.shared::cluster.u32 %v, %s, 2; ld.shared::cluster.u32 %o, [%v];",
        "mapa.shared::cluster.u32 %v, %s, 1; ld.shared::cluster.u32 %o, [%v+4096];",
    ] {
        let found = launch(&device, &text("", bad), [2, 1, 1], Some([2, 1, 1]), 32);
        let Err(LaunchError::Fault(fault)) = found else { panic!("{found:?}") };
        assert!(matches!(fault.kind, FaultKind::OutOfBounds(_)), "{fault}");
    }
}

#[test]
fn a_grid_may_be_counted_in_clusters() {
    let device = simulator(Checks::default());
    let text = text(
        ".blocksareclusters .reqnctapercluster 2, 1, 1",
        "mov.u32 %o, %nctaid.x; mad.lo.u32 %o, %o, 10, %r;",
    );
    let out = device.words("out", &[0; 6]);
    let params = Params::default().ptr(out).ptr(out);
    let launch = Launch { grid: [3, 1, 1], params: &params.0, ..Launch::default() };
    device.0.launch(&module(&text), "k", &launch).unwrap();
    assert_eq!(device.read_words(out, 6), [60, 61, 60, 61, 60, 61]);
}

#[test]
fn checkers_see_the_cluster() {
    let read = "mapa.shared::cluster.u32 %v, %v, %w; ld.shared::cluster.u32 %o, [%v];";
    let found = |body: &str| {
        let device = simulator(Checks::ALL);
        launch(&device, &text("", body), [4, 1, 1], Some([2, 1, 1]), 64).unwrap();
        device.0.take_findings().into_iter().map(|f| f.kind).collect::<Vec<_>>()
    };
    let clean = ring(read);
    assert_eq!(found(&clean), []);
    assert_eq!(found(&clean.replace("cluster.arrive;", "cluster.arrive.release.aligned;")), []);
    // Without the barrier, and with one that publishes nothing.
    let races = found(&clean.replacen(MEET, "bar.sync 0;", 1));
    assert!(
        races.contains(&FindingKind::ReadAfterWrite)
            || races.contains(&FindingKind::WriteAfterRead),
        "{races:?}"
    );
    let races = found(&clean.replacen("cluster.arrive;", "cluster.arrive.relaxed;", 1));
    assert_eq!(races, [FindingKind::ReadAfterWrite]);
    // What the other block has not written.
    let unwritten = found(&format!(
        "{MEET} mapa.shared::cluster.u32 %v, %s, 1; ld.shared::cluster.u32 %o, [%v+512]; {MEET}"
    ));
    assert_eq!(unwritten, [FindingKind::UninitializedRead]);
    let divergent = found(
        "setp.lt.u32 %p1, %t, 40; @%p1 bra ON; ON: @%p1 barrier.cluster.arrive.aligned; @!%p1 barrier.cluster.arrive.aligned; barrier.cluster.wait;",
    );
    assert!(divergent.contains(&FindingKind::DivergentBarrier), "{divergent:?}");
}

#[test]
fn reductions_and_clears_in_bulk() {
    // Every block adds its words to those of block 0, and one word by itself; block 0 waits for all bytes.
    let body = format!(
        "@%p0 bra READY; mbarrier.init.shared.b64 [gate], 1; mov.u32 %w, 84; mul.lo.u32 %w, %w, %n; mbarrier.arrive.expect_tx.shared.b64 _, [gate], %w;\n\
         mov.u64 %x, 128; mov.u64 %y, tile; st.shared.u32 [tile+64], 77; st.bulk.weak.shared::cta [%y], %x, 0;\n\
         READY: bar.sync 0; mad.lo.u32 %v, %t, 4, %s; mad.lo.u32 %w, %r, 100, %t; st.shared.u32 [%v+256], %w; fence.proxy.async.shared::cta; {MEET}\n\
         mapa.shared::cluster.u32 %v, %s, 0; mov.u32 %w, gate; mapa.shared::cluster.u32 %w, %w, 0; setp.ge.u32 %p1, %t, 5; @%p1 bra ALL;\n\
         red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 [%v+64], %t, [%w];\n\
         ALL: @%p0 bra WAIT; cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%v], [tile+256], 64, [%w];\n\
         WAIT: {MEET} setp.ne.u32 %p1, %r, 0; @%p1 bra DONE; LOOP: mbarrier.try_wait.parity.shared.b64 %p2, [gate], 0; @!%p2 bra LOOP;\n\
         mad.lo.u32 %v, %t, 4, %s; ld.shared.u32 %o, [%v]; ld.shared.u32 %w, [tile+64]; mad.lo.u32 %o, %w, 10000, %o; DONE: {MEET}"
    );
    let got = run(&body, 3, 3, 16);
    let want: Vec<u32> = (0..16).map(|t| 40_000 + 300 + 3 * t).collect();
    assert_eq!(got[..16], want);
    // To global memory, in half precision: 1.0 and 2.0 onto zeros, twice.
    let body = "mad.lo.u32 %v, %t, 4, %s; mov.u32 %w, 0x40003c00; st.shared.u32 [%v], %w; bar.sync 0; @%p0 bra DONE;\n\
                cvt.u64.u32 %y, %s; cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%out], [%y], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n\
                cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%out], [%y], 16;\n\
                DONE: bar.sync 0; mul.wide.u32 %x, %t, 4; add.u64 %x, %x, %out; ld.global.u32 %o, [%x];";
    assert_eq!(run(body, 1, 1, 4), [0x4400_4000; 4]);
}

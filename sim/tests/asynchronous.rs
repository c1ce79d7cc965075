//! Barriers in memory, bulk copies, and a cluster of one block.

mod device;

use device::{Device, Params, module};
use gpuc_sim::{AccessKind, FaultKind, LaunchError};

fn text(body: &str) -> String {
    let text = format!(
        ".version 8.8\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 pin, .param .u64 pout) {{\n\
         .shared .align 16 .b8 tile[4096]; .shared .align 8 .b64 gate;\n\
         .reg .pred %p<4>; .reg .b32 %t, %v, %w, %s, %o; .reg .b64 %in, %out, %x, %st;\n\
         ld.param.u64 %in, [pin]; ld.param.u64 %out, [pout]; mov.u32 %t, %tid.x; setp.ne.u32 %p0, %t, 0; mov.u32 %s, tile;\n\
         {body}\nmul.wide.u32 %x, %t, 4; add.u64 %x, %x, %out; st.global.u32 [%x], %o; ret;\n}}\n"
    );
    if let Ok(folder) = std::env::var("GPUC_DUMP_PTX") {
        let hash = text.bytes().fold(0u64, |h, b| h.wrapping_mul(31).wrapping_add(b.into()));
        std::fs::write(format!("{folder}/async_{hash:016x}.ptx"), &text).unwrap();
    }
    text
}

fn run(body: &str, threads: u32) -> Result<Vec<u32>, LaunchError> {
    let device = Device::new();
    let input = device.words("in", &(0..1024).map(|i| i * 3 + 1).collect::<Vec<_>>());
    let out = device.words("out", &[0; 256]);
    let params = Params::default().ptr(input).ptr(out);
    device.try_launch(&module(&text(body)), "k", [1; 3], [threads, 1, 1], &params)?;
    Ok(device.read_words(out, threads as usize))
}

const INIT: &str = "@%p0 bra READY; mbarrier.init.shared.b64 [gate], COUNT; fence.mbarrier_init.release.cluster; READY: bar.sync 0;";

fn init(count: u32) -> String {
    INIT.replace("COUNT", &count.to_string())
}

#[test]
fn threads_meet_at_a_barrier_in_memory() {
    // Each thread writes, arrives, waits with its state, and reads what the opposite one wrote; twice.
    for threads in [1u32, 32, 100] {
        for wait in [
            "test_wait.shared.b64 %p1, [gate], %st",
            "try_wait.acquire.cta.shared::cta.b64 %p1, [gate], %st, 1000",
        ] {
            let round = |n: u32| {
                format!(
                    "mad.lo.u32 %v, %t, 4, %s; mad.lo.u32 %w, %t, {n}, 7; st.shared.u32 [%v], %w; mbarrier.arrive.shared.b64 %st, [gate];\n\
                     W{n}: mbarrier.{wait}; @!%p1 bra W{n};\n\
                     sub.u32 %w, {}, %t; mad.lo.u32 %w, %w, 4, %s; ld.shared.u32 %w, [%w]; mad.lo.u32 %o, %o, 1000, %w; bar.sync 0;\n",
                    threads - 1
                )
            };
            let body = format!("{}mov.u32 %o, 0;{}{}", init(threads), round(3), round(5));
            let want: Vec<u32> =
                (0..threads).rev().map(|t| (3 * t + 7) * 1000 + 5 * t + 7).collect();
            assert_eq!(run(&body, threads).unwrap(), want, "{wait}");
        }
    }
}

#[test]
fn bulk_copies_complete_on_a_barrier() {
    for destination in ["shared::cluster", "shared::cta"] {
        let body = format!(
            "{} @%p0 bra WAIT; mbarrier.arrive.expect_tx.shared.b64 _, [gate], 512;\n\
             cp.async.bulk.{destination}.global.mbarrier::complete_tx::bytes [%s], [%in], 256, [gate];\n\
             cp.async.bulk.{destination}.global.mbarrier::complete_tx::bytes [tile+256], [%in+1024], 256, [gate];\n\
             WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [gate], 0; @!%p1 bra WAIT;\n\
             mad.lo.u32 %v, %t, 4, %s; ld.shared.u32 %o, [%v];",
            init(1)
        );
        let want: Vec<u32> = (0..128).map(|t| (if t < 64 { t } else { t + 192 }) * 3 + 1).collect();
        assert_eq!(run(&body, 128).unwrap(), want);
    }
    // And out again: every thread's word, by one thread.
    let body = "mad.lo.u32 %v, %t, 4, %s; mul.lo.u32 %w, %t, 11; st.shared.u32 [%v], %w; fence.proxy.async.shared::cta; bar.sync 0; mov.u32 %o, 5;\n\
                @%p0 bra OUT; cp.async.bulk.global.shared::cta.bulk_group [%in], [%s], 128; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;\n\
                OUT: bar.sync 0; mul.wide.u32 %x, %t, 4; add.u64 %x, %x, %in; ld.global.u32 %o, [%x];";
    assert_eq!(run(body, 32).unwrap(), (0..32).map(|t| 11 * t).collect::<Vec<_>>());
}

#[test]
fn a_phase_needs_all_arrivals_and_all_bytes() {
    // One thread steps through it: bits of %o are the answers in order.
    let test = "mbarrier.test_wait.parity.shared.b64 %p1, [gate], 0; selp.u32 %v, 1, 0, %p1; mad.lo.u32 %o, %o, 2, %v;";
    let steps = [
        test,
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [gate], 64;",
        "mbarrier.arrive.shared.b64 %st, [gate], 2; mbarrier.pending_count.b64 %w, %st;",
        test,
        "mbarrier.arrive_drop.shared.b64 _, [gate];",
        test,
        "mbarrier.complete_tx.relaxed.cta.shared::cluster.b64 [gate], 60;",
        test,
        "mbarrier.complete_tx.relaxed.cta.shared::cluster.b64 [gate], 4;",
        test,
        // The next phase lacks one thread: two arrivals end it.
        "mbarrier.arrive.shared.b64 %st, [gate];",
        test,
        "mbarrier.arrive.noComplete.shared.b64 %st, [gate], 1;",
        test,
    ];
    let body = format!(
        "mbarrier.init.shared.b64 [gate], 3; mov.u32 %o, 0; {} mad.lo.u32 %o, %w, 1000, %o; mbarrier.inval.shared.b64 [gate];",
        steps.join("\n")
    );
    assert_eq!(run(&body, 1).unwrap(), [3000 + 0b0000110]);
}

#[test]
fn stores_count_their_bytes() {
    let body = format!(
        "{} @%p0 bra WAIT; mbarrier.arrive.expect_tx.shared.b64 _, [gate], 16; mov.u32 %w, 9;\n\
         st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%s], %w, [gate];\n\
         mov.u64 %st, 77; st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u64 [%s+8], %st, [gate];\n\
         st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%s+4], %w, [gate];\n\
         WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [gate], 0; @!%p1 bra WAIT; ld.shared.u32 %o, [tile+8]; ld.shared.u32 %w, [tile+4]; add.u32 %o, %o, %w;",
        init(1)
    );
    // Symbols of shared memory need a register in some of these.
    let body = body
        .replace("[gate];", "[%v];")
        .replace("mov.u32 %w, 9;", "mov.u32 %w, 9; mov.u32 %v, gate;");
    assert_eq!(run(&body, 40).unwrap(), [86; 40]);
}

#[test]
fn copies_of_the_old_kind_arrive_too() {
    let body = format!(
        "{} mul.wide.u32 %x, %t, 4; add.u64 %x, %x, %in; mad.lo.u32 %v, %t, 4, %s; cp.async.ca.shared.global [%v], [%x], 4;\n\
         cp.async.mbarrier.arrive.noinc.shared.b64 [gate]; WAIT: mbarrier.test_wait.parity.shared.b64 %p1, [gate], 0; @!%p1 bra WAIT;\n\
         xor.b32 %w, %t, 1; mad.lo.u32 %v, %w, 4, %s; ld.shared.u32 %o, [%v];",
        init(64)
    );
    assert_eq!(run(&body, 64).unwrap(), (0..64u32).map(|t| (t ^ 1) * 3 + 1).collect::<Vec<_>>());
}

#[test]
fn a_cluster_of_one_block() {
    let body = "mad.lo.u32 %v, %t, 4, %s; mul.lo.u32 %w, %t, 7; st.shared.u32 [%v], %w; barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n\
                xor.b32 %w, %t, 33; mad.lo.u32 %v, %w, 4, %s; mapa.shared::cluster.u32 %v, %v, 0; ld.shared::cluster.u32 %o, [%v]; getctarank.shared::cluster.u32 %w, %v; add.u32 %o, %o, %w;\n\
                fence.acq_rel.cluster; barrier.cluster.arrive; barrier.cluster.wait;";
    assert_eq!(run(body, 64).unwrap(), (0..64u32).map(|t| (t ^ 33) * 7).collect::<Vec<_>>());
}

#[test]
fn misuse_is_found() {
    let fault = |body: &str, threads| match run(body, threads) {
        Err(LaunchError::Fault(fault)) => fault.kind,
        other => panic!("no fault: {other:?}"),
    };
    let twice = "mov.u32 %o, 0; mbarrier.init.shared.b64 [gate], 1; mbarrier.arrive.shared.b64 %st, [gate], 2;";
    assert_eq!(fault(twice, 1), FaultKind::MemoryBarrier);
    let none = "mov.u32 %o, 0; mbarrier.init.shared.b64 [gate], 0;";
    assert_eq!(fault(none, 1), FaultKind::MemoryBarrier);
    let odd = "mov.u32 %o, 0; mbarrier.init.shared.b64 [gate], 1; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s+8], [%in], 16, [gate];";
    assert_eq!(fault(odd, 1), FaultKind::Misaligned(AccessKind::Write));
    let long = "mov.u32 %o, 0; mbarrier.init.shared.b64 [gate], 1; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%in+16], 4096, [gate];";
    assert_eq!(fault(long, 1), FaultKind::OutOfBounds(AccessKind::Read));
    let forever = format!(
        "{} mov.u32 %o, 0; WAIT: mbarrier.test_wait.parity.shared.b64 %p1, [gate], 0; @!%p1 bra WAIT;",
        init(2)
    );
    assert_eq!(fault(&forever, 1), FaultKind::EndlessLoop);
    let number = "mov.u32 %o, 0; bar.sync %t;";
    assert_eq!(
        fault(&number.replace("%t", "16").replace("bar.sync 16", "mov.u32 %w, 16; bar.sync %w"), 1),
        FaultKind::BarrierNumber
    );
}

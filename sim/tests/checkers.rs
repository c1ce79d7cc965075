//! The checkers find faults that were put in on purpose, and nothing in kernels that are right.

mod device;
mod seeds;

use std::time::Duration;

use device::{Device, Params, module};
use gpuc_sim::{Checker, Checks, Finding, FindingKind, Launch, LaunchError};

use FindingKind::*;
use seeds::{INITCHECK, MEMCHECK, RACECHECK, SYNCCHECK};

/// A kernel with two pointers in `%p` and `%q`, the thread in `%t`, the block in `%b`; C line 7 is
/// current. `tile` and `next` lie beside each other in shared memory, `own` and `rest` in local.
fn kernel(code: &str) -> String {
    format!(
        ".version 7.8\n.target sm_80\n.address_size 64\n.file 1 \"kernel.c\"\n\
         .visible .entry test(.param .u64 p, .param .u64 q) {{\n\
         .reg .pred %c<8>; .reg .b32 %r<16>, %t, %b; .reg .b64 %d<16>, %p, %q, %g;\n\
         .shared .align 16 .b8 tile[64]; .shared .align 16 .b8 next[512];\n\
         .local .align 16 .b8 own[16]; .local .align 16 .b8 rest[16];\n\
         ld.param.u64 %p, [p]; ld.param.u64 %q, [q]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x;\n\
         mad.wide.u32 %g, %t, 4, %p;\n.loc 1 7 5\n{code}\nret;\n}}\n"
    )
}

/// Findings of a kernel on two buffers of 64 words: `data` is written, `fresh` is not.
fn findings(code: &str, grid: u32, block: u32) -> (Vec<Finding>, Result<(), LaunchError>) {
    let device = Device::checked(Checks::ALL);
    let data = device.words("data", &[0; 64]);
    let fresh = device.0.alloc(256, "fresh").unwrap();
    let text = kernel(code);
    let module = module(&text);
    let launch = Launch {
        grid: [grid, 1, 1],
        block: [block, 1, 1],
        params: &Params::default().ptr(data).ptr(fresh).0,
        time_limit: Some(Duration::from_secs(60)),
        ..Launch::default()
    };
    let result = device.0.launch(&module, "test", &launch).map(drop);
    (device.0.take_findings(), result)
}

/// What to write into the current thread's place of `tile`, and a barrier.
const FILL: &str = "mul.lo.u32 %r1, %t, 4; mov.u32 %r0, tile; add.u32 %r0, %r0, %r1;\n";
const SPIN: &str = "ld.volatile.global.u32 %r2, [%p]; setp.eq.u32 %c0, %r2, 0;";

#[test]
fn seeded_faults_are_found() {
    let seeds = [MEMCHECK, INITCHECK, RACECHECK, SYNCCHECK].concat();
    assert!(seeds.len() >= 100, "{}", seeds.len());
    let mut missed = Vec::new();
    for (code, grid, block, kind, space, variable) in seeds {
        let (found, _) = findings(code, grid, block);
        let matches = |finding: &&Finding| {
            let named = finding.variable.as_ref().is_some_and(|v| &*v.name == variable);
            finding.kind == kind && finding.space == space && (variable.is_empty() || named)
        };
        match found.iter().find(matches) {
            None => missed.push(format!("{code}: wanted {kind:?}, found {found:#?}")),
            Some(finding) => {
                let side = finding.side.as_ref().expect("somebody did it");
                let place = side.place.as_ref().expect("there is a `.loc`");
                assert_eq!((&*place.file, place.line), ("kernel.c", 7), "{code}");
                assert!(finding.json().contains(kind.name()), "{code}");
                if kind.checker() == Checker::Racecheck {
                    assert!(finding.other.is_some(), "{code}");
                }
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn freed_and_leaked_memory() {
    let device = Device::checked(Checks::ALL);
    let data = device.words("data", &[0; 16]);
    let freed = device.words("freed", &[0; 16]);
    device.0.free(freed).unwrap();
    for code in
        ["ld.global.u32 %r0, [%q+8];", "st.global.u32 [%q], %t;", "red.global.add.u32 [%q], 1;"]
    {
        let module = module(&kernel(code));
        let params = Params::default().ptr(data).ptr(freed);
        let launch = Launch { params: &params.0, ..Launch::default() };
        device.0.launch(&module, "test", &launch).unwrap_err();
        let found = device.0.take_findings();
        assert_eq!(found.iter().map(|f| f.kind).collect::<Vec<_>>(), [UseAfterFree], "{code}");
    }
    let leaks = device.0.leaks();
    assert_eq!(leaks.len(), 1);
    assert_eq!(&*leaks[0].variable.as_ref().unwrap().name, "data");
    device.0.free(data).unwrap();
    assert!(device.0.leaks().is_empty());
}

#[test]
fn blocks_of_the_heap_change_owners() {
    let get = "{ .param .b64 x; .param .b64 y; st.param.b64 [x], 8; call (y), malloc, (x); ld.param.b64 %d1, [y]; }";
    let give = "{ .param .b64 x; st.param.b64 [x], %d1; call free, (x); }";
    let found = |code: &str| {
        let text = kernel(&code.replace("GET", get).replace("GIVE", give)).replace(
            ".visible",
            ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n.visible",
        );
        let device = Device::checked(Checks::ALL);
        let data = device.words("data", &[0; 64]);
        let params = Params::default().ptr(data).ptr(data);
        let launch =
            Launch { grid: [3, 1, 1], block: [64, 1, 1], params: &params.0, ..Launch::default() };
        device.0.launch(&module(&text), "test", &launch).unwrap();
        device.0.take_findings().iter().map(|f| (f.kind, f.count)).collect::<Vec<_>>()
    };
    // The blocks of threads get what those of the block before have freed.
    let both = "GET st.u32 [%d1], %t; st.u32 [%d1+4], %t; ld.u32 %r2, [%d1+4]; GIVE";
    assert_eq!(found(&both.repeat(2)), []);
    assert_eq!(found("GET st.u32 [%d1], %t; ld.u32 %r2, [%d1+4]; GIVE"), [(UninitializedRead, 6)]);
    assert_eq!(found("GET st.u32 [%d1+8], %t; GIVE"), [(OutOfBounds, 192)]);
    assert_eq!(
        found("GET st.u32 [%d1], %t; GIVE ld.u32 %r2, [%d1];").first().map(|f| f.0),
        Some(UseAfterFree)
    );
    // One block, kept, that two threads write.
    let shared = "setp.eq.u32 %c0, %t, 0; @!%c0 bra E; GET st.shared.u64 [tile], %d1;\nE: bar.sync 0; ld.shared.u64 %d1, [tile]; st.u32 [%d1], %t;";
    assert_eq!(found(shared).first().map(|f| f.0), Some(WriteAfterWrite));
}

#[test]
fn copies_on_the_device_initialize_only_what_was() {
    let device = Device::checked(Checks::ALL);
    let [from, to] = ["from", "to"].map(|label| device.0.alloc(64, label).unwrap());
    device.0.write(from, &[1; 32]).unwrap();
    device.0.copy(from, to, 64).unwrap();
    let run = |offset: u64| {
        let module = module(&kernel("ld.global.u32 %r0, [%p];"));
        let params = Params::default().ptr(to + offset).ptr(from);
        device
            .0
            .launch(&module, "test", &Launch { params: &params.0, ..Launch::default() })
            .unwrap();
        device.0.take_findings().len()
    };
    assert_eq!((run(0), run(28), run(32), run(60)), (0, 0, 1, 1));
    device.0.fill(to, 0, 64).unwrap();
    assert_eq!(run(60), 0);
}

#[test]
fn right_kernels_have_no_findings() {
    let fill = FILL;
    let spin = SPIN;
    for (code, grid, block) in [
        (format!("{fill} st.shared.u32 [%r0], %t; bar.sync 0; ld.shared.u32 %r2, [tile+60]; bar.sync 0; st.shared.u32 [%r0], 1;"), 2, 16),
        // A tree over the lanes of a warp.
        (format!("{fill} st.shared.u32 [%r0], %t; bar.warp.sync 0xffff; ld.shared.u32 %r2, [tile+4]; bar.warp.sync 0xffff; st.shared.u32 [%r0], %r2;"), 1, 16),
        // Everybody writes the same.
        ("st.shared.u32 [tile], 1; bar.sync 0; ld.shared.u32 %r0, [tile]; st.global.u32 [%p], %r0;".into(), 3, 64),
        // Atomics do not race with atomics.
        ("red.global.add.u32 [%p], 1; atom.global.max.u32 %r0, [%p+4], %t;".into(), 4, 64),
        // A flag that is released and acquired by itself, by a store and by an atomic.
        ("setp.eq.u32 %c1, %b, 1; @!%c1 bra READ; st.global.u32 [%p+4], 7; st.release.gpu.global.u32 [%p], 1; ret;\nREAD: ld.acquire.gpu.global.u32 %r2, [%p]; setp.eq.u32 %c0, %r2, 0; @%c0 bra READ; ld.global.u32 %r3, [%p+4];".into(), 2, 1),
        ("setp.eq.u32 %c1, %b, 1; @!%c1 bra READ; st.global.u32 [%p+4], 7; atom.acq_rel.gpu.global.exch.b32 %r0, [%p], 1; ret;\nREAD: atom.acq_rel.gpu.global.or.b32 %r2, [%p], 0; setp.eq.u32 %c0, %r2, 0; @%c0 bra READ; ld.global.u32 %r3, [%p+4];".into(), 2, 1),
        ("setp.eq.u32 %c0, %t, 0; @%c0 st.shared.u32 [tile], 0; bar.sync 0; atom.shared.add.u32 %r0, [tile], 1; bar.sync 0; ld.shared.u32 %r1, [tile];".into(), 2, 96),
        // Neighbouring bytes.
        ("cvt.u64.u32 %d0, %t; add.s64 %d0, %d0, %p; st.global.u8 [%d0], %t; ld.global.u8 %r0, [%d0];".into(), 1, 64),
        // A flag with a fence, waited for by more blocks than there are host threads.
        (format!("setp.eq.u32 %c1, %b, 15; @!%c1 bra READ; st.global.u32 [%p+4], 7; membar.gl; st.volatile.global.u32 [%p], 1; ret;\nREAD: {spin} @%c0 bra READ; membar.gl; ld.global.u32 %r3, [%p+4];"), 16, 1),
        // A barrier of the grid, twice.
        (format!("mov.u32 %r5, 0; ROUND: add.u32 %r5, %r5, 12; membar.gl; atom.global.add.u32 %r0, [%p], 1; WAIT: {spin} setp.lt.u32 %c2, %r2, %r5; @%c2 bra WAIT; membar.gl; setp.lt.u32 %c3, %r5, 24; @%c3 bra ROUND;"), 12, 1),
        // A producer and a consumer at named barriers.
        ("setp.lt.u32 %c0, %t, 32; @%c0 bra PRODUCE; bar.sync 1, 64; ld.shared.u32 %r0, [tile]; ret; PRODUCE: setp.eq.u32 %c1, %t, 5; @%c1 st.shared.u32 [tile], 3; bar.warp.sync -1; bar.arrive 1, 64;".into(), 1, 64),
        ("mov.u64 %d0, tile; mad.wide.u32 %d0, %t, 4, %d0; cp.async.ca.shared.global [%d0], [%g], 4; cp.async.wait_all; bar.sync 0; ld.shared.u32 %r0, [tile+4];".into(), 1, 16),
        ("st.global.u32 [%q], %t; bar.warp.sync 1; ld.global.u32 %r0, [%q];".into(), 1, 1),
        ("st.local.v2.u32 [own], {%t, %t}; ld.local.u32 %r0, [own+4]; st.local.u8 [rest+15], %r0;".into(), 1, 33),
        ("shfl.sync.bfly.b32 %r0, %t, 16, 31, -1; vote.sync.any.pred %c0, %c1, -1;".into(), 1, 64),
    ] {
        let (found, result) = findings(&code, grid, block);
        assert!(found.is_empty() && result.is_ok(), "{code}: {result:?}\n{found:#?}");
    }
}

#[test]
fn findings_are_the_same_every_time_and_say_both_sides() {
    let (code, grid, block, ..) = RACECHECK[5];
    let (first, _) = findings(code, grid, block);
    assert_eq!(first, findings(code, grid, block).0);
    let race = &first[0];
    let text = race.diagnostic();
    assert!(text.message.starts_with("racecheck: race in global memory: write"), "{text:?}");
    assert_eq!(text.label, "element 32 of `data`");
    assert!(text.help[0].contains("block (0, 0, 0), thread (32, 0, 0)"), "{text:?}");
    assert!(text.help[1].contains("read by block (0, 0, 0), thread (0, 0, 0)"), "{text:?}");
    assert_eq!(race.count, 32);
}

#[test]
fn lists_of_checkers() {
    let only = |checks: &str| checks.parse::<Checks>();
    assert_eq!(only("all"), Ok(Checks::ALL));
    assert_eq!(only("memcheck, racecheck,initcheck,synccheck"), Ok(Checks::ALL));
    assert_eq!(only("racecheck"), Ok(Checks { racecheck: true, ..Checks::default() }));
    assert!(only("").is_err());
    assert!(only("lint").unwrap_err().contains("there are memcheck"));
}

#[test]
fn tiles_of_a_warp_name_their_own_lanes() {
    // Both halves of a warp shuffle at once, each with its own mask, as cooperative groups' tiles do.
    let tiles = "and.b32 %r1, %t, 16; mov.u32 %r2, 65535; shl.b32 %r2, %r2, %r1;\n\
                 shfl.sync.bfly.b32 %r3, %t, 1, 4127, %r2;\n\
                 vote.sync.any.pred %c1, %c1, %r2;";
    let (found, result) = findings(&format!("setp.eq.u32 %c1, %t, 3;\n{tiles}"), 1, 32);
    assert!(found.is_empty() && result.is_ok(), "{found:?}");
    // A lane that its own mask does not name is found all the same.
    let wrong = tiles.replace("and.b32 %r1, %t, 16", "and.b32 %r1, %t, 8");
    let (found, _) = findings(&format!("setp.eq.u32 %c1, %t, 3;\n{wrong}"), 1, 32);
    assert!(found.iter().any(|finding| finding.kind == InactiveLanes), "{found:?}");
}

#[test]
fn a_barrier_of_the_grid_orders_what_its_blocks_do() {
    // Word 0 is where they meet, as `offload.grid_barrier` lets them; block `b` leaves `b` in word 8 + b, and the
    // next one reads it.
    let meet = "bar.sync 0; setp.ne.u32 %c0, %t, 0; @%c0 bra $met;\n\
                mov.u32 %r3, %nctaid.x; sub.u32 %r3, 0x80000001, %r3; setp.eq.u32 %c1, %b, 0; selp.b32 %r3, %r3, 1, %c1;\n\
                atom.release.gpu.global.add.u32 %r4, [%p], %r3;\n\
                $wait: ld.acquire.gpu.global.u32 %r5, [%p]; xor.b32 %r5, %r5, %r4; setp.ge.s32 %c2, %r5, 0; @%c2 bra $wait;\n\
                $met: bar.warp.sync 0xffffffff; bar.sync 0;\n";
    let code = |meet: &str| {
        format!(
            "setp.eq.u32 %c3, %t, 33; mad.wide.u32 %d0, %b, 4, %p; @%c3 st.global.u32 [%d0+32], %b;\n{meet}\
             add.u32 %r0, %b, 1; mov.u32 %r1, %nctaid.x; rem.u32 %r0, %r0, %r1; mad.wide.u32 %d1, %r0, 4, %p;\n\
             ld.global.u32 %r2, [%d1+32];"
        )
    };
    for blocks in [1, 2, 9] {
        let (found, result) = findings(&code(meet), blocks, 64);
        assert!(found.is_empty() && result.is_ok(), "{blocks}: {found:?}");
    }
    let races = |text: &str| {
        let checker = |finding: &Finding| finding.kind.checker();
        findings(text, 3, 64).0.iter().any(|finding| checker(finding) == Checker::Racecheck)
    };
    assert!(races(&code("bar.sync 0;\n")), "none at all");
    let relaxed = meet.replace("atom.release.gpu", "atom").replace("ld.acquire.gpu", "ld.volatile");
    assert!(races(&code(&relaxed)), "one that orders nothing");
}

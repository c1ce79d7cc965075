//! Lanes together: shuffles, votes, barriers, atomics, divergence, calls and module variables.

mod device;

use device::{Device, Params, module};
use gpuc_sim::{FaultKind, LaunchError};

/// A kernel with an output pointer; `%t` is the thread, its result `%o`.
fn run(declarations: &str, code: &str, threads: u32) -> Vec<u32> {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n{declarations}\n\
         .visible .entry test(.param .u64 p_out) {{\n\
         .reg .pred %p<8>; .reg .b32 %r<16>, %t, %o; .reg .b64 %d<8>, %out;\n\
         ld.param.u64 %out, [p_out]; mov.u32 %t, %tid.x; mov.u32 %o, 0;\n{code}\n\
         mad.wide.u32 %out, %t, 4, %out; st.global.u32 [%out], %o;\nret;\n}}\n"
    );
    if let Ok(folder) = std::env::var("GPUC_DUMP_PTX") {
        let name: String = code
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .take(60)
            .collect();
        std::fs::write(format!("{folder}/{name}.ptx"), &text).unwrap();
    }
    let device = Device::new();
    let out = device.words("out", &vec![0xdead; threads as usize]);
    device.launch(&module(&text), "test", 1, threads, &Params::default().ptr(out));
    device.read_words(out, threads as usize)
}

fn check(code: &str, threads: u32, want: impl Fn(u32) -> u32) {
    let want: Vec<u32> = (0..threads).map(want).collect();
    assert_eq!(run("", code, threads), want, "{code}");
}

#[test]
fn shuffles() {
    check("shfl.sync.down.b32 %o|%p0, %t, 4, 31, -1; @!%p0 mov.u32 %o, 99;", 32, |t| {
        if t < 28 { t + 4 } else { 99 }
    });
    check("shfl.sync.up.b32 %o|%p0, %t, 1, 0, -1; @!%p0 mov.u32 %o, 99;", 32, |t| {
        if t == 0 { 99 } else { t - 1 }
    });
    check("shfl.sync.bfly.b32 %o, %t, 5, 31, -1;", 32, |t| t ^ 5);
    check("shfl.sync.idx.b32 %o, %t, 3, 31, -1;", 32, |_| 3);
    // Segments of 8 lanes: mask 0x18 in bits 8 to 12.
    check("shfl.sync.idx.b32 %o, %t, 2, 0x181f, -1;", 32, |t| t / 8 * 8 + 2);
    check("shfl.sync.down.b32 %o, %t, 4, 0x181f, -1;", 32, |t| if t % 8 < 4 { t + 4 } else { t });
}

#[test]
fn votes_matches_and_reductions() {
    check("setp.lt.u32 %p0, %t, 5; vote.sync.ballot.b32 %o, %p0, -1;", 32, |_| 31);
    check(
        "setp.lt.u32 %p0, %t, 5; vote.sync.all.pred %p1, %p0, -1; selp.b32 %o, 1, 2, %p1;",
        32,
        |_| 2,
    );
    check(
        "setp.lt.u32 %p0, %t, 5; vote.sync.any.pred %p1, !%p0, -1; selp.b32 %o, 1, 2, %p1;",
        32,
        |_| 1,
    );
    check("and.b32 %r0, %t, 1; match.any.sync.b32 %o, %r0, -1;", 32, |t| 0x5555_5555 << (t & 1));
    check("match.all.sync.b32 %o|%p0, 7, -1;", 32, |_| u32::MAX);
    check("redux.sync.add.u32 %o, %t, -1;", 32, |_| 31 * 16);
    check("sub.u32 %r0, 0, %t; redux.sync.min.s32 %o, %r0, -1;", 32, |_| -31i32 as u32);
    check("setp.lt.u32 %p0, %t, 3; @!%p0 bra E; activemask.b32 %o; E:", 32, |t| {
        if t < 3 { 7 } else { 0 }
    });
    check("elect.sync %o|%p0, -1; @%p0 add.u32 %o, %o, 100;", 32, |t| if t == 0 { 100 } else { 0 });
    check("mov.u32 %o, %lanemask_lt;", 40, |t| (1 << (t % 32)) - 1);
    // Lanes that arrive from two sides of a branch take part together.
    let apart = "setp.lt.u32 %p0, %t, 16; @%p0 bra A; add.u32 %r0, %t, 100; bra B; A: mov.u32 %r0, %t; \
                 B: shfl.sync.bfly.b32 %o, %r0, 16, 31, -1;";
    check(apart, 32, |t| if t < 16 { t + 116 } else { t - 16 });
    let sides = "setp.lt.u32 %p0, %t, 16; @%p0 bra A; bar.warp.sync -1; mov.u32 %o, 1; bra B; \
                 A: bar.warp.sync -1; mov.u32 %o, 2; B:";
    check(sides, 32, |t| if t < 16 { 2 } else { 1 });
}

#[test]
fn barriers() {
    let exchange = ".shared .align 4 .b8 tile[512]; mov.u32 %r0, tile; mad.lo.u32 %r1, %t, 4, %r0; \
                    st.shared.u32 [%r1], %t; bar.sync 0; xor.b32 %r2, %t, 127; mad.lo.u32 %r3, %r2, 4, %r0; \
                    ld.shared.u32 %o, [%r3];";
    check(exchange, 128, |t| 127 - t);
    check("setp.lt.u32 %p0, %t, 37; bar.red.popc.u32 %o, 0, %p0;", 96, |_| 37);
    check(
        "setp.lt.u32 %p0, %t, 37; bar.red.or.pred %p1, 0, %p0; selp.b32 %o, 1, 0, %p1;",
        96,
        |_| 1,
    );
    check(
        "setp.lt.u32 %p0, %t, 37; barrier.red.and.aligned.pred %p1, 0, %p0; selp.b32 %o, 1, 0, %p1;",
        96,
        |_| 0,
    );
    // The first warp produces, the second waits for it at barrier 1.
    let producer = ".shared .align 4 .b8 cell[4]; setp.ge.u32 %p0, %t, 32; @%p0 bra C; setp.eq.u32 %p1, %t, 0; \
                    @%p1 st.shared.u32 [cell], 42; bar.arrive 1, 64; bra E; C: bar.sync 1, 64; ld.shared.u32 %o, [cell]; E:";
    check(producer, 64, |t| if t < 32 { 0 } else { 42 });
    // Threads that have left are not waited for.
    check(
        "setp.ge.u32 %p0, %t, 70; @%p0 bra E; bar.sync 0; mov.u32 %o, 1; bra F; E: exit; F:",
        70,
        |_| 1,
    );
}

#[test]
fn atomics() {
    let cell =
        ".global .align 8 .u64 cell = 5;\n.global .align 8 .f64 sum;\n.global .align 4 .f32 fsum;";
    let sorted = |code: &str| {
        let mut out = run(cell, code, 64);
        out.sort_unstable();
        out
    };
    let up: Vec<u32> = (5..69).collect();
    assert_eq!(sorted("atom.global.add.u32 %o, [cell], 1;"), up);
    assert_eq!(
        run(
            cell,
            "red.global.add.f64 [sum], 0d3FE0000000000000; bar.sync 0; ld.global.f64 %d0, [sum]; cvt.rzi.u32.f64 %o, %d0;",
            64
        ),
        [32; 64]
    );
    assert_eq!(
        run(
            cell,
            "atom.global.add.f32 %r0, [fsum], 0f3F800000; bar.sync 0; ld.global.f32 %r0, [fsum]; cvt.rzi.u32.f32 %o, %r0;",
            64
        ),
        [64; 64]
    );
    assert_eq!(
        run(cell, "atom.global.max.s32 %r0, [cell], %t; bar.sync 0; ld.global.u32 %o, [cell];", 64),
        [63; 64]
    );
    assert_eq!(
        run(cell, "red.global.min.u64 [cell], 3; bar.sync 0; ld.global.u32 %o, [cell];", 64),
        [3; 64]
    );
    assert_eq!(
        run(cell, "atom.global.inc.u32 %r0, [cell], 7; bar.sync 0; ld.global.u32 %o, [cell];", 64),
        [5; 64]
    );
    assert_eq!(run(cell, "atom.global.exch.b32 %o, [cell], 9; ", 1), [5]);
    assert_eq!(
        run(cell, "atom.global.cas.b64 %d0, [cell], 5, 8; ld.global.u32 %o, [cell];", 1),
        [8]
    );
    assert_eq!(
        run(cell, "atom.global.cas.b64 %d0, [cell], 4, 8; ld.global.u32 %o, [cell];", 1),
        [5]
    );
    let shared = ".shared .align 4 .b8 s[4]; atom.shared.add.u32 %r0, [s], %t; bar.sync 0; ld.shared.u32 %o, [s];";
    check(shared, 64, |_| 63 * 32);
}

#[test]
fn divergence_and_progress() {
    // Each lane loops as often as its number.
    let loops = "mov.u32 %r0, 0; A: setp.ge.u32 %p0, %r0, %t; @%p0 bra B; add.u32 %r0, %r0, 1; add.u32 %o, %o, 3; bra A; \
                 B: shfl.sync.idx.b32 %r1, %o, 31, 31, -1; add.u32 %o, %o, %r1;";
    check(loops, 32, |t| 3 * t + 93);
    // A lock taken in turn by the lanes of one warp, and by the warps of the block.
    let lock = ".global .align 4 .u32 lock; .global .align 4 .u32 count;";
    let spin = "A: atom.global.acquire.gpu.cas.b32 %r0, [lock], 0, 1; setp.ne.u32 %p0, %r0, 0; @%p0 bra A; \
                ld.global.u32 %o, [count]; add.u32 %r1, %o, 1; st.global.u32 [count], %r1; membar.gl; \
                atom.global.release.gpu.exch.b32 %r2, [lock], 0;";
    let mut order = run(lock, spin, 96);
    order.sort_unstable();
    assert_eq!(order, (0..96).collect::<Vec<_>>());
    // The second half waits for a flag that the first half sets after the branch.
    let flag = "setp.lt.u32 %p0, %t, 16; @%p0 bra S; W: ld.volatile.global.u32 %r0, [lock]; setp.eq.u32 %p1, %r0, 0; \
                @%p1 bra W; mov.u32 %o, %r0; bra E; S: st.volatile.global.u32 [lock], 5; E:";
    assert_eq!(run(lock, flag, 32)[16..], [5; 16]);
}

#[test]
fn jump_tables() {
    let table = "rem.u32 %r0, %t, 3; ts: .branchtargets A, B, C; brx.idx %r0, ts; \
                 A: mov.u32 %o, 10; bra E; B: mov.u32 %o, 20; bra E; C: mov.u32 %o, 30; E: add.u32 %o, %o, 1;";
    check(table, 32, |t| 10 * (t % 3) + 11);
    let device = Device::new();
    let at = |guard: &str, last: u32| {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {{ .reg .pred %p; .reg .b32 %t; mov.u32 %t, %tid.x; setp.lt.u32 %p, %t, {last};\n\
             ts: .branchtargets A, B;\n{guard} brx.idx %t, ts;\nA: ret; B: ret; }}\n"
        );
        device.try_launch(&module(&text), "k", [1; 3], [40, 1, 1], &Params::default())
    };
    at("@%p", 2).unwrap();
    let Err(LaunchError::Fault(fault)) = at("@%p", 3) else { panic!("no fault") };
    assert_eq!((fault.kind, fault.thread, fault.ptx_line), (FaultKind::BranchIndex, [2, 0, 0], 6));
    assert_eq!(fault.detail, "the index is 2, and the list has 2 targets");
}

#[test]
fn calls_are_inlined_with_their_own_names() {
    let functions = ".func (.param .b32 ret) twice(.param .b32 x);\n\
        .func (.param .b32 ret) inner(.param .b32 x) { .reg .b32 %r<3>; ld.param.u32 %r1, [x]; \
          add.u32 %r2, %r1, 1; st.param.b32 [ret], %r2; ret; }\n\
        .func (.param .b32 ret) twice(.param .b32 x) { .reg .b32 %r<5>; .reg .pred %p<2>; ld.param.u32 %r1, [x]; \
          setp.gt.u32 %p1, %r1, 10; @%p1 bra BIG; \
          { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), inner, (a); ld.param.b32 %r2, [b]; } \
          shl.b32 %r2, %r2, 1; st.param.b32 [ret+0], %r2; ret; \
          BIG: st.param.b32 [ret+0], 7; ret; }";
    let code = "{ .param .b32 param0; .param .b32 retval0; st.param.b32 [param0+0], %t; \
                call.uni (retval0), twice, (param0); ld.param.b32 %o, [retval0+0]; } \
                setp.eq.u32 %p0, %t, 3; { .param .b32 q; .param .b32 w; st.param.b32 [q], %o; \
                @%p0 call (w), inner, (q); ld.param.b32 %r1, [w]; @%p0 mov.b32 %o, %r1; }";
    let want: Vec<u32> =
        (0..32u32).map(|t| if t > 10 { 7 } else { 2 * (t + 1) } + u32::from(t == 3)).collect();
    assert_eq!(run(functions, code, 32), want);
}

#[test]
fn module_variables() {
    let variables = ".const .align 4 .b32 primes[4] = {2, 3, 5, 7};\n\
        .global .align 8 .u64 links[2] = {primes, generic(primes)+8};\n\
        .global .align 4 .f32 half = 0f3F000000;\n.global .align 1 .b8 text[6] = {104, 105};\n\
        .extern .shared .align 16 .b8 dynamic[];";
    let at = |code: &str| run(variables, code, 1)[0];
    assert_eq!(at("ld.const.u32 %o, [primes+8];"), 5);
    assert_eq!(at("mov.u64 %d0, primes; ld.const.u32 %o, [%d0+12];"), 7);
    assert_eq!(at("ld.global.u64 %d0, [links+8]; ld.u32 %o, [%d0];"), 5);
    assert_eq!(at("ld.global.f32 %o, [half];"), 0.5f32.to_bits());
    assert_eq!(at("ld.global.u8 %o, [text+1];"), 105);
    assert_eq!(at("mov.u32 %o, %dynamic_smem_size;"), 0);
}

#[test]
fn asynchronous_copies() {
    let source = ".global .align 16 .b32 source[4] = {1, 2, 3, 4};";
    let code = ".shared .align 16 .b8 tile[32]; mov.u32 %r0, tile; \
                cp.async.cg.shared.global [%r0], [source], 16; cp.async.ca.shared.global [%r0+16], [source], 8, 4; \
                cp.async.commit_group; cp.async.wait_group 0; \
                ld.shared.u32 %o, [tile+12]; ld.shared.u32 %r1, [tile+16]; ld.shared.u32 %r2, [tile+20]; \
                mad.lo.u32 %o, %r1, 10, %o; mad.lo.u32 %o, %r2, 100, %o;";
    assert_eq!(run(source, code, 1), [14]);
}

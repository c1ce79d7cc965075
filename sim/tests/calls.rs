//! Calls with frames: recursion, indirect calls, deep chains, and what several texts make together.

mod device;

use device::{Device, Params, module};
use gpuc_sim::{FaultKind, LaunchError, Module};

const HEAD: &str = ".version 8.7\n.target sm_100a\n.address_size 64\n";

/// A kernel `k(out)` whose thread t has t in `%t` and stores `%o`.
fn kernel(declarations: &str, body: &str) -> String {
    format!(
        "{HEAD}{declarations}\n.visible .entry k(.param .u64 p_out) {{\n\
         .reg .pred %p<4>; .reg .b32 %t, %o, %r<9>; .reg .b64 %out, %d<9>;\n\
         ld.param.u64 %out, [p_out]; mov.u32 %t, %tid.x; mad.wide.u32 %out, %t, 4, %out;\n\
         {body}\nst.global.u32 [%out], %o; ret;\n}}\n"
    )
}

fn run(text: &str, threads: u32) -> Result<Vec<u32>, LaunchError> {
    assembled(text);
    let device = Device::new();
    let out = device.words("out", &vec![0xdead; threads as usize]);
    device.try_launch(&module(text), "k", [1; 3], [threads, 1, 1], &Params::default().ptr(out))?;
    Ok(device.read_words(out, threads as usize))
}

fn fault(text: &str) -> gpuc_sim::Fault {
    match run(text, 32) {
        Err(LaunchError::Fault(fault)) => *fault,
        other => panic!("no fault: {other:?}"),
    }
}

fn assembled(text: &str) {
    if let Ok(folder) = std::env::var("GPUC_DUMP_PTX") {
        let hash = text.bytes().fold(0u64, |h, b| h.wrapping_mul(31).wrapping_add(b.into()));
        std::fs::write(format!("{folder}/calls_{hash:016x}.ptx"), text).unwrap();
    }
}

/// fib by double recursion, whose caller's registers live across both calls.
const FIB: &str = "
.func (.param .b32 r) fib(.param .b32 n) {
 .reg .pred %p; .reg .b32 %n, %a, %b;
 ld.param.u32 %n, [n];
 setp.lt.u32 %p, %n, 2;
 @%p st.param.b32 [r], %n;
 @%p ret;
 { .param .b32 x; .param .b32 y;
   sub.u32 %a, %n, 1; st.param.b32 [x], %a; call (y), fib, (x); ld.param.b32 %a, [y]; }
 { .param .b32 x; .param .b32 y;
   sub.u32 %b, %n, 2; st.param.b32 [x], %b; call (y), fib, (x); ld.param.b32 %b, [y]; }
 add.u32 %a, %a, %b; st.param.b32 [r], %a; ret;
}";

#[test]
fn recursion_of_lanes_at_different_depths() {
    let fib = |n: u32| (0..n).fold((0u32, 1u32), |(a, b), _| (b, a + b)).0;
    let text = kernel(
        FIB,
        "{ .param .b32 x; .param .b32 y; rem.u32 %r0, %t, 13; st.param.b32 [x], %r0;\n\
         call.uni (y), fib, (x); ld.param.b32 %o, [y]; }",
    );
    for threads in [1, 31, 32, 70] {
        let want: Vec<u32> = (0..threads).map(|t| fib(t % 13)).collect();
        assert_eq!(run(&text, threads).unwrap(), want);
    }
}

#[test]
fn mutual_recursion_with_64_bit_and_predicate_registers() {
    // even(n) and odd(n) carry a 64-bit product and a predicate across the call.
    let function = |name: &str, other: &str, end: u32| {
        format!(
            ".func (.param .b64 r) {name}(.param .b32 n, .param .b64 acc) {{
 .reg .pred %p, %q; .reg .b32 %n; .reg .b64 %a, %b;
 ld.param.u32 %n, [n]; ld.param.u64 %a, [acc];
 setp.eq.u32 %p, %n, 0;
 @%p bra DONE;
 setp.gt.u32 %q, %n, 3;
 {{ .param .b32 x; .param .b64 y; .param .b64 z;
   sub.u32 %n, %n, 1; st.param.b32 [x], %n; mad.lo.u64 %b, %a, 3, 1; st.param.b64 [y], %b;
   call (z), {other}, (x, y); ld.param.b64 %b, [z]; }}
 @%q add.u64 %b, %b, 1000;
 add.u64 %b, %b, %a; st.param.b64 [r], %b; ret;
DONE: add.u64 %a, %a, {end}; st.param.b64 [r], %a; ret;
}}"
        )
    };
    let text = kernel(
        &format!(
            ".func (.param .b64 r) odd(.param .b32 n, .param .b64 acc);\n{}\n{}",
            function("even", "odd", 7),
            function("odd", "even", 9)
        ),
        "{ .param .b32 x; .param .b64 y; .param .b64 z; and.b32 %r0, %t, 15; st.param.b32 [x], %r0;\n\
         cvt.u64.u32 %d0, %t; st.param.b64 [y], %d0; call (z), even, (x, y); ld.param.b64 %d1, [z];\n\
         shr.u64 %d2, %d1, 32; xor.b64 %d1, %d1, %d2; cvt.u32.u64 %o, %d1; }",
    );
    fn walk(n: u64, acc: u64, even: bool) -> u64 {
        if n == 0 {
            return acc + if even { 7 } else { 9 };
        }
        let inner = walk(n - 1, acc.wrapping_mul(3).wrapping_add(1), !even);
        inner + if n > 3 { 1000 } else { 0 } + acc
    }
    let want: Vec<u32> = (0..45u64)
        .map(|t| {
            let value = walk(t & 15, t, true);
            (value ^ (value >> 32)) as u32
        })
        .collect();
    assert_eq!(run(&text, 45).unwrap(), want);
}

#[test]
fn a_frame_keeps_its_memory_while_deeper_ones_run() {
    // Each level writes its array, calls deeper with a pointer to it, and sums both afterwards.
    let text = kernel(
        ".func (.param .b32 r) f(.param .b32 n, .param .b64 up) {
 .local .align 4 .b8 mine[16]; .reg .pred %p; .reg .b32 %n, %v, %w; .reg .b64 %a, %u, %m;
 ld.param.u32 %n, [n]; ld.param.u64 %u, [up];
 mov.u64 %m, mine; cvta.local.u64 %a, %m;
 st.local.u32 [mine+4], %n; st.local.u32 [%m+8], 100;
 setp.eq.u32 %p, %n, 0; mov.u32 %v, 0; @%p bra OUT;
 { .param .b32 x; .param .b64 y; .param .b32 z;
   sub.u32 %n, %n, 1; st.param.b32 [x], %n; st.param.b64 [y], %a; call (z), f, (x, y); ld.param.b32 %v, [z]; }
OUT:
 ld.u32 %w, [%u+4]; add.u32 %v, %v, %w; ld.local.u32 %w, [mine+4]; add.u32 %v, %v, %w;
 ld.u32 %w, [%a+8]; add.u32 %v, %v, %w; st.param.b32 [r], %v; ret;
}",
        "{ .local .align 8 .b8 top[8]; .param .b32 x; .param .b64 y; .param .b32 z;\n\
         st.local.u32 [top+4], 5; mov.u64 %d0, top; cvta.local.u64 %d1, %d0;\n\
         and.b32 %r0, %t, 7; st.param.b32 [x], %r0; st.param.b64 [y], %d1; call (z), f, (x, y);\n\
         ld.param.b32 %o, [z]; ld.local.u32 %r1, [top+4]; add.u32 %o, %o, %r1; }",
    );
    fn walk(n: u32, up: u32) -> u32 {
        let inner = if n == 0 { 0 } else { walk(n - 1, n) };
        inner + up + n + 100
    }
    let want: Vec<u32> = (0..40).map(|t| walk(t & 7, 5) + 5).collect();
    assert_eq!(run(&text, 40).unwrap(), want);
}

#[test]
fn indirect_calls_go_where_each_lane_says() {
    let functions: String = (0..5)
        .map(|i| {
            format!(
                ".func (.param .b32 r) f{i}(.param .b32 a) {{ .reg .b32 %a; ld.param.u32 %a, [a];\n\
                 mad.lo.u32 %a, %a, {}, {i}; st.param.b32 [r], %a; ret; }}\n",
                i + 2
            )
        })
        .collect();
    let table = ".global .u64 table[5] = {f0, f1, f2, f3, f4};";
    for targets in [
        "proto: .callprototype (.param .b32 _) _ (.param .b32 _);",
        "proto: .calltargets f0, f1, f2, f3, f4;",
    ] {
        let text = kernel(
            &format!("{functions}{table}"),
            &format!(
                "mov.u64 %d0, table; rem.u32 %r0, %t, 5; mad.wide.u32 %d0, %r0, 8, %d0; ld.global.u64 %d1, [%d0];\n\
                 setp.eq.u32 %p0, %t, 9; mov.u64 %d2, f4; @%p0 mov.u64 %d1, %d2; mov.u32 %o, 77; setp.ne.u32 %p1, %t, 11;\n\
                 {{ .param .b32 x; .param .b32 y; {targets}\n\
                 st.param.b32 [x], %t; @%p1 call (y), %d1, (x), proto; ld.param.b32 %r1, [y]; }} @%p1 mov.b32 %o, %r1;"
            ),
        );
        let want: Vec<u32> = (0..50)
            .map(|t| {
                let i = if t == 9 { 4 } else { t % 5 };
                if t == 11 { 77 } else { t * (i + 2) + i }
            })
            .collect();
        assert_eq!(run(&text, 50).unwrap(), want);
    }
}

#[test]
fn recursion_through_an_address() {
    let text = kernel(
        ".func (.param .b32 r) down(.param .b32 n, .param .b64 f) {
 .reg .pred %p; .reg .b32 %n, %v; .reg .b64 %f;
 ld.param.u32 %n, [n]; ld.param.u64 %f, [f]; setp.eq.u32 %p, %n, 0; mov.u32 %v, 1; @%p bra OUT;
 { .param .b32 x; .param .b64 y; .param .b32 z; .reg .b32 %m;
   proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);
   sub.u32 %m, %n, 1; st.param.b32 [x], %m; st.param.b64 [y], %f; call (z), %f, (x, y), proto; ld.param.b32 %v, [z]; }
 mul.lo.u32 %v, %v, %n;
OUT: st.param.b32 [r], %v; ret; }",
        "{ .param .b32 x; .param .b64 y; .param .b32 z; and.b32 %r0, %t, 7; st.param.b32 [x], %r0;\n\
         mov.u64 %d0, down; st.param.b64 [y], %d0; call (z), down, (x, y); ld.param.b32 %o, [z]; }",
    );
    let want: Vec<u32> = (0..32u32).map(|t| (1..=t & 7).product()).collect();
    assert_eq!(run(&text, 32).unwrap(), want);
}

#[test]
fn parameters_in_registers_constants_and_sinks() {
    let text = kernel(
        ".func (.reg .u32 r, .reg .u64 s) f(.reg .u32 a, .reg .u64 b, .reg .u32 c) {
 sub.u32 r, a, c; mov.u64 s, b; ret; }
.func (.param .b32 r) g(.param .b32 a) { .reg .b32 %a; ld.param.b32 %a, [a]; add.u32 %a, %a, 1; st.param.b32 [r], %a; ret; }",
        "call (%r0, %d0), f, (%t, 7, 2); call (%r0, _), f, (%r0, 9, %t); call (%r1), g, (41); call (%r2), g, (%t);\n\
         cvt.u32.u64 %o, %d0; mad.lo.u32 %o, %o, 100, %r0; add.u32 %o, %o, %r1; add.u32 %o, %o, %r2;",
    );
    let want: Vec<u32> = (0..32u32)
        .map(|t| {
            let first = t.wrapping_sub(2);
            700u32.wrapping_add(first.wrapping_sub(t)).wrapping_add(42).wrapping_add(t + 1)
        })
        .collect();
    assert_eq!(run(&text, 32).unwrap(), want);
}

#[test]
fn chains_are_deep_and_trees_do_not_explode() {
    // f60 calls f59 calls ... each twice in the text, but once a run.
    let mut functions = String::from(
        ".func (.param .b32 r) f0(.param .b32 a) { .reg .b32 %a; ld.param.u32 %a, [a]; st.param.b32 [r], %a; ret; }\n",
    );
    for i in 1..=60 {
        functions += &format!(
            ".func (.param .b32 r) f{i}(.param .b32 a) {{ .reg .pred %p; .reg .b32 %a, %b; .param .b32 x; .param .b32 y;\n\
             ld.param.u32 %a, [a]; add.u32 %a, %a, {i}; st.param.b32 [x], %a; and.b32 %b, %a, 1; setp.eq.u32 %p, %b, 0;\n\
             @%p bra EVEN; call (y), f{0}, (x); bra OUT; EVEN: call (y), f{0}, (x);\n\
             OUT: ld.param.b32 %b, [y]; st.param.b32 [r], %b; ret; }}\n",
            i - 1
        );
    }
    let text = kernel(
        &functions,
        "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %t; call (y), f60, (x); ld.param.b32 %o, [y]; }",
    );
    let want: Vec<u32> = (0..33).map(|t| t + (1..=60).sum::<u32>()).collect();
    assert_eq!(run(&text, 33).unwrap(), want);
}

#[test]
fn what_ends_badly_says_so() {
    let endless = kernel(
        ".func f(.param .b32 n) { .param .b32 x; .reg .b32 %n; ld.param.u32 %n, [n]; add.u32 %n, %n, 1; st.param.b32 [x], %n; call f, (x); ret; }",
        "{ .param .b32 x; st.param.b32 [x], %t; call f, (x); } mov.u32 %o, 0;",
    );
    assert_eq!(fault(&endless).kind, FaultKind::StackOverflow);
    let nowhere = kernel(
        "",
        "proto: .callprototype _ (); mov.u64 %d0, 12345; call %d0, (), proto; mov.u32 %o, 0;",
    );
    let found = fault(&nowhere);
    assert_eq!(found.kind, FaultKind::CallTarget);
    assert!(found.detail.contains("0x3039"), "{}", found.detail);
    // An endless number of short calls meets the budget.
    let loops =
        kernel(".func f() { ret; }", "mov.u32 %o, 0; L: call f; call f; add.u32 %o, %o, 1; bra L;");
    assert_eq!(fault(&loops).kind, FaultKind::Budget);
}

#[test]
fn lanes_exit_inside_a_call() {
    let text = kernel(
        ".func f(.param .b32 n, .param .b64 out) { .param .b32 x; .param .b64 y; .reg .pred %p; .reg .b32 %n; .reg .b64 %o;
 ld.param.u32 %n, [n]; ld.param.u64 %o, [out]; setp.eq.u32 %p, %n, 0; @!%p bra ON; st.global.u32 [%o], 5; exit;
ON: setp.eq.u32 %p, %n, 20; @%p ret; sub.u32 %n, %n, 1; st.param.b32 [x], %n; st.param.b64 [y], %o; call f, (x, y); ret; }",
        "{ .param .b32 x; .param .b64 y; and.b32 %r0, %t, 3; setp.gt.u32 %p0, %t, 24; @%p0 mov.u32 %r0, 20;\n\
         st.param.b32 [x], %r0; st.param.b64 [y], %out; call f, (x, y); } mov.u32 %o, 9;",
    );
    let want: Vec<u32> = (0..32).map(|t| if t > 24 { 9 } else { 5 }).collect();
    assert_eq!(run(&text, 32).unwrap(), want);
}

#[test]
fn one_bad_kernel_refuses_itself_alone() {
    let text = format!(
        "{HEAD}.func f() {{ .reg .b32 %r; frobnicate.b32 %r; ret; }}\n.entry good() {{ ret; }}\n\
         .entry bad() {{ .reg .b32 %r; add.s32 %r, %r;\n frob.b32 %r; ret; }}\n.entry caller() {{ call f; ret; }}\n"
    );
    let module = Module::parse(&text, "m.ptx").unwrap();
    let device = Device::new();
    let launch = |name| device.try_launch(&module, name, [1; 3], [1; 3], &Params::default());
    launch("good").unwrap();
    let Err(LaunchError::Refused { kernel, reasons }) = launch("bad") else {
        panic!("not refused")
    };
    let places: Vec<_> =
        reasons.iter().map(|r| r.place.as_ref().map(|p| (p.line, p.column))).collect();
    assert_eq!((kernel.as_str(), places), ("bad", vec![Some((6, 30)), Some((7, 2))]));
    let Err(LaunchError::Refused { reasons, .. }) = launch("caller") else { panic!("not refused") };
    assert!(
        reasons[0].to_string().contains("m.ptx:4:") && reasons[0].message.contains("frobnicate")
    );
    assert_eq!(module.refusals().len(), 3);
    assert_eq!(module.kernel("good").unwrap().refusals(), []);
}

#[test]
fn a_function_that_only_an_address_reaches_is_refused_when_called() {
    let text = |called: &str| {
        kernel(
            ".func bad() { .reg .b32 %r; frobnicate.b32 %r; ret; }\n.func good() { ret; }",
            &format!(
                "proto: .callprototype _ (); mov.u64 %d0, good; mov.u64 %d1, bad; mov.u32 %o, 3; call %{called}, (), proto;"
            ),
        )
    };
    let device = Device::new();
    let out = device.words("out", &[0; 4]);
    let launch = |text: &str| {
        device.try_launch(&module(text), "k", [1; 3], [4, 1, 1], &Params::default().ptr(out))
    };
    launch(&text("d0")).unwrap();
    assert_eq!(device.read_words(out, 4), [3; 4]);
    let Err(LaunchError::Fault(fault)) = launch(&text("d1")) else { panic!("no fault") };
    assert_eq!(fault.kind, FaultKind::Refused);
    assert!(fault.detail.contains("frobnicate"), "{}", fault.detail);
}

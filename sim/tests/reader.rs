//! What the reader says about bad texts, and that no text and no program makes it panic.

mod device;

use device::{Device, Params};
use gpuc_sim::{Launch, Module, instruction_table_markdown};
use proptest::prelude::*;

const HEAD: &str = ".version 7.0\n.target sm_80\n.address_size 64\n";

/// Errors of a kernel's body, as `line:column: message [help]`; the body starts at line 6.
fn errors(body: &str) -> Vec<String> {
    let text = format!(
        "{HEAD}.visible .entry k(.param .u64 p) {{\n.reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %d<3>;\n{body}\nret;\n}}\n"
    );
    let show = |error: gpuc_diagnostics::Diagnostic| {
        let place =
            error.place.clone().map_or(String::new(), |p| format!("{}:{}: ", p.line, p.column));
        let help = error.help.first().map_or(String::new(), |help| format!(" [{help}]"));
        format!("{place}{}{help}", error.message)
    };
    all_errors(&text, "k.ptx").into_iter().map(show).collect()
}

/// What is wrong with a text as a whole, or with its kernels.
fn all_errors(text: &str, file: &str) -> Vec<gpuc_diagnostics::Diagnostic> {
    match Module::parse(text, file) {
        Ok(module) => module.refusals().into_iter().cloned().collect(),
        Err(errors) => errors,
    }
}

#[test]
fn errors_have_places_and_suggestions() {
    for (body, want) in [
        ("ad.s32 %r1, %r2, %r3;", "6:1: unknown instruction `ad` [did you mean `add`?]"),
        (
            "add.s23 %r1, %r2, %r3;",
            "6:4: `.s23` is not a modifier of `add` that is supported here [did you mean `.s32`?]",
        ),
        (
            "mul.s32 %r1, %r2, %r3;",
            "6:4: `.s32` is not a modifier of `mul` that is supported here [did you mean `.f32`?]",
        ),
        (
            "add.s32 %r1, %r2, %r9;",
            "6:19: `%r9` is not a register or variable that is declared here",
        ),
        ("add.s64 %d1, %d2, %r1;", "6:19: register `%r1` is .b32, which does not fit .s64 here"),
        ("add.s32 %r1, %r2;", "6:1: `add` takes 3 operands, found 2"),
        ("bra LOOP;", "6:5: `LOOP` is not a label that is declared here"),
        (
            "LOOP: bra LOPO;",
            "6:11: `LOPO` is not a label that is declared here [did you mean `LOOP`?]",
        ),
        ("call printf, (p);", "6:6: `printf` is not a function that is declared here"),
        (
            "ld.global.f32 %r1, [%r2",
            "7:1: expected `]`: only addresses of the form [base+offset] are supported, found `ret`",
        ),
        ("mov.u32 %r1, %tid.w;", "6:14: special register `%tid.w` cannot be used here"),
        ("setp.lt.s32 %r1, %r2, 0;", "6:13: `%r1` is not a predicate"),
        ("@%r1 bra X; X:", "6:2: `%r1` is not a predicate"),
        (
            "mov.f32 %r1, 0f12;",
            "6:14: a single-precision literal has eight hexadecimal digits, not as in `0f12`",
        ),
        (
            "tcgen05.fence::before_thread_sync;",
            "6:1: instruction `tcgen05` (the fifth generation of matrix units) is not supported",
        ),
        (
            ".reg .b32 %r<2>; .reg .q32 %z;",
            "6:23: `.q32` is not a type that is supported here [did you mean `.b32`?]",
        ),
        ("st.param.u32 [p], %r1;", "6:1: parameters of a kernel cannot be written"),
    ] {
        let found = errors(body);
        assert!(
            found.iter().any(|error| error.starts_with(want)),
            "{body}: {found:#?}\nwant {want}"
        );
    }
    // Several errors at once, in the order of the text.
    let found = errors("ad.s32 %r1;\nadd.s32 %r1, %r2, %r3;\nfoo;\nbar.snyc 0;");
    let lines: Vec<_> =
        found.iter().map(|e| e.split(':').next().unwrap_or("").to_string()).collect();
    assert_eq!(lines, ["6", "8", "9"], "{found:#?}");
}

#[test]
fn errors_of_modules() {
    let check = |text: &str, want: &str| {
        let found = all_errors(&format!("{HEAD}{text}"), "m.ptx");
        assert!(found.iter().any(|e| e.to_string().contains(want)), "{text}: {found:#?}");
    };
    check(".gobal .u32 x;", "m.ptx:4:1: error: expected a directive of a module");
    check(".global .u32 x = {1, 2};", "too many initial values for `x`");
    check(".global .u32 x; .global .u32 x;", "variable `x` is defined twice");
    check(".extern .global .u32 x;", "variable `x` is not defined in this module");
    check(".entry k() { ret; ", "expected `}` at the end of a function");
    check(".entry k() { ret; } .entry k() { ret; }", "function `k` is defined twice");
    check(".extern .func f(); .entry k() { call f; ret; }", "declared but not defined");
    assert!(Module::parse(".address_size 32\n", "m.ptx").is_err());
    assert!(Module::parse("", "m.ptx").is_ok());
}

#[test]
fn the_document_of_supported_instructions_is_current() {
    let table = instruction_table_markdown();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/ptx-support.md");
    if std::env::var_os("GPUC_BLESS").is_some() {
        std::fs::write(path, &table).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(written == table, "docs/ptx-support.md is not current: run with GPUC_BLESS=1");
    assert!(table.contains("| `add` | {.sat}") || table.contains("| `add` |"));
    assert!(table.lines().count() > 150, "{}", table.lines().count());
}

const SAMPLES: [&str; 4] = [
    include_str!("ptx/sgemm.ptx"),
    include_str!("ptx/calls.ptx"),
    include_str!("ptx/calls_O0.ptx"),
    include_str!("ptx/acc.ptx"),
];

/// A text with some stretches removed, doubled or replaced by another sample's.
fn mutated() -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), 0usize..40, 0u8..4, any::<prop::sample::Index>());
    (0..SAMPLES.len(), prop::collection::vec(edit, 1..6)).prop_map(|(sample, edits)| {
        let mut text = SAMPLES[sample].as_bytes().to_vec();
        for (at, length, kind, from) in edits {
            if text.is_empty() {
                break;
            }
            let at = at.index(text.len());
            let end = (at + length).min(text.len());
            match kind {
                0 => drop(text.drain(at..end)),
                1 => text.truncate(at.max(1)),
                2 => {
                    let source = SAMPLES[(sample + 1) % SAMPLES.len()].as_bytes();
                    let from = from.index(source.len());
                    let piece = source[from..(from + length).min(source.len())].to_vec();
                    text.splice(at..end, piece);
                }
                _ => {
                    let signs = b"{}[]();:,.%@!-+<>0x\"_$~";
                    text[at] = signs[from.index(signs.len())];
                }
            }
        }
        String::from_utf8_lossy(&text).into_owned()
    })
}

/// Instructions that fit the registers of [`random_kernels_run_or_fault`].
fn instruction() -> impl Strategy<Value = String> {
    let operations = prop::sample::select(vec![
        "add.s32 R, R, R",
        "mul.hi.s32 R, R, R",
        "mad.lo.u32 R, R, R, R",
        "div.s32 R, R, R",
        "rem.u32 R, R, R",
        "shl.b32 R, R, R",
        "shr.s32 R, R, R",
        "bfe.s32 R, R, R, R",
        "bfi.b32 R, R, R, R, R",
        "prmt.b32 R, R, R, R",
        "fns.b32 R, R, R, R",
        "szext.wrap.s32 R, R, R",
        "bmsk.wrap.b32 R, R, R",
        "popc.b64 R, D",
        "mul24.hi.s32 R, R, R",
        "add.cc.u32 R, R, R",
        "madc.hi.u32 R, R, R, R",
        "shf.l.clamp.b32 R, R, R, R",
        "lop3.b32 R, R, R, R, 0xe8",
        "div.s64 D, D, D",
        "rem.s64 D, D, D",
        "mul.hi.s64 D, D, D",
        "shr.s64 D, D, R",
        "bfe.s64 D, D, R, R",
        "bfi.b64 D, D, D, R, R",
        "neg.s64 D, D",
        "abs.s32 R, R",
        "mul.wide.s32 D, R, R",
        "sad.s64 D, D, D, D",
        "fma.rz.f32 R, R, R, R",
        "div.rm.f64 D, D, D",
        "sqrt.rp.f32 R, R",
        "add.rn.f16x2 R, R, R",
        "ex2.approx.f32 R, R",
        "fma.rn.bf16x2 R, R, R, R",
        "fma.rm.f64 D, D, D, D",
        "min.NaN.f32 R, R, R",
        "rcp.approx.ftz.f64 D, D",
        "cvt.rni.s64.f64 D, D",
        "cvt.rp.f32.u64 R, D",
        "cvt.sat.s8.s64 R, D",
        "cvt.rn.f16x2.f32 R, R, R",
        "setp.ltu.and.f32 P|P, R, R, P",
        "setp.hi.u32 P, R, R",
        "selp.b32 R, R, R, P",
        "slct.u64.f32 D, D, D, R",
        "shfl.sync.idx.b32 R|P, R, R, R, -1",
        "vote.sync.ballot.b32 R, P, R",
        "match.any.sync.b32 R, R, -1",
        "redux.sync.max.s32 R, R, -1",
        "activemask.b32 R",
        "bar.sync 0",
        "bar.sync R",
        "bar.red.popc.u32 R, 1, P",
        "bar.warp.sync R",
        "mov.b64 {R, R}, D",
        "mov.b64 D, {R, R}",
        "@P exit",
        "@!P bra L0",
        "@P bra L1",
        "bra L2",
        "ld.u32 R, [D]",
        "ld.global.v2.u32 {R, R}, [BASE]",
        "st.global.v2.u32 [BASE+8], {R, R}",
        "ld.shared.u8 R, [R]",
        "st.shared.u32 [tile+4], R",
        "atom.global.cas.b32 R, [BASE+4], R, R",
        "red.global.add.f32 [BASE], R",
        "and.b32 R, R, 60; cvt.u64.u32 D, R; add.s64 D, D, BASE; st.u32 [D], R",
        "cvta.shared.u64 D, tile; ld.u32 R, [D+8]",
        "brx.idx R, targets",
        "nanosleep.u32 R",
        "elect.sync R|P, -1",
        "isspacep.local P, D",
    ]);
    let numbers = prop::collection::vec(0u8..4, 12);
    (operations, numbers).prop_map(|(operation, numbers)| {
        let mut numbers = numbers.into_iter();
        let mut out = String::new();
        let mut rest = operation;
        while let Some(c) = rest.chars().next() {
            let boundary = !out.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.');
            let alone = rest.chars().nth(1).is_none_or(|next| !next.is_ascii_alphanumeric());
            match (c, boundary && alone) {
                ('R', true) => out += &format!("%r{}", numbers.next().unwrap_or(0)),
                ('D', true) => out += &format!("%d{}", numbers.next().unwrap_or(0)),
                ('P', true) => out += &format!("%p{}", numbers.next().unwrap_or(0)),
                _ => out.push(c),
            }
            rest = &rest[c.len_utf8()..];
        }
        out.replace("BASE", "%base")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_texts_never_panic(text in mutated()) {
        let errors = all_errors(&text, "mutated.ptx");
        prop_assert!(errors.iter().all(|error| error.place.is_some()), "{errors:?}");
    }

    #[test]
    fn random_kernels_run_or_fault(
        body in prop::collection::vec(instruction(), 1..40),
        seed in any::<u64>(),
    ) {
        let third = body.len() / 3;
        let mut text = format!(
            "{HEAD}.entry k(.param .u64 p_base) {{\n.reg .pred %p<4>; .reg .b32 %r<4>; .reg .b64 %d<4>, %base;\n\
             .shared .align 8 .b8 tile[64];\ntargets: .branchtargets L0, L1, L2;\n\
             ld.param.u64 %base, [p_base]; mov.u32 %r0, %tid.x; mov.u32 %r1, {}; mov.u32 %r2, %ctaid.x;\n\
             mov.u64 %d0, {seed}; mul.wide.u32 %d1, %r0, %r1; mov.u64 %d2, %base; setp.lt.s32 %p0, %r0, 9;\n",
            seed as u32
        );
        for (i, line) in body.iter().enumerate() {
            if i % third.max(1) == 0 && i / third.max(1) < 3 {
                text += &format!("L{}:\n", i / third.max(1));
            }
            text += line;
            text += ";\n";
        }
        for label in body.len().div_ceil(third.max(1)).min(3)..3 {
            text += &format!("L{label}:\n");
        }
        text += "ret;\n}\n";
        let text = text.replace(".target sm_80", ".target sm_90");
        let module = match Module::parse(&text, "random.ptx") {
            Ok(module) if module.refusals().is_empty() => module,
            Ok(module) => {
                let refusals = module.refusals();
                return Err(TestCaseError::fail(format!("{text}\n{refusals:#?}")));
            }
            Err(errors) => return Err(TestCaseError::fail(format!("{text}\n{errors:#?}"))),
        };
        let device = Device::new();
        let params = Params::default().ptr(device.words("data", &[1; 64]));
        let launch = |threads| {
            let launch = Launch {
                grid: [2, 1, 1],
                block: [40, 1, 1],
                params: &params.0,
                instruction_budget: Some(20_000),
                threads: Some(threads),
                ..Launch::default()
            };
            device.0.launch(&module, "k", &launch).map(|report| report.warp_instructions)
        };
        // Either it runs, or it faults with an address or a reason.
        let _ = launch(1);
    }
}

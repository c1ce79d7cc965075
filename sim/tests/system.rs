//! What programs find on the device: output, heap, assertions, the stack; and several texts as one.

mod device;

use std::sync::Mutex;

use device::{Device, Params, module};
use gpuc_sim::{FaultKind, Launch, LaunchError, Module};

const HEAD: &str = ".version 8.7\n.target sm_100a\n.address_size 64\n";

/// Declares `vprintf` and calls it with a format and a buffer of arguments.
fn printing(format: &str, stores: &str) -> String {
    let mut bytes: Vec<String> = format.bytes().map(|b| b.to_string()).collect();
    bytes.push("0".into());
    format!(
        "{HEAD}.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n\
         .global .align 1 .b8 format[] = {{{}}};\n.global .align 1 .b8 word[4] = {{97, 98, 99, 0}};\n\
         .visible .entry k(.param .u64 p_out) {{\n.local .align 8 .b8 buffer[128]; .reg .b32 %t, %r; .reg .b64 %d<9>, %out;\n\
         ld.param.u64 %out, [p_out]; mov.u32 %t, %tid.x; mad.wide.u32 %out, %t, 4, %out;\n\
         {stores}\n\
         mov.u64 %d0, format; cvta.global.u64 %d0, %d0; mov.u64 %d1, buffer; cvta.local.u64 %d1, %d1;\n\
         {{ .param .b64 x; .param .b64 y; .param .b32 z; st.param.b64 [x], %d0; st.param.b64 [y], %d1;\n\
         call.uni (z), vprintf, (x, y); ld.param.b32 %r, [z]; }}\n\
         st.global.u32 [%out], %r; ret;\n}}\n",
        bytes.join(", ")
    )
}

fn printed(text: &str, grid: u32, threads: u32) -> (String, Vec<u32>) {
    let device = Device::new();
    let out = device.words("out", &vec![0; threads as usize]);
    let sink = Mutex::new(Vec::new());
    let params = Params::default().ptr(out);
    let launch = Launch {
        grid: [grid, 1, 1],
        block: [threads, 1, 1],
        params: &params.0,
        threads: Some(2),
        output: Some(&sink),
        ..Launch::default()
    };
    device.0.launch(&module(text), "k", &launch).unwrap();
    let bytes = sink.into_inner().unwrap();
    (String::from_utf8(bytes).unwrap(), device.read_words(out, threads as usize))
}

#[test]
fn printf_formats_as_c() {
    for (format, stores, want, count) in [
        ("plain 100%%\n", "", "plain 100%\n", 0),
        ("%d|%5d|%-5d|%05d|%+d", "42 42 42 42 42", "42|   42|42   |00042|+42", 5),
        ("%i %u %x %#X %o %#o", "-7 -7 255 255 8 8", "-7 4294967289 ff 0XFF 10 010", 6),
        ("%.3d|%8.3d|%.0d|% d", "5 5 0 5", "005|     005|| 5", 4),
        ("%c%c%5c|", "72 105 33", "Hi    !|", 3),
        (
            "%ld %lld %hd %hhu",
            "L-5000000000 L5000000000 70000 300",
            "-5000000000 5000000000 4464 44",
            4,
        ),
        (
            "%f %.2f %10.3f|%-10.1f|%e",
            "D1.5 D2.345 D-3.14159 D2.25 D12345.678",
            "1.500000 2.35     -3.142|2.2       |1.234568e+04",
            5,
        ),
        (
            "%g %g %g %g %G",
            "D0.0001 D0.00001 D100000 D1000000 D1e-10",
            "0.0001 1e-05 100000 1e+06 1E-10",
            5,
        ),
        ("%g %#g %.3g", "D2.5 D2.5 D1234.5", "2.5 2.50000 1.23e+03", 3),
        ("%a %.2a", "D1.5 D0.1", "0x1.8p+0 0x1.9ap-4", 2),
        ("%f %E %5.1f", "Dinf D-inf Dnan", "inf -INF   nan", 3),
        ("%s|%6s|%-6s|%.2s|%p", "S S S S P", "abc|   abc|abc   |ab|(nil)", 5),
        ("%*d %-*d| %.*f", "6 42 4 7 2 D3.14159", "    42 7   | 3.14", 6),
        ("%d %y %", "1", "1 %y %", 2),
    ] {
        let mut at = 0usize;
        let mut code = String::new();
        for item in stores.split_whitespace() {
            let (kind, rest) = item.split_at(usize::from(
                !item.as_bytes()[0].is_ascii_digit() && !item.starts_with('-'),
            ));
            let mut store = |size: usize, instruction: String| {
                at = at.next_multiple_of(size);
                code += &instruction.replace("@", &format!("[buffer+{at}]"));
                at += size;
            };
            match kind {
                "" => {
                    store(4, format!("st.local.u32 @, {};\n", rest.parse::<i64>().unwrap() as u32))
                }
                "L" => {
                    store(8, format!("st.local.u64 @, {};\n", rest.parse::<i64>().unwrap() as u64))
                }
                "D" => store(
                    8,
                    format!("st.local.u64 @, 0x{:016x};\n", rest.parse::<f64>().unwrap().to_bits()),
                ),
                "S" => store(
                    8,
                    "mov.u64 %d5, word; cvta.global.u64 %d5, %d5; st.local.u64 @, %d5;\n".into(),
                ),
                _ => store(8, "st.local.u64 @, 0;\n".into()),
            }
        }
        let (text, returned) = printed(&printing(format, &code), 1, 1);
        assert_eq!(text, want, "{format}");
        assert_eq!(returned, [count], "{format}");
    }
}

#[test]
fn output_comes_in_the_order_of_blocks_and_lanes() {
    let stores = "st.local.u32 [buffer], %ctaid.x; st.local.u32 [buffer+4], %t;"
        .replace("%ctaid.x", "%r")
        .replace("st.local.u32 [buffer], ", "mov.u32 %r, %ctaid.x; st.local.u32 [buffer], ");
    let (text, _) = printed(&printing("%d.%d\n", &stores), 40, 5);
    let want: String = (0..40).flat_map(|b| (0..5).map(move |t| format!("{b}.{t}\n"))).collect();
    assert_eq!(text, want);
}

#[test]
fn the_heap_gives_and_takes() {
    let text = format!(
        "{HEAD}.extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n\
         .visible .entry k(.param .u64 p_out, .param .u32 again) {{ .reg .pred %p; .reg .b32 %t, %v, %a; .reg .b64 %d<4>, %out;\n\
         ld.param.u64 %out, [p_out]; ld.param.u32 %a, [again]; mov.u32 %t, %tid.x; mad.wide.u32 %out, %t, 4, %out;\n\
         {{ .param .b64 x; .param .b64 y; mul.wide.u32 %d0, %t, 8; add.u64 %d0, %d0, 8; st.param.b64 [x], %d0; call (y), malloc, (x); ld.param.b64 %d1, [y]; }}\n\
         st.u32 [%d1+4], %t; bar.sync 0; ld.u32 %v, [%d1+4]; mul.lo.u32 %v, %v, 3; st.global.u32 [%out], %v;\n\
         {{ .param .b64 x; st.param.b64 [x], %d1; call free, (x); }}\n\
         setp.eq.u32 %p, %a, 0; @%p ret; {{ .param .b64 x; st.param.b64 [x], %d1; call free, (x); }} ret; }}\n"
    );
    let device = Device::new();
    let module = module(&text);
    let out = device.words("out", &[0; 64]);
    let before = device.0.memory_info().0;
    for _ in 0..3 {
        device.launch(&module, "k", 1, 64, &Params::default().ptr(out).int(0));
        assert_eq!(device.read_words(out, 64), (0..64).map(|t| 3 * t).collect::<Vec<_>>());
    }
    assert_eq!(device.0.memory_info().0, before + (8 << 20), "one heap for all launches");
    let twice = device.try_launch(&module, "k", [1; 3], [1; 3], &Params::default().ptr(out).int(1));
    let Err(LaunchError::Fault(fault)) = twice else { panic!("no fault") };
    assert_eq!(fault.kind, FaultKind::InvalidFree);
}

#[test]
fn checkers_know_that_memory_of_the_heap_is_somebody_elses_once_it_was_freed() {
    let text = |first: &str| {
        format!(
            "{HEAD}.extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n\
             .visible .entry k(.param .u64 p_out) {{ .reg .pred %p; .reg .b32 %t, %v, %n; .reg .b64 %d<4>;\n\
             mov.u32 %t, %tid.x; mov.u32 %n, 0;\n\
             TURN: setp.ne.u32 %p, %n, %t; @%p bra NEXT;\n\
             {{ .param .b64 x; .param .b64 y; st.param.b64 [x], 64; call (y), malloc, (x); ld.param.b64 %d1, [y]; }}\n\
             {first} ld.u32 %v, [%d1+4];\n\
             {{ .param .b64 x; st.param.b64 [x], %d1; call free, (x); }}\n\
             NEXT: add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 64; @%p bra TURN; ret; }}\n"
        )
    };
    for (first, found) in [("st.u32 [%d1+4], %t;", 0), ("st.u32 [%d1], %t;", 1)] {
        let device = Device::checked(gpuc_sim::Checks::ALL);
        let out = device.words("out", &[0; 1]);
        // Once more: what the launch before wrote is gone as well.
        for _ in 0..2 {
            device.launch(&module(&text(first)), "k", 1, 64, &Params::default().ptr(out));
            let findings = device.0.take_findings();
            assert_eq!(findings.len(), found, "{findings:#?}");
        }
    }
}

#[test]
fn a_failed_assertion_says_what_failed() {
    let string = |name: &str, text: &str| {
        let bytes: Vec<String> = text.bytes().chain([0]).map(|b| b.to_string()).collect();
        format!(".global .align 1 .b8 {name}[{}] = {{{}}};\n", bytes.len(), bytes.join(", "))
    };
    let text = format!(
        "{HEAD}.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);\n{}{}{}\
         .visible .entry k() {{ .reg .pred %p; .reg .b32 %t; .reg .b64 %d<4>; mov.u32 %t, %tid.x; setp.ne.u32 %p, %t, 6; @%p ret;\n\
         {{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n\
         mov.u64 %d0, message; cvta.global.u64 %d0, %d0; st.param.b64 [a], %d0; mov.u64 %d0, file; cvta.global.u64 %d0, %d0; st.param.b64 [b], %d0;\n\
         st.param.b32 [c], 17; mov.u64 %d0, name; cvta.global.u64 %d0, %d0; st.param.b64 [d], %d0; st.param.b64 [e], 1;\n\
         call __assertfail, (a, b, c, d, e); }} ret; }}\n",
        string("message", "i < n"),
        string("file", "foo.cu"),
        string("name", "void k()")
    );
    let device = Device::new();
    let result = device.try_launch(&module(&text), "k", [1; 3], [32, 1, 1], &Params::default());
    let Err(LaunchError::Fault(fault)) = result else { panic!("no fault") };
    assert_eq!((fault.kind, fault.thread), (FaultKind::Assert, [6, 0, 0]));
    assert_eq!(fault.detail, "foo.cu:17: void k(): `i < n`");
}

#[test]
fn memory_of_the_stack() {
    let text = format!(
        "{HEAD}.visible .entry k(.param .u64 p_out) {{ .reg .b32 %t, %v; .reg .b64 %d<6>, %out, %n;\n\
         ld.param.u64 %out, [p_out]; mov.u32 %t, %tid.x; mad.wide.u32 %out, %t, 4, %out; cvt.u64.u32 %n, %t; add.u64 %n, %n, 8;\n\
         stacksave.u64 %d0; alloca.u64 %d1, %n; alloca.u64 %d2, 16, 64; st.local.u32 [%d1], %t; st.local.u32 [%d2+12], 5;\n\
         cvta.local.u64 %d3, %d2; ld.u32 %v, [%d3+12]; and.b64 %d4, %d2, 63; cvt.u32.u64 %t, %d4; add.u32 %v, %v, %t; ld.local.u32 %t, [%d1]; add.u32 %v, %v, %t;\n\
         stackrestore.u64 %d0; alloca.u64 %d4, 4; sub.u64 %d4, %d4, %d0; cvt.u32.u64 %t, %d4; mad.lo.u32 %v, %t, 1000, %v; st.global.u32 [%out], %v; ret; }}\n"
    );
    let device = Device::new();
    let out = device.words("out", &[0; 40]);
    device.launch(&module(&text), "k", 1, 40, &Params::default().ptr(out));
    assert_eq!(device.read_words(out, 40), (0..40).map(|t| t + 5).collect::<Vec<_>>());
    let huge = text.replace("alloca.u64 %d1, %n", "alloca.u64 %d1, 0x7fffffffffff");
    let result =
        device.try_launch(&module(&huge), "k", [1; 3], [1; 3], &Params::default().ptr(out));
    let Err(LaunchError::Fault(fault)) = result else { panic!("no fault") };
    assert_eq!(fault.kind, FaultKind::StackOverflow);
}

#[test]
fn several_texts_are_one_program() {
    let main = format!(
        "{HEAD}.extern .func (.param .b32 r) twice(.param .b32 a);\n.extern .global .u32 offset;\n.extern .func (.param .b32 r) soft(.param .b32 a);\n\
         .func (.param .b32 r) mine(.param .b32 a) {{ .reg .b32 %a; ld.param.u32 %a, [a]; add.u32 %a, %a, 1; st.param.b32 [r], %a; ret; }}\n\
         .visible .entry k(.param .u64 p_out) {{ .reg .b32 %t, %v; .reg .b64 %out; .global .u32 inner = 10000;\n\
         ld.param.u64 %out, [p_out]; mov.u32 %t, %tid.x; mad.wide.u32 %out, %t, 4, %out;\n\
         {{ .param .b32 x; .param .b32 y; st.param.b32 [x], %t; call (y), twice, (x); ld.param.b32 %t, [y]; st.param.b32 [x], %t; call (y), mine, (x); ld.param.b32 %t, [y];\n\
         st.param.b32 [x], %t; call (y), soft, (x); ld.param.b32 %t, [y]; }}\n\
         ld.global.u32 %v, [offset]; add.u32 %t, %t, %v; ld.global.u32 %v, [inner]; add.u32 %t, %t, %v; st.global.u32 [%out], %t; ret; }}\n"
    );
    let library = format!(
        "{HEAD}.visible .global .u32 offset = 300;\n\
         .func (.param .b32 r) mine(.param .b32 a) {{ .reg .b32 %a; ld.param.u32 %a, [a]; mul.lo.u32 %a, %a, 2; st.param.b32 [r], %a; ret; }}\n\
         .visible .func (.param .b32 r) twice(.param .b32 a) {{ .reg .b32 %a; .param .b32 x; .param .b32 y; ld.param.u32 %a, [a]; st.param.b32 [x], %a; call (y), mine, (x); ld.param.b32 %a, [y]; st.param.b32 [r], %a; ret; }}\n\
         .weak .func (.param .b32 r) soft(.param .b32 a) {{ .reg .b32 %a; ld.param.u32 %a, [a]; st.param.b32 [r], %a; ret; }}\n"
    );
    let strong = format!(
        "{HEAD}.visible .func (.param .b32 r) soft(.param .b32 a) {{ .reg .b32 %a; ld.param.u32 %a, [a]; add.u32 %a, %a, 50; st.param.b32 [r], %a; ret; }}\n"
    );
    let run = |texts: &[(&str, &str)]| {
        let module = Module::link(texts).unwrap();
        let device = Device::new();
        let out = device.words("out", &[0; 8]);
        device.launch(&module, "k", 1, 8, &Params::default().ptr(out));
        device.read_words(out, 8)
    };
    let want = |soft: u32| (0..8).map(|t| 2 * t + 1 + soft + 10300).collect::<Vec<_>>();
    assert_eq!(run(&[(&main, "a.ptx"), (&library, "b.ptx")]), want(0));
    assert_eq!(run(&[(&library, "b.ptx"), (&main, "a.ptx")]), want(0));
    assert_eq!(run(&[(&main, "a.ptx"), (&library, "b.ptx"), (&strong, "c.ptx")]), want(50));
    assert_eq!(run(&[(&strong, "c.ptx"), (&library, "b.ptx"), (&main, "a.ptx")]), want(50));
    // Two strong definitions, each with its place.
    let errors = Module::link(&[
        (&main, "a.ptx"),
        (&library, "b.ptx"),
        (&strong, "c.ptx"),
        (&strong, "d.ptx"),
    ])
    .unwrap_err();
    let shown = errors[0].to_string();
    assert!(
        shown.contains("d.ptx:4:") && shown.contains("function `soft` is defined twice"),
        "{shown}"
    );
    assert_eq!(&*errors[0].related[0].0.file, "c.ptx");
    // What nobody defines refuses the kernel that needs it.
    let module = Module::link(&[(&main, "a.ptx"), (&strong, "c.ptx")]);
    let errors = module.unwrap_err();
    assert!(errors[0].message.contains("variable `offset` is not defined"), "{}", errors[0]);
}

#[test]
fn blocks_meet_in_the_workspace_of_the_launch() {
    // As `cooperative_groups` does it: the first thread of each block adds to a counter whose top bit
    // turns over when all have come.
    let text = format!(
        "{HEAD}.visible .entry k(.param .u64 p_out) {{ .reg .pred %p; .reg .b32 %l, %h, %t, %n, %b, %o, %v; .reg .b64 %w, %out, %x;\n\
         ld.param.u64 %out, [p_out]; mov.u32 %l, %envreg2; mov.u32 %h, %envreg1; mov.b64 %w, {{%l, %h}}; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %nctaid.x;\n\
         mul.wide.u32 %x, %b, 4; add.u64 %x, %out, %x; add.u32 %v, %b, 1; st.global.u32 [%x], %v; barrier.sync 0; setp.ne.u32 %p, %t, 0; @%p bra MET;\n\
         setp.eq.u32 %p, %b, 0; sub.u32 %v, 0x80000001, %n; selp.b32 %v, %v, 1, %p; fence.acq_rel.gpu; atom.add.release.gpu.u32 %o, [%w+4], %v;\n\
         WAIT: ld.acquire.gpu.u32 %v, [%w+4]; xor.b32 %v, %v, %o; setp.ge.s32 %p, %v, 0; @%p bra WAIT;\n\
         MET: barrier.sync 0; add.u32 %b, %b, 1; rem.u32 %b, %b, %n; mul.wide.u32 %x, %b, 4; add.u64 %x, %out, %x; ld.global.u32 %v, [%x];\n\
         mov.u32 %b, %ctaid.x; add.u32 %b, %b, %n; mul.wide.u32 %x, %b, 4; add.u64 %x, %out, %x; st.global.u32 [%x], %v; ret; }}\n"
    );
    let device = Device::new();
    let module = module(&text);
    let before = device.0.memory_info();
    for blocks in [1u32, 2, 17] {
        let out = device.words("out", &vec![0; 2 * blocks as usize]);
        device.launch(&module, "k", blocks, 40, &Params::default().ptr(out));
        let got = device.read_words(out, 2 * blocks as usize);
        let want: Vec<u32> = (0..blocks).map(|b| (b + 1) % blocks + 1).collect();
        assert_eq!(got[blocks as usize..], want);
        device.0.free(out).unwrap();
    }
    assert_eq!(device.0.memory_info(), before);
}

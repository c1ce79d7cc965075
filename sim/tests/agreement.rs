//! Random accesses of all spaces, widths, patterns and guards leave the same memory, or the same fault,
//! with counters and without, on one host thread and on several.

mod device;

use std::fmt::Write as _;

use device::{Device, Params, module};
use gpuc_sim::{Counters, Launch};
use proptest::prelude::*;

/// One access: which space, how wide, and where each thread goes.
#[derive(Clone, Debug)]
struct GeneratedAccess {
    load: bool,
    space: &'static str,
    /// The PTX type, the register class of its elements, their number and bytes of all.
    shape: (&'static str, char, usize, u32),
    stride: u32,
    shift: u32,
    /// Threads below this take part.
    below: u32,
    /// Kept inside the buffer, or not.
    wraps: bool,
}

fn access() -> impl Strategy<Value = GeneratedAccess> {
    let shapes = [
        ("u8", 'r', 1, 1),
        ("s8", 'r', 1, 1),
        ("u16", 'r', 1, 2),
        ("b32", 'r', 1, 4),
        ("v2.b32", 'r', 2, 8),
        ("v4.b32", 'r', 4, 16),
        ("b64", 'd', 1, 8),
        ("v2.b64", 'd', 2, 16),
        ("s32", 'd', 1, 4),
    ];
    (
        any::<bool>(),
        prop::sample::select(vec!["global", "shared", "shared32", "generic", "local"]),
        prop::sample::select(shapes.to_vec()),
        prop::sample::select(vec![0u32, 1, 1, 1, 2, 3, 17, 33]),
        0u32..70,
        prop::sample::select(vec![40u32, 40, 40, 32, 33, 20, 1]),
        prop::bool::weighted(0.97),
    )
        .prop_map(|(load, space, shape, stride, shift, below, wraps)| GeneratedAccess {
            load,
            space,
            shape,
            stride,
            shift,
            below,
            wraps,
        })
}

fn kernel(accesses: &[GeneratedAccess]) -> String {
    let mut text = String::from(
        ".version 7.8\n.target sm_80\n.address_size 64\n\
         .visible .entry k(.param .u64 p) {\n.reg .pred %q; .reg .b32 %r<8>, %t, %i, %a;\n\
         .reg .b64 %d<8>, %p, %o, %acc, %w; .shared .align 16 .b8 tile[1024];\n\
         .local .align 16 .b8 own[1024];\n\
         ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; mov.u32 %i, %ctaid.x;\n\
         mad.wide.u32 %p, %i, 2048, %p; mul.wide.u32 %acc, %t, 77;\n",
    );
    for access in accesses {
        let GeneratedAccess {
            load,
            space,
            shape: (ty, class, count, bytes),
            stride,
            shift,
            below,
            wraps,
        } = access;
        let _ = writeln!(text, "mad.lo.u32 %i, %t, {stride}, {shift};");
        if *wraps {
            let _ = writeln!(text, "and.b32 %i, %i, 63;");
        }
        let _ = writeln!(text, "mul.lo.u32 %i, %i, {bytes}; setp.lt.u32 %q, %t, {below};");
        let address = match *space {
            "global" | "generic" => "cvt.u64.u32 %o, %i; add.s64 %o, %o, %p;",
            "shared" => "mov.u64 %o, tile; cvt.u64.u32 %w, %i; add.s64 %o, %o, %w;",
            "shared32" => "mov.u32 %a, tile; add.u32 %a, %a, %i;",
            _ => "mov.u64 %o, own; cvt.u64.u32 %w, %i; add.s64 %o, %o, %w;",
        };
        let _ = writeln!(text, "{address}");
        let at = if *space == "shared32" { "%a" } else { "%o" };
        let space = match *space {
            "generic" => String::new(),
            "shared32" => ".shared".to_owned(),
            space => format!(".{space}"),
        };
        let registers: Vec<String> = (0..*count).map(|i| format!("%{class}{i}")).collect();
        let list = match *count {
            1 => registers[0].clone(),
            _ => format!("{{{}}}", registers.join(", ")),
        };
        for (i, register) in registers.iter().enumerate() {
            // A load leaves lanes that take no part as they are; a store takes what was gathered.
            let _ = match (load, class) {
                (true, 'r') => writeln!(text, "mov.b32 {register}, {i};"),
                (true, _) => writeln!(text, "mov.b64 {register}, {i};"),
                (false, 'r') => writeln!(text, "cvt.u32.u64 {register}, %acc;"),
                (false, _) => writeln!(text, "add.s64 {register}, %acc, {i};"),
            };
        }
        let _ = if *load {
            writeln!(text, "@%q ld{space}.{ty} {list}, [{at}];")
        } else {
            writeln!(text, "@%q st{space}.{ty} [{at}], {list};")
        };
        for register in registers.iter().filter(|_| *load) {
            let wide = if *class == 'r' { "cvt.u64.u32 %w," } else { "mov.b64 %w," };
            let _ = writeln!(text, "{wide} {register}; mad.lo.u64 %acc, %acc, 31, %w;");
        }
    }
    text += "mul.wide.u32 %o, %t, 8; add.s64 %o, %o, %p; st.global.u64 [%o+1024], %acc;\nret;\n}\n";
    text
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_way_leaves_the_same_memory(accesses in prop::collection::vec(access(), 1..12)) {
        let module = module(&kernel(&accesses));
        let run = |counters, threads| {
            let device = Device::new();
            let data: Vec<u32> = (0..4 * 512u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
            let pointer = device.words("data", &data);
            let launch = Launch {
                grid: [4, 1, 1],
                block: [40, 1, 1],
                params: &Params::default().ptr(pointer).0,
                counters,
                threads: Some(threads),
                ..Launch::default()
            };
            let result = device.0.launch(&module, "k", &launch);
            let memory = result.is_ok().then(|| device.read_words(pointer, 4 * 512));
            (memory, result.map(|report| report.warp_instructions))
        };
        let general = run(Counters::All, 1);
        prop_assert_eq!(&run(Counters::Off, 1), &general);
        prop_assert_eq!(&run(Counters::Off, 3), &general);
        prop_assert_eq!(&run(Counters::All, 3), &general);
    }
}

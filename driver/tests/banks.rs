//! The formula for conflicts of banks (Li et al. 2016, eqs. 20 and 21) against what the simulator counts.

use gpuc_arch::Arch;
use gpuc_passes::analysis::sharing::banks::conflict_degree;
use gpuc_sim::{Counters, Launch, MemoryCounts, Module, Simulator};

/// What one load of a full warp counts, the lanes `stride` elements of `bytes` bytes apart.
fn counted(bytes: u32, stride: u32) -> MemoryCounts {
    let (ty, list) = match bytes {
        1 => ("u8", "%r0"),
        2 => ("u16", "%r0"),
        4 => ("u32", "%r0"),
        8 => ("v2.u32", "{%r0, %r1}"),
        _ => ("v4.u32", "{%r0, %r1, %r2, %r3}"),
    };
    let text = format!(
        ".version 7.0\n.target sm_80\n.address_size 64\n\
         .visible .entry test() {{\n.reg .b32 %r<4>, %t; .reg .b64 %a, %o;\n\
         .shared .align 16 .b8 tile[40960];\n\
         mov.u32 %t, %tid.x; mov.u64 %a, tile;\n\
         mul.wide.u32 %o, %t, {}; add.u64 %a, %a, %o;\n\
         ld.shared.{ty} {list}, [%a];\nret;\n}}\n",
        stride * bytes
    );
    let module = Module::parse(&text, "banks.ptx").expect("the module is right");
    let simulator = Simulator::new(Arch::by_name("sm_80").expect("the table holds it"));
    let launch = Launch {
        grid: [1, 1, 1],
        block: [32, 1, 1],
        counters: Counters::All,
        threads: Some(1),
        ..Launch::default()
    };
    let report = simulator.launch(&module, "test", &launch).expect("the launch succeeds");
    report.counters.shared_load
}

#[test]
fn the_formula_is_what_is_counted() {
    let (mut asked, mut conflicts) = (0, 0);
    for bytes in [1, 2, 4, 8, 16] {
        for stride in (0..=36).chain([48, 63, 64, 65]) {
            let Some(degree) = conflict_degree(stride.into(), bytes) else { continue };
            // Wide elements come for a part of the warp at a time, even without a conflict.
            let parts = u64::from(bytes / 4).max(1);
            let found = counted(bytes, stride);
            assert_eq!(
                found.wavefronts,
                parts * u64::from(degree),
                "{bytes} bytes, {stride} apart"
            );
            asked += 1;
            conflicts += u32::from(degree > 1);
        }
    }
    assert!(asked > 140 && conflicts > 60, "{asked} patterns, {conflicts} with conflicts");
}

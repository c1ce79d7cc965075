//! Sectors and wavefronts of accesses at a constant stride, against what follows from the widths of
//! sectors and banks alone.

mod device;

use device::{Device, Params, module};
use gpuc_sim::MemoryCounts;

const LANES: u64 = 32;

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The element types of `bytes` a lane, and a list of so many registers.
fn shape(bytes: u64) -> (&'static str, &'static str) {
    match bytes {
        4 => ("u32", "%r0"),
        8 => ("v2.u32", "{%r0, %r1}"),
        _ => ("v4.u32", "{%r0, %r1, %r2, %r3}"),
    }
}

/// What one warp's access counts: lane `t` touches `bytes` at `t * stride * bytes`.
fn counts(space: &str, store: bool, bytes: u64, stride: u64) -> MemoryCounts {
    let (ty, list) = shape(bytes);
    let device = Device::new();
    let data = device.words("data", &vec![0; (LANES * stride * bytes / 4 + 4) as usize]);
    let base = if space == "shared" { "mov.u64 %a, tile;" } else { "mov.u64 %a, %p;" };
    let access = match store {
        false => format!("ld.{space}.{ty} {list}, [%a];"),
        true => format!("st.{space}.{ty} [%a], {list};"),
    };
    let text = format!(
        ".version 7.0\n.target sm_80\n.address_size 64\n\
         .visible .entry test(.param .u64 p) {{\n.reg .b32 %r<4>, %t; .reg .b64 %p, %a, %o;\n\
         .shared .align 16 .b8 tile[32768];\n\
         ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; {base}\n\
         mul.wide.u32 %o, %t, {}; add.u64 %a, %a, %o;\n\
         mov.u32 %r0, 0; mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0;\n{access}\nret;\n}}\n",
        stride * bytes
    );
    let report = device.launch(&module(&text), "test", 1, 32, &Params::default().ptr(data));
    let set = report.counters;
    match (space, store) {
        ("shared", false) => set.shared_load,
        ("shared", true) => set.shared_store,
        (_, false) => set.global_load,
        (_, true) => set.global_store,
    }
}

#[test]
fn wavefronts_of_strides() {
    for bytes in [4u64, 8, 16] {
        // A pass delivers 128 bytes: wider accesses are made by parts of the warp.
        let parts = bytes / 4;
        let slots = 128 / bytes;
        for stride in [1u64, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 33, 48] {
            for store in [false, true] {
                let found = counts("shared", store, bytes, stride);
                // As many lanes of a part meet in a bank as the stride has in common with them.
                let wavefronts = parts * gcd(stride, slots);
                assert_eq!(found.wavefronts, wavefronts, "{bytes} bytes, stride {stride}");
                assert_eq!(found.bank_conflicts, wavefronts - parts, "{bytes}, {stride}");
                assert_eq!((found.requests, found.bytes), (1, LANES * bytes));
            }
        }
    }
}

#[test]
fn sectors_of_strides() {
    for bytes in [4u64, 8, 16] {
        for stride in [1u64, 2, 3, 4, 5, 6, 7, 8, 12, 16] {
            for store in [false, true] {
                let found = counts("global", store, bytes, stride);
                let span = stride * bytes;
                // Below a sector's width every sector up to the last lane's is touched; beyond, each
                // lane has its own.
                let sectors =
                    if span >= 32 { LANES } else { ((LANES - 1) * span + bytes).div_ceil(32) };
                assert_eq!(found.sectors, sectors, "{bytes} bytes, stride {stride}");
                assert_eq!((found.requests, found.bytes), (1, LANES * bytes));
            }
        }
    }
}

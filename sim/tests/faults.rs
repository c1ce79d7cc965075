//! Faults name their kind, place, thread and variable; refused launches name the limit.

mod device;

use device::{Device, Params, module};
use gpuc_sim::{AccessKind, Fault, FaultKind, Launch, LaunchError, SimError};

/// A kernel with one pointer parameter in `%p`, `%t` the thread; C line 7 is current.
fn kernel(code: &str) -> String {
    format!(
        ".version 7.0\n.target sm_80\n.address_size 64\n.file 1 \"kernel.c\"\n\
         .visible .entry test(.param .u64 p) {{\n\
         .reg .pred %q<4>; .reg .b32 %r<8>, %t; .reg .b64 %p, %d<8>; .shared .align 4 .b8 tile[64];\n\
         ld.param.u64 %p, [p]; mov.u32 %t, %tid.x;\n.loc 1 7 5\n{code}\nret;\n}}\n"
    )
}

fn fault(device: &Device, code: &str, pointer: u64, block: u32) -> Fault {
    let module = module(&kernel(code));
    match device.try_launch(
        &module,
        "test",
        [2, 1, 1],
        [block, 1, 1],
        &Params::default().ptr(pointer),
    ) {
        Err(LaunchError::Fault(fault)) => *fault,
        other => panic!("{code}: {other:?}"),
    }
}

#[test]
fn out_of_bounds_names_line_variable_and_thread() {
    let device = Device::new();
    let data = device.words("data", &[0; 100]);
    let code = "mad.wide.u32 %d0, %t, 4, %p; ld.global.u32 %r0, [%d0];";
    let found = fault(&device, code, data, 128);
    assert_eq!(found.kind, FaultKind::OutOfBounds(AccessKind::Read));
    assert_eq!((found.block, found.thread), ([0, 0, 0], [100, 0, 0]));
    assert_eq!(found.address, data + 400);
    let near = found.nearest.clone().unwrap();
    assert_eq!((&*near.label, near.size, near.offset, near.freed), ("data", 400, 400, false));
    let place = found.place.clone().unwrap();
    assert_eq!((&*place.file, place.line, place.column), ("kernel.c", 7, 5));
    let diagnostic = found.diagnostic();
    assert_eq!(diagnostic.label, "0 bytes after the end of `data` (400 bytes)");
    assert!(diagnostic.help[0].contains("block (0, 0, 0), thread (100, 0, 0)"), "{diagnostic:?}");
}

#[test]
fn every_kind_of_access_fault() {
    use AccessKind::*;
    use FaultKind::*;
    let device = Device::new();
    let data = device.words("data", &[0; 16]);
    let short = device.words("short", &[0; 3]);
    let freed = device.words("freed", &[0; 16]);
    device.0.free(freed).unwrap();
    for (code, pointer, kind, space) in [
        ("st.global.u32 [%p+64], %t;", data, OutOfBounds(Write), "global"),
        ("st.global.u32 [%p+-4], %t;", data, OutOfBounds(Write), "global"),
        ("ld.u64 %d0, [%p+60];", data, OutOfBounds(Read), "global"),
        ("atom.global.add.u32 %r0, [%p+64], 1;", data, OutOfBounds(Atomic), "global"),
        ("ld.global.u32 %r0, [%p];", 0, Null(Read), "global"),
        ("st.global.u32 [%p+2], %t;", data, Misaligned(Write), "global"),
        ("ld.global.v2.u32 {%r0, %r1}, [%p+4];", data, Misaligned(Read), "global"),
        // The first elements of the vector are there, the last is not.
        ("ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%p];", short, OutOfBounds(Read), "global"),
        ("st.global.v2.u32 [%p+8], {%t, %t};", short, OutOfBounds(Write), "global"),
        ("ld.global.u32 %r0, [%p];", freed, OutOfBounds(Read), "global"),
        ("mov.u64 %d0, tile; ld.shared.u32 %r0, [%d0+64];", data, OutOfBounds(Read), "shared"),
        ("cvta.shared.u64 %d0, tile; st.u32 [%d0+64], %t;", data, OutOfBounds(Write), "shared"),
        (
            ".local .b8 l[8]; mov.u64 %d0, l; ld.local.u8 %r0, [%d0+16];",
            data,
            OutOfBounds(Read),
            "local",
        ),
        ("ld.global.u32 %r0, [%p];", u64::MAX - 3, OutOfBounds(Read), "global"),
    ] {
        let found = fault(&device, code, pointer, 1);
        assert_eq!((found.kind, found.space), (kind, space), "{code}");
        assert!(found.nearest.is_some(), "{code}");
    }
    let found = fault(&device, "ld.global.u32 %r0, [%p+8];", freed, 1);
    assert!(found.nearest.unwrap().freed);
}

#[test]
fn barriers_traps_and_loops() {
    let device = Device::new();
    let data = device.words("data", &[0; 16]);
    let apart = "setp.lt.u32 %q0, %t, 16; @%q0 bra A; bar.sync 0; bra B; A: bar.sync 0; B:";
    assert_eq!(fault(&device, apart, data, 32).kind, FaultKind::BarrierDivergence);
    let other = "setp.lt.u32 %q0, %t, 32; @%q0 bra A; bar.sync 1; bra B; A: bar.sync 2; B:";
    let found = fault(&device, other, data, 64);
    assert_eq!(found.kind, FaultKind::Deadlock);
    assert!(found.detail.starts_with("64 of 64 threads"), "{}", found.detail);
    assert_eq!(fault(&device, "bar.sync 16;", data, 32).kind, FaultKind::BarrierNumber);
    assert_eq!(fault(&device, "trap;", data, 1).kind, FaultKind::Trap);
    assert_eq!(fault(&device, "A: bra A;", data, 1).kind, FaultKind::Budget);
    // The first block is reported, whichever fails first.
    let second = "mov.u32 %r0, %ctaid.x; setp.eq.u32 %q0, %r0, 0; @%q0 ret; trap;";
    assert_eq!(fault(&device, second, data, 1).block, [1, 0, 0]);
}

#[test]
fn launches_beyond_a_limit() {
    let device = Device::new();
    let module = module(&kernel(""));
    let params = [0; 8];
    let base = Launch { params: &params, ..Launch::default() };
    let message =
        |launch: Launch<'_>| device.0.launch(&module, "test", &launch).unwrap_err().to_string();
    assert_eq!(
        message(Launch { block: [2048, 1, 1], ..base }),
        "block extent in x is 2048, but the limit of sm_80 is 1024"
    );
    assert_eq!(
        message(Launch { block: [64, 64, 1], ..base }),
        "number of threads of a block is 4096, but the limit of sm_80 is 1024"
    );
    // 108 multiprocessors have room for 16 blocks of 128 threads each.
    let together = Launch { cooperative: true, block: [128, 1, 1], ..base };
    assert_eq!(
        message(Launch { grid: [1729, 1, 1], ..together }),
        "number of blocks of a cooperative launch is 1729, but the limit of sm_80 is 1728"
    );
    assert_eq!(
        message(Launch { grid: [1, 70000, 1], ..base }),
        "grid extent in y is 70000, but the limit of sm_80 is 65535"
    );
    assert_eq!(
        message(Launch { grid: [0, 1, 1], ..base }),
        "grid extent in x is 0, but the least is 1"
    );
    assert_eq!(
        message(Launch { dynamic_shared_bytes: 200_000, ..base }),
        "shared memory of a block in bytes is 200064, but the limit of sm_80 is 166912"
    );
    assert_eq!(
        message(Launch { params: &[], ..base }),
        "kernel takes 8 bytes of parameters, found 0"
    );
    let unknown = device.0.launch(&module, "tset", &base).unwrap_err();
    assert_eq!(unknown.to_string(), "the module has no kernel `tset`: did you mean `test`?");
}

#[test]
fn memory_functions_check_their_pointers() {
    let simulator = Device::new().0;
    let data = simulator.alloc(16, "data").unwrap();
    simulator.fill(data, 7, 16).unwrap();
    simulator.copy(data, data + 8, 8).unwrap();
    let mut out = [0; 4];
    simulator.read(data + 12, &mut out).unwrap();
    assert_eq!(out, [7; 4]);
    assert_eq!(
        simulator.read(data + 13, &mut out),
        Err(SimError::OutOfBounds { ptr: data + 13, bytes: 4 })
    );
    assert_eq!(simulator.write(0, &[1]), Err(SimError::OutOfBounds { ptr: 0, bytes: 1 }));
    assert_eq!(simulator.free(data + 1), Err(SimError::NotAllocated { ptr: data + 1 }));
    assert!(matches!(simulator.alloc(1 << 50, "huge"), Err(SimError::OutOfMemory { .. })));
    simulator.free(data).unwrap();
    assert_eq!(simulator.memory_info().0, 0);
}

#[test]
fn launches_end_at_their_limits() {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};
    let device = Device::new();
    let data = device.words("data", &[0; 16]);
    // Memory changes, so that nobody can say that the loop is endless.
    let text = kernel("A: red.global.add.u32 [%p], 1; bra A;");
    let module = module(&text);
    let params = Params::default().ptr(data);
    let base = Launch { grid: [3, 1, 1], params: &params.0, ..Launch::default() };
    let stopped = |launch: Launch<'_>| match device.0.launch(&module, "test", &launch) {
        Err(LaunchError::Fault(fault)) => {
            assert_eq!(fault.place.as_ref().map(|place| place.line), Some(7));
            fault.kind
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(stopped(Launch { instruction_budget: Some(100_000), ..base }), FaultKind::Budget);
    let start = Instant::now();
    let limit = Some(Duration::from_millis(20));
    assert_eq!(stopped(Launch { time_limit: limit, ..base }), FaultKind::TimeLimit);
    let flag = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(20));
            flag.store(true, Ordering::Relaxed);
        });
        assert_eq!(stopped(Launch { interrupt: Some(&flag), ..base }), FaultKind::Interrupted);
    });
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn blocks_that_wait_for_later_blocks_go_on() {
    let device = Device::new();
    let data = device.words("data", &[0; 16]);
    // A barrier of 40 blocks, on one host thread and on three.
    let code = "atom.global.add.u32 %r0, [%p], 1;\n\
        A: ld.volatile.global.u32 %r1, [%p]; setp.lt.u32 %q0, %r1, 40; @%q0 bra A;\n\
        red.global.add.u32 [%p+4], 1;";
    for threads in [1, 3] {
        device.0.fill(data, 0, 64).unwrap();
        let module = module(&kernel(code));
        let launch = Launch {
            grid: [40, 1, 1],
            params: &Params::default().ptr(data).0,
            threads: Some(threads),
            time_limit: Some(std::time::Duration::from_secs(60)),
            ..Launch::default()
        };
        device.0.launch(&module, "test", &launch).unwrap();
        assert_eq!(device.read_words(data, 2), [40, 40]);
    }
}

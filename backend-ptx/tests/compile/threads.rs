//! What threads know and do together.

use super::ptxas::accepts;
use super::run::{Argument, Shape, pack, run, unpack};
use super::support::{kernel, ptx};

/// What a thread stores.
type OfThread = fn(u64) -> u64;

/// The lane that another reads from, and whether it is in range.
type FromLane = fn(u64) -> (u64, bool);

/// Stores `%v` of every thread of two blocks of (8, 4, 2) threads.
fn everyone(body: &str) -> Vec<u64> {
    let source = kernel(
        "%o: memref<?xi64>",
        &format!(
            "%bx = gpu.block_id x\n%tx = gpu.thread_id x\n%ty = gpu.thread_id y\n%tz = gpu.thread_id z\n\
             %c8 = arith.constant 8 : index\n%c4 = arith.constant 4 : index\n%c64 = arith.constant 64 : index\n\
             %z4 = arith.muli %tz, %c4 : index\n%row = arith.addi %z4, %ty : index\n\
             %r8 = arith.muli %row, %c8 : index\n%t = arith.addi %r8, %tx : index\n\
             %b64 = arith.muli %bx, %c64 : index\n%at = arith.addi %b64, %t : index\n\
             {body}\n\
             %w = arith.index_cast %v : index to i64\n\
             memref.store %w, %o[%at] : memref<?xi64>"
        ),
    );
    accepts(&source);
    let shape = Shape { grid: [2, 1, 1], block: [8, 4, 2], dynamic_shared: 0 };
    let buffers = run(&ptx(&source, "sm_80"), "k", &shape, &[Argument::Buffer(vec![0; 128 * 8])]);
    unpack("i64", &buffers[0])
}

#[test]
fn numbers_and_extents() {
    let cases: [(&str, OfThread); 10] = [
        ("gpu.thread_id x", |n| n % 8),
        ("gpu.thread_id z", |n| n / 32 % 2),
        ("gpu.block_id x", |n| n / 64),
        ("gpu.block_dim y", |_| 4),
        ("gpu.grid_dim x", |_| 2),
        ("gpu.global_id x", |n| n / 64 * 8 + n % 8),
        ("gpu.lane_id", |n| n % 32),
        ("gpu.subgroup_id : index", |n| n / 32 % 2),
        ("gpu.num_subgroups : index", |_| 2),
        ("gpu.subgroup_size : index", |_| 32),
    ];
    for (op, expected) in cases {
        let wanted: Vec<u64> = (0..128).map(expected).collect();
        assert_eq!(everyone(&format!("%v = {op}")), wanted, "{op}");
    }
}

#[test]
fn shuffles() {
    // Which lane each mode reads from, and whether it is in range, in segments of 8.
    let cases: [(&str, u32, FromLane); 4] = [
        ("xor", 3, |n| (n ^ 3, true)),
        ("up", 2, |n| if n % 8 >= 2 { (n - 2, true) } else { (n, false) }),
        ("down", 2, |n| if n % 8 < 6 { (n + 2, true) } else { (n, false) }),
        ("idx", 5, |n| (n / 8 * 8 + 5, true)),
    ];
    for (mode, offset, from) in cases {
        for ty in ["i32", "i64", "f32", "f64"] {
            let source = kernel(
                &format!("%a: memref<?x{ty}>, %o: memref<?x{ty}>, %p: memref<?xi1>"),
                &format!(
                    "%i = gpu.thread_id x\n%w = arith.constant 8 : i32\n%d = arith.constant {offset} : i32\n\
                     %x = memref.load %a[%i] : memref<?x{ty}>\n\
                     %y, %q = gpu.shuffle {mode} %x, %d, %w : {ty}\n\
                     memref.store %y, %o[%i] : memref<?x{ty}>\n\
                     memref.store %q, %p[%i] : memref<?xi1>"
                ),
            );
            accepts(&source);
            let number = |n: u64| n * 0x1_0000_0001;
            let values: Vec<u64> = (0..32).map(number).collect();
            let buffers = run(
                &ptx(&source, "sm_80"),
                "k",
                &Shape::block(32),
                &[
                    Argument::Buffer(pack(ty, &values)),
                    Argument::Buffer(pack(ty, &[0; 32])),
                    Argument::Buffer(vec![0; 32]),
                ],
            );
            let wanted: Vec<u64> =
                (0..32).map(|n| super::run::canonical(ty, number(from(n).0))).collect();
            assert_eq!(unpack(ty, &buffers[1]), wanted, "{mode} {ty}");
            let wanted: Vec<u8> = (0..32).map(|n| from(n).1.into()).collect();
            assert_eq!(buffers[2], wanted, "{mode} {ty}");
        }
    }
}

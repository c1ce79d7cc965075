//! Reductions of a block combine the values of all its threads, whatever its shape.

mod kernels;
mod remarks;

use kernels::{check, program};
use remarks::run;

const TYPES: [(&str, &str); 12] = [
    ("f32", "arith.addf"),
    ("f64", "arith.addf"),
    ("f32", "arith.minnumf"),
    ("f64", "arith.maximumf"),
    ("i32", "arith.addi"),
    ("i64", "arith.muli"),
    ("i64", "arith.maxsi"),
    ("i16", "arith.minui"),
    ("i8", "arith.addi"),
    ("i1", "arith.andi"),
    ("i1", "arith.xori"),
    ("index", "arith.ori"),
];

/// Each thread brings an element; all get the sum, which each stores.
fn body(ty: &str, operator: &str, rounds: i64) -> String {
    format!(
        "%tx = gpu.thread_id x
         %ty = gpu.thread_id y
         %tz = gpu.thread_id z
         %nx = gpu.block_dim x
         %ny = gpu.block_dim y
         %b = gpu.block_id x
         %r0 = arith.muli %tz, %ny : index
         %r1 = arith.addi %r0, %ty : index
         %r2 = arith.muli %r1, %nx : index
         %t = arith.addi %r2, %tx : index
         %c0 = arith.constant 0 : index
         %c1 = arith.constant 1 : index
         %rounds = arith.constant {rounds} : index
         scf.for %k = %c0 to %rounds step %c1 {{
           %at = arith.addi %t, %k : index
           %x = memref.load %a[%at] : memref<?x{ty}>
           %s = gpu.all_reduce %x uniform {{
           ^bb0(%l: {ty}, %r: {ty}):
             %u = {operator} %l, %r : {ty}
             gpu.yield %u : {ty}
           }} : ({ty}) -> {ty}
           memref.store %s, %o[%at] : memref<?x{ty}>
         }}"
    )
}

#[test]
fn every_type_and_shape() {
    let shapes = [[1, 1, 1], [7, 1, 1], [32, 1, 1], [33, 1, 1], [16, 6, 1], [4, 5, 3], [100, 1, 1]];
    for (number, (ty, operator)) in TYPES.into_iter().enumerate() {
        for (turn, shape) in shapes.into_iter().enumerate() {
            // Every type meets every shape; known sizes and loops take turns.
            let (known, rounds) = ((number + turn) % 2 == 0, 1 + (turn as i64 % 2));
            let arguments = format!("%a: memref<?x{ty}>, %o: memref<?x{ty}>");
            let text = program(&arguments, shape, known, &body(ty, operator, rounds));
            let text = text.replace(
                "gpu.launch_func @kernels::@k blocks in (%two",
                "gpu.launch_func @kernels::@k blocks in (%one",
            );
            let extent = shape.iter().product::<i64>() + 2;
            let lowered = check("lower-reductions,canonicalize", &text, extent, 1e-5);
            assert!(!lowered.contains("gpu.all_reduce"), "{lowered}");
        }
    }
}

#[test]
fn barriers() {
    let count = |shape, rounds: i64| {
        let text = program(
            "%a: memref<?xf32>, %o: memref<?xf32>",
            shape,
            true,
            &body("f32", "arith.addf", rounds),
        );
        let (lowered, _) = run("canonicalize,lower-reductions", &text);
        lowered.matches("gpu.barrier").count()
    };
    // One warp needs none, one round one, and only a buffer that is used again two.
    assert_eq!([count([32, 1, 1], 2), count([128, 1, 1], 1), count([128, 1, 1], 2)], [0, 1, 2]);
}

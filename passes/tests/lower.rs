//! What the lower stage makes of structured code, on the smallest inputs that show it.

mod remarks;

use expect_test::{Expect, expect};
use remarks::run;

fn check(passes: &str, text: &str, expected: Expect) {
    let (output, said) = run(passes, text);
    expected.assert_eq(&format!("{output}{said}"));
}

#[test]
fn affine_loops_and_maps() {
    check(
        "lower-affine{compact=true},cse",
        "#set = affine_set<(d0)[s0] : (d0 - 2 >= 0, s0 - d0 == 0)>
         func.func @f(%n: index, %a: memref<?x4xf32>) -> index {
           affine.for %i = max affine_map<()[s0] -> (0, s0 - 5)>()[%n] to min affine_map<()[s0] -> (s0, 9)>()[%n] step 2 {
             affine.if #set(%i)[%n] {
               %x = affine.load %a[%i mod 3, %i floordiv 2] : memref<?x4xf32>
               affine.store %x, %a[%i ceildiv 2, 1] : memref<?x4xf32>
             }
           }
           %m = affine.min affine_map<()[s0] -> (s0 * 2 - 1, 7)>()[%n]
           return %m : index
         }",
        expect![[r#"
            module {
              func.func @f(%arg0: index, %arg1: memref<?x4xf32>) -> index {
                %c0 = arith.constant 0 : index
                %c-5 = arith.constant -5 : index
                %0 = arith.addi %arg0, %c-5 : index
                %1 = arith.maxsi %c0, %0 : index
                %c9 = arith.constant 9 : index
                %2 = arith.minsi %arg0, %c9 : index
                %c2 = arith.constant 2 : index
                scf.for %arg2 = %1 to %2 step %c2 {
                  %c-2 = arith.constant -2 : index
                  %6 = arith.addi %arg2, %c-2 : index
                  %7 = arith.cmpi sge, %6, %c0 : index
                  %c-1_0 = arith.constant -1 : index
                  %8 = arith.muli %arg2, %c-1_0 : index
                  %9 = arith.addi %8, %arg0 : index
                  %10 = arith.cmpi eq, %9, %c0 : index
                  %11 = arith.andi %7, %10 : i1
                  scf.if %11 {
                    %c3 = arith.constant 3 : index
                    %12 = arith.remsi %arg2, %c3 : index
                    %13 = arith.cmpi slt, %12, %c0 : index
                    %14 = arith.addi %12, %c3 : index
                    %15 = arith.select %13, %14, %12 : index
                    %16 = arith.floordivsi %arg2, %c2 : index
                    %17 = memref.load %arg1[%15, %16] : memref<?x4xf32>
                    %18 = arith.ceildivsi %arg2, %c2 : index
                    %c1 = arith.constant 1 : index
                    memref.store %17, %arg1[%18, %c1] : memref<?x4xf32>
                  }
                }
                %3 = arith.muli %arg0, %c2 : index
                %c-1 = arith.constant -1 : index
                %4 = arith.addi %3, %c-1 : index
                %c7 = arith.constant 7 : index
                %5 = arith.minsi %4, %c7 : index
                return %5 : index
              }
            }
        "#]],
    );
}

#[test]
fn parallel_reductions() {
    check(
        "lower-affine",
        "func.func @f(%n: index, %a: memref<?xf32>) -> (f32, f32) {
           %s, %m = affine.parallel (%i, %j) = (0, 1) to (%n, 5) step (2, 1) reduce (\"addf\", \"maxnumf\") -> (f32, f32) {
             %x = affine.load %a[%i + %j] : memref<?xf32>
             affine.yield %x, %x : f32, f32
           } {offload.schedule = [\"gang\"]}
           return %s, %m : f32, f32
         }",
        expect![[r#"
            module {
              func.func @f(%arg0: index, %arg1: memref<?xf32>) -> (f32, f32) {
                %c0 = arith.constant 0 : index
                %c1 = arith.constant 1 : index
                %c5 = arith.constant 5 : index
                %c2 = arith.constant 2 : index
                %c1_0 = arith.constant 1 : index
                %cst = arith.constant -0.000000e+00 : f32
                %cst_1 = arith.constant 0xFF800000 : f32
                %0:2 = scf.parallel (%arg2, %arg3) = (%c0, %c1) to (%arg0, %c5) step (%c2, %c1_0) init (%cst, %cst_1) -> (f32, f32) {
                  %1 = arith.addi %arg2, %arg3 : index
                  %2 = memref.load %arg1[%1] : memref<?xf32>
                  scf.reduce(%2, %2 : f32, f32) {
                  ^bb0(%arg4: f32, %arg5: f32):
                    %3 = arith.addf %arg4, %arg5 fastmath<contract> : f32
                    scf.reduce.return %3 : f32
                  }, {
                  ^bb0(%arg4: f32, %arg5: f32):
                    %3 = arith.maxnumf %arg4, %arg5 : f32
                    scf.reduce.return %3 : f32
                  }
                } {offload.schedule = ["gang"]}
                return %0#0, %0#1 : f32, f32
              }
            }
        "#]],
    );
}

#[test]
fn views_of_flat_buffers() {
    check(
        "fold-memref-alias-ops,canonicalize",
        "func.func @f(%n: index, %i: index, %j: index, %a: memref<?xf32>) -> f32 {
           %v = memref.reinterpret_cast %a to offset: [3], sizes: [%n, %n], strides: [%n, 1] : memref<?xf32> to memref<?x?xf32, strided<[?, 1], offset: 3>>
           %x = memref.load %v[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: 3>>
           memref.store %x, %v[%j, %i] : memref<?x?xf32, strided<[?, 1], offset: 3>>
           return %x : f32
         }",
        expect![[r#"
            module {
              func.func @f(%arg0: index, %arg1: index, %arg2: index, %arg3: memref<?xf32>) -> f32 {
                %c3 = arith.constant 3 : index
                %0 = arith.muli %arg1, %arg0 : index
                %1 = arith.addi %0, %c3 : index
                %2 = arith.addi %1, %arg2 : index
                %3 = memref.load %arg3[%2] : memref<?xf32>
                %4 = arith.muli %arg2, %arg0 : index
                %5 = arith.addi %4, %c3 : index
                %6 = arith.addi %5, %arg1 : index
                memref.store %3, %arg3[%6] : memref<?xf32>
                return %3 : f32
              }
            }
        "#]],
    );
}

#[test]
fn block_reductions() {
    check(
        "lower-reductions",
        "gpu.module @kernels {
           gpu.func @k(%a: memref<?xf32>, %x: f32) kernel attributes {known_block_size = array<i32: 48, 2, 1>} {
             %s = gpu.all_reduce %x uniform {
             ^bb0(%l: f32, %r: f32):
               %t = arith.addf %l, %r : f32
               gpu.yield %t : f32
             } : (f32) -> f32
             %c0 = arith.constant 0 : index
             memref.store %s, %a[%c0] : memref<?xf32>
             gpu.return
           }
         }",
        expect![[r#"
            module {
              gpu.module @kernels {
                gpu.func @k(%arg0: memref<?xf32>, %arg1: f32) workgroup(%arg2 : memref<3xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 48, 2, 1>} {
                  %thread_id_x = gpu.thread_id  x upper_bound 48
                  %thread_id_y = gpu.thread_id  y upper_bound 2
                  %c1 = arith.constant 1 : index
                  %c2 = arith.constant 2 : index
                  %0 = arith.muli %c1, %c2 : index
                  %c48 = arith.constant 48 : index
                  %1 = arith.muli %thread_id_y, %c48 : index
                  %2 = arith.addi %1, %thread_id_x : index
                  %3 = arith.muli %0, %c48 : index
                  %c32 = arith.constant 32 : index
                  %4 = arith.remui %2, %c32 : index
                  %5 = arith.divui %2, %c32 : index
                  %c16 = arith.constant 16 : index
                  %6 = arith.index_cast %c16 : index to i32
                  %c32_i32 = arith.constant 32 : i32
                  %shuffleResult, %valid = gpu.shuffle  down %arg1, %6, %c32_i32 : f32
                  %7 = arith.addf %arg1, %shuffleResult : f32
                  %c8 = arith.constant 8 : index
                  %8 = arith.index_cast %c8 : index to i32
                  %c32_i32_0 = arith.constant 32 : i32
                  %shuffleResult_1, %valid_2 = gpu.shuffle  down %7, %8, %c32_i32_0 : f32
                  %9 = arith.addf %7, %shuffleResult_1 : f32
                  %c4 = arith.constant 4 : index
                  %10 = arith.index_cast %c4 : index to i32
                  %c32_i32_3 = arith.constant 32 : i32
                  %shuffleResult_4, %valid_5 = gpu.shuffle  down %9, %10, %c32_i32_3 : f32
                  %11 = arith.addf %9, %shuffleResult_4 : f32
                  %c2_6 = arith.constant 2 : index
                  %12 = arith.index_cast %c2_6 : index to i32
                  %c32_i32_7 = arith.constant 32 : i32
                  %shuffleResult_8, %valid_9 = gpu.shuffle  down %11, %12, %c32_i32_7 : f32
                  %13 = arith.addf %11, %shuffleResult_8 : f32
                  %c1_10 = arith.constant 1 : index
                  %14 = arith.index_cast %c1_10 : index to i32
                  %c32_i32_11 = arith.constant 32 : i32
                  %shuffleResult_12, %valid_13 = gpu.shuffle  down %13, %14, %c32_i32_11 : f32
                  %15 = arith.addf %13, %shuffleResult_12 : f32
                  %c0 = arith.constant 0 : index
                  %16 = arith.cmpi eq, %4, %c0 : index
                  scf.if %16 {
                    memref.store %15, %arg2[%5] : memref<3xf32, #gpu.address_space<workgroup>>
                  }
                  gpu.barrier
                  %c0_14 = arith.constant 0 : index
                  %17 = memref.load %arg2[%c0_14] : memref<3xf32, #gpu.address_space<workgroup>>
                  %c1_15 = arith.constant 1 : index
                  %18 = memref.load %arg2[%c1_15] : memref<3xf32, #gpu.address_space<workgroup>>
                  %19 = arith.addf %17, %18 : f32
                  %c2_16 = arith.constant 2 : index
                  %20 = memref.load %arg2[%c2_16] : memref<3xf32, #gpu.address_space<workgroup>>
                  %21 = arith.addf %19, %20 : f32
                  %c0_17 = arith.constant 0 : index
                  memref.store %21, %arg0[%c0_17] : memref<?xf32>
                  gpu.return
                }
              }
            }
        "#]],
    );
}

#[test]
fn structured_control_flow() {
    check(
        "scf-to-cf",
        "func.func @f(%n: index, %c: i1, %a: memref<?xindex>) -> index {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %c0) -> (index) {
             %u = scf.if %c -> (index) {
               %v = arith.addi %t, %i : index
               scf.yield %v : index
             } else {
               scf.yield %t : index
             }
             scf.yield %u : index
           }
           %w = scf.while (%k = %s) : (index) -> index {
             %more = arith.cmpi slt, %k, %n : index
             scf.condition(%more) %k : index
           } do {
           ^bb0(%k: index):
             %l = arith.addi %k, %k : index
             scf.yield %l : index
           }
           %r = scf.index_switch %w -> index
           case 2 {
             scf.yield %c1 : index
           }
           case 5 {
             scf.yield %c0 : index
           }
           default {
             scf.yield %w : index
           }
           return %r : index
         }",
        expect![[r#"
            module {
              func.func @f(%arg0: index, %arg1: i1, %arg2: memref<?xindex>) -> index {
                %c0 = arith.constant 0 : index
                %c1 = arith.constant 1 : index
                %0 = arith.cmpi slt, %c0, %arg0 : index
                cf.cond_br %0, ^bb1(%c0, %c0 : index, index), ^bb5(%c0 : index)
              ^bb1(%1: index, %2: index):  // 2 preds: ^bb0, ^bb4
                cf.cond_br %arg1, ^bb2, ^bb3
              ^bb2:  // pred: ^bb1
                %3 = arith.addi %2, %1 : index
                cf.br ^bb4(%3 : index)
              ^bb3:  // pred: ^bb1
                cf.br ^bb4(%2 : index)
              ^bb4(%4: index):  // 2 preds: ^bb2, ^bb3
                %5 = arith.addi %1, %c1 : index
                %6 = arith.cmpi slt, %5, %arg0 : index
                cf.cond_br %6, ^bb1(%5, %4 : index, index), ^bb5(%4 : index)
              ^bb5(%7: index):  // 2 preds: ^bb0, ^bb4
                cf.br ^bb6(%7 : index)
              ^bb6(%8: index):  // 2 preds: ^bb5, ^bb7
                %9 = arith.cmpi slt, %8, %arg0 : index
                cf.cond_br %9, ^bb7(%8 : index), ^bb8(%8 : index)
              ^bb7(%10: index):  // pred: ^bb6
                %11 = arith.addi %10, %10 : index
                cf.br ^bb6(%11 : index)
              ^bb8(%12: index):  // pred: ^bb6
                %c2 = arith.constant 2 : index
                %13 = arith.cmpi eq, %12, %c2 : index
                cf.cond_br %13, ^bb12, ^bb9
              ^bb9:  // pred: ^bb8
                %c5 = arith.constant 5 : index
                %14 = arith.cmpi eq, %12, %c5 : index
                cf.cond_br %14, ^bb13, ^bb10
              ^bb10:  // pred: ^bb9
                cf.br ^bb11
              ^bb11:  // pred: ^bb10
                cf.br ^bb14(%12 : index)
              ^bb12:  // pred: ^bb8
                cf.br ^bb14(%c1 : index)
              ^bb13:  // pred: ^bb9
                cf.br ^bb14(%c0 : index)
              ^bb14(%15: index):  // 3 preds: ^bb11, ^bb12, ^bb13
                return %15 : index
              }
            }
        "#]],
    );
}

//! What becomes of accesses in kernels: pointers that loops carry, on the smallest inputs that show
//! it, and that they go where the accesses went.

mod kernels;
mod remarks;

use expect_test::expect;
use kernels::{check, expect_kernel, program};
use remarks::run;

const PASSES: &str = "lower-accesses,narrow-loops,canonicalize,cse,loop-invariant-code-motion,cse";

const IDS: &str = "%c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x";

/// The inner loop of a matrix product: a row and a column, each with a pointer of its own.
#[test]
fn a_row_and_a_column() {
    for (n, extent) in [(0, 1), (1, 1), (3, 9), (5, 25)] {
        let body = format!(
            "{IDS}
             %n = arith.constant {n} : index
             %zero = arith.constant 0.0 : f32
             %inside = arith.cmpi slt, %t, %n : index
             scf.if %inside {{
               %s = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {{
                 %row = arith.muli %t, %n : index
                 %p = arith.addi %row, %k : index
                 %x = memref.load %x0[%p] : memref<?xf32>
                 %q = arith.muli %k, %n : index
                 %r = arith.addi %q, %t : index
                 %y = memref.load %x0[%r] : memref<?xf32>
                 %z = arith.mulf %x, %y : f32
                 %u = arith.addf %sum, %z : f32
                 scf.yield %u : f32
               }}
               memref.store %s, %x1[%t] : memref<?xf32>
             }}"
        );
        let arguments = "%x0: memref<?xf32>, %x1: memref<?xf32>";
        let text = program(arguments, [6, 1, 1], false, &body);
        let lowered = check(PASSES, &text, extent.max(n), 0.0);
        if n == 5 {
            expect_kernel(
                &lowered,
                &expect![[r#"
                gpu.func @k(%arg0: memref<?xf32>, %arg1: memref<?xf32>) kernel {
                      %c1_i32 = arith.constant 1 : i32
                      %c5_i32 = arith.constant 5 : i32
                      %c0_i32 = arith.constant 0 : i32
                      %c4 = arith.constant 4 : index
                      %c20 = arith.constant 20 : index
                      %cst = arith.constant 0.000000e+00 : f32
                      %c5 = arith.constant 5 : index
                      %thread_id_x = gpu.thread_id  x
                      %0 = arith.cmpi slt, %thread_id_x, %c5 : index
                      scf.if %0 {
                        %1 = ptr.to_ptr %arg0 : memref<?xf32> -> !ptr.ptr<#gpu.address_space<global>>
                        %2 = arith.muli %thread_id_x, %c20 : index
                        %3 = ptr.ptr_add %1, %2 : !ptr.ptr<#gpu.address_space<global>>, index
                        %4 = arith.muli %thread_id_x, %c4 : index
                        %5 = ptr.ptr_add %1, %4 : !ptr.ptr<#gpu.address_space<global>>, index
                        %6:3 = scf.for %arg2 = %c0_i32 to %c5_i32 step %c1_i32 iter_args(%arg3 = %cst, %arg4 = %3, %arg5 = %5) -> (f32, !ptr.ptr<#gpu.address_space<global>>, !ptr.ptr<#gpu.address_space<global>>)  : i32 {
                          %9 = ptr.load %arg4 : !ptr.ptr<#gpu.address_space<global>> -> f32
                          %10 = ptr.load %arg5 : !ptr.ptr<#gpu.address_space<global>> -> f32
                          %11 = arith.mulf %9, %10 : f32
                          %12 = arith.addf %arg3, %11 : f32
                          %13 = ptr.ptr_add %arg4, %c4 : !ptr.ptr<#gpu.address_space<global>>, index
                          %14 = ptr.ptr_add %arg5, %c20 : !ptr.ptr<#gpu.address_space<global>>, index
                          scf.yield %12, %13, %14 : f32, !ptr.ptr<#gpu.address_space<global>>, !ptr.ptr<#gpu.address_space<global>>
                        }
                        %7 = ptr.to_ptr %arg1 : memref<?xf32> -> !ptr.ptr<#gpu.address_space<global>>
                        %8 = ptr.ptr_add %7, %4 : !ptr.ptr<#gpu.address_space<global>>, index
                        ptr.store %6#0, %8 : f32, !ptr.ptr<#gpu.address_space<global>>
                      }
                      gpu.return
                    }
                  }
                }
            "#]],
            );
        }
    }
}

/// Rows above and below, elements left and right: one pointer for all, a step from row to row.
#[test]
fn a_stencil_shares_its_pointer() {
    let body = format!(
        "{IDS}
         %n = arith.index_cast %n0 : i32 to index
         %end = arith.subi %n, %c1 overflow<nsw> : index
         %inside = arith.cmpi slt, %t, %end : index
         scf.if %inside {{
           scf.for %j = %c1 to %end step %c1 {{
             %i = arith.addi %t, %c1 : index
             %row = arith.muli %t, %n : index
             %p = arith.addi %row, %j : index
             %above = memref.load %x0[%p] : memref<?xf64>
             %row1 = arith.addi %row, %n : index
             %row2 = arith.addi %row1, %n : index
             %j1 = arith.subi %j, %c1 overflow<nsw> : index
             %j2 = arith.addi %j, %c1 overflow<nsw> : index
             %q = arith.addi %row2, %j : index
             %below = memref.load %x0[%q] : memref<?xf64>
             %r = arith.addi %row1, %j1 : index
             %left = memref.load %x0[%r] : memref<?xf64>
             %s = arith.addi %row1, %j2 : index
             %right = memref.load %x0[%s] : memref<?xf64>
             %sum0 = arith.addf %above, %below : f64
             %sum1 = arith.addf %left, %right : f64
             %sum = arith.addf %sum0, %sum1 : f64
             %u = arith.addi %row1, %j : index
             memref.store %sum, %x1[%u] : memref<?xf64>
           }}
         }}"
    );
    let arguments = "%n0: i32, %x0: memref<?xf64>, %x1: memref<?xf64>";
    let lowered = run(PASSES, &program(arguments, [8, 1, 1], false, &body)).0;
    expect_kernel(
        &lowered,
        &expect![[r#"
            gpu.func @k(%arg0: i32, %arg1: memref<?xf64>, %arg2: memref<?xf64>) kernel {
                  %c-8 = arith.constant -8 : index
                  %c8 = arith.constant 8 : index
                  %c1 = arith.constant 1 : index
                  %thread_id_x = gpu.thread_id  x
                  %0 = arith.index_cast %arg0 : i32 to index
                  %1 = arith.subi %0, %c1 overflow<nsw> : index
                  %2 = arith.cmpi slt, %thread_id_x, %1 : index
                  scf.if %2 {
                    %3 = ptr.to_ptr %arg1 : memref<?xf64> -> !ptr.ptr<#gpu.address_space<global>>
                    %4 = arith.muli %0, %thread_id_x : index
                    %5 = arith.addi %4, %c1 : index
                    %6 = arith.muli %5, %c8 : index
                    %7 = ptr.ptr_add %3, %6 : !ptr.ptr<#gpu.address_space<global>>, index
                    %8 = ptr.to_ptr %arg2 : memref<?xf64> -> !ptr.ptr<#gpu.address_space<global>>
                    %9 = arith.addi %0, %4 : index
                    %10 = arith.addi %9, %c1 : index
                    %11 = arith.muli %10, %c8 : index
                    %12 = ptr.ptr_add %8, %11 : !ptr.ptr<#gpu.address_space<global>>, index
                    %13 = arith.muli %0, %c8 : index
                    %14:2 = scf.for %arg3 = %c1 to %1 step %c1 iter_args(%arg4 = %7, %arg5 = %12) -> (!ptr.ptr<#gpu.address_space<global>>, !ptr.ptr<#gpu.address_space<global>>) {
                      %15 = ptr.ptr_add %arg4, %13 : !ptr.ptr<#gpu.address_space<global>>, index
                      %16 = ptr.ptr_add %15, %13 : !ptr.ptr<#gpu.address_space<global>>, index
                      %17 = ptr.load %arg4 : !ptr.ptr<#gpu.address_space<global>> -> f64
                      %18 = ptr.load %16 : !ptr.ptr<#gpu.address_space<global>> -> f64
                      %19 = ptr.ptr_add %15, %c-8 : !ptr.ptr<#gpu.address_space<global>>, index
                      %20 = ptr.load %19 : !ptr.ptr<#gpu.address_space<global>> -> f64
                      %21 = ptr.ptr_add %15, %c8 : !ptr.ptr<#gpu.address_space<global>>, index
                      %22 = ptr.load %21 : !ptr.ptr<#gpu.address_space<global>> -> f64
                      %23 = arith.addf %17, %18 : f64
                      %24 = arith.addf %20, %22 : f64
                      %25 = arith.addf %23, %24 : f64
                      ptr.store %25, %arg5 : f64, !ptr.ptr<#gpu.address_space<global>>
                      %26 = ptr.ptr_add %arg4, %c8 : !ptr.ptr<#gpu.address_space<global>>, index
                      %27 = ptr.ptr_add %arg5, %c8 : !ptr.ptr<#gpu.address_space<global>>, index
                      scf.yield %26, %27 : !ptr.ptr<#gpu.address_space<global>>, !ptr.ptr<#gpu.address_space<global>>
                    }
                  }
                  gpu.return
                }
              }
            }
        "#]],
    );
    for n in [0, 1, 2, 3, 7, 8] {
        let fixed = body
            .replace("arith.index_cast %n0 : i32 to index", &format!("arith.constant {n} : index"));
        // Threads beyond the last row stay out; each has a row of its own.
        check(PASSES, &program(arguments, [5, 1, 1], false, &fixed), 100, 0.0);
    }
}

/// A subscript that was loaded, memory of the block, steps other than 1, a start other than 0.
#[test]
fn what_is_no_recurrence() {
    for (n, step) in [(0, 1), (1, 1), (7, 1), (11, 3), (12, 2)] {
        let body = format!(
            "{IDS}
             %n = arith.constant {n} : index
             %step = arith.constant {step} : index
             scf.for %i = %c1 to %n step %step {{
               %k = memref.load %x0[%i] : memref<?xi32>
               %seven = arith.constant 7 : i32
               %low = arith.andi %k, %seven : i32
               %at = arith.index_cast %low : i32 to index
               %v = memref.load %x1[%at] : memref<?xi32>
               %square = arith.muli %i, %i : index
               %rest = arith.remsi %square, %n : index
               %w = memref.load %x1[%rest] : memref<?xi32>
               %sum = arith.addi %v, %w : i32
               %first = arith.cmpi eq, %t, %c0 : index
               scf.if %first {{
                 memref.store %sum, %x2[%i] : memref<?xi32>
               }}
             }}"
        );
        let arguments = "%x0: memref<?xi32>, %x1: memref<?xi32>, %x2: memref<?xi32>";
        let lowered = check(PASSES, &program(arguments, [3, 1, 1], false, &body), n.max(8), 0.0);
        assert!(n < 2 || lowered.contains("ptr.load"), "{lowered}");
        assert!(!lowered.contains("memref.load"), "{lowered}");
    }
}

/// A pointer that a loop carries moves by the same step each time: numbers that the loop computes are no step, and no start.
#[test]
fn what_varies_in_a_loop_is_no_step() {
    for n in [0, 1, 7, 12] {
        let body = format!(
            "{IDS}
             %n = arith.constant {n} : index
             %seven = arith.constant 7 : i32
             scf.for %i = %c0 to %n step %c1 {{
               %k = memref.load %x0[%i] : memref<?xi32>
               %low = arith.andi %k, %seven : i32
               %own = arith.index_cast %low : i32 to index
               %scaled = arith.muli %i, %own : index
               %v = memref.load %x1[%scaled] : memref<?xi32>
               %moved = arith.addi %i, %own : index
               %w = memref.load %x1[%moved] : memref<?xi32>
               %sum = arith.addi %v, %w : i32
               %first = arith.cmpi eq, %t, %c0 : index
               scf.if %first {{
                 memref.store %sum, %x2[%i] : memref<?xi32>
               }}
             }}"
        );
        let arguments = "%x0: memref<?xi32>, %x1: memref<?xi32>, %x2: memref<?xi32>";
        check(PASSES, &program(arguments, [3, 1, 1], false, &body), 8 * n.max(8), 0.0);
    }
}

/// Only what no write of the kernel may reach is invariant.
#[test]
fn read_only_buffers() {
    let kernel = |storage: [&str; 3]| {
        let [a, b, c] = storage.map(|word| match word {
            "" => String::new(),
            word => format!(" {{offload.map = \"copy\", offload.storage = \"{word}\"}}"),
        });
        let text = format!(
            "gpu.module @kernels {{
               gpu.func @k(%a: memref<?xf32>{a}, %b: memref<?xf32>{b}, %c: memref<?xf32>{c}) kernel {{
                 %i = gpu.thread_id x
                 %x = memref.load %a[%i] : memref<?xf32>
                 gpu.barrier
                 %y = memref.load %b[%i] : memref<?xf32>
                 %z = arith.addf %x, %y : f32
                 memref.store %z, %c[%i] : memref<?xf32>
                 %w = memref.load %c[%i] : memref<?xf32>
                 %v = memref.atomic_rmw addf %w, %c[%i] : (f32, memref<?xf32>) -> f32
                 gpu.return
               }}
             }}"
        );
        let lowered = run("lower-accesses", &text).0;
        lowered
            .lines()
            .filter(|line| line.contains("ptr.load"))
            .map(|line| line.contains("invariant"))
            .collect::<Vec<_>>()
    };
    assert_eq!(kernel(["exclusive", "exclusive", "exclusive"]), [true, true, false]);
    assert_eq!(kernel(["exclusive", "", ""]), [true, false, false]);
    assert_eq!(kernel(["object", "object", "object"]), [true, true, false]);
    // What is mapped is taken to be apart by those who test it; this pass does not.
    assert_eq!(kernel(["object", "", "object"]), [true, false, false]);
    assert_eq!(kernel(["", "", ""]), [false, false, false]);
}

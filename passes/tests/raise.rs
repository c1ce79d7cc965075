//! What the raise stage makes of loops and accesses, on the smallest inputs that show it.

mod remarks;

use expect_test::{Expect, expect};
use remarks::run;

fn check(passes: &str, text: &str, expected: Expect) {
    let (output, said) = run(passes, text);
    expected.assert_eq(&format!("{output}{said}"));
}

#[test]
fn loops_of_directives() {
    check(
        "raise-loops,canonicalize",
        "func.func @f(%n: index, %a: memref<?xf32>, %s: memref<f32>) {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           offload.region parallel {
             offload.loop independent gang vector (%i) = (%c0) to (%n) step (%c1) reduction(add %s : memref<f32>) {
               offload.loop seq (%j) = (%c0) to (%i) step (%c1) {
                 %x = memref.load %a[%j] : memref<?xf32>
                 %y = memref.load %s[] : memref<f32>
                 %z = arith.addf %x, %y : f32
                 memref.store %z, %s[] : memref<f32>
               }
             }
             offload.loop auto (%i) = (%c0) to (%n) step (%c1) {
               %x = memref.load %a[%i] : memref<?xf32>
               memref.store %x, %a[%i] : memref<?xf32>
             }
           }
           return
         }",
        expect![[r#"
            module {
              func.func @f(%arg0: index, %arg1: memref<?xf32>, %arg2: memref<f32>) {
                %cst = arith.constant -0.000000e+00 : f32
                %c0 = arith.constant 0 : index
                %c1 = arith.constant 1 : index
                offload.region parallel {
                  %0 = scf.parallel (%arg3) = (%c0) to (%arg0) step (%c1) init (%cst) -> f32 {
                    %alloca = memref.alloca() : memref<f32>
                    memref.store %cst, %alloca[] : memref<f32>
                    scf.for %arg4 = %c0 to %arg3 step %c1 {
                      %4 = memref.load %arg1[%arg4] : memref<?xf32>
                      %5 = memref.load %alloca[] : memref<f32>
                      %6 = arith.addf %4, %5 : f32
                      memref.store %6, %alloca[] : memref<f32>
                    } {offload.seq}
                    %3 = memref.load %alloca[] : memref<f32>
                    scf.reduce(%3 : f32) {
                    ^bb0(%arg4: f32, %arg5: f32):
                      %4 = arith.addf %arg4, %arg5 fastmath<contract> : f32
                      scf.reduce.return %4 : f32
                    }
                  } {offload.schedule = ["gang", "vector"]}
                  %1 = memref.load %arg2[] : memref<f32>
                  %2 = arith.addf %1, %0 fastmath<contract> : f32
                  memref.store %2, %arg2[] : memref<f32>
                  scf.for %arg3 = %c0 to %arg0 step %c1 {
                    %3 = memref.load %arg1[%arg3] : memref<?xf32>
                    memref.store %3, %arg1[%arg3] : memref<?xf32>
                  } {offload.auto, offload.schedule = []}
                }
                return
              }
            }
        "#]],
    );
}

#[test]
fn bounds_and_subscripts() {
    check(
        "raise-affine,canonicalize,cse",
        "func.func @f(%n: i32, %m: index, %a: memref<?xf32>, %b: memref<?x8xf32>) {
           %c0 = arith.constant 0 : index
           %c2 = arith.constant 2 : index
           %c3 = arith.constant 3 : i32
           offload.region kernels {
             %to = arith.index_cast %n : i32 to index
             scf.for %i = %c0 to %to step %c2 {
               %i32 = arith.index_cast %i : index to i32
               %twice = arith.muli %i32, %c3 overflow<nsw> : i32
               %low = arith.maxsi %i, %m : index
               scf.for %j = %low to %to step %c2 {
                 %j32 = arith.index_cast %j : index to i32
                 %0 = arith.addi %twice, %j32 overflow<nsw> : i32
                 %1 = arith.subi %0, %n overflow<nsw> : i32
                 %2 = arith.index_cast %1 : i32 to index
                 %x = memref.load %a[%2] : memref<?xf32>
                 memref.store %x, %b[%i, %c2] : memref<?x8xf32>
               }
             }
           }
           return
         }",
        expect![[r#"
            #map = affine_map<(d0)[s0] -> (d0, s0)>
            module {
              func.func @f(%arg0: i32, %arg1: index, %arg2: memref<?xf32>, %arg3: memref<?x8xf32>) {
                offload.region kernels {
                  %0 = arith.index_cast %arg0 : i32 to index
                  affine.for %arg4 = 0 to %0 step 2 {
                    affine.for %arg5 = max #map(%arg4)[%arg1] to %0 step 2 {
                      %1 = affine.load %arg2[%arg4 * 3 + %arg5 - symbol(%0)] : memref<?xf32>
                      affine.store %1, %arg3[%arg4, 2] : memref<?x8xf32>
                    }
                  }
                }
                return
              }
            }
        "#]],
    );
}

/// Arithmetic that may wrap in 32 bits, loaded subscripts, steps and bounds that are not numbers.
#[test]
fn what_is_not_affine_stays() {
    check(
        "raise-affine",
        "func.func @f(%n: i32, %m: index, %a: memref<?xi32>, %s: memref<index>) {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           offload.region kernels {
             scf.for %i = %c0 to %m step %m {
             }
             scf.for %i = %c0 to %m step %c1 {
               %i32 = arith.index_cast %i : index to i32
               %0 = arith.addi %i32, %n : i32
               %1 = arith.index_cast %0 : i32 to index
               %x = memref.load %a[%1] : memref<?xi32>
               %2 = arith.index_cast %x : i32 to index
               memref.store %x, %a[%2] : memref<?xi32>
               %to = memref.load %s[] : memref<index>
               scf.for %j = %c0 to %to step %c1 {
                 memref.store %x, %a[%j] : memref<?xi32>
               }
             }
           }
           return
         }",
        expect![[r#"
            module {
              func.func @f(%arg0: i32, %arg1: index, %arg2: memref<?xi32>, %arg3: memref<index>) {
                %c0 = arith.constant 0 : index
                %c1 = arith.constant 1 : index
                offload.region kernels {
                  scf.for %arg4 = %c0 to %arg1 step %arg1 {
                  }
                  affine.for %arg4 = 0 to %arg1 {
                    %0 = arith.index_cast %arg4 : index to i32
                    %1 = arith.addi %0, %arg0 : i32
                    %2 = arith.index_cast %1 : i32 to index
                    %3 = memref.load %arg2[%2] : memref<?xi32>
                    %4 = arith.index_cast %3 : i32 to index
                    memref.store %3, %arg2[%4] : memref<?xi32>
                    %5 = memref.load %arg3[] : memref<index>
                    scf.for %arg5 = %c0 to %5 step %c1 {
                      memref.store %3, %arg2[%arg5] : memref<?xi32>
                    }
                  }
                }
                return
              }
            }
        "#]],
    );
}

#[test]
fn parallel_loops() {
    check(
        "raise-affine,canonicalize",
        "func.func @f(%n: index, %a: memref<?xf32>) -> f32 {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %zero = arith.constant -0.0 : f32
           %one = arith.constant 1.0 : f32
           %s = scf.parallel (%i, %j) = (%c0, %c1) to (%n, %n) step (%c1, %c1) init (%zero) -> f32 {
             %k = arith.addi %i, %j : index
             %x = memref.load %a[%k] : memref<?xf32>
             scf.reduce(%x : f32) {
             ^bb0(%l: f32, %r: f32):
               %t = arith.addf %l, %r : f32
               scf.reduce.return %t : f32
             }
           } {offload.schedule = [\"gang\"]}
           // The first value is no identity.
           %t = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%one) -> f32 {
             %x = memref.load %a[%i] : memref<?xf32>
             scf.reduce(%x : f32) {
             ^bb0(%l: f32, %r: f32):
               %t = arith.addf %l, %r : f32
               scf.reduce.return %t : f32
             }
           }
           %r = arith.addf %s, %t : f32
           return %r : f32
         }",
        expect![[r#"
            module {
              func.func @f(%arg0: index, %arg1: memref<?xf32>) -> f32 {
                %c0 = arith.constant 0 : index
                %c1 = arith.constant 1 : index
                %cst = arith.constant 1.000000e+00 : f32
                %0 = affine.parallel (%arg2, %arg3) = (0, 1) to (symbol(%arg0), symbol(%arg0)) reduce ("addf") -> (f32) {
                  %3 = affine.load %arg1[%arg2 + %arg3] : memref<?xf32>
                  affine.yield %3 : f32
                } {offload.schedule = ["gang"]}
                %1 = scf.parallel (%arg2) = (%c0) to (%arg0) step (%c1) init (%cst) -> f32 {
                  %3 = memref.load %arg1[%arg2] : memref<?xf32>
                  scf.reduce(%3 : f32) {
                  ^bb0(%arg3: f32, %arg4: f32):
                    %4 = arith.addf %arg3, %arg4 : f32
                    scf.reduce.return %4 : f32
                  }
                }
                %2 = arith.addf %0, %1 : f32
                return %2 : f32
              }
            }
        "#]],
    );
}

fn linear(bound: &str, subscript: &str) -> String {
    format!(
        "func.func @f(%n: index, %m: index, %p: index, %a: memref<?xf32> {{offload.name = \"a\"}}) {{
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           offload.region kernels {{
             affine.for %i = 0 to %m {{
               affine.for %j = 0 to {bound} {{
                 %0 = arith.muli %i, %n : index
                 {subscript}
                 %x = memref.load %a[%k] : memref<?xf32>
                 memref.store %x, %a[%k] : memref<?xf32>
               }}
             }}
           }}
           return
         }}"
    )
}

#[test]
fn rows_of_run_time_length() {
    check(
        "delinearize,canonicalize,cse",
        &linear("%n", "%k = arith.addi %0, %j : index"),
        expect![[r#"
            module {
              func.func @f(%arg0: index, %arg1: index, %arg2: index, %arg3: memref<?xf32> {offload.name = "a"}) {
                %c0 = arith.constant 0 : index
                %c1 = arith.constant 1 : index
                offload.region kernels {
                  %dim = memref.dim %arg3, %c0 : memref<?xf32>
                  %0 = arith.maxsi %arg0, %c1 : index
                  %1 = arith.ceildivsi %dim, %0 : index
                  %reinterpret_cast = memref.reinterpret_cast %arg3 to offset: [0], sizes: [%1, %arg0], strides: [%arg0, 1] : memref<?xf32> to memref<?x?xf32, strided<[?, 1]>>
                  affine.for %arg4 = 0 to %arg1 {
                    affine.for %arg5 = 0 to %arg0 {
                      %2 = affine.load %reinterpret_cast[%arg4, %arg5] : memref<?x?xf32, strided<[?, 1]>>
                      affine.store %2, %reinterpret_cast[%arg4, %arg5] : memref<?x?xf32, strided<[?, 1]>>
                    }
                  }
                }
                return
              }
            }
        "#]],
    );
}

#[test]
fn the_last_column_and_the_next_row() {
    check(
        "delinearize,canonicalize,cse",
        &linear(
            "%n",
            "%1 = arith.subi %n, %j : index
             %2 = arith.subi %1, %c1 : index
             %k = arith.addi %0, %2 : index",
        ),
        expect![[r#"
            module {
              func.func @f(%arg0: index, %arg1: index, %arg2: index, %arg3: memref<?xf32> {offload.name = "a"}) {
                %c0 = arith.constant 0 : index
                %c1 = arith.constant 1 : index
                offload.region kernels {
                  %dim = memref.dim %arg3, %c0 : memref<?xf32>
                  %0 = arith.maxsi %arg0, %c1 : index
                  %1 = arith.ceildivsi %dim, %0 : index
                  %reinterpret_cast = memref.reinterpret_cast %arg3 to offset: [0], sizes: [%1, %arg0], strides: [%arg0, 1] : memref<?xf32> to memref<?x?xf32, strided<[?, 1]>>
                  affine.for %arg4 = 0 to %arg1 {
                    affine.for %arg5 = 0 to %arg0 {
                      %2 = affine.load %reinterpret_cast[%arg4, -%arg5 + symbol(%arg0) - 1] : memref<?x?xf32, strided<[?, 1]>>
                      affine.store %2, %reinterpret_cast[%arg4, -%arg5 + symbol(%arg0) - 1] : memref<?x?xf32, strided<[?, 1]>>
                    }
                  }
                }
                return
              }
            }
        "#]],
    );
}

#[test]
fn rows_that_may_be_too_short() {
    let text = linear("%p", "%k = arith.addi %0, %j : index");
    check(
        "delinearize,canonicalize,cse",
        &text,
        expect![[r#"
        module {
          func.func @f(%arg0: index, %arg1: index, %arg2: index, %arg3: memref<?xf32> {offload.name = "a"}) {
            %c0 = arith.constant 0 : index
            %c1 = arith.constant 1 : index
            %0 = arith.subi %arg0, %arg2 : index
            %1 = arith.cmpi sge, %0, %c0 : index
            scf.if %1 {
              offload.region kernels {
                %dim = memref.dim %arg3, %c0 : memref<?xf32>
                %2 = arith.maxsi %arg0, %c1 : index
                %3 = arith.ceildivsi %dim, %2 : index
                %reinterpret_cast = memref.reinterpret_cast %arg3 to offset: [0], sizes: [%3, %arg0], strides: [%arg0, 1] : memref<?xf32> to memref<?x?xf32, strided<[?, 1]>>
                affine.for %arg4 = 0 to %arg1 {
                  affine.for %arg5 = 0 to %arg2 {
                    %4 = affine.load %reinterpret_cast[%arg4, %arg5] : memref<?x?xf32, strided<[?, 1]>>
                    affine.store %4, %reinterpret_cast[%arg4, %arg5] : memref<?x?xf32, strided<[?, 1]>>
                  }
                }
              }
            } else {
              offload.region kernels attributes {offload.fallback} {
                affine.for %arg4 = 0 to %arg1 {
                  affine.for %arg5 = 0 to %arg2 {
                    %2 = arith.muli %arg4, %arg0 : index
                    %3 = arith.addi %2, %arg5 : index
                    %4 = memref.load %arg3[%3] : memref<?xf32>
                    memref.store %4, %arg3[%3] : memref<?xf32>
                  }
                }
              }
            }
            return
          }
        }
        9: remark: two versions made: a is taken apart into rows if a local variable <= a local variable
    "#]],
    );
}

#[test]
fn rows_that_are_too_short() {
    let (output, said) = run(
        "delinearize",
        &linear("%n", "%1 = arith.addi %0, %j : index\n%k = arith.addi %1, %c1 : index"),
    );
    assert!(!output.contains("reinterpret_cast"), "{output}");
    expect![[r#"
        10: remark: the subscript of a is not proven to stay within a row
    "#]]
    .assert_eq(&said);
}

#[test]
fn three_dimensions() {
    check(
        "delinearize,canonicalize,cse",
        "func.func @f(%l: i32, %m: i32, %n: i32, %a: memref<?xf32>) {
           offload.region kernels {
             %0 = arith.index_cast %l : i32 to index
             %1 = arith.index_cast %m : i32 to index
             %2 = arith.index_cast %n : i32 to index
             affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%0] {
               affine.for %j = 0 to %1 {
                 affine.for %k = 1 to %2 {
                   %3 = arith.muli %i, %1 : index
                   %4 = arith.addi %3, %j : index
                   %5 = arith.muli %4, %2 : index
                   %6 = arith.addi %5, %k : index
                   %c1 = arith.constant 1 : index
                   %7 = arith.subi %6, %c1 : index
                   %x = memref.load %a[%7] : memref<?xf32>
                   memref.store %x, %a[%6] : memref<?xf32>
                 }
               }
             }
           }
           return
         }",
        expect![[r#"
            #map = affine_map<()[s0] -> (s0 - 1)>
            module {
              func.func @f(%arg0: i32, %arg1: i32, %arg2: i32, %arg3: memref<?xf32>) {
                %c1 = arith.constant 1 : index
                %c0 = arith.constant 0 : index
                offload.region kernels {
                  %0 = arith.index_cast %arg2 : i32 to index
                  %1 = arith.index_cast %arg1 : i32 to index
                  %2 = arith.muli %1, %0 : index
                  %dim = memref.dim %arg3, %c0 : memref<?xf32>
                  %3 = arith.maxsi %2, %c1 : index
                  %4 = arith.ceildivsi %dim, %3 : index
                  %reinterpret_cast = memref.reinterpret_cast %arg3 to offset: [0], sizes: [%4, %1, %0], strides: [%2, %0, 1] : memref<?xf32> to memref<?x?x?xf32, strided<[?, ?, 1]>>
                  %5 = arith.index_cast %arg0 : i32 to index
                  affine.for %arg4 = 1 to #map()[%5] {
                    affine.for %arg5 = 0 to %1 {
                      affine.for %arg6 = 1 to %0 {
                        %6 = affine.load %reinterpret_cast[%arg4, %arg5, %arg6 - 1] : memref<?x?x?xf32, strided<[?, ?, 1]>>
                        affine.store %6, %reinterpret_cast[%arg4, %arg5, %arg6] : memref<?x?x?xf32, strided<[?, ?, 1]>>
                      }
                    }
                  }
                }
                return
              }
            }
        "#]],
    );
}

/// Rows of `n + 2` elements, with 32-bit subscripts that start behind a border of one.
#[test]
fn extents_that_are_sums() {
    check(
        "raise-affine,delinearize,canonicalize,cse",
        "func.func @f(%n: i32, %a: memref<?xf32>) {
           %c1 = arith.constant 1 : index
           %one = arith.constant 1 : i32
           %two = arith.constant 2 : i32
           offload.region kernels {
             %0 = arith.addi %n, %one overflow<nsw> : i32
             %to = arith.index_cast %0 : i32 to index
             %row = arith.addi %n, %two overflow<nsw> : i32
             scf.for %i = %c1 to %to step %c1 {
               %i32 = arith.index_cast %i : index to i32
               scf.for %j = %c1 to %to step %c1 {
                 %j32 = arith.index_cast %j : index to i32
                 %h = arith.subi %i32, %one overflow<nsw> : i32
                 %1 = arith.muli %h, %row overflow<nsw> : i32
                 %2 = arith.addi %1, %j32 overflow<nsw> : i32
                 %3 = arith.addi %2, %one overflow<nsw> : i32
                 %k = arith.index_cast %3 : i32 to index
                 %x = memref.load %a[%k] : memref<?xf32>
                 memref.store %x, %a[%k] : memref<?xf32>
               }
             }
           }
           return
         }",
        expect![[r#"
            module {
              func.func @f(%arg0: i32, %arg1: memref<?xf32>) {
                %c0 = arith.constant 0 : index
                %c1 = arith.constant 1 : index
                %c1_i32 = arith.constant 1 : i32
                %c2_i32 = arith.constant 2 : i32
                offload.region kernels {
                  %0 = arith.addi %arg0, %c1_i32 overflow<nsw> : i32
                  %1 = arith.index_cast %0 : i32 to index
                  %2 = arith.addi %arg0, %c2_i32 overflow<nsw> : i32
                  %3 = arith.index_cast %2 : i32 to index
                  %dim = memref.dim %arg1, %c0 : memref<?xf32>
                  %4 = arith.maxsi %3, %c1 : index
                  %5 = arith.ceildivsi %dim, %4 : index
                  %reinterpret_cast = memref.reinterpret_cast %arg1 to offset: [0], sizes: [%5, %3], strides: [%3, 1] : memref<?xf32> to memref<?x?xf32, strided<[?, 1]>>
                  affine.for %arg2 = 1 to %1 {
                    affine.for %arg3 = 1 to %1 {
                      %6 = affine.load %reinterpret_cast[%arg2 - 1, %arg3 + 1] : memref<?x?xf32, strided<[?, 1]>>
                      affine.store %6, %reinterpret_cast[%arg2 - 1, %arg3 + 1] : memref<?x?xf32, strided<[?, 1]>>
                    }
                  }
                }
                return
              }
            }
        "#]],
    );
}

#[test]
fn scalars_that_loops_update() {
    check(
        "promote-scalars,mem2reg",
        "func.func @f(%n: index, %a: memref<?xf32>, %s: memref<f32>) {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           offload.region kernels {
             scf.for %i = %c0 to %n step %c1 {
               scf.for %j = %c0 to %i step %c1 {
                 %x = memref.load %a[%j] : memref<?xf32>
                 %y = memref.load %s[] : memref<f32>
                 %z = arith.addf %y, %x : f32
                 memref.store %z, %s[] : memref<f32>
               }
             }
           }
           return
         }",
        expect![[r#"
            module {
              func.func @f(%arg0: index, %arg1: memref<?xf32>, %arg2: memref<f32>) {
                %c0 = arith.constant 0 : index
                %c1 = arith.constant 1 : index
                offload.region kernels {
                  %0 = memref.load %arg2[] : memref<f32>
                  %1 = scf.for %arg3 = %c0 to %arg0 step %c1 iter_args(%arg4 = %0) -> (f32) {
                    %2 = scf.for %arg5 = %c0 to %arg3 step %c1 iter_args(%arg6 = %arg4) -> (f32) {
                      %3 = memref.load %arg1[%arg5] : memref<?xf32>
                      %4 = arith.addf %arg6, %3 : f32
                      scf.yield %4 : f32
                    }
                    scf.yield %2 : f32
                  }
                  memref.store %1, %arg2[] : memref<f32>
                }
                return
              }
            }
        "#]],
    );
}

//! Stack slots turned into values, on the smallest inputs that show it.

mod pipeline;

use expect_test::expect;
use pipeline::check;

mod mem2reg {
    use super::*;

    #[test]
    fn through_branches_and_loops() {
        check(
            "mem2reg",
            "func.func @sum(%n: index, %c: i1, %a: memref<?xf32>) -> f32 {
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               %zero = arith.constant 0.0 : f32
               %s = memref.alloca() : memref<f32>
               memref.store %zero, %s[] : memref<f32>
               scf.for %i = %c0 to %n step %c1 {
                 scf.if %c {
                   %0 = memref.load %s[] : memref<f32>
                   %1 = memref.load %a[%i] : memref<?xf32>
                   %2 = arith.addf %0, %1 : f32
                   memref.store %2, %s[] : memref<f32>
                 }
               }
               %r = memref.load %s[] : memref<f32>
               return %r : f32
             }",
            expect![[r#"
                module {
                  func.func @sum(%arg0: index, %arg1: i1, %arg2: memref<?xf32>) -> f32 {
                    %c0 = arith.constant 0 : index
                    %c1 = arith.constant 1 : index
                    %cst = arith.constant 0.000000e+00 : f32
                    %0 = scf.for %arg3 = %c0 to %arg0 step %c1 iter_args(%arg4 = %cst) -> (f32) {
                      %1 = scf.if %arg1 -> (f32) {
                        %2 = memref.load %arg2[%arg3] : memref<?xf32>
                        %3 = arith.addf %arg4, %2 : f32
                        scf.yield %3 : f32
                      } else {
                        scf.yield %arg4 : f32
                      }
                      scf.yield %1 : f32
                    }
                    return %0 : f32
                  }
                }
            "#]],
        );
    }

    #[test]
    fn through_while() {
        check(
            "mem2reg",
            "func.func @halve(%n: i32) -> i32 {
               %c1 = arith.constant 1 : i32
               %x = memref.alloca() : memref<i32>
               %k = memref.alloca() : memref<i32>
               memref.store %n, %x[] : memref<i32>
               memref.store %c1, %k[] : memref<i32>
               scf.while : () -> () {
                 %0 = memref.load %x[] : memref<i32>
                 %1 = arith.cmpi sgt, %0, %c1 : i32
                 memref.store %0, %k[] : memref<i32>
                 scf.condition(%1)
               } do {
                 %0 = memref.load %x[] : memref<i32>
                 %1 = arith.shrsi %0, %c1 : i32
                 memref.store %1, %x[] : memref<i32>
                 scf.yield
               }
               %r = memref.load %k[] : memref<i32>
               return %r : i32
             }",
            expect![[r#"
                module {
                  func.func @halve(%arg0: i32) -> i32 {
                    %c1_i32 = arith.constant 1 : i32
                    %0:2 = scf.while (%arg1 = %arg0, %arg2 = %c1_i32) : (i32, i32) -> (i32, i32) {
                      %1 = arith.cmpi sgt, %arg1, %c1_i32 : i32
                      scf.condition(%1) %arg1, %arg1 : i32, i32
                    } do {
                    ^bb0(%arg1: i32, %arg2: i32):
                      %1 = arith.shrsi %arg1, %c1_i32 : i32
                      scf.yield %1, %arg2 : i32, i32
                    }
                    return %0#1 : i32
                  }
                }
            "#]],
        );
    }

    #[test]
    fn through_switches_and_affine_branches() {
        check(
            "mem2reg",
            "#positive = affine_set<(d0) : (d0 - 1 >= 0)>
             func.func @f(%i: index, %x: f32, %y: f32) -> f32 {
               %v = memref.alloca() : memref<f32>
               memref.store %x, %v[] : memref<f32>
               scf.index_switch %i
               case 2 {
                 memref.store %y, %v[] : memref<f32>
                 scf.yield
               }
               default {
                 scf.yield
               }
               affine.for %j = 0 to 8 {
                 affine.if #positive(%j) {
                   %0 = memref.load %v[] : memref<f32>
                   %1 = arith.mulf %0, %y : f32
                   memref.store %1, %v[] : memref<f32>
                 }
               }
               %r = memref.load %v[] : memref<f32>
               return %r : f32
             }",
            expect![[r#"
                #set = affine_set<(d0) : (d0 - 1 >= 0)>
                module {
                  func.func @f(%arg0: index, %arg1: f32, %arg2: f32) -> f32 {
                    %0 = scf.index_switch %arg0 -> f32 
                    case 2 {
                      scf.yield %arg2 : f32
                    }
                    default {
                      scf.yield %arg1 : f32
                    }
                    %1 = affine.for %arg3 = 0 to 8 iter_args(%arg4 = %0) -> (f32) {
                      %2 = affine.if #set(%arg3) -> f32 {
                        %3 = arith.mulf %arg4, %arg2 : f32
                        affine.yield %3 : f32
                      } else {
                        affine.yield %arg4 : f32
                      }
                      affine.yield %2 : f32
                    }
                    return %1 : f32
                  }
                }
            "#]],
        );
    }

    #[test]
    fn what_iterations_share_stays() {
        check(
            "mem2reg",
            "func.func private @use(memref<f32>)
             func.func @f(%n: index, %x: f32, %a: memref<?xf32>) {
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               %shared = memref.alloca() : memref<f32>
               %read = memref.alloca() : memref<f32>
               %escapes = memref.alloca() : memref<f32>
               memref.store %x, %read[] : memref<f32>
               func.call @use(%escapes) : (memref<f32>) -> ()
               scf.parallel (%i) = (%c0) to (%n) step (%c1) {
                 %own = memref.alloca() : memref<f32>
                 %0 = memref.load %read[] : memref<f32>
                 memref.store %0, %own[] : memref<f32>
                 memref.store %0, %shared[] : memref<f32>
                 %1 = memref.load %own[] : memref<f32>
                 memref.store %1, %a[%i] : memref<?xf32>
                 scf.reduce
               }
               return
             }",
            expect![[r#"
                module {
                  func.func private @use(memref<f32>)
                  func.func @f(%arg0: index, %arg1: f32, %arg2: memref<?xf32>) {
                    %c0 = arith.constant 0 : index
                    %c1 = arith.constant 1 : index
                    %alloca = memref.alloca() : memref<f32>
                    %alloca_0 = memref.alloca() : memref<f32>
                    call @use(%alloca_0) : (memref<f32>) -> ()
                    scf.parallel (%arg3) = (%c0) to (%arg0) step (%c1) {
                      memref.store %arg1, %alloca[] : memref<f32>
                      memref.store %arg1, %arg2[%arg3] : memref<?xf32>
                      scf.reduce 
                    }
                    return
                  }
                }
            "#]],
        );
    }

    #[test]
    fn carried_for_nobody() {
        // `t` is written before it is read in every iteration, `u` only makes the next `u`.
        check(
            "mem2reg,canonicalize",
            "func.func @f(%n: index, %x: f32, %a: memref<?xf32>) {
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               %t = memref.alloca() : memref<f32>
               %u = memref.alloca() : memref<f32>
               memref.store %x, %u[] : memref<f32>
               scf.for %i = %c0 to %n step %c1 {
                 scf.for %j = %c0 to %n step %c1 {
                   %0 = memref.load %a[%j] : memref<?xf32>
                   memref.store %0, %t[] : memref<f32>
                   %1 = memref.load %t[] : memref<f32>
                   %2 = arith.mulf %1, %1 : f32
                   memref.store %2, %a[%i] : memref<?xf32>
                   %3 = memref.load %u[] : memref<f32>
                   %4 = arith.addf %3, %x : f32
                   memref.store %4, %u[] : memref<f32>
                 }
               }
               return
             }",
            expect![[r#"
                module {
                  func.func @f(%arg0: index, %arg1: f32, %arg2: memref<?xf32>) {
                    %c0 = arith.constant 0 : index
                    %c1 = arith.constant 1 : index
                    scf.for %arg3 = %c0 to %arg0 step %c1 {
                      scf.for %arg4 = %c0 to %arg0 step %c1 {
                        %0 = memref.load %arg2[%arg4] : memref<?xf32>
                        %1 = arith.mulf %0, %0 : f32
                        memref.store %1, %arg2[%arg3] : memref<?xf32>
                      }
                    }
                    return
                  }
                }
            "#]],
        );
    }

    #[test]
    fn read_before_written() {
        check(
            "mem2reg",
            "func.func @f(%c: i1) -> i32 {
               %x = memref.alloca() : memref<i32>
               scf.if %c {
                 %one = arith.constant 1 : i32
                 memref.store %one, %x[] : memref<i32>
               }
               %r = memref.load %x[] : memref<i32>
               return %r : i32
             }",
            expect![[r#"
                module {
                  func.func @f(%arg0: i1) -> i32 {
                    %c0_i32 = arith.constant 0 : i32
                    %0 = scf.if %arg0 -> (i32) {
                      %c1_i32 = arith.constant 1 : i32
                      scf.yield %c1_i32 : i32
                    } else {
                      scf.yield %c0_i32 : i32
                    }
                    return %0 : i32
                  }
                }
            "#]],
        );
    }
}

mod sroa {
    use super::*;

    #[test]
    fn elements_of_arrays() {
        check(
            "sroa",
            "func.func @f(%x: f32, %y: f32) -> f32 {
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               %a = memref.alloca() : memref<2x2xf32>
               memref.store %x, %a[%c0, %c1] : memref<2x2xf32>
               affine.store %y, %a[1, 0] : memref<2x2xf32>
               %0 = memref.load %a[%c0, %c1] : memref<2x2xf32>
               %1 = affine.load %a[1, 0] : memref<2x2xf32>
               %2 = arith.addf %0, %1 : f32
               return %2 : f32
             }",
            expect![[r#"
                module {
                  func.func @f(%arg0: f32, %arg1: f32) -> f32 {
                    %c0 = arith.constant 0 : index
                    %c1 = arith.constant 1 : index
                    %alloca = memref.alloca() : memref<f32>
                    %alloca_0 = memref.alloca() : memref<f32>
                    memref.store %arg0, %alloca[] : memref<f32>
                    memref.store %arg1, %alloca_0[] : memref<f32>
                    %0 = memref.load %alloca[] : memref<f32>
                    %1 = memref.load %alloca_0[] : memref<f32>
                    %2 = arith.addf %0, %1 : f32
                    return %2 : f32
                  }
                }
            "#]],
        );
    }

    #[test]
    fn members_of_structs() {
        check(
            "sroa,mem2reg",
            "func.func @f(%x: f32, %y: i64) -> (f32, i64) {
               %c0 = arith.constant 0 : index
               %c8 = arith.constant 8 : index
               %s = memref.alloca() : memref<16xi8>
               %vx = memref.view %s[%c0][] : memref<16xi8> to memref<f32>
               %vy = memref.view %s[%c8][] : memref<16xi8> to memref<i64>
               memref.store %x, %vx[] : memref<f32>
               memref.store %y, %vy[] : memref<i64>
               %0 = memref.load %vx[] : memref<f32>
               %1 = memref.load %vy[] : memref<i64>
               return %0, %1 : f32, i64
             }",
            expect![[r#"
                module {
                  func.func @f(%arg0: f32, %arg1: i64) -> (f32, i64) {
                    %c0 = arith.constant 0 : index
                    %c8 = arith.constant 8 : index
                    return %arg0, %arg1 : f32, i64
                  }
                }
            "#]],
        );
    }

    #[test]
    fn what_is_seen_as_two_types_or_at_a_variable_subscript_stays() {
        check(
            "sroa",
            "func.func @f(%x: f32, %i: index) -> (i32, f32) {
               %c0 = arith.constant 0 : index
               %c2 = arith.constant 2 : index
               %s = memref.alloca() : memref<8xi8>
               %vx = memref.view %s[%c0][] : memref<8xi8> to memref<f32>
               %vy = memref.view %s[%c2][] : memref<8xi8> to memref<i32>
               memref.store %x, %vx[] : memref<f32>
               %0 = memref.load %vy[] : memref<i32>
               %a = memref.alloca() : memref<4xf32>
               memref.store %x, %a[%c0] : memref<4xf32>
               %1 = memref.load %a[%i] : memref<4xf32>
               %unread = memref.alloca() : memref<4xf32>
               memref.store %x, %unread[%i] : memref<4xf32>
               return %0, %1 : i32, f32
             }",
            expect![[r#"
                module {
                  func.func @f(%arg0: f32, %arg1: index) -> (i32, f32) {
                    %c0 = arith.constant 0 : index
                    %c2 = arith.constant 2 : index
                    %alloca = memref.alloca() : memref<8xi8>
                    %view = memref.view %alloca[%c0][] : memref<8xi8> to memref<f32>
                    %view_0 = memref.view %alloca[%c2][] : memref<8xi8> to memref<i32>
                    memref.store %arg0, %view[] : memref<f32>
                    %0 = memref.load %view_0[] : memref<i32>
                    %alloca_1 = memref.alloca() : memref<4xf32>
                    memref.store %arg0, %alloca_1[%c0] : memref<4xf32>
                    %1 = memref.load %alloca_1[%arg1] : memref<4xf32>
                    return %0, %1 : i32, f32
                  }
                }
            "#]],
        );
    }
}

//! The simplifications that hold at every level, on the smallest inputs that show them.

mod pipeline;

use expect_test::expect;
use pipeline::check;

mod cse {
    use super::*;

    #[test]
    fn reads_between_writes() {
        check(
            "cse",
            "func.func @f(%a: memref<4xf32>, %i: index, %j: index) -> (f32, f32, f32, index, index) {
               %0 = memref.load %a[%i] : memref<4xf32>
               %1 = memref.load %a[%i] : memref<4xf32>
               memref.store %0, %a[%j] : memref<4xf32>
               %2 = memref.load %a[%i] : memref<4xf32>
               %3 = arith.addi %i, %j : index
               %4 = arith.addi %j, %i : index
               return %0, %1, %2, %3, %4 : f32, f32, f32, index, index
             }",
            expect![[r#"
                module {
                  func.func @f(%arg0: memref<4xf32>, %arg1: index, %arg2: index) -> (f32, f32, f32, index, index) {
                    %0 = memref.load %arg0[%arg1] : memref<4xf32>
                    memref.store %0, %arg0[%arg2] : memref<4xf32>
                    %1 = memref.load %arg0[%arg1] : memref<4xf32>
                    %2 = arith.addi %arg1, %arg2 : index
                    return %0, %0, %1, %2, %2 : f32, f32, f32, index, index
                  }
                }
            "#]],
        );
    }

    #[test]
    fn across_blocks_and_regions() {
        check(
            "cse",
            "func.func @f(%a: memref<4xf32>, %i: index, %c: i1) -> index {
               %0 = arith.muli %i, %i : index
               %l0 = memref.load %a[%i] : memref<4xf32>
               cf.cond_br %c, ^left, ^right
             ^left:
               %1 = arith.muli %i, %i : index
               %2 = arith.addi %1, %i : index
               cf.br ^join(%2 : index)
             ^right:
               %3 = arith.addi %0, %i : index
               %l1 = memref.load %a[%i] : memref<4xf32>
               %r = scf.if %c -> f32 {
                 %l2 = memref.load %a[%i] : memref<4xf32>
                 scf.yield %l2 : f32
               } else {
                 scf.yield %l1 : f32
               }
               memref.store %r, %a[%3] : memref<4xf32>
               cf.br ^join(%3 : index)
             ^join(%4: index):
               %5 = arith.muli %i, %i : index
               %6 = arith.addi %5, %4 : index
               return %6 : index
             }",
            expect![[r#"
                module {
                  func.func @f(%arg0: memref<4xf32>, %arg1: index, %arg2: i1) -> index {
                    %0 = arith.muli %arg1, %arg1 : index
                    cf.cond_br %arg2, ^bb1, ^bb2
                  ^bb1:  // pred: ^bb0
                    %1 = arith.addi %0, %arg1 : index
                    cf.br ^bb3(%1 : index)
                  ^bb2:  // pred: ^bb0
                    %2 = arith.addi %0, %arg1 : index
                    %3 = memref.load %arg0[%arg1] : memref<4xf32>
                    %4 = scf.if %arg2 -> (f32) {
                      scf.yield %3 : f32
                    } else {
                      scf.yield %3 : f32
                    }
                    memref.store %4, %arg0[%2] : memref<4xf32>
                    cf.br ^bb3(%2 : index)
                  ^bb3(%5: index):  // 2 preds: ^bb1, ^bb2
                    %6 = arith.addi %0, %5 : index
                    return %6 : index
                  }
                }
            "#]],
        );
    }

    #[test]
    fn a_loop_that_writes_is_a_write() {
        check(
            "cse",
            "func.func @f(%a: memref<4xf32>, %n: index) -> f32 {
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               %0 = memref.load %a[%c0] : memref<4xf32>
               scf.for %i = %c0 to %n step %c1 {
                 %1 = memref.load %a[%c0] : memref<4xf32>
                 %2 = arith.addf %1, %1 : f32
                 memref.store %2, %a[%c0] : memref<4xf32>
               }
               %3 = memref.load %a[%c0] : memref<4xf32>
               %4 = arith.addf %0, %3 : f32
               return %4 : f32
             }",
            expect![[r#"
                module {
                  func.func @f(%arg0: memref<4xf32>, %arg1: index) -> f32 {
                    %c0 = arith.constant 0 : index
                    %c1 = arith.constant 1 : index
                    %0 = memref.load %arg0[%c0] : memref<4xf32>
                    scf.for %arg2 = %c0 to %arg1 step %c1 {
                      %3 = memref.load %arg0[%c0] : memref<4xf32>
                      %4 = arith.addf %3, %3 : f32
                      memref.store %4, %arg0[%c0] : memref<4xf32>
                    }
                    %1 = memref.load %arg0[%c0] : memref<4xf32>
                    %2 = arith.addf %0, %1 : f32
                    return %2 : f32
                  }
                }
            "#]],
        );
    }
}

mod licm {
    use super::*;

    #[test]
    fn as_far_as_it_goes() {
        check(
            "loop-invariant-code-motion",
            "func.func @f(%n: index, %d: index, %x: f32, %a: memref<?xf32>) {
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               scf.for %i = %c0 to %n step %c1 {
                 scf.for %j = %c0 to %n step %c1 {
                   %0 = arith.muli %n, %d : index
                   %1 = arith.muli %i, %d : index
                   %2 = arith.divui %n, %d : index
                   %3 = arith.addi %0, %1 : index
                   %4 = arith.addi %3, %2 : index
                   %5 = arith.addi %4, %j : index
                   memref.store %x, %a[%5] : memref<?xf32>
                 }
               }
               return
             }",
            expect![[r#"
                module {
                  func.func @f(%arg0: index, %arg1: index, %arg2: f32, %arg3: memref<?xf32>) {
                    %c0 = arith.constant 0 : index
                    %c1 = arith.constant 1 : index
                    %0 = arith.muli %arg0, %arg1 : index
                    scf.for %arg4 = %c0 to %arg0 step %c1 {
                      %1 = arith.muli %arg4, %arg1 : index
                      %2 = arith.addi %0, %1 : index
                      scf.for %arg5 = %c0 to %arg0 step %c1 {
                        %3 = arith.divui %arg0, %arg1 : index
                        %4 = arith.addi %2, %3 : index
                        %5 = arith.addi %4, %arg5 : index
                        memref.store %arg2, %arg3[%5] : memref<?xf32>
                      }
                    }
                    return
                  }
                }
            "#]],
        );
    }

    /// Out of conditions in a loop only where that is asked for, and never where there are loops in it.
    #[test]
    fn out_of_conditions() {
        check(
            "loop-invariant-code-motion{conditional=true}",
            "func.func @f(%n: index, %d: index, %c: i1, %x: f32, %a: memref<?xf32>) {
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               scf.for %i = %c0 to %n step %c1 {
                 scf.if %c {
                   %0 = arith.muli %n, %n : index
                   memref.store %x, %a[%0] : memref<?xf32>
                 }
                 scf.for %j = %c0 to %n step %c1 {
                   scf.if %c {
                     %1 = arith.muli %n, %d : index
                     %2 = arith.divui %n, %d : index
                     %3 = arith.addi %1, %2 : index
                     memref.store %x, %a[%3] : memref<?xf32>
                   }
                 }
               }
               return
             }",
            expect![[r#"
                module {
                  func.func @f(%arg0: index, %arg1: index, %arg2: i1, %arg3: f32, %arg4: memref<?xf32>) {
                    %c0 = arith.constant 0 : index
                    %c1 = arith.constant 1 : index
                    %0 = arith.muli %arg0, %arg1 : index
                    scf.for %arg5 = %c0 to %arg0 step %c1 {
                      scf.if %arg2 {
                        %1 = arith.muli %arg0, %arg0 : index
                        memref.store %arg3, %arg4[%1] : memref<?xf32>
                      }
                      scf.for %arg6 = %c0 to %arg0 step %c1 {
                        scf.if %arg2 {
                          %1 = arith.divui %arg0, %arg1 : index
                          %2 = arith.addi %0, %1 : index
                          memref.store %arg3, %arg4[%2] : memref<?xf32>
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
    fn branches_move_as_a_whole() {
        check(
            "loop-invariant-code-motion",
            "func.func @f(%n: index, %c: i1, %x: f32, %y: f32, %a: memref<?xf32>) {
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               scf.parallel (%i) = (%c0) to (%n) step (%c1) {
                 %0 = scf.if %c -> f32 {
                   %1 = arith.mulf %x, %y : f32
                   scf.yield %1 : f32
                 } else {
                   scf.yield %y : f32
                 }
                 memref.store %0, %a[%i] : memref<?xf32>
                 scf.reduce
               }
               return
             }",
            expect![[r#"
                module {
                  func.func @f(%arg0: index, %arg1: i1, %arg2: f32, %arg3: f32, %arg4: memref<?xf32>) {
                    %c0 = arith.constant 0 : index
                    %c1 = arith.constant 1 : index
                    %0 = scf.if %arg1 -> (f32) {
                      %1 = arith.mulf %arg2, %arg3 : f32
                      scf.yield %1 : f32
                    } else {
                      scf.yield %arg3 : f32
                    }
                    scf.parallel (%arg5) = (%c0) to (%arg0) step (%c1) {
                      memref.store %0, %arg4[%arg5] : memref<?xf32>
                      scf.reduce 
                    }
                    return
                  }
                }
            "#]],
        );
    }
}

mod inline {
    use super::*;

    #[test]
    fn callees_first() {
        check(
            "inline,symbol-dce",
            "func.func private @twice(%x: f32) -> f32 {
               %0 = arith.addf %x, %x : f32
               return %0 : f32
             }
             func.func private @four_times(%x: f32) -> f32 {
               %0 = func.call @twice(%x) : (f32) -> f32
               %1 = func.call @twice(%0) : (f32) -> f32
               return %1 : f32
             }
             func.func @main(%x: f32, %c: i1) -> f32 {
               %0 = scf.if %c -> f32 {
                 %1 = func.call @four_times(%x) : (f32) -> f32
                 scf.yield %1 : f32
               } else {
                 scf.yield %x : f32
               }
               return %0 : f32
             }",
            expect![[r#"
                module {
                  func.func @main(%arg0: f32, %arg1: i1) -> f32 {
                    %0 = scf.if %arg1 -> (f32) {
                      %1 = arith.addf %arg0, %arg0 : f32
                      %2 = arith.addf %1, %1 : f32
                      scf.yield %2 : f32
                    } else {
                      scf.yield %arg0 : f32
                    }
                    return %0 : f32
                  }
                }
            "#]],
        );
    }

    #[test]
    fn several_blocks() {
        check(
            "inline,symbol-dce",
            "func.func private @choose(%c: i1, %x: i32, %y: i32) -> i32 {
               cf.cond_br %c, ^a, ^b
             ^a:
               return %x : i32
             ^b:
               %0 = arith.addi %x, %y : i32
               return %0 : i32
             }
             func.func @main(%c: i1, %x: i32) -> i32 {
               %0 = func.call @choose(%c, %x, %x) : (i1, i32, i32) -> i32
               %1 = arith.muli %0, %x : i32
               return %1 : i32
             }",
            expect![[r#"
                module {
                  func.func @main(%arg0: i1, %arg1: i32) -> i32 {
                    cf.br ^bb1(%arg0, %arg1, %arg1 : i1, i32, i32)
                  ^bb1(%0: i1, %1: i32, %2: i32):  // pred: ^bb0
                    cf.cond_br %0, ^bb2, ^bb3
                  ^bb2:  // pred: ^bb1
                    cf.br ^bb4(%1 : i32)
                  ^bb3:  // pred: ^bb1
                    %3 = arith.addi %1, %2 : i32
                    cf.br ^bb4(%3 : i32)
                  ^bb4(%4: i32):  // 2 preds: ^bb2, ^bb3
                    %5 = arith.muli %4, %arg1 : i32
                    return %5 : i32
                  }
                }
            "#]],
        );
    }

    #[test]
    fn what_cannot_be_stays_a_call() {
        check(
            "inline,symbol-dce",
            "func.func private @outside(f32) -> f32
             func.func private @unused(%x: f32) -> f32 {
               return %x : f32
             }
             func.func @main(%x: f32) -> f32 {
               %0 = func.call @outside(%x) : (f32) -> f32
               return %0 : f32
             }",
            expect![[r#"
                module {
                  func.func private @outside(f32) -> f32
                  func.func @main(%arg0: f32) -> f32 {
                    %0 = call @outside(%arg0) : (f32) -> f32
                    return %0 : f32
                  }
                }
            "#]],
        );
    }

    #[test]
    fn recursion_stays_a_call() {
        check(
            "inline,symbol-dce",
            "func.func private @odd(%n: i32) -> i1 {
               %0 = func.call @even(%n) : (i32) -> i1
               return %0 : i1
             }
             func.func private @even(%n: i32) -> i1 {
               %0 = func.call @odd(%n) : (i32) -> i1
               return %0 : i1
             }
             func.func @main(%n: i32) -> i1 {
               %0 = func.call @even(%n) : (i32) -> i1
               return %0 : i1
             }",
            expect![[r#"
                module {
                  func.func private @even(%arg0: i32) -> i1 {
                    %0 = call @even(%arg0) : (i32) -> i1
                    return %0 : i1
                  }
                  func.func @main(%arg0: i32) -> i1 {
                    %0 = call @even(%arg0) : (i32) -> i1
                    return %0 : i1
                  }
                }
            "#]],
        );
    }
}

mod canonicalize {
    use super::*;

    #[test]
    fn folds_and_control_flow() {
        check(
            "canonicalize",
            "func.func @f(%x: i32) -> i32 {
               %c0 = arith.constant 0 : i32
               %true = arith.constant true
               %0 = arith.addi %c0, %x : i32
               cf.cond_br %true, ^a(%0 : i32), ^b
             ^a(%1: i32):
               %2 = arith.muli %1, %1 : i32
               cf.br ^c(%2, %x : i32, i32)
             ^b:
               %3 = arith.subi %x, %x : i32
               cf.br ^c(%3, %c0 : i32, i32)
             ^c(%4: i32, %unused: i32):
               return %4 : i32
             }",
            expect![[r#"
                module {
                  func.func @f(%arg0: i32) -> i32 {
                    %0 = arith.muli %arg0, %arg0 : i32
                    return %0 : i32
                  }
                }
            "#]],
        );
    }

    #[test]
    fn unreachable_cycles_go() {
        check(
            "canonicalize",
            "func.func @f(%x: i32) -> i32 {
               return %x : i32
             ^a:
               %0 = arith.addi %1, %x : i32
               cf.br ^b
             ^b:
               %1 = arith.addi %0, %x : i32
               cf.br ^a
             }",
            expect![[r#"
                module {
                  func.func @f(%arg0: i32) -> i32 {
                    return %arg0 : i32
                  }
                }
            "#]],
        );
    }

    #[test]
    fn carried_values_that_nothing_needs() {
        check(
            "canonicalize",
            "func.func @f(%n: index, %x: f32) -> f32 {
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x, %t = %x, %u = %x) -> (f32, f32, f32) {
                 %0 = arith.addf %s, %u : f32
                 %1 = arith.mulf %t, %t : f32
                 scf.yield %0, %1, %u : f32, f32, f32
               }
               return %r#0 : f32
             }",
            expect![[r#"
                module {
                  func.func @f(%arg0: index, %arg1: f32) -> f32 {
                    %c0 = arith.constant 0 : index
                    %c1 = arith.constant 1 : index
                    %0:2 = scf.for %arg2 = %c0 to %arg0 step %c1 iter_args(%arg3 = %arg1, %arg4 = %arg1) -> (f32, f32) {
                      %1 = arith.addf %arg3, %arg1 : f32
                      %2 = arith.mulf %arg4, %arg4 : f32
                      scf.yield %1, %2 : f32, f32
                    }
                    return %0#0 : f32
                  }
                }
            "#]],
        );
    }
}

mod symbol_dce {
    use super::*;

    #[test]
    fn private_and_unused() {
        check(
            "symbol-dce",
            "func.func private @a() { func.call @b() : () -> () return }
             func.func private @b() { return }
             func.func private @c() { func.call @c() : () -> () return }
             func.func private @d() { return }
             func.func @main() { func.call @d() : () -> () return }",
            expect![[r#"
                module {
                  func.func private @d() {
                    return
                  }
                  func.func @main() {
                    call @d() : () -> ()
                    return
                  }
                }
            "#]],
        );
    }
}

mod ways {
    use gpuc_ir::{Block, Ir, Op, WalkOrder};

    use super::*;

    /// Blocks that branches name more or less often than the graph has counted.
    fn miscounted(ir: &Ir, module: Op) -> Vec<Block> {
        let regions = ir.nested_ops(module, WalkOrder::PreOrder).into_iter();
        let regions = regions.flat_map(|op| ir.regions(op).to_vec());
        let blocks: Vec<Block> = regions.flat_map(|region| ir.blocks(region).to_vec()).collect();
        let named = |block: Block| {
            let all = blocks.iter().flat_map(|&from| ir.block_successors(from));
            all.filter(|&&to| to == block).count()
        };
        blocks.iter().copied().filter(|&block| named(block) != ir.ways_to(block)).collect()
    }

    #[test]
    fn are_counted_as_blocks_come_and_go() {
        let input = "func.func @f(%n: index, %c: i1, %d: i1, %a: memref<?xindex>) -> index {
               %0 = arith.constant 0 : index
               %1 = arith.constant 1 : index
               scf.for %i = %0 to %n step %1 {
                 scf.if %c {
                   memref.store %i, %a[%i] : memref<?xindex>
                 }
               }
               cf.cond_br %c, ^left, ^right
             ^left:
               cf.cond_br %d, ^same, ^alike
             ^right:
               cf.cond_br %d, ^same, ^join(%n : index)
             ^same:
               memref.store %n, %a[%0] : memref<?xindex>
               cf.br ^join(%0 : index)
             ^alike:
               memref.store %n, %a[%0] : memref<?xindex>
               cf.br ^join(%0 : index)
             ^dead:
               cf.br ^join(%1 : index)
             ^join(%x: index):
               return %x : index
             }";
        for pipeline in [
            "canonicalize{region-simplify=disabled}",
            "scf-to-cf",
            "scf-to-cf,canonicalize",
            "canonicalize{region-simplify=aggressive}",
            "scf-to-cf,canonicalize{region-simplify=aggressive},cse",
        ] {
            let mut ir = Ir::new();
            let module = pipeline::apply(&mut ir, pipeline, input).expect(pipeline);
            assert_eq!(miscounted(&ir, module), [], "{pipeline}");
        }
    }
}

// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(control-flow-sink)' %s | golden
func.func @choose(%c: i1, %x: i32, %y: i32) -> i32 {
  %p = arith.muli %x, %y : i32
  %q = arith.addi %p, %x : i32
  %r = scf.if %c -> i32 {
    scf.yield %q : i32
  } else {
    scf.yield %y : i32
  }
  return %r : i32
}

// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(sccp)' %s | golden
func.func @never_changed(%n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %one) -> i32 {
    %t = arith.muli %s, %s : i32
    scf.yield %t : i32
  }
  return %r : i32
}

// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --reconcile-unrealized-casts %s | golden
func.func @around(%x: i64) -> i64 {
  %a = builtin.unrealized_conversion_cast %x : i64 to i32
  %b = builtin.unrealized_conversion_cast %a : i32 to i1
  %c = builtin.unrealized_conversion_cast %b : i1 to i64
  return %c : i64
}

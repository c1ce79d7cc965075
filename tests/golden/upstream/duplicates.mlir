// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --duplicate-function-elimination %s | golden
func.func private @double(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  return %y : f32
}
func.func private @twice(%a: f32) -> f32 {
  %b = arith.addf %a, %a : f32
  return %b : f32
}
func.func @both(%x: f32) -> f32 {
  %y = call @double(%x) : (f32) -> f32
  %z = call @twice(%y) : (f32) -> f32
  return %z : f32
}

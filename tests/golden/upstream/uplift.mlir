// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --math-uplift-to-fma %s | golden
func.func @axpy(%a: f32, %x: f32, %y: f32) -> f32 {
  %p = arith.mulf %a, %x fastmath<contract> : f32
  %s = arith.addf %y, %p fastmath<contract> : f32
  return %s : f32
}

// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --affine-snapshot --canonicalize %s | golden
func.func @shift(%n: index, %a: memref<?xf32> {offload.storage = "exclusive", offload.name = "a"}) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      %next = affine.load %a[%i + 1] : memref<?xf32>
      %twice = arith.addf %next, %next : f32
      affine.store %twice, %a[%i] : memref<?xf32>
    }
  }
  return
}

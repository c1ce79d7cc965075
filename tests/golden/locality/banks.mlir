// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(spread-banks{arch=sm_90}),canonicalize,cse)' %s | golden
func.func @banks(%a: memref<64x32x32xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                 %b: memref<64x32xf32> {offload.name = "b", offload.map = "copyout", offload.storage = "restrict"}) {
  offload.region parallel {
    affine.parallel (%i) = (0) to (64) {
      %t = memref.alloca() {offload.name = "t"} : memref<32x32xf32>
      %m = memref.alloca() {offload.name = "m"} : memref<32x2xf32>
      affine.parallel (%j) = (0) to (32) {
        affine.for %k = 0 to 32 {
          %x = affine.load %a[%i, %k, %j] : memref<64x32x32xf32>
          affine.store %x, %t[%k, %j] : memref<32x32xf32>
        }
        %y = affine.load %a[%i, 0, %j] : memref<64x32x32xf32>
        affine.store %y, %m[%j, 0] : memref<32x2xf32>
      } {mapping = [#offload.map<thread_x(32)>]}
      affine.parallel (%j) = (0) to (32) {
        %x = affine.load %t[%j, 31] : memref<32x32xf32>
        %y = affine.load %m[-%j + 31, 0] : memref<32x2xf32>
        %z = arith.addf %x, %y : f32
        affine.store %z, %b[%i, %j] : memref<64x32xf32>
      } {mapping = [#offload.map<thread_x(32)>]}
    } {mapping = [#offload.map<block_x>]}
  }
  return
}

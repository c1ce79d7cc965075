// What loops touch of a buffer, in a small one of faster memory.
// RUN: gpuc-opt "--affine-data-copy-generate=generate-dma=false fast-mem-space=0 skip-non-unit-stride-loops assume-apart" --canonicalize %s | golden
// RUN: gpuc-opt "--affine-data-copy-generate=assume-apart fast-mem-capacity=16" --canonicalize %s | golden transfers

// Tiles: each copy stands round the loops that it does not depend on.
func.func @product(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {
  affine.for %i = 0 to 64 step 16 {
    affine.for %j = 0 to 64 step 16 {
      affine.for %ii = affine_map<(d0) -> (d0)>(%i) to affine_map<(d0) -> (d0 + 16)>(%i) {
        affine.for %jj = affine_map<(d0) -> (d0)>(%j) to affine_map<(d0) -> (d0 + 16)>(%j) {
          affine.for %k = 0 to 64 {
            %a = affine.load %A[%ii, %k] : memref<64x64xf32>
            %b = affine.load %B[%k, %jj] : memref<64x64xf32>
            %c = affine.load %C[%ii, %jj] : memref<64x64xf32>
            %p = arith.mulf %a, %b : f32
            %s = arith.addf %c, %p : f32
            affine.store %s, %C[%ii, %jj] : memref<64x64xf32>
          }
        }
      }
    }
  }
  return
}

// A row with its rim; elements between those that are written are copied in first, which mlir-opt's pass leaves out.
func.func @rows(%A: memref<100xf32>, %B: memref<100xf32>, %x: f32) {
  affine.for %i = 1 to 99 {
    %a = affine.load %A[%i - 1] : memref<100xf32>
    %b = affine.load %A[%i + 1] : memref<100xf32>
    %s = arith.addf %a, %b : f32
    affine.store %s, %B[%i] : memref<100xf32>
  }
  %v = affine.load %A[5] : memref<100xf32>
  affine.store %v, %A[7] : memref<100xf32>
  affine.for %i = 0 to 10 {
    affine.store %x, %B[2 * %i] : memref<100xf32>
  }
  return
}

// The last tile is cut off: copies end where it does, and are no transfers. Of a loop of unknown length nothing is copied.
func.func @cut(%A: memref<?xf32>, %n: index, %x: f32) {
  affine.for %i = 0 to %n {
    affine.store %x, %A[%i] : memref<?xf32>
  }
  affine.for %i = 0 to 100 step 10 {
    affine.for %j = 0 to min affine_map<(d0)[s0] -> (10, s0 - d0)>(%i)[%n] {
      affine.store %x, %A[%i + %j] : memref<?xf32>
    }
  }
  return
}

// A condition bounds what is copied; what a call may touch stays.
func.func private @other(memref<32xf32>)
func.func @guarded(%A: memref<32xf32>, %B: memref<32xf32>) {
  affine.for %i = 0 to 32 {
    affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%i) {
      %a = affine.load %A[%i - 1] : memref<32xf32>
      affine.store %a, %B[%i] : memref<32xf32>
      func.call @other(%B) : (memref<32xf32>) -> ()
    }
  }
  return
}

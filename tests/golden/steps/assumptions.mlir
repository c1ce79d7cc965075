// Two steps assume something: that subscripts stay within rows, and that buffers are apart. One condition has both, and there is one
// other version.
// RUN: gpuc-opt --gpuc-raise --recognize-parallel %s | golden
func.func @rows(%n: index, %m: index, %stride: index,
                %a: memref<?xf32> {offload.map = "copy", offload.name = "a"},
                %b: memref<?xf32> {offload.map = "copyin", offload.name = "b"}) {
  offload.region kernels {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    scf.for %j = %zero to %m step %one {
      scf.for %i = %zero to %n step %one {
        %start = arith.muli %i, %stride : index
        %at = arith.addi %start, %j : index
        %0 = memref.load %b[%at] : memref<?xf32>
        %1 = memref.load %a[%at] : memref<?xf32>
        %2 = arith.addf %0, %1 : f32
        memref.store %2, %a[%at] : memref<?xf32>
      }
    }
  }
  return
}

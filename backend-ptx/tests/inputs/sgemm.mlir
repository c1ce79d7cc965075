// One thread computes one element of c = a * b, all of them n x n.
gpu.module @kernels {
  gpu.func @sgemm(%n: i32, %a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %size = arith.index_cast %n : i32 to index
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %nx = gpu.block_dim x
    %ny = gpu.block_dim y
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %px = arith.muli %bx, %nx : index
    %j = arith.addi %px, %tx : index
    %py = arith.muli %by, %ny : index
    %i = arith.addi %py, %ty : index
    %jin = arith.cmpi slt, %j, %size : index
    %iin = arith.cmpi slt, %i, %size : index
    %in = arith.andi %jin, %iin : i1
    cf.cond_br %in, ^work, ^exit
  ^work:
    %row = arith.muli %i, %size : index
    cf.br ^loop(%c0, %zero : index, f32)
  ^loop(%k: index, %sum: f32):
    %more = arith.cmpi slt, %k, %size : index
    cf.cond_br %more, ^body, ^done
  ^body:
    %ai = arith.addi %row, %k : index
    %x = memref.load %a[%ai] : memref<?xf32>
    %br = arith.muli %k, %size : index
    %bi = arith.addi %br, %j : index
    %y = memref.load %b[%bi] : memref<?xf32>
    %p = arith.mulf %x, %y fastmath<contract> : f32
    %s = arith.addf %sum, %p fastmath<contract> : f32
    %k1 = arith.addi %k, %c1 : index
    cf.br ^loop(%k1, %s : index, f32)
  ^done:
    %ci = arith.addi %row, %j : index
    memref.store %sum, %c[%ci] : memref<?xf32>
    cf.br ^exit
  ^exit:
    gpu.return
  }
}

module attributes {gpu.container_module} {
  gpu.module @k attributes {tag} {
    gpu.func @kernel(%arg0: memref<4xf32>, %arg1: index) workgroup(%arg2 : memref<4xf32, #gpu.address_space<workgroup>>) private(%arg3 : memref<1xf32, #gpu.address_space<private>>, %arg4 : memref<f32, 5>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %thread_id_x = gpu.thread_id  x
      %thread_id_y = gpu.thread_id  y upper_bound 3
      %block_id_z = gpu.block_id  z
      %block_dim_y = gpu.block_dim  y
      %grid_dim_x = gpu.grid_dim  x
      %global_id_z = gpu.global_id  z
      %cluster_id_x = gpu.cluster_id  x
      %cluster_dim_y = gpu.cluster_dim  y
      %cluster_block_id_z = gpu.cluster_block_id  z
      %cluster_dim_blocks_x = gpu.cluster_dim_blocks  x
      %0 = gpu.lane_id
      %1 = gpu.num_subgroups : index
      %2 = gpu.subgroup_id : index
      %3 = gpu.subgroup_size : index
      %cst = arith.constant 1.000000e+00 : f32
      %4 = gpu.all_reduce  add %cst uniform {
      } : (f32) -> f32
      %5 = gpu.all_reduce  %cst {
      ^bb0(%arg5: f32, %arg6: f32):
        %9 = arith.maximumf %arg5, %arg6 : f32
        gpu.yield %9 : f32
      } : (f32) -> f32
      %6 = gpu.subgroup_reduce  maxnumf %cst uniform : (f32) -> f32
      %7 = gpu.subgroup_reduce  add %cst : (f32) -> f32
      %c1_i32 = arith.constant 1 : i32
      %shuffleResult, %valid = gpu.shuffle  xor %cst, %c1_i32, %c1_i32 : f32
      %shuffleResult_0, %valid_1 = gpu.shuffle  idx %c1_i32, %c1_i32, %c1_i32 : i32
      gpu.printf "a %f %d\0A" %cst, %c1_i32 : f32, i32
      %8 = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      gpu.printf "plain"
      gpu.barrier
      gpu.return
    }
    gpu.func @helper(%arg0: f32 {test.attr}) -> f32 {
      gpu.return %arg0 : f32
    }
    memref.global @table : memref<4xf32> = uninitialized
  }
  func.func @host(%arg0: memref<4xf32>, %arg1: index, %arg2: i32, %arg3: i64, %arg4: f32) {
    gpu.launch_func  @k::@kernel blocks in (%arg1, %arg1, %arg1) threads in (%arg1, %arg1, %arg1)  args(%arg0 : memref<4xf32>, %arg1 : index)
    %0 = gpu.wait async
    %1 = gpu.launch_func async [%0] @k::@kernel blocks in (%arg3, %arg3, %arg3) threads in (%arg3, %arg3, %arg3) : i64 dynamic_shared_memory_size %arg2 args(%arg0 : memref<4xf32>, %arg1 : index)
    gpu.launch_func [%1] @k::@kernel clusters in (%arg1, %arg1, %arg1) blocks in (%arg1, %arg1, %arg1) threads in (%arg1, %arg1, %arg1)  args(%arg0 : memref<4xf32>, %arg1 : index)
    %memref, %asyncToken = gpu.alloc async [%1, %0] (%arg1) : memref<?xf32>
    %memref_0 = gpu.alloc  host_shared () : memref<5xf32>
    %2 = gpu.memcpy async [%asyncToken] %memref_0, %memref_0 : memref<5xf32>, memref<5xf32>
    gpu.memcpy  %memref_0, %memref : memref<5xf32>, memref<?xf32>
    %3 = gpu.memset async [%2] %memref_0, %arg4 : memref<5xf32>, f32
    gpu.dealloc  %memref : memref<?xf32>
    %4 = gpu.dealloc async [%3] %memref_0 : memref<5xf32>
    %cast = memref.cast %arg0 : memref<4xf32> to memref<*xf32>
    gpu.host_register %cast : memref<*xf32>
    gpu.host_unregister %cast : memref<*xf32>
    gpu.set_default_device %arg2
    gpu.wait [%3]
    gpu.launch blocks(%arg5, %arg6, %arg7) in (%arg11 = %arg1, %arg12 = %arg1, %arg13 = %arg1) threads(%arg8, %arg9, %arg10) in (%arg14 = %arg1, %arg15 = %arg1, %arg16 = %arg1) dynamic_shared_memory_size %arg2 workgroup(%arg17 : memref<4xf32, 3>) private(%arg18 : memref<f32, 5>) {
      "test.op"(%arg5, %arg16) : (index, index) -> ()
      gpu.terminator
    }
    %5 = gpu.launch async [%3] clusters(%arg17, %arg18, %arg19) in (%arg20 = %arg1, %arg21 = %arg1, %arg22 = %arg1) blocks(%arg5, %arg6, %arg7) in (%arg11 = %arg1, %arg12 = %arg1, %arg13 = %arg1) threads(%arg8, %arg9, %arg10) in (%arg14 = %arg1, %arg15 = %arg1, %arg16 = %arg1) {
      gpu.terminator
    } {tag}
    return
  }
}


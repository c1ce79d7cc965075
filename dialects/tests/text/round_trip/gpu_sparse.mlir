module {
  func.func @f(%arg0: index, %arg1: memref<?xindex>, %arg2: memref<?xf64>, %arg3: memref<?xi8>) {
    %0 = gpu.wait async
    %spmat, %asyncToken = gpu.create_coo async [%0] %arg0, %arg0, %arg0, %arg1, %arg1, %arg2 : memref<?xindex>, memref<?xindex>, memref<?xf64>
    %spmat_0, %asyncToken_1 = gpu.create_coo_aos async [%0] %arg0, %arg0, %arg0, %arg1, %arg2 : memref<?xindex>, memref<?xf64>
    %spmat_2, %asyncToken_3 = gpu.create_csr async [%0] %arg0, %arg0, %arg0, %arg1, %arg1, %arg2 : memref<?xindex>, memref<?xindex>, memref<?xf64>
    %spmat_4, %asyncToken_5 = gpu.create_csc async [%0] %arg0, %arg0, %arg0, %arg1, %arg1, %arg2 : memref<?xindex>, memref<?xindex>, memref<?xf64>
    %spmat_6, %asyncToken_7 = gpu.create_bsr async [%0] %arg0, %arg0, %arg0, %arg0, %arg0, %arg1, %arg1, %arg2 : memref<?xindex>, memref<?xindex>, memref<?xf64>
    %spMat, %asyncToken_8 = gpu.create_2to4_spmat async [%0]{ PRUNE_ONLY} %arg0, %arg0, %arg2 : memref<?xf64>
    %dnTensor, %asyncToken_9 = gpu.create_dn_tensor async [%0] %arg2, %arg0, %arg0 : index, index into memref<?xf64>
    %bufferSz, %asyncToken_10 = gpu.spmv_buffer_size async [%0] %spmat, %dnTensor, %dnTensor into f64
    %bufferSz_11, %asyncToken_12 = gpu.spmv_buffer_size async [%0] %spmat{ TRANSPOSE}, %dnTensor, %dnTensor into f64
    %1 = gpu.spmv async [%0] %spmat{ CONJUGATE_TRANSPOSE}, %dnTensor, %dnTensor, %arg3 : memref<?xi8> into f64
    %bufferSzs, %asyncToken_13 = gpu.spmm_buffer_size async [%0] %spmat, %dnTensor{ TRANSPOSE}, %dnTensor : index into f64
    %2 = gpu.spmm async [%0] %spmat, %dnTensor, %dnTensor, %arg3 : memref<?xi8> into f64
    %bufferSz_14, %asyncToken_15 = gpu.sddmm_buffer_size async [%0] %dnTensor, %dnTensor, %spmat into f64
    %3 = gpu.sddmm async [%0] %dnTensor, %dnTensor, %spmat, %arg3 : memref<?xi8> into f64
    %desc, %asyncToken_16 = gpu.spgemm_create_descr async [%0]
    %bufferSzNew, %asyncToken_17 = gpu.spgemm_work_estimation_or_compute async [%0]{ WORK_ESTIMATION} %spmat, %spmat, %spmat, %desc, %arg0, %arg3 : f64 into memref<?xi8>
    %bufferSzNew_18, %asyncToken_19 = gpu.spgemm_work_estimation_or_compute async [%0]{ COMPUTE} %spmat{ TRANSPOSE}, %spmat{ TRANSPOSE}, %spmat, %desc, %arg0, %arg3 : f64 into memref<?xi8>
    %4 = gpu.spgemm_copy async [%0] %spmat, %spmat, %spmat, %desc : f64
    %5 = gpu.spgemm_destroy_descr async [%0] %desc
    %rows, %cols, %nnz, %asyncToken_20 = gpu.spmat_get_size async [%0] %spmat
    %6 = gpu.set_csr_pointers async [%0] %spmat, %arg1, %arg1, %arg2 : memref<?xindex>, memref<?xindex>, memref<?xf64>
    %7 = gpu.destroy_sp_mat async [%0] %spmat
    %8 = gpu.destroy_dn_tensor async [%0] %dnTensor
    return
  }
}

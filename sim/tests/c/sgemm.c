// clang --target=nvptx64-nvidia-cuda -march=sm_70 -O2 -g1 -fdebug-compilation-dir=. -S sgemm.c -o ../ptx/sgemm.ptx
#define GLOBAL __attribute__((address_space(1)))

__attribute__((nvptx_kernel)) void sgemm(int n, const float GLOBAL *a, const float GLOBAL *b,
                                         float GLOBAL *c) {
  int col = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
            __nvvm_read_ptx_sreg_tid_x();
  int row = __nvvm_read_ptx_sreg_ctaid_y() * __nvvm_read_ptx_sreg_ntid_y() +
            __nvvm_read_ptx_sreg_tid_y();
  if (row < n && col < n) {
    float sum = 0;
    for (int k = 0; k < n; k++)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

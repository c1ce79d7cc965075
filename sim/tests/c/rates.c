// Kernels whose speed the simulator is measured by. Made PTX with
//   clang-19 --target=nvptx64-nvidia-cuda -march=sm_80 -O2 -S rates.c -o rates.ptx
#define KERNEL __attribute__((nvptx_kernel))
#define SHARED static __attribute__((address_space(3)))
#define TX __nvvm_read_ptx_sreg_tid_x()
#define TY __nvvm_read_ptx_sreg_tid_y()
#define BX __nvvm_read_ptx_sreg_ctaid_x()
#define BY __nvvm_read_ptx_sreg_ctaid_y()
#define NX __nvvm_read_ptx_sreg_ntid_x()
#define GX __nvvm_read_ptx_sreg_nctaid_x()
#define BARRIER __syncthreads()
typedef __attribute__((address_space(1))) float *Out;
typedef __attribute__((address_space(1))) const float *In;

KERNEL void empty(void) {}

KERNEL void fma_chain(int n, float a, Out out)
{
    float x = TX, y = BX;
    for (int i = 0; i < n; i++) {
        x = __builtin_fmaf(x, a, y);
        y = __builtin_fmaf(y, a, x);
    }
    out[BX * NX + TX] = x + y;
}

KERNEL void naive_sgemm(int n, In a, In b, Out c)
{
    int i = BY * 8 + TY, j = BX * 32 + TX;
    if (i >= n || j >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum = __builtin_fmaf(a[i * n + k], b[k * n + j], sum);
    c[i * n + j] = sum;
}

// One element a thread, tiles of 32 x 32 in shared memory.
KERNEL void tiled_sgemm(int n, In a, In b, Out c)
{
    SHARED float ta[32][32];
    SHARED float tb[32][32];
    int tx = TX, ty = TY, i = BY * 32 + ty, j = BX * 32 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 32) {
        ta[ty][tx] = a[i * n + k0 + tx];
        tb[ty][tx] = b[(k0 + ty) * n + j];
        BARRIER;
#pragma unroll
        for (int k = 0; k < 32; k++) sum = __builtin_fmaf(ta[ty][k], tb[k][tx], sum);
        BARRIER;
    }
    c[i * n + j] = sum;
}

// 4 x 4 elements a thread, blocks of 16 x 16 threads, tiles of 64 x 16 and 16 x 64.
KERNEL void register_tiled_sgemm(int n, In a, In b, Out c)
{
    SHARED float ta[16][64];
    SHARED float tb[16][64];
    int tx = TX, ty = TY, t = ty * 16 + tx, i0 = BY * 64, j0 = BX * 64;
    float sum[4][4] = {{0}};
    for (int k0 = 0; k0 < n; k0 += 16) {
#pragma unroll
        for (int e = 0; e < 4; e++) {
            int at = e * 256 + t;
            ta[at % 16][at / 16] = a[(i0 + at / 16) * n + k0 + at % 16];
            tb[at / 64][at % 64] = b[(k0 + at / 64) * n + j0 + at % 64];
        }
        BARRIER;
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float x[4], y[4];
#pragma unroll
            for (int e = 0; e < 4; e++) {
                x[e] = ta[k][ty * 4 + e];
                y[e] = tb[k][tx * 4 + e];
            }
#pragma unroll
            for (int p = 0; p < 4; p++)
#pragma unroll
                for (int q = 0; q < 4; q++) sum[p][q] = __builtin_fmaf(x[p], y[q], sum[p][q]);
        }
        BARRIER;
    }
#pragma unroll
    for (int p = 0; p < 4; p++)
#pragma unroll
        for (int q = 0; q < 4; q++) c[(i0 + ty * 4 + p) * n + j0 + tx * 4 + q] = sum[p][q];
}

// A grid-stride sum of each block's share, then a tree in shared memory; 256 threads a block.
KERNEL void reduction(int n, In in, Out out)
{
    SHARED float part[256];
    int t = TX;
    float sum = 0;
    for (int i = BX * 256 + t; i < n; i += GX * 256) sum += in[i];
    part[t] = sum;
    BARRIER;
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s) part[t] += part[t + s];
        BARRIER;
    }
    if (t == 0) out[BX] = part[0];
}

KERNEL void streaming_copy(int n, In in, Out out)
{
    int i = BX * NX + TX;
    if (i < n) out[i] = in[i];
}

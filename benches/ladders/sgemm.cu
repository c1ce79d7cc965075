// C = A B in single precision, step by step: the ways of tiling that public SGEMM tutorials measure.
// A has n rows and `depth` columns; n a multiple of 128, depth of 32.

#define DEV static __device__ __forceinline__

extern "C" __global__ void sgemm1_naive(int n, int depth, const float *a, const float *b, float *c) {
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && col < n) {
        float sum = 0;
        for (int k = 0; k < depth; ++k) sum += a[row * depth + k] * b[k * n + col];
        c[row * n + col] = sum;
    }
}

extern "C" __global__ void sgemm2_coalesced(int n, int depth, const float *a, const float *b, float *c) {
    const unsigned row = blockIdx.x * 32 + threadIdx.x / 32;
    const unsigned col = blockIdx.y * 32 + threadIdx.x % 32;
    if (row < n && col < n) {
        float sum = 0;
        for (int k = 0; k < depth; ++k) sum += a[row * depth + k] * b[k * n + col];
        c[row * n + col] = sum;
    }
}

extern "C" __global__ void sgemm3_shared(int n, int depth, const float *a, const float *b, float *c) {
    __shared__ float left[32 * 32], right[32 * 32];
    const unsigned row = threadIdx.x / 32, col = threadIdx.x % 32;
    a += blockIdx.x * 32 * depth;
    b += blockIdx.y * 32;
    c += blockIdx.x * 32 * n + blockIdx.y * 32;
    float sum = 0;
    for (int k = 0; k < depth; k += 32) {
        left[row * 32 + col] = a[row * depth + col];
        right[row * 32 + col] = b[row * n + col];
        __syncthreads();
        a += 32;
        b += 32 * n;
        for (int i = 0; i < 32; ++i) sum += left[row * 32 + i] * right[i * 32 + col];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

extern "C" __global__ void sgemm4_column(int n, int depth, const float *a, const float *b, float *c) {
    constexpr int BM = 64, BN = 64, BK = 8, TM = 8;
    __shared__ float left[BM * BK], right[BK * BN];
    const int col = threadIdx.x % BN, part = threadIdx.x / BN;
    const unsigned rowA = threadIdx.x / BK, colA = threadIdx.x % BK;
    const unsigned rowB = threadIdx.x / BN, colB = threadIdx.x % BN;
    a += blockIdx.y * BM * depth;
    b += blockIdx.x * BN;
    c += blockIdx.y * BM * n + blockIdx.x * BN;
    float sum[TM] = {0};
    for (int k = 0; k < depth; k += BK) {
        left[rowA * BK + colA] = a[rowA * depth + colA];
        right[rowB * BN + colB] = b[rowB * n + colB];
        __syncthreads();
        a += BK;
        b += BK * n;
        for (int i = 0; i < BK; ++i) {
            const float other = right[i * BN + col];
            for (int m = 0; m < TM; ++m) sum[m] += left[(part * TM + m) * BK + i] * other;
        }
        __syncthreads();
    }
    for (int m = 0; m < TM; ++m) c[(part * TM + m) * n + col] = sum[m];
}

extern "C" __global__ void __launch_bounds__(256, 1)
sgemm5_square(int n, int depth, const float *a, const float *b, float *c) {
    constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;
    __shared__ float left[BM * BK], right[BK * BN];
    const int col = threadIdx.x % (BN / TN), row = threadIdx.x / (BN / TN);
    const unsigned rowA = threadIdx.x / BK, colA = threadIdx.x % BK;
    const unsigned rowB = threadIdx.x / BN, colB = threadIdx.x % BN;
    constexpr unsigned strideA = 256 / BK, strideB = 256 / BN;
    a += blockIdx.y * BM * depth;
    b += blockIdx.x * BN;
    c += blockIdx.y * BM * n + blockIdx.x * BN;
    float sum[TM * TN] = {0}, m[TM], o[TN];
    for (unsigned k = 0; k < depth; k += BK) {
        for (unsigned s = 0; s < BM; s += strideA)
            left[(rowA + s) * BK + colA] = a[(rowA + s) * depth + colA];
        for (unsigned s = 0; s < BK; s += strideB)
            right[(rowB + s) * BN + colB] = b[(rowB + s) * n + colB];
        __syncthreads();
        a += BK;
        b += BK * n;
        for (unsigned i = 0; i < BK; ++i) {
            for (unsigned x = 0; x < TM; ++x) m[x] = left[(row * TM + x) * BK + i];
            for (unsigned x = 0; x < TN; ++x) o[x] = right[i * BN + col * TN + x];
            for (unsigned x = 0; x < TM; ++x)
                for (unsigned y = 0; y < TN; ++y) sum[x * TN + y] += m[x] * o[y];
        }
        __syncthreads();
    }
    for (unsigned x = 0; x < TM; ++x)
        for (unsigned y = 0; y < TN; ++y) c[(row * TM + x) * n + col * TN + y] = sum[x * TN + y];
}

// As before, with accesses of 16 bytes and the left tile transposed.
template <int BK>
DEV void vectorized(int n, int depth, const float *a, const float *b, float *c) {
    constexpr int BM = 128, BN = 128, TM = 8, TN = 8;
    __shared__ float left[BM * BK], right[BK * BN];
    const int col = threadIdx.x % (BN / TN), row = threadIdx.x / (BN / TN);
    const unsigned rowA = threadIdx.x / (BK / 4), colA = threadIdx.x % (BK / 4);
    const unsigned rowB = threadIdx.x / (BN / 4), colB = threadIdx.x % (BN / 4);
    constexpr unsigned strideA = 256 * 4 / BK, strideB = 256 * 4 / BN;
    a += blockIdx.y * BM * depth;
    b += blockIdx.x * BN;
    c += blockIdx.y * BM * n + blockIdx.x * BN;
    float sum[TM * TN] = {0}, m[TM], o[TN];
    for (unsigned k = 0; k < depth; k += BK) {
        for (unsigned s = 0; s + strideA <= BM; s += strideA) {
            float4 v = *(const float4 *)&a[(rowA + s) * depth + colA * 4];
            left[(colA * 4 + 0) * BM + rowA + s] = v.x;
            left[(colA * 4 + 1) * BM + rowA + s] = v.y;
            left[(colA * 4 + 2) * BM + rowA + s] = v.z;
            left[(colA * 4 + 3) * BM + rowA + s] = v.w;
        }
        for (unsigned s = 0; s + strideB <= BK; s += strideB)
            *(float4 *)&right[(rowB + s) * BN + colB * 4] =
                *(const float4 *)&b[(rowB + s) * n + colB * 4];
        __syncthreads();
        a += BK;
        b += BK * n;
        for (unsigned i = 0; i < BK; ++i) {
            for (unsigned x = 0; x < TM; ++x) m[x] = left[i * BM + row * TM + x];
            for (unsigned x = 0; x < TN; ++x) o[x] = right[i * BN + col * TN + x];
            for (unsigned x = 0; x < TM; ++x)
                for (unsigned y = 0; y < TN; ++y) sum[x * TN + y] += m[x] * o[y];
        }
        __syncthreads();
    }
    for (unsigned x = 0; x < TM; ++x)
        for (unsigned y = 0; y < TN; y += 4)
            *(float4 *)&c[(row * TM + x) * n + col * TN + y] = make_float4(
                sum[x * TN + y], sum[x * TN + y + 1], sum[x * TN + y + 2], sum[x * TN + y + 3]);
}

extern "C" __global__ void __launch_bounds__(256)
sgemm6_vectorized(int n, int depth, const float *a, const float *b, float *c) {
    vectorized<8>(n, depth, a, b, c);
}

extern "C" __global__ void __launch_bounds__(256)
sgemm9_tuned(int n, int depth, const float *a, const float *b, float *c) {
    vectorized<16>(n, depth, a, b, c);
}

extern "C" __global__ void __launch_bounds__(128)
sgemm10_warp_tiles(int n, int depth, const float *a, const float *b, float *c) {
    constexpr int BM = 128, BN = 128, BK = 16, WM = 64, WN = 64, TM = 8, TN = 4, NITER = 4;
    constexpr int MITER = WM * WN / (32 * TM * TN * NITER), SM = WM / MITER, SN = WN / NITER;
    constexpr int THREADS = 128;
    __shared__ float left[BM * BK], right[BK * BN];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned warpCol = warp % (BN / WN), warpRow = warp / (BN / WN);
    const unsigned col = lane % (SN / TN), row = lane / (SN / TN);
    const unsigned rowA = threadIdx.x / (BK / 4), colA = threadIdx.x % (BK / 4);
    const unsigned rowB = threadIdx.x / (BN / 4), colB = threadIdx.x % (BN / 4);
    constexpr unsigned strideA = THREADS * 4 / BK, strideB = THREADS * 4 / BN;
    a += blockIdx.y * BM * depth;
    b += blockIdx.x * BN;
    c += (blockIdx.y * BM + warpRow * WM) * n + blockIdx.x * BN + warpCol * WN;
    float sum[MITER * TM * NITER * TN] = {0}, m[MITER * TM], o[NITER * TN];
    for (unsigned k = 0; k < depth; k += BK) {
        for (unsigned s = 0; s + strideA <= BM; s += strideA) {
            float4 v = *(const float4 *)&a[(rowA + s) * depth + colA * 4];
            left[(colA * 4 + 0) * BM + rowA + s] = v.x;
            left[(colA * 4 + 1) * BM + rowA + s] = v.y;
            left[(colA * 4 + 2) * BM + rowA + s] = v.z;
            left[(colA * 4 + 3) * BM + rowA + s] = v.w;
        }
        for (unsigned s = 0; s + strideB <= BK; s += strideB)
            *(float4 *)&right[(rowB + s) * BN + colB * 4] =
                *(const float4 *)&b[(rowB + s) * n + colB * 4];
        __syncthreads();
        for (unsigned i = 0; i < BK; ++i) {
            for (unsigned w = 0; w < MITER; ++w)
                for (unsigned x = 0; x < TM; ++x)
                    m[w * TM + x] = left[i * BM + warpRow * WM + w * SM + row * TM + x];
            for (unsigned w = 0; w < NITER; ++w)
                for (unsigned x = 0; x < TN; ++x)
                    o[w * TN + x] = right[i * BN + warpCol * WN + w * SN + col * TN + x];
            for (unsigned w = 0; w < MITER; ++w)
                for (unsigned v = 0; v < NITER; ++v)
                    for (unsigned x = 0; x < TM; ++x)
                        for (unsigned y = 0; y < TN; ++y)
                            sum[(w * TM + x) * NITER * TN + v * TN + y] +=
                                m[w * TM + x] * o[v * TN + y];
        }
        a += BK;
        b += BK * n;
        __syncthreads();
    }
    for (unsigned w = 0; w < MITER; ++w)
        for (unsigned v = 0; v < NITER; ++v)
            for (unsigned x = 0; x < TM; ++x)
                *(float4 *)&c[(w * SM + row * TM + x) * n + v * SN + col * TN] = make_float4(
                    sum[(w * TM + x) * NITER * TN + v * TN + 0],
                    sum[(w * TM + x) * NITER * TN + v * TN + 1],
                    sum[(w * TM + x) * NITER * TN + v * TN + 2],
                    sum[(w * TM + x) * NITER * TN + v * TN + 3]);
}

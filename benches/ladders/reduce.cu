// The sum of an array, step by step, as the public reduction tutorials have it: blocks of 256 threads, which
// the kernels learn from blockDim alone (so that the compiler unrolls nothing), one partial sum a block.
// v0 to v2 read one element a thread, v3 to v5 two.

#define FULL 0xffffffffu

extern "C" __global__ void reduce0_divergent(const float *in, float *out) {
    __shared__ float part[256];
    const unsigned t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce1_conflicts(const float *in, float *out) {
    __shared__ float part[256];
    const unsigned t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        const unsigned i = 2 * s * t;
        if (i < blockDim.x) part[i] += part[i + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce2_halves(const float *in, float *out) {
    __shared__ float part[256];
    const unsigned t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce3_two_each(const float *in, float *out) {
    __shared__ float part[256];
    const unsigned t = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + t;
    part[t] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

// The sums of the last 64 elements, by a warp that does not wait for itself (Volta and later must be told so;
// the published series has volatile accesses alone).
__device__ void last_warp(volatile float *part, unsigned t) {
    for (int s = 32; s > 0; s >>= 1) part[t] += part[t + s];
}

extern "C" __global__ void reduce4_last_warp(const float *in, float *out) {
    __shared__ float part[256];
    const unsigned t = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + t;
    part[t] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 32; s >>= 1) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t < 32) last_warp(part, t);
    if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce5_unrolled(const float *in, float *out) {
    __shared__ float part[256];
    const unsigned t = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + t;
    part[t] = in[i] + in[i + blockDim.x];
    __syncthreads();
    if (t < 128) part[t] += part[t + 128];
    __syncthreads();
    if (t < 64) part[t] += part[t + 64];
    __syncthreads();
    if (t < 32) last_warp(part, t);
    if (t == 0) out[blockIdx.x] = part[0];
}

// A fixed number of blocks, each thread over many elements, warps by shuffles.
extern "C" __global__ void reduce7_shuffles(const float *in, float *out, int each) {
    __shared__ float part[8];
    const unsigned t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < each; ++k) sum += in[(blockIdx.x * each + k) * 256 + t];
    for (int s = 16; s > 0; s >>= 1) sum += __shfl_down_sync(FULL, sum, s);
    if (t % 32 == 0) part[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = t < 8 ? part[t] : 0;
        for (int s = 4; s > 0; s >>= 1) sum += __shfl_down_sync(FULL, sum, s);
        if (t == 0) out[blockIdx.x] = sum;
    }
}

// The sum of an array, step by step, as the public reduction tutorials have it: 256 threads a block,
// one partial sum a block. v0 to v5 read one element a thread (v3 on: two).

#define FULL 0xffffffffu

extern "C" __global__ void reduce0_divergent(const float *in, float *out) {
    __shared__ float part[256];
    const unsigned t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (unsigned s = 1; s < 256; s *= 2) {
        if (t % (2 * s) == 0) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce1_conflicts(const float *in, float *out) {
    __shared__ float part[256];
    const unsigned t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (unsigned s = 1; s < 256; s *= 2) {
        const unsigned i = 2 * s * t;
        if (i < 256) part[i] += part[i + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce2_halves(const float *in, float *out) {
    __shared__ float part[256];
    const unsigned t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (unsigned s = 128; s > 0; s >>= 1) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce3_two_each(const float *in, float *out) {
    __shared__ float part[256];
    const unsigned t = threadIdx.x, i = blockIdx.x * 512 + t;
    part[t] = in[i] + in[i + 256];
    __syncthreads();
    for (unsigned s = 128; s > 0; s >>= 1) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce4_last_warp(const float *in, float *out) {
    __shared__ float part[256];
    const unsigned t = threadIdx.x, i = blockIdx.x * 512 + t;
    part[t] = in[i] + in[i + 256];
    __syncthreads();
    for (unsigned s = 128; s > 32; s >>= 1) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t < 32) {
        float sum = part[t] + part[t + 32];
        for (int s = 16; s > 0; s >>= 1) sum += __shfl_down_sync(FULL, sum, s);
        if (t == 0) out[blockIdx.x] = sum;
    }
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

// A copy, by the width of what a thread moves.

#define COPY(name, type)                                                         \
    extern "C" __global__ void name(const type *in, type *out) {                 \
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                \
        out[i] = in[i];                                                          \
    }
COPY(copy1, unsigned char)
COPY(copy2, unsigned short)
COPY(copy4, unsigned)
COPY(copy8, uint2)
COPY(copy16, uint4)

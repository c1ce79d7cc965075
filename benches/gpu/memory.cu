// Kernels that ask one thing of the memory system each: model.py times them and prices them.

#define KERNEL extern "C" __global__ void

// Bandwidth of reading and of writing, by the width of an access.
#define READ(name, type, sum)                                                     \
    KERNEL name(const type *in, unsigned *out, unsigned each) {                   \
        unsigned total = 0;                                                       \
        unsigned i = blockIdx.x * blockDim.x * each + threadIdx.x;                \
        for (unsigned k = 0; k < each; ++k, i += blockDim.x) {                    \
            type x = in[i];                                                       \
            total += sum;                                                         \
        }                                                                         \
        if (total == 0x1234567) out[0] = total;                                   \
    }
READ(read1, unsigned char, x)
READ(read2, unsigned short, x)
READ(read4, unsigned, x)
READ(read8, uint2, x.x + x.y)
READ(read16, uint4, x.x + x.y + x.z + x.w)

#define WRITE(name, type, value)                                                  \
    KERNEL name(type *out, unsigned x) {                                          \
        out[blockIdx.x * blockDim.x + threadIdx.x] = value;                       \
    }
WRITE(write1, unsigned char, (unsigned char)x)
WRITE(write2, unsigned short, (unsigned short)x)
WRITE(write4, unsigned, x)
WRITE(write8, uint2, make_uint2(x, x))
WRITE(write16, uint4, make_uint4(x, x, x, x))

// Each thread reads `each` elements of its own; a warp's lie `stride` apart.
KERNEL strided(const unsigned *in, unsigned *out, unsigned stride, unsigned each) {
    unsigned total = 0;
    unsigned i = (blockIdx.x * blockDim.x * each + threadIdx.x) * stride;
    for (unsigned k = 0; k < each; ++k, i += blockDim.x * stride) total += in[i];
    if (total == 0x1234567) out[0] = total;
}

// Every block reads the same `size` quadruples, `rounds` times: from the second level, or the first.
KERNEL l2_read(const uint4 *in, unsigned *out, unsigned size, unsigned rounds) {
    unsigned total = 0;
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) % size;
    for (unsigned k = 0; k < rounds; ++k) {
        uint4 x = __ldcg(in + i);
        total += x.x + x.y + x.z + x.w;
        i = (i + gridDim.x * blockDim.x) % size;
    }
    if (total == 0x1234567) out[0] = total;
}

KERNEL l1_read4(const unsigned *in, unsigned *out, unsigned rounds) {
    unsigned total = 0;
    for (unsigned k = 0; k < rounds; ++k) total += in[(threadIdx.x + 32 * (k ^ total)) & 2047];
    if (total == 0x1234567) out[0] = total;
}

KERNEL l1_read16(const uint4 *in, unsigned *out, unsigned rounds) {
    unsigned total = 0;
    for (unsigned k = 0; k < rounds; ++k) {
        uint4 x = in[(threadIdx.x + 32 * (k ^ total)) & 511];
        total += x.x + x.y + x.z + x.w;
    }
    if (total == 0x1234567) out[0] = total;
}

// Shared memory, lanes `stride` words apart.
KERNEL shared_read(unsigned *out, unsigned stride, unsigned rounds) {
    __shared__ unsigned words[4096];
    for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) words[i] = 0;
    __syncthreads();
    unsigned at = threadIdx.x % 32 * stride, total = 0;
    for (unsigned k = 0; k < rounds; ++k) total += words[(at + 33 * k) & 4095];
    if (total == 0x1234567) out[0] = total;
}

KERNEL shared_write(unsigned *out, unsigned stride, unsigned rounds) {
    __shared__ unsigned words[4096];
    unsigned at = threadIdx.x % 32 * stride;
    for (unsigned k = 0; k < rounds; ++k) {
        ((volatile unsigned *)words)[(at + 33 * k) & 4095] = k;
    }
    __syncthreads();
    if (words[threadIdx.x] == 0x1234567) out[0] = words[threadIdx.x];
}

// Shared memory, wide: lanes in groups of `together` take one element, and after `apart` groups they begin anew.
#define SHARED_WIDE(name, type, sum)                                              \
    KERNEL name(unsigned *out, unsigned together, unsigned apart, unsigned rounds) { \
        __shared__ type words[2048 / (sizeof(type) / 8)];                         \
        for (unsigned i = threadIdx.x; i < sizeof words / 4; i += blockDim.x) ((unsigned *)words)[i] = 0; \
        __syncthreads();                                                          \
        unsigned at = threadIdx.x % 32 / together % apart, total = 0;             \
        for (unsigned k = 0; k < rounds; ++k) {                                   \
            at += total >> 31;                                                    \
            _Pragma("unroll") for (unsigned u = 0; u < 8; ++u) {                  \
                type x = words[at + u * 64];                                      \
                total += sum;                                                     \
            }                                                                     \
        }                                                                         \
        if (total == 0x1234567) out[0] = total;                                   \
    }
SHARED_WIDE(shared_wide8, uint2, x.x | x.y)
SHARED_WIDE(shared_wide16, uint4, (x.x | x.y) + (x.z | x.w))

KERNEL shared_atomic(unsigned *out, unsigned addresses, unsigned rounds) {
    __shared__ unsigned words[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = 0;
    __syncthreads();
    for (unsigned k = 0; k < rounds; ++k) atomicAdd(words + (threadIdx.x + k) % addresses, k | 1);
    __syncthreads();
    if (words[threadIdx.x] == 0x1234567) out[0] = words[threadIdx.x];
}

KERNEL shared_atomic_float(float *out, unsigned addresses, unsigned rounds) {
    __shared__ float words[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = 0;
    __syncthreads();
    for (unsigned k = 0; k < rounds; ++k) atomicAdd(words + (threadIdx.x + k) % addresses, 1.0f);
    __syncthreads();
    if (words[threadIdx.x] == 1.5f) out[0] = words[threadIdx.x];
}

// Atomics on global memory: `addresses` words, `apart` words from one to the next.
KERNEL global_red(unsigned *words, unsigned addresses, unsigned apart, unsigned rounds) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned k = 0; k < rounds; ++k) atomicAdd(words + (i + k) % addresses * apart, i | 1);
}

KERNEL global_red_float(float *words, unsigned addresses, unsigned apart, unsigned rounds) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned k = 0; k < rounds; ++k) atomicAdd(words + (i + k) % addresses * apart, 1.0f);
}

KERNEL global_red_double(double *words, unsigned addresses, unsigned apart, unsigned rounds) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned k = 0; k < rounds; ++k) atomicAdd(words + (i + k) % addresses * apart, 1.0);
}

KERNEL global_atom(unsigned *words, unsigned *out, unsigned addresses, unsigned apart, unsigned rounds) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, total = 0;
    for (unsigned k = 0; k < rounds; ++k) total ^= atomicAdd(words + (i + k) % addresses * apart, i | 1);
    if (total == 0x1234567) out[0] = total;
}

// A chain of loads over `lines` lines (a power of two) of 128 bytes, in a random order.
#define CHASE(name, load)                                                         \
    KERNEL name(const unsigned *in, unsigned *out, unsigned lines, unsigned rounds) { \
        unsigned line = threadIdx.x + blockIdx.x;                                 \
        for (unsigned k = 0; k < rounds; ++k) {                                   \
            line = (line * 1664525u + 1013904223u) & (lines - 1);                 \
            line += load(in + 32 * (size_t)line);                                 \
        }                                                                         \
        if (line == 0xffffffff) out[0] = line;                                    \
    }
#define PLAIN(p) (*(p))
CHASE(chase, PLAIN)
CHASE(chase_l2, __ldcg)

// Loads that hit the first level and nothing else: eight a round, lanes `stride` words apart, the first one `shift`
// words behind the start of a line.
#define L1_LOADS(name, type, sum)                                                 \
    KERNEL name(const type *in, unsigned *out, unsigned stride, unsigned shift, unsigned rounds) { \
        const type *at = in + threadIdx.x % 32 * stride + shift;                  \
        unsigned total = 0;                                                       \
        for (unsigned k = 0; k < rounds; ++k) {                                   \
            at += total >> 31;                                                    \
            _Pragma("unroll") for (unsigned u = 0; u < 8; ++u) {                  \
                type x = at[u * 1024];                                            \
                total += sum;                                                     \
            }                                                                     \
        }                                                                         \
        if (total == 0x1234567) out[0] = total;                                   \
    }
L1_LOADS(l1_loads1, unsigned char, x)
L1_LOADS(l1_loads2, unsigned short, x)
L1_LOADS(l1_loads4, unsigned, x)
L1_LOADS(l1_loads8, uint2, x.x | x.y)
L1_LOADS(l1_loads16, uint4, (x.x | x.y) + (x.z | x.w))

// Writes a matrix of `row` words a row by columns: a warp's lanes lie a row apart, warps follow one another in it.
KERNEL scattered_write(unsigned *out, unsigned row, unsigned x) {
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    out[(size_t)(warp / row * 32 + lane) * row + warp % row] = x;
}

// Reads `words` in all, `each` of a thread under way at a time, by blocks that stay.
#define STREAM(name, type, each)                                                  \
    KERNEL name(const type *in, unsigned *out, unsigned count) {                  \
        unsigned total = 0, step = gridDim.x * blockDim.x;                        \
        for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += each * step) { \
            type x[each];                                                         \
            _Pragma("unroll") for (unsigned u = 0; u < each; ++u) x[u] = __ldcg(in + i + u * step); \
            _Pragma("unroll") for (unsigned u = 0; u < each; ++u) total += *(unsigned *)&x[u]; \
        }                                                                         \
        if (total == 0x1234567) out[0] = total;                                   \
    }
STREAM(stream4_1, unsigned, 1)
STREAM(stream4_4, unsigned, 4)
STREAM(stream16_1, uint4, 1)
STREAM(stream16_4, uint4, 4)

// Additions to words that lanes choose at random out of `mask` + 1.
KERNEL red_random(unsigned *words, unsigned mask, unsigned rounds) {
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
    for (unsigned k = 0; k < rounds; ++k) {
        i = i * 1664525u + 1013904223u;
        atomicAdd(words + (i >> 12 & mask), 1);
    }
}

// Runs that long: what is queued behind it is there before it ends.
KERNEL hold(unsigned long long clocks) {
    unsigned long long start = clock64();
    while (clock64() - start < clocks) {}
}

// The multiprocessor of each block, and when it begins and ends there.
KERNEL life(unsigned long long *out) {
    unsigned long long start = clock64();
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned where;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(where));
        unsigned long long *own = out + 3 * (size_t)blockIdx.x;
        own[0] = where, own[1] = start, own[2] = clock64();
    }
}

// Starts of blocks, and barriers.
KERNEL empty(unsigned *out, unsigned never) {
    if (never == 0x1234567) out[0] = never;
}

KERNEL shared_block(unsigned *out, unsigned never) {
    __shared__ unsigned words[256];
    words[threadIdx.x % 256] = never;
    __syncthreads();
    if (words[(threadIdx.x + 1) % 256] == 0x1234567) out[0] = never;
}

KERNEL barriers(unsigned *out, unsigned rounds) {
    for (unsigned k = 0; k < rounds; ++k) __syncthreads();
    if (rounds == 0x1234567) out[0] = rounds;
}

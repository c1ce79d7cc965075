// clang --target=nvptx64-nvidia-cuda -march=sm_70 -O2 -g1 -fdebug-compilation-dir=. -S calls.c -o ../ptx/calls.ptx
#define KERNEL __attribute__((nvptx_kernel))

struct pair {
  int a;
  double b;
};

static const int table[5] = {1, 2, 3, 4, 5};
int counter = 7;

__attribute__((noinline)) double polynomial(double x, int terms) {
  double s = 0;
  for (int i = 0; i < terms; i++)
    s = s * x + i;
  return s;
}

__attribute__((noinline)) struct pair scaled(struct pair p, int k) {
  p.a += k;
  p.b *= k;
  return p;
}

KERNEL void calls(double *out, int k) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  double local[8];
  for (int i = 0; i < 8; i++)
    local[(i * k) & 7] = t + i;
  struct pair p = {t, 2.0};
  p = scaled(p, k);
  out[t] = polynomial(local[k & 7], table[k % 5] + counter) + p.a + p.b;
  switch (k + t % 4) {
  case 0: out[t] += 1; break;
  case 1: out[t] *= 2; break;
  case 2: out[t] -= 2; break;
  case 3: out[t] /= 2; break;
  case 4: out[t] = -out[t]; break;
  case 5: out[t] = out[t] * out[t]; break;
  }
}

__attribute__((address_space(3))) float tile[256];

KERNEL void sums(float *out, const float *in) {
  int t = __nvvm_read_ptx_sreg_tid_x(), b = __nvvm_read_ptx_sreg_ctaid_x();
  tile[t] = in[b * 256 + t];
  __syncthreads();
  for (int s = 128; s; s >>= 1) {
    if (t < s)
      tile[t] += tile[t + s];
    __syncthreads();
  }
  if (t == 0)
    out[b] = tile[0];
}

KERNEL void bits(unsigned long long *out, const unsigned long long *in, const signed char *bytes) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  unsigned long long x = in[t];
  long long y = bytes[t];
  unsigned long long r = x / (t + 3) + x % (t + 5);
  r ^= (unsigned long long)(y * 1000003) >> (t & 63);
  r += __builtin_popcountll(x) + __builtin_clzll(x | 1) + __builtin_bitreverse64(x) + __builtin_bswap64(x);
  r = (r << (t & 63)) | (r >> ((64 - t) & 63));
  r += (unsigned)(float)(unsigned)x + (unsigned long long)(double)(x >> 12);
  r -= (int)(short)x * (unsigned char)(x >> 8);
  out[t] = r;
}

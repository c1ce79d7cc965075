/* The loops of examples/ as the CUDA that a programmer writes without tricks: a thread for each
   iteration of the parallel loops, a block for a row where the example reduces over one. What nvcc
   makes of them is what our kernels are held against:
   nvcc -arch=sm_90 -ptx benches/peers/plain.cu -o plain.ptx */

extern "C" __global__ void vecadd(int n, const float *__restrict__ a, const float *__restrict__ b,
                                  float *__restrict__ c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

extern "C" __global__ void saxpy(int n, float alpha, const float *__restrict__ x,
                                 float *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = alpha * x[i] + y[i];
}

extern "C" __global__ void sgemm(int m, int n, int k, float alpha, const float *__restrict__ A,
                                 const float *__restrict__ B, float beta, float *__restrict__ C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < m && j < n) {
        float dot = 0.0f;
        for (int l = 0; l < k; l++)
            dot += A[i * k + l] * B[l * n + j];
        C[i * n + j] = alpha * dot + beta * C[i * n + j];
    }
}

template <class T> __device__ T block_sum(T value)
{
    __shared__ T of_warp[32];
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffff, value, distance);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    value = of_warp[0];
    for (int warp = 1; warp < 128 / 32; warp++)
        value += of_warp[warp];
    return value;
}

extern "C" __global__ void matvec(int m, int n, const float *__restrict__ A,
                                  const float *__restrict__ x, float *__restrict__ y)
{
    int i = blockIdx.x;
    float sum = 0.0f;
    for (int j = threadIdx.x; j < n; j += 128)
        sum += A[i * n + j] * x[j];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        y[i] = sum;
}

extern "C" __global__ void spmv(int rows, const int *__restrict__ start,
                                const int *__restrict__ column, const double *__restrict__ value,
                                const double *__restrict__ x, double *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {
        double sum = 0.0;
        for (int e = start[i]; e < start[i + 1]; e++)
            sum += value[e] * x[column[e]];
        y[i] = sum;
    }
}

extern "C" __global__ void transpose(int rows, int columns, const float *__restrict__ in,
                                     float *__restrict__ out)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < rows && j < columns)
        out[j * rows + i] = in[i * columns + j];
}

extern "C" __global__ void jacobi2d(int rows, int columns, const double *__restrict__ grid,
                                    double *__restrict__ next)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int i = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (i < rows - 1 && j < columns - 1)
        next[i * columns + j] =
            0.25 * (grid[i * columns + j - 1] + grid[i * columns + j + 1] +
                    grid[(i - 1) * columns + j] + grid[(i + 1) * columns + j]);
}

#define REACH 4

extern "C" __global__ void conv3d(int sizex, int sizey, int sizez, float coefx, float coefy,
                                  float coefz, const float *__restrict__ input,
                                  float *__restrict__ output)
{
    int depth = sizez + 2 * REACH, plane = (sizey + 2 * REACH) * depth;
    int k = blockIdx.x * blockDim.x + threadIdx.x + REACH, j = blockIdx.y + REACH;
    int i = blockIdx.z + REACH;
    if (i < sizex + REACH && j < sizey + REACH && k < sizez + REACH) {
        const float *at = input + i * plane + j * depth + k;
        float tempx = at[0] + coefx * (at[-plane] + at[plane] + at[-2 * plane] + at[2 * plane] +
                                       at[-3 * plane] + at[3 * plane] + at[-4 * plane] + at[4 * plane]);
        float tempy = at[0] + coefy * (at[-depth] + at[depth] + at[-2 * depth] + at[2 * depth] +
                                       at[-3 * depth] + at[3 * depth] + at[-4 * depth] + at[4 * depth]);
        float tempz = at[0] + coefz * (at[-1] + at[1] + at[-2] + at[2] + at[-3] + at[3] + at[-4] + at[4]);
        float *to = output + i * plane + j * depth + k;
        *to = *to + tempx + tempy + tempz;
    }
}

extern "C" __global__ void sum_double(int n, const double *__restrict__ x, double *__restrict__ sums)
{
    double sum = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

extern "C" __global__ void histogram(int n, const unsigned char *__restrict__ data,
                                     int *__restrict__ bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[data[i]], 1);
}

struct body { float x, y, z, vx, vy, vz, mass; };

extern "C" __global__ void nbody(int n, float step, float softening, struct body *__restrict__ bodies)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float ax = 0.0f, ay = 0.0f, az = 0.0f;
        for (int j = 0; j < n; j++) {
            float dx = bodies[j].x - bodies[i].x;
            float dy = bodies[j].y - bodies[i].y;
            float dz = bodies[j].z - bodies[i].z;
            float square = dx * dx + dy * dy + dz * dz + softening;
            float pull = bodies[j].mass / (square * sqrtf(square));
            ax += pull * dx;
            ay += pull * dy;
            az += pull * dz;
        }
        bodies[i].vx += step * ax;
        bodies[i].vy += step * ay;
        bodies[i].vz += step * az;
    }
}

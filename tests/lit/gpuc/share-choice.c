// What neighbours read goes through memory of the block where that is most of what a warp asks for: not where each
// iteration loads weights as well (Li et al. 2016, gauss).
// RUN: gpuc --arch=sm_90 --emit=plan %s -o - | FileCheck %s

// CHECK: kernel text:
// CHECK: share in over i by 32, j by 32, rows 4
void text(int n, const unsigned char *restrict in, unsigned char *restrict out)
{
#pragma acc kernels copyin(in[0:n*n]) copy(out[0:n*n])
    for (int i = 2; i < n - 2; i++)
        for (int j = 2; j < n - 2; j++) {
            int sum = 0;
            for (int y = -2; y <= 2; y++)
                for (int x = -2; x <= 2; x++)
                    sum += (3 - (x < 0 ? -x : x)) * (3 - (y < 0 ? -y : y)) * in[(i + y) * n + j + x];
            out[i * n + j] = sum / 81;
        }
}

// CHECK: kernel array:
// CHECK-NOT: share
void array(int n, const int *restrict weight, const unsigned char *restrict in, unsigned char *restrict out)
{
#pragma acc kernels copyin(weight[0:25], in[0:n*n]) copy(out[0:n*n])
    for (int i = 2; i < n - 2; i++)
        for (int j = 2; j < n - 2; j++) {
            int sum = 0;
            for (int y = 0; y < 5; y++)
                for (int x = 0; x < 5; x++)
                    sum += weight[y * 5 + x] * in[(i + y - 2) * n + j + x - 2];
            out[i * n + j] = sum / 256;
        }
}

/* The kernels of examples/sgemm.c with the directives that clang offloads, to compare compile
   times. */

void sgemm_linear(int m, int n, int k, float alpha, const float *restrict A,
                  const float *restrict B, float beta, float *restrict C)
{
    #pragma omp target teams distribute parallel for collapse(2) \
        map(to: A[0:m*k], B[0:k*n]) map(tofrom: C[0:m*n])
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            float dot = 0.0f;
            for (int l = 0; l < k; l++)
                dot += A[i * k + l] * B[l * n + j];
            C[i * n + j] = alpha * dot + beta * C[i * n + j];
        }
    }
}

void sgemm_2d(int m, int n, int k, float alpha, const float (*restrict A)[k],
              const float (*restrict B)[n], float beta, float (*restrict C)[n])
{
    #pragma omp target teams distribute map(to: A[0:m][0:k], B[0:k][0:n]) map(tofrom: C[0:m][0:n])
    for (int i = 0; i < m; i++) {
        #pragma omp parallel for
        for (int j = 0; j < n; j++) {
            float dot = 0.0f;
            for (int l = 0; l < k; l++)
                dot += A[i][l] * B[l][j];
            C[i][j] = alpha * dot + beta * C[i][j];
        }
    }
}

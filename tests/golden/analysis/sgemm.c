// A product of matrices as diKernels, as docs/analyses.md shows it.
// RUN: gpuc --emit=kir %s -o - | golden
void sgemm(int m, int n, int k, float alpha, float beta, float A[m][k], float B[k][n], float C[m][n])
{
#pragma acc kernels copyin(A[0:m][0:k], B[0:k][0:n]) copy(C[0:m][0:n])
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            float prod = 0;
            for (int l = 0; l < k; l++)
                prod += A[i][l] * B[l][j];
            C[i][j] = alpha * prod + beta * C[i][j];
        }
    }
}

// Andión et al. 2015, figures 1 and 3: CONV3D and SGEMM as diKernels. What only computes private scalars is shaded, in brackets.
// RUN: gpuc --emit=kir %s -o - | FileCheck %s
// RUN: gpuc --emit=affine --mlir-print-debuginfo %s -o %t.mlir
// RUN: gpuc-opt --print-kir=dot=%t.dot %t.mlir -o %t.out.mlir
// RUN: cat %t.dot | FileCheck %s --check-prefix=DOT
// DOT: digraph kir {
// DOT: subgraph cluster_51_0 {
// DOT: label="ES_for_{{.*}}";
// DOT: subgraph cluster_51_1 {
// DOT: style=filled, fillcolor=lightgrey
// DOT: k51_0 -> k51_1;

void conv3d(int sizex, int sizey, int sizez, float coefx, float coefy, float coefz,
            float input[sizex][sizey][sizez], float output[sizex][sizey][sizez])
{
#pragma acc kernels copyin(input[0:sizex][0:sizey][0:sizez]) copy(output[0:sizex][0:sizey][0:sizez])
    // CHECK: 20: nest as diKernels, parallelizable
    // CHECK-NEXT: ES_for_i,j,k
    // CHECK-NEXT: [K<tempx_23>] scalar assignment
    for (int i = 4; i < sizex - 4; i++) {
        for (int j = 4; j < sizey - 4; j++) {
            for (int k = 4; k < sizez - 4; k++) {
                float tempx = input[i][j][k] + coefx * (
                    input[i - 1][j][k] + input[i + 1][j][k] + input[i - 2][j][k] + input[i + 2][j][k] +
                    input[i - 3][j][k] + input[i + 3][j][k] + input[i - 4][j][k] + input[i + 4][j][k]);
                // CHECK-NEXT: [K<tempy_28>] scalar assignment
                float tempy;
                tempy = input[i][j][k] + coefy * (
                    input[i][j - 1][k] + input[i][j + 1][k] + input[i][j - 2][k] + input[i][j + 2][k] +
                    input[i][j - 3][k] + input[i][j + 3][k] + input[i][j - 4][k] + input[i][j + 4][k]);
                // CHECK-NEXT: [K<tempz_32>] scalar assignment
                float tempz = input[i][j][k] + coefz * (
                    input[i][j][k - 1] + input[i][j][k + 1] + input[i][j][k - 2] + input[i][j][k + 2] +
                    input[i][j][k - 3] + input[i][j][k + 3] + input[i][j][k - 4] + input[i][j][k + 4]);
                // CHECK-NEXT: K<output_36> regular reduction (+) from K<tempx_23>, K<tempy_28>, K<tempz_32>
                output[i][j][k] = output[i][j][k] + tempx + tempy + tempz;
            }
        }
    }
}

void sgemm(int m, int n, int k, float alpha, float beta, float A[m][k], float B[k][n], float C[m][n])
{
#pragma acc kernels copyin(A[0:m][0:k], B[0:k][0:n]) copy(C[0:m][0:n])
    // CHECK-NEXT: 51: nest as diKernels, parallelizable
    // CHECK-NEXT: ES_for_i,j
    // CHECK-NEXT: [K<prod_53>] scalar assignment
    // CHECK-NEXT: K<C_56> regular reduction (+) from K<prod_55>
    // CHECK-NEXT: ES_for_l
    // CHECK-NEXT: [K<prod_55>] scalar reduction (+) from K<prod_53>
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            float prod = 0;
            for (int l = 0; l < k; l++)
                prod += A[i][l] * B[l][j];
            C[i][j] = alpha * prod + beta * C[i][j];
        }
    }
}

/* Arrays with run-time extents: permuted columns, three dimensions, rows handed to functions and held in pointers. */
#include <stdio.h>
#include <stdlib.h>
static float dot(int n, const float *x, const float *y) { float s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }
static void perm(int n, int m, float a[n][m], float b[n][m], const int *restrict idx) {
  #pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][idx[j]] = b[i][j] + i;
}
static void cube(int n, int m, int p, float a[n][m + 1][p], float b[n][m + 1][p]) {
  #pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= m; j++)
      for (int k = 1; k < p; k++) a[i][j][k] = b[i][m - j][k] + *(b[i][j] + k - 1);
}
static void rowsof(int n, int m, float c[n][n], float a[n][m], float b[n][m]) {
  #pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) c[i][j] = dot(m, a[i], b[j]);
}
static void mixed(int n, int m, float a[n][m]) {
  #pragma acc kernels
  for (int i = 0; i < n; i++) {
    float *row = a[i];
    for (int j = 0; j < m; j++) row[j] += a[i][m - 1 - j] > 0 ? 1 : 0;
  }
}
int main(void) {
  static int sizes[][3] = {{0, 3, 1}, {1, 1, 1}, {17, 23, 5}, {64, 32, 16}, {101, 67, 3}};
  for (int t = 0; t < 5; t++) {
    int n = sizes[t][0], m = sizes[t][1], p = sizes[t][2];
    long s = (long)n * (m + 1) * (p + 1) + n * n + 1;
    float *a = calloc(s, 4), *b = calloc(s, 4), *c = calloc(s, 4); int *idx = calloc(m + 1, 4);
    for (long i = 0; i < s; i++) { a[i] = i % 13 - 6; b[i] = i % 7 - 3; c[i] = i % 3; }
    for (int j = 0; j < m; j++) idx[j] = m - 1 - j;
    double h = 0;
#define H for (long i = 0; i < s; i++) h = h * 0.999 + a[i] * (i % 5) + c[i] * (i % 11); printf("%d %d %d: %.6f\n", n, m, p, h);
    perm(n, m, (float(*)[m])a, (float(*)[m])b, idx); H
    cube(n, m, p, (float(*)[m + 1][p])a, (float(*)[m + 1][p])b); H
    rowsof(n, m, (float(*)[n])c, (float(*)[m])a, (float(*)[m])b); H
    mixed(n, m, (float(*)[m])a); H
    free(a); free(b); free(c); free(idx);
  }
}

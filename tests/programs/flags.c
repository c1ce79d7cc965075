#include <stdio.h>
#include <stdlib.h>
#include <stdbool.h>
int s11(int n, const double *x) { int any = 0;
    #pragma acc kernels
    for (int i = 0; i < n; i++) if (x[i] > 11) { any = 1; }
    return any; }
double f1(int n, const double *x, double v) { double r = -3;
    #pragma acc kernels
    for (int i = 0; i < n; i++) if (x[i] > 11) r = v;
    return r; }
bool f2(int n, int m, const double *x) { bool ok = true;
    #pragma acc kernels
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { if (x[i*m+j] < 0) ok = false; else if (x[i*m+j] > 100) { if (j > 3) ok = false; } }
    return ok; }
int bfs(int n, const int *row, const int *col, int *level, int d)
{
    int changed = 0;
    #pragma acc kernels copyin(row[0:n+1], col[0:4*n]) copy(level[0:n])
    for (int i = 0; i < n; i++)
        if (level[i] < 0)
            for (int k = row[i]; k < row[i+1]; k++)
                if (level[col[k]] == d) { changed = 7; }
    return changed;
}
int f3(int n, const double *x, double *y) { int hit = 5;
    #pragma acc kernels
    for (int i = 0; i < n; i++) { y[i] = x[i] + hit; if (x[i] > 11) hit = 9; }
    return hit; }
int f4(int n, const double *x) { int a = 0;
    #pragma acc kernels
    for (int i = 0; i < n; i++) { if (x[i] > 11) a = 1; if (x[i] < -1) a = 2; }
    return a; }
int main(void) { enum { N = 4000 }; double *x = calloc(8, N), *y = calloc(8, N); for (int i = 0; i < N; i++) x[i] = i % 13;
 int row[101], col[400], level[100]; for (int i = 0; i <= 100; i++) row[i] = 4 * i; for (int i = 0; i < 400; i++) col[i] = (i * 7) % 100; for (int i = 0; i < 100; i++) level[i] = i % 5 ? -1 : 0;
 printf("%d %d %d %g %g %d %d\n", s11(N, x), s11(11, x), s11(0, x), f1(N, x, 2.5), f1(0, x, 2.5), f2(10, 40, x), bfs(100, row, col, level, 0)); x[77] = -1; x[80]=200; printf("%d %d %d %d %d %d\n", f2(10, 40, x), f2(1, 40, x), bfs(100, row, col, level, 3), f3(N, x, y), f4(N, x), f4(5, x));
 double s = 0; for (int i = 0; i < N; i++) s += y[i] * (i % 7); printf("%g\n", s); return 0; }

// A product with a symmetric matrix of which one triangle is stored: a row updates all rows above it.
#include "nest.h"

static void symm(int m, int n, unsigned alpha, unsigned beta, unsigned a[m][m], unsigned b[m][n],
                 unsigned c[m][n])
{
    #pragma acc kernels copyin(a[0:m][0:m], b[0:m][0:n]) copy(c[0:m][0:n])
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            unsigned mirrored = 0;
            for (int k = 0; k < i; k++) {
                c[k][j] += alpha * b[i][j] * a[i][k];
                mirrored += b[k][j] * a[i][k];
            }
            c[i][j] = beta * c[i][j] + alpha * b[i][j] * a[i][i] + alpha * mirrored;
        }
}

static unsigned a[MOST * MOST], b[MOST * MOST], c[MOST * MOST];

int main(void)
{
    EACH_SIZE(n)
    {
        fill(n * n, a, 1);
        fill(n * n, b, 2);
        fill(n * n, c, 3);
        symm(n, n, 3, 5, (void *)a, (void *)b, (void *)c);
        show("symm", n, n * n, c);
    }
    return 0;
}

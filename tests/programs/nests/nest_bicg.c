// Two products that share the innermost loop, one by rows, one by columns.
#include "nest.h"

static void bicg(int m, int n, unsigned a[n][m], unsigned s[m], unsigned q[n], unsigned p[m],
                 unsigned r[n])
{
    #pragma acc kernels copyin(a[0:n][0:m], p[0:m], r[0:n]) copy(s[0:m], q[0:n])
    {
        for (int i = 0; i < m; i++)
            s[i] = 0;
        for (int i = 0; i < n; i++) {
            q[i] = 0;
            for (int j = 0; j < m; j++) {
                s[j] = s[j] + r[i] * a[i][j];
                q[i] = q[i] + a[i][j] * p[j];
            }
        }
    }
}

static unsigned a[MOST * (MOST + 2)], s[MOST + 2], q[MOST], p[MOST + 2], r[MOST];

int main(void)
{
    EACH_SIZE(n)
    {
        fill(n * (n + 2), a, 1);
        fill(n + 2, p, 2);
        fill(n, r, 3);
        bicg(n + 2, n, (void *)a, s, q, p, r);
        show("s", n, n + 2, s);
        show("q", n, n, q);
    }
    return 0;
}

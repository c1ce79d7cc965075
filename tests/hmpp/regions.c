/* region: a block that is a codelet and its call in one. */
#include <stdio.h>
#include <stdlib.h>

#define N 90

static double a[N], b[N];

int main(void)
{
    int n = N, shift = 3;
    double *p = malloc(n * sizeof *p);
    for (int i = 0; i < n; i++)
        a[i] = i, b[i] = 0, p[i] = 1;
    #pragma hmpp one region, target=CUDA, args[a].io=in, args[b].io=out
    {
        for (int i = 0; i < n; i++)
            b[i] = a[i] + shift;
    }
    printf("%g\n", b[N - 1]);
    #pragma hmpp two region, args[p].size={n}, args[p].io=inout, args[a].io=in
    for (int i = 0; i < n; i++)
        p[i] += a[i];
    printf("%g\n", p[N - 1]);
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        #pragma hmpp three region, cond="k > 0", args[sum].io=inout
        {
            #pragma hmppcg gridify(i), reduce(+: sum)
            for (int i = 0; i < n; i++)
                sum += p[i] * k;
        }
    }
    printf("%g\n", sum);
    double own;
    #pragma hmpp four region, private=[own], args[b].io=inout
    {
        #pragma hmppcg parallel, private(own)
        for (int i = 0; i < n; i++) {
            own = b[i] * 2;
            b[i] = own + 1;
        }
    }
    printf("%g\n", b[10]);
    /* Both queues run while the host goes on; a region waits for its own. */
    double *q = malloc(n * sizeof *q), *r = malloc(n * sizeof *r);
    for (int i = 0; i < n; i++)
        q[i] = r[i] = i;
    for (int t = 0; t < 3; t++) {
        #pragma hmpp five region, asynchronous, args[q].size={n}, args[q].io=inout
        for (int i = 0; i < n; i++)
            q[i] = 2 * q[i] + t;
        #pragma hmpp six region, asynchronous, args[r].size={n}, args[r].io=inout
        for (int i = 0; i < n; i++)
            r[i] += t;
    }
    #pragma hmpp five synchronize
    printf("%g\n", q[n - 1]);
    #pragma hmpp six region, args[r].size={n}, args[r].io=inout
    for (int i = 0; i < n; i++)
        r[i] *= 2;
    printf("%g\n", r[n - 1]);
    #pragma hmpp six release
    free(q);
    free(r);
    free(p);
    return 0;
}

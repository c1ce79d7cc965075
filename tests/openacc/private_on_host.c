/* Copies are copies where the host runs a construct, too: behind it the program's variables are as they were (OpenACC 3.3 2.5.6, 2.5.13,
   2.5.14). */
#include <stdio.h>
#include <stdlib.h>

struct values {
    int a[3];
    double d;
};

#ifdef _OPENACC
static int copies(int n, int on)
{
    int bad = 0, x = 5, a[4] = {1, 2, 3, 4}, t = 9;
    register int r = 3;
    struct values s = {{1, 2, 3}, 4};
    double out[10], vla[n], *p = malloc(n * sizeof *p);
    for (int i = 0; i < n; i++)
        p[i] = vla[i] = i;
    #pragma acc parallel num_gangs(1) firstprivate(x, a, s, r, p[2:n-5], vla) private(t) copyout(out) if(on)
    {
        x++;
        a[1] = 7;
        s.d = 1;
        r = 8;
        t = 1;
        p[3] = 100;
        vla[2] = -1;
        #pragma acc loop
        for (int i = 0; i < 10; i++)
            out[i] = x + a[1] + s.d + r + t + p[3] + vla[2];
    }
    for (int i = 0; i < 10; i++)
        bad += out[i] != 6 + 7 + 1 + 8 + 1 + 100 - 1;
    bad += x != 5 || a[1] != 2 || s.d != 4 || r != 3 || t != 9 || p[3] != 3 || vla[2] != 2;
    int u = 4;
    #pragma acc parallel loop private(u) copy(out) if(on)
    for (int i = 0; i < 10; i++) {
        u = i;
        out[i] += u;
    }
    for (int i = 0; i < 10; i++)
        bad += out[i] != 6 + 7 + 1 + 8 + 1 + 100 - 1 + i;
    int v = 6;
    #pragma acc kernels copy(out) if(on)
    {
        #pragma acc loop private(v)
        for (int i = 0; i < 10; i++) {
            v = 2 * i;
            out[i] -= v;
        }
    }
    bad += u != 4 || v != 6;
    free(p);
    return bad;
}
#endif

int main(void)
{
    int bad = 0;
#ifdef _OPENACC
    bad = copies(10, 0) + copies(10, 1);
#endif
    printf("%d\n", bad);
    return bad != 0;
}

/* Private copies of arrays, structures and sections, some of sizes that only the run time knows (OpenACC 3.3 2.5.13, 2.5.14, 2.9.10). */
#include <stdio.h>
#include <stdlib.h>
struct point { double x, y; int n; };
struct bulk { int values[50]; double scale; char tag; };
union either { int i; float f; };
static int first_values(void)
{
    enum { N = 97, G = 7 };
    int n = N;
    int a[N], grid[5][9];
    struct point p = {1.5, 2.5, 7};
    struct bulk many[3] = {0};
    union either u = {.i = 5};
    double out[N];
    int bad = 0;
    for (int i = 0; i < N; i++) a[i] = 3 * i;
    for (int i = 0; i < 45; i++) grid[i / 9][i % 9] = i;
    for (int i = 0; i < 3; i++) { many[i].scale = i; many[i].tag = 'a' + i; for (int k = 0; k < 50; k++) many[i].values[k] = i * k; }

    /* read only: no copies */
    #pragma acc parallel loop firstprivate(a, grid, p, many, u) copyout(out)
    for (int i = 0; i < N; i++)
        out[i] = a[i] + grid[i % 5][i % 9] + p.x * p.n + many[i % 3].values[i % 50] + many[i % 3].scale + many[i%3].tag + u.i;
    for (int i = 0; i < N; i++) bad += out[i] != a[i] + grid[i % 5][i % 9] + p.x * p.n + many[i % 3].values[i % 50] + many[i % 3].scale + many[i%3].tag + u.i;
    /* written: the host's stay */
    #pragma acc parallel num_gangs(G) firstprivate(a, grid, p, many, u) copyout(out)
    {
        a[0] += 1; grid[1][2] = 100; p.y = 4; many[1].values[3] += 5; u.i++;
        #pragma acc loop gang
        for (int i = 0; i < N; i++)
            out[i] = a[i % 4] + grid[i % 5][2] + p.x * p.y + many[i % 3].values[3] + u.i;
    }
    for (int i = 0; i < N; i++) bad += out[i] != (i%4==0?1:a[i%4]) + (i%5==1?100:grid[i%5][2]) + 1.5 * 4 + (i%3==1?5+3:many[i % 3].values[3]) + 6;
    bad += a[0] != 0 || grid[1][2] != 11 || p.y != 2.5 || many[1].values[3] != 3 || u.i != 5;
    /* the host's values count, whatever is on the device */
    #pragma acc data copyin(a)
    {
        a[1] = 1000;
        #pragma acc serial firstprivate(a) copyout(out[0:1])
        { a[2] = 1; out[0] = a[1] + a[2]; }
    }
    bad += out[0] != 1001 || a[2] != 6;
    /* in a queue: those of now */
    #pragma acc enter data create(out)
    #pragma acc parallel loop firstprivate(a) present(out) async(1)
    for (int i = 0; i < N; i++) out[i] = a[i];
    a[1] = 5;
    #pragma acc wait(1)
    #pragma acc exit data copyout(out)
    bad += out[1] != 1000;
    /* sections */
    int *q = malloc(N * sizeof *q), lo = 3;
    for (int i = 0; i < N; i++) q[i] = i * i;
    #pragma acc parallel loop firstprivate(q[lo:n-lo]) copyout(out)
    for (int i = 0; i < N; i++) out[i] = i < lo ? -1 : q[i];
    for (int i = 0; i < N; i++) bad += out[i] != (i < lo ? -1 : i * i);
    #pragma acc parallel num_gangs(4) firstprivate(q[3:n-77]) copyout(out)
    {
        q[7] = 0;
        #pragma acc loop gang
        for (int i = 0; i < N; i++) out[i] = q[3 + i % 20];
    }
    for (int i = 0; i < N; i++) { int k = 3 + i % 20; bad += out[i] != (k == 7 ? 0 : k * k); }
    bad += q[7] != 49;
    free(q);
    return bad;
}

/* Of a size of the run time: one for each gang, whose threads all see it; one for each iteration; a local array. */
static int run_time_sizes(int n)
{
    int bad = 0;
    double *a = malloc((10 * n + 1) * sizeof *a), *b = malloc((10 * n + 1) * sizeof *b);
    double *c = malloc((n + 1) * sizeof *c), *e = malloc((10 * n + 1) * sizeof *e), d[10] = {0};
    for (int i = 0; i < 10 * n; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }
    for (int i = 0; i <= n; i++)
        c[i] = -1;
    #pragma acc parallel num_gangs(10) private(c[0:n]) copyin(a[0:10*n], b[0:10*n]) copy(d)
    {
        #pragma acc loop gang
        for (int x = 0; x < 10; x++) {
            #pragma acc loop worker
            for (int y = 0; y < n; y++)
                c[y] = a[x * n + y] + b[x * n + y];
            #pragma acc loop seq
            for (int y = 0; y < n; y++)
                d[x] += c[y];
        }
    }
    for (int x = 0; x < 10; x++) {
        double sum = 0;
        for (int y = 0; y < n; y++)
            sum += a[x * n + y] + b[x * n + y];
        bad += sum != d[x];
    }
    for (int i = 0; i <= n; i++)
        c[i] = -1;
    #pragma acc parallel num_gangs(3) firstprivate(c[0:n]) copyout(e[0:10*n])
    {
        for (int y = 0; y < n; y += 2)
            c[y] = y;
        #pragma acc loop gang
        for (int x = 0; x < 10; x++) {
            #pragma acc loop vector
            for (int y = 0; y < n; y++)
                e[x * n + y] = c[n - 1 - y] + x;
        }
    }
    for (int x = 0; x < 10; x++)
        for (int y = 0; y < n; y++)
            bad += e[x * n + y] != ((n - 1 - y) % 2 ? -1 : n - 1 - y) + x;
    #pragma acc parallel loop private(c[1:n]) copyout(d)
    for (int x = 0; x < 10; x++) {
        for (int y = 1; y <= n; y++)
            c[y] = x * y;
        double t = 0;
        for (int y = n; y >= 1; y--)
            t = t * 0.5 + c[y];
        d[x] = t;
    }
    for (int x = 0; x < 10; x++) {
        double t = 0;
        for (int y = n; y >= 1; y--)
            t = t * 0.5 + x * y;
        bad += t != d[x];
    }
    #pragma acc parallel loop copyout(d)
    for (int x = 0; x < 10; x++) {
        double v[n + 1];
        struct point w[n + 1];
        for (int y = 0; y <= n; y++) {
            v[y] = x * y;
            w[y].n = y;
        }
        double t = 0;
        for (int y = n; y >= 0; y--)
            t = t * 0.5 + v[y] + w[y].n;
        d[x] = t;
    }
    for (int x = 0; x < 10; x++) {
        double t = 0;
        for (int y = n; y >= 0; y--)
            t = t * 0.5 + x * y + y;
        bad += t != d[x];
    }
#ifdef _OPENACC
    for (int i = 0; i <= n; i++)
        bad += c[i] != -1;
#endif
    free(a);
    free(b);
    free(c);
    free(e);
    return bad;
}

/* More than the block's memory holds. */
static int large(void)
{
    enum { M = 6001, R = 2000 };
    struct record {
        int a;
        double d[3];
    } r[R];
    static double out[10 * M];
    double c[M];
    float small[100];
    int bad = 0;
    for (int i = 0; i < M; i++)
        c[i] = -i;
    for (int i = 0; i < R; i++)
        r[i].d[1] = i;
    #pragma acc parallel num_gangs(4) firstprivate(c, r) private(small) copyout(out)
    {
        for (int y = 0; y < M; y += 2)
            c[y] = y;
        for (int y = 0; y < 100; y++)
            small[y] = y;
        for (int y = 0; y < R; y++)
            r[y].a = y;
        #pragma acc loop gang
        for (int x = 0; x < 10; x++) {
            #pragma acc loop vector
            for (int y = 0; y < M; y++)
                out[x * M + y] = c[M - 1 - y] + x + small[y % 100] + r[y % R].a + r[y % R].d[1];
        }
    }
    for (int x = 0; x < 10; x++)
        for (int y = 0; y < M; y++)
            bad += out[x * M + y] != ((M - 1 - y) % 2 ? -(M - 1 - y) : M - 1 - y) + x + y % 100 + 2 * (y % R);
    return bad;
}

int main(void)
{
    static const int sizes[] = {0, 1, 2, 31, 97, 128};
    int bad = 0;
    /* Without directives there are no copies. */
#ifdef _OPENACC
    bad += first_values();
#endif
    for (int i = 0; i < 6; i++)
        bad += run_time_sizes(sizes[i]);
    bad += large();
    printf("%d\n", bad);
    return bad != 0;
}

/* Complex numbers in device code: arithmetic, variables, arrays, members, functions, private copies and sums (C11 6.2.5, OpenACC 3.3 2.5.15). */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 97 };

struct pair {
    int n;
    float _Complex z;
    double _Complex w[2];
};

static double _Complex square_plus(double _Complex z, double _Complex c)
{
    z *= z;
    return z + c;
}

static int escape(double re, double im)
{
    double _Complex z = 0, c = re + im * I;
    int n = 0;
    while (n < 50 && creal(z) * creal(z) + cimag(z) * cimag(z) < 4.0) {
        z = square_plus(z, c);
        n++;
    }
    return n;
}

static void show(const char *what, double _Complex z)
{
    printf("%s %.9g %.9g\n", what, creal(z), cimag(z));
}

static void arithmetic(void)
{
    double _Complex a[N], b[N], out[8][N];
    float _Complex f[N], g[N];
    double sizes[N], angles[N];
    int flags[N];
    for (int i = 0; i < N; i++) {
        a[i] = i - 48 + (i % 7) * I;
        b[i] = (i % 5) - 2.25 + (i % 11 - 5) * 0.5 * I;
        f[i] = i * 0.25f - i % 3 * 1.0iF;
    }
    double _Complex unit = I, scale = 2 - 3 * I;
    #pragma acc parallel loop copyin(a, b, f) copyout(out, g, sizes, angles, flags)
    for (int i = 0; i < N; i++) {
        double _Complex t = a[i];
        out[0][i] = a[i] + b[i] - 1;
        out[1][i] = a[i] * b[i] * unit;
        out[2][i] = a[i] / b[i];
        out[3][i] = -conj(t) + ~b[i];
        t += b[i];
        t *= 2;
        t -= scale;
        t /= 4 + 0.5 * I;
        out[4][i] = t;
        out[5][i] = i % 2 ? a[i] : (double _Complex)f[i];
        out[6][i] = (t = b[i], t * creal(t) + cimag(t));
        double r = 1.5;
        r += t;
        out[7][i] = r + (t != 0) + (a[i] == t) + (int)(creal(a[i]));
        g[i] = f[i] * (1 + 2.0iF) + b[i];
        sizes[i] = cabs(a[i]);
        angles[i] = carg(a[i]);
        flags[i] = !t + (a[i] && b[i]) * 2;
    }
    double _Complex sum[8] = {0};
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < N; i++)
            sum[k] += out[k][i] * (1 + i % 3);
    for (int k = 0; k < 8; k++)
        show("out", sum[k]);
    double size = 0, angle = 0;
    int flag = 0;
    float _Complex single = 0;
    for (int i = 0; i < N; i++)
        size += sizes[i], angle += angles[i], flag += flags[i] * i, single += g[i];
    printf("%.9g %.9g %d\n", size, angle, flag);
    show("single", single);
}

static void objects(int n)
{
    struct pair pairs[N], *p = malloc((n + 1) * sizeof *p);
    double _Complex (*rows)[3] = malloc((n + 1) * sizeof *rows), table[4][2] = {{1, I}, {2, 2 * I}, {3}, {4 + I, 5}};
    for (int i = 0; i < N; i++)
        pairs[i] = (struct pair){i, i * 0.5f, {i, I}};
    for (int i = 0; i < n; i++) {
        p[i] = pairs[i];
        for (int j = 0; j < 3; j++)
            rows[i][j] = 0;
    }
    double _Complex shift = 3 + 4 * I, private = 9;
    #pragma acc parallel loop copy(p[0:n], rows[0:n]) copyin(table) firstprivate(shift) private(private)
    for (int i = 0; i < n; i++) {
        double _Complex own[3] = {1, [2] = 2 * I};
        p[i].z += 1.0iF;
        p[i].w[1] = p[i].w[0] * shift;
        private = p[i].w[1] + table[i % 4][i % 2];
        for (int j = 0; j < 3; j++) {
            own[j] += private;
            rows[i][j] = own[j] * (j + 1);
        }
    }
    double _Complex all = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3; j++)
            all += rows[i][j] + p[i].z + p[i].w[1] * p[i].n;
    show("objects", all);
    free(p);
    free(rows);
}

static void sums(int n)
{
    double _Complex *a = malloc((n + 1) * sizeof *a), total = 10 + 10 * I, t;
    float _Complex single = 1;
    double real = 0;
    for (int i = 0; i < n; i++)
        a[i] = i * 0.5 - i * I;
    #pragma acc parallel loop reduction(+: total, single, real) copyin(a[0:n])
    for (int i = 0; i < n; i++) {
        total += a[i];
        single += (float _Complex)a[i] * 0.5f;
        real += cimag(a[i]);
    }
    show("sum", total);
    show("sum", single);
    printf("%g\n", real);
    #pragma acc parallel copyin(a[0:n]) copy(total)
    {
        #pragma acc loop reduction(+: total) private(t)
        for (int i = 0; i < n; i++) {
            t = a[i];
            total = total + conj(t);
        }
    }
    show("sum", total);
    #pragma acc kernels copyin(a[0:n])
    for (int i = 0; i < n; i++)
        total -= a[i];
    show("kernels", total);
    free(a);
}

int main(void)
{
    int counts[32 * 32], all = 0;
    #pragma acc parallel loop collapse(2) copyout(counts)
    for (int y = 0; y < 32; y++)
        for (int x = 0; x < 32; x++)
            counts[y * 32 + x] = escape(x / 16.0 - 1.5, y / 16.0 - 1.0);
    for (int i = 0; i < 32 * 32; i++)
        all += counts[i] * (i % 10);
    printf("%d\n", all);
    arithmetic();
    static const int sizes[] = {0, 1, 31, N};
    for (int i = 0; i < 4; i++) {
        objects(sizes[i]);
        sums(sizes[i]);
    }
    return 0;
}

/* What C99's math.h has beyond the functions that are operations: parts of numbers, remainders, gamma, error and Bessel functions. Values
 * are printed to fewer digits than they are right to. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>

#define N 24

static double clean(double x)
{
    return fabs(x) < 1e-13 ? 0 : x;
}

/* NaNs have signs that say nothing. */
static double plain(double x)
{
    return x != x ? fabs(x) : x;
}

int main(void)
{
    static double x[N], y[N], r[N][16], b[N][8], whole[N], s[N], c[N];
    static float f[N][16], wholef[N];
    static int k[N][10];
    for (int i = 0; i < N; i++) {
        x[i] = (i - 9) * 0.7 + 0.013 * i * i;
        y[i] = (i % 5 - 2) * 0.37 + 0.01;
    }
    x[0] = 0;
    x[1] = INFINITY;
    x[2] = 1e-310;
    x[3] = -1e300;
    x[4] = 30.5;
    x[5] = 65.25;

    #pragma acc parallel loop copyin(x, y) copyout(r, b, f, k, whole, wholef, s, c)
    for (int i = 0; i < N; i++) {
        double v = x[i], a = fabs(v);
        k[i][1] = k[i][7] = 0;
        float vf = (float)v, af = fabsf(vf);
        r[i][0] = logb(v);
        r[i][1] = frexp(v, &k[i][0]);
        r[i][2] = ldexp(v, i * 90 - 1000);
        r[i][3] = scalbn(v, -1060 + i);
        r[i][4] = scalbln(v, 5000000000 - i * 500000000l);
        r[i][5] = modf(v, &whole[i]);
        r[i][6] = nextafter(v, y[i]);
        r[i][7] = remainder(v, y[i]);
        r[i][8] = remquo(v, 0.3, &k[i][1]);
        r[i][9] = asinh(v);
        r[i][10] = acosh(1 + a);
        r[i][11] = atanh(v / (1 + a));
        r[i][12] = erfc(v);
        r[i][13] = tgamma(v);
        r[i][14] = lgamma_r(v, &k[i][2]);
        r[i][15] = lgamma(a + 0.3);
        sincos(a < 1e10 ? v : 1, &s[i], &c[i]);
        b[i][0] = clean(j0(v));
        b[i][1] = clean(j1(v));
        b[i][2] = clean(jn(3, v));
        b[i][3] = clean(jn(-11, v));
        b[i][4] = a > 1e200 ? 0 : y0(a + 0.1);
        b[i][5] = a > 1e200 ? 0 : y1(a + 0.1);
        b[i][6] = a > 1e200 ? 0 : yn(4, a + 0.1);
        b[i][7] = a > 1e200 ? 0 : yn(-3, a + 0.1);
        k[i][3] = ilogb(v);
        k[i][4] = fpclassify(v) * 10 + (isnormal(v) != 0);
        k[i][5] = fpclassify(vf) * 10 + (isnormal(vf) != 0);
        f[i][0] = logbf(vf);
        f[i][1] = frexpf(vf, &k[i][6]);
        f[i][2] = ldexpf(vf, i * 10 - 140);
        f[i][3] = modff(vf, &wholef[i]);
        f[i][4] = nextafterf(vf, 2);
        f[i][5] = remainderf(vf, 0.7f);
        f[i][6] = asinhf(vf);
        f[i][7] = acoshf(1 + af);
        f[i][8] = atanhf(vf / (1 + af));
        f[i][9] = erfcf(vf);
        f[i][10] = tgammaf(vf);
        f[i][11] = lgammaf(af + 0.5f);
        f[i][12] = af > 1e30f ? 0 : j0f(vf);
        f[i][13] = af > 1e30f ? 0 : y1f(af + 0.5f);
        f[i][14] = af > 1e30f ? 0 : jnf(2, vf);
        f[i][15] = remquof(vf, 0.25f, &k[i][7]);
        k[i][8] = __builtin_parity(i * 77) + 10 * __builtin_ffs(i * 8) + 1000 * __builtin_clrsb(i * 1000 - 9000);
        k[i][9] = (int)(__builtin_bswap32(i * 12345u) ^ __builtin_bswap64(i * 123456789012345ull) ^ __builtin_bswap16(i * 300));
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < 9; j++)
            printf("%a ", plain(r[i][j]));
        for (int j = 9; j < 16; j++)
            printf("%.12g ", plain(r[i][j]));
        for (int j = 0; j < 8; j++)
            printf("%.10g ", plain(b[i][j]));
        printf("%g %g %.13g %.13g |", whole[i], wholef[i], s[i], c[i]);
        for (int j = 0; j < 16; j++)
            printf(j < 6 || j > 14 ? "%a " : "%.5g ", plain(f[i][j]));
        for (int j = 0; j < 10; j++)
            printf("%d ", k[i][j]);
        printf("\n");
    }
    return 0;
}

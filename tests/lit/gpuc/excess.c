// RUN: gpuc -fopenacc -fopenmp -Minfo -c %s -o %t.o 2>&1 | FileCheck %s
/* What directives move more than planned transfers would; nothing is said where that is not sure. */
#include <stdio.h>
#include <stdlib.h>
#define N 1000
void other(double *);
static double file[N];

/* Each round of a loop moves what stays the same on one side. */
// CHECK: {{^}}rounds:
// CHECK: a[0:n] goes to the device, 8 * n bytes, though its values are there already in all rounds but the first of the loop in line [[@LINE+12]]: planned transfers would not move it
// CHECK: b[0:n] goes to the device, 8 * n bytes, though its values are there already in all rounds but the first of the loop in line [[@LINE+11]]:
// CHECK: b[0:n] comes back, 8 * n bytes, though the host does not look at it before it comes back again or is gone in all rounds but the last of the loop in line [[@LINE+10]]:
double rounds(int n, int rounds)
{
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    if (!a || b == NULL)
        return 0;
    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[i] = 0;
    }
    for (int t = 0; t < rounds; t++) {
        #pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
        for (int i = 0; i < n; i++)
            b[i] += a[i];
    }
    double last = b[n - 1];
    free(a);
    free(b);
    return last;
}

/* The same in OpenMP: of one matrix nothing changes, at another one nobody looks. */
// CHECK: {{^}}sides:
// CHECK: x comes back, 4,000,000 bytes, though nothing there has changed it: planned transfers would not move it
// CHECK: z[0:n] comes back, 4,000 * n bytes, though the host does not look at it before it comes back again or is gone:
// CHECK: w[1:9] goes to the device, 36 bytes, though nothing there uses it before it goes there again:
float sides(int n)
{
    float x[N][N], y[N], z[n][N], w[N];
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            x[i][j] = i;
        w[i] = z[n - 1][i] = i;
    }
    #pragma omp target teams distribute parallel for map(tofrom: x, z[0:n]) map(from: y)
    for (int i = 0; i < N; i++) {
        y[i] = x[i][3] + z[0][i];
        z[0][i] = 1;
    }
    #pragma omp target enter data map(to: w[1:9])
    float sum = x[1][1] + y[2];
    #pragma omp target exit data map(release: w[1:9])
    return sum;
}

/* What callers have there does not move; that is said. What they are given back is needed, the last time. */
// CHECK: {{^}}callers:
// CHECK: c[0:64] goes to the device unless a caller has it there, 256 bytes, though its values are there already in all rounds but the first of the loop in line {{[0-9]+}}:
// CHECK: c[0:64] comes back unless a caller has it there, 256 bytes, though the host does not look at it before it comes back again or is gone in all rounds but the last of the loop in line {{[0-9]+}}:
void callers(int rounds, float *restrict c)
{
    while (rounds-- > 0) {
        #pragma acc parallel loop copy(c[0:64])
        for (int i = 0; i < 64; i++)
            c[i] += 1;
    }
}

/* What the host does in some rounds only, jumps, other names, changing sections, functions that may do anything, conditions. */
// CHECK-NOT: though
double unsure(int n, int rounds, double *p, double *restrict q)
{
    double a[N], b[N], c[N], d[N], e[N], f[N];
    double *name = c;
    for (int i = 0; i < N; i++)
        a[i] = b[i] = d[i] = e[i] = f[i] = name[i] = i;
    #pragma acc data copyin(a)
    for (int t = 0; t < rounds; t++) {
        if (t % 3 == 0)
            a[t] = 1;
        #pragma acc parallel loop copyout(b)
        for (int i = 0; i < N; i++)
            b[i] = a[i];
        #pragma acc update device(a)
        if (t == n)
            break;
        printf("%g\n", b[0]);
    }
    for (int t = 0; t < rounds; t++) {
        #pragma acc parallel loop copy(c, p[0:n], file)
        for (int i = 0; i < n; i++)
            c[i] += p[i] + file[i]++;
        other(p);
        name[1] = 0;
    }
    for (int t = 0; t < rounds; t++) {
        int m = n - t;
        #pragma acc parallel loop copyin(q[0:m]) copy(d[0:m])
        for (int i = 0; i < m; i++)
            d[i] += q[i];
    }
    #pragma acc data copy(e)
    {
        if (rounds > 3) {
            #pragma acc parallel loop
            for (int i = 0; i < N; i++)
                e[i] += 1;
        }
    }
    return b[3] + c[3] + d[3] + e[3];
}

void conditions(int rounds, float *restrict c)
{
    for (int t = 0; t < rounds; t++) {
        #pragma acc parallel loop copy(c[0:64]) if(rounds > 3)
        for (int i = 0; i < 64; i++)
            c[i] += 1;
    }
}

/* A function that is called has directives of its own. */
static void inner(double *a)
{
    #pragma acc parallel loop present(a[0:N])
    for (int i = 0; i < N; i++)
        a[i] += 1;
}

double outer(void)
{
    double a[N];
    for (int i = 0; i < N; i++)
        a[i] = i;
    #pragma acc data copy(a)
    inner(a);
    return a[2];
}
// CHECK-NOT: though

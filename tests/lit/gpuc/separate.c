// Device functions of another file: linked when a kernel is first launched, also where the other file has nothing else for the
// device, and static functions have the same names. One that nobody has is named with its call.
// RUN: gpuc -DMAIN -c %s -o %t.main.o
// RUN: gpuc -c %s -o %t.other.o
// RUN: gpuc %t.main.o %t.other.o -o %t.program
// RUN: env GPUC_DEVICE=sim %t.program 2>&1 | FileCheck %s
// RUN: gpuc -O0 -DMAIN -c %s -o %t.main0.o
// RUN: gpuc -O0 -c %s -o %t.other0.o
// RUN: gpuc %t.other0.o %t.main0.o -o %t.program0
// RUN: env GPUC_DEVICE=sim %t.program0 2>&1 | FileCheck %s
// RUN: env GPUC_DEVICE=host %t.program 2>&1 | FileCheck %s
// RUN: cc -w -c %s -o %t.host.o
// RUN: gpuc %t.main.o %t.host.o -o %t.missing
// RUN: not env GPUC_DEVICE=sim %t.missing 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: gpuc -c -Minfo %s -o %t.other.o 2>&1 | FileCheck %s --check-prefix=INFO
// RUN: not gpuc -DBAD -c %s -o %t.bad.o 2>&1 | FileCheck %s --check-prefix=BAD
#ifdef MAIN
#include <stdio.h>

#pragma acc routine seq
double polynomial(double x, int n);
#pragma acc routine seq
void fill(double *row, int n, double with);
#pragma acc routine vector
double total(const double *row, int n);
#pragma acc routine seq
int back(int n);
#pragma acc routine seq
const char *name(int which);

static int helper(int x) { return x + 1; }

// MISSING: error: device code of {{.*}}separate.c calls `back`, which no file of the program has for the device
// MISSING-NEXT: separate.c:[[@LINE+2]]
#pragma acc routine seq
int forth(int n) { return n <= 0 ? helper(0) : back(n - 1); }

int main(void)
{
    enum { N = 40, M = 16 };
    static double m[N][M], s[N], p[N];
    static int b[N];
    #pragma acc parallel loop gang copyout(m, s, p, b)
    for (int i = 0; i < N; i++) {
        fill(m[i], M, i);
        s[i] = total(m[i], M);
        p[i] = polynomial(i * 0.5, 4);
        b[i] = forth(i);
    }
    // CHECK: 40 568 261 1
    printf("%g %g %g %d\n", m[28][3], s[28], p[28], b[28]);
    // CHECK-NEXT: second
    #pragma acc serial
    printf("%s\n", name(1));
    return 0;
}
#elif defined(BAD)
struct pair { int a, b; };
#pragma acc routine seq
int sum(struct pair p);
static int all(struct pair p, int n) { return n ? all(p, n - 1) + p.a : p.b; }
int count;
static int counted(int n) { return n ? counted(n - 1) : count; }

void bad(int n, int *x, struct pair p)
{
    // BAD: error[GPUC0005]: `sum` stays a call in device code, and is given a structure or a complex number
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) x[i] = sum(p);
    // BAD: error[GPUC0005]: `all` stays a call in device code, and is given a structure or a complex number
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) x[i] = all(p, i);
    // BAD: error[GPUC0005]: `count`, a variable of the file, is used in a function that stays a call
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) x[i] = counted(i);
}
#else
static double helper(double x) { return x * x; }

#pragma acc routine seq
double polynomial(double x, int n)
{
    double r = 0;
    for (int i = 0; i < n; i++)
        r = r * x + helper(i);
    return r;
}

#pragma acc routine seq
void fill(double *row, int n, double with)
{
    while (n-- > 0)
        *row++ = with + n;
}

#pragma acc routine vector
double total(const double *row, int n)
{
    double sum = 0;
    // INFO: calls of `total` from other files execute its loops with one lane
    #pragma acc loop vector reduction(+: sum)
    for (int i = 0; i < n; i++)
        sum += row[i];
    return sum;
}

// MISSING: error: device code of {{.*}}separate.c calls `back`, which no file of the program has for the device
// MISSING-NEXT: separate.c:[[@LINE+2]]
#pragma acc routine seq
int forth(int n);

#pragma acc routine seq
int back(int n)
{
    return n <= 0 ? 2 : forth(n - 1);
}

#pragma acc routine seq
const char *name(int which)
{
    return which ? "second" : "first";
}

long calls;
#pragma acc routine seq
int counting(int n)
{
    // INFO: `calls`, a variable of the file, is used in a function that stays a call
    return n + calls;
}
#endif

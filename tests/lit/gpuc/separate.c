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
// RUN: gpuc -DMAIN -c %s -o %t.main.o 2>&1 | FileCheck %s --check-prefix=LANE
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
typedef struct { double x, y; char tag[3]; } point;
#pragma acc routine seq
point moved(point from, double by, _Complex double turn);
#pragma acc routine seq
_Complex double turned(_Complex double by, point from);

extern double table[5];
extern long calls;
#pragma acc declare create(table, calls)
#pragma acc routine seq
double looked_up(int at, int depth);

static int helper(int x) { return x + 1; }
static int weight = 10, own[3];
#pragma acc declare create(weight, own)
static int fall(int n) { own[n % 3] += weight; return n > 0 ? fall(n - 1) + weight : own[2]; }

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
        // LANE: warning{{.*}}: the loops of `total`, a function of another file, are executed by the lane that calls it
        // LANE-NEXT: separate.c:[[@LINE-2]]:16
        p[i] = polynomial(i * 0.5, 4);
        b[i] = forth(i);
    }
    // CHECK: 40 568 261 1
    printf("%g %g %g %d\n", m[28][3], s[28], p[28], b[28]);
    // CHECK-NEXT: second
    #pragma acc serial
    printf("%s\n", name(1));
    // Structures and complex numbers are copies, whatever their function does with them.
    static point from[N], to[N];
    static _Complex double z[N];
    for (int i = 0; i < N; i++)
        from[i] = (point){i, -i, {1, i, 3}};
    #pragma acc parallel loop copyin(from) copyout(to, z)
    for (int i = 0; i < N; i++) {
        point p = from[i];
        to[i] = moved(moved(p, 1, 2), p.x, p.y);
        z[i] = turned(p.x + 2i, to[i]);
    }
    // CHECK-NEXT: 75 -1404 1 37 10 -38 3
    printf("%g %g %d %d %d", to[37].x, to[37].y, to[37].tag[0], to[37].tag[1] - 2, to[37].tag[2] + 3);
    printf(" %g %g\n", __real__ z[37], __imag__ z[37]);
    // Variables of a file that are on the device as long as the program runs.
    static double found[N];
    static int fallen[N];
    for (int round = 1; round < 3; round++) {
        for (int i = 0; i < 5; i++)
            table[i] = i * round;
        calls = 100 * round;
        weight = round;
        #pragma acc update device(table, calls, weight)
        #pragma acc parallel loop copyout(found)
        for (int i = 0; i < N; i++)
            found[i] = looked_up(i, i % 4);
        #pragma acc serial copyout(fallen)
        {
            own[0] = own[1] = own[2] = 0;
            for (int i = 0; i < N; i++)
                fallen[i] = fall(i % 4);
        }
        #pragma acc update self(own)
        // CHECK-NEXT: 208 314 23 100
        // CHECK-NEXT: 416 628 46 200
        printf("%g %g %d %d\n", found[2], found[39], fallen[39], own[0] + own[1] + own[2]);
    }
    return 0;
}
#elif defined(BAD)
#pragma acc routine seq
int sum(long double p);
static long double all(int n) { return n ? all(n - 1) : 1; }
int count;
static int counted(int n) { return n ? counted(n - 1) : count; }

void bad(int n, int *x)
{
    // BAD: error[GPUC0005]: `sum` stays a call in device code, and is given a `long double`
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) x[i] = sum(i);
    // BAD: error[GPUC0005]: `long double` is not supported in device code
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) x[i] = all(i);
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

typedef struct { double x, y; char tag[3]; } point;
#pragma acc routine seq
point moved(point from, double by, _Complex double turn)
{
    point to = from;
    from.x = by * __real__ turn;
    to.x += by;
    to.y += from.x - __imag__ turn;
    for (int i = 0; i < 3; i++)
        to.tag[i] += i;
    return to;
}

#pragma acc routine seq
_Complex double turned(_Complex double by, point from)
{
    by -= from.x;
    from.y = 0;
    return by + from.tag[0] * 1i + from.y;
}

double table[5];
long calls;
static int scale = 3;
#pragma acc declare create(table, calls) copyin(scale)
#pragma acc routine seq
double looked_up(int at, int depth)
{
    return depth ? looked_up(at, depth - 1) + calls : table[at % 5] * scale + table[2];
}

long uses;
#pragma acc routine seq
int counting(int n)
{
    // INFO: `uses`, a variable of the file, is used in a function that stays a call
    return n + uses;
}
#endif

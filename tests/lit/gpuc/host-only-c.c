// What gpuc does not read, in functions without directives, is the host's until a region calls it.
// RUN: gpuc run -Wno-small-region --device=sim %s 2>&1 | FileCheck %s
// RUN: not gpuc -DCALL -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=CALL
// RUN: not gpuc -DINSIDE -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=INSIDE
// RUN: not gpuc -DWRONG -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WRONG
// CHECK-NOT: warning
// CHECK: 7 1 6
extern int printf(const char *, ...);

static int nested(int k)
{
    int add(int x) { return x + k; }
    return add(4);
}

static int decimal(void)
{
    _Decimal64 d = 1.5DD;
    return (int)d;
}

#ifdef WRONG
static int wrong(void)
{
    // WRONG: error: `missing` is not declared
    return missing;
}
#endif

int main(void)
{
    int a[4];
#ifdef INSIDE
    // INSIDE: error: the type `_Decimal64` is not supported
    _Decimal64 inside;
#endif
    #pragma acc parallel loop
    for (int i = 0; i < 4; i++)
#ifdef CALL
        // CALL: error[GPUC0005]: `nested` is not supported in device code
        // CALL: functions within functions are not supported
        a[i] = nested(i);
#else
        a[i] = 2 * i;
#endif
    printf("%d %d %d\n", nested(3), decimal(), a[3]);
    return 0;
}

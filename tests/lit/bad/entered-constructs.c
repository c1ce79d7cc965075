// A construct is entered at its beginning: jumps into its statement are refused where they start.
// RUN: not gpuc -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not gpuc -DDATA -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=DATA
// RUN: gpuc -DGOOD -c %s -o %t.o

int f(int n, int *a)
{
#if defined GOOD
    if (n > 3)
        goto ahead;
    if (n > 2)
        goto behind;
ahead:
    #pragma acc parallel copy(a[0:n])
    {
        a[0] = 1;
    }
    #pragma acc data copy(a[0:n])
    {
        if (n > 1)
            goto within;
        n++;
    within:
        n++;
    }
behind:
#elif !defined DATA
    // CHECK: error: a jump to `inside` enters the statement of `parallel`
    // CHECK-NEXT: --> tests/lit/bad/entered-constructs.c:[[@LINE+4]]:9
    // CHECK: help: a construct is entered at its beginning: put the label in front of it
    // CHECK: note: the construct begins here
    if (n > 3)
        goto inside;
    #pragma acc parallel copy(a[0:n])
    {
    inside:
        a[0] = 1;
    }
#else
    static void *place;
    #pragma acc data copy(a[0:n])
    {
    inside:
        n++;
    }
    // DATA: error: a jump to `inside` enters the statement of `data`
    place = &&inside;
    // DATA: error: a jump to `inside` enters the statement of `data`
    if (n < 3)
        goto inside;
    if (n < 9)
        goto *place;
#endif
    return n;
}

// A construct with data on the device is left at its end: its data would stay there.
// RUN: not gpuc -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: gpuc -DGOOD -c %s -o %t.o

int f(int n, int *a)
{
    #pragma acc data copy(a[0:n])
    {
        for (int i = 0; i < n; i++) {
            if (a[i] == 3)
                continue;
            if (a[i] > 5)
                break;
        }
        if (n > 7)
            goto last;
        n--;
    last:
        n++;
#ifndef GOOD
        // CHECK: error: `return` leaves the statement of `data`
        // CHECK-NEXT: --> tests/lit/bad/left-constructs.c:[[@LINE+3]]:20
        // CHECK: help: a construct is left at its end: go there, and jump behind it
        // CHECK: note: the construct begins here
        if (n < 0) return 1;
#endif
    }
    while (n > 0) {
        #pragma acc host_data use_device(a)
        {
            switch (n) {
            case 3: n = 2; break;
            default:
#ifndef GOOD
                // CHECK: error: `continue` leaves the statement of `host_data`
                continue;
#endif
                break;
            }
#ifndef GOOD
            // CHECK: error: `break` leaves the statement of `host_data`
            break;
#endif
        }
        n--;
    }
#ifndef GOOD
    #pragma acc data copy(a[0:n])
    #pragma acc data copyin(n)
    {
        // CHECK: error: `goto` leaves the statement of `data`
        // CHECK-NEXT: --> tests/lit/bad/left-constructs.c:[[@LINE+1]]:9
        goto behind;
    }
    void *place = &&behind;
    #pragma acc data copy(a[0:n])
    {
        // CHECK: error: `goto` leaves the statement of `data`
        // CHECK-NEXT: --> tests/lit/bad/left-constructs.c:[[@LINE+1]]:9
        goto *place;
    }
#endif
behind:
    return n;
}

// Each access of a volatile object is one of the device's, in the program's order: none is merged with another, taken from
// one, moved out of a loop, made a part of a wider one or left out, and a loop whose iterations meet at one stays in order.
// RUN: gpuc -w --emit=ptx %s | FileCheck %s
// RUN: gpuc -w -Minfo -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=INFO
// RUN: gpuc check -w %s | FileCheck %s --check-prefix=RESULT
#include <stdio.h>

struct parts {
    volatile int first;
    int second;
    volatile _Bool flag;
    volatile unsigned low : 3;
    unsigned high : 5;
};

// CHECK-LABEL: .entry twice_
// CHECK: ld.volatile.global.u32
// CHECK: ld.volatile.global.u32
// CHECK: st.volatile.global.u32 {{.*}}, 1;
// CHECK: st.volatile.global.u32 {{.*}}, 2;
// CHECK: ld.volatile.global.u32
// CHECK-NOT: ld.volatile
// CHECK: st.global.u32
// CHECK: ld.volatile.global.u32
// CHECK-NOT: volatile
// CHECK: ret;
void twice(volatile int *p, int *q, int n)
{
    #pragma acc parallel loop copy(p[0:n], q[0:n])
    for (int i = 0; i < n; i++) {
        int a = p[i], b = p[i];
        p[i] = 1;
        p[i] = 2;
        q[i] = a + b + p[i];
        p[i];
    }
}

// CHECK-LABEL: .entry members_
// CHECK-COUNT-2: ld.volatile.global.u32
// CHECK: ld.volatile.global.u8
// CHECK: st.volatile.global.u8
// CHECK: ld.volatile.global.u8
// CHECK: st.volatile.global.u8
// CHECK: ret;
void members(struct parts *s, int n)
{
    #pragma acc parallel loop copy(s[0:n])
    for (int i = 0; i < n; i++) {
        s[i].second = s[i].first + s[i].first + s[i].second;
        s[i].flag = !s[i].flag;
        s[i].low = 5;
    }
}

// The loads next to each other are none of vectors, and the factor is read in each round.
// CHECK-LABEL: .entry rounds_
// CHECK-NOT: ld.volatile.global.v
// CHECK-NOT: ld.global.nc
// CHECK: $L
// CHECK: ld.volatile.global.f32
// CHECK: ld.volatile.global.f32
// CHECK: bra
// CHECK: ret;
void rounds(volatile float *a, volatile float *factor, float *sum, int n)
{
    #pragma acc parallel loop copyin(a[0:64 * n], factor[0:1]) copyout(sum[0:n])
    for (int i = 0; i < n; i++) {
        float s = 0;
        #pragma acc loop seq
        for (int j = 0; j < 64; j++)
            s += a[64 * i + j] * *factor;
        sum[i] = s;
    }
}

// INFO: Loop carried reuse of cell prevents parallelization
// INFO: the volatile access in line [[#@LINE+9]] touches the element of cell
// RESULT: 9900 99 5
int main(void)
{
    volatile int cell = 0, turn = 0;
    int out[100], sum = 0;
    #pragma acc kernels copy(cell) copyout(out)
    for (int i = 0; i < 100; i++) {
        // A plain variable would be each iteration's own.
        cell = i;
        out[i] = cell * 2;
    }
    for (int i = 0; i < 100; i++)
        sum += out[i];
    #pragma acc serial copy(turn)
    while (turn < 5)
        turn = turn + 1;
    struct parts s[4] = {{1, 2, 1, 7, 9}, {3, 4, 0, 1, 2}};
    members(s, 4);
    int p[3] = {1, 2, 3}, q[3];
    twice(p, q, 3);
    printf("%d %d %d\n", sum, cell, turn);
    printf("%d %d %d %d %d %d %d\n", s[0].second, s[0].flag, s[1].flag, s[0].low, s[0].high, p[2], q[2]);
    // RESULT-NEXT: 4 0 1 5 9 2 8
    return 0;
}

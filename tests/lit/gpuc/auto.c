// Nests without a directive: which are offloaded, which are left, and what the host asks for between them.
// RUN: gpuc --auto -Minfo --emit=host-c %s -o %t 2>&1 | FileCheck %s
// RUN: cat %t | FileCheck %s --check-prefix=HOST

#include <stdio.h>

static void fill(int n, double *a)
{
    for (int i = 0; i < n; i++)
        a[i] = i;
}

static volatile double watched;

int main(void)
{
    double a[100], b[100];
    fill(100, a);
    for (int i = 0; i < 100; i++)
        b[i] = 2 * a[i];
    for (int i = 1; i < 100; i++)
        a[i] = a[i - 1] * a[i - 1] + b[i];
    for (int i = 0; i < 100; i++)
        watched = a[i];
    printf("%g\n", b[7]);
    return 0;
}

// CHECK: fill:
// CHECK: 9, This nest runs on the device, where that is worth it
// CHECK: main:
// CHECK: 19, This nest runs on the device, where that is worth it
// CHECK: 21, This nest is left to the host: no loop of it is parallel
// CHECK: 23, This nest is left to the host: it uses what is volatile or atomic

// HOST: __gpuc_auto_begin(&__gpuc_image_0, &__gpuc_s0
// HOST: int main(void)
// HOST: __gpuc_life_ends
// HOST: double a[100], b[100];
// HOST: __gpuc_auto_begin(&__gpuc_image_0, &__gpuc_s1
// HOST: __gpuc_host(&(a[0]), 99ul * sizeof(a[0]), 0); __gpuc_host(&(a[1]), 99ul * sizeof(a[0]), 2); __gpuc_host(&(b[1]), 99ul * sizeof(b[0]), 0);
// HOST: __gpuc_host((const void *)0, 0ul, 1);
// HOST: watched = a[i];
// HOST-NOT: __gpuc_host(
// HOST: printf

// Which loops persist in one block, with how many threads and for which sizes.
// RUN: gpuc --arch=sm_90 --emit=plan %s -o - | FileCheck %s
// RUN: gpuc --arch=sm_90 -Minfo -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: gpuc --arch=sm_90 --emit=host-c %s -o - | FileCheck %s --check-prefix=HOST
float a[700], b[700], c[4000000], d[4000000];

#define STEPS(to, from, n)                             \
    for (int t = 0; t < 50; t++) {                     \
        for (int i = 1; i < (n) - 1; i++)              \
            to[i] = 0.5f * (from[i - 1] + from[i + 1]); \
        for (int i = 1; i < (n) - 1; i++)              \
            from[i] = to[i] + 1;                       \
    }

// Sizes are known: launches are all that it would take.
// CHECK: kernel small
// CHECK: persist t over {{[0-9]+$}}
// SAID: Loop persists in one block of {{[0-9]+}} threads{{$}}
void small(void)
{
    #pragma acc kernels copy(a, b)
    STEPS(b, a, 700)
}

// One block would be busy for much longer than launches are.
// CHECK: kernel large
// CHECK-NOT: persist
// CHECK: launches t
// SAID: Loop does not persist in one block: its launches have 3999998 iterations on average, and it pays up to {{[0-9]+}}
void large(void)
{
    #pragma acc kernels copy(c, d)
    STEPS(d, c, 4000000)
}

// The host asks how many iterations launches would have, on average.
// CHECK: kernel unknown
// CHECK: persist t over {{[0-9]+}} where {{[0-9]+}} iterations
// CHECK-NEXT: launches t
// SAID: Loop persists in one block of {{[0-9]+}} threads, where its launches would have {{[0-9]+}} iterations at most on average
// SAID: Loop runs on the host: 2 launches a step
// HOST: unknown
// HOST: if ({{.*}} <= {{[0-9.e]+}})
void unknown(int n, float *restrict a, float *restrict b)
{
    #pragma acc kernels copy(a[0:n], b[0:n])
    STEPS(b, a, n)
}

// What the program says of who executes the iterations is done.
// CHECK: kernel said
// CHECK-NOT: persist
// CHECK: launches t
// SAID: Loop does not persist in one block: the program says who executes the iterations
void said(int n, float *restrict a, float *restrict b)
{
    #pragma acc kernels copy(a[0:n], b[0:n])
    for (int t = 0; t < 50; t++) {
        #pragma acc loop gang vector(64)
        for (int i = 1; i < n; i++)
            b[i] = a[i - 1];
        #pragma acc loop gang vector(64)
        for (int i = 1; i < n; i++)
            a[i] = b[i];
    }
}

// One thread would repeat what stands between, and a block wait for it.
// CHECK: kernel alone
// CHECK-NOT: persist
// CHECK: launches t
// SAID: Loop does not persist in one block: a block would wait for what one thread repeats in its steps
void alone(int n, float *restrict a, float *restrict b)
{
    #pragma acc kernels copy(a[0:n], b[0:n])
    for (int t = 0; t < 50; t++) {
        for (int i = 1; i < n; i++)
            b[i] = b[i - 1] * b[i - 1] + a[i];
        for (int i = 0; i < n; i++)
            a[i] = b[n - 1 - i];
    }
}

// How many steps there are, nobody knows; how large they are, the host does. A sum takes the block that comes last, so that blocks of a
// grid do not wait for each other.
// CHECK: kernel converges
// CHECK-NOT: blocks where
// CHECK: persist {{.*}} over {{[0-9]+}} where {{[0-9]+}} iterations
// CHECK-NEXT: launches
// SAID: Loop persists in one block of {{[0-9]+}} threads, where
int converges(int n, float least, float *restrict a, float *restrict b)
{
    float most = 2 * least;
    int steps = 0;
    #pragma acc kernels copy(a[0:n], b[0:n])
    while (most > least) {
        most = 0;
        for (int i = 1; i < n - 1; i++)
            b[i] = 0.5f * (a[i - 1] + a[i + 1]);
        for (int i = 1; i < n - 1; i++) {
            most = b[i] - a[i] > most ? b[i] - a[i] : most;
            a[i] = b[i];
        }
        steps++;
    }
    return steps;
}

// A block would have to share two dimensions at once: a grid can.
// CHECK: kernel both
// CHECK-NOT: over {{[0-9]+}} where
// CHECK: persist k over {{[0-9]+}} in 132 blocks where {{[0-9]+}} iterations
// CHECK: launches k
// SAID: Loop persists in 132 blocks of {{[0-9]+}} threads, which wait for each other, where
void both(int n, float a[n][n])
{
    #pragma acc kernels copy(a[0:n][0:n])
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k];
            for (int j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
        }
}

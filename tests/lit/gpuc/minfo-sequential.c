// Each loop of a construct has its line: on which axis it runs, or what keeps it in order and from where.
// RUN: gpuc -Minfo=accel -c %s -o %t.o 2>&1 | FileCheck %s
void f(int n, int m, int *restrict x, int *restrict y)
{
    // CHECK:      f:
    // CHECK-NEXT:     10, Generating copy(x[0:n], y[0:n])
    // CHECK-NEXT:         y[0:n] goes to the device {{.*}} though nothing there uses it before
    // CHECK-NEXT:         y[0:n] comes back {{.*}} though nothing there has changed it
    // CHECK-NEXT:         Generating GPU code
    #pragma acc parallel copy(x[0:n], y[0:n])
    {
        // CHECK-NEXT:     14, #pragma acc loop gang, vector(64) /* blockIdx.x threadIdx.x */
        #pragma acc loop gang vector
        for (int i = 0; i < n; i++) {
            int s = 0;
            // CHECK-NEXT:     18, Loop runs sequentially, as `loop` in line 17 says
            #pragma acc loop seq
            for (int j = 0; j < 3; j++)
                s ^= s << 1;
            // CHECK-NEXT:     21, Loop runs sequentially in each thread: no directive divides it
            for (int j = 0; j < m; j++)
                s = s * 5 + (s >> j);
            // CHECK-NEXT:     24, Loop runs sequentially in each thread: how often is known only when it ends
            while (s > 9)
                s = s > 1000 ? s / 2 : s - 3;
            x[i] += s;
        }
    }
    // CHECK-NEXT:     30, Generating copy(y[0:n])
    #pragma acc kernels copy(y[0:n]) copyin(x[0:n])
    {
        int k = 0;
        // CHECK:          34, Loop runs sequentially in one thread: how often is known only when it ends
        while (k < n) {
            y[k] = 2;
            k += x[k] > 0 ? x[k] : 1;
        }
    }
}

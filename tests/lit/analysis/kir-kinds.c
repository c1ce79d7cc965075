// Each kind of diKernel, and which of them keep the outermost loop from running in parallel.
// RUN: gpuc --emit=kir %s -o - | FileCheck %s
void kinds(int n, const int *restrict at, float *restrict a, float *restrict b, float *restrict c)
{
    float s = 0, r = 1;
#pragma acc data copy(a[0:n], b[0:n], c[0:n]) copyin(at[0:n])
    {
#pragma acc kernels
        for (int i = 0; i < n; i++)
            a[i] = 2 * b[i];
        // CHECK: 9: nest as diKernels, parallelizable
        // CHECK-NEXT: ES_for_i
        // CHECK-NEXT: K<a_10> regular assignment
#pragma acc kernels
        for (int i = 0; i < n; i++)
            c[at[i]] = b[i];
        // CHECK-NEXT: 15: nest as diKernels, not parallelizable
        // CHECK-NEXT: ES_for_i
        // CHECK-NEXT: K<c_16> irregular assignment, conflicts
#pragma acc kernels
        for (int i = 0; i < n; i++)
            c[at[i]] += b[i];
        // CHECK-NEXT: 21: nest as diKernels, parallelizable
        // CHECK-NEXT: ES_for_i
        // CHECK-NEXT: K<c_22> irregular reduction (+)
#pragma acc kernels
        for (int i = 1; i < n; i++)
            c[i] = c[i - 1] * b[i];
        // CHECK-NEXT: 27: nest as diKernels, not parallelizable
        // CHECK-NEXT: ES_for_i
        // CHECK-NEXT: K<c_28> regular recurrence, conflicts
#pragma acc kernels
        for (int i = 1; i < n; i++)
            c[at[i]] = c[at[i - 1]] * b[i];
        // CHECK-NEXT: 33: nest as diKernels, not parallelizable
        // CHECK-NEXT: ES_for_i
        // CHECK-NEXT: K<c_34> irregular recurrence, conflicts
#pragma acc kernels
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < 5; j++)
                s += b[i + j];
        }
        // CHECK-NEXT: 39: nest as diKernels, parallelizable
        // CHECK-NEXT: ES_for_i,j
        // CHECK-NEXT: K<s_41> scalar reduction (+)
#pragma acc kernels
        for (int i = 0; i < n; i++)
            r = r * b[i] + 1;
        // CHECK-NEXT: 47: nest as diKernels, not parallelizable
        // CHECK-NEXT: ES_for_i
        // CHECK-NEXT: K<r_48> scalar recurrence, conflicts
#pragma acc kernels
        for (int i = 0; i < n; i++) {
            float t[4];
            for (int j = 0; j < 4; j++)
                t[j] = b[i] + j;
            a[i] = t[0] + t[3];
            b[i] = a[i] + 1;
        }
        // What is local to an iteration is shaded; values flow through memory, too.
        // CHECK-NEXT: 53: nest as diKernels, parallelizable
        // CHECK-NEXT: ES_for_i
        // CHECK-NEXT: K<a_57> regular assignment from K<t_56>
        // CHECK-NEXT: K<b_58> regular assignment from K<a_57>
        // CHECK-NEXT: ES_for_j
        // CHECK-NEXT: [K<t_56>] regular assignment
    }
    a[0] = s + r;
}

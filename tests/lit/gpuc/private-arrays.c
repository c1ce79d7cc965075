// Arrays of which each gang or iteration has one, and whose size the host computes: memory of the device, one part for each.
// RUN: gpuc --emit=gpu %s -o - | FileCheck %s
// RUN: not gpuc -DUNKNOWN -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// One for each block, which its threads share.
// CHECK-LABEL: func.func @gangs_L
// CHECK: [[M:%[^ ]+]] = gpu.alloc
// CHECK: gpu.launch_func {{.*}}[[M]] : memref<?xf32>
// CHECK: gpu.dealloc [[M]]
// CHECK: gpu.func @gangs_L{{.*}}memref<?xf32> {offload.private_array = 0 : i64}
// CHECK: memref.alloca({{%[^ ]+}}) {offload.private_array = 0 : i64} : memref<?xf32>
void gangs(int n, float *t, float *restrict a)
{
    #pragma acc parallel num_gangs(4) private(t[0:n]) copy(a[0:8*n])
    {
        for (int j = 0; j < n; j++)
            t[j] = j;
        #pragma acc loop gang
        for (int i = 0; i < 8; i++) {
            #pragma acc loop vector
            for (int j = 0; j < n; j++)
                a[i * n + j] += t[n - 1 - j];
        }
    }
}

#ifdef UNKNOWN
void unknown(int n, float *a, const int *sizes)
{
    #pragma acc parallel loop copy(a[0:n]) copyin(sizes[0:n])
    for (int i = 0; i < n; i++) {
        // UNKNOWN: error: the size of this local array is not known when the region starts
        // UNKNOWN-NEXT: private-arrays.c:[[@LINE+1]]
        float t[sizes[i]];
        for (int k = 0; k < sizes[i]; k++)
            t[k] = k;
        for (int k = 0; k < sizes[i]; k++)
            a[i] += t[sizes[i] - 1 - k];
    }
}
#endif

// How many registers a thread may have is said by nvcc's option, and by nvc's: each kernel has it, in place of how many blocks share a
// multiprocessor.
// RUN: gpuc --maxrregcount=64 --emit=ptx %s -o - | FileCheck %s
// RUN: gpuc -maxrregcount 64 --emit=ptx %s -o - | FileCheck %s
// RUN: gpuc -gpu=cc80,maxregcount:64 --emit=ptx %s -o - | FileCheck %s
// RUN: gpuc --maxrregcount=64 --emit=gpu %s -o - | FileCheck %s --check-prefix=GPU
// RUN: not gpuc --maxrregcount=256 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=MANY
// CHECK-COUNT-2: .maxnreg 64
// CHECK-NOT: .minnctapersm
// GPU: nvvm.maxnreg = 64 : i64
// MANY: `256` is no number of registers (`--maxrregcount`)
// MANY: a thread has 16 to 255
void product(int n, float *restrict a, float *restrict b, float *restrict c)
{
    #pragma acc kernels copyin(a[0:n*n], b[0:n*n]) copy(c[0:n*n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

// What kernels are expected to take: which version the host starts for a size, and against what.
// RUN: gpuc --arch=sm_90 --emit=forecast --sizes=n=100 %s | FileCheck %s --check-prefix=SMALL
// RUN: gpuc --arch=sm_90 --emit=forecast --sizes=n=4096 %s | FileCheck %s --check-prefix=LARGE
// RUN: gpuc --arch=sm_90 -Minfo=forecast --sizes=n=4096 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=INFO
// RUN: gpuc --arch=sm_90 -Minfo=accel -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ACCEL
// RUN: not gpuc --emit=forecast --sizes=n %s 2>&1 | FileCheck %s --check-prefix=BAD
// SMALL: gpuc forecast 1 device H100 SXM5
// SMALL-NEXT: kernel product_L[[#]]_kernel line [[#]] us {{[0-9.]+}} not launches 1 blocks 1 threads 256
// SMALL: fallback_7_kernel {{.*}} chosen launches 1 {{.*}} for n=100 bound
// LARGE: kernel product_L[[#]]_kernel line [[#]] us {{[0-9.]+}} chosen launches 1 blocks 1024 threads 256 resident 2 registers 128 for n=4096 bound instruction issue
// LARGE-NOT: chosen
// INFO: Expected on H100 SXM5 for n = 4096: {{[0-9.]+}} us in 1024 blocks of 256 threads, bound by instruction issue at {{[0-9]+}} %; other versions
// ACCEL-NOT: Expected
// BAD: `n` gives no parameter a size
// BAD: several with commas
void product(int n, float a[restrict n][n], float b[restrict n][n], float c[restrict n][n])
{
#pragma acc kernels copyin(a [0:n] [0:n], b [0:n] [0:n]) copyout(c [0:n] [0:n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++)
        sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
}

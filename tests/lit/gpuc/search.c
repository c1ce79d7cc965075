// Plans that are expected to take less than the compiler's own are looked for with --search, and followed; what is said of it.
// RUN: gpuc --arch=sm_90 --search --sizes=n=90,steps=100 -Minfo=forecast -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=INFO
// RUN: gpuc --arch=sm_90 --search --sizes=n=90,steps=100 --emit=plan %s -o %t.plan
// RUN: FileCheck %s --check-prefix=PLAN < %t.plan
// RUN: gpuc --arch=sm_90 --emit=plan %s | FileCheck %s --check-prefix=OWN
// RUN: gpuc --arch=sm_90 --plan=%t.plan --search --sizes=n=90,steps=100 -Minfo=forecast -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=GIVEN
// RUN: gpuc --arch=sm_90 --search -Minfo=accel -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ACCEL
// RUN: gpuc run --device=sim --arch=sm_90 --search --sizes=n=90,steps=100 %s 2>/dev/null | FileCheck %s --check-prefix=RESULT
// RUN: gpuc tune --device=sim --arch=sm_90 --sizes=n=77,steps=9 --tuning=%t.tuning %s | FileCheck %s --check-prefix=TUNE
// INFO: sweeps:
// INFO: Search: 'block t by [[#]] over {{.*}} is expected to take {{[0-9.]+}} us, the compiler's own plan {{[0-9.]+}} us; {{[0-9]+}} others were looked at
// INFO-NOT: Search
// PLAN: kernel sweeps:[[#@LINE+16]]
// PLAN: block t by 8
// PLAN: kernel scale:
// OWN-NOT: block t by 8
// GIVEN-NOT: Search
// ACCEL-NOT: Search
// RESULT: the same
// TUNE: sweeps:[[#@LINE+9]]: candidate 8, {{[0-9.]+}} us expected, {{[0-9.]+}} us
// TUNE: written to
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void sweeps(int n, int steps, double a[restrict n][n], double b[restrict n][n])
{
  // Two sweeps a step.
#pragma acc kernels copy(a[0:n][0:n], b[0:n][0:n])
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = 0.2 * (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i + 1][j] + b[i - 1][j]);
  }
}

/* What a directive asks for is not looked for. */
static void scale(int n, double a[restrict n][n])
{
#pragma acc kernels copy(a[0:n][0:n])
  for (int i = 0; i < n; i++)
#pragma unroll 2
    for (int j = 1; j < n; j++)
      a[i][j] += 2 * a[i][j - 1];
}

static void host(int n, int steps, double a[restrict n][n], double b[restrict n][n])
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = 0.2 * (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i + 1][j] + b[i - 1][j]);
  }
}

int main(void)
{
  const int sizes[] = {3, 34, 77, 131}, steps[] = {0, 1, 2, 9, 12};
  for (int s = 0; s < 4; s++)
    for (int t = 0; t < 5; t++) {
      int n = sizes[s];
      size_t bytes = sizeof(double) * n * n;
      double *all[4];
      for (int k = 0; k < 4; k++) {
        all[k] = malloc(bytes);
        for (int i = 0; i < n * n; i++)
          all[k][i] = (i * 7 + k % 2) % 13;
      }
      sweeps(n, steps[t], (void *)all[0], (void *)all[1]);
      host(n, steps[t], (void *)all[2], (void *)all[3]);
      for (int k = 0; k < 2; k++)
        for (int i = 0; i < n * n; i++)
          /* The device may fuse a product and a sum. */
          if (__builtin_fabs(all[k][i] - all[k + 2][i]) > 1e-12) {
            printf("n %d, %d steps: another result\n", n, steps[t]);
            return 1;
          }
      for (int k = 0; k < 4; k++)
        free(all[k]);
    }
  double small[2][2] = {{1, 2}, {3, 4}};
  scale(2, small);
  printf(small[1][1] == 10 ? "the same\n" : "another sum\n");
  return 0;
}

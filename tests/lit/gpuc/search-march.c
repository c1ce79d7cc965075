// A walk over planes is among the plans that a search looks at, where the compiler has none of its own; the iterations of a thread
// that the compiler takes stay for smaller grids. The result is the host's.
// RUN: gpuc --arch=sm_90 --emit=plan %s | FileCheck %s --check-prefix=OWN
// RUN: gpuc --arch=sm_90 --search --sizes=n=256 --emit=plan %s | FileCheck %s
// RUN: gpuc run --device=sim --arch=sm_90 --search --sizes=n=256 %s 2>/dev/null | FileCheck %s --check-prefix=RESULT
// OWN-NOT: march
// CHECK: march i by {{[0-9]+}}, j by 16, k by 32, rows {{[0-9]+}}, where {{[0-9]+}} blocks
// RESULT: 25 27 25 27
#include <stdio.h>
#include <stdlib.h>

static void star(int n, const double in[restrict n + 8][n + 8][n + 8], double out[restrict n + 8][n + 8][n + 8])
{
#pragma acc kernels copyin(in[0:n+8][0:n+8][0:n+8]) copyout(out[0:n+8][0:n+8][0:n+8])
  for (int i = 4; i < n + 4; i++)
    for (int j = 4; j < n + 4; j++)
      for (int k = 4; k < n + 4; k++)
        out[i][j][k] = in[i][j][k]
                     + in[i - 1][j][k] + in[i + 1][j][k] + in[i - 2][j][k] + in[i + 2][j][k]
                     + in[i - 3][j][k] + in[i + 3][j][k] + in[i - 4][j][k] + in[i + 4][j][k]
                     + in[i][j - 1][k] + in[i][j + 1][k] + in[i][j - 2][k] + in[i][j + 2][k]
                     + in[i][j - 3][k] + in[i][j + 3][k] + in[i][j - 4][k] + in[i][j + 4][k]
                     + in[i][j][k - 1] + in[i][j][k + 1] + in[i][j][k - 2] + in[i][j][k + 2]
                     + in[i][j][k - 3] + in[i][j][k + 3] + in[i][j][k - 4] + in[i][j][k + 4];
}

int main(void)
{
  // A grid on which the walk is taken, and one on which it is not.
  const int sizes[] = {129, 21};
  for (int s = 0; s < 2; s++) {
    int n = sizes[s], m = n + 8;
    double *in = malloc(sizeof(double) * m * m * m), *out = malloc(sizeof(double) * m * m * m);
    for (int at = 0; at < m * m * m; at++)
      in[at] = at % 3;
    star(n, (void *)in, (void *)out);
    for (int side = 4; side < m - 4; side += n - 1)
      printf("%g ", out[(side * m + side) * m + side]);
    free(in);
    free(out);
  }
  puts("");
  return 0;
}

// Parts of arrays that the host looks at come back by themselves, and what it overwrites does not; what a nest overwrites does not go there.
// RUN: gpuc --auto=all --emit=host-c %s -o - | FileCheck %s
// RUN: gpuc --auto=all --emit=affine %s -o - | FileCheck %s --check-prefix=USE
#include <string.h>
static double last;
static double more(void) { last += 1; return last; }
double parts(int n, int k)
{
    double a[100], b[8][100], c[100];
    // USE: @parts_L11({{.*}}offload.name = "a"{{.*}}offload.use = "overwrites"
    for (int i = 0; i < 100; i++)
        a[i] = i;
    // Not all of it.
    // USE: @parts_L15({{.*}}offload.name = "c", offload.storage = "object"}, {{.*}}offload.use = "reads"
    for (int i = 1; i < 100; i++)
        c[i] = a[i];
    // USE: @parts_L19({{.*}}offload.name = "b", offload.storage = "object", offload.use = "overwrites"
    // What is read was written in the same round.
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 100; j++) {
            b[i][j] = i;
            c[j] = b[i][j];
        }
    // CHECK: __gpuc_host(&(a[7]), sizeof(a[7]), 0);
    double sum = a[7];
    // CHECK: __gpuc_host(&(a[k + 1]), sizeof(a[k + 1]), 2);
    a[k + 1] = more();
    // CHECK: __gpuc_host(&(b[2][1]), 99ul * sizeof(b[2][0]), 2);
    for (int j = 1; j < 100; j++)
        b[2][j] = more();
    // CHECK: __gpuc_host(&(b[0]), 8ul * sizeof(b[0]), 1);
    for (int i = 0; i < 8; i++)
        b[i][3] = more();
    // CHECK: __gpuc_host(&(c), sizeof(c), 2);
    memset(c, 0, sizeof c);
    // What a branch does is asked for there.
    // CHECK: { __gpuc_host(&(a[k]), sizeof(a[k]), 2);
    if (n)
        a[k] = more();
    // A condition, and a subscript that changes on the way.
    // CHECK: __gpuc_host(&(c), sizeof(c), 1);
    while (k < 9)
        c[k++] = more();
    return sum;
}

// RUN: gpuc -fopenmp -Minfo -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: gpuc -fopenmp --emit=ptx %s -o - | FileCheck %s --check-prefix=PTX
/* What an operator of the program's own combines, threads of a block have copies of, in memory that they share. */
struct pair {
    int a, b;
};
#pragma omp declare reduction(both : struct pair : omp_out.a += omp_in.a, omp_out.b |= omp_in.b)

// CHECK-NOT: warning
// CHECK: Loop divided among threads(128)
// PTX: .shared .align {{[0-9]+}} .b8 {{.*}}[1024];
// PTX: .reqntid 128, 1, 1
// PTX-COUNT-7: bar.sync
void many(int n, const int *restrict x, struct pair *restrict result)
{
    struct pair p = {0, 0};
    #pragma omp target teams distribute parallel for map(to: x[0:n]) reduction(both: p)
    for (int i = 0; i < n; i++) {
        p.a += x[i];
        p.b |= x[i];
    }
    *result = p;
}

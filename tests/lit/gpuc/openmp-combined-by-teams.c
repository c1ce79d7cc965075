// A user-defined reduction of many iterations, or of a number that is not known, is combined by several teams, in two launches; one of few
// by one team.
// RUN: gpuc -fopenmp -Minfo -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: gpuc -fopenmp --emit=ptx %s -o - | FileCheck %s --check-prefix=PTX
struct pair {
    double most;
    int at;
};

static void larger(struct pair *out, const struct pair *in)
{
    if (in->most > out->most)
        *out = *in;
}
#pragma omp declare reduction(larger: struct pair: larger(&omp_out, &omp_in)) initializer(omp_priv = {-1, -1})

struct pair many(int n, const double *x)
{
    struct pair best = {-1, -1};
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: best) reduction(larger: best)
    for (int i = 0; i < n; i++)
        if (x[i] > best.most) {
            best.most = x[i];
            best.at = i;
        }
    return best;
}

struct pair few(const double *x)
{
    struct pair best = {-1, -1};
    #pragma omp target teams distribute parallel for map(to: x[0:100]) map(tofrom: best) reduction(larger: best)
    for (int i = 0; i < 100; i++)
        if (x[i] > best.most) {
            best.most = x[i];
            best.at = i;
        }
    return best;
}
// CHECK-NOT: one after another
// CHECK: many:
// CHECK: in 128 blocks of
// CHECK: few:
// CHECK: in 1 blocks of
// CHECK-NOT: one after another
// PTX-NOT: atom.
// PTX: .entry many
// PTX: .entry many
// PTX: .entry few
// PTX-NOT: .entry few

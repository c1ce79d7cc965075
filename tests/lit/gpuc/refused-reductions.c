// What keeps a sum, or a search, from being found: its value is looked at on the way, combined in two ways, or decided by.
// RUN: gpuc -c -w -Minfo %s -o %t.o 2>&1 | FileCheck %s

// Each partial sum is used.
// CHECK: read_inside:
// CHECK: Loop carried scalar dependence for s prevents parallelization
// CHECK: each iteration uses what those before it have combined by `+`: prefix sums
void read_inside(int n, const float *restrict x, float *restrict y, float *out)
{
    float s = 0;
    #pragma acc kernels
    for (int i = 0; i < n; i++) {
        s += x[i];
        y[i] = s;
    }
    *out = s;
}

// Added to and doubled.
// CHECK: other_operator:
// CHECK: Loop carried scalar dependence for s prevents parallelization
void other_operator(int n, const float *restrict x, float *out)
{
    float s = 0;
    #pragma acc kernels
    for (int i = 0; i < n; i++) {
        s += x[i];
        s *= 2;
    }
    *out = s;
}

// The sum decides whether it goes on.
// CHECK: condition:
// CHECK: Loop carried scalar dependence for s prevents parallelization
void condition(int n, const float *restrict x, float *out)
{
    float s = 0;
    #pragma acc kernels
    for (int i = 0; i < n; i++)
        if (s < 100)
            s += x[i];
    *out = s;
}

// Two values in a circle.
// CHECK: two_values:
// CHECK: Loop carried scalar dependence for s prevents parallelization
void two_values(int n, const int *restrict x, int *out)
{
    int s = 0, t = 0;
    #pragma acc kernels
    for (int i = 0; i < n; i++) {
        s += t;
        t = s + x[i];
    }
    *out = s + t;
}

// The same of an element, which another one is set from.
// CHECK: element:
// CHECK: Loop carried backward dependence of s prevents parallelization
void element(int n, const int *restrict x, int *restrict s)
{
    #pragma acc kernels copy(s[0:2])
    for (int i = 0; i < n; i++) {
        s[0] += x[i];
        s[1] = s[0];
    }
}

// The place is no number of an iteration.
// CHECK: last_place:
// CHECK: Loop carried scalar dependence for best prevents parallelization
int last_place(int n, const int *restrict x)
{
    int best = 1 << 30, at = -1, next = 0;
    #pragma acc kernels
    for (int i = 0; i < n; i++)
        if (x[i] < best) {
            best = x[i];
            at = next;
            next = best;
        }
    return at + next;
}

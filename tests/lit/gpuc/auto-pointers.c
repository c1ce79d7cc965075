// A nest without a directive is taken where what it touches is known before it starts: not what pointers in memory point to.
// RUN: gpuc --auto -Minfo -c %s -o %t.o 2>&1 | FileCheck %s

struct vector { int n; double *x; };

// CHECK-LABEL: rows:
double rows(int n, double **a)
{
    double sum = 0;
    // CHECK: [[# @LINE + 1 ]], This nest is left to the host: it follows a pointer that stands in memory, to what is not known before it starts
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += a[i][j];
    return sum;
}

// CHECK-LABEL: behind:
double behind(const struct vector *v, int n)
{
    double sum = 0;
    // CHECK: [[# @LINE + 1 ]], This nest is left to the host: it follows a pointer that stands in memory
    for (int i = 0; i < n; i++)
        sum += v->x[i];
    return sum;
}

// A member of a variable is known.
// CHECK-LABEL: member:
double member(struct vector v)
{
    double sum = 0;
    // CHECK: [[# @LINE + 1 ]], This nest runs on the device
    for (int i = 0; i < v.n; i++)
        sum += v.x[i];
    return sum;
}

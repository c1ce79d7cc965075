// One variable in two data clauses of one directive is warned of, which the command line may make an error; sections that
// are written differently may be apart, and a pointer is another object than what it points to.
// RUN: gpuc -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not gpuc -Werror=variable-twice -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: gpuc -Wno-variable-twice -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=OFF
void f(int *a, int n)
{
    int whole[100];
    // CHECK: warning[GPUC0032]: `a` stands in a `copyin` clause of this directive already
    // ERROR: error[GPUC0032]: `a` stands in a `copyin` clause
    // OFF-NOT: GPUC0032
    #pragma acc parallel loop copyin(a[0:n]) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i]++;
    // CHECK: warning[GPUC0032]: `whole` stands in a `create` clause
    // ERROR: error[GPUC0032]: `whole` stands in a `create` clause
    #pragma acc data create(whole) copyin(whole[0:10])
    { }
    // CHECK-NOT: GPUC0032
    #pragma acc enter data copyin(a[0:n / 2], a[n / 2:n / 2])
    // OFF: warning: `a` stands in a `copyin` clause
    #pragma acc update self(a[0:1], a[n - 1:1])
}

// Directives and clauses that OpenACC does not have, or not here. What is close to one that it
// has is named.
// RUN: not gpuc -c %s -o %t.o 2>&1 | golden

void unknown(int n, float *a)
{
    #pragma acc paralel loop
    for (int i = 0; i < n; i++) a[i] = 0;
    #pragma acc parallel loop copyn(a[0:n])
    for (int i = 0; i < n; i++) a[i] = 0;
    #pragma acc parallel loop reduction(plus:a)
    for (int i = 0; i < n; i++) a[i] = 0;
    #pragma acc
    #pragma acc enter date copyin(a[0:n])
}

void malformed(int n, float *a)
{
    #pragma acc parallel loop copy(b[0:n])
    for (int i = 0; i < n; i++) a[i] = 0;
    #pragma acc parallel loop copy(a[0:n]
    for (int i = 0; i < n; i++) a[i] = 0;
    #pragma acc parallel loop gang(num:)
    for (int i = 0; i < n; i++) a[i] = 0;
    #pragma acc parallel loop collapse(n)
    for (int i = 0; i < n; i++) a[i] = 0;
    #pragma acc routine
}

void misplaced(int n, float *a)
{
    #pragma acc parallel loop
    a[0] = 1;
    #pragma acc parallel loop
    while (n--) a[n] = 1;
    #pragma acc parallel loop collapse(2)
    for (int i = 0; i < n; i++) {
        a[i] = 0;
        for (int j = 0; j < n; j++) a[j] = 1;
    }
    #pragma acc data copy(a[0:n]) vector_length(32)
    { }
    #pragma acc loop gang gang
    for (int i = 0; i < n; i++) a[i] = 0;
}

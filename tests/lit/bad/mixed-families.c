// RUN: not gpuc -acc -fopenmp -c %s -o /dev/null 2>&1 | FileCheck %s

// Regions and loops are of one family; parts of constructs of OpenMP stand in these; and what does nothing is a mistake.

void regions(float *a, int n, int m)
{
    // CHECK: error: `target teams distribute parallel for` collapses 2 loops, but only 1 follow
    #pragma omp target teams distribute parallel for collapse(2) map(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
    // Neither tight nor alone.
    #pragma omp target teams distribute parallel for collapse(2) map(a[0:n])
    for (int i = 0; i < n; i++) {
        float one = 1;
        for (int j = 0; j < 1; j++)
            a[i] = one;
    }
    // CHECK: error: `target data` needs a `map`, `use_device_ptr` or `use_device_addr` clause
    #pragma omp target data
    a[0] = 1;
    #pragma omp target map(a[0:n])
    {
        // CHECK: error: `distribute` belongs in a `teams` construct, and here is none
        #pragma omp distribute
        for (int i = 0; i < n; i++)
            a[i] = i;
    }
    #pragma omp target map(a[0:n])
    {
        // CHECK: error: `section` belongs in a `sections` construct, and here is none
        #pragma omp section
        a[0] = 1;
    }
    #pragma acc parallel copy(a[0:n])
    {
        // CHECK: error: `for` of OpenMP is mixed into a region of OpenACC's `parallel`
        #pragma omp for
        for (int i = 0; i < n; i++)
            a[i] = i;
    }
    #pragma omp target map(a[0:n])
    {
        // CHECK: error: `loop` of OpenACC is mixed into a region of OpenMP's `target`
        #pragma acc loop
        for (int i = 0; i < n; i++)
            a[i] = i;
    }
    // CHECK: error: `simd` of OpenMP is mixed into a loop of OpenACC's `parallel loop`
    #pragma acc parallel loop copy(a[0:n])
    #pragma omp simd
    for (int i = 0; i < n; i++)
        a[i] = i;
}

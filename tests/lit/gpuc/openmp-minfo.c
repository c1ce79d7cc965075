// What is said of a construct is said in its family's words.
// RUN: gpuc -fopenmp -Minfo -c %s -o %t.o 2>&1 | FileCheck %s
void f(int n, float *restrict a, float b[n])
{
    // CHECK: {{[0-9]+}}, Generating map(tofrom: b[0:n])
    // CHECK: Generating implicit map(tofrom: a[:])
    // CHECK: Loop divided among teams, threads(256) /* blockIdx.x threadIdx.x */
    #pragma omp target teams distribute parallel for map(tofrom: b[0:n])
    for (int i = 0; i < n; i++)
        a[i] += b[i]++;
    // CHECK: Generating copy(a[0:n], b[0:n])
    // CHECK: #pragma acc loop gang, vector(256) /* blockIdx.x threadIdx.x */
    #pragma acc parallel loop copy(a[0:n], b[0:n])
    for (int i = 0; i < n; i++)
        a[i] += b[i]++;
}

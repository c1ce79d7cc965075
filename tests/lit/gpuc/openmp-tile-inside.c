// RUN: gpuc -fopenmp --emit=plan %s -o - 2>&1 | FileCheck %s
// `tile` of a loop that a thread executes is a step of the plan; of several, it is said that it is not followed.
void all(int n, int a[n][n], int b[n][n])
{
    // CHECK: warning[GPUC0027]: `tile` is not followed: loops that a thread executes have tiles in one dimension
    // CHECK: openmp-tile-inside.c:[[#@LINE+10]]
    #pragma omp target teams distribute parallel for map(tofrom: a[0:n], b[0:n])
    for (int i = 0; i < n; i++) {
        // CHECK: strip j by 4
        #pragma omp tile sizes(4)
        for (int j = 0; j < n; j++)
            a[i][j] = i * j;
    }
    #pragma omp target map(tofrom: b[0:n])
    {
        #pragma omp tile sizes(4, 4)
        for (int i = 1; i < n; i++)
            for (int j = 0; j < n - 1; j++)
                b[i][j] = b[i - 1][j + 1] * 3 + 1;
    }
}

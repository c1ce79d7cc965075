// What calls the kernels of the files beside it.
// RUN: not gpuc %s -o %t 2>&1 | FileCheck %s
// CHECK: undefined reference to `scale'
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

void scale(const unsigned long grid[3], const unsigned long block[3], unsigned long shared_bytes,
           unsigned n, float by, const void *x);

int main(void)
{
    const unsigned sizes[] = { 0, 1, 131 };
    for (int s = 0; s < 3; s++) {
        unsigned n = sizes[s];
        float *x = calloc(n + 1, sizeof *x);
        for (unsigned i = 0; i < n; i++)
            x[i] = i + 1;
        #pragma acc data copy(x[0:n + 1])
        {
            const unsigned long grid[3] = { (n + 31) / 32, 1, 1 }, block[3] = { 32, 1, 1 };
            #pragma acc host_data use_device(x)
            scale(grid, block, 0, n, 3, x);
        }
        double sum = 0;
        for (unsigned i = 0; i < n; i++)
            sum += x[i];
        printf("%u elements: %g\n", n, sum);
        free(x);
    }
    return 0;
}

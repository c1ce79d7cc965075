/* Threads of the host that launch one kernel at once: each has its own result. */
#include <stdio.h>

int main(void)
{
    int wrong = 0;
    for (int round = 0; round < 20; round++) {
        int sums[2] = {0};
        #pragma omp parallel for num_threads(2)
        for (int t = 0; t < 2; t++) {
            int sum = 0;
            #pragma omp target teams distribute parallel for reduction(+: sum)
            for (int i = t; i < 1000; i += 2)
                sum += i;
            sums[t] = sum;
        }
        wrong += sums[0] != 249500 || sums[1] != 250000;
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

/* Dimensions of gangs, gang loops in gang loops, tile, cache, and collapse by force (OpenACC 3.3 2.5.10,
   2.9.1, 2.9.2, 2.9.8, 2.10). */
#include <stdio.h>

#define N 24
#define M 17

int main(void)
{
    static int a[N][M], b[N][M], c[N];
    int n = N;
    #pragma acc parallel num_gangs(n, 2) copy(a)
    #pragma acc loop gang(dim:2)
    for (int i = 0; i < N; i++) {
        #pragma acc loop gang(dim:1) vector
        for (int j = 0; j < M; j++)
            a[i][j] = i * M + j;
    }
    #pragma acc parallel num_gangs(2, 3, 4) copy(a)
    #pragma acc loop gang
    for (int i = 0; i < N; i++) {
        #pragma acc loop gang
        for (int j = 0; j < M; j++)
            a[i][j] += 1;
    }
    #pragma acc parallel loop tile(4, 8) copyin(a) copyout(b)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            b[i][j] = 2 * a[i][j];
    #pragma acc parallel loop tile(*, 2) copy(b)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            b[i][j] += i;
    #pragma acc parallel loop collapse(force: 2) copyin(b) copyout(c)
    for (int i = 0; i < N; i++) {
        int row = i + 1;
        int sum = 0;
        for (int j = 0; j < M; j++) {
            #pragma acc cache(b[i:1][j:1])
            sum += row * b[i][j];
        }
        c[i] = sum;
    }
    long total = 0;
    for (int i = 0; i < N; i++)
        total += c[i];
    printf("%d %d %ld\n", a[N - 1][M - 1], b[N - 1][M - 1], total);
    return 0;
}

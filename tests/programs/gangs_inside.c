/* Loops without a clause round loops that ask for gangs: every gang runs the outer one. */
#include <stdio.h>

enum { COLUMNS = 130 };

static void found(int n, int m, int a[][COLUMNS])
{
    #pragma acc kernels copy(a[0:n][0:COLUMNS])
    for (int i = 0; i < n; i++) {
        int scale = i % 3 + 1;
        #pragma acc loop gang
        for (int j = 0; j < m; j++)
            a[i][j] = scale * (i + j);
    }
}

static void chosen(int n, int m, int (*restrict a)[COLUMNS], int (*restrict b)[COLUMNS])
{
    #pragma acc parallel copy(a[0:n][0:COLUMNS], b[0:n][0:COLUMNS])
    {
        #pragma acc loop
        for (int i = 0; i < n; i++) {
            #pragma acc loop auto gang
            for (int j = 0; j < m; j++)
                a[i][j] += 1;
            #pragma acc loop gang vector
            for (int j = 0; j < m; j++)
                b[i][j] += i * j;
        }
    }
}

/* A condition round the loop that asks for gangs orders it, and one gang does it; the lanes are for the loop inside. */
static void ordered(int n, int m, int a[][COLUMNS])
{
    #pragma acc kernels copy(a[0:n][0:COLUMNS])
    for (int i = 0; i < n; i++) {
        if (i % 2) {
            #pragma acc loop gang(7)
            for (int j = 0; j < m / 8; j++) {
                #pragma acc loop vector(32)
                for (int k = 0; k < 8; k++)
                    a[i][8 * j + k] += j - k;
            }
        }
    }
}

int main(void)
{
    static const int sizes[] = {0, 1, 2, 61, 64};
    static int a[64][COLUMNS], b[64][COLUMNS];
    for (int k = 0; k < 5; k++) {
        for (int l = 0; l < 5; l++) {
            int m = sizes[l] + sizes[l];
            unsigned sum = 0;
            found(sizes[k], m, a);
            chosen(sizes[k], m, a, b);
            ordered(sizes[k], m, a);
            for (int i = 0; i < 64; i++)
                for (int j = 0; j < COLUMNS; j++)
                    sum = (sum * 31 + a[i][j]) * 31 + b[i][j];
            printf("%d x %d: %u\n", sizes[k], m, sum);
        }
    }
    return 0;
}

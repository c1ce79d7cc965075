/* Arrays that the threads of a gang share, some of whose accesses leave the row in which they begin: such an array keeps the layout
   that the program gives it, whatever banks its columns reach. */
#include <stdio.h>
#include <string.h>

enum { ROWS = 32, COLUMNS = 32, ALL = ROWS * COLUMNS };

static int out[6][ALL];

/* A pointer to the first element, one into a row that goes down a column, one that goes back. */
static void pointers(void)
{
    #pragma acc parallel loop gang copy(out)
    for (int g = 0; g < 1; g++) {
        int a[ROWS][COLUMNS], b[ROWS][COLUMNS], c[ROWS][COLUMNS];
        #pragma acc loop vector
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++) {
                a[i][j] = 3 * i + j;
                b[i][j] = i - 5 * j;
                c[i][j] = i * j;
            }
        #pragma acc loop vector
        for (int j = 0; j < COLUMNS; j++) {
            int *down = &b[0][j], *up = &c[ROWS - 1][j];
            for (int i = 0; i < ROWS; i++) {
                out[0][i * COLUMNS + j] = a[i][j] + *(&a[0][0] + i * COLUMNS + j);
                out[1][i * COLUMNS + j] = b[i][j] + down[i * COLUMNS];
                out[2][i * COLUMNS + j] = c[i][j] + up[-COLUMNS * i];
            }
        }
    }
}

/* Two rows at a time, by a loop and by the library. */
static void rows(void)
{
    #pragma acc parallel loop gang copy(out)
    for (int g = 0; g < 1; g++) {
        int a[ROWS][COLUMNS], b[ROWS][COLUMNS], c[ROWS][COLUMNS];
        #pragma acc loop vector
        for (int q = 0; q < ROWS / 2; q++) {
            int *pair = a[2 * q];
            for (int k = 0; k < 2 * COLUMNS; k++)
                pair[k] = 7 * q + k;
            memset(b[2 * q], q, 2 * sizeof b[q]);
        }
        #pragma acc loop vector
        for (int j = 0; j < COLUMNS; j++)
            for (int i = 0; i < ROWS; i++)
                c[i][j] = a[i][j] + b[i][j];
        /* What stays in its rows may lie otherwise. */
        #pragma acc loop vector
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++) {
                out[3][i * COLUMNS + j] = a[i][j];
                out[4][i * COLUMNS + j] = b[i][j];
                out[5][i * COLUMNS + j] = c[i][j];
            }
    }
}

int main(void)
{
    pointers();
    rows();
    int wrong = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            int at = i * COLUMNS + j, a = 7 * (i / 2) + j + i % 2 * COLUMNS, b = i / 2 * 0x01010101;
            wrong += out[0][at] != 2 * (3 * i + j);
            wrong += out[1][at] != 2 * (i - 5 * j);
            wrong += out[2][at] != i * j + (ROWS - 1 - i) * j;
            wrong += out[3][at] != a || out[4][at] != b || out[5][at] != a + b;
        }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

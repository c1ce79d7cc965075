/* Arrays that the threads of a gang share, touched by columns and member by member: they lie in memory of the block so that
   neighbouring threads reach different banks. Sizes divide nothing; subscripts are computed as well as counted. */
#include <stdio.h>

#define ROWS 37

struct body { float x, y; double m; short kind, pad; int id; };

static float f[ROWS][61][4], f_out[ROWS][61];
static struct body bodies[ROWS * 50];
static double sums[ROWS][50];
static int big[94 * 128], big_out[ROWS][94];
static int rest[ROWS][64];
static short s[ROWS][3][40][5], s_out[ROWS][40];
static double d[ROWS][33], d_out[ROWS][33];
static int where[50];

static void members_by_a_subscript(void)
{
    float t[61][4];
    #pragma acc parallel loop gang private(t) vector_length(64) copyin(f) copyout(f_out)
    for (int i = 0; i < ROWS; i++) {
        #pragma acc loop vector
        for (int j = 0; j < 61; j++)
            for (int k = 0; k < 4; k++)
                t[j][k] = f[i][j][k];
        #pragma acc loop vector
        for (int j = 0; j < 61; j++) {
            float sum = t[60 - j][3];
            for (int l = 0; l < 61; l++)
                sum += t[l][0] * t[j][1] + t[(j + l) % 61][2];
            f_out[i][j] = sum;
        }
    }
}

static void members_of_records(void)
{
    struct body t[50];
    #pragma acc parallel loop gang private(t) vector_length(32) copyin(bodies, where) copyout(sums)
    for (int i = 0; i < ROWS; i++) {
        #pragma acc loop vector
        for (int j = 0; j < 50; j++) {
            t[j] = bodies[i * 50 + j];
            t[j].id += j;
        }
        #pragma acc loop vector
        for (int j = 0; j < 50; j++) {
            double sum = t[where[j]].x - t[49 - j].kind;
            for (int l = 0; l < 50; l++)
                sum += t[j].m * t[l].y + t[j].id * t[j].kind;
            sums[i][j] = sum;
        }
    }
}

/* Read by columns alone. */
static void columns(void)
{
    int t[94][128];
    #pragma acc parallel loop gang private(t) vector_length(96) copyin(big) copyout(big_out)
    for (int i = 0; i < ROWS; i++) {
        #pragma acc loop vector
        for (int j = 0; j < 94 * 128; j++)
            t[j / 128][j % 128] = big[j] ^ i;
        #pragma acc loop vector
        for (int j = 0; j < 94; j++) {
            int sum = 0;
            for (int k = 0; k < 128; k++)
                sum = sum * 3 + t[j][k];
            big_out[i][j] = sum;
        }
    }
}

/* By rows and by columns, powers of two, and no memory for longer rows. */
static void no_room(void)
{
    int t[64][128], u[3840];
    #pragma acc parallel loop gang private(t, u) vector_length(64) copyin(big) copy(rest)
    for (int i = 0; i < ROWS; i++) {
        #pragma acc loop vector
        for (int j = 0; j < 64; j++)
            for (int k = 0; k < 128; k++)
                t[j][k] = big[j * 128 + k] + i;
        #pragma acc loop vector
        for (int j = 0; j < 64; j++)
            for (int k = 0; k < 60; k++)
                u[k * 64 + j] = t[k][127 - j] ^ t[k + 4][j];
        #pragma acc loop vector
        for (int j = 0; j < 64; j++)
            for (int k = 0; k < 60; k++)
                rest[i][j] = rest[i][j] * 3 + u[k * 64 + 63 - j] - t[j][2 * k];
    }
}

static void three_dimensions(void)
{
    short t[3][40][5];
    #pragma acc parallel loop gang private(t) vector_length(64) copyin(s) copyout(s_out)
    for (int i = 0; i < ROWS; i++) {
        #pragma acc loop vector
        for (int j = 0; j < 40; j++)
            for (int h = 0; h < 3; h++)
                for (int k = 0; k < 5; k++)
                    t[h][j][k] = s[i][h][j][k];
        #pragma acc loop vector
        for (int j = 0; j < 40; j++) {
            short sum = 0;
            for (int k = 0; k < 5; k++)
                sum += t[k % 3][j][k] - t[0][39 - j][4 - k] * t[2][j][1];
            s_out[i][j] = sum;
        }
    }
}

/* Rows read by rows and by columns. */
static void both_ways(void)
{
    double t[33][32];
    #pragma acc parallel loop gang private(t) vector_length(64) copyin(d) copyout(d_out)
    for (int i = 0; i < ROWS; i++) {
        #pragma acc loop vector
        for (int j = 0; j < 32; j++)
            for (int k = 0; k < 33; k++)
                t[k][j] = d[i][k] * (j + 1);
        #pragma acc loop vector
        for (int j = 0; j < 33; j++) {
            double sum = 0;
            for (int k = 0; k < 32; k++)
                sum = sum / 2 + t[j][k];
            d_out[i][j] = sum;
        }
    }
}

static unsigned long hash(const void *data, unsigned long bytes)
{
    unsigned long h = 5381;
    for (unsigned long i = 0; i < bytes; i++)
        h = h * 33 + ((const unsigned char *)data)[i];
    return h;
}

int main(void)
{
    for (int i = 0; i < ROWS * 61 * 4; i++)
        (&f[0][0][0])[i] = i % 11;
    for (int i = 0; i < ROWS * 50; i++)
        bodies[i] = (struct body){i % 5, i % 7, i % 9, i % 13, 0, i};
    for (int i = 0; i < 94 * 128; i++)
        big[i] = i * 7 % 1009;
    for (int i = 0; i < ROWS * 3 * 40 * 5; i++)
        (&s[0][0][0][0])[i] = i % 17;
    for (int i = 0; i < ROWS * 33; i++)
        (&d[0][0])[i] = i % 19;
    for (int i = 0; i < 50; i++)
        where[i] = i * 11 % 50;
    members_by_a_subscript();
    members_of_records();
    columns();
    no_room();
    three_dimensions();
    both_ways();
    printf("%lx\n", hash(f_out, sizeof f_out));
    printf("%lx\n", hash(sums, sizeof sums));
    printf("%lx\n", hash(big_out, sizeof big_out));
    printf("%lx\n", hash(rest, sizeof rest));
    printf("%lx\n", hash(s_out, sizeof s_out));
    printf("%lx\n", hash(d_out, sizeof d_out));
    return 0;
}

/* Memory of a team in parallel regions with barriers: tiles, and sums by twos, in loops that all threads go through. */
#include <stdio.h>
#include <omp.h>
#define B 32
static double in[40 * B], out[40 * B];
static void all(int blocks, int steps)
{
    int n = blocks * B;
    for (int i = 0; i < n; i++)
        in[i] = i % 13, out[i] = 0;
    #pragma omp target teams distribute map(to: in) map(tofrom: out)
    for (int blk = 0; blk < blocks; blk++) {
        double tile[B];
        #pragma omp parallel num_threads(B)
        {
            int t = omp_get_thread_num(), at = blk * B + t;
            double sum = 0;
            tile[t] = in[at];
            #pragma omp barrier
            for (int s = 0; s < steps; s++) {
                double left = tile[(t + B - 1) % B];
                #pragma omp barrier
                tile[t] += left * 0.5;
                sum += left;
                #pragma omp barrier
            }
            out[at] = tile[B - 1 - t] + sum;
        }
    }
    double s = 0;
    for (int i = 0; i < n; i++)
        s += out[i] * (i % 9 + 1);
    printf("%d %d: %g\n", blocks, steps, s);
    /* Four results a thread, in an array of its own. */
    #pragma omp target teams distribute map(to: in) map(tofrom: out)
    for (int blk = 0; blk < blocks; blk++) {
        double tile[B];
        #pragma omp parallel num_threads(B)
        {
            int t = omp_get_thread_num();
            double own[2][2];
            for (int i = 0; i < 4; i++)
                own[i / 2][i % 2] = i;
            for (int s = 0; s < steps; s++) {
                tile[t] = in[(blk * B + t + s) % n];
                #pragma omp barrier
                for (int i = 0; i < 4; i++)
                    own[i / 2][i % 2] += tile[(t + i) % B] * (s + 1);
                #pragma omp barrier
            }
            out[blk * B + t] += own[0][0] + 2 * own[0][1] + 3 * own[1][0] + 4 * own[1][1];
        }
    }
    s = 0;
    for (int i = 0; i < n; i++)
        s += out[i] * (i % 9 + 1);
    printf(" %g", s);
    double total = 0;
    #pragma omp target teams num_teams(3) map(to: in) map(tofrom: total) reduction(+: total)
    {
        double part[B];
        #pragma omp parallel num_threads(B)
        {
            int t = omp_get_thread_num();
            double mine = 0;
            for (int i = t; i < n; i += B)
                mine += in[i];
            part[t] = mine;
            for (int d = B / 2; d > 0; d /= 2) {
                #pragma omp barrier
                if (t < d) {
                    mine += part[t + d];
                    part[t] = mine;
                }
            }
            if (t == 0 && omp_get_team_num() == 0)
                total += mine;
        }
    }
    printf(" %g\n", total);
}
#define SIDE 8

static float left[40 * 40], right[40 * 40], product[40 * 40];

/* A product by tiles, written out. */
static void tiles(int n)
{
    for (int i = 0; i < n * n; i++)
        left[i] = i % 5, right[i] = i % 7 - 2, product[i] = 1;
    #pragma omp target teams distribute collapse(2) map(to: left, right) map(tofrom: product)
    for (int bi = 0; bi < (n + SIDE - 1) / SIDE; bi++)
        for (int bj = 0; bj < (n + SIDE - 1) / SIDE; bj++) {
            float a[SIDE][SIDE], b[SIDE][SIDE];
            #pragma omp parallel num_threads(SIDE * SIDE)
            {
                int t = omp_get_thread_num(), r = t / SIDE, c = t % SIDE;
                int row = bi * SIDE + r, column = bj * SIDE + c;
                float dot = 0;
                for (int k0 = 0; k0 < n; k0 += SIDE) {
                    a[r][c] = row < n && k0 + c < n ? left[row * n + k0 + c] : 0;
                    b[r][c] = k0 + r < n && column < n ? right[(k0 + r) * n + column] : 0;
                    #pragma omp barrier
                    for (int k = 0; k < SIDE; k++)
                        dot += a[r][k] * b[k][c];
                    #pragma omp barrier
                }
                if (row < n && column < n)
                    product[row * n + column] += dot;
            }
        }
    double sum = 0;
    for (int i = 0; i < n * n; i++)
        sum += product[i] * (i % 9 + 1);
    printf("%d: %g\n", n, sum);
}

int main(void)
{
    int sides[] = {0, 1, 8, 19, 40};
    for (int i = 0; i < 5; i++)
        tiles(sides[i]);
    int blocks[] = {0, 1, 3, 40};
    for (int i = 0; i < 4; i++)
        for (int steps = 0; steps < 4; steps += 3)
            all(blocks[i], steps);
    return 0;
}

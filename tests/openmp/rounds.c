/* Loops with barriers in parallel regions: all threads go through their rounds together, each with what it has for itself. */
#include <omp.h>
#include <stdio.h>

#define T 16
#define N 70

static double x[N], y[N];
static int a[T], b[T], seen[T];

static double look(const double *v)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += (i % 5 + 1) * v[i];
    return sum;
}

static long look_at(const int *v)
{
    long sum = 0;
    for (int i = 0; i < T; i++)
        sum += (i % 7 + 1L) * v[i];
    return sum;
}

/* Steps of a stencil, with a loop over time inside of the region. */
static double steps(int n, int most)
{
    double change = 0, all = 0;
    for (int i = 0; i < N; i++)
        x[i] = i % 11, y[i] = 0;
    #pragma omp target map(tofrom: x, y, change, all)
    {
        #pragma omp parallel
        for (int t = 0; t < most; t++) {
            #pragma omp for
            for (int i = 1; i < n - 1; i++)
                y[i] = (x[i - 1] + x[i] + x[i + 1]) * 0.25;
            #pragma omp single
            change = t;
            #pragma omp for reduction(+: change)
            for (int i = 1; i < n - 1; i++) {
                change += y[i] > x[i] ? 1 : 0;
                x[i] = y[i];
            }
            #pragma omp master
            all += change;
            #pragma omp barrier
        }
    }
    return look(x) + look(y) + change * 3 + all * 7;
}

/* What a thread has goes from round to round. */
static long rounds(int n)
{
    int mine = 2;
    #pragma omp target map(tofrom: a, b, seen)
    {
        #pragma omp parallel num_threads(T) firstprivate(mine)
        {
            int thread = omp_get_thread_num(), last = thread;
            a[thread] = thread * thread + mine;
            seen[thread] = 0;
            #pragma omp barrier
            for (int s = 1, r = 0; s < n; s *= 2, r++) {
                int other = thread >= s % T ? a[thread - s % T] : r;
                mine += other % 3;
                #pragma omp barrier
                a[thread] += other;
                last += mine;
                for (int k = 0; k < 3; k++) {
                    b[(thread + k) % T] = k + s;
                    #pragma omp barrier
                    seen[thread] += b[thread] + last;
                    #pragma omp barrier
                }
            }
            a[thread] += last + mine;
            #pragma omp barrier
            {
                int left = a[(thread + 3) % T];
                if (n > 2) {
                    mine = left % 7;
                    #pragma omp barrier
                    b[thread] = left + mine;
                    if (thread % 2)
                        mine++;
                }
                #pragma omp barrier
                seen[thread] += b[(thread + 1) % T] + mine;
            }
        }
    }
    return look_at(a) + 5 * look_at(seen);
}

int main(void)
{
    int sizes[] = {0, 1, 2, 3, 33, N};
    for (int i = 0; i < 6; i++)
        for (int t = 0; t < 4; t += 3)
            printf("%d %d: %.6g %ld\n", sizes[i], t, steps(sizes[i], t), rounds(sizes[i]));
    return 0;
}

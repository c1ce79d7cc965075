// RUN: not gpuc -fopenmp -c %s -o /dev/null 2>&1 | golden
/* OpenMP 5.2 §5.5.11: where operators of the program's own are not supported, and where there is none. */
struct pair {
    int a, b;
};

#pragma omp declare reduction(both : struct pair : omp_out.a += omp_in.a, omp_out.b += omp_in.b)

void all(int n, struct pair *p, struct pair x, int y)
{
    #pragma omp target teams distribute parallel for reduction(both: p[0:n])
    for (int i = 0; i < n; i++)
        p[i].a += i;
    #pragma omp target teams distribute parallel for reduction(both: y)
    for (int i = 0; i < n; i++)
        y += i;
    #pragma omp target teams distribute parallel for reduction(neither: x)
    for (int i = 0; i < n; i++)
        x.a += i;
    #pragma omp target parallel reduction(both: x)
    x.a++;
    #pragma omp target parallel for reduction(inscan, both: x)
    for (int i = 0; i < n; i++)
        x.a += i;
    #pragma omp target parallel for reduction(both: x) lastprivate(y)
    for (int i = 0; i < n; i++)
        y = x.a += i;
    #pragma omp target teams map(tofrom: x)
    {
        #pragma omp distribute parallel for reduction(both: x)
        for (int i = 0; i < n; i++)
            x.a += i;
    }
}

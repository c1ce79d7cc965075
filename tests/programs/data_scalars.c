/* Scalars and structures in a `data` construct, used by constructs inside it. */
#include <stdio.h>

struct point { double x; int tag; };
struct holder { int count; struct point at; float *values; };

int main(void)
{
    int i = 99, kernels = 1, serial = 2, sum = 3, only_read = 4, own = 5;
    double d = 99;
    char c = 'a';
    struct point p = { 1.5, 7 };
    float values[4] = { 1, 2, 3, 4 };
    struct holder h = { 4, { 2.5, 8 }, values };
    int out[8];

    #pragma acc data copy(i, d, c, p, kernels, serial, sum) copyin(only_read, own) copyout(out)
    {
        #pragma acc parallel
        i = 55;
        #pragma acc parallel
        { d = 55; c = 'z'; }
        #pragma acc kernels
        kernels = kernels + 10;
        #pragma acc serial
        { serial *= 21; p.x += 1; p.tag = serial; }
        #pragma acc parallel loop reduction(+:sum)
        for (int k = 0; k < 8; k++)
            sum += k;
        #pragma acc parallel loop firstprivate(own)
        for (int k = 0; k < 8; k++)
            out[k] = only_read + own + k;
    }
    printf("%d %g %c %d %d %d %g %d %d %d\n", i, d, c, kernels, serial, sum, p.x, p.tag, out[0], out[7]);

    /* The device's copy is what a construct inside sees, until it is updated. */
    #pragma acc data copyin(i, p) copyout(out)
    {
        i = 1000;
        p.tag = 2000;
        #pragma acc update device(i, p)
        #pragma acc parallel loop
        for (int k = 0; k < 8; k++)
            out[k] = i + p.tag + k;
    }
    printf("%d %d\n", out[0], out[7]);

    /* Members. */
    #pragma acc data copy(h.count, h.at) copy(h.values[0:4])
    {
        #pragma acc serial
        {
            h.count = 12;
            h.at.x = 3.5;
            h.values[2] = 13;
        }
    }
    printf("%d %g %d %g\n", h.count, h.at.x, h.at.tag, values[2]);
    return 0;
}

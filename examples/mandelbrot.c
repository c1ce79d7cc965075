/* Steps until a point of the plane escapes: neighbouring threads leave their loop at quite
   different times (divergence).  Usage: mandelbrot [width [height [most steps]]] */
#include "check.h"

static void mandelbrot(int width, int height, int most, int *restrict steps)
{
    #pragma acc parallel loop collapse(2) copyout(steps[0:width*height])
    for (int row = 0; row < height; row++) {
        for (int column = 0; column < width; column++) {
            float cx = -2.25f + 3.0f * column / width;
            float cy = -1.25f + 2.5f * row / height;
            float x = 0.0f, y = 0.0f;
            int step = 0;
            while (step < most && x * x + y * y <= 4.0f) {
                float next = x * x - y * y + cx;
                y = 2.0f * x * y + cy;
                x = next;
                step++;
            }
            steps[row * width + column] = step;
        }
    }
}

static void mandelbrot_on_host(int width, int height, int most, int *steps)
{
    for (int row = 0; row < height; row++) {
        for (int column = 0; column < width; column++) {
            float cx = -2.25f + 3.0f * column / width;
            float cy = -1.25f + 2.5f * row / height;
            float x = 0.0f, y = 0.0f;
            int step = 0;
            while (step < most && x * x + y * y <= 4.0f) {
                float next = x * x - y * y + cx;
                y = 2.0f * x * y + cy;
                x = next;
                step++;
            }
            steps[row * width + column] = step;
        }
    }
}

int main(int argc, char **argv)
{
    int width = size_argument(argc, argv, 1, 201);
    int height = size_argument(argc, argv, 2, 151);
    int most = size_argument(argc, argv, 3, 200);
    size_t pixels = (size_t)width * height;
    int *steps = allocate(pixels, sizeof *steps);
    int *expected = allocate(pixels, sizeof *expected);

    double start = seconds();
    mandelbrot(width, height, most, steps);
    double device = seconds() - start;
    start = seconds();
    mandelbrot_on_host(width, height, most, expected);
    double host = seconds() - start;

    /* Near the border of the set the iteration is chaotic: a last bit that differs because a
       product was fused into a sum changes the count. These pixels are few. */
    size_t different = 0;
    for (size_t i = 0; i < pixels; i++)
        different += steps[i] != expected[i];
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%dx%d", width, height);
    int status = report("mandelbrot", sizes, "share of pixels that differ",
                        pixels > 0 ? (double)different / (double)pixels : 0.0, 0.01, device, host);
    free(steps);
    free(expected);
    return status;
}

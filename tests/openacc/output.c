/* What device code prints: formats as C promotes arguments, strings, one gang and several. */
#include <stdio.h>

struct point { int x; double y; };

static void say(int i, const char *word)
{
    printf("%d is %s\n", i, word);
}

static int checked(int value)
{
    if (value < 0)
        printf("never\n");
    return value + 1;
}

int main(void)
{
    float f = 1.5f;
    struct point points[2] = { { 1, 0.25 }, { -2, 1e10 } };
    int sum = 0;

    #pragma acc serial copyin(points)
    {
        char c = 'A';
        short s = -3;
        unsigned char u = 200;
        long l = -5000000000;
        unsigned long long ull = 18446744073709551615ull;
        size_t size = sizeof(points);
        printf("plain, 100%%\n");
        printf("%c %hd %hhu %ld %llu %zu %x %#o\n", c, s, u, l, ull, size, 255u, 8u);
        printf("[%5d] [%-5d] [%05d] [%+d] [%*d]\n", 42, 42, 42, 42, 6, 42);
        printf("%f %.3f %g %e %10.2f|\n", f, points[1].y, points[0].y, 12345.678, -0.5);
        printf("%.*f\n", 2, 3.14159);
        printf("%s, %-8s|%.2s\n", "text", "left", "cut off");
        puts("a line: 50%");
        putchar('x');
        putchar('\n');
    }

    #pragma acc parallel loop gang vector_length(1) num_gangs(4)
    for (int i = 0; i < 4; i++)
        if (i == 2) /* What several gangs print comes in any order. */
            say(i, i % 2 ? "odd" : "even");

    #pragma acc parallel loop reduction(+: sum)
    for (int i = 0; i < 1000; i++)
        sum += checked(i);
    printf("%d\n", sum);

    printf("before, ");
    #pragma acc parallel loop seq
    for (int i = 0; i < 3; i++)
        printf("%d%c", points[i % 2].x, i < 2 ? ' ' : '\n');
    return 0;
}

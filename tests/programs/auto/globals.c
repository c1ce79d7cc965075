/* No pragma: global and static arrays that nests and the host share by their names. */
#include "../nests/nest.h"

unsigned field[MOST + 1];
static unsigned work[MOST + 1][3];
unsigned *pointer;
int length;

static void prepare(void)
{
    for (int i = 0; i < length; i++)
        field[i] = (unsigned)(i * i + 3);
    for (int i = 0; i < length; i++)
        for (int j = 0; j < 3; j++)
            work[i][j] = field[i] + (unsigned)j;
}

static void combine(void)
{
    static unsigned calls;
    calls++;
    for (int i = 0; i < length; i++)
        pointer[i] += work[i][1] * calls;
}

static void run(int n)
{
    length = n;
    prepare();
    field[n / 2] = 1000;
    pointer = field;
    combine();
    printf("%u %u\n", field[0], work[n / 2][2]);
    work[n / 2][1] = 5;
    combine();
    pointer = &work[0][0];
    combine();
    show("field", n, MOST + 1, field);
    show("work", n, 3 * (MOST + 1), &work[0][0]);
}

int main(void)
{
    EACH_SIZE(n)
        run(n);
    return 0;
}

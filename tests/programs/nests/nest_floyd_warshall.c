// Shortest ways over the first k places, in place.
#include "nest.h"

static void floyd_warshall(int n, unsigned way[n][n])
{
    #pragma acc kernels copy(way[0:n][0:n])
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                way[i][j] = way[i][j] < way[i][k] + way[k][j] ? way[i][j] : way[i][k] + way[k][j];
}

static unsigned way[MOST * MOST];

int main(void)
{
    EACH_SIZE(n)
    {
        fill(n * n, way, 1);
        floyd_warshall(n, (void *)way);
        show("floyd_warshall", n, n * n, way);
    }
    return 0;
}

/* Structures in arrays and by value, nested ones, unions of members, local arrays, enums. */
#include <stdio.h>
#include <stdlib.h>

enum colour { RED, GREEN = 5, BLUE };

struct point {
    short x, y;
};

struct particle {
    char tag;
    double weight;
    struct point at[2];
    enum colour colour;
};

struct weights {
    int taps[3];
    int shift;
};

#define N 97

int main(void)
{
    struct particle *particles = malloc(N * sizeof *particles);
    for (int i = 0; i < N; i++) {
        struct particle fresh = {
            .tag = (char)('a' + i % 26),
            .weight = i * 0.5,
            .at = {{(short)i, (short)-i}, {(short)(2 * i), 1}},
            .colour = i % 3 == 0 ? RED : i % 3 == 1 ? GREEN : BLUE,
        };
        particles[i] = fresh;
    }
    struct weights weights = {{1, 4, 1}, 1};
    int smooth[N];

    #pragma acc parallel loop copy(particles[0:N]) copyout(smooth)
    for (int i = 0; i < N; i++) {
        int window[3];
        for (int t = 0; t < 3; t++) {
            int j = i + t - 1;
            window[t] = j < 0 || j >= N ? 0 : j * j;
        }
        int sum = 0;
        for (int t = 0; t < 3; t++)
            sum += weights.taps[t] * window[t];
        smooth[i] = sum >> weights.shift;

        particles[i].at[0].x += particles[i].at[1].y;
        particles[i].at[1].y = (short)(particles[i].at[0].x * 3);
        particles[i].weight *= particles[i].colour;
        if (particles[i].colour == BLUE)
            particles[i].tag = 'Z';
    }

    for (int i = 0; i < N; i++)
        printf("%c %g %d %d %d %d %d %d\n", particles[i].tag, particles[i].weight,
               particles[i].at[0].x, particles[i].at[0].y, particles[i].at[1].x,
               particles[i].at[1].y, particles[i].colour, smooth[i]);
    free(particles);
    return 0;
}

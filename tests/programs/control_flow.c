/* switch with fall-through, break, continue, do, nested loops left early, ?: and short circuits. */
#include <stdio.h>

#define N 200

int main(void)
{
    int by_switch[N], collatz[N], primes[N], nested[N], logic[N], data[N];
    for (int i = 0; i < N; i++)
        data[i] = (i * 37) % 101;

    #pragma acc parallel loop copyin(data) copyout(by_switch, collatz, primes, nested, logic)
    for (int i = 0; i < N; i++) {
        int value = 0;
        switch (data[i] % 7) {
        case 0:
            value = 1;
            break;
        case 1:
            value = 10;
            /* fall through */
        case 2:
        case 3:
            value += 100;
            break;
        case 5: {
            int local = data[i];
            value = local * local;
            break;
        }
        default:
            value = -data[i];
        }
        by_switch[i] = value;

        int steps = 0;
        unsigned at = (unsigned)data[i] + 1;
        while (at != 1) {
            at = at % 2 == 0 ? at / 2 : 3 * at + 1;
            steps++;
        }
        collatz[i] = steps;

        int prime = data[i] > 1;
        for (int divisor = 2; divisor * divisor <= data[i]; divisor++) {
            if (data[i] % divisor != 0)
                continue;
            prime = 0;
            break;
        }
        primes[i] = prime;

        int count = 0;
        for (int j = 0; j < 8; j++) {
            int k = 0;
            do {
                if ((j ^ k) == (data[i] & 7))
                    break;
                count += j > k ? 2 : 1;
                k++;
            } while (k < 8);
            if (count > 60)
                break;
        }
        nested[i] = count;

        /* The right side must not be evaluated where the left decides: it would divide by 0. */
        int zero_at_times = data[i] % 3;
        logic[i] = (zero_at_times != 0 && 12 / zero_at_times > 6) +
                   2 * (zero_at_times == 0 || 12 % zero_at_times == 0) +
                   4 * !(data[i] & 1);
    }

    for (int i = 0; i < N; i++)
        printf("%d %d %d %d %d\n", by_switch[i], collatz[i], primes[i], nested[i], logic[i]);
    return 0;
}

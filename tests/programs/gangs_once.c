/* What a loop's iterations do is done once, whatever number of gangs there is: where a loop has one iteration, where a
   sequential loop stands round loops of gangs, and by atomic updates in either. */
#include <stdio.h>

static int one_iteration(int first)
{
    int o = 0, p = 0, q = 0;
    #pragma acc parallel num_gangs(128) copy(o)
    {
        #pragma acc loop gang
        for (int i = 2; i < 3; i++) {
            #pragma acc loop vector
            for (int j = 0; j < 2; j++) {
                #pragma acc atomic update
                o++;
            }
        }
    }
    #pragma acc parallel loop num_gangs(128) copy(p)
    for (int i = first; i < first + 1; i++) {
        #pragma acc atomic update
        p++;
    }
    #pragma acc kernels loop gang(16) copy(q)
    for (int i = 0; i < 1; i++) {
        #pragma acc loop vector
        for (int j = 0; j < 3; j++) {
            #pragma acc atomic update
            q++;
        }
    }
    return o * 10000 + p * 100 + q;
}

static int sequence_in_kernels(int steps)
{
    int o = 0, v = 0, a[8] = {0}, c[64] = {0};
    #pragma acc kernels num_gangs(2) copy(o)
    {
        #pragma acc loop seq
        for (int i = 0; i < steps; i++) {
            #pragma acc loop gang vector
            for (int j = 0; j < 8; j++) {
                #pragma acc atomic update
                o++;
            }
        }
    }
    #pragma acc kernels num_gangs(2) copy(a)
    {
        #pragma acc loop seq
        for (int i = 0; i < steps; i++) {
            #pragma acc loop gang vector
            for (int j = 0; j < 8; j++) {
                #pragma acc atomic update
                a[j & 3] += i;
            }
        }
    }
    #pragma acc kernels num_gangs(2) copy(v, c)
    {
        #pragma acc loop seq
        for (int i = 0; i < steps; i++) {
            #pragma acc loop gang vector
            for (int j = 0; j < 8; j++) {
                int at;
                #pragma acc atomic capture
                at = v++;
                c[at & 63] += 1;
            }
        }
    }
    return o * 10000 + a[0] * 100 + v + c[63];
}

static int sequence_in_parallel(int steps)
{
    int o = 0, p = 0, q = 0;
    #pragma acc parallel num_gangs(2) copy(o)
    {
        #pragma acc loop seq
        for (int i = 0; i < steps; i++) {
            #pragma acc loop gang vector
            for (int j = 0; j < 8; j++) {
                #pragma acc atomic update
                o++;
            }
        }
    }
    #pragma acc parallel num_gangs(3) copy(p)
    {
        #pragma acc loop seq
        for (int i = 0; i < steps; i++) {
            #pragma acc loop gang
            for (int k = 0; k < 5; k++) {
                #pragma acc loop vector
                for (int j = 0; j < 33; j++) {
                    #pragma acc atomic update
                    p++;
                }
            }
        }
    }
    #pragma acc parallel num_gangs(3) copy(q)
    for (int i = 0; i < steps; i++) {
        #pragma acc loop
        for (int j = 0; j < 33; j++) {
            #pragma acc atomic update
            q += i;
        }
    }
    return o * 7 + p * 3 + q;
}

/* The threads of a gang wait for each other between its loops. */
static unsigned sweeps_of_a_gang(int steps)
{
    static int a[1002], b[1002];
    unsigned sum = 1;
    for (int i = 0; i < 1002; i++)
        a[i] = i * i % 37;
    #pragma acc parallel num_gangs(1) copy(a, b)
    {
        #pragma acc loop seq
        for (int t = 0; t < steps; t++) {
            #pragma acc loop gang
            for (int j = 1; j < 1001; j++)
                b[j] = a[j - 1] + a[j + 1];
            #pragma acc loop gang
            for (int j = 1; j < 1001; j++)
                a[j] = b[j - 1] + b[j + 1] + t;
        }
    }
    for (int i = 0; i < 1002; i++)
        sum = sum * 31 + a[i];
    return sum;
}

/* A loop that becomes one over rows and one over columns has its clause once. */
static int rows_with_clauses(int n)
{
    static long b[400], o[400];
    for (int i = 0; i < 400; i++)
        b[i] = i % 23, o[i] = i;
    #pragma acc kernels copy(b, o)
    {
        #pragma acc loop gang
        for (int i = 0; i < 4; i++) {
            #pragma acc loop worker vector
            for (int j = 0; j < n; j++) {
                #pragma acc atomic update
                o[j % 3] += b[i * 50 + j];
            }
        }
        #pragma acc loop gang
        for (int j = 0; j < n; j++)
            o[j / 3 * 10 + j % 3] += b[j];
    }
    long sum = 0;
    for (int i = 0; i < 400; i++)
        sum += o[i] * (i % 7 + 1);
    return sum;
}

int main(void)
{
    printf("%d\n", one_iteration(3));
    for (int steps = 0; steps < 9; steps += 4)
        printf("%d %d %u %d\n", sequence_in_kernels(steps), sequence_in_parallel(steps),
               sweeps_of_a_gang(steps), rows_with_clauses(steps * 9));
    return 0;
}

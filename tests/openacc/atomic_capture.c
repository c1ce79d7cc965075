/* atomic read, write, update and capture (OpenACC 3.3 2.12): every form of statement, every
   arithmetic type. What is printed does not depend on the order of the iterations. */
#include <stdio.h>

#define N 300

static int seen[N + 1];

/* Whether the captured values are first, first + step, ..., each once. */
static int permutation(const double *values, int count, double first, double step)
{
    for (int i = 0; i <= N; i++)
        seen[i] = 0;
    for (int i = 0; i < count; i++) {
        double place = (values[i] - first) / step;
        if (place < 0 || place >= count || place != (int)place || seen[(int)place]++)
            return 0;
    }
    return 1;
}

#define CAPTURE(WORDS, T, START, STATEMENT, FIRST, STEP)                                           \
    do {                                                                                           \
        T cells[3] = {11, START, 13};                                                              \
        _Pragma("acc parallel loop copy(cells) copyout(kept)")                                     \
        for (int i = 0; i < COUNT; i++) {                                                          \
            T v;                                                                                   \
            _Pragma("acc atomic capture") STATEMENT                                                \
            kept[i] = (double)v;                                                                   \
        }                                                                                          \
        printf("%s %s: %d %g %g %g\n", #T, WORDS, permutation(kept, COUNT, FIRST, STEP),           \
               (double)cells[0], (double)cells[1], (double)cells[2]);                              \
    } while (0)

#define FORMS(T)                                                                                   \
    CAPTURE("v = x++", T, 3, v = cells[1]++;, 3, 1);                                               \
    CAPTURE("v = x--", T, 101, v = cells[1]--;, 101, -1);                                          \
    CAPTURE("v = ++x", T, 3, v = ++cells[1];, 4, 1);                                               \
    CAPTURE("v = --x", T, 101, v = --cells[1];, 100, -1);                                          \
    CAPTURE("v = x += 1", T, 3, v = cells[1] += 1;, 4, 1);                                         \
    CAPTURE("v = x = x + 1", T, 3, v = cells[1] = cells[1] + 1;, 4, 1);                            \
    CAPTURE("v = x = 1 + x", T, 3, v = cells[1] = 1 + cells[1];, 4, 1);                            \
    CAPTURE("{v = x; x -= 1;}", T, 101, {v = cells[1]; cells[1] -= 1;}, 101, -1);                  \
    CAPTURE("{x -= 1; v = x;}", T, 101, {cells[1] -= 1; v = cells[1];}, 100, -1);                  \
    CAPTURE("{v = x; x = x + 1;}", T, 3, {v = cells[1]; cells[1] = cells[1] + 1;}, 3, 1);          \
    CAPTURE("{v = x; x = 1 + x;}", T, 3, {v = cells[1]; cells[1] = 1 + cells[1];}, 3, 1);          \
    CAPTURE("{x = x - 1; v = x;}", T, 101, {cells[1] = cells[1] - 1; v = cells[1];}, 100, -1);     \
    CAPTURE("{v = x; x++;}", T, 3, {v = cells[1]; cells[1]++;}, 3, 1);                             \
    CAPTURE("{--x; v = x;}", T, 101, {--cells[1]; v = cells[1];}, 100, -1);                        \
    CAPTURE("{v = x; x = e;}", T, 0, {v = cells[1]; cells[1] = i + 1 == COUNT ? 0 : 7;}, 0, 7)

int main(void)
{
    enum { COUNT = 1 };
    double kept[N];
    FORMS(double);
#undef FORMS
#define FORMS_OF_MANY(T)                                                                           \
    CAPTURE("v = x++", T, 3, v = cells[1]++;, 3, 1);                                               \
    CAPTURE("v = --x", T, 101, v = --cells[1];, 100, -1);                                          \
    CAPTURE("v = x += 1", T, 3, v = cells[1] += 1;, 4, 1);                                         \
    CAPTURE("v = x = 1 + x", T, 3, v = cells[1] = 1 + cells[1];, 4, 1);                            \
    CAPTURE("{v = x; x -= 1;}", T, 101, {v = cells[1]; cells[1] -= 1;}, 101, -1);                  \
    CAPTURE("{x = x + 1; v = x;}", T, 3, {cells[1] = cells[1] + 1; v = cells[1];}, 4, 1)
    {
        enum { COUNT = 97 };
        FORMS_OF_MANY(char);
        FORMS_OF_MANY(signed char);
        FORMS_OF_MANY(unsigned char);
        FORMS_OF_MANY(short);
        FORMS_OF_MANY(unsigned short);
        FORMS_OF_MANY(int);
        FORMS_OF_MANY(unsigned);
        FORMS_OF_MANY(long);
        FORMS_OF_MANY(unsigned long);
        FORMS_OF_MANY(long long);
        FORMS_OF_MANY(float);
        FORMS_OF_MANY(double);
    }

    /* Operators that are no addition: each iteration sets, clears or flips a bit of its own. */
    unsigned bits[3] = {0, 0xffffffff, 0x55555555}, before[3][32], after[3][32];
    #pragma acc parallel loop copy(bits) copyout(before, after)
    for (int i = 0; i < 32; i++) {
        #pragma acc atomic capture
        { before[0][i] = bits[0]; bits[0] |= 1u << i; }
        #pragma acc atomic capture
        { bits[0] = bits[0] | 0u; after[0][i] = bits[0]; }
        #pragma acc atomic capture
        { before[1][i] = bits[1]; bits[1] &= ~(1u << i); }
        #pragma acc atomic capture
        after[1][i] = bits[1] &= 0xffffffffu;
        #pragma acc atomic capture
        { before[2][i] = bits[2]; bits[2] = bits[2] ^ (1u << i); }
        #pragma acc atomic capture if(i % 2)
        after[2][i] = bits[2] = 0u ^ bits[2];
    }
    int wrong = 0;
    for (int i = 0; i < 32; i++) {
        wrong += (before[0][i] >> i & 1) != 0 || (after[0][i] >> i & 1) != 1;
        wrong += (before[1][i] >> i & 1) != 1 || (after[1][i] >> i & 1) != 0;
        wrong += (before[2][i] >> i & 1) == (after[2][i] >> i & 1);
    }
    printf("%08x %08x %08x wrong %d\n", bits[0], bits[1], bits[2], wrong);

    /* Multiplication, division and shifts, of narrow and of floating types. */
    unsigned char shifted = 1;
    short product = 1, quotient = 16384;
    float half = 1024;
    double twice = 1;
    int swapped = 5;
    #pragma acc parallel loop copy(shifted, product, quotient, half, twice)
    for (int i = 0; i < 10; i++) {
        #pragma acc atomic
        product *= 2;
        #pragma acc atomic update
        quotient /= 2;
        #pragma acc atomic
        half = half / 2;
        #pragma acc atomic
        twice = 2 * twice;
        if (i < 7) {
            #pragma acc atomic
            shifted <<= 1;
        }
    }
    #pragma acc parallel loop copy(swapped)
    for (int i = 0; i < 2; i++) {
        #pragma acc atomic
        swapped = 100 - swapped;
    }
    printf("%d %d %d %g %g %d\n", shifted, product, quotient, half, twice, swapped);

    /* Reading and writing. */
    int chosen = 0, all = 0;
    short flag = 0;
    double read[N];
    float source = 2.5f;
    #pragma acc parallel loop copy(chosen, flag) copyin(source) copyout(read)
    for (int i = 0; i < N; i++) {
        #pragma acc atomic write
        chosen = 7 + i % 1;
        #pragma acc atomic write
        flag = 40000 / 2;
        float value;
        #pragma acc atomic read
        value = source;
        read[i] = value;
    }
    for (int i = 0; i < N; i++)
        all += read[i] == 2.5;
    printf("%d %d %d\n", chosen, flag, all);
    return 0;
}

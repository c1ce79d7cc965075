/* Bit-fields in device code: read, written, stepped, in local structures, of every kind of type. */
#include <stdio.h>
#include <stdbool.h>

struct flags {
    char tag;
    unsigned a : 3;
    int b : 5;
    unsigned c : 17;
    bool d : 1;
    long long e : 40;
    unsigned long long f : 24;
    unsigned short g : 9, h : 7;
    int whole;
};

union bits {
    float value;
    struct { unsigned fraction : 23, exponent : 8, sign : 1; } parts;
};

static int mixed(struct flags f)
{
    return f.a + f.b + (int)f.c + f.d + (int)(f.e % 1000) + (int)f.f + f.g - f.h;
}

int main(void)
{
    enum { N = 37 };
    static struct flags s[N];
    static int sums[N], results[N], exponents[N];
    for (int i = 0; i < N; i++)
        s[i] = (struct flags){ 'x', i, i - 20, i * 4000, i & 1, -i * 1000000000ll, i * 400000, i * 11, i, i };

    #pragma acc parallel loop copy(s) copyout(sums, results, exponents)
    for (int i = 0; i < N; i++) {
        struct flags local = { .a = 5, .b = -7, .e = 1ll << 38 };
        sums[i] = mixed(s[i]) + mixed(local);
        s[i].a += 3;
        s[i].b--;
        s[i].c ^= 0x15555;
        s[i].d = i & 2;
        s[i].e *= 3;
        s[i].f <<= 3;
        results[i] = (s[i].g = i * 97) + s[i].h++ * 1000 + (local.a = 9 & 7) + (local.b = i);
        results[i] += ++s[i].h;
        local.d = !s[i].d;
        results[i] += local.d + local.a * 2 + (s[i].whole < s[i].b);
        union bits u = { .value = i * 1.5f };
        exponents[i] = u.parts.exponent - 127;
        u.parts.sign = 1;
        u.parts.exponent++;
        exponents[i] = exponents[i] * 10000 + (int)u.value;
    }
    for (int i = 0; i < N; i++)
        printf("%d: %d %d %d | %c %u %d %u %d %lld %llu %u %u %d\n", i, sums[i], results[i], exponents[i],
               s[i].tag, s[i].a, s[i].b, s[i].c, s[i].d, (long long)s[i].e, (unsigned long long)s[i].f,
               s[i].g, s[i].h, s[i].whole);
    return 0;
}

/* Prices of European options (BlackScholes), of Hayashi et al. 2019: functions of <math.h> for doubles, whose arguments and results are
   floats (section 4.2.3).  Usage: blackscholes [options] */
#include "../../../examples/check.h"
#include "forms.h"

/* The share of a normal distribution below `d`, by the polynomial 26.2.17 of Abramowitz and Stegun. */
static inline float below(float d)
{
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float tail = (float)exp(-0.5f * d * d) * 0.39894228f * k
                 * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return d > 0 ? 1 - tail : tail;
}

static void price(int n, float rate, float volatility, const float *restrict stock, const float *restrict strike,
                  const float *restrict years, float *restrict call, float *restrict put)
{
    DEVICE_LOOP(copyin(stock[0:n], strike[0:n], years[0:n]) copyout(call[0:n], put[0:n]),
                map(to: stock[0:n], strike[0:n], years[0:n]) map(from: call[0:n], put[0:n]))
    for (int i = 0; i < n; i++) {
        float deviation = volatility * (float)sqrt(years[i]);
        float upper = ((float)log(stock[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / deviation;
        float lower = upper - deviation;
        float discounted = strike[i] * (float)exp(-rate * years[i]);
        call[i] = stock[i] * below(upper) - discounted * below(lower);
        put[i] = discounted * (1 - below(lower)) - stock[i] * (1 - below(upper));
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 20011);
    float *stock = allocate(n, sizeof *stock), *strike = allocate(n, sizeof *strike);
    float *years = allocate(n, sizeof *years), *call = allocate(n, sizeof *call), *put = allocate(n, sizeof *put);
    for (int i = 0; i < n; i++) {
        stock[i] = 5 + 25 * (float)sample(3 * (unsigned)i);
        strike[i] = 1 + 99 * (float)sample(3 * (unsigned)i + 1);
        years[i] = 0.25f + 9.75f * (float)sample(3 * (unsigned)i + 2);
    }
    float rate = 0.02f, volatility = 0.3f;
    price(n, rate, volatility, stock, strike, years, call, put);
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double deviation = volatility * sqrt(years[i]);
        double upper = (log((double)stock[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / deviation;
        double lower = upper - deviation, discounted = strike[i] * exp(-(double)rate * years[i]);
        double up = 0.5 * erfc(-upper / sqrt(2)), down = 0.5 * erfc(-lower / sqrt(2));
        double error = fmax(fabs(call[i] - (stock[i] * up - discounted * down)),
                            fabs(put[i] - (discounted * (1 - down) - stock[i] * (1 - up))));
        worst = fmax(worst, isnan(error) ? INFINITY : error / fmax(stock[i], strike[i]));
    }
    printf("blackscholes %d: error %.1e of the amounts\n", n, worst);
    free(stock);
    free(strike);
    free(years);
    free(call);
    free(put);
    return !(worst <= 2e-6);
}

/* European option prices by the formula of Black and Scholes: arithmetic and math functions, no
   communication, and a function called from the loop.  Usage: black-scholes [options] */
#include "check.h"

static const float rate = 0.02f, volatility = 0.30f;

/* The normal distribution by the polynomial 26.2.17 of Abramowitz and Stegun. */
static inline float normal_distribution(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float tail = 0.39894228f * expf(-0.5f * d * d) * k *
                 (0.31938153f +
                  k * (-0.356563782f +
                       k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return d > 0.0f ? 1.0f - tail : tail;
}

static void price(int n, const float *restrict stock, const float *restrict strike,
                  const float *restrict years, float *restrict call, float *restrict put)
{
    #pragma acc parallel loop copyin(stock[0:n], strike[0:n], years[0:n]) \
                              copyout(call[0:n], put[0:n])
    for (int i = 0; i < n; i++) {
        float deviation = volatility * sqrtf(years[i]);
        float d1 = (logf(stock[i] / strike[i]) +
                    (rate + 0.5f * volatility * volatility) * years[i]) / deviation;
        float d2 = d1 - deviation;
        float discounted = strike[i] * expf(-rate * years[i]);
        float in_d1 = normal_distribution(d1), in_d2 = normal_distribution(d2);
        call[i] = stock[i] * in_d1 - discounted * in_d2;
        put[i] = discounted * (1.0f - in_d2) - stock[i] * (1.0f - in_d1);
    }
}

static void price_on_host(int n, const float *stock, const float *strike, const float *years,
                          float *call, float *put)
{
    for (int i = 0; i < n; i++) {
        float deviation = volatility * sqrtf(years[i]);
        float d1 = (logf(stock[i] / strike[i]) +
                    (rate + 0.5f * volatility * volatility) * years[i]) / deviation;
        float d2 = d1 - deviation;
        float discounted = strike[i] * expf(-rate * years[i]);
        float in_d1 = normal_distribution(d1), in_d2 = normal_distribution(d2);
        call[i] = stock[i] * in_d1 - discounted * in_d2;
        put[i] = discounted * (1.0f - in_d2) - stock[i] * (1.0f - in_d1);
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 20011);
    float *stock = allocate(n, sizeof *stock);
    float *strike = allocate(n, sizeof *strike);
    float *years = allocate(n, sizeof *years);
    float *call = allocate(n, sizeof *call);
    float *put = allocate(n, sizeof *put);
    float *expected_call = allocate(n, sizeof *expected_call);
    float *expected_put = allocate(n, sizeof *expected_put);
    for (int i = 0; i < n; i++) {
        stock[i] = 5.0f + 25.0f * (float)sample(3 * i);
        strike[i] = 1.0f + 99.0f * (float)sample(3 * i + 1);
        years[i] = 0.25f + 9.75f * (float)sample(3 * i + 2);
    }

    double start = seconds();
    price(n, stock, strike, years, call, put);
    double device = seconds() - start;
    start = seconds();
    price_on_host(n, stock, strike, years, expected_call, expected_put);
    double host = seconds() - start;

    /* A price is a difference of two larger amounts, so its error is measured against the larger
       of them. log and exp may be some units in the last place off on either side; the division
       by the deviation (at least 0.15) enlarges that about tenfold. */
    double error = 0.0;
    for (int i = 0; i < n; i++) {
        double amount = fmax(stock[i], strike[i]);
        double off = fmax(fabs((double)call[i] - expected_call[i]),
                          fabs((double)put[i] - expected_put[i])) / amount;
        error = fmax(error, isnan(call[i]) || isnan(put[i]) ? INFINITY : off);
    }
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%d options", n);
    int status = report("black-scholes", sizes, "max error of the amounts", error, 2e-6, device,
                        host);
    free(stock);
    free(strike);
    free(years);
    free(call);
    free(put);
    free(expected_call);
    free(expected_put);
    return status;
}

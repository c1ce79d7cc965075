/* An eigenvalue of a large sparse matrix by inverse power iteration, each step solved by conjugate gradients:
 * the benchmark CG of the NAS Parallel Benchmarks (Bailey et al., RNR-94-007), with its random numbers, its matrices, its
 * sizes and its numbers to verify against.
 *
 * The matrix is the sum of outer products of sparse random vectors, weighted by a geometric series, so that its condition is
 * known; its rows are of uneven length, and reads of the vector go anywhere. All vectors live on the device from the first
 * step to the last; what the host sees between launches are the scalars that sums leave.
 *
 * Usage: cg [class]                     S, W, A, B or C; a class that is named is timed
 *        cg [rows] [entries] [steps]    a matrix of one's own, compared with the host's result */
#include "check.h"

#include <string.h>

/* ---------------------------------------------------------------------------------------------------------------------
 * Sizes
 * ------------------------------------------------------------------------------------------------------------------ */

/* Steps of the solver for each step of the iteration. */
enum { INNER = 25 };

/* The condition of a matrix is the inverse of this. */
static const double CONDITION = 0.1;

/* A size of the benchmark. */
struct problem {
    char class;     /* its letter, or '-' */
    int rows;       /* of the matrix, and columns */
    int entries;    /* of each random vector; one more where it does not hold its own row */
    int steps;      /* of the iteration */
    double shift;   /* what is taken off the diagonal */
    double zeta;    /* the right result; 0 where it is not known */
};

static const struct problem CLASSES[] = {
    { 'S', 1400, 7, 15, 10.0, 8.5971775078648 },
    { 'W', 7000, 8, 15, 12.0, 10.362595087124 },
    { 'A', 14000, 11, 15, 20.0, 17.130235054029 },
    { 'B', 75000, 13, 75, 60.0, 22.712745482631 },
    { 'C', 150000, 15, 75, 110.0, 28.973605592845 },
};

/* The problem that the command line asks for. */
static struct problem asked(int argc, char **argv)
{
    const char *letters = "SWABC";
    if (argc > 1 && strlen(argv[1]) == 1 && strchr(letters, argv[1][0]) != NULL)
        return CLASSES[strchr(letters, argv[1][0]) - letters];
    struct problem it = CLASSES[0];
    if (argc > 1) {
        it.class = '-';
        it.zeta = 0.0;
        it.rows = size_argument(argc, argv, 1, it.rows);
        it.entries = size_argument(argc, argv, 2, it.entries);
        it.steps = size_argument(argc, argv, 3, it.steps);
        /* The entries of a vector are in places of their own. */
        if (it.entries > it.rows)
            it.entries = it.rows;
    }
    return it;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Time
 * ------------------------------------------------------------------------------------------------------------------ */

enum timer { MATRIX, COPIES, PRODUCTS, VECTORS, ITERATION, HOST, TIMERS };

static const char *const TIMER_NAMES[TIMERS] = {
    "making the matrix", "copies to the device", "products with the matrix", "sums and updates of vectors",
    "iteration on the device", "iteration on the host",
};

struct clocks {
    double total[TIMERS];
    double begun[TIMERS];
    int runs;       /* nothing is measured where it is 0 */
};

static void start_timer(struct clocks *clocks, enum timer timer)
{
    if (clocks->runs)
        clocks->begun[timer] = seconds();
}

static void stop_timer(struct clocks *clocks, enum timer timer)
{
    if (clocks->runs)
        clocks->total[timer] += seconds() - clocks->begun[timer];
}

/* Floating-point operations of the iteration, as the benchmark counts them. */
static double operations(const struct problem *problem)
{
    double per_row = (double)problem->entries * (problem->entries + 1);
    return 2.0 * problem->steps * problem->rows * (3.0 + per_row + INNER * (5.0 + per_row) + 3.0);
}

/* What each part of a class took, on the terminal beside the answer. */
static void print_timers(const struct problem *problem, const struct clocks *clocks)
{
    for (int timer = 0; timer < TIMERS; timer++)
        if (clocks->total[timer] > 0.0)
            fprintf(stderr, "  %-28s %10.6f s\n", TIMER_NAMES[timer], clocks->total[timer]);
    if (clocks->total[ITERATION] > 0.0)
        fprintf(stderr, "  %-28s %10.1f Mflop/s\n", "rate of the iteration",
                1e-6 * operations(problem) / clocks->total[ITERATION]);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Random numbers: x' = 5^13 x mod 2^46, as values in (0, 1) (RNR-94-007, section 2.3)
 * ------------------------------------------------------------------------------------------------------------------ */

struct random {
    unsigned long long state;
};

static const unsigned long long RANDOM_SEED = 314159265, RANDOM_FACTOR = 1220703125;

static double next_random(struct random *random)
{
    /* What overflows 64 bits is above the 46 that count. */
    random->state = (random->state * RANDOM_FACTOR) & ((1ull << 46) - 1);
    return ldexp((double)random->state, -46);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The matrix
 * ------------------------------------------------------------------------------------------------------------------ */

/* A matrix in compressed rows. */
struct matrix {
    int rows, entries;
    int *start, *column;
    double *value;
};

/* The sparse vectors that a matrix is made of: `length` places each, of which `count` are used. */
struct vectors {
    int rows, length;
    int *count, *place;
    double *value;
};

/* Vector `row`: entries at random places, and 1/2 at its own. */
static void make_vector(const struct problem *problem, struct random *random, struct vectors *all, int row)
{
    /* Places are drawn from a power of two, and drawn again where there is no such row. */
    int range = 1;
    do
        range *= 2;
    while (range < problem->rows);

    int *place = all->place + (size_t)row * all->length;
    double *value = all->value + (size_t)row * all->length;
    int count = 0;
    while (count < problem->entries) {
        double element = next_random(random);
        int at = (int)(range * next_random(random));
        int is_new = at < problem->rows;
        for (int k = 0; is_new && k < count; k++)
            is_new = place[k] != at;
        if (is_new) {
            place[count] = at;
            value[count++] = element;
        }
    }
    int own = 0;
    while (own < count && place[own] != row)
        own++;
    if (own == count)
        place[count++] = row;
    value[own] = 0.5;
    all->count[row] = count;
}

static struct vectors make_vectors(const struct problem *problem)
{
    int length = problem->entries + 1;
    size_t most = (size_t)problem->rows * (size_t)length;
    struct vectors all = { problem->rows, length, allocate(problem->rows, sizeof *all.count),
                           allocate(most, sizeof *all.place), allocate(most, sizeof *all.value) };
    struct random random = { RANDOM_SEED };
    /* The benchmark draws one number before it begins. */
    next_random(&random);
    for (int row = 0; row < problem->rows; row++)
        make_vector(problem, &random, &all, row);
    return all;
}

static void free_vectors(struct vectors *all)
{
    free(all->count);
    free(all->place);
    free(all->value);
}

/* For each row the vectors that have an entry there, in compressed rows: `start[r]` to `start[r + 1]` of `member`. */
static void invert(const struct vectors *all, int *start, int *member)
{
    for (int row = 0; row < all->rows; row++)
        for (int k = 0; k < all->count[row]; k++)
            start[all->place[(size_t)row * all->length + k] + 1]++;
    for (int row = 0; row < all->rows; row++)
        start[row + 1] += start[row];
    int *next = allocate(all->rows, sizeof *next);
    memcpy(next, start, (size_t)all->rows * sizeof *next);
    for (int row = 0; row < all->rows; row++)
        for (int k = 0; k < all->count[row]; k++)
            member[next[all->place[(size_t)row * all->length + k]]++] = row;
    free(next);
}

static int by_number(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* The sum of weighted outer products of the vectors, row by row: row r is the sum of the vectors that have an entry there,
 * times that entry. The weights fall geometrically from 1 to the inverse of the condition. */
static struct matrix make_matrix(const struct problem *problem)
{
    int rows = problem->rows;
    struct vectors all = make_vectors(problem);
    size_t members = 0, most = 0;
    for (int row = 0; row < rows; row++) {
        members += (size_t)all.count[row];
        most += (size_t)all.count[row] * (size_t)all.count[row];
    }
    int *start = allocate((size_t)rows + 1, sizeof *start), *member = allocate(members, sizeof *member);
    invert(&all, start, member);

    struct matrix m = { rows, 0, allocate((size_t)rows + 1, sizeof *m.start), allocate(most, sizeof *m.column),
                        allocate(most, sizeof *m.value) };
    double *weight = allocate(rows, sizeof *weight), *sum = allocate(rows, sizeof *sum);
    double ratio = rows > 0 ? pow(CONDITION, 1.0 / rows) : 1.0;
    for (int row = 0; row < rows; row++)
        weight[row] = row == 0 ? 1.0 : weight[row - 1] * ratio;
    /* The row that a column of `sum` was last written in. */
    int *written = allocate(rows, sizeof *written);
    for (int row = 0; row < rows; row++) {
        int first = m.entries;
        for (int e = start[row]; e < start[row + 1]; e++) {
            int vector = member[e];
            const int *place = all.place + (size_t)vector * all.length;
            const double *value = all.value + (size_t)vector * all.length;
            double own = 0.0;
            for (int k = 0; k < all.count[vector]; k++)
                if (place[k] == row)
                    own = value[k];
            double scale = weight[vector] * own;
            for (int k = 0; k < all.count[vector]; k++) {
                if (written[place[k]] != row + 1) {
                    written[place[k]] = row + 1;
                    sum[place[k]] = 0.0;
                    m.column[m.entries++] = place[k];
                }
                sum[place[k]] += value[k] * scale;
                if (place[k] == row && vector == row)
                    sum[row] += CONDITION - problem->shift;
            }
        }
        qsort(m.column + first, (size_t)(m.entries - first), sizeof *m.column, by_number);
        for (int e = first; e < m.entries; e++)
            m.value[e] = sum[m.column[e]];
        m.start[row + 1] = m.entries;
    }
    free(start);
    free(member);
    free(weight);
    free(sum);
    free(written);
    free_vectors(&all);
    return m;
}

static void free_matrix(struct matrix *m)
{
    free(m->start);
    free(m->column);
    free(m->value);
}

/* Whether a matrix is well formed and symmetric, as sums of outer products are: columns ascend, and each entry has its like
 * on the other side of the diagonal, up to rounding. */
static int is_sound(const struct matrix *m)
{
    for (int row = 0; row < m->rows; row++) {
        for (int e = m->start[row]; e < m->start[row + 1]; e++) {
            int column = m->column[e];
            if (column < 0 || column >= m->rows || (e > m->start[row] && column <= m->column[e - 1]))
                return 0;
            /* The same entry across the diagonal, found by halving. */
            int low = m->start[column], high = m->start[column + 1];
            while (high - low > 1) {
                int middle = low + (high - low) / 2;
                if (m->column[middle] <= row)
                    low = middle;
                else
                    high = middle;
            }
            if (low == high || m->column[low] != row || fabs(m->value[low] - m->value[e]) > 1e-12)
                return 0;
        }
    }
    return 1;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The solver on the device
 * ------------------------------------------------------------------------------------------------------------------ */

/* The vectors of the iteration. */
struct state {
    double *x, *z, *p, *q, *r;
};

static struct state make_state(int rows)
{
    return (struct state){ allocate(rows, sizeof(double)), allocate(rows, sizeof(double)),
                           allocate(rows, sizeof(double)), allocate(rows, sizeof(double)),
                           allocate(rows, sizeof(double)) };
}

static void free_state(struct state *state)
{
    free(state->x);
    free(state->z);
    free(state->p);
    free(state->q);
    free(state->r);
}

/* y = A x; gives back x y. */
static double product(int rows, const int *restrict start, const int *restrict column, const double *restrict value,
                      const double *restrict x, double *restrict y)
{
    int entries = start[rows];
    double dot = 0.0;
    #pragma acc parallel loop reduction(+: dot) present(start[0:rows + 1], column[0:entries], value[0:entries]) \
                              present(x[0:rows], y[0:rows])
    for (int i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int e = start[i]; e < start[i + 1]; e++)
            sum += value[e] * x[column[e]];
        y[i] = sum;
        dot += sum * x[i];
    }
    return dot;
}

/* The start of the solver: z = q = 0, p = r = x; gives back r r. */
static double begin_solve(int rows, const double *restrict x, double *restrict z, double *restrict p,
                          double *restrict q, double *restrict r)
{
    double rho = 0.0;
    #pragma acc parallel loop reduction(+: rho) present(x[0:rows], z[0:rows], p[0:rows], q[0:rows], r[0:rows])
    for (int i = 0; i < rows; i++) {
        z[i] = 0.0;
        q[i] = 0.0;
        r[i] = x[i];
        p[i] = x[i];
        rho += x[i] * x[i];
    }
    return rho;
}

/* z += alpha p, r -= alpha q; gives back r r. */
static double advance(int rows, double alpha, const double *restrict p, const double *restrict q, double *restrict z,
                      double *restrict r)
{
    double rho = 0.0;
    #pragma acc parallel loop reduction(+: rho) present(p[0:rows], q[0:rows], z[0:rows], r[0:rows])
    for (int i = 0; i < rows; i++) {
        z[i] += alpha * p[i];
        r[i] -= alpha * q[i];
        rho += r[i] * r[i];
    }
    return rho;
}

/* p = r + beta p. */
static void turn(int rows, double beta, const double *restrict r, double *restrict p)
{
    #pragma acc parallel loop present(r[0:rows], p[0:rows])
    for (int i = 0; i < rows; i++)
        p[i] = r[i] + beta * p[i];
}

/* The squared norm of x - y. */
static double distance(int rows, const double *restrict x, const double *restrict y)
{
    double sum = 0.0;
    #pragma acc parallel loop reduction(+: sum) present(x[0:rows], y[0:rows])
    for (int i = 0; i < rows; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sum;
}

/* z = A^-1 x by conjugate gradients; gives back the norm of what is left, |x - A z|. */
static double solve(const struct matrix *m, const struct state *s, struct clocks *clocks)
{
    int rows = m->rows;
    start_timer(clocks, VECTORS);
    double rho = begin_solve(rows, s->x, s->z, s->p, s->q, s->r);
    stop_timer(clocks, VECTORS);
    for (int step = 0; step < INNER && rho > 0.0; step++) {
        start_timer(clocks, PRODUCTS);
        double d = product(rows, m->start, m->column, m->value, s->p, s->q);
        stop_timer(clocks, PRODUCTS);
        start_timer(clocks, VECTORS);
        double after = advance(rows, rho / d, s->p, s->q, s->z, s->r);
        turn(rows, after / rho, s->r, s->p);
        rho = after;
        stop_timer(clocks, VECTORS);
    }
    start_timer(clocks, PRODUCTS);
    product(rows, m->start, m->column, m->value, s->z, s->r);
    stop_timer(clocks, PRODUCTS);
    return sqrt(distance(rows, s->x, s->r));
}

/* x = 1. */
static void set_ones(int rows, double *restrict x)
{
    #pragma acc parallel loop present(x[0:rows])
    for (int i = 0; i < rows; i++)
        x[i] = 1.0;
}

/* x = z / |z|; gives back x z of the old x. */
static double normalize(int rows, double *restrict x, const double *restrict z)
{
    double xz = 0.0, zz = 0.0;
    #pragma acc parallel loop reduction(+: xz, zz) present(x[0:rows], z[0:rows])
    for (int i = 0; i < rows; i++) {
        xz += x[i] * z[i];
        zz += z[i] * z[i];
    }
    double scale = zz > 0.0 ? 1.0 / sqrt(zz) : 0.0;
    #pragma acc parallel loop present(x[0:rows], z[0:rows])
    for (int i = 0; i < rows; i++)
        x[i] = scale * z[i];
    return xz;
}

/* What the iteration finds: zeta, and what the last solution leaves. */
struct found {
    double zeta, left;
};

static struct found iterate(const struct problem *problem, const struct matrix *m, struct clocks *clocks)
{
    int rows = m->rows, entries = m->entries;
    const int *start = m->start, *column = m->column;
    const double *value = m->value;
    struct state s = make_state(rows);
    double *x = s.x, *z = s.z, *p = s.p, *q = s.q, *r = s.r;
    struct found found = { 0.0, 0.0 };
    struct clocks none = { .runs = 0 };
    start_timer(clocks, COPIES);
    #pragma acc data copyin(start[0:rows + 1], column[0:entries], value[0:entries]) \
                     create(x[0:rows], z[0:rows], p[0:rows], q[0:rows], r[0:rows])
    {
        stop_timer(clocks, COPIES);
        /* A step ahead of the clock, as the benchmark asks: whatever happens once has happened. */
        set_ones(rows, x);
        solve(m, &s, &none);
        normalize(rows, x, z);

        set_ones(rows, x);
        start_timer(clocks, ITERATION);
        for (int step = 0; step < problem->steps; step++) {
            found.left = solve(m, &s, clocks);
            double xz = normalize(rows, x, z);
            found.zeta = xz != 0.0 ? problem->shift + 1.0 / xz : 0.0;
        }
        stop_timer(clocks, ITERATION);
    }
    free_state(&s);
    return found;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The same on the host, as the benchmark's text has it
 * ------------------------------------------------------------------------------------------------------------------ */

static void product_on_host(const struct matrix *m, const double *x, double *y)
{
    for (int i = 0; i < m->rows; i++) {
        y[i] = 0.0;
        for (int e = m->start[i]; e < m->start[i + 1]; e++)
            y[i] += m->value[e] * x[m->column[e]];
    }
}

static double dot_on_host(int rows, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < rows; i++)
        sum += x[i] * y[i];
    return sum;
}

static double solve_on_host(const struct matrix *m, const struct state *s)
{
    int rows = m->rows;
    for (int i = 0; i < rows; i++) {
        s->z[i] = 0.0;
        s->r[i] = s->p[i] = s->x[i];
    }
    double rho = dot_on_host(rows, s->r, s->r);
    for (int step = 0; step < INNER && rho > 0.0; step++) {
        product_on_host(m, s->p, s->q);
        double alpha = rho / dot_on_host(rows, s->p, s->q), before = rho;
        for (int i = 0; i < rows; i++) {
            s->z[i] += alpha * s->p[i];
            s->r[i] -= alpha * s->q[i];
        }
        rho = dot_on_host(rows, s->r, s->r);
        for (int i = 0; i < rows; i++)
            s->p[i] = s->r[i] + rho / before * s->p[i];
    }
    product_on_host(m, s->z, s->r);
    double left = 0.0;
    for (int i = 0; i < rows; i++)
        left += (s->x[i] - s->r[i]) * (s->x[i] - s->r[i]);
    return sqrt(left);
}

static struct found iterate_on_host(const struct problem *problem, const struct matrix *m)
{
    int rows = m->rows;
    struct state s = make_state(rows);
    struct found found = { 0.0, 0.0 };
    for (int i = 0; i < rows; i++)
        s.x[i] = 1.0;
    for (int step = 0; step < problem->steps; step++) {
        found.left = solve_on_host(m, &s);
        double xz = dot_on_host(rows, s.x, s.z), norm = sqrt(dot_on_host(rows, s.z, s.z));
        found.zeta = xz != 0.0 ? problem->shift + 1.0 / xz : 0.0;
        for (int i = 0; i < rows; i++)
            s.x[i] = norm > 0.0 ? s.z[i] / norm : 0.0;
    }
    free_state(&s);
    return found;
}

/* ------------------------------------------------------------------------------------------------------------------ */

int main(int argc, char **argv)
{
    struct problem problem = asked(argc, argv);
    struct clocks clocks = { .runs = 1 };

    start_timer(&clocks, MATRIX);
    struct matrix m = make_matrix(&problem);
    stop_timer(&clocks, MATRIX);
    if (!is_sound(&m)) {
        fprintf(stderr, "cg: the matrix is not symmetric\n");
        return EXIT_FAILURE;
    }

    double begin = seconds();
    struct found got = iterate(&problem, &m, &clocks);
    double device = seconds() - begin;
    start_timer(&clocks, HOST);
    struct found want = iterate_on_host(&problem, &m);
    stop_timer(&clocks, HOST);

    /* A class has its number; a matrix of one's own has the host's. What the solver leaves must be small, too. */
    double zeta = problem.zeta != 0.0 ? problem.zeta : want.zeta;
    double error = fmax(relative_error(got.zeta, zeta), relative_error(want.zeta, zeta));
    if (got.left > 1e-9 * (problem.rows + 1))
        error = INFINITY;
    char sizes[96];
    snprintf(sizes, sizeof sizes, "class %c, %d rows, %d entries, %d steps, zeta %.13f", problem.class, problem.rows,
             m.entries, problem.steps, got.zeta);
    int status = report("cg", sizes, "relative error of zeta", error, 1e-10, device, clocks.total[HOST]);
    if (argc > 1 && problem.class != '-')
        print_timers(&problem, &clocks);
    free_matrix(&m);
    return status;
}

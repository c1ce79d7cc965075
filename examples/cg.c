/* The largest eigenvalue of a sparse symmetric matrix by inverse power iteration, each step solved by conjugate
 * gradients: in the manner of the NAS benchmark CG, with a matrix of its own. All vectors live on the device from the
 * first step to the last; what the host sees between launches are the scalars that sums leave.
 *
 * The matrix is D + sum over random vectors w of w w^T, made row by row: the sparsity is irregular, rows are of
 * uneven length, and reads of x go anywhere.
 * Usage: cg [rows] [entries of a vector] [outer steps] */
#include "check.h"

/* Steps of the solver for each step of the iteration, as in NAS CG. */
enum { INNER = 25 };

/* What is added to the inverse of the quotient. */
static const double SHIFT = 10.0;

/* A matrix in compressed rows. */
struct matrix {
    int rows, entries;
    int *start, *column;
    double *value;
};

/* One entry before rows are made of them. */
struct entry {
    int row, column;
    double value;
};

static int by_place(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

/* Sums of outer products of sparse vectors, and a diagonal that makes it well conditioned. */
static struct matrix make_matrix(int rows, int length)
{
    size_t most = (size_t)rows * (size_t)length * (size_t)length + (size_t)rows;
    struct entry *entries = allocate(most, sizeof *entries);
    size_t count = 0;
    int *place = allocate(length, sizeof *place);
    double *part = allocate(length, sizeof *part);
    for (int i = 0; i < rows; i++) {
        /* A vector of some length that holds its own row, with geometrically smaller weights. */
        int own = length > 0 ? 1 + (int)(mixed_bits(3 * i) % (unsigned)length) : 0;
        double weight = pow(0.1, rows > 1 ? (double)i / rows : 0.0);
        for (int j = 0; j < own; j++) {
            place[j] = j == 0 ? i : (int)(mixed_bits(i * 977 + j) % (unsigned)rows);
            part[j] = j == 0 ? 0.5 : sample(i * 31 + j) - 0.5;
        }
        for (int j = 0; j < own; j++)
            for (int k = 0; k < own; k++)
                entries[count++] = (struct entry){ place[j], place[k], weight * part[j] * part[k] };
        entries[count++] = (struct entry){ i, i, 0.1 + SHIFT };
    }
    qsort(entries, count, sizeof *entries, by_place);

    struct matrix m = { rows, 0, allocate((size_t)rows + 1, sizeof *m.start),
                        allocate(count, sizeof *m.column), allocate(count, sizeof *m.value) };
    int row = 0;
    for (size_t e = 0; e < count; e++) {
        int same = m.entries > m.start[row] && row == entries[e].row &&
                   m.column[m.entries - 1] == entries[e].column;
        while (row < entries[e].row)
            m.start[++row] = m.entries;
        if (same) {
            m.value[m.entries - 1] += entries[e].value;
        } else {
            m.column[m.entries] = entries[e].column;
            m.value[m.entries++] = entries[e].value;
        }
    }
    while (row < rows)
        m.start[++row] = m.entries;
    free(entries);
    free(place);
    free(part);
    return m;
}

/* z = A^-1 x by conjugate gradients; gives back the norm of what is left, |x - A z|. */
static double solve(int rows, const int *restrict start, const int *restrict column,
                    const double *restrict value, const double *restrict x, double *restrict z,
                    double *restrict p, double *restrict q, double *restrict r, int device)
{
    int entries = start[rows];
    double rho = 0.0, left = 0.0;
    #pragma acc data present(start[0:rows+1], column[0:entries], value[0:entries]) \
                     present(x[0:rows], z[0:rows], p[0:rows], q[0:rows], r[0:rows]) if(device)
    {
        #pragma acc parallel loop reduction(+: rho) if(device)
        for (int i = 0; i < rows; i++) {
            z[i] = 0.0;
            q[i] = 0.0;
            r[i] = x[i];
            p[i] = x[i];
            rho += x[i] * x[i];
        }
        for (int step = 0; step < INNER && rho > 0.0; step++) {
            double d = 0.0, after = 0.0;
            #pragma acc parallel loop reduction(+: d) if(device)
            for (int i = 0; i < rows; i++) {
                double sum = 0.0;
                for (int e = start[i]; e < start[i + 1]; e++)
                    sum += value[e] * p[column[e]];
                q[i] = sum;
                d += sum * p[i];
            }
            double alpha = rho / d;
            #pragma acc parallel loop reduction(+: after) if(device)
            for (int i = 0; i < rows; i++) {
                z[i] += alpha * p[i];
                r[i] -= alpha * q[i];
                after += r[i] * r[i];
            }
            double beta = after / rho;
            rho = after;
            #pragma acc parallel loop if(device)
            for (int i = 0; i < rows; i++)
                p[i] = r[i] + beta * p[i];
        }
        #pragma acc parallel loop reduction(+: left) if(device)
        for (int i = 0; i < rows; i++) {
            double sum = 0.0;
            for (int e = start[i]; e < start[i + 1]; e++)
                sum += value[e] * z[column[e]];
            left += (x[i] - sum) * (x[i] - sum);
        }
    }
    return sqrt(left);
}

/* What the iteration finds. */
struct found {
    double zeta, left;
};

/* The inverse power iteration, on the device or on the host. */
static struct found iterate(const struct matrix *m, int steps, int device)
{
    int rows = m->rows, entries = m->entries;
    int *restrict start = m->start, *restrict column = m->column;
    double *restrict value = m->value;
    double *restrict x = allocate(rows, sizeof *x), *restrict z = allocate(rows, sizeof *z);
    double *restrict p = allocate(rows, sizeof *p), *restrict q = allocate(rows, sizeof *q);
    double *restrict r = allocate(rows, sizeof *r);
    struct found found = { 0.0, 0.0 };
    #pragma acc data copyin(start[0:rows+1], column[0:entries], value[0:entries]) \
                     create(x[0:rows], z[0:rows], p[0:rows], q[0:rows], r[0:rows]) if(device)
    {
        #pragma acc parallel loop if(device)
        for (int i = 0; i < rows; i++)
            x[i] = 1.0;
        for (int step = 0; step < steps; step++) {
            found.left = solve(rows, start, column, value, x, z, p, q, r, device);
            double xz = 0.0, zz = 0.0;
            #pragma acc parallel loop reduction(+: xz, zz) if(device)
            for (int i = 0; i < rows; i++) {
                xz += x[i] * z[i];
                zz += z[i] * z[i];
            }
            found.zeta = xz > 0.0 ? SHIFT + 1.0 / xz : 0.0;
            double scale = zz > 0.0 ? 1.0 / sqrt(zz) : 0.0;
            #pragma acc parallel loop if(device)
            for (int i = 0; i < rows; i++)
                x[i] = scale * z[i];
        }
    }
    free(x);
    free(z);
    free(p);
    free(q);
    free(r);
    return found;
}

int main(int argc, char **argv)
{
    int rows = size_argument(argc, argv, 1, 1411);
    int length = size_argument(argc, argv, 2, 7);
    int steps = size_argument(argc, argv, 3, 6);
    struct matrix m = make_matrix(rows, length);

    double begin = seconds();
    struct found got = iterate(&m, steps, 1);
    double device = seconds() - begin;
    begin = seconds();
    struct found want = iterate(&m, steps, 0);
    double host = seconds() - begin;

    /* Sums are of other orders; the iteration forgets what its steps lose. What CG leaves must be small, too. */
    double error = fmax(relative_error(got.zeta, want.zeta), got.left > 1e-9 * (rows + 1) ? INFINITY : 0.0);
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%d rows, %d entries, %d steps", rows, m.entries, steps);
    int status = report("cg", sizes, "relative error of zeta", error, 1e-10, device, host);
    free(m.start);
    free(m.column);
    free(m.value);
    return status;
}

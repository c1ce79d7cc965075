// RUN: not gpuc -fjolokia -c %s -o /dev/null 2>&1 | golden
static void grid(f64Array &A, f64Array &B, int n)
{
    _for (int i = 0; i < n; i++)
        _for (int j = 0; j < n; j++) {
            A(i, j) += aview(B, n, i, colum);
            A(i, j) = aview(B, n);
        }
    int d = aview(A, n, 1, row);
}

static void line(f32Array &A, f32Array &B, int k)
{
    _for (int i = 0; i < k; i++) {
        B(i) = shift(A, 1, 1) + shift(A, 1, 2, 3);
        B = A;
    }
    B(k) = shift(A, 1);
    B = shift(A, k);
    A = shift(A, 1) + 1;
    B(1, 2, 3, 4) = A.lenght;
}

static double sum(f64Array &A)
{
    f64Scalar all = 0;
    _for (int i = 0; i < A.length; i++)
        all += A(i);
    return all;
}

static void scalars(f64Array &A)
{
    f64Scalar S;
    S = 2 * A;
}

// RUN: not gpuc -fjolokia -c %s -o /dev/null 2>&1 | golden
void elsewhere(f64Array &A);

static void grid(f64Array &A, f64Array &B, int n)
{
    _for (int i = 0; i < n; i++)
        _for (int j = 0; j < n; j++)
            A(i, j) = shift(B, 1, 0);
}

static void line(f32Array &A, f32Array &B, int k)
{
    _for (int i = 0; i < k; i++)
        A(i) = B(i);
}

void all(int n, double *p)
{
    f64Array A(n), B, C(n, n, n, n);
    f64Array D(n, n), E = A + 1;
    f32Array F(n);
    grid(A, D, n);
    line(F, A, n);
    line(F, p, n);
    line(F, F);
    elsewhere(A);
    D(1) = A(1, 2);
    D(1, 2) = A.length(3);
    modify_array(A) { width = 3; }
    modify_array(A, 3);
}

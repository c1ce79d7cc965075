/* Listings of Patel 2014 as printed, with what they leave out. Behind `#else` stands what they compute, by hand. */
#include <stdio.h>
#include <stdlib.h>

#define BLK1 128
#define BLK2 64

#ifdef _for

/* Listing 2.2. */
static int N;

void matrix_mult(f64Array &A, f64Array &B, f64Array &C) {
    f32Scalar pval;
    _for(int i = 0; i < N; i++)
        _for(int j = 0; j < N; j++) {
            pval += aview(A, N, i, row) * aview(B, N, j, column);
            C(i,j) = pval;
    }
}

/* Listing 3.2. */
void SAXPY(f64Scalar &A, f64Array &X, f64Array &Y, f64Array &S){
    int i;
    int xlen = X.length;
    double *s = S.get_pointer();
    double *x = X.get_pointer();
    double *y = Y.get_pointer();
    double a = A.get_data();
    for (i = 0; i < xlen; i++){
        s[i] = a * x[i] + y[i];
    }
}

/* Listing 3.4. */
void stencil1(f32Array &A, f32Array &B){
    B = shift(A,-1) + shift(A,0) + shift(A,1);
}

/* Listing 3.6. */
void add(f64Array &A,f64Array &B,f64Array &C){
       A = B + C;
}
void scale(f64Array &A, f64Scalar &S) {
       A = S * A;
}
void print(f64Array &A) {
    double sum = 0;
    for (int i = 0; i < A.length(0) * A.length(1); i++)
        sum += (i % 7 + 1) * A[i];
    printf(" %g", sum);
}

/* Listing 4.8. */
void stencil(f32Array &A, f32Array &B, int N) {
int i, j;
 _for(int i=0; i< N; i++) {
     _for(int j=0; j < N; j++) {
        B(i,j) = shift(A,-1,0) + shift(A,1,0) + shift(A,0,0)
                 + shift(A,0,-1) + shift(A,0,1);
     }
}
}
void copy(f32Array &A, f32Array &B){
        A = B;
}

void all(int n)
{
    N = n;
    f64Array A(n, n), B(n, n), C(n, n), X(n), Y(n), Z(n);
    for (int i = 0; i < n * n; i++) {
        A[i] = i % 5;
        B[i] = i % 3;
    }
    #pragma jolokia gpuIn(A,B,C) gpuOut(C) tile(16,16,1) \
            scratchpad(A,16,16,1) scratchpad(B,16,16,1)
            matrix_mult(A,B,C);
    printf("%d:", n);
    print(C);
    f64Scalar S = 1.5;
    for (int i = 0; i < n; i++) {
        X(i) = i;
        Y(i) = i % 4;
    }
    #pragma jolokia gpuIn(S,X,Y) gpuOut(Z) tile(BLK1,1,1)
    SAXPY(S, X, Y, Z);
    print(Z);
    /* Task call site */
    #pragma jolokia gpuIn(A,B,C) gpuOut(A) tile(BLK1,1,1)
          add(A,B,C); /* GPU Task */
    print(A); /* CPU Task */
    #pragma jolokia gpuIn(A,S) gpuOut(A) tile(BLK2,1,1)
       scale(A,S); /* GPU Task */
    print(A);

    /* Arrays with a border, and the listing's without. */
    f32Array P(n + 2, n + 2), Q(n + 2, n + 2), V(n), W(n);
    for (int i = 0; i < (n + 2) * (n + 2); i++)
        P[i] = i % 6;
    f32Array p = &P(1, 1), q = &Q(1, 1);
    modify_array(p) { length(0) = n; }
    modify_array(q) { length(0) = n; }
    int t, iter = 2;
    for(t = 0; t < iter; t++) {
     #pragma jolokia gpuIn(p,q) gpuOut(q) tile(32,8,1)
          stencil(p,q,n);
     #pragma jolokia gpuIn(p,q) gpuOut(q) tile(32,8,1)
          copy(p,q);
    }
    double sum = 0;
    for (int i = 0; i < (n + 2) * (n + 2); i++)
        sum += (i % 7 + 1) * P[i];
    for (int i = 0; i < n; i++)
        V(i) = i % 11;
    #pragma jolokia gpuIn(V) gpuOut(W)
    stencil1(V, W);
    for (int i = 0; i < n; i++)
        sum += W(i);
    printf(" %g\n", sum);
}

#else

static void print(const double *a, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (i % 7 + 1) * a[i];
    printf(" %g", sum);
}

void all(int n)
{
    int w = n + 2;
    double *a = calloc(n * n + 1, 8), *b = calloc(n * n + 1, 8), *c = calloc(n * n + 1, 8), *z = calloc(n + 1, 8);
    for (int i = 0; i < n * n; i++)
        a[i] = i % 5, b[i] = i % 3;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
    for (int i = 0; i < n; i++)
        z[i] = 1.5 * i + i % 4;
    printf("%d:", n);
    print(c, n * n);
    print(z, n);
    for (int i = 0; i < n * n; i++)
        a[i] = b[i] + c[i];
    print(a, n * n);
    for (int i = 0; i < n * n; i++)
        a[i] *= 1.5;
    print(a, n * n);
    float *p = calloc(w * w, 4), *q = calloc(w * w, 4);
    for (int i = 0; i < w * w; i++)
        p[i] = i % 6;
    for (int t = 0; t < 2; t++) {
        for (int i = 1; i <= n; i++)
            for (int j = 1; j <= n; j++)
                q[i * w + j] = p[(i - 1) * w + j] + p[(i + 1) * w + j] + p[i * w + j] + p[i * w + j - 1] + p[i * w + j + 1];
        /* Rows go from the first inner element of one to that of the next. */
        for (int i = 0; i < n * w; i++)
            p[w + 1 + i] = q[w + 1 + i];
    }
    double sum = 0;
    for (int i = 0; i < w * w; i++)
        sum += (i % 7 + 1) * p[i];
    for (int i = 1; i < n - 1; i++)
        sum += (i - 1) % 11 + i % 11 + (i + 1) % 11;
    printf(" %g\n", sum);
    free(a), free(b), free(c), free(z), free(p), free(q);
}

#endif

int main(void)
{
    int sizes[] = {0, 1, 2, 7, 40};
    for (int i = 0; i < 5; i++)
        all(sizes[i]);
    return 0;
}

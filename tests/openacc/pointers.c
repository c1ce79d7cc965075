/* Pointers that device code reads from memory. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
struct node { int value; struct node *next; };
typedef struct { int rows, cols; double *data; int *marks; } Matrix;
typedef struct { Matrix *m; int n; } Set;
static Matrix *matrix(int r, int c, int s) {
    Matrix *m = malloc(sizeof *m); m->rows = r; m->cols = c;
    m->data = malloc(sizeof(double) * (r * c + 1)); m->marks = malloc(sizeof(int) * (r + 1));
    for (int i = 0; i < r * c; i++) m->data[i] = (i * 7 + s) % 11;
    for (int i = 0; i < r; i++) m->marks[i] = i % 3;
    return m;
}
static double total(const Matrix *m) { double t = 0; for (int i = 0; i < m->rows * m->cols; i++) t += m->data[i] * (i % 5 + 1); return t; }
static double *row_of(Matrix *m, int i) { return m->data + i * m->cols; }
static void swap(double **a, double **b) { double *t = *a; *a = *b; *b = t; }
/* members of a structure in a kernel of its own */
static void scale(Matrix *m, double f) {
    #pragma acc parallel loop present(m[0:1])
    for (int i = 0; i < m->rows; i++) {
        double *row = row_of(m, i);
        for (int j = 0; j < m->cols; j++) row[j] *= f + m->marks[i];
    }
}
static void work(int r, int c) {
    Matrix *a = matrix(r, c, 1), *b = matrix(r, c, 2);
    #pragma acc enter data copyin(a[0:1], a->data[0:r*c], a->marks[0:r], b[0:1], b->data[0:r*c], b->marks[0:r])
    scale(a, 2); scale(b, 3);
    /* one pointer, two arrays */
    #pragma acc parallel loop present(a[0:1], b[0:1])
    for (int i = 0; i < r * c; i++) {
        double *p = i % 2 ? a->data : b->data, *q;
        if (i % 3) q = a->data; else q = b->data;
        if (p == q && p != NULL) p[i] += 1; else p[i] -= 2;
    }
    /* the compiler is to find out */
    #pragma acc kernels present(a[0:1], b[0:1])
    for (int i = 0; i < r; i++)
        for (int j = 0; j < c; j++)
            a->data[i * c + j] += b->data[i * c + j];
    /* carried: each row from the one before */
    #pragma acc kernels present(a[0:1])
    for (int i = 1; i < r; i++)
        for (int j = 0; j < c; j++)
            a->data[i * c + j] += a->data[(i - 1) * c + j];
    /* pointers exchanged in memory of the device */
    #pragma acc serial present(a[0:1], b[0:1])
    { swap(&a->data, &b->data); }
    #pragma acc serial present(a[0:1], b[0:1])
    { double *t = a->data; a->data = b->data; b->data = t; }
    /* a copy of the structure leaves the host its pointers, and the device its own */
    double *before = a->data;
    #pragma acc update self(a[0:1])
    if (a->data != before)
        printf("the host's pointer was overwritten\n");
    #pragma acc update device(a[0:1])
    scale(a, 1);
    #pragma acc update self(a->data[0:r*c], b->data[0:r*c])
    #pragma acc exit data delete(a->data[0:r*c], a->marks[0:r], b->data[0:r*c], b->marks[0:r]) delete(a[0:1], b[0:1])
    printf("%d %d: %g %g\n", r, c, total(a), total(b));
}
static void rows(int n, int m) {
    float **x = malloc((n + 1) * sizeof *x), *sum = malloc((n + 1) * sizeof *sum);
    for (int i = 0; i < n; i++) { x[i] = malloc((m + 1) * sizeof **x); for (int j = 0; j < m; j++) x[i][j] = (i * 3 + j) % 8; }
    #pragma acc data copy(x[0:n][0:m]) copyout(sum[0:n])
    {
        #pragma acc parallel loop collapse(2) present(x)
        for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) x[i][j] = 2 * x[i][j] + 1;
        #pragma acc kernels
        for (int i = 0; i < n; i++) { float s = 0; for (int j = 0; j < m; j++) s += x[i][j]; sum[i] = s; }
        #pragma acc kernels
        for (int i = 1; i < n; i++) for (int j = 1; j < m; j++) x[i][j] += x[i-1][j-1];
    }
    double t = 0; for (int i = 0; i < n; i++) { t += sum[i]; for (int j = 0; j < m; j++) t += x[i][j] * (j + 1); }
    printf("rows %d %d: %g\n", n, m, t);
}
static void list(int n) {
    struct node *nodes = malloc((n + 1) * sizeof *nodes);
    for (int i = 0; i < n; i++) { nodes[i].value = i; nodes[i].next = i + 1 < n ? &nodes[(i * 7 + 3) % n] : NULL; }
    for (int i = 0; i < n; i++) nodes[i].next = i + 1 < n ? &nodes[i + 1] : NULL;
    int sum = 0, length = 0; 
    #pragma acc data copy(nodes[0:n])
    {
        for (int i = 0; i + 1 < n; i++) {
            #pragma acc enter data attach(nodes[i].next)
        }
        #pragma acc parallel num_gangs(1) vector_length(1) copy(sum, length)
        {
            int s = 0, l = 0;
            for (struct node *p = n ? nodes : NULL; p; p = p->next) { s += p->value; l++; p->value *= 2; }
            sum = s; length = l;
        }
        for (int i = 0; i + 1 < n; i++) {
            #pragma acc exit data detach(nodes[i].next)
        }
    }
    int after = 0; for (int i = 0; i < n; i++) after += nodes[i].value;
    int linked = 0; for (struct node *p = n ? nodes : NULL; p; p = p->next) linked++;
    printf("list %d: %d %d %d %d\n", n, sum, length, after, linked);
}
/* a section that starts in front of what a pointer points to */
static void in_front(void) {
    int a[100] = {0}, *p = a + 50;
    #pragma acc parallel loop copy(p[-10:20])
    for (int i = -10; i < 10; i++) p[i] += i;
    printf("in front: %d %d %d\n", a[40], a[59], a[60]);
}
int main(void) {
    int sizes[] = {0, 1, 17, 64};
    in_front();
    for (int i = 0; i < 4; i++) { work(sizes[i], 13); rows(sizes[i], 7); list(sizes[i]); }
    return 0;
}

// Sections that turn out when the program runs to be outside of the array that is declared: an error with its place in
// every construct that takes sections; at the limit they are legal, and so is what no condition asks for.
// RUN: gpuc %s -o %t
// RUN: env GPUC_DEVICE=sim %t 100 8 0 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: env GPUC_DEVICE=sim %t 0 0 0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env GPUC_DEVICE=sim %t 101 9 0 2>&1 | FileCheck %s --check-prefix=UNASKED
// RUN: not env GPUC_DEVICE=sim %t 101 8 1 2>&1 | FileCheck %s --check-prefix=KERNELS
// RUN: not env GPUC_DEVICE=sim %t 101 8 2 2>&1 | FileCheck %s --check-prefix=DATA
// RUN: not env GPUC_DEVICE=sim %t 101 8 3 2>&1 | FileCheck %s --check-prefix=ENTER
// RUN: not env GPUC_DEVICE=sim %t 101 8 4 2>&1 | FileCheck %s --check-prefix=EXIT
// RUN: not env GPUC_DEVICE=sim %t 101 8 5 2>&1 | FileCheck %s --check-prefix=UPDATE
// RUN: not env GPUC_DEVICE=sim %t 101 8 6 2>&1 | FileCheck %s --check-prefix=HOSTDATA
// RUN: not env GPUC_DEVICE=sim %t 101 8 7 2>&1 | FileCheck %s --check-prefix=VLA
// RUN: not env GPUC_DEVICE=sim %t 101 8 8 2>&1 | FileCheck %s --check-prefix=MEMBER
// RUN: not env GPUC_DEVICE=sim %t 100 9 9 2>&1 | FileCheck %s --check-prefix=ROW
// RUN: not env GPUC_DEVICE=sim %t 100 8 10 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not env GPUC_DEVICE=sim %t 100 9 11 2>&1 | FileCheck %s --check-prefix=POINTERS
// RUN: not env GPUC_DEVICE=sim %t -1 8 12 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: gpuc -fopenmp -DOPENMP %s -o %t.omp
// RUN: not env GPUC_DEVICE=sim %t.omp 101 8 1 2>&1 | FileCheck %s --check-prefix=MAP
// RUN: not env GPUC_DEVICE=sim %t.omp 51 8 2 2>&1 | FileCheck %s --check-prefix=STRIDED
// RUN: env GPUC_DEVICE=sim %t.omp 50 8 2 2>&1 | FileCheck %s --check-prefix=EVEN
#include <stdio.h>
#include <stdlib.h>

static int table[100], grid[4][8];
static struct { int before, values[100], behind; } record;
/* As C had it before flexible array members. */
struct old { int count, values[1]; };

static void touch(int *a, int n)
{
    for (int i = 0; i < n && i < 100; i++)
        a[i]++;
}

#ifdef OPENMP
int main(int argc, char **argv)
{
    int n = atoi(argv[1]), which = atoi(argv[3]);
    if (which == 1) {
        // MAP: error: section table[0:n] is outside of the array: elements 0 to 100, where the declaration has 100
        // MAP-NEXT: --> tests/lit/bad/section_bounds.c:[[@LINE+1]]:
        #pragma omp target map(tofrom: table[0:n])
        table[0]++;
    }
    #pragma omp target enter data map(to: table)
    // STRIDED: error: section table[0:n:2] is outside of the array: elements 0 to 100, where the declaration has 100
    // STRIDED-NEXT: --> tests/lit/bad/section_bounds.c:[[@LINE+1]]:
    #pragma omp target update from(table[0:n:2])
    // EVEN: done
    printf("done\n");
    return argc > 4;
}
#else
static void local(int n, int m)
{
    int here[n - 1];
    for (int i = 0; i < n - 1; i++)
        here[i] = i;
    int more = n + m;
    // VLA: error: section here[0:more] is outside of the array: elements 0 to 108, where the declaration has 100
    // VLA-NEXT: --> tests/lit/bad/section_bounds.c:[[@LINE+1]]:
    #pragma acc parallel loop copy(here[0:more])
    for (int i = 0; i < 10; i++)
        here[i]++;
    touch(here, 1);
}

static void legal(int n, int m)
{
    int one = n > 0;
    int here[n + 1];
    struct old *old = calloc(1, sizeof *old + 200 * sizeof(int));
    int *rows[4] = { table, table + 10, table + 20, table + 30 };
    for (int i = 0; i < n; i++)
        here[i] = i;
    #pragma acc parallel loop copy(table[0:n]) copy(here[0:n]) copy(old->values[0:n])
    for (int i = 0; i < n; i++) {
        table[i] += i;
        here[i]++;
        old->values[i]++;
    }
    #pragma acc parallel loop copyin(table[n:0]) copy(grid[0:m / 2][0:8]) copy(record.values[n - one:one])
    for (int j = 0; j < one; j++) {
        grid[0][j]++;
        record.values[n - 1] = 7;
    }
    /* One row, from its third element on: as many bytes as are asked for. */
    #pragma acc data copy(grid[3:1][2:6])
    #pragma acc update self(grid[3:1][2:6])
    #pragma acc enter data copyin(rows[0:m / 2][0:10])
    #pragma acc exit data delete(rows[0:m / 2][0:10])
    free(old);
    printf("%d %d %d\n", table[99], grid[0][0], record.behind);
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]), m = atoi(argv[2]), which = atoi(argv[3]);
    if (n == 101 && which == 0) {
        #pragma acc data copy(table[0:n]) if(n < 101)
        #pragma acc host_data use_device(grid[0:m]) if(n < 101)
        #pragma acc parallel loop copy(table[0:n]) if(n < 101)
        for (int i = 0; i < 100; i++)
            table[i] = i;
        #pragma acc update self(table[0:n]) if(n < 101)
        // UNASKED: unasked 99
        printf("unasked %d\n", table[99]);
    } else if (which == 0) {
        // LIMIT: 99 1 0
        // NONE: 0 0 0
        legal(n, m);
    } else if (which == 1) {
        // KERNELS: error: section table[0:n] is outside of the array: elements 0 to 100, where the declaration has 100
        // KERNELS-NEXT: --> tests/lit/bad/section_bounds.c:[[@LINE+1]]:
        #pragma acc kernels copyin(m) copy(table[0:n])
        for (int i = 0; i < 100; i++)
            table[i] = m;
    } else if (which == 2) {
        // DATA: error: section table[1:n - 1] is outside of the array: elements 1 to 100, where the declaration has 100
        // DATA-NEXT: --> tests/lit/bad/section_bounds.c:[[@LINE+1]]:
        #pragma acc data create(table[1:n - 1])
        touch(table, n);
    } else if (which == 3) {
        // ENTER: error: section table[:n] is outside of the array: elements 0 to 100, where the declaration has 100
        // ENTER-NEXT: --> tests/lit/bad/section_bounds.c:[[@LINE+1]]:
        #pragma acc enter data copyin(table[:n])
    } else if (which == 4) {
        #pragma acc enter data copyin(table)
        // EXIT: error: section table[0:n] is outside of the array: elements 0 to 100, where the declaration has 100
        // EXIT-NEXT: --> tests/lit/bad/section_bounds.c:[[@LINE+1]]:
        #pragma acc exit data copyout(table[0:n])
    } else if (which == 5) {
        #pragma acc enter data copyin(table)
        // UPDATE: error: section table[n - 1:1] is outside of the array: elements 100 to 100, where the declaration has 100
        // UPDATE-NEXT: --> tests/lit/bad/section_bounds.c:[[@LINE+1]]:
        #pragma acc update device(table[n - 1:1])
    } else if (which == 6) {
        #pragma acc enter data copyin(table)
        // HOSTDATA: error: section table[0:n] is outside of the array: elements 0 to 100, where the declaration has 100
        // HOSTDATA-NEXT: --> tests/lit/bad/section_bounds.c:[[@LINE+1]]:
        #pragma acc host_data use_device(table[0:n])
        touch(table, 0);
    } else if (which == 7) {
        local(n, m);
    } else if (which == 8) {
        // MEMBER: error: section record.values[0:n] is outside of the array: elements 0 to 100, where the declaration has 100
        // MEMBER-NEXT: --> tests/lit/bad/section_bounds.c:[[@LINE+1]]:
        #pragma acc enter data copyin(record.values[0:n])
    } else if (which == 9) {
        // ROW: error: section grid[2][0:m] is outside of the array: elements 0 to 8, where the declaration has 8
        // ROW-NEXT: --> tests/lit/bad/section_bounds.c:[[@LINE+1]]:
        #pragma acc enter data copyin(grid[2][0:m])
    } else if (which == 10) {
        // INDEX: error: section grid[m / 2][0:3] is outside of the array: elements 4 to 4, where the declaration has 4
        // INDEX-NEXT: --> tests/lit/bad/section_bounds.c:[[@LINE+1]]:
        #pragma acc enter data copyin(grid[m / 2][0:3])
    } else if (which == 11) {
        int *rows[8] = { table };
        // POINTERS: error: section rows[0:m][0:10] is outside of the array: elements 0 to 8, where the declaration has 8
        // POINTERS-NEXT: --> tests/lit/bad/section_bounds.c:[[@LINE+1]]:
        #pragma acc enter data copyin(rows[0:m][0:10])
    } else {
        // BEFORE: error: section table[n:3] is outside of the array: elements -1 to 1, where the declaration has 100
        // BEFORE-NEXT: --> tests/lit/bad/section_bounds.c:[[@LINE+1]]:
        #pragma acc enter data copyin(table[n:3])
    }
    return 0;
}
#endif

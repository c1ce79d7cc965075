// Sections and footprints that are larger than the array, or than memory; and a way out of a nest that the device cannot go.
// RUN: not gpuc -DCONSTANT -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=CONSTANT
// RUN: not gpuc -DGOTO -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=GOTO
// RUN: not gpuc run --device=sim %s -- 200 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: not gpuc run --device=sim %s -- 3 1000000000000 2>&1 | FileCheck %s --check-prefix=MEMORY
#include <stdio.h>
#include <stdlib.h>

static int table[100];

#ifdef CONSTANT
void constant(void)
{
    // CONSTANT: error: this section is outside of the array of 100 elements
    // CONSTANT-NEXT: --> tests/lit/bad/sections.c:[[@LINE+1]]:
    #pragma acc kernels copy(table[0:200])
    for (int i = 0; i < 100; i++)
        table[i] = i;
    // CONSTANT: error: this section is outside of the array of 100 elements
    // CONSTANT-NEXT: --> tests/lit/bad/sections.c:[[@LINE+1]]:
    #pragma acc kernels copy(table[50:60])
    for (int i = 0; i < 100; i++)
        table[i] = i;
}
#elif defined GOTO
void out(int n)
{
    #pragma acc kernels
    for (int i = 0; i < n; i++) {
        // GOTO: error[GPUC0005]: `goto` is not supported in device code
        // GOTO-NEXT: --> tests/lit/bad/sections.c:[[@LINE+2]]:
        if (table[i] == 40)
            goto done;
        table[i]++;
    }
done:
    table[0]++;
}
#endif

static void found(int n)
{
    // BEHIND: error: out-of-bounds global write of 4 bytes
    // BEHIND: 0 bytes after the end of `table` (400 bytes)
    // BEHIND-NOT: done
    #pragma acc kernels
    for (int i = 0; i < n; i++)
        table[i] = i;
}

static void apart(long n, long w, int *a)
{
    // MEMORY: error: out of device memory: 8000000000004 bytes asked for
    // MEMORY-NEXT: --> tests/lit/bad/sections.c:[[@LINE+2]]:
    // MEMORY-NOT: done
    #pragma acc kernels
    for (long i = 0; i < n; i++)
        a[i * w] = 9;
}

int main(int argc, char **argv)
{
    int *a = calloc(100, sizeof *a);
    if (argc > 2)
        apart(atol(argv[1]), atol(argv[2]), a);
    else
        found(atoi(argv[1]));
    printf("done %d %d\n", a[1], table[1]);
    return 0;
}

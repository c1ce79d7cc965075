// What a nest does not allow a `share` pragma to have is an error with the limit or the dependence, and with -Wno-error=plan
// a warning: the program is compiled as if the pragma were not there.
// RUN: not gpuc --arch=sm_90 -DBOUNDS -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: gpuc --arch=sm_90 -DBOUNDS -Wno-error=plan -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WITHOUT
// RUN: not gpuc --arch=sm_90 -DUNUSED -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=UNUSED
// RUN: gpuc --arch=sm_90 -DUNUSED -Wno-error=plan -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WITHOUT
// RUN: not gpuc --arch=sm_90 -DLARGE -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: gpuc --arch=sm_90 -DLARGE -Wno-error=plan -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WITHOUT
// RUN: not gpuc --arch=sm_90 -DDEPENDS -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=DEPENDS
// RUN: gpuc --arch=sm_90 -DDEPENDS -Wno-error=plan -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WITHOUT
// RUN: not gpuc --arch=sm_90 -DWRITTEN -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WRITTEN
// RUN: gpuc --arch=sm_90 -DWRITTEN -Wno-error=plan -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WITHOUT
// RUN: not gpuc --arch=sm_90 -DDIMENSIONS -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=DIMENSIONS
// RUN: not gpuc --arch=sm_90 -DNOTHING -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not gpuc --arch=sm_90 -DZERO -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not gpuc --arch=sm_90 -DMAPPED -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=MAPPED
// RUN: not gpuc --arch=sm_90 -DSQUARES -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=SQUARES
// WITHOUT: warning[GPUC0027]: 'share' is refused:
// WITHOUT: help: the construct is compiled without it
void product(int n, const float A[restrict][96], const float B[restrict][1000], float C[restrict][1000])
{
#if defined BOUNDS
    // BOUNDS: error[GPUC0027]: 'share' is refused: a length of `A` passes the end of its dimension 2
    // BOUNDS-NEXT: --> tests/lit/bad/share-nests.c:[[@LINE+2]]:35
    // BOUNDS: help: it needs 128 elements, and there are 96
    #pragma acc share(B[*][TB_X], A[TB_Y][128])
#elif defined UNUSED
    // UNUSED: error[GPUC0027]: 'share' is refused: no array `D` is used here
    // UNUSED-NEXT: --> tests/lit/bad/share-nests.c:[[@LINE+1]]:35
    #pragma acc share(A[TB_Y][*], D[TB_X])
#elif defined LARGE
    // LARGE: error[GPUC0027]: 'share' is refused: what a block works on is larger than its memory
    // LARGE: help: it needs {{[0-9]+}} bytes, and there are 49152
    // LARGE: help: give shorter lengths, or leave some open: `*`
    #pragma acc share(A[1024][96])
#elif defined DIMENSIONS
    // DIMENSIONS: error[GPUC0027]: 'share' is refused: `A` has 2 dimensions, and 1 lengths are given
    #pragma acc share(A[TB_Y])
#elif defined ZERO
    // ZERO: error[GPUC0027]: 'share' is refused: a length of `A` is not a positive number in any block
    #pragma acc share(A[TB_Y][4-4])
#endif
    #pragma acc kernels copyin(A[0:n], B[0:96]) copyout(C[0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 1000; j++) {
            float sum = 0;
            for (int k = 0; k < 96; k++)
                sum += A[i][k] * B[k][j];
            C[i][j] = sum;
        }
}

void rows(int n, float a[restrict n][n], float b[restrict n][n])
{
#ifdef DEPENDS
    // DEPENDS: error[GPUC0027]: 'share' is refused: the loop does not run in threads: its iterations depend on each other
    // DEPENDS: help: flow dependence of a from line [[@LINE+5]] to line [[@LINE+5]], direction (<), such as iterations
    #pragma acc share(a[*])
#endif
    #pragma acc kernels copy(a[0:n][0:n])
    for (int i = 1; i < n; i++)
        a[0][i] = a[0][i - 1] * 0.5f + 1;

#ifdef WRITTEN
    // WRITTEN: error[GPUC0027]: 'share' is refused: the nest writes to `a` too, and memory of the block is for what it only reads
    // WRITTEN: help: {{flow|anti}} dependence of a from line [[@LINE+9]] to line [[@LINE+9]]
    #pragma acc share(a[TB_Y][TB_X])
#elif defined NOTHING
    // NOTHING: error[GPUC0027]: 'share' is refused: nothing brings these arrays into memory of the block
    #pragma acc share(b[TB_Y][TB_X])
#endif
    #pragma acc kernels copy(a[0:n][0:n], b[0:n][0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = a[i][j] * 0.5f + b[i][j];

#ifdef SQUARES
    // SQUARES: error[GPUC0027]: 'share' is refused: arrays that are touched by columns go through squares of 8, 16, 32 or 64 iterations each way, not 24 by 24
    // SQUARES: help: give two such lengths, or leave them open: `*`
    #pragma acc share(b[24][24]:coalesce)
#endif
    #pragma acc kernels copy(a[0:n][0:n]) copyin(b[0:n][0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = b[j][i];

#ifdef MAPPED
    // MAPPED: error[GPUC0027]: 'share' is refused: it is not the one parallel loop of a launch, or the program says who executes it
    // MAPPED: help: leave gangs, workers and vectors of these loops to the compiler
    #pragma acc share(b[*][*]:coalesce)
#endif
    #pragma acc parallel loop num_gangs(3) copy(a[0:n][0:n]) copyin(b[0:n][0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = b[j][i];
}

// A loop that the compiler would give gangs leaves them to a loop inside that asks for them, unless it does something that
// every gang would do again, or reads what the gangs change, or has two such loops that touch the same.
// RUN: not gpuc -DCOUNTS -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not gpuc -DREADS -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=READS
// RUN: not gpuc -DTWICE -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=READS
// RUN: gpuc -c %s -o %t.o

void f(int n, int *restrict count, float (*restrict a)[128])
{
    #pragma acc kernels copy(a[0:n], count[0:n])
    for (int i = 0; i < n; i++) {
#ifdef COUNTS
        count[i] += 1;
#endif
        // CHECK: error: a gang loop cannot stand inside a loop that is divided among gangs, as no clause says otherwise
        // CHECK-NEXT: --> tests/lit/bad/gangs-inside.c:[[@LINE+4]]:9
        // CHECK: note: no level is written at this loop: it has the gangs
        // CHECK-NEXT: --> tests/lit/bad/gangs-inside.c:11:5
        #pragma acc loop gang
        for (int j = 0; j < 128; j++)
            a[i][j] = i + j;
    }
}

void g(int n, float (*restrict a)[128])
{
    #pragma acc parallel copy(a[0:n])
    {
        #pragma acc loop
        for (int i = 0; i < n; i++) {
#ifdef READS
            float first = a[i][0];
#else
            float first = i;
#endif
            // READS: error: a gang loop cannot stand inside a loop that is divided among gangs, as no clause says otherwise
            // READS-NEXT: --> tests/lit/bad/gangs-inside.c:[[@LINE+2]]:13
            #pragma acc loop gang
            for (int j = 0; j < 128; j++)
                a[i][j] += first;
#ifdef TWICE
            #pragma acc loop gang
            for (int j = 0; j < 128; j++)
                a[i][127 - j] *= 2;
#endif
        }
    }
}

// Warnings and remarks have names, by which they are turned off and on and made errors.
// RUN: gpuc -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=DEFAULT
// DEFAULT-NOT: {{(warning|error)[:\[]}}
// DEFAULT: warning[GPUC0011]
// DEFAULT-NOT: {{(warning|error)[:\[]}}
// DEFAULT: warning[GPUC0029]: one thread of the device computes this loop of `kernels`: Loop carried dependence of b
// DEFAULT-NOT: {{(warning|error)[:\[]}}
// RUN: gpuc -Wno-not-independent -Wno-sequential-loop -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: gpuc -w -Wloop-carried -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// NONE-NOT: {{.}}
// RUN: gpuc -Wloop-carried -Wno-GPUC0011 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: warning[GPUC0010]: Loop carried dependence of b prevents parallelization
// RUN: not gpuc -Werror=not-independent -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not gpuc -Werror -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not gpuc -Werror --emit=ptx %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error[GPUC0011]
// RUN: gpuc -Werror -Wno-error=not-independent -Wno-error=sequential-loop -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=DEFAULT
// The host compiler has -Werror as well, and what gpuc does not know.
// RUN: not gpuc -Werror -Wunused-variable -DUNUSED -Wno-not-independent -Wno-sequential-loop -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: error: unused variable
// RUN: gpuc -Mneginfo -Wno-not-independent -Wno-sequential-loop -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=MISSED
// MISSED: f:
// MISSED-NEXT: 44, Loop carried dependence of b prevents parallelization [GPUC0010]
// MISSED-NOT: Generating
// RUN: gpuc -Minfo -Wno-loop-carried -Wno-sequential-loop -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=INFO
// INFO-NOT: prevents
// INFO: Generating copy({{.*}}b[0:n])
// INFO-NOT: prevents
// RUN: gpuc -fdiagnostics-color=always -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=COLOR
// COLOR: {{\[}}{{.*}}warning

void f(int n, double *restrict a, double *restrict b)
{
#ifdef UNUSED
    int unused;
#endif
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1];
    #pragma acc kernels copy(a[0:n]) copy(b[0:n])
    {
        for (int i = 0; i < n; i++)
            a[i] = 0;
        for (int i = 1; i < n; i++)
            b[i] += b[i - 1];
    }
}

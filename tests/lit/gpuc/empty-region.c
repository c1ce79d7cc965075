// A region of which nothing is left compiles; its data moves, and -Minfo says that no kernel does.
// RUN: gpuc -Minfo -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: f:
// CHECK-NEXT: [[@LINE+9]], No kernel: there is nothing to compute here [GPUC0018]
// CHECK-NOT: No kernel
// RUN: gpuc --emit=ptx-ir %s 2>&1 | FileCheck %s --check-prefix=IR
// IR: func.func
// IR: gpu.launch_func
// IR: ptx.module
int a[10];
void f(void)
{
    #pragma acc parallel loop copy(a)
    for (int i = 0; i < 10; i++)
        if (0)
            a[i] = i;
    #pragma acc parallel loop copy(a)
    for (int i = 0; i < 10; i++)
        a[i] = i;
}

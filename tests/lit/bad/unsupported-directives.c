// What OpenACC has and gpuc does not yet have: refused by name with the section that defines it.
// RUN: not gpuc -c %s -o %t.o 2>&1 | golden

void f(int n, float *a)
{
    #pragma acc parallel async(1)
    for (int i = 0; i < n; i++) a[i] = 0;
    #pragma acc cache(a[0:n])
    #pragma acc init
    #pragma acc wait
    #pragma acc host_data use_device(a)
    { f(n, a); }
    #pragma acc declare create(a)
    #pragma acc parallel loop device_type(nvidia) vector_length(128)
    for (int i = 0; i < n; i++) a[i] = 0;
    #pragma acc parallel loop tile(2)
    for (int i = 0; i < n; i++) a[i] = 0;
    #pragma acc parallel loop self(n)
    for (int i = 0; i < n; i++) a[i] = 0;
}

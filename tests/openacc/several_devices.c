/* Several devices: each has a present table and queues of its own, each thread of the host its device (OpenACC 3.3 2.3, 2.14.3, 3.2.1 to
   3.2.6, 3.2.32). Runs with however many there are; GPUC_SIM_DEVICES=4 makes four. */
#include <stdio.h>
#include <stdlib.h>
#ifdef _OPENACC
#include <openacc.h>
#include <pthread.h>

enum { N = 257 };

int table[4] = {1, 2, 3, 4};
#pragma acc declare copyin(table)

struct work {
    int device;
    int bad;
};

/* A thread of the host on a device of its own. */
static void *on_own_device(void *argument)
{
    struct work *work = argument;
    int a[N], device = work->device;
    for (int i = 0; i < N; i++)
        a[i] = device;
    acc_set_device_num(device, acc_device_nvidia);
    for (int round = 0; round < 5; round++) {
        #pragma acc parallel loop copy(a) async(1)
        for (int i = 0; i < N; i++)
            a[i] += table[i % 4];
        #pragma acc wait(1)
        work->bad += acc_get_device_num(acc_device_nvidia) != device;
    }
    for (int i = 0; i < N; i++)
        work->bad += a[i] != device + 5 * (1 + i % 4);
    return 0;
}

static int devices(int count)
{
    int bad = 0, a[N], b[N];
    for (int i = 0; i < N; i++)
        a[i] = i, b[i] = -1;
    bad += acc_get_device_num(acc_device_nvidia) != 0;
    /* One array on each device, with values of its own. */
    for (int d = 0; d < count; d++) {
        #pragma acc set device_num(d)
        bad += acc_get_device_num(acc_device_nvidia) != d || acc_is_present(a, sizeof a);
        #pragma acc enter data copyin(a)
        #pragma acc parallel loop present(a)
        for (int i = 0; i < N; i++)
            a[i] += 1000 * d;
    }
    for (int d = count - 1; d >= 0; d--) {
        acc_set_device_num(d, acc_device_default);
        bad += !acc_is_present(a, sizeof a);
        #pragma acc exit data copyout(a)
        for (int i = 0; i < N; i++)
            bad += a[i] != i + 1000 * d;
        bad += acc_is_present(a, sizeof a);
    }
    /* From the last device to the first. */
    int last = count - 1;
    acc_set_device_num(last, acc_device_nvidia);
    #pragma acc enter data copyin(a)
    #pragma acc parallel loop present(a) async(2)
    for (int i = 0; i < N; i++)
        a[i] = 3 * i;
    acc_wait_device(2, last);
    bad += !acc_async_test_device(2, last);
    acc_set_device_num(0, acc_device_nvidia);
    #pragma acc enter data create(b)
    acc_memcpy_d2d(b, a, sizeof b, 0, last);
    #pragma acc parallel loop present(b)
    for (int i = 0; i < N; i++)
        b[i]++;
    #pragma acc exit data copyout(b)
    acc_set_device_num(last, acc_device_nvidia);
    #pragma acc exit data delete(a)
    for (int i = 0; i < N; i++)
        bad += b[i] != 3 * i + 1;
    acc_set_device_num(0, acc_device_nvidia);
    /* Memory is of one device. */
    for (int d = 0; d < count; d++)
        bad += acc_get_property(d, acc_device_nvidia, acc_property_memory) == 0
            || acc_get_property_string(d, acc_device_nvidia, acc_property_name) == NULL;
    bad += acc_get_property(count, acc_device_nvidia, acc_property_memory) != 0;

    struct work work[64];
    pthread_t threads[64];
    for (int d = 0; d < count; d++) {
        work[d] = (struct work){d, 0};
        pthread_create(&threads[d], NULL, on_own_device, &work[d]);
    }
    for (int d = 0; d < count; d++) {
        pthread_join(threads[d], NULL);
        bad += work[d].bad;
    }
    return bad + (acc_get_device_num(acc_device_nvidia) != 0);
}
#endif

int main(void)
{
    int bad = 0;
#ifdef _OPENACC
    int count = acc_get_num_devices(acc_device_nvidia);
    if (count > 0)
        bad = devices(count);
#endif
    printf("%d\n", bad);
    return bad != 0;
}

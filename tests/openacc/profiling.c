/* The profiling interface: what a tool in the program is told, and in which order (OpenACC 3.3 5). */
#include <stdio.h>
#ifdef _OPENACC
#include <acc_prof.h>
#include <string.h>

enum { N = 1000 };

static int seen[acc_ev_last], bad, reversed[2], calls;
static acc_prof_reg reg, unreg;

static void count(acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
    seen[info->event_type]++;
    bad += info->event_type != event->event_type || info->valid_bytes < (int)sizeof *info;
    bad += info->device_type != acc_device_nvidia || info->device_number != 0;
    bad += api->device_type != acc_device_nvidia || event->other_event.valid_bytes < 24;
    switch (info->event_type) {
    case acc_ev_enqueue_upload_start:
    case acc_ev_enqueue_download_start:
        bad += event->data_event.bytes != N * sizeof(int) || event->data_event.device_ptr == NULL;
        bad += event->data_event.var_name[0] != 'a';
        break;
    case acc_ev_enqueue_launch_start:
        bad += event->launch_event.num_gangs < 1 || event->launch_event.kernel_name == NULL;
        bad += event->launch_event.parent_construct != acc_construct_parallel;
        bad += strstr(info->src_file, "profiling.c") == NULL || strcmp(info->func_name, "work") != 0;
        bad += info->line_no == 0 || (info->async != acc_async_sync && info->async != 3);
        break;
    default:
        break;
    }
}

/* What is left at the beginning is there at the end. */
static void leave(acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
    (void)info, (void)api;
    event->other_event.tool_info = &seen;
}

static void find(acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
    (void)info, (void)api;
    bad += event->other_event.tool_info != &seen;
}

static void first(acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
    (void)event, (void)api;
    reversed[info->event_type == acc_ev_update_end] += ++calls;
}

static void second(acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
    (void)event, (void)api;
    reversed[info->event_type == acc_ev_update_end] += 10 * ++calls;
}

/* The tool: found by its name before anything happens. */
void acc_register_library(acc_prof_reg given, acc_prof_reg taken, acc_prof_lookup_func lookup)
{
    reg = given;
    unreg = taken;
    bad += (acc_prof_reg)lookup("acc_prof_register") != given || lookup("no_such_routine") != NULL;
    for (acc_event_t event = acc_ev_device_init_start; event < acc_ev_last; event++)
        reg(event, count, acc_reg);
    reg(acc_ev_compute_construct_start, leave, acc_reg);
    reg(acc_ev_compute_construct_end, find, acc_reg);
    reg(acc_ev_update_start, first, acc_reg);
    reg(acc_ev_update_start, second, acc_reg);
    reg(acc_ev_update_end, first, acc_reg);
    reg(acc_ev_update_end, second, acc_reg);
}

static void work(int *a, int queue)
{
    #pragma acc parallel loop copy(a[0:N]) async(queue)
    for (int i = 0; i < N; i++)
        a[i]++;
    #pragma acc wait(queue)
}

static void expect(acc_event_t event, int times, int line)
{
    if (seen[event] != times) {
        printf("line %d: event %d was seen %d times, not %d\n", line, event, seen[event], times);
        bad++;
    }
    seen[event] = 0;
}
#define EXPECT(event, times) expect(event, times, __LINE__)

static void program(void)
{
    int a[N] = {0};
    work(a, 3);
    EXPECT(acc_ev_device_init_start, 1);
    EXPECT(acc_ev_device_init_end, 1);
    EXPECT(acc_ev_compute_construct_start, 1);
    EXPECT(acc_ev_compute_construct_end, 1);
    EXPECT(acc_ev_enter_data_start, 1);
    EXPECT(acc_ev_enter_data_end, 1);
    EXPECT(acc_ev_exit_data_start, 1);
    EXPECT(acc_ev_exit_data_end, 1);
    EXPECT(acc_ev_alloc, 1);
    EXPECT(acc_ev_create, 1);
    EXPECT(acc_ev_delete, 1);
    EXPECT(acc_ev_free, 1);
    EXPECT(acc_ev_enqueue_upload_start, 1);
    EXPECT(acc_ev_enqueue_upload_end, 1);
    EXPECT(acc_ev_enqueue_launch_start, 1);
    EXPECT(acc_ev_enqueue_launch_end, 1);
    EXPECT(acc_ev_enqueue_download_start, 1);
    EXPECT(acc_ev_enqueue_download_end, 1);
    EXPECT(acc_ev_wait_start, 1);
    EXPECT(acc_ev_wait_end, 1);

    #pragma acc data copyin(a)
    {
        EXPECT(acc_ev_enter_data_start, 1);
        for (int i = 0; i < 4; i++) {
            #pragma acc update device(a)
        }
        EXPECT(acc_ev_update_start, 4);
        EXPECT(acc_ev_update_end, 4);
        EXPECT(acc_ev_enqueue_upload_start, 5);
        work(a, acc_async_sync);
        EXPECT(acc_ev_create, 1);
        EXPECT(acc_ev_enqueue_launch_end, 1);
    }
    EXPECT(acc_ev_delete, 1);
    /* In order at the beginning, the other way round at the end: 4 rounds of 1 2 4 3, and so on. */
    bad += reversed[0] != (1 + 5 + 9 + 13) + 10 * (2 + 6 + 10 + 14);
    bad += reversed[1] != (4 + 8 + 12 + 16) + 10 * (3 + 7 + 11 + 15);

    /* Not for a while, not in this thread, not any more. */
    EXPECT(acc_ev_enqueue_launch_start, 1);
    acc_prof_unregister(acc_ev_enqueue_launch_start, count, acc_toggle);
    work(a, acc_async_sync);
    EXPECT(acc_ev_enqueue_launch_start, 0);
    EXPECT(acc_ev_enqueue_launch_end, 1);
    acc_prof_register(acc_ev_enqueue_launch_start, count, acc_toggle);
    unreg(acc_ev_none, NULL, acc_toggle_per_thread);
    work(a, acc_async_sync);
    EXPECT(acc_ev_enqueue_launch_end, 0);
    reg(acc_ev_none, NULL, acc_toggle_per_thread);
    unreg(acc_ev_enqueue_launch_end, count, acc_reg);
    work(a, acc_async_sync);
    EXPECT(acc_ev_enqueue_launch_start, 1);
    EXPECT(acc_ev_enqueue_launch_end, 0);
    for (int i = 0; i < N; i++)
        bad += a[i] != 4;
    acc_shutdown(acc_device_nvidia);
    EXPECT(acc_ev_device_shutdown_start, 1);
    EXPECT(acc_ev_device_shutdown_end, 1);
}
#endif

int main(void)
{
    int result = 0;
#ifdef _OPENACC
    program();
    result = bad;
#endif
    printf("%d\n", result);
    return result != 0;
}

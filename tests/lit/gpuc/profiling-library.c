// Tools in libraries that ACC_PROFLIB names listen to programs that know nothing of them.
// RUN: gpuc -DTOOL -fPIC -c %s -o %t.tool.o
// RUN: cc -shared %t.tool.o -o %t.tool.so
// RUN: gpuc %s -o %t
// RUN: env GPUC_DEVICE=sim ACC_PROFLIB=%t.tool.so %t 2>&1 | FileCheck %s
// RUN: not env GPUC_DEVICE=sim ACC_PROFLIB=/no/such/tool.so %t 2>&1 | FileCheck %s --check-prefix=MISSING
// CHECK: tool: launch of main_L{{.*}} at profiling-library.c:{{[0-9]+}} in main
// CHECK: 7
// CHECK: tool: the runtime ends after 1 launch
// MISSING: error: ACC_PROFLIB=`/no/such/tool.so`: /no/such/tool.so: cannot open shared object file
#include <stdio.h>
#ifdef TOOL
#include <acc_prof.h>
#include <string.h>

static int launches;

static void launch(acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
    const char *slash = strrchr(info->src_file, '/');
    (void)api;
    launches++;
    printf("tool: launch of %s at %s:%d in %s\n", event->launch_event.kernel_name, slash ? slash + 1 : info->src_file,
           info->line_no, info->func_name);
}

static void end(acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
    (void)info, (void)event, (void)api;
    printf("tool: the runtime ends after %d launch\n", launches);
}

void acc_register_library(acc_prof_reg reg, acc_prof_reg unreg, acc_prof_lookup_func lookup)
{
    (void)unreg, (void)lookup;
    reg(acc_ev_enqueue_launch_start, launch, acc_reg);
    reg(acc_ev_runtime_shutdown, end, acc_reg);
}
#else
int main(void)
{
    int a = 0;
    #pragma acc serial copy(a)
    a = 7;
    printf("%d\n", a);
    return 0;
}
#endif

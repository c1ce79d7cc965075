/* What a compiled vector addition looks like to the runtime, written by hand. The first argument
 * chooses what goes wrong. */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuc_rt.h"

static const char ptx[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".file 1 \"vecadd.c\"\n"
    ".visible .entry vecadd_40(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n"
    "{\n"
    "  .reg .pred %p;\n"
    "  .reg .b32 %r<6>;\n"
    "  .reg .b64 %d<8>;\n"
    "  .reg .f32 %f<4>;\n"
    "  ld.param.u64 %d1, [a];\n"
    "  ld.param.u64 %d2, [b];\n"
    "  ld.param.u64 %d3, [c];\n"
    "  ld.param.u32 %r1, [n];\n"
    "  mov.u32 %r2, %ctaid.x;\n"
    "  mov.u32 %r3, %ntid.x;\n"
    "  mov.u32 %r4, %tid.x;\n"
    "  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "  setp.ge.u32 %p, %r5, %r1;\n"
    "  @%p bra $done;\n"
    "  mul.wide.u32 %d4, %r5, 4;\n"
    "  add.s64 %d5, %d1, %d4;\n"
    "  add.s64 %d6, %d2, %d4;\n"
    "  add.s64 %d7, %d3, %d4;\n"
    "  .loc 1 42 16\n"
    "  ld.global.f32 %f1, [%d5];\n"
    "  ld.global.f32 %f2, [%d6];\n"
    "  add.f32 %f3, %f1, %f2;\n"
    "  .loc 1 42 14\n"
    "  st.global.f32 [%d7], %f3;\n"
    "$done:\n"
    "  ret;\n"
    "}\n";
static const struct __gpuc_kernel kernels[] = {{"vecadd_40", "u64 u64 u64 u32"}};
static const struct __gpuc_code codes[] = {{"sm_70", ptx, sizeof ptx, kernels, 1}};
static struct __gpuc_image image = {2, "vecadd.c", codes, 1, 0};
static const struct __gpuc_site site = {"vecadd.c", "main", 40, "parallel loop"};

enum { N = 1000 };
static float a[N], b[N], c[N];

static int run(unsigned long grid_y, unsigned n, unsigned kind_of_a) {
    struct __gpuc_data data[] = {
        {"a", a, sizeof a, kind_of_a, 0, 0},
        {"b", b, sizeof b, __GPUC_IMPLICIT_COPY, 0, 0},
        {"c", c, sizeof c, __GPUC_COPYOUT, 41, 0},
    };
    if (!__gpuc_region_begin(&image, &site, 1)) {
        for (int i = 0; i < N; i++)
            c[i] = a[i] + b[i];
        return 0;
    }
    __gpuc_data_begin(&site, data, 3);
    struct {
        void *a, *b, *c;
        unsigned n;
    } params = {data[0].device, data[1].device, data[2].device, n};
    unsigned long grid[3] = {(N + 127) / 128, grid_y, 1}, block[3] = {128, 1, 1};
    __gpuc_launch(&image, &site, "vecadd_40", grid, block, 0, &params,
                  offsetof(__typeof__(params), n) + sizeof params.n);
    __gpuc_data_end(&site, data, 3);
    __gpuc_region_end(&site);
    return 1;
}

/* All blocks at once, as where they wait for each other. */
static int together(unsigned long blocks) {
    struct __gpuc_data data[] = {
        {"a", a, sizeof a, __GPUC_COPYIN, 0, 0},
        {"b", b, sizeof b, __GPUC_COPYIN, 0, 0},
        {"c", c, sizeof c, __GPUC_COPYOUT, 41, 0},
    };
    long offsets[3] = {0, 0, 0}, resident;
    if (!__gpuc_region_begin(&image, &site, 1))
        return 1;
    void *word = __gpuc_resident_grid(&image, &site, "vecadd_40", 128, 1000, &resident);
    long none;
    void *nowhere = __gpuc_resident_grid(&image, &site, "vecadd_40", 4096, 1000, &none);
    unsigned long words[] = {blocks ? blocks : (unsigned long)resident, 0, 1, 2, N};
    __gpuc_run_words_with(&image, &site, data, offsets, 3, "vecadd_40", "l,1,1,128,1,1,0,!DDDi", words);
    return !word || resident < 8 || resident > 1000 || nowhere || none;
}

static int wrong(void) {
    int errors = 0;
    for (int i = 0; i < N; i++)
        errors += c[i] != 3.0f * i;
    return errors;
}

/* The routines of openacc.h. */
static int routines(void) {
    int errors = 0;
    errors += acc_get_num_devices(acc_device_nvidia) != 1;
    errors += acc_get_device_type() != acc_device_nvidia;
    errors += !acc_on_device(acc_device_host);
    errors += strcmp(acc_get_property_string(0, acc_device_nvidia, acc_property_vendor), "NVIDIA");
    char *device = acc_copyin(a, sizeof a);
    errors += !acc_is_present(a, sizeof a) || acc_is_present(b, sizeof b);
    errors += acc_deviceptr(a + 10) != device + 10 * sizeof *a;
    errors += acc_hostptr(device + 40) != a + 10;
    a[5] = -1;
    acc_update_self(a, sizeof a);
    errors += a[5] != 5;
    a[5] = 50;
    acc_update_device(a + 5, sizeof *a);
    a[5] = 0;
    acc_copyout(a, sizeof a);
    errors += a[5] != 50 || acc_is_present(a, 1);
    a[5] = 5;
    void *scratch = acc_malloc(sizeof a);
    acc_memcpy_to_device(scratch, a, sizeof a);
    acc_map_data(b, scratch, sizeof b);
    acc_update_self(b, sizeof b);
    errors += memcmp(a, b, sizeof a);
    acc_unmap_data(b);
    acc_free(scratch);
    acc_wait_all();
    acc_shutdown(acc_device_nvidia);
    return errors;
}

int main(int argc, char **argv) {
    const char *test = argc > 1 ? argv[1] : "";
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 2.0f * i;
    }
    printf("before ");
    if (!strcmp(test, "present"))
        run(1, N, __GPUC_PRESENT);
    else if (!strcmp(test, "large"))
        run(1ul << 33, N, __GPUC_COPYIN);
    else if (!strcmp(test, "beyond"))
        run(1, N + 1, __GPUC_COPYIN);
    else if (!strcmp(test, "together"))
        return together(0) || wrong();
    else if (!strcmp(test, "crowd"))
        together(1001);
    else if (!strcmp(test, "routines"))
        return routines();
    else if (!strcmp(test, "host")) {
        acc_set_device_type(acc_device_host);
        return run(1, N, __GPUC_COPYIN) || wrong();
    } else {
        int on_device = run(1, N, __GPUC_COPYIN);
        printf("%s: %d wrong\n", on_device ? "device" : "host", wrong());
        return wrong() != 0;
    }
    printf("not reached\n");
    return 0;
}

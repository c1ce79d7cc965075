/* A stand-in for libcuda.so.1: the driver functions that the runtime calls, on host memory, with
 * one "kernel" that is a C function. It shows that the runtime calls them as the driver API
 * documents them; it is no GPU.
 *
 * STAND_IN=nodevice|old|jit|fault makes it fail in that way. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int CUresult;
enum { SUCCESS = 0, INVALID = 1, NO_MEMORY = 2, NO_DEVICE = 100, BAD_PTX = 218, NOT_FOUND = 500,
       ILLEGAL_ADDRESS = 700 };

static int mode(const char *name) {
    const char *value = getenv("STAND_IN");
    return value && !strcmp(value, name);
}

static int initialised, current, faulted;
static char context, module, kernel, stream, event;
/* Every call from a wrong state is an error, as with the driver. */
#define ENTER() do { if (!initialised || !current) return 201; \
                     if (faulted) return ILLEGAL_ADDRESS; } while (0)

CUresult cuDriverGetVersion(int *version) { *version = mode("old") ? 10020 : 12040; return SUCCESS; }
CUresult cuInit(unsigned flags) {
    initialised = 1;
    return flags ? INVALID : mode("nodevice") ? NO_DEVICE : SUCCESS;
}
CUresult cuGetErrorName(int code, const char **name) {
    *name = code == NO_DEVICE ? "CUDA_ERROR_NO_DEVICE" : code == BAD_PTX ? "CUDA_ERROR_INVALID_PTX"
          : code == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : 0;
    return *name ? SUCCESS : INVALID;
}
CUresult cuGetErrorString(int code, const char **text) { *text = "stand-in words"; return code < 0; }
CUresult cuDeviceGetCount(int *count) { *count = 1; return SUCCESS; }
CUresult cuDeviceGet(int *device, int ordinal) { *device = 7; return ordinal ? INVALID : SUCCESS; }
CUresult cuDeviceGetName(char *name, int length, int device) {
    snprintf(name, length, "Stand-in");
    return device == 7 ? SUCCESS : INVALID;
}
CUresult cuDeviceGetAttribute(int *value, int attribute, int device) {
    static const struct { int attribute, value; } known[] = {
        {1, 1024}, {2, 1024}, {3, 1024}, {4, 64}, {5, 0x7fffffff}, {6, 65535}, {7, 65535},
        {16, 4}, {75, 9}, {76, 0}, {95, 1}, {97, 232448}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].attribute == attribute) {
            *value = known[i].value;
            return device == 7 ? SUCCESS : INVALID;
        }
    return INVALID;
}
CUresult cuDevicePrimaryCtxRetain(void **made, int device) {
    *made = &context;
    return device == 7 ? SUCCESS : INVALID;
}
CUresult cuCtxSetCurrent(void *made) { current = made == &context; return current ? SUCCESS : INVALID; }
CUresult cuCtxSetLimit(int limit, size_t bytes) { ENTER(); return limit == 0 || limit == 2 ? bytes == 0 : INVALID; }
CUresult cuMemGetInfo_v2(size_t *available, size_t *total) {
    ENTER();
    *available = 1 << 20;
    *total = 1 << 21;
    return SUCCESS;
}
CUresult cuMemAlloc_v2(unsigned long long *ptr, size_t bytes) {
    ENTER();
    if (bytes % 256 || bytes > 1 << 20)
        return bytes > 1 << 20 ? NO_MEMORY : INVALID;
    *ptr = (unsigned long long)aligned_alloc(256, bytes);
    return SUCCESS;
}
CUresult cuPointerGetAttribute(void *value, int attribute, unsigned long long ptr) {
    (void)value, (void)attribute, (void)ptr;
    return INVALID; /* of no address that the runtime asks for does it know more than the host */
}
CUresult cuMemFree_v2(unsigned long long ptr) { ENTER(); free((void *)ptr); return SUCCESS; }
CUresult cuMemHostAlloc(void **ptr, size_t bytes, unsigned flags) {
    ENTER();
    *ptr = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    return flags ? INVALID : *ptr ? SUCCESS : NO_MEMORY;
}
CUresult cuMemFreeHost(void *ptr) { ENTER(); free(ptr); return SUCCESS; }
CUresult cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes) {
    ENTER();
    memcpy((void *)to, from, bytes);
    return SUCCESS;
}
CUresult cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes, void *in) {
    return in == &stream ? cuMemcpyHtoD_v2(to, from, bytes) : INVALID;
}
CUresult cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes) {
    ENTER();
    memcpy(to, (void *)from, bytes);
    return SUCCESS;
}
CUresult cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes, void *in) {
    return in == &stream ? cuMemcpyDtoH_v2(to, from, bytes) : INVALID;
}
CUresult cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes, void *in) {
    return in && in != &stream ? INVALID : cuMemcpyHtoD_v2(to, (void *)from, bytes);
}
CUresult cuMemsetD8Async(unsigned long long to, unsigned char value, size_t bytes, void *in) {
    ENTER();
    memset((void *)to, value, bytes);
    return in && in != &stream ? INVALID : SUCCESS;
}
CUresult cuModuleLoadDataEx(void **made, const void *image, unsigned count, int *options, void **values) {
    ENTER();
    /* Both logs with their sizes, each key once; the sizes are in the pointers themselves. */
    if (count != 4 || options[0] != 3 || options[1] != 4 || options[2] != 5 || options[3] != 6 ||
        (size_t)values[1] < 1024 || (size_t)values[3] < 1024 || !strstr(image, ".version"))
        return INVALID;
    if (mode("jit")) {
        strcpy(values[2], "ptxas application ptx input, line 3; error   : stand-in log\n");
        return BAD_PTX;
    }
    *made = &module;
    return SUCCESS;
}
/* Nothing is linked of several texts: the program has one. */
CUresult cuLinkCreate_v2(unsigned count, int *options, void **values, void **state) {
    ENTER();
    (void)count, (void)options, (void)values, (void)state;
    return INVALID;
}
CUresult cuLinkAddData_v2(void *state, int kind, void *data, size_t bytes, const char *name,
                          unsigned count, int *options, void **values) {
    ENTER();
    (void)state, (void)kind, (void)data, (void)bytes, (void)name;
    (void)count, (void)options, (void)values;
    return INVALID;
}
CUresult cuLinkComplete(void *state, void **image, size_t *bytes) {
    ENTER();
    (void)state, (void)image, (void)bytes;
    return INVALID;
}
CUresult cuLinkDestroy(void *state) { (void)state; return SUCCESS; }
CUresult cuModuleGetFunction(void **made, void *from, const char *name) {
    ENTER();
    *made = &kernel;
    return from != &module ? INVALID : strcmp(name, "vecadd_40") ? NOT_FOUND : SUCCESS;
}
CUresult cuModuleGetGlobal_v2(unsigned long long *ptr, size_t *bytes, void *from, const char *name) {
    ENTER();
    (void)name;
    *ptr = *bytes = 0;
    return from != &module ? INVALID : NOT_FOUND;
}
CUresult cuFuncGetAttribute(int *value, int attribute, void *of) {
    *value = attribute == 0 ? 1024 : attribute == 1 ? 128 : -1;
    return of == &kernel && *value >= 0 ? SUCCESS : INVALID;
}
CUresult cuFuncSetAttribute(void *of, int attribute, int value) {
    return of == &kernel && attribute == 8 && value > 0 ? SUCCESS : INVALID;
}
CUresult cuLaunchKernel(void *of, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned shared, void *in, void **params, void **extra) {
    ENTER();
    struct { float *a, *b, *c; unsigned n; } *p = extra[1];
    if (of != &kernel || gy * gz * by * bz != 1 || shared || in || params || extra[0] != (void *)1 ||
        extra[2] != (void *)2 || *(size_t *)extra[3] != 28 || extra[4])
        return INVALID;
    if (mode("fault")) {
        faulted = 1;
        return SUCCESS;
    }
    for (unsigned i = 0; i < gx * bx && i < p->n; i++)
        p->c[i] = p->a[i] + p->b[i];
    return SUCCESS;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *of, int threads, size_t shared) {
    ENTER();
    *blocks = 256 / threads;
    return of == &kernel && threads > 0 && !shared ? SUCCESS : INVALID;
}
CUresult cuLaunchCooperativeKernel(void *of, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                   unsigned bz, unsigned shared, void *in, void **params) {
    ENTER();
    if (of != &kernel || gy * gz * by * bz != 1 || shared || in || gx * bx > 4 * 256)
        return gx * bx > 4 * 256 ? 720 : INVALID;
    float *a = *(float **)params[0], *b = *(float **)params[1], *c = *(float **)params[2];
    for (unsigned i = 0; i < gx * bx && i < *(unsigned *)params[3]; i++)
        c[i] = a[i] + b[i];
    return SUCCESS;
}
CUresult cuStreamCreate(void **made, unsigned flags) {
    *made = &stream;
    return flags == 1 ? SUCCESS : INVALID;
}
CUresult cuStreamDestroy_v2(void *of) { return of == &stream ? SUCCESS : INVALID; }
CUresult cuStreamSynchronize(void *of) { ENTER(); return of && of != &stream ? INVALID : SUCCESS; }
CUresult cuStreamQuery(void *of) { return cuStreamSynchronize(of); }
CUresult cuStreamWaitEvent(void *of, void *on, unsigned flags) {
    return on == &event && !flags ? cuStreamSynchronize(of) : INVALID;
}
CUresult cuEventCreate(void **made, unsigned flags) { *made = &event; return flags ? INVALID : SUCCESS; }
CUresult cuEventRecord(void *of, void *in) { return of == &event ? cuStreamSynchronize(in) : INVALID; }
CUresult cuEventSynchronize(void *of) { ENTER(); return of == &event ? SUCCESS : INVALID; }
CUresult cuEventElapsedTime(float *milliseconds, void *from, void *to) {
    *milliseconds = 1.5f;
    return from == &event && to == &event ? SUCCESS : INVALID;
}
CUresult cuEventDestroy_v2(void *of) { return of == &event ? SUCCESS : INVALID; }

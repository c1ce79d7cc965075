/* gpuc_rt.h: what a program compiled by gpuc calls in libgpuc_runtime.
 *
 * The compiler writes these calls; people read them in the output of `gpuc --emit=host-c`. Every
 * function that fails prints the reason with the line of the directive and calls exit(1).
 *
 * A compute region comes out as
 *
 *     const struct __gpuc_site *begun = __gpuc_region_begin(&image, &site, condition);
 *     if (begun) {
 *         __gpuc_data_begin(&site, data, n);       // data[i].device is filled in
 *         __gpuc_launch(&image, &site, "kernel", grid, block, 0, &params, sizeof params);
 *         __gpuc_data_end(&site, data, n);
 *         __gpuc_region_end(&site);                // waits
 *     }
 *     if (__gpuc_is_hosts(begun)) {
 *         ... the original statement ...
 *         __gpuc_was_hosts(begun);
 *     }
 *
 * All functions may be called from several threads. Strings, sites and images are static objects
 * of the program and never change, except for the image's handle.
 */
#ifndef GPUC_RT_H
#define GPUC_RT_H

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel of a code. */
struct __gpuc_kernel {
    const char *name;   /* in the PTX */
    const char *params; /* types of its parameters, as PTX has them: "u64 u32 f64"; each at the next multiple of its size */
};

/* The kernels for one architecture. */
struct __gpuc_code {
    const char *arch;        /* "sm_80" */
    const char *ptx;         /* PTX text */
    unsigned long ptx_bytes; /* its length; a final NUL may be counted */
    const struct __gpuc_kernel *kernels;
    unsigned long n_kernels;
};

/* The device code of one translation unit; of what a device takes the code for the highest architecture is loaded. */
struct __gpuc_image {
    unsigned version;                /* 2; of version 1, the next but one is a PTX text, and then its length */
    const char *source;              /* name of the translation unit, for messages */
    const struct __gpuc_code *codes; /* the same kernels for one architecture or several */
    unsigned long n_codes;
    void *handle;                    /* NULL; belongs to the runtime */
};

/* The place of a directive. */
struct __gpuc_site {
    const char *file;
    const char *function;
    unsigned line;         /* from 1 */
    const char *construct; /* the directive in words: "parallel loop" */
};

/* What a data clause asks for. */
enum __gpuc_data_kind {
    __GPUC_COPY = 1,
    __GPUC_COPYIN = 2,
    __GPUC_COPYOUT = 3,
    __GPUC_CREATE = 4,
    __GPUC_PRESENT = 5,
    __GPUC_DELETE = 6,          /* exit data only */
    __GPUC_DEVICEPTR = 7,       /* host is a device address already */
    __GPUC_UPDATE_HOST = 8,     /* update only */
    __GPUC_UPDATE_DEVICE = 9,   /* update only */
    __GPUC_NO_CREATE = 10,      /* the host address where it is not present */
    __GPUC_IMPLICIT_COPY = 11,  /* a copy that the program did not write */
    __GPUC_IMPLICIT_PRESENT = 12, /* what must be there, though no clause names it */
    __GPUC_USE_DEVICE = 13,     /* host_data only: the address of what is present */
    __GPUC_ATTACH = 14,         /* host is the address of a pointer, bytes its size */
    __GPUC_DETACH = 15,         /* exit data only, in the same way */
    __GPUC_FIRSTPRIVATE = 16,   /* the host's values, in memory of the construct's own */
    __GPUC_FINALIZE = 0x100,    /* flag: the dynamic or attachment count becomes zero */
    __GPUC_IF_PRESENT = 0x200,  /* flag of update: skip what is not present; of use_device: the
                                   host address then */
    __GPUC_ZERO = 0x400,        /* flag: new memory is zeroed */
    __GPUC_ALWAYS = 0x800,      /* flag: copied also where it is present already, or still is */
    __GPUC_STRIDED = 0x10000,   /* flag of update: elements with others between them. bytes are those
                                   of one, device is the address of two unsigned longs: how many
                                   there are, and the bytes from one to the next */
    __GPUC_REQUIRED = 0x20000,  /* flag: must be there already, whatever else is asked for */
    __GPUC_KEPT = 0x40000,      /* flag: stays when the construct is done, for the owner of this thread */
    __GPUC_FIRST = 0x80000,     /* flag: copied in only where it has not been since it is there */
    __GPUC_WHOLE = 0x100000,    /* flag: all that is there from host on, which must be something */
    __GPUC_IMPLICIT = 0x1000000, /* flag: the program does not ask for it, and the section is the compiler's */
    __GPUC_ELEMENT = 0xe00000,  /* bits: what the elements are: 1 to 4: integers of 1, 2, 4, 8 bytes, 5:
                                   float, 6: double, 7: pointers, 0: anything else */
    __GPUC_ROWS = 0x1000        /* flag: host is the address of pointers, bytes their number, device
                                   that of two unsigned longs: the bytes to leave out at the start of
                                   what each points to, and those to take. The pointers themselves
                                   have a descriptor of their own in front */
};

/* One variable of a data clause. NULL or no bytes: nothing is moved, counted or required; device
 * is then the address that corresponds to host if host lies in something present, else NULL. */
struct __gpuc_data {
    const char *name;    /* as the program writes it */
    void *host;          /* first byte of the section */
    unsigned long bytes; /* length of the section; 2^63 where the compiler's computation found none:
                            data that must be there */
    unsigned kind;       /* enum __gpuc_data_kind, with flags */
    unsigned line;       /* line of the clause; 0: that of the directive */
    void *device;        /* out: the device address that corresponds to host */
};

/* site: run the region on the device. NULL: run the original statement, because condition is 0 or
 * the user has chosen the host. */
const struct __gpuc_site *__gpuc_region_begin(struct __gpuc_image *image, const struct __gpuc_site *site, int condition);
/* Waits for the kernels of the region. */
void __gpuc_region_end(const struct __gpuc_site *site);

/* Whether the host is to run the original statement, asked when a region has ended or was not begun (begun is
 * NULL then), and that it has. With GPUC_AUTOCOMPARE it runs what the device has run as well, from what that
 * started from; was_hosts looks at what it has left, and lets the program go on with what the device has. */
int __gpuc_is_hosts(const struct __gpuc_site *begun);
void __gpuc_was_hosts(const struct __gpuc_site *begun);

/* Ends the program: a scalar that the region is handed the value of lies in data that it may write. */
void __gpuc_by_value(const struct __gpuc_site *site, const char *scalar, const char *data);

/* Structured data: entry and exit of a data region or of a compute construct, with the same
 * descriptors. The exit goes through them in reverse. */
void __gpuc_data_begin(const struct __gpuc_site *site, struct __gpuc_data *data, unsigned n);
void __gpuc_data_end(const struct __gpuc_site *site, struct __gpuc_data *data, unsigned n);
/* enter data (copyin, create), exit data (copyout, delete), update. */
void __gpuc_data_enter(const struct __gpuc_site *site, struct __gpuc_data *data, unsigned n);
void __gpuc_data_exit(const struct __gpuc_site *site, struct __gpuc_data *data, unsigned n);
void __gpuc_data_update(const struct __gpuc_site *site, struct __gpuc_data *data, unsigned n);

/* Nests that the compiler found (gpuc --auto). auto_begin: 1, where the nest runs on the device, with its
 * data begun there, which __gpuc_data_end ends; 0, where the statement runs on the host, which has all
 * that the statement may look at. Data have the flag 0x2000, those that do not stay on the device
 * 0x4000 besides; `fixed` are variables whose values were read before: a nest that might write there
 * runs on the host. `work` are its operations, those of the longest chain, and its launches, which are
 * weighed against moving the data unless `always`. */
int __gpuc_auto_begin(struct __gpuc_image *image, const struct __gpuc_site *site,
                      struct __gpuc_data *data, unsigned n, struct __gpuc_data *fixed, unsigned m,
                      const long *work, int always);
/* How many stretches of memory nests have left on the device. */
extern int __gpuc_auto_resident;
/* The host is about to read, or (writes is 1) to write, bytes from first on; all of memory where bytes is 0. Where writes is 2, it writes
 * all of them, and reads none before. */
void __gpuc_auto_host(const void *first, unsigned long bytes, int writes);
/* The life of the variable there is over. */
void __gpuc_auto_dead(const void *first, unsigned long bytes);

/* A construct that the compiler could not compile, and was told to leave to the host: says so once, and
 * lets the original statement between the two see the device's data in the place of the host's. */
void __gpuc_host_begin(const struct __gpuc_site *site);
void __gpuc_host_end(const struct __gpuc_site *site);

/* Calls that a directive at the call sends to the device. send: the next call of function in this thread
 * is; owner keeps what stays there, how has a digit for each argument: 1, the call does not bring it in,
 * 2, it does not bring it back, 3, both. The function asks sent whether this call of it was, and
 * sent_kind how its arguments move. send_end: the statement with the call is done. */
void __gpuc_send(const void *function, const char *owner, const char *how);
void __gpuc_send_end(const void *function);
int __gpuc_sent(const void *function);
unsigned __gpuc_sent_kind(unsigned argument, unsigned kind);
/* Who keeps what comes with the flag __GPUC_KEPT from now on in this thread, and the end of that. */
void __gpuc_owner(const char *name);
void __gpuc_let_go(const struct __gpuc_site *site, const char *name);

/* host_data: fills in the device addresses, and counts nothing. */
void __gpuc_host_data(const struct __gpuc_site *site, struct __gpuc_data *data, unsigned n);

/* declare: the data region of a program or of a block. The block's ends with its scope, where the
 * compiler has the scope's variable cleaned up. */
struct __gpuc_scope {
    const struct __gpuc_site *site;
    struct __gpuc_data *data;
    unsigned n;
};
/* The program requires memory that host and device share: what it maps stays where it is. */
void __gpuc_require_shared_memory(void);

/* When the program starts: the image has device functions that other files call. */
void __gpuc_provide(struct __gpuc_image *);
/* When the program starts: functions of images find the variable at an address by what stands in their variable of that name. */
void __gpuc_reach(const char *, const void *);

void __gpuc_declare(const struct __gpuc_site *site, struct __gpuc_data *data, unsigned n);
void __gpuc_scope_end(struct __gpuc_scope *scope);

/* async: what this thread does from begin to end goes into the queue of that number, or special
 * value of openacc.h. */
void __gpuc_queue_begin(const struct __gpuc_site *site, int async);
void __gpuc_queue_end(const struct __gpuc_site *site);
/* wait: the host waits for n queues (for all where n is 0) of a device (-1: the current one);
 * within __gpuc_queue_begin and _end, that queue waits in its place. */
void __gpuc_wait(const struct __gpuc_site *site, int device, const int *queues, unsigned n);

/* init, shutdown, set. Types are those of openacc.h, -1 where none is given; so are devices. */
void __gpuc_init(const struct __gpuc_site *site, int type, int device);
void __gpuc_shutdown(const struct __gpuc_site *site, int type, int device);
void __gpuc_set_device(const struct __gpuc_site *site, int type, int device);
/* Whether a device of that number, as OpenMP counts them, is not the host. */
int __gpuc_on_device(const struct __gpuc_site *site, int device);
void __gpuc_set_default_async(const struct __gpuc_site *site, int async);

/* Whether two variables of a construct whose data has begun share no byte: no loop that was made
 * parallel on that assumption runs where this says 0. Pointers of which the construct does not say how
 * much they point to share all of what they point into. */
int __gpuc_disjoint(const struct __gpuc_site *site, const struct __gpuc_data *a,
                    const struct __gpuc_data *b);

/* 1, where `length` elements of each row of a section are all of a row, which has `extent` (less than 0:
 * any); ends the program where they are not: such a section is no one stretch of memory. */
unsigned long __gpuc_whole_rows(const struct __gpuc_site *site, const char *section, long length,
                                long extent);

/* 1, where the `length` elements of a section from `first` on, each `stride` behind the one before, are
 * elements of an array of `extent` (less than 0: any); ends the program where they are not. `line` is that of the clause. */
unsigned long __gpuc_within(const struct __gpuc_site *site, unsigned line, const char *section,
                            long first, long length, long stride, long extent);

/* The number of gangs, workers or lanes that `clause` gives as `value`, which is that of `variable`
 * unless that is null: 1 at least. Says so where it was less. */
long __gpuc_launch_size(const struct __gpuc_site *site, const char *clause, const char *variable,
                        long value);

/* Scratch memory of a region, not initialised. */
void *__gpuc_device_alloc(const struct __gpuc_site *site, unsigned long bytes);
void __gpuc_device_free(const struct __gpuc_site *site, void *device);

/* The counter by which the blocks of a kernel tell which is the last: 32 bits, zero when a kernel of the
 * region's queue starts, which leaves them so. */
void *__gpuc_tickets(const struct __gpuc_site *site);

/* A grid whose blocks wait for each other: how many blocks of `threads` threads of the kernel the device runs at once, at
 * most `most`, and 0 where it has no such launches. Returns the word by which they do: 32 bits of the region's queue, which are
 * 0 at first, and which a kernel leaves as the next wants them. */
void *__gpuc_resident_grid(struct __gpuc_image *image, const struct __gpuc_site *site, const char *kernel,
                           unsigned threads, unsigned long most, long *blocks);

/* Reads `bytes` of device memory for a decision of the host, when the kernels before are done. */
void __gpuc_fetch(const struct __gpuc_site *site, void *to, const void *device,
                  unsigned long bytes);

/* Launches a kernel of the image. A zero in grid means that there is nothing to do. params is the
 * parameter block: every parameter at its PTX offset; a structure's final padding may be counted.
 * Kernels of one region run one after the other; they are done when __gpuc_region_end returns, or
 * when their queue has been waited for. */
void __gpuc_launch(struct __gpuc_image *image, const struct __gpuc_site *site, const char *kernel,
                   const unsigned long grid[3], const unsigned long block[3],
                   unsigned long dynamic_shared_bytes, const void *params,
                   unsigned long param_bytes);

/* The same from words, and a layout that says what they are: seven sizes with a comma behind each (of the
 * grid, of a block, bytes of dynamic shared memory), a ! where the blocks of the grid wait for each other, which must then
 * run at once (__gpuc_resident_grid), then what is said of data, then the kernel's parameters.
 * A size is a number, or the letter l for a word. All else are letters for a word each: i, s, c: an integer
 * of 4, 2, 1 bytes (its low ones), f: a float (the bits of its value as a double), d: the bits of a double,
 * l and p: 8 bytes, D: the number of one of the construct's data, whose element 0 is meant. l/128 is a count
 * of which 128 go together, l*4 one of elements of 4 bytes; counts below 0 are none.
 * run_words_with begins the construct's data ahead, and ends it and the region behind; offsets[i] is the
 * distance of data[i] from element 0 in bytes. run_words_on is given of each datum what is known when
 * compiling, and in front of the kernel's words its address and its length, and where is_inside is not 0
 * its distance from element 0. */
struct __gpuc_item {
    const char *name;
    unsigned kind; /* enum __gpuc_data_kind, with flags */
    unsigned line;
    unsigned is_inside;
};
void __gpuc_run_words(struct __gpuc_image *image, const struct __gpuc_site *site,
                      const char *kernel, const char *layout, const unsigned long *words);
void __gpuc_run_words_with(struct __gpuc_image *image, const struct __gpuc_site *site,
                           struct __gpuc_data *data, const long *offsets, unsigned n,
                           const char *kernel, const char *layout, const unsigned long *words);
void __gpuc_run_words_on(struct __gpuc_image *image, const struct __gpuc_site *site,
                         const struct __gpuc_item *items, unsigned n, const char *kernel,
                         const char *layout, const unsigned long *words);

/* Arithmetic with an answer for all operands (a division by 0 is 0), the number of elements of a section, which may
 * be written as less than none, their bytes, and the device address of element 0, from that of a section which starts
 * offset bytes behind it. */
long __gpuc_div(long a, long b);
long __gpuc_rem(long a, long b);
unsigned long __gpuc_divu(unsigned long a, unsigned long b);
unsigned long __gpuc_remu(unsigned long a, unsigned long b);
long __gpuc_ceildiv(long a, long b);
long __gpuc_floordiv(long a, long b);
unsigned long __gpuc_ceildivu(unsigned long a, unsigned long b);
long __gpuc_min(long a, long b);
long __gpuc_max(long a, long b);
unsigned long __gpuc_minu(unsigned long a, unsigned long b);
unsigned long __gpuc_maxu(unsigned long a, unsigned long b);
unsigned long __gpuc_count(long count);
unsigned long __gpuc_bytes(long count, unsigned long element);
void *__gpuc_element_0(void *device, long offset);

/* A copy of memory, and that it is put back, which ends the copy; bytes are the same for both. */
void *__gpuc_keep(const void *at, unsigned long bytes);
void __gpuc_give(void *at, void *kept, unsigned long bytes);

#ifdef __cplusplus
}
#endif

#endif

//! Declarations in front of the host program: the runtime's `gpuc_rt.h` in short, because the text
//! is preprocessed already, and the functions that launch kernels with what they call.

use gpuc_ir::Ir;

use super::function::{c_name, parameters};
use super::{Functions, literal, sections};
use crate::lower::{Lowered, Reached};
use crate::tree::TranslationUnit;

/// Begins text of ours: of a system header, so that the host compiler does not warn of it, and with
/// structures laid out as the runtime has them, whatever the program or an option asks for.
pub(super) const BEGIN: &str = "\n# 1 \"<gpuc>\" 3\n#pragma pack(push, 16)\n";

/// What lays a structure's member of a type out as the ABI has it, even where an option packs
/// everything.
pub(super) fn aligned(ty: &str) -> &'static str {
    match ty {
        "_Bool" | "signed char" => "",
        "short" => " __attribute__((__aligned__(2)))",
        "int" | "unsigned" | "float" => " __attribute__((__aligned__(4)))",
        _ => " __attribute__((__aligned__(8)))",
    }
}

/// Ends text of ours.
pub(super) const END: &str = "#pragma pack(pop)\n";

/// Says when the program starts, ahead of all data, that it shares memory with the device.
pub(super) const SHARES_MEMORY: &str = "\
void __gpuc_require_shared_memory(void);
static void __attribute__((__constructor__(101))) __gpuc_shares_memory(void) { __gpuc_require_shared_memory(); }
";

/// Makes the image known when the program starts, because other files call functions of it on the device.
pub(super) const PROVIDES: &str = "\
void __gpuc_provide(struct __gpuc_image *);
static void __attribute__((__constructor__(101))) __gpuc_provides(void) { __gpuc_provide(&__gpuc_image_0); }
";

/// Says when the program starts where the variables are that functions of the image find by an address.
pub(super) fn reaches(unit: &TranslationUnit, reached: &[Reached]) -> String {
    if reached.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "void __gpuc_reach(const char *, const void *);\n\
         static void __attribute__((__constructor__(101))) __gpuc_reaches(void) { ",
    );
    for Reached { symbol, variable } in reached {
        let name = unit.name(*variable);
        out += &format!("__gpuc_reach({}, (const void *)&{name}); ", literal(symbol));
    }
    out + "}\n"
}

/// `@4` and `@8` stand for the alignment of a member.
const RUNTIME: &str = "\
struct __gpuc_image { unsigned version @4; const char *source @8; const char *ptx @8; unsigned long ptx_bytes @8; void *handle @8; };
struct __gpuc_site { const char *file @8; const char *function @8; unsigned line @4; const char *construct @8; };
struct __gpuc_scope { const struct __gpuc_site *site @8; struct __gpuc_data *data @8; unsigned n @4; };
struct __gpuc_data { const char *name @8; void *host @8; unsigned long bytes @8; unsigned kind @4; unsigned line @4; void *device @8; };
struct __gpuc_item { const char *name @8; unsigned kind @4; unsigned line @4; unsigned is_inside @4; };
int __gpuc_auto_begin(struct __gpuc_image *, const struct __gpuc_site *, struct __gpuc_data *, unsigned, struct __gpuc_data *, unsigned, const long *, int);
extern int __gpuc_auto_resident;
void __gpuc_auto_host(const void *, unsigned long, int);
void __gpuc_auto_dead(const void *, unsigned long);
int __gpuc_region_begin(struct __gpuc_image *, const struct __gpuc_site *, int);
void __gpuc_region_end(const struct __gpuc_site *);
extern int __gpuc_comparing;
int __gpuc_compares(const struct __gpuc_site *);
void __gpuc_compared(const struct __gpuc_site *);
/* Whether the host runs a construct, and that it has; functions are shorter at each construct than what they do. */
static __inline__ __attribute__((__unused__)) int __gpuc_is_hosts(int begun, const struct __gpuc_site *site) { return !begun || (__gpuc_comparing && __gpuc_compares(site)); }
static __inline__ __attribute__((__unused__)) void __gpuc_was_hosts(int begun, const struct __gpuc_site *site) { if (begun) __gpuc_compared(site); }
void __gpuc_data_begin(const struct __gpuc_site *, struct __gpuc_data *, unsigned);
void __gpuc_data_end(const struct __gpuc_site *, struct __gpuc_data *, unsigned);
void __gpuc_data_enter(const struct __gpuc_site *, struct __gpuc_data *, unsigned);
void __gpuc_data_exit(const struct __gpuc_site *, struct __gpuc_data *, unsigned);
void __gpuc_data_update(const struct __gpuc_site *, struct __gpuc_data *, unsigned);
void __gpuc_send(const void *, const char *, const char *);
void __gpuc_send_end(const void *);
int __gpuc_sent(const void *);
unsigned __gpuc_sent_kind(unsigned, unsigned);
void __gpuc_owner(const char *);
void __gpuc_let_go(const struct __gpuc_site *, const char *);
void __gpuc_host_begin(const struct __gpuc_site *);
void __gpuc_host_end(const struct __gpuc_site *);
void __gpuc_host_data(const struct __gpuc_site *, struct __gpuc_data *, unsigned);
void __gpuc_declare(const struct __gpuc_site *, struct __gpuc_data *, unsigned);
void __gpuc_scope_end(struct __gpuc_scope *);
void __gpuc_queue_begin(const struct __gpuc_site *, int);
void __gpuc_queue_end(const struct __gpuc_site *);
void __gpuc_wait(const struct __gpuc_site *, int, const int *, unsigned);
void __gpuc_init(const struct __gpuc_site *, int, int);
void __gpuc_shutdown(const struct __gpuc_site *, int, int);
void __gpuc_set_device(const struct __gpuc_site *, int, int);
int __gpuc_on_device(const struct __gpuc_site *, int);
void __gpuc_set_default_async(const struct __gpuc_site *, int);
int __gpuc_disjoint(const struct __gpuc_site *, const struct __gpuc_data *, const struct __gpuc_data *);
unsigned long __gpuc_whole_rows(const struct __gpuc_site *, const char *, long, long);
long __gpuc_launch_size(const struct __gpuc_site *, const char *, const char *, long);
void *__gpuc_device_alloc(const struct __gpuc_site *, unsigned long);
void __gpuc_device_free(const struct __gpuc_site *, void *);
void *__gpuc_tickets(const struct __gpuc_site *);
void __gpuc_fetch(const struct __gpuc_site *, void *, const void *, unsigned long);
void __gpuc_launch(struct __gpuc_image *, const struct __gpuc_site *, const char *, const unsigned long[3], const unsigned long[3], unsigned long, const void *, unsigned long);
/* The number of elements of a section, which may be written as less than none. */
static __attribute__((__unused__, __noinline__, __const__)) unsigned long __gpuc_count(long count) { return count > 0 ? (unsigned long)count : 0ul; }
/* The extent of a variable-length array, from its size and that of an element, which may be none. */
static __inline__ __attribute__((__unused__)) long __gpuc_extent(unsigned long size, unsigned long element) { return element ? (long)(size / element) : 0l; }
/* The device address of element 0, from that of a section which starts `offset` bytes behind it. */
static __inline__ __attribute__((__unused__)) void *__gpuc_element_0(void *device, long offset) { return (void *)((unsigned long)device - (unsigned long)offset); }
static struct __gpuc_image __gpuc_image_0;
/* The image where `default(none)` of a host construct around wants every variable named. */
static __inline__ __attribute__((__unused__)) struct __gpuc_image *__gpuc_image(void) { return &__gpuc_image_0; }
/* The host is about to look at memory, or at everything: what nests have left newer on the device comes back. */
static __inline__ __attribute__((__unused__)) void __gpuc_host(const volatile void *first, unsigned long bytes, int writes) { if (__gpuc_auto_resident) __gpuc_auto_host((const void *)first, bytes, writes); }
/* A variable that nests may have left on the device, or a function at whose end nothing may be left there. */
struct __gpuc_life { const void *first @8; unsigned long bytes @8; };
static __inline__ __attribute__((__unused__)) void __gpuc_life_ends(struct __gpuc_life *life) { if (__gpuc_auto_resident) { if (life->bytes) __gpuc_auto_dead(life->first, life->bytes); else __gpuc_auto_host((const void *)0, 0ul, 1); } }
";

/// What launches call: a launch that puts the values of `types` behind each other as PTX aligns
/// parameters (on a little-endian host; `D` is the number of a data item, whose device address is meant), with and without
/// the data of its construct round it, and arithmetic with an answer for all operands. `__gpuc_run_on` is given the data as
/// arguments in front of the values, address, bytes and, where it does not start at element 0, the distance from there, and
/// what is known of them when compiling as a table: filling arrays was a third of the host compiler's work on a construct.
/// `@` stands for `static` and attributes, `@0` for those of functions that are not worth the host compiler's time.
const HELPERS: &str = "\
@0 void __gpuc_start(const struct __gpuc_site *site, const struct __gpuc_data *data, const long *offsets, const char *kernel, const char *types, const unsigned long *grid, const unsigned long *block, unsigned long shared, __builtin_va_list values) {
 unsigned long n = 0; const char *t; char *p;
 for (t = types; *t; t++) n += 8;
 p = (char *)__builtin_alloca(n + 8); n = 0;
 for (t = types; *t; t++) {
  unsigned long size = *t == 'i' || *t == 'f' ? 4 : *t == 's' ? 2 : *t == 'c' ? 1 : 8;
  long integer; double number; float narrow; const void *value = &integer;
  if (*t == 'd' || *t == 'f') { number = __builtin_va_arg(values, double); narrow = (float)number; value = *t == 'd' ? (const void *)&number : &narrow; }
  else if (*t == 'D') { int item = __builtin_va_arg(values, int); integer = (long)__gpuc_element_0(data[item].device, offsets[item]); }
  else if (size < 8) integer = __builtin_va_arg(values, int);
  else if (*t == 'l') integer = __builtin_va_arg(values, long);
  else integer = (long)__builtin_va_arg(values, void *);
  n = (n + size - 1) / size * size; __builtin_memcpy(p + n, value, size); n += size;
 }
 __gpuc_launch(&__gpuc_image_0, site, kernel, grid, block, shared, p, n);
}
@0 void __gpuc_run(const struct __gpuc_site *site, const char *kernel, const char *types, unsigned long x, unsigned long y, unsigned long z, unsigned long bx, unsigned long by, unsigned long bz, unsigned long shared, ...) {
 const unsigned long grid[3] = { x, y, z }, block[3] = { bx, by, bz }; __builtin_va_list values;
 __builtin_va_start(values, shared);
 __gpuc_start(site, (const struct __gpuc_data *)0, (const long *)0, kernel, types, grid, block, shared, values);
 __builtin_va_end(values);
}
@0 void __gpuc_run_between(const struct __gpuc_site *site, struct __gpuc_data *data, const long *offsets, unsigned n, const char *kernel, const char *types, const unsigned long *grid, const unsigned long *block, unsigned long shared, __builtin_va_list values) {
 __gpuc_data_begin(site, data, n);
 __gpuc_start(site, data, offsets, kernel, types, grid, block, shared, values);
 __gpuc_data_end(site, data, n);
 __gpuc_region_end(site);
}
@0 void __gpuc_run_with(const struct __gpuc_site *site, struct __gpuc_data *data, const long *offsets, unsigned n, const char *kernel, const char *types, unsigned long x, unsigned long y, unsigned long z, unsigned long bx, unsigned long by, unsigned long bz, unsigned long shared, ...) {
 const unsigned long grid[3] = { x, y, z }, block[3] = { bx, by, bz }; __builtin_va_list values;
 __builtin_va_start(values, shared);
 __gpuc_run_between(site, data, offsets, n, kernel, types, grid, block, shared, values);
 __builtin_va_end(values);
}
@0 void __gpuc_run_on(const struct __gpuc_site *site, const struct __gpuc_item *items, unsigned n, const char *kernel, const char *types, unsigned long x, unsigned long y, unsigned long z, unsigned long bx, unsigned long by, unsigned long bz, unsigned long shared, ...) {
 const unsigned long grid[3] = { x, y, z }, block[3] = { bx, by, bz }; __builtin_va_list values; unsigned i;
 struct __gpuc_data *data = (struct __gpuc_data *)__builtin_alloca(n * sizeof(struct __gpuc_data));
 long *offsets = (long *)__builtin_alloca(n * sizeof(long));
 __builtin_va_start(values, shared);
 for (i = 0; i < n; i++) {
  data[i].name = items[i].name; data[i].kind = items[i].kind; data[i].line = items[i].line; data[i].device = (void *)0;
  data[i].host = __builtin_va_arg(values, void *); data[i].bytes = __builtin_va_arg(values, unsigned long);
  offsets[i] = items[i].is_inside ? __builtin_va_arg(values, long) : 0l;
 }
 __gpuc_run_between(site, data, offsets, n, kernel, types, grid, block, shared, values);
 __builtin_va_end(values);
}
@ void *__gpuc_keep(const void *at, unsigned long bytes) { void *kept = __builtin_malloc(bytes + 1); if (!kept) __builtin_abort(); return bytes ? __builtin_memcpy(kept, at, bytes) : kept; }
@ void __gpuc_give(void *at, void *kept, unsigned long bytes) { if (bytes) __builtin_memcpy(at, kept, bytes); __builtin_free(kept); }
@ long __gpuc_div(long a, long b) { return b == 0 ? 0 : b == -1 ? (long)(0ul - (unsigned long)a) : a / b; }
@ long __gpuc_rem(long a, long b) { return b == 0 || b == -1 ? 0 : a % b; }
@ unsigned long __gpuc_divu(unsigned long a, unsigned long b) { return b == 0 ? 0 : a / b; }
@ unsigned long __gpuc_remu(unsigned long a, unsigned long b) { return b == 0 ? 0 : a % b; }
@ long __gpuc_ceildiv(long a, long b) { return __gpuc_div(a, b) + (__gpuc_rem(a, b) != 0 && (a < 0) == (b < 0)); }
@ long __gpuc_floordiv(long a, long b) { return __gpuc_div(a, b) - (__gpuc_rem(a, b) != 0 && (a < 0) != (b < 0)); }
@ unsigned long __gpuc_ceildivu(unsigned long a, unsigned long b) { return __gpuc_divu(a, b) + (__gpuc_remu(a, b) != 0); }
@ long __gpuc_min(long a, long b) { return a < b ? a : b; }
@ long __gpuc_max(long a, long b) { return a > b ? a : b; }
@ unsigned long __gpuc_minu(unsigned long a, unsigned long b) { return a < b ? a : b; }
@ unsigned long __gpuc_maxu(unsigned long a, unsigned long b) { return a > b ? a : b; }
";

/// What [`HELPERS`] have in the place of `@`.
const HELPER: &str = "static __attribute__((__unused__, __noinline__))";

/// What they have in the place of `@0`: in each file of the program they would take GCC longer at -O2 than most constructs
/// do, and a launch is none the faster for it. Clang leaves the attribute out of account.
const LAUNCHER: &str = "static __attribute__((__unused__, __noinline__, __optimize__(\"O0\")))";

/// The declarations of the runtime alone.
pub fn runtime_declarations() -> String {
    format!("{BEGIN}{}{END}", runtime())
}

fn runtime() -> String {
    RUNTIME.replace(" @4", aligned("unsigned")).replace(" @8", aligned("void *"))
}

/// The declarations of the runtime and of the functions that launch the unit's kernels.
pub(super) fn declarations(ir: &Ir, lowered: &Lowered, functions: &Functions<'_>) -> String {
    let mut out = format!("{BEGIN}{}", runtime());
    if lowered.constructs.iter().any(|info| info.compute.is_some()) {
        out += &HELPERS.replace("@0", LAUNCHER).replace('@', HELPER);
    }
    for info in &lowered.constructs {
        let Some(compute) = &info.compute else { continue };
        if let Some(function) = functions.named(&compute.symbol) {
            if functions.launch(compute).is_some() {
                out += &sections::declarations(ir, functions, function);
                continue;
            }
            let (types, _) = parameters(ir, function, &compute.arguments);
            let (name, types) = (c_name(&compute.symbol), types.join(", "));
            // A launch costs more than its call, and than its arithmetic: inlined, all launches of a function
            // would be one large problem to the host compiler, and optimised, half of its work.
            out += &format!(
                "static void {name}({types}) __attribute__((__cold__, __noinline__, __optimize__(0)));\n"
            );
            out += &sections::declarations(ir, functions, function);
        }
    }
    out + END
}

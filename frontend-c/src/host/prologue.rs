//! Declarations in front of the host program: the runtime's `gpuc_rt.h` in short, because the text
//! is preprocessed already, and the functions that launch kernels with what they call.

use gpuc_ir::Ir;
use rustc_hash::FxHashSet;

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
struct __gpuc_kernel { const char *name @8; const char *params @8; };
struct __gpuc_code { const char *arch @8; const char *ptx @8; unsigned long ptx_bytes @8; const struct __gpuc_kernel *kernels @8; unsigned long n_kernels @8; };
struct __gpuc_image { unsigned version @4; const char *source @8; const struct __gpuc_code *codes @8; unsigned long n_codes @8; void *handle @8; };
struct __gpuc_site { const char *file @8; const char *function @8; unsigned line @4; const char *construct @8; };
struct __gpuc_scope { const struct __gpuc_site *site @8; struct __gpuc_data *data @8; unsigned n @4; };
struct __gpuc_data { const char *name @8; void *host @8; unsigned long bytes @8; unsigned kind @4; unsigned line @4; void *device @8; };
struct __gpuc_item { const char *name @8; unsigned kind @4; unsigned line @4; unsigned is_inside @4; };
int __gpuc_auto_begin(struct __gpuc_image *, const struct __gpuc_site *, struct __gpuc_data *, unsigned, struct __gpuc_data *, unsigned, const long *, int);
extern int __gpuc_auto_resident;
void __gpuc_auto_host(const void *, unsigned long, int);
void __gpuc_auto_dead(const void *, unsigned long);
const struct __gpuc_site *__gpuc_region_begin(struct __gpuc_image *, const struct __gpuc_site *, int);
void __gpuc_region_end(const struct __gpuc_site *);
int __gpuc_is_hosts(const struct __gpuc_site *);
void __gpuc_was_hosts(const struct __gpuc_site *);
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
unsigned long __gpuc_within(const struct __gpuc_site *, unsigned, const char *, long, long, long, long);
long __gpuc_launch_size(const struct __gpuc_site *, const char *, const char *, long);
void *__gpuc_device_alloc(const struct __gpuc_site *, unsigned long);
void __gpuc_device_free(const struct __gpuc_site *, void *);
void *__gpuc_tickets(const struct __gpuc_site *);
void *__gpuc_resident_grid(struct __gpuc_image *, const struct __gpuc_site *, const char *, unsigned, unsigned long, long *);
void __gpuc_fetch(const struct __gpuc_site *, void *, const void *, unsigned long);
void __gpuc_launch(struct __gpuc_image *, const struct __gpuc_site *, const char *, const unsigned long[3], const unsigned long[3], unsigned long, const void *, unsigned long);
void __gpuc_run_words(struct __gpuc_image *, const struct __gpuc_site *, const char *, const char *, const unsigned long *);
void __gpuc_run_words_with(struct __gpuc_image *, const struct __gpuc_site *, struct __gpuc_data *, const long *, unsigned, const char *, const char *, const unsigned long *);
void __gpuc_run_words_on(struct __gpuc_image *, const struct __gpuc_site *, const struct __gpuc_item *, unsigned, const char *, const char *, const unsigned long *);
/* The number of elements of a section, which may be written as less than none, and their bytes. */
static __attribute__((__unused__, __noinline__, __const__)) unsigned long __gpuc_count(long count) { return count > 0 ? (unsigned long)count : 0ul; }
static __attribute__((__unused__, __noinline__, __const__)) unsigned long __gpuc_bytes(long count, unsigned long element) { return count > 0 ? (unsigned long)count * element : 0ul; }
/* The extent of a variable-length array, from its size and that of an element, which may be none. */
static __inline__ __attribute__((__unused__)) long __gpuc_extent(unsigned long size, unsigned long element) { return element ? (long)(size / element) : 0l; }
/* The same for a section to be held against: there are any number of elements of no size. */
static __inline__ __attribute__((__unused__)) long __gpuc_bound(unsigned long size, unsigned long element) { return element ? (long)(size / element) : -1l; }
/* The device address of element 0, from that of a section which starts `offset` bytes behind it. */
static __inline__ __attribute__((__unused__)) void *__gpuc_element_0(void *device, long offset) { return (void *)((unsigned long)device - (unsigned long)offset); }
static struct __gpuc_image __gpuc_image_0;
/* The image where `default(none)` of a host construct around wants every variable named. */
static __inline__ __attribute__((__unused__)) struct __gpuc_image *__gpuc_this_image(void) { return &__gpuc_image_0; }
/* The host is about to look at memory, or at everything: what nests have left newer on the device comes back. */
static __inline__ __attribute__((__unused__)) void __gpuc_host(const volatile void *first, unsigned long bytes, int writes) { if (__gpuc_auto_resident) __gpuc_auto_host((const void *)first, bytes, writes); }
/* A variable that nests may have left on the device, or a function at whose end nothing may be left there. */
struct __gpuc_life { const void *first @8; unsigned long bytes @8; };
static __inline__ __attribute__((__unused__)) void __gpuc_life_ends(struct __gpuc_life *life) { if (__gpuc_auto_resident) { if (life->bytes) __gpuc_auto_dead(life->first, life->bytes); else __gpuc_auto_host((const void *)0, 0ul, 1); } }
";

/// Arithmetic with an answer for all operands, and copies of what the host changes in its own way. `@` stands for
/// [`HELPER`].
const HELPERS: &str = "\
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

/// The functions that gather the arguments of launches as words (`include/gpuc_rt.h`): a launch alone, one with
/// descriptors of its construct's data, and one with a table of them and their places among the words. Each has its
/// own arguments and what it hands on of them. They are in each file of the program because C alone has variable
/// numbers of arguments, short because the host compiler reads them for each file, and not optimised because that
/// took GCC longer at -O2 than most constructs do, while a launch is none the faster for it. (Clang leaves the
/// attribute out of account.)
const LAUNCHERS: [(&str, &str, &str); 3] = [
    ("__gpuc_run", "", ""),
    (
        "__gpuc_run_with",
        "struct __gpuc_data *data, const long *offsets, unsigned n, ",
        "data, offsets, n, ",
    ),
    ("__gpuc_run_on", "const struct __gpuc_item *items, unsigned n, ", "items, n, "),
];

/// One of [`LAUNCHERS`].
fn launcher((name, own, handed): (&str, &str, &str)) -> String {
    let words = name.replacen("__gpuc_run", "__gpuc_run_words", 1);
    format!(
        "static __attribute__((__unused__, __noinline__, __optimize__(\"O0\"))) void {name}(const struct __gpuc_site *site, {own}const char *kernel, const char *layout, ...) {{
 double number; const char *at; __builtin_va_list values;
 unsigned long *words = (unsigned long *)__builtin_alloca(8 * __builtin_strlen(layout) + 8), *word = words;
 __builtin_va_start(values, layout);
 for (at = layout; *at; at++) {{
  if (*at == 'l' || *at == 'p') *word++ = __builtin_va_arg(values, unsigned long);
  else if (*at == 'd' || *at == 'f') {{ number = __builtin_va_arg(values, double); __builtin_memcpy(word++, &number, 8); }}
  else if (*at > '9') *word++ = (unsigned long)__builtin_va_arg(values, int);
 }}
 __builtin_va_end(values);
 {words}(&__gpuc_image_0, site, {handed}kernel, layout, words);
}}
"
    )
}

/// The declarations of the runtime alone.
pub fn runtime_declarations() -> String {
    format!("{BEGIN}{}{END}", runtime())
}

fn runtime() -> String {
    RUNTIME.replace(" @4", aligned("unsigned")).replace(" @8", aligned("void *"))
}

/// What `text` mentions of the runtime and of the functions that launch, and what that mentions itself: each
/// file's host compiler reads it again.
fn needed(text: &str) -> String {
    let all = runtime() + &HELPERS.replace('@', HELPER) + &LAUNCHERS.map(launcher).concat();
    let mut wanted: FxHashSet<&str> = names(text).collect();
    let mut kept = Vec::new();
    // Each stands behind what it mentions.
    let items: Vec<&str> = items(&all).collect();
    for item in items.into_iter().rev() {
        if wanted.contains(declared(item)) {
            wanted.extend(names(item));
            kept.push(item);
        }
    }
    kept.into_iter().rev().collect()
}

/// Declarations and definitions at the top level: those start with a line of their own, which no blank begins.
fn items(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let follows = |at: &usize| !rest[at + 1..].starts_with([' ', '}']);
        let end = rest.match_indices('\n').map(|(at, _)| at).find(follows)?;
        let (item, behind) = rest.split_at(end + 1);
        rest = behind;
        Some(item)
    })
    .filter(|item| !item.starts_with("/*"))
}

/// The name that an item declares: that of a structure, of a function, or the last one.
fn declared(item: &str) -> &str {
    if let Some(rest) = item.strip_prefix("struct ")
        && let Some(at) = rest.find(" {")
    {
        return &rest[..at];
    }
    let is_called = |name: &&str| {
        let behind = name.as_ptr() as usize - item.as_ptr() as usize + name.len();
        item[behind..].starts_with('(')
    };
    names(item).find(is_called).or_else(|| names(item).last()).unwrap_or_default()
}

/// The names with the prefix of all that is ours.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("__gpuc_").map(|(at, _)| {
        let is_part = |&byte: &u8| byte == b'_' || byte.is_ascii_alphanumeric();
        &text[at..at + text.as_bytes()[at..].iter().take_while(|byte| is_part(byte)).count()]
    })
}

/// The declarations of the runtime and of the functions that launch the unit's kernels, as far as `text`, which is the
/// rest of the host program, has use for them.
pub(super) fn declarations(
    ir: &Ir,
    lowered: &Lowered,
    functions: &Functions<'_>,
    text: &str,
) -> String {
    let mut out = format!("{BEGIN}{}", needed(text));
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

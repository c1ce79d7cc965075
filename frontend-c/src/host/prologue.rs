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

/// Attributes of the functions that launch kernels and compute what launches need. A launch costs more than its call, and
/// than its arithmetic: inlined, all launches of a function would be one large problem to the host compiler, and
/// optimised, half of its work. Nor is a line of ours one that the user's tests cover. They have a section of their own
/// because what has no lines would be taken for a part of what stands in front of it.
pub(super) const LAUNCH: &str = "__attribute__((__cold__, __noinline__, __optimize__(0), __no_profile_instrument_function__, __section__(\".text.gpuc\")))";

/// Writes functions in a line each, which has no number: there is nothing of it to show.
pub(super) fn without_lines(functions: &str, out: &mut String) {
    for function in functions.split("\n\n").filter(|text| !text.is_empty()) {
        *out += "# 0 \"<gpuc>\" 3\n";
        out.extend(function.lines().flat_map(|line| [line.trim_start(), " "]));
        *out += "\n";
    }
}

/// Ends text of ours.
pub(super) const END: &str = "#pragma pack(pop)\n";

/// Says when the program starts, ahead of all data, that it shares memory with the device.
pub(super) const SHARES_MEMORY: &str = "\
void __gpuc_require_shared_memory(void);
static void __attribute__((__constructor__(101), __no_profile_instrument_function__)) __gpuc_shares_memory(void) { __gpuc_require_shared_memory(); }
";

/// Makes the image known when the program starts, because other files call functions of it on the device.
pub(super) const PROVIDES: &str = "\
void __gpuc_provide(struct __gpuc_image *);
static void __attribute__((__constructor__(101), __no_profile_instrument_function__)) __gpuc_provides(void) { __gpuc_provide(&__gpuc_image_0); }
";

/// Says when the program starts where the variables are that functions of the image find by an address.
pub(super) fn reaches(unit: &TranslationUnit, reached: &[Reached]) -> String {
    if reached.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "void __gpuc_reach(const char *, const void *);\n\
         static void __attribute__((__constructor__(101), __no_profile_instrument_function__)) __gpuc_reaches(void) { ",
    );
    for Reached { symbol, variable } in reached {
        let name = unit.name(*variable);
        out += &format!("__gpuc_reach({}, (const void *)&{name}); ", literal(symbol));
    }
    out + "}\n"
}

/// `@4` and `@8` stand for the alignment of a member, `#` for a function that only looks at its arguments. What can be a
/// function of the runtime is one: each that a file defines goes through all of the host compiler's passes.
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
void __gpuc_by_value(const struct __gpuc_site *, const char *, const char *);
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
# unsigned long __gpuc_count(long);
# unsigned long __gpuc_bytes(long, unsigned long);
/* The extent of a variable-length array, from its size and that of an element, which may be none. */
static __inline__ __attribute__((__unused__, __no_profile_instrument_function__)) long __gpuc_extent(unsigned long size, unsigned long element) { return element ? (long)(size / element) : 0l; }
/* The same for a section to be held against: there are any number of elements of no size. */
static __inline__ __attribute__((__unused__, __no_profile_instrument_function__)) long __gpuc_bound(unsigned long size, unsigned long element) { return element ? (long)(size / element) : -1l; }
/* The device address of element 0, from that of a section which starts some bytes behind it. */
# void *__gpuc_element_0(void *, long);
/* Arithmetic with an answer for all operands, and copies of what the host changes in its own way. */
# long __gpuc_div(long, long);
# long __gpuc_rem(long, long);
# unsigned long __gpuc_divu(unsigned long, unsigned long);
# unsigned long __gpuc_remu(unsigned long, unsigned long);
# long __gpuc_ceildiv(long, long);
# long __gpuc_floordiv(long, long);
# unsigned long __gpuc_ceildivu(unsigned long, unsigned long);
# long __gpuc_min(long, long);
# long __gpuc_max(long, long);
# unsigned long __gpuc_minu(unsigned long, unsigned long);
# unsigned long __gpuc_maxu(unsigned long, unsigned long);
void *__gpuc_keep(const void *, unsigned long);
void __gpuc_give(void *, void *, unsigned long);
/* The bits of a number, as a word of a launch. */
union __gpuc_number { double number; unsigned long bits; };
static struct __gpuc_image __gpuc_image_0;
/* The image where `default(none)` of a host construct around wants every variable named. */
static __inline__ __attribute__((__unused__, __no_profile_instrument_function__)) struct __gpuc_image *__gpuc_this_image(void) { return &__gpuc_image_0; }
/* The host is about to look at memory, or at everything: what nests have left newer on the device comes back. */
static __inline__ __attribute__((__unused__, __no_profile_instrument_function__)) void __gpuc_host(const volatile void *first, unsigned long bytes, int writes) { if (__gpuc_auto_resident) __gpuc_auto_host((const void *)first, bytes, writes); }
/* A variable that nests may have left on the device, or a function at whose end nothing may be left there. */
struct __gpuc_life { const void *first @8; unsigned long bytes @8; };
static __inline__ __attribute__((__unused__, __no_profile_instrument_function__)) void __gpuc_life_ends(struct __gpuc_life *life) { if (__gpuc_auto_resident) { if (life->bytes) __gpuc_auto_dead(life->first, life->bytes); else __gpuc_auto_host((const void *)0, 0ul, 1); } }
";

/// The declarations of the runtime alone.
pub fn runtime_declarations() -> String {
    format!("{BEGIN}{}{END}", runtime())
}

fn runtime() -> String {
    RUNTIME
        .replace(" @4", aligned("unsigned"))
        .replace(" @8", aligned("void *"))
        .replace("\n# ", "\n__attribute__((__const__)) ")
}

/// What `text` mentions of the runtime, and what that mentions itself: each file's host compiler reads it again.
fn needed(text: &str) -> String {
    let all = runtime();
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

/// The name that an item declares: that of a structure or union, of a function, or the last one.
fn declared(item: &str) -> &str {
    let rest = item.strip_prefix("struct ").or_else(|| item.strip_prefix("union "));
    if let Some(rest) = rest
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
            out += &format!("static void {name}({types}) {LAUNCH};\n");
            out += &sections::declarations(ir, functions, function);
        }
    }
    out + END
}

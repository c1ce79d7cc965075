//! Declarations in front of the host program: the runtime's `gpuc_rt.h` in short, because the text
//! is preprocessed already, and the functions that launch kernels.

use gpuc_ir::Ir;

use super::function::{c_name, parameters};
use super::function_named;
use crate::lower::Lowered;

const RUNTIME: &str = "\
struct __gpuc_image { unsigned version; const char *source; const char *ptx; unsigned long ptx_bytes; void *handle; };
struct __gpuc_site { const char *file; const char *function; unsigned line; const char *construct; };
struct __gpuc_data { const char *name; void *host; unsigned long bytes; unsigned kind; unsigned line; void *device; };
int __gpuc_region_begin(struct __gpuc_image *, const struct __gpuc_site *, int);
void __gpuc_region_end(const struct __gpuc_site *);
void __gpuc_data_begin(const struct __gpuc_site *, struct __gpuc_data *, unsigned);
void __gpuc_data_end(const struct __gpuc_site *, struct __gpuc_data *, unsigned);
void __gpuc_data_enter(const struct __gpuc_site *, struct __gpuc_data *, unsigned);
void __gpuc_data_exit(const struct __gpuc_site *, struct __gpuc_data *, unsigned);
void __gpuc_data_update(const struct __gpuc_site *, struct __gpuc_data *, unsigned);
int __gpuc_disjoint(const struct __gpuc_site *, const struct __gpuc_data *, const struct __gpuc_data *);
void *__gpuc_device_alloc(const struct __gpuc_site *, unsigned long);
void __gpuc_device_free(const struct __gpuc_site *, void *);
void __gpuc_launch(struct __gpuc_image *, const struct __gpuc_site *, const char *, const unsigned long[3], const unsigned long[3], unsigned long, const void *, unsigned long);
/* The number of elements of a section, which may be written as less than none. */
static inline __attribute__((unused)) unsigned long __gpuc_count(long count) { return count > 0 ? (unsigned long)count : 0ul; }
/* The device address of element 0, from that of a section which starts `offset` bytes behind it. */
static inline __attribute__((unused)) void *__gpuc_element_0(void *device, long offset) { return (void *)((unsigned long)device - (unsigned long)offset); }
static struct __gpuc_image __gpuc_image_0;
";

/// The declarations of the runtime and of the functions that launch the unit's kernels.
pub(super) fn declarations(ir: &Ir, lowered: &Lowered) -> String {
    let mut out = format!("# 1 \"<gpuc>\"\n{RUNTIME}");
    for info in &lowered.constructs {
        let Some(compute) = &info.compute else { continue };
        if let Some(function) = function_named(ir, lowered, &compute.symbol) {
            let (types, _) = parameters(ir, function);
            out += &format!("static void {}({});\n", c_name(&compute.symbol), types.join(", "));
        }
    }
    out
}

//! The functions that compiled programs call, as `include/gpuc_rt.h` declares them.
//!
//! Each turns C's pointers into references and calls the [`Runtime`] of the process; an error is
//! shown and ends the program.
#![allow(
    clippy::missing_safety_doc,
    reason = "all have one contract, that of include/gpuc_rt.h: pointers are null or valid for the \
              stated length during the call, strings and sites are literals of the program"
)]

use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_ulong, c_void};
use std::slice;

use gpuc_diagnostics::Diagnostic;

use gpuc_arch::NestWork;

use crate::Runtime;
use crate::descriptor::{DataDescriptor, ScopeDescriptor, SiteDescriptor};
use crate::embedded::ImageDescriptor;
use crate::failure::{Failure, fail};
use crate::launch_size::launch_size;
use crate::openacc::on_device_of;
use crate::present::resident::HostUse;
use crate::rows::{whole_rows, within};
use crate::runtime::{Counted, Shape};

/// Stands for a site that the caller does not give.
static NOWHERE: SiteDescriptor = SiteDescriptor::new(c"?", c"?", 0, c"directive");

/// The value, or the end of the program.
pub(crate) fn or_fail<T>(result: Result<T, Failure>) -> T {
    result.unwrap_or_else(|error| fail(&error))
}

/// # Safety
/// `site` is null or points to a site of the program.
unsafe fn site_of<'a>(site: *const SiteDescriptor) -> &'a SiteDescriptor {
    // SAFETY: the caller's promise.
    unsafe { site.as_ref() }.unwrap_or(&NOWHERE)
}

/// # Safety
/// `image` is null or points to an image of the program.
unsafe fn image_of<'a>(
    image: *const ImageDescriptor,
    site: &SiteDescriptor,
) -> &'a ImageDescriptor {
    // SAFETY: the caller's promise.
    unsafe { image.as_ref() }.unwrap_or_else(|| {
        fail(&Diagnostic::error("a region has no device image").at_option(site.place()))
    })
}

/// # Safety
/// `data` is null or points to `n` descriptors that nobody else uses meanwhile.
unsafe fn data_of<'a>(data: *mut DataDescriptor, n: c_uint) -> &'a mut [DataDescriptor] {
    if data.is_null() {
        return &mut [];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts_mut(data, n as usize) }
}

/// The site of a compute region that runs on the device; null for one that runs as host code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_region_begin(
    image: *const ImageDescriptor,
    site: *const SiteDescriptor,
    condition: c_int,
) -> *const SiteDescriptor {
    // SAFETY: the contract of the header.
    let (site, image) = unsafe {
        let site = site_of(site);
        (site, image_of(image, site))
    };
    let begun = or_fail(Runtime::global().region_begin(image, site, condition != 0));
    if !begun {
        return std::ptr::null();
    }
    Runtime::global().note_construct(site, true);
    site
}

/// The end of a compute region for which [`__gpuc_region_begin`] has returned its site.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_region_end(site: *const SiteDescriptor) {
    // SAFETY: the contract of the header.
    let site = unsafe { site_of(site) };
    or_fail(Runtime::global().region_end(site));
    Runtime::global().note_construct(site, false);
}

/// Whether the host runs a construct for which [`__gpuc_region_begin`] has returned `begun` (1): where the device has not, and
/// where what both leave is compared.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_is_hosts(begun: *const SiteDescriptor) -> c_int {
    if begun.is_null() {
        return 1;
    }
    // SAFETY: the contract of the header.
    let compares = crate::runtime::compare::is_comparing()
        && Runtime::global().compares(unsafe { site_of(begun) });
    c_int::from(compares)
}

/// It has: compares, where the device has run it as well.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_was_hosts(begun: *const SiteDescriptor) {
    if !begun.is_null() {
        // SAFETY: the contract of the header.
        Runtime::global().compared(unsafe { site_of(begun) });
    }
}

/// The end of the program, where a scalar that a region is handed the value of lies in data that it may write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_by_value(
    site: *const SiteDescriptor,
    scalar: *const c_char,
    data: *const c_char,
) {
    // SAFETY: the contract of the header.
    let (site, [scalar, data]) = unsafe {
        (site_of(site), [scalar, data].map(|name| CStr::from_ptr(name).to_string_lossy()))
    };
    let text = format!(
        "`{scalar}` lies in `{data}`, which this region may write to, and is handed to it as a value"
    );
    let help = format!("share it: name it in a data clause, as in `copy({scalar})`");
    fail(&Diagnostic::error(text).at_option(site.place()).help(help))
}

/// Functions that do something with the data of a place.
macro_rules! data_functions {
    ($($name:ident $action:ident, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            site: *const SiteDescriptor,
            data: *mut DataDescriptor,
            n: c_uint,
        ) {
            // SAFETY: the contract of the header.
            let (site, data) = unsafe { (site_of(site), data_of(data, n)) };
            or_fail(Runtime::global().$action(site, data));
        }
    )*};
}

data_functions! {
    __gpuc_data_begin data_begin,
        "Entry of a data region or of a compute construct: fills in the device addresses.";
    __gpuc_data_end data_end, "Exit of a data region or of a compute construct.";
    __gpuc_data_enter data_enter, "`enter data`.";
    __gpuc_data_exit data_exit, "`exit data`.";
    __gpuc_data_update data_update, "`update`.";
    __gpuc_host_data host_data, "`host_data`: fills in the device addresses.";
    __gpuc_declare declare,
        "`declare` at file scope: the data region of the whole program begins, on every device.";
}

/// The data region of a block ends with its scope (`struct __gpuc_scope`).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_scope_end(scope: *mut ScopeDescriptor) {
    // SAFETY: the contract of the header.
    let (site, data) = unsafe { (site_of((*scope).site), data_of((*scope).data, (*scope).n)) };
    or_fail(Runtime::global().data_end(site, data));
}

/// Whether a nest that the compiler found runs on the device (1), where its data have begun then, or as
/// host code (0), which has all that it may look at.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_auto_begin(
    image: *const ImageDescriptor,
    site: *const SiteDescriptor,
    data: *mut DataDescriptor,
    n: c_uint,
    fixed: *mut DataDescriptor,
    m: c_uint,
    work: *const c_long,
    always: c_int,
) -> c_int {
    // SAFETY: the contract of the header.
    let (site, data, fixed) = unsafe { (site_of(site), data_of(data, n), data_of(fixed, m)) };
    let (image, work) = unsafe { (image_of(image, site), slice::from_raw_parts(work, 3)) };
    let work =
        NestWork { operations: work[0] as f64, span: work[1] as f64, launches: work[2] as f64 };
    let counted = Counted { work, always: always != 0, asked: always == 2 };
    c_int::from(or_fail(Runtime::global().nest_begin(image, site, data, fixed, &counted)))
}

/// Makes memory the host's: all that nests have left on the device where `bytes` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_auto_host(first: *const c_void, bytes: c_ulong, writes: c_int) {
    let what = match writes {
        0 => HostUse::Reads,
        2 => HostUse::Overwrites,
        _ => HostUse::Writes,
    };
    or_fail(Runtime::global().give_back(first as u64, bytes, what));
}

/// A variable's life is over: what nests have left of it on the device goes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_auto_dead(first: *const c_void, bytes: c_ulong) {
    if bytes > 0 {
        or_fail(Runtime::global().give_back(first as u64, bytes, HostUse::Ends));
    }
}

/// A construct that the compiler has left to the host begins.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_host_begin(site: *const SiteDescriptor) {
    // SAFETY: the contract of the header.
    or_fail(Runtime::global().host_begin(unsafe { site_of(site) }));
}

/// A construct that the compiler has left to the host ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_host_end(site: *const SiteDescriptor) {
    // SAFETY: the contract of the header.
    or_fail(Runtime::global().host_end(unsafe { site_of(site) }));
}

/// What this thread does next goes into a queue.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_queue_begin(site: *const SiteDescriptor, argument: c_int) {
    // SAFETY: the contract of the header.
    or_fail(Runtime::global().queue_begin(unsafe { site_of(site) }, argument));
}

/// What this thread does next is waited for again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_queue_end(_site: *const SiteDescriptor) {
    Runtime::global().queue_end();
}

/// `wait`, as a directive and as a clause.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_wait(
    site: *const SiteDescriptor,
    device: c_int,
    queues: *const c_int,
    n: c_uint,
) {
    // SAFETY: the contract of the header.
    let (site, queues) = unsafe {
        let queues = if n == 0 { &[] } else { slice::from_raw_parts(queues, n as usize) };
        (site_of(site), queues)
    };
    on_device_of(site, device, || or_fail(Runtime::global().wait(site, queues)));
}

/// `init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_init(site: *const SiteDescriptor, kind: c_int, device: c_int) {
    // SAFETY: the contract of the header.
    crate::openacc::init(unsafe { site_of(site) }, kind, device);
}

/// `shutdown`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_shutdown(site: *const SiteDescriptor, kind: c_int, device: c_int) {
    // SAFETY: the contract of the header.
    crate::openacc::shutdown(unsafe { site_of(site) }, kind, device);
}

/// `set device_type(kind) device_num(device)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_set_device(
    site: *const SiteDescriptor,
    kind: c_int,
    device: c_int,
) {
    // SAFETY: the contract of the header.
    crate::openacc::set_device(unsafe { site_of(site) }, kind, device);
}

/// Whether a device of that number, as OpenMP counts them, is not the host.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_on_device(site: *const SiteDescriptor, device: c_int) -> c_int {
    // SAFETY: the contract of the header.
    c_int::from(!crate::openmp::is_host(unsafe { site_of(site) }, device))
}

/// `set default_async(argument)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_set_default_async(site: *const SiteDescriptor, argument: c_int) {
    // SAFETY: the contract of the header.
    crate::openacc::set_default_async(unsafe { site_of(site) }, argument);
}

/// Whether two variables of a construct share no byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_disjoint(
    site: *const SiteDescriptor,
    a: *const DataDescriptor,
    b: *const DataDescriptor,
) -> c_int {
    // SAFETY: the contract of the header.
    let (site, a, b) = unsafe { (site_of(site), &*a, &*b) };
    c_int::from(Runtime::global().disjoint(site, a, b))
}

/// The size of a launch that a clause gives, one at least.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_launch_size(
    site: *const SiteDescriptor,
    clause: *const c_char,
    variable: *const c_char,
    value: c_long,
) -> c_long {
    // SAFETY: the contract of the header.
    let (site, clause, variable) = unsafe {
        let variable = (!variable.is_null()).then(|| CStr::from_ptr(variable));
        (site_of(site), CStr::from_ptr(clause), variable)
    };
    launch_size(site, &clause.to_string_lossy(), variable.map(CStr::to_string_lossy), value)
}

/// The rows of a section that is to be one stretch of memory: whether `length` elements are all of a row
/// of `extent`. The program ends where they are not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_whole_rows(
    site: *const SiteDescriptor,
    section: *const c_char,
    length: c_long,
    extent: c_long,
) -> c_ulong {
    // SAFETY: the contract of the header.
    let (site, section) = unsafe { (site_of(site), CStr::from_ptr(section)) };
    or_fail(whole_rows(site, &section.to_string_lossy(), length, extent));
    1
}

/// A section of an array: whether `length` elements from `first` on, each `stride` behind the one before, are among
/// its `extent`. The program ends where they are not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_within(
    site: *const SiteDescriptor,
    line: c_uint,
    section: *const c_char,
    first: c_long,
    length: c_long,
    stride: c_long,
    extent: c_long,
) -> c_ulong {
    // SAFETY: the contract of the header.
    let (site, section) = unsafe { (site_of(site), CStr::from_ptr(section)) };
    or_fail(within(site, line, &section.to_string_lossy(), first, length, stride, extent));
    1
}

/// Scratch memory on the device for one region; its contents are not initialised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_device_alloc(
    site: *const SiteDescriptor,
    bytes: c_ulong,
) -> *mut c_void {
    // SAFETY: the contract of the header.
    or_fail(Runtime::global().device_alloc(unsafe { site_of(site) }, bytes)) as *mut c_void
}

/// Gives back what [`__gpuc_device_alloc`] returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_device_free(site: *const SiteDescriptor, device: *mut c_void) {
    // SAFETY: the contract of the header.
    or_fail(Runtime::global().device_free(unsafe { site_of(site) }, device as u64));
}

/// The counter of blocks that are done, of the queue that this thread's operations go into.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_tickets(site: *const SiteDescriptor) -> *mut c_void {
    // SAFETY: the contract of the header.
    or_fail(Runtime::global().tickets(unsafe { site_of(site) })) as *mut c_void
}

/// Reads device memory for the host's own decisions, when the kernels before are done.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_fetch(
    site: *const SiteDescriptor,
    to: *mut c_void,
    device: *const c_void,
    bytes: c_ulong,
) {
    // SAFETY: the contract of the header: `to` is writable for `bytes`.
    let (site, to) =
        unsafe { (site_of(site), slice::from_raw_parts_mut(to.cast(), bytes as usize)) };
    or_fail(Runtime::global().fetch(site, to, device as u64));
}

/// How many blocks of a kernel run at once, and the word by which they wait for each other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_resident_grid(
    image: *const ImageDescriptor,
    site: *const SiteDescriptor,
    kernel: *const c_char,
    threads: c_uint,
    most: c_ulong,
    blocks: *mut c_long,
) -> *mut c_void {
    // SAFETY: the contract of the header: `blocks` is a place for one number.
    let (word, number) = unsafe {
        let site = site_of(site);
        let (image, kernel) = (image_of(image, site), CStr::from_ptr(kernel));
        or_fail(Runtime::global().resident_grid(image, site, kernel, threads, most))
    };
    // SAFETY: as above.
    unsafe { blocks.write(number as c_long) };
    word as *mut c_void
}

/// Launches a kernel of the image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_launch(
    image: *const ImageDescriptor,
    site: *const SiteDescriptor,
    kernel: *const c_char,
    grid: *const [c_ulong; 3],
    block: *const [c_ulong; 3],
    dynamic_shared_bytes: c_ulong,
    params: *const c_void,
    param_bytes: c_ulong,
) {
    if kernel.is_null() || grid.is_null() || block.is_null() {
        // SAFETY: the contract of the header.
        let site = unsafe { site_of(site) };
        fail(&Diagnostic::error("a launch without a kernel or a shape").at_option(site.place()));
    }
    // SAFETY: not null, hence valid by the contract of the header.
    unsafe {
        let (grid, block) = (*grid, *block);
        let shape = Shape { grid, block, dynamic_shared_bytes, cooperative: false };
        let params = match params.is_null() {
            true => &[],
            false => slice::from_raw_parts(params.cast(), param_bytes as usize),
        };
        launch(image, site, kernel, &shape, params);
    }
}

/// Launches a kernel.
///
/// # Safety
/// All is as `include/gpuc_rt.h` has it.
pub(crate) unsafe fn launch(
    image: *const ImageDescriptor,
    site: *const SiteDescriptor,
    kernel: *const c_char,
    shape: &Shape,
    params: &[u8],
) {
    // SAFETY: the caller's promise.
    let (site, image, kernel) = unsafe {
        let site = site_of(site);
        (site, image_of(image, site), CStr::from_ptr(kernel))
    };
    or_fail(Runtime::global().launch(image, site, kernel, shape, params));
}

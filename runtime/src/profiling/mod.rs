//! The profiling interface (OpenACC 3.3 ch. 5), declared in `include/acc_prof.h`: tools are told what the
//! runtime does.
//!
//! A tool is the function `acc_register_library` of the program, or of a library that `ACC_PROFLIB` names; or the
//! program registers functions by itself. Where nobody listens, an event costs a look at a flag.

mod events;
pub mod notify;
mod registry;

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

use gpuc_diagnostics::Diagnostic;

pub use events::{About, Event, On, construct_begins, construct_ends, during, event};
use registry::{Callback, Mode};

use crate::Failure;

/// Whether anybody is told what happens.
pub fn is_listening() -> bool {
    registry::is_listening() || notify::is_on()
}

/// `acc_prof_reg`.
type Register = extern "C" fn(c_int, Option<Callback>, c_int);
/// `acc_prof_lookup_func`.
type Lookup = unsafe extern "C" fn(*const c_char) -> *const c_void;
/// `acc_register_library`.
type RegisterLibrary = unsafe extern "C" fn(Register, Register, Lookup);

// The program may have the function, and need not.
std::arch::global_asm!(
    ".weak acc_register_library",
    ".section .data.rel.ro.__gpuc_tool, \"aw\"",
    ".balign 8",
    ".globl __gpuc_tool",
    ".hidden __gpuc_tool",
    "__gpuc_tool: .8byte acc_register_library",
    // Of GCC's OpenMP library, which has a function of that name that only says it is not done.
    ".weak GOACC_parallel_keyed",
    ".globl __gpuc_gomp",
    ".hidden __gpuc_gomp",
    "__gpuc_gomp: .8byte GOACC_parallel_keyed",
    ".previous"
);

unsafe extern "C" {
    /// The address of the program's `acc_register_library`; null where it has none.
    #[link_name = "__gpuc_tool"]
    static TOOL: Option<RegisterLibrary>;
    /// Another function of GCC's OpenMP library; null where the program has none.
    #[link_name = "__gpuc_gomp"]
    static GOMP: *const c_void;
    /// In which file an address lies (GNU).
    fn dladdr(address: *const c_void, found: *mut Found) -> c_int;
    /// Opens a shared library (POSIX).
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    /// A symbol of a library (POSIX).
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    /// What has gone wrong (POSIX).
    fn dlerror() -> *const c_char;
}

/// `Dl_info`.
#[repr(C)]
struct Found {
    file: *const c_char,
    base: *mut c_void,
    symbol: *const c_char,
    address: *mut c_void,
}

/// Where the file begins that an address lies in.
fn file_of(address: *const c_void) -> Option<usize> {
    let mut found = Found {
        file: ptr::null(),
        base: ptr::null_mut(),
        symbol: ptr::null(),
        address: ptr::null_mut(),
    };
    // SAFETY: a place for an answer.
    let known = unsafe { dladdr(address, &raw mut found) };
    (known != 0).then_some(found.base as usize)
}

/// The program's own tool.
fn own_tool() -> Option<RegisterLibrary> {
    // SAFETY: words that the linker has filled in.
    let (tool, gomp) = unsafe { (TOOL?, GOMP) };
    let is_gomp = !gomp.is_null() && file_of(gomp) == file_of(tool as *const c_void);
    (!is_gomp).then_some(tool)
}

/// `RTLD_NOW`.
const RTLD_NOW: c_int = 2;

fn misused(what: &str) {
    let message = format!("{what}: nothing is registered");
    crate::failure::show(&Diagnostic::warning(message).help("OpenACC 3.3 §5.3 and `acc_prof.h`"));
}

/// The arguments of both functions below, the event and the mode; `None` where they mean nothing.
fn meant(name: &str, event: c_int, mode: c_int) -> Option<(Option<Event>, Mode)> {
    let known = if event == 0 { Some(None) } else { Event::of(event).map(Some) };
    let (Some(known), Some(mode)) = (known, Mode::of(mode)) else {
        misused(&format!("{name} of event {event} in mode {mode}"));
        return None;
    };
    if known.is_none() && mode == Mode::Register {
        misused(&format!("{name} of acc_ev_none"));
        return None;
    }
    Some((known, mode))
}

/// Lets a function listen to an event, or again.
#[unsafe(no_mangle)]
pub extern "C" fn acc_prof_register(event: c_int, callback: Option<Callback>, mode: c_int) {
    if let Some((event, mode)) = meant("acc_prof_register", event, mode) {
        registry::register(event, callback, mode);
    }
}

/// Lets a function listen to an event no more, or not for a while.
#[unsafe(no_mangle)]
pub extern "C" fn acc_prof_unregister(event: c_int, callback: Option<Callback>, mode: c_int) {
    if let Some((event, mode)) = meant("acc_prof_unregister", event, mode) {
        registry::unregister(event, callback, mode);
    }
}

/// A function of this interface by its name; null where there is none.
///
/// # Safety
/// `name` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_prof_lookup(name: *const c_char) -> *const c_void {
    if name.is_null() {
        return ptr::null();
    }
    // SAFETY: a string, by the routine's contract.
    match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"acc_prof_register" => acc_prof_register as Register as *const c_void,
        b"acc_prof_unregister" => acc_prof_unregister as Register as *const c_void,
        b"acc_prof_lookup" => acc_prof_lookup as Lookup as *const c_void,
        _ => ptr::null(),
    }
}

/// Calls the tools there are, before anything has happened that they could be told.
pub fn load_tools(libraries: &[String]) -> Result<(), Failure> {
    let mut tools: Vec<RegisterLibrary> = own_tool().into_iter().collect();
    for library in libraries {
        let failed = |what: String| {
            let message = format!("ACC_PROFLIB=`{library}`: {what}");
            Box::new(Diagnostic::error(message))
        };
        let name = CString::new(library.as_str()).unwrap_or_default();
        // SAFETY: strings; what a library does when it is loaded is the user's choice.
        let found = unsafe {
            let handle = dlopen(name.as_ptr(), RTLD_NOW);
            if handle.is_null() {
                let why = dlerror();
                let why = if why.is_null() { c"cannot be loaded" } else { CStr::from_ptr(why) };
                return Err(failed(why.to_string_lossy().into_owned()));
            }
            dlsym(handle, c"acc_register_library".as_ptr())
        };
        if found.is_null() {
            return Err(failed("the library has no `acc_register_library`".to_owned()));
        }
        // SAFETY: a function of that name has that type.
        tools.push(unsafe { std::mem::transmute::<*mut c_void, RegisterLibrary>(found) });
    }
    for tool in tools {
        // SAFETY: as above.
        unsafe { tool(acc_prof_register, acc_prof_unregister, acc_prof_lookup) };
    }
    Ok(())
}

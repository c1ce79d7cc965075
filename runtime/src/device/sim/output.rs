//! What simulated kernels print: it goes the way of the program's own output, through the C library's buffer of
//! standard output, so that both stand in the order in which they were printed.

use std::ffi::{c_int, c_void};
use std::sync::{Mutex, PoisonError};

unsafe extern "C" {
    /// C11 §7.21.8.2.
    fn fwrite(from: *const c_void, size: usize, count: usize, stream: *mut c_void) -> usize;
    /// C11 §7.21.5.2.
    fn fflush(stream: *mut c_void) -> c_int;
    #[cfg_attr(target_vendor = "apple", link_name = "__stdoutp")]
    static stdout: *mut c_void;
}

/// Writes what a launch has printed.
pub(super) fn write(printed: &Mutex<Vec<u8>>) {
    let text = std::mem::take(&mut *printed.lock().unwrap_or_else(PoisonError::into_inner));
    if text.is_empty() {
        return;
    }
    // SAFETY: the buffer is there for as many bytes, and the stream is the program's. That it is closed nobody can
    // be told.
    unsafe {
        fwrite(text.as_ptr().cast(), 1, text.len(), stdout);
        fflush(stdout);
    }
}

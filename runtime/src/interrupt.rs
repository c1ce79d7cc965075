//! Ctrl-C while the simulator runs a kernel: the kernel ends, and the program says where it was.
//!
//! A program that has its own handler for the signal, or ignores it, keeps that. Between kernels, and when it
//! comes a second time, the signal ends the process as it does any other.

use std::ffi::c_int;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Exit status of a program that Ctrl-C has ended in a kernel, as shells say it: 128 and the signal's number.
pub const STATUS: c_int = 128 + libc::SIGINT;

static RAISED: AtomicBool = AtomicBool::new(false);
static RUNNING: AtomicUsize = AtomicUsize::new(0);

extern "C" fn handler(number: c_int) {
    if RUNNING.load(Ordering::SeqCst) > 0 && !RAISED.swap(true, Ordering::SeqCst) {
        return;
    }
    // SAFETY: both may be called by a handler (signal-safety(7)).
    unsafe {
        libc::signal(number, libc::SIG_DFL);
        libc::raise(number);
    }
}

/// Sets the handler where nobody has said what the signal does.
pub fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let handler: extern "C" fn(c_int) = handler;
        // SAFETY: the structure is plain data that the calls fill, and the handler does what handlers may do.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            let known = libc::sigaction(libc::SIGINT, std::ptr::null(), &raw mut action) == 0;
            if known && action.sa_sigaction == libc::SIG_DFL {
                action.sa_sigaction = handler as libc::sighandler_t;
                action.sa_flags = libc::SA_RESTART;
                libc::sigaction(libc::SIGINT, &raw const action, std::ptr::null_mut());
            }
        }
    });
}

/// Whether the signal has come while a kernel ran.
pub fn was_raised() -> bool {
    RAISED.load(Ordering::Relaxed)
}

/// A kernel that runs.
pub struct Running(());

impl Running {
    /// From now on the signal ends the kernel.
    pub fn begin() -> Running {
        RUNNING.fetch_add(1, Ordering::SeqCst);
        Running(())
    }

    /// What becomes true when it shall end.
    pub fn flag(&self) -> &'static AtomicBool {
        &RAISED
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}

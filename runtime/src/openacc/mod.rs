//! The `acc_*` routines of OpenACC 3.3 chapter 3, declared in `include/openacc.h`.
//! Numbers are those of GCC's header, so that objects compiled with either agree.
//!
//! The device answers to `acc_device_nvidia`, the simulated one too: it stands for that GPU.
#![allow(
    clippy::missing_safety_doc,
    reason = "all have one contract, the specification's: host ranges are valid for their length, \
              device addresses come from the routines that return them"
)]

mod data;
mod device;
mod queues;

pub use data::*;
pub use device::*;
pub(crate) use device::{init, on_device_of, set_default_async, set_device, shutdown};
pub use queues::*;

use crate::descriptor::SiteDescriptor;

/// The place of a routine call: none is known, its name is.
macro_rules! call_site {
    ($name:literal) => {{
        static SITE: $crate::descriptor::SiteDescriptor =
            $crate::descriptor::SiteDescriptor::new(c"?", c"?", 0, $name);
        &SITE
    }};
}
pub(crate) use call_site;

/// Does something in the queue of an `async` argument.
fn in_queue<T>(site: &SiteDescriptor, argument: std::ffi::c_int, action: impl FnOnce() -> T) -> T {
    let runtime = crate::Runtime::global();
    crate::abi::or_fail(runtime.queue_begin(site, argument));
    let result = action();
    runtime.queue_end();
    result
}

/// An error of a routine call, by the routine's name.
pub(crate) fn misuse(site: &SiteDescriptor, what: &str) -> crate::Failure {
    Box::new(gpuc_diagnostics::Diagnostic::error(format!("{}: {what}", site.construct())))
}

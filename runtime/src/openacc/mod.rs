//! The `acc_*` routines of OpenACC 3.3 chapter 3, with the signatures of GCC's `openacc.h`.
//!
//! The device answers to `acc_device_nvidia`, the simulated one too: it stands for that GPU. All
//! operations are synchronous so far, which the routines' `_async` forms allow.
#![allow(
    clippy::missing_safety_doc,
    reason = "all have one contract, the specification's: host ranges are valid for their length, \
              device addresses come from the routines that return them"
)]

mod data;
mod device;

pub use data::*;
pub use device::*;

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

/// An error of a routine call, by the routine's name.
fn misuse(site: &SiteDescriptor, what: &str) -> crate::Failure {
    Box::new(gpuc_diagnostics::Diagnostic::error(format!("{}: {what}", site.construct())))
}

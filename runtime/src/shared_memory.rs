//! Programs that require memory which host and device share: their data stays where it is.
//!
//! OpenMP 5.2 §8.2.1, `requires unified_shared_memory`: every address of the host is one of the device, and a
//! list item that is mapped may be its own copy. The device is asked when data is first needed there; the
//! program ends where it cannot.

use std::sync::atomic::{AtomicBool, Ordering};

use gpuc_diagnostics::Diagnostic;

use crate::Failure;
use crate::descriptor::{DataDescriptor, DataKind, ROWS, SiteDescriptor};
use crate::device::Device;

/// Whether a translation unit of the program requires it.
static REQUIRED: AtomicBool = AtomicBool::new(false);

/// Whether the program requires it.
pub(crate) fn is_required() -> bool {
    REQUIRED.load(Ordering::Relaxed)
}

/// The program requires memory that host and device share. Called before anything is asked of a device.
#[unsafe(no_mangle)]
pub extern "C" fn __gpuc_require_shared_memory() {
    REQUIRED.store(true, Ordering::Relaxed);
}

/// Makes host memory the device's, or says that it cannot be.
pub(crate) fn see_host(device: &dyn Device, site: &SiteDescriptor) -> Result<(), Failure> {
    if device.see_host_memory() {
        return Ok(());
    }
    let message = format!(
        "the program requires memory that it shares with the device, which `{}` cannot have",
        device.name()
    );
    let help = "the GPU and its driver need pageable memory access (HMM or ATS); map the data without `requires`";
    Err(Diagnostic::error(message).at_option(site.place()).help(help).into())
}

/// The data that a construct has copies of nevertheless; all other is where it is.
pub(crate) fn keep_in_place(
    data: &mut [DataDescriptor],
) -> impl Iterator<Item = &mut DataDescriptor> {
    data.iter_mut().filter(|data| !data.has(ROWS)).filter_map(|data| {
        if data.data_kind() == Some(DataKind::FirstPrivate) {
            return Some(data);
        }
        data.device = data.host();
        None
    })
}

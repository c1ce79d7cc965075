//! The routines of OpenMP 5.2 chapter 18 that are about devices, as GCC's `omp.h` declares them. All
//! others are the host's OpenMP library's; where a program is linked with one, these come first.
//!
//! The devices are those that regions run on, numbered from 0; behind them comes the host.
#![allow(
    clippy::missing_safety_doc,
    reason = "all have one contract, the specification's: host ranges are valid for their length, \
              device addresses come from the routines that return them"
)]

mod memory;

pub use memory::*;

use std::cell::Cell;
use std::ffi::c_int;

use crate::Runtime;
use crate::descriptor::SiteDescriptor;
use crate::failure::fail;
use crate::openacc::misuse;
use crate::select::Executor;

/// `omp_initial_device` of OpenMP 5.2 §18.7: the host, whatever its number.
const INITIAL: c_int = -1;

thread_local! {
    /// The device of constructs that name none, where the program has chosen.
    static DEFAULT: Cell<Option<c_int>> = const { Cell::new(None) };
}

/// Whether a device of that number is the host; the program ends where there is none of that number.
pub(crate) fn is_host(site: &SiteDescriptor, number: c_int) -> bool {
    let devices = omp_get_num_devices();
    if number == devices || number == INITIAL {
        return true;
    }
    if !(0..devices).contains(&number) {
        fail(&misuse(site, &format!("there is no device {number}, only 0 to {devices}, the host")));
    }
    false
}

/// The number of devices that are not the host.
#[unsafe(no_mangle)]
pub extern "C" fn omp_get_num_devices() -> c_int {
    // Of several devices, `device` clauses have the one that OpenACC's settings choose.
    c_int::from(matches!(Runtime::global().executor(), Executor::Devices(_)))
}

/// The number of the host.
#[unsafe(no_mangle)]
pub extern "C" fn omp_get_initial_device() -> c_int {
    omp_get_num_devices()
}

/// The number of the device that the caller runs on: this is host code.
#[unsafe(no_mangle)]
pub extern "C" fn omp_get_device_num() -> c_int {
    omp_get_num_devices()
}

/// Whether the caller runs on the host.
#[unsafe(no_mangle)]
pub extern "C" fn omp_is_initial_device() -> c_int {
    1
}

/// The device of constructs that name none.
#[unsafe(no_mangle)]
pub extern "C" fn omp_get_default_device() -> c_int {
    DEFAULT.get().unwrap_or(0)
}

/// Chooses the device of constructs that name none.
#[unsafe(no_mangle)]
pub extern "C" fn omp_set_default_device(number: c_int) {
    let site = crate::openacc::call_site!(c"omp_set_default_device");
    DEFAULT.set(Some(number));
    Runtime::global().select_host(is_host(site, number));
}

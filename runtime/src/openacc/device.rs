//! Devices (OpenACC 3.3 §3.2.1 to §3.2.8, §3.2.17).

use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_int};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use super::{call_site, misuse};
use crate::Runtime;
use crate::abi::or_fail;
use crate::descriptor::SiteDescriptor;
use crate::device::Device;
use crate::failure::fail;
use crate::queue;
use crate::runtime::located;

/// `acc_device_t` of GCC's header.
pub(super) const DEVICE_CURRENT: c_int = -1;
const DEVICE_NONE: c_int = 0;
const DEVICE_DEFAULT: c_int = 1;
const DEVICE_HOST: c_int = 2;
const DEVICE_NOT_HOST: c_int = 4;
const DEVICE_NVIDIA: c_int = 5;
/// The host's cores, by the name that others have for them.
const DEVICE_MULTICORE: c_int = 9;

/// `acc_device_property_t` of GCC's header.
const PROPERTY_MEMORY: c_int = 1;
const PROPERTY_FREE_MEMORY: c_int = 2;
const PROPERTY_NAME: c_int = 0x10001;
const PROPERTY_VENDOR: c_int = 0x10002;
const PROPERTY_DRIVER: c_int = 0x10003;

/// Whether a device type means the device, rather than the host.
fn is_device(kind: c_int) -> bool {
    matches!(kind, DEVICE_CURRENT | DEVICE_DEFAULT | DEVICE_NOT_HOST | DEVICE_NVIDIA)
}

/// Whether a device type means the host.
fn is_host(kind: c_int) -> bool {
    matches!(kind, DEVICE_HOST | DEVICE_MULTICORE)
}

/// Number of devices of a type.
#[unsafe(no_mangle)]
pub extern "C" fn acc_get_num_devices(kind: c_int) -> c_int {
    match kind {
        kind if is_host(kind) => 1,
        kind if is_device(kind) => Runtime::global().device_count() as c_int,
        _ => 0,
    }
}

/// Lets this thread's regions run on a device of the type.
#[unsafe(no_mangle)]
pub extern "C" fn acc_set_device_type(kind: c_int) {
    set_device(call_site!(c"acc_set_device_type"), kind, ANY_NUMBER);
}

/// A device that is not said by its number.
const ANY_NUMBER: c_int = -1;

/// The device of that number, `None` for a negative one, which asks for none; the program ends where there
/// is no such device. Where regions run on the host, 0 is it.
pub(crate) fn device_of(site: &SiteDescriptor, number: c_int) -> Option<usize> {
    let number = usize::try_from(number).ok()?;
    let count = Runtime::global().device_count().max(1);
    if number >= count {
        let known = match count {
            1 => "only device 0".to_owned(),
            count => format!("only 0 to {}", count - 1),
        };
        fail(&misuse(site, &format!("there is no device {number}, {known}")));
    }
    Some(number)
}

/// Does something on a device, on that of this thread where the number is negative.
pub(crate) fn on_device_of<T>(
    site: &SiteDescriptor,
    number: c_int,
    action: impl FnOnce() -> T,
) -> T {
    let runtime = Runtime::global();
    match device_of(site, number) {
        // Also the host stays where it is.
        Some(number) if number != runtime.device_number() => runtime.with_device(number, action),
        _ => action(),
    }
}

/// Lets this thread's regions run on a device.
pub(crate) fn set_device(site: &SiteDescriptor, kind: c_int, number: c_int) {
    let number = match is_host(kind) {
        true => None,
        false => device_of(site, number),
    };
    match kind {
        kind if is_host(kind) => Runtime::global().select_host(true),
        kind if is_device(kind) => {
            if kind != DEVICE_CURRENT {
                Runtime::global().select_host(false);
            }
            if let Some(number) = number {
                Runtime::global().select_device(number);
            }
        }
        other => fail(&misuse(site, &format!("there is no device of type {other}"))),
    }
}

/// Connects to a device; that of a type which is not here fails.
pub(crate) fn init(site: &SiteDescriptor, kind: c_int, number: c_int) {
    if !is_device(kind) && !is_host(kind) {
        fail(&misuse(site, &format!("there is no device of type {kind}")));
    }
    if is_device(kind) {
        on_device_of(site, number, || {
            Runtime::global().device();
        });
    }
}

/// Gives back what a device holds of the program.
pub(crate) fn shutdown(site: &SiteDescriptor, kind: c_int, number: c_int) {
    if !is_device(kind) {
        return;
    }
    let runtime = Runtime::global();
    or_fail(match device_of(site, number) {
        Some(number) => runtime.with_device(number, || runtime.shutdown(site)),
        None => runtime.on_each_device(|| runtime.shutdown(site)),
    });
}

/// What `async` without an argument means from now on.
pub(crate) fn set_default_async(site: &SiteDescriptor, argument: c_int) {
    if !queue::set_default_async(argument) {
        fail(&misuse(site, &format!("{argument} is no argument of `async`")));
    }
}

/// The type of device that this thread's regions run on.
#[unsafe(no_mangle)]
pub extern "C" fn acc_get_device_type() -> c_int {
    if Runtime::global().device().is_some() { DEVICE_NVIDIA } else { DEVICE_HOST }
}

/// Chooses a device of a type by number.
#[unsafe(no_mangle)]
pub extern "C" fn acc_set_device_num(number: c_int, kind: c_int) {
    set_device(call_site!(c"acc_set_device_num"), kind, number);
}

/// Number of the current device of a type.
#[unsafe(no_mangle)]
pub extern "C" fn acc_get_device_num(kind: c_int) -> c_int {
    if is_host(kind) { 0 } else { Runtime::global().device_number() as c_int }
}

/// The device that a question is about.
fn asked(number: c_int, kind: c_int) -> Option<&'static dyn Device> {
    let runtime = Runtime::global();
    let number = usize::try_from(number).ok()?;
    let there = number < runtime.device_count() && is_device(kind);
    there.then(|| runtime.with_device(number, || runtime.device()))?
}

/// A numeric property of a device; 0 where it has none.
#[unsafe(no_mangle)]
pub extern "C" fn acc_get_property(number: c_int, kind: c_int, property: c_int) -> usize {
    let Some(device) = asked(number, kind) else { return 0 };
    let memory = device.memory().map_err(|e| located(e, call_site!(c"acc_get_property")));
    match property {
        PROPERTY_MEMORY => or_fail(memory).1 as usize,
        PROPERTY_FREE_MEMORY => or_fail(memory).0 as usize,
        _ => 0,
    }
}

/// A property of a device in words; null where it has none.
#[unsafe(no_mangle)]
pub extern "C" fn acc_get_property_string(
    number: c_int,
    kind: c_int,
    property: c_int,
) -> *const c_char {
    /// The words that have been given away, which stay.
    static WORDS: Mutex<BTreeMap<(c_int, c_int), CString>> = Mutex::new(BTreeMap::new());
    let Some(device) = asked(number, kind) else { return ptr::null() };
    let words = match property {
        PROPERTY_NAME => device.name().to_owned(),
        PROPERTY_VENDOR => return c"NVIDIA".as_ptr(),
        PROPERTY_DRIVER => device.driver(),
        _ => return ptr::null(),
    };
    let mut known = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    // A driver's name without NUL always converts; an empty text stands for one that would not.
    known
        .entry((number, property))
        .or_insert_with(|| CString::new(words).unwrap_or_default())
        .as_ptr()
}

/// Connects to a device of a type.
#[unsafe(no_mangle)]
pub extern "C" fn acc_init(kind: c_int) {
    init(call_site!(c"acc_init"), kind, ANY_NUMBER);
}

/// Connects to a device.
#[unsafe(no_mangle)]
pub extern "C" fn acc_init_device(number: c_int, kind: c_int) {
    init(call_site!(c"acc_init_device"), kind, number);
}

/// Gives back all memory of the devices of a type.
#[unsafe(no_mangle)]
pub extern "C" fn acc_shutdown(kind: c_int) {
    shutdown(call_site!(c"acc_shutdown"), kind, ANY_NUMBER);
}

/// Gives back all memory of a device.
#[unsafe(no_mangle)]
pub extern "C" fn acc_shutdown_device(number: c_int, kind: c_int) {
    shutdown(call_site!(c"acc_shutdown_device"), kind, number);
}

/// Whether the caller runs on a device of the type: this is host code.
#[unsafe(no_mangle)]
pub extern "C" fn acc_on_device(kind: c_int) -> c_int {
    c_int::from(is_host(kind) || kind == DEVICE_NONE)
}

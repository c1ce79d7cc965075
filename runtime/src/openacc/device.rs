//! Devices and waiting (OpenACC 3.3 §3.2.1 to §3.2.17).

use std::ffi::{CString, c_char, c_int};
use std::ptr;
use std::sync::OnceLock;

use super::{call_site, misuse};
use crate::Runtime;
use crate::abi::or_fail;
use crate::descriptor::SiteDescriptor;
use crate::device::Queue;
use crate::failure::fail;
use crate::runtime::located;
use crate::select::Executor;

/// `acc_device_t` of GCC's header.
const DEVICE_CURRENT: c_int = -1;
const DEVICE_NONE: c_int = 0;
const DEVICE_DEFAULT: c_int = 1;
const DEVICE_HOST: c_int = 2;
const DEVICE_NOT_HOST: c_int = 4;
const DEVICE_NVIDIA: c_int = 5;

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

/// Number of devices of a type.
#[unsafe(no_mangle)]
pub extern "C" fn acc_get_num_devices(kind: c_int) -> c_int {
    let has_device = matches!(Runtime::global().executor(), Executor::Device(_));
    match kind {
        DEVICE_HOST => 1,
        kind if is_device(kind) => c_int::from(has_device),
        _ => 0,
    }
}

/// Lets this thread's regions run on a device of the type.
#[unsafe(no_mangle)]
pub extern "C" fn acc_set_device_type(kind: c_int) {
    set_type(call_site!(c"acc_set_device_type"), kind);
}

fn set_type(site: &SiteDescriptor, kind: c_int) {
    match kind {
        DEVICE_HOST => Runtime::global().select_host(true),
        kind if is_device(kind) => {
            if kind != DEVICE_CURRENT {
                Runtime::global().select_host(false);
            }
        }
        other => fail(&misuse(site, &format!("there is no device of type {other}"))),
    }
}

/// The type of device that this thread's regions run on.
#[unsafe(no_mangle)]
pub extern "C" fn acc_get_device_type() -> c_int {
    if Runtime::global().device().is_some() { DEVICE_NVIDIA } else { DEVICE_HOST }
}

/// Chooses a device of a type by number; there is one of each.
#[unsafe(no_mangle)]
pub extern "C" fn acc_set_device_num(number: c_int, kind: c_int) {
    let site = call_site!(c"acc_set_device_num");
    if number != 0 {
        fail(&misuse(site, &format!("there is no device {number}, only device 0")));
    }
    set_type(site, kind);
}

/// Number of the current device of a type.
#[unsafe(no_mangle)]
pub extern "C" fn acc_get_device_num(_kind: c_int) -> c_int {
    0
}

/// A numeric property of a device; 0 where it has none.
#[unsafe(no_mangle)]
pub extern "C" fn acc_get_property(number: c_int, kind: c_int, property: c_int) -> usize {
    let Some(device) = Runtime::global().device().filter(|_| number == 0 && is_device(kind)) else {
        return 0;
    };
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
    static NAME: OnceLock<CString> = OnceLock::new();
    static DRIVER: OnceLock<CString> = OnceLock::new();
    let Some(device) = Runtime::global().device().filter(|_| number == 0 && is_device(kind)) else {
        return ptr::null();
    };
    // A driver's name without NUL always converts; an empty text stands for one that would not.
    let text = |words: String| CString::new(words).unwrap_or_default();
    match property {
        PROPERTY_NAME => NAME.get_or_init(|| text(device.name().to_owned())).as_ptr(),
        PROPERTY_VENDOR => c"NVIDIA".as_ptr(),
        PROPERTY_DRIVER => DRIVER.get_or_init(|| text(device.driver())).as_ptr(),
        _ => ptr::null(),
    }
}

/// Connects to a device of a type.
#[unsafe(no_mangle)]
pub extern "C" fn acc_init(_kind: c_int) {
    Runtime::global();
}

/// Gives back all device memory.
#[unsafe(no_mangle)]
pub extern "C" fn acc_shutdown(_kind: c_int) {
    or_fail(Runtime::global().shutdown(call_site!(c"acc_shutdown")));
}

/// Whether the caller runs on a device of the type: this is host code.
#[unsafe(no_mangle)]
pub extern "C" fn acc_on_device(kind: c_int) -> c_int {
    c_int::from(matches!(kind, DEVICE_HOST | DEVICE_NONE))
}

fn wait_all(site: &SiteDescriptor) {
    or_fail(Runtime::global().region_end(site));
}

/// Waits for everything.
#[unsafe(no_mangle)]
pub extern "C" fn acc_wait_all() {
    wait_all(call_site!(c"acc_wait_all"));
}

/// The older name of [`acc_wait_all`].
#[unsafe(no_mangle)]
pub extern "C" fn acc_async_wait_all() {
    wait_all(call_site!(c"acc_async_wait_all"));
}

/// Waits for a queue.
#[unsafe(no_mangle)]
pub extern "C" fn acc_wait(_queue: c_int) {
    wait_all(call_site!(c"acc_wait"));
}

/// The older name of [`acc_wait`].
#[unsafe(no_mangle)]
pub extern "C" fn acc_async_wait(_queue: c_int) {
    wait_all(call_site!(c"acc_async_wait"));
}

/// Lets one queue wait for another: everything before is done already.
#[unsafe(no_mangle)]
pub extern "C" fn acc_wait_async(_queue: c_int, _async: c_int) {
    wait_all(call_site!(c"acc_wait_async"));
}

/// Lets a queue wait for all others: everything before is done already.
#[unsafe(no_mangle)]
pub extern "C" fn acc_wait_all_async(_async: c_int) {
    wait_all(call_site!(c"acc_wait_all_async"));
}

/// Whether a queue is done.
#[unsafe(no_mangle)]
pub extern "C" fn acc_async_test(_queue: c_int) -> c_int {
    acc_async_test_all()
}

/// Whether everything is done.
#[unsafe(no_mangle)]
pub extern "C" fn acc_async_test_all() -> c_int {
    let Some(device) = Runtime::global().device() else { return 1 };
    let idle = device.is_idle(Queue::SYNC);
    c_int::from(or_fail(idle.map_err(|e| located(e, call_site!(c"acc_async_test_all")))))
}

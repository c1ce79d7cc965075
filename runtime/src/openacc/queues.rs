//! Waiting and testing (OpenACC 3.3 §3.2.9 to §3.2.16).
//!
//! All routines with `_device` in their name are about a device by its number.

use std::ffi::c_int;
use std::slice;

use super::device::{on_device_of, set_default_async};
use super::{call_site, misuse};
use crate::Runtime;
use crate::abi::or_fail;
use crate::descriptor::SiteDescriptor;
use crate::failure::fail;
use crate::queue;

/// The current device, where a routine names none.
const CURRENT_DEVICE: c_int = -1;

fn wait(site: &SiteDescriptor, device: c_int, queues: &[c_int]) {
    on_device_of(site, device, || or_fail(Runtime::global().wait(site, queues)));
}

/// Lets a queue wait instead of the host.
fn wait_in(site: &SiteDescriptor, device: c_int, queues: &[c_int], waiting: c_int) {
    on_device_of(site, device, || {
        super::in_queue(site, waiting, || or_fail(Runtime::global().wait(site, queues)));
    });
}

fn test(site: &SiteDescriptor, device: c_int, queue: Option<c_int>) -> c_int {
    on_device_of(site, device, || c_int::from(or_fail(Runtime::global().test(site, queue))))
}

/// Waits for a queue.
#[unsafe(no_mangle)]
pub extern "C" fn acc_wait(queue: c_int) {
    wait(call_site!(c"acc_wait"), CURRENT_DEVICE, &[queue]);
}

/// The older name of [`acc_wait`].
#[unsafe(no_mangle)]
pub extern "C" fn acc_async_wait(queue: c_int) {
    wait(call_site!(c"acc_async_wait"), CURRENT_DEVICE, &[queue]);
}

/// Waits for a queue of a device.
#[unsafe(no_mangle)]
pub extern "C" fn acc_wait_device(queue: c_int, device: c_int) {
    wait(call_site!(c"acc_wait_device"), device, &[queue]);
}

/// Waits for all queues.
#[unsafe(no_mangle)]
pub extern "C" fn acc_wait_all() {
    wait(call_site!(c"acc_wait_all"), CURRENT_DEVICE, &[]);
}

/// The older name of [`acc_wait_all`].
#[unsafe(no_mangle)]
pub extern "C" fn acc_async_wait_all() {
    wait(call_site!(c"acc_async_wait_all"), CURRENT_DEVICE, &[]);
}

/// Waits for all queues of a device.
#[unsafe(no_mangle)]
pub extern "C" fn acc_wait_all_device(device: c_int) {
    wait(call_site!(c"acc_wait_all_device"), device, &[]);
}

/// Lets one queue wait for another.
#[unsafe(no_mangle)]
pub extern "C" fn acc_wait_async(queue: c_int, waiting: c_int) {
    wait_in(call_site!(c"acc_wait_async"), CURRENT_DEVICE, &[queue], waiting);
}

/// Lets one queue wait for another of a device.
#[unsafe(no_mangle)]
pub extern "C" fn acc_wait_device_async(queue: c_int, waiting: c_int, device: c_int) {
    wait_in(call_site!(c"acc_wait_device_async"), device, &[queue], waiting);
}

/// Lets a queue wait for all others.
#[unsafe(no_mangle)]
pub extern "C" fn acc_wait_all_async(waiting: c_int) {
    wait_in(call_site!(c"acc_wait_all_async"), CURRENT_DEVICE, &[], waiting);
}

/// Lets a queue wait for all others of a device.
#[unsafe(no_mangle)]
pub extern "C" fn acc_wait_all_device_async(waiting: c_int, device: c_int) {
    wait_in(call_site!(c"acc_wait_all_device_async"), device, &[], waiting);
}

/// Waits until one of some queues is done; its place among them. Those that are `acc_async_sync` do
/// not count; without any other, -1.
///
/// # Safety
/// `queues` points to `count` numbers.
unsafe fn wait_any(
    site: &SiteDescriptor,
    count: c_int,
    queues: *const c_int,
    device: c_int,
) -> c_int {
    if count < 0 || count > 0 && queues.is_null() {
        fail(&misuse(site, "there are no queues to wait for"));
    }
    // SAFETY: the caller's promise.
    let queues =
        if count == 0 { &[] } else { unsafe { slice::from_raw_parts(queues, count as usize) } };
    if queues.iter().all(|&queue| queue == queue::SYNC) {
        return -1;
    }
    loop {
        for (place, &queue) in queues.iter().enumerate().filter(|&(_, &queue)| queue != queue::SYNC)
        {
            if test(site, device, Some(queue)) != 0 {
                return place as c_int;
            }
        }
        std::thread::yield_now();
    }
}

/// Waits until one of some queues is done; its place among them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_wait_any(count: c_int, queues: *const c_int) -> c_int {
    // SAFETY: the routine's contract.
    unsafe { wait_any(call_site!(c"acc_wait_any"), count, queues, CURRENT_DEVICE) }
}

/// [`acc_wait_any`] on a device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_wait_any_device(
    count: c_int,
    queues: *const c_int,
    device: c_int,
) -> c_int {
    // SAFETY: the routine's contract.
    unsafe { wait_any(call_site!(c"acc_wait_any_device"), count, queues, device) }
}

/// Whether a queue is done.
#[unsafe(no_mangle)]
pub extern "C" fn acc_async_test(queue: c_int) -> c_int {
    test(call_site!(c"acc_async_test"), CURRENT_DEVICE, Some(queue))
}

/// Whether a queue of a device is done.
#[unsafe(no_mangle)]
pub extern "C" fn acc_async_test_device(queue: c_int, device: c_int) -> c_int {
    test(call_site!(c"acc_async_test_device"), device, Some(queue))
}

/// Whether everything is done.
#[unsafe(no_mangle)]
pub extern "C" fn acc_async_test_all() -> c_int {
    test(call_site!(c"acc_async_test_all"), CURRENT_DEVICE, None)
}

/// Whether everything on a device is done.
#[unsafe(no_mangle)]
pub extern "C" fn acc_async_test_all_device(device: c_int) -> c_int {
    test(call_site!(c"acc_async_test_all_device"), device, None)
}

/// What `async` without an argument means in this thread.
#[unsafe(no_mangle)]
pub extern "C" fn acc_get_default_async() -> c_int {
    queue::default_async()
}

/// Chooses what `async` without an argument means in this thread.
#[unsafe(no_mangle)]
pub extern "C" fn acc_set_default_async(queue: c_int) {
    set_default_async(call_site!(c"acc_set_default_async"), queue);
}

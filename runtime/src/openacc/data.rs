//! Device memory and the present table (OpenACC 3.3 §3.2.18 to §3.2.32).

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use super::{call_site, in_queue, misuse, on_device_of};
use crate::Runtime;
use crate::abi::or_fail;
use crate::descriptor::{DataDescriptor, DataKind, FINALIZE, SiteDescriptor};
use crate::device::{Device, DeviceError, DevicePtr, Queue};
use crate::failure::{Failure, fail};
use crate::present::{Entry, Presence};
use crate::queue::{current, set_current};
use crate::runtime::located;

unsafe extern "C" {
    fn malloc(bytes: usize) -> *mut c_void;
    fn free(ptr: *mut c_void);
}

/// The action of a routine on the device, or what stands for it where regions run on the host.
fn on_device<T>(
    site: &SiteDescriptor,
    host: impl FnOnce() -> T,
    action: impl FnOnce(&dyn Device) -> Result<T, DeviceError>,
) -> T {
    match Runtime::global().device() {
        Some(device) => or_fail(action(device).map_err(|error| located(error, site))),
        None => host(),
    }
}

/// A routine that does what a data clause does; returns the device address.
///
/// # Safety
/// The section is valid, by the routine's contract.
unsafe fn clause(
    site: &SiteDescriptor,
    host: *mut c_void,
    bytes: usize,
    kind: DataKind,
    flags: c_uint,
) -> *mut c_void {
    let number = DataKind::TABLE[kind as usize].1;
    let name = c"the argument";
    // SAFETY: the caller's promise.
    let mut data = [unsafe { DataDescriptor::new(name, host, bytes as u64, number | flags) }];
    let runtime = Runtime::global();
    or_fail(match kind {
        DataKind::CopyIn | DataKind::Create | DataKind::Attach => {
            runtime.data_enter(site, &mut data)
        }
        DataKind::CopyOut | DataKind::Delete | DataKind::Detach => {
            runtime.data_exit(site, &mut data)
        }
        _ => runtime.data_update(site, &mut data),
    });
    data[0].device
}

/// Defines routines that return the device address of a section made present.
macro_rules! enter_routines {
    ($($name:ident $literal:literal $kind:ident $doc:literal;)*) => {$(
        #[doc = $doc]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(host: *mut c_void, bytes: usize) -> *mut c_void {
            // SAFETY: the routine's contract.
            unsafe { clause(call_site!($literal), host, bytes, DataKind::$kind, 0) }
        }
    )*};
}

enter_routines! {
    acc_copyin c"acc_copyin" CopyIn "`enter data copyin`.";
    acc_present_or_copyin c"acc_present_or_copyin" CopyIn "The older name of [`acc_copyin`].";
    acc_pcopyin c"acc_pcopyin" CopyIn "The older name of [`acc_copyin`].";
    acc_create c"acc_create" Create "`enter data create`.";
    acc_present_or_create c"acc_present_or_create" Create "The older name of [`acc_create`].";
    acc_pcreate c"acc_pcreate" Create "The older name of [`acc_create`].";
}

/// Defines routines on a section that return nothing, each with its `_async` form.
macro_rules! section_routines {
    ($($name:ident $name_async:ident $literal:literal $kind:ident $flags:expr, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(host: *mut c_void, bytes: usize) {
            // SAFETY: the routine's contract.
            unsafe { clause(call_site!($literal), host, bytes, DataKind::$kind, $flags) };
        }

        #[doc = concat!("[`", stringify!($name), "`] in a queue.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name_async(host: *mut c_void, bytes: usize, queue: c_int) {
            let site = call_site!($literal);
            // SAFETY: the routine's contract.
            in_queue(site, queue, || unsafe { clause(site, host, bytes, DataKind::$kind, $flags) });
        }
    )*};
}

section_routines! {
    acc_copyout acc_copyout_async c"acc_copyout" CopyOut 0, "`exit data copyout`.";
    acc_delete acc_delete_async c"acc_delete" Delete 0, "`exit data delete`.";
    acc_copyout_finalize acc_copyout_finalize_async c"acc_copyout_finalize" CopyOut FINALIZE,
        "`exit data copyout finalize`.";
    acc_delete_finalize acc_delete_finalize_async c"acc_delete_finalize" Delete FINALIZE,
        "`exit data delete finalize`.";
    acc_update_device acc_update_device_async c"acc_update_device" UpdateDevice 0,
        "`update device`.";
    acc_update_self acc_update_self_async c"acc_update_self" UpdateHost 0, "`update self`.";
}

/// [`acc_copyin`] in a queue.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_copyin_async(host: *mut c_void, bytes: usize, queue: c_int) {
    let site = call_site!(c"acc_copyin_async");
    // SAFETY: the routine's contract.
    in_queue(site, queue, || unsafe { clause(site, host, bytes, DataKind::CopyIn, 0) });
}

/// [`acc_create`] in a queue.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_create_async(host: *mut c_void, bytes: usize, queue: c_int) {
    let site = call_site!(c"acc_create_async");
    // SAFETY: the routine's contract.
    in_queue(site, queue, || unsafe { clause(site, host, bytes, DataKind::Create, 0) });
}

/// Allocates device memory.
#[unsafe(no_mangle)]
pub extern "C" fn acc_malloc(bytes: usize) -> *mut c_void {
    let site = call_site!(c"acc_malloc");
    if bytes == 0 {
        return ptr::null_mut();
    }
    // SAFETY: `malloc` has no precondition.
    on_device(
        site,
        || unsafe { malloc(bytes) },
        |device| {
            Runtime::global()
                .environment(device, site, |environment| {
                    environment.memory.allocate(device, bytes as u64, "acc_malloc")
                })
                .map(|ptr| ptr as *mut c_void)
        },
    )
}

/// Frees what [`acc_malloc`] returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_free(device_ptr: *mut c_void) {
    let site = call_site!(c"acc_free");
    let address = device_ptr as DevicePtr;
    if address == 0 {
        return;
    }
    // SAFETY: on the host `acc_malloc` has returned memory of `malloc`.
    on_device(
        site,
        || unsafe { free(device_ptr) },
        |device| {
            Runtime::global().environment(device, site, |environment| {
                if !environment.memory.owns(address)
                    || environment.table.host_address(address).is_some()
                {
                    let message =
                        format!("acc_free of 0x{address:x}, which acc_malloc has not returned");
                    return Err(DeviceError::Invalid(message));
                }
                environment.memory.release(device, address)
            })
        },
    );
}

/// Whether a section is present; without bytes, whether its first byte is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_is_present(host: *mut c_void, bytes: usize) -> c_int {
    let site = call_site!(c"acc_is_present");
    if host.is_null() {
        return 1;
    }
    on_device(
        site,
        || 1,
        |device| {
            Ok(Runtime::global().environment(device, site, |environment| {
                let found = environment.table.find(host as u64, bytes as u64);
                c_int::from(matches!(found, Presence::Present(_)))
            }))
        },
    )
}

/// The device address of a host address; null where it is not present.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_deviceptr(host: *mut c_void) -> *mut c_void {
    let site = call_site!(c"acc_deviceptr");
    on_device(
        site,
        || host,
        |device| {
            Ok(Runtime::global().environment(device, site, |environment| {
                environment.table.device_address(host as u64).unwrap_or(0) as *mut c_void
            }))
        },
    )
}

/// The host address of a device address; null where nothing corresponds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_hostptr(device_ptr: *mut c_void) -> *mut c_void {
    let site = call_site!(c"acc_hostptr");
    on_device(
        site,
        || device_ptr,
        |device| {
            Ok(Runtime::global().environment(device, site, |environment| {
                environment.table.host_address(device_ptr as u64).unwrap_or(0) as *mut c_void
            }))
        },
    )
}

/// Makes device memory of the program the copy of a host range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_map_data(host: *mut c_void, device_ptr: *mut c_void, bytes: usize) {
    let site = call_site!(c"acc_map_data");
    if host.is_null() || bytes == 0 {
        return;
    }
    let Some(device) = Runtime::global().device() else { return };
    or_fail(Runtime::global().environment(device, site, |environment| -> Result<(), Failure> {
        let (start, length) = (host as u64, bytes as u64);
        if start.checked_add(length).is_none() {
            return Err(misuse(site, "the range reaches beyond the address space"));
        }
        if environment.table.find(start, length) != Presence::Absent {
            return Err(misuse(site, &format!("0x{start:x} is present already")));
        }
        environment.table.insert(Entry {
            host: start,
            bytes: length,
            device: device_ptr as DevicePtr,
            structured: 0,
            dynamic: 1,
            mapped: true,
            stays: None,
            name: "acc_map_data".to_owned(),
            place: None,
        });
        Ok(())
    }));
}

/// Undoes [`acc_map_data`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_unmap_data(host: *mut c_void) {
    let site = call_site!(c"acc_unmap_data");
    let start = host as u64;
    let Some(device) = Runtime::global().device().filter(|_| start != 0) else { return };
    or_fail(Runtime::global().environment(device, site, |environment| {
        match environment.table.at_mut(start) {
            Some(entry) if entry.mapped && entry.structured == 0 => {
                environment.table.remove(start);
                Ok(())
            }
            Some(entry) if entry.mapped => Err(misuse(site, "a data region still uses the range")),
            _ => Err(misuse(site, &format!("0x{start:x} was not mapped by acc_map_data"))),
        }
    }));
}

/// A copy of `bytes` bytes, by the device in the current queue or by the host.
///
/// # Safety
/// Both ranges are valid by the routine's contract; on the host they are host ranges.
unsafe fn copy(
    site: &SiteDescriptor,
    to: *mut c_void,
    from: *mut c_void,
    bytes: usize,
    action: impl FnOnce(&dyn Device, u64, Queue) -> Result<(), DeviceError>,
) {
    if bytes == 0 {
        return;
    }
    on_device(
        site,
        // SAFETY: the caller's promise.
        || unsafe { ptr::copy(from.cast::<u8>(), to.cast(), bytes) },
        |device| action(device, bytes as u64, current()),
    );
}

/// Copies host memory to device memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_memcpy_to_device(to: *mut c_void, from: *mut c_void, bytes: usize) {
    // SAFETY: the routine's contract.
    unsafe {
        copy(call_site!(c"acc_memcpy_to_device"), to, from, bytes, |device, bytes, queue| {
            device.copy_to_device(to as DevicePtr, from.cast(), bytes, queue)
        });
    }
}

/// Copies device memory to host memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_memcpy_from_device(to: *mut c_void, from: *mut c_void, bytes: usize) {
    // SAFETY: the routine's contract.
    unsafe {
        copy(call_site!(c"acc_memcpy_from_device"), to, from, bytes, |device, bytes, queue| {
            device.copy_to_host(to.cast(), from as DevicePtr, bytes, queue)
        });
    }
}

/// Copies device memory to device memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_memcpy_device(to: *mut c_void, from: *mut c_void, bytes: usize) {
    // SAFETY: the routine's contract.
    unsafe {
        copy(call_site!(c"acc_memcpy_device"), to, from, bytes, |device, bytes, queue| {
            device.copy_on_device(to as DevicePtr, from as DevicePtr, bytes, queue)
        });
    }
}

/// Defines the form of a copying routine in a queue.
macro_rules! copies_in_queues {
    ($($name_async:ident $name:ident $literal:literal;)*) => {$(
        #[doc = concat!("[`", stringify!($name), "`] in a queue.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name_async(
            to: *mut c_void,
            from: *mut c_void,
            bytes: usize,
            queue: c_int,
        ) {
            // SAFETY: the same contract.
            in_queue(call_site!($literal), queue, || unsafe { $name(to, from, bytes) });
        }
    )*};
}

copies_in_queues! {
    acc_memcpy_to_device_async acc_memcpy_to_device c"acc_memcpy_to_device_async";
    acc_memcpy_from_device_async acc_memcpy_from_device c"acc_memcpy_from_device_async";
    acc_memcpy_device_async acc_memcpy_device c"acc_memcpy_device_async";
}

/// Copies what a host range is on one device to what another is on another.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_memcpy_d2d(
    to: *mut c_void,
    from: *mut c_void,
    bytes: usize,
    to_device: c_int,
    from_device: c_int,
) {
    let site = call_site!(c"acc_memcpy_d2d");
    let place = |host: *mut c_void, device: c_int| {
        // SAFETY: only the address is asked for.
        let found = on_device_of(site, device, || unsafe { acc_deviceptr(host) });
        if found.is_null() {
            fail(&misuse(site, &format!("0x{:x} is not present on device {device}", host as u64)));
        }
        found
    };
    if bytes == 0 {
        return;
    }
    let (target, source) = (place(to, to_device), place(from, from_device));
    if to_device == from_device {
        // SAFETY: the routine's contract.
        on_device_of(site, to_device, || unsafe { acc_memcpy_device(target, source, bytes) });
        return;
    }
    // By way of the host, which every two devices have in common. What the queue has still to do comes first.
    let mut between = vec![0u8; bytes];
    let through = between.as_mut_ptr().cast::<c_void>();
    let wait = || {
        on_device(site, || (), |device| device.synchronize(current()));
    };
    on_device_of(site, from_device, || {
        // SAFETY: a buffer of that length, which is there until the copy is done.
        unsafe { acc_memcpy_from_device(through, source, bytes) };
        wait();
    });
    let queue = current();
    set_current(Queue::SYNC);
    on_device_of(site, to_device, || {
        // SAFETY: as above.
        unsafe { acc_memcpy_to_device(target, through, bytes) };
    });
    set_current(queue);
}

/// [`acc_memcpy_d2d`] in a queue of the source.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_memcpy_d2d_async(
    to: *mut c_void,
    from: *mut c_void,
    bytes: usize,
    to_device: c_int,
    from_device: c_int,
    queue: c_int,
) {
    let site = call_site!(c"acc_memcpy_d2d_async");
    // SAFETY: the same contract.
    on_device_of(site, from_device, || {
        in_queue(site, queue, || unsafe {
            acc_memcpy_d2d(to, from, bytes, to_device, from_device);
        });
    });
}

/// Defines routines on a pointer, each with its `_async` form.
macro_rules! pointer_routines {
    ($($name:ident $name_async:ident $literal:literal $kind:ident $flags:expr, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(pointer: *mut *mut c_void) {
            // SAFETY: the routine's contract.
            unsafe {
                let bytes = size_of::<*mut c_void>();
                clause(call_site!($literal), pointer.cast(), bytes, DataKind::$kind, $flags);
            }
        }

        #[doc = concat!("[`", stringify!($name), "`] in a queue.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name_async(pointer: *mut *mut c_void, queue: c_int) {
            // SAFETY: the same contract.
            in_queue(call_site!($literal), queue, || unsafe { $name(pointer) });
        }
    )*};
}

pointer_routines! {
    acc_attach acc_attach_async c"acc_attach" Attach 0, "`enter data attach`.";
    acc_detach acc_detach_async c"acc_detach" Detach 0, "`exit data detach`.";
    acc_detach_finalize acc_detach_finalize_async c"acc_detach_finalize" Detach FINALIZE,
        "`exit data detach finalize`.";
}

//! Device memory (OpenMP 5.2 §18.8).

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use super::is_host;
use crate::Runtime;
use crate::openacc::{
    acc_deviceptr, acc_free, acc_is_present, acc_malloc, acc_map_data, acc_memcpy_device,
    acc_memcpy_from_device, acc_memcpy_to_device, acc_unmap_data, call_site,
};
use crate::shared_memory::is_required;

unsafe extern "C" {
    fn malloc(bytes: usize) -> *mut c_void;
    fn free(ptr: *mut c_void);
}

/// Allocates memory of a device.
#[unsafe(no_mangle)]
pub extern "C" fn omp_target_alloc(bytes: usize, device: c_int) -> *mut c_void {
    if is_host(call_site!(c"omp_target_alloc"), device) || is_required() {
        // SAFETY: `malloc` has no precondition.
        return unsafe { malloc(bytes) };
    }
    acc_malloc(bytes)
}

/// Frees what [`omp_target_alloc`] returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_free(pointer: *mut c_void, device: c_int) {
    // SAFETY: the routine's contract.
    unsafe {
        match is_host(call_site!(c"omp_target_free"), device) || is_required() {
            true => free(pointer),
            false => acc_free(pointer),
        }
    }
}

/// Whether the byte at a host address has a corresponding one on a device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_is_present(pointer: *const c_void, device: c_int) -> c_int {
    if pointer.is_null() {
        return 0;
    }
    if is_host(call_site!(c"omp_target_is_present"), device) {
        return 1;
    }
    // SAFETY: only the address is asked for.
    unsafe { acc_is_present(pointer.cast_mut(), 1) }
}

/// Whether a device can read and write host memory as it is.
#[unsafe(no_mangle)]
pub extern "C" fn omp_target_is_accessible(
    _pointer: *const c_void,
    _bytes: usize,
    device: c_int,
) -> c_int {
    let is_host = is_host(call_site!(c"omp_target_is_accessible"), device);
    let sees = || Runtime::global().device().is_some_and(|device| device.see_host_memory());
    c_int::from(is_host || sees())
}

/// The device address that corresponds to a host address; null where there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_mapped_ptr(pointer: *const c_void, device: c_int) -> *mut c_void {
    if is_host(call_site!(c"omp_get_mapped_ptr"), device) || is_required() {
        return pointer.cast_mut();
    }
    // SAFETY: only the address is asked for.
    unsafe { acc_deviceptr(pointer.cast_mut()) }
}

/// Copies between memories of devices; 0 where it has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_memcpy(
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    to_offset: usize,
    from_offset: usize,
    to_device: c_int,
    from_device: c_int,
) -> c_int {
    let site = call_site!(c"omp_target_memcpy");
    let (to, from) =
        (to.wrapping_byte_add(to_offset), from.wrapping_byte_add(from_offset).cast_mut());
    // SAFETY: the routine's contract.
    unsafe {
        let in_place = |device| is_host(site, device) || is_required();
        match (in_place(to_device), in_place(from_device)) {
            (true, true) => ptr::copy(from.cast::<u8>(), to.cast(), bytes),
            (false, true) => acc_memcpy_to_device(to, from, bytes),
            (true, false) => acc_memcpy_from_device(to, from, bytes),
            (false, false) => acc_memcpy_device(to, from, bytes),
        }
    }
    0
}

/// Copies a box of an array with several dimensions; without addresses, how many dimensions it may have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_memcpy_rect(
    to: *mut c_void,
    from: *const c_void,
    element: usize,
    dimensions: c_int,
    volume: *const usize,
    to_offsets: *const usize,
    from_offsets: *const usize,
    to_extents: *const usize,
    from_extents: *const usize,
    to_device: c_int,
    from_device: c_int,
) -> c_int {
    if to.is_null() && from.is_null() {
        return c_int::MAX;
    }
    if dimensions < 1 || to.is_null() || from.is_null() {
        return 1;
    }
    // SAFETY: each list has a number for each dimension, by the routine's contract.
    unsafe {
        let inner = (1..dimensions as usize).map(|i| (*to_extents.add(i), *from_extents.add(i)));
        let (to_row, from_row) =
            inner.fold((element, element), |(to, from), (a, b)| (to * a, from * b));
        if dimensions == 1 {
            let (to_offset, from_offset) = (*to_offsets * element, *from_offsets * element);
            let bytes = *volume * element;
            return omp_target_memcpy(
                to,
                from,
                bytes,
                to_offset,
                from_offset,
                to_device,
                from_device,
            );
        }
        for i in 0..*volume {
            let failed = omp_target_memcpy_rect(
                to.wrapping_byte_add((*to_offsets + i) * to_row),
                from.wrapping_byte_add((*from_offsets + i) * from_row),
                element,
                dimensions - 1,
                volume.add(1),
                to_offsets.add(1),
                from_offsets.add(1),
                to_extents.add(1),
                from_extents.add(1),
                to_device,
                from_device,
            );
            if failed != 0 {
                return failed;
            }
        }
        0
    }
}

/// Waits for the tasks of the host that `depobj` objects may stand for: all that the caller's task has made.
/// The library of the host's threads has them; a program without it has no tasks.
fn wait_for_tasks(count: c_int) {
    if count <= 0 {
        return;
    }
    unsafe extern "C" {
        fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    // SAFETY: a null handle is the program itself with its libraries (`RTLD_DEFAULT`).
    let wait = unsafe { dlsym(ptr::null_mut(), c"GOMP_taskwait".as_ptr()) };
    if !wait.is_null() {
        // SAFETY: libgomp's and libomp's function of that name takes nothing and returns nothing.
        let wait = unsafe { std::mem::transmute::<*mut c_void, extern "C" fn()>(wait) };
        wait();
    }
}

/// As [`omp_target_memcpy`], behind the tasks that the objects stand for (OpenMP 5.2 §18.8.7); it is done when
/// this returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_memcpy_async(
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    to_offset: usize,
    from_offset: usize,
    to_device: c_int,
    from_device: c_int,
    objects: c_int,
    _list: *const c_void,
) -> c_int {
    wait_for_tasks(objects);
    // SAFETY: the routine's contract.
    unsafe { omp_target_memcpy(to, from, bytes, to_offset, from_offset, to_device, from_device) }
}

/// As [`omp_target_memcpy_rect`], behind the tasks that the objects stand for (OpenMP 5.2 §18.8.8); it is done
/// when this returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_memcpy_rect_async(
    to: *mut c_void,
    from: *const c_void,
    element: usize,
    dimensions: c_int,
    volume: *const usize,
    to_offsets: *const usize,
    from_offsets: *const usize,
    to_extents: *const usize,
    from_extents: *const usize,
    to_device: c_int,
    from_device: c_int,
    objects: c_int,
    _list: *const c_void,
) -> c_int {
    wait_for_tasks(objects);
    // SAFETY: the routine's contract.
    unsafe {
        omp_target_memcpy_rect(
            to,
            from,
            element,
            dimensions,
            volume,
            to_offsets,
            from_offsets,
            to_extents,
            from_extents,
            to_device,
            from_device,
        )
    }
}

/// Makes device memory of the program correspond to a host range; 0 where it does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_associate_ptr(
    host: *const c_void,
    memory: *const c_void,
    bytes: usize,
    offset: usize,
    device: c_int,
) -> c_int {
    let is_host = is_host(call_site!(c"omp_target_associate_ptr"), device);
    // SAFETY: only addresses are looked at, and made to correspond by the routine's contract.
    unsafe {
        if is_host || acc_is_present(host.cast_mut(), bytes.max(1)) != 0 {
            return 1;
        }
        let memory = memory.wrapping_byte_add(offset).cast_mut();
        acc_map_data(host.cast_mut(), memory, bytes);
    }
    0
}

/// Undoes [`omp_target_associate_ptr`]; 0 where it has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_disassociate_ptr(host: *const c_void, device: c_int) -> c_int {
    let site = call_site!(c"omp_target_disassociate_ptr");
    let Some(of) = Runtime::global().device().filter(|_| !is_host(site, device)) else { return 1 };
    let mapped = Runtime::global().environment(of, site, |environment| {
        environment
            .table
            .at_mut(host as u64)
            .is_some_and(|entry| entry.mapped && entry.structured == 0)
    });
    if !mapped {
        return 1;
    }
    // SAFETY: it is mapped.
    unsafe { acc_unmap_data(host.cast_mut()) };
    0
}

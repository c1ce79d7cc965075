//! Launches and events.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;
use std::time::Duration;

use cudarc::driver::sys::{
    CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT, CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT,
    CU_LAUNCH_PARAM_END_AS_INT, CUevent, CUfunction_attribute_enum as Attribute, CUstream,
};
use gpuc_arch::SHARED_PER_BLOCK;

use super::driver::{Driver, Failed};
use super::module::Kernel;
use crate::device::{DeviceError, LaunchOutcome, LaunchRequest};

/// Launches a kernel; waits for it only to take its time.
pub(super) fn launch(
    driver: &Driver,
    kernel: Kernel,
    request: &LaunchRequest<'_>,
    stream: CUstream,
) -> Result<LaunchOutcome, DeviceError> {
    let dynamic = request.dynamic_shared_bytes;
    if kernel.static_shared_bytes + u64::from(dynamic) > SHARED_PER_BLOCK.into() {
        let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as c_int;
        // SAFETY: a live kernel; the size has been checked against the device's limit.
        unsafe {
            driver.function_set_attribute(kernel.function, attribute, dynamic as c_int)?;
        }
    }
    if !request.timed {
        start(driver, kernel, request, stream)?;
        return Ok(LaunchOutcome::default());
    }
    let before = ScopedEvent::record(driver, stream)?;
    start(driver, kernel, request, stream)?;
    let after = ScopedEvent::record(driver, stream)?;
    let time = elapsed(driver, before.event, after.event)?;
    Ok(LaunchOutcome { time: Some(time), report: None })
}

/// Blocks of so many threads of a kernel that each multiprocessor runs at once.
pub(super) fn occupancy(driver: &Driver, kernel: Kernel, threads: u32) -> Result<u64, Failed> {
    let mut blocks: c_int = 0;
    // SAFETY: a live kernel; `blocks` is a place for one integer.
    unsafe { driver.occupancy(&raw mut blocks, kernel.function, threads as c_int, 0)? };
    Ok(blocks.max(0) as u64)
}

/// Puts the launch into its stream.
fn start(
    driver: &Driver,
    kernel: Kernel,
    request: &LaunchRequest<'_>,
    stream: CUstream,
) -> Result<(), Failed> {
    let ([gx, gy, gz], [bx, by, bz]) = (request.grid, request.block);
    let shared = request.dynamic_shared_bytes as c_uint;
    if let Some(offsets) = request.cooperative {
        let at = |&offset: &u64| request.params.as_ptr().wrapping_add(offset as usize);
        let mut params: Vec<*mut c_void> =
            offsets.iter().map(|offset| at(offset).cast_mut().cast()).collect();
        // SAFETY: a live kernel and stream; the driver copies each parameter during the call from where the program's
        // compiler has laid it out.
        return unsafe {
            let params = params.as_mut_ptr();
            let function = kernel.function;
            driver.launch_cooperative(function, gx, gy, gz, bx, by, bz, shared, stream, params)
        };
    }
    let mut bytes = request.params.len();
    // The driver copies the parameter block during the call. Its keys are small integers in
    // pointers.
    let mut extra: [*mut c_void; 5] = [
        ptr::without_provenance_mut(CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT as usize),
        request.params.as_ptr().cast_mut().cast(),
        ptr::without_provenance_mut(CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT as usize),
        (&raw mut bytes).cast(),
        ptr::without_provenance_mut(CU_LAUNCH_PARAM_END_AS_INT as usize),
    ];
    let extra = if request.params.is_empty() { ptr::null_mut() } else { extra.as_mut_ptr() };
    // SAFETY: a live kernel and stream; `extra` is the documented list, and the parameter block is
    // as long as the program's compiler has laid it out.
    unsafe {
        driver.launch(
            kernel.function,
            gx,
            gy,
            gz,
            bx,
            by,
            bz,
            shared,
            stream,
            ptr::null_mut(),
            extra,
        )
    }
}

/// Makes an event at the present end of a stream.
pub(super) fn record(driver: &Driver, stream: CUstream) -> Result<CUevent, Failed> {
    let mut event: CUevent = ptr::null_mut();
    // SAFETY: `event` is a place for one handle; a failed recording leaves no handle behind.
    unsafe {
        driver.event_create(&raw mut event, 0)?;
        if let Err(failed) = driver.event_record(event, stream) {
            let _ = driver.event_destroy(event);
            return Err(failed);
        }
    }
    Ok(event)
}

/// Time between two events, waiting for the later one.
pub(super) fn elapsed(
    driver: &Driver,
    from: CUevent,
    to: CUevent,
) -> Result<Duration, DeviceError> {
    let mut milliseconds = 0.0f32;
    // SAFETY: live events; `milliseconds` is a place for one float.
    unsafe {
        driver.event_synchronize(from)?;
        driver.event_synchronize(to)?;
        driver.event_elapsed(&raw mut milliseconds, from, to)?;
    }
    Ok(Duration::try_from_secs_f64(f64::from(milliseconds) / 1e3).unwrap_or_default())
}

/// An event that ends with its scope.
struct ScopedEvent<'a> {
    driver: &'a Driver,
    event: CUevent,
}

impl<'a> ScopedEvent<'a> {
    fn record(driver: &'a Driver, stream: CUstream) -> Result<Self, Failed> {
        Ok(ScopedEvent { driver, event: record(driver, stream)? })
    }
}

impl Drop for ScopedEvent<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `record`, destroyed once. After a fault of the kernel there is nothing
        // left to destroy, and the fault itself is already on its way up.
        let _ = unsafe { self.driver.event_destroy(self.event) };
    }
}

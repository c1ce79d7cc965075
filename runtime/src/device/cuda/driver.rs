//! The entry points of the CUDA driver that the runtime uses, found at run time.
//!
//! cudarc loads the library; the entry points are looked up here, with results as plain integers:
//! cudarc's own wrappers panic on a missing symbol, and their result is a Rust enum, for which a
//! code that a newer driver adds would be an invalid value.

use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;

use cudarc::driver::sys::{
    CUcontext, CUdevice, CUdeviceptr, CUevent, CUfunction, CUlinkState, CUmodule, CUstream, culib,
    is_culib_present,
};
use gpuc_diagnostics::Diagnostic;

use crate::device::{DeviceError, ErrorCode};

/// `CUDA_SUCCESS`.
const SUCCESS: c_int = 0;
/// `CUDA_ERROR_INVALID_VALUE`: an address or a size that does not belong together.
const INVALID_VALUE: c_int = 1;
/// `CUDA_ERROR_INVALID_HANDLE`.
const INVALID_HANDLE: c_int = 400;
/// `CUDA_ERROR_OUT_OF_MEMORY`.
pub(super) const OUT_OF_MEMORY: c_int = 2;
/// `CUDA_ERROR_NOT_FOUND`.
pub(super) const NOT_FOUND: c_int = 500;
/// `CUDA_ERROR_NOT_READY`: not an error, the answer of a query.
pub(super) const NOT_READY: c_int = 600;

/// What a kernel has done: these come out of any later call, and the context is lost.
fn is_fault(code: c_int) -> bool {
    // ILLEGAL_ADDRESS, LAUNCH_TIMEOUT, ASSERT, HARDWARE_STACK_ERROR to LAUNCH_FAILED,
    // TENSOR_MEMORY_LEAK.
    matches!(code, 700 | 702 | 710 | 714..=719 | 721)
}

macro_rules! entry_points {
    ($($(#[$doc:meta])* $name:ident = $symbol:literal ($($argument:ident: $ty:ty),*);)*) => {
        /// The entry points; every one is there.
        pub(super) struct Driver {
            $($name: unsafe extern "C" fn($($ty),*) -> c_int,)*
        }

        impl Driver {
            fn load() -> Result<Driver, String> {
                // SAFETY: loading the driver's library runs its initialisers, as every CUDA
                // program does; `culib` panics only where `is_culib_present` says no.
                let library = unsafe {
                    if !is_culib_present() {
                        return Err("the CUDA driver (libcuda.so.1) is not installed".to_owned());
                    }
                    culib()
                };
                Ok(Driver {
                    $($name: {
                        // SAFETY: the type is that of the function's declaration in cuda.h; the
                        // library is never unloaded, so the pointer stays valid.
                        match unsafe { library.get(concat!($symbol, "\0").as_bytes()) } {
                            Ok(symbol) => *symbol,
                            Err(_) => {
                                return Err(format!("the CUDA driver lacks {}", $symbol));
                            }
                        }
                    },)*
                })
            }

            $(
                $(#[$doc])*
                ///
                /// # Safety
                /// As the CUDA driver API documents for this function.
                pub(super) unsafe fn $name(&self, $($argument: $ty),*) -> Result<(), Failed> {
                    // SAFETY: the caller's promise.
                    let code = unsafe { (self.$name)($($argument),*) };
                    if code == SUCCESS { Ok(()) } else { Err(Failed { call: $symbol, code }) }
                }
            )*
        }
    };
}

entry_points! {
    /// Initialises the driver.
    init = "cuInit"(flags: c_uint);
    /// CUDA version of the driver: 1000 × major + 10 × minor.
    driver_version = "cuDriverGetVersion"(version: *mut c_int);
    /// Name of an error code.
    error_name = "cuGetErrorName"(code: c_int, name: *mut *const c_char);
    /// Description of an error code.
    error_string = "cuGetErrorString"(code: c_int, words: *mut *const c_char);
    /// Number of devices.
    device_count = "cuDeviceGetCount"(count: *mut c_int);
    /// Handle of a device.
    device_get = "cuDeviceGet"(device: *mut CUdevice, ordinal: c_int);
    /// Name of a device.
    device_name = "cuDeviceGetName"(name: *mut c_char, length: c_int, device: CUdevice);
    /// One attribute of a device.
    device_attribute = "cuDeviceGetAttribute"(value: *mut c_int, attribute: c_int, device: CUdevice);
    /// The context that the CUDA runtime API uses too.
    primary_context_retain = "cuDevicePrimaryCtxRetain"(context: *mut CUcontext, device: CUdevice);
    /// Binds a context to this thread.
    context_set_current = "cuCtxSetCurrent"(context: CUcontext);
    /// Sets a limit of the current context, in bytes.
    set_limit = "cuCtxSetLimit"(limit: c_int, bytes: usize);
    /// Free and total memory.
    memory_info = "cuMemGetInfo_v2"(free: *mut usize, total: *mut usize);
    /// Allocates device memory.
    memory_alloc = "cuMemAlloc_v2"(ptr: *mut CUdeviceptr, bytes: usize);
    /// Frees device memory.
    memory_free = "cuMemFree_v2"(ptr: CUdeviceptr);
    /// Copies to the device and waits.
    copy_to_device = "cuMemcpyHtoD_v2"(to: CUdeviceptr, from: *const c_void, bytes: usize);
    /// Copies to the device in a stream.
    copy_to_device_async = "cuMemcpyHtoDAsync_v2"(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream);
    /// Copies to the host and waits.
    copy_to_host = "cuMemcpyDtoH_v2"(to: *mut c_void, from: CUdeviceptr, bytes: usize);
    /// Copies to the host in a stream.
    copy_to_host_async = "cuMemcpyDtoHAsync_v2"(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream);
    /// Copies within the device in a stream.
    copy_on_device_async = "cuMemcpyDtoDAsync_v2"(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream);
    /// Sets bytes in a stream.
    fill_async = "cuMemsetD8Async"(to: CUdeviceptr, value: c_uchar, bytes: usize, stream: CUstream);
    /// What the driver knows of an address.
    pointer_attribute = "cuPointerGetAttribute"(value: *mut c_void, attribute: c_int, ptr: CUdeviceptr);
    /// Compiles and loads PTX.
    module_load = "cuModuleLoadDataEx"(module: *mut CUmodule, image: *const c_void, count: c_uint, options: *mut c_int, values: *mut *mut c_void);
    /// Allocates pinned memory of the host.
    host_alloc = "cuMemHostAlloc"(ptr: *mut *mut c_void, bytes: usize, flags: c_uint);
    /// Frees it.
    host_free = "cuMemFreeHost"(ptr: *mut c_void);
    /// Address and size of a variable.
    module_global = "cuModuleGetGlobal_v2"(ptr: *mut CUdeviceptr, bytes: *mut usize, module: CUmodule, name: *const c_char);
    /// Begins to link.
    link_create = "cuLinkCreate_v2"(count: c_uint, options: *mut c_int, values: *mut *mut c_void, state: *mut CUlinkState);
    /// Adds a text to what is linked.
    link_add = "cuLinkAddData_v2"(state: CUlinkState, kind: c_int, data: *mut c_void, bytes: usize, name: *const c_char, count: c_uint, options: *mut c_int, values: *mut *mut c_void);
    /// Links; the result belongs to the state.
    link_complete = "cuLinkComplete"(state: CUlinkState, image: *mut *mut c_void, bytes: *mut usize);
    /// Ends linking.
    link_destroy = "cuLinkDestroy"(state: CUlinkState);
    /// Finds a kernel.
    module_function = "cuModuleGetFunction"(function: *mut CUfunction, module: CUmodule, name: *const c_char);
    /// One attribute of a kernel.
    function_attribute = "cuFuncGetAttribute"(value: *mut c_int, attribute: c_int, function: CUfunction);
    /// Sets an attribute of a kernel.
    function_set_attribute = "cuFuncSetAttribute"(function: CUfunction, attribute: c_int, value: c_int);
    /// Launches a kernel.
    launch = "cuLaunchKernel"(function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint, shared: c_uint, stream: CUstream, params: *mut *mut c_void, extra: *mut *mut c_void);
    /// Launches a kernel all of whose blocks run at once.
    launch_cooperative = "cuLaunchCooperativeKernel"(function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint, shared: c_uint, stream: CUstream, params: *mut *mut c_void);
    /// Blocks of a kernel that a multiprocessor runs at once.
    occupancy = "cuOccupancyMaxActiveBlocksPerMultiprocessor"(blocks: *mut c_int, function: CUfunction, threads: c_int, shared: usize);
    /// Makes a stream.
    stream_create = "cuStreamCreate"(stream: *mut CUstream, flags: c_uint);
    /// Releases a stream.
    stream_destroy = "cuStreamDestroy_v2"(stream: CUstream);
    /// Waits for a stream.
    stream_synchronize = "cuStreamSynchronize"(stream: CUstream);
    /// Whether a stream is done.
    stream_query = "cuStreamQuery"(stream: CUstream);
    /// Lets a stream wait for an event.
    stream_wait = "cuStreamWaitEvent"(stream: CUstream, event: CUevent, flags: c_uint);
    /// Makes an event.
    event_create = "cuEventCreate"(event: *mut CUevent, flags: c_uint);
    /// Puts an event at the end of a stream.
    event_record = "cuEventRecord"(event: CUevent, stream: CUstream);
    /// Waits for an event.
    event_synchronize = "cuEventSynchronize"(event: CUevent);
    /// Milliseconds between two events.
    event_elapsed = "cuEventElapsedTime"(milliseconds: *mut f32, from: CUevent, to: CUevent);
    /// Releases an event.
    event_destroy = "cuEventDestroy_v2"(event: CUevent);
}

/// A call that returned something else than success.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failed {
    /// The function.
    pub(super) call: &'static str,
    /// What it returned.
    pub(super) code: c_int,
}

impl Failed {
    /// The driver's name of the error (`CUDA_ERROR_NO_DEVICE`), or its number.
    pub(super) fn name(self) -> String {
        words(self.code, Driver::error_name).unwrap_or_else(|| format!("error {}", self.code))
    }

    /// The driver's words for the error.
    pub(super) fn description(self) -> String {
        words(self.code, Driver::error_string).unwrap_or_else(|| "an unknown error".to_owned())
    }
}

/// One of the driver's two texts about an error code.
fn words(
    code: c_int,
    ask: unsafe fn(&Driver, c_int, *mut *const c_char) -> Result<(), Failed>,
) -> Option<String> {
    let driver = driver().ok()?;
    let mut text: *const c_char = ptr::null();
    // SAFETY: `text` is a place for one pointer; the string it gets is static.
    unsafe {
        ask(driver, code, &raw mut text).ok()?;
        (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
    }
}

impl From<Failed> for DeviceError {
    fn from(failed: Failed) -> Self {
        let (name, description) = (failed.name(), failed.description());
        if is_fault(failed.code) {
            let message = format!("a kernel failed on the GPU with {name}: {description}");
            let help =
                "run with GPUC_DEVICE=sim to see the access, the array and the line at fault";
            let diagnostic = Box::new(Diagnostic::error(message).help(help));
            return DeviceError::Fault { code: ErrorCode(failed.code), diagnostic };
        }
        if matches!(failed.code, INVALID_VALUE | INVALID_HANDLE) {
            let call = failed.call;
            return DeviceError::Invalid(format!("{call} failed with {name}: {description}"));
        }
        let code = ErrorCode(failed.code);
        DeviceError::Driver { call: failed.call, code, name, description }
    }
}

/// The driver, loaded on first use; the error says why there is none.
pub(super) fn driver() -> Result<&'static Driver, &'static str> {
    static DRIVER: OnceLock<Result<Driver, String>> = OnceLock::new();
    DRIVER.get_or_init(Driver::load).as_ref().map_err(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_told_from_refusals() {
        let fault = DeviceError::from(Failed { call: "cuStreamSynchronize", code: 700 });
        assert!(matches!(fault, DeviceError::Fault { .. }), "{fault}");
        assert_eq!(fault.code(), ErrorCode::ILLEGAL_ADDRESS);
        let refusal = DeviceError::from(Failed { call: "cuMemAlloc_v2", code: 1 });
        assert!(refusal.to_string().starts_with("cuMemAlloc_v2 failed with"), "{refusal}");
        assert!(matches!(refusal, DeviceError::Invalid(_)), "{refusal:?}");
        let other = DeviceError::from(Failed { call: "cuInit", code: 3 });
        assert!(matches!(other, DeviceError::Driver { .. }), "{other:?}");
        assert_eq!(other.code(), ErrorCode(3));
        // A code from the future is only a number.
        assert!(!is_fault(99_999));
    }
}

//! PTX compiled by the driver, and the kernels in it.

use std::ffi::{CString, c_int, c_uint, c_void};
use std::ptr;

use cudarc::driver::sys::{
    CUfunction, CUfunction_attribute_enum as Attribute, CUjit_option_enum as JitOption,
    CUjitInputType_enum as InputType, CUlinkState, CUmodule,
};

use super::driver::{Driver, NOT_FOUND};
use crate::device::{DeviceError, DevicePtr, ErrorCode, KernelAttributes, KernelInfo};

/// Room for each of the compiler's two logs.
const LOG_BYTES: usize = 16 * 1024;

/// A loaded module; never unloaded, kernels refer to it.
pub(super) struct Module {
    handle: CUmodule,
}

/// A kernel's handle and what its launch needs.
#[derive(Clone, Copy)]
pub(super) struct Kernel {
    pub(super) function: CUfunction,
    pub(super) static_shared_bytes: u64,
}

/// The text of a log buffer: up to the first NUL.
fn log_text(buffer: &[u8]) -> String {
    let end = buffer.iter().position(|&byte| byte == 0).unwrap_or(buffer.len());
    String::from_utf8_lossy(&buffer[..end]).trim().to_owned()
}

impl Module {
    /// Compiles PTX text; an error carries the compiler's log.
    pub(super) fn load(driver: &Driver, ptx: &str, source: &str) -> Result<Module, DeviceError> {
        let text = CString::new(ptx)
            .map_err(|_| DeviceError::Invalid(format!("the PTX of {source} contains a NUL")))?;
        let mut info = vec![0u8; LOG_BYTES];
        let mut errors = vec![0u8; LOG_BYTES];
        let mut options = [
            JitOption::CU_JIT_INFO_LOG_BUFFER as c_int,
            JitOption::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES as c_int,
            JitOption::CU_JIT_ERROR_LOG_BUFFER as c_int,
            JitOption::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES as c_int,
        ];
        // Sizes are passed in the pointer itself, as the driver API has it.
        let mut values: [*mut c_void; 4] = [
            info.as_mut_ptr().cast(),
            ptr::without_provenance_mut(LOG_BYTES),
            errors.as_mut_ptr().cast(),
            ptr::without_provenance_mut(LOG_BYTES),
        ];
        let mut handle: CUmodule = ptr::null_mut();
        // SAFETY: `text` is NUL-terminated; the four options have a value each, of the kind each
        // wants, and the buffers outlive the call.
        let loaded = unsafe {
            driver.module_load(
                &raw mut handle,
                text.as_ptr().cast(),
                options.len() as c_uint,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        match loaded {
            Ok(()) => Ok(Module { handle }),
            Err(failed) => {
                let log = [log_text(&errors), log_text(&info)].join("\n");
                let log = if log.trim().is_empty() { failed.description() } else { log };
                let source_name = source.to_owned();
                let code = ErrorCode(failed.code);
                Err(DeviceError::Jit { source_name, code, name: failed.name(), log })
            }
        }
    }

    /// Loads what [`compile`] has made.
    pub(super) fn load_code(driver: &Driver, code: &[u8]) -> Result<Module, DeviceError> {
        let mut handle: CUmodule = ptr::null_mut();
        // SAFETY: a place for the handle; the code is a whole image, whose head has its length, and loading copies it.
        unsafe {
            driver.module_load(
                &raw mut handle,
                code.as_ptr().cast(),
                0,
                ptr::null_mut(),
                ptr::null_mut(),
            )?;
        }
        Ok(Module { handle })
    }

    /// Finds a kernel.
    pub(super) fn kernel(
        &self,
        driver: &Driver,
        name: &str,
    ) -> Result<(Kernel, KernelInfo), DeviceError> {
        let missing = || DeviceError::NoKernel { name: name.to_owned(), known: Vec::new() };
        let c_name = CString::new(name).map_err(|_| missing())?;
        let mut function: CUfunction = ptr::null_mut();
        // SAFETY: `function` is a place for one handle, the name is NUL-terminated.
        match unsafe { driver.module_function(&raw mut function, self.handle, c_name.as_ptr()) } {
            Ok(()) => {}
            Err(failed) if failed.code == NOT_FOUND => return Err(missing()),
            Err(failed) => return Err(failed.into()),
        }
        let static_shared_bytes =
            u64::from(attribute(driver, function, Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?);
        let max_threads =
            attribute(driver, function, Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?;
        let info = KernelInfo {
            static_shared_bytes,
            param_bytes: None,
            max_threads: Some(max_threads),
            required_block: None,
            param_offsets: None,
        };
        Ok((Kernel { function, static_shared_bytes }, info))
    }

    /// Address and size of a variable.
    pub(super) fn variable(
        &self,
        driver: &Driver,
        name: &str,
    ) -> Result<(DevicePtr, u64), DeviceError> {
        let missing = || DeviceError::NoVariable { name: name.to_owned() };
        let c_name = CString::new(name).map_err(|_| missing())?;
        let (mut ptr, mut bytes): (DevicePtr, usize) = (0, 0);
        // SAFETY: both are places for what they get, the name is NUL-terminated.
        match unsafe {
            driver.module_global(&raw mut ptr, &raw mut bytes, self.handle, c_name.as_ptr())
        } {
            Ok(()) => Ok((ptr, bytes as u64)),
            Err(failed) if failed.code == NOT_FOUND => Err(missing()),
            Err(failed) => Err(failed.into()),
        }
    }
}

/// Compiles PTX texts and links them: the device's code. An error carries the linker's log.
pub(super) fn compile(driver: &Driver, texts: &[(&str, &str)]) -> Result<Vec<u8>, DeviceError> {
    let source = texts.first().map_or("?", |(_, source)| source);
    let mut errors = vec![0u8; LOG_BYTES];
    let mut options = [
        JitOption::CU_JIT_ERROR_LOG_BUFFER as c_int,
        JitOption::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES as c_int,
    ];
    // The state keeps the pointers to the log and its length until it is destroyed.
    let mut values: [*mut c_void; 2] =
        [errors.as_mut_ptr().cast(), ptr::without_provenance_mut(LOG_BYTES)];
    let mut state: CUlinkState = ptr::null_mut();
    // SAFETY: the two options have a value each, of the kind each wants, and the buffer outlives the state.
    unsafe {
        driver.link_create(
            options.len() as c_uint,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
            &raw mut state,
        )?;
    }
    let linked = (|| {
        for (ptx, source) in texts {
            let invalid = |_| DeviceError::Invalid(format!("the PTX of {source} contains a NUL"));
            let text = CString::new(*ptx).map_err(invalid)?;
            let name = CString::new(*source).map_err(invalid)?;
            // SAFETY: the text is there for its length with the NUL, and is copied by the call.
            unsafe {
                driver.link_add(
                    state,
                    InputType::CU_JIT_INPUT_PTX as c_int,
                    text.as_ptr().cast_mut().cast(),
                    text.as_bytes_with_nul().len(),
                    name.as_ptr(),
                    0,
                    ptr::null_mut(),
                    ptr::null_mut(),
                )?;
            }
        }
        let (mut image, mut bytes) = (ptr::null_mut(), 0usize);
        // SAFETY: places for the results; the image is the state's, of that many bytes, until it is destroyed.
        unsafe {
            driver.link_complete(state, &raw mut image, &raw mut bytes)?;
            Ok(std::slice::from_raw_parts(image.cast::<u8>(), bytes).to_vec())
        }
    })();
    let log = log_text(&errors);
    // SAFETY: the state is not used any more. That it cannot be released changes nothing.
    let _ = unsafe { driver.link_destroy(state) };
    linked.map_err(|error| match error {
        DeviceError::Driver { code, name, .. } if !log.is_empty() => {
            DeviceError::Jit { source_name: source.to_owned(), code, name, log }
        }
        other => other,
    })
}

/// One attribute of a kernel.
fn attribute(
    driver: &Driver,
    function: CUfunction,
    attribute: Attribute,
) -> Result<u32, DeviceError> {
    let mut value: c_int = 0;
    // SAFETY: `value` is a place for one integer, `function` a live handle.
    unsafe { driver.function_attribute(&raw mut value, attribute as c_int, function)? };
    Ok(value.max(0) as u32)
}

/// What the driver knows of a kernel.
pub(super) fn attributes(driver: &Driver, kernel: Kernel) -> Result<KernelAttributes, DeviceError> {
    let ask = |what| attribute(driver, kernel.function, what);
    Ok(KernelAttributes {
        max_threads: ask(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        registers: ask(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
        static_shared_bytes: kernel.static_shared_bytes,
        local_bytes: u64::from(ask(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?),
        ptx_version: ask(Attribute::CU_FUNC_ATTRIBUTE_PTX_VERSION)?,
        binary_version: ask(Attribute::CU_FUNC_ATTRIBUTE_BINARY_VERSION)?,
    })
}

#[cfg(test)]
mod tests {
    use super::log_text;

    #[test]
    fn logs_end_at_the_first_nul() {
        assert_eq!(log_text(b"ptxas error : x\n\0junk"), "ptxas error : x");
        assert_eq!(log_text(b"full"), "full");
        assert_eq!(log_text(&[0; 4]), "");
    }
}

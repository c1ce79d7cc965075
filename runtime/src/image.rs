//! The PTX of a translation unit as loaded on the device, and its kernels.

use std::ffi::{CStr, CString};
use std::sync::{OnceLock, RwLock};

use crate::device::{Device, DeviceError, KernelId, KernelInfo, ModuleId};
use crate::embedded::{Header, KernelDescriptor};
use crate::reached::Reached;

/// A kernel that has been looked up.
#[derive(Debug)]
pub struct LoadedKernel {
    /// Its name in the module.
    pub name: CString,
    /// Its handle on the device.
    pub id: KernelId,
    /// What its launches must respect.
    pub info: KernelInfo,
}

/// What an image has become on each device, by its number.
#[derive(Debug)]
pub struct LoadedImages(Box<[OnceLock<LoadedImage>]>);

impl LoadedImages {
    /// Of an image that no device has loaded.
    pub fn new(devices: usize) -> LoadedImages {
        LoadedImages((0..devices).map(|_| OnceLock::new()).collect())
    }

    /// What it is on a device; the slot is empty where that has not loaded it.
    pub fn on(&self, number: usize) -> Option<&OnceLock<LoadedImage>> {
        self.0.get(number)
    }
}

/// What an image has become on the device. It lives as long as the process: launches refer to it
/// without counting.
#[derive(Debug)]
pub struct LoadedImage {
    module: ModuleId,
    /// Where kernels' parameters stand and how long they are, where the program says it.
    params: Vec<(String, Box<[u64]>, u64)>,
    kernels: RwLock<Vec<&'static LoadedKernel>>,
    /// Variables of the program that its functions find by an address.
    pub reached: Box<[Reached]>,
}

impl LoadedImage {
    /// Loads the PTX of an image, with that of others whose functions it calls behind it; `kernels` is what the program
    /// says of its kernels.
    pub fn load(
        device: &dyn Device,
        texts: &[(&str, &str)],
        kernels: &[KernelDescriptor],
    ) -> Result<LoadedImage, DeviceError> {
        for (ptx, source) in texts {
            check_header(device, ptx, source)?;
        }
        let module = device.load_module(texts)?;
        let reached = Reached::of(device, module, texts)?;
        let params = kernels.iter().filter_map(|kernel| {
            let (offsets, bytes) = kernel.param_layout()?;
            Some((kernel.name().into_owned(), offsets, bytes))
        });
        let params = params.collect();
        Ok(LoadedImage { module, params, kernels: RwLock::default(), reached })
    }

    /// The kernel `name`. The second and later look-ups neither allocate nor ask the device.
    pub fn kernel(
        &self,
        device: &dyn Device,
        name: &CStr,
    ) -> Result<&'static LoadedKernel, DeviceError> {
        let find = |kernels: &[&'static LoadedKernel]| {
            kernels.iter().find(|kernel| kernel.name.as_c_str() == name).copied()
        };
        // A poisoned lock still guards a complete list: kernels are only ever pushed.
        if let Some(kernel) = find(&self.kernels.read().unwrap_or_else(|e| e.into_inner())) {
            return Ok(kernel);
        }
        let (id, mut info) = device.kernel(self.module, &name.to_string_lossy())?;
        let said = self.params.iter().find(|(known, ..)| known.as_bytes() == name.to_bytes());
        if let Some((_, offsets, bytes)) = said {
            info.param_bytes = info.param_bytes.or(Some(*bytes));
            info.param_offsets = Some(offsets.clone());
        }
        let mut kernels = self.kernels.write().unwrap_or_else(|e| e.into_inner());
        if let Some(kernel) = find(&kernels) {
            return Ok(kernel);
        }
        let kernel = Box::leak(Box::new(LoadedKernel { name: name.to_owned(), id, info }));
        kernels.push(kernel);
        Ok(kernel)
    }
}

/// Compares the PTX's `.version` and `.target` with what the device takes, because the driver's
/// own answer to a mismatch (`CUDA_ERROR_UNSUPPORTED_PTX_VERSION`, `CUDA_ERROR_NO_BINARY_FOR_GPU`)
/// does not say what to do.
fn check_header(device: &dyn Device, ptx: &str, source: &str) -> Result<(), DeviceError> {
    let header = Header::of(ptx);
    let newest = device.newest_ptx();
    if let Some(version) = header.version.filter(|_| !header.is_read(newest)) {
        return Err(DeviceError::Incompatible {
            message: format!(
                "the PTX of {source} is version {version}, {} takes at most {newest}",
                device.driver()
            ),
            help: "update the GPU driver, or compile for an older architecture (`--arch`), which \
                   needs an older PTX version"
                .to_owned(),
        });
    }
    let own = device.arch();
    let Some(target) = header.target.filter(|_| !header.is_for(own)) else { return Ok(()) };
    Err(DeviceError::Incompatible {
        message: format!(
            "{source} is compiled for {target}, the device is {own} ({})",
            device.name()
        ),
        help: format!("compile with `--arch={own}`, or with the lowest architecture you run on"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::memory_only::MemoryOnly;

    #[test]
    fn header_must_fit_the_device() {
        // The device takes PTX 8.0 and is an sm_80.
        let device = MemoryOnly::default();
        let check = |version: &str, target: &str| {
            let ptx = format!("// x\n.version {version}\n.target {target}, debug\n");
            check_header(&device, &ptx, "a.c").map_err(|error| error.to_string())
        };
        assert_eq!(check("7.0", "sm_80"), Ok(()));
        assert_eq!(check("6.0", "sm_70"), Ok(()));
        assert!(check("8.6", "sm_80").unwrap_err().contains("version 8.6"));
        assert!(check("8.0", "sm_90").unwrap_err().contains("compiled for sm_90"));
        assert!(check("8.0", "sm_70a").unwrap_err().contains("compiled for sm_70a"));
    }

    #[test]
    fn kernels_are_looked_up_once() {
        let device = MemoryOnly::default();
        let image = LoadedImage::load(&device, &[("copy\nfill", "a.c")], &[]).unwrap();
        let first = image.kernel(&device, c"fill").unwrap();
        let again = image.kernel(&device, c"fill").unwrap();
        assert!(std::ptr::eq(first, again));
        let error = image.kernel(&device, c"fil").unwrap_err().into_diagnostic();
        assert_eq!(error.help, ["did you mean `fill`?"]);
    }
}

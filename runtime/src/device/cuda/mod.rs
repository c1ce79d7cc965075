//! A GPU behind the CUDA driver API, loaded at run time: the same program runs where there is
//! none.

mod compiled;
mod driver;
mod execution;
mod module;

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::ptr::{self, NonNull};
use std::sync::{OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use cudarc::driver::sys::{
    CUcontext, CUdevice, CUdevice_attribute_enum as Attribute, CUevent, CUlimit_enum as CUlimit,
    CUstream, CUstream_flags_enum,
};
use gpuc_arch::{Arch, PtxVersion};
use gpuc_cache::Cache;

use self::compiled::Texts;
use self::driver::{Driver, NOT_READY, OUT_OF_MEMORY, driver};
use self::module::{Kernel, Module};
use super::{
    Device, DeviceError, DeviceKind, DeviceLimits, DevicePtr, EventId, KernelAttributes, KernelId,
    KernelInfo, LaunchOutcome, LaunchRequest, ModuleId, Queue,
};

/// The oldest driver whose PTX versions we know.
const OLDEST_CUDA: (u32, u32) = (11, 0);

/// What a GPU is asked for.
#[derive(Clone, Debug, Default)]
pub struct CudaSettings {
    /// What its compiler has made before.
    pub cache: Option<Cache>,
    /// Bytes of stack of each thread.
    pub stack_bytes: Option<u64>,
    /// Bytes of the heap of `malloc` in kernels.
    pub heap_bytes: Option<u64>,
}

/// Bytes of stack of each thread where kernels call functions: a driver knows what those take that do not call themselves,
/// and gives others a kilobyte, in which a recursion of ten steps may end. All threads that the device can hold have
/// theirs: on a device of 132 multiprocessors 2 GiB.
/// `CU_POINTER_ATTRIBUTE_MEMORY_TYPE`.
const MEMORY_TYPE: c_int = 2;
/// `CU_POINTER_ATTRIBUTE_IS_MANAGED`.
const IS_MANAGED: c_int = 8;
/// `CU_MEMORYTYPE_DEVICE`.
const MEMORY_OF_DEVICE: c_uint = 2;
const STACK_BYTES: u64 = 8 << 10;

/// Whether a text has functions that are called. A kernel's are written into it else.
fn has_functions(ptx: &str) -> bool {
    ptx.lines().any(|line| line.starts_with(".func ") || line.starts_with(".visible .func "))
}

/// A GPU of the machine.
pub struct CudaDevice {
    driver: &'static Driver,
    context: CUcontext,
    name: String,
    arch: String,
    limits: DeviceLimits,
    /// Whether kernels see the host's pageable memory.
    sees_host: bool,
    /// Multiprocessors, where there are cooperative launches; else 0.
    cooperative: u32,
    cuda: (u32, u32),
    newest_ptx: PtxVersion,
    settings: CudaSettings,
    /// The stack has been made as large as functions want it.
    has_stack: OnceLock<()>,
    handles: RwLock<Handles>,
}

// SAFETY: the driver's handles may be used from any thread that has the context current, which
// every method sees to first; the tables of handles are behind a lock.
unsafe impl Send for CudaDevice {}
// SAFETY: as above.
unsafe impl Sync for CudaDevice {}

/// What has been made on the device, by the number in its id.
#[derive(Default)]
struct Handles {
    modules: Vec<Module>,
    kernels: Vec<Kernel>,
    /// Stream `n` belongs to `Queue(n + 1)`; `Queue::SYNC` is the default stream.
    streams: Vec<Option<CUstream>>,
    events: Vec<Option<CUevent>>,
}

/// What the driver has answered, in words.
fn words(failed: driver::Failed) -> String {
    format!("{} failed with {}: {}", failed.call, failed.name(), failed.description())
}

impl CudaDevice {
    /// How many GPUs there are, one at least; the error says, in words, why there is none to use.
    pub fn count() -> Result<usize, String> {
        let driver = driver()?;
        let mut count: c_int = 0;
        // SAFETY: the out pointer is to a local of the right type; `init` comes first.
        unsafe {
            driver.init(0).map_err(words)?;
            driver.device_count(&raw mut count).map_err(words)?;
        }
        match usize::try_from(count) {
            Ok(count @ 1..) => Ok(count),
            _ => Err("the CUDA driver sees no GPU (CUDA_VISIBLE_DEVICES may hide it)".to_owned()),
        }
    }

    /// The GPU of that number, less than [`CudaDevice::count`].
    pub fn open(number: usize, settings: CudaSettings) -> Result<CudaDevice, String> {
        let driver = driver()?;
        let mut version: c_int = 0;
        let mut device: CUdevice = 0;
        // SAFETY: every out pointer is to a local of the right type; `init` comes first except for
        // the version, which needs none.
        unsafe {
            driver.driver_version(&raw mut version).map_err(words)?;
            driver.init(0).map_err(words)?;
        }
        let cuda = split_version(version);
        let Some(newest_ptx) = PtxVersion::newest_of_cuda(cuda.0, cuda.1) else {
            return Err(format!(
                "the GPU driver is of CUDA {}.{}; gpuc needs {}.{} or newer",
                cuda.0, cuda.1, OLDEST_CUDA.0, OLDEST_CUDA.1
            ));
        };
        // SAFETY: as above; the driver refuses a number of no device.
        unsafe { driver.device_get(&raw mut device, number as c_int).map_err(words)? };

        let attribute = |attribute: Attribute| -> Result<u32, String> {
            let mut value: c_int = 0;
            // SAFETY: `value` is a place for one integer, `device` a valid device.
            unsafe {
                driver
                    .device_attribute(&raw mut value, attribute as c_int, device)
                    .map_err(words)?;
            }
            Ok(value.max(0) as u32)
        };
        let arch = format!(
            "sm_{}{}",
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?
        );
        // The parameter limit has no attribute. Above 4096 bytes the PTX must be 8.1 or newer.
        let param_bytes = match Arch::by_name(&arch) {
            Some(arch) if newest_ptx >= PtxVersion::new(8, 1) => arch.limits.max_param_bytes,
            _ => 4096,
        };
        let limits = DeviceLimits {
            threads_per_block: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            block: [
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
            ],
            grid: [
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
            ],
            shared_bytes: u64::from(attribute(
                Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
            )?),
            param_bytes: u64::from(param_bytes),
        };
        let sees_host =
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS).unwrap_or(0) != 0;
        let cooperative = match attribute(Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) {
            Ok(1..) => attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            _ => 0,
        };
        let mut name = [0u8; 128];
        let mut context: CUcontext = ptr::null_mut();
        // SAFETY: `name` has room for its length, the rest as above.
        unsafe {
            driver
                .device_name(name.as_mut_ptr().cast(), name.len() as c_int, device)
                .map_err(words)?;
            driver.primary_context_retain(&raw mut context, device).map_err(words)?;
        }
        let name = CStr::from_bytes_until_nul(&name)
            .map_or_else(|_| "GPU".to_owned(), |name| name.to_string_lossy().into_owned());
        let device = CudaDevice {
            driver,
            context,
            name,
            arch,
            limits,
            sees_host,
            cooperative,
            cuda,
            newest_ptx,
            settings,
            has_stack: OnceLock::new(),
            handles: RwLock::default(),
        };
        device.set_limits().map_err(|why| why.to_string())?;
        Ok(device)
    }

    /// Sets what the user asks for, before anything is loaded.
    fn set_limits(&self) -> Result<(), DeviceError> {
        if let Some(bytes) = self.settings.stack_bytes {
            self.set_limit(CUlimit::CU_LIMIT_STACK_SIZE, bytes)?;
        }
        if let Some(bytes) = self.settings.heap_bytes {
            self.set_limit(CUlimit::CU_LIMIT_MALLOC_HEAP_SIZE, bytes)?;
        }
        Ok(())
    }

    fn set_limit(&self, limit: CUlimit, bytes: u64) -> Result<(), DeviceError> {
        // SAFETY: the driver refuses what it does not know or cannot do.
        unsafe { self.enter()?.set_limit(limit as c_int, bytes as usize)? };
        Ok(())
    }

    /// The driver with the device's context current in this thread.
    fn enter(&self) -> Result<&'static Driver, DeviceError> {
        // SAFETY: the primary context is retained for the life of the process.
        unsafe { self.driver.context_set_current(self.context)? };
        Ok(self.driver)
    }

    // A poisoned lock still guards whole tables: they only ever grow or lose one entry.
    fn handles(&self) -> RwLockReadGuard<'_, Handles> {
        self.handles.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn handles_mut(&self) -> RwLockWriteGuard<'_, Handles> {
        self.handles.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The stream of a queue; null is the default stream.
    fn stream(&self, queue: Queue) -> Result<CUstream, DeviceError> {
        let Some(index) = (queue.0 as usize).checked_sub(1) else { return Ok(ptr::null_mut()) };
        let stream = self.handles().streams.get(index).copied().flatten();
        stream.ok_or_else(|| DeviceError::Invalid(format!("there is no queue {}", queue.0)))
    }

    fn event(&self, event: EventId) -> Result<CUevent, DeviceError> {
        let handle = self.handles().events.get(event.0 as usize).copied().flatten();
        handle.ok_or_else(|| DeviceError::Invalid(format!("there is no event {}", event.0)))
    }
}

impl compiled::Compiler for CudaDevice {
    type Module = Module;

    fn compile(&self, texts: &Texts<'_>) -> Result<Vec<u8>, DeviceError> {
        module::compile(self.enter()?, texts)
    }

    fn load(&self, code: &[u8]) -> Result<Module, DeviceError> {
        Module::load_code(self.enter()?, code)
    }

    fn load_texts(&self, texts: &Texts<'_>) -> Result<Module, DeviceError> {
        match texts {
            [(ptx, source)] => Module::load(self.enter()?, ptx, source),
            _ => {
                let code = self.compile(texts)?;
                self.load(&code)
            }
        }
    }

    fn target(&self) -> String {
        format!("cubin {} {}.{}", self.arch, self.cuda.0, self.cuda.1)
    }
}

/// CUDA version of the driver's number: 12040 is 12.4.
fn split_version(version: c_int) -> (u32, u32) {
    let version = version.max(0) as u32;
    (version / 1000, version % 1000 / 10)
}

impl Device for CudaDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> DeviceKind {
        DeviceKind::Cuda
    }

    fn arch(&self) -> &str {
        &self.arch
    }

    fn limits(&self) -> &DeviceLimits {
        &self.limits
    }

    fn driver(&self) -> String {
        format!("the GPU driver (CUDA {}.{})", self.cuda.0, self.cuda.1)
    }

    fn newest_ptx(&self) -> PtxVersion {
        self.newest_ptx
    }

    fn see_host_memory(&self) -> bool {
        self.sees_host
    }

    fn is_out_of_reach(&self, address: u64) -> bool {
        let Ok(driver) = self.enter() else { return false };
        let (mut kind, mut managed): (c_uint, c_uint) = (0, 0);
        // SAFETY: both are places for what the attribute is; addresses that the driver does not know are an error, and so the host's.
        unsafe {
            driver
                .pointer_attribute((&raw mut kind).cast(), MEMORY_TYPE, address)
                .and_then(|()| {
                    driver.pointer_attribute((&raw mut managed).cast(), IS_MANAGED, address)
                })
                .is_ok_and(|()| kind == MEMORY_OF_DEVICE && managed == 0)
        }
    }

    fn memory(&self) -> Result<(u64, u64), DeviceError> {
        let driver = self.enter()?;
        let (mut free, mut total) = (0usize, 0usize);
        // SAFETY: both are places for one integer.
        unsafe { driver.memory_info(&raw mut free, &raw mut total)? };
        Ok((free as u64, total as u64))
    }

    fn alloc(&self, bytes: u64, _label: &str) -> Result<DevicePtr, DeviceError> {
        let driver = self.enter()?;
        let mut ptr: DevicePtr = 0;
        // SAFETY: `ptr` is a place for one address.
        match unsafe { driver.memory_alloc(&raw mut ptr, bytes as usize) } {
            Ok(()) => Ok(ptr),
            Err(failed) if failed.code == OUT_OF_MEMORY => Err(DeviceError::OutOfMemory {
                bytes,
                free: self.memory().ok().map(|(free, _)| free),
            }),
            Err(failed) => Err(failed.into()),
        }
    }

    fn free(&self, ptr: DevicePtr) -> Result<(), DeviceError> {
        // SAFETY: the driver refuses an address that is not an allocation.
        unsafe { self.enter()?.memory_free(ptr)? };
        Ok(())
    }

    unsafe fn copy_to_device(
        &self,
        to: DevicePtr,
        from: *const u8,
        bytes: u64,
        queue: Queue,
    ) -> Result<(), DeviceError> {
        let (driver, from, bytes) = (self.enter()?, from.cast::<c_void>(), bytes as usize);
        let stream = self.stream(queue)?;
        // SAFETY: `from` by the caller's promise; the driver checks the device range.
        unsafe {
            if queue == Queue::SYNC {
                driver.copy_to_device(to, from, bytes)?;
            } else {
                driver.copy_to_device_async(to, from, bytes, stream)?;
            }
        }
        Ok(())
    }

    unsafe fn copy_to_host(
        &self,
        to: *mut u8,
        from: DevicePtr,
        bytes: u64,
        queue: Queue,
    ) -> Result<(), DeviceError> {
        let (driver, to, bytes) = (self.enter()?, to.cast::<c_void>(), bytes as usize);
        let stream = self.stream(queue)?;
        // SAFETY: `to` by the caller's promise; the driver checks the device range.
        unsafe {
            if queue == Queue::SYNC {
                driver.copy_to_host(to, from, bytes)?;
            } else {
                driver.copy_to_host_async(to, from, bytes, stream)?;
            }
        }
        Ok(())
    }

    fn copy_on_device(
        &self,
        to: DevicePtr,
        from: DevicePtr,
        bytes: u64,
        queue: Queue,
    ) -> Result<(), DeviceError> {
        let (driver, stream) = (self.enter()?, self.stream(queue)?);
        // SAFETY: device memory only, whose ranges the driver checks.
        unsafe { driver.copy_on_device_async(to, from, bytes as usize, stream)? };
        if queue == Queue::SYNC { self.synchronize(queue) } else { Ok(()) }
    }

    fn fill(&self, to: DevicePtr, value: u8, bytes: u64, queue: Queue) -> Result<(), DeviceError> {
        let (driver, stream) = (self.enter()?, self.stream(queue)?);
        // SAFETY: device memory only, whose range the driver checks.
        unsafe { driver.fill_async(to, value, bytes as usize, stream)? };
        if queue == Queue::SYNC { self.synchronize(queue) } else { Ok(()) }
    }

    fn alloc_host(&self, bytes: u64) -> Result<NonNull<u8>, DeviceError> {
        let (driver, size) = (self.enter()?, bytes.max(1) as usize);
        let mut memory: *mut c_void = ptr::null_mut();
        let out_of_memory = || DeviceError::OutOfMemory { bytes, free: None };
        // SAFETY: `memory` is a place for one pointer.
        match unsafe { driver.host_alloc(&raw mut memory, size, 0) } {
            Ok(()) => {}
            Err(failed) if failed.code == OUT_OF_MEMORY => return Err(out_of_memory()),
            Err(failed) => return Err(failed.into()),
        }
        let memory = NonNull::new(memory.cast::<u8>()).ok_or_else(out_of_memory)?;
        // SAFETY: the memory is new, and as large.
        unsafe { memory.write_bytes(0, size) };
        Ok(memory)
    }

    unsafe fn free_host(&self, ptr: NonNull<u8>) -> Result<(), DeviceError> {
        // SAFETY: nobody uses it by the caller's promise; the driver refuses what it has not given.
        unsafe { self.enter()?.host_free(ptr.as_ptr().cast())? };
        Ok(())
    }

    fn load_module(&self, texts: &[(&str, &str)]) -> Result<ModuleId, DeviceError> {
        let calls = || texts.iter().any(|(ptx, _)| has_functions(ptx));
        if self.settings.stack_bytes.is_none() && self.has_stack.get().is_none() && calls() {
            self.set_limit(CUlimit::CU_LIMIT_STACK_SIZE, STACK_BYTES)?;
            let _ = self.has_stack.set(());
        }
        let module = compiled::load(self, self.settings.cache.as_ref(), texts)?;
        let mut handles = self.handles_mut();
        handles.modules.push(module);
        Ok(ModuleId(handles.modules.len() as u32 - 1))
    }

    fn kernel(&self, module: ModuleId, name: &str) -> Result<(KernelId, KernelInfo), DeviceError> {
        let driver = self.enter()?;
        let mut handles = self.handles_mut();
        let Some(module) = handles.modules.get(module.0 as usize) else {
            return Err(DeviceError::Invalid(format!("there is no module {}", module.0)));
        };
        let (kernel, info) = module.kernel(driver, name)?;
        handles.kernels.push(kernel);
        Ok((KernelId(handles.kernels.len() as u32 - 1), info))
    }

    fn variable(&self, module: ModuleId, name: &str) -> Result<(DevicePtr, u64), DeviceError> {
        let driver = self.enter()?;
        let handles = self.handles();
        let Some(module) = handles.modules.get(module.0 as usize) else {
            return Err(DeviceError::Invalid(format!("there is no module {}", module.0)));
        };
        module.variable(driver, name)
    }

    fn cooperative_blocks(&self, kernel: KernelId, threads: u32) -> Result<u64, DeviceError> {
        let driver = self.enter()?;
        let Some(kernel) = self.handles().kernels.get(kernel.0 as usize).copied() else {
            return Err(DeviceError::Invalid(format!("there is no kernel {}", kernel.0)));
        };
        let each = execution::occupancy(driver, kernel, threads)?;
        Ok(each * u64::from(self.cooperative))
    }

    fn attributes(&self, kernel: KernelId) -> Result<KernelAttributes, DeviceError> {
        let driver = self.enter()?;
        let Some(kernel) = self.handles().kernels.get(kernel.0 as usize).copied() else {
            return Err(DeviceError::Invalid(format!("there is no kernel {}", kernel.0)));
        };
        module::attributes(driver, kernel)
    }

    fn launch(
        &self,
        kernel: KernelId,
        request: &LaunchRequest<'_>,
    ) -> Result<LaunchOutcome, DeviceError> {
        let driver = self.enter()?;
        let Some(kernel) = self.handles().kernels.get(kernel.0 as usize).copied() else {
            return Err(DeviceError::Invalid(format!("there is no kernel {}", kernel.0)));
        };
        execution::launch(driver, kernel, request, self.stream(request.queue)?)
    }

    fn create_queue(&self) -> Result<Queue, DeviceError> {
        let driver = self.enter()?;
        let mut stream: CUstream = ptr::null_mut();
        // Without an implicit wait for the default stream: `async` work goes on beside it.
        let flags = CUstream_flags_enum::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: `stream` is a place for one handle.
        unsafe { driver.stream_create(&raw mut stream, flags)? };
        let mut handles = self.handles_mut();
        handles.streams.push(Some(stream));
        Ok(Queue(handles.streams.len() as u32))
    }

    fn destroy_queue(&self, queue: Queue) -> Result<(), DeviceError> {
        self.synchronize(queue)?;
        let Some(index) = (queue.0 as usize).checked_sub(1) else { return Ok(()) };
        let stream = self.handles_mut().streams.get_mut(index).and_then(Option::take);
        if let Some(stream) = stream {
            // SAFETY: taken out of the table, so destroyed once.
            unsafe { self.enter()?.stream_destroy(stream)? };
        }
        Ok(())
    }

    fn synchronize(&self, queue: Queue) -> Result<(), DeviceError> {
        let (driver, stream) = (self.enter()?, self.stream(queue)?);
        // SAFETY: a live stream.
        unsafe { driver.stream_synchronize(stream)? };
        Ok(())
    }

    fn is_idle(&self, queue: Queue) -> Result<bool, DeviceError> {
        let (driver, stream) = (self.enter()?, self.stream(queue)?);
        // SAFETY: a live stream.
        match unsafe { driver.stream_query(stream) } {
            Ok(()) => Ok(true),
            Err(failed) if failed.code == NOT_READY => Ok(false),
            Err(failed) => Err(failed.into()),
        }
    }

    fn record_event(&self, queue: Queue) -> Result<EventId, DeviceError> {
        let event = execution::record(self.enter()?, self.stream(queue)?)?;
        let mut handles = self.handles_mut();
        handles.events.push(Some(event));
        Ok(EventId(handles.events.len() as u32 - 1))
    }

    fn wait_event(&self, queue: Queue, event: EventId) -> Result<(), DeviceError> {
        let (driver, stream, event) = (self.enter()?, self.stream(queue)?, self.event(event)?);
        // SAFETY: live handles.
        unsafe { driver.stream_wait(stream, event, 0)? };
        Ok(())
    }

    fn elapsed(&self, from: EventId, to: EventId) -> Result<Duration, DeviceError> {
        execution::elapsed(self.enter()?, self.event(from)?, self.event(to)?)
    }

    fn destroy_event(&self, event: EventId) -> Result<(), DeviceError> {
        let driver = self.enter()?;
        let handle = self.handles_mut().events.get_mut(event.0 as usize).and_then(Option::take);
        let Some(handle) = handle else {
            return Err(DeviceError::Invalid(format!("there is no event {}", event.0)));
        };
        // SAFETY: taken out of the table, so destroyed once.
        unsafe { driver.event_destroy(handle)? };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_split() {
        assert_eq!(split_version(12_040), (12, 4));
        assert_eq!(split_version(13_000), (13, 0));
        assert_eq!(split_version(-1), (0, 0));
    }

    #[test]
    fn a_machine_without_a_gpu_is_told_why() {
        match CudaDevice::count().and_then(|_| CudaDevice::open(0, CudaSettings::default())) {
            Ok(device) => assert!(device.arch().starts_with("sm_")),
            Err(why) => assert!(why.contains("CUDA"), "{why}"),
        }
    }
}

//! What the runtime asks of a device, and what a device answers.
//!
//! [`Device`] is object-safe and shared between host threads. The `cuda` and the `sim` device
//! answer every question the same way, so nothing above this module knows which one it talks to.

use std::ptr::NonNull;
use std::time::Duration;

use gpuc_arch::PtxVersion;
use gpuc_sim::LaunchReport;

mod code;
pub mod cuda;
mod error;
mod limits;
#[cfg(test)]
pub(crate) mod memory_only;
pub mod sim;

pub use code::ErrorCode;
pub use error::DeviceError;
pub use limits::DeviceLimits;

/// An address in device memory.
pub type DevicePtr = u64;

/// What executes the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    /// A GPU behind the CUDA driver.
    Cuda,
    /// The simulator.
    Sim,
}

impl DeviceKind {
    /// The value of `GPUC_DEVICE` that asks for it.
    pub fn as_str(self) -> &'static str {
        match self {
            DeviceKind::Cuda => "cuda",
            DeviceKind::Sim => "sim",
        }
    }
}

/// An in-order sequence of device operations (a CUDA stream).
///
/// [`Queue::SYNC`] is the one every operation without an `async` clause uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Queue(pub u32);

impl Queue {
    /// The queue of synchronous operations. Copies on it are complete when the call returns;
    /// launches on it are complete after [`Device::synchronize`] or the next copy.
    pub const SYNC: Queue = Queue(0);
}

/// A point in a [`Queue`], made by [`Device::record_event`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EventId(pub u32);

/// A loaded module of one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleId(pub u32);

/// A kernel of a loaded module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelId(pub u32);

/// What a launch must respect about a kernel, as far as the device knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelInfo {
    /// Bytes of shared memory the kernel declares itself.
    pub static_shared_bytes: u64,
    /// Size of the parameter block; `None` where the driver does not tell.
    pub param_bytes: Option<u64>,
    /// Most threads of a block: a `.maxntid`, or what the registers of the device allow.
    pub max_threads: Option<u32>,
    /// The block size of a `.reqntid`.
    pub required_block: Option<[u32; 3]>,
    /// Where each parameter stands in the block of them; `None` where nobody has said.
    pub param_offsets: Option<Box<[u64]>>,
}

/// What a device knows of a kernel that it has loaded (`CUfunction_attribute`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelAttributes {
    /// Most threads of a block.
    pub max_threads: u32,
    /// Registers of a thread; the simulator estimates them.
    pub registers: u32,
    /// Bytes of shared memory the kernel declares itself.
    pub static_shared_bytes: u64,
    /// Bytes of local memory of a thread.
    pub local_bytes: u64,
    /// Capability that the PTX is for: 10 × major + minor.
    pub ptx_version: u32,
    /// Capability that the code is for.
    pub binary_version: u32,
}

/// One kernel launch.
#[derive(Clone, Copy, Debug)]
pub struct LaunchRequest<'a> {
    /// Blocks in x, y and z; none of them 0.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z; none of them 0.
    pub block: [u32; 3],
    /// Shared memory beyond what the kernel declares, in bytes.
    pub dynamic_shared_bytes: u32,
    /// The parameter block: every parameter at its PTX offset.
    pub params: &'a [u8],
    /// A cooperative launch, whose blocks may wait for each other: where each parameter stands in the block of them.
    pub cooperative: Option<&'a [u64]>,
    /// The queue it goes into.
    pub queue: Queue,
    /// Wait for the kernel and return its time; without this, time is not taken.
    pub timed: bool,
    /// Count what the device can count.
    pub counted: bool,
}

/// What a launch tells.
#[derive(Clone, Debug, Default)]
pub struct LaunchOutcome {
    /// Time on the device: measured on a GPU, time of the simulation on the simulator.
    pub time: Option<Duration>,
    /// What the device counted, where it does and was asked to.
    pub report: Option<Box<LaunchReport>>,
}

/// One device.
pub trait Device: Send + Sync {
    /// Name of the model (`NVIDIA H100 PCIe`, `sim`).
    fn name(&self) -> &str;
    /// What executes the kernels.
    fn kind(&self) -> DeviceKind;
    /// Compute capability as PTX names it (`sm_90`).
    fn arch(&self) -> &str;
    /// What a launch must not exceed.
    fn limits(&self) -> &DeviceLimits;
    /// Version of the driver, in words.
    fn driver(&self) -> String;
    /// Newest PTX `.version` that [`Device::load_module`] takes.
    fn newest_ptx(&self) -> PtxVersion;
    /// What checkers have found since this was asked last; nothing where none listens.
    fn take_findings(&self) -> Vec<gpuc_sim::Finding> {
        Vec::new()
    }
    /// Lets kernels see the memory of the host's process at its own addresses. Whether that can be had.
    fn see_host_memory(&self) -> bool {
        false
    }
    /// Whether the host cannot read what is at an address, as it is one that the device has given out.
    fn is_out_of_reach(&self, _address: u64) -> bool {
        false
    }
    /// Free and total device memory in bytes.
    fn memory(&self) -> Result<(u64, u64), DeviceError>;

    /// Allocates `bytes` (at least 1) aligned to 256 bytes. `label` names the variable in reports.
    fn alloc(&self, bytes: u64, label: &str) -> Result<DevicePtr, DeviceError>;
    /// Frees what [`Device::alloc`] returned.
    fn free(&self, ptr: DevicePtr) -> Result<(), DeviceError>;
    /// Copies host memory to the device.
    ///
    /// # Safety
    /// `from` is readable for `bytes` until `queue` has come past this copy.
    unsafe fn copy_to_device(
        &self,
        to: DevicePtr,
        from: *const u8,
        bytes: u64,
        queue: Queue,
    ) -> Result<(), DeviceError>;
    /// Copies device memory to the host.
    ///
    /// # Safety
    /// `to` is writable for `bytes` until `queue` has come past this copy.
    unsafe fn copy_to_host(
        &self,
        to: *mut u8,
        from: DevicePtr,
        bytes: u64,
        queue: Queue,
    ) -> Result<(), DeviceError>;
    /// Copies within device memory; the ranges do not overlap.
    fn copy_on_device(
        &self,
        to: DevicePtr,
        from: DevicePtr,
        bytes: u64,
        queue: Queue,
    ) -> Result<(), DeviceError>;
    /// Sets `bytes` bytes to `value`.
    fn fill(&self, to: DevicePtr, value: u8, bytes: u64, queue: Queue) -> Result<(), DeviceError>;

    /// Allocates zeroed memory of the host that the device reaches without a copy in between, on a page: what is
    /// copied between it and the device in a queue goes on beside the host.
    fn alloc_host(&self, bytes: u64) -> Result<NonNull<u8>, DeviceError>;
    /// Frees what [`Device::alloc_host`] returned.
    ///
    /// # Safety
    /// Nobody uses the memory any more; no copy of it is under way.
    unsafe fn free_host(&self, ptr: NonNull<u8>) -> Result<(), DeviceError>;

    /// Compiles, links and loads PTX texts, each with the name of its source for errors. Kernels are found in the
    /// first one.
    fn load_module(&self, texts: &[(&str, &str)]) -> Result<ModuleId, DeviceError>;
    /// Address and size of a visible `.global` or `.const` variable.
    fn variable(&self, module: ModuleId, name: &str) -> Result<(DevicePtr, u64), DeviceError>;
    /// Finds a kernel. Slow (by name); the result is meant to be kept.
    fn kernel(&self, module: ModuleId, name: &str) -> Result<(KernelId, KernelInfo), DeviceError>;
    /// Blocks of so many threads that the device runs at once of a kernel: the most that a cooperative launch may have; 0 where
    /// there are no such launches.
    fn cooperative_blocks(&self, _kernel: KernelId, _threads: u32) -> Result<u64, DeviceError> {
        Ok(0)
    }
    /// What the device knows of a kernel.
    fn attributes(&self, kernel: KernelId) -> Result<KernelAttributes, DeviceError>;
    /// Launches a kernel whose shape has been checked by [`DeviceLimits::check`].
    fn launch(
        &self,
        kernel: KernelId,
        request: &LaunchRequest<'_>,
    ) -> Result<LaunchOutcome, DeviceError>;

    /// Makes a queue.
    fn create_queue(&self) -> Result<Queue, DeviceError>;
    /// Waits for a queue and releases it; [`Queue::SYNC`] is only waited for.
    fn destroy_queue(&self, queue: Queue) -> Result<(), DeviceError>;
    /// Waits until everything in the queue is done; errors of its kernels come out here.
    fn synchronize(&self, queue: Queue) -> Result<(), DeviceError>;
    /// Whether everything in the queue is done.
    fn is_idle(&self, queue: Queue) -> Result<bool, DeviceError>;
    /// Makes an event at the present end of a queue.
    fn record_event(&self, queue: Queue) -> Result<EventId, DeviceError>;
    /// Lets later operations of `queue` wait for the event.
    fn wait_event(&self, queue: Queue, event: EventId) -> Result<(), DeviceError>;
    /// Time between two events; waits for both.
    fn elapsed(&self, from: EventId, to: EventId) -> Result<Duration, DeviceError>;
    /// Releases an event.
    fn destroy_event(&self, event: EventId) -> Result<(), DeviceError>;
}

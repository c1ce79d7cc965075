//! A device for unit tests: real memory, no execution. Device memory is host memory, so tests can
//! look at it; a module's text is the list of its kernels, and launching one counts it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use gpuc_arch::PtxVersion;

use super::*;

#[derive(Default)]
struct State {
    blocks: BTreeMap<DevicePtr, Box<[u8]>>,
    modules: Vec<Vec<String>>,
    kernels: Vec<String>,
    launches: Vec<String>,
    copies: Vec<(bool, u64)>,
    capacity: Option<u64>,
    queues: u32,
}

/// See the module.
pub(crate) struct MemoryOnly {
    state: Mutex<State>,
    limits: DeviceLimits,
    kind: DeviceKind,
}

impl Default for MemoryOnly {
    fn default() -> Self {
        MemoryOnly {
            state: Mutex::default(),
            limits: DeviceLimits {
                threads_per_block: 1024,
                block: [1024, 1024, 64],
                grid: [0x7fff_ffff, 65535, 65535],
                shared_bytes: 49152,
                param_bytes: 4096,
            },
            kind: DeviceKind::Sim,
        }
    }
}

impl MemoryOnly {
    /// Whether an address lies in what it has allocated.
    fn holds(&self, address: u64) -> bool {
        self.state()
            .blocks
            .iter()
            .any(|(&first, block)| address.wrapping_sub(first) < block.len() as u64)
    }

    /// A device with this much memory, which passes for a GPU.
    pub(crate) fn gpu_with(bytes: u64) -> Self {
        let device = MemoryOnly { kind: DeviceKind::Cuda, ..MemoryOnly::default() };
        device.state().capacity = Some(bytes);
        device
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Number of live allocations.
    pub(crate) fn live(&self) -> usize {
        self.state().blocks.len()
    }

    /// Copies since the last call: whether to the device, and how many bytes.
    pub(crate) fn take_copies(&self) -> Vec<(bool, u64)> {
        std::mem::take(&mut self.state().copies)
    }

    /// Kernels launched so far.
    pub(crate) fn launches(&self) -> Vec<String> {
        self.state().launches.clone()
    }

    fn within(&self, ptr: DevicePtr, bytes: u64) -> Result<*mut u8, DeviceError> {
        let state = self.state();
        state
            .blocks
            .range(..=ptr)
            .next_back()
            .filter(|(start, block)| ptr + bytes <= **start + block.len() as u64)
            .map(|_| ptr as *mut u8)
            .ok_or_else(|| DeviceError::Invalid(format!("no {bytes} bytes at 0x{ptr:x}")))
    }
}

impl Device for MemoryOnly {
    fn name(&self) -> &str {
        "memory"
    }
    fn kind(&self) -> DeviceKind {
        self.kind
    }
    fn arch(&self) -> &str {
        "sm_80"
    }
    fn limits(&self) -> &DeviceLimits {
        &self.limits
    }
    fn driver(&self) -> String {
        "the test device".to_owned()
    }
    fn newest_ptx(&self) -> PtxVersion {
        PtxVersion::new(8, 0)
    }
    fn memory(&self) -> Result<(u64, u64), DeviceError> {
        Ok((1 << 20, 1 << 20))
    }
    fn is_out_of_reach(&self, address: u64) -> bool {
        self.holds(address)
    }
    fn alloc(&self, bytes: u64, _label: &str) -> Result<DevicePtr, DeviceError> {
        let mut state = self.state();
        let used: u64 = state.blocks.values().map(|block| block.len() as u64).sum();
        if let Some(capacity) = state.capacity.filter(|&capacity| used + bytes > capacity) {
            return Err(DeviceError::OutOfMemory { bytes, free: Some(capacity - used) });
        }
        let block = vec![0xaa; bytes as usize].into_boxed_slice();
        let ptr = block.as_ptr() as DevicePtr;
        state.blocks.insert(ptr, block);
        Ok(ptr)
    }
    fn free(&self, ptr: DevicePtr) -> Result<(), DeviceError> {
        let gone = self.state().blocks.remove(&ptr);
        gone.map(drop).ok_or_else(|| DeviceError::Invalid(format!("0x{ptr:x} is not allocated")))
    }
    unsafe fn copy_to_device(
        &self,
        to: DevicePtr,
        from: *const u8,
        bytes: u64,
        _queue: Queue,
    ) -> Result<(), DeviceError> {
        let to = self.within(to, bytes)?;
        self.state().copies.push((true, bytes));
        // SAFETY: `to` is inside a live block, `from` by the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(from, to, bytes as usize) };
        Ok(())
    }
    unsafe fn copy_to_host(
        &self,
        to: *mut u8,
        from: DevicePtr,
        bytes: u64,
        _queue: Queue,
    ) -> Result<(), DeviceError> {
        let from = self.within(from, bytes)?;
        self.state().copies.push((false, bytes));
        // SAFETY: `from` is inside a live block, `to` by the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(from, to, bytes as usize) };
        Ok(())
    }
    fn copy_on_device(
        &self,
        to: DevicePtr,
        from: DevicePtr,
        bytes: u64,
        _queue: Queue,
    ) -> Result<(), DeviceError> {
        let (to, from) = (self.within(to, bytes)?, self.within(from, bytes)?);
        // SAFETY: both are inside live blocks.
        unsafe { std::ptr::copy(from, to, bytes as usize) };
        Ok(())
    }
    fn fill(&self, to: DevicePtr, value: u8, bytes: u64, _queue: Queue) -> Result<(), DeviceError> {
        // SAFETY: inside a live block.
        unsafe { std::ptr::write_bytes(self.within(to, bytes)?, value, bytes as usize) };
        Ok(())
    }
    fn load_module(&self, texts: &[(&str, &str)]) -> Result<ModuleId, DeviceError> {
        let ptx = texts.first().map_or("", |(ptx, _)| ptx);
        let mut state = self.state();
        state.modules.push(ptx.lines().map(str::to_owned).collect());
        Ok(ModuleId(state.modules.len() as u32 - 1))
    }
    fn alloc_host(&self, bytes: u64) -> Result<NonNull<u8>, DeviceError> {
        Err(DeviceError::OutOfMemory { bytes, free: Some(0) })
    }
    unsafe fn free_host(&self, ptr: NonNull<u8>) -> Result<(), DeviceError> {
        Err(DeviceError::Invalid(format!("{ptr:p} is not allocated")))
    }
    fn variable(&self, _module: ModuleId, name: &str) -> Result<(DevicePtr, u64), DeviceError> {
        Err(DeviceError::NoVariable { name: name.to_owned() })
    }
    fn attributes(&self, _kernel: KernelId) -> Result<KernelAttributes, DeviceError> {
        Ok(KernelAttributes::default())
    }
    fn kernel(&self, module: ModuleId, name: &str) -> Result<(KernelId, KernelInfo), DeviceError> {
        let mut state = self.state();
        let known = state.modules[module.0 as usize].clone();
        if !known.iter().any(|kernel| kernel == name) {
            return Err(DeviceError::NoKernel { name: name.to_owned(), known });
        }
        state.kernels.push(name.to_owned());
        Ok((KernelId(state.kernels.len() as u32 - 1), KernelInfo::default()))
    }
    fn cooperative_blocks(&self, _kernel: KernelId, threads: u32) -> Result<u64, DeviceError> {
        Ok(u64::from(2048 / threads))
    }
    fn launch(
        &self,
        kernel: KernelId,
        _request: &LaunchRequest<'_>,
    ) -> Result<LaunchOutcome, DeviceError> {
        let mut state = self.state();
        let name = state.kernels[kernel.0 as usize].clone();
        state.launches.push(name);
        Ok(LaunchOutcome { time: Some(Duration::from_micros(5)), report: None })
    }
    fn create_queue(&self) -> Result<Queue, DeviceError> {
        let mut state = self.state();
        state.queues += 1;
        Ok(Queue(state.queues))
    }
    fn destroy_queue(&self, _queue: Queue) -> Result<(), DeviceError> {
        Ok(())
    }
    fn synchronize(&self, _queue: Queue) -> Result<(), DeviceError> {
        Ok(())
    }
    fn is_idle(&self, _queue: Queue) -> Result<bool, DeviceError> {
        Ok(true)
    }
    fn record_event(&self, _queue: Queue) -> Result<EventId, DeviceError> {
        Ok(EventId(0))
    }
    fn wait_event(&self, _queue: Queue, _event: EventId) -> Result<(), DeviceError> {
        Ok(())
    }
    fn elapsed(&self, _from: EventId, _to: EventId) -> Result<Duration, DeviceError> {
        Ok(Duration::ZERO)
    }
    fn destroy_event(&self, _event: EventId) -> Result<(), DeviceError> {
        Ok(())
    }
}

//! The simulator as a device.

mod output;
mod pinned;
mod queues;

use std::collections::{BTreeMap, HashMap};
use std::ptr::NonNull;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use gpuc_arch::{Arch, PtxVersion};
use gpuc_diagnostics::Diagnostic;
use gpuc_sim::{
    Assembled, Checks, Counters, Fault, FaultKind, Finding, Kernel, Launch, LaunchError, Module,
    Progress, ProgressLine, SimError, Simulator, Watch, assemble,
};

use self::pinned::Pinned;
use self::queues::Queues;
use super::{
    Device, DeviceError, DeviceKind, DeviceLimits, DevicePtr, ErrorCode, EventId, KernelAttributes,
    KernelId, KernelInfo, LaunchOutcome, LaunchRequest, ModuleId, Queue,
};
use crate::interrupt::Running;

/// How the simulator runs kernels.
#[derive(Clone, Copy, Debug, Default)]
pub struct SimSettings {
    /// What it checks.
    pub checks: Checks,
    /// Warp instructions after which a launch is stopped.
    pub budget: Option<u64>,
    /// Time after which a launch is stopped.
    pub time_limit: Option<Duration>,
    /// Approximate functions are off by as much as PTX allows.
    pub worst_approximations: bool,
    /// Bytes for `malloc` in kernels; as many as a GPU has by default if `None`.
    pub heap_bytes: Option<u64>,
    /// Whether it tells how far a long launch is; on terminals alone if `None`.
    pub progress: Option<bool>,
}

/// One simulated GPU.
///
/// Operations of [`Queue::SYNC`] are complete when their call returns; those of other queues are
/// carried out when somebody waits ([`queues`]).
pub struct SimDevice {
    simulator: Arc<Simulator>,
    arch: &'static Arch,
    limits: DeviceLimits,
    settings: SimSettings,
    /// Asked for once: the answer costs more than an empty launch.
    threads: Option<usize>,
    tables: RwLock<Tables>,
    queues: Queues,
    pinned: Pinned,
}

/// Host memory of a transfer, valid until its queue has come past it.
struct HostMemory(*mut u8);

// SAFETY: whoever asks for the transfer promises that the memory is there, from whichever thread.
unsafe impl Send for HostMemory {}

/// A kernel that has been looked up.
struct KernelHandle {
    module: Arc<LoadedModule>,
    name: Box<str>,
    /// Launches profiled, by grid and block.
    profiled: Mutex<HashMap<Shape, u32>>,
}

/// Grid and block.
type Shape = ([u32; 3], [u32; 3]);

/// Launches of one shape that are profiled; later ones are counted only.
const PROFILED: u32 = 3;

struct LoadedModule {
    module: Module,
    text: Box<str>,
    /// What ptxas says, asked when it is first wanted.
    assembled: OnceLock<BTreeMap<String, Assembled>>,
}

#[derive(Default)]
struct Tables {
    modules: Vec<Arc<LoadedModule>>,
    kernels: Vec<Arc<KernelHandle>>,
}

impl SimDevice {
    /// A device of this architecture, with empty memory.
    pub fn new(arch: &'static Arch) -> SimDevice {
        SimDevice::with(arch, SimSettings::default(), 0)
    }

    /// The device of that number.
    pub fn with(arch: &'static Arch, settings: SimSettings, number: u32) -> SimDevice {
        let limits = DeviceLimits {
            threads_per_block: arch.limits.max_threads_per_block,
            block: arch.limits.max_block,
            grid: arch.limits.max_grid,
            shared_bytes: u64::from(arch.limits.shared_per_block_optin),
            param_bytes: u64::from(arch.limits.max_param_bytes),
        };
        let simulator = Simulator::numbered(arch, settings.checks, number);
        let simulator = match settings.heap_bytes {
            Some(bytes) => simulator.with_heap(bytes),
            None => simulator,
        };
        SimDevice {
            simulator: Arc::new(simulator),
            arch,
            limits,
            settings,
            threads: std::thread::available_parallelism().ok().map(usize::from),
            tables: RwLock::default(),
            queues: Queues::default(),
            pinned: Pinned::default(),
        }
    }

    // A poisoned lock still guards whole tables: they only ever grow or lose one entry.
    fn read<T>(&self, action: impl FnOnce(&Tables) -> T) -> T {
        action(&self.tables.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T>(&self, action: impl FnOnce(&mut Tables) -> T) -> T {
        action(&mut self.tables.write().unwrap_or_else(PoisonError::into_inner))
    }

    fn module(&self, module: ModuleId) -> Result<Arc<LoadedModule>, DeviceError> {
        self.read(|tables| tables.modules.get(module.0 as usize).cloned())
            .ok_or_else(|| DeviceError::Invalid(format!("there is no module {}", module.0)))
    }

    fn handle(&self, kernel: KernelId) -> Result<Arc<KernelHandle>, DeviceError> {
        self.read(|tables| tables.kernels.get(kernel.0 as usize).cloned())
            .ok_or_else(|| DeviceError::Invalid(format!("there is no kernel {}", kernel.0)))
    }

    /// Most threads of a block. A driver always has an answer: the launch bounds, or what the device allows.
    fn max_threads(&self, kernel: &Kernel) -> u32 {
        let most = self.limits.threads_per_block;
        kernel.max_threads().unwrap_or(most).min(most)
    }

    /// What to count in a launch, and what ptxas says of its kernel, if it can be asked.
    fn count(&self, kernel: &KernelHandle, shape: Shape) -> (Counters, Assembled) {
        let mut profiled = kernel.profiled.lock().unwrap_or_else(PoisonError::into_inner);
        let count = profiled.entry(shape).or_default();
        if *count == PROFILED {
            return (Counters::All, Assembled::default());
        }
        *count += 1;
        let LoadedModule { text, assembled, .. } = &*kernel.module;
        let assembled = assembled.get_or_init(|| assemble(text, self.arch));
        (Counters::Profile, assembled.get(&*kernel.name).cloned().unwrap_or_default())
    }
}

impl From<SimError> for DeviceError {
    fn from(error: SimError) -> Self {
        match error {
            SimError::OutOfMemory { requested, used, total, .. } => DeviceError::OutOfMemory {
                bytes: requested,
                free: Some(total.saturating_sub(used)),
            },
            other => DeviceError::Invalid(other.to_string()),
        }
    }
}

impl Device for SimDevice {
    fn name(&self) -> &str {
        "sim"
    }

    fn kind(&self) -> DeviceKind {
        DeviceKind::Sim
    }

    fn arch(&self) -> &str {
        self.arch.name
    }

    fn limits(&self) -> &DeviceLimits {
        &self.limits
    }

    fn driver(&self) -> String {
        format!("the gpuc simulator {}", env!("CARGO_PKG_VERSION"))
    }

    fn newest_ptx(&self) -> PtxVersion {
        // The reader checks instructions one by one; a version by itself asks for nothing.
        PtxVersion::new(9, u8::MAX)
    }

    fn take_findings(&self) -> Vec<Finding> {
        self.simulator.take_findings()
    }

    fn see_host_memory(&self) -> bool {
        self.simulator.see_host_memory()
    }

    fn memory(&self) -> Result<(u64, u64), DeviceError> {
        let (used, total) = self.simulator.memory_info();
        Ok((total.saturating_sub(used), total))
    }

    fn is_out_of_reach(&self, address: u64) -> bool {
        self.simulator.has_given(address)
    }

    fn alloc(&self, bytes: u64, label: &str) -> Result<DevicePtr, DeviceError> {
        Ok(self.simulator.alloc(bytes, label)?)
    }

    fn free(&self, ptr: DevicePtr) -> Result<(), DeviceError> {
        Ok(self.simulator.free(ptr)?)
    }

    unsafe fn copy_to_device(
        &self,
        to: DevicePtr,
        from: *const u8,
        bytes: u64,
        queue: Queue,
    ) -> Result<(), DeviceError> {
        let (simulator, from) = (Arc::clone(&self.simulator), HostMemory(from.cast_mut()));
        // A GPU has read pageable memory before the call returns where nothing is in its way.
        let at_once = self.queues.is_empty(queue) && !self.pinned.holds(from.0);
        let queue = if at_once { Queue::SYNC } else { queue };
        self.queues.put(queue, move || {
            let HostMemory(from) = { from };
            // SAFETY: readable by the caller's promise.
            let from = unsafe { std::slice::from_raw_parts(from, bytes as usize) };
            Ok(simulator.write(to, from)?)
        })
    }

    unsafe fn copy_to_host(
        &self,
        to: *mut u8,
        from: DevicePtr,
        bytes: u64,
        queue: Queue,
    ) -> Result<(), DeviceError> {
        let (simulator, to) = (Arc::clone(&self.simulator), HostMemory(to));
        self.queues.put(queue, move || {
            let HostMemory(to) = { to };
            // SAFETY: writable by the caller's promise.
            let to = unsafe { std::slice::from_raw_parts_mut(to, bytes as usize) };
            Ok(simulator.read(from, to)?)
        })
    }

    fn copy_on_device(
        &self,
        to: DevicePtr,
        from: DevicePtr,
        bytes: u64,
        queue: Queue,
    ) -> Result<(), DeviceError> {
        let simulator = Arc::clone(&self.simulator);
        self.queues.put(queue, move || Ok(simulator.copy(from, to, bytes)?))
    }

    fn fill(&self, to: DevicePtr, value: u8, bytes: u64, queue: Queue) -> Result<(), DeviceError> {
        let simulator = Arc::clone(&self.simulator);
        self.queues.put(queue, move || Ok(simulator.fill(to, value, bytes)?))
    }

    fn alloc_host(&self, bytes: u64) -> Result<NonNull<u8>, DeviceError> {
        self.pinned.alloc(bytes)
    }

    unsafe fn free_host(&self, ptr: NonNull<u8>) -> Result<(), DeviceError> {
        // SAFETY: nobody uses it by the caller's promise.
        unsafe { self.pinned.free(ptr) }
    }

    fn load_module(&self, texts: &[(&str, &str)]) -> Result<ModuleId, DeviceError> {
        let named: Vec<(&str, String)> =
            texts.iter().map(|&(ptx, source)| (ptx, format!("{source} (PTX)"))).collect();
        let named: Vec<(&str, &str)> =
            named.iter().map(|(ptx, name)| (*ptx, name.as_str())).collect();
        let module = Module::link(&named).map_err(DeviceError::Ptx)?;
        Ok(self.write(|tables| {
            // Of several texts ptxas would want all.
            let text = if let [(ptx, _)] = texts { *ptx } else { "" }.into();
            let loaded = LoadedModule { module, text, assembled: OnceLock::new() };
            tables.modules.push(Arc::new(loaded));
            ModuleId(tables.modules.len() as u32 - 1)
        }))
    }

    fn kernel(&self, module: ModuleId, name: &str) -> Result<(KernelId, KernelInfo), DeviceError> {
        let module = self.module(module)?;
        let Some(kernel) = module.module.kernel(name) else {
            let known = module.module.kernels().map(|kernel| kernel.name().to_owned()).collect();
            return Err(DeviceError::NoKernel { name: name.to_owned(), known });
        };
        if !kernel.refusals().is_empty() {
            return Err(DeviceError::Ptx(kernel.refusals().to_vec()));
        }
        let max_threads = self.max_threads(kernel);
        let info = KernelInfo {
            static_shared_bytes: kernel.static_shared_bytes() as u64,
            param_bytes: Some(kernel.param_bytes() as u64),
            max_threads: Some(max_threads),
            required_block: kernel.required_block(),
            param_offsets: None,
        };
        let handle = Arc::new(KernelHandle {
            module: Arc::clone(&module),
            name: name.into(),
            profiled: Mutex::default(),
        });
        let id = self.write(|tables| {
            tables.kernels.push(handle);
            KernelId(tables.kernels.len() as u32 - 1)
        });
        Ok((id, info))
    }

    fn cooperative_blocks(&self, kernel: KernelId, threads: u32) -> Result<u64, DeviceError> {
        let handle = self.handle(kernel)?;
        let kernel = handle.module.module.kernel(&handle.name);
        let blocks = |kernel| self.simulator.cooperative_blocks(kernel, threads, 0, None);
        Ok(kernel.map_or(0, blocks))
    }

    fn variable(&self, module: ModuleId, name: &str) -> Result<(DevicePtr, u64), DeviceError> {
        let module = self.module(module)?;
        let found = self.simulator.variable(&module.module, name)?;
        found.ok_or_else(|| DeviceError::NoVariable { name: name.to_owned() })
    }

    fn attributes(&self, kernel: KernelId) -> Result<KernelAttributes, DeviceError> {
        let handle = self.handle(kernel)?;
        let module = &handle.module.module;
        let Some(kernel) = module.kernel(&handle.name) else {
            return Err(DeviceError::Invalid(format!("there is no kernel {}", kernel.0)));
        };
        let target = module.target().map(|target| target.trim_end_matches(['a', 'f']));
        let of_text = target.and_then(Arch::by_name).unwrap_or(self.arch);
        Ok(KernelAttributes {
            max_threads: self.max_threads(kernel),
            registers: kernel.estimated_registers(),
            static_shared_bytes: kernel.static_shared_bytes() as u64,
            local_bytes: kernel.local_bytes() as u64,
            ptx_version: of_text.number,
            binary_version: self.arch.number,
        })
    }

    fn launch(
        &self,
        kernel: KernelId,
        request: &LaunchRequest<'_>,
    ) -> Result<LaunchOutcome, DeviceError> {
        let handle = self.handle(kernel)?;
        if request.queue != Queue::SYNC && !request.timed && !request.counted {
            let (simulator, threads, settings) =
                (Arc::clone(&self.simulator), self.threads, self.settings);
            let params = request.params.to_vec();
            // Where parameters stand, nobody asks here.
            let cooperative = request.cooperative.map(|_| &[][..]);
            let request = LaunchRequest { params: &[], cooperative, ..*request };
            return self
                .queues
                .put(request.queue, move || {
                    let request = LaunchRequest { params: &params, ..request };
                    let counted = (Counters::Off, Assembled::default());
                    run(&simulator, settings, &handle, &request, threads, counted).map(drop)
                })
                .map(|()| LaunchOutcome::default());
        }
        let counted = match request.counted {
            true => self.count(&handle, (request.grid, request.block)),
            false => (Counters::Off, Assembled::default()),
        };
        self.queues.now(request.queue, || {
            run(&self.simulator, self.settings, &handle, request, self.threads, counted)
        })
    }

    fn create_queue(&self) -> Result<Queue, DeviceError> {
        Ok(self.queues.create())
    }

    fn destroy_queue(&self, queue: Queue) -> Result<(), DeviceError> {
        self.queues.destroy(queue)
    }

    fn synchronize(&self, queue: Queue) -> Result<(), DeviceError> {
        self.queues.finish(queue)
    }

    fn is_idle(&self, queue: Queue) -> Result<bool, DeviceError> {
        self.queues.advance(queue)
    }

    fn record_event(&self, queue: Queue) -> Result<EventId, DeviceError> {
        self.queues.record(queue)
    }

    fn wait_event(&self, queue: Queue, event: EventId) -> Result<(), DeviceError> {
        self.queues.wait(queue, event)
    }

    fn elapsed(&self, from: EventId, to: EventId) -> Result<Duration, DeviceError> {
        let from = self.queues.reach(from)?;
        Ok(self.queues.reach(to)?.saturating_duration_since(from))
    }

    fn destroy_event(&self, event: EventId) -> Result<(), DeviceError> {
        self.queues.forget(event)
    }
}

/// Runs a kernel to its end.
fn run(
    simulator: &Simulator,
    settings: SimSettings,
    kernel: &KernelHandle,
    request: &LaunchRequest<'_>,
    threads: Option<usize>,
    (counters, assembled): (Counters, Assembled),
) -> Result<LaunchOutcome, DeviceError> {
    let running = Running::begin();
    let line = ProgressLine::default();
    let tell = |progress: &Progress<'_>| line.show(progress);
    let watch = Watch { after: ProgressLine::AFTER, every: line.every(), tell: &tell };
    let printed = Mutex::new(Vec::new());
    let launch = Launch {
        output: Some(&printed),
        grid: request.grid,
        block: request.block,
        cooperative: request.cooperative.is_some(),
        dynamic_shared_bytes: request.dynamic_shared_bytes,
        params: request.params,
        counters,
        registers: assembled.registers,
        threads,
        worst_approximations: settings.worst_approximations,
        instruction_budget: settings.budget,
        time_limit: settings.time_limit,
        interrupt: Some(running.flag()),
        watch: settings.progress.unwrap_or(line.is_terminal()).then_some(watch),
        ..Launch::default()
    };
    let result = simulator.launch(&kernel.module.module, &kernel.name, &launch);
    drop(line);
    output::write(&printed);
    match result {
        // It came between the last block and here, and must not be lost.
        Ok(_) if running.flag().load(Ordering::Relaxed) => {
            let message = Diagnostic::error("interrupted");
            let diagnostic = Box::new(message.help(format!("behind kernel `{}`", kernel.name)));
            Err(DeviceError::Fault { code: ErrorCode::LAUNCH_TIMEOUT, diagnostic })
        }
        Ok(mut report) => {
            report.sass = assembled.sass;
            Ok(LaunchOutcome {
                time: request.timed.then_some(report.wall),
                report: request.counted.then(|| Box::new(report)),
            })
        }
        Err(LaunchError::Fault(fault)) => {
            let diagnostic = Box::new(fault.diagnostic());
            Err(DeviceError::Fault { code: code_of(&fault), diagnostic })
        }
        Err(LaunchError::Memory(error)) => Err(error.into()),
        Err(LaunchError::Refused { reasons, .. }) => Err(DeviceError::Ptx(reasons)),
        Err(other) => Err(DeviceError::Invalid(other.to_string())),
    }
}

/// What a GPU calls a fault.
fn code_of(fault: &Fault) -> ErrorCode {
    match fault.kind {
        FaultKind::OutOfBounds(_) | FaultKind::Null(_) | FaultKind::InvalidFree => {
            ErrorCode::ILLEGAL_ADDRESS
        }
        FaultKind::Misaligned(_) => ErrorCode::MISALIGNED_ADDRESS,
        FaultKind::Assert => ErrorCode::ASSERT,
        FaultKind::StackOverflow => ErrorCode::HARDWARE_STACK_ERROR,
        FaultKind::CallTarget | FaultKind::BranchIndex => ErrorCode::INVALID_PC,
        FaultKind::Deadlock
        | FaultKind::Budget
        | FaultKind::TimeLimit
        | FaultKind::Interrupted
        | FaultKind::EndlessLoop => ErrorCode::LAUNCH_TIMEOUT,
        FaultKind::BarrierDivergence
        | FaultKind::BarrierNumber
        | FaultKind::MemoryBarrier
        | FaultKind::Trap
        | FaultKind::Image
        | FaultKind::Refused => ErrorCode::LAUNCH_FAILED,
    }
}

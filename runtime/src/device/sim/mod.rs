//! The simulator as a device.

mod output;
mod queues;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use gpuc_arch::{Arch, PtxVersion};
use gpuc_diagnostics::Diagnostic;
use gpuc_sim::{
    Checks, Counters, Finding, Launch, LaunchError, Module, Progress, ProgressLine, SimError,
    Simulator, Watch, ptxas_registers,
};

use self::queues::Queues;
use super::{
    Device, DeviceError, DeviceKind, DevicePtr, EventId, KernelId, KernelInfo, LaunchOutcome,
    LaunchRequest, Limits, ModuleId, Queue,
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
    limits: Limits,
    settings: SimSettings,
    /// Asked for once: the answer costs more than an empty launch.
    threads: Option<usize>,
    tables: RwLock<Tables>,
    queues: Queues,
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
    registers: OnceLock<BTreeMap<String, u32>>,
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
        let limits = Limits {
            threads_per_block: arch.limits.max_threads_per_block,
            block: arch.limits.max_block,
            grid: arch.limits.max_grid,
            shared_bytes: u64::from(arch.limits.shared_per_block_optin),
            param_bytes: u64::from(arch.limits.max_param_bytes),
        };
        SimDevice {
            simulator: Arc::new(Simulator::numbered(arch, settings.checks, number)),
            arch,
            limits,
            settings,
            threads: std::thread::available_parallelism().ok().map(usize::from),
            tables: RwLock::default(),
            queues: Queues::default(),
        }
    }

    // A poisoned lock still guards whole tables: they only ever grow or lose one entry.
    fn read<T>(&self, action: impl FnOnce(&Tables) -> T) -> T {
        action(&self.tables.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T>(&self, action: impl FnOnce(&mut Tables) -> T) -> T {
        action(&mut self.tables.write().unwrap_or_else(PoisonError::into_inner))
    }
    /// What to count in a launch, and the registers of its kernel if ptxas can be asked.
    fn count(&self, kernel: &KernelHandle, shape: Shape) -> (Counters, Option<u32>) {
        let mut profiled = kernel.profiled.lock().unwrap_or_else(PoisonError::into_inner);
        let count = profiled.entry(shape).or_default();
        if *count == PROFILED {
            return (Counters::All, None);
        }
        *count += 1;
        let LoadedModule { text, registers, .. } = &*kernel.module;
        let registers = registers.get_or_init(|| ptxas_registers(text, self.arch));
        (Counters::Profile, registers.get(&*kernel.name).copied())
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

    fn limits(&self) -> &Limits {
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
        // A GPU has read the host's memory before the call returns where nothing is in its way.
        let queue = if self.queues.is_empty(queue) { Queue::SYNC } else { queue };
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

    fn load_module(&self, texts: &[(&str, &str)]) -> Result<ModuleId, DeviceError> {
        let named: Vec<(&str, String)> =
            texts.iter().map(|&(ptx, source)| (ptx, format!("{source} (PTX)"))).collect();
        let named: Vec<(&str, &str)> =
            named.iter().map(|(ptx, name)| (*ptx, name.as_str())).collect();
        let module = Module::link(&named).map_err(DeviceError::Ptx)?;
        Ok(self.write(|tables| {
            // Of several texts ptxas would want all.
            let text = if let [(ptx, _)] = texts { *ptx } else { "" }.into();
            let loaded = LoadedModule { module, text, registers: OnceLock::new() };
            tables.modules.push(Arc::new(loaded));
            ModuleId(tables.modules.len() as u32 - 1)
        }))
    }

    fn kernel(&self, module: ModuleId, name: &str) -> Result<(KernelId, KernelInfo), DeviceError> {
        let Some(module) = self.read(|tables| tables.modules.get(module.0 as usize).cloned())
        else {
            return Err(DeviceError::Invalid(format!("there is no module {}", module.0)));
        };
        let Some(kernel) = module.module.kernel(name) else {
            let known = module.module.kernels().map(|kernel| kernel.name().to_owned()).collect();
            return Err(DeviceError::NoKernel { name: name.to_owned(), known });
        };
        if !kernel.refusals().is_empty() {
            return Err(DeviceError::Ptx(kernel.refusals().to_vec()));
        }
        // A driver always has an answer: the launch bounds, or what the device allows.
        let required = kernel.required_block().map(|block| block.iter().product());
        let most = self.limits.threads_per_block;
        let max_threads = kernel.max_threads().or(required).unwrap_or(most).min(most);
        let info = KernelInfo {
            static_shared_bytes: kernel.static_shared_bytes() as u64,
            param_bytes: Some(kernel.param_bytes() as u64),
            max_threads: Some(max_threads),
            required_block: kernel.required_block(),
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

    fn launch(
        &self,
        kernel: KernelId,
        request: &LaunchRequest<'_>,
    ) -> Result<LaunchOutcome, DeviceError> {
        let Some(handle) = self.read(|tables| tables.kernels.get(kernel.0 as usize).cloned())
        else {
            return Err(DeviceError::Invalid(format!("there is no kernel {}", kernel.0)));
        };
        if request.queue != Queue::SYNC && !request.timed && !request.counted {
            let (simulator, threads, settings) =
                (Arc::clone(&self.simulator), self.threads, self.settings);
            let (params, request) =
                (request.params.to_vec(), LaunchRequest { params: &[], ..*request });
            return self
                .queues
                .put(request.queue, move || {
                    let request = LaunchRequest { params: &params, ..request };
                    let counted = (Counters::Off, None);
                    run(&simulator, settings, &handle, &request, threads, counted).map(drop)
                })
                .map(|()| LaunchOutcome::default());
        }
        let counted = match request.counted {
            true => self.count(&handle, (request.grid, request.block)),
            false => (Counters::Off, None),
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
    (counters, registers): (Counters, Option<u32>),
) -> Result<LaunchOutcome, DeviceError> {
    let running = Running::new();
    let line = ProgressLine::default();
    let tell = |progress: &Progress<'_>| line.show(progress);
    let watch = Watch { after: ProgressLine::AFTER, every: line.every(), tell: &tell };
    let printed = Mutex::new(Vec::new());
    let launch = Launch {
        output: Some(&printed),
        grid: request.grid,
        block: request.block,
        dynamic_shared_bytes: request.dynamic_shared_bytes,
        params: request.params,
        counters,
        registers,
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
            Err(DeviceError::Fault(Box::new(
                message.help(format!("behind kernel `{}`", kernel.name)),
            )))
        }
        Ok(report) => Ok(LaunchOutcome {
            time: request.timed.then_some(report.wall),
            report: request.counted.then(|| Box::new(report)),
        }),
        Err(LaunchError::Fault(fault)) => Err(DeviceError::Fault(Box::new(fault.diagnostic()))),
        Err(LaunchError::Memory(error)) => Err(error.into()),
        Err(LaunchError::Refused { reasons, .. }) => Err(DeviceError::Ptx(reasons)),
        Err(other) => Err(DeviceError::Invalid(other.to_string())),
    }
}

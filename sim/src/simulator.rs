//! The device: memory, modules and launches.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use gpuc_arch::Arch;

use crate::check::{self, Checks, Context, Finding, FindingKind, InitializedBytes, Log, Variable};
use crate::counters::{CounterSet, Counters, SiteCounts};
use crate::device_heap::DeviceHeap;
use crate::device_memory::DeviceMemory;
use crate::exec::{
    Crew, Environment, Limits, Nobody, Output, Plan, Probe, Row, Services, SiteCounter, Worker,
    processors,
};
use crate::fault::{Fault, LaunchError, SimError};
use crate::module::{Kernel, Module};
use crate::program::{Initial, Op, Special};

/// An address on the device.
pub type DevicePtr = u64;

/// One simulated device.
///
/// All functions take `&self`: a device is shared between threads, and launches may run at the same
/// time (their kernels then race as they would on a device).
#[derive(Debug)]
pub struct Simulator {
    arch: &'static Arch,
    memory: DeviceMemory,
    heap: DeviceHeap,
    /// Addresses of the variables of every module launched so far, by the module's number.
    modules: Mutex<HashMap<u64, Arc<[u64]>>>,
    checks: Checks,
    findings: Mutex<Vec<Finding>>,
    /// For initcheck: what was written.
    initialized: Mutex<InitializedBytes>,
}

/// What to launch a kernel with.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Shared memory beyond what the kernel declares, in bytes.
    pub dynamic_shared_bytes: u32,
    /// The parameter block, laid out as [`Kernel::params`] says.
    pub params: &'a [u8],
    /// What to count.
    pub counters: Counters,
    /// Host threads to run on; as many as there are processors if `None`.
    pub threads: Option<usize>,
    /// Warp instructions after which the launch is stopped with a fault.
    pub instruction_budget: Option<u64>,
    /// Host time after which the launch is stopped with a fault.
    pub time_limit: Option<Duration>,
    /// Becomes true when the launch shall stop with a fault, from another thread or a signal handler.
    pub interrupt: Option<&'a AtomicBool>,
    /// Where `printf` of the kernel goes, in the order of the blocks, when the launch ends; the
    /// process's standard output if `None`.
    pub output: Option<&'a Mutex<Vec<u8>>>,
}

impl Default for Launch<'_> {
    fn default() -> Self {
        Launch {
            grid: [1; 3],
            block: [1; 3],
            dynamic_shared_bytes: 0,
            params: &[],
            counters: Counters::Off,
            threads: None,
            instruction_budget: None,
            time_limit: None,
            interrupt: None,
            output: None,
        }
    }
}

/// What a launch did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaunchReport {
    /// The counters; all zero with [`Counters::Off`].
    pub counters: CounterSet,
    /// Counts per C line, in order of file and line; empty with [`Counters::Off`].
    pub lines: Vec<LineCounts>,
    /// Warp instructions executed, counted in any case. A point where lanes reconverge counts one.
    pub warp_instructions: u64,
    /// Host time from start to end.
    pub wall: Duration,
}

/// Counts of the instructions that belong to one source line.
#[derive(Clone, Debug, PartialEq)]
pub struct LineCounts {
    /// The source file.
    pub file: Arc<str>,
    /// The line.
    pub line: u32,
    /// Warp instructions.
    pub warp_instructions: u64,
    /// Sectors of global memory.
    pub global_sectors: u64,
    /// Requests to global memory.
    pub global_requests: u64,
    /// Shared-memory bank conflicts.
    pub bank_conflicts: u64,
    /// Divergent branches.
    pub divergent_branches: u64,
}

impl Simulator {
    /// A device of the given compute capability, with the memory of its reference chip.
    pub fn new(arch: &'static Arch) -> Simulator {
        Simulator::checked(arch, Checks::default())
    }

    /// A device whose kernels run under checkers: on one host thread, so that the findings are the
    /// same every time.
    pub fn checked(arch: &'static Arch, checks: Checks) -> Simulator {
        Simulator {
            arch,
            memory: DeviceMemory::new(arch.chip.dram_bytes),
            heap: DeviceHeap::default(),
            modules: Mutex::new(HashMap::new()),
            checks,
            findings: Mutex::default(),
            initialized: Mutex::default(),
        }
    }

    /// What the checkers have found since this was asked last, in order. A fault that ended a kernel
    /// is among it.
    pub fn take_findings(&self) -> Vec<Finding> {
        std::mem::take(&mut *self.findings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Allocations that are still there, but for the variables of modules: leaks, at the end of a
    /// program. Empty without memcheck.
    pub fn leaks(&self) -> Vec<Finding> {
        if !self.checks.memcheck {
            return Vec::new();
        }
        let modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let is_variable = |base| modules.values().any(|addresses| addresses.contains(&base));
        let live = self.memory.live();
        let leaked =
            live.into_iter().filter(|&(base, ..)| !is_variable(base) && !self.heap.is_at(base));
        leaked
            .map(|(base, size, label)| Finding {
                kind: FindingKind::Leak,
                kernel: "".into(),
                space: "global",
                address: base,
                bytes: 0,
                variable: Some(Variable { name: label, size, offset: 0, element: 0 }),
                side: None,
                other: None,
                detail: String::new(),
                count: 1,
            })
            .collect()
    }

    /// Tells initcheck of what the host does.
    fn initialized(&self, change: impl FnOnce(&mut InitializedBytes)) {
        if self.checks.initcheck {
            change(&mut self.initialized.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// The compute capability.
    pub fn arch(&self) -> &'static Arch {
        self.arch
    }

    /// Bytes of device memory: in use, and altogether.
    pub fn memory_info(&self) -> (u64, u64) {
        (self.memory.used(), self.memory.total())
    }

    /// Allocates zeroed device memory; `label` names the variable in reports.
    ///
    /// # Errors
    /// The device or the host has not so much memory.
    pub fn alloc(&self, bytes: u64, label: &str) -> Result<DevicePtr, SimError> {
        let base = self.memory.alloc(bytes, label)?;
        self.initialized(|bits| bits.allocate(base, bytes));
        Ok(base)
    }

    /// Frees an allocation. Its addresses are not used again.
    ///
    /// # Errors
    /// `ptr` is not the start of an allocation.
    pub fn free(&self, ptr: DevicePtr) -> Result<(), SimError> {
        self.memory.free(ptr)?;
        self.initialized(|bits| bits.free(ptr));
        Ok(())
    }

    /// Copies from the device.
    ///
    /// # Errors
    /// The bytes are not inside one allocation.
    pub fn read(&self, ptr: DevicePtr, into: &mut [u8]) -> Result<(), SimError> {
        self.memory.read(ptr, into)
    }

    /// Copies to the device.
    ///
    /// # Errors
    /// The bytes are not inside one allocation.
    pub fn write(&self, ptr: DevicePtr, from: &[u8]) -> Result<(), SimError> {
        self.memory.write(ptr, from)?;
        self.initialized(|bits| bits.write(ptr, from.len() as u64));
        Ok(())
    }

    /// Sets bytes on the device.
    ///
    /// # Errors
    /// The bytes are not inside one allocation.
    pub fn fill(&self, ptr: DevicePtr, byte: u8, bytes: u64) -> Result<(), SimError> {
        self.memory.fill(ptr, byte, bytes)?;
        self.initialized(|bits| bits.write(ptr, bytes));
        Ok(())
    }

    /// Copies on the device; the stretches may overlap.
    ///
    /// # Errors
    /// The bytes are not inside one allocation at both ends.
    pub fn copy(&self, from: DevicePtr, to: DevicePtr, bytes: u64) -> Result<(), SimError> {
        self.memory.copy(from, to, bytes)?;
        self.initialized(|bits| bits.copy(from, to, bytes));
        Ok(())
    }

    /// The device address and size of a module's `.global` or `.const` variable; the module is
    /// loaded if it was not yet.
    ///
    /// # Errors
    /// The module's variables do not fit into device memory.
    pub fn variable(
        &self,
        module: &Module,
        name: &str,
    ) -> Result<Option<(DevicePtr, u64)>, SimError> {
        let addresses = self.load(module)?;
        let found = module
            .variables
            .iter()
            .position(|variable| &*variable.name == name && variable.size > 0);
        Ok(found.map(|at| (addresses[at], module.variables[at].size)))
    }

    /// Puts a module's variables into device memory, once.
    fn load(&self, module: &Module) -> Result<Arc<[u64]>, SimError> {
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(addresses) = modules.get(&module.id) {
            return Ok(addresses.clone());
        }
        let mut addresses = Vec::new();
        for variable in &module.variables {
            // Variables of other spaces have no size here.
            let address =
                if variable.size == 0 { 0 } else { self.alloc(variable.size, &variable.name)? };
            addresses.push(address);
        }
        for (variable, &address) in module.variables.iter().zip(&addresses) {
            if variable.size > 0 {
                self.write(address, &variable.initial)?;
                // What has no initial value is zero.
                self.initialized(|bits| bits.write(address, variable.size));
            }
            for relocation in &variable.relocations {
                let target =
                    addresses[relocation.variable as usize].wrapping_add_signed(relocation.offset);
                let shift = relocation.mask.trailing_zeros().min(63);
                let value = (target & relocation.mask) >> shift;
                let bytes = value.to_le_bytes();
                self.write(address + relocation.at, &bytes[..relocation.bytes.min(8) as usize])?;
            }
        }
        let addresses: Arc<[u64]> = addresses.into();
        modules.insert(module.id, addresses.clone());
        Ok(addresses)
    }

    /// Runs a kernel to its end.
    ///
    /// # Errors
    /// The launch is refused (unknown kernel, beyond a limit, wrong parameters), or the kernel
    /// faults. Of several faulting blocks the first one is reported.
    pub fn launch(
        &self,
        module: &Module,
        kernel: &str,
        launch: &Launch<'_>,
    ) -> Result<LaunchReport, LaunchError> {
        let start = Instant::now();
        let Some(kernel) = module.kernel(kernel) else {
            let known = module.kernels().map(Kernel::name);
            return Err(LaunchError::UnknownKernel {
                name: kernel.into(),
                suggestion: gpuc_diagnostics::did_you_mean(kernel, known).map(str::to_owned),
            });
        };
        if !kernel.refusals().is_empty() {
            return Err(LaunchError::Refused {
                kernel: kernel.name().into(),
                reasons: kernel.refusals().to_vec(),
            });
        }
        let shared_bytes = self.check(kernel, launch)?;
        if kernel.code.uses_heap {
            self.heap.prepare(&self.memory)?;
        }
        let output = Output::default();
        let addresses = self.load(module)?;
        let workspace = match kernel.code.uses_workspace {
            true => Some(self.workspace()?),
            false => None,
        };
        let snapshot = self.memory.snapshot();
        let nearest = |address| self.memory.nearest(address);
        let environment = Environment {
            code: &kernel.code,
            plan: kernel.code.plan.get_or_init(|| Plan::new(&kernel.code)),
            kernel: kernel.name(),
            grid: launch.grid,
            block: launch.block,
            shared_bytes,
            params: launch.params,
            regions: &snapshot.regions,
            template: self.template(
                kernel,
                launch,
                shared_bytes,
                &addresses,
                workspace.unwrap_or(0),
            ),
            limits: Limits {
                budget: launch.instruction_budget,
                time: launch.time_limit,
                deadline: launch.time_limit.and_then(|limit| start.checked_add(limit)),
                interrupt: launch.interrupt,
            },
            alone: self.threads(launch) == 1,
            resident: self.resident_blocks(launch),
            executed: AtomicU64::new(0),
            failed: AtomicU64::new(u64::MAX),
            services: Services { heap: &self.heap, output: &output },
            nearest: &nearest,
        };
        let log = Mutex::new(Log::default());
        let context = Context {
            code: &kernel.code,
            kernel: kernel.name(),
            grid: launch.grid,
            block: launch.block,
            shared_bytes,
            nearest: &nearest,
            log: &log,
        };
        let threads = self.threads(launch);
        let listeners = || check::probes(context, self.checks, &self.initialized);
        let count = kernel.code.insts.len();
        let counter = || SiteCounter::new(count);
        let counted = match (launch.counters, self.checks.any()) {
            (Counters::Off, false) => {
                run(&environment, launch, threads, || Nobody).map(|_| Vec::new())
            }
            (Counters::Off, true) => {
                run(&environment, launch, threads, listeners).map(|_| Vec::new())
            }
            (Counters::All, false) => run(&environment, launch, threads, counter),
            (Counters::All, true) => {
                run(&environment, launch, threads, || (counter(), listeners()))
                    .map(|workers| workers.into_iter().map(|(counter, _)| counter).collect())
            }
        };
        let failed = environment.failed.load(Ordering::Relaxed);
        output.flush(failed, launch.output);
        if let Some(workspace) = workspace {
            self.free(workspace)?;
        }
        if self.checks.any() {
            let mut found = log.into_inner().unwrap_or_else(PoisonError::into_inner).findings;
            if let Err(LaunchError::Fault(fault)) = &counted {
                found.push(Finding::of_fault(fault));
            }
            self.findings.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
        }
        let workers = counted?;
        let mut report = LaunchReport {
            warp_instructions: environment.executed.into_inner(),
            wall: start.elapsed(),
            ..LaunchReport::default()
        };
        if launch.counters != Counters::Off {
            let mut sites = vec![SiteCounts::default(); count];
            for worker in &workers {
                sites.iter_mut().zip(&worker.sites).for_each(|(all, one)| all.add(one));
            }
            let insts = &kernel.code.insts;
            let is_branch =
                |at: usize| matches!(insts[at].op, Op::Branch { .. } | Op::BranchTable { .. });
            let is_barrier = |at: usize| matches!(insts[at].op, Op::Barrier { .. });
            report.counters = CounterSet::of(&sites, &kernel.code.origins, is_branch, is_barrier);
            report.lines = crate::counters::by_line(&sites, &kernel.code);
        }
        Ok(report)
    }

    /// Host threads that run the blocks of a launch.
    fn threads(&self, launch: &Launch<'_>) -> usize {
        let blocks: u64 = launch.grid.iter().map(|&n| u64::from(n)).product();
        let wanted = if self.checks.any() { 1 } else { launch.threads.unwrap_or_else(processors) };
        wanted.clamp(1, blocks.clamp(1, 1024) as usize)
    }

    /// Blocks that the device runs at the same time, at most: so many may wait for one another.
    fn resident_blocks(&self, launch: &Launch<'_>) -> usize {
        let limits = &self.arch.limits;
        let warps = launch.block.iter().product::<u32>().div_ceil(limits.warp_size).max(1);
        let each = (limits.max_warps_per_sm / warps).clamp(1, limits.max_blocks_per_sm);
        (each * self.arch.chip.sm_count) as usize
    }

    /// Checks a launch against the kernel and the device; returns the shared memory of a block.
    fn check(&self, kernel: &Kernel, launch: &Launch<'_>) -> Result<u64, LaunchError> {
        let limits = &self.arch.limits;
        let device = || format!("the limit of {}", self.arch.name);
        let within = |what, given: u64, limit: u64| {
            if given == 0 {
                return Err(LaunchError::Shape {
                    what,
                    given,
                    limit_name: "the least".into(),
                    limit: 1,
                });
            }
            if given <= limit {
                Ok(())
            } else {
                Err(LaunchError::Shape { what, given, limit_name: device(), limit })
            }
        };
        let extents = ["block extent in x", "block extent in y", "block extent in z"];
        for (axis, what) in extents.into_iter().enumerate() {
            within(what, launch.block[axis].into(), limits.max_block[axis].into())?;
        }
        let extents = ["grid extent in x", "grid extent in y", "grid extent in z"];
        for (axis, what) in extents.into_iter().enumerate() {
            within(what, launch.grid[axis].into(), limits.max_grid[axis].into())?;
        }
        let threads: u64 = launch.block.iter().map(|&n| u64::from(n)).product();
        within("number of threads of a block", threads, limits.max_threads_per_block.into())?;
        if let Some(required) = kernel.required_block()
            && required != launch.block
        {
            return Err(LaunchError::RequiredBlock { required, given: launch.block });
        }
        if let Some(most) = kernel.max_threads()
            && threads > u64::from(most)
        {
            return Err(LaunchError::Shape {
                what: "number of threads of a block",
                given: threads,
                limit_name: "the kernel's `.maxntid`".into(),
                limit: most.into(),
            });
        }
        if launch.params.len() != kernel.param_bytes() {
            return Err(LaunchError::Params {
                expected: kernel.param_bytes(),
                given: launch.params.len(),
            });
        }
        let shared = kernel.code.shared_bytes;
        let dynamic = u64::from(launch.dynamic_shared_bytes);
        let total = if dynamic == 0 {
            shared
        } else {
            shared.next_multiple_of(kernel.code.dynamic_align) + dynamic
        };
        // Static shared memory cannot opt in to more.
        if shared > u64::from(limits.shared_per_block) {
            within(
                "static shared memory of a block in bytes",
                shared,
                limits.shared_per_block.into(),
            )?;
        }
        if total > 0 {
            within(
                "shared memory of a block in bytes",
                total,
                limits.shared_per_block_optin.into(),
            )?;
        }
        Ok(total)
    }

    /// Zeroed memory in which the blocks of one launch can meet.
    fn workspace(&self) -> Result<DevicePtr, SimError> {
        const BYTES: u64 = 64;
        let workspace = self.alloc(BYTES, "workspace of a cooperative launch")?;
        self.fill(workspace, 0, BYTES)?;
        Ok(workspace)
    }

    /// Register rows with every constant that all warps of a launch share.
    fn template(
        &self,
        kernel: &Kernel,
        launch: &Launch<'_>,
        shared_bytes: u64,
        addresses: &[u64],
        workspace: u64,
    ) -> Vec<Row> {
        // One spare row, so that a 64-bit access of the last row stays inside.
        let mut rows = vec![Row::ZERO; kernel.code.rows as usize + 1];
        let threads: u32 = launch.block.iter().product();
        for &(row, initial) in &kernel.code.initial {
            let row = row as usize;
            let mut wide = |value: u64| {
                for (half, out) in rows[row..row + 2].iter_mut().enumerate() {
                    // Lane 0's low word comes first: 64-bit lanes in the host's order.
                    let words = [value as u32, (value >> 32) as u32];
                    *out = Row(std::array::from_fn(|i| words[(half * 32 + i) % 2]));
                }
            };
            let value = match initial {
                Initial::B32(value) => value,
                Initial::B64(value) => {
                    wide(value);
                    continue;
                }
                Initial::Variable(index, offset) => {
                    wide(addresses[index as usize].wrapping_add_signed(offset));
                    continue;
                }
                Initial::Special(Special::LaneId) => {
                    rows[row] = Row(std::array::from_fn(|lane| lane as u32));
                    continue;
                }
                Initial::Special(
                    special @ (Special::LaneMaskEq
                    | Special::LaneMaskLe
                    | Special::LaneMaskLt
                    | Special::LaneMaskGe
                    | Special::LaneMaskGt),
                ) => {
                    rows[row] = Row(std::array::from_fn(|lane| lane_mask(special, lane as u32)));
                    continue;
                }
                Initial::Special(special) => match special {
                    Special::Ntid(axis) => launch.block[axis as usize],
                    Special::Nctaid(axis) => launch.grid[axis as usize],
                    Special::NumWarps => threads.div_ceil(self.arch.limits.warp_size),
                    Special::TotalSharedSize => shared_bytes as u32,
                    Special::DynamicSharedSize => launch.dynamic_shared_bytes,
                    Special::NumSm => self.arch.chip.sm_count,
                    Special::Workspace(half) => (workspace >> (32 * half)) as u32,
                    _ => 0,
                },
            };
            rows[row] = Row([value; 32]);
        }
        rows
    }
}

fn lane_mask(special: Special, lane: u32) -> u32 {
    let bit = 1u32 << lane;
    match special {
        Special::LaneMaskEq => bit,
        Special::LaneMaskLt => bit - 1,
        Special::LaneMaskLe => bit | (bit - 1),
        Special::LaneMaskGe => !(bit - 1),
        _ => !(bit | (bit - 1)),
    }
}

/// Warp instructions after which the other host threads are called: waking them costs as much as
/// executing some thousand.
const CALL_FOR_HELP: u64 = 4096;

/// Runs all blocks, on several threads if there is much to do; what their probes have found.
fn run<P: Probe + Send>(
    environment: &Environment<'_>,
    launch: &Launch<'_>,
    threads: usize,
    probe: impl Fn() -> P + Sync,
) -> Result<Vec<P>, LaunchError> {
    let blocks: u64 = launch.grid.iter().map(|&n| u64::from(n)).product();
    let next = AtomicU64::new(0);
    let fault: Mutex<Option<(u64, Box<Fault>)>> = Mutex::new(None);
    let probes = Mutex::new(Vec::new());
    let work = |call: &dyn Fn()| {
        let mut worker = Worker::new(environment, probe());
        let next = || {
            let block = next.fetch_add(1, Ordering::Relaxed);
            (block < blocks && environment.failed.load(Ordering::Relaxed) > block).then_some(block)
        };
        if let Err((block, found)) = worker.run(environment, &next, call) {
            environment.failed.fetch_min(block, Ordering::Relaxed);
            let mut fault = fault.lock().unwrap_or_else(PoisonError::into_inner);
            if fault.as_ref().is_none_or(|&(first, _)| block < first) {
                *fault = Some((block, found));
            }
        }
        probes.lock().unwrap_or_else(PoisonError::into_inner).push(worker.probe);
    };
    let help = || work(&|| ());
    let crew = Crew::new(&help, threads - 1);
    work(&|| {
        if environment.executed.load(Ordering::Relaxed) > CALL_FOR_HELP {
            crew.call();
        }
    });
    drop(crew);
    match fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, fault)) => Err(LaunchError::Fault(fault)),
        None => Ok(probes.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_and_modules_are_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Simulator>();
        shared::<Module>();
    }
}

//! Launches: what to run, and its report.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::assembler::Sass;
use crate::check::{self, Context, Finding, Log};
use crate::counters::{CounterSet, Counters, SiteCounts, by_line};
use crate::exec::{
    Clusters, Crew, Environment, Nobody, Output, Plan, Probe, RunLimits, Services, SiteCounter,
    Worker, processors,
};
use crate::fault::{Fault, FaultKind, LaunchError, SimError};
use crate::module::{Kernel, Module};
use crate::profile::{BlockRecord, Profile, Recorder, Subject};
use crate::progress::{Watch, Watched};
use crate::simulator::{DevicePtr, Simulator};

/// What to launch a kernel with.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Blocks of a cluster in x, y and z; what the kernel requires, or else none, if `None`.
    pub cluster: Option<[u32; 3]>,
    /// A cooperative launch: refused unless all blocks run at once, so that they may wait for each other. (Those of
    /// another launch may, too, as far as they do.)
    pub cooperative: bool,
    /// Shared memory beyond what the kernel declares, in bytes.
    pub dynamic_shared_bytes: u32,
    /// The parameter block, laid out as [`Kernel::params`] says.
    pub params: &'a [u8],
    /// What to count.
    pub counters: Counters,
    /// Registers of a thread, if an assembler has said: they decide how many blocks are resident.
    /// Estimated if `None`.
    pub registers: Option<u32>,
    /// Executes only as many of the first blocks as [`Counters::Profile`] looks at, and takes them
    /// for the others: what the kernel computes is then not there.
    pub sampled: bool,
    /// Approximate functions are off by as much as the PTX manual allows, instead of as little as
    /// can be.
    pub worst_approximations: bool,
    /// Host threads to run on; as many as there are processors if `None`.
    pub threads: Option<usize>,
    /// Warp instructions after which the launch is stopped with a fault.
    pub instruction_budget: Option<u64>,
    /// Host time after which the launch is stopped with a fault.
    pub time_limit: Option<Duration>,
    /// Becomes true when the launch shall stop with a fault, from another thread or a signal handler.
    pub interrupt: Option<&'a AtomicBool>,
    /// Who is told how far it is while it runs.
    pub watch: Option<Watch<'a>>,
    /// Where `printf` of the kernel goes, in the order of the blocks, when the launch ends; the
    /// process's standard output if `None`.
    pub output: Option<&'a Mutex<Vec<u8>>>,
}

impl Default for Launch<'_> {
    fn default() -> Self {
        Launch {
            grid: [1; 3],
            block: [1; 3],
            cluster: None,
            cooperative: false,
            dynamic_shared_bytes: 0,
            params: &[],
            counters: Counters::Off,
            registers: None,
            sampled: false,
            worst_approximations: false,
            threads: None,
            instruction_budget: None,
            time_limit: None,
            interrupt: None,
            watch: None,
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
    /// What the device would have made of it, with [`Counters::Profile`].
    pub profile: Option<Box<Profile>>,
    /// What an assembler has made of the kernel, where whoever launched it has asked one.
    pub sass: Option<Arc<Sass>>,
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
    /// Lanes whose guard held.
    pub thread_instructions: u64,
    /// Sectors of global memory.
    pub global_sectors: u64,
    /// Requests to global memory.
    pub global_requests: u64,
    /// Shared-memory bank conflicts.
    pub bank_conflicts: u64,
    /// Divergent branches.
    pub divergent_branches: u64,
    /// Share of the kernel's time on the device, 0 to 1; 0 without [`Counters::Profile`].
    pub time: f64,
    /// Bytes from and to DRAM; 0 without [`Counters::Profile`].
    pub dram_bytes: f64,
}

impl LineCounts {
    /// Adds the counts of another launch; the share of time stays.
    pub(crate) fn add(&mut self, other: &LineCounts) {
        self.warp_instructions += other.warp_instructions;
        self.thread_instructions += other.thread_instructions;
        self.global_sectors += other.global_sectors;
        self.global_requests += other.global_requests;
        self.bank_conflicts += other.bank_conflicts;
        self.divergent_branches += other.divergent_branches;
        self.dram_bytes += other.dram_bytes;
    }
}

impl Simulator {
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
        let clusters = clusters(kernel, launch)?;
        let mut launch = *launch;
        if kernel.grid_of_clusters {
            for (axis, blocks) in launch.grid.iter_mut().enumerate() {
                *blocks = blocks.saturating_mul(clusters.extent[axis]);
            }
        }
        let launch = &launch;
        let shared_bytes = self.check(kernel, launch, clusters)?;
        if kernel.code().uses_heap
            && let Some(made) = self.heap.prepare(&self.memory)?
        {
            self.initialized(|bytes| bytes.allocate(made.start, made.end - made.start));
        }
        let output = Output::default();
        // A plan for approximate functions at their worst is made for the launch.
        let worst = launch.worst_approximations.then(|| Plan::new(kernel.code(), true));
        let addresses = self.load(module)?;
        let images = self.images();
        let unbound = |&&index: &&u32| images.get(addresses[index as usize]).is_none();
        if let Some(&index) = kernel.code().images.iter().find(unbound) {
            return Err(LaunchError::Unbound {
                kernel: kernel.name().into(),
                name: module.variables[index as usize].name.to_string(),
            });
        }
        let workspace = match kernel.code().uses_workspace {
            true => Some(self.workspace()?),
            false => None,
        };
        let snapshot = self.memory.snapshot();
        let nearest = |address| self.memory.nearest(address);
        let blocks: u64 = launch.grid.iter().map(|&n| u64::from(n)).product();
        let profiled = launch.counters == Counters::Profile;
        let subject = |executed| {
            let shape = (blocks, executed, launch.block.iter().product());
            Subject::new(self.arch, kernel.code(), shape, shared_bytes, launch.registers)
        };
        let executed = match profiled && launch.sampled {
            true => subject(blocks).representative().next_multiple_of(clusters.size()).min(blocks),
            false => blocks,
        };
        let watched = launch.watch.map(|watch| Watched::new(watch, start, executed));
        let environment = Environment {
            code: kernel.code(),
            plan: match &worst {
                Some(plan) => plan,
                None => kernel.code().plan.get_or_init(|| Plan::new(kernel.code(), false)),
            },
            kernel: kernel.name(),
            grid: launch.grid,
            block: launch.block,
            clusters,
            shared_bytes,
            params: launch.params,
            regions: &snapshot.regions,
            template: self.template(
                kernel,
                launch,
                shared_bytes,
                &addresses,
                workspace.unwrap_or(0),
                clusters,
            ),
            limits: RunLimits {
                budget: launch.instruction_budget,
                time: launch.time_limit,
                deadline: launch.time_limit.and_then(|limit| start.checked_add(limit)),
                interrupt: launch.interrupt,
            },
            watched,
            alone: self.threads(launch) == 1,
            resident: self.resident_blocks(launch),
            cooperative: launch.cooperative,
            executed: AtomicU64::new(0),
            failed: AtomicU64::new(u64::MAX),
            images,
            services: Services { heap: &self.heap, output: &output },
            nearest: &nearest,
        };
        let log = Mutex::new(Log::default());
        let context = Context {
            code: kernel.code(),
            kernel: kernel.name(),
            grid: launch.grid,
            block: launch.block,
            shared_bytes,
            heap: &self.heap,
            nearest: &nearest,
            log: &log,
        };
        let threads = self.threads(launch);
        let subject = profiled.then(|| subject(executed));
        let sample = subject.as_ref().map(Subject::sample).unwrap_or_default();
        let listeners = || check::probes(context, self.checks, &self.initialized);
        let count = kernel.code().insts.len();
        let counter = || SiteCounter::new(self.arch, kernel.code());
        let recorder = || Recorder::new(counter(), &sample);
        let counted = match (launch.counters, self.checks.any()) {
            (Counters::Off, false) => run(&environment, executed, threads, || Nobody).map(drop_all),
            (Counters::Off, true) => run(&environment, executed, threads, listeners).map(drop_all),
            (Counters::All, false) => run(&environment, executed, threads, counter).map(sites_of),
            (Counters::All, true) => {
                run(&environment, executed, threads, || (counter(), listeners()))
                    .map(|workers| sites_of(workers.into_iter().map(|(counter, _)| counter)))
            }
            (Counters::Profile, false) => run(&environment, executed, threads, recorder)
                .map(|workers| workers.into_iter().map(Recorder::finish).collect()),
            (Counters::Profile, true) => run(&environment, executed, threads, || {
                (recorder(), listeners())
            })
            .map(|workers| workers.into_iter().map(|(recorder, _)| recorder.finish()).collect()),
        };
        let failed = environment.failed.load(Ordering::Relaxed);
        output.flush(failed, launch.output);
        if let Some(workspace) = workspace {
            self.free(workspace)?;
        }
        if self.checks.any() {
            let mut found = log.into_inner().unwrap_or_else(PoisonError::into_inner).findings;
            // That somebody has had enough is nothing to find.
            if let Err(LaunchError::Fault(fault)) = &counted
                && fault.kind != FaultKind::Interrupted
            {
                found.push(Finding::of_fault(fault));
            }
            self.findings.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
        }
        let workers: Vec<Counted> = counted?;
        let mut report = LaunchReport {
            warp_instructions: environment.executed.into_inner(),
            wall: start.elapsed(),
            ..LaunchReport::default()
        };
        if launch.counters != Counters::Off {
            let mut sites = vec![SiteCounts::default(); count];
            let mut records = Vec::new();
            for (counts, blocks) in workers {
                sites.iter_mut().zip(&counts).for_each(|(all, one)| all.add(one));
                records.extend(blocks);
            }
            report.counters = CounterSet::of(&sites, kernel.code());
            let evaluated = subject.map(|subject| subject.evaluate(&sites, records, &sample));
            let (profile, of_sites) = evaluated.unzip();
            report.lines = by_line(&sites, kernel.code(), of_sites.as_deref().unwrap_or_default());
            report.profile = profile.map(Box::new);
        }
        Ok(report)
    }

    /// Host threads that run the blocks of a launch.
    fn threads(&self, launch: &Launch<'_>) -> usize {
        let blocks: u64 = launch.grid.iter().map(|&n| u64::from(n)).product();
        let wanted = if self.checks.any() { 1 } else { launch.threads.unwrap_or_else(processors) };
        wanted.clamp(1, blocks.clamp(1, 1024) as usize)
    }

    /// Blocks of a kernel that the device runs at the same time, of so many threads and bytes of dynamic shared memory: the grid
    /// of a cooperative launch has so many at most. Registers of a thread as in [`Launch::registers`].
    pub fn cooperative_blocks(
        &self,
        kernel: &Kernel,
        threads: u32,
        dynamic_shared_bytes: u32,
        registers: Option<u32>,
    ) -> u64 {
        let most = self.arch.limits.max_threads_per_block;
        if threads == 0 || threads > kernel.max_threads().unwrap_or(most).min(most) {
            return 0;
        }
        let shared = kernel.static_shared_bytes() as u32 + dynamic_shared_bytes;
        let registers = registers.unwrap_or_else(|| kernel.estimated_registers());
        // An assembler leaves room for one block, whatever is estimated.
        let each = self.arch.occupancy(threads, registers, shared).blocks.max(1);
        u64::from(each) * u64::from(self.arch.chip.sm_count)
    }

    /// Blocks that the device runs at the same time, at most: so many may wait for one another.
    fn resident_blocks(&self, launch: &Launch<'_>) -> usize {
        let limits = &self.arch.limits;
        let warps = launch.block.iter().product::<u32>().div_ceil(limits.warp_size).max(1);
        let each = (limits.max_warps_per_sm / warps).clamp(1, limits.max_blocks_per_sm);
        (each * self.arch.chip.sm_count) as usize
    }

    /// Checks a launch against the kernel and the device; returns the shared memory of a block.
    fn check(
        &self,
        kernel: &Kernel,
        launch: &Launch<'_>,
        clusters: Clusters,
    ) -> Result<u64, LaunchError> {
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
        let size = clusters.size();
        if size > 1 {
            if self.arch.number < 90 {
                within("number of blocks of a cluster", size, 1)?;
            }
            within("number of blocks of a cluster", size, MAX_CLUSTER)?;
        }
        if launch.cooperative {
            let dynamic = launch.dynamic_shared_bytes;
            let most = self.cooperative_blocks(kernel, threads as u32, dynamic, launch.registers);
            let blocks = launch.grid.iter().map(|&n| u64::from(n)).product();
            within("number of blocks of a cooperative launch", blocks, most)?;
        }
        if launch.params.len() != kernel.param_bytes() {
            return Err(LaunchError::Params {
                expected: kernel.param_bytes(),
                given: launch.params.len(),
            });
        }
        let shared = kernel.code().shared_bytes;
        let dynamic = u64::from(launch.dynamic_shared_bytes);
        let total = if dynamic == 0 {
            shared
        } else {
            shared.next_multiple_of(kernel.code().dynamic_align) + dynamic
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
}

/// Warp instructions after which the other host threads are called: waking them costs as much as
/// executing some thousand.
const CALL_FOR_HELP: u64 = 4096;

/// What a worker has counted, and the blocks that it has recorded.
type Counted = (Vec<SiteCounts>, Vec<BlockRecord>);

fn sites_of(counters: impl IntoIterator<Item = SiteCounter>) -> Vec<Counted> {
    counters.into_iter().map(|counter| (counter.finish(), Vec::new())).collect()
}

fn drop_all<P>(_: Vec<P>) -> Vec<Counted> {
    Vec::new()
}

/// Most blocks of a cluster: more than 8 are not portable, which a simulator need not mind.
const MAX_CLUSTER: u64 = 16;

/// The clusters of a launch: the launch's own, or what the kernel requires.
fn clusters(kernel: &Kernel, launch: &Launch<'_>) -> Result<Clusters, LaunchError> {
    let required = kernel.required_cluster();
    if let (Some(required), Some(given)) = (required, launch.cluster)
        && required != given
    {
        return Err(LaunchError::RequiredCluster { required, given });
    }
    let given = launch.cluster.or(required);
    let extent = given.unwrap_or([1; 3]);
    let divides = |axis: usize| extent[axis] > 0 && launch.grid[axis].is_multiple_of(extent[axis]);
    if !(0..3).all(|axis| extent[axis] > 0 && (kernel.grid_of_clusters || divides(axis))) {
        return Err(LaunchError::Cluster { grid: launch.grid, cluster: extent });
    }
    Ok(Clusters { extent, explicit: given.is_some() })
}

/// Runs the first `blocks` blocks, on several threads if there is much to do; what their probes have
/// found.
fn run<P: Probe + Send>(
    environment: &Environment<'_>,
    blocks: u64,
    threads: usize,
    probe: impl Fn() -> P + Sync,
) -> Result<Vec<P>, LaunchError> {
    let clusters = blocks / environment.clusters.size();
    let next = AtomicU64::new(0);
    let fault: Mutex<Option<(u64, Box<Fault>)>> = Mutex::new(None);
    let probes = Mutex::new(Vec::new());
    let work = |call: &dyn Fn()| {
        let mut worker = Worker::new(environment, probe());
        let next = || {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            (turn < clusters && environment.failed.load(Ordering::Relaxed) > turn).then_some(turn)
        };
        if let Err((turn, found)) = worker.run(environment, &next, call) {
            environment.failed.fetch_min(turn, Ordering::Relaxed);
            let mut fault = fault.lock().unwrap_or_else(PoisonError::into_inner);
            if fault.as_ref().is_none_or(|&(first, _)| turn < first) {
                *fault = Some((turn, found));
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

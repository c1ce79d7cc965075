//! Blocks: the warps that run on one worker, their shared memory and barriers.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::fault::{Fault, FaultKind, NearestAllocation};
use crate::program::{Code, MemorySpace, Special};

use super::lanes::{LANES, Row};
use super::memory::{Region, Regions, View};
use super::plan::Plan;
use super::probe::Probe;
use super::warp::{Cause, Pause, Warp, WarpFault};

/// What all workers of a launch share.
pub(crate) struct Environment<'e> {
    pub(crate) code: &'e Code,
    pub(crate) plan: &'e Plan,
    pub(crate) kernel: &'e str,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared_bytes: u64,
    pub(crate) params: &'e [u8],
    pub(crate) regions: &'e Regions,
    /// Rows with every constant of the launch in them.
    pub(crate) template: Vec<Row>,
    pub(crate) budget: Option<u64>,
    pub(crate) executed: AtomicU64,
    /// The lowest block that failed: blocks after it are given up, those before it may yet fail
    /// themselves, so that the fault reported does not depend on the host's timing.
    pub(crate) failed: AtomicU64,
    /// Describes an address for a message.
    pub(crate) nearest: &'e (dyn Fn(u64) -> Option<NearestAllocation> + Sync),
}

impl Environment<'_> {
    pub(crate) fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Adds to the instructions executed; whether the launch has had its share, or block `index` is
    /// not needed any more.
    pub(crate) fn must_stop(&self, executed: u64, index: u64) -> bool {
        let before = self.executed.fetch_add(executed, Ordering::Relaxed);
        let over = self.budget.is_some_and(|budget| before.saturating_add(executed) > budget);
        over || self.failed.load(Ordering::Relaxed) < index
    }

    /// The coordinates of a linear index in an extent.
    fn coordinates(extent: [u32; 3], index: u64) -> [u32; 3] {
        let [x, y] = [u64::from(extent[0].max(1)), u64::from(extent[1].max(1))];
        [(index % x) as u32, (index / x % y) as u32, (index / x / y) as u32]
    }
}

/// One of the 16 barriers of a block.
#[derive(Clone, Copy, Debug)]
struct Barrier {
    arrived: u32,
    /// Threads to wait for, if the instruction says so.
    wanted: Option<u32>,
    holding: u32,
    all: bool,
}

impl Barrier {
    const FRESH: Barrier = Barrier { arrived: 0, wanted: None, holding: 0, all: true };
}

/// Barriers and the number of threads of a running block.
#[derive(Debug)]
pub(super) struct BlockState {
    pub(super) index: u64,
    live: u32,
    barriers: [Barrier; 16],
}

impl BlockState {
    /// Threads arrive at a barrier, `holding` of them with a true predicate.
    pub(super) fn arrive(
        &mut self,
        number: u32,
        threads: u32,
        wanted: Option<u32>,
        holding: u32,
        all: bool,
    ) {
        let barrier = &mut self.barriers[number as usize & 15];
        barrier.arrived = barrier.arrived.saturating_add(threads);
        barrier.wanted = wanted;
        barrier.holding += holding;
        barrier.all &= all;
    }

    pub(super) fn exited(&mut self, threads: u32) {
        self.live = self.live.saturating_sub(threads);
    }

    /// Opens every barrier that is complete; whether there was one.
    fn open_complete(&mut self, warps: &mut [Warp], probe: &mut impl Probe) -> bool {
        let mut opened = false;
        for (number, barrier) in self.barriers.iter_mut().enumerate() {
            if barrier.arrived > 0 && barrier.arrived >= barrier.wanted.unwrap_or(self.live) {
                let Barrier { holding, all, .. } = *barrier;
                probe.open(self.index, number as u32);
                for warp in &mut *warps {
                    warp.release(number as u32, all, holding > 0, holding);
                }
                *barrier = Barrier::FRESH;
                opened = true;
            }
        }
        opened
    }
}

/// A host thread that runs blocks, with everything it reuses from block to block.
pub(crate) struct Worker<'e, P> {
    warps: Vec<Warp>,
    /// `%tid` of every lane of every warp.
    thread_ids: Vec<[Row; 3]>,
    view: View<'e>,
    shared: Vec<Row>,
    local: Vec<Row>,
    local_stride: usize,
    _params: Vec<Row>,
    pub(crate) probe: P,
}

/// Rows that hold at least `bytes`: memory aligned like rows.
fn storage(bytes: usize) -> Vec<Row> {
    vec![Row::ZERO; bytes.div_ceil(size_of::<Row>())]
}

impl<'e, P: Probe> Worker<'e, P> {
    pub(crate) fn new(environment: &Environment<'e>, probe: P) -> Worker<'e, P> {
        let threads = environment.threads();
        let warps = threads.div_ceil(LANES as u32) as usize;
        let thread_ids = (0..warps)
            .map(|warp| {
                let mut ids = [Row::ZERO; 3];
                for lane in 0..LANES {
                    let id =
                        Environment::coordinates(environment.block, (warp * LANES + lane) as u64);
                    for (axis, row) in ids.iter_mut().enumerate() {
                        row.0[lane] = id[axis];
                    }
                }
                ids
            })
            .collect();
        let mut shared = storage(environment.shared_bytes as usize);
        let local_stride = (environment.code.local_bytes as usize).next_multiple_of(16);
        let mut local = storage(local_stride * warps * LANES);
        let mut params = storage(environment.params.len());
        let pointer = params.as_mut_ptr().cast::<u8>();
        // SAFETY: the storage holds at least as many bytes, and rows are plain data.
        unsafe { pointer.copy_from(environment.params.as_ptr(), environment.params.len()) };
        let view = View {
            global: environment.regions,
            shared: Region {
                base: 0,
                size: environment.shared_bytes,
                pointer: shared.as_mut_ptr().cast(),
            },
            local: Region {
                base: 0,
                size: local_stride as u64,
                pointer: local.as_mut_ptr().cast(),
            },
            params: Region { base: 0, size: environment.params.len() as u64, pointer },
            recent: vec![Region::EMPTY; environment.code.insts.len()],
            code: environment.code,
            located: (MemorySpace::Global, [0; LANES]),
            violation: None,
        };
        Worker {
            warps: (0..warps).map(|_| Warp::default()).collect(),
            thread_ids,
            view,
            shared,
            local,
            local_stride,
            _params: params,
            probe,
        }
    }

    fn start_block(&mut self, environment: &Environment<'_>, index: u64) -> BlockState {
        let block = Environment::coordinates(environment.grid, index);
        let code = environment.code;
        let threads = environment.threads();
        let pointer: *mut Row = self.shared.as_mut_ptr();
        self.view.shared.pointer = pointer.cast();
        // SAFETY: `shared` holds so many rows, and nothing else refers to them between blocks.
        unsafe { pointer.write_bytes(0, self.shared.len()) };
        let pointer: *mut Row = self.local.as_mut_ptr();
        // SAFETY: as above, for `local`.
        unsafe { pointer.write_bytes(0, self.local.len()) };
        for (index, warp) in self.warps.iter_mut().enumerate() {
            warp.number = index as u32;
            let registers = &mut warp.registers;
            registers.rows.clone_from(&environment.template);
            registers.predicates.clear();
            registers.predicates.resize(code.predicates as usize, 0);
            registers.predicates[0] = u32::MAX;
            for &(row, value) in &code.initial {
                let crate::program::Initial::Special(special) = value else { continue };
                let value = match special {
                    Special::Tid(axis) => self.thread_ids[index][axis as usize],
                    Special::Ctaid(axis) => Row([block[axis as usize]; LANES]),
                    Special::WarpId => Row([index as u32; LANES]),
                    _ => continue,
                };
                registers.rows[row as usize] = value;
            }
            let rest = threads - (index * LANES) as u32;
            warp.start(if rest >= LANES as u32 { u32::MAX } else { (1 << rest) - 1 });
        }
        BlockState { index, live: threads, barriers: [Barrier::FRESH; 16] }
    }

    /// Runs the block with a linear index from start to end. `call_for_help` is called now and then:
    /// other threads may be wanted for other blocks.
    pub(crate) fn run_block(
        &mut self,
        environment: &Environment<'_>,
        index: u64,
        call_for_help: &dyn Fn(),
    ) -> Result<(), Box<Fault>> {
        let block = Environment::coordinates(environment.grid, index);
        let mut state = self.start_block(environment, index);
        self.probe.block_start(index);
        let local = self.local.as_mut_ptr().cast::<u8>();
        loop {
            let mut progress = false;
            let mut running = false;
            for warp in 0..self.warps.len() {
                if self.warps[warp].is_finished() {
                    continue;
                }
                running = true;
                if !self.warps[warp].has_ready_lanes() {
                    continue;
                }
                progress = true;
                self.view.local.pointer = local.wrapping_add(warp * LANES * self.local_stride);
                let current = &mut self.warps[warp];
                let result = current.run(environment, &mut self.view, &mut state, &mut self.probe);
                match result {
                    Ok(Pause::Finished | Pause::Blocked) => {}
                    Ok(Pause::Turn) => {
                        call_for_help();
                        if let Some(fault) = current.over_budget(environment, index) {
                            return Err(self.fault(environment, block, warp, fault));
                        }
                    }
                    Err(fault) => return Err(self.fault(environment, block, warp, fault)),
                }
                state.open_complete(&mut self.warps, &mut self.probe);
            }
            if !running {
                let executed = self.warps.iter_mut().map(Warp::unreported).sum();
                if environment.must_stop(executed, index)
                    && let Some(last) = self.warps.last_mut()
                {
                    let fault = last.budget_fault(environment);
                    return Err(self.fault(environment, block, self.warps.len() - 1, fault));
                }
                call_for_help();
                self.probe.block_end(index);
                return Ok(());
            }
            if !progress && !state.open_complete(&mut self.warps, &mut self.probe) {
                return Err(self.deadlock(environment, block));
            }
        }
    }

    /// Nobody can go on: says who waits where.
    fn deadlock(&self, environment: &Environment<'_>, block: [u32; 3]) -> Box<Fault> {
        let waiting: u32 = self.warps.iter().map(|warp| warp.live().count_ones()).sum();
        let found =
            self.warps.iter().enumerate().find_map(|(i, warp)| warp.waiting().map(|w| (i, w)));
        let (warp, (pc, lane, _)) = found.unwrap_or((0, (0, 0, 0)));
        let detail = format!(
            "{waiting} of {} threads of the block wait here or elsewhere, and none can go on",
            environment.threads()
        );
        let fault = WarpFault { pc, lane, cause: Cause::Other(FaultKind::Deadlock, detail) };
        self.fault(environment, block, warp, fault)
    }

    /// Puts names to what went wrong.
    #[cold]
    fn fault(
        &self,
        environment: &Environment<'_>,
        block: [u32; 3],
        warp: usize,
        stopped: WarpFault,
    ) -> Box<Fault> {
        let code = environment.code;
        let origin = &code.origins[stopped.pc as usize];
        let location =
            (origin.location as usize).checked_sub(1).and_then(|at| code.locations.get(at));
        let mut fault = Fault {
            kind: FaultKind::Trap,
            kernel: environment.kernel.into(),
            address: 0,
            space: "",
            bytes: 0,
            block,
            thread: Environment::coordinates(
                environment.block,
                (warp * LANES + stopped.lane) as u64,
            ),
            ptx_line: origin.ptx_line,
            place: location.cloned(),
            nearest: None,
            detail: String::new(),
        };
        match stopped.cause {
            Cause::Other(kind, detail) => {
                fault.kind = kind;
                fault.detail = detail;
            }
            Cause::Access(violation) => {
                let access = violation.access;
                fault.address = violation.address;
                fault.bytes = violation.bytes;
                fault.kind = if violation.misaligned {
                    FaultKind::Misaligned(access)
                } else if violation.space == MemorySpace::Global && violation.address < 4096 {
                    FaultKind::Null(access)
                } else {
                    FaultKind::OutOfBounds(access)
                };
                (fault.space, fault.nearest) = match violation.space {
                    MemorySpace::Shared => {
                        ("shared", self.nearest_shared(environment, violation.address))
                    }
                    MemorySpace::Local => (
                        "local",
                        whole("local memory of the thread", code.local_bytes, violation.address),
                    ),
                    MemorySpace::Param => {
                        let size = environment.params.len() as u64;
                        ("param", whole("parameters of the kernel", size, violation.address))
                    }
                    _ => ("global", (environment.nearest)(violation.address)),
                };
            }
        }
        Box::new(fault)
    }

    fn nearest_shared(
        &self,
        environment: &Environment<'_>,
        address: u64,
    ) -> Option<NearestAllocation> {
        let code = environment.code;
        let last = code.shared_variables.iter().rfind(|variable| variable.offset <= address);
        match last {
            Some(variable) if environment.shared_bytes == code.shared_bytes => {
                Some(NearestAllocation {
                    label: variable.name.clone(),
                    size: variable.size,
                    offset: address.wrapping_sub(variable.offset) as i64,
                    freed: false,
                })
            }
            _ => whole("shared memory of the block", environment.shared_bytes, address),
        }
    }
}

fn whole(label: &str, size: u64, address: u64) -> Option<NearestAllocation> {
    Some(NearestAllocation { label: label.into(), size, offset: address as i64, freed: false })
}

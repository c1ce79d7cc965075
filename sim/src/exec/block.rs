//! Blocks: the warps that run on one worker, their shared memory and barriers.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::fault::{Fault, FaultKind, NearestAllocation};
use crate::images::Images;
use crate::program::{Code, Initial, MemorySpace, PRED_CLUSTER, PRED_TRUE, Special};
use crate::progress::Watched;

use super::cluster::{self, Cluster, Clusters};
use super::faults::{deadlock, fault_at};
use super::lanes::{LANES, Row};
use super::memory::{MemoryRange, MemoryRanges, Seen, View};
use super::plan::Plan;
use super::probe::Probe;
use super::system::Services;
use super::warp::{Cause, Pause, Warp, WarpFault};

/// When a launch has had enough.
#[derive(Clone, Copy)]
pub(crate) struct RunLimits<'e> {
    /// Warp instructions.
    pub(crate) budget: Option<u64>,
    /// The time given, and when it is over.
    pub(crate) time: Option<Duration>,
    pub(crate) deadline: Option<Instant>,
    pub(crate) interrupt: Option<&'e AtomicBool>,
}

/// What all workers of a launch share.
pub(crate) struct Environment<'e> {
    pub(crate) code: &'e Code,
    pub(crate) plan: &'e Plan,
    pub(crate) kernel: &'e str,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) clusters: Clusters,
    pub(crate) shared_bytes: u64,
    pub(crate) params: &'e [u8],
    pub(crate) regions: &'e MemoryRanges,
    /// Rows with every constant of the launch in them.
    pub(crate) template: Vec<Row>,
    pub(crate) limits: RunLimits<'e>,
    pub(crate) watched: Option<Watched<'e>>,
    /// Whether one host thread runs all blocks.
    pub(crate) alone: bool,
    /// Blocks that may be under way at the same time.
    pub(crate) resident: usize,
    /// Whether all are, and may wait for each other.
    pub(crate) cooperative: bool,
    pub(crate) executed: AtomicU64,
    /// The lowest cluster that failed: those after it are given up, those before it may yet fail
    /// themselves, so that the fault reported does not depend on the host's timing.
    pub(crate) failed: AtomicU64,
    /// Textures and surfaces.
    pub(crate) images: Images,
    /// What system functions need.
    pub(crate) services: Services<'e>,
    /// Describes an address for a message.
    pub(crate) nearest: &'e (dyn Fn(u64) -> Option<NearestAllocation> + Sync),
}

impl Environment<'_> {
    pub(crate) fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Adds to the instructions executed; why the launch has to stop now, if it has to. Of a block
    /// that is not needed any more the reason does not matter.
    pub(crate) fn must_stop(&self, executed: u64, turn: u64) -> Option<(FaultKind, String)> {
        let total = self.executed.fetch_add(executed, Ordering::Relaxed).saturating_add(executed);
        if let Some(watched) = &self.watched {
            watched.look(self.kernel, total);
        }
        let RunLimits { budget, time, deadline, interrupt } = self.limits;
        if let Some(budget) = budget
            && total > budget
        {
            let detail = format!("the launch was given {budget} warp instructions");
            return Some((FaultKind::Budget, detail));
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            let detail = format!("the launch was given {:?}", time.unwrap_or_default());
            return Some((FaultKind::TimeLimit, detail));
        }
        let interrupted = interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        (interrupted || self.failed.load(Ordering::Relaxed) < turn)
            .then(|| (FaultKind::Interrupted, String::new()))
    }

    /// The coordinates of a linear index in an extent.
    pub(crate) fn coordinates(extent: [u32; 3], index: u64) -> [u32; 3] {
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
    /// Linear index in the grid.
    pub(super) index: u64,
    /// The number of its cluster, in whose order clusters start.
    pub(super) turn: u64,
    pub(super) live: u32,
    barriers: [Barrier; 16],
    /// Threads that wait for the cluster, and whether its phase (all bits) is odd.
    pub(super) cluster_arrived: u32,
    pub(super) cluster_phase: u32,
}

impl BlockState {
    fn new(index: u64, turn: u64, threads: u32) -> BlockState {
        BlockState {
            index,
            turn,
            live: threads,
            barriers: [Barrier::FRESH; 16],
            cluster_arrived: 0,
            cluster_phase: 0,
        }
    }

    /// Threads arrive at a barrier, `holding` of them with a true predicate.
    pub(super) fn arrive(
        &mut self,
        number: u32,
        threads: u32,
        wanted: Option<u32>,
        holding: u32,
        all: bool,
    ) {
        let barrier = &mut self.barriers[number.min(15) as usize];
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

/// A block under way.
pub(super) struct Block {
    pub(super) state: BlockState,
    pub(super) warps: Vec<Warp>,
    shared: Vec<Row>,
    local: Vec<Row>,
}

/// How far a cluster has come.
enum Outcome {
    Finished,
    /// Its warps look at memory for what others have to do.
    Spins,
}

/// What happened while each warp of a cluster had its turn.
struct Turn {
    /// A warp has run.
    progress: bool,
    /// A warp has not ended.
    running: bool,
    /// All that ran look at memory for what others have to do.
    spins: bool,
}

/// A host thread that runs blocks, with everything it reuses from block to block.
pub(crate) struct Worker<'e, P> {
    /// `%tid` of every lane of every warp.
    thread_ids: Vec<[Row; 3]>,
    view: View<'e>,
    /// Clusters that wait for others, the longest first.
    waiting: VecDeque<Cluster>,
    /// Ended blocks, whose memory the next ones take over.
    spare: Vec<Block>,
    /// Rows that are not constant during a launch.
    variable_rows: Vec<Range<usize>>,
    local_stride: usize,
    _params: Vec<Row>,
    pub(crate) probe: P,
}

/// Rows that hold at least `bytes`: memory aligned like rows.
fn storage(bytes: usize) -> Vec<Row> {
    vec![Row::ZERO; bytes.div_ceil(size_of::<Row>())]
}

/// A fault, with the number of its cluster.
type ClusterFault = (u64, Box<Fault>);

impl<'e, P: Probe> Worker<'e, P> {
    pub(crate) fn new(environment: &Environment<'e>, probe: P) -> Worker<'e, P> {
        let code = environment.code;
        let warps = environment.threads().div_ceil(LANES as u32) as usize;
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
        let mut params = storage(environment.params.len());
        let pointer = params.as_mut_ptr().cast::<u8>();
        // SAFETY: the storage holds at least as many bytes, and rows are plain data.
        unsafe { pointer.copy_from(environment.params.as_ptr(), environment.params.len()) };
        let local_stride = (code.local_bytes as usize).next_multiple_of(16);
        let view = View {
            global: environment.regions,
            shared: MemoryRange { base: 0, size: environment.shared_bytes, ..MemoryRange::EMPTY },
            local: MemoryRange { base: 0, size: local_stride as u64, ..MemoryRange::EMPTY },
            params: MemoryRange { base: 0, size: environment.params.len() as u64, pointer },
            recent: vec![MemoryRange::EMPTY; code.insts.len()],
            code,
            located: (MemorySpace::Global, [0; LANES]),
            seen: Seen::Nothing,
            violation: None,
            changes: 0,
            listens: P::listens(),
            touched: RefCell::default(),
            rank: 0,
            cluster: Vec::new(),
            blocks: Vec::new(),
        };
        let mut constant = vec![false; environment.template.len()];
        for &(row, initial) in &code.initial {
            let wide = matches!(initial, Initial::B64(_) | Initial::Variable(..));
            constant[row as usize..][..1 + usize::from(wide)].fill(true);
        }
        let mut variable_rows: Vec<Range<usize>> = Vec::new();
        for row in (0..constant.len()).filter(|&row| !constant[row]) {
            match variable_rows.last_mut() {
                Some(last) if last.end == row => last.end += 1,
                _ => variable_rows.push(row..row + 1),
            }
        }
        Worker {
            thread_ids,
            view,
            waiting: VecDeque::new(),
            spare: Vec::new(),
            variable_rows,
            local_stride,
            _params: params,
            probe,
        }
    }

    /// A cluster at its start.
    fn start(&mut self, environment: &Environment<'_>, turn: u64) -> Cluster {
        let indices = environment.clusters.blocks(environment.grid, turn);
        let blocks = indices
            .enumerate()
            .map(|(rank, index)| self.start_block(environment, (turn, rank as u32), index));
        Cluster { turn, blocks: blocks.collect() }
    }

    /// A block at its start, in the memory of one that has ended if there is one.
    fn start_block(
        &mut self,
        environment: &Environment<'_>,
        (turn, rank): (u64, u32),
        index: u64,
    ) -> Block {
        let clusters = environment.clusters;
        let in_cluster = Environment::coordinates(clusters.extent, rank.into());
        let cluster = Environment::coordinates(clusters.of_grid(environment.grid), turn);
        let coordinates = Environment::coordinates(environment.grid, index);
        let code = environment.code;
        let threads = environment.threads();
        let mut block = match self.spare.pop() {
            Some(mut block) => {
                block.shared.fill(Row::ZERO);
                block.local.fill(Row::ZERO);
                for warp in &mut block.warps {
                    for rows in &self.variable_rows {
                        warp.registers.rows[rows.clone()].fill(Row::ZERO);
                    }
                }
                block
            }
            None => {
                let warp = |number| Warp::new(number, environment.template.clone());
                let warps: Vec<Warp> = (0..self.thread_ids.len() as u32).map(warp).collect();
                Block {
                    state: BlockState::new(index, turn, threads),
                    shared: storage(environment.shared_bytes as usize),
                    local: storage(self.local_stride * warps.len() * LANES),
                    warps,
                }
            }
        };
        block.state = BlockState::new(index, turn, threads);
        for (number, warp) in block.warps.iter_mut().enumerate() {
            let registers = &mut warp.registers;
            registers.predicates.clear();
            registers.predicates.resize(code.predicates as usize, 0);
            registers.predicates[PRED_TRUE as usize] = u32::MAX;
            registers.predicates[PRED_CLUSTER as usize] =
                if clusters.explicit { u32::MAX } else { 0 };
            for &(row, value) in &code.initial {
                let Initial::Special(special) = value else { continue };
                let value = match special {
                    Special::Tid(axis) => self.thread_ids[number][axis as usize],
                    Special::Ctaid(axis) => Row([coordinates[axis as usize]; LANES]),
                    Special::WarpId => Row([number as u32; LANES]),
                    Special::ClusterId(axis) => Row([cluster[axis as usize]; LANES]),
                    Special::ClusterBlock(axis) => Row([in_cluster[axis as usize]; LANES]),
                    Special::ClusterRank => Row([rank; LANES]),
                    _ => continue,
                };
                registers.rows[row as usize] = value;
            }
            let rest = threads - (number * LANES) as u32;
            warp.start(if rest >= LANES as u32 { u32::MAX } else { (1 << rest) - 1 });
        }
        self.probe.block_start(index);
        block
    }

    /// Runs clusters until `next` has none. Those that wait for one another take turns, as many as the
    /// device would run at the same time. `call_for_help` is called now and then: other threads may
    /// be wanted for other clusters.
    pub(crate) fn run(
        &mut self,
        environment: &Environment<'_>,
        next: &dyn Fn() -> Option<u64>,
        call_for_help: &dyn Fn(),
    ) -> Result<(), ClusterFault> {
        let mut rest = true;
        let mut take = |worker: &mut Self| {
            let turn = if rest { next() } else { None };
            rest = turn.is_some();
            turn.map(|turn| worker.start(environment, turn))
        };
        let resident = environment.resident / environment.clusters.size() as usize;
        let Some(mut cluster) = take(self) else { return Ok(()) };
        loop {
            let outcome = self.go_on(environment, &mut cluster, call_for_help);
            let turn = cluster.turn;
            let other = match outcome.map_err(|fault| (turn, fault))? {
                Outcome::Finished => {
                    self.spare.append(&mut cluster.blocks);
                    let Some(other) = self.waiting.pop_front().or_else(|| take(self)) else {
                        return Ok(());
                    };
                    cluster = other;
                    continue;
                }
                Outcome::Spins if self.waiting.len() + 1 < resident => take(self),
                Outcome::Spins => None,
            };
            let all_started = other.is_none();
            if let Some(other) = other.or_else(|| self.waiting.pop_front()) {
                self.waiting.push_back(std::mem::replace(&mut cluster, other));
            }
            if all_started && environment.alone {
                self.find_endless(environment, &cluster)?;
            }
        }
    }

    /// Runs a cluster to its end, or until it waits for other ones.
    fn go_on(
        &mut self,
        environment: &Environment<'_>,
        cluster: &mut Cluster,
        call_for_help: &dyn Fn(),
    ) -> Result<Outcome, Box<Fault>> {
        let own = self.view.shared;
        self.view.cluster.clear();
        self.view.blocks.clear();
        for (rank, block) in cluster.blocks.iter_mut().enumerate() {
            let pointer = block.shared.as_mut_ptr().cast();
            self.view.cluster.push(cluster::shared_of(rank, own, pointer));
            self.view.blocks.push(block.state.index);
        }
        loop {
            let mut turn = Turn { progress: false, running: false, spins: true };
            for (rank, block) in cluster.blocks.iter_mut().enumerate() {
                self.view.rank = rank;
                self.view.shared.pointer = self.view.cluster[rank].pointer;
                self.give_turn(environment, block, &mut turn, call_for_help)?;
            }
            if cluster.open_complete(&mut self.probe) {
                continue;
            }
            if !turn.running {
                self.end(environment, cluster)?;
                call_for_help();
                return Ok(Outcome::Finished);
            }
            if !turn.progress {
                let mut opened = false;
                for Block { state, warps, .. } in &mut cluster.blocks {
                    opened |= state.open_complete(warps, &mut self.probe);
                }
                if !opened {
                    let stands = |block: &&Block| block.warps.iter().any(|w| !w.is_finished());
                    let block = cluster.blocks.iter().find(stands).unwrap_or(&cluster.blocks[0]);
                    return Err(deadlock(environment, block.state.index, &block.warps));
                }
            }
            if turn.progress && turn.spins {
                return Ok(Outcome::Spins);
            }
        }
    }

    /// Runs every warp of a block that can run, once.
    fn give_turn(
        &mut self,
        environment: &Environment<'_>,
        Block { state, warps, local, .. }: &mut Block,
        turn: &mut Turn,
        call_for_help: &dyn Fn(),
    ) -> Result<(), Box<Fault>> {
        let index = state.index;
        let local = local.as_mut_ptr().cast::<u8>();
        for warp in 0..warps.len() {
            if warps[warp].is_finished() {
                continue;
            }
            turn.running = true;
            if !warps[warp].has_ready_lanes() {
                continue;
            }
            turn.progress = true;
            self.view.local.pointer = local.wrapping_add(warp * LANES * self.local_stride);
            let current = &mut warps[warp];
            let result = current.run(environment, &mut self.view, state, &mut self.probe);
            match result {
                Ok(Pause::Finished | Pause::Blocked) => turn.spins = false,
                Ok(Pause::Turn { spins: spinning }) => {
                    call_for_help();
                    let mut waits = spinning;
                    if environment.alone {
                        let variable_rows = &self.variable_rows;
                        current.note_pause(self.view.changes, variable_rows);
                        waits |= current.is_stuck(self.view.changes);
                    }
                    turn.spins &= waits;
                    if let Some(fault) = current.over_budget(environment, state.turn) {
                        return Err(fault_at(environment, index, warp, fault));
                    }
                }
                Err(fault) => return Err(fault_at(environment, index, warp, fault)),
            }
            turn.spins &= !state.open_complete(warps, &mut self.probe);
        }
        Ok(())
    }

    /// All blocks of a cluster have ended.
    fn end(
        &mut self,
        environment: &Environment<'_>,
        cluster: &mut Cluster,
    ) -> Result<(), Box<Fault>> {
        if let Some(watched) = &environment.watched {
            watched.ended(cluster.blocks.len() as u64);
        }
        let warps = cluster.blocks.iter_mut().flat_map(|block| &mut block.warps);
        let executed = warps.map(Warp::unreported).sum();
        if let Some((kind, detail)) = environment.must_stop(executed, cluster.turn) {
            let pc = environment.code.insts.len() as u32 - 1;
            let fault = WarpFault { pc, lane: 0, cause: Cause::Other(kind, detail) };
            return Err(fault_at(environment, cluster.blocks[0].state.index, 0, fault));
        }
        for block in &cluster.blocks {
            self.probe.block_end(block.state.index);
        }
        Ok(())
    }

    /// A fault if every block has started, nobody writes memory any more, and each thread that runs
    /// has come back to a state that it was in before: then nothing will ever change.
    fn find_endless(
        &self,
        environment: &Environment<'_>,
        cluster: &Cluster,
    ) -> Result<(), ClusterFault> {
        let changes = self.view.changes;
        let stuck =
            |warp: &Warp| warp.is_finished() || warp.is_stuck(changes) || !warp.has_ready_lanes();
        let blocks = || self.waiting.iter().chain([cluster]).flat_map(|cluster| &cluster.blocks);
        if !blocks().all(|block| block.warps.iter().all(stuck)) {
            return Ok(());
        }
        let is_stuck = |warp: &Warp| warp.is_stuck(changes);
        let found = blocks().filter(|block| block.warps.iter().any(is_stuck));
        let Some(block) = found.min_by_key(|block| (block.state.turn, block.state.index)) else {
            return Ok(());
        };
        let Some(warp) = block.warps.iter().position(is_stuck) else { return Ok(()) };
        let detail = "its state repeats, and no thread that runs changes what it waits for";
        let fault = block.warps[warp].stopped(FaultKind::EndlessLoop, detail.into());
        Err((block.state.turn, fault_at(environment, block.state.index, warp, fault)))
    }
}

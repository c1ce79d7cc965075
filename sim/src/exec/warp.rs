//! A warp: groups of lanes that share a program counter.
//!
//! Lanes that part at a branch become two [`Split`]s that share a [`Reconvergence`] at the branch's
//! immediate post-dominator; a split that gets there waits for the others. To let every lane make
//! progress whatever the others do, splits take turns, and a split that has waited at its
//! reconvergence while another one spins on memory is let go.

use crate::fault::FaultKind;
use crate::program::{BarrierKind, Code, Inst, Op};

use super::block::{BlockState, Environment};
use super::calls::{self, Calls, NO_FRAME};
use super::cluster::{self, ClusterArrivals};
use super::effects::tell_touched;
use super::lanes::{LANES, Registers, Row};
use super::memory::{Seen, View, Violation};
use super::plan::{ALWAYS, Plan, Step, StepKind};
use super::probe::{Arrival, At, Collective, Probe};
use super::reconvergence::{NO_RECONVERGENCE, Reconvergence};
use super::repetition::Repetition;
use super::{collective, matrix};

/// Branches that a split may take before it is another's turn.
const SLICE: u32 = 1024;
/// Branches after a look at memory that others write, as waiting code has them, where blocks wait for each other: on the device
/// others run meanwhile.
const LOOKS: u32 = 4;
/// Slices without a sign of waiting for others after which waiting is assumed all the same.
const PATIENCE: u32 = 64;

/// Lanes with one program counter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split {
    pub(super) pc: u32,
    pub(super) mask: u32,
    /// The innermost reconvergence that is ahead of these lanes.
    pub(super) reconvergence: u32,
    /// The call that these lanes are in.
    pub(super) frame: u32,
    pub(super) state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Ready,
    /// At a collective operation whose other lanes are not there yet.
    Collective {
        members: u32,
        enabled: u32,
    },
    /// At a barrier, whose result goes to `dst`.
    Barrier {
        number: u32,
        kind: BarrierKind,
        aligned: bool,
        dst: u32,
        enabled: u32,
    },
}

/// Why a warp stopped running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    Finished,
    /// All its lanes wait for other warps.
    Blocked,
    /// It is another warp's turn; whether because this one looks at memory that others write.
    Turn {
        spins: bool,
    },
}

/// What stopped a warp, before names are put to it.
#[derive(Debug)]
pub(super) struct WarpFault {
    pub(super) pc: u32,
    pub(super) lane: usize,
    pub(super) cause: Cause,
}

/// Why a warp stopped.
#[derive(Debug)]
pub(super) enum Cause {
    Access(Violation),
    Other(FaultKind, String),
}

/// The state of one warp.
#[derive(Debug, Default)]
pub(super) struct Warp {
    /// Its number in the block.
    pub(super) number: u32,
    pub(super) registers: Registers,
    pub(super) splits: Vec<Split>,
    pub(super) reconvergences: Vec<Reconvergence>,
    pub(super) free: Vec<u32>,
    pub(super) calls: Calls,
    pub(super) cluster: ClusterArrivals,
    /// Lanes that have not exited.
    pub(super) live: u32,
    /// Branches left of the slice; it goes on where the lanes change, so that no loop escapes it.
    fuel: u32,
    /// Slices since the warp last made visible progress.
    pub(super) idle_slices: u32,
    /// Warp instructions executed, and how many of them the launch knows of.
    pub(super) executed: u64,
    reported: u64,
    /// The last branch taken, for messages.
    last_branch: u32,
    pub(super) repetition: Repetition,
}

impl Warp {
    /// The warp of a number in its block, with rows that hold every constant.
    pub(super) fn new(number: u32, rows: Vec<Row>) -> Warp {
        let registers = Registers { rows, predicates: Vec::new() };
        Warp { number, registers, ..Warp::default() }
    }

    /// Puts the warp to the start of the program.
    pub(super) fn start(&mut self, mask: u32) {
        self.splits.clear();
        self.reconvergences.clear();
        self.free.clear();
        self.calls.clear();
        self.cluster = ClusterArrivals::default();
        self.live = mask;
        (self.fuel, self.idle_slices) = (SLICE, 0);
        (self.executed, self.reported, self.last_branch) = (0, 0, 0);
        self.repetition = Repetition::default();
        self.splits.push(Split {
            pc: 0,
            mask,
            reconvergence: NO_RECONVERGENCE,
            frame: NO_FRAME,
            state: State::Ready,
        });
    }

    /// Reports the instructions executed to the launch; the fault if they were too many.
    pub(super) fn over_budget(
        &mut self,
        environment: &Environment<'_>,
        turn: u64,
    ) -> Option<WarpFault> {
        let new = self.unreported();
        let (kind, detail) = environment.must_stop(new, turn)?;
        Some(self.stopped(kind, detail))
    }

    /// Instructions executed since the last report.
    pub(super) fn unreported(&mut self) -> u64 {
        self.executed - std::mem::replace(&mut self.reported, self.executed)
    }

    /// A fault of the launch while this warp ran.
    pub(super) fn stopped(&self, kind: FaultKind, detail: String) -> WarpFault {
        WarpFault { pc: self.last_branch, lane: 0, cause: Cause::Other(kind, detail) }
    }

    pub(super) fn live(&self) -> u32 {
        self.live
    }

    pub(super) fn is_finished(&self) -> bool {
        self.live == 0
    }

    pub(super) fn has_ready_lanes(&self) -> bool {
        self.splits.iter().any(|split| split.state == State::Ready) || self.has_waiting_meeting()
    }

    fn has_waiting_meeting(&self) -> bool {
        self.reconvergences.iter().any(|reconvergence| reconvergence.arrived != 0)
    }

    /// Where the first waiting lanes stand, and how many wait: for messages.
    pub(super) fn waiting(&self) -> Option<(u32, usize, u32)> {
        let lanes = self.splits.iter().fold(0, |lanes, split| lanes | split.mask);
        let first = self.splits.iter().find(|split| split.state != State::Ready)?;
        Some((first.pc, first.mask.trailing_zeros() as usize, lanes))
    }

    /// Runs until the warp ends, waits or has had its turn.
    pub(super) fn run<P: Probe>(
        &mut self,
        environment: &Environment<'_>,
        view: &mut View<'_>,
        block: &mut BlockState,
        probe: &mut P,
    ) -> Result<Pause, WarpFault> {
        let code = environment.code;
        let insts: &[Inst] = &code.insts;
        let Plan { steps } = environment.plan;
        let (index, warp) = (block.index, self.number);
        let at = |site: u32, lanes: u32| At { block: index, warp, site, lanes };
        'pick: loop {
            let Some(next) = self.splits.iter().position(|split| split.state == State::Ready)
            else {
                if self.live == 0 {
                    return Ok(Pause::Finished);
                }
                if self.has_waiting_meeting() {
                    self.release_reconvergences();
                    continue 'pick;
                }
                return Ok(Pause::Blocked);
            };
            let Split { mut pc, mut mask, mut reconvergence, mut frame, .. } =
                self.splits.remove(next);
            // Whether the split does what waiting code does: look at memory that others write.
            let mut strong = false;
            loop {
                let mut step = &steps[pc as usize];
                if !P::in_order() && step.straight {
                    let first = pc;
                    while step.straight {
                        strong |= step.strong;
                        self.step(code, view, probe, step, at(pc, mask))?;
                        pc += 1;
                        step = &steps[pc as usize];
                    }
                    self.executed += u64::from(pc - first);
                    probe.issue_run(at(first, mask), pc - first);
                }
                let inst = &step.inst;
                let enabled = if inst.guard == ALWAYS {
                    mask
                } else {
                    mask & self.registers.predicate(inst.guard)
                };
                self.executed += 1;
                if P::listens() && inst.op != Op::Join {
                    probe.issue(at(pc, mask), enabled);
                }
                if step.kind != StepKind::Control {
                    if enabled != 0 {
                        strong |= step.strong;
                        self.step(code, view, probe, step, at(pc, enabled))?;
                    }
                    pc += 1;
                    continue;
                }
                match inst.op {
                    Op::Multiply(..)
                    | Op::TransposeTile
                    | Op::WarpGroupMultiply(..)
                    | Op::LoadMatrix(..)
                    | Op::StoreMatrix(..)
                    | Op::LoadTiles(..)
                    | Op::StoreTiles(..) => {
                        if enabled != 0 {
                            let mut here = enabled;
                            let waits = self.live & !enabled != 0;
                            if waits {
                                let state = State::Collective { members: u32::MAX, enabled };
                                self.splits.push(Split { pc, mask, reconvergence, frame, state });
                                here = self.rallied(pc);
                                if self.live & !here != 0 {
                                    continue 'pick;
                                }
                            }
                            view.changes += 1;
                            matrix::execute(view, &mut self.registers, inst, (warp, here), code)
                                .map_err(|v| access_fault(pc, v))?;
                            tell_touched(view, probe, at(pc, here), false);
                            if waits {
                                self.disperse(pc);
                                continue 'pick;
                            }
                        }
                    }
                    Op::ClusterArrive { aligned, releases } => {
                        if enabled != 0 {
                            if P::listens() {
                                let arrival = Arrival {
                                    at: at(pc, enabled),
                                    number: cluster::CLUSTER_BARRIER,
                                    kind: BarrierKind::Arrive,
                                    aligned,
                                    live: self.live,
                                };
                                probe.cluster_arrive(&arrival, releases);
                            }
                            self.cluster_arrive(enabled, block);
                        }
                    }
                    Op::ClusterWait { aligned } => {
                        if enabled != 0 {
                            if P::listens() {
                                probe.cluster_wait(at(pc, enabled));
                            }
                            if let Some(state) = self.cluster_wait(enabled, aligned, block) {
                                self.splits.push(Split { pc, mask, reconvergence, frame, state });
                                continue 'pick;
                            }
                        }
                    }
                    Op::Nop => {}
                    Op::Fence | Op::Yield => {
                        strong = true;
                        if P::listens() && inst.op == Op::Fence && enabled != 0 {
                            probe.fence(at(pc, enabled));
                        }
                    }
                    Op::ActiveMask => collective::execute(&mut self.registers, inst, enabled),
                    Op::Shuffle { .. }
                    | Op::Vote(_)
                    | Op::MatchAny { .. }
                    | Op::MatchAll { .. }
                    | Op::Redux(_)
                    | Op::ReduxFloat(_)
                    | Op::Elect
                    | Op::WarpSync => {
                        if enabled != 0 {
                            let members = self.members(inst, enabled);
                            if P::listens() {
                                let (live, joins) = (self.live, inst.op == Op::WarpSync);
                                for (members, here) in self.groups(inst, enabled) {
                                    let at = at(pc, here);
                                    probe.collective(&Collective { at, members, live }, joins);
                                }
                            }
                            if members & self.live & !enabled != 0 {
                                let state = State::Collective { members, enabled };
                                self.splits.push(Split { pc, mask, reconvergence, frame, state });
                                self.gather(inst, pc);
                                continue 'pick;
                            }
                            collective::execute(&mut self.registers, inst, enabled);
                        }
                    }
                    Op::Join => {
                        if reconvergence != NO_RECONVERGENCE
                            && self.reconvergences[reconvergence as usize].at == pc
                            && self.reconvergences[reconvergence as usize].frame == frame
                        {
                            let record = &mut self.reconvergences[reconvergence as usize];
                            record.arrived |= mask;
                            if record.arrived != record.expected {
                                continue 'pick;
                            }
                            mask = record.arrived;
                            let parent = record.parent;
                            self.drop_reconvergence(reconvergence);
                            reconvergence = parent;
                            // An outer reconvergence may be here too.
                            continue;
                        }
                    }
                    Op::Branch { target, reconverge } => {
                        if enabled == mask {
                            pc = target;
                        } else if enabled == 0 {
                            pc += 1;
                        } else {
                            if P::listens() {
                                probe.diverge(at(pc, mask));
                            }
                            reconvergence = self.part(mask, reconvergence, reconverge, frame);
                            self.splits.push(Split {
                                pc: target,
                                mask: enabled,
                                reconvergence,
                                frame,
                                state: State::Ready,
                            });
                            mask &= !enabled;
                            pc += 1;
                        }
                        if strong && environment.cooperative {
                            self.fuel = self.fuel.min(LOOKS);
                        }
                        self.fuel -= 1;
                        if self.fuel == 0 {
                            self.fuel = SLICE;
                            self.splits.push(Split {
                                pc,
                                mask,
                                reconvergence,
                                frame,
                                state: State::Ready,
                            });
                            self.last_branch = pc;
                            if self.end_slice(strong) {
                                return Ok(Pause::Turn { spins: strong });
                            }
                            if let Some(fault) = self.over_budget(environment, block.turn) {
                                return Err(fault);
                            }
                            continue 'pick;
                        }
                        continue;
                    }
                    Op::BranchTable { reconverge } => {
                        let table = &code.tables[inst.imm as usize];
                        let indices = *self.registers.narrow(inst.src[0]);
                        let beyond = |&lane: &usize| {
                            enabled >> lane & 1 != 0 && indices[lane] as usize >= table.len()
                        };
                        if let Some(lane) = (0..LANES).find(beyond) {
                            return Err(calls::beyond_table(pc, lane, indices[lane], table.len()));
                        }
                        let before = self.splits.len();
                        let mut left = mask;
                        let mut outer = reconvergence;
                        while left != 0 {
                            let lane = left.trailing_zeros() as usize;
                            let target_of = |lane: usize| {
                                let taken = enabled >> lane & 1 != 0;
                                if taken { table[indices[lane] as usize] } else { pc + 1 }
                            };
                            let target = target_of(lane);
                            let same = (0..LANES)
                                .filter(|&l| left >> l & 1 != 0 && target_of(l) == target)
                                .fold(0, |same, l| same | 1u32 << l);
                            if same != mask && self.splits.len() == before {
                                outer = self.part(mask, reconvergence, reconverge, frame);
                            }
                            left &= !same;
                            self.splits.push(Split {
                                pc: target,
                                mask: same,
                                reconvergence: outer,
                                frame,
                                state: State::Ready,
                            });
                        }
                        if P::listens() && self.splits.len() > before + 1 {
                            probe.diverge(at(pc, mask));
                        }
                        self.last_branch = pc;
                        if let Some(fault) = self.over_budget(environment, block.turn) {
                            return Err(fault);
                        }
                        continue 'pick;
                    }
                    Op::Exit => {
                        if enabled != 0 {
                            if P::listens() {
                                probe.exit(at(pc, enabled));
                            }
                            self.leave(enabled, reconvergence);
                            self.cluster_exit(enabled, block);
                            self.calls.exit(enabled, frame);
                            block.exited(enabled.count_ones());
                            self.gather_all(insts);
                            mask &= !enabled;
                            if mask == 0 {
                                continue 'pick;
                            }
                        }
                    }
                    Op::Call { function, saved } => {
                        reconvergence = self.reconverge_at(pc + 1, mask, reconvergence, frame);
                        let call = (pc + 1, frame, mask, saved);
                        frame = self.calls.enter(code, &self.registers, call);
                        pc = code.functions[function as usize].entry;
                        if self.calls.is_check_due()
                            && let Some(fault) = self.over_budget(environment, block.turn)
                        {
                            return Err(fault);
                        }
                        continue;
                    }
                    Op::CallIndirect { .. } => {
                        self.call_indirect(code, inst, (pc, mask, reconvergence, frame))?;
                        continue 'pick;
                    }
                    Op::Return => {
                        if enabled != 0 {
                            let (target, parent) =
                                self.calls.leave(code, &mut self.registers, frame, enabled);
                            if enabled == mask {
                                (pc, frame) = (target, parent);
                                continue;
                            }
                            self.splits.push(Split {
                                pc: target,
                                mask: enabled,
                                reconvergence,
                                frame: parent,
                                state: State::Ready,
                            });
                            mask &= !enabled;
                        }
                    }
                    Op::Allocate { .. } => self.allocate(code, inst, pc, enabled)?,
                    Op::Refused => {
                        let refusal = code.refusals.get(inst.imm as usize);
                        let detail = refusal.map_or_else(String::new, ToString::to_string);
                        let cause = Cause::Other(FaultKind::Refused, detail);
                        let lane = mask.trailing_zeros() as usize & 31;
                        return Err(WarpFault { pc, lane, cause });
                    }
                    Op::Trap => {
                        if enabled != 0 {
                            let cause = Cause::Other(FaultKind::Trap, String::new());
                            return Err(WarpFault {
                                pc,
                                lane: enabled.trailing_zeros() as usize,
                                cause,
                            });
                        }
                    }
                    Op::Barrier { kind, aligned, counted } => {
                        if enabled != 0 {
                            if P::listens() {
                                let lane = enabled.trailing_zeros() as usize & 31;
                                probe.arrive(&Arrival {
                                    at: at(pc, enabled),
                                    number: self.registers.narrow(inst.src[0])[lane],
                                    kind,
                                    aligned,
                                    live: self.live,
                                });
                            }
                            let state =
                                self.barrier(inst, pc, enabled, (kind, aligned, counted), block)?;
                            if kind != BarrierKind::Arrive {
                                self.splits.push(Split { pc, mask, reconvergence, frame, state });
                                continue 'pick;
                            }
                        }
                    }
                    _ if enabled == 0 => {}
                    _ => {
                        let at = at(pc, enabled);
                        strong |= self.effect(environment, block.turn, view, probe, inst, at)?;
                    }
                }
                pc += 1;
            }
        }
    }

    /// Executes an instruction that has a function, in the lanes of `at`.
    #[inline(always)]
    fn step<P: Probe>(
        &mut self,
        code: &Code,
        view: &mut View<'_>,
        probe: &mut P,
        step: &Step,
        at: At,
    ) -> Result<(), WarpFault> {
        let told = P::listens() && step.kind == StepKind::Access;
        if told {
            view.seen = Seen::Nothing;
            if step.over_address {
                view.list(&self.registers, &step.inst, at.lanes);
            }
        }
        // SAFETY: plans hold functions that this host can run.
        let done = unsafe { (step.run)(&mut self.registers, view, step, at.lanes) };
        if !done {
            return Err(access_fault(at.site, view.take_violation()));
        }
        if told {
            let known = matches!(view.seen, Seen::Whole(whole) if probe.access_whole(at, whole));
            if !known {
                if !step.over_address && !matches!(view.seen, Seen::Listed) {
                    view.list(&self.registers, &step.inst, at.lanes);
                }
                self.tell_access(code, view, probe, &step.inst, at);
            }
        }
        Ok(())
    }

    /// At the end of a slice: whether other warps should have their turn.
    fn end_slice(&mut self, strong: bool) -> bool {
        self.idle_slices += 1;
        let turn = strong || self.idle_slices.is_multiple_of(PATIENCE);
        if turn {
            self.release_reconvergences();
        }
        turn
    }
}

#[cold]
pub(super) fn access_fault(pc: u32, violation: Violation) -> WarpFault {
    WarpFault { pc, lane: violation.lane, cause: Cause::Access(violation) }
}

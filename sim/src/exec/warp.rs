//! A warp: groups of lanes that share a program counter.
//!
//! Lanes that part at a branch become two [`Split`]s that share a [`Reconvergence`] at the branch's
//! immediate post-dominator; a split that gets there waits for the others. To let every lane make
//! progress whatever the others do, splits take turns, and a split that has waited at its
//! reconvergence while another one spins on memory is let go.

use crate::counters::{SiteCounts, Traffic, TrafficKind};
use crate::fault::FaultKind;
use crate::program::{BarrierKind, Inst, MemorySpace, Op};

use super::block::{BlockState, Environment};
use super::calls::{Calls, NO_FRAME};
use super::host_simd::HostSimd;
use super::lanes::{LANES, Registers};
use super::memory::{View, Violation, copy_async};
use super::reconvergence::{NO_RECONVERGENCE, Reconvergence};
use super::{
    atomic, collective, extremum, matrix, memory_barrier, narrow, packed, system, traffic, video,
};

/// Branches that a split may take before it is another's turn.
const SLICE: u32 = 1024;
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
    /// It is another warp's turn.
    Turn,
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
    pub(super) registers: Registers,
    pub(super) splits: Vec<Split>,
    pub(super) reconvergences: Vec<Reconvergence>,
    pub(super) free: Vec<u32>,
    pub(super) calls: Calls,
    /// Lanes that have not exited.
    pub(super) live: u32,
    /// Branches left of the slice; it goes on where the lanes change, so that no loop escapes it.
    fuel: u32,
    /// Slices since the warp last made visible progress.
    pub(super) idle_slices: u32,
    /// Warp instructions executed, and how many of them the launch knows of.
    executed: u64,
    reported: u64,
    /// The last branch taken, for messages.
    last_branch: u32,
}

impl Warp {
    /// Puts the warp to the start of the program.
    pub(super) fn start(&mut self, mask: u32) {
        self.splits.clear();
        self.reconvergences.clear();
        self.free.clear();
        self.calls.clear();
        self.live = mask;
        (self.fuel, self.idle_slices) = (SLICE, 0);
        (self.executed, self.reported, self.last_branch) = (0, 0, 0);
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
        block: u64,
    ) -> Option<WarpFault> {
        let new = self.executed - std::mem::replace(&mut self.reported, self.executed);
        environment.must_stop(new, block).then(|| {
            let detail = match environment.budget {
                Some(budget) => format!("the launch was given {budget} warp instructions"),
                None => String::new(),
            };
            WarpFault {
                pc: self.last_branch,
                lane: 0,
                cause: Cause::Other(FaultKind::Budget, detail),
            }
        })
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
    pub(super) fn run<L: HostSimd, const COUNT: bool>(
        &mut self,
        environment: &Environment<'_>,
        view: &mut View<'_>,
        block: &mut BlockState,
        sites: &mut [SiteCounts],
    ) -> Result<Pause, WarpFault> {
        let code = environment.code;
        let insts: &[Inst] = &code.insts;
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
                let inst = &insts[pc as usize];
                let enabled = mask & self.registers.predicate(inst.guard);
                self.executed += 1;
                if COUNT && inst.op != Op::Join {
                    let site = &mut sites[pc as usize];
                    site.issued += 1;
                    site.active += u64::from(mask.count_ones());
                    site.enabled += u64::from(enabled.count_ones());
                }
                match inst.op {
                    Op::IntUnary(..)
                    | Op::IntBinary(..)
                    | Op::IntTernary(..)
                    | Op::MulWide(_)
                    | Op::MadWide(_)
                    | Op::Carry(..)
                    | Op::Shift { .. }
                    | Op::Funnel { .. }
                    | Op::BitCount(..)
                    | Op::Fns
                    | Op::Bfe(_)
                    | Op::Bfi(_)
                    | Op::Bmsk { .. }
                    | Op::Szext { .. }
                    | Op::Dp4a { .. }
                    | Op::Dp2a { .. }
                    | Op::Lop3
                    | Op::Prmt(_) => L::integer(&mut self.registers, inst, enabled),
                    Op::FloatUnary(..) | Op::FloatBinary(..) | Op::Fma(..) | Op::Testp(..) => {
                        L::float(&mut self.registers, inst, enabled);
                    }
                    Op::Setp(..) | Op::Set { .. } | Op::Selp { .. } | Op::Slct { .. } => {
                        L::compare(&mut self.registers, inst, enabled);
                    }
                    Op::PackedInt(_)
                    | Op::IntRelu { .. }
                    | Op::PackSaturated { .. }
                    | Op::Lop3Bool { .. } => packed::execute(&mut self.registers, inst, enabled),
                    Op::Video(_) | Op::VideoMad(_) | Op::VideoSimd(_) => {
                        video::execute(&mut self.registers, inst, enabled);
                    }
                    Op::Extremum(_) => extremum::execute(&mut self.registers, inst, enabled),
                    Op::ConvertNarrow(_) => narrow::execute(&mut self.registers, inst, enabled),
                    Op::Convert(_) | Op::ConvertPack { .. } => {
                        L::convert(&mut self.registers, inst, enabled)
                    }
                    Op::Move32
                    | Op::Move64
                    | Op::MovePred
                    | Op::PredNot
                    | Op::PredBinary(_)
                    | Op::AddImmediate
                    | Op::Pack { .. }
                    | Op::Unpack { .. }
                    | Op::IsSpace(_)
                    | Op::ReadClock(_) => {
                        L::moves(&mut self.registers, inst, enabled, code, self.executed)
                    }
                    Op::Load(access, list) => {
                        if enabled != 0 {
                            let located = L::load(
                                view,
                                &mut self.registers,
                                inst,
                                (access, list),
                                enabled,
                                code,
                                pc as usize,
                            );
                            let (space, addresses) = located.map_err(|v| access_fault(pc, v))?;
                            strong |= access.strong;
                            if COUNT {
                                let bytes = u64::from(access.bytes) * u64::from(access.count);
                                count(
                                    &mut sites[pc as usize].traffic,
                                    space,
                                    0,
                                    &addresses,
                                    enabled,
                                    bytes,
                                );
                            }
                        }
                    }
                    Op::Store(access, list) => {
                        if enabled != 0 {
                            let located = L::save(
                                view,
                                &mut self.registers,
                                inst,
                                (access, list),
                                enabled,
                                code,
                                pc as usize,
                            );
                            let (space, addresses) = located.map_err(|v| access_fault(pc, v))?;
                            if COUNT {
                                let bytes = u64::from(access.bytes) * u64::from(access.count);
                                count(
                                    &mut sites[pc as usize].traffic,
                                    space,
                                    1,
                                    &addresses,
                                    enabled,
                                    bytes,
                                );
                            }
                        }
                    }
                    Op::Atomic { .. } => {
                        strong = true;
                        if enabled != 0 {
                            let located = atomic::execute(
                                view,
                                &mut self.registers,
                                inst,
                                enabled,
                                pc as usize,
                            );
                            let (space, addresses, bytes) =
                                located.map_err(|v| access_fault(pc, v))?;
                            if COUNT {
                                count(
                                    &mut sites[pc as usize].traffic,
                                    space,
                                    2,
                                    &addresses,
                                    enabled,
                                    bytes,
                                );
                            }
                        }
                    }
                    Op::CopyAsync { bytes, narrow_address, sized } => {
                        if enabled != 0 {
                            let located = copy_async(
                                view,
                                &self.registers,
                                inst,
                                bytes,
                                narrow_address,
                                sized,
                                enabled,
                                pc as usize,
                            );
                            let (_, sources) = located.map_err(|v| access_fault(pc, v))?;
                            if COUNT {
                                let traffic = &mut sites[pc as usize].traffic;
                                count(
                                    traffic,
                                    MemorySpace::Global,
                                    0,
                                    &sources,
                                    enabled,
                                    u64::from(bytes),
                                );
                            }
                        }
                    }
                    Op::AtomicWide { .. } => {
                        strong = true;
                        atomic::execute_wide(view, &mut self.registers, inst, enabled)
                            .map_err(|v| access_fault(pc, v))?;
                    }
                    Op::Multiply(..)
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
                            matrix::execute(view, &mut self.registers, inst, here, code)
                                .map_err(|v| access_fault(pc, v))?;
                            if waits {
                                self.disperse(pc);
                                continue 'pick;
                            }
                        }
                    }
                    Op::MemoryBarrier(barrier) => {
                        strong = true;
                        memory_barrier::execute(view, &mut self.registers, inst, enabled, barrier)
                            .map_err(|(lane, cause)| WarpFault { pc, lane, cause })?;
                    }
                    Op::CopyBulk { to, from } => {
                        memory_barrier::copy(view, &self.registers, inst, enabled, (to, from))
                            .map_err(|v| access_fault(pc, v))?;
                    }
                    Op::Nop => {}
                    Op::Fence | Op::Yield => strong = true,
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
                            if COUNT {
                                sites[pc as usize].divergent += 1;
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
                                return Ok(Pause::Turn);
                            }
                            if let Some(fault) = self.over_budget(environment, block.index) {
                                return Err(fault);
                            }
                            continue 'pick;
                        }
                        continue;
                    }
                    Op::BranchTable { reconverge } => {
                        let table = &code.tables[inst.imm as usize];
                        let indices = *self.registers.narrow(inst.src[0]);
                        let before = self.splits.len();
                        let mut left = mask;
                        let mut outer = reconvergence;
                        while left != 0 {
                            let lane = left.trailing_zeros() as usize;
                            let target_of = |lane: usize| {
                                let taken = enabled >> lane & 1 != 0;
                                let target = table.get(indices[lane] as usize).copied();
                                if taken { target.unwrap_or(pc + 1) } else { pc + 1 }
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
                        if COUNT && self.splits.len() > before + 1 {
                            sites[pc as usize].divergent += 1;
                        }
                        self.last_branch = pc;
                        if let Some(fault) = self.over_budget(environment, block.index) {
                            return Err(fault);
                        }
                        continue 'pick;
                    }
                    Op::Exit => {
                        if enabled != 0 {
                            self.leave(enabled, reconvergence);
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
                            && let Some(fault) = self.over_budget(environment, block.index)
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
                    Op::System(call) => {
                        if enabled != 0 {
                            system::execute(
                                call,
                                view,
                                &mut self.registers,
                                inst,
                                enabled,
                                &environment.services,
                                block.index,
                            )
                            .map_err(|(lane, cause)| WarpFault {
                                pc,
                                lane,
                                cause,
                            })?;
                        }
                    }
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
                            let state =
                                self.barrier(inst, pc, enabled, (kind, aligned, counted), block)?;
                            if kind != BarrierKind::Arrive {
                                self.splits.push(Split { pc, mask, reconvergence, frame, state });
                                continue 'pick;
                            }
                        }
                    }
                }
                pc += 1;
            }
        }
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
fn access_fault(pc: u32, violation: Violation) -> WarpFault {
    WarpFault { pc, lane: violation.lane, cause: Cause::Access(violation) }
}

/// Counts one access; `operation` is 0 for loads, 1 for stores, 2 for atomics.
fn count(
    traffic: &mut Traffic,
    space: MemorySpace,
    operation: usize,
    addresses: &[u64; LANES],
    mask: u32,
    bytes: u64,
) {
    use TrafficKind::*;
    match space {
        MemorySpace::Global | MemorySpace::Generic => {
            let kind = [GlobalLoad, GlobalStore, GlobalAtomic][operation];
            traffic::global(traffic, kind, addresses, mask, bytes);
        }
        MemorySpace::Shared => {
            let kind = [SharedLoad, SharedStore, SharedAtomic][operation];
            traffic::shared(traffic, kind, addresses, mask, bytes);
        }
        // Local memory is interleaved on the device, so that lanes with one offset share sectors:
        // each word of a warp is a line of its own.
        MemorySpace::Local => {
            let kind = [LocalLoad, LocalStore, LocalStore][operation];
            let interleaved: [u64; LANES] = std::array::from_fn(|lane| {
                addresses[lane] / bytes * bytes * LANES as u64 + lane as u64 * bytes
            });
            let lead = interleaved[mask.trailing_zeros() as usize & 31];
            let active =
                std::array::from_fn(
                    |lane| if mask >> lane & 1 != 0 { interleaved[lane] } else { lead },
                );
            traffic::global(traffic, kind, &active, mask, bytes);
        }
        MemorySpace::Param => {}
    }
}

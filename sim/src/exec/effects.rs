//! Operations that change memory or registers in ways of their own, and leave the lanes where they are.
//!
//! What they access is told to the probe here; plain loads and stores have functions of their own.

use crate::fault::AccessKind;
use crate::program::{Code, Inst, MemorySpace, Op, SystemCall};

use super::block::Environment;
use super::lanes::LANES;
use super::memory::{Touch, View, copy_async};
use super::probe::{AccessEvent, At, Probe};
use super::warp::{Warp, WarpFault, access_fault};
use super::{atomic, cluster, image, memory_barrier, moves, system};

impl Warp {
    /// Runs an operation in the lanes of `at`; whether it looks at what other threads write.
    pub(super) fn effect<P: Probe>(
        &mut self,
        environment: &Environment<'_>,
        turn: u64,
        view: &mut View<'_>,
        probe: &mut P,
        inst: &Inst,
        at: At,
    ) -> Result<bool, WarpFault> {
        let (pc, enabled) = (at.site, at.lanes);
        let fault = |(lane, cause)| WarpFault { pc, lane, cause };
        let registers = &mut self.registers;
        match inst.op {
            Op::Atomic { releases, .. } => {
                if P::listens() && releases {
                    probe.fence(at);
                }
                let located = atomic::execute(view, registers, inst, enabled, pc as usize);
                let (space, addresses, bytes) = located.map_err(|v| access_fault(pc, v))?;
                if P::listens() {
                    let kind = AccessKind::Atomic;
                    let event = AccessEvent::new(at, kind, (space, &addresses), bytes as u32, view);
                    probe.access(&AccessEvent { strong: true, ..event });
                }
                return Ok(true);
            }
            Op::CopyAsync { .. } => {
                let located = copy_async(view, registers, inst, enabled, pc as usize);
                let (bytes, targets, sources, reading) =
                    located.map_err(|v| access_fault(pc, v))?;
                if P::listens() {
                    let mut tell = |kind, space, lanes, addresses| {
                        let at = At { lanes, ..at };
                        let event = AccessEvent::new(at, kind, (space, addresses), bytes, view);
                        probe.access(&AccessEvent { asynchronous: true, ..event });
                    };
                    if reading != 0 {
                        tell(AccessKind::Read, MemorySpace::Global, reading, &sources);
                    }
                    tell(AccessKind::Write, MemorySpace::Shared, enabled, &targets);
                }
            }
            Op::AtomicWide { .. } => {
                view.changes += 1;
                atomic::execute_wide(view, registers, inst, enabled)
                    .map_err(|v| access_fault(pc, v))?;
                tell_touched(view, probe, at, true);
                return Ok(true);
            }
            Op::MemoryBarrier(barrier) => {
                view.changes += u64::from(barrier.op.changes());
                // Arriving releases what the thread did before.
                if P::listens() {
                    probe.fence(at);
                }
                memory_barrier::execute(view, registers, inst, enabled, barrier).map_err(fault)?;
                tell_touched(view, probe, at, true);
                return Ok(true);
            }
            Op::CopyBulk { .. } | Op::ReduceBulk { .. } | Op::ClearBulk => {
                view.changes += 1;
                memory_barrier::copy(view, registers, inst, enabled)
                    .map_err(|v| access_fault(pc, v))?;
                tell_touched(view, probe, at, false);
            }
            Op::Image(access, list) => {
                view.changes += 1;
                let code = environment.code;
                let rows = &code.lists[list.start as usize..][..list.count as usize];
                let images = &environment.images;
                image::execute(view, images, registers, inst, enabled, access, rows)
                    .map_err(fault)?;
                tell_touched(view, probe, at, false);
            }
            Op::System(call) => {
                view.changes += 1;
                let services = &environment.services;
                // The result may take the register of the argument.
                let sizes = (P::listens() && call == SystemCall::Malloc)
                    .then(|| *registers.wide(inst.src[0]));
                system::execute(call, view, registers, inst, enabled, services, turn)
                    .map_err(fault)?;
                view.touched.take();
                if let Some(sizes) = sizes {
                    let addresses = *registers.wide(inst.dst);
                    for lane in at.each_lane().map(|lane| lane as usize) {
                        if addresses[lane] != 0 {
                            probe.heap_block(addresses[lane], sizes[lane]);
                        }
                    }
                }
            }
            Op::MapRank { .. } | Op::RankOf { .. } => {
                cluster::execute(registers, view, inst, enabled);
            }
            Op::ReadClock(_) => {
                moves::execute(registers, inst, enabled, environment.code, self.executed);
            }
            _ => debug_assert!(matches!(inst.op, Op::Nop), "the plan has functions for all others"),
        }
        Ok(false)
    }

    /// Tells of a load or store that was made.
    pub(super) fn tell_access<P: Probe>(
        &self,
        code: &Code,
        view: &View<'_>,
        probe: &mut P,
        inst: &Inst,
        at: At,
    ) {
        let (kind, access, stored) = match inst.op {
            Op::Load(access, _) => (AccessKind::Read, access, None),
            Op::Store(access, list) => {
                let rows = &code.lists[list.start as usize..][..list.count as usize];
                (AccessKind::Write, access, Some((&self.registers, rows, access)))
            }
            _ => return,
        };
        if access.releases {
            probe.fence(at);
        }
        let (space, addresses) = &view.located;
        let event = AccessEvent::new(at, kind, (*space, addresses), access.width(), view);
        probe.access(&AccessEvent { strong: access.strong, stored, ..event });
    }
}

/// Tells a probe of accesses that were made lane by lane. Strong ones synchronize.
pub(super) fn tell_touched(view: &View<'_>, probe: &mut impl Probe, at: At, strong: bool) {
    for Touch { lane, space, address, bytes, access } in view.touched.take() {
        let at = At { lanes: 1 << lane, ..at };
        let kind = if strong { AccessKind::Atomic } else { access };
        let addresses = [address; LANES];
        let event = AccessEvent::new(at, kind, (space, &addresses), bytes, view);
        probe.access(&AccessEvent { strong, part: true, ..event });
    }
}

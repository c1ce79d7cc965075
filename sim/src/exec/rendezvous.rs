//! Where lanes wait for one another: collective operations and barriers.

use crate::fault::FaultKind;
use crate::program::{BarrierKind, Inst, Op, PRED_TRUE};

use super::block::BlockState;
use super::collective;
use super::lanes::{LANES, store};
use super::warp::{Cause, Split, State, Warp, WarpFault};

impl Warp {
    /// Lets the lanes waiting at a barrier go on, with its result.
    pub(super) fn release(&mut self, barrier: u32, all: bool, any: bool, count: u32) {
        for split in &mut self.splits {
            let State::Barrier { number, kind, dst, enabled, .. } = split.state else { continue };
            if number != barrier {
                continue;
            }
            match kind {
                BarrierKind::Sync | BarrierKind::Arrive => {}
                BarrierKind::Popc => store(&mut self.registers, dst, enabled, &[count; LANES]),
                BarrierKind::And => {
                    self.registers.set_predicate(dst, enabled, if all { u32::MAX } else { 0 })
                }
                BarrierKind::Or => {
                    self.registers.set_predicate(dst, enabled, if any { u32::MAX } else { 0 })
                }
            }
            split.state = State::Ready;
            split.pc += 1;
        }
        self.idle_slices = 0;
    }

    /// The lanes that a collective operation names.
    pub(super) fn members(&self, inst: &Inst, enabled: u32) -> u32 {
        self.registers.narrow(collective::member_row(inst))[enabled.trailing_zeros() as usize & 31]
    }

    /// The lanes of `enabled` by the lanes that each of them names: a warp whose tiles are together
    /// executes one operation for each tile. Members and those of them that are here.
    pub(super) fn groups(&self, inst: &Inst, enabled: u32) -> impl Iterator<Item = (u32, u32)> {
        let members = *self.registers.narrow(collective::member_row(inst));
        let mut left = enabled;
        std::iter::from_fn(move || {
            let named = *members.get(left.trailing_zeros() as usize)?;
            let here = (0..LANES)
                .filter(|&lane| left >> lane & 1 != 0 && members[lane] == named)
                .fold(0, |here, lane| here | 1 << lane);
            left &= !here;
            Some((named, here))
        })
    }

    /// Runs a collective operation once all its lanes are there, in whatever splits.
    pub(super) fn gather(&mut self, inst: &Inst, pc: u32) {
        // Matrices need memory too: the last lanes to come run them.
        if inst.op.is_matrix() {
            return;
        }
        let is_sync = inst.op == Op::WarpSync;
        // `bar.warp.sync` joins lanes from different places that name the same members.
        let mut groups: Vec<u32> = Vec::new();
        for split in &self.splits {
            if let State::Collective { members, .. } = split.state
                && (split.pc == pc || is_sync)
                && !groups.contains(&members)
            {
                groups.push(members);
            }
        }
        for group in groups {
            let belongs = |split: &Split| match split.state {
                State::Collective { members, enabled }
                    if members == group && (split.pc == pc || is_sync) =>
                {
                    enabled
                }
                _ => 0,
            };
            let here = self.splits.iter().fold(0, |lanes, split| lanes | belongs(split));
            if here != 0 && group & self.live & !here == 0 {
                collective::execute(&mut self.registers, inst, here);
                for split in &mut self.splits {
                    if belongs(split) != 0 {
                        split.pc += 1;
                        split.state = State::Ready;
                    }
                }
                if is_sync {
                    self.unite(here);
                }
            }
        }
    }

    /// Lets lanes that have waited for each other go on together where they stand at one place.
    fn unite(&mut self, lanes: u32) {
        let mut at = 0;
        while at < self.splits.len() {
            let Split { pc, mask, reconvergence, frame, state } = self.splits[at];
            at += 1;
            if state != State::Ready || mask & lanes == 0 {
                continue;
            }
            let place = (pc, reconvergence, frame);
            let is_there = |split: &Split| {
                split.state == State::Ready
                    && split.mask & lanes != 0
                    && (split.pc, split.reconvergence, split.frame) == place
            };
            let others = self.splits[at..].iter().filter(|split| is_there(split));
            self.splits[at - 1].mask = others.fold(mask, |all, split| all | split.mask);
            let mut index = 0;
            self.splits.retain(|split| {
                index += 1;
                index <= at || !is_there(split)
            });
        }
    }

    /// The lanes that wait at a matrix operation.
    pub(super) fn rallied(&self, pc: u32) -> u32 {
        self.splits.iter().filter(|split| split.pc == pc).fold(0, |lanes, split| {
            match split.state {
                State::Collective { enabled, .. } => lanes | enabled,
                _ => lanes,
            }
        })
    }

    /// Lets the lanes go on that waited at a matrix operation.
    pub(super) fn disperse(&mut self, pc: u32) {
        for split in self.splits.iter_mut().filter(|split| split.pc == pc) {
            if let State::Collective { .. } = split.state {
                split.pc += 1;
                split.state = State::Ready;
            }
        }
    }

    /// After lanes have exited: collective operations that waited for them only.
    pub(super) fn gather_all(&mut self, insts: &[Inst]) {
        let waiting: Vec<u32> = self
            .splits
            .iter()
            .filter(|split| matches!(split.state, State::Collective { .. }))
            .map(|split| split.pc)
            .collect();
        for pc in waiting {
            self.gather(&insts[pc as usize], pc);
        }
    }

    /// Lanes arrive at a barrier.
    pub(super) fn barrier(
        &mut self,
        inst: &Inst,
        pc: u32,
        enabled: u32,
        (kind, aligned, counted): (BarrierKind, bool, bool),
        block: &mut BlockState,
    ) -> Result<State, WarpFault> {
        let lane = enabled.trailing_zeros() as usize & 31;
        let fault =
            |kind, detail: String| WarpFault { pc, lane, cause: Cause::Other(kind, detail) };
        let number = self.registers.narrow(inst.src[0])[lane];
        let count = if counted { Some(self.registers.narrow(inst.src[1])[lane]) } else { None };
        if number >= 16 {
            return Err(fault(FaultKind::BarrierNumber, format!("barrier {number}: there are 16")));
        }
        let elsewhere = self.splits.iter().any(|split| {
            matches!(split.state, State::Barrier { aligned: true, .. }) && split.pc != pc && aligned
        });
        if elsewhere && kind != BarrierKind::Arrive {
            let detail = "other lanes of this warp wait at another barrier".to_string();
            return Err(fault(FaultKind::BarrierDivergence, detail));
        }
        let reduced = match kind {
            BarrierKind::Sync | BarrierKind::Arrive => PRED_TRUE << 1,
            _ => inst.src[2],
        };
        let holds = self.registers.predicate(reduced) & enabled;
        // A whole warp counts as 32 threads even where some have exited.
        let threads = if count.is_some() && enabled == self.live {
            LANES as u32
        } else {
            enabled.count_ones()
        };
        block.arrive(number, threads, count, holds.count_ones(), holds == enabled);
        Ok(State::Barrier { number, kind, aligned, dst: inst.dst, enabled })
    }
}

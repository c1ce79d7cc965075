//! Calls: where lanes return to, and the registers that a recursion saves.
//!
//! Each call makes a record; the lanes that made it share it until they have returned. Lanes that
//! part inside may return one after the other, and meet at the join behind the call. Every function
//! has registers of its own, and every lane its own column of them, so only a call within a recursion
//! has registers to keep: those of its caller.

use std::ops::Range;

use crate::fault::FaultKind;
use crate::program::{Code, Function, Inst, NOWHERE, Op, function_at};

use super::lanes::{LANES, Registers, Row, store};
use super::warp::{Cause, Split, State, Warp, WarpFault};

/// The frame of the kernel itself.
pub(super) const NO_FRAME: u32 = u32::MAX;

/// A call that some lanes have not returned from.
#[derive(Debug, Default)]
struct CallFrame {
    return_to: u32,
    /// The frame that the lanes return to.
    parent: u32,
    lanes: u32,
    /// The function whose registers are saved, and they.
    saved: u32,
    rows: Vec<Row>,
    predicates: Vec<u32>,
}

/// The calls of a warp.
#[derive(Debug, Default)]
pub(super) struct Calls {
    frames: Vec<CallFrame>,
    free: Vec<u32>,
    /// Calls made, so that a recursion without branches meets the instruction budget too.
    made: u32,
}

/// Calls between two looks at the instruction budget.
const CALLS_BETWEEN_CHECKS: u32 = 1024;

impl Calls {
    pub(super) fn clear(&mut self) {
        self.frames.clear();
        self.free.clear();
        self.made = 0;
    }

    /// Whether it is time to look at the instruction budget.
    pub(super) fn is_check_due(&self) -> bool {
        self.made.is_multiple_of(CALLS_BETWEEN_CHECKS)
    }

    /// Makes the record of a call by `lanes`, whose frame is `parent`.
    pub(super) fn enter(
        &mut self,
        code: &Code,
        registers: &Registers,
        (return_to, parent, lanes, saved): (u32, u32, u32, u32),
    ) -> u32 {
        self.made = self.made.wrapping_add(1);
        let slot = self.free.pop().unwrap_or_else(|| {
            self.frames.push(CallFrame::default());
            self.frames.len() as u32 - 1
        });
        let frame = &mut self.frames[slot as usize];
        (frame.return_to, frame.parent, frame.lanes, frame.saved) =
            (return_to, parent, lanes, saved);
        frame.rows.clear();
        frame.predicates.clear();
        if saved != NOWHERE {
            let function = &code.functions[saved as usize];
            frame.rows.extend_from_slice(&registers.rows[span(&function.rows)]);
            frame.predicates.extend_from_slice(&registers.predicates[span(&function.predicates)]);
        }
        slot
    }

    /// Lanes return: where to, and the frame they return to. Saved registers are put back.
    pub(super) fn leave(
        &mut self,
        code: &Code,
        registers: &mut Registers,
        frame: u32,
        lanes: u32,
    ) -> (u32, u32) {
        let record = &self.frames[frame as usize];
        if record.saved != NOWHERE {
            let function = &code.functions[record.saved as usize];
            restore(registers, function, &record.rows, lanes);
            for (number, value) in function.predicates.clone().zip(&record.predicates) {
                registers.set_predicate(number, lanes, *value);
            }
        }
        let target = (record.return_to, record.parent);
        self.drop_lanes(frame, lanes);
        target
    }

    fn drop_lanes(&mut self, frame: u32, lanes: u32) {
        let record = &mut self.frames[frame as usize];
        record.lanes &= !lanes;
        if record.lanes == 0 {
            self.free.push(frame);
        }
    }

    /// Takes lanes that exit out of every call they are in.
    pub(super) fn exit(&mut self, lanes: u32, mut frame: u32) {
        while frame != NO_FRAME {
            let parent = self.frames[frame as usize].parent;
            self.drop_lanes(frame, lanes);
            frame = parent;
        }
    }
}

/// Puts the rows of a function back in some lanes.
fn restore(registers: &mut Registers, function: &Function, rows: &[Row], lanes: u32) {
    if lanes == u32::MAX {
        registers.rows[span(&function.rows)].copy_from_slice(rows);
        return;
    }
    let mut wide = function.wide_rows.iter().copied().peekable();
    let mut at = 0;
    while at < rows.len() {
        let row = function.rows.start + at as u32;
        if wide.next_if_eq(&row).is_some() {
            // A lane of 64 bits lies in one half of the pair.
            let words = |lane: usize| [2 * lane, 2 * lane + 1];
            for lane in (0..LANES).filter(|lane| lanes >> lane & 1 != 0) {
                for word in words(lane) {
                    registers.rows[row as usize + word / LANES].0[word % LANES] =
                        rows[at + word / LANES].0[word % LANES];
                }
            }
            at += 2;
        } else {
            for lane in (0..LANES).filter(|lane| lanes >> lane & 1 != 0) {
                registers.rows[row as usize].0[lane] = rows[at].0[lane];
            }
            at += 1;
        }
    }
}

fn span(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

impl Warp {
    /// Calls what the address in each lane says; lanes with one target go together.
    pub(super) fn call_indirect(
        &mut self,
        code: &Code,
        inst: &Inst,
        (pc, mask, reconvergence, frame): (u32, u32, u32, u32),
    ) -> Result<(), WarpFault> {
        let Op::CallIndirect { saved } = inst.op else { return Ok(()) };
        let addresses = *self.registers.wide(inst.src[0]);
        let outer = self.reconverge_at(pc + 1, mask, reconvergence, frame);
        let mut left = mask;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            let same = (0..LANES)
                .filter(|&l| left >> l & 1 != 0 && addresses[l] == addresses[lane])
                .fold(0, |same, l| same | 1u32 << l);
            left &= !same;
            let found = function_at(addresses[lane])
                .and_then(|number| code.pointers.iter().find(|pointer| pointer.0 == number));
            let Some(&(_, function)) = found else {
                let detail = format!("no function is at {:#x}", addresses[lane]);
                return Err(WarpFault {
                    pc,
                    lane,
                    cause: Cause::Other(FaultKind::CallTarget, detail),
                });
            };
            let inner = self.calls.enter(code, &self.registers, (pc + 1, frame, same, saved));
            self.splits.push(Split {
                pc: code.functions[function as usize].entry,
                mask: same,
                reconvergence: outer,
                frame: inner,
                state: State::Ready,
            });
        }
        Ok(())
    }
}

impl Warp {
    /// Takes memory of the stack in some lanes.
    pub(super) fn allocate(
        &mut self,
        code: &Code,
        inst: &Inst,
        pc: u32,
        mask: u32,
    ) -> Result<(), WarpFault> {
        let Op::Allocate { align, sized } = inst.op else { return Ok(()) };
        let align = u64::from(align.max(1));
        let (mut places, mut tops) = ([0u64; LANES], [0u64; LANES]);
        for lane in 0..LANES {
            let size = if sized { self.registers.wide(inst.src[1])[lane] } else { inst.imm as u64 };
            let top = self.registers.wide(inst.src[0])[lane];
            places[lane] = top.checked_next_multiple_of(align).unwrap_or(u64::MAX);
            tops[lane] = places[lane].saturating_add(size);
            if mask >> lane & 1 != 0 && tops[lane] > code.local_bytes {
                let detail = format!("{} bytes of local memory are all in use", code.local_bytes);
                let cause = Cause::Other(FaultKind::StackOverflow, detail);
                return Err(WarpFault { pc, lane, cause });
            }
        }
        store(&mut self.registers, inst.dst, mask, &places);
        store(&mut self.registers, inst.src[0], mask, &tops);
        Ok(())
    }
}

/// The fault of a lane whose index is not one of a list of branch targets.
#[cold]
pub(super) fn beyond_table(pc: u32, lane: usize, index: u32, targets: usize) -> WarpFault {
    let detail = format!("the index is {index}, and the list has {targets} targets");
    WarpFault { pc, lane, cause: Cause::Other(FaultKind::BranchIndex, detail) }
}

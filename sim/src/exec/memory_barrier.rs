//! Barriers in shared memory (`mbarrier`) and the copies that complete on them.
//!
//! The object of 64 bits is ours to lay out: pending arrivals in bits 0 to 19, arrivals of a phase
//! in 20 to 39, bytes that are still to come in 40 to 60 (two's complement), and a count of phases
//! above (PTX ISA §9.7.13.15). Copies are made at once, so that every wait finds them done.

use crate::fault::{AccessKind, FaultKind};
use crate::host_memory;
use crate::program::{Inst, MemoryBarrier, MemoryBarrierOp, MemorySpace, Op, window};

use super::atomic::{Unit, combine};
use super::lanes::{LANES, Registers, store};
use super::memory::{View, Violation};
use super::warp::Cause;

/// Most arrivals, and bytes to come, of a phase.
const MOST: u64 = (1 << 20) - 1;

/// The fields of the object.
#[derive(Clone, Copy)]
struct Barrier {
    pending: u64,
    expected: u64,
    transactions: i64,
    phase: u64,
}

impl Barrier {
    fn unpack(word: u64) -> Barrier {
        Barrier {
            pending: word & MOST,
            expected: word >> 20 & MOST,
            transactions: (word << 3) as i64 >> 43,
            phase: word >> 61,
        }
    }

    fn pack(self) -> u64 {
        self.pending
            | self.expected << 20
            | (self.transactions as u64 & 0x1f_ffff) << 40
            | self.phase << 61
    }

    /// Ends the phase if nobody and nothing is missing.
    fn settle(&mut self) {
        if self.pending == 0 && self.transactions == 0 {
            self.pending = self.expected;
            self.phase = (self.phase + 1) & 7;
        }
    }
}

/// Runs an operation in the lanes of `mask`, in their order.
pub(super) fn execute(
    view: &View<'_>,
    registers: &mut Registers,
    inst: &Inst,
    mask: u32,
    MemoryBarrier { op, narrow_address, counted, multicast }: MemoryBarrier,
) -> Result<(), (usize, Cause)> {
    let mut words = [0u64; LANES];
    let mut holds = 0;
    let mut counts = [0u32; LANES];
    for lane in (0..LANES).filter(|lane| mask >> lane & 1 != 0) {
        let misuse = |text: &str| (lane, Cause::Other(FaultKind::MemoryBarrier, text.to_string()));
        if op == MemoryBarrierOp::Pending {
            counts[lane] = Barrier::unpack(registers.wide(inst.src[1])[lane]).pending as u32;
            continue;
        }
        let address = registers.address(inst.src[0], inst.imm, narrow_address, lane);
        if multicast {
            let blocks = registers.narrow(inst.src[2])[lane];
            let bytes = i64::from(registers.narrow(inst.src[1])[lane]);
            for address in in_blocks(blocks, shared(address)) {
                let cell = cell(view, lane, address)?;
                // SAFETY: as below.
                let mut barrier = Barrier::unpack(unsafe { cell.read() });
                barrier.transactions -= bytes;
                barrier.settle();
                // SAFETY: as below.
                unsafe { cell.write(barrier.pack()) };
            }
            continue;
        }
        let cell = cell(view, lane, shared(address))?;
        // SAFETY: `cell` has checked eight bytes and their alignment; the warps of a cluster, which
        // alone see its shared memory, take turns.
        let word = unsafe { cell.read() };
        words[lane] = word;
        let mut barrier = Barrier::unpack(word);
        let count = if counted { u64::from(registers.narrow(inst.src[1])[lane]) } else { 1 };
        if count > MOST {
            return Err(misuse("a count of more than 2^20 - 1"));
        }
        match op {
            MemoryBarrierOp::Init => {
                if count == 0 {
                    return Err(misuse("no thread is expected"));
                }
                barrier = Barrier { pending: count, expected: count, transactions: 0, phase: 0 };
            }
            MemoryBarrierOp::Invalidate => barrier = Barrier::unpack(0),
            MemoryBarrierOp::Arrive { drop } | MemoryBarrierOp::ArriveExpect { drop } => {
                let expects = matches!(op, MemoryBarrierOp::ArriveExpect { .. });
                let arrivals = if expects { 1 } else { count };
                if expects {
                    barrier.transactions += count as i64;
                }
                if arrivals > barrier.pending {
                    return Err(misuse("more threads arrive than are expected"));
                }
                barrier.pending -= arrivals;
                if drop {
                    barrier.expected = barrier.expected.saturating_sub(arrivals);
                }
                barrier.settle();
            }
            MemoryBarrierOp::Expect => barrier.transactions += count as i64,
            MemoryBarrierOp::Complete => {
                barrier.transactions -= count as i64;
                barrier.settle();
            }
            MemoryBarrierOp::Test => {
                let state = Barrier::unpack(registers.wide(inst.src[1])[lane]);
                holds |= u32::from(state.phase != barrier.phase) << lane;
            }
            MemoryBarrierOp::TestParity => {
                let parity = u64::from(registers.narrow(inst.src[1])[lane]) & 1;
                holds |= u32::from(barrier.phase & 1 != parity) << lane;
            }
            MemoryBarrierOp::Pending => {}
        }
        if barrier.transactions.unsigned_abs() > MOST {
            return Err(misuse("more than 2^20 - 1 bytes are to come"));
        }
        if !matches!(op, MemoryBarrierOp::Test | MemoryBarrierOp::TestParity) {
            // SAFETY: as above.
            unsafe { cell.write(barrier.pack()) };
        }
    }
    match op {
        MemoryBarrierOp::Test | MemoryBarrierOp::TestParity => {
            registers.set_predicate(inst.dst, mask, holds);
        }
        MemoryBarrierOp::Pending => store(registers, inst.dst, mask, &counts),
        MemoryBarrierOp::Arrive { .. } | MemoryBarrierOp::ArriveExpect { .. } => {
            store(registers, inst.dst, mask, &words);
        }
        _ => {}
    }
    Ok(())
}

/// A barrier's address in the generic space: those of shared memory may come without their window.
fn shared(address: u64) -> u64 {
    if address < window::SIZE { address + window::SHARED } else { address }
}

/// The eight bytes of a barrier.
fn cell(view: &View<'_>, lane: usize, address: u64) -> Result<*mut u64, (usize, Cause)> {
    view.cell(lane, MemorySpace::Generic, address, 8, AccessKind::Atomic)
        .map(<*mut u8>::cast)
        .map_err(|violation| (lane, Cause::Access(violation)))
}

/// An address in shared memory, as each block of a set has it.
fn in_blocks(blocks: u32, address: u64) -> impl Iterator<Item = u64> {
    let window = address & !(window::SIZE - 1);
    let offset = address & (window::BLOCK - 1);
    let ranks = (0..16u64).filter(move |rank| blocks >> rank & 1 != 0);
    ranks.map(move |rank| window | ((rank + 1) * window::BLOCK) | offset)
}

/// `cp.async.bulk`: copies a multiple of 16 bytes between spaces.
pub(super) fn copy(
    view: &View<'_>,
    registers: &Registers,
    inst: &Inst,
    mask: u32,
) -> Result<(), Violation> {
    let (to, from, multicast, reduction) = match inst.op {
        Op::CopyBulk { to, from, multicast } => (to, from, multicast, None),
        Op::ReduceBulk { to, from, op, ty } => (to, from, false, Some((op, ty))),
        _ => return clear(view, registers, inst, mask),
    };
    for lane in (0..LANES).filter(|lane| mask >> lane & 1 != 0) {
        let [target, source] = [0, 1].map(|i| registers.wide(inst.src[i])[lane]);
        let bytes = registers.narrow(inst.src[2])[lane];
        for (space, address, access) in
            [(to, target, AccessKind::Write), (from, source, AccessKind::Read)]
        {
            if (address | u64::from(bytes)) & 15 != 0 {
                return Err(Violation {
                    lane,
                    address,
                    space,
                    bytes: 16,
                    access,
                    misaligned: true,
                });
            }
        }
        if bytes == 0 {
            continue;
        }
        let source = view.stretch(lane, from, source, bytes, AccessKind::Read)?;
        let blocks = multicast.then(|| registers.narrow(inst.src[3])[lane]);
        let one = blocks.is_none().then_some(target);
        for target in one.into_iter().chain(in_blocks(blocks.unwrap_or(0), target)) {
            let access = if reduction.is_some() { AccessKind::Atomic } else { AccessKind::Write };
            let target = view.stretch(lane, to, target, bytes, access)?;
            let Some((op, ty)) = reduction else {
                // SAFETY: `stretch` has checked so many bytes at both ends.
                unsafe { host_memory::copy_within(source, target, bytes as usize) };
                continue;
            };
            let width = usize::from(ty.bytes());
            for at in (0..bytes as usize).step_by(width) {
                // SAFETY: as above; both ends are aligned to 16 bytes, a multiple of the width.
                unsafe {
                    let value = host_memory::load_bits(source.add(at), width as u32);
                    combine(target.add(at), op, ty, Unit::of(to), value);
                }
            }
        }
    }
    Ok(())
}

/// `st.bulk`: clears a multiple of 8 bytes of shared memory.
fn clear(view: &View<'_>, registers: &Registers, inst: &Inst, mask: u32) -> Result<(), Violation> {
    for lane in (0..LANES).filter(|lane| mask >> lane & 1 != 0) {
        let address = shared(registers.wide(inst.src[0])[lane]);
        // More than there is stays more.
        let bytes = registers.wide(inst.src[1])[lane].min(u32::MAX.into()) as u32;
        let space = MemorySpace::Generic;
        if (address | u64::from(bytes)) & 7 != 0 {
            let (bytes, access) = (8, AccessKind::Write);
            return Err(Violation { lane, address, space, bytes, access, misaligned: true });
        }
        if bytes != 0 {
            let target = view.stretch(lane, space, address, bytes, AccessKind::Write)?;
            // SAFETY: `stretch` has checked so many bytes.
            unsafe { host_memory::fill(target, 0, bytes as usize) };
        }
    }
    Ok(())
}

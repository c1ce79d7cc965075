//! Registers: which an instruction reads and writes, and how many a kernel needs.

use crate::program::{Code, Combine, Inst, MemoryBarrierOp, NO_ROW, Op, PRED_CARRY, VoteOp};

/// A register row, or a predicate with [`PREDICATE`] set.
pub(super) type Register = u32;

/// Marks a predicate.
pub(super) const PREDICATE: Register = 1 << 31;

/// A predicate as a register.
fn predicate(number: u32) -> Register {
    number | PREDICATE
}

/// A predicate source (`number << 1 | negated`) as a register.
fn predicate_source(source: u32) -> Register {
    predicate(source >> 1)
}

/// What an instruction reads, its guard among it, and what it writes.
#[derive(Debug, Default, Clone)]
pub(super) struct Uses {
    pub(super) reads: Vec<Register>,
    pub(super) writes: Vec<Register>,
}

/// The registers of one instruction.
pub(super) fn uses(code: &Code, inst: &Inst) -> Uses {
    let list = |list: crate::program::List| {
        let rows = &code.lists[list.start as usize..][..list.count as usize];
        rows.iter().copied().filter(|&row| row != NO_ROW)
    };
    let rows = |count: usize| inst.src[..count].iter().copied().filter(|&row| row != NO_ROW);
    let mut out = Uses::default();
    let Uses { reads, writes } = &mut out;
    if inst.guard >> 1 != crate::program::PRED_TRUE {
        reads.push(predicate_source(inst.guard));
    }
    match inst.op {
        Op::Nop | Op::Join | Op::Branch { .. } | Op::Return | Op::Exit | Op::Trap | Op::Fence => {}
        Op::Yield | Op::Refused | Op::WarpSync | Op::Barrier { .. } | Op::Call { .. } => {}
        Op::Load(_, registers) => {
            reads.extend(rows(1));
            writes.extend(list(registers));
        }
        Op::Store(_, registers) => {
            reads.extend(rows(1));
            reads.extend(list(registers));
        }
        Op::WarpGroupMultiply(multiply, registers) => {
            reads.extend(rows(2));
            reads.extend(list(registers));
            let results = usize::from(registers.count - multiply.a_registers);
            writes.extend(list(registers).take(results));
        }
        Op::Image(access, registers) => {
            reads.extend(rows(1));
            reads.extend(list(registers).skip(access.results.into()));
            writes.extend(list(registers).take(access.results.into()));
        }
        Op::Unpack { list: parts, .. } => {
            reads.extend(rows(1));
            writes.extend(list(parts));
        }
        Op::Pack { list: parts, .. } => {
            reads.extend(list(parts));
            writes.push(inst.dst);
        }
        Op::Multiply(_, registers)
        | Op::LoadMatrix(_, registers)
        | Op::StoreMatrix(_, registers)
        | Op::LoadTiles(_, registers)
        | Op::StoreTiles(_, registers) => {
            reads.extend(rows(2));
            reads.extend(list(registers));
            if !matches!(inst.op, Op::StoreMatrix(..) | Op::StoreTiles(..)) {
                writes.extend(list(registers));
            }
        }
        Op::Setp(_, combine) => {
            reads.extend(rows(2));
            if combine != Combine::None {
                reads.push(predicate_source(inst.src[2]));
            }
            writes.extend([predicate(inst.dst), predicate(inst.dst2)]);
        }
        Op::Set { combine, .. } => {
            reads.extend(rows(2));
            if combine != Combine::None {
                reads.push(predicate_source(inst.src[2]));
            }
            writes.push(inst.dst);
        }
        Op::Selp { .. } => {
            reads.extend(rows(2));
            reads.push(predicate_source(inst.src[2]));
            writes.push(inst.dst);
        }
        Op::PredBinary(_) => {
            reads.extend([predicate_source(inst.src[0]), predicate_source(inst.src[1])]);
            writes.push(predicate(inst.dst));
        }
        Op::PredNot | Op::MovePred => {
            reads.push(predicate_source(inst.src[0]));
            writes.push(predicate(inst.dst));
        }
        Op::Vote(op) => {
            reads.push(predicate_source(inst.src[0]));
            let row = op == VoteOp::Ballot;
            writes.push(if row { inst.dst } else { predicate(inst.dst) });
        }
        Op::Testp(..) | Op::IsSpace(_) => {
            reads.extend(rows(1));
            writes.push(predicate(inst.dst));
        }
        Op::MemoryBarrier(barrier) => {
            reads.extend(rows(2));
            let tests = matches!(barrier.op, MemoryBarrierOp::Test | MemoryBarrierOp::TestParity);
            writes.push(if tests { predicate(inst.dst) } else { inst.dst });
        }
        Op::Lop3Bool { .. } => {
            reads.extend(rows(3));
            reads.push(predicate_source(inst.src[3]));
            writes.extend([inst.dst, predicate(inst.dst2)]);
        }
        Op::Carry(_, takes, gives, _) => {
            reads.extend(rows(4));
            if takes {
                reads.push(predicate(PRED_CARRY));
            }
            writes.push(inst.dst);
            if gives {
                writes.push(predicate(PRED_CARRY));
            }
        }
        Op::Shuffle { .. } | Op::MatchAll { .. } | Op::Elect => {
            reads.extend(rows(4));
            writes.extend([inst.dst, predicate(inst.dst2)]);
        }
        _ => {
            reads.extend(rows(4));
            writes.push(inst.dst);
        }
    }
    writes.retain(|&register| register != NO_ROW);
    out
}

/// An estimate of the 32-bit registers of a thread that an assembler would need: the most that are
/// alive at one place, and what it keeps for itself. Device functions count with the code that is
/// laid out behind their callers.
pub(super) fn estimate(code: &Code) -> u32 {
    let count = code.insts.len();
    // Addresses of the stack and of the frame, and what scheduling keeps alive a little longer.
    const OWN: u32 = 6;
    let mut constant = vec![false; code.rows as usize + 2];
    for &(row, _) in &code.initial {
        constant[row as usize] = true;
    }
    let mut wide = vec![false; code.rows as usize + 2];
    for &row in &code.wide_rows {
        wide[row as usize] = true;
    }
    let uses: Vec<Uses> = code
        .insts
        .iter()
        .map(|inst| {
            let mut uses = uses(code, inst);
            let keep = |r: &Register| r & PREDICATE == 0 && !constant[*r as usize];
            uses.reads.retain(keep);
            uses.writes.retain(keep);
            uses
        })
        .collect();
    let mut live: Vec<Vec<u64>> = vec![Vec::new(); count + 1];
    let words = (code.rows as usize).div_ceil(64) + 1;
    live.iter_mut().for_each(|set| set.resize(words, 0));
    let mut changed = true;
    let mut now = vec![0u64; words];
    while changed {
        changed = false;
        for at in (0..count).rev() {
            now.fill(0);
            let mut join = |next: usize| {
                now.iter_mut().zip(&live[next]).for_each(|(all, one)| *all |= one);
            };
            let inst = &code.insts[at];
            let guarded = inst.guard >> 1 != crate::program::PRED_TRUE;
            match inst.op {
                Op::Branch { target, .. } => {
                    join(target as usize);
                    if guarded {
                        join(at + 1);
                    }
                }
                Op::BranchTable { .. } => {
                    for &target in &code.tables[inst.imm as usize] {
                        join(target as usize);
                    }
                }
                Op::Exit | Op::Return | Op::Trap | Op::Refused if !guarded => {}
                _ => join(at + 1),
            }
            // A guarded write keeps what was there.
            if !guarded {
                for &row in &uses[at].writes {
                    now[row as usize / 64] &= !(1 << (row % 64));
                }
            }
            for &row in &uses[at].reads {
                now[row as usize / 64] |= 1 << (row % 64);
            }
            if now != live[at] {
                live[at].copy_from_slice(&now);
                changed = true;
            }
        }
    }
    let size = |set: &[u64]| -> u32 {
        let rows = set.iter().enumerate().flat_map(|(word, &bits)| {
            (0..64).filter(move |bit| bits >> bit & 1 != 0).map(move |bit| word * 64 + bit)
        });
        rows.map(|row| 1 + u32::from(wide[row])).sum()
    };
    let most = live.iter().map(|set| size(set)).max().unwrap_or(0);
    (most + OWN).next_multiple_of(8).min(255)
}

//! Shuffles, votes, matches and reductions among the lanes of a warp.

use crate::program::{Inst, Op, ReduxOp, ShuffleMode, VoteOp};

use super::lanes::{LANES, Registers, store};

/// The row of the lanes that an operation names.
pub(super) fn member_row(inst: &Inst) -> u32 {
    match inst.op {
        Op::Shuffle { .. } => inst.src[3],
        Op::Elect | Op::WarpSync => inst.src[0],
        _ => inst.src[1],
    }
}

/// Runs a collective operation. `mask` are the lanes that are here: those that name the same lanes, as
/// the tiles of a warp do, take part together.
pub(super) fn execute(registers: &mut Registers, inst: &Inst, mask: u32) {
    if inst.op == Op::ActiveMask {
        return together(registers, inst, mask);
    }
    let members = *registers.narrow(member_row(inst));
    let mut left = mask;
    while left != 0 {
        let named = members[left.trailing_zeros() as usize & 31];
        let same =
            (0..LANES).fold(0, |same, lane| same | u32::from(members[lane] == named) << lane);
        together(registers, inst, left & same);
        left &= !same;
    }
}

/// Runs a collective operation in the lanes of `mask`.
fn together(registers: &mut Registers, inst: &Inst, mask: u32) {
    match inst.op {
        Op::Shuffle { mode, predicate } => shuffle(registers, inst, mask, mode, predicate),
        Op::Vote(op) => {
            let holds = registers.predicate(inst.src[0]) & mask;
            let all = |condition: bool| if condition { u32::MAX } else { 0 };
            match op {
                VoteOp::All => registers.set_predicate(inst.dst, mask, all(holds == mask)),
                VoteOp::Any => registers.set_predicate(inst.dst, mask, all(holds != 0)),
                VoteOp::Uni => {
                    registers.set_predicate(inst.dst, mask, all(holds == mask || holds == 0))
                }
                VoteOp::Ballot => store(registers, inst.dst, mask, &[holds; LANES]),
            }
        }
        Op::MatchAny { wide } => {
            let values = values(registers, inst.src[0], wide);
            let mut out = [0u32; LANES];
            for (lane, out) in out.iter_mut().enumerate() {
                *out = (0..LANES)
                    .filter(|&other| mask >> other & 1 != 0 && values[other] == values[lane])
                    .fold(0, |same, other| same | 1 << other);
            }
            store(registers, inst.dst, mask, &out);
        }
        Op::MatchAll { wide, predicate } => {
            let values = values(registers, inst.src[0], wide);
            let first = values[mask.trailing_zeros() as usize & 31];
            let same = (0..LANES).all(|lane| mask >> lane & 1 == 0 || values[lane] == first);
            store(registers, inst.dst, mask, &[if same { mask } else { 0 }; LANES]);
            if predicate {
                registers.set_predicate(inst.dst2, mask, if same { u32::MAX } else { 0 });
            }
        }
        Op::Redux(op) => {
            let values = *registers.narrow(inst.src[0]);
            let active = (0..LANES).filter(|&lane| mask >> lane & 1 != 0).map(|lane| values[lane]);
            let result = active.reduce(|a, b| match op {
                ReduxOp::Add => a.wrapping_add(b),
                ReduxOp::MinU => a.min(b),
                ReduxOp::MinS => (a as i32).min(b as i32) as u32,
                ReduxOp::MaxU => a.max(b),
                ReduxOp::MaxS => (a as i32).max(b as i32) as u32,
                ReduxOp::And => a & b,
                ReduxOp::Or => a | b,
                ReduxOp::Xor => a ^ b,
            });
            store(registers, inst.dst, mask, &[result.unwrap_or(0); LANES]);
        }
        Op::ReduxFloat(extremum) => {
            let values = *registers.narrow(inst.src[0]);
            let result = super::extremum::over_lanes(extremum, &values, mask);
            store(registers, inst.dst, mask, &[result; LANES]);
        }
        Op::ActiveMask => store(registers, inst.dst, mask, &[mask; LANES]),
        Op::Elect => {
            let leader = mask.trailing_zeros() & 31;
            store(registers, inst.dst, mask, &[leader; LANES]);
            registers.set_predicate(inst.dst2, mask, 1 << leader);
        }
        _ => {}
    }
}

fn values(registers: &Registers, row: u32, wide: bool) -> [u64; LANES] {
    if wide { *registers.wide(row) } else { registers.narrow(row).map(u64::from) }
}

/// `shfl`: the segment and clamp come from the third operand, as the PTX manual defines them.
fn shuffle(registers: &mut Registers, inst: &Inst, mask: u32, mode: ShuffleMode, predicate: bool) {
    let [source, offsets, clamps] = [0, 1, 2].map(|i| *registers.narrow(inst.src[i]));
    let mut out = [0u32; LANES];
    let mut inside = 0u32;
    for lane in 0..LANES as u32 {
        let b = offsets[lane as usize] & 31;
        let c = clamps[lane as usize];
        let (clamp, segment) = (c & 31, c >> 8 & 31);
        let highest = lane & segment | clamp & !segment;
        let lowest = lane & segment;
        let (from, valid) = match mode {
            ShuffleMode::Up => (lane.wrapping_sub(b), lane as i32 - b as i32 >= highest as i32),
            ShuffleMode::Down => (lane + b, lane + b <= highest),
            ShuffleMode::Butterfly => (lane ^ b, lane ^ b <= highest),
            ShuffleMode::Index => {
                let from = lowest | b & !segment;
                (from, from <= highest)
            }
        };
        let from = if valid { from & 31 } else { lane };
        out[lane as usize] = source[from as usize];
        inside |= u32::from(valid) << lane;
    }
    store(registers, inst.dst, mask, &out);
    if predicate {
        registers.set_predicate(inst.dst2, mask, inside);
    }
}

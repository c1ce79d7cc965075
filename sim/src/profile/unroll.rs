//! Loops that an assembler unrolls completely.
//!
//! ptxas does so with inner loops of one block whose bounds are constants. What such a loop counts
//! with is then part of addresses and costs nothing, and loads of one iteration are neighbours of those
//! of the next.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::program::{
    Code, Compare, Initial, Inst, IntBinary, IntTernary, IntType, MemorySpace, Op,
};

use super::registers::{PREDICATE, Register, uses};

/// Instructions that an unrolled loop may have.
const MAX_UNROLLED: u64 = 4096;

/// A loop of one block with constant bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unrolled {
    /// Its instructions.
    pub(crate) body: Range<usize>,
    pub(crate) trips: u64,
    /// Those of them that only count, or compute what is the same in every iteration.
    pub(crate) free: Vec<usize>,
    /// Loads from shared memory of 4 bytes, with what their address moves by in an iteration.
    pub(crate) steps: HashMap<usize, i64>,
}

/// The loops of a kernel.
pub(crate) fn unrolled(code: &Code) -> Vec<Unrolled> {
    let constants: HashMap<u32, i64> = (code.initial.iter())
        .filter_map(|&(row, initial)| match initial {
            Initial::B32(bits) => Some((row, i64::from(bits as i32))),
            Initial::B64(bits) => Some((row, bits as i64)),
            _ => None,
        })
        .collect();
    let backwards = code.insts.iter().enumerate().filter_map(|(at, inst)| match inst.op {
        Op::Branch { target, .. } if target as usize <= at => Some((target as usize, at)),
        _ => None,
    });
    backwards
        .filter(|&(first, last)| {
            code.insts[first..last].iter().skip(1).all(|inst| {
                !matches!(
                    inst.op,
                    Op::Branch { .. }
                        | Op::BranchTable { .. }
                        | Op::Barrier { .. }
                        | Op::ClusterArrive { .. }
                        | Op::ClusterWait { .. }
                        | Op::Join
                        | Op::Call { .. }
                        | Op::CallIndirect { .. }
                        | Op::Return
                        | Op::Exit
                )
            })
        })
        .filter_map(|(first, last)| look_at(code, &constants, first..last + 1))
        .collect()
}

/// What is known of a value: how much it grows in an iteration.
type Step = Option<i64>;

fn look_at(code: &Code, constants: &HashMap<u32, i64>, body: Range<usize>) -> Option<Unrolled> {
    let insts = &code.insts[body.clone()];
    let all: Vec<_> = insts.iter().map(|inst| uses(code, inst)).collect();
    let written: HashSet<Register> = all.iter().flat_map(|uses| uses.writes.clone()).collect();
    // Registers that count: read before they are written, which is done once, by a constant.
    let mut steps: HashMap<Register, Step> = HashMap::new();
    let by_constant = |inst: &Inst| match inst.op {
        Op::IntBinary(op @ (IntBinary::Add | IntBinary::Sub), _) => {
            let step = *constants.get(&inst.src[1])?;
            Some((inst.src[0], if op == IntBinary::Sub { -step } else { step }))
        }
        _ => None,
    };
    for inst in insts {
        if let Some((from, step)) = by_constant(inst)
            && from == inst.dst
            && all.iter().filter(|uses| uses.writes.contains(&inst.dst)).count() == 1
        {
            steps.insert(inst.dst, Some(step));
        }
    }
    let counters: HashSet<Register> = steps.keys().copied().collect();
    let mut free = Vec::new();
    let mut loads = HashMap::new();
    let mut trips = None;
    for (number, (inst, uses)) in insts.iter().zip(&all).enumerate() {
        let at = body.start + number;
        let step = |row: u32| match written.contains(&row) {
            false => Some(0),
            true => steps.get(&row).copied().flatten(),
        };
        if let Op::Setp(Compare::Int(..), _) = inst.op
            && counters.contains(&inst.src[0])
            && let Some(&bound) = constants.get(&inst.src[1])
        {
            let start = start_of(code, constants, inst.src[0], &body)?;
            let by = steps.get(&inst.src[0]).copied().flatten().filter(|&by| by != 0)?;
            trips = u64::try_from((bound - start) / by).ok().filter(|&n| n > 0);
            free.push(at);
            continue;
        }
        match inst.op {
            Op::Branch { .. } => free.push(at),
            Op::Load(access, _) => {
                if let (MemorySpace::Shared, 4, Some(by)) =
                    (access.space, access.width(), step(inst.src[0]))
                {
                    loads.insert(at, by);
                }
            }
            _ => {
                let grows = growth(inst, constants, step);
                if grows.is_some() && !uses.writes.iter().any(|r| r & PREDICATE != 0) {
                    free.push(at);
                }
                for &register in uses.writes.iter().filter(|r| !counters.contains(r)) {
                    steps.insert(register, grows);
                }
            }
        }
    }
    let trips = trips.filter(|trips| trips * insts.len() as u64 <= MAX_UNROLLED)?;
    Some(Unrolled { body, trips, free, steps: loads })
}

/// How much the integer result of an instruction grows in an iteration, if that is a constant.
fn growth(inst: &Inst, constants: &HashMap<u32, i64>, step: impl Fn(u32) -> Step) -> Step {
    let [a, b, c, _] = inst.src;
    let times = |a: u32, b: u32| match (step(a)?, step(b)?) {
        (0, 0) => Some(0),
        (by, 0) => Some(by * constants.get(&b)?),
        (0, by) => Some(by * constants.get(&a)?),
        _ => None,
    };
    match inst.op {
        Op::Move32 | Op::Move64 | Op::AddImmediate => step(a),
        Op::Convert(convert) if !convert.from.is_float() && !convert.to.is_float() => step(a),
        Op::IntBinary(IntBinary::Add, _) => Some(step(a)? + step(b)?),
        Op::IntBinary(IntBinary::Sub, _) => Some(step(a)? - step(b)?),
        Op::IntBinary(IntBinary::MulLo, _) | Op::MulWide(_) => times(a, b),
        Op::IntTernary(IntTernary::MadLo, _) | Op::MadWide(_) => Some(times(a, b)? + step(c)?),
        // Compilers write `or` for additions that carry nothing.
        Op::IntBinary(IntBinary::Or, _) => Some(step(a)? + step(b)?),
        Op::IntBinary(IntBinary::And | IntBinary::Xor, _) => {
            (step(a)? == 0 && step(b)? == 0).then_some(0)
        }
        Op::Shift { left: true, .. } => Some(step(a)?.wrapping_shl(*constants.get(&b)? as u32)),
        Op::Shift { .. } => (step(a)? == 0 && step(b)? == 0).then_some(0),
        _ => None,
    }
}

/// The constant that a register has before a loop: what the last write ahead of it moves there.
fn start_of(
    code: &Code,
    constants: &HashMap<u32, i64>,
    register: Register,
    body: &Range<usize>,
) -> Option<i64> {
    let before = code.insts[..body.start].iter().rev();
    let inst = before.into_iter().find(|inst| uses(code, inst).writes.contains(&register))?;
    let narrow = |value: i64, ty: IntType| match ty {
        IntType::U64 | IntType::S64 => value,
        _ => i64::from(value as i32),
    };
    match inst.op {
        Op::Move32 | Op::Move64 => constants.get(&inst.src[0]).copied().or_else(|| {
            // A copy of a register that is written once, by a constant.
            let mut writers =
                code.insts.iter().filter(|i| uses(code, i).writes.contains(&inst.src[0]));
            let only = writers.next().filter(|_| writers.next().is_none())?;
            let moves = matches!(only.op, Op::Move32 | Op::Move64);
            moves.then(|| constants.get(&only.src[0]).copied())?
        }),
        Op::IntBinary(IntBinary::Add, ty) => {
            Some(narrow(constants.get(&inst.src[0])? + constants.get(&inst.src[1])?, ty))
        }
        _ => None,
    }
}

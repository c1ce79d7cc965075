//! Which variable of shared or local memory an address was computed from.
//!
//! Address arithmetic keeps the variable: moves, conversions, sums of an address and a number. What
//! mixes two variables, or does anything else with an address, may point anywhere. The analysis is
//! one fixed point over the instructions, without regard to their order: compilers give each value
//! its own register.

use crate::program::{Code, Inst, IntBinary, IntTernary, Op};

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// Nothing written yet.
    Unwritten,
    /// No address of a variable.
    Number,
    /// An address computed from that of [`Code::addresses`] at this index.
    Address(u32),
    /// Maybe an address, nobody knows whose.
    Unknown,
}

impl Origin {
    /// Either of two values.
    fn or(self, other: Origin) -> Origin {
        match (self, other) {
            (Origin::Unwritten, origin) | (origin, Origin::Unwritten) => origin,
            (a, b) if a == b => a,
            _ => Origin::Unknown,
        }
    }

    /// The sum of two values.
    fn plus(self, other: Origin) -> Origin {
        match (self, other) {
            (Origin::Unwritten | Origin::Number, Origin::Unwritten | Origin::Number) => {
                Origin::Number
            }
            (address @ Origin::Address(_), Origin::Unwritten | Origin::Number)
            | (Origin::Unwritten | Origin::Number, address @ Origin::Address(_)) => address,
            _ => Origin::Unknown,
        }
    }

    /// The result of any other operation.
    fn lost(self) -> Origin {
        match self {
            Origin::Unwritten | Origin::Number => Origin::Number,
            _ => Origin::Unknown,
        }
    }
}

/// For each access of a kernel the index in [`Code::addresses`] that its address came from.
pub(super) fn of_accesses(code: &Code) -> Vec<Option<u32>> {
    let mut origins = vec![Origin::Unwritten; code.rows as usize + 1];
    for (index, address) in code.addresses.iter().enumerate() {
        let origin = &mut origins[address.row as usize];
        *origin = origin.or(Origin::Address(index as u32));
    }
    // Addresses with different offsets in one variable are the variable's.
    let same = |a: u32, b: u32| {
        let [a, b] = [a, b].map(|i| &code.addresses[i as usize]);
        a.space == b.space && a.variable == b.variable
    };
    loop {
        let mut changed = false;
        for inst in &code.insts {
            for (row, new) in written(inst, code, &origins) {
                let Some(origin) = origins.get_mut(row as usize) else { continue };
                let merged = match (*origin, new) {
                    (Origin::Address(a), Origin::Address(b)) if same(a, b) => *origin,
                    (old, new) => old.or(new),
                };
                changed |= merged != *origin;
                *origin = merged;
            }
        }
        if !changed {
            break;
        }
    }
    let accessed = |inst: &Inst| match inst.op {
        Op::Load(..) | Op::Store(..) | Op::Atomic { .. } | Op::CopyAsync { .. } => {
            match origins.get(inst.src[0] as usize) {
                Some(Origin::Address(index)) => Some(*index),
                _ => None,
            }
        }
        _ => None,
    };
    code.insts.iter().map(accessed).collect()
}

/// The rows that an instruction writes, with what they then hold.
fn written(inst: &Inst, code: &Code, origins: &[Origin]) -> Vec<(u32, Origin)> {
    let of = |i: usize| origins.get(inst.src[i] as usize).copied().unwrap_or(Origin::Number);
    // A row that nothing writes holds a constant or what a warp starts with.
    let number = |origin| if origin == Origin::Unwritten { Origin::Number } else { origin };
    let result = match inst.op {
        Op::Move32 | Op::Move64 | Op::AddImmediate | Op::Convert(_) => of(0),
        Op::IntBinary(IntBinary::Add, _) => of(0).plus(of(1)),
        Op::IntBinary(IntBinary::Sub, _) => of(0).plus(of(1).lost()),
        // An aligned base and an offset below its alignment.
        Op::IntBinary(IntBinary::Or, _) => of(0).plus(of(1)),
        Op::IntTernary(IntTernary::MadLo, _) | Op::MadWide(_) => {
            of(0).lost().plus(of(1).lost()).plus(of(2))
        }
        Op::Selp { .. } => number(of(0)).or(number(of(1))),
        Op::Load(_, list) => {
            let rows = &code.lists[list.start as usize..][..list.count as usize];
            return rows.iter().map(|&row| (row, Origin::Unknown)).collect();
        }
        Op::Unpack { list, .. } => {
            let rows = &code.lists[list.start as usize..][..list.count as usize];
            let origin = of(0).lost();
            return rows.iter().map(|&row| (row, origin)).collect();
        }
        Op::MulWide(_) | Op::Shift { .. } | Op::IntUnary(..) | Op::IntBinary(..) => {
            of(0).lost().plus(of(1).lost()).lost()
        }
        // Predicates are no rows.
        Op::Setp(..)
        | Op::Testp(..)
        | Op::MovePred
        | Op::PredNot
        | Op::PredBinary(_)
        | Op::IsSpace(_)
        | Op::Store(..)
        | Op::Barrier { .. } => return Vec::new(),
        Op::Vote(_) => Origin::Number,
        _ => {
            let known = inst.src.iter().all(|&row| {
                matches!(origins.get(row as usize), None | Some(Origin::Unwritten | Origin::Number))
            });
            if known { Origin::Number } else { Origin::Unknown }
        }
    };
    vec![(inst.dst, result)]
}

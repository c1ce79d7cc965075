//! Comparison and selection.

use crate::program::{Cmp, Combine, Compare, FloatType, Inst, IntType, Op};

use super::integer::with_int;
use super::lanes::{LANES, Lane, Registers, map3, store, test2};
use super::soft_float::Format;

#[inline(always)]
pub(super) fn execute(registers: &mut Registers, inst: &Inst, mask: u32) {
    match inst.op {
        Op::Setp(compare, combine) => {
            let (low, high) = compared(registers, inst, compare);
            let other = if combine == Combine::None { 0 } else { registers.predicate(inst.src[2]) };
            registers.set_predicate(inst.dst, mask, combined(low, combine, other));
            // The second predicate: the opposite, or the upper half of a pair.
            registers.set_predicate(
                inst.dst2,
                mask,
                combined(high.unwrap_or(!low), combine, other),
            );
        }
        Op::Set { compare, combine, one } => {
            let (low, high) = compared(registers, inst, compare);
            let other = if combine == Combine::None { 0 } else { registers.predicate(inst.src[2]) };
            let low = combined(low, combine, other);
            let high = high.map_or(0, |high| combined(high, combine, other));
            let mut out = [0u32; LANES];
            for (lane, out) in out.iter_mut().enumerate() {
                let half = |holds: u32| if holds & (1 << lane) != 0 { one } else { 0 };
                *out = half(low) | half(high) << 16;
            }
            store(registers, inst.dst, mask, &out);
        }
        Op::Selp { wide } => {
            let chosen = registers.predicate(inst.src[2]);
            if wide {
                select::<u64>(registers, inst, mask, chosen);
            } else {
                select::<u32>(registers, inst, mask, chosen);
            }
        }
        Op::Slct { wide, ftz: true, .. } => match wide {
            // What is flushed is a zero, which is not below it.
            false => map3(
                registers,
                inst,
                mask,
                |a: u32, b: u32, c: f32| {
                    if c > -f32::MIN_POSITIVE { a } else { b }
                },
            ),
            true => map3(
                registers,
                inst,
                mask,
                |a: u64, b: u64, c: f32| {
                    if c > -f32::MIN_POSITIVE { a } else { b }
                },
            ),
        },
        Op::Slct { wide, float, .. } => match (wide, float) {
            (false, false) => {
                map3(registers, inst, mask, |a: u32, b: u32, c: i32| if c >= 0 { a } else { b })
            }
            (false, true) => {
                map3(registers, inst, mask, |a: u32, b: u32, c: f32| if c >= 0.0 { a } else { b })
            }
            (true, false) => {
                map3(registers, inst, mask, |a: u64, b: u64, c: i32| if c >= 0 { a } else { b })
            }
            (true, true) => {
                map3(registers, inst, mask, |a: u64, b: u64, c: f32| if c >= 0.0 { a } else { b })
            }
        },
        _ => {}
    }
}

#[inline(always)]
fn combined(value: u32, combine: Combine, other: u32) -> u32 {
    match combine {
        Combine::None => value,
        Combine::And => value & other,
        Combine::Or => value | other,
        Combine::Xor => value ^ other,
    }
}

#[inline(always)]
fn select<T: Lane>(registers: &mut Registers, inst: &Inst, mask: u32, chosen: u32) {
    use super::lanes::Cell;
    let mut out = [T::Cell::default(); LANES];
    let a = T::Cell::row(registers, inst.src[0]);
    let b = T::Cell::row(registers, inst.src[1]);
    for lane in 0..LANES {
        out[lane] = if chosen & (1 << lane) != 0 { a[lane] } else { b[lane] };
    }
    store(registers, inst.dst, mask, &out);
}

/// Lanes in which the comparison holds, and for pairs those in which it holds for the upper half.
#[inline(always)]
fn compared(registers: &Registers, inst: &Inst, compare: Compare) -> (u32, Option<u32>) {
    let lanes = match compare {
        Compare::Int(cmp, ty) => with_int!(ty, T => int::<T>(registers, inst, cmp)),
        Compare::Float { cmp, unordered, ty: FloatType::F32, ftz } => {
            let flush = |v: f32| if ftz && v.abs() < f32::MIN_POSITIVE { 0.0 } else { v };
            float(registers, inst, cmp, unordered, flush)
        }
        Compare::Float { cmp, unordered, ty: FloatType::F64, .. } => {
            float(registers, inst, cmp, unordered, |v: f64| v)
        }
        Compare::Float { cmp, unordered, ty, ftz } => {
            return halves(registers, inst, cmp, unordered, ty, ftz);
        }
    };
    (lanes, None)
}

#[inline(always)]
fn int<T: Lane + Ord>(registers: &Registers, inst: &Inst, cmp: Cmp) -> u32 {
    match cmp {
        Cmp::Eq => test2(registers, inst, |a: T, b: T| a == b),
        Cmp::Ne => test2(registers, inst, |a: T, b: T| a != b),
        Cmp::Lt => test2(registers, inst, |a: T, b: T| a < b),
        Cmp::Le => test2(registers, inst, |a: T, b: T| a <= b),
        Cmp::Gt => test2(registers, inst, |a: T, b: T| a > b),
        Cmp::Ge => test2(registers, inst, |a: T, b: T| a >= b),
        Cmp::Num => u32::MAX,
        Cmp::Nan => 0,
    }
}

/// The ordered comparisons as they are, the unordered ones by their opposites.
#[inline(always)]
fn float<T: Lane + PartialOrd>(
    registers: &Registers,
    inst: &Inst,
    cmp: Cmp,
    unordered: bool,
    flush: impl Fn(T) -> T,
) -> u32 {
    let f = flush;
    #[expect(clippy::eq_op, reason = "a NaN differs from itself")]
    match (cmp, unordered) {
        (Cmp::Eq, false) => test2(registers, inst, |a: T, b: T| f(a) == f(b)),
        (Cmp::Ne, true) => test2(registers, inst, |a: T, b: T| f(a) != f(b)),
        (Cmp::Ne, false) => test2(registers, inst, |a: T, b: T| (f(a) < f(b)) | (f(a) > f(b))),
        (Cmp::Eq, true) => !test2(registers, inst, |a: T, b: T| (f(a) < f(b)) | (f(a) > f(b))),
        (Cmp::Lt, false) => test2(registers, inst, |a: T, b: T| f(a) < f(b)),
        (Cmp::Ge, true) => !test2(registers, inst, |a: T, b: T| f(a) < f(b)),
        (Cmp::Le, false) => test2(registers, inst, |a: T, b: T| f(a) <= f(b)),
        (Cmp::Gt, true) => !test2(registers, inst, |a: T, b: T| f(a) <= f(b)),
        (Cmp::Gt, false) => test2(registers, inst, |a: T, b: T| f(a) > f(b)),
        (Cmp::Le, true) => !test2(registers, inst, |a: T, b: T| f(a) > f(b)),
        (Cmp::Ge, false) => test2(registers, inst, |a: T, b: T| f(a) >= f(b)),
        (Cmp::Lt, true) => !test2(registers, inst, |a: T, b: T| f(a) >= f(b)),
        (Cmp::Num, _) => test2(registers, inst, |a: T, b: T| (a == a) & (b == b)),
        (Cmp::Nan, _) => test2(registers, inst, |a: T, b: T| (a != a) | (b != b)),
    }
}

fn holds(cmp: Cmp, unordered: bool, a: f64, b: f64) -> bool {
    let nan = a.is_nan() || b.is_nan();
    match cmp {
        Cmp::Num => !nan,
        Cmp::Nan => nan,
        _ if nan => unordered,
        Cmp::Eq => a == b,
        Cmp::Ne => a != b,
        Cmp::Lt => a < b,
        Cmp::Le => a <= b,
        Cmp::Gt => a > b,
        Cmp::Ge => a >= b,
    }
}

/// Half precision, one or two in a register.
fn halves(
    registers: &Registers,
    inst: &Inst,
    cmp: Cmp,
    unordered: bool,
    ty: FloatType,
    ftz: bool,
) -> (u32, Option<u32>) {
    let format = Format::of(ty);
    let (a, b) = (registers.narrow(inst.src[0]), registers.narrow(inst.src[1]));
    let lanes = |shift: u32| {
        let read = |cell: u32| {
            let value = format.decode(u64::from(cell >> shift & 0xffff));
            if ftz { format.flush(value) } else { value }
        };
        (0..LANES).fold(0, |out, lane| {
            out | u32::from(holds(cmp, unordered, read(a[lane]), read(b[lane]))) << lane
        })
    };
    let pair = matches!(ty, FloatType::F16x2 | FloatType::Bf16x2);
    (lanes(0), pair.then(|| lanes(16)))
}

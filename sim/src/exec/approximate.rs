//! Approximate functions as bad as they may be.
//!
//! The simulator computes `sin.approx` and its kind better than a device does. Here their results are
//! moved by the error that the PTX manual allows, up or down by the bits of the result, so that code
//! which leans on luck shows.

use crate::program::{Class, FloatBinary, FloatType, FloatUnary, Inst, Op};

use super::float;
use super::host_simd::Body;
use super::lanes::{LANES, Registers};
use super::memory::View;
use super::plan::Step;
use super::soft_float::{BF16, Exact, F16, F32, Format};

/// How far a result may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bound {
    Relative(f64),
    Absolute(f64),
    /// Units in the last place.
    Units(u32),
}

/// The error that the manual states; `None` for exact operations, and for those of which it says
/// nothing.
fn bound(op: Op) -> Option<Bound> {
    use Bound::{Absolute, Relative, Units};
    Some(match op {
        Op::FloatBinary(FloatBinary::Div | FloatBinary::DivApprox, FloatType::F32, _) => Units(2),
        Op::FloatUnary(function, FloatType::F32, _) => match function {
            FloatUnary::Rcp => Units(1),
            FloatUnary::Sqrt => Relative((-23f64).exp2()),
            FloatUnary::Rsqrt => Relative((-22.9f64).exp2()),
            FloatUnary::Sin | FloatUnary::Cos => Absolute((-20.5f64).exp2()),
            FloatUnary::Lg2 => Absolute((-22f64).exp2()),
            FloatUnary::Ex2 => Relative((-22f64).exp2()),
            FloatUnary::Tanh => Relative((-11f64).exp2()),
            _ => return None,
        },
        Op::FloatUnary(FloatUnary::Ex2, FloatType::F16 | FloatType::F16x2, _) => {
            Relative((-9.9f64).exp2())
        }
        Op::FloatUnary(FloatUnary::Ex2, FloatType::Bf16 | FloatType::Bf16x2, _) => {
            Relative((-7f64).exp2())
        }
        Op::FloatUnary(FloatUnary::Tanh, FloatType::F16 | FloatType::F16x2, _) => {
            Absolute((-10.987f64).exp2())
        }
        Op::FloatUnary(FloatUnary::Tanh, FloatType::Bf16 | FloatType::Bf16x2, _) => {
            Absolute((-8f64).exp2())
        }
        _ => return None,
    })
}

/// Whether an instruction of a class has a result that may be off.
pub(super) fn is_approximate(inst: &Inst, class: Class) -> bool {
    // Exact roots and quotients are the same operations in another class.
    class == Class::Special && bound(inst.op).is_some()
}

/// An approximate function, as bad as it may be.
pub(super) struct Worst;

impl Body for Worst {
    fn run(registers: &mut Registers, _: &mut View<'_>, step: &Step, mask: u32) -> bool {
        float::execute(registers, &step.inst, mask);
        let (Some(bound), Op::FloatUnary(_, ty, _) | Op::FloatBinary(_, ty, _)) =
            (bound(step.inst.op), step.inst.op)
        else {
            return true;
        };
        let row = registers.narrow_mut(step.inst.dst);
        for (lane, cell) in row.iter_mut().enumerate().take(LANES) {
            if mask >> lane & 1 == 0 {
                continue;
            }
            *cell = match ty {
                FloatType::F32 => moved(step.inst.op, F32, bound, *cell),
                FloatType::F16x2 | FloatType::Bf16x2 => {
                    let half =
                        |bits: u32| moved(step.inst.op, Format::of(ty), bound, bits & 0xffff);
                    half(*cell) | half(*cell >> 16) << 16
                }
                _ => moved(step.inst.op, Format::of(ty), bound, *cell),
            };
        }
        true
    }
}

/// A result moved by as much as it may be off. Zeros, infinities and subnormal numbers stay.
fn moved(op: Op, format: Format, bound: Bound, bits: u32) -> u32 {
    let value = format.decode(bits.into());
    if value == 0.0 || !value.is_finite() || format.flush(value) == 0.0 {
        return bits;
    }
    let up = bits.count_ones() % 2 == 0;
    let off = match bound {
        Bound::Relative(error) => value.abs() * error,
        Bound::Absolute(error) => error,
        Bound::Units(units) => {
            // Of numbers of one sign the order is that of their bits.
            let most = format.encode(f64::INFINITY) as u32 - 1;
            let magnitude = bits & most_magnitude(format);
            let moved =
                if up { (magnitude + units).min(most) } else { magnitude.saturating_sub(units) };
            return bits & !most_magnitude(format) | moved;
        }
    };
    let moved = if up { value + off } else { value - off };
    let moved = match op {
        Op::FloatUnary(FloatUnary::Sin | FloatUnary::Cos | FloatUnary::Tanh, ..) => {
            moved.clamp(-1.0, 1.0)
        }
        _ => moved,
    };
    // Towards the exact result, so that rounding does not leave the bound.
    let rounding = match moved > value {
        true => crate::program::Rounding::Down,
        false => crate::program::Rounding::Up,
    };
    format.encode(Exact::of(moved).round(format, rounding)) as u32
}

fn most_magnitude(format: Format) -> u32 {
    match format {
        F16 | BF16 => 0x7fff,
        _ => 0x7fff_ffff,
    }
}

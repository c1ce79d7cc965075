//! Floating-point arithmetic.
//!
//! Single and double precision rounded to nearest run in the host's vector unit; everything else
//! goes through [`soft_float`](super::soft_float), element by element. A NaN result of single or half
//! precision is the canonical one, and one of double precision comes from an operand, as on the device
//! (measured on an H100 80GB HBM3, driver 580, by `benches/gpu/instructions.py`).

use crate::program::{
    FloatBinary, FloatMode, FloatTest, FloatType, FloatUnary, Inst, Op, Rounding,
};

use super::lanes::{LANES, Registers, map1, map2, map3, store};
use super::soft_float::{Exact, F64, Format};

/// The encoding of a result, with the device's one NaN. In integers: of a floating-point select
/// between NaNs the optimiser may take either.
#[inline(always)]
pub(super) fn canonical(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits & 0x7fff_ffff > 0x7f80_0000 { 0x7fff_ffff } else { bits }
}

/// The encoding of a result of double precision. Of NaN operands the device's adders and multipliers hand
/// one on, made quiet, with its sign whatever the operation does to signs: the second one, or else the
/// third, or else the first. `operands` are in that order.
#[inline(always)]
pub(super) fn handed_on<const N: usize>(result: f64, operands: [f64; N]) -> u64 {
    let mut bits = result.to_bits();
    for operand in operands.into_iter().rev() {
        if operand.is_nan() {
            bits = operand.to_bits() | QUIET;
        }
    }
    bits
}

/// What tells a quiet NaN of double precision.
const QUIET: u64 = 1 << 51;

#[inline(always)]
pub(super) fn flush32(value: f32, ftz: bool) -> f32 {
    if ftz && value.abs() < f32::MIN_POSITIVE { 0.0f32.copysign(value) } else { value }
}

/// A result of single precision that is flushed: by what it would be before it is rounded, so that a number
/// just below the smallest normal one becomes zero though it would round to that.
#[inline(always)]
fn flush_exact(rounded: f32, exact: f64, below: bool) -> f32 {
    const LEAST: f64 = f32::MIN_POSITIVE as f64;
    let tiny = exact.abs() < LEAST || exact.abs() == LEAST && below;
    if tiny { 0.0f32.copysign(rounded) } else { rounded }
}

/// `a · b` with flushed operands.
#[inline(always)]
fn multiply_flushed(a: f32, b: f32) -> f32 {
    // Exact: 48 bits of significand.
    let product = f64::from(a) * f64::from(b);
    flush_exact(product as f32, product, false)
}

/// `a · b + c` with flushed operands.
#[inline(always)]
fn fma_flushed(a: f32, b: f32, c: f32) -> f32 {
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    // What the sum in double precision leaves out (Knuth's two-sum) says on which side of it the exact
    // one is.
    let part = sum - c;
    let rest = (c - (sum - part)) + (product - part);
    let rounded = a.mul_add(b, c as f32);
    flush_exact(rounded, sum, rest != 0.0 && (rest < 0.0) == (sum > 0.0))
}

#[inline(always)]
fn finish32(value: f32, mode: FloatMode) -> u32 {
    let value = flush32(value, mode.ftz);
    // A NaN fails the first comparison and becomes zero.
    let saturated = if value > 0.0 { value.min(1.0) } else { 0.0 };
    if mode.sat { saturated.to_bits() } else { canonical(value) }
}

/// `div.approx`: a times the reciprocal of b, which is zero for 2^126 < |b| < 2^128.
#[inline(always)]
fn divide(a: f32, b: f32) -> f32 {
    const LARGE: f32 = f32::from_bits(0x7e80_0000);
    if b.abs() > LARGE && b.is_finite() { a * 0.0f32.copysign(b) } else { a / b }
}

/// The smaller number; NaN only if both are. Of zeros the negative one.
macro_rules! extremum {
    ($name:ident, $type:ty, $less:tt, $zeros:tt) => {
        #[inline(always)]
        fn $name(a: $type, b: $type) -> $type {
            if a.is_nan() {
                b
            } else if b.is_nan() || a $less b {
                a
            } else if a == b {
                <$type>::from_bits(a.to_bits() $zeros b.to_bits())
            } else {
                b
            }
        }
    };
}
extremum!(min32, f32, <, |);
extremum!(max32, f32, >, &);
extremum!(min64, f64, <, |);
extremum!(max64, f64, >, &);

#[inline(always)]
pub(super) fn execute(registers: &mut Registers, inst: &Inst, mask: u32) {
    match inst.op {
        Op::Fma(FloatType::F32, FloatMode::PLAIN) => {
            map3(registers, inst, mask, |a: f32, b: f32, c: f32| canonical(a.mul_add(b, c)));
        }
        Op::Fma(FloatType::F64, FloatMode::PLAIN) => {
            map3(registers, inst, mask, |a: f64, b: f64, c: f64| {
                handed_on(a.mul_add(b, c), [b, c, a])
            });
        }
        Op::FloatBinary(op, FloatType::F32, FloatMode::PLAIN) => match op {
            FloatBinary::Add => map2(registers, inst, mask, |a: f32, b: f32| canonical(a + b)),
            FloatBinary::Sub => map2(registers, inst, mask, |a: f32, b: f32| canonical(a - b)),
            FloatBinary::Mul => map2(registers, inst, mask, |a: f32, b: f32| canonical(a * b)),
            FloatBinary::Div => map2(registers, inst, mask, |a: f32, b: f32| canonical(a / b)),
            FloatBinary::DivApprox => {
                map2(registers, inst, mask, |a: f32, b: f32| canonical(divide(a, b)))
            }
            FloatBinary::Min => {
                map2(registers, inst, mask, |a: f32, b: f32| canonical(min32(a, b)))
            }
            FloatBinary::Max => {
                map2(registers, inst, mask, |a: f32, b: f32| canonical(max32(a, b)))
            }
            // `copysign d, a, b` is b with the sign of a.
            FloatBinary::CopySign => map2(registers, inst, mask, |a: f32, b: f32| b.copysign(a)),
        },
        Op::FloatBinary(op, FloatType::F64, FloatMode::PLAIN) => match op {
            FloatBinary::Add => {
                map2(registers, inst, mask, |a: f64, b: f64| handed_on(a + b, [b, a]))
            }
            FloatBinary::Sub => {
                map2(registers, inst, mask, |a: f64, b: f64| handed_on(a - b, [b, a]))
            }
            FloatBinary::Mul => {
                map2(registers, inst, mask, |a: f64, b: f64| handed_on(a * b, [b, a]))
            }
            FloatBinary::Div | FloatBinary::DivApprox => {
                map2(registers, inst, mask, |a: f64, b: f64| a / b)
            }
            FloatBinary::Min => map2(registers, inst, mask, min64),
            FloatBinary::Max => map2(registers, inst, mask, max64),
            FloatBinary::CopySign => map2(registers, inst, mask, |a: f64, b: f64| b.copysign(a)),
        },
        // Flush-to-zero and saturation, which `-use_fast_math` puts everywhere.
        Op::Fma(FloatType::F32, mode) if mode.rounding == Rounding::NearestEven => {
            let f = |v| flush32(v, mode.ftz);
            if mode.ftz {
                map3(registers, inst, mask, |a: f32, b: f32, c: f32| {
                    finish32(fma_flushed(f(a), f(b), f(c)), mode)
                });
            } else {
                map3(registers, inst, mask, |a: f32, b: f32, c: f32| {
                    finish32(a.mul_add(b, c), mode)
                });
            }
        }
        Op::FloatBinary(op, FloatType::F32, mode)
            if mode.rounding == Rounding::NearestEven && !mode.nan =>
        {
            let f = |v| flush32(v, mode.ftz);
            match op {
                FloatBinary::Add => {
                    map2(registers, inst, mask, |a: f32, b: f32| finish32(f(a) + f(b), mode))
                }
                FloatBinary::Sub => {
                    map2(registers, inst, mask, |a: f32, b: f32| finish32(f(a) - f(b), mode))
                }
                FloatBinary::Mul if mode.ftz => map2(registers, inst, mask, |a: f32, b: f32| {
                    finish32(multiply_flushed(f(a), f(b)), mode)
                }),
                FloatBinary::Mul => {
                    map2(registers, inst, mask, |a: f32, b: f32| finish32(a * b, mode))
                }
                FloatBinary::Div => {
                    map2(registers, inst, mask, |a: f32, b: f32| finish32(f(a) / f(b), mode))
                }
                FloatBinary::DivApprox => {
                    map2(registers, inst, mask, |a: f32, b: f32| finish32(divide(f(a), f(b)), mode))
                }
                FloatBinary::Min => {
                    map2(registers, inst, mask, |a: f32, b: f32| finish32(min32(f(a), f(b)), mode))
                }
                FloatBinary::Max => {
                    map2(registers, inst, mask, |a: f32, b: f32| finish32(max32(f(a), f(b)), mode))
                }
                FloatBinary::CopySign => {
                    map2(registers, inst, mask, |a: f32, b: f32| b.copysign(a))
                }
            }
        }
        Op::FloatUnary(FloatUnary::Neg, FloatType::F32, mode) => {
            map1(registers, inst, mask, |a: f32| canonical(-flush32(a, mode.ftz)));
        }
        Op::FloatUnary(FloatUnary::Abs, FloatType::F32, mode) => {
            map1(registers, inst, mask, |a: f32| canonical(flush32(a, mode.ftz).abs()));
        }
        Op::FloatUnary(FloatUnary::Neg, FloatType::F64, _) => {
            map1(registers, inst, mask, |a: f64| handed_on(-a, [a]))
        }
        Op::FloatUnary(FloatUnary::Abs, FloatType::F64, _) => {
            map1(registers, inst, mask, |a: f64| handed_on(a.abs(), [a]))
        }
        Op::FloatUnary(FloatUnary::Sqrt, FloatType::F32, FloatMode::PLAIN) => {
            map1(registers, inst, mask, |a: f32| canonical(a.sqrt()));
        }
        Op::FloatUnary(FloatUnary::Sqrt, FloatType::F64, FloatMode::PLAIN) => {
            map1(registers, inst, mask, |a: f64| a.sqrt());
        }
        Op::FloatUnary(FloatUnary::Rcp, FloatType::F32, FloatMode::PLAIN) => {
            map1(registers, inst, mask, |a: f32| canonical(1.0 / a));
        }
        Op::FloatUnary(FloatUnary::Rcp, FloatType::F64, FloatMode::PLAIN) => {
            map1(registers, inst, mask, |a: f64| 1.0 / a);
        }
        _ => by_element(registers, inst, mask),
    }
}

/// Applies an operation to every element of every active lane.
fn by_element(registers: &mut Registers, inst: &Inst, mask: u32) {
    let (ty, mode, sources) = match inst.op {
        Op::Fma(ty, mode) => (ty, mode, 3),
        Op::FloatBinary(_, ty, mode) => (ty, mode, 2),
        Op::FloatUnary(_, ty, mode) => (ty, mode, 1),
        Op::Testp(test, wide) => {
            testp(registers, inst, mask, test, wide);
            return;
        }
        _ => return,
    };
    let format = Format::of(ty);
    let (element_bits, elements) = match ty {
        FloatType::F16 | FloatType::Bf16 => (16, 1),
        FloatType::F16x2 | FloatType::Bf16x2 => (16, 2),
        FloatType::F32 => (32, 1),
        FloatType::F32x2 => (32, 2),
        FloatType::F64 => (64, 1),
    };
    let wide = element_bits * elements == 64;
    let element_mask = u64::MAX >> (64 - element_bits);
    let mut out = [0u64; LANES];
    for (lane, out) in out.iter_mut().enumerate() {
        if mask & (1 << lane) == 0 {
            continue;
        }
        let cell = |i: usize| {
            let row = inst.src[i];
            if wide { registers.wide(row)[lane] } else { u64::from(registers.narrow(row)[lane]) }
        };
        for element in 0..elements {
            let mut bits = [0u64; 3];
            for (i, bits) in bits.iter_mut().take(sources).enumerate() {
                *bits = cell(i) >> (element * element_bits) & element_mask;
            }
            let result = element_result(inst.op, format, mode, bits);
            *out |= (result & element_mask) << (element * element_bits);
        }
    }
    if wide {
        store(registers, inst.dst, mask, &out);
    } else {
        store(registers, inst.dst, mask, &out.map(|cell| cell as u32));
    }
}

/// One element's result, by its bits.
fn element_result(op: Op, format: Format, mode: FloatMode, bits: [u64; 3]) -> u64 {
    let sign_bit = match Format::encode(format, -0.0) {
        0 => 1 << 63,
        bit => bit,
    };
    let read = |i: usize| {
        let value = format.decode(bits[i]);
        if mode.ftz { format.flush(value) } else { value }
    };
    let (a, b, c) = (read(0), read(1), read(2));
    if format == F64 && (a.is_nan() || b.is_nan() || c.is_nan()) {
        match op {
            Op::Fma(..) => return handed_on(a, [b, c, a]),
            Op::FloatBinary(FloatBinary::Add | FloatBinary::Sub | FloatBinary::Mul, ..) => {
                return handed_on(a, [b, a]);
            }
            _ => {}
        }
    }
    let down = mode.rounding == Rounding::Down;
    let exact = match op {
        Op::Fma(..) => Exact::fma(a, b, Some(c), down),
        Op::FloatBinary(op, ..) => match op {
            FloatBinary::Add => Exact::fma(a, 1.0, Some(b), down),
            FloatBinary::Sub => Exact::fma(a, 1.0, Some(-b), down),
            FloatBinary::Mul => Exact::fma(a, b, None, down),
            FloatBinary::Div | FloatBinary::DivApprox => Exact::div(a, b),
            FloatBinary::Min | FloatBinary::Max if mode.nan && (a.is_nan() || b.is_nan()) => {
                Exact::Special(f64::NAN)
            }
            FloatBinary::Min => Exact::of(min64(a, b)),
            FloatBinary::Max => Exact::of(max64(a, b)),
            FloatBinary::CopySign => return bits[1] & !sign_bit | bits[0] & sign_bit,
        },
        Op::FloatUnary(op, ..) => match op {
            FloatUnary::Neg => Exact::of(-a),
            FloatUnary::Abs => Exact::of(a.abs()),
            FloatUnary::Rcp => Exact::div(1.0, a),
            FloatUnary::RcpHigh => return high(bits[0], |a| 1.0 / a),
            FloatUnary::Rsqrt if format == F64 && mode.ftz => {
                return high(bits[0], |a| 1.0 / a.sqrt());
            }
            FloatUnary::Sqrt => Exact::sqrt(a),
            FloatUnary::Rsqrt => Exact::of(1.0 / a.sqrt()),
            FloatUnary::Sin => Exact::of(a.sin()),
            FloatUnary::Cos => Exact::of(a.cos()),
            FloatUnary::Lg2 => Exact::of(a.log2()),
            FloatUnary::Ex2 => Exact::of(a.exp2()),
            FloatUnary::Tanh => Exact::of(a.tanh()),
        },
        _ => Exact::Special(0.0),
    };
    let mut value = exact.round(format, mode.rounding);
    if mode.ftz && exact.is_below_normal(format) {
        value = 0.0f64.copysign(value);
    }
    if mode.sat {
        value = if value > 0.0 { value.min(1.0) } else { 0.0 };
    }
    if mode.relu && value <= 0.0 {
        value = 0.0;
    }
    format.encode(value)
}

/// An approximate function of double precision with `.ftz`: it sees and makes the upper words alone, and
/// its NaN is of one kind.
fn high(bits: u64, function: impl Fn(f64) -> f64) -> u64 {
    const UPPER: u64 = 0xffff_ffff_0000_0000;
    let result = F64.flush(function(F64.flush(f64::from_bits(bits & UPPER))));
    if result.is_nan() { 0x7fff_ffff_0000_0000 } else { result.to_bits() & UPPER }
}

fn testp(registers: &mut Registers, inst: &Inst, mask: u32, test: FloatTest, wide: bool) {
    let mut out = 0;
    for lane in 0..LANES {
        let (value, class) = if wide {
            let value = f64::from_bits(registers.wide(inst.src[0])[lane]);
            (value, value.classify())
        } else {
            let value = f32::from_bits(registers.narrow(inst.src[0])[lane]);
            (f64::from(value), value.classify())
        };
        let holds = match test {
            FloatTest::Finite => value.is_finite(),
            FloatTest::Infinite => value.is_infinite(),
            FloatTest::Number => !value.is_nan(),
            FloatTest::NotANumber => value.is_nan(),
            // Zeros are among them.
            FloatTest::Normal => {
                matches!(class, std::num::FpCategory::Normal | std::num::FpCategory::Zero)
            }
            FloatTest::Subnormal => class == std::num::FpCategory::Subnormal,
        };
        out |= u32::from(holds) << lane;
    }
    registers.set_predicate(inst.dst, mask, out);
}

//! Exact floating-point arithmetic with every rounding in every format.
//!
//! Values of all formats are carried as `f64`, which holds each of them exactly. An operation is
//! computed with a 128-bit significand and a sticky bit, and rounded once. This is the slow path:
//! directed roundings, half precision and conversions; rounding to nearest in single and double
//! precision is the host's own.

use crate::program::{FloatType, Rounding};

/// A binary format by its precision and exponent range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    /// Bits of the significand with the leading one.
    precision: i32,
    /// Exponent of the smallest normal number.
    min: i32,
    /// Exponent of the largest number.
    max: i32,
}

pub(super) const F16: Format = Format { precision: 11, min: -14, max: 15 };
pub(super) const BF16: Format = Format { precision: 8, min: -126, max: 127 };
pub(super) const F32: Format = Format { precision: 24, min: -126, max: 127 };
pub(super) const F64: Format = Format { precision: 53, min: -1022, max: 1023 };
/// The matrix units' single precision with a short significand, in the upper bits of a word.
pub(super) const TF32: Format = Format { precision: 11, min: -126, max: 127 };
/// Eight bits with four of exponent; the largest number lies below the one that this says.
pub(super) const E4M3: Format = Format { precision: 4, min: -6, max: 8 };
/// Eight bits with five of exponent.
pub(super) const E5M2: Format = Format { precision: 3, min: -14, max: 15 };

impl Format {
    /// The format of one element of a lane type.
    pub(super) fn of(ty: FloatType) -> Format {
        match ty {
            FloatType::F16 | FloatType::F16x2 => F16,
            FloatType::Bf16 | FloatType::Bf16x2 => BF16,
            FloatType::F32 | FloatType::F32x2 => F32,
            FloatType::F64 => F64,
        }
    }

    /// Bits of an encoding, and those of its fraction, of a format that programs compute in.
    pub(super) fn widths(self) -> (u32, u32) {
        match self {
            F64 => (64, 52),
            F32 => (32, 23),
            BF16 => (16, 7),
            _ => (16, 10),
        }
    }

    /// Zero with the sign of a value that is subnormal in this format, otherwise the value.
    pub(super) fn flush(self, value: f64) -> f64 {
        if self.is_subnormal(value) { 0.0f64.copysign(value) } else { value }
    }

    fn is_subnormal(self, value: f64) -> bool {
        value != 0.0 && value.abs() < power_of_two(self.min)
    }

    /// The value of an encoding.
    pub(super) fn decode(self, bits: u64) -> f64 {
        match self {
            F64 => f64::from_bits(bits),
            F32 => f64::from(f32::from_bits(bits as u32)),
            BF16 => f64::from(f32::from_bits((bits as u32) << 16)),
            _ => {
                let bits = bits as u16;
                let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
                let magnitude = match exponent {
                    0 => fraction * power_of_two(-24),
                    31 if fraction == 0.0 => f64::INFINITY,
                    31 => f64::NAN,
                    _ => (1024.0 + fraction) * power_of_two(exponent - 25),
                };
                if bits >> 15 != 0 { -magnitude } else { magnitude }
            }
        }
    }

    /// The encoding of a value that this format holds exactly; NaN is canonical.
    pub(super) fn encode(self, value: f64) -> u64 {
        match self {
            F64 => value.to_bits(),
            _ if value.is_nan() => {
                if self == F32 {
                    0x7fff_ffff
                } else {
                    0x7fff
                }
            }
            F32 => u64::from((value as f32).to_bits()),
            BF16 => u64::from((value as f32).to_bits() >> 16),
            _ => {
                let sign = u64::from(value.is_sign_negative()) << 15;
                let magnitude = value.abs();
                if magnitude.is_infinite() {
                    return sign | 0x7c00;
                }
                if magnitude < power_of_two(-14) {
                    return sign | (magnitude * power_of_two(24)) as u64;
                }
                let bits = magnitude.to_bits();
                let exponent = (bits >> 52) as i64 - 1023;
                sign | ((exponent + 15) as u64) << 10 | bits >> 42 & 1023
            }
        }
    }
}

/// 2 to the `exponent`, for exponents of normal doubles.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// An exact result: a special value, or a significand times a power of two.
#[derive(Clone, Copy, Debug)]
pub(super) enum Exact {
    /// A value that needs no rounding: zero, infinity, NaN.
    Special(f64),
    /// `±significand · 2^exponent`, a little more in magnitude if `sticky`.
    Finite { negative: bool, significand: u128, exponent: i32, sticky: bool },
}

/// Sign, significand and exponent of a finite value that is not zero.
fn parts(value: f64) -> (bool, u128, i32) {
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (significand, exponent) =
        if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    (value.is_sign_negative(), u128::from(significand), exponent)
}

impl Exact {
    /// A value as it is.
    pub(super) fn of(value: f64) -> Exact {
        if value == 0.0 || !value.is_finite() {
            return Exact::Special(value);
        }
        let (negative, significand, exponent) = parts(value);
        Exact::Finite { negative, significand, exponent, sticky: false }
    }

    /// An integer.
    pub(super) fn of_int(value: i128) -> Exact {
        if value == 0 {
            return Exact::Special(0.0);
        }
        let significand = value.unsigned_abs();
        Exact::Finite { negative: value < 0, significand, exponent: 0, sticky: false }
    }

    /// `a · b + c`; without `c`, the product alone. `down` says that zero sums are negative.
    pub(super) fn fma(a: f64, b: f64, c: Option<f64>, down: bool) -> Exact {
        let product = a * b;
        let addend = c.unwrap_or(0.0);
        if !a.is_finite() || !b.is_finite() || !addend.is_finite() {
            let product = if a.is_finite() && b.is_finite() { 0.0 } else { product };
            return Exact::Special(if c.is_some() { product + addend } else { product });
        }
        if a == 0.0 || b == 0.0 {
            let zero = 0.0f64.copysign(if a.is_sign_negative() == b.is_sign_negative() {
                1.0
            } else {
                -1.0
            });
            return match c {
                None => Exact::Special(zero),
                Some(0.0) if zero.is_sign_negative() == addend.is_sign_negative() => {
                    Exact::Special(zero)
                }
                Some(0.0) => Exact::Special(if down { -0.0 } else { 0.0 }),
                Some(addend) => Exact::of(addend),
            };
        }
        let (a, b) = (parts(a), parts(b));
        let negative = a.0 != b.0;
        let (significand, exponent) = (a.1 * b.1, a.2 + b.2);
        if addend == 0.0 {
            return Exact::Finite { negative, significand, exponent, sticky: false };
        }
        let c = parts(addend);
        sum((negative, significand, exponent), c, down)
    }

    /// `a / b`.
    pub(super) fn div(a: f64, b: f64) -> Exact {
        if a == 0.0 || b == 0.0 || !a.is_finite() || !b.is_finite() {
            return Exact::Special(a / b);
        }
        let (a, b) = (parts(a), parts(b));
        // Full significands on both sides give a quotient of at least 64 bits.
        let shift = a.1.leading_zeros() as i32 - 1;
        let numerator = a.1 << shift;
        let lift = b.1.leading_zeros() as i32 - 75;
        let denominator = if lift > 0 { b.1 << lift } else { b.1 };
        let (quotient, rest) = (numerator / denominator, numerator % denominator);
        Exact::Finite {
            negative: a.0 != b.0,
            significand: quotient,
            exponent: a.2 - shift - (b.2 - lift.max(0)),
            sticky: rest != 0,
        }
    }

    /// The square root.
    pub(super) fn sqrt(a: f64) -> Exact {
        if !(a > 0.0 && a.is_finite()) {
            return Exact::Special(a.sqrt());
        }
        let (_, significand, exponent) = parts(a);
        let mut shift = significand.leading_zeros() as i32 - 1;
        shift -= (exponent - shift).rem_euclid(2);
        let radicand = significand << shift;
        let root = radicand.isqrt();
        Exact::Finite {
            negative: false,
            significand: root,
            exponent: (exponent - shift) / 2,
            sticky: root * root != radicand,
        }
    }

    /// Whether the value, before it is rounded, is below the normal numbers of a format and not zero.
    pub(super) fn is_below_normal(self, format: Format) -> bool {
        match self {
            Exact::Special(value) => format.is_subnormal(value),
            Exact::Finite { significand, exponent, .. } => {
                exponent + 127 - (significand.leading_zeros() as i32) < format.min
            }
        }
    }

    /// The value in a format, as an `f64`.
    pub(super) fn round(self, format: Format, rounding: Rounding) -> f64 {
        let (negative, significand, exponent, sticky) = match self {
            Exact::Special(value) => return value,
            Exact::Finite { negative, significand, exponent, sticky } => {
                (negative, significand, exponent, sticky)
            }
        };
        let sign = |magnitude: f64| if negative { -magnitude } else { magnitude };
        let top = exponent + 127 - significand.leading_zeros() as i32;
        // Exponent of the last bit kept: fewer bits below the normal range.
        let last = top.max(format.min) - (format.precision - 1);
        let drop = last - exponent;
        let (mut kept, half, rest) = if drop <= 0 {
            // Room to spare: the significand is short enough to be shifted up exactly.
            (significand << (-drop).min(127), false, sticky)
        } else if drop > 128 {
            (0, false, true)
        } else {
            let kept = significand.checked_shr(drop as u32).unwrap_or(0);
            let half = significand >> (drop - 1) & 1 != 0;
            let below = significand & ((1u128 << (drop - 1)) - 1);
            (kept, half, below != 0 || sticky)
        };
        let up = match rounding {
            Rounding::NearestEven => half && (rest || kept & 1 != 0),
            Rounding::NearestAway => half,
            Rounding::Zero => false,
            Rounding::Down => negative && (half || rest),
            Rounding::Up => !negative && (half || rest),
        };
        kept += u128::from(up);
        if kept == 0 {
            return sign(0.0);
        }
        let top = last + 127 - kept.leading_zeros() as i32;
        if top > format.max {
            let to_infinity = match rounding {
                Rounding::NearestEven | Rounding::NearestAway => true,
                Rounding::Zero => false,
                Rounding::Down => negative,
                Rounding::Up => !negative,
            };
            // Largest finite value: all ones.
            let largest = (2.0 - power_of_two(1 - format.precision)) * power_of_two(format.max);
            return sign(if to_infinity { f64::INFINITY } else { largest });
        }
        // At most 53 bits are kept, so both factors and the product are exact; the smallest doubles
        // need the power in two steps.
        let value = kept as f64;
        sign(if last < -1000 {
            value * power_of_two(last + 200) * power_of_two(-200)
        } else {
            value * power_of_two(last)
        })
    }
}

/// The sum of two finite numbers that are not zero.
fn sum(a: (bool, u128, i32), b: (bool, u128, i32), down: bool) -> Exact {
    // Leading ones at bit 125, which leaves room for a carry.
    let normal = |(negative, significand, exponent): (bool, u128, i32)| {
        let shift = significand.leading_zeros() as i32 - 2;
        (negative, significand << shift, exponent - shift)
    };
    let (mut large, mut small) = (normal(a), normal(b));
    if (small.2, small.1) > (large.2, large.1) {
        std::mem::swap(&mut large, &mut small);
    }
    let distance = (large.2 - small.2) as u32;
    let shifted = small.1.checked_shr(distance).unwrap_or(0);
    let sticky = distance >= 128 || small.1 & ((1u128 << distance) - 1) != 0;
    let significand = if large.0 == small.0 {
        large.1 + shifted
    } else {
        // What was shifted out is borrowed, and the rest of it stays as the sticky bit.
        large.1 - shifted - u128::from(sticky)
    };
    if significand == 0 && !sticky {
        return Exact::Special(if down { -0.0 } else { 0.0 });
    }
    Exact::Finite { negative: large.0, significand, exponent: large.2, sticky }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: [f64; 14] = [
        1.0,
        -1.0,
        3.0,
        1.0 / 3.0,
        1e300,
        -1e-300,
        5e-324,
        2.5e-310,
        0.1,
        -7.25,
        1e17,
        f64::MAX,
        f64::MIN_POSITIVE,
        -12345.678,
    ];

    #[test]
    fn nearest_agrees_with_the_host() {
        let nearest = |exact: Exact| exact.round(F64, Rounding::NearestEven);
        for a in SAMPLES {
            assert_eq!(nearest(Exact::sqrt(a.abs())), a.abs().sqrt(), "sqrt {a:e}");
            assert_eq!(
                Exact::of(a).round(F32, Rounding::NearestEven),
                f64::from(a as f32),
                "{a:e}"
            );
            for b in SAMPLES {
                assert_eq!(nearest(Exact::fma(a, b, None, false)), a * b, "{a:e} * {b:e}");
                assert_eq!(nearest(Exact::fma(a, 1.0, Some(b), false)), a + b, "{a:e} + {b:e}");
                assert_eq!(nearest(Exact::div(a, b)), a / b, "{a:e} / {b:e}");
                for c in SAMPLES {
                    assert_eq!(
                        nearest(Exact::fma(a, b, Some(c), false)),
                        a.mul_add(b, c),
                        "{a:e} {b:e} {c:e}"
                    );
                }
            }
        }
    }

    #[test]
    fn directed_roundings_bracket_the_value() {
        for a in SAMPLES {
            for b in SAMPLES {
                let exact = Exact::div(a, b);
                let down = exact.round(F32, Rounding::Down);
                let up = exact.round(F32, Rounding::Up);
                let zero = exact.round(F32, Rounding::Zero);
                assert!(
                    down <= up && (zero == down || zero == up),
                    "{a:e} / {b:e}: {down:e} {up:e}"
                );
                assert!(
                    zero.abs() <= exact.round(F32, Rounding::NearestEven).abs(),
                    "{a:e} / {b:e}"
                );
            }
        }
    }

    #[test]
    fn half_precision_encodings() {
        for bits in 0..=u16::MAX {
            for format in [F16, BF16] {
                let value = format.decode(u64::from(bits));
                if !value.is_nan() {
                    assert_eq!(format.encode(value), u64::from(bits), "{bits:#x}");
                    assert_eq!(
                        Exact::of(value).round(format, Rounding::NearestEven),
                        value,
                        "{bits:#x}"
                    );
                }
            }
        }
        let round = |value: f64| F16.encode(Exact::of(value).round(F16, Rounding::NearestEven));
        assert_eq!(round(65519.0), 0x7bff);
        assert_eq!(round(65520.0), 0x7c00);
        assert_eq!(round(1.0 + 1.0 / 2048.0), 0x3c00);
        assert_eq!(round(2.9802322387695312e-8), 0);
        assert_eq!(round(2.98023224e-8 * 1.01), 1);
    }
}

//! Floating-point numbers as MLIR writes them.

use std::fmt::Write;

use crate::attrs::round_to_format;
use crate::types::{FloatKind, Specials};

/// Bits of the `f64` that equals the number with the given bits in `kind`; `None` if there are
/// more bits than the format has.
pub(super) fn float_from_bits(bits: u128, kind: FloatKind) -> Option<u64> {
    let layout = kind.layout()?;
    let (exponent_bits, fraction_bits) = (layout.exponent, layout.fraction);
    if bits >> (1 + exponent_bits + fraction_bits) != 0 {
        return None;
    }
    let bits = bits as u64;
    if kind == FloatKind::F64 {
        return Some(bits);
    }
    let sign_bit = 1 << (exponent_bits + fraction_bits);
    let sign = (bits & sign_bit) << (63 - exponent_bits - fraction_bits);
    let (top, all) = ((1 << exponent_bits) - 1, (1 << fraction_bits) - 1);
    let exponent = bits >> fraction_bits & top;
    let fraction = bits & all;
    let nan = f64::NAN.to_bits();
    match layout.specials {
        Specials::Ieee if exponent == top => {
            return Some(sign | 0x7ff << 52 | fraction << (52 - fraction_bits));
        }
        Specials::NanOnly if exponent == top && fraction == all => return Some(sign | nan),
        Specials::NanForNegativeZero if bits == sign_bit => return Some(nan),
        _ => {}
    }
    let least = layout.least_exponent() - fraction_bits as i32;
    let magnitude = if exponent == 0 {
        fraction as f64 * 2f64.powi(least)
    } else {
        (fraction | 1 << fraction_bits) as f64 * 2f64.powi(exponent as i32 - 1 + least)
    };
    Some(sign | magnitude.to_bits())
}

/// The number's bits in `kind`, which must be one that has a layout; wider formats are written
/// by their `f64` bits, which no reader takes for a valid literal of theirs.
pub(super) fn bits_in_format(value: f64, kind: FloatKind) -> u64 {
    let Some(layout) = kind.layout() else { return value.to_bits() };
    let (exponent_bits, fraction_bits) = (layout.exponent, layout.fraction);
    let bits = value.to_bits();
    if kind == FloatKind::F64 {
        return bits;
    }
    let sign_bit = 1 << (exponent_bits + fraction_bits);
    let sign = (bits >> 63) * sign_bit;
    let top = ((1u64 << exponent_bits) - 1) << fraction_bits;
    if !value.is_finite() {
        return match layout.specials {
            Specials::Ieee => sign | top | (bits & ((1 << 52) - 1)) >> (52 - fraction_bits),
            Specials::NanOnly => sign | (sign_bit - 1),
            Specials::NanForNegativeZero => sign_bit,
        };
    }
    if value == 0.0 {
        return sign;
    }
    let bias = layout.bias;
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
    if exponent < layout.least_exponent() {
        let scaled = value.abs() * 2f64.powi(bias - 1) * 2f64.powi(fraction_bits as i32);
        return sign | scaled as u64;
    }
    let fraction = (bits & ((1 << 52) - 1)) >> (52 - fraction_bits);
    sign | ((exponent + bias) as u64) << fraction_bits | fraction
}

fn parses_back(text: &str, value: f64, kind: FloatKind) -> bool {
    let parsed = match kind {
        FloatKind::F32 => text.parse::<f32>().map(f64::from),
        _ => text.parse::<f64>().map(|parsed| round_to_format(parsed, kind)),
    };
    parsed.is_ok_and(|parsed| parsed.to_bits() == value.to_bits())
}

/// Writes a number of `kind`: six digits and an exponent where that is exact, else as many digits
/// as the format needs, else its bits.
pub(super) fn write_float(out: &mut String, value: f64, kind: FloatKind) {
    if value.is_finite() {
        let start = out.len();
        write_six_digits(out, value);
        if parses_back(&out[start..], value, kind) {
            return;
        }
        out.truncate(start);
        let precision = match kind {
            FloatKind::F8E5M2 | FloatKind::F8E5M2FNUZ => 2,
            FloatKind::F8E4M3
            | FloatKind::F8E4M3FN
            | FloatKind::F8E4M3FNUZ
            | FloatKind::F8E4M3B11FNUZ => 3,
            FloatKind::F16 | FloatKind::TF32 => 5,
            FloatKind::BF16 => 4,
            FloatKind::F32 => 9,
            FloatKind::F64 | FloatKind::F80 | FloatKind::F128 => 17,
        };
        if write_shortest(out, value, precision) && parses_back(&out[start..], value, kind) {
            return;
        }
        out.truncate(start);
    }
    let digits = kind.width().div_ceil(4).min(16) as usize;
    let _ = write!(out, "0x{:0digits$X}", bits_in_format(value, kind));
}

/// `d.dddddde+XX`: six significant digits, padded to six behind the point.
fn write_six_digits(out: &mut String, value: f64) {
    let (digits, exponent) = decimal(value.abs(), 6);
    let exponent = exponent + digits.len() as i32 - 1;
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let _ = write!(
        out,
        "{sign}{}.{:0<6}e{}{:02}",
        &digits[..1],
        &digits[1..],
        if exponent < 0 { '-' } else { '+' },
        exponent.unsigned_abs()
    );
}

/// LLVM's default form at `precision` digits; says whether it has a decimal point, without which
/// it would read as an integer.
fn write_shortest(out: &mut String, value: f64, precision: usize) -> bool {
    // The value is `digits` (an integer) times ten to the `exponent`.
    let (digits, exponent) = decimal(value.abs(), precision);
    let count = digits.len() as i32;
    let scientific = if exponent >= 0 {
        exponent > 3 || count + exponent > precision as i32
    } else {
        let leading = exponent + count - 1;
        leading < 0 && -leading > 3
    };
    if value.is_sign_negative() {
        out.push('-');
    }
    if scientific {
        let rest = if count == 1 { "0" } else { &digits[1..] };
        let exponent = exponent + count - 1;
        let _ = write!(out, "{}.{rest}E{exponent:+}", &digits[..1]);
        return true;
    }
    if exponent >= 0 {
        return false;
    }
    let whole = exponent + count;
    if whole > 0 {
        let _ = write!(out, "{}.{}", &digits[..whole as usize], &digits[whole as usize..]);
    } else {
        let _ = write!(out, "0.{:0>width$}", digits, width = (count - whole) as usize);
    }
    true
}

/// A number that is not negative as an integer of at most `precision` digits, without trailing
/// zeros, times a power of ten. To give the digits that LLVM's `APFloat::toString` gives, it cuts
/// and rounds in the same two steps: first whole decimal digits are cut off while more remain than
/// `precision` may need, then what is left is rounded half up.
fn decimal(value: f64, precision: usize) -> (String, i32) {
    if value == 0.0 {
        return ("0".to_owned(), 0);
    }
    let bits = value.to_bits();
    let (fraction, biased) = (bits & ((1 << 52) - 1), (bits >> 52) as i32);
    let (mut significand, mut power) = match biased {
        0 => (fraction, -1074),
        _ => (fraction | 1 << 52, biased - 1075),
    };
    power += significand.trailing_zeros() as i32;
    significand >>= significand.trailing_zeros();
    // value = significand * 2^power, and with a negative power = significand * 5^n * 10^-n.
    let n = (-power).max(0);
    let mut digits = format!("{value:.*}", n as usize);
    digits.retain(|c| c.is_ascii_digit());
    digits.drain(..digits.len() - digits.trim_start_matches('0').len());
    let mut exponent = -n;
    let width = if power >= 0 {
        64 - significand.leading_zeros() as i32 + power
    } else {
        ((significand as f64).log2() + f64::from(n) * 5f64.log2()) as i32 + 1
    };
    // LLVM takes 196/59 for the bits of a decimal digit.
    let needed = (precision as i32 * 196 + 58) / 59;
    let cut = (width - needed).max(0) * 59 / 196;
    digits.truncate(digits.len().saturating_sub(cut as usize));
    exponent += cut;
    exponent += drop_trailing_zeros(&mut digits);
    if digits.len() > precision {
        exponent += (digits.len() - precision) as i32;
        let up = digits.as_bytes()[precision] >= b'5';
        digits.truncate(precision);
        if up {
            let kept = digits.trim_end_matches('9').len();
            exponent += (digits.len() - kept) as i32;
            digits.truncate(kept);
            match digits.pop() {
                Some(last) => digits.push(char::from(last as u8 + 1)),
                None => digits.push('1'),
            }
        }
        exponent += drop_trailing_zeros(&mut digits);
    }
    (digits, exponent)
}

/// Removes trailing zeros; returns how many.
fn drop_trailing_zeros(digits: &mut String) -> i32 {
    let kept = digits.trim_end_matches('0').len();
    let dropped = digits.len() - kept;
    digits.truncate(kept);
    dropped as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: f64, kind: FloatKind) -> String {
        let mut out = String::new();
        write_float(&mut out, value, kind);
        out
    }

    #[test]
    fn as_upstream_prints() {
        let f32 = |value: f32| text(value.into(), FloatKind::F32);
        assert_eq!(f32(1.0), "1.000000e+00");
        assert_eq!(f32(-2.71821), "-2.718210e+00");
        assert_eq!(f32(1.234567), "1.23456705");
        assert_eq!(f32(1.0e10), "1.000000e+10");
        assert_eq!(f32(1.0 + 1.0 / 512.0), "1.00195313");
        assert_eq!(f32(16_777_215.0), "0x4B7FFFFF");
        assert_eq!(f32(f32::INFINITY), "0x7F800000");
        assert_eq!(f32(f32::NAN), "0x7FC00000");
        assert_eq!(f32(1.175_494_2e-38), "1.17549421E-38");
        assert_eq!(f32(-0.0), "-0.000000e+00");
        assert_eq!(text(0.1, FloatKind::F64), "1.000000e-01");
        assert_eq!(text(1.0 / 3.0, FloatKind::F64), "0.33333333333333331");
        assert_eq!(text(2.0, FloatKind::F16), "2.000000e+00");
        assert_eq!(text(f64::NEG_INFINITY, FloatKind::F16), "0xFC00");
    }

    /// Every number of eight bits is what upstream says it is, and comes back.
    #[test]
    fn eight_bits() {
        let eight: Vec<FloatKind> =
            FloatKind::ALL.into_iter().filter(|kind| kind.width() == 8).collect();
        assert_eq!(eight.len(), 6);
        for kind in eight {
            for bits in 0..=255u64 {
                let value = f64::from_bits(float_from_bits(bits.into(), kind).unwrap());
                assert_eq!(bits_in_format(value, kind), bits, "{kind:?} {bits:#x}");
                let rounded = round_to_format(value, kind);
                assert!(rounded.is_nan() && value.is_nan() || rounded == value, "{kind:?} {value}");
            }
            let greatest = kind.layout().unwrap().greatest();
            assert_eq!(round_to_format(greatest, kind), greatest);
            assert!(!round_to_format(greatest * 2.0, kind).is_finite());
        }
        assert_eq!(text(448.0, FloatKind::F8E4M3FN), "4.480000e+02");
        assert_eq!(text(round_to_format(465.0, FloatKind::F8E4M3FN), FloatKind::F8E4M3FN), "0x7F");
        let nan = round_to_format(1000.0, FloatKind::F8E4M3B11FNUZ);
        assert_eq!(text(nan, FloatKind::F8E4M3B11FNUZ), "0x80");
        let zero = round_to_format(-0.0, FloatKind::F8E4M3FNUZ);
        assert_eq!(text(zero, FloatKind::F8E4M3FNUZ), "0.000000e+00");
        assert_eq!(text(0.101_562_5, FloatKind::F8E4M3B11FNUZ), "1.015630e-01");
        assert_eq!(text(f64::INFINITY, FloatKind::F8E4M3), "0x78");
    }

    #[test]
    fn bits_round_trip() {
        for kind in [FloatKind::F16, FloatKind::BF16, FloatKind::F32] {
            for bits in (0..1u64 << 16).step_by(7) {
                let bits = if kind == FloatKind::F32 { bits << 16 | bits } else { bits };
                let value = f64::from_bits(float_from_bits(bits.into(), kind).unwrap());
                assert_eq!(bits_in_format(value, kind), bits, "{kind:?} {bits:#x}");
                assert!(
                    value.is_nan()
                        || text(value, kind).starts_with("0x")
                        || parses_back(&text(value, kind), value, kind)
                );
            }
        }
    }
}

//! Conversions to and from the formats of matrix elements: tf32 and the two of eight bits.

use crate::isa::Type;
use crate::program::{ConvertNarrow, Inst, Op, Rounding};

use super::lanes::{LANES, Registers, store};
use super::soft_float::{BF16, E4M3, E5M2, Exact, F16, F32, TF32};

/// The bits of a word that tf32 has not.
const TF32_REST: u32 = 0x1fff;

pub(super) fn execute(registers: &mut Registers, inst: &Inst, mask: u32) {
    let Op::ConvertNarrow(convert) = inst.op else { return };
    let a = *registers.narrow(inst.src[0]);
    let single = |bits: u32| F32.decode(u64::from(bits));
    let pair = |high: u32, low: u32, bits: u32| high << bits | low;
    let out: [u32; LANES] = match (convert.from, convert.to) {
        // Rounding half away adds and cuts, a NaN too; other roundings have the one NaN (measured on an
        // H100 80GB HBM3, driver 580).
        (Type::F32, Type::Tf32) => a.map(|a| match single(a).is_nan() {
            true if convert.rounding == Rounding::NearestAway => a & !TF32_REST,
            true => 0x7fff_ffff & !TF32_REST,
            false => rounded(convert, single(a)),
        }),
        (Type::F32, to) => {
            let b = *registers.narrow(inst.src[1]);
            let bits = if matches!(to, Type::F16x2 | Type::Bf16x2) { 16 } else { 8 };
            std::array::from_fn(|lane| {
                let [high, low] = [a, b].map(|row| rounded(convert, single(row[lane])));
                pair(high, low, bits)
            })
        }
        (Type::F16x2, _) => a.map(|a| {
            let [high, low] =
                [a >> 16, a & 0xffff].map(|half| rounded(convert, F16.decode(u64::from(half))));
            pair(high, low, 8)
        }),
        (from, _) => a.map(|a| {
            let [high, low] = [a >> 8, a].map(|byte| {
                let value = decode8(from, byte as u8);
                let value = if convert.relu && value <= 0.0 { 0.0 } else { value };
                F16.encode(value) as u32
            });
            pair(high, low, 16)
        }),
    };
    store(registers, inst.dst, mask, &out);
}

/// The largest finite number of a format.
fn largest(to: Type) -> f64 {
    match to {
        Type::E4m3x2 => 448.0,
        Type::E5m2x2 => 57344.0,
        Type::F16x2 => 65504.0,
        Type::Bf16x2 => f64::from(f32::from_bits(0x7f7f_0000)),
        _ => f64::from(f32::from_bits(0x7f7f_e000)),
    }
}

/// The encoding of a value in the format of the destination's elements.
fn rounded(convert: ConvertNarrow, value: f64) -> u32 {
    let ConvertNarrow { to, rounding, relu, satfinite, .. } = convert;
    let format = match to {
        Type::E4m3x2 => E4M3,
        Type::E5m2x2 => E5M2,
        Type::F16x2 => F16,
        Type::Bf16x2 => BF16,
        _ => TF32,
    };
    let mut value = Exact::of(value).round(format, rounding);
    if satfinite && !value.is_nan() {
        let largest = largest(to);
        value = value.clamp(-largest, largest);
    }
    if relu && value <= 0.0 {
        value = 0.0;
    }
    match to {
        Type::E4m3x2 | Type::E5m2x2 => encode8(to, value).into(),
        Type::F16x2 | Type::Bf16x2 => format.encode(value) as u32,
        _ => F32.encode(value) as u32,
    }
}

/// Bits of the fraction, and what is added to the exponent.
fn layout8(ty: Type) -> (i32, i32) {
    if matches!(ty, Type::E4m3x2 | Type::E4m3) { (3, 7) } else { (2, 15) }
}

/// 2 to a power of normal numbers, exactly; `powi` need not be exact.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// The value of eight bits: `.e4m3` has no infinity and one NaN, `.e5m2` is like half precision.
pub(super) fn decode8(ty: Type, bits: u8) -> f64 {
    let (fraction_bits, bias) = layout8(ty);
    let magnitude = i32::from(bits & 0x7f);
    let (exponent, fraction) = (magnitude >> fraction_bits, magnitude & ((1 << fraction_bits) - 1));
    let unit = power_of_two(-fraction_bits);
    let value = if fraction_bits == 3 && magnitude == 0x7f || fraction_bits == 2 && magnitude > 0x7c
    {
        f64::NAN
    } else if fraction_bits == 2 && magnitude == 0x7c {
        f64::INFINITY
    } else if exponent == 0 {
        f64::from(fraction) * unit * power_of_two(1 - bias)
    } else {
        (1.0 + f64::from(fraction) * unit) * power_of_two(exponent - bias)
    };
    if bits >> 7 != 0 { -value } else { value }
}

/// The encoding of a value that the format holds exactly; NaN is canonical.
fn encode8(ty: Type, value: f64) -> u8 {
    if value.is_nan() {
        return 0x7f;
    }
    let (fraction_bits, bias) = layout8(ty);
    let sign = if value.is_sign_negative() { 0x80 } else { 0 };
    let magnitude = value.abs();
    let smallest = power_of_two(1 - bias);
    let code = if magnitude.is_infinite() {
        0x7c
    } else if magnitude < smallest {
        (magnitude / smallest * f64::from(1 << fraction_bits)) as u8
    } else {
        let exponent = (magnitude.to_bits() >> 52) as i32 - 1023;
        let fraction = magnitude / power_of_two(exponent) - 1.0;
        ((exponent + bias) << fraction_bits) as u8
            | (fraction * f64::from(1 << fraction_bits)) as u8
    };
    sign | code
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::soft_float::Format;

    #[test]
    fn eight_bits_there_and_back() {
        for ty in [Type::E4m3x2, Type::E5m2x2] {
            let format: Format = if ty == Type::E4m3x2 { E4M3 } else { E5M2 };
            for bits in 0..=u8::MAX {
                let value = decode8(ty, bits);
                if value.is_nan() {
                    continue;
                }
                assert_eq!(encode8(ty, value), bits, "{ty} {bits:#x}");
                let exact = Exact::of(value).round(format, Rounding::NearestEven);
                assert_eq!(exact, value, "{ty} {bits:#x}");
            }
        }
        assert_eq!(decode8(Type::E4m3x2, 0x7e), 448.0);
        assert_eq!(decode8(Type::E5m2x2, 0x7b), 57344.0);
        assert_eq!(decode8(Type::E4m3x2, 1), power_of_two(-9));
    }
}

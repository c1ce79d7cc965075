//! Run-time values: integers and floats of every width as their types say, vectors, buffers.

use std::rc::Rc;

use gpuc_ir::attrs::round_to_format;
use gpuc_ir::{FloatKind, Op};
use smallvec::SmallVec;

use crate::memory::BufferId;

/// An integer of 1 to 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Int {
    /// Zero above `width`.
    bits: u128,
    width: u32,
}

impl Int {
    /// `value` wrapped to `width` bits (taken as 1 to 128).
    pub fn new(value: i128, width: u32) -> Self {
        let width = width.clamp(1, 128);
        Int { bits: (value as u128) << (128 - width) >> (128 - width), width }
    }

    /// A value of type `index`.
    pub fn index(value: i64) -> Self {
        Int::new(value.into(), 64)
    }

    /// An `i1`.
    pub fn bool(value: bool) -> Self {
        Int { bits: value.into(), width: 1 }
    }

    /// Number of bits.
    pub fn width(self) -> u32 {
        self.width
    }

    /// The bits read as a signed number.
    pub fn signed(self) -> i128 {
        (self.bits as i128) << (128 - self.width) >> (128 - self.width)
    }

    /// The bits read as an unsigned number.
    pub fn unsigned(self) -> u128 {
        self.bits
    }
}

/// A float, bit for bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Float {
    bits: u64,
    kind: FloatKind,
}

/// Whether values of a format can be computed with.
pub(crate) fn is_supported(kind: FloatKind) -> bool {
    matches!(kind, FloatKind::F16 | FloatKind::BF16 | FloatKind::F32 | FloatKind::F64)
}

impl Float {
    /// `value` rounded to nearest even. NaNs become the format's default one. Formats other than
    /// f16, bf16, f32 and f64 are taken as f64.
    pub fn new(value: f64, kind: FloatKind) -> Self {
        let kind = if is_supported(kind) { kind } else { FloatKind::F64 };
        let value = round_to_format(value, kind);
        let bits = match kind {
            _ if value.is_nan() => return Float::nan(kind),
            FloatKind::F32 => (value as f32).to_bits().into(),
            FloatKind::F16 => narrow_bits(value, 10, 15),
            // Bfloat16 is the upper half of f32, and the value has been rounded to it.
            FloatKind::BF16 => ((value as f32).to_bits() >> 16).into(),
            _ => value.to_bits(),
        };
        Float { bits, kind }
    }

    /// The float of these bits (those above the width do not matter).
    pub fn from_bits(bits: u64, kind: FloatKind) -> Self {
        let width = kind.width().min(64);
        Float { bits: bits << (64 - width) >> (64 - width), kind }
    }

    fn nan(kind: FloatKind) -> Self {
        let bits = match kind {
            FloatKind::F16 => 0x7e00,
            FloatKind::BF16 => 0x7fc0,
            FloatKind::F32 => 0x7fc0_0000,
            _ => 0x7ff8_0000_0000_0000,
        };
        Float { bits, kind }
    }

    /// The format.
    pub fn kind(self) -> FloatKind {
        self.kind
    }

    /// The bits.
    pub fn bits(self) -> u64 {
        self.bits
    }

    /// The number; exact.
    pub fn value(self) -> f64 {
        match self.kind {
            FloatKind::F32 => f32::from_bits(self.bits as u32).into(),
            FloatKind::BF16 => f32::from_bits((self.bits as u32) << 16).into(),
            FloatKind::F16 => wide_value(self.bits, 10, 15),
            _ => f64::from_bits(self.bits),
        }
    }

    /// The float with another sign bit: of zeros, infinities and NaNs too.
    pub(crate) fn with_sign(self, negative: bool) -> Self {
        let sign = 1 << (self.kind.width() - 1);
        Float { bits: if negative { self.bits | sign } else { self.bits & !sign }, ..self }
    }

    /// Whether the sign bit is set.
    pub(crate) fn is_negative(self) -> bool {
        self.bits >> (self.kind.width() - 1) & 1 == 1
    }

    /// The next number of the format upwards or downwards; NaNs and the last infinity stay.
    pub(crate) fn neighbour(self, upwards: bool) -> Self {
        let value = self.value();
        let last = if upwards { f64::INFINITY } else { f64::NEG_INFINITY };
        if value.is_nan() || value == last {
            return self;
        }
        let bits = if value == 0.0 {
            return Float { bits: 1, ..self }.with_sign(!upwards);
        } else if (value > 0.0) == upwards {
            self.bits + 1
        } else {
            self.bits - 1
        };
        Float { bits, ..self }
    }
}

/// Bits of a number that a format with so many fraction bits and this exponent bias holds exactly.
fn narrow_bits(value: f64, fraction: u32, bias: i32) -> u64 {
    let sign = u64::from(value.is_sign_negative());
    let exponent_bits = 32 - (bias as u32).leading_zeros() + 1;
    let top = (1u64 << exponent_bits) - 1;
    let magnitude = value.abs();
    let rest = if magnitude.is_infinite() {
        top << fraction
    } else if magnitude == 0.0 {
        0
    } else {
        let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(1 - bias);
        // The significand as an integer, its hidden bit included where the number is normal.
        let significand = (magnitude * 2f64.powi(fraction as i32 - exponent)) as u64;
        let biased = (exponent + bias) as u64;
        if significand >> fraction == 0 {
            significand
        } else {
            (biased << fraction) + (significand - (1 << fraction))
        }
    };
    sign << (fraction + exponent_bits) | rest
}

fn wide_value(bits: u64, fraction: u32, bias: i32) -> f64 {
    let exponent_bits = 32 - (bias as u32).leading_zeros() + 1;
    let significand = bits & ((1 << fraction) - 1);
    let exponent = bits >> fraction & ((1 << exponent_bits) - 1);
    let magnitude = if exponent == (1 << exponent_bits) - 1 {
        if significand == 0 { f64::INFINITY } else { f64::NAN }
    } else if exponent == 0 {
        significand as f64 * 2f64.powi(1 - bias - fraction as i32)
    } else {
        let whole = (significand | 1 << fraction) as f64;
        whole * 2f64.powi(exponent as i32 - bias - fraction as i32)
    };
    if bits >> (fraction + exponent_bits) & 1 == 1 { -magnitude } else { magnitude }
}

/// A value that no program may depend on, and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Poison {
    /// The operation that made it.
    pub op: Op,
    /// Why.
    pub reason: &'static str,
    /// Whether it is the contents of memory that was never written, which may be copied.
    pub is_uninitialised: bool,
}

/// A buffer as an SSA value: which memory, from where, of what shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemRef {
    pub(crate) buffer: BufferId,
    /// Bytes in front of what the offset counts from.
    pub(crate) base: i64,
    /// In elements.
    pub(crate) offset: i64,
    pub(crate) sizes: SmallVec<[i64; 4]>,
    /// In elements.
    pub(crate) strides: SmallVec<[i64; 4]>,
}

impl MemRef {
    /// Extents.
    pub fn sizes(&self) -> &[i64] {
        &self.sizes
    }

    /// Distances of neighbours, in elements.
    pub fn strides(&self) -> &[i64] {
        &self.strides
    }
}

/// What an SSA value is worth while a program runs.
#[derive(Clone, Debug, PartialEq)]
pub enum RtValue {
    /// An integer or `index`.
    Int(Int),
    /// A float.
    Float(Float),
    /// The elements of a vector, in row-major order.
    Vector(Rc<[RtValue]>),
    /// A buffer.
    MemRef(Rc<MemRef>),
    /// A function.
    Function(Op),
    /// A token by which operations on the device are ordered; everything is in order here.
    Token,
    /// The result of undefined behaviour; an error as soon as something depends on it.
    Poison(Poison),
}

impl RtValue {
    /// An `i32`.
    pub fn i32(value: i32) -> Self {
        RtValue::Int(Int::new(value.into(), 32))
    }

    /// An `i64`.
    pub fn i64(value: i64) -> Self {
        RtValue::Int(Int::new(value.into(), 64))
    }

    /// A value of type `index`.
    pub fn index(value: i64) -> Self {
        RtValue::Int(Int::index(value))
    }

    /// An `i1`.
    pub fn bool(value: bool) -> Self {
        RtValue::Int(Int::bool(value))
    }

    /// An `f32`.
    pub fn f32(value: f32) -> Self {
        RtValue::Float(Float::from_bits(value.to_bits().into(), FloatKind::F32))
    }

    /// An `f64`.
    pub fn f64(value: f64) -> Self {
        RtValue::Float(Float::from_bits(value.to_bits(), FloatKind::F64))
    }

    /// The integer, read as signed, if it is one.
    pub fn as_int(&self) -> Option<i128> {
        match self {
            RtValue::Int(int) => Some(int.signed()),
            _ => None,
        }
    }

    /// The float, if it is one.
    pub fn as_float(&self) -> Option<f64> {
        match self {
            RtValue::Float(float) => Some(float.value()),
            _ => None,
        }
    }

    /// The buffer, if it is one.
    pub fn as_memref(&self) -> Option<&MemRef> {
        match self {
            RtValue::MemRef(memref) => Some(memref),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap() {
        for (value, width, signed, unsigned) in
            [(255, 8, -1, 255), (1, 1, -1, 1), (-1, 64, -1, u64::MAX.into()), (128, 8, -128, 128)]
        {
            let int = Int::new(value, width);
            assert_eq!((int.signed(), int.unsigned()), (signed, unsigned), "{value} : i{width}");
        }
        assert_eq!(Int::new(i128::MIN, 128).signed(), i128::MIN);
    }

    #[test]
    fn half_precision_goes_there_and_back() {
        for bits in 0..=0xffffu64 {
            for kind in [FloatKind::F16, FloatKind::BF16] {
                let float = Float::from_bits(bits, kind);
                let value = float.value();
                if !value.is_nan() {
                    assert_eq!(Float::new(value, kind).bits(), bits, "{bits:#x} {kind:?} {value}");
                }
            }
        }
        for (value, bits) in
            [(65519.0, 0x7bff), (65520.0, 0x7c00), (2f64.powi(-25), 0), (-0.0, 0x8000)]
        {
            assert_eq!(Float::new(value, FloatKind::F16).bits(), bits, "{value}");
        }
    }

    #[test]
    fn neighbours() {
        let one = Float::new(1.0, FloatKind::F32);
        assert_eq!(one.neighbour(true).value(), f64::from(1.0f32.next_up()));
        assert_eq!(one.neighbour(false).value(), f64::from(1.0f32.next_down()));
        let zero = Float::new(0.0, FloatKind::F32);
        assert_eq!(zero.neighbour(false).value(), f64::from(0.0f32.next_down()));
    }
}

//! The scalar types of generated programs, with C's conversions between them.

/// A scalar type of C on a machine with 64-bit `long`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `_Bool`.
    Bool,
    /// `signed char`.
    I8,
    /// `unsigned char`.
    U8,
    /// `short`.
    I16,
    /// `unsigned short`.
    U16,
    /// `int`.
    I32,
    /// `unsigned`.
    U32,
    /// `long`.
    I64,
    /// `unsigned long long`.
    U64,
    /// `float`.
    F32,
    /// `double`.
    F64,
}

use Scalar::{Bool, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

impl Scalar {
    /// Every integer type.
    pub const INTEGERS: [Scalar; 9] = [Bool, I8, U8, I16, U16, I32, U32, I64, U64];

    /// How C writes the type.
    pub fn name(self) -> &'static str {
        match self {
            Bool => "_Bool",
            I8 => "signed char",
            U8 => "unsigned char",
            I16 => "short",
            U16 => "unsigned short",
            I32 => "int",
            U32 => "unsigned",
            I64 => "long",
            U64 => "unsigned long long",
            F32 => "float",
            F64 => "double",
        }
    }

    /// Bits of a value; 1 for `_Bool`.
    pub fn width(self) -> u32 {
        match self {
            Bool => 1,
            I8 | U8 => 8,
            I16 | U16 => 16,
            I32 | U32 | F32 => 32,
            I64 | U64 | F64 => 64,
        }
    }

    /// Whether negative values exist.
    pub fn is_signed(self) -> bool {
        matches!(self, I8 | I16 | I32 | I64 | F32 | F64)
    }

    /// Whether it is `float` or `double`.
    pub fn is_float(self) -> bool {
        matches!(self, F32 | F64)
    }

    /// The smallest and the largest value of an integer type.
    pub fn range(self) -> (i128, i128) {
        let width = self.width();
        if self.is_signed() {
            (-(1 << (width - 1)), (1 << (width - 1)) - 1)
        } else {
            (0, (1 << width) - 1)
        }
    }

    /// The type after the integer promotions (C11 6.3.1.1).
    pub fn promoted(self) -> Scalar {
        if self.is_float() || self.width() >= 32 { self } else { I32 }
    }

    /// The type that two operands meet at (C11 6.3.1.8).
    pub fn common(self, other: Scalar) -> Scalar {
        for float in [F64, F32] {
            if self == float || other == float {
                return float;
            }
        }
        let (a, b) = (self.promoted(), other.promoted());
        if a.width() == b.width() {
            return if a.is_signed() { b } else { a };
        }
        if a.width() > b.width() { a } else { b }
    }

    /// The unsigned type of the same width.
    pub fn unsigned(self) -> Scalar {
        match self {
            I8 => U8,
            I16 => U16,
            I32 => U32,
            I64 => U64,
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_those_of_c() {
        for (a, b, expected) in [
            (I8, U16, I32),
            (I32, U32, U32),
            (U32, I64, I64),
            (I64, U64, U64),
            (Bool, Bool, I32),
            (U64, F32, F32),
            (F32, F64, F64),
        ] {
            assert_eq!(a.common(b), expected, "{a:?} {b:?}");
            assert_eq!(b.common(a), expected, "{b:?} {a:?}");
        }
        assert_eq!(I8.range(), (-128, 127));
        assert_eq!(Bool.range(), (0, 1));
        assert_eq!(U64.range(), (0, i128::from(u64::MAX)));
    }
}

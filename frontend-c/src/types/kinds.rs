//! The arithmetic types: their widths, ranks and order.

use super::Type;

/// Integer types by rank and signedness; `bool` and `char` are their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each is the C type of its name")]
pub enum IntKind {
    Bool,
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
}

impl IntKind {
    /// Width in bits; 1 for `_Bool`.
    pub fn bits(self) -> u32 {
        use IntKind::*;
        match self {
            Bool => 1,
            Char | SChar | UChar => 8,
            Short | UShort => 16,
            Int | UInt => 32,
            Long | ULong | LongLong | ULongLong => 64,
            Int128 | UInt128 => 128,
        }
    }

    /// Size in bytes.
    pub fn size(self) -> u64 {
        u64::from(self.bits().div_ceil(8))
    }

    /// Whether it has negative values.
    pub fn is_signed(self) -> bool {
        use IntKind::*;
        matches!(self, Char | SChar | Short | Int | Long | LongLong | Int128)
    }

    /// Conversion rank (C11 §6.3.1.1).
    pub fn rank(self) -> u8 {
        use IntKind::*;
        match self {
            Bool => 0,
            Char | SChar | UChar => 1,
            Short | UShort => 2,
            Int | UInt => 3,
            Long | ULong => 4,
            LongLong | ULongLong => 5,
            Int128 | UInt128 => 6,
        }
    }

    /// The type of the kind.
    pub fn ty(self) -> Type {
        Type::numbered(Type::BOOL, self as u32)
    }

    /// The unsigned type of the same rank.
    pub fn to_unsigned(self) -> IntKind {
        use IntKind::*;
        match self {
            Bool => Bool,
            Char | SChar | UChar => UChar,
            Short | UShort => UShort,
            Int | UInt => UInt,
            Long | ULong => ULong,
            LongLong | ULongLong => ULongLong,
            Int128 | UInt128 => UInt128,
        }
    }

    /// `value` reduced to what this type can hold.
    pub fn wrap(self, value: i128) -> i128 {
        if self == IntKind::Bool {
            return (value != 0).into();
        }
        let unused = 128 - self.bits();
        if self.is_signed() {
            value << unused >> unused
        } else {
            ((value as u128) << unused >> unused) as i128
        }
    }
}

/// Floating types in the order of the usual arithmetic conversions: of two with the same values, an
/// interchange type (`_Float64`) is greater than a standard one, and that than an extended one
/// (`_Float32x`), as GCC has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each is the C type of its name")]
pub enum FloatKind {
    Float16,
    BFloat16,
    Float,
    Float32,
    Float32x,
    Double,
    Float64,
    Float64x,
    LongDouble,
    Float128,
}

impl FloatKind {
    /// Size in bytes, padding included.
    pub fn size(self) -> u64 {
        use FloatKind::*;
        match self {
            Float16 | BFloat16 => 2,
            Float | Float32 => 4,
            Double | Float32x | Float64 => 8,
            LongDouble | Float64x | Float128 => 16,
        }
    }

    /// The type of the kind.
    pub fn ty(self) -> Type {
        Type::numbered(Type::FLOAT16, self as u32)
    }
}

//! Fundamental types.

use std::fmt;

/// A PTX type as written on instructions and declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    Pred,
    B8,
    B16,
    B32,
    B64,
    B128,
    U8,
    U16,
    U16x2,
    U32,
    U64,
    S8,
    S16,
    S16x2,
    S32,
    S64,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    F32,
    F32x2,
    Tf32,
    F64,
    E4m3x2,
    E5m2x2,
    B1,
    U4,
    S4,
    E4m3,
    E5m2,
}

const NAMES: [(Type, &str); 31] = [
    (Type::Pred, "pred"),
    (Type::B8, "b8"),
    (Type::B16, "b16"),
    (Type::B32, "b32"),
    (Type::B64, "b64"),
    (Type::B128, "b128"),
    (Type::U8, "u8"),
    (Type::U16, "u16"),
    (Type::U16x2, "u16x2"),
    (Type::S16x2, "s16x2"),
    (Type::Tf32, "tf32"),
    (Type::E4m3x2, "e4m3x2"),
    (Type::E5m2x2, "e5m2x2"),
    (Type::B1, "b1"),
    (Type::U4, "u4"),
    (Type::S4, "s4"),
    (Type::E4m3, "e4m3"),
    (Type::E5m2, "e5m2"),
    (Type::U32, "u32"),
    (Type::U64, "u64"),
    (Type::S8, "s8"),
    (Type::S16, "s16"),
    (Type::S32, "s32"),
    (Type::S64, "s64"),
    (Type::F16, "f16"),
    (Type::F16x2, "f16x2"),
    (Type::Bf16, "bf16"),
    (Type::Bf16x2, "bf16x2"),
    (Type::F32, "f32"),
    (Type::F32x2, "f32x2"),
    (Type::F64, "f64"),
];

impl Type {
    /// The type of a modifier without its dot.
    pub(crate) fn by_name(name: &str) -> Option<Type> {
        NAMES.iter().find(|&&(_, text)| text == name).map(|&(ty, _)| ty)
    }

    /// Name without a dot.
    pub(crate) fn name(self) -> &'static str {
        NAMES.iter().find(|&&(ty, _)| ty == self).map_or("", |&(_, text)| text)
    }

    /// Every name, for suggestions.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|&(_, text)| text)
    }

    /// Whether variables and registers can have it: not the types of matrix elements alone.
    pub(crate) fn is_storable(self) -> bool {
        !matches!(self, Type::B1 | Type::U4 | Type::S4 | Type::E4m3 | Type::E5m2)
    }

    /// Width in bits; 1 for a predicate.
    pub(crate) fn bits(self) -> u32 {
        use Type::*;
        match self {
            Pred | B1 => 1,
            U4 | S4 => 4,
            B8 | U8 | S8 | E4m3 | E5m2 => 8,
            B16 | U16 | S16 | F16 | Bf16 | E4m3x2 | E5m2x2 => 16,
            B32 | U32 | S32 | F32 | F16x2 | Bf16x2 | U16x2 | S16x2 | Tf32 => 32,
            B64 | U64 | S64 | F64 | F32x2 => 64,
            B128 => 128,
        }
    }

    /// Width in memory; 0 for a predicate.
    pub(crate) fn bytes(self) -> u64 {
        u64::from(self.bits() / 8)
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Type::S4 | Type::S8 | Type::S16 | Type::S16x2 | Type::S32 | Type::S64)
    }

    pub(crate) fn is_float(self) -> bool {
        use Type::*;
        matches!(self, F16 | F16x2 | Bf16 | Bf16x2 | F32 | F32x2 | Tf32 | F64)
    }

    /// The type of twice the width (`.wide`), itself where there is none.
    pub(crate) fn widened(self) -> Type {
        match self {
            Type::U16 => Type::U32,
            Type::S16 => Type::S32,
            Type::U32 => Type::U64,
            Type::S32 => Type::S64,
            other => other,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.name())
    }
}

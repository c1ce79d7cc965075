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
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    F32,
    F32x2,
    F64,
}

const NAMES: [(Type, &str); 21] = [
    (Type::Pred, "pred"),
    (Type::B8, "b8"),
    (Type::B16, "b16"),
    (Type::B32, "b32"),
    (Type::B64, "b64"),
    (Type::B128, "b128"),
    (Type::U8, "u8"),
    (Type::U16, "u16"),
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

    /// Width in bits; 1 for a predicate.
    pub(crate) fn bits(self) -> u32 {
        use Type::*;
        match self {
            Pred => 1,
            B8 | U8 | S8 => 8,
            B16 | U16 | S16 | F16 | Bf16 => 16,
            B32 | U32 | S32 | F32 | F16x2 | Bf16x2 => 32,
            B64 | U64 | S64 | F64 | F32x2 => 64,
            B128 => 128,
        }
    }

    /// Width in memory; 0 for a predicate.
    pub(crate) fn bytes(self) -> u64 {
        u64::from(self.bits() / 8)
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Type::S8 | Type::S16 | Type::S32 | Type::S64)
    }

    pub(crate) fn is_float(self) -> bool {
        use Type::*;
        matches!(self, F16 | F16x2 | Bf16 | Bf16x2 | F32 | F32x2 | F64)
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

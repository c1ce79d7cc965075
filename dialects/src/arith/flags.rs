//! Flags and predicates of `arith`, and the attribute constraints that say them.

use std::ops::BitOr;

use gpuc_ir::op::{AttrConstraint, AttrSyntax, EnumSpec, EnumStorage};
use gpuc_ir::{Attr, Context, Ir, Op};

/// `#arith.overflow`: overflow that the program promises not to happen.
pub static OVERFLOW_FLAGS: EnumSpec = EnumSpec {
    dialect: "arith",
    mnemonic: "overflow",
    cases: &[("none", 0), ("nsw, nuw", 3), ("nsw", 1), ("nuw", 2)],
    bits: true,
    storage: EnumStorage::Angled,
};

/// `#arith.fastmath`: liberties that floating-point arithmetic may take.
pub static FASTMATH_FLAGS: EnumSpec = EnumSpec {
    dialect: "arith",
    mnemonic: "fastmath",
    cases: &[
        ("fast", 127),
        ("none", 0),
        ("reassoc", 1),
        ("nnan", 2),
        ("ninf", 4),
        ("nsz", 8),
        ("arcp", 16),
        ("contract", 32),
        ("afn", 64),
    ],
    bits: true,
    storage: EnumStorage::Angled,
};

/// Rounding of `arith.truncf`.
pub static ROUNDING_MODES: EnumSpec = EnumSpec {
    dialect: "arith",
    mnemonic: "roundingmode",
    cases: &[
        ("to_nearest_even", 0),
        ("downward", 1),
        ("upward", 2),
        ("toward_zero", 3),
        ("to_nearest_away", 4),
    ],
    bits: false,
    storage: EnumStorage::Integer(32),
};

/// How integers are compared, with the numbers that upstream gives that.
pub(crate) const INTEGER_COMPARISONS: &[(&str, i64)] = &[
    ("eq", 0),
    ("ne", 1),
    ("slt", 2),
    ("sle", 3),
    ("sgt", 4),
    ("sge", 5),
    ("ult", 6),
    ("ule", 7),
    ("ugt", 8),
    ("uge", 9),
];

/// Predicates of `arith.cmpi`.
pub static CMPI_PREDICATES: EnumSpec = EnumSpec {
    dialect: "arith",
    mnemonic: "cmpi_predicate",
    cases: INTEGER_COMPARISONS,
    bits: false,
    storage: EnumStorage::Integer(64),
};

/// Predicates of `arith.cmpf`.
pub static CMPF_PREDICATES: EnumSpec = EnumSpec {
    dialect: "arith",
    mnemonic: "cmpf_predicate",
    cases: &[
        ("false", 0),
        ("oeq", 1),
        ("ogt", 2),
        ("oge", 3),
        ("olt", 4),
        ("ole", 5),
        ("one", 6),
        ("ord", 7),
        ("ueq", 8),
        ("ugt", 9),
        ("uge", 10),
        ("ult", 11),
        ("ule", 12),
        ("une", 13),
        ("uno", 14),
        ("true", 15),
    ],
    bits: false,
    storage: EnumStorage::Integer(64),
};

/// Constraint of `overflowFlags`.
pub static OVERFLOW: AttrConstraint = AttrConstraint {
    summary: "Integer overflow arith flags",
    holds: |ctx, attr| OVERFLOW_FLAGS.number(ctx, attr).is_some(),
    syntax: AttrSyntax::Enum(&OVERFLOW_FLAGS),
};

/// Constraint of `fastmath`.
pub static FASTMATH: AttrConstraint = AttrConstraint {
    summary: "Floating point fast math flags",
    holds: |ctx, attr| FASTMATH_FLAGS.number(ctx, attr).is_some(),
    syntax: AttrSyntax::Enum(&FASTMATH_FLAGS),
};

pub(super) static ROUNDING: AttrConstraint = AttrConstraint {
    summary: "Floating point rounding mode",
    holds: |ctx, attr| ROUNDING_MODES.number(ctx, attr).is_some(),
    syntax: AttrSyntax::Enum(&ROUNDING_MODES),
};

pub(super) static CMPI_PREDICATE: AttrConstraint = AttrConstraint {
    summary: "allowed 64-bit signless integer cases: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9",
    holds: |ctx, attr| CMPI_PREDICATES.number(ctx, attr).is_some(),
    syntax: AttrSyntax::Enum(&CMPI_PREDICATES),
};

pub(super) static CMPF_PREDICATE: AttrConstraint = AttrConstraint {
    summary: "allowed 64-bit signless integer cases: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
    holds: |ctx, attr| CMPF_PREDICATES.number(ctx, attr).is_some(),
    syntax: AttrSyntax::Enum(&CMPF_PREDICATES),
};

/// Default of `overflowFlags`: overflow wraps.
pub fn no_overflow(ctx: &mut Context) -> Attr {
    OVERFLOW_FLAGS.attr(ctx, 0)
}

/// Default of `fastmath`: IEEE 754 to the letter.
pub fn no_fastmath(ctx: &mut Context) -> Attr {
    FASTMATH_FLAGS.attr(ctx, 0)
}

/// A set of fast-math liberties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct FastMath(u8);

impl FastMath {
    /// No liberties.
    pub const NONE: FastMath = FastMath(0);
    /// Sums and products may be reassociated.
    pub const REASSOC: FastMath = FastMath(1);
    /// No operand or result is a NaN.
    pub const NO_NANS: FastMath = FastMath(2);
    /// No operand or result is an infinity.
    pub const NO_INFS: FastMath = FastMath(4);
    /// The sign of a zero does not matter.
    pub const NO_SIGNED_ZEROS: FastMath = FastMath(8);
    /// Division may become multiplication by a reciprocal.
    pub const RECIPROCAL: FastMath = FastMath(16);
    /// Multiplication and addition may fuse.
    pub const CONTRACT: FastMath = FastMath(32);
    /// Functions may be approximated.
    pub const APPROXIMATE: FastMath = FastMath(64);
    /// All of them.
    pub const FAST: FastMath = FastMath(127);

    /// Whether every liberty of `other` is granted.
    pub fn contains(self, other: FastMath) -> bool {
        self.0 & other.0 == other.0
    }

    /// The flags of an operation; none where it has no `fastmath`.
    pub fn of(ir: &Ir, op: Op) -> FastMath {
        let number = ir.attr(op, "fastmath").and_then(|attr| FASTMATH_FLAGS.number(&ir.ctx, attr));
        FastMath(number.map_or(0, |n| (n & 127) as u8))
    }

    /// The attribute that says them.
    pub fn attr(self, ctx: &mut Context) -> Attr {
        FASTMATH_FLAGS.attr(ctx, self.0.into())
    }
}

impl BitOr for FastMath {
    type Output = FastMath;

    fn bitor(self, other: FastMath) -> FastMath {
        FastMath(self.0 | other.0)
    }
}

macro_rules! predicates {
    ($(#[doc = $doc:literal])* $name:ident { $($(#[doc = $case_doc:literal])* $case:ident = $number:literal,)* } by $spec:ident) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $name {
            $($(#[doc = $case_doc])* $case = $number,)*
        }

        impl $name {
            /// Every predicate, in the order of their numbers.
            pub const ALL: &'static [$name] = &[$($name::$case,)*];

            /// The predicate of that number.
            pub fn from_number(number: i64) -> Option<$name> {
                usize::try_from(number).ok().and_then(|n| Self::ALL.get(n)).copied()
            }

            /// The `predicate` of a comparison; `None` where it is missing or wrong.
            pub fn of(ir: &Ir, op: Op) -> Option<$name> {
                ir.attr(op, "predicate").and_then(|attr| ir.ctx.i64_value(attr)).and_then(Self::from_number)
            }

            /// The attribute that says it.
            pub fn attr(self, ctx: &mut Context) -> Attr {
                $spec.attr(ctx, self as i64)
            }
        }
    };
}

predicates! {
    /// What `arith.cmpi` asks.
    CmpIPredicate {
        /// Equal.
        Eq = 0,
        /// Not equal.
        Ne = 1,
        /// Signed less.
        Slt = 2,
        /// Signed less or equal.
        Sle = 3,
        /// Signed greater.
        Sgt = 4,
        /// Signed greater or equal.
        Sge = 5,
        /// Unsigned less.
        Ult = 6,
        /// Unsigned less or equal.
        Ule = 7,
        /// Unsigned greater.
        Ugt = 8,
        /// Unsigned greater or equal.
        Uge = 9,
    } by CMPI_PREDICATES
}

predicates! {
    /// What `arith.cmpf` asks. Ordered predicates are false, unordered ones true, when an operand
    /// is a NaN.
    CmpFPredicate {
        /// Never.
        False = 0,
        /// Ordered and equal.
        Oeq = 1,
        /// Ordered and greater.
        Ogt = 2,
        /// Ordered and greater or equal.
        Oge = 3,
        /// Ordered and less.
        Olt = 4,
        /// Ordered and less or equal.
        Ole = 5,
        /// Ordered and not equal.
        One = 6,
        /// Ordered: no NaN.
        Ord = 7,
        /// Unordered or equal.
        Ueq = 8,
        /// Unordered or greater.
        Ugt = 9,
        /// Unordered, greater or equal.
        Uge = 10,
        /// Unordered or less.
        Ult = 11,
        /// Unordered, less or equal.
        Ule = 12,
        /// Unordered or not equal.
        Une = 13,
        /// Unordered: a NaN.
        Uno = 14,
        /// Always.
        True = 15,
    } by CMPF_PREDICATES
}

impl CmpIPredicate {
    /// Whether it holds between two constants of a width (1 to 128 bits), each in the form that
    /// integer attributes have.
    pub fn holds(self, lhs: i128, rhs: i128, width: u32) -> bool {
        let shift = 128 - width.clamp(1, 128);
        let signed = |value: i128| value << shift >> shift;
        let unsigned = |value: i128| (value as u128) << shift >> shift;
        let (sl, sr) = (signed(lhs), signed(rhs));
        let (ul, ur) = (unsigned(lhs), unsigned(rhs));
        match self {
            CmpIPredicate::Eq => ul == ur,
            CmpIPredicate::Ne => ul != ur,
            CmpIPredicate::Slt => sl < sr,
            CmpIPredicate::Sle => sl <= sr,
            CmpIPredicate::Sgt => sl > sr,
            CmpIPredicate::Sge => sl >= sr,
            CmpIPredicate::Ult => ul < ur,
            CmpIPredicate::Ule => ul <= ur,
            CmpIPredicate::Ugt => ul > ur,
            CmpIPredicate::Uge => ul >= ur,
        }
    }

    /// The predicate that holds exactly when this one does not.
    pub fn inverted(self) -> CmpIPredicate {
        use CmpIPredicate::*;
        match self {
            Eq => Ne,
            Ne => Eq,
            Slt => Sge,
            Sle => Sgt,
            Sgt => Sle,
            Sge => Slt,
            Ult => Uge,
            Ule => Ugt,
            Ugt => Ule,
            Uge => Ult,
        }
    }

    /// The predicate that asks the same of exchanged operands.
    pub fn swapped(self) -> CmpIPredicate {
        use CmpIPredicate::*;
        match self {
            Eq => Eq,
            Ne => Ne,
            Slt => Sgt,
            Sle => Sge,
            Sgt => Slt,
            Sge => Sle,
            Ult => Ugt,
            Ule => Uge,
            Ugt => Ult,
            Uge => Ule,
        }
    }

    /// Whether it holds between a value and itself.
    pub fn is_reflexive(self) -> bool {
        self.holds(0, 0, 1)
    }
}

impl CmpFPredicate {
    /// For which relations it holds: bit 0 equal, 1 greater, 2 less, 3 unordered. The numbers of
    /// the predicates are not these masks: `uno` stands behind the other unordered ones.
    fn mask(self) -> u8 {
        match self as u8 {
            14 => 8,
            n @ 8..=13 => n + 1,
            n => n,
        }
    }

    /// The predicate that holds for these relations.
    fn from_mask(mask: u8) -> CmpFPredicate {
        Self::ALL.iter().copied().find(|p| p.mask() == mask).unwrap_or(CmpFPredicate::False)
    }

    /// Whether it holds between two numbers.
    pub fn holds(self, lhs: f64, rhs: f64) -> bool {
        let relation = match lhs.partial_cmp(&rhs) {
            Some(std::cmp::Ordering::Equal) => 1,
            Some(std::cmp::Ordering::Greater) => 2,
            Some(std::cmp::Ordering::Less) => 4,
            None => 8,
        };
        self.mask() & relation != 0
    }

    /// The predicate that holds exactly when this one does not.
    pub fn inverted(self) -> CmpFPredicate {
        Self::from_mask(!self.mask() & 15)
    }

    /// The predicate that asks the same of exchanged operands.
    pub fn swapped(self) -> CmpFPredicate {
        let n = self.mask();
        Self::from_mask((n & 0b1001) | (n & 2) << 1 | (n & 4) >> 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn float_predicates_mean_what_their_names_say() {
        use CmpFPredicate::{
            False, Oeq, Oge, Ogt, Ole, Olt, One, Ord, True, Ueq, Uge, Ugt, Ule, Ult, Une, Uno,
        };
        let nan = f64::NAN;
        // Equal, greater, less, unordered.
        let table = [
            (False, [false, false, false, false]),
            (Oeq, [true, false, false, false]),
            (Ogt, [false, true, false, false]),
            (Oge, [true, true, false, false]),
            (Olt, [false, false, true, false]),
            (Ole, [true, false, true, false]),
            (One, [false, true, true, false]),
            (Ord, [true, true, true, false]),
            (Ueq, [true, false, false, true]),
            (Ugt, [false, true, false, true]),
            (Uge, [true, true, false, true]),
            (Ult, [false, false, true, true]),
            (Ule, [true, false, true, true]),
            (Une, [false, true, true, true]),
            (Uno, [false, false, false, true]),
            (True, [true, true, true, true]),
        ];
        for (predicate, expected) in table {
            let pairs = [(1.0, 1.0), (2.0, 1.0), (1.0, 2.0), (nan, 1.0)];
            let found = pairs.map(|(a, b)| predicate.holds(a, b));
            assert_eq!(found, expected, "{predicate:?}");
            for (a, b) in pairs {
                assert_eq!(predicate.inverted().holds(a, b), !predicate.holds(a, b));
                assert_eq!(predicate.swapped().holds(b, a), predicate.holds(a, b));
            }
        }
    }
}

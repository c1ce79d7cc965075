//! Traits: facts about an operation that generic code may rely on.

use std::ops::BitOr;

/// A set of traits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Traits(u64);

macro_rules! traits {
    ($($(#[$doc:meta])* $name:ident = $bit:literal;)*) => {
        impl Traits {
            $($(#[$doc])* pub const $name: Traits = Traits(1 << $bit);)*
        }
    };
}

traits! {
    /// Ends its block.
    TERMINATOR = 0;
    /// No side effects and nothing undefined: may be erased, moved, merged, speculated.
    PURE = 1;
    /// The operands may be swapped.
    COMMUTATIVE = 2;
    /// All operands and results have one type; results' types follow from the operands'.
    SAME_OPERANDS_AND_RESULT_TYPE = 3;
    /// Regions use no value from outside.
    ISOLATED_FROM_ABOVE = 4;
    /// Has a `sym_name`.
    SYMBOL = 5;
    /// Holds symbols in its one region.
    SYMBOL_TABLE = 6;
    /// Every region has at most one block.
    SINGLE_BLOCK = 7;
    /// Blocks of its regions need no terminator.
    NO_TERMINATOR = 8;
    /// Has an attribute `value` and no operands: a constant.
    CONSTANT_LIKE = 9;
    /// Its effects are those of the operations in its regions.
    RECURSIVE_EFFECTS = 10;
    /// Values defined at the top of its region are affine symbols.
    AFFINE_SCOPE = 11;
    /// Frees what is `alloca`ted inside when it ends.
    ALLOCATION_SCOPE = 12;
    /// A terminator that gives its operands to the enclosing operation's results.
    RETURN_LIKE = 13;
    /// Operand groups have their sizes in `operandSegmentSizes`.
    ATTR_SIZED_OPERANDS = 14;
    /// Result groups have their sizes in `resultSegmentSizes`.
    ATTR_SIZED_RESULTS = 15;
    /// All operands have one type.
    SAME_TYPE_OPERANDS = 16;
    /// The region is a graph: order and dominance do not matter.
    GRAPH_REGION = 17;
    /// Applying it twice is applying it once: `f(f(x))` is `f(x)`, or `f(x, x)` is `x`. Folding
    /// knows it.
    IDEMPOTENT = 18;
    /// Applying it twice is not applying it: `f(f(x))` is `x`. Folding knows it.
    INVOLUTION = 19;
    /// May be executed although the program would not have: no effects besides undefined results.
    SPECULATABLE = 20;
    /// Must not be inlined across function borders.
    NOT_INLINABLE = 21;
    /// A loop whose iterations may run in any order or at once.
    PARALLEL_LOOP = 22;
    /// Works on each element of vectors and tensors by itself: all of them have one shape.
    ELEMENTWISE = 23;
    /// Constants that folding makes of what its regions hold stand in them, not further out.
    CONSTANTS_STAY = 24;
}

impl Traits {
    /// No traits.
    pub const NONE: Traits = Traits(0);

    /// Both sets; usable in constants.
    pub const fn with(self, other: Traits) -> Traits {
        Traits(self.0 | other.0)
    }

    /// Whether every trait of `other` is in the set.
    pub const fn contains(self, other: Traits) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Traits {
    type Output = Traits;

    fn bitor(self, other: Traits) -> Traits {
        self.with(other)
    }
}

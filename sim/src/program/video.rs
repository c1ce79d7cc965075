//! Video instructions: arithmetic on selected parts of 32-bit registers.

use super::Cmp;

/// The arithmetic of a video instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VideoOp {
    Add,
    Sub,
    AbsDiff,
    /// Half the sum, rounded up.
    Average,
    Min,
    Max,
    Shl {
        wrap: bool,
    },
    Shr {
        wrap: bool,
    },
    Set(Cmp),
}

/// A part of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Word,
    Half(u8),
    Byte(u8),
}

impl Part {
    /// Its bits, and where they start.
    pub(crate) fn place(self) -> (u32, u32) {
        match self {
            Part::Word => (32, 0),
            Part::Half(n) => (16, 16 * u32::from(n)),
            Part::Byte(n) => (8, 8 * u32::from(n)),
        }
    }
}

/// What is done with the result and the third operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Second {
    None,
    Add,
    Min,
    Max,
    /// The result goes to a part of it.
    Merge(Part),
}

/// A scalar video instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Video {
    pub(crate) op: VideoOp,
    /// Destination, first and second operand are signed.
    pub(crate) signed: [bool; 3],
    pub(crate) sat: bool,
    pub(crate) parts: [Part; 2],
    pub(crate) second: Second,
}

/// `vmad`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VideoMad {
    pub(crate) signed: [bool; 2],
    pub(crate) parts: [Part; 2],
    /// The product is negated.
    pub(crate) negate_product: bool,
    /// The third operand is negated.
    pub(crate) negate_addend: bool,
    /// One is added.
    pub(crate) plus_one: bool,
    pub(crate) sat: bool,
    /// The result is shifted right so far.
    pub(crate) shift: u8,
}

/// A video instruction on two halves or four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VideoSimd {
    pub(crate) op: VideoOp,
    /// Parts of a register: 2 or 4.
    pub(crate) lanes: u8,
    /// Destination, first and second operand are signed.
    pub(crate) signed: [bool; 3],
    pub(crate) sat: bool,
    /// The parts that are written or added up, a bit each.
    pub(crate) mask: u8,
    /// For both operands which part of the pair each lane takes, three bits a lane.
    pub(crate) select: [u16; 2],
    /// The results are added to the third operand.
    pub(crate) accumulate: bool,
}

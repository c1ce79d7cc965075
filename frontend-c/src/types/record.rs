//! Structures, unions and enumerations.

use super::{IntKind, Layout, Type};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::DeclId;

/// A structure or union of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(pub(super) u32);

/// An enumeration of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnumId(pub(super) u32);

/// A structure or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its tag.
    pub tag: Option<Symbol>,
    /// Whether it is a union.
    pub is_union: bool,
    /// Its members; unnamed bit-fields are left out.
    pub fields: Vec<Field>,
    /// Its size and alignment once it is complete.
    pub layout: Option<Layout>,
    /// Whether a pointer-like union may be passed as any of its members (GNU).
    pub transparent: bool,
    /// One more than the greatest height among its members' types.
    pub(super) height: u32,
    /// Where it is declared.
    pub span: Span,
}

/// A member of a record.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name; anonymous structures and unions have none.
    pub name: Option<Symbol>,
    /// Its type.
    pub ty: Type,
    /// Its offset in bytes; of a bit-field, that of its storage unit.
    pub offset: u64,
    /// Where its bits are within the storage unit.
    pub bits: Option<BitField>,
    /// Where it is declared.
    pub span: Span,
}

/// The bits of a bit-field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BitField {
    /// First bit, from the least significant bit of the storage unit at the field's offset.
    pub offset: u32,
    /// Number of bits.
    pub width: u32,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its tag.
    pub tag: Option<Symbol>,
    /// The integer type it is compatible with, once it is complete.
    pub underlying: Option<IntKind>,
    /// Its constants.
    pub constants: Vec<DeclId>,
    /// Where it is declared.
    pub span: Span,
}

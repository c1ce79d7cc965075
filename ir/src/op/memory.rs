//! Accesses to elements of buffers, seen alike whatever the dialect.

use smallvec::SmallVec;

use super::ValueSpec;
use crate::graph::{Ir, Op, Value};
use crate::{AffineMap, Type};

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It reads and writes in one step.
    Atomic,
    /// As atomic, and the order of such counts: with the attribute [`VOLATILE_ATTR`].
    Volatile,
}

/// An atomic access with this attribute is one of a volatile object of the program.
pub const VOLATILE_ATTR: &str = "volatile";

impl AccessKind {
    /// Whether it does what it does in one step.
    pub fn is_atomic(self) -> bool {
        matches!(self, AccessKind::Atomic | AccessKind::Volatile)
    }
}

/// How an access says which elements it is to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscriptForm {
    /// By operands, one for each dimension of the buffer.
    Operands,
    /// By the affine map that the attribute of that name holds, applied to operands.
    Map(&'static str),
}

/// What is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessedValue {
    /// The first result.
    Result,
    /// The operand of that number.
    Operand(usize),
}

/// An access to one buffer (hook `access`). The operands of the subscripts follow the buffer.
#[derive(Clone, Copy, Debug)]
pub struct AccessInterface {
    /// What it does.
    pub kind: AccessKind,
    /// Number of the operand that is the buffer.
    pub buffer: usize,
    /// The form of the subscripts.
    pub subscripts: SubscriptForm,
    /// What is read or written: a vector of elements, where the buffer's are none.
    pub value: AccessedValue,
}

/// The subscripts of an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subscripts {
    /// A value for each dimension.
    Values(SmallVec<[Value; 4]>),
    /// The results of a map applied to operands, its dimensions first.
    Map(AffineMap, SmallVec<[Value; 4]>),
}

/// What an operation accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryAccess {
    /// What it does.
    pub kind: AccessKind,
    /// The buffer.
    pub buffer: Value,
    /// Number of the operand that is the buffer; those of the subscripts follow it.
    pub buffer_operand: usize,
    /// Where the first element is.
    pub subscripts: Subscripts,
    /// What is read or written.
    pub value: Value,
    /// How many elements it touches from the first one on in each of the last dimensions; empty for
    /// one element.
    pub extents: SmallVec<[i64; 1]>,
}

impl MemoryAccess {
    /// The value that a plain write stores.
    pub fn stored(&self) -> Option<Value> {
        (self.kind == AccessKind::Write).then_some(self.value)
    }
}

impl Ir {
    /// The element access that an operation is, if it is one to one buffer.
    pub fn memory_access(&self, op: Op) -> Option<MemoryAccess> {
        let access = self.def(op)?.hooks.access?;
        let buffer = self.operand(op, access.buffer);
        let ty = self.ty(buffer);
        let behind = || self.operands(op).skip(access.buffer + 1);
        let subscripts = match access.subscripts {
            SubscriptForm::Operands => {
                let rank = self.ctx.shape(ty)?.len();
                Subscripts::Values(behind().take(rank).collect())
            }
            SubscriptForm::Map(name) => {
                let map = self.ctx.map_value(self.attr(op, name)?)?;
                Subscripts::Map(map, behind().collect())
            }
        };
        let value = match access.value {
            AccessedValue::Result => *self.results(op).first()?,
            AccessedValue::Operand(index) => self.operand(op, index),
        };
        let extents = self.accessed_extents(ty, self.ty(value))?;
        let is_volatile =
            access.kind == AccessKind::Atomic && self.attr(op, VOLATILE_ATTR).is_some();
        let kind = if is_volatile { AccessKind::Volatile } else { access.kind };
        let buffer_operand = access.buffer;
        Some(MemoryAccess { kind, buffer, buffer_operand, subscripts, value, extents })
    }

    /// The shape of a vector of elements; empty for an element, which may itself be a vector.
    fn accessed_extents(&self, buffer: Type, value: Type) -> Option<SmallVec<[i64; 1]>> {
        if self.ctx.element(buffer)? == value || !self.ctx.is_vector(value) {
            return Some(SmallVec::new());
        }
        Some(self.ctx.shape(value)?.iter().copied().collect())
    }

    /// Whether an operation is a plain read of one element of `buffer`.
    pub fn reads_element_of(&self, op: Op, buffer: Value) -> bool {
        self.memory_access(op).is_some_and(|access| {
            access.kind == AccessKind::Read && access.buffer == buffer && access.extents.is_empty()
        })
    }

    /// The value that an operation stores to one element of `buffer` by a plain write, unless it is
    /// the buffer itself.
    pub fn stored_to_element_of(&self, op: Op, buffer: Value) -> Option<Value> {
        let access = self.memory_access(op)?;
        let stores = access.buffer == buffer && access.extents.is_empty();
        access.stored().filter(|&value| stores && value != buffer)
    }
}

impl AccessInterface {
    /// Whether the interface can be one of an operation with such operands; for a test over all
    /// operations.
    pub fn fits(&self, operands: &[ValueSpec]) -> bool {
        let value_is_there = match self.value {
            AccessedValue::Result => true,
            AccessedValue::Operand(index) => index < operands.len() && index != self.buffer,
        };
        value_is_there && self.buffer + 1 < operands.len()
    }
}

//! What a value of the gpu level has become.

use gpuc_dialects::ptx::kinds::Space;
use gpuc_ir::Value;
use smallvec::SmallVec;

use super::buffer::Address;

/// See the [module](self).
#[derive(Clone, Debug)]
pub(crate) enum Lowered {
    /// A scalar in a register.
    Scalar(Value),
    /// A vector, a register for each element.
    Vector(SmallVec<[Value; 4]>),
    /// A buffer.
    Buffer(Buffer),
    /// A pointer.
    Pointer(Address),
}

/// A number that is known now or held in a 64-bit register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Known.
    Static(i64),
    /// In a register.
    Register(Value),
    /// Not handed on to the place where it is asked for.
    Unknown,
}

/// A buffer: where it is and how indices become addresses.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    /// Address of the start, before `bytes` and `offset`; 32 bits in shared memory.
    pub base: Value,
    /// Bytes to add to the address.
    pub bytes: i64,
    /// State space that the address is in.
    pub space: Space,
    /// Elements from the start to the element with all indices 0.
    pub offset: Extent,
    /// Extent of each dimension.
    pub sizes: SmallVec<[Extent; 3]>,
    /// Elements from one index to the next in each dimension.
    pub strides: SmallVec<[Extent; 3]>,
}

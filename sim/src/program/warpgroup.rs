//! Products of a warp group (`wgmma`).

use crate::isa::Type;

/// `wgmma.mma_async.m64nNkK`: the result is 64 by n. Descriptors of factors in shared memory are
/// `src[0]` and `src[1]`, the predicate `src[2]` says whether the result is added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WarpGroupMultiply {
    pub(crate) n: u16,
    pub(crate) k: u16,
    /// Types of the result and the factors.
    pub(crate) types: [Type; 3],
    /// Factors that are negated.
    pub(crate) negated: [bool; 2],
    /// Factors that lie in memory with k as the slower index.
    pub(crate) transposed: [bool; 2],
    /// Registers of the left factor; 0 where it is in shared memory.
    pub(crate) a_registers: u8,
    pub(crate) satfinite: bool,
}

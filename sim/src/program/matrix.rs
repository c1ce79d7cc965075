//! Matrices that a warp holds in its registers.

use crate::isa::Type;

use super::{MemorySpace, Op};

/// Which matrix of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The left factor, m by k.
    A,
    /// The right factor, k by n.
    B,
    /// The addend and the result, m by n.
    C,
}

/// Extents of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) m: u16,
    pub(crate) n: u16,
    pub(crate) k: u16,
}

impl Shape {
    /// Rows and columns of a matrix.
    pub(crate) fn extents(self, role: Role) -> (usize, usize) {
        let (rows, columns) = match role {
            Role::A => (self.m, self.k),
            Role::B => (self.k, self.n),
            Role::C => (self.m, self.n),
        };
        (rows.into(), columns.into())
    }
}

/// How products of bits become numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Products {
    Arithmetic,
    /// The number of bits in which both differ.
    Xor,
    /// The number of bits that both have.
    And,
}

/// `mma.sync` and `wmma.mma.sync`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Multiply {
    pub(crate) shape: Shape,
    /// Types of the result, the factors and the addend.
    pub(crate) types: [Type; 4],
    pub(crate) products: Products,
    /// Integer sums saturate.
    pub(crate) satfinite: bool,
    /// Registers of result, factors and addend.
    pub(crate) counts: [u8; 4],
    /// The matrices lie in the registers as `wmma.load` puts them.
    pub(crate) opaque: bool,
}

/// `wmma.load` and `wmma.store`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Matrix {
    pub(crate) shape: Shape,
    pub(crate) role: Role,
    pub(crate) ty: Type,
    pub(crate) column_major: bool,
    pub(crate) space: MemorySpace,
    pub(crate) narrow_address: bool,
    /// The stride is an operand.
    pub(crate) strided: bool,
}

/// `ldmatrix` and `stmatrix`: tiles of eight rows of 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tile {
    pub(crate) transposed: bool,
    pub(crate) space: MemorySpace,
    pub(crate) narrow_address: bool,
}

impl Op {
    /// Whether the whole warp does the operation together, with matrices.
    pub(crate) fn is_matrix(self) -> bool {
        matches!(
            self,
            Op::Multiply(..)
                | Op::WarpGroupMultiply(..)
                | Op::LoadMatrix(..)
                | Op::StoreMatrix(..)
                | Op::LoadTiles(..)
                | Op::StoreTiles(..)
        )
    }
}

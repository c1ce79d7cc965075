//! What transformations ask before they change anything.

pub mod access;
pub mod domain;
pub mod loops;
pub mod nest;
pub mod polynomial;
pub mod quasi_affine;
pub mod range;
pub mod read_only;
pub mod slice;
pub mod subscript;
pub mod uniform;

//! What transformations ask before they change anything.

pub mod access;
pub mod dependence;
pub mod domain;
pub mod loops;
pub mod polynomial;
pub mod range;
pub mod read_only;
pub mod slice;
pub mod subscript;

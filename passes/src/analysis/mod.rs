//! What transformations ask before they change anything.

pub mod access;
pub mod cases;
pub mod chrec;
pub mod domain;
pub mod extremes;
pub mod gaps;
pub mod integer;
pub mod kir;
pub mod loops;
pub mod modular;
pub mod names;
pub mod nest;
pub mod polynomial;
pub mod quasi_affine;
pub mod range;
pub mod read_only;
pub mod sharing;
pub mod slice;
pub mod subscript;
pub mod trips;
pub mod uniform;

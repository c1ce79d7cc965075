//! Loop nests: who touches what in which iteration, and what has to wait for what.

pub mod carried;
pub mod dependence;
mod pair;
mod shape;

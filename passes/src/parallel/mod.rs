//! Who executes what: compute regions become kernels.

pub mod carried_scalar;
pub mod check_independent;
pub mod combiner;
pub mod distribute;
pub mod kernel;
pub mod last_value;
pub mod mapping;
pub mod outline;
pub mod parallel_loop;
pub mod recognize_parallel;
mod remarks;
pub mod scratch;
pub mod segments;
pub mod threads;

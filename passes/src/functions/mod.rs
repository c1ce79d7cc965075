//! Passes over functions as wholes: what they return, which do the same, who sees them.

pub mod duplicates;
pub mod out_params;
pub mod privatize;
pub mod signature;

//! Passes over functions as wholes: what they return, and which do the same.

pub mod duplicates;
pub mod out_params;

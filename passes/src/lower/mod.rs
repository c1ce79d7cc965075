//! From kernels of structured code to control flow graphs of scalar operations.

mod address;
pub mod advance_loads;
pub mod break_down_vectors;
pub mod carry_elements;
pub mod convert_scf_to_cf;
pub mod expand_index_ops;
pub mod expand_realloc;
pub mod fold_memref_alias_ops;
pub mod hoist_loads;
pub mod index_set_splitting;
pub mod loop_unroll;
pub mod lower_accesses;
pub mod lower_affine;
pub mod lower_reductions;
pub mod narrow_loops;
mod recurrence;
pub mod scf_to_cf;
pub mod shuffle;
pub mod vectorize_loads;

//! Simplifications that hold at every level: they know operations only by their interfaces.

pub mod affine_licm;
pub mod affine_scalrep;
pub mod affine_structures;
pub mod algebra;
pub mod canonicalize;
pub mod carry;
pub mod control_flow_sink;
pub mod cse;
pub mod dead_carried;
pub mod fold_cast_pairs;
pub mod inline;
pub mod licm;
pub mod mem2reg;
mod merge_blocks;
pub mod reconcile_casts;
pub mod regions;
pub mod sccp;
pub mod simplify_index;
pub mod snapshot_locations;
pub mod sroa;
pub mod strip_debuginfo;
pub mod symbol_dce;
pub mod uplift_to_fma;

//! From what the program says to closed forms: loops and accesses that analyses understand.

pub mod affine_operands;
mod clause_sizes;
mod condition;
pub mod delinearize;
pub mod parallel_nest;
pub mod promote_scalars;
pub mod raise_affine;
pub mod raise_fields;
pub mod raise_inductions;
pub mod raise_loops;
pub mod raise_searches;
pub mod raise_while;
pub mod reduction;
pub mod row_guard;
pub mod row_view;
pub mod unflatten_loops;
pub mod widen_subscripts;

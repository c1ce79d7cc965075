//! Loops of `scf`, by the passes that MLIR has for them: names, options and results are upstream's
//! where those are right.
//!
//! | module | what |
//! |---|---|
//! | [`canonicalize_loops`] | minima and maxima that loops decide |
//! | [`collapse_parallel`] | dimensions of parallel loops as fewer |
//! | [`fold_range`] | sums and products of the variable in the bounds |
//! | [`for_to_while`] | counting loops as loops that test |
//! | [`forall`] | `scf.forall` as other loops |
//! | [`fuse_parallel`] | parallel loops that follow each other as one |
//! | [`peel`] | iterations that fill no whole step apart from the others |
//! | [`specialize`] | a version of a loop for the bound that it mostly has |
//! | [`tile_parallel`] | parallel loops in tiles |

pub mod canonicalize_loops;
pub mod collapse_parallel;
pub mod fold_range;
pub mod for_to_while;
pub mod forall;
pub mod fuse_parallel;
pub mod peel;
pub mod specialize;
pub mod tile_parallel;

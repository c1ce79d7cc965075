//! Loops of `scf`, by the passes that MLIR has for them: names, options and results are upstream's
//! where those are right.
//!
//! | module | what |
//! |---|---|
//! | [`peel`] | iterations that fill no whole step apart from the others |
//! | [`specialize`] | a version of a loop for the bound that it mostly has |
//! | [`tile_parallel`] | parallel loops in tiles |

pub mod peel;
pub mod specialize;
pub mod tile_parallel;

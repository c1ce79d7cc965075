//! Where data lives and who reuses it: tiles in registers and in memory of the block.

mod band;
pub mod contraction;
mod coordinates;
mod emit;
pub mod promote_elements;
mod stage;
pub mod stage_transposes;
pub mod tile_contractions;
pub mod tile_plan;
pub mod transposition;
mod wide;

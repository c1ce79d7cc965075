//! Where data lives and who reuses it: tiles in registers and in memory of the block.

mod band;
pub mod block_time;
mod blocks;
pub mod coarsen_threads;
pub mod coarsening;
pub mod contraction;
mod coordinates;
mod emit;
pub mod lanes;
pub mod march_plan;
pub mod march_stencils;
pub mod marching;
pub mod promote_elements;
pub mod spread_reductions;
mod stage;
pub mod stage_stencils;
pub mod stage_transposes;
pub mod stencil;
pub mod stencil_plan;
mod sum_in_order;
pub mod tile_contractions;
pub mod tile_plan;
pub mod time_plan;
pub mod time_sweeps;
mod time_tiles;
pub mod transposition;
mod wide;

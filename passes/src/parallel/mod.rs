//! Who executes what: parallel loops are found and mapped, compute regions become kernels, and their
//! code becomes that of one thread.

pub mod affine_parallelize;
pub mod block_shape;
pub mod carried_scalar;
pub mod check_independent;
pub mod collapse_parallel;
pub mod combiner;
pub mod distribute;
mod host_carried;
pub mod host_plan;
pub mod host_split;
pub mod kernel;
mod lane_row;
mod last_block;
pub mod last_value;
pub mod launch;
pub mod loop_bounds;
pub mod map;
mod mapping_remarks;
mod nest_plan;
pub mod outline;
pub mod parallel_loop;
pub mod phases;
pub mod recognize_parallel;
mod remarks;
pub mod restructure;
pub mod schedule;
pub mod scratch;
pub mod segments;
pub mod split_launches;
pub mod spread;
pub mod thread_arrays;
mod thread_races;
pub mod threads;
mod touched;
pub mod verify_barriers;
pub mod verify_mapping;

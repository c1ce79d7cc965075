//! Execution of the decoded program.
//!
//! A worker thread runs whole blocks ([`block`]), a block runs its warps in turn, a warp runs its
//! lanes in groups that share a program counter ([`warp`]). The families of operations work on
//! whole rows of registers; a [`plan`] has for each instruction its function, in the version for this
//! host ([`host_simd`]). What happens is told to a [`probe`].

mod access;
mod approximate;
mod atomic;
mod block;
mod calls;
mod cluster;
mod collective;
mod compare;
mod convert;
mod effects;
mod extremum;
mod faults;
mod float;
mod host_simd;
mod image;
mod integer;
mod lanes;
mod matrix;
mod memory;
mod memory_barrier;
mod moves;
mod narrow;
mod packed;
mod plan;
mod pool;
mod printf;
mod probe;
mod reconvergence;
mod rendezvous;
mod repetition;
mod soft_float;
mod system;
mod traffic;
mod video;
mod warp;
mod warpgroup;

pub(crate) use block::{Environment, RunLimits, Worker};
pub(crate) use cluster::Clusters;
pub(crate) use lanes::{LANES, Row};
pub(crate) use memory::{MemoryRange, MemoryRanges};
pub(crate) use plan::Plan;
pub(crate) use pool::{Crew, processors};
pub(crate) use probe::{AccessEvent, Arrival, At, Collective, Nobody, Probe};
pub(crate) use system::{Output, Services};
pub(crate) use traffic::{Exchange, SiteCounter, exchange, interleaved};

//! Execution of the decoded program.
//!
//! A worker thread runs whole blocks ([`block`]), a block runs its warps in turn, a warp runs its
//! lanes in groups that share a program counter ([`warp`]). The families of operations work on
//! whole rows of registers, in versions for several instruction sets of the host ([`host_simd`]).

mod atomic;
mod block;
mod calls;
mod collective;
mod compare;
mod convert;
mod extremum;
mod float;
mod host_simd;
mod integer;
mod lanes;
mod matrix;
mod memory;
mod memory_barrier;
mod moves;
mod narrow;
mod packed;
mod printf;
mod reconvergence;
mod rendezvous;
mod soft_float;
mod system;
mod traffic;
mod video;
mod warp;

pub(crate) use block::{Environment, Worker};
pub(crate) use host_simd::run_block;
pub(crate) use lanes::Row;
pub(crate) use memory::{Region, Regions};
pub(crate) use system::{Output, Services};

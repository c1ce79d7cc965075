//! Devices, module cache, present table and the C ABI that compiled programs call.
//!
//! A compiled program links this crate as `libgpuc_runtime.so` and calls the functions of
//! [`abi`] (declared for C in `include/gpuc_rt.h`) and of [`openacc`]. Both are thin: they turn
//! pointers into the types of [`descriptor`] and call the [`Runtime`], which knows
//!
//! - one [`device::Device`], chosen by [`select`] from what the environment asks ([`config`]),
//! - the PTX of the program as loaded on it ([`image`]),
//! - the present table and the data clauses that change it ([`present`]),
//! - tools that listen ([`profiling`]),
//! - what ran and what moved, for the tables at exit ([`report`]).
//!
//! Every failure is a [`gpuc_diagnostics::Diagnostic`] at the line of the directive; the ABI shows
//! it and ends the program with status 1. This crate never sees IR: what it runs is PTX text.

pub mod abi;
pub mod arithmetic;
pub mod config;
pub mod descriptor;
pub mod device;
pub mod embedded;
pub mod failure;
pub mod image;
pub mod interrupt;
mod launch_size;
pub mod linking;
pub mod memory;
pub mod openacc;
pub mod openmp;
pub mod present;
pub mod profiling;
pub mod queue;
mod reached;
pub mod report;
mod rows;
mod runtime;
pub mod select;
mod sent;
pub mod shared_memory;
pub mod words;

pub use config::Config;
pub use failure::Failure;
pub use runtime::{Runtime, Shape};
pub use select::Executor;

//! SIMT simulator: runs PTX on the host, a warp at a time, checks it and counts what it does.
//!
//! A [`Module`] is a PTX text, read by a reader of our own (every error has a place); its kernels are
//! checked against the table of instructions and decoded when they are first asked for. A [`Simulator`] is a device: memory, and launches
//! of a module's kernels. It takes the PTX of nvcc, clang and gcc as well as gpuc's own; what it does
//! not support it refuses when a kernel that needs it is launched, by name and place
//! ([`instruction_table_markdown`] lists what it does support).
//!
//! A [`Simulator::checked`] device also listens to its kernels: out-of-bounds accesses down to the
//! variable, races, uninitialised reads, misused barriers. [`Arguments`] builds parameter blocks; the
//! `gpuc-sim` command runs a kernel from the shell.
//!
//! The way of the data: `syntax` (text to tree) → `link` (names of all texts) → `decode` (tree to
//! program, with the table in
//! `isa`) → `exec` (runs the program).

mod arguments;
mod assembler;
mod check;
mod counters;
mod decode;
mod device_heap;
mod device_memory;
mod exec;
mod fault;
mod host_memory;
mod images;
mod initial;
mod isa;
mod json;
mod launch;
mod link;
mod module;
mod profile;
mod program;
mod progress;
pub mod readable;
mod report;
mod simulator;
mod syntax;

pub use arguments::{ArgumentError, Arguments, Scalar};
pub use assembler::{Assembled, Sass, assemble};
pub use check::{Checker, Checks, Finding, FindingKind, Side, Variable, findings_json};
pub use counters::{CounterSet, Counters, InstructionCounts, MemoryCounts};
pub use fault::{AccessKind, Fault, FaultKind, LaunchError, NearestAllocation, SimError};
pub use images::{AddressMode, ChannelFormat, Filter, Image, ImageError, Texture};
pub use isa::{instruction_markdown, instruction_table_markdown, mnemonics};
pub use launch::{Launch, LaunchReport, LineCounts};
pub use module::{Kernel, Module, Param};
pub use profile::{CacheCounts, Operation, Profile, SampleSize};
pub use program::Class;
pub use progress::{Progress, ProgressLine, Watch};
pub use report::{Event, EventKind, KernelReport, Report};
pub use simulator::{DevicePtr, Simulator};

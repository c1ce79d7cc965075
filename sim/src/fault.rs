//! What can go wrong while a kernel runs.

use std::fmt;
use std::sync::Arc;

use gpuc_diagnostics::{Diagnostic, Place};
use thiserror::Error;

/// What an access wanted to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// A load.
    Read,
    /// A store.
    Write,
    /// An atomic operation.
    Atomic,
}

impl AccessKind {
    /// The word for it (`atomic access`).
    pub fn name(self) -> &'static str {
        match self {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            AccessKind::Atomic => "atomic access",
        }
    }
}

impl fmt::Display for AccessKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// An address in no allocation, or over the end of one.
    OutOfBounds(AccessKind),
    /// An address that is not a multiple of the size accessed.
    Misaligned(AccessKind),
    /// An address near zero.
    Null(AccessKind),
    /// Lanes of one warp went different ways round a barrier that all must reach together.
    BarrierDivergence,
    /// Nobody can go on: everyone waits for someone else.
    Deadlock,
    /// A barrier number above 15.
    BarrierNumber,
    /// A barrier in memory is used in a way that its state does not allow.
    MemoryBarrier,
    /// `trap`.
    Trap,
    /// A texture or surface is used that is not there, or otherwise than it allows.
    Image,
    /// A failed assertion.
    Assert,
    /// The stack of a thread is used up.
    StackOverflow,
    /// A call of an address where no function is.
    CallTarget,
    /// An index of `brx.idx` beyond its list of targets.
    BranchIndex,
    /// A call of a function that is not supported.
    Refused,
    /// `free` of what `malloc` did not give.
    InvalidFree,
    /// The launch executed more instructions than it was given.
    Budget,
    /// The launch took longer than it was given.
    TimeLimit,
    /// Somebody asked for the end of the launch.
    Interrupted,
    /// A loop whose state repeats while nobody else can change what it waits for.
    EndlessLoop,
}

/// An address so many bytes from any allocation is not one of the device's.
const FAR: u64 = 1 << 40;

/// The allocation or variable nearest to a faulting address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearestAllocation {
    /// The label it was allocated with, or the variable's name.
    pub label: Arc<str>,
    /// Its size in bytes.
    pub size: u64,
    /// Where the address lies from its start; negative before it.
    pub offset: i64,
    /// Whether it was freed before.
    pub freed: bool,
}

/// An error of a running kernel, with where and who.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// The kernel.
    pub kernel: Arc<str>,
    /// The address, in its state space; 0 for faults without one.
    pub address: u64,
    /// The name of the state space (`global`, `shared`, `local`, `param`); empty without an address.
    pub space: &'static str,
    /// Bytes accessed; 0 for faults without an access.
    pub bytes: u32,
    /// The block.
    pub block: [u32; 3],
    /// The thread within the block.
    pub thread: [u32; 3],
    /// Line of the PTX text.
    pub ptx_line: u32,
    /// The C line, from `.loc`.
    pub place: Option<Place>,
    /// The nearest allocation, for faults with an address.
    pub nearest: Option<NearestAllocation>,
    /// More words, for faults without an access.
    pub detail: String,
}

impl Fault {
    pub(crate) fn message(&self) -> String {
        let Fault { bytes, space, .. } = self;
        match self.kind {
            FaultKind::OutOfBounds(access) => {
                format!("out-of-bounds {space} {access} of {bytes} bytes")
            }
            FaultKind::Null(access) => format!("{access} of {bytes} bytes through a null pointer"),
            FaultKind::Misaligned(access) => {
                format!(
                    "misaligned {space} {access}: {:#x} is not a multiple of {bytes}",
                    self.address
                )
            }
            FaultKind::BarrierDivergence => "barrier in divergent code".into(),
            FaultKind::Deadlock => "deadlock".into(),
            FaultKind::BarrierNumber => "no such barrier".into(),
            FaultKind::MemoryBarrier => "misuse of a barrier in memory".into(),
            FaultKind::Trap => "the kernel executed `trap`".into(),
            FaultKind::Image => "a texture or surface cannot be used so".into(),
            FaultKind::Assert => "assertion failed".into(),
            FaultKind::StackOverflow => "stack overflow".into(),
            FaultKind::CallTarget => "call of an address that is no function".into(),
            FaultKind::BranchIndex => "branch beyond a list of targets".into(),
            FaultKind::Refused => "call of a function that is not supported".into(),
            FaultKind::InvalidFree => "invalid `free`".into(),
            FaultKind::Budget => "instruction budget exceeded".into(),
            FaultKind::TimeLimit => "time limit exceeded".into(),
            FaultKind::Interrupted => "interrupted".into(),
            FaultKind::EndlessLoop => "a loop that cannot end".into(),
        }
    }

    /// The fault as a diagnostic at the C line, or without a place where there is no `.loc`.
    pub fn diagnostic(&self) -> Diagnostic {
        let mut out = Diagnostic::error(self.message()).at_option(self.place.clone());
        let label = match &self.nearest {
            Some(near) if near.offset.unsigned_abs() > FAR => {
                out.help.push(
                    "a pointer that the host wrote is one of the device only where it was attached"
                        .into(),
                );
                "this is no address of the device's memory".into()
            }
            Some(near) => {
                let size = near.size;
                let place = match near.offset {
                    offset if offset < 0 => {
                        format!("{} bytes before the start of", offset.unsigned_abs())
                    }
                    offset if offset as u64 >= size => {
                        format!("{} bytes after the end of", offset as u64 - size)
                    }
                    offset => format!("at byte {offset} of"),
                };
                let freed = if near.freed { ", which was freed" } else { "" };
                format!("{place} `{}` ({size} bytes){freed}", near.label)
            }
            None => self.detail.clone(),
        };
        if self.place.is_some() {
            out.label = label;
        } else if !label.is_empty() {
            out.help.push(label);
        }
        if self.nearest.is_some() && !self.detail.is_empty() {
            out.help.push(self.detail.clone());
        }
        let [bx, by, bz] = self.block;
        let [tx, ty, tz] = self.thread;
        out.help.push(format!(
            "in kernel `{}`, block ({bx}, {by}, {bz}), thread ({tx}, {ty}, {tz}), PTX line {}",
            self.kernel, self.ptx_line
        ));
        if self.bytes > 0 {
            out.help.push(format!("address {:#x} of the {} space", self.address, self.space));
        }
        out
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.diagnostic().fmt(f)
    }
}

/// A launch that was not made, or that failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LaunchError {
    /// The module has no such kernel.
    #[error("the module has no kernel `{name}`{}", suggestion.as_ref().map(|s| format!(": did you mean `{s}`?")).unwrap_or_default())]
    UnknownKernel {
        /// The name asked for.
        name: String,
        /// The nearest kernel of the module.
        suggestion: Option<String>,
    },
    /// The shape of the launch is beyond a limit.
    #[error("{what} is {given}, but {limit_name} is {limit}")]
    Shape {
        /// What was too large (`block extent in x`).
        what: &'static str,
        /// Its value.
        given: u64,
        /// The limit's name (`the limit of sm_80`).
        limit_name: String,
        /// The limit.
        limit: u64,
    },
    /// The block is not the one that the kernel requires.
    #[error("kernel requires blocks of {}x{}x{} threads, not {}x{}x{}", required[0], required[1], required[2], given[0], given[1], given[2])]
    RequiredBlock {
        /// `.reqntid`.
        required: [u32; 3],
        /// The block of the launch.
        given: [u32; 3],
    },
    /// The cluster is not the one that the kernel requires.
    #[error("kernel requires clusters of {}x{}x{} blocks, not {}x{}x{}", required[0], required[1], required[2], given[0], given[1], given[2])]
    RequiredCluster {
        /// `.reqnctapercluster`.
        required: [u32; 3],
        /// The cluster of the launch.
        given: [u32; 3],
    },
    /// The grid is not a number of clusters.
    #[error("a grid of {}x{}x{} blocks is not made of clusters of {}x{}x{}", grid[0], grid[1], grid[2], cluster[0], cluster[1], cluster[2])]
    Cluster {
        /// Blocks of the launch.
        grid: [u32; 3],
        /// Blocks of a cluster.
        cluster: [u32; 3],
    },
    /// The parameter block has another size.
    #[error("kernel takes {expected} bytes of parameters, found {given}")]
    Params {
        /// Bytes that the kernel declares.
        expected: usize,
        /// Bytes that were passed.
        given: usize,
    },
    /// The kernel, or a function that it calls, is wrong or not supported: every reason, with its
    /// place.
    #[error("kernel `{kernel}` cannot run: {}", reasons.iter().map(|r| r.message.as_str()).collect::<Vec<_>>().join("; "))]
    Refused {
        /// The kernel.
        kernel: String,
        /// What stands in the way.
        reasons: Vec<Diagnostic>,
    },
    /// A texture or surface variable that nothing is bound to.
    #[error("kernel `{kernel}` reads or writes `{name}`, to which no texture or surface is bound")]
    Unbound {
        /// The kernel.
        kernel: String,
        /// The variable.
        name: String,
    },
    /// Device memory could not be had.
    #[error(transparent)]
    Memory(#[from] SimError),
    /// The kernel ran and failed.
    #[error(transparent)]
    Fault(Box<Fault>),
}

impl LaunchError {
    /// The error as a diagnostic, at the C line where it is known.
    pub fn diagnostic(&self) -> Diagnostic {
        match self {
            LaunchError::Fault(fault) => fault.diagnostic(),
            LaunchError::Refused { kernel, reasons } if !reasons.is_empty() => {
                let mut first = reasons[0].clone();
                first.help.push(match reasons.len() - 1 {
                    0 => format!("kernel `{kernel}` cannot run for this reason"),
                    more => format!("kernel `{kernel}` cannot run for this reason and {more} more"),
                });
                first
            }
            other => Diagnostic::error(other.to_string()),
        }
    }
}

/// An error of the memory functions.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SimError {
    /// The device has not so much memory, or the host has not.
    #[error(
        "out of device memory: {requested} bytes for `{label}` with {used} of {total} bytes in use"
    )]
    OutOfMemory {
        /// Bytes asked for.
        requested: u64,
        /// For what.
        label: String,
        /// Bytes in use.
        used: u64,
        /// Bytes of the device.
        total: u64,
    },
    /// Not the start of an allocation.
    #[error("{ptr:#x} is not the start of a device allocation")]
    NotAllocated {
        /// The pointer.
        ptr: u64,
    },
    /// Bytes outside every allocation.
    #[error("{bytes} bytes at {ptr:#x} are not inside one device allocation")]
    OutOfBounds {
        /// The address.
        ptr: u64,
        /// Bytes of the access.
        bytes: u64,
    },
}

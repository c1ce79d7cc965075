//! The decoded program: what the executor runs.
//!
//! A kernel is one array of [`Inst`]s, its device functions behind it. A 32-bit (or narrower)
//! register is one row of 32 `u32` lanes, a 64-bit register two rows that hold 32 `u64` lanes, and
//! a predicate one lane mask. Immediates and constant special registers are rows too, filled
//! before a warp starts, so that every source operand is a row. Every function has rows of its own;
//! a call within a recursion saves those of its caller.

use std::ops::Range;
use std::sync::Arc;

use gpuc_diagnostics::{Diagnostic, Place};

mod image;
mod matrix;
mod op;
mod video;
mod warpgroup;

pub(crate) use image::*;
pub(crate) use matrix::*;
pub(crate) use op::*;
pub(crate) use video::*;
pub(crate) use warpgroup::*;

/// Classes that the counters tell apart, after Nsight Compute's `op_*` metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Integer arithmetic and comparison.
    Integer,
    /// Logic, shifts and bit counts.
    Bit,
    /// Half-precision arithmetic.
    Fp16,
    /// Single-precision arithmetic.
    Fp32,
    /// Double-precision arithmetic.
    Fp64,
    /// Special functions: approximate reciprocal, root, exponential, sine and so on.
    Special,
    /// Conversions between types.
    Conversion,
    /// Loads, stores, atomics, fences.
    Memory,
    /// Branches, calls, exits.
    Control,
    /// Shuffles, votes, barriers.
    InterThread,
    /// Moves and the rest.
    Misc,
}

impl Class {
    /// Every class, in the order of reports.
    pub const ALL: [Class; 11] = [
        Class::Integer,
        Class::Bit,
        Class::Fp16,
        Class::Fp32,
        Class::Fp64,
        Class::Special,
        Class::Conversion,
        Class::Memory,
        Class::Control,
        Class::InterThread,
        Class::Misc,
    ];

    /// The word Nsight Compute uses between `op_` and `_pred_on`.
    pub fn name(self) -> &'static str {
        match self {
            Class::Integer => "integer",
            Class::Bit => "bit",
            Class::Fp16 => "fp16",
            Class::Fp32 => "fp32",
            Class::Fp64 => "fp64",
            Class::Special => "special",
            Class::Conversion => "conversion",
            Class::Memory => "memory",
            Class::Control => "control",
            Class::InterThread => "inter_thread_communication",
            Class::Misc => "misc",
        }
    }
}

/// A run of operands in [`Code::lists`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct List {
    pub(crate) start: u32,
    pub(crate) count: u8,
}

/// Marks an operand that is not there, and a row that is not written.
pub(crate) const NO_ROW: u32 = u32::MAX;
/// "Never" as an instruction number.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// The predicate that is true in every lane.
pub(crate) const PRED_TRUE: u32 = 0;
/// The predicate that nobody reads: destinations left out.
pub(crate) const PRED_SINK: u32 = 1;
/// The carry flags.
pub(crate) const PRED_CARRY: u32 = 2;
/// Whether the launch has clusters.
pub(crate) const PRED_CLUSTER: u32 = 3;
/// The first predicate of the program.
pub(crate) const PRED_FIRST: u32 = 4;

/// A predicate as a source: twice its number, plus one if negated.
pub(crate) fn pred_source(number: u32, negated: bool) -> u32 {
    number << 1 | u32::from(negated)
}

/// One decoded instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inst {
    pub(crate) op: Op,
    /// Predicate source; [`PRED_TRUE`] where there is no guard.
    pub(crate) guard: u32,
    /// Destination row, or predicate number.
    pub(crate) dst: u32,
    /// Second destination: a predicate number.
    pub(crate) dst2: u32,
    /// Source rows, or predicate sources.
    pub(crate) src: [u32; 4],
    pub(crate) imm: i64,
}

/// Where an instruction came from.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) class: Class,
    /// Line of the PTX text.
    pub(crate) ptx_line: u32,
    /// Index into [`Code::locations`] plus one; 0 where there is no `.loc`.
    pub(crate) location: u32,
}

/// Special registers that are constant during a warp's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    LaneId,
    WarpId,
    NumWarps,
    LaneMaskEq,
    LaneMaskLe,
    LaneMaskLt,
    LaneMaskGe,
    LaneMaskGt,
    TotalSharedSize,
    DynamicSharedSize,
    SmId,
    NumSm,
    /// The cluster's place in the grid, and the grid's extents in clusters.
    ClusterId(u8),
    NumClusters(u8),
    /// The block's place in its cluster, and the cluster's extents.
    ClusterBlock(u8),
    ClusterExtent(u8),
    ClusterRank,
    ClusterSize,
    /// Half of the address of the memory in which the blocks of a cooperative launch meet: the lower
    /// one is 0.
    Workspace(u8),
    Zero,
}

/// A value that a row holds from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Initial {
    B32(u32),
    B64(u64),
    /// The address of a module variable, plus an offset.
    Variable(u32, i64),
    Special(Special),
}

/// A kernel ready to run.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub(crate) insts: Vec<Inst>,
    pub(crate) origins: Vec<Origin>,
    pub(crate) locations: Vec<Place>,
    pub(crate) lists: Vec<u32>,
    /// Targets of `brx.idx`.
    pub(crate) tables: Vec<Vec<u32>>,
    /// Rows to fill before a warp starts.
    pub(crate) initial: Vec<(u32, Initial)>,
    pub(crate) rows: u32,
    /// The first rows of registers of 64-bit lanes, ascending.
    pub(crate) wide_rows: Vec<u32>,
    pub(crate) predicates: u32,
    pub(crate) shared_bytes: u64,
    /// Alignment of the shared memory that a launch adds.
    pub(crate) dynamic_align: u64,
    pub(crate) shared_variables: Vec<SharedVariable>,
    pub(crate) local_bytes: u64,
    pub(crate) local_variables: Vec<SharedVariable>,
    /// Rows with addresses of shared and local variables.
    pub(crate) addresses: Vec<VariableAddress>,
    /// The code as the executor runs it, made at the first launch.
    pub(crate) plan: std::sync::OnceLock<crate::exec::Plan>,
    /// The device functions that the kernel may reach.
    pub(crate) functions: Vec<Function>,
    /// For indirect calls: the module's number of a function, and its place in `functions`.
    pub(crate) pointers: Vec<(u32, u32)>,
    /// Why functions that only an indirect call reaches cannot run.
    pub(crate) refusals: Vec<Diagnostic>,
    /// The module's texture and surface variables that the kernel names.
    pub(crate) images: Vec<u32>,
    /// The kernel may allocate from the device's heap.
    pub(crate) uses_heap: bool,
    /// The kernel may wait for its other blocks in the launch's workspace.
    pub(crate) uses_workspace: bool,
}

/// A device function: its code, and the registers that are its own.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// Number of its first instruction.
    pub(crate) entry: u32,
    pub(crate) rows: Range<u32>,
    /// The first rows of its registers of 64-bit lanes, ascending.
    pub(crate) wide_rows: Vec<u32>,
    pub(crate) predicates: Range<u32>,
}

/// The address of a function by its number in the module.
pub(crate) fn function_address(number: u32) -> u64 {
    window::CODE + 16 * u64::from(number)
}

/// The number of the function at an address.
pub(crate) fn function_at(address: u64) -> Option<u32> {
    let offset = address.wrapping_sub(window::CODE);
    (offset < window::SIZE && offset.is_multiple_of(16)).then_some((offset / 16) as u32)
}

impl Code {
    /// The C line of an instruction.
    pub(crate) fn place(&self, origin: &Origin) -> Option<&Place> {
        self.locations.get((origin.location as usize).checked_sub(1)?)
    }
}

/// A row that holds an address in a variable.
#[derive(Clone, Debug)]
pub(crate) struct VariableAddress {
    pub(crate) row: u32,
    pub(crate) space: MemorySpace,
    /// Where the variable starts in its space, and its size.
    pub(crate) variable: u64,
    pub(crate) size: u64,
    pub(crate) name: Arc<str>,
}

/// A variable in shared or local memory, for messages.
#[derive(Clone, Debug)]
pub(crate) struct SharedVariable {
    pub(crate) name: Arc<str>,
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

/// Address windows of the generic space. A global address stands for itself.
pub(crate) mod window {
    /// Shared memory starts here.
    pub(crate) const SHARED: u64 = 0x0100_0000_0000_0000;
    /// Local memory starts here.
    pub(crate) const LOCAL: u64 = 0x0200_0000_0000_0000;
    /// Kernel parameters start here.
    pub(crate) const PARAM: u64 = 0x0300_0000_0000_0000;
    /// Functions start here.
    pub(crate) const CODE: u64 = 0x0400_0000_0000_0000;
    /// Size of each window.
    pub(crate) const SIZE: u64 = 1 << 32;
    /// In the window of shared memory that of the own block comes first; that of the cluster's block
    /// of rank r starts at r + 1 times this.
    pub(crate) const BLOCK: u64 = 1 << 24;
}

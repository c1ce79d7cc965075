//! The program as the executor runs it: each instruction with the one function that executes it.
//!
//! Decoding ends in operations that name their type and mode; what is the same for every execution
//! is decided here, once for each kernel: the function of the instruction, specialised where the
//! operation is frequent, compiled for the instruction set of this host.

use crate::program::{Code, Inst, Op, PRED_TRUE};

use super::approximate::{Worst, is_approximate};
use super::host_simd;
use super::lanes::Registers;
use super::memory::View;

/// Executes an instruction in the lanes of a mask that is not empty. `false` means that an access is
/// not allowed: [`View::violation`] then says which.
///
/// A handler is compiled for instructions of the host; it may be called where the host has them.
pub(super) type Handler = unsafe fn(&mut Registers, &mut View<'_>, &Step, u32) -> bool;

/// The guard of an unguarded instruction.
pub(super) const ALWAYS: u32 = PRED_TRUE << 1;

/// How the executor goes about an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepKind {
    /// Reads and writes registers only.
    Register,
    /// A plain load or store.
    Access,
    /// Changes who runs, or is told to probes in a way of its own.
    Control,
}

/// An instruction with its function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) run: Handler,
    pub(super) kind: StepKind,
    /// Whether every lane that is there executes it and goes on to the next instruction: no guard, no
    /// change of who runs.
    pub(super) straight: bool,
    /// Whether it is a load into its own addresses.
    pub(super) over_address: bool,
    /// Another thread may write what this reads: a loop around it may wait for that.
    pub(super) strong: bool,
    /// Number of the instruction.
    pub(super) at: u32,
    pub(super) inst: Inst,
}

/// The steps of a kernel.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(super) steps: Vec<Step>,
}

impl Plan {
    /// Chooses a function for every instruction; with `worst` approximate functions are as bad as they
    /// may be.
    pub(crate) fn new(code: &Code, worst: bool) -> Plan {
        let select = host_simd::selector();
        let steps = code.insts.iter().enumerate().map(|(at, inst)| {
            let mut inst = Inst { op: host_simd::without_sign(inst.op), ..*inst };
            let strong = matches!(inst.op, Op::Load(access, _) if access.strong);
            // A scalar access finds its register where other instructions have theirs.
            if let Op::Load(_, list) | Op::Store(_, list) = inst.op
                && list.count == 1
            {
                inst.dst = code.lists[list.start as usize];
            }
            let (kind, run) = if worst && is_approximate(&inst, code.origins[at].class) {
                (StepKind::Register, host_simd::plain::<Worst>())
            } else {
                select(&inst)
            };
            let over_address = match inst.op {
                Op::Load(access, list) => {
                    let rows = &code.lists[list.start as usize..][..list.count as usize];
                    let near = |&row: &u32| row.abs_diff(inst.src[0]) < 2;
                    rows.iter().any(|row| match access.wide || !access.narrow_address {
                        true => near(row),
                        false => *row == inst.src[0],
                    })
                }
                _ => false,
            };
            let straight = kind != StepKind::Control && inst.guard == ALWAYS;
            Step { run, kind, straight, over_address, strong, at: at as u32, inst }
        });
        Plan { steps: steps.collect() }
    }
}

//! Cutting what the device does in a row into phases, each a kernel.
//!
//! A phase has at most one operation with parallel loops. In front of it stands what is only computed and read for
//! it, of memory that it does not change; behind it, where it combines values, what the block that finishes last goes on with.

use gpuc_ir::op::Traits;
use gpuc_ir::{Ir, Op};

use super::segments::{has_effects, has_parallel_loop, reads_what_changes};

/// What comes next in a block of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An operation of the device.
    Device(Op),
    /// The host does something that comes before all that follows.
    Cut,
}

/// The phases of a block, each a list of operations, in order.
pub fn phases(ir: &Ir, steps: impl IntoIterator<Item = Step>) -> Vec<Vec<Op>> {
    let mut phases: Vec<Vec<Op>> = Vec::new();
    let mut open: Vec<Op> = Vec::new();
    // The operation with parallel loops in the open phase.
    let mut main: Option<Op> = None;
    for step in steps {
        let Step::Device(op) = step else {
            phases.push(std::mem::take(&mut open));
            main = None;
            continue;
        };
        let is_main = has_parallel_loop(ir, op);
        if let Some(before) = main {
            let goes_on = ir.has_trait(before, Traits::PARALLEL_LOOP)
                && !ir.results(before).is_empty()
                && !is_main;
            if !goes_on {
                let last = open.iter().rposition(|&at| at == before || has_effects(ir, at));
                let rest = open.split_off(last.map_or(0, |last| last + 1));
                phases.push(std::mem::replace(&mut open, rest));
                main = None;
            }
        }
        if is_main {
            let cuts = |at: Op| has_effects(ir, at) || reads_what_changes(ir, at, op);
            let last = open.iter().rposition(|&at| cuts(at));
            if let Some(last) = last {
                let rest = open.split_off(last + 1);
                phases.push(std::mem::replace(&mut open, rest));
            }
            main = Some(op);
        }
        open.push(op);
    }
    phases.push(open);
    phases.retain(|phase| !phase.is_empty());
    phases
}

//! Loops that wait for other blocks: how often they look is the host's affair, whose threads run some blocks after the others. On the
//! device all look at once, as often as it takes for the last to come: the model prices that as a barrier of the grid.

use crate::counters::SiteCounts;
use crate::program::{Code, Op};

/// Instructions of a loop that waits, at most.
const LONGEST: usize = 16;

/// What an instruction is to a loop that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// It is in none.
    Not,
    /// It is in one.
    Inside,
    /// It is the first of one.
    Head,
}

/// The loops of a kernel that wait: they look at memory that others write, and do nothing else that can be seen.
pub(super) fn waits(code: &Code) -> Vec<Wait> {
    let mut sites = vec![Wait::Not; code.insts.len()];
    for (at, inst) in code.insts.iter().enumerate() {
        let Op::Branch { target, .. } = inst.op else { continue };
        let head = target as usize;
        if head >= at || at - head >= LONGEST {
            continue;
        }
        let body = &code.insts[head..at];
        let looks = |op: &Op| matches!(op, Op::Load(access, _) if access.strong);
        let acts = |op: &Op| {
            matches!(op, Op::Store(..) | Op::Atomic { .. } | Op::Branch { .. } | Op::Call { .. })
        };
        if body.iter().any(|inst| looks(&inst.op)) && !body.iter().any(|inst| acts(&inst.op)) {
            sites[head..=at].fill(Wait::Inside);
            sites[head] = Wait::Head;
        }
    }
    sites
}

/// How often warps have come to such a loop, where only the first look of each is counted.
pub(super) fn entered(sites: &[SiteCounts], waits: &[Wait]) -> f64 {
    let heads = sites.iter().zip(waits).filter(|(_, wait)| **wait == Wait::Head);
    heads.map(|(site, _)| site.issued as f64).sum()
}

//! Warps whose state repeats.
//!
//! A loop that waits for memory comes back to the same registers again and again. If nobody writes
//! memory meanwhile, it will do so for ever. States are compared by their hashes where a warp pauses,
//! with one remembered state that is renewed at growing distances (R. P. Brent, "An improved Monte
//! Carlo factorization algorithm", 1980, section 2), so that any period is found.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use super::warp::Warp;

/// What is remembered of a warp's states at its pauses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Repetition {
    /// Changes of memory when the warp last paused.
    changes: u64,
    remembered: u64,
    /// Pauses since the state was remembered, and after which it is renewed.
    pauses: u32,
    renew: u32,
    repeats: bool,
}

impl Warp {
    /// The warp pauses; memory has changed so many times.
    pub(super) fn note_pause(&mut self, changes: u64, variable_rows: &[Range<usize>]) {
        if self.repetition.changes != changes {
            self.repetition = Repetition { changes, ..Repetition::default() };
        }
        if self.repetition.repeats {
            return;
        }
        let mut hasher = rustc_hash::FxHasher::default();
        for split in &self.splits {
            (split.pc, split.mask, split.reconvergence, split.frame).hash(&mut hasher);
        }
        self.registers.predicates.hash(&mut hasher);
        for rows in variable_rows {
            for row in &self.registers.rows[rows.clone()] {
                row.0.hash(&mut hasher);
            }
        }
        let state = hasher.finish();
        let repetition = &mut self.repetition;
        if repetition.renew > 0 && repetition.remembered == state {
            repetition.repeats = true;
        } else if repetition.pauses >= repetition.renew {
            let renew = (2 * repetition.renew).max(1);
            *repetition = Repetition { changes, remembered: state, renew, ..Repetition::default() };
        } else {
            repetition.pauses += 1;
        }
    }

    /// Whether the warp can only repeat itself unless memory changes.
    pub(super) fn is_stuck(&self, changes: u64) -> bool {
        self.repetition.repeats && self.repetition.changes == changes
    }
}

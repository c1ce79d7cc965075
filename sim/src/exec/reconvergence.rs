//! Where lanes that parted at a branch come together again.

use crate::program::NOWHERE;

use super::warp::{Split, State, Warp};

/// No reconvergence, in the links between them.
pub(super) const NO_RECONVERGENCE: u32 = u32::MAX;

/// The point where lanes that parted meet: the immediate post-dominator of the branch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reconvergence {
    pub(super) at: u32,
    pub(super) expected: u32,
    pub(super) arrived: u32,
    /// The next reconvergence of these lanes after this one.
    pub(super) parent: u32,
    /// The call that the lanes are in: in a recursion one place is met at several depths.
    pub(super) frame: u32,
}

impl Warp {
    pub(super) fn reconverge_at(&mut self, at: u32, expected: u32, parent: u32, frame: u32) -> u32 {
        let reconvergence = Reconvergence { at, expected, arrived: 0, parent, frame };
        match self.free.pop() {
            Some(slot) => {
                self.reconvergences[slot as usize] = reconvergence;
                slot
            }
            None => {
                self.reconvergences.push(reconvergence);
                self.reconvergences.len() as u32 - 1
            }
        }
    }

    pub(super) fn drop_reconvergence(&mut self, slot: u32) {
        let reconvergence = &mut self.reconvergences[slot as usize];
        (reconvergence.expected, reconvergence.arrived) = (0, 0);
        self.free.push(slot);
    }

    /// Takes lanes that exit out of every reconvergence ahead of them.
    pub(super) fn leave(&mut self, lanes: u32, mut reconvergence: u32) {
        self.live &= !lanes;
        while reconvergence != NO_RECONVERGENCE {
            let Reconvergence { at, parent, frame, .. } =
                self.reconvergences[reconvergence as usize];
            let record = &mut self.reconvergences[reconvergence as usize];
            record.expected &= !lanes;
            if record.expected == record.arrived {
                let mask = record.arrived;
                self.drop_reconvergence(reconvergence);
                if mask != 0 {
                    self.splits.push(Split {
                        pc: at,
                        mask,
                        reconvergence: parent,
                        frame,
                        state: State::Ready,
                    });
                }
            }
            reconvergence = parent;
        }
    }

    /// Lets all lanes go on that wait at a reconvergence: the others may be waiting for them.
    pub(super) fn release_reconvergences(&mut self) {
        for slot in 0..self.reconvergences.len() {
            let Reconvergence { at, arrived, parent, frame, .. } = self.reconvergences[slot];
            if arrived != 0 {
                let reconvergence = &mut self.reconvergences[slot];
                reconvergence.expected &= !arrived;
                reconvergence.arrived = 0;
                // Past the join: they do not wait there again.
                self.splits.push(Split {
                    pc: at + 1,
                    mask: arrived,
                    reconvergence: parent,
                    frame,
                    state: State::Ready,
                });
            }
        }
    }

    /// The reconvergence of lanes that part: the one they have, if it is at the same place.
    pub(super) fn part(
        &mut self,
        mask: u32,
        reconvergence: u32,
        reconverge: u32,
        frame: u32,
    ) -> u32 {
        let same = reconvergence != NO_RECONVERGENCE
            && self.reconvergences[reconvergence as usize].at == reconverge
            && self.reconvergences[reconvergence as usize].frame == frame;
        if reconverge == NOWHERE || same {
            reconvergence
        } else {
            self.reconverge_at(reconverge, mask, reconvergence, frame)
        }
    }
}

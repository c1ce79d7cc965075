//! Where lanes that parted at a branch come together again.

use crate::program::NOWHERE;

use super::warp::{Split, State, Warp};

/// No meeting, in the links between them.
pub(super) const NO_MEETING: u32 = u32::MAX;

/// The point where lanes that parted meet: the immediate post-dominator of the branch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub(super) at: u32,
    pub(super) expected: u32,
    pub(super) arrived: u32,
    /// The next meeting of these lanes after this one.
    pub(super) parent: u32,
}

impl Warp {
    pub(super) fn meet(&mut self, at: u32, expected: u32, parent: u32) -> u32 {
        let meeting = Meeting { at, expected, arrived: 0, parent };
        match self.free.pop() {
            Some(slot) => {
                self.meetings[slot as usize] = meeting;
                slot
            }
            None => {
                self.meetings.push(meeting);
                self.meetings.len() as u32 - 1
            }
        }
    }

    pub(super) fn drop_meeting(&mut self, slot: u32) {
        let meeting = &mut self.meetings[slot as usize];
        (meeting.expected, meeting.arrived) = (0, 0);
        self.free.push(slot);
    }

    /// Takes lanes that exit out of every meeting ahead of them.
    pub(super) fn leave(&mut self, lanes: u32, mut meeting: u32) {
        self.live &= !lanes;
        while meeting != NO_MEETING {
            let Meeting { at, parent, .. } = self.meetings[meeting as usize];
            let record = &mut self.meetings[meeting as usize];
            record.expected &= !lanes;
            if record.expected == record.arrived {
                let mask = record.arrived;
                self.drop_meeting(meeting);
                if mask != 0 {
                    self.splits.push(Split { pc: at, mask, meeting: parent, state: State::Ready });
                }
            }
            meeting = parent;
        }
    }

    /// Lets all lanes go on that wait at a meeting: the others may be waiting for them.
    pub(super) fn release_meetings(&mut self) {
        for slot in 0..self.meetings.len() {
            let Meeting { at, arrived, parent, .. } = self.meetings[slot];
            if arrived != 0 {
                let meeting = &mut self.meetings[slot];
                meeting.expected &= !arrived;
                meeting.arrived = 0;
                // Past the join: they do not wait there again.
                self.splits.push(Split {
                    pc: at + 1,
                    mask: arrived,
                    meeting: parent,
                    state: State::Ready,
                });
            }
        }
    }

    /// The meeting of lanes that part: the one they have, if it is at the same place.
    pub(super) fn part(&mut self, mask: u32, meeting: u32, reconverge: u32) -> u32 {
        let same = meeting != NO_MEETING && self.meetings[meeting as usize].at == reconverge;
        if reconverge == NOWHERE || same { meeting } else { self.meet(reconverge, mask, meeting) }
    }
}

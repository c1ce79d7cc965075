//! Scalar loads from shared memory that an assembler merges into wider ones.
//!
//! ptxas makes one load of 8 or 16 bytes of neighbouring scalar ones where it knows the address to be
//! aligned, which is how `left[row][i]` under an unrolled loop over `i` runs at a quarter of the
//! instructions. Which scalars are neighbours is found here, from the code; whether their address
//! is aligned is seen when they are executed.

use crate::program::{AccessShape, Code, MemorySpace, Op};

use super::registers::uses;
use super::unroll::unrolled;

/// Scalar neighbours of a load: how many lie before it and behind it without a gap, up to 3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Neighbours {
    pub(crate) before: u8,
    pub(crate) after: u8,
}

/// What becomes of a scalar load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Merged {
    /// It stays.
    Alone,
    /// It becomes one of so many bytes.
    Leader(u64),
    /// Another one brings its value.
    Follower,
}

impl Neighbours {
    /// What becomes of a load of 4 bytes at an address, whose lanes all have its place in 16 bytes.
    pub(crate) fn at(self, address: u64) -> Merged {
        let covers = |place: u8, all: u8| place <= self.before && all - 1 - place <= self.after;
        let role =
            |place: u8, bytes| if place == 0 { Merged::Leader(bytes) } else { Merged::Follower };
        let place = (address / 4 % 4) as u8;
        if covers(place, 4) {
            role(place, 16)
        } else if covers(place % 2, 2) {
            role(place % 2, 8)
        } else {
            Merged::Alone
        }
    }
}

/// The neighbours of every instruction.
pub(crate) fn neighbours(code: &Code) -> Vec<Neighbours> {
    let mut out = vec![Neighbours::default(); code.insts.len()];
    // Loads of the part of the code under way, by address register and guard.
    let mut open: Vec<(u32, u32, i64, usize)> = Vec::new();
    for (at, inst) in code.insts.iter().enumerate() {
        match inst.op {
            Op::Load(
                AccessShape {
                    space: MemorySpace::Shared, bytes: 4, count: 1, strong: false, ..
                },
                _,
            ) => {
                open.push((inst.src[0], inst.guard, inst.imm, at));
            }
            // Stores may change what is loaded behind them; others end what is scheduled together.
            Op::Branch { .. }
            | Op::BranchTable { .. }
            | Op::Join
            | Op::Barrier { .. }
            | Op::ClusterArrive { .. }
            | Op::ClusterWait { .. }
            | Op::Store(..)
            | Op::Atomic { .. }
            | Op::Call { .. }
            | Op::CallIndirect { .. }
            | Op::Return
            | Op::Exit
            | Op::WarpSync
            | Op::Fence => close(&mut open, &mut out),
            _ => {}
        }
        let written = uses(code, inst).writes;
        if open.iter().any(|(row, ..)| written.contains(row)) {
            close(&mut open, &mut out);
        }
    }
    close(&mut open, &mut out);
    // In an unrolled loop the next iteration's loads follow, if the address moves by what they take.
    for unrolled in unrolled(code) {
        for (&at, &step) in &unrolled.steps {
            let run = 1 + i64::from(out[at].before) + i64::from(out[at].after);
            if step == 4 * run && unrolled.trips as i64 * run >= 4 {
                out[at] = Neighbours { before: 3, after: 3 };
            }
        }
    }
    out
}

fn close(open: &mut Vec<(u32, u32, i64, usize)>, out: &mut [Neighbours]) {
    open.sort_unstable();
    for run in open.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1) && b.2 - a.2 == 4) {
        for (place, &(.., at)) in run.iter().enumerate() {
            out[at] = Neighbours {
                before: place.min(3) as u8,
                after: (run.len() - 1 - place).min(3) as u8,
            };
        }
    }
    open.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_groups_are_merged() {
        let at = |before, after, address| Neighbours { before, after }.at(address);
        assert_eq!(at(0, 3, 32), Merged::Leader(16));
        assert_eq!(at(1, 2, 36), Merged::Follower);
        // Six loads from an aligned address: four together, then two.
        assert_eq!(at(3, 1, 48), Merged::Leader(8));
        assert_eq!(at(3, 0, 52), Merged::Follower);
        // The first lies at the end of its 16 bytes, and its neighbour begins the next.
        assert_eq!(at(0, 1, 44), Merged::Alone);
        assert_eq!(at(0, 0, 32), Merged::Alone);
    }
}

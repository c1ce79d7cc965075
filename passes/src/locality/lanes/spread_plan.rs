//! The numbers of a nest whose inner loops are spread over threads: what a search may change.

use std::fmt;

use gpuc_arch::{Arch, SECTOR_BYTES, WARP_SIZE};

use crate::parallel::block_shape::row_length;

/// How many threads share the inner loops of an iteration of a nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpreadPlan {
    /// Threads that share them: each takes every `width`-th round. Up to a warp they are lanes, beyond it a
    /// whole block.
    pub width: i64,
    /// Iterations of the nest that a block takes.
    pub rows: i64,
}

/// For which sizes a plan is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// Rounds of the inner loops, at least.
    pub least_rounds: i64,
    /// Iterations of the nest, at most.
    pub most_rows: Option<i64>,
}

impl SpreadPlan {
    /// So many threads a row, in blocks as they are elsewhere; `None` where no block has them: widths are
    /// powers of two.
    pub fn new(width: i64, arch: &Arch) -> Option<SpreadPlan> {
        let most = i64::from(arch.limits.max_threads_per_block);
        if !(2..=most).contains(&width) || width & (width - 1) != 0 {
            return None;
        }
        let rows = match width <= i64::from(WARP_SIZE) {
            true => (row_length(arch, None) / width).max(1),
            false => 1,
        };
        Some(SpreadPlan { width, rows })
    }

    /// The plans to choose from where the host knows both counts, the first one that holds being the best, for a
    /// device of so many multiprocessors. Of fewer rows than keep those busy with a warp each, a block takes one. A
    /// warp wants a round for each lane at least; a part of it, whose lanes fill a sector together, is for
    /// shorter rows. Where that `gains` nothing for each request, it still does where rows are so few that a thread for
    /// each would leave most of the device idle.
    pub fn candidates(arch: &Arch, sms: u32, gains: bool) -> Vec<(SpreadPlan, Range)> {
        let warp = i64::from(WARP_SIZE);
        let block = 2 * row_length(arch, None);
        let warps = i64::from(sms) * i64::from(arch.limits.max_warps_per_sm);
        let part = SpreadPlan::short(arch).map_or(warp, |plan| plan.width);
        let up_to = |least_rounds, rows| Range { least_rounds, most_rows: Some(rows) };
        let any = |least_rounds| Range { least_rounds, most_rows: None };
        let meant = match gains {
            true => {
                vec![(block, up_to(2 * block, warps / 16)), (warp, any(warp)), (part, any(part))]
            }
            false => vec![
                (block, up_to(4 * block, warps / 32)),
                (warp, up_to(2 * warp, warps / 4)),
                (part / 2, up_to(2 * warp, warps * 4)),
            ],
        };
        let plan = |(width, range)| Some((SpreadPlan::new(width, arch)?, range));
        meant.into_iter().filter_map(plan).collect()
    }

    /// The plan for rows of which the host knows nothing, because their ends stand in the memory of the
    /// device: the mean number of entries is not known there, and matrices from practice have from 5 to 50 of
    /// them a row. So many lanes as elements of 4 bytes fill a sector: with fewer, two rows would each
    /// ask for a part of one; with more, most lanes would idle at the short ones.
    pub fn short(arch: &Arch) -> Option<SpreadPlan> {
        SpreadPlan::new(i64::from(SECTOR_BYTES / 4), arch)
    }
}

impl fmt::Display for SpreadPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.width <= i64::from(WARP_SIZE) { "lanes" } else { "threads" };
        write!(f, "{what} by {}", self.width)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "from {} rounds", self.least_rounds)?;
        match self.most_rows {
            Some(most) => write!(f, " of {most} rows at most"),
            None => Ok(()),
        }
    }
}

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
    /// Whether those are neighbouring threads, and the ones that share an iteration rows of them: parts
    /// of sums meet in memory of the block ([`super::columns`]).
    pub by_columns: bool,
}

/// For which sizes a plan is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// Rounds of the inner loops, at least.
    pub least_rounds: i64,
    /// Iterations of the nest, at most.
    pub most_rows: Option<i64>,
}

/// What sharing rows is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gain {
    /// A request asks for clearly fewer sectors, and the host knows how long rows are.
    Sectors,
    /// A request asks for clearly fewer sectors; how long rows are only the device knows.
    SectorsOfUnknown,
    /// There are more threads, where rows are so few that one for each would leave most of the device
    /// idle; sums can be made by columns.
    ThreadsByColumns,
    /// There are more threads, where rows are so few that one for each would leave most of the device idle.
    Threads,
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
        Some(SpreadPlan { width, rows, by_columns: false })
    }

    /// So many rows of threads share the sums of so many neighbouring columns; `None` where no block has them.
    pub fn columns(width: i64, columns: i64, arch: &Arch) -> Option<SpreadPlan> {
        let most = i64::from(arch.limits.max_threads_per_block);
        let power = |n: i64| n >= 1 && n & (n - 1) == 0;
        let fits = width >= 2 && power(width) && power(columns) && width <= most / columns;
        fits.then_some(SpreadPlan { width, rows: columns, by_columns: true })
    }

    /// The plans to choose from where the host counts rows, the first one that holds being the best, for a device
    /// of so many multiprocessors.
    ///
    /// Of fewer rows than keep those busy with a warp each, a block takes one, be it that half of its threads have nothing to do. A warp
    /// wants four rounds for each lane, to be worth its shuffles; a part of it is for shorter rows. Rows of a length that only the device knows are a warp's as long as
    /// that leaves no multiprocessor without a free slot for it: idle lanes cost nothing then.
    pub fn candidates(arch: &Arch, sms: u32, gain: Gain) -> Vec<(SpreadPlan, Range)> {
        let warp = i64::from(WARP_SIZE);
        let block = 2 * row_length(arch, None);
        let warps = i64::from(sms) * i64::from(arch.limits.max_warps_per_sm);
        let part = SpreadPlan::short(arch).map_or(warp, |plan| plan.width);
        let up_to = |least_rounds, rows| Range { least_rounds, most_rows: Some(rows) };
        let any = |least_rounds| Range { least_rounds, most_rows: None };
        let meant = match gain {
            Gain::Sectors => {
                vec![
                    (block, up_to(4 * warp, warps / 16)),
                    (warp, any(4 * warp)),
                    (part, any(2 * part)),
                ]
            }
            Gain::SectorsOfUnknown => vec![(warp, up_to(0, warps)), (part, any(0))],
            Gain::ThreadsByColumns => {
                let plan = |width, columns| SpreadPlan::columns(width, columns, arch);
                let meant = [
                    (plan(2 * warp, part), up_to(4 * warp, warps)),
                    (plan(part, warp), up_to(4 * part, 4 * warps)),
                ];
                let known = meant.into_iter().filter_map(|(plan, range)| Some((plan?, range)));
                return known.collect();
            }
            Gain::Threads => vec![
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
        if self.by_columns {
            return write!(f, "rows of threads by {}, {} columns a block", self.width, self.rows);
        }
        let what = if self.width <= i64::from(WARP_SIZE) { "lanes" } else { "threads" };
        write!(f, "{what} by {}", self.width)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.least_rounds, self.most_rows) {
            (0, None) => f.write_str("everywhere"),
            (0, Some(most)) => write!(f, "for {most} rows at most"),
            (least, None) => write!(f, "from {least} rounds"),
            (least, Some(most)) => write!(f, "from {least} rounds of {most} rows at most"),
        }
    }
}

//! The numbers of a tiled contraction: what a search may change.

use std::fmt;

use crate::plan::step;

/// How a block of a contraction is tiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TilePlan {
    /// Rows and columns of results that a block makes.
    pub block: [i64; 2],
    /// Terms that are staged at a time.
    pub depth: i64,
    /// Rows and columns of results that a thread makes, in registers.
    pub thread: [i64; 2],
    /// Whether elements are copied 16 bytes at a time, which the host tests that it can be.
    pub wide: bool,
    /// Runs of terms that have tiles at a time, copied in the background (`cp.async`); 1: each is copied when it is wanted.
    pub stages: i64,
    /// Blocks that a multiprocessor is to hold at least, which bounds registers.
    pub blocks_each: i64,
    /// What a product costs: 100,000 over the TFLOP/s that large ones reach; 0 where the plan is not weighed.
    pub weight: i64,
}

impl TilePlan {
    /// The numbers of a step of a plan.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn of_step(step: &step::Tile) -> Result<TilePlan, &'static str> {
        let [(_, rows), (_, columns), (_, depth)] = step.loops;
        let [down, across] = step.threads;
        let power = |n: &i64| u64::try_from(*n).is_ok_and(u64::is_power_of_two);
        if ![rows, columns, depth, down, across].iter().all(power)
            || down > rows
            || across > columns
        {
            return Err("sizes are powers of two, and a thread's are a part of the tile's");
        }
        Ok(TilePlan {
            block: [rows, columns],
            depth,
            thread: [down, across],
            wide: step.wide,
            stages: step.stages,
            blocks_each: step.resident,
            weight: step.weight,
        })
    }

    /// As a step of a plan, for loops of rows, columns and terms, where the grid has so many blocks.
    pub fn step(&self, loops: [String; 3], blocks: i64) -> step::Tile {
        let [row, column, depth] = loops;
        step::Tile {
            loops: [(row, self.block[0]), (column, self.block[1]), (depth, self.depth)],
            threads: self.thread,
            wide: self.wide,
            stages: self.stages,
            resident: self.blocks_each,
            weight: self.weight,
            blocks,
        }
    }

    /// Results of a block.
    pub fn results(&self) -> i64 {
        self.block.iter().product()
    }

    /// Rows and columns of threads.
    pub fn threads(&self) -> [i64; 2] {
        [self.block[0] / self.thread[0], self.block[1] / self.thread[1]]
    }

    /// Threads of a block.
    pub fn thread_count(&self) -> i64 {
        self.threads().iter().product()
    }

    /// Whether there must be no shorter run behind the others: a loop over it, beside a ring's, wants registers that several
    /// blocks a multiprocessor do not leave.
    pub fn wants_whole_runs(&self) -> bool {
        self.stages > 1 && self.blocks_each > 1
    }

    /// Terms that are straight code: all of a run, or some at a time where that would be long: of `float`s, of which the arithmetic
    /// takes as many as are issued, what a large tile sums up; of wider ones, whose loop is hidden behind them, less.
    pub fn straight_terms(&self, bytes: i64) -> i64 {
        const MOST_TERMS: i64 = 16;
        const PRODUCTS_A_GROUP: i64 = 128;
        let most_products = if bytes <= 4 { 1024 } else { 256 };
        let results: i64 = self.thread.iter().product();
        match self.depth <= MOST_TERMS && self.depth * results <= most_products {
            true => self.depth,
            false => (PRODUCTS_A_GROUP / results).clamp(2, 8).min(self.depth),
        }
    }

    /// Terms that are straight code in a run of which not all results have each: as many as hide what a thread with few results waits for.
    pub fn straight_terms_in_part(&self) -> i64 {
        const PRODUCTS_A_GROUP: i64 = 32;
        let results: i64 = self.thread.iter().product();
        (PRODUCTS_A_GROUP / results).clamp(1, self.depth)
    }

    /// Twice what a multiprocessor takes at least, in blocks of this plan whose sums have so many bytes: each of its four schedulers has a warp
    /// of them or none. One warp of `float`s alone waits for what it loads as long as half of another would take; of wider numbers, whose
    /// products take several clocks each, it does not. Nor is a block that is to have others beside it twice as fast without them (at 4096
    /// rows and columns on an H100 a third).
    pub fn twice_blocks_at_least(&self, bytes: i64) -> i64 {
        const SCHEDULERS: i64 = 4;
        const WARP: i64 = 32;
        let twice_warps = if bytes <= 4 { 3 } else { 2 };
        let alone = if self.blocks_each > 1 { 3 } else { 2 };
        (twice_warps * SCHEDULERS * WARP / self.thread_count()).max(alone)
    }

    /// The plans for sums of so many bytes a result and so many tiles, on a device with copies in the background or
    /// without, larger ones first: what a tile of registers holds bounds how often an element of shared memory is used, and
    /// a thread has 255 of them. The last ones are for the smallest grids. Those that copy element by element are for rows that begin
    /// anywhere, and want more time, for a test of each.
    ///
    /// The weights of large tiles of `float`s are those of products of 4096 rows and columns on an H100, those of others what the model of
    /// time says of 200 to 2048 (`benches/RESULTS.md`).
    pub fn candidates(bytes: i64, tiles: usize, in_background: bool) -> Vec<TilePlan> {
        let plan = |block: [i64; 2], depth: i64, thread: [i64; 2], weight: i64| TilePlan {
            block,
            depth,
            thread,
            wide: true,
            stages: 1,
            blocks_each: 1,
            weight,
        };
        let narrow = |block: [i64; 2], depth: i64, thread: [i64; 2], weight: i64| TilePlan {
            wide: false,
            ..plan(block, depth, thread, weight)
        };
        let in_ring = |plan: TilePlan| TilePlan { stages: 2, ..plan };
        let two_each = |plan: TilePlan| TilePlan { blocks_each: 2, ..plan };
        match (bytes, tiles) {
            (..=4, ..=2) => {
                let mut plans = match in_background {
                    true => vec![
                        two_each(in_ring(plan([128, 128], 16, [8, 8], 2222))),
                        in_ring(plan([64, 128], 16, [8, 8], 2250)),
                        in_ring(plan([32, 64], 16, [4, 8], 2550)),
                        in_ring(plan([32, 32], 16, [4, 4], 3200)),
                    ],
                    false => vec![
                        two_each(plan([128, 128], 16, [8, 8], 2336)),
                        plan([64, 128], 16, [8, 8], 2500),
                        plan([32, 64], 16, [4, 8], 2700),
                    ],
                };
                plans.extend([
                    narrow([64, 128], 16, [8, 8], 2600),
                    narrow([32, 32], 32, [4, 4], 3400),
                    narrow([16, 32], 32, [2, 2], 5500),
                ]);
                plans
            }
            // More operands want registers on their way into the tiles.
            (..=4, _) => vec![
                plan([64, 64], 16, [8, 4], 2940),
                narrow([64, 64], 16, [8, 4], 3057),
                narrow([32, 32], 32, [4, 4], 3400),
                narrow([16, 32], 32, [2, 2], 5500),
            ],
            (5..=8, _) => {
                let mut plans = match (tiles, in_background) {
                    (..=2, true) => vec![
                        in_ring(plan([64, 32], 16, [8, 8], 3500)),
                        in_ring(plan([32, 32], 16, [4, 4], 4800)),
                        narrow([64, 32], 16, [8, 8], 3640),
                    ],
                    (..=2, false) => {
                        vec![plan([64, 64], 16, [8, 8], 3700), narrow([64, 32], 16, [8, 4], 4700)]
                    }
                    _ => {
                        vec![plan([64, 32], 16, [8, 4], 4800), narrow([64, 32], 16, [8, 4], 4992)]
                    }
                };
                plans.push(narrow([32, 32], 16, [8, 4], 5000));
                plans.push(narrow([16, 16], 32, [2, 1], 13200));
                plans
            }
            _ => vec![two_each(plan([64, 64], 8, [4, 4], 0)), narrow([64, 64], 8, [4, 4], 0)],
        }
    }
}

impl fmt::Display for TilePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TilePlan {
            block: [rows, columns], depth, thread: [down, across], wide, stages, ..
        } = self;
        write!(f, "tile {rows}x{columns} by {depth}, {down}x{across} a thread")?;
        if *wide {
            write!(f, ", 16-byte copies")?;
        }
        if *stages > 1 {
            write!(f, ", {stages} runs of terms in the background")?;
        }
        Ok(())
    }
}

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

    /// Rows and columns of threads.
    pub fn threads(&self) -> [i64; 2] {
        [self.block[0] / self.thread[0], self.block[1] / self.thread[1]]
    }

    /// Threads of a block.
    pub fn thread_count(&self) -> i64 {
        self.threads().iter().product()
    }

    /// The plans for sums of so many bytes a result and so many tiles, on a device with copies in the background or
    /// without, larger ones first: what a tile of registers holds bounds how often an element of shared memory is used, and
    /// a thread has 255 of them. The last one is for the smallest grids.
    ///
    /// The weights are those of products of `float`s of 4096 rows and columns on an H100 (`benches/RESULTS.md`).
    pub fn candidates(bytes: i64, tiles: usize, in_background: bool) -> Vec<TilePlan> {
        let plan = |block: [i64; 2], depth: i64, thread: [i64; 2], blocks_each: i64| TilePlan {
            block,
            depth,
            thread,
            wide: true,
            stages: 1,
            blocks_each,
            weight: 0,
        };
        let weighed = |plan: TilePlan, weight: i64| TilePlan { weight, ..plan };
        match bytes {
            // More operands want registers on their way into the tiles.
            ..=4 if tiles > 2 => {
                vec![plan([128, 128], 8, [8, 8], 1), plan([64, 64], 8, [4, 4], 3)]
            }
            ..=4 => {
                let large = plan([128, 128], 16, [8, 8], 2);
                let large = match in_background {
                    true => weighed(TilePlan { stages: 2, ..large }, 2222),
                    false => weighed(large, 2336),
                };
                let oblong = weighed(plan([64, 128], 16, [8, 8], 1), 2500);
                vec![large, oblong, plan([64, 64], 16, [4, 4], 3)]
            }
            5..=8 => vec![plan([128, 64], 8, [8, 4], 2), plan([64, 64], 8, [4, 4], 2)],
            _ => vec![plan([64, 64], 8, [4, 4], 2)],
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

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
    /// Blocks that a multiprocessor is to hold at least, which bounds registers.
    pub blocks_each: i64,
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
            blocks_each: step.resident,
        })
    }

    /// As a step of a plan, for loops of rows, columns and terms, where the grid has so many blocks.
    pub fn step(&self, loops: [String; 3], blocks: i64) -> step::Tile {
        let [row, column, depth] = loops;
        step::Tile {
            loops: [(row, self.block[0]), (column, self.block[1]), (depth, self.depth)],
            threads: self.thread,
            wide: self.wide,
            resident: self.blocks_each,
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

    /// The plans for sums of so many bytes a result and so many tiles, larger ones first: what a tile of registers holds
    /// bounds how often an element of shared memory is used, and a thread has 255 of them.
    pub fn candidates(bytes: i64, tiles: usize) -> Vec<TilePlan> {
        // More operands want registers on their way into the tiles.
        let (depth, blocks) = if tiles > 2 { (8, 1) } else { (16, 2) };
        let square = |side: i64, thread: i64| TilePlan {
            block: [side, side],
            depth,
            thread: [thread, thread],
            wide: true,
            blocks_each: if thread > 4 { blocks } else { 3 },
        };
        match bytes {
            ..=4 => vec![square(128, 8), square(64, 4)],
            5..=8 => vec![
                TilePlan { block: [128, 64], depth: 8, thread: [8, 4], wide: true, blocks_each: 2 },
                TilePlan { block: [64, 64], depth: 8, thread: [4, 4], wide: true, blocks_each: 2 },
            ],
            _ => vec![TilePlan {
                block: [64, 64],
                depth: 8,
                thread: [4, 4],
                wide: true,
                blocks_each: 2,
            }],
        }
    }
}

impl fmt::Display for TilePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TilePlan { block: [rows, columns], depth, thread: [down, across], wide, .. } = self;
        write!(f, "tile {rows}x{columns} by {depth}, {down}x{across} a thread")?;
        if *wide {
            write!(f, ", 16-byte copies")?;
        }
        Ok(())
    }
}

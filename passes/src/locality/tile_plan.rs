//! The numbers of a tiled contraction: what a search may change.

use std::fmt;

use gpuc_arch::Arch;

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

    /// Whether the tiles of loads with so many bytes an element and such extents fit a block's memory.
    pub fn fits(&self, arch: &Arch, staged: impl Iterator<Item = i64>) -> bool {
        let bytes: i64 = staged.sum();
        bytes <= i64::from(arch.limits.shared_per_block)
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

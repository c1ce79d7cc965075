//! Indices of a thread in a kernel, and what a loop makes of them.

use gpuc_dialects::{arith, gpu};
use gpuc_ir::{Builder, Ir, Op, Value};

use super::mapping::{Levels, Mapping};

/// Which iterations a thread takes: from `start` on, every `stride`-th.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// Number of the first iteration.
    pub start: Value,
    /// Distance between iterations.
    pub stride: Value,
}

/// Index values at the start of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Threads {
    /// Number of the block in its row of the grid, and blocks in the row.
    block: (Value, Value),
    /// Number of the row in the grid, and rows.
    row: (Value, Value),
    /// Number of the thread in its row, and threads in the row.
    x: (Value, Value),
    /// Number of the row, and rows.
    y: (Value, Value),
    one_worker: bool,
}

impl Threads {
    /// Reads the indices at the start of `func`.
    pub fn read(ir: &mut Ir, func: Op, mapping: &Mapping) -> Threads {
        let (entry, location) = (ir.body(func, 0), ir.location(func));
        let mut b = Builder::at_start(ir, entry, location);
        let dims = ["x", "y"].map(|name| {
            let number = gpu::DIMENSIONS.parse(name).unwrap_or(0);
            gpu::DIMENSIONS.attr(&mut b.ctx, number)
        });
        let [block, row] = dims.map(|dim| {
            let id = gpu::BlockIdOp::new(&mut b).attr(&mut b, "dimension", dim).value(&mut b);
            let size = gpu::GridDimOp::new(&mut b).attr(&mut b, "dimension", dim).value(&mut b);
            (id, size)
        });
        let [x, y] = dims.map(|dim| {
            let id = gpu::ThreadIdOp::new(&mut b).attr(&mut b, "dimension", dim).value(&mut b);
            let size = gpu::BlockDimOp::new(&mut b).attr(&mut b, "dimension", dim).value(&mut b);
            (id, size)
        });
        Threads { block, row, x, y, one_worker: mapping.one_worker() }
    }

    /// The share of a block's row of the grid in a loop whose iterations go over rows.
    pub fn rows(&self) -> Share {
        Share { start: self.row.0, stride: self.row.1 }
    }

    /// The share of a thread in a loop on the given levels; `None` where it takes all iterations.
    pub fn share(&self, b: &mut Builder<'_>, levels: Levels) -> Option<Share> {
        let in_block = match (levels.worker && !self.one_worker, levels.vector) {
            (false, false) => None,
            (false, true) => Some(self.x),
            (true, false) => Some(self.y),
            (true, true) => {
                let row = arith::MulIOp::new(b, self.y.0, self.x.1).value(b);
                let id = arith::AddIOp::new(b, row, self.x.0).value(b);
                Some((id, arith::MulIOp::new(b, self.y.1, self.x.1).value(b)))
            }
        };
        let (start, stride) = match (levels.gang, in_block) {
            (false, share) => share?,
            (true, None) => self.block,
            (true, Some((id, size))) => {
                let first = arith::MulIOp::new(b, self.block.0, size).value(b);
                let start = arith::AddIOp::new(b, first, id).value(b);
                (start, arith::MulIOp::new(b, self.block.1, size).value(b))
            }
        };
        Some(Share { start, stride })
    }

    /// Whether this is the one thread that acts for all that the levels around do not tell apart.
    pub fn is_first(&self, b: &mut Builder<'_>, around: Levels) -> Value {
        let zero = arith::constant_index(b, 0);
        let mut both: Option<Value> = None;
        for (skip, id) in [(around.vector, self.x.0), (around.worker || self.one_worker, self.y.0)]
        {
            if skip {
                continue;
            }
            let eq = arith::CmpIPredicate::Eq.attr(&mut b.ctx);
            let first = arith::CmpIOp::new(b, id, zero).attr(b, "predicate", eq).value(b);
            both = Some(match both {
                None => first,
                Some(other) => arith::AndIOp::new(b, other, first).value(b),
            });
        }
        both.unwrap_or_else(|| arith::constant_bool(b, true))
    }
}

/// Number of this thread in its block, and threads of the block.
pub fn thread_number(b: &mut Builder<'_>) -> (Value, Value) {
    let [x, y] = [0, 1].map(|number| {
        let dim = gpu::DIMENSIONS.attr(&mut b.ctx, number);
        let id = gpu::ThreadIdOp::new(b).attr(b, "dimension", dim).value(b);
        (id, gpu::BlockDimOp::new(b).attr(b, "dimension", dim).value(b))
    });
    let row = arith::MulIOp::new(b, y.0, x.1).value(b);
    let id = arith::AddIOp::new(b, row, x.0).value(b);
    (id, arith::MulIOp::new(b, x.1, y.1).value(b))
}

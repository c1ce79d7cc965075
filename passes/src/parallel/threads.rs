//! Numbers of a thread and its block in a kernel.

use gpuc_arch::{MAX_GRID_X, MAX_THREADS_PER_BLOCK};
use gpuc_dialects::offload::mapping::{Axis, Size};
use gpuc_dialects::{arith, gpu};
use gpuc_ir::{Builder, InsertPoint, Ir, Op, Value};

/// Index values at the start of a kernel, each read when it is first asked for.
#[derive(Clone, Debug)]
pub struct Processors {
    func: Op,
    /// Threads of a block in each direction, where that is known.
    extents: Option<[i64; 3]>,
    read: Vec<(Axis, bool, Value)>,
}

/// The extents of a kernel's blocks, if they are known.
pub fn known_block(ir: &Ir, func: Op) -> Option<[i64; 3]> {
    let sizes = ir.ctx.dense_array(ir.attr(func, "known_block_size")?)?;
    sizes.try_into().ok()
}

impl Processors {
    /// Those of a kernel.
    pub fn of(ir: &Ir, func: Op) -> Processors {
        Processors { func, extents: known_block(ir, func), read: Vec::new() }
    }

    /// Threads of a block in a direction, where that is known.
    pub fn extent(&self, axis: Axis) -> Option<i64> {
        match axis {
            Axis::Thread(d) => self.extents.map(|extents| extents[usize::from(d)]),
            Axis::Lane => Some(i64::from(gpuc_arch::WARP_SIZE)),
            Axis::Block(_) => None,
        }
    }

    /// Whether a block has but one thread.
    pub fn is_single(&self) -> bool {
        self.extents == Some([1; 3])
    }

    fn get(&mut self, b: &mut Builder<'_>, axis: Axis, size: bool) -> Value {
        if let Some(&(.., value)) = self.read.iter().find(|(a, s, _)| (*a, *s) == (axis, size)) {
            return value;
        }
        let entry = b.body(self.func, 0);
        let value = b.at(InsertPoint::Start(entry), |b| read(b, axis, size, self.extents));
        self.read.push((axis, size, value));
        value
    }

    /// The number of this processor on an axis.
    pub fn number(&mut self, b: &mut Builder<'_>, axis: Axis) -> Value {
        self.get(b, axis, false)
    }

    /// How many processors an axis has, of a loop that gives it a size.
    pub fn count(&mut self, b: &mut Builder<'_>, axis: Axis, size: Size) -> Value {
        match (size, self.extent(axis)) {
            (Size::Constant(n), _) | (Size::Launch, Some(n)) => arith::constant_index(b, n),
            _ => self.get(b, axis, true),
        }
    }

    /// The number of this thread in its block, and how many there are.
    pub fn thread(&mut self, b: &mut Builder<'_>) -> (Value, Value) {
        let mut number: Option<Value> = None;
        let mut count = arith::constant_index(b, 1);
        for d in (0..3).rev() {
            let axis = Axis::Thread(d);
            if self.extent(axis) == Some(1) {
                continue;
            }
            let (own, size) = (self.number(b, axis), self.count(b, axis, Size::Launch));
            number = Some(match number {
                None => own,
                Some(so_far) => {
                    let row = arith::MulIOp::new(b, so_far, size).value(b);
                    arith::AddIOp::new(b, row, own).value(b)
                }
            });
            count = arith::MulIOp::new(b, count, size).value(b);
        }
        (number.unwrap_or_else(|| arith::constant_index(b, 0)), count)
    }

    /// The number of this block in the grid, and how many there are.
    pub fn block(&mut self, b: &mut Builder<'_>) -> (Value, Value) {
        let mut number = self.number(b, Axis::Block(2));
        let mut count = self.count(b, Axis::Block(2), Size::Free);
        for d in [1, 0] {
            let (own, size) =
                (self.number(b, Axis::Block(d)), self.count(b, Axis::Block(d), Size::Free));
            let row = arith::MulIOp::new(b, number, size).value(b);
            number = arith::AddIOp::new(b, row, own).value(b);
            count = arith::MulIOp::new(b, count, size).value(b);
        }
        (number, count)
    }

    /// Whether this is the thread that acts for all that the axes around do not tell apart; `None`
    /// where every thread does.
    pub fn is_first(&mut self, b: &mut Builder<'_>, around: &[Axis]) -> Option<Value> {
        let mut all: Option<Value> = None;
        for d in 0..3 {
            let axis = Axis::Thread(d);
            let apart = around.contains(&axis) || (d == 0 && around.contains(&Axis::Lane));
            if apart || self.extent(axis) == Some(1) {
                continue;
            }
            let (own, zero) = (self.number(b, axis), arith::constant_index(b, 0));
            let eq = arith::CmpIPredicate::Eq.attr(&mut b.ctx);
            let first = arith::CmpIOp::new(b, own, zero).attr(b, "predicate", eq).value(b);
            all = Some(match all {
                None => first,
                Some(other) => arith::AndIOp::new(b, other, first).value(b),
            });
        }
        all
    }
}

/// The operation that gives a number or a count.
fn read(b: &mut Builder<'_>, axis: Axis, size: bool, extents: Option<[i64; 3]>) -> Value {
    let (Axis::Block(d) | Axis::Thread(d)) = axis else {
        return gpu::LaneIdOp::new(b).value(b);
    };
    let dim = gpu::DIMENSIONS.attr(&mut b.ctx, d.into());
    match (axis, size) {
        (Axis::Block(_), false) => {
            // Numbers of threads in the grid stay within 32 bits (see `launch`).
            let threads = extents.map_or(1, |extents| extents[usize::from(d)].max(1));
            let most = if d == 0 { i64::from(MAX_GRID_X) / threads } else { 65_535 };
            let bound = b.ctx.index_attr(most);
            gpu::BlockIdOp::new(b).attr(b, "dimension", dim).attr(b, "upper_bound", bound).value(b)
        }
        (Axis::Block(_), true) => gpu::GridDimOp::new(b).attr(b, "dimension", dim).value(b),
        (_, false) => {
            let most = extents.map_or(MAX_THREADS_PER_BLOCK.into(), |e| e[usize::from(d)]);
            let bound = b.ctx.index_attr(most);
            gpu::ThreadIdOp::new(b).attr(b, "dimension", dim).attr(b, "upper_bound", bound).value(b)
        }
        (_, true) => gpu::BlockDimOp::new(b).attr(b, "dimension", dim).value(b),
    }
}

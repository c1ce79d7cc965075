//! Numbers of a thread and its block in a kernel.

use gpuc_arch::{MAX_GRID_X, MAX_GRID_YZ, MAX_THREADS_PER_BLOCK};
use gpuc_dialects::offload::mapping::{Axis, LoopMapping, Size};
use gpuc_dialects::offload::{BLOCK_EXTENTS_ATTR, FOLDED_ROWS_ATTR};
use gpuc_dialects::{arith, gpu};
use gpuc_ir::{Builder, InsertPoint, Ir, Op, Value};

/// Index values at the start of a kernel, each read when it is first asked for.
#[derive(Clone, Debug)]
pub struct Processors {
    func: Op,
    /// Threads of a block in each direction, where that is known.
    pub extents: Extents,
    /// Whether blocks in y go on in z.
    folded: bool,
    read: Vec<(Axis, bool, Value)>,
}

/// Threads of a block in x, y and z, where they are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extents(pub [Option<i64>; 3]);

impl Extents {
    /// Those of a kernel's blocks.
    fn of(ir: &Ir, func: Op) -> Extents {
        let sizes = ["known_block_size", BLOCK_EXTENTS_ATTR].into_iter().find_map(|name| {
            let sizes = ir.ctx.dense_array(ir.attr(func, name)?)?;
            <[i64; 3]>::try_from(sizes).ok()
        });
        let known = |sizes: [i64; 3]| sizes.map(|size| Some(size).filter(|&size| size > 0));
        Extents(sizes.map_or([None; 3], known))
    }

    /// Threads of a block in a direction, where that is known.
    pub fn extent(&self, axis: Axis) -> Option<i64> {
        match axis {
            Axis::Thread(d) => self.0[usize::from(d)],
            Axis::Lane => Some(i64::from(gpuc_arch::WARP_SIZE)),
            Axis::Block(_) => None,
        }
    }

    /// Threads of a block, where that is known.
    pub fn block_size(&self) -> Option<i64> {
        self.0.iter().try_fold(1i64, |product, extent| product.checked_mul((*extent)?))
    }

    /// Whether one of some axes tells threads of a block apart.
    pub fn are_apart(&self, axes: &[Axis]) -> bool {
        axes.iter().any(|&axis| axis.is_in_block() && self.extent(axis) != Some(1))
    }

    /// Whether a block has but one thread.
    pub fn is_single(&self) -> bool {
        self.0 == [Some(1); 3]
    }

    /// The innermost loop round `op`, inside of `root`, that tells threads of the block apart.
    pub fn thread_loop(&self, ir: &Ir, op: Op, root: Op) -> Option<Op> {
        ir.ancestors(op).take_while(|&outer| outer != root).find(|&outer| {
            LoopMapping::known(ir, outer).is_some_and(|mapping| {
                let axes: Vec<Axis> = mapping.axes().map(|(axis, _)| axis).collect();
                self.are_apart(&axes)
            })
        })
    }
}

impl Processors {
    /// Those of a kernel.
    pub fn of(ir: &Ir, func: Op) -> Processors {
        let folded = ir.attr(func, FOLDED_ROWS_ATTR).is_some();
        Processors { func, extents: Extents::of(ir, func), folded, read: Vec::new() }
    }

    fn get(&mut self, b: &mut Builder<'_>, axis: Axis, size: bool) -> Value {
        if let Some(&(.., value)) = self.read.iter().find(|(a, s, _)| (*a, *s) == (axis, size)) {
            return value;
        }
        let entry = b.body(self.func, 0);
        let (extents, folded) = (self.extents, self.folded && axis == Axis::Block(1));
        let value = b.at(InsertPoint::Start(entry), |b| match folded {
            true => read_folded(b, size, extents),
            false => read(b, axis, size, extents),
        });
        self.read.push((axis, size, value));
        value
    }

    /// The number of this processor on an axis.
    pub fn number(&mut self, b: &mut Builder<'_>, axis: Axis) -> Value {
        self.get(b, axis, false)
    }

    /// How many processors an axis has, of a loop that gives it a size.
    pub fn count(&mut self, b: &mut Builder<'_>, axis: Axis, size: Size) -> Value {
        match (size, self.extents.extent(axis)) {
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
            if self.extents.extent(axis) == Some(1) {
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
        let (slowest, rest): (u8, &[u8]) = if self.folded { (1, &[0]) } else { (2, &[1, 0]) };
        let mut number = self.number(b, Axis::Block(slowest));
        let mut count = self.count(b, Axis::Block(slowest), Size::Free);
        for &d in rest {
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
            if apart || self.extents.extent(axis) == Some(1) {
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

/// Blocks of a grid in y.
const MOST_ROWS: i64 = MAX_GRID_YZ as i64;

/// How many planes of a grid are used for rows of blocks with so many threads in y: numbers of threads
/// stay within 32 bits.
pub fn folded_planes(threads: i64) -> i64 {
    (i64::from(MAX_GRID_X) + 1) / (MOST_ROWS * threads.max(1))
}

/// The number of a block, or of blocks, in y where that goes on in z.
fn read_folded(b: &mut Builder<'_>, size: bool, extents: Extents) -> Value {
    let dims = [1, 2].map(|d| gpu::DIMENSIONS.attr(&mut b.ctx, d));
    let rows = b.ctx.index_attr(MOST_ROWS + 1);
    let count = gpu::GridDimOp::new(b).attr(b, "dimension", dims[0]).attr(b, "upper_bound", rows);
    let count = count.value(b);
    if size {
        let planes = gpu::GridDimOp::new(b).attr(b, "dimension", dims[1]).value(b);
        return arith::MulIOp::new(b, planes, count).value(b);
    }
    let most = folded_planes(extents.0[1].unwrap_or(1));
    let (most, rows) = (b.ctx.index_attr(most), b.ctx.index_attr(MOST_ROWS));
    let plane = gpu::BlockIdOp::new(b).attr(b, "dimension", dims[1]).attr(b, "upper_bound", most);
    let plane = plane.value(b);
    let row = gpu::BlockIdOp::new(b).attr(b, "dimension", dims[0]).attr(b, "upper_bound", rows);
    let row = row.value(b);
    let before = arith::MulIOp::new(b, plane, count).value(b);
    arith::AddIOp::new(b, before, row).value(b)
}

/// The operation that gives a number or a count.
fn read(b: &mut Builder<'_>, axis: Axis, size: bool, extents: Extents) -> Value {
    let (Axis::Block(d) | Axis::Thread(d)) = axis else {
        return gpu::LaneIdOp::new(b).value(b);
    };
    let dim = gpu::DIMENSIONS.attr(&mut b.ctx, d.into());
    match (axis, size) {
        (Axis::Block(_), false) => {
            // Numbers of threads in the grid stay within 32 bits (see `launch`).
            let threads = extents.0[usize::from(d)].unwrap_or(1);
            let most = if d == 0 { (i64::from(MAX_GRID_X) + 1) / threads } else { MOST_ROWS };
            let bound = b.ctx.index_attr(most);
            gpu::BlockIdOp::new(b).attr(b, "dimension", dim).attr(b, "upper_bound", bound).value(b)
        }
        (Axis::Block(_), true) => gpu::GridDimOp::new(b).attr(b, "dimension", dim).value(b),
        (_, false) => {
            let most = extents.0[usize::from(d)].unwrap_or(MAX_THREADS_PER_BLOCK.into());
            let bound = b.ctx.index_attr(most);
            gpu::ThreadIdOp::new(b).attr(b, "dimension", dim).attr(b, "upper_bound", bound).value(b)
        }
        (_, true) => gpu::BlockDimOp::new(b).attr(b, "dimension", dim).value(b),
    }
}

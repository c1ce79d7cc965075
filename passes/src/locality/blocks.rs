//! Nests of parallel loops in blocks of two of their dimensions.

use gpuc_dialects::affine::AffineParallelOp;
use gpuc_dialects::gpu::AddressSpace;
use gpuc_dialects::memref;
use gpuc_dialects::offload::mapping::{
    Axis, DimMap, Distribution, LoopMapping, MAPPING_ATTR, Size,
};
use gpuc_ir::{AffineExpr, Builder, Ir, Op, OpView, Type, Value, ValueMap};

use super::band::Dimension;
use super::coordinates::{Edge, Exprs, below};
use super::emit::blocks;

/// Builds loops over blocks of such sides of rows and columns, and of `others` of all other dimensions; the body gets the
/// variables' values at a block's corner.
pub fn over_blocks(
    b: &mut Builder<'_>,
    dims: &[Dimension],
    [row, column]: [usize; 2],
    sides: [i64; 2],
    others: &[i64],
    body: impl FnOnce(&mut Builder<'_>, ValueMap),
) -> Op {
    let mut order: Vec<usize> =
        (0..dims.len()).filter(|&dim| dim != row && dim != column).collect();
    order.extend([row, column]);
    let count = order.len();
    let mut steps: Vec<i64> = order.iter().map(|&dim| others[dim]).collect();
    steps[count - 2..].copy_from_slice(&sides);
    let bounds = |b: &mut Builder<'_>, upper: bool| {
        let mut exprs = Exprs::default();
        let each = order.iter().map(|&dim| {
            let dim = &dims[dim];
            exprs.bound(b, if upper { &dim.upper } else { &dim.lower })
        });
        let results: Vec<_> = each.collect();
        exprs.finish(b, &results)
    };
    let (lower, upper) = (bounds(b, false), bounds(b, true));
    let nest = AffineParallelOp::create(b, &lower, &upper, &steps, |b, variables| {
        let mut corner = ValueMap::new();
        for (&dim, &variable) in order.iter().zip(variables) {
            corner.insert(dims[dim].variable, variable);
        }
        body(b, corner);
    });
    let mapping = blocks(count).attr(&mut b.ctx);
    b.set_attr(nest.op(), MAPPING_ATTR, mapping);
    nest.op()
}

/// The edges of the grid that blocks may reach beyond.
pub fn open_edges(ir: &Ir, dims: &[Dimension], blocked: [usize; 2], sides: [i64; 2]) -> Vec<Edge> {
    let open = blocked.into_iter().zip(sides).filter(|&(dim, side)| !dims[dim].divides(ir, side));
    let edge = |(dim, _): (usize, i64)| Edge {
        variable: dims[dim].variable,
        upper: dims[dim].upper.clone(),
        behind: 0,
    };
    open.map(edge).collect()
}

/// That of a block from a corner on all iterations of such sides are the nest's, as constraints of an integer set.
pub fn whole_sides<'a>(
    b: &mut Builder<'_>,
    exprs: &mut Exprs,
    corner: &ValueMap,
    sides: impl Iterator<Item = (&'a Edge, i64)>,
) -> Vec<(AffineExpr, bool)> {
    let room = sides.map(|(edge, side)| {
        let corner = exprs.value(b, corner.get(edge.variable));
        let last = b.ctx.constant_expr(side - 1);
        let last = b.ctx.add_expr(corner, last);
        let upper = exprs.bound(b, &edge.upper);
        below(b, last, upper)
    });
    room.collect()
}

/// Memory of the block for rows of elements.
pub fn block_memory(b: &mut Builder<'_>, shape: &[i64], element: Type) -> Value {
    let space = AddressSpace::Workgroup.attr(&mut b.ctx);
    let ty = b.ctx.memref_in(shape, element, None, Some(space));
    memref::AllocaOp::new(b, &[], &[]).result(ty).value(b)
}

/// Memory of each thread for rows of elements: registers, where subscripts are numbers.
pub fn thread_memory(b: &mut Builder<'_>, shape: &[i64], element: Type) -> Value {
    let ty = b.ctx.memref(shape, element);
    memref::AllocaOp::new(b, &[], &[]).result(ty).value(b)
}

/// Threads in rows and columns.
pub fn rows_of_threads([rows, columns]: [i64; 2]) -> LoopMapping {
    let over = |axis: u8, count: i64| {
        DimMap::over(&[(Axis::Thread(axis), Size::Constant(count))], Distribution::Exact)
    };
    LoopMapping(vec![over(1, rows), over(0, columns)])
}

/// Blocks of such rows and columns of threads over the last two of so many dimensions, an iteration for each thread.
pub fn blocks_of_threads(count: usize, [rows, columns]: [i64; 2]) -> LoopMapping {
    let mut mapping = blocks(count);
    let sides = [(Axis::Thread(0), columns), (Axis::Thread(1), rows)];
    for (dim, (axis, size)) in mapping.0.iter_mut().rev().zip(sides) {
        dim.axes.push((axis, Size::Constant(size)));
    }
    mapping
}

/// The same threads by their number in the block.
pub fn numbered_threads([rows, columns]: [i64; 2]) -> LoopMapping {
    let axes =
        [(Axis::Thread(1), Size::Constant(rows)), (Axis::Thread(0), Size::Constant(columns))];
    LoopMapping(vec![DimMap::over(&axes, Distribution::Exact)])
}

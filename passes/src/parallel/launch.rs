//! The launch of a kernel: how many blocks of how many threads, computed on the host.

use gpuc_arch::{Arch, MAX_GRID_X, MAX_GRID_YZ};
use gpuc_dialects::offload::mapping::{Axis, DimMap, Distribution, LoopMapping, Size};
use gpuc_dialects::offload::{
    BLOCK_EXTENTS_ATTR, Construct, FOLDED_ROWS_ATTR, LaunchSizeOp, RegionOp,
};
use gpuc_dialects::{arith, gpu, scf};
use gpuc_ir::op::Traits;
use gpuc_ir::{Builder, InsertPoint, Ir, Op, OpView, Value, WalkOrder};

use super::kernel::Kernel;
use super::loop_bounds::{Bounds, compute_outside};
use super::near_end::is_near_end;
use super::segments::{Segment, has_effects};
use super::threads::folded_planes;
use super::verify_mapping::block_extents;
use crate::analysis::access::known_name;
use crate::analysis::loops::dimensions;
use crate::analysis::range::{Range, range};

/// A dimension of a kernel's loop over blocks of which each launch does a part, because all of it may
/// need more blocks than a grid has.
#[derive(Clone, Copy, Debug)]
pub struct Strip {
    /// The dimension.
    pub dim: usize,
    /// Where this launch's part starts and ends, values of the host.
    pub lower: Value,
    /// Its end; not included.
    pub upper: Value,
    /// Whether both are numbers of 32 bits.
    pub is_narrow: bool,
}

/// A launch that is being made.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Blocks in x, y and z.
    pub grid: [Value; 3],
    /// Threads of a block in x, y and z.
    pub block: [Value; 3],
    /// The same, where they are all known.
    pub known_block: Option<[i64; 3]>,
    /// The same, as far as they are known.
    pub extents: [Option<i64>; 3],
    /// Loops round the launch.
    pub strips: Vec<Strip>,
    /// Whether blocks in y go on in z.
    pub folded_rows: bool,
    /// Where the launch stands.
    pub point: InsertPoint,
}

/// What bounds grids.
#[derive(Clone, Copy, Debug)]
pub struct LaunchLimits<'a> {
    /// The device.
    pub arch: &'a Arch,
    /// Blocks of a kernel that combines values, at most, where the program does not say.
    pub max_partial_results: i64,
}

impl Launch {
    /// The launch of a segment, its sizes computed in front of the region.
    pub fn plan(
        ir: &mut Ir,
        region: RegionOp,
        segment: &Segment,
        limits: LaunchLimits<'_>,
    ) -> Launch {
        let mut b = Builder::before(ir, region.op());
        let one = arith::constant_index(&mut b, 1);
        let extents = block_extents(&b, &segment.ops);
        let known_block = match extents {
            [Some(x), Some(y), Some(z)] => Some([x, y, z]),
            _ => None,
        };
        let given = [region.vector_length(&b), region.num_workers(&b), None];
        let clauses = ["vector_length", "num_workers", ""];
        let mut block = [one; 3];
        for d in 0..3 {
            block[d] = match (extents[d], given[d]) {
                (Some(n), _) => arith::constant_index(&mut b, n),
                (None, Some(value)) => {
                    let asked = launch_size(&mut b, value, clauses[d]);
                    let least = constant_extent(&b, segment, d);
                    let least = arith::constant_index(&mut b, least);
                    arith::MaxSIOp::new(&mut b, asked, least).value(&mut b)
                }
                (None, None) => one,
            };
        }
        let mut launch = Launch {
            grid: [one; 3],
            block,
            known_block,
            extents,
            strips: Vec::new(),
            folded_rows: false,
            point: InsertPoint::Before(region.op()),
        };
        let gangs = region.num_gangs(&b).map(|given| launch_size(&mut b, given, "num_gangs"));
        match segment.gang_loop {
            Some(op) => {
                let does_more = segment.ops.iter().any(|&at| at != op && has_effects(&b, at));
                launch.over(&mut b, op, region, gangs, does_more, limits);
            }
            None => {
                // Gangs share loops further inside, and repeat what is not in a loop; what can be
                // seen of that is the same for one gang as for many, unless it adds up. In
                // `kernels` nothing is repeated.
                let repeats = region.kind(&b) != Construct::Kernels && segment.has_atomics(&b);
                let shared = segment.has_inner_loop_over_blocks(&b);
                let resident = segment.resident_grid(&b).map(|grid| grid.blocks(&b));
                launch.grid[0] = match gangs {
                    _ if resident.is_some() => resident.unwrap_or(one),
                    Some(gangs) if shared || repeats => gangs,
                    None if shared => {
                        let constant = inner_blocks(&b, segment);
                        arith::constant_index(
                            &mut b,
                            constant.unwrap_or(limits.max_partial_results),
                        )
                    }
                    _ => one,
                };
            }
        }
        launch.point = b.point();
        launch
    }

    /// The grid for a loop over blocks.
    fn over(
        &mut self,
        b: &mut Builder<'_>,
        op: Op,
        region: RegionOp,
        gangs: Option<Value>,
        does_more: bool,
        limits: LaunchLimits<'_>,
    ) {
        let Some(mapping) = LoopMapping::known(b, op) else { return };
        let one = arith::constant_index(b, 1);
        let combines = !b.results(op).is_empty();
        // One block at least where it does what stands around the loop, or leaves a partial result. What
        // is nothing but the loop is not launched for no iterations.
        let least = arith::constant_index(b, i64::from(combines || does_more));
        let mut bounds = compute_outside(b, op, region.op());
        self.strip(b, op, &mapping, bounds.as_deref_mut(), limits);
        let mut first = 0;
        let mut free = Vec::new();
        for dim in &mapping.0 {
            let dims = first..first + dim.dims;
            first = dims.end;
            let mut used = one;
            for &(axis, size) in &dim.axes {
                let extent = match (axis, size) {
                    (_, Size::Constant(n)) => arith::constant_index(b, n),
                    (Axis::Block(_), Size::Launch) => gangs.unwrap_or(one),
                    (Axis::Block(_), Size::Free) => one,
                    (Axis::Thread(d), _) => self.block[usize::from(d)],
                    (Axis::Lane, _) => one,
                };
                if let (Axis::Block(d), Size::Constant(_) | Size::Launch) = (axis, size) {
                    self.grid[usize::from(d)] = extent;
                }
                used = arith::MulIOp::new(b, used, extent).value(b);
            }
            let axis = dim.axes.iter().find_map(|&(axis, size)| match (axis, size) {
                (Axis::Block(d), Size::Free) => Some(usize::from(d)),
                _ => None,
            });
            if let Some(axis) = axis {
                let total = bounds.as_ref().map(|bounds| {
                    let counts: Vec<Value> =
                        bounds[dims].iter().map(|bounds| trip_count(b, *bounds)).collect();
                    let total = product(b, &counts);
                    arith::CeilDivSIOp::new(b, total, used).value(b)
                });
                free.push((axis, total));
            }
        }
        // All blocks together leave so many partial results; the fastest axis is served first.
        let mut left = arith::constant_index(b, limits.max_partial_results);
        for (axis, needed) in free.into_iter().rev() {
            let most = i64::from(limits.arch.limits.max_grid[axis]);
            let mut most = arith::constant_index(b, most);
            if combines {
                most = left;
            }
            // Bounds that the host cannot compute: any number of blocks is right, and every axis takes so many.
            let needed = needed.unwrap_or_else(|| {
                let many = i64::from(MAX_GRID_YZ);
                arith::constant_index(b, if combines { limits.max_partial_results } else { many })
            });
            if axis == 1 && self.folded_rows {
                self.fold_rows(b, needed, least, limits);
                continue;
            }
            let fewer = lesser(b, needed, most);
            self.grid[axis] = greater(b, fewer, least);
            if combines {
                left = arith::DivUIOp::new(b, left, self.grid[axis]).value(b);
                left = greater(b, left, one);
            }
        }
    }

    /// Rows of blocks, as many planes of them as it takes. More than numbers of 32 bits hold is a grid
    /// that no device takes: the launch says so.
    fn fold_rows(
        &mut self,
        b: &mut Builder<'_>,
        needed: Value,
        least: Value,
        limits: LaunchLimits<'_>,
    ) {
        let [_, most_rows, most_planes] = limits.arch.limits.max_grid.map(i64::from);
        let one = arith::constant_index(b, 1);
        let most = arith::constant_index(b, most_rows);
        let planes = arith::CeilDivSIOp::new(b, needed, most).value(b);
        let planes = greater(b, planes, one);
        let threads = self.extents[1].unwrap_or(1);
        let enough = arith::constant_index(b, folded_planes(threads));
        let too_many = arith::constant_index(b, most_planes + 1);
        let sle = arith::CmpIPredicate::Sle.attr(&mut b.ctx);
        let fits = arith::CmpIOp::new(b, planes, enough).attr(b, "predicate", sle).value(b);
        let rows = lesser(b, needed, most);
        self.grid[1] = greater(b, rows, least);
        self.grid[2] = arith::SelectOp::new(b, fits, planes, too_many).value(b);
    }

    /// Makes loops round the launch for exact dimensions that may need more blocks than there are.
    fn strip(
        &mut self,
        b: &mut Builder<'_>,
        op: Op,
        mapping: &LoopMapping,
        bounds: Option<&mut [Bounds]>,
        limits: LaunchLimits<'_>,
    ) {
        let Some(bounds) = bounds else { return };
        let loops = dimensions(b, op);
        let mut first = 0;
        for map in &mapping.0 {
            let dim = first;
            first += map.dims;
            let Some(most) = self.processors(map, limits) else { continue };
            let trips = loops.get(dim).map(|counted| counted.trips_range(b));
            if trips.is_some_and(|trips| trips.max <= i128::from(most)) {
                continue;
            }
            let over_z = mapping.axes().any(|(axis, _)| axis == Axis::Block(2));
            if map.axes[0].0 == Axis::Block(1) && !over_z {
                self.folded_rows = true;
                continue;
            }
            let is_narrow = loops[dim].bounds_range(b).is_within(Range::signed(32));
            let most = arith::constant_index(b, most);
            let counts = is_near_end(b, op);
            let (from, to) = strips(b, bounds[dim], most, counts);
            self.strips.push(Strip { dim, lower: from, upper: to, is_narrow });
            let step = bounds[dim].step;
            bounds[dim] = Bounds { lower: from, upper: to, step };
        }
    }

    /// How many processors an exact dimension can have at most; `None` where a launch need not be
    /// repeated for it.
    fn processors(&self, map: &DimMap, limits: LaunchLimits<'_>) -> Option<i64> {
        let [(Axis::Block(axis), Size::Free), ref threads @ ..] = map.axes[..] else { return None };
        if map.how != Distribution::Exact || map.dims != 1 {
            return None;
        }
        let mut each = 1i64;
        for &(_, size) in threads {
            // Of a size that the launch says there is one at least.
            if let Size::Constant(n) = size {
                each = each.checked_mul(n)?;
            }
        }
        let blocks = i64::from(limits.arch.limits.max_grid[usize::from(axis)]);
        // Numbers of processors stay within 32 bits, so that subscripts can: the last is 2^31 - 1 at
        // most, and no loop over an `int` needs more.
        Some(((i64::from(MAX_GRID_X) + 1) / each.max(1)).min(blocks).saturating_mul(each))
    }

    /// Passes the parts of strips to a kernel: the value that stands for each in it.
    pub fn arguments(&self, ir: &mut Ir, kernel: &mut Kernel) -> Vec<(usize, [Value; 2])> {
        let mut all = Vec::new();
        for strip in &self.strips {
            let ends = [strip.lower, strip.upper].map(|value| match self.point {
                InsertPoint::Before(point) if strip.is_narrow => {
                    kernel.narrow_argument(ir, value, point)
                }
                _ => kernel.argument(ir, value),
            });
            all.push((strip.dim, ends));
        }
        all
    }

    /// Builds the launch.
    pub fn build(&self, ir: &mut Ir, kernel: &Kernel, name: &str) {
        let symbol = ir.ctx.nested_symbol_attr("kernels", &[name]);
        // Sizes that are known help the backend, and bound registers.
        if let Some(block) = self.known_block {
            let sizes = ir.ctx.i32_array_attr(&block.map(|n| n as i32));
            ir.set_attr(kernel.func, "known_block_size", sizes);
        } else {
            let sizes = self.extents.map(|extent| extent.unwrap_or(0) as i32);
            let sizes = ir.ctx.i32_array_attr(&sizes);
            ir.set_attr(kernel.func, BLOCK_EXTENTS_ATTR, sizes);
        }
        if self.folded_rows {
            let unit = ir.ctx.unit_attr();
            ir.set_attr(kernel.func, FOLDED_ROWS_ATTR, unit);
        }
        let location = ir.location(kernel.func);
        let mut b = Builder::new(ir, self.point, location);
        let ([x, y, z], [bx, by, bz]) = (self.grid, self.block);
        gpu::LaunchFuncOp::new(
            &mut b,
            &[],
            x,
            y,
            z,
            bx,
            by,
            bz,
            None,
            None,
            None,
            None,
            &kernel.operands,
            None,
        )
        .attr(&mut b, "kernel", symbol)
        .build(&mut b);
    }
}

/// A size that the program gives at run time, as the host checks it.
fn launch_size(b: &mut Builder<'_>, value: Value, clause: &str) -> Value {
    if let Some(constant) = arith::constant_int_value(b, value) {
        return arith::constant_index(b, i64::try_from(constant).unwrap_or(i64::MAX).max(1));
    }
    if is_launch_size(b, value) {
        return value;
    }
    let clause = b.ctx.string_attr(clause);
    let variable = variable_of(b, value).map(|name| b.ctx.string_attr(&name));
    LaunchSizeOp::new(b, value)
        .attr(b, "clause", clause)
        .attr_option(b, "variable", variable)
        .value(b)
}

/// Whether a value is made of sizes that clauses give: 1 at least, and said where it was less.
fn is_launch_size(ir: &Ir, value: Value) -> bool {
    let Some(op) = ir.defining_op(value) else { return false };
    let mut parts = ir.operands(op);
    match ir.name(op) {
        LaunchSizeOp::NAME => true,
        arith::MaxSIOp::NAME => parts.any(|part| is_launch_size(ir, part)),
        arith::MulIOp::NAME => parts.all(|part| {
            let constant = arith::constant_index_value(ir, part);
            constant.map_or_else(|| is_launch_size(ir, part), |n| n > 0)
        }),
        _ => false,
    }
}

/// The name of the variable that a value is, through conversions.
fn variable_of(ir: &Ir, value: Value) -> Option<String> {
    let mut at = value;
    while let Some(op) = ir.defining_op(at) {
        if ir.operand_count(op) != 1 || !ir.is_effect_free(op) {
            break;
        }
        at = ir.operand(op, 0);
    }
    known_name(ir, at).map(str::to_owned)
}

/// The largest constant extent of blocks in one direction among a segment's loops.
fn constant_extent(ir: &Ir, segment: &Segment, d: usize) -> i64 {
    let nested = segment.ops.iter().flat_map(|&op| ir.nested_ops(op, WalkOrder::PreOrder));
    let mut most = 1;
    for mapping in nested.filter_map(|op| LoopMapping::known(ir, op)) {
        for (axis, size) in mapping.axes() {
            if let (Axis::Thread(own), Size::Constant(n)) = (axis, size)
                && usize::from(own) == d
            {
                most = most.max(n);
            }
        }
    }
    most
}

/// The number of blocks that loops further inside name.
fn inner_blocks(ir: &Ir, segment: &Segment) -> Option<i64> {
    let nested = segment.ops.iter().flat_map(|&op| ir.nested_ops(op, WalkOrder::PreOrder));
    let loops = nested.filter(|&op| ir.has_trait(op, Traits::PARALLEL_LOOP));
    let sizes = loops.filter_map(|op| LoopMapping::known(ir, op)).flat_map(|mapping| {
        let blocks = mapping.axes().filter(|(axis, _)| *axis == Axis::Block(0));
        blocks.map(|(_, size)| size).collect::<Vec<_>>()
    });
    let constants = sizes.filter_map(|size| match size {
        Size::Constant(n) => Some(n),
        _ => None,
    });
    constants.max()
}

/// Iterations: `ceildiv(upper - lower, step)` where `lower` is less than `upper`, else 0.
pub fn trip_count(b: &mut Builder<'_>, Bounds { lower, upper, step }: Bounds) -> Value {
    let zero = arith::constant_index(b, 0);
    let mut span = arith::SubIOp::new(b, upper, lower).value(b);
    // Ends so far apart that their difference comes around say themselves that there is no iteration.
    if range(b, upper).min - range(b, lower).max < Range::signed(64).min {
        let slt = arith::CmpIPredicate::Slt.attr(&mut b.ctx);
        let any = arith::CmpIOp::new(b, lower, upper).attr(b, "predicate", slt).value(b);
        span = arith::SelectOp::new(b, any, span, zero).value(b);
    }
    let count = arith::CeilDivSIOp::new(b, span, step).value(b);
    greater(b, count, zero)
}

/// A loop over strips of so many iterations at most, which it counts or not; where each begins and ends. The builder
/// is left inside.
fn strips(b: &mut Builder<'_>, whole: Bounds, most: Value, counts: bool) -> (Value, Value) {
    let Bounds { lower, upper, step } = whole;
    let span = arith::MulIOp::new(b, step, most).value(b);
    let counted = counts.then(|| trip_count(b, whole));
    let along = match counted {
        Some(trips) => (arith::constant_index(b, 0), trips, most),
        None => (lower, upper, span),
    };
    let strips = scf::ForOp::create(b, along, &[], |_, _, _| Vec::new());
    let (first, end) = (strips.induction_var(b), strips.terminator(b));
    b.set_point(InsertPoint::Before(end));
    let Some(trips) = counted else {
        let to = arith::AddIOp::new(b, first, span).value(b);
        return (first, arith::MinSIOp::new(b, to, upper).value(b));
    };
    let offset = arith::MulIOp::new(b, first, step).value(b);
    let from = arith::AddIOp::new(b, lower, offset).value(b);
    let to = arith::AddIOp::new(b, from, span).value(b);
    let left = arith::SubIOp::new(b, trips, first).value(b);
    let slt = arith::CmpIPredicate::Slt.attr(&mut b.ctx);
    let is_whole = arith::CmpIOp::new(b, most, left).attr(b, "predicate", slt).value(b);
    (from, arith::SelectOp::new(b, is_whole, to, upper).value(b))
}

/// The lesser of two values, which is one of them where their ranges say which: what a launch computes is code
/// of the host for every construct.
fn lesser(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    let (known_x, known_y) = (range(b, x), range(b, y));
    match () {
        () if known_x.max <= known_y.min => x,
        () if known_y.max <= known_x.min => y,
        () => arith::MinSIOp::new(b, x, y).value(b),
    }
}

/// The greater of two values, as [`lesser`].
fn greater(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    let (known_x, known_y) = (range(b, x), range(b, y));
    match () {
        () if known_x.min >= known_y.max => x,
        () if known_y.min >= known_x.max => y,
        () => arith::MaxSIOp::new(b, x, y).value(b),
    }
}

/// The product of some values.
pub fn product(b: &mut Builder<'_>, factors: &[Value]) -> Value {
    let mut product: Option<Value> = None;
    for &factor in factors {
        product = Some(match product {
            Some(so_far) => arith::MulIOp::new(b, so_far, factor).value(b),
            None => factor,
        });
    }
    product.unwrap_or_else(|| arith::constant_index(b, 1))
}

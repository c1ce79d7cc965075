//! When a tile may be copied 16 bytes at a time, and when a plan pays: questions for the host.

use gpuc_dialects::affine::{AffineApplyOp, AffineIfOp, AffineLoadOp, AffineStoreOp};
use gpuc_dialects::offload::{AlignedOp, DisjointOp, RegionOp};
use gpuc_dialects::{arith, memref};
use gpuc_ir::{Builder, DYNAMIC, Ir, Op, OpView, Value, ValueMap};

use super::band::Dimension;
use super::contraction::{Contraction, Staged, subscripts};
use super::coordinates::Exprs;
use super::stage::WIDE_BYTES;
use super::tile_plan::TilePlan;
use crate::analysis::polynomial::Polynomial;
use crate::analysis::slice::compute_outside;
use crate::parallel::launch::trip_count;
use crate::parallel::loop_bounds::Bounds;

/// What must be a multiple of a wide copy's elements for one staged load.
#[derive(Clone, Debug)]
pub struct Wide {
    /// The buffer that addresses start from: its address, in bytes.
    base: Value,
    /// Elements from row to row that are known at run time only.
    strides: Vec<Value>,
    /// The dimension of the nest whose number of iterations counts.
    dim: Option<usize>,
    /// Elements of a copy.
    elements: i64,
}

impl Wide {
    /// What to ask for the copies of a staged load; `None` where they are never wide.
    pub fn of_tile(ir: &Ir, nest: &Contraction, load: &Staged, plan: &TilePlan) -> Option<Wide> {
        let elements = WIDE_BYTES / load.bytes;
        // In the background nothing is turned round on its way.
        if load.contiguous_depth && plan.stages > 1 {
            return None;
        }
        if !(load.uses.row || load.uses.column) || plan.depth % elements != 0 {
            return None;
        }
        let dim = if load.uses.row { nest.row } else { nest.column };
        let dim = (!load.contiguous_depth).then_some(dim);
        let along = dim.map_or(Along::Terms(load.sum), Along::Dimension);
        Wide::of(ir, nest, load.op, &load.subscripts, along, elements)
    }

    /// Whether rows start at multiples of a copy's bytes, counted from the base, whatever the sizes are.
    pub fn has_whole_rows(&self) -> bool {
        self.strides.is_empty()
    }

    /// What to ask for an access round the sum to be made for a run of columns at once; `None` where it
    /// never is.
    pub fn of_result(ir: &Ir, nest: &Contraction, op: Op, plan: &TilePlan) -> Option<Wide> {
        if !AffineLoadOp::is(ir, op) && !AffineStoreOp::is(ir, op) {
            return None;
        }
        // Of a triangle, some columns of a run may be missing.
        let column = nest.dims[nest.column].variable;
        let some_columns = |present: AffineIfOp| ir.operands(present.op()).any(|of| of == column);
        if !nest.is_rectangle() || nest.present.is_some_and(some_columns) {
            return None;
        }
        let forms = subscripts(ir, op)?;
        let access = ir.memory_access(op)?;
        let bytes = memref::scalar_bytes(&ir.ctx, ir.ty(access.value))?;
        let elements = nest.run_length(plan, 1);
        let fits = elements > 1 && elements * bytes as i64 == WIDE_BYTES;
        let along = Along::Dimension(nest.column);
        fits.then(|| Wide::of(ir, nest, op, &forms, along, elements)).flatten()
    }

    /// What to ask for an access to `elements` elements at once.
    fn of(
        ir: &Ir,
        nest: &Contraction,
        op: Op,
        subscripts: &[Polynomial],
        along: Along,
        elements: i64,
    ) -> Option<Wide> {
        let variable = match along {
            Along::Dimension(dim) => nest.dims[dim].variable,
            Along::Terms(sum) => nest.sums[sum].op.induction_var(ir),
        };
        let others = &subscripts[..subscripts.len().checked_sub(1)?];
        if others.iter().any(|form| form.coefficient(&[variable]) != 0) {
            return None;
        }
        // The first element of a copy is a multiple of its length, counted from the row's start.
        let last = subscripts.last()?;
        let plain = last.coefficient(&[variable]) == 1 && last.values() == [variable];
        let bound = match along {
            // Runs begin at multiples of their length.
            Along::Terms(sum) if nest.begins_anywhere(ir, sum) => Some(0),
            Along::Terms(sum) => nest.sums[sum].op.lower_bound(ir).constant_value(&ir.ctx),
            Along::Dimension(dim) => ir.ctx.expr_constant(nest.dims[dim].lower.expr),
        };
        let first = bound?.checked_add(last.constant_term())?;
        if !plain || first % elements != 0 {
            return None;
        }
        let buffer = ir.memory_access(op)?.buffer;
        let layout = memref::strided_layout(&ir.ctx, ir.ty(buffer))?;
        let (rows, unit) = layout.strides.split_at(layout.strides.len().checked_sub(1)?);
        if unit != [1] || layout.offset != 0 {
            return None;
        }
        if rows.iter().any(|&stride| stride != DYNAMIC && stride % elements != 0) {
            return None;
        }
        let (base, strides) = match ir.defining_op(buffer) {
            Some(op) => {
                let view = memref::ReinterpretCastOp::cast(ir, op)?;
                let operands = view.strides(ir).to_vec();
                (view.source(ir), operands)
            }
            None if rows.contains(&DYNAMIC) => return None,
            None => (buffer, Vec::new()),
        };
        let dim = match along {
            Along::Dimension(dim) => Some(dim),
            Along::Terms(_) => None,
        };
        ir.defining_op(base).is_none().then_some(Wide { base, strides, dim, elements })
    }
}

/// Where the elements of one copy lie.
#[derive(Clone, Copy)]
enum Along {
    /// Along a dimension of the nest.
    Dimension(usize),
    /// Along the terms of a sum.
    Terms(usize),
}

/// Terms of a run that is worth its tiles by itself.
const LONG_RUN: i64 = 32;

/// Whether, for all that the host knows at the builder's point in front of the region, a plan can be
/// carried out and pays, more than its rivals; `None` where the host cannot know.
pub fn conditions<'a>(
    b: &mut Builder<'_>,
    region: RegionOp,
    nest: &Contraction,
    (plan, rivals): (&TilePlan, &[TilePlan]),
    (least_blocks, sms): (i64, i64),
    wide: impl Iterator<Item = &'a Wide>,
) -> Option<Value> {
    let mut map = ValueMap::new();
    let trips = trip_counts(b, region.op(), &nest.dims, &mut map)?;
    let blocks = parts(b, &trips, &nest.sides(plan), Count::Full);
    let mut all = at_least(b, blocks, least_blocks);
    let depth = most_terms(b, nest, region.op(), &mut map)?;
    for rival in rivals {
        let of = |plan| time_of_products(b, nest, plan, (&trips, depth), sms);
        let [own, other] = [plan, rival].map(of);
        let first = arith::compare(b, arith::CmpIPredicate::Sle, own, other);
        all = arith::AndIOp::new(b, all, first).value(b);
    }
    // Fewer terms than two runs are over before the tiles pay, unless runs are long.
    if least_blocks > 0 || plan.stages > 1 {
        // The first runs are on their way before anything asks how many there are.
        let least = match plan.stages {
            ..=1 => (2 * plan.depth).min(LONG_RUN),
            stages => stages * plan.depth,
        };
        let deep = at_least(b, depth, least);
        all = arith::AndIOp::new(b, all, deep).value(b);
    }
    if plan.wants_whole_runs() {
        let whole = is_multiple(b, depth, plan.depth);
        all = arith::AndIOp::new(b, all, whole).value(b);
    }
    let apart = are_apart(b, region.op(), &nest.apart, &mut map)?;
    for apart in apart {
        all = arith::AndIOp::new(b, all, apart).value(b);
    }
    if !plan.wide {
        return Some(all);
    }
    for wide in wide {
        let mut numbers = Vec::new();
        for &stride in &wide.strides {
            numbers.push(compute_outside(b, stride, region.op(), &mut map)?);
        }
        numbers.extend(wide.dim.map(|dim| trips[dim]));
        let base = compute_outside(b, wide.base, region.op(), &mut map)?;
        let bytes = b.ctx.i64_attr(WIDE_BYTES);
        let aligned = AlignedOp::new(b, base).attr(b, "alignment", bytes).value(b);
        all = arith::AndIOp::new(b, all, aligned).value(b);
        for number in numbers {
            let even = is_multiple(b, number, wide.elements);
            all = arith::AndIOp::new(b, all, even).value(b);
        }
    }
    Some(all)
}

/// Which parts are counted.
#[derive(Clone, Copy)]
enum Count {
    /// Those without a part behind the edge.
    Full,
    /// All.
    All,
}

/// The number of parts of such sides that iterations are divided into.
fn parts(b: &mut Builder<'_>, trips: &[Value], sides: &[i64], count: Count) -> Value {
    let mut parts = arith::constant_index(b, 1);
    for (&trips, &side) in trips.iter().zip(sides) {
        let side = arith::constant_index(b, side);
        let own = match count {
            Count::Full => arith::DivUIOp::new(b, trips, side).value(b),
            Count::All => arith::CeilDivUIOp::new(b, trips, side).value(b),
        };
        parts = arith::MulIOp::new(b, parts, own).value(b);
    }
    parts
}

/// Twice what the multiprocessor takes that has most of the blocks of a plan: their number times their results times what each
/// weighs. That blocks come in whole numbers is what makes a small tile faster for one size and a large one for the next.
///
/// Where results have terms of their own, a block may have as many as two on average, which makes the time that of one more average block; and
/// terms that not all results of a block have cost several times what others do: one for each row, or column, and a run.
fn time_of_products(
    b: &mut Builder<'_>,
    nest: &Contraction,
    plan: &TilePlan,
    (trips, depth): (&[Value], Value),
    sms: i64,
) -> Value {
    /// What a term of some results costs beside one of all.
    const IN_PART: i64 = 3;
    let blocks = parts(b, trips, &nest.sides(plan), Count::All);
    let sms = arith::constant_index(b, sms);
    let most = arith::CeilDivUIOp::new(b, blocks, sms).value(b);
    let two = arith::constant_index(b, 2);
    let twice = arith::MulIOp::new(b, most, two).value(b);
    let least = arith::constant_index(b, plan.twice_blocks_at_least(nest.bytes_of_sums(b)));
    let most = arith::MaxSIOp::new(b, twice, least).value(b);
    let in_part: i64 = nest.sums.iter().map(|sum| sum.terms_in_part(plan)).sum();
    let each = arith::constant_index(b, plan.results() * plan.weight);
    if in_part == 0 {
        return arith::MulIOp::new(b, most, each).value(b);
    }
    let in_part = arith::constant_index(b, IN_PART * in_part);
    let most = arith::AddIOp::new(b, most, two).value(b);
    let terms = arith::AddIOp::new(b, depth, in_part).value(b);
    let each = arith::MulIOp::new(b, each, terms).value(b);
    arith::MulIOp::new(b, most, each).value(b)
}

/// How often each of some dimensions runs, for all that the host knows at the builder's point in front of `scope`.
pub fn trip_counts(
    b: &mut Builder<'_>,
    scope: Op,
    dims: &[Dimension],
    map: &mut ValueMap,
) -> Option<Vec<Value>> {
    let mut trips = Vec::new();
    for dim in dims {
        let mut ends = Vec::new();
        for bound in [&dim.lower, &dim.upper] {
            let mut exprs = Exprs::default();
            let end = exprs.bound(b, bound);
            let mut end = exprs.finish(b, &[end]);
            for operand in &mut end.operands {
                *operand = compute_outside(b, *operand, scope, map)?;
            }
            ends.push(AffineApplyOp::create(b, &end));
        }
        let step = arith::constant_index(b, 1);
        trips.push(trip_count(b, Bounds { lower: ends[0], upper: ends[1], step }));
    }
    Some(trips)
}

/// Whether there are at least so many parts of a nest, and buffers are apart, asked in front of `scope`: `dims` are
/// divided into parts of such sides, of which those at the end do not count.
pub fn enough_and_apart(
    b: &mut Builder<'_>,
    scope: Op,
    (dims, sides): (&[Dimension], &[i64]),
    least: i64,
    apart: &[(Value, Value)],
) -> Option<Value> {
    let mut map = ValueMap::new();
    let trips = trip_counts(b, scope, dims, &mut map)?;
    let parts = parts(b, &trips, sides, Count::Full);
    let mut all = at_least(b, parts, least);
    for apart in are_apart(b, scope, apart, &mut map)? {
        all = arith::AndIOp::new(b, all, apart).value(b);
    }
    Some(all)
}

/// Whether buffers are apart, pair by pair, asked in front of `scope`.
pub fn are_apart(
    b: &mut Builder<'_>,
    scope: Op,
    pairs: &[(Value, Value)],
    map: &mut ValueMap,
) -> Option<Vec<Value>> {
    let ask = |&(first, second): &(Value, Value)| {
        let first = compute_outside(b, first, scope, map)?;
        let second = compute_outside(b, second, scope, map)?;
        Some(DisjointOp::new(b, first, second).value(b))
    };
    pairs.iter().map(ask).collect()
}

/// The most terms that a result has in one sum.
fn most_terms(
    b: &mut Builder<'_>,
    nest: &Contraction,
    region: Op,
    map: &mut ValueMap,
) -> Option<Value> {
    let mut most = None;
    for sum in &nest.sums {
        let mut ends = Vec::new();
        for (bounds, upper) in [(&sum.range.lower, false), (&sum.range.upper, true)] {
            let mut end = None;
            for bound in bounds {
                let mut exprs = Exprs::default();
                let value = exprs.bound(b, &nest.at_widest(sum, bound));
                let mut value = exprs.finish(b, &[value]);
                for operand in &mut value.operands {
                    *operand = compute_outside(b, *operand, region, map)?;
                }
                let value = AffineApplyOp::create(b, &value);
                end = Some(match (end, upper) {
                    (None, _) => value,
                    (Some(end), true) => arith::MinSIOp::new(b, end, value).value(b),
                    (Some(end), false) => arith::MaxSIOp::new(b, end, value).value(b),
                });
            }
            ends.push(end?);
        }
        let terms = arith::SubIOp::new(b, ends[1], ends[0]).value(b);
        most = Some(match most {
            None => terms,
            Some(most) => arith::MaxSIOp::new(b, most, terms).value(b),
        });
    }
    most
}

pub fn at_least(b: &mut Builder<'_>, value: Value, least: i64) -> Value {
    let least = arith::constant_index(b, least);
    arith::compare(b, arith::CmpIPredicate::Sge, value, least)
}

fn is_multiple(b: &mut Builder<'_>, value: Value, of: i64) -> Value {
    let of = arith::constant_index(b, of);
    let rest = arith::RemUIOp::new(b, value, of).value(b);
    let zero = arith::constant_index(b, 0);
    arith::compare(b, arith::CmpIPredicate::Eq, rest, zero)
}

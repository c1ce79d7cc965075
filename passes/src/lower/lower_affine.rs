//! `lower-affine`: affine loops, conditions and accesses become those of `scf`, `memref` and `arith`.
//!
//! Needs nothing; leaves no operation of the affine dialect. Bounds and subscripts become index
//! arithmetic in front of the operation; what of it does not change in a loop is hoisted by
//! `loop-invariant-code-motion`.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{self, AffineValue};
use gpuc_dialects::{arith, memref, nvvm, scf, vector};
use gpuc_ir::affine::{AffineExprKind, BinaryOp};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{AffineExpr, Builder, Ir, Op, OpView, Region, Value, WalkOrder};

use crate::raise::raise_affine::copy_marks;
use crate::raise::reduction::Reduction;

gpuc_ir::pass! {
    /// Turn affine operations into scf, memref and arith.
    LowerAffine = "lower-affine" {
        /// Whether divisions and differences stay one operation each, as the compiler wants them; upstream
        /// writes them with what processors have.
        compact: bool = false,
    }
}

impl Pass for LowerAffine {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            lower_as(ir, inner, self.compact)?;
        }
        Ok(())
    }
}

fn error(ir: &Ir, op: Op, message: String) -> Diagnostic {
    Diagnostic::error(message).at_option(ir.ctx.place(ir.location(op)))
}

/// Turns one operation of the affine dialect into others; what stands inside stays as it is. Leaves any
/// other operation alone.
///
/// # Errors
/// A reduction that other dialects do not have.
pub(crate) fn lower(ir: &mut Ir, op: Op) -> Result<(), Diagnostic> {
    lower_as(ir, op, true)
}

fn lower_as(ir: &mut Ir, op: Op, compact: bool) -> Result<(), Diagnostic> {
    match ir.name(op) {
        affine::AffineForOp::NAME => lower_for(ir, affine::AffineForOp(op), compact),
        affine::AffineParallelOp::NAME => {
            lower_parallel(ir, affine::AffineParallelOp(op), compact)?
        }
        affine::AffineIfOp::NAME => lower_if(ir, affine::AffineIfOp(op), compact),
        affine::AffineApplyOp::NAME => {
            lower_value(ir, op, affine::AffineApplyOp(op).value(ir), None, compact)
        }
        affine::AffineMinOp::NAME => {
            lower_value(ir, op, affine::AffineMinOp(op).value(ir), Some(Extremum::Least), compact);
        }
        affine::AffineMaxOp::NAME => {
            lower_value(
                ir,
                op,
                affine::AffineMaxOp(op).value(ir),
                Some(Extremum::Greatest),
                compact,
            );
        }
        affine::AffineDelinearizeIndexOp::NAME => lower_delinearize(ir, op),
        affine::AffineDmaStartOp::NAME => {
            lower_dma_start(ir, affine::AffineDmaStartOp(op), compact)
        }
        affine::AffineDmaWaitOp::NAME => lower_dma_wait(ir, affine::AffineDmaWaitOp(op), compact),
        affine::AffineLoadOp::NAME
        | affine::AffineStoreOp::NAME
        | affine::AffineVectorLoadOp::NAME
        | affine::AffineVectorStoreOp::NAME
        | affine::AffinePrefetchOp::NAME => lower_access(ir, op, compact),
        _ => {}
    }
    Ok(())
}

/// Which of several values counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extremum {
    /// Of upper bounds.
    Least,
    /// Of lower bounds.
    Greatest,
}

/// The value of an expression at the operands of `value`.
fn expand(b: &mut Builder<'_>, expr: AffineExpr, value: &AffineValue, compact: bool) -> Value {
    match *b.ctx.expr_kind(expr) {
        AffineExprKind::Constant(number) => arith::constant_index(b, number),
        AffineExprKind::Dim(index) => value.operands[index as usize],
        AffineExprKind::Symbol(index) => value.operands[value.dims(&b.ctx) + index as usize],
        AffineExprKind::Binary(op, left, right) => {
            // `x + -1 * y` is a difference.
            if compact
                && op == BinaryOp::Add
                && let AffineExprKind::Binary(BinaryOp::Mul, y, factor) = *b.ctx.expr_kind(right)
                && b.ctx.expr_constant(factor) == Some(-1)
            {
                let (x, y) = (expand(b, left, value, compact), expand(b, y, value, compact));
                return arith::SubIOp::new(b, x, y).value(b);
            }
            let (x, y) = (expand(b, left, value, compact), expand(b, right, value, compact));
            match op {
                BinaryOp::Add => arith::AddIOp::new(b, x, y).value(b),
                BinaryOp::Mul => arith::MulIOp::new(b, x, y).value(b),
                BinaryOp::FloorDiv if !compact => floor_div(b, x, y),
                BinaryOp::CeilDiv if !compact => ceil_div(b, x, y),
                BinaryOp::FloorDiv => arith::FloorDivSIOp::new(b, x, y).value(b),
                BinaryOp::CeilDiv => arith::CeilDivSIOp::new(b, x, y).value(b),
                BinaryOp::Mod => {
                    // Of numbers below 0 too: in two's complement the low bits are the remainder.
                    if let Some(divisor) = power_of_two(b, y).filter(|_| compact) {
                        let low = arith::constant_index(b, divisor - 1);
                        return arith::AndIOp::new(b, x, low).value(b);
                    }
                    // The remainder is never negative; divisors are positive.
                    let remainder = arith::RemSIOp::new(b, x, y).value(b);
                    let zero = arith::constant_index(b, 0);
                    let slt = arith::CmpIPredicate::Slt.attr(&mut b.ctx);
                    let negative =
                        arith::CmpIOp::new(b, remainder, zero).attr(b, "predicate", slt).value(b);
                    let up = arith::AddIOp::new(b, remainder, y).value(b);
                    arith::SelectOp::new(b, negative, up, remainder).value(b)
                }
            }
        }
    }
}

/// The constant that a value is, if it is a power of two.
fn power_of_two(ir: &Ir, value: Value) -> Option<i64> {
    arith::constant_index_value(ir, value).filter(|&n| n > 0 && (n as u64).is_power_of_two())
}

/// The quotient by a positive divisor, rounded down: of what lies below 0 through what it lacks to -1.
fn floor_div(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    let zero = arith::constant_index(b, 0);
    let minus_one = arith::constant_index(b, -1);
    let slt = arith::CmpIPredicate::Slt.attr(&mut b.ctx);
    let negative = arith::CmpIOp::new(b, x, zero).attr(b, "predicate", slt).value(b);
    let mirrored = arith::SubIOp::new(b, minus_one, x).value(b);
    let dividend = arith::SelectOp::new(b, negative, mirrored, x).value(b);
    let quotient = arith::DivSIOp::new(b, dividend, y).value(b);
    let back = arith::SubIOp::new(b, minus_one, quotient).value(b);
    arith::SelectOp::new(b, negative, back, quotient).value(b)
}

/// The quotient by a positive divisor, rounded up.
fn ceil_div(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    let zero = arith::constant_index(b, 0);
    let one = arith::constant_index(b, 1);
    let sle = arith::CmpIPredicate::Sle.attr(&mut b.ctx);
    let not_positive = arith::CmpIOp::new(b, x, zero).attr(b, "predicate", sle).value(b);
    let negated = arith::SubIOp::new(b, zero, x).value(b);
    let decremented = arith::SubIOp::new(b, x, one).value(b);
    let dividend = arith::SelectOp::new(b, not_positive, negated, decremented).value(b);
    let quotient = arith::DivSIOp::new(b, dividend, y).value(b);
    let back = arith::SubIOp::new(b, zero, quotient).value(b);
    let further = arith::AddIOp::new(b, quotient, one).value(b);
    arith::SelectOp::new(b, not_positive, back, further).value(b)
}

/// The values of all results of a map.
fn expand_all(b: &mut Builder<'_>, value: &AffineValue, compact: bool) -> Vec<Value> {
    let results = value.results(&b.ctx).to_vec();
    results.into_iter().map(|result| expand(b, result, value, compact)).collect()
}

fn extremum(b: &mut Builder<'_>, values: &[Value], which: Extremum) -> Value {
    let mut so_far = values[0];
    for &value in &values[1..] {
        so_far = match which {
            Extremum::Least => arith::MinSIOp::new(b, so_far, value).value(b),
            Extremum::Greatest => arith::MaxSIOp::new(b, so_far, value).value(b),
        };
    }
    so_far
}

fn lower_value(
    ir: &mut Ir,
    op: Op,
    value: Option<AffineValue>,
    which: Option<Extremum>,
    compact: bool,
) {
    let Some(value) = value else { return };
    let mut b = Builder::before(ir, op);
    let results = expand_all(&mut b, &value, compact);
    let result = extremum(&mut b, &results, which.unwrap_or(Extremum::Least));
    ir.replace_op(op, &[result]);
}

fn lower_delinearize(ir: &mut Ir, op: Op) {
    let view = affine::AffineDelinearizeIndexOp(op);
    let (mut rest, basis) = (view.linear_index(ir), view.basis(ir));
    let mut b = Builder::before(ir, op);
    let mut parts = Vec::new();
    for &extent in basis.iter().skip(1).rev() {
        let quotient = arith::FloorDivSIOp::new(&mut b, rest, extent).value(&mut b);
        let covered = arith::MulIOp::new(&mut b, quotient, extent).value(&mut b);
        parts.push(arith::SubIOp::new(&mut b, rest, covered).value(&mut b));
        rest = quotient;
    }
    parts.push(rest);
    parts.reverse();
    ir.replace_op(op, &parts);
}

/// Moves a region out of an affine operation; its `affine.yield`s become `end`'s.
fn take_region(ir: &mut Ir, from: Region, end: impl Fn(&mut Builder<'_>, &[Value])) -> Region {
    let region = ir.create_region();
    ir.move_blocks(from, region);
    if let Some(last) = ir.entry_block(region).and_then(|block| ir.last_op(block)) {
        let values: Vec<Value> = ir.operands(last).collect();
        end(&mut Builder::before(ir, last), &values);
        ir.erase_op(last);
    }
    region
}

fn scf_yield(b: &mut Builder<'_>, values: &[Value]) {
    scf::YieldOp::new(b, values).build(b);
}

fn lower_for(ir: &mut Ir, view: affine::AffineForOp, compact: bool) {
    let op = view.op();
    let (lower, upper, step) = (view.lower_bound(ir), view.upper_bound(ir), view.step_value(ir));
    let inits = view.inits(ir).to_vec();
    let types: Vec<_> = ir.result_types(op).collect();
    let region = take_region(ir, view.region(ir), scf_yield);
    let mut b = Builder::before(ir, op);
    let lowers = expand_all(&mut b, &lower, compact);
    let lower = extremum(&mut b, &lowers, Extremum::Greatest);
    let uppers = expand_all(&mut b, &upper, compact);
    let upper = extremum(&mut b, &uppers, Extremum::Least);
    let step = arith::constant_index(&mut b, step);
    let new = scf::ForOp::new(&mut b, lower, upper, step, &inits)
        .result_group(&types)
        .region(region)
        .build(&mut b);
    copy_marks(ir, op, new);
    let results = ir.results(new).to_vec();
    ir.replace_op(op, &results);
}

/// How a parallel loop combines what its iterations leave.
#[derive(Clone, Copy, Debug)]
enum Combiner {
    /// By an operator, which may compare as unsigned.
    Known(Reduction, bool),
    /// The greatest; what is not a number wins.
    Maximum,
    /// The least; what is not a number wins.
    Minimum,
}

impl Combiner {
    fn identity(self, b: &mut Builder<'_>, ty: gpuc_ir::Type) -> Value {
        match self {
            Combiner::Known(kind, unsigned) => kind.identity(b, ty, unsigned),
            Combiner::Maximum => arith::constant_float(b, f64::NEG_INFINITY, ty),
            Combiner::Minimum => arith::constant_float(b, f64::INFINITY, ty),
        }
    }

    fn combine(self, b: &mut Builder<'_>, x: Value, y: Value) -> Value {
        match self {
            Combiner::Known(kind, unsigned) => kind.combine(b, x, y, unsigned),
            Combiner::Maximum => arith::MaximumFOp::new(b, x, y).value(b),
            Combiner::Minimum => arith::MinimumFOp::new(b, x, y).value(b),
        }
    }
}

fn lower_parallel(
    ir: &mut Ir,
    view: affine::AffineParallelOp,
    compact: bool,
) -> Result<(), Diagnostic> {
    let op = view.op();
    let kinds = view.reductions(ir).and_then(|attr| ir.ctx.array_value(attr)).unwrap_or_default();
    let numbers: Vec<i64> =
        kinds.iter().filter_map(|&kind| memref::ATOMIC_RMW_KINDS.number(&ir.ctx, kind)).collect();
    let mut reductions = Vec::new();
    for number in numbers {
        let kind = memref::ATOMIC_RMW_KINDS.keywords(number);
        reductions.push(match (Reduction::from_atomic_kind(number), &*kind) {
            (Some((kind, unsigned)), _) => Combiner::Known(kind, unsigned),
            // The compiler has no code for these.
            (None, "maximumf") if !compact => Combiner::Maximum,
            (None, "minimumf") if !compact => Combiner::Minimum,
            _ => return Err(error(ir, op, format!("a reduction by '{kind}' is not supported"))),
        });
    }
    let (lower, upper) = (view.lower_bounds(ir), view.upper_bounds(ir));
    let (lower_groups, upper_groups) = (view.lower_groups(ir), view.upper_groups(ir));
    let steps = view.step_values(ir);
    let types: Vec<_> = ir.result_types(op).collect();
    let region = take_region(ir, view.region(ir), |b, values| {
        let mut reduce = scf::ReduceOp::new(b, values);
        for (&value, &reduction) in values.iter().zip(&reductions) {
            let ty = b.ty(value);
            let combiner = b.region(&[ty, ty], |b, arguments| {
                let combined = reduction.combine(b, arguments[0], arguments[1]);
                scf::ReduceReturnOp::new(b, combined).build(b);
            });
            reduce = reduce.region(combiner);
        }
        reduce.build(b);
    });
    let mut b = Builder::before(ir, op);
    // The bounds of one dimension after those of another.
    let (mut lowers, mut uppers) = (Vec::new(), Vec::new());
    let mut from = [0, 0];
    for (&of_lower, &of_upper) in lower_groups.iter().zip(&upper_groups) {
        let [low, high] =
            [from[0]..from[0] + of_lower as usize, from[1]..from[1] + of_upper as usize];
        from = [low.end, high.end];
        lowers.push(bound_of(&mut b, &lower, (low, Extremum::Greatest), compact));
        uppers.push(bound_of(&mut b, &upper, (high, Extremum::Least), compact));
    }
    let steps: Vec<Value> = steps.iter().map(|&step| arith::constant_index(&mut b, step)).collect();
    let inits: Vec<Value> = reductions
        .iter()
        .zip(&types)
        .map(|(&reduction, &ty)| reduction.identity(&mut b, ty))
        .collect();
    let new = scf::ParallelOp::new(&mut b, &lowers, &uppers, &steps, &inits)
        .result_group(&types)
        .region(region)
        .build(&mut b);
    copy_marks(ir, op, new);
    let results = ir.results(new).to_vec();
    ir.replace_op(op, &results);
    Ok(())
}

/// One bound for each dimension, where each has so many of the results.
pub(crate) fn bounds(
    b: &mut Builder<'_>,
    value: &AffineValue,
    groups: &[i64],
    which: Extremum,
) -> Vec<Value> {
    let mut from = 0;
    let mut found = Vec::new();
    for &size in groups {
        let results = from..from + size as usize;
        from = results.end;
        found.push(bound_of(b, value, (results, which), true));
    }
    found
}

/// The least or greatest of some of a map's results.
fn bound_of(
    b: &mut Builder<'_>,
    value: &AffineValue,
    (results, which): (std::ops::Range<usize>, Extremum),
    compact: bool,
) -> Value {
    let of_dimension = value.results(&b.ctx)[results].to_vec();
    let values: Vec<Value> =
        of_dimension.into_iter().map(|result| expand(b, result, value, compact)).collect();
    extremum(b, &values, which)
}

fn lower_if(ir: &mut Ir, view: affine::AffineIfOp, compact: bool) {
    let op = view.op();
    let Some(condition) = view.condition(ir) else { return };
    let set = ir.ctx.set_data(condition).clone();
    let types: Vec<_> = ir.result_types(op).collect();
    let operands: Vec<Value> = ir.operands(op).collect();
    let exprs: Vec<AffineExpr> = set.constraints.iter().map(|&(expr, _)| expr).collect();
    let map = ir.ctx.map(set.dims, set.symbols, &exprs);
    let value = AffineValue::new(map, &operands);
    let [then, other] = [0, 1].map(|i| {
        let region = ir.region(op, i);
        take_region(ir, region, scf_yield)
    });
    let mut b = Builder::before(ir, op);
    let zero = arith::constant_index(&mut b, 0);
    let mut holds: Option<Value> = None;
    for (&expr, &(_, equality)) in exprs.iter().zip(&set.constraints) {
        let left = expand(&mut b, expr, &value, compact);
        let predicate = match equality {
            true => arith::CmpIPredicate::Eq,
            false => arith::CmpIPredicate::Sge,
        };
        let predicate = predicate.attr(&mut b.ctx);
        let one = arith::CmpIOp::new(&mut b, left, zero)
            .attr(&mut b, "predicate", predicate)
            .value(&mut b);
        holds = Some(match holds {
            Some(so_far) => arith::AndIOp::new(&mut b, so_far, one).value(&mut b),
            None => one,
        });
    }
    let holds = holds.unwrap_or_else(|| arith::constant_bool(&mut b, true));
    let new =
        scf::IfOp::new(&mut b, holds).result_group(&types).region(then).region(other).build(&mut b);
    let results = ir.results(new).to_vec();
    ir.replace_op(op, &results);
}

fn lower_access(ir: &mut Ir, op: Op, compact: bool) {
    let stores = affine::AffineStoreOp::is(ir, op) || affine::AffineVectorStoreOp::is(ir, op);
    let first = if stores { 2 } else { 1 };
    let Some(map) = ir.attr(op, "map").and_then(|attr| ir.ctx.map_value(attr)) else { return };
    let operands: Vec<Value> = ir.operands(op).collect();
    let subscripts = AffineValue::new(map, &operands[first..]);
    let types: Vec<_> = ir.result_types(op).collect();
    let is_async = ir.attr(op, nvvm::ASYNC);
    let hints = ["isWrite", "localityHint", "isDataCache"].map(|name| (name, ir.attr(op, name)));
    let mut b = Builder::before(ir, op);
    let indices = expand_all(&mut b, &subscripts, compact);
    let results = match b.name(op) {
        affine::AffineLoadOp::NAME => {
            vec![memref::LoadOp::new(&mut b, operands[0], &indices).value(&mut b)]
        }
        affine::AffineStoreOp::NAME => {
            let store = memref::StoreOp::new(&mut b, operands[0], operands[1], &indices);
            store.attr_option(&mut b, nvvm::ASYNC, is_async).build(&mut b);
            Vec::new()
        }
        affine::AffineVectorLoadOp::NAME => {
            let load = vector::LoadOp::new(&mut b, operands[0], &indices).result(types[0]);
            vec![load.value(&mut b)]
        }
        affine::AffineVectorStoreOp::NAME => {
            let store = vector::StoreOp::new(&mut b, operands[0], operands[1], &indices);
            store.attr_option(&mut b, nvvm::ASYNC, is_async).build(&mut b);
            Vec::new()
        }
        _ => {
            let mut prefetch = memref::PrefetchOp::new(&mut b, operands[0], &indices);
            for (name, attr) in hints {
                if let Some(attr) = attr {
                    prefetch = prefetch.attr(&mut b, name, attr);
                }
            }
            prefetch.build(&mut b);
            Vec::new()
        }
    };
    ir.replace_op(op, &results);
}

/// A buffer and its subscripts as values.
fn expand_place(
    b: &mut Builder<'_>,
    (buffer, subscripts): &(Value, AffineValue),
    compact: bool,
) -> memref::DmaPlace {
    (*buffer, expand_all(b, subscripts, compact))
}

fn lower_dma_start(ir: &mut Ir, view: affine::AffineDmaStartOp, compact: bool) {
    let (parts, counts) = (view.parts(ir), view.counts(ir));
    let ([source, dest, tag], Some((&elements, strides))) = (&parts[..], counts.split_first())
    else {
        return;
    };
    let mut b = Builder::before(ir, view.op());
    let source = expand_place(&mut b, source, compact);
    let dest = expand_place(&mut b, dest, compact);
    let tag = expand_place(&mut b, tag, compact);
    let transfer = memref::Transfer { source, dest, elements, tag, strides: strides.to_vec() };
    let operands = memref::DmaStartOp::operands_of(&transfer);
    memref::DmaStartOp::new(&mut b, &operands).build(&mut b);
    ir.erase_op(view.op());
}

fn lower_dma_wait(ir: &mut Ir, view: affine::AffineDmaWaitOp, compact: bool) {
    let Some(tag) = view.parts(ir).into_iter().next() else { return };
    let Some(count) = ir.operands(view.op()).last() else { return };
    let mut b = Builder::before(ir, view.op());
    let (buffer, subscripts) = expand_place(&mut b, &tag, compact);
    memref::DmaWaitOp::new(&mut b, buffer, &subscripts, count).build(&mut b);
    ir.erase_op(view.op());
}

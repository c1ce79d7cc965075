//! `affine`: loops, conditions, accesses and maps.

use gpuc_dialects::affine::{self, AffineValue};
use gpuc_dialects::memref::ATOMIC_RMW_KINDS;
use gpuc_ir::{AffineMap, Op, Value};

use super::combine::Combine;
use super::memory::{read_row, row_length, write_row};
use super::scf::{enter, nest, next_for, next_iteration};
use super::thread_loop;
use super::{Family, Handler, Step, done, leave, nothing};
use crate::fiber::{Flow, State};
use crate::interpreter::{Fault, Interpreter};
use crate::names;
use crate::nest::trip_count;
use crate::value::{Int, RtValue};

pub(super) const OPS: Family = &[
    (affine::AffineForOp::NAME, Handler::regions(start_for, next_for)),
    (affine::AffineIfOp::NAME, Handler::regions(conditional, done)),
    (affine::AffineParallelOp::NAME, Handler::regions(start_parallel, next_parallel)),
    (affine::AffineYieldOp::NAME, Handler::leaf(leave)),
    (affine::AffineLoadOp::NAME, Handler::leaf(load)),
    (affine::AffineStoreOp::NAME, Handler::leaf(store)),
    (affine::AffineVectorLoadOp::NAME, Handler::leaf(load_vector)),
    (affine::AffineVectorStoreOp::NAME, Handler::leaf(store_vector)),
    (affine::AffinePrefetchOp::NAME, Handler::leaf(nothing)),
    (affine::AffineDmaStartOp::NAME, Handler::leaf(dma_start)),
    (affine::AffineDmaWaitOp::NAME, Handler::leaf(nothing)),
    (affine::AffineApplyOp::NAME, Handler::leaf(apply)),
    (affine::AffineMinOp::NAME, Handler::leaf(|m, op| extremum(m, op, Ord::min))),
    (affine::AffineMaxOp::NAME, Handler::leaf(|m, op| extremum(m, op, Ord::max))),
    (affine::AffineDelinearizeIndexOp::NAME, Handler::leaf(delinearize)),
];

/// Results of a map at operands.
fn evaluate(
    m: &Interpreter<'_>,
    op: Op,
    map: AffineMap,
    operands: impl IntoIterator<Item = Value>,
) -> Result<Vec<i64>, Fault> {
    let operands = m.indices(op, operands)?;
    m.ir.ctx.eval_map(map, &operands).ok_or_else(|| {
        m.error(
            op,
            "undefined behaviour: an affine expression overflows or divides by zero or less",
        )
    })
}

fn value(m: &Interpreter<'_>, op: Op, value: &AffineValue) -> Result<Vec<i64>, Fault> {
    evaluate(m, op, value.map, value.operands.iter().copied())
}

/// Results of the operation's attribute `map` at its operands from `first` on.
fn mapped(m: &Interpreter<'_>, op: Op, first: usize) -> Result<Vec<i64>, Fault> {
    let map = names::attr(m.ir, op, m.names.map).and_then(|attr| m.ir.ctx.map_value(attr));
    let Some(map) = map else { return Err(m.error(op, "has no map")) };
    evaluate(m, op, map, m.ir.operands(op).skip(first))
}

fn start_for(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = affine::AffineForOp(op);
    let lower = value(m, op, &view.lower_bound(m.ir))?.into_iter().max();
    let upper = value(m, op, &view.upper_bound(m.ir))?.into_iter().min();
    let (Some(lower), Some(upper)) = (lower, upper) else {
        return Err(m.error(op, "has a bound without results"));
    };
    let step = view.step_value(m.ir);
    let remaining = trip_count(lower.into(), upper.into(), step.into());
    let carried = m.get_all(view.inits(m.ir))?;
    let state = State::For { next: Int::index(lower), remaining, step: Int::index(step) };
    next_for(m, op, state, carried)
}

fn conditional(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = affine::AffineIfOp(op);
    let operands = m.indices(op, m.ir.operands(op))?;
    let set = view.condition(m.ir);
    match set.and_then(|set| m.ir.ctx.eval_set(set, &operands)) {
        Some(inside) => enter(m, op, usize::from(!inside), Vec::new(), State::Once),
        None => Err(m.error(op, "undefined behaviour: its condition has no value")),
    }
}

/// The bounds of the dimensions: of each the best of its group of results.
fn bounds(results: &[i64], groups: &[i64], best: fn(i64, i64) -> i64) -> Option<Vec<i64>> {
    let mut rest = results;
    let mut bounds = Vec::with_capacity(groups.len());
    for &size in groups {
        let (group, others) = rest.split_at_checked(usize::try_from(size).ok()?)?;
        bounds.push(group.iter().copied().reduce(best)?);
        rest = others;
    }
    Some(bounds)
}

fn reductions(m: &Interpreter<'_>, op: Op) -> Result<Vec<Combine>, Fault> {
    let kinds = affine::AffineParallelOp(op).reductions(m.ir);
    let kinds = kinds.and_then(|attr| m.ir.ctx.array_value(attr)).unwrap_or_default();
    let combine = |&kind| {
        let number = ATOMIC_RMW_KINDS.number(&m.ir.ctx, kind)?;
        Combine::from_keyword(&ATOMIC_RMW_KINDS.keywords(number))
    };
    let combines: Option<Vec<Combine>> = kinds.iter().map(combine).collect();
    combines.ok_or_else(|| m.error(op, "has no valid reduction"))
}

fn start_parallel(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = affine::AffineParallelOp(op);
    let lower = value(m, op, &view.lower_bounds(m.ir))?;
    let upper = value(m, op, &view.upper_bounds(m.ir))?;
    let lower = bounds(&lower, &view.lower_groups(m.ir), Ord::max);
    let upper = bounds(&upper, &view.upper_groups(m.ir), Ord::min);
    let (Some(lower), Some(upper)) = (lower, upper) else {
        return Err(m.error(op, "has bounds that do not fit its groups"));
    };
    let (first, step) = (lower.clone(), view.step_values(m.ir));
    let nest = nest(m, op, lower, &upper, step.clone(), m.options.order)?;
    if let Some(mapping) = thread_loop::with_barriers(m, op) {
        return thread_loop::run(m, op, &mapping, nest, &first, &step);
    }
    let ctx = &m.ir.ctx;
    let mut accumulators = Vec::new();
    for (combine, ty) in reductions(m, op)?.into_iter().zip(m.ir.result_types(op)) {
        let example = match (ctx.int_or_index_width(ty), ctx.float_kind(ty)) {
            (Some(width), _) if width <= 128 => Some(RtValue::Int(Int::new(0, width))),
            (_, Some(kind)) if crate::value::is_supported(kind) => {
                Some(RtValue::Float(crate::value::Float::new(0.0, kind)))
            }
            _ => None,
        };
        let identity = example.and_then(|example| combine.identity(&example));
        accumulators.push(identity.ok_or_else(|| m.error(op, "reduces what is no number"))?);
    }
    next_iteration(m, op, nest, accumulators)
}

fn next_parallel(m: &mut Interpreter<'_>, op: Op, state: State, values: Vec<RtValue>) -> Step {
    let State::Nest { nest, mut accumulators } = state else {
        return Err(m.error(op, "is no nest of loops"));
    };
    let combines = reductions(m, op)?;
    for ((accumulator, value), combine) in accumulators.iter_mut().zip(&values).zip(combines) {
        *accumulator = combine.apply(m, op, accumulator, value)?;
    }
    next_iteration(m, op, nest, accumulators)
}

fn load(m: &mut Interpreter<'_>, op: Op) -> Step {
    let indices = mapped(m, op, 1)?;
    let value = m.load(op, m.ir.operand(op, 0), &indices)?;
    m.set_result(op, value)
}

fn store(m: &mut Interpreter<'_>, op: Op) -> Step {
    let indices = mapped(m, op, 2)?;
    let value = m.operand(op, 0)?.clone();
    m.store(op, m.ir.operand(op, 1), &indices, &value)?;
    Ok(Flow::Next)
}

const ONE_DIMENSION: &str = "can be executed for vectors of one dimension only";

fn load_vector(m: &mut Interpreter<'_>, op: Op) -> Step {
    let memref = m.ir.operand(op, 0);
    let Some(count) = row_length(m, m.ir.ty(m.ir.result(op, 0)), m.ir.ty(memref)) else {
        return Err(m.error(op, ONE_DIMENSION));
    };
    let indices = mapped(m, op, 1)?;
    let value = read_row(m, op, memref, &indices, count)?;
    m.set_result(op, value)
}

fn store_vector(m: &mut Interpreter<'_>, op: Op) -> Step {
    let (vector, memref) = (m.ir.operand(op, 0), m.ir.operand(op, 1));
    if row_length(m, m.ir.ty(vector), m.ir.ty(memref)).is_none() {
        return Err(m.error(op, ONE_DIMENSION));
    }
    let indices = mapped(m, op, 2)?;
    let value = m.get(vector)?.clone();
    write_row(m, op, memref, &indices, &value)?;
    Ok(Flow::Next)
}

fn apply(m: &mut Interpreter<'_>, op: Op) -> Step {
    match *mapped(m, op, 0)? {
        [result] => m.set_result(op, RtValue::index(result)),
        _ => Err(m.error(op, "has a map without exactly one result")),
    }
}

fn extremum(m: &mut Interpreter<'_>, op: Op, best: fn(i64, i64) -> i64) -> Step {
    match mapped(m, op, 0)?.into_iter().reduce(best) {
        Some(result) => m.set_result(op, RtValue::index(result)),
        None => Err(m.error(op, "has a map without results")),
    }
}

fn delinearize(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = affine::AffineDelinearizeIndexOp(op);
    let mut rest = m.index(op, view.linear_index(m.ir))?;
    let basis = m.indices(op, view.basis(m.ir))?;
    if basis.iter().skip(1).any(|&extent| extent <= 0) {
        return Err(m.error(op, "undefined behaviour: an extent is zero or less"));
    }
    let mut indices = vec![0; basis.len()];
    for d in (0..basis.len()).rev() {
        // The outermost extent does not bound the first subscript.
        indices[d] = if d == 0 { rest } else { rest.rem_euclid(basis[d]) };
        if d > 0 {
            rest = rest.div_euclid(basis[d]);
        }
    }
    m.set_results(op, indices.into_iter().map(RtValue::index).collect())
}

/// A transfer is done at once: who waits for it finds it done.
fn dma_start(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = affine::AffineDmaStartOp(op);
    let parts = view.parts(m.ir);
    let counts = view.counts(m.ir);
    let ([source, dest, _], [elements]) = (&parts[..], &counts[..]) else {
        return Err(m.error(op, "is executed without strides only"));
    };
    let elements = m.index(op, *elements)?;
    let (from, to) = (value(m, op, &source.1)?, value(m, op, &dest.1)?);
    transfer(m, op, (source.0, &from), (dest.0, &to), elements)
}

/// Copies elements that follow each other in row-major order, from the subscripts on.
pub(super) fn transfer(
    m: &mut Interpreter<'_>,
    op: Op,
    (source, from): (Value, &[i64]),
    (dest, to): (Value, &[i64]),
    elements: i64,
) -> Step {
    let place = |m: &Interpreter<'_>, buffer: Value, at: &[i64]| {
        let sizes = m.memref(op, buffer)?.sizes.to_vec();
        let number =
            at.iter().zip(&sizes).fold(0i128, |sum, (&i, &n)| sum * i128::from(n) + i128::from(i));
        Ok::<_, Fault>((sizes, number))
    };
    let ((from_sizes, from), (to_sizes, to)) = (place(m, source, from)?, place(m, dest, to)?);
    for i in 0..elements {
        let value = m.load(op, source, &unflattened(from + i128::from(i), &from_sizes))?;
        m.store(op, dest, &unflattened(to + i128::from(i), &to_sizes), &value)?;
    }
    Ok(Flow::Next)
}

/// The subscripts of a row-major number; the first one is beyond its extent where the number is beyond the last element.
fn unflattened(number: i128, sizes: &[i64]) -> Vec<i64> {
    let mut rest = number;
    let mut indices = vec![0; sizes.len()];
    for (d, &size) in sizes.iter().enumerate().skip(1).rev() {
        let size = i128::from(size.max(1));
        indices[d] = (rest % size) as i64;
        rest /= size;
    }
    if let Some(first) = indices.first_mut() {
        *first = i64::try_from(rest).unwrap_or(i64::MAX);
    }
    indices
}

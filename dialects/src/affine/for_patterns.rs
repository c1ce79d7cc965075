//! Folding and canonicalisation of `affine.for`.

use gpuc_ir::op::Fold;
use gpuc_ir::rewrite::{Pattern, Rewriter};
use gpuc_ir::{Attr, Ir, Op, OpView, Value};

use super::apply::{build_affine_value, extremum_of};
use super::bound::AffineValue;
use super::compose::compose;
use super::for_loop::AffineForOp;
use super::terminators::AffineYieldOp;
use crate::scf::inline::{inline_before, is_outside};

pub(super) const FOR: &[Pattern] = &[
    Pattern { name: "for-without-iterations", apply: drop_empty_range },
    Pattern { name: "for-with-empty-body", apply: drop_empty_body },
    Pattern { name: "for-with-one-iteration", apply: inline_single_iteration },
];

/// Bounds composed with what computes their operands, results that are there twice dropped.
pub(super) fn fold_for(ir: &mut Ir, op: Op, _: &[Option<Attr>]) -> Fold {
    let view = AffineForOp(op);
    if view.lowerBoundMap(ir).is_none() || view.upperBoundMap(ir).is_none() {
        return Fold::None;
    }
    let (mut lower, mut upper) = (view.lower_bound(ir), view.upper_bound(ir));
    let mut changed = false;
    for (bound, better) in
        [(&mut lower, Ord::max as fn(i64, i64) -> i64), (&mut upper, Ord::min as _)]
    {
        changed |= compose(ir, bound);
        let results = bound.results(&ir.ctx).to_vec();
        let simplified = extremum_of(ir, &results, better);
        if simplified != results {
            let data = ir.ctx.map_data(bound.map);
            let (dims, symbols) = (data.dims, data.symbols);
            bound.map = ir.ctx.map(dims, symbols, &simplified);
            compose(ir, bound);
            changed = true;
        }
    }
    if changed {
        view.set_bounds(ir, &lower, &upper);
        return Fold::InPlace;
    }
    Fold::None
}

/// No iteration: the results are the initial values.
fn drop_empty_range(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = AffineForOp(op);
    if view.constant_trip_count(rw) != Some(0) {
        return false;
    }
    let inits = view.inits(rw);
    rw.replace(op, &inits);
    true
}

/// A loop that computes nothing: its results come from outside or are carried through.
fn drop_empty_body(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = AffineForOp(op);
    let body = view.body(rw);
    if rw.first_op(body) != rw.last_op(body) {
        return false;
    }
    let (inits, carried, yields) = (view.inits(rw), view.carried(rw).to_vec(), view.yielded(rw));
    let runs = view.constant_trip_count(rw).is_some_and(|count| count > 0);
    let mut results: Vec<Value> = Vec::new();
    for (i, &value) in yields.iter().enumerate() {
        if carried.get(i) == Some(&value) {
            results.push(inits[i]);
        } else if runs && is_outside(rw, value, op) {
            results.push(value);
        } else {
            return false;
        }
    }
    if results.len() != rw.results(op).len() {
        return false;
    }
    rw.replace(op, &results);
    true
}

fn inline_single_iteration(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = AffineForOp(op);
    let body = view.body(rw);
    let ends = rw.last_op(body).is_some_and(|end| AffineYieldOp::is(rw, end));
    let lower: AffineValue = view.lower_bound(rw);
    if view.constant_trip_count(rw) != Some(1) || !ends {
        return false;
    }
    let mut arguments = vec![build_affine_value(&mut rw.before(op), lower)];
    arguments.extend(view.inits(rw));
    let results = inline_before(rw, body, op, &arguments);
    rw.replace(op, &results);
    true
}

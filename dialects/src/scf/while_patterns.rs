//! Canonicalisation of `scf.while`.

use gpuc_ir::Op;
use gpuc_ir::rewrite::{Pattern, Rewriter};

use super::inline::{drop_arguments, inline_before, is_outside, kept, replace_kept, take_region};
use super::while_loop::WhileOp;
use crate::arith::{constant_bool, constant_int_value};

pub(super) const WHILE: &[Pattern] = &[
    Pattern { name: "while-never", apply: run_once },
    Pattern { name: "while-known-inside", apply: propagate_condition },
    Pattern { name: "while-needless-inits", apply: drop_inits },
    Pattern { name: "while-needless-results", apply: drop_results },
];

/// A condition that is never true: the first region runs once.
fn run_once(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = WhileOp(op);
    if constant_int_value(rw, view.condition_op(rw).condition(rw)) != Some(0) {
        return false;
    }
    let inits = view.inits(rw);
    let block = rw.body(op, 0);
    let handed = inline_before(rw, block, op, &inits);
    rw.replace(op, &handed[1..]);
    true
}

/// Where the condition itself is handed over, it is known: true in the second region, false behind
/// the loop.
fn propagate_condition(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = WhileOp(op);
    let end = view.condition_op(rw);
    let condition = end.condition(rw);
    let after = rw.body(op, 1);
    let mut changed = false;
    for (i, value) in end.args(rw).into_iter().enumerate() {
        if value != condition {
            continue;
        }
        for (receiver, known) in [(rw.arguments(after)[i], true), (rw.result(op, i), false)] {
            if !rw.is_unused(receiver) {
                let known = constant_bool(&mut rw.before(op), known);
                rw.replace_uses(receiver, known);
                changed = true;
            }
        }
    }
    changed
}

/// Builds the loop anew without some of what it starts with and of what it hands over. Neither may
/// be used any more.
fn rebuild(rw: &mut Rewriter<'_>, op: Op, keep_inits: &[bool], keep_results: &[bool]) {
    let view = WhileOp(op);
    let (before, after) = (rw.body(op, 0), rw.body(op, 1));
    let condition = view.condition_op(rw);
    let mut handed = vec![condition.condition(rw)];
    handed.extend(kept(&condition.args(rw), keep_results));
    rw.set_operands(condition.0, &handed);
    let end = view.yield_op(rw);
    let yielded = kept(&end.results(rw), keep_inits);
    rw.set_operands(end.0, &yielded);
    drop_arguments(rw, before, 0, keep_inits);
    drop_arguments(rw, after, 0, keep_results);
    let inits = kept(&view.inits(rw), keep_inits);
    let results = rw.results(op).to_vec();
    let types: Vec<_> =
        kept(&results, keep_results).into_iter().map(|value| rw.ty(value)).collect();
    let regions = [0, 1].map(|i| {
        let region = rw.region(op, i);
        take_region(rw, region)
    });
    let attrs = rw.attrs(op);
    let mut b = rw.before(op);
    let build = WhileOp::new(&mut b, &inits).result_group(&types);
    let new = build.region(regions[0]).region(regions[1]).build(&mut b);
    rw.set_attrs(new, attrs);
    replace_kept(rw, op, new, keep_results);
}

/// Drops what the loop carries around unchanged, and what the first region does not read.
fn drop_inits(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = WhileOp(op);
    let inits = view.inits(rw);
    let carried = rw.arguments(rw.body(op, 0)).to_vec();
    let received = rw.arguments(rw.body(op, 1)).to_vec();
    let handed = view.condition_op(rw).args(rw);
    let yielded = view.yield_op(rw).results(rw);
    let mut keep = vec![true; inits.len()];
    for i in 0..inits.len() {
        // Through the first region and the second it stays what it was.
        let around =
            received.iter().position(|&v| v == yielded[i]).is_some_and(|j| handed[j] == carried[i]);
        let unchanged = around || yielded[i] == carried[i] || yielded[i] == inits[i];
        if unchanged {
            rw.replace_uses(carried[i], inits[i]);
        }
        keep[i] = !rw.is_unused(carried[i]);
    }
    if keep.iter().all(|&keep| keep) {
        return false;
    }
    let keep_results = vec![true; rw.results(op).len()];
    rebuild(rw, op, &keep, &keep_results);
    true
}

/// Drops what is handed over but comes from outside, and what nobody receives.
fn drop_results(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = WhileOp(op);
    let handed = view.condition_op(rw).args(rw);
    let received = rw.arguments(rw.body(op, 1)).to_vec();
    let results = rw.results(op).to_vec();
    let mut keep = vec![true; results.len()];
    for i in 0..results.len() {
        if is_outside(rw, handed[i], op) {
            rw.replace_uses(received[i], handed[i]);
            rw.replace_uses(results[i], handed[i]);
        }
        keep[i] = !(rw.is_unused(received[i]) && rw.is_unused(results[i]));
    }
    if keep.iter().all(|&keep| keep) {
        return false;
    }
    let keep_inits = vec![true; view.inits(rw).len()];
    rebuild(rw, op, &keep_inits, &keep);
    true
}

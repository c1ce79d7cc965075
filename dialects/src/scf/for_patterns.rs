//! Canonicalisation of `scf.for`.

use gpuc_ir::Op;
use gpuc_ir::rewrite::{Pattern, Rewriter};

use super::for_loop::ForOp;
use super::inline::{drop_arguments, inline_before, is_outside, kept, replace_kept, take_region};

pub(super) const FOR: &[Pattern] = &[
    Pattern { name: "for-with-known-iterations", apply: simplify_trivial },
    Pattern { name: "for-with-needless-values", apply: drop_carried },
];

/// No iteration: the initial values. One: the body. Any number of an empty body that yields values
/// from outside: those.
fn simplify_trivial(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = ForOp(op);
    let Some(count) = view.constant_trip_count(rw) else { return false };
    let inits = view.initArgs(rw);
    let body = view.body(rw);
    match count {
        0 => {
            rw.replace(op, &inits);
            true
        }
        1 => {
            let mut arguments = vec![view.lowerBound(rw)];
            arguments.extend(inits);
            let yielded = inline_before(rw, body, op, &arguments);
            rw.replace(op, &yielded);
            true
        }
        _ => {
            let end = view.terminator(rw);
            let yielded: Vec<_> = rw.operands(end).collect();
            let from_outside = yielded.iter().all(|&value| is_outside(rw, value, op));
            if rw.first_op(body) != Some(end) || yielded.is_empty() || !from_outside {
                return false;
            }
            rw.replace(op, &yielded);
            true
        }
    }
}

/// Drops carried values that never change, and those that nobody reads.
fn drop_carried(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = ForOp(op);
    let inits = view.initArgs(rw);
    let carried = view.iter_args(rw).to_vec();
    let results = rw.results(op).to_vec();
    let end = view.terminator(rw);
    let yielded: Vec<_> = rw.operands(end).collect();
    let mut keep = vec![true; inits.len()];
    for i in 0..inits.len() {
        let unchanged = yielded[i] == carried[i] || yielded[i] == inits[i];
        let unread = rw.is_unused(carried[i]) && rw.is_unused(results[i]);
        keep[i] = !(unchanged || unread);
        if unchanged {
            rw.replace_uses(carried[i], inits[i]);
            rw.replace_uses(results[i], inits[i]);
        }
    }
    if keep.iter().all(|&keep| keep) {
        return false;
    }
    let yielded: Vec<_> = rw.operands(end).collect();
    rw.set_operands(end, &kept(&yielded, &keep));
    let body = view.body(rw);
    drop_arguments(rw, body, 1, &keep);
    let (lower, upper, step) = (view.lowerBound(rw), view.upperBound(rw), view.step(rw));
    let types: Vec<_> = kept(&results, &keep).into_iter().map(|value| rw.ty(value)).collect();
    let (region, attrs) = (take_region(rw, view.region(rw)), rw.attrs(op));
    let mut b = rw.before(op);
    let build = ForOp::new(&mut b, lower, upper, step, &kept(&inits, &keep));
    let new = build.result_group(&types).region(region).build(&mut b);
    rw.set_attrs(new, attrs);
    replace_kept(rw, op, new, &keep);
    true
}

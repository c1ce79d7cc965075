//! Canonicalisation of `scf.parallel`.

use gpuc_ir::rewrite::{Pattern, Rewriter};
use gpuc_ir::{Ir, Op};

use super::for_loop::trip_count;
use super::inline::{drop_arguments, inline_before, kept, replace_kept, take_region};
use super::parallel::ParallelOp;
use crate::arith::constant_index_value;
use crate::offload::SCHEDULE_ATTR;
use crate::offload::mapping::MAPPING_ATTR;

pub(super) const PARALLEL: &[Pattern] =
    &[Pattern { name: "parallel-with-known-iterations", apply: simplify_dimensions }];

/// Iterations of each dimension, where they are known.
fn trip_counts(ir: &Ir, op: Op) -> Vec<Option<u128>> {
    let view = ParallelOp(op);
    let constant = |value| constant_index_value(ir, value);
    let bounds = view.lowerBound(ir).into_iter().zip(view.upperBound(ir)).zip(view.step(ir));
    bounds
        .map(|((lower, upper), step)| {
            if lower == upper {
                return Some(0);
            }
            let step = constant(step).filter(|&step| step > 0)?;
            trip_count(constant(lower)?.into(), constant(upper)?.into(), step.into())
        })
        .collect()
}

/// A dimension without iterations: the initial values. Dimensions with one iteration go, and with
/// the last of them the loop.
fn simplify_dimensions(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = ParallelOp(op);
    // Who executes the one iteration of a dimension is not for simplification to change.
    if rw.attr(op, MAPPING_ATTR).is_some() {
        return false;
    }
    let counts = trip_counts(rw, op);
    if counts.contains(&Some(0)) {
        let inits = view.initVals(rw);
        rw.replace(op, &inits);
        return true;
    }
    let keep: Vec<_> = counts.iter().map(|&count| count != Some(1)).collect();
    if keep.iter().all(|&keep| keep) {
        return false;
    }
    if !keep.contains(&true) {
        // What stands in no loop of a `parallel` construct, every gang executes; of a loop, one does.
        if rw.attr(op, SCHEDULE_ATTR).is_some() {
            return false;
        }
        inline_iteration(rw, op);
        return true;
    }
    let (lower, upper, step) = (view.lowerBound(rw), view.upperBound(rw), view.step(rw));
    let variables = view.induction_vars(rw).to_vec();
    for (i, &variable) in variables.iter().enumerate().filter(|&(i, _)| !keep[i]) {
        rw.replace_uses(variable, lower[i]);
    }
    let body = view.body(rw);
    drop_arguments(rw, body, 0, &keep);
    let types: Vec<_> = rw.result_types(op).collect();
    let (inits, attrs) = (view.initVals(rw), rw.attrs(op));
    let region = take_region(rw, view.region(rw));
    let mut b = rw.before(op);
    let bounds = [lower, upper, step].map(|values| kept(&values, &keep));
    let build = ParallelOp::new(&mut b, &bounds[0], &bounds[1], &bounds[2], &inits);
    let new = build.result_group(&types).region(region).build(&mut b);
    for &(name, attr) in rw.ctx.dict_entries(attrs).to_vec().iter() {
        if rw.ctx.str(name) != "operandSegmentSizes" {
            let name = rw.ctx.str(name).to_owned();
            rw.set_attr(new, &name, attr);
        }
    }
    replace_kept(rw, op, new, &vec![true; types.len()]);
    true
}

/// One iteration in every dimension: its body, then its reductions with the initial values.
fn inline_iteration(rw: &mut Rewriter<'_>, op: Op) {
    let view = ParallelOp(op);
    let (lower, mut results) = (view.lowerBound(rw), view.initVals(rw));
    let reduce = view.reduce_op(rw);
    let reductions: Vec<_> =
        reduce.reductions(rw).iter().filter_map(|&region| rw.entry_block(region)).collect();
    // Before the body goes, with the reductions in its end.
    let body = view.body(rw);
    let operands = reduce.operands(rw);
    let variables = rw.arguments(body).to_vec();
    for (&variable, &bound) in variables.iter().zip(&lower) {
        rw.replace_uses(variable, bound);
    }
    let operands: Vec<_> = (0..operands.len()).map(|i| rw.operand(reduce.0, i)).collect();
    for (i, block) in reductions.into_iter().enumerate() {
        let combined = inline_before(rw, block, reduce.0, &[results[i], operands[i]]);
        results[i] = combined[0];
    }
    inline_before(rw, body, op, &lower);
    rw.replace(op, &results);
}

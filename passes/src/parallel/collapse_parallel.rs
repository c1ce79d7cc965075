//! `collapse-parallel`: perfect nests of parallel loops become one loop of several dimensions.
//!
//! A loop of several dimensions is given a grid and blocks of as many, so that neighbours in every direction share
//! what the cache holds, and no thread does more than its share. Two `affine.parallel` loops become one where
//! nothing but computation stands between them, the inner one's bounds are the same in all iterations of the
//! outer one, and neither the program nor an earlier pass says who executes them. Of the dimensions, the one
//! along which most accesses are consecutive comes last, where `map` gives it to neighbouring threads.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineParallelOp, AffineValue};
use gpuc_dialects::offload::mapping::MAPPING_ATTR;
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{AffineExpr, Ir, Op, OpView, Value, WalkOrder};

use super::schedule::Asked;
use crate::analysis::access::access;
use crate::analysis::slice::is_defined_inside;
use crate::raise::parallel_nest::ParallelNest;
use crate::raise::raise_affine::copy_marks;

gpuc_ir::pass! {
    /// Make one loop of perfect nests of parallel loops.
    CollapseParallel = "collapse-parallel" on "func.func" {}
}

impl Pass for CollapseParallel {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        // Inner loops first: a nest grows from the inside.
        for inner in ir.nested_ops(op, WalkOrder::PostOrder) {
            if let Some(outer) = AffineParallelOp::cast(ir, inner)
                && let Some(inner) = perfect_inner(ir, outer)
            {
                collapse(ir, outer, inner);
            }
        }
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            if let Some(nest) = AffineParallelOp::cast(ir, inner) {
                consecutive_last(ir, nest);
            }
        }
        Ok(())
    }
}

/// Whether who executes a loop is open, and it combines nothing.
fn is_open(ir: &Ir, view: AffineParallelOp) -> bool {
    ir.results(view.op()).is_empty()
        && ir.attr(view.op(), MAPPING_ATTR).is_none()
        && Asked::of(ir, view.op()) == Asked::default()
}

/// The parallel loop that is all a parallel loop does, with bounds that do not depend on it.
fn perfect_inner(ir: &Ir, outer: AffineParallelOp) -> Option<AffineParallelOp> {
    let mut found = None;
    for op in ir.ops(outer.body(ir)) {
        if let Some(inner) = AffineParallelOp::cast(ir, op) {
            if found.replace(inner).is_some() {
                return None;
            }
        } else if !ir.has_trait(op, Traits::TERMINATOR) && !ir.is_effect_free(op) {
            return None;
        }
    }
    let inner = found.filter(|&inner| is_open(ir, inner) && is_open(ir, outer))?;
    ir.operands(inner.op()).all(|value| !is_defined_inside(ir, value, outer.op())).then_some(inner)
}

/// The results of two maps behind each other, over the operands of both.
fn joined(ir: &mut Ir, first: &AffineValue, second: &AffineValue) -> AffineValue {
    let [one, two] = [first, second].map(|value| ir.ctx.map_data(value.map).clone());
    let dims: Vec<AffineExpr> = (0..two.dims).map(|i| ir.ctx.dim_expr(one.dims + i)).collect();
    let symbols: Vec<AffineExpr> =
        (0..two.symbols).map(|i| ir.ctx.symbol_expr(one.symbols + i)).collect();
    let mut results = one.results.to_vec();
    for &result in &two.results {
        results.push(ir.ctx.replace_expr(result, &dims, &symbols));
    }
    let map = ir.ctx.map(one.dims + two.dims, one.symbols + two.symbols, &results);
    let (dims, symbols): (Vec<&[Value]>, Vec<&[Value]>) = [(first, one.dims), (second, two.dims)]
        .into_iter()
        .map(|(value, dims)| value.operands.split_at(dims as usize))
        .unzip();
    AffineValue::new(map, &[dims.concat(), symbols.concat()].concat())
}

/// Makes one loop of two.
fn collapse(ir: &mut Ir, outer: AffineParallelOp, inner: AffineParallelOp) {
    let lower = joined(ir, &outer.lower_bounds(ir), &inner.lower_bounds(ir));
    let upper = joined(ir, &outer.upper_bounds(ir), &inner.upper_bounds(ir));
    let nest = ParallelNest {
        lower: (lower, [outer.lower_groups(ir), inner.lower_groups(ir)].concat()),
        upper: (upper, [outer.upper_groups(ir), inner.upper_groups(ir)].concat()),
        steps: [outer.step_values(ir), inner.step_values(ir)].concat(),
        reductions: Vec::new(),
    };
    let (body, inside) = (outer.body(ir), inner.body(ir));
    for variable in ir.arguments(inside).to_vec() {
        let (ty, location) = (ir.ty(variable), ir.location(inner.op()));
        let moved = ir.add_argument(body, ty, location);
        ir.replace_all_uses(variable, moved);
    }
    for op in ir.ops(inside).collect::<Vec<_>>() {
        if !ir.has_trait(op, Traits::TERMINATOR) {
            ir.move_before(inner.op(), op);
        }
    }
    ir.erase_op(inner.op());
    rebuild(ir, outer, &nest);
}

/// Builds a loop anew round its body.
fn rebuild(ir: &mut Ir, old: AffineParallelOp, nest: &ParallelNest) -> Op {
    let region = ir.create_region();
    ir.move_blocks(old.region(ir), region);
    let new = nest.build(&mut gpuc_ir::Builder::before(ir, old.op()), region);
    copy_marks(ir, old.op(), new);
    ir.erase_op(old.op());
    new
}

/// Brings the dimension along which most accesses are consecutive to the end, unless the last one is as good.
fn consecutive_last(ir: &mut Ir, nest: AffineParallelOp) {
    let variables = nest.induction_vars(ir).to_vec();
    if variables.len() < 2 || !is_open(ir, nest) {
        return;
    }
    let accesses: Vec<_> = ir
        .nested_ops(nest.op(), WalkOrder::PreOrder)
        .into_iter()
        .filter_map(|op| access(ir, op))
        .collect();
    let consecutive = |variable: Value| {
        let along = accesses.iter().filter(|access| {
            let last = access.subscripts.last().and_then(Option::as_ref);
            last.is_some_and(|form| form.plain().coefficient(&[variable]).abs() == 1)
        });
        along.count()
    };
    let counts: Vec<usize> = variables.iter().map(|&variable| consecutive(variable)).collect();
    let last = counts.len() - 1;
    let best = (0..=last).rev().max_by_key(|&dim| (counts[dim], dim)).unwrap_or(last);
    if counts[best] == counts[last] {
        return;
    }
    let mut order: Vec<usize> = (0..=last).filter(|&dim| dim != best).collect();
    order.push(best);
    let permuted = |ir: &mut Ir, value: AffineValue, groups: Vec<i64>| {
        let data = ir.ctx.map_data(value.map).clone();
        let start = |dim: usize| groups[..dim].iter().sum::<i64>() as usize;
        let results: Vec<AffineExpr> = order
            .iter()
            .flat_map(|&dim| data.results[start(dim)..start(dim + 1)].to_vec())
            .collect();
        let map = ir.ctx.map(data.dims, data.symbols, &results);
        let groups = order.iter().map(|&dim| groups[dim]).collect();
        (AffineValue::new(map, &value.operands), groups)
    };
    let (lower, lower_groups) = (nest.lower_bounds(ir), nest.lower_groups(ir));
    let (upper, upper_groups) = (nest.upper_bounds(ir), nest.upper_groups(ir));
    let steps = nest.step_values(ir);
    let permuted = ParallelNest {
        lower: permuted(ir, lower, lower_groups),
        upper: permuted(ir, upper, upper_groups),
        steps: order.iter().map(|&dim| steps[dim]).collect(),
        reductions: Vec::new(),
    };
    let body = nest.body(ir);
    let location = ir.location(nest.op());
    for &dim in &order {
        let ty = ir.ty(variables[dim]);
        let moved = ir.add_argument(body, ty, location);
        ir.replace_all_uses(variables[dim], moved);
    }
    for index in (0..variables.len()).rev() {
        ir.remove_argument(body, index);
    }
    rebuild(ir, nest, &permuted);
}

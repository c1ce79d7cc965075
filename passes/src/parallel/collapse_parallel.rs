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
use indexmap::IndexSet;

use super::schedule::Asked;
use crate::analysis::access::access;
use crate::analysis::slice::is_defined_inside;
use crate::plan::step::Collapse;
use crate::plan::text::Placed;
use crate::plan::{Given, is_planned, names, record};
use crate::raise::parallel_nest::ParallelNest;
use crate::raise::raise_affine::copy_marks;
use crate::steps::refusal::Refusal;

gpuc_ir::pass! {
    /// Make one loop of perfect nests of parallel loops.
    CollapseParallel = "collapse-parallel" on "func.func" {}
}

impl Pass for CollapseParallel {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let given = Given::of(ir, op)?;
        let open = |ir: &Ir, at: Op| given.is_none() || !is_planned(ir, at);
        let mut made: IndexSet<Op> = IndexSet::new();
        // Inner loops first: a nest grows from the inside.
        for inner in ir.nested_ops(op, WalkOrder::PostOrder) {
            if let Some(outer) = AffineParallelOp::cast(ir, inner)
                && open(ir, inner)
                && let Some(inner) = perfect_inner(ir, outer)
            {
                made.insert(collapse(ir, outer, inner));
            }
        }
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            if let Some(nest) = AffineParallelOp::cast(ir, inner)
                && open(ir, inner)
                && let Some(order) = consecutive_last(ir, nest)
            {
                made.insert(reorder(ir, nest, &order));
            }
        }
        for made in made {
            if !ir.is_erased(made) && is_planned(ir, made) {
                let loops = names::of_loop(ir, made);
                record(ir, op, Collapse { loops });
            }
        }
        for (step, placed) in given.iter().flat_map(Given::of_kind::<Collapse>) {
            follow(ir, op, &step, placed)?;
            cx.step(ir, op, &placed.step.to_string());
        }
        Ok(())
    }
}

/// Takes a step of a plan.
fn follow(ir: &mut Ir, func: Op, step: &Collapse, placed: &Placed) -> Result<(), Diagnostic> {
    let refuse = |ir: &Ir, at: Op, rule: &str| {
        let refusal = Refusal::new("collapse-parallel", at, rule);
        placed
            .refused(ir, &refusal.way_round("name all the loops, and only loops that are parallel"))
    };
    let mut loops = Vec::new();
    for name in &step.loops {
        loops.push(placed.find(ir, func, name)?);
    }
    // The one that the others stand in.
    let is_outermost = |&&at: &&Op| loops.iter().all(|&op| op == at || ir.is_inside(op, at));
    let Some(&outermost) = loops.iter().find(is_outermost) else {
        return Err(refuse(ir, loops[0], "the loops do not stand in each other"));
    };
    let mut at = outermost;
    while names::of_loop(ir, at).len() < step.loops.len() {
        let outer = AffineParallelOp::cast(ir, at);
        let Some((outer, inner)) = outer.and_then(|outer| Some((outer, perfect_inner(ir, outer)?)))
        else {
            let rule = "they are not parallel loops that stand directly in each other, with bounds \
                        that do not depend on each other, and that the program leaves open";
            return Err(refuse(ir, at, rule));
        };
        at = collapse(ir, outer, inner);
    }
    let own = names::of_loop(ir, at);
    let order: Option<Vec<usize>> =
        step.loops.iter().map(|name| own.iter().position(|known| known == name)).collect();
    match (order, AffineParallelOp::cast(ir, at)) {
        (Some(order), Some(nest)) if order.len() == own.len() && is_open(ir, nest) => {
            if !order.is_sorted() {
                reorder(ir, nest, &order);
            }
        }
        _ => return Err(refuse(ir, at, "the loops between them are part of the nest, too")),
    }
    record(ir, func, step.clone());
    Ok(())
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

/// Makes one loop of two.
fn collapse(ir: &mut Ir, outer: AffineParallelOp, inner: AffineParallelOp) -> Op {
    let own = [inner.lower_bounds(ir), inner.upper_bounds(ir)];
    let lower = outer.lower_bounds(ir).and(&mut ir.ctx, &own[0]);
    let upper = outer.upper_bounds(ir).and(&mut ir.ctx, &own[1]);
    let nest = ParallelNest {
        lower: (lower, [outer.lower_groups(ir), inner.lower_groups(ir)].concat()),
        upper: (upper, [outer.upper_groups(ir), inner.upper_groups(ir)].concat()),
        steps: [outer.step_values(ir), inner.step_values(ir)].concat(),
        reductions: Vec::new(),
    };
    let (body, inside) = (outer.body(ir), inner.body(ir));
    for variable in ir.arguments(inside).to_vec() {
        let own = ir.value_location(variable);
        let moved = ir.add_argument(body, ir.ty(variable), own);
        ir.replace_all_uses(variable, moved);
    }
    for op in ir.ops(inside).collect::<Vec<_>>() {
        if !ir.has_trait(op, Traits::TERMINATOR) {
            ir.move_before(inner.op(), op);
        }
    }
    ir.erase_op(inner.op());
    rebuild(ir, outer, &nest)
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

/// The order of dimensions in which the one along which most accesses are consecutive is the last one;
/// `None` where the last one is as good.
fn consecutive_last(ir: &Ir, nest: AffineParallelOp) -> Option<Vec<usize>> {
    let variables = nest.induction_vars(ir).to_vec();
    if variables.len() < 2 || !is_open(ir, nest) {
        return None;
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
        return None;
    }
    let mut order: Vec<usize> = (0..=last).filter(|&dim| dim != best).collect();
    order.push(best);
    Some(order)
}

/// Puts the dimensions of a loop into another order.
fn reorder(ir: &mut Ir, nest: AffineParallelOp, order: &[usize]) -> Op {
    let variables = nest.induction_vars(ir).to_vec();
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
    for &dim in order {
        let variable = variables[dim];
        let own = ir.value_location(variable);
        let moved = ir.add_argument(body, ir.ty(variable), own);
        ir.replace_all_uses(variables[dim], moved);
    }
    for index in (0..variables.len()).rev() {
        ir.remove_argument(body, index);
    }
    rebuild(ir, nest, &permuted)
}

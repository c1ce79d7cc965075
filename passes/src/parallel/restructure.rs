//! `restructure`: gives loop nests the order in which most of them runs in parallel.
//!
//! Needs affine loops of compute regions whose order is the compiler's to choose: all of a `kernels`
//! region that ask for no levels, and those with [`AUTO_ATTR`](gpuc_dialects::offload::AUTO_ATTR); and
//! runs before `recognize-parallel`, which then finds what it left. Statements are distributed,
//! loops permuted and skewed to wavefronts by one schedule ([`crate::steps`]), which
//! [`super::nest_plan`] searches. A nest that has the same parallelism as it is stays as it is,
//! and nothing is done without a proof. Nests that a sequential loop runs one after the other become one
//! where that saves launches ([`nest_fusion`](super::nest_fusion)). Where only pointers could make mapped variables overlap, the
//! region is made twice, as in `recognize-parallel`.

use std::rc::Rc;

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::RegionOp;
use gpuc_ir::pass::{Analysis, Pass, PassContext};
use gpuc_ir::{Ir, Op, OpView, Value, WalkOrder};
use gpuc_presburger::Var;
use indexmap::IndexSet;

use super::nest_fusion::{Fusion, fusions};
use super::nest_plan::{self, FEWEST_TRIPS, Plan, ScheduleRow};
use super::nest_products;
use super::nest_sides;
use crate::analysis::access;
use crate::analysis::loops::may_have;
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::Apart;
use crate::analysis::nest::graph::DependenceGraph;
use crate::plan::text::Placed;
use crate::plan::{Given, Step, names, record, step};
use crate::raise::row_guard::Guard;
use crate::steps::fuse::gather;
use crate::steps::legality::Legal;
use crate::steps::planned;
use crate::steps::promised;
use crate::steps::rebuild::{rebuild, rebuild_where};
use crate::steps::refusal::Refusal;
use crate::steps::relayout::{self, Layout, Relayout};
use crate::steps::statements::Statements;
use crate::steps::{self, free_loops};
use crate::steps::{strip, unroll_jam};
use crate::versions::{Unassuming, in_fallback};

gpuc_ir::pass! {
    /// Reorder loop nests so that most of them runs in parallel.
    Restructure = "restructure" on "func.func" {}
}

const STEP: &str = "restructure";

/// A nest that has a better order.
struct Better {
    graph: Rc<DependenceGraph>,
    statements: Statements,
    plan: Plan,
}

impl Pass for Restructure {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let mut nest = cx.analysis::<Nest>(ir, op);
        let given = Given::of(ir, op)?;
        let beginning = Given::take_beginning(ir, op)?;
        let mut changed = false;
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            let Some(region) = RegionOp::cast(ir, inner) else { continue };
            if in_fallback(ir, inner) {
                continue;
            }
            if let Some(given) = &given {
                changed |= !follow(ir, op, region, given, cx)?.is_empty();
                continue;
            }
            // Nests whose order is asked for have no other one; nor are they made one with others.
            let mut asked = IndexSet::new();
            if let Some(beginning) = &beginning {
                asked = follow(ir, op, region, beginning, cx)?;
                changed |= !asked.is_empty();
                nest = Rc::new(Nest::compute(ir, op));
            }
            let better = better_orders(ir, &nest, region, &asked);
            let fused = match better.is_empty() && asked.is_empty() {
                true => fusions(ir, &nest, region, &free_loops(ir, region)),
                false => Vec::new(),
            };
            if better.is_empty() && fused.is_empty() {
                continue;
            }
            changed = true;
            let kept = Unassuming::keep(ir, inner);
            let mut assumed = Assumed::default();
            let reordered = !better.is_empty();
            for each in better {
                match lay_out(ir, op, region, each, &mut assumed, cx) {
                    Ok(each) => apply(ir, op, each, &mut assumed, cx),
                    Err(refusal) => cx.report(refusal.remark(ir)),
                }
            }
            let fused = match reordered && asked.is_empty() {
                true => fusions(ir, &Nest::compute(ir, op), region, &free_loops(ir, region)),
                false => fused,
            };
            for each in fused {
                fuse(ir, op, each, &mut assumed, cx);
            }
            kept.require_all(ir, &assumed.apart, &assumed.holds, inner);
        }
        if !changed {
            cx.preserve_all();
        }
        Ok(())
    }
}

/// What new orders assume of a region.
#[derive(Default)]
struct Assumed {
    /// Buffers that do not overlap.
    apart: IndexSet<(Value, Value)>,
    /// What holds of numbers.
    holds: Guard,
}

/// Takes the steps of a plan that are about the order of a region's loops; the names of loops that they
/// speak of.
fn follow(
    ir: &mut Ir,
    func: Op,
    region: RegionOp,
    given: &Given,
    cx: &mut PassContext<'_>,
) -> Result<IndexSet<String>, Diagnostic> {
    let orders = |placed: &&Placed| !planned::roots(&placed.step).is_empty();
    let steps: Vec<&Placed> = given.steps.iter().filter(orders).collect();
    if steps.is_empty() {
        return Ok(IndexSet::new());
    }
    let mut spoken_of = IndexSet::new();
    let kept = Unassuming::keep(ir, region.op());
    let mut assumed = Assumed::default();
    for placed in steps {
        for name in planned::roots(&placed.step) {
            placed.find(ir, func, name)?;
            spoken_of.insert(name.clone());
        }
        let nest = Nest::compute(ir, func);
        if let Step::Layout(step) = &placed.step {
            let found = asked_layout(ir, func, &nest, region, step)
                .map_err(|refusal| placed.refused(ir, &refusal))?;
            assumed.apart.extend(found.apart.iter().copied());
            let said = found.carry_out(ir, func, region);
            cx.step(ir, func, &placed.step.to_string());
            cx.report(said);
            continue;
        }
        let (taken, step) = match &placed.step {
            Step::Strip(step) => {
                let made = strip::take(ir, func, &nest, region, step, &mut assumed.apart)
                    .map_err(|refusal| placed.refused(ir, &refusal))?;
                (made, placed.step.clone())
            }
            Step::UnrollJam(step) => {
                let made = unroll_jam::take(ir, func, &nest, region, step, &mut assumed.apart)
                    .map_err(|refusal| placed.refused(ir, &refusal))?;
                (made, placed.step.clone())
            }
            step => {
                let opened = promised::open(ir, func, &planned::roots(step));
                let nest = match opened.is_empty() {
                    true => nest,
                    false => Nest::compute(ir, func),
                };
                let free = free_loops(ir, region);
                let movable = |op: Op| free.contains(&op);
                let taken = planned::take(ir, func, &nest, step, &movable)
                    .map_err(|refusal| placed.refused(ir, &refusal))?;
                assumed.apart.extend(taken.graph.assumed_apart.iter().copied());
                assumed.holds.extend(taken.holds);
                let step = match step {
                    Step::Distribute(own) if own.to.is_empty() => {
                        with_made(ir, step.clone(), &taken.made)
                    }
                    _ => step.clone(),
                };
                promised::close(ir, func, &step, &taken.made, &opened);
                (taken.made, step)
            }
        };
        match &step {
            Step::Permute(step) => spoken_of.extend(step.loops.iter().cloned()),
            Step::Distribute(step) => spoken_of.extend(step.to.iter().cloned()),
            Step::Fuse(step) => {
                spoken_of.insert(step.to.clone());
            }
            _ => {}
        }
        record(ir, func, step.clone());
        cx.step(ir, func, &step.to_string());
        let place = taken.first().filter(|&&op| !ir.is_erased(op));
        let place = place.and_then(|&op| ir.ctx.place(ir.location(op)));
        let text = format!("Loop nest reordered by the plan: {step}");
        cx.report(Diagnostic::remark(text).at_option(place));
    }
    kept.require_all(ir, &assumed.apart, &assumed.holds, region.op());
    Ok(spoken_of)
}

/// The layout of an array that a plan asks for.
fn asked_layout(
    ir: &Ir,
    func: Op,
    nest: &Nest,
    region: RegionOp,
    step: &step::Layout,
) -> Result<Relayout, Refusal> {
    let refuse = |rule: String| Refusal::new("layout", region.op(), rule);
    let root = names::find(ir, func, &step.nest)
        .ok_or_else(|| refuse(format!("there is no loop '{}'", step.nest)))?;
    let accesses = nest.accesses(root).unwrap_or_default();
    let array =
        accesses.iter().map(|each| each.root).find(|&root| access::name(ir, root) == step.array);
    let array = array
        .ok_or_else(|| refuse(format!("'{}' touches no array '{}'", step.nest, step.array)))?;
    let layout = Layout::of_forms(&step.rows).ok_or_else(|| {
        refuse("one dimension is the last, and the others, in their order, are themselves and a multiple of it".to_owned())
    })?;
    Relayout::of(ir, nest, region.op(), root, array, &layout)
}

/// The nests of a region that have a better order than they are written in; not those with loops that are spoken of.
fn better_orders(ir: &Ir, nest: &Nest, region: RegionOp, asked: &IndexSet<String>) -> Vec<Better> {
    let free = free_loops(ir, region);
    let (mut found, mut done) = (Vec::new(), IndexSet::new());
    for &root in &free {
        // A nest is taken apart from its outermost loop on.
        if ir.ancestors(root).any(|outer| done.contains(&outer)) {
            continue;
        }
        let inside = ir.nested_ops(root, WalkOrder::PreOrder);
        if !asked.is_empty()
            && inside.into_iter().any(|op| names::of_loop(ir, op).iter().any(|n| asked.contains(n)))
        {
            done.insert(root);
            continue;
        }
        // What is parallel outside is left, and found to be so with less effort, unless loops inside could be
        // part of the grid.
        let Some(waits) = nest.waits(ir, root) else {
            done.insert(root);
            continue;
        };
        let is_parallel = !waits;
        if is_parallel && !is_scattered(ir, nest, root, &free) {
            done.insert(root);
            found.extend(apart(ir, nest, root, &free));
            continue;
        }
        let Ok(graph) = nest.graph(ir, &[root], Apart::Assumed) else { continue };
        let movable = |op: Op| free.contains(&op);
        let Ok(statements) = Statements::of(ir, STEP, &graph, &movable) else { continue };
        done.insert(root);
        let better = better_order(ir, graph, statements);
        // Statements apart cost a launch each, and move what they hand to each other: for a grid of more than
        // one dimension.
        let is_grid = |better: &Better| {
            !is_parallel || !better.plan.has_groups() || better.plan.fewest_outer() >= 2
        };
        found.extend(better.filter(is_grid));
    }
    found
}

/// The order of a parallel nest in which parts of it are nests of their own, if that is better: products beside other things, else inner
/// loops of which one touches an array across its threads.
fn apart(ir: &Ir, nest: &Nest, root: Op, free: &IndexSet<Op>) -> Option<Better> {
    let products = nest_products::may_be(ir, root);
    let sides = nest_sides::may_be(ir, root, free);
    if !products && !sides {
        return None;
    }
    let graph = nest.graph(ir, &[root], Apart::Assumed).ok()?;
    let statements = Statements::of(ir, STEP, &graph, &|op| free.contains(&op)).ok()?;
    let of_products = || products.then(|| nest_products::apart(ir, nest, &statements)).flatten();
    let of_sides = || sides.then(|| nest_sides::apart(ir, nest, &statements)).flatten();
    let plan = of_products().or_else(of_sides)?;
    Some(Better { graph, statements, plan })
}

/// Whether a loop holds a sequential one, and that one a parallel one that is worth a dimension of the grid: a
/// product that is summed up row by row.
fn is_scattered(ir: &Ir, nest: &Nest, outer: Op, free: &IndexSet<Op>) -> bool {
    let inside = |outer: Op| free.iter().filter(move |&&inner| ir.parent_op(inner) == Some(outer));
    let carries = |op: Op| nest.waits(ir, op) == Some(true);
    let is_dimension = |op: Op| may_have(ir, op, FEWEST_TRIPS) && !carries(op);
    inside(outer).any(|&inner| match carries(inner) {
        true => inside(inner).any(|&innermost| is_dimension(innermost)),
        false => is_scattered(ir, nest, inner, free),
    })
}

fn better_order(ir: &Ir, graph: Rc<DependenceGraph>, statements: Statements) -> Option<Better> {
    let (plan, written) = nest_plan::best(ir, &statements, &graph)?;
    let better = plan.improves_on(&written, &statements);
    better.then_some(Better { graph, statements, plan })
}

/// Lays arrays out anew that neighbouring threads of a wavefront would touch in different rows.
fn lay_out(
    ir: &mut Ir,
    func: Op,
    region: RegionOp,
    better: Better,
    assumed: &mut Assumed,
    cx: &mut PassContext<'_>,
) -> Result<Better, Refusal> {
    let Some(rows) = better.plan.wavefront() else { return Ok(better) };
    let nest = Nest::compute(ir, func);
    let found = relayout::for_wavefront(ir, &nest, region.op(), &better.statements, &rows);
    if found.is_empty() {
        return Ok(better);
    }
    let root = better.statements.roots[0];
    for each in found {
        assumed.apart.extend(each.apart.iter().copied());
        let said = each.carry_out(ir, func, region);
        cx.report(said);
    }
    // The accesses are others now, of the same iterations.
    let nest = Nest::compute(ir, func);
    let free = free_loops(ir, region);
    let graph = steps::graph(ir, &nest, STEP, &[root], Apart::Assumed)?;
    let statements = Statements::of(ir, STEP, &graph, &|op| free.contains(&op))?;
    Ok(Better { graph, statements, plan: better.plan })
}

fn apply(ir: &mut Ir, func: Op, better: Better, assumed: &mut Assumed, cx: &mut PassContext<'_>) {
    let Better { graph, statements, plan } = better;
    let said = describe(ir, &statements, &plan);
    let schedule = plan.schedule(&statements);
    let step = planned::worded(ir, &statements, &graph, &schedule);
    let done = Legal::prove(ir, STEP, &statements, &graph, schedule)
        .and_then(|legal| rebuild(ir, STEP, legal));
    match done {
        Ok(made) => {
            planned::name_made(ir, &step, &made);
            names::renew(ir, func);
            record(ir, func, with_made(ir, step, &made));
            assumed.apart.extend(graph.assumed_apart.iter().copied());
            said.into_iter().for_each(|remark| cx.report(remark));
        }
        Err(refusal) => cx.report(refusal.remark(ir)),
    }
}

/// Makes one nest of several.
fn fuse(ir: &mut Ir, func: Op, fusion: Fusion, assumed: &mut Assumed, cx: &mut PassContext<'_>) {
    let Fusion { graph, statements, schedule, depth } = fusion;
    let place = |ir: &Ir, op: Op| ir.ctx.place(ir.location(op));
    let lines: Vec<String> = statements
        .roots
        .iter()
        .map(|&root| place(ir, root).map_or(0, |place| place.line).to_string())
        .collect();
    let at = place(ir, statements.roots[0]);
    let step = planned::worded(ir, &statements, &graph, &schedule);
    let mut holds = Guard::default();
    let done = Legal::prove(ir, STEP, &statements, &graph, schedule).and_then(|legal| {
        gather(ir, STEP, &statements.roots)?;
        rebuild_where(ir, STEP, legal, &mut holds)
    });
    if let Err(refusal) = done {
        cx.report(refusal.remark(ir));
        return;
    }
    names::renew(ir, func);
    record(ir, func, step);
    assumed.apart.extend(graph.assumed_apart.iter().copied());
    let loops = if depth == 1 { "loop" } else { "loops" };
    let condition = match holds.holds_always() {
        true => String::new(),
        false => {
            let tested = holds.display(|value| access::describe(ir, value));
            format!(" if {tested}, tested at run time: two versions made")
        }
    };
    assumed.holds.extend(holds);
    let lines = lines.join(",");
    let text = format!("Loops fused: lines {lines} are one nest of {depth} {loops}{condition}");
    cx.report(Diagnostic::remark(text).at_option(at));
}

/// A step with the names of the loops that it has made.
fn with_made(ir: &Ir, step: Step, made: &[Op]) -> Step {
    match step {
        Step::Distribute(mut step) => {
            let loops = made.iter().filter(|&&op| ir.is_counted_loop(op));
            step.to = loops.map(|&op| names::of(ir, op)).collect();
            step.into()
        }
        other => other,
    }
}

/// What is done to a nest, a remark for each kind of change.
fn describe(ir: &Ir, statements: &Statements, plan: &Plan) -> Vec<Diagnostic> {
    let place = |op: Op| ir.ctx.place(ir.location(op));
    let line = |op: Op| place(op).map_or(0, |place| place.line).to_string();
    let mut said = Vec::new();
    let mut groups = IndexSet::new();
    let mut reordered = IndexSet::new();
    for (&statement, levels) in &plan.levels {
        let loops = &statements.list[statement].loops;
        let numbers: Vec<i64> = levels
            .iter()
            .filter_map(|level| match level {
                ScheduleRow::Group(number) => Some(*number),
                ScheduleRow::Loop(..) | ScheduleRow::Left(_) => None,
            })
            .collect();
        groups.insert(numbers);
        let mut order = Vec::new();
        for level in levels {
            let ScheduleRow::Loop(form, _) = level else { continue };
            let counted: Vec<(usize, i64)> = form
                .terms()
                .filter_map(|(var, factor)| match var {
                    Var::Dim(index) => Some((index, factor)),
                    _ => None,
                })
                .collect();
            match counted[..] {
                [ref skewed @ .., (inner, _)] if !skewed.is_empty() => {
                    let list = |each: Vec<String>| each.join(",");
                    let factors = skewed.iter().map(|(_, factor)| factor.to_string()).collect();
                    let lines = counted.iter().map(|&(index, _)| line(loops[index])).collect();
                    let text = format!(
                        "Loop skewed by {}: the wavefront goes over lines {}",
                        list(factors),
                        list(lines)
                    );
                    reordered.insert((loops[inner], text));
                    order.push(inner);
                }
                [(index, _)] => order.push(index),
                _ => {}
            }
        }
        order.extend((0..loops.len()).filter(|index| !order.contains(index)).collect::<Vec<_>>());
        let skewed = reordered.iter().any(|(op, _)| loops.contains(op));
        if !skewed && !order.is_sorted() {
            let lines: Vec<String> = order.iter().map(|&index| line(loops[index])).collect();
            let text =
                format!("Loop interchange produces reordered loop nest: {}", lines.join(","));
            reordered.insert((loops[order[0]], text));
        }
    }
    if groups.len() > 1 {
        let text = format!("Loop distributed: {} new loops", groups.len());
        said.push(Diagnostic::remark(text).at_option(place(statements.roots[0])));
    }
    let remark = |(op, text): (Op, String)| Diagnostic::remark(text).at_option(place(op));
    said.extend(reordered.into_iter().map(remark));
    said
}

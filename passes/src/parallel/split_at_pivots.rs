//! `split-at-pivots`: loops that a single iteration holds up are cut there.
//!
//! Needs affine loops of `kernels` regions. In elimination and in the closure of paths, all iterations of an inner
//! loop depend on the one whose number is the outer loop's variable, the pivot, and on no other: `a[i][j]` on
//! `a[k][j]`. The loop becomes one up to there, the pivot's iteration, and one from there on, neither of which carries
//! a dependence. Iterations stay in their order, which no dependence forbids. Left alone is what
//! [`restructure`](super::restructure) finds a grid with one sequential loop outside for as it is, and a loop
//! with a dependence that goes past the pivot. Griebl, Feautrier and Lengauer, *Index set splitting*, 2000.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::AffineForOp;
use gpuc_dialects::offload::RegionOp;
use gpuc_ir::pass::{Analysis, Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueMap, WalkOrder};
use gpuc_presburger::{Affine, Constraint, Var};

use super::nest_plan::Search;
use crate::analysis::loops::{CountedLoop, candidates, dimensions};
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::{Apart, Wanted};
use crate::analysis::nest::graph::{DependenceGraph, Edge};
use crate::analysis::polynomial::Polynomial;
use crate::plan::step::{self, Step};
use crate::plan::{Given, names, record};
use crate::raise::affine_operands::AffineOperands;
use crate::raise::raise_affine::copy_marks;
use crate::steps::free;
use crate::steps::legality::Order;
use crate::steps::normalize::promote;
use crate::steps::refusal::{Refusal, Witness};
use crate::steps::statements::Statements;
use crate::versions::in_fallback;

gpuc_ir::pass! {
    /// Cut loops at the iteration that the others depend on.
    SplitAtPivots = "split-at-pivots" on "func.func" {
        /// Whether to say why other loops that carry a dependence are not cut.
        explain: bool = false,
    }
}

const STEP: &str = "split-at-pivots";

/// How often loops inside loops that were cut are looked at.
const MOST_ROUNDS: usize = 3;

/// A loop and the one whose variable is the number of the iteration to cut it at.
#[derive(Clone, Copy)]
struct Cut {
    cut: AffineForOp,
    pivot: AffineForOp,
}

impl Pass for SplitAtPivots {
    fn run(&mut self, ir: &mut Ir, func: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        if let Some(given) = Given::of(ir, func)? {
            return follow(ir, func, &given, cx);
        }
        let mut changed = false;
        for round in 0..MOST_ROUNDS {
            let nest = match round {
                0 => cx.analysis::<Nest>(ir, func),
                _ => Nest::compute(ir, func).into(),
            };
            let explain = self.explain && round == 0;
            let cuts = find(ir, func, &nest, &mut |refusal: Refusal, ir: &Ir| {
                if explain {
                    cx.report(refusal.remark(ir));
                }
            });
            if cuts.is_empty() {
                break;
            }
            for each in cuts {
                let place = ir.ctx.place(ir.location(each.cut.op()));
                let [name, at] = [each.cut, each.pivot].map(|view| names::of(ir, view.op()));
                if cut(ir, each).is_none() {
                    continue;
                }
                changed = true;
                let text = format!("Loop split at {at}, the iteration that the others depend on");
                cx.report(Diagnostic::remark(text).at_option(place));
                record(ir, func, step::Split { name, at });
                names::renew(ir, func);
            }
        }
        if !changed {
            cx.preserve_all();
        }
        Ok(())
    }
}

/// Takes the cuts that a plan names.
fn follow(
    ir: &mut Ir,
    func: Op,
    given: &Given,
    cx: &mut PassContext<'_>,
) -> Result<(), Diagnostic> {
    let mut changed = false;
    for placed in &given.steps {
        let Step::Split(step) = &placed.step else { continue };
        let [op, outer] = [placed.find(ir, func, &step.name)?, placed.find(ir, func, &step.at)?];
        let refuse = |ir: &Ir, rule: String| {
            Err(placed.refused(ir, &Refusal::new(placed.step.word(), op, rule)))
        };
        let views = (AffineForOp::cast(ir, op), AffineForOp::cast(ir, outer));
        let (Some(view), Some(pivot)) = views else {
            return refuse(ir, "it is no affine loop".to_owned());
        };
        if !ir.is_inside(op, outer) || op == outer {
            return refuse(ir, format!("'{}' does not stand in '{}'", step.name, step.at));
        }
        if !free(ir, op) || cut(ir, Cut { cut: view, pivot }).is_none() {
            return refuse(ir, "it has no step of 1 and bounds without quotients".to_owned());
        }
        changed = true;
        record(ir, func, placed.step.clone());
        cx.step(ir, func, &placed.step.to_string());
        names::renew(ir, func);
    }
    if !changed {
        cx.preserve_all();
    }
    Ok(())
}

/// The loops of a function's `kernels` regions to be cut, none in another. `refused` hears of others that carry a
/// dependence.
fn find(ir: &Ir, func: Op, nest: &Nest, refused: &mut dyn FnMut(Refusal, &Ir)) -> Vec<Cut> {
    let mut found: Vec<Cut> = Vec::new();
    for region in ir.nested_ops(func, WalkOrder::PreOrder) {
        let Some(region) = RegionOp::cast(ir, region).filter(|each| !in_fallback(ir, each.op()))
        else {
            continue;
        };
        let movable: Vec<Op> =
            candidates(ir, region).into_iter().filter(|&op| free(ir, op)).collect();
        let is_root =
            |&op: &Op| !movable.iter().any(|&outer| op != outer && ir.is_inside(op, outer));
        for root in movable.iter().copied().filter(is_root) {
            // What is parallel outside needs no more.
            let carries = nest.carried(ir, root, Apart::Assumed, Wanted::Any);
            let inner = ir.nested_ops(root, WalkOrder::PreOrder);
            let inner: Vec<Op> = inner.into_iter().filter(|op| movable.contains(op)).collect();
            if inner.len() < 2 || !carries.is_ok_and(|carries| carries.dependence.is_some()) {
                continue;
            }
            let Ok(graph) = nest.graph(ir, &[root], Apart::Assumed) else { continue };
            let mut cuts: Vec<Cut> = Vec::new();
            for &op in &inner[1..] {
                if cuts.iter().any(|each| ir.is_inside(op, each.cut.op())) {
                    continue;
                }
                let pivots = ir.ancestors(op).filter(|&outer| {
                    inner.contains(&outer) && ir.is_inside(op, outer) && op != outer
                });
                match pivot_of(ir, &graph, op, pivots) {
                    Ok(Some(cut)) => cuts.push(cut),
                    Ok(None) => {}
                    Err(refusal) => refused(refusal, ir),
                }
            }
            if !cuts.is_empty() && is_worth_it(ir, &graph, &movable) {
                found.extend(cuts);
            }
        }
    }
    found
}

/// Whether the best order of a nest as it is has one thread execute it all, or several loops round its launches.
fn is_worth_it(ir: &Ir, graph: &DependenceGraph, free: &[Op]) -> bool {
    let movable = |op: Op| free.contains(&op);
    let Ok(statements) = Statements::of(ir, STEP, graph, &movable) else { return false };
    let orders: Option<Vec<Order<'_>>> =
        graph.edges.iter().map(|edge| Order::of(ir, &statements, edge)).collect();
    let best = orders.and_then(|orders| Search::new(&statements).best(orders));
    best.is_none_or(|(plan, _)| !plan.is_least(&statements))
}

/// How a loop is cut so that its parts carry nothing; `None` where it carries nothing, or is not of the kind.
///
/// # Errors
/// A dependence that goes past each pivot.
fn pivot_of(
    ir: &Ir,
    graph: &DependenceGraph,
    op: Op,
    pivots: impl Iterator<Item = Op>,
) -> Result<Option<Cut>, Refusal> {
    let Some(view) = AffineForOp::cast(ir, op) else { return Ok(None) };
    let variable = view.induction_var(ir);
    let edges: Vec<&Edge> = graph.carried_by(variable).collect();
    if edges.is_empty() {
        return Ok(None);
    }
    let mut past = None;
    for pivot in pivots.filter_map(|outer| AffineForOp::cast(ir, outer)) {
        let number = pivot.induction_var(ir);
        match edges.iter().find(|edge| !is_through(edge, variable, number)) {
            None => return Ok(Some(Cut { cut: view, pivot })),
            Some(edge) => past = past.or(Some(*edge)),
        }
    }
    match past {
        None => Ok(None),
        Some(edge) => Err(Refusal {
            step: STEP,
            rule: "iterations depend on each other past every pivot".to_owned(),
            at: Some(op),
            witness: Some(Witness::new(edge, None)),
            limit: None,
            way_round: None,
        }),
    }
}

/// Whether one end of a dependence, at least, is in the iteration of `variable` whose number is `pivot`.
fn is_through(edge: &Edge, variable: Value, pivot: Value) -> bool {
    let place = |value: Value| edge.loops.iter().position(|&each| each == value);
    let (Some(known), Some(own), Some(outer)) = (&edge.known, place(variable), place(pivot)) else {
        return false;
    };
    let inputs = known.relation().space().inputs();
    let beyond = |first: usize| {
        let dim = |index: usize| Affine::from(Var::Dim(first + index));
        let distance = dim(own) - dim(outer);
        [Constraint::ge(distance.clone(), 1), Constraint::le(distance, -1)]
    };
    known.relation().pieces().iter().all(|piece| {
        beyond(0).iter().all(|source| {
            beyond(inputs).iter().all(|sink| {
                let mut piece = piece.clone();
                let narrowed = piece.add(source).and_then(|()| piece.add(sink));
                matches!(narrowed.and_then(|()| piece.is_empty()), Ok(true))
            })
        })
    })
}

/// Makes three loops of one: before, at, and behind the pivot. `None`, with nothing changed, where the loop's bounds
/// have no closed form.
fn cut(ir: &mut Ir, Cut { cut: view, pivot }: Cut) -> Option<()> {
    let op = view.op();
    let [own] = &dimensions(ir, op)[..] else { return None };
    let [outer] = &dimensions(ir, pivot.op())[..] else { return None };
    if !own.complete || own.step != Some(1) || !ir.results(op).is_empty() {
        return None;
    }
    let at = Polynomial::value(outer.variable);
    let behind = at.plus(&Polynomial::constant(1), 1)?;
    let and = |bounds: &[Polynomial], more: &Polynomial| {
        let mut all = bounds.to_vec();
        all.push(more.clone());
        all
    };
    // Where the pivot is sure to be one of the iterations, it is the only bound.
    let (to, from) = match is_among(own, outer) {
        true => (vec![at.clone()], vec![behind.clone()]),
        false => (and(&own.upper, &at), and(&own.lower, &behind)),
    };
    let middle = match is_among(own, outer) {
        true => (vec![at], vec![behind]),
        false => (and(&own.lower, &at), and(&own.upper, &behind)),
    };
    let parts = [(own.lower.clone(), to), middle, (from, own.upper.clone())];
    let mut operands = AffineOperands::default();
    let mut maps = Vec::new();
    for (lower, upper) in &parts {
        maps.push((operands.map(ir, op, lower)?, operands.map(ir, op, upper)?));
    }
    let step = ir.ctx.index_attr(1);
    for (lower, upper) in maps {
        let copy = ir.clone_op(op, &mut ValueMap::new());
        ir.insert_before(op, copy);
        let region = ir.create_region();
        ir.move_blocks(ir.region(copy, 0), region);
        let (lower_map, upper_map) = (ir.ctx.map_attr(lower.map), ir.ctx.map_attr(upper.map));
        let mut b = Builder::before(ir, op);
        let part = AffineForOp::new(&mut b, &lower.operands, &upper.operands, &[])
            .attr(&mut b, "lowerBoundMap", lower_map)
            .attr(&mut b, "upperBoundMap", upper_map)
            .attr(&mut b, "step", step)
            .region(region)
            .build(&mut b);
        copy_marks(ir, op, part);
        ir.erase_op(copy);
        promote(ir, AffineForOp(part));
    }
    ir.erase_op(op);
    Some(())
}

/// Whether every number of the outer loop's variable is one of the inner's: their bounds say so.
fn is_among(own: &CountedLoop, outer: &CountedLoop) -> bool {
    let reaches = |a: &Polynomial, b: &Polynomial| {
        a.plus(b, -1).and_then(|form| form.as_constant()).is_some_and(|distance| distance >= 0)
    };
    own.lower.iter().all(|low| outer.lower.iter().any(|first| reaches(first, low)))
        && own.upper.iter().all(|high| outer.upper.iter().any(|last| reaches(high, last)))
}

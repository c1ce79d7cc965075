//! `affine-split`: a loop is cut at the one iteration that all that it carries goes through.
//!
//! Needs an affine loop of a compute region whose order is the compiler's to choose. In the update of
//! Floyd and Warshall, `p[i][j] = min(p[i][j], p[i][k] + p[k][j])`, rows depend on row `k` alone, and row `k` on those
//! above it: the loop over `i` becomes those up to `k`, row `k`, and those from `k + 1` on, and none of the three
//! carries anything. Iterations stay in their order, so that nothing has to be proven. Done where every
//! dependence that the loop carries has an end in an iteration that the loops round it tell, and no loop carries
//! a scalar; not where another order of the nest has a grid behind one sequential loop already. After Griebl, Feautrier and Lengauer, *Index set splitting*, 2000.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineForOp, AffineValue};
use gpuc_dialects::offload::RegionOp;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueMap, WalkOrder};
use indexmap::{IndexMap, IndexSet};

use super::nest_plan::{self, FEWEST_TRIPS};
use crate::analysis::loops::may_have;
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::Apart;
use crate::analysis::nest::graph::Edge;
use crate::analysis::polynomial::Polynomial;
use crate::analysis::quasi_affine::QuasiAffine;
use crate::analysis::slice::is_defined_inside;
use crate::plan::step::{self, Form};
use crate::plan::{Given, names, record};
use crate::raise::affine_operands::AffineOperands;
use crate::steps::free_loops;
use crate::steps::refusal::{Refusal, Witness};
use crate::steps::statements::Statements;
use crate::versions::in_fallback;

gpuc_ir::pass! {
    /// Cut loops at the iteration that all they carry goes through.
    AffineSplit = "affine-split" on "func.func" {
        /// Operations of a loop that is copied, at most.
        operations: usize = 200,
        /// Whether to say why other loops are not cut.
        explain: bool = false,
    }
}

const STEP: &str = "affine-split";

impl Pass for AffineSplit {
    fn run(&mut self, ir: &mut Ir, func: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let given = Given::of(ir, func)?;
        let mut changed = false;
        for inner in ir.nested_ops(func, WalkOrder::PreOrder) {
            let Some(region) = RegionOp::cast(ir, inner).filter(|_| !in_fallback(ir, inner)) else {
                continue;
            };
            changed |= match &given {
                Some(given) => follow(ir, func, region, given, cx)?,
                None => self.split_all(ir, func, region, cx),
            };
        }
        if !changed {
            cx.preserve_all();
        }
        Ok(())
    }
}

impl AffineSplit {
    /// Inner loops first: they are cut once, before there are copies of them.
    fn split_all(&self, ir: &mut Ir, func: Op, region: RegionOp, cx: &mut PassContext<'_>) -> bool {
        let mut nest = cx.analysis::<Nest>(ir, func);
        let mut changed = false;
        let free = free_loops(ir, region);
        // Asked once for each nest, as it was, and only where there is something to cut.
        let mut stay: IndexMap<Op, bool> = IndexMap::new();
        for &op in free.iter().rev() {
            let Some(view) = AffineForOp::cast(ir, op) else { continue };
            let place = match self.place(ir, &nest, view) {
                Ok(Some(place)) => place,
                Ok(None) => continue,
                Err(refusal) => {
                    if self.explain {
                        cx.report(refusal.remark(ir));
                    }
                    continue;
                }
            };
            let Some(at) = spoken(ir, &place) else { continue };
            let root = ir.ancestors(op).filter(|outer| free.contains(outer)).last().unwrap_or(op);
            if *stay.entry(root).or_insert_with(|| has_order(ir, &nest, &free, root)) {
                continue;
            }
            let loop_name = names::of(ir, op);
            if !split(ir, view, &place) {
                continue;
            }
            names::renew(ir, func);
            report(ir, op, &at, cx);
            record(ir, func, step::Split { name: loop_name, at });
            nest = cx.analysis_again::<Nest>(ir, func);
            changed = true;
        }
        // The last one is of what it has become, and who comes next asks the same of that.
        cx.preserve::<Nest>();
        changed
    }

    /// Where a loop is to be cut; `None` where it carries nothing, or is too short or too long for that.
    fn place(
        &self,
        ir: &Ir,
        nest: &Nest,
        view: AffineForOp,
    ) -> Result<Option<Polynomial>, Refusal> {
        let (op, variable) = (view.op(), view.induction_var(ir));
        let is_long = ir.nested_ops(op, WalkOrder::PreOrder).len() > self.operations;
        let has_scalars = !view.carried(ir).is_empty();
        if is_long || has_scalars || view.step_value(ir) != 1 {
            return Ok(None);
        }
        if !may_have(ir, op, FEWEST_TRIPS) {
            return Ok(None);
        }
        if nest.waits(ir, op) == Some(false) {
            return Ok(None);
        }
        let Ok(graph) = nest.graph(ir, &[op], Apart::Assumed) else { return Ok(None) };
        let mut common: Option<Vec<Polynomial>> = None;
        for edge in graph.carried_by(variable) {
            let ends = ends(ir, op, variable, edge);
            let left = match common.take() {
                Some(known) => known.into_iter().filter(|place| ends.contains(place)).collect(),
                None => ends,
            };
            if left.is_empty() {
                let rule = "a dependence that it carries goes through no one iteration";
                let witness = Some(Witness::new(edge, None));
                return Err(Refusal { witness, ..Refusal::new(STEP, op, rule) });
            }
            common = Some(left);
        }
        Ok(common.and_then(|places| places.into_iter().next()))
    }
}

/// Whether a nest carries something and has a grid behind one sequential loop, at most, in another order.
fn has_order(ir: &Ir, nest: &Nest, free: &IndexSet<Op>, root: Op) -> bool {
    let plan = || {
        nest.waits(ir, root).filter(|&waits| waits)?;
        let graph = nest.graph(ir, &[root], Apart::Assumed).ok()?;
        let movable = |op: Op| free.contains(&op);
        let statements = Statements::of(ir, STEP, &graph, &movable).ok()?;
        let (plan, _) = nest_plan::best(ir, &statements, &graph)?;
        Some(plan.is_least(&statements))
    };
    plan() == Some(true)
}

/// The iterations of the loop that one end of a dependence is always in: where a subscript of one end counts
/// the loop's variable, and that of the other does not change in the loop.
fn ends(ir: &Ir, op: Op, variable: Value, edge: &Edge) -> Vec<Polynomial> {
    let (source, sink) = (&edge.source, &edge.sink);
    let same = source.buffer == sink.buffer && source.length == 1 && sink.length == 1;
    let mut found = Vec::new();
    for (a, b) in source.subscripts.iter().zip(&sink.subscripts).filter(|_| same) {
        let form = |subscript: &Option<QuasiAffine>| subscript.as_ref()?.as_polynomial().cloned();
        let (Some(a), Some(b)) = (form(a), form(b)) else { continue };
        for (counting, other) in [(&a, &b), (&b, &a)] {
            let coefficient = counting.coefficient(&[variable]);
            if coefficient.abs() != 1 {
                continue;
            }
            // coefficient * variable + rest = other
            let rest = counting.plus(&Polynomial::term(&[variable], coefficient), -1);
            let place = rest
                .and_then(|rest| other.plus(&rest, -1))
                .and_then(|place| Polynomial::default().plus(&place, coefficient));
            let stays = |place: &Polynomial| {
                place.values().into_iter().all(|value| !is_defined_inside(ir, value, op))
            };
            found.extend(place.filter(stays));
        }
    }
    found
}

/// A place by the names of the loops round the one that is cut; `None` where it has other terms.
fn spoken(ir: &Ir, place: &Polynomial) -> Option<Form> {
    let mut form = Form { terms: Vec::new(), constant: place.constant_term() };
    for value in place.values() {
        let owner = ir.value_block(value).and_then(|block| ir.block_op(block))?;
        let view = AffineForOp::cast(ir, owner)?;
        let coefficient = place.coefficient(&[value]);
        if view.induction_var(ir) != value || coefficient == 0 {
            return None;
        }
        form.terms.push((names::of(ir, owner), coefficient));
    }
    place.is_affine().then_some(form)
}

/// Cuts a loop into the iterations in front of `place`, the one there, and those behind it, as far as there may
/// be any; whether it could be told.
fn split(ir: &mut Ir, view: AffineForOp, place: &Polynomial) -> bool {
    let op = view.op();
    let Some(next) = place.plus(&Polynomial::constant(1), 1) else { return false };
    let mut operands = AffineOperands::default();
    let [Some(at), Some(behind)] =
        [place, &next].map(|form| operands.map(ir, op, std::slice::from_ref(form)))
    else {
        return false;
    };
    let (lower, upper) = (view.lower_bound(ir), view.upper_bound(ir));
    let starts = lower.constant_value(&ir.ctx).zip(place.as_constant());
    let ends = upper.constant_value(&ir.ctx).zip(next.as_constant());
    let before = |ir: &mut Ir, lower: &AffineValue, upper: &AffineValue| {
        let mut b = Builder::before(ir, op);
        let copy = b.clone_op(op, &mut ValueMap::new());
        b.insert(copy);
        AffineForOp(copy).set_bounds(ir, lower, upper);
    };
    let [to_place, from_place, to_next, from_next] = [
        upper.and(&mut ir.ctx, &at),
        lower.and(&mut ir.ctx, &at),
        upper.and(&mut ir.ctx, &behind),
        lower.and(&mut ir.ctx, &behind),
    ];
    if starts.is_none_or(|(start, place)| start < place) {
        before(ir, &lower, &to_place);
    }
    if ends.is_some_and(|(end, next)| end <= next) {
        view.set_bounds(ir, &from_place, &upper);
    } else {
        before(ir, &from_place, &to_next);
        view.set_bounds(ir, &from_next, &upper);
    }
    true
}

/// Takes the steps of a plan that cut loops of a region; whether there are any.
fn follow(
    ir: &mut Ir,
    func: Op,
    region: RegionOp,
    given: &Given,
    cx: &mut PassContext<'_>,
) -> Result<bool, Diagnostic> {
    let mut changed = false;
    for (step, placed) in given.of_kind::<step::Split>() {
        let op = placed.find(ir, func, &step.name)?;
        if !ir.is_inside(op, region.op()) {
            continue;
        }
        let word = placed.step.word();
        let refuse = |ir: &Ir, rule: &str| Err(placed.refused(ir, &Refusal::new(word, op, rule)));
        let is_free = free_loops(ir, region).contains(&op);
        let Some(view) = AffineForOp::cast(ir, op).filter(|_| is_free) else {
            return refuse(ir, "the order of its iterations is not the compiler's to choose");
        };
        if view.step_value(ir) != 1 || !view.carried(ir).is_empty() {
            return refuse(ir, "it does not count by 1, or carries a scalar");
        }
        let mut place = Polynomial::constant(step.at.constant);
        for (name, factor) in &step.at.terms {
            let round = placed.find(ir, func, name)?;
            let Some(outer) = AffineForOp::cast(ir, round).filter(|_| ir.is_inside(op, round))
            else {
                return refuse(ir, &format!("'{}' does not stand in '{name}'", step.name));
            };
            let term = Polynomial::term(&[outer.induction_var(ir)], *factor);
            let Some(sum) = place.plus(&term, 1) else {
                return refuse(ir, "the place overflows 64 bits");
            };
            place = sum;
        }
        if !split(ir, view, &place) {
            return refuse(ir, "the place cannot be told in front of the loop");
        }
        names::renew(ir, func);
        report(ir, op, &step.at, cx);
        record(ir, func, step.clone());
        changed = true;
    }
    Ok(changed)
}

fn report(ir: &Ir, op: Op, at: &Form, cx: &mut PassContext<'_>) {
    let text = format!("Loop split at {at}: what it carries goes through that iteration");
    cx.report(Diagnostic::remark(text).at_option(ir.ctx.place(ir.location(op))));
}

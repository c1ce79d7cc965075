//! `affine-fission`: a loop that carries values and writes memory becomes two, where iterations outside wait for the writes alone.
//!
//! Needs a loop of a compute region that computes sums or other values it carries, and beside that writes elements, of which
//! each does without the other. In `for k: C[k][j] += x * A[i][k]; t += B[k][j] * A[i][k]` rows wait for the updates of `C`, and not for the
//! sum: as loops of their own the two can be distributed ([`distribute`](super::distribute)), and each has the order that is best for it. Done
//! only where the writes are in no circle of dependences with what is left, so that they can stand in a nest of their own.
//! After Allen and Kennedy, *Optimizing compilers for modern architectures*, 2002, §2.4 (loop distribution).

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineForOp, AffineLoadOp, AffineStoreOp};
use gpuc_dialects::offload::RegionOp;
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, InsertPoint, Ir, Op, OpView, Value, ValueMap};
use indexmap::IndexSet;

use super::refusal::{Refusal, Witness};
use super::{Found, change_regions, free_loops, outermost, refuse_untaken};
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::Apart;
use crate::analysis::nest::graph::DependenceGraph;
use crate::analysis::slice::needed_by;
use crate::plan::{Given, names, record, step};
use crate::raise::raise_affine::copy_marks;

gpuc_ir::pass! {
    /// Make two loops of one that carries values and writes memory.
    AffineFission = "affine-fission" on "func.func" {
        /// Whether to say why other loops stay as they are.
        explain: bool = false,
    }
}

const STEP: &str = "affine-fission";

/// A loop that becomes two.
struct Fission {
    looped: AffineForOp,
    /// The writes come behind what the loop carries, which reads what they overwrite.
    is_behind: bool,
}

impl Pass for AffineFission {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let nest = cx.analysis::<Nest>(ir, op);
        let given = Given::of(ir, op)?;
        let steps = given.as_ref().map(Given::of_kind::<step::Fission>);
        let find = |ir: &Ir, region: RegionOp, cx: &mut PassContext<'_>| {
            let asked = |each: &Fission| {
                let name = names::of(ir, each.looped.op());
                steps.as_ref().is_none_or(|steps| steps.iter().any(|(step, _)| step.name == name))
            };
            Ok(self.in_region(ir, &nest, region, &asked, cx))
        };
        change_regions(ir, op, cx, find, |ir, _, each, cx| {
            let at = each.looped.op();
            let text = "What this loop writes and what it computes beside it are two loops";
            cx.report(Diagnostic::remark(text).at_option(ir.ctx.place(ir.location(at))));
            let name = names::of(ir, at);
            record(ir, op, step::Fission { name });
            split(ir, &each);
            names::renew(ir, op);
        })?;
        refuse_untaken(ir, op, STEP, steps.as_ref(), |step| {
            (&step.name, "what it writes could not stand in a nest of its own".to_owned())
        })
    }
}

impl AffineFission {
    /// What is to be made two loops in a region, and what is assumed to be apart for it.
    fn in_region(
        &self,
        ir: &Ir,
        nest: &Nest,
        region: RegionOp,
        asked: &dyn Fn(&Fission) -> bool,
        cx: &mut PassContext<'_>,
    ) -> Found<Fission> {
        let free = free_loops(ir, region);
        let (mut found, mut apart) = (Vec::new(), IndexSet::new());
        for root in outermost(ir, &free) {
            let inside = |&&op: &&Op| op != root && ir.is_inside(op, root);
            let mixed: Vec<AffineForOp> =
                free.iter().filter(inside).filter_map(|&op| mixed(ir, op)).collect();
            if mixed.is_empty() {
                continue;
            }
            let Ok(graph) = nest.graph(ir, &[root], Apart::Assumed) else { continue };
            for looped in mixed {
                match of_loop(ir, &graph, looped) {
                    Ok(Some(fission)) if asked(&fission) => {
                        apart.extend(graph.assumed_apart.iter().copied());
                        found.push(fission);
                    }
                    Ok(_) => {}
                    Err(refusal) if self.explain => cx.report(refusal.remark(ir)),
                    Err(_) => {}
                }
            }
        }
        (found, apart)
    }
}

/// A loop that carries values and has nothing in it but loads, stores and what has no effect, of which some store.
fn mixed(ir: &Ir, op: Op) -> Option<AffineForOp> {
    let view = AffineForOp::cast(ir, op).filter(|view| !view.carried(ir).is_empty())?;
    let plain = |op: Op| {
        let known = AffineLoadOp::is(ir, op) || AffineStoreOp::is(ir, op) || ir.is_effect_free(op);
        known && ir.regions(op).is_empty() || ir.has_trait(op, Traits::TERMINATOR)
    };
    let mut ops = ir.ops(ir.body(op, 0));
    let stores = ir.ops(ir.body(op, 0)).any(|op| AffineStoreOp::is(ir, op));
    (stores && ops.all(plain)).then_some(view)
}

/// Operations in the body of a loop that some of them need, these among them.
fn needed(ir: &Ir, looped: AffineForOp, by: impl Iterator<Item = Op>) -> IndexSet<Op> {
    let body = ir.body(looped.op(), 0);
    needed_by(ir, by, &|op| ir.parent_block(op) == Some(body))
}

/// What the stores of a loop need.
fn needed_by_stores(ir: &Ir, looped: AffineForOp) -> IndexSet<Op> {
    let ops = ir.ops(ir.body(looped.op(), 0));
    needed(ir, looped, ops.filter(|&op| AffineStoreOp::is(ir, op)))
}

/// Whether a loop can and should become two.
///
/// # Errors
/// The dependence that keeps the two together.
fn of_loop(
    ir: &Ir,
    graph: &DependenceGraph,
    looped: AffineForOp,
) -> Result<Option<Fission>, Refusal> {
    let op = looped.op();
    let root = graph.roots[0];
    let by_stores = needed_by_stores(ir, looped);
    let by_values = needed(ir, looped, ir.last_op(ir.body(op, 0)).into_iter());
    // What the loop carries, or what another loop inside the nest has computed, would keep the writes where they are.
    let carried = looped.carried(ir);
    let keeps = |operand: Value| {
        let made = ir.defining_op(operand).filter(|&made| ir.is_inside(made, root));
        carried.contains(&operand) || made.is_some_and(|made| !ir.regions(made).is_empty())
    };
    if by_stores.iter().any(|&each| ir.operands(each).any(keeps)) {
        return Ok(None);
    }
    // A load that both need each of them has; what is outside of the loop has to do with neither alone.
    let writes = |access: Op| by_stores.contains(&access);
    let carries = |access: Op| by_values.contains(&access) || !writes(access);
    let (mut into, mut out_of, mut is_behind) = (None, None, false);
    let (mut writes_wait, mut others_wait) = (IndexSet::new(), IndexSet::new());
    for edge in &graph.edges {
        let (source, sink) = (edge.source.op, edge.sink.op);
        let carriers =
            || edge.loops.iter().copied().filter(|&variable| edge.is_carried_by(variable));
        if writes(source) && writes(sink) {
            writes_wait.extend(carriers());
        }
        if carries(source) && carries(sink) {
            others_wait.extend(carriers());
        }
        if carries(source) && writes(sink) {
            into = into.or(Some(edge));
            is_behind |= ir.parent_op(source) == Some(op);
        }
        if writes(source) && carries(sink) {
            out_of = out_of.or(Some(edge));
        }
    }
    let own = looped.induction_var(ir);
    if !writes_wait.iter().any(|&variable| variable != own && !others_wait.contains(&variable)) {
        return Ok(None);
    }
    match (into, out_of) {
        (Some(_), Some(edge)) => {
            let rule = "what it writes and what it carries are in a circle of dependences";
            let witness = Some(Witness::new(edge, None));
            Err(Refusal { witness, ..Refusal::new(STEP, op, rule) })
        }
        _ => Ok(Some(Fission { looped, is_behind })),
    }
}

/// Carries it out: the writes in a loop of their own, without what the loop carries.
fn split(ir: &mut Ir, fission: &Fission) {
    let looped = fission.looped;
    let op = looped.op();
    let needed = needed_by_stores(ir, looped);
    let point = match fission.is_behind {
        true => InsertPoint::After(op),
        false => InsertPoint::Before(op),
    };
    let (lower, upper, step) =
        (looped.lower_bound(ir), looped.upper_bound(ir), looped.step_value(ir));
    let old = looped.induction_var(ir);
    let in_order: Vec<Op> = ir.ops(ir.body(op, 0)).filter(|each| needed.contains(each)).collect();
    let location = ir.location(op);
    let mut b = Builder::new(ir, point, location);
    let new = AffineForOp::create(&mut b, &lower, &upper, step, &[], |b, variable, _| {
        let mut map = ValueMap::new();
        map.insert(old, variable);
        for &each in &in_order {
            let copy = b.clone_op(each, &mut map);
            b.insert(copy);
        }
        Vec::new()
    });
    let variable = new.induction_var(&b);
    let name = b.value_location(old);
    b.set_value_location(variable, name);
    copy_marks(&mut b, op, new.op());
    for &each in in_order.iter().rev() {
        if ir.results(each).iter().all(|&result| ir.is_unused(result)) {
            ir.erase_op(each);
        }
    }
}

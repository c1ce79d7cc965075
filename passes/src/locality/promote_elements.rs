//! `promote-elements`: an element that a sequential loop reads and writes again in every round is local
//! to the loop while it runs (scalar replacement: Callahan, Carr and Kennedy, "Improving register
//! allocation for subscripted variables", 1990).
//!
//! Looks at sequential `affine.for` loops inside parallel ones, inner ones first. `C[i][j] += ...` over `k`
//! is loaded once in front of the loop and stored once behind it, under a test that the loop runs at
//! all; `mem2reg` then makes it a value that the loop carries, which is what
//! [`tile-contractions`](super::tile_contractions) knows sums by. Needs every other access in the loop
//! to be apart from the element: shown by the nest's dependences, by names, or by the test that the host
//! makes for this version of the region.
//!
//! Where the iteration of the parallel loop itself stores the element, whatever happens, as in
//! `C[i][j] *= beta` in front of the sum, the element is local to the whole iteration, and needs no
//! test; or to what stands in front of the first access that may be to the same element (`C[j][i] = C[i][j]` of a symmetric
//! result).

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{
    AffineForOp, AffineIfOp, AffineLoadOp, AffineParallelOp, AffineStoreOp, AffineValue,
};
use gpuc_dialects::memref;
use gpuc_dialects::offload::RegionOp;
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Analysis, Pass, PassContext};
use gpuc_ir::{Block, Builder, Ir, Op, OpView, Type, Value, WalkOrder};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::band::Bound;
use super::coordinates::Exprs;
use crate::analysis::access::{Access, Alias, Storage, alias, name};
use crate::analysis::nest::Nest;
use crate::analysis::slice::is_defined_inside;
use crate::plan::record::texts;
use crate::plan::step::{Promote, Step};
use crate::plan::{Given, is_planned, names, record};
use crate::steps::refusal::Refusal;
use crate::versions::known_apart;

gpuc_ir::pass! {
    /// Keep elements in local variables while a sequential loop updates them.
    PromoteElements = "promote-elements" on "func.func" {}
}

impl Pass for PromoteElements {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let given = Given::of(ir, op)?;
        let wanted = Wanted {
            func: op,
            given: given.as_ref().map(|given| {
                given.of_kind::<Promote>().into_iter().map(|(step, _)| step).collect()
            }),
        };
        for region in ir.nested_ops(op, WalkOrder::PreOrder) {
            if !RegionOp::is(ir, region) {
                continue;
            }
            for inner in ir.nested_ops(region, WalkOrder::PreOrder) {
                if AffineParallelOp::is(ir, inner) {
                    promote_in_iteration(ir, inner, &wanted);
                }
            }
            for inner in ir.nested_ops(region, WalkOrder::PostOrder) {
                let in_parallel = || {
                    let around = ir.ancestors(inner).take_while(|&outer| outer != region);
                    around.into_iter().any(|outer| ir.has_trait(outer, Traits::PARALLEL_LOOP))
                };
                if let Some(view) = AffineForOp::cast(ir, inner).filter(|_| in_parallel())
                    && single_bounds(ir, view).is_some()
                {
                    promote(ir, view, &wanted);
                }
            }
        }
        for (step, placed) in given.iter().flat_map(Given::of_kind::<Promote>) {
            if !placed.is_taken(ir, op) {
                let at = placed.find(ir, op, &step.within)?;
                let rule = format!(
                    "no element of {} is read and written in every round of '{}', apart from all else",
                    step.variable, step.within
                );
                return Err(placed.refused(ir, &Refusal::new("promote-elements", at, rule)));
            }
        }
        Ok(())
    }
}

/// The elements that may be promoted.
struct Wanted {
    func: Op,
    /// Those that a plan names; all without one.
    given: Option<Vec<Promote>>,
}

impl Wanted {
    /// The step that promotes an element of a variable in a loop, if the loop is planned.
    fn step(ir: &Ir, root: Value, within: Op) -> Option<Promote> {
        let step = || Promote { variable: name(ir, root), within: names::of(ir, within) };
        is_planned(ir, within).then(step)
    }

    /// Whether an element is to be promoted.
    fn allows(&self, ir: &Ir, root: Value, within: Op) -> bool {
        match (&self.given, Wanted::step(ir, root, within)) {
            (Some(given), Some(step)) => given.contains(&step),
            _ => true,
        }
    }

    /// Notes that one was.
    fn note(&self, ir: &mut Ir, root: Value, within: Op) {
        if let Some(step) = Wanted::step(ir, root, within) {
            let step = Step::from(step);
            if !texts(ir, self.func).contains(&&*step.to_string()) {
                record(ir, self.func, step);
            }
        }
    }
}

/// The bounds of a loop that has one each way.
fn single_bounds(ir: &Ir, view: AffineForOp) -> Option<[Bound; 2]> {
    let sides = [view.lower_bound(ir), view.upper_bound(ir)];
    let single = sides.iter().all(|side| side.results(&ir.ctx).len() == 1);
    single.then(|| sides.map(|value| Bound::new(value.results(&ir.ctx)[0], &value)))
}

fn promote(ir: &mut Ir, view: AffineForOp, wanted: &Wanted) {
    let nest = Nest::compute(ir, view.op());
    for element in elements(ir, &nest, view) {
        if wanted.allows(ir, element.root, view.op()) && replace(ir, view, &element).is_some() {
            wanted.note(ir, element.root, view.op());
        }
    }
}

/// Keeps elements in local variables for the iteration of a parallel loop that is sure to store them,
/// and touches them in a loop inside.
fn promote_in_iteration(ir: &mut Ir, op: Op, wanted: &Wanted) {
    let body = ir.body(op, 0);
    let nest = Nest::compute(ir, op);
    let Ok(accesses) = nest.accesses(op) else { return };
    let usable =
        |value: &Value| ir.arguments(body).contains(value) || !is_defined_inside(ir, *value, op);
    let mut found = grouped(ir, accesses, |access| {
        let inside = ir.ancestors(access.op).take_while(|&outer| outer != op);
        inside.into_iter().all(|outer| !ir.has_trait(outer, Traits::PARALLEL_LOOP))
    });
    let apart = known_apart(ir, op);
    found.retain(|element| {
        let direct = |&access: &Op| ir.parent_block(access) == Some(body);
        let stores = element.accesses.iter().any(|op| direct(op) && AffineStoreOp::is(ir, *op));
        let repeats = !element.accesses.iter().all(direct);
        element.at.operands.iter().chain([&element.buffer]).all(usable) && stores && repeats
    });
    let found: Vec<(Element, Op)> = found
        .into_iter()
        .filter_map(|element| {
            let end = end_of(ir, body, &element, accesses, &apart)?;
            Some((element, end))
        })
        .collect();
    for (element, end) in found {
        if !wanted.allows(ir, element.root, op) {
            continue;
        }
        let Some(ty) = ir.ctx.element(ir.ty(element.buffer)) else { continue };
        let starts = element.accesses.first().is_some_and(|&first| {
            AffineStoreOp::is(ir, first) && ir.parent_block(first) == Some(body)
        });
        let Some(first) = ir.first_op(body) else { continue };
        let local = local_variable(ir, &element, ty, first, !starts);
        redirect(ir, &element, local);
        store_back(&mut Builder::before(ir, end), &element, local);
        wanted.note(ir, element.root, op);
    }
}

/// In front of what in the body of a parallel loop an element has to be in memory again: the first operation that may touch it by another
/// access, or the end. `None` where that is not behind all of its own accesses.
fn end_of(
    ir: &Ir,
    body: Block,
    element: &Element,
    accesses: &[Access],
    apart: &IndexSet<(Value, Value)>,
) -> Option<Op> {
    let is_own = |access: &Access| element.accesses.contains(&access.op);
    let others = accesses
        .iter()
        .filter(|other| !is_own(other) && !are_apart(ir, element.root, other, apart));
    let others: IndexSet<Op> =
        others.map(|other| ir.ancestor_in_block(other.op, body)).collect::<Option<_>>()?;
    let end = ir.ops(body).find(|op| others.contains(op)).or_else(|| ir.last_op(body))?;
    let before: IndexSet<Op> = ir.ops(body).take_while(|&op| op != end).collect();
    let is_before =
        |&access: &Op| ir.ancestor_in_block(access, body).is_some_and(|own| before.contains(&own));
    element.accesses.iter().all(is_before).then_some(end)
}

/// A local variable for an element in front of an operation, filled where `fill` says so.
fn local_variable(ir: &mut Ir, element: &Element, ty: Type, before: Op, fill: bool) -> Value {
    let local_type = ir.ctx.memref(&[], ty);
    let mut b = Builder::before(ir, before);
    let local = memref::AllocaOp::new(&mut b, &[], &[]).result(local_type).value(&mut b);
    if fill {
        let value = AffineLoadOp::create(&mut b, element.buffer, &element.at);
        memref::StoreOp::new(&mut b, value, local, &[]).build(&mut b);
    }
    local
}

/// Stores what a local variable holds to its element.
fn store_back(b: &mut Builder<'_>, element: &Element, local: Value) {
    let value = memref::LoadOp::new(b, local, &[]).value(b);
    AffineStoreOp::create(b, value, element.buffer, &element.at);
}

/// Whether an access is not to memory behind another root.
fn are_apart(ir: &Ir, root: Value, other: &Access, apart: &IndexSet<(Value, Value)>) -> bool {
    other.root != root
        && (alias(Storage::of(ir, root), Storage::of(ir, other.root)) == Alias::No
            || apart.contains(&(root, other.root)))
}

/// Plain affine accesses of a list, by the element.
fn grouped(ir: &Ir, accesses: &[Access], wanted: impl Fn(&Access) -> bool) -> Vec<Element> {
    let mut found: IndexMap<(Value, AffineValue), Element, FxBuildHasher> = IndexMap::default();
    for access in accesses {
        let plain = AffineLoadOp::is(ir, access.op) || AffineStoreOp::is(ir, access.op);
        let Some(at) = place(ir, access.op).filter(|_| plain && wanted(access)) else { continue };
        let (buffer, root) = (access.buffer, access.root);
        let new = || Element { buffer, root, at: at.clone(), accesses: Vec::new() };
        found.entry((buffer, at.clone())).or_insert_with(new).accesses.push(access.op);
    }
    found.into_values().collect()
}

/// An element that does not change from round to round, and all accesses to it.
struct Element {
    buffer: Value,
    root: Value,
    at: AffineValue,
    accesses: Vec<Op>,
}

/// The elements that every round reads and writes, and nothing else in the loop touches.
fn elements(ir: &Ir, nest: &Nest, view: AffineForOp) -> Vec<Element> {
    let Ok(accesses) = nest.accesses(view.op()) else { return Vec::new() };
    let body = view.body(ir);
    let outside = |value: &Value| !is_defined_inside(ir, *value, view.op());
    let mut found = grouped(ir, accesses, |access| ir.parent_block(access.op) == Some(body));
    found.retain(|element| {
        if !element.at.operands.iter().chain([&element.buffer]).all(outside) {
            return false;
        }
        let does = |op: fn(&Ir, Op) -> bool| element.accesses.iter().any(|&access| op(ir, access));
        does(AffineLoadOp::is)
            && does(AffineStoreOp::is)
            && is_alone(ir, nest, view, element, accesses)
    });
    found
}

/// The subscripts of an affine access.
fn place(ir: &Ir, op: Op) -> Option<AffineValue> {
    match AffineLoadOp::cast(ir, op) {
        Some(load) => load.subscripts(ir),
        None => AffineStoreOp::cast(ir, op)?.subscripts(ir),
    }
}

/// Whether no other access in the loop may be to the element.
fn is_alone(
    ir: &Ir,
    nest: &Nest,
    view: AffineForOp,
    element: &Element,
    accesses: &[Access],
) -> bool {
    let is_own = |access: &Access| element.accesses.contains(&access.op);
    let Some(own) = accesses.iter().find(|access| is_own(access)) else { return false };
    let apart = known_apart(ir, view.op());
    let others = || accesses.iter().filter(|access| !is_own(access));
    let mut shared = false;
    for other in others() {
        if other.root == own.root {
            shared = true;
        } else if !are_apart(ir, own.root, other, &apart) {
            return false;
        }
        if other.kind.is_atomic() && other.root == own.root {
            return false;
        }
    }
    // Of the same variable: no iteration of the loop touches the element by another access.
    !shared
        || nest
            .dependences(ir, view.op())
            .is_ok_and(|all| all.iter().all(|found| is_own(&found.source) == is_own(&found.sink)))
}

/// Gives the loop a local variable for the element, filled in front of it and stored behind it.
fn replace(ir: &mut Ir, view: AffineForOp, element: &Element) -> Option<()> {
    let element_type = ir.ctx.element(ir.ty(element.buffer))?;
    guard(ir, view)?;
    let local = local_variable(ir, element, element_type, view.op(), true);
    store_back(&mut Builder::after(ir, view.op()), element, local);
    redirect(ir, element, local);
    Some(())
}

/// Lets all accesses to an element be to a local variable.
fn redirect(ir: &mut Ir, element: &Element, local: Value) {
    for &access in &element.accesses {
        let mut b = Builder::before(ir, access);
        if AffineLoadOp::is(&b, access) {
            let value = memref::LoadOp::new(&mut b, local, &[]).value(&mut b);
            ir.replace_op(access, &[value]);
        } else {
            let value = b.operand(access, 0);
            memref::StoreOp::new(&mut b, value, local, &[]).build(&mut b);
            ir.erase_op(access);
        }
    }
}

/// Puts a loop under a test that it runs at all, unless that is known or has been asked; `None` where
/// its results would be lost.
fn guard(ir: &mut Ir, view: AffineForOp) -> Option<()> {
    if view.constant_trip_count(ir).is_some_and(|trips| trips > 0) {
        return Some(());
    }
    let [lower, upper] = single_bounds(ir, view)?;
    let mut b = Builder::before(ir, view.op());
    let mut exprs = Exprs::default();
    let (lower, upper) = (exprs.bound(&mut b, &lower), exprs.bound(&mut b, &upper));
    let one = b.ctx.constant_expr(-1);
    let last = b.ctx.add_expr(upper, one);
    let room = b.ctx.sub_expr(last, lower);
    let operands = exprs.finish(&mut b, &[]).operands;
    let set = b.ctx.integer_set(operands.len() as u32, 0, &[(room, false)]);
    let around = b.parent_op(view.op()).and_then(|op| AffineIfOp::cast(&b, op));
    let asked = around.is_some_and(|around| {
        around.condition(&b) == Some(set) && b.operands(around.op()).eq(operands.iter().copied())
    });
    if asked {
        return Some(());
    }
    if !b.results(view.op()).is_empty() {
        return None;
    }
    let test = AffineIfOp::create(&mut b, set, &operands, |_| {});
    let end = ir.last_op(test.then_block(ir))?;
    ir.move_before(end, view.op());
    Some(())
}

//! `recognize-parallel`: finds out which loops may run in parallel, where that is the compiler's
//! task.
//!
//! Asked about are the region's [`candidates`]. A loop
//! whose iterations do not depend on each other ([`Nest::carried`]), and that carries nothing
//! but reductions from one to the next ([`carried_scalar`](super::carried_scalar)), becomes
//! `affine.parallel` (`scf.parallel` where it is an `scf.for`), its reductions starting from their
//! identities and combined with the initial values behind it; a scalar that every iteration sets
//! anew is stored by the last one. Every other stays, and a remark says
//! which variable holds it up. Where only pointers could make mapped variables overlap, the region is
//! made twice, and the host asks before each launch whether they do (see [`crate::versions`]). Inside a
//! parallel loop, one more is made parallel only where it pays: it is no short one, and a dimension of a
//! perfect nest with the loop around it, or its iterations touch consecutive elements.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::func::FuncOp;
use gpuc_dialects::offload::{ORDERED_SUMS_ATTR, RegionOp};
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Analysis, Pass, PassContext};
use gpuc_ir::{Ir, Op, OpView, Value, WalkOrder};
use indexmap::IndexSet;

use super::carried_scalar::{CarriedScalar, classify_beside};
use super::flag::Flag;
use super::last_value::LastStore;
use super::parallel_loop::{CarriedReduction, make_parallel};
use super::remarks;
use super::schedule::{Asked, is_asked};
use super::search::Search;
use super::updates;
use crate::analysis::access::{Access, name};
use crate::analysis::loops::{candidates, dimensions};
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::{Apart, Wanted};
use crate::analysis::slice::is_defined_inside;
use crate::plan::step::Parallel;
use crate::plan::{Given, names, record};
use crate::versions::{Unassuming, if_apart, in_fallback};

gpuc_ir::pass! {
    /// Make loops parallel whose iterations are proven independent.
    RecognizeParallel = "recognize-parallel" on "func.func" {
        /// Iterations below which a loop inside a parallel one stays sequential.
        least_inner_iterations: u64 = 32,
    }
}

impl Pass for RecognizeParallel {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        // Stays true: what a loop that becomes parallel changes is outside of those that come after it.
        let nest = cx.analysis::<Nest>(ir, op);
        let given = Given::of(ir, op)?;
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            let Some(region) = RegionOp::cast(ir, inner) else { continue };
            let asked = given.as_ref().is_some_and(|given| !given.of_kind::<Parallel>().is_empty());
            if !asked && candidates(ir, region).is_empty() {
                continue;
            }
            if in_fallback(ir, inner) {
                self.recognize(ir, &nest, region, Apart::Unknown);
                continue;
            }
            let kept = Unassuming::keep(ir, inner);
            let found = match &given {
                Some(given) => self.follow(ir, op, &nest, region, given)?,
                None => self.recognize(ir, &nest, region, Apart::Assumed),
            };
            if given.is_none() && !found.parallel.is_empty() {
                record(ir, op, Parallel { loops: found.parallel });
            }
            found.remarks.into_iter().for_each(|remark| cx.report(remark));
            if let Some(fallback) = kept.require_disjoint(ir, &found.assumed_apart, inner) {
                let nest = Nest::compute(ir, fallback);
                self.recognize(ir, &nest, RegionOp(fallback), Apart::Unknown);
            }
        }
        Ok(())
    }
}

/// What was found out about the loops of a region.
#[derive(Default)]
struct Found {
    remarks: Vec<Diagnostic>,
    /// The names of those that are parallel.
    parallel: Vec<String>,
    /// Pairs of mapped variables that parallel loops need to be apart.
    assumed_apart: IndexSet<(Value, Value)>,
}

impl Found {
    /// Makes updates of a region's wanted loops atomic, and says so; the nest afterwards, if there are any.
    fn make_atomic(
        &mut self,
        ir: &mut Ir,
        nest: &Nest,
        region: RegionOp,
        apart: Apart,
        wanted: &dyn Fn(&Ir, Op) -> bool,
    ) -> Option<Nest> {
        let made = updates::make_atomic(ir, nest, region, apart, wanted);
        let fresh = (!made.is_empty()).then(|| Nest::compute(ir, region.op()));
        for (op, variable) in made {
            let text = format!("Generating implicit atomic update({variable})");
            self.remarks.push(Diagnostic::remark(text).at_option(ir.ctx.place(ir.location(op))));
        }
        fresh
    }
}

impl RecognizeParallel {
    fn recognize(&self, ir: &mut Ir, nest: &Nest, region: RegionOp, apart: Apart) -> Found {
        let mut found = Found::default();
        let fresh = found.make_atomic(ir, nest, region, apart, &|_, _| true);
        let nest = fresh.as_ref().unwrap_or(nest);
        for op in candidates(ir, region) {
            let name = names::of(ir, op);
            match self.parallelize(ir, nest, op, apart, false, &mut found.assumed_apart) {
                Ok(said) => {
                    found.parallel.push(name);
                    found.remarks.extend(said);
                }
                Err(why) => {
                    found.remarks.extend(remarks::although_asked(ir, op, &why));
                    found.remarks.push(why);
                }
            }
        }
        found
    }

    /// Makes those loops of a region parallel that a plan names.
    fn follow(
        &self,
        ir: &mut Ir,
        func: Op,
        nest: &Nest,
        region: RegionOp,
        given: &Given,
    ) -> Result<Found, Diagnostic> {
        let mut found = Found::default();
        let steps = given.of_kind::<Parallel>();
        let is_named = |ir: &Ir, op: Op| {
            let name = names::of(ir, op);
            steps.iter().any(|(step, _)| step.loops.contains(&name))
        };
        let fresh = found.make_atomic(ir, nest, region, Apart::Assumed, &is_named);
        let nest = fresh.as_ref().unwrap_or(nest);
        for op in candidates(ir, region) {
            let name = names::of(ir, op);
            let Some((_, placed)) = steps.iter().find(|(step, _)| step.loops.contains(&name))
            else {
                let text = "Loop left sequential by the plan".to_owned();
                found
                    .remarks
                    .push(Diagnostic::missed(text).at_option(ir.ctx.place(ir.location(op))));
                continue;
            };
            let said =
                self.parallelize(ir, nest, op, Apart::Assumed, true, &mut found.assumed_apart);
            found.remarks.extend(said.map_err(|why| placed.refused_as(&why))?);
            found.parallel.push(name);
        }
        for (i, (step, placed)) in steps.iter().enumerate() {
            for name in &step.loops {
                let before = steps[..i].iter().find(|(other, _)| other.loops.contains(name));
                if let Some((_, other)) = before {
                    let text = format!("'{name}' is parallel already");
                    return Err(placed.error(text).related(other.place.clone(), "by this step"));
                }
                if !found.parallel.contains(name) {
                    placed.find(ir, func, name)?;
                    let text = format!("whether '{name}' is parallel is not the compiler's to say");
                    return Err(placed.error(text).help("the program says so by its directives"));
                }
            }
            record(ir, func, step.clone());
        }
        Ok(found)
    }

    /// Makes a loop parallel if it can be and, unless it is asked for, that pays. Says so, or else why not.
    fn parallelize(
        &self,
        ir: &mut Ir,
        nest: &Nest,
        op: Op,
        apart: Apart,
        asked: bool,
        assumed_apart: &mut IndexSet<(Value, Value)>,
    ) -> Result<Vec<Diagnostic>, Diagnostic> {
        let place = ir.ctx.place(ir.location(op));
        let remark = |text: String| Diagnostic::remark(text).at_option(place.clone());
        let missed = |text: String| Diagnostic::missed(text).at_option(place.clone());
        let unknown = |ir: &Ir, unknown: Op| {
            missed(format!(
                "Loop not parallelized: the effects of '{}' are not known",
                ir.name(unknown)
            ))
        };
        let touched = nest.accesses(op).map_err(|op| unknown(ir, op))?;
        let (mut reductions, mut last_values, mut searches) = (Vec::new(), Vec::new(), Vec::new());
        let carried_values = ir.loop_carried(op);
        let mut found: Vec<Option<Search>> =
            carried_values.iter().map(|&each| Search::find(ir, op, each, touched)).collect();
        let searched: Vec<Op> = found.iter().flatten().filter_map(|s| s.choice(ir)).collect();
        for (each, search) in carried_values.into_iter().zip(&mut found) {
            let mut scan = None;
            let held = match classify_beside(ir, op, each, &searched) {
                CarriedScalar::Dead => continue,
                CarriedScalar::Reduction { kind, .. }
                    if kind.rounds() && is_ordered(ir, op, each.init) =>
                {
                    "Order of the sum kept"
                }
                CarriedScalar::Reduction { compared: Some(_), .. }
                    if is_ordered(ir, op, each.init) =>
                {
                    "Order of the comparisons kept"
                }
                CarriedScalar::Reduction { kind, unsigned, compared } => {
                    reductions.push(CarriedReduction { carried: each, kind, unsigned, compared });
                    continue;
                }
                CarriedScalar::LastValue => match LastStore::find(ir, op, each) {
                    Some(store) => {
                        last_values.push((store, each.yielded));
                        continue;
                    }
                    None => "Scalar last value needed after loop",
                },
                CarriedScalar::Scan(kind) => {
                    scan = Some(kind);
                    "Loop carried scalar dependence"
                }
                CarriedScalar::Recurrence => {
                    if let Some(search) = search.take() {
                        searches.push(search);
                        continue;
                    }
                    if let Some(flag) = Flag::find(ir, op, each) {
                        flag.split(ir, op);
                        return self.parallelize(ir, nest, op, apart, asked, assumed_apart);
                    }
                    "Loop carried scalar dependence"
                }
            };
            let scalar = scalar_name(ir, each.result);
            let scalar = scalar.map_or(String::new(), |name| format!(" for {name}"));
            let text = format!("{held}{scalar} prevents parallelization");
            let said = missed(text).code(codes::LOOP_CARRIED);
            return Err(match scan {
                Some(kind) => said.help(remarks::prefix_sums(kind)),
                None => said,
            });
        }
        let found = nest.carried(ir, op, apart, Wanted::Any).map_err(|op| unknown(ir, op))?;
        if let Some(dependence) = &found.dependence {
            let said = remarks::dependence(ir, op, dependence);
            return Err(match updates::inexact(ir, op, touched) {
                Some(variable) => said.help(format!(
                    "in another order, sums in {variable} would be rounded otherwise: put `#pragma acc atomic update` \
                     in front of the update if any order will do"
                )),
                None => said,
            });
        }
        if !asked && !self.pays(ir, op, touched, !reductions.is_empty()) {
            return Err(missed(
                "Loop is parallelizable, left sequential in each thread".to_owned(),
            ));
        }
        if !searches.is_empty() {
            let located = searches.iter().map(|search| scalar_name(ir, search.result()));
            let located: Vec<_> = located.map(|name| name.unwrap_or_default()).collect();
            let places: Vec<Op> = searches.into_iter().map(|search| search.split(ir, op)).collect();
            let func = ir.ancestors(op).find(|&at| FuncOp::is(ir, at));
            if let Some(func) = func {
                names::renew(ir, func);
            }
            let mut said = self.parallelize(ir, nest, op, apart, asked, assumed_apart)?;
            for (place, name) in places.into_iter().zip(located) {
                let nest = Nest::compute(ir, place);
                self.parallelize(ir, &nest, place, apart, asked, assumed_apart)?;
                let name = if name.is_empty() { name } else { format!(":{name}") };
                said.push(remark(format!("Generating implicit reduction(location{name})")));
            }
            return Ok(said);
        }
        let names: Vec<Option<String>> =
            reductions.iter().map(|r| scalar_name(ir, r.carried.result)).collect();
        for (store, yielded) in last_values {
            store.apply(ir, op, yielded);
        }
        if make_parallel(ir, op, &reductions).is_none() {
            return Err(missed(
                "Loop not parallelized: its reduction has no parallel form".to_owned(),
            ));
        }
        let mut said = remark("Loop is parallelizable".to_owned());
        for &(a, b) in &found.assumed_apart {
            assumed_apart.insert((a, b));
            said = said.code(codes::ASSUMED_APART).help(if_apart(ir, [a, b]));
        }
        let mut said = vec![said];
        for (reduction, name) in reductions.iter().zip(names) {
            let name = name.map_or(String::new(), |name| format!(":{name}"));
            let symbol = reduction.kind.symbol();
            said.push(remark(format!("Generating implicit reduction({symbol}{name})")));
        }
        Ok(said)
    }

    /// Whether a loop that can be parallel should be: always if nothing around it is.
    fn pays(&self, ir: &Ir, op: Op, touched: &[Access], reduces: bool) -> bool {
        let around: Vec<Op> =
            ir.ancestors(op).filter(|&outer| ir.has_trait(outer, Traits::PARALLEL_LOOP)).collect();
        if is_asked(ir, op) || around.is_empty() {
            return true;
        }
        let [dim] = &dimensions(ir, op)[..] else { return false };
        let length = dim
            .lower
            .first()
            .zip(dim.upper.first())
            .and_then(|(lower, upper)| upper.plus(lower, -1)?.as_constant())
            .and_then(|length| u64::try_from(length).ok());
        if length.is_some_and(|length| length < self.least_inner_iterations) {
            return false;
        }
        if !reduces && is_dimension_of(ir, op, around[0]) {
            return true;
        }
        let outer: Vec<Value> = around
            .iter()
            .flat_map(|&outer| dimensions(ir, outer))
            .map(|dim| dim.variable)
            .collect();
        let bounds = dim.lower.iter().chain(&dim.upper);
        if reduces
            && bounds
                .flat_map(|bound| bound.values())
                .any(|value| around.iter().any(|&outer| is_defined_inside(ir, value, outer)))
        {
            return false;
        }
        let consecutive = |variable: Value| {
            touched
                .iter()
                .filter(|access| {
                    let last = access.subscripts.last().and_then(Option::as_ref);
                    last.is_some_and(|form| form.plain().coefficient(&[variable]).abs() == 1)
                })
                .count()
        };
        // Where nothing is consecutive, as on a wavefront, what is nearest counts.
        let nearest = |variable: Value| {
            let last = touched.iter().filter_map(|access| access.subscripts.last()?.as_ref());
            let strides = last.map(|form| form.plain().coefficient(&[variable]).unsigned_abs());
            strides.filter(|&stride| stride > 0).min()
        };
        let is_nearer =
            |other: Value| nearest(other).is_none_or(|far| nearest(dim.variable) < Some(far));
        // A reduction costs barriers; a tie is not worth them.
        let own = consecutive(dim.variable);
        if own == 0 && !reduces && nearest(dim.variable).is_some() {
            return outer.iter().all(|&variable| consecutive(variable) == 0 && is_nearer(variable));
        }
        own > 0
            && outer.iter().map(|&variable| consecutive(variable)).all(|others| match reduces {
                true => others < own,
                false => others <= own,
            })
    }
}

/// Whether the order shows in which a loop combines values, and is to be the program's.
fn is_ordered(ir: &Ir, op: Op, init: Value) -> bool {
    let mut around = ir.ancestors(op);
    let asked = around.any(|outer| ir.attr(outer, ORDERED_SUMS_ATTR).is_some());
    asked && ir.ctx.is_float(ir.ty(init))
}

/// Whether a loop is all that the parallel loop round it does, and runs as often each time: the two are
/// dimensions of one nest, and one loop for [`collapse-parallel`](super::collapse_parallel).
fn is_dimension_of(ir: &Ir, op: Op, outer: Op) -> bool {
    let only = || {
        ir.ops(ir.body(outer, 0)).all(|other| {
            other == op || ir.has_trait(other, Traits::TERMINATOR) || ir.is_effect_free(other)
        })
    };
    ir.parent_op(op) == Some(outer)
        && ir.results(outer).is_empty()
        && Asked::of(ir, outer) == Asked::default()
        && ir.operands(op).all(|value| !is_defined_inside(ir, value, outer))
        && only()
}

/// The variable that a loop's result is stored to.
fn scalar_name(ir: &Ir, result: Value) -> Option<String> {
    ir.users(result).find_map(|user| {
        let access = ir.memory_access(user)?;
        let is_scalar = ir.ctx.shape(ir.ty(access.buffer))?.is_empty();
        (is_scalar && access.stored() == Some(result)).then(|| name(ir, access.buffer))
    })
}

//! `coarsen-threads`: each thread executes several iterations of a parallel loop, and loads once what they have in
//! common.
//!
//! Needs parallel loops of two dimensions or more ([`super::stencil`]), in which iterations of an outer dimension load
//! elements that others load too: neighbours above and below, or weights of a filter. A thread takes a few iterations that
//! follow each other, written out one behind the other, inner loops of few rounds as well; an element that was loaded stays in
//! a register, where nothing in the nest writes to its array. Thread coarsening (Volkov, GTC 2010; Li et al. 2016,
//! §3.2.2; Andión et al. 2015, Algorithm 4), with scalar replacement (Callahan, Carr, Kennedy, PLDI 1990).
//!
//! Threads at the end of the loop, that have fewer iterations, execute them as the nest did. Where the host finds too
//! few threads to keep the device busy, the whole nest stays as it was.

use gpuc_arch::Arch;
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineForOp, AffineParallelOp};
use gpuc_dialects::arith;
use gpuc_dialects::offload::RegionOp;
use gpuc_dialects::offload::mapping::MAPPING_ATTR;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueMap, WalkOrder};
use rustc_hash::FxHashMap;

use super::blocks::{blocks_of_threads, whole_sides};
use super::coarsening::{Coarsening, Element, Instance, statements, written_out};
use super::coordinates::{Edge, Exprs, apply, where_all_else};
use super::stencil::Stencil;
use super::stencil_plan::is_bound_by_requests;
use super::tile_contractions::open_nest;
use super::wide::enough_and_apart;
use crate::plan::text::Placed;
use crate::plan::{Given, is_planned, names, record, step};
use crate::steps::refusal::Refusal;
use crate::target::target;
use crate::versions::{self, in_fallback};

gpuc_ir::pass! {
    /// Give each thread several iterations that load the same elements.
    CoarsenThreads = "coarsen-threads" on "func.func" {
        /// The device, whose table gives what keeps it busy.
        arch: String = Arch::default_target().name.to_owned(),
        /// Iterations of a thread, instead of those for the device.
        factor: Option<i64> = None,
        /// Threads that a grid must have, instead of as many as keep the device busy.
        least_threads: Option<i64> = None,
    }
}

impl Pass for CoarsenThreads {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let arch = target(&self.arch)?;
        if self.factor.is_some_and(|factor| !(1..=step::MOST_COARSE).contains(&factor)) {
            let text = format!("a thread takes 1 to {} iterations", step::MOST_COARSE);
            return Err(Diagnostic::error(text));
        }
        let given = Given::of(ir, op)?;
        let steps = given.as_ref().map(Given::of_kind::<step::Coarsen>);
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            let Some(region) = RegionOp::cast(ir, inner) else { continue };
            let planned = is_planned(ir, inner);
            if in_fallback(ir, inner) && !(planned && steps.is_some()) {
                continue;
            }
            let nest = open_nest(ir, region).filter(|&nest| ir.attr(nest, MAPPING_ATTR).is_none());
            let Some(stencil) = nest.and_then(|nest| Stencil::of(ir, nest)) else { continue };
            let Some((coarsening, step)) = (match steps.as_ref().filter(|_| planned) {
                Some(steps) => given_step(ir, &stencil, steps)?,
                None => self.choose(ir, &stencil, arch),
            }) else {
                continue;
            };
            let made = make_version(ir, region, &stencil, &coarsening, &step, cx).is_some();
            if made && planned {
                record(ir, op, step);
            }
        }
        let mut left = steps.iter().flatten().filter(|(_, placed)| !placed.is_taken(ir, op));
        if let Some((step, placed)) = left.next() {
            let at = placed.find(ir, op, &step.name)?;
            let rule = "the loop is no outer dimension of parallel loops whose iterations load the same elements";
            return Err(placed.refused(ir, &Refusal::new("coarsen-threads", at, rule)));
        }
        Ok(())
    }
}

/// What a plan says for a nest.
fn given_step(
    ir: &Ir,
    stencil: &Stencil,
    steps: &[(step::Coarsen, &Placed)],
) -> Result<Option<(Coarsening, step::Coarsen)>, Diagnostic> {
    for (step, placed) in steps {
        let dim = (0..stencil.column)
            .find(|&dim| names::of_variable(ir, stencil.dims[dim].variable) == Some(&step.name));
        let Some(dim) = dim else { continue };
        let refuse = || {
            let rule =
                "its iterations are too long to be written out, or hold loops of unknown length";
            placed.refused(ir, &Refusal::new("coarsen-threads", stencil.nest, rule))
        };
        let coarsening = Coarsening::of(ir, stencil, dim, step.factor).ok_or_else(refuse)?;
        return Ok(Some((coarsening, step.clone())));
    }
    Ok(None)
}

impl CoarsenThreads {
    /// What is best for a nest, and the step that says it.
    fn choose(
        &self,
        ir: &Ir,
        stencil: &Stencil,
        arch: &Arch,
    ) -> Option<(Coarsening, step::Coarsen)> {
        let coarsening = match self.factor {
            Some(factor) => (0..stencil.column)
                .filter_map(|dim| Coarsening::of(ir, stencil, dim, factor))
                .min_by(|a, b| a.loads().total_cmp(&b.loads()))?,
            None if is_bound_by_requests(ir, stencil, arch, MARGIN) => {
                Coarsening::choose(ir, stencil)?
            }
            None => keeps_memory_busy(ir, stencil, arch)?,
        };
        // The code runs on later devices too, with more multiprocessors.
        let later = Arch::all().iter().filter(|other| other.number >= arch.number);
        let sms = later.map(|other| other.chip.sm_count).max().unwrap_or(arch.chip.sm_count);
        let least = self.least_threads.unwrap_or(i64::from(sms) * THREADS);
        let variable = stencil.dims[coarsening.dim].variable;
        let name = names::of_variable(ir, variable).unwrap_or("?").to_owned();
        let step = step::Coarsen { name, factor: coarsening.factor, threads: least };
        Some((coarsening, step))
    }
}

/// The fewest iterations of a thread with which a device has enough under way to keep its memory busy; `None` where
/// one is enough. Threads of several have more registers, so that there are fewer.
fn keeps_memory_busy(ir: &Ir, stencil: &Stencil, arch: &Arch) -> Option<Coarsening> {
    let bytes = stencil.traffic(ir).bytes;
    let is_enough = |registers: u32, iterations: i64| {
        let block = BLOCK.iter().product::<i64>() as u32;
        let warps = arch.occupancy(block, registers, 0).warps;
        let threads = f64::from(warps * arch.limits.warp_size);
        threads * (bytes * iterations) as f64 >= arch.chip.bytes_under_way()
    };
    if is_enough(REGISTERS[0], 1) {
        return None;
    }
    // Of those that are enough the shortest, else the longest; of the same length the one with the fewest loads.
    let rank = |this: &Coarsening| match is_enough(REGISTERS[1], this.factor) {
        true => (false, this.factor),
        false => (true, -this.factor),
    };
    let all = Coarsening::all(ir, stencil).map(|(found, _)| found);
    all.min_by(|a, b| rank(a).cmp(&rank(b)).then(a.loads().total_cmp(&b.loads())))
}

/// Registers of a thread with one iteration, and of one with several: 24 and 56 of a star of five.
const REGISTERS: [u32; 2] = [32, 64];

/// How requests must stand to memory: a little below it they count still, because each takes instructions for its
/// address as well (benches/RESULTS.md, the 25-point star).
const MARGIN: f64 = 0.8;

/// Rows and columns of threads: a row is a warp, and few blocks' worth of registers stay unused.
const BLOCK: [i64; 2] = [4, 32];

/// Threads of a multiprocessor that hide each other's loads, where each has several under way.
const THREADS: i64 = 512;

/// Puts the version with fewer threads in front of the region as it is, for so many threads.
fn make_version(
    ir: &mut Ir,
    region: RegionOp,
    stencil: &Stencil,
    coarsening: &Coarsening,
    step: &step::Coarsen,
    cx: &mut PassContext<'_>,
) -> Option<()> {
    let mut b = Builder::before(&mut *ir, region.op());
    let mut sides = vec![1; stencil.dims.len()];
    sides[coarsening.dim] = coarsening.factor;
    let (parts, apart) = ((&stencil.dims[..], &sides[..]), &coarsening.apart);
    let holds = enough_and_apart(&mut b, region.op(), parts, step.threads, apart)?;
    let rest = versions::copy_as_rest(ir, region.op());
    let made = Coarsened { stencil, coarsening }.emit(&mut Builder::before(ir, stencil.nest));
    ir.erase_op(stencil.nest);
    let (name, factor, threads) = (&step.name, step.factor, step.threads);
    let (loads, before) = (coarsening.loads(), coarsening.before);
    let text = format!(
        "Threads take {factor} iterations of {name} each from {threads} threads on: {loads:.1} loads an iteration, \
         not {before}",
    );
    cx.report(Diagnostic::remark(text).at_option(ir.ctx.place(ir.location(made))));
    versions::choose(ir, holds, region.op(), rest);
    Some(())
}

/// The nest with fewer threads.
struct Coarsened<'a> {
    stencil: &'a Stencil,
    coarsening: &'a Coarsening,
}

impl Coarsened<'_> {
    fn emit(&self, b: &mut Builder<'_>) -> Op {
        let dims = &self.stencil.dims;
        let Coarsening { dim, factor, .. } = *self.coarsening;
        let mut steps = vec![1; dims.len()];
        steps[dim] = factor;
        let [lower, upper] = [false, true].map(|upper| {
            let mut exprs = Exprs::default();
            let ends = dims.iter().map(|dim| {
                let end = if upper { &dim.upper } else { &dim.lower };
                exprs.bound(b, end)
            });
            let ends: Vec<_> = ends.collect();
            exprs.finish(b, &ends)
        });
        let nest = AffineParallelOp::create(b, &lower, &upper, &steps, |b, variables| {
            let mut first = ValueMap::new();
            for (dim, &variable) in dims.iter().zip(variables) {
                first.insert(dim.variable, variable);
            }
            self.thread(b, &first);
        });
        let mapping = blocks_of_threads(dims.len(), BLOCK).attr(&mut b.ctx);
        b.set_attr(nest.op(), MAPPING_ATTR, mapping);
        nest.op()
    }

    /// A thread's iterations, of which `first` is the first one.
    fn thread(&self, b: &mut Builder<'_>, first: &ValueMap) {
        let row = &self.stencil.dims[self.coarsening.dim];
        let factor = self.coarsening.factor;
        let mut exprs = Exprs::default();
        let mut all = Vec::new();
        if !row.divides(b, factor) {
            let edge = Edge { variable: row.variable, upper: row.upper.clone(), behind: 0 };
            all.extend(whole_sides(b, &mut exprs, first, [(&edge, factor)].into_iter()));
        }
        // What is linear holds for all iterations where it holds for the first and the last one.
        for form in &self.coarsening.conditions {
            let moved = form.coefficient(&[row.variable]) * (factor - 1);
            let form = exprs.form(b, form, first);
            let moved = b.ctx.constant_expr(moved.min(0));
            all.push((b.ctx.add_expr(form, moved), false));
        }
        where_all_else(b, exprs, &all, |b| self.together(b, first), |b| self.one_by_one(b, first));
    }

    /// All iterations, written out.
    fn together(&self, b: &mut Builder<'_>, first: &ValueMap) {
        let mut known = FxHashMap::default();
        let variable = self.stencil.dims[self.coarsening.dim].variable;
        for behind in 0..self.coarsening.factor {
            let mut map = first.clone();
            let at = apply(b, &[first.get(variable)], |b, dims| {
                let behind = b.ctx.constant_expr(behind);
                b.ctx.add_expr(dims[0], behind)
            });
            map.insert(variable, at);
            let mut instance = Instance { behind, ..Instance::default() };
            self.ops(b, &self.coarsening.body, &mut map, &mut instance, &mut known);
        }
    }

    fn ops(
        &self,
        b: &mut Builder<'_>,
        ops: &[Op],
        map: &mut ValueMap,
        instance: &mut Instance,
        known: &mut FxHashMap<Element, Value>,
    ) {
        for &op in ops {
            if let Some((inner, rounds)) = written_out(b, op) {
                self.rounds(b, inner, &rounds, map, instance, known);
                continue;
            }
            let element = self.coarsening.element(b, self.stencil, op, instance);
            let loaded = element.as_ref().and_then(|element| known.get(element).copied());
            if let Some(value) = loaded {
                map.insert(b.result(op, 0), value);
                continue;
            }
            let copy = b.clone_op(op, map);
            b.insert(copy);
            if let Some(element) = element {
                known.insert(element, b.result(copy, 0));
            }
        }
    }

    /// The rounds of an inner loop, one behind the other.
    fn rounds(
        &self,
        b: &mut Builder<'_>,
        inner: AffineForOp,
        rounds: &[i64],
        map: &mut ValueMap,
        instance: &mut Instance,
        known: &mut FxHashMap<Element, Value>,
    ) {
        let variable = inner.induction_var(b);
        let carried = b.loop_carried(inner.op());
        let body = statements(b, inner);
        let mut values: Vec<Value> = carried.iter().map(|each| map.get(each.init)).collect();
        for &round in rounds {
            let at = arith::constant_index(b, round);
            map.insert(variable, at);
            for (each, &value) in carried.iter().zip(&values) {
                map.insert(each.argument, value);
            }
            instance.rounds.insert(variable, round);
            self.ops(b, &body, map, instance, known);
            values = carried.iter().map(|each| map.get(each.yielded)).collect();
        }
        instance.rounds.remove(&variable);
        for (each, value) in carried.iter().zip(values) {
            map.insert(each.result, value);
        }
    }

    /// The iterations that are there, as the nest has them.
    fn one_by_one(&self, b: &mut Builder<'_>, first: &ValueMap) {
        let row = &self.stencil.dims[self.coarsening.dim];
        let variable = row.variable;
        let start = first.get(variable);
        let mut exprs = Exprs::default();
        let lower = exprs.value(b, start);
        let lower = exprs.finish(b, &[lower]);
        let mut exprs = Exprs::default();
        let end = exprs.bound(b, &row.upper);
        let last = exprs.value(b, start);
        let factor = b.ctx.constant_expr(self.coarsening.factor);
        let last = b.ctx.add_expr(last, factor);
        let upper = exprs.finish(b, &[end, last]);
        AffineForOp::create(b, &lower, &upper, 1, &[], |b, at, _| {
            let mut map = first.clone();
            map.insert(variable, at);
            for &op in &self.stencil.body {
                let copy = b.clone_op(op, &mut map);
                b.insert(copy);
            }
            Vec::new()
        });
    }
}

//! `persist-loops`: a sequential loop round parallel ones runs in one block, which persists through its steps.
//!
//! Loops over time and factorisations run on the host with a launch for each phase ([`super::split_launches`]). Where a
//! phase has little to do, launches are all that it takes: one block then executes the whole loop, its threads share the
//! iterations of each parallel loop, and a barrier stands where launches would have followed each other. A block sees what its
//! threads have written, behind a barrier. (Persistent threads: Gupta, Stuart and Owens, InPar 2012; of loops over time:
//! Zhang et al., PERKS, ICS 2023, with blocks that wait for each other by the grid.)
//!
//! Needs `kernels` regions whose parallel loops are known and open ([`super::recognize_parallel`]). Leaves a loop that pays for some
//! sizes in two versions, between which the host chooses by the iterations of a launch on average
//! ([`super::persist_choice`]); one that pays in any case in one. The loop that persists is marked, and its parallel loops are
//! mapped.

use gpuc_arch::Arch;
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::mapping::{
    Axis, DimMap, Distribution, LoopMapping, MAPPING_ATTR, Size,
};
use gpuc_dialects::offload::{Construct, PERSISTENT_ATTR, RegionOp, SCHEDULE_ATTR};
use gpuc_dialects::{arith, memref, scf};
use gpuc_ir::op::{FoldResult, Traits};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::rewrite::{Folded, try_fold};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueMap, WalkOrder};

use super::block_shape::row_length;
use super::host_plan::{HostPlan, is_worth_launches};
use super::persist_choice::{Choice, Step, phases};
use super::schedule::{Asked, region_sizes};
use super::segments::{has_effects, has_parallel_loop};
use super::split_launches::runs_on_host;
use crate::analysis::access::root;
use crate::analysis::loops::dimensions;
use crate::analysis::trips::Trips;
use crate::plan::text::Placed;
use crate::plan::{Given, is_planned, names, record, step};
use crate::steps::refusal::Refusal;
use crate::target::target;
use crate::versions::in_fallback;

gpuc_ir::pass! {
    /// Let one block execute sequential loops whose steps have little to do.
    PersistLoops = "persist-loops" on "func.func" {
        /// The device, whose table has the time of a launch.
        arch: String = Arch::default_target().name.to_owned(),
        /// Threads of the block, instead of those that take the least on the device.
        threads: Option<i64> = None,
        /// Iterations of a launch up to which a loop persists, instead of those for the device; 0: always.
        most_iterations: Option<i64> = None,
    }
}

impl Pass for PersistLoops {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let arch = target(&self.arch)?;
        let given = Given::of(ir, op)?;
        let steps = given.as_ref().map(Given::of_kind::<step::Persist>);
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            let Some(region) = RegionOp::cast(ir, inner) else { continue };
            let planned = is_planned(ir, inner);
            match steps.as_ref().filter(|_| planned) {
                Some(steps) => follow(ir, op, region, steps, arch)?,
                None if in_fallback(ir, inner) => {}
                None => self.persist(ir, (op, region), arch, cx)?,
            }
        }
        let mut left = steps.iter().flatten().filter(|(_, placed)| !placed.is_taken(ir, op));
        if let Some((step, placed)) = left.next() {
            let at = placed.find(ir, op, &step.time)?;
            let rule = "it is no sequential loop round parallel ones that stands in a `kernels` region itself";
            return Err(placed.refused(ir, &Refusal::new(NAME, at, rule)));
        }
        Ok(())
    }
}

const NAME: &str = "persist-loops";
const UNCOUNTED: &str = "the host cannot compute how many iterations there are";
const UNKEPT: &str = "what the versions would hand to each other cannot be kept in memory";

/// The sequential loops round parallel ones that stand in a region itself.
fn candidates(ir: &Ir, region: RegionOp) -> Vec<Op> {
    if region.kind(ir) != Construct::Kernels {
        return Vec::new();
    }
    let is_loop = |op: Op| ir.is_sequential_loop(op) || scf::WhileOp::is(ir, op);
    let is_candidate = |&op: &Op| is_loop(op) && has_parallel_loop(ir, op);
    ir.ops(region.block(ir)).filter(is_candidate).collect()
}

/// A loop that one block can execute.
struct Loop {
    op: Op,
    /// The parallel loops in it.
    parallel: Vec<Op>,
}

impl Loop {
    /// Whether one block can execute a loop as it is.
    fn of(ir: &Ir, region: RegionOp, op: Op) -> Result<Loop, Refusal> {
        let nested = ir.nested_ops(op, WalkOrder::PreOrder);
        let is_parallel = |&op: &Op| ir.has_trait(op, Traits::PARALLEL_LOOP);
        let parallel: Vec<Op> = nested.iter().copied().filter(is_parallel).collect();
        let is_within = |inner: Op, outer: Op| inner != outer && ir.is_inside(inner, outer);
        let holds = |&outer: &Op| parallel.iter().any(|&inner| is_within(inner, outer));
        if let Some(outer) = parallel.iter().copied().find(holds) {
            let rule = "a parallel loop has others in it, which blocks of a grid share";
            return Err(Refusal::new(NAME, outer, rule));
        }
        let asks = |&op: &Op| {
            let asked = Asked::of(ir, op);
            ir.attr(op, MAPPING_ATTR).is_some() || asked != Asked::default()
        };
        let asking = parallel.iter().copied().find(asks);
        let sized = (region_sizes(ir, region) != [None; 3]).then_some(region.op());
        if let Some(at) = asking.or(sized) {
            let rule = "the program says who executes the iterations";
            return Err(Refusal::new(NAME, at, rule));
        }
        let used = nested.iter().flat_map(|&inner| ir.operands(inner)).find_map(|value| {
            let local = ir.defining_op(root(ir, value)).filter(|_| ir.ctx.is_memref(ir.ty(value)));
            local.filter(|&local| {
                memref::AllocaOp::is(ir, local) && is_shared(ir, local, region, &parallel)
            })
        });
        if let Some(local) = used {
            let rule = "a local array is used by several of its phases, and may not fit the memory of a block";
            return Err(Refusal::new(NAME, local, rule));
        }
        Ok(Loop { op, parallel })
    }

    /// Whether all that it does outside of its parallel loops is done once in a step: what one thread repeats is no faster with
    /// a block waiting for it.
    fn has_short_phases(&self, ir: &Ir) -> bool {
        let nested = ir.nested_ops(self.op, WalkOrder::PreOrder);
        nested.into_iter().filter(|&op| ir.is_loop(op)).all(|op| {
            let in_parallel = self.parallel.iter().any(|&nest| ir.is_inside(op, nest));
            in_parallel || has_parallel_loop(ir, op) || !has_effects(ir, op)
        })
    }

    /// Whether a step is two sweeps and nothing else, the same in every step: a launch may execute several steps of it
    /// ([`crate::locality::block_time`]).
    fn is_swept(&self, ir: &Ir) -> bool {
        let body = ir.body(self.op, 0);
        let is_sweep = |op: Op| self.parallel.contains(&op) && ir.results(op).is_empty();
        let mut others = ir.ops(body).filter(|&op| !is_sweep(op));
        self.parallel.len() == 2
            && ir.results(self.op).is_empty()
            && ir.arguments(body).iter().all(|&variable| ir.is_unused(variable))
            && others.all(|op| ir.has_trait(op, Traits::TERMINATOR) || ir.is_effect_free(op))
    }

    /// Phases of a step.
    fn phases(&self, ir: &Ir) -> i64 {
        let nested = ir.nested_ops(self.op, WalkOrder::PreOrder).into_iter();
        let around = nested
            .filter(|&op| has_parallel_loop(ir, op) && !ir.has_trait(op, Traits::PARALLEL_LOOP));
        let blocks = around.flat_map(|op| ir.regions(op).to_vec());
        let blocks = blocks.flat_map(|region| ir.blocks(region).to_vec());
        blocks.map(|block| phases(ir, &ir.ops(block).collect::<Vec<_>>())).sum()
    }
}

/// Whether a local array of a region is memory that the phases of a loop share.
fn is_shared(ir: &Ir, local: Op, region: RegionOp, parallel: &[Op]) -> bool {
    ir.is_inside(local, region.op()) && !parallel.iter().any(|&nest| ir.is_inside(local, nest))
}

/// Iterations of a loop's parallel loops in all of its steps, with the rounds of loops inside, and the launches of its
/// phases, as the host counts them in front of the region.
struct Counts {
    iterations: Value,
    launches: Value,
}

struct Counter<'b> {
    b: Builder<'b>,
    trips: Trips,
}

impl Counter<'_> {
    fn number(&mut self, value: f64) -> Value {
        let ty = self.b.ctx.f64();
        arith::constant_float(&mut self.b, value, ty)
    }

    /// What a block comes to; `None` where a loop in it has bounds that the host does not know.
    fn block(&mut self, op: Op) -> Option<Counts> {
        let ir = &self.b;
        let blocks = ir.regions(op).iter().flat_map(|&region| ir.blocks(region).to_vec());
        let ops: Vec<Op> = blocks.flat_map(|block| ir.ops(block).collect::<Vec<_>>()).collect();
        let own = phases(ir, &ops);
        let mut counts = Counts { iterations: self.number(0.0), launches: self.number(own as f64) };
        for op in ops.into_iter().filter(|&op| has_parallel_loop(&self.b, op)).collect::<Vec<_>>() {
            let inner = if self.b.has_trait(op, Traits::PARALLEL_LOOP) {
                Counts { iterations: self.rounds(op)?, launches: self.number(0.0) }
            } else if self.b.is_counted_loop(op) {
                self.steps(op)?
            } else {
                self.block(op)?
            };
            counts = Counts {
                iterations: self.plus(counts.iterations, inner.iterations),
                launches: self.plus(counts.launches, inner.launches),
            };
        }
        Some(counts)
    }

    /// The same of all steps of a sequential loop.
    fn steps(&mut self, op: Op) -> Option<Counts> {
        let trips = self.trips(op)?;
        let each = self.block(op)?;
        Some(Counts {
            iterations: self.times(trips, each.iterations),
            launches: self.times(trips, each.launches),
        })
    }

    /// Iterations of a loop, or, where there are loops in it, their rounds.
    fn rounds(&mut self, op: Op) -> Option<Value> {
        let trips = self.trips(op)?;
        let nested = self.b.nested_ops(op, WalkOrder::PreOrder);
        let is_outermost = |inner: Op| {
            let mut around = self.b.ancestors(inner).take_while(|&outer| outer != op);
            inner != op && self.b.is_loop(inner) && !around.any(|op| self.b.is_loop(op))
        };
        let inner: Vec<Op> = nested.into_iter().filter(|&inner| is_outermost(inner)).collect();
        let mut each = self.number(1.0);
        for op in inner {
            let rounds = self.rounds(op)?;
            each = self.plus(each, rounds);
        }
        Some(self.times(trips, each))
    }

    fn trips(&mut self, op: Op) -> Option<Value> {
        let dims = dimensions(&self.b, op);
        let mut all = self.number(1.0);
        for dim in &dims {
            let trips = self.trips.of(&mut self.b, dim)?;
            all = self.times(all, trips);
        }
        (!dims.is_empty()).then_some(all)
    }

    fn plus(&mut self, x: Value, y: Value) -> Value {
        if arith::constant_float_value(&self.b, x) == Some(0.0) {
            return y;
        }
        arith::AddFOp::new(&mut self.b, x, y).value(&mut self.b)
    }

    fn times(&mut self, x: Value, y: Value) -> Value {
        arith::MulFOp::new(&mut self.b, x, y).value(&mut self.b)
    }
}

/// Counts a loop's iterations and launches in front of its region; numbers become constants.
fn counts(ir: &mut Ir, region: RegionOp, op: Op) -> Option<Counts> {
    let before = ir.previous_op(region.op());
    let trips = Trips { scope: region.op(), map: ValueMap::new() };
    let mut counter = Counter { b: Builder::before(ir, region.op()), trips };
    // Of a loop of any number of steps the mean is that of one.
    let counted = match counter.b.is_counted_loop(op) {
        true => counter.steps(op),
        false => counter.block(op),
    };
    let first = match before {
        Some(before) => ir.next_op(before),
        None => ir.parent_block(region.op()).and_then(|block| ir.first_op(block)),
    };
    let mut counted = counted?;
    let mut next = first.filter(|&first| first != region.op());
    while let Some(made) = next {
        next = ir.next_op(made).filter(|&next| next != region.op());
        if let Some(folded) = folded(ir, made) {
            let result = ir.result(made, 0);
            for value in [&mut counted.iterations, &mut counted.launches] {
                if *value == result {
                    *value = folded;
                }
            }
            ir.replace_op(made, &[folded]);
        }
    }
    Some(counted)
}

/// The value that an operation of one result folds to.
fn folded(ir: &mut Ir, op: Op) -> Option<Value> {
    let [result] = ir.results(op)[..] else { return None };
    let ty = ir.ty(result);
    let Folded::Results(found) = try_fold(ir, op) else { return None };
    match *found.first()? {
        FoldResult::Value(value) => Some(value),
        FoldResult::Attr(attr) => {
            let mut b = Builder::before(ir, op);
            let value = arith::constant(&mut b, attr);
            (b.ty(value) == ty).then_some(value)
        }
    }
}

/// Iterations of a launch on average, where that is a number.
fn average(ir: &Ir, counts: &Counts) -> Option<f64> {
    let iterations = arith::constant_float_value(ir, counts.iterations)?;
    let launches = arith::constant_float_value(ir, counts.launches)?;
    Some(iterations / launches.max(1.0))
}

impl PersistLoops {
    /// Lets the loops of a region persist that pay.
    fn persist(
        &self,
        ir: &mut Ir,
        (func, region): (Op, RegionOp),
        arch: &Arch,
        cx: &mut PassContext<'_>,
    ) -> Result<(), Diagnostic> {
        for op in candidates(ir, region) {
            // One block anyhow.
            if !is_worth_launches(ir, op, row_length(arch, None)) {
                continue;
            }
            let time = names::of(ir, op);
            let place = ir.ctx.place(ir.location(op));
            let said = match self.take(ir, region, op, arch)? {
                Ok(Choice { threads, most }) => {
                    if is_planned(ir, region.op()) {
                        record(ir, func, step::Persist { time, threads, most });
                    }
                    let which = match most {
                        0 => String::new(),
                        most => format!(
                            ", where its launches would have {most} iterations at most on average"
                        ),
                    };
                    let text = format!("Loop persists in one block of {threads} threads{which}");
                    Diagnostic::remark(text)
                }
                Err(why) => {
                    Diagnostic::missed(format!("Loop does not persist in one block: {why}"))
                }
            };
            cx.report(said.at_option(place));
        }
        Ok(())
    }

    /// Lets a loop persist if that pays, with the threads and the sizes that it was done for; else why it does not.
    fn take(
        &self,
        ir: &mut Ir,
        region: RegionOp,
        op: Op,
        arch: &Arch,
    ) -> Result<Result<Choice, String>, Diagnostic> {
        let found = match Loop::of(ir, region, op) {
            Ok(found) => found,
            Err(refusal) => return Ok(Err(refusal.rule)),
        };
        let given = self.threads.or(self.most_iterations).is_some();
        if !given && !found.has_short_phases(ir) {
            return Ok(Err(
                "a block would wait for what one thread repeats in its steps".to_owned()
            ));
        }
        let Some(counts) = counts(ir, region, op) else {
            return Ok(Err(UNCOUNTED.to_owned()));
        };
        let average = average(ir, &counts);
        let phases = (found.phases(ir), found.is_swept(ir));
        let step = Step::of(ir, op, &found.parallel, phases, arch);
        let chosen = step.choose(average);
        let Some(chosen) = chosen.or_else(|| given.then_some(Choice { threads: 256, most: 0 }))
        else {
            return Ok(Err(
                "launches take no longer than a block alone, whatever the size".to_owned()
            ));
        };
        let threads = self.threads.unwrap_or(chosen.threads);
        check_threads(threads, arch)?;
        let bound = self.most_iterations.unwrap_or(chosen.most);
        let most = match average {
            Some(average) if bound > 0 && average > bound as f64 => {
                let text = format!(
                    "its launches have {average:.0} iterations on average, and it pays up to {bound}"
                );
                return Ok(Err(text));
            }
            Some(_) => 0,
            None => bound,
        };
        let done = carry_out(ir, region, &found, (threads, most), &counts, arch);
        Ok(if done { Ok(Choice { threads, most }) } else { Err(UNKEPT.to_owned()) })
    }
}

/// Refuses a number of threads that no block has.
fn check_threads(threads: i64, arch: &Arch) -> Result<(), Diagnostic> {
    let most = i64::from(arch.limits.max_threads_per_block);
    if (1..=most).contains(&threads) {
        return Ok(());
    }
    Err(Diagnostic::error(format!("a block has 1 to {most} threads, not {threads}")))
}

/// Takes the steps of a plan that are about the loops of a region.
fn follow(
    ir: &mut Ir,
    func: Op,
    region: RegionOp,
    steps: &[(step::Persist, &Placed)],
    arch: &Arch,
) -> Result<(), Diagnostic> {
    for op in candidates(ir, region) {
        let name = names::of(ir, op);
        let Some((step, placed)) = steps.iter().find(|(step, _)| step.time == name) else {
            continue;
        };
        check_threads(step.threads, arch).map_err(|why| placed.refused_as(&why))?;
        let found = Loop::of(ir, region, op).map_err(|refusal| placed.refused(ir, &refusal))?;
        let refuse = |ir: &Ir, rule: &str| placed.refused(ir, &Refusal::new(NAME, op, rule));
        let Some(counts) = counts(ir, region, op) else {
            return Err(refuse(ir, UNCOUNTED));
        };
        if !carry_out(ir, region, &found, (step.threads, step.most), &counts, arch) {
            return Err(refuse(ir, UNKEPT));
        }
        record(ir, func, step.clone());
    }
    Ok(())
}

/// Lets a loop persist in a block of so many threads, where the launches that it saves have `most` iterations at most on
/// average, in any case if that is 0. Whether it could be done; nothing is changed if not.
fn carry_out(
    ir: &mut Ir,
    region: RegionOp,
    found: &Loop,
    (threads, most): (i64, i64),
    counts: &Counts,
    arch: &Arch,
) -> bool {
    if most == 0 {
        mark(ir, found.op, threads);
        return true;
    }
    let mut b = Builder::before(ir, region.op());
    let f64 = b.ctx.f64();
    let each = arith::constant_float(&mut b, most as f64, f64);
    let allowed = arith::MulFOp::new(&mut b, counts.launches, each).value(&mut b);
    let ole = arith::CmpFPredicate::Ole.attr(&mut b.ctx);
    let few = arith::CmpFOp::new(&mut b, counts.iterations, allowed)
        .attr(&mut b, "predicate", ole)
        .value(&mut b);
    let op = found.op;
    let copy = ir.clone_op(op, &mut ValueMap::new());
    let types: Vec<_> = ir.result_types(op).collect();
    let results = [copy, op].map(|version| ir.results(version).to_vec());
    let mut b = Builder::before(ir, op);
    let [then, otherwise] =
        results.map(|values| b.region(&[], |b, _| _ = scf::YieldOp::new(b, &values).build(b)));
    let choice = scf::IfOp::new(&mut b, few)
        .result_group(&types)
        .region(then)
        .region(otherwise)
        .build(&mut b);
    for (i, &result) in ir.results(op).to_vec().iter().enumerate() {
        let chosen = ir.result(choice, i);
        let end = ir.terminator(ir.body(choice, 1));
        ir.replace_uses_if(result, chosen, |ir, slot| Some(ir.use_owner(slot)) != end);
    }
    ir.detach_op(op);
    for (i, version) in [copy, op].into_iter().enumerate() {
        let end = ir.terminator(ir.body(choice, i)).expect("the branch ends with a yield");
        ir.insert_before(end, version);
    }
    mark(ir, copy, threads);
    let row = row_length(arch, None);
    let is_split = HostPlan::of(ir, region, &|ir: &Ir, op| runs_on_host(ir, op, row))
        .is_some_and(|plan| plan.kept.contains(&choice));
    if !is_split {
        ir.detach_op(op);
        ir.insert_before(choice, op);
        for (i, &result) in ir.results(choice).to_vec().iter().enumerate() {
            let own = ir.result(op, i);
            ir.replace_all_uses(result, own);
        }
        ir.erase_op(choice);
    }
    is_split
}

/// Marks the loop, and gives the iterations of its parallel loops to the threads of a block.
fn mark(ir: &mut Ir, op: Op, threads: i64) {
    for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
        if !ir.has_trait(inner, Traits::PARALLEL_LOOP) {
            continue;
        }
        let dims = ir.arguments(ir.body(inner, 0)).len();
        let axes = vec![(Axis::Thread(0), Size::Constant(threads))];
        let mapping = LoopMapping(vec![DimMap { axes, how: Distribution::Strided, dims }]);
        let attr = mapping.attr(&mut ir.ctx);
        ir.set_attr(inner, MAPPING_ATTR, attr);
        ir.remove_attr(inner, SCHEDULE_ATTR);
    }
    let unit = ir.ctx.unit_attr();
    ir.set_attr(op, PERSISTENT_ATTR, unit);
}

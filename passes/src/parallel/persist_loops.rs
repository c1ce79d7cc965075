//! `persist-loops`: a sequential loop round parallel ones runs in one block, or in a grid, which persists through its steps.
//!
//! Loops over time and factorisations run on the host with a launch for each phase ([`super::split_launches`]). Where a
//! phase has little to do, launches are all that it takes: one block then executes the whole loop, its threads share the
//! iterations of each parallel loop, and a barrier stands where launches would have followed each other. A block sees what its
//! threads have written, behind a barrier. Where phases have more to do than that, a grid of one block on each multiprocessor executes the loop
//! ([`super::persist_grid`]), whose blocks wait for each other: that takes half as long as a launch. (Persistent threads: Gupta, Stuart and Owens, InPar 2012; of loops over time:
//! Zhang et al., PERKS, ICS 2023.)
//!
//! Needs `kernels` regions whose parallel loops are known and open ([`super::recognize_parallel`]). Leaves a loop that pays for some
//! sizes in two versions, between which the host chooses by the iterations of a launch on average
//! ([`super::persist_choice`]); one that pays in any case in one; one in a grid has a second version, for devices that cannot. The loop that persists is marked, and its parallel loops are
//! mapped.

use gpuc_arch::Arch;
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::mapping::{
    Axis, DimMap, Distribution, LoopMapping, MAPPING_ATTR, Size,
};
use gpuc_dialects::offload::{Construct, PERSISTENT_ATTR, RegionOp, SCHEDULE_ATTR};
use gpuc_dialects::{arith, memref, scf};
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueMap, WalkOrder};

use super::block_shape::row_length;
use super::host_plan::{HostPlan, is_worth_launches};
use super::persist_choice::{Choice, Step, phases};
use super::persist_counts::{Counts, average, counts};
use super::persist_grid;
use super::schedule::{Asked, region_sizes};
use super::segments::{has_effects, has_parallel_loop};
use super::split_launches::runs_on_host;
use crate::analysis::access::root;
use crate::plan::text::Placed;
use crate::plan::{Given, is_planned, names, record, step};
use crate::steps::refusal::Refusal;
use crate::target::target;
use crate::versions::in_fallback;

gpuc_ir::pass! {
    /// Let one block, or a grid whose blocks wait for each other, execute sequential loops whose steps have little to do.
    PersistLoops = "persist-loops" on "func.func" {
        /// The device, whose table has the time of a launch.
        arch: String = Arch::default_target().name.to_owned(),
        /// Blocks of a grid whose blocks wait for each other, instead of one where threads or iterations are given.
        blocks: Option<i64> = None,
        /// Threads of a block, instead of those that take the least on the device.
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

pub(super) const NAME: &str = "persist-loops";
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

/// A loop that can persist.
struct Loop {
    op: Op,
    /// The parallel loops in it.
    parallel: Vec<Op>,
    /// A parallel loop with others in it, which one block cannot share, and blocks of a grid can.
    outer: Option<Op>,
}

impl Loop {
    /// Whether a loop can persist as it is.
    fn of(ir: &Ir, region: RegionOp, op: Op) -> Result<Loop, Refusal> {
        let nested = ir.nested_ops(op, WalkOrder::PreOrder);
        let is_parallel = |&op: &Op| ir.has_trait(op, Traits::PARALLEL_LOOP);
        let parallel: Vec<Op> = nested.iter().copied().filter(is_parallel).collect();
        let is_within = |inner: Op, outer: Op| inner != outer && ir.is_inside(inner, outer);
        let holds = |&outer: &Op| parallel.iter().any(|&inner| is_within(inner, outer));
        let outer = parallel.iter().copied().find(holds);
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
        Ok(Loop { op, parallel, outer })
    }

    /// Refuses a loop that so many blocks cannot execute.
    fn check(&self, ir: &Ir, blocks: i64) -> Result<(), Refusal> {
        match (blocks, self.outer) {
            (1, Some(outer)) => {
                let rule = "a parallel loop has others in it, which blocks of a grid share";
                Err(Refusal::new(NAME, outer, rule))
            }
            (1, None) => Ok(()),
            _ => persist_grid::check(ir, self.op, &self.parallel),
        }
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
            match self.take(ir, region, op, arch)? {
                Ok(taken) => {
                    for choice in taken {
                        if is_planned(ir, region.op()) {
                            record(ir, func, step_of(&time, choice));
                        }
                        cx.report(Diagnostic::remark(said(choice)).at_option(place.clone()));
                    }
                }
                Err(why) => {
                    let text = format!("Loop does not persist in one block: {why}");
                    cx.report(Diagnostic::missed(text).at_option(place));
                }
            }
        }
        Ok(())
    }

    /// Lets a loop persist if that pays, with what it was done for; else why it does not.
    fn take(
        &self,
        ir: &mut Ir,
        region: RegionOp,
        op: Op,
        arch: &Arch,
    ) -> Result<Result<Vec<Choice>, String>, Diagnostic> {
        let found = match Loop::of(ir, region, op) {
            Ok(found) => found,
            Err(refusal) => return Ok(Err(refusal.rule)),
        };
        let given = self.blocks.or(self.threads).or(self.most_iterations).is_some();
        if !given && !found.has_short_phases(ir) {
            return Ok(Err(
                "a block would wait for what one thread repeats in its steps".to_owned()
            ));
        }
        let [one, several] = [1, 2].map(|blocks| found.check(ir, blocks));
        let wide = self.blocks.is_some_and(|blocks| blocks > 1);
        match (&one, &several) {
            (_, Err(refusal)) if wide => return Ok(Err(refusal.rule.clone())),
            (Err(refusal), Ok(())) if given && !wide => return Ok(Err(refusal.rule.clone())),
            (Err(refusal), Err(_)) => return Ok(Err(refusal.rule.clone())),
            _ => {}
        }
        let Some(counts) = counts(ir, region, op) else {
            return Ok(Err(UNCOUNTED.to_owned()));
        };
        let average = average(ir, &counts);
        let phases = (found.phases(ir), found.is_swept(ir));
        let step = Step::of(ir, op, &found.parallel, phases, arch);
        let mut chosen = step.choose(average, one.is_ok(), several.is_ok() && !given);
        if given {
            let first = chosen.first().copied();
            let first = first.unwrap_or(Choice { blocks: 1, threads: 256, most: 0 });
            chosen = vec![Choice {
                blocks: self.blocks.unwrap_or(1),
                threads: self.threads.unwrap_or(first.threads),
                most: self.most_iterations.unwrap_or(first.most),
            }];
        }
        let mut taken = Vec::new();
        let mut why = "launches take no longer than a block alone, whatever the size".to_owned();
        for mut choice in chosen {
            check_sizes(&choice, arch)?;
            let Choice { most, .. } = choice;
            if let Some(average) = average {
                if most > 0 && average > most as f64 {
                    why = format!(
                        "its launches have {average:.0} iterations on average, and it pays up to {most}"
                    );
                    continue;
                }
                choice.most = 0;
            }
            if !carry_out(ir, region, &found, choice, &counts, arch) {
                why = UNKEPT.to_owned();
                break;
            }
            taken.push(choice);
        }
        Ok(if taken.is_empty() { Err(why) } else { Ok(taken) })
    }
}

/// What a choice is in a plan.
fn step_of(time: &str, Choice { blocks, threads, most }: Choice) -> step::Persist {
    step::Persist { time: time.to_owned(), blocks, threads, most }
}

/// What the user is told of a choice.
fn said(Choice { blocks, threads, most }: Choice) -> String {
    let place = match blocks {
        1 => format!("one block of {threads} threads"),
        _ => format!("{blocks} blocks of {threads} threads, which wait for each other"),
    };
    match most {
        0 => format!("Loop persists in {place}"),
        _ => format!(
            "Loop persists in {place}, where its launches would have {most} iterations at most on average"
        ),
    }
}

/// Refuses a number of threads that no block has, and one of blocks that no grid has.
fn check_sizes(choice: &Choice, arch: &Arch) -> Result<(), Diagnostic> {
    let most = i64::from(arch.limits.max_threads_per_block);
    let Choice { blocks, threads, .. } = *choice;
    if !(1..=most).contains(&threads) {
        let text = format!("a block has 1 to {most} threads, not {threads}");
        return Err(Diagnostic::error(text));
    }
    let most = i64::from(arch.limits.max_blocks_per_sm * arch.chip.sm_count);
    if !(1..=most).contains(&blocks) {
        let text = format!("1 to {most} blocks run at once, not {blocks}");
        return Err(Diagnostic::error(text));
    }
    Ok(())
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
        let mut counted = None;
        for (step, placed) in steps.iter().filter(|(step, _)| step.time == name) {
            let step::Persist { blocks, threads, most, .. } = *step;
            let choice = Choice { blocks, threads, most };
            check_sizes(&choice, arch).map_err(|why| placed.refused_as(&why))?;
            let refuse = |ir: &Ir, rule: &str| placed.refused(ir, &Refusal::new(NAME, op, rule));
            if ir.attr(op, PERSISTENT_ATTR).is_some() {
                return Err(refuse(ir, "it persists in any case by the step before"));
            }
            let found = Loop::of(ir, region, op).map_err(|refusal| placed.refused(ir, &refusal))?;
            found.check(ir, blocks).map_err(|refusal| placed.refused(ir, &refusal))?;
            if counted.is_none() {
                counted = counts(ir, region, op);
            }
            let Some(counts) = &counted else { return Err(refuse(ir, UNCOUNTED)) };
            if !carry_out(ir, region, &found, choice, counts, arch) {
                return Err(refuse(ir, UNKEPT));
            }
            record(ir, func, step.clone());
        }
    }
    Ok(())
}

/// Lets a loop persist as was chosen, where the launches that it saves have `most` iterations at most on average, in any
/// case if that is 0; a grid where the device runs it at once. Whether it could be done; nothing is changed if not.
fn carry_out(
    ir: &mut Ir,
    region: RegionOp,
    found: &Loop,
    Choice { blocks, threads, most }: Choice,
    counts: &Counts,
    arch: &Arch,
) -> bool {
    if most == 0 && blocks == 1 {
        mark(ir, found.op, threads);
        return true;
    }
    let grid = (blocks > 1).then(|| persist_grid::ask(ir, region, (blocks, threads)));
    let few = (most > 0).then(|| are_few(ir, region, counts, most));
    let runs = grid.map(|(_, blocks)| is_any(ir, region, blocks));
    let both = few.zip(runs).map(|(few, runs)| {
        let mut b = Builder::before(ir, region.op());
        arith::AndIOp::new(&mut b, few, runs).value(&mut b)
    });
    let condition = both.or(few).or(runs).expect("there is a condition, or this is done");
    let op = found.op;
    let copy = ir.clone_op(op, &mut ValueMap::new());
    let types: Vec<_> = ir.result_types(op).collect();
    let results = [copy, op].map(|version| ir.results(version).to_vec());
    let mut b = Builder::before(ir, op);
    let [then, otherwise] =
        results.map(|values| b.region(&[], |b, _| _ = scf::YieldOp::new(b, &values).build(b)));
    let choice = scf::IfOp::new(&mut b, condition)
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
    match grid {
        Some((word, _)) => persist_grid::mark(ir, copy, word, threads),
        None => mark(ir, copy, threads),
    }
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

/// Whether launches have `most` iterations at most on average, as the host computes it in front of a region.
fn are_few(ir: &mut Ir, region: RegionOp, counts: &Counts, most: i64) -> Value {
    let mut b = Builder::before(ir, region.op());
    let f64 = b.ctx.f64();
    let each = arith::constant_float(&mut b, most as f64, f64);
    let allowed = arith::MulFOp::new(&mut b, counts.launches, each).value(&mut b);
    let ole = arith::CmpFPredicate::Ole.attr(&mut b.ctx);
    let compared = arith::CmpFOp::new(&mut b, counts.iterations, allowed);
    compared.attr(&mut b, "predicate", ole).value(&mut b)
}

/// Whether there are any blocks, likewise.
fn is_any(ir: &mut Ir, region: RegionOp, blocks: Value) -> Value {
    let mut b = Builder::before(ir, region.op());
    let none = arith::constant_index(&mut b, 0);
    let ne = arith::CmpIPredicate::Ne.attr(&mut b.ctx);
    arith::CmpIOp::new(&mut b, blocks, none).attr(&mut b, "predicate", ne).value(&mut b)
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

//! `spread-reductions`: the rounds of inner loops, reductions above all, are shared by the lanes of a warp, a
//! part of one, or the threads of a block.
//!
//! Needs compute regions whose parallel loops the program leaves open to be mapped, round innermost loops that
//! it leaves to the compiler ([`RowNest`]); leaves them mapped: an iteration of the parallel loop, a row, for each
//! part of a warp, and consecutive rounds of the inner loops for its consecutive lanes. Loops whose rows lie side by side
//! in memory then read it in sectors that are used whole, and few rows still make many threads (Bell and
//! Garland, "Implementing sparse matrix-vector multiplication on throughput-oriented processors", 2009, the vector kernel;
//! a part of a warp for short rows as in CUSP).
//!
//! A nest is taken where that asks for clearly fewer sectors than a thread for each row. How many threads share a
//! row depends on the number of rounds: where the host knows it, there is a version of the region for each plan with the condition for it, and
//! behind them the region as it was. Sums of numbers with fractions are made in another order, as
//! those of loops that a clause or the compiler makes parallel are.

use gpuc_arch::Arch;
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::arith;
use gpuc_dialects::offload::mapping::MAPPING_ATTR;
use gpuc_dialects::offload::{ORDERED_SUMS_ATTR, RegionOp};
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueMap, WalkOrder};

use super::lanes::columns;
use super::lanes::row_nest::RowNest;
use super::lanes::spread_plan::{Gain, Range, SpreadPlan};
use crate::analysis::loops::{CountedLoop, constant_trips, dimensions};
use crate::analysis::slice::{build_polynomial, pure_slice};
use crate::parallel::schedule::{Asked, Levels, region_sizes};
use crate::plan::text::Placed;
use crate::plan::{Given, is_planned, names, record, step};
use crate::steps::refusal::Refusal;
use crate::target::target;
use crate::versions::{self, in_fallback};

gpuc_ir::pass! {
    /// Let lanes of a warp, or the threads of a block, share the rounds of inner loops.
    SpreadReductions = "spread-reductions" on "func.func" {
        /// The device, whose table gives the number of multiprocessors.
        arch: String = Arch::default_target().name.to_owned(),
        /// Threads that share a row, whatever its length, instead of those of the plans for the device.
        width: Option<i64> = None,
        /// Neighbouring columns of a block, whose sums `width` rows of threads share, instead of lanes.
        columns: Option<i64> = None,
        /// Whether sums of numbers with fractions may be made in another order.
        associative: bool = true,
    }
}

impl Pass for SpreadReductions {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let arch = target(&self.arch)?;
        let given = Given::of(ir, op)?;
        let steps = given.as_ref().map(Given::of_kind::<step::Spread>);
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            let Some(region) = RegionOp::cast(ir, inner) else { continue };
            let ordered = ir.attr(op, ORDERED_SUMS_ATTR).is_some();
            let own =
                SpreadReductions { associative: self.associative && !ordered, ..self.clone() };
            match steps.as_ref().filter(|_| is_planned(ir, inner)) {
                Some(steps) => own.follow(ir, (op, region), steps, arch, cx)?,
                None if in_fallback(ir, inner) => {}
                None => own.spread(ir, op, region, arch, cx)?,
            }
        }
        let mut left = steps.iter().flatten().filter(|(_, placed)| !placed.is_taken(ir, op));
        if let Some((step, placed)) = left.next() {
            let at = placed.find(ir, op, &step.rows[0])?;
            let rule = "these are not all the loops of open nests of one launch round inner loops whose \
                        rounds threads can share";
            return Err(placed.refused(ir, &Refusal::new("spread-reductions", at, rule)));
        }
        Ok(())
    }
}

/// The parallel loops directly in a region whose mapping the program leaves open.
fn open_nests(ir: &Ir, region: RegionOp) -> Vec<Op> {
    if region_sizes(ir, region) != [None; 3] {
        return Vec::new();
    }
    let is_open = |&op: &Op| {
        let asked = Asked::of(ir, op);
        // Blocks and their threads are what gangs with vector lanes ask for.
        let levels = Levels { worker: false, ..asked.levels };
        let whole = Levels { gang: true, worker: false, vector: true };
        ir.has_trait(op, Traits::PARALLEL_LOOP)
            && (asked.levels == Levels::SEQUENTIAL || levels == whole)
            && asked.sizes == [None; 3]
            && ir.attr(op, MAPPING_ATTR).is_none()
    };
    ir.ops(region.block(ir)).filter(is_open).collect()
}

impl SpreadReductions {
    fn nests(&self, ir: &Ir, region: RegionOp) -> Vec<RowNest> {
        let open = open_nests(ir, region);
        open.into_iter().filter_map(|op| RowNest::of(ir, op, self.associative).ok()).collect()
    }

    /// Takes the steps of a plan that are about the nests of a region.
    fn follow(
        &self,
        ir: &mut Ir,
        (func, mut region): (Op, RegionOp),
        steps: &[(step::Spread, &Placed)],
        arch: &Arch,
        cx: &mut PassContext<'_>,
    ) -> Result<(), Diagnostic> {
        for (step, placed) in steps {
            let mut nests = self.nests(ir, region);
            nests.retain(|nest| {
                names::of_loop(ir, nest.nest).iter().all(|name| step.rows.contains(name))
            });
            if rows(ir, &nests) != step.rows {
                continue;
            }
            let refuse = |ir: &Ir, rule: &str| {
                placed.refused(ir, &Refusal::new("spread-reductions", nests[0].nest, rule))
            };
            let plan = match step.columns {
                0 => SpreadPlan::new(step.width, arch),
                columns => SpreadPlan::columns(step.width, columns, arch),
            };
            let unfit = nests.iter().filter(|_| step.columns > 0);
            if let Some(refusal) = unfit.into_iter().find_map(|nest| columns::check(ir, nest).err())
            {
                return Err(placed.refused(ir, &refusal));
            }
            let Some(plan) = plan else {
                return Err(refuse(
                    ir,
                    "widths are powers of two from 2 to the threads of a block",
                ));
            };
            if step.rounds > 0 || step.most > 0 {
                let most_rows = Some(step.most).filter(|&most| most > 0);
                let range = Range { least_rounds: step.rounds, most_rows };
                let mut b = Builder::before(ir, region.op());
                let Some(holds) = conditions(&mut b, region, &nests, &range) else {
                    return Err(refuse(ir, "the host cannot compute how many rounds there are"));
                };
                let rest = versions::copy_as_rest(ir, region.op());
                for nest in &nests {
                    carry_out(ir, nest, &plan, &plan.to_string(), cx);
                }
                versions::choose(ir, holds, region.op(), rest);
                region = RegionOp(rest);
            } else {
                for nest in &nests {
                    carry_out(ir, nest, &plan, &plan.to_string(), cx);
                }
            }
            record(ir, func, step.clone());
        }
        Ok(())
    }

    fn spread(
        &self,
        ir: &mut Ir,
        func: Op,
        region: RegionOp,
        arch: &Arch,
        cx: &mut PassContext<'_>,
    ) -> Result<(), Diagnostic> {
        let mut nests = self.nests(ir, region);
        if let Some(width) = self.width {
            let plan = match self.columns {
                Some(columns) => SpreadPlan::columns(width, columns, arch),
                None => SpreadPlan::new(width, arch),
            };
            let plan = plan.ok_or_else(|| {
                Diagnostic::error(format!("{width} threads cannot share a row"))
                    .help("widths are powers of two from 2 to the threads of a block")
            })?;
            note(ir, func, &nests, &plan, None);
            for nest in &nests {
                carry_out(ir, nest, &plan, &plan.to_string(), cx);
            }
            return Ok(());
        }
        let Some(short) = SpreadPlan::short(arch) else { return Ok(()) };
        // What gains sectors goes before what gains threads alone: a region has one chain of versions.
        let of = |ir: &Ir, nest: &RowNest| match (
            nest.gains(ir, short.width),
            rounds(ir, region, nest).is_some(),
        ) {
            (true, true) => Some(Gain::Sectors),
            // A block for each row is what long ones get as they are.
            (true, false) if nest.is_shared_by_blocks(ir) => None,
            (true, false) => Some(Gain::SectorsOfUnknown),
            (false, true) if columns::check(ir, nest).is_ok() => Some(Gain::ThreadsByColumns),
            (false, true) => Some(Gain::Threads),
            (false, false) => None,
        };
        let found: Vec<Option<Gain>> = nests.iter().map(|nest| of(ir, nest)).collect();
        let all = [Gain::Sectors, Gain::SectorsOfUnknown, Gain::ThreadsByColumns, Gain::Threads];
        let Some(gain) = all.into_iter().find(|&gain| found.contains(&Some(gain))) else {
            return Ok(());
        };
        for (nest, _) in nests
            .iter()
            .zip(&found)
            .filter(|(_, own)| gain == Gain::Sectors && **own == Some(Gain::SectorsOfUnknown))
        {
            note(ir, func, std::slice::from_ref(nest), &short, None);
            carry_out(ir, nest, &short, &short.to_string(), cx);
        }
        let mut own = found.iter();
        nests.retain(|_| own.next() == Some(&Some(gain)));
        // The code runs on later devices too, with more multiprocessors.
        let later = Arch::all().iter().filter(|other| other.number >= arch.number);
        let sms = later.map(|other| other.chip.sm_count).max().unwrap_or(arch.chip.sm_count);
        let plans = SpreadPlan::candidates(arch, sms, gain);
        self.make_versions(ir, (func, region), nests, &plans, cx);
        Ok(())
    }

    /// Puts a version of the region for each plan that may be the one in front of the region as it is.
    fn make_versions(
        &self,
        ir: &mut Ir,
        (func, region): (Op, RegionOp),
        nests: Vec<RowNest>,
        plans: &[(SpreadPlan, Range)],
        cx: &mut PassContext<'_>,
    ) {
        let mut open = Vec::new();
        for &(plan, range) in plans {
            let verdict = decided(ir, region, &nests, &range);
            if verdict != Some(false) {
                open.push((plan, range, verdict));
            }
            if verdict == Some(true) {
                break;
            }
        }
        let words: Vec<String> = open
            .iter()
            .map(|(plan, range, verdict)| match verdict {
                Some(_) => plan.to_string(),
                None => format!("{plan} {range}"),
            })
            .collect();
        let words = words.join(", else ");
        let (mut region, mut nests) = (region, nests);
        for (plan, range, verdict) in open {
            if verdict.is_some() {
                note(ir, func, &nests, &plan, None);
                nests.iter().for_each(|nest| carry_out(ir, nest, &plan, &words, cx));
                return;
            }
            let mut b = Builder::before(ir, region.op());
            let Some(holds) = conditions(&mut b, region, &nests, &range) else { return };
            let places: Vec<usize> = nests
                .iter()
                .filter_map(|nest| ir.ops(region.block(ir)).position(|op| op == nest.nest))
                .collect();
            note(ir, func, &nests, &plan, Some(&range));
            let fallback = versions::copy_as_rest(ir, region.op());
            nests.iter().for_each(|nest| carry_out(ir, nest, &plan, &words, cx));
            versions::choose(ir, holds, region.op(), fallback);
            // What is left for the next plan is the copy.
            region = RegionOp(fallback);
            let ops: Vec<Op> = ir.ops(region.block(ir)).collect();
            nests = places
                .into_iter()
                .filter_map(|place| RowNest::of(ir, *ops.get(place)?, self.associative).ok())
                .collect();
        }
    }
}

/// The names of the loops of nests.
fn rows(ir: &Ir, nests: &[RowNest]) -> Vec<String> {
    nests.iter().flat_map(|nest| names::of_loop(ir, nest.nest)).collect()
}

/// Notes what is done to nests, for a range of sizes.
fn note(ir: &mut Ir, func: Op, nests: &[RowNest], plan: &SpreadPlan, range: Option<&Range>) {
    let planned = nests.first().is_some_and(|nest| is_planned(ir, nest.nest));
    if planned {
        let rounds = range.map_or(0, |range| range.least_rounds);
        let most = range.and_then(|range| range.most_rows).unwrap_or(0);
        let columns = if plan.by_columns { plan.rows } else { 0 };
        let step = step::Spread { rows: rows(ir, nests), width: plan.width, columns, rounds, most };
        record(ir, func, step);
    }
}

/// Takes a plan for a nest, and tells the user in what words it was chosen.
fn carry_out(
    ir: &mut Ir,
    nest: &RowNest,
    plan: &SpreadPlan,
    words: &str,
    cx: &mut PassContext<'_>,
) {
    let told = !in_fallback(ir, nest.nest);
    let mut said = Vec::new();
    for inner in &nest.loops {
        let place = ir.ctx.place(ir.location(inner.op));
        for each in &inner.reductions {
            let text = format!("Generating implicit reduction({})", each.kind.symbol());
            said.push(Diagnostic::remark(text).at_option(place.clone()));
        }
    }
    let place = ir.ctx.place(ir.location(nest.nest));
    said.push(Diagnostic::remark(format!("Rows shared: {words}")).at_option(place));
    match nest.apply(ir, plan) {
        Ok(()) if told => said.into_iter().for_each(|remark| cx.report(remark)),
        Ok(()) => {}
        Err(refusal) => cx.report(refusal.remark(ir)),
    }
}

/// The loop of a nest whose rounds the host can count; the first one.
fn rounds(ir: &Ir, region: RegionOp, nest: &RowNest) -> Option<CountedLoop> {
    let known = |dim: &CountedLoop| {
        let bounds = dim.lower.iter().chain(&dim.upper).flat_map(|bound| bound.values());
        dim.known
            && dim.complete
            && dim.lower.len() == 1
            && dim.upper.len() == 1
            && bounds.into_iter().all(|value| pure_slice(ir, value, region.op()).is_some())
    };
    nest.loops.iter().filter_map(|inner| inner.dimension(ir)).find(known)
}

/// Whether a plan is the one for all nests, as far as that is known while compiling.
fn decided(ir: &Ir, region: RegionOp, nests: &[RowNest], range: &Range) -> Option<bool> {
    let mut all = Some(true);
    for nest in nests {
        let counted = |least| Some(rounds(ir, region, nest)?.constant_trips()? >= least);
        let enough = match range.least_rounds {
            0 => Some(true),
            least => counted(least),
        };
        let few = match range.most_rows {
            None => Some(true),
            Some(most) => constant_trips(ir, nest.nest).map(|trips| {
                trips
                    .iter()
                    .try_fold(1i64, |rows, &trips| rows.checked_mul(trips))
                    .is_some_and(|rows| rows <= most)
            }),
        };
        match (enough, few) {
            (Some(false), _) | (_, Some(false)) => return Some(false),
            (Some(true), Some(true)) => {}
            _ => all = None,
        }
    }
    all
}

/// Iterations of a dimension, as the host counts them.
fn count(b: &mut Builder<'_>, region: RegionOp, dim: &CountedLoop) -> Option<Value> {
    let ([lower], [upper]) = (&dim.lower[..], &dim.upper[..]) else { return None };
    let span = upper.plus(lower, -1)?;
    let slice = |ir: &Ir, value| pure_slice(ir, value, region.op());
    let span = build_polynomial(b, &span, slice, &mut ValueMap::new())?;
    let zero = arith::constant_index(b, 0);
    let span = arith::MaxSIOp::new(b, span, zero).value(b);
    let step = arith::constant_index(b, dim.step?);
    Some(arith::CeilDivSIOp::new(b, span, step).value(b))
}

/// Whether, for all that the host knows at the builder's point in front of the region, a plan is the one
/// for all nests; `None` where it cannot know.
fn conditions(
    b: &mut Builder<'_>,
    region: RegionOp,
    nests: &[RowNest],
    range: &Range,
) -> Option<Value> {
    let mut all = arith::constant_bool(b, true);
    for nest in nests {
        if range.least_rounds > 0 {
            let dim = rounds(b, region, nest)?;
            let rounds = count(b, region, &dim)?;
            all = and_compare(b, all, arith::CmpIPredicate::Sge, rounds, range.least_rounds);
        }
        let Some(most) = range.most_rows else { continue };
        let mut rows = arith::constant_index(b, 1);
        for dim in dimensions(b, nest.nest) {
            let own = count(b, region, &dim)?;
            rows = arith::MulIOp::new(b, rows, own).value(b);
        }
        all = and_compare(b, all, arith::CmpIPredicate::Sle, rows, most);
    }
    Some(all)
}

fn and_compare(
    b: &mut Builder<'_>,
    all: Value,
    how: arith::CmpIPredicate,
    value: Value,
    with: i64,
) -> Value {
    let with = arith::constant_index(b, with);
    let predicate = how.attr(&mut b.ctx);
    let test = arith::CmpIOp::new(b, value, with).attr(b, "predicate", predicate).value(b);
    arith::AndIOp::new(b, all, test).value(b)
}

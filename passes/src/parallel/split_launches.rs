//! `split-launches`: sequential loops round parallel ones run on the host, a launch for each grid-wide
//! phase of a step.
//!
//! Blocks of one kernel cannot wait for each other, so a parallel loop inside a sequential one would have to
//! stay in one block. In a `kernels` region, whose statements run one after the other and may be kernels of their own
//! (OpenACC 3.3 §2.5.3), each sequential loop and conditional round parallel loops moves to the host function, and
//! what runs between them becomes regions, in order: one-thread kernels where it is no loop. Bounds,
//! conditions and carried values are computed on the host where they come from what it knows
//! ([`HostPlan`](super::host_plan)); what only the device has stays in its memory, and is read back where a
//! bound or condition needs it. A loop all of whose parallel loops are known to fit one block stays a kernel:
//! launches would give it no more threads. So do the loops of `parallel` regions, which promise no order
//! between gangs, and so no barrier.
//!
//! Needs the regions' parallel loops to be known ([`super::recognize_parallel`]), unmapped or mapped.

use gpuc_arch::Arch;
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::{Construct, PERSISTENT_ATTR, RegionOp};
use gpuc_dialects::{offload, scf};
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op, OpView, WalkOrder};

use super::block_shape::row_length;
use super::host_plan::{HostPlan, is_worth_launches};
use super::host_split::split;
use super::segments::has_parallel_loop;
use crate::lower::lower_affine::lower;
use crate::plan::step::Launches;
use crate::plan::text::Placed;
use crate::plan::{Given, is_planned, names, record};
use crate::steps::refusal::Refusal;
use crate::target::target;
use crate::versions::in_fallback;

gpuc_ir::pass! {
    /// Leave sequential loops round parallel ones on the host.
    SplitLaunches = "split-launches" on "func.func" {
        /// The device, whose table says what one block can do.
        arch: String = Arch::default_target().name.to_owned(),
    }
}

impl Pass for SplitLaunches {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let arch = target(&self.arch)?;
        let given = Given::of(ir, op)?;
        let steps = given.as_ref().map(Given::of_kind::<Launches>);
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            let Some(region) = RegionOp::cast(ir, inner) else { continue };
            if region.kind(ir) != Construct::Kernels {
                continue;
            }
            let threads = row_length(arch, None);
            let steps = steps.as_ref().filter(|_| is_planned(ir, inner));
            if let Some(steps) = steps {
                // Versions are the host's to choose between, whatever it runs besides.
                if steps.is_empty()
                    && let Some(plan) =
                        HostPlan::of(ir, region, &is_choice).filter(|plan| !plan.kept.is_empty())
                {
                    carry_out(ir, region, &plan, &is_choice)?;
                }
                for (step, placed) in steps {
                    follow(ir, op, region, step, placed)?;
                }
                continue;
            }
            let worth = |ir: &Ir, op: Op| runs_on_host(ir, op, threads);
            let plan = HostPlan::of(ir, region, &worth);
            if !in_fallback(ir, inner) {
                report_one_block(ir, region.op(), plan.as_ref(), threads, cx);
            }
            let Some(plan) = plan else { continue };
            let round = plan.kept.iter().filter(|&&op| !is_choice(ir, op));
            let round = round.map(|&op| names::of(ir, op)).collect();
            if is_planned(ir, inner) {
                record(ir, op, Launches { round });
            }
            carry_out(ir, region, &plan, &worth)?;
        }
        Ok(())
    }
}

/// Whether the host chooses between versions of a loop in a conditional, of which one persists in a block.
fn is_choice(ir: &Ir, op: Op) -> bool {
    scf::IfOp::cast(ir, op).is_some_and(|choice| {
        ir.ops(choice.then_block(ir)).any(|inner| ir.attr(inner, PERSISTENT_ATTR).is_some())
    })
}

/// Whether the host runs a loop or conditional, with launches of blocks of so many threads inside.
pub(super) fn runs_on_host(ir: &Ir, op: Op, threads: i64) -> bool {
    let persists = ir.attr(op, PERSISTENT_ATTR).is_some();
    is_choice(ir, op) || !persists && is_worth_launches(ir, op, threads)
}

/// Takes a region apart.
fn carry_out(
    ir: &mut Ir,
    region: RegionOp,
    affine: &HostPlan,
    wanted: &dyn Fn(&Ir, Op) -> bool,
) -> Result<(), Diagnostic> {
    lower_host_ops(ir, affine)?;
    match HostPlan::of(ir, region, wanted) {
        Some(plan) => split(ir, &plan),
        None => Ok(()),
    }
}

/// Takes a step of a plan.
fn follow(
    ir: &mut Ir,
    func: Op,
    region: RegionOp,
    step: &Launches,
    placed: &Placed,
) -> Result<(), Diagnostic> {
    let wanted = |ir: &Ir, op: Op| {
        is_choice(ir, op) || is_planned(ir, op) && step.round.contains(&names::of(ir, op))
    };
    for name in &step.round {
        placed.find(ir, func, name)?;
    }
    let refuse = |ir: &Ir, at: Op, rule: &str| {
        let refusal = Refusal::new("split-launches", at, rule);
        placed.refused(ir, &refusal.way_round("leave the step out: the loop stays in one block"))
    };
    let Some(plan) = HostPlan::of(ir, region, &wanted) else {
        let rule = "there is nothing to take apart, or what kernels would hand to each other cannot \
                    be kept in memory";
        return Err(refuse(ir, region.op(), rule));
    };
    let kept: Vec<String> = plan.kept.iter().map(|&op| names::of(ir, op)).collect();
    if let Some(name) = step.round.iter().find(|name| !kept.contains(name)) {
        let at = placed.find(ir, func, name)?;
        let rule = format!("'{name}' stands in no block of the host, or is none of its loops");
        return Err(refuse(ir, at, &rule));
    }
    record(ir, func, step.clone());
    carry_out(ir, region, &plan, &wanted)
}

/// Says why sequential loops round parallel ones in `around` stay in one block.
fn report_one_block(
    ir: &Ir,
    around: Op,
    plan: Option<&HostPlan>,
    threads: i64,
    cx: &mut PassContext<'_>,
) {
    let blocks = ir.regions(around).iter().flat_map(|&region| ir.blocks(region));
    for op in blocks.flat_map(|&block| ir.ops(block)) {
        if ir.has_trait(op, Traits::PARALLEL_LOOP) || !has_parallel_loop(ir, op) {
            continue;
        }
        if ir.attr(op, PERSISTENT_ATTR).is_some() {
            continue;
        }
        if !ir.is_loop(op) || plan.is_some_and(|plan| plan.kept.contains(&op)) {
            report_one_block(ir, op, plan, threads, cx);
            continue;
        }
        let why = match is_worth_launches(ir, op, threads) {
            true => "what its kernels would hand to each other cannot be kept in memory",
            false => "the parallel loops inside need no more threads",
        };
        let place = ir.ctx.place(ir.location(op));
        cx.report(Diagnostic::missed(format!("Loop stays in one block: {why}")).at_option(place));
    }
}

/// Takes what the host does out of the affine dialect, whose symbols must not vary in the host function. To the
/// regions left, all that comes from the host is the same throughout.
fn lower_host_ops(ir: &mut Ir, plan: &HostPlan) -> Result<(), Diagnostic> {
    for block in plan.host_blocks(ir) {
        for op in ir.ops(block).collect::<Vec<_>>() {
            if plan.kept.contains(&op) {
                lower(ir, op)?;
            } else if offload::runs_on_host(ir, op) {
                for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
                    lower(ir, inner)?;
                }
            }
        }
    }
    Ok(())
}

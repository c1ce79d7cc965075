//! Steps: transformations of affine nests that are proven before they are carried out.
//!
//! A step takes loops, makes a [`schedule`] of their [`statements`], has it proven by
//! [`legality`], and has [`rebuild`] write the nest anew; or it gives a [`refusal`] with the
//! dependence that forbids it, and nothing is changed. Passes over single steps stand beside them;
//! [`restructure`](crate::parallel::restructure) decides by itself.
//!
//! | module | what |
//! |---|---|
//! | [`statements`] | what a nest consists of: groups of operations and the loops round them |
//! | [`schedule`] | an order of execution as rows of affine forms |
//! | [`legality`] | the one gate: a schedule with its proof |
//! | [`scan`], [`rebuild`] | loops for dates, as a tree and as operations |
//! | [`permute`], [`distribute`], [`fuse`], [`skew`] | orders by name, each with its pass |
//! | [`fusion`] | upstream's pass: a nest's part beside what needs it
//! | [`strip`] | strips of so many iterations |
//! | [`tile`], [`unroll`], [`normalize`] | upstream's passes: tiles, several iterations in one, loops that count from 0 by 1 |
//! | [`unroll_jam`], [`coalesce`] | upstream's passes: outer iterations side by side in inner loops, one loop of several |
//! | [`pipeline_transfers`] | upstream's pass: transfers an iteration ahead of the work |
//! | [`data_copy`], [`copy_nest`] | upstream's pass: what loops touch, copied into faster memory
//! | [`trips`] | how often an affine loop runs |
//! | [`planned`] | orders as steps of plans |
//! | [`promised`] | loops that are independent by the program's word |
//! | [`expand`] | an element for each iteration of values between parts of it |
//! | [`fission`] | two loops of one that carries values and writes memory |
//! | [`snapshot`] | a copy of what an array held before a nest |
//! | [`relayout`] | an array whose elements lie as a nest touches them |
//! | [`privatize`] | copies of an array for iterations that overwrite it |
//! | [`device_array`] | arrays of the compiler's own, as those have them |
//! | [`refusal`] | why not |

pub mod coalesce;
mod copy_nest;
pub mod data_copy;
mod device_array;
pub mod distribute;
pub mod expand;
pub mod fission;
pub mod fuse;
pub mod fusion;
pub mod legality;
pub mod normalize;
pub mod permute;
pub mod pipeline_transfers;
pub mod planned;
pub mod privatize;
pub mod promised;
pub mod rebuild;
pub mod refusal;
pub mod relayout;
mod scan;
pub mod schedule;
pub mod skew;
pub mod snapshot;
pub mod statements;
pub mod strip;
pub mod tile;
pub mod trips;
pub mod unroll;
pub mod unroll_jam;

use std::rc::Rc;

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::{RegionOp, SCHEDULE_ATTR, SEQ_ATTR};
use gpuc_ir::op::Traits;
use gpuc_ir::pass::PassContext;
use gpuc_ir::{Ir, Op, OpView, Value, WalkOrder};
use indexmap::IndexSet;

use crate::analysis::loops::candidates;
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::Apart;
use crate::analysis::nest::graph::DependenceGraph;
use crate::parallel::schedule::is_asked;
use crate::plan::text::Placed;
use crate::versions::{Unassuming, in_fallback};
use refusal::Refusal;

/// Whether nobody but the compiler has a say in the order of a loop.
pub(crate) fn free(ir: &Ir, op: Op) -> bool {
    [SCHEDULE_ATTR, SEQ_ATTR].iter().all(|mark| ir.attr(op, mark).is_none())
}

/// The loops of a region whose order is the compiler's to choose, outer ones first.
pub(crate) fn free_loops(ir: &Ir, region: RegionOp) -> IndexSet<Op> {
    candidates(ir, region).into_iter().filter(|&op| !is_asked(ir, op)).collect()
}

/// Whether a loop stands in one of the region whose iterations run at the same time: these would share what is allocated in front of the region.
fn is_inside_parallel(ir: &Ir, region: RegionOp, op: Op) -> bool {
    let mut around = ir.ancestors(op).take_while(|&outer| outer != region.op());
    around.any(|outer| ir.has_trait(outer, Traits::PARALLEL_LOOP))
}

/// The loops among some that stand in none of the others.
fn outermost(ir: &Ir, loops: &IndexSet<Op>) -> Vec<Op> {
    let inside = |op: Op| ir.ancestors(op).any(|outer| loops.contains(&outer));
    loops.iter().copied().filter(|&op| !inside(op)).collect()
}

/// What is to be changed in a region, and the pairs of buffers that are assumed to be apart for it.
type Found<T> = (Vec<T>, IndexSet<(Value, Value)>);

/// Changes compute regions, but for their versions without assumptions: takes all that `find` finds in one, and makes it two versions
/// where that assumes buffers to be apart.
fn change_regions<T>(
    ir: &mut Ir,
    func: Op,
    cx: &mut PassContext<'_>,
    mut find: impl FnMut(&Ir, RegionOp, &mut PassContext<'_>) -> Result<Found<T>, Diagnostic>,
    mut take: impl FnMut(&mut Ir, RegionOp, T, &mut PassContext<'_>),
) -> Result<(), Diagnostic> {
    let mut changed = false;
    for inner in ir.nested_ops(func, WalkOrder::PreOrder) {
        let Some(region) = RegionOp::cast(ir, inner).filter(|_| !in_fallback(ir, inner)) else {
            continue;
        };
        let (found, apart) = find(ir, region, cx)?;
        if found.is_empty() {
            continue;
        }
        changed = true;
        let kept = Unassuming::keep(ir, inner);
        found.into_iter().for_each(|each| take(ir, region, each, cx));
        kept.require_disjoint(ir, &apart, inner);
    }
    if !changed {
        cx.preserve_all();
    }
    Ok(())
}

/// Refuses the first of the steps of a kind that was not taken, at the loop that it names, by a rule.
fn refuse_untaken<T>(
    ir: &Ir,
    func: Op,
    pass: &'static str,
    steps: Option<&Vec<(T, &Placed)>>,
    why: impl Fn(&T) -> (&str, String),
) -> Result<(), Diagnostic> {
    for (step, placed) in steps.into_iter().flatten() {
        let (name, rule) = why(step);
        let at = placed.find(ir, func, name)?;
        if !placed.is_taken(ir, func) {
            return Err(placed.refused(ir, &Refusal::new(pass, at, rule)));
        }
    }
    Ok(())
}

/// What a pass's option says of mapped variables.
fn apart(assumed: bool) -> Apart {
    match assumed {
        true => Apart::Assumed,
        false => Apart::Unknown,
    }
}

/// The dependences of loops that are to be reordered.
pub(crate) fn graph(
    ir: &Ir,
    nest: &Nest,
    step: &'static str,
    roots: &[Op],
    apart: Apart,
) -> Result<Rc<DependenceGraph>, Refusal> {
    nest.graph(ir, roots, apart).map_err(|unknown| {
        let rule = match ir.memory_access(unknown) {
            Some(_) => "there are more accesses than are compared with each other".to_owned(),
            None => format!("the effects of '{}' are not known", ir.name(unknown)),
        };
        Refusal::new(step, unknown, rule)
    })
}

/// Applies a step to each outermost sequential loop inside `op`, and reports what is refused.
fn on_outermost_loops(
    ir: &mut Ir,
    op: Op,
    cx: &mut PassContext<'_>,
    mut step: impl FnMut(&mut Ir, &Nest, Op) -> Result<Vec<Op>, Refusal>,
) {
    let nest = cx.analysis::<Nest>(ir, op);
    let nested = ir.nested_ops(op, WalkOrder::PreOrder).into_iter();
    let loops = nested.filter(|&each| ir.is_sequential_loop(each)).collect();
    for root in outermost(ir, &loops) {
        if let Err(refusal) = step(ir, &nest, root) {
            cx.report(refusal.remark(ir));
        }
    }
}

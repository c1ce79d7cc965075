//! Loops that follow each other become one.
//!
//! Needs `affine.for` loops of the same bounds, nothing but what can be computed again between them.
//! A dependence that leads from an iteration of the first loop to an earlier one of the second forbids
//! it. `affine-loop-fusion` ([`fusion`](super::fusion)) does so where it knows no numbers.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::AffineForOp;
use gpuc_ir::pass::{Analysis, PassContext};
use gpuc_ir::{Ir, Op, OpView, Value, WalkOrder};
use rustc_hash::FxHashSet;

use super::free;
use super::fusion::operations;
use super::fusion::order::Touched;
use super::legality::Legal;
use super::rebuild::rebuild;
use super::refusal::Refusal;
use super::schedule::{Row, Schedule};
use super::statements::Statements;
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::Apart;

const STEP: &str = "affine-loop-fusion";

/// What two loops have to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// The second reads what the first one writes.
    Producer,
    /// Both read the same, and neither touches what the other one writes.
    Sibling,
}

impl Relation {
    /// The relation that a mode asks for; `None` of the mode that asks for any.
    pub(super) fn of_mode(mode: &str) -> Result<Option<Relation>, Diagnostic> {
        match mode {
            "greedy" => Ok(None),
            "producer" => Ok(Some(Relation::Producer)),
            "sibling" => Ok(Some(Relation::Sibling)),
            _ => Err(Diagnostic::error(format!("no mode of fusion is called '{mode}'"))
                .help("modes are greedy, producer and sibling")),
        }
    }

    fn of(ir: &Ir, loops: [Op; 2]) -> Option<Relation> {
        let [first, second] = loops.map(|op| Touched::of(ir, op));
        let meet = |a: &FxHashSet<Value>, b: &FxHashSet<Value>| !a.is_disjoint(b);
        if meet(&first.written, &second.read) {
            return Some(Relation::Producer);
        }
        let is_apart =
            !meet(&first.written, &second.written) && !meet(&first.read, &second.written);
        (is_apart && meet(&first.read, &second.read)).then_some(Relation::Sibling)
    }
}

/// Joins loops of the same bounds that follow each other, where a number of iterations is not known.
pub(super) fn join_neighbours(
    ir: &mut Ir,
    func: Op,
    cx: &mut PassContext<'_>,
    wanted: Option<Relation>,
    apart: Apart,
) {
    for first in ir.nested_ops(func, WalkOrder::PostOrder) {
        let mut at = first;
        while !ir.is_erased(at)
            && let Some(second) = follower(ir, at)
            && [at, second].iter().any(|&op| operations(ir, op).is_none())
            && Relation::of(ir, [at, second])
                .is_some_and(|found| wanted.is_none_or(|wanted| found == wanted))
        {
            let nest = Nest::compute(ir, func);
            match fuse(ir, &nest, [at, second], apart) {
                Ok(made) if made.len() == 1 => at = made[0],
                Ok(_) => break,
                Err(refusal) => {
                    cx.report(refusal.remark(ir));
                    break;
                }
            }
        }
        if !ir.is_erased(at)
            && let Some(effect) = effect_between(ir, at)
        {
            let rule = "what stands between the loops reads or writes memory";
            cx.report(Refusal::new(STEP, effect, rule).remark(ir));
        }
    }
}

/// The loop that follows another one, with nothing between them that would have to move.
pub fn follower(ir: &Ir, op: Op) -> Option<Op> {
    AffineForOp::cast(ir, op)?;
    let mut at = ir.next_op(op)?;
    while ir.is_effect_free(at) && ir.regions(at).is_empty() {
        at = ir.next_op(at)?;
    }
    AffineForOp::cast(ir, at).map(|_| at)
}

/// The first operation between a loop and the next one that would have to move with them, and has an effect.
fn effect_between(ir: &Ir, op: Op) -> Option<Op> {
    AffineForOp::cast(ir, op)?;
    let behind = || std::iter::successors(ir.next_op(op), |&at| ir.next_op(at));
    let next = behind().position(|at| AffineForOp::cast(ir, at).is_some())?;
    behind().take(next).find(|&at| !ir.is_effect_free(at) || !ir.regions(at).is_empty())
}

/// Makes one loop of two that follow each other; the loops that take their place.
///
/// # Errors
/// The bounds differ, or a dependence forbids it.
pub fn fuse(ir: &mut Ir, nest: &Nest, loops: [Op; 2], apart: Apart) -> Result<Vec<Op>, Refusal> {
    let graph = super::graph(ir, nest, STEP, &loops, apart)?;
    let statements = Statements::of(ir, STEP, &graph, &|op| free(ir, op))?;
    if !same_bounds(ir, loops) {
        return Err(Refusal::new(STEP, loops[1], "the loops have different bounds"));
    }
    let row = Row::of_loops(&vec![0; statements.list.len()]);
    let legal = Legal::prove(ir, STEP, &statements, &graph, Schedule(vec![row]))?;
    gather(ir, STEP, &loops)?;
    rebuild(ir, STEP, legal)
}

/// Moves what stands between loops in front of the first one, so that they follow each other at once.
///
/// # Errors
/// One is not the follower of the one before it. Nothing was changed.
pub(crate) fn gather(ir: &mut Ir, step: &'static str, loops: &[Op]) -> Result<(), Refusal> {
    let mut all = Vec::new();
    for pair in loops.windows(2) {
        if follower(ir, pair[0]) != Some(pair[1]) {
            let rule = "the loops do not follow each other";
            return Err(Refusal::new(step, pair[1], rule));
        }
        let behind = std::iter::successors(ir.next_op(pair[0]), |&op| ir.next_op(op));
        all.extend(behind.take_while(|&op| op != pair[1]));
    }
    all.into_iter().for_each(|op| ir.move_before(loops[0], op));
    Ok(())
}

/// Whether two loops go over the same numbers.
pub(super) fn same_bounds(ir: &Ir, loops: [Op; 2]) -> bool {
    let [a, b] = loops.map(|op| crate::analysis::loops::dimensions(ir, op));
    a.len() == 1
        && b.len() == 1
        && a[0].lower == b[0].lower
        && a[0].upper == b[0].upper
        && a[0].step == b[0].step
}

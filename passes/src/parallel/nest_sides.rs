//! Parallel nests whose inner loops are better off apart: one touches an array across its threads.
//!
//! Loops round several others are a grid's, and the inner ones go to the threads of a block, neighbours along each of them. Where one of
//! these touches an array whose rows lie along an outer loop, each of its requests wants a sector for every thread, and no choice of who
//! executes what mends it as long as the loops stand together: squares in memory of the block, or another order, need a nest of its
//! own. Hayashi et al. 2019, §4.3.1 (SP's x sweep): distribution, then permutation.

use std::collections::BTreeMap;

use gpuc_ir::{Ir, Op};
use indexmap::IndexSet;

use super::nest_plan::{FEWEST_TRIPS, Plan, ScheduleRow};
use crate::analysis::loops::{dimensions, may_have};
use crate::analysis::nest::Nest;
use crate::locality::contraction::subscripts;
use crate::steps::statements::{Statement, Statements};

/// Whether inner loops of a nest may be better off apart, by its shape alone: some loop has several in it, and no loop stands round the
/// nest, as each of them is a launch.
pub fn may_be(ir: &Ir, root: Op, free: &IndexSet<Op>) -> bool {
    let several = free.iter().any(|&outer| {
        let inside = free.iter().filter(|&&inner| ir.parent_op(inner) == Some(outer));
        (outer == root || ir.is_inside(outer, root)) && inside.count() > 1
    });
    several && !ir.ancestors(root).any(|op| ir.is_counted_loop(op))
}

/// How the inner loops of a parallel nest come apart, if that is better. What they hand to each other is in memory as it is.
pub fn apart(ir: &Ir, nest: &Nest, statements: &Statements) -> Option<Plan> {
    let list = &statements.list;
    let depth = list.first()?.loops.len().checked_sub(1).filter(|&depth| depth >= 2)?;
    let outer = &list[0].loops[..depth];
    let is_inner = |statement: &Statement| {
        statement.loops.len() == depth + 1
            && statement.loops[..depth] == *outer
            && statement.place[..depth] == list[0].place[..depth]
    };
    let inner: IndexSet<Op> = list.iter().filter_map(|each| each.loops.last().copied()).collect();
    if inner.len() < 2 || !list.iter().all(is_inner) {
        return None;
    }
    let is_row = |&op: &Op| may_have(ir, op, FEWEST_TRIPS) && nest.waits(ir, op) == Some(false);
    if !outer.iter().chain(&inner).all(is_row) {
        return None;
    }
    let sides: Vec<Side> = list.iter().flat_map(|each| sides(ir, each)).collect();
    if !sides.contains(&Side::Along) || !sides.contains(&Side::Across) {
        return None;
    }
    let group = |statement: &Statement| {
        let number = inner.get_index_of(statement.loops.last()?)?;
        i64::try_from(number).ok()
    };
    let levels = list.iter().enumerate();
    let levels: Option<BTreeMap<usize, Vec<ScheduleRow>>> = levels
        .map(|(number, each)| Some((number, vec![ScheduleRow::Group(group(each)?)])))
        .collect();
    Some(Plan::of(levels?))
}

/// Where the neighbours of an element lie that an access touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// Along the innermost loop.
    Along,
    /// Along one of the loops outside, rows along the innermost.
    Across,
}

/// Those of the accesses of a statement.
fn sides(ir: &Ir, statement: &Statement) -> Vec<Side> {
    let variable = |&op: &Op| dimensions(ir, op).first().map(|dim| dim.variable);
    let Some((inner, outer)) = statement.loops.split_last() else { return Vec::new() };
    let Some(inner) = variable(inner) else { return Vec::new() };
    let outer: Vec<_> = outer.iter().filter_map(variable).collect();
    let side = |&op: &Op| {
        let forms = subscripts(ir, op)?;
        let (last, rows) = forms.split_last()?;
        let is_unit = |variable| last.coefficient(&[variable]).abs() == 1;
        let across = outer.iter().any(|&variable| is_unit(variable))
            && last.coefficient(&[inner]) == 0
            && rows.iter().any(|form| form.coefficient(&[inner]) != 0);
        match is_unit(inner) {
            true => Some(Side::Along),
            false => across.then_some(Side::Across),
        }
    };
    statement.ops.iter().filter_map(side).collect()
}

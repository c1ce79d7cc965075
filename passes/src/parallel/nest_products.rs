//! Products that a parallel nest holds beside other things: rows and columns of a product, which nothing else stands between, are a nest
//! of their own.
//!
//! A product of matrices in loops over rows and columns is worth tiles ([`crate::locality::tile_contractions`]), which are of
//! perfect nests. Beside `c[i][i] = 1` of a correlation, or in front of a loop that puts a row back where it came from, it would be a block's for
//! each row. The loops outside are parallel as they are, so that nothing is in the way of telling its parts apart: what stands in front of the
//! product, the product, and what comes behind.

use std::collections::BTreeMap;

use gpuc_dialects::affine::{AffineForOp, AffineLoadOp};
use gpuc_ir::{Ir, Op, OpView, Value, WalkOrder};
use gpuc_presburger::Affine;

use super::nest_plan::{FEWEST_TRIPS, Kind, Plan, ScheduleRow};
use crate::analysis::access::access;
use crate::analysis::loops::may_have;
use crate::analysis::nest::Nest;
use crate::analysis::slice::needed_by;
use crate::steps::statements::{Statement, Statements};

/// Whether a loop may hold a product beside other things, by its shape alone.
pub fn may_be(ir: &Ir, root: Op) -> bool {
    let nested = ir.nested_ops(root, WalkOrder::PreOrder);
    nested.iter().filter(|&&op| ir.is_counted_loop(op)).count() >= 3
}

/// The order in which the products of a nest are nests of their own, where it holds products and something beside them.
pub fn apart(ir: &Ir, nest: &Nest, statements: &Statements) -> Option<Plan> {
    let list = &statements.list;
    // Loops of rows and columns of each product, from the root on.
    let bands: Vec<&[Op]> = list.iter().filter_map(|statement| band(ir, statement)).collect();
    let band_of = |statement: &Statement| {
        bands.iter().position(|band| statement.loops.get(..band.len()) == Some(*band))
    };
    let (mut levels, mut group): (BTreeMap<usize, Vec<ScheduleRow>>, i64) = (BTreeMap::new(), 0);
    let owners: Vec<Option<usize>> = list.iter().map(band_of).collect();
    for (statement, owner) in owners.iter().enumerate() {
        if statement > 0 && owners[statement - 1] != *owner {
            group += 1;
        }
        levels.insert(statement, vec![ScheduleRow::Group(group)]);
    }
    if group == 0 {
        return None;
    }
    // Loops that groups have in common become one for each.
    for (statement, own) in &mut levels {
        let loops = &list[*statement].loops;
        let shared = |op: &Op| {
            let others = list.iter().enumerate();
            others
                .into_iter()
                .any(|(other, each)| owners[other] != owners[*statement] && each.loops.contains(op))
        };
        let common = loops.iter().take_while(|op| shared(op)).count();
        if !loops[..common].iter().all(|&op| nest.waits(ir, op) == Some(false)) {
            return None;
        }
        own.extend((0..common).map(|index| ScheduleRow::Loop(Affine::dim(index), Kind::Parallel)));
    }
    Some(Plan::of(levels))
}

/// The loops down to the rows and columns of a product: two loads of which each goes along the terms, and one along rows, the other along
/// columns alone.
fn band<'a>(ir: &Ir, statement: &'a Statement) -> Option<&'a [Op]> {
    let variable = |op: Op| AffineForOp::cast(ir, op).map(|view| view.induction_var(ir));
    // Loads that can be made again belong to no statement.
    let nested = statement.ops.iter().flat_map(|&op| ir.nested_ops(op, WalkOrder::PreOrder));
    let own: Vec<Op> = nested.collect();
    let ops = needed_by(ir, own.iter().copied(), &|_| true);
    let uses: Vec<Vec<Value>> = ops
        .iter()
        .filter(|&&op| AffineLoadOp::is(ir, op))
        .filter_map(|&op| {
            let subscripts = access(ir, op)?.subscripts;
            Some(subscripts.iter().flatten().flat_map(|form| form.values()).collect())
        })
        .collect();
    // Terms are rounds of a loop that carries their sum, or of the innermost one.
    let carried = own.iter().find(|&&op| AffineForOp::is(ir, op)).copied();
    let (outer, terms) = match carried {
        Some(terms) => (&statement.loops[..], terms),
        None => {
            let (&terms, outer) = statement.loops.split_last()?;
            (outer, terms)
        }
    };
    let terms = variable(terms)?;
    let has = |with: Value, without: Value| {
        uses.iter()
            .any(|uses| uses.contains(&terms) && uses.contains(&with) && !uses.contains(&without))
    };
    let sides: Vec<(usize, Value)> = outer
        .iter()
        .enumerate()
        .filter(|&(_, &op)| may_have(ir, op, FEWEST_TRIPS))
        .filter_map(|(at, &op)| Some((at, variable(op)?)))
        .collect();
    let columns = sides.iter().rev().find(|&&(at, column)| {
        sides.iter().any(|&(row_at, row)| row_at < at && has(row, column) && has(column, row))
    });
    columns.map(|&(at, _)| &outer[..=at])
}

//! Orders of nests as steps of plans, both ways: which word says what a schedule does, and the schedule that
//! a step of a plan asks for.

use std::rc::Rc;

use gpuc_ir::{Ir, Op, WalkOrder};
use gpuc_presburger::{Affine, Var};

use super::distribute::components;
use super::legality::{Legal, Order};
use super::rebuild::rebuild_where;
use super::refusal::Refusal;
use super::schedule::{Row, Schedule};
use super::statements::Statements;
use super::{distribute, fuse, skew};
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::Apart;
use crate::analysis::nest::graph::DependenceGraph;
use crate::plan::names;
use crate::plan::step::{self, Form, Step};
use crate::raise::row_guard::Guard;

/// What carrying out a step came to.
#[derive(Debug)]
pub struct Reordered {
    /// The loops that take the place of those before, with the guards among them.
    pub made: Vec<Op>,
    /// The dependences that were asked, with what they assume.
    pub graph: Rc<DependenceGraph>,
    /// What has to hold in front of the region for the new loops to do all that those before did.
    pub holds: Guard,
}

/// The step that says what a schedule does to a nest, before it is carried out: by a word of its own where
/// the dates are the same, else row by row.
pub fn worded(
    ir: &Ir,
    statements: &Statements,
    graph: &DependenceGraph,
    schedule: &Schedule,
) -> Step {
    let nest = names::of(ir, statements.roots[0]);
    let dates = schedule.dates(statements).rows;
    let is = |other: Schedule| other.dates(statements).rows == dates;
    let first = &statements.list[0].loops;
    if statements.list.iter().all(|statement| statement.loops == *first) {
        let own: Vec<String> = first.iter().map(|&op| names::of(ir, op)).collect();
        let counted = |row: &Vec<Affine>| {
            let index = (0..first.len()).find(|&index| row[0] == Affine::dim(index))?;
            row.iter().all(|form| *form == row[0]).then_some(index)
        };
        let order: Vec<usize> = dates.iter().filter_map(counted).collect();
        if order.len() == first.len() && is(permuted(statements, &order)) {
            let to = order.iter().map(|&index| own[index].clone()).collect();
            return step::Permute { loops: own, to }.into();
        }
        if let Some(factor) = dates.first().map(|row| row[0].coefficient(Var::Dim(0)))
            && first.len() >= 2
            && is(skew::schedule(statements.list.len(), factor, true))
        {
            let [along, inner] = [0, 1].map(|index| own[index].clone());
            return step::Skew { inner, factor, along, wavefront: true }.into();
        }
    }
    let numbers = groups(ir, statements, graph);
    if numbers.iter().any(|&number| number > 0) && is(Schedule(vec![Row::of_constants(&numbers)])) {
        return step::Distribute { nest, to: Vec::new() }.into();
    }
    let rows = (0..statements.list.len()).map(|statement| {
        let form = |row: &Row| spoken(ir, &row.0[statement], &statements.list[statement].loops);
        let mut forms: Vec<Form> = schedule.0.iter().map(form).collect();
        while forms.last().is_some_and(|form| *form == Form::default()) {
            forms.pop();
        }
        forms
    });
    let nests = statements.roots.iter().map(|&root| names::of(ir, root));
    step::Order { nests: nests.collect(), rows: rows.collect() }.into()
}

/// A form over the loops of a statement, by their names.
fn spoken(ir: &Ir, form: &Affine, loops: &[Op]) -> Form {
    let terms = form.terms().filter_map(|(var, factor)| match var {
        Var::Dim(index) => Some((names::of(ir, *loops.get(index)?), factor)),
        _ => None,
    });
    Form { terms: terms.collect(), constant: form.constant_term() }
}

/// The loops of all statements in another order.
pub(super) fn permuted(statements: &Statements, order: &[usize]) -> Schedule {
    let count = statements.list.len();
    Schedule(order.iter().map(|&index| Row::of_loops(&vec![index; count])).collect())
}

/// The number of the group of each statement, where those that depend on each other in a circle are in one.
pub(super) fn groups(ir: &Ir, statements: &Statements, graph: &DependenceGraph) -> Vec<i64> {
    let orders: Vec<Order<'_>> =
        graph.edges.iter().filter_map(|edge| Order::of(ir, statements, edge)).collect();
    let all: Vec<usize> = (0..statements.list.len()).collect();
    let mut numbers = vec![0; all.len()];
    for (number, group) in (0..).zip(components(&all, &orders.iter().collect::<Vec<_>>())) {
        group.iter().for_each(|&statement| numbers[statement] = number);
    }
    numbers
}

/// The loops that a step takes apart; none if it is about something else than their order.
pub fn roots(step: &Step) -> Vec<&String> {
    match step {
        Step::Order(step) => step.nests.iter().collect(),
        Step::Layout(step) => vec![&step.nest],
        Step::Permute(step) => step.loops.iter().take(1).collect(),
        Step::Distribute(step) => vec![&step.nest],
        Step::Fuse(step) => step.loops.iter().collect(),
        Step::Skew(step) => vec![&step.along],
        Step::UnrollJam(step) => vec![&step.name],
        Step::Strip(step) => step.loops.iter().map(|(name, _)| name).collect(),
        _ => Vec::new(),
    }
}

/// Carries out a step of a plan on loops inside `func`; those that it may take apart are `movable`.
///
/// # Errors
/// Why not; nothing was changed.
pub fn take(
    ir: &mut Ir,
    func: Op,
    nest: &Nest,
    step: &Step,
    movable: &dyn Fn(Op) -> bool,
) -> Result<Reordered, Refusal> {
    let word = step.word();
    let found = |name: &String| {
        names::find(ir, func, name)
            .ok_or_else(|| Refusal::new(word, func, format!("there is no loop '{name}'")))
    };
    let roots = roots(step).into_iter().map(found).collect::<Result<Vec<Op>, Refusal>>()?;
    let graph = super::graph(ir, nest, word, &roots, Apart::Assumed)?;
    let statements = Statements::of(ir, word, &graph, movable)?;
    if statements.list.is_empty() {
        return Err(Refusal::new(word, roots[0], "the loop does nothing that can be seen"));
    }
    let schedule = schedule(ir, step, &statements, &graph)?;
    let legal = Legal::prove(ir, word, &statements, &graph, schedule)?;
    fuse::gather(ir, word, &roots)?;
    let mut holds = Guard::default();
    let made = rebuild_where(ir, word, legal, &mut holds)?;
    name_made(ir, step, &made);
    names::renew(ir, func);
    Ok(Reordered { made, graph, holds })
}

/// Gives the loops that a step has made the names that it says.
pub fn name_made(ir: &mut Ir, step: &Step, made: &[Op]) {
    let loops: Vec<Op> = made.iter().filter(|&&op| ir.is_counted_loop(op)).copied().collect();
    let own: &[String] = match step {
        Step::Distribute(step) => &step.to,
        Step::Fuse(step) => std::slice::from_ref(&step.to),
        Step::Skew(step) => {
            let [outer, inner] = match step.wavefront {
                true => [&step.inner, &step.along],
                false => [&step.along, &step.inner],
            };
            for op in loops {
                let inside = ir.nested_ops(op, WalkOrder::PreOrder);
                let nested = inside.into_iter().find(|&at| at != op && ir.is_counted_loop(at));
                names::set(ir, op, outer);
                nested.into_iter().for_each(|nested| names::set(ir, nested, inner));
            }
            return;
        }
        _ => return,
    };
    for (op, name) in loops.into_iter().zip(own) {
        names::set(ir, op, name);
    }
}

fn schedule(
    ir: &Ir,
    step: &Step,
    statements: &Statements,
    graph: &DependenceGraph,
) -> Result<Schedule, Refusal> {
    let (word, root, count) = (step.word(), statements.roots[0], statements.list.len());
    let refuse = |rule: String| Err(Refusal::new(word, root, rule));
    // The loops that stand directly in each other from the root on, as all statements have them.
    let perfect = |depth: usize| -> Option<Vec<String>> {
        let first = statements.list[0].loops.get(..depth)?;
        let same = statements.list.iter().all(|each| each.loops.get(..depth) == Some(first));
        same.then(|| first.iter().map(|&op| names::of(ir, op)).collect())
    };
    match step {
        Step::Permute(step) => {
            let Some(own) = perfect(step.loops.len()).filter(|own| *own == step.loops) else {
                let rule = format!("{} do not stand directly in each other", step.loops.join(", "));
                return Err(Refusal::new(word, root, rule).way_round(
                    "distribute the outer loop first, or name the loops from the outside in",
                ));
            };
            let index = |name: &String| own.iter().position(|known| known == name).unwrap_or(0);
            Ok(permuted(statements, &step.to.iter().map(index).collect::<Vec<_>>()))
        }
        Step::Skew(step) => match perfect(2) {
            Some(own) if own == [step.along.clone(), step.inner.clone()] => {
                Ok(skew::schedule(count, step.factor, step.wavefront))
            }
            _ => refuse(format!("'{}' does not stand directly in '{}'", step.inner, step.along)),
        },
        Step::Fuse(_) => match fuse::same_bounds(ir, [statements.roots[0], statements.roots[1]]) {
            true => Ok(Schedule(vec![Row::of_loops(&vec![0; count])])),
            false => refuse("the loops have different bounds".to_owned()),
        },
        Step::Distribute(step) => {
            let numbers = groups(ir, statements, graph);
            let found = numbers.iter().max().map_or(0, |&most| most + 1);
            if found < 2 {
                return Err(distribute::one_group(ir, word, root, statements, graph));
            }
            match step.to.is_empty() || found == step.to.len() as i64 {
                true => Ok(Schedule(vec![Row::of_constants(&numbers)])),
                false => refuse(format!(
                    "its statements make {found} groups, and {} loops are named",
                    step.to.len()
                )),
            }
        }
        Step::Order(step) => {
            if step.rows.len() != count {
                return refuse(format!(
                    "the nest has {count} statements, and rows are given for {}",
                    step.rows.len()
                ));
            }
            let depth = step.rows.iter().map(Vec::len).max().unwrap_or(0);
            let mut rows = vec![Vec::new(); depth];
            for (forms, statement) in step.rows.iter().zip(&statements.list) {
                for (row, all) in rows.iter_mut().enumerate() {
                    let mut sum = Affine::constant(0);
                    if let Some(form) = forms.get(row) {
                        sum = sum + Affine::constant(form.constant);
                        for (name, factor) in &form.terms {
                            let own = |&op: &Op| names::of(ir, op) == *name;
                            let Some(index) = statement.loops.iter().position(own) else {
                                return refuse(format!("no loop '{name}' is round the statement"));
                            };
                            sum = sum + Affine::dim(index) * *factor;
                        }
                    }
                    all.push(sum);
                }
            }
            Ok(Schedule(rows.into_iter().map(Row).collect()))
        }
        _ => refuse("it is no order of loops".to_owned()),
    }
}

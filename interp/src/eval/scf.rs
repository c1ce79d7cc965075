//! Structured control flow.

use gpuc_dialects::{memref, scf};
use gpuc_ir::{Op, Value};

use super::thread_loop;
use super::{Family, Handler, Step, done, leave};
use crate::fiber::{Flow, State};
use crate::interpreter::{Fault, Interpreter, Order};
use crate::nest::{Nest, trip_count};
use crate::value::{Int, RtValue};

pub(super) const OPS: Family = &[
    (scf::ForOp::NAME, Handler::regions(start_for, next_for)),
    (scf::WhileOp::NAME, Handler::regions(start_while, next_while)),
    (scf::IfOp::NAME, Handler::regions(conditional, done)),
    (scf::IndexSwitchOp::NAME, Handler::regions(switch, done)),
    (scf::ExecuteRegionOp::NAME, Handler::regions(once, done)),
    (memref::AllocaScopeOp::NAME, Handler::regions(once, done)),
    (scf::ParallelOp::NAME, Handler::regions(start_parallel, next_parallel)),
    (scf::ForallOp::NAME, Handler::regions(start_forall, next_forall)),
    (scf::InParallelOp::NAME, Handler::leaf(combine)),
    (scf::YieldOp::NAME, Handler::leaf(leave)),
    (scf::ConditionOp::NAME, Handler::leaf(leave)),
    (scf::ReduceOp::NAME, Handler::leaf(leave)),
    (scf::ReduceReturnOp::NAME, Handler::leaf(leave)),
    (memref::AllocaScopeReturnOp::NAME, Handler::leaf(leave)),
    (memref::AtomicYieldOp::NAME, Handler::leaf(leave)),
];

/// Enters a region of one entry block; an empty one yields nothing.
pub(super) fn enter(
    m: &mut Interpreter<'_>,
    op: Op,
    region: usize,
    arguments: Vec<RtValue>,
    state: State,
) -> Step {
    let region = m.ir.regions(op).get(region).copied();
    match region.and_then(|region| m.ir.entry_block(region)) {
        Some(block) => Ok(Flow::Enter { block, arguments, state }),
        None => m.set_results(op, Vec::new()),
    }
}

pub(super) fn once(m: &mut Interpreter<'_>, op: Op) -> Step {
    enter(m, op, 0, Vec::new(), State::Once)
}

fn start_for(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = scf::ForOp(op);
    let lower = m.int(op, view.lowerBound(m.ir))?;
    let upper = m.int(op, view.upperBound(m.ir))?;
    let step = m.int(op, view.step(m.ir))?;
    if step.signed() <= 0 {
        return Err(m.error(op, format!("has step {}; it must be positive", step.signed())));
    }
    let remaining = trip_count(lower.signed(), upper.signed(), step.signed());
    let carried = m.get_all(view.initArgs(m.ir))?;
    next_for(m, op, State::For { next: lower, remaining, step }, carried)
}

/// The next iteration of a counting loop, of `affine.for` too.
pub(super) fn next_for(
    m: &mut Interpreter<'_>,
    op: Op,
    state: State,
    carried: Vec<RtValue>,
) -> Step {
    let State::For { next, remaining, step } = state else {
        return Err(m.error(op, "is no counting loop"));
    };
    if remaining == 0 {
        return m.set_results(op, carried);
    }
    let mut arguments = Vec::with_capacity(carried.len() + 1);
    arguments.push(RtValue::Int(next));
    arguments.extend(carried);
    let next = Int::new(next.signed().wrapping_add(step.signed()), next.width());
    enter(m, op, 0, arguments, State::For { next, remaining: remaining - 1, step })
}

fn start_while(m: &mut Interpreter<'_>, op: Op) -> Step {
    let arguments = m.get_all(m.ir.operands(op))?;
    enter(m, op, 0, arguments, State::While { in_after: false })
}

fn next_while(m: &mut Interpreter<'_>, op: Op, state: State, values: Vec<RtValue>) -> Step {
    if matches!(state, State::While { in_after: true }) {
        return enter(m, op, 0, values, State::While { in_after: false });
    }
    let mut values = values.into_iter();
    let goes_on = match values.next() {
        Some(RtValue::Int(condition)) => condition.unsigned() != 0,
        Some(other) => return Err(m.wrong_value(op, &other, "a condition")),
        None => return Err(m.error(op, "has no condition")),
    };
    let handed: Vec<RtValue> = values.collect();
    if goes_on {
        enter(m, op, 1, handed, State::While { in_after: true })
    } else {
        m.set_results(op, handed)
    }
}

fn conditional(m: &mut Interpreter<'_>, op: Op) -> Step {
    let condition = m.condition(op, scf::IfOp(op).condition(m.ir))?;
    enter(m, op, usize::from(!condition), Vec::new(), State::Once)
}

fn switch(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = scf::IndexSwitchOp(op);
    let chosen = m.index(op, view.arg(m.ir))?;
    let case = view.case_numbers(m.ir).iter().position(|&case| case == chosen);
    enter(m, op, case.map_or(0, |case| case + 1), Vec::new(), State::Once)
}

/// The iterations of a nest with these bounds.
pub(super) fn nest(
    m: &Interpreter<'_>,
    op: Op,
    lower: Vec<i64>,
    upper: &[i64],
    step: Vec<i64>,
    order: Order,
) -> Result<Nest, Fault> {
    if let Some(step) = step.iter().find(|&&step| step <= 0) {
        return Err(m.error(op, format!("has step {step}; it must be positive")));
    }
    Ok(Nest::new(lower, upper, step, order == Order::Backwards))
}

fn start_parallel(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = scf::ParallelOp(op);
    let lower = m.indices(op, view.lowerBound(m.ir))?;
    let upper = m.indices(op, view.upperBound(m.ir))?;
    let step = m.indices(op, view.step(m.ir))?;
    let (first, steps) = (lower.clone(), step.clone());
    let nest = nest(m, op, lower, &upper, step, m.options.order)?;
    if let Some(mapping) = thread_loop::with_barriers(m, op) {
        return thread_loop::run(m, op, &mapping, nest, &first, &steps);
    }
    let accumulators = m.get_all(view.initVals(m.ir))?;
    next_iteration(m, op, nest, accumulators)
}

/// Enters the next iteration of a nest; behind the last one the accumulators are the results.
pub(super) fn next_iteration(
    m: &mut Interpreter<'_>,
    op: Op,
    mut nest: Nest,
    accumulators: Vec<RtValue>,
) -> Step {
    match nest.next() {
        Some(indices) => {
            let arguments = indices.into_iter().map(RtValue::index).collect();
            enter(m, op, 0, arguments, State::Nest { nest, accumulators })
        }
        None => m.set_results(op, accumulators),
    }
}

fn start_forall(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = scf::ForallOp(op);
    if !m.ir.results(op).is_empty() {
        return Err(m.error(op, "is executed without outputs only"));
    }
    let [lower, upper, step] = view.bounds(m.ir);
    let numbers = |group: Vec<Result<i64, Value>>| -> Result<Vec<i64>, Fault> {
        group.into_iter().map(|bound| bound.or_else(|value| m.index(op, value))).collect()
    };
    let (lower, upper, step) = (numbers(lower)?, numbers(upper)?, numbers(step)?);
    let nest = nest(m, op, lower, &upper, step, m.options.order)?;
    next_iteration(m, op, nest, Vec::new())
}

fn next_forall(m: &mut Interpreter<'_>, op: Op, state: State, _: Vec<RtValue>) -> Step {
    match state {
        State::Nest { nest, .. } => next_iteration(m, op, nest, Vec::new()),
        _ => Err(m.error(op, "is no nest of loops")),
    }
}

/// The end of an iteration without outputs.
fn combine(m: &mut Interpreter<'_>, op: Op) -> Step {
    let inside = m.ir.entry_block(m.ir.region(op, 0));
    match inside.and_then(|block| m.ir.first_op(block)) {
        Some(_) => Err(m.error(op, "is executed without outputs only")),
        None => Ok(Flow::Leave(Vec::new())),
    }
}

fn next_parallel(m: &mut Interpreter<'_>, op: Op, state: State, values: Vec<RtValue>) -> Step {
    let State::Nest { nest, mut accumulators } = state else {
        return Err(m.error(op, "is no nest of loops"));
    };
    let ir = m.ir;
    let reduce = ir.regions(op).first().and_then(|&region| ir.entry_block(region));
    let reduce = reduce.and_then(|block| ir.last_op(block));
    let combiners = reduce.map_or(&[][..], |reduce| ir.regions(reduce));
    for ((accumulator, value), &combiner) in accumulators.iter_mut().zip(values).zip(combiners) {
        let Some(block) = ir.entry_block(combiner) else {
            return Err(m.error(op, "has an empty reduction"));
        };
        let mut combined = m.run_region(op, block, vec![accumulator.clone(), value])?;
        *accumulator =
            combined.pop().ok_or_else(|| m.error(op, "has a reduction without a result"))?;
    }
    next_iteration(m, op, nest, accumulators)
}

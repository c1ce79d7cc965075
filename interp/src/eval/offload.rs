//! `offload`: compute regions run in place, their loops in order.
//!
//! A reduction variable of a loop is one private copy for all iterations: it starts as the identity
//! and is combined into the variable's old value at the end.

use std::rc::Rc;

use gpuc_dialects::offload::{self, LoopOrder, ReductionKind};
use gpuc_ir::Op;

use super::combine::Combine;
use super::memory::allocate;
use super::scf::{enter, nest};
use super::{Family, Handler, Step, done, leave, nothing};
use crate::fiber::{Flow, State};
use crate::interpreter::{Fault, Interpreter, Order};
use crate::nest::Nest;
use crate::value::{Int, RtValue};

pub(super) const OPS: Family = &[
    (
        offload::RegionOp::NAME,
        Handler::regions(|m, op| enter(m, op, 0, Vec::new(), State::Once), done),
    ),
    (offload::LoopOp::NAME, Handler::regions(start, next)),
    (offload::AlignedOp::NAME, Handler::leaf(aligned)),
    (offload::DisjointOp::NAME, Handler::leaf(disjoint)),
    (offload::FetchOp::NAME, Handler::leaf(fetch)),
    (offload::LaunchSizeOp::NAME, Handler::leaf(launch_size)),
    // Threads run in turns, and see all that others have written.
    (offload::FenceOp::NAME, Handler::leaf(nothing)),
    (offload::TimeOp::NAME, Handler::leaf(time)),
    (offload::TicketsOp::NAME, Handler::leaf(tickets)),
    (offload::ResidentGridOp::NAME, Handler::leaf(resident_grid)),
    (offload::YieldOp::NAME, Handler::leaf(leave)),
];

/// One at least.
fn launch_size(m: &mut Interpreter<'_>, op: Op) -> Step {
    let value = m.int(op, offload::LaunchSizeOp(op).value(m.ir))?;
    let size = i64::try_from(value.signed()).unwrap_or(i64::MAX);
    m.set_result(op, RtValue::index(size.max(1)))
}

/// A nanosecond for each operation that was executed: runs repeat themselves.
fn time(m: &mut Interpreter<'_>, op: Op) -> Step {
    let now = m.steps;
    m.set_result(op, RtValue::Int(Int::new(now.into(), 64)))
}

/// Kernels run one after another here.
fn tickets(m: &mut Interpreter<'_>, op: Op) -> Step {
    let counter = offload::TicketsOp(op).counter(m.ir);
    let ty = m.ir.ty(counter);
    let buffer = allocate(m, op, ty, &[], &[])?;
    let zero = Int::new(0, 8 * m.element_size(op, ty)? as u32);
    m.set_result(op, RtValue::MemRef(Rc::new(buffer)))?;
    m.store(op, counter, &[0], &RtValue::Int(zero))?;
    Ok(Flow::Next)
}

/// Blocks run one after the other: one that waits for others must be the only one.
fn resident_grid(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = offload::ResidentGridOp(op);
    let (word, blocks) = (view.word(m.ir), view.blocks(m.ir));
    let buffer = allocate(m, op, m.ir.ty(word), &[], &[])?;
    m.set(word, RtValue::MemRef(Rc::new(buffer)));
    m.store(op, word, &[], &RtValue::Int(Int::new(0, 32)))?;
    m.set(blocks, RtValue::index(1));
    Ok(Flow::Next)
}

/// One memory is the host's and the device's here.
fn fetch(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = offload::FetchOp(op);
    let indices = m.indices(op, view.indices(m.ir))?;
    let value = m.load(op, view.memref(m.ir), &indices)?;
    m.set_result(op, value)
}

/// Parts of one buffer may overlap, whatever parts they are.
/// A buffer of its own starts as far on as anything needs.
fn aligned(m: &mut Interpreter<'_>, op: Op) -> Step {
    m.set_result(op, RtValue::bool(true))
}

fn disjoint(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = offload::DisjointOp(op);
    let (first, second) = (m.memref(op, view.first(m.ir))?, m.memref(op, view.second(m.ir))?);
    m.set_result(op, RtValue::bool(first.buffer != second.buffer))
}

/// The operators of the loop's reductions, for values like those of its variables.
fn combines(m: &Interpreter<'_>, op: Op, values: &[RtValue]) -> Result<Vec<Combine>, Fault> {
    let view = offload::LoopOp(op);
    let Some(kinds) = view.reduction_operators(m.ir) else {
        return Err(m.error(op, "has no valid reduction"));
    };
    let mut combines = Vec::with_capacity(kinds.len());
    for (i, (kind, value)) in kinds.into_iter().zip(values).enumerate() {
        let is_float = matches!(value, RtValue::Float(_));
        let unsigned = view.is_unsigned_reduction(m.ir, i);
        combines.push(match kind {
            ReductionKind::Add => Combine::Add,
            ReductionKind::Mul => Combine::Mul,
            // As C's fmax and fmin: the number where one side is not a number.
            ReductionKind::Max if is_float => Combine::MaxNumber,
            ReductionKind::Min if is_float => Combine::MinNumber,
            ReductionKind::Max if unsigned => Combine::MaxUnsigned,
            ReductionKind::Min if unsigned => Combine::MinUnsigned,
            ReductionKind::Max => Combine::MaxSigned,
            ReductionKind::Min => Combine::MinSigned,
            ReductionKind::And => Combine::And,
            ReductionKind::Or => Combine::Or,
            ReductionKind::Xor => Combine::Xor,
            ReductionKind::LogicalAnd => Combine::LogicalAnd,
            ReductionKind::LogicalOr => Combine::LogicalOr,
        });
    }
    Ok(combines)
}

fn start(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = offload::LoopOp(op);
    let lower = m.indices(op, view.lowerBounds(m.ir))?;
    let upper = m.indices(op, view.upperBounds(m.ir))?;
    let steps = m.indices(op, view.steps(m.ir))?;
    // Only iterations that are declared independent may run in any order.
    let independent = view.loop_order(m.ir) == Some(LoopOrder::Independent);
    let order = if independent { m.options.order } else { Order::Forwards };
    let nest = nest(m, op, lower, &upper, steps, order)?;
    let mut olds = Vec::new();
    for variable in view.reductions(m.ir) {
        olds.push(m.load(op, variable, &[])?);
    }
    let combines = combines(m, op, &olds)?;
    for ((variable, old), combine) in view.reductions(m.ir).into_iter().zip(&olds).zip(combines) {
        let Some(identity) = combine.identity(old) else {
            return Err(m.wrong_value(op, old, "a number to reduce"));
        };
        m.store(op, variable, &[], &identity)?;
    }
    go_on(m, op, nest, olds)
}

fn next(m: &mut Interpreter<'_>, op: Op, state: State, _: Vec<RtValue>) -> Step {
    match state {
        State::Nest { nest, accumulators } => go_on(m, op, nest, accumulators),
        _ => Err(m.error(op, "is no nest of loops")),
    }
}

fn go_on(m: &mut Interpreter<'_>, op: Op, mut nest: Nest, olds: Vec<RtValue>) -> Step {
    if let Some(indices) = nest.next() {
        let arguments = indices.into_iter().map(RtValue::index).collect();
        return enter(m, op, 0, arguments, State::Nest { nest, accumulators: olds });
    }
    let combines = combines(m, op, &olds)?;
    let variables = offload::LoopOp(op).reductions(m.ir);
    for ((variable, old), combine) in variables.into_iter().zip(&olds).zip(combines) {
        let private = m.load(op, variable, &[])?;
        let combined = combine.apply(m, op, old, &private)?;
        m.store(op, variable, &[], &combined)?;
    }
    Ok(Flow::Next)
}

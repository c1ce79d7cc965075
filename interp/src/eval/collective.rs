//! What the threads of a block or subgroup do together, and their scheduling.

use gpuc_dialects::gpu::{self, ALL_REDUCE_OPERATIONS, SHUFFLE_MODES};
use gpuc_dialects::nvvm;
use gpuc_dialects::offload::mapping::LoopMapping;
use gpuc_dialects::offload::{COLLECTIVE_ATTR, GridBarrierOp, RegionOp};
use gpuc_ir::{Block, Op, OpView};

use super::combine::Combine;
use super::{Family, Handler, Step};
use crate::execution::Outcome;
use crate::fiber::{Fiber, Flow, Pending};
use crate::grid::SUBGROUP;
use crate::interpreter::{Fault, Interpreter, Order};
use crate::value::RtValue;

pub(super) const OPS: Family = &[
    (gpu::BarrierOp::NAME, Handler::leaf(barrier)),
    (GridBarrierOp::NAME, Handler::leaf(grid_barrier)),
    (gpu::AllReduceOp::NAME, Handler::leaf(wait)),
    (gpu::SubgroupReduceOp::NAME, Handler::leaf(wait)),
    (gpu::ShuffleOp::NAME, Handler::leaf(wait)),
    (nvvm::SyncWarpOp::NAME, Handler::leaf(wait)),
    (nvvm::CpAsyncCommitGroupOp::NAME, Handler::leaf(already_copied)),
    (nvvm::CpAsyncWaitGroupOp::NAME, Handler::leaf(already_copied)),
];

/// Copies in the background are carried out at once here.
fn already_copied(_: &mut Interpreter<'_>, _: Op) -> Step {
    Ok(Flow::Next)
}

/// Waits for the other threads; what then happens is up to the scheduler.
fn wait(m: &mut Interpreter<'_>, op: Op) -> Step {
    super::gpu::place(m, op)?;
    Ok(Flow::Suspend(Pending { op, operands: m.get_all(m.ir.operands(op))? }))
}

/// Where the code is that of a whole block, everything before has been done.
fn barrier(m: &mut Interpreter<'_>, op: Op) -> Step {
    let is_of_threads = m.fiber.position.is_some()
        || m.ir.ancestors(op).any(|outer| {
            LoopMapping::known(m.ir, outer).is_some_and(|mapping| mapping.is_over_threads())
        });
    let in_region = m.ir.ancestors(op).any(|outer| RegionOp::is(m.ir, outer));
    match (is_of_threads, in_region) {
        (true, _) => {}
        (false, true) => return Ok(Flow::Next),
        (false, false) => drop(super::gpu::place(m, op)?),
    }
    Ok(Flow::Suspend(Pending { op, operands: Vec::new() }))
}

/// In a grid of one block the barrier of a block; where the code is that of the whole grid, everything before has been
/// done.
fn grid_barrier(m: &mut Interpreter<'_>, op: Op) -> Step {
    let is_collective =
        m.ir.ancestors(op)
            .any(|outer| RegionOp::is(m.ir, outer) || m.ir.attr(outer, COLLECTIVE_ATTR).is_some());
    if is_collective {
        return Ok(Flow::Next);
    }
    let (grid, _) = super::gpu::place(m, op)?;
    if grid.blocks != [1; 3] {
        return Err(m.error(op, "waits for other blocks, which run one after the other here"));
    }
    Ok(Flow::Suspend(Pending { op, operands: Vec::new() }))
}

/// A thread of a block.
pub(super) struct Thread {
    fiber: Fiber,
    state: ThreadState,
}

enum ThreadState {
    New(Vec<RtValue>),
    Ready,
    Waiting(Pending),
    Finished,
}

impl Thread {
    pub fn new(fiber: Fiber, arguments: Vec<RtValue>) -> Self {
        Thread { fiber, state: ThreadState::New(arguments) }
    }
}

/// Runs the threads of a block to their ends.
pub(super) fn run_block(
    m: &mut Interpreter<'_>,
    owner: Op,
    body: Block,
    mut threads: Vec<Thread>,
) -> Result<(), Fault> {
    let mut order: Vec<usize> = (0..threads.len()).collect();
    if m.options.order == Order::Backwards {
        order.reverse();
    }
    loop {
        for &i in &order {
            run_thread(m, owner, body, &mut threads[i])?;
        }
        if threads.iter().all(|thread| matches!(thread.state, ThreadState::Finished)) {
            return Ok(());
        }
        // Subgroups first: what their lanes do together needs nobody else.
        let mut progress = false;
        for lanes in threads.chunks_mut(SUBGROUP) {
            progress |= serve_subgroup(m, lanes)?;
        }
        if !progress {
            serve_block(m, &mut threads)?;
        }
    }
}

/// Runs a thread until it waits or ends.
fn run_thread(
    m: &mut Interpreter<'_>,
    owner: Op,
    body: Block,
    thread: &mut Thread,
) -> Result<(), Fault> {
    let state = std::mem::replace(&mut thread.state, ThreadState::Finished);
    let start = match state {
        ThreadState::New(arguments) => Some(arguments),
        ThreadState::Ready => None,
        other => {
            thread.state = other;
            return Ok(());
        }
    };
    std::mem::swap(&mut m.fiber, &mut thread.fiber);
    let outcome = match start {
        Some(arguments) => m.start(owner, body, arguments),
        None => m.execute(),
    };
    std::mem::swap(&mut m.fiber, &mut thread.fiber);
    if let Outcome::Suspended(pending) = outcome? {
        thread.state = ThreadState::Waiting(pending);
    }
    Ok(())
}

/// Ends a thread's waiting with the results of what it waited for.
fn resume(
    m: &mut Interpreter<'_>,
    thread: &mut Thread,
    results: Vec<RtValue>,
) -> Result<(), Fault> {
    if let ThreadState::Waiting(pending) = &thread.state {
        let op = pending.op;
        std::mem::swap(&mut m.fiber, &mut thread.fiber);
        let set = m.set_results(op, results);
        std::mem::swap(&mut m.fiber, &mut thread.fiber);
        set?;
        thread.state = ThreadState::Ready;
    }
    Ok(())
}

fn pending(thread: &Thread) -> Option<&Pending> {
    match &thread.state {
        ThreadState::Waiting(pending) => Some(pending),
        _ => None,
    }
}

/// Lets lanes go on that wait for each other; says whether there were any.
fn serve_subgroup(m: &mut Interpreter<'_>, lanes: &mut [Thread]) -> Result<bool, Fault> {
    let of_subgroup = |m: &Interpreter<'_>, op| {
        gpu::ShuffleOp::is(m.ir, op)
            || gpu::SubgroupReduceOp::is(m.ir, op)
            || nvvm::SyncWarpOp::is(m.ir, op)
    };
    let first = lanes.iter().filter_map(pending).map(|p| p.op).find(|&op| of_subgroup(m, op));
    let Some(op) = first else { return Ok(false) };
    // Those that wait elsewhere take no part: a program in which they should is not uniform.
    let values: Vec<Option<Vec<RtValue>>> = lanes
        .iter()
        .map(|lane| pending(lane).filter(|p| p.op == op).map(|p| p.operands.clone()))
        .collect();
    let results = if gpu::ShuffleOp::is(m.ir, op) {
        (0..values.len())
            .map(|lane| shuffle(m, op, &values, lane))
            .collect::<Result<Vec<_>, _>>()?
    } else if nvvm::SyncWarpOp::is(m.ir, op) {
        vec![Vec::new(); values.len()]
    } else {
        let combined = combine_all(m, op, values.iter().flatten().filter_map(|v| v.first()))?;
        vec![vec![combined]; values.len()]
    };
    for ((lane, value), results) in lanes.iter_mut().zip(&values).zip(results) {
        if value.is_some() {
            resume(m, lane, results)?;
        }
    }
    Ok(true)
}

const OTHER_LANE: &str = "a value of a lane that takes no part in the shuffle";

/// What a shuffle gives to a lane: the value of another one and whether that is in range.
fn shuffle(
    m: &Interpreter<'_>,
    op: Op,
    values: &[Option<Vec<RtValue>>],
    lane: usize,
) -> Result<Vec<RtValue>, Fault> {
    let Some([own, offset, width]) = values[lane].as_deref() else { return Ok(Vec::new()) };
    let number = |value: &RtValue| match value {
        RtValue::Int(int) => Ok(int.signed()),
        other => Err(m.wrong_value(op, other, "an integer")),
    };
    let (offset, width) = (number(offset)?, number(width)?);
    if !(1..=SUBGROUP as i128).contains(&width) {
        return Err(m.error(op, format!("has width {width}; there are {SUBGROUP} lanes")));
    }
    let mode = gpu::ShuffleOp(op).mode(m.ir).and_then(|mode| SHUFFLE_MODES.number(&m.ir.ctx, mode));
    // Lanes are divided into segments of `width`; each shuffles for itself.
    let start = lane as i128 / width * width;
    let (source, is_valid) = match mode {
        Some(0) => (lane as i128 ^ offset, (lane as i128 ^ offset) < start + width),
        Some(1) => (lane as i128 - offset, lane as i128 - offset >= start),
        Some(2) => (lane as i128 + offset, lane as i128 + offset < start + width),
        Some(3) => (start + offset, (0..width).contains(&offset)),
        _ => return Err(m.error(op, "has no valid mode")),
    };
    if !is_valid {
        return Ok(vec![own.clone(), RtValue::bool(false)]);
    }
    let found =
        usize::try_from(source).ok().and_then(|source| values.get(source)?.as_ref()?.first());
    let value = match found {
        Some(value) => value.clone(),
        None => m.poison(op, OTHER_LANE, own.clone()),
    };
    Ok(vec![value, RtValue::bool(true)])
}

/// Lets all threads of the block go on if they all wait for the same.
fn serve_block(m: &mut Interpreter<'_>, threads: &mut [Thread]) -> Result<(), Fault> {
    let Some(op) = threads.iter().find_map(pending).map(|pending| pending.op) else {
        return Ok(());
    };
    if let Some(other) = threads.iter().find(|t| pending(t).is_none_or(|p| p.op != op)) {
        let waiting = threads.iter().filter(|t| pending(t).is_some_and(|p| p.op == op)).count();
        let mut error = m.error(
            op,
            format!("is reached by {waiting} of {} threads of the block only", threads.len()),
        );
        let [x, y, z] = other.fiber.position.map_or([0; 3], |position| position.thread);
        error = Box::new(match pending(other) {
            Some(pending) => match m.ir.ctx.place(m.ir.location(pending.op)) {
                Some(place) => error.related(place, format!("thread ({x}, {y}, {z}) waits here")),
                None => error.help(format!("thread ({x}, {y}, {z}) waits elsewhere")),
            },
            None => error.help(format!("thread ({x}, {y}, {z}) has ended")),
        });
        return Err(error);
    }
    let results = if gpu::BarrierOp::is(m.ir, op) || GridBarrierOp::is(m.ir, op) {
        Vec::new()
    } else {
        let values: Vec<RtValue> = threads
            .iter()
            .filter_map(pending)
            .filter_map(|p| p.operands.first().cloned())
            .collect();
        vec![combine_all(m, op, values.iter())?]
    };
    for thread in threads {
        resume(m, thread, results.clone())?;
    }
    Ok(())
}

/// The values of all threads combined, in the order of the threads.
fn combine_all<'v>(
    m: &mut Interpreter<'_>,
    op: Op,
    values: impl Iterator<Item = &'v RtValue>,
) -> Result<RtValue, Fault> {
    let number = m.ir.attr(op, "op").and_then(|kind| ALL_REDUCE_OPERATIONS.number(&m.ir.ctx, kind));
    let combine = match number {
        Some(number) => Combine::from_keyword(&ALL_REDUCE_OPERATIONS.keywords(number)),
        None => None,
    };
    let body = m.ir.regions(op).first().and_then(|&region| m.ir.entry_block(region));
    let mut result: Option<RtValue> = None;
    for value in values {
        result = Some(match (result, combine, body) {
            (None, ..) => value.clone(),
            (Some(result), Some(combine), _) => combine.apply(m, op, &result, value)?,
            (Some(result), None, Some(body)) => {
                // The body sees nothing but its arguments: any fiber will do, a fresh one best.
                let host = std::mem::replace(&mut m.fiber, Fiber::new(None, None));
                let combined = m.run_region(op, body, vec![result, value.clone()]);
                m.fiber = host;
                let mut combined = combined?;
                combined.pop().ok_or_else(|| m.error(op, "has a body without a result"))?
            }
            _ => return Err(m.error(op, "has neither a valid operation nor a body")),
        });
    }
    result.ok_or_else(|| m.error(op, "combines no values"))
}

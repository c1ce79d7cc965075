//! Loops over threads with barriers inside: their iterations run in turns, from barrier to barrier.
//!
//! A loop that is mapped to threads and has no barrier inside runs like any other, one iteration after
//! the other. One with barriers means that the threads of a block wait for each other there.

use std::collections::BTreeMap;
use std::rc::Rc;

use gpuc_dialects::gpu;
use gpuc_dialects::offload::mapping::{Distribution, LoopMapping};
use gpuc_ir::{Op, OpView, WalkOrder};

use super::Step;
use super::collective::{Thread, run_block};
use crate::fiber::Fiber;
use crate::interpreter::Interpreter;
use crate::nest::Nest;
use crate::value::RtValue;

/// The mapping of a loop over threads that has a barrier inside.
pub(super) fn with_barriers(m: &Interpreter<'_>, op: Op) -> Option<LoopMapping> {
    let mapping = LoopMapping::known(m.ir, op).filter(LoopMapping::is_over_threads)?;
    let nested = m.ir.nested_ops(op, WalkOrder::PreOrder);
    nested.into_iter().any(|inner| gpu::BarrierOp::is(m.ir, inner)).then_some(mapping)
}

/// Runs the iterations of such a loop, those of one block together.
pub(super) fn run(
    m: &mut Interpreter<'_>,
    op: Op,
    mapping: &LoopMapping,
    mut nest: Nest,
    first: &[i64],
    step: &[i64],
) -> Step {
    if !m.ir.results(op).is_empty() {
        return Err(m.error(op, "combines values round a barrier, which cannot be executed"));
    }
    let mut values = m.fiber.captured.as_deref().cloned().unwrap_or_default();
    if let Some(current) = m.fiber.activations.last() {
        values.extend(current.iter().map(|(&value, worth)| (value, worth.clone())));
    }
    let captured = Rc::new(values);
    let mut blocks: BTreeMap<Vec<i64>, Vec<Vec<i64>>> = BTreeMap::new();
    while let Some(indices) = nest.next() {
        let mut block = Vec::new();
        let numbers =
            indices.iter().zip(first).zip(step).map(|((i, first), step)| (i - first) / step);
        for (number, map) in numbers.zip(&mapping.0) {
            let exact = map.dims == 1 && map.how == Distribution::Exact;
            match map.threads().filter(|_| exact) {
                Some(threads) if map.is_over_blocks() => block.push(number / threads),
                Some(_) => {}
                None => {
                    return Err(m.error(op, "is mapped so that its barriers cannot be executed"));
                }
            }
        }
        blocks.entry(block).or_default().push(indices.to_vec());
    }
    let body = m.ir.body(op, 0);
    let outside = std::mem::take(&mut m.fiber);
    let mut result = Ok(());
    for iterations in blocks.into_values() {
        let threads = iterations.into_iter().map(|indices| {
            let arguments = indices.into_iter().map(RtValue::index).collect();
            Thread::new(Fiber::new(Some(captured.clone()), None), arguments)
        });
        result = result.and_then(|()| run_block(m, op, body, threads.collect()));
    }
    m.fiber = outside;
    result?;
    m.set_results(op, Vec::new())
}

//! `distribute`: makes of the code of a grid the code of one thread.
//!
//! Needs kernels whose parallel loops are `scf.parallel` with a `mapping`
//! ([`gpuc_dialects::offload::mapping`]); leaves none. A mapped loop becomes the iterations of this
//! thread ([`super::spread`]). Code that the loops around do not tell threads apart in is executed by
//! all of them alike; where it can be seen from outside the thread (a store, an atomic), by the first
//! only, between barriers. Buffers that threads share go to the block's memory. What follows a loop
//! over blocks that combines values is done by the block that finishes last ([`super::last_block`]).

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::mapping::{Axis, Distribution, LoopMapping};
use gpuc_dialects::offload::{COLLECTIVE_ATTR, FOLDED_ROWS_ATTR, GridBarrierOp};
use gpuc_dialects::{func, gpu, memref, nvvm, scf};
use gpuc_ir::op::{Effect, EffectKind, Traits};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Block, Builder, Ir, Op, OpView, Region, Value, WalkOrder};
use rustc_hash::FxHashSet;

use super::broadcast;
use super::combiner::all_reduce;
use super::lane_row::{self, LaneRow};
use super::last_block;
use super::segments::is_local;
use super::spread::{Spread, spread};
use super::thread_arrays::place_buffers;
use super::threads::Processors;
use crate::analysis::access::root;

gpuc_ir::pass! {
    /// Turn the code of grids into the code of their threads.
    Distribute = "distribute" on "builtin.module" {}
}

impl Pass for Distribute {
    fn run(&mut self, ir: &mut Ir, module: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for func in ir.nested_ops(module, WalkOrder::PreOrder) {
            if gpu::GPUFuncOp::is(ir, func) && ir.attr(func, COLLECTIVE_ATTR).is_some() {
                distribute(ir, func)?;
                ir.remove_attr(func, COLLECTIVE_ATTR);
                ir.remove_attr(func, FOLDED_ROWS_ATTR);
            }
        }
        Ok(())
    }
}

/// Distributes all parallel loops of a kernel.
fn distribute(ir: &mut Ir, func: Op) -> Result<(), Diagnostic> {
    let mut processors = Processors::of(ir, func);
    let shares_buffers = place_buffers(ir, func, &mut processors)?;
    let combining = last_block::combining_loop(ir, func);
    let entry = ir.body(func, 0);
    for barrier in ir.nested_ops(func, WalkOrder::PreOrder) {
        if gpu::BarrierOp::is(ir, barrier) {
            // The loops that it names are about to be taken apart.
            ir.set_operands(barrier, &[]);
        }
    }
    let tail = combining.map(|op| last_block::detach_tail(ir, op));
    let mut distributor =
        Distributor { processors: &mut processors, partial: Vec::new(), shares_buffers };
    distributor.block(ir, entry, &[], Nesting::Kernel)?;
    let partial = distributor.partial;
    if let Some(tail) = tail {
        last_block::finish(ir, func, &mut processors, &partial, tail)?;
    }
    Ok(())
}

struct Distributor<'a> {
    processors: &'a mut Processors,
    /// What the block has of each result of the loop over blocks.
    partial: Vec<(Value, Region)>,
    /// Whether threads of the block share buffers from one iteration of a loop to the next.
    shares_buffers: bool,
}

/// Where a block of operations stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nesting {
    /// It is the kernel's own.
    Kernel,
    /// It is the body of a parallel loop: iterations need nothing of each other.
    Iteration,
    /// It is the body of a parallel loop of which a block has one iteration, and the kernel ends there.
    End,
    /// It is further inside.
    Inside,
}

/// Whether all threads of the block wait for each other at an operation.
fn is_barrier(ir: &Ir, op: Op) -> bool {
    gpu::BarrierOp::is(ir, op) || GridBarrierOp::is(ir, op)
}

fn error(ir: &Ir, op: Op, message: &str) -> Diagnostic {
    Diagnostic::error(message).at_option(ir.ctx.place(ir.location(op)))
}

impl Distributor<'_> {
    fn block(
        &mut self,
        ir: &mut Ir,
        block: Block,
        around: &[Axis],
        at: Nesting,
    ) -> Result<(), Diagnostic> {
        let mut next = ir.first_op(block);
        while let Some(op) = next {
            next = ir.next_op(op);
            if scf::ParallelOp::is(ir, op) {
                self.parallel(ir, op, around, at)?;
            } else if ir.regions(op).is_empty() || memref::GenericAtomicRMWOp::is(ir, op) {
                self.guard(ir, op, around, at)?;
            } else {
                for region in ir.regions(op).to_vec() {
                    for inner in ir.blocks(region).to_vec() {
                        self.block(ir, inner, around, Nesting::Inside)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether nobody looks at memory behind `op` that others in the block may have changed: the
    /// kernel or an iteration ends there.
    fn ends(&self, ir: &Ir, op: Op, at: Nesting) -> bool {
        nothing_follows(ir, op)
            && (at == Nesting::End || (at != Nesting::Inside && !self.shares_buffers))
    }

    /// Whether the next thing behind `op` that can be seen is a barrier.
    fn barrier_follows(&self, ir: &Ir, op: Op) -> bool {
        std::iter::successors(ir.next_op(op), |&next| ir.next_op(next))
            .find(|&next| !ir.is_effect_free(next))
            .is_some_and(|next| is_barrier(ir, next))
    }

    /// Whether the threads of a block are told apart on every axis that has several.
    fn tells_apart(&self, around: &[Axis]) -> bool {
        (0..3).all(|d| {
            let axis = Axis::Thread(d);
            self.processors.extents.extent(axis) == Some(1) || around.contains(&axis)
        })
    }

    /// Lets one thread do what all would do alike but may be seen from outside.
    fn guard(
        &mut self,
        ir: &mut Ir,
        op: Op,
        around: &[Axis],
        at: Nesting,
    ) -> Result<(), Diagnostic> {
        // Threads wait for each other together, and each for copies of its own.
        let waits = is_barrier(ir, op)
            || nvvm::CpAsyncCommitGroupOp::is(ir, op)
            || nvvm::CpAsyncWaitGroupOp::is(ir, op)
            || ir.has_trait(op, Traits::TERMINATOR);
        if waits || self.tells_apart(around) {
            return Ok(());
        }
        // A call may do anything.
        let effects = ir.effects(op);
        if effects.is_none() && !func::CallOp::is(ir, op) {
            return Err(error(ir, op, &format!("'{}' cannot run on the device", ir.name(op))));
        }
        if effects.is_none() && broadcast::passes_own_memory(ir, op) {
            let message = "this call outside a vector loop leaves something in a variable of one thread, \
                which others need";
            let help = "call it in the loop, or divide the loop inside among gangs alone";
            return Err(error(ir, op, message).help(help));
        }
        if effects.is_some_and(|effects| !effects.iter().any(|effect| is_seen(ir, effect))) {
            return Ok(());
        }
        if ir.results(op).iter().any(|&result| !ir.is_unused(result)) {
            return self.tell_others(ir, op, around);
        }
        if let Some(row) = LaneRow::of(self.processors, around) {
            self.guard_in_row(ir, op, around, row, at);
            return Ok(());
        }
        let ends = self.ends(ir, op, at);
        let mut b = Builder::before(ir, op);
        let Some(first) = self.processors.is_first(&mut b, around) else { return Ok(()) };
        execute_alone(&mut b, op, first, ends);
        Ok(())
    }

    /// Lets one thread do what has a value, which those that it is alike for need.
    fn tell_others(&mut self, ir: &mut Ir, op: Op, around: &[Axis]) -> Result<(), Diagnostic> {
        let row = LaneRow::of(self.processors, around);
        let is_several = |axis: &Axis| {
            !matches!(axis, Axis::Block(_)) && self.processors.extents.extent(*axis) != Some(1)
        };
        if row.is_none() && around.iter().any(is_several) {
            return Err(error(
                ir,
                op,
                "the value of this operation outside a vector loop would be known to one thread only",
            )
            .help("threads hand it over if they are a row in x of 2, 4, 8, 16 or 32"));
        }
        let mut b = Builder::before(ir, op);
        let Some(first) = self.processors.is_first(&mut b, around) else { return Ok(()) };
        // What it reads others have written, and what it writes they have read.
        let wait = |b: &mut Builder<'_>| match row {
            Some(row) => row.wait(b),
            None => {
                gpu::BarrierOp::new(b, &[]).build(b);
            }
        };
        wait(&mut b);
        wait(&mut Builder::after(ir, op));
        broadcast::execute_once(ir, op, first, row);
        Ok(())
    }

    /// Lets the first lane of a row do it, with what only that needs.
    fn guard_in_row(&mut self, ir: &mut Ir, op: Op, around: &[Axis], row: LaneRow, at: Nesting) {
        let inside = lane_row::needed_by(ir, op);
        let mut b = Builder::before(ir, op);
        let Some(first) = self.processors.is_first(&mut b, around) else { return };
        let then = b.region(&[], |b, _| {
            scf::YieldOp::new(b, &[]).build(b);
        });
        let guard = scf::IfOp::new(&mut b, first).region(then).build(&mut b);
        let mut end = ir.last_op(ir.body(guard, 0)).expect("the region was made with a yield");
        for own in [op].into_iter().chain(inside) {
            ir.move_before(end, own);
            end = own;
        }
        if lane_row::overwrites(ir, guard) {
            row.wait(&mut Builder::before(ir, guard));
        }
        if self.row_goes_on(ir, guard, at) {
            row.wait(&mut Builder::after(ir, guard));
        }
    }

    /// Whether lanes of a row may look at what `op` writes behind it.
    fn row_goes_on(&self, ir: &Ir, op: Op, at: Nesting) -> bool {
        let ends = at == Nesting::End || (at != Nesting::Inside && !self.shares_buffers);
        !ends || lane_row::is_touched_behind(ir, op)
    }

    /// Whether a loop over threads leaves some axes of the block out, which nothing inside is divided along: threads that
    /// only those tell apart would all do it.
    fn is_for_some(&self, ir: &Ir, op: Op, around: &[Axis], axes: &[Axis]) -> bool {
        let known: Vec<Axis> = around.iter().chain(axes).copied().collect();
        let divides = |&inner: &Op| {
            inner != op
                && LoopMapping::known(ir, inner).is_some_and(|mapping| {
                    let axes: Vec<Axis> = mapping.axes().map(|(axis, _)| axis).collect();
                    self.processors.extents.are_apart(&axes)
                })
        };
        let nested = ir.nested_ops(op, WalkOrder::PreOrder);
        !self.tells_apart(&known)
            && ir.results(op).is_empty()
            && !nested.iter().any(|inner| divides(inner) || gpu::BarrierOp::is(ir, *inner))
    }

    /// Lets the first of the threads that a loop does not tell apart do it, the others wait: not at each operation inside,
    /// where they may have gone on to another iteration.
    fn parallel_of_some(
        &mut self,
        ir: &mut Ir,
        op: Op,
        around: &[Axis],
        axes: &[Axis],
        ends: bool,
    ) -> Result<(), Diagnostic> {
        let known: Vec<Axis> = around.iter().chain(axes).copied().collect();
        let mut b = Builder::before(ir, op);
        let all = around.iter().copied().chain((0..3).map(Axis::Thread)).collect::<Vec<_>>();
        let Some(first) = self.processors.is_first(&mut b, &known) else {
            return self.parallel(ir, op, &all, Nesting::Inside);
        };
        execute_alone(&mut b, op, first, ends);
        self.parallel(ir, op, &all, Nesting::Inside)
    }

    fn parallel(
        &mut self,
        ir: &mut Ir,
        op: Op,
        around: &[Axis],
        at: Nesting,
    ) -> Result<(), Diagnostic> {
        let top = at == Nesting::Kernel;
        let Some(mapping) = LoopMapping::known(ir, op) else {
            return Err(error(ir, op, "this parallel loop has no 'mapping'"));
        };
        let over_blocks = mapping.is_over_blocks();
        if over_blocks && !top && !ir.results(op).is_empty() {
            return Err(error(
                ir,
                op,
                "a reduction over gangs must be the outermost loop of the region",
            )
            .help("inside another loop, reduce over worker or vector"));
        }
        let axes: Vec<Axis> = mapping.axes().map(|(axis, _)| axis).collect();
        let in_block = self.processors.extents.are_apart(&axes);
        let writes =
            ir.effects(op).is_none_or(|effects| effects.iter().any(|effect| is_seen(ir, effect)));
        let ends =
            self.ends(ir, op, at) || self.barrier_follows(ir, op) || writes_in_background(ir, op);
        let apart = self.processors.extents.are_apart(around);
        if in_block && writes && !apart && self.is_for_some(ir, op, around, &axes) {
            return self.parallel_of_some(ir, op, around, &axes, ends);
        }
        // Behind a kernel's own loop over blocks nothing comes; one further inside is a step of each block.
        let over_blocks = over_blocks && top;
        if in_block && writes && !apart && !over_blocks && overwrites_what_was_read(ir, op) {
            let mut b = Builder::before(ir, op);
            gpu::BarrierOp::new(&mut b, &[]).build(&mut b);
        }
        let row = LaneRow::of(self.processors, around).filter(|_| in_block && !over_blocks);
        if let Some(row) = row.filter(|_| writes && lane_row::overwrites(ir, op)) {
            row.wait(&mut Builder::before(ir, op));
        }
        let row_waits = row.is_some() && writes && self.row_goes_on(ir, op, at);
        if in_block && apart && row.is_none() && !over_blocks && !ir.results(op).is_empty() {
            return Err(error(ir, op, "threads that combine values here are a part of the block")
                .help("a part combines if it is a row in x of 2, 4, 8, 16 or 32 threads"));
        }
        let Spread { mut values, combiners, body, outermost } =
            spread(ir, op, &mapping, self.processors)?;
        if in_block {
            let mut b = Builder::after(ir, outermost);
            for (value, &combiner) in values.iter_mut().zip(&combiners) {
                *value = match row {
                    Some(row) => row.combine(&mut b, *value, combiner),
                    None => all_reduce(&mut b, *value, combiner),
                };
            }
            if let Some(row) = row.filter(|_| row_waits) {
                row.wait(&mut b);
            }
            // Rows that go different ways do not wait for each other: lanes of one have.
            if writes && !over_blocks && !apart && !ends {
                gpu::BarrierOp::new(&mut b, &[]).build(&mut b);
            }
        }
        if over_blocks {
            self.partial = values.into_iter().zip(combiners).collect();
        } else {
            for (i, value) in values.into_iter().enumerate() {
                let result = ir.result(op, i);
                ir.replace_all_uses(result, value);
            }
        }
        let inside: Vec<Axis> = around.iter().copied().chain(axes).collect();
        let once = matches!(at, Nesting::Kernel | Nesting::End)
            && mapping.0.iter().all(|dim| dim.how == Distribution::Exact && !dim.axes.is_empty());
        let inner = if once && nothing_follows(ir, op) { Nesting::End } else { Nesting::Iteration };
        self.block(ir, body, &inside, inner)?;
        // Its combiners are copied by what finishes the reduction.
        if !over_blocks || self.partial.is_empty() {
            ir.erase_op(op);
        }
        Ok(())
    }
}

/// Puts an operation, in front of which the builder's point is, under the condition that this is the `first` of some threads; the
/// others wait for what it reads to be there and, unless everything `ends` with it, for what it writes.
fn execute_alone(b: &mut Builder<'_>, op: Op, first: Value, ends: bool) {
    gpu::BarrierOp::new(b, &[]).build(b);
    let then = b.region(&[], |b, _| {
        scf::YieldOp::new(b, &[]).build(b);
    });
    let guard = scf::IfOp::new(b, first).region(then).build(b);
    if !ends {
        gpu::BarrierOp::new(b, &[]).build(b);
    }
    let end = b.last_op(b.body(guard, 0)).expect("the region was made with a yield");
    b.move_before(end, op);
}

/// Whether a loop over threads writes what others in the block may still read: something that stands
/// before it, or behind it in a loop round both, with no barrier between.
fn overwrites_what_was_read(ir: &Ir, op: Op) -> bool {
    let Some(effects) = effects_on_memory(ir, op) else { return true };
    let writes = effects.iter().filter(|effect| is_seen(ir, effect));
    // That variables are apart has been said or tested for the loop to be parallel.
    let written: Option<FxHashSet<Value>> = writes.map(|write| Some(root(ir, write.on?))).collect();
    let Some(written) = written else { return true };
    let mut at = op;
    loop {
        let before = std::iter::successors(ir.previous_op(at), |&op| ir.previous_op(op));
        if let Some(conflicts) = first_conflict(ir, &written, before) {
            return conflicts;
        }
        let Some(owner) = ir.parent_op(at) else { return false };
        if ir.has_trait(owner, Traits::SYMBOL) {
            return false;
        }
        if ir.is_loop(owner) {
            let last = ir.parent_block(at).and_then(|block| ir.last_op(block));
            let turn = std::iter::successors(last, |&op| ir.previous_op(op));
            if first_conflict(ir, &written, turn.take_while(|&other| other != at)) == Some(true) {
                return true;
            }
        }
        at = owner;
    }
}

/// Whether the first of some operations that decides does so because it reads what is `written`; a
/// barrier decides that nothing does. `None` where none decides.
fn first_conflict(
    ir: &Ir,
    written: &FxHashSet<Value>,
    others: impl Iterator<Item = Op>,
) -> Option<bool> {
    for other in others {
        if is_barrier(ir, other) {
            return Some(false);
        }
        let Some(effects) = effects_on_memory(ir, other) else { return Some(true) };
        let mut reads = effects.iter().filter(|effect| effect.kind == EffectKind::Read);
        if reads.any(|read| read.on.is_none_or(|on| written.contains(&root(ir, on)))) {
            return Some(true);
        }
    }
    None
}

/// What an operation and those inside do to memory; barriers do nothing to it.
fn effects_on_memory(ir: &Ir, op: Op) -> Option<Vec<Effect>> {
    let mut all = Vec::new();
    for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
        let passes = is_barrier(ir, inner)
            || ir.has_trait(inner, Traits::RECURSIVE_EFFECTS)
            || ir.has_trait(inner, Traits::TERMINATOR);
        if !passes {
            all.extend(ir.effects(inner)?);
        }
    }
    Some(all)
}

/// Whether an effect changes what other threads may see.
fn is_seen(ir: &Ir, effect: &Effect) -> bool {
    effect.kind == EffectKind::Write && !effect.on.is_some_and(|on| is_local(ir, on))
}

/// Whether all that a loop over threads writes is copied in the background: nobody reads it before a wait and a barrier.
fn writes_in_background(ir: &Ir, op: Op) -> bool {
    let nested = ir.nested_ops(op, WalkOrder::PreOrder).into_iter();
    let plain = |&inner: &Op| {
        !ir.has_trait(inner, Traits::RECURSIVE_EFFECTS) && !ir.has_trait(inner, Traits::TERMINATOR)
    };
    nested.filter(plain).all(|inner| {
        let effects = ir.effects(inner);
        ir.attr(inner, nvvm::ASYNC).is_some()
            || effects.is_some_and(|effects| !effects.iter().any(|effect| is_seen(ir, effect)))
    })
}

/// Whether the block ends behind an operation, for all that can be seen.
fn nothing_follows(ir: &Ir, op: Op) -> bool {
    std::iter::successors(ir.next_op(op), |&next| ir.next_op(next))
        .all(|next| ir.has_trait(next, Traits::TERMINATOR) || ir.is_effect_free(next))
}

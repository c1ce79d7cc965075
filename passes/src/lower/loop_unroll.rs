//! `loop-unroll`: innermost loops of kernels do several rounds in one.
//!
//! Needs nothing; leaves loops that hold a barrier, or whose rounds are too long to gain. A loop with few rounds, known
//! at compile time, becomes straight code, from the inside out; any other with a constant step
//! becomes a loop over groups of rounds and one over the rest, which ptxas is asked not to unroll
//! again; half of a long group is straight code between them, so that the rest is short. Both count from 0 by 1, so that their counters are known to be small. Rounds stay in their
//! order: sums of floats are the same. The options are those of MLIR's `affine-loop-unroll` where
//! it has them.
//!
//! Loops by the number of threads of the grid mostly run once, and are left, but for those that combine what they
//! load: the grid of a reduction is small, and a thread that waits for each element before it asks for the next one
//! moves half of what memory gives (an H100: 2080 GB/s, 2580 with four loads under way). They too become two loops.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{arith, gpu, llvm, memref, scf};
use gpuc_ir::op::{Subscripts, Traits};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueMap, WalkOrder};

use super::on_loops_of_kernels;

mod rounds;

/// Rounds in one from which on half a group is straight code.
const LONG_GROUP: usize = 8;

gpuc_ir::pass! {
    /// Let innermost loops of kernels do several rounds in one.
    LoopUnroll = "loop-unroll" on "builtin.module" {
        /// Rounds in one, at most; halved where the body would be too long.
        unroll_factor: usize = 8,
        /// Rounds in one, at most, where a round is not short.
        long_unroll_factor: usize = 4,
        /// Operations of a round that is short: what counts rounds and moves pointers on is a good part of it.
        short_round: usize = 8,
        /// Loops of so many rounds, known at compile time, become straight code.
        unroll_full_threshold: usize = 16,
        /// Operations of an unrolled body, at most.
        operations: usize = 160,
    }
}

impl Pass for LoopUnroll {
    fn run(&mut self, ir: &mut Ir, module: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        // Inner loops first: when they are gone, the outer one is the innermost.
        on_loops_of_kernels(ir, module, |ir, view| {
            if !llvm::is_no_unroll(ir, view.op()) {
                self.unroll(ir, view);
            }
        });
        Ok(())
    }
}

impl LoopUnroll {
    fn unroll(&self, ir: &mut Ir, view: scf::ForOp) {
        let Some(length) = body_length(ir, view) else { return };
        let Some(step) = arith::constant_index_value(ir, view.step(ir)) else {
            let factor = self.factor(length, self.long_unroll_factor);
            if factor > 1 && combines_loads(ir, view) {
                unroll_strided(ir, view, factor);
            }
            return;
        };
        if step <= 0 {
            return;
        }
        let trips = trips(ir, view);
        if let Some(factor) = llvm::unroll_count(ir, view.op()) {
            match trips {
                Some(trips) if trips <= factor => unroll_fully(ir, view, trips, step),
                _ if factor > 1 && llvm::Rounds::of(ir, view.op()) != llvm::Rounds::default() => {
                    rounds::unroll(ir, view, factor, step);
                }
                _ if factor > 1 => unroll_by(ir, view, factor, step),
                _ => {}
            }
            return;
        }
        if let Some(trips) = trips.filter(|_| self.becomes_straight_code(ir, view, length)) {
            unroll_fully(ir, view, trips, step);
            return;
        }
        let is_short = length <= self.short_round && !gathers(ir, view);
        let most = if is_short { self.unroll_factor } else { self.long_unroll_factor };
        let factor = self.factor(length, most);
        if factor > 1 {
            unroll_by(ir, view, factor, step);
        }
    }

    /// Rounds in one, of so many operations each.
    fn factor(&self, length: usize, most: usize) -> usize {
        let mut factor = self.unroll_factor.min(most);
        while factor.saturating_mul(length) > self.operations {
            factor /= 2;
        }
        factor
    }

    /// Whether a loop with a body of `length` operations is no loop afterwards.
    pub(super) fn becomes_straight_code(&self, ir: &Ir, view: scf::ForOp, length: usize) -> bool {
        trips(ir, view).is_some_and(|trips| {
            let is_short = trips.saturating_mul(length) <= self.operations;
            llvm::is_full_unroll(ir, view.op()) || trips <= self.unroll_full_threshold && is_short
        })
    }
}

fn trips(ir: &Ir, view: scf::ForOp) -> Option<usize> {
    view.constant_trip_count(ir).and_then(|trips| usize::try_from(trips).ok())
}

/// Operations of a body that is no more than calculation and accesses; `None` for others.
pub(super) fn body_length(ir: &Ir, view: scf::ForOp) -> Option<usize> {
    let inside = ir.nested_ops(view.op(), WalkOrder::PreOrder);
    let is_plain = |&op: &Op| {
        let synchronizes = gpu::BarrierOp::is(ir, op) || gpu::AllReduceOp::is(ir, op);
        op == view.op() || !(ir.is_loop(op) || synchronizes)
    };
    let counts = |&op: &Op| {
        !ir.has_trait(op, Traits::CONSTANT_LIKE) && !ir.has_trait(op, Traits::TERMINATOR)
    };
    inside.iter().all(is_plain).then(|| inside.iter().skip(1).filter(|op| counts(op)).count())
}

/// Whether a round loads what another access's subscript is made of: it waits for that, whatever else it does.
fn gathers(ir: &Ir, view: scf::ForOp) -> bool {
    let is_loaded = |value: &Value| {
        let cast = ir.defining_op(*value).filter(|&op| arith::IndexCastOp::is(ir, op));
        let source = cast.map_or(*value, |cast| ir.operand(cast, 0));
        ir.defining_op(source).is_some_and(|op| memref::LoadOp::is(ir, op))
    };
    ir.ops(view.body(ir)).filter_map(|op| ir.memory_access(op)).any(|access| {
        let (Subscripts::Values(values) | Subscripts::Map(_, values)) = &access.subscripts;
        values.iter().any(is_loaded)
    })
}

/// Puts one round of a loop at the builder's point: the variable's value and the carried ones to
/// what the round yields.
/// Operations whose results stand in `map` already are left out.
pub(super) fn round(
    b: &mut Builder<'_>,
    view: scf::ForOp,
    variable: Value,
    carried: &[Value],
    mut map: ValueMap,
) -> Vec<Value> {
    let body = view.body(b);
    for (argument, value) in
        b.arguments(body).to_vec().into_iter().zip([variable].iter().chain(carried))
    {
        map.insert(argument, *value);
    }
    let ops: Vec<Op> = b.ops(body).collect();
    for op in ops {
        if scf::YieldOp::is(b, op) {
            return b.operands(op).map(|value| map.get(value)).collect();
        }
        if b.results(op).first().is_some_and(|&result| map.get(result) != result) {
            continue;
        }
        let copy = b.clone_op(op, &mut map);
        b.insert(copy);
    }
    carried.to_vec()
}

/// `base + steps * step`, of the variable's type.
fn further(b: &mut Builder<'_>, base: Value, steps: usize, step: i64) -> Value {
    if steps == 0 {
        return base;
    }
    let ty = b.ty(base);
    let distance = b.ctx.int_attr(i128::from(step) * steps as i128, ty);
    let distance = arith::ConstantOp::new(b).attr(b, "value", distance).result(ty).value(b);
    no_wrap_add(b, base, distance)
}

fn no_wrap_add(b: &mut Builder<'_>, left: Value, right: Value) -> Value {
    let flags = arith::OVERFLOW_FLAGS.attr(&mut b.ctx, 1);
    arith::AddIOp::new(b, left, right).attr(b, "overflowFlags", flags).value(b)
}

fn unroll_fully(ir: &mut Ir, view: scf::ForOp, trips: usize, step: i64) {
    let mut b = Builder::before(ir, view.op());
    let lower = view.lowerBound(&b);
    let mut carried: Vec<Value> = view.initArgs(&b).to_vec();
    for trip in 0..trips {
        let variable = further(&mut b, lower, trip, step);
        carried = round(&mut b, view, variable, &carried, ValueMap::new());
    }
    ir.replace_op(view.op(), &carried);
}

/// Where a loop begins, and how often it goes round.
fn counted(b: &mut Builder<'_>, view: scf::ForOp, step: i64) -> (Value, Value) {
    let [lower, upper] = [view.lowerBound(b), view.upperBound(b)].map(|bound| as_index(b, bound));
    let distance = arith::SubIOp::new(b, upper, lower).value(b);
    let zero = arith::constant_index(b, 0);
    let mut trips = arith::MaxSIOp::new(b, distance, zero).value(b);
    if step != 1 {
        let step = arith::constant_index(b, step);
        trips = arith::CeilDivUIOp::new(b, trips, step).value(b);
    }
    (lower, trips)
}

fn unroll_by(ir: &mut Ir, view: scf::ForOp, factor: usize, step: i64) {
    let mut b = Builder::before(ir, view.op());
    let ty = b.ty(view.lowerBound(&b));
    let (lower, trips) = counted(&mut b, view, step);
    let [zero, one] = [0, 1].map(|number| arith::constant_index(&mut b, number));
    let count = arith::constant_index(&mut b, factor as i64);
    let groups = arith::DivUIOp::new(&mut b, trips, count).value(&mut b);
    let rest = arith::RemUIOp::new(&mut b, trips, count).value(&mut b);
    let variable_at = |b: &mut Builder<'_>, number: Value, from: Value, step: i64| {
        let step = arith::constant_index(b, step);
        let distance = arith::MulIOp::new(b, number, step).value(b);
        no_wrap_add(b, from, distance)
    };

    let span = step.saturating_mul(factor as i64);
    let inits: Vec<Value> = view.initArgs(&b).to_vec();
    let main = scf::ForOp::create(&mut b, (zero, groups, one), &inits, |b, group, carried| {
        let first = variable_at(b, group, lower, span);
        let first = as_type(b, first, ty);
        (0..factor).fold(carried.to_vec(), |carried, number| {
            let variable = further(b, first, number, step);
            round(b, view, variable, &carried, ValueMap::new())
        })
    });
    let mut after = b.results(main.op()).to_vec();
    let mut start = variable_at(&mut b, groups, lower, span);
    let mut rest = rest;
    if factor >= LONG_GROUP && factor.is_power_of_two() {
        let half = arith::constant_index(&mut b, factor as i64 / 2);
        let taken = arith::AndIOp::new(&mut b, rest, half).value(&mut b);
        let ne = arith::CmpIPredicate::Ne.attr(&mut b.ctx);
        let is_taken = arith::CmpIOp::new(&mut b, taken, zero).attr(&mut b, "predicate", ne);
        let is_taken = is_taken.value(&mut b);
        let types: Vec<_> = after.iter().map(|&value| b.ty(value)).collect();
        let rounds = |b: &mut Builder<'_>| {
            let first = as_type(b, start, ty);
            (0..factor / 2).fold(after.clone(), |carried, number| {
                let variable = further(b, first, number, step);
                round(b, view, variable, &carried, ValueMap::new())
            })
        };
        let branch = scf::IfOp::create(&mut b, is_taken, &types, rounds, |_| after.clone());
        after = b.results(branch.op()).to_vec();
        start = variable_at(&mut b, taken, start, step);
        rest = arith::SubIOp::new(&mut b, rest, taken).value(&mut b);
    }
    let tail = scf::ForOp::create(&mut b, (zero, rest, one), &after, |b, number, carried| {
        let variable = variable_at(b, number, start, step);
        let variable = as_type(b, variable, ty);
        round(b, view, variable, carried, ValueMap::new())
    });
    let annotation = llvm::no_unroll(&mut b.ctx);
    b.set_attr(tail.op(), llvm::LOOP_ANNOTATION, annotation);
    let results = b.results(tail.op()).to_vec();
    ir.replace_op(view.op(), &results);
}

/// Whether what a loop carries from round to round comes from memory that all threads share.
fn combines_loads(ir: &Ir, view: scf::ForOp) -> bool {
    let loads = |op: Op| {
        memref::LoadOp::cast(ir, op)
            .map(|load| gpu::AddressSpace::of_memref(&ir.ctx, ir.ty(load.memref(ir))))
            .is_some_and(|space| space == Some(gpu::AddressSpace::Global))
    };
    !view.initArgs(ir).is_empty()
        && ir.nested_ops(view.op(), WalkOrder::PreOrder).into_iter().any(loads)
}

/// As [`unroll_by`], of a loop whose step only the launch knows: without dividing by it.
///
/// Bounds and steps of the loops of kernels are far from the ends of 64 bits, so that `upper - 3 * step` is a number.
fn unroll_strided(ir: &mut Ir, view: scf::ForOp, factor: usize) {
    let mut b = Builder::before(ir, view.op());
    let ty = b.ty(view.lowerBound(&b));
    let [lower, upper, step] = [view.lowerBound(&b), view.upperBound(&b), view.step(&b)]
        .map(|bound| as_index(&mut b, bound));
    let times = |b: &mut Builder<'_>, count: usize| {
        let count = arith::constant_index(b, count as i64);
        arith::MulIOp::new(b, step, count).value(b)
    };
    let (behind, span) = (times(&mut b, factor - 1), times(&mut b, factor));
    let end = arith::SubIOp::new(&mut b, upper, behind).value(&mut b);
    let mut inits: Vec<Value> = view.initArgs(&b).to_vec();
    inits.push(lower);
    let main = scf::ForOp::create(&mut b, (lower, end, span), &inits, |b, first, carried| {
        let (_, carried) = carried.split_last().expect("the next round's number is carried");
        let mut at = first;
        let mut carried = carried.to_vec();
        for _ in 0..factor {
            let variable = as_type(b, at, ty);
            carried = round(b, view, variable, &carried, ValueMap::new());
            at = no_wrap_add(b, at, step);
        }
        carried.push(at);
        carried
    });
    let mut after = b.results(main.op()).to_vec();
    let next = after.pop().expect("the next round's number is carried");
    let rest = scf::ForOp::create(&mut b, (next, upper, step), &after, |b, at, carried| {
        let variable = as_type(b, at, ty);
        round(b, view, variable, carried, ValueMap::new())
    });
    for made in [main, rest] {
        let annotation = llvm::no_unroll(&mut b.ctx);
        b.set_attr(made.op(), llvm::LOOP_ANNOTATION, annotation);
    }
    let results = b.results(rest.op()).to_vec();
    ir.replace_op(view.op(), &results);
}

fn as_index(b: &mut Builder<'_>, value: Value) -> Value {
    let index = b.ctx.index();
    as_type(b, value, index)
}

fn as_type(b: &mut Builder<'_>, value: Value, ty: gpuc_ir::Type) -> Value {
    if b.ty(value) == ty {
        return value;
    }
    arith::IndexCastOp::new(b, value).result(ty).value(b)
}

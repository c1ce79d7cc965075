//! How many iterations the parallel loops in a sequential one have, and how many launches it would be, as the host counts them.

use gpuc_dialects::arith;
use gpuc_dialects::offload::RegionOp;
use gpuc_ir::op::{FoldResult, Traits};
use gpuc_ir::rewrite::{Folded, try_fold};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueMap, WalkOrder};

use super::persist_choice::phases;
use super::segments::has_parallel_loop;
use crate::analysis::loops::dimensions;
use crate::analysis::trips::Trips;

/// Iterations of a loop's parallel loops in all of its steps, with the rounds of loops inside, and the launches of its
/// phases, as the host counts them in front of the region.
pub struct Counts {
    /// Iterations, a number with a fraction.
    pub iterations: Value,
    /// Launches, likewise.
    pub launches: Value,
}

struct Counter<'b> {
    b: Builder<'b>,
    trips: Trips,
}

impl Counter<'_> {
    fn number(&mut self, value: f64) -> Value {
        let ty = self.b.ctx.f64();
        arith::constant_float(&mut self.b, value, ty)
    }

    /// What a block comes to; `None` where a loop in it has bounds that the host does not know.
    fn block(&mut self, op: Op) -> Option<Counts> {
        let ir = &self.b;
        let blocks = ir.regions(op).iter().flat_map(|&region| ir.blocks(region).to_vec());
        let ops: Vec<Op> = blocks.flat_map(|block| ir.ops(block).collect::<Vec<_>>()).collect();
        let own = phases(ir, &ops);
        let mut counts = Counts { iterations: self.number(0.0), launches: self.number(own as f64) };
        for op in ops.into_iter().filter(|&op| has_parallel_loop(&self.b, op)).collect::<Vec<_>>() {
            let inner = if self.b.has_trait(op, Traits::PARALLEL_LOOP) {
                Counts { iterations: self.rounds(op)?, launches: self.number(0.0) }
            } else if self.b.is_counted_loop(op) {
                self.steps(op)?
            } else {
                self.block(op)?
            };
            counts = Counts {
                iterations: self.plus(counts.iterations, inner.iterations),
                launches: self.plus(counts.launches, inner.launches),
            };
        }
        Some(counts)
    }

    /// The same of all steps of a sequential loop.
    fn steps(&mut self, op: Op) -> Option<Counts> {
        let trips = self.trips(op)?;
        let each = self.block(op)?;
        Some(Counts {
            iterations: self.times(trips, each.iterations),
            launches: self.times(trips, each.launches),
        })
    }

    /// Iterations of a loop, or, where there are loops in it, their rounds.
    fn rounds(&mut self, op: Op) -> Option<Value> {
        let trips = self.trips(op)?;
        let nested = self.b.nested_ops(op, WalkOrder::PreOrder);
        let is_outermost = |inner: Op| {
            let mut around = self.b.ancestors(inner).take_while(|&outer| outer != op);
            inner != op && self.b.is_loop(inner) && !around.any(|op| self.b.is_loop(op))
        };
        let inner: Vec<Op> = nested.into_iter().filter(|&inner| is_outermost(inner)).collect();
        let mut each = self.number(1.0);
        for op in inner {
            let rounds = self.rounds(op)?;
            each = self.plus(each, rounds);
        }
        Some(self.times(trips, each))
    }

    fn trips(&mut self, op: Op) -> Option<Value> {
        let dims = dimensions(&self.b, op);
        let mut all = self.number(1.0);
        for dim in &dims {
            let trips = self.trips.of(&mut self.b, dim)?;
            all = self.times(all, trips);
        }
        (!dims.is_empty()).then_some(all)
    }

    fn plus(&mut self, x: Value, y: Value) -> Value {
        if arith::constant_float_value(&self.b, x) == Some(0.0) {
            return y;
        }
        arith::AddFOp::new(&mut self.b, x, y).value(&mut self.b)
    }

    fn times(&mut self, x: Value, y: Value) -> Value {
        arith::MulFOp::new(&mut self.b, x, y).value(&mut self.b)
    }
}

/// Counts a loop's iterations and launches in front of its region; numbers become constants.
pub fn counts(ir: &mut Ir, region: RegionOp, op: Op) -> Option<Counts> {
    let before = ir.previous_op(region.op());
    let trips = Trips { scope: region.op(), map: ValueMap::new() };
    let mut counter = Counter { b: Builder::before(ir, region.op()), trips };
    // Of a loop of any number of steps the mean is that of one.
    let counted = match counter.b.is_counted_loop(op) {
        true => counter.steps(op),
        false => counter.block(op),
    };
    let first = match before {
        Some(before) => ir.next_op(before),
        None => ir.parent_block(region.op()).and_then(|block| ir.first_op(block)),
    };
    let mut counted = counted?;
    let mut next = first.filter(|&first| first != region.op());
    while let Some(made) = next {
        next = ir.next_op(made).filter(|&next| next != region.op());
        if let Some(folded) = folded(ir, made) {
            let result = ir.result(made, 0);
            for value in [&mut counted.iterations, &mut counted.launches] {
                if *value == result {
                    *value = folded;
                }
            }
            ir.replace_op(made, &[folded]);
        }
    }
    Some(counted)
}

/// The value that an operation of one result folds to.
fn folded(ir: &mut Ir, op: Op) -> Option<Value> {
    let [result] = ir.results(op)[..] else { return None };
    let ty = ir.ty(result);
    let Folded::Results(found) = try_fold(ir, op) else { return None };
    match *found.first()? {
        FoldResult::Value(value) => Some(value),
        FoldResult::Attr(attr) => {
            let mut b = Builder::before(ir, op);
            let value = arith::constant(&mut b, attr);
            (b.ty(value) == ty).then_some(value)
        }
    }
}

/// Iterations of a launch on average, where that is a number.
pub fn average(ir: &Ir, counts: &Counts) -> Option<f64> {
    let iterations = arith::constant_float_value(ir, counts.iterations)?;
    let launches = arith::constant_float_value(ir, counts.launches)?;
    Some(iterations / launches.max(1.0))
}

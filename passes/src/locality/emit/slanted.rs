//! Runs of terms of which not all results of a block have each: those of a product with a triangular matrix.
//!
//! ```text
//! for each run of terms that a result of the block may have
//!   if all results have all of them:  a run as any other
//!   else:  copy what a result has, and take the products of those that have the term
//! ```
//!
//! Full runs are nearly all of them where the triangle is larger than a block. Runs begin at multiples of their length where the first
//! term depends on the block, so that copies may be wide as for a rectangle.

use std::slice;

use gpuc_dialects::affine::{AffineForOp, AffineMaxOp, AffineMinOp, AffineValue};
use gpuc_dialects::arith;
use gpuc_ir::{Builder, Value, ValueMap};

use super::{Block, Emitter, Run, Turn};
use crate::locality::coordinates::{Exprs, below, where_all, where_all_else};
use crate::locality::sum::{End, Widest, further, last_below};

impl Emitter<'_> {
    /// The runs of a sum.
    pub(super) fn slanted_runs(&self, b: &mut Builder<'_>, block: &Block, sum: usize) {
        let range = &self.nest.sums[sum].range;
        let (widest, narrowest) = self.ends(b, block, sum);
        let depth = self.plan.depth;
        let places = widest.places(self.sides(), [None; 2], &block.corner);
        let bounds = |b: &mut Builder<'_>, upper: bool| {
            let mut exprs = Exprs::default();
            let mut all = range.at(b, &mut exprs, &places)[usize::from(upper)].clone();
            if !upper && self.nest.begins_anywhere(b, sum) {
                let depth = b.ctx.constant_expr(depth);
                for bound in &mut all {
                    let runs = b.ctx.floordiv_expr(*bound, depth);
                    *bound = b.ctx.mul_expr(runs, depth);
                }
            }
            exprs.finish(b, &all)
        };
        let (lower, upper) = (bounds(b, false), bounds(b, true));
        // A run that begins in front of the first term is one of the block's only if there are terms.
        let mut exprs = Exprs::default();
        let [first, end] = range.at(b, &mut exprs, &places);
        let mut some = Vec::new();
        for first in first {
            for &end in &end {
                some.push(below(b, first, end));
            }
        }
        where_all(b, exprs, &some, |b| {
            self.slanted_loop(b, block, sum, (&widest, &narrowest), [&lower, &upper]);
        });
    }

    /// The loop over the runs of a sum, where there are terms.
    fn slanted_loop(
        &self,
        b: &mut Builder<'_>,
        block: &Block,
        sum: usize,
        (widest, narrowest): (&Widest, &ValueMap),
        [lower, upper]: [&AffineValue; 2],
    ) {
        let range = &self.nest.sums[sum].range;
        let depth = self.plan.depth;
        AffineForOp::create(b, lower, upper, depth, &[], |b, term, _| {
            let last = further(b, term, depth - 1);
            let mut exprs = Exprs::default();
            let narrowest = slice::from_ref(narrowest);
            let mut all = range.has(b, &mut exprs, narrowest, term);
            all.extend(range.has(b, &mut exprs, narrowest, last));
            let run = Run { sum, term, row: None, end: None, widest: None };
            let part = Run { widest: Some(widest), ..run };
            where_all_else(
                b,
                exprs,
                &all,
                |b| self.run(b, block, run),
                |b| self.run(b, block, part),
            );
            vec![]
        });
    }

    /// Which terms of a run a result has: from which one on and below which, counted from the run's first. The nest's variables are those of
    /// the map.
    pub(super) fn terms_of(
        &self,
        b: &mut Builder<'_>,
        (sum, term): (usize, Value),
        map: &ValueMap,
    ) -> [Value; 2] {
        let range = &self.nest.sums[sum].range;
        [false, true].map(|upper| {
            let mut exprs = Exprs::default();
            let bounds = range.at(b, &mut exprs, slice::from_ref(map));
            let term = exprs.value(b, term);
            let mut all = bounds[usize::from(upper)].clone();
            for bound in &mut all {
                *bound = b.ctx.sub_expr(*bound, term);
            }
            let [none, most] = [0, self.plan.depth].map(|n| b.ctx.constant_expr(n));
            all.push(if upper { most } else { none });
            let all = exprs.finish(b, &all);
            // The numbers are small ones.
            let number = if upper {
                let number = AffineMinOp::create(b, &all);
                let none = arith::constant_index(b, 0);
                arith::MaxSIOp::new(b, number, none).value(b)
            } else {
                let number = AffineMaxOp::create(b, &all);
                let most = arith::constant_index(b, self.plan.depth);
                arith::MinSIOp::new(b, number, most).value(b)
            };
            small(b, number)
        })
    }

    /// Whether a turn of a run is one of a result's terms.
    pub(super) fn is_among(
        &self,
        b: &mut Builder<'_>,
        turn: Turn,
        [first, end]: [Value; 2],
    ) -> Value {
        let number = small(b, turn.depth);
        let begun = arith::compare(b, arith::CmpIPredicate::Sge, number, first);
        let goes_on = arith::compare(b, arith::CmpIPredicate::Slt, number, end);
        arith::AndIOp::new(b, begun, goes_on).value(b)
    }

    /// The variables of rows and columns.
    fn sides(&self) -> [Value; 2] {
        [self.nest.row, self.nest.column].map(|dim| self.nest.dims[dim].variable)
    }

    /// The rows and columns of the block at which a sum has most terms, and those where it has fewest, which may be behind the edge.
    fn ends(&self, b: &mut Builder<'_>, block: &Block, sum: usize) -> (Widest, ValueMap) {
        let mut narrowest = block.corner.clone();
        let ends = self.nest.sums[sum].range.widest;
        let mut widest = [Vec::new(), Vec::new()];
        for (side, dim) in [self.nest.row, self.nest.column].into_iter().enumerate() {
            let (dim, extent) = (&self.nest.dims[dim], self.plan.block[side]);
            let first = block.corner.get(dim.variable);
            let last = further(b, first, extent - 1);
            match ends[side] {
                End::Any => widest[side].push(first),
                End::First => {
                    widest[side].push(first);
                    narrowest.insert(dim.variable, last);
                }
                End::Last => {
                    widest[side].push(last);
                    if !dim.divides(b, extent) {
                        widest[side].push(last_below(b, &dim.upper));
                    }
                }
            }
        }
        (Widest(widest), narrowest)
    }
}

/// A small number in one register.
fn small(b: &mut Builder<'_>, number: Value) -> Value {
    let i32 = b.ctx.i32();
    arith::IndexCastOp::new(b, number).result(i32).value(b)
}

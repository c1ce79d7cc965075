//! Sums that a directive declares to be reductions, as loops that count: for who wants the terms in their order.

use gpuc_dialects::affine::{AffineForOp, AffineParallelOp};
use gpuc_dialects::memref::ATOMIC_RMW_KINDS;
use gpuc_ir::op::Traits;
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueMap, WalkOrder};

use crate::parallel::schedule::is_asked;
use crate::raise::reduction::Reduction;

/// A parallel loop with reductions and the counted one in its place, until it is clear which is wanted.
#[derive(Debug)]
pub struct SumInOrder {
    /// Taken out of its block.
    parallel: Op,
    counted: Op,
}

impl SumInOrder {
    /// Makes the one loop with reductions inside a nest a counted one, if it has one dimension with one bound each way and
    /// the program does not say who executes it.
    pub fn of(ir: &mut Ir, nest: Op) -> Option<SumInOrder> {
        let inside = ir.nested_ops(nest, WalkOrder::PreOrder).into_iter();
        let mut sums = inside
            .filter(|&op| op != nest && AffineParallelOp::is(ir, op) && !ir.results(op).is_empty());
        let (parallel, None) = (sums.next()?, sums.next()) else { return None };
        if is_asked(ir, parallel) {
            return None;
        }
        let view = AffineParallelOp(parallel);
        let (&[variable], &[step]) = (view.induction_vars(ir), &view.step_values(ir)[..]) else {
            return None;
        };
        if view.lower_groups(ir) != [1] || view.upper_groups(ir) != [1] {
            return None;
        }
        let kinds = view.reductions(ir).and_then(|attr| ir.ctx.array_value(attr))?;
        let operators: Vec<(Reduction, bool)> = kinds
            .iter()
            .map(|&kind| Reduction::from_atomic_kind(ATOMIC_RMW_KINDS.number(&ir.ctx, kind)?))
            .collect::<Option<_>>()?;
        let (lower, upper) = (view.lower_bounds(ir), view.upper_bounds(ir));
        let types: Vec<_> = ir.result_types(parallel).collect();
        let body: Vec<Op> = ir.ops(view.body(ir)).collect();
        let mut b = Builder::before(ir, parallel);
        let neutral = operators.iter().zip(&types);
        let inits: Vec<Value> = neutral
            .map(|(&(operator, unsigned), &ty)| operator.identity(&mut b, ty, unsigned))
            .collect();
        let counted =
            AffineForOp::create(&mut b, &lower, &upper, step, &inits, |b, index, sums| {
                let mut map = ValueMap::new();
                map.insert(variable, index);
                let name = b.value_location(variable);
                b.set_value_location(index, name);
                let mut terms = Vec::new();
                for &op in &body {
                    if b.has_trait(op, Traits::TERMINATOR) {
                        terms = b.operands(op).map(|value| map.get(value)).collect();
                        break;
                    }
                    let copy = b.clone_op(op, &mut map);
                    b.insert(copy);
                }
                let combined = operators.iter().zip(sums).zip(terms);
                combined
                    .map(|((&(operator, unsigned), &sum), term)| {
                        operator.combine(b, sum, term, unsigned)
                    })
                    .collect()
            });
        let counted = counted.op();
        let olds = ir.results(parallel).to_vec();
        let news = ir.results(counted).to_vec();
        for (old, new) in olds.into_iter().zip(news) {
            ir.replace_all_uses(old, new);
        }
        ir.detach_op(parallel);
        Some(SumInOrder { parallel, counted })
    }

    /// The counted loop is wanted.
    pub fn keep(self, ir: &mut Ir) {
        ir.erase_op(self.parallel);
    }

    /// The parallel loop is wanted.
    pub fn undo(self, ir: &mut Ir) {
        ir.insert_before(self.counted, self.parallel);
        let news = ir.results(self.counted).to_vec();
        let olds = ir.results(self.parallel).to_vec();
        for (new, old) in news.into_iter().zip(olds) {
            ir.replace_all_uses(new, old);
        }
        ir.erase_op(self.counted);
    }
}

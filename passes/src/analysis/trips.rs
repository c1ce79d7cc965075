//! How often loops run, as numbers that the host computes before it starts them.
//!
//! Trip counts come from the loops' bounds, outer variables standing for the middle of their ranges: of a
//! triangle that is its area.

use gpuc_dialects::arith;
use gpuc_ir::{Builder, Ir, Op, Value, ValueMap};

use super::loops::CountedLoop;
use super::polynomial::Polynomial;
use super::slice::{build_polynomial, slice_from_given};

/// Trip counts of the loops of a nest, outer ones asked for before inner ones.
#[derive(Debug)]
pub struct Trips {
    /// Of what lies in it, values have to be computed again; what comes from around it is there.
    pub scope: Op,
    /// What stands for values of the nest where trips are counted.
    pub map: ValueMap,
}

impl Trips {
    /// How often a dimension of a loop runs, of type `f64`, at the builder's point; `None` where it has bounds that only the
    /// device knows. Its variable becomes the middle of its range.
    pub fn of(&mut self, b: &mut Builder<'_>, dim: &CountedLoop) -> Option<Value> {
        let lower = self.extreme(b, &dim.lower, true);
        let upper = self.extreme(b, &dim.upper, false);
        let (Some(lower), Some(upper)) = (lower, upper) else {
            let middle = lower.or(upper);
            let middle = middle.unwrap_or_else(|| arith::constant_index(b, 0));
            self.map.insert(dim.variable, middle);
            return None;
        };
        let zero = arith::constant_index(b, 0);
        let span = arith::SubIOp::new(b, upper, lower).value(b);
        let span = arith::MaxSIOp::new(b, span, zero).value(b);
        let two = arith::constant_index(b, 2);
        let half = arith::DivSIOp::new(b, span, two).value(b);
        let middle = arith::AddIOp::new(b, lower, half).value(b);
        self.map.insert(dim.variable, middle);
        let (i64, f64) = (b.ctx.i64(), b.ctx.f64());
        let span = arith::IndexCastOp::new(b, span).result(i64).value(b);
        let span = arith::SIToFPOp::new(b, span).result(f64).value(b);
        let step = arith::constant_float(b, 1.0 / dim.step.unwrap_or(1) as f64, f64);
        Some(arith::MulFOp::new(b, span, step).value(b))
    }

    /// The greatest, or else the least, of those forms that the host can compute.
    fn extreme(
        &mut self,
        b: &mut Builder<'_>,
        forms: &[Polynomial],
        greatest: bool,
    ) -> Option<Value> {
        let mut found: Option<Value> = None;
        for form in forms {
            let (scope, map) = (self.scope, self.map.clone());
            let slice = |ir: &Ir, value: Value| {
                let given = |value: Value| map.get(value) != value || !is_inside(ir, value, scope);
                match given(value) {
                    true => Some(Vec::new()),
                    false => slice_from_given(ir, value, scope, &given),
                }
            };
            let Some(value) = build_polynomial(b, form, slice, &mut self.map) else {
                continue;
            };
            found = Some(match found {
                None => value,
                Some(known) if greatest => arith::MaxSIOp::new(b, known, value).value(b),
                Some(known) => arith::MinSIOp::new(b, known, value).value(b),
            });
        }
        found
    }
}

/// Whether a value comes into being in an operation, as an argument of its own included.
fn is_inside(ir: &Ir, value: Value, scope: Op) -> bool {
    let owner = ir.value_block(value).and_then(|block| ir.block_op(block));
    owner.is_some_and(|owner| owner == scope || ir.is_inside(owner, scope))
}

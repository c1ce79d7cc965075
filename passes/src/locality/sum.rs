//! A loop that sums, and its terms: from the greatest of some bounds to the least of others.
//!
//! Bounds may depend on the row and on the column of the result, as those of a product with a triangular matrix do. Of a block
//! of results the terms that any result has are those at the row and the column where the range is widest, and the
//! terms that all have are those where it is narrowest; what is between them is asked for term by term.

use gpuc_dialects::affine::{AffineApplyOp, AffineForOp, AffineMaxOp, AffineMinOp, AffineValue};
use gpuc_dialects::arith;
use gpuc_ir::{AffineExpr, Builder, Ir, Op, OpView, Type, Value, ValueMap};

use super::band::Bound;
use super::contraction::{Unsuitable, linear, number_bytes};
use super::coordinates::{Exprs, apply, below};
use super::tile_plan::TilePlan;
use crate::analysis::polynomial::Polynomial;
use crate::analysis::slice::is_defined_inside;

/// One of a nest's loops that sum.
#[derive(Clone, Debug)]
pub struct Sum {
    /// The loop.
    pub op: AffineForOp,
    /// Its terms.
    pub range: Range,
    /// Types of the sums that it carries.
    pub types: Vec<Type>,
}

/// Which terms a result has.
#[derive(Clone, Debug)]
pub struct Range {
    /// It begins with the greatest of these.
    pub lower: Vec<Bound>,
    /// It ends in front of the least of these.
    pub upper: Vec<Bound>,
    /// At which row and at which column it is widest.
    pub widest: [End; 2],
}

/// An end of a block's rows or columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It does not matter which.
    Any,
    /// The first one.
    First,
    /// The last one.
    Last,
}

impl Sum {
    /// A loop in a nest whose rows and columns have these variables: in steps of 1, of terms that are the same everywhere or of which a
    /// row further on has all that this one has, or none but those, and the same of columns.
    ///
    /// # Errors
    /// Why it is none.
    pub fn of(ir: &Ir, nest: Op, op: AffineForOp, sides: [Value; 2]) -> Result<Sum, Unsuitable> {
        if op.step_value(ir) != 1 || ir.results(op.op()).is_empty() {
            return Err(Unsuitable::Sum);
        }
        let range = Range::of(ir, nest, op, sides).ok_or(Unsuitable::Sum)?;
        let types: Vec<Type> = ir.result_types(op.op()).collect();
        let numbers = types.iter().all(|&ty| number_bytes(ir, ty).is_some());
        if numbers { Ok(Sum { op, range, types }) } else { Err(Unsuitable::Term) }
    }

    /// Terms that only some results of a block have, in a large triangle.
    pub fn terms_in_part(&self, plan: &TilePlan) -> i64 {
        let slanted = self.range.widest.iter().zip(plan.block);
        let slanted = slanted.filter(|(end, _)| **end != End::Any);
        slanted.map(|(_, side)| side + plan.depth).sum()
    }
}

impl Range {
    fn of(ir: &Ir, nest: Op, sum: AffineForOp, sides: [Value; 2]) -> Option<Range> {
        let values = [sum.lower_bound(ir), sum.upper_bound(ir)];
        let is_known =
            |value: &Value| sides.contains(value) || !is_defined_inside(ir, *value, nest);
        if !values.iter().flat_map(|value| &value.operands).all(is_known) {
            return None;
        }
        let bounds = |value: &AffineValue| -> Vec<Bound> {
            value.results(&ir.ctx).iter().map(|&expr| Bound::new(expr, value)).collect()
        };
        let [lower, upper] = [bounds(&values[0]), bounds(&values[1])];
        let is_single = lower.len() == 1 && upper.len() == 1;
        let depends =
            values.iter().flat_map(|value| &value.operands).any(|value| sides.contains(value));
        if is_single && !depends {
            return Some(Range { lower, upper, widest: [End::Any; 2] });
        }
        let forms = |value: &AffineValue| -> Option<Vec<Polynomial>> {
            value.results(&ir.ctx).iter().map(|&expr| linear(ir, expr, value)).collect()
        };
        let [first, end] = [forms(&values[0])?, forms(&values[1])?];
        let widest = sides.map(|side| {
            // How many more terms there are at each of the two ends for one further on.
            let ahead = first.iter().map(|form| -form.coefficient(&[side]));
            let more: Vec<i64> =
                ahead.chain(end.iter().map(|form| form.coefficient(&[side]))).collect();
            let (least, most) = (more.iter().min()?, more.iter().max()?);
            match (*least, *most) {
                (0, 0) => Some(End::Any),
                (0.., _) => Some(End::Last),
                (_, ..=0) => Some(End::First),
                _ => None,
            }
        });
        let [Some(row), Some(column)] = widest else { return None };
        Some(Range { lower, upper, widest: [row, column] })
    }

    /// Whether it is one from one bound to another, the same everywhere.
    pub fn is_fixed(&self) -> bool {
        self.widest == [End::Any; 2] && self.lower.len() == 1 && self.upper.len() == 1
    }

    /// Whether runs of terms begin with the first one of all results, or at multiples of their length: where a block begins
    /// somewhere else than another.
    pub fn begins_anywhere(&self, ir: &Ir, sides: [Value; 2]) -> bool {
        let depends = |bound: &Bound| {
            linear(ir, bound.expr, &bound.value)
                .is_none_or(|form| sides.iter().any(|&side| form.coefficient(&[side]) != 0))
        };
        self.lower.len() > 1 || !self.is_fixed() && self.lower.iter().any(depends)
    }

    /// The bounds at some places, each given by the variables' values there: the lower ones and the upper ones.
    pub fn at(
        &self,
        b: &mut Builder<'_>,
        exprs: &mut Exprs,
        places: &[ValueMap],
    ) -> [Vec<AffineExpr>; 2] {
        [&self.lower, &self.upper].map(|bounds| {
            let mut all: Vec<AffineExpr> = Vec::new();
            for bound in bounds {
                for place in places {
                    let expr = exprs.bound_at(b, bound, place);
                    if !all.contains(&expr) {
                        all.push(expr);
                    }
                }
            }
            all
        })
    }

    /// That a result that is at all of some places has a term, as constraints of an integer set.
    pub fn has(
        &self,
        b: &mut Builder<'_>,
        exprs: &mut Exprs,
        places: &[ValueMap],
        term: Value,
    ) -> Vec<(AffineExpr, bool)> {
        let [lower, upper] = self.at(b, exprs, places);
        let term = exprs.value(b, term);
        let mut all = Vec::new();
        for bound in lower {
            all.push((b.ctx.sub_expr(term, bound), false));
        }
        for bound in upper {
            all.push(below(b, term, bound));
        }
        all
    }

    /// A term, or where no result at all of some places has it, the nearest one that they have; there is one.
    pub fn held(&self, b: &mut Builder<'_>, places: &[ValueMap], term: Value) -> Value {
        let mut exprs = Exprs::default();
        let [lower, _] = self.at(b, &mut exprs, places);
        let first = exprs.finish(b, &lower);
        let first = AffineMaxOp::create(b, &first);
        let mut exprs = Exprs::default();
        let [_, mut upper] = self.at(b, &mut exprs, places);
        let one = b.ctx.constant_expr(-1);
        for bound in &mut upper {
            *bound = b.ctx.add_expr(*bound, one);
        }
        upper.push(exprs.value(b, term));
        let last = exprs.finish(b, &upper);
        let last = AffineMinOp::create(b, &last);
        arith::MaxSIOp::new(b, last, first).value(b)
    }
}

/// Whether constraints hold; `None` where there are none.
pub fn holds(
    b: &mut Builder<'_>,
    exprs: Exprs,
    constraints: &[(AffineExpr, bool)],
) -> Option<Value> {
    let operands = exprs.finish(b, &[]).operands;
    let mut all = None;
    for &(room, _) in constraints {
        let map = b.ctx.map(operands.len() as u32, 0, &[room]);
        let room = AffineApplyOp::create(b, &AffineValue::new(map, &operands));
        let zero = arith::constant_index(b, 0);
        let own = arith::compare(b, arith::CmpIPredicate::Sge, room, zero);
        all = Some(match all {
            None => own,
            Some(all) => arith::AndIOp::new(b, all, own).value(b),
        });
    }
    all
}

/// The least of some values.
pub fn least(b: &mut Builder<'_>, values: &[Value]) -> Value {
    let map = b.ctx.identity_map(values.len() as u32);
    AffineMinOp::create(b, &AffineValue::new(map, values))
}

/// Rows and columns of a block at which a sum has most terms: of several the one that is there and is least.
#[derive(Clone, Debug)]
pub struct Widest(pub [Vec<Value>; 2]);

impl Widest {
    /// The places where there are most terms, for a row or a column that is known or for any of the block; of several the range that is in
    /// all of them counts. The nest's other variables are `corner`'s.
    pub fn places(
        &self,
        sides: [Value; 2],
        known: [Option<Value>; 2],
        corner: &ValueMap,
    ) -> Vec<ValueMap> {
        let mut places = vec![corner.clone()];
        for ((values, side), known) in self.0.iter().zip(sides).zip(known) {
            let values = known.map_or_else(|| values.clone(), |known| vec![known]);
            let all = values.iter().flat_map(|&value| {
                places.iter().map(move |place| {
                    let mut place = place.clone();
                    place.insert(side, value);
                    place
                })
            });
            places = all.collect();
        }
        places
    }
}

/// A value that is so many behind another.
pub fn further(b: &mut Builder<'_>, value: Value, by: i64) -> Value {
    apply(b, &[value], |b, dims| {
        let by = b.ctx.constant_expr(by);
        b.ctx.add_expr(dims[0], by)
    })
}

/// The last iteration in front of a bound.
pub fn last_below(b: &mut Builder<'_>, upper: &Bound) -> Value {
    let mut exprs = Exprs::default();
    let upper = exprs.bound(b, upper);
    let one = b.ctx.constant_expr(-1);
    let last = b.ctx.add_expr(upper, one);
    let last = exprs.finish(b, &[last]);
    AffineApplyOp::create(b, &last)
}

//! The dimensions of nested parallel loops, of which bounds may depend on a loop further out.

use gpuc_dialects::affine::{AffineParallelOp, AffineValue};
use gpuc_ir::op::Traits;
use gpuc_ir::{AffineExpr, Ir, Op, OpView, Value};

use super::contraction::linear;
use crate::analysis::polynomial::Polynomial;

/// One result of a map with operands.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The result.
    pub expr: AffineExpr,
    /// The map that it is of.
    pub value: AffineValue,
    /// Operands in whose place another bound and a number to add stand.
    pub at: Vec<(Value, Bound, i64)>,
}

impl Bound {
    /// A result as it is.
    pub fn new(expr: AffineExpr, value: &AffineValue) -> Bound {
        Bound { expr, value: value.clone(), at: Vec::new() }
    }

    fn form(&self, ir: &Ir) -> Option<Polynomial> {
        linear(ir, self.expr, &self.value)
    }

    fn with(&self, variable: Value, other: &Bound, further: i64) -> Bound {
        Bound { at: vec![(variable, other.clone(), further)], ..self.clone() }
    }
}

/// One dimension of the parallel loops.
#[derive(Clone, Debug)]
pub struct Dimension {
    /// Its variable.
    pub variable: Value,
    /// Where it starts, whatever the other dimensions are.
    pub lower: Bound,
    /// What it stays below, whatever the other dimensions are.
    pub upper: Bound,
    /// The bounds that it has at each iteration of another dimension, where they depend on that.
    pub slanted: Option<Slanted>,
}

impl Dimension {
    /// Its iterations, where they are known.
    pub fn trips(&self, ir: &Ir) -> Option<i64> {
        let [lower, upper] =
            [&self.lower, &self.upper].map(|bound| ir.ctx.expr_constant(bound.expr));
        Some(upper?.checked_sub(lower?)?.max(0))
    }

    /// Whether its iterations are known to be a multiple of `side`.
    pub fn divides(&self, ir: &Ir, side: i64) -> bool {
        self.trips(ir).is_some_and(|trips| trips > 0 && trips % side == 0)
    }
}

/// Bounds that depend on another dimension.
#[derive(Clone, Debug)]
pub struct Slanted {
    /// The other dimension.
    pub on: usize,
    /// Where the dimension starts, and by how much later for each iteration of the other one: -1, 0 or 1.
    pub lower: (Bound, i64),
    /// What it stays below, likewise.
    pub upper: (Bound, i64),
}

/// Nested parallel loops, each alone in the one around it.
#[derive(Clone, Debug)]
pub struct Band {
    /// Their dimensions, outermost first.
    pub dims: Vec<Dimension>,
    /// The innermost loop.
    pub innermost: Op,
    /// Operations between the loops, free of effects.
    pub between: Vec<Op>,
}

impl Band {
    /// The band that begins with a loop: steps of 1, one bound each way, no results; every iteration of an
    /// outer dimension has one of the inner ones. `None` where there are less than two dimensions.
    pub fn of(ir: &Ir, outermost: Op) -> Option<Band> {
        Band::of_any(ir, outermost).filter(|band| band.dims.len() > 1)
    }

    /// The same, of one dimension or more.
    pub fn of_any(ir: &Ir, outermost: Op) -> Option<Band> {
        let mut band = Band { dims: Vec::new(), innermost: outermost, between: Vec::new() };
        let mut at = outermost;
        loop {
            band.append(ir, at)?;
            band.innermost = at;
            let body = ir.body(at, 0);
            let quiet = |op: &Op| ir.is_speculatable(*op) && ir.regions(*op).is_empty();
            let ops = ir.ops(body).filter(|&op| !ir.has_trait(op, Traits::TERMINATOR));
            let (between, rest): (Vec<Op>, Vec<Op>) = ops.partition(quiet);
            let mut rest = rest.into_iter();
            match (rest.next(), rest.next()) {
                (Some(inner), None) if AffineParallelOp::is(ir, inner) => {
                    band.between.extend(between);
                    at = inner;
                }
                _ => break,
            }
        }
        Some(band)
    }

    fn append(&mut self, ir: &Ir, op: Op) -> Option<()> {
        let view = AffineParallelOp::cast(ir, op)?;
        let plain = view.step_values(ir).iter().all(|&step| step == 1)
            && view.lower_groups(ir).iter().chain(&view.upper_groups(ir)).all(|&group| group == 1)
            && ir.results(op).is_empty();
        if !plain {
            return None;
        }
        let (lower, upper) = (view.lower_bounds(ir), view.upper_bounds(ir));
        let outer = self.dims.len();
        for (dim, &variable) in view.induction_vars(ir).iter().enumerate() {
            let lower = Bound::new(*lower.results(&ir.ctx).get(dim)?, &lower);
            let upper = Bound::new(*upper.results(&ir.ctx).get(dim)?, &upper);
            let dimension = self.dimension(ir, outer, variable, lower, upper)?;
            self.dims.push(dimension);
        }
        Some(())
    }

    /// A dimension in the `outer` ones that there are.
    fn dimension(
        &self,
        ir: &Ir,
        outer: usize,
        variable: Value,
        lower: Bound,
        upper: Bound,
    ) -> Option<Dimension> {
        let used = |bound: &Bound| -> Vec<usize> {
            let values = values(ir, bound);
            (0..outer).filter(|&dim| values.contains(&self.dims[dim].variable)).collect()
        };
        let mut on: Vec<usize> = [used(&lower), used(&upper)].concat();
        on.dedup();
        let [on] = on[..] else {
            return on.is_empty().then_some(Dimension { variable, lower, upper, slanted: None });
        };
        let other = &self.dims[on];
        if other.slanted.is_some() {
            return None;
        }
        let forms = [lower.form(ir)?, upper.form(ir)?];
        let slants = forms.clone().map(|form| form.coefficient(&[other.variable]));
        if slants.iter().any(|slant| slant.abs() > 1) {
            return None;
        }
        // There is an iteration at the end of the other dimension where there are the fewest.
        let trips = forms[1].plus(&forms[0], -1)?;
        let slant = trips.coefficient(&[other.variable]);
        let end = match slant {
            1.. => other.lower.form(ir)?,
            _ => other.upper.form(ir)?.plus(&Polynomial::constant(-1), 1)?,
        };
        let rest = trips.plus(&Polynomial::term(&[other.variable], slant), -1)?;
        let fewest = rest.plus(&end, slant)?;
        if fewest.as_constant().is_none_or(|fewest| fewest < 1) {
            return None;
        }
        let first = |bound: &Bound| bound.with(other.variable, &other.lower, 0);
        let last = |bound: &Bound| bound.with(other.variable, &other.upper, -1);
        Some(Dimension {
            variable,
            lower: if slants[0] < 0 { last(&lower) } else { first(&lower) },
            upper: if slants[1] < 0 { first(&upper) } else { last(&upper) },
            slanted: Some(Slanted { on, lower: (lower, slants[0]), upper: (upper, slants[1]) }),
        })
    }
}

/// The values that a bound is a form of.
fn values(ir: &Ir, bound: &Bound) -> Vec<Value> {
    bound.form(ir).map_or_else(|| bound.value.operands.clone(), |form| form.values())
}

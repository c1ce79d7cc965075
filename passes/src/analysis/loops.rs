//! Counted loops of every dialect, seen alike.

use gpuc_dialects::offload::{AUTO_ATTR, Construct, RegionOp};
use gpuc_dialects::{affine, arith, scf};
use gpuc_ir::{Ir, Op, OpView, Value, WalkOrder};

use super::polynomial::Polynomial;
use super::range::Range;
use super::subscript::{of_affine, polynomial};

/// One dimension of a counted loop.
#[derive(Clone, Debug)]
pub struct CountedLoop {
    /// The loop.
    pub op: Op,
    /// Its induction variable.
    pub variable: Value,
    /// It starts at the greatest of these.
    pub lower: Vec<Polynomial>,
    /// It stays below the least of these.
    pub upper: Vec<Polynomial>,
    /// Whether the bounds are all there is: none was left out because it has no closed form.
    pub complete: bool,
    /// The step, where it is known; positive.
    pub step: Option<i64>,
}

/// The dimensions of a counted loop, outermost first; none for any other operation.
pub fn dimensions(ir: &Ir, op: Op) -> Vec<CountedLoop> {
    dimensions_over(ir, op, &|value| polynomial(ir, value))
}

/// The same with another way to bring bounds of `scf` loops into closed form.
pub fn dimensions_over(ir: &Ir, op: Op, form: &dyn Fn(Value) -> Polynomial) -> Vec<CountedLoop> {
    if let Some(view) = scf::ForOp::cast(ir, op) {
        let variable = view.induction_var(ir);
        return vec![scf_dimension(
            ir,
            op,
            variable,
            (view.lowerBound(ir), view.upperBound(ir), view.step(ir)),
            form,
        )];
    }
    if let Some(view) = scf::ParallelOp::cast(ir, op) {
        let (lower, upper, step) = (view.lowerBound(ir), view.upperBound(ir), view.step(ir));
        return view
            .induction_vars(ir)
            .iter()
            .enumerate()
            .map(|(d, &variable)| {
                scf_dimension(ir, op, variable, (lower[d], upper[d], step[d]), form)
            })
            .collect();
    }
    if let Some(view) = affine::AffineForOp::cast(ir, op) {
        let (lower, upper) = (view.lower_bound(ir), view.upper_bound(ir));
        let count = |value: &affine::AffineValue| value.results(&ir.ctx).len();
        let bounds = [(&lower, 0, count(&lower)), (&upper, 0, count(&upper))];
        let variable = view.induction_var(ir);
        return vec![affine_dimension(ir, op, variable, bounds, view.step_value(ir))];
    }
    if let Some(view) = affine::AffineParallelOp::cast(ir, op) {
        let (lower, upper) = (view.lower_bounds(ir), view.upper_bounds(ir));
        let (lower_groups, upper_groups) = (view.lower_groups(ir), view.upper_groups(ir));
        let steps = view.step_values(ir);
        let (mut low, mut high) = (0, 0);
        let mut found = Vec::new();
        for (d, &variable) in view.induction_vars(ir).iter().enumerate() {
            let (lows, highs) = (lower_groups[d] as usize, upper_groups[d] as usize);
            let bounds = [(&lower, low, lows), (&upper, high, highs)];
            found.push(affine_dimension(ir, op, variable, bounds, steps[d]));
            low += lows;
            high += highs;
        }
        return found;
    }
    Vec::new()
}

/// Whether an operation is a counted loop.
pub fn is_counted(ir: &Ir, op: Op) -> bool {
    scf::ForOp::is(ir, op)
        || scf::ParallelOp::is(ir, op)
        || affine::AffineForOp::is(ir, op)
        || affine::AffineParallelOp::is(ir, op)
}

/// The loops round `op` up to and with `outermost`, from the outside in.
pub fn nest(ir: &Ir, op: Op, outermost: Op) -> Vec<CountedLoop> {
    let mut around: Vec<Op> = Vec::new();
    for outer in ir.ancestors(op) {
        if is_counted(ir, outer) {
            around.push(outer);
        }
        if outer == outermost {
            break;
        }
    }
    around.into_iter().rev().flat_map(|outer| dimensions(ir, outer)).collect()
}

fn scf_dimension(
    ir: &Ir,
    op: Op,
    variable: Value,
    (lower, upper, step): (Value, Value, Value),
    form: &dyn Fn(Value) -> Polynomial,
) -> CountedLoop {
    CountedLoop {
        op,
        variable,
        lower: maxima(ir, lower, form),
        upper: minima(ir, upper, form),
        complete: true,
        step: arith::constant_index_value(ir, step).filter(|&step| step > 0),
    }
}

/// The values of which `value` is the greatest.
fn maxima(ir: &Ir, value: Value, form: &dyn Fn(Value) -> Polynomial) -> Vec<Polynomial> {
    match ir.defining_op(value).filter(|&op| arith::MaxSIOp::is(ir, op)) {
        Some(op) => ir.operands(op).map(form).collect(),
        None => vec![form(value)],
    }
}

/// The values of which `value` is the least.
fn minima(ir: &Ir, value: Value, form: &dyn Fn(Value) -> Polynomial) -> Vec<Polynomial> {
    match ir.defining_op(value).filter(|&op| arith::MinSIOp::is(ir, op)) {
        Some(op) => ir.operands(op).map(form).collect(),
        None => vec![form(value)],
    }
}

fn affine_dimension(
    ir: &Ir,
    op: Op,
    variable: Value,
    bounds: [(&affine::AffineValue, usize, usize); 2],
    step: i64,
) -> CountedLoop {
    let mut complete = true;
    let [lower, upper] = bounds.map(|(value, first, count)| {
        let results = value.results(&ir.ctx).iter().skip(first).take(count);
        let known: Vec<Polynomial> =
            results.filter_map(|&result| of_affine(ir, result, value)).collect();
        complete &= known.len() == count;
        known
    });
    CountedLoop { op, variable, lower, upper, complete, step: (step > 0).then_some(step) }
}

/// Whether the compiler is to find out if a loop of a compute region may run in parallel: loops with
/// [`AUTO_ATTR`], and every counted loop of a `kernels` region.
fn is_candidate(ir: &Ir, op: Op, region: RegionOp) -> bool {
    let counted = scf::ForOp::is(ir, op) || affine::AffineForOp::is(ir, op);
    match region.kind(ir) {
        Construct::Serial => false,
        Construct::Kernels => counted,
        Construct::Parallel => counted && ir.attr(op, AUTO_ATTR).is_some(),
    }
}

/// The loops of a region for which the compiler is to find out whether they may run in parallel,
/// outer ones first: they are the ones worth most.
pub fn candidates(ir: &Ir, region: RegionOp) -> Vec<Op> {
    let mut nested = ir.nested_ops(region.op(), WalkOrder::PreOrder);
    nested.retain(|&op| is_candidate(ir, op, region));
    nested
}

/// How often each dimension of a counted loop runs, where all of that is known: outermost first.
pub fn constant_trips(ir: &Ir, op: Op) -> Option<Vec<i64>> {
    dimensions(ir, op).iter().map(CountedLoop::constant_trips).collect()
}

impl CountedLoop {
    /// How often it runs, where that is known.
    pub fn constant_trips(&self) -> Option<i64> {
        let ([lower], [upper]) = (&self.lower[..], &self.upper[..]) else { return None };
        let span = upper.plus(lower, -1)?.as_constant().filter(|_| self.complete)?;
        let step = self.step?;
        Some(span.max(0).checked_add(step - 1)? / step)
    }
}

impl CountedLoop {
    /// What its variable, and one step behind its end, can be.
    pub fn bounds_range(&self, ir: &Ir) -> Range {
        let lower = self.lower.iter().map(|form| form.range(ir)).reduce(|a, b| a.above(b));
        let upper = self.upper.iter().map(|form| form.range(ir)).reduce(|a, b| a.below(b));
        match (lower, upper) {
            (Some(lower), Some(upper)) => {
                Range { min: lower.min.min(upper.min), max: upper.max.max(lower.max) }
            }
            _ => Range::signed(64),
        }
    }

    /// How often it can run.
    pub fn trips_range(&self, ir: &Ir) -> Range {
        if let Some(trips) = self.constant_trips() {
            return Range { min: trips.into(), max: trips.into() };
        }
        let spans = self.lower.iter().flat_map(|lower| {
            self.upper.iter().map(|upper| match upper.plus(lower, -1) {
                Some(span) => span.range(ir).max,
                None => Range::signed(64).max,
            })
        });
        let span = spans.min().unwrap_or(Range::signed(64).max).max(0);
        Range { min: 0, max: span / i128::from(self.step.unwrap_or(1)) + 1 }
    }
}

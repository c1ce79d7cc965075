//! Counted loops of every dialect, seen alike.

use gpuc_dialects::affine::affine_scope;
use gpuc_dialects::arith;
use gpuc_dialects::offload::{AUTO_ATTR, Construct, RegionOp, SEQ_ATTR};
use gpuc_ir::op::{LoopBound, LoopDimension, LoopStep, Traits};
use gpuc_ir::{Ir, Op, OpView, Value, WalkOrder};

use super::domain::is_unchanging;
use super::extremes::extremes;
use super::polynomial::Polynomial;
use super::quasi_affine::QuasiAffine;
use super::range::Range;
use super::subscript::polynomial;

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
    /// Further lower bounds, with quotients.
    pub divided_lower: Vec<QuasiAffine>,
    /// Further upper bounds, with quotients.
    pub divided_upper: Vec<QuasiAffine>,
    /// Whether the bounds without quotients are all there is.
    pub complete: bool,
    /// Whether the bounds are all there is: none was left out because it has no closed form.
    pub known: bool,
    /// The step, where it is known; positive.
    pub step: Option<i64>,
}

impl CountedLoop {
    /// A dimension that runs over all numbers.
    pub fn unbounded(op: Op, variable: Value) -> CountedLoop {
        CountedLoop {
            op,
            variable,
            lower: Vec::new(),
            upper: Vec::new(),
            divided_lower: Vec::new(),
            divided_upper: Vec::new(),
            complete: true,
            known: true,
            step: Some(1),
        }
    }
}

/// The dimensions of a counted loop, outermost first; none for any other operation.
pub fn dimensions(ir: &Ir, op: Op) -> Vec<CountedLoop> {
    dimensions_over(ir, op, &|value| polynomial(ir, value))
}

/// The same with another way to bring bounds that are values into closed form.
pub fn dimensions_over(ir: &Ir, op: Op, form: &dyn Fn(Value) -> Polynomial) -> Vec<CountedLoop> {
    let scope = affine_scope(ir, op);
    // What does not change round the loop is one number, however the program chooses it.
    let is_fixed = |value| scope.is_some_and(|scope| is_unchanging(ir, value, scope));
    let looked_at = |value| match ir.defining_op(value) {
        Some(op) => arith::MaxSIOp::is(ir, op) || arith::MinSIOp::is(ir, op) || !is_fixed(value),
        None => false,
    };
    let of = |dim: LoopDimension| {
        let lower = Bound::of(ir, &dim.lower, true, form, &looked_at);
        let upper = above_start(ir, dim.upper, &lower);
        let upper = Bound::of(ir, &upper, false, form, &looked_at);
        let known = lower.known && upper.known;
        let step = match dim.step {
            LoopStep::Constant(step) => Some(step),
            LoopStep::Value(step) => arith::constant_index_value(ir, step),
        };
        CountedLoop {
            op,
            variable: dim.variable,
            complete: known && lower.divided.is_empty() && upper.divided.is_empty(),
            known,
            lower: lower.plain,
            upper: upper.plain,
            divided_lower: lower.divided,
            divided_upper: upper.divided,
            step: step.filter(|&step| step > 0),
        }
    };
    ir.loop_dimensions(op).into_iter().map(of).collect()
}

/// An upper bound without what only keeps it from lying below the lower one: `max(n, 0)` ends a loop
/// from 0 where `n` does.
fn above_start(ir: &Ir, upper: LoopBound, lower: &Bound) -> LoopBound {
    let start = match &lower.plain[..] {
        [start] if lower.divided.is_empty() => start.as_constant(),
        _ => None,
    };
    let (LoopBound::Value(value), Some(start)) = (&upper, start) else { return upper };
    let Some(op) = ir.defining_op(*value).filter(|&op| arith::MaxSIOp::is(ir, op)) else {
        return upper;
    };
    let [a, b] = [0, 1].map(|i| ir.operand(op, i));
    let is_below = |value| arith::constant_index_value(ir, value).is_some_and(|n| n <= start);
    match (is_below(a), is_below(b)) {
        (false, true) => LoopBound::Value(a),
        (true, false) => LoopBound::Value(b),
        _ => upper,
    }
}

/// What a bound is the greatest or least of.
struct Bound {
    plain: Vec<Polynomial>,
    divided: Vec<QuasiAffine>,
    /// Whether that is all.
    known: bool,
}

impl Bound {
    /// The greatest of the forms, or with `greatest` unset the least, is the bound.
    fn of(
        ir: &Ir,
        bound: &LoopBound,
        greatest: bool,
        form: &dyn Fn(Value) -> Polynomial,
        looked_at: &dyn Fn(Value) -> bool,
    ) -> Bound {
        let mut found = Bound { plain: Vec::new(), divided: Vec::new(), known: true };
        match bound {
            LoopBound::Value(value) => {
                found.plain = extremes(ir, *value, greatest, form, looked_at);
            }
            LoopBound::Map { map, results, operands } => {
                let data = ir.ctx.map_data(*map);
                for &result in data.results.iter().skip(results.start).take(results.len()) {
                    let form = QuasiAffine::of_expr(ir, result, data.dims as usize, operands);
                    match form.as_ref().map(|form| (form, form.as_polynomial())) {
                        Some((_, Some(plain))) => found.plain.push(plain.clone()),
                        Some((form, None)) => found.divided.push(form.clone()),
                        None => found.known = false,
                    }
                }
            }
        }
        found
    }
}

/// The counted loops inside an operation that stand in no other one.
pub fn outermost_loops(ir: &Ir, op: Op) -> impl Iterator<Item = Op> + '_ {
    ir.nested_ops(op, WalkOrder::PreOrder).into_iter().filter(|&root| {
        let inner = ir.ancestors(root).any(|outer| ir.is_counted_loop(outer));
        !inner && ir.is_counted_loop(root) && !ir.has_trait(root, Traits::SYMBOL)
    })
}

/// The loops round `op` up to and with `outermost`, from the outside in; none if that is `op` itself.
pub fn nest(ir: &Ir, op: Op, outermost: Op) -> Vec<CountedLoop> {
    let mut around: Vec<Op> = Vec::new();
    if op == outermost {
        return Vec::new();
    }
    for outer in ir.ancestors(op) {
        if ir.is_counted_loop(outer) {
            around.push(outer);
        }
        if outer == outermost {
            break;
        }
    }
    around.into_iter().rev().flat_map(|outer| dimensions(ir, outer)).collect()
}

/// Whether the compiler is to find out if a loop of a compute region may run in parallel: loops with
/// [`AUTO_ATTR`], and every counted loop of a `kernels` region without [`SEQ_ATTR`].
fn is_candidate(ir: &Ir, op: Op, region: RegionOp) -> bool {
    let counted = ir.is_sequential_loop(op);
    match region.kind(ir) {
        Construct::Serial => false,
        Construct::Kernels => counted && ir.attr(op, SEQ_ATTR).is_none(),
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

/// Whether a counted loop has so many iterations, as far as is known.
pub fn may_have(ir: &Ir, op: Op, least: i64) -> bool {
    let trips = dimensions(ir, op).first().and_then(CountedLoop::constant_trips);
    trips.is_none_or(|trips| trips >= least)
}

/// How often each dimension of a counted loop runs, where all of that is known: outermost first.
pub fn constant_trips(ir: &Ir, op: Op) -> Option<Vec<i64>> {
    dimensions(ir, op).iter().map(CountedLoop::constant_trips).collect()
}

/// How often each dimension of a counted loop runs, of those of which that is known: outermost first.
pub fn known_trips(ir: &Ir, op: Op) -> Vec<Option<i64>> {
    dimensions(ir, op).iter().map(CountedLoop::constant_trips).collect()
}

/// Whether loops count by 1 between bounds that none of them changes, one each.
pub fn are_rectangular(loops: &[CountedLoop]) -> bool {
    let is_fixed = |form: &Polynomial| {
        form.is_affine()
            && form.values().iter().all(|value| loops.iter().all(|dim| dim.variable != *value))
    };
    loops
        .iter()
        .all(|dim| dim.iterations().is_some() && dim.lower.iter().chain(&dim.upper).all(is_fixed))
}

impl CountedLoop {
    /// Its first and its last iteration, if it counts by 1 from one bound to another; the last one comes before the first
    /// where there are none.
    pub fn iterations(&self) -> Option<(Polynomial, Polynomial)> {
        let ([lower], [upper]) = (&self.lower[..], &self.upper[..]) else { return None };
        let last = upper.plus(&Polynomial::constant(1), -1)?;
        (self.complete && self.step == Some(1)).then(|| (lower.clone(), last))
    }

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
        let step = i128::from(self.step.unwrap_or(1));
        Range { min: 0, max: (span + step - 1) / step }
    }
}

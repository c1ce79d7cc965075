//! Searches: a loop that finds the greatest or least of some values, and where it was.
//!
//! `if (x[i] < best) { best = x[i]; at = i; }` is no reduction, because `at` hangs on `best`. But the value
//! that `best` has in the end says which iteration it was: the first that has it where the comparison is
//! strict, else the last. So the loop becomes two, each with one reduction: the least `x[i]`, and then the
//! least (greatest) `i` of those with `x[i] == best`. That reads `x` twice and runs in parallel.

use gpuc_dialects::affine::AffineForOp;
use gpuc_dialects::arith::{CmpFPredicate, CmpIPredicate};
use gpuc_dialects::{arith, scf};
use gpuc_ir::op::LoopCarried;
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueMap};
use rustc_hash::FxHashSet;

use super::carried_scalar::order;
use crate::analysis::access::{Access, AccessKind};
use crate::analysis::cases::choice;
use crate::analysis::slice::slice_from_given;
use crate::raise::raise_affine::copy_marks;
use crate::raise::reduction::Reduction;

/// A value that a loop sets whenever it finds a better one of another that it carries.
#[derive(Clone, Debug)]
pub struct Search {
    /// Where the best one was.
    at: LoopCarried,
    /// The best value.
    best: LoopCarried,
    /// The new place.
    place: Value,
    /// The comparison of the iteration's value with the best one so far.
    comparison: Op,
    /// The iteration's value.
    value: Value,
    /// What it takes to compute that in another loop.
    value_ops: Vec<Op>,
    /// What it takes to compute the place for an iteration.
    place_ops: Vec<Op>,
    /// Whether the first of several best ones counts.
    is_first: bool,
}

impl Search {
    /// What `at`, which the loop carries, is the place of. The loop must write nothing.
    pub fn find(ir: &Ir, op: Op, at: LoopCarried, touched: &[Access]) -> Option<Search> {
        let bounds = (AffineForOp::cast(ir, op).is_some(), scf::ForOp::cast(ir, op));
        let variable = match bounds {
            (true, _) => AffineForOp(op).induction_var(ir),
            (false, Some(view)) => view.induction_var(ir),
            (false, None) => return None,
        };
        if !ir.ctx.is_index(ir.ty(variable)) || touched.iter().any(|a| a.kind != AccessKind::Read) {
            return None;
        }
        let [condition, place, kept] = choice(ir, at.yielded)?;
        let alone =
            kept == at.argument && ir.has_one_use(at.argument) && ir.has_one_use(at.yielded);
        let comparison = ir.defining_op(condition).filter(|_| alone)?;
        let carried = ir.loop_carried(op);
        let (best, value) = carried.into_iter().find_map(|other| {
            let value = best_of(ir, comparison, condition, other)?;
            Some((other, value))
        })?;
        let given = |value: Value| {
            let owner = ir.value_block(value).and_then(|block| ir.block_op(block));
            value == variable || !owner.is_some_and(|owner| owner == op || ir.is_inside(owner, op))
        };
        Some(Search {
            at,
            best,
            place,
            comparison,
            value,
            value_ops: readable_slice(ir, value, op, &given)?,
            place_ops: slice_from_given(ir, place, op, &given)?,
            is_first: is_strict(ir, comparison)?,
        })
    }

    /// The place that the loop leaves.
    pub fn result(&self) -> Value {
        self.at.result
    }

    /// The operation that chooses the place and nothing else: when the loop is split, it is gone.
    pub fn choice(&self, ir: &Ir) -> Option<Op> {
        ir.defining_op(self.at.yielded).filter(|&op| ir.results(op).len() == 1)
    }

    /// Takes the place out of the loop `op` into a loop of its own behind it, and gives that with its carried
    /// value.
    pub fn split(self, ir: &mut Ir, op: Op) -> Op {
        let Search { at, best, .. } = self;
        let wanted = match self.is_first {
            true => Reduction::Min,
            false => Reduction::Max,
        };
        let found = best.result;
        // What the first loop hands on now is what was there before, which nobody looks at.
        ir.replace_all_uses(at.argument, at.init);
        ir.replace_all_uses(at.yielded, at.init);

        let mut b = Builder::after(ir, op);
        let index = b.ctx.index();
        let none = wanted.identity(&mut b, index, false);
        let body = |b: &mut Builder<'_>, old: Value, variable: Value, so_far: &[Value]| {
            let mut map = ValueMap::new();
            map.insert(old, variable);
            for &each in &self.value_ops {
                let copy = b.clone_op(each, &mut map);
                b.insert(copy);
            }
            let value = map.get(self.value);
            let is_best = equals(b, value, found);
            let candidate = arith::SelectOp::new(b, is_best, variable, none).value(b);
            vec![wanted.combine(b, so_far[0], candidate, false)]
        };
        let (new, old) = if let Some(view) = AffineForOp::cast(&b, op) {
            let (lower, upper, step) =
                (view.lower_bound(&b), view.upper_bound(&b), view.step_value(&b));
            let old = view.induction_var(&b);
            let new = AffineForOp::create(&mut b, &lower, &upper, step, &[none], |b, i, so_far| {
                body(b, old, i, so_far)
            });
            (new.op(), old)
        } else {
            let view = scf::ForOp(op);
            let bounds = (view.lowerBound(&b), view.upperBound(&b), view.step(&b));
            let old = view.induction_var(&b);
            let new =
                scf::ForOp::create(&mut b, bounds, &[none], |b, i, so_far| body(b, old, i, so_far));
            (new.op(), old)
        };
        let variable = b.body(new, 0);
        let variable = b.arguments(variable)[0];
        let name = b.value_location(old);
        b.set_value_location(variable, name);

        // The place of the iteration that was found, if there is one.
        let iteration = b.result(new, 0);
        let mut map = ValueMap::new();
        map.insert(old, iteration);
        for &each in &self.place_ops {
            let copy = b.clone_op(each, &mut map);
            b.insert(copy);
        }
        let found_place = map.get(self.place);
        let is_found = match self.is_first {
            // It is better than what was there before.
            true => {
                let mut map = ValueMap::new();
                map.insert(self.value, found);
                map.insert(best.argument, best.init);
                let copy = b.clone_op(self.comparison, &mut map);
                b.insert(copy);
                b.result(copy, 0)
            }
            false => {
                let ne = CmpIPredicate::Ne.attr(&mut b.ctx);
                arith::CmpIOp::new(&mut b, iteration, none)
                    .attr(&mut b, "predicate", ne)
                    .value(&mut b)
            }
        };
        let result = arith::SelectOp::new(&mut b, is_found, found_place, at.init).value(&mut b);
        b.replace_all_uses(at.result, result);
        // The loop writes nothing, and so does what only chose the place.
        if let Some(choice) = ir.defining_op(at.yielded).filter(|&op| ir.results(op).len() == 1) {
            ir.erase_op(choice);
        }
        if ir.is_unused(ir.result(self.comparison, 0)) {
            ir.erase_op(self.comparison);
        }
        copy_marks(ir, op, new);
        new
    }
}

/// What `carried` is the greatest or least of, if it is that by `comparison`, whose result is `condition`; it
/// stays what it is where it is not a number.
fn best_of(ir: &Ir, comparison: Op, condition: Value, carried: LoopCarried) -> Option<Value> {
    let so_far = carried.argument;
    let (left, right) = (ir.operand(comparison, 0), ir.operand(comparison, 1));
    let (greater_on_left, unsigned) = order(ir, comparison)?;
    let (value, is_max) = match (left == so_far, right == so_far) {
        (false, true) => (left, greater_on_left),
        (true, false) => (right, !greater_on_left),
        _ => return None,
    };
    let taken = ir.defining_op(carried.yielded).filter(|_| ir.has_one_use(carried.yielded))?;
    let is_chosen =
        arith::SelectOp::is(ir, taken) && ir.operands(taken).eq([condition, value, so_far]);
    let kind = if is_max { Reduction::Max } else { Reduction::Min };
    let is_combined = Reduction::of_op(ir, taken) == Some((kind, unsigned))
        && !ir.ctx.is_float(ir.ty(value))
        && (ir.operands(taken).eq([value, so_far]) || ir.operands(taken).eq([so_far, value]));
    let alone = ir.users(so_far).all(|user| user == taken || user == comparison);
    ((is_chosen || is_combined) && alone).then_some(value)
}

/// Operations in the loop `op` that compute a value from what is given elsewhere, in order, if they do
/// nothing besides but to read memory.
fn readable_slice(ir: &Ir, value: Value, op: Op, given: &dyn Fn(Value) -> bool) -> Option<Vec<Op>> {
    fn collect(
        ir: &Ir,
        value: Value,
        given: &dyn Fn(Value) -> bool,
        found: &mut Vec<Op>,
        seen: &mut FxHashSet<Op>,
    ) -> bool {
        if given(value) {
            return true;
        }
        let Some(op) = ir.defining_op(value) else { return false };
        if seen.contains(&op) {
            return true;
        }
        let reads = ir.memory_access(op).is_some_and(|access| access.stored().is_none());
        if !ir.regions(op).is_empty() || !(ir.is_effect_free(op) || reads) {
            return false;
        }
        if !ir.operands(op).all(|operand| collect(ir, operand, given, found, seen)) {
            return false;
        }
        seen.insert(op);
        found.push(op);
        true
    }
    let mut found = Vec::new();
    let whole = collect(ir, value, given, &mut found, &mut FxHashSet::default());
    (whole && found.iter().all(|&each| ir.is_inside(each, op))).then_some(found)
}

/// Whether a comparison does not hold for equal values.
fn is_strict(ir: &Ir, comparison: Op) -> Option<bool> {
    if arith::CmpFOp::is(ir, comparison) {
        return match CmpFPredicate::of(ir, comparison)? {
            CmpFPredicate::Ogt | CmpFPredicate::Olt => Some(true),
            CmpFPredicate::Oge | CmpFPredicate::Ole => Some(false),
            _ => None,
        };
    }
    use CmpIPredicate::*;
    match CmpIPredicate::of(ir, comparison)? {
        Sgt | Slt | Ugt | Ult => Some(true),
        Sge | Sle | Uge | Ule => Some(false),
        Eq | Ne => None,
    }
}

/// `a == c`.
fn equals(b: &mut Builder<'_>, a: Value, c: Value) -> Value {
    let ty = b.ty(a);
    if b.ctx.is_float(ty) {
        let oeq = CmpFPredicate::Oeq.attr(&mut b.ctx);
        return arith::CmpFOp::new(b, a, c).attr(b, "predicate", oeq).value(b);
    }
    let eq = CmpIPredicate::Eq.attr(&mut b.ctx);
    arith::CmpIOp::new(b, a, c).attr(b, "predicate", eq).value(b)
}

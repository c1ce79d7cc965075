//! `raise-while`: loops that count without saying so become `scf.for`.
//!
//! `while (i < n) { ...; i++; }`, `for (; i < n;)`, `while (k--)`: a number that each iteration adds the same
//! constant to is compared with a bound that stays, or with several (`i < n && i < m`). The number of iterations is then known in front of the
//! loop. What the loop carries stays carried; [`raise-inductions`](super::raise_inductions) makes the number a
//! function of the new variable. (Upstream's `scf-uplift-while-to-for` takes `<` and a step upwards only, and keeps the
//! number itself as the variable.)

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::arith::{self, CmpIPredicate};
use gpuc_dialects::scf;
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueMap, WalkOrder};

use super::raise_affine::copy_marks;
use crate::analysis::range::promises_no_signed_wrap;
use crate::analysis::slice::is_defined_inside;

gpuc_ir::pass! {
    /// Turn loops that count from `scf.while` into `scf.for`.
    RaiseWhile = "raise-while" {}
}

impl Pass for RaiseWhile {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for inner in ir.nested_ops(op, WalkOrder::PostOrder) {
            if let Some(view) = scf::WhileOp::cast(ir, inner)
                && let Some(count) = Count::of(ir, view)
            {
                count.uplift(ir, view);
            }
        }
        Ok(())
    }
}

/// How a loop counts.
struct Count {
    /// Which of the carried values counts.
    index: usize,
    /// What each iteration adds to it; not 0.
    step: i64,
    /// The loop goes on while it is within all of these; one at least.
    limits: Vec<Limit>,
}

/// An end that a loop counts to.
struct Limit {
    /// What is compared: the number, or one as far from it in every iteration.
    compared: Value,
    /// The loop goes on while `compared relation bound`.
    relation: CmpIPredicate,
    bound: Value,
    /// Whether both are numbers without a sign.
    unsigned: bool,
}

impl Count {
    fn of(ir: &Ir, view: scf::WhileOp) -> Option<Count> {
        let op = view.op();
        let (before, condition) = (ir.body(op, 0), view.condition_op(ir));
        let pure = |each: Op| ir.has_trait(each, Traits::TERMINATOR) || ir.is_effect_free(each);
        if !ir.ops(before).all(pure) || ir.ops(before).any(|each| !ir.regions(each).is_empty()) {
            return None;
        }
        let mut found: Option<Count> = None;
        for holds in conjuncts(ir, condition.condition(ir)) {
            let (index, step, limit) = Limit::of(ir, view, holds)?;
            let count = found.get_or_insert(Count { index, step, limits: Vec::new() });
            if count.index != index {
                return None;
            }
            count.limits.push(limit);
        }
        found
    }

    /// Makes it a loop with a number of iterations.
    fn uplift(self, ir: &mut Ir, view: scf::WhileOp) {
        let op = view.op();
        let (before, after) = (ir.body(op, 0), ir.body(op, 1));
        let inits = view.inits(ir).to_vec();
        let handed = view.condition_op(ir).args(ir).to_vec();
        let yielded = view.yield_op(ir).results(ir).to_vec();
        let pure: Vec<Op> =
            ir.ops(before).filter(|&each| !ir.has_trait(each, Traits::TERMINATOR)).collect();
        let start = ir.arguments(before).to_vec();
        let clone_before = |b: &mut Builder<'_>, carried: &[Value]| {
            let mut map = ValueMap::new();
            for (&argument, &value) in start.iter().zip(carried) {
                map.insert(argument, value);
            }
            for &each in &pure {
                let copy = b.clone_op(each, &mut map);
                b.insert(copy);
            }
            map
        };
        let mut b = Builder::before(ir, op);
        let first = clone_before(&mut b, &inits);
        let rounds = self.rounds(&mut b, &first);
        let (zero, one) = (arith::constant_index(&mut b, 0), arith::constant_index(&mut b, 1));
        let new = scf::ForOp::create(&mut b, (zero, rounds, one), &inits, |b, _, carried| {
            let mut map = clone_before(b, carried);
            let handed: Vec<Value> = handed.iter().map(|&value| map.get(value)).collect();
            for (&argument, value) in b.arguments(after).to_vec().iter().zip(handed) {
                map.insert(argument, value);
            }
            let inside = b.ops(after).filter(|&each| !b.has_trait(each, Traits::TERMINATOR));
            for each in inside.collect::<Vec<_>>() {
                let copy = b.clone_op(each, &mut map);
                b.insert(copy);
            }
            yielded.iter().map(|&value| map.get(value)).collect()
        });
        let name = b.value_location(start[self.index]);
        let variable = new.induction_var(&b);
        b.set_value_location(variable, name);
        let last = b.results(new.op()).to_vec();
        let map = clone_before(&mut b, &last);
        for (i, &value) in handed.iter().enumerate() {
            let result = b.result(op, i);
            b.replace_all_uses(result, map.get(value));
        }
        copy_marks(ir, op, new.op());
        ir.erase_op(op);
    }

    /// How often the loop runs, where `first` has the values of the first iteration.
    fn rounds(&self, b: &mut Builder<'_>, first: &ValueMap) -> Value {
        let distances: Vec<Value> = self
            .limits
            .iter()
            .map(|limit| limit.distance(b, first.get(limit.compared), self.step > 0))
            .collect();
        // The nearest end is the end.
        let nearest = distances.into_iter().reduce(|x, y| arith::MinSIOp::new(b, x, y).value(b));
        let distance = nearest.expect("a loop that counts has a limit");
        let zero = arith::constant_index(b, 0);
        let distance = arith::MaxSIOp::new(b, distance, zero).value(b);
        match self.step.unsigned_abs() {
            1 => distance,
            step => {
                let step = arith::constant_index(b, step as i64);
                arith::CeilDivSIOp::new(b, distance, step).value(b)
            }
        }
    }
}

/// The conditions that must all hold for `condition` to.
fn conjuncts(ir: &Ir, condition: Value) -> Vec<Value> {
    let (mut open, mut found) = (vec![condition], Vec::new());
    while let Some(value) = open.pop() {
        match ir.defining_op(value).filter(|&op| arith::AndIOp::is(ir, op)) {
            Some(op) => open.extend([ir.operand(op, 1), ir.operand(op, 0)]),
            None => found.push(value),
        }
    }
    found
}

impl Limit {
    /// The limit that a condition of a loop is, with the carried value that counts and what each iteration adds to it.
    fn of(ir: &Ir, view: scf::WhileOp, condition: Value) -> Option<(usize, i64, Limit)> {
        let (op, before) = (view.op(), ir.body(view.op(), 0));
        let comparison = ir.defining_op(condition)?;
        if !arith::CmpIOp::is(ir, comparison) {
            return None;
        }
        let relation = CmpIPredicate::of(ir, comparison)?;
        let [left, right] = [0, 1].map(|i| ir.operand(comparison, i));
        let stays = |value: Value| {
            !is_defined_inside(ir, value, op) && !ir.arguments(before).contains(&value)
        };
        let (compared, relation, bound) = match (stays(left), stays(right)) {
            (false, true) => (left, relation, right),
            (true, false) => (right, relation.swapped(), left),
            _ => return None,
        };
        let (index, step, fits) = (0..ir.arguments(before).len()).find_map(|index| {
            let number = Number { ir, view, argument: ir.arguments(before)[index] };
            let (_, fits) = number.distance(compared)?;
            let (step, step_fits) = number.distance(*view.yield_op(ir).results(ir).get(index)?)?;
            (step != 0).then_some((index, step, fits && step_fits))
        })?;
        let constant = |value: Value| arith::constant_int_value(ir, value);
        let is_first = compared == ir.arguments(before)[index];
        // One that may wrap around must meet the bound before it does.
        let meets = match relation {
            CmpIPredicate::Slt | CmpIPredicate::Sle => fits && step > 0,
            CmpIPredicate::Sgt | CmpIPredicate::Sge => fits && step < 0,
            CmpIPredicate::Ult => is_first && step == 1,
            CmpIPredicate::Ugt => is_first && step == -1,
            CmpIPredicate::Ne => match step {
                1 => fits || is_first && constant(view.inits(ir)[index]) == Some(0),
                -1 => fits || is_first && constant(bound) == Some(0),
                _ => false,
            },
            _ => false,
        };
        let unsigned = match relation {
            CmpIPredicate::Ult | CmpIPredicate::Ugt => true,
            CmpIPredicate::Ne => !fits,
            _ => false,
        };
        let wide = ir.ctx.int_or_index_width(ir.ty(compared)).is_some_and(|width| width <= 64);
        let limit = Limit { compared, relation, bound, unsigned };
        (meets && wide).then_some((index, step, limit))
    }

    /// How far the loop counts from `first` until it leaves the limit; negative if it is beyond.
    fn distance(&self, b: &mut Builder<'_>, first: Value, upwards: bool) -> Value {
        let index = b.ctx.index();
        let [first, bound] =
            [first, self.bound].map(|value| match (b.ctx.is_index(b.ty(value)), self.unsigned) {
                (true, _) => value,
                (_, false) => arith::IndexCastOp::new(b, value).result(index).value(b),
                (_, true) => arith::IndexCastUIOp::new(b, value).result(index).value(b),
            });
        let (low, high) = if upwards { (first, bound) } else { (bound, first) };
        let distance = arith::SubIOp::new(b, high, low).value(b);
        if !matches!(self.relation, CmpIPredicate::Sle | CmpIPredicate::Sge) {
            return distance;
        }
        let one = arith::constant_index(b, 1);
        arith::AddIOp::new(b, distance, one).value(b)
    }
}

/// A value that a loop carries, as it is when an iteration begins.
struct Number<'a> {
    ir: &'a Ir,
    view: scf::WhileOp,
    argument: Value,
}

impl Number<'_> {
    /// How much more a value of the same iteration is, and whether it is that without wrapping around.
    fn distance(&self, value: Value) -> Option<(i64, bool)> {
        let ir = self.ir;
        if value == self.argument {
            return Some((0, true));
        }
        let after = ir.body(self.view.op(), 1);
        if let Some(place) = ir.arguments(after).iter().position(|&argument| argument == value) {
            return self.distance(self.view.condition_op(ir).args(ir)[place]);
        }
        let op = ir.defining_op(value).filter(|&op| ir.is_inside(op, self.view.op()))?;
        if arith::ExtSIOp::is(ir, op) {
            // Wider, it is as far.
            return self.distance(ir.operand(op, 0)).filter(|&(_, fits)| fits);
        }
        // Taken with a sign: constants may be held as either of the two readings of their bits.
        let width = ir.ctx.int_or_index_width(ir.ty(value)).filter(|&width| width <= 64)?;
        let constant = |index: usize| {
            let bits = arith::constant_int_value(ir, ir.operand(op, index))?;
            Some((bits << (128 - width) >> (128 - width)) as i64)
        };
        let (base, by) = match ir.name(op) {
            arith::AddIOp::NAME => match (constant(0), constant(1)) {
                (_, Some(by)) => (ir.operand(op, 0), by),
                (Some(by), _) => (ir.operand(op, 1), by),
                _ => return None,
            },
            arith::SubIOp::NAME => (ir.operand(op, 0), constant(1)?.checked_neg()?),
            _ => return None,
        };
        let (distance, fits) = self.distance(base)?;
        let fits = fits && (ir.ctx.is_index(ir.ty(value)) || promises_no_signed_wrap(ir, op));
        Some((distance.checked_add(by)?, fits))
    }
}

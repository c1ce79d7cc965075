//! Conditions round an access: which iterations execute it.

use gpuc_dialects::arith::CmpIPredicate;
use gpuc_dialects::{affine, arith, scf};
use gpuc_ir::{Ir, Op, OpView, Region, Value};

use super::super::polynomial::Polynomial;
use super::super::quasi_affine::QuasiAffine;
use super::super::range::{Range, range};

/// A form that is 0, if `is_equality`, or else not negative, wherever the access is executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The form.
    pub form: QuasiAffine,
    /// Which of the two.
    pub is_equality: bool,
}

/// What holds at `op` because of the conditions round it inside `outermost`, as far as it is
/// understood: more iterations may satisfy it than execute the operation, never fewer.
pub fn guards(ir: &Ir, op: Op, outermost: Op) -> Vec<Guard> {
    let mut found = Vec::new();
    let mut at = op;
    while at != outermost
        && let (Some(region), Some(outer)) = (ir.parent_region(at), ir.parent_op(at))
    {
        found.extend(of_region(ir, region));
        at = outer;
    }
    found
}

/// Whether [`guards`] says all there is: wherever the guards hold, in an iteration of the counted loops
/// round it, `op` is executed.
pub fn are_all_guards(ir: &Ir, op: Op, outermost: Op) -> bool {
    let mut at = op;
    while at != outermost {
        let (Some(region), Some(outer)) = (ir.parent_region(at), ir.parent_op(at)) else {
            return false;
        };
        let understood = if let Some(view) = scf::IfOp::cast(ir, outer) {
            let holds = ir.regions(outer).first() == Some(&region);
            is_understood(ir, view.condition(ir), holds)
        } else if let Some(view) = affine::AffineIfOp::cast(ir, outer) {
            let constraints = view.condition(ir).map(|set| ir.ctx.set_data(set).constraints.len());
            constraints == Some(of_region(ir, region).len())
        } else {
            outer == outermost || ir.is_counted_loop(outer)
        };
        if !understood {
            return false;
        }
        at = outer;
    }
    true
}

/// Whether [`of_condition`] says all that follows.
pub fn is_understood(ir: &Ir, condition: Value, holds: bool) -> bool {
    let Some(op) = ir.defining_op(condition) else { return false };
    if let Some(other) = negation_of(ir, condition) {
        return is_understood(ir, other, !holds);
    }
    let both = match holds {
        true => arith::AndIOp::is(ir, op),
        false => arith::OrIOp::is(ir, op),
    };
    if both {
        return ir.operands(op).all(|part| is_understood(ir, part, holds));
    }
    of_condition(ir, condition, holds).len() == 1
}

/// What holds in a region because of the operation that it belongs to.
pub fn of_region(ir: &Ir, region: Region) -> Vec<Guard> {
    let Some(op) = ir.region_op(region) else { return Vec::new() };
    let holds = ir.regions(op).first() == Some(&region);
    if let Some(view) = affine::AffineIfOp::cast(ir, op) {
        return of_affine_if(ir, view, holds);
    }
    if let Some(view) = scf::IfOp::cast(ir, op) {
        return of_condition(ir, view.condition(ir), holds);
    }
    Vec::new()
}

fn of_affine_if(ir: &Ir, view: affine::AffineIfOp, holds: bool) -> Vec<Guard> {
    let Some(condition) = view.condition(ir) else { return Vec::new() };
    let data = ir.ctx.set_data(condition);
    let operands = view.operands(ir).to_vec();
    let each = data.constraints.iter().filter_map(|&(expr, is_equality)| {
        let form = QuasiAffine::of_expr(ir, expr, data.dims as usize, &operands)?;
        Some(Guard { form, is_equality })
    });
    if holds {
        return each.collect();
    }
    // Only one of several need fail, and what is not 0 lies on either side.
    match (&data.constraints[..], each.collect::<Vec<_>>().pop()) {
        ([(_, false)], Some(guard)) => negated(&guard.form).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// `form < 0`.
fn negated(form: &QuasiAffine) -> Option<Guard> {
    let form = QuasiAffine::from(Polynomial::constant(-1)).plus(form, -1)?;
    Some(Guard { form, is_equality: false })
}

/// What follows from that a truth value holds, or fails, as far as it is understood.
pub fn of_condition(ir: &Ir, condition: Value, holds: bool) -> Vec<Guard> {
    let each = comparisons(ir, condition, holds).into_iter();
    each.filter_map(|known| {
        let form = |value| match known.signed {
            Some(false) => unsigned(ir, value),
            _ => Some(QuasiAffine::of_value(ir, value)),
        };
        // `greater - less - gap` is 0 or not negative.
        let gap = QuasiAffine::from(Polynomial::constant(known.gap));
        let form = form(known.greater)?.plus(&form(known.less)?, -1)?.plus(&gap, -1)?;
        Some(Guard { form, is_equality: known.is_equality })
    })
    .collect()
}

/// The number that a value is without a sign, where a value of 64 bits has it.
fn unsigned(ir: &Ir, value: Value) -> Option<QuasiAffine> {
    let is_number = |value: Value| range(ir, value).min >= 0;
    if is_number(value) {
        return Some(QuasiAffine::of_value(ir, value));
    }
    if ir.ctx.int_or_index_width(ir.ty(value)) != Some(32) {
        return None;
    }
    if let Some(constant) = arith::constant_int_value(ir, value) {
        return Some(Polynomial::constant(constant.rem_euclid(1 << 32).try_into().ok()?).into());
    }
    if let Some(op) = ir.defining_op(value).filter(|&op| {
        arith::IndexCastOp::is(ir, op)
            || arith::IndexCastUIOp::is(ir, op)
            || arith::TruncIOp::is(ir, op)
    }) {
        let wide = ir.operand(op, 0);
        if range(ir, wide).is_within(Range::unsigned(32)) {
            return Some(QuasiAffine::of_value(ir, wide));
        }
    }
    let widens = |&op: &Op| arith::IndexCastUIOp::is(ir, op) || arith::ExtUIOp::is(ir, op);
    let wide = ir.users(value).filter(widens).map(|op| ir.result(op, 0));
    let mut wide = wide.filter(|&wide| ir.ctx.int_or_index_width(ir.ty(wide)) == Some(64));
    wide.next().map(|wide| QuasiAffine::of_value(ir, wide))
}

/// Two numbers of which a condition says something.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// The one that is at least `gap` more than the other; exactly, if `is_equality`.
    pub greater: Value,
    /// The other.
    pub less: Value,
    /// How much it is more.
    pub gap: i64,
    /// Whether it is no more than that.
    pub is_equality: bool,
    /// Whether their numbers have a sign; `None` where it makes no difference.
    pub signed: Option<bool>,
}

/// What a truth value that holds, or fails, says of numbers.
pub fn comparisons(ir: &Ir, condition: Value, holds: bool) -> Vec<Comparison> {
    let mut found = Vec::new();
    gather(ir, condition, holds, &mut found);
    found
}

/// The truth value that another one is the opposite of.
pub fn negation_of(ir: &Ir, condition: Value) -> Option<Value> {
    let op = ir.defining_op(condition).filter(|&op| arith::XOrIOp::is(ir, op))?;
    let is_true = |value: Value| {
        ir.ctx.int_width(ir.ty(value)) == Some(1)
            && arith::constant_int_value(ir, value).is_some_and(|bit| bit != 0)
    };
    match [0, 1].map(|i| ir.operand(op, i)) {
        [other, one] | [one, other] if is_true(one) => Some(other),
        _ => None,
    }
}

fn gather(ir: &Ir, condition: Value, holds: bool, found: &mut Vec<Comparison>) {
    let Some(op) = ir.defining_op(condition) else { return };
    if let Some(other) = negation_of(ir, condition) {
        return gather(ir, other, !holds, found);
    }
    let both = match holds {
        true => arith::AndIOp::is(ir, op),
        false => arith::OrIOp::is(ir, op),
    };
    if both {
        ir.operands(op).for_each(|part| gather(ir, part, holds, found));
        return;
    }
    if !arith::CmpIOp::is(ir, op) {
        return;
    }
    let [a, b] = [0, 1].map(|i| ir.operand(op, i));
    let (greater, less, gap, is_equality, signed) = {
        use CmpIPredicate::*;
        match (CmpIPredicate::of(ir, op), holds) {
            (Some(Eq), true) | (Some(Ne), false) => (a, b, 0, true, None),
            (Some(Slt), true) | (Some(Sge), false) => (b, a, 1, false, Some(true)),
            (Some(Sle), true) | (Some(Sgt), false) => (b, a, 0, false, Some(true)),
            (Some(Sgt), true) | (Some(Sle), false) => (a, b, 1, false, Some(true)),
            (Some(Sge), true) | (Some(Slt), false) => (a, b, 0, false, Some(true)),
            (Some(Ult), true) | (Some(Uge), false) => (b, a, 1, false, Some(false)),
            (Some(Ule), true) | (Some(Ugt), false) => (b, a, 0, false, Some(false)),
            (Some(Ugt), true) | (Some(Ule), false) => (a, b, 1, false, Some(false)),
            (Some(Uge), true) | (Some(Ult), false) => (a, b, 0, false, Some(false)),
            _ => return,
        }
    };
    found.push(Comparison { greater, less, gap, is_equality, signed });
}

//! Values that are one of several forms, each under conditions: clamped and wrapped subscripts.
//!
//! `i < n ? i : n - 1` is `i` where `i - n` is negative and `n - 1` where it is not. A union of sets says
//! that exactly, where a single closed form cannot.

use gpuc_dialects::arith::CmpIPredicate;
use gpuc_dialects::{affine, arith, scf};
use gpuc_ir::{Ir, Op, OpView, Value};

use super::nest::guard::{Guard, is_understood, of_condition};
use super::polynomial::Polynomial;
use super::quasi_affine::QuasiAffine;

/// What a value can be.
#[derive(Clone, Debug)]
pub struct Cases {
    /// The value.
    pub value: Value,
    /// In each of these, what holds of it and of other values: one case is always true, at least.
    pub each: Vec<Vec<Guard>>,
    /// Whether the value is any number for which a case is true.
    pub exact: bool,
}

impl Cases {
    /// The cases of a value that an operation chooses; `None` where it is none of those.
    pub fn of(ir: &Ir, value: Value) -> Option<Cases> {
        let op = ir.defining_op(value)?;
        let is = |form: &QuasiAffine| {
            let form = QuasiAffine::from(Polynomial::value(value)).plus(form, -1)?;
            Some(Guard { form, is_equality: true })
        };
        if let Some([condition, then, otherwise]) = choice(ir, value) {
            ir.ctx.int_width(ir.ty(condition)).filter(|&width| width == 1)?;
            let (mut each, mut exact) = (Vec::new(), true);
            for (holds, chosen) in [(true, then), (false, otherwise)] {
                let chosen = is(&QuasiAffine::of_value(ir, chosen))?;
                if let Some(sides) = unequal(ir, condition, holds) {
                    each.extend(sides.map(|side| vec![side, chosen.clone()]));
                    continue;
                }
                exact &= is_understood(ir, condition, holds);
                let mut guards = of_condition(ir, condition, holds);
                guards.push(chosen);
                each.push(guards);
            }
            return Some(Cases { value, each, exact });
        }
        if arith::RemSIOp::is(ir, op) {
            return remainder(ir, op, value);
        }
        let (forms, greatest) = extremes(ir, op)?;
        let case = |chosen: &QuasiAffine| {
            let mut guards = vec![is(chosen)?];
            for other in forms.iter().filter(|&other| other != chosen) {
                let form = match greatest {
                    true => chosen.plus(other, -1)?,
                    false => other.plus(chosen, -1)?,
                };
                guards.push(Guard { form, is_equality: false });
            }
            Some(guards)
        };
        let each: Option<Vec<_>> = forms.iter().map(case).collect();
        Some(Cases { value, each: each?, exact: true })
    }
}

/// The condition, the value where it holds, and the value else, of one that a `select` or `scf.if` chooses.
pub fn choice(ir: &Ir, value: Value) -> Option<[Value; 3]> {
    let op = ir.defining_op(value)?;
    if arith::SelectOp::is(ir, op) {
        return Some([0, 1, 2].map(|i| ir.operand(op, i)));
    }
    let view = scf::IfOp::cast(ir, op)?;
    let index = ir.results(op).iter().position(|&result| result == value)?;
    let [holds, fails] = ir.regions(op) else { return None };
    let [holds, fails] = [holds, fails].map(|&region| {
        let end = ir.last_op(ir.entry_block(region)?)?;
        Some(ir.operand(end, index))
    });
    Some([view.condition(ir), holds?, fails?])
}

/// One of which holds where a condition that says so holds, or fails, because two numbers are not equal.
fn unequal(ir: &Ir, condition: Value, holds: bool) -> Option<[Guard; 2]> {
    let op = ir.defining_op(condition).filter(|&op| arith::CmpIOp::is(ir, op))?;
    let says_so = match CmpIPredicate::of(ir, op)? {
        CmpIPredicate::Eq => !holds,
        CmpIPredicate::Ne => holds,
        _ => false,
    };
    let [a, b] = [0, 1].map(|i| QuasiAffine::of_value(ir, ir.operand(op, i)));
    let above = |a: &QuasiAffine, b: &QuasiAffine| {
        let form = a.plus(b, -1)?.plus(&Polynomial::constant(1).into(), -1)?;
        Some(Guard { form, is_equality: false })
    };
    says_so.then_some([above(&a, &b)?, above(&b, &a)?])
}

/// What an operation takes the greatest, if so, or least of.
fn extremes(ir: &Ir, op: Op) -> Option<(Vec<QuasiAffine>, bool)> {
    let greatest = match ir.name(op) {
        arith::MaxSIOp::NAME | affine::AffineMaxOp::NAME => true,
        arith::MinSIOp::NAME | affine::AffineMinOp::NAME => false,
        _ => return None,
    };
    let map = match (affine::AffineMaxOp::cast(ir, op), affine::AffineMinOp::cast(ir, op)) {
        (Some(view), _) => view.value(ir),
        (_, Some(view)) => view.value(ir),
        (None, None) => {
            let forms = ir.operands(op).map(|operand| QuasiAffine::of_value(ir, operand));
            return Some((forms.collect(), greatest));
        }
    };
    let map = map?;
    let dims = map.dims(&ir.ctx);
    let forms = map
        .results(&ir.ctx)
        .iter()
        .map(|&result| QuasiAffine::of_expr(ir, result, dims, &map.operands));
    Some((forms.collect::<Option<_>>()?, greatest))
}

/// `x % m`: nearer to 0 than `m`, no further from it than `x`, and with the sign of `x`.
fn remainder(ir: &Ir, op: Op, value: Value) -> Option<Cases> {
    let [x, m] = [0, 1].map(|i| QuasiAffine::of_value(ir, ir.operand(op, i)));
    let value_form = QuasiAffine::from(Polynomial::value(value));
    let minus = |form: &QuasiAffine| QuasiAffine::default().plus(form, -1);
    let one = QuasiAffine::from(Polynomial::constant(1));
    let mut each = Vec::new();
    for m in [m.clone(), minus(&m)?] {
        for (x, value) in [(x.clone(), value_form.clone()), (minus(&x)?, minus(&value_form)?)] {
            // 0 <= value <= x, and value < m.
            let behind = m.plus(&value, -1)?.plus(&one, -1)?;
            let forms = [value.clone(), x.plus(&value, -1)?, behind];
            each.push(forms.map(|form| Guard { form, is_equality: false }).to_vec());
        }
    }
    Some(Cases { value, each, exact: false })
}

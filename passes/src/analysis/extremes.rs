//! Bounds that the program chooses: `j < (n < i + 4 ? n : i + 4)` ends at the least of two sums.
//!
//! C writes the greatest and least of two numbers as a choice between them (the macros `MAX` and `MIN`). Such a
//! choice, or a sum with one, is the greatest or least of several polynomials, which the bounds of affine loops are.

use gpuc_dialects::arith;
use gpuc_dialects::arith::CmpIPredicate;
use gpuc_ir::{Ir, OpView, Value};

use super::polynomial::Polynomial;
use super::subscript::polynomial;

/// How many forms a bound may be chosen from.
const MOST: usize = 8;

/// The forms of which `value` is the greatest, or with `greatest` unset the least; one, if it is not known to be
/// chosen so. `form` brings a value into closed form, and `looked_at` says which choices to look into.
pub fn extremes(
    ir: &Ir,
    value: Value,
    greatest: bool,
    form: &dyn Fn(Value) -> Polynomial,
    looked_at: &dyn Fn(Value) -> bool,
) -> Vec<Polynomial> {
    let whole = form(value);
    let (mut open, mut done) = (vec![whole.clone()], Vec::new());
    while let Some(at) = open.pop() {
        match split(ir, &at, greatest, form, looked_at) {
            Some(parts) => open.extend(parts.into_iter().rev()),
            None if done.contains(&at) => {}
            None => done.push(at),
        }
        if open.len() + done.len() > MOST {
            return vec![whole];
        }
    }
    done
}

/// A sum with a choice as the two sums that it is the greatest or least of.
fn split(
    ir: &Ir,
    sum: &Polynomial,
    greatest: bool,
    form: &dyn Fn(Value) -> Polynomial,
    looked_at: &dyn Fn(Value) -> bool,
) -> Option<[Polynomial; 2]> {
    for value in sum.values().into_iter().filter(|&value| looked_at(value)) {
        let alone = sum.terms().filter(|(product, _)| product.contains(&value)).count() == 1;
        let factor = sum.coefficient(&[value]);
        // Of the negative of a number the greatest is the least.
        let wanted = greatest == (factor > 0);
        if !alone || factor == 0 {
            continue;
        }
        let Some((parts, is_greatest)) = of_two(ir, value, form) else { continue };
        if is_greatest != wanted {
            continue;
        }
        let rest = sum.plus(&Polynomial::value(value), -factor)?;
        let [a, b] = parts.map(|part| rest.plus(&part, factor));
        return Some([a?, b?]);
    }
    None
}

/// The two forms that a value is the greatest (if so) or least of.
fn of_two(
    ir: &Ir,
    value: Value,
    form: &dyn Fn(Value) -> Polynomial,
) -> Option<([Polynomial; 2], bool)> {
    let op = ir.defining_op(value)?;
    let greatest = match ir.name(op) {
        arith::MaxSIOp::NAME => true,
        arith::MinSIOp::NAME => false,
        _ => return of_choice(ir, value, form),
    };
    Some(([0, 1].map(|i| form(ir.operand(op, i))), greatest))
}

/// The same of `a < b ? a : b` and its kind: where what is chosen differs from what is compared by one and the same
/// sum, the comparison finds the greatest or least of what is chosen too (`i > 3 ? i - 3 : 0`).
fn of_choice(
    ir: &Ir,
    value: Value,
    form: &dyn Fn(Value) -> Polynomial,
) -> Option<([Polynomial; 2], bool)> {
    use CmpIPredicate::{Sge, Sgt, Sle, Slt};
    // What stands in the branches of an `scf.if` is no number outside.
    let op = ir.defining_op(value).filter(|&op| arith::SelectOp::is(ir, op))?;
    let [condition, then, otherwise] = [0, 1, 2].map(|i| ir.operand(op, i));
    let comparison = ir.defining_op(condition).filter(|&op| arith::CmpIOp::is(ir, op))?;
    let predicate = CmpIPredicate::of(ir, comparison)?;
    let [x, y] = [0, 1].map(|i| polynomial(ir, ir.operand(comparison, i)));
    let chosen = [then, otherwise].map(|value| polynomial(ir, value));
    // `x < y` is `x <= y - 1`, and of equal numbers either is the least: the greater side may lie one further.
    let slack = match predicate {
        Slt | Sge => -1,
        Sle | Sgt => 1,
        _ => return None,
    };
    let is_less = matches!(predicate, Slt | Sle);
    let fits = |x: &Polynomial, y: &Polynomial, slack: i64| {
        let (a, b) = (chosen[0].plus(x, -1)?, chosen[1].plus(y, -1)?);
        let difference = b.plus(&a, -1)?.as_constant()?;
        (difference == 0 || difference == slack).then_some(())
    };
    // The side that is chosen stands where it was compared, or the other one does.
    let greatest = match (fits(&x, &y, slack), fits(&y, &x, -slack)) {
        (Some(()), _) => !is_less,
        (None, Some(())) => is_less,
        (None, None) => return None,
    };
    Some(([form(then), form(otherwise)], greatest))
}

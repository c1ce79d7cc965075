//! Comparison and selection.

use gpuc_dialects::arith::{self, CmpFPredicate, CmpIPredicate};
use gpuc_ir::Op;

use super::elementwise::{float, int, map};
use super::{Family, Handler, Step};
use crate::interpreter::Interpreter;
use crate::names;
use crate::value::RtValue;

pub(super) const OPS: Family = &[
    (arith::CmpIOp::NAME, Handler::leaf(compare_integers)),
    (arith::CmpFOp::NAME, Handler::leaf(compare_floats)),
    (arith::SelectOp::NAME, Handler::leaf(select)),
];

fn predicate(m: &Interpreter<'_>, op: Op) -> i64 {
    let attr = names::attr(m.ir, op, m.names.predicate);
    attr.and_then(|attr| m.ir.ctx.i64_value(attr)).unwrap_or(-1)
}

fn compare_integers(m: &mut Interpreter<'_>, op: Op) -> Step {
    let Some(predicate) = CmpIPredicate::from_number(predicate(m, op)) else {
        return Err(m.error(op, "has no valid predicate"));
    };
    integers(m, op, predicate)
}

/// Compares two integers, or vectors of them.
pub(super) fn integers(m: &mut Interpreter<'_>, op: Op, predicate: CmpIPredicate) -> Step {
    map(m, op, &|m, row| {
        let (a, b) = (int(m, op, row[0])?, int(m, op, row[1])?);
        Ok(RtValue::bool(predicate.holds(a.signed(), b.signed(), a.width())))
    })
}

fn compare_floats(m: &mut Interpreter<'_>, op: Op) -> Step {
    let Some(predicate) = CmpFPredicate::from_number(predicate(m, op)) else {
        return Err(m.error(op, "has no valid predicate"));
    };
    map(m, op, &|m, row| {
        let (a, b) = (float(m, op, row[0])?, float(m, op, row[1])?);
        Ok(RtValue::bool(predicate.holds(a.value(), b.value())))
    })
}

/// `arith.select`.
fn select(m: &mut Interpreter<'_>, op: Op) -> Step {
    if let RtValue::Vector(_) = m.operand(op, 0)? {
        return map_select(m, op);
    }
    let chosen = match m.operand(op, 0)? {
        RtValue::Int(condition) => 2 - condition.unsigned() as usize,
        RtValue::Poison(_) => 0,
        other => return Err(m.wrong_value(op, other, "a condition")),
    };
    let value = m.operand(op, chosen)?.clone();
    m.set_result(op, value)
}

/// Selection element by element: what is not chosen may be undefined.
fn map_select(m: &mut Interpreter<'_>, op: Op) -> Step {
    let element = |value: &RtValue, i: usize| match value {
        RtValue::Vector(elements) => elements.get(i).cloned(),
        other => Some(other.clone()),
    };
    let conditions = match m.operand(op, 0)? {
        RtValue::Vector(conditions) => conditions.clone(),
        other => return Err(m.wrong_value(op, other, "a vector")),
    };
    let mut elements = Vec::with_capacity(conditions.len());
    for (i, condition) in conditions.iter().enumerate() {
        let chosen = match condition {
            RtValue::Int(condition) => {
                element(m.operand(op, 2 - condition.unsigned() as usize)?, i)
            }
            poison => Some(poison.clone()),
        };
        elements.push(chosen.ok_or_else(|| m.error(op, "has vectors of different lengths"))?);
    }
    m.set_result(op, RtValue::Vector(elements.into()))
}

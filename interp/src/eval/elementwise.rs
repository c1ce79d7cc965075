//! Operations on scalars, and on vectors element by element.

use std::rc::Rc;

use gpuc_ir::Op;

use super::Step;
use crate::interpreter::{Fault, Interpreter};
use crate::value::{Float, Int, RtValue};

/// An operation's result on two integers, and what is wrong with it.
pub(super) struct Checked {
    /// Where the program is not to be stopped.
    pub value: i128,
    /// Why the result must not be used.
    pub poison: Option<&'static str>,
    /// Why the operation must not be executed.
    pub undefined: Option<&'static str>,
}

impl Checked {
    pub fn new(value: i128) -> Self {
        Checked { value, poison: None, undefined: None }
    }

    pub fn poison_if(self, wrong: bool, reason: &'static str) -> Self {
        Checked { poison: if wrong { Some(reason) } else { self.poison }, ..self }
    }

    pub fn undefined_if(self, wrong: bool, reason: &'static str) -> Self {
        Checked { undefined: if wrong { Some(reason) } else { self.undefined }, ..self }
    }

    /// The value with this width, or what becomes of it.
    pub fn finish(self, m: &Interpreter<'_>, op: Op, width: u32) -> Result<RtValue, Fault> {
        let value = RtValue::Int(Int::new(self.value, width));
        match (self.undefined, self.poison) {
            (Some(reason), _) if m.options.strict => {
                Err(m.error(op, format!("undefined behaviour: {reason}")))
            }
            (_, Some(reason)) => Ok(m.poison(op, reason, value)),
            _ => Ok(value),
        }
    }
}

type Scalar<'f> = &'f dyn Fn(&Interpreter<'_>, &[&RtValue]) -> Result<RtValue, Fault>;

/// Applies `f` to the operands, element by element where they are vectors. An undefined operand
/// makes the result undefined.
pub(super) fn map(m: &mut Interpreter<'_>, op: Op, f: Scalar<'_>) -> Step {
    let ir = m.ir;
    let operands =
        (0..ir.operand_count(op)).map(|i| m.operand(op, i)).collect::<Result<Vec<_>, _>>()?;
    let result = map_values(m, op, &operands, f)?;
    m.set_result(op, result)
}

/// [`map`] on values.
pub(super) fn map_values(
    m: &Interpreter<'_>,
    op: Op,
    operands: &[&RtValue],
    f: Scalar<'_>,
) -> Result<RtValue, Fault> {
    if let Some(&poison) = operands.iter().find(|value| matches!(value, RtValue::Poison(_))) {
        return Ok(poison.clone());
    }
    let length = operands.iter().find_map(|value| match value {
        RtValue::Vector(elements) => Some(elements.len()),
        _ => None,
    });
    let Some(length) = length else { return f(m, operands) };
    let mut elements = Vec::with_capacity(length);
    let mut row: Vec<&RtValue> = Vec::with_capacity(operands.len());
    for i in 0..length {
        row.clear();
        for &operand in operands {
            row.push(match operand {
                RtValue::Vector(elements) => elements
                    .get(i)
                    .ok_or_else(|| m.error(op, "has vectors of different lengths"))?,
                scalar => scalar,
            });
        }
        let undefined = row.iter().find(|value| matches!(value, RtValue::Poison(_)));
        elements.push(match undefined {
            Some(&poison) => poison.clone(),
            None => f(m, &row)?,
        });
    }
    Ok(RtValue::Vector(Rc::from(elements)))
}

/// The integer that a defined scalar is.
pub(super) fn int(m: &Interpreter<'_>, op: Op, value: &RtValue) -> Result<Int, Fault> {
    match value {
        RtValue::Int(int) => Ok(*int),
        other => Err(m.wrong_value(op, other, "an integer")),
    }
}

/// The float that a defined scalar is.
pub(super) fn float(m: &Interpreter<'_>, op: Op, value: &RtValue) -> Result<Float, Fault> {
    match value {
        RtValue::Float(float) => Ok(*float),
        other => Err(m.wrong_value(op, other, "a float")),
    }
}

/// An operation on one integer.
pub(super) fn int_unary(m: &mut Interpreter<'_>, op: Op, f: fn(Int) -> i128) -> Step {
    map(m, op, &|m, row| {
        let value = int(m, op, row[0])?;
        Ok(RtValue::Int(Int::new(f(value), value.width())))
    })
}

/// An operation on two integers of one width.
pub(super) fn int_binary(m: &mut Interpreter<'_>, op: Op, f: impl Fn(Int, Int) -> Checked) -> Step {
    map(m, op, &|m, row| {
        let (a, b) = (int(m, op, row[0])?, int(m, op, row[1])?);
        f(a, b).finish(m, op, a.width())
    })
}

/// An operation on floats of one format.
pub(super) fn float_map<const N: usize>(
    m: &mut Interpreter<'_>,
    op: Op,
    f: impl Fn([Float; N]) -> Float,
) -> Step {
    if m.ir.operand_count(op) != N {
        return Err(m.error(op, format!("should have {N} operands")));
    }
    map(m, op, &|m, row| {
        let mut operands = [Float::from_bits(0, gpuc_ir::FloatKind::F64); N];
        for (operand, value) in operands.iter_mut().zip(row) {
            *operand = float(m, op, value)?;
        }
        Ok(RtValue::Float(f(operands)))
    })
}

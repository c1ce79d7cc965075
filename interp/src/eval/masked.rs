//! Loads and stores of the elements that a mask selects.

use gpuc_dialects::vector;
use gpuc_ir::{Op, Value};

use super::vector::elements;
use super::{Family, Handler, Step};
use crate::fiber::Flow;
use crate::interpreter::{Fault, Interpreter};
use crate::value::RtValue;

pub(super) const OPS: Family = &[
    (vector::MaskedLoadOp::NAME, Handler::leaf(|m, op| load(m, op, Form::EACH))),
    (vector::ExpandLoadOp::NAME, Handler::leaf(|m, op| load(m, op, Form::PACKED))),
    (vector::GatherOp::NAME, Handler::leaf(|m, op| load(m, op, Form::INDEXED))),
    (vector::MaskedStoreOp::NAME, Handler::leaf(|m, op| store(m, op, Form::EACH))),
    (vector::CompressStoreOp::NAME, Handler::leaf(|m, op| store(m, op, Form::PACKED))),
    (vector::ScatterOp::NAME, Handler::leaf(|m, op| store(m, op, Form::INDEXED))),
];

/// Where the elements of a vector lie behind the first index.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Form {
    indexed: bool,
    packed: bool,
}

impl Form {
    const EACH: Form = Form { indexed: false, packed: false };
    const PACKED: Form = Form { indexed: false, packed: true };
    const INDEXED: Form = Form { indexed: true, packed: false };
}

/// The place of each element; `None` where it is masked out.
fn places(m: &Interpreter<'_>, op: Op, form: Form) -> Result<Vec<Option<Vec<i64>>>, Fault> {
    let operands: Vec<Value> = m.ir.operands(op).collect();
    let behind = if form.indexed { 3 } else { 2 };
    let first = operands.len() - behind;
    let start = m.indices(op, operands[1..first].to_vec())?;
    let mask = m.get(operands[operands.len() - 2])?.clone();
    let numbers = match form.indexed {
        true => Some(m.get(operands[first])?.clone()),
        false => None,
    };
    let mut packed = 0;
    let mut found = Vec::new();
    for (i, bit) in elements(&mask).iter().enumerate() {
        let RtValue::Int(bit) = bit else { return Err(m.wrong_value(op, bit, "a mask")) };
        if bit.unsigned() == 0 {
            found.push(None);
            continue;
        }
        let distance = match &numbers {
            Some(numbers) => match elements(numbers).get(i) {
                Some(RtValue::Int(number)) => i64::try_from(number.signed()).unwrap_or(i64::MAX),
                Some(other) => return Err(m.wrong_value(op, other, "an index")),
                None => return Err(m.error(op, "has too few indices")),
            },
            None if form.packed => packed,
            None => i as i64,
        };
        packed += 1;
        let mut place = start.clone();
        match place.last_mut() {
            Some(last) => *last = last.saturating_add(distance),
            None => return Err(m.error(op, "needs a buffer with a dimension")),
        }
        found.push(Some(place));
    }
    Ok(found)
}

fn load(m: &mut Interpreter<'_>, op: Op, form: Form) -> Step {
    let base = m.ir.operand(op, 0);
    if !m.ir.ctx.is_memref(m.ir.ty(base)) {
        return Err(m.error(op, "can be executed on buffers only"));
    }
    let otherwise = m.operand(op, m.ir.operand_count(op) - 1)?.clone();
    let mut values = Vec::new();
    for (i, place) in places(m, op, form)?.into_iter().enumerate() {
        values.push(match place {
            Some(place) => m.load(op, base, &place)?,
            // An undefined vector has undefined elements.
            None if matches!(otherwise, RtValue::Poison(_)) => otherwise.clone(),
            None => match elements(&otherwise).get(i) {
                Some(value) => value.clone(),
                None => return Err(m.wrong_value(op, &otherwise, "a vector of its type")),
            },
        });
    }
    m.set_result(op, RtValue::Vector(values.into()))
}

fn store(m: &mut Interpreter<'_>, op: Op, form: Form) -> Step {
    let base = m.ir.operand(op, 0);
    let value = m.operand(op, m.ir.operand_count(op) - 1)?.clone();
    for (i, place) in places(m, op, form)?.into_iter().enumerate() {
        let Some(place) = place else { continue };
        let element = match &value {
            RtValue::Poison(_) => &value,
            _ => match elements(&value).get(i) {
                Some(element) => element,
                None => return Err(m.wrong_value(op, &value, "a vector of its type")),
            },
        };
        m.store(op, base, &place, element)?;
    }
    Ok(Flow::Next)
}

//! Printing: `vector.print`, `gpu.printf`, and the external functions of MLIR's runner library
//! (`printMemrefF32`, `printI64`, ...).

use gpuc_dialects::vector::PRINT_PUNCTUATIONS;
use gpuc_dialects::{gpu, vector};
use gpuc_ir::{Op, Type, TypeKind};

use super::vector::elements;
use super::{Family, Handler, Step};
use crate::fiber::Flow;
use crate::interpreter::{Fault, Interpreter};
use crate::printf;
use crate::value::{MemRef, RtValue};

pub(super) const OPS: Family = &[
    (vector::PrintOp::NAME, Handler::leaf(print)),
    (gpu::PrintfOp::NAME, Handler::leaf(print_formatted)),
];

fn print(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = vector::PrintOp(op);
    let mut text = String::new();
    if let Some(source) = view.source(m.ir) {
        let value = m.get(source)?;
        text = value_text(m, op, value, m.ir.ty(source))?;
    }
    if let Some(literal) = view.stringLiteral(m.ir).and_then(|attr| m.ir.ctx.string_value(attr)) {
        text += literal;
    }
    let number = view.punctuation(m.ir).and_then(|attr| PRINT_PUNCTUATIONS.number(&m.ir.ctx, attr));
    text += match number {
        Some(0) => "",
        Some(2) => ", ",
        Some(3) => "( ",
        Some(4) => " )",
        // Newline is the default.
        _ => "\n",
    };
    m.print(&text);
    Ok(Flow::Next)
}

fn print_formatted(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = gpu::PrintfOp(op);
    let format = view.format(m.ir).and_then(|attr| m.ir.ctx.string_value(attr)).unwrap_or_default();
    let values = m.get_all(view.args(m.ir))?;
    for value in &values {
        if let RtValue::Poison(_) = value {
            return Err(m.wrong_value(op, value, "a defined value"));
        }
    }
    match printf::format(format, &values) {
        Ok(text) => {
            m.print(&text);
            Ok(Flow::Next)
        }
        Err(why) => Err(m.error(op, why)),
    }
}

/// A scalar as text: booleans as 0 and 1, floats with as many digits as tell them from others.
fn scalar_text(m: &Interpreter<'_>, op: Op, value: &RtValue) -> Result<String, Fault> {
    match value {
        RtValue::Int(int) if int.width() == 1 => Ok(int.unsigned().to_string()),
        RtValue::Int(int) => Ok(int.signed().to_string()),
        RtValue::Float(float) => Ok(printf::shortest(*float)),
        other => Err(m.wrong_value(op, other, "a number")),
    }
}

/// A value as text: vectors in parentheses, buffers in brackets.
pub(crate) fn value_text(
    m: &Interpreter<'_>,
    op: Op,
    value: &RtValue,
    ty: Type,
) -> Result<String, Fault> {
    match (value, m.ir.ctx.type_kind(ty)) {
        (RtValue::Vector(elements), TypeKind::Vector { shape, .. }) => {
            let texts =
                elements.iter().map(|e| scalar_text(m, op, e)).collect::<Result<Vec<_>, _>>()?;
            Ok(nested(&texts, shape, ("( ", " )")))
        }
        (RtValue::MemRef(memref), _) => memref_text(m, op, memref, ty),
        (RtValue::Function(function), _) => {
            Ok(format!("@{}", m.ir.symbol_name(*function).unwrap_or_default()))
        }
        (RtValue::Token, _) => Ok("token".to_owned()),
        _ => scalar_text(m, op, value),
    }
}

/// Elements of a buffer that is printed, at most.
const MOST_PRINTED: u128 = 1 << 20;

fn memref_text(m: &Interpreter<'_>, op: Op, memref: &MemRef, ty: Type) -> Result<String, Fault> {
    let (size, element) = (m.element_size(op, ty)?, m.element_type(op, ty)?);
    let length = crate::access::count(&memref.sizes);
    if length > MOST_PRINTED {
        return Err(m.error(op, format!("prints {length} elements; {MOST_PRINTED} can be printed")));
    }
    let mut texts = Vec::new();
    for index in crate::access::all_indices(&memref.sizes) {
        let range = m.element_range(op, memref, size, &index)?;
        let value = m.read_range(op, range, element)?;
        // What was never written is shown as such: a look at the whole is no dependence.
        let is_undefined = |value: &RtValue| matches!(value, RtValue::Poison(_));
        texts.push(if elements(&value).iter().any(is_undefined) {
            "undefined".to_owned()
        } else {
            value_text(m, op, &value, element)?
        });
    }
    Ok(nested(&texts, &memref.sizes, ("[", "]")))
}

/// Texts in row-major order as nested lists.
fn nested(texts: &[String], shape: &[i64], (open, close): (&str, &str)) -> String {
    let Some((&count, inner)) = shape.split_first() else {
        return texts.first().cloned().unwrap_or_default();
    };
    let count = count.max(0) as usize;
    let length = texts.len().checked_div(count).unwrap_or(0);
    let parts: Vec<String> = (0..count)
        .map(|i| {
            nested(texts.get(i * length..(i + 1) * length).unwrap_or(&[]), inner, (open, close))
        })
        .collect();
    format!("{open}{}{close}", parts.join(", "))
}

/// Calls an external function that prints; says whether `name` is one.
pub(super) fn external(
    m: &mut Interpreter<'_>,
    op: Op,
    name: &str,
    types: &[Type],
    arguments: &[RtValue],
) -> Result<bool, Fault> {
    let text = match (name, arguments, types) {
        ("printNewline", [], _) => "\n".to_owned(),
        ("printComma", [], _) => ", ".to_owned(),
        ("printOpen", [], _) => "( ".to_owned(),
        ("printClose", [], _) => " )".to_owned(),
        ("printI64" | "printU64" | "printF32" | "printF64", [value], [ty]) => match (name, value) {
            ("printU64", RtValue::Int(int)) => int.unsigned().to_string(),
            _ => value_text(m, op, value, *ty)?,
        },
        (
            "printMemrefI32" | "printMemrefI64" | "printMemrefInd" | "printMemrefF32"
            | "printMemrefF64",
            [RtValue::MemRef(memref)],
            [ty],
        ) => {
            let address = super::view::address(m, op, memref)?;
            let list =
                |numbers: &[i64]| numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
            format!(
                "Unranked Memref base@ = {address:#x} rank = {} offset = {} sizes = [{}] strides = [{}] data = \n{}\n",
                memref.sizes.len(),
                memref.offset,
                list(&memref.sizes),
                list(&memref.strides),
                memref_text(m, op, memref, *ty)?
            )
        }
        _ => return Ok(false),
    };
    m.print(&text);
    Ok(true)
}

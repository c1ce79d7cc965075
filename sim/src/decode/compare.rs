//! Comparisons.

use crate::isa::{Matched, Type};
use crate::program::{Cmp, Combine, Compare, FloatType, IntType, NO_ROW, Op};
use crate::syntax::{Instruction, OperandKind};

use super::{Lowering, Operands, Refusal};

/// The comparison of the modifiers, on operands of the type in `slot`.
fn comparison(matched: &Matched, slot: &str) -> Compare {
    let word = matched.get("cmp").unwrap_or("eq");
    let ty = matched.type_of(slot);
    let (word, unordered) = match word {
        "equ" | "neu" | "ltu" | "leu" | "gtu" | "geu" => (&word[..2], true),
        other => (other, false),
    };
    let cmp = match word {
        "eq" => Cmp::Eq,
        "ne" => Cmp::Ne,
        "lt" | "lo" => Cmp::Lt,
        "le" | "ls" => Cmp::Le,
        "gt" | "hi" => Cmp::Gt,
        "ge" | "hs" => Cmp::Ge,
        "num" => Cmp::Num,
        _ => Cmp::Nan,
    };
    if ty.is_float() {
        Compare::Float { cmp, unordered, ty: FloatType::of(ty), ftz: matched.has("ftz") }
    } else {
        Compare::Int(cmp, IntType::of(ty))
    }
}

fn combination(matched: &Matched) -> Combine {
    match matched.get("bool") {
        Some("and") => Combine::And,
        Some("or") => Combine::Or,
        Some(_) => Combine::Xor,
        None => Combine::None,
    }
}

/// Sources `a`, `b` and, with a combination, the predicate `c` at operand 3.
fn sources(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
    slot: &str,
) -> Result<[u32; 4], Refusal> {
    let ty = matched.type_of(slot);
    let a = lowering.source_row(lowering.nth(instruction, 1)?, ty, false)?;
    let b = lowering.source_row(lowering.nth(instruction, 2)?, ty, false)?;
    let mut src = [a, b, NO_ROW, NO_ROW];
    if combination(matched) == Combine::None {
        lowering.at_most(instruction, 3)?;
    } else {
        lowering.at_most(instruction, 4)?;
        src[2] = lowering.predicate_source(lowering.nth(instruction, 3)?)?;
    }
    Ok(src)
}

/// `setp.cmp{.bool}.type p|q, a, b{, c}`.
pub(crate) fn setp(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let target = lowering.nth(instruction, 0)?;
    let mut operands = Operands::default();
    match &target.kind {
        OperandKind::Pair([p, q]) => {
            operands.dst = lowering.predicate_destination(p)?;
            operands.dst2 = lowering.predicate_destination(q)?;
        }
        _ => operands.dst = lowering.predicate_destination(target)?,
    }
    operands.src = sources(lowering, instruction, matched, "type")?;
    lowering.emit(Op::Setp(comparison(matched, "type"), combination(matched)), operands);
    Ok(())
}

/// `set.cmp{.bool}.dtype.stype d, a, b{, c}`.
pub(crate) fn set(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let dst = lowering.destination(lowering.nth(instruction, 0)?, matched.ty(), false)?;
    let src = sources(lowering, instruction, matched, "from")?;
    let op = Op::Set {
        compare: comparison(matched, "from"),
        combine: combination(matched),
        one: match (matched.ty(), matched.type_of("from")) {
            (Type::F16 | Type::F16x2, _) => 0x3c00,
            (Type::Bf16 | Type::Bf16x2, _) => 0x3f80,
            (Type::U16 | Type::S16, _) | (_, Type::F16x2 | Type::Bf16x2) => 0xffff,
            (Type::F32, _) => 1.0f32.to_bits(),
            _ => u32::MAX,
        },
    };
    lowering.emit(op, Operands { dst, src, ..Operands::default() });
    Ok(())
}

//! Integer instructions of irregular form.

use crate::isa::{Matched, Type};
use crate::program::{Op, PermuteMode};
use crate::syntax::Instruction;

use super::warp::destination;
use super::{Lowering, Refusal};

/// `prmt.b32{.mode} d, a, b, c`.
pub(crate) fn prmt(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let mode = match matched.get("mode") {
        None => PermuteMode::Index,
        Some("f4e") => PermuteMode::F4e,
        Some("b4e") => PermuteMode::B4e,
        Some("rc8") => PermuteMode::Rc8,
        Some("ecl") => PermuteMode::Ecl,
        Some("ecr") => PermuteMode::Ecr,
        Some(_) => PermuteMode::Rc16,
    };
    let operands = lowering.operands(instruction, "=b32 b32 b32 b32", matched)?;
    lowering.emit(Op::Prmt(mode), operands);
    Ok(())
}

/// `lop3.BoolOp.b32 d|p, a, b, c, table, q`: p is whether d is not zero, combined with q.
pub(crate) fn lop3_bool(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 6)?;
    let (mut operands, _) = destination(lowering, instruction, Type::B32)?;
    for n in 0..3 {
        let operand = lowering.nth(instruction, n + 1)?;
        operands.src[n] = lowering.source_row(operand, Type::B32, false)?;
    }
    operands.imm = lowering.integer_literal(lowering.nth(instruction, 4)?)? as i64;
    operands.src[3] = lowering.predicate_source(lowering.nth(instruction, 5)?)?;
    lowering.emit(Op::Lop3Bool { or: matched.get("bool") == Some("or") }, operands);
    Ok(())
}

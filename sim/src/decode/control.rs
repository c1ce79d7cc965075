//! Branches and barriers.

use crate::isa::{Matched, Type};
use crate::program::{BarrierKind, NOWHERE, Op};
use crate::syntax::{Instruction, Name, OperandKind};

use super::scope::Symbol;
use super::{Class, Lowering, Operands, Refusal};

/// `bra{.uni} label`. The target stays a label number until all labels are placed.
pub(crate) fn bra(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    _: &Matched,
) -> Result<(), Refusal> {
    let operand = lowering.nth(instruction, 0)?;
    lowering.at_most(instruction, 1)?;
    let OperandKind::Name(text) = operand.kind else {
        return Err(lowering.error(operand.span, "expected a label"));
    };
    let target = lowering.label(Name { text, span: operand.span })?;
    lowering.emit(Op::Branch { target, reconverge: NOWHERE }, Operands::default());
    Ok(())
}

/// `brx.idx index, targets`.
pub(crate) fn brx(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    _: &Matched,
) -> Result<(), Refusal> {
    let index = lowering.source_row(lowering.nth(instruction, 0)?, Type::U32, false)?;
    let operand = lowering.nth(instruction, 1)?;
    lowering.at_most(instruction, 2)?;
    let OperandKind::Name(text) = operand.kind else {
        return Err(lowering.error(operand.span, "expected the name of a `.branchtargets` list"));
    };
    let Some(Symbol::Targets(table)) = lowering.find(text) else {
        return Err(lowering.unknown("list of branch targets", Name { text, span: operand.span }));
    };
    let operands = Operands { src: [index, 0, 0, 0], imm: i64::from(table), ..Operands::default() };
    lowering.emit(Op::BranchTable { reconverge: NOWHERE }, operands);
    Ok(())
}

/// `bar{.cta}.sync a{, b}` and `.arrive a, b`.
pub(crate) fn bar_sync(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 2)?;
    let kind =
        if matched.get("op") == Some("arrive") { BarrierKind::Arrive } else { BarrierKind::Sync };
    if kind == BarrierKind::Arrive {
        lowering.nth(instruction, 1)?;
    }
    let mut operands = Operands::default();
    let counted = instruction.operands.len() > 1;
    for (src, operand) in operands.src.iter_mut().zip(instruction.operands) {
        *src = lowering.source_row(operand, Type::U32, false)?;
    }
    lowering.nth(instruction, 0)?;
    let aligned = instruction.opcode.text == "bar" || matched.has("aligned");
    lowering.emit(Op::Barrier { kind, aligned, counted }, operands);
    Ok(())
}

/// `bar{.cta}.red.op d, a{, b}, c`.
pub(crate) fn bar_red(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 4)?;
    let counted = instruction.operands.len() == 4;
    let target = lowering.nth(instruction, 0)?;
    let (kind, dst) = match matched.get("op") {
        Some("popc") => (BarrierKind::Popc, lowering.destination(target, Type::U32, false)?),
        Some("and") => (BarrierKind::And, lowering.predicate_destination(target)?),
        _ => (BarrierKind::Or, lowering.predicate_destination(target)?),
    };
    let mut operands = Operands { dst, ..Operands::default() };
    operands.src[0] = lowering.source_row(lowering.nth(instruction, 1)?, Type::U32, false)?;
    if counted {
        operands.src[1] = lowering.source_row(lowering.nth(instruction, 2)?, Type::U32, false)?;
    }
    let last = lowering.nth(instruction, if counted { 3 } else { 2 })?;
    operands.src[2] = lowering.predicate_source(last)?;
    lowering.class = Class::InterThread;
    let aligned = instruction.opcode.text == "bar" || matched.has("aligned");
    lowering.emit(Op::Barrier { kind, aligned, counted }, operands);
    Ok(())
}

//! Instructions of a warp whose result may come with a predicate.

use crate::isa::{Matched, Type};
use crate::program::{Op, ShuffleMode};
use crate::syntax::{Instruction, OperandKind};

use super::{Lowering, Operands, Refusal};

/// Destination `d` or `d|p`, and whether there is a predicate.
pub(super) fn destination(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    ty: Type,
) -> Result<(Operands, bool), Refusal> {
    let target = lowering.nth(instruction, 0)?;
    let mut operands = Operands::default();
    let predicate = match &target.kind {
        OperandKind::Pair([d, p]) => {
            operands.dst = lowering.destination(d, ty, false)?;
            operands.dst2 = lowering.predicate_destination(p)?;
            true
        }
        _ => {
            operands.dst = lowering.destination(target, ty, false)?;
            false
        }
    };
    Ok((operands, predicate))
}

/// Sources after the destination, with these types.
fn sources(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    types: &[Type],
    operands: &mut Operands,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, types.len() + 1)?;
    for (i, &ty) in types.iter().enumerate() {
        operands.src[i] = lowering.source_row(lowering.nth(instruction, i + 1)?, ty, false)?;
    }
    Ok(())
}

/// `shfl.sync.mode.b32 d{|p}, a, b, c, membermask`, and without `.sync` and mask.
pub(crate) fn shfl(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let mode = match matched.get("mode") {
        Some("up") => ShuffleMode::Up,
        Some("down") => ShuffleMode::Down,
        Some("bfly") => ShuffleMode::Butterfly,
        _ => ShuffleMode::Index,
    };
    let (mut operands, predicate) = destination(lowering, instruction, Type::B32)?;
    if matched.has("sync") {
        sources(lowering, instruction, &[Type::B32; 4], &mut operands)?;
    } else {
        sources(lowering, instruction, &[Type::B32; 3], &mut operands)?;
        operands.src[3] = present_lanes(lowering);
    }
    lowering.emit(Op::Shuffle { mode, predicate }, operands);
    Ok(())
}

/// The row of the lanes that are here together, for instructions from before lanes were named.
fn present_lanes(lowering: &mut Lowering<'_, '_>) -> u32 {
    let dst = lowering.scratch64();
    lowering.emit(Op::ActiveMask, Operands { dst, ..Operands::default() });
    dst
}

/// `vote.mode.type d, a` without a member mask.
pub(crate) fn legacy_vote(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let signature = if matched.ty() == Type::Pred { "=p p" } else { "=b32 p" };
    let mut operands = lowering.operands(instruction, signature, matched)?;
    operands.src[1] = present_lanes(lowering);
    lowering.emit(crate::isa::vote(matched), operands);
    Ok(())
}

/// `match.any.sync.type d, a, membermask` and `match.all.sync.type d{|p}, a, membermask`.
pub(crate) fn match_sync(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let (mut operands, predicate) = destination(lowering, instruction, Type::B32)?;
    sources(lowering, instruction, &[matched.ty(), Type::B32], &mut operands)?;
    let wide = matched.ty().bits() == 64;
    let op = match matched.get("op") {
        Some("all") => Op::MatchAll { wide, predicate },
        _ if predicate => {
            return Err(lowering.error(instruction.span, "`match.any` has no predicate result"));
        }
        _ => Op::MatchAny { wide },
    };
    lowering.emit(op, operands);
    Ok(())
}

/// `elect.sync d|p, membermask`.
pub(crate) fn elect(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    _: &Matched,
) -> Result<(), Refusal> {
    let (mut operands, predicate) = destination(lowering, instruction, Type::B32)?;
    if !predicate {
        return Err(lowering.error(instruction.span, "`elect` needs a destination of the form d|p"));
    }
    sources(lowering, instruction, &[Type::B32], &mut operands)?;
    lowering.emit(Op::Elect, operands);
    Ok(())
}

//! Moves, conversions between types, conversions between address spaces.

use crate::isa::{Matched, Type};
use crate::program::{
    Clock, Convert, FloatType, MemorySpace, NO_ROW, Op, PRED_TRUE, pred_source, window,
};
use crate::syntax::{Instruction, Operand, OperandKind};

use super::scope::Symbol;
use super::{Lowering, Operands, Refusal};

/// `mov.type d, a`, with the packing and unpacking forms.
pub(crate) fn mov(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 2)?;
    let target = lowering.nth(instruction, 0)?;
    let value = lowering.nth(instruction, 1)?;
    let ty = matched.ty();
    if ty == Type::Pred {
        let dst = lowering.predicate_destination(target)?;
        let src = lowering.predicate_source(value)?;
        lowering.emit(Op::MovePred, Operands { dst, src: [src, 0, 0, 0], ..Operands::default() });
        return Ok(());
    }
    match (&target.kind, &value.kind) {
        (OperandKind::Vector(parts), _) if ty == Type::B128 && parts.len() == 2 => {
            let (_, from) = lowering.register(value)?;
            lowering.destination(value, ty, false)?;
            for (half, part) in [0, 2].into_iter().zip(*parts) {
                let dst = lowering.destination(part, Type::B64, false)?;
                lowering.move_row(dst, from + half, true);
            }
        }
        (_, OperandKind::Vector(parts)) if ty == Type::B128 && parts.len() == 2 => {
            let dst = lowering.destination(target, ty, false)?;
            // Both are read before one is written.
            let mut rows = Vec::new();
            for part in *parts {
                let row = lowering.source_row(part, Type::B64, false)?;
                let copy = lowering.scratch64();
                lowering.move_row(copy, row, true);
                rows.push(copy);
            }
            for (half, row) in [0, 2].into_iter().zip(rows) {
                lowering.move_row(dst + half, row, true);
            }
        }
        (OperandKind::Vector(parts), _) => {
            let part = part_type(lowering, instruction, ty, parts.len())?;
            let mut rows = Vec::new();
            for operand in *parts {
                rows.push(match operand.kind {
                    OperandKind::Sink => NO_ROW,
                    _ => lowering.destination(operand, part, false)?,
                });
            }
            let src = lowering.source_row(value, ty, false)?;
            let op = Op::Unpack { list: lowering.list(&rows), part_bits: part.bits() as u8 };
            // The width of the whole is in `imm`.
            let imm = i64::from(ty.bits());
            lowering.emit(op, Operands { src: [src, 0, 0, 0], imm, ..Operands::default() });
        }
        (_, OperandKind::Vector(parts)) => {
            let part = part_type(lowering, instruction, ty, parts.len())?;
            let mut rows = Vec::new();
            for operand in *parts {
                rows.push(lowering.source_row(operand, part, false)?);
            }
            let dst = lowering.destination(target, ty, false)?;
            let op = Op::Pack { list: lowering.list(&rows), part_bits: part.bits() as u8 };
            lowering.emit(op, Operands { dst, imm: i64::from(ty.bits()), ..Operands::default() });
        }
        (
            _,
            OperandKind::Name(
                name @ ("%clock" | "%clock_hi" | "%clock64" | "%globaltimer" | "%globaltimer_lo"
                | "%globaltimer_hi"),
            ),
        ) => {
            let clock = match *name {
                "%clock" | "%globaltimer_lo" => Clock::Low,
                "%clock_hi" | "%globaltimer_hi" => Clock::High,
                _ => Clock::Full,
            };
            let width = if clock == Clock::Full { Type::U64 } else { Type::U32 };
            let dst = lowering.destination(target, width, false)?;
            lowering.emit(Op::ReadClock(clock), Operands { dst, ..Operands::default() });
        }
        _ if ty == Type::B128 => {
            let (_, from) = lowering.register(value)?;
            lowering.destination(value, ty, false)?;
            let dst = lowering.destination(target, ty, false)?;
            for half in [0, 2] {
                lowering.move_row(dst + half, from + half, true);
            }
        }
        _ => {
            let src = lowering.source_row(value, ty, false)?;
            let dst = lowering.destination(target, ty, false)?;
            let op = if ty.bits() == 64 { Op::Move64 } else { Op::Move32 };
            lowering.emit(op, Operands { dst, src: [src, 0, 0, 0], ..Operands::default() });
        }
    }
    Ok(())
}

/// The type of one part of a value of `ty` in `count` parts.
fn part_type(
    lowering: &Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    ty: Type,
    count: usize,
) -> Result<Type, Refusal> {
    match (ty.bits(), count) {
        (16, 2) | (32, 4) => Ok(Type::B8),
        (32, 2) | (64, 4) => Ok(Type::B16),
        (64, 2) => Ok(Type::B32),
        _ => Err(lowering.error(instruction.span, format!("{ty} cannot be made of {count} parts"))),
    }
}

/// Whether a register operand has 64-bit lanes; other operands have those of `ty`.
fn is_wide(lowering: &mut Lowering<'_, '_>, operand: &Operand<'_>, ty: Type) -> bool {
    let symbol =
        if let OperandKind::Name(text) = operand.kind { lowering.find(text) } else { None };
    match symbol {
        Some(Symbol::Register { ty, .. }) => ty.bits() > 32,
        _ => ty.bits() > 32,
    }
}

/// `cvt{.rnd}{.ftz}{.sat}.dtype.atype d, a`.
pub(crate) fn cvt(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let operands = lowering.operands(instruction, "=T> S>", matched)?;
    let (to, from) = (matched.ty(), matched.type_of("from"));
    let wide = [
        is_wide(lowering, &instruction.operands[1], from),
        is_wide(lowering, &instruction.operands[0], to),
    ];
    let convert = Convert {
        from,
        to,
        rounding: matched.rounding(),
        integral: matches!(matched.get("rnd"), Some("rni" | "rzi" | "rmi" | "rpi")),
        ftz: matched.has("ftz"),
        sat: matched.has("sat"),
        relu: matched.has("relu"),
        wide,
    };
    lowering.emit(Op::Convert(convert), operands);
    Ok(())
}

/// `cvt.rnd{.relu}.f16x2.f32 d, a, b`.
pub(crate) fn cvt_pack(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let operands = lowering.operands(instruction, "=T S S", matched)?;
    let ty = FloatType::of(matched.ty());
    let op = Op::ConvertPack { ty, rounding: matched.rounding(), relu: matched.has("relu") };
    lowering.emit(op, operands);
    Ok(())
}

fn named_space(lowering: &Lowering<'_, '_>, matched: &Matched) -> (MemorySpace, u64) {
    match matched.get("space") {
        Some("shared" | "shared::cta" | "shared::cluster") => (MemorySpace::Shared, window::SHARED),
        Some("local") => (MemorySpace::Local, window::LOCAL),
        // Parameters of a device function are in local memory.
        Some("param") if lowering.in_device_function() => (MemorySpace::Local, window::LOCAL),
        Some("param") => (MemorySpace::Param, window::PARAM),
        _ => (MemorySpace::Global, 0),
    }
}

/// `cvta.space` and `cvta.to.space`.
pub(crate) fn cvta(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    if matched.ty().bits() == 32 {
        return Err(lowering.error(instruction.span, "32-bit generic addresses are not supported"));
    }
    let mut operands = lowering.operands(instruction, "=T T", matched)?;
    let (_, base) = named_space(lowering, matched);
    operands.imm = if matched.has("to") { (base as i64).wrapping_neg() } else { base as i64 };
    let op = if base == 0 { Op::Move64 } else { Op::AddImmediate };
    lowering.emit(op, operands);
    Ok(())
}

/// `isspacep.space p, a`.
pub(crate) fn isspacep(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let operands = lowering.operands(instruction, "=p u64", matched)?;
    if matched.get("space") == Some("const") {
        // Constant variables share the window of global memory, which answers for both.
        let src = [pred_source(PRED_TRUE, true), 0, 0, 0];
        lowering.emit(Op::MovePred, Operands { src, ..operands });
        return Ok(());
    }
    let (space, _) = named_space(lowering, matched);
    lowering.emit(Op::IsSpace(space), operands);
    Ok(())
}

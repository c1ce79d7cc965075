//! Video instructions: operands with a selection of parts.

use crate::isa::{Matched, Type};
use crate::program::{Cmp, Op, Part, Second, Video, VideoMad, VideoOp, VideoSimd};
use crate::syntax::{Instruction, Name, Operand, OperandKind};

use super::{Lowering, Operands, Refusal};

/// An operand without its selection, the selection, and whether there is a minus before it.
fn selected<'x>(operand: &Operand<'x>) -> (Operand<'x>, Option<Name<'x>>, bool) {
    let span = operand.span;
    match &operand.kind {
        // `%tid.x` is a register of its own, not a part of one.
        OperandKind::Member(name, member) if !matches!(*member, "x" | "y" | "z" | "w") => (
            Operand { kind: OperandKind::Name(name), span },
            Some(Name { text: member, span }),
            false,
        ),
        OperandKind::Negative(inner) => {
            let (inner, selection, _) = selected(inner);
            (inner, selection, true)
        }
        _ => (*operand, None, false),
    }
}

/// `.b0` to `.b3`, `.h0`, `.h1`; the whole word without a selection.
fn part(lowering: &Lowering<'_, '_>, selection: Option<Name<'_>>) -> Result<Part, Refusal> {
    let Some(name) = selection else { return Ok(Part::Word) };
    Ok(match name.text {
        "b0" => Part::Byte(0),
        "b1" => Part::Byte(1),
        "b2" => Part::Byte(2),
        "b3" => Part::Byte(3),
        "h0" => Part::Half(0),
        "h1" => Part::Half(1),
        other => {
            return Err(lowering.error(name.span, format!("`.{other}` is not a part of a word")));
        }
    })
}

/// The arithmetic by the mnemonic without the number of parts.
fn operation(instruction: &Instruction<'_>, matched: &Matched) -> VideoOp {
    let wrap = matched.get("mode") == Some("wrap");
    match instruction.opcode.text.trim_end_matches(['2', '4']) {
        "vadd" => VideoOp::Add,
        "vsub" => VideoOp::Sub,
        "vabsdiff" => VideoOp::AbsDiff,
        "vavrg" => VideoOp::Average,
        "vmin" => VideoOp::Min,
        "vmax" => VideoOp::Max,
        "vshl" => VideoOp::Shl { wrap },
        "vshr" => VideoOp::Shr { wrap },
        _ => VideoOp::Set(match matched.get("cmp").unwrap_or("") {
            "eq" => Cmp::Eq,
            "ne" => Cmp::Ne,
            "lt" => Cmp::Lt,
            "le" => Cmp::Le,
            "gt" => Cmp::Gt,
            _ => Cmp::Ge,
        }),
    }
}

fn signs(matched: &Matched) -> [bool; 3] {
    let of = |slot: &str| matched.get(slot) == Some("s32");
    [of("type"), of("from"), of("other")]
}

/// A source of 32 bits with its selection; a vector of 8 or 16 bits is not one.
fn source(lowering: &mut Lowering<'_, '_>, operand: &Operand<'_>) -> Result<u32, Refusal> {
    lowering.source_row(operand, Type::B32, false)
}

/// `vop.dtype.atype.btype{.sat}{.mode}{.op2} d{.dsel}, a{.asel}, b{.bsel}{, c}`.
pub(crate) fn vop(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 4)?;
    let (target, merged, _) = selected(lowering.nth(instruction, 0)?);
    let (a, a_part, _) = selected(lowering.nth(instruction, 1)?);
    let (b, b_part, _) = selected(lowering.nth(instruction, 2)?);
    let dst = lowering.destination(&target, Type::B32, false)?;
    let mut src = [source(lowering, &a)?, source(lowering, &b)?, 0, 0];
    let parts = [part(lowering, a_part)?, part(lowering, b_part)?];
    let second = match (matched.get("second"), merged) {
        (Some("add"), None) => Second::Add,
        (Some("min"), None) => Second::Min,
        (Some(_), None) => Second::Max,
        (None, Some(_)) => Second::Merge(part(lowering, merged)?),
        (None, None) => Second::None,
        (Some(_), Some(name)) => {
            let message = "a second operation goes with the whole destination";
            return Err(lowering.error(name.span, message));
        }
    };
    if second == Second::None {
        lowering.at_most(instruction, 3)?;
        src[2] = src[0];
    } else {
        src[2] = source(lowering, lowering.nth(instruction, 3)?)?;
    }
    let op = operation(instruction, matched);
    let video = Video { op, signed: signs(matched), sat: matched.has("sat"), parts, second };
    lowering.emit(Op::Video(video), Operands { dst, src, ..Operands::default() });
    Ok(())
}

/// `vmad.dtype.atype.btype{.po}{.sat}{.scale} d, {-}a{.asel}, {-}b{.bsel}, {-}c`.
pub(crate) fn vmad(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 4)?;
    let (a, a_part, a_minus) = selected(lowering.nth(instruction, 1)?);
    let (b, b_part, b_minus) = selected(lowering.nth(instruction, 2)?);
    let (c, c_part, c_minus) = selected(lowering.nth(instruction, 3)?);
    if let Some(name) = c_part {
        return Err(lowering.error(name.span, "the addend of `vmad` is a whole word"));
    }
    let plus_one = matched.has("po");
    if (a_minus ^ b_minus) as u8 + c_minus as u8 + plus_one as u8 > 1 {
        let message = "`vmad` negates the product, or the addend, or adds one";
        return Err(lowering.error(instruction.span, message));
    }
    let dst = lowering.destination(lowering.nth(instruction, 0)?, Type::B32, false)?;
    let src = [source(lowering, &a)?, source(lowering, &b)?, source(lowering, &c)?, 0];
    let [_, first, second] = signs(matched);
    let mad = VideoMad {
        signed: [first, second],
        parts: [part(lowering, a_part)?, part(lowering, b_part)?],
        negate_product: a_minus ^ b_minus,
        negate_addend: c_minus,
        plus_one,
        sat: matched.has("sat"),
        shift: match matched.get("scale") {
            Some("shr7") => 7,
            Some(_) => 15,
            None => 0,
        },
    };
    lowering.emit(Op::VideoMad(mad), Operands { dst, src, ..Operands::default() });
    Ok(())
}

/// `vop2` and `vop4`: `.dtype.atype.btype{.sat|.add} d{.mask}, a{.asel}, b{.bsel}, c`.
pub(crate) fn simd(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 4)?;
    let lanes = if instruction.opcode.text.ends_with('2') { 2u8 } else { 4 };
    let (target, mask, _) = selected(lowering.nth(instruction, 0)?);
    let (a, a_parts, _) = selected(lowering.nth(instruction, 1)?);
    let (b, b_parts, _) = selected(lowering.nth(instruction, 2)?);
    let dst = lowering.destination(&target, Type::B32, false)?;
    let c = source(lowering, lowering.nth(instruction, 3)?)?;
    let src = [source(lowering, &a)?, source(lowering, &b)?, c, 0];
    let video = VideoSimd {
        op: operation(instruction, matched),
        lanes,
        signed: signs(matched),
        sat: matched.has("sat"),
        mask: match mask {
            None => (1 << lanes) - 1,
            Some(name) => digits(lowering, name, lanes, lanes)?.iter().fold(0, |m, n| m | 1 << n),
        },
        select: [
            selection(lowering, a_parts, lanes, 0)?,
            selection(lowering, b_parts, lanes, lanes)?,
        ],
        accumulate: matched.get("second") == Some("add"),
    };
    lowering.emit(Op::VideoSimd(video), Operands { dst, src, ..Operands::default() });
    Ok(())
}

/// The digits of `.h10` or `.b3210`, the last one first, each below `limit`.
fn digits(
    lowering: &Lowering<'_, '_>,
    name: Name<'_>,
    lanes: u8,
    limit: u8,
) -> Result<Vec<u8>, Refusal> {
    let letter = if lanes == 2 { 'h' } else { 'b' };
    let bytes = name.text.strip_prefix(letter).unwrap_or("").bytes().rev();
    let out: Vec<u8> = bytes.map(|b| b.wrapping_sub(b'0')).collect();
    if out.is_empty() || out.len() > lanes.into() || out.iter().any(|&n| n >= limit) {
        let message = format!("`.{}` is not a selection of parts", name.text);
        return Err(lowering.error(name.span, message));
    }
    Ok(out)
}

/// Which part each lane takes; its own, counted from `first`, without a selection.
fn selection(
    lowering: &Lowering<'_, '_>,
    name: Option<Name<'_>>,
    lanes: u8,
    first: u8,
) -> Result<u16, Refusal> {
    let picks = match name {
        None => (first..first + lanes).collect(),
        Some(name) => digits(lowering, name, lanes, 2 * lanes)?,
    };
    if picks.len() != usize::from(lanes) {
        let span = name.map_or_else(Default::default, |name| name.span);
        return Err(lowering.error(span, format!("a selection names {lanes} parts")));
    }
    Ok(picks.iter().rev().fold(0, |out, &pick| out << 3 | u16::from(pick)))
}

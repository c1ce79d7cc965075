//! Textures and surfaces: operands `[handle, {coordinates}]`.

use crate::isa::{Matched, Type};
use crate::program::{
    AtomicOp, AtomicType, Geometry, ImageAccess, ImageOp, ImageQuery, MipmapLevel, NO_ROW, Op,
    Outside,
};
use crate::syntax::{Instruction, Operand, OperandKind};

use super::scope::Symbol;
use super::{Lowering, Operands, Refusal};

/// The items of `{a, b}`, or the operand by itself.
fn items<'i, 'x>(operand: &'i Operand<'x>) -> &'i [Operand<'x>] {
    match &operand.kind {
        OperandKind::Vector(items) => items,
        _ => std::slice::from_ref(operand),
    }
}

/// The row (64-bit lanes) with the handle of a texture or surface, and its coordinates.
fn image<'i, 'x>(
    lowering: &mut Lowering<'_, '_>,
    operand: &'i Operand<'x>,
) -> Result<(u32, &'i [Operand<'x>]), Refusal> {
    let (base, rest) = match &operand.kind {
        OperandKind::Image(base, rest) => (*base, *rest),
        OperandKind::Address(Some(base), 0) => (*base, &[][..]),
        _ => return Err(lowering.error(operand.span, "expected a texture or surface in brackets")),
    };
    let coordinates = match rest {
        [] => &[][..],
        [coordinates] => items(coordinates),
        [_, ..] => {
            let message = "a sampler apart from its texture is not supported";
            return Err(lowering.error(operand.span, message));
        }
    };
    let row = match lowering.find(base) {
        Some(Symbol::Register { ty, row }) if ty.bits() == 64 => row,
        Some(symbol @ Symbol::Module(index)) => {
            if !lowering.code.images.contains(&index) {
                lowering.code.images.push(index);
            }
            match lowering.symbol_address(symbol, 0) {
                Some(row) => row,
                None => return Err(lowering.error(operand.span, "this has no address")),
            }
        }
        Some(_) => {
            let message = format!("`{base}` is not a texture, a surface or a handle of one");
            return Err(lowering.error(operand.span, message));
        }
        None => {
            let name = crate::syntax::Name { text: base, span: operand.span };
            return Err(lowering.unknown("texture, surface or register", name));
        }
    };
    Ok((row, coordinates))
}

/// An operation under construction.
struct ImageInstruction {
    op: ImageOp,
    geometry: Geometry,
    handle: u32,
    integer: bool,
    ty: Type,
    results: Vec<u32>,
    coordinates: Vec<u32>,
    rest: Vec<u32>,
}

impl ImageInstruction {
    fn emit(self, lowering: &mut Lowering<'_, '_>, dst2: u32) {
        let access = ImageAccess {
            op: self.op,
            geometry: self.geometry,
            integer: self.integer,
            ty: self.ty,
            results: self.results.len() as u8,
            coordinates: self.coordinates.len() as u8,
        };
        let rows: Vec<u32> = [&self.results[..], &self.coordinates[..], &self.rest[..]].concat();
        let list = lowering.list(&rows);
        let src = [self.handle, NO_ROW, NO_ROW, NO_ROW];
        lowering.emit(Op::Image(access, list), Operands { src, dst2, ..Operands::default() });
    }
}

/// The rows of the coordinates; a geometry may have more registers than it reads.
fn coordinates(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    given: &[Operand<'_>],
    geometry: Geometry,
    ty: Type,
) -> Result<Vec<u32>, Refusal> {
    let count = geometry.coordinates() as usize;
    if given.len() < count || given.len() > 4 {
        let message = format!("{count} coordinates are needed here, found {}", given.len());
        return Err(lowering.error(instruction.span, message));
    }
    let mut rows = Vec::new();
    for (n, operand) in given[..count].iter().enumerate() {
        // A layer is an integer among coordinates that are not.
        let ty = if n == 0 && geometry.layered { Type::B32 } else { ty };
        rows.push(lowering.source_row(operand, ty, false)?);
    }
    Ok(rows)
}

fn results(
    lowering: &mut Lowering<'_, '_>,
    operand: &Operand<'_>,
    ty: Type,
    count: usize,
) -> Result<Vec<u32>, Refusal> {
    let items = items(operand);
    if items.len() != count {
        let message = format!("{count} registers are needed here, found {}", items.len());
        return Err(lowering.error(operand.span, message));
    }
    items.iter().map(|item| lowering.destination(item, ty, true)).collect()
}

/// The destination of a sample, which may say in a predicate whether the texels are there.
fn sampled<'i, 'x>(
    lowering: &mut Lowering<'_, '_>,
    operand: &'i Operand<'x>,
) -> Result<(&'i Operand<'x>, u32), Refusal> {
    match &operand.kind {
        OperandKind::Pair([value, resident]) => {
            Ok((value, lowering.predicate_destination(resident)?))
        }
        _ => Ok((operand, crate::program::PRED_SINK)),
    }
}

fn extra(
    lowering: &mut Lowering<'_, '_>,
    operand: &Operand<'_>,
    ty: Type,
    count: usize,
) -> Result<Vec<u32>, Refusal> {
    let items = items(operand);
    if items.len() < count {
        let message = format!("{count} values are needed here, found {}", items.len());
        return Err(lowering.error(operand.span, message));
    }
    items[..count].iter().map(|item| lowering.source_row(item, ty, false)).collect()
}

/// `tex{.level}.geometry.v4.dtype.ctype d, [a, c]{, level or gradients}{, offsets}`.
pub(crate) fn tex(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let geometry = Geometry::by_name(matched.get("geometry").unwrap_or("2d"));
    let (target, resident) = sampled(lowering, lowering.nth(instruction, 0)?)?;
    let results = results(lowering, target, matched.ty(), 4)?;
    let (handle, given) = image(lowering, lowering.nth(instruction, 1)?)?;
    let ctype = matched.type_of("from");
    let coordinates = coordinates(lowering, instruction, given, geometry, ctype)?;
    let (level, mut next) = match matched.get("level") {
        Some("level") => (MipmapLevel::Given, 3),
        Some("grad") => (MipmapLevel::Gradient, 4),
        _ => (MipmapLevel::Base, 2),
    };
    let mut rest = Vec::new();
    for n in 2..next {
        let count = if level == MipmapLevel::Given { 1 } else { geometry.axes as usize };
        rest.extend(extra(lowering, lowering.nth(instruction, n)?, ctype, count)?);
    }
    let offset = instruction.operands.len() > next;
    if offset {
        let operand = &instruction.operands[next];
        if matches!(operand.kind, OperandKind::Vector(_)) || geometry.axes == 1 {
            rest.extend(extra(lowering, operand, Type::S32, geometry.axes as usize)?);
            next += 1;
        }
    }
    if let Some(operand) = instruction.operands.get(next) {
        return Err(lowering.error(operand.span, "comparisons of depth are not supported"));
    }
    let op = ImageOp::Sample { level, offset };
    let integer = ctype == Type::S32;
    let ty = matched.ty();
    let access = ImageInstruction { op, geometry, handle, integer, ty, results, coordinates, rest };
    access.emit(lowering, resident);
    Ok(())
}

/// `tld4.channel.geometry.v4.dtype.f32 d, [a, c]{, offsets}`.
pub(crate) fn tld4(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let geometry = Geometry::by_name(matched.get("geometry").unwrap_or("2d"));
    let (target, resident) = sampled(lowering, lowering.nth(instruction, 0)?)?;
    let results = results(lowering, target, matched.ty(), 4)?;
    let (handle, given) = image(lowering, lowering.nth(instruction, 1)?)?;
    let coordinates = coordinates(lowering, instruction, given, geometry, Type::F32)?;
    let mut rest = Vec::new();
    let offset = match instruction.operands.get(2) {
        Some(operand) if matches!(operand.kind, OperandKind::Vector(_)) => {
            rest.extend(extra(lowering, operand, Type::S32, 2)?);
            true
        }
        Some(operand) => {
            return Err(lowering.error(operand.span, "comparisons of depth are not supported"));
        }
        None => false,
    };
    lowering.at_most(instruction, 3)?;
    let channel = "rgba".find(matched.get("channel").unwrap_or("r")).unwrap_or(0) as u8;
    let op = ImageOp::Gather { channel, offset };
    let ty = matched.ty();
    let access =
        ImageInstruction { op, geometry, handle, integer: false, ty, results, coordinates, rest };
    access.emit(lowering, resident);
    Ok(())
}

/// `txq.query.b32 d, [a]{, level}` and `suq.query.b32 d, [a]`.
pub(crate) fn query(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let level = matched.has("level");
    lowering.at_most(instruction, 2 + usize::from(level))?;
    let dst = lowering.destination(lowering.nth(instruction, 0)?, Type::B32, false)?;
    let (handle, _) = image(lowering, lowering.nth(instruction, 1)?)?;
    let rest = match level {
        true => vec![lowering.source_row(lowering.nth(instruction, 2)?, Type::B32, false)?],
        false => Vec::new(),
    };
    let query = match matched.get("query").unwrap_or("") {
        "width" => ImageQuery::Extent(0),
        "height" => ImageQuery::Extent(1),
        "depth" => ImageQuery::Extent(2),
        "array_size" => ImageQuery::Layers,
        "num_mipmap_levels" => ImageQuery::Levels,
        "num_samples" => ImageQuery::Samples,
        "channel_data_type" => ImageQuery::ChannelType,
        "channel_order" => ImageQuery::ChannelOrder,
        "normalized_coords" => ImageQuery::NormalizedCoordinates,
        "force_unnormalized_coords" => ImageQuery::UnnormalizedCoordinates,
        "filter_mode" => ImageQuery::Filter,
        "addr_mode_0" => ImageQuery::Address(0),
        "addr_mode_1" => ImageQuery::Address(1),
        _ => ImageQuery::Address(2),
    };
    ask(lowering, query, level, (handle, dst), rest);
    Ok(())
}

fn ask(
    lowering: &mut Lowering<'_, '_>,
    query: ImageQuery,
    level: bool,
    (handle, dst): (u32, u32),
    rest: Vec<u32>,
) {
    let access = ImageInstruction {
        op: ImageOp::Query { query, level },
        geometry: Geometry { axes: 3, layered: false, cube: false },
        handle,
        integer: true,
        ty: Type::B32,
        results: vec![dst],
        coordinates: Vec::new(),
        rest,
    };
    access.emit(lowering, crate::program::PRED_SINK);
}

/// `istypep.kind p, a`.
pub(crate) fn istypep(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 2)?;
    let dst = lowering.predicate_destination(lowering.nth(instruction, 0)?)?;
    let handle = lowering.source_row(lowering.nth(instruction, 1)?, Type::B64, false)?;
    let query = match matched.get("kind") {
        Some("texref") => ImageQuery::IsTexture,
        Some("surfref") => ImageQuery::IsSurface,
        _ => ImageQuery::IsSampler,
    };
    ask(lowering, query, false, (handle, dst), Vec::new());
    Ok(())
}

fn outside(matched: &Matched) -> Outside {
    match matched.get("outside") {
        Some("clamp") => Outside::Clamp,
        Some("zero") => Outside::Zero,
        _ => Outside::Trap,
    }
}

fn width(matched: &Matched) -> usize {
    match matched.get("vec") {
        Some("v2") => 2,
        Some("v4") => 4,
        _ => 1,
    }
}

/// Where a surface is accessed.
fn place(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
    n: usize,
) -> Result<(Geometry, u32, Vec<u32>), Refusal> {
    let geometry = Geometry::by_name(matched.get("geometry").unwrap_or("2d"));
    let (handle, given) = image(lowering, lowering.nth(instruction, n)?)?;
    let coordinates = coordinates(lowering, instruction, given, geometry, Type::S32)?;
    Ok((geometry, handle, coordinates))
}

/// `suld.b.geometry{.cop}{.vec}.dtype.outside d, [a, b]`.
pub(crate) fn suld(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 2)?;
    let ty = matched.ty();
    let results = results(lowering, lowering.nth(instruction, 0)?, ty, width(matched))?;
    let (geometry, handle, coordinates) = place(lowering, instruction, matched, 1)?;
    let op = ImageOp::Load { bytes: ty.bytes() as u8, outside: outside(matched) };
    let rest = Vec::new();
    let access =
        ImageInstruction { op, geometry, handle, integer: true, ty, results, coordinates, rest };
    access.emit(lowering, crate::program::PRED_SINK);
    Ok(())
}

/// `sust.b...` as `suld`, and `sust.p.geometry{.vec}.b32.outside [a, b], c`.
pub(crate) fn sust(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 2)?;
    let ty = matched.ty();
    let (geometry, handle, coordinates) = place(lowering, instruction, matched, 0)?;
    let operand = lowering.nth(instruction, 1)?;
    let values = items(operand);
    if values.len() != width(matched) {
        let message = format!("{} registers are needed here", width(matched));
        return Err(lowering.error(operand.span, message));
    }
    let mut rest = Vec::new();
    for value in values {
        rest.push(lowering.source_row(value, ty, true)?);
    }
    let outside = outside(matched);
    let op = match matched.get("form") {
        Some("p") => ImageOp::StoreFormatted { outside },
        _ => ImageOp::Store { bytes: ty.bytes() as u8, outside },
    };
    let results = Vec::new();
    let access =
        ImageInstruction { op, geometry, handle, integer: true, ty, results, coordinates, rest };
    access.emit(lowering, crate::program::PRED_SINK);
    Ok(())
}

/// `sured.form.op.geometry.ctype.outside [a, b], c`.
pub(crate) fn sured(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 2)?;
    let ty = matched.ty();
    let (geometry, handle, coordinates) = place(lowering, instruction, matched, 0)?;
    let rest = vec![lowering.source_row(lowering.nth(instruction, 1)?, ty, false)?];
    let op = ImageOp::Reduce {
        op: match matched.get("op") {
            Some("min") => AtomicOp::Min,
            Some("max") => AtomicOp::Max,
            Some("and") => AtomicOp::And,
            Some("or") => AtomicOp::Or,
            _ => AtomicOp::Add,
        },
        ty: match ty {
            Type::S32 => AtomicType::S32,
            Type::S64 => AtomicType::S64,
            Type::U64 | Type::B64 => AtomicType::U64,
            _ => AtomicType::U32,
        },
        outside: outside(matched),
        formatted: matched.get("form") == Some("p"),
    };
    let results = Vec::new();
    let access =
        ImageInstruction { op, geometry, handle, integer: true, ty, results, coordinates, rest };
    access.emit(lowering, crate::program::PRED_SINK);
    Ok(())
}

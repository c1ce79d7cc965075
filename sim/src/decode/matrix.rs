//! Matrices: registers by the lists in braces.

use crate::isa::{Matched, Type};
use crate::program::{
    Matrix, MemorySpace, Multiply, NO_ROW, Op, Products, Role, Shape, Tile, WarpGroupMultiply,
};
use crate::syntax::{Instruction, Operand, OperandKind};

use super::{Lowering, Operands, Refusal};

/// `m16n8k16`.
fn shape(matched: &Matched) -> Shape {
    let text = matched.get("shape").unwrap_or("");
    let mut numbers = text.split(['m', 'n', 'k']).filter_map(|part| part.parse().ok());
    let mut next = || numbers.next().unwrap_or(8);
    Shape { m: next(), n: next(), k: next() }
}

/// The registers of a matrix in an operand, of 32 bits or 64; `count` of them if that is given.
fn registers(
    lowering: &mut Lowering<'_, '_>,
    operand: &Operand<'_>,
    ty: Type,
    count: Option<usize>,
    written: bool,
) -> Result<Vec<u32>, Refusal> {
    let items = match &operand.kind {
        OperandKind::Vector(items) => *items,
        _ => std::slice::from_ref(operand),
    };
    if let Some(count) = count.filter(|&count| count != items.len()) {
        let message = format!("{count} registers are needed here, found {}", items.len());
        return Err(lowering.error(operand.span, message));
    }
    let register = if ty.bits() == 64 { Type::B64 } else { Type::B32 };
    let mut rows = Vec::new();
    for item in items {
        rows.push(if written {
            lowering.destination(item, register, false)?
        } else {
            lowering.source_row(item, register, false)?
        });
    }
    Ok(rows)
}

fn multiply(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
    opaque: bool,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 4)?;
    let shape = shape(matched);
    // Without their types the factors of `wmma` are half precision.
    let factor = |slot: &str| if matched.has(slot) { matched.type_of(slot) } else { Type::F16 };
    let types = [matched.ty(), factor("from"), factor("other"), matched.type_of("acc")];
    let roles = [Role::C, Role::A, Role::B, Role::C];
    let (mut rows, mut counts) = (Vec::new(), [0u8; 4]);
    for (i, (ty, role)) in types.into_iter().zip(roles).enumerate() {
        let operand = lowering.nth(instruction, i)?;
        let (height, width) = shape.extents(role);
        let bits = height * width * ty.bits() as usize;
        let width = if ty.bits() == 64 { 64 } else { 32 };
        // A fragment of `wmma` may hold its matrix twice.
        let count = (!opaque).then_some(bits / 32 / width);
        let found = registers(lowering, operand, ty, count, i == 0)?;
        if found.is_empty() || found.len() > 16 || found.len() * 32 * width < bits {
            return Err(lowering.error(operand.span, "these registers do not hold the matrix"));
        }
        counts[i] = found.len() as u8;
        rows.extend(found);
    }
    let products = match matched.get("products") {
        Some("xor") => Products::Xor,
        Some(_) => Products::And,
        None => Products::Arithmetic,
    };
    let multiply =
        Multiply { shape, types, products, satfinite: matched.has("satfinite"), counts, opaque };
    let list = lowering.list(&rows);
    lowering.emit(Op::Multiply(multiply, list), Operands::default());
    Ok(())
}

/// `mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype d, a, b, c`.
pub(crate) fn mma(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    multiply(lowering, instruction, matched, false)
}

/// `wmma.mma.sync.aligned.alayout.blayout.shape.types d, a, b, c`.
pub(crate) fn wmma_mma(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    multiply(lowering, instruction, matched, true)
}

fn space(matched: &Matched) -> MemorySpace {
    match matched.get("space") {
        Some("global") => MemorySpace::Global,
        Some(_) => MemorySpace::Shared,
        None => MemorySpace::Generic,
    }
}

fn wmma_access(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
    load: bool,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 3)?;
    let role = match matched.get("role") {
        Some("a") => Role::A,
        Some("b") => Role::B,
        _ => Role::C,
    };
    let ty = matched.ty();
    let (place, fragment) = if load { (1, 0) } else { (0, 1) };
    let operand = lowering.nth(instruction, fragment)?;
    let rows = registers(lowering, operand, ty, None, load)?;
    let (height, width) = shape(matched).extents(role);
    let held = rows.len() * 32 * if ty.bits() == 64 { 64 } else { 32 };
    if rows.len() > 16 || held < height * width * ty.bits() as usize {
        return Err(lowering.error(operand.span, "these registers do not hold the matrix"));
    }
    let address = lowering.address(lowering.nth(instruction, place)?)?;
    let mut src = [address.row, NO_ROW, NO_ROW, NO_ROW];
    let strided = instruction.operands.len() > 2;
    if strided {
        src[1] = lowering.source_row(&instruction.operands[2], Type::U32, false)?;
    }
    let matrix = Matrix {
        shape: shape(matched),
        role,
        ty,
        column_major: matched.get("layout") == Some("col"),
        space: space(matched),
        narrow_address: address.narrow,
        strided,
    };
    let list = lowering.list(&rows);
    let op = if load { Op::LoadMatrix(matrix, list) } else { Op::StoreMatrix(matrix, list) };
    lowering.emit(op, Operands { src, imm: address.offset, ..Operands::default() });
    Ok(())
}

/// `wmma.load.role.sync.aligned.layout.shape{.space}.type r, [p]{, stride}`.
pub(crate) fn wmma_load(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    wmma_access(lowering, instruction, matched, true)
}

/// `wmma.store.d.sync.aligned.layout.shape{.space}.type [p], r{, stride}`.
pub(crate) fn wmma_store(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    wmma_access(lowering, instruction, matched, false)
}

fn tiles(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
    load: bool,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 2)?;
    let count = match matched.get("count") {
        Some("x1") => 1,
        Some("x2") => 2,
        _ => 4,
    };
    let (place, fragment) = if load { (1, 0) } else { (0, 1) };
    let operand = lowering.nth(instruction, fragment)?;
    let rows = registers(lowering, operand, Type::B32, Some(count), load)?;
    let address = lowering.address(lowering.nth(instruction, place)?)?;
    let tile = Tile {
        transposed: matched.has("trans"),
        space: space(matched),
        narrow_address: address.narrow,
    };
    let list = lowering.list(&rows);
    let op = if load { Op::LoadTiles(tile, list) } else { Op::StoreTiles(tile, list) };
    let src = [address.row, NO_ROW, NO_ROW, NO_ROW];
    lowering.emit(op, Operands { src, imm: address.offset, ..Operands::default() });
    Ok(())
}

/// `ldmatrix.sync.aligned.m8n8.num{.trans}{.space}.b16 r, [p]`.
pub(crate) fn ldmatrix(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    tiles(lowering, instruction, matched, true)
}

/// `stmatrix.sync.aligned.m8n8.num{.trans}{.space}.b16 [p], r`.
pub(crate) fn stmatrix(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    tiles(lowering, instruction, matched, false)
}

/// `wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d, a, b-descriptor, scale-d{, negations}{,
/// transpositions}`; `a` is a descriptor or registers.
pub(crate) fn wgmma(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let Shape { n, k, .. } = shape(matched);
    let types = [matched.ty(), matched.type_of("from"), matched.type_of("other")];
    let bits = types[1].bits();
    if n % 8 != 0 || !(8..=256).contains(&n) || u32::from(k) * bits != 256 {
        return Err(lowering.error(instruction.span, "there is no product of this shape"));
    }
    let count = usize::from(n) / 2 / (32 / types[0].bits()) as usize;
    let mut rows = registers(lowering, lowering.nth(instruction, 0)?, types[0], Some(count), true)?;
    let mut src = [NO_ROW; 4];
    let left = lowering.nth(instruction, 1)?;
    let in_registers = matches!(left.kind, OperandKind::Vector(_));
    if in_registers {
        rows.extend(registers(lowering, left, Type::B32, Some(4), false)?);
    } else {
        src[0] = lowering.source_row(left, Type::B64, false)?;
    }
    src[1] = lowering.source_row(lowering.nth(instruction, 2)?, Type::B64, false)?;
    src[2] = lowering.predicate_source(lowering.nth(instruction, 3)?)?;
    // Integers have neither signs nor transpositions, and only factors of 16 bits the latter.
    let signs = if types[0] == Type::S32 { 0 } else { 2 };
    let turns = if bits == 16 { 2 - usize::from(in_registers) } else { 0 };
    lowering.at_most(instruction, 4 + signs + turns)?;
    let mut flags = Vec::new();
    for n in 4..4 + signs + turns {
        let operand = lowering.nth(instruction, n)?;
        let value = match &operand.kind {
            OperandKind::Int(value) => *value as i64,
            _ => return Err(lowering.error(operand.span, "expected an integer constant")),
        };
        let allowed = if n < 4 + signs { [1, -1] } else { [0, 1] };
        if !allowed.contains(&value) {
            let [a, b] = allowed;
            return Err(lowering.error(operand.span, format!("this is {a} or {b}")));
        }
        flags.push(value == allowed[1]);
    }
    let (negated, turned) = flags.split_at(signs);
    let multiply = WarpGroupMultiply {
        n,
        k,
        types,
        negated: [negated.first() == Some(&true), negated.get(1) == Some(&true)],
        transposed: [turned.len() == 2 && turned[0], turned.last() == Some(&true)],
        a_registers: if in_registers { 4 } else { 0 },
        satfinite: matched.has("satfinite"),
    };
    let list = lowering.list(&rows);
    lowering.emit(Op::WarpGroupMultiply(multiply, list), Operands { src, ..Operands::default() });
    Ok(())
}

//! Loads, stores, atomics, copies.

use crate::isa::{Matched, Type};
use crate::program::{AccessShape, AtomicOp, AtomicType, FloatType, List, MemorySpace, NO_ROW, Op};
use crate::syntax::{Instruction, Operand, OperandKind};

use super::operands::Address;
use super::scope::Symbol;
use super::{Lowering, Operands, Refusal};

/// The space of an access: what the instruction says, made precise by the variable it names.
fn space(lowering: &Lowering<'_, '_>, matched: &Matched, address: &Address) -> MemorySpace {
    let by_symbol = match address.symbol {
        Some(Symbol::Shared(_) | Symbol::DynamicShared) => Some(MemorySpace::Shared),
        Some(Symbol::Local(_) | Symbol::CallParam { .. } | Symbol::FormalParam { .. }) => {
            Some(MemorySpace::Local)
        }
        Some(Symbol::KernelParam(_)) => Some(MemorySpace::Param),
        Some(Symbol::Module(_)) => Some(MemorySpace::Global),
        _ => None,
    };
    match matched.get("space") {
        Some("global" | "const") => MemorySpace::Global,
        Some("shared" | "shared::cta" | "shared::cluster") => MemorySpace::Shared,
        Some("local") => MemorySpace::Local,
        Some("param" | "param::entry" | "param::func") => by_symbol.unwrap_or({
            if lowering.in_device_function() { MemorySpace::Local } else { MemorySpace::Param }
        }),
        _ => by_symbol.unwrap_or(MemorySpace::Generic),
    }
}

/// The registers of a load or store: one, or the elements of a vector.
fn elements<'i, 'x>(
    lowering: &Lowering<'_, '_>,
    operand: &'i Operand<'x>,
    matched: &Matched,
) -> Result<&'i [Operand<'x>], Refusal> {
    let count = match matched.get("vec") {
        Some("v2") => 2,
        Some("v4") => 4,
        Some("v8") => 8,
        _ => 1,
    };
    let items = match &operand.kind {
        OperandKind::Vector(items) => *items,
        _ => std::slice::from_ref(operand),
    };
    if items.len() != count {
        let message = format!("{count} registers are needed here, found {}", items.len());
        return Err(lowering.error(operand.span, message));
    }
    Ok(items)
}

/// The lane width that all register operands share; that of `ty` where there are none.
fn lane_width(
    lowering: &mut Lowering<'_, '_>,
    items: &[Operand<'_>],
    ty: Type,
) -> Result<bool, Refusal> {
    let mut found = None;
    for item in items {
        let OperandKind::Name(text) = item.kind else { continue };
        if let Some(Symbol::Register { ty, .. }) = lowering.find(text) {
            let wide = ty.bits() > 32;
            if found.is_some_and(|f| f != wide) {
                return Err(
                    lowering.error(item.span, "registers of one access must have one width")
                );
            }
            found = Some(wide);
        }
    }
    Ok(found.unwrap_or(ty.bits() > 32))
}

/// A register of 128 bits is two of 64.
fn parts_of_wide(ty: Type, row: u32) -> impl Iterator<Item = u32> {
    let upper = if row == NO_ROW { NO_ROW } else { row.wrapping_add(2) };
    std::iter::once(row).chain((ty == Type::B128).then_some(upper))
}

/// The cache policy behind `count` operands, which has no meaning here but must be one.
fn policy(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
    count: usize,
) -> Result<(), Refusal> {
    if !matched.has("hint") {
        return lowering.at_most(instruction, count);
    }
    lowering.at_most(instruction, count + 1)?;
    lowering.source_row(lowering.nth(instruction, count)?, Type::B64, false)?;
    Ok(())
}

fn access(
    lowering: &Lowering<'_, '_>,
    matched: &Matched,
    address: &Address,
    count: usize,
    wide: bool,
) -> AccessShape {
    let ty = matched.ty();
    AccessShape {
        space: space(lowering, matched, address),
        bytes: ty.bytes().min(8) as u8,
        count: count as u8,
        signed: ty.is_signed(),
        wide,
        narrow_address: address.narrow,
        strong: matched.get("sem").is_some_and(|sem| sem != "weak"),
        releases: matched.get("sem") == Some("release"),
    }
}

/// `ld{...}.type d, [a]`.
pub(crate) fn ld(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    policy(lowering, instruction, matched, 2)?;
    let items = elements(lowering, lowering.nth(instruction, 0)?, matched)?;
    let address = lowering.address(lowering.nth(instruction, 1)?)?;
    let wide = lane_width(lowering, items, matched.ty())?;
    let mut rows = Vec::new();
    for item in items {
        let row = match item.kind {
            OperandKind::Sink => NO_ROW,
            _ => lowering.destination(item, matched.ty(), true)?,
        };
        rows.extend(parts_of_wide(matched.ty(), row));
    }
    let access = access(lowering, matched, &address, rows.len(), wide);
    let list = lowering.list(&rows);
    let src = [address.row, 0, 0, 0];
    lowering
        .emit(Op::Load(access, list), Operands { src, imm: address.offset, ..Operands::default() });
    Ok(())
}

/// `st{...}.type [a], b`.
pub(crate) fn st(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    policy(lowering, instruction, matched, 2)?;
    store(lowering, instruction, matched, MemorySpace::Generic).map(drop)
}

/// The store of operand 1 at operand 0, in a space if neither instruction nor variable name one; the
/// bytes that it stores.
pub(super) fn store(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
    otherwise: MemorySpace,
) -> Result<u64, Refusal> {
    let address = lowering.address(lowering.nth(instruction, 0)?)?;
    let operand = lowering.nth(instruction, 1)?;
    let items = elements(lowering, operand, matched)?;
    let wide = lane_width(lowering, items, matched.ty())?;
    let mut rows = Vec::new();
    for item in items {
        let row = lowering.source_row(item, matched.ty(), true)?;
        // Constants take the width of the registers beside them.
        let row = match item.kind {
            OperandKind::Int(value) if wide => lowering.constant(value, true),
            _ => row,
        };
        rows.extend(parts_of_wide(matched.ty(), row));
    }
    if let Some(Symbol::KernelParam(_)) = address.symbol {
        return Err(lowering.error(instruction.span, "parameters of a kernel cannot be written"));
    }
    let mut access = access(lowering, matched, &address, rows.len(), wide);
    if access.space == MemorySpace::Generic {
        access.space = otherwise;
    }
    let list: List = lowering.list(&rows);
    let src = [address.row, 0, 0, 0];
    lowering.emit(
        Op::Store(access, list),
        Operands { src, imm: address.offset, ..Operands::default() },
    );
    Ok(matched.ty().bytes() * items.len() as u64)
}

/// The operation and the type of an atomic.
pub(super) fn operation(matched: &Matched) -> (AtomicOp, AtomicType) {
    let op = match matched.get("op").unwrap_or("") {
        "add" => AtomicOp::Add,
        "min" => AtomicOp::Min,
        "max" => AtomicOp::Max,
        "inc" => AtomicOp::Inc,
        "dec" => AtomicOp::Dec,
        "and" => AtomicOp::And,
        "or" => AtomicOp::Or,
        "xor" => AtomicOp::Xor,
        "exch" => AtomicOp::Exchange,
        _ => AtomicOp::CompareSwap,
    };
    let ty = match matched.ty() {
        Type::B16 => AtomicType::B16,
        Type::S32 => AtomicType::S32,
        Type::S64 => AtomicType::S64,
        Type::U64 | Type::B64 => AtomicType::U64,
        Type::F32 => AtomicType::F32,
        Type::F64 => AtomicType::F64,
        half @ (Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2) => {
            AtomicType::Half(FloatType::of(half))
        }
        _ => AtomicType::U32,
    };
    (op, ty)
}

fn atomic(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
    result: bool,
) -> Result<(), Refusal> {
    let (op, ty) = operation(matched);
    let first = usize::from(result);
    let values = if op == AtomicOp::CompareSwap { 2 } else { 1 };
    policy(lowering, instruction, matched, first + 1 + values)?;
    let address = lowering.address(lowering.nth(instruction, first)?)?;
    let space = space(lowering, matched, &address);
    // A vector is as many atomics, one behind the other.
    let count = elements(lowering, lowering.nth(instruction, first + 1)?, matched)?.len();
    for element in 0..count {
        let mut operands = Operands::default();
        if result {
            let target = &elements(lowering, lowering.nth(instruction, 0)?, matched)?[element];
            operands.dst = lowering.destination(target, matched.ty(), false)?;
        }
        operands.src[0] = address.row;
        operands.imm = address.offset.wrapping_add(element as i64 * i64::from(ty.bytes()));
        for i in 0..values {
            let operand = lowering.nth(instruction, first + 1 + i)?;
            let operand = &elements(lowering, operand, matched)?[element];
            operands.src[1 + i] = lowering.source_row(operand, matched.ty(), false)?;
        }
        let releases = matches!(matched.get("sem"), Some("release" | "acq_rel"));
        let op = Op::Atomic { op, ty, space, narrow_address: address.narrow, result, releases };
        lowering.emit(op, operands);
    }
    Ok(())
}

/// `atom{...}.op.type d, [a], b{, c}`.
pub(crate) fn atom(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    atomic(lowering, instruction, matched, true)
}

/// `red.async...op.type [a], b, [barrier]`: the bytes, which complete on the barrier.
pub(super) fn red_async(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<u64, Refusal> {
    let (op, ty) = operation(matched);
    let address = lowering.address(lowering.nth(instruction, 0)?)?;
    let value = lowering.source_row(lowering.nth(instruction, 1)?, matched.ty(), false)?;
    let src = [address.row, value, 0, 0];
    let op = Op::Atomic {
        op,
        ty,
        space: MemorySpace::Shared,
        narrow_address: address.narrow,
        result: false,
        releases: false,
    };
    lowering.emit(op, Operands { src, imm: address.offset, ..Operands::default() });
    Ok(ty.bytes().into())
}

/// `red{...}.op.type [a], b`.
pub(crate) fn red(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    atomic(lowering, instruction, matched, false)
}

/// `atom{...}.exch.b128 d, [a], b` and `atom{...}.cas.b128 d, [a], b, c`.
pub(crate) fn atom_wide(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let compare = matched.get("op") == Some("cas");
    let values = if compare { 2 } else { 1 };
    policy(lowering, instruction, matched, 2 + values)?;
    let dst = lowering.destination(lowering.nth(instruction, 0)?, Type::B128, false)?;
    let address = lowering.address(lowering.nth(instruction, 1)?)?;
    let mut src = [address.row, NO_ROW, NO_ROW, NO_ROW];
    for i in 0..values {
        src[1 + i] = lowering.register(lowering.nth(instruction, 2 + i)?)?.1;
        lowering.destination(lowering.nth(instruction, 2 + i)?, Type::B128, false)?;
    }
    let space = space(lowering, matched, &address);
    let op = Op::AtomicWide { space, narrow_address: address.narrow, compare };
    lowering.emit(op, Operands { dst, src, imm: address.offset, ..Operands::default() });
    Ok(())
}

/// `createpolicy`: a policy is a value without meaning here.
pub(crate) fn createpolicy(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    _: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 4)?;
    let dst = lowering.destination(lowering.nth(instruction, 0)?, Type::B64, false)?;
    let none = lowering.constant(0, true);
    lowering.move_row(dst, none, true);
    Ok(())
}

/// `cp.async.ca.shared.global [d], [s], size{, source size}`: copied at once, which every later wait
/// permits.
pub(crate) fn cp_async(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let hinted = usize::from(matched.has("hint"));
    lowering.at_most(instruction, 4 + hinted)?;
    let to = lowering.address(lowering.nth(instruction, 0)?)?;
    let from = lowering.address(lowering.nth(instruction, 1)?)?;
    let size_operand = lowering.nth(instruction, 2)?;
    let size = lowering.integer_literal(size_operand)?;
    let allowed: &[u64] = if matched.get("cop") == Some("cg") { &[16] } else { &[4, 8, 16] };
    if !allowed.contains(&size) {
        return Err(
            lowering.error(size_operand.span, format!("cp.async cannot copy {size} bytes here"))
        );
    }
    if from.narrow {
        return Err(lowering.error(instruction.span, "a global address has 64 bits"));
    }
    let mut source = from.row;
    if from.offset != 0 {
        source = lowering.scratch64();
        let src = [from.row, 0, 0, 0];
        lowering.emit(
            Op::AddImmediate,
            Operands { dst: source, src, imm: from.offset, ..Operands::default() },
        );
    }
    let mut operands =
        Operands { src: [to.row, source, 0, 0], imm: to.offset, ..Operands::default() };
    let sized = instruction.operands.len() > 3 + hinted;
    if sized {
        operands.src[2] = lowering.source_row(&instruction.operands[3], Type::U32, false)?;
    }
    lowering.emit(Op::CopyAsync { bytes: size as u8, narrow_address: to.narrow, sized }, operands);
    Ok(())
}

/// `prefetch`, `discard` and `applypriority`: nothing to do, but the address must be one.
pub(crate) fn prefetch(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    _: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 2)?;
    lowering.address(lowering.nth(instruction, 0)?)?;
    lowering.emit(Op::Nop, Operands::default());
    Ok(())
}

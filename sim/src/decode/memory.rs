//! Loads, stores, atomics, copies.

use crate::isa::{Matched, Type};
use crate::program::{Access, AtomicOp, AtomicType, FloatType, List, MemorySpace, NO_ROW, Op};
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
        Some("shared" | "shared::cta") => MemorySpace::Shared,
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
        OperandKind::Vector(items) => items.as_slice(),
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

fn access(
    lowering: &Lowering<'_, '_>,
    matched: &Matched,
    address: &Address,
    count: usize,
    wide: bool,
) -> Access {
    let ty = matched.ty();
    Access {
        space: space(lowering, matched, address),
        bytes: ty.bytes() as u8,
        count: count as u8,
        signed: ty.is_signed(),
        wide,
        narrow_address: address.narrow,
        strong: matched.get("sem").is_some_and(|sem| sem != "weak"),
    }
}

/// `ld{...}.type d, [a]`.
pub(crate) fn ld(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 2)?;
    let items = elements(lowering, lowering.nth(instruction, 0)?, matched)?;
    let address = lowering.address(lowering.nth(instruction, 1)?)?;
    let wide = lane_width(lowering, items, matched.ty())?;
    let mut rows = Vec::new();
    for item in items {
        rows.push(match item.kind {
            OperandKind::Sink => NO_ROW,
            _ => lowering.destination(item, matched.ty(), true)?,
        });
    }
    let access = access(lowering, matched, &address, items.len(), wide);
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
    lowering.at_most(instruction, 2)?;
    let address = lowering.address(lowering.nth(instruction, 0)?)?;
    let operand = lowering.nth(instruction, 1)?;
    let items = elements(lowering, operand, matched)?;
    let wide = lane_width(lowering, items, matched.ty())?;
    let mut rows = Vec::new();
    for item in items {
        let row = lowering.source_row(item, matched.ty(), true)?;
        // Constants take the width of the registers beside them.
        rows.push(match item.kind {
            OperandKind::Int(value) if wide => lowering.constant(value, true),
            _ => row,
        });
    }
    if let Some(Symbol::KernelParam(_)) = address.symbol {
        return Err(lowering.error(instruction.span, "parameters of a kernel cannot be written"));
    }
    let access = access(lowering, matched, &address, items.len(), wide);
    let list: List = lowering.list(&rows);
    let src = [address.row, 0, 0, 0];
    lowering.emit(
        Op::Store(access, list),
        Operands { src, imm: address.offset, ..Operands::default() },
    );
    Ok(())
}

fn atomic(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
    result: bool,
) -> Result<(), Refusal> {
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
    let first = usize::from(result);
    let values = if op == AtomicOp::CompareSwap { 2 } else { 1 };
    lowering.at_most(instruction, first + 1 + values)?;
    let mut operands = Operands::default();
    if result {
        operands.dst = lowering.destination(lowering.nth(instruction, 0)?, matched.ty(), false)?;
    }
    let address = lowering.address(lowering.nth(instruction, first)?)?;
    operands.src[0] = address.row;
    operands.imm = address.offset;
    for i in 0..values {
        let operand = lowering.nth(instruction, first + 1 + i)?;
        operands.src[1 + i] = lowering.source_row(operand, matched.ty(), false)?;
    }
    let space = space(lowering, matched, &address);
    lowering.emit(Op::Atomic { op, ty, space, narrow_address: address.narrow, result }, operands);
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

/// `red{...}.op.type [a], b`.
pub(crate) fn red(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    atomic(lowering, instruction, matched, false)
}

/// `cp.async.ca.shared.global [d], [s], size{, source size}`: copied at once, which every later wait
/// permits.
pub(crate) fn cp_async(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 4)?;
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
    let sized = instruction.operands.len() > 3;
    if sized {
        operands.src[2] = lowering.source_row(&instruction.operands[3], Type::U32, false)?;
    }
    lowering.emit(Op::CopyAsync { bytes: size as u8, narrow_address: to.narrow, sized }, operands);
    Ok(())
}

/// `prefetch`: nothing to do, but the address must be one.
pub(crate) fn prefetch(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    _: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 1)?;
    lowering.address(lowering.nth(instruction, 0)?)?;
    lowering.emit(Op::Nop, Operands::default());
    Ok(())
}

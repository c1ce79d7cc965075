//! Barriers in memory, bulk copies, clusters of one block.
//!
//! Copies are made when they are issued, which every later wait permits; a block is its own cluster.

use crate::isa::{Matched, Type};
use crate::program::{
    BarrierKind, MemoryBarrier, MemoryBarrierOp, MemorySpace, NO_ROW, Op, PRED_SINK,
};
use crate::syntax::Instruction;

use super::operands::Address;
use super::{Lowering, Operands, Refusal, memory};

/// The number of the barrier that all threads of a cluster share, above those of the program.
pub(crate) const CLUSTER_BARRIER: u32 = 16;

fn emit(
    lowering: &mut Lowering<'_, '_>,
    op: MemoryBarrierOp,
    address: &Address,
    dst: u32,
    value: Option<u32>,
) {
    let barrier = MemoryBarrier { op, narrow_address: address.narrow, counted: value.is_some() };
    let src = [address.row, value.unwrap_or(NO_ROW), NO_ROW, NO_ROW];
    let operands = Operands { dst, src, imm: address.offset, ..Operands::default() };
    lowering.emit(Op::MemoryBarrier(barrier), operands);
}

/// A destination of a state, which need not be wanted.
fn state(lowering: &mut Lowering<'_, '_>, instruction: &Instruction<'_>) -> Result<u32, Refusal> {
    lowering.destination(lowering.nth(instruction, 0)?, Type::B64, false)
}

/// `mbarrier.op{...}.b64`, with its operands by the operation.
pub(crate) fn mbarrier(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 4)?;
    let word = |lowering: &mut Lowering<'_, '_>, n: usize, ty| -> Result<u32, Refusal> {
        lowering.source_row(lowering.nth(instruction, n)?, ty, false)
    };
    let at = |lowering: &mut Lowering<'_, '_>, n: usize| -> Result<Address, Refusal> {
        lowering.address(lowering.nth(instruction, n)?)
    };
    let scratch = lowering.scratch64();
    match matched.get("op").unwrap_or("") {
        "init" => {
            let address = at(lowering, 0)?;
            let count = word(lowering, 1, Type::U32)?;
            emit(lowering, MemoryBarrierOp::Init, &address, scratch, Some(count));
        }
        "inval" => {
            let address = at(lowering, 0)?;
            emit(lowering, MemoryBarrierOp::Invalidate, &address, scratch, None);
        }
        name @ ("expect_tx" | "complete_tx") => {
            let address = at(lowering, 0)?;
            let bytes = word(lowering, 1, Type::U32)?;
            let op = if name == "expect_tx" {
                MemoryBarrierOp::Expect
            } else {
                MemoryBarrierOp::Complete
            };
            emit(lowering, op, &address, scratch, Some(bytes));
        }
        name @ ("arrive" | "arrive_drop") => {
            let drop = name == "arrive_drop";
            let dst = state(lowering, instruction)?;
            let address = at(lowering, 1)?;
            let count = match instruction.operands.len() {
                0..=2 => None,
                _ => Some(word(lowering, 2, Type::U32)?),
            };
            let op = match matched.has("expect") {
                true if count.is_none() => {
                    return Err(lowering.error(instruction.span, "`.expect_tx` needs a count"));
                }
                true => MemoryBarrierOp::ArriveExpect { drop },
                false => MemoryBarrierOp::Arrive { drop },
            };
            emit(lowering, op, &address, dst, count);
        }
        "pending_count" => {
            let dst = lowering.destination(lowering.nth(instruction, 0)?, Type::U32, false)?;
            let state = word(lowering, 1, Type::B64)?;
            let address = Address { row: state, offset: 0, narrow: false, symbol: None };
            emit(lowering, MemoryBarrierOp::Pending, &address, dst, Some(state));
        }
        _ => {
            let dst = lowering.predicate_destination(lowering.nth(instruction, 0)?)?;
            let address = at(lowering, 1)?;
            let (op, ty) = if matched.has("parity") {
                (MemoryBarrierOp::TestParity, Type::U32)
            } else {
                (MemoryBarrierOp::Test, Type::B64)
            };
            let phase = word(lowering, 2, ty)?;
            let barrier = MemoryBarrier { op, narrow_address: address.narrow, counted: false };
            let src = [address.row, phase, NO_ROW, NO_ROW];
            let operands = Operands { dst, src, imm: address.offset, dst2: PRED_SINK };
            lowering.emit(Op::MemoryBarrier(barrier), operands);
        }
    }
    Ok(())
}

/// `cp.async.mbarrier.arrive{.noinc}.b64 [a]`: the copies are done, so the arrival is now; without
/// `.noinc` it was added to the pending ones first, which leaves the barrier as it is.
pub(crate) fn cp_async_arrive(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 1)?;
    let address = lowering.address(lowering.nth(instruction, 0)?)?;
    if matched.has("noinc") {
        let dst = lowering.scratch64();
        emit(lowering, MemoryBarrierOp::Arrive { drop: false }, &address, dst, None);
    } else {
        lowering.emit(Op::Nop, Operands::default());
    }
    Ok(())
}

fn space(word: Option<&str>) -> MemorySpace {
    if word == Some("global") { MemorySpace::Global } else { MemorySpace::Shared }
}

/// The row (64-bit lanes) of an address operand, offset included.
fn full_address(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    n: usize,
) -> Result<u32, Refusal> {
    let address = lowering.address(lowering.nth(instruction, n)?)?;
    let mut row = address.row;
    if address.narrow {
        let wide = lowering.scratch64();
        let convert = crate::program::Convert {
            from: Type::U32,
            to: Type::U64,
            rounding: crate::program::Rounding::Zero,
            integral: false,
            ftz: false,
            sat: false,
            wide: [false, true],
        };
        let src = [row, NO_ROW, NO_ROW, NO_ROW];
        let operands = Operands { dst: wide, src, ..Operands::default() };
        lowering.emit(Op::Convert(convert), operands);
        row = wide;
    }
    if address.offset != 0 {
        let dst = lowering.scratch64();
        let src = [row, NO_ROW, NO_ROW, NO_ROW];
        let imm = address.offset;
        lowering.emit(Op::AddImmediate, Operands { dst, src, imm, ..Operands::default() });
        row = dst;
    }
    Ok(row)
}

fn copy(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<u32, Refusal> {
    let to = full_address(lowering, instruction, 0)?;
    let from = full_address(lowering, instruction, 1)?;
    let bytes = lowering.source_row(lowering.nth(instruction, 2)?, Type::U32, false)?;
    let op = Op::CopyBulk { to: space(matched.get("target")), from: space(matched.get("source")) };
    let src = [to, from, bytes, NO_ROW];
    lowering.emit(op, Operands { src, ..Operands::default() });
    Ok(bytes)
}

/// `cp.async.bulk.dst.src.mbarrier::complete_tx::bytes [d], [s], size, [barrier]{, mask}{, policy}`.
pub(crate) fn copy_bulk(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 6)?;
    let bytes = copy(lowering, instruction, matched)?;
    let address = lowering.address(lowering.nth(instruction, 3)?)?;
    let scratch = lowering.scratch64();
    emit(lowering, MemoryBarrierOp::Complete, &address, scratch, Some(bytes));
    Ok(())
}

/// `cp.async.bulk.global.shared::cta.bulk_group [d], [s], size{, policy}`.
pub(crate) fn copy_bulk_out(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 4)?;
    copy(lowering, instruction, matched).map(drop)
}

/// `cp.async.bulk.prefetch.L2.global [s], size{, policy}`: nothing to do.
pub(crate) fn prefetch_bulk(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    _: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 3)?;
    lowering.address(lowering.nth(instruction, 0)?)?;
    lowering.emit(Op::Nop, Operands::default());
    Ok(())
}

/// `st.async...type [a], b, [barrier]`: a store whose bytes complete on the barrier.
pub(crate) fn st_async(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 3)?;
    let bytes = memory::store(lowering, instruction, matched, MemorySpace::Shared)?;
    let address = lowering.address(lowering.nth(instruction, 2)?)?;
    let count = lowering.constant(bytes, false);
    let scratch = lowering.scratch64();
    emit(lowering, MemoryBarrierOp::Complete, &address, scratch, Some(count));
    Ok(())
}

/// `mapa{.space}.type d, a, b`: an address in the only block of the cluster is itself.
pub(crate) fn mapa(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let operands = lowering.operands(instruction, "=T T u32", matched)?;
    lowering.move_row(operands.dst, operands.src[0], matched.ty().bits() == 64);
    Ok(())
}

/// `getctarank{.space}.type d, a`.
pub(crate) fn getctarank(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let operands = lowering.operands(instruction, "=u32 T", matched)?;
    let zero = lowering.constant(0, false);
    lowering.move_row(operands.dst, zero, false);
    Ok(())
}

/// `barrier.cluster.arrive` and `.wait`: the threads meet at the wait.
pub(crate) fn barrier_cluster(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 0)?;
    if matched.get("op") == Some("arrive") {
        lowering.emit(Op::Nop, Operands::default());
        return Ok(());
    }
    let number = lowering.constant(CLUSTER_BARRIER.into(), false);
    let src = [number, NO_ROW, NO_ROW, NO_ROW];
    let op =
        Op::Barrier { kind: BarrierKind::Sync, aligned: matched.has("aligned"), counted: false };
    // That the number is not the program's own.
    lowering.emit(op, Operands { src, imm: 1, ..Operands::default() });
    Ok(())
}

//! Barriers in memory, bulk copies, clusters of blocks.
//!
//! Copies are made when they are issued, which every later wait permits.

use crate::isa::{Matched, Type};
use crate::program::{MemoryBarrier, MemoryBarrierOp, MemorySpace, NO_ROW, Op, PRED_SINK};
use crate::syntax::Instruction;

use super::operands::Address;
use super::{Lowering, Operands, Refusal, memory};

fn emit(
    lowering: &mut Lowering<'_, '_>,
    op: MemoryBarrierOp,
    address: &Address,
    dst: u32,
    value: Option<u32>,
) {
    let barrier = MemoryBarrier {
        op,
        narrow_address: address.narrow,
        counted: value.is_some(),
        multicast: false,
    };
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
            let barrier = MemoryBarrier {
                op,
                narrow_address: address.narrow,
                counted: false,
                multicast: false,
            };
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
            relu: false,
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

/// The copy of operand 1 to operand 0; the row of the number of bytes.
fn copy(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
    blocks: Option<u32>,
) -> Result<u32, Refusal> {
    let to = full_address(lowering, instruction, 0)?;
    let from = full_address(lowering, instruction, 1)?;
    let bytes = lowering.source_row(lowering.nth(instruction, 2)?, Type::U32, false)?;
    let op = Op::CopyBulk {
        to: space(matched.get("target")),
        from: space(matched.get("source")),
        multicast: blocks.is_some(),
    };
    let src = [to, from, bytes, blocks.unwrap_or(NO_ROW)];
    lowering.emit(op, Operands { src, ..Operands::default() });
    Ok(bytes)
}

/// `cp.async.bulk.dst.src.mbarrier::complete_tx::bytes [d], [s], size, [barrier]{, mask}{, policy}`.
pub(crate) fn copy_bulk(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let multicast = matched.has("multicast");
    lowering.at_most(instruction, 4 + usize::from(multicast) + usize::from(matched.has("hint")))?;
    let blocks = match multicast {
        true => Some(lowering.source_row(lowering.nth(instruction, 4)?, Type::U16, false)?),
        false => None,
    };
    let bytes = copy(lowering, instruction, matched, blocks)?;
    let address = lowering.address(lowering.nth(instruction, 3)?)?;
    complete(lowering, &address, bytes, blocks);
    Ok(())
}

/// So many bytes have come, for the barrier at an address, in some blocks of the cluster.
fn complete(lowering: &mut Lowering<'_, '_>, address: &Address, bytes: u32, blocks: Option<u32>) {
    let barrier = MemoryBarrier {
        op: MemoryBarrierOp::Complete,
        narrow_address: address.narrow,
        counted: true,
        multicast: blocks.is_some(),
    };
    let src = [address.row, bytes, blocks.unwrap_or(NO_ROW), NO_ROW];
    let dst = lowering.scratch64();
    let operands = Operands { dst, src, imm: address.offset, ..Operands::default() };
    lowering.emit(Op::MemoryBarrier(barrier), operands);
}

/// `cp.async.bulk.global.shared::cta.bulk_group [d], [s], size{, policy}`.
pub(crate) fn copy_bulk_out(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 4)?;
    copy(lowering, instruction, matched, None).map(drop)
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
    complete(lowering, &address, count, None);
    Ok(())
}

/// `red.async...op.type [a], b, [barrier]`.
pub(crate) fn red_async(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 3)?;
    let bytes = memory::red_async(lowering, instruction, matched)?;
    let address = lowering.address(lowering.nth(instruction, 2)?)?;
    let count = lowering.constant(bytes, false);
    complete(lowering, &address, count, None);
    Ok(())
}

/// `cp.reduce.async.bulk.dst.src.completion.op.type [d], [s], size{, [barrier]}{, policy}`.
pub(crate) fn reduce_bulk(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let completes = usize::from(matched.get("done") != Some("bulk_group"));
    lowering.at_most(instruction, 3 + completes + usize::from(matched.has("hint")))?;
    let to = full_address(lowering, instruction, 0)?;
    let from = full_address(lowering, instruction, 1)?;
    let bytes = lowering.source_row(lowering.nth(instruction, 2)?, Type::U32, false)?;
    let (op, ty) = memory::operation(matched);
    let [to_space, from_space] = ["target", "source"].map(|slot| space(matched.get(slot)));
    let op = Op::ReduceBulk { to: to_space, from: from_space, op, ty };
    let src = [to, from, bytes, NO_ROW];
    lowering.emit(op, Operands { src, ..Operands::default() });
    if completes == 1 {
        let address = lowering.address(lowering.nth(instruction, 3)?)?;
        complete(lowering, &address, bytes, None);
    }
    Ok(())
}

/// `st.bulk{.weak}{.shared::cta} [a], size, 0`.
pub(crate) fn st_bulk(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    _: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 3)?;
    let value = lowering.nth(instruction, 2)?;
    if lowering.integer_literal(value)? != 0 {
        return Err(lowering.error(value.span, "only zeros are stored in bulk"));
    }
    let address = full_address(lowering, instruction, 0)?;
    let bytes = lowering.source_row(lowering.nth(instruction, 1)?, Type::U64, false)?;
    let src = [address, bytes, NO_ROW, NO_ROW];
    lowering.emit(Op::ClearBulk, Operands { src, ..Operands::default() });
    Ok(())
}

/// `mapa{.space}.type d, a, b`.
pub(crate) fn mapa(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let operands = lowering.operands(instruction, "=T T u32", matched)?;
    lowering.emit(Op::MapRank { wide: matched.ty().bits() == 64 }, operands);
    Ok(())
}

/// `getctarank{.space}.type d, a`.
pub(crate) fn getctarank(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let operands = lowering.operands(instruction, "=u32 T", matched)?;
    lowering.emit(Op::RankOf { wide: matched.ty().bits() == 64 }, operands);
    Ok(())
}

/// `barrier.cluster.arrive` and `.wait`.
pub(crate) fn barrier_cluster(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 0)?;
    let aligned = matched.has("aligned");
    let op = if matched.get("op") == Some("arrive") {
        Op::ClusterArrive { aligned, releases: matched.get("sem") != Some("relaxed") }
    } else {
        Op::ClusterWait { aligned }
    };
    lowering.emit(op, Operands::default());
    Ok(())
}

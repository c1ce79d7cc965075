//! What a thread of a kernel knows by itself, and what the host does around launches.

use std::rc::Rc;

use gpuc_dialects::gpu::{self, DIMENSIONS};
use gpuc_ir::Op;
use smallvec::smallvec;

use super::memory::with_token;
use super::{Family, Handler, Step, leave, nothing};
use crate::fiber::Position;
use crate::grid::{Grid, SUBGROUP};
use crate::interpreter::{Fault, Interpreter};
use crate::value::{MemRef, RtValue};

pub(super) const OPS: Family = &[
    (gpu::ThreadIdOp::NAME, Handler::leaf(|m, op| dimension(m, op, |_, at, d| at.thread[d]))),
    (gpu::BlockIdOp::NAME, Handler::leaf(|m, op| dimension(m, op, |_, at, d| at.block[d]))),
    (gpu::BlockDimOp::NAME, Handler::leaf(|m, op| dimension(m, op, |grid, _, d| grid.threads[d]))),
    (gpu::GridDimOp::NAME, Handler::leaf(|m, op| dimension(m, op, |grid, _, d| grid.blocks[d]))),
    (
        gpu::GlobalIdOp::NAME,
        Handler::leaf(|m, op| {
            dimension(m, op, |grid, at, d| at.block[d] * grid.threads[d] + at.thread[d])
        }),
    ),
    (
        gpu::ClusterIdOp::NAME,
        Handler::leaf(|m, op| dimension(m, op, |grid, at, d| at.block[d] / grid.cluster[d])),
    ),
    (
        gpu::ClusterDimOp::NAME,
        Handler::leaf(|m, op| dimension(m, op, |grid, _, d| grid.blocks[d] / grid.cluster[d])),
    ),
    (
        gpu::ClusterBlockIdOp::NAME,
        Handler::leaf(|m, op| dimension(m, op, |grid, at, d| at.block[d] % grid.cluster[d])),
    ),
    (
        gpu::ClusterDimBlocksOp::NAME,
        Handler::leaf(|m, op| dimension(m, op, |grid, _, d| grid.cluster[d])),
    ),
    (gpu::LaneIdOp::NAME, Handler::leaf(|m, op| number(m, op, |_, linear| linear % SUBGROUP))),
    (gpu::SubgroupIdOp::NAME, Handler::leaf(|m, op| number(m, op, |_, linear| linear / SUBGROUP))),
    (
        gpu::NumSubgroupsOp::NAME,
        Handler::leaf(|m, op| number(m, op, |threads, _| threads.div_ceil(SUBGROUP))),
    ),
    (gpu::SubgroupSizeOp::NAME, Handler::leaf(|m, op| number(m, op, |_, _| SUBGROUP))),
    (gpu::DynamicSharedMemoryOp::NAME, Handler::leaf(dynamic_memory)),
    (gpu::WaitOp::NAME, Handler::leaf(|m, op| with_token(m, op, Vec::new()))),
    (gpu::HostRegisterOp::NAME, Handler::leaf(nothing)),
    (gpu::HostUnregisterOp::NAME, Handler::leaf(nothing)),
    (gpu::SetDefaultDeviceOp::NAME, Handler::leaf(nothing)),
    (gpu::TerminatorOp::NAME, Handler::leaf(leave)),
    (gpu::YieldOp::NAME, Handler::leaf(leave)),
];

/// The grid and the place of the thread that runs.
pub(super) fn place<'m>(m: &'m Interpreter<'_>, op: Op) -> Result<(&'m Grid, Position), Fault> {
    match (&m.grid, m.fiber.position) {
        (Some(grid), Some(position)) => Ok((grid, position)),
        _ => Err(m.error(op, "is executed outside a kernel")),
    }
}

fn dimension(m: &mut Interpreter<'_>, op: Op, f: fn(&Grid, Position, usize) -> i64) -> Step {
    let attr = m.ir.attr(op, "dimension");
    let d = attr.and_then(|attr| DIMENSIONS.number(&m.ir.ctx, attr));
    let Some(d) = d.and_then(|d| usize::try_from(d).ok()) else {
        return Err(m.error(op, "has no valid dimension"));
    };
    let (grid, position) = place(m, op)?;
    let value = f(grid, position, d);
    m.set_result(op, RtValue::index(value))
}

/// The number of a thread in its block, x fastest.
pub(super) fn linear(threads: [i64; 3], thread: [i64; 3]) -> usize {
    (thread[0] + threads[0] * (thread[1] + threads[1] * thread[2])) as usize
}

fn number(m: &mut Interpreter<'_>, op: Op, f: fn(usize, usize) -> usize) -> Step {
    let (grid, position) = place(m, op)?;
    let count = grid.threads.iter().product::<i64>() as usize;
    let value = f(count, linear(grid.threads, position.thread));
    m.set_result(op, RtValue::index(value as i64))
}

fn dynamic_memory(m: &mut Interpreter<'_>, op: Op) -> Step {
    let (grid, _) = place(m, op)?;
    let Some((buffer, size)) = grid.dynamic_memory else {
        return Err(m.error(op, "is executed outside a kernel"));
    };
    let shape = m.ir.ctx.shape(m.ir.ty(m.ir.result(op, 0)));
    let size = match shape {
        Some(&[extent]) if extent >= 0 => extent,
        _ => size,
    };
    let memref =
        MemRef { buffer, base: 0, offset: 0, sizes: smallvec![size], strides: smallvec![1] };
    m.set_result(op, RtValue::MemRef(Rc::new(memref)))
}

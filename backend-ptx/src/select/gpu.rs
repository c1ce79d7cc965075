//! `gpu`: what threads know and do together.

use gpuc_arch::WARP_SIZE;
use gpuc_dialects::gpu::{self, DIMENSIONS, SHUFFLE_MODES};
use gpuc_dialects::ptx::kinds::{FenceScope, PtxType, ShflMode, Space, SpecialRegister};
use gpuc_dialects::ptx::{
    AndOp, BarSyncOp, BarWarpSyncOp, MembarOp, OrOp, PackOp, RetOp, ShflOp, ShlOp, ShrOp,
    SpecialOp, SubOp, TimerOp, UnpackOp,
};
use gpuc_ir::{Op, OpView, Value};

use super::rules::Entry;
use super::{Lowered, Selected, Selector};

use SpecialRegister::*;

const THREAD: [SpecialRegister; 3] = [TidX, TidY, TidZ];
const BLOCK: [SpecialRegister; 3] = [CtaidX, CtaidY, CtaidZ];
const BLOCK_SIZE: [SpecialRegister; 3] = [NtidX, NtidY, NtidZ];
const GRID_SIZE: [SpecialRegister; 3] = [NctaidX, NctaidY, NctaidZ];

/// The rules of this file.
pub(super) const RULES: &[Entry] = &[
    (gpu::ThreadIdOp::def, |s, op| s.by_dimension(op, THREAD)),
    (gpu::BlockIdOp::def, |s, op| s.by_dimension(op, BLOCK)),
    (gpu::BlockDimOp::def, |s, op| s.by_dimension(op, BLOCK_SIZE)),
    (gpu::GridDimOp::def, |s, op| s.by_dimension(op, GRID_SIZE)),
    (gpu::GlobalIdOp::def, |s, op| s.global_id(op)),
    (gpu::LaneIdOp::def, |s, op| s.lane_id(op)),
    (gpu::SubgroupIdOp::def, |s, op| s.subgroup_id(op)),
    (gpu::NumSubgroupsOp::def, |s, op| s.num_subgroups(op)),
    (gpu::SubgroupSizeOp::def, |s, op| s.subgroup_size(op)),
    (gpu::BarrierOp::def, |s, op| s.barrier(op)),
    (gpu::ShuffleOp::def, |s, op| s.shuffle(op)),
    (gpu::DynamicSharedMemoryOp::def, |s, op| s.dynamic_shared_memory(op)),
    (gpu::ReturnOp::def, |s, op| s.end(op)),
    (gpu::AllReduceOp::def, |s, op| s.must_be_lowered(op)),
    (gpu::SubgroupReduceOp::def, |s, op| s.must_be_lowered(op)),
    (gpu::PrintfOp::def, |s, op| s.printf(op)),
];

impl Selector<'_, '_> {
    fn global_id(&mut self, op: Op) -> Selected<()> {
        let at = self.dimension(op)?;
        let [block, size, thread] =
            [BLOCK[at], BLOCK_SIZE[at], THREAD[at]].map(|register| self.index(register));
        let id = self.e.mul_add(block, size, thread);
        self.set_result(op, id);
        Ok(())
    }

    fn lane_id(&mut self, op: Op) -> Selected<()> {
        let lane = self.index(Laneid);
        self.set_result(op, lane);
        Ok(())
    }

    fn subgroup_id(&mut self, op: Op) -> Selected<()> {
        let [x, y, z] = THREAD.map(|register| self.special(register));
        let [nx, ny, _] = BLOCK_SIZE.map(|register| self.special(register));
        let row = self.e.mul_add(z, ny, y);
        let thread = self.e.mul_add(row, nx, x);
        self.warps(op, thread, 0)
    }

    fn num_subgroups(&mut self, op: Op) -> Selected<()> {
        let [nx, ny, nz] = BLOCK_SIZE.map(|register| self.special(register));
        let plane = self.e.mul(nx, ny);
        let threads = self.e.mul(plane, nz);
        self.warps(op, threads, WARP_SIZE - 1)
    }

    fn subgroup_size(&mut self, op: Op) -> Selected<()> {
        let size = self.e.i64(WARP_SIZE.into());
        self.set_result(op, size);
        Ok(())
    }

    fn barrier(&mut self, _: Op) -> Selected<()> {
        let build = self.e.start::<BarSyncOp>(&[]);
        self.e.insert(build);
        Ok(())
    }

    fn end(&mut self, op: Op) -> Selected<()> {
        if self.e.ir.operand_count(op) > 0 {
            return self.refuse(op, "a kernel returns no values");
        }
        let build = self.e.start::<RetOp>(&[]);
        self.e.insert(build);
        Ok(())
    }

    fn must_be_lowered(&self, op: Op) -> Selected<()> {
        let name = self.e.ir.name(op);
        self.refuse(op, format!("'{name}' must be lowered before code is generated"))
    }

    /// `offload.fence`: among all blocks of the device.
    pub fn fence(&mut self, _: Op) -> Selected<()> {
        let scope = FenceScope::Gl.attr(&mut self.e.ir.ctx);
        let build = self.e.start::<MembarOp>(&[]).attr(self.e.ir, "scope", scope);
        self.e.insert(build);
        Ok(())
    }

    /// `offload.time`.
    pub fn time(&mut self, op: Op) -> Selected<()> {
        let ty = self.e.ir.ctx.i64();
        let build = self.e.start::<TimerOp>(&[]).result(ty);
        let timer = self.e.insert(build);
        let value = self.e.ir.result(timer, 0);
        self.set_result(op, value);
        Ok(())
    }

    fn dimension(&self, op: Op) -> Selected<usize> {
        let number = self
            .e
            .ir
            .attr(op, "dimension")
            .and_then(|attr| DIMENSIONS.number(&self.e.ir.ctx, attr));
        match number {
            Some(number @ 0..=2) => Ok(number as usize),
            _ => self.unsupported(op),
        }
    }

    fn by_dimension(&mut self, op: Op, registers: [SpecialRegister; 3]) -> Selected<()> {
        let value = self.index(registers[self.dimension(op)?]);
        self.set_result(op, value);
        Ok(())
    }

    /// A special register.
    pub fn special(&mut self, register: SpecialRegister) -> Value {
        let register = register.attr(&mut self.e.ir.ctx);
        let ty = self.e.ir.ctx.i32();
        let build = self.e.start::<SpecialOp>(&[]).attr(self.e.ir, "register", register);
        let op = self.e.insert(build.result(ty));
        self.e.ir.result(op, 0)
    }

    /// A special register as an index.
    fn index(&mut self, register: SpecialRegister) -> Value {
        let value = self.special(register);
        self.e.extend(value, false)
    }

    /// The number of whole warps in a number of threads plus `more`.
    fn warps(&mut self, op: Op, threads: Value, more: u32) -> Selected<()> {
        let more = self.e.i32(more.into());
        let threads = self.e.add(threads, more);
        let (ty, amount) = (self.e.ir.ty(threads), self.e.i32(WARP_SIZE.ilog2().into()));
        let warps = self.e.typed::<ShrOp>(PtxType::U32, &[threads, amount], ty);
        let warps = self.e.extend(warps, false);
        self.set_result(op, warps);
        Ok(())
    }

    /// `nvvm.bar.warp.sync`.
    pub fn sync_warp(&mut self, op: Op) -> Selected<()> {
        let mask = self.operand(op, 0)?;
        let build = self.e.start::<BarWarpSyncOp>(&[mask]);
        self.e.insert(build);
        Ok(())
    }

    /// The lanes that take part in a shuffle in segments of `width` lanes: those of the own segment, so
    /// that the segments of a warp may go different ways; all, where segments are not told apart.
    fn members(&mut self, width: Value) -> Value {
        let lanes = i64::from(WARP_SIZE);
        let width = self.e.known_int(width).filter(|&width| width > 0 && width < lanes);
        let Some(width) = width.filter(|&width| lanes % width == 0) else {
            return self.e.i32(-1);
        };
        let lane = self.special(Laneid);
        let ty = self.e.ir.ty(lane);
        let [start, first] = [-width, (1 << width) - 1].map(|bits| self.e.i32(bits));
        let start = self.e.typed::<AndOp>(PtxType::B32, &[lane, start], ty);
        self.e.typed::<ShlOp>(PtxType::B32, &[first, start], ty)
    }

    /// A shuffle among the lanes of the warp, in segments of `width` lanes.
    fn shuffle(&mut self, op: Op) -> Selected<()> {
        let (value, lane, width) =
            (self.operand(op, 0)?, self.operand(op, 1)?, self.operand(op, 2)?);
        let mode =
            self.e.ir.attr(op, "mode").and_then(|attr| SHUFFLE_MODES.number(&self.e.ir.ctx, attr));
        let mode = match mode {
            Some(0) => ShflMode::Bfly,
            Some(1) => ShflMode::Up,
            Some(2) => ShflMode::Down,
            Some(3) => ShflMode::Idx,
            _ => return self.unsupported(op),
        };
        // Bits 8 to 12 mask the lane numbers that make up the segment, bits 0 to 4 are its last
        // lane (going up: its first).
        let lanes = i64::from(WARP_SIZE);
        let last = if mode == ShflMode::Up { 0 } else { lanes - 1 };
        let clamp = match self.e.known_int(width) {
            Some(width) if (1..=lanes).contains(&width) => self.e.i32((lanes - width) << 8 | last),
            Some(_) => {
                let message = format!("the width of a shuffle must be 1 to {lanes} lanes");
                return self.refuse(op, message);
            }
            None => {
                let ty = self.e.ir.ty(width);
                let (all, eight, last) = (self.e.i32(lanes), self.e.i32(8), self.e.i32(last));
                let outside = self.e.typed::<SubOp>(PtxType::S32, &[all, width], ty);
                let mask = self.e.typed::<ShlOp>(PtxType::B32, &[outside, eight], ty);
                self.e.typed::<OrOp>(PtxType::B32, &[mask, last], ty)
            }
        };
        let place = [lane, clamp, self.members(width)];
        let ty = self.e.ir.ty(value);
        if gpuc_dialects::ptx::register_width(self.e.ir, ty) == 32 {
            let (moved, valid) = self.shuffle_word(mode, value, place);
            self.set_results(op, &[moved, valid]);
            return Ok(());
        }
        let wide = self.e.ir.ctx.i64();
        let narrow = self.e.ir.ctx.i32();
        let bits = self.e.bitcast(value, wide);
        let unpack = self.e.start::<UnpackOp>(&[bits]).result(narrow).result(narrow);
        let halves = self.e.insert(unpack);
        let (low, high) = (self.e.ir.result(halves, 0), self.e.ir.result(halves, 1));
        let (low, valid) = self.shuffle_word(mode, low, place);
        let (high, _) = self.shuffle_word(mode, high, place);
        let pack = self.e.start::<PackOp>(&[low, high]).result(wide);
        let packed = self.e.insert(pack);
        let packed = self.e.ir.result(packed, 0);
        let moved = self.e.bitcast(packed, ty);
        self.set_results(op, &[moved, valid]);
        Ok(())
    }

    /// A shuffle of 32 bits; `place` is the other lane, the segments and the lanes that take part.
    fn shuffle_word(
        &mut self,
        mode: ShflMode,
        value: Value,
        [lane, clamp, members]: [Value; 3],
    ) -> (Value, Value) {
        let (ty, predicate) = (self.e.ir.ty(value), self.e.ir.ctx.i1());
        let mode = mode.attr(&mut self.e.ir.ctx);
        let build = self.e.start::<ShflOp>(&[value, lane, clamp, members]);
        let build = build.attr(self.e.ir, "mode", mode).result(ty).result(predicate);
        let op = self.e.insert(build);
        (self.e.ir.result(op, 0), self.e.ir.result(op, 1))
    }

    fn dynamic_shared_memory(&mut self, op: Op) -> Selected<()> {
        let name = self.dynamic_shared_variable();
        let base = self.address_of(&name, Space::Shared);
        let result = self.e.ir.result(op, 0);
        let buffer = self.whole_buffer(self.e.ir.ty(result), base, Space::Shared);
        self.dynamic_shared = true;
        self.set(result, Lowered::Buffer(buffer));
        Ok(())
    }
}

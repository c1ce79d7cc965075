//! Copies from global memory to memory of the block in the background (`cp.async`).

use gpuc_arch::Feature;
use gpuc_dialects::nvvm::CpAsyncWaitGroupOp;
use gpuc_dialects::ptx::kinds::{PtxType, Space};
use gpuc_dialects::ptx::{CpAsyncCommitOp, CpAsyncOp, CpAsyncWaitOp, LdOp, StOp};
use gpuc_ir::{Op, OpView, Value};

use super::buffer::Address;
use super::{Selected, Selector};

impl Selector<'_, '_> {
    /// Selects a store whose elements one load has just read from global memory as a copy in the background; false where
    /// the store is to be one. The load goes when nothing else uses it.
    pub(super) fn copy_in_background(
        &mut self,
        op: Op,
        to: &Address,
        elements: &[Value],
    ) -> Selected<bool> {
        if !self.copies_in_background() || to.space != Space::Shared {
            return Ok(false);
        }
        let ir = &*self.e.ir;
        let Some(load) = elements.first().and_then(|&value| ir.defining_op(value)) else {
            return Ok(false);
        };
        let is_whole = LdOp::is(ir, load) && ir.results(load) == elements;
        let ctx = &ir.ctx;
        let from_global = ir.attr(load, "space").and_then(|attr| Space::of(ctx, attr));
        let ty = ir.attr(load, "ty").and_then(|attr| PtxType::of(ctx, attr));
        let bytes = ty.map_or(0, |ty| i64::from(ty.width() / 8) * elements.len() as i64);
        if !is_whole
            || from_global != Some(Space::Global)
            || ![4, 8, 16].contains(&bytes)
            || !self.reads_the_same_now(load)
        {
            return Ok(false);
        }
        self.require(op, Feature::CpAsync)?;
        let ir = &mut *self.e.ir;
        let from = ir.operand(load, 0);
        let from_offset = ir.attr(load, "offset");
        let offset = self.offset_attr(to);
        let ir = &mut *self.e.ir;
        let bytes = ir.ctx.i64_attr(bytes);
        let copy = CpAsyncOp::new(ir, to.base, from).attr(ir, "bytes", bytes);
        let copy = copy.attr_option(ir, "offset", offset);
        let copy = copy.attr_option(ir, "from_offset", from_offset);
        self.e.insert(copy);
        Ok(true)
    }

    /// Whether the target has such copies; where it has not, stores are carried out at once.
    fn copies_in_background(&self) -> bool {
        self.module.options.arch.has(Feature::CpAsync)
    }

    /// Whether a load of the block that is being filled would read the same at its end: nothing behind it writes but to
    /// memory of the block.
    fn reads_the_same_now(&self, load: Op) -> bool {
        let ir = &*self.e.ir;
        let mut at = load;
        while let Some(next) = ir.next_op(at) {
            let is_of_block = StOp::is(ir, next)
                && ir.attr(next, "space").and_then(|attr| Space::of(&ir.ctx, attr))
                    == Some(Space::Shared);
            if !(is_of_block
                || ir.is_effect_free(next)
                || LdOp::is(ir, next)
                || CpAsyncOp::is(ir, next))
            {
                return false;
            }
            at = next;
        }
        ir.parent_block(load) == Some(self.e.block())
    }

    /// `nvvm.cp.async.commit.group`.
    pub(super) fn commit_copies(&mut self, _: Op) -> Selected<()> {
        if self.copies_in_background() {
            let build = self.e.start::<CpAsyncCommitOp>(&[]);
            self.e.insert(build);
        }
        Ok(())
    }

    /// `nvvm.cp.async.wait.group`.
    pub(super) fn wait_for_copies(&mut self, op: Op) -> Selected<()> {
        if !self.copies_in_background() {
            return Ok(());
        }
        let ir = &mut *self.e.ir;
        let groups = CpAsyncWaitGroupOp(op).n(ir).and_then(|attr| ir.ctx.i64_value(attr));
        let groups = ir.ctx.i64_attr(groups.unwrap_or(0));
        let build = self.e.start::<CpAsyncWaitOp>(&[]).attr(self.e.ir, "groups", groups);
        self.e.insert(build);
        Ok(())
    }
}

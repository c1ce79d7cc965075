//! `offload.grid_barrier`: the blocks of a grid meet in a word of memory.

use gpuc_dialects::ptx::kinds::{AtomicKind, Comparison, PtxType, SpecialRegister};
use gpuc_dialects::ptx::{AtomOp, BarSyncOp, BarWarpSyncOp, LdOp, OrOp, SubOp, XorOp};
use gpuc_ir::{Op, Value};

use super::buffer::Address;
use super::{Selected, Selector};

use SpecialRegister::*;

/// The top bit of the word, with the 1 that the block which turns it over would add itself.
const TURN: i64 = 0x8000_0001 - (1 << 32);

impl Selector<'_, '_> {
    /// One thread of each block arrives when the others have, and waits for the word's top bit to turn over:
    ///
    /// ```text
    /// bar.sync; if first thread:
    ///   old = atom.add.release(word, first block ? 2^31 + 1 - blocks : 1)
    ///   do seen = ld.acquire(word) while the top bits of seen and old are the same
    /// bar.warp.sync; bar.sync
    /// ```
    ///
    /// Nothing else makes the other threads of a warp wait for the one that looks at the word, and at `bar.sync` a warp
    /// arrives together.
    ///
    /// What the others of the block have done before is released with it, and what it acquires they see: by causality
    /// order through the block's barrier (PTX ISA 8.5 §8.8).
    pub fn grid_barrier(&mut self, op: Op) -> Selected<()> {
        let word = self.access(op, 0)?;
        let build = self.e.start::<BarSyncOp>(&[]);
        self.e.insert(build);
        let zero = self.e.i32(0);
        let thread = self.any_of([TidX, TidY, TidZ]);
        let is_first = self.e.compare(Comparison::Eq, PtxType::S32, thread, zero);
        let arrive = self.e.new_block_behind(&[]);
        let arriving = self.e.block();
        self.e.set_block(arrive);
        let wait = self.e.new_block_behind(&[]);
        self.e.set_block(wait);
        let rest = self.e.new_block_behind(&[]);
        self.e.set_dominator(rest, arriving);
        self.e.set_block(arriving);
        self.e.branch_if(is_first, (arrive, &[]), (rest, &[]));

        self.e.set_block(arrive);
        let block = self.any_of([CtaidX, CtaidY, CtaidZ]);
        let turns = self.e.compare(Comparison::Eq, PtxType::S32, block, zero);
        let [x, y, z] = [NctaidX, NctaidY, NctaidZ].map(|register| self.special(register));
        let plane = self.e.mul(x, y);
        let blocks = self.e.mul(plane, z);
        let narrow = self.e.ir.ctx.i32();
        let turn = self.e.i32(TURN);
        let lacking = self.e.typed::<SubOp>(PtxType::S32, &[turn, blocks], narrow);
        let one = self.e.i32(1);
        let added = self.e.select(turns, lacking, one);
        let old = self.arrive(&word, added);
        self.e.branch(wait, &[]);

        self.e.set_block(wait);
        let seen = self.acquired(&word);
        let turned = self.e.typed::<XorOp>(PtxType::B32, &[seen, old], narrow);
        let again = self.e.compare(Comparison::Ge, PtxType::S32, turned, zero);
        self.e.branch_if(again, (wait, &[]), (rest, &[]));

        self.e.set_block(rest);
        let all = self.e.i32(-1);
        let build = self.e.start::<BarWarpSyncOp>(&[all]);
        self.e.insert(build);
        let build = self.e.start::<BarSyncOp>(&[]);
        self.e.insert(build);
        Ok(())
    }

    /// 0 where all of three numbers are.
    fn any_of(&mut self, registers: [SpecialRegister; 3]) -> Value {
        let [x, y, z] = registers.map(|register| self.special(register));
        let narrow = self.e.ir.ctx.i32();
        let plane = self.e.typed::<OrOp>(PtxType::B32, &[x, y], narrow);
        self.e.typed::<OrOp>(PtxType::B32, &[plane, z], narrow)
    }

    /// `atom.add.release.gpu`; gives the old value.
    fn arrive(&mut self, word: &Address, added: Value) -> Value {
        let (space, ty) =
            (word.space.attr(&mut self.e.ir.ctx), PtxType::U32.attr(&mut self.e.ir.ctx));
        let kind = AtomicKind::Add.attr(&mut self.e.ir.ctx);
        let (unit, narrow) = (self.e.ir.ctx.unit_attr(), self.e.ir.ctx.i32());
        let offset = self.offset_attr(word);
        let build = self.e.start::<AtomOp>(&[word.base, added]);
        let build = build.attr(self.e.ir, "space", space).attr(self.e.ir, "kind", kind);
        let build = build.attr(self.e.ir, "ty", ty).attr_option(self.e.ir, "offset", offset);
        let build = build.attr(self.e.ir, "release", unit).result(narrow);
        let made = self.e.insert(build);
        self.e.ir.result(made, 0)
    }

    /// `ld.acquire.gpu`.
    fn acquired(&mut self, word: &Address) -> Value {
        let (space, ty) =
            (word.space.attr(&mut self.e.ir.ctx), PtxType::U32.attr(&mut self.e.ir.ctx));
        let (unit, narrow) = (self.e.ir.ctx.unit_attr(), self.e.ir.ctx.i32());
        let offset = self.offset_attr(word);
        let build = self.e.start::<LdOp>(&[word.base]).attr(self.e.ir, "space", space);
        let build = build.attr(self.e.ir, "ty", ty).attr_option(self.e.ir, "offset", offset);
        let build = build.attr(self.e.ir, "acquire", unit).result_group(&[narrow]);
        let made = self.e.insert(build);
        self.e.ir.result(made, 0)
    }
}

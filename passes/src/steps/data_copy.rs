//! `affine-data-copy-generate`: what loops touch of a buffer is copied into a small one of faster memory ahead of them, and back
//! behind them.
//!
//! Needs affine loads and stores of buffers whose box of elements has a constant size ([`TouchedBox`]). Leaves for each buffer
//! an allocation in the fast memory, copies in and out round the loop, as far out as the box stays the same, and accesses of the
//! copy. A loop that touches more than the fast memory holds is left as it is, and its inner ones are looked at. Named as
//! MLIR's pass, whose options and result it has, but for what would be wrong there: elements that the loop does not write
//! are copied in before they are copied out, nothing is read or written beside what the loop touches, and a buffer that
//! something else may touch meanwhile stays where it is.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineForOp, AffineLoadOp, AffineStoreOp};
use gpuc_dialects::memref;
use gpuc_ir::op::{EffectKind, Traits};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Block, DYNAMIC, Ir, Op, OpView, TypeKind, Value, WalkOrder};
use indexmap::{IndexMap, IndexSet};

use super::copy_nest::{Copied, Target, strides};
use super::normalize::promote;
use super::refusal::Refusal;
use super::trips::constant_trips;
use crate::analysis::access::{Access, Alias, Storage, access, alias, root};
use crate::analysis::nest::touched::TouchedBox;
use crate::analysis::slice::is_defined_inside;

gpuc_ir::pass! {
    /// Generate explicit copying for affine memory operations.
    AffineDataCopyGenerate = "affine-data-copy-generate" on "func.func" {
        /// KiB that the fast memory holds; without it any number.
        fast_mem_capacity: Option<i64> = None,
        /// The number of the fast memory.
        fast_mem_space: i64 = 1,
        /// Whether transfers copy, in place of loops.
        generate_dma: bool = true,
        /// Bytes below which loops copy all the same.
        min_dma_transfer: i64 = 0,
        /// Whether copies stand in loops that count by more than one, not round them.
        skip_non_unit_stride_loops: bool = false,
        /// The number of the memory that is copied from.
        slow_mem_space: i64 = 0,
        /// The number of the memory with the tags of transfers.
        tag_mem_space: i64 = 0,
        /// Whether buffers that are not known to be apart are taken to be.
        assume_apart: bool = false,
    }
}

const STEP: &str = "affine-data-copy-generate";

impl Pass for AffineDataCopyGenerate {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let numbers = [self.fast_mem_space, self.slow_mem_space, self.tag_mem_space];
        if numbers.iter().any(|number| !(0..=i64::from(u32::MAX)).contains(number))
            || self.fast_mem_capacity.is_some_and(|kib| !(0..=1 << 50).contains(&kib))
            || self.min_dma_transfer < 0
        {
            return Err(Diagnostic::error(
                "capacities, transfers and numbers of memories are from 0, numbers below 2^32",
            ));
        }
        let mut copies = Copies { options: self, nests: IndexSet::new(), said: Vec::new() };
        if let Some(&region) = ir.regions(op).first() {
            for block in ir.blocks(region).to_vec() {
                copies.block(ir, block);
            }
        }
        let Copies { nests, said, .. } = copies;
        for refusal in said {
            cx.report(refusal);
        }
        // Loops of one iteration are none.
        for nest in nests {
            for inner in ir.nested_ops(nest, WalkOrder::PostOrder) {
                if let Some(view) = AffineForOp::cast(ir, inner) {
                    promote(ir, view);
                }
            }
        }
        Ok(())
    }
}

struct Copies<'a> {
    options: &'a AffineDataCopyGenerate,
    /// Loops and waits of transfers that copy.
    nests: IndexSet<Op>,
    said: Vec<Diagnostic>,
}

/// What is touched of one buffer.
#[derive(Default)]
struct Touches {
    accesses: Vec<Access>,
    reads: bool,
    writes: bool,
}

impl Copies<'_> {
    /// Every loop of a block is a range for copies, and so is what stands between two of them.
    fn block(&mut self, ir: &mut Ir, block: Block) {
        let ops: Vec<Op> = ir.ops(block).collect();
        let mut range: Vec<Op> = Vec::new();
        for op in ops {
            if ir.has_trait(op, Traits::TERMINATOR) {
                break;
            }
            let Some(view) = AffineForOp::cast(ir, op) else {
                let begins = AffineLoadOp::is(ir, op) || AffineStoreOp::is(ir, op);
                if begins || !range.is_empty() {
                    range.push(op);
                }
                continue;
            };
            self.range(ir, &std::mem::take(&mut range));
            let goes_in = match self.options.skip_non_unit_stride_loops {
                true => view.step_value(ir) != 1,
                false => self.exceeds(ir, op),
            };
            match goes_in {
                true => self.block(ir, view.body(ir)),
                false => self.range(ir, &[op]),
            }
        }
        self.range(ir, &range);
    }

    /// Whether a loop is known to touch more than the fast memory holds.
    fn exceeds(&self, ir: &Ir, op: Op) -> bool {
        let Some(kib) = self.options.fast_mem_capacity else { return false };
        let all = self.touched(ir, &[op]);
        let bytes = |touches: &Touches| {
            let accesses: Vec<&Access> = touches.accesses.iter().collect();
            let elements = TouchedBox::of(ir, op, &accesses)?.elements()?;
            let ty = ir.ty(touches.accesses.first()?.buffer);
            elements.checked_mul(i64::try_from(memref::element_bytes(&ir.ctx, ty)?).ok()?)
        };
        let sum = all.values().filter_map(bytes).fold(0_i64, i64::saturating_add);
        sum > kib.saturating_mul(1024)
    }

    /// The buffers of slow memory that affine loads and stores in some operations touch, those that are read first.
    fn touched(&self, ir: &Ir, range: &[Op]) -> IndexMap<Value, Touches> {
        let mut all: IndexMap<Value, Touches> = IndexMap::new();
        let inside = range.iter().flat_map(|&op| ir.nested_ops(op, WalkOrder::PreOrder));
        for op in inside.filter(|&op| AffineLoadOp::is(ir, op) || AffineStoreOp::is(ir, op)) {
            let Some(found) = access(ir, op) else { continue };
            let outside = range.iter().all(|&op| !is_made_by(ir, found.buffer, op));
            let space = ir.ctx.memory_space(ir.ty(found.buffer)).flatten();
            let space = space.map_or(Some(0), |space| ir.ctx.i64_value(space));
            if !outside || space != Some(self.options.slow_mem_space) {
                continue;
            }
            let touches = all.entry(found.buffer).or_default();
            touches.reads |= !found.writes();
            touches.writes |= found.writes();
            touches.accesses.push(found);
        }
        all.sort_by(|_, a, _, b| b.reads.cmp(&a.reads));
        all
    }

    /// Copies what operations that follow each other touch.
    fn range(&mut self, ir: &mut Ir, range: &[Op]) {
        let (Some(&first), Some(&last)) = (range.first(), range.last()) else { return };
        let mut bytes = 0_i64;
        for (buffer, touches) in self.touched(ir, range) {
            match self.copied(ir, range, buffer, &touches) {
                Ok(copied) => {
                    bytes = bytes.saturating_add(copied.bytes);
                    self.nests.extend(copied.emit(ir, first, last));
                }
                Err(refusal) => self.said.push(refusal.remark(ir)),
            }
        }
        if self.options.fast_mem_capacity.is_some_and(|kib| bytes > kib.saturating_mul(1024)) {
            let text = "total size of all copy buffers for this block exceeds fast memory capacity";
            let place = ir.ctx.place(ir.location(first));
            self.said.push(Diagnostic::warning(text).at_option(place));
        }
    }

    /// How a buffer is copied.
    fn copied(
        &self,
        ir: &mut Ir,
        range: &[Op],
        buffer: Value,
        touches: &Touches,
    ) -> Result<Copied, Refusal> {
        let (first, op) = (range[0], touches.accesses[0].op);
        let refuse = |rule: &str| Err(Refusal::new(STEP, op, rule));
        let ty = ir.ty(buffer);
        let plain = ir.ctx.shape(ty).is_some_and(|shape| !shape.is_empty())
            && matches!(ir.ctx.type_kind(ty), TypeKind::MemRef { layout: None, .. });
        if !plain {
            return refuse("the buffer has no dimensions, or a layout of its own");
        }
        if let Some(other) = self.meanwhile(ir, range, buffer, touches.writes, &[]) {
            let rule = "something else may touch the buffer meanwhile";
            return Err(Refusal::new(STEP, other, rule));
        }
        let accesses: Vec<&Access> = touches.accesses.iter().collect();
        let Some(found) = TouchedBox::of(ir, first, &accesses) else {
            return refuse("what is touched of the buffer is no box of constant size");
        };
        let late = |value: &Value| range.iter().any(|&op| is_made_by(ir, *value, op));
        if found.values().iter().chain([&buffer]).any(late) {
            return refuse("where the box begins is computed among the accesses");
        }
        // Out of loops that it does not depend on.
        let (mut outermost, mut runs) = (None, true);
        let mut at = first;
        while let Some(view) = ir.parent_op(at).and_then(|outer| AffineForOp::cast(ir, outer)) {
            let outer = view.op();
            let mut needed = found.values().into_iter().chain([buffer]);
            let is_fixed = !needed.any(|value| is_defined_inside(ir, value, outer));
            let known = constant_trips(ir, view).is_some_and(|trips| trips > 0);
            // An iteration that is never executed has no elements to rely on.
            let may = known || ir.ctx.shape(ty).is_some_and(|s| !s.contains(&DYNAMIC));
            let alone = self.meanwhile(ir, &[outer], buffer, touches.writes, range).is_none();
            if !is_fixed || !may || !alone {
                break;
            }
            runs &= known;
            outermost = Some(outer);
            at = outer;
        }
        let covered = found.is_overwritten && runs;
        let bytes = found.elements().and_then(|elements| {
            let each = memref::element_bytes(&ir.ctx, ty).and_then(|n| i64::try_from(n).ok())?;
            elements.checked_mul(each)
        });
        let Some(bytes) = bytes else { return refuse("the box is larger than 64 bits can say") };
        // A transfer has one stride.
        let shape = ir.ctx.shape(ty).unwrap_or_default();
        let has_one_stride = strides(shape, &found).is_some_and(|all| all.len() <= 1);
        let by_transfer = self.options.generate_dma
            && bytes >= self.options.min_dma_transfer
            && found.is_whole()
            && has_one_stride;
        Ok(Copied {
            buffer,
            accesses: touches.accesses.iter().map(|access| access.op).collect(),
            copies_in: touches.reads || (touches.writes && !covered),
            copies_out: touches.writes,
            found,
            around: outermost,
            bytes,
            target: Target {
                space: self.options.fast_mem_space,
                tags: by_transfer.then_some(self.options.tag_mem_space),
            },
        })
    }

    /// An operation inside of some, but for those in `own`, that may touch a buffer other than by the affine accesses of it.
    fn meanwhile(
        &self,
        ir: &Ir,
        range: &[Op],
        buffer: Value,
        written: bool,
        own: &[Op],
    ) -> Option<Op> {
        let memory = root(ir, buffer);
        let storage = |root| Storage::of(ir, root);
        let other_memory = |other: Value, writes: bool| {
            other != memory
                && (self.options.assume_apart
                    || !(writes || written)
                    || alias(storage(other), storage(memory)) == Alias::No)
        };
        let hoisted = !own.is_empty();
        let touches = |&op: &Op| {
            // Waits of transfers that were made here are for buffers of these.
            let is_ours = self.nests.contains(&op);
            if is_ours || own.iter().any(|&inner| op == inner || ir.is_inside(op, inner)) {
                return false;
            }
            if let Some(found) = access(ir, op) {
                let affine = AffineLoadOp::is(ir, op) || AffineStoreOp::is(ir, op);
                let counted = found.buffer == buffer && affine && !hoisted;
                return !counted && !other_memory(found.root, found.writes());
            }
            if ir.is_effect_free(op)
                || ir.has_trait(op, Traits::RECURSIVE_EFFECTS)
                || ir.has_trait(op, Traits::TERMINATOR)
            {
                return false;
            }
            let Some(effects) = ir.effects(op) else { return true };
            effects.iter().any(|effect| match (effect.kind, effect.on) {
                (EffectKind::Allocate, _) => false,
                (_, None) => true,
                (kind, Some(on)) => !other_memory(root(ir, on), kind != EffectKind::Read),
            })
        };
        let mut inside = range.iter().flat_map(|&op| ir.nested_ops(op, WalkOrder::PreOrder));
        inside.find(touches)
    }
}

/// Whether a value is made by an operation, or inside of it.
fn is_made_by(ir: &Ir, value: Value, op: Op) -> bool {
    ir.defining_op(value) == Some(op) || is_defined_inside(ir, value, op)
}

//! Grids whose blocks wait for each other.

use gpuc_ir::op::{Effect, EffectKind, Effects, Traits, attrs, types};
use gpuc_ir::{Ir, Op, OpView, Value, op};

use super::{RegionOp, orders_memory};
use crate::gpu::GPUFuncOp;
use attrs::{I64, SYMBOL};

/// Name of the unit attribute of a kernel all of whose blocks run at once, which its launch makes sure of: they may wait for
/// each other ([`GridBarrierOp`]).
pub const RESIDENT_ATTR: &str = "offload.resident";

op! {
    /// A grid whose blocks may wait for each other: how many blocks of `threads` threads, at most `most`, the device
    /// runs at once of the kernel that is given the word, which `outline` names; 0 where it has no such launches. The
    /// word lies in memory of the device and belongs to the queue of the region: grids that run at once have different ones,
    /// and one that is done leaves it as the next needs it.
    ResidentGridOp = "offload.resident_grid" {
        results { word: One types::MEMREF, blocks: One types::INDEX }
        attrs { threads: Required I64, most: Required I64, kernel: Optional SYMBOL }
        format "$threads `,` $most ($kernel^)? attr-dict `:` type($word)"
        hooks { verify: Some(verify_grid), effects: Some(makes_word), result_name: Some(|_, _, index| Some(if index == 0 { "word" } else { "blocks" }.into())) }
    }
}

op! {
    /// Waits for all threads of the grid, and makes their memory accesses visible to each other. All threads reach it
    /// equally often. The blocks meet in a word of [`ResidentGridOp`], whose low 31 bits are 0 when nobody waits: all but one add 1, and
    /// that one as much as lacks to 2³¹, so that the top bit turns over when the last has come. So a word needs no
    /// preparation between barriers, nor between kernels.
    GridBarrierOp = "offload.grid_barrier" {
        operands { word: One types::MEMREF }
        format "$word attr-dict `:` type($word)"
        hooks { verify: Some(verify_barrier), effects: Some(meets) }
    }
}

fn makes_word(ir: &Ir, op: Op, effects: &mut Effects) {
    effects.push(Effect { kind: EffectKind::Allocate, on: Some(ir.result(op, 0)) });
}

fn meets(ir: &Ir, op: Op, effects: &mut Effects) {
    effects.push(Effect { kind: EffectKind::Write, on: Some(ir.operand(op, 0)) });
    orders_memory(ir, op, effects);
}

fn is_word(ir: &Ir, word: Value) -> bool {
    let ty = ir.ty(word);
    let is_i32 = ir.ctx.element(ty).and_then(|element| ir.ctx.int_width(element)) == Some(32);
    is_i32 && ir.ctx.shape(ty).is_some_and(<[i64]>::is_empty)
}

fn verify_grid(ir: &Ir, op: Op) -> Result<(), String> {
    let view = ResidentGridOp(op);
    let number = |attr| ir.attr(op, attr).and_then(|attr| ir.ctx.i64_value(attr)).unwrap_or(0);
    if !is_word(ir, view.word(ir)) {
        return Err("'word' must be a 'memref<i32>'".to_owned());
    }
    match number("threads") >= 1 && number("most") >= 1 {
        true => Ok(()),
        false => Err("needs a thread and a block at least".to_owned()),
    }
}

fn verify_barrier(ir: &Ir, op: Op) -> Result<(), String> {
    if !is_word(ir, GridBarrierOp(op).word(ir)) {
        return Err("'word' must be a 'memref<i32>'".to_owned());
    }
    for outer in ir.ancestors(op) {
        if ir.has_trait(outer, Traits::PARALLEL_LOOP) {
            return Err("stands in a parallel loop, whose iterations reach it unequally".to_owned());
        }
        if RegionOp::is(ir, outer) {
            return Ok(());
        }
        if GPUFuncOp::is(ir, outer) {
            return match ir.attr(outer, RESIDENT_ATTR) {
                Some(_) => Ok(()),
                None => Err(format!(
                    "stands in a kernel whose blocks need not run at once: it has no '{RESIDENT_ATTR}'"
                )),
            };
        }
    }
    Err("stands in no kernel".to_owned())
}

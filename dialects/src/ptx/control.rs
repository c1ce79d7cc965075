//! Control flow, barriers, communication within a warp (PTX ISA §9.7.8, §9.7.11, §9.7.12).

use gpuc_ir::op::{Effect, EffectKind, Effects, attrs, types};
use gpuc_ir::{Ir, Op, op};

use super::REGISTER;
use super::kinds::{FENCE_SCOPE, SHFL_MODE, SPECIAL_REGISTER, VOTE_MODE};

/// Everybody's memory may be different afterwards.
fn synchronizes(_: &Ir, _: Op, effects: &mut Effects) {
    effects.push(Effect { kind: EffectKind::Read, on: None });
    effects.push(Effect { kind: EffectKind::Write, on: None });
}

op! {
    /// `bra target;`
    BraOp = "ptx.bra" {
        operands { destOperands: Variadic REGISTER }
        successors { dest: One }
        traits TERMINATOR, PURE
        format "$dest (`(` $destOperands^ `:` type($destOperands) `)`)? attr-dict"
        hooks { successor_operands: Some(|ir, op, _| 0..ir.operand_count(op)) }
    }
}

op! {
    /// `@p bra target;`, then `bra` to the other.
    CondBraOp = "ptx.cond_bra" {
        operands { predicate: One types::I1, trueDestOperands: Variadic REGISTER, falseDestOperands: Variadic REGISTER }
        successors { trueDest: One, falseDest: One }
        traits TERMINATOR, PURE, ATTR_SIZED_OPERANDS
        format "$predicate `,` $trueDest (`(` $trueDestOperands^ `:` type($trueDestOperands) `)`)? `,` $falseDest (`(` $falseDestOperands^ `:` type($falseDestOperands) `)`)? attr-dict"
        hooks { successor_operands: Some(|ir, op, successor| {
            let sizes = CondBraOp(op).trueDestOperands(ir).len();
            if successor == 0 { 1..1 + sizes } else { 1 + sizes..ir.operand_count(op) }
        }) }
    }
}

op! {
    /// `ret;` A device function's result is stored into its return parameter first.
    RetOp = "ptx.ret" {
        operands { values: Variadic REGISTER }
        traits TERMINATOR, PURE, RETURN_LIKE
        format "attr-dict ($values^ `:` type($values))?"
    }
}

op! {
    /// `call.uni (result), function, (arguments);` with the parameters declared and moved around it
    /// (PTX ISA §7.1, §9.7.13.4): each argument is one `.param` of its register's type.
    CallOp = "ptx.call" {
        operands { args: Variadic REGISTER }
        results { results: Variadic REGISTER }
        attrs { callee: Required FLAT_SYMBOL }
        format "$callee `(` $args `)` attr-dict `:` functional-type(operands, results)"
        hooks { effects: Some(synchronizes) }
    }
}

op! {
    /// `trap;`: ends the kernel with an error.
    TrapOp = "ptx.trap" {
        format "attr-dict"
        hooks { effects: Some(synchronizes) }
    }
}

op! {
    /// `bar.sync 0;`: all threads of the block.
    BarSyncOp = "ptx.bar_sync" {
        traits NOT_INLINABLE
        format "attr-dict"
        hooks { effects: Some(synchronizes) }
    }
}

op! {
    /// `.pragma "text";`: what ptxas is asked to do from here on (PTX ISA §11.4). `nounroll` stands at
    /// the start of a loop.
    PragmaOp = "ptx.pragma" {
        attrs { text: Required STRING }
        format "$text attr-dict"
        hooks { effects: Some(synchronizes) }
    }
}

op! {
    /// `bar.warp.sync mask;`
    BarWarpSyncOp = "ptx.bar_warp_sync" {
        operands { mask: One types::I32 }
        format "$mask attr-dict"
        hooks { effects: Some(synchronizes) }
    }
}

op! {
    /// `membar.scope;`
    MembarOp = "ptx.membar" {
        attrs { scope: Required FENCE_SCOPE }
        format "$scope attr-dict"
        hooks { effects: Some(synchronizes) }
    }
}

op! {
    /// `mov.u32 d, %register;`
    SpecialOp = "ptx.special" {
        results { result: One types::I32 }
        attrs { register: Required SPECIAL_REGISTER }
        traits PURE
        format "$register attr-dict"
    }
}

op! {
    /// `mov.u64 d, %globaltimer;`: the time in nanoseconds, read anew by each.
    TimerOp = "ptx.timer" {
        results { result: One types::I64 }
        format "attr-dict"
        hooks { effects: Some(synchronizes) }
    }
}

op! {
    /// `shfl.sync.mode.b32 d|p, a, b, c, mask;`: `p` holds where the source lane was in range.
    ShflOp = "ptx.shfl" {
        operands { value: One REGISTER, lane: One types::I32, clamp: One types::I32, mask: One types::I32 }
        results { result: One REGISTER, valid: One types::I1 }
        attrs { mode: Required SHFL_MODE }
        types { result = same(value) "result has the type of the value" }
        format "$mode $value `,` $lane `,` $clamp `,` $mask attr-dict `:` type($value)"
        hooks { effects: Some(synchronizes) }
    }
}

op! {
    /// `vote.sync.mode d, p, mask;`
    VoteOp = "ptx.vote" {
        operands { predicate: One types::I1, mask: One types::I32 }
        results { result: One REGISTER }
        attrs { mode: Required VOTE_MODE }
        format "$mode $predicate `,` $mask attr-dict `:` type($result)"
        hooks { effects: Some(synchronizes) }
    }
}

op! {
    /// `activemask.b32 d;`
    ActivemaskOp = "ptx.activemask" {
        results { result: One types::I32 }
        format "attr-dict"
        hooks { effects: Some(synchronizes) }
    }
}

use attrs::{FLAT_SYMBOL, STRING};
use types::same;

//! What the threads of a block or subgroup do together.

use gpuc_ir::op::{Effect, EffectKind, TypeConstraint, attrs, types};
use gpuc_ir::{FloatKind, op};

use super::attributes::{ALL_REDUCE_OPERATION, SHUFFLE_MODE};
use super::syntax::THREAD_LOOPS;
use super::verify::{verify_all_reduce, verify_subgroup_reduce};
use crate::memref::no_effects;
use attrs::{STRING, UNIT};
use types::{ANY, I1, I32, INDEX, same};

static INTEGER_OR_FLOAT: TypeConstraint = TypeConstraint {
    summary: "Integer or Float",
    holds: |ctx, ty| ctx.is_signless_int_or_index(ty) || ctx.is_float(ty),
    build: None,
};

static REDUCIBLE: TypeConstraint = TypeConstraint {
    summary: "Integer or Float or vector of Integer or Float values of ranks 1",
    holds: |ctx, ty| {
        let element = ctx.element_or_self(ty);
        let number = ctx.is_signless_int(element) || ctx.is_float(element);
        number && (element == ty || ctx.shape(ty).is_some_and(|shape| shape.len() == 1))
    },
    build: None,
};

static I32_I64_F32_F64: TypeConstraint = TypeConstraint {
    summary: "i32, i64, f32 or f64",
    holds: |ctx, ty| {
        let width = ctx.int_width(ty).or(ctx.float_kind(ty).map(FloatKind::width));
        matches!(width, Some(32 | 64)) && (ctx.is_signless_int(ty) || ctx.is_float(ty))
    },
    build: None,
};

op! {
    /// Waits for all threads of the block, and makes their memory accesses visible to each other. In a
    /// mapped nest it may name the loops over threads that it synchronises, by their variables: then no
    /// rewriting can make it another loop's.
    BarrierOp = "gpu.barrier" {
        operands { threads: Variadic INDEX }
        format "(`synchronizes` `(` custom<ThreadLoops>($threads)^ `)`)? attr-dict"
        hooks { custom: &[THREAD_LOOPS] }
    }
}

op! {
    /// Combines a value of every thread of the block, by a named operation or by the region; all
    /// threads get the result.
    AllReduceOp = "gpu.all_reduce" {
        operands { value: One INTEGER_OR_FLOAT }
        results { result: One INTEGER_OR_FLOAT }
        attrs { op: Optional ALL_REDUCE_OPERATION, uniform: Optional UNIT }
        regions { body: Any }
        traits SAME_OPERANDS_AND_RESULT_TYPE, ISOLATED_FROM_ABOVE
        format "` ` ($op^)? $value (`uniform` $uniform^)? $body attr-dict `:` functional-type(operands, results)"
        hooks { verify: Some(verify_all_reduce) }
    }
}

op! {
    /// Combines a value of every thread of the subgroup; all threads of it get the result.
    SubgroupReduceOp = "gpu.subgroup_reduce" {
        operands { value: One REDUCIBLE }
        results { result: One REDUCIBLE }
        attrs { op: Required ALL_REDUCE_OPERATION, uniform: Optional UNIT }
        traits SAME_OPERANDS_AND_RESULT_TYPE
        format "` ` $op $value (`uniform` $uniform^)? attr-dict `:` functional-type(operands, results)"
        hooks { verify: Some(verify_subgroup_reduce) }
    }
}

op! {
    /// The value of another lane of the subgroup, and whether that lane took part. Known to have no
    /// effects, yet not pure: it must stay where all lanes that it names execute it.
    ShuffleOp = "gpu.shuffle" {
        operands { value: One I32_I64_F32_F64, offset: One I32, width: One I32 }
        results { shuffleResult: One I32_I64_F32_F64, valid: One I1 }
        attrs { mode: Required SHUFFLE_MODE }
        types { shuffleResult = same(value) "all of {value, shuffleResult} have same type" }
        format "` ` $mode $value `,` $offset `,` $width attr-dict `:` type($value)"
        hooks {
            effects: Some(no_effects),
            result_name: Some(|_, _, index| Some(if index == 0 { "shuffleResult" } else { "valid" }.into())),
        }
    }
}

op! {
    /// Ends the region of an `gpu.all_reduce` with the combined value.
    YieldOp = "gpu.yield" {
        operands { values: Variadic ANY }
        traits PURE, TERMINATOR, RETURN_LIKE
        format "attr-dict ($values^ `:` type($values))?"
    }
}

op! {
    /// Prints like C's `printf`, from the device.
    PrintfOp = "gpu.printf" {
        operands { args: Variadic ANY }
        attrs { format: Required STRING }
        format "$format attr-dict ($args^ `:` type($args))?"
        hooks { effects: Some(|_, _, effects| effects.push(Effect { kind: EffectKind::Write, on: None })) }
    }
}

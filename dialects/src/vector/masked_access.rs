//! Loads and stores of the elements that a mask selects.

use gpuc_ir::op;
use gpuc_ir::op::{TypeConstraint, types};
use gpuc_ir::{Ir, Op, Type};

use super::mask::MASK;
use crate::memref::{read, write};
use types::{ANY, INDEX, MEMREF, VECTOR};

static MASK_ROW: TypeConstraint = TypeConstraint {
    summary: "vector of 1-bit signless integer values of ranks 1",
    holds: |ctx, ty| (MASK.holds)(ctx, ty) && ctx.shape(ty).is_some_and(|s| s.len() == 1),
    build: None,
};

/// Upstream's words for it have a hole.
static ROW: TypeConstraint = TypeConstraint {
    summary: " of ranks 1",
    holds: |ctx, ty| ctx.is_vector(ty) && ctx.shape(ty).is_some_and(|s| s.len() == 1),
    build: None,
};

static INDICES: TypeConstraint = TypeConstraint {
    summary: "vector of integer or index values",
    holds: |ctx, ty| {
        ctx.is_vector(ty)
            && ctx.element(ty).is_some_and(|e| ctx.is_index(e) || ctx.int_width(e).is_some())
    },
    build: None,
};

static INDEX_ROW: TypeConstraint = TypeConstraint {
    summary: "vector of integer or index values of ranks 1",
    holds: |ctx, ty| (INDICES.holds)(ctx, ty) && ctx.shape(ty).is_some_and(|s| s.len() == 1),
    build: None,
};

op! {
    /// Loads the elements whose bit is set; the others are those of `pass_thru`.
    MaskedLoadOp = "vector.maskedload" {
        operands { base: One MEMREF, indices: Variadic INDEX, mask: One MASK_ROW, pass_thru: One ROW }
        results { result: One ROW }
        format "$base `[` $indices `]` `,` $mask `,` $pass_thru attr-dict `:` type($base) `,` type($mask) `,` type($pass_thru) `into` type($result)"
        hooks {
            verify: Some(verify_load),
            effects: Some(|ir, op, effects| read(effects, ir.operand(op, 0))),
        }
    }
}

op! {
    /// Stores the elements whose bit is set.
    MaskedStoreOp = "vector.maskedstore" {
        operands { base: One MEMREF, indices: Variadic INDEX, mask: One MASK_ROW, valueToStore: One ROW }
        format "$base `[` $indices `]` `,` $mask `,` $valueToStore attr-dict `:` type($base) `,` type($mask) `,` type($valueToStore)"
        hooks {
            verify: Some(verify_store),
            effects: Some(|ir, op, effects| write(effects, ir.operand(op, 0))),
        }
    }
}

op! {
    /// Loads elements at the last index plus a number for each, where their bit is set; the others are those of
    /// `pass_thru`.
    GatherOp = "vector.gather" {
        operands {
            base: One ANY,
            indices: Variadic INDEX,
            index_vec: One INDICES,
            mask: One MASK,
            pass_thru: One VECTOR,
        }
        results { result: One VECTOR }
        format "$base `[` $indices `]` `[` $index_vec `]` `,` $mask `,` $pass_thru attr-dict `:` type($base) `,` type($index_vec) `,` type($mask) `,` type($pass_thru) `into` type($result)"
        hooks {
            verify: Some(verify_gather),
            effects: Some(|ir, op, effects| {
                let base = ir.operand(op, 0);
                if ir.ctx.is_memref(ir.ty(base)) {
                    read(effects, base);
                }
            }),
        }
    }
}

op! {
    /// Stores elements at the last index plus a number for each, in order, where their bit is set.
    ScatterOp = "vector.scatter" {
        operands {
            base: One MEMREF,
            indices: Variadic INDEX,
            index_vec: One INDEX_ROW,
            mask: One MASK_ROW,
            valueToStore: One ROW,
        }
        format "$base `[` $indices `]` `[` $index_vec `]` `,` $mask `,` $valueToStore attr-dict `:` type($base) `,` type($index_vec) `,` type($mask) `,` type($valueToStore)"
        hooks {
            verify: Some(verify_scatter),
            effects: Some(|ir, op, effects| write(effects, ir.operand(op, 0))),
        }
    }
}

op! {
    /// Loads elements that follow each other in memory to the places whose bit is set.
    ExpandLoadOp = "vector.expandload" {
        operands { base: One MEMREF, indices: Variadic INDEX, mask: One MASK_ROW, pass_thru: One ROW }
        results { result: One ROW }
        format "$base `[` $indices `]` `,` $mask `,` $pass_thru attr-dict `:` type($base) `,` type($mask) `,` type($pass_thru) `into` type($result)"
        hooks {
            verify: Some(verify_load),
            effects: Some(|ir, op, effects| read(effects, ir.operand(op, 0))),
        }
    }
}

op! {
    /// Stores the elements whose bit is set one behind the other.
    CompressStoreOp = "vector.compressstore" {
        operands { base: One MEMREF, indices: Variadic INDEX, mask: One MASK_ROW, valueToStore: One ROW }
        format "$base `[` $indices `]` `,` $mask `,` $valueToStore attr-dict `:` type($base) `,` type($mask) `,` type($valueToStore)"
        hooks {
            verify: Some(verify_store),
            effects: Some(|ir, op, effects| write(effects, ir.operand(op, 0))),
        }
    }
}

/// What all of them have in common; `is_indexed` by a vector of numbers, and `loads` or stores.
fn verify(ir: &Ir, op: Op, is_indexed: bool, loads: bool) -> Result<(), String> {
    // Behind the indices, last first.
    let types: Vec<Type> = ir.operands(op).map(|value| ir.ty(value)).collect();
    let last = |n: usize| types[types.len() - 1 - n];
    let (vector, name) = match loads {
        true => (ir.ty(ir.result(op, 0)), "result"),
        false => (last(0), "valueToStore"),
    };
    let shape = |ty: Type| ir.ctx.shape(ty).unwrap_or_default();
    if ir.ctx.element(types[0]) != ir.ctx.element(vector) {
        return Err(format!("base and {name} element type should match"));
    }
    let rank = shape(types[0]).len();
    if types.len().saturating_sub(3 + usize::from(is_indexed)) != rank {
        return Err(format!("requires {rank} indices"));
    }
    if is_indexed && shape(last(2)) != shape(vector) {
        return Err(format!("expected {name} dim to match indices dim"));
    }
    if shape(last(1)) != shape(vector) {
        return Err(format!("expected {name} dim to match mask dim"));
    }
    match loads && last(0) != vector {
        true => Err(format!("expected pass_thru of same type as {name} type")),
        false => Ok(()),
    }
}

fn verify_load(ir: &Ir, op: Op) -> Result<(), String> {
    verify(ir, op, false, true)
}

fn verify_store(ir: &Ir, op: Op) -> Result<(), String> {
    verify(ir, op, false, false)
}

fn verify_gather(ir: &Ir, op: Op) -> Result<(), String> {
    verify(ir, op, true, true)
}

fn verify_scatter(ir: &Ir, op: Op) -> Result<(), String> {
    verify(ir, op, true, false)
}

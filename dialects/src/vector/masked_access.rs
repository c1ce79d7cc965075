//! Loads and stores of the elements that a mask selects.

use gpuc_ir::op;
use gpuc_ir::op::{TypeConstraint, types};
use gpuc_ir::{Ir, Op, Type, Value};

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

/// What all of them have in common.
struct Access {
    base: Type,
    indices: usize,
    index_vec: Option<Type>,
    mask: Type,
    /// The vector that is loaded or stored, and what it is called.
    vector: (Type, &'static str),
    pass_thru: Option<Type>,
}

fn verify(ir: &Ir, access: &Access) -> Result<(), String> {
    let (vector, name) = access.vector;
    let shape = |ty: Type| ir.ctx.shape(ty).unwrap_or_default();
    if ir.ctx.element(access.base) != ir.ctx.element(vector) {
        return Err(format!("base and {name} element type should match"));
    }
    let rank = shape(access.base).len();
    if access.indices != rank {
        return Err(format!("requires {rank} indices"));
    }
    if access.index_vec.is_some_and(|ty| shape(ty) != shape(vector)) {
        return Err(format!("expected {name} dim to match indices dim"));
    }
    if shape(access.mask) != shape(vector) {
        return Err(format!("expected {name} dim to match mask dim"));
    }
    match access.pass_thru {
        Some(ty) if ty != vector => Err(format!("expected pass_thru of same type as {name} type")),
        _ => Ok(()),
    }
}

/// The operands' types behind the indices, last first.
fn last_types(ir: &Ir, op: Op) -> Vec<Type> {
    let values: Vec<Value> = ir.operands(op).collect();
    values.into_iter().rev().map(|value| ir.ty(value)).collect()
}

fn verify_load(ir: &Ir, op: Op) -> Result<(), String> {
    let types = last_types(ir, op);
    verify(
        ir,
        &Access {
            base: ir.ty(ir.operand(op, 0)),
            indices: types.len().saturating_sub(3),
            index_vec: None,
            mask: types[1],
            vector: (ir.ty(ir.result(op, 0)), "result"),
            pass_thru: Some(types[0]),
        },
    )
}

fn verify_store(ir: &Ir, op: Op) -> Result<(), String> {
    let types = last_types(ir, op);
    verify(
        ir,
        &Access {
            base: ir.ty(ir.operand(op, 0)),
            indices: types.len().saturating_sub(3),
            index_vec: None,
            mask: types[1],
            vector: (types[0], "valueToStore"),
            pass_thru: None,
        },
    )
}

fn verify_gather(ir: &Ir, op: Op) -> Result<(), String> {
    let types = last_types(ir, op);
    verify(
        ir,
        &Access {
            base: ir.ty(ir.operand(op, 0)),
            indices: types.len().saturating_sub(4),
            index_vec: Some(types[2]),
            mask: types[1],
            vector: (ir.ty(ir.result(op, 0)), "result"),
            pass_thru: Some(types[0]),
        },
    )
}

fn verify_scatter(ir: &Ir, op: Op) -> Result<(), String> {
    let types = last_types(ir, op);
    verify(
        ir,
        &Access {
            base: ir.ty(ir.operand(op, 0)),
            indices: types.len().saturating_sub(4),
            index_vec: Some(types[2]),
            mask: types[1],
            vector: (types[0], "valueToStore"),
            pass_thru: None,
        },
    )
}

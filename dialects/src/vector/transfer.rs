//! Transfers between buffers and vectors with a permutation of dimensions, padding and masks.

use gpuc_ir::TypeKind;
use gpuc_ir::op;
use gpuc_ir::op::{AttrConstraint, AttrSyntax, TypeConstraint, attrs, types};

use super::transfer_syntax::{parse_read, parse_write, print_read, print_write};
use super::transfer_verify::{verify_read, verify_write};
use crate::memref::{read, write};
use attrs::MAP;
use types::{ANY, INDEX, VECTOR};

static BOOL_ARRAY: AttrConstraint = AttrConstraint {
    summary: "1-bit boolean array attribute",
    holds: |ctx, attr| {
        ctx.array_value(attr).is_some_and(|flags| {
            flags
                .iter()
                .all(|&flag| ctx.attr_type(flag).is_some_and(|ty| ctx.int_width(ty) == Some(1)))
        })
    },
    syntax: AttrSyntax::Full,
};

static SHAPED: TypeConstraint = TypeConstraint {
    summary: "shaped of any type values",
    holds: |ctx, ty| matches!(ctx.type_kind(ty), TypeKind::MemRef { .. } | TypeKind::Tensor { .. }),
    build: None,
};

static MASK: TypeConstraint = TypeConstraint {
    summary: "vector of 1-bit signless integer values",
    holds: |ctx, ty| {
        ctx.is_vector(ty)
            && ctx
                .element(ty)
                .is_some_and(|e| ctx.is_signless_int(e) && ctx.int_width(e) == Some(1))
    },
    build: None,
};

op! {
    /// Reads a vector from a buffer; elements out of bounds (of dimensions that are not declared in
    /// bounds) and elements masked out have the padding value.
    TransferReadOp = "vector.transfer_read" {
        operands { source: One SHAPED, indices: Variadic INDEX, padding: One ANY, mask: Optional MASK }
        results { vector: One VECTOR }
        attrs { permutation_map: Required MAP, in_bounds: Required BOOL_ARRAY }
        traits ATTR_SIZED_OPERANDS
        hooks {
            parse: Some(parse_read),
            print: Some(print_read),
            verify: Some(verify_read),
            effects: Some(|ir, op, effects| {
                let source = ir.operand(op, 0);
                if ir.ctx.is_memref(ir.ty(source)) {
                    read(effects, source);
                }
            }),
        }
    }
}

op! {
    /// Writes a vector to a buffer; elements out of bounds and elements masked out are not written.
    TransferWriteOp = "vector.transfer_write" {
        operands { vector: One VECTOR, source: One SHAPED, indices: Variadic INDEX, mask: Optional MASK }
        results { result: Optional ANY }
        attrs { permutation_map: Required MAP, in_bounds: Required BOOL_ARRAY }
        traits ATTR_SIZED_OPERANDS
        hooks {
            parse: Some(parse_write),
            print: Some(print_write),
            verify: Some(verify_write),
            effects: Some(|ir, op, effects| {
                let source = ir.operand(op, 1);
                if ir.ctx.is_memref(ir.ty(source)) {
                    write(effects, source);
                }
            }),
        }
    }
}

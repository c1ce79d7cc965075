//! Views with another number of dimensions.

use gpuc_ir::op;
use gpuc_ir::op::{AttrConstraint, AttrSyntax, Fold, TypeConstraint, attrs, types};
use gpuc_ir::{Attr, Ir, Op, OpView};

use super::effects::read;
use super::reshape_verify::{verify_collapse_shape, verify_expand_shape, verify_reshape};
use super::syntax::DYNAMIC_INDEX_LIST;
use attrs::I64_ARRAY;
use types::{INDEX, MEMREF, MEMREF_ANY_RANK};

static SHAPE: TypeConstraint = TypeConstraint {
    summary: "1D memref of signless integer or index values",
    holds: |ctx, ty| {
        ctx.is_memref(ty)
            && ctx.shape(ty).is_some_and(|shape| shape.len() == 1)
            && ctx.element(ty).is_some_and(|element| ctx.is_signless_int_or_index(element))
    },
    build: None,
};

/// Lists of lists of dimensions: which dimensions of one side make up which of the other.
pub(super) static REASSOCIATION: AttrConstraint = AttrConstraint {
    summary: "Array of 64-bit integer array attributes",
    holds: |ctx, attr| {
        ctx.array_value(attr).is_some_and(|groups| {
            groups.iter().all(|&group| {
                ctx.array_value(group)
                    .is_some_and(|dims| dims.iter().all(|&d| ctx.i64_value(d).is_some()))
            })
        })
    },
    syntax: AttrSyntax::Full,
};

op! {
    /// Splits dimensions of a buffer into several each.
    ExpandShapeOp = "memref.expand_shape" {
        operands { src: One MEMREF, output_shape: Variadic INDEX }
        results { result: One MEMREF }
        attrs { reassociation: Required REASSOCIATION, static_output_shape: Required I64_ARRAY }
        traits PURE
        format "$src $reassociation `output_shape` custom<DynamicIndexList>($output_shape, $static_output_shape) attr-dict `:` type($src) `into` type($result)"
        hooks {
            verify: Some(verify_expand_shape),
            custom: &[DYNAMIC_INDEX_LIST],
            result_name: Some(|_, _, _| Some("expand_shape".into())),
        }
    }
}

op! {
    /// Merges neighbouring contiguous dimensions of a buffer into one each.
    CollapseShapeOp = "memref.collapse_shape" {
        operands { src: One MEMREF }
        results { result: One MEMREF }
        attrs { reassociation: Required REASSOCIATION }
        traits PURE
        format "$src $reassociation attr-dict `:` type($src) `into` type($result)"
        hooks {
            verify: Some(verify_collapse_shape),
            fold: Some(fold_collapse_shape),
            result_name: Some(|_, _, _| Some("collapse_shape".into())),
        }
    }
}

op! {
    /// The buffer with the extents that another buffer holds.
    ReshapeOp = "memref.reshape" {
        operands { source: One MEMREF_ANY_RANK, shape: One SHAPE }
        results { result: One MEMREF_ANY_RANK }
        format "$source `(` $shape `)` attr-dict `:` functional-type(operands, results)"
        hooks {
            verify: Some(verify_reshape),
            effects: Some(|ir, op, effects| read(effects, ir.operand(op, 1))),
            result_name: Some(|_, _, _| Some("reshape".into())),
        }
    }
}

/// Collapsing what was expanded from the same type gives the first buffer.
fn fold_collapse_shape(ir: &mut Ir, op: Op, _: &[Option<Attr>]) -> Fold {
    let source = ir.operand(op, 0);
    let expand = ir.defining_op(source).and_then(|def| ExpandShapeOp::cast(ir, def));
    let Some(expand) = expand else { return Fold::None };
    let same = expand.reassociation(ir) == CollapseShapeOp(op).reassociation(ir)
        && ir.ty(expand.src(ir)) == ir.ty(ir.result(op, 0));
    if same { Fold::one(expand.src(ir)) } else { Fold::None }
}

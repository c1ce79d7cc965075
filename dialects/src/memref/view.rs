//! Views: the same memory under another type, offset, extents or strides.

use gpuc_ir::op;
use gpuc_ir::op::{Fold, TypeConstraint, attrs, types};
use gpuc_ir::{Attr, Builder, DYNAMIC, Ir, Op, OpView, Value};

use super::folds::{fold_cast, fold_casts};
use super::inspect::{AssumeAlignmentOp, DimOp, ExtractStridedMetadataOp};
use super::reshape::{CollapseShapeOp, ExpandShapeOp};
use super::subview_patterns::{SUBVIEW, fold_subview};
use super::syntax::{DYNAMIC_INDEX_LIST, PERMUTATION};
use super::view_verify::{
    verify_cast, verify_reinterpret_cast, verify_space_cast, verify_subview, verify_transpose,
    verify_view,
};
use crate::arith::{CeilDivSIOp, MaxSIOp, MulIOp, constant_index};
use attrs::{I64_ARRAY, MAP};
use types::{INDEX, MEMREF, MEMREF_ANY_RANK};

op! {
    /// The same buffer under a compatible type: static information is added (unchecked) or
    /// forgotten.
    CastOp = "memref.cast" {
        operands { source: One MEMREF_ANY_RANK }
        results { dest: One MEMREF_ANY_RANK }
        traits PURE
        format "$source attr-dict `:` type($source) `to` type($dest)"
        hooks {
            verify: Some(verify_cast),
            fold: Some(fold_cast),
            result_name: Some(|_, _, _| Some("cast".into())),
        }
    }
}

op! {
    /// The same buffer in another memory space.
    MemorySpaceCastOp = "memref.memory_space_cast" {
        operands { source: One MEMREF_ANY_RANK }
        results { dest: One MEMREF_ANY_RANK }
        traits PURE
        format "$source attr-dict `:` type($source) `to` type($dest)"
        hooks {
            verify: Some(verify_space_cast),
            fold: Some(fold_space_cast),
            result_name: Some(|_, _, _| Some("memspacecast".into())),
        }
    }
}

op! {
    /// A rectangular part: offsets, extents and strides for each dimension of the source, static
    /// ones in attributes, dynamic ones as operands. Unit dimensions may be dropped.
    SubViewOp = "memref.subview" {
        operands {
            source: One MEMREF,
            offsets: Variadic INDEX,
            sizes: Variadic INDEX,
            strides: Variadic INDEX,
        }
        results { result: One MEMREF }
        attrs {
            static_offsets: Required I64_ARRAY,
            static_sizes: Required I64_ARRAY,
            static_strides: Required I64_ARRAY,
        }
        traits PURE, ATTR_SIZED_OPERANDS
        format "$source `` custom<DynamicIndexList>($offsets, $static_offsets) custom<DynamicIndexList>($sizes, $static_sizes) custom<DynamicIndexList>($strides, $static_strides) attr-dict `:` type($source) `to` type($result)"
        hooks {
            custom: &[DYNAMIC_INDEX_LIST],
            verify: Some(verify_subview),
            fold: Some(fold_subview),
            canonicalize: SUBVIEW,
            result_name: Some(|_, _, _| Some("subview".into())),
        }
    }
}

op! {
    /// The underlying buffer of the source with an offset, extents and strides of its own.
    ReinterpretCastOp = "memref.reinterpret_cast" {
        operands {
            source: One MEMREF_ANY_RANK,
            offsets: Variadic INDEX,
            sizes: Variadic INDEX,
            strides: Variadic INDEX,
        }
        results { result: One MEMREF }
        attrs {
            static_offsets: Required I64_ARRAY,
            static_sizes: Required I64_ARRAY,
            static_strides: Required I64_ARRAY,
        }
        traits PURE, ATTR_SIZED_OPERANDS
        format "$source `to` `offset` `` `:` custom<DynamicIndexList>($offsets, $static_offsets) `` `,` `sizes` `` `:` custom<DynamicIndexList>($sizes, $static_sizes) `` `,` `strides` `` `:` custom<DynamicIndexList>($strides, $static_strides) attr-dict `:` type($source) `to` type($result)"
        hooks {
            custom: &[DYNAMIC_INDEX_LIST],
            verify: Some(verify_reinterpret_cast),
            fold: Some(|ir, op, _| fold_casts(ir, op, &[0])),
            result_name: Some(|_, _, _| Some("reinterpret_cast".into())),
        }
    }
}

op! {
    /// Part of a buffer of bytes, from a byte offset on, as a contiguous buffer of another type.
    ViewOp = "memref.view" {
        operands { source: One BYTES, byte_shift: One INDEX, sizes: Variadic INDEX }
        results { result: One MEMREF }
        traits PURE
        format "$source `[` $byte_shift `]` `` `[` $sizes `]` attr-dict `:` type($source) `to` type(results)"
        hooks {
            verify: Some(verify_view),
            result_name: Some(|_, _, _| Some("view".into())),
        }
    }
}

op! {
    /// The same buffer with its dimensions permuted.
    TransposeOp = "memref.transpose" {
        operands { input: One MEMREF }
        results { result: One MEMREF }
        attrs { permutation: Required MAP }
        traits PURE
        format "$input custom<Permutation>($permutation) attr-dict `:` type($input) `to` type($result)"
        hooks {
            verify: Some(verify_transpose),
            fold: Some(fold_transpose),
            custom: &[PERMUTATION],
            result_name: Some(|_, _, _| Some("transpose".into())),
        }
    }
}

static BYTES: TypeConstraint = TypeConstraint {
    summary: "1D memref of 8-bit signless integer values",
    holds: |ctx, ty| {
        ctx.is_memref(ty)
            && ctx.shape(ty).is_some_and(|shape| shape.len() == 1)
            && ctx
                .element(ty)
                .is_some_and(|e| ctx.is_signless_int(e) && ctx.int_width(e) == Some(8))
    },
    build: None,
};

impl SubViewOp {
    /// Offsets, extents and strides of all dimensions of the source, `DYNAMIC` for those that are
    /// operands.
    pub fn static_parts(self, ir: &Ir) -> [Vec<i64>; 3] {
        let attrs = [self.static_offsets(ir), self.static_sizes(ir), self.static_strides(ir)];
        attrs
            .map(|attr| attr.and_then(|attr| ir.ctx.dense_array(attr)).unwrap_or_default().to_vec())
    }
}

impl ReinterpretCastOp {
    /// Builds a view of a whole buffer as rows: sizes of all dimensions, and strides of all but the last,
    /// whose elements follow each other.
    pub fn rows(b: &mut Builder<'_>, buffer: Value, sizes: &[Value], strides: &[Value]) -> Value {
        let dims = sizes.len();
        let mut pattern = vec![DYNAMIC; dims];
        pattern[dims - 1] = 1;
        ReinterpretCastOp::whole(b, buffer, (&vec![DYNAMIC; dims], sizes), (&pattern, strides))
    }

    /// Builds a view of a whole buffer of one dimension in rows: with the extents of all dimensions but the first, which
    /// has as many rows as the buffer has begun. What is in the rows are elements, or records of so many of them, which
    /// are the last dimension then.
    pub fn in_rows(
        b: &mut Builder<'_>,
        buffer: Value,
        extents: &[Value],
        record: Option<i64>,
    ) -> Value {
        // Strides from the inside out.
        let mut strides: Vec<Value> = Vec::new();
        for &extent in extents.iter().rev() {
            let inner = match strides.last() {
                Some(&inner) => Some(inner),
                None => record.map(|record| constant_index(b, record)),
            };
            strides.push(match inner {
                Some(inner) => MulIOp::new(b, extent, inner).value(b),
                None => extent,
            });
        }
        strides.reverse();
        let zero = constant_index(b, 0);
        let length = DimOp::new(b, buffer, zero).value(b);
        let row = match strides.first() {
            Some(&row) => {
                let one = constant_index(b, 1);
                MaxSIOp::new(b, row, one).value(b)
            }
            None => constant_index(b, record.unwrap_or(1)),
        };
        let rows = CeilDivSIOp::new(b, length, row).value(b);
        let mut sizes = vec![rows];
        sizes.extend(extents);
        let mut extents_said = vec![DYNAMIC; sizes.len()];
        let mut strides_said = vec![DYNAMIC; strides.len()];
        strides_said.push(record.unwrap_or(1));
        if let Some(record) = record {
            extents_said.push(record);
            strides_said.push(1);
        }
        ReinterpretCastOp::whole(b, buffer, (&extents_said, &sizes), (&strides_said, &strides))
    }

    /// Builds a view that starts where the buffer does; `DYNAMIC` sizes and strides are operands.
    fn whole(
        b: &mut Builder<'_>,
        buffer: Value,
        (static_sizes, sizes): (&[i64], &[Value]),
        (static_strides, strides): (&[i64], &[Value]),
    ) -> Value {
        let ty = b.ty(buffer);
        let element = b.ctx.element(ty).expect("a buffer has elements");
        let layout = b.ctx.strided_attr(0, static_strides);
        // Rows that lie one behind the other are a plain buffer.
        let layout = Some(layout).filter(|&layout| !b.ctx.is_identity_layout(layout, static_sizes));
        let space = b.ctx.memory_space(ty).flatten();
        let view = b.ctx.memref_in(static_sizes, element, layout, space);
        let (offsets, sizes_attr, strides_attr) = (
            b.ctx.i64_array_attr(&[0]),
            b.ctx.i64_array_attr(static_sizes),
            b.ctx.i64_array_attr(static_strides),
        );
        ReinterpretCastOp::new(b, buffer, &[], sizes, strides)
            .attr(b, "static_offsets", offsets)
            .attr(b, "static_sizes", sizes_attr)
            .attr(b, "static_strides", strides_attr)
            .result(view)
            .value(b)
    }

    /// Offsets, extents and strides, `DYNAMIC` for those that are operands.
    pub fn static_parts(self, ir: &Ir) -> [Vec<i64>; 3] {
        let attrs = [self.static_offsets(ir), self.static_sizes(ir), self.static_strides(ir)];
        attrs
            .map(|attr| attr.and_then(|attr| ir.ctx.dense_array(attr)).unwrap_or_default().to_vec())
    }
}

/// A cast of a cast of the space takes the first source.
fn fold_space_cast(ir: &mut Ir, op: Op, _: &[Option<Attr>]) -> Fold {
    let source = ir.operand(op, 0);
    if ir.ty(source) == ir.ty(ir.result(op, 0)) {
        return Fold::one(source);
    }
    let inner = ir.defining_op(source).and_then(|def| <MemorySpaceCastOp as OpView>::cast(ir, def));
    match inner {
        Some(inner) => {
            let source = inner.source(ir);
            ir.set_operand(op, 0, source);
            Fold::InPlace
        }
        None => Fold::None,
    }
}

/// Nothing permuted is nothing done.
fn fold_transpose(ir: &mut Ir, op: Op, _: &[Option<Attr>]) -> Fold {
    let source = ir.operand(op, 0);
    let map = ir.attr(op, "permutation").and_then(|attr| ir.ctx.map_value(attr));
    let identity = map.is_some_and(|map| ir.ctx.map_is_identity(map));
    if identity && ir.ty(source) == ir.ty(ir.result(op, 0)) {
        return Fold::one(source);
    }
    Fold::None
}

/// The buffer that an operation gives a view of: its operand, where the operation is a cast, a part, or
/// another shape of that.
pub fn viewed(ir: &Ir, op: Op) -> Option<Value> {
    let is_view = [
        CastOp::is,
        MemorySpaceCastOp::is,
        ViewOp::is,
        SubViewOp::is,
        ReinterpretCastOp::is,
        TransposeOp::is,
        ExpandShapeOp::is,
        CollapseShapeOp::is,
        AssumeAlignmentOp::is,
        ExtractStridedMetadataOp::is,
    ];
    is_view.iter().any(|is| is(ir, op)).then(|| ir.operand(op, 0))
}

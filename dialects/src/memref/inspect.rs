//! Extents, ranks, pointers and what is known about them.

use gpuc_ir::op;
use gpuc_ir::op::{AttrConstraint, InferInput, TypeConstraint, attrs, types};
use gpuc_ir::{Ir, Op, Type, TypeKind};
use smallvec::{SmallVec, smallvec};

use super::effects::no_effects;
use super::folds::{fold_dim, fold_rank};
use super::layout::strided_layout;
use crate::arith::constant_index_value;
use attrs::I32;
use types::{INDEX, MEMREF, MEMREF_ANY_RANK};

static NON_ZERO_RANKED_OR_UNRANKED: TypeConstraint = TypeConstraint {
    summary: "unranked.memref of any type values or non-0-ranked.memref of any type values",
    holds: |ctx, ty| match ctx.type_kind(ty) {
        TypeKind::MemRef { shape, .. } => !shape.is_empty(),
        TypeKind::UnrankedMemRef { .. } => true,
        _ => false,
    },
    build: None,
};

static STRIDED_RANK_0: TypeConstraint = TypeConstraint {
    summary: "strided memref of any type values of ranks 0",
    holds: |ctx, ty| ctx.is_memref(ty) && ctx.shape(ty).is_some_and(<[i64]>::is_empty),
    build: None,
};

op! {
    /// The extent of a dimension; undefined where there is no such dimension.
    DimOp = "memref.dim" {
        operands { source: One NON_ZERO_RANKED_OR_UNRANKED, index: One INDEX }
        results { result: One INDEX }
        format "attr-dict $source `,` $index `:` type($source)"
        hooks {
            fold: Some(fold_dim),
            effects: Some(no_effects),
            speculatable: Some(dim_exists),
            result_name: Some(|_, _, _| Some("dim".into())),
        }
    }
}

op! {
    /// The number of dimensions.
    RankOp = "memref.rank" {
        operands { memref: One MEMREF_ANY_RANK }
        results { result: One INDEX }
        traits PURE
        format "$memref attr-dict `:` type($memref)"
        hooks { fold: Some(fold_rank) }
    }
}

op! {
    /// The address of the buffer's first element (before its offset) as a number.
    ExtractAlignedPointerAsIndexOp = "memref.extract_aligned_pointer_as_index" {
        operands { source: One MEMREF_ANY_RANK }
        results { aligned_pointer: One INDEX }
        traits PURE
        format "$source `:` type($source) `->` type(results) attr-dict"
        hooks { result_name: Some(|_, _, _| Some("intptr".into())) }
    }
}

op! {
    /// Takes a buffer apart: the underlying buffer, the offset, the extents, the strides.
    ExtractStridedMetadataOp = "memref.extract_strided_metadata" {
        operands { source: One STRIDED }
        results { base_buffer: One STRIDED_RANK_0, offset: One INDEX, sizes: Variadic INDEX, strides: Variadic INDEX }
        traits PURE
        format "$source `:` type($source) `->` type(results) attr-dict"
        hooks { verify: Some(verify_metadata), infer_results: Some(infer_metadata) }
    }
}

op! {
    /// Promises that the buffer is aligned to this number of bytes.
    AssumeAlignmentOp = "memref.assume_alignment" {
        operands { memref: One MEMREF }
        attrs { alignment: Required POSITIVE }
        format "$memref `,` $alignment attr-dict `:` type($memref)"
        hooks { verify: Some(verify_alignment) }
    }
}

static STRIDED: TypeConstraint = TypeConstraint {
    summary: "strided memref of any type values",
    holds: |ctx, ty| strided_layout(ctx, ty).is_some(),
    build: None,
};

static POSITIVE: AttrConstraint = AttrConstraint {
    summary: "32-bit signless integer attribute whose value is positive",
    holds: |ctx, attr| (I32.holds)(ctx, attr) && ctx.i64_value(attr).is_some_and(|n| n > 0),
    syntax: I32.syntax,
};

/// Asking for a dimension that is there is harmless anywhere.
fn dim_exists(ir: &Ir, op: Op) -> bool {
    let view = DimOp(op);
    let rank = ir.ctx.shape(ir.ty(view.source(ir))).map(<[i64]>::len);
    let index = constant_index_value(ir, view.index(ir)).and_then(|i| usize::try_from(i).ok());
    matches!((index, rank), (Some(index), Some(rank)) if index < rank)
}

fn infer_metadata(ir: &mut Ir, input: InferInput<'_>) -> Result<SmallVec<[Type; 2]>, String> {
    let source = *input.operands.first().ok_or("expected 1 operand")?;
    let ctx = &mut ir.ctx;
    let (Some(element), Some(space)) = (ctx.element(source), ctx.memory_space(source)) else {
        return Err("operand #0 must be strided memref of any type values".into());
    };
    let rank = ctx.shape(source).map_or(0, <[i64]>::len);
    let base = ctx.memref_in(&[], element, None, space);
    let index = ctx.index();
    let mut types: SmallVec<[Type; 2]> = smallvec![base];
    types.extend(std::iter::repeat_n(index, 1 + 2 * rank));
    Ok(types)
}

fn verify_metadata(ir: &Ir, op: Op) -> Result<(), String> {
    let view = ExtractStridedMetadataOp(op);
    let (source, base) = (ir.ty(view.source(ir)), ir.ty(view.base_buffer(ir)));
    let rank = ir.ctx.shape(source).map_or(0, <[i64]>::len);
    let fits = ir.ctx.element(base) == ir.ctx.element(source)
        && ir.ctx.memory_space(base) == ir.ctx.memory_space(source)
        && ir.results(op).len() == 2 + 2 * rank;
    if fits {
        return Ok(());
    }
    let quoted = |types: &[String]| {
        types.iter().map(|text| format!("'{text}'")).collect::<Vec<_>>().join(", ")
    };
    let found: Vec<String> = ir.result_types(op).map(|ty| ir.type_text(ty)).collect();
    let element = ir.ctx.element(source).map(|ty| ir.type_text(ty)).unwrap_or_default();
    let space = ir.ctx.memory_space(source).flatten();
    let space = space.map(|space| format!(", {}", ir.attr_text(space))).unwrap_or_default();
    let mut inferred = vec![format!("memref<{element}{space}>")];
    inferred.extend(std::iter::repeat_n("index".to_owned(), 1 + 2 * rank));
    Err(format!(
        "inferred type(s) {} are incompatible with return type(s) of operation {}",
        quoted(&inferred),
        quoted(&found)
    ))
}

fn verify_alignment(ir: &Ir, op: Op) -> Result<(), String> {
    let alignment = ir.attr(op, "alignment").and_then(|attr| ir.ctx.i64_value(attr));
    if alignment.is_some_and(|alignment| alignment.count_ones() != 1) {
        return Err("alignment must be power of 2".into());
    }
    Ok(())
}

//! Making vectors from elements and taking them apart.

use gpuc_ir::op;
use gpuc_ir::op::{AttrConstraint, AttrSyntax, InferInput, attrs, types};
use gpuc_ir::{Builder, Ir, Type, Value};
use smallvec::{SmallVec, smallvec};

use super::fold::{fold_broadcast, fold_extract, fold_extract_element};
use super::verify::{
    verify_broadcast, verify_extract, verify_extract_element, verify_insert, verify_insert_element,
    verify_shuffle,
};
use crate::memref::DYNAMIC_INDEX_LIST;
use attrs::I64_ARRAY;
use types::{ANY, INDEX, SIGNLESS_INTEGER_OR_INDEX, VECTOR, element_of, same};

pub(super) static I64_LIST: AttrConstraint = AttrConstraint {
    summary: "64-bit integer array attribute",
    holds: |ctx, attr| {
        ctx.array_value(attr).is_some_and(|all| all.iter().all(|&n| ctx.i64_value(n).is_some()))
    },
    syntax: AttrSyntax::Full,
};

op! {
    /// Repeats a scalar or a smaller vector.
    BroadcastOp = "vector.broadcast" {
        operands { source: One ANY }
        results { vector: One VECTOR }
        traits PURE
        format "$source attr-dict `:` type($source) `to` type($vector)"
        hooks { verify: Some(verify_broadcast), fold: Some(fold_broadcast) }
    }
}

op! {
    /// A vector with one value in all elements.
    SplatOp = "vector.splat" {
        operands { input: One ANY }
        results { aggregate: One VECTOR }
        traits PURE
        types { input = element_of(aggregate) "operand type matches element type of result" }
        format "$input attr-dict `:` type($aggregate)"
        hooks { fold: Some(fold_broadcast) }
    }
}

op! {
    /// The element or sub-vector at a position; negative static positions are none.
    ExtractOp = "vector.extract" {
        operands { vector: One VECTOR, dynamic_position: Variadic INDEX }
        results { result: One ANY }
        attrs { static_position: Required I64_ARRAY }
        traits PURE
        format "$vector `` custom<DynamicIndexList>($dynamic_position, $static_position) attr-dict `:` type($result) `from` type($vector)"
        hooks {
 verify: Some(verify_extract), fold: Some(fold_extract), custom: &[DYNAMIC_INDEX_LIST],
 }
    }
}

/// Builds the operation that takes one element, at a known position, out of a vector of numbers.
pub fn extract(b: &mut Builder<'_>, from: Value, position: i64) -> Value {
    let ty = b.ty(from);
    let element = b.ctx.element(ty).unwrap_or(ty);
    let positions = b.ctx.i64_array_attr(&[position]);
    ExtractOp::new(b, from, &[]).attr(b, "static_position", positions).result(element).value(b)
}

op! {
    /// A vector with an element or sub-vector replaced.
    InsertOp = "vector.insert" {
        operands { source: One ANY, dest: One VECTOR, dynamic_position: Variadic INDEX }
        results { result: One VECTOR }
        attrs { static_position: Required I64_ARRAY }
        traits PURE
        types { result = same(dest) "all of {dest, result} have same type" }
        format "$source `,` $dest custom<DynamicIndexList>($dynamic_position, $static_position) attr-dict `:` type($source) `into` type($dest)"
        hooks { verify: Some(verify_insert), custom: &[DYNAMIC_INDEX_LIST] }
    }
}

op! {
    /// The element of a vector of rank one (or zero) at a position.
    ExtractElementOp = "vector.extractelement" {
        operands { vector: One VECTOR, position: Optional SIGNLESS_INTEGER_OR_INDEX }
        results { result: One ANY }
        traits PURE
        types { result = element_of(vector) "result type matches element type of vector operand" }
        format "$vector `[` ($position^ `:` type($position))? `]` attr-dict `:` type($vector)"
        hooks { verify: Some(verify_extract_element), fold: Some(fold_extract_element) }
    }
}

op! {
    /// A vector of rank one (or zero) with the element at a position replaced.
    InsertElementOp = "vector.insertelement" {
        operands { source: One ANY, dest: One VECTOR, position: Optional SIGNLESS_INTEGER_OR_INDEX }
        results { result: One VECTOR }
        traits PURE
        types {
            source = element_of(result) "source operand type matches element type of result",
            dest = same(result) "all of {dest, result} have same type",
            result = same(dest) "all of {dest, result} have same type",
        }
        format "$source `,` $dest `[` ($position^ `:` type($position))? `]` attr-dict `:` type($result)"
        hooks { verify: Some(verify_insert_element) }
    }
}

op! {
    /// Elements of two vectors in the order of the mask, which numbers them one behind the other.
    ShuffleOp = "vector.shuffle" {
        operands { v1: One VECTOR, v2: One VECTOR }
        results { vector: One VECTOR }
        attrs { mask: Required I64_LIST }
        traits PURE
        format "operands $mask attr-dict `:` type(operands)"
        hooks { verify: Some(verify_shuffle), infer_results: Some(infer_shuffle) }
    }
}

fn infer_shuffle(ir: &mut Ir, input: InferInput<'_>) -> Result<SmallVec<[Type; 2]>, String> {
    let mask = ir.ctx.dict_get_str(input.attrs, "mask").and_then(|mask| ir.ctx.array_value(mask));
    let length = mask.ok_or("requires attribute 'mask'")?.len() as i64;
    let first = input.operands.first().copied().filter(|&ty| ir.ctx.is_vector(ty));
    let vector = first.ok_or("operand #0 must be vector of any type values")?;
    let mut shape = ir.ctx.shape(vector).unwrap_or_default().to_vec();
    match shape.first_mut() {
        Some(outermost) => *outermost = length,
        None => shape.push(length),
    }
    let element = ir.ctx.element_or_self(vector);
    Ok(smallvec![ir.ctx.vector(&shape, element)])
}

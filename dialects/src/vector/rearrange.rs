//! Vectors in another order, parts of them, and vectors made of parts.

use gpuc_ir::op;
use gpuc_ir::op::{InferInput, attrs, types};
use gpuc_ir::{Ir, Op, Type, TypeKind, Value};
use smallvec::{SmallVec, smallvec};

use super::element::I64_LIST;
use attrs::I64_ARRAY;
use types::{ANY, VECTOR, same};

op! {
    /// Dimension `i` of the result is dimension `permutation[i]` of the vector.
    TransposeOp = "vector.transpose" {
        operands { vector: One VECTOR }
        results { result: One VECTOR }
        attrs { permutation: Required I64_ARRAY }
        traits PURE
        format "$vector `,` $permutation attr-dict `:` type($vector) `to` type($result)"
        hooks { verify: Some(verify_transpose) }
    }
}

op! {
    /// The part of a vector that begins at the offsets and has the sizes in the first dimensions, and is whole in the
    /// others.
    ExtractStridedSliceOp = "vector.extract_strided_slice" {
        operands { vector: One VECTOR }
        results { result: One VECTOR }
        attrs { offsets: Required I64_LIST, sizes: Required I64_LIST, strides: Required I64_LIST }
        traits PURE
        format "$vector attr-dict `:` type($vector) `to` type(results)"
        hooks { verify: Some(verify_extract_slice) }
    }
}

op! {
    /// A vector with a part replaced by a smaller vector, which may have fewer dimensions: the last ones.
    InsertStridedSliceOp = "vector.insert_strided_slice" {
        operands { source: One VECTOR, dest: One VECTOR }
        results { res: One VECTOR }
        attrs { offsets: Required I64_LIST, strides: Required I64_LIST }
        traits PURE
        types { res = same(dest) "all of {dest, res} have same type" }
        format "$source `,` $dest attr-dict `:` type($source) `into` type($dest)"
        hooks { verify: Some(verify_insert_slice) }
    }
}

op! {
    /// A vector of elements in row-major order.
    FromElementsOp = "vector.from_elements" {
        operands { elements: Variadic ANY }
        results { result: One VECTOR }
        traits PURE
        hooks {
            verify: Some(verify_from_elements),
            parse: Some(parse_from_elements),
            print: Some(print_from_elements),
        }
    }
}

op! {
    /// Elements of two vectors in turns, along the last dimension.
    InterleaveOp = "vector.interleave" {
        operands { lhs: One VECTOR, rhs: One VECTOR }
        results { result: One VECTOR }
        traits PURE
        types { rhs = same(lhs) "all of {lhs, rhs} have same type" }
        format "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"
        hooks { verify: Some(verify_interleave) }
    }
}

op! {
    /// The elements at even and at odd positions of the last dimension.
    DeinterleaveOp = "vector.deinterleave" {
        operands { source: One VECTOR }
        results { res1: One VECTOR, res2: One VECTOR }
        traits PURE
        types { res2 = same(res1) "all of {res1, res2} have same type" }
        format "$source attr-dict `:` type($source) `->` type($res1)"
        hooks {
            verify: Some(verify_deinterleave),
            infer_results: Some(infer_halves),
            result_name: Some(|_, _, index| Some(["res1", "res2"][index.min(1)].into())),
        }
    }
}

fn shape(ir: &Ir, value: Value) -> &[i64] {
    ir.ctx.shape(ir.ty(value)).unwrap_or_default()
}

fn scalable(ir: &Ir, ty: Type) -> &[bool] {
    match ir.ctx.type_kind(ty) {
        TypeKind::Vector { scalable, .. } => scalable,
        _ => &[],
    }
}

/// The numbers of an array attribute.
pub fn numbers(ir: &Ir, op: Op, name: &str) -> Vec<i64> {
    let array = ir.attr(op, name).and_then(|attr| ir.ctx.array_value(attr)).unwrap_or_default();
    array.iter().filter_map(|&number| ir.ctx.i64_value(number)).collect()
}

fn verify_transpose(ir: &Ir, op: Op) -> Result<(), String> {
    let view = TransposeOp(op);
    let (from, to) = (shape(ir, view.vector(ir)), shape(ir, view.result(ir)));
    let order = view.permutation(ir).and_then(|attr| ir.ctx.dense_array(attr)).unwrap_or_default();
    if ir.ctx.element(ir.ty(view.vector(ir))) != ir.ctx.element(ir.ty(view.result(ir))) {
        return Err("failed to verify that operand and result have same element type".into());
    }
    if to.len() != from.len() {
        return Err(format!("vector result rank mismatch: {}", to.len()));
    }
    if order.len() != from.len() {
        return Err(format!("transposition length mismatch: {}", order.len()));
    }
    let mut seen = vec![false; from.len()];
    for (i, &position) in order.iter().enumerate() {
        let at = usize::try_from(position).ok().filter(|&at| at < from.len());
        let Some(at) = at else {
            return Err(format!("transposition index out of range: {position}"));
        };
        if std::mem::replace(&mut seen[at], true) {
            return Err(format!("duplicate position index: {position}"));
        }
        if to[i] != from[at] {
            return Err(format!("dimension size mismatch at: {position}"));
        }
    }
    Ok(())
}

/// Refuses a number that is not within `[low, high)`.
fn confined(what: &str, i: usize, number: i64, (low, high): (i64, i64)) -> Result<(), String> {
    if (low..high).contains(&number) {
        return Ok(());
    }
    Err(format!("expected {what} dimension {i} to be confined to [{low}, {high})"))
}

fn unit_strides(strides: &[i64]) -> Result<(), String> {
    match strides.iter().all(|&stride| stride == 1) {
        true => Ok(()),
        false => Err("expected strides to be confined to [1, 2)".into()),
    }
}

fn verify_extract_slice(ir: &Ir, op: Op) -> Result<(), String> {
    let view = ExtractStridedSliceOp(op);
    let [offsets, sizes, strides] = ["offsets", "sizes", "strides"].map(|n| numbers(ir, op, n));
    if offsets.len() != sizes.len() || offsets.len() != strides.len() {
        return Err("expected offsets, sizes and strides attributes of same size".into());
    }
    let (source, result) = (ir.ty(view.vector(ir)), ir.ty(view.result(ir)));
    let extents = shape(ir, view.vector(ir));
    if offsets.len() > extents.len() {
        return Err("expected offsets attribute of rank no greater than vector rank".into());
    }
    for (i, (&offset, &extent)) in offsets.iter().zip(extents).enumerate() {
        confined("offsets", i, offset, (0, extent))?;
    }
    for (i, (&size, &extent)) in sizes.iter().zip(extents).enumerate() {
        confined("sizes", i, size, (1, extent.saturating_add(1)))?;
    }
    unit_strides(&strides)?;
    for (i, (&offset, &size)) in offsets.iter().zip(&sizes).enumerate() {
        let end = (1, extents[i].saturating_add(1));
        confined("sum(offsets, sizes)", i, offset.saturating_add(size), end)?;
    }
    let grows = scalable(ir, source);
    let mut expected = sizes.clone();
    expected.extend(&extents[sizes.len()..]);
    let alike = ir.ctx.shape(result) == Some(&expected)
        && ir.ctx.element(result) == ir.ctx.element(source)
        && scalable(ir, result) == grows;
    if !alike {
        let parts: String = expected
            .iter()
            .zip(grows)
            .map(|(n, &grows)| if grows { format!("[{n}]x") } else { format!("{n}x") })
            .collect();
        let element = ir.ctx.element(source).map(|e| ir.type_text(e)).unwrap_or_default();
        return Err(format!("expected result type to be 'vector<{parts}{element}>'"));
    }
    for (i, &size) in sizes.iter().enumerate() {
        if grows[i] && size != extents[i] {
            return Err(format!(
                "expected size at idx={i} to match the corresponding base size from the input vector \
                 ({size} vs {})",
                extents[i]
            ));
        }
    }
    Ok(())
}

fn verify_insert_slice(ir: &Ir, op: Op) -> Result<(), String> {
    let view = InsertStridedSliceOp(op);
    let [offsets, strides] = ["offsets", "strides"].map(|name| numbers(ir, op, name));
    let (source, dest) = (shape(ir, view.source(ir)), shape(ir, view.dest(ir)));
    let types = [view.source(ir), view.dest(ir)].map(|value| ir.ty(value));
    if ir.ctx.element(types[0]) != ir.ctx.element(types[1]) {
        return Err("failed to verify that operand #0 and result have same element type".into());
    }
    if offsets.len() != dest.len() {
        return Err("expected offsets of same size as destination vector rank".into());
    }
    if strides.len() != source.len() {
        return Err("expected strides of same size as source vector rank".into());
    }
    let Some(added) = dest.len().checked_sub(source.len()) else {
        return Err("expected source rank to be no greater than destination rank".into());
    };
    for (i, (&offset, &extent)) in offsets.iter().zip(dest).enumerate() {
        confined("offsets", i, offset, (0, extent))?;
    }
    unit_strides(&strides)?;
    for (i, &size) in source.iter().enumerate() {
        let at = added + i;
        let end = (1, dest[at].saturating_add(1));
        confined("sum(offsets, source vector shape)", at, offsets[at].saturating_add(size), end)?;
    }
    let (grows, into) = (scalable(ir, types[0]), scalable(ir, types[1]));
    for (i, &size) in source.iter().enumerate() {
        let at = added + i;
        if grows[i] != into[at] {
            return Err(format!("mismatching scalable flags (at source vector idx={i})"));
        }
        if into[at] && size != dest[at] {
            return Err(format!(
                "expected size at idx={i} to match the corresponding base size from the input vector \
                 ({size} vs {})",
                dest[at]
            ));
        }
    }
    Ok(())
}

fn verify_from_elements(ir: &Ir, op: Op) -> Result<(), String> {
    let ty = ir.ty(ir.result(op, 0));
    let extents = ir.ctx.shape(ty).unwrap_or_default();
    let count = extents.iter().fold(1i64, |product, &n| product.saturating_mul(n));
    if scalable(ir, ty).contains(&true) || ir.operand_count(op) as i64 != count {
        return Err(format!("{} operands present, but expected {count}", ir.operand_count(op)));
    }
    match ir.operands(op).all(|value| Some(ir.ty(value)) == ir.ctx.element(ty)) {
        true => Ok(()),
        false => Err("failed to verify that operand types match result element type".into()),
    }
}

fn parse_from_elements(
    p: &mut gpuc_ir::text::OpParser<'_, '_>,
    state: &mut gpuc_ir::OpState,
) -> gpuc_ir::text::ParseResult<()> {
    let at = p.here();
    let elements = p.parse_operand_list(gpuc_ir::text::Delimiter::None)?;
    p.parse_attr_dict(state)?;
    let ty = p.parse_colon_type()?;
    let Some(element) = p.ir.ctx.element(ty).filter(|_| p.ir.ctx.is_vector(ty)) else {
        return p.error(at, "expected a vector type");
    };
    state.results.push(ty);
    p.resolve_same(&elements, element, &mut state.operands)
}

fn print_from_elements(p: &mut gpuc_ir::text::OpPrinter<'_, '_>, op: Op) {
    let ir = p.ir;
    p.write(" ");
    p.operands(ir.operands(op));
    p.attr_dict(op, &[]);
    p.write(" : ");
    p.types(ir.result_types(op));
}

/// A vector type with another number of elements in the last dimension.
fn with_last(ir: &mut Ir, ty: Type, change: impl Fn(i64) -> i64) -> Type {
    let TypeKind::Vector { shape, scalable, element } = ir.ctx.type_kind(ty).clone() else {
        return ty;
    };
    let mut shape = shape.to_vec();
    if let Some(last) = shape.last_mut() {
        *last = change(*last);
    }
    ir.ctx.intern_type(TypeKind::Vector { shape: shape.into(), scalable, element })
}

fn verify_interleave(ir: &Ir, op: Op) -> Result<(), String> {
    let view = InterleaveOp(op);
    let (from, to) = (shape(ir, view.lhs(ir)), shape(ir, view.result(ir)));
    let mut expected = from.to_vec();
    match expected.last_mut() {
        Some(last) => *last = last.saturating_mul(2),
        None => expected.push(2),
    }
    let same_element =
        ir.ctx.element(ir.ty(view.lhs(ir))) == ir.ctx.element(ir.ty(view.result(ir)));
    match expected == to && same_element {
        true => Ok(()),
        false => {
            Err("failed to verify that type of 'result' is double the width of the inputs".into())
        }
    }
}

fn verify_deinterleave(ir: &Ir, op: Op) -> Result<(), String> {
    let view = DeinterleaveOp(op);
    let from = shape(ir, view.source(ir));
    let Some((&last, outer)) = from.split_last() else {
        return Err(format!(
            "operand #0 must be vector of any type values, but got '{}'",
            ir.type_text(ir.ty(view.source(ir)))
        ));
    };
    if last % 2 != 0 {
        return Err(
            "failed to verify that the trailing dimension of the source vector has an even \
                    number of elements"
                .into(),
        );
    }
    let grows = scalable(ir, ir.ty(view.source(ir)));
    let half = |value: Value| {
        shape(ir, value).split_last() == Some((&(last / 2), outer))
            && scalable(ir, ir.ty(value)) == grows
            && ir.ctx.element(ir.ty(value)) == ir.ctx.element(ir.ty(view.source(ir)))
    };
    match half(view.res1(ir)) && half(view.res2(ir)) {
        true => Ok(()),
        false => {
            Err("failed to verify that the trailing dimension of the results is half the width \
                      of source trailing dimension"
                .into())
        }
    }
}

fn infer_halves(ir: &mut Ir, input: InferInput<'_>) -> Result<SmallVec<[Type; 2]>, String> {
    let source = input.operands.first().copied().filter(|&ty| ir.ctx.is_vector(ty));
    let source = source.ok_or("operand #0 must be vector of any type values")?;
    let half = with_last(ir, source, |n| n / 2);
    Ok(smallvec![half, half])
}

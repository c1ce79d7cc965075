//! Views of buffers, and what is asked about them.

use std::rc::Rc;

use gpuc_dialects::memref;
use gpuc_ir::{DYNAMIC, Op, Type};
use smallvec::SmallVec;

use super::memory::{extents, fill};
use super::{Family, Handler, Step, nothing};
use crate::access::{count, row_major};
use crate::interpreter::{Fault, Interpreter};
use crate::value::{MemRef, RtValue};

pub(super) const OPS: Family = &[
    (memref::CastOp::NAME, Handler::leaf(cast)),
    (memref::MemorySpaceCastOp::NAME, Handler::leaf(cast)),
    (memref::SubViewOp::NAME, Handler::leaf(subview)),
    (memref::ReinterpretCastOp::NAME, Handler::leaf(reinterpret)),
    (memref::ViewOp::NAME, Handler::leaf(view)),
    (memref::TransposeOp::NAME, Handler::leaf(transpose)),
    (memref::ExpandShapeOp::NAME, Handler::leaf(expand)),
    (memref::CollapseShapeOp::NAME, Handler::leaf(collapse)),
    (memref::ReshapeOp::NAME, Handler::leaf(reshape)),
    (memref::DimOp::NAME, Handler::leaf(dim)),
    (memref::RankOp::NAME, Handler::leaf(rank)),
    (memref::ExtractStridedMetadataOp::NAME, Handler::leaf(metadata)),
    (memref::ExtractAlignedPointerAsIndexOp::NAME, Handler::leaf(pointer)),
    (memref::AssumeAlignmentOp::NAME, Handler::leaf(nothing)),
];

fn buffer(m: &mut Interpreter<'_>, op: Op, value: MemRef) -> Step {
    m.set_result(op, RtValue::MemRef(Rc::new(value)))
}

/// Why a buffer is not what a static type says; `None` where it is.
fn contradiction(m: &Interpreter<'_>, memref: &MemRef, ty: Type) -> Option<&'static str> {
    let shape = m.ir.ctx.shape(ty)?;
    let differs = |said: &[i64], found: &[i64]| {
        said.len() != found.len() || said.iter().zip(found).any(|(&s, &f)| s != DYNAMIC && s != f)
    };
    if differs(shape, &memref.sizes) {
        return Some("extents");
    }
    let layout = memref::strided_layout(&m.ir.ctx, ty)?;
    if layout.offset != DYNAMIC && layout.offset != memref.offset {
        return Some("offset");
    }
    // The stride of a dimension with at most one element is never used.
    let strides = layout.strides.iter().zip(&memref.strides).zip(&memref.sizes);
    let wrong = strides.into_iter().any(|((&s, &f), &n)| n > 1 && s != DYNAMIC && s != f);
    wrong.then_some("strides")
}

fn cast(m: &mut Interpreter<'_>, op: Op) -> Step {
    let memref = m.memref(op, m.ir.operand(op, 0))?;
    if let Some(what) = contradiction(m, &memref, m.ir.ty(m.ir.result(op, 0))) {
        let message = format!("undefined behaviour: the buffer has not the {what} of the type");
        return Err(m.error(op, message));
    }
    m.set_result(op, RtValue::MemRef(memref))
}

fn subview(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = memref::SubViewOp(op);
    let source = m.memref(op, view.source(m.ir))?;
    let [offsets, sizes, strides] = view.static_parts(m.ir);
    let offsets = fill(&offsets, &m.indices(op, view.offsets(m.ir))?);
    let sizes = fill(&sizes, &m.indices(op, view.sizes(m.ir))?);
    let strides = fill(&strides, &m.indices(op, view.strides(m.ir))?);
    let (Some(offsets), Some(sizes), Some(strides)) = (offsets, sizes, strides) else {
        return Err(m.error(op, "does not say all dynamic offsets, extents and strides"));
    };
    if sizes.iter().any(|&size| size < 0) {
        return Err(m.error(op, "makes a view with a negative extent"));
    }
    let mut offset = source.offset;
    for (&o, &s) in offsets.iter().zip(&source.strides) {
        offset = o.checked_mul(s).and_then(|by| offset.checked_add(by)).unwrap_or(i64::MAX);
    }
    let strides: Vec<i64> =
        strides.iter().zip(&source.strides).map(|(&a, &b)| a.saturating_mul(b)).collect();
    let kept = kept_dimensions(m, op, &sizes);
    buffer(
        m,
        op,
        MemRef {
            offset,
            sizes: kept.iter().map(|&d| sizes[d]).collect(),
            strides: kept.iter().map(|&d| strides[d]).collect(),
            ..(*source).clone()
        },
    )
}

/// The dimensions of a sub-view that its type has: unit ones may be dropped.
fn kept_dimensions(m: &Interpreter<'_>, op: Op, sizes: &[i64]) -> Vec<usize> {
    let shape = m.ir.ctx.shape(m.ir.ty(m.ir.result(op, 0))).unwrap_or_default();
    let mut kept = Vec::with_capacity(shape.len());
    if choose(sizes, shape, 0, &mut kept) { kept } else { (0..sizes.len()).collect() }
}

/// Extends `kept` by dimensions from `d` on so that their extents are those of `shape`.
fn choose(sizes: &[i64], shape: &[i64], d: usize, kept: &mut Vec<usize>) -> bool {
    let Some(&size) = sizes.get(d) else { return kept.len() == shape.len() };
    let wanted = shape.get(kept.len());
    if wanted.is_some_and(|&wanted| wanted == size || wanted == DYNAMIC) {
        kept.push(d);
        if choose(sizes, shape, d + 1, kept) {
            return true;
        }
        kept.pop();
    }
    // Where fewer dimensions are left than wanted nothing can be dropped.
    let spare = sizes.len() - d > shape.len() - kept.len().min(shape.len());
    size == 1 && spare && choose(sizes, shape, d + 1, kept)
}

fn reinterpret(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = memref::ReinterpretCastOp(op);
    let source = m.memref(op, view.source(m.ir))?;
    let [offsets, sizes, strides] = view.static_parts(m.ir);
    let offsets = fill(&offsets, &m.indices(op, view.offsets(m.ir))?);
    let sizes = fill(&sizes, &m.indices(op, view.sizes(m.ir))?);
    let strides = fill(&strides, &m.indices(op, view.strides(m.ir))?);
    let (Some(offsets), Some(sizes), Some(strides)) = (offsets, sizes, strides) else {
        return Err(m.error(op, "does not say all dynamic offsets, extents and strides"));
    };
    if sizes.iter().any(|&size| size < 0) {
        return Err(m.error(op, "makes a view with a negative extent"));
    }
    let offset = offsets.first().copied().unwrap_or(0);
    let result =
        MemRef { offset, sizes: sizes.into(), strides: strides.into(), ..(*source).clone() };
    buffer(m, op, result)
}

fn view(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = memref::ViewOp(op);
    let source = m.memref(op, view.source(m.ir))?;
    let shift = m.index(op, view.byte_shift(m.ir))?;
    let dynamic = m.indices(op, view.sizes(m.ir))?;
    let sizes = extents(m, op, m.ir.ty(view.result(m.ir)), &dynamic)?;
    // The source's elements are bytes.
    let base = source.base.checked_add(source.offset).and_then(|base| base.checked_add(shift));
    let Some(base) = base else {
        return Err(m.error(op, "makes a view that starts outside memory"));
    };
    let strides = row_major(&sizes).into();
    buffer(m, op, MemRef { buffer: source.buffer, base, offset: 0, sizes: sizes.into(), strides })
}

fn transpose(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = memref::TransposeOp(op);
    let source = m.memref(op, view.input(m.ir))?;
    let map = view.permutation(m.ir).and_then(|attr| m.ir.ctx.map_value(attr));
    let apply = |numbers: &[i64]| -> Option<SmallVec<[i64; 4]>> {
        m.ir.ctx.eval_map(map?, numbers).map(Into::into)
    };
    match (apply(&source.sizes), apply(&source.strides)) {
        (Some(sizes), Some(strides)) => {
            let result = MemRef { sizes, strides, ..(*source).clone() };
            buffer(m, op, result)
        }
        _ => Err(m.error(op, "has no valid permutation")),
    }
}

fn groups(m: &Interpreter<'_>, op: Op) -> Vec<Vec<usize>> {
    let groups = memref::reassociation_groups(&m.ir.ctx, m.ir.attr(op, "reassociation"));
    groups.into_iter().map(|group| group.into_iter().map(|d| d.max(0) as usize).collect()).collect()
}

fn expand(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = memref::ExpandShapeOp(op);
    let source = m.memref(op, view.src(m.ir))?;
    let shape = view.static_output_shape(m.ir).and_then(|attr| m.ir.ctx.dense_array(attr));
    let dynamic = m.indices(op, view.output_shape(m.ir))?;
    let Some(sizes) = shape.and_then(|shape| fill(shape, &dynamic)) else {
        return Err(m.error(op, "does not say all dynamic extents"));
    };
    let mut strides = vec![1i64; sizes.len()];
    for (d, group) in groups(m, op).iter().enumerate() {
        let mut stride = source.strides.get(d).copied().unwrap_or(1);
        let mut product = 1i64;
        for &inner in group.iter().rev() {
            let Some(&size) = sizes.get(inner) else {
                return Err(m.error(op, "has no valid reassociation"));
            };
            strides[inner] = stride;
            stride = stride.saturating_mul(size);
            product = product.saturating_mul(size);
        }
        if source.sizes.get(d).is_some_and(|&size| size != product) {
            return Err(m.error(op, "undefined behaviour: splits a dimension into other extents"));
        }
    }
    let result = MemRef { sizes: sizes.into(), strides: strides.into(), ..(*source).clone() };
    buffer(m, op, result)
}

fn collapse(m: &mut Interpreter<'_>, op: Op) -> Step {
    let source = m.memref(op, memref::CollapseShapeOp(op).src(m.ir))?;
    let mut sizes = SmallVec::new();
    let mut strides = SmallVec::new();
    for group in groups(m, op) {
        let parts: Option<Vec<(i64, i64)>> =
            group.iter().map(|&d| Some((*source.sizes.get(d)?, *source.strides.get(d)?))).collect();
        let Some(parts) = parts else { return Err(m.error(op, "has no valid reassociation")) };
        // Unit dimensions may have any stride.
        let wide: Vec<(i64, i64)> = parts.iter().copied().filter(|&(size, _)| size != 1).collect();
        if wide.windows(2).any(|pair| pair[0].1 != pair[1].0.saturating_mul(pair[1].1)) {
            let message = "undefined behaviour: merges dimensions that are not contiguous";
            return Err(m.error(op, message));
        }
        sizes.push(parts.iter().fold(1i64, |product, &(size, _)| product.saturating_mul(size)));
        strides.push(wide.last().or(parts.last()).map_or(1, |&(_, stride)| stride));
    }
    buffer(m, op, MemRef { sizes, strides, ..(*source).clone() })
}

fn reshape(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = memref::ReshapeOp(op);
    let (source, shape) = (m.memref(op, view.source(m.ir))?, view.shape(m.ir));
    let length = m.memref(op, shape)?.sizes.first().copied().unwrap_or_default();
    let mut sizes: Vec<i64> = Vec::new();
    for i in 0..length {
        match m.load(op, shape, &[i])? {
            RtValue::Int(size) => sizes.push(i64::try_from(size.signed()).unwrap_or(-1)),
            other => return Err(m.wrong_value(op, &other, "an extent")),
        }
    }
    if sizes.iter().any(|&size| size < 0) || count(&sizes) != count(&source.sizes) {
        return Err(m.error(op, "undefined behaviour: gives the buffer another number of elements"));
    }
    let strides = row_major(&sizes);
    let result = MemRef { sizes: sizes.into(), strides: strides.into(), ..(*source).clone() };
    match contradiction(m, &result, m.ir.ty(m.ir.result(op, 0))) {
        Some(what) => {
            let message = format!("undefined behaviour: the buffer has not the {what} of the type");
            Err(m.error(op, message))
        }
        None => buffer(m, op, result),
    }
}

fn dim(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = memref::DimOp(op);
    let memref = m.memref(op, view.source(m.ir))?;
    let index = m.index(op, view.index(m.ir))?;
    match usize::try_from(index).ok().and_then(|d| memref.sizes.get(d)) {
        Some(&size) => m.set_result(op, RtValue::index(size)),
        None => {
            let message = format!("undefined behaviour: there is no dimension {index}");
            Err(m.error(op, message))
        }
    }
}

fn rank(m: &mut Interpreter<'_>, op: Op) -> Step {
    let memref = m.memref(op, memref::RankOp(op).memref(m.ir))?;
    m.set_result(op, RtValue::index(memref.sizes.len() as i64))
}

fn metadata(m: &mut Interpreter<'_>, op: Op) -> Step {
    let source = m.memref(op, memref::ExtractStridedMetadataOp(op).source(m.ir))?;
    let base =
        MemRef { offset: 0, sizes: SmallVec::new(), strides: SmallVec::new(), ..(*source).clone() };
    let mut values = vec![RtValue::MemRef(Rc::new(base)), RtValue::index(source.offset)];
    values.extend(source.sizes.iter().chain(&source.strides).map(|&n| RtValue::index(n)));
    m.set_results(op, values)
}

fn pointer(m: &mut Interpreter<'_>, op: Op) -> Step {
    let source = m.memref(op, memref::ExtractAlignedPointerAsIndexOp(op).source(m.ir))?;
    let address = address(m, op, &source)?;
    m.set_result(op, RtValue::index(address))
}

/// The address of what a buffer's offset counts from.
pub(super) fn address(m: &Interpreter<'_>, op: Op, memref: &MemRef) -> Result<i64, Fault> {
    let address = m.memory.address(memref.buffer).map_err(|why| m.error(op, why))?;
    Ok((address as i64).wrapping_add(memref.base))
}

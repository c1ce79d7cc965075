//! Canonicalisation of conversions.

use gpuc_ir::rewrite::{Pattern, Rewriter};
use gpuc_ir::{Builder, Ir, Op, OpBuild, OpView, Value};

use super::cast::*;
use super::fold::defined_by;

pub(super) const EXTSI: &[Pattern] =
    &[Pattern { name: "sign-extension-of-zero-extension", apply: sign_of_zero_extended }];

pub(super) const TRUNCI: &[Pattern] =
    &[Pattern { name: "truncation-of-extension", apply: truncate_extended }];

pub(super) const INDEX_CAST: &[Pattern] =
    &[Pattern { name: "index-cast-of-extension", apply: index_of_sign_extended }];

pub(super) const INDEX_CASTUI: &[Pattern] =
    &[Pattern { name: "index-cast-of-extension", apply: index_of_zero_extended }];

/// The operand of the operation of kind `V` that defines the operand of `op`.
fn through<V: OpView>(ir: &Ir, op: Op) -> Option<Value> {
    defined_by::<V>(ir, ir.operand(op, 0)).map(|inner| ir.operand(inner.op(), 0))
}

/// Replaces `op` by another conversion, of `source`, to the same type.
fn convert(
    rw: &mut Rewriter<'_>,
    op: Op,
    source: Value,
    start: impl FnOnce(&mut Builder<'_>, Value) -> OpBuild,
) -> bool {
    let ty = rw.ty(rw.result(op, 0));
    let mut b = rw.before(op);
    let value = start(&mut b, source).result(ty).value(&mut b);
    rw.replace(op, &[value]);
    true
}

/// What was widened with zeros has the sign zero.
fn sign_of_zero_extended(rw: &mut Rewriter<'_>, op: Op) -> bool {
    match through::<ExtUIOp>(rw, op) {
        Some(source) => convert(rw, op, source, |b, source| ExtUIOp::new(b, source)),
        None => false,
    }
}

/// The extension need not go so far. (Where it does not go far enough, the folder drops it.)
fn truncate_extended(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let wider = |ir: &Ir, source: Value| {
        let width = |ty| ir.ctx.int_width(ir.ctx.element_or_self(ty));
        width(ir.ty(ir.result(op, 0))) > width(ir.ty(source))
    };
    if let Some(source) = through::<ExtSIOp>(rw, op).filter(|&source| wider(rw, source)) {
        return convert(rw, op, source, |b, source| ExtSIOp::new(b, source));
    }
    if let Some(source) = through::<ExtUIOp>(rw, op).filter(|&source| wider(rw, source)) {
        return convert(rw, op, source, |b, source| ExtUIOp::new(b, source));
    }
    false
}

fn index_of_sign_extended(rw: &mut Rewriter<'_>, op: Op) -> bool {
    match through::<ExtSIOp>(rw, op) {
        Some(source) => convert(rw, op, source, |b, source| IndexCastOp::new(b, source)),
        None => false,
    }
}

fn index_of_zero_extended(rw: &mut Rewriter<'_>, op: Op) -> bool {
    match through::<ExtUIOp>(rw, op) {
        Some(source) => convert(rw, op, source, |b, source| IndexCastUIOp::new(b, source)),
        None => false,
    }
}

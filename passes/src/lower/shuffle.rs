//! Shuffles of any type of number, and what the lanes of a warp do with them in segments.

use gpuc_arch::WARP_SIZE;
use gpuc_dialects::{arith, gpu, nvvm};
use gpuc_ir::{Builder, Region, Type, Value};

use crate::parallel::combiner::combine;

/// The value of another lane, named in one of [`gpu::SHUFFLE_MODES`], in segments of `width` lanes. Types
/// that shuffles do not know go as integers that they do.
pub fn shuffle(b: &mut Builder<'_>, mode: &str, value: Value, lane: Value, width: i64) -> Value {
    let ty = b.ty(value);
    let i32 = b.ctx.i32();
    let mode = gpu::SHUFFLE_MODES.parse(mode).unwrap_or(0);
    let mode = gpu::SHUFFLE_MODES.attr(&mut b.ctx, mode);
    let lane = arith::IndexCastOp::new(b, lane).result(i32).value(b);
    let width = arith::constant_int(b, width.into(), i32);
    let carrier = carrier(b, ty);
    let moved = carried(b, value, carrier);
    let boolean = b.ctx.i1();
    let shuffle = gpu::ShuffleOp::new(b, moved, lane, width).attr(b, "mode", mode);
    let shuffle = shuffle.result(carrier).result(boolean).build(b);
    let moved = b.result(shuffle, 0);
    restored(b, moved, ty)
}

/// Combines the values of the lanes of each segment of `width`, a power of two; every lane gets the
/// same bits, as both sides of an exchange combine the same two values (a butterfly).
pub fn combine_segment(b: &mut Builder<'_>, value: Value, combiner: Region, width: i64) -> Value {
    let mut value = value;
    let mut distance = width / 2;
    while distance > 0 {
        let step = arith::constant_index(b, distance);
        let other = shuffle(b, "xor", value, step, width);
        value = combine(b, combiner, value, other);
        distance /= 2;
    }
    value
}

/// Lets the lanes of each segment of `width`, a power of two, wait for each other.
pub fn sync_segment(b: &mut Builder<'_>, width: i64) {
    let i32 = b.ctx.i32();
    let lanes = i64::from(WARP_SIZE);
    let mask = if width >= lanes {
        arith::constant_int(b, -1, i32)
    } else {
        let lane = gpu::LaneIdOp::new(b).value(b);
        let lane = arith::IndexCastOp::new(b, lane).result(i32).value(b);
        let [own, first] =
            [lanes - width, (1 << width) - 1].map(|bits| arith::constant_int(b, bits.into(), i32));
        let start = arith::AndIOp::new(b, lane, own).value(b);
        arith::ShLIOp::new(b, first, start).value(b)
    };
    nvvm::SyncWarpOp::new(b, mask).build(b);
}

/// The type as which values of a type are shuffled.
fn carrier(b: &mut Builder<'_>, ty: Type) -> Type {
    match (b.ctx.is_index(ty), b.ctx.int_width(ty)) {
        (true, _) => b.ctx.i64(),
        (_, Some(width)) if width > 32 => b.ctx.i64(),
        (_, Some(_)) => b.ctx.i32(),
        _ => ty,
    }
}

/// A value as one of another type that holds its bits: an integer as wide or wider, or its own.
pub fn carried(b: &mut Builder<'_>, value: Value, to: Type) -> Value {
    let from = b.ty(value);
    if from == to {
        value
    } else if b.ctx.is_index(from) {
        arith::IndexCastOp::new(b, value).result(to).value(b)
    } else if b.ctx.is_float(from) {
        arith::BitcastOp::new(b, value).result(to).value(b)
    } else {
        arith::ExtUIOp::new(b, value).result(to).value(b)
    }
}

/// The value of type `to` that [`carried`] was given.
pub fn restored(b: &mut Builder<'_>, value: Value, to: Type) -> Value {
    if b.ty(value) == to {
        value
    } else if b.ctx.is_index(to) {
        arith::IndexCastOp::new(b, value).result(to).value(b)
    } else if b.ctx.is_float(to) {
        arith::BitcastOp::new(b, value).result(to).value(b)
    } else {
        arith::TruncIOp::new(b, value).result(to).value(b)
    }
}

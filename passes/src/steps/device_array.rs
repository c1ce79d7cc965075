//! Arrays of the compiler's own: memory of the device that the host allocates in front of a compute region and frees
//! behind it, as an array of which a nest inside knows the extents.

use gpuc_dialects::affine::{AffineLoadOp, AffineStoreOp, AffineValue};
use gpuc_dialects::offload::NAME_ATTR;
use gpuc_dialects::{arith, gpu, memref};
use gpuc_ir::{Builder, DYNAMIC, Ir, Op, OpView, Type, Value, ValueMap};

use crate::analysis::nest::coverage::ElementBox;
use crate::analysis::polynomial::Polynomial;
use crate::analysis::slice::{build_polynomial, pure_slice};

/// What follows the last of a dimension.
pub(super) fn behind((_, last): &(Polynomial, Polynomial)) -> Polynomial {
    last.plus(&Polynomial::constant(1), 1).unwrap_or_default()
}

/// How many values from the first to the last.
fn extent((first, last): &(Polynomial, Polynomial)) -> Polynomial {
    let distance = last.plus(first, -1).unwrap_or_default();
    distance.plus(&Polynomial::constant(1), 1).unwrap_or_default()
}

/// Whether the host can tell in front of a region how large an array with these sides is.
pub(super) fn has_known_extents(ir: &Ir, region: Op, sides: &ElementBox) -> bool {
    let mut values = sides.iter().map(extent).flat_map(|form| form.values());
    values.all(|value| pure_slice(ir, value, region).is_some())
}

/// An array with these sides for the nest `root` in a region, of elements of that type; what the host calls it is
/// the name of the variable that it stands for. Its elements are counted from 0. Where a side has no length, it has one
/// element. The host has to know the extents ([`has_known_extents`]).
pub(super) fn allocate(
    ir: &mut Ir,
    region: Op,
    root: Op,
    element: Type,
    variable: &str,
    sides: &ElementBox,
) -> Value {
    let extents: Vec<Polynomial> = sides.iter().map(extent).collect();
    let buffer = memory(ir, region, element, variable, &extents);
    view(ir, root, buffer, &extents)
}

fn memory(ir: &mut Ir, region: Op, element: Type, variable: &str, extents: &[Polynomial]) -> Value {
    let ty = ir.ctx.memref(&[DYNAMIC], element);
    let mut b = Builder::before(ir, region);
    let mut map = ValueMap::new();
    let mut count = arith::constant_index(&mut b, 1);
    for form in extents {
        let extent = at_least_one(&mut b, form, region, &mut map);
        count = arith::MulIOp::new(&mut b, count, extent).value(&mut b);
    }
    let alloc = gpu::AllocOp::new(&mut b, &[], &[count], &[])
        .result_group(&[ty])
        .result_group(&[])
        .build(&mut b);
    let buffer = b.result(alloc, 0);
    let variable = b.ctx.string_attr(variable);
    b.set_attr(alloc, NAME_ATTR, variable);
    gpu::DeallocOp::new(&mut Builder::after(ir, region), &[], buffer)
        .build(&mut Builder::after(ir, region));
    buffer
}

/// An extent in front of `op`, and 1 where nothing runs.
fn at_least_one(b: &mut Builder<'_>, form: &Polynomial, op: Op, map: &mut ValueMap) -> Value {
    let extent = build_polynomial(b, form, |ir, value| pure_slice(ir, value, op), map)
        .expect("it was asked whether the extents can be had");
    let one = arith::constant_index(b, 1);
    arith::MaxSIOp::new(b, extent, one).value(b)
}

/// The memory as an array of those extents, in front of the nest.
fn view(ir: &mut Ir, root: Op, buffer: Value, extents: &[Polynomial]) -> Value {
    let mut b = Builder::before(ir, root);
    let mut map = ValueMap::new();
    let sizes: Vec<Value> =
        extents.iter().map(|form| at_least_one(&mut b, form, root, &mut map)).collect();
    let mut strides = Vec::new();
    for &size in sizes[1..].iter().rev() {
        let stride = match strides.last() {
            Some(&inner) => arith::MulIOp::new(&mut b, size, inner).value(&mut b),
            None => size,
        };
        strides.push(stride);
    }
    strides.reverse();
    memref::ReinterpretCastOp::rows(&mut b, buffer, &sizes, &strides)
}

/// The type of a buffer's elements.
pub(super) fn element_of(ir: &Ir, buffer: Value) -> Type {
    ir.ctx.element(ir.ty(buffer)).expect("accesses are to buffers of elements")
}

/// Makes an `affine.load` or `affine.store` one of `place` in another array.
pub(super) fn redirect(ir: &mut Ir, access: Op, array: Value, place: &AffineValue) {
    let mut b = Builder::before(ir, access);
    match AffineStoreOp::cast(&b, access) {
        Some(store) => {
            let value = store.value(&b);
            AffineStoreOp::create(&mut b, value, array, place);
            ir.erase_op(access);
        }
        None => {
            let value = AffineLoadOp::create(&mut b, array, place);
            ir.replace_op(access, &[value]);
        }
    }
}

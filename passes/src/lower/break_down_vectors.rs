//! Vector operations as smaller ones, by the names of upstream's passes that try these rewritings.
//!
//! `test-vector-emulate-masked-load-store`: masked loads and stores of one row ask element by element.
//! `test-vector-extract-strided-slice-lowering`: a slice of a row is its elements. `test-vector-break-down-bitcast`: bits
//! of a row are reinterpreted as many at a time as one instruction may, four bytes or more. Need vectors of known length.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::vector::{
    BitCastOp, ExtractStridedSliceOp, InsertOp, InsertStridedSliceOp, MaskedLoadOp, MaskedStoreOp,
    extract,
};
use gpuc_dialects::{arith, memref, scf};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::rewrite::{GreedyConfig, Pattern, PatternSet, Rewriter, apply_greedily};
use gpuc_ir::{Attr, Builder, Ir, Op, OpView, Type, TypeKind, Value};

gpuc_ir::pass! {
    /// Load and store masked rows element by element.
    EmulateMaskedLoadStore = "test-vector-emulate-masked-load-store" {}
}

gpuc_ir::pass! {
    /// Take slices of rows apart into elements.
    ExtractStridedSliceLowering = "test-vector-extract-strided-slice-lowering" {}
}

gpuc_ir::pass! {
    /// Reinterpret rows in small parts.
    BreakDownBitcast = "test-vector-break-down-bitcast" {}
}

impl Pass for EmulateMaskedLoadStore {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let load = Pattern { name: "masked-load-by-elements", apply: load_elements };
        let store = Pattern { name: "masked-store-by-elements", apply: store_elements };
        let mut patterns = PatternSet::new();
        patterns.add(ir, MaskedLoadOp::def(), load).add(ir, MaskedStoreOp::def(), store);
        let _ = apply_greedily(ir, op, &patterns, GreedyConfig::default());
        Ok(())
    }
}

impl Pass for ExtractStridedSliceLowering {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let slice = Pattern { name: "slice-by-elements", apply: slice_elements };
        let mut patterns = PatternSet::new();
        patterns.add(ir, ExtractStridedSliceOp::def(), slice);
        let _ = apply_greedily(ir, op, &patterns, GreedyConfig::default());
        Ok(())
    }
}

impl Pass for BreakDownBitcast {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let parts = Pattern { name: "bitcast-by-parts", apply: bitcast_parts };
        let mut patterns = PatternSet::new();
        patterns.add(ir, BitCastOp::def(), parts);
        let _ = apply_greedily(ir, op, &patterns, GreedyConfig::default());
        Ok(())
    }
}

/// The number of elements of a row, if it is known.
fn row_length(ir: &Ir, value: Value) -> Option<i64> {
    match ir.ctx.type_kind(ir.ty(value)) {
        TypeKind::Vector { shape, scalable, .. } if !scalable.contains(&true) => match **shape {
            [length] => Some(length),
            _ => None,
        },
        _ => None,
    }
}

fn insert(b: &mut Builder<'_>, element: Value, into: Value, position: i64) -> Value {
    let positions = b.ctx.i64_array_attr(&[position]);
    InsertOp::new(b, element, into, &[]).attr(b, "static_position", positions).value(b)
}

/// The indices of the element `more` behind the one at `indices`.
fn element_at(b: &mut Builder<'_>, indices: &[Value], more: i64) -> Vec<Value> {
    let mut indices = indices.to_vec();
    if more > 0
        && let Some(last) = indices.last_mut()
    {
        let more = arith::constant_index(b, more);
        *last = arith::AddIOp::new(b, *last, more).value(b);
    }
    indices
}

fn load_elements(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = MaskedLoadOp(op);
    let (base, indices, mask) = (view.base(rw), view.indices(rw), view.mask(rw));
    let mut value = view.pass_thru(rw);
    let Some(length) = row_length(rw, value) else { return false };
    let ty = rw.ty(value);
    let mut b = rw.before(op);
    for i in 0..length {
        let wanted = extract(&mut b, mask, i);
        let at = element_at(&mut b, &indices, i);
        let otherwise = value;
        let loaded = |b: &mut Builder<'_>| {
            let element = memref::LoadOp::new(b, base, &at).value(b);
            vec![insert(b, element, otherwise, i)]
        };
        let branch = scf::IfOp::create(&mut b, wanted, &[ty], loaded, |_| vec![otherwise]);
        value = b.result(branch.op(), 0);
    }
    rw.replace(op, &[value]);
    true
}

fn store_elements(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = MaskedStoreOp(op);
    let (base, indices, mask) = (view.base(rw), view.indices(rw), view.mask(rw));
    let row = view.valueToStore(rw);
    let Some(length) = row_length(rw, row) else { return false };
    let mut b = rw.before(op);
    for i in 0..length {
        let wanted = extract(&mut b, mask, i);
        let at = element_at(&mut b, &indices, i);
        let then = b.region(&[], |b, _| {
            let element = extract(b, row, i);
            memref::StoreOp::new(b, element, base, &at).build(b);
            scf::YieldOp::new(b, &[]).build(b);
        });
        let otherwise = b.create_region();
        scf::IfOp::new(&mut b, wanted).region(then).region(otherwise).build(&mut b);
    }
    rw.erase(op);
    true
}

/// A vector of zeros.
fn zeros(b: &mut Builder<'_>, ty: Type) -> Option<Value> {
    let element = b.ctx.element(ty)?;
    Some(match b.ctx.is_float(element) {
        true => arith::constant_float(b, 0.0, ty),
        false if b.ctx.is_signless_int_or_index(element) => arith::constant_int(b, 0, ty),
        false => return None,
    })
}

fn numbers(ir: &Ir, op: Op, name: &str) -> Vec<i64> {
    let list: &[Attr] = ir.attr(op, name).and_then(|a| ir.ctx.array_value(a)).unwrap_or(&[]);
    list.iter().filter_map(|&number| ir.ctx.i64_value(number)).collect()
}

fn slice_elements(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = ExtractStridedSliceOp(op);
    let (source, ty) = (view.vector(rw), rw.ty(view.result(rw)));
    if row_length(rw, source).is_none() {
        return false;
    }
    let [offsets, sizes, strides] = ["offsets", "sizes", "strides"].map(|n| numbers(rw, op, n));
    let (&[offset], &[size], &[stride]) = (&offsets[..], &sizes[..], &strides[..]) else {
        return false;
    };
    let mut b = rw.before(op);
    let Some(mut value) = zeros(&mut b, ty) else { return false };
    let elements: Vec<Value> =
        (0..size).map(|i| extract(&mut b, source, offset + i * stride)).collect();
    for (i, element) in (0..).zip(elements) {
        value = insert(&mut b, element, value, i);
    }
    rw.replace(op, &[value]);
    true
}

fn bitcast_parts(rw: &mut Rewriter<'_>, op: Op) -> bool {
    /// Elements that are reinterpreted at a time, of the longer side.
    const AT_A_TIME: i64 = 4;
    let view = BitCastOp(op);
    let (source, result) = (view.source(rw), view.result(rw));
    let (from_type, ty) = (rw.ty(source), rw.ty(result));
    let (Some(from), Some(to)) = (row_length(rw, source), row_length(rw, result)) else {
        return false;
    };
    if from % to != 0 || from <= AT_A_TIME || from % AT_A_TIME != 0 {
        return false;
    }
    let ratio = from / to;
    if AT_A_TIME % ratio != 0 {
        return false;
    }
    let (parts, part) = (from / AT_A_TIME, AT_A_TIME / ratio);
    let [from_element, to_element] = [from_type, ty].map(|ty| rw.ctx.element(ty).unwrap_or(ty));
    let from_part = rw.ctx.vector(&[AT_A_TIME], from_element);
    let to_part = rw.ctx.vector(&[part], to_element);
    let list = |b: &mut Builder<'_>, number: i64| {
        let i64 = b.ctx.i64();
        let number = b.ctx.int_attr(number.into(), i64);
        b.ctx.array_attr(&[number])
    };
    let mut b = rw.before(op);
    let Some(mut value) = zeros(&mut b, ty) else { return false };
    for i in 0..parts {
        let [offset, size, one] = [i * AT_A_TIME, AT_A_TIME, 1].map(|n| list(&mut b, n));
        let slice = ExtractStridedSliceOp::new(&mut b, source)
            .attr(&mut b, "offsets", offset)
            .attr(&mut b, "sizes", size)
            .attr(&mut b, "strides", one)
            .result(from_part)
            .value(&mut b);
        let cast = BitCastOp::new(&mut b, slice).result(to_part).value(&mut b);
        let offset = list(&mut b, i * part);
        value = InsertStridedSliceOp::new(&mut b, cast, value)
            .attr(&mut b, "offsets", offset)
            .attr(&mut b, "strides", one)
            .value(&mut b);
    }
    rw.replace(op, &[value]);
    true
}

//! `ptr`: addresses of memory as values, which loops can carry.
//!
//! Operations and type are those of MLIR's `ptr` dialect (which MLIR 19 does not have yet): a pointer
//! knows the address space that it points into, nothing of what is there. Arithmetic is in bytes.

use gpuc_ir::context::DialectDef;
use gpuc_ir::op::types::{ANY, I64 as I64_INTEGER, MEMREF, SIGNLESS_INTEGER_OR_INDEX, same};
use gpuc_ir::op::{Effect, EffectKind, Effects, Fold, TypeConstraint, attrs};
use gpuc_ir::{Builder, Context, DYNAMIC, Ir, Op, OpView, Type, TypeKind, Value, op};

use crate::arith::constant_int_value;
use crate::gpu::AddressSpace;
use crate::memref::{element_bytes, has_identity_layout, scalar_bytes, strided_layout};
use attrs::{I64, UNIT};

/// The dialect.
pub static DIALECT: DialectDef = DialectDef {
    name: "ptr",
    summary: "Addresses of memory as values.",
    ops: &[
        FieldOp::def,
        FromAddressOp::def,
        LoadOp::def,
        PtrAddOp::def,
        StoreOp::def,
        ToPtrOp::def,
    ],
    materialize: None,
};

/// The address spaces with their type's text behind `!ptr.`.
const TYPES: [(AddressSpace, &str); 3] = [
    (AddressSpace::Global, "ptr<#gpu.address_space<global>>"),
    (AddressSpace::Workgroup, "ptr<#gpu.address_space<workgroup>>"),
    (AddressSpace::Private, "ptr<#gpu.address_space<private>>"),
];

/// `!ptr.ptr<#gpu.address_space<...>>`: a pointer into an address space.
pub fn pointer(ctx: &mut Context, space: AddressSpace) -> Type {
    let text = TYPES.iter().find(|(known, _)| *known == space).map_or(TYPES[0].1, |entry| entry.1);
    ctx.dialect_type("ptr", text)
}

/// The address space that a pointer type points into; `None` for other types.
pub fn pointee_space(ctx: &Context, ty: Type) -> Option<AddressSpace> {
    let TypeKind::Dialect { dialect, text } = *ctx.type_kind(ty) else { return None };
    let of = |text: &str| TYPES.iter().find(|entry| entry.1 == text).map(|entry| entry.0);
    (ctx.str(dialect) == "ptr").then(|| of(ctx.str(text)))?
}

static POINTER: TypeConstraint = TypeConstraint {
    summary: "pointer into an address space of 'gpu'",
    holds: |ctx, ty| pointee_space(ctx, ty).is_some(),
    build: None,
};

op! {
    /// The address of a buffer's first element.
    ToPtrOp = "ptr.to_ptr" {
        operands { memref: One MEMREF }
        results { result: One POINTER }
        traits PURE
        format "$memref attr-dict `:` type($memref) `->` type($result)"
        hooks { verify: Some(verify_to_ptr) }
    }
}

op! {
    /// The buffer in global memory at an address that is known as a number: what a pointer points to that was read
    /// from memory. Accesses to it may touch whatever else is not a thread's own. (Of ours; MLIR's `ptr.from_ptr` starts
    /// from a pointer.) A `generic` one may be a thread's own, too: one whose address was given away.
    FromAddressOp = "ptr.from_address" {
        operands { address: One I64_INTEGER }
        results { buffer: One MEMREF }
        attrs { generic: Optional UNIT }
        traits PURE
        format "(`generic` $generic^)? $address attr-dict `:` type($buffer)"
        hooks { verify: Some(verify_from_address) }
    }
}

op! {
    /// The same member of all records of a buffer, as a buffer of its own: the last dimension of the source are the bytes
    /// of a record, of which the member's are those from `offset` on. (Of ours: upstream's views keep the element's type, or
    /// are contiguous.)
    FieldOp = "ptr.field" {
        operands { records: One MEMREF }
        results { field: One MEMREF }
        attrs { offset: Required I64 }
        traits PURE
        format "$records `at` $offset attr-dict `:` type($records) `to` type($field)"
        hooks { verify: Some(verify_field), result_name: Some(|_, _, _| Some("field".into())) }
    }
}

impl FieldOp {
    /// Builds the members of type `element`, from byte `offset` of each record on; the layout of `records` is strided,
    /// with distances that are multiples of the member's size.
    pub fn of_element(b: &mut Builder<'_>, records: Value, offset: i64, element: Type) -> Value {
        let source = b.ty(records);
        let layout = strided_layout(&b.ctx, source).expect("records lie at strides");
        let size = scalar_bytes(&b.ctx, element).expect("members are scalars") as i64;
        let scaled = |at: i64| if at == DYNAMIC { DYNAMIC } else { at / size };
        let rank = layout.strides.len() - 1;
        let strides: Vec<i64> =
            layout.strides[..rank].iter().map(|&stride| scaled(stride)).collect();
        let shape = b.ctx.shape(source).unwrap_or_default()[..rank].to_vec();
        let layout = b.ctx.strided_attr(scaled(layout.offset + offset), &strides);
        let space = b.ctx.memory_space(source).flatten();
        let layout = Some(layout).filter(|&layout| !b.ctx.is_identity_layout(layout, &shape));
        let ty = b.ctx.memref_in(&shape, element, layout, space);
        let offset = b.ctx.i64_attr(offset);
        FieldOp::new(b, records).attr(b, "offset", offset).result(ty).value(b)
    }

    /// The byte of each record that the member starts at.
    pub fn byte(self, ir: &Ir) -> i64 {
        self.offset(ir).and_then(|attr| ir.ctx.int_value(attr)).unwrap_or(0) as i64
    }
}

/// The records' bytes hold the member, and both lie at the same places.
fn verify_field(ir: &Ir, op: Op) -> Result<(), String> {
    let view = FieldOp(op);
    let (source, field) = (ir.ty(view.records(ir)), ir.ty(view.field(ir)));
    let bytes = ir.ctx.element(source).filter(|&element| ir.ctx.int_width(element) == Some(8));
    let (Some(shape), Some(_)) = (ir.ctx.shape(source), bytes) else {
        return Err("needs records of bytes".into());
    };
    let Some((&record, outer)) = shape.split_last() else {
        return Err("needs records of bytes".into());
    };
    if record == DYNAMIC {
        return Err("needs records of a known size".into());
    }
    let size = element_bytes(&ir.ctx, field).and_then(|size| i64::try_from(size).ok());
    let Some(size) = size.filter(|&size| size > 0) else {
        return Err("gives members of a known size".into());
    };
    let offset = view.byte(ir);
    if offset < 0 || offset > record - size {
        return Err(format!(
            "the member's {size} bytes from {offset} on are not in a record of {record}"
        ));
    }
    let layouts = (strided_layout(&ir.ctx, source), strided_layout(&ir.ctx, field));
    let (Some(from), Some(to)) = layouts else {
        return Err("needs layouts that are strided".into());
    };
    if from.strides.last() != Some(&1) {
        return Err("the bytes of a record follow each other".into());
    }
    let fits = |bytes: i64, elements: i64| match (bytes, elements) {
        (DYNAMIC, _) | (_, DYNAMIC) => bytes == elements,
        _ => elements.checked_mul(size) == Some(bytes),
    };
    let start = if from.offset == DYNAMIC { DYNAMIC } else { from.offset + offset };
    let same = ir.ctx.shape(field) == Some(outer)
        && AddressSpace::of_memref(&ir.ctx, source) == AddressSpace::of_memref(&ir.ctx, field)
        && fits(start, to.offset)
        && from.strides.iter().zip(&to.strides).all(|(&bytes, &elements)| fits(bytes, elements));
    if same { Ok(()) } else { Err("the members do not lie where the records do".into()) }
}

op! {
    /// An address so many bytes further on; it need not be one that can be accessed.
    PtrAddOp = "ptr.ptr_add" {
        operands { base: One POINTER, offset: One SIGNLESS_INTEGER_OR_INDEX }
        results { result: One POINTER }
        traits PURE
        types { result = same(base) "result has the type of the base" }
        format "$base `,` $offset attr-dict `:` type($base) `,` type($offset)"
        hooks { fold: Some(fold_ptr_add) }
    }
}

op! {
    /// Loads a scalar or a vector. `invariant` promises that nobody writes this memory as long as
    /// the function runs, `alignment` that the address is a multiple of so many bytes; without it,
    /// that it is one of the element's size.
    LoadOp = "ptr.load" {
        operands { ptr: One POINTER }
        results { result: One ANY }
        attrs { alignment: Optional I64, invariant: Optional UNIT }
        format "(`invariant` $invariant^)? $ptr attr-dict `:` type($ptr) `->` type($result)"
        hooks { verify: Some(|ir, op| verify_access(ir, op, ir.ty(ir.result(op, 0)))), effects: Some(load_effects) }
    }
}

op! {
    /// Stores a scalar or a vector.
    StoreOp = "ptr.store" {
        operands { value: One ANY, ptr: One POINTER }
        attrs { alignment: Optional I64 }
        format "$value `,` $ptr attr-dict `:` type($value) `,` type($ptr)"
        hooks { verify: Some(|ir, op| verify_access(ir, op, ir.ty(ir.operand(op, 0)))), effects: Some(store_effects) }
    }
}

fn load_effects(ir: &Ir, op: Op, effects: &mut Effects) {
    // What nobody writes gives the same whenever it is read.
    if ir.attr(op, "invariant").is_none() {
        effects.push(Effect { kind: EffectKind::Read, on: None });
    }
}

fn store_effects(_: &Ir, _: Op, effects: &mut Effects) {
    effects.push(Effect { kind: EffectKind::Write, on: None });
}

fn fold_ptr_add(ir: &mut Ir, op: Op, _: &[Option<gpuc_ir::Attr>]) -> Fold {
    let view = PtrAddOp(op);
    match constant_int_value(ir, view.offset(ir)) {
        Some(0) => Fold::one(view.base(ir)),
        _ => Fold::None,
    }
}

fn verify_to_ptr(ir: &Ir, op: Op) -> Result<(), String> {
    let view = ToPtrOp(op);
    let source = ir.ty(view.memref(ir));
    if strided_layout(&ir.ctx, source).is_none() {
        return Err("needs a buffer whose layout is strided".into());
    }
    if AddressSpace::of_memref(&ir.ctx, source) != pointee_space(&ir.ctx, ir.ty(view.result(ir))) {
        return Err("the pointer is into another address space than the buffer's".into());
    }
    Ok(())
}

fn verify_from_address(ir: &Ir, op: Op) -> Result<(), String> {
    let ty = ir.ty(FromAddressOp(op).buffer(ir));
    if !has_identity_layout(&ir.ctx, ty) {
        return Err("gives a buffer without a layout of its own".into());
    }
    match AddressSpace::of_memref(&ir.ctx, ty) {
        Some(AddressSpace::Global) => Ok(()),
        _ => Err("gives a buffer in global memory".into()),
    }
}

fn verify_access(ir: &Ir, op: Op, accessed: Type) -> Result<(), String> {
    let element = ir.ctx.element_or_self(accessed);
    let is_number = ir.ctx.is_float(element) || ir.ctx.is_signless_int_or_index(element);
    let is_row = ir.ctx.shape(accessed).is_none_or(|shape| shape.len() == 1);
    if !is_number || !is_row || (ir.ctx.shape(accessed).is_some() && !ir.ctx.is_vector(accessed)) {
        return Err("accesses numbers and one-dimensional vectors of numbers".into());
    }
    let alignment = ir.attr(op, "alignment").and_then(|attr| ir.ctx.i64_value(attr));
    if alignment.is_some_and(|bytes| bytes <= 0 || bytes.count_ones() != 1) {
        return Err("alignment must be power of 2".into());
    }
    Ok(())
}

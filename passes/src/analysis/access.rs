//! Who touches which memory, element by element.

use gpuc_dialects::offload::{MAP_ATTR, NAME_ATTR};
use gpuc_dialects::{affine, gpu, memref};
use gpuc_ir::op::{EffectKind, Traits};
use gpuc_ir::{AttrKind, Ir, Op, OpView, Value, ValueDef, WalkOrder};

use super::polynomial::Polynomial;
use super::subscript::{of_affine, polynomial};

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It reads and writes in one step.
    Atomic,
}

/// An access to elements of a buffer.
#[derive(Clone, Debug)]
pub struct Access {
    /// The operation.
    pub op: Op,
    /// What it does.
    pub kind: AccessKind,
    /// Where the buffer comes from: an allocation, an argument; found through views.
    pub root: Value,
    /// The buffer that the subscripts are of.
    pub buffer: Value,
    /// Where the access starts, a subscript for each dimension; `None` where a subscript has no
    /// closed form.
    pub subscripts: Vec<Option<Polynomial>>,
    /// How many elements it touches from there on, in the last dimension.
    pub length: i64,
}

impl Access {
    /// Whether it may change memory.
    pub fn writes(&self) -> bool {
        self.kind != AccessKind::Read
    }
}

/// The accesses of `root` and everything inside, in order; an operation whose effects are not
/// known if there is one.
pub fn accesses(ir: &Ir, root: Op) -> Result<Vec<Access>, Op> {
    let mut found = Vec::new();
    for op in ir.nested_ops(root, WalkOrder::PreOrder) {
        if let Some(access) = access(ir, op) {
            found.push(access);
        } else if !is_benign(ir, op) {
            return Err(op);
        }
    }
    Ok(found)
}

/// Whether an operation that is no access touches no memory that others see.
fn is_benign(ir: &Ir, op: Op) -> bool {
    if ir.has_trait(op, Traits::RECURSIVE_EFFECTS) || ir.has_trait(op, Traits::TERMINATOR) {
        // What is inside is asked for itself.
        return true;
    }
    ir.effects(op)
        .is_some_and(|effects| effects.iter().all(|effect| effect.kind == EffectKind::Allocate))
}

/// What an operation accesses, if it is an access to one buffer.
pub fn access(ir: &Ir, op: Op) -> Option<Access> {
    let plain = |first: usize| {
        ir.operands(op).skip(first).map(|index| Some(polynomial(ir, index))).collect()
    };
    let mapped = |value: Option<affine::AffineValue>| {
        let value = value?;
        let results = value.results(&ir.ctx);
        Some(results.iter().map(|&result| of_affine(ir, result, &value)).collect())
    };
    let (kind, buffer, subscripts): (_, _, Vec<Option<Polynomial>>) = match ir.name(op) {
        memref::LoadOp::NAME => (AccessKind::Read, 0, plain(1)),
        memref::StoreOp::NAME => (AccessKind::Write, 1, plain(2)),
        memref::AtomicRMWOp::NAME => (AccessKind::Atomic, 1, plain(2)),
        memref::GenericAtomicRMWOp::NAME => (AccessKind::Atomic, 0, plain(1)),
        affine::AffineLoadOp::NAME => {
            (AccessKind::Read, 0, mapped(affine::AffineLoadOp(op).subscripts(ir))?)
        }
        affine::AffineStoreOp::NAME => {
            (AccessKind::Write, 1, mapped(affine::AffineStoreOp(op).subscripts(ir))?)
        }
        _ => return None,
    };
    let buffer = ir.operand(op, buffer);
    let mut access = Access { op, kind, root: root(ir, buffer), buffer, subscripts, length: 1 };
    if access.subscripts.is_empty() {
        through_bytes(ir, &mut access);
    }
    Some(access)
}

/// An element seen through `memref.view` is a run of bytes of the buffer behind.
fn through_bytes(ir: &Ir, access: &mut Access) {
    let view = ir.defining_op(access.buffer).and_then(|op| memref::ViewOp::cast(ir, op));
    let Some(view) = view else { return };
    let Some(size) = memref::element_bytes(&ir.ctx, ir.ty(access.buffer)) else { return };
    access.buffer = view.source(ir);
    access.subscripts = vec![Some(polynomial(ir, view.byte_shift(ir)))];
    access.length = i64::try_from(size).unwrap_or(i64::MAX);
}

/// Where a buffer comes from, through casts and views.
pub fn root(ir: &Ir, buffer: Value) -> Value {
    let mut at = buffer;
    while let Some(op) = ir.defining_op(at) {
        let view = ir.operand_count(op) > 0
            && ir.ctx.is_memref(ir.ty(ir.operand(op, 0)))
            && ir.is_effect_free(op)
            && ir.regions(op).is_empty();
        if !view {
            break;
        }
        at = ir.operand(op, 0);
    }
    at
}

/// Whether two buffers may share memory, and what was assumed where not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alias {
    /// They may.
    May,
    /// They cannot.
    No,
    /// Not, if the program keeps mapped variables apart.
    Mapped,
}

/// Whether two roots may share memory. Local buffers are apart from everything; so are variables
/// that the program maps to the device one by one.
pub fn alias(ir: &Ir, a: Value, b: Value) -> Alias {
    if a == b {
        return Alias::May;
    }
    let local = |value: Value| {
        ir.defining_op(value).is_some_and(|op| {
            memref::AllocaOp::is(ir, op) || memref::AllocOp::is(ir, op) || gpu::AllocOp::is(ir, op)
        })
    };
    let known = |value: Value| {
        local(value)
            || ir.defining_op(value).is_some_and(|op| memref::GetGlobalOp::is(ir, op))
            || is_argument_of_symbol(ir, value)
    };
    if (local(a) && known(b)) || (known(a) && local(b)) {
        return Alias::No;
    }
    if is_mapped(ir, a) && is_mapped(ir, b) { Alias::Mapped } else { Alias::May }
}

fn is_argument_of_symbol(ir: &Ir, value: Value) -> bool {
    argument_owner(ir, value).is_some()
}

fn argument_owner(ir: &Ir, value: Value) -> Option<(Op, usize)> {
    let ValueDef::Argument(block, index) = ir.value_def(value) else { return None };
    let owner = ir.block_op(block)?;
    ir.has_trait(owner, Traits::SYMBOL).then_some((owner, index as usize))
}

/// An attribute of the function argument that a value is.
fn argument_attr<'a>(ir: &'a Ir, value: Value, name: &str) -> Option<&'a str> {
    let (owner, index) = argument_owner(ir, value)?;
    let all = ir.ctx.array_value(ir.attr(owner, "arg_attrs")?)?;
    let AttrKind::Dict(entries) = *ir.ctx.attr_kind(*all.get(index)?) else { return None };
    ir.ctx.string_value(ir.ctx.dict_get_str(entries, name)?)
}

fn is_mapped(ir: &Ir, value: Value) -> bool {
    argument_attr(ir, value, MAP_ATTR).is_some_and(|map| map != "deviceptr")
}

/// The variable's name in the source, for messages.
pub fn name(ir: &Ir, root: Value) -> String {
    if let Some(name) = argument_attr(ir, root, NAME_ATTR) {
        return name.to_owned();
    }
    let name = ir
        .defining_op(root)
        .and_then(|op| ir.attr(op, NAME_ATTR))
        .and_then(|attr| ir.ctx.string_value(attr));
    name.unwrap_or("a local variable").to_owned()
}

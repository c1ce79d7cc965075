//! Who touches which memory, element by element.

use gpuc_dialects::offload::{
    MAP_ATTR, NAME_ATTR, ROWS_ATTR, STORAGE_ATTR, STORAGE_EXCLUSIVE, STORAGE_OBJECT,
    STORAGE_RESTRICT,
};
use gpuc_dialects::{arith, gpu, memref, ptr};
use gpuc_ir::op::{Subscripts, Traits};

pub use gpuc_ir::op::AccessKind;
use gpuc_ir::{Attr, AttrKind, Ir, Op, OpView, Value, ValueDef};

use super::modular;
use super::names;
use super::polynomial::Polynomial;
use super::quasi_affine::QuasiAffine;
use super::subscript::polynomial;

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
    pub subscripts: Vec<Option<QuasiAffine>>,
    /// How many elements it touches from there on, in the last dimension.
    pub length: i64,
    /// The member of records that the buffer is, if it is one.
    pub member: Option<Member>,
}

/// The member of records that a buffer made by `ptr.field` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The records, whose last dimension are bytes.
    pub records: Value,
    /// The first byte of a record that is the member's.
    pub offset: i64,
    /// Bytes of the member.
    pub size: i64,
}

impl Access {
    /// Whether it may change memory.
    pub fn writes(&self) -> bool {
        self.kind != AccessKind::Read
    }

    /// The buffer by whose elements accesses are compared: the records, for those of a member.
    pub fn memory(&self) -> Value {
        self.member.map_or(self.buffer, |member| member.records)
    }

    /// Where the access starts in [`memory`](Access::memory): the member's first byte is the last subscript.
    pub fn place(&self) -> impl Iterator<Item = Option<QuasiAffine>> {
        let byte = self.member.map(|member| Some(Polynomial::constant(member.offset).into()));
        self.subscripts.iter().cloned().chain(byte)
    }

    /// How many elements of [`memory`](Access::memory) it touches from there on, in the last dimension.
    pub fn extent(&self) -> i64 {
        self.member.map_or(self.length, |member| member.size)
    }
}

/// Subscripts of every dialect, seen alike; `None` for one without a closed form.
pub fn subscripts(ir: &Ir, subscripts: &Subscripts) -> Vec<Option<QuasiAffine>> {
    match subscripts {
        Subscripts::Values(values) => {
            values.iter().map(|&value| Some(QuasiAffine::of_value(ir, value))).collect()
        }
        Subscripts::Map(map, operands) => {
            let data = ir.ctx.map_data(*map);
            let form = |&result| QuasiAffine::of_expr(ir, result, data.dims as usize, operands);
            data.results.iter().map(form).collect()
        }
    }
}

/// What an operation accesses, if it is an access to one buffer.
pub fn access(ir: &Ir, op: Op) -> Option<Access> {
    let found = ir.memory_access(op)?;
    let mut subscripts = subscripts(ir, &found.subscripts);
    let length = found.extents.last().copied().unwrap_or(1);
    // A vector of several dimensions: it touches more than its first row.
    for (d, &extent) in found.extents.iter().rev().enumerate().skip(1) {
        if extent != 1 {
            let subscript = subscripts.len().checked_sub(d + 1)?;
            subscripts[subscript] = None;
        }
    }
    let (kind, buffer) = (found.kind, found.buffer);
    let member = member(ir, buffer);
    let root = root(ir, buffer);
    let mut access = Access { op, kind, root, buffer, subscripts, length, member };
    if access.subscripts.is_empty() {
        through_bytes(ir, &mut access);
    }
    if is_another_each_time(ir, access.root) {
        access.subscripts.fill(None);
    }
    Some(access)
}

/// Whether a buffer is declared in a loop, so that each of its iterations has one of its own. What an
/// operation in the loop only finds or chooses was there before.
pub fn is_own(ir: &Ir, root: Value, op: Op) -> bool {
    let is_inside = ir.defining_op(root).is_some_and(|definition| ir.is_inside(definition, op));
    is_inside && Storage::of(ir, root) == Storage::Local
}

/// Whether a buffer may be another one in each iteration of a loop: subscripts say nothing then.
fn is_another_each_time(ir: &Ir, root: Value) -> bool {
    ir.defining_op(root).is_some_and(|op| {
        ptr::FromAddressOp::is(ir, op) && ir.ancestors(op).any(|outer| ir.is_loop(outer))
    })
}

/// The member that a buffer is.
fn member(ir: &Ir, buffer: Value) -> Option<Member> {
    let view = ptr::FieldOp::cast(ir, ir.defining_op(buffer)?)?;
    let size = i64::try_from(memref::element_bytes(&ir.ctx, ir.ty(buffer))?).ok()?;
    Some(Member { records: view.records(ir), offset: view.byte(ir), size })
}

/// An element seen through `memref.view` is a run of bytes of the buffer behind.
fn through_bytes(ir: &Ir, access: &mut Access) {
    let view = ir.defining_op(access.buffer).and_then(|op| memref::ViewOp::cast(ir, op));
    let Some(view) = view else { return };
    let Some(size) = memref::element_bytes(&ir.ctx, ir.ty(access.buffer)) else { return };
    access.buffer = view.source(ir);
    access.subscripts = vec![Some(QuasiAffine::of_value(ir, view.byte_shift(ir)))];
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

/// What else may reach a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Nobody: it is local to the region.
    Local,
    /// Nothing but the function argument it is.
    Exclusive,
    /// Pointers made from it: it is what a `restrict` pointer points to.
    Restrict,
    /// Pointers: it is a variable of the program.
    Object,
    /// Variables and pointers: what a pointer of the program points to.
    Pointee,
    /// Anything that is not local: a buffer that comes from outside in another way.
    Outside,
    /// Anything.
    Unknown,
}

impl Storage {
    /// What may reach a root.
    pub fn of(ir: &Ir, root: Value) -> Storage {
        if let Some(op) = ir.defining_op(root) {
            let local = memref::AllocaOp::is(ir, op)
                || memref::AllocOp::is(ir, op)
                || gpu::AllocOp::is(ir, op);
            return match local {
                // Who has the address may be anybody.
                true if gives_address_away(ir, root) => Storage::Outside,
                true => Storage::Local,
                false if memref::GetGlobalOp::is(ir, op) => Storage::Outside,
                false if ptr::FromAddressOp::is(ir, op) => Storage::Outside,
                false => Storage::Unknown,
            };
        }
        if argument_owner(ir, root).is_none() {
            return Storage::Unknown;
        }
        let is_mapped = argument_attr(ir, root, MAP_ATTR).is_some_and(|map| map != "deviceptr");
        match argument_attr(ir, root, STORAGE_ATTR) {
            Some(STORAGE_EXCLUSIVE) => Storage::Exclusive,
            Some(STORAGE_RESTRICT) => Storage::Restrict,
            Some(STORAGE_OBJECT) => Storage::Object,
            _ if is_mapped => Storage::Pointee,
            _ => Storage::Outside,
        }
    }
}

/// Whether the address of a buffer, or of a view of it, is taken.
fn gives_address_away(ir: &Ir, buffer: Value) -> bool {
    ir.users(buffer).into_iter().any(|user| {
        memref::ExtractAlignedPointerAsIndexOp::is(ir, user)
            || ir
                .results(user)
                .iter()
                .any(|&result| ir.ctx.is_memref(ir.ty(result)) && gives_address_away(ir, result))
    })
}

/// Whether two different roots may share memory. Local buffers are apart from everything, and so is
/// what only one name reaches; variables and what `restrict` pointers point to are apart from each
/// other. What an ordinary pointer points to is taken to be apart from what others do, if both are mapped to the device:
/// whoever relies on that has to test it.
pub fn alias(a: Storage, b: Storage) -> Alias {
    use Storage::*;
    match (a, b) {
        (Unknown, _) | (_, Unknown) => Alias::May,
        (Local | Exclusive, _) | (_, Local | Exclusive) => Alias::No,
        (Restrict | Object, Restrict | Object) => Alias::No,
        (Outside, _) | (_, Outside) => Alias::May,
        // An ordinary pointer may have been made from a `restrict` one.
        (Restrict | Object | Pointee, Restrict | Object | Pointee) => Alias::Mapped,
    }
}

fn argument_owner(ir: &Ir, value: Value) -> Option<(Op, usize)> {
    let ValueDef::Argument(block, index) = ir.value_def(value) else { return None };
    let owner = ir.block_op(block)?;
    ir.has_trait(owner, Traits::SYMBOL).then_some((owner, index as usize))
}

/// A string attribute of the function argument that a value is.
pub fn argument_attr<'a>(ir: &'a Ir, value: Value, name: &str) -> Option<&'a str> {
    ir.ctx.string_value(any_argument_attr(ir, value, name)?)
}

/// Elements of the outermost dimension that the program maps of an argument, where it says so by a number ([`ROWS_ATTR`]).
pub fn mapped_rows(ir: &Ir, value: Value) -> Option<i64> {
    ir.ctx.i64_value(any_argument_attr(ir, value, ROWS_ATTR)?)
}

fn any_argument_attr(ir: &Ir, value: Value, name: &str) -> Option<Attr> {
    let (owner, index) = argument_owner(ir, value)?;
    let all = ir.ctx.array_value(ir.attr(owner, "arg_attrs")?)?;
    let AttrKind::Dict(entries) = *ir.ctx.attr_kind(*all.get(index)?) else { return None };
    ir.ctx.dict_get_str(entries, name)
}

/// The variable's name in the source, for messages.
pub fn name(ir: &Ir, root: Value) -> String {
    known_name(ir, root).unwrap_or("a local variable").to_owned()
}

/// A value in the words of the source.
pub fn describe(ir: &Ir, value: Value) -> String {
    // An unsigned number is known by what it was widened from.
    let widening = ir.defining_op(value).filter(|&op| arith::IndexCastUIOp::is(ir, op));
    if let Some(op) = widening {
        return describe(ir, ir.operand(op, 0));
    }
    let form = match polynomial(ir, value) {
        form if form.as_value() == Some(value) => modular::spelled(ir, value),
        form => form,
    };
    match form.as_value() == Some(value) {
        true => name(ir, value),
        false => format!("({})", form.display(|value| name(ir, value))),
    }
}

/// The variable's name in the source, if it is known.
pub fn known_name(ir: &Ir, root: Value) -> Option<&str> {
    let stated = || ir.ctx.string_value(ir.attr(ir.defining_op(root)?, NAME_ATTR)?);
    argument_attr(ir, root, NAME_ATTR).or_else(stated).or_else(|| names::variable(ir, root))
}

//! Objects and pointers.
//!
//! A pointer is a buffer of the IR and a position in it; which buffer is known when lowering, so
//! that every access says what it touches. A buffer holds either elements of one scalar type, with
//! constant inner extents as further dimensions, or bytes. In a buffer of `n > 1` dimensions, a
//! pointer to (or an object of) a type with `d` array dimensions has `n - d` subscripts; in all
//! others one offset, in elements or bytes.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::arith;
use gpuc_ir::{Type as IrType, Value};
use smallvec::{SmallVec, smallvec};

use super::call::CallResult;
use super::lowerer::{Binding, Failure, Lowerer, Lowering};
use super::rows::Rows;
use super::scalar::{Scalar, flatten};
use super::uses::member_chain;
use crate::source::Span;
use crate::tree::{CastKind, DeclId, ExprId, ExprKind, MemberAccess, UnaryOp};
use crate::types::{ArraySize, Qualifiers, Type};

/// A buffer of the function being lowered, by its number.
pub(super) type BufferId = usize;

/// What a buffer holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Form {
    /// One scalar (rank 0).
    Single { element: IrType, size: u64 },
    /// Scalars of one type; the extents of all dimensions but the outermost.
    Elements { element: IrType, size: u64, inner: Vec<u64> },
    /// Bytes.
    Bytes,
}

/// A memref and what it means in C.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    /// The memref.
    pub memref: Value,
    /// What it holds.
    pub form: Form,
    /// The variable it belongs to.
    pub variable: Option<DeclId>,
    /// Its address, where nothing but that is known of it.
    pub address: Option<Value>,
}

/// A position in a buffer.
#[derive(Clone, Debug)]
pub(super) struct Pointer {
    /// The buffer.
    pub buffer: BufferId,
    /// Subscripts of type `index`.
    pub position: SmallVec<[Value; 2]>,
    /// The same as subscripts of an array with run-time extents, where they were given so.
    pub rows: Option<Rows>,
    /// The object there is volatile, as the lvalue says that designates it.
    pub volatile: bool,
}

impl Pointer {
    /// A position in a buffer, of which no more is known.
    pub fn new(buffer: BufferId, position: SmallVec<[Value; 2]>) -> Pointer {
        Pointer { buffer, position, rows: None, volatile: false }
    }
}

/// What an lvalue designates.
#[derive(Clone, Debug)]
pub(super) enum Lvalue {
    /// A scalar that is never assigned to.
    Value(Value),
    /// An object in memory.
    Memory(Pointer),
    /// A pointer variable.
    PointerVariable(DeclId),
    /// A pointer that does not change.
    Pointer(Pointer),
}

impl Lowerer<'_> {
    /// The form of a buffer for objects of `ty` (an array's or pointer's innermost element with its
    /// arrays): elements where they are scalars of one type, else bytes.
    pub(super) fn natural_form(&mut self, variable: Option<DeclId>, ty: Type) -> Form {
        if variable.is_some_and(|decl| self.as_bytes.contains(&decl)) {
            return Form::Bytes;
        }
        let (element, extents) = flatten(self.unit, ty);
        match Scalar::in_memory(self.unit, element) {
            Some(scalar) => Form::Elements {
                element: scalar.memory(&mut self.b.ctx),
                size: scalar.size(),
                inner: extents.unwrap_or_default(),
            },
            None => Form::Bytes,
        }
    }

    /// Adds a buffer.
    pub(super) fn buffer(
        &mut self,
        memref: Value,
        form: Form,
        variable: Option<DeclId>,
    ) -> BufferId {
        self.buffers.push(Buffer { memref, form, variable, address: None });
        self.buffers.len() - 1
    }

    /// The start of a buffer, as a pointer to (or object of) a type with `dims` array dimensions.
    pub(super) fn start_of(&mut self, buffer: BufferId, dims: usize) -> Pointer {
        let count = match &self.buffers[buffer].form {
            Form::Single { .. } => 0,
            Form::Elements { inner, .. } if !inner.is_empty() => {
                (inner.len() + 1).saturating_sub(dims)
            }
            _ => 1,
        };
        let position = (0..count).map(|_| self.index(0)).collect();
        Pointer::new(buffer, position)
    }

    /// A buffer turns out to be accessed in a way its form does not allow.
    pub(super) fn needs_bytes<T>(&self, buffer: BufferId, span: Span) -> Lowering<T> {
        match self.buffers[buffer].variable {
            Some(decl) if !self.as_bytes.contains(&decl) => Err(Failure::AsBytes(decl)),
            _ => self.error(
                span,
                "this access changes the type of an object in a way that is not supported",
            ),
        }
    }

    /// Number of array dimensions of a type.
    pub(super) fn dimensions(&self, mut ty: Type) -> usize {
        let mut count = 0;
        while let Some((element, _)) = self.unit.types.as_array(ty) {
            count += 1;
            ty = element;
        }
        // A complex number is an array of two parts.
        count + usize::from(self.is_complex_type(ty))
    }

    /// `count` objects of type `ty` in units of a buffer.
    pub(super) fn scaled(
        &mut self,
        count: Value,
        ty: Type,
        bytes: bool,
        span: Span,
    ) -> Lowering<Value> {
        if !bytes && Scalar::in_memory(self.unit, ty).is_some() {
            return Ok(count);
        }
        let units = self.units(ty, bytes, span)?;
        Ok(self.multiply_index(count, units))
    }

    /// How many units of a buffer (elements, or bytes) an object of type `ty` takes up.
    pub(super) fn units(&mut self, ty: Type, bytes: bool, span: Span) -> Lowering<Value> {
        if let Some((element, size)) = self.unit.types.as_array(ty)
            && self.unit.types.is_variably_sized(ty)
        {
            let inner = self.units(element, bytes, span)?;
            let count = match size {
                ArraySize::Constant(count) => self.index(count as i64),
                ArraySize::Variable(count) => self.extent(count)?,
                _ => return self.error(span, "the extent of this array is not known here"),
            };
            return Ok(self.multiply_index(count, inner));
        }
        let Some(size) = self.unit.types.size_of(ty) else {
            let shown = self.unit.display(ty);
            return self.error(span, format!("the size of `{shown}` is not known"));
        };
        if bytes {
            return Ok(self.index(size as i64));
        }
        let element =
            Scalar::in_memory(self.unit, flatten(self.unit, ty).0).map_or(1, Scalar::size);
        Ok(self.index((size / element.max(1)) as i64))
    }

    /// The size of a type in bytes as an `index`, at run time where it must be.
    pub(super) fn size_in_bytes(&mut self, ty: Type, span: Span) -> Lowering<Value> {
        self.units(ty, true, span)
    }

    /// `a * b` of subscripts.
    pub(super) fn multiply_index(&mut self, a: Value, b: Value) -> Value {
        match (arith::constant_index_value(&self.b, a), arith::constant_index_value(&self.b, b)) {
            (Some(1), _) => b,
            (_, Some(1)) => a,
            (Some(0), _) => a,
            (_, Some(0)) => b,
            (Some(x), Some(y)) => self.index(x.wrapping_mul(y)),
            _ => {
                let op = arith::MulIOp::new(&mut self.b, a, b);
                let op = self.no_signed_wrap(op);
                self.value(op)
            }
        }
    }

    /// `a + b` of subscripts.
    pub(super) fn add_index(&mut self, a: Value, b: Value) -> Value {
        match (arith::constant_index_value(&self.b, a), arith::constant_index_value(&self.b, b)) {
            (Some(0), _) => b,
            (_, Some(0)) => a,
            (Some(x), Some(y)) => self.index(x.wrapping_add(y)),
            _ => {
                let op = arith::AddIOp::new(&mut self.b, a, b);
                let op = self.no_signed_wrap(op);
                self.value(op)
            }
        }
    }

    /// An integer expression as an `index`.
    pub(super) fn subscript(&mut self, expr: ExprId) -> Lowering<Value> {
        if let Some(value) = self.unit.constant_int(expr)
            && let Ok(value) = i64::try_from(value)
        {
            return Ok(self.index(value));
        }
        let expr = self.narrowest(expr);
        let scalar = self.scalar(self.ty(expr), self.span(expr))?;
        let value = self.rvalue(expr)?;
        Ok(self.as_index(value, scalar))
    }

    /// An integer expression without conversions that extending it to an `index` makes up for.
    fn narrowest(&self, expr: ExprId) -> ExprId {
        let integer = |e: ExprId| match Scalar::of(self.unit, self.ty(e)) {
            Some(Scalar::Int { bits, signed }) => Some((bits, signed)),
            _ => None,
        };
        match self.unit.exprs[expr].kind {
            ExprKind::Paren(inner) => self.narrowest(inner),
            ExprKind::Cast { kind: CastKind::Integer, operand, .. } => {
                match (integer(expr), integer(operand)) {
                    (Some((to, signed)), Some((from, _))) if to > from && (signed || to == 64) => {
                        self.narrowest(operand)
                    }
                    _ => expr,
                }
            }
            _ => expr,
        }
    }

    /// Moves a pointer by `count` objects of type `to`.
    pub(super) fn advance(
        &mut self,
        pointer: &Pointer,
        to: Type,
        count: Value,
        span: Span,
    ) -> Lowering<Pointer> {
        let mut moved = pointer.clone();
        moved.rows = self.rows_along(pointer, to, count);
        let form = self.buffers[pointer.buffer].form.clone();
        self.check_position(pointer, to, span)?;
        let step = match &form {
            Form::Single { .. } => {
                if arith::constant_index_value(&self.b, count) == Some(0) {
                    return Ok(moved);
                }
                return self.error(span, "a pointer to a single variable cannot be moved");
            }
            Form::Elements { inner, .. } if !inner.is_empty() => count,
            Form::Elements { .. } => self.scaled(count, to, false, span)?,
            Form::Bytes => self.scaled(count, to, true, span)?,
        };
        if let Some(last) = moved.position.last_mut() {
            let value = *last;
            let sum = self.add_index(value, step);
            if let Some(last) = moved.position.last_mut() {
                *last = sum;
            }
        }
        Ok(moved)
    }

    /// Checks that a pointer may be taken to point to objects of type `to`.
    pub(super) fn check_position(&self, pointer: &Pointer, to: Type, span: Span) -> Lowering<()> {
        let form = &self.buffers[pointer.buffer].form;
        let (innermost, extents) = flatten(self.unit, to);
        let (element, size, inner) = match form {
            Form::Bytes => return Ok(()),
            Form::Single { element, size } => (element, size, &[][..]),
            Form::Elements { element, size, inner } => (element, size, inner.as_slice()),
        };
        let fits = Scalar::in_memory(self.unit, innermost).is_some_and(|scalar| {
            scalar.size() == *size && scalar.is_float() == self.b.ctx.is_float(*element)
        });
        let dims = self.dimensions(to);
        let shape = match form {
            Form::Single { .. } => dims == 0,
            _ if inner.is_empty() => true,
            _ => {
                pointer.position.len() + dims == inner.len() + 1
                    && extents.is_some_and(|extents| {
                        // The outermost extent of a whole object does not matter.
                        let skip = usize::from(dims == inner.len() + 1);
                        inner.ends_with(&extents[skip..])
                    })
            }
        };
        if fits && shape { Ok(()) } else { self.needs_bytes(pointer.buffer, span) }
    }

    /// The object that an lvalue designates.
    pub(super) fn place(&mut self, expr: ExprId) -> Lowering<Lvalue> {
        let mut place = self.designated(expr)?;
        if let Lvalue::Memory(pointer) = &mut place {
            // It is the lvalue's type that says so (C11 §6.7.3).
            pointer.volatile = self.is_volatile(expr);
        }
        Ok(place)
    }

    /// Whether an lvalue is one of a volatile object.
    pub(super) fn is_volatile(&self, expr: ExprId) -> bool {
        self.ty(expr).qualifiers().contains(Qualifiers::VOLATILE)
    }

    fn designated(&mut self, expr: ExprId) -> Lowering<Lvalue> {
        let span = self.span(expr);
        if let Some(place) = self.path(expr) {
            return Ok(place);
        }
        match self.unit.exprs[expr].kind.clone() {
            ExprKind::Paren(inner) => self.place(inner),
            ExprKind::Name(decl) => self.named(decl, span),
            ExprKind::Unary(UnaryOp::Deref, pointer) => {
                let to = self.ty(expr);
                let pointer = self.pointer(pointer)?;
                self.check_position(&pointer, to, span)?;
                Ok(Lvalue::Memory(pointer))
            }
            ExprKind::Index { base, index } => {
                let to = self.ty(expr);
                let pointer = self.pointer(base)?;
                let count = self.subscript(index)?;
                Ok(Lvalue::Memory(self.advance(&pointer, to, count, span)?))
            }
            ExprKind::Member { base, access } => {
                if let Some((decl, fields)) = member_chain(self.unit, expr)
                    && let Some(Binding::Members(members)) = self.bindings.get(&decl)
                {
                    return match members.get(&fields) {
                        Some(Binding::Value(value)) => Ok(Lvalue::Value(*value)),
                        Some(Binding::Pointer(pointer)) => Ok(Lvalue::Pointer(pointer.clone())),
                        _ => self.error(span, "this member is not available in the region"),
                    };
                }
                let field =
                    self.unit.types.record(access.record).fields[access.field as usize].clone();
                if field.bits.is_some() {
                    let name = field.name.map_or("", |name| self.unit.text(name)).to_owned();
                    return self.refuse(
                        span,
                        Diagnostic::error(format!(
                            "bit-field `{name}` cannot be used like this in device code"
                        ))
                        .help("copy it to a variable, or give it a whole integer"),
                    );
                }
                self.check_member_alignment(access, span)?;
                let record = self.object(base)?;
                let offset = self.index(field.offset as i64);
                Ok(Lvalue::Memory(self.move_bytes(&record, offset)))
            }
            ExprKind::CompoundLiteral(init) => {
                let ty = self.ty(expr);
                let pointer = self.local_object(None, ty, span)?;
                self.initialize(&pointer, ty, &init, span)?;
                Ok(Lvalue::Memory(pointer))
            }
            ExprKind::String(literal) => {
                let ty = self.ty(expr);
                Ok(Lvalue::Memory(self.string_object(&literal, ty, span)?))
            }
            ExprKind::Cast { kind: CastKind::Same, operand, .. } => self.place(operand),
            _ => Ok(Lvalue::Memory(self.record_value(expr)?)),
        }
    }

    /// A GPU accesses aligned memory only, which members of packed structures need not be.
    fn check_member_alignment(&self, access: MemberAccess, span: Span) -> Lowering<()> {
        let record = self.unit.types.record(access.record);
        let field = &record.fields[access.field as usize];
        let wanted = self.unit.types.alignment(field.ty).unwrap_or(1);
        let given = record.layout.map_or(1, |layout| layout.align);
        if given.is_multiple_of(wanted) && field.offset.is_multiple_of(wanted) {
            return Ok(());
        }
        let name = field
            .name
            .map_or_else(|| "a member".to_owned(), |n| format!("member `{}`", self.unit.text(n)));
        self.refuse(
            span,
            Diagnostic::error(format!(
                "{name} of a packed structure is not aligned, as accesses of a GPU must be"
            ))
            .label(format!("its type is accessed at multiples of {wanted} bytes"))
            .related(self.unit.place(field.span), "the member")
            .help("leave the structure unpacked, or copy the member to an array before the region"),
        )
    }

    /// Moves a pointer into bytes.
    pub(super) fn move_bytes(&mut self, pointer: &Pointer, offset: Value) -> Pointer {
        let at = pointer.position.first().copied();
        let position = match at {
            Some(at) => self.add_index(at, offset),
            None => offset,
        };
        Pointer { volatile: pointer.volatile, ..Pointer::new(pointer.buffer, smallvec![position]) }
    }

    /// The member named by a data clause that an expression designates.
    fn path(&self, expr: ExprId) -> Option<Lvalue> {
        let (_, binding) =
            self.paths.iter().find(|(path, _)| self.unit.same_expression(path.base, expr))?;
        match binding.as_ref()? {
            Binding::Pointer(pointer) => Some(Lvalue::Pointer(pointer.clone())),
            Binding::Object(pointer) => Some(Lvalue::Memory(pointer.clone())),
            Binding::Value(value) => Some(Lvalue::Value(*value)),
            _ => None,
        }
    }

    /// The object of a variable.
    fn named(&mut self, decl: DeclId, span: Span) -> Lowering<Lvalue> {
        match self.bindings.get(&decl) {
            Some(Binding::Value(value)) => return Ok(Lvalue::Value(*value)),
            Some(Binding::Object(pointer)) => return Ok(Lvalue::Memory(pointer.clone())),
            Some(Binding::Pointer(pointer)) => return Ok(Lvalue::Pointer(pointer.clone())),
            Some(Binding::PointerVariable { .. } | Binding::Address(_)) => {
                return Ok(Lvalue::PointerVariable(decl));
            }
            Some(&Binding::Slot { memref, .. }) => {
                let ty = self.unit.decls[decl].ty;
                let scalar = self.scalar(ty, span)?;
                let element = scalar.memory(&mut self.b.ctx);
                let known = self.buffers.iter().position(|buffer| buffer.memref == memref);
                let form = Form::Single { element, size: scalar.size() };
                let buffer = known.unwrap_or_else(|| self.buffer(memref, form, Some(decl)));
                return Ok(Lvalue::Memory(Pointer::new(buffer, smallvec![])));
            }
            _ => {}
        }
        self.global(decl, span)
    }

    /// An object in memory, structures above all.
    pub(super) fn object(&mut self, expr: ExprId) -> Lowering<Pointer> {
        match self.place(expr)? {
            Lvalue::Memory(pointer) => Ok(pointer),
            _ => self.error(self.span(expr), "this object has no address in device code"),
        }
    }

    /// The pointer that an expression of pointer type yields.
    pub(super) fn pointer(&mut self, expr: ExprId) -> Lowering<Pointer> {
        let span = self.span(expr);
        match self.unit.exprs[expr].kind.clone() {
            ExprKind::Paren(inner) => self.pointer(inner),
            ExprKind::Cast { kind: CastKind::Load, operand, .. } => match self.place(operand)? {
                Lvalue::Pointer(pointer) => Ok(pointer),
                Lvalue::PointerVariable(decl) => self.read_pointer(decl, span),
                Lvalue::Memory(place) => {
                    let address = self.load(&place, Scalar::ADDRESS, span)?;
                    let pointer = self.pointee_of(address, self.pointed_to(expr));
                    self.name_as(self.buffers[pointer.buffer].memref, span);
                    Ok(pointer)
                }
                Lvalue::Value(_) => self.untraced(span),
            },
            ExprKind::Cast { kind: CastKind::ArrayToPointer, operand, .. } => {
                let object = self.object(operand)?;
                let ty = self.ty(operand);
                self.decay(object, ty, span)
            }
            ExprKind::Cast { kind: CastKind::NullToPointer, .. } => {
                let address = self.address(expr)?;
                Ok(self.pointee_of(address, self.pointed_to(expr)))
            }
            ExprKind::Cast { kind: CastKind::IntegerToPointer, operand, .. } => {
                let from = self.scalar(self.ty(operand), span)?;
                let value = self.rvalue(operand)?;
                let address = self.convert(value, from, Scalar::ADDRESS);
                Ok(self.pointee_of(address, self.pointed_to(expr)))
            }
            ExprKind::Cast { kind: CastKind::Pointer | CastKind::Same, operand, .. } => {
                if let Some(pointer) = self.allocated(operand, self.pointed_to(expr), span)? {
                    return Ok(pointer);
                }
                let pointer = self.pointer(operand)?;
                self.retyped(pointer, self.pointed_to(expr))
            }
            ExprKind::Unary(UnaryOp::AddressOf, operand) => match self.place(operand)? {
                Lvalue::Memory(pointer) => Ok(Pointer { rows: None, ..pointer }),
                _ => self.error(
                    span,
                    "the address of a pointer variable is not supported in device code",
                ),
            },
            ExprKind::Binary(
                op @ (crate::tree::BinaryOp::Add | crate::tree::BinaryOp::Sub),
                base,
                count,
            ) => {
                let pointer = self.pointer(base)?;
                let mut count = self.subscript(count)?;
                if op == crate::tree::BinaryOp::Sub {
                    count = self.negate_index(count);
                }
                let to = self.unit.types.pointee(self.ty(expr)).unwrap_or(Type::ERROR);
                self.advance(&pointer, to, count, span)
            }
            ExprKind::Assign { .. } | ExprKind::CompoundAssign { .. } | ExprKind::IncDec(..) => {
                self.pointer_update(expr)
            }
            ExprKind::Comma(first, second) => {
                self.effects(first)?;
                self.pointer(second)
            }
            ExprKind::Call { callee, arguments } => {
                let to = self.pointed_to(expr);
                match self.call_any(expr, callee, &arguments)? {
                    CallResult::Pointer(pointer) => self.retyped(pointer, to),
                    CallResult::Value(address) => Ok(self.pointee_of(address, to)),
                    _ => self.untraced(span),
                }
            }
            ExprKind::StatementExpr(_) => {
                let address = self.rvalue(expr)?;
                Ok(self.pointee_of(address, self.pointed_to(expr)))
            }
            ExprKind::Conditional { condition, then: Some(then), otherwise } => {
                self.conditional_pointer(condition, then, otherwise, self.pointed_to(expr))
            }
            _ => self.untraced(span),
        }
    }

    /// `-value` of a subscript.
    pub(super) fn negate_index(&mut self, value: Value) -> Value {
        if let Some(known) = arith::constant_index_value(&self.b, value) {
            return self.index(known.wrapping_neg());
        }
        let zero = self.index(0);
        let op = arith::SubIOp::new(&mut self.b, zero, value);
        let op = self.no_signed_wrap(op);
        self.value(op)
    }

    /// A pointer to the first element of an array object.
    pub(super) fn decay(
        &mut self,
        mut object: Pointer,
        array: Type,
        span: Span,
    ) -> Lowering<Pointer> {
        self.check_position(&object, array, span)?;
        if let Form::Elements { inner, .. } = &self.buffers[object.buffer].form
            && !inner.is_empty()
        {
            let zero = self.index(0);
            object.position.push(zero);
        }
        Ok(object)
    }

    /// The type that an expression of pointer type points to.
    fn pointed_to(&self, expr: ExprId) -> Type {
        self.unit.types.pointee(self.ty(expr)).unwrap_or(Type::ERROR)
    }

    /// A pointer to objects of type `to`: where nothing but the address is known, what is there is seen anew.
    fn retyped(&mut self, pointer: Pointer, to: Type) -> Lowering<Pointer> {
        if self.buffers[pointer.buffer].address.is_none() {
            return Ok(Pointer { rows: None, ..pointer });
        }
        let form = self.natural_form(None, to);
        if self.buffers[pointer.buffer].form == form {
            return Ok(pointer);
        }
        let address = self.address_of(&pointer);
        Ok(self.pointee_of(address, to))
    }

    /// A pointer of which lowering cannot say what it points into.
    pub(super) fn untraced<T>(&self, span: Span) -> Lowering<T> {
        let text = String::from_utf8_lossy(self.unit.source.slice(span)).into_owned();
        self.refuse(
            span,
            Diagnostic::error(format!("cannot tell which array `{text}` points into"))
                .label("this pointer is not traced to a variable of the host program")
                .help(
                    "name the pointer in a data clause, or copy it to a pointer variable before \
                     the region",
                ),
        )
    }

    fn conditional_pointer(
        &mut self,
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
        to: Type,
    ) -> Lowering<Pointer> {
        let condition = self.condition(condition)?;
        let (yes, no) = (self.pointer(then)?, self.pointer(otherwise)?);
        if yes.buffer != no.buffer || yes.position.len() != no.position.len() {
            let (yes, no) = (self.address_of(&yes), self.address_of(&no));
            let op = arith::SelectOp::new(&mut self.b, condition, yes, no);
            let address = self.value(op);
            return Ok(self.pointee_of(address, to));
        }
        let mut position = SmallVec::new();
        for (&a, &b) in yes.position.iter().zip(&no.position) {
            let op = arith::SelectOp::new(&mut self.b, condition, a, b);
            position.push(self.value(op));
        }
        Ok(Pointer::new(yes.buffer, position))
    }
}

//! Loads and stores, and pointer variables.

use gpuc_dialects::{arith, memref};
use gpuc_ir::{DYNAMIC, OpView, Value};
use smallvec::SmallVec;

use super::lowerer::{Binding, Failure, Lowerer, Lowering};
use super::place::{Form, Lvalue, Pointer};
use super::scalar::Scalar;
use crate::source::Span;
use crate::tree::{BinaryOp, CastKind, DeclId, ExprId, ExprKind, IncDec, UnaryOp};
use crate::types::Type;

/// Where a pointer is held.
enum HeldPointer {
    Variable(DeclId),
    Memory(Pointer),
}

impl Lowerer<'_> {
    /// The buffer and subscripts of the scalar at a pointer.
    pub(super) fn element(
        &mut self,
        pointer: &Pointer,
        scalar: Scalar,
        span: Span,
    ) -> Lowering<(Value, SmallVec<[Value; 2]>)> {
        let buffer = self.buffers[pointer.buffer].clone();
        let memory = scalar.memory(&mut self.b.ctx);
        if matches!(buffer.form, Form::Elements { element, .. } if element == memory)
            && let Some(element) = self.in_rows(pointer)?
        {
            return Ok(element);
        }
        match buffer.form {
            Form::Single { element, .. } if element == memory => {
                Ok((buffer.memref, SmallVec::new()))
            }
            Form::Elements { element, inner, .. }
                if element == memory && pointer.position.len() == inner.len() + 1 =>
            {
                Ok((buffer.memref, pointer.position.clone()))
            }
            Form::Bytes => {
                let ty = self.b.ctx.memref(&[], memory);
                let offset = pointer.position[0];
                let view = memref::ViewOp::new(&mut self.b, buffer.memref, offset, &[]).result(ty);
                Ok((self.value(view), SmallVec::new()))
            }
            _ => self.needs_bytes(pointer.buffer, span),
        }
    }

    /// Reads the scalar at a pointer.
    pub(super) fn load(
        &mut self,
        pointer: &Pointer,
        scalar: Scalar,
        span: Span,
    ) -> Lowering<Value> {
        if self.is_seen_by_others(pointer) {
            return self.atomic_load(pointer, scalar, span);
        }
        let (buffer, position) = self.element(pointer, scalar, span)?;
        let op = memref::LoadOp::new(&mut self.b, buffer, &position);
        let value = self.value(op);
        Ok(self.loaded(value, scalar))
    }

    /// Writes the scalar at a pointer.
    pub(super) fn store(
        &mut self,
        value: Value,
        pointer: &Pointer,
        scalar: Scalar,
        span: Span,
    ) -> Lowering<()> {
        let (buffer, position) = self.element(pointer, scalar, span)?;
        let value = self.stored(value, scalar);
        if self.is_seen_by_others(pointer) {
            self.atomic_store(value, buffer, &position);
            return Ok(());
        }
        let op = memref::StoreOp::new(&mut self.b, value, buffer, &position);
        self.build(op);
        Ok(())
    }

    /// Whether each access of a volatile object counts: what a thread has for itself nobody else sees.
    fn is_seen_by_others(&self, pointer: &Pointer) -> bool {
        let memref = self.buffers[pointer.buffer].memref;
        pointer.volatile
            && self.b.defining_op(memref).is_none_or(|op| !memref::AllocaOp::is(&self.b, op))
    }

    /// A value as it was read from memory, as the IR computes with it.
    pub(super) fn loaded(&mut self, value: Value, scalar: Scalar) -> Value {
        if scalar != Scalar::Bool {
            return value;
        }
        let i1 = self.b.ctx.i1();
        let op = arith::TruncIOp::new(&mut self.b, value).result(i1);
        self.value(op)
    }

    /// A value as memory holds it.
    pub(super) fn stored(&mut self, value: Value, scalar: Scalar) -> Value {
        if scalar != Scalar::Bool {
            return value;
        }
        let i8 = self.b.ctx.int(8);
        let op = arith::ExtUIOp::new(&mut self.b, value).result(i8);
        self.value(op)
    }

    /// The value of the object that an lvalue of scalar type designates.
    pub(super) fn load_place(&mut self, expr: ExprId) -> Lowering<Value> {
        let span = self.span(expr);
        if let Some(bits) = self.bit_field(expr)? {
            return self.load_bits(&bits, span);
        }
        match self.place(expr)? {
            Lvalue::Value(value) => Ok(value),
            Lvalue::Memory(pointer) => {
                let scalar = self.scalar(self.ty(expr), span)?;
                self.load(&pointer, scalar, span)
            }
            Lvalue::Pointer(_) | Lvalue::PointerVariable(_) => self.address(expr),
        }
    }

    /// A buffer of a local object.
    pub(super) fn local_object(
        &mut self,
        variable: Option<DeclId>,
        ty: Type,
        span: Span,
    ) -> Lowering<Pointer> {
        let Some(size) = self.unit.types.size_of(ty) else {
            return self.local_of_run_time_size(variable, ty, span);
        };
        let dims = self.dimensions(ty);
        let inside = self.unit.types.as_array(ty).map_or(ty, |(element, _)| element);
        let form = self.natural_form(variable, inside);
        let memref_ty = match &form {
            Form::Elements { element, size: unit, inner } => {
                let row: u64 = inner.iter().product::<u64>().max(1) * unit;
                let mut shape = vec![(size / row) as i64];
                shape.extend(inner.iter().map(|&extent| extent as i64));
                self.b.ctx.memref(&shape, *element)
            }
            _ => {
                let i8 = self.b.ctx.int(8);
                self.b.ctx.memref(&[size as i64], i8)
            }
        };
        let mut op = memref::AllocaOp::new(&mut self.b, &[], &[]).result(memref_ty);
        if form == Form::Bytes {
            let align = self.unit.types.alignment(ty).unwrap_or(1);
            let align = self.b.ctx.i64_attr(align as i64);
            op = op.attr(&mut self.b, "alignment", align);
        }
        let memref = self.value(op);
        if let Some(variable) = variable {
            self.name(memref, variable);
        }
        let buffer = self.buffer(memref, form, variable);
        Ok(self.start_of(buffer, dims))
    }

    /// The memref type of an object in device memory: as [`device_memref`](Self::device_memref), with the
    /// outermost extent that its declaration has.
    pub(super) fn object_memref(&mut self, form: &Form, ty: Type) -> gpuc_ir::Type {
        let (Form::Elements { element, size, inner }, Some(bytes)) =
            (form, self.unit.types.size_of(ty))
        else {
            return self.device_memref(form);
        };
        let row = inner.iter().product::<u64>().max(1) * size;
        let mut shape = vec![(bytes / row.max(1)) as i64];
        shape.extend(inner.iter().map(|&extent| extent as i64));
        self.b.ctx.memref(&shape, *element)
    }

    /// The memref type of device memory in a form.
    pub(super) fn device_memref(&mut self, form: &Form) -> gpuc_ir::Type {
        match form {
            Form::Single { element, .. } => self.b.ctx.memref(&[], *element),
            Form::Elements { element, inner, .. } => {
                let mut shape = vec![DYNAMIC];
                shape.extend(inner.iter().map(|&extent| extent as i64));
                self.b.ctx.memref(&shape, *element)
            }
            Form::Bytes => {
                let i8 = self.b.ctx.int(8);
                self.b.ctx.memref(&[DYNAMIC], i8)
            }
        }
    }

    /// The value of a pointer variable.
    pub(super) fn read_pointer(&mut self, decl: DeclId, span: Span) -> Lowering<Pointer> {
        let (buffer, slots) = match self.bindings.get(&decl).cloned() {
            Some(Binding::PointerVariable { buffer, slots, .. }) => (buffer, slots),
            Some(Binding::Address(slot)) => {
                let address = self.read_slot(slot);
                let ty = self.unit.decls[decl].ty;
                return Ok(
                    self.pointee_of(address, self.unit.types.pointee(ty).unwrap_or(Type::ERROR))
                );
            }
            _ => return self.untraced(span),
        };
        let Some(buffer) = buffer else {
            let name = self.unit.name(decl).to_owned();
            return self.error(span, format!("pointer `{name}` is used before it points anywhere"));
        };
        let position = slots.iter().map(|&slot| self.read_slot(slot)).collect();
        Ok(Pointer::new(buffer, position))
    }

    /// Assigns to a pointer variable. The first assignment decides which buffer it points into.
    pub(super) fn write_pointer(
        &mut self,
        decl: DeclId,
        value: &Pointer,
        span: Span,
    ) -> Lowering<()> {
        let (buffer, slots, home) = match self.bindings.get(&decl).cloned() {
            Some(Binding::PointerVariable { buffer, slots, home }) => (buffer, slots, home),
            Some(Binding::Address(slot)) => {
                let address = self.address_of(value);
                self.write_slot(slot, address);
                return Ok(());
            }
            _ => return self.untraced(span),
        };
        // What is known of an address ends with the expression it is in.
        if self.buffers[value.buffer].address.is_some() {
            return Err(Failure::AsAddress(decl));
        }
        let slots = match buffer {
            Some(known) => {
                let same = known == value.buffer
                    || self.buffers[known].memref == self.buffers[value.buffer].memref;
                if !same || slots.len() != value.position.len() {
                    return Err(Failure::AsAddress(decl));
                }
                slots
            }
            None => {
                let count = value.position.len();
                let saved = self.b.point();
                self.b.set_point(gpuc_ir::InsertPoint::Start(home));
                let index = self.b.ctx.index();
                let slots: Vec<Value> = (0..count).map(|_| self.alloca(index)).collect();
                self.b.set_point(saved);
                let bound = Binding::PointerVariable {
                    buffer: Some(value.buffer),
                    slots: slots.clone(),
                    home,
                };
                self.bindings.insert(decl, bound);
                slots
            }
        };
        for (&slot, &part) in slots.iter().zip(&value.position) {
            let op = memref::StoreOp::new(&mut self.b, part, slot, &[]);
            self.build(op);
        }
        Ok(())
    }

    /// An assignment to, or `++` of, a pointer variable; the value of the expression.
    pub(super) fn pointer_update(&mut self, expr: ExprId) -> Lowering<Pointer> {
        let span = self.span(expr);
        let (target, kind) = match self.unit.exprs[expr].kind {
            ExprKind::Assign { target, .. }
            | ExprKind::CompoundAssign { target, .. }
            | ExprKind::IncDec(_, target) => (target, self.unit.exprs[expr].kind.clone()),
            _ => return self.untraced(span),
        };
        let place = match self.place(target)? {
            Lvalue::PointerVariable(decl) => HeldPointer::Variable(decl),
            Lvalue::Memory(place) => HeldPointer::Memory(place),
            _ => {
                return self.refuse(
                    span,
                    gpuc_diagnostics::Diagnostic::error(
                        "assigning to this pointer is not supported in device code",
                    )
                    .help("use a pointer variable declared inside the region"),
                );
            }
        };
        let to = self.unit.types.pointee(self.ty(target)).unwrap_or(Type::ERROR);
        let (old, new) = match kind {
            ExprKind::Assign { value, .. } => (None, self.pointer(value)?),
            ExprKind::CompoundAssign { op, value, .. } => {
                let old = self.pointer_at(&place, to, span)?;
                let mut count = self.subscript(value)?;
                if op == BinaryOp::Sub {
                    count = self.negate_index(count);
                }
                (None, self.advance(&old, to, count, span)?)
            }
            ExprKind::IncDec(op, _) => {
                let old = self.pointer_at(&place, to, span)?;
                let up = matches!(op, IncDec::PreIncrement | IncDec::PostIncrement);
                let count = self.index(if up { 1 } else { -1 });
                let new = self.advance(&old, to, count, span)?;
                let post = matches!(op, IncDec::PostIncrement | IncDec::PostDecrement);
                (post.then_some(old), new)
            }
            _ => return self.untraced(span),
        };
        match &place {
            HeldPointer::Variable(decl) => self.write_pointer(*decl, &new, span)?,
            HeldPointer::Memory(place) => {
                let address = self.address_of(&new);
                self.store(address, place, Scalar::ADDRESS, span)?;
            }
        }
        Ok(old.unwrap_or(new))
    }

    /// The pointer that is held at a place.
    fn pointer_at(&mut self, place: &HeldPointer, to: Type, span: Span) -> Lowering<Pointer> {
        match place {
            HeldPointer::Variable(decl) => self.read_pointer(*decl, span),
            HeldPointer::Memory(place) => {
                let address = self.load(place, Scalar::ADDRESS, span)?;
                Ok(self.pointee_of(address, to))
            }
        }
    }

    /// `a - b` and comparisons of pointers: the distance in units of the buffer, or in bytes where they
    /// do not point into one.
    pub(super) fn pointer_distance(
        &mut self,
        a: ExprId,
        b: ExprId,
        span: Span,
    ) -> Lowering<(Value, Form)> {
        let (left, right) = (self.pointer(a)?, self.pointer(b)?);
        let form = self.buffers[left.buffer].form.clone();
        let outer_equal = left.position.len() == right.position.len()
            && left.position.iter().rev().skip(1).eq(right.position.iter().rev().skip(1));
        let same = self.buffers[left.buffer].memref == self.buffers[right.buffer].memref;
        if !same {
            let (x, y) = (self.address_of(&left), self.address_of(&right));
            let op = arith::SubIOp::new(&mut self.b, x, y);
            let distance = self.value(op);
            let index = self.b.ctx.index();
            let op = arith::IndexCastOp::new(&mut self.b, distance).result(index);
            return Ok((self.value(op), Form::Bytes));
        }
        let (Some(&x), Some(&y)) = (left.position.last(), right.position.last()) else {
            return self.untraced(span);
        };
        if !outer_equal {
            return self.needs_bytes(left.buffer, span);
        }
        let op = arith::SubIOp::new(&mut self.b, x, y);
        let op = self.no_signed_wrap(op);
        Ok((self.value(op), form))
    }

    /// Whether an expression has a pointer's type.
    pub(super) fn is_pointer(&self, expr: ExprId) -> bool {
        self.unit.types.is_pointer(self.ty(expr))
    }

    /// Whether evaluating an expression twice, or not at all, makes no difference, and costs little.
    pub(super) fn is_cheap(&self, expr: ExprId) -> bool {
        match &self.unit.exprs[expr].kind {
            ExprKind::Int(_) | ExprKind::Float(_) => true,
            ExprKind::Paren(inner) => self.is_cheap(*inner),
            ExprKind::Unary(
                UnaryOp::Plus | UnaryOp::Minus | UnaryOp::Complement | UnaryOp::Not,
                e,
            ) => self.is_cheap(*e),
            ExprKind::Binary(op, a, b) => {
                !matches!(
                    op,
                    BinaryOp::Div | BinaryOp::Rem | BinaryOp::LogicalAnd | BinaryOp::LogicalOr
                ) && !self.is_pointer(*a)
                    && !self.is_pointer(*b)
                    && self.is_cheap(*a)
                    && self.is_cheap(*b)
            }
            ExprKind::Cast { kind: CastKind::Load, operand, .. } => {
                match self.unit.exprs[*operand].kind {
                    ExprKind::Name(decl) => matches!(
                        self.bindings.get(&decl),
                        Some(Binding::Value(_) | Binding::Slot { shared: false, .. })
                    ),
                    _ => false,
                }
            }
            ExprKind::Cast { kind, operand, .. } => {
                matches!(
                    kind,
                    CastKind::Integer
                        | CastKind::IntegerToFloating
                        | CastKind::Floating
                        | CastKind::ToBool
                        | CastKind::Same
                ) && self.is_cheap(*operand)
            }
            _ => false,
        }
    }
}

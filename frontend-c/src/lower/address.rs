//! Pointers as addresses: what is left where lowering cannot say which buffer a pointer points into,
//! because it comes from memory, may point into several, or is compared with one of another.
//!
//! Addresses are those of the device: a pointer that the host wrote is one only if it was attached.

use gpuc_dialects::memref::{AllocaOp, ExtractAlignedPointerAsIndexOp};
use gpuc_dialects::{arith, ptr};
use gpuc_ir::{OpView, Value};

use super::lowerer::{Lowerer, Lowering};
use super::place::{Form, Pointer};
use super::scalar::Scalar;
use crate::tree::{CastKind, ExprId, ExprKind};
use crate::types::Type;

impl Scalar {
    /// An address, as memory holds it.
    pub(super) const ADDRESS: Scalar = Scalar::Int { bits: 64, signed: false };
}

impl Lowerer<'_> {
    /// What is at an address, as a pointer to objects of type `to`.
    pub(super) fn pointee_of(&mut self, address: Value, to: Type) -> Pointer {
        let form = self.natural_form(None, to);
        let ty = self.device_memref(&form);
        let generic = self.separate.then(|| self.b.ctx.unit_attr());
        let op = ptr::FromAddressOp::new(&mut self.b, address)
            .attr_option(&mut self.b, "generic", generic)
            .result(ty);
        let memref = self.value(op);
        let buffer = self.buffer(memref, form, None);
        self.buffers[buffer].address = Some(address);
        let dims = self.dimensions(to);
        self.start_of(buffer, dims)
    }

    /// Whether a pointer is into memory of one thread.
    pub(super) fn is_local(&self, pointer: &Pointer) -> bool {
        let defining = self.b.defining_op(self.buffers[pointer.buffer].memref);
        defining.is_some_and(|op| AllocaOp::is(&self.b, op))
    }

    /// The address that a pointer is.
    pub(super) fn address_of(&mut self, pointer: &Pointer) -> Value {
        // Whoever has it may be asked to look at memory of the thread.
        self.gives_addresses |= self.is_local(pointer);
        let buffer = self.buffers[pointer.buffer].clone();
        let i64 = self.b.ctx.int(64);
        let start = match buffer.address {
            Some(address) => address,
            None => {
                let op = ExtractAlignedPointerAsIndexOp::new(&mut self.b, buffer.memref);
                let start = self.value(op);
                let op = arith::IndexCastOp::new(&mut self.b, start).result(i64);
                self.value(op)
            }
        };
        let mut bytes = self.index(0);
        match &buffer.form {
            Form::Single { .. } => {}
            Form::Bytes => bytes = pointer.position[0],
            Form::Elements { size, inner, .. } => {
                for (dimension, &at) in pointer.position.iter().enumerate() {
                    let below: u64 = inner.iter().skip(dimension).product();
                    let step = self.index((below * size) as i64);
                    let part = self.multiply_index(at, step);
                    bytes = self.add_index(bytes, part);
                }
            }
        }
        if arith::constant_index_value(&self.b, bytes) == Some(0) {
            return start;
        }
        let op = arith::IndexCastOp::new(&mut self.b, bytes).result(i64);
        let bytes = self.value(op);
        let op = arith::AddIOp::new(&mut self.b, start, bytes);
        self.value(op)
    }

    /// The address that an expression of pointer type yields.
    pub(super) fn address(&mut self, expr: ExprId) -> Lowering<Value> {
        if self.is_null(expr) {
            let i64 = self.b.ctx.int(64);
            return Ok(arith::constant_int(&mut self.b, 0, i64));
        }
        let pointer = self.pointer(expr)?;
        Ok(self.address_of(&pointer))
    }

    /// Whether an expression is a null pointer constant.
    pub(super) fn is_null(&self, expr: ExprId) -> bool {
        match self.unit.exprs[expr].kind {
            ExprKind::Paren(inner) => self.is_null(inner),
            ExprKind::Cast { kind: CastKind::NullToPointer, .. } => true,
            ExprKind::Cast { kind: CastKind::Pointer | CastKind::Same, operand, .. } => {
                self.is_pointer(operand) && self.is_null(operand)
            }
            _ => false,
        }
    }

    /// Whether a pointer is not null.
    pub(super) fn is_set(&mut self, expr: ExprId) -> Lowering<Value> {
        if self.is_null(expr) {
            return Ok(arith::constant_bool(&mut self.b, false));
        }
        let pointer = self.pointer(expr)?;
        if self.is_local(&pointer) {
            return Ok(arith::constant_bool(&mut self.b, true));
        }
        let address = self.address_of(&pointer);
        Ok(self.is_true(address, Scalar::ADDRESS))
    }
}

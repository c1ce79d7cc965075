//! Bit-fields (C11 §6.7.2.1): bits of an integer in memory, which is read and written as a whole.
//!
//! Fields of one integer are one memory location (C11 §3.14): threads that write different ones race, as they
//! would on the host.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::arith;
use gpuc_ir::Value;

use super::lowerer::{Binding, Lowerer, Lowering};
use super::place::Pointer;
use super::scalar::Scalar;
use super::uses::member_chain;
use crate::source::Span;
use crate::tree::{BinaryOp, ExprId, ExprKind};
use crate::types::{BitField, Type};

/// A bit-field of an object.
pub(super) struct Bits {
    /// The integer that it is a part of: the shortest there is, so that as little as possible is written besides.
    unit: Pointer,
    /// Its size in bytes.
    bytes: u64,
    /// Which bits of it.
    field: BitField,
    /// Its type.
    scalar: Scalar,
}

impl Bits {
    /// The integer in memory, without a sign.
    fn whole(&self) -> Scalar {
        Scalar::Int { bits: 8 * self.bytes as u32, signed: false }
    }
}

impl Lowerer<'_> {
    /// Whether an lvalue is a bit-field in memory.
    fn is_bit_field(&self, mut expr: ExprId) -> bool {
        while let ExprKind::Paren(inner) = self.unit.exprs[expr].kind {
            expr = inner;
        }
        let ExprKind::Member { access, .. } = self.unit.exprs[expr].kind else { return false };
        let is_member = member_chain(self.unit, expr)
            .is_some_and(|(decl, _)| matches!(self.bindings.get(&decl), Some(Binding::Members(_))));
        let field = &self.unit.types.record(access.record).fields[access.field as usize];
        field.bits.is_some() && !is_member
    }

    /// The bit-field that an lvalue is, if it is one.
    pub(super) fn bit_field(&mut self, mut expr: ExprId) -> Lowering<Option<Bits>> {
        if !self.is_bit_field(expr) {
            return Ok(None);
        }
        while let ExprKind::Paren(inner) = self.unit.exprs[expr].kind {
            expr = inner;
        }
        let span = self.span(expr);
        let ExprKind::Member { base, access } = self.unit.exprs[expr].kind else { return Ok(None) };
        let record = self.unit.types.record(access.record);
        let field = record.fields[access.field as usize].clone();
        let Some(bits) = field.bits else { return Ok(None) };
        let object = self.object(base)?;
        let align = record.layout.map_or(1, |layout| layout.align);
        let mut bits = self.bits_at(&object, field.offset, bits, (field.ty, align), span)?;
        bits.unit.volatile |= self.is_volatile(expr);
        Ok(Some(bits))
    }

    /// The bits of an object, `offset` bytes behind its start.
    pub(super) fn bits_at(
        &mut self,
        object: &Pointer,
        offset: u64,
        field: BitField,
        (ty, align): (Type, u64),
        span: Span,
    ) -> Lowering<Bits> {
        let scalar = self.scalar(ty, span)?;
        let (first, width) = (8 * offset + u64::from(field.offset), u64::from(field.width));
        let bytes = [1u64, 2, 4, 8]
            .into_iter()
            .find(|bytes| align.is_multiple_of(*bytes) && first % (8 * bytes) + width <= 8 * bytes);
        let Some(bytes) = bytes else {
            return self.refuse(
                span,
                Diagnostic::error(
                    "this bit-field of a packed structure is not aligned, as accesses of a GPU must be",
                )
                .help("leave the structure unpacked, or copy the field to a variable before the region"),
            );
        };
        let start = first / (8 * bytes) * bytes;
        let field = BitField { offset: (first - 8 * start) as u32, width: field.width };
        let start = self.index(start as i64);
        Ok(Bits { unit: self.move_bytes(object, start), bytes, field, scalar })
    }

    fn shift(&mut self, left: bool, value: Value, by: u32, signed: bool) -> Value {
        if by == 0 {
            return value;
        }
        let ty = self.b.ty(value);
        let by = arith::constant_int(&mut self.b, by.into(), ty);
        let op = match (left, signed) {
            (true, _) => arith::ShLIOp::new(&mut self.b, value, by),
            (false, true) => arith::ShRSIOp::new(&mut self.b, value, by),
            (false, false) => arith::ShRUIOp::new(&mut self.b, value, by),
        };
        self.value(op)
    }

    /// What bits of a register mean as a value of the field's type.
    fn extended(&mut self, bits: &Bits, value: Value, offset: u32) -> Value {
        let Scalar::Int { bits: all, .. } = bits.whole() else { return value };
        let signed = !bits.scalar.is_unsigned();
        let high = self.shift(true, value, all - bits.field.width - offset, false);
        let value = self.shift(false, high, all - bits.field.width, signed);
        match bits.scalar {
            Scalar::Bool => self.is_true(value, bits.whole()),
            _ => self.convert(value, Scalar::Int { bits: all, signed }, bits.scalar),
        }
    }

    /// Reads a bit-field.
    pub(super) fn load_bits(&mut self, bits: &Bits, span: Span) -> Lowering<Value> {
        let whole = self.load(&bits.unit, bits.whole(), span)?;
        Ok(self.extended(bits, whole, bits.field.offset))
    }

    /// Writes a bit-field; what it holds then.
    pub(super) fn store_bits(&mut self, bits: &Bits, value: Value, span: Span) -> Lowering<Value> {
        let whole = bits.whole();
        let ty = whole.register(&mut self.b.ctx);
        let value = self.convert(value, bits.scalar, whole);
        let ones = if bits.field.width >= 64 { u64::MAX } else { (1 << bits.field.width) - 1 };
        let low = arith::constant_int(&mut self.b, (ones as i64).into(), ty);
        let op = arith::AndIOp::new(&mut self.b, value, low);
        let part = self.value(op);
        let moved = self.shift(true, part, bits.field.offset, false);
        let hole = !(ones << bits.field.offset);
        let hole = arith::constant_int(&mut self.b, (hole as i64).into(), ty);
        let old = self.load(&bits.unit, whole, span)?;
        let op = arith::AndIOp::new(&mut self.b, old, hole);
        let others = self.value(op);
        let op = arith::OrIOp::new(&mut self.b, others, moved);
        let new = self.value(op);
        self.store(new, &bits.unit, whole, span)?;
        Ok(self.extended(bits, part, 0))
    }

    /// `field op= value`.
    pub(super) fn update_bits(
        &mut self,
        bits: &Bits,
        op: BinaryOp,
        value: ExprId,
        computed: Type,
        span: Span,
    ) -> Lowering<Value> {
        let wide = self.scalar(computed, span)?;
        let mut right = self.rvalue(value)?;
        self.locate(span);
        let old = self.load_bits(bits, span)?;
        let left = self.convert(old, bits.scalar, wide);
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            let from = self.scalar(self.ty(value), span)?;
            right = self.convert(right, from, wide);
        }
        let result = self.arithmetic(op, wide, left, right, span)?;
        let result = self.convert(result, wide, bits.scalar);
        self.store_bits(bits, result, span)
    }

    /// `field++` and the like: the old value and the new one.
    pub(super) fn step_bits(
        &mut self,
        bits: &Bits,
        up: bool,
        span: Span,
    ) -> Lowering<(Value, Value)> {
        let wide = match bits.scalar {
            Scalar::Int { bits: 64, .. } => bits.scalar,
            _ => Scalar::INT,
        };
        let old = self.load_bits(bits, span)?;
        let left = self.convert(old, bits.scalar, wide);
        let ty = wide.register(&mut self.b.ctx);
        let one = arith::constant_int(&mut self.b, 1, ty);
        let operator = if up { BinaryOp::Add } else { BinaryOp::Sub };
        let result = self.arithmetic(operator, wide, left, one, span)?;
        let result = self.convert(result, wide, bits.scalar);
        let new = self.store_bits(bits, result, span)?;
        Ok((old, new))
    }
}

//! Blocks of memory moved piece by piece: the loops of [`memory`](super::memory), and what one piece is on each side.

use gpuc_dialects::{arith, memref, scf};
use gpuc_ir::{Type as IrType, Value};
use smallvec::SmallVec;

use super::lowerer::{Lowerer, Lowering};
use super::memory::{Bytes, Side};
use super::place::Form;
use super::record::MOST_UNROLLED;
use super::scalar::Scalar;
use crate::source::Span;

impl Lowerer<'_> {
    /// Takes pieces of `unit` bytes by their numbers, and puts them where they belong; downwards unless
    /// `upwards` holds.
    pub(super) fn pieces(
        &mut self,
        to: &Side,
        bytes: &Bytes,
        mut unit: u64,
        upwards: Option<Value>,
        span: Span,
        take: &mut dyn FnMut(&mut Self, u64, Value) -> Lowering<Value>,
    ) -> Lowering<()> {
        // Where both sides are bytes: smaller pieces, or what is left behind them.
        if bytes.is_constant().is_some() || upwards.is_some() {
            unit = unit.min(1 << bytes.factor.trailing_zeros().min(3));
        }
        if let Some(bytes) = bytes.is_constant()
            && bytes / unit <= MOST_UNROLLED
        {
            let places: Vec<Value> = (0..bytes / unit).map(|i| self.index(i as i64)).collect();
            // Everything is read before anything is written: the sides may overlap.
            let mut values = Vec::new();
            for &piece in &places {
                values.push(take(self, unit, piece)?);
            }
            let mut places = places.into_iter().zip(values);
            return places.try_for_each(|(piece, value)| self.put(to, unit, piece, value, span));
        }
        let zero = self.index(0);
        let whole = self.units_in(bytes, unit);
        self.each(to, [zero, whole], unit, upwards, span, take)?;
        if bytes.factor.is_multiple_of(unit) {
            return Ok(());
        }
        let all = self.units_in(bytes, 1);
        let size = self.index(unit as i64);
        let done = self.multiply_index(whole, size);
        self.each(to, [done, all], 1, upwards, span, take)
    }

    /// A loop over pieces.
    fn each(
        &mut self,
        to: &Side,
        [first, end]: [Value; 2],
        unit: u64,
        upwards: Option<Value>,
        span: Span,
        take: &mut dyn FnMut(&mut Self, u64, Value) -> Lowering<Value>,
    ) -> Lowering<()> {
        let (one, index) = (self.index(1), self.b.ctx.index());
        let (region, done) = self.region(&[index], |l, arguments| {
            let mut piece = arguments[0];
            if let Some(upwards) = upwards {
                let op = arith::SubIOp::new(&mut l.b, end, piece);
                let left = l.value(op);
                let op = arith::SubIOp::new(&mut l.b, left, one);
                let last = l.value(op);
                let op = arith::SelectOp::new(&mut l.b, upwards, piece, last);
                piece = l.value(op);
            }
            let value = take(l, unit, piece)?;
            l.put(to, unit, piece, value, span)?;
            l.yields(&[]);
            Ok(())
        });
        let op = scf::ForOp::new(&mut self.b, first, end, one, &[]).region(region);
        self.build(op);
        done
    }

    /// A piece of a side: of type `wanted`, or an integer.
    pub(super) fn take(
        &mut self,
        side: &Side,
        unit: u64,
        piece: Value,
        wanted: IrType,
        span: Span,
    ) -> Lowering<Value> {
        let step = side.step(unit);
        if step == unit {
            let (memref, position) = self.side_part(side, unit, piece, 0, wanted, span)?;
            let op = memref::LoadOp::new(&mut self.b, memref, &position);
            return Ok(self.value(op));
        }
        let (narrow, wide) = (self.b.ctx.int(step as u32 * 8), self.b.ctx.int(unit as u32 * 8));
        let mut whole = arith::constant_int(&mut self.b, 0, wide);
        for part in 0..unit / step {
            let (memref, position) = self.side_part(side, unit, piece, part, narrow, span)?;
            let op = memref::LoadOp::new(&mut self.b, memref, &position);
            let value = self.value(op);
            let value = self.bits_as(value, narrow);
            let op = arith::ExtUIOp::new(&mut self.b, value).result(wide);
            let value = self.value(op);
            let by = arith::constant_int(&mut self.b, (part * step * 8).into(), wide);
            let op = arith::ShLIOp::new(&mut self.b, value, by);
            let value = self.value(op);
            let op = arith::OrIOp::new(&mut self.b, whole, value);
            whole = self.value(op);
        }
        Ok(whole)
    }

    /// Stores a piece.
    fn put(
        &mut self,
        side: &Side,
        unit: u64,
        piece: Value,
        value: Value,
        span: Span,
    ) -> Lowering<()> {
        let step = side.step(unit);
        let element = side.element.map(|(element, _)| element);
        if step == unit {
            let ty = element.unwrap_or_else(|| self.b.ty(value));
            let value = self.bits_as(value, ty);
            let (memref, position) = self.side_part(side, unit, piece, 0, ty, span)?;
            let op = memref::StoreOp::new(&mut self.b, value, memref, &position);
            self.build(op);
            return Ok(());
        }
        let (narrow, wide) = (self.b.ctx.int(step as u32 * 8), self.b.ctx.int(unit as u32 * 8));
        let value = self.bits_as(value, wide);
        for part in 0..unit / step {
            let by = arith::constant_int(&mut self.b, (part * step * 8).into(), wide);
            let op = arith::ShRUIOp::new(&mut self.b, value, by);
            let shifted = self.value(op);
            let op = arith::TruncIOp::new(&mut self.b, shifted).result(narrow);
            let bits = self.value(op);
            let bits = self.bits_as(bits, element.unwrap_or(narrow));
            let (memref, position) = self.side_part(side, unit, piece, part, narrow, span)?;
            let op = memref::StoreOp::new(&mut self.b, bits, memref, &position);
            self.build(op);
        }
        Ok(())
    }

    /// The same bits as a value of another type.
    fn bits_as(&mut self, value: Value, ty: IrType) -> Value {
        if self.b.ty(value) == ty {
            return value;
        }
        let op = arith::BitcastOp::new(&mut self.b, value).result(ty);
        self.value(op)
    }

    /// Where a part of a piece is accessed, bytes as values of type `ty`.
    fn side_part(
        &mut self,
        side: &Side,
        unit: u64,
        piece: Value,
        part: u64,
        ty: IrType,
        span: Span,
    ) -> Lowering<(Value, SmallVec<[Value; 2]>)> {
        let step = side.step(unit);
        let parts = self.index((unit / step) as i64);
        let part = self.index(part as i64);
        let number = self.multiply_index(piece, parts);
        let number = self.add_index(number, part);
        let memref = self.buffers[side.pointer.buffer].memref;
        match self.buffers[side.pointer.buffer].form.clone() {
            Form::Single { .. } => Ok((memref, SmallVec::new())),
            Form::Bytes => {
                let step = self.index(step as i64);
                let offset = self.multiply_index(number, step);
                Ok((self.piece(&side.pointer, offset, ty), SmallVec::new()))
            }
            Form::Elements { inner, .. } if side.crosses => {
                Ok((memref, self.delinearized(&side.pointer.position, &inner, number)))
            }
            Form::Elements { size, .. } => {
                let scalar = Scalar::in_memory(self.unit, side.to);
                if let Some(scalar) = scalar.filter(|scalar| scalar.size() == size) {
                    let pointer = self.advance(&side.pointer, side.to, number, span)?;
                    return self.element(&pointer, scalar, span);
                }
                let mut position = side.pointer.position.clone();
                if let Some(last) = position.last_mut() {
                    *last = self.add_index(*last, number);
                }
                Ok((memref, position))
            }
        }
    }

    /// The subscripts of the element so many behind a place, rows of constant extents being crossed.
    fn delinearized(
        &mut self,
        from: &[Value],
        inner: &[u64],
        number: Value,
    ) -> SmallVec<[Value; 2]> {
        let mut linear = from.first().copied().unwrap_or(number);
        for (&extent, &subscript) in inner.iter().zip(&from[1..]) {
            let extent = self.index(extent as i64);
            linear = self.multiply_index(linear, extent);
            linear = self.add_index(linear, subscript);
        }
        linear = self.add_index(linear, number);
        let mut position = SmallVec::new();
        for &extent in inner.iter().rev() {
            let extent = self.index(extent as i64);
            let op = arith::RemUIOp::new(&mut self.b, linear, extent);
            position.insert(0, self.value(op));
            let op = arith::DivUIOp::new(&mut self.b, linear, extent);
            linear = self.value(op);
        }
        position.insert(0, linear);
        position
    }
}

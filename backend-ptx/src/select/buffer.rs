//! Buffers and addresses of their elements.
//!
//! An address is a register and a constant: constant parts of indices go into the `[reg+imm]` of
//! the access, so that neighbouring elements share their register. Indices that come from 32 bits
//! are scaled by one wide multiply-add.

use gpuc_dialects::arith::{self, OVERFLOW_FLAGS};
use gpuc_dialects::memref::{element_bytes, strided_layout};
use gpuc_dialects::ptx::CvtaOp;
use gpuc_dialects::ptx::kinds::Space;
use gpuc_ir::{DYNAMIC, Op, OpView, Type, Value};
use smallvec::SmallVec;

use super::{Buffer, Extent, Lowered, Selected, Selector};

/// How deep sums in indices are searched for constants.
const SPLIT_DEPTH: u32 = 6;

/// Where an access goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    /// The register.
    pub base: Value,
    /// What is added to it.
    pub offset: i64,
    /// The state space.
    pub space: Space,
}

impl Extent {
    /// A number of a type, which may be dynamic there.
    pub fn of(n: i64) -> Extent {
        if n == DYNAMIC { Extent::Unknown } else { Extent::Static(n) }
    }
}

impl Selector<'_, '_> {
    /// Bytes of an element of a buffer type.
    pub fn element_bytes(&self, ty: Type) -> Selected<i64> {
        match element_bytes(&self.e.ir.ctx, ty).and_then(|bytes| i64::try_from(bytes).ok()) {
            Some(bytes) => Ok(bytes),
            None => {
                let text = self.e.ir.ctx.type_text(ty);
                self.refuse_here(format!("type '{text}' has elements of unknown size"))
            }
        }
    }

    /// Bytes of a buffer type with static extents.
    pub fn buffer_bytes(&self, ty: Type) -> Selected<i64> {
        let element = self.element_bytes(ty)?;
        let shape = self.e.ir.ctx.shape(ty).unwrap_or_default();
        let bytes = shape.iter().try_fold(element, |bytes, &extent| {
            if extent < 0 { None } else { bytes.checked_mul(extent) }
        });
        match bytes {
            Some(bytes) => Ok(bytes),
            None => {
                let text = self.e.ir.ctx.type_text(ty);
                self.refuse_here(format!(
                    "memory of the device for '{text}' needs an extent that is known at compile time"
                ))
            }
        }
    }

    /// The buffer of a type that begins at `base`.
    pub fn whole_buffer(&self, ty: Type, base: Value, space: Space) -> Buffer {
        let layout = strided_layout(&self.e.ir.ctx, ty);
        let shape = self.e.ir.ctx.shape(ty).unwrap_or_default();
        let strides = match &layout {
            Some(layout) => layout.strides.iter().map(|&stride| Extent::of(stride)).collect(),
            None => shape.iter().map(|_| Extent::Unknown).collect(),
        };
        Buffer {
            base,
            bytes: 0,
            space,
            offset: layout.map_or(Extent::Unknown, |layout| Extent::of(layout.offset)),
            sizes: shape.iter().map(|&extent| Extent::of(extent)).collect(),
            strides,
        }
    }

    /// The buffer that a value has become.
    pub fn buffer(&self, value: Value) -> Selected<Buffer> {
        match self.lowered(value)? {
            Lowered::Buffer(buffer) => Ok(buffer.clone()),
            _ => self.refuse_here("a scalar stands where a buffer is needed"),
        }
    }

    /// The 64-bit register of a number; its constant where it is known.
    pub fn extent(&mut self, extent: Extent) -> Selected<Value> {
        match extent {
            Extent::Static(n) => Ok(self.e.i64(n)),
            Extent::Register(value) => Ok(value),
            Extent::Unknown => self
                .refuse_here("an extent or stride is asked for that was not handed to the kernel"),
        }
    }

    /// A number in a register, or known.
    pub fn extent_of(&self, register: Value) -> Extent {
        match self.e.known_int(register) {
            Some(known) => Extent::Static(known),
            None => Extent::Register(register),
        }
    }

    /// The product of two numbers.
    pub fn extent_product(&mut self, a: Extent, b: Extent) -> Extent {
        match (a, b) {
            (Extent::Unknown, _) | (_, Extent::Unknown) => Extent::Unknown,
            (Extent::Static(a), Extent::Static(b)) => Extent::Static(a.wrapping_mul(b)),
            (Extent::Register(r), Extent::Static(n)) | (Extent::Static(n), Extent::Register(r)) => {
                let n = self.e.i64(n);
                let product = self.e.mul(r, n);
                self.extent_of(product)
            }
            (Extent::Register(a), Extent::Register(b)) => {
                let product = self.e.mul(a, b);
                self.extent_of(product)
            }
        }
    }

    /// The sum of two numbers.
    pub fn extent_sum(&mut self, a: Extent, b: Extent) -> Extent {
        match (a, b) {
            (Extent::Unknown, _) | (_, Extent::Unknown) => Extent::Unknown,
            (Extent::Static(a), Extent::Static(b)) => Extent::Static(a.wrapping_add(b)),
            (Extent::Register(r), Extent::Static(n)) | (Extent::Static(n), Extent::Register(r)) => {
                let n = self.e.i64(n);
                let sum = self.e.add(r, n);
                self.extent_of(sum)
            }
            (Extent::Register(a), Extent::Register(b)) => {
                let sum = self.e.add(a, b);
                self.extent_of(sum)
            }
        }
    }

    /// The address of the element at `indices` (of the gpu level).
    pub fn element_address(
        &mut self,
        buffer: &Buffer,
        element: i64,
        indices: &[Value],
    ) -> Selected<Address> {
        let mut offset = buffer.bytes;
        let mut base = buffer.base;
        // What has a stride known only at run time is summed up in elements, then scaled once.
        let mut elements: Option<Value> = None;
        match buffer.offset {
            Extent::Static(n) => offset = offset.wrapping_add(n.wrapping_mul(element)),
            Extent::Register(value) => elements = Some(value),
            Extent::Unknown => {
                self.extent(Extent::Unknown)?;
            }
        }
        let mut scaled: SmallVec<[(Value, i64); 3]> = SmallVec::new();
        for (&index, &stride) in indices.iter().zip(&buffer.strides) {
            if let Extent::Static(stride) = stride {
                let step = stride.wrapping_mul(element);
                let (register, constant) = self.split_index(index, SPLIT_DEPTH)?;
                offset = offset.wrapping_add(constant.wrapping_mul(step));
                if let Some(register) = register {
                    scaled.push((register, step));
                }
                continue;
            }
            let index = self.register(index)?;
            let stride = self.extent(stride)?;
            elements = Some(match elements {
                Some(sum) => self.e.mul_add(index, stride, sum),
                None => self.e.mul(index, stride),
            });
        }
        if let Some(elements) = elements {
            base = self.advance(base, elements, element);
        }
        for (register, step) in scaled {
            base = self.advance(base, register, step);
        }
        if i32::try_from(offset).is_err() {
            let ty = self.e.ir.ty(base);
            let bytes = self.e.int(offset.into(), ty);
            base = self.e.add(base, bytes);
            offset = 0;
        }
        Ok(Address { base, offset, space: buffer.space })
    }

    /// `address + index * step`, in the width of the address.
    pub fn advance(&mut self, address: Value, index: Value, step: i64) -> Value {
        if self.e.is_wide(address) {
            // ptxas makes one IMAD.WIDE of a product and a sum, but two LEAs of `mad.wide` where the
            // address is the same in all lanes.
            let step = self.e.i64(step);
            let bytes = self.e.mul(index, step);
            return self.e.add(bytes, address);
        }
        let index = self.e.low_half(index);
        let step = self.e.i32(i64::from(step as i32));
        self.e.mul_add(index, step, address)
    }

    /// The address of a buffer's first element in one register, in the given space.
    pub fn buffer_address(
        &mut self,
        buffer: &Buffer,
        element: i64,
        space: Space,
    ) -> Selected<Value> {
        let address = self.element_address(buffer, element, &[])?;
        let ty = self.e.ir.ty(address.base);
        let bytes = self.e.int(address.offset.into(), ty);
        let own = self.e.add(address.base, bytes);
        if space == buffer.space || space != Space::Generic {
            return Ok(own);
        }
        Ok(self.generic_address(own, buffer.space))
    }

    /// An address of a space as a generic one.
    pub fn generic_address(&mut self, address: Value, space: Space) -> Value {
        if space == Space::Generic {
            return address;
        }
        let wide = if self.e.is_wide(address) { address } else { self.e.extend(address, false) };
        let space = space.attr(&mut self.e.ir.ctx);
        let ty = self.e.ir.ctx.i64();
        let build = self.e.start::<CvtaOp>(&[wide]).attr(self.e.ir, "space", space).result(ty);
        let op = self.e.insert(build);
        self.e.ir.result(op, 0)
    }

    /// The address in global memory that a generic one is.
    pub fn global_address(&mut self, generic: Value) -> Value {
        let space = Space::Global.attr(&mut self.e.ir.ctx);
        let unit = self.e.ir.ctx.unit_attr();
        let ty = self.e.ir.ctx.i64();
        let build = self.e.start::<CvtaOp>(&[generic]).attr(self.e.ir, "space", space);
        let build = build.attr(self.e.ir, "to", unit).result(ty);
        let op = self.e.insert(build);
        self.e.ir.result(op, 0)
    }

    /// An index as a 64-bit register, if any, plus a constant.
    fn split_index(&mut self, index: Value, depth: u32) -> Selected<(Option<Value>, i64)> {
        if let Some(op) = self.e.ir.defining_op(index)
            && depth > 0
            && let Some(split) = self.split_sum(op, depth - 1)?
        {
            return Ok(split);
        }
        let register = self.register(index)?;
        Ok(match self.e.known_int(register) {
            Some(known) => (None, known),
            None => (Some(register), 0),
        })
    }

    /// The result of an operation as a register plus a constant, where it has one.
    fn split_sum(&mut self, op: Op, depth: u32) -> Selected<Option<(Option<Value>, i64)>> {
        let ir = &*self.e.ir;
        if let Some(constant) = arith::ConstantOp::cast(ir, op) {
            let known = constant.value(ir).and_then(|attr| ir.ctx.i64_value(attr));
            return Ok(known.map(|known| (None, known)));
        }
        if arith::AddIOp::is(ir, op) {
            let (a, b) = (ir.operand(op, 0), ir.operand(op, 1));
            let (a, ca) = self.split_index(a, depth)?;
            let (b, cb) = self.split_index(b, depth)?;
            if ca == 0 && cb == 0 {
                return Ok(None);
            }
            let sum = match (a, b) {
                (Some(a), Some(b)) => Some(self.e.add(a, b)),
                (a, b) => a.or(b),
            };
            return Ok(Some((sum, ca.wrapping_add(cb))));
        }
        if arith::SubIOp::is(ir, op) {
            let (a, b) = (ir.operand(op, 0), ir.operand(op, 1));
            let (None, c) = self.split_index(b, depth)? else { return Ok(None) };
            let (a, ca) = self.split_index(a, depth)?;
            return Ok(Some((a, ca.wrapping_sub(c))));
        }
        if arith::IndexCastOp::is(ir, op) {
            let (narrow, constant) = self.split_narrow(ir.operand(op, 0), depth)?;
            if constant != 0 {
                return Ok(Some((Some(self.e.extend(narrow, true)), constant)));
            }
        }
        Ok(None)
    }

    /// A 32-bit integer as a register plus a constant, where their sum does not overflow.
    fn split_narrow(&mut self, value: Value, depth: u32) -> Selected<(Value, i64)> {
        let ir = &*self.e.ir;
        let add = ir.defining_op(value).filter(|&op| {
            depth > 0
                && ir.ctx.int_width(ir.ty(value)) == Some(32)
                && (arith::AddIOp::is(ir, op) || arith::SubIOp::is(ir, op))
                && ir
                    .attr(op, "overflowFlags")
                    .and_then(|attr| OVERFLOW_FLAGS.number(&ir.ctx, attr))
                    .is_some_and(|flags| flags & 1 != 0)
        });
        if let Some(op) = add {
            let sign = if arith::AddIOp::is(ir, op) { 1 } else { -1 };
            let (a, b) = (ir.operand(op, 0), ir.operand(op, 1));
            let b = self.register(b)?;
            if let Some(known) = self.e.known_int(b) {
                let (a, constant) = self.split_narrow(a, depth - 1)?;
                return Ok((a, constant + sign * known));
            }
        }
        Ok((self.register(value)?, 0))
    }
}

//! Elements of buffers: where they lie, how values become bytes.

use std::rc::Rc;

use gpuc_dialects::memref::element_bytes;
use gpuc_ir::{Op, Type, TypeKind, Value};

use crate::interpreter::{Fault, Interpreter};
use crate::memory::Range;
use crate::value::{Float, Int, MemRef, Poison, RtValue, is_supported};

const UNINITIALISED: &str = "memory that was never written";

impl Interpreter<'_> {
    /// Bytes of an element of a buffer type.
    pub(crate) fn element_size(&self, op: Op, ty: Type) -> Result<usize, Fault> {
        let size = element_bytes(&self.ir.ctx, ty).and_then(|size| usize::try_from(size).ok());
        size.ok_or_else(|| {
            let text = self.ir.type_text(ty);
            self.error(op, format!("uses a buffer of type '{text}', whose elements have no size"))
        })
    }

    /// The bytes of the element of a buffer at subscripts, which must be within its extents.
    pub(crate) fn element_range(
        &self,
        op: Op,
        memref: &MemRef,
        size: usize,
        indices: &[i64],
    ) -> Result<Range, Fault> {
        if indices.len() != memref.sizes.len() {
            let message =
                format!("has {} subscripts for {} dimensions", indices.len(), memref.sizes.len());
            return Err(self.error(op, message));
        }
        for (d, (&index, &extent)) in indices.iter().zip(&memref.sizes).enumerate() {
            if index < 0 || index >= extent {
                let message =
                    format!("subscript {index} of dimension {d} is outside its extent {extent}");
                return Err(self.error(op, format!("accesses memory out of bounds: {message}")));
            }
        }
        let mut position = i128::from(memref.offset);
        for (&index, &stride) in indices.iter().zip(&memref.strides) {
            position += i128::from(index) * i128::from(stride);
        }
        let start = i128::from(memref.base) + position.saturating_mul(size as i128);
        self.memory
            .range(memref.buffer, start, size)
            .map_err(|message| self.error(op, format!("accesses memory out of bounds: {message}")))
    }

    /// The value of type `ty` in a range.
    pub(crate) fn read_range(&self, op: Op, range: Range, ty: Type) -> Result<RtValue, Fault> {
        let (bytes, written) = self.memory.read(range).map_err(|why| self.error(op, why))?;
        self.decode(op, bytes, written, ty)
    }

    fn decode(&self, op: Op, bytes: &[u8], written: &[bool], ty: Type) -> Result<RtValue, Fault> {
        if let TypeKind::Vector { shape, element, .. } = self.ir.ctx.type_kind(ty) {
            let length = usize::try_from(count(shape)).unwrap_or(usize::MAX);
            let size = bytes.len().checked_div(length).unwrap_or(1).max(1);
            let parts = bytes.chunks(size).zip(written.chunks(size));
            let elements = parts.map(|(bytes, written)| self.decode(op, bytes, written, *element));
            return Ok(RtValue::Vector(elements.collect::<Result<Rc<[_]>, _>>()?));
        }
        if self.options.strict && !written.iter().all(|&written| written) {
            return Ok(RtValue::Poison(Poison {
                op,
                reason: UNINITIALISED,
                is_uninitialised: true,
            }));
        }
        let mut wide = [0u8; 16];
        let Some(low) = wide.get_mut(..bytes.len()) else {
            return Err(self.error(op, "reads a value that cannot be computed with"));
        };
        low.copy_from_slice(bytes);
        let bits = u128::from_le_bytes(wide);
        match *self.ir.ctx.type_kind(ty) {
            TypeKind::Index => Ok(RtValue::Int(Int::new(bits as i128, 64))),
            TypeKind::Integer { width, .. } if width <= 128 => {
                Ok(RtValue::Int(Int::new(bits as i128, width)))
            }
            TypeKind::Float(kind) if is_supported(kind) => {
                Ok(RtValue::Float(Float::from_bits(bits as u64, kind)))
            }
            _ => {
                let text = self.ir.type_text(ty);
                Err(self.error(op, format!("reads a '{text}', which cannot be computed with")))
            }
        }
    }

    /// Puts a value into a range.
    pub(crate) fn write_range(
        &mut self,
        op: Op,
        range: Range,
        value: &RtValue,
    ) -> Result<(), Fault> {
        let mut bytes = Vec::with_capacity(range.length);
        let mut written = Vec::with_capacity(range.length);
        self.encode(op, value, range.length, &mut bytes, &mut written)?;
        if bytes.len() != range.length {
            return Err(self.error(op, "writes a value of another size than the element's"));
        }
        self.memory.write(range, &bytes, &written).map_err(|why| self.error(op, why))
    }

    fn encode(
        &self,
        op: Op,
        value: &RtValue,
        length: usize,
        bytes: &mut Vec<u8>,
        written: &mut Vec<bool>,
    ) -> Result<(), Fault> {
        let (bits, known) = match value {
            RtValue::Int(int) => (int.unsigned(), true),
            RtValue::Float(float) => (float.bits().into(), true),
            RtValue::Vector(elements) => {
                let size = length.checked_div(elements.len()).unwrap_or(0);
                for element in elements.iter() {
                    self.encode(op, element, size, bytes, written)?;
                }
                return Ok(());
            }
            // Memory that was never written may be copied, as long as nothing looks at it.
            RtValue::Poison(poison) if poison.is_uninitialised => (0, false),
            other => return Err(self.wrong_value(op, other, "a number")),
        };
        let all = bits.to_le_bytes();
        bytes.extend((0..length).map(|i| all.get(i).copied().unwrap_or(0)));
        written.extend(std::iter::repeat_n(known, length));
        Ok(())
    }

    /// Loads the element of the buffer `memref` at subscripts.
    pub(crate) fn load(&self, op: Op, memref: Value, indices: &[i64]) -> Result<RtValue, Fault> {
        let ty = self.ir.ty(memref);
        let (size, element) = (self.element_size(op, ty)?, self.element_type(op, ty)?);
        let buffer = self.memref(op, memref)?;
        let range = self.element_range(op, &buffer, size, indices)?;
        self.read_range(op, range, element)
    }

    /// Stores a value to the element of the buffer `memref` at subscripts.
    pub(crate) fn store(
        &mut self,
        op: Op,
        memref: Value,
        indices: &[i64],
        value: &RtValue,
    ) -> Result<(), Fault> {
        let size = self.element_size(op, self.ir.ty(memref))?;
        let buffer = self.memref(op, memref)?;
        let range = self.element_range(op, &buffer, size, indices)?;
        self.write_range(op, range, value)
    }

    /// Element type of a buffer type.
    pub(crate) fn element_type(&self, op: Op, ty: Type) -> Result<Type, Fault> {
        self.ir.ctx.element(ty).ok_or_else(|| self.error(op, "accesses what is no buffer"))
    }

    /// A new buffer of these extents in row-major order.
    pub(crate) fn new_buffer(
        &mut self,
        op: Op,
        sizes: &[i64],
        element_size: usize,
    ) -> Result<MemRef, Fault> {
        let strides = row_major(sizes);
        self.new_strided_buffer(op, sizes, &strides, 0, element_size)
    }

    /// A new buffer of these extents, strides and offset.
    pub(crate) fn new_strided_buffer(
        &mut self,
        op: Op,
        sizes: &[i64],
        strides: &[i64],
        offset: i64,
        element_size: usize,
    ) -> Result<MemRef, Fault> {
        if let Some(size) = sizes.iter().find(|&&size| size < 0) {
            return Err(self.error(op, format!("allocates a buffer with extent {size}")));
        }
        if offset < 0 || strides.iter().any(|&stride| stride < 0) {
            return Err(self.error(op, "allocates a buffer with a negative offset or stride"));
        }
        let elements = if sizes.contains(&0) {
            0
        } else {
            let last: i128 =
                sizes.iter().zip(strides).fold(offset.into(), |sum: i128, (&size, &stride)| {
                    sum.saturating_add(i128::from(size - 1) * i128::from(stride))
                });
            last.saturating_add(1)
        };
        let bytes = usize::try_from(elements.saturating_mul(element_size as i128));
        let buffer =
            self.memory.allocate(bytes.unwrap_or(usize::MAX)).map_err(|why| self.error(op, why))?;
        Ok(MemRef { buffer, base: 0, offset, sizes: sizes.into(), strides: strides.into() })
    }
}

/// Row-major strides; those that are too large to be said wrap, and any access to such a buffer is
/// out of bounds.
pub(crate) fn row_major(sizes: &[i64]) -> Vec<i64> {
    let mut strides = vec![1i64; sizes.len()];
    for d in (1..sizes.len()).rev() {
        strides[d - 1] = strides[d].saturating_mul(sizes[d]);
    }
    strides
}

/// Number of elements of a shape.
pub(crate) fn count(sizes: &[i64]) -> u128 {
    sizes.iter().fold(1, |product: u128, &size| product.saturating_mul(size.max(0) as u128))
}

/// Every subscript of a shape, the last dimension fastest.
pub(crate) fn all_indices(sizes: &[i64]) -> impl Iterator<Item = Vec<i64>> + use<> {
    let ones = vec![1; sizes.len()];
    let mut nest = crate::nest::Nest::new(vec![0; sizes.len()], sizes, ones, false);
    std::iter::from_fn(move || nest.next())
}

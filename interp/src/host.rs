//! Buffers as tests and tools make and read them.

use std::rc::Rc;

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::{Op, Type};

use crate::access::{all_indices, row_major};
use crate::interpreter::{Fault, Interpreter};
use crate::value::{MemRef, RtValue};

mod sealed {
    pub trait Sealed {}
}

/// Numbers of this program that can be elements of buffers.
pub trait Element: Copy + sealed::Sealed {
    /// Bytes of one.
    const SIZE: usize;
    /// Little-endian bytes.
    fn to_bytes(self) -> Vec<u8>;
    /// From as many bytes.
    fn from_bytes(bytes: &[u8]) -> Self;
}

macro_rules! elements {
    ($($ty:ty),*) => {$(
        impl sealed::Sealed for $ty {}
        impl Element for $ty {
            const SIZE: usize = size_of::<$ty>();

            fn to_bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }

            fn from_bytes(bytes: &[u8]) -> Self {
                let mut all = [0; size_of::<$ty>()];
                for (to, &from) in all.iter_mut().zip(bytes) {
                    *to = from;
                }
                <$ty>::from_le_bytes(all)
            }
        }
    )*};
}

elements!(i8, u8, i16, u16, i32, u32, i64, u64, f32, f64);

/// Buffers from outside. A buffer lives until the program releases it or the interpreter ends.
impl Interpreter<'_> {
    /// A buffer of the extents in row-major order that holds `data`; where there is less data than
    /// elements the rest is uninitialised.
    #[allow(clippy::result_large_err)] // Once for a buffer.
    pub fn new_memref<T: Element>(
        &mut self,
        sizes: &[i64],
        data: &[T],
    ) -> Result<RtValue, Diagnostic> {
        let bytes: Vec<u8> = data.iter().flat_map(|&element| element.to_bytes()).collect();
        self.new_memref_of_bytes(sizes, T::SIZE, &bytes)
    }

    /// A buffer of elements of `element_size` bytes each that begins with these bytes.
    #[allow(clippy::result_large_err)] // Once for a buffer.
    pub fn new_memref_of_bytes(
        &mut self,
        sizes: &[i64],
        element_size: usize,
        bytes: &[u8],
    ) -> Result<RtValue, Diagnostic> {
        let memref = self.new_buffer(self.module(), sizes, element_size).map_err(|fault| *fault)?;
        let size = self.memory.size(memref.buffer).map_err(Diagnostic::error)?;
        let length = bytes.len().min(size);
        let range = self.memory.range(memref.buffer, 0, length).map_err(Diagnostic::error)?;
        self.memory
            .write(range, &bytes[..length], &vec![true; length])
            .map_err(Diagnostic::error)?;
        Ok(RtValue::MemRef(Rc::new(memref)))
    }

    /// The elements of a buffer in row-major order of its subscripts.
    #[allow(clippy::result_large_err)] // Once for a buffer.
    pub fn read_memref<T: Element>(&self, value: &RtValue) -> Result<Vec<T>, Diagnostic> {
        let elements = self.memref_bytes(value, T::SIZE)?;
        Ok(elements.into_iter().map(|(bytes, _)| T::from_bytes(&bytes)).collect())
    }

    /// The bytes of each element of a buffer, and whether all of them have been written.
    #[allow(clippy::result_large_err)] // Once for a buffer.
    pub fn memref_bytes(
        &self,
        value: &RtValue,
        element_size: usize,
    ) -> Result<Vec<(Vec<u8>, bool)>, Diagnostic> {
        let Some(memref) = value.as_memref() else {
            return Err(Diagnostic::error("the value is no buffer"));
        };
        self.element_bytes(self.module(), memref, element_size).map_err(|fault| *fault)
    }

    fn element_bytes(
        &self,
        op: Op,
        memref: &MemRef,
        element_size: usize,
    ) -> Result<Vec<(Vec<u8>, bool)>, Fault> {
        let mut elements = Vec::new();
        for index in all_indices(&memref.sizes) {
            let range = self.element_range(op, memref, element_size, &index)?;
            let (bytes, written) = self.memory.read(range).map_err(|why| self.error(op, why))?;
            elements.push((bytes.to_vec(), written.iter().all(|&written| written)));
        }
        Ok(elements)
    }

    /// The elements of a buffer of type `ty`, undefined ones as [`RtValue::Poison`].
    #[allow(clippy::result_large_err)] // Once for a buffer.
    pub fn memref_values(&self, memref: &MemRef, ty: Type) -> Result<Vec<RtValue>, Diagnostic> {
        self.elements_of(self.module(), memref, ty).map_err(|fault| *fault)
    }

    fn elements_of(&self, op: Op, memref: &MemRef, ty: Type) -> Result<Vec<RtValue>, Fault> {
        let (size, element) = (self.element_size(op, ty)?, self.element_type(op, ty)?);
        let mut values = Vec::new();
        for index in all_indices(&memref.sizes) {
            let range = self.element_range(op, memref, size, &index)?;
            values.push(self.read_range(op, range, element)?);
        }
        Ok(values)
    }

    /// The buffers of the host's globals that have been used: name, buffer, type.
    pub(crate) fn used_globals(&self) -> Vec<(String, MemRef, Type)> {
        let mut globals: Vec<(String, MemRef, Type)> = self
            .globals
            .iter()
            .filter(|&(&op, _)| self.ir.parent_op(op) == Some(self.module()))
            .filter_map(|(&op, &buffer)| {
                let ty = gpuc_dialects::memref::GlobalOp(op).buffer_type(self.ir)?;
                let sizes = self.ir.ctx.shape(ty)?.to_vec();
                let strides = row_major(&sizes).into();
                let name = self.ir.symbol_name(op)?.to_owned();
                let memref = MemRef { buffer, base: 0, offset: 0, sizes: sizes.into(), strides };
                Some((name, memref, ty))
            })
            .collect();
        globals.sort_by(|a, b| a.0.cmp(&b.0));
        globals
    }
}

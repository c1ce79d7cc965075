//! What kernels print: calls of the device's runtime system (CUDA C++ Programming Guide, *Formatted output*,
//! *Assertion*).
//!
//! Arguments lie one behind the other in memory of the thread, each at a multiple of its size, as C promotes
//! them.

use gpuc_dialects::gpu::PrintfOp;
use gpuc_dialects::ptx::kinds::{PtxType, Space};
use gpuc_dialects::ptx::{LocalOp, RetOp, TrapOp};
use gpuc_dialects::{cf, offload};
use gpuc_ir::{AttrKind, Op, Value};

use super::buffer::Address;
use super::call::Signature;
use super::memref::Qualifier;
use super::{Scalar, Selected, Selector, normalized};

impl Selector<'_, '_> {
    /// `gpu.printf`.
    pub fn printf(&mut self, op: Op) -> Selected<()> {
        let format = PrintfOp(op).format(self.e.ir);
        let format = format.and_then(|attr| self.e.ir.ctx.string_value(attr)).map(str::to_owned);
        let format = self.string(&format.unwrap_or_default());
        let mut arguments = Vec::new();
        let mut bytes = 0i64;
        for value in self.e.ir.operands(op).collect::<Vec<_>>() {
            let register = self.register(value)?;
            let scalar = self.scalar(self.e.ir.ty(value))?;
            let (scalar, register) = self.promoted(scalar, register);
            let size = if scalar.register_width() == 64 { 8 } else { 4 };
            bytes = (bytes + size - 1) / size * size;
            arguments.push((bytes, scalar, register));
            bytes += size;
        }
        let wide = self.e.ir.ctx.i64();
        let buffer = if arguments.is_empty() {
            self.e.i64(0)
        } else {
            let (bytes, alignment) = (self.e.ir.ctx.i64_attr(bytes), self.e.ir.ctx.i64_attr(8));
            let build = self.e.start::<LocalOp>(&[]).attr(self.e.ir, "bytes", bytes);
            let build = build.attr(self.e.ir, "alignment", alignment).result(wide);
            let local = self.e.insert(build);
            let base = self.e.ir.result(local, 0);
            for (offset, scalar, register) in arguments {
                let address = Address { base, offset, space: Space::Local };
                self.store_elements(&address, scalar, &[register], Qualifier::Plain)?;
            }
            self.generic_address(base, Space::Local)
        };
        let narrow = self.e.ir.ctx.i32();
        let signature = Signature { parameters: vec![wide, wide], result: Some(narrow) };
        self.system_function("vprintf", &signature);
        self.call_named("vprintf", &[format, buffer], Some(narrow));
        Ok(())
    }

    /// A value as C passes it where a prototype says nothing.
    fn promoted(&mut self, scalar: Scalar, value: Value) -> (Scalar, Value) {
        match scalar {
            Scalar::Predicate => (Scalar::Integer(32), self.e.select_bit(value)),
            Scalar::F32 => {
                let ty = self.e.ir.ctx.f64();
                let wide = self.e.convert(value, PtxType::F32, PtxType::F64, None, ty);
                (Scalar::F64, wide)
            }
            Scalar::F64 => (scalar, value),
            Scalar::Integer(width) => {
                let value = normalized(&mut self.e, value, scalar, true);
                (Scalar::Integer(if width > 32 { 64 } else { 32 }), value)
            }
        }
    }

    /// `cf.assert`: says what failed and where, and ends the kernel.
    pub fn assert(&mut self, op: Op) -> Selected<()> {
        let predicate = self.operand(op, 0)?;
        if self.e.known_int(predicate).is_some_and(|known| known != 0) {
            return Ok(());
        }
        let rest = self.e.new_block_behind(&[]);
        let failed = self.e.new_block_behind(&[]);
        self.e.branch_if(predicate, (rest, &[]), (failed, &[]));
        self.e.set_block(failed);
        let message = cf::AssertOp(op).msg(self.e.ir);
        let message = message.and_then(|attr| self.e.ir.ctx.string_value(attr)).unwrap_or_default();
        let message = message.to_owned();
        let function = self.e.ir.attr(op, offload::FUNCTION_ATTR);
        let function =
            function.and_then(|attr| self.e.ir.ctx.string_value(attr)).unwrap_or_default();
        let function = function.to_owned();
        let place = self.e.ir.ctx.place(self.e.ir.location(op));
        let (file, line) = match place {
            Some(place) => (place.file.to_string(), place.line),
            None => (String::new(), 0),
        };
        let (wide, narrow) = (self.e.ir.ctx.i64(), self.e.ir.ctx.i32());
        let arguments = [
            self.string(&message),
            self.string(&file),
            self.e.i32(line.into()),
            self.string(&function),
            self.e.i64(1),
        ];
        let signature =
            Signature { parameters: vec![wide, wide, narrow, wide, wide], result: None };
        self.system_function("__assertfail", &signature);
        self.call_named("__assertfail", &arguments, None);
        let trap = self.e.start::<TrapOp>(&[]);
        self.e.insert(trap);
        let ret = self.e.start::<RetOp>(&[]);
        self.e.insert(ret);
        self.e.set_block(rest);
        Ok(())
    }

    /// The address of a constant string, with a zero behind it; one variable for each text.
    pub fn string(&mut self, text: &str) -> Value {
        let name = match self.module.strings.get(text) {
            Some(name) => name.clone(),
            None => {
                let name = self.module.unique_name("$str");
                let bytes: Vec<i64> =
                    text.bytes().chain([0]).map(|byte| i64::from(byte as i8)).collect();
                let length = bytes.len() as i64;
                let element = self.e.ir.ctx.int(8);
                let init = AttrKind::DenseArray { element, values: bytes.into() };
                let init = self.e.ir.ctx.intern_attr(init);
                self.variable(&name, Space::Global, length, 1, Some(init));
                self.module.strings.insert(text.to_owned(), name.clone());
                name
            }
        };
        let address = self.address_of(&name, Space::Global);
        self.generic_address(address, Space::Global)
    }
}

//! Variables: memory of the block and the thread, globals of the module.

use gpuc_dialects::memref::GlobalOp;
use gpuc_dialects::offload::LINKAGE_ATTR;
use gpuc_dialects::ptx::kinds::Space;
use gpuc_dialects::ptx::{AddressOfOp, LocalOp, VariableOp};
use gpuc_ir::{Attr, AttrKind, Op, OpView, Type, Value};

use super::{Lowered, Scalar, Selected, Selector};

/// Alignment of buffers without one of their own: that of the widest vector access.
const ALIGNMENT: i64 = 16;

impl Selector<'_, '_> {
    /// Buffers in memory of the block that the kernel declares.
    pub fn workgroup_buffer(&mut self, argument: Value) -> Selected<Lowered> {
        let ty = self.e.ir.ty(argument);
        let name = self.module.unique_name(&format!("{}_shared", self.name));
        let bytes = self.buffer_bytes(ty)?;
        self.variable(&name, Space::Shared, bytes, ALIGNMENT, None);
        self.shared_bytes = self.shared_bytes.next_multiple_of(ALIGNMENT as u64) + bytes as u64;
        let base = self.address_of(&name, Space::Shared);
        Ok(Lowered::Buffer(self.whole_buffer(ty, base, Space::Shared)))
    }

    /// Buffers in memory of the thread.
    pub fn private_buffer(&mut self, value: Value) -> Selected<Lowered> {
        let ty = self.e.ir.ty(value);
        let bytes = self.buffer_bytes(ty)?;
        let (bytes, alignment) = (self.e.ir.ctx.i64_attr(bytes), self.e.ir.ctx.i64_attr(ALIGNMENT));
        let wide = self.e.ir.ctx.i64();
        let build = self.e.start::<LocalOp>(&[]).attr(self.e.ir, "bytes", bytes);
        let build = build.attr(self.e.ir, "alignment", alignment).result(wide);
        let op = self.e.insert(build);
        let base = self.e.ir.result(op, 0);
        Ok(Lowered::Buffer(self.whole_buffer(ty, base, Space::Local)))
    }

    /// The address of a variable in its space.
    pub fn address_of(&mut self, name: &str, space: Space) -> Value {
        let ty = match space {
            Space::Shared => self.e.ir.ctx.i32(),
            _ => self.e.ir.ctx.i64(),
        };
        let variable = self.e.ir.ctx.symbol_attr(name);
        let build = self.e.start::<AddressOfOp>(&[]).attr(self.e.ir, "variable", variable);
        let op = self.e.insert(build.result(ty));
        self.e.ir.result(op, 0)
    }

    /// Name of the variable for dynamic shared memory; declared when first asked for.
    pub fn dynamic_shared_variable(&mut self) -> String {
        if let Some(name) = &self.module.dynamic_shared {
            return name.clone();
        }
        let name = self.module.unique_name("dynamic_shared");
        let variable = self.variable(&name, Space::Shared, 0, ALIGNMENT, None);
        let unit = self.e.ir.ctx.unit_attr();
        self.e.ir.set_attr(variable, "external", unit);
        self.module.dynamic_shared = Some(name.clone());
        name
    }

    /// The buffer of a `memref.get_global`.
    pub fn global(&mut self, op: Op) -> Selected<()> {
        let found = self.e.ir.attr(op, "name").and_then(|name| self.e.ir.lookup_symbol(op, name));
        let Some(global) = found.and_then(|found| GlobalOp::cast(self.e.ir, found)) else {
            return self.refuse(op, "the global that is asked for is not there");
        };
        let result = self.e.ir.result(op, 0);
        let ty = self.e.ir.ty(result);
        let space = self.declared_space(result);
        let known = self.module.globals.get(&global.op()).cloned();
        let bytes = self.buffer_bytes(ty)?;
        let name = match known {
            Some(name) => name,
            None => {
                let symbol = self.e.ir.symbol_name(global.op()).unwrap_or("global").to_owned();
                // What others look for by its name has its own.
                let seen = self.e.ir.attr(global.op(), LINKAGE_ATTR);
                let name = match seen {
                    Some(_) => symbol.clone(),
                    None => self.module.unique_name(&symbol),
                };
                let init = match global.initial_value(self.e.ir) {
                    Some(value) => self.initial_bytes(op, ty, value)?,
                    None => return self.refuse(op, format!("global '{symbol}' is only declared")),
                };
                if space == Space::Local || (space == Space::Shared && init.is_some()) {
                    return self.refuse(
                        op,
                        format!("global '{symbol}' cannot be in memory of a thread or initialised in that of a block"),
                    );
                }
                let alignment = global
                    .alignment(self.e.ir)
                    .and_then(|attr| self.e.ir.ctx.i64_value(attr))
                    .map_or(ALIGNMENT, |alignment| alignment.max(ALIGNMENT));
                let variable = self.variable(&name, space, bytes, alignment, init);
                if let Some(linkage) = seen {
                    self.e.ir.set_attr(variable, LINKAGE_ATTR, linkage);
                }
                self.module.globals.insert(global.op(), name.clone());
                name
            }
        };
        if space == Space::Shared && self.shared_globals.insert(global.op()) {
            self.shared_bytes = self.shared_bytes.next_multiple_of(ALIGNMENT as u64) + bytes as u64;
        }
        let base = self.address_of(&name, space);
        let buffer = self.whole_buffer(ty, base, space);
        self.set(result, Lowered::Buffer(buffer));
        Ok(())
    }

    pub fn variable(
        &mut self,
        name: &str,
        space: Space,
        bytes: i64,
        alignment: i64,
        init: Option<Attr>,
    ) -> Op {
        let ir = &mut *self.e.ir;
        let name = ir.ctx.string_attr(name);
        let (bytes, alignment) = (ir.ctx.i64_attr(bytes), ir.ctx.i64_attr(alignment));
        let space = space.attr(&mut ir.ctx);
        let body = ir.body(self.module.target, 0);
        let mut b = gpuc_ir::Builder::at_end(ir, body, self.e.location);
        VariableOp::new(&mut b)
            .attr(&mut b, "sym_name", name)
            .attr(&mut b, "space", space)
            .attr(&mut b, "bytes", bytes)
            .attr(&mut b, "alignment", alignment)
            .attr_option(&mut b, "init", init)
            .build(&mut b)
    }

    /// The bytes of a global's elements, little-endian; `None` where they are not initialised.
    fn initial_bytes(&mut self, op: Op, ty: Type, value: Attr) -> Selected<Option<Attr>> {
        let AttrKind::DenseElements { values, .. } = self.e.ir.ctx.attr_kind(value).clone() else {
            return Ok(None);
        };
        let Some(element) = self.e.ir.ctx.element(ty) else { return self.unsupported(op) };
        let scalar = self.scalar(element)?;
        let Some(memory) = scalar.memory() else { return self.unsupported(op) };
        let width = (memory.width() / 8) as usize;
        let total = self.buffer_bytes(ty)? as usize;
        let mut bytes: Vec<i64> = Vec::with_capacity(total);
        let one = values.len() == 1;
        for index in 0..total / width.max(1) {
            let Some(&value) = values.get(if one { 0 } else { index }) else {
                return self.unsupported(op);
            };
            let bits = match scalar {
                Scalar::F32 => u64::from((f64::from_bits(value as u64) as f32).to_bits()),
                _ => value as u64,
            };
            bytes.extend(bits.to_le_bytes()[..width].iter().map(|&byte| i64::from(byte as i8)));
        }
        let element = self.e.ir.ctx.int(8);
        let kind = AttrKind::DenseArray { element, values: bytes.into() };
        Ok(Some(self.e.ir.ctx.intern_attr(kind)))
    }
}

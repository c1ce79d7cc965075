//! Initialisers of local objects, and variables that are constants.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{arith, scf};
use gpuc_ir::Value;
use smallvec::SmallVec;

use super::lowerer::{Lowerer, Lowering};
use super::place::{Form, Lvalue, Pointer};
use super::scalar::{Scalar, flatten};
use crate::source::Span;
use crate::tree::{DeclId, DeclKind, ExprId, ExprKind, InitElement, Initializer};
use crate::types::{Qualifiers, Type};

impl Lowerer<'_> {
    /// Gives a local object its first value.
    pub(super) fn initialize(
        &mut self,
        object: &Pointer,
        ty: Type,
        init: &Initializer,
        span: Span,
    ) -> Lowering<()> {
        match init {
            Initializer::Value(value) if self.is_record(*value) => {
                let source = self.object(*value)?;
                self.copy_object(&source, object, ty, span)
            }
            Initializer::Value(value) if self.is_complex_type(ty) => {
                let value = self.complex_value(*value)?;
                self.store_complex(value, object, ty, span)
            }
            Initializer::Value(value) => {
                let scalar = self.scalar(ty, span)?;
                let value = self.rvalue(*value)?;
                self.store(value, object, scalar, span)
            }
            Initializer::List(elements) => {
                if !self.covers(elements, ty) {
                    self.clear(object, ty, span)?;
                }
                elements
                    .iter()
                    .try_for_each(|element| self.initialize_element(object, ty, element, span))
            }
        }
    }

    /// Whether every byte of an object has an initialiser of its own.
    fn covers(&self, elements: &[InitElement], ty: Type) -> bool {
        let mut end = 0;
        for element in elements {
            let size = self.unit.types.size_of(element.ty).unwrap_or(0);
            if element.offset != end || element.repeat.is_some() || element.bits.is_some() {
                return false;
            }
            end += size;
        }
        self.unit.types.size_of(ty) == Some(end)
    }

    fn initialize_element(
        &mut self,
        object: &Pointer,
        ty: Type,
        element: &InitElement,
        span: Span,
    ) -> Lowering<()> {
        let given = self.unit.types.alignment(ty).unwrap_or(1);
        let wanted = self.unit.types.alignment(element.ty).unwrap_or(1);
        if !(given.is_multiple_of(wanted) && element.offset.is_multiple_of(wanted)) {
            return self.refuse(
                self.span(element.value),
                Diagnostic::error(
                    "this member of a packed structure is not aligned, as accesses of a GPU must be",
                )
                .help("leave the structure unpacked, or initialise it before the region"),
            );
        }
        if let Some(field) = element.bits {
            let value = self.rvalue(element.value)?;
            let (copies, stride) = element.repeat.unwrap_or((0, 0));
            for copy in 0..=copies {
                let at = element.offset + copy * stride;
                let bits = self.bits_at(object, at, field, (element.ty, given), span)?;
                self.store_bits(&bits, value, span)?;
            }
            return Ok(());
        }
        let (copies, stride) = element.repeat.unwrap_or((0, 0));
        for copy in 0..=copies {
            let at = element.offset + copy * stride;
            if let ExprKind::String(literal) = &self.unit.exprs[element.value].kind {
                let (inside, _) = flatten(self.unit, element.ty);
                let scalar = self.scalar(inside, span)?;
                let count = self.unit.types.size_of(element.ty).unwrap_or(0) / scalar.size();
                let ty = scalar.register(&mut self.b.ctx);
                for i in 0..count {
                    let unit = literal.units.get(i as usize).copied().unwrap_or(0);
                    let value = arith::constant_int(&mut self.b, unit.into(), ty);
                    self.store_at(object, at + i * scalar.size(), scalar, value, span)?;
                }
            } else if self.is_record(element.value) {
                let source = self.object(element.value)?;
                let offset = self.index(at as i64);
                let target = self.move_bytes(object, offset);
                self.copy_object(&source, &target, element.ty, span)?;
            } else if self.is_complex_type(element.ty)
                && let Some(part) = self.unit.types.as_complex(element.ty)
            {
                let scalar = self.scalar(part, self.span(element.value))?;
                let value = self.complex_value(element.value)?;
                self.store_at(object, at, scalar, value.re, span)?;
                self.store_at(object, at + scalar.size(), scalar, value.im, span)?;
            } else {
                let scalar = self.scalar(element.ty, self.span(element.value))?;
                let value = self.rvalue(element.value)?;
                self.store_at(object, at, scalar, value, span)?;
            }
        }
        Ok(())
    }

    /// Stores a scalar at a constant byte offset of an object.
    fn store_at(
        &mut self,
        object: &Pointer,
        offset: u64,
        scalar: Scalar,
        value: Value,
        span: Span,
    ) -> Lowering<()> {
        let form = self.buffers[object.buffer].form.clone();
        let target = match form {
            Form::Bytes => {
                let offset = self.index(offset as i64);
                self.move_bytes(object, offset)
            }
            Form::Single { .. } => object.clone(),
            Form::Elements { size, inner, .. } => {
                let mut rest = offset / size.max(1);
                let mut position: SmallVec<[Value; 2]> = SmallVec::new();
                let mut row: u64 = inner.iter().product();
                for extent in inner.iter().chain([&1]) {
                    let row_size = row.max(1);
                    position.push(self.index((rest / row_size) as i64));
                    rest %= row_size;
                    row /= (*extent).max(1);
                }
                Pointer::new(object.buffer, position)
            }
        };
        self.store(value, &target, scalar, span)
    }

    /// Fills a local object with zeros.
    fn clear(&mut self, object: &Pointer, of: Type, span: Span) -> Lowering<()> {
        let buffer = self.buffers[object.buffer].clone();
        if buffer.form == Form::Bytes
            && let Some((leaves, gaps)) = self.leaves_and_gaps(of)
        {
            self.clear_pieces(object, &leaves);
            self.clear_pieces(object, &gaps);
            return Ok(());
        }
        let ty = self.b.ty(buffer.memref);
        let shape: Vec<i64> = self.b.ctx.shape(ty).map(<[i64]>::to_vec).unwrap_or_default();
        let Some(element) = self.b.ctx.element(ty) else {
            return self.error(span, "this object cannot be initialised in device code");
        };
        let zero = if self.b.ctx.is_float(element) {
            arith::constant_float(&mut self.b, 0.0, element)
        } else {
            arith::constant_int(&mut self.b, 0, element)
        };
        self.fill(buffer.memref, &shape, &mut Vec::new(), zero);
        Ok(())
    }

    fn fill(&mut self, memref: Value, shape: &[i64], position: &mut Vec<Value>, value: Value) {
        let Some((&extent, inner)) = shape.split_first() else {
            let op = gpuc_dialects::memref::StoreOp::new(&mut self.b, value, memref, position);
            self.build(op);
            return;
        };
        let (zero, end, one) = (self.index(0), self.index(extent), self.index(1));
        let index = self.b.ctx.index();
        let (region, ()) = self.region(&[index], |l, arguments| {
            position.push(arguments[0]);
            l.fill(memref, inner, position, value);
            position.pop();
            l.yields(&[]);
        });
        let op = scf::ForOp::new(&mut self.b, zero, end, one, &[]).region(region);
        self.build(op);
    }

    /// The initialiser of a scalar variable that never has another value: `const`, with static
    /// storage and a constant initialiser.
    pub(super) fn constant_variable(&self, decl: DeclId) -> Option<(ExprId, Scalar)> {
        let entity = &self.unit.decls[decl];
        let DeclKind::Variable(variable) = &entity.kind else { return None };
        let constant = entity.ty.qualifiers().contains(Qualifiers::CONST)
            && !entity.ty.qualifiers().contains(Qualifiers::VOLATILE)
            && !variable.declared_only;
        let Some(Initializer::Value(value)) = variable.init else { return None };
        let is_static = variable.storage == crate::tree::Storage::Static;
        if !constant || !is_static || self.unit.constant(value).is_none() {
            return None;
        }
        Some((value, Scalar::of(self.unit, entity.ty)?))
    }

    /// A variable that was not captured: a constant.
    pub(super) fn global(&mut self, decl: DeclId, span: Span) -> Lowering<Lvalue> {
        let name = self.unit.name(decl).to_owned();
        let Some((value, scalar)) = self.constant_variable(decl) else {
            if self.separate && self.declared.contains(&decl) {
                return self.reached(decl);
            }
            if self.separate {
                let message = format!(
                    "`{name}`, a variable of the file, is used in a function that stays a call"
                );
                let help = match self.family.declares_variables() {
                    Some(directive) => {
                        format!("name it in `{directive}` behind its declaration, or hand it over")
                    }
                    None => "hand it over as an argument, or its address".to_owned(),
                };
                return self.refuse(span, Diagnostic::error(message).help(help));
            }
            if self.diagnostics.iter().any(Diagnostic::is_error) {
                // Its declaration was refused.
                return Err(super::lowerer::Failure::Reported);
            }
            return self.error(span, format!("`{name}` is not available in device code here"));
        };
        let ty = scalar.register(&mut self.b.ctx);
        Ok(Lvalue::Value(match self.unit.constant(value) {
            Some(crate::types::Constant::Int(number)) if !scalar.is_float() => {
                arith::constant_int(&mut self.b, number, ty)
            }
            Some(crate::types::Constant::Int(number)) => {
                arith::constant_float(&mut self.b, number as f64, ty)
            }
            Some(crate::types::Constant::Float(number)) if scalar.is_float() => {
                arith::constant_float(&mut self.b, number, ty)
            }
            _ => return self.error(span, format!("the value of `{name}` is not known")),
        }))
    }
}

//! Statements.

use gpuc_diagnostics::Diagnostic;

use super::call::ReturnSlot;
use super::lowerer::{Binding, Lowerer, Lowering};
use super::scalar::Scalar;
use crate::directive::atomic::AtomicForm;
use crate::source::Span;
use crate::tree::{DeclId, DeclKind, ExprId, Initializer, StmtId, StmtKind, Storage};

impl Lowerer<'_> {
    /// Lowers a statement.
    pub(super) fn statement(&mut self, id: StmtId) -> Lowering<()> {
        let outside = self.locate(self.header(id));
        let done = self.lower_statement(id);
        self.b.location = outside;
        done
    }

    fn lower_statement(&mut self, id: StmtId) -> Lowering<()> {
        let unit = self.unit;
        let span = unit.stmts[id].span;
        match &unit.stmts[id].kind {
            StmtKind::Empty => Ok(()),
            StmtKind::Expr(_) if self.scatters(id) => {
                self.remark_scatter(id);
                self.atomic(AtomicForm::Update, id)
            }
            StmtKind::Expr(expr) => self.effects(*expr),
            StmtKind::Declaration(decls) => decls.iter().try_for_each(|&decl| self.declare(decl)),
            StmtKind::Compound(list) => self.statements(list),
            StmtKind::If { condition, then, otherwise } => {
                let condition = self.condition(*condition)?;
                let then = *then;
                match *otherwise {
                    Some(otherwise) => {
                        self.either(condition, |l| l.nested(then), |l| l.nested(otherwise))
                    }
                    None => self.branch(condition, |l| l.nested(then)),
                }
            }
            StmtKind::While { condition, body } => {
                self.general_loop(Some(*condition), None, *body, true)
            }
            StmtKind::DoWhile { body, condition } => {
                self.general_loop(Some(*condition), None, *body, false)
            }
            StmtKind::For { init, condition, step, body } => {
                self.for_loop(id, *init, *condition, *step, *body)
            }
            StmtKind::Switch { value, body, .. } => self.switch(*value, *body, span),
            StmtKind::Label { body, .. } => self.statement(*body),
            StmtKind::Case { .. } | StmtKind::Default(_) => self.refuse(
                span,
                Diagnostic::error(
                    "a `case` inside of another statement is not supported in device code",
                )
                .help("put the cases directly into the braces of the `switch`"),
            ),
            StmtKind::Goto(_) | StmtKind::GotoComputed(_) => self.refuse(
                span,
                Diagnostic::error("`goto` is not supported in device code")
                    .help("use loops with `break` and `continue`"),
            ),
            StmtKind::Asm => self.error(span, "`asm` is not supported in device code"),
            StmtKind::Break => self.leave(span, true),
            StmtKind::Continue => self.leave(span, false),
            StmtKind::Return(value) => self.return_(*value, span),
            StmtKind::Directive { directive, body } => self.directive(*directive, *body, span),
        }
    }

    /// A statement in a block of its own.
    pub(super) fn nested(&mut self, stmt: StmtId) -> Lowering<()> {
        self.statements(&[stmt])
    }

    /// `break` and `continue`.
    fn leave(&mut self, span: Span, breaks: bool) -> Lowering<()> {
        let Some(jumps) = self.jumps.last().cloned() else {
            return self.error(span, "this jump leaves the region");
        };
        if breaks && jumps.in_directive_loop {
            return self.refuse(
                span,
                Diagnostic::error("`break` cannot leave a loop that a directive applies to")
                    .help("leave the loop without a directive, or remember the end in a flag"),
            );
        }
        let flag = if breaks { jumps.break_flag } else { jumps.continue_flag };
        if let Some(flag) = flag {
            self.set_flag(flag, true);
        }
        Ok(())
    }

    fn return_(&mut self, value: Option<ExprId>, span: Span) -> Lowering<()> {
        let Some(frame) = self.frames.last().cloned().filter(|frame| frame.function.is_some())
        else {
            return self.error(span, "`return` cannot leave a compute construct");
        };
        match (value, &frame.result) {
            (Some(value), Some(ReturnSlot::Slot { slot, scalar })) => {
                let returned = self.rvalue(value)?;
                self.locate(span);
                let returned = self.stored(returned, *scalar);
                self.write_slot(*slot, returned);
            }
            (Some(value), Some(ReturnSlot::Object(pointer))) => {
                let ty = self.ty(value);
                if self.is_complex(value) {
                    let returned = self.complex_value(value)?;
                    self.store_complex(returned, pointer, ty, span)?;
                } else {
                    let source = self.object(value)?;
                    self.copy_object(&source, pointer, ty, span)?;
                }
            }
            (Some(value), None) => self.effects(value)?,
            (None, _) => {}
        }
        if let Some(flag) = frame.return_flag {
            self.set_flag(flag, true);
        }
        Ok(())
    }

    /// Declares a local variable.
    fn declare(&mut self, decl: DeclId) -> Lowering<()> {
        let unit = self.unit;
        let entity = &unit.decls[decl];
        self.declare_extents(entity.ty)?;
        let DeclKind::Variable(variable) = &entity.kind else { return Ok(()) };
        // A constant is the same in a copy of its own.
        let constant = entity.ty.qualifiers().contains(crate::types::Qualifiers::CONST)
            || self.is_constant_array(entity.ty);
        if variable.storage != Storage::Automatic && !(constant && variable.init.is_some()) {
            return self.refuse(
                entity.span,
                Diagnostic::error("a `static` variable cannot be declared in device code")
                    .help("declare it outside of the region"),
            );
        }
        self.locate(entity.span);
        let ty = entity.ty;
        if self.hoisted.remove(&decl) {
            return self.initialize_hoisted(decl, variable.init.as_ref());
        }
        if unit.types.is_pointer(ty) {
            return self.declare_pointer(decl, variable.init.as_ref());
        }
        if let Some(scalar) = Scalar::of(unit, ty) {
            let value = match &variable.init {
                Some(Initializer::Value(value)) => Some(self.rvalue(*value)?),
                Some(Initializer::List(elements)) => match elements.last() {
                    Some(element) => Some(self.rvalue(element.value)?),
                    None => None,
                },
                None => None,
            };
            self.locate(entity.span);
            return match value {
                Some(value) if !self.mutated.contains(&decl) => {
                    self.name(value, decl);
                    self.bindings.insert(decl, Binding::Value(value));
                    Ok(())
                }
                value => {
                    self.declare_slot(decl, scalar, value);
                    Ok(())
                }
            };
        }
        if unit.types.as_array(ty).is_none()
            && unit.types.as_record(ty).is_none()
            && !self.is_complex_type(ty)
        {
            return self.refuse(entity.span, super::scalar::refused_type(unit, ty));
        }
        let pointer = self.local_object(Some(decl), ty, entity.span)?;
        self.bindings.insert(decl, Binding::Object(pointer.clone()));
        match &variable.init {
            Some(init) => self.initialize(&pointer, ty, init, entity.span),
            None => Ok(()),
        }
    }

    /// Whether a type is an array of `const` elements.
    fn is_constant_array(&self, ty: crate::types::Type) -> bool {
        let element = super::scalar::flatten(self.unit, ty).0;
        element.qualifiers().contains(crate::types::Qualifiers::CONST)
    }

    /// Declares a variable ahead of its declaration, in an enclosing block.
    pub(super) fn hoist(&mut self, decl: DeclId) -> Lowering<()> {
        let entity = &self.unit.decls[decl];
        let automatic =
            matches!(&entity.kind, DeclKind::Variable(v) if v.storage == Storage::Automatic);
        if !automatic {
            return Ok(());
        }
        self.mutated.insert(decl);
        if self.unit.types.is_pointer(entity.ty) {
            self.bind_pointer(decl, None)?;
        } else if let Some(scalar) = Scalar::of(self.unit, entity.ty) {
            self.declare_slot(decl, scalar, None);
        } else {
            let pointer = self.local_object(Some(decl), entity.ty, entity.span)?;
            self.bindings.insert(decl, Binding::Object(pointer));
        }
        self.hoisted.insert(decl);
        Ok(())
    }

    /// The initialiser of a variable declared ahead.
    fn initialize_hoisted(&mut self, decl: DeclId, init: Option<&Initializer>) -> Lowering<()> {
        let (ty, span) = (self.unit.decls[decl].ty, self.unit.decls[decl].span);
        let Some(init) = init else { return Ok(()) };
        match (self.bindings.get(&decl).cloned(), init) {
            (Some(Binding::Object(pointer)), init) => self.initialize(&pointer, ty, init, span),
            (
                Some(Binding::PointerVariable { .. } | Binding::Address(_)),
                Initializer::Value(value),
            ) => {
                let value = self.pointer(*value)?;
                self.write_pointer(decl, &value, span)
            }
            (Some(Binding::Slot { memref, .. }), Initializer::Value(value)) => {
                let scalar = self.scalar(ty, span)?;
                let value = self.rvalue(*value)?;
                let value = self.stored(value, scalar);
                self.write_slot(memref, value);
                Ok(())
            }
            _ => self.error(span, "this initialiser is not supported in a `switch`"),
        }
    }

    /// A scalar variable in memory of its own.
    pub(super) fn declare_slot(
        &mut self,
        decl: DeclId,
        scalar: Scalar,
        value: Option<gpuc_ir::Value>,
    ) {
        let element = scalar.memory(&mut self.b.ctx);
        let memref = self.alloca(element);
        self.name(memref, decl);
        if let Some(value) = value {
            let value = self.stored(value, scalar);
            self.write_slot(memref, value);
        }
        self.bindings.insert(decl, Binding::Slot { memref, shared: false });
    }

    fn declare_pointer(&mut self, decl: DeclId, init: Option<&Initializer>) -> Lowering<()> {
        let value = match init {
            Some(Initializer::Value(value)) => Some(self.pointer(*value)?),
            _ => None,
        };
        self.bind_pointer(decl, value)
    }

    /// Binds a pointer variable or parameter.
    pub(super) fn bind_pointer(
        &mut self,
        decl: DeclId,
        value: Option<super::place::Pointer>,
    ) -> Lowering<()> {
        if let Some(value) = &value
            && !self.mutated.contains(&decl)
        {
            // A variable may be moved beyond the row that it starts in.
            let value = super::place::Pointer { rows: None, ..value.clone() };
            self.bindings.insert(decl, Binding::Pointer(value));
            return Ok(());
        }
        let home = self.block();
        if self.as_address.contains(&decl) {
            let i64 = self.b.ctx.int(64);
            let slot = self.alloca(i64);
            self.bindings.insert(decl, Binding::Address(slot));
            return match value {
                Some(value) => self.write_pointer(decl, &value, self.unit.decls[decl].span),
                None => Ok(()),
            };
        }
        let binding = Binding::PointerVariable { buffer: None, slots: Vec::new(), home };
        self.bindings.insert(decl, binding);
        match value {
            Some(value) => self.write_pointer(decl, &value, self.unit.decls[decl].span),
            None => Ok(()),
        }
    }
}

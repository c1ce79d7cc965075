//! Private copies: variables, arrays and sections of which each iteration, or gang, has one of its own.
//!
//! A copy is a local object of the region or of the loop's body. Where its size is known only when the
//! program runs, so is that of the local object, which then lies in memory of the device.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::{memref, scf};
use gpuc_ir::{DYNAMIC, Value};
use smallvec::{SmallVec, smallvec};

use super::capture::{Captures, Target};
use super::lowerer::{Binding, Lowerer, Lowering};
use super::place::{Form, Pointer};
use super::scalar::Scalar;
use super::uses::Captured;
use super::walk::{self, Below, Node};
use super::{Argument, MappingKind};
use crate::directive::{Directive, VarRef};
use crate::source::Span;
use crate::tree::{CastKind, DeclId, ExprId, ExprKind, StmtId, StmtKind, TranslationUnit};
use crate::types::{ArraySize, Type};

/// The variable that an element or member belongs to, through arrays and pointers.
fn owner(unit: &TranslationUnit, expr: ExprId) -> Option<DeclId> {
    match unit.exprs[expr].kind {
        ExprKind::Name(decl) => Some(decl),
        ExprKind::Paren(inner)
        | ExprKind::Index { base: inner, .. }
        | ExprKind::Member { base: inner, .. }
        | ExprKind::Cast {
            kind: CastKind::ArrayToPointer | CastKind::Load, operand: inner, ..
        } => owner(unit, inner),
        _ => None,
    }
}

/// Whether a statement does no more with a variable than read its elements and members: then all may
/// look at one copy. Calls are not followed.
pub(super) fn only_reads(unit: &TranslationUnit, body: StmtId, decl: DeclId) -> bool {
    let (mut reads, mut names) = (0usize, 0usize);
    walk::stmt(unit, body, &mut |node| {
        if let Node::Expr(expr) = node {
            match unit.exprs[expr].kind {
                ExprKind::Name(name) if name == decl => names += 1,
                // The value of the pointer alone may go anywhere.
                ExprKind::Cast { kind: CastKind::Load, operand, .. }
                    if !unit.types.is_pointer(unit.exprs[expr].ty)
                        && owner(unit, operand) == Some(decl) =>
                {
                    reads += 1;
                }
                _ => {}
            }
        }
        Below::Enter
    });
    reads == names
}

/// The variables from outside of a compute construct of which it, or a loop in it, has copies that are assigned to;
/// those that get a value behind the loops are none.
pub(super) fn changed_copies(
    unit: &TranslationUnit,
    directive: &Directive,
    body: StmtId,
) -> Vec<VarRef> {
    let mut inside: Vec<DeclId> = Vec::new();
    let mut directives = vec![directive];
    walk::stmt(unit, body, &mut |node| {
        match node {
            Node::Declare(decl) => inside.push(decl),
            Node::Stmt(stmt) => {
                if let StmtKind::Directive { directive, .. } = unit.stmts[stmt].kind {
                    directives.push(&unit.directives[directive]);
                }
            }
            _ => {}
        }
        Below::Enter
    });
    let mapped = directive.data.iter().filter(|mapping| mapping.kind == MappingKind::FirstPrivate);
    let mapped: Vec<VarRef> = mapped.map(|mapping| mapping.var.clone()).collect();
    for directive in &directives {
        inside.extend(directive.lastprivate.iter().map(|var| var.decl));
        inside.extend(directive.reductions().map(|(_, var)| var.decl));
    }
    let mut found: Vec<VarRef> = Vec::new();
    let listed = directives.iter().flat_map(|d| d.private.iter().chain(&d.firstprivate));
    for var in listed.chain(&mapped) {
        let is_known = found.iter().any(|known| known.decl == var.decl);
        if !is_known && !inside.contains(&var.decl) && !only_reads(unit, body, var.decl) {
            found.push(var.clone());
        }
    }
    found
}

impl Lowerer<'_> {
    /// Refuses copies of members: whoever reaches the others would not find them in the same object.
    pub(super) fn check_copied(&self, var: &VarRef) -> Lowering<()> {
        if self.unit.named(var.base) == Some(var.decl) {
            return Ok(());
        }
        self.refuse(
            var.span,
            Diagnostic::error("a member cannot have private copies of its own")
                .code(codes::NOT_SUPPORTED)
                .help("name the whole variable, or a variable that is a copy of the member"),
        )
    }

    /// A private variable: a new one of the same type; of a section of what a pointer points to, so many
    /// new elements.
    pub(super) fn declare_private(&mut self, var: &VarRef) -> Lowering<()> {
        self.check_copied(var)?;
        let (decl, ty) = (var.decl, self.unit.decls[var.decl].ty);
        if let (true, [section, ..]) = (self.unit.types.is_pointer(ty), var.sections.as_slice()) {
            let section = section.clone();
            let pointer = self.private_section(var, &section)?;
            return self.bind_pointer(decl, Some(pointer));
        }
        self.mutated.insert(decl);
        if let Some(scalar) = Scalar::of(self.unit, ty) {
            self.declare_slot(decl, scalar, None);
            return Ok(());
        }
        if self.unit.types.is_pointer(ty) {
            return self.bind_pointer(decl, None);
        }
        let pointer = self.local_object(Some(decl), ty, var.span)?;
        self.bindings.insert(decl, Binding::Object(pointer));
        Ok(())
    }

    /// New elements in the place of a section of what a pointer points to: where the pointer would have
    /// to point for its subscripts to find them.
    fn private_section(
        &mut self,
        var: &VarRef,
        section: &crate::directive::Section,
    ) -> Lowering<Pointer> {
        let unit = self.unit;
        let ty = unit.decls[var.decl].ty;
        let to = unit.types.pointee(ty).unwrap_or(Type::ERROR);
        if let Err(diagnostic) = crate::directive::check_section(unit, var) {
            return Err(super::lowerer::Failure::Refused(diagnostic));
        }
        let count = match (section.is_index, section.length) {
            (true, _) => self.index(1),
            (false, Some(length)) => self.subscript(length)?,
            (false, None) => {
                return self.error(section.span, "the length of this section is not known");
            }
        };
        let first = match section.lower {
            Some(lower) => self.subscript(lower)?,
            None => self.index(0),
        };
        let pointer = self.local_elements(Some(var.decl), to, count, var.span)?;
        let back = self.negate_index(first);
        self.advance(&pointer, to, back, var.span)
    }

    /// A buffer of `count` local objects of a type; a pointer to the first.
    pub(super) fn local_elements(
        &mut self,
        variable: Option<DeclId>,
        ty: Type,
        count: Value,
        span: Span,
    ) -> Lowering<Pointer> {
        let form = self.natural_form(variable, ty);
        let (shape, element, count) = match &form {
            Form::Elements { element, inner, .. } if !inner.is_empty() => {
                let inner = inner.iter().map(|&extent| extent as i64);
                (std::iter::once(DYNAMIC).chain(inner).collect::<Vec<_>>(), *element, count)
            }
            Form::Elements { element, .. } => {
                (vec![DYNAMIC], *element, self.scaled(count, ty, false, span)?)
            }
            _ => {
                let i8 = self.b.ctx.int(8);
                (vec![DYNAMIC], i8, self.scaled(count, ty, true, span)?)
            }
        };
        let mut shape = shape;
        let known = gpuc_dialects::arith::constant_index_value(&self.b, count);
        let mut sizes: SmallVec<[Value; 1]> = smallvec![count];
        if let Some(known) = known.filter(|&known| known >= 0) {
            shape[0] = known;
            sizes.clear();
        }
        let memref_ty = self.b.ctx.memref(&shape, element);
        let mut op = memref::AllocaOp::new(&mut self.b, &sizes, &[]).result(memref_ty);
        if form == Form::Bytes {
            let align = self.unit.types.alignment(ty).unwrap_or(1);
            let align = self.b.ctx.i64_attr(align as i64);
            op = op.attr(&mut self.b, "alignment", align);
        }
        let memref = self.value(op);
        if let Some(variable) = variable {
            self.name(memref, variable);
        }
        let dims = self.dimensions(ty);
        let buffer = self.buffer(memref, form, variable);
        Ok(self.start_of(buffer, dims))
    }

    /// A buffer of a local array whose size is known when the program runs.
    pub(super) fn local_of_run_time_size(
        &mut self,
        variable: Option<DeclId>,
        ty: Type,
        span: Span,
    ) -> Lowering<Pointer> {
        let Some((element, size)) =
            self.unit.types.as_array(ty).filter(|_| self.unit.types.is_variably_sized(ty))
        else {
            return self.error(span, "the size of this local object is not known");
        };
        let count = match size {
            ArraySize::Constant(count) => self.index(count as i64),
            ArraySize::Variable(extent) => self.extent(extent)?,
            _ => return self.error(span, "the size of this local object is not known"),
        };
        let mut start = self.local_elements(variable, element, count, span)?;
        // The array is what its first element is the start of.
        let dims = self.dimensions(ty);
        start = self.start_of(start.buffer, dims);
        Ok(start)
    }

    /// At the start of a region: copies of the arrays and structures that each gang has of its own, with the
    /// values that the host gave. What is only read needs none.
    pub(super) fn copy_firstprivate_objects(
        &mut self,
        directive: &Directive,
        body: StmtId,
        captures: &Captures,
    ) -> Lowering<()> {
        if directive.nest.is_some() && directive.family.copies_scalars() {
            // Each iteration makes its own.
            return Ok(());
        }
        for formal in &captures.formals {
            let Argument::Data(item) = formal.actual else { continue };
            let (Target::Object(Captured::Variable(decl), ..)
            | Target::Pointee(Captured::Variable(decl), ..)) = formal.target
            else {
                continue;
            };
            let is_own = captures.data[item].kind == MappingKind::FirstPrivate;
            let changes = captures.called.contains(&decl) || !only_reads(self.unit, body, decl);
            if is_own && changes {
                let var = directive.firstprivate.iter().find(|var| var.decl == decl);
                self.copy_private(decl, var)?;
            }
        }
        Ok(())
    }

    /// A copy of an array, a structure, or a section of what a pointer points to, with the values that it has
    /// here.
    pub(super) fn copy_private(&mut self, decl: DeclId, var: Option<&VarRef>) -> Lowering<()> {
        let unit = self.unit;
        let ty = unit.decls[decl].ty;
        let span = var.map_or(unit.decls[decl].span, |var| var.span);
        match (self.bindings.get(&decl).cloned(), var) {
            (Some(Binding::Object(from)), _) => {
                let to = self.local_object(Some(decl), ty, span)?;
                self.copy_all(&from, &to, ty, span)?;
                self.bindings.insert(decl, Binding::Object(to));
                Ok(())
            }
            (Some(Binding::Pointer(from)), Some(var)) if !var.sections.is_empty() => {
                let section = var.sections[0].clone();
                let to = self.private_section(var, &section)?;
                let pointee = unit.types.pointee(ty).unwrap_or(Type::ERROR);
                let first = match section.lower {
                    Some(lower) => self.subscript(lower)?,
                    None => self.index(0),
                };
                let count = match section.length {
                    Some(length) if !section.is_index => self.subscript(length)?,
                    _ => self.index(1),
                };
                let source = self.advance(&from, pointee, first, span)?;
                let target = self.advance(&to, pointee, first, span)?;
                self.copy_counted(&source, &target, pointee, count, span)?;
                self.bind_pointer(decl, Some(to))
            }
            _ => Ok(()),
        }
    }

    /// Copies all of an object.
    fn copy_all(&mut self, from: &Pointer, to: &Pointer, ty: Type, span: Span) -> Lowering<()> {
        if self.unit.types.as_record(ty).is_some() {
            return self.copy_object(from, to, ty, span);
        }
        if self.is_complex_type(ty) {
            let value = self.load_complex(from, ty, span)?;
            return self.store_complex(value, to, ty, span);
        }
        let Some((element, size)) = self.unit.types.as_array(ty) else {
            return self.error(span, "this variable cannot have private copies");
        };
        let count = match size {
            ArraySize::Constant(count) => self.index(count as i64),
            ArraySize::Variable(extent) => self.extent(extent)?,
            _ => return self.error(span, "the size of this array is not known"),
        };
        let (from, to) = (self.decay(from.clone(), ty, span)?, self.decay(to.clone(), ty, span)?);
        self.copy_counted(&from, &to, element, count, span)
    }

    /// Copies `count` objects of type `ty`, by pointers to the first of each.
    fn copy_counted(
        &mut self,
        from: &Pointer,
        to: &Pointer,
        ty: Type,
        count: Value,
        span: Span,
    ) -> Lowering<()> {
        let (zero, one) = (self.index(0), self.index(1));
        let index = self.b.ctx.index();
        let (region, done) = self.region(&[index], |l, arguments| {
            let source = l.advance(from, ty, arguments[0], span)?;
            let target = l.advance(to, ty, arguments[0], span)?;
            match Scalar::in_memory(l.unit, ty) {
                Some(scalar) => {
                    let value = l.load(&source, scalar, span)?;
                    l.store(value, &target, scalar, span)?;
                }
                None => l.copy_all(&source, &target, ty, span)?,
            }
            l.yields(&[]);
            Ok(())
        });
        let op = scf::ForOp::new(&mut self.b, zero, count, one, &[]).region(region);
        self.build(op);
        done
    }
}

//! Which data a compute construct maps, and the arguments of its function.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::offload::{Construct, STORAGE_EXCLUSIVE};
use gpuc_ir::{Type as IrType, Value};
use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use super::array_reduction::assignment_into;
use super::clause_items::{clause_items, text};
use super::enclosing;
use super::extent::{keeps_value, run_time_extents};
use super::flow::{From, fate};
use super::lowerer::{Binding, Lowerer, Lowering};
use super::place::{Form, Pointer};
use super::scalar::Scalar;
use super::storage::{has_address_taken, is_automatic, is_hidden, storage};
use super::unit::Enclosing;
use super::uses::{Captured, Use, Uses};
use super::walk::{self, Below, Node};
use super::{Argument, DataItem, Extent};
use crate::directive::{DefaultData, Directive, MappingKind, VarRef, check_section};
use crate::tree::{DeclId, ExprId, ExprKind, StmtId, StmtKind, TranslationUnit, UnaryOp};
use crate::types::{Qualifiers, Type};

/// One argument of a construct's function.
#[derive(Clone, Debug)]
pub(super) struct Formal {
    /// Its name in messages.
    pub name: String,
    /// Its type.
    pub ty: IrType,
    /// How it is mapped, as `offload.map` says it.
    pub map: &'static str,
    /// What else may reach it, as `offload.storage` says it.
    pub storage: Option<&'static str>,
    /// How the host provides it.
    pub actual: Argument,
    /// What it is bound to.
    pub target: Target,
}

/// What the value of an argument means in the region.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// A scalar's value; changed inside the region or not.
    Value(DeclId, Scalar),
    /// A scalar that is shared with the host.
    Shared(DeclId),
    /// A pointer variable that is shared with the host, as the address that it holds.
    SharedPointer(DeclId),
    /// An object of the type.
    Object(Captured, Form, Type),
    /// What a pointer to the type points to.
    Pointee(Captured, Form, Type),
    /// A scalar member of a structure.
    Member(DeclId, Vec<u32>),
    /// What a pointer member of a structure points to.
    MemberPointee(DeclId, Vec<u32>, Form, Type),
    /// The run-time extent of an array.
    Extent(ExprId),
    /// The value of a clause's expression, which the host computes.
    HostValue(ExprId),
}

/// What a construct captures.
#[derive(Debug, Default)]
pub(super) struct Captures {
    /// Its data, in order.
    pub data: Vec<DataItem>,
    /// The arguments of its function, in the order of first use.
    pub formals: Vec<Formal>,
    /// Scalars that are only loop variables: private without a value.
    pub private: Vec<(DeclId, Scalar)>,
    /// Variables that functions use which are called.
    pub called: IndexSet<DeclId>,
}

/// Collects captures.
pub(super) struct Capturing<'c> {
    pub directive: &'c Directive,
    pub enclosing: &'c [Enclosing],
    pub uses: &'c Uses,
    /// Scalars that the construct or its loops reduce, for the program.
    pub reduced: &'c IndexSet<DeclId>,
    /// The construct's own statement.
    pub stmt: StmtId,
    /// The statement that the construct is about.
    pub body: StmtId,
    /// The function that the construct stands in.
    pub function: DeclId,
    pub paths: &'c [VarRef],
}

impl Lowerer<'_> {
    /// That a construct does not write what its clauses promise that nothing writes.
    fn check_promises(&mut self, c: &Capturing<'_>) -> Lowering<()> {
        let unit = self.unit;
        let promised = c.directive.data.iter().filter(|known| known.flags.readonly);
        for decl in promised.map(|known| known.var.decl) {
            let Some(target) = assignment_into(unit, c.body, decl) else { continue };
            // A pointer may point elsewhere.
            if unit.named(target) == Some(decl) && unit.types.is_pointer(unit.decls[decl].ty) {
                continue;
            }
            let name = unit.decls[decl].name.map_or("", |name| unit.text(name));
            let said = format!("`{name}` is written, and a clause says that nothing writes to it");
            let diagnostic = Diagnostic::error(said).help("leave `const` or `readonly:` out");
            return self.refuse(unit.exprs[target].span, diagnostic);
        }
        Ok(())
    }

    /// Applies the rules of data attributes to what a construct uses.
    pub(super) fn capture(&mut self, c: &Capturing<'_>) -> Lowering<Captures> {
        let data = match clause_items(self.unit, c.directive, c.enclosing, Some(c.function)) {
            Ok(data) => data,
            Err(diagnostic) => return Err(super::lowerer::Failure::Refused(diagnostic)),
        };
        self.check_promises(c)?;
        let mut captures = Captures { data, ..Captures::default() };
        for (&captured, usage) in &c.uses.captured {
            if let Captured::Variable(decl) = captured
                && usage.in_callee
            {
                captures.called.insert(decl);
            }
            match captured {
                Captured::Variable(decl) => self.capture_variable(c, decl, usage, &mut captures)?,
                Captured::Path(path) => self.capture_path(c, path, &mut captures)?,
            }
            self.capture_extents(c, captured, &mut captures);
        }
        self.capture_host_values(c, &mut captures)?;
        Ok(captures)
    }

    /// Numbers of processors that come out of the host's memory.
    fn capture_host_values(&mut self, c: &Capturing<'_>, captures: &mut Captures) -> Lowering<()> {
        let unit = self.unit;
        for &value in
            c.directive.size_values.iter().filter(|value| is_by_host(unit, c.directive, **value))
        {
            let (ty, span) = (unit.exprs[value].ty, unit.exprs[value].span);
            let scalar = self.scalar(ty, span)?;
            let name = text(unit, span);
            captures.formals.push(Formal {
                ty: scalar.register(&mut self.b.ctx),
                map: "firstprivate",
                storage: None,
                actual: Argument::Value(name.clone()),
                target: Target::HostValue(value),
                name,
            });
        }
        Ok(())
    }

    /// The extents of an array that the region cannot evaluate: the host has them.
    fn capture_extents(&mut self, c: &Capturing<'_>, captured: Captured, captures: &mut Captures) {
        let unit = self.unit;
        let (name, ty) = match captured {
            Captured::Variable(decl) => (unit.name(decl).to_owned(), unit.decls[decl].ty),
            Captured::Path(path) => {
                let base = c.paths[path].base;
                (text(unit, unit.exprs[base].span), unit.exprs[base].ty)
            }
        };
        for (extent, value) in run_time_extents(unit, ty, &name) {
            let known = captures
                .formals
                .iter()
                .any(|formal| matches!(formal.target, Target::Extent(known) if known == extent));
            if known || keeps_value(unit, c.function, extent) {
                continue;
            }
            captures.formals.push(Formal {
                name: format!("{} of {name}", text(unit, unit.exprs[extent].span)),
                ty: self.b.ctx.index(),
                map: "firstprivate",
                storage: None,
                actual: Argument::Value(value),
                target: Target::Extent(extent),
            });
        }
    }

    /// The data item, own or of a construct around, whose base is the expression.
    fn find_item(
        &self,
        c: &Capturing<'_>,
        captures: &mut Captures,
        is_base: &dyn Fn(ExprId) -> bool,
        variable: Option<DeclId>,
        name: &str,
        ty: Type,
    ) -> Option<(usize, MappingKind)> {
        for (number, (kind, var)) in c.directive.data().enumerate() {
            if kind.maps() && is_base(var.base) {
                let kind = captures.data.get(number).map_or(kind, |item| item.kind);
                return Some((number, kind));
            }
        }
        let is_scalar = variable.is_some() && Scalar::of(self.unit, ty).is_some();
        if c.directive.family.copies_scalars() && is_scalar {
            // What `data` around maps is another variable than the construct's.
            return None;
        }
        let mapped = enclosing::find(self.unit, c.enclosing, is_base)?;
        let kind = match mapped.kind {
            MappingKind::DevicePtr => MappingKind::DevicePtr,
            _ => MappingKind::ImplicitPresent,
        };
        let unmapped = self.implicit_kind(c, variable, ty);
        let extent = mapped.extent(self.unit, name, ty, unmapped);
        captures.data.push(DataItem::implicit(self.unit, name, kind, extent, ty));
        Some((captures.data.len() - 1, kind))
    }

    /// What the construct, or else the innermost `data` around that says anything, has for variables
    /// in no clause.
    fn default_data(&self, c: &Capturing<'_>) -> Option<DefaultData> {
        let around = c.enclosing.iter().rev();
        c.directive.default_data.or_else(|| {
            around
                .map(|e| &self.unit.directives[e.directive])
                .find_map(|directive| directive.default_data)
        })
    }

    /// How a variable that is in no clause is mapped.
    fn implicit_kind(&self, c: &Capturing<'_>, variable: Option<DeclId>, ty: Type) -> MappingKind {
        let unit = self.unit;
        if unit.types.is_pointer(ty) {
            return MappingKind::ImplicitPresent;
        }
        if Scalar::of(unit, ty).is_some() {
            // Else it would be private to each gang: what the device writes is lost.
            let kernels = self.construct == Some(Construct::Kernels);
            let comes_back = kernels || variable.is_some_and(|decl| c.reduced.contains(&decl));
            return if comes_back {
                MappingKind::ImplicitCopy
            } else {
                MappingKind::ImplicitCopyIn
            };
        }
        let element = super::scalar::flatten(unit, ty).0;
        match self.default_data(c) {
            Some(DefaultData::Present) => MappingKind::ImplicitPresent,
            _ if c.directive.implicit.aggregates.is_some() => {
                c.directive.implicit.aggregates.unwrap_or(MappingKind::ImplicitCopy)
            }
            _ if element.qualifiers().contains(Qualifiers::CONST) => MappingKind::ImplicitCopyIn,
            _ => MappingKind::ImplicitCopy,
        }
    }

    /// How what a pointer points to is mapped where no clause, here or around, names it.
    fn pointer_kind(&self, c: &Capturing<'_>) -> MappingKind {
        match self.default_data(c) {
            Some(DefaultData::Present) => MappingKind::ImplicitPresent,
            _ => MappingKind::ImplicitSection,
        }
    }

    fn capture_path(
        &mut self,
        c: &Capturing<'_>,
        path: usize,
        captures: &mut Captures,
    ) -> Lowering<()> {
        let var = &c.paths[path];
        let unit = self.unit;
        let base = var.base;
        let name = text(unit, unit.exprs[base].span);
        let ty = unit.exprs[base].ty;
        let found =
            self.find_item(c, captures, &|e| unit.same_expression(e, base), None, &name, ty);
        let Some((item, kind)) = found else {
            return self.error(var.span, "this member is not mapped by the construct");
        };
        let formal = self.mapped(c, Captured::Path(path), ty, name, item, kind);
        captures.formals.push(formal);
        Ok(())
    }

    /// The argument for data of type `ty` that is mapped.
    fn mapped(
        &mut self,
        c: &Capturing<'_>,
        captured: Captured,
        ty: Type,
        name: String,
        item: usize,
        kind: MappingKind,
    ) -> Formal {
        let variable = match captured {
            Captured::Variable(decl) => Some(decl),
            Captured::Path(_) => None,
        };
        let unit = self.unit;
        let is_itself = |decl: DeclId| {
            let mut own = c.directive.data.iter().filter(|known| known.var.decl == decl);
            own.any(|known| known.flags.itself)
        };
        let (form, target) = if let Some(decl) = variable.filter(|&decl| is_itself(decl)) {
            let element = self.b.ctx.int(64);
            self.as_address.insert(decl);
            (Form::Single { element, size: 8 }, Target::SharedPointer(decl))
        } else if let Some(to) = unit.types.pointee(ty) {
            let form = self.natural_form(variable, to);
            (form.clone(), Target::Pointee(captured, form, to))
        } else if let Some((element, _)) = unit.types.as_array(ty) {
            let form = self.natural_form(variable, element);
            (form.clone(), Target::Object(captured, form, ty))
        } else if let (Some(scalar), Captured::Variable(decl)) = (Scalar::of(unit, ty), captured) {
            let element = scalar.memory(&mut self.b.ctx);
            (Form::Single { element, size: scalar.size() }, Target::Shared(decl))
        } else if let Some(scalar) = Scalar::of(unit, ty) {
            let element = scalar.memory(&mut self.b.ctx);
            let form = Form::Single { element, size: scalar.size() };
            (form.clone(), Target::Object(captured, form, ty))
        } else if self.is_complex_type(ty) {
            let form = self.natural_form(variable, ty);
            (form.clone(), Target::Object(captured, form, ty))
        } else {
            (Form::Bytes, Target::Object(captured, Form::Bytes, ty))
        };
        let memref = match (&target, &form) {
            (Target::Object(..), Form::Elements { .. }) => self.object_memref(&form, ty),
            _ => self.device_memref(&form),
        };
        let storage = storage(unit, c, captured, &target);
        Formal {
            name,
            ty: memref,
            map: kind.keyword(),
            storage,
            actual: Argument::Data(item),
            target,
        }
    }

    /// An array, a structure or a section of which the construct has the host's values in memory of its own.
    fn copied_in(
        &mut self,
        c: &Capturing<'_>,
        decl: DeclId,
        var: &VarRef,
        name: String,
    ) -> Lowering<(DataItem, Formal)> {
        let unit = self.unit;
        let ty = unit.decls[decl].ty;
        if !unit.types.is_pointer(ty)
            && unit.types.as_array(ty).is_none()
            && unit.types.as_record(ty).is_none()
            && !self.is_complex_type(ty)
        {
            return self.refuse(var.span, super::scalar::refused_type(unit, ty));
        }
        let kind = MappingKind::FirstPrivate;
        let (_, line) = unit.source.line(var.span.start);
        let extent = if unit.types.is_pointer(ty) {
            if let Err(diagnostic) = check_section(unit, var) {
                return Err(super::lowerer::Failure::Refused(diagnostic));
            }
            Extent::Clause(var.clone())
        } else {
            // Of an array, all of it: who has a section of it looks at no more.
            Extent::Object(name.clone())
        };
        let item = DataItem { line, ..DataItem::implicit(unit, &name, kind, extent, ty) };
        let formal = self.mapped(c, Captured::Variable(decl), ty, name, 0, kind);
        Ok((item, Formal { storage: Some(STORAGE_EXCLUSIVE), ..formal }))
    }

    fn by_value(&mut self, decl: DeclId, scalar: Scalar, name: String) -> Formal {
        Formal {
            ty: scalar.register(&mut self.b.ctx),
            map: "firstprivate",
            storage: None,
            actual: Argument::Value(name.clone()),
            target: Target::Value(decl, scalar),
            name,
        }
    }

    fn capture_variable(
        &mut self,
        c: &Capturing<'_>,
        decl: DeclId,
        usage: &Use,
        captures: &mut Captures,
    ) -> Lowering<()> {
        let unit = self.unit;
        if self.constant_variable(decl).is_some() && !usage.mutated {
            return Ok(());
        }
        let name = unit.name(decl).to_owned();
        let ty = unit.decls[decl].ty;
        let captured = Captured::Variable(decl);
        // The construct's own clause goes before what a construct around it maps.
        let firstprivate = c.directive.firstprivate.iter().find(|var| var.decl == decl);
        let scalar = Scalar::of(unit, ty);
        if let Some(var) = firstprivate {
            self.check_copied(var)?;
            if let Some(scalar) = scalar {
                let formal = self.by_value(decl, scalar, name);
                captures.formals.push(formal);
                return Ok(());
            }
            // The value of a pointer is its copy's anyway: what it points to is another matter.
            if !unit.types.is_pointer(ty) || !var.sections.is_empty() {
                let formal = self.copied_in(c, decl, var, name)?;
                captures.data.push(formal.0);
                captures
                    .formals
                    .push(Formal { actual: Argument::Data(captures.data.len() - 1), ..formal.1 });
                return Ok(());
            }
        }
        let copies = c.directive.family.copies_scalars();
        if unit.types.is_pointer(ty) && usage.mutated && !copies {
            // What it points to is moved, where it points never comes back.
            self.check_not_lost(c, decl, usage.span)?;
        }
        let is_base = |e: ExprId| unit.named(e) == Some(decl);
        if let Some((item, kind)) = self.find_item(c, captures, &is_base, Some(decl), &name, ty) {
            // A bare pointer in `copy` was refused: what is mapped is what it points to.
            let formal = self.mapped(c, captured, ty, name, item, kind);
            captures.formals.push(formal);
            return Ok(());
        }
        if usage.in_callee && is_hidden(unit, decl, c.function) {
            return self.refuse(
                usage.span,
                Diagnostic::error(format!(
                    "`{name}` is hidden by another variable of that name at the region"
                ))
                .help("rename one of them"),
            );
        }
        if self.declared.contains(&decl) && !unit.types.is_pointer(ty) {
            let kind = MappingKind::ImplicitPresent;
            let extent = Extent::Object(name.clone());
            captures.data.push(DataItem::implicit(unit, &name, kind, extent, ty));
            let item = captures.data.len() - 1;
            let formal = self.mapped(c, captured, ty, name, item, kind);
            captures.formals.push(formal);
            return Ok(());
        }
        if usage.mutated_by_callee && Scalar::of(unit, ty).is_some() {
            return self.refuse(
                usage.span,
                Diagnostic::error(format!(
                    "`{name}` is changed by a function that the region calls"
                ))
                .help(format!(
                    "share it by a clause such as `{}`, or pass a pointer to it",
                    c.directive.family.data_clause(MappingKind::Copy, &name)
                )),
            );
        }
        if let Some(scalar) = scalar
            && usage.mutated
            && !usage.outside_induction
            && !c.directive.lastprivate.iter().any(|var| var.decl == decl)
            && !self.keeps_last_value(c, decl)
        {
            if !copies {
                self.check_not_lost(c, decl, usage.span)?;
            }
            captures.private.push((decl, scalar));
            return Ok(());
        }
        if let Some(scalar) = scalar
            && usage.mutated
            && !c.reduced.contains(&decl)
            && self.is_own_of_construct(c, decl)
        {
            captures.private.push((decl, scalar));
            return Ok(());
        }
        let default = self.default_data(c);
        let reduced = c.reduced.contains(&decl);
        let is_named = reduced && scalar.is_some() || firstprivate.is_some();
        if default == Some(DefaultData::None) && !is_named {
            let place = unit.place(c.directive.name);
            let family = c.directive.family;
            return self.refuse(
                usage.span,
                Diagnostic::error(format!(
                    "`{name}` is in no data clause, which `{}` demands",
                    family.default_none()
                ))
                .code(codes::NOT_IN_DATA_CLAUSE)
                .related(place, "the directive")
                .help(format!(
                    "add a clause such as `{}`",
                    match scalar {
                        Some(_) => format!("firstprivate({name})"),
                        None => family.data_clause(MappingKind::Copy, &name),
                    }
                )),
            );
        }
        if let Some(scalar) = scalar {
            let kernels = self.construct == Some(Construct::Kernels);
            let asked = c.directive.implicit.scalars;
            if reduced || kernels && usage.mutated || asked.is_some() {
                let item = captures.data.len();
                let kind = asked.unwrap_or(MappingKind::ImplicitCopy);
                let extent = Extent::Object(name.clone());
                captures.data.push(DataItem::implicit(unit, &name, kind, extent, ty));
                let formal = self.mapped(c, captured, ty, name, item, kind);
                captures.formals.push(formal);
            } else {
                if usage.mutated && !copies {
                    self.check_not_lost(c, decl, usage.span)?;
                }
                let formal = self.by_value(decl, scalar, name);
                captures.formals.push(formal);
            }
            return Ok(());
        }
        if self.is_complex_type(ty) {
            return self.capture_complex(c, decl, usage, captures);
        }
        if unit.types.as_record(ty).is_some() && !usage.whole {
            return self.capture_members(c, decl, usage, captures);
        }
        let extent = if unit.types.is_pointer(ty) {
            Extent::Pointer(name.clone())
        } else {
            Extent::Object(name.clone())
        };
        let kind = match unit.types.is_pointer(ty) {
            true => self.pointer_kind(c),
            false => self.implicit_kind(c, Some(decl), ty),
        };
        if !unit.types.is_pointer(ty)
            && unit.types.as_array(ty).is_none()
            && unit.types.as_record(ty).is_none()
        {
            return self.refuse(usage.span, super::scalar::refused_type(unit, ty));
        }
        let item = captures.data.len();
        let mut data = DataItem::implicit(unit, &name, kind, extent, ty);
        data.flags.if_present = copies && kind == MappingKind::ImplicitSection;
        data.unnamed = Some(decl);
        captures.data.push(data);
        let mut formal = self.mapped(c, captured, ty, name, item, kind);
        if kind == MappingKind::FirstPrivate {
            formal.storage = Some(STORAGE_EXCLUSIVE);
        }
        captures.formals.push(formal);
        Ok(())
    }

    /// A complex variable that is in no clause: as a scalar, it comes back where the construct reduces it or
    /// is `kernels`, and is a copy of the construct's own elsewhere.
    fn capture_complex(
        &mut self,
        c: &Capturing<'_>,
        decl: DeclId,
        usage: &Use,
        captures: &mut Captures,
    ) -> Lowering<()> {
        let unit = self.unit;
        let (name, ty) = (unit.name(decl).to_owned(), unit.decls[decl].ty);
        let captured = Captured::Variable(decl);
        let reduced = c.reduced.contains(&decl);
        let kernels = self.construct == Some(Construct::Kernels);
        let asked = c.directive.implicit.scalars;
        let copies = c.directive.family.copies_scalars();
        let comes_back = reduced || kernels && usage.mutated || asked.is_some();
        if usage.mutated && !comes_back && !copies {
            self.check_not_lost(c, decl, usage.span)?;
        }
        let kind = match comes_back {
            true => asked.unwrap_or(MappingKind::ImplicitCopy),
            false => MappingKind::FirstPrivate,
        };
        let item = captures.data.len();
        let extent = Extent::Object(name.clone());
        captures.data.push(DataItem::implicit(unit, &name, kind, extent, ty));
        let formal = self.mapped(c, captured, ty, name, item, kind);
        captures.formals.push(formal);
        Ok(())
    }

    /// Whether a nest that the compiler found, or a `kernels` construct, sets a scalar before it looks at it, and
    /// nobody looks at it behind: whether its value goes to the host and back makes no difference then, and
    /// the device's memory would only hold loops up.
    fn is_own_of_construct(&self, c: &Capturing<'_>, decl: DeclId) -> bool {
        let unit = self.unit;
        let StmtKind::Directive { directive, .. } = unit.stmts[c.stmt].kind else { return false };
        let may_be = unit.directives[directive].found
            || self.construct == Some(Construct::Kernels) && !self.is_in_data_clause(decl);
        may_be
            && is_automatic(unit, decl)
            && !has_address_taken(unit, c.function, decl)
            && fate(unit, c.function, c.body, decl, From::Start).read.is_none()
            && !self.is_read_behind(c.function, c.stmt, decl)
    }

    /// Whether a variable of loops is the program's own, so that what they leave in it is copied
    /// back: that of a loop without a directive in `kernels`, where it matters.
    fn keeps_last_value(&self, c: &Capturing<'_>, decl: DeclId) -> bool {
        self.construct == Some(Construct::Kernels)
            && c.directive.nest.is_none()
            && c.uses.plain_induction.contains(&decl)
            && self.is_read_behind(c.function, c.stmt, decl)
    }

    /// A structure of which only members are read: each by itself.
    fn capture_members(
        &mut self,
        c: &Capturing<'_>,
        decl: DeclId,
        usage: &Use,
        captures: &mut Captures,
    ) -> Lowering<()> {
        let unit = self.unit;
        for (fields, &expr) in &usage.members {
            let ty = unit.exprs[expr].ty;
            let name = text(unit, unit.exprs[expr].span);
            if let Some(to) = unit.types.pointee(ty) {
                let form = self.natural_form(None, to);
                let kind = self.pointer_kind(c);
                let item = captures.data.len();
                let mut data =
                    DataItem::implicit(unit, &name, kind, Extent::Pointer(name.clone()), to);
                data.flags.if_present =
                    c.directive.family.copies_scalars() && kind == MappingKind::ImplicitSection;
                captures.data.push(data);
                captures.formals.push(Formal {
                    ty: self.device_memref(&form),
                    map: kind.keyword(),
                    storage: None,
                    actual: Argument::Data(item),
                    target: Target::MemberPointee(decl, fields.clone(), form, to),
                    name,
                });
                continue;
            }
            let scalar = self.scalar(ty, unit.exprs[expr].span)?;
            captures.formals.push(Formal {
                ty: scalar.register(&mut self.b.ctx),
                map: "firstprivate",
                storage: None,
                actual: Argument::Value(name.clone()),
                target: Target::Member(decl, fields.clone()),
                name,
            });
        }
        Ok(())
    }

    /// Binds the arguments of a construct's function. Those that are changed inside get a variable
    /// when the region is entered ([`Lowerer::enter_region`]).
    pub(super) fn bind_formal(&mut self, formal: &Formal, value: Value) {
        let variable = |captured: &Captured| match *captured {
            Captured::Variable(decl) => Some(decl),
            Captured::Path(_) => None,
        };
        match &formal.target {
            Target::Value(decl, _) => {
                self.bindings.insert(*decl, Binding::Value(value));
            }
            Target::Shared(decl) => {
                self.bindings.insert(*decl, Binding::Slot { memref: value, shared: true });
            }
            Target::SharedPointer(decl) => {
                self.bindings.insert(*decl, Binding::Address(value));
            }
            Target::Extent(extent) => {
                self.extents.insert(*extent, value);
            }
            Target::HostValue(expr) => {
                self.host_values.insert(*expr, value);
            }
            Target::Object(captured, form, ty) => {
                let buffer = self.buffer(value, form.clone(), variable(captured));
                let dims = self.dimensions(*ty);
                let pointer = self.start_of(buffer, dims);
                self.bind_captured(captured, Binding::Object(pointer));
            }
            Target::Pointee(captured, form, to) => {
                let pointer = self.pointee(value, form, variable(captured), *to);
                self.bind_captured(captured, Binding::Pointer(pointer));
            }
            Target::Member(decl, fields) => {
                self.bind_member(*decl, fields, Binding::Value(value));
            }
            Target::MemberPointee(decl, fields, form, to) => {
                let pointer = self.pointee(value, form, None, *to);
                self.bind_member(*decl, fields, Binding::Pointer(pointer));
            }
        }
    }

    fn pointee(
        &mut self,
        value: Value,
        form: &Form,
        variable: Option<DeclId>,
        to: Type,
    ) -> Pointer {
        let buffer = self.buffer(value, form.clone(), variable);
        let dims = self.dimensions(to);
        self.start_of(buffer, dims)
    }

    fn bind_captured(&mut self, captured: &Captured, binding: Binding) {
        match *captured {
            Captured::Variable(decl) => {
                self.bindings.insert(decl, binding);
            }
            Captured::Path(path) => self.paths[path].1 = Some(binding),
        }
    }

    fn bind_member(&mut self, decl: DeclId, fields: &[u32], binding: Binding) {
        let entry =
            self.bindings.entry(decl).or_insert_with(|| Binding::Members(FxHashMap::default()));
        if let Binding::Members(members) = entry {
            members.insert(fields.to_vec(), binding);
        }
    }
}

/// Whether an expression of a clause reads memory of the host's, or calls, so that the host computes it.
pub(super) fn is_by_host(unit: &TranslationUnit, directive: &Directive, value: ExprId) -> bool {
    let mut found = false;
    walk::expr(unit, value, &mut |node| {
        if let Node::Expr(expr) = node {
            found |= matches!(
                unit.exprs[expr].kind,
                ExprKind::Index { .. }
                    | ExprKind::Member { .. }
                    | ExprKind::Call { .. }
                    | ExprKind::Unary(UnaryOp::Deref, _)
            );
            // What is mapped is memory of the device.
            if let ExprKind::Name(decl) = unit.exprs[expr].kind {
                found |= directive.data().any(|(_, var)| var.decl == decl);
            }
        }
        Below::Enter
    });
    found
}

//! The checker: what the parser calls to build the typed tree.

use gpuc_diagnostics::{Diagnostic, did_you_mean};
use rustc_hash::FxHashMap;

use super::scope::{Entity, Scopes};
use super::{Type, TypeKind};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    Decl, DeclId, DeclKind, Expr, ExprId, ExprKind, Function, Linkage, Storage, TranslationUnit,
    ValueCategory, Variable,
};

/// Trees higher than this are refused, so that every walk may be recursive.
const GREATEST_NESTING: u16 = 1500;

/// Types nested deeper than this are refused, for the same reason.
const GREATEST_TYPE_HEIGHT: u32 = 200;

/// Errors after which no more are reported.
const MOST_ERRORS: usize = 50;

/// Builds the tree of one unit, checking and typing as it goes.
pub struct Checker {
    /// What is built.
    pub unit: TranslationUnit,
    /// What was found wrong.
    pub diagnostics: Vec<Diagnostic>,
    pub(crate) scopes: Scopes,
    /// Entities with linkage, wherever they were declared.
    pub(crate) externals: FxHashMap<Symbol, DeclId>,
    /// The compiler's own functions that were used.
    pub(crate) builtins: FxHashMap<Symbol, DeclId>,
    errors: usize,
    aside: Option<Aside>,
}

/// What a declaration says of one declarator.
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    pub name: Symbol,
    pub ty: Type,
    pub span: Span,
    pub class: StorageClass,
    pub thread: bool,
    pub inline: bool,
    pub noreturn: bool,
    pub constexpr: bool,
    pub align: Option<u64>,
    pub asm_label: Option<Symbol>,
    pub parameters: Vec<DeclId>,
    /// Whether an initialiser or a body follows.
    pub defines: bool,
}

/// Storage-class specifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum StorageClass {
    #[default]
    None,
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

/// What is found while reading a function body that only the host compiler need understand.
#[derive(Debug, Default)]
struct Aside {
    /// The first error. Reading stops there.
    error: Option<(Span, Diagnostic)>,
    /// How many errors there had been before.
    errors: usize,
    /// Whether everything is kept aside, not only what is right but not supported.
    everything: bool,
}

impl Checker {
    /// A checker that adds to `unit`.
    pub fn new(unit: TranslationUnit) -> Self {
        let mut checker = Checker {
            unit,
            diagnostics: Vec::new(),
            scopes: Scopes::new(),
            externals: FxHashMap::default(),
            builtins: FxHashMap::default(),
            errors: 0,
            aside: None,
        };
        checker.declare_predefined();
        checker
    }

    /// Reports an error at `span`.
    pub(crate) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.report(span, Diagnostic::error(message));
    }

    /// Reports `diagnostic` at `span`.
    pub(crate) fn report(&mut self, span: Span, diagnostic: Diagnostic) {
        if let Some(aside) = self.aside.as_mut().filter(|aside| aside.everything) {
            if diagnostic.is_error() {
                aside.error.get_or_insert((span, diagnostic));
                self.give_up();
            }
            return;
        }
        if diagnostic.is_error() {
            self.errors += 1;
            if self.errors > MOST_ERRORS {
                return;
            }
        }
        let place = self.unit.place(span);
        self.diagnostics.push(diagnostic.at(place));
    }

    /// Reports nothing more: what follows an error like the last one tells nothing.
    pub(crate) fn give_up(&mut self) {
        self.errors = MOST_ERRORS + 1;
    }

    /// Reports no [`Checker::unsupported`] from here on, or nothing at all, until
    /// [`Checker::end_aside`].
    pub(crate) fn begin_aside(&mut self, everything: bool) {
        self.aside = Some(Aside { error: None, errors: self.errors, everything });
    }

    /// Refuses what is right C, but not read by gpuc.
    pub(crate) fn unsupported(&mut self, span: Span, message: impl Into<String>) {
        match &mut self.aside {
            Some(aside) => {
                aside.error.get_or_insert((span, Diagnostic::error(message)));
                self.give_up();
            }
            None => self.error(span, message),
        }
    }

    /// Whether nothing is reported now.
    pub(crate) fn is_aside(&self) -> bool {
        self.aside.as_ref().is_some_and(|aside| aside.everything)
    }

    /// Reports again; the first error since [`Checker::begin_aside`].
    pub(crate) fn end_aside(&mut self) -> Option<(Span, Diagnostic)> {
        let aside = self.aside.take()?;
        if aside.error.is_some() {
            self.errors = aside.errors;
        }
        aside.error
    }

    /// Whether so much is wrong that reading on tells nothing.
    pub(crate) fn gave_up(&self) -> bool {
        self.errors > MOST_ERRORS
    }

    /// `ty` for a message.
    pub(crate) fn show(&self, ty: Type) -> String {
        self.unit.display(ty)
    }

    pub(crate) fn ty(&self, expr: ExprId) -> Type {
        self.unit.exprs[expr].ty
    }

    pub(crate) fn span(&self, expr: ExprId) -> Span {
        self.unit.exprs[expr].span
    }

    /// Adds an expression.
    pub(crate) fn push(
        &mut self,
        kind: ExprKind,
        ty: Type,
        category: ValueCategory,
        span: Span,
    ) -> ExprId {
        let exprs = &self.unit.exprs;
        let (mut height, mut nesting) = (0, 0);
        let chained = match kind {
            ExprKind::Binary(_, left, _) | ExprKind::Comma(left, _) => Some(left),
            ExprKind::Conditional { otherwise, .. } => Some(otherwise),
            _ => None,
        };
        kind.for_each_operand(|e| {
            height = height.max(exprs[e].height);
            nesting = nesting.max(exprs[e].nesting + u16::from(chained != Some(e)));
        });
        if nesting > GREATEST_NESTING {
            self.error(span, "this expression is nested too deeply");
            return self.error_expr(span);
        }
        self.unit.exprs.alloc(Expr { kind, ty, category, span, height: height + 1, nesting })
    }

    /// Adds an expression that is a value.
    pub(crate) fn value(&mut self, kind: ExprKind, ty: Type, span: Span) -> ExprId {
        self.push(kind, ty.unqualified(), ValueCategory::Value, span)
    }

    /// An integer constant.
    pub(crate) fn int(&mut self, value: i128, ty: Type, span: Span) -> ExprId {
        self.value(ExprKind::Int(value), ty, span)
    }

    /// What stands for an expression that was refused.
    pub(crate) fn error_expr(&mut self, span: Span) -> ExprId {
        let (kind, category) = (ExprKind::Error, ValueCategory::Object);
        self.unit.exprs.alloc(Expr { kind, ty: Type::ERROR, category, span, height: 0, nesting: 0 })
    }

    /// Reports an error and stands for the expression that has it.
    pub(crate) fn refuse(&mut self, span: Span, message: impl Into<String>) -> ExprId {
        self.error(span, message);
        self.error_expr(span)
    }

    /// The declared name nearest to one that is not declared.
    pub(crate) fn nearest_name(&self, name: Symbol) -> Option<String> {
        self.nearest(name, |_| true)
    }

    /// The nearest declared name among the entities that `wanted` accepts.
    pub(crate) fn nearest(&self, name: Symbol, wanted: impl Fn(&Decl) -> bool) -> Option<String> {
        // Nobody reads it of what is not reported; and any two names of one letter are near.
        if self.is_aside() || self.unit.text(name).len() < 2 {
            return None;
        }
        let visible = self.scopes.visible();
        let names = visible
            .iter()
            .filter(|(_, decl)| wanted(&self.unit.decls[*decl]))
            .map(|&(symbol, _)| self.unit.text(symbol))
            // The library's internals are nobody's intention.
            .filter(|text| !text.starts_with('_'));
        did_you_mean(self.unit.text(name), names).map(str::to_owned)
    }

    /// Declares what the compiler itself brings: `__builtin_va_list`, laid out as the System V ABI of
    /// x86-64 has it.
    fn declare_predefined(&mut self) {
        let span = Span::default();
        let mut field = |name: &str, ty: Type| super::FieldDeclaration {
            name: Some(self.unit.symbols.intern(name)),
            ty,
            width: None,
            packed: false,
            align: None,
            span,
        };
        let pointer = self.unit.types.pointer_to(Type::VOID);
        let fields = [
            field("gp_offset", Type::UINT),
            field("fp_offset", Type::UINT),
            field("overflow_arg_area", pointer),
            field("reg_save_area", pointer),
        ];
        let tag = self.unit.symbols.intern("__va_list_tag");
        let (id, ty) = self.unit.types.new_record(Some(tag), false, span);
        let mut record = self.unit.types.record(id).clone();
        self.unit.types.lay_out(&mut record, &fields, false, None, None);
        *self.unit.types.record_mut(id) = record;
        let list = self.unit.types.array_of(ty, super::ArraySize::Constant(1));
        let name = Some(self.unit.symbols.intern("__builtin_va_list"));
        let kind = DeclKind::Typedef;
        self.bind(Decl { name, ty: list, kind, span, align: None, asm_label: None });
    }

    /// Whether `name` is a type here.
    pub(crate) fn is_typedef_name(&self, name: Symbol) -> bool {
        self.type_named(name).is_some()
    }

    /// The typedef that `name` is here.
    pub(crate) fn type_named(&self, name: Symbol) -> Option<DeclId> {
        match self.scopes.find(name) {
            Some(Entity::Decl(decl)) if matches!(self.unit.decls[decl].kind, DeclKind::Typedef) => {
                Some(decl)
            }
            _ => None,
        }
    }

    /// Adds a declared entity and binds its name in the innermost scope.
    pub(crate) fn bind(&mut self, decl: Decl) -> DeclId {
        let name = decl.name;
        let id = self.unit.decls.alloc(decl);
        if let Some(name) = name {
            self.scopes.bind(name, Entity::Decl(id));
        }
        id
    }

    /// Declares what `declaration` says, merging it with an earlier declaration of the entity.
    pub(crate) fn declare(&mut self, declaration: Declaration) -> DeclId {
        let Declaration { name, ty, span, .. } = declaration;
        let at_file_scope = self.scopes.depth() == 1;
        let is_function = self.unit.types.is_function(ty);
        let kind = if declaration.class == StorageClass::Typedef {
            DeclKind::Typedef
        } else if is_function {
            DeclKind::Function(Function {
                parameters: declaration.parameters,
                is_static: declaration.class == StorageClass::Static,
                is_inline: declaration.inline,
                noreturn: declaration.noreturn,
                ..Function::default()
            })
        } else {
            DeclKind::Variable(Variable {
                storage: match declaration.class {
                    _ if declaration.thread => Storage::Thread,
                    StorageClass::Extern | StorageClass::Static => Storage::Static,
                    _ if at_file_scope => Storage::Static,
                    _ => Storage::Automatic,
                },
                linkage: match declaration.class {
                    StorageClass::Extern => Linkage::External,
                    StorageClass::Static if at_file_scope => Linkage::Internal,
                    _ if at_file_scope => Linkage::External,
                    _ => Linkage::None,
                },
                declared_only: declaration.class == StorageClass::Extern && !declaration.defines,
                init: None,
                constexpr: declaration.constexpr,
            })
        };
        let linked = match &kind {
            DeclKind::Function(_) => true,
            DeclKind::Variable(variable) => variable.linkage != Linkage::None,
            _ => false,
        };
        let innermost = match self.scopes.find_innermost(name) {
            Some(Entity::Decl(decl)) => Some(decl),
            _ => None,
        };
        let earlier = innermost.or(if linked { self.externals.get(&name).copied() } else { None });
        let decl = Decl {
            name: Some(name),
            ty,
            kind,
            span,
            align: declaration.align,
            asm_label: declaration.asm_label,
        };
        if let Some(earlier) = earlier
            && self.redeclare(earlier, &decl, linked, declaration.defines)
        {
            self.scopes.bind(name, Entity::Decl(earlier));
            return earlier;
        }
        let id = self.bind(decl);
        if linked {
            self.externals.insert(name, id);
        }
        id
    }

    /// Merges `new` into `earlier` if both are the same entity; reports a clash otherwise.
    fn redeclare(&mut self, earlier: DeclId, new: &Decl, linked: bool, defines: bool) -> bool {
        let old = &self.unit.decls[earlier];
        let same_kind = matches!(
            (&old.kind, &new.kind),
            (DeclKind::Typedef, DeclKind::Typedef)
                | (DeclKind::Function(_), DeclKind::Function(_))
                | (DeclKind::Variable(_), DeclKind::Variable(_))
        );
        let old_linked = match &old.kind {
            DeclKind::Function(_) => true,
            DeclKind::Variable(variable) => variable.linkage != Linkage::None,
            DeclKind::Typedef => true,
            _ => false,
        };
        let implicit = matches!(&old.kind, DeclKind::Function(f) if f.implicit);
        let (old_ty, old_span) = (old.ty, old.span);
        let linked = linked || matches!(new.kind, DeclKind::Typedef);
        let compatible = self.unit.types.compatible(old_ty, new.ty)
            || matches!(new.kind, DeclKind::Typedef)
                && self.unit.types.compatible_unqualified(old_ty, new.ty);
        if !same_kind || !linked || !old_linked || !compatible && !implicit {
            let name = new.name.map_or("", |n| self.unit.text(n)).to_owned();
            let message = if same_kind && linked && old_linked {
                let (new, old) = (self.show(new.ty), self.show(old_ty));
                format!("`{name}` is declared as `{new}` here and as `{old}` before")
            } else {
                format!("`{name}` is already declared in this scope")
            };
            let place = self.unit.place(old_span);
            self.report(new.span, Diagnostic::error(message).related(place, "first declared here"));
            return false;
        }
        let ty = if compatible { self.unit.types.composite(old_ty, new.ty) } else { new.ty };
        let old = &mut self.unit.decls[earlier];
        old.ty = ty;
        old.align = old.align.max(new.align);
        old.asm_label = old.asm_label.or(new.asm_label);
        if defines {
            old.span = new.span;
        }
        match (&mut old.kind, &new.kind) {
            (DeclKind::Function(old), DeclKind::Function(new)) => {
                if old.body.is_none() && (defines || !new.parameters.is_empty()) {
                    old.parameters.clone_from(&new.parameters);
                }
                old.is_static |= new.is_static;
                old.is_inline |= new.is_inline;
                old.noreturn |= new.noreturn;
                old.implicit = false;
            }
            (DeclKind::Variable(old), DeclKind::Variable(new)) => {
                old.declared_only &= new.declared_only;
                if new.linkage == Linkage::Internal {
                    old.linkage = Linkage::Internal;
                }
            }
            _ => {}
        }
        true
    }

    /// A function that is called without a declaration, or one of the compiler's own.
    pub(crate) fn declare_implicit(&mut self, name: Symbol, ty: Type, span: Span) -> DeclId {
        let function = Function { implicit: true, ..Function::default() };
        let id = self.unit.decls.alloc(Decl {
            name: Some(name),
            ty,
            kind: DeclKind::Function(function),
            span,
            align: None,
            asm_label: None,
        });
        self.builtins.insert(name, id);
        id
    }

    /// Refuses a type that is nested too deeply to be walked by recursion.
    pub(crate) fn require_shallow(&mut self, ty: Type, span: Span) -> bool {
        let shallow = self.unit.types.height(ty) <= GREATEST_TYPE_HEIGHT;
        if !shallow {
            let message =
                format!("more than {GREATEST_TYPE_HEIGHT} levels of nesting in this type");
            self.error(span, message);
            self.give_up();
        }
        shallow
    }

    /// Refuses an object whose size cannot be known.
    pub(crate) fn require_complete(&mut self, ty: Type, span: Span, what: &str) -> bool {
        let complete = ty.is_error() || self.unit.types.is_complete(ty);
        if !complete {
            let large = matches!(self.unit.types.kind(ty), TypeKind::Array { element, .. }
                if self.unit.types.is_complete(*element))
                && !matches!(self.unit.types.as_array(ty), Some((_, super::ArraySize::Unknown)));
            let shown = self.show(ty);
            if large {
                self.error(span, format!("the array type `{shown}` is too large"));
            } else {
                self.error(span, format!("{what} has the incomplete type `{shown}`"));
            }
        }
        complete
    }
}

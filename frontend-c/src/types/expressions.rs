//! Primary and postfix expressions (C11 §6.5.1 and §6.5.2).

use gpuc_diagnostics::Diagnostic;

use super::{ArraySize, Checker, Entity, IntKind, Qualifiers, RecordId, Type, TypeKind};
use crate::lex::{
    CharacterType, IntegerSuffix, Literal, StringLiteral, decode_character, decode_number,
};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{DeclId, DeclKind, ExprId, ExprKind, MemberAccess, ValueCategory};

/// The type of an integer constant (C11 §6.4.4.1): the first of its list that can hold it.
fn integer_type(value: u64, decimal: bool, suffix: IntegerSuffix) -> Type {
    use IntKind::{Int, Int128, Long, LongLong, UInt, ULong, ULongLong};
    let candidates = [Int, UInt, Long, ULong, LongLong, ULongLong];
    let least = [Int, Long, LongLong][suffix.longs.min(2) as usize].rank();
    candidates
        .into_iter()
        .filter(|kind| kind.rank() >= least)
        .filter(
            |kind| if kind.is_signed() { !suffix.unsigned } else { suffix.unsigned || !decimal },
        )
        .find(|kind| kind.wrap(value.into()) == i128::from(value))
        .unwrap_or(if suffix.unsigned { ULongLong } else { Int128 })
        .ty()
}

impl Checker {
    /// A number.
    pub(crate) fn number(&mut self, spelling: Symbol, span: Span) -> ExprId {
        match decode_number(self.unit.text(spelling)) {
            Err(message) => self.refuse(span, message),
            Ok(Literal::Integer { value, decimal, suffix, imaginary }) => {
                let ty = integer_type(value, decimal, suffix);
                if imaginary {
                    let ty = self.unit.types.complex_of(ty);
                    return self.value(ExprKind::Imaginary(value as f64), ty, span);
                }
                self.int(value.into(), ty, span)
            }
            Ok(Literal::Floating { value, suffix, imaginary }) => {
                let single = self.unit.dialect.single_precision_constants;
                let (value, suffix) = match suffix {
                    "" if single => (f64::from(value as f32), "f"),
                    _ => (value, suffix),
                };
                let ty = match suffix {
                    "" => Type::DOUBLE,
                    "f" => Type::FLOAT,
                    "l" => Type::LDOUBLE,
                    "f16" => Type::FLOAT16,
                    "bf16" => Type::BFLOAT16,
                    "f32" => Type::FLOAT32,
                    "f64" => Type::FLOAT64,
                    "f128" | "q" => Type::FLOAT128,
                    "f32x" => Type::FLOAT32X,
                    "f64x" | "w" => Type::FLOAT64X,
                    _ => {
                        self.unsupported(span, "decimal floating constants are not supported");
                        return self.error_expr(span);
                    }
                };
                if imaginary {
                    let ty = self.unit.types.complex_of(ty);
                    return self.value(ExprKind::Imaginary(value), ty, span);
                }
                self.value(ExprKind::Float(value), ty, span)
            }
        }
    }

    /// A character constant.
    pub(crate) fn character(&mut self, spelling: Symbol, span: Span) -> ExprId {
        match decode_character(self.unit.text(spelling), self.unit.dialect.unsigned_char) {
            Err(message) => self.refuse(span, message),
            Ok((element, value)) => {
                let ty = match element {
                    CharacterType::Char | CharacterType::Wide => Type::INT,
                    CharacterType::Char16 => Type::USHORT,
                    CharacterType::Char32 => Type::UINT,
                };
                self.int(value.into(), ty, span)
            }
        }
    }

    /// A string literal: an array object.
    pub(crate) fn string(&mut self, literal: StringLiteral, span: Span) -> ExprId {
        let element = match literal.element {
            CharacterType::Char => Type::CHAR,
            CharacterType::Wide => Type::INT,
            CharacterType::Char16 => Type::USHORT,
            CharacterType::Char32 => Type::UINT,
        };
        let size = ArraySize::Constant(literal.units.len() as u64 + 1);
        let ty = self.unit.types.array_of(element, size);
        self.push(ExprKind::String(Box::new(literal)), ty, ValueCategory::Object, span)
    }

    /// A name that is not followed by `(`, or is declared.
    pub(crate) fn variable(&mut self, decl: DeclId, span: Span) -> ExprId {
        let ty = self.unit.decls[decl].ty;
        self.push(ExprKind::Name(decl), ty, ValueCategory::Object, span)
    }

    /// The expression that a name is.
    pub(crate) fn name(&mut self, name: Symbol, span: Span) -> ExprId {
        let decl = match self.scopes.find(name) {
            Some(Entity::Decl(decl)) => Some(decl),
            _ => self.builtins.get(&name).copied(),
        };
        let Some(decl) = decl else {
            let text = self.unit.text(name);
            let mut diagnostic = Diagnostic::error(format!("`{text}` is not declared"));
            if let Some(near) = self.nearest_name(name) {
                diagnostic = diagnostic.meant(near);
            }
            self.report(span, diagnostic);
            return self.error_expr(span);
        };
        let entity = &self.unit.decls[decl];
        let ty = entity.ty;
        let category = match entity.kind {
            DeclKind::Variable(_) | DeclKind::Parameter { .. } => ValueCategory::Object,
            DeclKind::Function(_) => ValueCategory::Function,
            DeclKind::EnumConstant(_) => ValueCategory::Value,
            DeclKind::Typedef | DeclKind::Label(_) => {
                let message = format!("`{}` is a type, not a value", self.unit.text(name));
                return self.refuse(span, message);
            }
        };
        self.push(ExprKind::Name(decl), ty, category, span)
    }

    /// `( expr )`.
    pub(crate) fn paren(&mut self, inner: ExprId, span: Span) -> ExprId {
        let (ty, category) = (self.ty(inner), self.unit.exprs[inner].category);
        self.push(ExprKind::Paren(inner), ty, category, span)
    }

    /// `base[index]`.
    pub(crate) fn index(&mut self, base: ExprId, index: ExprId, span: Span) -> ExprId {
        let (mut base, mut index) = (base, index);
        if let TypeKind::Vector { element, .. } = *self.unit.types.kind(self.ty(base)) {
            let pointer = self.unit.types.pointer_to(element);
            let span_of_base = self.span(base);
            let address = {
                let to = self.ty(base);
                let pointer_to_vector = self.unit.types.pointer_to(to);
                let kind = ExprKind::Unary(crate::tree::UnaryOp::AddressOf, base);
                self.value(kind, pointer_to_vector, span_of_base)
            };
            base = self.cast_node(
                address,
                crate::tree::CastKind::Pointer,
                pointer,
                true,
                span_of_base,
            );
        }
        let (b, i) = (self.rvalue(base), self.rvalue(index));
        if self.ty(b).is_error() || self.ty(i).is_error() {
            return self.error_expr(span);
        }
        if self.unit.types.is_pointer(self.ty(i)) && !self.unit.types.is_pointer(self.ty(b)) {
            std::mem::swap(&mut base, &mut index);
        }
        let b = self.rvalue(base);
        let Some(element) = self.unit.types.pointee(self.ty(b)) else {
            let (span, shown) = (self.span(b), self.show(self.ty(b)));
            return self.refuse(span, format!("`{shown}` is neither an array nor a pointer"));
        };
        let index_ty = self.ty(index);
        if !self.unit.types.is_integer(index_ty) {
            let (span, shown) = (self.span(index), self.show(index_ty));
            return self.refuse(span, format!("a subscript must be an integer, not `{shown}`"));
        }
        let index = self.convert_subscript(index);
        self.push(ExprKind::Index { base: b, index }, element, ValueCategory::Object, span)
    }

    /// `base.name`, or `base->name` if `arrow`.
    pub(crate) fn member(
        &mut self,
        base: ExprId,
        name: Symbol,
        arrow: bool,
        name_span: Span,
        span: Span,
    ) -> ExprId {
        if self.ty(base).is_error() {
            return self.error_expr(span);
        }
        let object = if arrow {
            let pointer = self.rvalue(base);
            match self.unit.types.pointee(self.ty(pointer)) {
                Some(_) => {
                    let base_span = self.span(base);
                    self.deref(pointer, base_span)
                }
                None if self.ty(pointer).is_error() => return self.error_expr(span),
                None => {
                    let shown = self.show(self.ty(pointer));
                    let diagnostic =
                        Diagnostic::error(format!("`->` needs a pointer, not `{shown}`"));
                    let record = self.unit.types.as_record(self.ty(pointer)).is_some();
                    let help = "the member of a structure itself is selected by `.`";
                    self.report(name_span, if record { diagnostic.help(help) } else { diagnostic });
                    return self.error_expr(span);
                }
            }
        } else {
            base
        };
        let ty = self.ty(object);
        let Some(record) = self.unit.types.as_record(ty) else {
            let shown = self.show(ty);
            let name = self.unit.text(name);
            let mut diagnostic =
                Diagnostic::error(format!("`{shown}` has no members, so there is no `{name}`"));
            if self.unit.types.pointee(ty).is_some() {
                diagnostic =
                    diagnostic.help("the member of what a pointer points to is selected by `->`");
            }
            self.report(name_span, diagnostic);
            return self.error_expr(span);
        };
        match self.unit.types.find_field(record, name) {
            Some(way) => self.access_fields(object, &way, span),
            None => self.no_member(record, ty, name, name_span),
        }
    }

    /// Follows field numbers from a record.
    pub(crate) fn access_fields(&mut self, object: ExprId, way: &[u32], span: Span) -> ExprId {
        let mut object = object;
        for &field in way {
            let ty = self.ty(object);
            let Some(record) = self.unit.types.as_record(ty) else { return self.error_expr(span) };
            let member = &self.unit.types.record(record).fields[field as usize];
            let (member_ty, bits) = (member.ty, member.bits);
            // A member of a constant record is constant.
            let inherited = ty.qualifiers();
            let inherited = if inherited.contains(Qualifiers::CONST)
                || inherited.contains(Qualifiers::VOLATILE)
            {
                inherited
            } else {
                Qualifiers::NONE
            };
            let member_ty = self.unit.types.qualify(member_ty, inherited);
            let category = match self.unit.exprs[object].category {
                // An array member of a value still has an address for its elements.
                ValueCategory::Value => ValueCategory::Value,
                _ if bits.is_some() => ValueCategory::BitField,
                _ => ValueCategory::Object,
            };
            let kind = ExprKind::Member { base: object, access: MemberAccess { record, field } };
            object = self.push(kind, member_ty, category, span);
        }
        object
    }

    fn no_member(&mut self, record: RecordId, ty: Type, name: Symbol, span: Span) -> ExprId {
        let shown = self.show(ty.unqualified());
        let text = self.unit.text(name);
        let known = self.unit.types.record(record);
        let message = if known.layout.is_none() {
            format!("`{shown}` is only declared, so its member `{text}` is not known")
        } else {
            format!("`{shown}` has no member `{text}`")
        };
        let fields = known.fields.iter().filter_map(|f| f.name).map(|f| self.unit.text(f));
        let near = gpuc_diagnostics::did_you_mean(text, fields);
        let mut diagnostic = Diagnostic::error(message);
        if let Some(near) = near {
            diagnostic = diagnostic.meant(near);
        }
        self.report(span, diagnostic);
        self.error_expr(span)
    }

    /// Chooses the association of `_Generic` for the controlling expression's type.
    pub(crate) fn generic(
        &mut self,
        control: Type,
        associations: &[(Option<Type>, ExprId)],
        span: Span,
    ) -> ExprId {
        if control.is_error() {
            return self.error_expr(span);
        }
        let matching = associations
            .iter()
            .find(|(ty, _)| ty.is_some_and(|ty| self.unit.types.compatible(ty, control)))
            .or_else(|| associations.iter().find(|(ty, _)| ty.is_none()));
        match matching {
            Some(&(_, chosen)) => self.paren(chosen, span),
            None => {
                let shown = self.show(control);
                self.refuse(span, format!("no association of this `_Generic` is for `{shown}`"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_constants_take_the_first_type_that_holds_them() {
        let suffix = |unsigned, longs| IntegerSuffix { unsigned, longs };
        for (value, decimal, s, ty) in [
            (1, true, suffix(false, 0), Type::INT),
            (0x7fff_ffff, true, suffix(false, 0), Type::INT),
            (0x8000_0000, true, suffix(false, 0), Type::LONG),
            (0x8000_0000, false, suffix(false, 0), Type::UINT),
            (0x8000_0000, true, suffix(true, 0), Type::UINT),
            (1, true, suffix(false, 1), Type::LONG),
            (1, true, suffix(true, 2), Type::ULLONG),
            (u64::MAX, false, suffix(false, 0), Type::ULONG),
            (u64::MAX, true, suffix(false, 0), Type::INT128),
            (u64::MAX, false, suffix(false, 2), Type::ULLONG),
        ] {
            assert_eq!(integer_type(value, decimal, s), ty, "{value} {s:?}");
        }
    }
}

//! Structures, unions and enumerations (C11 §6.7.2.1 to §6.7.2.3).

use gpuc_diagnostics::Diagnostic;

use super::attributes::Attributes;
use super::declarator::Declarator;
use super::specifiers::Specifiers;
use super::{Parsed, Parser};
use crate::lex::{Keyword, Punct, TokenKind};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{Decl, DeclId, DeclKind};
use crate::types::{FieldDeclaration, IntKind, RecordId, Type, TypeKind};

impl Parser {
    fn optional_name(&mut self) -> Option<(Symbol, Span)> {
        match self.token() {
            crate::lex::Token { kind: TokenKind::Ident(name), span } => {
                self.advance();
                Some((name, span))
            }
            _ => None,
        }
    }

    /// `struct tag { … }` in all its forms.
    pub(super) fn record_specifier(&mut self) -> Parsed<Type> {
        let is_union = self.keyword() == Some(Keyword::Union);
        let start = self.advance().span;
        let mut attributes = self.attributes()?;
        let tag = self.optional_name();
        if tag.is_none() && !self.at(Punct::LBrace) {
            let word = if is_union { "union" } else { "struct" };
            return Err(self.unexpected(&format!("a tag or `{{` after `{word}`")));
        }
        let defines = self.at(Punct::LBrace);
        let known = tag.and_then(|(name, _)| self.checker.scopes.find_tag(name));
        let here = defines || self.at(Punct::Semicolon);
        let known = known.filter(|&(_, innermost)| innermost || !here).map(|(ty, _)| ty);
        let (ty, span) = match (known, tag) {
            (Some(ty), Some((_, span))) => (ty, span),
            (_, tag) => {
                let span = tag.map_or(start, |(_, span)| span);
                let name = tag.map(|(name, _)| name);
                let (_, ty) = self.checker.unit.types.new_record(name, is_union, span);
                if let Some(name) = name {
                    self.checker.scopes.bind_tag(name, ty);
                }
                (ty, span)
            }
        };
        let record = match *self.checker.unit.types.kind(ty) {
            TypeKind::Record(id) if self.checker.unit.types.record(id).is_union == is_union => id,
            _ => {
                let shown = self.checker.show(ty);
                self.checker.error(span, format!("this tag is that of `{shown}`"));
                if defines {
                    self.skip_group();
                }
                return Ok(Type::ERROR);
            }
        };
        if !defines {
            return Ok(ty);
        }
        let open = self.open_records.contains(&record);
        if open || self.checker.unit.types.record(record).layout.is_some() {
            let shown = self.checker.show(ty);
            let first = self.checker.unit.types.record(record).span;
            let place = self.checker.unit.place(first);
            let diagnostic = Diagnostic::error(format!("`{shown}` is defined twice"));
            self.checker.report(span, diagnostic.related(place, "first defined here"));
            self.skip_group();
            return Ok(ty);
        }
        self.advance();
        self.open_records.push(record);
        let mut fields = Vec::new();
        while !self.at(Punct::RBrace) && self.peek() != TokenKind::Eof {
            if self.members(&mut fields).is_err() {
                self.recover();
            }
        }
        self.open_records.pop();
        let end = self.expect(Punct::RBrace, "at the end of the members")?;
        let more = self.attributes()?;
        attributes.merge(more);
        self.complete_record(record, &fields, &attributes, end);
        Ok(ty)
    }

    fn complete_record(
        &mut self,
        id: RecordId,
        fields: &[FieldDeclaration],
        attributes: &Attributes,
        end: Span,
    ) {
        let pack = self.pack.at(end.start);
        let packed = attributes.packed || self.checker.unit.dialect.packed;
        let types = &mut self.checker.unit.types;
        let mut record = types.record(id).clone();
        record.transparent = attributes.transparent_union;
        types.lay_out(&mut record, fields, packed, pack, attributes.align);
        *types.record_mut(id) = record;
        let ty = types.intern(TypeKind::Record(id));
        self.checker.require_shallow(ty, end);
    }

    /// One line of members.
    fn members(&mut self, fields: &mut Vec<FieldDeclaration>) -> Parsed<()> {
        if self.eat(Punct::Semicolon) {
            return Ok(());
        }
        if matches!(self.keyword(), Some(Keyword::StaticAssert | Keyword::StaticAssertName)) {
            return self.static_assert();
        }
        if matches!(self.peek(), TokenKind::Pragma(_)) {
            return self.misplaced_pragma("among the members of a structure");
        }
        let specifiers = self.specifiers()?;
        if self.at(Punct::Semicolon) {
            let span = self.advance().span;
            // Only a structure or union without a name brings members of its own.
            let types = &self.checker.unit.types;
            let anonymous =
                types.as_record(specifiers.ty).map(|id| types.record(id)).is_some_and(|record| {
                    record.tag.is_none() && record.span.start >= specifiers.span.start
                });
            if anonymous {
                fields.push(FieldDeclaration {
                    name: None,
                    ty: specifiers.ty,
                    width: None,
                    packed: specifiers.attributes.packed,
                    align: specifiers.attributes.align,
                    span,
                });
            }
            return Ok(());
        }
        loop {
            let start = self.span();
            let declarator = if self.at(Punct::Colon) {
                Declarator { span: start, ..Declarator::default() }
            } else {
                self.declarator()?
            };
            let field = self.member(&specifiers, &declarator)?;
            fields.extend(field);
            if !self.eat(Punct::Comma) {
                break;
            }
            self.attributes()?;
        }
        self.expect(Punct::Semicolon, "after the members")?;
        Ok(())
    }

    fn member(
        &mut self,
        specifiers: &Specifiers,
        declarator: &Declarator,
    ) -> Parsed<Option<FieldDeclaration>> {
        let ty = self.declared_type(specifiers, declarator);
        let mut attributes = declarator.attributes.clone();
        attributes.packed |= specifiers.attributes.packed;
        attributes.align = attributes.align.max(specifiers.attributes.align);
        let span = declarator.name.map_or(declarator.span, |(_, span)| span);
        let mut width = None;
        if self.eat(Punct::Colon) {
            let expr = self.conditional_expression()?;
            let value = self.checker.require_constant(expr, "the width of a bit-field");
            let more = self.attributes()?;
            attributes.merge(more);
            let size = self.checker.unit.types.as_int(ty).map(IntKind::bits);
            let Some(size) = size else {
                let shown = self.checker.show(ty);
                self.checker.error(span, format!("a bit-field cannot have the type `{shown}`"));
                return Ok(None);
            };
            match value {
                Some(value) if (0..=i128::from(size)).contains(&value) => {
                    width = Some(value as u32)
                }
                Some(value) => {
                    self.checker
                        .error(span, format!("a bit-field of this type cannot have {value} bits"));
                    return Ok(None);
                }
                None => return Ok(None),
            }
        } else {
            // A flexible array member is the one incomplete type.
            let types = &self.checker.unit.types;
            let flexible =
                matches!(types.as_array(ty), Some((_, crate::types::ArraySize::Unknown)));
            if types.is_variably_sized(ty) {
                self.checker.error(span, "a member cannot have a variable length");
                return Ok(None);
            }
            if !flexible && !self.checker.require_complete(ty, span, "this member") {
                return Ok(None);
            }
        }
        Ok(Some(FieldDeclaration {
            name: declarator.name.map(|(name, _)| name),
            ty,
            width,
            packed: attributes.packed,
            align: attributes.align,
            span,
        }))
    }

    /// `enum tag { … }` in all its forms, C23's underlying type included.
    pub(super) fn enum_specifier(&mut self) -> Parsed<Type> {
        let start = self.advance().span;
        let mut attributes = self.attributes()?;
        let tag = self.optional_name();
        let mut fixed = None;
        if self.at(Punct::Colon) && self.starts_type(self.peek_ahead(1)) {
            self.advance();
            let ty = self.type_name()?;
            fixed = self.checker.unit.types.as_int(ty);
        }
        let defines = self.at(Punct::LBrace);
        if tag.is_none() && !defines {
            return Err(self.unexpected("a tag or `{` after `enum`"));
        }
        let known = tag.and_then(|(name, _)| self.checker.scopes.find_tag(name));
        let known = known.filter(|&(_, innermost)| innermost || !defines).map(|(ty, _)| ty);
        let span = tag.map_or(start, |(_, span)| span);
        let ty = match known {
            Some(ty) => ty,
            None => {
                let (_, ty) = self.checker.unit.types.new_enum(tag.map(|(name, _)| name), span);
                if let Some((name, _)) = tag {
                    self.checker.scopes.bind_tag(name, ty);
                }
                ty
            }
        };
        let TypeKind::Enum(id) = *self.checker.unit.types.kind(ty) else {
            let shown = self.checker.show(ty);
            self.checker.error(span, format!("this tag is that of `{shown}`"));
            if defines {
                self.skip_group();
            }
            return Ok(Type::ERROR);
        };
        if fixed.is_some() {
            self.checker.unit.types.enumeration_mut(id).underlying = fixed;
        }
        if !defines {
            return Ok(ty);
        }
        if !self.checker.unit.types.enumeration(id).constants.is_empty() {
            let shown = self.checker.show(ty);
            self.checker.error(span, format!("`{shown}` is defined twice"));
            self.skip_group();
            return Ok(ty);
        }
        self.advance();
        let mut constants: Vec<(DeclId, i128)> = Vec::new();
        let mut next = 0;
        while !self.at(Punct::RBrace) && self.peek() != TokenKind::Eof {
            let (decl, value) = self.enumerator(next, fixed)?;
            constants.push((decl, value));
            next = value.wrapping_add(1);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::RBrace, "at the end of the enumeration")?;
        let more = self.attributes()?;
        attributes.merge(more);
        let packed = attributes.packed || self.checker.unit.dialect.short_enums;
        let kind = fixed.unwrap_or_else(|| underlying(&constants, packed));
        for &(decl, value) in &constants {
            // An enumeration constant is an `int` where its value allows.
            let small = IntKind::Int.wrap(value) == value;
            let constant_ty = match fixed {
                Some(kind) => kind.ty(),
                None if small => Type::INT,
                None => kind.ty(),
            };
            self.checker.unit.decls[decl].ty = constant_ty;
        }
        let enumeration = self.checker.unit.types.enumeration_mut(id);
        enumeration.underlying = Some(kind);
        enumeration.constants = constants.into_iter().map(|(decl, _)| decl).collect();
        Ok(ty)
    }

    fn enumerator(&mut self, next: i128, fixed: Option<IntKind>) -> Parsed<(DeclId, i128)> {
        let (name, span) = self.expect_name("the name of an enumeration constant")?;
        self.attributes()?;
        let mut value = next;
        if self.eat(Punct::Eq) {
            let expr = self.conditional_expression()?;
            value = self.checker.require_constant(expr, "an enumeration constant").unwrap_or(next);
        }
        // Until the enumeration is complete, later constants see this one with a type of its own.
        let fits = |kind: IntKind| kind.wrap(value) == value;
        let ty = match fixed {
            Some(kind) => kind.ty(),
            None if fits(IntKind::Int) => Type::INT,
            None if fits(IntKind::UInt) => Type::UINT,
            None if fits(IntKind::Long) => Type::LONG,
            None => Type::ULONG,
        };
        if let Some(crate::types::Entity::Decl(_)) = self.checker.scopes.find_innermost(name) {
            let text = self.checker.unit.text(name);
            let message = format!("`{text}` is already declared in this scope");
            self.checker.error(span, message);
        }
        let kind = DeclKind::EnumConstant(value);
        let decl = Decl { name: Some(name), ty, kind, span, align: None, asm_label: None };
        Ok((self.checker.bind(decl), value))
    }
}

/// The integer type of an enumeration, as GCC chooses it.
fn underlying(constants: &[(DeclId, i128)], packed: bool) -> IntKind {
    use IntKind::{Int, Long, SChar, Short, UChar, UInt, ULong, UShort};
    let holds = |kind: IntKind| constants.iter().all(|&(_, value)| kind.wrap(value) == value);
    let negative = constants.iter().any(|&(_, value)| value < 0);
    let candidates: &[IntKind] = match (negative, packed) {
        (false, false) => &[UInt, ULong],
        (true, false) => &[Int, Long],
        (false, true) => &[UChar, UShort, UInt, ULong],
        (true, true) => &[SChar, Short, Int, Long],
    };
    candidates.iter().copied().find(|&kind| holds(kind)).unwrap_or(if negative {
        Long
    } else {
        ULong
    })
}

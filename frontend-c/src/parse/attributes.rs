//! Attributes: GNU's `__attribute__((…))` and C23's `[[…]]`. Those that change types are kept, the
//! others are the host compiler's.

use super::{Parsed, Parser};
use crate::lex::{Keyword, Punct, TokenKind};
use crate::symbol::Symbol;
use crate::types::{FloatKind, IntKind, Type, TypeKind};

/// What attributes ask for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attributes {
    pub packed: bool,
    /// In bytes.
    pub align: Option<u64>,
    pub mode: Option<Symbol>,
    /// In bytes.
    pub vector_size: Option<u64>,
    pub transparent_union: bool,
    pub noreturn: bool,
}

/// What plain `aligned` means on this platform.
const GREATEST_ALIGNMENT: u64 = 16;

impl Attributes {
    pub(crate) fn merge(&mut self, other: Attributes) {
        self.packed |= other.packed;
        self.align = self.align.max(other.align);
        self.mode = other.mode.or(self.mode);
        self.vector_size = other.vector_size.or(self.vector_size);
        self.transparent_union |= other.transparent_union;
        self.noreturn |= other.noreturn;
    }
}

impl Parser {
    pub(super) fn at_attribute(&self) -> bool {
        self.keyword() == Some(Keyword::Attribute) || self.at_standard_attribute()
    }

    pub(super) fn at_standard_attribute(&self) -> bool {
        let bracket = TokenKind::Punct(Punct::LBracket);
        self.peek() == bracket && self.peek_ahead(1) == bracket
    }

    /// Reads all attributes that stand here.
    pub(super) fn attributes(&mut self) -> Parsed<Attributes> {
        let mut attributes = Attributes::default();
        loop {
            if self.eat_keyword(Keyword::Attribute) {
                self.expect(Punct::LParen, "after `__attribute__`")?;
                self.expect(Punct::LParen, "after `__attribute__(`")?;
                self.attribute_list(Punct::RParen, &mut attributes)?;
                self.expect(Punct::RParen, "at the end of the attributes")?;
                self.expect(Punct::RParen, "at the end of the attributes")?;
            } else if self.at_standard_attribute() {
                self.advance();
                self.advance();
                self.attribute_list(Punct::RBracket, &mut attributes)?;
                self.expect(Punct::RBracket, "at the end of the attributes")?;
                self.expect(Punct::RBracket, "at the end of the attributes")?;
            } else {
                return Ok(attributes);
            }
        }
    }

    fn attribute_list(&mut self, end: Punct, attributes: &mut Attributes) -> Parsed<()> {
        while !self.at(end) {
            if self.eat(Punct::Comma) {
                continue;
            }
            let mut name = self.attribute_name()?;
            // C23's `gnu::name`.
            if self.at(Punct::Colon) && self.peek_ahead(1) == TokenKind::Punct(Punct::Colon) {
                self.advance();
                self.advance();
                name = self.attribute_name()?;
            }
            match name.as_str() {
                "packed" => attributes.packed = true,
                "transparent_union" => attributes.transparent_union = true,
                "noreturn" | "_Noreturn" => attributes.noreturn = true,
                "aligned" if self.at(Punct::LParen) => {
                    let align = self.attribute_number()?;
                    attributes.align = attributes.align.max(align.filter(|a| a.is_power_of_two()));
                    continue;
                }
                "aligned" => attributes.align = attributes.align.max(Some(GREATEST_ALIGNMENT)),
                "vector_size" if self.at(Punct::LParen) => {
                    attributes.vector_size = self.attribute_number()?;
                    continue;
                }
                "mode" if self.at(Punct::LParen) => {
                    self.advance();
                    attributes.mode = Some(self.expect_name("a machine mode")?.0);
                    self.expect(Punct::RParen, "after the machine mode")?;
                    continue;
                }
                _ => {}
            }
            if self.at(Punct::LParen) {
                self.skip_group();
            }
        }
        Ok(())
    }

    /// The name of an attribute without the underscores around it.
    fn attribute_name(&mut self) -> Parsed<String> {
        let token = self.token();
        let text = match token.kind {
            TokenKind::Ident(name) => self.checker.unit.text(name),
            TokenKind::Keyword(keyword) => keyword.spelling(),
            _ => return Err(self.unexpected("the name of an attribute")),
        };
        let text =
            text.strip_prefix("__").and_then(|t| t.strip_suffix("__")).unwrap_or(text).to_owned();
        self.advance();
        Ok(text)
    }

    fn attribute_number(&mut self) -> Parsed<Option<u64>> {
        self.expect(Punct::LParen, "")?;
        let number = self.assignment_expression()?;
        let value = self.checker.require_constant(number, "the argument of this attribute");
        self.expect(Punct::RParen, "after the attribute's argument")?;
        Ok(value.and_then(|v| u64::try_from(v).ok()))
    }

    /// `ty` as `mode` and `vector_size` change it.
    pub(super) fn attributed_type(&mut self, ty: Type, attributes: &Attributes) -> Type {
        let mut ty = ty;
        if let Some(mode) = attributes.mode {
            ty = self.moded_type(ty, mode);
        }
        let types = &mut self.checker.unit.types;
        if attributes.transparent_union
            && let Some(union) = types.as_record(ty)
        {
            types.record_mut(union).transparent = true;
        }
        if let Some(bytes) = attributes.vector_size
            && let Some(size) = types.size_of(ty)
            && types.is_real(ty)
            && bytes >= size
        {
            let element = ty.unqualified();
            let vector = types.intern(TypeKind::Vector { element, count: bytes / size });
            ty = vector.with(ty.qualifiers());
        }
        ty
    }

    fn moded_type(&self, ty: Type, mode: Symbol) -> Type {
        let types = &self.checker.unit.types;
        let name = self.checker.unit.text(mode).trim_matches('_');
        let changed = if let Some(kind) = types.as_int(ty) {
            let kind = match name {
                "QI" | "byte" => IntKind::SChar,
                "HI" => IntKind::Short,
                "SI" => IntKind::Int,
                "DI" | "word" | "pointer" => IntKind::Long,
                "TI" => IntKind::Int128,
                _ => kind,
            };
            let signed = types.as_int(ty).is_none_or(IntKind::is_signed);
            if signed { kind.ty() } else { kind.to_unsigned().ty() }
        } else {
            match name {
                "HF" => FloatKind::Float16.ty(),
                "SF" => Type::FLOAT,
                "DF" => Type::DOUBLE,
                "XF" => Type::LDOUBLE,
                "TF" => Type::FLOAT128,
                _ => ty,
            }
        };
        changed.with(ty.qualifiers())
    }
}

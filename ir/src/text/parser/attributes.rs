//! Attributes and dictionaries.

use gpuc_diagnostics::Diagnostic;

use super::{Delimiter, OpParser, Position, parse_magnitude};
use crate::attrs::{Attr, AttrKind, Dict, round_to_format};
use crate::context::Ident;
use crate::graph::OpState;
use crate::text::ParseResult;
use crate::text::float::float_from_bits;
use crate::text::lexer::TokenKind;
use crate::types::{DYNAMIC, Signedness, Type, TypeKind};

/// Why a number is no value of a type.
const OUT_OF_RANGE: &str = "integer constant out of range for attribute";

impl<'s> OpParser<'_, 's> {
    /// Reads an attribute, its type suffix included.
    pub fn parse_attr(&mut self) -> ParseResult<Attr> {
        self.parse_attr_of(None)
    }

    /// Reads an attribute whose type is known and not written.
    pub fn parse_attr_typed(&mut self, ty: Type) -> ParseResult<Attr> {
        self.parse_attr_of(Some(ty))
    }

    fn parse_attr_of(&mut self, ty: Option<Type>) -> ParseResult<Attr> {
        match self.token.kind {
            TokenKind::Integer => self.parse_number(false, ty),
            TokenKind::Float => self.parse_number(false, ty),
            TokenKind::String => {
                let text = self.string()?;
                if ty.is_none() && self.at(":") {
                    let ty = self.parse_colon_type()?;
                    let text = self.ir.ctx.ident(&text);
                    return Ok(self.ir.ctx.intern_attr(AttrKind::TypedString { text, ty }));
                }
                Ok(self.ir.ctx.string_attr(&text))
            }
            TokenKind::At => self.parse_symbol_ref(),
            TokenKind::Hash => self.parse_hash_attr(),
            TokenKind::Bare => match self.parse_keyword_attr(ty)? {
                Some(attr) => Ok(attr),
                None => self.parse_type_attr(),
            },
            TokenKind::Exclaim => self.parse_type_attr(),
            TokenKind::Punctuation => match self.token_text() {
                "[" => self.nested(Self::parse_array),
                "{" => {
                    let dict = self.nested(Self::parse_dict)?;
                    Ok(self.ir.ctx.intern_attr(AttrKind::Dict(dict)))
                }
                "-" => {
                    self.advance();
                    self.parse_number(true, ty)
                }
                "(" => self.parse_type_attr(),
                _ => self.expected("attribute value"),
            },
            _ => self.expected("attribute value"),
        }
    }

    /// Whether an attribute may begin here; types count only if they cannot be anything else.
    pub fn at_attr(&self) -> bool {
        match self.token.kind {
            TokenKind::Integer
            | TokenKind::Float
            | TokenKind::String
            | TokenKind::At
            | TokenKind::Hash
            | TokenKind::Exclaim => true,
            TokenKind::Punctuation => matches!(self.token_text(), "[" | "{" | "-"),
            TokenKind::Bare => {
                is_attr_keyword(self.token_text())
                    || super::types::is_type_keyword(self.token_text())
            }
            _ => false,
        }
    }

    fn parse_type_attr(&mut self) -> ParseResult<Attr> {
        let at = self.here();
        if !self.at_type() {
            return self.error(at, "expected attribute value");
        }
        let ty = self.parse_type()?;
        Ok(self.ir.ctx.type_attr(ty))
    }

    fn parse_array(&mut self) -> ParseResult<Attr> {
        let mut elements = Vec::new();
        self.delimited_list(Delimiter::Square, |p| {
            elements.push(p.parse_attr()?);
            Ok(())
        })?;
        Ok(self.ir.ctx.array_attr(&elements))
    }

    fn parse_keyword_attr(&mut self, ty: Option<Type>) -> ParseResult<Option<Attr>> {
        let at = self.here();
        let attr = match self.token_text() {
            "true" | "false" => {
                let value = self.token_text() == "true";
                self.advance();
                let i1 = self.ir.ctx.i1();
                if ty.is_some_and(|ty| ty != i1) {
                    return self.error(at, "expected number, not 'true' or 'false'");
                }
                self.ir.ctx.bool_attr(value)
            }
            "unit" => {
                self.advance();
                self.ir.ctx.unit_attr()
            }
            "affine_map" => self.parse_known_map()?,
            "affine_set" => {
                self.advance();
                self.expect("<")?;
                let set = self.parse_integer_set()?;
                self.expect(">")?;
                self.ir.ctx.set_attr(set)
            }
            "array" => self.parse_dense_array()?,
            "dense" => self.parse_dense_elements(ty)?,
            "strided" => self.parse_strided()?,
            "loc" => match self.parse_optional_location()? {
                Some(location) => self.ir.ctx.intern_attr(AttrKind::Location(location)),
                None => return Ok(None),
            },
            "dense_resource" => self.parse_dense_resource(ty)?,
            unsupported @ ("sparse" | "distinct" | "opaque") => {
                let message = format!("attribute '{unsupported}' is not supported");
                return self.error(at, message);
            }
            _ => return Ok(None),
        };
        Ok(Some(attr))
    }

    /// `affine_map<...>`, by its text if that has been read before.
    fn parse_known_map(&mut self) -> ParseResult<Attr> {
        let start = self.token.start;
        let key = self.angled_extent().map(|end| self.slice(start, end));
        if let Some(&attr) = key.and_then(|key| self.known_maps.get(key)) {
            self.restart_at(start + key.map_or(0, str::len) as u32);
            return Ok(attr);
        }
        self.advance();
        self.expect("<")?;
        let map = self.parse_affine_map()?;
        self.expect(">")?;
        let attr = self.ir.ctx.map_attr(map);
        if let Some(key) = key {
            self.known_maps.insert(key, attr);
        }
        Ok(attr)
    }

    /// `#alias`, `#dialect.name<...>`, `#dialect<...>`.
    fn parse_hash_attr(&mut self) -> ParseResult<Attr> {
        let (at, name) = (self.here(), &self.token_text()[1..]);
        if !name.contains('.') && self.lexer.byte(self.token.end) != b'<' {
            self.advance();
            return match self.attr_aliases.get(name) {
                Some(&attr) => Ok(attr),
                None => self.error(at, format!("undefined symbol alias id '{name}'")),
            };
        }
        let (dialect, text) = self.parse_dialect_symbol("#")?;
        Ok(self.ir.ctx.dialect_attr(dialect, text))
    }

    /// Reads a number behind its sign, and `: type` unless the type is known.
    fn parse_number(&mut self, negative: bool, ty: Option<Type>) -> ParseResult<Attr> {
        let (at, text, kind) = (self.here(), self.token_text(), self.token.kind);
        if !matches!(kind, TokenKind::Integer | TokenKind::Float) {
            return self.expected("constant integer or floating point value");
        }
        self.advance();
        let ty = match ty {
            Some(ty) => ty,
            None if self.eat(":") => self.parse_type()?,
            None if kind == TokenKind::Float => self.ir.ctx.f64(),
            None => self.ir.ctx.i64(),
        };
        self.number_attr(at, text, negative, ty)
    }

    fn number_attr(
        &mut self,
        at: Position,
        text: &str,
        negative: bool,
        ty: Type,
    ) -> ParseResult<Attr> {
        if self.ir.ctx.is_float(ty) {
            let bits = self.float_bits(at, text, negative, ty)?;
            return Ok(self.ir.ctx.intern_attr(AttrKind::Float { bits, ty }));
        }
        if self.ir.ctx.int_or_index_width(ty).is_none() {
            let ty = self.ir.ctx.type_text(ty);
            return self.error(at, format!("integer literal not valid for type '{ty}'"));
        }
        let value = self.int_in_range(at, text, negative, ty)?;
        Ok(self.ir.ctx.int_attr(value, ty))
    }

    /// Value of an integer literal that must fit a type, as signed or as unsigned.
    pub(super) fn int_in_range(
        &mut self,
        at: Position,
        text: &str,
        negative: bool,
        ty: Type,
    ) -> ParseResult<i128> {
        let Some(magnitude) = parse_magnitude(text) else {
            let message =
                if text.contains('.') { "expected integer literal" } else { OUT_OF_RANGE };
            return self.error(at, message);
        };
        let width = self.ir.ctx.int_or_index_width(ty).unwrap_or(64);
        if width > 64 && magnitude >> 127 != 0 {
            return self.error(at, "integers of more than 127 bits are not supported");
        }
        let sign = match *self.ir.ctx.type_kind(ty) {
            TypeKind::Integer { sign, .. } => sign,
            _ => Signedness::Signless,
        };
        let below = |bits: u32| bits >= 127 || magnitude < 1u128 << bits;
        let is_index = matches!(self.ir.ctx.type_kind(ty), TypeKind::Index);
        let fits = match (sign, negative) {
            // Signed, other than integers whose type says nothing of a sign.
            (_, false) if is_index => below(63),
            (Signedness::Unsigned, true) => magnitude == 0,
            (Signedness::Signed, false) => below(width.saturating_sub(1)),
            (_, true) => width > 0 && (below(width - 1) || magnitude == 1u128 << (width - 1)),
            (_, false) => below(width),
        };
        if !fits {
            return self.error(at, OUT_OF_RANGE);
        }
        let value = magnitude as i128;
        Ok(if negative { -value } else { value })
    }

    /// Bits of the `f64` that equals a literal rounded to a type. Hexadecimal literals are the
    /// bits of the type itself.
    pub(super) fn float_bits(
        &mut self,
        at: Position,
        text: &str,
        negative: bool,
        ty: Type,
    ) -> ParseResult<u64> {
        let Some(kind) = self.ir.ctx.float_kind(ty) else {
            let ty = self.ir.ctx.type_text(ty);
            return self.error(at, format!("floating point value not valid for type '{ty}'"));
        };
        if text.starts_with("0x") {
            if negative {
                return self.error(at, "hexadecimal float literal should not have a leading minus");
            }
            return match parse_magnitude(text).and_then(|bits| float_from_bits(bits, kind)) {
                Some(value) => Ok(value),
                None => self.error(
                    at,
                    format!(
                        "hexadecimal float constant out of range for type '{}'",
                        kind.keyword()
                    ),
                ),
            };
        }
        if !text.contains('.') {
            let message = "unexpected decimal integer literal for a floating point value";
            let place = self.place(at);
            return self.report(
                Diagnostic::error(message)
                    .at(place)
                    .help("add a trailing dot to make the literal a float"),
            );
        }
        // Straight to f32, which rounding twice would miss.
        let value = match kind {
            crate::FloatKind::F32 => text.parse::<f32>().map(f64::from),
            _ => text.parse::<f64>(),
        };
        match value {
            // Not every format has a negative zero.
            Ok(value) => Ok(round_to_format(if negative { -value } else { value }, kind).to_bits()),
            Err(_) => self.error(at, "expected floating point literal"),
        }
    }

    /// `array<i32: 1, 2>`.
    fn parse_dense_array(&mut self) -> ParseResult<Attr> {
        self.advance();
        self.expect_in("<", " after 'array'")?;
        let at = self.here();
        let element = self.parse_type()?;
        let width = self.ir.ctx.int_width(element);
        let float = self.ir.ctx.float_kind(element);
        if !matches!(width, Some(1 | 8 | 16 | 32 | 64))
            && !matches!(float, Some(crate::FloatKind::F32 | crate::FloatKind::F64))
        {
            return self.error(at, "element type must be i1, i8, i16, i32, i64, f32 or f64");
        }
        let mut values = Vec::new();
        if !self.at(">") {
            self.expect_in(":", " after dense array type")?;
            self.comma_separated(|p| {
                values.push(p.parse_element(element)?);
                Ok(())
            })?;
        }
        self.expect_in(">", " to close an array attribute")?;
        Ok(self.ir.ctx.intern_attr(AttrKind::DenseArray { element, values: values.into() }))
    }

    /// Reads `[1, 2]` as a dense array of the element type.
    pub fn parse_dense_array_elements(&mut self, element: Type) -> ParseResult<Attr> {
        let mut values = Vec::new();
        self.delimited_list(Delimiter::Square, |p| {
            values.push(p.parse_element(element)?);
            Ok(())
        })?;
        Ok(self.ir.ctx.intern_attr(AttrKind::DenseArray { element, values: values.into() }))
    }

    /// One number of a dense attribute, encoded as those are.
    pub(super) fn parse_element(&mut self, element: Type) -> ParseResult<i64> {
        if self.at("true") || self.at("false") {
            let (at, value) = (self.here(), self.at("true"));
            self.advance();
            if self.ir.ctx.int_width(element) != Some(1) {
                return self.error(at, "expected i1 type for 'true' or 'false' values");
            }
            return Ok(value.into());
        }
        let negative = self.eat("-");
        let (at, text) = (self.here(), self.token_text());
        if !matches!(self.token.kind, TokenKind::Integer | TokenKind::Float) {
            return self.expected("constant integer or floating point value");
        }
        let is_float = self.token.kind == TokenKind::Float;
        self.advance();
        if self.ir.ctx.is_float(element) {
            return Ok(self.float_bits(at, text, negative, element)? as i64);
        }
        if is_float {
            return self.error(at, "expected integer elements, but parsed floating-point");
        }
        let value = self.int_in_range(at, text, negative, element)?;
        Ok(self.ir.ctx.wrap_int(value, element) as i64)
    }

    /// `strided<[?, 1], offset: ?>`.
    fn parse_strided(&mut self) -> ParseResult<Attr> {
        self.advance();
        self.expect_in("<", " after 'strided'")?;
        let mut strides = Vec::new();
        self.delimited_list(Delimiter::Square, |p| {
            strides.push(p.parse_static_or_dynamic()?);
            Ok(())
        })?;
        let mut offset = 0;
        if self.eat(",") {
            self.expect_in("offset", " after comma")?;
            self.expect_in(":", " after 'offset'")?;
            offset = self.parse_static_or_dynamic()?;
        }
        self.expect(">")?;
        Ok(self.ir.ctx.strided_attr(offset, &strides))
    }

    fn parse_static_or_dynamic(&mut self) -> ParseResult<i64> {
        if self.eat("?") {
            return Ok(DYNAMIC);
        }
        match self.optional_integer()? {
            Some(number) => Ok(number),
            None => self.expected("a 64-bit signed integer or '?'"),
        }
    }

    /// Reads `{a = 1, b}`.
    pub fn parse_dict(&mut self) -> ParseResult<Dict> {
        let mut entries: Vec<(Ident, Attr)> = Vec::new();
        self.parse_dict_entries(&mut entries)?;
        Ok(self.ir.ctx.dict(entries))
    }

    /// Reads a dictionary if `{` is next.
    pub fn parse_optional_dict(&mut self) -> ParseResult<Dict> {
        if self.at("{") { self.parse_dict() } else { Ok(Dict::EMPTY) }
    }

    fn parse_dict_entries(&mut self, entries: &mut impl Extend<(Ident, Attr)>) -> ParseResult<()> {
        let mut seen: smallvec::SmallVec<[Ident; 8]> = smallvec::SmallVec::new();
        self.delimited_list(Delimiter::Braces, |p| {
            let at = p.here();
            let name = match p.token.kind {
                TokenKind::String => {
                    let text = p.string()?;
                    p.ir.ctx.ident(&text)
                }
                TokenKind::Bare => {
                    let name = p.ir.ctx.ident(p.token_text());
                    p.advance();
                    name
                }
                _ => return p.expected("attribute name"),
            };
            if seen.contains(&name) {
                let message =
                    format!("duplicate key '{}' in dictionary attribute", p.ir.ctx.str(name));
                return p.error(at, message);
            }
            seen.push(name);
            let attr = if p.eat("=") { p.parse_attr()? } else { p.ir.ctx.unit_attr() };
            entries.extend([(name, attr)]);
            Ok(())
        })
    }

    /// Reads the attributes of an operation, `{...}`, if they are next.
    pub fn parse_attr_dict(&mut self, state: &mut OpState) -> ParseResult<()> {
        if self.at("{") { self.parse_dict_entries(&mut state.attrs) } else { Ok(()) }
    }

    /// Reads `attributes {...}` if it is next.
    pub fn parse_optional_attr_dict_with_keyword(
        &mut self,
        state: &mut OpState,
    ) -> ParseResult<()> {
        if !self.eat("attributes") {
            return Ok(());
        }
        if !self.at("{") {
            return self.expected("'{' in attribute dictionary");
        }
        self.parse_dict_entries(&mut state.attrs)
    }

    /// Reads `@name` as a string attribute.
    pub fn parse_symbol_name(&mut self) -> ParseResult<Attr> {
        let text = self.parse_symbol_text()?;
        Ok(self.ir.ctx.string_attr(&text))
    }

    fn parse_symbol_text(&mut self) -> ParseResult<String> {
        if self.token.kind != TokenKind::At {
            return self.expected("valid '@'-identifier for symbol name");
        }
        let (at, text) = (self.here(), &self.token_text()[1..]);
        self.advance();
        match text.strip_prefix('"') {
            Some(quoted) => {
                let text = self.unescape(at, &quoted[..quoted.len() - 1])?;
                if text.is_empty() { self.error(at, "symbol name is empty") } else { Ok(text) }
            }
            None => Ok(text.to_owned()),
        }
    }

    /// Reads `@root::@nested`.
    pub fn parse_symbol_ref(&mut self) -> ParseResult<Attr> {
        let root = self.parse_symbol_text()?;
        let mut nested = Vec::new();
        while self.eat("::") {
            nested.push(self.parse_symbol_text()?);
        }
        let nested: Vec<&str> = nested.iter().map(String::as_str).collect();
        Ok(self.ir.ctx.nested_symbol_attr(&root, &nested))
    }
}

fn is_attr_keyword(text: &str) -> bool {
    matches!(
        text,
        "true"
            | "false"
            | "unit"
            | "affine_map"
            | "affine_set"
            | "array"
            | "dense"
            | "dense_resource"
            | "strided"
            | "loc"
    )
}

//! Types.

use super::{Delimiter, OpParser};
use crate::attrs::{Attr, AttrKind};
use crate::text::ParseResult;
use crate::text::lexer::TokenKind;
use crate::types::{DYNAMIC, FloatKind, Signedness, Type, TypeKind};

/// Largest width of an integer type.
const MAX_INTEGER_WIDTH: u32 = (1 << 24) - 1;

fn integer_type(text: &str) -> Option<(Signedness, &str)> {
    let (sign, digits) = match text.as_bytes() {
        [b'i', ..] => (Signedness::Signless, &text[1..]),
        [b's', b'i', ..] => (Signedness::Signed, &text[2..]),
        [b'u', b'i', ..] => (Signedness::Unsigned, &text[2..]),
        _ => return None,
    };
    let numeric = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    numeric.then_some((sign, digits))
}

/// Whether a keyword begins a type.
pub(super) fn is_type_keyword(text: &str) -> bool {
    matches!(text, "index" | "none" | "memref" | "vector" | "tensor" | "complex" | "tuple")
        || integer_type(text).is_some()
        || FloatKind::ALL.iter().any(|kind| kind.keyword() == text)
}

/// The extents in front of an element type.
struct Dimensions {
    shape: Vec<i64>,
    scalable: Vec<bool>,
}

impl<'s> OpParser<'_, 's> {
    /// Reads a type.
    pub fn parse_type(&mut self) -> ParseResult<Type> {
        if self.at("(") { self.parse_function_type() } else { self.parse_non_function_type() }
    }

    /// Reads a type if one begins here.
    pub fn parse_optional_type(&mut self) -> ParseResult<Option<Type>> {
        if self.at_type() { self.parse_type().map(Some) } else { Ok(None) }
    }

    /// Reads `: type`.
    pub fn parse_colon_type(&mut self) -> ParseResult<Type> {
        self.expect(":")?;
        self.parse_type()
    }

    /// Reads `: type, type`.
    pub fn parse_colon_type_list(&mut self) -> ParseResult<Vec<Type>> {
        self.expect(":")?;
        self.parse_type_list()
    }

    /// Reads types separated by commas; none if no type begins here.
    pub fn parse_type_list(&mut self) -> ParseResult<Vec<Type>> {
        let mut types = Vec::new();
        if self.at_type() {
            self.comma_separated(|p| {
                types.push(p.parse_type()?);
                Ok(())
            })?;
        }
        Ok(types)
    }

    /// Reads `(type, ...)`.
    pub fn parse_paren_type_list(&mut self) -> ParseResult<Vec<Type>> {
        let mut types = Vec::new();
        self.delimited_list(Delimiter::Paren, |p| {
            types.push(p.parse_type()?);
            Ok(())
        })?;
        Ok(types)
    }

    /// Reads what follows `->`: one type, or types in parentheses.
    pub fn parse_function_results(&mut self) -> ParseResult<Vec<Type>> {
        if self.at("(") {
            self.parse_paren_type_list()
        } else {
            Ok(vec![self.parse_non_function_type()?])
        }
    }

    /// Reads `-> type` or `-> (type, ...)`.
    pub fn parse_arrow_type_list(&mut self) -> ParseResult<Vec<Type>> {
        self.expect("->")?;
        self.parse_function_results()
    }

    /// Reads `-> ...` if `->` is next; no types otherwise.
    pub fn parse_optional_arrow_type_list(&mut self) -> ParseResult<Vec<Type>> {
        if self.at("->") { self.parse_arrow_type_list() } else { Ok(Vec::new()) }
    }

    /// Reads `(types) -> types`.
    pub fn parse_function_type(&mut self) -> ParseResult<Type> {
        self.nested(|p| {
            let inputs = p.parse_paren_type_list()?;
            let results = p.parse_arrow_type_list()?;
            Ok(p.ir.ctx.function(&inputs, &results))
        })
    }

    fn parse_non_function_type(&mut self) -> ParseResult<Type> {
        match self.token.kind {
            TokenKind::Exclaim => self.parse_dialect_type(),
            TokenKind::Bare => match self.token_text() {
                "memref" | "vector" | "tensor" => self.parse_known_shaped_type(),
                _ => self.parse_keyword_type(),
            },
            _ => self.expected("non-function type"),
        }
    }

    /// A shaped type, by its text if that has been read before.
    fn parse_known_shaped_type(&mut self) -> ParseResult<Type> {
        let start = self.token.start;
        let key = self.angled_extent().map(|end| self.slice(start, end));
        if let Some(&ty) = key.and_then(|key| self.known_types.get(key)) {
            self.restart_at(start + key.map_or(0, str::len) as u32);
            return Ok(ty);
        }
        let ty = self.nested(|p| match p.token_text() {
            "memref" => p.parse_memref(),
            "vector" => p.parse_vector(),
            _ => p.parse_tensor(),
        })?;
        if let Some(key) = key {
            self.known_types.insert(key, ty);
        }
        Ok(ty)
    }

    /// Where `keyword<...>` ends, if it stands in one line and its brackets pair up simply.
    pub(super) fn angled_extent(&self) -> Option<u32> {
        let bytes = self.lexer.text.as_bytes();
        let mut at = self.token.end as usize;
        if bytes.get(at) != Some(&b'<') {
            return None;
        }
        let mut depth = 0u32;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'<' => depth += 1,
                b'>' if bytes[at - 1] == b'-' || bytes.get(at + 1) == Some(&b'=') => {}
                b'>' => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at as u32 + 1);
                    }
                }
                b'\n' | b'"' | b'/' => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn parse_keyword_type(&mut self) -> ParseResult<Type> {
        let (at, text) = (self.here(), self.token_text());
        if let Some((sign, digits)) = integer_type(text) {
            let width = match digits.parse() {
                Ok(width) if width <= MAX_INTEGER_WIDTH => width,
                Ok(_) => {
                    let rule = format!("integer bitwidth is limited to {MAX_INTEGER_WIDTH} bits");
                    return self.error(at, rule);
                }
                Err(_) => return self.error(at, "invalid integer width"),
            };
            self.advance();
            return Ok(self.ir.ctx.intern_type(TypeKind::Integer { width, sign }));
        }
        if let Some(&kind) = FloatKind::ALL.iter().find(|kind| kind.keyword() == text) {
            self.advance();
            return Ok(self.ir.ctx.float(kind));
        }
        match text {
            "index" => {
                self.advance();
                Ok(self.ir.ctx.index())
            }
            "none" => {
                self.advance();
                Ok(self.ir.ctx.none())
            }
            "complex" => self.nested(Self::parse_complex),
            "tuple" => self.nested(Self::parse_tuple),
            _ => self.expected("non-function type"),
        }
    }

    fn parse_complex(&mut self) -> ParseResult<Type> {
        self.advance();
        self.expect_in("<", " in complex type")?;
        let at = self.here();
        let element = self.parse_type()?;
        self.expect_in(">", " in complex type")?;
        if self.ir.ctx.int_width(element).is_none() && !self.ir.ctx.is_float(element) {
            return self.error(at, "invalid element type for complex");
        }
        Ok(self.ir.ctx.intern_type(TypeKind::Complex(element)))
    }

    fn parse_tuple(&mut self) -> ParseResult<Type> {
        self.advance();
        let mut types = Vec::new();
        self.delimited_list_in(Delimiter::Angle, " in tuple type", |p| {
            types.push(p.parse_type()?);
            Ok(())
        })?;
        Ok(self.ir.ctx.intern_type(TypeKind::Tuple(types.into())))
    }

    /// Reads `4x?x[8]x` in front of an element type. The lexer would take `x4xf32` for a name, so
    /// the bytes are read directly.
    fn parse_dimensions(&mut self, dynamic: bool, scalable: bool) -> ParseResult<Dimensions> {
        let mut dimensions = Dimensions { shape: Vec::new(), scalable: Vec::new() };
        loop {
            let start = self.token.start;
            let bracketed = scalable && self.lexer.byte(start) == b'[';
            let digits = start + u32::from(bracketed);
            let mut end = digits;
            if dynamic && self.lexer.byte(start) == b'?' {
                end += 1;
                dimensions.shape.push(DYNAMIC);
            } else {
                while self.lexer.byte(end).is_ascii_digit() {
                    end += 1;
                }
                if end == digits {
                    if bracketed {
                        return self.expected("integer dimension");
                    }
                    return Ok(dimensions);
                }
                match self.slice(digits, end).parse() {
                    Ok(extent) => dimensions.shape.push(extent),
                    Err(_) => return self.error(self.here(), "invalid dimension"),
                }
            }
            if bracketed {
                if self.lexer.byte(end) != b']' {
                    return self
                        .error(super::Position(end), "missing ']' closing scalable dimension");
                }
                end += 1;
            }
            dimensions.scalable.push(bracketed);
            let separator = self.behind_spaces(end);
            if self.lexer.byte(separator) != b'x' {
                return self.error(super::Position(end), "expected 'x' in dimension list");
            }
            self.restart_at(separator + 1);
        }
    }

    /// The first place from `at` on that is no white space: `100 x f32` is `100xf32`.
    fn behind_spaces(&self, mut at: u32) -> u32 {
        while matches!(self.lexer.byte(at), b' ' | b'\t' | b'\n' | b'\r') {
            at += 1;
        }
        at
    }

    fn parse_vector(&mut self) -> ParseResult<Type> {
        self.advance();
        self.expect("<")?;
        let at = self.here();
        let Dimensions { shape, scalable } = self.parse_dimensions(false, true)?;
        if shape.contains(&0) {
            return self.error(at, "vector types must have positive constant sizes but got 0");
        }
        let at = self.here();
        let element = self.parse_type()?;
        self.expect(">")?;
        if !matches!(
            self.ir.ctx.type_kind(element),
            TypeKind::Integer { .. } | TypeKind::Float(_) | TypeKind::Index
        ) {
            return self.error(at, "vector elements must be int/index/float type");
        }
        let (shape, scalable) = (shape.into(), scalable.into());
        Ok(self.ir.ctx.intern_type(TypeKind::Vector { shape, scalable, element }))
    }

    /// Reads `*x` of an unranked type.
    fn eat_unranked(&mut self) -> ParseResult<bool> {
        if !self.at("*") {
            return Ok(false);
        }
        let separator = self.behind_spaces(self.token.end);
        if self.lexer.byte(separator) != b'x' {
            return self.expected("'x' in dimension list");
        }
        self.restart_at(separator + 1);
        Ok(true)
    }

    fn parse_tensor(&mut self) -> ParseResult<Type> {
        self.advance();
        self.expect("<")?;
        if self.eat_unranked()? {
            let element = self.parse_type()?;
            self.expect(">")?;
            return Ok(self.ir.ctx.intern_type(TypeKind::UnrankedTensor(element)));
        }
        let shape = self.parse_dimensions(true, false)?.shape.into();
        let at = self.here();
        let element = self.parse_type()?;
        if matches!(
            self.ir.ctx.type_kind(element),
            TypeKind::Function { .. }
                | TypeKind::Tensor { .. }
                | TypeKind::UnrankedTensor(_)
                | TypeKind::MemRef { .. }
                | TypeKind::UnrankedMemRef { .. }
                | TypeKind::Tuple(_)
                | TypeKind::None
        ) {
            return self.error(at, "invalid tensor element type");
        }
        let encoding = if self.eat(",") { Some(self.parse_attr()?) } else { None };
        self.expect(">")?;
        Ok(self.ir.ctx.intern_type(TypeKind::Tensor { shape, element, encoding }))
    }

    fn parse_memref(&mut self) -> ParseResult<Type> {
        self.advance();
        self.expect("<")?;
        let unranked = self.eat_unranked()?;
        let shape = if unranked { Vec::new() } else { self.parse_dimensions(true, false)?.shape };
        let at = self.here();
        let element = self.parse_type()?;
        if matches!(
            self.ir.ctx.type_kind(element),
            TypeKind::Function { .. } | TypeKind::Tensor { .. } | TypeKind::None
        ) {
            return self.error(at, "invalid memref element type");
        }
        let (mut layout, mut space) = (None, None);
        while self.eat(",") {
            let at = self.here();
            if self.at(">") {
                return self.expected("list element");
            }
            let attr = self.parse_attr()?;
            let is_layout = matches!(
                self.ir.ctx.attr_kind(attr),
                AttrKind::AffineMap(_) | AttrKind::Strided { .. }
            );
            if is_layout {
                self.check_layout(at, attr, &shape)?;
            }
            match (is_layout, layout, space) {
                (true, None, None) if !unranked => layout = Some(attr),
                (true, ..) if unranked => {
                    return self.error(at, "cannot have affine map for unranked memref type");
                }
                (true, ..) => {
                    return self.error(at, "expected memory space to be last in memref type");
                }
                (false, _, None) if matches!(self.ir.ctx.attr_kind(attr), AttrKind::Type(_)) => {
                    return self.error(at, "unsupported memory space Attribute");
                }
                (false, _, None) => space = Some(attr),
                (false, ..) => {
                    return self.error(at, "multiple memory spaces specified in memref type");
                }
            }
        }
        self.expect(">")?;
        // The integer 0 says what saying nothing says.
        let space = space.filter(|&space| self.ir.ctx.int_value(space) != Some(0));
        Ok(if unranked {
            self.ir.ctx.intern_type(TypeKind::UnrankedMemRef { element, space })
        } else {
            self.ir.ctx.memref_in(&shape, element, layout, space)
        })
    }

    fn check_layout(
        &mut self,
        at: super::Position,
        layout: Attr,
        shape: &[i64],
    ) -> ParseResult<()> {
        let (rank, what) = match self.ir.ctx.attr_kind(layout) {
            AttrKind::AffineMap(map) => (
                self.ir.ctx.map_data(*map).dims as usize,
                "memref layout mismatch between rank and affine map",
            ),
            AttrKind::Strided { strides, .. } if strides.contains(&0) => {
                return self.error(at, "strides must not be zero");
            }
            AttrKind::Strided { strides, .. } => {
                (strides.len(), "expected the number of strides to match the rank")
            }
            _ => return Ok(()),
        };
        if rank == shape.len() {
            return Ok(());
        }
        self.error(at, format!("{what}: {} != {rank}", shape.len()))
    }

    /// `!alias`, `!dialect.name<...>`, `!dialect<...>`.
    fn parse_dialect_type(&mut self) -> ParseResult<Type> {
        let (at, name) = (self.here(), &self.token_text()[1..]);
        if !name.contains('.') && self.lexer.byte(self.token.end) != b'<' {
            self.advance();
            return match self.type_aliases.get(name) {
                Some(&ty) => Ok(ty),
                None => self.error(at, format!("undefined symbol alias id '{name}'")),
            };
        }
        let (dialect, text) = self.parse_dialect_symbol("!")?;
        Ok(self.ir.ctx.dialect_type(dialect, text))
    }

    /// The dialect and the text of `!dialect.text<...>` or `#dialect<...>`: brackets must pair up.
    pub(super) fn parse_dialect_symbol(&mut self, sigil: &str) -> ParseResult<(&'s str, &'s str)> {
        let start = self.token.start;
        let mut end = self.token.end;
        if self.lexer.byte(end) == b'<' {
            end = self.balanced_end(end)?;
        }
        let body = self.slice(start + 1, end);
        let split = body.find(['.', '<']).unwrap_or(body.len());
        let (dialect, rest) = body.split_at(split);
        let at = self.here();
        if self.ir.ctx.dialect(dialect).is_none() && !self.ir.ctx.accepts_unknown(dialect) {
            let message = format!(
                "{sigil}{dialect} is not of a registered dialect; unregistered ones are accepted \
                 with --allow-unregistered-dialect"
            );
            return self.error(at, message);
        }
        self.restart_at(end);
        Ok((dialect, rest.strip_prefix('.').unwrap_or(rest)))
    }

    /// The end of a balanced text that begins with an opening bracket at `start`.
    fn balanced_end(&mut self, start: u32) -> ParseResult<u32> {
        let bytes = self.lexer.text.as_bytes();
        let mut open: Vec<u8> = Vec::new();
        let mut at = start as usize;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'<' => open.push(b'>'),
                b'(' => open.push(b')'),
                b'[' => open.push(b']'),
                b'{' => open.push(b'}'),
                b'-' if bytes.get(at + 1) == Some(&b'>') => at += 1,
                b'>' | b')' | b']' | b'}' => {
                    if open.pop() != Some(byte) {
                        break;
                    }
                    if open.is_empty() {
                        return Ok(at as u32 + 1);
                    }
                }
                b'"' => {
                    at += 1;
                    while bytes.get(at).is_some_and(|&b| b != b'"') {
                        at += if bytes[at] == b'\\' { 2 } else { 1 };
                    }
                }
                _ => {}
            }
            at += 1;
        }
        self.error(super::Position(start), "unbalanced '<' character in pretty dialect name")
    }
}

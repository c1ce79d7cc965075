//! `dense<...> : type`.

use super::OpParser;
use crate::attrs::{Attr, AttrKind};
use crate::text::ParseResult;
use crate::text::float::float_from_bits;
use crate::text::lexer::TokenKind;
use crate::types::{DYNAMIC, Type, TypeKind};

/// One number of the literal, as text: the element type comes behind it.
struct Literal<'s> {
    at: super::Position,
    text: &'s str,
    negative: bool,
}

/// What stands between the angle brackets.
enum Body<'s> {
    Empty,
    Hex(&'s str),
    /// Numbers, and the extents of the nested lists; no extents for a splat.
    Numbers(Vec<Literal<'s>>, Vec<i64>),
}

impl<'s> OpParser<'_, 's> {
    /// `dense_resource<key> : type`.
    pub(super) fn parse_dense_resource(&mut self, ty: Option<Type>) -> ParseResult<Attr> {
        self.advance();
        self.expect("<")?;
        let at = self.here();
        let key = match self.token.kind {
            TokenKind::Bare => {
                let text = self.token_text();
                self.advance();
                self.ir.ctx.ident(text)
            }
            TokenKind::String => {
                let text = self.string()?;
                self.ir.ctx.ident(&text)
            }
            _ => return self.error(at, "expected identifier key for 'resource' entry"),
        };
        self.expect(">")?;
        let type_at = self.here();
        let ty = match ty {
            Some(ty) => ty,
            None => self.parse_colon_type()?,
        };
        if self.ir.ctx.shape(ty).is_none() {
            return self.error(type_at, "`dense_resource` expected a shaped type");
        }
        Ok(self.ir.ctx.intern_attr(AttrKind::DenseResource { key, ty }))
    }

    pub(super) fn parse_dense_elements(&mut self, ty: Option<Type>) -> ParseResult<Attr> {
        self.advance();
        self.expect("<")?;
        let at = self.here();
        let body = if self.at(">") {
            Body::Empty
        } else if self.token.kind == TokenKind::String {
            let text = self.token_text();
            self.advance();
            Body::Hex(text)
        } else {
            let (mut numbers, mut shape) = (Vec::new(), Vec::new());
            self.parse_literal(0, &mut shape, &mut numbers)?;
            Body::Numbers(numbers, shape)
        };
        self.expect(">")?;
        let type_at = self.here();
        let ty = match ty {
            Some(ty) => ty,
            None => self.parse_colon_type()?,
        };
        let ctx = &self.ir.ctx;
        let (shape, element) = match ctx.type_kind(ty) {
            TypeKind::Vector { shape, element, .. } | TypeKind::Tensor { shape, element, .. } => {
                (shape.to_vec(), *element)
            }
            _ => {
                return self
                    .error(type_at, "elements literal must be a ranked tensor or vector type");
            }
        };
        if shape.contains(&DYNAMIC) {
            return self.error(type_at, "elements literal type must have static shape");
        }
        if ctx.int_or_index_width(element).is_none_or(|width| width > 64) && !ctx.is_float(element)
        {
            let element = ctx.type_text(element);
            return self.error(type_at, format!("elements of type '{element}' are not supported"));
        }
        let Some(count) = shape.iter().try_fold(1i64, |n, &extent| n.checked_mul(extent)) else {
            return self.error(type_at, "elements literal type has too many elements");
        };
        let values = match body {
            Body::Empty if count == 0 => Vec::new(),
            Body::Empty => return self.error(at, "expected element literal of primitive type"),
            Body::Hex(text) => self.hex_elements(at, text, element, count)?,
            Body::Numbers(numbers, written) => {
                if !written.is_empty() && written != shape {
                    let message = format!(
                        "inferred shape of elements literal ({written:?}) does not match type ({shape:?})"
                    );
                    return self.error(at, message);
                }
                numbers
                    .iter()
                    .map(|literal| self.element_value(literal, element))
                    .collect::<ParseResult<Vec<_>>>()?
            }
        };
        Ok(self.dense_elements(ty, values))
    }

    /// All elements equal are held as a splat.
    fn dense_elements(&mut self, ty: Type, mut values: Vec<i64>) -> Attr {
        if values.len() > 1 && values.iter().all(|&value| value == values[0]) {
            values.truncate(1);
        }
        self.ir.ctx.intern_attr(AttrKind::DenseElements { ty, values: values.into() })
    }

    fn parse_literal(
        &mut self,
        level: usize,
        shape: &mut Vec<i64>,
        numbers: &mut Vec<Literal<'s>>,
    ) -> ParseResult<()> {
        if self.at("[") {
            return self.nested(|p| p.parse_literal_list(level, shape, numbers));
        }
        if shape.len() > level {
            return self.error(
                self.here(),
                "tensor literal is invalid; ranks are not consistent between elements",
            );
        }
        let negative = self.eat("-");
        let at = self.here();
        let text = match self.token.kind {
            TokenKind::Integer | TokenKind::Float => self.token_text(),
            TokenKind::Bare if !negative && (self.at("true") || self.at("false")) => {
                self.token_text()
            }
            _ => return self.expected("element literal of primitive type"),
        };
        self.advance();
        numbers.push(Literal { at, text, negative });
        Ok(())
    }

    fn parse_literal_list(
        &mut self,
        level: usize,
        shape: &mut Vec<i64>,
        numbers: &mut Vec<Literal<'s>>,
    ) -> ParseResult<()> {
        let at = self.here();
        let first = shape.len() == level && numbers.is_empty();
        if first {
            shape.push(0);
        } else if shape.len() <= level {
            return self
                .error(at, "tensor literal is invalid; ranks are not consistent between elements");
        }
        let mut count = 0;
        self.delimited_list(super::Delimiter::Square, |p| {
            count += 1;
            p.parse_literal(level + 1, shape, numbers)
        })?;
        if first {
            shape[level] = count;
        } else if shape[level] != count {
            return self
                .error(at, "tensor literal is invalid; ranks are not consistent between elements");
        }
        Ok(())
    }

    fn element_value(&mut self, literal: &Literal<'_>, element: Type) -> ParseResult<i64> {
        let &Literal { at, text, negative } = literal;
        if text == "true" || text == "false" {
            if self.ir.ctx.int_width(element) != Some(1) {
                return self.error(at, "expected i1 type for 'true' or 'false' values");
            }
            return Ok((text == "true").into());
        }
        if self.ir.ctx.is_float(element) {
            return Ok(self.float_bits(at, text, negative, element)? as i64);
        }
        if text.contains('.') {
            return self.error(at, "expected integer elements, but parsed floating-point");
        }
        let value = self.int_in_range(at, text, negative, element)?;
        Ok(self.ir.ctx.wrap_int(value, element) as i64)
    }

    /// `"0x..."`: the elements' bytes, least significant first.
    fn hex_elements(
        &mut self,
        at: super::Position,
        quoted: &str,
        element: Type,
        count: i64,
    ) -> ParseResult<Vec<i64>> {
        let digits = quoted.trim_matches('"').strip_prefix("0x").unwrap_or("!");
        let bytes: Option<Vec<u8>> = digits
            .as_bytes()
            .chunks(2)
            .map(|pair| {
                let text = std::str::from_utf8(pair).ok().filter(|text| text.len() == 2)?;
                u8::from_str_radix(text, 16).ok()
            })
            .collect();
        let Some(bytes) = bytes else {
            return self
                .error(at, "elements hex string should start with '0x' and hold pairs of digits");
        };
        let ctx = &self.ir.ctx;
        let float = ctx.float_kind(element);
        let bits = float.map(|kind| kind.width()).or(ctx.int_or_index_width(element)).unwrap_or(64);
        let number = |chunk: &[u8]| {
            chunk.iter().rev().fold(0u128, |value, &byte| value << 8 | u128::from(byte))
        };
        let raw: Vec<u128> = match *bytes {
            // Bits are packed; all of them alike are one byte of them.
            [byte @ (0 | 0xFF)] if bits == 1 => vec![(byte & 1).into()],
            _ if bits == 1 => (0..count.min(bytes.len() as i64 * 8))
                .map(|i| u128::from(bytes[i as usize / 8] >> (i % 8) & 1))
                .collect(),
            _ => {
                let size = bits.div_ceil(8).max(1) as usize;
                bytes.chunks(size).map(number).collect()
            }
        };
        if raw.len() as i64 != count && raw.len() != 1 {
            return self.error(at, "elements hex data size is invalid for provided type");
        }
        let decoded: Option<Vec<i64>> = raw
            .into_iter()
            .map(|value| match float {
                Some(kind) => float_from_bits(value, kind).map(|bits| bits as i64),
                None => Some(ctx.wrap_int(value as i128, element) as i64),
            })
            .collect();
        match decoded {
            Some(values) => Ok(values),
            None => self.error(at, "elements hex data is invalid for provided type"),
        }
    }
}

//! Attributes and locations of the builtin dialect.

use gpuc_ir::text::parse_attr;
use gpuc_ir::{Attr, AttrKind, Context, FloatKind, Ident, Location, LocationKind, Type};

use super::attribute as code;
use crate::bytes::{Cursor, Damage, Result};
use crate::read::Reader;
use crate::write::{Encoded, Table};

impl<'f> Reader<'_, 'f> {
    /// An attribute or a location of the builtin dialect.
    pub(crate) fn builtin_attr(&mut self, cursor: &mut Cursor<'f>) -> Result<Attr> {
        let at = cursor.at();
        let code = cursor.number()?;
        let kind = match code {
            code::ARRAY => AttrKind::Array(self.attr_list(cursor)?),
            code::DICTIONARY => {
                let mut entries = Vec::new();
                for _ in 0..cursor.count()? {
                    entries.push((self.string_attr(cursor)?, self.attr(cursor)?));
                }
                AttrKind::Dict(self.ir.ctx.dict(entries))
            }
            code::STRING => AttrKind::String(self.string(cursor)?),
            code::TYPED_STRING => {
                AttrKind::TypedString { text: self.string(cursor)?, ty: self.ty(cursor)? }
            }
            code::FLAT_SYMBOL => {
                AttrKind::Symbol { root: self.string_attr(cursor)?, nested: Box::default() }
            }
            code::SYMBOL => {
                let root = self.string_attr(cursor)?;
                let nested = (0..cursor.count()?).map(|_| {
                    let at = cursor.at();
                    let symbol = self.attr(cursor)?;
                    let root = self.ir.ctx.symbol_root(symbol);
                    root.ok_or_else(|| Damage::new(at, "a symbol's further name is none"))
                });
                AttrKind::Symbol { root, nested: nested.collect::<Result<_>>()? }
            }
            code::TYPE => AttrKind::Type(self.ty(cursor)?),
            code::UNIT => AttrKind::Unit,
            code::INTEGER => return self.integer(cursor),
            code::FLOAT => return self.float(cursor),
            code::DENSE_RESOURCE => {
                let ty = self.ty(cursor)?;
                let key = self.resource(cursor)?;
                if self.ir.ctx.shape(ty).is_none() {
                    return Err(Damage::new(at, "elements of a resource have no shaped type"));
                }
                AttrKind::DenseResource { key, ty }
            }
            code::DENSE_ARRAY => self.dense_array(cursor)?,
            code::DENSE_ELEMENTS => {
                let ty = self.ty(cursor)?;
                let size = cursor.number()?;
                let bytes = cursor.bytes(size)?;
                let body = match bytes {
                    [] => String::new(),
                    _ => {
                        let digits: String =
                            bytes.iter().map(|byte| format!("{byte:02X}")).collect();
                        format!("\"0x{digits}\"")
                    }
                };
                let text = format!("dense<{body}> : {}", self.ir.ctx.type_text(ty));
                return self.parsed_attr(at, &text);
            }
            _ => match code::NOT_HERE.iter().find(|other| other.0 == code) {
                Some((_, what)) => {
                    return Err(Damage::new(
                        at,
                        format!("attributes of the kind '{what}' are not supported"),
                    ));
                }
                None => AttrKind::Location(self.builtin_location(at, code, cursor)?),
            },
        };
        Ok(self.ir.ctx.intern_attr(kind))
    }

    fn builtin_location(
        &mut self,
        at: usize,
        code: u64,
        cursor: &mut Cursor<'f>,
    ) -> Result<Location> {
        let kind = match code {
            code::UNKNOWN => return Ok(Location::UNKNOWN),
            code::CALL_SITE => LocationKind::CallSite {
                callee: self.location(cursor)?,
                caller: self.location(cursor)?,
            },
            code::FILE_LINE_COLUMN => LocationKind::File {
                file: self.string_attr(cursor)?,
                line: line_or_column(cursor)?,
                column: line_or_column(cursor)?,
            },
            code::FUSED | code::FUSED_WITH_METADATA => {
                let parts = (0..cursor.count()?).map(|_| self.location(cursor));
                let parts = parts.collect::<Result<_>>()?;
                let metadata = match code {
                    code::FUSED_WITH_METADATA => Some(self.attr(cursor)?),
                    _ => None,
                };
                LocationKind::Fused { parts, metadata }
            }
            code::NAME => LocationKind::Name {
                name: self.string_attr(cursor)?,
                child: self.location(cursor)?,
            },
            _ => return Err(Damage::new(at, format!("builtin has no attribute {code}"))),
        };
        Ok(self.ir.ctx.add_location(kind))
    }

    /// A reference to a string attribute.
    fn string_attr(&mut self, cursor: &mut Cursor<'f>) -> Result<Ident> {
        let at = cursor.at();
        let attr = self.attr(cursor)?;
        match *self.ir.ctx.attr_kind(attr) {
            AttrKind::String(text) => Ok(text),
            _ => Err(Damage::new(at, "a name is no string")),
        }
    }

    fn attr_list(&mut self, cursor: &mut Cursor<'f>) -> Result<Box<[Attr]>> {
        (0..cursor.count()?).map(|_| self.attr(cursor)).collect()
    }

    fn integer(&mut self, cursor: &mut Cursor<'f>) -> Result<Attr> {
        let at = cursor.at();
        let ty = self.ty(cursor)?;
        let Some(width) = self.ir.ctx.int_or_index_width(ty) else {
            let ty = self.ir.ctx.type_text(ty);
            return Err(Damage::new(at, format!("an integer is of the type '{ty}'")));
        };
        let bits = bits(cursor, width)? as i128;
        // Negative numbers of more bits than are kept would read as others.
        if width >= 128 && (bits == i128::MIN || width > 128 && bits < 0) {
            return Err(Damage::new(at, "integers of more than 127 bits are not supported"));
        }
        Ok(self.ir.ctx.int_attr(bits, ty))
    }

    fn float(&mut self, cursor: &mut Cursor<'f>) -> Result<Attr> {
        let at = cursor.at();
        let ty = self.ty(cursor)?;
        let text = self.ir.ctx.type_text(ty);
        let Some(kind) = self.ir.ctx.float_kind(ty) else {
            return Err(Damage::new(
                at,
                format!("a number with a fraction is of the type '{text}'"),
            ));
        };
        let bits = bits(cursor, kind.width())?;
        let fraction_bits = match kind {
            FloatKind::F80 => 63,
            FloatKind::F128 => 112,
            _ => return self.parsed_attr(at, &format!("0x{bits:X} : {text}")),
        };
        let Some(value) = narrowed(bits, kind.width(), fraction_bits) else {
            let message =
                format!("numbers of the type '{text}' that no f64 equals are not supported");
            return Err(Damage::new(at, message));
        };
        Ok(self.ir.ctx.float_attr(value, ty))
    }

    fn dense_array(&mut self, cursor: &mut Cursor<'f>) -> Result<AttrKind> {
        let at = cursor.at();
        let element = self.ty(cursor)?;
        let count = cursor.number()?;
        let size = cursor.number()?;
        let bytes = cursor.bytes(size)?;
        let Some(layout) = ArrayElement::of(&self.ir.ctx, element) else {
            let ty = self.ir.ctx.type_text(element);
            return Err(Damage::new(at, format!("an array has elements of the type '{ty}'")));
        };
        if count.checked_mul(layout.size() as u64) != Some(size) {
            return Err(Damage::new(at, format!("{count} elements of an array are {size} bytes")));
        }
        let values = bytes.chunks(layout.size()).map(|chunk| layout.value(chunk)).collect();
        Ok(AttrKind::DenseArray { element, values })
    }

    /// The attribute that a text is; a text that is none is damage at `at`.
    pub(crate) fn parsed_attr(&mut self, at: usize, text: &str) -> Result<Attr> {
        parse_attr(self.ir, text).map_err(|error| Damage::new(at, error.message))
    }
}

fn line_or_column(cursor: &mut Cursor<'_>) -> Result<u32> {
    let at = cursor.at();
    u32::try_from(cursor.number()?).map_err(|_| Damage::new(at, "a line or column is too great"))
}

/// The bits of a number that has so many.
fn bits(cursor: &mut Cursor<'_>, width: u32) -> Result<u128> {
    let raw = match width {
        0..=8 => cursor.byte()?.into(),
        9..=64 => u128::from(cursor.signed()? as u64),
        _ => {
            let at = cursor.at();
            let mut raw = 0;
            for word in 0..cursor.count()? {
                let value = u128::from(cursor.signed()? as u64);
                match word {
                    0 => raw = value,
                    1 => raw |= value << 64,
                    _ if value == 0 => {}
                    _ => {
                        let message = "integers of more than 127 bits are not supported";
                        return Err(Damage::new(at, message));
                    }
                }
            }
            raw
        }
    };
    Ok(if width < 128 { raw & ((1 << width) - 1) } else { raw })
}

/// The number of a format with an exponent of 15 bits, if it is one of `f64` too, whose subnormal numbers apart.
fn narrowed(bits: u128, width: u32, fraction_bits: u32) -> Option<f64> {
    let is_negative = bits >> (width - 1) & 1 == 1;
    let exponent = (bits >> (width - 16)) as i32 & 0x7FFF;
    let fraction = bits & ((1 << fraction_bits) - 1);
    let dropped = fraction_bits - 52;
    let magnitude = match exponent {
        0 if fraction == 0 => 0.0,
        0x7FFF if fraction == 0 => f64::INFINITY,
        0x7FFF => f64::NAN,
        _ if fraction & ((1 << dropped) - 1) != 0 => return None,
        _ => {
            let exponent = exponent - 16383 + 1023;
            if !(1..2047).contains(&exponent) {
                return None;
            }
            f64::from_bits((exponent as u64) << 52 | (fraction >> dropped) as u64)
        }
    };
    Some(if is_negative { -magnitude } else { magnitude })
}

/// How the elements of a dense array are stored.
#[derive(Clone, Copy)]
enum ArrayElement {
    Bool,
    Integer(usize),
    F32,
    F64,
}

impl ArrayElement {
    fn of(ctx: &Context, ty: Type) -> Option<Self> {
        match (ctx.is_signless_int(ty).then(|| ctx.int_width(ty)).flatten(), ctx.float_kind(ty)) {
            (Some(1), _) => Some(ArrayElement::Bool),
            (Some(width @ (8 | 16 | 32 | 64)), _) => {
                Some(ArrayElement::Integer(width as usize / 8))
            }
            (_, Some(FloatKind::F32)) => Some(ArrayElement::F32),
            (_, Some(FloatKind::F64)) => Some(ArrayElement::F64),
            _ => None,
        }
    }

    /// Bytes of an element.
    fn size(self) -> usize {
        match self {
            ArrayElement::Bool => 1,
            ArrayElement::Integer(size) => size,
            ArrayElement::F32 => 4,
            ArrayElement::F64 => 8,
        }
    }

    /// What an attribute keeps for an element.
    fn value(self, bytes: &[u8]) -> i64 {
        let mut raw = [0; 8];
        raw[..bytes.len()].copy_from_slice(bytes);
        let raw = u64::from_le_bytes(raw);
        match self {
            ArrayElement::Bool => (raw != 0).into(),
            ArrayElement::Integer(size) => {
                let unused = 64 - 8 * size as u32;
                ((raw << unused) as i64) >> unused
            }
            ArrayElement::F32 => f64::from(f32::from_bits(raw as u32)).to_bits() as i64,
            ArrayElement::F64 => raw as i64,
        }
    }

    fn store(self, value: i64, out: &mut Vec<u8>) {
        match self {
            ArrayElement::F32 => {
                let value = f64::from_bits(value as u64) as f32;
                out.extend(value.to_bits().to_le_bytes());
            }
            _ => out.extend(&value.to_le_bytes()[..self.size()]),
        }
    }
}

impl Table<'_> {
    /// An attribute of the builtin dialect that is no location; `None` for one that has no code.
    pub(crate) fn builtin_attr(&mut self, kind: &AttrKind) -> Option<Encoded> {
        let mut out = Encoded::new();
        match kind {
            AttrKind::Unit => {
                out.code(code::UNIT);
            }
            &AttrKind::Integer { value, ty } => {
                let width = self.ctx().int_or_index_width(ty)?;
                out.code(code::INTEGER).piece(self.ty(ty));
                number(&mut out, value, width)?;
            }
            &AttrKind::Float { bits, ty } => {
                let value = f64::from_bits(bits);
                // The bits of a NaN do not survive being made narrower.
                let bits = match self.ctx().float_kind(ty)? {
                    FloatKind::F64 => bits as i64,
                    FloatKind::F32 if !value.is_nan() => i64::from((value as f32).to_bits()),
                    _ => return None,
                };
                out.code(code::FLOAT).piece(self.ty(ty)).signed(bits);
            }
            &AttrKind::String(text) => {
                out.code(code::STRING).string(self.ctx().str(text));
            }
            &AttrKind::TypedString { text, ty } => {
                out.code(code::TYPED_STRING).string(self.ctx().str(text)).piece(self.ty(ty));
            }
            &AttrKind::Type(ty) => {
                out.code(code::TYPE).piece(self.ty(ty));
            }
            AttrKind::Array(elements) => {
                out.code(code::ARRAY).number(elements.len() as u64);
                for &element in elements {
                    out.piece(self.attr(element));
                }
            }
            &AttrKind::Dict(dict) => {
                let entries = self.ctx().dict_entries(dict);
                out.code(code::DICTIONARY).number(entries.len() as u64);
                for &(name, attr) in entries {
                    out.piece(self.string_attr(name)).piece(self.attr(attr));
                }
            }
            AttrKind::Symbol { root, nested } => {
                let is_flat = nested.is_empty();
                out.code(if is_flat { code::FLAT_SYMBOL } else { code::SYMBOL });
                out.piece(self.string_attr(*root));
                if !is_flat {
                    out.number(nested.len() as u64);
                }
                for &name in nested {
                    let mut flat = Encoded::new();
                    flat.code(code::FLAT_SYMBOL).piece(self.string_attr(name));
                    out.piece(self.encoded_attr("builtin", flat));
                }
            }
            AttrKind::DenseArray { element, values } => {
                let layout = ArrayElement::of(self.ctx(), *element)?;
                let mut bytes = Vec::with_capacity(values.len() * layout.size());
                values.iter().for_each(|&value| layout.store(value, &mut bytes));
                out.code(code::DENSE_ARRAY).piece(self.ty(*element));
                out.number(values.len() as u64).blob(&bytes);
            }
            AttrKind::DenseElements { ty, values } => {
                let bytes = element_bytes(self.ctx(), self.ctx().element(*ty)?, values)?;
                out.code(code::DENSE_ELEMENTS).piece(self.ty(*ty)).blob(&bytes);
            }
            &AttrKind::DenseResource { key, ty } => {
                let resource = self.resource(key);
                out.code(code::DENSE_RESOURCE).piece(self.ty(ty)).number(resource);
            }
            AttrKind::AffineMap(_)
            | AttrKind::IntegerSet(_)
            | AttrKind::Strided { .. }
            | AttrKind::Location(_)
            | AttrKind::Dialect { .. } => return None,
        }
        Some(out)
    }

    /// A location; `None` for one that has no code.
    pub(crate) fn builtin_location(&mut self, kind: &LocationKind) -> Option<Encoded> {
        let mut out = Encoded::new();
        match kind {
            LocationKind::Unknown => {
                out.code(code::UNKNOWN);
            }
            &LocationKind::File { file, line, column } => {
                out.code(code::FILE_LINE_COLUMN).piece(self.string_attr(file));
                out.number(line.into()).number(column.into());
            }
            // Upstream has had them since a later version, and mlir-opt 19 takes not even their text.
            LocationKind::Range { .. } => return None,
            &LocationKind::Name { name, child } => {
                out.code(code::NAME).piece(self.string_attr(name)).piece(self.location(child));
            }
            &LocationKind::CallSite { callee, caller } => {
                out.code(code::CALL_SITE).piece(self.location(callee)).piece(self.location(caller));
            }
            LocationKind::Fused { parts, metadata } => {
                let has_metadata = metadata.is_some();
                out.code(if has_metadata { code::FUSED_WITH_METADATA } else { code::FUSED });
                out.number(parts.len() as u64);
                for &part in parts {
                    out.piece(self.location(part));
                }
                if let Some(metadata) = *metadata {
                    out.piece(self.attr(metadata));
                }
            }
        }
        Some(out)
    }
}

/// A number of `width` bits; `None` where they are more than the number is kept with.
fn number(out: &mut Encoded, value: i128, width: u32) -> Option<()> {
    let bits = if width < 128 { value as u128 & ((1 << width) - 1) } else { value as u128 };
    match width {
        0..=8 => out.byte(bits as u8),
        9..=64 => out.signed(bits as u64 as i64),
        _ if width > 128 && value < 0 => return None,
        _ => {
            let words = if bits >> 64 == 0 { 1 } else { 2 };
            out.number(words);
            (0..words).for_each(|word| out.signed((bits >> (64 * word)) as u64 as i64));
        }
    }
    Some(())
}

/// The bytes of dense elements, one element's for a splat; bits are packed.
fn element_bytes(ctx: &Context, element: Type, values: &[i64]) -> Option<Vec<u8>> {
    if ctx.int_width(element) == Some(1) {
        return Some(match *values {
            [value] => vec![if value != 0 { 0xFF } else { 0 }],
            _ => {
                let byte = |chunk: &[i64]| {
                    let bits = chunk.iter().enumerate();
                    bits.fold(0, |byte, (bit, &value)| byte | u8::from(value != 0) << bit)
                };
                values.chunks(8).map(byte).collect()
            }
        });
    }
    let mut bytes = Vec::new();
    for &value in values {
        let float = f64::from_bits(value as u64);
        match ctx.float_kind(element) {
            Some(FloatKind::F64) => bytes.extend(value.to_le_bytes()),
            Some(FloatKind::F32) if !float.is_nan() => bytes.extend((float as f32).to_le_bytes()),
            Some(_) => return None,
            None => {
                let width = ctx.int_or_index_width(element)?;
                // An integer of, say, 12 bits has zeros above.
                let bits = value as u64 & u64::MAX.checked_shr(64u32.checked_sub(width)?)?;
                bytes.extend(&bits.to_le_bytes()[..width.div_ceil(8) as usize]);
            }
        }
    }
    Some(bytes)
}

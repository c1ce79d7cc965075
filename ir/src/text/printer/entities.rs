//! Types, attributes, affine maps and locations as text.

use std::fmt::Write;

use super::aliases::Aliases;
use crate::affine::{AffineExpr, AffineExprKind, AffineMap, BinaryOp, IntegerSet};
use crate::attrs::{Attr, AttrKind, Dict};
use crate::context::Context;
use crate::location::{Location, LocationKind};
use crate::text::float::{bits_in_format, write_float};
use crate::text::lexer::is_bare_identifier;
use crate::types::{DYNAMIC, Signedness, Type, TypeKind};

/// Writes what lives in a context.
pub(super) struct EntityWriter<'w> {
    pub ctx: &'w Context,
    pub out: &'w mut String,
    /// Where maps and sets are replaced by names.
    pub aliases: Option<&'w mut Aliases>,
    /// Lists of more elements are left out.
    pub elide_elements: Option<u64>,
}

/// When the type of a number is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeSuffix {
    Always,
    /// Not for `i64` and `f64`, which a reader takes by default.
    UnlessDefault,
    Never,
}

impl EntityWriter<'_> {
    pub fn word(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub fn number(&mut self, value: impl std::fmt::Display) {
        let _ = write!(self.out, "{value}");
    }

    pub fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut each: impl FnMut(&mut Self, T),
    ) {
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                self.word(", ");
            }
            each(self, item);
        }
    }

    pub fn ty(&mut self, ty: Type) {
        let ctx = self.ctx;
        match ctx.type_kind(ty) {
            TypeKind::Index => self.word("index"),
            TypeKind::None => self.word("none"),
            &TypeKind::Integer { width, sign } => {
                self.word(match sign {
                    Signedness::Signless => "i",
                    Signedness::Signed => "si",
                    Signedness::Unsigned => "ui",
                });
                self.number(width);
            }
            TypeKind::Float(kind) => self.word(kind.keyword()),
            &TypeKind::Complex(element) => {
                self.word("complex<");
                self.ty(element);
                self.word(">");
            }
            TypeKind::Tuple(types) => {
                self.word("tuple<");
                self.list(types, |w, &ty| w.ty(ty));
                self.word(">");
            }
            TypeKind::Function { inputs, results } => self.function(inputs, results),
            TypeKind::Vector { shape, scalable, element } => {
                self.word("vector<");
                for (&extent, &scalable) in shape.iter().zip(scalable) {
                    if scalable {
                        self.word("[");
                    }
                    self.number(extent);
                    self.word(if scalable { "]x" } else { "x" });
                }
                self.ty(*element);
                self.word(">");
            }
            TypeKind::Tensor { shape, element, encoding } => {
                self.word("tensor<");
                self.shape(shape);
                self.ty(*element);
                if let Some(encoding) = encoding {
                    self.word(", ");
                    self.attr(*encoding);
                }
                self.word(">");
            }
            &TypeKind::UnrankedTensor(element) => {
                self.word("tensor<*x");
                self.ty(element);
                self.word(">");
            }
            TypeKind::MemRef { shape, element, layout, space } => {
                self.word("memref<");
                self.shape(shape);
                self.ty(*element);
                for attr in [layout, space].into_iter().flatten() {
                    self.word(", ");
                    self.attr_with(*attr, TypeSuffix::UnlessDefault);
                }
                self.word(">");
            }
            TypeKind::UnrankedMemRef { element, space } => {
                self.word("memref<*x");
                self.ty(*element);
                if let Some(space) = space {
                    self.word(", ");
                    self.attr_with(*space, TypeSuffix::UnlessDefault);
                }
                self.word(">");
            }
            &TypeKind::Dialect { dialect, text } => {
                self.dialect_symbol('!', ctx.str(dialect), ctx.str(text));
            }
        }
    }

    fn shape(&mut self, shape: &[i64]) {
        for &extent in shape {
            self.extent(extent);
            self.word("x");
        }
    }

    fn extent(&mut self, extent: i64) {
        if extent == DYNAMIC { self.word("?") } else { self.number(extent) }
    }

    /// `(types) -> types`.
    pub fn function(&mut self, inputs: &[Type], results: &[Type]) {
        self.word("(");
        self.list(inputs, |w, &ty| w.ty(ty));
        self.word(") -> ");
        self.function_results(results);
    }

    /// One type, or types in parentheses.
    pub fn function_results(&mut self, results: &[Type]) {
        match *results {
            [ty] if !matches!(self.ctx.type_kind(ty), TypeKind::Function { .. }) => self.ty(ty),
            _ => {
                self.word("(");
                self.list(results, |w, &ty| w.ty(ty));
                self.word(")");
            }
        }
    }

    fn dialect_symbol(&mut self, sigil: char, dialect: &str, text: &str) {
        self.out.push(sigil);
        self.word(dialect);
        if !text.starts_with('<') {
            self.word(".");
        }
        self.word(text);
    }

    pub fn attr(&mut self, attr: Attr) {
        self.attr_with(attr, TypeSuffix::Always);
    }

    pub fn attr_with(&mut self, attr: Attr, suffix: TypeSuffix) {
        let ctx = self.ctx;
        match ctx.attr_kind(attr) {
            AttrKind::Unit => self.word("unit"),
            &AttrKind::Integer { value, ty } => {
                if ctx.int_width(ty) == Some(1) && ctx.is_signless_int(ty) {
                    self.word(if value != 0 { "true" } else { "false" });
                    return;
                }
                self.number(value);
                let default = ctx.is_signless_int(ty) && ctx.int_width(ty) == Some(64);
                self.suffix(ty, suffix, default);
            }
            &AttrKind::Float { bits, ty } => {
                self.float(bits, ty);
                let default = ctx.float_kind(ty) == Some(crate::FloatKind::F64);
                self.suffix(ty, suffix, default);
            }
            &AttrKind::String(text) => self.string(ctx.str(text)),
            &AttrKind::TypedString { text, ty } => {
                self.string(ctx.str(text));
                if suffix != TypeSuffix::Never {
                    self.word(" : ");
                    self.ty(ty);
                }
            }
            &AttrKind::Type(ty) => self.ty(ty),
            AttrKind::Array(elements) => {
                self.word("[");
                self.list(elements, |w, &attr| w.attr_with(attr, TypeSuffix::UnlessDefault));
                self.word("]");
            }
            &AttrKind::Dict(dict) => self.dict(dict),
            AttrKind::Symbol { root, nested } => {
                self.symbol(ctx.str(*root));
                for &name in nested {
                    self.word("::");
                    self.symbol(ctx.str(name));
                }
            }
            &AttrKind::AffineMap(map) => self.map_attr(map),
            &AttrKind::IntegerSet(set) => self.set_attr(set),
            AttrKind::DenseArray { element, values } => {
                self.word("array<");
                self.ty(*element);
                if !values.is_empty() {
                    self.word(": ");
                    self.elements(*element, values);
                }
                self.word(">");
            }
            AttrKind::DenseElements { ty, values } => self.dense(*ty, values, suffix),
            &AttrKind::DenseResource { key, ty } => {
                if let Some(aliases) = &mut self.aliases {
                    aliases.resource(key);
                }
                self.word("dense_resource<");
                self.key(ctx.str(key));
                self.word(">");
                if suffix != TypeSuffix::Never {
                    self.word(" : ");
                    self.ty(ty);
                }
            }
            AttrKind::Strided { offset, strides } => {
                self.word("strided<[");
                self.list(strides, |w, &stride| w.extent(stride));
                self.word("]");
                if *offset != 0 {
                    self.word(", offset: ");
                    self.extent(*offset);
                }
                self.word(">");
            }
            &AttrKind::Location(location) => self.location(location),
            &AttrKind::Dialect { dialect, text } => {
                self.dialect_symbol('#', ctx.str(dialect), ctx.str(text));
            }
        }
    }

    fn suffix(&mut self, ty: Type, suffix: TypeSuffix, default: bool) {
        if suffix == TypeSuffix::Always || (suffix == TypeSuffix::UnlessDefault && !default) {
            self.word(" : ");
            self.ty(ty);
        }
    }

    fn float(&mut self, bits: u64, ty: Type) {
        let kind = self.ctx.float_kind(ty).unwrap_or(crate::FloatKind::F64);
        write_float(self.out, f64::from_bits(bits), kind);
    }

    fn element(&mut self, element: Type, value: i64) {
        if self.ctx.is_float(element) {
            self.float(value as u64, element);
        } else if self.ctx.int_width(element) == Some(1) {
            self.word(if value != 0 { "true" } else { "false" });
        } else if matches!(
            self.ctx.type_kind(element),
            TypeKind::Integer { sign: Signedness::Unsigned, .. }
        ) {
            self.number(value as u64);
        } else {
            self.number(value);
        }
    }

    /// Numbers of a dense array, separated by commas.
    pub fn elements(&mut self, element: Type, values: &[i64]) {
        self.list(values, |w, &value| w.element(element, value));
    }

    fn dense(&mut self, ty: Type, values: &[i64], suffix: TypeSuffix) {
        let element = self.ctx.element_or_self(ty);
        let shape = self.ctx.shape(ty).unwrap_or(&[]);
        if self.elide_elements.is_some_and(|most| values.len() > 1 && values.len() as u64 > most) {
            self.word("dense_resource<__elided__>");
            if suffix != TypeSuffix::Never {
                self.word(" : ");
                self.ty(ty);
            }
            return;
        }
        self.word("dense<");
        match *values {
            _ if values.len() > MOST_WRITTEN_OUT && hex_bits(self.ctx, element).is_some() => {
                self.hex_elements(element, values);
            }
            [] => {}
            [value] => self.element(element, value),
            _ => {
                let mut rest = values;
                self.nested_elements(element, shape, &mut rest);
            }
        }
        self.word(">");
        if suffix != TypeSuffix::Never {
            self.word(" : ");
            self.ty(ty);
        }
    }

    /// The elements' bytes, least significant first; bits are packed.
    fn hex_elements(&mut self, element: Type, values: &[i64]) {
        let kind = self.ctx.float_kind(element);
        let bits = hex_bits(self.ctx, element).unwrap_or(64);
        let mut bytes = Vec::new();
        for (i, &value) in values.iter().enumerate() {
            if bits == 1 {
                if i % 8 == 0 {
                    bytes.push(0);
                }
                let last = bytes.len() - 1;
                bytes[last] |= (value as u8 & 1) << (i % 8);
                continue;
            }
            let raw = match kind {
                Some(kind) => bits_in_format(f64::from_bits(value as u64), kind),
                None if bits < 64 => value as u64 & ((1 << bits) - 1),
                None => value as u64,
            };
            bytes.extend(&raw.to_le_bytes()[..bits.div_ceil(8) as usize]);
        }
        self.word("\"0x");
        for byte in bytes {
            self.word(&format!("{byte:02X}"));
        }
        self.word("\"");
    }

    fn nested_elements(&mut self, element: Type, shape: &[i64], rest: &mut &[i64]) {
        let Some((&extent, inner)) = shape.split_first() else {
            if let Some((&value, after)) = rest.split_first() {
                self.element(element, value);
                *rest = after;
            }
            return;
        };
        self.word("[");
        self.list(0..extent, |w, _| w.nested_elements(element, inner, rest));
        self.word("]");
    }

    pub fn dict(&mut self, dict: Dict) {
        let ctx = self.ctx;
        self.word("{");
        self.list(ctx.dict_entries(dict), |w, &(name, attr)| w.entry(ctx.str(name), attr));
        self.word("}");
    }

    /// `name = attribute`, or `name` for a unit attribute.
    pub fn entry(&mut self, name: &str, attr: Attr) {
        if is_bare_identifier(name) {
            self.word(name)
        } else {
            self.string(name)
        }
        if !matches!(self.ctx.attr_kind(attr), AttrKind::Unit) {
            self.word(" = ");
            self.attr(attr);
        }
    }

    /// A string literal.
    pub fn string(&mut self, text: &str) {
        self.out.push('"');
        for byte in text.bytes() {
            match byte {
                b'\\' => self.out.push_str("\\\\"),
                b' '..=b'~' if byte != b'"' => self.out.push(byte.into()),
                _ => {
                    let _ = write!(self.out, "\\{byte:02X}");
                }
            }
        }
        self.out.push('"');
    }

    /// A key of metadata, in quotes where it is no identifier.
    pub fn key(&mut self, name: &str) {
        if is_bare_identifier(name) { self.word(name) } else { self.string(name) }
    }

    /// `@name`.
    pub fn symbol(&mut self, name: &str) {
        self.out.push('@');
        if is_bare_identifier(name) { self.word(name) } else { self.string(name) }
    }

    fn map_attr(&mut self, map: AffineMap) {
        if let Some(aliases) = &mut self.aliases {
            let index = aliases.map(map);
            return write_alias(self.out, "#map", index);
        }
        self.word("affine_map<");
        self.map(map);
        self.word(">");
    }

    fn set_attr(&mut self, set: IntegerSet) {
        if let Some(aliases) = &mut self.aliases {
            let index = aliases.set(set);
            return write_alias(self.out, "#set", index);
        }
        self.word("affine_set<");
        self.set(set);
        self.word(">");
    }

    fn dims_and_symbols(&mut self, dims: u32, symbols: u32) {
        self.word("(");
        self.list(0..dims, |w, i| w.prefixed("d", i));
        self.word(")");
        if symbols > 0 {
            self.word("[");
            self.list(0..symbols, |w, i| w.prefixed("s", i));
            self.word("]");
        }
    }

    fn prefixed(&mut self, prefix: &str, number: u32) {
        self.word(prefix);
        self.number(number);
    }

    /// `(d0)[s0] -> (d0 + s0)`.
    pub fn map(&mut self, map: AffineMap) {
        let data = self.ctx.map_data(map);
        self.dims_and_symbols(data.dims, data.symbols);
        self.word(" -> (");
        self.list(&data.results, |w, &expr| w.expr(expr));
        self.word(")");
    }

    /// `(d0)[s0] : (d0 - s0 >= 0)`.
    pub fn set(&mut self, set: IntegerSet) {
        let data = self.ctx.set_data(set);
        self.dims_and_symbols(data.dims, data.symbols);
        self.word(" : (");
        self.list(&data.constraints, |w, &(expr, equality)| {
            w.expr(expr);
            w.word(if equality { " == 0" } else { " >= 0" });
        });
        self.word(")");
    }

    pub fn expr(&mut self, expr: AffineExpr) {
        self.expr_with(expr, false, &mut |w, dim, i| w.prefixed(if dim { "d" } else { "s" }, i));
    }

    /// Writes an expression; `name` writes dimension (`true`) or symbol number `i`. `strong` puts
    /// parentheses round anything composite.
    pub fn expr_with(
        &mut self,
        expr: AffineExpr,
        strong: bool,
        name: &mut dyn FnMut(&mut Self, bool, u32),
    ) {
        let (op, left, right) = match *self.ctx.expr_kind(expr) {
            AffineExprKind::Dim(i) => return name(self, true, i),
            AffineExprKind::Symbol(i) => return name(self, false, i),
            AffineExprKind::Constant(value) => return self.number(value),
            AffineExprKind::Binary(op, left, right) => (op, left, right),
        };
        if strong {
            self.word("(");
        }
        let constant = self.ctx.expr_constant(right);
        match op {
            BinaryOp::Mul if constant == Some(-1) => {
                self.word("-");
                self.expr_with(left, true, name);
            }
            BinaryOp::Add => self.sum(left, right, name),
            _ => {
                self.expr_with(left, true, name);
                self.word(match op {
                    BinaryOp::Add => " + ",
                    BinaryOp::Mul => " * ",
                    BinaryOp::Mod => " mod ",
                    BinaryOp::FloorDiv => " floordiv ",
                    BinaryOp::CeilDiv => " ceildiv ",
                });
                self.expr_with(right, true, name);
            }
        }
        if strong {
            self.word(")");
        }
    }

    /// A sum; the addition of something negative is written as a subtraction.
    fn sum(
        &mut self,
        left: AffineExpr,
        right: AffineExpr,
        name: &mut dyn FnMut(&mut Self, bool, u32),
    ) {
        self.expr_with(left, false, name);
        if let AffineExprKind::Binary(BinaryOp::Mul, factor, by) = *self.ctx.expr_kind(right)
            && let Some(by) = self.ctx.expr_constant(by)
            && by < 0
        {
            self.word(" - ");
            if by == -1 {
                let kind = *self.ctx.expr_kind(factor);
                let is_sum = matches!(kind, AffineExprKind::Binary(BinaryOp::Add, ..));
                self.expr_with(factor, is_sum, name);
            } else {
                self.expr_with(factor, true, name);
                self.word(" * ");
                self.number(by.unsigned_abs());
            }
            return;
        }
        match self.ctx.expr_constant(right) {
            Some(value) if value < 0 => {
                self.word(" - ");
                self.number(value.unsigned_abs());
            }
            _ => {
                self.word(" + ");
                self.expr_with(right, false, name);
            }
        }
    }

    /// `loc(...)`.
    pub fn location(&mut self, location: Location) {
        self.word("loc(");
        self.location_instance(location);
        self.word(")");
    }

    /// A location as people read it: places without quotes, calls a line each. No parser takes it.
    pub fn pretty_location(&mut self, location: Location) {
        let ctx = self.ctx;
        match ctx.location_kind(location) {
            LocationKind::Unknown => self.word("[unknown]"),
            &LocationKind::File { file, line, column }
            | &LocationKind::Range { file, line, column, .. } => {
                let _ = write!(self.out, "{}:{line}:{column}", ctx.str(file));
            }
            &LocationKind::Name { name, child } => {
                self.string(ctx.str(name));
                if !matches!(ctx.location_kind(child), LocationKind::Unknown) {
                    self.word("(");
                    self.pretty_location(child);
                    self.word(")");
                }
            }
            &LocationKind::CallSite { callee, caller } => {
                self.pretty_location(callee);
                let on_one_line = matches!(ctx.location_kind(callee), LocationKind::Name { .. })
                    && matches!(
                        ctx.location_kind(caller),
                        LocationKind::File { .. } | LocationKind::Range { .. }
                    );
                self.word(if on_one_line { " at " } else { "\n at " });
                self.pretty_location(caller);
            }
            LocationKind::Fused { parts, metadata } => {
                if let Some(metadata) = metadata {
                    self.word("<");
                    self.attr(*metadata);
                    self.word(">");
                }
                self.word("[");
                self.list(parts, |w, &part| w.pretty_location(part));
                self.word("]");
            }
        }
    }

    fn location_instance(&mut self, location: Location) {
        let ctx = self.ctx;
        match ctx.location_kind(location) {
            LocationKind::Unknown => self.word("unknown"),
            &LocationKind::File { file, line, column } => {
                self.string(ctx.str(file));
                let _ = write!(self.out, ":{line}:{column}");
            }
            &LocationKind::Range { file, line, column, end_line, end_column } => {
                self.string(ctx.str(file));
                let _ = write!(self.out, ":{line}:{column} to ");
                if end_line != line {
                    let _ = write!(self.out, "{end_line}");
                }
                let _ = write!(self.out, ":{end_column}");
            }
            &LocationKind::Name { name, child } => {
                self.string(ctx.str(name));
                if !matches!(ctx.location_kind(child), LocationKind::Unknown) {
                    self.word("(");
                    self.location_instance(child);
                    self.word(")");
                }
            }
            &LocationKind::CallSite { callee, caller } => {
                self.word("callsite(");
                self.location_instance(callee);
                self.word(" at ");
                self.location_instance(caller);
                self.word(")");
            }
            LocationKind::Fused { parts, metadata } => {
                self.word("fused");
                if let Some(metadata) = metadata {
                    self.word("<");
                    self.attr(*metadata);
                    self.word(">");
                }
                self.word("[");
                self.list(parts, |w, &part| w.location_instance(part));
                self.word("]");
            }
        }
    }
}

/// `#map`, `#map1`, ...
pub(super) fn write_alias(out: &mut String, prefix: &str, index: usize) {
    out.push_str(prefix);
    if index > 0 {
        let _ = write!(out, "{index}");
    }
}

/// Text of things in a context, for messages.
impl Context {
    fn text(&self, write: impl FnOnce(&mut EntityWriter<'_>)) -> String {
        let mut out = String::new();
        write(&mut EntityWriter { ctx: self, out: &mut out, aliases: None, elide_elements: None });
        out
    }

    /// A location as MLIR writes it, `loc(...)`.
    pub fn location_text(&self, location: Location) -> String {
        self.text(|w| w.location(location))
    }

    /// A type as MLIR writes it.
    pub fn type_text(&self, ty: Type) -> String {
        self.text(|w| w.ty(ty))
    }

    /// An attribute as MLIR writes it.
    pub fn attr_text(&self, attr: Attr) -> String {
        self.text(|w| w.attr(attr))
    }

    /// A map, `(d0) -> (d0 + 1)`.
    pub fn map_text(&self, map: AffineMap) -> String {
        self.text(|w| w.map(map))
    }

    /// An expression over `d0`, `s0` and so on.
    pub fn expr_text(&self, expr: AffineExpr) -> String {
        self.text(|w| w.expr(expr))
    }
}

/// Elements that are written out as numbers, at most; more are written as their bytes.
const MOST_WRITTEN_OUT: usize = 100;

/// Bits of an element whose bytes can be written.
fn hex_bits(ctx: &Context, element: Type) -> Option<u32> {
    let float = ctx.float_kind(element).map(|kind| kind.width());
    float.or(ctx.int_or_index_width(element)).filter(|&bits| bits <= 64)
}

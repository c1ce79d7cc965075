//! What device code prints, and how it stops the program: `printf`, `puts`, `putchar`, `assert`, `abort`.
//!
//! Formats are read when compiling: every argument is converted to what its conversion takes, and the sizes of
//! integers are written the way the device's `printf` knows them. A GPU has one stream, the program's standard
//! output; what its threads print appears when the host waits for them.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::memref::{GetGlobalOp, GlobalOp};
use gpuc_dialects::{arith, cf, gpu, offload};
use gpuc_ir::{AttrKind, InsertPoint, TypeKind, Value};

use super::lowerer::{Lowerer, Lowering};
use super::place::Pointer;
use super::scalar::Scalar;
use super::walk::{self, Below, Node};
use crate::lex::StringLiteral;
use crate::source::Span;
use crate::tree::{ExprId, ExprKind, StmtId, StmtKind, TranslationUnit};
use crate::types::Type;

/// What a call does besides computing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Output {
    /// Prints what the format at that place of its arguments says.
    Format(usize),
    /// Prints a string and a new line.
    Line,
    /// Prints a character.
    Character,
    /// Says which assertion failed, and stops.
    Failure,
    /// Stops.
    Stop,
}

/// The functions, as headers call them.
const FUNCTIONS: &[(&str, Output)] = &[
    ("printf", Output::Format(0)),
    // What `printf` is with _FORTIFY_SOURCE.
    ("__printf_chk", Output::Format(1)),
    ("puts", Output::Line),
    ("putchar", Output::Character),
    ("__assert_fail", Output::Failure),
    ("abort", Output::Stop),
    ("trap", Output::Stop),
];

fn output(name: &str) -> Option<Output> {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    FUNCTIONS.iter().find(|(known, _)| *known == name).map(|&(_, output)| output)
}

/// Whether a statement, or a function that it calls, prints outside of the loops of directives in it.
pub(super) fn prints(unit: &TranslationUnit, stmt: StmtId) -> bool {
    let mut found = false;
    walk::through_calls(unit, [stmt], &mut |node| {
        if let Some((decl, _)) = walk::called(unit, node) {
            use Output::{Character, Format, Line};
            found |= matches!(output(unit.name(decl)), Some(Format(_) | Line | Character));
        }
        match node {
            Node::Stmt(inner) => match unit.stmts[inner].kind {
                StmtKind::Directive { directive, .. }
                    if unit.directives[directive].nest.is_some() =>
                {
                    Below::Skip
                }
                _ => Below::Enter,
            },
            _ => Below::Enter,
        }
    });
    found
}

/// A conversion specification (C11 §7.21.6.1), or text.
enum Piece {
    Text(String),
    Conversion { flags: String, length: String, letter: char },
}

/// The pieces of a format; a sentence where it has none of C's.
fn pieces(format: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = format.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        if rest.next_if_eq(&'%').is_some() {
            text.push_str("%%");
            continue;
        }
        let mut take = |known: &str, into: &mut String| {
            while let Some(c) = rest.next_if(|c| known.contains(*c)) {
                into.push(c);
            }
        };
        let (mut flags, mut length) = (String::new(), String::new());
        take("-+ #0123456789.*", &mut flags);
        take("hlLqjzt", &mut length);
        let Some(letter) = rest.next() else {
            return Err("the format ends within a conversion".to_owned());
        };
        let known = "diouxXcspeEfFgGaA".contains(letter);
        if !known || matches!(length.as_str(), "L") || (length == "l" && "cs".contains(letter)) {
            return Err(format!("a GPU's `printf` does not know `%{length}{letter}`"));
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut text)));
        }
        pieces.push(Piece::Conversion { flags, length, letter });
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Ok(pieces)
}

impl Lowerer<'_> {
    /// A call that prints or stops; false where the function does neither.
    pub(super) fn output_call(
        &mut self,
        name: &str,
        arguments: &[ExprId],
        span: Span,
    ) -> Lowering<bool> {
        let Some(output) = output(name) else { return Ok(false) };
        match output {
            Output::Format(at) => self.formatted(arguments, at, span)?,
            Output::Line => {
                let &[text] = arguments else {
                    return self.error(span, "`puts` takes one argument");
                };
                match self.literal(text) {
                    Some(text) => self.print(&(text.replace('%', "%%") + "\n"), &[], span),
                    None => {
                        let address = self.text_address(text)?;
                        self.print("%s\n", &[address], span);
                    }
                }
            }
            Output::Character => {
                let &[c] = arguments else {
                    return self.error(span, "`putchar` takes one argument");
                };
                let c = self.number_argument(c, Scalar::INT)?;
                self.print("%c", &[c], span);
            }
            Output::Failure => {
                let texts: Vec<_> =
                    arguments.iter().map(|&argument| self.literal(argument)).collect();
                match texts.as_slice() {
                    [Some(message), _, _, function] => {
                        self.stop_with(message, function.as_deref(), span);
                    }
                    _ => {
                        return self
                            .error(span, "this assertion's text is not known when compiling");
                    }
                }
            }
            Output::Stop => {
                let function = self.frames.iter().rev().find_map(|frame| frame.function);
                let function =
                    function.or(self.function).map(|decl| self.unit.name(decl).to_owned());
                self.stop_with(&format!("{name}()"), function.as_deref(), span);
            }
        }
        Ok(true)
    }

    fn stop_with(&mut self, message: &str, function: Option<&str>, span: Span) {
        self.locate(span);
        let never = arith::constant_bool(&mut self.b, false);
        let message = self.b.ctx.string_attr(message);
        let function = function.map(|function| self.b.ctx.string_attr(function));
        let op = cf::AssertOp::new(&mut self.b, never)
            .attr(&mut self.b, "msg", message)
            .attr_option(&mut self.b, offload::FUNCTION_ATTR, function);
        self.build(op);
    }

    fn print(&mut self, format: &str, values: &[Value], span: Span) {
        self.locate(span);
        let format = self.b.ctx.string_attr(format);
        let op = gpu::PrintfOp::new(&mut self.b, values).attr(&mut self.b, "format", format);
        self.build(op);
    }

    /// `printf`.
    fn formatted(&mut self, arguments: &[ExprId], at: usize, span: Span) -> Lowering<()> {
        let format = arguments.get(at).and_then(|&format| self.literal(format));
        let Some(format) = format else {
            return self.refuse(
                span,
                Diagnostic::error(
                    "the format of `printf` must be a string constant in device code",
                ),
            );
        };
        let pieces = match pieces(&format) {
            Ok(pieces) => pieces,
            Err(why) => return self.error(span, format!("{why} in device code")),
        };
        let mut rest = arguments[at + 1..].iter().copied();
        let mut values = Vec::new();
        let mut format = String::new();
        for piece in pieces {
            let (flags, length, letter) = match piece {
                Piece::Text(text) => {
                    format.push_str(&text);
                    continue;
                }
                Piece::Conversion { flags, length, letter } => (flags, length, letter),
            };
            format.push('%');
            let mut before = ' ';
            for c in flags.chars() {
                if c != '*' {
                    format.push(c);
                } else {
                    let Some(number) = rest.next() else { return self.few_arguments(span) };
                    match self.unit.constant_int(number) {
                        // A negative precision is none (C11 §7.21.6.1).
                        Some(..0) if before == '.' => _ = format.pop(),
                        Some(number) => format.push_str(&number.to_string()),
                        None if before == '.' => return self.unknown_precision(number),
                        None => {
                            format.push('*');
                            values.push(self.number_argument(number, Scalar::INT)?);
                        }
                    }
                }
                before = c;
            }
            let Some(argument) = rest.next() else { return self.few_arguments(span) };
            match letter {
                's' => values.push(self.text_address(argument)?),
                'p' => values.push(self.address(argument)?),
                'c' => values.push(self.number_argument(argument, Scalar::INT)?),
                'd' | 'i' | 'o' | 'u' | 'x' | 'X' => {
                    let bits = match length.as_str() {
                        "" => 32,
                        "h" => 16,
                        "hh" => 8,
                        _ => 64,
                    };
                    let signed = matches!(letter, 'd' | 'i');
                    let number = Scalar::Int { bits, signed };
                    let value = self.number_argument(argument, number)?;
                    values.push(match bits {
                        64 => value,
                        _ => self.convert(value, number, Scalar::Int { bits: 32, signed }),
                    });
                    // A GPU knows no other length of 64 bits.
                    format.push_str(if bits == 64 { "ll" } else { "" });
                }
                _ => values.push(self.number_argument(argument, Scalar::F64)?),
            }
            format.push(letter);
        }
        for more in rest {
            self.effects(more)?;
        }
        self.print(&format, &values, span);
        Ok(())
    }

    /// A GPU prints `%.*f` as it stands.
    fn unknown_precision<T>(&self, number: ExprId) -> Lowering<T> {
        let error = "a GPU's `printf` takes no precision that is not known when compiling";
        self.refuse(
            self.span(number),
            Diagnostic::error(error).help("write the precision into the format"),
        )
    }

    fn few_arguments<T>(&self, span: Span) -> Lowering<T> {
        self.error(span, "`printf` has fewer arguments than its format has conversions")
    }

    /// A number that is printed, as its conversion takes it.
    fn number_argument(&mut self, argument: ExprId, to: Scalar) -> Lowering<Value> {
        let (ty, span) = (self.ty(argument), self.span(argument));
        match Scalar::of(self.unit, ty) {
            Some(from) if from.is_float() == to.is_float() => {
                let value = self.rvalue(argument)?;
                Ok(self.convert(value, from, to))
            }
            _ => {
                let shown = self.unit.display(ty);
                self.error(span, format!("`{shown}` is not what this conversion of `printf` takes"))
            }
        }
    }

    /// The address of a string.
    fn text_address(&mut self, argument: ExprId) -> Lowering<Value> {
        let span = self.span(argument);
        if !self.is_pointer(argument) {
            let shown = self.unit.display(self.ty(argument));
            return self.error(span, format!("`{shown}` is not what `%s` takes"));
        }
        self.address(argument)
    }

    /// The text of a string constant, up to its first zero.
    fn literal(&self, expr: ExprId) -> Option<String> {
        let expr = self.unit.without_casts(expr);
        let ExprKind::String(literal) = &self.unit.exprs[expr].kind else { return None };
        let bytes: Option<Vec<u8>> = literal
            .units
            .iter()
            .take_while(|&&unit| unit != 0)
            .map(|&unit| u8::try_from(unit).ok())
            .collect();
        String::from_utf8(bytes?).ok()
    }

    /// A string constant as an object of the device.
    pub(super) fn string_object(
        &mut self,
        literal: &StringLiteral,
        ty: Type,
        span: Span,
    ) -> Lowering<Pointer> {
        let element = self.unit.types.as_array(ty).map_or(ty, |(element, _)| element);
        let scalar = self.scalar(element, span)?;
        let register = scalar.memory(&mut self.b.ctx);
        let values: Vec<i64> =
            literal.units.iter().map(|&unit| i64::from(unit)).chain([0]).collect();
        let bits = 8 * scalar.size() as u32;
        let values: Vec<i64> =
            values.into_iter().map(|value| value << (64 - bits) >> (64 - bits)).collect();
        let shape = [values.len() as i64];
        let memref = self.b.ctx.memref(&shape, register);
        let symbol = self.string_symbol(&shape, register, memref, values);
        self.locate(span);
        let name = self.b.ctx.symbol_attr(&symbol);
        let op = GetGlobalOp::new(&mut self.b).attr(&mut self.b, "name", name).result(memref);
        let value = self.value(op);
        let form = self.natural_form(None, element);
        let buffer = self.buffer(value, form, None);
        Ok(self.start_of(buffer, 1))
    }

    /// The name of the module's variable for a constant.
    fn string_symbol(
        &mut self,
        shape: &[i64],
        element: gpuc_ir::Type,
        memref: gpuc_ir::Type,
        values: Vec<i64>,
    ) -> String {
        let kind = TypeKind::Tensor { shape: shape.into(), element, encoding: None };
        let ty = self.b.ctx.intern_type(kind);
        let kind = AttrKind::DenseElements { ty, values: values.into() };
        let init = self.b.ctx.intern_attr(kind);
        if let Some(name) = self.strings.get(&init) {
            return name.clone();
        }
        let symbol = format!(".str{}", self.strings.len());
        self.strings.insert(init, symbol.clone());
        let saved = self.b.point();
        let block = self.b.body(self.module, 0);
        self.b.set_point(InsertPoint::Start(block));
        let ctx = &mut self.b.ctx;
        let (name, private) = (ctx.string_attr(&symbol), ctx.string_attr("private"));
        let (ty, unit) = (ctx.type_attr(memref), ctx.unit_attr());
        let op = GlobalOp::new(&mut self.b)
            .attr(&mut self.b, "sym_name", name)
            .attr(&mut self.b, "sym_visibility", private)
            .attr(&mut self.b, "type", ty)
            .attr(&mut self.b, "initial_value", init)
            .attr(&mut self.b, "constant", unit);
        self.build(op);
        self.b.set_point(saved);
        symbol
    }
}

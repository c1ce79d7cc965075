//! MLIR's textual form, read and written: what this module prints of upstream's dialects `mlir-opt`
//! 19 reads, and the other way round, in generic and pretty form.
//!
//! | module | holds |
//! |---|---|
//! | `lexer` | tokens |
//! | `parser` | [`OpParser`]: everything that is read, and what hooks read with |
//! | `printer` | [`OpPrinter`]: everything that is written, and what hooks write with |
//! | `format` | assembly formats: compiled once, then interpreted by reader and writer |
//! | `float` | numbers as upstream writes them |
//! | [`split`] | `// -----` and expected diagnostics, for tests |

use gpuc_diagnostics::Diagnostic;

use crate::attrs::Attr;
use crate::graph::{Ir, Op};
use crate::types::Type;

mod float;
mod format;
mod lexer;
mod parser;
mod printer;
pub mod split;

pub use format::{FormatCache, check_format, defaults_left_out};
pub use parser::{
    Argument, DEPTH_LIMIT, Delimiter, IndexList, MapOfValues, OpParser, Position, Unresolved,
};
pub use printer::{OpPrinter, PrintOptions, PrintRegion, print_op};

/// The result of reading a piece of text; the error has been recorded with its place.
pub type ParseResult<T> = Result<T, ParseError>;

/// Reading stopped; the diagnostic has been recorded in the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseError;

/// Reads a text. One top-level `builtin.module` is returned as it is; anything else, several
/// operations or none, is put into a new one.
pub fn parse_module(ir: &mut Ir, text: &str, file: &str) -> Result<Op, Vec<Diagnostic>> {
    parse_module_at(ir, text, file, 1)
}

/// [`parse_module`] for a part of a file that begins at line `first_line`.
pub fn parse_module_at(
    ir: &mut Ir,
    text: &str,
    file: &str,
    first_line: u32,
) -> Result<Op, Vec<Diagnostic>> {
    let mut parser = OpParser::new(ir, text, file, first_line);
    let result = parser.parse_top(text.len());
    result.map_err(|ParseError| parser.take_diagnostics())
}

/// [`parse_module_at`] for a text that is one operation of any kind, which is returned as it is.
pub fn parse_operation_at(
    ir: &mut Ir,
    text: &str,
    file: &str,
    first_line: u32,
) -> Result<Op, Vec<Diagnostic>> {
    let mut parser = OpParser::new(ir, text, file, first_line);
    parser.implicit_module = false;
    let result = parser.parse_top(text.len());
    result.map_err(|ParseError| parser.take_diagnostics())
}

/// Reads a type.
#[allow(clippy::result_large_err)] // Once for a type: not worth a box.
pub fn parse_type(ir: &mut Ir, text: &str) -> Result<Type, Diagnostic> {
    parse_alone(ir, text, |parser| parser.parse_lone_type())
}

/// Reads an attribute.
#[allow(clippy::result_large_err)] // As above.
pub fn parse_attr(ir: &mut Ir, text: &str) -> Result<Attr, Diagnostic> {
    parse_alone(ir, text, |parser| parser.parse_lone_attr())
}

#[allow(clippy::result_large_err)] // As above.
fn parse_alone<T>(
    ir: &mut Ir,
    text: &str,
    read: impl FnOnce(&mut OpParser<'_, '_>) -> ParseResult<T>,
) -> Result<T, Diagnostic> {
    let mut parser = OpParser::new(ir, text, "<text>", 1);
    read(&mut parser).map_err(|ParseError| {
        let first = parser.take_diagnostics().into_iter().next();
        first.unwrap_or_else(|| Diagnostic::error("the text could not be read"))
    })
}

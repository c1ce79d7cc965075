//! The PTX reader: text to syntax tree, with a place on everything and several errors at once.

mod ast;
mod declarations;
mod expression;
mod lexer;
mod parser;
mod source;
mod statements;

pub(crate) use ast::*;
pub(crate) use parser::{parse, statements};
pub(crate) use source::{SourceText, Span};

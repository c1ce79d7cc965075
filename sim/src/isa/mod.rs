//! The instruction set: types, and the one table in which every instruction is declared.

mod absent;
mod asynchronous;
mod compare;
mod control;
mod convert;
mod float;
mod form;
mod image;
mod integer;
mod matrix;
mod memory;
mod summary;
mod table;
mod types;
mod video;
mod warp;

pub(crate) use form::{Build, Form, Matched};
pub(crate) use table::find;
pub use table::{instruction_markdown, instruction_table_markdown, mnemonics};
pub(crate) use types::Type;
pub(crate) use warp::vote;

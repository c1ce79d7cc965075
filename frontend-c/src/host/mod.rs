//! The host program: the preprocessed text with calls of the runtime in the place of directives.
//!
//! Only the lines of directives change, and the ends of the statements they apply to; all other
//! text stays where it is, so that every line keeps its number. A compute construct becomes
//!
//! ```c
//! { static const struct __gpuc_site s = ...;
//!   if (__gpuc_region_begin(&image, &s, condition)) {
//!     struct __gpuc_data d[] = {...};
//!     __gpuc_call_f_L12(&s, d, ...);
//!   } else
//!     ... the original statement ...
//! }
//! ```
//!
//! In front of the text stand the declarations of the runtime, behind it the functions that begin the data,
//! launch kernels and end the data, which [`print_function`] prints from the IR, and the PTX. A construct that
//! is one launch has no such function: what the launch takes stands in its place, with its data as arguments,
//! and its words in an array.

mod construct;
mod data;
mod expression;
mod from_tree;
mod function;
mod image;
mod prologue;
mod section;
mod sections;
#[cfg(test)]
mod tests;

use std::fmt::Write;

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::func::FuncOp;
use gpuc_ir::{Ir, OpView};
use rustc_hash::FxHashMap;

use crate::auto::residency;
use crate::directive::action::Action;
use crate::lex::with_escapes;
use crate::lower::{Compute, Lowered};
use crate::tree::TranslationUnit;

pub use function::print_function;
use function::{OnlyLaunch, only_launch};
pub use image::{Code, image};
pub use prologue::runtime_declarations;

/// A change of the text: at `start`, `length` bytes become `text`.
#[derive(Clone, Debug)]
struct Edit {
    start: usize,
    length: usize,
    /// Among changes at one place, which comes first: ends of inner constructs before those of
    /// outer ones, and all ends before a beginning.
    order: usize,
    text: String,
}

/// Who reads the host program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// A person: functions of ours have several lines.
    Person,
    /// The host compiler: functions of ours have no lines, so that debuggers step over them.
    Compiler,
}

/// The host program of a unit whose module has reached the gpu level, with its kernels as `codes`.
///
/// # Errors
/// A function of the module that cannot be written as C: an error of the passes.
#[allow(clippy::result_large_err, reason = "made once a compilation")]
pub fn rewrite(
    unit: &TranslationUnit,
    lowered: &Lowered,
    ir: &Ir,
    codes: &[Code],
    reader: Reader,
) -> Result<String, Diagnostic> {
    let text = unit.source.written();
    let functions = Functions::of(unit, ir, lowered);
    let edits = edits(unit, lowered, ir, &functions);
    let bytes: usize = codes.iter().map(|code| code.ptx.len()).sum();
    let mut out = String::with_capacity(text.len() + bytes + (64 << 10));
    let mut at = 0;
    for edit in &edits {
        push_text(&mut out, &text[at..edit.start]);
        out += &edit.text;
        at = edit.start + edit.length;
    }
    push_text(&mut out, &text[at..]);
    if lowered.constructs.is_empty() && !lowered.provides {
        return Ok(out);
    }
    out += prologue::BEGIN;
    let mut launching = String::new();
    for info in &lowered.constructs {
        let Some(compute) = &info.compute else { continue };
        if let Some(function) = functions.named(&compute.symbol) {
            if functions.launch(compute).is_none() {
                launching += &print_function(ir, function, &compute.arguments)?;
            }
            launching += &sections::print(ir, &functions, function)?;
        }
    }
    match reader {
        Reader::Person => out += &launching,
        Reader::Compiler => prologue::without_lines(&launching, &mut out),
    }
    out += &image::definition(lowered, ir, codes);
    if lowered.provides {
        out += prologue::PROVIDES;
    }
    out += &prologue::reaches(unit, &lowered.reached);
    out += prologue::END;
    // The first line names the file, to debuggers and in the object's symbols: the one that a preprocessed text begins with.
    let first = match text.starts_with(b"# ") {
        true => text.iter().position(|&byte| byte == b'\n').map_or(0, |at| at as u32 + 1),
        false => 0,
    };
    let mut ahead = format!("# 1 {}\n", literal(&unit.source.line(first).0));
    ahead += &prologue::declarations(ir, lowered, &functions, &out);
    if unit.shares_memory {
        ahead += &format!("{}{}{}", prologue::BEGIN, prologue::SHARES_MEMORY, prologue::END);
    }
    out.insert_str(0, &ahead);
    Ok(out)
}

/// All changes, in the order of the text.
fn edits(
    unit: &TranslationUnit,
    lowered: &Lowered,
    ir: &Ir,
    functions: &Functions<'_>,
) -> Vec<Edit> {
    let text = unit.source.written();
    let mut edits = Vec::new();
    let mut rewritten = Vec::new();
    for (number, info) in lowered.constructs.iter().enumerate() {
        rewritten.push(unit.directives[info.directive].span.start);
        construct::edit(unit, lowered, ir, functions, number, &mut edits);
    }
    if lowered.constructs.iter().any(|info| info.action == Action::Nest) {
        for insertion in residency::insertions(unit) {
            let at = insertion.at as usize;
            let order = lowered.constructs.len() + insertion.kind as usize;
            let text = match insertion.length {
                0 => construct::generated(unit, at, at, &insertion.text),
                _ => insertion.text,
            };
            edits.push(Edit { start: at, length: insertion.length, order, text });
        }
    }
    // Other directives are of no concern to the host compiler.
    for pragma in &unit.pragmas {
        if pragma.ours && !rewritten.contains(&pragma.line.start) {
            let mut said = unit.instead.iter().filter(|(at, _)| *at == pragma.line.start);
            let instead = said.next().map_or("", |(_, text)| text.as_str());
            edits.push(Edit {
                start: pragma.line.start as usize,
                length: pragma.line.range().len(),
                order: usize::MAX,
                text: format!("{instead}{}", blank(&text[pragma.line.range()])),
            });
        }
    }
    edits.sort_by_key(|edit| (edit.start, edit.order));
    edits
}

/// The functions of the module, by name, and those of constructs that are nothing else than a launch.
struct Functions<'a> {
    named: FxHashMap<&'a str, FuncOp>,
    launches: FxHashMap<&'a str, OnlyLaunch>,
    /// How constructs name the image that has the kernels.
    image: &'static str,
}

impl<'a> Functions<'a> {
    fn of(unit: &TranslationUnit, ir: &'a Ir, lowered: &'a Lowered) -> Self {
        let functions = ir.ops(ir.body(lowered.module, 0)).filter_map(|op| FuncOp::cast(ir, op));
        let named: FxHashMap<&str, FuncOp> =
            functions.filter_map(|view| Some((ir.symbol_name(view.op())?, view))).collect();
        let mut launches = FxHashMap::default();
        for compute in lowered.constructs.iter().filter_map(|info| info.compute.as_ref()) {
            let function = named.get(&*compute.symbol);
            let launch =
                function.and_then(|&function| only_launch(ir, function, &compute.arguments));
            if let Some(launch) = launch {
                launches.insert(&*compute.symbol, launch);
            }
        }
        Functions { named, launches, image: name_of_image(unit) }
    }

    fn named(&self, symbol: &str) -> Option<FuncOp> {
        self.named.get(symbol).copied()
    }

    /// The launch that a construct's function is, if it is nothing else.
    fn launch(&self, compute: &Compute) -> Option<&OnlyLaunch> {
        self.launches.get(&*compute.symbol)
    }
}

/// How constructs name the image: by a function where `default(…)` of a host construct may be around, which would have every variable
/// named, or give threads their own.
fn name_of_image(unit: &TranslationUnit) -> &'static str {
    let text = unit.source.written();
    let mut hosts = unit.pragmas.iter().filter(|pragma| !pragma.ours);
    let names_all =
        hosts.any(|pragma| text[pragma.line.range()].windows(7).any(|word| word == b"default"));
    if names_all { "__gpuc_this_image()" } else { "&__gpuc_image_0" }
}

/// Blanks instead of a directive; the newlines of continued lines stay.
fn blank(line: &[u8]) -> String {
    line.iter().map(|&byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
}

/// Appends program text. The definitions of macros, which the preprocessor left in, are blanked:
/// they have been expanded, and must not be once more.
fn push_text(out: &mut String, text: &[u8]) {
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let rest = line.trim_ascii_start().strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
        let is_macro = rest.is_some_and(|rest| {
            let word = rest.split(|byte| !byte.is_ascii_alphabetic()).next();
            matches!(word, Some(b"define" | b"undef"))
        });
        if !is_macro {
            out.push_str(&with_escapes(line));
        } else if line.ends_with(b"\n") {
            out.push('\n');
        }
    }
}

/// A string literal.
pub fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(byte.into());
            }
            b'\n' => out.push_str("\\n"),
            // No trigraphs.
            b'?' => out.push_str("\\?"),
            0x20..=0x7e => out.push(byte.into()),
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}

//! Writing. [`OpPrinter`] is the whole printer and, at the same time, what print hooks and custom
//! directives write with: its methods are split over this folder by subject.

use std::fmt;

use super::float::write_float;
use crate::affine::AffineMap;
use crate::attrs::{Attr, AttrKind};
use crate::graph::{Block, Ir, Op, Value, ValueDef};
use crate::location::Location;
use crate::op::Traits;
use crate::types::{DYNAMIC, Type};

mod aliases;
mod entities;
mod metadata;
mod names;
mod operations;

pub use operations::PrintRegion;

use aliases::Aliases;
use entities::{EntityWriter, TypeSuffix, write_alias};
use names::{Names, ValueName};

/// How to print.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrintOptions {
    /// The generic form for every operation (`--mlir-print-op-generic`).
    pub generic: bool,
    /// Locations behind operations and block arguments (`--mlir-print-debuginfo`).
    pub locations: bool,
    /// Locations for people to read rather than for the parser (`--mlir-pretty-debuginfo`).
    pub pretty_locations: bool,
    /// Maps, sets and locations in place rather than by names (`--mlir-print-local-scope`).
    pub inline_maps: bool,
    /// No two values of one name, not even in regions that do not see each other
    /// (`--mlir-print-unique-ssa-ids`).
    pub unique_names: bool,
    /// `{...}` for each region (`--mlir-print-skip-regions`).
    pub skip_regions: bool,
    /// Lists of more elements are left out (`--mlir-elide-elementsattrs-if-larger`).
    pub elide_elements: Option<u64>,
    /// With the metadata that other tools left in the text.
    pub metadata: bool,
    /// Resources of longer texts are left out (`--mlir-elide-resource-strings-if-larger`).
    pub elide_resources: Option<u64>,
}

/// Text on its way out. What is finished lies in pages, because the definitions of names that
/// come first are known last.
#[derive(Debug, Default)]
struct Output {
    text: String,
    pages: Vec<String>,
}

/// Size of a page.
const PAGE: usize = 1 << 16;

/// What an operation's print hook and custom directives write with, in the manner of MLIR's
/// `OpAsmPrinter`.
pub struct OpPrinter<'p, 'o> {
    /// The graph being printed.
    pub ir: &'p Ir,
    out: &'o mut Output,
    names: Names,
    aliases: Aliases,
    options: PrintOptions,
    indent: usize,
    default_dialects: Vec<&'static str>,
    directive_arguments: &'static [Box<str>],
}

impl fmt::Debug for OpPrinter<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpPrinter").field("options", &self.options).finish()
    }
}

/// Prints an operation with everything in it, and a line break.
pub fn print_op(ir: &Ir, op: Op, options: PrintOptions, out: &mut dyn fmt::Write) -> fmt::Result {
    // Names are those of the whole function, so that they agree however little is printed.
    let root = std::iter::once(op)
        .chain(ir.ancestors(op))
        .find(|&at| ir.has_trait(at, Traits::ISOLATED_FROM_ABOVE))
        .or_else(|| ir.ancestors(op).last())
        .unwrap_or(op);
    let mut output = Output::default();
    let mut printer = OpPrinter {
        ir,
        out: &mut output,
        names: Names::new(ir, root, options.generic, options.unique_names),
        aliases: Aliases::default(),
        options,
        indent: 0,
        default_dialects: vec!["builtin"],
        directive_arguments: &[],
    };
    printer.operation(op);
    printer.write("\n");
    let locations = printer.aliases.locations();
    let is_whole = ir.parent_op(op).is_none() && !options.inline_maps;
    let metadata = is_whole.then(|| metadata::text(ir, &printer.aliases, options));
    out.write_str(&printer.aliases.definitions(&ir.ctx))?;
    for page in &output.pages {
        out.write_str(page)?;
    }
    out.write_str(&output.text)?;
    out.write_str(&locations)?;
    // What is printed in part, or for one line, has none.
    match metadata {
        Some(metadata) => out.write_str(&metadata),
        None => Ok(()),
    }
}

impl Ir {
    /// An operation in the pretty form, with a line break.
    pub fn to_text(&self, op: Op) -> String {
        self.to_text_with(op, PrintOptions::default())
    }

    /// An operation as text.
    pub fn to_text_with(&self, op: Op, options: PrintOptions) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = print_op(self, op, options, &mut text);
        text
    }

    /// A type as MLIR writes it.
    pub fn type_text(&self, ty: Type) -> String {
        self.ctx.type_text(ty)
    }

    /// An attribute as MLIR writes it.
    pub fn attr_text(&self, attr: Attr) -> String {
        self.ctx.attr_text(attr)
    }
}

impl<'p> OpPrinter<'p, '_> {
    /// Writes text as it is.
    pub fn write(&mut self, text: &str) {
        self.out.text.push_str(text);
    }

    /// Writes a number.
    pub fn number(&mut self, value: impl fmt::Display) {
        let _ = fmt::Write::write_fmt(&mut self.out.text, format_args!("{value}"));
    }

    /// Writes a floating-point number of the given type.
    pub fn float(&mut self, value: f64, ty: Type) {
        let kind = self.ir.ctx.float_kind(ty).unwrap_or(crate::FloatKind::F64);
        write_float(&mut self.out.text, value, kind);
    }

    /// Begins a new line, indented.
    pub fn newline(&mut self) {
        self.out.text.push('\n');
        for _ in 0..self.indent {
            self.out.text.push(' ');
        }
    }

    /// Indents the lines to come one step more.
    pub fn indent(&mut self) {
        self.indent += 2;
    }

    /// Undoes [`OpPrinter::indent`].
    pub fn unindent(&mut self) {
        self.indent = self.indent.saturating_sub(2);
    }

    fn entities(&mut self) -> EntityWriter<'_> {
        EntityWriter {
            ctx: &self.ir.ctx,
            out: &mut self.out.text,
            aliases: (!self.options.inline_maps).then_some(&mut self.aliases),
            elide_elements: self.options.elide_elements,
        }
    }

    /// Writes items separated by commas.
    pub fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut each: impl FnMut(&mut Self, T),
    ) {
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                self.write(", ");
            }
            each(self, item);
        }
    }

    /// Writes `%name`, with `#n` for one of several results.
    pub fn operand(&mut self, value: Value) {
        let ValueDef::Result(op, index) = self.ir.value_def(value) else {
            return self.value_name(value);
        };
        let results = self.ir.results(op);
        // A result without a name of its own belongs to the group of the last one before that has.
        let mut first = index as usize;
        while first > 0 && !self.names.is_named(results[first]) {
            first -= 1;
        }
        let (head, number) = (results[first], index as usize - first);
        let alone =
            number == 0 && results.get(first + 1).is_none_or(|&next| self.names.is_named(next));
        self.value_name(head);
        if !alone && self.names.is_named(head) {
            self.write("#");
            self.number(number);
        }
    }

    /// Writes the name that stands for a value or for the group of results it begins.
    fn value_name(&mut self, value: Value) {
        let text = &mut self.out.text;
        match self.names.value(value) {
            ValueName::Number(number) => {
                let _ = fmt::Write::write_fmt(text, format_args!("%{number}"));
            }
            ValueName::Word(word) => {
                text.push('%');
                text.push_str(word);
            }
            ValueName::Unknown => text.push_str("<<UNKNOWN SSA VALUE>>"),
        }
    }

    /// Writes operands separated by commas.
    pub fn operands(&mut self, values: impl IntoIterator<Item = Value>) {
        self.list(values, |p, value| p.operand(value));
    }

    /// Writes a type.
    pub fn ty(&mut self, ty: Type) {
        self.entities().ty(ty);
    }

    /// Writes types separated by commas.
    pub fn types(&mut self, types: impl IntoIterator<Item = Type>) {
        self.list(types, |p, ty| p.ty(ty));
    }

    /// Writes the types of values, separated by commas.
    pub fn types_of(&mut self, values: impl IntoIterator<Item = Value>) {
        let ir = self.ir;
        self.types(values.into_iter().map(|value| ir.ty(value)));
    }

    /// Writes `(inputs) -> results`.
    pub fn functional_type(&mut self, inputs: &[Type], results: &[Type]) {
        self.entities().function(inputs, results);
    }

    /// Writes ` -> type` or ` -> (types)`; nothing where there are none.
    pub fn optional_arrow_types(&mut self, types: &[Type]) {
        if !types.is_empty() {
            self.write(" -> ");
            self.entities().function_results(types);
        }
    }

    /// Writes one type, or types in parentheses, as behind the arrow of a function type.
    pub fn function_results(&mut self, types: &[Type]) {
        self.entities().function_results(types);
    }

    /// Writes an attribute, its type suffix included.
    pub fn attr(&mut self, attr: Attr) {
        self.entities().attr(attr);
    }

    /// Writes an attribute without the type suffix.
    pub fn attr_without_type(&mut self, attr: Attr) {
        self.entities().attr_with(attr, TypeSuffix::Never);
    }

    /// Writes the numbers of a dense array as `[1, 2]`.
    pub fn dense_array_elements(&mut self, attr: Attr) {
        match self.ir.ctx.attr_kind(attr) {
            AttrKind::DenseArray { element, values } => {
                self.write("[");
                self.entities().elements(*element, values);
                self.write("]");
            }
            _ => self.attr(attr),
        }
    }

    /// Writes `@name`.
    pub fn symbol_name(&mut self, name: &str) {
        self.entities().symbol(name);
    }

    /// Writes a string literal.
    pub fn string(&mut self, text: &str) {
        self.entities().string(text);
    }

    /// Writes a map without `affine_map<>` round it.
    pub fn map(&mut self, map: AffineMap) {
        self.entities().map(map);
    }

    /// Writes `^bb0`.
    pub fn successor(&mut self, block: Block) {
        let number = self.names.block(block);
        self.write("^bb");
        self.number(number);
    }

    /// Writes successors separated by commas.
    pub fn successors(&mut self, blocks: &[Block]) {
        self.list(blocks, |p, &block| p.successor(block));
    }

    /// Writes `^bb0(%a, %b : i32, f32)`.
    pub fn successor_with_operands(&mut self, block: Block, values: &[Value]) {
        self.successor(block);
        if !values.is_empty() {
            self.write("(");
            self.operands(values.iter().copied());
            self.write(" : ");
            self.types_of(values.iter().copied());
            self.write(")");
        }
    }

    /// Writes `%a: type`, as entry arguments in an operation's syntax, and the location if wanted.
    pub fn argument(&mut self, value: Value) {
        self.value_name(value);
        self.write(": ");
        self.ty(self.ir.ty(value));
        self.argument_location(value);
    }

    /// The same without its type, which the operation's syntax gives.
    pub fn untyped_argument(&mut self, value: Value) {
        self.value_name(value);
        self.argument_location(value);
    }

    fn argument_location(&mut self, value: Value) {
        if let ValueDef::Argument(block, index) = self.ir.value_def(value) {
            self.trailing_location(self.ir.argument_locations(block)[index as usize]);
        }
    }

    /// Writes ` loc(...)` if locations are wanted.
    pub fn trailing_location(&mut self, location: Location) {
        if self.options.locations {
            self.write(" ");
            if self.options.pretty_locations {
                self.entities().pretty_location(location);
            } else if self.options.inline_maps {
                self.entities().location(location);
            } else {
                let text = self.ir.ctx.location_text(location);
                let number = self.aliases.location(text);
                self.write("loc(");
                let mut alias = String::new();
                write_alias(&mut alias, "#loc", number);
                self.write(&alias);
                self.write(")");
            }
        }
    }

    /// Writes the results of a map over SSA names, `%i + 2, symbol(%n)`.
    pub fn affine_map_of_ssa_ids(&mut self, map: AffineMap, operands: &[Value]) {
        let ir = self.ir;
        let data = ir.ctx.map_data(map);
        self.list(&data.results, |p, &expr| p.affine_expr_of_ssa_ids(expr, data.dims, operands));
    }

    /// Writes an expression over SSA names; the first `dims` operands are dimensions.
    pub fn affine_expr_of_ssa_ids(
        &mut self,
        expr: crate::AffineExpr,
        dims: u32,
        operands: &[Value],
    ) {
        // Names of operands are written beforehand: the writer of expressions sees no values.
        let names: Vec<String> = operands
            .iter()
            .map(|&value| {
                let start = self.out.text.len();
                self.operand(value);
                self.out.text.split_off(start)
            })
            .collect();
        let unknown = || "<<UNKNOWN SSA VALUE>>".to_owned();
        self.entities().expr_with(expr, false, &mut |w, is_dim, i| {
            if is_dim {
                w.word(&names.get(i as usize).cloned().unwrap_or_else(unknown));
            } else {
                w.word("symbol(");
                w.word(&names.get((dims + i) as usize).cloned().unwrap_or_else(unknown));
                w.word(")");
            }
        });
    }

    /// Writes `(%a, %b)[%s]`, the operands behind a map or set.
    pub fn dim_and_symbol_operands(&mut self, operands: &[Value], dims: usize) {
        let (dims, symbols) = operands.split_at(dims.min(operands.len()));
        self.write("(");
        self.operands(dims.iter().copied());
        self.write(")");
        if !symbols.is_empty() {
            self.write("[");
            self.operands(symbols.iter().copied());
            self.write("]");
        }
    }

    /// Writes `[%a, 4, %b]`: a value wherever the integer is [`DYNAMIC`].
    pub fn dynamic_index_list(&mut self, integers: &[i64], values: &[Value]) {
        self.write("[");
        let mut next = values.iter();
        self.list(integers, |p, &integer| {
            let value = if integer == DYNAMIC { next.next() } else { None };
            match value {
                Some(&value) => p.operand(value),
                None => p.number(integer),
            }
        });
        self.write("]");
    }

    /// Texts of the arguments of the custom directive being written: `$offsets`, `type($source)`.
    pub fn directive_arguments(&self) -> &'static [Box<str>] {
        self.directive_arguments
    }

    pub(super) fn set_directive_arguments(&mut self, arguments: &'static [Box<str>]) {
        self.directive_arguments = arguments;
    }
}

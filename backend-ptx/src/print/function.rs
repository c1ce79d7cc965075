//! A kernel: its head, declarations, blocks.

use std::fmt::Write;

use gpuc_dialects::ptx::{LocalOp, PtxFuncOp};
use gpuc_ir::{Attr, Block, Ir, Op, OpView, Value};
use rustc_hash::FxHashMap;

use super::Files;
use super::registers::{Class, Registers};

/// Writes one function.
pub(super) fn print(ir: &Ir, function: PtxFuncOp, files: Option<&mut Files>, text: &mut String) {
    head(ir, function, text);
    body(ir, function.op(), files, text);
}

/// Writes the body of a function, a kernel's or another.
pub(super) fn body(ir: &Ir, function: Op, files: Option<&mut Files>, text: &mut String) {
    let blocks = ir.blocks(ir.region(function, 0)).to_vec();
    let mut printer = FunctionPrinter {
        ir,
        registers: Registers::assign(ir, &blocks),
        locals: FxHashMap::default(),
        labels: super::branches::labels(ir, &blocks),
        edges: Vec::new(),
        files,
        line: None,
        text: String::new(),
    };
    for &block in &blocks {
        for op in ir.ops(block) {
            if LocalOp::is(ir, op) {
                let number = printer.locals.len() + 1;
                printer.locals.insert(ir.result(op, 0), number);
            }
        }
    }
    for (index, &block) in blocks.iter().enumerate() {
        printer.block(block, blocks.get(index + 1).copied());
    }
    printer.edges();
    let _ = writeln!(text, "{{");
    printer.declarations(&blocks, text);
    text.push_str(&printer.text);
    text.push_str("}\n");
}

fn head(ir: &Ir, function: PtxFuncOp, text: &mut String) {
    let strings = |attr: Option<Attr>| -> Vec<&str> {
        let attrs = attr.and_then(|attr| ir.ctx.array_value(attr)).unwrap_or_default();
        attrs.iter().filter_map(|&attr| ir.ctx.string_value(attr)).collect()
    };
    let name = ir.symbol_name(function.op()).unwrap_or_default();
    let _ = write!(text, ".visible .entry {name}(");
    let (names, types) = (strings(function.param_names(ir)), strings(function.param_types(ir)));
    for (index, (name, ty)) in names.iter().zip(&types).enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let _ = write!(text, "{comma}\n    .param .{ty} {name}");
    }
    text.push_str(if names.is_empty() { ")\n" } else { "\n)\n" });
    for (directive, attr) in [("reqntid", function.reqntid(ir)), ("maxntid", function.maxntid(ir))]
    {
        if let Some(size) = attr.and_then(|attr| ir.ctx.dense_array(attr)) {
            let size: Vec<String> = size.iter().map(i64::to_string).collect();
            let _ = writeln!(text, ".{directive} {}", size.join(", "));
        }
    }
    for (directive, attr) in
        [("minnctapersm", function.minnctapersm(ir)), ("maxnreg", function.maxnreg(ir))]
    {
        if let Some(number) = attr.and_then(|attr| ir.ctx.i64_value(attr)) {
            let _ = writeln!(text, ".{directive} {number}");
        }
    }
}

/// Writes the body of a function.
pub(super) struct FunctionPrinter<'a> {
    pub ir: &'a Ir,
    pub registers: Registers,
    /// Number of the variable behind each `ptx.local`.
    pub locals: FxHashMap<Value, usize>,
    pub labels: FxHashMap<Block, String>,
    /// Edges that need a place of their own for their moves: label and lines.
    pub edges: Vec<(String, String)>,
    files: Option<&'a mut Files>,
    line: Option<(usize, u32)>,
    pub text: String,
}

impl FunctionPrinter<'_> {
    fn declarations(&self, blocks: &[Block], text: &mut String) {
        for class in Class::ALL {
            let count = self.registers.count(class);
            if count > 0 {
                let (ty, prefix) = (class.declared(), class.prefix());
                let _ = writeln!(text, "    .reg .{ty} {prefix}<{}>;", count + 1);
            }
        }
        for &block in blocks {
            for local in self.ir.ops(block).filter_map(|op| LocalOp::cast(self.ir, op)) {
                let number = |attr: Option<Attr>| {
                    attr.and_then(|attr| self.ir.ctx.i64_value(attr)).unwrap_or(1).max(1)
                };
                let (bytes, alignment) =
                    (number(local.bytes(self.ir)), number(local.alignment(self.ir)));
                let name = self.local_name(local.result(self.ir));
                let _ = writeln!(text, "    .local .align {alignment} .b8 {name}[{bytes}];");
            }
        }
        text.push('\n');
    }

    /// Name of the variable behind a `ptx.local`.
    pub fn local_name(&self, address: Value) -> String {
        format!("$local{}", self.locals.get(&address).copied().unwrap_or(0))
    }

    fn block(&mut self, block: Block, next: Option<Block>) {
        if let Some(label) = self.labels.get(&block) {
            let _ = writeln!(self.text, "{label}:");
        }
        for op in self.ir.ops(block) {
            if !self.ir.successors(op).is_empty() {
                self.locate(op);
                self.branch(op, next);
            } else if let Some(lines) = self.call(op) {
                self.locate(op);
                self.text.push_str(&lines);
            } else if let Some(line) = self.instruction(op) {
                self.locate(op);
                let _ = writeln!(self.text, "    {line};");
            }
        }
    }

    /// Writes a `.loc` where the source line is another than that of the instruction before.
    fn locate(&mut self, op: Op) {
        let Some(files) = self.files.as_deref_mut() else { return };
        let Some(place) = self.ir.ctx.place(self.ir.location(op)) else { return };
        let file = files.number(&place.file);
        if self.line != Some((file, place.line)) {
            self.line = Some((file, place.line));
            let _ = writeln!(self.text, "    .loc {file} {} {}", place.line, place.column);
        }
    }

    fn edges(&mut self) {
        for (label, lines) in std::mem::take(&mut self.edges) {
            let _ = write!(self.text, "{label}:\n{lines}");
        }
    }
}

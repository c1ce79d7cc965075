//! PTX text of a `ptx.module`.
//!
//! Block arguments become registers of their own, which the branches to the block move values
//! into; constants become immediate operands. Registers and labels are numbered in the order of
//! the text, so the same module gives the same bytes.

use std::fmt::Write;

use gpuc_dialects::ptx::kinds::Space;
use gpuc_dialects::ptx::{DeviceFuncOp, PtxFuncOp, PtxModuleOp, VariableOp};
use gpuc_ir::{Attr, Ir, Op, OpView};
use rustc_hash::FxHashMap;

mod branches;
mod call;
mod copies;
mod copy_coalescing;
mod function;
mod instruction;
mod registers;

/// Writes a `ptx.module`; with `lines`, with `.loc` lines.
pub fn print(ir: &Ir, module: Op, lines: bool) -> String {
    let mut files = Files::default();
    let mut body = String::new();
    let operations: Vec<Op> = match ir.regions(module).first() {
        Some(&region) => ir.blocks(region).iter().flat_map(|&block| ir.ops(block)).collect(),
        None => Vec::new(),
    };
    for &op in operations.iter().filter(|&&op| VariableOp::is(ir, op)) {
        variable(ir, VariableOp(op), &mut body);
    }
    let functions: Vec<DeviceFuncOp> =
        operations.iter().filter_map(|&op| DeviceFuncOp::cast(ir, op)).collect();
    // A function may be called ahead of its body, and by itself.
    for (index, &function) in functions.iter().enumerate() {
        if index == 0 {
            body.push('\n');
        }
        call::prototype(ir, function, &mut body);
        body.push_str(";\n");
    }
    for &op in &operations {
        if let Some(function) = DeviceFuncOp::cast(ir, op) {
            if !ir.blocks(ir.region(op, 0)).is_empty() {
                body.push('\n');
                call::prototype(ir, function, &mut body);
                body.push('\n');
                function::body(ir, op, lines.then_some(&mut files), &mut body);
            }
        } else if PtxFuncOp::is(ir, op) {
            body.push('\n');
            function::print(ir, PtxFuncOp(op), lines.then_some(&mut files), &mut body);
        }
    }
    let this = PtxModuleOp(module);
    let string = |attr: Option<Attr>| attr.and_then(|attr| ir.ctx.string_value(attr));
    let mut text = format!(
        ".version {}\n.target {}\n.address_size 64\n",
        string(this.version(ir)).unwrap_or("6.0"),
        string(this.target(ir)).unwrap_or("sm_70"),
    );
    for (index, file) in files.names.iter().enumerate() {
        // Strings of PTX have no quotation marks in them.
        let name = file.replace('\\', "\\\\").replace('"', "'");
        let gap = if index == 0 { "\n" } else { "" };
        let _ = writeln!(text, "{gap}.file {} \"{name}\"", index + 1);
    }
    if !body.is_empty() && !body.starts_with('\n') {
        text.push('\n');
    }
    text + &body
}

/// Source files, numbered in the order of their first line.
#[derive(Debug, Default)]
struct Files {
    names: Vec<String>,
    numbers: FxHashMap<String, usize>,
}

impl Files {
    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), self.names.len());
        self.names.len()
    }
}

fn variable(ir: &Ir, this: VariableOp, text: &mut String) {
    let number = |attr: Option<Attr>| attr.and_then(|attr| ir.ctx.i64_value(attr)).unwrap_or(0);
    let space = this.space(ir).and_then(|attr| Space::of(&ir.ctx, attr)).unwrap_or(Space::Global);
    let name = ir.symbol_name(this.op()).unwrap_or_default();
    let (bytes, alignment) = (number(this.bytes(ir)), number(this.alignment(ir)));
    if this.external(ir).is_some() {
        let _ = writeln!(text, ".extern .{} .align {alignment} .b8 {name}[];", space.keyword());
        return;
    }
    let linkage = ir.attr(this.op(), gpuc_dialects::offload::LINKAGE_ATTR);
    if let Some(linkage) = linkage.and_then(|attr| ir.ctx.string_value(attr)) {
        let _ = write!(text, ".{linkage} ");
    }
    let _ = write!(text, ".{} .align {alignment} .b8 {name}[{}]", space.keyword(), bytes.max(1));
    if let Some(init) = this.init(ir).and_then(|attr| ir.ctx.dense_array(attr)) {
        text.push_str(" = {");
        for (index, &byte) in init.iter().enumerate() {
            let _ = match index {
                0 => write!(text, "{}", byte as u8),
                _ => write!(text, ", {}", byte as u8),
            };
        }
        text.push('}');
    }
    text.push_str(";\n");
}

//! `duplicate-function-elimination`: of functions that do the same one stays, which all call.
//!
//! Needs nothing. Functions are the same where their texts are, but for their names, so that one that calls itself is like
//! no other; public ones too, as upstream has it: the pass is for whole programs. After MLIR's pass of the same name.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::func;
use gpuc_ir::attrs::AttrKind;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::text::PrintOptions;
use gpuc_ir::{Attr, Ir, Op, OpView};
use rustc_hash::FxHashMap;

gpuc_ir::pass! {
    /// Make one of functions that do the same.
    DuplicateFunctionElimination = "duplicate-function-elimination" {}
}

impl Pass for DuplicateFunctionElimination {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        // Those that call functions which have become one may have become one.
        while merge(ir, op) {}
        Ok(())
    }
}

/// Functions of a table that do the same become one. Returns whether there were any.
fn merge(ir: &mut Ir, table: Op) -> bool {
    let functions: Vec<Op> = ir
        .regions(table)
        .iter()
        .flat_map(|&region| ir.blocks(region))
        .flat_map(|&block| ir.ops(block))
        .filter(|&op| func::FuncOp::is(ir, op))
        .collect();
    let mut first: FxHashMap<String, Op> = FxHashMap::default();
    let mut gone: FxHashMap<String, Attr> = FxHashMap::default();
    let mut duplicates = Vec::new();
    for function in functions {
        let (Some(name), false) = (
            ir.symbol_name(function).map(str::to_owned),
            func::FuncOp(function).is_declaration(ir),
        ) else {
            continue;
        };
        let text = text_without_name(ir, function);
        match first.get(&text) {
            None => {
                first.insert(text, function);
            }
            Some(&stays) => {
                let to = ir.symbol_name(stays).unwrap_or_default().to_owned();
                let symbol = ir.ctx.symbol_attr(&to);
                gone.insert(name, symbol);
                duplicates.push(function);
            }
        }
    }
    for (user, symbol) in ir.symbol_uses(table) {
        let AttrKind::Symbol { root, nested } = ir.ctx.attr_kind(symbol) else { continue };
        let Some(&to) = gone.get(ir.ctx.str(*root)).filter(|_| nested.is_empty()) else { continue };
        let names: Vec<String> = ir
            .ctx
            .dict_entries(ir.attrs(user))
            .iter()
            .filter(|entry| entry.1 == symbol)
            .map(|entry| ir.ctx.str(entry.0).to_owned())
            .collect();
        for name in names {
            ir.set_attr(user, &name, to);
        }
    }
    // What is referred to in another way than by an attribute of its own stays.
    let used: Vec<Attr> = ir.symbol_uses(table).into_iter().map(|(_, symbol)| symbol).collect();
    let mut changed = false;
    for function in duplicates {
        let name = ir.symbol_name(function).unwrap_or_default().to_owned();
        let symbol = ir.ctx.symbol_attr(&name);
        if !used.contains(&symbol) {
            ir.erase_op(function);
            changed = true;
        }
    }
    changed
}

/// What a function is, without its name: its attributes and the text of its body.
fn text_without_name(ir: &mut Ir, function: Op) -> String {
    let attrs = ir.attrs(function);
    let anonymous = ir.ctx.string_attr("");
    ir.set_attr(function, "sym_name", anonymous);
    let text = ir.to_text_with(function, PrintOptions { generic: true, ..PrintOptions::default() });
    ir.set_attrs(function, attrs);
    text
}

//! `symbol-dce`: erases symbols that nothing refers to and nothing outside can see: private ones, and nested ones where
//! all that surrounds them is private or not there.
//!
//! After MLIR's pass of the same name.

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::attrs::AttrKind;
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op, WalkOrder};
use rustc_hash::FxHashSet;

gpuc_ir::pass! {
    /// Erase symbols that nothing refers to or can refer to.
    SymbolDce = "symbol-dce" titled "SymbolDCE" {}
    counts { "num-dce'd": "Number of symbols DCE'd" }
}

impl Pass for SymbolDce {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            if ir.def(inner).is_none() && ir.regions(inner).len() == 1 {
                let name = ir.name(inner);
                let text = format!("'{name}' op contains potentially unknown symbol table");
                return Err(Diagnostic::error(text).at_option(ir.ctx.place(ir.location(inner))));
            }
        }
        // Symbols used only by dead symbols die in the next round.
        let hidden = ir.parent_op(op).is_none() || visibility(ir, op) == Some("private");
        loop {
            match erase_in_all(ir, op, op, hidden) {
                0 => break,
                erased => cx.count("num-dce'd", erased),
            }
        }
        Ok(())
    }
}

fn visibility(ir: &Ir, op: Op) -> Option<&str> {
    ir.attr(op, "sym_visibility").and_then(|attr| ir.ctx.string_value(attr))
}

/// Erases what is unused in a table and in the tables in it, and says how much that was; `hidden`: nothing outside of `root` sees the table.
fn erase_in_all(ir: &mut Ir, root: Op, table: Op, hidden: bool) -> usize {
    if !ir.has_trait(table, Traits::SYMBOL_TABLE) {
        return 0;
    }
    let mut erased = erase_from(ir, root, table, hidden, |_, _| true);
    for op in ir.ops(ir.body(table, 0)).collect::<Vec<_>>() {
        let hidden =
            hidden || ir.symbol_name(op).is_none() || visibility(ir, op) == Some("private");
        erased += erase_in_all(ir, root, op, hidden);
    }
    erased
}

/// Erases the private symbols of a table that nothing refers to, of those that are `wanted`. Returns whether there were any.
pub(super) fn erase_unused(ir: &mut Ir, table: Op, wanted: fn(&Ir, Op) -> bool) -> bool {
    ir.has_trait(table, Traits::SYMBOL_TABLE) && erase_from(ir, table, table, false, wanted) > 0
}

/// The same for nested symbols too, where the table is `hidden`; uses are those inside `root`.
fn erase_from(
    ir: &mut Ir,
    root: Op,
    table: Op,
    hidden: bool,
    wanted: fn(&Ir, Op) -> bool,
) -> usize {
    let mut used = FxHashSet::default();
    for (user, symbol) in ir.symbol_uses(root) {
        if let AttrKind::Symbol { root, nested } = ir.ctx.attr_kind(symbol) {
            // A function that only calls itself is not used.
            let own = ir.ctx.str(*root);
            let recursive = ir.ancestors(user).any(|op| ir.symbol_name(op) == Some(own));
            if !recursive || !nested.is_empty() {
                used.insert(*root);
                used.extend(nested.iter().copied());
            }
        }
    }
    let mut dead = Vec::new();
    for &region in ir.regions(table) {
        for &block in ir.blocks(region) {
            for op in ir.ops(block) {
                let private = match visibility(ir, op) {
                    Some("private") => true,
                    Some("nested") => hidden,
                    _ => false,
                };
                let name = ir.symbol_name(op).and_then(|name| ir.ctx.find_ident(name));
                if private && wanted(ir, op) && name.is_some_and(|name| !used.contains(&name)) {
                    dead.push(op);
                }
            }
        }
    }
    for &op in &dead {
        ir.erase_op(op);
    }
    dead.len()
}

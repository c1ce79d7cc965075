//! `symbol-dce`: erases private symbols that nothing refers to.
//!
//! After MLIR's pass of the same name.

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::attrs::AttrKind;
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op};
use rustc_hash::FxHashSet;

gpuc_ir::pass! {
    /// Erase private symbols that nothing refers to.
    SymbolDce = "symbol-dce" {}
}

impl Pass for SymbolDce {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        // Symbols used only by dead symbols die in the next round.
        while erase_unused(ir, op, |_, _| true) {}
        Ok(())
    }
}

/// Erases the private symbols of a table that nothing refers to, of those that are `wanted`. Returns whether there were any.
pub(super) fn erase_unused(ir: &mut Ir, table: Op, wanted: fn(&Ir, Op) -> bool) -> bool {
    if !ir.has_trait(table, Traits::SYMBOL_TABLE) {
        return false;
    }
    let mut used = FxHashSet::default();
    for (user, symbol) in ir.symbol_uses(table) {
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
                let private = ir
                    .attr(op, "sym_visibility")
                    .and_then(|attr| ir.ctx.string_value(attr))
                    .is_some_and(|visibility| visibility == "private");
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
    !dead.is_empty()
}

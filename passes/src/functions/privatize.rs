//! `symbol-privatize`: symbols that nothing outside needs become private.
//!
//! After MLIR's pass of the same name: all symbols at the top of what it runs on but those that `exclude` names.

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op};

gpuc_ir::pass! {
    /// Make the symbols of a table private.
    SymbolPrivatize = "symbol-privatize" {
        /// Names of symbols that stay as they are.
        exclude: Vec<String> = Vec::new(),
    }
}

impl Pass for SymbolPrivatize {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for region in ir.regions(op).to_vec() {
            for block in ir.blocks(region).to_vec() {
                for symbol in ir.ops(block).collect::<Vec<_>>() {
                    let kept = match ir.symbol_name(symbol) {
                        Some(name) => self.exclude.iter().any(|each| each == name),
                        None => true,
                    };
                    if !kept && ir.has_trait(symbol, Traits::SYMBOL) {
                        let private = ir.ctx.string_attr("private");
                        ir.set_attr(symbol, "sym_visibility", private);
                    }
                }
            }
        }
        Ok(())
    }
}

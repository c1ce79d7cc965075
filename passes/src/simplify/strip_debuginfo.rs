//! `strip-debuginfo`: forgets where everything comes from.
//!
//! As upstream's pass of the name; what is left says `loc(unknown)`.

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::location::Location;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op, WalkOrder};

gpuc_ir::pass! {
    /// Strip debug info from all operations.
    StripDebuginfo = "strip-debuginfo" {}
}

impl Pass for StripDebuginfo {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for op in ir.nested_ops(op, WalkOrder::PreOrder) {
            ir.set_location(op, Location::UNKNOWN);
            for region in ir.regions(op).to_vec() {
                for block in ir.blocks(region).to_vec() {
                    for argument in ir.arguments(block).to_vec() {
                        ir.set_value_location(argument, Location::UNKNOWN);
                    }
                }
            }
        }
        cx.preserve_all();
        Ok(())
    }
}

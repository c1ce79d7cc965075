//! `select-ptx`: instruction selection as a pass.

use gpuc_arch::Arch;
use gpuc_diagnostics::{Diagnostic, did_you_mean};
use gpuc_dialects::gpu::GPUModuleOp;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op, OpView, WalkOrder};

use crate::Options;

gpuc_ir::pass! {
    /// Replaces every `gpu.module` by a `ptx.module` of the same name.
    /// Needs kernels lowered to branches, arithmetic and buffers; leaves launches as they are.
    SelectPtx = "select-ptx" on "builtin.module" {
        /// The device to compile for (sm_75).
        arch: String = Arch::default_target().name.to_owned(),
    }
}

impl Pass for SelectPtx {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let Some(arch) = Arch::by_name(&self.arch) else {
            let mut error = Diagnostic::error(format!("unknown target '{}'", self.arch));
            let names = Arch::all().iter().map(|arch| arch.name);
            if let Some(name) = did_you_mean(&self.arch, names) {
                error = error.help(format!("did you mean '{name}'?"));
            }
            return Err(error);
        };
        let options = Options::new(arch);
        let modules = ir.nested_ops(op, WalkOrder::PreOrder);
        for module in modules {
            if ir.is_erased(module) || !GPUModuleOp::is(ir, module) {
                continue;
            }
            match crate::select(ir, module, &options) {
                Ok((target, _)) => {
                    ir.insert_before(module, target);
                    ir.erase_op(module);
                }
                Err(errors) => {
                    let mut errors = errors.into_iter();
                    let first = errors.next();
                    errors.for_each(|error| cx.report(error));
                    return Err(first.unwrap_or_else(|| Diagnostic::error("selection failed")));
                }
            }
        }
        Ok(())
    }
}

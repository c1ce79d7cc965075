//! `gpu.module`.

use gpuc_ir::op;
use gpuc_ir::op::{AttrConstraint, AttrSyntax, attrs};
use gpuc_ir::{Builder, InsertPoint, Ir, Op};

use super::syntax::TARGETS;
use attrs::{ANY, SYMBOL_NAME};

static TARGET_ARRAY: AttrConstraint = AttrConstraint {
    summary: "array of GPU target attributes with at least 1 elements",
    holds: |ctx, attr| {
        ctx.array_value(attr).is_some_and(|targets| {
            let is_target = |&target| ctx.dialect_attr_text(target).is_some();
            !targets.is_empty() && targets.iter().all(is_target)
        })
    },
    syntax: AttrSyntax::Full,
};

op! {
    /// What is compiled for the device together: functions and globals.
    GPUModuleOp = "gpu.module" {
        attrs { sym_name: Required SYMBOL_NAME, targets: Optional TARGET_ARRAY, offloadingHandler: Optional ANY }
        regions { bodyRegion: SizedOne }
        traits SYMBOL, SYMBOL_TABLE, ISOLATED_FROM_ABOVE, SINGLE_BLOCK
        format "$sym_name (`<` $offloadingHandler^ `>`)? (custom<Targets>($targets)^)? attr-dict-with-keyword $bodyRegion"
        hooks { custom: &[TARGETS], implicit_terminator: Some(module_end) }
    }
}

impl GPUModuleOp {
    /// Builds a module without functions; they go in front of its terminator.
    pub fn create(b: &mut Builder<'_>, name: &str) -> GPUModuleOp {
        let name = b.ctx.string_attr(name);
        let body = b.region(&[], |b, _| {
            module_end(b);
        });
        GPUModuleOp(GPUModuleOp::new(b).attr(b, "sym_name", name).region(body).build(b))
    }

    /// Where further functions go: in front of the terminator.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn end_of_body(self, ir: &Ir) -> InsertPoint {
        let body = ir.body(self.0, 0);
        ir.last_op(body).map_or(InsertPoint::End(body), InsertPoint::Before)
    }
}

op! {
    /// Ends a `gpu.module`.
    ModuleEndOp = "gpu.module_end" {
        traits TERMINATOR
        parents "gpu.module"
        format "attr-dict"
    }
}

fn module_end(b: &mut Builder<'_>) -> Op {
    ModuleEndOp::new(b).build(b)
}

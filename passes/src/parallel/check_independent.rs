//! `check-independent`: tells the user where a loop is not what its directive says.
//!
//! A loop that the program declares independent is believed. Where a dependence between its
//! iterations is certain all the same (both accesses happen in every iteration, always the same
//! distance apart, or always to the same element), a warning names it: results will differ from run
//! to run. Needs the directive's loops as `scf.parallel` or `affine.parallel`, and runs before
//! `recognize-parallel` adds others.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op, WalkOrder};

use super::remarks;
use crate::analysis::access::name;
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::{Apart, Wanted};
use crate::versions::in_fallback;

gpuc_ir::pass! {
    /// Warn where loops that are declared independent are not.
    CheckIndependent = "check-independent" on "func.func" {}
}

impl Pass for CheckIndependent {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let nest = cx.analysis::<Nest>(ir, op);
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            if ir.has_trait(inner, Traits::PARALLEL_LOOP) && !in_fallback(ir, inner) {
                check(ir, &nest, inner, cx);
            }
        }
        cx.preserve_all();
        Ok(())
    }
}

fn check(ir: &Ir, nest: &Nest, op: Op, cx: &mut PassContext<'_>) {
    // What has unknown effects is not refuted.
    let Ok(found) = nest.carried(ir, op, Apart::Assumed, Wanted::Certain) else { return };
    let Some(dependence) = found.dependence else { return };
    let variable = name(ir, dependence.source.root);
    let place = ir.ctx.place(ir.location(op));
    let mut warning = Diagnostic::warning(format!(
        "the iterations of this parallel loop are not independent: {}",
        remarks::explanation(ir, &dependence)
    ))
    .code(codes::NOT_INDEPENDENT)
    .at_option(place);
    if dependence.source.subscripts.is_empty() {
        warning = warning
            .help(format!("add `private({variable})` or `reduction(...:{variable})` to the loop"));
    }
    cx.report(warning);
}

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
use gpuc_ir::{Ir, Op, Value, WalkOrder};
use indexmap::IndexMap;

use super::remarks;
use crate::analysis::access::{Access, name};
use crate::analysis::loops::dimensions;
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::{Apart, Wanted, carried};
use crate::analysis::nest::dependence::{Dependence, DependenceKind};
use crate::analysis::quasi_affine::QuasiAffine;
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

/// Warns once for each variable.
fn check(ir: &Ir, nest: &Nest, op: Op, cx: &mut PassContext<'_>) {
    // What has unknown effects is not refuted.
    let Ok(accesses) = nest.accesses(op) else { return };
    let mut by_root: IndexMap<Value, Vec<Access>> = IndexMap::new();
    for access in accesses {
        by_root.entry(access.root).or_default().push(access.clone());
    }
    for accesses in by_root.values() {
        let found = carried(ir, op, accesses, Apart::Assumed, Wanted::Certain);
        if let Some(dependence) = found.dependence {
            cx.report(warning(ir, op, &dependence));
        }
    }
}

fn warning(ir: &Ir, op: Op, dependence: &Dependence) -> Diagnostic {
    let variable = name(ir, dependence.source.root);
    let warning = Diagnostic::warning(format!(
        "the iterations of this parallel loop are not independent: {}",
        remarks::explanation(ir, dependence)
    ))
    .code(codes::NOT_INDEPENDENT)
    .at_option(ir.ctx.place(ir.location(op)));
    if dependence.source.subscripts.is_empty() {
        return warning
            .help(format!("add `private({variable})` or `reduction(...:{variable})` to the loop"));
    }
    if is_one_element(ir, op, &dependence.source) && dependence.kind != DependenceKind::Output {
        return warning.help(format!(
            "combine into a scalar with a `reduction` and add that to {variable} behind the loop, or put \
             `#pragma acc atomic update` in front of the statement"
        ));
    }
    warning
}

/// Whether an access is to the same element in all iterations of a loop.
fn is_one_element(ir: &Ir, op: Op, access: &Access) -> bool {
    let own: Vec<Value> = dimensions(ir, op).iter().map(|dim| dim.variable).collect();
    access.subscripts.iter().all(|subscript| {
        let values = subscript.as_ref().map(QuasiAffine::values);
        values.is_some_and(|values| !values.iter().any(|value| own.contains(value)))
    })
}

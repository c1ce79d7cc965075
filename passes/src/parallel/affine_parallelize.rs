//! `affine-parallelize`: affine loops whose iterations do not depend on each other become
//! `affine.parallel`.
//!
//! Needs `affine.for` loops; asks the one analysis of nests. The options are those of MLIR's pass of the
//! same name, which takes different arguments of a function to be different memory: here they may be one,
//! unless they are mapped and `assume-apart` is given. The compiler's own pass is
//! [`recognize-parallel`](super::recognize_parallel), which works in compute regions and asks at run time.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineForOp, AffineParallelOp};
use gpuc_dialects::offload::SCHEDULE_ATTR;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op, OpView, WalkOrder};

use super::carried_scalar::{CarriedScalar, classify};
use super::parallel_loop::{CarriedReduction, make_parallel};
use super::remarks;
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::{Apart, Wanted};
use crate::steps::free;

gpuc_ir::pass! {
    /// Make affine loops parallel whose iterations are independent.
    AffineParallelize = "affine-parallelize" on "func.func" {
        /// Parallel loops in each other, at most.
        max_nested: u32 = u32::MAX,
        /// Whether loops that reduce values become parallel: parts are combined in any order.
        parallel_reductions: bool = false,
        /// Whether variables that are mapped to the device are taken not to overlap.
        assume_apart: bool = false,
    }
}

impl Pass for AffineParallelize {
    fn run(&mut self, ir: &mut Ir, func: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        // Stays true: what a loop that becomes parallel changes is outside of those that come after it.
        let nest = cx.analysis::<Nest>(ir, func);
        for op in ir.nested_ops(func, WalkOrder::PreOrder) {
            if AffineForOp::is(ir, op)
                && free(ir, op)
                && let Err(why) = self.parallelize(ir, &nest, op)
            {
                cx.report(why);
            }
        }
        Ok(())
    }
}

impl AffineParallelize {
    fn parallelize(&self, ir: &mut Ir, nest: &Nest, op: Op) -> Result<(), Diagnostic> {
        let place = ir.ctx.place(ir.location(op));
        let remark = |text: String| Diagnostic::missed(text).at_option(place.clone());
        let refuse = |text: &str| Err(remark(format!("affine-parallelize: {text}")));
        let around = ir.ancestors(op).filter(|&outer| AffineParallelOp::is(ir, outer)).count();
        if around >= self.max_nested as usize {
            return refuse("as many parallel loops stand round it as may");
        }
        let mut reductions = Vec::new();
        for carried in ir.loop_carried(op) {
            match classify(ir, op, carried) {
                CarriedScalar::Reduction { kind, unsigned, compared }
                    if self.parallel_reductions =>
                {
                    reductions.push(CarriedReduction { carried, kind, unsigned, compared });
                }
                CarriedScalar::Reduction { .. } => {
                    return refuse("the loop reduces values, and parallel-reductions is not given");
                }
                _ => return refuse("the loop carries a value that is no reduction"),
            }
        }
        let apart = if self.assume_apart { Apart::Assumed } else { Apart::Unknown };
        let found = nest.carried(ir, op, apart, Wanted::Any).map_err(|unknown| {
            let name = ir.name(unknown);
            remark(format!("affine-parallelize: the effects of '{name}' are not known"))
        })?;
        if let Some(dependence) = &found.dependence {
            return Err(remarks::dependence(ir, op, dependence));
        }
        let Some(made) = make_parallel(ir, op, &reductions) else {
            return refuse("its reduction has no parallel form");
        };
        // Asked for by nobody: the mark of a compute region's loop does not belong here.
        ir.remove_attr(made, SCHEDULE_ATTR);
        Ok(())
    }
}

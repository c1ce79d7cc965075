//! `remark-small-regions`: says of regions whose size the text has that the host would be done before a launch is.
//!
//! The numbers of `estimate-work` and the times of `arch/src/offload.rs` decide, of which a factor of
//! [`CERTAINTY`] is left for what they do not know. A region with a bound or a condition that only the run time
//! knows is not spoken of. Needs parallel loops to be found, and to be in place still; changes nothing.

use gpuc_arch::{Arch, NestWork};
use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::func::FuncOp;
use gpuc_dialects::offload::{FOUND_ATTR, RegionOp};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::rewrite::{GreedyConfig, PatternSet, apply_greedily, constant_value};
use gpuc_ir::{Ir, Op, OpView, Value, WalkOrder};

use super::estimate_work::counting_function;
use crate::analysis::loops::dimensions;
use crate::target::target;
use crate::versions::in_fallback;

gpuc_ir::pass! {
    /// Say which regions are too small to pay.
    RemarkSmallRegions = "remark-small-regions" {
        /// The device, whose table has the time of a launch.
        arch: String = Arch::default_target().name.to_owned(),
    }
}

/// How many times faster the host must be.
const CERTAINTY: f64 = 4.0;

impl Pass for RemarkSmallRegions {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let arch = target(&self.arch)?;
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            let Some(function) = FuncOp::cast(ir, inner) else { continue };
            let Some(region) = only_region(ir, inner) else { continue };
            if ir.attr(inner, FOUND_ATTR).is_some() || !has_known_size(ir, region) {
                continue;
            }
            let Some(work) = work(ir, function) else { continue };
            let here = work.host_seconds();
            // Regions without a loop are there for their effects, on data that is there for others.
            if work.launches >= 1.0 && here * CERTAINTY < arch.device_seconds(&work) {
                cx.report(remark(ir, region, &work, here));
            }
        }
        cx.preserve_all();
        Ok(())
    }
}

fn remark(ir: &Ir, region: Op, work: &NestWork, here: f64) -> Diagnostic {
    let text = format!(
        "Region too small to pay: its {} operations take the host {:.0} ns, and a launch takes longer",
        work.operations.round(),
        (here * 1e9).max(1.0)
    );
    Diagnostic::missed(text).code(codes::SMALL_REGION).at_option(ir.ctx.place(ir.location(region)))
}

/// The region of a construct's function, where it is one.
fn only_region(ir: &Ir, function: Op) -> Option<Op> {
    let nested = ir.nested_ops(function, WalkOrder::PreOrder);
    let mut regions = nested.into_iter().filter(|&op| RegionOp::is(ir, op) && !in_fallback(ir, op));
    let first = regions.next()?;
    regions.next().is_none().then_some(first)
}

/// Whether constants and outer variables alone say how often each loop of a region runs.
fn has_known_size(ir: &Ir, region: Op) -> bool {
    let mut variables: Vec<Value> = Vec::new();
    for op in ir.nested_ops(region, WalkOrder::PreOrder) {
        if ir.def(op).is_none_or(|def| def.hooks.loop_regions.is_none()) {
            continue;
        }
        let dims = dimensions(ir, op);
        if dims.is_empty() {
            return false;
        }
        for dim in dims {
            let mut forms = dim.lower.iter().chain(&dim.upper);
            let known = |value: &Value| variables.contains(value);
            if !dim.complete || !forms.all(|form| form.values().iter().all(known)) {
                return false;
            }
            variables.push(dim.variable);
        }
    }
    true
}

/// The work of a construct's function, where it is a number.
fn work(ir: &mut Ir, function: FuncOp) -> Option<NestWork> {
    let counting = counting_function(ir, function)?;
    let patterns = PatternSet::canonicalization(ir);
    // Whether it is final does not matter: what is no constant then is not spoken of.
    let _ = apply_greedily(ir, counting, &patterns, GreedyConfig::default());
    let number =
        |ir: &Ir, value: Value| constant_value(ir, value).and_then(|attr| ir.ctx.float_value(attr));
    let body = ir.body(counting, 0);
    let results: Vec<Option<f64>> = match ir.ops(body).last() {
        Some(last) => ir.operands(last).map(|value| number(ir, value)).collect(),
        None => Vec::new(),
    };
    ir.erase_op(counting);
    let [Some(operations), Some(span), Some(launches)] = results[..] else { return None };
    Some(NestWork { operations, span, launches })
}

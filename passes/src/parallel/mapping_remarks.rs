//! What the user is told about mappings, in the words of `-Minfo`.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::mapping::{Axis, Distribution, LoopMapping, Size};
use gpuc_dialects::offload::{AUTO_ATTR, Construct, RegionOp, SEQ_ATTR};
use gpuc_dialects::scf;
use gpuc_ir::op::Traits;
use gpuc_ir::pass::PassContext;
use gpuc_ir::{Ir, Location, OpView, WalkOrder};
use rustc_hash::FxHashSet;

/// Says how each parallel loop of a region is mapped.
pub fn report(ir: &Ir, region: RegionOp, cx: &mut PassContext<'_>) {
    let place = ir.ctx.place(ir.location(region.op()));
    cx.report(Diagnostic::remark("Generating GPU code").at_option(place));
    for op in ir.nested_ops(region.op(), WalkOrder::PreOrder) {
        let mapping = LoopMapping::known(ir, op);
        let Some(mapping) = mapping.filter(|_| ir.has_trait(op, Traits::PARALLEL_LOOP)) else {
            continue;
        };
        let dims: usize = mapping.0.iter().map(|dim| dim.dims).sum();
        let mut text = format!("#pragma acc loop {}", clauses(&mapping));
        if dims > 1 {
            text += &format!(" collapse({dims})");
        }
        let indices: Vec<&str> = mapping.axes().map(|(axis, _)| axis.index()).collect();
        if !indices.is_empty() {
            text += &format!(" /* {} */", indices.join(" "));
        }
        let place = ir.ctx.place(ir.location(op));
        cx.report(Diagnostic::remark(text).at_option(place));
    }
    report_sequential(ir, region, cx);
}

/// Says of the loops of a region that are not divided why not, where nobody has said it: of those that the compiler looked at
/// it was said when it did, and of those that a directive leaves in order, when that was read.
fn report_sequential(ir: &Ir, region: RegionOp, cx: &mut PassContext<'_>) {
    let nested = ir.nested_ops(region.op(), WalkOrder::PreOrder);
    // Parts of a loop that is divided come from the same place.
    let divided: FxHashSet<Location> = nested
        .iter()
        .filter(|&&op| ir.has_trait(op, Traits::PARALLEL_LOOP))
        .map(|&op| ir.location(op))
        .collect();
    for &op in nested.iter().filter(|&&op| ir.is_loop(op) && !divided.contains(&ir.location(op))) {
        let why = if scf::WhileOp::is(ir, op) {
            "how often is known only when it ends"
        } else if ir.is_sequential_loop(op)
            && region.kind(ir) == Construct::Parallel
            && [SEQ_ATTR, AUTO_ATTR].iter().all(|mark| ir.attr(op, mark).is_none())
        {
            "no directive divides it"
        } else {
            continue;
        };
        let around = ir.ancestors(op).find_map(|outer| {
            let mapping = LoopMapping::known(ir, outer)?;
            match (mapping.is_over_threads(), mapping.is_over_blocks()) {
                (true, _) => Some("in each thread"),
                (_, true) => Some("in each block"),
                _ => None,
            }
        });
        let holds_parallel = || {
            let inner = ir.nested_ops(op, WalkOrder::PreOrder);
            inner.into_iter().any(|inner| ir.has_trait(inner, Traits::PARALLEL_LOOP))
        };
        let alone = || if holds_parallel() { "in one block" } else { "in one thread" };
        let who = around.unwrap_or_else(alone);
        let text = format!("Loop runs sequentially {who}: {why}");
        cx.report(Diagnostic::missed(text).at_option(ir.ctx.place(ir.location(op))));
    }
}

/// The levels that a mapping comes to, as clauses with their sizes.
fn clauses(mapping: &LoopMapping) -> String {
    let size = |axis: Axis| {
        mapping.axes().find(|(known, _)| *known == axis).map(|(_, size)| match size {
            Size::Constant(n) => Some(n),
            _ => None,
        })
    };
    let sized = |name: &str, size: Option<i64>| match size {
        Some(n) => format!("{name}({n})"),
        None => name.to_owned(),
    };
    let mut words = Vec::new();
    if mapping.is_over_blocks() {
        let gangs = size(Axis::Block(0)).flatten();
        words.push(sized("gang", gangs));
    }
    // Rows of a rectangle of iterations are lanes, not workers.
    let rectangle =
        mapping.0.len() > 1 && mapping.0.iter().all(|dim| dim.how == Distribution::Exact);
    match (size(Axis::Thread(0)), size(Axis::Thread(1))) {
        (Some(Some(x)), Some(Some(y))) if rectangle => words.push(format!("vector({x}x{y})")),
        (x, y) => {
            words.extend(y.map(|y| sized("worker", y)));
            words.extend(x.map(|x| sized("vector", x)));
        }
    }
    if mapping.axes().any(|(axis, _)| axis == Axis::Lane) {
        words.push("vector(32)".to_owned());
    }
    if words.is_empty() { "seq".to_owned() } else { words.join(", ") }
}

//! The sizes that clauses give: what no device has is refused at its clause.

use gpuc_arch::MAX_THREADS_PER_BLOCK;
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::arith;
use gpuc_dialects::offload::{Construct, LaunchSizeOp, LoopOp, LoopOrder, RegionOp};
use gpuc_ir::{Builder, Ir, Location, Op, OpView, Value, WalkOrder};

use crate::parallel::verify_mapping::workers_text;

/// Refuses numbers of workers and lanes that the clauses of a region and of its independent loops give, and that together are
/// more than a block has.
///
/// # Errors
/// At the larger of the two.
pub fn check(ir: &Ir, region: RegionOp) -> Result<(), Diagnostic> {
    if region.kind(ir) == Construct::Serial {
        return Ok(());
    }
    let mut workers = given(ir, region.num_workers(ir));
    let mut lanes = given(ir, region.vector_length(ir));
    for op in ir.nested_ops(region.op(), WalkOrder::PreOrder) {
        let Some(this) = LoopOp::cast(ir, op) else { continue };
        if this.loop_order(ir) == Some(LoopOrder::Independent) {
            workers = larger(workers, given(ir, this.worker_size(ir)));
            lanes = larger(lanes, given(ir, this.vector_size(ir)));
        }
    }
    let number = |given: Option<(i64, Location)>| given.map_or(1, |(number, _)| number);
    let (y, x) = (number(workers), number(lanes));
    let threads = x.saturating_mul(y);
    if threads <= MAX_THREADS_PER_BLOCK.into() {
        return Ok(());
    }
    let place = if y > x { workers } else { lanes };
    Err(Diagnostic::error(format!(
        "{} of vector length {x} are {threads} threads; a gang has 1 to {MAX_THREADS_PER_BLOCK}",
        workers_text(y)
    ))
    .at_option(place.and_then(|(_, location)| ir.ctx.place(location)))
    .help("ask for fewer, or leave the numbers out to have them chosen"))
}

/// The number that a clause gives, and its place.
fn given(ir: &Ir, size: Option<Value>) -> Option<(i64, Location)> {
    let op = ir.defining_op(size?)?;
    let number = match LaunchSizeOp::cast(ir, op) {
        Some(view) => view.value(ir),
        None => size?,
    };
    let number = i64::try_from(arith::constant_int_value(ir, number)?).ok()?;
    Some((number, ir.location(op)))
}

fn larger(a: Option<(i64, Location)>, b: Option<(i64, Location)>) -> Option<(i64, Location)> {
    match (a, b) {
        (Some((one, _)), Some((other, _))) if other > one => b,
        (a, b) => a.or(b),
    }
}

/// Makes a constant of a size that is one.
pub fn fold(ir: &mut Ir, op: Op) {
    let Some(view) = LaunchSizeOp::cast(ir, op) else { return };
    let Some(number) = arith::constant_int_value(ir, view.value(ir)) else { return };
    let number = i64::try_from(number).unwrap_or(i64::MAX).max(1);
    let constant = arith::constant_index(&mut Builder::before(ir, op), number);
    ir.replace_op(op, &[constant]);
}

//! What a `mapping` must be wherever it stands. What a device can do is for passes to check: the
//! dialect knows none.

use gpuc_ir::{Ir, Op};

use super::mapping::{Axis, LoopMapping, Size, is_upstream};

/// Checks the `mapping` of a parallel loop with `dims` dimensions, if it has one.
///
/// # Errors
/// An element too many or too few, an axis twice in the loop or in one around it, a thread's axis
/// round a block's, a size that is none.
pub fn verify_mapping(ir: &Ir, op: Op, dims: usize) -> Result<(), String> {
    let Some(mapping) = LoopMapping::of(ir, op)? else { return Ok(()) };
    let mapped = mapping.0.iter().fold(0usize, |sum, dim| sum.saturating_add(dim.dims));
    if mapped != dims {
        return Err(format!("'mapping' is of {mapped} dimensions; the loop has {dims}"));
    }
    let mut seen: Vec<Axis> = Vec::new();
    for dim in &mapping.0 {
        let mut last: Option<Axis> = None;
        for &(axis, size) in &dim.axes {
            // Upstream takes it; its passes, and those behind `map`, leave such a loop alone or refuse it.
            if seen.contains(&axis) && !is_upstream(ir, op) {
                return Err(format!("'mapping' uses {} twice", axis.name()));
            }
            seen.push(axis);
            if !axis.is_in_block() && last.is_some_and(Axis::is_in_block) {
                return Err(format!(
                    "'mapping' has {} inside {}: blocks hold threads, and stand first",
                    axis.name(),
                    last.map_or("", Axis::name)
                ));
            }
            last = Some(axis);
            match size {
                Size::Constant(n) if n < 1 => {
                    return Err(format!("'mapping' gives {} the size {n}", axis.name()));
                }
                Size::Constant(n) if axis == Axis::Lane && n > 32 => {
                    return Err(format!("'mapping' gives {n} lanes; a warp has 32"));
                }
                Size::Free if axis.is_in_block() => {
                    return Err(format!("'mapping' gives {} no size", axis.name()));
                }
                _ => {}
            }
        }
    }
    if seen.contains(&Axis::Lane) && seen.contains(&Axis::Thread(0)) && !is_upstream(ir, op) {
        return Err("'mapping' uses lane beside thread_x: lanes are the threads in x".to_owned());
    }
    whole_warps(ir, op, &mapping)?;
    for outer in ir.ancestors(op) {
        let Some(around) = LoopMapping::known(ir, outer) else { continue };
        for (axis, _) in mapping.axes() {
            let clash = around.axes().map(|(other, _)| other).find(|&other| {
                other == axis
                    || (other.is_in_block() && !axis.is_in_block())
                    || (other == Axis::Lane && axis == Axis::Thread(0))
                    || (other == Axis::Thread(0) && axis == Axis::Lane)
            });
            if let Some(other) = clash {
                return Err(format!(
                    "is mapped to {} inside a loop over {}",
                    axis.name(),
                    other.name()
                ));
            }
        }
    }
    Ok(())
}

/// Lanes are counted through a block: those of a row are a warp's only where a row has as many.
fn whole_warps(ir: &Ir, op: Op, mapping: &LoopMapping) -> Result<(), String> {
    let lanes = mapping.axes().find_map(|(axis, size)| match size {
        Size::Constant(lanes) if axis == Axis::Lane => Some(lanes),
        _ => None,
    });
    let Some(lanes) = lanes.filter(|&lanes| lanes < 32) else { return Ok(()) };
    let has_rows =
        |mapping: &LoopMapping| mapping.axes().any(|(axis, _)| matches!(axis, Axis::Thread(1 | 2)));
    let around = ir.ancestors(op).filter_map(|outer| LoopMapping::known(ir, outer));
    if has_rows(mapping) || around.into_iter().any(|outer| has_rows(&outer)) {
        return Err(format!(
            "'mapping' gives {lanes} lanes beside threads in y or z: a warp's 32 would be of several rows"
        ));
    }
    Ok(())
}

//! Sectors that a warp asks for with one load of an inner loop, counted from strides (Andión et al. 2015,
//! Algorithm 1, in units of sectors).

use gpuc_arch::{SECTOR_BYTES, WARP_SIZE};
use gpuc_dialects::memref;
use gpuc_ir::{DYNAMIC, Ir, Op, Value};

use crate::analysis::access::Access;
use crate::analysis::loops::dimensions;
use crate::analysis::slice::is_defined_inside;

/// How far an access moves from one thread to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stride {
    Bytes(i64),
    /// By a distance that is not known, taken to be further than a sector.
    Far,
}

/// Sectors of one request of an access in the inner loop `inner` of the nest `nest`: with an iteration of the
/// nest a thread, and with one for each `width` lanes. `None` where every round of the loop touches the same, which is kept
/// in a register.
pub fn of_request(ir: &Ir, nest: Op, inner: Op, access: &Access, width: i64) -> Option<(i64, i64)> {
    let warp = i64::from(WARP_SIZE);
    let size = memref::scalar_bytes(&ir.ctx, element(ir, access))?;
    let size = size as i64 * access.length;
    let row = ir.arguments(ir.body(nest, 0)).last().copied();
    let aligned = dimensions(ir, inner)
        .iter()
        .flat_map(|dim| dim.lower.iter().flat_map(|bound| bound.values()))
        .all(|value| !is_defined_inside(ir, value, nest));
    let rounds = ir.arguments(ir.body(inner, 0)).first().copied();
    let of_row = |value: Value| {
        let counter = Some(value) == rounds && aligned;
        let other = !ir.arguments(ir.body(nest, 0)).contains(&value);
        Some(value) == row || (!counter && other && is_defined_inside(ir, value, nest))
    };
    let of_round = |value: Value| is_defined_inside(ir, value, inner);
    let rows = stride(ir, access, row, &of_row);
    let lanes = stride(ir, access, rounds, &of_round);
    if lanes == Stride::Bytes(0) {
        return None;
    }
    let width = width.min(warp);
    Some((
        sectors((rows, warp), (lanes, 1), size),
        sectors((rows, warp / width), (lanes, width), size),
    ))
}

fn element(ir: &Ir, access: &Access) -> gpuc_ir::Type {
    let ty = ir.ty(access.buffer);
    ir.ctx.element(ty).unwrap_or(ty)
}

/// Sectors that so many rows by so many lanes touch with `size` bytes each, the first one starting at a sector.
fn sectors(rows: (Stride, i64), lanes: (Stride, i64), size: i64) -> i64 {
    let sector = i64::from(SECTOR_BYTES);
    // What is far apart shares no sector.
    let (row_step, far_rows) = match rows {
        (Stride::Bytes(step), _) => (step, 1),
        (Stride::Far, count) => (0, count),
    };
    let (lane_step, far_lanes) = match lanes {
        (Stride::Bytes(step), _) => (step, 1),
        (Stride::Far, count) => (0, count),
    };
    let mut touched = Vec::new();
    for row in 0..rows.1 / far_rows {
        for lane in 0..lanes.1 / far_lanes {
            let at = row.saturating_mul(row_step).saturating_add(lane.saturating_mul(lane_step));
            let last = at.saturating_add(size - 1);
            touched.extend(at.div_euclid(sector)..=last.div_euclid(sector));
        }
    }
    touched.sort_unstable();
    touched.dedup();
    touched.len() as i64 * far_rows * far_lanes
}

/// How far an access moves with a variable; `varies` says which values change with it.
fn stride(
    ir: &Ir,
    access: &Access,
    variable: Option<Value>,
    varies: &dyn Fn(Value) -> bool,
) -> Stride {
    let layout = memref::strided_layout(&ir.ctx, ir.ty(access.buffer));
    let size = memref::scalar_bytes(&ir.ctx, element(ir, access)).unwrap_or(8) as i64;
    let mut total = 0i64;
    for (d, form) in access.subscripts.iter().enumerate() {
        let Some(form) = form else { return Stride::Far };
        let divided = form.divisions().iter().flat_map(|division| division.numerator.values());
        if divided.into_iter().any(varies) {
            return Stride::Far;
        }
        let rows = layout.as_ref().and_then(|layout| layout.strides.get(d).copied());
        for (monomial, coefficient) in form.plain().terms() {
            if !monomial.iter().any(|&value| varies(value)) {
                continue;
            }
            let own = monomial.len() == 1 && Some(monomial[0]) == variable;
            let elements = rows.filter(|&rows| own && rows != DYNAMIC);
            let bytes = elements.and_then(|rows| rows.checked_mul(coefficient)?.checked_mul(size));
            let Some(sum) = bytes.and_then(|bytes| total.checked_add(bytes)) else {
                return Stride::Far;
            };
            total = sum;
        }
    }
    Stride::Bytes(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_of_rows_and_lanes() {
        let (near, same, far) = (Stride::Bytes(4), Stride::Bytes(0), Stride::Far);
        for (rows, lanes, expected) in [
            // A row a thread: of the array, and of the vector that all rows share.
            ((far, 32), (near, 1), 32),
            ((same, 32), (near, 1), 1),
            ((far, 1), (near, 32), 4),
            ((far, 4), (near, 8), 4),
            ((same, 4), (near, 8), 1),
            // Columns: as many rows at a time as neighbouring columns fill sectors.
            ((near, 32), (far, 1), 4),
            ((near, 8), (far, 4), 4),
            ((near, 1), (far, 32), 32),
            ((Stride::Bytes(28), 32), (far, 1), 28),
            ((Stride::Bytes(12), 2), (Stride::Bytes(4), 16), 3),
            ((Stride::Bytes(-4), 32), (far, 1), 5),
        ] {
            assert_eq!(sectors(rows, lanes, 4), expected, "{rows:?} {lanes:?}");
        }
    }
}

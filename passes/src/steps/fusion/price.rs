//! Whether a slice is worth its place: the buffer between the nests shrinks, and little is computed twice.
//!
//! As upstream's pass has it, so that the same nests are fused at the same depth: among the depths that add less than the
//! tolerated share of operations, the one where the slice writes the smallest box against what the whole source writes.
//! Operations are counted as often as loops run, whatever they are; loops of unknown numbers of iterations have no price.

use gpuc_dialects::affine::AffineForOp;
use gpuc_dialects::memref;
use gpuc_ir::{Ir, Op, OpView};
use gpuc_presburger::Map;
use indexmap::IndexMap;

use super::super::trips::constant_trips;
use super::slice::{Pairing, Placed, Slice};

/// Operations executed in a nest.
struct Count<'a> {
    /// Iterations of loops that a slice cuts.
    cut: &'a IndexMap<Op, u64>,
    /// What else is executed in every iteration of one loop.
    extra: Option<(Op, f64)>,
}

impl Count<'_> {
    fn of(&self, ir: &mut Ir, op: Op) -> Option<f64> {
        let view = AffineForOp::cast(ir, op)?;
        let trips = match self.cut.get(&op) {
            Some(&trips) => trips,
            None => constant_trips(ir, view)?,
        };
        let mut sum = match self.extra {
            Some((inside, extra)) if inside == op => extra,
            _ => 0.0,
        };
        for inner in ir.ops(view.body(ir)).collect::<Vec<_>>() {
            sum += match AffineForOp::cast(ir, inner) {
                Some(_) => self.of(ir, inner)?,
                None => 1.0,
            };
        }
        Some(trips as f64 * sum)
    }
}

/// Operations that a nest executes; `None` where a loop's iterations are not known.
pub(crate) fn operations(ir: &mut Ir, nest: Op) -> Option<f64> {
    Count { cut: &IndexMap::new(), extra: None }.of(ir, nest)
}

/// Bytes of the box of elements that an access touches in a slice, for given outermost iterations of the target.
fn bytes(ir: &Ir, pairing: &Pairing, slice: &Slice, placed: &Placed) -> Option<f64> {
    let elements: Map = pairing.executed(slice, placed, true)?;
    let outer: Vec<usize> = (0..slice.prefix.len()).collect();
    let each = memref::element_bytes(&ir.ctx, ir.ty(placed.access.buffer))?;
    Some(elements.footprint(&outer).ok()?.elements().ok()? as f64 * each as f64)
}

/// The best of some slices at the place of its depth: the number of it. `region` is the access whose box counts; `reuse`: it
/// is what both read, and the box of what the source writes must stay.
pub(super) fn best(
    ir: &mut Ir,
    pairing: &Pairing,
    slices: &[(usize, Slice)],
    region: &Placed,
    reuse: bool,
    tolerance: f64,
) -> Option<usize> {
    let apart = operations(ir, pairing.source)? + operations(ir, pairing.target)?;
    let whole = Slice { prefix: Vec::new(), ranges: IndexMap::new() };
    let whole = bytes(ir, pairing, &whole, region)?;
    let mut found: Option<(usize, f64)> = None;
    for (number, (_, slice)) in slices.iter().enumerate().rev() {
        let trips = |(from, to): &(gpuc_presburger::QuasiAffine, _)| {
            let to: &gpuc_presburger::QuasiAffine = to;
            u64::try_from((to.clone() - from.clone()).as_constant()?).ok()
        };
        let cut: Option<IndexMap<Op, u64>> =
            slice.ranges.iter().map(|(&op, range)| Some((op, trips(range)?))).collect();
        let (Some(cut), Some(place)) = (cut, slice.prefix.last()) else { continue };
        let inside = Count { cut: &cut, extra: None }.of(ir, pairing.source)?;
        let none = IndexMap::new();
        let fused = Count { cut: &none, extra: Some((place.op, inside)) };
        let fused = fused.of(ir, pairing.target)?;
        let Some(box_bytes) = bytes(ir, pairing, slice, region).filter(|&n| n > 0.0) else {
            continue;
        };
        if reuse && box_bytes != whole {
            continue;
        }
        let gain = whole / box_bytes;
        if fused / apart - 1.0 < tolerance && found.is_none_or(|(_, most)| gain > most) {
            found = Some((number, gain));
        }
    }
    found.map(|(number, _)| number)
}

//! Footprints of constant size: the box of elements that some iterations touch, at an origin that moves with the others.
//!
//! The tile of an array that a block of threads copies to shared memory is such a box: its origin depends on the loops
//! outside the block and on parameters, its size is a number. The origin of a dimension is looked for among the bounds that
//! the relation itself has in the outer loops and parameters, as isl's fixed-size boxes and PPCG's array tiles are, and the
//! size is the exact range of the distance from it.

use std::fmt::{self, Display, Formatter};

use thiserror::Error;

use crate::affine::{Affine, Constraint, Var};
use crate::basic_set::BasicSet;
use crate::bounds::{Bound, Optimum};
use crate::error::{Error, Result};
use crate::existential;
use crate::integer::Row;
use crate::map::Map;
use crate::quasi_affine::QuasiAffine;
use crate::shadow::Budget;
use crate::space::Space;
use crate::system::System;
use crate::witnessed::Witnessed;

/// One dimension of a footprint: the elements `origin + stride * t` for `0 <= t < size`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Side {
    /// The first element, in the outer dimensions of the iterations and the parameters.
    pub origin: QuasiAffine,
    /// The number of elements.
    pub size: i64,
    /// How far an element is from the next, at least 1.
    pub stride: i64,
}

/// A box of constant size that contains all elements touched while the outer dimensions stay the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// The iterations' space, which the origins speak of.
    space: Space,
    sides: Vec<Side>,
}

impl Footprint {
    /// One a dimension of the array.
    pub fn sides(&self) -> &[Side] {
        &self.sides
    }

    /// The number of elements in the box.
    pub fn elements(&self) -> Result<u128> {
        self.sides.iter().try_fold(1_u128, |product, side| {
            product.checked_mul(u128::from(side.size.unsigned_abs())).ok_or(Error::Overflow)
        })
    }
}

impl Display for Footprint {
    /// `[32i + [0, 34), j + 2 [0, 5)]`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let side = |side: &Side| {
            let stride = if side.stride == 1 { String::new() } else { format!("{} ", side.stride) };
            format!("{} + {stride}[0, {})", side.origin.display(&self.space), side.size)
        };
        let sides: Vec<_> = self.sides.iter().map(side).collect();
        write!(f, "[{}]", sides.join(", "))
    }
}

/// Why there is no box of constant size.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoFootprint {
    /// No bound in the outer dimensions and parameters.
    #[error("dimension {dim} of the footprint is not bounded by outer dimensions and parameters")]
    Unbounded {
        /// The dimension of the array.
        dim: usize,
    },
    /// Bounds, but as far apart as parameters or outer dimensions say.
    #[error(
        "the size of dimension {dim} of the footprint depends on outer dimensions or parameters"
    )]
    SizeVaries {
        /// The dimension of the array.
        dim: usize,
    },
    /// The question was refused or given up.
    #[error(transparent)]
    Undecided(#[from] Error),
}

impl Map {
    /// The smallest box of constant size found for the elements (outputs) that the iterations (inputs) touch while the
    /// dimensions `outer` of the iterations stay the same. An empty relation has the sizes 0.
    pub fn footprint(&self, outer: &[usize]) -> Result<Footprint, NoFootprint> {
        let (inputs, outputs) = (self.space().inputs(), self.space().outputs());
        if outer.iter().any(|&dim| dim >= inputs) {
            return Err(Error::SpaceMismatch.into());
        }
        let budget = Budget::new();
        let mut pieces = Vec::with_capacity(self.pieces().len());
        for piece in self.pieces() {
            if let Some(witnessed) = Witnessed::find(piece.system(), &budget)? {
                pieces.push((piece, witnessed));
            }
        }
        let mut sides = Vec::with_capacity(outputs);
        for dim in 0..outputs {
            match side(&pieces, inputs + dim, outer, &budget)? {
                Ok(side) => sides.push(side),
                Err(Missing::Bound) => return Err(NoFootprint::Unbounded { dim }),
                Err(Missing::Size) => return Err(NoFootprint::SizeVaries { dim }),
            }
        }
        Ok(Footprint { space: self.space().clone(), sides })
    }
}

enum Missing {
    Bound,
    Size,
}

/// The elements of a dimension lie at `stride * t + rest` for integers `t`.
#[derive(Clone, PartialEq, Eq)]
struct Lattice {
    stride: i64,
    rest: Affine,
}

fn side(
    pieces: &[(&BasicSet, Witnessed)],
    dim: usize,
    outer: &[usize],
    budget: &Budget,
) -> Result<Result<Side, Missing>> {
    let lattice = common_lattice(pieces, dim, outer)?;
    let mut found: Option<Side> = None;
    let mut bounded = pieces.is_empty();
    let mut tried: Vec<QuasiAffine> = Vec::new();
    if pieces.is_empty() {
        found = Some(Side { origin: QuasiAffine::default(), size: 0, stride: 1 });
    }
    for (piece, _) in pieces {
        let bounds = piece.all_bounds(dim, outer)?;
        bounded |= !bounds.lower.is_empty() || !bounds.upper.is_empty();
        let lower = bounds.lower.into_iter().map(|bound| (bound, true));
        for (Bound { expr, divisor }, is_lower) in
            lower.chain(bounds.upper.into_iter().map(|bound| (bound, false)))
        {
            // The bound as a number of strides from the lattice's rest.
            let from_rest = QuasiAffine::try_from(expr - lattice.rest.clone() * divisor)?;
            let steps = divisor.checked_mul(lattice.stride).ok_or(Error::Overflow)?;
            let near =
                if is_lower { from_rest.ceil_div(steps)? } else { from_rest.floor_div(steps)? };
            // From bounds that are a constant apart the elements spread equally far.
            if tried.iter().any(|known| (near.clone() - known.clone()).as_constant().is_some()) {
                continue;
            }
            tried.push(near.clone());
            let Some((least, greatest)) = spread(pieces, dim, &lattice, &near, budget)? else {
                continue;
            };
            let size = greatest.checked_sub(least).and_then(|size| size.checked_add(1));
            let size = size.ok_or(Error::Overflow)?;
            // Among boxes of one size the origin without divisions costs the least.
            let rank = |side: &Side| (side.size, side.origin.as_affine().is_none());
            let origin =
                (near + least) * lattice.stride + QuasiAffine::try_from(lattice.rest.clone())?;
            let side = Side { origin, size, stride: lattice.stride };
            if found.as_ref().is_none_or(|known| rank(&side) < rank(known)) {
                found = Some(side);
            }
        }
    }
    Ok(found.ok_or(if bounded { Missing::Size } else { Missing::Bound }))
}

/// The least and greatest number of strides from `near` to an element, over all pieces; `None` when there is none.
fn spread(
    pieces: &[(&BasicSet, Witnessed)],
    dim: usize,
    lattice: &Lattice,
    near: &QuasiAffine,
    budget: &Budget,
) -> Result<Option<(i64, i64)>> {
    let (mut least, mut greatest) = (Optimum::Empty, Optimum::Empty);
    for (piece, witnessed) in pieces {
        let range = match (near.as_affine(), lattice.stride) {
            (Some(near), 1) => {
                let distance = Affine::dim(dim) - lattice.rest.clone() - near.clone();
                witnessed.range(&piece.row(&distance)?, budget)?
            }
            (near_affine, stride) => {
                let mut piece = (*piece).clone();
                let near = match near_affine {
                    Some(near) => near.clone(),
                    None => near.lower(&mut piece)?,
                };
                let steps = piece.add_local();
                let element = (near + steps.clone()) * stride + lattice.rest.clone();
                piece.add(&Constraint::eq(Affine::dim(dim), element))?;
                match Witnessed::find(piece.system(), budget)? {
                    Some(witnessed) => witnessed.range(&piece.row(&steps)?, budget)?,
                    None => continue,
                }
            }
        };
        least = least.min(range.0);
        greatest = greatest.max(range.1);
    }
    Ok(least.value().zip(greatest.value()))
}

/// The lattice in which the elements of all pieces lie; that of all integers where they do not agree on one.
fn common_lattice(
    pieces: &[(&BasicSet, Witnessed)],
    dim: usize,
    outer: &[usize],
) -> Result<Lattice> {
    let mut common: Option<Lattice> = None;
    for (piece, _) in pieces {
        let lattice = lattice(piece, dim, outer)?;
        match &common {
            None => common = lattice,
            Some(known) if lattice.as_ref() == Some(known) => {}
            Some(_) => common = None,
        }
        if common.is_none() {
            break;
        }
    }
    Ok(common.unwrap_or(Lattice { stride: 1, rest: Affine::default() }))
}

/// What the equalities of a piece alone say of a dimension modulo some number.
fn lattice(piece: &BasicSet, dim: usize, outer: &[usize]) -> Result<Option<Lattice>> {
    let dims = piece.space().dims();
    let params = piece.space().params();
    // The dimension, the outer ones and the parameters first, then everything that takes any value.
    let seen: Vec<usize> =
        [dim].into_iter().chain(outer.iter().copied()).chain(dims..dims + params).collect();
    let hidden = (0..piece.system().width).filter(|column| !seen.contains(column));
    let columns: Vec<_> = seen.iter().copied().chain(hidden).map(Some).collect();
    let mut system = System {
        inequalities: crate::rows::Rows::new(piece.system().width),
        ..piece.system().clone()
    }
    .select(&columns);
    existential::solve_equalities(&mut system, seen.len())?;
    let stride = system.equalities.iter().find_map(|row: &[i64]| {
        let mut hidden = row[seen.len()..system.width].iter().filter(|&&c| c != 0);
        let modulus = hidden.next()?.abs();
        (row[0].abs() == 1 && hidden.next().is_none()).then(|| (Row::from_slice(row), modulus))
    });
    let Some((row, stride)) = stride else { return Ok(None) };
    // x + rest = 0 modulo the stride, up to the sign.
    let sign = -row[0];
    let constant = Affine::constant((row[system.width] * sign).rem_euclid(stride));
    let rest = (1..seen.len()).fold(constant, |sum, column| {
        let var: Var = piece.variable(seen[column]);
        sum + Affine::from(var) * (row[column] * sign % stride)
    });
    Ok(Some(Lattice { stride, rest }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn footprint(text: &str, outer: &[usize]) -> String {
        let map: Map = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        match map.footprint(outer) {
            Ok(footprint) => footprint.to_string(),
            Err(refusal) => refusal.to_string(),
        }
    }

    #[test]
    fn boxes() {
        let tile = "0 <= i < n and 0 <= j < m and 32ti <= i < 32ti + 32 and 16tj <= j < 16tj + 16";
        let table = [
            // A tile of an array, with a halo, transposed, with a stride.
            ("[i, j]", "[32ti + [0, 32), 16tj + [0, 16)]"),
            ("[i + 1, 2j]", "[32ti + 1 + [0, 32), 32tj + 2 [0, 16)]"),
            ("[j, i + j]", "[16tj + [0, 16), 32ti + 16tj + [0, 47)]"),
            ("[n - 1 - i, 3]", "[-32ti + n - 32 + [0, 32), 3 + [0, 1)]"),
            ("[floor(i / 4), j mod 4]", "[8ti + [0, 8), 0 + [0, 4)]"),
            ("[4i + 2ti + 3, j]", "[130ti + 3 + 4 [0, 32), 16tj + [0, 16)]"),
        ];
        for (subscripts, expected) in table {
            let text = format!("[n, m] -> {{ [ti, tj, i, j] -> {subscripts} : {tile} }}");
            assert_eq!(footprint(&text, &[0, 1]), expected, "{subscripts}");
        }
    }

    #[test]
    fn unions_share_a_box() {
        let stencil = "[n] -> { [t, i] -> [i - 1] : 1 <= i < n and 64t <= i < 64t + 64; \
            [t, i] -> [i + 1] : 1 <= i < n and 64t <= i < 64t + 64 }";
        assert_eq!(footprint(stencil, &[0]), "[64t - 1 + [0, 66)]");
        let even_odd = "{ [t, i] -> [2i] : 0 <= i < 4; [t, i] -> [2i + 1] : 0 <= i < 4 }";
        assert_eq!(footprint(even_odd, &[0]), "[0 + [0, 8)]");
        assert_eq!(footprint("{ [i] -> [i] : false }", &[]), "[0 + [0, 0)]");
    }

    #[test]
    fn refusals() {
        assert_eq!(
            footprint("[n] -> { [i, j] -> [3, j] : 0 <= j < n }", &[0]),
            "the size of dimension 1 of the footprint depends on outer dimensions or parameters"
        );
        assert_eq!(
            footprint("{ [i, j] -> [j] }", &[0]),
            "dimension 0 of the footprint is not bounded by outer dimensions and parameters"
        );
        // Once the inner loop is an outer one too, the size is 1.
        assert_eq!(
            footprint("[n] -> { [i, j] -> [3, j] : 0 <= j < n }", &[0, 1]),
            "[3 + [0, 1), j + [0, 1)]"
        );
        let map: Map = "{ [i] -> [i] }".parse().unwrap();
        assert_eq!(map.footprint(&[1]), Err(NoFootprint::Undecided(Error::SpaceMismatch)));
    }
}

//! The box of elements that a part of the program touches of one buffer, while everything outside of that part stays the
//! same: what a copy of them has to hold.
//!
//! The size of a box is a number, its origin depends on values from outside ([`gpuc_presburger::Footprint`]). Where the box
//! may hold more than what is touched (a last tile that is cut off), further bounds say where it ends.

use gpuc_ir::{DYNAMIC, Ir, Op, Value};
use gpuc_presburger::{Affine, BasicSet, Constraint, Map, Set, Var};

use super::super::access::Access;
use super::super::domain::Domain;
use super::super::loops::{CountedLoop, nest};
use super::super::polynomial::Polynomial;
use super::guard::{Guard, are_all_guards, guards};

/// One dimension of a box: elements from `origin` on, as many as `size` at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// The first element, in values from outside.
    pub origin: Polynomial,
    /// The number of elements.
    pub size: i64,
    /// What the elements are at least, besides the origin.
    pub lower: Vec<Polynomial>,
    /// What they stay below, besides the origin and the size.
    pub upper: Vec<Polynomial>,
}

/// A box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TouchedBox {
    /// One a dimension of the buffer.
    pub sides: Vec<Side>,
    /// Whether every element of it is written, whatever the values from outside are.
    pub is_overwritten: bool,
}

impl TouchedBox {
    /// The number of elements; `None` beyond 64 bits.
    pub fn elements(&self) -> Option<i64> {
        self.sides.iter().try_fold(1_i64, |all, side| all.checked_mul(side.size))
    }

    /// Whether all of it is touched in any case: no side ends elsewhere than its size says.
    pub fn is_whole(&self) -> bool {
        self.sides.iter().all(|side| side.lower.is_empty() && side.upper.is_empty())
    }

    /// The values from outside that it depends on.
    pub fn values(&self) -> Vec<Value> {
        let forms = |side| {
            let Side { origin, lower, upper, .. }: &Side = side;
            lower.iter().chain(upper).chain([origin]).flat_map(Polynomial::values)
        };
        let mut values: Vec<Value> = self.sides.iter().flat_map(forms).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// The box of accesses to one buffer, in operations that stand in one block, the first of which is `root`. `None`: there is
    /// none of constant size, or nothing says that all of it lies in the buffer.
    pub fn of(ir: &Ir, root: Op, accesses: &[&Access]) -> Option<TouchedBox> {
        let shape = ir.ctx.shape(ir.ty(accesses.first()?.buffer))?.to_vec();
        TouchedBox::within(ir, root, accesses, &shape)
    }

    /// The same for what is to have a buffer of its own, of which nothing is copied: it need not lie in the one that is there.
    pub fn of_own(ir: &Ir, root: Op, accesses: &[&Access]) -> Option<TouchedBox> {
        let rank = ir.ctx.shape(ir.ty(accesses.first()?.buffer))?.len();
        TouchedBox::within(ir, root, accesses, &vec![i64::from(i32::MAX); rank])
    }

    fn within(ir: &Ir, root: Op, accesses: &[&Access], shape: &[i64]) -> Option<TouchedBox> {
        let block = ir.parent_block(root)?;
        let mut domain = Domain::inside(root);
        let mut all = Vec::new();
        for &access in accesses {
            let top = ir.ancestor_in_block(access.op, block)?;
            let loops = if ir.is_counted_loop(top) { nest(ir, access.op, top) } else { Vec::new() };
            let guards = guards(ir, access.op, top);
            domain.add_nest(ir, &loops);
            for form in access.subscripts.iter().flatten() {
                domain.add_params_of(ir, &loops, form);
            }
            guards.iter().for_each(|guard| domain.add_params_of(ir, &loops, &guard.form));
            let always = are_all_guards(ir, access.op, top);
            all.push(Placed { access, loops, guards, always });
        }
        domain.add_context(ir);
        let dims = all.iter().map(|placed| placed.loops.len()).max()?;
        let pieces: Vec<Piece> =
            all.iter().map(|placed| placed.piece(&domain, dims)).collect::<Option<_>>()?;
        boxed(&domain, dims, shape, &pieces)
    }
}

/// An access with what is round it.
struct Placed<'a> {
    access: &'a Access,
    loops: Vec<CountedLoop>,
    guards: Vec<Guard>,
    /// Whether it happens wherever the guards hold.
    always: bool,
}

/// The elements of an access: inputs are loops, outputs elements.
struct Piece {
    set: BasicSet,
    writes: bool,
    /// Whether these are the elements, no more.
    exact: bool,
}

impl Placed<'_> {
    fn piece(&self, domain: &Domain, dims: usize) -> Option<Piece> {
        let Placed { access, loops, guards, always } = self;
        let mut set = BasicSet::universe(domain.map_space(dims, access.subscripts.len()));
        let mut exact = domain.constrain(&mut set, loops).ok()? && *always;
        for guard in guards {
            match domain.quasi_affine(&mut set, loops, &guard.form).ok()? {
                Some(form) if guard.is_equality => set.add(&Constraint::eq(form, 0)).ok()?,
                Some(form) => set.add(&Constraint::ge(form, 0)).ok()?,
                None => exact = false,
            }
        }
        // Loops that others have.
        for dim in loops.len()..dims {
            set.add(&Constraint::eq(Affine::dim(dim), 0)).ok()?;
        }
        for (k, subscript) in access.subscripts.iter().enumerate() {
            let form = domain.quasi_affine(&mut set, loops, subscript.as_ref()?).ok()??;
            let element = Affine::dim(dims + k);
            if k + 1 == access.subscripts.len() && access.extent() > 1 {
                set.add(&Constraint::ge(element.clone(), form.clone())).ok()?;
                set.add(&Constraint::lt(element, form + access.extent())).ok()?;
            } else {
                set.add(&Constraint::eq(element, form)).ok()?;
            }
        }
        Some(Piece { set, writes: access.writes(), exact })
    }
}

impl Piece {
    /// Whether bounds over the rationals are those over the integers: no remainders, no factors of what is eliminated.
    fn is_tight(&self, dims: usize) -> bool {
        let unit = |constraint: Constraint| {
            (0..dims).all(|dim| constraint.expr().coefficient(Var::Dim(dim)).abs() <= 1)
        };
        self.exact && self.set.locals() == 0 && self.set.constraints().all(unit)
    }
}

fn boxed(domain: &Domain, dims: usize, shape: &[i64], pieces: &[Piece]) -> Option<TouchedBox> {
    let space = domain.map_space(dims, shape.len());
    let map = Map::new(space, pieces.iter().map(|piece| piece.set.clone())).ok()?;
    let footprint = map.footprint(&[]).ok()?;
    let mut known = BasicSet::universe(domain.set_space(0));
    domain.constrain(&mut known, &[]).ok()?;
    let mut sides = Vec::new();
    let mut elements = BasicSet::universe(domain.set_space(shape.len()));
    domain.constrain(&mut elements, &[]).ok()?;
    for (k, side) in footprint.sides().iter().enumerate() {
        let origin = side.origin.as_affine()?.clone();
        let size = side.size.checked_sub(1)?.checked_mul(side.stride)?.checked_add(1)?;
        if size < 1 {
            return None;
        }
        let end = origin.clone() + size;
        let (mut lower, mut upper) = further(pieces, dims + k, (&origin, &end), &known)?;
        let is_inside = |bounds: &[Affine], own: &Affine, limit: &dyn Fn(Affine) -> Constraint| {
            let mut all = bounds.iter().chain([own]);
            all.any(|bound| known.implies(&limit(bound.clone())) == Ok(true))
        };
        if !is_inside(&lower, &origin, &|bound| Constraint::ge(bound, 0)) {
            lower.push(Affine::constant(0));
        }
        let extent = shape[k];
        if extent == DYNAMIC {
            // What is touched lies in the buffer, and nothing else is known to.
            let [piece] = pieces else { return None };
            if !piece.is_tight(dims) {
                return None;
            }
        } else if !is_inside(&upper, &end, &|bound| Constraint::le(bound, extent)) {
            upper.push(Affine::constant(extent));
        }
        let element = || Affine::dim(k);
        for bound in lower.iter().chain([&origin]) {
            elements.add(&Constraint::ge(element(), bound.clone())).ok()?;
        }
        for bound in upper.iter().chain([&end]) {
            elements.add(&Constraint::lt(element(), bound.clone())).ok()?;
        }
        let form = |bound: &Affine| domain.polynomial(bound).filter(Polynomial::is_affine);
        let forms = |bounds: &[Affine]| bounds.iter().map(form).collect::<Option<Vec<_>>>();
        let (lower, upper) = (forms(&lower)?, forms(&upper)?);
        sides.push(Side { origin: form(&origin)?, size, lower, upper });
    }
    let written: Vec<BasicSet> = pieces
        .iter()
        .filter(|piece| piece.writes && piece.exact)
        .map(|piece| piece.set.clone())
        .collect();
    let space = domain.map_space(dims, shape.len());
    let written = Map::new(space, written).and_then(|map| map.range()).ok()?;
    let is_overwritten = Set::from(elements).is_subset(&written).unwrap_or(false);
    Some(TouchedBox { sides, is_overwritten })
}

/// The bounds that all accesses keep, and that the box does not say.
fn further(
    pieces: &[Piece],
    dim: usize,
    (origin, end): (&Affine, &Affine),
    known: &BasicSet,
) -> Option<(Vec<Affine>, Vec<Affine>)> {
    let (mut lower, mut upper): (Vec<Affine>, Vec<Affine>) = (Vec::new(), Vec::new());
    let holds = |constraint: &Constraint| {
        pieces.iter().all(|piece| piece.set.implies(constraint) == Ok(true))
    };
    for piece in pieces {
        let bounds = piece.set.bounds(dim, &[]).ok()?;
        for bound in bounds.lower.into_iter().filter(|bound| bound.divisor == 1) {
            let is_said = known.implies(&Constraint::le(bound.expr.clone(), origin.clone()));
            let keeps = Constraint::ge(Affine::dim(dim), bound.expr.clone());
            if is_said != Ok(true) && holds(&keeps) && !lower.contains(&bound.expr) {
                lower.push(bound.expr);
            }
        }
        for bound in bounds.upper.into_iter().filter(|bound| bound.divisor == 1) {
            let below = bound.expr + 1;
            let is_said = known.implies(&Constraint::ge(below.clone(), end.clone()));
            let keeps = Constraint::lt(Affine::dim(dim), below.clone());
            if is_said != Ok(true) && holds(&keeps) && !upper.contains(&below) {
                upper.push(below);
            }
        }
    }
    Some((lower, upper))
}

//! What each iteration overwrites before it looks: the question behind a copy of its own.

use gpuc_ir::{Ir, Op};
use gpuc_presburger::{Affine, BasicSet, Constraint, Var};

use super::super::access::Access;
use super::super::polynomial::Polynomial;
use super::pair::Pair;

/// The first and the last element in each dimension of an array.
pub type ElementBox = Vec<(Polynomial, Polynomial)>;

/// Whether each element that `read` looks at was written by `write` before, in the same iteration of all
/// loops that both are in inside `root`; `write` stands in front, and is executed unconditionally.
pub fn covers(ir: &Ir, root: Op, write: &Access, read: &Access) -> bool {
    let pair = Pair::new(ir, [root; 2], write, read);
    let common = pair.variables().len();
    let inside = || {
        let (written, exact) = pair.touched(0, write, common)?;
        let (looked_at, _) = pair.touched(1, read, common)?;
        looked_at.is_subset(&written).ok().filter(|_| exact)
    };
    inside().unwrap_or(false)
}

/// Whether `other` writes nothing in an iteration of the `outer` loops outside that `write` does not write.
pub fn includes(ir: &Ir, root: Op, write: &Access, other: &Access, outer: usize) -> bool {
    let pair = Pair::new(ir, [root; 2], write, other);
    let inside = || {
        let (all, exact) = pair.touched(0, write, outer)?;
        let (some, _) = pair.touched(1, other, outer)?;
        some.is_subset(&all).ok().filter(|_| exact)
    };
    inside().unwrap_or(false)
}

/// The elements that `write` writes in each iteration of the `outer` loops outside, if they are the same in
/// all of them, and a box.
pub fn written_box(ir: &Ir, root: Op, write: &Access, outer: usize) -> Option<ElementBox> {
    let pair = Pair::new(ir, [root; 2], write, write);
    let (written, true) = pair.touched(0, write, outer)? else { return None };
    let [piece] = written.pieces() else { return None };
    let known: Vec<usize> = (0..outer).collect();
    let mut filled = pair.iterations(outer, outer + write.subscripts.len())?;
    let mut all = ElementBox::new();
    for dim in outer..outer + write.subscripts.len() {
        let bounds = piece.bounds(dim, &known).ok()?;
        let ([lower], [upper]) = (&bounds.lower[..], &bounds.upper[..]) else { return None };
        let fixed = |form: &Affine| form.terms().all(|(var, _)| matches!(var, Var::Param(_)));
        if lower.divisor != 1 || upper.divisor != 1 || !fixed(&lower.expr) || !fixed(&upper.expr) {
            return None;
        }
        filled.add(&Constraint::ge(Affine::dim(dim), lower.expr.clone())).ok()?;
        filled.add(&Constraint::le(Affine::dim(dim), upper.expr.clone())).ok()?;
        all.push((pair.polynomial(&lower.expr)?, pair.polynomial(&upper.expr)?));
    }
    gpuc_presburger::Set::from(filled).is_subset(&written).ok()?.then_some(all)
}

impl Pair {
    /// The elements that one of the accesses touches, behind the iterations of the `outer` loops outside,
    /// and whether nothing was left out.
    fn touched(
        &self,
        which: usize,
        access: &Access,
        outer: usize,
    ) -> Option<(gpuc_presburger::Set, bool)> {
        let (relation, exact) = self.relation(which, access)?;
        let inner = outer..relation.space().inputs();
        Some((relation.wrap().project_out(inner).ok()?, exact))
    }

    /// The iterations of the `outer` loops outside, as the first of so many dimensions.
    fn iterations(&self, outer: usize, dims: usize) -> Option<BasicSet> {
        let mut set = BasicSet::universe(self.domain.set_space(dims));
        self.domain.constrain(&mut set, self.nests[0].get(..outer)?).ok()?;
        Some(set)
    }

    /// An expression over parameters as a polynomial.
    fn polynomial(&self, form: &Affine) -> Option<Polynomial> {
        self.domain.polynomial(form)
    }
}

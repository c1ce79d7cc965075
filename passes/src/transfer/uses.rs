//! What a nest does with the memory of an argument, as far as it decides what moves: whether anything is written, and whether all
//! of it is, before any of it is read.
//!
//! What a nest overwrites need not go to the device. That is asked of sets of elements: those of all writes that happen for
//! sure, as images of their iterations, have to hold the whole variable, or, of what a pointer points to, the whole section
//! from the first to the last element touched; and each read has to find what a write in front of it has left, in the
//! same iteration of the loops that both are in.

use gpuc_ir::{DYNAMIC, Ir, Op, Region, Value};
use gpuc_presburger::{Affine, BasicSet, Constraint, Set};

use super::section::{inner_extents, strides};
use crate::analysis::access::{Access, AccessKind};
use crate::analysis::domain::Domain;
use crate::analysis::loops::{CountedLoop, nest};
use crate::analysis::nest::guard::{Guard, are_all_guards, guards};
use crate::analysis::polynomial::Polynomial;

/// What is done with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It is read at most.
    Reads,
    /// Some of it may be written.
    Writes,
    /// All of it is written, and what was there before is not looked at.
    Overwrites,
}

/// What is done with the memory of `argument` by all accesses to it, each with its region; `section` says that it is as much of
/// what a pointer points to as is touched.
pub fn of(ir: &Ir, argument: Value, accesses: &[(Op, Access)], section: bool) -> Use {
    if !accesses.iter().any(|(_, access)| access.writes()) {
        return Use::Reads;
    }
    match overwrites(ir, argument, accesses, section) {
        Some(true) => Use::Overwrites,
        _ => Use::Writes,
    }
}

/// An access and the elements that it touches.
struct Touching<'a> {
    access: &'a Access,
    loops: Vec<CountedLoop>,
    /// Dimensions are the loops, then the subscripts.
    set: BasicSet,
    /// Whether it touches these for sure.
    exact: bool,
}

fn overwrites(ir: &Ir, argument: Value, accesses: &[(Op, Access)], section: bool) -> Option<bool> {
    let &(region, ref first) = accesses.first()?;
    let memory = first.memory();
    let alike = |(other, access): &(Op, Access)| *other == region && access.memory() == memory;
    if !accesses.iter().all(alike) || (!section && memory != argument) {
        return None;
    }
    let scope = ir.region(region, 0);
    let (domain, all) = touching(ir, region, scope, accesses)?;
    let dims = first.place().count();
    let inner = extents(ir, &domain, memory)?;
    if inner.len() + 1 != dims {
        return None;
    }
    let elements =
        |one: &Touching<'_>| Set::from(one.set.clone()).project_out(0..one.loops.len()).ok();
    let none = || Set::empty(domain.set_space(dims));
    let join = |wanted: &dyn Fn(&Touching<'_>) -> bool| {
        let sets = all.iter().filter(|one| wanted(one)).map(elements);
        sets.into_iter().try_fold(none(), |sum, set| sum.union(&set?).ok())
    };
    let written = join(&|one| one.access.writes() && one.exact)?;
    let outermost = match section {
        true => stretches(&domain, &join(&|_| true)?, dims)?,
        false => {
            let extent = *ir.ctx.shape(ir.ty(memory))?.first()?;
            if extent == DYNAMIC {
                return None;
            }
            let mut whole = BasicSet::universe(domain.set_space(dims));
            whole.add(&Constraint::ge(Affine::dim(0), 0)).ok()?;
            whole.add(&Constraint::lt(Affine::dim(0), extent)).ok()?;
            vec![whole]
        }
    };
    for mut stretch in outermost {
        domain.constrain(&mut stretch, &[]).ok()?;
        for (at, extent) in inner.iter().enumerate() {
            stretch.add(&Constraint::ge(Affine::dim(at + 1), 0)).ok()?;
            stretch.add(&Constraint::lt(Affine::dim(at + 1), extent.clone())).ok()?;
        }
        if !Set::from(stretch).is_subset(&written).ok()? {
            return Some(false);
        }
    }
    let finds = |read: &Touching<'_>| all.iter().any(|write| is_found(ir, write, read));
    Some(all.iter().filter(|one| one.access.kind != AccessKind::Write).all(finds))
}

/// The elements of all accesses, over the same parameters; `None` where a subscript has no closed form, or a loop takes steps.
fn touching<'a>(
    ir: &Ir,
    region: Op,
    scope: Region,
    accesses: &'a [(Op, Access)],
) -> Option<(Domain, Vec<Touching<'a>>)> {
    let mut domain = Domain::of_scope(scope);
    let mut parts: Vec<(&Access, Vec<CountedLoop>, Vec<Guard>)> = Vec::new();
    for (_, access) in accesses {
        let loops = nest(ir, access.op, region);
        let guards = guards(ir, access.op, region);
        domain.add_nest(ir, &loops);
        for form in access.place() {
            domain.add_params_of(ir, &loops, &form?);
        }
        guards.iter().for_each(|guard| domain.add_params_of(ir, &loops, &guard.form));
        inner_extents(ir, access.memory())
            .iter()
            .for_each(|extent| domain.add_params(ir, &loops, extent));
        // The hull of what a pointer points to counts rounds by one.
        if loops.iter().any(|dim| dim.step != Some(1)) {
            return None;
        }
        parts.push((access, loops, guards));
    }
    // An extent may be another value than the bound that it equals.
    domain.add_definitions(ir);
    let mut found = Vec::new();
    for (access, loops, guards) in parts {
        let dims = access.place().count();
        let mut set = BasicSet::universe(domain.set_space(loops.len() + dims));
        let mut exact =
            domain.constrain(&mut set, &loops).ok()? && are_all_guards(ir, access.op, region);
        for guard in &guards {
            match domain.quasi_affine(&mut set, &loops, &guard.form).ok()? {
                Some(form) if guard.is_equality => set.add(&Constraint::eq(form, 0)).ok()?,
                Some(form) => set.add(&Constraint::ge(form, 0)).ok()?,
                None => exact = false,
            }
        }
        for (at, form) in access.place().enumerate() {
            let form = domain.quasi_affine(&mut set, &loops, &form?).ok()??;
            let element = Affine::dim(loops.len() + at);
            if at + 1 == dims {
                set.add(&Constraint::ge(element.clone(), form.clone())).ok()?;
                set.add(&Constraint::lt(element, form + access.extent())).ok()?;
            } else {
                set.add(&Constraint::eq(element, form)).ok()?;
            }
        }
        found.push(Touching { access, loops, set, exact });
    }
    Some((domain, found))
}

/// The extents of all dimensions but the first, if rows follow each other without a gap.
fn extents(ir: &Ir, domain: &Domain, memory: Value) -> Option<Vec<Affine>> {
    let (inner, strides) = (inner_extents(ir, memory), strides(ir, memory)?);
    let mut expected = Polynomial::constant(1);
    for (at, stride) in strides.iter().enumerate().rev() {
        if *stride != expected {
            return None;
        }
        if let Some(extent) = at.checked_sub(1).map(|at| inner.get(at)) {
            expected = expected.times(extent?)?;
        }
    }
    inner.iter().map(|extent| domain.affine(&[], extent)).collect()
}

/// For all values of the parameters, from the first to the last of the outermost subscripts.
fn stretches(domain: &Domain, touched: &Set, dims: usize) -> Option<Vec<BasicSet>> {
    let (least, greatest) = (touched.dim_min(0).ok()?, touched.dim_max(0).ok()?);
    let mut found = Vec::new();
    for low in least.pieces() {
        for high in greatest.pieces() {
            let mut stretch = BasicSet::universe(domain.set_space(dims));
            for (piece, is_low) in [(low, true), (high, false)] {
                let value = piece.values.first()?.as_affine()?.clone();
                if piece.domain.locals() > 0 {
                    return None;
                }
                stretch
                    .add(&match is_low {
                        true => Constraint::ge(Affine::dim(0), value),
                        false => Constraint::le(Affine::dim(0), value),
                    })
                    .ok()?;
                for constraint in piece.domain.constraints() {
                    stretch.add(&constraint).ok()?;
                }
            }
            found.push(stretch);
        }
    }
    Some(found)
}

/// Whether a read sees what a write in front of it has left, in every iteration of the loops that both are in.
fn is_found(ir: &Ir, write: &Touching<'_>, read: &Touching<'_>) -> bool {
    let certain = write.access.kind == AccessKind::Write && write.exact;
    if !certain || !is_in_front(ir, write.access.op, read.access.op) {
        return false;
    }
    let both = write.loops.iter().zip(&read.loops);
    let common = both.take_while(|(a, b)| a.variable == b.variable).count();
    let elements =
        |one: &Touching<'_>| Set::from(one.set.clone()).project_out(common..one.loops.len()).ok();
    let inside = || elements(read)?.is_subset(&elements(write)?).ok();
    inside().unwrap_or(false)
}

/// Whether an operation stands in front of another in the block that holds both.
fn is_in_front(ir: &Ir, first: Op, second: Op) -> bool {
    let mut at = first;
    loop {
        let Some(block) = ir.parent_block(at) else { return false };
        if let Some(other) = ir.ancestor_in_block(second, block) {
            let mut behind = at;
            while let Some(next) = ir.next_op(behind) {
                if next == other {
                    return true;
                }
                behind = next;
            }
            return false;
        }
        let Some(outer) = ir.parent_op(at) else { return false };
        at = outer;
    }
}

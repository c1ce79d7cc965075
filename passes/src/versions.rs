//! Two versions of a compute region: one that assumes something, and one for where it does not hold.

use gpuc_dialects::offload::{DisjointOp, FALLBACK_ATTR, REST_ATTR};
use gpuc_dialects::{arith, scf};
use gpuc_ir::op::Traits;
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueMap, WalkOrder};
use indexmap::IndexSet;

use crate::analysis::access::{Access, Alias, Storage, access, alias, name};
use crate::raise::row_guard::Guard;

/// A copy of a region, detached: the version without the assumption.
fn copy_as_fallback(ir: &mut Ir, region: Op) -> Op {
    let copy = ir.clone_op(region, &mut ValueMap::new());
    let unit = ir.ctx.unit_attr();
    ir.set_attr(copy, FALLBACK_ATTR, unit);
    copy
}

/// A copy of a region, detached: what versions for some sizes leave, of which plans speak.
pub fn copy_as_rest(ir: &mut Ir, region: Op) -> Op {
    let copy = copy_as_fallback(ir, region);
    let unit = ir.ctx.unit_attr();
    ir.set_attr(copy, REST_ATTR, unit);
    copy
}

/// Runs the region where `holds`, a value in front of it, says so, and its fallback elsewhere.
pub fn choose(ir: &mut Ir, holds: Value, region: Op, fallback: Op) {
    let mut b = Builder::before(ir, region);
    let branches = [0, 1].map(|_| b.region(&[], |b, _| _ = scf::YieldOp::new(b, &[]).build(b)));
    let [then, otherwise] = branches;
    let choice = scf::IfOp::new(&mut b, holds).region(then).region(otherwise).build(&mut b);
    ir.detach_op(region);
    for (i, version) in [region, fallback].into_iter().enumerate() {
        let end = ir.terminator(ir.body(choice, i)).expect("the branch ends with a yield");
        ir.insert_before(end, version);
    }
}

/// A region as it was before anything was assumed about it.
///
/// All that the steps of a region assume comes together in one condition and makes one second version of it, whichever
/// step is the first; a step keeps the region ([`Unassuming::keep`]) before it changes it, and says behind it what has
/// to hold.
#[derive(Debug)]
#[must_use]
pub enum Unassuming {
    /// A copy, detached: nothing has been assumed yet.
    Copy(Op),
    /// The choice that an earlier assumption has made, whose other branch it is.
    Choice(Op),
}

impl Unassuming {
    /// Keeps a region that is about to be changed.
    pub fn keep(ir: &mut Ir, region: Op) -> Unassuming {
        match assumed(ir, region) {
            Some(choice) => Unassuming::Choice(choice),
            None => Unassuming::Copy(copy_as_fallback(ir, region)),
        }
    }

    /// Lets the changed region run only where `holds`, too, a value in front of its [`point`]. The fallback, where
    /// this is the first assumption.
    pub fn require(self, ir: &mut Ir, holds: Value, region: Op) -> Option<Op> {
        match self {
            Unassuming::Copy(fallback) => {
                choose(ir, holds, region, fallback);
                Some(fallback)
            }
            Unassuming::Choice(choice) => {
                let so_far = scf::IfOp(choice).condition(ir);
                let mut b = Builder::before(ir, choice);
                let both = arith::AndIOp::new(&mut b, so_far, holds).value(&mut b);
                ir.set_operand(choice, 0, both);
                None
            }
        }
    }

    /// The same where all pairs of buffers are apart, as far as that is not tested yet; what was kept goes where there
    /// is no pair to test.
    pub fn require_disjoint(
        self,
        ir: &mut Ir,
        pairs: &IndexSet<(Value, Value)>,
        region: Op,
    ) -> Option<Op> {
        self.require_all(ir, pairs, &Guard::default(), region)
    }

    /// The same where a guard, which can be had in front of the region's [`point`], holds as well.
    pub fn require_all(
        self,
        ir: &mut Ir,
        pairs: &IndexSet<(Value, Value)>,
        guard: &Guard,
        region: Op,
    ) -> Option<Op> {
        let known = known_apart(ir, region);
        let point = point(ir, region);
        let mut b = Builder::before(ir, point);
        let mut all: Option<Value> = (!guard.holds_always()).then(|| guard.build(&mut b, point));
        for &(first, second) in pairs.difference(&known) {
            let holds = DisjointOp::new(&mut b, first, second).value(&mut b);
            all = Some(match all {
                Some(so_far) => arith::AndIOp::new(&mut b, so_far, holds).value(&mut b),
                None => holds,
            });
        }
        match (all, self) {
            (Some(holds), kept) => kept.require(ir, holds, region),
            (None, Unassuming::Copy(fallback)) => {
                ir.erase_op(fallback);
                None
            }
            (None, Unassuming::Choice(_)) => None,
        }
    }
}

/// The operation in front of which what a region assumes is computed.
pub fn point(ir: &Ir, region: Op) -> Op {
    assumed(ir, region).unwrap_or(region)
}

/// The choice that assumptions about a region have made.
fn assumed(ir: &Ir, region: Op) -> Option<Op> {
    let choice = scf::IfOp::cast(ir, ir.parent_op(region)?)?.op();
    let other = ir.ops(ir.body(choice, 1)).next()?;
    let is_assumed = ir.attr(other, FALLBACK_ATTR).is_some() && ir.attr(other, REST_ATTR).is_none();
    (is_assumed && ir.parent_region(region) == Some(ir.region(choice, 0))).then_some(choice)
}

/// Pairs of buffers, each both ways round, that were tested to be apart before an operation is reached.
pub fn known_apart(ir: &Ir, op: Op) -> IndexSet<(Value, Value)> {
    let mut known = IndexSet::new();
    for test in tested(ir, op).into_iter().filter(|&test| DisjointOp::is(ir, test)) {
        let pair = [0, 1].map(|i| ir.operand(test, i));
        known.extend([(pair[0], pair[1]), (pair[1], pair[0])]);
    }
    known
}

/// The pairs of mapped buffers of which the host has to ask that they are apart for the nest's accesses of a kind
/// not to touch the memory of `roots`; `None` where they may all the same.
pub fn apart_from(
    ir: &Ir,
    nest: Op,
    roots: &[Value],
    counts: impl Fn(&Access) -> bool,
) -> Option<Vec<(Value, Value)>> {
    let known = known_apart(ir, nest);
    let mut apart: Vec<(Value, Value)> = Vec::new();
    for op in ir.nested_ops(nest, WalkOrder::PreOrder) {
        let passes = ir.has_trait(op, Traits::RECURSIVE_EFFECTS) || ir.is_effect_free(op);
        if passes || ir.has_trait(op, Traits::TERMINATOR) {
            continue;
        }
        let touched = access(ir, op)?;
        if !counts(&touched) {
            continue;
        }
        for &root in roots {
            let pair = (root, touched.root);
            let found = alias(Storage::of(ir, root), Storage::of(ir, touched.root));
            match found {
                _ if root == touched.root => return None,
                Alias::No => {}
                _ if known.contains(&pair) || apart.contains(&pair) => {}
                Alias::Mapped => apart.push(pair),
                Alias::May => return None,
            }
        }
    }
    Some(apart)
}

/// How it is said that two buffers are taken to be apart.
pub fn if_apart(ir: &Ir, [first, second]: [Value; 2]) -> String {
    let [first, second] = [first, second].map(|buffer| name(ir, buffer));
    format!("if {first} and {second} do not overlap, tested at run time: two versions made")
}

/// What was tested, and found to hold, before an operation is reached.
pub fn tested(ir: &Ir, op: Op) -> Vec<Op> {
    let mut tests = Vec::new();
    let mut at = op;
    while let (Some(region), Some(outer)) = (ir.parent_region(at), ir.parent_op(at)) {
        if let Some(choice) = scf::IfOp::cast(ir, outer).filter(|_| ir.region(outer, 0) == region) {
            let mut conditions = vec![choice.condition(ir)];
            while let Some(condition) = conditions.pop() {
                let Some(condition) = ir.defining_op(condition) else { continue };
                match arith::AndIOp::is(ir, condition) {
                    true => conditions.extend(ir.operands(condition)),
                    false => tests.push(condition),
                }
            }
        }
        at = outer;
    }
    tests
}

/// Whether an operation is in the version without an assumption, of which the user is told nothing:
/// what differs in the other one was said, with the condition for it.
pub fn in_fallback(ir: &Ir, op: Op) -> bool {
    [op].into_iter().chain(ir.ancestors(op)).any(|at| is_fallback(ir, at))
}

/// Whether an operation is a version without an assumption. One that is left alone, because the test is known
/// to fail, is what runs, and no less than an operation of which there was never another version.
pub fn is_fallback(ir: &Ir, op: Op) -> bool {
    if ir.attr(op, FALLBACK_ATTR).is_none() {
        return false;
    }
    // A copy that is not in its place yet.
    if ir.parent_op(op).is_none() {
        return true;
    }
    // It may have been made into versions itself.
    let mut at = op;
    while let (Some(region), Some(outer)) = (ir.parent_region(at), ir.parent_op(at)) {
        let Some(choice) = scf::IfOp::cast(ir, outer) else { return false };
        let can_hold = arith::constant_int_value(ir, choice.condition(ir)) != Some(0);
        // Besides what ends the branch.
        let holds_version = || ir.ops(ir.body(outer, 0)).nth(1).is_some();
        if ir.region(outer, 0) != region && can_hold && holds_version() {
            return true;
        }
        at = outer;
    }
    false
}

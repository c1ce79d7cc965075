//! Dependences that a loop carries: the question behind every parallel loop.
//!
//! The accesses to one buffer are sorted by their shapes (see [`shape`](super::shape)), pairs that
//! cannot touch the same element are never looked at where that follows from their constants, and the
//! solver is asked once for all pairs that are alike. So the effort is near-linear in the number of
//! accesses, and it is bounded: who asks more of the solver than [`MOST_QUESTIONS`] is told that there
//! may be a dependence.

use gpuc_ir::{Ir, Op, Value};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashMap;

use super::super::access::{Access, AccessKind, Alias, Storage, alias, is_own};
use super::dependence::{Certainty, Dependence, DependenceKind};
use super::pair::Pair;
use super::shape::{Constants, Shape, ShapeKey, is_refuted};

/// Questions to the solver for one loop; answering so many takes some tenths of a second.
const MOST_QUESTIONS: usize = 4096;

/// Whether mapped variables that only pointers could make overlap are taken to be apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Apart {
    /// They are, and [`Carried::assumed_apart`] says which.
    Assumed,
    /// They may overlap.
    Unknown,
}

/// Which dependence is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// One that may be there: without it the loop can run in parallel.
    Any,
    /// One that is certain to be there.
    Certain,
}

/// What a loop carries.
#[derive(Clone, Debug, Default)]
pub struct Carried {
    /// The first dependence of those wanted, in order of the accesses.
    pub dependence: Option<Dependence>,
    /// Pairs of mapped variables that were taken to be apart.
    pub assumed_apart: Vec<(Value, Value)>,
}

/// What the loop `op` carries, in any of its dimensions, among `accesses`. Buffers that are declared
/// inside it are an iteration's own. Whether mapped variables are taken to be apart is for the caller
/// to say.
pub fn carried(ir: &Ir, op: Op, accesses: &[Access], apart: Apart, wanted: Wanted) -> Carried {
    let roots = shared(ir, op, accesses);
    let mut found = Carried::default();
    let mut assumed = IndexSet::new();
    // For each root, the later ones that it may share memory with.
    let mut overlapping: Vec<Vec<usize>> = vec![Vec::new(); roots.len()];
    for a in 0..roots.len() {
        for b in a + 1..roots.len() {
            let how = alias(roots[a].storage, roots[b].storage);
            if how == Alias::No || !roots[a].conflicts_with(&roots[b]) {
                continue;
            }
            if how == Alias::Mapped && apart == Apart::Assumed {
                let (a, b) = (roots[a].value, roots[b].value);
                assumed.insert((a.min(b), a.max(b)));
            } else if wanted == Wanted::Any {
                // Which elements of the other coincide is not known.
                overlapping[a].push(b);
            }
        }
    }
    found.assumed_apart = assumed.into_iter().collect();
    let mut questions = 0;
    for a in 0..roots.len() {
        let mut search = Search::new(ir, op, wanted, &roots[a], questions);
        for i in 0..roots[a].accesses.len() {
            let first = roots[a].accesses[i];
            found.dependence = search.dependence_of(i).or_else(|| {
                let other =
                    overlapping[a].iter().find_map(|&b| roots[b].conflicting(first.kind))?;
                Some(dependence(first, other, Certainty::May))
            });
            if found.dependence.is_some() {
                return found;
            }
        }
        questions = search.questions;
    }
    found
}

fn dependence(source: &Access, sink: &Access, certainty: Certainty) -> Dependence {
    let kind = DependenceKind::between(source, sink);
    Dependence { source: source.clone(), sink: sink.clone(), kind, certainty }
}

/// Whether the order of two accesses to one element matters. Atomic ones do not mind each other, but
/// plain ones and those of a volatile object.
pub(super) fn conflict(a: AccessKind, b: AccessKind) -> bool {
    match (a, b) {
        (AccessKind::Read, AccessKind::Read) | (AccessKind::Atomic, AccessKind::Atomic) => false,
        (AccessKind::Read | AccessKind::Write | AccessKind::Atomic | AccessKind::Volatile, _) => {
            true
        }
    }
}

/// A buffer that iterations share.
struct Root<'a> {
    value: Value,
    storage: Storage,
    /// The accesses, the first of each kind to the same elements: the others depend on the same.
    accesses: Vec<&'a Access>,
    /// The numbers of the first access of each kind.
    firsts: Vec<usize>,
    shapes: Vec<(usize, Constants)>,
    keys: IndexMap<ShapeKey, &'a Access>,
}

impl<'a> Root<'a> {
    fn conflicts_with(&self, other: &Root<'_>) -> bool {
        self.firsts.iter().any(|&i| other.conflicting(self.accesses[i].kind).is_some())
    }

    /// The first access that one of such a kind must not be exchanged with.
    fn conflicting(&self, kind: AccessKind) -> Option<&'a Access> {
        let mut firsts = self.firsts.iter().map(|&i| self.accesses[i]);
        firsts.find(|access| conflict(kind, access.kind))
    }
}

/// The buffers that are not an iteration's own.
fn shared<'a>(ir: &Ir, op: Op, accesses: &'a [Access]) -> Vec<Root<'a>> {
    let mut by_root: IndexMap<Value, Option<Root<'a>>> = IndexMap::new();
    let mut known: IndexSet<(Value, usize, AccessKind, Constants)> = IndexSet::new();
    for access in accesses {
        let root = by_root.entry(access.root).or_insert_with(|| {
            (!is_own(ir, access.root, op)).then(|| Root {
                value: access.root,
                storage: Storage::of(ir, access.root),
                accesses: Vec::new(),
                firsts: Vec::new(),
                shapes: Vec::new(),
                keys: IndexMap::new(),
            })
        });
        let Some(root) = root else { continue };
        let (key, constants) = ShapeKey::of(ir, op, access);
        let entry = root.keys.entry(key);
        let shape = entry.index();
        entry.or_insert(access);
        if known.insert((access.root, shape, access.kind, constants.clone())) {
            let is_first = |&i: &usize| root.accesses[i].kind != access.kind;
            if root.firsts.iter().all(is_first) {
                root.firsts.push(root.accesses.len());
            }
            root.accesses.push(access);
            root.shapes.push((shape, constants));
        }
    }
    by_root.into_values().flatten().collect()
}

/// The search for dependences among the accesses to one buffer.
struct Search<'a> {
    ir: &'a Ir,
    op: Op,
    wanted: Wanted,
    root: &'a Root<'a>,
    shapes: Vec<Shape>,
    /// For each group of accesses that may touch the same elements: those of one shape, sorted by the
    /// constants of one subscript.
    groups: FxHashMap<Constants, IndexMap<(usize, Constants), Group>>,
    /// Subscripts that tell accesses apart for good: the same in all iterations.
    fixed: Vec<usize>,
    pairs: FxHashMap<(usize, usize), Pair>,
    answers: FxHashMap<(usize, usize, Constants), Option<Certainty>>,
    questions: usize,
}

/// Accesses of one shape whose constants agree as far as they have to.
#[derive(Default)]
struct Group {
    /// Constant of the subscript that is looked at, and the number of the access; in order.
    members: Vec<(i64, usize)>,
}

impl<'a> Search<'a> {
    fn new(ir: &'a Ir, op: Op, wanted: Wanted, root: &'a Root<'a>, questions: usize) -> Search<'a> {
        let shapes: Vec<Shape> =
            root.keys.iter().map(|(key, access)| Shape::new(ir, op, key.clone(), access)).collect();
        let mut search = Search {
            ir,
            op,
            wanted,
            root,
            fixed: fixed(&shapes),
            shapes,
            groups: FxHashMap::default(),
            pairs: FxHashMap::default(),
            answers: FxHashMap::default(),
            questions,
        };
        for (i, (shape, constants)) in root.shapes.iter().enumerate() {
            let shape_of = &search.shapes[*shape];
            let window = window(shape_of).map_or(0, |k| constants[k]);
            let group = search
                .groups
                .entry(search.fixed.iter().map(|&k| constants[k]).collect())
                .or_default()
                .entry((*shape, residues(shape_of, constants)))
                .or_default();
            group.members.push((window, i));
        }
        for group in search.groups.values_mut().flat_map(IndexMap::values_mut) {
            group.members.sort_unstable();
        }
        search
    }

    /// The first dependence between the access of that number and itself or a later one.
    fn dependence_of(&mut self, i: usize) -> Option<Dependence> {
        for j in self.candidates(i) {
            let (first, second) = (self.root.accesses[i], self.root.accesses[j]);
            if !conflict(first.kind, second.kind) {
                continue;
            }
            if let Some(certainty) = self.test(i, j) {
                return Some(dependence(first, second, certainty));
            }
            if i != j
                && let Some(certainty) = self.test(j, i)
            {
                return Some(dependence(second, first, certainty));
            }
        }
        None
    }

    /// The accesses from that of number `i` on that may touch an element that it touches, in order.
    fn candidates(&self, i: usize) -> Vec<usize> {
        let (shape, constants) = &self.root.shapes[i];
        let own = &self.shapes[*shape];
        let place: Constants = self.fixed.iter().map(|&k| constants[k]).collect();
        let residues = residues(own, constants);
        let mut found = Vec::new();
        for ((other, others), group) in &self.groups[&place] {
            if other == shape {
                if *others != residues {
                    continue;
                }
                let reach = window(own).and_then(|k| Some((constants[k], own.reach(k)?)));
                let near = match reach {
                    Some((at, reach)) => {
                        let (at, members) = (i128::from(at), &group.members);
                        let start = members.partition_point(|m| i128::from(m.0) < at - reach);
                        let end = members.partition_point(|m| i128::from(m.0) <= at + reach);
                        &members[start..end]
                    }
                    None => &group.members[..],
                };
                found.extend(near.iter().map(|&(_, j)| j).filter(|&j| j >= i));
            } else if self.is_worth(own, &self.shapes[*other]) {
                found.extend(group.members.iter().map(|&(_, j)| j).filter(|&j| j >= i));
            }
        }
        found.sort_unstable();
        found
    }

    /// Whether accesses of two shapes can have a dependence of the kind wanted: one that is certain
    /// takes a subscript that shows the distance.
    fn is_worth(&self, a: &Shape, b: &Shape) -> bool {
        match self.wanted {
            Wanted::Any => true,
            Wanted::Certain => {
                let comparable = a.key.compares_with(&b.key);
                comparable && (0..a.rank()).any(|k| a.agrees_with(b, k))
            }
        }
    }

    /// Whether the loop carries a dependence of the kind wanted from one access to another.
    fn test(&mut self, source: usize, sink: usize) -> Option<Certainty> {
        let ((from_shape, from), (to_shape, to)) =
            (&self.root.shapes[source], &self.root.shapes[sink]);
        let (one, other) = (&self.shapes[*from_shape], &self.shapes[*to_shape]);
        let may = match self.wanted {
            Wanted::Any => Some(Certainty::May),
            Wanted::Certain => None,
        };
        if !one.key.compares_with(&other.key) {
            return may;
        }
        let unconditional = one.key.unconditional && other.key.unconditional;
        let certain = unconditional && one.is_affine() && other.is_affine();
        if (self.wanted == Wanted::Certain && !certain) || is_refuted(one, from, other, to) {
            return None;
        }
        let difference = from.iter().zip(to).map(|(a, b)| b.wrapping_sub(*a)).collect();
        let question = (*from_shape, *to_shape, difference);
        if let Some(&known) = self.answers.get(&question) {
            return known;
        }
        if self.questions >= MOST_QUESTIONS {
            return may;
        }
        self.questions += 1;
        let (source, sink) = (self.root.accesses[source], self.root.accesses[sink]);
        let pair = self
            .pairs
            .entry((*from_shape, *to_shape))
            .or_insert_with(|| Pair::new(self.ir, [self.op; 2], source, sink));
        let answer = pair.carried(source, sink, unconditional).filter(|certainty| {
            self.wanted == Wanted::Any || matches!(certainty, Certainty::Must(_))
        });
        self.answers.insert(question, answer);
        answer
    }
}

/// The subscripts that are the same in all iterations and differ between accesses by constants only.
fn fixed(shapes: &[Shape]) -> Vec<usize> {
    let Some((first, rest)) = shapes.split_first() else { return Vec::new() };
    if !rest.iter().all(|shape| shape.key.compares_with(&first.key)) {
        return Vec::new();
    }
    (0..first.rank())
        .filter(|&k| first.is_fixed(k))
        .filter(|&k| rest.iter().all(|shape| shape.is_fixed(k) && shape.agrees_with(first, k)))
        .collect()
}

/// What constants of accesses of one shape have to agree in, for them to touch the same element.
fn residues(shape: &Shape, constants: &[i64]) -> Constants {
    let each = constants.iter().enumerate();
    each.map(|(k, &constant)| match shape.modulus(k) {
        0 => constant,
        modulus => constant.rem_euclid(modulus),
    })
    .collect()
}

/// The subscript whose constants tell accesses apart that are far from each other.
fn window(shape: &Shape) -> Option<usize> {
    (0..shape.rank()).find(|&k| shape.modulus(k) != 0 && shape.reach(k).is_some())
}

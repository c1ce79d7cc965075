//! Dependences that a loop carries: the question behind every parallel loop.
//!
//! Iterations of the loops around the one asked about are fixed, so their variables are parameters,
//! as is every other value from outside. Where bounds, steps and subscripts are affine the answer is
//! exact for all values of the parameters (see [`gpuc_presburger::dependence`]); what is not affine
//! is left unconstrained, so that "no dependence" is a proof always.

use gpuc_ir::{Ir, Op, Value};
use gpuc_presburger::dependence::{Conflicts, Level};
use gpuc_presburger::{Affine, BasicSet, Constraint, Map, dependence};
use indexmap::{IndexMap, IndexSet};

use super::access::{Access, AccessKind, Alias, Storage, alias};
use super::domain::Domain;
use super::loops::{CountedLoop, dimensions, is_counted, nest};

/// Which access is of which kind in a dependence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DependenceKind {
    /// A later iteration reads what an earlier one writes.
    Flow,
    /// A later iteration overwrites what an earlier one reads.
    Anti,
    /// Both write.
    Output,
}

/// Two accesses that a loop may not run in parallel for.
#[derive(Clone, Debug)]
pub struct Dependence {
    /// The access of the earlier iteration.
    pub source: Access,
    /// The access of the later iteration.
    pub sink: Access,
    /// What they do.
    pub kind: DependenceKind,
    /// How sure it is.
    pub certainty: Certainty,
}

/// How sure a dependence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// It may be there; nothing shows that it is not.
    May,
    /// It is there for some values of what is not known, so many iterations apart where that is one
    /// number.
    ForSome(Option<i64>),
    /// It is there as soon as the loop runs that often.
    Must(Option<i64>),
}

/// Whether mapped variables that only pointers could make overlap are taken to be apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apart {
    /// They are, and [`Carried::assumed_apart`] says which.
    Assumed,
    /// They may overlap.
    Unknown,
}

/// What a loop carries.
#[derive(Clone, Debug, Default)]
pub struct Carried {
    /// The dependences, in order of the accesses.
    pub dependences: Vec<Dependence>,
    /// Pairs of mapped variables that were taken to be apart.
    pub assumed_apart: Vec<(Value, Value)>,
}

/// The dependences among `accesses` that the loop `op` carries in any of its dimensions. Buffers that
/// are declared inside it are an iteration's own. Whether mapped variables are taken to be apart is
/// for the caller to say.
pub fn carried(ir: &Ir, op: Op, accesses: &[Access], apart: Apart) -> Carried {
    let mut found = Carried::default();
    let shared = representatives(ir, op, accesses);
    let mut assumed = IndexSet::new();
    for (i, (first, first_storage)) in shared.iter().enumerate() {
        for (second, second_storage) in &shared[i..] {
            if !(first.writes() || second.writes())
                || (first.kind == AccessKind::Atomic && second.kind == AccessKind::Atomic)
            {
                continue;
            }
            if first.root != second.root {
                match alias(*first_storage, *second_storage) {
                    Alias::No => continue,
                    Alias::Mapped if apart == Apart::Assumed => {
                        assumed.insert((first.root.min(second.root), first.root.max(second.root)));
                        continue;
                    }
                    Alias::Mapped | Alias::May => {}
                }
            }
            let mut ways = vec![(first, second)];
            if first.op != second.op {
                ways.push((second, first));
            }
            for (source, sink) in ways {
                if let Some(certainty) = test(ir, op, source, sink) {
                    let kind = match (source.writes(), sink.writes()) {
                        (true, true) => DependenceKind::Output,
                        (true, false) => DependenceKind::Flow,
                        _ => DependenceKind::Anti,
                    };
                    let (source, sink) = (Access::clone(source), Access::clone(sink));
                    found.dependences.push(Dependence { source, sink, kind, certainty });
                }
            }
        }
    }
    found.assumed_apart = assumed.into_iter().collect();
    found
}

/// The accesses to buffers that are not an iteration's own, the first of each kind: those to the
/// same elements in the same loops depend on the same others.
fn representatives<'a>(ir: &Ir, op: Op, accesses: &'a [Access]) -> Vec<(&'a Access, Storage)> {
    let mut by_root: IndexMap<Value, (Storage, Vec<&'a Access>)> = IndexMap::new();
    for access in accesses {
        let own = ir
            .value_block(access.root)
            .and_then(|block| ir.block_op(block))
            .is_some_and(|owner| ir.is_inside(owner, op));
        if own {
            continue;
        }
        let (_, known) = by_root
            .entry(access.root)
            .or_insert_with(|| (Storage::of(ir, access.root), Vec::new()));
        let same = known.iter().any(|other| {
            other.kind == access.kind
                && other.buffer == access.buffer
                && other.length == access.length
                && ir.parent_op(other.op) == ir.parent_op(access.op)
                && other.subscripts == access.subscripts
        });
        if !same {
            known.push(access);
        }
    }
    let all = by_root.into_values();
    all.flat_map(|(storage, known)| known.into_iter().map(move |access| (access, storage)))
        .collect()
}

/// Whether `op` carries a dependence from one access to another.
fn test(ir: &Ir, op: Op, source: &Access, sink: &Access) -> Option<Certainty> {
    // Different views of one buffer: subscripts do not compare.
    let comparable =
        source.buffer == sink.buffer && source.subscripts.len() == sink.subscripts.len();
    if !comparable {
        return Some(Certainty::May);
    }
    let common = dimensions(ir, op).len();
    let problem = Problem::new(ir, op, source, sink);
    let relations = (problem.relation(0, source), problem.relation(1, sink));
    let (Some((from, exact_from)), Some((to, exact_to))) = relations else {
        return Some(Certainty::May);
    };
    let exact = exact_from && exact_to;
    let decided = (|| {
        let from = dependence::Access::from_relation(from);
        let to = dependence::Access::from_relation(to);
        let conflicts = Conflicts::new(&from, &to, common)?;
        for level in 0..common {
            if let Some(found) = conflicts.dependence(Level::Loop(level))? {
                let distance = found.distance(level).ok().and_then(|d| d.constant());
                return Ok(Some((level, distance)));
            }
        }
        Ok::<_, gpuc_presburger::Error>(None)
    })();
    match decided {
        Ok(None) => None,
        Ok(Some((level, distance))) if exact => {
            let unconditional =
                is_unconditional(ir, source.op, op) && is_unconditional(ir, sink.op, op);
            // The same element in every iteration, or always the same distance.
            let fixed = source.subscripts == sink.subscripts && problem.is_invariant(source);
            Some(match unconditional && (fixed || distance.is_some()) {
                true => Certainty::Must(distance.map(|d| d / problem.step(level))),
                false => Certainty::ForSome(distance.map(|d| d / problem.step(level))),
            })
        }
        _ => Some(Certainty::May),
    }
}

/// Whether each iteration of `outer` executes `op`, as far as it runs the loops round it.
fn is_unconditional(ir: &Ir, op: Op, outer: Op) -> bool {
    ir.ancestors(op).take_while(|&at| at != outer).all(|at| is_counted(ir, at))
}

/// Two accesses in one space of parameters.
struct Problem {
    nests: [Vec<CountedLoop>; 2],
    domain: Domain,
}

impl Problem {
    fn new(ir: &Ir, op: Op, source: &Access, sink: &Access) -> Problem {
        let nests = [source, sink].map(|access| nest(ir, access.op, op));
        let mut domain = Domain::inside(op);
        for (nest, access) in nests.iter().zip([source, sink]) {
            domain.add_nest(ir, nest);
            for form in access.subscripts.iter().flatten() {
                domain.add_params(ir, nest, form);
            }
        }
        domain.add_context(ir);
        Problem { nests, domain }
    }

    fn step(&self, level: usize) -> i64 {
        self.nests[0].get(level).and_then(|dim| dim.step).unwrap_or(1)
    }

    /// Whether the access is to the same element in all iterations.
    fn is_invariant(&self, access: &Access) -> bool {
        let variables: Vec<Value> = self.nests[0].iter().map(|dim| dim.variable).collect();
        access.subscripts.iter().all(|subscript| {
            subscript
                .as_ref()
                .is_some_and(|form| form.values().iter().all(|value| !variables.contains(value)))
        })
    }

    /// The relation from the iterations of nest `which` to elements, and whether nothing was left
    /// out of it; `None` where coefficients leave 64 bits.
    fn relation(&self, which: usize, access: &Access) -> Option<(Map, bool)> {
        let nest = &self.nests[which];
        let space = self.domain.map_space(nest.len(), access.subscripts.len());
        let mut set = BasicSet::universe(space.clone());
        let mut exact = self.domain.constrain(&mut set, nest).ok()?;
        for (k, subscript) in access.subscripts.iter().enumerate() {
            let element = Affine::dim(nest.len() + k);
            let form = subscript.as_ref().and_then(|form| self.domain.affine(nest, form));
            let Some(form) = form else {
                exact = false;
                continue;
            };
            let last = k + 1 == access.subscripts.len();
            if last && access.length > 1 {
                set.add(&Constraint::ge(element.clone(), form.clone())).ok()?;
                set.add(&Constraint::lt(element, form + access.length)).ok()?;
            } else {
                set.add(&Constraint::eq(element, form)).ok()?;
            }
        }
        Some((Map::new(space, [set]).ok()?, exact))
    }
}

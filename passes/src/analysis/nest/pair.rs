//! Two accesses in one loop nest, as a question to the Presburger solver.
//!
//! Iterations of the loops around the one asked about are fixed, so their variables are parameters,
//! as is every other value from outside. Where bounds, steps and subscripts are affine the answer is
//! exact for all values of the parameters (see [`gpuc_presburger::dependence`]); what is not affine
//! is left unconstrained, so that "no dependence" is a proof always.

use gpuc_ir::{Ir, Op, Value};
use gpuc_presburger::dependence::{self, Carrier, Conflicts};
use gpuc_presburger::{Affine, BasicSet, Constraint, Map};

use super::super::access::Access;
use super::super::domain::Domain;
use super::super::loops::{CountedLoop, nest};
use super::dependence::Certainty;
use super::guard::{Guard, guards};

/// Two accesses in one space of parameters.
pub(super) struct Pair {
    pub(super) nests: [Vec<CountedLoop>; 2],
    guards: [Vec<Guard>; 2],
    pub(super) domain: Domain,
    /// Dimensions of the loop asked about.
    own: usize,
    /// Dimensions of all loops that both are in.
    common: usize,
}

/// Two accesses as relations, to be asked for dependences of any loop they share.
pub(super) struct Question {
    accesses: [dependence::AccessRelation; 2],
    common: usize,
}

impl Question {
    /// The dependences from the first access to the second, those in one iteration too if `source_first` says that the source
    /// stands in front of the sink; `None` where the solver gives up.
    pub(super) fn forth(&self, source_first: bool) -> Option<Vec<dependence::Dependence>> {
        let [source, sink] = &self.accesses;
        Conflicts::new(source, sink, self.common).ok()?.dependences(source_first).ok()
    }

    /// The dependences from the second access, which stands behind the first, to that; `None` where the solver gives up.
    pub(super) fn back(&self) -> Option<Vec<dependence::Dependence>> {
        let [sink, source] = &self.accesses;
        Conflicts::new(source, sink, self.common).ok()?.dependences(false).ok()
    }
}

impl Pair {
    /// Two accesses, each inside one of the loops `roots`, which are one loop or stand side by side.
    pub(super) fn new(ir: &Ir, roots: [Op; 2], source: &Access, sink: &Access) -> Pair {
        let nests = [nest(ir, source.op, roots[0]), nest(ir, sink.op, roots[1])];
        let mut domain = Domain::inside_either(roots);
        for (nest, access) in nests.iter().zip([source, sink]) {
            domain.add_nest(ir, nest);
            for form in access.subscripts.iter().flatten() {
                domain.add_params_of(ir, nest, form);
            }
        }
        let guards = [guards(ir, source.op, roots[0]), guards(ir, sink.op, roots[1])];
        for (nest, guards) in nests.iter().zip(&guards) {
            guards.iter().for_each(|guard| domain.add_params_of(ir, nest, &guard.form));
        }
        domain.add_context(ir);
        let own = nests[0].iter().take_while(|dim| dim.op == roots[0]).count();
        let both = nests[0].iter().zip(&nests[1]);
        let common = both.take_while(|(a, b)| a.variable == b.variable).count();
        Pair { nests, guards, domain, own, common }
    }

    /// The loops that both are in, a variable for each dimension, outermost first.
    pub(super) fn variables(&self) -> Vec<Value> {
        self.nests[0].iter().take(self.common).map(|dim| dim.variable).collect()
    }

    /// The elements that the two accesses touch in their iterations; `None` where coefficients leave 64 bits.
    pub(super) fn question(&self, source: &Access, sink: &Access) -> Option<Question> {
        let of = |which, access| {
            let (relation, _) = self.relation(which, access)?;
            Some(dependence::AccessRelation::from_relation(relation))
        };
        Some(Question { accesses: [of(0, source)?, of(1, sink)?], common: self.common })
    }

    /// Whether the loop carries a dependence from one access to the other; `unconditional` says that
    /// both happen in every iteration. The accesses may be others than the pair was made with, if they
    /// differ from those by constants only.
    pub(super) fn carried(
        &self,
        source: &Access,
        sink: &Access,
        unconditional: bool,
    ) -> Option<Certainty> {
        let relations = (self.relation(0, source), self.relation(1, sink));
        let (Some((from, exact_from)), Some((to, exact_to))) = relations else {
            return Some(Certainty::May);
        };
        let exact = exact_from && exact_to;
        let decided = (|| {
            let from = dependence::AccessRelation::from_relation(from);
            let to = dependence::AccessRelation::from_relation(to);
            let conflicts = Conflicts::new(&from, &to, self.own)?;
            for level in 0..self.own {
                if let Some(found) = conflicts.dependence(Carrier::Loop(level))? {
                    let distance = found.distance(level).ok().and_then(|d| d.constant());
                    return Ok(Some((level, distance)));
                }
            }
            Ok::<_, gpuc_presburger::Error>(None)
        })();
        match decided {
            Ok(None) => None,
            Ok(Some((level, distance))) if exact => {
                // The same element in every iteration, or always the same distance.
                let fixed = source.subscripts == sink.subscripts && self.is_invariant(source);
                let iterations = distance.map(|d| d / self.step(level));
                Some(match unconditional && (fixed || distance.is_some()) {
                    true => Certainty::Must(iterations),
                    false => Certainty::ForSome(iterations),
                })
            }
            _ => Some(Certainty::May),
        }
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
    pub(super) fn relation(&self, which: usize, access: &Access) -> Option<(Map, bool)> {
        let nest = &self.nests[which];
        let place: Vec<_> = access.place().collect();
        let space = self.domain.map_space(nest.len(), place.len());
        let mut set = BasicSet::universe(space.clone());
        let mut exact = self.domain.constrain(&mut set, nest).ok()?;
        for guard in &self.guards[which] {
            // A condition that says nothing about known numbers leaves all iterations in.
            if let Some(form) = self.domain.quasi_affine(&mut set, nest, &guard.form).ok()? {
                set.add(&match guard.is_equality {
                    true => Constraint::eq(form, 0),
                    false => Constraint::ge(form, 0),
                })
                .ok()?;
            }
        }
        for (k, subscript) in place.iter().enumerate() {
            let element = Affine::dim(nest.len() + k);
            let form = match subscript {
                Some(form) => self.domain.quasi_affine(&mut set, nest, form).ok()?,
                None => None,
            };
            let Some(form) = form else {
                exact = false;
                continue;
            };
            let last = k + 1 == place.len();
            if last && access.extent() > 1 {
                set.add(&Constraint::ge(element.clone(), form.clone())).ok()?;
                set.add(&Constraint::lt(element, form + access.extent())).ok()?;
            } else {
                set.add(&Constraint::eq(element, form)).ok()?;
            }
        }
        Some((Map::new(space, [set]).ok()?, exact))
    }
}

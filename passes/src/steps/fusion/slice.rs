//! The part of one nest that an iteration of another needs: for each loop of the first, bounds over the variables of the
//! outermost loops of the second.
//!
//! Two accesses to one element relate iterations of both nests. What a loop's variable is at least and at most, for given
//! variables of the other nest's outermost loops, is a parametric optimum of that relation; where that is no single
//! expression, the numbers between which it lies do. Several pairs of accesses need the least and the greatest of theirs.
//! A loop of which nothing can be said is executed as a whole.

use gpuc_dialects::affine::{AffineForOp, AffineValue, compose};
use gpuc_ir::{AffineExpr, Ir, Op, OpView, Value};
use gpuc_presburger::dependence::Direction;
use gpuc_presburger::{Affine, BasicSet, Constraint, Map, QuasiAffine, Set, Var};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::free;
use crate::analysis::access::{Access, Alias, Storage, alias};
use crate::analysis::domain::Domain;
use crate::analysis::loops::{CountedLoop, nest};
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::{Apart, Wanted};

/// An access and the loops round it, from the nest's outermost in.
pub(super) struct Placed {
    pub access: Access,
    pub loops: Vec<CountedLoop>,
}

/// A nest whose parts are to be executed inside of another, and that other.
pub(super) struct Pairing {
    pub source: Op,
    pub target: Op,
    pub sources: Vec<Placed>,
    pub targets: Vec<Placed>,
    domain: Domain,
    apart: Apart,
}

/// What is executed of a loop: from the first value to in front of the second.
type Range = (QuasiAffine, QuasiAffine);

/// A part of the source for each iteration of the target's outermost loops.
pub(super) struct Slice {
    /// Loops round the place in the target where the part is executed.
    pub prefix: Vec<CountedLoop>,
    /// The loops that are cut, outer ones first.
    pub ranges: IndexMap<Op, Range>,
}

/// Which pairs of accesses say what is needed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// What the source writes, and the target touches.
    Written,
    /// The elements of this buffer that both read.
    Read(Value),
}

impl Pairing {
    /// The accesses of two nests; `None` where the effects of one are not known, or somebody has a say in how a loop of the
    /// source is executed.
    pub(super) fn of(
        ir: &Ir,
        known: &Nest,
        source: Op,
        target: Op,
        apart: Apart,
    ) -> Option<Pairing> {
        let placed = |root: Op| -> Option<Vec<Placed>> {
            let found = known.accesses(root).ok()?;
            let each = |access: &Access| Placed {
                access: access.clone(),
                loops: nest(ir, access.op, root),
            };
            Some(found.iter().map(each).collect())
        };
        let (sources, targets) = (placed(source)?, placed(target)?);
        let mut domain = Domain::inside_either([source, target]);
        for Placed { access, loops } in sources.iter().chain(&targets) {
            domain.add_nest(ir, loops);
            for form in access.subscripts.iter().flatten() {
                domain.add_params_of(ir, loops, form);
            }
        }
        domain.add_context(ir);
        let is_ours = sources.iter().flat_map(|placed| &placed.loops).all(|dim| free(ir, dim.op));
        is_ours.then_some(Pairing { source, target, sources, targets, domain, apart })
    }

    fn pairs(&self, need: Need) -> impl Iterator<Item = (&Placed, &Placed)> {
        let wanted = move |source: &Access, target: &Access| match need {
            Need::Written => source.writes() && source.root == target.root,
            Need::Read(buffer) => {
                !source.writes()
                    && !target.writes()
                    && [source, target].iter().all(|a| a.buffer == buffer)
            }
        };
        self.sources.iter().flat_map(move |source| {
            let all = self.targets.iter();
            all.filter(move |target| wanted(&source.access, &target.access))
                .map(move |target| (source, target))
        })
    }

    /// The iterations of target (inputs) and source (outputs) that touch one element; `None` where it is not known exactly.
    fn relation(&self, source: &Placed, target: &Placed) -> Option<BasicSet> {
        let (a, b) = (&source.access, &target.access);
        if a.buffer != b.buffer || a.member.is_some() || b.member.is_some() {
            return None;
        }
        let loops = [&target.loops[..], &source.loops[..]].concat();
        let space = self.domain.map_space(target.loops.len(), source.loops.len());
        let mut set = BasicSet::universe(space);
        if !self.domain.constrain(&mut set, &loops).ok()? {
            return None;
        }
        let last = a.subscripts.len().wrapping_sub(1);
        for (k, (here, there)) in a.subscripts.iter().zip(&b.subscripts).enumerate() {
            let here = self.domain.quasi_affine(&mut set, &loops, here.as_ref()?).ok()??;
            let there = self.domain.quasi_affine(&mut set, &loops, there.as_ref()?).ok()??;
            if k == last {
                set.add(&Constraint::lt(here.clone(), there.clone() + b.extent())).ok()?;
                set.add(&Constraint::lt(there, here + a.extent())).ok()?;
            } else {
                set.add(&Constraint::eq(here, there)).ok()?;
            }
        }
        Some(set)
    }

    /// The slice that the iterations of the target's outermost `depth` loops need; `None` where there is none, or it would
    /// execute what the source does not.
    pub(super) fn slice(&self, ir: &Ir, known: &Nest, need: Need, depth: usize) -> Option<Slice> {
        let mut ranges: IndexMap<Op, Option<Found>> = IndexMap::new();
        let mut prefix: Option<Vec<CountedLoop>> = None;
        let mut whole = match need {
            Need::Written => FxHashSet::default(),
            Need::Read(_) => self.sequential(ir, known),
        };
        for (source, target) in self.pairs(need) {
            if target.loops.len() < depth {
                return None;
            }
            let set = self.relation(source, target)?;
            if set.is_empty().ok()? {
                continue;
            }
            prefix.get_or_insert_with(|| target.loops[..depth].to_vec());
            for (k, dim) in source.loops.iter().enumerate() {
                let carries = !AffineForOp::cast(ir, dim.op)?.inits(ir).is_empty();
                if dim.step != Some(1) || carries {
                    whole.insert(dim.op);
                    continue;
                }
                let found = Found::of(&set, target.loops.len(), depth, k);
                let entry = ranges.entry(dim.op);
                let so_far = entry.or_insert_with(|| found.clone());
                *so_far = match (so_far.take(), found) {
                    (Some(a), Some(b)) => a.with(b),
                    _ => None,
                };
            }
        }
        let prefix = prefix?;
        // Behind a loop that is executed as a whole the inner ones are too, where both only read.
        let stop = |op: Op| {
            whole.contains(&op)
                || (need != Need::Written && ir.ancestors(op).any(|outer| whole.contains(&outer)))
        };
        let ranges = ranges
            .into_iter()
            .filter(|&(op, _)| !stop(op))
            .filter_map(|(op, found)| Some((op, found?.range()?)))
            .filter(|(op, (from, to))| {
                // All iterations of a loop are no part of them.
                let view = AffineForOp::cast(ir, *op);
                let own = view.map(|v| [v.constant_lower_bound(ir), v.constant_upper_bound(ir)]);
                let ends = [from.as_constant(), to.as_constant()];
                own != Some(ends) || ends.contains(&None)
            })
            .collect();
        let slice = Slice { prefix, ranges };
        self.is_inside(&slice)?.then_some(slice)
    }

    fn sequential(&self, ir: &Ir, known: &Nest) -> FxHashSet<Op> {
        let all = self.sources.iter().flat_map(|placed| &placed.loops).map(|dim| dim.op);
        let waits = |&op: &Op| {
            let found = known.carried(ir, op, self.apart, Wanted::Any);
            found.map_or(true, |found| found.dependence.is_some())
        };
        all.filter(waits).collect()
    }

    /// From the outermost iterations of the target to those of the loops that a slice executes. `elements`: to the elements
    /// that an access touches in them.
    pub(super) fn executed(&self, slice: &Slice, placed: &Placed, elements: bool) -> Option<Map> {
        let depth = slice.prefix.len();
        let open = |dim: &CountedLoop| match slice.ranges.contains_key(&dim.op) {
            false => dim.clone(),
            true => CountedLoop::unbounded(dim.op, dim.variable),
        };
        let inner: Vec<CountedLoop> = placed.loops.iter().map(open).collect();
        let loops = [&slice.prefix[..], &inner[..]].concat();
        let count = if elements { placed.access.subscripts.len() } else { 0 };
        let space = match elements {
            true => self.domain.map_space(loops.len(), count),
            false => self.domain.map_space(depth, inner.len()),
        };
        let mut set = BasicSet::universe(space.clone());
        if !self.domain.constrain(&mut set, &loops).ok()? {
            return None;
        }
        for (k, dim) in inner.iter().enumerate() {
            let Some((from, to)) = slice.ranges.get(&dim.op) else { continue };
            let (from, to) = (from.lower(&mut set).ok()?, to.lower(&mut set).ok()?);
            let variable = Affine::dim(depth + k);
            set.add(&Constraint::ge(variable.clone(), from)).ok()?;
            set.add(&Constraint::lt(variable, to)).ok()?;
        }
        for k in 0..count {
            let subscript = placed.access.subscripts[k].as_ref()?;
            let form = self.domain.quasi_affine(&mut set, &loops, subscript).ok()??;
            let element = Affine::dim(loops.len() + k);
            let extent = if k + 1 == count { placed.access.extent() } else { 1 };
            set.add(&Constraint::ge(element.clone(), form.clone())).ok()?;
            set.add(&Constraint::lt(element, form + extent)).ok()?;
        }
        Map::new(space, [set]).ok()
    }

    /// Whether a slice executes nothing that the source does not.
    fn is_inside(&self, slice: &Slice) -> Option<bool> {
        for placed in &self.sources {
            let executed = self.executed(slice, placed, false)?;
            let all = self.all(placed)?;
            if !executed.range().ok()?.is_subset(&all).ok()? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// All iterations round an access of the source.
    fn all(&self, placed: &Placed) -> Option<Set> {
        let mut set = BasicSet::universe(self.domain.set_space(placed.loops.len()));
        self.domain.constrain(&mut set, &placed.loops).ok()?.then_some(Set::from(set))
    }

    /// Whether a slice executes every iteration of the source.
    pub(super) fn is_maximal(&self, slice: &Slice) -> bool {
        let each = |placed: &Placed| {
            let range = self.executed(slice, placed, false)?.range().ok()?;
            self.all(placed)?.is_subset(&range).ok()
        };
        self.sources.iter().all(|placed| each(placed) == Some(true))
    }

    /// Whether no iteration of the source is executed twice.
    fn is_injective(&self, slice: &Slice) -> bool {
        let each = |placed: &Placed| {
            let executed = self.executed(slice, placed, false)?;
            let same = executed.then(&executed.inverse().ok()?).ok()?;
            self.later(slice, &same)
        };
        self.sources.iter().all(|placed| each(placed) == Some(false))
    }

    /// Whether a relation of outermost iterations leads to a later one somewhere.
    fn later(&self, slice: &Slice, relation: &Map) -> Option<bool> {
        let space = self.domain.set_space(slice.prefix.len());
        let forwards = Map::lex_lt(&space).ok()?;
        let forwards = Map::new(relation.space().clone(), forwards.pieces().to_vec()).ok()?;
        Some(!relation.intersect(&forwards).ok()?.is_empty().ok()?)
    }

    /// Whether executing slices in place of the source leaves the same in memory; `kept`: beside it.
    /// `own`: buffers that each iteration of so many outermost loops overwrites before it reads them, which nobody else sees.
    pub(super) fn is_legal(
        &self,
        ir: &Ir,
        known: &Nest,
        slice: &Slice,
        kept: bool,
        own: &FxHashMap<Value, usize>,
    ) -> bool {
        let roots = |all: &[Placed], writes: bool| -> FxHashSet<Value> {
            let some = all.iter().filter(|placed| placed.access.writes() == writes);
            let roots = some.map(|placed| placed.access.root);
            roots.filter(|root| !own.contains_key(root)).collect()
        };
        // What a loop carries stays within a slice.
        let Ok(graph) = known.graph(ir, &[self.source], self.apart) else { return false };
        let cut: FxHashSet<Value> = self
            .sources
            .iter()
            .flat_map(|placed| &placed.loops)
            .filter(|dim| slice.ranges.contains_key(&dim.op))
            .map(|dim| dim.variable)
            .collect();
        let ends_in_slice = graph.edges.iter().all(|edge| {
            let ends = [edge.source.op, edge.sink.op].map(|op| nest(ir, op, self.source));
            let mut around = ends.iter().flatten().filter(|dim| cut.contains(&dim.variable));
            let free = own.get(&edge.source.root).copied().unwrap_or(0);
            around.all(|dim| {
                edge.loops.iter().position(|&each| each == dim.variable).is_some_and(|level| {
                    level < free
                        || edge.vectors.iter().all(|vector| vector[level] == Direction::Equal)
                })
            })
        });
        if !ends_in_slice {
            return false;
        }
        // What is executed again gives the same.
        let reads_own = !roots(&self.sources, true).is_disjoint(&roots(&self.sources, false));
        if reads_own && (kept || !self.is_injective(slice)) {
            return false;
        }
        // The target overwrites nothing that a later slice reads or writes, and reads nothing that has another name there.
        self.sources.iter().all(|source| {
            self.targets.iter().all(|target| {
                let (a, b) = (&source.access, &target.access);
                if a.root != b.root {
                    return !(a.writes() || b.writes()) || !may_meet(ir, [a, b], self.apart);
                }
                if !b.writes() {
                    return true;
                }
                let late = || {
                    let mut set = self.relation(source, target)?;
                    let depth = slice.prefix.len();
                    if target.loops.len() < depth {
                        return None;
                    }
                    set = set.project_out(depth..target.loops.len()).ok()?;
                    let meets = Map::new(set.space().clone(), [set]).ok()?;
                    let executed = self.executed(slice, source, false)?;
                    self.later(slice, &meets.then(&executed.inverse().ok()?).ok()?)
                };
                late() == Some(false)
            })
        })
    }

    /// A bound of a slice as a value in the target.
    pub(super) fn value(
        &self,
        ir: &mut Ir,
        slice: &Slice,
        form: &QuasiAffine,
    ) -> Option<AffineValue> {
        let mut operands: Vec<Value> = slice.prefix.iter().map(|dim| dim.variable).collect();
        for monomial in self.domain.params() {
            operands.push(if monomial.len() == 1 { monomial[0] } else { operands[0] });
        }
        let prefix = slice.prefix.len();
        let known = |index: usize| self.domain.params().nth(index).is_some_and(|m| m.len() == 1);
        let mut divisions: Vec<AffineExpr> = Vec::new();
        let expr = |ir: &mut Ir, form: &Affine, divisions: &[AffineExpr]| {
            let mut sum = ir.ctx.constant_expr(0);
            for (var, factor) in form.terms() {
                let term = match var {
                    Var::Dim(dim) => ir.ctx.dim_expr(dim as u32),
                    Var::Param(index) if known(index) => ir.ctx.dim_expr((prefix + index) as u32),
                    Var::Param(_) => return None,
                    Var::Local(local) => *divisions.get(local)?,
                };
                let factor = ir.ctx.constant_expr(factor);
                let product = ir.ctx.mul_expr(term, factor);
                sum = ir.ctx.add_expr(sum, product);
            }
            let constant = ir.ctx.constant_expr(form.constant_term());
            Some(ir.ctx.add_expr(sum, constant))
        };
        for (dividend, divisor) in form.divisions() {
            let dividend = expr(ir, dividend, &divisions)?;
            let divisor = ir.ctx.constant_expr(divisor);
            divisions.push(ir.ctx.floordiv_expr(dividend, divisor));
        }
        let result = expr(ir, form.sum(), &divisions)?;
        let map = ir.ctx.map(operands.len() as u32, 0, &[result]);
        let mut value = AffineValue { map, operands };
        compose(ir, &mut value);
        Some(value)
    }
}

/// Whether buffers of two names may be one.
fn may_meet(ir: &Ir, of: [&Access; 2], apart: Apart) -> bool {
    let [a, b] = of.map(|access| Storage::of(ir, access.root));
    match alias(a, b) {
        Alias::No => false,
        Alias::Mapped => apart != Apart::Assumed,
        Alias::May => true,
    }
}

/// The bounds of a loop's variable that a pair of accesses asks for.
#[derive(Clone)]
struct Found {
    exact: Option<Range>,
    /// The numbers between which it lies in any case.
    numbers: Option<(i64, i64)>,
}

impl Found {
    /// Of the output `k` of a relation, over the outermost `depth` of so many inputs.
    fn of(set: &BasicSet, inputs: usize, depth: usize, k: usize) -> Option<Found> {
        let variable = Affine::dim(inputs + k);
        let number = |optimum: gpuc_presburger::Optimum| optimum.value();
        let numbers = (|| {
            let least = number(set.minimum(&variable).ok()?)?;
            Some((least, number(set.maximum(&variable).ok()?)?.checked_add(1)?))
        })();
        let exact = (|| {
            let last = set.space().dims();
            let one = set.project_out(inputs + k + 1..last).ok()?;
            let one = one.project_out(depth..inputs + k).ok()?;
            let map = Map::new(one.space().clone(), [one]).ok()?;
            // As far from a variable of the target in every case.
            for dim in 0..depth {
                let apart = Affine::dim(depth) - Affine::dim(dim);
                let one = &map.pieces()[0];
                let least = number(one.minimum(&apart).ok()?);
                if least.is_some() && least == number(one.maximum(&apart).ok()?) {
                    let value = QuasiAffine::dim(dim) + least?;
                    return Some((value.clone(), value + 1));
                }
            }
            let (least, greatest) = (map.lexmin_values().ok()?, map.lexmax_values().ok()?);
            // One value alone, if it is one of those that are found.
            let all = least.pieces().iter().chain(greatest.pieces());
            let mut all: Vec<&QuasiAffine> = all.map(|piece| &piece.values[0]).collect();
            all.sort_by_key(|value| value.divisions().count());
            for value in all {
                let mut one = map.pieces()[0].clone();
                let form = value.lower(&mut one).ok()?;
                if one.implies(&Constraint::eq(Affine::dim(depth), form)) == Ok(true) {
                    return Some((value.clone(), value.clone() + 1));
                }
            }
            let single = |values: gpuc_presburger::PiecewiseQuasiAffine| match values.pieces() {
                [piece] => Some(piece.values[0].clone()),
                _ => None,
            };
            Some((single(least)?, single(greatest)? + 1))
        })();
        Some(Found { exact, numbers })
    }

    /// What covers both.
    fn with(self, other: Found) -> Option<Found> {
        let least = |a: &QuasiAffine, b: &QuasiAffine| {
            let apart = (a.clone() - b.clone()).as_constant()?;
            Some(if apart <= 0 { a.clone() } else { b.clone() })
        };
        let exact = match (&self.exact, &other.exact) {
            (Some(a), Some(b)) => (|| {
                let to = -least(&-a.1.clone(), &-b.1.clone())?;
                Some((least(&a.0, &b.0)?, to))
            })(),
            _ => None,
        };
        let numbers = match (self.numbers, other.numbers) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            _ => None,
        };
        Some(Found { exact, numbers })
    }

    fn range(self) -> Option<Range> {
        let numbers = || {
            let (from, to) = self.numbers?;
            Some((QuasiAffine::constant(from), QuasiAffine::constant(to)))
        };
        self.exact.clone().or_else(numbers)
    }
}

//! Which order of a nest has the most parallelism: the search behind `restructure`.
//!
//! Level by level, from the outside in, statements that depend on each other in a circle get a row of
//! the schedule together: one by which no dependence is carried, and the new loop is parallel; else one
//! that carries dependences forwards only, and the loop is sequential; else a wavefront. Statements that
//! are in no circle get loops of their own, unless they had one together that stays as good for both.
//! Inside a parallel loop only further parallel loops are looked for: what remains sequential keeps the
//! order of the program, which knows best what can stay in a register. Candidates are the loops that
//! statements have left, so that the number of orders is small, and the search is bounded. After Allen and Kennedy's vectorisation and Feautrier, "Some efficient solutions
//! to the affine scheduling problem", 1992.

use std::collections::BTreeMap;

use gpuc_dialects::affine::AffineForOp;
use gpuc_ir::{Ir, OpView};
use gpuc_presburger::dependence::Direction;
use gpuc_presburger::{Affine, Var};
use rustc_hash::FxHashMap;

use crate::analysis::access::{Access, access};
use crate::analysis::nest::graph::DependenceGraph;
use crate::steps::distribute::components;
use crate::steps::legality::Order;
use crate::steps::schedule::{Row, Schedule};
use crate::steps::statements::{Statement, Statements};

/// A loop of fewer iterations is no dimension of a grid: what stands between it and the loops outside would be
/// computed as often.
pub const FEWEST_TRIPS: i64 = 32;
/// Orders that are looked at for one level.
const MOST_ORDERS: usize = 24;
/// Levels that are looked at for one nest.
const MOST_LEVELS: usize = 400;
/// By how much a wavefront's second loop is skewed, at most; its third one by the square.
const STEEPEST: i64 = 2;

/// How the iterations of a loop are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// At once.
    Parallel,
    /// One after the other.
    Sequential,
}

/// A row of one statement.
#[derive(Clone, Debug, PartialEq)]
pub enum ScheduleRow {
    /// The number of the group that it is in.
    Group(i64),
    /// A loop over the values of a form.
    Loop(Affine, Kind),
    /// A loop that is left where the program has it.
    Left(Kind),
}

impl ScheduleRow {
    /// How iterations are executed, of a loop.
    fn kind(&self) -> Option<Kind> {
        match self {
            ScheduleRow::Loop(_, kind) | ScheduleRow::Left(kind) => Some(*kind),
            ScheduleRow::Group(_) => None,
        }
    }
}

/// The rows of statements, of each from the outermost in.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// By the number of the statement.
    pub levels: BTreeMap<usize, Vec<ScheduleRow>>,
    /// Whether statements are apart because one would have fewer dimensions of a grid together with the other.
    keeps_dimensions: bool,
}

impl Plan {
    /// A plan of these rows.
    pub fn of(levels: BTreeMap<usize, Vec<ScheduleRow>>) -> Plan {
        Plan { levels, keeps_dimensions: false }
    }

    /// The rows as a schedule of all statements.
    pub fn schedule(&self, statements: &Statements) -> Schedule {
        let count = statements.list.len();
        let depth = self.levels.values().map(Vec::len).max().unwrap_or(0);
        let form = |statement: usize, row: usize| {
            let level = self.levels.get(&statement).and_then(|levels| levels.get(row));
            match level {
                Some(ScheduleRow::Loop(form, _)) => form.clone(),
                Some(ScheduleRow::Group(number)) => Affine::constant(*number),
                Some(ScheduleRow::Left(_)) | None => Affine::constant(0),
            }
        };
        Schedule((0..depth).map(|row| Row((0..count).map(|s| form(s, row)).collect())).collect())
    }

    /// Whether statements get loops of their own.
    pub fn has_groups(&self) -> bool {
        self.levels.values().flatten().any(|level| matches!(level, ScheduleRow::Group(_)))
    }

    /// The rows of a wavefront down to the loop that neighbouring threads count, where there is one statement; loops
    /// that stay where they are inside of it are each thread's own.
    pub fn wavefront(&self) -> Option<Vec<&Affine>> {
        let [levels] = &self.levels.values().collect::<Vec<_>>()[..] else { return None };
        let rows = levels.iter().map_while(|level| match level {
            ScheduleRow::Loop(form, kind) => Some((form, *kind)),
            ScheduleRow::Group(_) | ScheduleRow::Left(_) => None,
        });
        let rows: Vec<(&Affine, Kind)> = rows.collect();
        let inside = &levels[rows.len()..];
        let own = inside.iter().all(|level| *level == ScheduleRow::Left(Kind::Sequential));
        let last = rows.last().is_some_and(|&(_, kind)| kind == Kind::Parallel);
        let sum = rows.iter().any(|(form, _)| form.terms().count() > 1);
        (own && last && sum).then(|| rows.into_iter().map(|(form, _)| form).collect())
    }

    /// The parallel loops outside of all others, of the statement that has fewest.
    pub fn fewest_outer(&self) -> usize {
        let outer = |levels: &Vec<ScheduleRow>| {
            let kinds = levels.iter().filter_map(ScheduleRow::kind);
            kinds.take_while(|&kind| kind == Kind::Parallel).count()
        };
        self.levels.values().map(outer).min().unwrap_or(0)
    }

    /// How good the order of a statement is.
    fn cost(&self, statements: &Statements, statement: usize) -> Cost {
        let kinds: Vec<Kind> = self
            .levels
            .get(&statement)
            .into_iter()
            .flatten()
            .filter_map(ScheduleRow::kind)
            .collect();
        Cost::of(&kinds, statements.list[statement].loops.len())
    }

    /// How good the orders of all statements are, the worst first.
    fn costs(&self, statements: &Statements) -> Vec<Cost> {
        let mut costs: Vec<Cost> =
            self.levels.keys().map(|&statement| self.cost(statements, statement)).collect();
        costs.sort_unstable_by(|a, b| b.cmp(a));
        costs
    }

    /// Whether this plan is better than the other for the statement that is worst off; else for the next.
    fn is_better_than(&self, other: &Plan, statements: &Statements) -> bool {
        self.costs(statements) < other.costs(statements)
    }

    /// The same, and worse for no statement.
    pub fn improves_on(&self, other: &Plan, statements: &Statements) -> bool {
        let worse = |&statement: &usize| {
            let [own, others] = [self, other].map(|plan| plan.cost(statements, statement));
            (own.serial, own.launches) > (others.serial, others.launches)
        };
        let better = self.is_better_than(other, statements)
            || self.keeps_dimensions
                && self.has_groups()
                && self.costs(statements) == other.costs(statements);
        better && !self.levels.keys().any(worse)
    }

    /// Whether each statement has one sequential loop outside of its parallel ones, at most.
    pub fn is_least(&self, statements: &Statements) -> bool {
        self.costs(statements).iter().all(|cost| !cost.serial && cost.launches <= 1)
    }

    /// The form and kind of a statement's outermost loop, if its own group begins with it.
    fn outermost(&self, statement: usize) -> Option<(&Affine, Kind)> {
        match self.levels.get(&statement)?.first()? {
            ScheduleRow::Loop(form, kind) => Some((form, *kind)),
            ScheduleRow::Group(_) | ScheduleRow::Left(_) => None,
        }
    }

    fn merge(&mut self, other: Plan) {
        self.levels.extend(other.levels);
    }

    fn prepend(&mut self, statements: &[usize], level: impl Fn(usize) -> ScheduleRow) {
        for &statement in statements {
            self.levels.entry(statement).or_default().insert(0, level(statement));
        }
    }
}

/// What an order costs a statement: launches first, or what one thread has to do, and then the loops
/// that are not parallel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    /// Whether one thread executes it all.
    serial: bool,
    /// Sequential loops outside of the first parallel one.
    launches: usize,
    /// Loops that are not parallel.
    sequential: usize,
    /// Parallel loops inside of a sequential one that is inside of a parallel one: not part of the grid.
    scattered: usize,
}

impl Cost {
    /// Whether there is one sequential loop, and all in it are parallel.
    fn is_least_behind_a_sequential_loop(&self) -> bool {
        !self.serial && self.launches <= 1 && self.sequential <= 1
    }

    fn of(kinds: &[Kind], depth: usize) -> Cost {
        let parallel = kinds.iter().filter(|&&kind| kind == Kind::Parallel).count();
        let first = kinds.iter().position(|&kind| kind == Kind::Parallel);
        let outermost = kinds.iter().skip(first.unwrap_or(0));
        let band = outermost.take_while(|&&kind| kind == Kind::Parallel).count();
        Cost {
            serial: first.is_none(),
            launches: first.unwrap_or(depth),
            sequential: depth - parallel.min(depth),
            scattered: parallel - band,
        }
    }
}

/// What the statements of a nest cost in its best order, the worst first.
pub struct Worth(Vec<Cost>);

impl Worth {
    /// Whether the statement that is worst off is better off; else the next.
    pub fn is_better_than(&self, other: &Worth) -> bool {
        self.0 < other.0
    }

    /// Whether one thread executes a statement, or a launch is over before the next can begin.
    pub fn is_bound_by_launches(&self) -> bool {
        self.0.iter().any(|cost| cost.serial || cost.launches > 0)
    }
}

/// What the better one is worth of the best order that is found for a nest and that of the program; `None` where there is nothing to
/// choose.
pub fn worth(ir: &Ir, statements: &Statements, graph: &DependenceGraph) -> Option<Worth> {
    let (found, written) = best(ir, statements, graph)?;
    Some(Worth(found.costs(statements).min(written.costs(statements))))
}

/// The best order of a nest that was found, and that of the program; `None` where there is nothing to choose.
pub fn best(ir: &Ir, statements: &Statements, graph: &DependenceGraph) -> Option<(Plan, Plan)> {
    let orders: Option<Vec<Order<'_>>> =
        graph.edges.iter().map(|edge| Order::of(ir, statements, edge)).collect();
    Search::new(ir, statements).best(orders?)
}

/// Statements on the way inwards, with what is left of their loops and of the dependences among them.
#[derive(Clone)]
struct Front<'a> {
    statements: Vec<usize>,
    /// Loops that no row counts yet.
    left: BTreeMap<usize, Vec<usize>>,
    orders: Vec<Order<'a>>,
}

impl<'a> Front<'a> {
    /// The loops that a statement has left, as forms.
    fn forms(&self, statement: usize) -> Vec<Affine> {
        self.left[&statement].iter().map(|&index| Affine::dim(index)).collect()
    }

    /// Some of the statements.
    fn only(&self, statements: &[usize]) -> Front<'a> {
        let inside = |order: &&Order<'_>| order.ends.iter().all(|end| statements.contains(end));
        Front {
            statements: statements.to_vec(),
            left: self
                .left
                .iter()
                .filter(|(s, _)| statements.contains(s))
                .map(|(s, l)| (*s, l.clone()))
                .collect(),
            orders: self.orders.iter().filter(inside).filter(|o| !o.is_empty()).cloned().collect(),
        }
    }

    /// What a row leaves.
    fn behind(&self, row: &Row) -> Front<'a> {
        let mut next = self.clone();
        for order in &mut next.orders {
            order.stay_equal(row);
        }
        next.orders.retain(|order| !order.is_empty());
        for (&statement, left) in &mut next.left {
            // A row uses up the innermost loop that it speaks of: the others tell which it is.
            let used = (0..MOST_DEPTH).rev().find(|&index| {
                row.0[statement].coefficient(Var::Dim(index)) != 0 && left.contains(&index)
            });
            left.retain(|&index| Some(index) != used);
        }
        next
    }
}

/// Loops round a statement, at most.
const MOST_DEPTH: usize = 16;

/// The search for one nest.
struct Search<'a> {
    statements: &'a Statements,
    /// Of each statement the loop whose neighbouring iterations write neighbours in memory.
    along: Vec<Option<usize>>,
    /// Whether groups have stayed apart for the sake of a dimension of the grid.
    keeps_dimensions: bool,
    levels: usize,
}

impl<'a> Search<'a> {
    /// A search among the orders of statements.
    fn new(ir: &Ir, statements: &'a Statements) -> Search<'a> {
        let along = statements.list.iter().map(|statement| along(ir, statement)).collect();
        Search { statements, along, keeps_dimensions: false, levels: 0 }
    }

    /// The best plan that was found, and that of the program; `None` where there is nothing to choose.
    fn best(&mut self, orders: Vec<Order<'_>>) -> Option<(Plan, Plan)> {
        let all: Vec<usize> = (0..self.statements.list.len()).collect();
        let left = all
            .iter()
            .map(|&each| (each, (0..self.statements.list[each].loops.len()).collect()))
            .collect();
        if all.is_empty()
            || all.iter().any(|&each| self.statements.list[each].loops.len() > MOST_DEPTH)
        {
            return None;
        }
        let front = Front { statements: all, left, orders };
        let written = self.as_written(&front);
        let mut found = self.plan(&front, Kind::Sequential)?;
        found.keeps_dimensions = self.keeps_dimensions;
        Some((found, written))
    }

    /// The loops that are left, in the order of the program, and which of them are parallel.
    fn as_written(&self, front: &Front<'_>) -> Plan {
        let mut plan = Plan::default();
        let mut rest = front.statements.clone();
        while let Some(&first) = rest.first() {
            let outermost = |s: usize| {
                front.left[&s].first().map(|&index| (index, self.statements.list[s].loops[index]))
            };
            let Some((index, _)) = outermost(first) else {
                plan.levels.insert(first, Vec::new());
                rest.remove(0);
                continue;
            };
            let (group, others): (Vec<usize>, Vec<usize>) =
                rest.iter().partition(|&&s| outermost(s) == outermost(first));
            rest = others;
            let row = self.row(&group.iter().map(|&s| (s, Affine::dim(index))).collect());
            let own = front.only(&group);
            let carried = own.orders.iter().any(|order| order.may_go(&row, Direction::Less));
            let kind = if carried { Kind::Sequential } else { Kind::Parallel };
            let mut inner = self.as_written(&own.behind(&row));
            inner.prepend(&group, |_| ScheduleRow::Left(kind));
            plan.merge(inner);
        }
        plan
    }

    /// A row that has forms for some statements.
    fn row(&self, forms: &BTreeMap<usize, Affine>) -> Row {
        let zero = Affine::constant(0);
        let form = |s: usize| forms.get(&s).unwrap_or(&zero).clone();
        Row((0..self.statements.list.len()).map(form).collect())
    }

    /// The best plan for statements, behind a row of that kind.
    fn plan(&mut self, front: &Front<'_>, behind: Kind) -> Option<Plan> {
        self.levels += 1;
        if self.levels > MOST_LEVELS {
            return None;
        }
        if behind == Kind::Parallel {
            return match self.rows(front, Kind::Parallel, &|s| front.forms(s), 1).pop() {
                Some(forms) => self.behind(front, forms, Kind::Parallel),
                None => Some(self.as_written(front)),
            };
        }
        let parts = components(&front.statements, &front.orders.iter().collect::<Vec<_>>());
        let mut plans: Vec<(Vec<usize>, Plan)> = Vec::new();
        for part in parts {
            let plan = self.circle(&front.only(&part))?;
            match self.partner(front, &plans, (&part, &plan)) {
                Some((number, both)) => {
                    plans[number].0.extend(&part);
                    plans[number].1 = both;
                }
                None => plans.push((part, plan)),
            }
        }
        let alone = plans.len() == 1;
        let mut whole = Plan::default();
        for (number, (group, mut plan)) in (0..).zip(plans) {
            if !alone {
                plan.prepend(&group, |_| ScheduleRow::Group(number));
            }
            whole.merge(plan);
        }
        Some(whole)
    }

    /// The group that some statements stay with, and the plan for both: the last one that they may, if
    /// nothing between has to come before them.
    fn partner(
        &mut self,
        front: &Front<'_>,
        groups: &[(Vec<usize>, Plan)],
        (part, plan): (&[usize], &Plan),
    ) -> Option<(usize, Plan)> {
        for (number, (group, known)) in groups.iter().enumerate().rev() {
            if let Some(both) = self.together(front, (group, known), (part, plan)) {
                return Some((number, both));
            }
            let before =
                |order: &Order<'_>| group.contains(&order.ends[0]) && part.contains(&order.ends[1]);
            if front.orders.iter().any(before) {
                return None;
            }
        }
        None
    }

    /// A plan for two groups with a loop of the program round both outside, which is parallel if it is
    /// for both; sequential if it is that in both plans.
    fn together(
        &mut self,
        front: &Front<'_>,
        (group, plan): (&[usize], &Plan),
        (part, other): (&[usize], &Plan),
    ) -> Option<Plan> {
        let all: Vec<usize> = group.iter().chain(part).copied().collect();
        let both = front.only(&all);
        let first = plan.outermost(group[0])?;
        if other.outermost(part[0])?.1 != first.1 {
            return None;
        }
        let mut shared = both.left[&group[0]].clone();
        if first.1 == Kind::Sequential {
            let known = |&index: &usize| {
                let form = Affine::dim(index);
                *first.0 == form
                    && part.iter().all(|&s| other.outermost(s).is_some_and(|o| *o.0 == form))
            };
            shared.retain(known);
        }
        for index in shared {
            let counted = self.statements.list[group[0]].loops[index];
            let shares = |s: &usize| {
                both.left[s].contains(&index) && self.statements.list[*s].loops[index] == counted
            };
            if !all.iter().all(shares) {
                continue;
            }
            let forms: BTreeMap<usize, Affine> =
                all.iter().map(|&s| (s, Affine::dim(index))).collect();
            let row = self.row(&forms);
            let allowed = |order: &Order<'_>| {
                !order.may_go(&row, Direction::Greater)
                    && (first.1 == Kind::Sequential || !order.may_go(&row, Direction::Less))
            };
            if both.orders.iter().all(allowed) {
                let found = self.behind(&both, forms, first.1)?;
                let parts = [(group, plan), (part, other)];
                let apart = self.gives_up_a_dimension(&found, index, parts);
                self.keeps_dimensions |= apart;
                return (!apart).then_some(found);
            }
        }
        None
    }

    /// Whether a statement has fewer dimensions of a grid together with others than by itself, and could not make up for it: where the loop
    /// that they share goes along memory, lanes that share the loop inside would go across it. One that does less than the others is
    /// done beside them.
    fn gives_up_a_dimension(
        &self,
        together: &Plan,
        shared: usize,
        parts: [(&[usize], &Plan); 2],
    ) -> bool {
        let dimensions = |plan: &Plan, statement: usize| {
            let levels = plan.levels.get(&statement).into_iter().flatten();
            levels.take_while(|level| matches!(level, ScheduleRow::Loop(_, Kind::Parallel))).count()
        };
        let depth = |s: usize| self.statements.list[s].loops.len();
        let all = parts.iter().flat_map(|(statements, _)| statements.iter().copied());
        let deepest = all.map(depth).max();
        parts.into_iter().any(|(statements, alone)| {
            statements.iter().any(|&s| {
                self.along[s] == Some(shared)
                    && Some(depth(s)) == deepest
                    && dimensions(alone, s) > dimensions(together, s)
            })
        })
    }

    /// The best plan for statements that depend on each other in a circle, or for a single one.
    fn circle(&mut self, front: &Front<'_>) -> Option<Plan> {
        let all = &front.statements;
        if all.iter().any(|s| front.left[s].is_empty()) {
            return Some(self.as_written(front));
        }
        if let Some(forms) = self.rows(front, Kind::Parallel, &|s| front.forms(s), 1).pop() {
            return self.behind(front, forms, Kind::Parallel);
        }
        let mut best: Option<Plan> = None;
        let keep = |plan: Plan, best: &mut Option<Plan>, statements: &Statements| {
            if best.as_ref().is_none_or(|known| plan.is_better_than(known, statements)) {
                *best = Some(plan);
            }
        };
        for forms in self.rows(front, Kind::Sequential, &|s| front.forms(s), MOST_ORDERS) {
            let Some(plan) = self.behind(front, forms, Kind::Sequential) else { break };
            let done =
                plan.costs(self.statements).iter().all(Cost::is_least_behind_a_sequential_loop);
            keep(plan, &mut best, self.statements);
            if done {
                break;
            }
        }
        let serial = |plan: &Plan| plan.costs(self.statements).iter().any(|cost| cost.serial);
        if best.as_ref().is_none_or(serial) {
            let skewed = |s: usize| skewed(&front.left[&s]);
            for forms in self.rows(front, Kind::Sequential, &skewed, MOST_ORDERS) {
                let Some(plan) = self.behind(front, forms, Kind::Sequential) else { break };
                keep(plan, &mut best, self.statements);
            }
        }
        // A wavefront inside of a sequential loop is as many launches as both have steps together; one that
        // takes that loop in, as many as they have one after the other.
        let statements = self.statements;
        if best.as_ref().is_some_and(|plan| !plan.is_least(statements)) {
            let skewed = |s: usize| skewed_twice(&front.left[&s]);
            for forms in self.rows(front, Kind::Sequential, &skewed, MOST_ORDERS) {
                let Some(plan) = self.behind(front, forms, Kind::Sequential) else { break };
                let done =
                    plan.costs(statements).iter().all(Cost::is_least_behind_a_sequential_loop);
                keep(plan, &mut best, statements);
                if done {
                    break;
                }
            }
        }
        best
    }

    fn behind(
        &mut self,
        front: &Front<'_>,
        forms: BTreeMap<usize, Affine>,
        kind: Kind,
    ) -> Option<Plan> {
        let row = self.row(&forms);
        let mut plan = self.plan(&front.behind(&row), kind)?;
        plan.prepend(&front.statements, |s| ScheduleRow::Loop(forms[&s].clone(), kind));
        Some(plan)
    }

    /// Rows for all statements, a form of `candidates` for each, by which every dependence goes
    /// forwards; for parallel loops, nowhere. Those that take the first candidates come first.
    fn rows(
        &self,
        front: &Front<'_>,
        kind: Kind,
        candidates: &dyn Fn(usize) -> Vec<Affine>,
        most: usize,
    ) -> Vec<BTreeMap<usize, Affine>> {
        let candidates: Vec<Vec<Affine>> =
            front.statements.iter().map(|&s| candidates(s)).collect();
        let mut answers: FxHashMap<(usize, usize, usize), bool> = FxHashMap::default();
        let mut found = Vec::new();
        let mut chosen: Vec<usize> = Vec::new();
        let mut next = 0;
        loop {
            let at = chosen.len();
            if at == front.statements.len() {
                let each = chosen.iter().enumerate();
                found.push(
                    each.map(|(i, &c)| (front.statements[i], candidates[i][c].clone())).collect(),
                );
                if found.len() == most {
                    return found;
                }
            } else if next < candidates[at].len() {
                chosen.push(next);
                if self.fits(front, kind, &candidates, &chosen, &mut answers) {
                    next = 0;
                    continue;
                }
            }
            // The next candidate of the last statement, or of one before it.
            match chosen.pop() {
                Some(last) => next = last + 1,
                None => return found,
            }
        }
    }

    /// Whether the last choice goes with those before it.
    fn fits(
        &self,
        front: &Front<'_>,
        kind: Kind,
        candidates: &[Vec<Affine>],
        chosen: &[usize],
        answers: &mut FxHashMap<(usize, usize, usize), bool>,
    ) -> bool {
        let last = chosen.len() - 1;
        let place = |s: usize| front.statements.iter().position(|&each| each == s);
        front.orders.iter().enumerate().all(|(number, order)| {
            let [Some(source), Some(sink)] = order.ends.map(place) else { return true };
            if source.max(sink) != last {
                return true;
            }
            let key = (number, chosen[source], chosen[sink]);
            *answers.entry(key).or_insert_with(|| {
                let form = |i: usize| (front.statements[i], candidates[i][chosen[i]].clone());
                let row = self.row(&[form(source), form(sink)].into_iter().collect());
                !order.may_go(&row, Direction::Greater)
                    && (kind == Kind::Sequential || !order.may_go(&row, Direction::Less))
            })
        })
    }
}

/// The loop of a statement whose neighbouring iterations write neighbours in memory.
fn along(ir: &Ir, statement: &Statement) -> Option<usize> {
    let written = statement.ops.iter().filter_map(|&op| access(ir, op));
    let last =
        written.filter(Access::writes).find_map(|access| access.subscripts.last()?.clone())?;
    statement.loops.iter().position(|&op| {
        let variable = AffineForOp::cast(ir, op).map(|view| view.induction_var(ir));
        variable.is_some_and(|variable| last.plain().coefficient(&[variable]).abs() == 1)
    })
}

/// Sums of two loops: the first is the one that the other goes on from.
fn skewed(left: &[usize]) -> Vec<Affine> {
    let mut sums = Vec::new();
    for factor in 1..=STEEPEST {
        for (i, &outer) in left.iter().enumerate() {
            for &inner in &left[i + 1..] {
                sums.push(Affine::dim(inner) + Affine::dim(outer) * factor);
            }
        }
    }
    sums
}

/// Sums of three loops, each the one that the next goes on from.
fn skewed_twice(left: &[usize]) -> Vec<Affine> {
    let mut sums = Vec::new();
    for (i, &outer) in left.iter().enumerate() {
        for (j, &middle) in left.iter().enumerate().skip(i + 1) {
            for &inner in &left[j + 1..] {
                for steep in 1..=STEEPEST * STEEPEST {
                    for factor in 1..=STEEPEST {
                        let sum = Affine::dim(inner) + Affine::dim(middle) * factor;
                        sums.push(sum + Affine::dim(outer) * steep);
                    }
                }
            }
        }
    }
    sums
}

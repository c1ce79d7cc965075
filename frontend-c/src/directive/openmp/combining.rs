//! Loops whose threads combine by an operator of the program's own (OpenMP 5.2 §5.5.11).
//!
//! The threads of a block divide the iterations. Each has a copy of the variable, under its name, and leaves it in an array
//! that they share; neighbours there are combined by twos, in the order of the threads, until one is left, which is
//! combined with the variable. All of that is C: loops over the numbers of threads, as those of `parallel` are.
//!
//! Of a construct of its own, several teams do so, each with a stretch of the iterations, and leave what they have in device memory; threads of
//! one block combine that in a second launch. No atomic operation of the type is needed for it.

use gpuc_dialects::offload::{Construct, LoopOrder};

use super::names::Form;
use super::threads::{asks, numbered};
use crate::directive::construct::{Chunk, ComputeRegion, GANG, LANE, Nest, WorkShare};
use crate::directive::data::Mapping;
use crate::directive::loops::trips;
use crate::directive::{self, DataFlags, Family, Kind, MappingKind, VarRef};
use crate::lex::scan;
use crate::lower::walk::{self, Below, Node};
use crate::parse::{Parsed, Parser};
use crate::tree::{StmtId, StmtKind, TranslationUnit};

/// How many threads have copies at most, and how many bytes all of these take: blocks have 48 KiB for all that they share.
const MOST_COPIES: u64 = 128;
const MOST_BYTES: u64 = 16 << 10;

/// How many teams combine where there are several, and the iterations from which on there are: fewer are not worth the second launch.
const TEAMS: u64 = 128;
const LEAST_ITERATIONS: i128 = 8192;

impl Parser {
    /// How many threads have copies of variables; `None` where one thread must execute the loop.
    pub(super) fn copies(
        &self,
        items: &[(usize, VarRef)],
        form: &Form,
        body: StmtId,
    ) -> Option<u64> {
        let unit = &self.checker.unit;
        // Threads that are there already would wait for each other in the middle of what they do.
        if self.in_parallel && !form.has("parallel") {
            return None;
        }
        let asked = asks(unit, body);
        let mut alone = !asked.teams && !asked.threads;
        walk::through_calls(unit, [body], &mut |node| {
            if let Node::Stmt(stmt) = node
                && let StmtKind::Directive { directive, .. } = unit.stmts[stmt].kind
            {
                alone &= matches!(unit.directives[directive].kind, Kind::Atomic(_) | Kind::Hint);
            }
            Below::Enter
        });
        let sizes = items.iter().map(|(_, var)| unit.types.size_of(var.ty));
        let bytes = sizes.sum::<Option<u64>>().filter(|_| alone)?;
        let mut count = MOST_COPIES;
        while count > 1 && (count + 1) * bytes > MOST_BYTES {
            count /= 2;
        }
        (count > 1).then_some(count)
    }

    /// The statement of a loop whose threads combine copies of variables.
    pub(super) fn combined_by_threads(
        &mut self,
        directive: &mut directive::Directive,
        items: Vec<(usize, VarRef)>,
        count: u64,
        body: StmtId,
    ) -> Parsed<StmtId> {
        if self.may_have_teams(directive, &items, body) {
            return self.combined_by_teams(directive, items, count, body);
        }
        let span = directive.name;
        let text = self.text_of_copies(&items, count);
        let tokens = scan(&text, span, &mut self.checker.unit.symbols);
        let whole = self.within(tokens, Parser::statement)?;
        if let Some(nest) = &mut directive.nest {
            nest.levels = [None; 3];
            nest.shared = [false; 3];
            nest.shared[LANE] = true;
        }
        let inner = self.split_loop(directive, body);
        let vars: Vec<VarRef> = items.into_iter().map(|(_, var)| var).collect();
        let like = directive::Directive {
            span: directive.span,
            ..directive::Directive::new(Family::OpenMp, directive.words, span, Kind::Loop)
        };
        let own = directive::Directive {
            private: vars.clone(),
            firstprivate: directive.firstprivate.clone(),
            reductions: directive.reductions.clone(),
            ..like.clone()
        };
        self.divide(whole, LANE, (&like, None), &mut Some((inner, own)));
        if matches!(directive.kind, Kind::Compute(_)) {
            // Of one team.
            of_own_size(directive, vars);
        } else {
            directive.kind = Kind::Block;
            directive.reductions.clear();
        }
        Ok(whole)
    }

    /// Whether teams may combine copies of variables: nobody else is there, and there is enough to do.
    fn may_have_teams(
        &self,
        directive: &directive::Directive,
        items: &[(usize, VarRef)],
        body: StmtId,
    ) -> bool {
        let unit = &self.checker.unit;
        matches!(directive.kind, Kind::Compute(_))
            && directive.reductions.is_empty()
            && directive.firstprivate.is_empty()
            && trips(unit, body).is_none_or(|trips| trips >= LEAST_ITERATIONS)
            && !items.iter().any(|(index, _)| self.user_reductions[*index].asks_for_before(unit))
    }

    /// The statement of a loop whose teams and their threads combine copies of variables.
    fn combined_by_teams(
        &mut self,
        directive: &mut directive::Directive,
        items: Vec<(usize, VarRef)>,
        count: u64,
        body: StmtId,
    ) -> Parsed<StmtId> {
        let span = directive.name;
        let text = self.text_of_teams(&items, count);
        let tokens = scan(&text, span, &mut self.checker.unit.symbols);
        let whole = self.within(tokens, Parser::statement)?;
        if let Some(nest) = &mut directive.nest {
            nest.levels = [None; 3];
            nest.shared = [true, false, true];
            // Stretches, so that neighbouring threads have neighbouring iterations.
            nest.chunks[GANG] = Chunk::Part;
            nest.order = Some(LoopOrder::Seq);
        }
        let inner = self.split_loop(directive, body);
        let vars: Vec<VarRef> = items.into_iter().map(|(_, var)| var).collect();
        let like = directive::Directive {
            span: directive.span,
            ..directive::Directive::new(Family::OpenMp, directive.words, span, Kind::Loop)
        };
        let mut of_threads =
            Some((inner, directive::Directive { private: vars.clone(), ..like.clone() }));
        let like = (&like, Some(LoopOrder::Independent));
        self.divide(whole, GANG, like, &mut of_threads);
        // Of as many teams as it says itself, and of two launches.
        directive.kind = Kind::Compute(ComputeRegion { construct: Construct::Kernels });
        of_own_size(directive, vars);
        Ok(whole)
    }

    /// Gives the loops of a text directives: those at the level of teams are for teams, and those inside for threads. The first of these
    /// has the program's loop, and copies.
    fn divide(
        &mut self,
        whole: StmtId,
        level: usize,
        (like, order): (&directive::Directive, Option<LoopOrder>),
        first: &mut Option<(StmtId, directive::Directive)>,
    ) {
        let StmtKind::Compound(mut list) = self.checker.unit.stmts[whole].kind.clone() else {
            return;
        };
        for stmt in &mut list {
            let unit = &mut self.checker.unit;
            let StmtKind::For { body, .. } = unit.stmts[*stmt].kind else { continue };
            let mut of_loop = like.clone();
            if level == GANG {
                of_loop.nest = numbered(unit, *stmt, GANG);
                self.divide(body, LANE, (like, order), first);
            } else if let Some((inner, own)) = first.take() {
                fill(unit, body, inner);
                of_loop = directive::Directive { nest: numbered(unit, *stmt, LANE), ..own };
            } else {
                of_loop.nest = Some(over_threads());
            }
            if let Some(nest) = &mut of_loop.nest {
                nest.order = order.or(nest.order);
            }
            let of_loop = self.checker.unit.directives.alloc(of_loop);
            let span = like.name;
            *stmt = self.stmt(StmtKind::Directive { directive: of_loop, body: Some(*stmt) }, span);
        }
        self.checker.unit.stmts[whole].kind = StmtKind::Compound(list);
    }

    /// All that stands round the loop of several teams: `;` is in its place.
    fn text_of_teams(&self, items: &[(usize, VarRef)], count: u64) -> String {
        let unit = &self.checker.unit;
        // Of teams as many as a block's threads can combine.
        let teams = TEAMS.min(count);
        let [
            mut parts,
            mut copies,
            mut begins,
            mut leaves,
            mut left,
            mut all_parts,
            mut taken,
            mut last,
        ] = [const { String::new() }; 8];
        for (number, (index, var)) in items.iter().enumerate() {
            let reduction = &self.user_reductions[*index];
            let name = unit.name(var.decl);
            let [all, of_teams, own, part] =
                ["all", "teams", "priv", "in"].map(|word| format!("__gpuc_omp_{word}{number}"));
            parts += &format!("__typeof__({name}) {of_teams}[{teams}]; ");
            copies += &format!("__typeof__({name}) {all}[{count}]; ");
            all_parts += &format!("__typeof__({name}) {all}[{teams}]; ");
            begins += &format!(
                "__typeof__({name}) {own} {} {name} = {own}; ",
                reduction.beginning(unit, &own, "")
            );
            leaves += &format!("{all}[__gpuc_thread] = {name}; ");
            left += &format!("{of_teams}[__gpuc_team] = {all}[0]; ");
            taken += &format!("{all}[__gpuc_thread] = {of_teams}[__gpuc_thread]; ");
            last += &format!(
                "__typeof__({name}) {own} = {name}; __typeof__({name}) {part} = {all}[0]; {} {name} = {own}; ",
                reduction.combining(unit, &own, &part)
            );
        }
        format!(
            "{{ {parts} \
             for (int __gpuc_team = 0; __gpuc_team < {teams}; ++__gpuc_team) {{ {copies} \
             for (int __gpuc_thread = 0; __gpuc_thread < {count}; ++__gpuc_thread) {{ {begins} ; {leaves} }} {} \
             {{ {left} }} }} \
             for (int __gpuc_one = 0; __gpuc_one < 1; ++__gpuc_one) {{ {all_parts} \
             for (int __gpuc_thread = 0; __gpuc_thread < {teams}; ++__gpuc_thread) {{ {taken} }} {} \
             {{ {last} }} }} }}",
            self.text_of_rounds(items, count),
            self.text_of_rounds(items, teams)
        )
    }

    /// All that stands round the loop: `;` is in its place.
    fn text_of_copies(&self, items: &[(usize, VarRef)], count: u64) -> String {
        let unit = &self.checker.unit;
        let (mut declared, mut begins, mut leaves, mut last) =
            (String::new(), String::new(), String::new(), String::new());
        for (number, (index, var)) in items.iter().enumerate() {
            let reduction = &self.user_reductions[*index];
            let name = unit.name(var.decl);
            let [all, orig, own, part] =
                ["all", "orig", "priv", "in"].map(|word| format!("__gpuc_omp_{word}{number}"));
            let declare =
                |name_of: &str, value: &str| format!("__typeof__({name}) {name_of} = {value}; ");
            let asks = reduction.asks_for_before(unit);
            declared += &format!("__typeof__({name}) {all}[{}]; ", count + u64::from(asks));
            let mut before = String::new();
            if asks {
                declared += &format!("{all}[{count}] = {name}; ");
                before = declare(&orig, &format!("{all}[{count}]"));
            }
            begins += &format!(
                "{before}__typeof__({name}) {own} {} {name} = {own}; ",
                reduction.beginning(unit, &own, &orig)
            );
            leaves += &format!("{all}[__gpuc_thread] = {name}; ");
            last += &format!(
                "{}{}{} {name} = {own}; ",
                declare(&own, name),
                declare(&part, &format!("{all}[0]")),
                reduction.combining(unit, &own, &part)
            );
        }
        format!(
            "{{ {declared} for (int __gpuc_thread = 0; __gpuc_thread < {count}; ++__gpuc_thread) {{ {begins} ; {leaves} }} \
             {}{{ {last} }} }}",
            self.text_of_rounds(items, count)
        )
    }

    /// What combines so many copies of each variable by twos, until the first one is all of them.
    fn text_of_rounds(&self, items: &[(usize, VarRef)], count: u64) -> String {
        let unit = &self.checker.unit;
        let combine = |stride: u64, (number, (index, var)): (usize, &(usize, VarRef))| {
            let name = unit.name(var.decl);
            let [all, own, part] =
                ["all", "priv", "in"].map(|word| format!("__gpuc_omp_{word}{number}"));
            let first = format!("{all}[{} * __gpuc_at]", 2 * stride);
            format!(
                "__typeof__({name}) {own} = {first}; __typeof__({name}) {part} = {all}[{} * __gpuc_at + {stride}]; {} {first} = {own}; ",
                2 * stride,
                self.user_reductions[*index].combining(unit, &own, &part)
            )
        };
        let strides = std::iter::successors(Some(1), |stride| Some(stride * 2));
        let rounds = strides.take_while(|&stride| stride < count).map(|stride: u64| {
            let round: String =
                items.iter().enumerate().map(|item| combine(stride, item)).collect();
            let pairs = count / (2 * stride);
            format!("for (int __gpuc_at = 0; __gpuc_at < {pairs}; ++__gpuc_at) {{ {round} }} ")
        });
        rounds.collect()
    }
}

/// Puts a statement where a block has an empty one.
fn fill(unit: &mut TranslationUnit, block: StmtId, inner: StmtId) {
    let StmtKind::Compound(mut parts) = unit.stmts[block].kind.clone() else { return };
    for part in &mut parts {
        if matches!(unit.stmts[*part].kind, StmtKind::Empty) {
            *part = inner;
        }
    }
    unit.stmts[block].kind = StmtKind::Compound(parts);
}

/// A loop whose iterations threads of a block share.
fn over_threads() -> Nest {
    let mut levels = [None; 3];
    levels[LANE] = Some(WorkShare { size: None, dimension: 1 });
    Nest { levels, ..Nest::default() }
}

/// Lets a construct have as many teams and threads as its loops say, and brings variables back from it.
fn of_own_size(directive: &mut directive::Directive, vars: Vec<VarRef>) {
    directive.sizes[GANG].clear();
    directive.sizes[LANE].clear();
    directive.size_values.clear();
    let flags = DataFlags { one_count: true, ..DataFlags::default() };
    let known: Vec<_> = directive.data.iter().map(|mapping| mapping.var.decl).collect();
    let own = vars.into_iter().filter(|var| !known.contains(&var.decl));
    directive.data.extend(own.map(|var| Mapping { kind: MappingKind::Copy, flags, var }));
}

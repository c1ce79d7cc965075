//! Directives within a compute construct: `loop` and `atomic`.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::arith::{self, CmpIPredicate};
use gpuc_dialects::offload::{self, Construct, LEVELS, LoopOrder, ReductionKind};
use gpuc_ir::Value;
use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use super::array_reduction::{ArrayReduction, scalar_reductions};
use super::counted::{Bounds, Counted};
use super::lowerer::{Binding, Failure, Jumps, Lowerer, Lowering};
use super::private::only_reads;
use super::role::{LoopSite, Roles};
use super::scalar::Scalar;
use super::uses::mutated_by;
use super::walk::{self, Below, Node};
use crate::directive::construct::{GANG, Step, Wish, WorkShare};
use crate::directive::{Directive, Kind, ReductionOp};
use crate::source::Span;
use crate::tree::{DeclId, DirectiveId, ExprId, ExprKind, StmtId, StmtKind};
use crate::types::Qualifiers;

/// The case of `#offload.reduction` for an operator on values of a type. What a `_Bool` is given
/// becomes 0 or 1 (C11 §6.3.1.2): sums and products of such are `||` and `&&`.
fn reduction_kind(op: ReductionOp, scalar: Scalar) -> ReductionKind {
    match op {
        ReductionOp::Add if scalar == Scalar::Bool => ReductionKind::LogicalOr,
        ReductionOp::Mul if scalar == Scalar::Bool => ReductionKind::LogicalAnd,
        ReductionOp::Add => ReductionKind::Add,
        ReductionOp::Mul => ReductionKind::Mul,
        ReductionOp::Max => ReductionKind::Max,
        ReductionOp::Min => ReductionKind::Min,
        ReductionOp::And => ReductionKind::And,
        ReductionOp::Or => ReductionKind::Or,
        ReductionOp::Xor => ReductionKind::Xor,
        ReductionOp::LogicalAnd => ReductionKind::LogicalAnd,
        ReductionOp::LogicalOr => ReductionKind::LogicalOr,
    }
}

impl Lowerer<'_> {
    /// A directive inside of a compute construct.
    pub(super) fn directive(
        &mut self,
        id: DirectiveId,
        body: Option<StmtId>,
        span: Span,
    ) -> Lowering<()> {
        if self.unit.directives[id].found
            && let Some(body) = body
        {
            // A nest of a function that a larger nest calls.
            return self.nested(body);
        }
        let directive = &self.unit.directives[id];
        let span = Span::new(directive.span.start, directive.name.end.max(span.start));
        if let Some(refused) = &directive.refused {
            return Err(Failure::Refused(refused.clone()));
        }
        self.diagnostics.extend(directive.remark.as_deref().cloned());
        match (directive.kind, body) {
            (Kind::Loop, Some(body)) if self.separate => self.own_variables(directive, body),
            (Kind::Loop, Some(body)) => self.directive_loop(directive, body),
            (Kind::Atomic(form), Some(body)) => self.atomic(form, body),
            (Kind::Block, Some(body)) => self.own_variables(directive, body),
            (Kind::Hint, _) => Ok(()),
            _ => {
                let name = directive.words;
                self.refuse(
                    span,
                    Diagnostic::error(format!(
                        "`{name}` cannot stand inside of a compute construct"
                    ))
                    .help("put it around the construct, or before it"),
                )
            }
        }
    }

    /// A statement with variables of its own, and some that loops in it combine into.
    fn own_variables(&mut self, directive: &Directive, body: StmtId) -> Lowering<()> {
        let saved = self.bindings.clone();
        let around = self.reductions.clone();
        for var in &directive.private {
            self.declare_private(var)?;
        }
        self.copy_firstprivate(directive, body)?;
        self.hide_reductions(directive);
        let combined = scalar_reductions(self.unit, directive).map(|(op, var)| (var.decl, op));
        self.reductions.extend(combined);
        let done = self.nested(body);
        self.reductions = around;
        for var in directive.private.iter().chain(&directive.firstprivate) {
            if let Some(outside) = saved.get(&var.decl) {
                self.bindings.insert(var.decl, outside.clone());
            }
        }
        done
    }

    /// What a loop or a block has for itself is not what is reduced around it.
    fn hide_reductions(&mut self, directive: &Directive) {
        let own = |decl| {
            directive.private.iter().chain(&directive.firstprivate).any(|var| var.decl == decl)
        };
        self.reductions.retain(|&(decl, _)| !own(decl));
    }

    /// Copies of variables, with the values that they have here.
    fn copy_firstprivate(&mut self, directive: &Directive, body: StmtId) -> Lowering<()> {
        for var in &directive.firstprivate {
            self.check_copied(var)?;
            match self.bindings.get(&var.decl).cloned() {
                Some(Binding::Slot { memref, .. }) => {
                    let scalar = self.scalar(self.unit.decls[var.decl].ty, var.span)?;
                    let value = self.read_slot(memref);
                    self.declare_slot(var.decl, scalar, None);
                    if let Some(&Binding::Slot { memref, .. }) = self.bindings.get(&var.decl) {
                        self.write_slot(memref, value);
                    }
                }
                Some(Binding::Object(_)) if !only_reads(self.unit, body, var.decl) => {
                    self.copy_private(var.decl, Some(var))?;
                }
                // What does not change need not be copied; pointers are copied where they change.
                _ => {}
            }
        }
        Ok(())
    }

    /// The order of iterations that a directive asks for.
    fn order(&self, directive: &Directive) -> LoopOrder {
        let stated = directive.nest.as_ref().and_then(|nest| nest.order);
        stated.unwrap_or(match self.construct {
            Some(Construct::Parallel) => LoopOrder::Independent,
            _ => LoopOrder::Auto,
        })
    }

    /// Whether the iterations of a loop are the program's promise not to depend on each other.
    pub(super) fn is_independent(&self, directive: &Directive) -> bool {
        self.order(directive) == LoopOrder::Independent && self.construct != Some(Construct::Serial)
    }

    /// A `loop` directive, or the loop part of a combined one, with the loops it applies to.
    pub(super) fn directive_loop(&mut self, directive: &Directive, body: StmtId) -> Lowering<()> {
        let header = self.header(self.only_statement(body));
        self.at_span(header, |l| l.divided_loops(directive, body))
    }

    fn divided_loops(&mut self, directive: &Directive, body: StmtId) -> Lowering<()> {
        let loops = self.nest(directive, body)?;
        let is_tile = |wish: &Wish| matches!(wish.step, Step::Block { word: "tile", .. });
        if let Some(tile) = directive.nest.as_ref().and_then(|nest| nest.tile)
            && !directive.steps.iter().any(is_tile)
        {
            let remark = Diagnostic::remark("the sizes of these tiles are chosen by the compiler")
                .at(self.unit.place(tile));
            self.diagnostics.push(remark);
        }
        if let Some(parts) = directive.nest.as_ref().and_then(|nest| nest.gang_parts) {
            let text = "the compiler chooses which gang has which iterations: gang loops of a region wait for each other";
            self.diagnostics.push(Diagnostic::remark(text).at(self.unit.place(parts)));
        }
        let mut bounds = Vec::new();
        for counted in &loops {
            bounds.push(self.bounds(counted)?);
        }
        let mut loops = loops;
        if directive.nest.as_ref().is_some_and(|nest| nest.interchange) && loops.len() > 1 {
            loops.swap(0, 1);
            bounds.swap(0, 1);
            // What is inside of both stays inside.
            let outer = loops[0].body;
            loops[0].body = std::mem::replace(&mut loops[1].body, outer);
        }
        let Some(&whole) = bounds.first() else { return Ok(()) };
        let levels = self.levels_by_number(directive);
        self.in_parts(directive, whole, &levels, &mut |l, part| {
            let mut parts = bounds.clone();
            parts[0] = part;
            l.loop_over(directive, body, &loops, &parts, &bounds)
        })
    }

    /// The loops of a directive, of which `bounds` are this processor's part of `whole`.
    fn loop_over(
        &mut self,
        directive: &Directive,
        body: StmtId,
        loops: &[Counted],
        bounds: &[Bounds],
        whole: &[Bounds],
    ) -> Lowering<()> {
        let mut order = self.order(directive);
        let mut independent = self.is_independent(directive);
        let Some(innermost) = loops.last() else { return Ok(()) };
        if order == LoopOrder::Seq {
            self.note_order(directive);
        }
        let inner_body = innermost.body;

        let around = (self.gangs, self.taken, self.numbers);
        let is_divided = !self.levels_by_number(directive).is_empty();
        let mut levels = self.levels(directive)?;
        if is_divided && levels.iter().all(Option::is_none) {
            // What a processor has for itself goes from one of its iterations to the next.
            (order, independent) = (LoopOrder::Seq, false);
        }
        let roles = match self.frames.last().and_then(|frame| frame.function).or(self.function) {
            Some(function) if independent => {
                self.roles(LoopSite { directive, stmt: body, body: inner_body, function })?
            }
            _ => Roles::default(),
        };
        self.note_doubts(directive, &roles);
        // Iterations that read what it was could not be told from the last one, which changes it.
        let linear = directive.linear.first().map(|(var, _)| var.decl);
        if let Some(decl) = roles.in_turns.or_else(|| self.keeps_own(directive)).or(linear) {
            self.note_turns(directive, decl);
            (levels, order, independent) = ([None; 3], LoopOrder::Seq, false);
            self.taken = around.1;
        }
        let mut sizes = Vec::new();
        for (level, clause) in levels.into_iter().zip(LEVELS) {
            sizes.push(match level.and_then(|level| level.size) {
                Some(size) => Some(self.given_size(size, clause)?),
                None => None,
            });
        }
        let reductions = self.loop_reductions(directive, inner_body, independent, &roles)?;
        let nested_updates = self.updated_arrays.len();
        let mut arrays = self.array_reductions(directive, inner_body, independent)?;
        let starts = self.linear_starts(directive)?;
        let location = self.b.location;

        let saved = self.bindings.clone();
        let reduced_around = self.reductions.clone();
        self.hide_reductions(directive);
        let nested_arrays = self.reduced_arrays.len();
        self.reduced_arrays.extend(arrays.iter().cloned());
        self.reductions.extend(reductions.iter().map(|&(decl, op, ..)| (decl, op)));
        let saved_jumps = std::mem::replace(
            &mut self.jumps,
            vec![Jumps { in_directive_loop: true, ..Jumps::default() }],
        );
        let outer = self.in_independent_loop;
        self.in_independent_loop |= independent;
        let index = self.b.ctx.index();
        let arguments = vec![index; loops.len()];
        let exits = self.exits(inner_body);
        let (region, done) = self.region(&arguments, |l, induction| {
            let reversed: Vec<Value>;
            let mut induction = induction;
            if directive.nest.as_ref().is_some_and(|nest| nest.reverse) {
                reversed = l.reversed(bounds, induction);
                induction = &reversed;
            }
            l.enter_iteration(directive, loops, bounds, induction, independent, &roles)?;
            l.enter_linear(directive, &starts, whole, induction)?;
            l.enter_array_reductions(&mut arrays)?;
            l.b.location = location;
            l.round(inner_body, exits)?;
            l.keep_last(directive, loops, whole, induction, &saved)?;
            l.leave_array_reductions(&arrays)
        });
        if let Some(&block) = self.b.blocks(region).first() {
            self.inside(block, |l| {
                l.b.location = location;
                let op = offload::YieldOp::new(&mut l.b);
                l.build(op);
            });
        }
        self.in_independent_loop = outer;
        self.jumps = saved_jumps;
        self.reductions = reduced_around;
        self.reduced_arrays.truncate(nested_arrays);
        self.updated_arrays.truncate(nested_updates);
        (self.gangs, self.taken, self.numbers) = around;
        self.bindings = saved;
        self.b.location = location;
        let elements = arrays.iter().flat_map(ArrayReduction::variables);
        let reductions: Vec<_> = reductions.into_iter().chain(elements).collect();
        self.build_loop(levels, order, bounds, &sizes, &reductions, region);
        done?;
        self.finish_array_reductions(&arrays)
    }

    /// A variable of `lastprivate` that lives in the region: what one lane leaves in it, others do not see.
    fn keeps_own(&self, directive: &Directive) -> Option<DeclId> {
        let is_own = |decl: &DeclId| {
            matches!(self.bindings.get(decl), Some(Binding::Slot { shared: false, .. }))
        };
        let takes_turns = self.may_take_turns(directive);
        directive.lastprivate.iter().map(|var| var.decl).filter(|_| takes_turns).find(is_own)
    }

    /// Says which directive leaves the iterations of a loop in order.
    fn note_order(&mut self, directive: &Directive) {
        let line = self.unit.place(directive.name).line;
        let text = format!("Loop runs sequentially, as `{}` in line {line} says", directive.words);
        let place = self.b.ctx.place(self.b.location);
        self.diagnostics.push(Diagnostic::remark(text).at_option(place));
    }

    /// Says that the iterations of a loop are executed one after another.
    fn note_turns(&mut self, directive: &Directive, decl: DeclId) {
        let name = self.unit.name(decl);
        let message = format!(
            "the iterations of this `{}` are executed one after another: what they leave in `{name}` is read later",
            directive.words
        );
        let warning = Diagnostic::warning(message)
            .at(self.unit.place(directive.name))
            .help(format!("say what it is: `reduction(op: {name})`, `private({name})`; or map it"));
        self.diagnostics.push(warning);
    }

    /// The processors that the iterations of a directive's loops are divided among, which loops inside do not
    /// have any more.
    fn levels(&mut self, directive: &Directive) -> Lowering<[Option<WorkShare>; 3]> {
        let Some(nest) = &directive.nest else { return Ok([None; 3]) };
        let mut levels = nest.levels;
        if nest.yields {
            for (number, level) in levels.iter_mut().enumerate() {
                level.take_if(|_| self.taken[number]);
                self.taken[number] |= level.is_some();
            }
        } else if let Some(gangs) = levels[GANG]
            && !self.is_gang_loop(directive, gangs)?
        {
            levels[GANG] = None;
        }
        Ok(levels)
    }

    /// At the start of an iteration whose variable is the number of its processor.
    fn note_numbers(&mut self, directive: &Directive) -> Lowering<()> {
        let Some(explicit) = directive.nest.as_ref().and_then(|nest| nest.explicit) else {
            return Ok(());
        };
        if let Some(&Binding::Value(number)) = self.bindings.get(&explicit.variable) {
            let number = self.as_index(number, Scalar::INT);
            let count = self.subscript(explicit.count)?;
            self.numbers[explicit.level] = Some((number, count));
        }
        Ok(())
    }

    /// Whether a loop is divided among gangs. Within another that is, only the other is: it has all
    /// gangs, of whichever dimensions.
    fn is_gang_loop(&mut self, directive: &Directive, level: WorkShare) -> Lowering<bool> {
        let dimension = level.dimension;
        let Some(around) = self.gangs.replace(dimension) else { return Ok(true) };
        let place = self.unit.place(directive.name);
        if dimension >= around {
            // Older codes write `gang` where any level will do.
            let message = "this gang loop stands within another, whose gangs are taken already";
            self.diagnostics.push(
                Diagnostic::warning(message)
                    .at(place)
                    .help(directive.family.gang_within_gang_help()),
            );
        } else {
            let message = "all gangs are taken by the outermost gang loop";
            self.diagnostics.push(Diagnostic::missed(message).at(place));
        }
        Ok(false)
    }

    /// What stands in braces by itself.
    fn only_statement(&self, mut stmt: StmtId) -> StmtId {
        while let StmtKind::Compound(list) = &self.unit.stmts[stmt].kind
            && let [single] = list.as_slice()
        {
            stmt = *single;
        }
        stmt
    }

    /// The loops that a directive applies to, outermost first.
    fn nest(&mut self, directive: &Directive, body: StmtId) -> Lowering<Vec<Counted>> {
        let mut loops: Vec<Counted> = Vec::new();
        let mut at = body;
        for _ in 0..directive.collapsed() {
            at = self.only_statement(at);
            let is_loop = matches!(self.unit.stmts[at].kind, StmtKind::For { .. });
            if !is_loop
                && directive.nest.as_ref().is_some_and(|nest| nest.force)
                && !loops.is_empty()
            {
                // What stands between the loops is done as often as it would be without the clause.
                self.remark_fewer(directive, loops.len());
                break;
            }
            let counted = match self.counted(at) {
                Ok(counted) => counted,
                Err((span, reason)) => {
                    let place = self.unit.place(directive.name);
                    return self.refuse(
                        span,
                        Diagnostic::error("the head of this loop does not say how many rounds it has")
                            .code(codes::NOT_CANONICAL)
                            .label(reason)
                            .related(place, "the directive that needs it")
                            .help("write `for (i = first; i < bound; i += step)`, or leave the loop without a directive"),
                    );
                }
            };
            for outer in &loops {
                let depends = [Some(counted.first), Some(counted.bound), counted.step]
                    .into_iter()
                    .flatten()
                    .find(|&expr| self.mentions(expr, outer.variable));
                if depends.is_some() && directive.nest.as_ref().is_some_and(|nest| nest.force) {
                    self.remark_fewer(directive, loops.len());
                    return Ok(loops);
                }
                if let Some(expr) = depends {
                    let name = self.unit.name(outer.variable).to_owned();
                    return self.refuse(
                        self.span(expr),
                        Diagnostic::error(
                            "collapsed loops must have bounds that do not depend on each other",
                        )
                        .label(format!("depends on `{name}`"))
                        .help("collapse fewer loops"),
                    );
                }
            }
            at = counted.body;
            loops.push(counted);
        }
        Ok(loops)
    }

    /// Says that fewer loops are divided than the program asks for.
    fn remark_fewer(&mut self, directive: &Directive, count: usize) {
        let message = format!("{count} of these loops are divided among processors");
        let remark = Diagnostic::missed(message).at(self.unit.place(directive.name));
        self.diagnostics.push(remark);
    }

    fn mentions(&self, expr: ExprId, decl: DeclId) -> bool {
        let mut found = false;
        walk::expr(self.unit, expr, &mut |node| {
            if let Node::Expr(expr) = node
                && matches!(self.unit.exprs[expr].kind, ExprKind::Name(name) if name == decl)
            {
                found = true;
            }
            Below::Enter
        });
        found
    }

    /// A number of gangs, workers or lanes, as an `i32`.
    pub(super) fn launch_size(&mut self, expr: ExprId) -> Lowering<Value> {
        let from = self.scalar(self.ty(expr), self.span(expr))?;
        let value = self.rvalue(expr)?;
        Ok(self.convert(value, from, Scalar::INT))
    }

    /// The same as what `clause` gives, at its place: 1 at least.
    pub(super) fn given_size(&mut self, expr: ExprId, clause: &str) -> Lowering<Value> {
        let value = self.launch_size(expr)?;
        let variable = self.unit.named(expr).map(|decl| self.unit.name(decl).to_owned());
        Ok(self.at_span(self.span(expr), |l| {
            let clause = l.b.ctx.string_attr(clause);
            let variable = variable.map(|name| l.b.ctx.string_attr(&name));
            let op = offload::LaunchSizeOp::new(&mut l.b, value)
                .attr(&mut l.b, "clause", clause)
                .attr_option(&mut l.b, "variable", variable);
            l.value(op)
        }))
    }

    /// The reduction variables of a loop: those of its clauses, and those of enclosing loops that it
    /// updates, because what an iteration adds must not be lost, and what its iterations turn out to
    /// combine.
    pub(super) fn loop_reductions(
        &mut self,
        directive: &Directive,
        body: StmtId,
        independent: bool,
        roles: &Roles,
    ) -> Lowering<Vec<(DeclId, ReductionOp, Value, Scalar)>> {
        let mut wanted: Vec<(DeclId, ReductionOp, Span)> = scalar_reductions(self.unit, directive)
            .map(|(op, var)| (var.decl, op, var.span))
            .collect();
        for &(decl, op) in &roles.reductions {
            let (symbol, name) = (op.spelling(), self.unit.name(decl));
            let remark =
                Diagnostic::remark(format!("Generating implicit reduction({symbol}:{name})"))
                    .at(self.unit.place(directive.name));
            self.diagnostics.push(remark);
            wanted.push((decl, op, directive.name));
        }
        if independent {
            let mutated = mutated_by(self.unit, body);
            for &(decl, op) in &self.reductions {
                if mutated.contains(&decl) && !wanted.iter().any(|&(known, ..)| known == decl) {
                    wanted.push((decl, op, directive.name));
                }
            }
        }
        let mut found: Vec<(DeclId, ReductionOp, Value, Scalar)> = Vec::new();
        for (decl, op, span) in wanted {
            self.check_reduced(directive, decl, op, span)?;
            if found.iter().any(|&(known, ..)| known == decl) {
                return self.error(span, "this variable is in two `reduction` clauses of one loop");
            }
            let scalar = self.scalar(self.unit.decls[decl].ty, span)?;
            match self.bindings.get(&decl) {
                Some(&Binding::Slot { memref, .. }) => found.push((decl, op, memref, scalar)),
                Some(&Binding::Value(value)) => {
                    // Never assigned to: the reduction leaves it as it is.
                    self.declare_slot(decl, scalar, Some(value));
                    if let Some(&Binding::Slot { memref, .. }) = self.bindings.get(&decl) {
                        found.push((decl, op, memref, scalar));
                    }
                }
                _ => {
                    let name = self.unit.name(decl).to_owned();
                    return self
                        .error(span, format!("`{name}` cannot be a reduction variable here"));
                }
            }
        }
        Ok(found)
    }

    /// Refuses a reduction of a variable that a loop or construct around reduces by another operator, where the
    /// family gives that no meaning (OpenACC 3.3 §2.9.11), and of one that nothing may be assigned to.
    pub(super) fn check_reduced(
        &mut self,
        directive: &Directive,
        decl: DeclId,
        op: ReductionOp,
        span: Span,
    ) -> Lowering<()> {
        let name = self.unit.name(decl);
        if self.unit.decls[decl].ty.qualifiers().contains(Qualifiers::CONST) {
            let message = format!("`{name}` is const: a reduction assigns to it");
            return self.error(span, message);
        }
        let around = self.reductions.iter().rev().find(|&&(known, _)| known == decl);
        match around {
            Some(&(_, other)) if other != op && directive.family.combines_alike() => {
                let (own, other) = (op.spelling(), other.spelling());
                self.refuse(
                    span,
                    Diagnostic::error(format!(
                        "`{name}` is reduced by `{own}` here, and by `{other}` around"
                    ))
                    .help("loops inside each other combine a variable by one operator: combine into another variable here"),
                )
            }
            _ => Ok(()),
        }
    }

    /// At the start of an iteration: loop variables, private variables, and copies of the scalars
    /// that the body assigns to, which independent iterations cannot share.
    fn enter_iteration(
        &mut self,
        directive: &Directive,
        loops: &[Counted],
        bounds: &[Bounds],
        induction: &[Value],
        independent: bool,
        roles: &Roles,
    ) -> Lowering<()> {
        for ((counted, &bounds), &induction) in loops.iter().zip(bounds).zip(induction) {
            self.name_variable(induction, counted.variable, self.span(counted.first));
            let value = self.induction_value(bounds, induction, counted);
            self.bindings.insert(counted.variable, Binding::Value(value));
        }
        self.note_numbers(directive)?;
        let mut private: IndexSet<DeclId> = IndexSet::new();
        if let Some(innermost) = loops.last().filter(|_| directive.family.copies_scalars()) {
            self.copy_firstprivate(directive, innermost.body)?;
            private.extend(directive.firstprivate.iter().map(|var| var.decl));
        }
        for var in directive.private.iter().chain(&directive.lastprivate) {
            private.insert(var.decl);
            // The variable of an associated loop is private already, and holds the iteration's
            // value: the clause adds nothing.
            if loops.iter().any(|counted| counted.variable == var.decl) {
                continue;
            }
            self.declare_private(var)?;
        }
        if !independent {
            return Ok(());
        }
        let Some(innermost) = loops.last() else { return Ok(()) };
        for decl in mutated_by(self.unit, innermost.body) {
            let reduced = self.reductions.iter().any(|&(known, _)| known == decl)
                || self.reduced_arrays.iter().any(|known| known.variable() == decl);
            if reduced || private.contains(&decl) {
                continue;
            }
            match self.bindings.get(&decl).cloned() {
                Some(Binding::Slot { memref, shared: false }) => {
                    let element = self.b.ctx.element(self.b.ty(memref));
                    let Some(element) = element else { continue };
                    let value = self.read_slot(memref);
                    let copy = self.alloca(element);
                    self.write_slot(copy, value);
                    self.bindings.insert(decl, Binding::Slot { memref: copy, shared: false });
                }
                // Shared with the host, which does not look at what iterations leave.
                Some(Binding::Slot { shared: true, .. }) if roles.own.contains(&decl) => {
                    let scalar = self.scalar(self.unit.decls[decl].ty, directive.name)?;
                    self.declare_slot(decl, scalar, None);
                }
                Some(Binding::Object(_)) if self.is_own_complex(decl) => {
                    self.copy_private(decl, None)?;
                }
                Some(Binding::PointerVariable { buffer: Some(buffer), slots, .. }) => {
                    let position = slots.iter().map(|&slot| self.read_slot(slot)).collect();
                    self.bind_pointer(decl, Some(super::place::Pointer::new(buffer, position)))?;
                }
                Some(Binding::PointerVariable { buffer: None, .. }) => {
                    self.bind_pointer(decl, None)?
                }
                Some(Binding::Address(slot)) => {
                    let address = self.read_slot(slot);
                    let i64 = self.b.ctx.int(64);
                    let copy = self.alloca(i64);
                    self.write_slot(copy, address);
                    self.bindings.insert(decl, Binding::Address(copy));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether an iteration is the last of all.
    fn is_last(&mut self, bounds: &[Bounds], induction: &[Value]) -> Value {
        let mut is_last = arith::constant_bool(&mut self.b, true);
        for (bounds, &at) in bounds.iter().zip(induction) {
            let next = self.add_index(at, bounds.step);
            let predicate = CmpIPredicate::Sge.attr(&mut self.b.ctx);
            let i1 = self.b.ctx.i1();
            let op = arith::CmpIOp::new(&mut self.b, next, bounds.upper).attr(
                &mut self.b,
                "predicate",
                predicate,
            );
            let ends = self.value(op.result(i1));
            let op = arith::AndIOp::new(&mut self.b, is_last, ends);
            is_last = self.value(op);
        }
        is_last
    }

    /// At the end of the last iteration: the values that its variables of `lastprivate` have become.
    fn keep_last(
        &mut self,
        directive: &Directive,
        loops: &[Counted],
        bounds: &[Bounds],
        induction: &[Value],
        outside: &FxHashMap<DeclId, Binding>,
    ) -> Lowering<()> {
        let is_own = self.may_take_turns(directive);
        for var in &directive.lastprivate {
            let is_object = |binding: Option<&Binding>| match binding {
                Some(Binding::Object(pointer)) => Some(pointer.clone()),
                _ => None,
            };
            if let (Some(target), Some(source)) =
                (is_object(outside.get(&var.decl)), is_object(self.bindings.get(&var.decl)))
                && self.is_of_the_program_at(&target)
            {
                let is_last = self.is_last(bounds, induction);
                let (ty, span) = (self.unit.decls[var.decl].ty, var.span);
                self.branch(is_last, |l| l.copy_object(&source, &target, ty, span))?;
                continue;
            }
            let shared = match outside.get(&var.decl) {
                Some(&Binding::Slot { memref, shared }) if shared || is_own => memref,
                _ => {
                    let message = "`lastprivate` is supported for scalars that are mapped or in a combined construct only";
                    return self.error(var.span, message);
                }
            };
            let is_last = self.is_last(bounds, induction);
            let of_loop = loops.iter().position(|counted| counted.variable == var.decl);
            let value = match (of_loop, self.bindings.get(&var.decl)) {
                // What the variable is when its loop has ended.
                (Some(number), _) => {
                    let next = self.add_index(induction[number], bounds[number].step);
                    self.induction_value(bounds[number], next, &loops[number])
                }
                (None, Some(&Binding::Slot { memref, .. })) => self.read_slot(memref),
                _ => {
                    let message = "`lastprivate` of this variable is not supported";
                    return self.error(var.span, message);
                }
            };
            self.branch(is_last, |l| {
                l.write_slot(shared, value);
                Ok(())
            })?;
        }
        Ok(())
    }

    pub(super) fn build_loop(
        &mut self,
        levels: [Option<WorkShare>; 3],
        order: LoopOrder,
        bounds: &[Bounds],
        sizes: &[Option<Value>],
        reductions: &[(DeclId, ReductionOp, Value, Scalar)],
        region: gpuc_ir::Region,
    ) {
        let pick = |part: fn(&Bounds) -> Value| bounds.iter().map(part).collect::<Vec<_>>();
        let (lower, upper, steps) = (pick(|b| b.lower), pick(|b| b.upper), pick(|b| b.step));
        let variables: Vec<Value> = reductions.iter().map(|&(_, _, memref, _)| memref).collect();
        let ctx = &mut self.b.ctx;
        let mut names = Vec::new();
        for (number, text) in LEVELS.into_iter().enumerate() {
            if levels[number].is_some() {
                names.push(ctx.string_attr(text));
            }
        }
        let levels = ctx.array_attr(&names);
        let order = order.attr(ctx);
        let kinds: Vec<_> = reductions
            .iter()
            .map(|&(_, op, _, scalar)| reduction_kind(op, scalar).attr(ctx))
            .collect();
        let kinds = ctx.array_attr(&kinds);
        let any_unsigned = reductions.iter().any(|(.., scalar)| scalar.is_unsigned());
        let unsigned: Vec<_> =
            reductions.iter().map(|(.., scalar)| ctx.bool_attr(scalar.is_unsigned())).collect();
        let unsigned = any_unsigned.then(|| ctx.array_attr(&unsigned));
        let b = &mut self.b;
        let op = offload::LoopOp::new(
            b, &lower, &upper, &steps, sizes[0], sizes[1], sizes[2], &variables,
        )
        .attr(b, "levels", levels)
        .attr(b, "order", order)
        .attr(b, "reduction_kinds", kinds)
        .attr_option(b, "unsigned_reductions", unsigned)
        .region(region);
        self.build(op);
    }
}

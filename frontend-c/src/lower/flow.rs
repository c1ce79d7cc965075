//! Where the value that a scalar variable has at one place of a function may still be read.
//!
//! One question behind several rules: whether each iteration sets a variable before it looks at it, and
//! whether anybody looks at what a loop or region leaves in it. A walk in the order of execution carries
//! along whether the variable may hold the value asked for, or another; loops are walked until that
//! changes no more. What is not understood counts as a read.

use rustc_hash::FxHashMap;

use super::extent::run_time_extents;
use super::storage::is_automatic;
use super::uses::mutates;
use super::walk::{self, Below, Node};
use crate::directive::{Directive, MappingKind, VarRef};
use crate::source::Span;
use crate::tree::{
    BinaryOp, CastKind, DeclId, DeclKind, ExprId, ExprKind, Initializer, StmtId, StmtKind,
    TranslationUnit, UnaryOp,
};

/// Which value is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    /// That at the start of the statement that is walked.
    Start,
    /// That behind a statement in it; what the statement itself reads when it comes again is not
    /// asked for.
    Behind(StmtId),
    /// The same, and asked for: a loop around may bring the statement again.
    BehindAndAgain(StmtId),
}

impl From {
    /// The statement behind which the value is.
    fn behind(self) -> Option<StmtId> {
        match self {
            From::Start => None,
            From::Behind(stmt) | From::BehindAndAgain(stmt) => Some(stmt),
        }
    }
}

/// What becomes of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fate {
    /// A place that may read it.
    pub read: Option<Span>,
    /// Whether some read is certain to be of it, as nothing stands in front of it that could leave the
    /// way or assign to the variable.
    pub read_for_sure: bool,
    /// Whether there is a read that is of it whenever control comes there, be it in one round of a loop only.
    pub read_alone: bool,
    /// Whether something is certain to be assigned to the variable.
    pub replaced_for_sure: bool,
}

impl Fate {
    /// Whether each time that the statement is executed needs what the one before leaves.
    pub(super) fn is_carried(self) -> bool {
        self.read_for_sure && self.replaced_for_sure
    }
}

/// What becomes of the value of `variable`, within `scope`, which `function` contains.
pub(super) fn fate(
    unit: &TranslationUnit,
    function: DeclId,
    scope: StmtId,
    variable: DeclId,
    from: From,
) -> Fate {
    let span = unit.decls[variable].span;
    let body = unit.function(function).and_then(|function| function.body);
    let is_body = body == Some(scope);
    let known = is_automatic(unit, variable) && !escapes(unit, function, variable, from);
    if body.is_none() || from != From::Start && is_body && !known {
        return Fate { read: Some(span), ..Fate::default() };
    }
    let mut flow = Flow {
        unit,
        variable,
        from,
        others: !known,
        state: match from {
            From::Start => State { holds: true, lost: false },
            From::Behind(_) | From::BehindAndAgain(_) => State { holds: false, lost: true },
        },
        leaves: Vec::new(),
        switches: Vec::new(),
        labels: FxHashMap::default(),
        again: true,
        muted: false,
        fate: Fate::default(),
        certain: 0,
        budget: MOST_STEPS,
    };
    let start = flow.state;
    while std::mem::take(&mut flow.again) && flow.budget > 0 {
        (flow.state, flow.certain) = (start, 0);
        flow.stmt(scope);
    }
    if flow.budget == 0 {
        flow.fate.read.get_or_insert(span);
    }
    flow.fate
}

/// Whether a pointer to the variable may be kept: its address is taken outside of the statement that is
/// asked about, and not just handed to a call.
fn escapes(unit: &TranslationUnit, function: DeclId, variable: DeclId, from: From) -> bool {
    let Some(body) = unit.function(function).and_then(|function| function.body) else {
        return true;
    };
    let mut handed = Vec::new();
    let mut kept = false;
    walk::stmt(unit, body, &mut |node| {
        match node {
            Node::Stmt(stmt) if from.behind() == Some(stmt) => return Below::Skip,
            Node::Expr(expr) => match &unit.exprs[expr].kind {
                ExprKind::Call { arguments, .. } => {
                    handed.extend(arguments.iter().map(|&argument| without_casts(unit, argument)));
                }
                ExprKind::Unary(UnaryOp::AddressOf, operand) => {
                    let own = unit.named(*operand) == Some(variable);
                    kept |= own && !handed.contains(&expr);
                }
                _ => {}
            },
            _ => {}
        }
        Below::Enter
    });
    kept
}

fn without_casts(unit: &TranslationUnit, mut expr: ExprId) -> ExprId {
    while let ExprKind::Paren(inner)
    | ExprKind::Cast { kind: CastKind::Pointer | CastKind::Same, operand: inner, .. } =
        unit.exprs[expr].kind
    {
        expr = inner;
    }
    expr
}

/// Steps of one walk; of more than that, a read is supposed.
const MOST_STEPS: u32 = 400_000;

/// Operators around an assignment that are looked into.
const MOST_NESTED: u32 = 200;

/// What the variable may hold; neither where control does not come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct State {
    /// The value asked for.
    holds: bool,
    /// Another one.
    lost: bool,
}

impl State {
    const NOWHERE: State = State { holds: false, lost: false };

    fn or(self, other: State) -> State {
        State { holds: self.holds || other.holds, lost: self.lost || other.lost }
    }

    fn is_reached(self) -> bool {
        self.holds || self.lost
    }
}

/// Where `break` and `continue` lead.
#[derive(Clone, Copy, Debug, Default)]
struct Leaves {
    breaks: State,
    continues: State,
    /// Whether `continue` means it.
    is_loop: bool,
}

struct Flow<'a> {
    unit: &'a TranslationUnit,
    variable: DeclId,
    from: From,
    /// Whether calls may look at the variable.
    others: bool,
    state: State,
    leaves: Vec<Leaves>,
    /// What reaches the cases of the open `switch` statements.
    switches: Vec<State>,
    labels: FxHashMap<DeclId, State>,
    /// Whether a jump back has brought something new.
    again: bool,
    /// Whether reads do not count.
    muted: bool,
    fate: Fate,
    /// How many things around the place may keep it from being executed.
    certain: u32,
    budget: u32,
}

impl Flow<'_> {
    fn read(&mut self, span: Span) {
        if !self.state.holds || self.muted {
            return;
        }
        self.fate.read.get_or_insert(span);
        self.fate.read_alone |= !self.state.lost;
        self.fate.read_for_sure |= self.certain == 0 && !self.state.lost;
    }

    fn assigned(&mut self) {
        if self.state.is_reached() {
            self.fate.replaced_for_sure |= self.certain == 0;
            self.state = State { holds: false, lost: true };
        }
    }

    /// Something that may not be executed.
    fn maybe(&mut self, part: impl FnOnce(&mut Self)) {
        self.certain += 1;
        part(self);
        self.certain -= 1;
    }

    fn stmts(&mut self, list: &[StmtId]) {
        list.iter().for_each(|&stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, id: StmtId) {
        if self.budget == 0 {
            return;
        }
        self.budget -= 1;
        let unit = self.unit;
        let is_start = self.from.behind() == Some(id);
        self.muted |= self.from == From::Behind(id);
        match &unit.stmts[id].kind {
            StmtKind::Empty => {}
            StmtKind::Expr(expr) => self.expr(*expr),
            StmtKind::Declaration(decls) => decls.iter().for_each(|&decl| self.declare(decl)),
            StmtKind::Compound(list) => self.stmts(list),
            StmtKind::If { condition, then, otherwise } => {
                self.choice(*condition, *then, *otherwise);
            }
            StmtKind::While { condition, body } => self.looped(Some(*condition), None, *body, true),
            StmtKind::DoWhile { body, condition } => {
                self.looped(Some(*condition), None, *body, false);
            }
            StmtKind::For { init, condition, step, body } => {
                init.iter().for_each(|&init| self.stmt(init));
                self.looped(*condition, *step, *body, true);
            }
            StmtKind::Switch { value, body, cases } => self.switch(*value, *body, cases),
            StmtKind::Case { body, .. } | StmtKind::Default(body) => {
                let here = self.switches.last().copied().unwrap_or_default();
                self.state = self.state.or(here);
                self.stmt(*body);
            }
            StmtKind::Label { label, body } => {
                let known = self.labels.get(label).copied().unwrap_or_default();
                self.state = self.state.or(known);
                self.maybe(|flow| flow.stmt(*body));
            }
            StmtKind::Goto(label) => {
                let known = self.labels.entry(*label).or_default();
                let now = known.or(self.state);
                self.again |= *known != now;
                *known = now;
                self.gone();
            }
            StmtKind::GotoComputed(_) | StmtKind::Asm => self.read(unit.stmts[id].span),
            StmtKind::Break | StmtKind::Continue => {
                let breaks = matches!(unit.stmts[id].kind, StmtKind::Break);
                let state = self.state;
                let mut open = self.leaves.iter_mut().rev();
                if let Some(leaves) = open.find(|leaves| breaks || leaves.is_loop) {
                    let to = if breaks { &mut leaves.breaks } else { &mut leaves.continues };
                    *to = to.or(state);
                }
                self.gone();
            }
            StmtKind::Return(value) => {
                value.iter().for_each(|&value| self.expr(value));
                self.gone();
            }
            StmtKind::Directive { directive, body } => {
                self.directive(&unit.directives[*directive], *body);
            }
        }
        if is_start {
            self.muted = false;
            self.state = State { holds: true, lost: false };
        }
    }

    /// Control does not go on here; what stands behind is not certain to be executed.
    fn gone(&mut self) {
        self.state = State::NOWHERE;
        self.certain += 1;
    }

    /// `if`; a chain of `else if` is walked in a loop, as it may be long.
    fn choice(&mut self, mut condition: ExprId, mut then: StmtId, mut otherwise: Option<StmtId>) {
        let unit = self.unit;
        let mut after = State::NOWHERE;
        let depth = self.certain;
        loop {
            self.expr(condition);
            let before = self.state;
            let left = self.one_side(then, depth + 1);
            after = after.or(left);
            self.state = before;
            let Some(other) = otherwise else { break };
            match unit.stmts[other].kind {
                StmtKind::If { condition: c, then: t, otherwise: o }
                    if self.from.behind() != Some(other) =>
                {
                    (condition, then, otherwise) = (c, t, o);
                    self.certain = depth + 1;
                }
                _ => {
                    self.state = self.one_side(other, depth + 1);
                    break;
                }
            }
        }
        self.state = self.state.or(after);
        // A side that leaves makes what follows uncertain.
        let leaves = self.certain > depth + 1;
        self.certain = depth + u32::from(leaves);
    }

    /// What one side of a branch leaves; `certain` stays above `depth` where it may not come back.
    fn one_side(&mut self, side: StmtId, depth: u32) -> State {
        let outer = self.certain.max(depth);
        self.certain = depth;
        self.stmt(side);
        self.certain = self.certain.max(outer);
        self.state
    }

    fn looped(
        &mut self,
        condition: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
        test_first: bool,
    ) {
        let depth = self.certain;
        let mut head = self.state;
        let after = loop {
            (self.state, self.certain) = (head, depth);
            let mut exit = State::NOWHERE;
            if test_first {
                condition.iter().for_each(|&condition| self.expr(condition));
                exit = if condition.is_some() { self.state } else { State::NOWHERE };
            }
            self.certain += 1;
            self.leaves.push(Leaves { is_loop: true, ..Leaves::default() });
            self.stmt(body);
            let leaves = self.leaves.pop().unwrap_or_default();
            self.state = self.state.or(leaves.continues);
            step.iter().for_each(|&step| self.expr(step));
            if !test_first {
                condition.iter().for_each(|&condition| self.expr(condition));
                exit = self.state;
            }
            let next = head.or(self.state);
            if next == head || self.budget == 0 {
                break exit.or(leaves.breaks);
            }
            head = next;
        };
        // A loop may not end, or be left by a jump; programs that matter go on.
        (self.state, self.certain) = (after, depth);
    }

    fn switch(&mut self, value: ExprId, body: StmtId, cases: &[StmtId]) {
        self.expr(value);
        let (before, depth) = (self.state, self.certain);
        self.switches.push(before);
        self.leaves.push(Leaves::default());
        self.state = State::NOWHERE;
        self.certain += 1;
        self.stmt(body);
        self.switches.pop();
        let leaves = self.leaves.pop().unwrap_or_default();
        let has_default =
            cases.iter().any(|&case| matches!(self.unit.stmts[case].kind, StmtKind::Default(_)));
        let passed = if has_default { State::NOWHERE } else { before };
        (self.state, self.certain) = (self.state.or(leaves.breaks).or(passed), depth);
    }

    fn declare(&mut self, decl: DeclId) {
        let unit = self.unit;
        for (extent, _) in run_time_extents(unit, unit.decls[decl].ty, "") {
            self.expr(extent);
        }
        let DeclKind::Variable(variable) = &unit.decls[decl].kind else { return };
        match &variable.init {
            Some(Initializer::Value(value)) => self.expr(*value),
            Some(Initializer::List(elements)) => {
                elements.iter().for_each(|element| self.expr(element.value));
            }
            None => {}
        }
        if decl == self.variable {
            self.assigned();
        }
    }

    /// What the clauses of a directive do with the variable, and the statement it applies to.
    fn directive(&mut self, directive: &Directive, body: Option<StmtId>) {
        directive.values.iter().for_each(|&value| self.expr(value));
        let condition = directive.condition;
        condition.when.into_iter().chain(condition.unless).for_each(|value| self.expr(value));
        let waits = &directive.order.waits;
        let queues = waits.iter().flat_map(|wait| wait.queues.iter().chain(&wait.device));
        queues.for_each(|&queue| self.expr(queue));
        let variable = self.variable;
        for (kind, var) in directive.data() {
            let bounds = var.sections.iter().flat_map(|s| [s.lower, s.length]).flatten();
            bounds.for_each(|bound| self.expr(bound));
            // What a statement is about says by itself what it reads.
            let moves =
                body.is_none() && !matches!(kind, MappingKind::CopyOut | MappingKind::Create);
            if var.decl == variable && moves {
                self.read(var.span);
            }
        }
        let lists = |vars: &[VarRef]| vars.iter().any(|var| var.decl == variable);
        if lists(&directive.private) {
            return;
        }
        let before = self.state;
        body.iter().for_each(|&body| self.stmt(body));
        // What is done to a copy, nobody sees.
        if lists(&directive.firstprivate) {
            self.state = before;
        }
    }

    /// Evaluates an expression.
    fn expr(&mut self, id: ExprId) {
        self.expr_within(id, 0);
    }

    fn expr_within(&mut self, id: ExprId, depth: u32) {
        let unit = self.unit;
        let Contents { read, assigns, statements } = self.contents(id);
        // Without assignments, order does not matter.
        if !assigns && !statements || depth > MOST_NESTED {
            read.into_iter().for_each(|span| self.read(span));
            return;
        }
        let depth = depth + 1;
        let is_target = |target: ExprId| unit.named(target) == Some(self.variable);
        match &unit.exprs[id].kind {
            ExprKind::Assign { target, value } if is_target(*target) => {
                self.expr_within(*value, depth);
                self.assigned();
            }
            ExprKind::CompoundAssign { target, value, .. } if is_target(*target) => {
                self.expr_within(*value, depth);
                self.read(unit.exprs[*target].span);
                self.assigned();
            }
            ExprKind::IncDec(_, target) if is_target(*target) => {
                self.read(unit.exprs[*target].span);
                self.assigned();
            }
            ExprKind::Binary(BinaryOp::LogicalAnd | BinaryOp::LogicalOr, a, b) => {
                self.expr_within(*a, depth);
                let before = self.state;
                self.maybe(|flow| flow.expr_within(*b, depth));
                self.state = self.state.or(before);
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                self.expr_within(*condition, depth);
                let before = self.state;
                self.maybe(|flow| {
                    then.iter().for_each(|&then| flow.expr_within(then, depth));
                    let left = std::mem::replace(&mut flow.state, before);
                    flow.expr_within(*otherwise, depth);
                    flow.state = flow.state.or(left);
                });
            }
            ExprKind::StatementExpr(body) => self.stmt(*body),
            kind => {
                // The order of operands is open: all reads may come first.
                let mut operands = Vec::new();
                kind.for_each_operand(|operand| operands.push(operand));
                let before = self.state;
                for &operand in &operands {
                    self.expr_within(operand, depth);
                }
                if !matches!(kind, ExprKind::Comma(..)) && operands.len() > 1 {
                    let after = std::mem::replace(&mut self.state, before);
                    read.into_iter().for_each(|span| self.read(span));
                    self.state = after;
                }
            }
        }
    }

    /// What an expression has in it.
    fn contents(&mut self, id: ExprId) -> Contents {
        let (unit, variable, others) = (self.unit, self.variable, self.others);
        let mut found = Contents::default();
        let mut targets = Vec::new();
        let mut steps = 0;
        walk::expr(unit, id, &mut |node| {
            steps += 1;
            let Node::Expr(expr) = node else {
                found.statements |= matches!(node, Node::Stmt(_));
                return Below::Enter;
            };
            if mutates(unit, expr) == Some(variable) {
                match unit.exprs[expr].kind {
                    ExprKind::Assign { target, .. } => {
                        found.assigns = true;
                        targets.push(unit.peel(target));
                    }
                    _ => found.assigns = true,
                }
            }
            let span = unit.exprs[expr].span;
            match unit.exprs[expr].kind {
                ExprKind::Name(decl) if decl == variable && !targets.contains(&expr) => {
                    found.read.get_or_insert(span);
                }
                ExprKind::Call { .. } if others => {
                    found.read.get_or_insert(span);
                }
                _ => {}
            }
            Below::Enter
        });
        self.budget = self.budget.saturating_sub(steps);
        found
    }
}

/// What an expression has in it.
#[derive(Clone, Copy, Debug, Default)]
struct Contents {
    /// A read of the variable.
    read: Option<Span>,
    /// Whether it assigns to it.
    assigns: bool,
    /// Whether it has statements (GNU).
    statements: bool,
}

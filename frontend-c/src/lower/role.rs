//! What scalars are to the iterations of a loop that the program declares independent.
//!
//! The program's scalars are one for all iterations to C, and one for each to a GPU. That is the same
//! where every iteration sets the variable before it looks at it (which makes it private),
//! and where iterations only combine something into it: a reduction, with or without the clause.
//! Otherwise the program would go on with another value than it has in C, and is refused, unless a
//! clause says what it wants.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::offload::Construct;
use indexmap::IndexSet;

use super::capture::Capturing;
use super::doubts::{Doubt, Missing};
use super::flow::{Fate, From, fate};
use super::lowerer::{Lowerer, Lowering};
use super::scalar::Scalar;
use super::update;
use super::uses::{mutated_by, mutates};
use super::walk::{self, Below, Node};
use crate::directive::construct::GANG;
use crate::directive::{Directive, Kind, MappingKind, ReductionOp};
use crate::source::Span;
use crate::tree::{DeclId, ExprKind, StmtId, StmtKind, TranslationUnit};

/// A loop with a directive, and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoopSite<'d> {
    pub directive: &'d Directive,
    /// The loop.
    pub stmt: StmtId,
    /// What each iteration executes.
    pub body: StmtId,
    /// The function that has the loop.
    pub function: DeclId,
}

/// What the scalars are that an iteration changes, beside those in clauses of the loop.
#[derive(Clone, Debug, Default)]
pub(super) struct Roles {
    /// Set by each iteration before it looks at them, and by nobody read afterwards.
    pub own: IndexSet<DeclId>,
    /// Combined, without a clause that says so.
    pub reductions: Vec<(DeclId, ReductionOp)>,
    /// Of those that are read behind the loop, one for which its iterations must be executed one after another.
    pub in_turns: Option<DeclId>,
    /// Those that a clause is missing for.
    pub doubts: Vec<Doubt>,
}

/// What the compute construct around loops says of scalars.
#[derive(Clone, Debug, Default)]
pub(super) struct ConstructScalars {
    /// Its statement.
    pub body: Option<StmtId>,
    /// In its `private` and `firstprivate` clauses: what becomes of them is asked within it only.
    pub private: Vec<DeclId>,
    /// Whether those in no clause are memory that iterations share.
    pub all_shared: bool,
    /// In data clauses, own and around it: memory that iterations share.
    pub shared: Vec<DeclId>,
}

impl Lowerer<'_> {
    /// The roles of the scalars that the iterations of an independent loop change.
    pub(super) fn roles(&self, site: LoopSite<'_>) -> Lowering<Roles> {
        let unit = self.unit;
        let mut roles = Roles::default();
        let listed: Vec<DeclId> = site
            .directive
            .private
            .iter()
            .chain(&site.directive.firstprivate)
            .chain(&site.directive.lastprivate)
            .chain(site.directive.reductions().map(|(_, var)| var))
            .map(|var| var.decl)
            .collect();
        let declared = declared_in(unit, site.body);
        for decl in mutated_by(unit, site.body) {
            let is_scalar = Scalar::of(unit, unit.decls[decl].ty).is_some();
            let reduced = self.reductions.iter().any(|&(known, _)| known == decl);
            if !is_scalar || reduced || listed.contains(&decl) || declared.contains(&decl) {
                continue;
            }
            let start = fate(unit, site.function, site.body, decl, From::Start);
            let behind = self.behind(site.function, site.stmt, decl);
            let shared = self.is_shared(decl);
            match (start.read, behind.read) {
                (None, None) if !shared => {
                    roles.own.insert(decl);
                    if self.lacks_private(site, decl, start) {
                        roles.doubts.push(Doubt { decl, missing: Missing::Private });
                    }
                }
                (Some(_), Some(later)) => match update::reduction(unit, site.body, decl) {
                    // Memory that gangs share is updated as the program says, where more than one of them may come
                    // to the end of a reduction: all but the loop that divides the construct's work among them.
                    Some(_)
                        if shared
                            && !self.is_first_of_gangs(site)
                            && is_updated_atomically(unit, site.body, decl) => {}
                    Some(op) => {
                        roles.reductions.push((decl, op));
                        if !is_updated_atomically(unit, site.body, decl) {
                            roles.doubts.push(Doubt { decl, missing: Missing::Reduction(op) });
                        }
                    }
                    None if shared => {}
                    None if self.may_take_turns(site.directive) => {
                        roles.in_turns.get_or_insert(decl);
                    }
                    None => return self.lost(site, decl, later),
                },
                _ if shared => {}
                // What iterations set to one number is the program's, as all scalars of `kernels` (§2.6.2).
                (None, Some(_))
                    if self.construct == Some(Construct::Kernels)
                        && sets_one_number(unit, site.body, decl) => {}
                (_, Some(_)) if self.may_take_turns(site.directive) => {
                    roles.in_turns.get_or_insert(decl);
                }
                (_, Some(later)) => return self.lost(site, decl, later),
                (Some(read), None) => {
                    if self.may_take_turns(site.directive) && start.is_carried() {
                        roles.in_turns.get_or_insert(decl);
                        continue;
                    }
                    self.check_carried(site, decl, read, start)?;
                }
                (None, None) => {}
            }
        }
        Ok(roles)
    }

    /// Whether gangs divide a loop, and no loop of the construct is round it.
    fn is_first_of_gangs(&self, site: LoopSite<'_>) -> bool {
        let levels = site.directive.nest.as_ref().map(|nest| &nest.levels);
        let is_of_gangs =
            levels.is_none_or(|all| all[GANG].is_some() || all.iter().all(Option::is_none));
        is_of_gangs && !self.scalars.body.is_some_and(|body| in_loop(self.unit, body, site.stmt))
    }

    /// Whether the threads that divide a loop may execute its iterations one after another: where a scalar that
    /// they share (OpenMP 5.2 §5.1.1) is not memory that all lanes see.
    pub(super) fn may_take_turns(&self, directive: &Directive) -> bool {
        directive.family.copies_scalars()
            && directive.nest.as_ref().is_some_and(|nest| !nest.shared[GANG])
            && directive.kind == Kind::Loop
    }

    /// Whether a data clause of the construct or around it, or a `declare`, names a variable.
    pub(super) fn is_in_data_clause(&self, decl: DeclId) -> bool {
        self.scalars.shared.contains(&decl) || self.declared.contains(&decl)
    }

    /// Whether iterations share a scalar of the program's with the host.
    fn is_shared(&self, decl: DeclId) -> bool {
        let scalars = &self.scalars;
        self.is_in_data_clause(decl)
            || scalars.all_shared
                && !scalars.private.contains(&decl)
                && self
                    .function
                    .is_some_and(|function| is_outside(self.unit, function, scalars.body, decl))
    }

    /// Whether the program may read what a statement leaves in a scalar.
    pub(super) fn is_read_behind(&self, function: DeclId, stmt: StmtId, decl: DeclId) -> bool {
        self.behind(function, stmt, decl).read.is_some()
    }

    /// What becomes of what a statement leaves in a scalar, behind it.
    fn behind(&self, function: DeclId, stmt: StmtId, decl: DeclId) -> Fate {
        self.left(function, From::Behind(stmt), decl)
    }

    /// What becomes of the value that a scalar has at a place of a function.
    fn left(&self, function: DeclId, from: From, decl: DeclId) -> Fate {
        let unit = self.unit;
        let scalars = &self.scalars;
        let is_own = scalars.private.contains(&decl)
            || self.family.copies_scalars()
                && self.function == Some(function)
                && !self.is_shared(decl);
        let of_construct = scalars.body.filter(|_| is_own);
        let body = unit.function(function).and_then(|function| function.body);
        match of_construct.or(body) {
            Some(scope) => fate(unit, function, scope, decl, from),
            None => Fate::default(),
        }
    }

    /// Refuses a loop whose last value of a scalar the program goes on with.
    fn lost<T>(&self, site: LoopSite<'_>, decl: DeclId, read: Span) -> Lowering<T> {
        let unit = self.unit;
        let name = unit.name(decl);
        let at = assignment(unit, site.body, decl).unwrap_or(site.directive.name);
        let known = unit.decls[decl].span;
        let diagnostic = Diagnostic::error(format!(
            "`{name}` is private to each iteration: what this loop leaves in it is lost, and read later"
        ))
        .code(codes::LOST_SCALAR)
        .related(unit.place(site.directive.name), "the loop that the program declares independent");
        let diagnostic = match read == known {
            true => diagnostic,
            false => diagnostic.related(unit.place(read), "read here"),
        };
        self.refuse(
            at,
            diagnostic.help(format!(
                "say what it is: `reduction(op:{name})` where iterations combine values, `private({name})` \
                 where nothing needs the value later; or compute it behind the loop"
            )),
        )
    }

    /// Refuses a loop of which each iteration is certain to need what the one before leaves in a scalar.
    fn check_carried(
        &self,
        site: LoopSite<'_>,
        decl: DeclId,
        read: Span,
        start: Fate,
    ) -> Lowering<()> {
        if !start.is_carried() {
            return Ok(());
        }
        let unit = self.unit;
        let name = unit.name(decl);
        self.refuse(
            read,
            Diagnostic::error(format!(
                "the iterations of this loop are not independent: each needs what the one before leaves in \
                 `{name}`"
            ))
            .code(codes::NOT_INDEPENDENT)
            .related(unit.place(site.directive.name), "the loop that the program declares independent")
            .help(format!(
                "compute `{name}` from the loop variable, or {}",
                site.directive.family.in_order_help()
            )),
        )
    }

    /// Refuses a construct that changes a copy of a scalar of its own where the program goes on with the
    /// value.
    pub(super) fn check_not_lost(
        &self,
        c: &Capturing<'_>,
        decl: DeclId,
        span: Span,
    ) -> Lowering<()> {
        let unit = self.unit;
        let later = self.behind(c.function, c.stmt, decl).read;
        let Some(read) = later.or_else(|| self.read_again(c, decl)) else { return Ok(()) };
        let name = unit.name(decl);
        let at = assignment(unit, c.body, decl).unwrap_or(span);
        let when = match later {
            Some(_) => "read later",
            None => "read when the construct is executed again",
        };
        let mut diagnostic = Diagnostic::error(format!(
            "`{name}` is private to this construct: what it leaves in it is lost, and {when}"
        ))
        .code(codes::LOST_SCALAR)
        .related(unit.place(c.directive.name), "the construct");
        if read != unit.decls[decl].span {
            diagnostic = diagnostic.related(unit.place(read), "read here");
        }
        let help = match unit.types.is_pointer(unit.decls[decl].ty) {
            true => format!("use a pointer of the construct's own, and move `{name}` behind it"),
            false => format!(
                "add `{}` to have the value, or `firstprivate({name})` where the program means the \
                 one from before",
                c.directive.family.data_clause(MappingKind::Copy, name)
            ),
        };
        self.refuse(at, diagnostic.help(help))
    }

    /// Where a construct that a loop of the host's brings again reads what it has left in a variable the time before.
    ///
    /// A scalar that it sets on one of the ways to each read may be one that it always sets, under a condition that
    /// comes twice: that is taken for granted. A pointer is not: where it points is all that it says.
    fn read_again(&self, c: &Capturing<'_>, decl: DeclId) -> Option<Span> {
        let unit = self.unit;
        let start = fate(unit, c.function, c.body, decl, From::Start);
        if !start.read_alone && !unit.types.is_pointer(unit.decls[decl].ty) {
            return None;
        }
        self.left(c.function, From::BehindAndAgain(c.stmt), decl).read
    }

    /// The scalars that loops of a construct reduce and none of its loops has for itself: they are the
    /// program's.
    pub(super) fn reduced_scalars(
        &mut self,
        directive: &Directive,
        stmt: StmtId,
        body: StmtId,
        function: DeclId,
    ) -> Lowering<IndexSet<DeclId>> {
        let unit = self.unit;
        let known = self.reductions.len();
        let mut reduced = IndexSet::new();
        let mut open: Vec<OpenLoop> = Vec::new();
        // Of a combined construct, they are the program's, too.
        reduced.extend(directive.lastprivate.iter().map(|var| var.decl));
        if directive.nest.is_some() {
            self.open_loop(directive, stmt, body, function, &mut open, &mut reduced)?;
        } else {
            let own = directive.reductions().map(|(op, var)| (var.decl, op));
            self.reductions.extend(own.inspect(|&(decl, _)| _ = reduced.insert(decl)));
        }
        for event in loops_in(unit, body) {
            match event {
                LoopEvent::Begins(inner, at, body) => {
                    let mut combined = IndexSet::new();
                    self.open_loop(inner, at, body, function, &mut open, &mut combined)?;
                    // Where a construct has copies of scalars, only what it reduces itself leaves it.
                    if !directive.family.copies_scalars() {
                        reduced.extend(combined);
                    }
                }
                LoopEvent::Ends(at) => {
                    if let Some(last) = open.pop_if(|last| last.stmt == at) {
                        self.reductions.truncate(last.reductions);
                    }
                }
            }
        }
        self.reductions.truncate(known);
        Ok(reduced)
    }

    fn open_loop(
        &mut self,
        directive: &Directive,
        at: StmtId,
        body: StmtId,
        function: DeclId,
        open: &mut Vec<OpenLoop>,
        reduced: &mut IndexSet<DeclId>,
    ) -> Lowering<()> {
        let mut roles = Roles::default();
        if self.is_independent(directive)
            && let Some((stmt, body)) = self.innermost(directive, body)
        {
            roles = self.roles(LoopSite { directive, stmt, body, function })?;
        }
        let reductions = self.reductions.len();
        let explicit = directive.reductions().map(|(op, var)| (var.decl, op));
        for (decl, op) in explicit.chain(roles.reductions) {
            self.reductions.push((decl, op));
            if !open.iter().any(|outer| outer.own.contains(&decl)) {
                reduced.insert(decl);
            }
        }
        open.push(OpenLoop { stmt: at, own: roles.own, reductions });
        Ok(())
    }

    /// The loop that a directive applies to, and the body of the innermost of the loops.
    fn innermost(&self, directive: &Directive, body: StmtId) -> Option<(StmtId, StmtId)> {
        let mut at = body;
        let mut found = None;
        for _ in 0..directive.collapsed() {
            while let StmtKind::Compound(list) = &self.unit.stmts[at].kind
                && let [single] = list.as_slice()
            {
                at = *single;
            }
            at = self.counted(at).ok()?.body;
            found = Some((body, at));
        }
        found
    }
}

/// A loop with a directive that the walk is in.
struct OpenLoop {
    /// The directive's statement.
    stmt: StmtId,
    own: IndexSet<DeclId>,
    /// How many reductions were known in front of it.
    reductions: usize,
}

/// A place where a loop with a directive begins or ends.
enum LoopEvent<'a> {
    Begins(&'a Directive, StmtId, StmtId),
    Ends(StmtId),
}

/// The loops with directives in a statement, in order.
fn loops_in(unit: &TranslationUnit, body: StmtId) -> Vec<LoopEvent<'_>> {
    let mut events = Vec::new();
    walk::stmt(unit, body, &mut |node| {
        if let Node::Stmt(at) | Node::Leave(at) = node
            && let StmtKind::Directive { directive, body: Some(body) } = unit.stmts[at].kind
            && unit.directives[directive].nest.is_some()
        {
            events.push(match node {
                Node::Leave(_) => LoopEvent::Ends(at),
                _ => LoopEvent::Begins(&unit.directives[directive], at, body),
            });
        }
        Below::Enter
    });
    events
}

/// Whether a variable is not one of a construct's statement, or of the functions that it calls.
fn is_outside(
    unit: &TranslationUnit,
    function: DeclId,
    body: Option<StmtId>,
    decl: DeclId,
) -> bool {
    let whole = unit.function(function).and_then(|function| function.body);
    let parameter =
        unit.function(function).is_some_and(|function| function.parameters.contains(&decl));
    let declares = |body: StmtId| declared_in(unit, body).contains(&decl);
    parameter || whole.is_some_and(declares) && !body.is_some_and(declares)
}

/// The variables that a statement declares.
pub(crate) fn declared_in(unit: &TranslationUnit, body: StmtId) -> IndexSet<DeclId> {
    let mut found = IndexSet::new();
    walk::stmt(unit, body, &mut |node| {
        if let Node::Declare(decl) = node {
            found.insert(decl);
        }
        Below::Enter
    });
    found
}

/// Whether all that a statement does with a variable is to set it to one and the same number: a flag that is raised.
pub(super) fn sets_one_number(unit: &TranslationUnit, body: StmtId, decl: DeclId) -> bool {
    let (mut numbers, mut is_flag, mut mentions) = (IndexSet::new(), true, 0);
    walk::stmt(unit, body, &mut |node| {
        let Node::Expr(expr) = node else { return Below::Enter };
        match unit.exprs[expr].kind {
            ExprKind::Name(found) if found == decl => mentions += 1,
            ExprKind::Assign { target, value } if unit.named(target) == Some(decl) => {
                mentions -= 1;
                is_flag &= unit.constant_int(value).is_some_and(|number| {
                    numbers.insert(number);
                    true
                });
            }
            _ => {}
        }
        Below::Enter
    });
    is_flag && mentions == 0 && numbers.len() == 1
}

/// The first place where a statement assigns to a variable.
fn assignment(unit: &TranslationUnit, body: StmtId, decl: DeclId) -> Option<Span> {
    let mut found = None;
    walk::stmt(unit, body, &mut |node| {
        if let Node::Expr(expr) = node
            && mutates(unit, expr) == Some(decl)
        {
            found.get_or_insert(unit.exprs[expr].span);
        }
        Below::Enter
    });
    found
}

/// Whether a loop in `body` has `inner` inside.
fn in_loop(unit: &TranslationUnit, body: StmtId, inner: StmtId) -> bool {
    let (mut loops, mut found) = (Vec::new(), false);
    walk::stmt(unit, body, &mut |node| {
        match node {
            Node::Stmt(stmt) => {
                found |= stmt == inner && !loops.is_empty();
                let kind = &unit.stmts[stmt].kind;
                if matches!(
                    kind,
                    StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. }
                ) {
                    loops.push(stmt);
                }
            }
            Node::Leave(stmt) => loops.retain(|&at| at != stmt),
            _ => {}
        }
        Below::Enter
    });
    found
}

/// Whether all that a statement does to a variable stands behind `atomic` directives.
pub(super) fn is_updated_atomically(unit: &TranslationUnit, body: StmtId, decl: DeclId) -> bool {
    let mut all = true;
    walk::stmt(unit, body, &mut |node| match node {
        Node::Stmt(stmt) => match &unit.stmts[stmt].kind {
            StmtKind::Directive { directive, .. }
                if matches!(unit.directives[*directive].kind, Kind::Atomic(_)) =>
            {
                Below::Skip
            }
            _ => Below::Enter,
        },
        Node::Expr(expr) => {
            all &= !matches!(unit.exprs[expr].kind, ExprKind::Name(name) if name == decl);
            Below::Enter
        }
        _ => Below::Enter,
    });
    all
}

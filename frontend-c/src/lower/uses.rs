//! Which variables of the program a compute construct uses, and how.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashSet;

use super::extent::run_time_extents;
use super::walk::{self, Below, Node};
use crate::directive::VarRef;
use crate::source::Span;
use crate::tree::{
    CastKind, DeclId, DeclKind, ExprId, ExprKind, StmtId, StmtKind, TranslationUnit, UnaryOp,
};

/// What a construct can capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Captured {
    /// A variable declared outside.
    Variable(DeclId),
    /// A member that a data clause names, by its number among those that the region has.
    Path(usize),
}

/// How a captured variable is used.
#[derive(Clone, Debug, Default)]
pub(super) struct Use {
    /// Where first.
    pub span: Span,
    /// Whether it is assigned to, or its address is taken.
    pub mutated: bool,
    /// Whether it is used otherwise than by reading scalar members.
    pub whole: bool,
    /// The scalar members that are read, by their field numbers, with one expression each.
    pub members: IndexMap<Vec<u32>, ExprId>,
    /// Whether a function that is called uses it.
    pub in_callee: bool,
    /// Whether a function that is called assigns to it.
    pub mutated_by_callee: bool,
    /// Whether it is used outside of `for` loops that start by assigning to it.
    pub outside_induction: bool,
}

/// What a piece of program uses.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// Variables declared outside, in the order of first use.
    pub captured: IndexMap<Captured, Use>,
    /// All variables, of callees too, that are assigned to or whose address is taken.
    pub mutated: FxHashSet<DeclId>,
    /// Those whose address is taken.
    pub addressed: FxHashSet<DeclId>,
    /// Variables of `for` loops that neither are of a `loop` directive nor stand in one.
    pub plain_induction: FxHashSet<DeclId>,
}

/// The variable of which `expr` designates the whole or a member.
pub(crate) fn root(unit: &TranslationUnit, expr: ExprId) -> Option<DeclId> {
    match unit.exprs[expr].kind {
        ExprKind::Name(decl) => Some(decl),
        ExprKind::Paren(inner) | ExprKind::Member { base: inner, .. } => root(unit, inner),
        _ => None,
    }
}

/// The variable `v` and the field numbers of `v.a.b`.
pub(super) fn member_chain(unit: &TranslationUnit, expr: ExprId) -> Option<(DeclId, Vec<u32>)> {
    match unit.exprs[expr].kind {
        ExprKind::Name(decl) => Some((decl, Vec::new())),
        ExprKind::Paren(inner) => member_chain(unit, inner),
        ExprKind::Member { base, access } => {
            let (decl, mut fields) = member_chain(unit, base)?;
            fields.push(access.field);
            Some((decl, fields))
        }
        _ => None,
    }
}

/// The variable to whose object an expression assigns or gives away the address, and the lvalue.
fn mutation(unit: &TranslationUnit, expr: ExprId) -> Option<(DeclId, ExprId)> {
    match unit.exprs[expr].kind {
        ExprKind::Assign { target, .. }
        | ExprKind::CompoundAssign { target, .. }
        | ExprKind::IncDec(_, target)
        | ExprKind::Unary(UnaryOp::AddressOf, target) => Some((root(unit, target)?, target)),
        _ => None,
    }
}

/// The variable to whose object an expression assigns or gives away the address.
pub(super) fn mutates(unit: &TranslationUnit, expr: ExprId) -> Option<DeclId> {
    mutation(unit, expr).map(|(decl, _)| decl)
}

/// The variables that a statement assigns to or whose address it takes, in order.
pub(crate) fn mutated_by(unit: &TranslationUnit, body: StmtId) -> IndexSet<DeclId> {
    let mut found = IndexSet::new();
    walk::stmt(unit, body, &mut |node| {
        if let Node::Expr(expr) = node
            && let Some(decl) = mutates(unit, expr)
        {
            found.insert(decl);
        }
        Below::Enter
    });
    found
}

/// Collects [`Uses`].
pub(super) struct Collector<'a> {
    unit: &'a TranslationUnit,
    paths: &'a [VarRef],
    uses: Uses,
    declared: FxHashSet<DeclId>,
    functions: FxHashSet<DeclId>,
    induction: Vec<(StmtId, DeclId)>,
    private: Vec<(StmtId, DeclId)>,
    /// The open `loop` directives.
    directive_loops: Vec<StmtId>,
    /// How many calls deep the walk is.
    depth: usize,
}

impl<'a> Collector<'a> {
    /// A collector that knows the members named in data clauses.
    pub(super) fn new(unit: &'a TranslationUnit, paths: &'a [VarRef]) -> Self {
        Collector {
            unit,
            paths,
            uses: Uses::default(),
            declared: FxHashSet::default(),
            functions: FxHashSet::default(),
            induction: Vec::new(),
            private: Vec::new(),
            directive_loops: Vec::new(),
            depth: 0,
        }
    }

    /// Adds what the run-time extents of captured arrays are computed from, where the region is to
    /// evaluate them.
    pub(super) fn extents(&mut self, evaluated: &dyn Fn(ExprId) -> bool) {
        let unit = self.unit;
        let types = self.uses.captured.keys().map(|captured| match *captured {
            Captured::Variable(decl) => unit.decls[decl].ty,
            Captured::Path(path) => unit.exprs[self.paths[path].base].ty,
        });
        let extents: Vec<ExprId> = types
            .flat_map(|ty| run_time_extents(unit, ty, ""))
            .map(|(extent, _)| extent)
            .filter(|&extent| evaluated(extent))
            .collect();
        extents.into_iter().for_each(|extent| self.expr(extent));
    }

    /// What was found.
    pub(super) fn finish(self) -> Uses {
        self.uses
    }

    /// Adds what a statement uses.
    pub(super) fn stmt(&mut self, body: StmtId) {
        let unit = self.unit;
        walk::stmt(unit, body, &mut |node| self.visit(node));
    }

    /// Adds what an expression uses.
    pub(super) fn expr(&mut self, expr: ExprId) {
        let unit = self.unit;
        walk::expr(unit, expr, &mut |node| self.visit(node));
    }

    /// Adds what the bounds of a clause's sections use.
    pub(super) fn section(&mut self, var: &VarRef) {
        for section in &var.sections {
            section.lower.iter().chain(&section.length).for_each(|&bound| self.expr(bound));
        }
    }

    /// Declares a variable to be the construct's own.
    pub(super) fn declare(&mut self, decl: DeclId) {
        self.declared.insert(decl);
    }

    fn visit(&mut self, node: Node) -> Below {
        let unit = self.unit;
        match node {
            Node::Declare(decl) => {
                self.declared.insert(decl);
            }
            Node::Stmt(stmt) => match &unit.stmts[stmt].kind {
                StmtKind::For { init: Some(init), .. } => {
                    if let StmtKind::Expr(init) = unit.stmts[*init].kind
                        && let ExprKind::Assign { target, .. } = unit.exprs[init].kind
                        && let ExprKind::Name(decl) = unit.exprs[target].kind
                    {
                        self.induction.push((stmt, decl));
                        if self.directive_loops.is_empty() {
                            self.uses.plain_induction.insert(decl);
                        }
                    }
                }
                StmtKind::Directive { directive, .. } => {
                    let directive = &unit.directives[*directive];
                    if directive.nest.is_some() {
                        self.directive_loops.push(stmt);
                    }
                    for var in directive.private.iter().chain(&directive.firstprivate) {
                        self.section(var);
                    }
                    for var in &directive.private {
                        if self.declared.insert(var.decl) {
                            self.private.push((stmt, var.decl));
                        }
                    }
                }
                _ => {}
            },
            Node::Leave(stmt) => {
                self.induction.retain(|&(at, _)| at != stmt);
                self.directive_loops.retain(|&at| at != stmt);
                // Private to the loop, but the program's own behind it.
                let declared = &mut self.declared;
                self.private.retain(|&(at, decl)| {
                    if at == stmt {
                        declared.remove(&decl);
                    }
                    at != stmt
                });
            }
            Node::Expr(expr) => return self.visit_expr(expr),
        }
        Below::Enter
    }

    fn visit_expr(&mut self, expr: ExprId) -> Below {
        let unit = self.unit;
        if let Some(path) = self.paths.iter().position(|path| unit.same_expression(path.base, expr))
        {
            let span = unit.exprs[expr].span;
            let entry = self.uses.captured.entry(Captured::Path(path));
            entry.or_insert_with(|| Use { span, ..Use::default() }).whole = true;
            return Below::Skip;
        }
        if let Some((decl, target)) = mutation(unit, expr) {
            self.uses.mutated.insert(decl);
            if matches!(unit.exprs[expr].kind, ExprKind::Unary(..)) {
                self.uses.addressed.insert(decl);
            }
            let in_callee = self.depth > 0;
            if !self.is_in_path(target) {
                self.touch(decl, expr, |found| {
                    found.mutated = true;
                    found.mutated_by_callee |= in_callee;
                    found.whole = true;
                });
            }
        }
        match unit.exprs[expr].kind {
            ExprKind::Cast { kind: CastKind::Load, operand, .. } => {
                if let Some((decl, fields)) = member_chain(unit, operand)
                    && !fields.is_empty()
                    && unit.types.as_record(unit.exprs[expr].ty).is_none()
                    && !self.is_in_path(operand)
                {
                    self.touch(decl, expr, |found| {
                        found.members.entry(fields).or_insert(operand);
                    });
                    return Below::Skip;
                }
            }
            ExprKind::Name(decl) => self.touch(decl, expr, |found| found.whole = true),
            ExprKind::Call { callee, .. } => {
                if let Some((decl, Some(body))) = walk::callee(unit, callee)
                    && self.functions.insert(decl)
                {
                    if let Some(function) = unit.function(decl) {
                        self.declared.extend(&function.parameters);
                        for &parameter in &function.parameters {
                            let ty = unit.decls[parameter].ty;
                            for (extent, _) in run_time_extents(unit, ty, "") {
                                self.expr(extent);
                            }
                        }
                    }
                    self.depth += 1;
                    self.stmt(body);
                    self.depth -= 1;
                }
            }
            _ => {}
        }
        Below::Enter
    }

    /// Whether an lvalue is, or lies in, a member that a data clause names.
    fn is_in_path(&self, lvalue: ExprId) -> bool {
        self.paths.iter().any(|path| self.unit.same_expression(path.base, lvalue))
            || match self.unit.exprs[lvalue].kind {
                ExprKind::Paren(inner) | ExprKind::Member { base: inner, .. } => {
                    self.is_in_path(inner)
                }
                _ => false,
            }
    }

    fn touch(&mut self, decl: DeclId, expr: ExprId, note: impl FnOnce(&mut Use)) {
        let entity = &self.unit.decls[decl];
        if !matches!(entity.kind, DeclKind::Variable(_) | DeclKind::Parameter { .. })
            || self.declared.contains(&decl)
        {
            return;
        }
        let span = self.unit.exprs[expr].span;
        let outside = !self.induction.iter().any(|&(_, induction)| induction == decl);
        let entry = self.uses.captured.entry(Captured::Variable(decl));
        let found = entry.or_insert_with(|| Use { span, ..Use::default() });
        found.outside_induction |= outside;
        found.in_callee |= self.depth > 0;
        note(found);
    }
}

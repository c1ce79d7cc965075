//! What every gang of a region executes and combines (OpenACC 3.3 §2.5.1, §2.5.15): a statement outside of all
//! loops that adds to a reduction variable adds once for each gang.
//!
//! Other statements of that kind are executed once, since all gangs do the same.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::offload::{self, LoopOrder};
use gpuc_ir::Value;

use super::counted::Bounds;
use super::lowerer::{Lowerer, Lowering};
use super::output::prints;
use super::role::Roles;
use super::uses::mutates;
use super::walk::{self, Below, Node};
use crate::directive::Directive;
use crate::directive::construct::WorkShare;
use crate::tree::{DeclId, StmtId, StmtKind, TranslationUnit};

/// What a statement does outside of the loops of directives in it.
struct Outside {
    /// The variables that it assigns to and does not declare.
    assigned: Vec<DeclId>,
    /// Whether there are such loops.
    has_loops: bool,
    /// Whether it prints.
    prints: bool,
}

fn outside_of_loops(unit: &TranslationUnit, stmt: StmtId) -> Outside {
    let mut found = Outside { assigned: Vec::new(), has_loops: false, prints: false };
    let mut declared: Vec<DeclId> = Vec::new();
    found.prints = prints(unit, stmt);
    walk::stmt(unit, stmt, &mut |node| {
        match node {
            Node::Stmt(inner) => {
                if let StmtKind::Directive { directive, .. } = unit.stmts[inner].kind
                    && unit.directives[directive].nest.is_some()
                {
                    found.has_loops = true;
                    return Below::Skip;
                }
            }
            Node::Declare(decl) => declared.push(decl),
            Node::Expr(expr) => found.assigned.extend(mutates(unit, expr)),
            Node::Leave(_) => {}
        }
        Below::Enter
    });
    found.assigned.retain(|decl| !declared.contains(decl));
    found
}

impl Lowerer<'_> {
    /// The body of a region of so many gangs that combine values.
    pub(super) fn gangs_body(
        &mut self,
        directive: &Directive,
        stmt: StmtId,
        gangs: Value,
    ) -> Lowering<()> {
        let unit = self.unit;
        let Outside { assigned, has_loops, prints } = outside_of_loops(unit, stmt);
        let is_reduced = |decl: &DeclId| self.reductions.iter().any(|(known, _)| known == decl);
        if !assigned.iter().any(is_reduced) && !prints {
            return self.nested(stmt);
        }
        if let (StmtKind::Compound(list), true) = (&unit.stmts[stmt].kind, has_loops) {
            return list.iter().try_for_each(|&inner| self.gangs_body(directive, inner, gangs));
        }
        let span = unit.stmts[stmt].span;
        let other = assigned.iter().find(|decl| !is_reduced(decl));
        if has_loops || other.is_some() {
            let help = match other {
                Some(&other) if !has_loops => {
                    format!("assign to `{}` in a statement of its own", unit.name(other))
                }
                _ => "combine values in the loops, or in a statement of its own".to_owned(),
            };
            return self.refuse(
                span,
                Diagnostic::error(
                    "this statement, which every gang executes, does more than combine or print values",
                )
                .code(codes::NOT_SUPPORTED)
                .help(help),
            );
        }
        self.once_a_gang(directive, stmt, gangs)
    }

    /// A loop over the gangs whose body is a statement.
    fn once_a_gang(&mut self, directive: &Directive, stmt: StmtId, gangs: Value) -> Lowering<()> {
        let location = self.b.location;
        let (lower, step) = (self.index(0), self.index(1));
        let bounds = Bounds { lower, upper: gangs, step, down: None };
        let reductions = self.loop_reductions(directive, stmt, true, &Roles::default())?;
        let saved = self.bindings.clone();
        let index = self.b.ctx.index();
        let (region, done) = self.region(&[index], |l, _| {
            let done = l.nested(stmt);
            l.b.location = location;
            let op = offload::YieldOp::new(&mut l.b);
            l.build(op);
            done
        });
        self.bindings = saved;
        self.b.location = location;
        let gang = Some(WorkShare { size: None, dimension: 1 });
        let levels = [gang, None, None];
        let order = LoopOrder::Independent;
        self.build_loop(levels, order, &[bounds], &[None; 3], &reductions, region);
        done
    }
}

//! Tasks in device code: the thread that comes upon one executes it at once (OpenMP 5.2 §12.5, as if undeferred).

use super::ClauseKind;
use crate::directive::{self, VarRef, Written};
use crate::lower::role::declared_in;
use crate::parse::Parser;
use crate::tree::{DeclId, DeclKind, StmtId, Storage};

impl Parser {
    /// Gives a task copies of what is not its team's.
    pub(super) fn note_own_of_task(
        &mut self,
        directive: &mut directive::Directive,
        from: u32,
        body: StmtId,
    ) {
        let Written::OpenMp(written) = &directive.written else { return };
        let shared = written.shared();
        let all = written
            .clauses
            .iter()
            .any(|clause| matches!(clause.kind, ClauseKind::DefaultFirstPrivate));
        let own = self.own_of_task(directive, all, from, &shared, body);
        directive.firstprivate.extend(own);
    }

    /// The variables that a task has a copy of though no clause says so: those that are not
    /// its team's (OpenMP 5.2 §5.1.1), or all with `default(firstprivate)`. `from` is the first declaration
    /// inside of the team's region.
    fn own_of_task(
        &mut self,
        directive: &directive::Directive,
        all: bool,
        from: u32,
        named: &[DeclId],
        body: StmtId,
    ) -> Vec<VarRef> {
        let unit = &self.checker.unit;
        let listed = |decl: DeclId| {
            named.contains(&decl)
                || directive.private.iter().chain(&directive.firstprivate).any(|v| v.decl == decl)
                || directive.lastprivate.iter().any(|v| v.decl == decl)
                || directive.reductions().any(|(_, v)| v.decl == decl)
        };
        let inside = declared_in(unit, body);
        let mut used: Vec<DeclId> = super::threads::named(unit, body).into_iter().collect();
        used.sort_unstable();
        let own: Vec<DeclId> = used
            .into_iter()
            .filter(|&decl| {
                let automatic = match &unit.decls[decl].kind {
                    DeclKind::Variable(variable) => variable.storage == Storage::Automatic,
                    kind => matches!(kind, DeclKind::Parameter { .. }),
                };
                let of_thread = decl.into_raw().into_u32() >= from;
                automatic && (all || of_thread) && !listed(decl) && !inside.contains(&decl)
            })
            .collect();
        own.into_iter().map(|decl| self.variable(decl)).collect()
    }

    /// A variable as a clause would name it.
    pub(super) fn variable(&mut self, decl: DeclId) -> VarRef {
        let span = self.checker.unit.decls[decl].span;
        let base = self.checker.variable(decl, span);
        let ty = self.checker.ty(base);
        VarRef { decl, base, sections: Vec::new(), first: base, ty, span }
    }
}

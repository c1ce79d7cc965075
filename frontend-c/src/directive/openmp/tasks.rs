//! Tasks in device code: the thread that comes upon one executes it at once (OpenMP 5.2 §12.5, as if undeferred).

use gpuc_diagnostics::Diagnostic;

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
        let default = written.default_own();
        let own = self.own_of_task(directive, default.is_some(), from, &shared, body);
        match default {
            Some(false) => directive.private.extend(own),
            _ => directive.firstprivate.extend(own),
        }
    }

    /// Gives the threads or teams of a construct what `default(firstprivate)` and `default(private)` say.
    pub(super) fn note_default_own(&mut self, directive: &mut directive::Directive, body: StmtId) {
        let Written::OpenMp(written) = &directive.written else { return };
        let Some(copied) = written.default_own() else { return };
        let shared = written.shared();
        let own = self.own_of_task(directive, true, u32::MAX, &shared, body);
        // A combined construct maps what its threads then have for themselves.
        let mapped = |var: &&VarRef| directive.data.iter().any(|known| known.var.decl == var.decl);
        if let Some(var) = own.iter().find(mapped) {
            let unit = &self.checker.unit;
            let name = unit.name(var.decl);
            let message = format!(
                "`{name}` is mapped by this `{}`, whose `default` gives each thread its own",
                directive.words
            );
            let diagnostic = Diagnostic::error(message).at(unit.place(directive.name)).help(
                format!("add `shared({name})`, or name it in `firstprivate` (OpenMP 5.2 §5.4.1)"),
            );
            directive.refused.get_or_insert_with(|| Box::new(diagnostic));
            return;
        }
        match copied {
            true => directive.firstprivate.extend(own),
            false => directive.private.extend(own),
        }
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

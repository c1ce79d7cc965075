//! Scalars that every iteration of a parallel loop changes and for which a clause is missing: what is compiled is what was
//! meant, or what the program says; other compilers, and other days, give something else.

use gpuc_diagnostics::{Diagnostic, codes};

use super::flow::Fate;
use super::lowerer::Lowerer;
use super::role::{LoopSite, Roles, is_updated_atomically, sets_one_number};
use crate::directive::{Directive, Family, Kind, ReductionOp};
use crate::tree::DeclId;

/// A scalar, and the clause that it lacks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doubt {
    /// The variable.
    pub decl: DeclId,
    /// What is missing.
    pub missing: Missing,
}

/// A clause that a loop lacks.
#[derive(Clone, Copy, Debug)]
pub(super) enum Missing {
    /// `reduction`: iterations combine values.
    Reduction(ReductionOp),
    /// `private`: each iteration sets the variable before it looks at it.
    Private,
}

impl Lowerer<'_> {
    /// Whether each iteration is certain to set a scalar before it looks at it, which the threads of a combined construct of
    /// OpenMP share (OpenMP 5.2 §5.1.1) and nobody reads later: it is compiled as each thread's own. Those in data clauses
    /// are memory, whose accesses are judged as all others are.
    pub(super) fn lacks_private(&self, site: LoopSite<'_>, decl: DeclId, start: Fate) -> bool {
        site.directive.family == Family::OpenMp
            && matches!(site.directive.kind, Kind::Compute(_))
            && ["parallel", "loop"].iter().any(|word| site.directive.words.contains(word))
            && !self.scalars.private.contains(&decl)
            && start.replaced_for_sure
            && !is_updated_atomically(self.unit, site.body, decl)
            && !sets_one_number(self.unit, site.body, decl)
    }

    /// Warns of what a loop of the program lacks.
    pub(super) fn note_doubts(&mut self, directive: &Directive, roles: &Roles) {
        let family = directive.family;
        // What each thread executes is no loop of the program's.
        let is_of_threads = directive.nest.as_ref().is_some_and(|nest| nest.explicit.is_some());
        if directive.found || is_of_threads || !matches!(family, Family::OpenAcc | Family::OpenMp) {
            return;
        }
        for &Doubt { decl, missing } in &roles.doubts {
            let (words, name) = (directive.words, self.unit.name(decl));
            let (what, clause, help) = match missing {
                Missing::Reduction(op) => (
                    format!("combine values in `{name}`, and no `reduction` says so"),
                    format!("reduction({}:{name})", op.spelling()),
                    "it is compiled as a reduction; other compilers need not do that",
                ),
                Missing::Private => (
                    format!("set `{name}`, which threads share, each for itself"),
                    format!("private({name})"),
                    "each has its own here; with other compilers they overwrite it for each other",
                ),
            };
            let message = format!("all iterations of this `{words}` {what}");
            let place = self.unit.place(directive.name);
            let mut warning =
                Diagnostic::warning(message).code(codes::MISSING_CLAUSE).at(place).help(help);
            warning = warning.help(format!("add `{clause}`"));
            warning.replacement = Some(format!("{words} {clause}"));
            // Of a loop that is lowered more than once, it is said once.
            let is_said = self.diagnostics.iter().any(|said| {
                said.code == warning.code
                    && said.message == warning.message
                    && said.place == warning.place
            });
            if !is_said {
                self.diagnostics.push(warning);
            }
        }
    }
}

//! Loops and regions whose threads execute them one after another.
//!
//! Threads that exclude each other (`critical`, OpenMP 5.2 §15.2) or go in the order of iterations (`ordered`,
//! §15.10), or lock something (§18.9), would have to wait for each other, which lanes of one warp cannot. The order in which they execute
//! such a loop is theirs to choose, so here it is one after another.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::LoopOrder;

use crate::directive::construct::{GANG, LANE};
use crate::directive::{self, Lock};
use crate::lower::walk::{self, Below, Node};
use crate::source::Span;
use crate::tree::{StmtId, StmtKind, TranslationUnit};

/// A directive, or a routine, that has threads wait for each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Excludes {
    /// Its name.
    pub words: &'static str,
    /// Where it stands.
    pub span: Span,
}

/// The first directive of a statement, or of a function that it calls, or the first lock, for which threads take turns.
pub(super) fn excludes(unit: &TranslationUnit, stmt: StmtId) -> Option<Excludes> {
    let mut found = None;
    walk::through_calls(unit, [stmt], &mut |node| {
        if let Node::Stmt(stmt) = node
            && let StmtKind::Directive { directive, .. } = unit.stmts[stmt].kind
        {
            let directive = &unit.directives[directive];
            if matches!(directive.words, "critical" | "ordered") {
                found.get_or_insert(Excludes { words: directive.words, span: directive.name });
            }
        }
        if let Some((decl, None)) = walk::called(unit, node)
            && let Node::Expr(call) = node
        {
            let words = match Lock::asked_by(unit.name(decl)) {
                Some(Lock::Locked) => "omp_test_lock",
                Some(Lock::Nothing { waits: true }) => "omp_set_lock",
                _ => return Below::Enter,
            };
            found.get_or_insert(Excludes { words, span: unit.exprs[call].span });
        }
        Below::Enter
    });
    found
}

/// Leaves the iterations of a loop to one thread of each team.
pub(super) fn in_turns(
    unit: &TranslationUnit,
    directive: &mut directive::Directive,
    because: Excludes,
) {
    let Some(nest) = &mut directive.nest else { return };
    nest.levels[LANE] = None;
    nest.levels[GANG].take_if(|_| !nest.shared[GANG]);
    if nest.levels.iter().all(Option::is_none) {
        nest.order = Some(LoopOrder::Seq);
    }
    note(unit, directive, because);
}

/// Says that threads take turns.
pub(super) fn note(
    unit: &TranslationUnit,
    directive: &mut directive::Directive,
    because: Excludes,
) {
    let message = format!(
        "the threads of this `{}` execute it one after another: they wait for each other at `{}`",
        directive.words, because.words
    );
    let warning = Diagnostic::warning(message)
        .at(unit.place(directive.name))
        .related(unit.place(because.span), "here")
        .help("combine values by `reduction` or `atomic` where that is what it does");
    directive.remark.get_or_insert_with(|| Box::new(warning));
}

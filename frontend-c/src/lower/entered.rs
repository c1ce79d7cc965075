//! Jumps into the statements of constructs from outside: the construct would begin in its middle.

use gpuc_diagnostics::Diagnostic;
use rustc_hash::FxHashMap;

use super::walk::{self, Below, Node};
use crate::source::Span;
use crate::tree::{DeclId, DirectiveId, ExprKind, StmtId, StmtKind, TranslationUnit};

/// The constructs round a place, outermost first, each with its statement.
type Around = Vec<(StmtId, DirectiveId)>;

/// Refuses each `goto` of a function that enters the statement of a construct, and each label's address that
/// is taken outside of the construct round the label. A construct has one entry (OpenACC 3.3 §2.5.4, OpenMP 5.2 §1.2.2).
pub(super) fn check(unit: &TranslationUnit, body: StmtId) -> Vec<Diagnostic> {
    let mut around: Around = Vec::new();
    let mut labels: FxHashMap<DeclId, Around> = FxHashMap::default();
    let mut jumps: Vec<(DeclId, Span, Around)> = Vec::new();
    walk::stmt(unit, body, &mut |node| {
        match node {
            Node::Stmt(stmt) => match unit.stmts[stmt].kind {
                StmtKind::Directive { directive, body: Some(_) }
                    if unit.directives[directive].action().is_some()
                        && !unit.directives[directive].found =>
                {
                    around.push((stmt, directive));
                }
                StmtKind::Label { label, .. } => _ = labels.insert(label, around.clone()),
                StmtKind::Goto(label) => {
                    jumps.push((label, unit.stmts[stmt].span, around.clone()));
                }
                _ => {}
            },
            Node::Expr(expr) => {
                if let ExprKind::LabelAddress(label) = unit.exprs[expr].kind {
                    jumps.push((label, unit.exprs[expr].span, around.clone()));
                }
            }
            Node::Leave(stmt) => around.retain(|&(construct, _)| construct != stmt),
            Node::Declare(_) => {}
        }
        Below::Enter
    });
    let entered = jumps.into_iter().filter_map(|(label, span, from)| {
        let around = labels.get(&label)?;
        let &(_, directive) = around.iter().find(|construct| !from.contains(construct))?;
        let (name, directive) = (unit.name(label), &unit.directives[directive]);
        let message = format!("a jump to `{name}` enters the statement of `{}`", directive.words);
        Some(
            Diagnostic::error(message)
                .at(unit.place(span))
                .related(unit.place(directive.name), "the construct begins here")
                .help("a construct is entered at its beginning: put the label in front of it"),
        )
    });
    entered.collect()
}

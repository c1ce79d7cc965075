//! Jumps over the borders of constructs' statements: into one, the construct would begin in its middle; out of
//! one whose data is on the device meanwhile, it would never end.

use gpuc_diagnostics::Diagnostic;
use rustc_hash::FxHashMap;

use super::walk::{self, Below, Node};
use crate::directive::action::Action;
use crate::source::Span;
use crate::tree::{DeclId, DirectiveId, ExprKind, StmtId, StmtKind, TranslationUnit};

/// The constructs round a place, outermost first, each with its statement.
type Around = Vec<(StmtId, DirectiveId)>;

/// The labels and jumps of a function, each with the constructs round it.
#[derive(Default)]
struct Jumps {
    labels: FxHashMap<DeclId, Around>,
    gotos: Vec<(DeclId, Span, Around)>,
    /// Where labels' addresses are taken.
    addresses: Vec<(DeclId, Span, Around)>,
    /// Jumps to addresses.
    computed: Vec<(Span, Around)>,
    /// What ends the function, a loop or a `switch`, with the constructs inside of that.
    exits: Vec<(&'static str, Span, Around)>,
}

/// Refuses each jump of a function that crosses the border of a construct's statement: into any, and out of one that
/// has data on the device or gives addresses meanwhile (out of what runs on the device, lowering refuses it). A label's
/// address may be used wherever it is taken, and a jump to an address goes to any label whose address is taken.
/// A construct has one entry and one exit (OpenACC 3.3 §1.6 and OpenMP 5.2 §1.2.2, structured blocks).
pub(super) fn check(unit: &TranslationUnit, body: StmtId) -> Vec<Diagnostic> {
    let jumps = Jumps::of(unit, body);
    let mut diagnostics = Vec::new();
    for (label, span, from) in jumps.gotos.iter().chain(&jumps.addresses) {
        let entered = |around: &Around| around.iter().find(|each| !from.contains(each)).copied();
        if let Some((_, directive)) = jumps.labels.get(label).and_then(entered) {
            let what = format!("a jump to `{}` enters", unit.name(*label));
            let help = "a construct is entered at its beginning: put the label in front of it";
            diagnostics.push(refusal(unit, &what, *span, directive, help));
        }
    }
    let mut exits = jumps.exits;
    let anywhere = jumps.computed.iter().flat_map(|(span, from)| {
        jumps.addresses.iter().map(move |(label, _, _)| (*label, *span, from.clone()))
    });
    for (label, span, from) in jumps.gotos.iter().cloned().chain(anywhere) {
        let around = jumps.labels.get(&label).map_or(&[][..], |around| around);
        let left = from.into_iter().filter(|each| !around.contains(each));
        exits.push(("goto", span, left.collect()));
    }
    for (word, span, left) in exits {
        let on_host = left.last().is_some_and(|&(_, directive)| {
            matches!(
                unit.directives[directive].action(),
                Some(Action::Data | Action::Addresses | Action::Send)
            )
        });
        if let (true, Some(&(_, directive))) = (on_host, left.first()) {
            let what = format!("`{word}` leaves");
            let help = "a construct is left at its end: go there, and jump behind it";
            diagnostics.push(refusal(unit, &what, span, directive, help));
        }
    }
    diagnostics
}

fn refusal(
    unit: &TranslationUnit,
    what: &str,
    span: Span,
    directive: DirectiveId,
    help: &str,
) -> Diagnostic {
    let directive = &unit.directives[directive];
    Diagnostic::error(format!("{what} the statement of `{}`", directive.words))
        .at(unit.place(span))
        .related(unit.place(directive.name), "the construct begins here")
        .help(help)
}

impl Jumps {
    fn of(unit: &TranslationUnit, body: StmtId) -> Jumps {
        let mut jumps = Jumps::default();
        let mut around: Around = Vec::new();
        // Loops and `switch`es, with the number of constructs round each.
        let mut ends: Vec<(StmtId, bool, usize)> = Vec::new();
        walk::stmt(unit, body, &mut |node| {
            match node {
                Node::Stmt(stmt) => {
                    let span = unit.stmts[stmt].span;
                    let inside = |of: Option<&(StmtId, bool, usize)>| match of {
                        Some(&(_, _, outside)) => around[outside..].to_vec(),
                        None => Around::new(),
                    };
                    match unit.stmts[stmt].kind {
                        StmtKind::Directive { directive, body: Some(_) }
                            if unit.directives[directive].action().is_some()
                                && !unit.directives[directive].found =>
                        {
                            around.push((stmt, directive));
                        }
                        StmtKind::While { .. }
                        | StmtKind::DoWhile { .. }
                        | StmtKind::For { .. } => {
                            ends.push((stmt, true, around.len()));
                        }
                        StmtKind::Switch { .. } => ends.push((stmt, false, around.len())),
                        StmtKind::Break => jumps.exits.push(("break", span, inside(ends.last()))),
                        StmtKind::Continue => {
                            let of = ends.iter().rfind(|end| end.1);
                            jumps.exits.push(("continue", span, inside(of)));
                        }
                        StmtKind::Return(_) => jumps.exits.push(("return", span, around.clone())),
                        StmtKind::Label { label, .. } => {
                            jumps.labels.insert(label, around.clone());
                        }
                        StmtKind::Goto(label) => jumps.gotos.push((label, span, around.clone())),
                        StmtKind::GotoComputed(_) => jumps.computed.push((span, around.clone())),
                        _ => {}
                    }
                }
                Node::Expr(expr) => {
                    if let ExprKind::LabelAddress(label) = unit.exprs[expr].kind {
                        jumps.addresses.push((label, unit.exprs[expr].span, around.clone()));
                    }
                }
                Node::Leave(stmt) => {
                    around.retain(|&(construct, _)| construct != stmt);
                    ends.retain(|&(end, _, _)| end != stmt);
                }
                Node::Declare(_) => {}
            }
            Below::Enter
        });
        jumps
    }
}

//! What the user is told about dependences, in the words that `-Minfo` has had elsewhere.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_ir::{Ir, Op, Value};

use super::schedule::is_asked;
use crate::analysis::access::{Access, AccessKind, name};
use crate::analysis::nest::dependence::{Certainty, Dependence, DependenceKind};
use crate::raise::reduction::Reduction;

/// Why a loop is not parallel, with the two accesses.
pub fn dependence(ir: &Ir, op: Op, dependence: &Dependence) -> Diagnostic {
    let variable = name(ir, dependence.source.root);
    let scalar = dependence.source.subscripts.is_empty();
    let text = match (dependence.certainty, dependence.kind) {
        (_, DependenceKind::Flow) if scalar => {
            format!("Loop carried scalar dependence for {variable}")
        }
        (_, _) if scalar => format!("Loop carried reuse of {variable}"),
        (Certainty::May, _) => format!("Complex loop carried dependence of {variable}"),
        (_, DependenceKind::Flow) => format!("Loop carried dependence of {variable}"),
        (_, DependenceKind::Anti) => format!("Loop carried backward dependence of {variable}"),
        (_, DependenceKind::Output | DependenceKind::Input) => {
            format!("Loop carried reuse of {variable}")
        }
    };
    let said = Diagnostic::missed(format!("{text} prevents parallelization"))
        .code(codes::LOOP_CARRIED)
        .at_option(ir.ctx.place(ir.location(op)))
        .help(explanation(ir, dependence));
    match scan(ir, dependence) {
        Some(kind) => said.help(prefix_sums(kind)),
        None => said,
    }
}

/// That a loop combines what iterations before have combined.
pub fn prefix_sums(kind: Reduction) -> String {
    let symbol = kind.symbol();
    format!("each iteration uses what those before it have combined by `{symbol}`: prefix sums")
}

/// The operator, where each iteration combines something with what the one before has stored, and stores that.
fn scan(ir: &Ir, dependence: &Dependence) -> Option<Reduction> {
    let next =
        matches!(dependence.certainty, Certainty::Must(Some(1)) | Certainty::ForSome(Some(1)));
    if !next || dependence.kind != DependenceKind::Flow {
        return None;
    }
    let loaded = *ir.results(dependence.sink.op).first()?;
    let stored = ir.memory_access(dependence.source.op)?.stored()?;
    let start = |part: Value| (part == loaded).then_some(());
    Reduction::chain(ir, stored, |_| true, start).map(|(_, _, kind, _)| kind)
}

/// The warning on a loop that a clause divides among processors, and that stays sequential for this reason.
pub fn although_asked(ir: &Ir, op: Op, why: &Diagnostic) -> Option<Diagnostic> {
    if why.code != Some(codes::LOOP_CARRIED) || !is_asked(ir, op) {
        return None;
    }
    let text = format!(
        "this loop runs sequentially although its directive divides it among processors: {}",
        why.message
    );
    let warning = Diagnostic::warning(text).code(codes::SEQUENTIAL_LOOP);
    let warning = warning.at_option(ir.ctx.place(ir.location(op)));
    Some(why.help.iter().cloned().fold(warning, Diagnostic::help))
}

/// Which accesses, and how far apart.
pub fn explanation(ir: &Ir, dependence: &Dependence) -> String {
    let variable = name(ir, dependence.source.root);
    let [source, sink] = [&dependence.source, &dependence.sink].map(|access| describe(ir, access));
    let may = match dependence.certainty {
        Certainty::May => "may touch",
        Certainty::ForSome(_) | Certainty::Must(_) => "touches",
    };
    let distance = match dependence.certainty {
        Certainty::ForSome(Some(1)) | Certainty::Must(Some(1)) => {
            " of the iteration before".to_owned()
        }
        Certainty::ForSome(Some(n)) | Certainty::Must(Some(n)) => {
            format!(" of {n} iterations before")
        }
        _ => " of another iteration".to_owned(),
    };
    format!("the {sink} {may} the element of {variable} that the {source}{distance} touched")
}

fn describe(ir: &Ir, access: &Access) -> String {
    let what = match access.kind {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
        AccessKind::Atomic => "atomic update",
        AccessKind::Volatile => "volatile access",
    };
    match ir.ctx.place(ir.location(access.op)) {
        Some(place) => format!("{what} in line {}", place.line),
        None => what.to_owned(),
    }
}

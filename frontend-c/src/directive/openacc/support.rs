//! Which of OpenACC this version of gpuc implements. Everything that is not listed here is refused
//! by name and place.

use gpuc_diagnostics::{Diagnostic, codes};

use super::rules::Checks;
use super::{Clause, ClauseKind, ClauseName, Directive, DirectiveKind, ReductionOp};
use crate::tree::TranslationUnit;
use crate::types::TypeKind;

fn implements_directive(kind: DirectiveKind) -> bool {
    use DirectiveKind as D;
    matches!(
        kind,
        D::Parallel
            | D::Kernels
            | D::Serial
            | D::ParallelLoop
            | D::KernelsLoop
            | D::SerialLoop
            | D::Loop
            | D::Data
            | D::EnterData
            | D::ExitData
            | D::Update
            | D::Atomic
    )
}

fn implements_clause(name: ClauseName, directive: DirectiveKind) -> bool {
    use ClauseName as C;
    match name {
        C::If => directive != DirectiveKind::Atomic,
        C::SelfClause => directive == DirectiveKind::Update,
        C::Copy
        | C::CopyIn
        | C::CopyOut
        | C::Create
        | C::Delete
        | C::Present
        | C::DevicePtr
        | C::FirstPrivate
        | C::Private
        | C::NumGangs
        | C::NumWorkers
        | C::VectorLength
        | C::Default
        | C::Reduction
        | C::Gang
        | C::Worker
        | C::Vector
        | C::Seq
        | C::Independent
        | C::Auto
        | C::Collapse
        | C::Host
        | C::Device
        | C::Update => true,
        _ => false,
    }
}

fn refusal(what: &str, section: &str) -> Diagnostic {
    Diagnostic::error(format!(
        "`{what}` (OpenACC 3.3 §{section}) is not supported by this version of gpuc"
    ))
    .code(codes::NOT_SUPPORTED)
}

/// Refuses what is not implemented.
pub(super) fn check(directive: &Directive, unit: &TranslationUnit) -> Checks {
    let mut found = Checks::new();
    let kind = directive.kind;
    if !implements_directive(kind) {
        found.push((directive.span, refusal(kind.spelling(), kind.section())));
        return found;
    }
    for clause in &directive.clauses {
        if !implements_clause(clause.name, kind) {
            let spelling = match (kind, clause.name) {
                (DirectiveKind::Atomic, name) => format!("atomic {}", name.spelling()),
                (_, name) => name.spelling().to_owned(),
            };
            found.push((clause.span, refusal(&spelling, clause.name.section())));
            continue;
        }
        form(clause, unit, &mut found);
    }
    found
}

/// Refuses forms of implemented clauses.
fn form(clause: &Clause, unit: &TranslationUnit, found: &mut Checks) {
    let section = clause.name.section();
    let mut refuse = |what: &str| found.push((clause.span, refusal(what, section)));
    match &clause.kind {
        ClauseKind::Gang(gang) => {
            if gang.dim.is_some() {
                refuse("gang(dim:)");
            }
            if gang.static_size.is_some() {
                refuse("gang(static:)");
            }
        }
        ClauseKind::NumGangs(sizes) if sizes.len() > 1 => refuse("num_gangs with several sizes"),
        ClauseKind::Collapse { force: true, .. } => refuse("collapse(force:)"),
        ClauseKind::Vars { modifiers, .. } => {
            for (set, word) in [
                (modifiers.always, "always"),
                (modifiers.readonly, "readonly"),
                (modifiers.zero, "zero"),
            ] {
                if set {
                    refuse(&format!("{}({word}:)", clause.name.spelling()));
                }
            }
        }
        ClauseKind::Reduction { op, vars } => {
            let of_bits = matches!(op, ReductionOp::And | ReductionOp::Or | ReductionOp::Xor);
            for var in vars {
                if of_bits && !unit.types.is_integer(var.ty) {
                    let what =
                        format!("reduction({}:) on a floating-point variable", op.spelling());
                    found.push((var.span, refusal(&what, section)));
                    continue;
                }
                if !unit.types.is_real(var.ty) || !var.is_whole_variable(unit) {
                    let what = match unit.types.kind(var.ty) {
                        TypeKind::Complex(_) => "a complex variable",
                        TypeKind::Pointer(_) => "a pointer",
                        _ if !var.sections.is_empty() => "an array section",
                        TypeKind::Array { .. } => "an array",
                        TypeKind::Record(_) => "a structure",
                        _ => "a member",
                    };
                    found.push((var.span, refusal(&format!("reduction on {what}"), section)));
                }
            }
        }
        _ => {}
    }
}

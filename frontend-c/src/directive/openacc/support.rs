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
            | D::HostData
            | D::Cache
            | D::Declare
            | D::Init
            | D::Shutdown
            | D::Set
            | D::Routine
            | D::Wait
    )
}

fn implements_clause(name: ClauseName, directive: DirectiveKind) -> bool {
    match name {
        ClauseName::If => directive != DirectiveKind::Atomic,
        _ => true,
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
        ClauseKind::Reduction { op, vars } => {
            use ReductionOp::{Add, Max, Min, Mul};
            if !matches!(op, Add | Mul | Max | Min) {
                refuse(&format!("reduction({}:)", op.spelling()));
            }
            for var in vars {
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

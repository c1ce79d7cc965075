//! What of OpenACC this version of gpuc does not implement: refused by name and place. `docs/openacc.md`
//! is the table for users.

use gpuc_diagnostics::{Diagnostic, codes};

use super::rules::Checks;
use super::{Clause, ClauseKind, ClauseName, Directive, DirectiveKind};
use crate::directive::ReductionOp;
use crate::lower::flatten;
use crate::tree::TranslationUnit;
use crate::types::TypeKind;

impl ClauseName {
    /// Whether some of its forms are refused.
    pub fn is_refused_in_part(self) -> bool {
        use ClauseName::{FirstPrivate, Private, Reduction};
        matches!(self, Private | FirstPrivate | Reduction)
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
    for clause in &directive.clauses {
        form(clause, directive.kind, unit, &mut found);
    }
    found
}

/// Refuses forms of clauses.
fn form(clause: &Clause, kind: DirectiveKind, unit: &TranslationUnit, found: &mut Checks) {
    let section = clause.name.section();
    let is_compute_only = kind.is_compute() && !kind.is_loop();
    if let ClauseKind::Reduction { op, vars } = &clause.kind {
        let of_bits = matches!(op, ReductionOp::And | ReductionOp::Or | ReductionOp::Xor);
        for var in vars {
            if of_bits && !unit.types.is_integer(flatten(unit, var.ty).0) {
                let what = format!("reduction({}:) on a floating-point variable", op.spelling());
                found.push((var.span, refusal(&what, section)));
                continue;
            }
            let kind = unit.types.kind(unit.types.innermost(var.ty));
            if matches!(kind, TypeKind::Complex(_)) && *op != ReductionOp::Add {
                let what = format!("reduction on a complex variable by `{}`", op.spelling());
                found.push((var.span, refusal(&what, section)));
                continue;
            }
            let what = match kind {
                TypeKind::Complex(_) if unit.types.as_array(var.ty).is_some() => {
                    "an array of complex numbers"
                }
                TypeKind::Complex(_) if !var.is_whole_variable(unit) => {
                    "a complex element or member"
                }
                TypeKind::Pointer(_) => "a pointer",
                TypeKind::Record(_) => "a structure",
                TypeKind::Complex(_) if is_compute_only => {
                    "a complex variable of a construct that is no loop"
                }
                _ if is_compute_only && !var.is_whole_variable(unit) => {
                    "an array of a construct that is no loop"
                }
                TypeKind::Array { .. } if is_compute_only => {
                    "an array of a construct that is no loop"
                }
                _ => continue,
            };
            found.push((var.span, refusal(&format!("reduction on {what}"), section)));
        }
    }
}

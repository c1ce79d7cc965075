//! Remarks on what directives move and reduce.

use gpuc_diagnostics::Diagnostic;
use gpuc_frontend_c::directive::Construct;
use gpuc_frontend_c::directive::action::Action;
use gpuc_frontend_c::directive::openacc::ClauseKind;
use gpuc_frontend_c::lower::{ConstructInfo, DataItem, DataKind, Extent, Lowered};
use gpuc_frontend_c::source::Span;
use gpuc_frontend_c::tree::TranslationUnit;

/// A remark for each kind of clause that a construct has, or is given: what moves, with its section.
pub fn moved(unit: &TranslationUnit, lowered: &Lowered) -> Vec<Diagnostic> {
    let mut remarks = Vec::new();
    for construct in &lowered.constructs {
        let mut clauses: Vec<(String, Vec<String>)> = Vec::new();
        for item in construct.data.iter().filter(|item| is_said(item)) {
            let clause = clause(construct, item.kind);
            let what = match &item.extent {
                Extent::Clause(var) | Extent::Rows(var) => text(unit, var.span),
                _ => item.name.clone(),
            };
            match clauses.iter_mut().find(|(known, _)| *known == clause) {
                Some((_, list)) => list.push(what),
                None => clauses.push((clause, vec![what])),
            }
        }
        let place = unit.place(unit.directives[construct.directive].span);
        remarks.extend(clauses.into_iter().map(|(clause, list)| {
            Diagnostic::remark(format!("Generating {clause}({})", list.join(", ")))
                .at(place.clone())
        }));
    }
    remarks
}

/// A pointer that no clause names has remarks of its own, of what is found out about it.
fn is_said(item: &DataItem) -> bool {
    if item.kind == DataKind::ImplicitSection {
        return false;
    }
    item.kind != DataKind::ImplicitPresent || !matches!(item.extent, Extent::Pointer(_))
}

/// The clause as a program would write it, with the directive where that is not a construct.
fn clause(construct: &ConstructInfo, kind: DataKind) -> String {
    let implicit = matches!(
        kind,
        DataKind::ImplicitCopy | DataKind::ImplicitCopyIn | DataKind::ImplicitPresent
    );
    let before = match construct.action {
        Action::Enter | Action::Exit | Action::Update | Action::Scope | Action::Program => {
            format!("{} ", construct.words)
        }
        _ if implicit => "implicit ".to_owned(),
        _ => String::new(),
    };
    format!("{before}{}", kind.keyword())
}

/// A remark for each reduction.
pub fn reduced(unit: &TranslationUnit) -> Vec<Diagnostic> {
    let mut remarks = Vec::new();
    for (_, directive) in unit.directives.iter() {
        let Construct::OpenAcc(construct) = &directive.construct;
        for clause in &construct.clauses {
            let ClauseKind::Reduction { op, vars } = &clause.kind else { continue };
            let list: Vec<String> = vars.iter().map(|var| text(unit, var.span)).collect();
            let message = format!("Generating reduction({}:{})", op.spelling(), list.join(", "));
            remarks.push(Diagnostic::remark(message).at(unit.place(directive.span)));
        }
    }
    remarks
}

/// Program text, on one line.
fn text(unit: &TranslationUnit, span: Span) -> String {
    let slice = String::from_utf8_lossy(unit.source.slice(span));
    slice.split_whitespace().collect::<Vec<_>>().join(" ")
}

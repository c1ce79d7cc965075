//! Remarks on what directives move and reduce.

use gpuc_diagnostics::Diagnostic;
use gpuc_frontend_c::directive::action::Action;
use gpuc_frontend_c::directive::construct::Reduction;
use gpuc_frontend_c::lower::{ConstructInfo, DataItem, Extent, Lowered, MappingKind};
use gpuc_frontend_c::source::Span;
use gpuc_frontend_c::tree::TranslationUnit;

use crate::cc::Arguments;

/// A remark for each kind of clause that a construct has, or is given: what moves, with its section.
pub fn moved(unit: &TranslationUnit, lowered: &Lowered) -> Vec<Diagnostic> {
    let mut remarks = Vec::new();
    for construct in &lowered.constructs {
        let directive = &unit.directives[construct.directive];
        let mut clauses: Vec<(String, MappingKind, Vec<String>)> = Vec::new();
        for item in construct.data.iter().filter(|item| is_said(item)) {
            let before = before(construct, item.kind);
            let what = match &item.extent {
                Extent::Clause(var) | Extent::Rows(var) => text(unit, var.span),
                _ => item.name.clone(),
            };
            let same = |(known, kind, _): &&mut (String, MappingKind, Vec<String>)| {
                *known == before && kind.keyword() == item.kind.keyword()
            };
            match clauses.iter_mut().find(same) {
                Some((.., list)) => list.push(what),
                None => clauses.push((before, item.kind, vec![what])),
            }
        }
        let place = unit.place(directive.span);
        remarks.extend(clauses.into_iter().map(|(before, kind, list)| {
            let clause = directive.family.data_clause(kind, &list.join(", "));
            Diagnostic::remark(format!("Generating {before}{clause}")).at(place.clone())
        }));
    }
    remarks
}

/// Words what passes say of constructs, of whatever family, as the family of each does.
pub fn word(unit: &TranslationUnit, lowered: &Lowered, diagnostics: &mut [Diagnostic]) {
    for construct in lowered.constructs.iter().filter(|construct| construct.compute.is_some()) {
        let family = unit.directives[construct.directive].family;
        let (_, last) = unit.source.line(construct.end.saturating_sub(1));
        let inside = |diagnostic: &&mut Diagnostic| {
            diagnostic.place.as_ref().is_some_and(|place| {
                *place.file == *construct.file && (construct.line..=last).contains(&place.line)
            })
        };
        for diagnostic in diagnostics.iter_mut().filter(inside) {
            diagnostic.message = family.worded(&diagnostic.message);
            for help in &mut diagnostic.help {
                *help = family.worded(help);
            }
        }
    }
}

/// A pointer that no clause names has remarks of its own, of what is found out about it.
fn is_said(item: &DataItem) -> bool {
    if item.kind == MappingKind::ImplicitSection {
        return false;
    }
    item.kind != MappingKind::ImplicitPresent || !matches!(item.extent, Extent::Pointer(_))
}

/// What stands before a clause: the directive where that is not a construct.
fn before(construct: &ConstructInfo, kind: MappingKind) -> String {
    let implicit = matches!(
        kind,
        MappingKind::ImplicitCopy | MappingKind::ImplicitCopyIn | MappingKind::ImplicitPresent
    );
    match construct.action {
        Action::Enter | Action::Exit | Action::Update | Action::Scope | Action::Program => {
            format!("{} ", construct.words)
        }
        _ if implicit => "implicit ".to_owned(),
        _ => String::new(),
    }
}

/// A remark for each reduction.
pub fn reduced(unit: &TranslationUnit) -> Vec<Diagnostic> {
    let mut remarks = Vec::new();
    for (_, directive) in unit.directives.iter().filter(|(_, directive)| !directive.stays) {
        for Reduction { op, vars } in &directive.reductions {
            let list: Vec<String> = vars.iter().map(|var| text(unit, var.span)).collect();
            let message = format!("Generating reduction({}:{})", op.spelling(), list.join(", "));
            remarks.push(Diagnostic::remark(message).at(unit.place(directive.span)));
        }
    }
    remarks
}

/// What directives move and planned transfers would not, where that is wanted.
pub fn excess(unit: &TranslationUnit, arguments: &Arguments) -> Vec<Diagnostic> {
    match arguments.remarks.wants_remarks() {
        true => gpuc_frontend_c::auto::excess::remarks(unit),
        false => Vec::new(),
    }
}

/// Program text, on one line.
fn text(unit: &TranslationUnit, span: Span) -> String {
    let slice = String::from_utf8_lossy(unit.source.slice(span));
    slice.split_whitespace().collect::<Vec<_>>().join(" ")
}

//! The data that a directive's own clauses name.

use gpuc_diagnostics::{Diagnostic, codes};

use super::enclosing;
use super::extent::keeps_value;
use super::unit::Enclosing;
use super::{DataItem, Extent, element_of, flatten};
use crate::directive::action::Action;
use crate::directive::construct::Kind;
use crate::directive::data::Mapping;
use crate::directive::{Directive, MappingKind, VarRef, check_section, has_rows};
use crate::source::Span;
use crate::tree::{DeclId, DeclKind, TranslationUnit};
use crate::types::ArraySize;

/// The data items of a directive that lasts as long as the program. A pointer is an object of its own
/// there: what it will point to is not known yet.
pub(super) fn program_items(
    unit: &TranslationUnit,
    directive: &Directive,
) -> Result<Vec<DataItem>, Box<Diagnostic>> {
    directive
        .data
        .iter()
        .map(|&Mapping { kind, flags, ref var }| {
            let name = text(unit, var.span);
            let (_, line) = unit.source.line(var.span.start);
            let extent = if var.sections.is_empty() {
                Extent::Object(name.clone())
            } else {
                check_section(unit, var)?;
                Extent::Clause(var.clone())
            };
            let element = Some(element_of(unit, var.ty));
            Ok(DataItem { name, kind, flags, line, extent, unnamed: None, element })
        })
        .collect()
}

/// The data items of a directive's own clauses.
pub(super) fn clause_items(
    unit: &TranslationUnit,
    directive: &Directive,
    around: &[Enclosing],
    function: Option<DeclId>,
) -> Result<Vec<DataItem>, Box<Diagnostic>> {
    let mut items = Vec::new();
    for &Mapping { kind, flags, ref var } in &directive.data {
        let name = text(unit, var.span);
        let (_, line) = unit.source.line(var.span.start);
        let bare_pointer = var.sections.is_empty() && unit.types.is_pointer(var.ty);
        let extent = match kind {
            MappingKind::Attach | MappingKind::Detach => pointer_itself(unit, directive, var)?,
            MappingKind::Present
            | MappingKind::DevicePtr
            | MappingKind::Delete
            | MappingKind::NoCreate
            | MappingKind::UseDevice
                if bare_pointer =>
            {
                Extent::Pointer(text(unit, unit.exprs[var.base].span))
            }
            // An array of which the device has the address: the name means that, or leads to it.
            MappingKind::DevicePtr if unit.types.as_array(unit.exprs[var.base].ty).is_some() => {
                Extent::Pointer(text(unit, unit.exprs[var.base].span))
            }
            // As much as is there.
            _ if bare_pointer && flags.whole => {
                Extent::Pointer(text(unit, unit.exprs[var.base].span))
            }
            _ if bare_pointer && flags.itself => Extent::Object(name.clone()),
            _ if bare_pointer && let Some(count) = declared_length(unit, function, var) => {
                Extent::Elements(text(unit, unit.exprs[var.base].span), count)
            }
            _ if bare_pointer => {
                return Err(Box::new(
                    Diagnostic::error(format!(
                        "`{name}` is a pointer: the clause must say how much it points to"
                    ))
                    .code(codes::MISSING_SHAPE)
                    .at(unit.place(var.span))
                    .help(format!("write `{name}[first:count]`")),
                ));
            }
            _ if let Some(section) = var.sections.iter().find(|s| s.stride.is_some()) => {
                let is_update = matches!(kind, MappingKind::UpdateHost | MappingKind::UpdateDevice);
                if !is_update || var.sections.len() > 1 {
                    return Err(Box::new(
                        Diagnostic::error("sections with a stride can be updated, in one dimension; they cannot be mapped")
                            .at(unit.place(section.span))
                            .help("map all of the elements (OpenMP 5.2 §5.8.3)"),
                    ));
                }
                Extent::Clause(var.clone())
            }
            _ if has_rows(unit, var) => Extent::Rows(var.clone()),
            _ => {
                check_section(unit, var)?;
                Extent::Clause(var.clone())
            }
        };
        let element = Some(flatten(unit, var.ty).0).filter(|_| !bare_pointer);
        let element = element.or_else(|| Some(element_of(unit, var.ty)));
        items.push(DataItem { name, kind, flags, line, extent, unnamed: None, element });
    }
    enclosing::complete_present(unit, directive, around, &mut items);
    unite(unit, directive, &mut items);
    let pointers = pointer_members(unit, directive, &items);
    match directive.kind {
        // Before what they point to leaves.
        Kind::Host(Action::Exit) => drop(items.splice(0..0, pointers)),
        _ => items.extend(pointers),
    }
    Ok(items)
}

/// The members of structures, and elements of arrays, that point to what a directive's clauses bring to the device or
/// take from there: where they are on the device themselves, they come to point to it, or do no more.
fn pointer_members(
    unit: &TranslationUnit,
    directive: &Directive,
    items: &[DataItem],
) -> Vec<DataItem> {
    let mut found: Vec<DataItem> = Vec::new();
    for (Mapping { var, .. }, item) in directive.data.iter().zip(items) {
        use MappingKind::{Copy, CopyIn, CopyOut, Create, Delete, NoCreate, Present};
        let kind = match (directive.kind, item.kind) {
            (Kind::Host(Action::Exit), CopyOut | Delete) => MappingKind::Detach,
            (_, Copy | CopyIn | CopyOut | Create | NoCreate | Present) => MappingKind::Attach,
            _ => continue,
        };
        let is_member =
            unit.named(var.base).is_none() && unit.types.is_pointer(unit.exprs[var.base].ty);
        let name = text(unit, unit.exprs[var.base].span);
        if is_member && !found.iter().any(|known| known.name == name) {
            let extent = Extent::Object(name.clone());
            let (flags, line) = (item.flags, item.line);
            found.push(DataItem { name, kind, flags, line, extent, unnamed: None, element: None });
        }
    }
    found
}

/// The same section in several data clauses of one directive: all that they say is done, by the first.
fn unite(unit: &TranslationUnit, directive: &Directive, items: &mut [DataItem]) {
    let vars: Vec<&VarRef> = directive.data().map(|(_, var)| var).collect();
    for later in 1..items.len() {
        let same = |earlier: &usize| {
            let (a, b) = (vars[*earlier], vars[later]);
            unit.same_expression(a.first, b.first)
                && a.sections.len() == b.sections.len()
                && a.sections.iter().zip(&b.sections).all(|(a, b)| match (a.length, b.length) {
                    (Some(a), Some(b)) => unit.same_expression(a, b),
                    (a, b) => a.is_none() && b.is_none(),
                })
        };
        let Some(first) = (0..later).find(same) else { continue };
        let Some(kind) = items[first].kind.united(items[later].kind) else { continue };
        items[first].kind = kind;
        items[first].flags.zero |= items[later].flags.zero;
        items[first].flags.always |= items[later].flags.always;
        items[later].kind = MappingKind::Present;
    }
}

/// What a clause is about that names a pointer for its own sake.
fn pointer_itself(
    unit: &TranslationUnit,
    directive: &Directive,
    var: &VarRef,
) -> Result<Extent, Box<Diagnostic>> {
    if unit.types.is_pointer(var.ty) {
        return Ok(Extent::Object(text(unit, var.span)));
    }
    Err(Box::new(
        Diagnostic::error(format!("`{}` is no pointer", text(unit, var.span)))
            .at(unit.place(var.span))
            .help(directive.family.attach_help()),
    ))
}

/// How many elements a parameter has that is declared as an array and named in a clause as a whole, as
/// a C expression; where its length still is what it was when the function was called.
fn declared_length(
    unit: &TranslationUnit,
    function: Option<DeclId>,
    var: &VarRef,
) -> Option<String> {
    let DeclKind::Parameter { length, .. } = unit.decls[unit.named(var.base)?].kind else {
        return None;
    };
    match length? {
        ArraySize::Constant(count) => Some(count.to_string()),
        ArraySize::Variable(count) if keeps_value(unit, function?, count) => {
            Some(text(unit, unit.exprs[count].span))
        }
        _ => None,
    }
}

/// The text of a place of the program.
pub(super) fn text(unit: &TranslationUnit, span: Span) -> String {
    String::from_utf8_lossy(unit.source.slice(span))
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// The members that the data clauses of a directive and of those around it name.
pub(super) fn member_paths<'d>(
    unit: &TranslationUnit,
    directives: impl Iterator<Item = &'d Directive>,
) -> Vec<VarRef> {
    let mut paths: Vec<VarRef> = Vec::new();
    for directive in directives {
        for (_, var) in directive.data().filter(|(kind, _)| kind.maps()) {
            let is_name = unit.named(var.base).is_some();
            if !is_name && !paths.iter().any(|known| unit.same_expression(known.base, var.base)) {
                paths.push(var.clone());
            }
        }
    }
    paths
}

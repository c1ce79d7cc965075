//! Data items as C expressions: where they start and how long they are.

use gpuc_diagnostics::Diagnostic;

use crate::directive::openacc::{Section, VarRef};
use crate::lower::same_expression;
use crate::tree::{ExprId, TranslationUnit};
use crate::types::ArraySize;

/// The memory of a data item, as C expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    /// A pointer to element 0 of the variable.
    pub base: String,
    /// A pointer to the first byte of the section.
    pub first: String,
    /// Its length in bytes.
    pub bytes: String,
}

/// The text of an expression.
pub(super) fn text(unit: &TranslationUnit, expr: ExprId) -> String {
    let slice = unit.source.slice(unit.exprs[expr].span);
    String::from_utf8_lossy(slice).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a section is all of an array dimension.
fn is_whole(unit: &TranslationUnit, section: &Section, size: ArraySize) -> bool {
    if section.is_index {
        return false;
    }
    if section.lower.is_some_and(|lower| unit.constant_int(lower) != Some(0)) {
        return false;
    }
    let Some(length) = section.length else { return true };
    match size {
        ArraySize::Constant(count) => unit.constant_int(length) == Some(count.into()),
        ArraySize::Variable(count) => same_expression(unit, length, count),
        _ => false,
    }
}

/// Checks that a section is one stretch of memory: behind the first dimension that is more than one
/// element long, all dimensions are whole.
pub(crate) fn check_section(unit: &TranslationUnit, var: &VarRef) -> Result<(), Box<Diagnostic>> {
    let mut ty = unit.exprs[var.base].ty;
    let mut several = false;
    for section in &var.sections {
        let (inside, size) = match unit.types.as_array(ty) {
            Some((element, size)) => (element, size),
            None => match unit.types.pointee(ty) {
                Some(to) => (to, ArraySize::Unknown),
                None => return Ok(()),
            },
        };
        if several && !is_whole(unit, section, size) {
            return Err(Box::new(
                Diagnostic::error("this section is not one stretch of memory")
                    .at(unit.place(section.span))
                    .label("only part of each row")
                    .help("map whole rows: write the extent of the array's declaration here"),
            ));
        }
        // A pointer inside of a section would have to be followed on the device.
        if unit.types.as_array(ty).is_none() && !std::ptr::eq(section, &var.sections[0]) {
            return Err(Box::new(
                Diagnostic::error(
                    "sections through several pointers are not supported by this version of gpuc",
                )
                .at(unit.place(section.span))
                .help("map the rows one by one, or keep the data in one block of memory"),
            ));
        }
        several |=
            !section.is_index && section.length.is_none_or(|l| unit.constant_int(l) != Some(1));
        ty = inside;
    }
    Ok(())
}

/// The memory of a variable, member or section in a clause.
pub(super) fn of_clause(unit: &TranslationUnit, var: &VarRef) -> Memory {
    let base = text(unit, var.base);
    let ty = unit.exprs[var.base].ty;
    let is_pointer = unit.types.is_pointer(ty);
    let start = if is_pointer { format!("({base})") } else { format!("&({base})") };
    if var.sections.is_empty() {
        return Memory { base: start.clone(), first: start, bytes: format!("sizeof({base})") };
    }
    let mut first = format!("({base})");
    let mut row = format!("({base})");
    let mut count = String::from("1UL");
    let mut counting = true;
    let mut at = ty;
    for section in &var.sections {
        let lower = section.lower.map_or_else(|| "0".to_owned(), |lower| text(unit, lower));
        first += &format!("[{lower}]");
        let size = unit.types.as_array(at);
        if counting {
            row += "[0]";
            let length = match (section.is_index, section.length, size) {
                (true, ..) => "1".to_owned(),
                (_, Some(length), _) => text(unit, length),
                // Up to the end of the array.
                (_, None, _) => {
                    let array = row.strip_suffix("[0]").unwrap_or(&row);
                    format!("(long)(sizeof({array}) / sizeof({row})) - (long)({lower})")
                }
            };
            count = format!("__gpuc_count({length})");
            counting = section.is_index;
        }
        at = size.map_or(at, |(element, _)| element);
    }
    Memory { base: start, first: format!("&{first}"), bytes: format!("{count} * sizeof({row})") }
}

//! Data items as C expressions: where they start and how long they are.

use crate::directive::openacc::VarRef;
use crate::tree::{ExprId, TranslationUnit};

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

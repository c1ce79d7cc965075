//! Data items as C expressions: where they start and how long they are.

use std::fmt::Write;

use super::literal;
use crate::directive::{Coverage, Section, VarRef, coverage};
use crate::source::Span;
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
    /// The length as a number of elements, which may be less than none, with the bytes of one, where those are known
    /// when compiling.
    pub count: Option<(String, u64)>,
}

impl Memory {
    /// Memory with its length in bytes.
    pub(super) fn of_bytes(base: String, first: String, bytes: String) -> Memory {
        Memory { base, first, bytes, count: None }
    }
}

/// The text of an expression.
pub(super) fn text(unit: &TranslationUnit, expr: ExprId) -> String {
    place(unit, unit.exprs[expr].span)
}

/// The text of a place of the program, on one line.
pub(super) fn place(unit: &TranslationUnit, span: Span) -> String {
    let slice = unit.source.slice(span);
    String::from_utf8_lossy(slice).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A section of pointers with what each of them points to, as C expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rows {
    /// A pointer to the first pointer.
    pub first: String,
    /// How many.
    pub count: String,
    /// The bytes to leave out at the start of each row.
    pub offset: String,
    /// The bytes of a row.
    pub bytes: String,
}

/// The rows of a variable in a clause, whose second section is one of what pointers point to.
pub(super) fn rows(unit: &TranslationUnit, var: &VarRef) -> Rows {
    let base = text(unit, var.base);
    let [outer, inner] = var.sections.as_slice() else {
        return Rows { first: base, count: "0".into(), offset: "0".into(), bytes: "0".into() };
    };
    let lower = |section: &Section| section.lower.map_or_else(|| "0".to_owned(), |e| text(unit, e));
    let length = |section: &Section, whole: String| match section.length {
        _ if section.is_index => "1".to_owned(),
        Some(length) => text(unit, length),
        None => format!("{whole} - (long)({})", lower(section)),
    };
    let element = format!("sizeof(({base})[0][0])");
    Rows {
        first: format!("&({base})[{}]", lower(outer)),
        count: format!(
            "__gpuc_count({})",
            length(outer, format!("(long)(sizeof({base}) / sizeof(({base})[0]))"))
        ),
        offset: format!("(unsigned long)({}) * {element}", lower(inner)),
        bytes: format!("__gpuc_bytes({}, {element})", length(inner, "0".to_owned())),
    }
}

/// From which element of a section to the next, where it says so.
pub(super) fn stride(unit: &TranslationUnit, var: &VarRef) -> Option<String> {
    var.sections.first().and_then(|section| section.stride).map(|stride| text(unit, stride))
}

/// The memory of a variable, member or section in a clause.
pub(super) fn of_clause(unit: &TranslationUnit, var: &VarRef, site: &str) -> Memory {
    let base = text(unit, var.base);
    let ty = unit.exprs[var.base].ty;
    let is_pointer = unit.types.is_pointer(ty);
    let start = if is_pointer { format!("({base})") } else { format!("&({base})") };
    if var.sections.is_empty() {
        return Memory::of_bytes(start.clone(), start, format!("sizeof({base})"));
    }
    let mut first = format!("({base})");
    let mut row = format!("({base})");
    let mut count = None;
    let (mut counting, mut several) = (true, false);
    let (mut inner, mut tests) = (String::new(), String::new());
    let mut at = ty;
    let mut element = Some(ty);
    for section in &var.sections {
        let lower = section.lower.map_or_else(|| "0".to_owned(), |lower| text(unit, lower));
        first += &format!("[{lower}]");
        let size = unit.types.as_array(at);
        if counting {
            let types = &unit.types;
            element = element.and_then(|ty| match types.as_array(ty) {
                Some((element, _)) => Some(element),
                None => types.pointee(ty),
            });
            row += "[0]";
            inner = row.clone();
            let length = match (section.is_index, section.length, size) {
                (true, ..) => "1".to_owned(),
                (_, Some(length), _) => text(unit, length),
                // Up to the end of the array.
                (_, None, _) => {
                    let array = row.strip_suffix("[0]").unwrap_or(&row);
                    format!("(long)(sizeof({array}) / sizeof({row})) - (long)({lower})")
                }
            };
            count = Some(length);
            counting = section.is_index;
        } else {
            // `row` is a row of this dimension, of which further ones are counted in.
            if let (Some(length), Some(size)) = (section.length, size.map(|(_, size)| size))
                && several
                && coverage(unit, section, size) == Coverage::Open
            {
                let _ = write!(
                    tests,
                    " * __gpuc_whole_rows(&{site}, {}, (long)({}), __gpuc_extent(sizeof({inner}), sizeof({inner}[0])))",
                    literal(&place(unit, var.span)),
                    text(unit, length),
                );
            }
            inner += "[0]";
        }
        several |=
            !section.is_index && section.length.is_none_or(|l| unit.constant_int(l) != Some(1));
        at = size.map_or(at, |(element, _)| element);
    }
    let bytes = match &count {
        Some(count) => format!("__gpuc_bytes({count}, sizeof({row})){tests}"),
        None => format!("sizeof({row}){tests}"),
    };
    let size = element.and_then(|ty| unit.types.size_of(ty)).filter(|_| tests.is_empty());
    Memory { base: start, first: format!("&{first}"), bytes, count: count.zip(size) }
}

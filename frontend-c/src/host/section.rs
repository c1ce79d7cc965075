//! Data items as C expressions: where they start and how long they are.

use super::literal;
use crate::directive::{Coverage, Section, VarRef, coverage};
use crate::source::Span;
use crate::tree::{ExprId, ExprKind, TranslationUnit};
use crate::types::{ArraySize, Type};

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
pub(super) fn rows(unit: &TranslationUnit, var: &VarRef, asking: Asking<'_>) -> Rows {
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
    let mut tests = Tests::new(unit, var, asking);
    tests.within(outer, unit.exprs[var.base].ty, &format!("({base})"));
    Rows {
        first: format!("&({base})[{}]", lower(outer)),
        count: format!(
            "__gpuc_count({}){}",
            length(outer, format!("(long)(sizeof({base}) / sizeof(({base})[0]))")),
            tests.text()
        ),
        offset: format!("(unsigned long)({}) * {element}", lower(inner)),
        bytes: format!("__gpuc_bytes({}, {element})", length(inner, "0".to_owned())),
    }
}

/// From which element of a section to the next, where it says so.
pub(super) fn stride(unit: &TranslationUnit, var: &VarRef) -> Option<String> {
    var.sections.first().and_then(|section| section.stride).map(|stride| text(unit, stride))
}

/// A construct that looks at sections, as C.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asking<'a> {
    /// The name of its site.
    pub site: &'a str,
    /// What says whether it does anything; `None` where nothing of it is looked at otherwise.
    pub when: Option<&'a str>,
}

/// Tests of a section that only the run time can make, as factors that are 1.
struct Tests<'a> {
    unit: &'a TranslationUnit,
    var: &'a VarRef,
    asking: Asking<'a>,
    factors: Vec<String>,
}

impl<'a> Tests<'a> {
    fn new(unit: &'a TranslationUnit, var: &'a VarRef, asking: Asking<'a>) -> Self {
        Tests { unit, var, asking, factors: Vec::new() }
    }

    fn name(&self) -> String {
        literal(&place(self.unit, self.var.span))
    }

    /// A section lies within its dimension of `array`, whose type is `ty`.
    fn within(&mut self, section: &Section, ty: Type, array: &str) {
        let unit = self.unit;
        let constant = |expr: Option<ExprId>| expr.is_none_or(|e| unit.constant_int(e).is_some());
        let is_constant = [section.lower, section.length, section.stride].into_iter().all(constant);
        let extent = match unit.types.as_array(ty) {
            // What is known when compiling has been looked at there.
            Some((_, ArraySize::Constant(extent))) if !is_constant => format!("{extent}l"),
            Some((_, ArraySize::Variable(_))) => {
                format!("__gpuc_bound(sizeof({array}), sizeof({array}[0]))")
            }
            _ => return,
        };
        let first = section.lower.map_or_else(|| "0".to_owned(), |lower| text(unit, lower));
        let length = match section.length {
            _ if section.is_index => "1".to_owned(),
            Some(length) => text(unit, length),
            None => format!("{extent} - (long)({first})"),
        };
        let stride = section.stride.map_or_else(|| "1".to_owned(), |stride| text(unit, stride));
        let (_, line) = unit.source.line(self.var.span.start);
        self.factors.push(format!(
            "__gpuc_within(&{}, {line}u, {}, (long)({first}), (long)({length}), (long)({stride}), {extent})",
            self.asking.site,
            self.name(),
        ));
    }

    /// A section, all of whose rows are taken, has all of each row of `array`.
    fn whole_rows(&mut self, section: &Section, size: ArraySize, array: &str) {
        if let Some(length) = section.length
            && coverage(self.unit, section, size) == Coverage::Open
        {
            self.factors.push(format!(
                "__gpuc_whole_rows(&{}, {}, (long)({}), __gpuc_bound(sizeof({array}), sizeof({array}[0])))",
                self.asking.site,
                self.name(),
                text(self.unit, length),
            ));
        }
    }

    /// Behind a number, the factors.
    fn text(&self) -> String {
        let factors = self.factors.join(" * ");
        match self.asking.when {
            _ if factors.is_empty() => String::new(),
            None => format!(" * {factors}"),
            Some(when) => format!(" * ({when} ? {factors} : 1ul)"),
        }
    }
}

/// Whether an array at the end of a structure stands for as many elements as there is memory for, as C had it
/// before flexible array members.
fn is_open_ended(unit: &TranslationUnit, base: ExprId) -> bool {
    let ExprKind::Member { access, .. } = unit.exprs[base].kind else { return false };
    let record = unit.types.record(access.record);
    let is_last = record.is_union || access.field as usize + 1 == record.fields.len();
    let size = unit.types.as_array(unit.exprs[base].ty).map(|(_, size)| size);
    is_last && matches!(size, Some(ArraySize::Constant(0 | 1)))
}

/// The memory of a variable, member or section in a clause.
pub(super) fn of_clause(unit: &TranslationUnit, var: &VarRef, asking: Asking<'_>) -> Memory {
    let base = text(unit, var.base);
    let ty = unit.exprs[var.base].ty;
    let is_pointer = unit.types.is_pointer(ty);
    let start = if is_pointer { format!("({base})") } else { format!("&({base})") };
    if var.sections.is_empty() {
        return Memory::of_bytes(start.clone(), start, format!("sizeof({base})"));
    }
    let is_one = |section: &Section| {
        section.is_index || section.length.is_some_and(|l| unit.constant_int(l) == Some(1))
    };
    // The dimension of which elements are counted: behind it, each has whole rows.
    let last = var.sections.len() - 1;
    let counted = var.sections.iter().position(|section| !is_one(section)).unwrap_or(last);
    let mut tests = Tests::new(unit, var, asking);
    let mut first = format!("({base})");
    // The array that a section is of.
    let mut array = first.clone();
    let (mut length, mut element) = (String::new(), (String::new(), ty));
    let mut at = ty;
    for (dimension, section) in var.sections.iter().enumerate() {
        let lower = section.lower.map_or_else(|| "0".to_owned(), |lower| text(unit, lower));
        first += &format!("[{lower}]");
        let (inside, size) = match unit.types.as_array(at) {
            Some((inside, size)) => (inside, size),
            None => (unit.types.pointee(at).unwrap_or(Type::ERROR), ArraySize::Unknown),
        };
        if dimension > counted {
            tests.whole_rows(section, size, &array);
        } else if dimension > 0 || !is_open_ended(unit, var.base) {
            tests.within(section, at, &array);
        }
        if dimension == counted {
            length = match section.length {
                _ if section.is_index => "1".to_owned(),
                Some(length) => text(unit, length),
                // Up to the end of the array.
                None => format!("(long)(sizeof({array}) / sizeof({array}[0])) - (long)({lower})"),
            };
            element = (format!("{array}[0]"), inside);
        }
        array += "[0]";
        at = inside;
    }
    let tests = tests.text();
    let bytes = format!("__gpuc_bytes({length}, sizeof({})){tests}", element.0);
    if !tests.is_empty() {
        length = format!("(long)({length}){tests}");
    }
    let count = unit.types.size_of(element.1).map(|size| (length, size));
    Memory { base: start, first: format!("&{first}"), bytes, count }
}

//! Variables and array sections in clauses; which sections can be mapped as one.

use std::collections::BTreeMap;

use gpuc_diagnostics::Diagnostic;

use crate::source::Span;
use crate::tree::{BinaryOp, CastKind, DeclId, ExprId, ExprKind, TranslationUnit, UnaryOp};
use crate::types::{ArraySize, Type};

/// A variable, member, element or array section in a clause.
#[derive(Clone, Debug)]
pub struct VarRef {
    /// The variable it starts from.
    pub decl: DeclId,
    /// The variable, or the member of it that is meant, as an object; without its sections.
    pub base: ExprId,
    /// The sections and subscripts behind it, outermost first; none means all of it.
    pub sections: Vec<Section>,
    /// The first element: the base with each section's lower bound as subscript.
    pub first: ExprId,
    /// The type of the first element; without sections, that of the base.
    pub ty: Type,
    /// Its text.
    pub span: Span,
}

impl VarRef {
    /// Whether it is the bare name of a variable.
    pub fn is_whole_variable(&self, unit: &TranslationUnit) -> bool {
        self.sections.is_empty() && matches!(unit.exprs[self.base].kind, ExprKind::Name(_))
    }
}

/// `[lower:length]` in any of its forms, or `[index]`.
#[derive(Clone, Debug)]
pub struct Section {
    /// The first element; 0 where it is left out.
    pub lower: Option<ExprId>,
    /// How many elements; up to the end of the array where it is left out.
    pub length: Option<ExprId>,
    /// From which element to the next; 1 where it is left out (OpenMP 5.2 §3.2.5).
    pub stride: Option<ExprId>,
    /// Whether it is `[index]`, a section of one element.
    pub is_index: bool,
    /// Its text, brackets included.
    pub span: Span,
}

/// How much of an array dimension a section is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coverage {
    /// All of it.
    Whole,
    /// Less, or not from the start.
    Part,
    /// More than there is.
    Beyond,
    /// All of it if the length has the extent's value, which only the run time knows.
    Open,
}

/// How much a section is of a dimension of so many elements.
pub(crate) fn coverage(unit: &TranslationUnit, section: &Section, size: ArraySize) -> Coverage {
    if section.is_index || section.stride.is_some() {
        return Coverage::Part;
    }
    if section.lower.is_some_and(|lower| unit.constant_int(lower) != Some(0)) {
        return Coverage::Part;
    }
    let Some(length) = section.length else { return Coverage::Whole };
    let known = match size {
        ArraySize::Constant(count) => {
            unit.constant_int(length).map(|length| (length, count.into()))
        }
        // The variables may have changed since the declaration, by as much in both.
        ArraySize::Variable(_) => None,
        _ => return Coverage::Part,
    };
    match known {
        Some((length, extent)) if length == extent => Coverage::Whole,
        Some((length, extent)) if length > extent => Coverage::Beyond,
        Some(_) => Coverage::Part,
        None => match size {
            ArraySize::Variable(extent) => match difference(unit, length, extent) {
                Some(0) => Coverage::Open,
                Some(1..) => Coverage::Beyond,
                Some(_) => Coverage::Part,
                None => Coverage::Open,
            },
            _ => Coverage::Open,
        },
    }
}

/// Whether a section is one of pointers, with a section of what each of them points to.
pub(crate) fn has_rows(unit: &TranslationUnit, var: &VarRef) -> bool {
    let inside = |ty| match unit.types.as_array(ty) {
        Some((element, _)) => Some(element),
        None => unit.types.pointee(ty),
    };
    let [_, second] = var.sections.as_slice() else { return false };
    let Some(pointer) = inside(unit.exprs[var.base].ty) else { return false };
    let is_row = |to| !unit.types.is_pointer(to) && unit.types.as_array(to).is_none();
    // One element of one row is where it is.
    !second.is_index && unit.types.pointee(pointer).is_some_and(is_row)
}

/// How much greater an expression is than another, where they are sums of the same variables.
fn difference(unit: &TranslationUnit, a: ExprId, b: ExprId) -> Option<i128> {
    let mut sum = Sum::default();
    sum.add(unit, a, 1)?;
    sum.add(unit, b, -1)?;
    sum.terms.values().all(|&factor| factor == 0).then_some(sum.constant)
}

/// A sum of variables with factors, by the numbers of their declarations.
#[derive(Default)]
struct Sum {
    terms: BTreeMap<u32, i128>,
    constant: i128,
}

impl Sum {
    fn add(&mut self, unit: &TranslationUnit, expr: ExprId, factor: i128) -> Option<()> {
        if let Some(value) = unit.constant_int(expr) {
            self.constant = self.constant.checked_add(value.checked_mul(factor)?)?;
            return Some(());
        }
        match unit.exprs[expr].kind {
            ExprKind::Paren(inner) | ExprKind::Unary(UnaryOp::Plus, inner) => {
                self.add(unit, inner, factor)
            }
            ExprKind::Unary(UnaryOp::Minus, inner) => self.add(unit, inner, factor.checked_neg()?),
            ExprKind::Cast { kind: CastKind::Load, operand, .. } => {
                let decl = unit.named(operand)?;
                let known = self.terms.entry(decl.into_raw().into_u32()).or_default();
                *known = known.checked_add(factor)?;
                Some(())
            }
            ExprKind::Cast { kind: CastKind::Integer | CastKind::Same, operand, .. } => {
                self.add(unit, operand, factor)
            }
            ExprKind::Binary(BinaryOp::Add, a, b) => {
                self.add(unit, a, factor)?;
                self.add(unit, b, factor)
            }
            ExprKind::Binary(BinaryOp::Sub, a, b) => {
                self.add(unit, a, factor)?;
                self.add(unit, b, factor.checked_neg()?)
            }
            ExprKind::Binary(BinaryOp::Mul, a, b) => {
                let (times, of) = match (unit.constant_int(a), unit.constant_int(b)) {
                    (Some(times), _) => (times, b),
                    (_, Some(times)) => (times, a),
                    _ => return None,
                };
                self.add(unit, of, factor.checked_mul(times)?)
            }
            _ => None,
        }
    }
}

/// Checks that a section can be one stretch of memory: behind the first dimension that is more than one
/// element long, all dimensions are whole. Those of which only the run time knows are checked there.
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
        let coverage = coverage(unit, section, size);
        if coverage == Coverage::Beyond {
            return Err(Box::new(
                Diagnostic::error("this section is larger than the array")
                    .at(unit.place(section.span))
                    .help("write the extent of the array's declaration"),
            ));
        }
        if several && coverage == Coverage::Part {
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

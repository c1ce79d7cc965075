//! Array sections: which can be mapped as one.

use gpuc_diagnostics::Diagnostic;

use super::{Section, VarRef};
use crate::tree::TranslationUnit;
use crate::types::ArraySize;

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
        ArraySize::Variable(count) => unit.same_expression(length, count),
        _ => false,
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

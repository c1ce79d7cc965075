//! What the `data` constructs around a place map.

use super::unit::Enclosing;
use super::{DataItem, Extent, MappingKind};
use crate::directive::Directive;
use crate::tree::{ExprId, TranslationUnit};
use crate::types::Type;

/// An item of a construct around.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mapped {
    /// The construct's number.
    construct: usize,
    /// The item's number among its data.
    item: usize,
    /// How it is mapped there.
    pub kind: MappingKind,
}

/// The item, of a construct around, whose base is the expression: the innermost one that is certain
/// to be there, else the innermost one under a condition.
pub(super) fn find(
    unit: &TranslationUnit,
    enclosing: &[Enclosing],
    is_base: &dyn Fn(ExprId) -> bool,
) -> Option<Mapped> {
    let mut conditional = None;
    for around in enclosing.iter().rev() {
        let directive = &unit.directives[around.directive];
        let found =
            directive.data().enumerate().find(|(_, (kind, var))| kind.maps() && is_base(var.base));
        let Some((item, (kind, _))) = found else { continue };
        let mapped = Mapped { construct: around.construct, item, kind };
        if directive.condition.when.is_none() {
            return Some(mapped);
        }
        conditional = conditional.or(Some(mapped));
    }
    conditional
}

impl Mapped {
    /// The memory of the item, as a construct inside sees the variable `name` of type `ty`.
    /// `unmapped` is how the variable is mapped where the condition of the construct around does not
    /// hold.
    pub(super) fn extent(
        self,
        unit: &TranslationUnit,
        name: &str,
        ty: Type,
        unmapped: MappingKind,
    ) -> Extent {
        let is_pointer = unit.types.is_pointer(ty);
        let is_array = unit.types.as_array(ty).is_some();
        Extent::Enclosed {
            // What the mapping is about: the memory behind a pointer, else the variable itself.
            pointer: if is_pointer || is_array { name.to_owned() } else { format!("&({name})") },
            object: (!is_pointer).then(|| name.to_owned()),
            unmapped,
            construct: self.construct,
            item: self.item,
        }
    }
}

/// A `present` clause that names a pointer only means the section that a construct around maps:
/// element 0 need not be in it.
pub(super) fn complete_present(
    unit: &TranslationUnit,
    directive: &Directive,
    enclosing: &[Enclosing],
    items: &mut [DataItem],
) {
    for ((kind, var), item) in directive.data().zip(items) {
        let Extent::Pointer(pointer) = &item.extent else { continue };
        if kind != MappingKind::Present {
            continue;
        }
        let around = find(unit, enclosing, &|base| unit.same_expression(base, var.base));
        if let Some(mapped) = around.filter(|mapped| mapped.kind != MappingKind::DevicePtr) {
            item.extent = mapped.extent(unit, pointer, var.ty, MappingKind::Present);
        }
    }
}

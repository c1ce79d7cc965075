//! Size, alignment and member offsets: the System V ABI of x86-64 as GCC lays records out, with
//! bit-fields, `packed`, `aligned` and `#pragma pack`.

use super::{ArraySize, BitField, Field, Record, Type, TypeKind, Types};
use crate::source::Span;
use crate::symbol::Symbol;

/// Size and alignment in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Size, a multiple of the alignment.
    pub size: u64,
    /// Alignment, a power of two.
    pub align: u64,
}

/// A member as declared.
#[derive(Clone, Debug)]
pub(crate) struct FieldDeclaration {
    pub name: Option<Symbol>,
    pub ty: Type,
    /// Width of a bit-field.
    pub width: Option<u32>,
    pub packed: bool,
    /// By `aligned` or `_Alignas`.
    pub align: Option<u64>,
    pub span: Span,
}

/// The largest object: half the address space, as GCC has it.
const LARGEST: u64 = i64::MAX as u64;

impl Types {
    /// Size and alignment of `ty`; `None` where it is incomplete, a function, or known only at run
    /// time. `void` and functions have GNU's size 1 only under `sizeof`, not here.
    pub fn layout(&self, ty: Type) -> Option<Layout> {
        let natural = |size: u64| Some(Layout { size, align: size });
        match *self.kind(ty) {
            TypeKind::Error | TypeKind::Void | TypeKind::Function(_) => None,
            TypeKind::Int(kind) => natural(kind.size()),
            TypeKind::Float(kind) => natural(kind.size()),
            TypeKind::Complex(part) => {
                let Layout { size, align } = self.layout(part)?;
                Some(Layout { size: 2 * size, align })
            }
            TypeKind::Nullptr | TypeKind::Pointer(_) => natural(8),
            TypeKind::Array { element, size: ArraySize::Constant(count) } => {
                let Layout { size, align } = self.layout(element)?;
                let size = size.checked_mul(count).filter(|&size| size <= LARGEST)?;
                Some(Layout { size, align })
            }
            TypeKind::Array { .. } => None,
            TypeKind::Record(id) => self.record(id).layout,
            TypeKind::Enum(id) => natural(self.enumeration(id).underlying?.size()),
            TypeKind::Vector { element, count } => {
                let size = self.layout(element)?.size.checked_mul(count)?;
                Some(Layout { size, align: size.next_power_of_two() })
            }
        }
    }

    /// Alignment of `ty`, also where only its size is unknown (`T[]`, a variable length).
    pub fn alignment(&self, ty: Type) -> Option<u64> {
        match self.as_array(ty) {
            Some((element, _)) => self.alignment(element),
            None => self.layout(ty).map(|layout| layout.align),
        }
    }

    /// Size of `ty` in bytes.
    pub fn size_of(&self, ty: Type) -> Option<u64> {
        self.layout(ty).map(|layout| layout.size)
    }

    /// Whether an object of type `ty` can be declared: its size is known, at run time at the latest.
    pub fn is_complete(&self, ty: Type) -> bool {
        match self.as_array(ty) {
            Some((_, ArraySize::Unknown)) => false,
            Some((element, _)) => self.is_complete(element),
            None => self.layout(ty).is_some(),
        }
    }

    /// Lays out the members of `record`. `pack` is the limit of `#pragma pack`, `align` what the
    /// record's own attributes ask for.
    pub(crate) fn lay_out(
        &self,
        record: &mut Record,
        fields: &[FieldDeclaration],
        packed: bool,
        pack: Option<u64>,
        align: Option<u64>,
    ) {
        // In bits, so that bit-fields and members are placed by one rule.
        let mut end: u128 = 0;
        let mut size: u128 = 0;
        let mut record_align = 1;
        record.height =
            fields.iter().map(|f| self.height(f.ty)).max().unwrap_or(0).saturating_add(1);
        let limit = |align: u64| pack.map_or(align, |pack| align.min(pack));
        for field in fields {
            let unit = self.size_of(field.ty).unwrap_or(0);
            let natural = self.alignment(field.ty).unwrap_or(1);
            let packed = packed || field.packed;
            let mut field_align = if packed { 1 } else { natural };
            field_align = limit(field_align.max(field.align.unwrap_or(1)));
            if record.is_union {
                end = 0;
            }
            let bits = u128::from(unit) * 8;
            let mut place = None;
            let offset;
            if let Some(width) = field.width {
                let width_bits = u128::from(width);
                if width == 0 {
                    // `#pragma pack` has no say in this one.
                    end = end.next_multiple_of(u128::from(natural) * 8);
                    continue;
                }
                if let Some(align) = field.align {
                    end = end.next_multiple_of(u128::from(limit(align)) * 8);
                }
                // Not packed, a bit-field does not cross a boundary of its declared type.
                let crosses = bits > 0 && end % bits + width_bits > bits;
                let unpacked = !packed && pack.is_none_or(|pack| pack >= natural);
                if unpacked && crosses {
                    end = end.next_multiple_of(u128::from(natural) * 8);
                }
                let start = if unpacked && bits > 0 { end / bits * bits } else { end / 8 * 8 };
                offset = (start / 8) as u64;
                place = Some(BitField { offset: (end - start) as u32, width });
                end += width_bits;
                if field.name.is_none() {
                    size = size.max(end);
                    continue;
                }
            } else {
                end = end.next_multiple_of(u128::from(field_align) * 8);
                offset = (end / 8) as u64;
                end += bits;
            }
            record_align = record_align.max(field_align);
            size = size.max(end);
            record.fields.push(Field {
                name: field.name,
                ty: field.ty,
                offset,
                bits: place,
                span: field.span,
            });
        }
        size = size.max(end);
        let align = record_align.max(align.unwrap_or(1));
        let bytes = size.div_ceil(8).next_multiple_of(u128::from(align));
        let size = u64::try_from(bytes).unwrap_or(LARGEST).min(LARGEST);
        record.layout = Some(Layout { size, align });
    }
}

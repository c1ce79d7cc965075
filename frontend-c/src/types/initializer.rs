//! Initialisers: designators, brace elision and array lengths (C11 §6.7.9), flattened to elements by
//! their offset in the object.

use super::{ArraySize, BitField, Checker, Type, TypeKind};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{ExprId, ExprKind, InitElement, Initializer};

/// An initialiser as written.
#[derive(Clone, Debug)]
pub(crate) enum InitSyntax {
    Value(ExprId),
    List(Vec<InitItem>, Span),
}

/// One item of a braced list.
#[derive(Clone, Debug)]
pub(crate) struct InitItem {
    pub designators: Vec<Designator>,
    pub value: InitSyntax,
}

/// `.name` or `[first ... last]`.
#[derive(Clone, Debug)]
pub(crate) enum Designator {
    Member(Symbol, Span),
    /// A member already found by number (the way through anonymous members).
    Field(u32),
    Elements(u64, u64, Span),
}

/// More copies of an aggregate for one `[a ... b]` than any real program writes.
const MOST_COPIES: u64 = 1 << 16;

/// A part of the object under initialisation.
#[derive(Clone, Copy)]
struct Part {
    ty: Type,
    offset: u64,
    bits: Option<BitField>,
}

impl InitSyntax {
    fn span(&self, checker: &Checker) -> Span {
        match self {
            InitSyntax::Value(expr) => checker.span(*expr),
            InitSyntax::List(_, span) => *span,
        }
    }
}

impl Checker {
    /// The initial value of an object of type `ty`, and its type with the array length that the
    /// initialiser gives it.
    pub(crate) fn initialize(&mut self, ty: Type, syntax: &InitSyntax) -> (Initializer, Type) {
        if ty.is_error() {
            let span = syntax.span(self);
            return (Initializer::Value(self.error_expr(span)), ty);
        }
        if !self.unit.types.is_scalar(ty) && self.member_count(ty).is_none() {
            let (span, shown) = (syntax.span(self), self.show(ty));
            let value = self.refuse(span, format!("`{shown}` cannot be initialised"));
            return (Initializer::Value(value), ty);
        }
        match syntax {
            InitSyntax::Value(expr) if self.unit.types.as_array(ty).is_none() => {
                (Initializer::Value(self.convert_assigned(*expr, ty, "an initial value")), ty)
            }
            InitSyntax::List(items, _) if self.unit.types.is_scalar(ty) => match items.as_slice() {
                [item] if item.designators.is_empty() => self.initialize(ty, &item.value),
                [] => {
                    let span = syntax.span(self);
                    let zero = self.int(0, Type::INT, span);
                    (Initializer::Value(self.convert_assigned(zero, ty, "an initial value")), ty)
                }
                _ => {
                    let span = syntax.span(self);
                    let value = self.refuse(span, "a scalar takes one initial value");
                    (Initializer::Value(value), ty)
                }
            },
            _ => {
                let mut elements = Vec::new();
                let part = Part { ty, offset: 0, bits: None };
                let length = self.whole(part, syntax, &mut elements);
                let ty = match self.unit.types.as_array(ty) {
                    Some((element, ArraySize::Unknown)) => {
                        self.unit.types.array_of(element, ArraySize::Constant(length))
                    }
                    _ => ty,
                };
                (Initializer::List(elements), ty)
            }
        }
    }

    fn is_char_array(&self, ty: Type, string: ExprId) -> bool {
        let string_element = match &self.unit.exprs[self.unit.peel(string)].kind {
            ExprKind::String(_) => self.unit.types.as_array(self.ty(self.unit.peel(string))),
            _ => None,
        };
        match (self.unit.types.as_array(ty), string_element) {
            (Some((a, _)), Some((b, _))) => {
                let size = |ty| self.unit.types.size_of(ty);
                self.unit.types.is_integer(a) && size(a) == size(b)
            }
            _ => false,
        }
    }

    /// Initialises all of `part` by one initialiser; returns the number of array elements seen.
    fn whole(&mut self, part: Part, syntax: &InitSyntax, out: &mut Vec<InitElement>) -> u64 {
        match syntax {
            InitSyntax::Value(expr) if self.is_char_array(part.ty, *expr) => {
                let value = self.unit.peel(*expr);
                let length = match self.unit.types.as_array(self.ty(value)) {
                    Some((_, ArraySize::Constant(length))) => length,
                    _ => 0,
                };
                out.push(InitElement {
                    offset: part.offset,
                    ty: part.ty,
                    bits: None,
                    value,
                    repeat: None,
                });
                length
            }
            InitSyntax::Value(expr) => {
                let aggregate = self.unit.types.as_array(part.ty).is_some();
                let same = self.unit.types.compatible_unqualified(self.ty(*expr), part.ty);
                let value = if aggregate && same {
                    // GNU initialises an array by a compound literal of its type.
                    *expr
                } else if aggregate {
                    let (span, shown) = (self.span(*expr), self.show(part.ty));
                    self.refuse(
                        span,
                        format!("the array type `{shown}` needs an initialiser in braces"),
                    )
                } else {
                    self.convert_assigned(*expr, part.ty, "an initial value")
                };
                let Part { offset, ty, bits } = part;
                out.push(InitElement { offset, ty, bits, value, repeat: None });
                match self.unit.types.as_array(self.ty(*expr)) {
                    Some((_, ArraySize::Constant(length))) => length,
                    _ => 0,
                }
            }
            InitSyntax::List(items, span) => {
                if let [item] = items.as_slice()
                    && item.designators.is_empty()
                    && let InitSyntax::Value(expr) = item.value
                    && self.is_char_array(part.ty, expr)
                {
                    return self.whole(part, &item.value, out);
                }
                if self.member_count(part.ty).is_none() {
                    let (value, _) = self.initialize(part.ty, syntax);
                    if let Initializer::Value(value) = value {
                        let Part { offset, ty, bits } = part;
                        out.push(InitElement { offset, ty, bits, value, repeat: None });
                    }
                    return 0;
                }
                let mut at = 0;
                self.fill(part, items, &mut at, None, true, *span, out)
            }
        }
    }

    /// Number of parts that positional initialisers go to; `None` for what has no parts.
    fn member_count(&self, ty: Type) -> Option<u64> {
        match *self.unit.types.kind(ty) {
            TypeKind::Array { size: ArraySize::Constant(count), .. } => Some(count),
            TypeKind::Array { .. } => Some(u64::MAX),
            TypeKind::Vector { count, .. } => Some(count),
            TypeKind::Complex(_) => Some(2),
            TypeKind::Record(id) => {
                let record = self.unit.types.record(id);
                Some(if record.is_union { 1 } else { record.fields.len() as u64 })
            }
            _ => None,
        }
    }

    fn part(&self, whole: Part, index: u64) -> Option<Part> {
        match *self.unit.types.kind(whole.ty) {
            TypeKind::Array { element, .. }
            | TypeKind::Vector { element, .. }
            | TypeKind::Complex(element) => {
                let offset = self.unit.types.size_of(element)?.checked_mul(index)?;
                let offset = whole.offset.checked_add(offset)?;
                Some(Part { ty: element, offset, bits: None })
            }
            TypeKind::Record(id) => {
                let field = self.unit.types.record(id).fields.get(index as usize)?;
                let offset = whole.offset.checked_add(field.offset)?;
                Some(Part { ty: field.ty, offset, bits: field.bits })
            }
            _ => None,
        }
    }

    /// Fills the parts of `whole` from `items[*at..]`. `entered` are the designators of the first
    /// item that outer levels left over; a level without braces of its own stops where an item
    /// names its place from outside.
    fn fill(
        &mut self,
        whole: Part,
        items: &[InitItem],
        at: &mut usize,
        entered: Option<Vec<Designator>>,
        braced: bool,
        span: Span,
        out: &mut Vec<InitElement>,
    ) -> u64 {
        let count = self.member_count(whole.ty).unwrap_or(0);
        let (mut index, mut length) = (0, 0);
        let mut entered = entered;
        while let Some(item) = items.get(*at) {
            let mut designators = match entered.take() {
                Some(rest) => rest,
                None if item.designators.is_empty() => Vec::new(),
                None if braced => item.designators.clone(),
                None => break,
            };
            let mut last = index;
            if !designators.is_empty() {
                match self.designated(whole.ty, &mut designators) {
                    Some((first, end)) => (index, last) = (first, end),
                    None => {
                        *at += 1;
                        continue;
                    }
                }
            } else if index >= count {
                if !braced {
                    break;
                }
                // More values than parts: the host compiler warns, the value is dropped.
                *at += 1;
                continue;
            }
            let Some(part) = self.part(whole, index) else {
                self.error(span, "this initialiser does not fit what it initialises");
                *at += 1;
                continue;
            };
            let before = out.len();
            self.element(part, items, at, designators, out);
            if last > index {
                let size = self.unit.types.size_of(part.ty).unwrap_or(0);
                self.repeat(out, before, last - index, size, span);
            }
            let is_union = self
                .unit
                .types
                .as_record(whole.ty)
                .is_some_and(|id| self.unit.types.record(id).is_union);
            index = if is_union { count } else { last.saturating_add(1) };
            length = length.max(last.saturating_add(1));
            if !braced && index >= count {
                break;
            }
        }
        length
    }

    /// Initialises one part: by a list, by a value of its type, or by the values that follow when
    /// its braces are left out.
    fn element(
        &mut self,
        part: Part,
        items: &[InitItem],
        at: &mut usize,
        designators: Vec<Designator>,
        out: &mut Vec<InitElement>,
    ) {
        let item = &items[*at];
        let span = item.value.span(self);
        if !designators.is_empty() {
            self.fill(part, items, at, Some(designators), false, span, out);
            return;
        }
        if let InitSyntax::Value(expr) = item.value {
            let ty = self.ty(expr);
            let whole = self.is_char_array(part.ty, expr)
                || self.unit.types.compatible_unqualified(ty, part.ty)
                || self.member_count(part.ty).is_none()
                || matches!(self.unit.types.kind(part.ty), TypeKind::Complex(_));
            if !whole && self.member_count(part.ty) != Some(0) {
                self.fill(part, items, at, Some(Vec::new()), false, span, out);
                return;
            }
        }
        *at += 1;
        self.whole(part, &item.value, out);
    }

    /// Takes the first designator off; returns the first and last part it names.
    fn designated(&mut self, ty: Type, designators: &mut Vec<Designator>) -> Option<(u64, u64)> {
        match designators.remove(0) {
            Designator::Field(index) => Some((index.into(), index.into())),
            Designator::Elements(first, last, span) => {
                let Some((_, size)) = self.unit.types.as_array(ty) else {
                    let shown = self.show(ty);
                    self.error(
                        span,
                        format!("`[ ]` names an element, but `{shown}` is not an array"),
                    );
                    return None;
                };
                let count = match size {
                    ArraySize::Constant(count) => count,
                    _ => u64::MAX,
                };
                if last >= count || first > last {
                    self.error(span, "this element is outside of the array");
                    return None;
                }
                Some((first, last))
            }
            Designator::Member(name, span) => {
                let Some(record) = self.unit.types.as_record(ty) else {
                    let shown = self.show(ty);
                    self.error(span, format!("`{shown}` has no members to initialise by name"));
                    return None;
                };
                let Some(way) = self.unit.types.find_field(record, name) else {
                    let (name, shown) = (self.unit.text(name), self.show(ty.unqualified()));
                    self.error(span, format!("`{shown}` has no member `{name}`"));
                    return None;
                };
                designators.splice(0..0, way[1..].iter().map(|&field| Designator::Field(field)));
                Some((way[0].into(), way[0].into()))
            }
        }
    }

    /// Makes the elements from `from` on stand `copies` more times, `size` bytes apart.
    fn repeat(
        &mut self,
        out: &mut Vec<InitElement>,
        from: usize,
        copies: u64,
        size: u64,
        span: Span,
    ) {
        if let [single] = &mut out[from..]
            && single.repeat.is_none()
        {
            single.repeat = Some((copies, size));
            return;
        }
        let block: Vec<_> = out[from..].to_vec();
        if copies.saturating_mul(block.len() as u64) > MOST_COPIES {
            self.error(span, "this range of elements takes too many initial values");
            return;
        }
        for copy in 1..=copies {
            out.extend(block.iter().map(|element| {
                let offset = element.offset + copy * size;
                InitElement { offset, ..element.clone() }
            }));
        }
    }
}

//! Arrays of a thread that begin with a list of values, written out as assignments.

use crate::parse::Parser;
use crate::source::Span;
use crate::tree::{DeclId, DeclKind, ExprId, Initializer, StmtId, TranslationUnit, Variable};
use crate::types::{ArraySize, Type};

/// Elements that a list is written out for, at most.
const MOST_LISTED: u64 = 64;

/// The elements of an array of numbers that has a list of values, each with its subscripts and its value, where it is not zero.
pub(super) fn listed(
    unit: &TranslationUnit,
    decl: DeclId,
) -> Option<Vec<(Vec<u64>, Option<ExprId>)>> {
    let here = &unit.decls[decl];
    let DeclKind::Variable(Variable { init: Some(Initializer::List(values)), .. }) = &here.kind
    else {
        return None;
    };
    let (mut sizes, mut ty) = (Vec::new(), here.ty);
    while let Some((element, size)) = unit.types.as_array(ty) {
        let ArraySize::Constant(size) = size else { return None };
        sizes.push(size);
        ty = element;
    }
    let is_number = unit.types.as_int(ty).is_some() || unit.types.as_float(ty).is_some();
    let bytes = unit.types.size_of(ty).filter(|&bytes| is_number && bytes > 0)?;
    let count = sizes.iter().try_fold(1u64, |all, &size| all.checked_mul(size))?;
    if sizes.is_empty() || count > MOST_LISTED {
        return None;
    }
    let mut elements = vec![None; count as usize];
    for value in values {
        let is_one = value.repeat.is_none() && value.bits.is_none();
        if !is_one || unit.types.size_of(value.ty) != Some(bytes) {
            return None;
        }
        *elements.get_mut((value.offset / bytes) as usize)? = Some(value.value);
    }
    let place = |mut number: u64| {
        let mut place = Vec::new();
        for &size in sizes.iter().rev() {
            place.insert(0, number % size);
            number /= size;
        }
        place
    };
    Some((0..count).map(place).zip(elements).collect())
}

impl Parser {
    /// An element of an array, by its subscripts, set to a value, or to zero.
    pub(super) fn element_assigned(
        &mut self,
        decl: DeclId,
        place: &[u64],
        value: Option<ExprId>,
        span: Span,
    ) -> StmtId {
        let mut target = self.checker.variable(decl, span);
        for &subscript in place {
            let subscript = self.checker.int(subscript.into(), Type::INT, span);
            target = self.checker.index(target, subscript, span);
        }
        let value = match value {
            Some(value) => value,
            None => {
                let zero = self.checker.int(0, Type::INT, span);
                let ty = self.checker.ty(target).unqualified();
                self.checker.convert(zero, ty)
            }
        };
        self.assigned(target, value, span)
    }
}

//! Computing with constants: scalars, and vectors and tensors element by element.
//!
//! Integers wrap to the width of their type; floats are rounded to their format after each
//! operation, as if computed in it. What is undefined gives `None`.

use gpuc_ir::attrs::round_to_format;
use gpuc_ir::op::Fold;
use gpuc_ir::{Attr, AttrKind, Context, Ir, Op, Type, TypeKind, Value};

use crate::ub::is_poison;

/// An element of a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer, in the form that integer attributes have: sign-extended, `true` is 1.
    Int(i128),
    /// A float.
    Float(f64),
}

/// An integer type's width, and the two ways to read a constant of it.
#[derive(Clone, Copy, Debug)]
pub struct Width(u32);

impl Width {
    /// Of an integer or `index` type (or its elements); `None` for other types and for integers
    /// too wide to compute with.
    pub fn of(ctx: &Context, ty: Type) -> Option<Width> {
        let ty = ctx.element_or_self(ty);
        ctx.int_or_index_width(ty).filter(|width| (1..=128).contains(width)).map(Width)
    }

    /// Bits.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// The value read as a signed number.
    pub fn signed(self, value: i128) -> i128 {
        let shift = 128 - self.0;
        value << shift >> shift
    }

    /// The value read as an unsigned number.
    pub fn unsigned(self, value: i128) -> u128 {
        let shift = 128 - self.0;
        (value as u128) << shift >> shift
    }

    /// The least signed number.
    pub fn least_signed(self) -> i128 {
        i128::MIN >> (128 - self.0)
    }

    /// The greatest signed number.
    pub fn greatest_signed(self) -> i128 {
        i128::MAX >> (128 - self.0)
    }
}

/// Elements of a constant: one for a scalar or splat.
pub(super) fn elements(ctx: &Context, attr: Attr) -> Option<Vec<Number>> {
    match ctx.attr_kind(attr) {
        AttrKind::Integer { value, .. } => Some(vec![Number::Int(*value)]),
        AttrKind::Float { bits, .. } => Some(vec![Number::Float(f64::from_bits(*bits))]),
        AttrKind::DenseElements { ty, values } => {
            let element = ctx.element(*ty)?;
            if ctx.is_float(element) {
                Some(values.iter().map(|&v| Number::Float(f64::from_bits(v as u64))).collect())
            } else if ctx.int_or_index_width(element)? <= 64 {
                Some(values.iter().map(|&v| Number::Int(v.into())).collect())
            } else {
                None
            }
        }
        _ => None,
    }
}

/// Makes a constant of type `ty` from its elements (one for a scalar or splat), each wrapped or
/// rounded to the element type; `None` where kinds do not fit.
pub fn from_elements(ctx: &mut Context, numbers: &[Number], ty: Type) -> Option<Attr> {
    let element = ctx.element_or_self(ty);
    if element == ty {
        return match numbers {
            [Number::Int(value)] if ctx.int_or_index_width(ty).is_some() => {
                Some(ctx.int_attr(*value, ty))
            }
            [Number::Float(value)] if ctx.is_float(ty) => Some(ctx.float_attr(*value, ty)),
            _ => None,
        };
    }
    let shape = match ctx.type_kind(ty) {
        TypeKind::Vector { shape, scalable, .. } => {
            // A scalable vector has no number of elements: only splats can be said.
            if numbers.len() != 1 && scalable.contains(&true) {
                return None;
            }
            shape
        }
        TypeKind::Tensor { shape, .. } if shape.iter().all(|&extent| extent >= 0) => shape,
        _ => return None,
    };
    let count: i64 = shape.iter().product();
    if numbers.len() != 1 && numbers.len() as i64 != count {
        return None;
    }
    let float = ctx.float_kind(element);
    let mut values = Vec::with_capacity(numbers.len());
    for &number in numbers {
        values.push(match (number, float) {
            (Number::Int(value), None) => i64::try_from(ctx.wrap_int(value, element)).ok()?,
            (Number::Float(value), Some(kind)) => round_to_format(value, kind).to_bits() as i64,
            _ => return None,
        });
    }
    if values.windows(2).all(|pair| pair[0] == pair[1]) {
        values.truncate(1);
    }
    Some(ctx.intern_attr(AttrKind::DenseElements { ty, values: values.into() }))
}

/// Applies `f` to the corresponding elements of constants of one shape. The result has type `ty`; of poison comes poison.
pub fn map_elements<const N: usize>(
    ctx: &mut Context,
    operands: [Option<Attr>; N],
    ty: Type,
    mut f: impl FnMut([Number; N]) -> Option<Number>,
) -> Option<Attr> {
    // Whatever the others are.
    if let Some(&poison) = operands.iter().flatten().find(|&&attr| is_poison(ctx, attr)) {
        return Some(poison);
    }
    let mut lists: [Vec<Number>; N] = std::array::from_fn(|_| Vec::new());
    for (list, operand) in lists.iter_mut().zip(operands) {
        *list = elements(ctx, operand?)?;
    }
    let count = lists.iter().map(Vec::len).max()?;
    let mut result = Vec::with_capacity(count);
    for i in 0..count {
        let at =
            |list: &Vec<Number>| if list.len() == 1 { Some(list[0]) } else { list.get(i).copied() };
        let mut numbers = [Number::Int(0); N];
        for (number, list) in numbers.iter_mut().zip(&lists) {
            *number = at(list)?;
        }
        result.push(f(numbers)?);
    }
    from_elements(ctx, &result, ty)
}

/// A constant of type `ty` with every element `value`.
pub fn splat_int(ctx: &mut Context, value: i128, ty: Type) -> Option<Attr> {
    from_elements(ctx, &[Number::Int(value)], ty)
}

/// A constant of floating-point type `ty` with every element `value`.
pub fn splat_float(ctx: &mut Context, value: f64, ty: Type) -> Option<Attr> {
    from_elements(ctx, &[Number::Float(value)], ty)
}

/// The integer that a constant is, or that all its elements are.
pub fn uniform_int(ctx: &Context, attr: Option<Attr>) -> Option<i128> {
    match elements(ctx, attr?)?[..] {
        [Number::Int(value)] => Some(value),
        _ => None,
    }
}

/// The float that a constant is, or that all its elements are.
pub fn uniform_float(ctx: &Context, attr: Option<Attr>) -> Option<f64> {
    match elements(ctx, attr?)?[..] {
        [Number::Float(value)] => Some(value),
        _ => None,
    }
}

/// Folds two constant integers, element by element, into the operation's first result.
pub fn fold_ints(
    ir: &mut Ir,
    op: Op,
    constants: &[Option<Attr>],
    f: impl Fn(Width, i128, i128) -> Option<i128>,
) -> Option<Attr> {
    let &[lhs, rhs] = constants else { return None };
    let ty = ir.ty(ir.result(op, 0));
    let width = Width::of(&ir.ctx, ir.ty(ir.operand(op, 0)))?;
    map_elements(&mut ir.ctx, [lhs, rhs], ty, |numbers| match numbers {
        [Number::Int(a), Number::Int(b)] => f(width, a, b).map(Number::Int),
        _ => None,
    })
}

/// Whether constants of the format are held exactly, so that they can be computed with.
pub(crate) fn is_computable(ctx: &Context, ty: Type) -> bool {
    ctx.float_kind(ctx.element_or_self(ty)).is_some_and(|kind| kind.layout().is_some())
}

/// A NaN that does not depend on the machine the compiler runs on: the first NaN operand, quiet,
/// or the default one.
pub(crate) fn stable_nan(operands: &[f64], result: f64) -> f64 {
    if !result.is_nan() {
        return result;
    }
    const QUIET: u64 = 1 << 51;
    match operands.iter().find(|value| value.is_nan()) {
        Some(nan) => f64::from_bits(nan.to_bits() | QUIET),
        None => f64::from_bits(0x7ff8_0000_0000_0000),
    }
}

/// Folds two constant floats, element by element, into the operation's result. `f` computes in
/// `f64`, which gives the right result after rounding to a narrower format for the basic
/// operations: `f64` has more than twice their precision plus two.
pub fn fold_floats(
    ir: &mut Ir,
    op: Op,
    constants: &[Option<Attr>],
    f: impl Fn(f64, f64) -> f64,
) -> Option<Attr> {
    let &[lhs, rhs] = constants else { return None };
    let ty = ir.ty(ir.result(op, 0));
    if !is_computable(&ir.ctx, ty) {
        return None;
    }
    map_elements(&mut ir.ctx, [lhs, rhs], ty, |numbers| match numbers {
        [Number::Float(a), Number::Float(b)] => Some(Number::Float(stable_nan(&[a, b], f(a, b)))),
        _ => None,
    })
}

/// Folds one constant number, element by element, into the operation's first result.
pub fn fold_unary(
    ir: &mut Ir,
    op: Op,
    constants: &[Option<Attr>],
    f: impl Fn(Number) -> Option<Number>,
) -> Option<Attr> {
    let &[operand] = constants else { return None };
    let ty = ir.ty(ir.result(op, 0));
    map_elements(&mut ir.ctx, [operand], ty, |[number]| f(number))
}

/// `Fold::one` of what was found, if anything.
pub fn folded(found: Option<impl Into<gpuc_ir::op::FoldResult>>) -> Fold {
    found.map_or(Fold::None, Fold::one)
}

/// The operation of kind `V` that defines `value`.
pub fn defined_by<V: gpuc_ir::OpView>(ir: &Ir, value: Value) -> Option<V> {
    V::cast(ir, ir.defining_op(value)?)
}

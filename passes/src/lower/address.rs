//! Addresses as sums: how the position of an access in its buffer becomes a pointer.

use gpuc_dialects::gpu::AddressSpace;
use gpuc_dialects::{arith, ptr};
use gpuc_ir::{Block, Builder, Ir, Op, Value};
use rustc_hash::FxHashMap;

use crate::analysis::polynomial::Polynomial;

/// Pointers that have been made, to start from.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    made: FxHashMap<(Block, Value), Vec<Made>>,
    count: usize,
}

/// A pointer to a byte of a buffer. Everything in its block and in blocks inside that is asked for later can see it.
#[derive(Debug)]
struct Made {
    /// How many were made before it.
    number: usize,
    /// Without its constant, which is not in the pointer either.
    position: Polynomial,
    pointer: Value,
}

impl Addresses {
    /// Notes a pointer to `position` (without a constant) of a buffer, made in `block` ahead of all
    /// that is asked for from now on.
    pub fn note(&mut self, base: Value, position: Polynomial, pointer: Value, block: Block) {
        let made = Made { number: self.count, position, pointer };
        self.made.entry((block, base)).or_default().push(made);
        self.count += 1;
    }

    /// The pointer to a byte of a buffer, in front of `at`; asked for in the order of the program.
    pub fn pointer(&mut self, ir: &mut Ir, at: Op, base: Value, position: &Polynomial) -> Value {
        let rest = without_constant(position);
        let (from, difference) = match self.nearest(ir, at, base, &rest) {
            Some((near, difference)) => (Some(near), difference),
            None => (None, rest.clone()),
        };
        let mut b = Builder::before(ir, at);
        let from = from.unwrap_or_else(|| to_ptr(&mut b, base));
        let pointer = advance(&mut b, from, &difference);
        if difference != Polynomial::default()
            && let Some(block) = ir.parent_block(at)
        {
            self.note(base, rest, pointer, block);
        }
        let constant = Polynomial::constant(position.constant_term());
        advance(&mut Builder::before(ir, at), pointer, &constant)
    }

    /// The pointer in sight from which there is least to add, less than from the buffer's start.
    fn nearest(
        &self,
        ir: &Ir,
        at: Op,
        base: Value,
        position: &Polynomial,
    ) -> Option<(Value, Polynomial)> {
        let around = ir.ancestors(at).chain([at]).filter_map(|op| ir.parent_block(op));
        let in_sight = around.filter_map(|block| self.made.get(&(block, base))).flatten();
        let candidates = in_sight.filter_map(|made| {
            let difference = position.plus(&made.position, -1)?;
            Some((made, difference))
        });
        let (nearest, difference) = candidates
            .min_by_key(|(made, difference)| (difference.terms().count(), made.number))?;
        (difference.terms().count() < position.terms().count())
            .then_some((nearest.pointer, difference))
    }
}

/// A polynomial less its constant.
pub(super) fn without_constant(position: &Polynomial) -> Polynomial {
    let constant = Polynomial::constant(position.constant_term());
    position.plus(&constant, -1).unwrap_or_else(|| position.clone())
}

/// The address of a buffer's first element.
pub(super) fn to_ptr(b: &mut Builder<'_>, base: Value) -> Value {
    let ty = b.ty(base);
    let space = AddressSpace::of_memref(&b.ctx, ty).unwrap_or(AddressSpace::Global);
    let pointer = ptr::pointer(&mut b.ctx, space);
    ptr::ToPtrOp::new(b, base).result(pointer).value(b)
}

/// A pointer so many bytes further on: what varies in fewer loops is added first.
pub(super) fn advance(b: &mut Builder<'_>, from: Value, bytes: &Polynomial) -> Value {
    let mut levels: Vec<(usize, Polynomial)> = Vec::new();
    for (monomial, coefficient) in bytes.terms() {
        let depth = monomial.iter().map(|&value| loop_depth(b, value)).max().unwrap_or(0);
        let term = Polynomial::term(monomial, coefficient);
        match levels.iter_mut().find(|level| level.0 == depth) {
            Some((_, sum)) => *sum = sum.plus(&term, 1).unwrap_or(term),
            None => levels.push((depth, term)),
        }
    }
    levels.sort_by_key(|level| level.0);
    let mut pointer = from;
    for (_, part) in levels {
        let offset = number(b, &part);
        pointer = ptr::PtrAddOp::new(b, pointer, offset).value(b);
    }
    pointer
}

/// Loops that a value is defined in.
pub(super) fn loop_depth(ir: &Ir, value: Value) -> usize {
    let owner = ir.value_block(value).and_then(|block| ir.block_op(block));
    let around = owner.into_iter().flat_map(|owner| [owner].into_iter().chain(ir.ancestors(owner)));
    around.filter(|&op| ir.is_loop(op)).count()
}

/// The value of a polynomial, of type index: what all its coefficients have in common is a factor of
/// the whole.
pub(super) fn number(b: &mut Builder<'_>, sum: &Polynomial) -> Value {
    let common = sum.terms().fold(0, |common, (_, coefficient)| gcd(common, coefficient));
    if let Some(constant) = sum.as_constant() {
        return arith::constant_index(b, constant);
    }
    let mut total: Option<Value> = None;
    // Constants last: they end up in immediates.
    let (constants, terms): (Vec<_>, Vec<_>) = sum.terms().partition(|term| term.0.is_empty());
    for (monomial, coefficient) in terms.into_iter().chain(constants) {
        let factors: Vec<Value> = monomial.iter().map(|&value| as_index(b, value)).collect();
        let mut product: Option<Value> = None;
        for factor in factors {
            product = Some(match product {
                Some(known) => arith::MulIOp::new(b, known, factor).value(b),
                None => factor,
            });
        }
        let term = times(b, product, coefficient / common);
        total = Some(match total {
            Some(known) => arith::AddIOp::new(b, known, term).value(b),
            None => term,
        });
    }
    times(b, total, common)
}

/// `value * factor`; the factor alone where there is no value.
fn times(b: &mut Builder<'_>, value: Option<Value>, factor: i64) -> Value {
    match (value, factor) {
        (Some(value), 1) => value,
        (None, factor) => arith::constant_index(b, factor),
        (Some(value), factor) => {
            let factor = arith::constant_index(b, factor);
            arith::MulIOp::new(b, value, factor).value(b)
        }
    }
}

fn as_index(b: &mut Builder<'_>, value: Value) -> Value {
    let index = b.ctx.index();
    if b.ty(value) == index {
        return value;
    }
    arith::IndexCastOp::new(b, value).result(index).value(b)
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1).max(1)
}

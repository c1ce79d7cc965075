//! What arithmetic of 32 bits would be without wrapping.
//!
//! Unsigned arithmetic of C, and signed one under `-fwrapv`, is that of the remainders of 2^32, and additions, subtractions and
//! products of remainders are the remainders of sums and products. So a widened number is the sum that its operations spell as long
//! as that sum is one of the type, whatever happened on the way to it; and the sum's bounds follow from those of the loops
//! round it.

use gpuc_dialects::{arith, scf};
use gpuc_ir::{Ir, Op, OpView, Value};
use rustc_hash::FxHashMap;

use super::loops::dimensions;
use super::nest::guard::{Comparison, comparisons};
use super::polynomial::Polynomial;
use super::range::{Range, range};
use super::subscript::polynomial;

/// How many definitions deep the search goes, and how many variables are replaced by their bounds.
const DEPTH: u32 = 16;

/// A widening of a number that may have wrapped.
#[derive(Clone, Debug)]
pub struct Widened {
    /// Whether numbers have a sign.
    pub signed: bool,
    /// The number without wrapping. Values of 32 bits in it stand for the numbers that they are.
    pub form: Polynomial,
    /// What it is at most, over values that loops do not change.
    pub greatest: Polynomial,
    /// What it is at least.
    pub least: Polynomial,
    /// Whether factors are taken not to be negative that might be.
    assumes_sign: bool,
}

/// The widenings that were understood, each with its number.
pub type Known = FxHashMap<Value, Polynomial>;

impl Widened {
    /// What the widening `op` would be; `None` where it is the number anyway, or nothing simple.
    pub fn of(ir: &Ir, op: Op, known: &Known) -> Option<Widened> {
        let signed = match ir.name(op) {
            arith::IndexCastUIOp::NAME | arith::ExtUIOp::NAME => false,
            arith::IndexCastOp::NAME | arith::ExtSIOp::NAME => true,
            _ => return None,
        };
        let (source, result) = (ir.operand(op, 0), ir.result(op, 0));
        let bits = |value| ir.ctx.int_or_index_width(ir.ty(value));
        let is_sum = ir.defining_op(source).is_some_and(|op| is_sum(ir, op));
        let opaque = polynomial(ir, result).as_value();
        let opaque = opaque.is_some_and(|value| value == result || value == source);
        if bits(source) != Some(32) || bits(result) != Some(64) || !is_sum || !opaque {
            return None;
        }
        let terms = Terms { ir, signed, known };
        let form = terms.number(source, DEPTH)?;
        let mut assumes_sign = false;
        let greatest = terms.extreme(&form, true, &mut assumes_sign)?;
        let least = terms.least(op, &form, &mut assumes_sign)?;
        Some(Widened { signed, form, greatest, least, assumes_sign })
    }

    /// Numbers that the type has.
    pub fn limits(&self) -> Range {
        if self.signed { Range::signed(32) } else { Range::unsigned(32) }
    }

    /// Whether there are sizes for which nothing wraps, as far as is known without them.
    pub fn may_fit(&self) -> bool {
        let limits = self.limits();
        let least = self.least.as_constant().map_or(limits.min, i128::from);
        let greatest = self.greatest.as_constant().map_or(limits.max, i128::from);
        limits.min <= least && greatest <= limits.max
    }

    /// Whether nothing can wrap.
    pub fn fits(&self, ir: &Ir) -> bool {
        let limits = self.limits();
        let bounds = [&self.least, &self.greatest].map(|form| sum_range(ir, form, self.signed));
        !self.assumes_sign && bounds[0].min >= limits.min && bounds[1].max <= limits.max
    }
}

/// A number of 32 bits as its operations spell it, for people.
pub fn spelled(ir: &Ir, value: Value) -> Polynomial {
    let terms = Terms { ir, signed: true, known: &Known::default() };
    terms.number(value, DEPTH).unwrap_or_else(|| Polynomial::value(value))
}

/// What a value in a form can be: one of 32 bits has a sign or none.
pub fn number_range(ir: &Ir, value: Value, signed: bool) -> Range {
    let known = range(ir, value);
    let is_narrow = ir.ctx.int_or_index_width(ir.ty(value)) == Some(32);
    if is_narrow && !signed && known.min < 0 { Range::unsigned(32) } else { known }
}

fn sum_range(ir: &Ir, form: &Polynomial, signed: bool) -> Range {
    let all = Range::signed(64);
    let mut sum = Range::new(0, 0);
    for (monomial, coefficient) in form.terms() {
        let mut term = Range::point(coefficient);
        for &value in monomial {
            term = term.times(number_range(ir, value, signed));
            if !term.is_within(all) {
                return all;
            }
        }
        sum = sum.plus(term);
    }
    if sum.is_within(all) { sum } else { all }
}

/// Whether an operation is one of those that remainders go through, and may wrap.
fn is_sum(ir: &Ir, op: Op) -> bool {
    arith::AddIOp::is(ir, op)
        || arith::SubIOp::is(ir, op)
        || arith::MulIOp::is(ir, op)
        || arith::ShLIOp::is(ir, op)
}

struct Terms<'a> {
    ir: &'a Ir,
    signed: bool,
    known: &'a Known,
}

impl Terms<'_> {
    /// A value of 32 bits as a number, up to multiples of 2^32.
    fn number(&self, value: Value, depth: u32) -> Option<Polynomial> {
        let ir = self.ir;
        if let Some(constant) = arith::constant_int_value(ir, value) {
            return Some(Polynomial::constant(i64::try_from(constant).ok()?));
        }
        let op = match ir.defining_op(value) {
            Some(op) => op,
            None => return Some(Polynomial::value(value)),
        };
        let depth = depth.checked_sub(1)?;
        let operand = |index: usize| self.number(ir.operand(op, index), depth);
        match ir.name(op) {
            arith::AddIOp::NAME => operand(0)?.plus(&operand(1)?, 1),
            arith::SubIOp::NAME => operand(0)?.plus(&operand(1)?, -1),
            arith::MulIOp::NAME => operand(0)?.times(&operand(1)?),
            arith::ShLIOp::NAME => {
                let shift = arith::constant_int_value(ir, ir.operand(op, 1))?;
                let shift = u32::try_from(shift).ok().filter(|&shift| shift < 32)?;
                operand(0)?.times(&Polynomial::constant(1 << shift))
            }
            // Cutting leaves the remainder.
            arith::IndexCastOp::NAME | arith::IndexCastUIOp::NAME | arith::TruncIOp::NAME => {
                Some(self.resolved(&polynomial(ir, ir.operand(op, 0))))
            }
            _ => Some(Polynomial::value(value)),
        }
    }

    /// A form in which widenings are what they widen.
    fn resolved(&self, form: &Polynomial) -> Polynomial {
        let mut form = form.clone();
        for _ in 0..DEPTH {
            let found =
                form.values().into_iter().find_map(|value| Some((value, self.source(value)?)));
            let Some((value, source)) = found else { break };
            let Some(replaced) = replace(&form, value, &|_| Some(source.clone())) else { break };
            form = replaced;
        }
        form
    }

    /// What a widening widens.
    fn source(&self, value: Value) -> Option<Polynomial> {
        if let Some(known) = self.known.get(&value) {
            return Some(known.clone());
        }
        let op = self.ir.defining_op(value)?;
        let same_sign = match self.ir.name(op) {
            arith::IndexCastUIOp::NAME | arith::ExtUIOp::NAME => !self.signed,
            arith::IndexCastOp::NAME | arith::ExtSIOp::NAME => self.signed,
            _ => false,
        };
        let source = self.ir.operand(op, 0);
        let is_narrow = self.ir.ctx.int_or_index_width(self.ir.ty(source)) == Some(32);
        (same_sign && is_narrow).then(|| Polynomial::value(source))
    }

    /// What a form is at least where an operation is executed: as the bounds of loops say, or else a condition round it.
    fn least(&self, op: Op, form: &Polynomial, assumes_sign: &mut bool) -> Option<Polynomial> {
        let known = self.extreme(form, false, assumes_sign)?;
        let limits = if self.signed { Range::signed(32) } else { Range::unsigned(32) };
        let fits = |form: &Polynomial| sum_range(self.ir, form, self.signed).min >= limits.min;
        if fits(&known) {
            return Some(known);
        }
        let form = self.resolved(form);
        // `form` is a number that is not negative, and what is left without it.
        let better = self.guards(op).into_iter().find_map(|guard| {
            let mut assumes = false;
            let left = self.extreme(&form.plus(&guard, -1)?, false, &mut assumes)?;
            (!assumes && fits(&left)).then_some(left)
        });
        Some(better.unwrap_or(known))
    }

    /// Forms that are not negative where an operation is executed, because of the conditions round it.
    fn guards(&self, op: Op) -> Vec<Polynomial> {
        let ir = self.ir;
        let mut found = Vec::new();
        let mut at = op;
        while let (Some(region), Some(outer)) = (ir.parent_region(at), ir.parent_op(at)) {
            if let Some(choice) = scf::IfOp::cast(ir, outer) {
                let holds = ir.regions(outer).first() == Some(&region);
                let all = comparisons(ir, choice.condition(ir), holds).into_iter();
                found.extend(all.filter_map(|known| self.guard(&known)));
            }
            at = outer;
        }
        found
    }

    fn guard(&self, known: &Comparison) -> Option<Polynomial> {
        if known.signed.is_some_and(|signed| signed != self.signed) {
            return None;
        }
        let [greater, less] = [known.greater, known.less].map(|value| self.exact(value));
        greater?.plus(&less?, -1)?.plus(&Polynomial::constant(known.gap), -1)
    }

    /// The number that a value of 32 bits is, not just up to multiples of 2^32.
    fn exact(&self, value: Value) -> Option<Polynomial> {
        let ir = self.ir;
        if ir.ctx.int_or_index_width(ir.ty(value)) != Some(32) {
            return None;
        }
        let form = self.number(value, DEPTH)?;
        let mut assumes = false;
        let least = self.extreme(&form, false, &mut assumes)?;
        let greatest = self.extreme(&form, true, &mut assumes)?;
        let widened = Widened { signed: self.signed, form, greatest, least, assumes_sign: assumes };
        widened.fits(ir).then_some(widened.form)
    }

    /// A form with the bounds of loop variables for them; every other factor of a product is taken not to be negative.
    fn extreme(
        &self,
        form: &Polynomial,
        greatest: bool,
        assumes_sign: &mut bool,
    ) -> Option<Polynomial> {
        let mut form = self.resolved(form);
        for _ in 0..DEPTH {
            let variable = form.values().into_iter().find_map(|value| {
                let owner = self.ir.value_block(value).and_then(|block| self.ir.block_op(block))?;
                if self.ir.defining_op(value).is_some() || !self.ir.is_counted_loop(owner) {
                    return None;
                }
                let dims = dimensions(self.ir, owner);
                Some((value, dims.into_iter().find(|dim| dim.variable == value)?))
            });
            let Some((value, dim)) = variable else { return Some(form) };
            let is_open = |&factor: &Value| number_range(self.ir, factor, self.signed).min < 0;
            *assumes_sign |= form.terms().any(|(monomial, _)| {
                monomial.len() > 1 && monomial.contains(&value) && monomial.iter().any(is_open)
            });
            let upper = dim.upper.first()?.plus(&Polynomial::constant(1), -1)?;
            let bound = |positive: bool| match positive == greatest {
                true => Some(upper.clone()),
                false => dim.lower.first().cloned(),
            };
            form = self.resolved(&replace(&form, value, &bound)?);
        }
        None
    }
}

/// A form in which another stands for a value: which, its factor's sign says.
fn replace(
    form: &Polynomial,
    value: Value,
    by: &dyn Fn(bool) -> Option<Polynomial>,
) -> Option<Polynomial> {
    let mut sum = Polynomial::default();
    for (monomial, coefficient) in form.terms() {
        let mut rest: Vec<Value> = monomial.to_vec();
        let term = match rest.iter().position(|&factor| factor == value) {
            None => Polynomial::term(monomial, coefficient),
            Some(at) => {
                rest.remove(at);
                // A square would need its own bound.
                if rest.contains(&value) {
                    return None;
                }
                Polynomial::term(&rest, coefficient).times(&by(coefficient > 0)?)?
            }
        };
        sum = sum.plus(&term, 1)?;
    }
    Some(sum)
}

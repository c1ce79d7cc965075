//! What accesses that differ by constants only have in common, and what can be said without the
//! solver.
//!
//! `a[i]` and `a[i + 3]` have one shape, with the constants 0 and 3. Whether two accesses depend on
//! each other is a question of their shapes and of the difference of their constants, so it is asked
//! once for all pairs that agree in these; and mostly not asked at all, because of three tests in
//! integers: the greatest common divisor of what is multiplied with loop variables, the intervals of
//! these, and the distance where a subscript shows it (`a[i]` after `a[i + 3]` is 3 iterations later).
//! After Allen and Kennedy, "Optimizing Compilers for Modern Architectures", 2001, §3.3: ZIV, strong
//! SIV and GCD tests.

use gpuc_ir::{Ir, Op, Region, Value};
use smallvec::SmallVec;

use super::super::access::Access;
use super::super::loops::{CountedLoop, nest};
use super::super::polynomial::Polynomial;
use super::super::quasi_affine::QuasiAffine;
use super::super::range::{Range, range};
use super::guard;
use crate::analysis::slice::is_defined_inside;

/// The constants of an access's subscripts; 0 where a subscript has no closed form.
pub(super) type Constants = SmallVec<[i64; 4]>;

/// What tells accesses apart that are not told apart by constants.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct ShapeKey {
    /// The buffer, or the records of which it is a member.
    memory: Value,
    length: i64,
    /// Whether that is the same in all iterations: a view that is made inside is another each time.
    fixed: bool,
    /// The innermost loop or understood condition.
    within: Option<Region>,
    /// Whether each iteration of the loop asked about runs it, as often as it runs the loops round it.
    pub(super) unconditional: bool,
    linear: Vec<Option<QuasiAffine>>,
}

impl ShapeKey {
    /// The shape of an access inside the loop `op`, and its constants.
    pub(super) fn of(ir: &Ir, op: Op, access: &Access) -> (ShapeKey, Constants) {
        let around = || ir.ancestors(access.op).take_while(|&at| at != op);
        let mut constants = Constants::new();
        let linear = access.place().map(|form| {
            let constant = form.as_ref().map_or(0, QuasiAffine::constant_term);
            constants.push(constant);
            form?.plus(&Polynomial::constant(constant).into(), -1)
        });
        let key = ShapeKey {
            memory: access.memory(),
            length: access.extent(),
            fixed: is_outside(ir, access.memory(), op),
            within: innermost(ir, op, access.op),
            unconditional: around().all(|at| ir.is_counted_loop(at)),
            linear: linear.collect(),
        };
        (key, constants)
    }

    /// Whether subscripts of the two can be compared: they are of one buffer.
    pub(super) fn compares_with(&self, other: &ShapeKey) -> bool {
        self.memory == other.memory && self.fixed && self.linear.len() == other.linear.len()
    }
}

/// Whether a value is not defined inside `op`.
pub(super) fn is_outside(ir: &Ir, value: Value, op: Op) -> bool {
    !is_defined_inside(ir, value, op)
}

/// The innermost region round `at`, inside the loop `op`, that says how often it runs.
fn innermost(ir: &Ir, op: Op, at: Op) -> Option<Region> {
    let mut region = ir.parent_region(at)?;
    loop {
        let owner = ir.region_op(region)?;
        let decides =
            owner == op || ir.is_counted_loop(owner) || !guard::of_region(ir, region).is_empty();
        if decides {
            return Some(region);
        }
        region = ir.parent_region(owner)?;
    }
}

/// A subscript less its constant, as far as it consists of loop variables and of what is the same in
/// all iterations.
#[derive(Clone, PartialEq, Eq)]
struct Linear {
    /// Dimensions of the nest with their coefficients.
    terms: SmallVec<[(usize, i64); 4]>,
    /// The rest.
    outside: Polynomial,
}

/// A shape, taken apart for the loop asked about.
pub(super) struct Shape {
    pub(super) key: ShapeKey,
    /// Intervals of the variables of the nest; `None` where they are not known.
    intervals: Vec<Option<Range>>,
    steps: Vec<Option<i64>>,
    /// Dimensions of the loop asked about.
    common: usize,
    linear: Vec<Option<Linear>>,
}

impl Shape {
    /// Takes a shape apart, of which `access` is one.
    pub(super) fn new(ir: &Ir, op: Op, key: ShapeKey, access: &Access) -> Shape {
        let nest = nest(ir, access.op, op);
        let known = |variable: Value| {
            let interval = range(ir, variable);
            // Wider ones refute nothing, and would only make sums overflow.
            let narrow = Range::signed(48);
            interval.is_within(narrow).then_some(interval)
        };
        Shape {
            intervals: nest.iter().map(|dim| known(dim.variable)).collect(),
            steps: nest.iter().map(|dim| dim.step).collect(),
            common: nest.iter().take_while(|dim| dim.op == op).count(),
            linear: key
                .linear
                .iter()
                .map(|form| {
                    let form = form.as_ref().filter(|_| key.fixed)?;
                    linear(ir, op, &nest, form.as_polynomial()?)
                })
                .collect(),
            key,
        }
    }

    /// Whether the subscript of that number is the same in all iterations.
    pub(super) fn is_fixed(&self, subscript: usize) -> bool {
        self.linear[subscript].as_ref().is_some_and(|form| form.terms.is_empty())
            && (self.key.length == 1 || subscript + 1 < self.linear.len())
    }

    /// Whether the subscripts of that number differ by constants only.
    pub(super) fn agrees_with(&self, other: &Shape, subscript: usize) -> bool {
        self.linear[subscript].is_some() && self.linear[subscript] == other.linear[subscript]
    }

    /// Number of subscripts.
    pub(super) fn rank(&self) -> usize {
        self.linear.len()
    }

    /// Whether everything about its subscripts is known, and nothing divided.
    pub(super) fn is_affine(&self) -> bool {
        self.linear.iter().all(Option::is_some)
    }

    /// What constants of two accesses of this shape must agree modulo, for each subscript, to touch the
    /// same element; 0: they must agree.
    pub(super) fn modulus(&self, subscript: usize) -> i64 {
        let Some(form) = &self.linear[subscript] else { return 1 };
        if self.key.length > 1 {
            return 1;
        }
        form.terms.iter().fold(0, |so_far, &(_, coefficient)| gcd(so_far, coefficient))
    }

    /// How far constants of two accesses of this shape may be apart in a subscript, for them to touch
    /// the same element; `None` where any distance is possible.
    pub(super) fn reach(&self, subscript: usize) -> Option<i128> {
        let form = self.linear[subscript].as_ref()?;
        let mut reach = i128::from(self.key.length) - 1;
        for &(dim, coefficient) in &form.terms {
            let interval = self.intervals[dim]?;
            reach += (interval.max - interval.min) * i128::from(coefficient).abs();
        }
        Some(reach)
    }
}

/// `form` by loop variables; `None` where it holds something else that changes.
fn linear(ir: &Ir, op: Op, nest: &[CountedLoop], form: &Polynomial) -> Option<Linear> {
    let mut found = Linear { terms: SmallVec::new(), outside: Polynomial::default() };
    for (monomial, coefficient) in form.terms() {
        if let [value] = monomial[..]
            && let Some(dim) = nest.iter().position(|dim| dim.variable == value)
        {
            found.terms.push((dim, coefficient));
            continue;
        }
        if !monomial.iter().all(|&value| is_outside(ir, value, op)) {
            return None;
        }
        found.outside = found.outside.plus(&Polynomial::term(monomial, coefficient), 1)?;
    }
    found.terms.sort_unstable();
    Some(found)
}

/// Whether an access of shape `source` with constants `from` is certainly not the source of a
/// dependence, carried by the loop asked about, whose sink is one of shape `sink` with constants `to`.
pub(super) fn is_refuted(source: &Shape, from: &[i64], sink: &Shape, to: &[i64]) -> bool {
    let common = source.common;
    let mut distances: SmallVec<[Option<i64>; 3]> = SmallVec::from_elem(None, common);
    for (k, (one, other)) in source.linear.iter().zip(&sink.linear).enumerate() {
        let (Some(one), Some(other)) = (one, other) else { continue };
        if one.outside != other.outside {
            continue;
        }
        let difference = i128::from(to[k]) - i128::from(from[k]);
        let last = k + 1 == source.linear.len();
        let spread = |shape: &Shape| if last { i128::from(shape.key.length) - 1 } else { 0 };
        // What the variables of both have to sum up to, so that some element is the same.
        let wanted = (difference - spread(source), difference + spread(sink));
        if !is_reachable(source, one, sink, other, wanted) {
            return true;
        }
        // One variable, moved as far in both: that says how many iterations later.
        let ([(dim, a)], [(same, b)]) = (&one.terms[..], &other.terms[..]) else { continue };
        if dim != same || a != b || *dim >= common || wanted.0 != wanted.1 {
            continue;
        }
        let step = i128::from(source.steps[*dim].unwrap_or(1));
        let (a, distance) = (i128::from(*a), -difference / i128::from(*a));
        let Ok(whole) = i64::try_from(distance) else { return true };
        if distance * a != -difference
            || distance % step != 0
            || distances[*dim].is_some_and(|known| known != whole)
        {
            return true;
        }
        distances[*dim] = Some(whole);
    }
    // Carried is what lies in a later iteration.
    for distance in distances {
        match distance {
            None => return false,
            Some(distance) if distance != 0 => return distance < 0,
            Some(_) => {}
        }
    }
    true
}

/// Whether the difference of two sums of variables can lie in an interval, by divisors and intervals.
fn is_reachable(
    source: &Shape,
    one: &Linear,
    sink: &Shape,
    other: &Linear,
    (least, greatest): (i128, i128),
) -> bool {
    let all = || one.terms.iter().chain(&other.terms);
    let divisor = i128::from(all().fold(0, |so_far, &(_, a)| gcd(so_far, a)));
    let multiple = match divisor {
        0 => least <= 0 && greatest >= 0,
        _ => greatest.div_euclid(divisor) * divisor >= least,
    };
    let bounds = |shape: &Shape, form: &Linear, sign: i128| {
        form.terms.iter().try_fold(Range { min: 0, max: 0 }, |sum, &(dim, a)| {
            let factor = sign * i128::from(a);
            let part = shape.intervals[dim]?.times(Range { min: factor, max: factor });
            Some(Range { min: sum.min + part.min, max: sum.max + part.max })
        })
    };
    let within = match (bounds(source, one, 1), bounds(sink, other, -1)) {
        (Some(a), Some(b)) => a.min + b.min <= greatest && a.max + b.max >= least,
        _ => true,
    };
    multiple && within
}

/// The greatest common divisor, not negative; 1 where it is no number of 64 bits.
fn gcd(a: i64, b: i64) -> i64 {
    i64::try_from(gpuc_presburger::gcd(a.unsigned_abs(), b.unsigned_abs())).unwrap_or(1)
}

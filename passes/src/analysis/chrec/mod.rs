//! Chains of recurrences: closed forms of what loops count up.
//!
//! The chain `{φ, +, g}` over a loop is the function of the loop's iterations, counted from 0, that is
//! `φ` in the first one and grows from iteration `i` to the next by `g(i)`:
//!
//! ```text
//! {φ, +, g}(i) = φ + Σ g(j), 0 ≤ j < i
//! ```
//!
//! `φ` may be a chain over loops further out, `g` one over them or over the same loop (what grows like
//! `i·i` is `{0, +, {1, +, 2}}`). Subscripts of arrays are described by one chain for each dimension; those of
//! one thread are got by giving the loop that threads divide among them the iteration that the thread executes,
//! the *instantiated* chains. After Andión et al. 2015, §4.2, and Zima, "Simplification and
//! optimization of transformations of chains of recurrences", 1995, whose rules for sums and products
//! these are.
//!
//! | module | what |
//! |---|---|
//! | [`access`] | the chains of the subscripts of an access |
//! | [`coalescing`] | what a warp touches at a time (Algorithm 1) |
//! | [`reuse`] | what a thread or a block touches several times (Algorithms 2 and 3) |
//! | [`mod@print`] | the pass `print-chrecs` |

pub mod access;
pub mod coalescing;
pub mod print;
pub mod reuse;

use std::cmp::Ordering;

use gpuc_ir::Value;

use super::polynomial::Polynomial;

/// A closed form over the iterations of a nest of loops. Loops are numbered from the outermost, 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chrec {
    /// The same in all iterations.
    Invariant(Polynomial),
    /// `{base, +, step}` over a loop: `base` does not depend on it, and nothing depends on loops inside
    /// it. `step` is not 0.
    Recurrence {
        /// The loop.
        depth: usize,
        /// In its first iteration.
        base: Box<Chrec>,
        /// By how much it grows to the next one.
        step: Box<Chrec>,
    },
}

/// Forms of a higher degree are of no use to anybody.
const MOST_STEPS: usize = 8;

impl From<Polynomial> for Chrec {
    fn from(form: Polynomial) -> Chrec {
        Chrec::Invariant(form)
    }
}

/// Making them.
impl Chrec {
    /// A number.
    pub fn constant(number: i64) -> Chrec {
        Polynomial::constant(number).into()
    }

    /// `{base, +, step}` over a loop that neither depends on loops inside of.
    pub fn recurrence(depth: usize, base: Chrec, step: Chrec) -> Chrec {
        match step.as_constant() {
            Some(0) => base,
            _ => Chrec::Recurrence { depth, base: base.into(), step: step.into() },
        }
    }

    /// `self + scale * other`; `None` where a coefficient leaves 64 bits.
    pub fn plus(&self, other: &Chrec, scale: i64) -> Option<Chrec> {
        if let (Chrec::Invariant(a), Chrec::Invariant(b)) = (self, other) {
            return Some(a.plus(b, scale)?.into());
        }
        let depth = self.depth().max(other.depth())?;
        let ((a, f), (b, g)) = (self.split(depth), other.split(depth));
        Some(Chrec::recurrence(depth, a.plus(&b, scale)?, f.plus(&g, scale)?))
    }

    /// `self * other`; `None` where a coefficient leaves 64 bits or the degree is too high.
    pub fn times(&self, other: &Chrec) -> Option<Chrec> {
        if let (Chrec::Invariant(a), Chrec::Invariant(b)) = (self, other) {
            return Some(a.times(b)?.into());
        }
        if [self, other].iter().any(|factor| factor.as_constant() == Some(0)) {
            return Some(Chrec::constant(0));
        }
        let depth = self.depth().max(other.depth())?;
        let ((a, f), (b, g)) = (self.split(depth), other.split(depth));
        // From one iteration to the next, A·B grows by A·g + f·B + f·g.
        let step = self.times(&g)?.plus(&f.times(other)?, 1)?.plus(&f.times(&g)?, 1)?;
        let product = Chrec::recurrence(depth, a.times(&b)?, step);
        (product.steps() <= MOST_STEPS).then_some(product)
    }

    /// Base and step over a loop that it does not depend on loops inside of.
    fn split(&self, loop_: usize) -> (Chrec, Chrec) {
        match self {
            Chrec::Recurrence { depth, base, step } if *depth == loop_ => {
                ((**base).clone(), (**step).clone())
            }
            _ => (self.clone(), Chrec::constant(0)),
        }
    }

    /// A polynomial in which `of` has a chain for each value; `None` where one has none.
    pub fn of_polynomial(
        form: &Polynomial,
        of: &mut dyn FnMut(Value) -> Option<Chrec>,
    ) -> Option<Chrec> {
        let mut sum = Chrec::constant(0);
        for (monomial, coefficient) in form.terms() {
            let mut product = Chrec::constant(1);
            for &factor in monomial {
                product = product.times(&of(factor)?)?;
            }
            sum = sum.plus(&product, coefficient)?;
        }
        Some(sum)
    }
}

/// Asking them.
impl Chrec {
    /// The innermost loop that it depends on.
    pub fn depth(&self) -> Option<usize> {
        match self {
            Chrec::Invariant(_) => None,
            Chrec::Recurrence { depth, .. } => Some(*depth),
        }
    }

    /// Whether it depends on the loop of that number.
    pub fn depends_on(&self, loop_: usize) -> bool {
        match self {
            Chrec::Invariant(_) => false,
            Chrec::Recurrence { depth, base, step } => {
                *depth == loop_ || base.depends_on(loop_) || step.depends_on(loop_)
            }
        }
    }

    /// Whether it grows by as much in every iteration of each loop, whatever the others are at.
    pub fn is_affine(&self) -> bool {
        match self {
            Chrec::Invariant(_) => true,
            Chrec::Recurrence { base, step, .. } => step.depth().is_none() && base.is_affine(),
        }
    }

    /// The number that it is, if it depends on nothing.
    pub fn as_constant(&self) -> Option<i64> {
        match self {
            Chrec::Invariant(form) => form.as_constant(),
            Chrec::Recurrence { .. } => None,
        }
    }

    /// By how much it grows from an iteration of a loop to the next one, all others staying; `None`
    /// where that leaves 64 bits.
    pub fn growth(&self, loop_: usize) -> Option<Chrec> {
        match self {
            Chrec::Invariant(_) => Some(Chrec::constant(0)),
            Chrec::Recurrence { depth, step, .. } if *depth == loop_ => Some((**step).clone()),
            Chrec::Recurrence { depth, base, step } => {
                Some(Chrec::recurrence(*depth, base.growth(loop_)?, step.growth(loop_)?))
            }
        }
    }

    /// What it is in one iteration of a loop, counted from 0: the chain of the thread that
    /// executes that iteration. `None` where a coefficient leaves 64 bits.
    pub fn at(&self, loop_: usize, iteration: u32) -> Option<Chrec> {
        let Chrec::Recurrence { depth, base, step } = self else { return Some(self.clone()) };
        match depth.cmp(&loop_) {
            Ordering::Less => Some(self.clone()),
            Ordering::Greater => {
                let (base, step) = (base.at(loop_, iteration)?, step.at(loop_, iteration)?);
                Some(Chrec::recurrence(*depth, base, step))
            }
            Ordering::Equal => {
                // Newton's series: the k-th of nested steps counts (iteration over k) times.
                let (mut sum, mut rest, mut binomial) = ((**base).clone(), &**step, 1i64);
                let mut taken = 0;
                loop {
                    binomial = binomial.checked_mul(i64::from(iteration) - taken)? / (taken + 1);
                    taken += 1;
                    match rest {
                        Chrec::Recurrence { depth, base, step } if *depth == loop_ => {
                            sum = sum.plus(base, binomial)?;
                            rest = step;
                        }
                        last => return sum.plus(last, binomial),
                    }
                }
            }
        }
    }

    fn steps(&self) -> usize {
        match self {
            Chrec::Invariant(_) => 0,
            Chrec::Recurrence { base, step, .. } => base.steps().max(1 + step.steps()),
        }
    }

    /// As text in the paper's notation, `{0, +, 1}`, with names for values. `of` says what stands behind the
    /// brace for a loop; in the paper, nothing.
    pub fn display(&self, name: &dyn Fn(Value) -> String, of: &dyn Fn(usize) -> String) -> String {
        match self {
            Chrec::Invariant(form) => form.display(name),
            Chrec::Recurrence { depth, base, step } => {
                let (base, step) = (base.display(name, of), step.display(name, of));
                format!("{{{base}, +, {step}}}{}", of(*depth))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter(depth: usize) -> Chrec {
        Chrec::recurrence(depth, Chrec::constant(0), Chrec::constant(1))
    }

    fn shown(form: &Chrec) -> String {
        let name = |value: Value| ["n", "m"][value.as_u32() as usize].to_owned();
        form.display(&name, &|depth| format!("_{}", ["i", "j", "k"][depth]))
    }

    /// The number in some iterations of loops 0, 1 and 2.
    fn number(form: &Chrec, iterations: [u32; 3]) -> i64 {
        let each = iterations.into_iter().enumerate();
        let fixed = each.fold(form.clone(), |form, (depth, i)| form.at(depth, i).unwrap());
        fixed.as_constant().unwrap()
    }

    #[test]
    fn sums_and_products_are_those_of_the_functions() {
        let [i, j, k] = [0, 1, 2].map(counter);
        let n = Chrec::from(Polynomial::value(Value::from_u32(0)));
        let row = i.times(&n).and_then(|product| product.plus(&j, 1)).unwrap();
        assert_eq!(shown(&row), "{{0, +, n}_i, +, 1}_j");
        assert_eq!(shown(&row.growth(0).unwrap()), "n");
        assert_eq!(shown(&row.at(0, 3).unwrap()), "{3*n, +, 1}_j");
        assert_eq!(shown(&j.times(&j).unwrap()), "{0, +, {1, +, 2}_j}_j");
        assert_eq!(shown(&row.plus(&row, -1).unwrap()), "0");

        let five = Chrec::constant(5);
        let shifted = i.plus(&five, -1).unwrap();
        let product = shifted.times(&j).unwrap().times(&i).unwrap().plus(&k, 7).unwrap();
        let cube = i.times(&i).unwrap().times(&shifted).unwrap();
        for a in [0, 1, 2, 9] {
            for b in [0, 3, 4] {
                for c in [0, 6] {
                    let [x, y, z] = [a, b, c].map(i64::from);
                    assert_eq!(number(&product, [a, b, c]), (x - 5) * y * x + 7 * z);
                    assert_eq!(number(&cube, [a, b, c]), x * x * (x - 5));
                    let growth = product.growth(0).unwrap();
                    let next = |x: i64| (x - 5) * y * x;
                    assert_eq!(number(&growth, [a, b, c]), next(x + 1) - next(x));
                }
            }
        }
    }

    #[test]
    fn what_leaves_64_bits_has_no_form() {
        let large = Chrec::constant(i64::MAX);
        assert_eq!(large.plus(&large, 1), None);
        assert_eq!(counter(0).times(&large).unwrap().at(0, 2), None);
        let mut power = counter(0);
        for _ in 0..MOST_STEPS - 1 {
            power = power.times(&counter(0)).unwrap();
        }
        assert_eq!(power.times(&counter(0)), None);
    }
}

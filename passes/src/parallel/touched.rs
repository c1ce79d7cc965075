//! The elements that the threads of a block touch by one access, listed.

use gpuc_ir::Value;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::analysis::loops::CountedLoop;
use crate::analysis::quasi_affine::QuasiAffine;

/// The values that a loop's variable is given.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The variable.
    pub variable: Value,
    /// Its value in the first round.
    pub first: i64,
    /// What each round adds.
    pub step: i64,
    /// The number of rounds.
    pub trips: i64,
}

impl Span {
    /// The first `trips` values; `None` where they are not known.
    pub fn of(counted: &CountedLoop, trips: i64) -> Option<Span> {
        let first = counted.lower.first()?.as_constant()?;
        Some(Span { variable: counted.variable, first, step: counted.step?, trips })
    }
}

/// The subscripts of an element.
pub type Element = SmallVec<[i128; 2]>;

/// The elements that threads touch by one access.
#[derive(Debug, Default)]
pub struct Touched {
    /// Each with its thread, in the order of the rounds.
    all: Vec<(Element, i64)>,
    /// The first two different threads of each element.
    threads: FxHashMap<Element, (i64, Option<i64>)>,
}

impl Touched {
    /// Notes that a thread touches an element.
    pub fn insert(&mut self, element: Element, thread: i64) {
        let first = self.threads.entry(element.clone()).or_insert((thread, None));
        if first.0 != thread {
            first.1.get_or_insert(thread);
        }
        self.all.push((element, thread));
    }

    /// An element that a thread touches here, and another one there.
    pub fn meets<'a>(&self, other: &'a Touched) -> Option<(&'a Element, i64, i64)> {
        let with = |choose: fn(&(i64, Option<i64>)) -> Option<i64>| {
            other.all.iter().find_map(|(element, thread)| {
                let one = choose(self.threads.get(element)?)?;
                (one != *thread).then_some((element, one, *thread))
            })
        };
        with(|threads| Some(threads.0)).or_else(|| with(|threads| threads.1))
    }
}

/// A subscript as a function of the values of spans, without the products that cancel.
#[derive(Debug)]
pub struct Form {
    constant: i128,
    factors: SmallVec<[(usize, i128); 4]>,
    /// Each with its coefficient and divisor.
    quotients: Vec<(i128, i128, Form)>,
}

impl Form {
    /// A subscript over the variables of spans.
    pub fn of(form: &QuasiAffine, spans: &[Span]) -> Form {
        let number = |variable: Value| spans.iter().rposition(|span| span.variable == variable);
        let mut factors = SmallVec::new();
        for (monomial, coefficient) in form.plain().terms() {
            if let [variable] = monomial[..]
                && let Some(number) = number(variable)
            {
                factors.push((number, coefficient.into()));
            }
        }
        let quotients = form.divisions().iter().map(|division| {
            (
                division.coefficient.into(),
                division.divisor.into(),
                Form::of(&division.numerator, spans),
            )
        });
        let constant = form.plain().constant_term().into();
        Form { constant, factors, quotients: quotients.collect() }
    }

    /// What it comes to for values of the spans' variables.
    pub fn worth(&self, values: &[i64]) -> i128 {
        let plain = self.factors.iter().fold(self.constant, |sum, &(number, factor)| {
            sum + factor * i128::from(values[number])
        });
        self.quotients.iter().fold(plain, |sum, (coefficient, divisor, numerator)| {
            sum + coefficient * numerator.worth(values).div_euclid(*divisor)
        })
    }
}

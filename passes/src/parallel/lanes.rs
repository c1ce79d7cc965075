//! The iterations that the threads of one block execute of loops over threads, side by side, and what
//! subscripts and conditions are worth in each.

use gpuc_dialects::offload::mapping::{Distribution, LoopMapping};
use gpuc_ir::{Ir, Op, Value};
use smallvec::SmallVec;

use crate::analysis::loops::{CountedLoop, dimensions};
use crate::analysis::nest::guard::{comparisons, negation_of};
use crate::analysis::polynomial::{Monomial, Polynomial};
use crate::analysis::quasi_affine::QuasiAffine;
use crate::analysis::range::range;
use gpuc_dialects::{affine, arith};

/// Iterations that are looked at side by side, at most.
const MOST_LANES: usize = 1 << 16;

/// Iterations of loops over threads, with the values of what is enumerated in each.
#[derive(Clone, Debug)]
pub struct Lanes {
    /// The thread that executes each, all dimensions counted as one.
    threads: Vec<i64>,
    /// Threads in each dimension that tells some apart, outermost first.
    extents: Vec<i64>,
    /// What is enumerated, and its value in each.
    columns: Vec<(Value, Vec<i64>)>,
}

impl Default for Lanes {
    /// One thread, of which nothing is known.
    fn default() -> Self {
        Lanes { threads: vec![0], extents: Vec::new(), columns: Vec::new() }
    }
}

impl Lanes {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.threads.len()
    }

    /// The thread of one.
    pub fn thread(&self, lane: usize) -> i64 {
        self.threads[lane]
    }

    /// The numbers of a thread in each dimension.
    pub fn numbers(&self, mut thread: i64) -> Vec<i64> {
        let mut all: Vec<i64> = Vec::new();
        for extent in self.extents.iter().rev() {
            all.push(thread % extent);
            thread /= extent;
        }
        all.reverse();
        all
    }

    /// Starts to enumerate a variable, with one value for all or one for each.
    pub fn push(&mut self, variable: Value, values: Vec<i64>) {
        self.columns.push((variable, values));
    }

    /// Gives the variable that was pushed last other values.
    pub fn set(&mut self, values: Vec<i64>) {
        if let Some(last) = self.columns.last_mut() {
            last.1 = values;
        }
    }

    /// Forgets the variable that was pushed last.
    pub fn pop(&mut self) {
        self.columns.pop();
    }

    /// These, each with all iterations that one block executes of a loop over threads; `None` where it
    /// is not known which are whose, or there are too many.
    pub fn with_loop(&self, ir: &Ir, op: Op) -> Option<Lanes> {
        let mut all = self.clone();
        let mapping = LoopMapping::known(ir, op)?;
        let mut maps = mapping.0.iter();
        for counted in dimensions(ir, op) {
            let map = maps.next().filter(|map| map.dims == 1)?;
            let in_block = map.axes.iter().any(|(axis, _)| axis.is_in_block());
            let threads = if in_block { map.threads()? } else { 0 };
            let trips = counted.constant_trips()?;
            // Blocks have memory of their own; the first is as good as any.
            let trips = match (map.is_over_blocks(), map.how) {
                (true, _) => trips.min(threads.max(1)),
                (false, Distribution::Blocked) => return None,
                (false, _) => trips,
            };
            all = all.times(&counted, usize::try_from(trips).ok()?, threads)?;
        }
        Some(all)
    }

    /// These, each with the iterations of a dimension; so far apart as `threads` says, they are one
    /// thread's, and all of them if it says 0.
    fn times(&self, counted: &CountedLoop, trips: usize, threads: i64) -> Option<Lanes> {
        let count = self.len().checked_mul(trips).filter(|&count| count <= MOST_LANES)?;
        let spread = |of: &[i64]| -> Vec<i64> {
            of.iter().flat_map(|&value| std::iter::repeat_n(value, trips)).collect()
        };
        let mut all = Lanes {
            threads: spread(&self.threads),
            extents: self.extents.clone(),
            columns: self.columns.iter().map(|(name, of)| (*name, spread(of))).collect(),
        };
        let rounds = || (0..count).map(|lane| (lane % trips) as i64);
        if threads > 0 {
            all.extents.push(threads);
            for (thread, round) in all.threads.iter_mut().zip(rounds()) {
                *thread = thread.checked_mul(threads)? + round % threads;
            }
        }
        if let Some((first, step)) = start(counted) {
            let values = rounds().map(|round| Some(first + round.checked_mul(step)?));
            all.push(counted.variable, values.collect::<Option<_>>()?);
        }
        Some(all)
    }
}

/// The first value of a variable, where that is a number, and what each round adds.
pub fn start(counted: &CountedLoop) -> Option<(i64, i64)> {
    Some((counted.lower.first()?.as_constant()?, counted.step?))
}

/// Products with values that are not enumerated, which all lanes must agree about.
pub type Foreign = Vec<(Monomial, i64)>;

/// A subscript as a function of what is enumerated.
#[derive(Debug)]
pub struct Form {
    constant: i128,
    /// Columns, with what they count.
    factors: SmallVec<[(usize, i128); 4]>,
    /// Each with its coefficient and divisor.
    quotients: Vec<(i128, i128, Form)>,
}

impl Form {
    /// A form, and what of it is no function of that; `None` where such a value is divided.
    pub fn of(form: &QuasiAffine, lanes: &Lanes) -> Option<(Form, Foreign)> {
        let (mut factors, mut foreign) = (SmallVec::new(), Foreign::new());
        for (monomial, coefficient) in form.plain().terms() {
            let column = |&value: &Value| lanes.columns.iter().rposition(|c| c.0 == value);
            match monomial[..] {
                [] => {}
                [value] if column(&value).is_some() => {
                    factors.push((column(&value)?, coefficient.into()));
                }
                _ => foreign.push((monomial.clone(), coefficient)),
            }
        }
        let quotients = form.divisions().iter().map(|division| {
            let numerator = Form::closed(&division.numerator, lanes)?;
            Some((division.coefficient.into(), division.divisor.into(), numerator))
        });
        let quotients = quotients.collect::<Option<_>>()?;
        Some((Form { constant: form.constant_term().into(), factors, quotients }, foreign))
    }

    /// A form that is a function of what is enumerated, and of nothing else.
    pub fn closed(form: &QuasiAffine, lanes: &Lanes) -> Option<Form> {
        Form::of(form, lanes).filter(|(_, foreign)| foreign.is_empty()).map(|(form, _)| form)
    }

    /// What it comes to.
    pub fn worth(&self, lanes: &Lanes, lane: usize) -> i128 {
        let plain = self.factors.iter().fold(self.constant, |sum, &(column, factor)| {
            sum + factor * i128::from(lanes.columns[column].1[lane])
        });
        self.quotients.iter().fold(plain, |sum, (coefficient, divisor, numerator)| {
            sum + coefficient * numerator.worth(lanes, lane).div_euclid(*divisor)
        })
    }
}

/// A condition as a function of what is enumerated.
#[derive(Debug)]
pub enum Test {
    Known(bool),
    Not(Box<Test>),
    All(Vec<Test>),
    Any(Vec<Test>),
    /// The form is 0, if the flag says so; else it is not negative.
    Form(Form, bool),
    /// It depends on something else.
    Unknown,
}

impl Test {
    /// A truth value.
    pub fn of_value(ir: &Ir, value: Value, lanes: &Lanes) -> Test {
        let Some(op) = ir.defining_op(value) else { return Test::Unknown };
        if let Some(constant) = arith::constant_int_value(ir, value) {
            return Test::Known(constant != 0);
        }
        if let Some(other) = negation_of(ir, value) {
            return Test::Not(Box::new(Test::of_value(ir, other, lanes)));
        }
        let parts = || ir.operands(op).map(|part| Test::of_value(ir, part, lanes)).collect();
        match ir.name(op) {
            arith::AndIOp::NAME => Test::All(parts()),
            arith::OrIOp::NAME => Test::Any(parts()),
            arith::CmpIOp::NAME => {
                // What holds where it does, or what it is not.
                let holds = comparison(ir, value, true, lanes);
                let fails = || comparison(ir, value, false, lanes).map(|t| Test::Not(Box::new(t)));
                holds.or_else(fails).unwrap_or(Test::Unknown)
            }
            _ => Test::Unknown,
        }
    }

    /// The condition of an `affine.if`.
    pub fn of_affine_if(ir: &Ir, view: affine::AffineIfOp, lanes: &Lanes) -> Test {
        let Some(condition) = view.condition(ir) else { return Test::Unknown };
        let data = ir.ctx.set_data(condition);
        let operands = view.operands(ir).to_vec();
        let each = data.constraints.iter().map(|&(expr, is_equality)| {
            let form = QuasiAffine::of_expr(ir, expr, data.dims as usize, &operands);
            match form.and_then(|form| Form::closed(&form, lanes)) {
                Some(form) => Test::Form(form, is_equality),
                None => Test::Unknown,
            }
        });
        Test::All(each.collect())
    }

    /// Whether it holds, where that is known.
    pub fn holds(&self, lanes: &Lanes, lane: usize) -> Option<bool> {
        // One part that settles it is enough; all are needed for the opposite.
        let settled = |parts: &[Test], by: bool| {
            let answers = || parts.iter().map(|part| part.holds(lanes, lane));
            match answers().any(|answer| answer == Some(by)) {
                true => Some(by),
                false => answers().all(|answer| answer.is_some()).then_some(!by),
            }
        };
        match self {
            Test::Known(holds) => Some(*holds),
            Test::Not(other) => other.holds(lanes, lane).map(|holds| !holds),
            Test::All(parts) => settled(parts, false),
            Test::Any(parts) => settled(parts, true),
            Test::Form(form, true) => Some(form.worth(lanes, lane) == 0),
            Test::Form(form, false) => Some(form.worth(lanes, lane) >= 0),
            Test::Unknown => None,
        }
    }
}

/// A comparison of integers, as far as one follows from that it holds, or fails.
fn comparison(ir: &Ir, value: Value, holds: bool, lanes: &Lanes) -> Option<Test> {
    let [known] = comparisons(ir, value, holds)[..] else { return None };
    let is_number = |value| range(ir, value).min >= 0;
    if known.signed == Some(false) && !(is_number(known.greater) && is_number(known.less)) {
        return None;
    }
    let [greater, less] = [known.greater, known.less].map(|v| QuasiAffine::of_value(ir, v));
    let gap = QuasiAffine::from(Polynomial::constant(known.gap));
    let form = Form::closed(&greater.plus(&less, -1)?.plus(&gap, -1)?, lanes)?;
    Some(Test::Form(form, known.is_equality))
}

//! Parametric integer programming: the lexicographic minimum of some variables as a function of others (Feautrier,
//! "Parametric integer programming", RAIRO Recherche opérationnelle 22(3), 1988).
//!
//! The lexicographic dual simplex method works on rows whose constant part is affine in the *symbols*. Where the sign of
//! such a part is open, the *context*, which is all that is known of the symbols, is split in two. Gomory cuts make the
//! optimum integer; a cut whose constant part depends on symbols introduces a new one, the floor of a quotient.

use smallvec::SmallVec;

use crate::basic_set::negated;
use crate::error::{Error, Result};
use crate::integer::{Row, gcd, narrow};
use crate::rows::Rows;
use crate::shadow::{Budget, MOST_PIECES};
use crate::system::{Shear, System};
use crate::witnessed::Witnessed;

/// The optimum where the symbols satisfy a context.
#[derive(Debug)]
pub(crate) struct Optimal {
    /// Over the symbols and then the divisions.
    pub(crate) context: System,
    /// `floor(row / divisor)` over the symbols and the divisions before it.
    pub(crate) divisions: Vec<(Row, i64)>,
    /// The wanted variables over the symbols and the divisions.
    pub(crate) values: Vec<Row>,
}

/// The lexicographic minimum of the first `unknowns` variables of a system, of which only the first `wanted` values are
/// asked for, for all values of the other variables. Where the contexts of the result do not hold there is no solution.
///
/// [`Error::Unbounded`] where a wanted variable has no minimum for some values of the others.
pub(crate) fn lexmin(
    system: &System,
    unknowns: usize,
    wanted: usize,
    budget: &Budget,
) -> Result<Vec<Optimal>> {
    let mut pending = Vec::from_iter(Tableau::new(system, unknowns, budget)?);
    let mut done = Vec::new();
    while let Some(tableau) = pending.pop() {
        if let Some(optimal) = tableau.advance(budget, &mut pending)? {
            done.push(optimal.result(wanted)?);
        }
        if done.len() + pending.len() > MOST_PIECES {
            return Err(Error::TooComplex);
        }
    }
    Ok(done)
}

/// A linear form of the nonbasic variables: `(coefficients · nonbasic + big M + symbols) / denominator`.
#[derive(Clone, Debug)]
struct Form {
    /// Of the nonbasic variables, which are 0 at the sample point.
    coefficients: SmallVec<[i64; 12]>,
    /// Of a number greater than all others and divisible by all others.
    big: i64,
    /// Of the symbols, then the constant: what the form is at the sample point.
    sample: Row,
    denominator: i64,
}

impl Form {
    fn reduce(&mut self) {
        let parts = self.coefficients.iter().chain([&self.big]).chain(&self.sample);
        let mut divisor = self.denominator.unsigned_abs();
        for part in parts {
            if divisor == 1 {
                return;
            }
            divisor = gcd(divisor, part.unsigned_abs());
        }
        let Ok(divisor) = i64::try_from(divisor) else { return };
        let parts = self.coefficients.iter_mut().chain([&mut self.big]).chain(&mut self.sample);
        parts.for_each(|part| *part /= divisor);
        self.denominator /= divisor;
    }

    /// Eliminates nonbasic variable `column` with the row that enters for it.
    fn replace(&mut self, column: usize, pivot: &Self) -> Result<()> {
        let (c, a) = (pivot.coefficients[column], self.coefficients[column]);
        if a == 0 {
            return Ok(());
        }
        let mix = |own: i64, other: i64| {
            narrow(i128::from(c) * i128::from(own) - i128::from(a) * i128::from(other))
        };
        for (own, other) in self.coefficients.iter_mut().zip(&pivot.coefficients) {
            *own = mix(*own, *other)?;
        }
        for (own, other) in self.sample.iter_mut().zip(&pivot.sample) {
            *own = mix(*own, *other)?;
        }
        self.big = mix(self.big, pivot.big)?;
        self.coefficients[column] = narrow(i128::from(a) * i128::from(pivot.denominator))?;
        self.denominator = narrow(i128::from(c) * i128::from(self.denominator))?;
        self.reduce();
        Ok(())
    }

    fn add_symbol(&mut self) {
        let constant = self.sample.len() - 1;
        self.sample.insert(constant, 0);
    }
}

#[derive(Clone)]
struct Tableau {
    /// The unknowns, in order, which may be anything; then the variables they were expressed by and the constraints, which
    /// are at least 0.
    forms: Vec<Form>,
    unknowns: usize,
    context: Witnessed,
    divisions: Vec<(Row, i64)>,
}

/// What the sign of a sample value is within the context.
enum Sign {
    NonNegative,
    Negative,
    /// Both occur: the contexts for the one and the other.
    Open(Box<(Witnessed, Witnessed)>),
}

impl Tableau {
    /// `None` where the equalities have no solution.
    fn new(system: &System, unknowns: usize, budget: &Budget) -> Result<Option<Self>> {
        let mut system = system.clone();
        let universe = Witnessed::find(&System::universe(system.width - unknowns), budget)?;
        let context = universe.ok_or(Error::TooComplex)?;
        let mut tableau = Self { forms: Vec::new(), unknowns, context, divisions: Vec::new() };
        let Some(mut solution) = tableau.solve_equalities(&mut system, budget)? else {
            return Ok(None);
        };

        // Columns of the unknowns have to be lexicographically positive.
        for column in 0..unknowns {
            let first = solution.iter().map(|row| row[column]).find(|&c| c != 0);
            if first.is_some_and(|first| first < 0) {
                system.negate_columns(column..column + 1);
                solution.iter_mut().for_each(|row| row[column] = -row[column]);
            }
        }
        // How far each variable is shifted to be at least 0; by the big number where `None`.
        let mut shifts = vec![None; unknowns];
        for row in system.inequalities.iter() {
            let mut used = (0..system.width).filter(|&column| row[column] != 0);
            if let (Some(column), None) = (used.next(), used.next())
                && column < unknowns
                && row[column] == 1
            {
                shifts[column] = shifts[column].max(Some(-row[system.width]));
            }
        }
        let form = |row: &[i64]| {
            let mut sample = Row::from_slice(&row[unknowns..]);
            let (mut big, mut constant) = (0, i128::from(row[row.len() - 1]));
            for (&c, shift) in row.iter().zip(&shifts) {
                match shift {
                    Some(shift) => constant += i128::from(c) * i128::from(*shift),
                    None => big = narrow(i128::from(big) - i128::from(c))?,
                }
            }
            if let Some(last) = sample.last_mut() {
                *last = narrow(constant)?;
            }
            let coefficients = SmallVec::from_slice(&row[..unknowns]);
            Ok(Form { coefficients, big, sample, denominator: 1 })
        };
        for row in solution.iter() {
            tableau.forms.push(form(row)?);
        }
        for column in 0..unknowns {
            let mut coefficients = SmallVec::from_elem(0, unknowns);
            coefficients[column] = 1;
            let sample = Row::from_elem(0, system.width - unknowns + 1);
            tableau.forms.push(Form { coefficients, big: 0, sample, denominator: 1 });
        }
        for row in system.inequalities.iter() {
            tableau.forms.push(form(row)?);
        }
        Ok(Some(tableau))
    }

    /// Solves the equalities for unknowns over the integers, by changes of basis, and returns the unknowns in the new
    /// variables. What the equalities ask of the symbols goes to the context.
    fn solve_equalities(&mut self, system: &mut System, budget: &Budget) -> Result<Option<Rows>> {
        let unknowns = self.unknowns;
        let mut solution = Rows::new(system.width);
        (0..unknowns).for_each(|unknown| solution.push_zeros()[unknown] = 1);
        while !system.equalities.is_empty() {
            budget.spend(system.len(), system.width)?;
            let mut shears = Vec::new();
            let pivot = system.isolate(0, 0..unknowns, &mut shears)?;
            for Shear { pivot, column, factor } in shears {
                for row in solution.iter_mut() {
                    let product = i128::from(factor) * i128::from(row[pivot]);
                    row[column] = narrow(i128::from(row[column]) - product)?;
                }
            }
            let rest = Row::from_slice(&system.equalities[0][unknowns..]);
            let Some(pivot) = pivot else {
                system.equalities.remove(0);
                let Some(context) = self.context.narrowed(&rest, true, budget)? else {
                    return Ok(None);
                };
                self.context = context;
                continue;
            };
            // c y + rest = 0.
            let c = system.equalities[0][pivot];
            let value = if c > 0 { negated(&rest) } else { rest };
            let value = if c.abs() == 1 {
                value
            } else {
                let quotient = self.division(&value, c.abs())?;
                let columns: Vec<_> = (0..unknowns + self.symbols())
                    .map(|column| (column < system.width).then_some(column))
                    .collect();
                *system = system.select(&columns);
                solution = solution.select(&columns);
                let mut remainder = Row::from_elem(0, self.symbols() + 1);
                remainder[..value.len() - 1].copy_from_slice(&value[..value.len() - 1]);
                remainder[self.symbols()] = value[value.len() - 1];
                remainder[quotient] =
                    narrow(i128::from(remainder[quotient]) - i128::from(c.abs()))?;
                let Some(context) = self.context.narrowed(&remainder, true, budget)? else {
                    return Ok(None);
                };
                self.context = context;
                let mut value = Row::from_elem(0, self.symbols() + 1);
                value[quotient] = 1;
                value
            };
            system.equalities.remove(0);
            let rows = system.equalities.iter_mut().chain(system.inequalities.iter_mut());
            for row in rows.chain(solution.iter_mut()) {
                let factor = i128::from(std::mem::take(&mut row[pivot]));
                for (own, part) in row[unknowns..].iter_mut().zip(&value) {
                    *own = narrow(i128::from(*own) + factor * i128::from(*part))?;
                }
            }
        }
        Ok(Some(solution))
    }

    /// Works until the tableau is optimal, without a solution (`None`), or split up, in which case the rest is pending.
    fn advance(mut self, budget: &Budget, pending: &mut Vec<Self>) -> Result<Option<Self>> {
        loop {
            budget.spend(self.forms.len(), self.unknowns + self.divisions.len())?;
            match self.find_negative(budget, pending)? {
                Some(row) => match self.entering(row) {
                    Some(column) => self.pivot(row, column)?,
                    None => return Ok(None),
                },
                None => match self.fractional() {
                    Some(unknown) => {
                        if !self.cut(unknown, budget)? {
                            return Ok(None);
                        }
                    }
                    None => return Ok(Some(self)),
                },
            }
        }
    }

    /// A row whose sample value is negative, after splitting the context where that is open: what stays to be done for the
    /// other side is pending. `None` when all are at least 0.
    fn find_negative(&mut self, budget: &Budget, pending: &mut Vec<Self>) -> Result<Option<usize>> {
        let plain = |form: &Form| {
            let (constant, symbols) = form.sample.split_last().unwrap_or((&0, &[]));
            match form.big {
                0 if symbols.iter().any(|&c| c != 0) => None,
                0 => Some(*constant < 0),
                big => Some(big < 0),
            }
        };
        let constrained = self.unknowns..self.forms.len();
        if let Some(row) = constrained.clone().find(|&row| plain(&self.forms[row]) == Some(true)) {
            return Ok(Some(row));
        }
        let mut split = None;
        for row in constrained {
            if plain(&self.forms[row]).is_some() {
                continue;
            }
            match self.sign(row, budget)? {
                Sign::NonNegative => {}
                Sign::Negative => return Ok(Some(row)),
                Sign::Open(contexts) if self.entering(row).is_none() => {
                    // There is no solution where it is negative.
                    self.context = contexts.0;
                }
                Sign::Open(_) => split = split.or(Some(row)),
            }
        }
        let Some(row) = split else { return Ok(None) };
        // The context may have become smaller since.
        match self.sign(row, budget)? {
            Sign::NonNegative => self.find_negative(budget, pending),
            Sign::Negative => Ok(Some(row)),
            Sign::Open(contexts) => {
                let (at_least, negative) = *contexts;
                pending.push(Self { context: at_least, ..self.clone() });
                self.context = negative;
                Ok(Some(row))
            }
        }
    }

    fn sign(&self, row: usize, budget: &Budget) -> Result<Sign> {
        let sample = &self.forms[row].sample;
        let mut below = negated(sample);
        if let Some(constant) = below.last_mut() {
            *constant = narrow(i128::from(*constant) - 1)?;
        }
        let at_least = self.context.narrowed(sample, false, budget)?;
        let negative = self.context.narrowed(&below, false, budget)?;
        Ok(match (at_least, negative) {
            (_, None) => Sign::NonNegative,
            (None, Some(_)) => Sign::Negative,
            (Some(at_least), Some(negative)) => Sign::Open(Box::new((at_least, negative))),
        })
    }

    /// The nonbasic variable to enter for a negative row, which keeps the columns of the unknowns lexicographically positive.
    fn entering(&self, row: usize) -> Option<usize> {
        let pivot = &self.forms[row].coefficients;
        let before = |a: usize, b: usize| {
            for form in &self.forms[..self.unknowns] {
                let left = i128::from(form.coefficients[a]) * i128::from(pivot[b]);
                let right = i128::from(form.coefficients[b]) * i128::from(pivot[a]);
                if left != right {
                    return left < right;
                }
            }
            false
        };
        (0..pivot.len())
            .filter(|&column| pivot[column] > 0)
            .reduce(|best, column| if before(column, best) { column } else { best })
    }

    fn pivot(&mut self, row: usize, column: usize) -> Result<()> {
        let pivot = self.forms[row].clone();
        for (index, form) in self.forms.iter_mut().enumerate() {
            if index != row {
                form.replace(column, &pivot)?;
            }
        }
        let form = &mut self.forms[row];
        form.coefficients.iter_mut().for_each(|c| *c = 0);
        form.coefficients[column] = 1;
        form.sample.iter_mut().for_each(|c| *c = 0);
        (form.big, form.denominator) = (0, 1);
        Ok(())
    }

    /// The first unknown whose sample value is not known to be an integer.
    fn fractional(&self) -> Option<usize> {
        self.forms[..self.unknowns]
            .iter()
            .position(|form| form.sample.iter().any(|c| c % form.denominator != 0))
    }

    /// Cuts off the fractional sample value of an unknown; one that cannot grow has to be an integer already. `false` when the
    /// context is used up.
    fn cut(&mut self, unknown: usize, budget: &Budget) -> Result<bool> {
        let form = &self.forms[unknown];
        let d = form.denominator;
        // With rest = sample mod d and q = floor(-rest / d), what lacks to the next integer is -(rest + d q) / d.
        let coefficients = form.coefficients.iter().map(|c| c.rem_euclid(d)).collect();
        let mut rest: Row = form.sample.iter().map(|c| c.rem_euclid(d)).collect();
        let symbols = rest.len() - 1;
        if rest[..symbols].iter().all(|&c| c == 0) {
            rest[symbols] -= d;
            self.forms.push(Form { coefficients, big: 0, sample: rest, denominator: d });
            return Ok(true);
        }
        let quotient = self.division(&negated(&rest), d)?;
        let sample = &self.forms[unknown].sample;
        let mut part: Row = sample.iter().map(|c| c.rem_euclid(d)).collect();
        part[quotient] = narrow(i128::from(part[quotient]) + i128::from(d))?;
        let sample = part.clone();
        self.forms.push(Form { coefficients, big: 0, sample, denominator: d });
        let row = self.forms.len() - 1;
        if let Some(column) = self.entering(row) {
            // Where nothing lacks, the same step leaves the sample point where it is, so that no context is split.
            self.pivot(row, column)?;
            return Ok(true);
        }
        self.forms.pop();
        let Some(context) = self.context.narrowed(&part, true, budget)? else { return Ok(false) };
        self.context = context;
        // rest + d q = 0, so that taking it off leaves a multiple of d.
        for (own, part) in self.forms[unknown].sample.iter_mut().zip(&part) {
            *own = narrow(i128::from(*own) - i128::from(*part))?;
        }
        self.forms[unknown].reduce();
        Ok(true)
    }

    /// The number of symbols, divisions included.
    fn symbols(&self) -> usize {
        self.context.system().width
    }

    /// The symbol that is `floor(row / divisor)`.
    fn division(&mut self, row: &[i64], divisor: i64) -> Result<usize> {
        let first = self.symbols() - self.divisions.len();
        let same = |(known, by): &(Row, i64)| {
            let variables = known.len() - 1;
            *by == divisor
                && known[..variables] == row[..variables]
                && row[variables..row.len() - 1].iter().all(|&c| c == 0)
                && known.last() == row.last()
        };
        if let Some(index) = self.divisions.iter().position(same) {
            return Ok(first + index);
        }
        self.context = self.context.with_division(row, divisor)?;
        self.divisions.push((Row::from_slice(row), divisor));
        self.forms.iter_mut().for_each(Form::add_symbol);
        Ok(self.symbols() - 1)
    }

    fn result(self, wanted: usize) -> Result<Optimal> {
        let mut values = Vec::with_capacity(wanted);
        for form in &self.forms[..wanted] {
            if form.big != 0 {
                return Err(Error::Unbounded);
            }
            values.push(form.sample.iter().map(|c| c / form.denominator).collect());
        }
        Ok(Optimal { context: self.context.system().clone(), divisions: self.divisions, values })
    }
}

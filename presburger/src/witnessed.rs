//! A system together with one of its points: further questions only concern the rows that they touch.
//!
//! Rows that share no variable, not even through other rows, do not influence each other. Once a system is known to have a
//! point, a row more is decided among the rows connected with it, which for tiles of many dimensions are a few.

use crate::basic_set::complement;
use crate::bounds::Optimum;
use crate::error::Result;
use crate::integer::{Row, ceil_div, evaluate, floor_div, narrow};
use crate::sample::sample;
use crate::shadow::{Budget, elimination_cost, project_rational};
use crate::system::System;

/// A system that has the point.
#[derive(Clone, Debug)]
pub(crate) struct Witnessed {
    system: System,
    point: Vec<i64>,
}

/// The rows that are connected with some columns, over those columns only that they mention.
pub(crate) struct Component {
    pub(crate) system: System,
    /// The column of the whole system that each column was.
    pub(crate) columns: Vec<usize>,
}

/// The rows that share variables with `seed`, by way of each other too.
pub(crate) fn component(system: &System, seed: &[i64]) -> Component {
    let width = system.width;
    let mut reached: Vec<bool> = seed[..width].iter().map(|&c| c != 0).collect();
    let mut taken = vec![false; system.len()];
    loop {
        let mut changed = false;
        for (row, taken) in system.rows().zip(&mut taken) {
            if !*taken && row[..width].iter().zip(&reached).any(|(&c, &reached)| c != 0 && reached)
            {
                row[..width].iter().zip(&mut reached).for_each(|(&c, r)| *r |= c != 0);
                *taken = true;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let columns: Vec<usize> = (0..width).filter(|&column| reached[column]).collect();
    let mut part = System::universe(columns.len());
    for (index, (row, _)) in system.rows().zip(&taken).enumerate().filter(|(_, (_, taken))| **taken)
    {
        let rows = if index < system.equalities.len() {
            &mut part.equalities
        } else {
            &mut part.inequalities
        };
        gather(row, &columns, rows.push_zeros());
    }
    Component { system: part, columns }
}

fn gather(row: &[i64], columns: &[usize], to: &mut [i64]) {
    to.iter_mut().zip(columns).for_each(|(to, &column)| *to = row[column]);
    to[columns.len()] = row[row.len() - 1];
}

impl Witnessed {
    /// The system with a point, or `None` when it has none.
    pub(crate) fn find(system: &System, budget: &Budget) -> Result<Option<Self>> {
        let point = sample(system, budget)?;
        Ok(point.map(|point| Self { system: system.clone(), point }))
    }

    pub(crate) fn system(&self) -> &System {
        &self.system
    }

    /// The same point with another system that has it.
    pub(crate) fn with_system(&self, system: System) -> Self {
        Self { system, point: self.point.clone() }
    }

    /// Whether every point satisfies `row >= 0`.
    pub(crate) fn implies(&self, row: &[i64], budget: &Budget) -> Result<bool> {
        let opposite = complement(row)?;
        if self.value(&opposite)? >= 0 {
            return Ok(false);
        }
        let mut part = component(&self.system, row);
        gather(&opposite, &part.columns, part.system.inequalities.push_zeros());
        Ok(sample(&part.system, budget)?.is_none())
    }

    /// The value of a row at the point.
    pub(crate) fn value(&self, row: &[i64]) -> Result<i128> {
        evaluate(row, &self.point)
    }

    /// The points that also satisfy `row >= 0`, or `row = 0`; `None` when there are none.
    pub(crate) fn narrowed(
        &self,
        row: &[i64],
        equality: bool,
        budget: &Budget,
    ) -> Result<Option<Self>> {
        let value = self.value(row)?;
        let mut narrowed = self.clone();
        let rows = |system: &mut System, row: &[i64]| {
            if equality { system.equalities.push(row) } else { system.inequalities.push(row) }
        };
        if value < 0 || (equality && value != 0) {
            let mut part = component(&self.system, row);
            let mut own = vec![0; part.columns.len() + 1];
            gather(row, &part.columns, &mut own);
            rows(&mut part.system, &own);
            let Some(point) = sample(&part.system, budget)? else { return Ok(None) };
            part.columns.iter().zip(point).for_each(|(&column, x)| narrowed.point[column] = x);
        }
        rows(&mut narrowed.system, row);
        narrowed.system.normalize();
        Ok(Some(narrowed))
    }

    /// The system with a further variable that is `floor(row / divisor)`.
    pub(crate) fn with_division(&self, row: &[i64], divisor: i64) -> Result<Self> {
        let width = self.system.width;
        let columns: Vec<_> = (0..width).map(Some).chain([None]).collect();
        let mut system = self.system.select(&columns);
        let mut wider = Row::from_slice(row);
        wider.insert(width, -divisor);
        system.inequalities.push(&wider);
        let upper = system.inequalities.push_zeros();
        upper.iter_mut().zip(&wider).for_each(|(to, &c)| *to = -c);
        upper[width + 1] = narrow(i128::from(upper[width + 1]) + i128::from(divisor) - 1)?;
        let mut point = self.point.clone();
        point.push(narrow(floor_div(self.value(row)?, i128::from(divisor)))?);
        Ok(Self { system, point })
    }

    /// The least and the greatest value of a row over all points.
    pub(crate) fn range(&self, row: &[i64], budget: &Budget) -> Result<(Optimum, Optimum)> {
        let line = Line::new(self, row, budget)?;
        Ok((line.least(budget)?, line.greatest(budget)?))
    }

    /// The least value of a row over all points.
    pub(crate) fn least(&self, row: &[i64], budget: &Budget) -> Result<Optimum> {
        Line::new(self, row, budget)?.least(budget)
    }
}

/// The values of a row over all points of a system.
struct Line {
    /// The rows that are connected with the value, whose column is the last one.
    system: System,
    /// A value that is attained.
    witness: i64,
    /// What bounds the values over the rationals, rounded to integers.
    lowest: Option<i128>,
    highest: Option<i128>,
    /// Whether the bounds are attained for certain.
    exact: bool,
}

impl Line {
    fn new(of: &Witnessed, row: &[i64], budget: &Budget) -> Result<Self> {
        let part = component(&of.system, row);
        let column = part.columns.len();
        let columns: Vec<_> = (0..column).map(Some).chain([None]).collect();
        let mut system = part.system.select(&columns);
        let goal = system.equalities.push_zeros();
        gather(row, &part.columns, &mut goal[..=column]);
        goal[column + 1] = goal[column];
        goal[column] = -1;
        let witness = narrow(of.value(row)?)?;
        let (line, exact) = project(&system, |c| c == column, budget)?;
        // The recession cone of a rational polyhedron with an integer point is that of its integer points, so unbounded
        // over the rationals is unbounded over the integers.
        let (mut lowest, mut highest) = (None, None);
        for (index, row) in line.rows().enumerate() {
            let (c, constant) = (i128::from(row[column]), i128::from(row[line.width]));
            let pinned = index < line.equalities.len();
            let (c, constant) = if pinned && c < 0 { (-c, -constant) } else { (c, constant) };
            if c > 0 {
                lowest = lowest.max(Some(ceil_div(-constant, c)));
            }
            if c < 0 || (c > 0 && pinned) {
                let value = floor_div(if pinned { -constant } else { constant }, c.abs());
                highest = Some(highest.map_or(value, |known: i128| known.min(value)));
            }
        }
        Ok(Self { system, witness, lowest, highest, exact })
    }

    fn least(&self, budget: &Budget) -> Result<Optimum> {
        self.lowest.map_or(Ok(Optimum::Unbounded), |lowest| self.extreme(lowest, 1, budget))
    }

    fn greatest(&self, budget: &Budget) -> Result<Optimum> {
        self.highest.map_or(Ok(Optimum::Unbounded), |highest| self.extreme(-highest, -1, budget))
    }

    /// The least value of `sign` times the row, which is at least `lowest`.
    fn extreme(&self, lowest: i128, sign: i64, budget: &Budget) -> Result<Optimum> {
        let mut lowest = narrow(lowest)?;
        if self.exact {
            return Ok(Optimum::At(lowest * sign));
        }
        // Some value lies in lowest..=best; the bound itself is mostly it, else the interval is halved.
        let column = self.system.width - 1;
        let mut best = self.witness * sign;
        let mut probe = lowest;
        while lowest < best {
            let mut below = self.system.clone();
            let row = below.inequalities.push_zeros();
            row[column] = -sign;
            row[column + 1] = probe;
            match sample(&below, budget)? {
                Some(point) => best = point[column] * sign,
                None => lowest = narrow(i128::from(probe) + 1)?,
            }
            probe = narrow(floor_div(i128::from(lowest) + i128::from(best), 2))?;
        }
        Ok(Optimum::At(best * sign))
    }
}

/// Projects out every column for which `keep` does not hold, over the rationals, and says whether that is known to be the
/// projection over the integers too.
pub(crate) fn project(
    system: &System,
    keep: impl Fn(usize) -> bool,
    budget: &Budget,
) -> Result<(System, bool)> {
    let mut system = system.clone();
    let mut exact = true;
    system.normalize();
    loop {
        let next = (0..system.width)
            .filter(|&column| !keep(column))
            .filter_map(|column| {
                let smallest = system.equalities.iter().map(|row| row[column].unsigned_abs());
                let through = smallest.filter(|&c| c != 0).min();
                let cost = elimination_cost(&system, column);
                (through.is_some() || cost.is_some()).then_some((
                    through.is_none(),
                    through,
                    cost,
                    column,
                ))
            })
            .min();
        let Some((_, through, cost, column)) = next else { return Ok((system, exact)) };
        exact &= match (through, cost) {
            (Some(coefficient), _) => coefficient == 1,
            (None, cost) => cost.is_none_or(|(inexact, _)| !inexact),
        };
        system = project_rational(&system, column, budget)?;
    }
}

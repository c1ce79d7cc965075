//! Sets and maps as text, in the notation of isl: `[n] -> { [i, j] : 0 <= i < n and j = 2i }`.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter, Write as _};

use crate::affine::{Affine, Var};
use crate::basic_set::BasicSet;
use crate::map::Map;
use crate::set::Set;
use crate::space::Space;

impl Display for BasicSet {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_union(f, self.space(), std::slice::from_ref(self))
    }
}

impl Display for Set {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_union(f, self.space(), self.pieces())
    }
}

impl Display for Map {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_union(f, self.space(), self.pieces())
    }
}

fn write_union(f: &mut Formatter<'_>, space: &Space, pieces: &[BasicSet]) -> fmt::Result {
    let names = Names::new(space, pieces.iter().map(BasicSet::locals).max().unwrap_or(0));
    if !names.params.is_empty() {
        write!(f, "[{}] -> ", names.params.join(", "))?;
    }
    if pieces.is_empty() {
        write!(f, "{{ ")?;
        names.write_tuple(f)?;
        return write!(f, " : false }}");
    }
    for (index, piece) in pieces.iter().enumerate() {
        f.write_str(if index == 0 { "{ " } else { "; " })?;
        names.write_tuple(f)?;
        let condition = names.condition(piece);
        if !condition.is_empty() {
            write!(f, " : {condition}")?;
        }
    }
    f.write_str(" }")
}

/// What holds for the tuples of a set, as text; empty where nothing is asked of them.
pub(crate) fn condition(set: &BasicSet) -> String {
    Names::new(set.space(), set.locals()).condition(set)
}

/// The names under which the variables are printed: the space's, made distinct.
struct Names {
    dims: Vec<String>,
    params: Vec<String>,
    locals: Vec<String>,
    inputs: Option<usize>,
}

impl Names {
    fn new(space: &Space, locals: usize) -> Self {
        let mut taken = BTreeSet::new();
        let mut distinct = |name: &str| {
            let mut candidate = if name.is_empty() { "_".to_owned() } else { name.to_owned() };
            while !taken.insert(candidate.clone()) {
                candidate.push('\'');
            }
            candidate
        };
        let params = (0..space.params()).map(|p| distinct(space.param_name(p))).collect();
        let dims = (0..space.dims()).map(|d| distinct(space.dim_name(d))).collect();
        let locals = (0..locals).map(|l| distinct(&format!("e{l}"))).collect();
        Self { dims, params, locals, inputs: space.is_map().then(|| space.inputs()) }
    }

    fn write_tuple(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.inputs {
            None => write!(f, "[{}]", self.dims.join(", ")),
            Some(inputs) => {
                let (from, to) = self.dims.split_at(inputs);
                write!(f, "[{}] -> [{}]", from.join(", "), to.join(", "))
            }
        }
    }

    fn name(&self, var: Var) -> &str {
        match var {
            Var::Dim(index) => &self.dims[index],
            Var::Param(index) => &self.params[index],
            Var::Local(index) => &self.locals[index],
        }
    }

    fn sum(&self, expr: &Affine) -> String {
        sum(expr, |var| self.name(var).to_owned())
    }

    /// What holds for the tuples of a piece; empty where nothing is asked of them.
    fn condition(&self, piece: &BasicSet) -> String {
        let clauses = self.clauses(piece).join(" and ");
        if clauses.is_empty() || piece.locals() == 0 {
            return clauses;
        }
        format!("exists ({} : {clauses})", self.locals[..piece.locals()].join(", "))
    }

    /// One text a row, except that a lower and an upper bound of the same variable share one.
    fn clauses(&self, piece: &BasicSet) -> Vec<String> {
        let system = piece.system();
        if system.is_contradiction() {
            return vec!["false".to_owned()];
        }
        let mut clauses: Vec<String> = system
            .equalities
            .iter()
            .map(|row| {
                let (subject, coefficient, rest) = split(piece, row);
                let rest = if coefficient > 0 { -rest } else { rest };
                format!("{} = {}", self.multiple(subject, coefficient), self.sum(&rest))
            })
            .collect();
        let bounds: Vec<_> = system.inequalities.iter().map(|row| split(piece, row)).collect();
        let mut printed = vec![false; bounds.len()];
        for (index, (subject, coefficient, rest)) in bounds.iter().enumerate() {
            if printed[index] {
                continue;
            }
            let partner = bounds.iter().enumerate().skip(index + 1).find(|(other, (var, c, _))| {
                !printed[*other] && var == subject && *c == -coefficient
            });
            let (mut lower, mut upper) = (None, None);
            *(if *coefficient > 0 { &mut lower } else { &mut upper }) = Some(rest.clone());
            if let Some((other, (_, c, rest))) = partner {
                printed[other] = true;
                *(if *c > 0 { &mut lower } else { &mut upper }) = Some(rest.clone());
            }
            let middle = self.multiple(*subject, *coefficient);
            let lower = lower.map(|rest| -rest);
            let upper = upper.map(|rest| self.upper(&rest));
            clauses.push(match (lower, upper) {
                (Some(lower), Some(upper)) => format!("{} <= {middle} {upper}", self.sum(&lower)),
                (Some(lower), None) => format!("{middle} >= {}", self.sum(&lower)),
                (None, Some(upper)) => format!("{middle} {upper}"),
                (None, None) => continue,
            });
        }
        clauses
    }

    /// `<= rest`, or `< rest + 1` where that is what one would write.
    fn upper(&self, rest: &Affine) -> String {
        if rest.constant_term() == -1 && rest.terms().next().is_some() {
            format!("< {}", self.sum(&(rest.clone() + 1)))
        } else {
            format!("<= {}", self.sum(rest))
        }
    }

    fn multiple(&self, subject: Var, coefficient: i64) -> String {
        match coefficient.abs() {
            1 => self.name(subject).to_owned(),
            factor => format!("{factor}{}", self.name(subject)),
        }
    }
}

/// A sum of variables with the names they are given.
pub(crate) fn sum(expr: &Affine, name: impl Fn(Var) -> String) -> String {
    let mut text = String::new();
    for (var, coefficient) in expr.terms() {
        let sign = match (text.is_empty(), coefficient < 0) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        };
        text.push_str(sign);
        if coefficient.abs() != 1 {
            let _ = write!(text, "{}", coefficient.abs());
        }
        text.push_str(&name(var));
    }
    let constant = expr.constant_term();
    if text.is_empty() {
        return constant.to_string();
    }
    match constant {
        0 => {}
        1.. => {
            let _ = write!(text, " + {constant}");
        }
        _ => {
            let _ = write!(text, " - {}", constant.unsigned_abs());
        }
    }
    text
}

/// The variable a row is printed as a bound of, its coefficient, and the rest of the row: the last dimension, else the
/// last local, else the last parameter.
fn split(piece: &BasicSet, row: &[i64]) -> (Var, i64, Affine) {
    let expr = piece.affine(row);
    let rank = |var: &Var| match *var {
        Var::Param(index) => (0, index),
        Var::Local(index) => (1, index),
        Var::Dim(index) => (2, index),
    };
    let subject = expr.terms().map(|(var, _)| var).max_by_key(rank).unwrap_or(Var::Dim(0));
    let coefficient = expr.coefficient(subject);
    (subject, coefficient, expr - Affine::from(subject) * coefficient)
}

//! Elements: `A(i, j)`, and the operators that say how a loop goes through an array (Patel 2014, §4.1).
//!
//! Operators apply from the inside out: `shift(stride(A, 2, 3), 0, -4)` is `A[2 * i][3 * j - 4]` (Listing 4.1).

use std::ops::Range;

use gpuc_diagnostics::{Diagnostic, did_you_mean};

use super::statement::Translator;
use super::types::{Array, Variable};
use crate::lex::Punct;

/// The variable of the loop that `aview` brings.
pub(super) const IMPLICIT: &str = "__jolokia_k";

/// What the name of an array stands for within a statement.
#[derive(Clone, Debug)]
pub(super) enum Element {
    /// The array.
    Whole,
    /// Its element of that number.
    Number(&'static str),
    /// Its element of that row and that column.
    Grid(&'static str, &'static str),
}

/// A row or a column: `factor` times a loop's variable, and `offset`.
#[derive(Clone, Debug)]
pub(super) struct Index {
    pub text: String,
    /// Factor and offset, where both are known.
    pub affine: Option<(i64, i64)>,
}

impl Index {
    fn new(text: impl Into<String>) -> Self {
        Index { text: text.into(), affine: Some((1, 0)) }
    }

    /// Behind `amount` more of them.
    fn shifted(self, amount: &str, value: Option<i64>) -> Self {
        let affine =
            self.affine.zip(value).map(|((factor, offset), value)| (factor, offset + value));
        match value {
            Some(0) => Index { affine, ..self },
            Some(less @ ..0) => {
                Index { text: format!("{} - {}", self.text, less.unsigned_abs()), affine }
            }
            _ => Index { text: format!("{} + ({amount})", self.text), affine },
        }
    }

    /// Every `amount`-th.
    fn strided(self, amount: &str, value: Option<i64>) -> Self {
        let affine = self
            .affine
            .zip(value)
            .map(|((factor, offset), value)| (factor * value, offset * value));
        match value {
            Some(1) => Index { affine, ..self },
            _ => Index { text: format!("({}) * ({amount})", self.text), affine },
        }
    }
}

/// An access through operators.
pub(super) struct MatrixElement {
    pub array: Array,
    pub row: Option<Index>,
    pub column: Index,
    /// The length of a row, where it is not the array's own.
    pitch: Option<String>,
}

/// The directions of `aview`.
const DIRECTIONS: [&str; 2] = ["row", "column"];

impl Translator<'_> {
    /// Whether an operator stands there: it is about an array, or what another operator makes of one.
    pub(super) fn is_operator(&self, at: usize) -> bool {
        let r = &self.reader;
        matches!(r.word(at), "aview" | "shift" | "stride")
            && r.is(at + 1, Punct::LParen)
            && (self.array_at(at + 2).is_some() || self.is_operator(at + 2))
    }

    /// The array that is named there.
    pub(super) fn array_at(&self, at: usize) -> Option<Array> {
        match self.variable(self.reader.ident(at)?) {
            Some(Variable::Array(array)) => Some(array.clone()),
            _ => None,
        }
    }

    /// Whether a statement has `aview` in it.
    pub(super) fn has_view(&self, range: &Range<usize>) -> bool {
        range.clone().any(|at| self.reader.word(at) == "aview" && self.is_operator(at))
    }

    /// The C of the access through operators there.
    pub(super) fn operator(&mut self, at: usize) -> String {
        let Some(access) = self.access(at) else { return "0".to_owned() };
        if let Some(reach) = &mut self.reach {
            let affine = |index: &Index| index.affine;
            reach.push((
                access.row.as_ref().map(affine),
                access.column.affine,
                self.reader.span(at),
            ));
        }
        let name = self.reader.name(access.array.name);
        let column = access.column.text;
        match access.row {
            None => format!("{name}[{column}]"),
            Some(row) => {
                let pitch = access.pitch.unwrap_or_else(|| format!("__{name}_length1"));
                format!("{name}[({}) * ({pitch}) + ({column})]", row.text)
            }
        }
    }

    /// What the operator there makes of an array.
    pub(super) fn access(&mut self, at: usize) -> Option<MatrixElement> {
        let arguments = self.reader.arguments(at + 1);
        let word = self.reader.word(at).to_owned();
        if word == "aview" {
            return self.view(at, &arguments);
        }
        if !(2..=3).contains(&arguments.len()) {
            let message = format!(
                "`{word}` takes an array and an amount for each of its dimensions, one or two"
            );
            self.error(at, message);
            return None;
        }
        let amounts: Vec<(String, Option<i64>)> = arguments[1..]
            .iter()
            .map(|range| (self.rendered(range.clone()), self.reader.constant(range)))
            .collect();
        let inner = arguments[0].start;
        let access = match self.is_operator(inner) {
            true => self.access(inner)?,
            false => self.base(inner, amounts.len())?,
        };
        if (access.row.is_some()) != (amounts.len() == 2) {
            let message = "operators within one another are about as many dimensions";
            self.error(at, message);
            return None;
        }
        let apply = |index: Index, (amount, value): &(String, Option<i64>)| match word.as_str() {
            "shift" => index.shifted(amount, *value),
            _ => index.strided(amount, *value),
        };
        let last = &amounts[amounts.len() - 1];
        Some(MatrixElement {
            row: access.row.map(|row| apply(row, &amounts[0])),
            column: apply(access.column, last),
            ..access
        })
    }

    /// The element that an operator begins with: the one of the loops around.
    fn base(&mut self, at: usize, dimensions: usize) -> Option<MatrixElement> {
        let array = self.array_at(at)?;
        self.subscribed(at, &array, dimensions);
        if let Some((row, column)) = match self.element {
            Element::Number(column) if dimensions == 1 => Some((None, column)),
            Element::Grid(row, column) if dimensions == 2 => Some((Some(row), column)),
            _ => None,
        } {
            let row = row.map(Index::new);
            return Some(MatrixElement { array, row, column: Index::new(column), pitch: None });
        }
        let loops: Vec<String> = self
            .iterators
            .iter()
            .filter(|(_, at_once)| *at_once)
            .map(|(symbol, _)| self.reader.name(*symbol).to_owned())
            .collect();
        if loops.len() < dimensions {
            let around = if dimensions == 2 { "two `_for` loops" } else { "a `_for` loop" };
            let diagnostic = Diagnostic::error(format!(
                "the shift or stride of `{}` has no loop to go with",
                self.reader.name(array.name)
            ))
            .help(format!(
                "it stands in {around}, or in an assignment to a whole array (Patel 2014, §4.1)"
            ));
            self.report(at, diagnostic);
            return None;
        }
        let column = loops.last().map(Index::new)?;
        let row = (dimensions == 2).then(|| Index::new(&loops[loops.len() - 2]));
        Some(MatrixElement { array, row, column, pitch: None })
    }

    /// `aview(A, N, i, row)` is `A[i * N + k]`, `aview(A, N, i, column)` is `A[k * N + i]`; k is the variable of a loop
    /// that the operator brings (§4.1, Listing 4.4).
    fn view(&mut self, at: usize, arguments: &[Range<usize>]) -> Option<MatrixElement> {
        if !(3..=4).contains(&arguments.len()) {
            let message =
                "`aview` takes an array, a number of columns, a loop's variable and a direction";
            self.error(at, message);
            return None;
        }
        let Some(array) = self.array_at(arguments[0].start) else {
            self.error(arguments[0].start, "`aview` is about an array itself");
            return None;
        };
        let by_rows = match arguments.get(3) {
            None => true,
            Some(direction) => {
                let word = self.reader.written(direction).to_owned();
                if !DIRECTIONS.contains(&word.as_str()) {
                    let message = format!(
                        "`{word}` is no direction: `aview` goes along a `row` or a `column`"
                    );
                    let mut diagnostic = Diagnostic::error(message);
                    if let Some(near) = did_you_mean(&word, DIRECTIONS) {
                        diagnostic = diagnostic.meant(near);
                    }
                    self.report(direction.start, diagnostic);
                    return None;
                }
                word == "row"
            }
        };
        if !self.in_view {
            let diagnostic = Diagnostic::error("`aview` stands in an assignment of a loop's body")
                .help("it brings a loop round the statement (Patel 2014, §4.1)");
            self.report(at, diagnostic);
            return None;
        }
        let (columns, iterator) = self.view_arguments(arguments);
        let (columns, iterator) = (self.rendered(columns), self.rendered(iterator));
        let (row, column) = match by_rows {
            true => (iterator, IMPLICIT.to_owned()),
            false => (IMPLICIT.to_owned(), iterator),
        };
        let index = |text: String| Index { text, affine: None };
        Some(MatrixElement {
            array,
            row: Some(index(row)),
            column: index(column),
            pitch: Some(columns),
        })
    }

    /// The number of columns and the loop's variable. Of three arguments the variable may come first, as in Listing 4.7.
    fn view_arguments(&self, arguments: &[Range<usize>]) -> (Range<usize>, Range<usize>) {
        let is_iterator = |range: &Range<usize>| {
            range.len() == 1
                && self
                    .reader
                    .ident(range.start)
                    .is_some_and(|name| self.iterators.iter().any(|&(own, _)| own == name))
        };
        let (columns, iterator) = (arguments[1].clone(), arguments[2].clone());
        match arguments.len() == 3 && is_iterator(&columns) && !is_iterator(&iterator) {
            true => (iterator, columns),
            false => (columns, iterator),
        }
    }

    /// Whether a view's arguments name the direction of a column.
    pub(super) fn is_column(&self, arguments: &[Range<usize>]) -> bool {
        arguments.get(3).is_some_and(|direction| self.reader.written(direction) == "column")
    }

    /// Whether tokens have a view along a row.
    pub(super) fn goes_along_a_row(&self, range: &Range<usize>) -> bool {
        range.clone().any(|at| {
            self.reader.word(at) == "aview" && !self.is_column(&self.reader.arguments(at + 1))
        })
    }

    /// How often the loop runs that the views of a statement bring: along a row as often as it has columns, along a
    /// column as often as the array has rows.
    pub(super) fn rounds(&mut self, range: &Range<usize>) -> Option<String> {
        let mut rows = None;
        for at in range.clone() {
            if self.reader.word(at) != "aview" || !self.is_operator(at) {
                continue;
            }
            let arguments = self.reader.arguments(at + 1);
            if !(3..=4).contains(&arguments.len()) {
                continue;
            }
            let (columns, _) = self.view_arguments(&arguments);
            let columns = self.rendered(columns);
            if !self.is_column(&arguments) {
                return Some(columns);
            }
            if rows.is_none() {
                rows = Some(format!("__{}_length0", self.reader.written(&arguments[0])));
                if let Some(array) = self.array_at(at + 2)
                    && !self.goes_along_a_row(range)
                {
                    self.subscribed(at, &array, 2);
                }
            }
        }
        rows
    }

    /// `A(i, j)`.
    pub(super) fn subscripts(&mut self, at: usize, array: &Array) -> String {
        let arguments = self.reader.arguments(at + 1);
        self.subscribed(at, array, arguments.len());
        let name = self.reader.name(array.name).to_owned();
        let before = std::mem::replace(&mut self.element, Element::Whole);
        let index: Vec<String> = arguments.into_iter().map(|range| self.rendered(range)).collect();
        self.element = before;
        match index.as_slice() {
            [i] => format!("{name}[{i}]"),
            [i, j] => format!("{name}[({i}) * __{name}_length1 + ({j})]"),
            [i, j, k] => {
                format!("{name}[(({i}) * __{name}_length1 + ({j})) * __{name}_length2 + ({k})]")
            }
            _ => {
                self.error(at, format!("an element of `{name}` has from one to three subscripts"));
                "0".to_owned()
            }
        }
    }

    /// `A.length`, `A.length(k)`, `A.dimension`, `A.get_pointer()`: the C and the token behind.
    pub(super) fn attribute(&mut self, at: usize, name: &str) -> (usize, String) {
        let word = self.reader.word(at + 2).to_owned();
        let behind = at + 3;
        let bracketed =
            self.reader.is(behind, Punct::LParen) || self.reader.is(behind, Punct::LBracket);
        let next = if bracketed { self.reader.over(behind) } else { behind };
        match word.as_str() {
            "length" if !bracketed => (next, format!("__{name}_length0")),
            "length" => {
                let number = behind + 1..self.reader.close(behind);
                match self.reader.constant(&number) {
                    Some(constant @ 0..=2) => (next, format!("__{name}_length{constant}")),
                    Some(_) => {
                        self.error(
                            behind + 1,
                            "an array has at most three dimensions, numbered from 0",
                        );
                        (next, "0".to_owned())
                    }
                    None => {
                        let number = self.rendered(number);
                        let text = format!(
                            "(({number}) == 0 ? __{name}_length0 : ({number}) == 1 ? __{name}_length1 : __{name}_length2)"
                        );
                        (next, text)
                    }
                }
            }
            "dimension" | "dim" if !bracketed => (next, format!("__{name}_dimension")),
            "element" | "elem" => (behind, name.to_owned()),
            "get_pointer" if bracketed => (next, name.to_owned()),
            _ => {
                let diagnostic =
                    Diagnostic::error(format!("an array of JolokiaC++ has no `{word}`"));
                let known = ["length", "dimension", "element", "get_pointer"];
                let near = did_you_mean(&word, known);
                let help = near.map_or(
                    "it has `length`, `dimension`, `element` and `get_pointer()`".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                self.report(at + 2, diagnostic.help(help));
                (next, "0".to_owned())
            }
        }
    }

    /// Complains where an array has another number of dimensions.
    fn subscribed(&mut self, at: usize, array: &Array, count: usize) {
        if let Some(dimensions) = array.dimensions
            && count > 1
            && count != dimensions
        {
            let name = self.reader.name(array.name);
            let message = format!("`{name}` has {dimensions} dimensions, not {count}");
            self.error(at, message);
        }
    }
}

/// How many elements an array has.
pub(super) fn total(name: &str) -> String {
    format!("(__{name}_length0 * __{name}_length1 * __{name}_length2)")
}

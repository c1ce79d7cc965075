//! The `share` pragma's list of arrays: what of each a block of threads works on.
//!
//! After Li et al. 2016, "Pragma Directed Shared Memory Centric Optimizations on GPUs", fig. 1:
//!
//! ```text
//! arraySpecs ::= arraySpec {"," arraySpecs}
//! arraySpec  ::= subArray {":coalesce"}
//! subArray   ::= arrayName {"[" [expr | "*"] "]"}*
//! expr       ::= constant { ["+" | "-" | "×" | "/"] expr }
//! constant   ::= TB_X | TB_Y | TB_Z | integer
//! ```
//!
//! `×` is written as it stands or as `*`; products and quotients bind as in C, from the left.

use std::fmt::{self, Display, Formatter};
use std::ops::Range;

/// A length that an expression starts with or goes on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// A number.
    Integer(i64),
    /// `TB_X`, `TB_Y`, `TB_Z`: the threads of a block in that direction, 0 to 2.
    Block(usize),
}

/// An operator between constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is what its name says")]
pub enum Operator {
    Plus,
    Minus,
    Times,
    Divide,
}

/// A length by constants.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expression {
    /// What stands first.
    pub first: Constant,
    /// What follows, each with the operator in front of it.
    pub rest: Vec<(Operator, Constant)>,
}

/// The length of one dimension of what a block works on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// `*`: any number up to the array's own.
    Vague,
    /// That many.
    Of(Expression),
}

/// One array of the list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArraySpec {
    /// Its name.
    pub name: String,
    /// A length for each dimension.
    pub lengths: Vec<Length>,
    /// Whether it goes through shared memory to be read in order, whatever the compiler thinks.
    pub coalesce: bool,
}

/// Where a list is wrong, and what was expected there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSpec {
    /// Bytes from the list's beginning.
    pub at: usize,
    /// What would have been right.
    pub expected: &'static str,
}

impl Constant {
    fn value(self, block: [i64; 3]) -> i64 {
        match self {
            Constant::Integer(number) => number,
            Constant::Block(axis) => block.get(axis).copied().unwrap_or(1),
        }
    }
}

impl Expression {
    /// Its value in blocks of that shape; `None` where it divides by 0 or leaves 64 bits.
    pub fn value(&self, block: [i64; 3]) -> Option<i64> {
        let (mut sum, mut term) = (0_i64, self.first.value(block));
        for &(operator, constant) in &self.rest {
            let next = constant.value(block);
            match operator {
                Operator::Times => term = term.checked_mul(next)?,
                Operator::Divide => term = term.checked_div(next)?,
                Operator::Plus => (sum, term) = (sum.checked_add(term)?, next),
                Operator::Minus => (sum, term) = (sum.checked_add(term)?, next.checked_neg()?),
            }
        }
        sum.checked_add(term)
    }

    /// Whether it is the same in every block.
    pub fn is_fixed(&self) -> bool {
        let constants = self.rest.iter().map(|(_, constant)| constant);
        !constants.chain([&self.first]).any(|constant| matches!(constant, Constant::Block(_)))
    }

    /// The threads of a block in one direction.
    pub fn block(axis: usize) -> Expression {
        Expression { first: Constant::Block(axis), rest: Vec::new() }
    }
}

/// Reads a list of arrays, all of the text.
///
/// # Errors
/// The first place that the grammar does not allow.
pub fn parse(text: &str) -> Result<Vec<ArraySpec>, NoSpec> {
    Ok(parse_placed(text)?.into_iter().map(|(spec, _)| spec).collect())
}

/// The same, each array with where it stands in the text, in bytes.
///
/// # Errors
/// As [`parse`].
pub fn parse_placed(text: &str) -> Result<Vec<(ArraySpec, Range<usize>)>, NoSpec> {
    let mut reader = Reader { text, at: 0 };
    let mut specs = vec![reader.placed_spec()?];
    while reader.eat(",") {
        specs.push(reader.placed_spec()?);
    }
    match reader.is_at_end() {
        true => Ok(specs),
        false => Err(reader.expected("`[`, `:coalesce`, `,` or the end of the list")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn expected(&self, expected: &'static str) -> NoSpec {
        NoSpec { at: self.at, expected }
    }

    fn rest(&mut self) -> &str {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        &self.text[self.at..]
    }

    fn is_at_end(&mut self) -> bool {
        self.rest().is_empty()
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn word(&mut self) -> Option<String> {
        let is_part = |c: char| c == '_' || c.is_ascii_alphanumeric();
        let rest = self.rest();
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let word = rest[..end].to_owned();
        self.at += end;
        (!word.is_empty()).then_some(word)
    }

    fn placed_spec(&mut self) -> Result<(ArraySpec, Range<usize>), NoSpec> {
        self.rest();
        let start = self.at;
        let spec = self.spec()?;
        Ok((spec, start..self.at))
    }

    fn spec(&mut self) -> Result<ArraySpec, NoSpec> {
        self.rest();
        let missing = self.expected("the name of an array");
        let is_name = |word: &String| !word.starts_with(|c: char| c.is_ascii_digit());
        let name = self.word().filter(is_name).ok_or(missing)?;
        let mut lengths = Vec::new();
        while self.eat("[") {
            lengths.push(self.length()?);
            if !self.eat("]") {
                return Err(self.expected("`]`, `+`, `-`, `*` or `/`"));
            }
        }
        let mut coalesce = false;
        while self.eat(":") {
            self.rest();
            let missing = self.expected("`coalesce`");
            if self.word().as_deref() != Some("coalesce") {
                return Err(missing);
            }
            coalesce = true;
        }
        Ok(ArraySpec { name, lengths, coalesce })
    }

    fn length(&mut self) -> Result<Length, NoSpec> {
        // Nothing between the brackets leaves the length open as `*` does.
        if self.rest().starts_with(']') || self.eat("*") {
            return Ok(Length::Vague);
        }
        let first = self.constant()?;
        let mut rest = Vec::new();
        let operators = [
            ("+", Operator::Plus),
            ("-", Operator::Minus),
            ("*", Operator::Times),
            ("×", Operator::Times),
            ("/", Operator::Divide),
        ];
        while let Some(&(_, operator)) = operators.iter().find(|(token, _)| self.eat(token)) {
            rest.push((operator, self.constant()?));
        }
        Ok(Length::Of(Expression { first, rest }))
    }

    fn constant(&mut self) -> Result<Constant, NoSpec> {
        self.rest();
        let missing = self.expected("`TB_X`, `TB_Y`, `TB_Z` or an integer");
        let word = self.word().ok_or_else(|| missing.clone())?;
        match &*word {
            "TB_X" => Ok(Constant::Block(0)),
            "TB_Y" => Ok(Constant::Block(1)),
            "TB_Z" => Ok(Constant::Block(2)),
            number => number.parse().map(Constant::Integer).map_err(|_| missing),
        }
    }
}

impl Display for Constant {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Constant::Integer(number) => write!(f, "{number}"),
            Constant::Block(axis) => f.write_str(["TB_X", "TB_Y", "TB_Z"][(*axis).min(2)]),
        }
    }
}

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        for (operator, constant) in &self.rest {
            let sign = match operator {
                Operator::Plus => '+',
                Operator::Minus => '-',
                Operator::Times => '*',
                Operator::Divide => '/',
            };
            write!(f, "{sign}{constant}")?;
        }
        Ok(())
    }
}

impl Display for ArraySpec {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for length in &self.lengths {
            match length {
                Length::Vague => f.write_str("[*]")?,
                Length::Of(expression) => write!(f, "[{expression}]")?,
            }
        }
        f.write_str(if self.coalesce { ":coalesce" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_list_and_every_form_of_a_length() {
        let text = "B[*][TB_X], A[TB_Y] [ * ] : coalesce, c[2*TB_X+4-TB_Z/2][], s";
        let specs = parse(text).unwrap();
        let shown: Vec<String> = specs.iter().map(ArraySpec::to_string).collect();
        assert_eq!(shown, ["B[*][TB_X]", "A[TB_Y][*]:coalesce", "c[2*TB_X+4-TB_Z/2][*]", "s"]);
        assert_eq!(parse(&shown.join(",")), Ok(specs));
    }

    #[test]
    fn lengths_are_computed_as_in_c() {
        let value = |text: &str, block| match &parse(&format!("a[{text}]")).unwrap()[0].lengths[0] {
            Length::Of(expression) => expression.value(block),
            Length::Vague => None,
        };
        assert_eq!(value("2×TB_X+4-TB_Z/2", [32, 1, 6]), Some(65));
        assert_eq!(value("9-3-2", [1; 3]), Some(4));
        assert_eq!(value("8/3*3", [1; 3]), Some(6));
        assert_eq!(value("8/TB_Y", [1, 0, 1]), None);
        assert_eq!(value("9223372036854775807*2", [1; 3]), None);
        let long = format!("1{}", "+TB_X".repeat(100_000));
        assert_eq!(value(&long, [2, 1, 1]), Some(200_001));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let at = |text: &str| {
            let error = parse(text).unwrap_err();
            (error.at, error.expected)
        };
        assert_eq!(at(""), (0, "the name of an array"));
        assert_eq!(at("A[4],"), (5, "the name of an array"));
        assert_eq!(at("4[4]"), (0, "the name of an array"));
        assert_eq!(at("A[TB_W]"), (2, "`TB_X`, `TB_Y`, `TB_Z` or an integer"));
        assert_eq!(at("A[4+]"), (4, "`TB_X`, `TB_Y`, `TB_Z` or an integer"));
        assert_eq!(at("A[4"), (3, "`]`, `+`, `-`, `*` or `/`"));
        assert_eq!(at("A[99999999999999999999]").0, 2);
        assert_eq!(at("A[4]:coalesced"), (5, "`coalesce`"));
        assert_eq!(at("A[4];"), (4, "`[`, `:coalesce`, `,` or the end of the list"));
    }
}

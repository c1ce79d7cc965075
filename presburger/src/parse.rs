//! A reader of the notation that `Display` writes, a subset of isl's.
//!
//! ```text
//! union   := [params "->"] "{" piece (";" piece)* "}"
//! piece   := tuple ["->" tuple] [":" formula]
//! formula := conjunctions joined by "or", of comparisons, "not", "exists (names : formula)", "true" and "false"
//! ```
//!
//! Comparisons chain and take lists (`0 <= i, j < n`); expressions know `+ - *`, `2i`, `floor(e / 2)`, `e mod 2` and
//! `e % 2`. A tuple element that is an expression instead of a new name becomes an equality.

mod formula;
mod tokens;

use std::str::FromStr;
use std::sync::Arc;

use crate::basic_set::BasicSet;
use crate::error::{Error, Result};
use crate::map::Map;
use crate::set::Set;
use crate::space::Space;
use formula::{Formula, Scope};
use tokens::{Token, Tokens};

impl FromStr for Set {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let set = parse_union(text)?;
        if set.space().is_map() {
            return Err(Error::Parse {
                offset: 0,
                message: "a set was expected, this is a map".into(),
            });
        }
        Ok(set)
    }
}

impl FromStr for Map {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let set = parse_union(text)?;
        Self::from_set(set).map_err(|_| Error::Parse {
            offset: 0,
            message: "a map was expected, this is a set".into(),
        })
    }
}

impl FromStr for BasicSet {
    type Err = Error;

    /// Reads a set of exactly one piece.
    fn from_str(text: &str) -> Result<Self> {
        let set: Set = text.parse()?;
        match set.pieces() {
            [piece] => Ok(piece.clone()),
            [] => Ok(Self::empty(set.space().clone())),
            _ => Err(Error::Parse {
                offset: 0,
                message: "one piece was expected, these are several".into(),
            }),
        }
    }
}

/// A tuple as written.
struct Tuple {
    offset: usize,
    elements: Vec<Formula>,
}

fn parse_union(text: &str) -> Result<Set> {
    let mut tokens = Tokens::new(text)?;
    let params = parse_params(&mut tokens)?;
    tokens.expect(Token::Symbol("{"))?;
    let mut union: Option<Set> = None;
    loop {
        let piece = parse_piece(&mut tokens, &params)?;
        union = Some(match union {
            None => piece,
            Some(union) => {
                let offset = tokens.offset();
                union.union(&piece).map_err(|error| match error {
                    Error::SpaceMismatch => Error::Parse {
                        offset,
                        message: "the pieces have tuples of different lengths".into(),
                    },
                    other => other,
                })?
            }
        });
        if !tokens.accept(Token::Symbol(";")) {
            break;
        }
    }
    tokens.expect(Token::Symbol("}"))?;
    tokens.expect(Token::End)?;
    union.ok_or_else(|| tokens.error("a piece was expected"))
}

fn parse_params(tokens: &mut Tokens<'_>) -> Result<Vec<Arc<str>>> {
    let mut params = Vec::new();
    if tokens.accept(Token::Symbol("[")) {
        while let Some(name) = tokens.accept_name() {
            params.push(Arc::from(name));
            if !tokens.accept(Token::Symbol(",")) {
                break;
            }
        }
        tokens.expect(Token::Symbol("]"))?;
        tokens.expect(Token::Symbol("->"))?;
    }
    Ok(params)
}

fn parse_tuple(tokens: &mut Tokens<'_>) -> Result<Tuple> {
    let offset = tokens.offset();
    tokens.expect(Token::Symbol("["))?;
    let mut elements = Vec::new();
    if !tokens.accept(Token::Symbol("]")) {
        loop {
            elements.push(formula::parse_sum(tokens, 0)?);
            if !tokens.accept(Token::Symbol(",")) {
                break;
            }
        }
        tokens.expect(Token::Symbol("]"))?;
    }
    Ok(Tuple { offset, elements })
}

fn parse_piece(tokens: &mut Tokens<'_>, params: &[Arc<str>]) -> Result<Set> {
    let first = parse_tuple(tokens)?;
    let second = if tokens.accept(Token::Symbol("->")) { Some(parse_tuple(tokens)?) } else { None };
    let condition = if tokens.accept(Token::Symbol(":")) {
        formula::parse_formula(tokens, 0)?
    } else {
        Formula::Truth(true)
    };

    // A name seen for the first time is a dimension; everything else is an equality with an unnamed one.
    let mut dims: Vec<Arc<str>> = Vec::new();
    let mut equalities = Vec::new();
    let inputs = second.is_some().then_some(first.elements.len());
    let start = first.offset;
    for element in
        first.elements.into_iter().chain(second.into_iter().flat_map(|tuple| tuple.elements))
    {
        let name = match &element {
            Formula::Name { name, .. } if !dims.contains(name) && !params.contains(name) => {
                Some(Arc::clone(name))
            }
            _ => None,
        };
        let index = dims.len();
        dims.push(
            name.clone().unwrap_or_else(|| Arc::from(format!("o{}", index - inputs.unwrap_or(0)))),
        );
        if name.is_none() {
            equalities.push((index, element));
        }
    }
    let space = match inputs {
        None => Space::set(params, &dims),
        Some(inputs) => Space::map(params, &dims[..inputs], &dims[inputs..]),
    };
    let scope = Scope::new(space.clone(), equalities.iter().map(|(index, _)| *index));
    let mut set = condition.set(&scope)?;
    for (index, element) in equalities {
        set = set.intersect(&scope.equal(index, &element, start)?)?;
    }
    Ok(set.recast(&space))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read_back() {
        let table = [
            ("{ [i] : 0 <= i < 10 }", "{ [i] : 0 <= i <= 9 }"),
            ("[n] -> { [i, j] : 0 <= i, j < n }", "[n] -> { [i, j] : 0 <= i < n and 0 <= j < n }"),
            ("[n] -> { [i] : i = 2n + 1 }", "[n] -> { [i] : i = 2n + 1 }"),
            ("{ [i] -> [i + 1] : i >= 0 }", "{ [i] -> [o0] : o0 = i + 1 and i >= 0 }"),
            ("{ [i, i] }", "{ [i, o1] : o1 = i }"),
            ("{ [i] : i mod 2 = 0 }", "{ [i] : exists (e0 : i = 2e0) }"),
            ("{ [i] : exists (k : i = 3k) }", "{ [i] : exists (e0 : i = 3e0) }"),
            ("{ [i] : i < 0 or i > 4 }", "{ [i] : i <= -1; [i] : i >= 5 }"),
            ("{ [i] : not (0 <= i <= 4) }", "{ [i] : i <= -1; [i] : i >= 5 }"),
            ("{ [i] : 2 * (i + 1) >= 3 and not false }", "{ [i] : i >= 1 }"),
            ("{ [i] : i >= 1 and i <= 0 }", "{ [i] : false }"),
            ("{ [] }", "{ [] }"),
        ];
        for (text, printed) in table {
            let set = parse_union(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(set.to_string(), printed, "{text}");
            let again = parse_union(printed).unwrap_or_else(|error| panic!("{printed}: {error}"));
            assert_eq!(again.is_equal(&set), Ok(true), "{text}");
        }
    }

    #[test]
    fn bad_text_is_refused_with_its_place() {
        let table = [
            ("", 0),
            ("{ [i", 4),
            ("{ [i] : k > 0 }", 8),
            ("{ [i] : i * i > 0 }", 10),
            ("{ [i] : i }", 8),
            ("{ [i] : (i > 0) + 1 > 0 }", 8),
            ("{ [i] : i mod 0 = 0 }", 14),
            ("{ [i] : i > 99999999999999999999 }", 12),
            ("{ [i] : i > 0 } x", 16),
            ("{ [i] § }", 6),
            ("[n] -> { [i]; [i, j] }", 21),
        ];
        for (text, at) in table {
            match parse_union(text) {
                Err(Error::Parse { offset, .. }) => assert_eq!(offset, at, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
        let deep = format!("{{ [i] : {}i > 0 }}", "(".repeat(100_000));
        assert!(matches!(parse_union(&deep), Err(Error::Parse { .. })));
    }
}

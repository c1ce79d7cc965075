//! Formulas and expressions: their trees, their grammar and their meaning.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::tokens::{Token, Tokens};
use crate::affine::{Affine, Constraint};
use crate::basic_set::BasicSet;
use crate::error::{Error, Result};
use crate::set::Set;
use crate::space::Space;

/// Deeper nesting is refused, so that no text exhausts the stack.
const DEEPEST: usize = 100;

/// A formula or an expression. Both share one tree because a parenthesis may open either.
#[derive(Clone, Debug)]
pub(crate) enum Formula {
    Truth(bool),
    Name { name: Arc<str>, offset: usize },
    Number(i64),
    Sum { left: Box<Self>, right: Box<Self>, scale: i64 },
    Product { left: Box<Self>, right: Box<Self>, offset: usize },
    Floor { expr: Box<Self>, divisor: i64 },
    Modulo { expr: Box<Self>, divisor: i64 },
    Compare { left: Vec<Self>, operator: &'static str, right: Vec<Self>, offset: usize },
    Not(Box<Self>),
    All(Vec<Self>),
    Any(Vec<Self>),
    Exists { names: Vec<Arc<str>>, body: Box<Self> },
}

fn deeper(tokens: &Tokens<'_>, depth: usize) -> Result<usize> {
    if depth >= DEEPEST { Err(tokens.error("the nesting is too deep")) } else { Ok(depth + 1) }
}

/// `conjunction ("or" conjunction)*`
pub(crate) fn parse_formula(tokens: &mut Tokens<'_>, depth: usize) -> Result<Formula> {
    let depth = deeper(tokens, depth)?;
    let mut parts = vec![parse_conjunction(tokens, depth)?];
    while tokens.accept(Token::Word("or")) {
        parts.push(parse_conjunction(tokens, depth)?);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { Formula::Any(parts) })
}

fn parse_conjunction(tokens: &mut Tokens<'_>, depth: usize) -> Result<Formula> {
    let mut parts = vec![parse_chain(tokens, depth)?];
    while tokens.accept(Token::Word("and")) {
        parts.push(parse_chain(tokens, depth)?);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { Formula::All(parts) })
}

fn comparison(tokens: &Tokens<'_>) -> Option<&'static str> {
    match tokens.peek() {
        Token::Symbol(symbol @ ("<" | "<=" | ">" | ">=" | "=" | "==" | "!=")) => Some(symbol),
        _ => None,
    }
}

/// `list (operator list)*`, or a formula that stands alone.
fn parse_chain(tokens: &mut Tokens<'_>, depth: usize) -> Result<Formula> {
    let depth = deeper(tokens, depth)?;
    if tokens.accept(Token::Word("not")) {
        return Ok(Formula::Not(Box::new(parse_chain(tokens, depth)?)));
    }
    if tokens.accept(Token::Word("exists")) {
        return parse_exists(tokens, depth);
    }
    let offset = tokens.offset();
    let first = parse_sum(tokens, depth)?;
    if comparison(tokens).is_none() && tokens.peek() != Token::Symbol(",") {
        return Ok(first);
    }
    let mut left = parse_list(first, tokens, depth)?;
    let mut parts = Vec::new();
    while let Some(operator) = comparison(tokens) {
        tokens.advance();
        let first = parse_sum(tokens, depth)?;
        let right = parse_list(first, tokens, depth)?;
        parts.push(Formula::Compare { left, operator, right: right.clone(), offset });
        left = right;
    }
    if parts.is_empty() {
        Err(tokens.error("a comparison was expected"))
    } else {
        Ok(Formula::All(parts))
    }
}

fn parse_list(first: Formula, tokens: &mut Tokens<'_>, depth: usize) -> Result<Vec<Formula>> {
    let mut list = vec![first];
    while tokens.accept(Token::Symbol(",")) {
        list.push(parse_sum(tokens, depth)?);
    }
    Ok(list)
}

fn parse_exists(tokens: &mut Tokens<'_>, depth: usize) -> Result<Formula> {
    let parenthesis = tokens.accept(Token::Symbol("("));
    let mut names = Vec::new();
    while let Some(name) = tokens.accept_name() {
        names.push(Arc::from(name));
        if !tokens.accept(Token::Symbol(",")) {
            break;
        }
    }
    tokens.expect(Token::Symbol(":"))?;
    let body = Box::new(parse_formula(tokens, depth)?);
    if parenthesis {
        tokens.expect(Token::Symbol(")"))?;
    }
    Ok(Formula::Exists { names, body })
}

/// `product (("+" | "-") product)*`
pub(crate) fn parse_sum(tokens: &mut Tokens<'_>, depth: usize) -> Result<Formula> {
    let depth = deeper(tokens, depth)?;
    let mut sum = parse_product(tokens, depth)?;
    loop {
        let scale = match tokens.peek() {
            Token::Symbol("+") => 1,
            Token::Symbol("-") => -1,
            _ => return Ok(sum),
        };
        tokens.advance();
        let right = Box::new(parse_product(tokens, depth)?);
        sum = Formula::Sum { left: Box::new(sum), right, scale };
    }
}

fn parse_product(tokens: &mut Tokens<'_>, depth: usize) -> Result<Formula> {
    let mut product = parse_primary(tokens, depth)?;
    loop {
        let offset = tokens.offset();
        match tokens.peek() {
            Token::Symbol("*") => {
                tokens.advance();
                let right = Box::new(parse_primary(tokens, depth)?);
                product = Formula::Product { left: Box::new(product), right, offset };
            }
            Token::Symbol("%") | Token::Word("mod") => {
                tokens.advance();
                let divisor = parse_divisor(tokens)?;
                product = Formula::Modulo { expr: Box::new(product), divisor };
            }
            _ => return Ok(product),
        }
    }
}

fn parse_divisor(tokens: &mut Tokens<'_>) -> Result<i64> {
    match tokens.peek() {
        Token::Number(divisor) if divisor > 0 => {
            tokens.advance();
            Ok(divisor)
        }
        _ => Err(tokens.error("a positive number was expected as the divisor")),
    }
}

fn parse_primary(tokens: &mut Tokens<'_>, depth: usize) -> Result<Formula> {
    let depth = deeper(tokens, depth)?;
    let offset = tokens.offset();
    match tokens.peek() {
        Token::Number(number) => {
            tokens.advance();
            match tokens.peek() {
                // `2i` and `2(i + 1)`.
                Token::Word(word) if !matches!(word, "mod" | "and" | "or") => {}
                Token::Symbol("(") => {}
                _ => return Ok(Formula::Number(number)),
            }
            let right = Box::new(parse_primary(tokens, depth)?);
            Ok(Formula::Product { left: Box::new(Formula::Number(number)), right, offset })
        }
        Token::Symbol("-") => {
            tokens.advance();
            let right = Box::new(parse_primary(tokens, depth)?);
            Ok(Formula::Sum { left: Box::new(Formula::Number(0)), right, scale: -1 })
        }
        Token::Symbol("(") => {
            tokens.advance();
            let inner = parse_formula(tokens, depth)?;
            tokens.expect(Token::Symbol(")"))?;
            Ok(inner)
        }
        Token::Word("true") => {
            tokens.advance();
            Ok(Formula::Truth(true))
        }
        Token::Word("false") => {
            tokens.advance();
            Ok(Formula::Truth(false))
        }
        Token::Word("floor") => {
            tokens.advance();
            tokens.expect(Token::Symbol("("))?;
            let expr = Box::new(parse_sum(tokens, depth)?);
            tokens.expect(Token::Symbol("/"))?;
            let divisor = parse_divisor(tokens)?;
            tokens.expect(Token::Symbol(")"))?;
            Ok(Formula::Floor { expr, divisor })
        }
        Token::Word(word) if !matches!(word, "and" | "or" | "not" | "exists" | "mod") => {
            tokens.advance();
            Ok(Formula::Name { name: Arc::from(word), offset })
        }
        _ => Err(tokens.error("an expression was expected")),
    }
}

/// What names mean inside a formula.
pub(crate) struct Scope {
    space: Space,
    /// Dimensions without a name of their own.
    unnamed: BTreeSet<usize>,
}

impl Scope {
    pub(crate) fn new(space: Space, unnamed: impl IntoIterator<Item = usize>) -> Self {
        Self { space: space.flattened(), unnamed: unnamed.into_iter().collect() }
    }

    /// The innermost meaning of a name.
    fn lookup(&self, name: &str) -> Option<Affine> {
        let dims = (0..self.space.dims()).rev().filter(|dim| !self.unnamed.contains(dim));
        let dim = dims.into_iter().find(|&dim| self.space.dim_name(dim) == name);
        let param = || (0..self.space.params()).find(|&param| self.space.param_name(param) == name);
        dim.map(Affine::dim).or_else(|| param().map(Affine::param))
    }

    /// The set where a dimension has the value of an expression.
    pub(crate) fn equal(&self, dim: usize, expr: &Formula, offset: usize) -> Result<Set> {
        let mut piece = BasicSet::universe(self.space.clone());
        let value = expr.affine(self, &mut piece, offset)?;
        piece.add(&Constraint::eq(Affine::dim(dim), value))?;
        Ok(piece.simplified().into())
    }
}

impl Formula {
    /// The tuples of the scope for which the formula holds.
    pub(crate) fn set(&self, scope: &Scope) -> Result<Set> {
        match self {
            Self::Truth(true) => Ok(Set::universe(scope.space.clone())),
            Self::Truth(false) => Ok(Set::empty(scope.space.clone())),
            Self::Not(inner) => inner.set(scope)?.complement(),
            Self::All(parts) => {
                let universe = Set::universe(scope.space.clone());
                parts.iter().try_fold(universe, |set, part| set.intersect(&part.set(scope)?))
            }
            Self::Any(parts) => {
                let empty = Set::empty(scope.space.clone());
                parts.iter().try_fold(empty, |set, part| set.union(&part.set(scope)?))
            }
            Self::Exists { names, body } => {
                let inner =
                    Scope { space: scope.space.extended(names), unnamed: scope.unnamed.clone() };
                body.set(&inner)?.project_out(scope.space.dims()..inner.space.dims())
            }
            Self::Compare { left, operator, right, offset } => {
                let mut set = Set::universe(scope.space.clone());
                for left in left {
                    for right in right {
                        set = set.intersect(&compare(scope, left, operator, right, *offset)?)?;
                    }
                }
                Ok(set)
            }
            _ => Err(Error::Parse {
                offset: self.offset(),
                message: "a condition was expected here".into(),
            }),
        }
    }

    /// The value of an expression; divisions add existentials to `piece`.
    fn affine(&self, scope: &Scope, piece: &mut BasicSet, offset: usize) -> Result<Affine> {
        match self {
            Self::Name { name, offset } => scope.lookup(name).ok_or_else(|| Error::Parse {
                offset: *offset,
                message: format!("`{name}` is neither a dimension nor a parameter"),
            }),
            Self::Number(number) => Ok(Affine::constant(*number)),
            Self::Sum { left, right, scale } => {
                let left = left.affine(scope, piece, offset)?;
                Ok(left + right.affine(scope, piece, offset)? * *scale)
            }
            Self::Product { left, right, offset } => {
                let left = left.affine(scope, piece, *offset)?;
                let right = right.affine(scope, piece, *offset)?;
                match (left.as_constant(), right.as_constant()) {
                    (Some(factor), _) => Ok(right * factor),
                    (_, Some(factor)) => Ok(left * factor),
                    _ => Err(Error::Parse {
                        offset: *offset,
                        message: "one side of a product has to be a number".into(),
                    }),
                }
            }
            Self::Floor { expr, divisor } => {
                let expr = expr.affine(scope, piece, offset)?;
                piece.floor_div(&expr, *divisor)
            }
            Self::Modulo { expr, divisor } => {
                let expr = expr.affine(scope, piece, offset)?;
                piece.modulo(&expr, *divisor)
            }
            _ => Err(Error::Parse { offset, message: "an expression was expected here".into() }),
        }
    }

    fn offset(&self) -> usize {
        match self {
            Self::Name { offset, .. }
            | Self::Product { offset, .. }
            | Self::Compare { offset, .. } => *offset,
            Self::Sum { left, .. } => left.offset(),
            Self::Floor { expr, .. } | Self::Modulo { expr, .. } => expr.offset(),
            _ => 0,
        }
    }
}

fn compare(
    scope: &Scope,
    left: &Formula,
    operator: &str,
    right: &Formula,
    offset: usize,
) -> Result<Set> {
    let mut piece = BasicSet::universe(scope.space.clone());
    let left = left.affine(scope, &mut piece, offset)?;
    let right = right.affine(scope, &mut piece, offset)?;
    let constraint = match operator {
        "<" => Constraint::lt(left, right),
        "<=" => Constraint::le(left, right),
        ">" => Constraint::gt(left, right),
        ">=" => Constraint::ge(left, right),
        "!=" => {
            let mut above = piece.clone();
            above.add(&Constraint::gt(left.clone(), right.clone()))?;
            piece.add(&Constraint::lt(left, right))?;
            return Set::from(piece.simplified()).union(&above.simplified().into());
        }
        _ => Constraint::eq(left, right),
    };
    piece.add(&constraint)?;
    Ok(piece.simplified().into())
}

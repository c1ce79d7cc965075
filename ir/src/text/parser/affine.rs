//! Affine expressions, maps and sets, over dimensions or over SSA names.

use smallvec::SmallVec;

use super::{Delimiter, OpParser, Position, Unresolved, parse_magnitude};
use crate::affine::{AffineExpr, AffineMap, BinaryOp, IntegerSet};
use crate::text::lexer::TokenKind;
use crate::text::{ParseError, ParseResult};

/// What is wrong where an expression would stand.
const NO_EXPRESSION: &str = "expected affine expression";

/// What is wrong with parentheses that nothing stands in.
const EMPTY: &str = "no expression inside parentheses";

/// What is wrong with an operator that nothing stands behind.
const NO_RIGHT: &str = "missing right operand of binary operator";

/// What names in an expression mean.
enum Names<'s> {
    /// Those declared in front of a map or set.
    Declared { dims: Vec<&'s str>, symbols: Vec<&'s str> },
    /// SSA names become dimensions, `symbol(%x)` symbols, in order of appearance.
    Values { dims: SmallVec<[Unresolved; 4]>, symbols: SmallVec<[Unresolved; 4]> },
}

/// A map read off SSA names: `[%i + 2, %j]`.
#[derive(Clone, Debug)]
pub struct MapOfValues {
    /// The map.
    pub map: AffineMap,
    /// Operands that became dimensions.
    pub dims: SmallVec<[Unresolved; 4]>,
    /// Operands that became symbols.
    pub symbols: SmallVec<[Unresolved; 4]>,
}

impl<'s> OpParser<'_, 's> {
    /// Reads `(d0, d1)[s0] -> (d0 + s0, d1)`, without the `affine_map<>` round it.
    pub fn parse_affine_map(&mut self) -> ParseResult<AffineMap> {
        let (names, dims, symbols) = self.parse_declared_names()?;
        self.expect_in("->", " or ':'")?;
        self.map_results(names, dims, symbols)
    }

    fn map_results(
        &mut self,
        mut names: Names<'s>,
        dims: u32,
        symbols: u32,
    ) -> ParseResult<AffineMap> {
        let mut results = Vec::new();
        self.delimited_list_in(Delimiter::Paren, " in affine map range", |p| {
            results.push(p.parse_expr(&mut names)?);
            Ok(())
        })?;
        Ok(self.ir.ctx.map(dims, symbols, &results))
    }

    /// Reads `(d0)[s0] : (d0 >= 0, d0 - s0 == 0)`, without the `affine_set<>` round it.
    pub fn parse_integer_set(&mut self) -> ParseResult<IntegerSet> {
        let (names, dims, symbols) = self.parse_declared_names()?;
        self.expect(":")?;
        self.set_constraints(names, dims, symbols)
    }

    fn set_constraints(
        &mut self,
        mut names: Names<'s>,
        dims: u32,
        symbols: u32,
    ) -> ParseResult<IntegerSet> {
        let mut constraints = Vec::new();
        self.delimited_list_in(Delimiter::Paren, " in integer set constraint list", |p| {
            let left = p.parse_expr(&mut names)?;
            // `>=` is two tokens.
            let at = p.here();
            let flipped = p.at("<");
            let equality = !flipped && !p.at(">");
            if !(p.eat("<") || p.eat(">") || p.eat("=")) || !p.eat("=") {
                return p.error(
                    at,
                    "expected '== affine-expr' or '>= affine-expr' at end of affine constraint",
                );
            }
            let right = p.parse_expr(&mut names)?;
            let ctx = &mut p.ir.ctx;
            let difference =
                if flipped { ctx.sub_expr(right, left) } else { ctx.sub_expr(left, right) };
            constraints.push((difference, equality));
            Ok(())
        })?;
        if constraints.is_empty() {
            // The universal set has one true constraint, as upstream prints it.
            let zero = self.ir.ctx.constant_expr(0);
            constraints.push((zero, true));
        }
        Ok(self.ir.ctx.integer_set(dims, symbols, &constraints))
    }

    /// Reads `(d0, d1)[s0]` in front of a map or set, and counts the names.
    fn parse_declared_names(&mut self) -> ParseResult<(Names<'s>, u32, u32)> {
        let (mut dims, mut symbols) = (Vec::new(), Vec::new());
        self.delimited_list(Delimiter::Paren, |p| p.parse_declared_name(&mut dims, &[]))?;
        self.delimited_list(Delimiter::OptionalSquare, |p| {
            p.parse_declared_name(&mut symbols, &dims)
        })?;
        let counts = (dims.len() as u32, symbols.len() as u32);
        Ok((Names::Declared { dims, symbols }, counts.0, counts.1))
    }

    fn parse_declared_name(
        &mut self,
        names: &mut Vec<&'s str>,
        others: &[&str],
    ) -> ParseResult<()> {
        let (at, text) = (self.here(), self.token_text());
        if self.token.kind != TokenKind::Bare {
            return self.expected("bare identifier");
        }
        self.advance();
        if names.contains(&text) || others.contains(&text) {
            return self.error(at, format!("redefinition of identifier '{text}'"));
        }
        names.push(text);
        Ok(())
    }

    /// Reads a list of expressions over SSA names, as in `affine.load %m[%i + 2, symbol(%n)]`.
    pub fn parse_affine_map_of_ssa_ids(
        &mut self,
        delimiter: Delimiter,
    ) -> ParseResult<MapOfValues> {
        let mut names = Names::Values { dims: SmallVec::new(), symbols: SmallVec::new() };
        let mut results: SmallVec<[AffineExpr; 4]> = SmallVec::new();
        self.delimited_list(delimiter, |p| {
            results.push(p.parse_expr(&mut names)?);
            Ok(())
        })?;
        Ok(self.map_of_values(names, &results))
    }

    /// Reads one expression over SSA names.
    pub fn parse_affine_expr_of_ssa_ids(&mut self) -> ParseResult<MapOfValues> {
        let mut names = Names::Values { dims: SmallVec::new(), symbols: SmallVec::new() };
        let result = self.parse_expr(&mut names)?;
        Ok(self.map_of_values(names, &[result]))
    }

    fn map_of_values(&mut self, names: Names<'s>, results: &[AffineExpr]) -> MapOfValues {
        let (dims, symbols) = match names {
            Names::Values { dims, symbols } => (dims, symbols),
            Names::Declared { .. } => (SmallVec::new(), SmallVec::new()),
        };
        let map = self.ir.ctx.map(dims.len() as u32, symbols.len() as u32, results);
        MapOfValues { map, dims, symbols }
    }

    /// Reads `(%a, %b)[%s]`, the operands behind a map or set: dimensions, then symbols. Returns
    /// how many are dimensions.
    pub fn parse_dim_and_symbol_operands(
        &mut self,
        operands: &mut SmallVec<[Unresolved; 4]>,
    ) -> ParseResult<usize> {
        operands.extend(self.parse_operand_list(Delimiter::Paren)?);
        let dims = operands.len();
        operands.extend(self.parse_operand_list(Delimiter::OptionalSquare)?);
        Ok(dims)
    }

    fn parse_expr(&mut self, names: &mut Names<'s>) -> ParseResult<AffineExpr> {
        self.nested(|p| {
            let mut left = p.parse_product(names, NO_EXPRESSION)?;
            loop {
                let negative = p.at("-");
                if !p.eat("+") && !p.eat("-") {
                    return Ok(left);
                }
                let right = p.parse_product(names, NO_RIGHT)?;
                let ctx = &mut p.ir.ctx;
                left = if negative { ctx.sub_expr(left, right) } else { ctx.add_expr(left, right) };
            }
        })
    }

    fn parse_product(&mut self, names: &mut Names<'s>, missing: &str) -> ParseResult<AffineExpr> {
        let mut left = self.parse_factor(names, missing)?;
        loop {
            let at = self.here();
            let op = match self.token_text() {
                "*" => BinaryOp::Mul,
                "floordiv" => BinaryOp::FloorDiv,
                "ceildiv" => BinaryOp::CeilDiv,
                "mod" => BinaryOp::Mod,
                _ => return Ok(left),
            };
            self.advance();
            let right = self.parse_factor(names, NO_RIGHT)?;
            self.check_affine(at, op, left, right)?;
            left = self.ir.ctx.binary_expr(op, left, right);
        }
    }

    fn check_affine(
        &mut self,
        at: Position,
        op: BinaryOp,
        left: AffineExpr,
        right: AffineExpr,
    ) -> ParseResult<()> {
        let ctx = &self.ir.ctx;
        let (allowed, rule) = match op {
            BinaryOp::Add => return Ok(()),
            BinaryOp::Mul => (
                ctx.is_symbolic(left) || ctx.is_symbolic(right),
                "at least one of the multiply operands has to be either a constant or symbolic",
            ),
            BinaryOp::FloorDiv => (
                ctx.is_symbolic(right),
                "right operand of floordiv has to be either a constant or symbolic",
            ),
            BinaryOp::CeilDiv => (
                ctx.is_symbolic(right),
                "right operand of ceildiv has to be either a constant or symbolic",
            ),
            BinaryOp::Mod => (
                ctx.is_symbolic(right),
                "right operand of mod has to be either a constant or symbolic",
            ),
        };
        if allowed { Ok(()) } else { self.error(at, format!("non-affine expression: {rule}")) }
    }

    /// Reads a factor; `missing` says what there is not, where there is none.
    fn parse_factor(&mut self, names: &mut Names<'s>, missing: &str) -> ParseResult<AffineExpr> {
        let (at, text) = (self.here(), self.token_text());
        if matches!(text, "+" | "*") {
            return self.error(at, "missing left operand of binary operator");
        }
        match self.token.kind {
            TokenKind::Integer => {
                self.advance();
                let value = parse_magnitude(text).and_then(|value| i64::try_from(value).ok());
                match value {
                    Some(value) => Ok(self.ir.ctx.constant_expr(value)),
                    None => self.error(at, "constant too large for index"),
                }
            }
            TokenKind::Punctuation if text == "(" => {
                self.advance();
                if self.at(")") {
                    return self.error(self.here(), EMPTY);
                }
                let inner = self.parse_expr(names)?;
                self.expect(")")?;
                Ok(inner)
            }
            TokenKind::Punctuation if text == "-" => {
                self.advance();
                let (operand, said) = (self.here(), self.diagnostics.len());
                let Ok(inner) = self.nested(|p| p.parse_factor(names, NO_EXPRESSION)) else {
                    // Once, of the sign that nothing stands behind, not of all those around it.
                    let missing = matches!(
                        self.diagnostics.get(said..),
                        Some([only]) if only.message == NO_EXPRESSION || only.message == EMPTY
                    );
                    return match missing {
                        true => self.error(operand, "missing operand of negation"),
                        false => Err(ParseError),
                    };
                };
                let minus_one = self.ir.ctx.constant_expr(-1);
                Ok(self.ir.ctx.mul_expr(inner, minus_one))
            }
            TokenKind::Percent => self.parse_value_name(names, false),
            TokenKind::Bare => {
                self.advance();
                match names {
                    Names::Values { .. } if text == "symbol" => {
                        self.expect("(")?;
                        let expr = self.parse_value_name(names, true)?;
                        self.expect(")")?;
                        Ok(expr)
                    }
                    Names::Declared { dims, symbols } => {
                        let position = |list: &[&str]| list.iter().position(|&name| name == text);
                        if let Some(i) = position(dims) {
                            Ok(self.ir.ctx.dim_expr(i as u32))
                        } else if let Some(i) = position(symbols) {
                            Ok(self.ir.ctx.symbol_expr(i as u32))
                        } else {
                            self.error(at, format!("use of undeclared identifier '{text}'"))
                        }
                    }
                    Names::Values { .. } => self.error(at, "expected affine expression"),
                }
            }
            TokenKind::Error => self.expected("affine expression"),
            _ => self.error(at, missing),
        }
    }

    fn parse_value_name(&mut self, names: &mut Names<'s>, symbol: bool) -> ParseResult<AffineExpr> {
        let at = self.here();
        let operand = self.parse_operand()?;
        let Names::Values { dims, symbols } = names else {
            return self.error(at, "unexpected SSA name in affine expression");
        };
        let list = if symbol { symbols } else { dims };
        let same = |known: &Unresolved| {
            known.number == operand.number
                && self.operand_text(*known) == self.operand_text(operand)
        };
        let position = match list.iter().position(same) {
            Some(position) => position,
            None => {
                list.push(operand);
                list.len() - 1
            }
        } as u32;
        let ctx = &mut self.ir.ctx;
        Ok(if symbol { ctx.symbol_expr(position) } else { ctx.dim_expr(position) })
    }
}

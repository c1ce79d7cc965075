//! Operands, arguments and successors in the text.

use smallvec::SmallVec;

use super::{OpParser, Position};
use crate::attrs::Dict;
use crate::graph::{Block, Value};
use crate::location::Location;
use crate::text::ParseResult;
use crate::text::lexer::TokenKind;
use crate::types::Type;

/// A use of a value by name, `%x` or `%x#1`, not looked up yet because its type comes later.
#[derive(Clone, Copy, Debug)]
pub struct Unresolved {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) number: u32,
}

impl Unresolved {
    /// Where it stands.
    pub fn position(self) -> Position {
        Position(self.start)
    }
}

/// An argument of a region's entry block as an operation's syntax declares it.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Its name.
    pub name: Unresolved,
    /// Its type, where the text has said it.
    pub ty: Option<Type>,
    /// Attributes behind the type.
    pub attrs: Dict,
    /// Location behind that.
    pub location: Option<Location>,
}

impl Argument {
    /// A name with a type.
    pub fn new(name: Unresolved, ty: Type) -> Self {
        Argument { name, ty: Some(ty), attrs: Dict::EMPTY, location: None }
    }
}

/// What stands round a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Delimiter {
    None,
    Paren,
    Square,
    Angle,
    Braces,
    /// May be absent altogether.
    OptionalParen,
    OptionalSquare,
    OptionalAngle,
    OptionalBraces,
}

impl<'s> OpParser<'_, 's> {
    /// Reads `%x` or `%x#1`.
    pub fn parse_operand(&mut self) -> ParseResult<Unresolved> {
        if self.token.kind != TokenKind::Percent {
            return self.expected("SSA operand");
        }
        let (start, end) = (self.token.start, self.token.end);
        self.advance();
        let mut number = 0;
        if self.token.kind == TokenKind::Hash && self.token.start == end {
            match self.token_text()[1..].parse() {
                Ok(parsed) => number = parsed,
                Err(_) => return self.error(self.here(), "invalid SSA value result number"),
            }
            self.advance();
        }
        Ok(Unresolved { start, end, number })
    }

    /// Reads an operand if one is next.
    pub fn parse_optional_operand(&mut self) -> ParseResult<Option<Unresolved>> {
        if self.at_operand() { self.parse_operand().map(Some) } else { Ok(None) }
    }

    /// Reads operands separated by commas, between delimiters. Without delimiters the list is
    /// empty if no operand is next.
    pub fn parse_operand_list(
        &mut self,
        delimiter: Delimiter,
    ) -> ParseResult<SmallVec<[Unresolved; 4]>> {
        let mut operands = SmallVec::new();
        if delimiter == Delimiter::None && !self.at_operand() {
            return Ok(operands);
        }
        self.delimited_list(delimiter, |p| {
            operands.push(p.parse_operand()?);
            Ok(())
        })?;
        Ok(operands)
    }

    /// The name of an operand as written, `%x`.
    pub fn operand_text(&self, operand: Unresolved) -> &'s str {
        self.slice(operand.start, operand.end)
    }

    /// Looks up operands that each have the type of the same position; `at` is where a wrong
    /// number of types is reported.
    pub fn resolve_all(
        &mut self,
        operands: &[Unresolved],
        types: &[Type],
        at: Position,
        into: &mut SmallVec<[Value; 4]>,
    ) -> ParseResult<()> {
        if operands.len() != types.len() {
            let message = format!(
                "number of operands and types do not match: got {} operands and {} types",
                operands.len(),
                types.len()
            );
            return self.error(at, message);
        }
        for (&operand, &ty) in operands.iter().zip(types) {
            into.push(self.resolve(operand, ty)?);
        }
        Ok(())
    }

    /// Looks up operands of one type.
    pub fn resolve_same(
        &mut self,
        operands: &[Unresolved],
        ty: Type,
        into: &mut SmallVec<[Value; 4]>,
    ) -> ParseResult<()> {
        for &operand in operands {
            into.push(self.resolve(operand, ty)?);
        }
        Ok(())
    }

    /// Reads `%name`, with `: type {attributes}` behind it if `typed`, and a location.
    pub fn parse_argument(&mut self, typed: bool) -> ParseResult<Argument> {
        let name = self.parse_operand()?;
        if name.number != 0 || self.lexer.byte(name.end) == b'#' {
            return self.error(name.position(), "result number not allowed in argument list");
        }
        let mut argument = Argument { name, ty: None, attrs: Dict::EMPTY, location: None };
        if typed {
            argument.ty = Some(self.parse_colon_type()?);
            argument.attrs = self.parse_optional_dict()?;
        }
        argument.location = self.parse_optional_location()?;
        Ok(argument)
    }

    /// Reads arguments separated by commas, between delimiters.
    pub fn parse_argument_list(
        &mut self,
        delimiter: Delimiter,
        typed: bool,
    ) -> ParseResult<Vec<Argument>> {
        let mut arguments = Vec::new();
        if delimiter == Delimiter::None && !self.at_operand() {
            return Ok(arguments);
        }
        self.delimited_list(delimiter, |p| {
            arguments.push(p.parse_argument(typed)?);
            Ok(())
        })?;
        Ok(arguments)
    }

    /// Reads `(%a = %b, ...)`: arguments with the operands they start from.
    pub fn parse_assignment_list(&mut self) -> ParseResult<Vec<(Argument, Unresolved)>> {
        let mut assignments = Vec::new();
        self.delimited_list(Delimiter::Paren, |p| {
            let argument = p.parse_argument(false)?;
            p.expect("=")?;
            assignments.push((argument, p.parse_operand()?));
            Ok(())
        })?;
        Ok(assignments)
    }

    /// Reads `^block`.
    pub fn parse_successor(&mut self) -> ParseResult<Block> {
        if self.token.kind != TokenKind::Caret {
            return self.expected("block name");
        }
        let (at, name) = (self.here(), self.token_text());
        self.advance();
        Ok(self.refer_to_block(name, at))
    }

    /// Reads `^block` if it is next.
    pub fn parse_optional_successor(&mut self) -> ParseResult<Option<Block>> {
        if self.at_successor() { self.parse_successor().map(Some) } else { Ok(None) }
    }

    /// Reads `^block(%a, %b : i32, f32)`; the operands go to the end of `operands`. Returns the
    /// block and how many operands it takes.
    pub fn parse_successor_with_operands(
        &mut self,
        operands: &mut SmallVec<[Value; 4]>,
    ) -> ParseResult<(Block, usize)> {
        let block = self.parse_successor()?;
        if !self.eat("(") {
            return Ok((block, 0));
        }
        let at = self.here();
        let names = self.parse_operand_list(Delimiter::None)?;
        self.expect(":")?;
        let types = self.parse_type_list()?;
        self.expect(")")?;
        self.resolve_all(&names, &types, at, operands)?;
        Ok((block, names.len()))
    }
}

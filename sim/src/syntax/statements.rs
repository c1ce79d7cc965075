//! Bodies of functions: statements, instructions, operands.

use std::ops::{Deref, DerefMut};

use bumpalo::Bump;

use crate::isa::Type;

use super::lexer::{Token, TokenKind};
use super::parser::{MAX_DEPTH, MAX_ERRORS, Parser, Refused};
use super::{Instruction, Linkage, Name, Operand, OperandKind, Statement};

/// Reads what stands in a body.
pub(super) struct BodyParser<'a, 's> {
    pub(super) parser: Parser<'a, 's>,
    /// Where modifiers and operands go.
    arena: &'a Bump,
    /// Operands and modifiers that are not in the arena yet.
    operands: Vec<Operand<'a>>,
    modifiers: Vec<Name<'a>>,
    /// Whether statements are kept, and not only looked at.
    keeps: bool,
    /// Where `.global` and `.const` variables are declared.
    pub(super) inner: Vec<u32>,
}

impl<'a, 's> Deref for BodyParser<'a, 's> {
    type Target = Parser<'a, 's>;

    fn deref(&self) -> &Parser<'a, 's> {
        &self.parser
    }
}

impl<'a, 's> DerefMut for BodyParser<'a, 's> {
    fn deref_mut(&mut self) -> &mut Parser<'a, 's> {
        &mut self.parser
    }
}

impl<'a, 's> BodyParser<'a, 's> {
    pub(super) fn new(parser: Parser<'a, 's>, arena: &'a Bump, keeps: bool) -> Self {
        let (operands, modifiers, inner) = (Vec::new(), Vec::new(), Vec::new());
        BodyParser { parser, arena, operands, modifiers, keeps, inner }
    }

    /// The statements after a `{`, with the closing `}`.
    pub(super) fn block(&mut self, depth: u32) -> Result<Vec<Statement<'a>>, Refused> {
        if depth > MAX_DEPTH {
            return Err(self.refuse("blocks nested too deeply"));
        }
        let mut statements = Vec::new();
        loop {
            if self.eat('}') {
                return Ok(statements);
            }
            if self.peek().kind == TokenKind::End || self.errors.len() >= MAX_ERRORS {
                return Err(self.refuse("expected `}` at the end of a function"));
            }
            let before = self.at;
            if let Err(error) = self.statement(&mut statements, depth) {
                self.errors.push(*error);
                self.operands.clear();
                self.recover();
                if self.at == before && !self.at_sign('}') {
                    self.skip(1);
                }
            }
            if !self.keeps {
                statements.clear();
            }
        }
    }

    pub(super) fn statement(
        &mut self,
        out: &mut Vec<Statement<'a>>,
        depth: u32,
    ) -> Result<(), Refused> {
        let token = self.peek();
        match token.kind {
            TokenKind::Sign(';') => self.skip(1),
            TokenKind::Sign('{') => {
                self.skip(1);
                let block = self.block(depth + 1)?;
                out.push(Statement::Block(block));
            }
            TokenKind::Dot("loc") => out.push(Statement::Location(self.location()?)),
            TokenKind::Dot("pragma") => self.recover(),
            TokenKind::Dot("section") => {
                while !matches!(self.peek().kind, TokenKind::Sign('{') | TokenKind::End) {
                    self.skip(1);
                }
                self.recover();
            }
            TokenKind::Dot("reg") => {
                self.skip(1);
                out.push(self.registers()?);
            }
            TokenKind::Dot("shared" | "local" | "param" | "global" | "const") => {
                if let TokenKind::Dot("global" | "const") = token.kind {
                    self.inner.push(token.span.start);
                }
                let mut variables = Vec::new();
                self.variables(Linkage::Local, &mut variables)?;
                out.extend(variables.into_iter().map(Statement::Variable));
            }
            TokenKind::Dot("extern") => {
                self.skip(1);
                let mut variables = Vec::new();
                self.variables(Linkage::Extern, &mut variables)?;
                out.extend(variables.into_iter().map(Statement::Variable));
            }
            TokenKind::Word(text) if matches!(self.second().kind, TokenKind::Sign(':')) => {
                self.skip(2);
                let name = Name { text, span: token.span };
                match self.peek().kind {
                    TokenKind::Dot("branchtargets") => {
                        let targets = self.targets("a label")?;
                        out.push(Statement::BranchTargets { name, targets });
                    }
                    TokenKind::Dot("calltargets") => {
                        let targets = self.targets("a function name")?;
                        out.push(Statement::CallTargets { name, targets });
                    }
                    TokenKind::Dot("callprototype") => {
                        self.skip(1);
                        let mut lists = [Vec::new(), Vec::new()];
                        if self.at_sign('(') {
                            lists[0] = self.parameters()?;
                        }
                        self.word("`_`")?;
                        if self.at_sign('(') {
                            lists[1] = self.parameters()?;
                        }
                        while matches!(self.peek().kind, TokenKind::Dot(_)) {
                            self.skip(1);
                            if let TokenKind::Int(_) = self.peek().kind {
                                self.skip(1);
                            }
                        }
                        self.expect(';')?;
                        let [returns, params] = lists;
                        out.push(Statement::Prototype { name, returns, params });
                    }
                    _ => out.push(Statement::Label(name)),
                }
            }
            TokenKind::Word(_) | TokenKind::Sign('@') => out.push(self.instruction()?),
            _ => return Err(self.refuse("expected an instruction or a directive")),
        }
        Ok(())
    }

    /// The names after `.branchtargets` or `.calltargets`, with the `;`.
    fn targets(&mut self, what: &str) -> Result<Vec<Name<'a>>, Refused> {
        self.skip(1);
        let mut targets = Vec::new();
        loop {
            targets.push(self.word(what)?);
            if !self.eat(',') {
                self.expect(';')?;
                return Ok(targets);
            }
        }
    }

    pub(super) fn registers(&mut self) -> Result<Statement<'a>, Refused> {
        let span = self.peek().span;
        let ty = match self.next().kind {
            TokenKind::Dot(vector @ ("v2" | "v4")) => {
                return Err(self
                    .error_at(span, format!("vector registers (`.{vector}`) are not supported")));
            }
            TokenKind::Dot(name) => Type::by_name(name)
                .filter(|ty| ty.is_storable())
                .ok_or_else(|| self.unknown_type(name, span))?,
            _ => return Err(self.error_at(span, "expected the type of the registers")),
        };
        let mut names = Vec::new();
        loop {
            let name = self.word("a register name")?;
            let mut count = None;
            if self.eat('<') {
                let span = self.peek().span;
                let number = self.small("a number of registers")?;
                if number > 1 << 20 {
                    return Err(self.error_at(span, "more than a million registers"));
                }
                count = Some(number);
                self.expect('>')?;
            }
            names.push((name, count));
            if !self.eat(',') {
                break;
            }
        }
        self.expect(';')?;
        Ok(Statement::Registers { ty, names })
    }

    pub(super) fn instruction(&mut self) -> Result<Statement<'a>, Refused> {
        let start = self.peek().span;
        let guard = if self.eat('@') {
            let negated = self.eat('!');
            Some((self.word("a predicate")?, negated))
        } else {
            None
        };
        let opcode = self.word("an instruction")?;
        self.modifiers.clear();
        while let Token { kind: TokenKind::Dot(text), span } = self.peek() {
            self.skip(1);
            self.modifiers.push(Name { text, span });
        }
        let first = self.operands.len();
        while !self.at_sign(';') {
            // Only a call has lists in parentheses; elsewhere they belong to an expression.
            let operand = if opcode.text == "call" && self.at_sign('(') {
                let start = self.next().span;
                let kind = OperandKind::Group(self.operands(')', 0)?);
                Operand { kind, span: start.to(self.last) }
            } else {
                self.operand(0)?
            };
            self.operands.push(operand);
            if !self.eat(',') {
                break;
            }
        }
        let span = start.to(self.last);
        self.expect(';')?;
        let operands = self.settled(first);
        let modifiers = self.arena.alloc_slice_copy(&self.modifiers);
        Ok(Statement::Instruction(Instruction { guard, opcode, modifiers, operands, span }))
    }

    /// Operands between brackets, with the closing one.
    fn operands(&mut self, close: char, depth: u32) -> Result<&'a [Operand<'a>], Refused> {
        let first = self.operands.len();
        while !self.at_sign(close) {
            let operand = self.operand(depth + 1)?;
            self.operands.push(operand);
            if !self.eat(',') {
                break;
            }
        }
        self.expect(close)?;
        Ok(self.settled(first))
    }

    /// The operands from a number on, which are complete, in the arena.
    fn settled(&mut self, first: usize) -> &'a [Operand<'a>] {
        let items = self.arena.alloc_slice_copy(&self.operands[first..]);
        self.operands.truncate(first);
        items
    }

    pub(super) fn operand(&mut self, depth: u32) -> Result<Operand<'a>, Refused> {
        if depth > MAX_DEPTH {
            return Err(self.refuse("operand nested too deeply"));
        }
        let start = self.peek().span;
        let mut kind = self.simple_operand(depth)?;
        if self.eat('|') {
            let left = Operand { kind, span: start };
            let right = self.operand(depth + 1)?;
            kind = OperandKind::Pair(self.arena.alloc([left, right]));
        }
        let span = start.to(self.last);
        Ok(Operand { kind, span })
    }

    pub(super) fn simple_operand(&mut self, depth: u32) -> Result<OperandKind<'a>, Refused> {
        Ok(match self.peek().kind {
            TokenKind::Word("_") => {
                self.skip(1);
                OperandKind::Sink
            }
            TokenKind::Word("WARP_SZ") => OperandKind::Int(self.constant()?),
            TokenKind::Word(name) => {
                self.skip(1);
                if let TokenKind::Dot(member) = self.peek().kind {
                    self.skip(1);
                    OperandKind::Member(name, member)
                } else if matches!(self.peek().kind, TokenKind::Sign('+' | '-')) {
                    OperandKind::Offset(name, self.offset()?)
                } else {
                    OperandKind::Name(name)
                }
            }
            TokenKind::Sign('!') if matches!(self.second().kind, TokenKind::Word(_)) => {
                self.skip(1);
                OperandKind::Not(self.word("a predicate")?.text)
            }
            TokenKind::Sign('-') if matches!(self.second().kind, TokenKind::Word(name) if name != "WARP_SZ") =>
            {
                self.skip(1);
                let operand = self.operand(depth + 1)?;
                OperandKind::Negative(self.arena.alloc(operand))
            }
            TokenKind::F32(bits) => {
                self.skip(1);
                OperandKind::F32(bits)
            }
            TokenKind::F64(bits, _) => {
                self.skip(1);
                OperandKind::F64(bits)
            }
            TokenKind::Sign('-')
                if matches!(self.second().kind, TokenKind::F64(..) | TokenKind::F32(_)) =>
            {
                self.skip(1);
                match self.next().kind {
                    TokenKind::F64(bits, _) => OperandKind::F64(bits ^ (1 << 63)),
                    TokenKind::F32(bits) => OperandKind::F32(bits ^ (1 << 31)),
                    _ => OperandKind::Sink,
                }
            }
            TokenKind::Sign('[') => {
                self.skip(1);
                let kind = match self.peek().kind {
                    TokenKind::Word(base) => {
                        self.skip(1);
                        let offset = self.offset()?;
                        if offset == 0 && self.eat(',') {
                            return Ok(OperandKind::Image(base, self.operands(']', depth)?));
                        }
                        OperandKind::Address(Some(base), offset)
                    }
                    _ => OperandKind::Address(None, self.constant()? as i64),
                };
                if !self.at_sign(']') {
                    return Err(self.refuse(
                        "expected `]`: only addresses of the form [base+offset] are supported",
                    ));
                }
                self.skip(1);
                kind
            }
            TokenKind::Sign('{') => {
                self.skip(1);
                OperandKind::Vector(self.operands('}', depth)?)
            }
            _ => OperandKind::Int(self.constant()?),
        })
    }
}

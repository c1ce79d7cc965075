//! Expressions: operators, casts and conditions (C11 §6.5.3 to §6.5.17).

use super::{Parsed, Parser};
use crate::lex::{Keyword, Punct, TokenKind};
use crate::source::Span;
use crate::tree::{BinaryOp, ExprId, ExprKind, IncDec, UnaryOp};
use crate::types::{ArraySize, Type};

/// A binary operator with its precedence.
fn binary_operator(punct: Punct) -> Option<(BinaryOp, u8)> {
    use BinaryOp as B;
    Some(match punct {
        Punct::Star => (B::Mul, 10),
        Punct::Slash => (B::Div, 10),
        Punct::Percent => (B::Rem, 10),
        Punct::Plus => (B::Add, 9),
        Punct::Minus => (B::Sub, 9),
        Punct::Shl => (B::Shl, 8),
        Punct::Shr => (B::Shr, 8),
        Punct::Less => (B::Less, 7),
        Punct::Greater => (B::Greater, 7),
        Punct::LessEq => (B::LessEq, 7),
        Punct::GreaterEq => (B::GreaterEq, 7),
        Punct::EqEq => (B::Equal, 6),
        Punct::BangEq => (B::NotEqual, 6),
        Punct::Amp => (B::And, 5),
        Punct::Caret => (B::Xor, 4),
        Punct::Pipe => (B::Or, 3),
        Punct::AmpAmp => (B::LogicalAnd, 2),
        Punct::PipePipe => (B::LogicalOr, 1),
        _ => return None,
    })
}

/// The operator of a compound assignment.
fn assignment_operator(punct: Punct) -> Option<Option<BinaryOp>> {
    use BinaryOp as B;
    Some(match punct {
        Punct::Eq => None,
        Punct::StarEq => Some(B::Mul),
        Punct::SlashEq => Some(B::Div),
        Punct::PercentEq => Some(B::Rem),
        Punct::PlusEq => Some(B::Add),
        Punct::MinusEq => Some(B::Sub),
        Punct::ShlEq => Some(B::Shl),
        Punct::ShrEq => Some(B::Shr),
        Punct::AmpEq => Some(B::And),
        Punct::CaretEq => Some(B::Xor),
        Punct::PipeEq => Some(B::Or),
        _ => return None,
    })
}

impl Parser {
    pub(super) fn join(&self, left: ExprId, right: ExprId) -> Span {
        self.checker.span(left).to(self.checker.span(right))
    }

    /// An expression, commas included.
    pub(crate) fn expression(&mut self) -> Parsed<ExprId> {
        let mut left = self.assignment_expression()?;
        while self.eat(Punct::Comma) {
            let right = self.assignment_expression()?;
            let span = self.join(left, right);
            left = self.checker.comma(left, right, span);
        }
        Ok(left)
    }

    /// An expression without commas.
    pub(crate) fn assignment_expression(&mut self) -> Parsed<ExprId> {
        let target = self.conditional_expression()?;
        let TokenKind::Punct(punct) = self.peek() else { return Ok(target) };
        let Some(op) = assignment_operator(punct) else { return Ok(target) };
        self.advance();
        let value = self.nested(Parser::assignment_expression)?;
        let span = self.join(target, value);
        Ok(match op {
            None => self.checker.assign(target, value, span),
            Some(op) => self.checker.compound_assign(op, target, value, span),
        })
    }

    /// A conditional expression; also the form of constant expressions.
    pub(crate) fn conditional_expression(&mut self) -> Parsed<ExprId> {
        // `a ? b : c ? d : e` chains, and may do so for long.
        let mut choices = Vec::new();
        let mut last = self.binary_expression(1)?;
        while self.eat(Punct::Question) {
            let then =
                if self.at(Punct::Colon) { None } else { Some(self.nested(Parser::expression)?) };
            self.expect(Punct::Colon, "between the choices of `?:`")?;
            choices.push((last, then));
            last = self.binary_expression(1)?;
        }
        for (condition, then) in choices.into_iter().rev() {
            let span = self.join(condition, last);
            last = self.checker.conditional(condition, then, last, span);
        }
        Ok(last)
    }

    /// Binary operators of at least `least` precedence, climbing.
    fn binary_expression(&mut self, least: u8) -> Parsed<ExprId> {
        let mut left = self.cast_expression()?;
        while let TokenKind::Punct(punct) = self.peek()
            && let Some((op, precedence)) = binary_operator(punct)
            && precedence >= least
        {
            self.advance();
            let right = self.binary_expression(precedence + 1)?;
            let span = self.join(left, right);
            left = self.checker.binary(op, left, right, span);
        }
        Ok(left)
    }

    /// Whether a parenthesised type name stands here.
    fn at_parenthesised_type(&self) -> bool {
        let next = self.peek_ahead(1);
        // No expression starts with an attribute.
        self.at(Punct::LParen)
            && (self.starts_type(next) || self.keyword_of(next) == Some(Keyword::Attribute))
    }

    pub(super) fn cast_expression(&mut self) -> Parsed<ExprId> {
        self.nested(Parser::cast_expression_here)
    }

    fn cast_expression_here(&mut self) -> Parsed<ExprId> {
        if !self.at_parenthesised_type() {
            return self.unary_expression();
        }
        let start = self.advance().span;
        let ty = self.type_name()?;
        self.expect(Punct::RParen, "after the type")?;
        if self.at(Punct::LBrace) {
            let literal = self.compound_literal(ty, start)?;
            return self.postfix_operators(literal, start);
        }
        let operand = self.cast_expression()?;
        let span = self.span_from(start);
        Ok(self.checker.cast(ty, operand, span))
    }

    fn unary_expression(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        if let TokenKind::Punct(punct) = self.peek() {
            let op = match punct {
                Punct::Plus => UnaryOp::Plus,
                Punct::Minus => UnaryOp::Minus,
                Punct::Tilde => UnaryOp::Complement,
                Punct::Bang => UnaryOp::Not,
                Punct::Amp => UnaryOp::AddressOf,
                Punct::Star => UnaryOp::Deref,
                Punct::PlusPlus | Punct::MinusMinus => {
                    self.advance();
                    let operand = self.cast_expression()?;
                    let op = match punct {
                        Punct::PlusPlus => IncDec::PreIncrement,
                        _ => IncDec::PreDecrement,
                    };
                    let span = self.span_from(start);
                    return Ok(self.checker.inc_dec(op, operand, span));
                }
                Punct::AmpAmp => {
                    self.advance();
                    let (name, span) = self.expect_name("a label after `&&`")?;
                    let label = self.label(name, span)?;
                    let ty = self.checker.unit.types.pointer_to(Type::VOID);
                    let span = self.span_from(start);
                    return Ok(self.checker.value(ExprKind::LabelAddress(label), ty, span));
                }
                _ => return self.postfix_expression(),
            };
            self.advance();
            let operand = self.cast_expression()?;
            let span = self.span_from(start);
            return Ok(self.checker.unary(op, operand, span));
        }
        match self.keyword() {
            Some(Keyword::Sizeof) => self.sizeof_expression(),
            Some(Keyword::Alignof | Keyword::AlignofName) => self.alignof_expression(),
            Some(Keyword::Extension) => {
                self.advance();
                self.cast_expression()
            }
            Some(keyword @ (Keyword::Real | Keyword::Imag)) => {
                self.advance();
                let operand = self.cast_expression()?;
                let op = if keyword == Keyword::Real { UnaryOp::Real } else { UnaryOp::Imag };
                let span = self.span_from(start);
                Ok(self.checker.unary(op, operand, span))
            }
            _ => self.postfix_expression(),
        }
    }

    /// The type of the operand of `sizeof` or `_Alignof`, and the operand where it is an expression.
    fn type_or_expression(&mut self) -> Parsed<(Type, Option<ExprId>)> {
        if !self.at_parenthesised_type() {
            let operand = self.nested(Parser::unary_expression)?;
            return Ok((self.checker.ty(operand), Some(operand)));
        }
        let start = self.advance().span;
        let ty = self.type_name()?;
        self.expect(Punct::RParen, "after the type")?;
        if !self.at(Punct::LBrace) {
            return Ok((ty, None));
        }
        let literal = self.compound_literal(ty, start)?;
        let operand = self.postfix_operators(literal, start)?;
        Ok((self.checker.ty(operand), Some(operand)))
    }

    fn sizeof_expression(&mut self) -> Parsed<ExprId> {
        let start = self.advance().span;
        let (ty, _) = self.type_or_expression()?;
        let span = self.span_from(start);
        Ok(self.checker.sizeof(ty, span))
    }

    fn alignof_expression(&mut self) -> Parsed<ExprId> {
        let start = self.advance().span;
        let (ty, operand) = self.type_or_expression()?;
        let declared = operand
            .and_then(|operand| self.checker.unit.named(operand))
            .and_then(|decl| self.checker.unit.decls[decl].align);
        let span = self.span_from(start);
        Ok(self.checker.alignof(ty, declared, span))
    }

    /// `(type){ … }`; the `{` stands here.
    fn compound_literal(&mut self, ty: Type, start: Span) -> Parsed<ExprId> {
        let syntax = self.initializer()?;
        let (init, ty) = self.checker.initialize(ty, &syntax);
        let span = self.span_from(start);
        if matches!(self.checker.unit.types.as_array(ty), Some((_, ArraySize::Variable(_)))) {
            return Ok(self
                .checker
                .refuse(span, "a compound literal cannot have a variable length"));
        }
        let kind = ExprKind::CompoundLiteral(Box::new(init));
        Ok(self.checker.push(kind, ty, crate::tree::ValueCategory::Object, span))
    }
}

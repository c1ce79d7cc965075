//! Initialisers as written (C11 §6.7.9, GNU's `name:` and `[a ... b]`).

use super::{Parsed, Parser};
use crate::lex::{Punct, TokenKind};
use crate::types::{Designator, InitItem, InitSyntax};

impl Parser {
    /// What follows the `=` of a declaration, or the braces of a compound literal.
    pub(super) fn initializer(&mut self) -> Parsed<InitSyntax> {
        self.nested(|parser| {
            if parser.at(Punct::LBrace) {
                parser.initializer_list()
            } else {
                Ok(InitSyntax::Value(parser.assignment_expression()?))
            }
        })
    }

    fn initializer_list(&mut self) -> Parsed<InitSyntax> {
        let start = self.advance().span;
        let mut items = Vec::new();
        while !self.at(Punct::RBrace) {
            let designators = self.designators()?;
            items.push(InitItem { designators, value: self.initializer()? });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::RBrace, "at the end of the initialiser")?;
        Ok(InitSyntax::List(items, self.span_from(start)))
    }

    fn designators(&mut self) -> Parsed<Vec<Designator>> {
        let mut designators = Vec::new();
        if let TokenKind::Ident(name) = self.peek()
            && self.peek_ahead(1) == TokenKind::Punct(Punct::Colon)
        {
            let span = self.advance().span;
            self.advance();
            return Ok(vec![Designator::Member(name, span)]);
        }
        loop {
            if self.eat(Punct::Dot) {
                let (name, span) = self.expect_name("the name of a member")?;
                designators.push(Designator::Member(name, span));
            } else if self.at(Punct::LBracket) {
                let start = self.advance().span;
                let first = self.element_number()?;
                let last = if self.eat(Punct::Ellipsis) { self.element_number()? } else { first };
                self.expect(Punct::RBracket, "after the element's number")?;
                designators.push(Designator::Elements(first, last, self.span_from(start)));
            } else {
                break;
            }
        }
        // GNU's old form `[1] value` has no `=`.
        let old = matches!(designators.as_slice(), [Designator::Elements(..)]);
        if !designators.is_empty() && !self.eat(Punct::Eq) && !old {
            return Err(self.unexpected("`=` after the designator"));
        }
        Ok(designators)
    }

    fn element_number(&mut self) -> Parsed<u64> {
        let expr = self.conditional_expression()?;
        let value = self.checker.require_constant(expr, "the number of an element");
        // A negative number is outside of every array.
        Ok(value.map_or(0, |v| u64::try_from(v).unwrap_or(u64::MAX)))
    }
}

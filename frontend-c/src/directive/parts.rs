//! What clauses of all families are made of: words, numbers, conditions, variables and sections.

use super::{ReductionOp, Section, VarRef};
use crate::lex::{Punct, TokenKind};
use crate::parse::{Failed, Parsed, Parser};
use crate::tree::{DeclKind, ExprId};
use crate::types::{ArraySize, Type};

/// `collapse` over more loops than this is a mistake.
const MOST_COLLAPSED: i128 = 32;

impl Parser {
    /// `( … )` behind a clause's name.
    pub(super) fn argument<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        self.expect(Punct::LParen, &format!("after `{name}`"))?;
        let argument = read(self)?;
        self.expect(Punct::RParen, &format!("after the argument of `{name}`"))?;
        Ok(argument)
    }

    /// The number of loops to collapse.
    pub(super) fn collapsed_loops(&mut self) -> Parsed<u32> {
        let expr = self.assignment_expression()?;
        let span = self.checker.span(expr);
        match self.checker.require_constant(expr, "the number of loops to collapse") {
            Some(count @ 1..=MOST_COLLAPSED) => Ok(count as u32),
            Some(count) => {
                self.checker.error(span, format!("`collapse` cannot be about {count} loops"));
                Err(Failed)
            }
            None => Err(Failed),
        }
    }

    /// The word here, whatever kind of token it is: clause names may be keywords of C.
    pub(super) fn word(&self) -> Option<String> {
        match self.peek() {
            TokenKind::Ident(name) => Some(self.checker.unit.text(name).to_owned()),
            TokenKind::Keyword(keyword) => Some(keyword.spelling().to_owned()),
            _ => None,
        }
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let here = self.word().as_deref() == Some(word);
        if here {
            self.advance();
        }
        here
    }

    pub(super) fn separated<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = vec![read(self)?];
        while self.eat(Punct::Comma) {
            items.push(read(self)?);
        }
        Ok(items)
    }

    /// `*` where an expression could stand.
    pub(super) fn eat_star(&mut self) -> bool {
        let ends = matches!(self.peek_ahead(1), TokenKind::Punct(Punct::Comma | Punct::RParen));
        ends && self.eat(Punct::Star)
    }

    /// `word:`.
    pub(super) fn eat_modifier(&mut self, word: &str) -> bool {
        let here = self.word().as_deref() == Some(word)
            && self.peek_ahead(1) == TokenKind::Punct(Punct::Colon);
        if here {
            self.advance();
            self.advance();
        }
        here
    }

    pub(super) fn clause_condition(&mut self) -> Parsed<ExprId> {
        let expr = self.expression()?;
        Ok(self.checker.condition(expr))
    }

    pub(super) fn integer(&mut self) -> Parsed<ExprId> {
        let expr = self.assignment_expression()?;
        let value = self.checker.rvalue(expr);
        let ty = self.checker.ty(value);
        if !ty.is_error() && !self.checker.unit.types.is_integer(ty) {
            let (span, shown) = (self.checker.span(value), self.checker.show(ty));
            return Ok(self
                .checker
                .refuse(span, format!("this must be an integer, not `{shown}`")));
        }
        Ok(value)
    }

    pub(super) fn reduction_operator(&mut self) -> Parsed<ReductionOp> {
        let op = match (self.peek(), self.word().as_deref()) {
            // What iterations have subtracted adds up (OpenMP 5.1 §2.21.5; older OpenACC codes write it, too).
            (TokenKind::Punct(Punct::Plus | Punct::Minus), _) => ReductionOp::Add,
            (TokenKind::Punct(Punct::Star), _) => ReductionOp::Mul,
            (TokenKind::Punct(Punct::Amp), _) => ReductionOp::And,
            (TokenKind::Punct(Punct::Pipe), _) => ReductionOp::Or,
            (TokenKind::Punct(Punct::Caret), _) => ReductionOp::Xor,
            (TokenKind::Punct(Punct::AmpAmp), _) => ReductionOp::LogicalAnd,
            (TokenKind::Punct(Punct::PipePipe), _) => ReductionOp::LogicalOr,
            (_, Some("max")) => ReductionOp::Max,
            (_, Some("min")) => ReductionOp::Min,
            _ => {
                return Err(
                    self.unexpected("a reduction operator: one of `+ * max min & | ^ && ||`")
                );
            }
        };
        self.advance();
        Ok(op)
    }

    pub(super) fn var_list(&mut self) -> Parsed<Vec<VarRef>> {
        self.separated(Parser::var_ref)
    }

    /// `name`, with members, subscripts and sections behind it.
    fn var_ref(&mut self) -> Parsed<VarRef> {
        let start = self.span();
        let (name, span) = self.expect_name("the name of a variable")?;
        let mut base = self.checker.name(name, span);
        let Some(decl) = self.checker.unit.named(base) else { return Err(Failed) };
        if !matches!(
            self.checker.unit.decls[decl].kind,
            DeclKind::Variable(_) | DeclKind::Parameter { .. }
        ) {
            let text = self.checker.unit.text(name).to_owned();
            self.checker.error(span, format!("`{text}` is not a variable"));
            return Err(Failed);
        }
        let mut first = base;
        let mut sections: Vec<Section> = Vec::new();
        loop {
            match self.peek() {
                TokenKind::Punct(Punct::LBracket) => {
                    let section = self.section()?;
                    if self.assumed_sizes
                        && section.length.is_none()
                        && !section.is_index
                        && sections.is_empty()
                        && self.checker.unit.types.is_pointer(self.checker.ty(first))
                    {
                        continue;
                    }
                    first = self.section_start(first, &section)?;
                    sections.push(section);
                }
                TokenKind::Punct(punct @ (Punct::Dot | Punct::Arrow)) => {
                    if let Some(section) = sections.iter().find(|section| !section.is_index) {
                        let span = section.span;
                        self.checker.error(span, "a section of several elements has no members");
                        return Err(Failed);
                    }
                    self.advance();
                    let (name, name_span) = self.expect_name("the name of a member")?;
                    let span = self.span_from(start);
                    let arrow = punct == Punct::Arrow;
                    first = self.checker.member(first, name, arrow, name_span, span);
                    base = first;
                    sections.clear();
                }
                _ => break,
            }
            if self.checker.ty(first).is_error() {
                return Err(Failed);
            }
        }
        let ty = self.checker.ty(first);
        Ok(VarRef { decl, base, sections, first, ty, span: self.span_from(start) })
    }

    fn section(&mut self) -> Parsed<Section> {
        let start = self.advance().span;
        let mut section =
            Section { lower: None, length: None, stride: None, is_index: false, span: start };
        if let TokenKind::Ident(name) = self.peek()
            && self.peek_ahead(1) == TokenKind::Punct(Punct::RBracket)
            && let Some((_, values)) = self.iterators.iter().find(|(known, _)| *known == name)
        {
            // One element for each value of an iterator is a section of them all.
            section = Section { span: start, ..values.clone() };
            self.advance();
        } else if !self.at(Punct::Colon) {
            section.lower = Some(self.integer()?);
        }
        if self.eat(Punct::Colon) {
            if !self.at(Punct::RBracket) && !self.at(Punct::Colon) {
                section.length = Some(self.integer()?);
            }
            if self.eat(Punct::Colon) {
                section.stride = Some(self.integer()?);
            }
        } else if section.length.is_none() {
            section.is_index = true;
        }
        self.expect(Punct::RBracket, "after the section")?;
        section.span = self.span_from(start);
        Ok(section)
    }

    /// The first element of a section of `object`.
    fn section_start(&mut self, object: ExprId, section: &Section) -> Parsed<ExprId> {
        let ty = self.checker.ty(object);
        if let Some(stride) = section.stride
            && self.checker.constant_int(stride).is_some_and(|stride| stride < 1)
        {
            self.checker.error(section.span, "the stride of a section is 1 or more");
            return Err(Failed);
        }
        let bound = match self.checker.unit.types.as_array(ty) {
            Some((_, ArraySize::Constant(count))) => Some(i128::from(count)),
            Some(_) => None,
            None if self.checker.unit.types.is_pointer(ty) => {
                if section.length.is_none() && !section.is_index {
                    let message = "the length of a pointer's section must be written";
                    self.checker.error(section.span, message);
                    return Err(Failed);
                }
                None
            }
            None => {
                let shown = self.checker.show(ty);
                let message =
                    format!("`{shown}` is neither an array nor a pointer, so it has no sections");
                self.checker.error(section.span, message);
                return Err(Failed);
            }
        };
        let constant = |expr: Option<ExprId>| match expr {
            Some(expr) => self.checker.constant_int(expr),
            None => Some(0),
        };
        let (lower, length) = (constant(section.lower), constant(section.length));
        let negative = |value: Option<i128>| value.is_some_and(|value| value < 0);
        let beyond = bound.is_some_and(|bound| {
            let stride = section.stride.and_then(|stride| self.checker.constant_int(stride));
            let reach = match (length.unwrap_or(0), stride) {
                (count @ 1.., Some(stride)) => (count - 1).saturating_mul(stride).saturating_add(1),
                (count, _) => count,
            };
            let end = lower.unwrap_or(0).saturating_add(reach);
            end > bound || section.is_index && lower.is_some_and(|lower| lower >= bound)
        });
        // In front of what a pointer points to there may be something.
        let is_array = self.checker.unit.types.as_array(ty).is_some();
        if is_array && negative(lower) || negative(length) || beyond {
            let bound = bound.map_or(String::new(), |bound| format!(" of {bound} elements"));
            self.checker
                .error(section.span, format!("this section is outside of the array{bound}"));
            return Err(Failed);
        }
        let span = self.checker.span(object).to(section.span);
        let index = match section.lower {
            Some(lower) => lower,
            None => self.checker.int(0, Type::INT, section.span),
        };
        Ok(self.checker.index(object, index, span))
    }
}

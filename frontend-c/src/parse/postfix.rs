//! Primary and postfix expressions (C11 §6.5.1 and §6.5.2), and GNU's builtin forms.

use gpuc_diagnostics::Diagnostic;

use super::{Parsed, Parser};
use crate::lex::{CharacterType, Keyword, Punct, StringLiteral, TokenKind, decode_strings};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{ExprId, ExprKind, IncDec};
use crate::types::{Entity, FunctionType, Type, TypeKind};

impl Parser {
    pub(super) fn postfix_expression(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let primary = self.primary_expression()?;
        self.postfix_operators(primary, start)
    }

    pub(super) fn postfix_operators(&mut self, base: ExprId, start: Span) -> Parsed<ExprId> {
        let mut expr = base;
        while let TokenKind::Punct(punct) = self.peek() {
            match punct {
                Punct::LBracket => {
                    self.advance();
                    let index = self.expression()?;
                    self.expect(Punct::RBracket, "after the subscript")?;
                    let span = self.span_from(start);
                    expr = self.checker.index(expr, index, span);
                }
                Punct::LParen => {
                    let arguments = self.arguments()?;
                    let span = self.span_from(start);
                    expr = self.checker.call(expr, arguments, span);
                }
                Punct::Dot | Punct::Arrow => {
                    self.advance();
                    let (name, name_span) = self.expect_name("the name of a member")?;
                    let span = self.span_from(start);
                    expr = self.checker.member(expr, name, punct == Punct::Arrow, name_span, span);
                }
                Punct::PlusPlus | Punct::MinusMinus => {
                    self.advance();
                    let op = match punct {
                        Punct::PlusPlus => IncDec::PostIncrement,
                        _ => IncDec::PostDecrement,
                    };
                    let span = self.span_from(start);
                    expr = self.checker.inc_dec(op, expr, span);
                }
                _ => break,
            }
        }
        Ok(expr)
    }

    fn arguments(&mut self) -> Parsed<Vec<ExprId>> {
        self.advance();
        let mut arguments = Vec::new();
        if !self.at(Punct::RParen) {
            loop {
                arguments.push(self.assignment_expression()?);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        self.expect(Punct::RParen, "after the arguments")?;
        Ok(arguments)
    }

    /// The string literals that stand here, joined.
    pub(super) fn string_literals(&mut self) -> Option<StringLiteral> {
        let mut spellings = Vec::new();
        let start = self.span();
        while let TokenKind::String(spelling) = self.peek() {
            spellings.push(spelling);
            self.advance();
        }
        if spellings.is_empty() {
            return None;
        }
        let texts: Vec<_> = spellings.iter().map(|&s| self.checker.unit.text(s)).collect();
        match decode_strings(&texts) {
            Ok(literal) => Some(literal),
            Err(message) => {
                let span = self.span_from(start);
                self.checker.error(span, message);
                Some(StringLiteral { element: CharacterType::Char, units: Box::default() })
            }
        }
    }

    fn primary_expression(&mut self) -> Parsed<ExprId> {
        let token = self.token();
        let span = token.span;
        if let Some(keyword) = self.keyword() {
            return self.keyword_expression(keyword);
        }
        match token.kind {
            TokenKind::Number(spelling) => {
                self.advance();
                Ok(self.checker.number(spelling, span))
            }
            TokenKind::Char(spelling) => {
                self.advance();
                Ok(self.checker.character(spelling, span))
            }
            TokenKind::String(_) => {
                let literal = self.string_literals();
                let span = self.span_from(span);
                Ok(match literal {
                    Some(literal) => self.checker.string(literal, span),
                    None => self.checker.error_expr(span),
                })
            }
            TokenKind::Ident(name) => {
                self.advance();
                Ok(self.name(name, span))
            }
            TokenKind::Punct(Punct::LParen) => {
                self.advance();
                if self.at(Punct::LBrace) {
                    return self.statement_expression(span);
                }
                let inner = self.expression()?;
                self.expect(Punct::RParen, "after the expression")?;
                let span = self.span_from(span);
                Ok(self.checker.paren(inner, span))
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    /// A name: declared, a builtin, `__func__`, or a function called without a declaration.
    fn name(&mut self, name: Symbol, span: Span) -> ExprId {
        if !matches!(self.checker.scopes.find(name), Some(Entity::Decl(_)))
            && !self.checker.builtins.contains_key(&name)
        {
            let text = self.checker.unit.text(name);
            let builtin = text.starts_with("__builtin_");
            if matches!(text, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") {
                return self.function_name(span);
            }
            if text.starts_with("__") && self.declare_builtin(name, span) {
                return self.checker.name(name, span);
            }
            if self.at(Punct::LParen) && builtin {
                self.foreign_builtin(name, span);
            } else if self.at(Punct::LParen) {
                self.implicit_function(name, span);
            }
        }
        self.checker.name(name, span)
    }

    fn function_name(&mut self, span: Span) -> ExprId {
        let name = self.function.as_ref().map_or("", |f| self.checker.unit.name(f.decl));
        let units = name.bytes().map(u32::from).collect();
        self.checker.string(StringLiteral { element: CharacterType::Char, units }, span)
    }

    /// A builtin of the host compiler's, such as those for vector instructions, of which only it knows
    /// what they yield. In a region that is an error; elsewhere it is of no concern.
    fn foreign_builtin(&mut self, name: Symbol, span: Span) {
        self.require_known_aside(name, span);
        let ty = self.checker.unit.types.function(FunctionType {
            result: Type::ERROR,
            parameters: Box::default(),
            variadic: false,
            prototype: false,
        });
        self.checker.declare_implicit(name, ty, span);
    }

    /// System headers declare what they call, but for the compiler's own functions.
    fn require_known_aside(&mut self, name: Symbol, span: Span) {
        if self.checker.is_aside() {
            let text = self.checker.unit.text(name).to_owned();
            self.checker.error(span, format!("`{text}` is not known"));
        }
    }

    fn implicit_function(&mut self, name: Symbol, span: Span) {
        self.require_known_aside(name, span);
        let text = self.checker.unit.text(name).to_owned();
        let mut diagnostic = Diagnostic::warning(format!(
            "`{text}` is called without a declaration; it is taken to return `int`"
        ));
        let near =
            self.checker.nearest(name, |d| matches!(d.kind, crate::tree::DeclKind::Function(_)));
        if let Some(near) = near {
            diagnostic = diagnostic.meant(near);
        }
        self.checker.report(span, diagnostic);
        let ty = self.checker.unit.types.function(FunctionType {
            result: Type::INT,
            parameters: Box::default(),
            variadic: false,
            prototype: false,
        });
        self.checker.declare_implicit(name, ty, span);
    }

    /// `({ … })`; the `{` stands here.
    fn statement_expression(&mut self, start: Span) -> Parsed<ExprId> {
        if self.function.is_none() {
            return Err(self.unexpected("an expression (a statement needs a function around it)"));
        }
        let body = self.nested(Parser::compound)?;
        self.expect(Punct::RParen, "after the statement expression")?;
        let value = self.checker.unit.block_value(body);
        let ty = value.map_or(Type::VOID, |value| self.checker.ty(value));
        let span = self.span_from(start);
        Ok(self.checker.value(ExprKind::StatementExpr(body), ty, span))
    }

    fn keyword_expression(&mut self, keyword: Keyword) -> Parsed<ExprId> {
        let start = self.span();
        match keyword {
            Keyword::True | Keyword::False => {
                self.advance();
                Ok(self.checker.int((keyword == Keyword::True).into(), Type::BOOL, start))
            }
            Keyword::Nullptr => {
                self.advance();
                Ok(self.checker.int(0, Type::NULLPTR, start))
            }
            Keyword::Generic => self.generic_selection(),
            Keyword::BuiltinVaArg => {
                self.builtin_form(keyword)?;
                let list = self.assignment_expression()?;
                self.expect(Punct::Comma, "after the list of `va_arg`")?;
                let ty = self.type_name()?;
                self.expect(Punct::RParen, "after the type of `va_arg`")?;
                let list = self.checker.rvalue(list);
                let span = self.span_from(start);
                Ok(self.checker.value(ExprKind::VaArg(list), ty, span))
            }
            Keyword::BuiltinTypesCompatible => {
                self.builtin_form(keyword)?;
                let first = self.type_name()?;
                self.expect(Punct::Comma, "between the types")?;
                let second = self.type_name()?;
                self.expect(Punct::RParen, "after the types")?;
                let same = self.checker.unit.types.compatible_unqualified(first, second);
                let span = self.span_from(start);
                Ok(self.checker.int(same.into(), Type::INT, span))
            }
            Keyword::BuiltinChooseExpr => {
                self.builtin_form(keyword)?;
                let condition = self.assignment_expression()?;
                let value = self.checker.require_constant(condition, "the condition");
                self.expect(Punct::Comma, "after the condition")?;
                let first = self.assignment_expression()?;
                self.expect(Punct::Comma, "between the choices")?;
                let second = self.assignment_expression()?;
                self.expect(Punct::RParen, "after the choices")?;
                let span = self.span_from(start);
                Ok(match value {
                    Some(0) => self.checker.paren(second, span),
                    Some(_) => self.checker.paren(first, span),
                    None => self.checker.error_expr(span),
                })
            }
            Keyword::BuiltinComplex => {
                self.builtin_form(keyword)?;
                let real = self.assignment_expression()?;
                self.expect(Punct::Comma, "between the parts")?;
                let imaginary = self.assignment_expression()?;
                self.expect(Punct::RParen, "after the parts")?;
                let (real, imaginary, part) = self.checker.arithmetic(real, imaginary);
                let ty = self.checker.unit.types.complex_of(part);
                let span = self.span_from(start);
                Ok(self.checker.value(ExprKind::Complex(real, imaginary), ty, span))
            }
            Keyword::BuiltinOffsetof => self.offsetof(),
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn builtin_form(&mut self, keyword: Keyword) -> Parsed<()> {
        self.advance();
        self.expect(Punct::LParen, &format!("after `{}`", keyword.spelling()))?;
        Ok(())
    }

    fn generic_selection(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        self.builtin_form(Keyword::Generic)?;
        let control = if self.starts_type(self.peek()) {
            self.type_name()?
        } else {
            let expr = self.assignment_expression()?;
            let value = self.checker.rvalue(expr);
            self.checker.ty(value).unqualified()
        };
        let mut associations = Vec::new();
        while self.eat(Punct::Comma) {
            let ty =
                if self.eat_keyword(Keyword::Default) { None } else { Some(self.type_name()?) };
            self.expect(Punct::Colon, "after the type of an association")?;
            associations.push((ty, self.assignment_expression()?));
        }
        self.expect(Punct::RParen, "after the associations of `_Generic`")?;
        let span = self.span_from(start);
        Ok(self.checker.generic(control, &associations, span))
    }

    /// `__builtin_offsetof(type, member[index].member)`.
    fn offsetof(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        self.builtin_form(Keyword::BuiltinOffsetof)?;
        let mut ty = self.type_name()?;
        self.expect(Punct::Comma, "after the type")?;
        let mut constant: u64 = 0;
        let mut terms: Vec<(ExprId, u64)> = Vec::new();
        let mut first = true;
        loop {
            if first || self.eat(Punct::Dot) {
                let (name, span) = self.expect_name("the name of a member")?;
                let types = &self.checker.unit.types;
                let record = types.as_record(ty);
                let Some(way) = record.and_then(|record| types.find_field(record, name)) else {
                    let (shown, name) = (self.checker.show(ty), self.checker.unit.text(name));
                    let message = format!("`{shown}` has no member `{name}`");
                    self.checker.error(span, message);
                    return Err(super::Failed);
                };
                for field in way {
                    let types = &self.checker.unit.types;
                    let Some(record) = types.as_record(ty) else { break };
                    let field = &types.record(record).fields[field as usize];
                    constant = constant.wrapping_add(field.offset);
                    ty = field.ty;
                }
            } else if self.eat(Punct::LBracket) {
                let index = self.expression()?;
                self.expect(Punct::RBracket, "after the subscript")?;
                let TypeKind::Array { element, .. } = *self.checker.unit.types.kind(ty) else {
                    let (span, shown) = (self.checker.span(index), self.checker.show(ty));
                    self.checker.error(span, format!("`{shown}` is not an array"));
                    return Err(super::Failed);
                };
                let size = self.checker.unit.types.size_of(element).unwrap_or(0);
                let index = self.checker.convert_subscript(index);
                match self.checker.constant_int(index) {
                    Some(index) => {
                        constant = constant.wrapping_add((index as u64).wrapping_mul(size))
                    }
                    None => terms.push((index, size)),
                }
                ty = element;
            } else {
                break;
            }
            first = false;
        }
        self.expect(Punct::RParen, "after the member")?;
        let span = self.span_from(start);
        if terms.is_empty() {
            return Ok(self.checker.int(constant.into(), Type::ULONG, span));
        }
        let kind = ExprKind::OffsetofVariable { constant, terms: terms.into() };
        Ok(self.checker.value(kind, Type::ULONG, span))
    }
}

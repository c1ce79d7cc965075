//! Reads the arguments of clauses.

use super::{ClauseKind, ClauseName, DirectiveKind, Gang, Modifiers, Wait};
use crate::directive::{DefaultData, ReductionOp, Section, VarRef};
use gpuc_diagnostics::Diagnostic;

use super::meaning::device_type;
use crate::lex::{Punct, TokenKind};
use crate::parse::{Failed, Parsed, Parser};
use crate::tree::{DeclKind, ExprId};
use crate::types::{ArraySize, Type};

/// `collapse` over more loops than this is a mistake.
const MOST_COLLAPSED: i128 = 32;

impl Parser {
    pub(super) fn clause_kind(
        &mut self,
        name: ClauseName,
        directive: DirectiveKind,
    ) -> Parsed<ClauseKind> {
        use ClauseName as C;
        match name {
            C::Seq
            | C::Independent
            | C::Auto
            | C::Finalize
            | C::IfPresent
            | C::NoHost
            | C::Read
            | C::Write
            | C::Update
            | C::Capture => Ok(ClauseKind::Word),
            C::If => {
                let condition = self.clause_argument(name, Parser::clause_condition)?;
                Ok(ClauseKind::Condition(condition))
            }
            C::SelfClause if directive != DirectiveKind::Update => {
                if !self.at(Punct::LParen) {
                    return Ok(ClauseKind::OptionalValue(None));
                }
                let condition = self.clause_argument(name, Parser::clause_condition)?;
                Ok(ClauseKind::Condition(condition))
            }
            C::NumWorkers | C::VectorLength | C::DeviceNum | C::DefaultAsync => {
                Ok(ClauseKind::Value(self.clause_argument(name, Parser::integer)?))
            }
            C::Async => Ok(ClauseKind::OptionalValue(self.optional_argument(name, &[])?)),
            C::Worker => Ok(ClauseKind::OptionalValue(self.optional_argument(name, &["num"])?)),
            C::Vector => Ok(ClauseKind::OptionalValue(self.optional_argument(name, &["length"])?)),
            C::NumGangs => Ok(ClauseKind::NumGangs(
                self.clause_argument(name, |parser| parser.separated(Parser::integer))?,
            )),
            C::Gang => self.gang(),
            C::Wait => Ok(ClauseKind::Wait(if self.at(Punct::LParen) {
                self.wait_argument()?
            } else {
                Wait::default()
            })),
            C::Collapse => self.clause_argument(name, Parser::collapse),
            C::Tile => Ok(ClauseKind::Tile(self.clause_argument(name, |parser| {
                parser.separated(|parser| {
                    if parser.eat_star() { Ok(None) } else { parser.integer().map(Some) }
                })
            })?)),
            C::Default => self.clause_argument(name, |parser| match parser.word().as_deref() {
                Some("none") => {
                    parser.advance();
                    Ok(ClauseKind::Default(DefaultData::None))
                }
                Some("present") => {
                    parser.advance();
                    Ok(ClauseKind::Default(DefaultData::Present))
                }
                _ => Err(parser.unexpected("`none` or `present`")),
            }),
            C::Reduction => self.clause_argument(name, |parser| {
                let op = parser.reduction_operator()?;
                parser.expect(Punct::Colon, "after the operator of `reduction`")?;
                Ok(ClauseKind::Reduction { op, vars: parser.var_list()? })
            }),
            C::DeviceType => Ok(ClauseKind::DeviceType(self.clause_argument(name, |parser| {
                parser.separated(|parser| {
                    if parser.eat_star() {
                        return Ok(None);
                    }
                    // Such a name may be a keyword: `default`.
                    let span = parser.span();
                    let Some(name) = parser.word() else {
                        return Err(parser.unexpected("a device type"));
                    };
                    parser.advance();
                    if device_type(Some(&name)).is_none() {
                        let message = format!("`{name}` is not a device type of OpenACC");
                        parser.checker.report(
                            span,
                            Diagnostic::error(message)
                                .help("they are `nvidia`, `radeon`, `host`, `multicore`, `default` and `*`"),
                        );
                        return Err(Failed);
                    }
                    Ok(Some(parser.checker.unit.symbols.intern(&name)))
                })
            })?)),
            C::Bind => self.clause_argument(name, |parser| match parser.peek() {
                TokenKind::Ident(symbol) | TokenKind::String(symbol) => {
                    parser.advance();
                    Ok(ClauseKind::Bind(symbol))
                }
                _ => Err(parser.unexpected("a name or a string")),
            }),
            C::SelfClause
            | C::Private
            | C::FirstPrivate
            | C::DevicePtr
            | C::Present
            | C::Copy
            | C::CopyIn
            | C::CopyOut
            | C::Create
            | C::NoCreate
            | C::Delete
            | C::Attach
            | C::Detach
            | C::UseDevice
            | C::DeviceResident
            | C::Link
            | C::Host
            | C::Device => self.clause_argument(name, |parser| {
                let modifiers = parser.modifiers();
                Ok(ClauseKind::Vars { modifiers, vars: parser.var_list()? })
            }),
        }
    }

    /// `( … )` behind a clause's name.
    fn clause_argument<T>(
        &mut self,
        name: ClauseName,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let name = name.spelling();
        self.expect(Punct::LParen, &format!("after `{name}`"))?;
        let argument = read(self)?;
        self.expect(Punct::RParen, &format!("after the argument of `{name}`"))?;
        Ok(argument)
    }

    fn separated<T>(&mut self, mut read: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![read(self)?];
        while self.eat(Punct::Comma) {
            items.push(read(self)?);
        }
        Ok(items)
    }

    /// `*` where an expression could stand.
    fn eat_star(&mut self) -> bool {
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

    fn clause_condition(&mut self) -> Parsed<ExprId> {
        let expr = self.expression()?;
        Ok(self.checker.condition(expr))
    }

    fn integer(&mut self) -> Parsed<ExprId> {
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

    fn optional_argument(&mut self, name: ClauseName, words: &[&str]) -> Parsed<Option<ExprId>> {
        if !self.at(Punct::LParen) {
            return Ok(None);
        }
        self.clause_argument(name, |parser| {
            for word in words {
                parser.eat_modifier(word);
            }
            parser.integer().map(Some)
        })
    }

    fn gang(&mut self) -> Parsed<ClauseKind> {
        let mut gang = Gang::default();
        if self.at(Punct::LParen) {
            self.clause_argument(ClauseName::Gang, |parser| {
                parser.separated(|parser| {
                    let span = parser.span();
                    let twice = if parser.eat_modifier("static") {
                        let size = if parser.eat_star() { None } else { Some(parser.integer()?) };
                        gang.static_size.replace(size).is_some()
                    } else if parser.eat_modifier("dim") {
                        gang.dim.replace(parser.integer()?).is_some()
                    } else {
                        parser.eat_modifier("num");
                        gang.num.replace(parser.integer()?).is_some()
                    };
                    if twice {
                        parser.checker.error(span, "`gang` takes each of its arguments once");
                    }
                    Ok(())
                })
            })?;
        }
        Ok(ClauseKind::Gang(gang))
    }

    pub(super) fn wait_argument(&mut self) -> Parsed<Wait> {
        self.clause_argument(ClauseName::Wait, |parser| {
            let mut wait = Wait::default();
            if parser.eat_modifier("devnum") {
                wait.device = Some(parser.integer()?);
                parser.expect(Punct::Colon, "after the device number")?;
            }
            parser.eat_modifier("queues");
            wait.queues = parser.separated(Parser::integer)?;
            Ok(wait)
        })
    }

    fn collapse(&mut self) -> Parsed<ClauseKind> {
        let force = self.eat_modifier("force");
        let expr = self.assignment_expression()?;
        let span = self.checker.span(expr);
        match self.checker.require_constant(expr, "the number of loops to collapse") {
            Some(count @ 1..=MOST_COLLAPSED) => {
                Ok(ClauseKind::Collapse { force, count: count as u32 })
            }
            Some(count) => {
                self.checker.error(span, format!("`collapse` cannot be about {count} loops"));
                Err(Failed)
            }
            None => Err(Failed),
        }
    }

    fn reduction_operator(&mut self) -> Parsed<ReductionOp> {
        let op = match (self.peek(), self.word().as_deref()) {
            (TokenKind::Punct(Punct::Plus), _) => ReductionOp::Add,
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

    fn modifiers(&mut self) -> Modifiers {
        let mut modifiers = Modifiers::default();
        loop {
            let colon = |ahead| matches!(ahead, TokenKind::Punct(Punct::Colon | Punct::Comma));
            let word = self.word();
            let flag = match word.as_deref() {
                Some("always") => &mut modifiers.always,
                Some("readonly") => &mut modifiers.readonly,
                Some("zero") => &mut modifiers.zero,
                _ => return modifiers,
            };
            // A variable may have such a name: only `word:` and `word, word:` are modifiers.
            let next = self.peek_ahead(1);
            let list = next == TokenKind::Punct(Punct::Comma)
                && !matches!(self.peek_ahead(3), TokenKind::Punct(Punct::Colon | Punct::Comma));
            if !colon(next) || list {
                return modifiers;
            }
            *flag = true;
            self.advance();
            if self.advance().kind == TokenKind::Punct(Punct::Colon) {
                return modifiers;
            }
        }
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
        let mut section = Section { lower: None, length: None, is_index: false, span: start };
        if !self.at(Punct::Colon) {
            section.lower = Some(self.integer()?);
        }
        if self.eat(Punct::Colon) {
            if !self.at(Punct::RBracket) {
                section.length = Some(self.integer()?);
            }
        } else {
            section.is_index = true;
        }
        self.expect(Punct::RBracket, "after the section")?;
        section.span = self.span_from(start);
        Ok(section)
    }

    /// The first element of a section of `object`.
    fn section_start(&mut self, object: ExprId, section: &Section) -> Parsed<ExprId> {
        let ty = self.checker.ty(object);
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
            let end = lower.unwrap_or(0).saturating_add(length.unwrap_or(0));
            end > bound || section.is_index && lower.is_some_and(|lower| lower >= bound)
        });
        if negative(lower) || negative(length) || beyond {
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

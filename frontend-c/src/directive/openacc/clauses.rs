//! Reads the arguments of clauses.

use super::{ClauseKind, ClauseName, DirectiveKind, Gang, Modifiers, Wait};
use crate::directive::DefaultData;
use gpuc_diagnostics::Diagnostic;

use super::meaning::device_type;
use crate::lex::{Punct, TokenKind};
use crate::parse::{Failed, Parsed, Parser};
use crate::tree::ExprId;

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
            | C::Const
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
        self.argument(name.spelling(), read)
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
        Ok(ClauseKind::Collapse { force, count: self.collapsed_loops()? })
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
}

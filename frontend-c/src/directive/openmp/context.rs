//! Context selectors (OpenMP 5.2 §7.1): `declare variant` and `metadirective` choose by the place where code is
//! compiled for.

use super::parser::refusal;
use crate::directive::construct::Kind;
use crate::directive::{Directive, Family};
use crate::lex::{Punct, Token, TokenKind};
use crate::parse::{Failed, Parsed, Parser};
use crate::source::Span;

/// What code is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CompiledFor {
    /// The host.
    Host,
    /// Device code; in a `parallel` region or not.
    Device {
        /// Whether it stands in one.
        in_parallel: bool,
    },
}

/// What of the trait set `device` holds, and what it counts (OpenMP 5.2 §7.3).
fn device_trait(target: CompiledFor, selector: &str, property: &str) -> Option<u32> {
    let on_device = target != CompiledFor::Host;
    let (holds, score) = match selector {
        "kind" => (
            match property {
                "any" => true,
                "nohost" | "gpu" => on_device,
                "host" | "cpu" => !on_device,
                _ => false,
            },
            1 << 4,
        ),
        "arch" => {
            let of_host = property.starts_with(std::env::consts::ARCH);
            let of_device = matches!(property, "nvptx" | "nvptx64");
            (if on_device { of_device } else { of_host }, 1 << 5)
        }
        _ => (false, 1 << 6),
    };
    holds.then_some(score)
}

impl Parser {
    /// `set={selector(property, …), …}, …`: what it counts where code is compiled for that context.
    pub(super) fn context_selector(&mut self, target: CompiledFor) -> Parsed<Option<u32>> {
        let mut total = Some(1);
        loop {
            let (set, _) = self.expect_name("a trait set such as `device`")?;
            let set = self.checker.unit.text(set).to_owned();
            self.expect(Punct::Eq, "after the name of a trait set")?;
            self.expect(Punct::LBrace, "in front of selectors")?;
            while !self.at(Punct::RBrace) {
                let score = self.selector(target, &set)?;
                total = total.zip(score).map(|(total, score)| total + score);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
            self.expect(Punct::RBrace, "after the selectors")?;
            if !self.eat(Punct::Comma) {
                return Ok(total);
            }
        }
    }

    /// One selector with its properties.
    fn selector(&mut self, target: CompiledFor, set: &str) -> Parsed<Option<u32>> {
        let Some(selector) = self.word() else { return Err(self.unexpected("a selector")) };
        self.advance();
        if !self.at(Punct::LParen) {
            let holds = match (set, selector.as_str(), target) {
                ("construct", "target", CompiledFor::Device { .. }) => true,
                ("construct", "parallel", CompiledFor::Device { in_parallel }) => in_parallel,
                ("implementation", "unified_shared_memory", _) => self.checker.unit.shares_memory,
                ("implementation", "unified_address" | "dynamic_allocators", _) => true,
                _ => false,
            };
            return Ok(holds.then_some(2));
        }
        self.argument(&selector.clone(), |parser| {
            let mut weight = None;
            if parser.word().as_deref() == Some("score") {
                parser.advance();
                let value = parser.argument("score", Parser::integer)?;
                weight = parser.checker.constant_int(value).and_then(|n| u32::try_from(n).ok());
                parser.expect(Punct::Colon, "after a score")?;
            }
            if set == "user" {
                let condition = parser.clause_condition()?;
                let holds = parser.checker.constant_int(condition).is_some_and(|value| value != 0);
                return Ok(holds.then_some(weight.unwrap_or(1)));
            }
            // Which device the other traits are about: the one that regions run on.
            if (set, selector.as_str()) == ("target_device", "device_num") {
                parser.integer()?;
                return Ok(Some(weight.unwrap_or(1)));
            }
            let target = match set {
                "target_device" => CompiledFor::Device { in_parallel: false },
                _ => target,
            };
            let mut score = Some(weight.unwrap_or(0));
            loop {
                let property = parser.property()?;
                let found = match set {
                    "device" | "target_device" => device_trait(target, &selector, &property),
                    "implementation" if selector == "vendor" => (property == "gpuc").then_some(1),
                    _ => None,
                };
                score = score.zip(found).map(|(score, found)| score + found);
                if !parser.eat(Punct::Comma) {
                    return Ok(score);
                }
            }
        })
    }

    /// The name of a property, as a word or a string.
    fn property(&mut self) -> Parsed<String> {
        let span = self.span();
        if self.word().is_none() && !matches!(self.peek(), TokenKind::String(_)) {
            return Err(self.unexpected("the name of a property"));
        }
        self.advance();
        let text = String::from_utf8_lossy(self.checker.unit.source.slice(span)).into_owned();
        if self.at(Punct::LParen) {
            self.skip_argument()?;
        }
        Ok(text.trim_matches('"').to_owned())
    }

    /// `declare variant(function) match(…)` as what device code calls in the place of the function declared next.
    pub(super) fn declare_variant(&mut self, line: Span) -> Parsed<Option<Directive>> {
        let span = self.span();
        let bind = self.argument("declare variant", |parser| {
            Ok(parser.expect_name("the name of the variant")?.0)
        })?;
        let mut score = None;
        while let Some(word) = self.word() {
            self.advance();
            if word == "match" {
                let target = CompiledFor::Device { in_parallel: false };
                score = self.argument("match", |parser| parser.context_selector(target))?;
            } else {
                self.skip_argument()?;
            }
            self.eat(Punct::Comma);
        }
        let kind = Kind::Routine { function: None, bind: Some(bind), divides: false };
        let directive = Directive {
            span: line,
            stays: true,
            ..Directive::new(Family::OpenMp, "declare variant", span, kind)
        };
        Ok(score.map(|_| directive))
    }

    /// The directive that a `metadirective` is at this place, as tokens (OpenMP 5.2 §7.4); none for `nothing`.
    pub(super) fn metadirective(&mut self, tokens: Vec<Token>) -> Parsed<Vec<Token>> {
        let target = match self.device_depth {
            0 => CompiledFor::Host,
            _ => CompiledFor::Device { in_parallel: self.in_parallel },
        };
        let all = tokens.clone();
        self.within(tokens, |parser| {
            parser.advance();
            let mut best: Option<(u32, Vec<Token>)> = None;
            let mut rest = Vec::new();
            while parser.peek() != TokenKind::EndOfPragma {
                parser.eat(Punct::Comma);
                let Some(word) = parser.word() else { return Err(parser.unexpected("a clause")) };
                let start = parser.span();
                parser.advance();
                if !matches!(word.as_str(), "when" | "default" | "otherwise") {
                    parser.checker.report(start, refusal(&format!("metadirective {word}"), "7.4"));
                    return Err(Failed);
                }
                parser.expect(Punct::LParen, &format!("after `{word}`"))?;
                let mut score = Some(0);
                if word == "when" {
                    score = parser.context_selector(target)?;
                    parser.expect(Punct::Colon, "after the context")?;
                }
                let from = parser.at;
                let mut depth = 0;
                loop {
                    match parser.peek() {
                        TokenKind::Punct(Punct::LParen) => depth += 1,
                        TokenKind::Punct(Punct::RParen) if depth == 0 => break,
                        TokenKind::Punct(Punct::RParen) => depth -= 1,
                        TokenKind::EndOfPragma | TokenKind::Eof => {
                            return Err(parser.unexpected("`)` after the directive"));
                        }
                        _ => {}
                    }
                    parser.advance();
                }
                let chosen = all.get(from..parser.at).unwrap_or_default().to_vec();
                parser.advance();
                match score {
                    Some(0) => rest = chosen,
                    Some(score) if best.as_ref().is_none_or(|(known, _)| score > *known) => {
                        best = Some((score, chosen));
                    }
                    _ => {}
                }
            }
            let mut chosen = best.map_or(rest, |(_, chosen)| chosen);
            if !chosen.is_empty() {
                chosen.extend(all.last().filter(|last| last.kind == TokenKind::EndOfPragma));
            }
            Ok(chosen)
        })
    }
}

//! Reads `#pragma hmpp` lines: labels, the directive, its parameters.

use gpuc_diagnostics::{Diagnostic, codes, did_you_mean};

use super::labels::Transfer;
use super::names::{self, DIRECTIVES, Name, PARAMETERS, PROPERTIES, Support};
use crate::directive::Family;
use crate::lex::{Punct, Token, TokenKind};
use crate::parse::{Failed, Parsed, Parser};
use crate::pragma::{self, spelling};
use crate::source::Span;

/// A text of the program that means something where it is used: an expression with its place.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub text: String,
    pub span: Span,
}

/// Which arguments are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// `*`.
    All,
    /// By name.
    Name(String),
    /// By number, from one to another.
    Numbers(i128, i128),
}

/// One entry of `args[...]`.
#[derive(Clone, Debug)]
pub(super) struct ArgumentItem {
    /// The codelet, in `codelet::name`; an empty one, in `::name`, is a resident variable.
    pub codelet: Option<String>,
    pub which: Which,
    pub span: Span,
}

/// `args[...]`.
pub(super) type ArgumentList = Vec<ArgumentItem>;

/// How an argument is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Io {
    In,
    Out,
    InOut,
}

/// What is said of arguments.
#[derive(Clone, Debug)]
pub(super) enum Property {
    /// That the directive is about them.
    Listed,
    Io(Io),
    Size(Vec<Text>),
    Addr(Text),
    HostData(Text),
    Transfer(Transfer),
    NoUpdate(bool),
    AdvancedLoad(bool),
    DelegatedStore(bool),
    /// First and last element of each dimension.
    Section(Vec<(Text, Text)>),
    /// What makes no difference.
    Other,
}

/// A directive.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub group: Option<String>,
    pub label: Option<String>,
    pub form: &'static Name,
    /// The words of the directive.
    pub name: Span,
    /// All of the first line.
    pub span: Span,
    pub arguments: Vec<(ArgumentList, Property)>,
    /// `data["expression"]`.
    pub data: Vec<Text>,
    pub targets: Vec<String>,
    pub transfer: Option<Transfer>,
    pub asynchronous: bool,
    pub condition: Option<Text>,
    pub private: Vec<Text>,
    pub text: String,
}

impl Line {
    /// The last thing said of an argument, as far as `pick` is about it.
    pub fn last<'l, T>(
        &'l self,
        is_its: impl Fn(&ArgumentItem) -> bool,
        pick: impl Fn(&'l Property) -> Option<T>,
    ) -> Option<T> {
        let said = self.arguments.iter().rev();
        said.filter(|(list, _)| list.iter().any(&is_its)).find_map(|(_, property)| pick(property))
    }
}

impl ArgumentItem {
    /// Whether it means argument `number` of that name, of the codelet of that label.
    pub fn is(&self, label: &str, number: usize, name: &str) -> bool {
        self.codelet.as_ref().is_none_or(|codelet| codelet == label)
            && match &self.which {
                Which::All => true,
                Which::Name(known) => known == name,
                Which::Numbers(low, high) => (*low..=*high).contains(&(number as i128)),
            }
    }
}

impl Parser {
    /// The tokens of a pragma of the family with those of the lines that continue it: a line goes on where it ends in
    /// `&`.
    pub(super) fn hmpp_tokens(&mut self, number: u32) -> Vec<Token> {
        let family = self.checker.unit.pragmas[number as usize].family;
        self.advance();
        let mut tokens = self.pragma_tokens(number);
        let end = tokens.pop();
        while matches!(tokens.last(), Some(Token { kind: TokenKind::Punct(Punct::Amp), .. }))
            && let TokenKind::Pragma(next) = self.peek()
            && self.checker.unit.pragmas[next as usize].family == family
        {
            tokens.pop();
            self.advance();
            let mut more = self.pragma_tokens(next);
            more.pop();
            let again = more
                .iter()
                .zip(&tokens)
                .take_while(|(more, first)| more.kind == first.kind)
                .count();
            // Older programs write the label once more.
            if family == pragma::Family::Hmpp && again > 0 {
                more.drain(..again);
            }
            if matches!(more.first(), Some(Token { kind: TokenKind::Punct(Punct::Amp), .. })) {
                more.remove(0);
            }
            tokens.extend(more);
        }
        tokens.extend(end);
        tokens
    }

    /// The text of tokens whose macros are expanded.
    pub(super) fn spelled(&self, tokens: &[Token]) -> String {
        let words: Vec<String> =
            tokens.iter().map(|token| spelling(token, &self.checker.unit.symbols)).collect();
        words.join(" ")
    }

    /// Reads a text of ours, or of a string of the program, as C that stands at `at`.
    pub(super) fn own_text<T>(
        &mut self,
        text: &str,
        at: Span,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let span = self.checker.unit.source.append(text, at.start);
        let tokens = self.tokens_at(span);
        self.within(tokens, |parser| {
            let result = read(parser)?;
            if parser.peek() != TokenKind::EndOfPragma {
                return Err(parser.unexpected("the end of this text"));
            }
            Ok(result)
        })
    }

    /// Reads a directive; `None` where it is reported.
    pub(super) fn hmpp_line(&mut self, number: u32) -> Parsed<Line> {
        let span = self.span();
        let tokens = self.hmpp_tokens(number);
        let text = self.spelled(&tokens);
        self.within(tokens, |parser| parser.hmpp_directive(span, text))
    }

    fn hmpp_directive(&mut self, span: Span, text: String) -> Parsed<Line> {
        let mut group = None;
        if self.eat(Punct::Less) {
            group = Some(self.hmpp_word("the name of a group")?);
            self.expect(Punct::Greater, "after the name of the group")?;
        }
        let name = self.span();
        let first = self.hmpp_word("a label or a directive of OpenHMPP")?;
        let is_label = self.word().is_some_and(|next| names::find(DIRECTIVES, &next).is_some());
        let known = names::find(DIRECTIVES, &first);
        let (label, form, name) = match known {
            Some(form) if !is_label => (None, form, name),
            _ => {
                let name = self.span();
                let Some(word) = self.word() else {
                    return Err(self.hmpp_unknown("directive", &first, name, DIRECTIVES));
                };
                let Some(form) = names::find(DIRECTIVES, &word) else {
                    return Err(self.hmpp_unknown("directive", &word, name, DIRECTIVES));
                };
                self.advance();
                (Some(first), form, name)
            }
        };
        let mut line = Line {
            group,
            label,
            form,
            name,
            span,
            arguments: Vec::new(),
            data: Vec::new(),
            targets: Vec::new(),
            transfer: None,
            asynchronous: false,
            condition: None,
            private: Vec::new(),
            text,
        };
        loop {
            while self.eat(Punct::Comma) || self.eat(Punct::Semicolon) || self.eat(Punct::Amp) {}
            if self.peek() == TokenKind::EndOfPragma {
                return Ok(line);
            }
            self.hmpp_parameter(&mut line)?;
        }
    }

    fn hmpp_word(&mut self, what: &str) -> Parsed<String> {
        match self.word() {
            Some(word) => {
                self.advance();
                Ok(word)
            }
            None => Err(self.unexpected(what)),
        }
    }

    /// An unknown word, with the nearest known one.
    pub(super) fn hmpp_unknown(
        &mut self,
        what: &str,
        word: &str,
        span: Span,
        table: &'static [Name],
    ) -> Failed {
        let code = match what {
            "directive" => codes::UNKNOWN_DIRECTIVE,
            _ => codes::UNKNOWN_CLAUSE,
        };
        let message = format!("`{word}` is not a {what} of OpenHMPP");
        let mut diagnostic = Diagnostic::error(message).code(code);
        let spellings = table.iter().map(|name| name.spelling);
        if let Some(near) = did_you_mean(word, spellings) {
            diagnostic = diagnostic.meant(near);
        }
        self.checker.report(span, diagnostic);
        Failed
    }

    fn hmpp_parameter(&mut self, line: &mut Line) -> Parsed<()> {
        let span = self.span();
        let Some(word) = self.word() else { return Err(self.unexpected("a parameter")) };
        let Some(parameter) = names::find(PARAMETERS, &word) else {
            return Err(self.hmpp_unknown("parameter", &word, span, PARAMETERS));
        };
        self.advance();
        if parameter.support == Support::No {
            return Err(self.hmpp_refused(&format!("parameter `{word}`"), span));
        }
        let all = |span| vec![ArgumentItem { codelet: None, which: Which::All, span }];
        match parameter.spelling {
            "args" => {
                let list = self.hmpp_arguments()?;
                let property = match self.eat(Punct::Dot) {
                    true => self.hmpp_property()?,
                    false => Property::Listed,
                };
                line.arguments.push((list, property));
            }
            "data" => {
                self.expect(Punct::LBracket, "after `data`")?;
                while !self.eat(Punct::RBracket) {
                    let text = self.hmpp_quoted("the name of a variable")?;
                    line.data.push(text);
                    let _ = self.eat(Punct::Comma) || self.eat(Punct::Semicolon);
                }
            }
            "target" => {
                self.expect(Punct::Eq, "after `target`")?;
                loop {
                    let target = self.hmpp_word("the name of a target")?;
                    line.targets.push(target);
                    if !self.eat(Punct::Colon) {
                        break;
                    }
                }
            }
            "transfer" => line.transfer = Some(self.hmpp_transfer()?),
            "asynchronous" => {
                line.asynchronous = !self.eat(Punct::Eq) || self.hmpp_flag()?;
            }
            "cond" => {
                self.expect(Punct::Eq, "after `cond`")?;
                line.condition = Some(self.hmpp_quoted("a condition")?);
            }
            "hostdata" => {
                self.expect(Punct::Eq, "after `hostdata`")?;
                let text = self.hmpp_quoted("an expression in quotation marks")?;
                line.arguments.push((listed(line).unwrap_or(all(span)), Property::HostData(text)));
            }
            "size" | "section" => {
                let property = self.hmpp_extents(parameter.spelling)?;
                line.arguments.push((listed(line).unwrap_or(all(span)), property));
            }
            "private" => {
                self.expect(Punct::Eq, "after `private`")?;
                self.expect(Punct::LBracket, "after `private=`")?;
                while !self.eat(Punct::RBracket) {
                    let (name, span) = self.expect_name("the name of a variable")?;
                    let text = self.checker.unit.text(name).to_owned();
                    line.private.push(Text { text, span });
                    let _ = self.eat(Punct::Comma) || self.eat(Punct::Semicolon);
                }
            }
            // `version` and whatever else changes nothing: a value up to the next comma.
            _ => {
                self.expect(Punct::Eq, "after the parameter")?;
                self.hmpp_value();
            }
        }
        Ok(())
    }

    /// Something that is known and not supported.
    pub(super) fn hmpp_refused(&mut self, what: &str, span: Span) -> Failed {
        let message = format!("not supported by this version of gpuc: {what} (OpenHMPP)");
        let diagnostic = Diagnostic::error(message).code(codes::NOT_SUPPORTED);
        self.checker.report(span, diagnostic.help("docs/openhmpp.md lists what is"));
        Failed
    }

    /// `[a; b, 0-3, *, codelet::x, ::x]`.
    pub(super) fn hmpp_arguments(&mut self) -> Parsed<ArgumentList> {
        self.expect(Punct::LBracket, "after `args`")?;
        let mut list = Vec::new();
        while !self.eat(Punct::RBracket) {
            let start = self.span();
            let mut codelet = None;
            if let Some(word) = self.word()
                && self.peek_ahead(1) == TokenKind::Punct(Punct::Colon)
            {
                codelet = Some(word);
                self.advance();
            }
            if self.eat(Punct::Colon) {
                self.expect(Punct::Colon, "in `codelet::argument`")?;
                codelet = Some(codelet.unwrap_or_default());
            }
            let which = match (self.peek(), self.word()) {
                (TokenKind::Punct(Punct::Star), _) => {
                    self.advance();
                    Which::All
                }
                (_, Some(name)) => {
                    self.advance();
                    Which::Name(name)
                }
                (TokenKind::Number(_), _) => {
                    let low = self.hmpp_number()?;
                    let high = if self.eat(Punct::Minus) { self.hmpp_number()? } else { low };
                    Which::Numbers(low, high)
                }
                _ => return Err(self.unexpected("the name or number of an argument")),
            };
            list.push(ArgumentItem { codelet, which, span: self.span_from(start) });
            let _ = self.eat(Punct::Comma) || self.eat(Punct::Semicolon);
        }
        Ok(list)
    }

    pub(super) fn hmpp_number(&mut self) -> Parsed<i128> {
        let TokenKind::Number(spelling) = self.peek() else {
            return Err(self.unexpected("a number"));
        };
        match self.checker.unit.text(spelling).parse() {
            Ok(number) => {
                self.advance();
                Ok(number)
            }
            Err(_) => Err(self.unexpected("a number")),
        }
    }

    fn hmpp_property(&mut self) -> Parsed<Property> {
        let span = self.span();
        let Some(word) = self.word() else { return Err(self.unexpected("a property")) };
        let Some(property) = names::find(PROPERTIES, &word) else {
            return Err(self.hmpp_unknown("property", &word, span, PROPERTIES));
        };
        self.advance();
        Ok(match property.spelling {
            "io" => {
                self.expect(Punct::Eq, "after `io`")?;
                let span = self.span();
                match self.hmpp_word("`in`, `out` or `inout`")?.as_str() {
                    "in" => Property::Io(Io::In),
                    "out" => Property::Io(Io::Out),
                    "inout" => Property::Io(Io::InOut),
                    word => {
                        let message = format!("`io` is `in`, `out` or `inout`, not `{word}`");
                        self.checker.error(span, message);
                        return Err(Failed);
                    }
                }
            }
            "size" | "section" => self.hmpp_extents(property.spelling)?,
            "transfer" => Property::Transfer(self.hmpp_transfer()?),
            "noupdate" => Property::NoUpdate(self.hmpp_set()?),
            "advancedload" => Property::AdvancedLoad(self.hmpp_set()?),
            "delegatedstore" => Property::DelegatedStore(self.hmpp_set()?),
            "const" | "mirror" => {
                self.hmpp_set()?;
                Property::Other
            }
            "addr" | "hostdata" => {
                self.expect(Punct::Eq, "after the property")?;
                let text = self.hmpp_quoted("an expression in quotation marks")?;
                match property.spelling {
                    "addr" => Property::Addr(text),
                    _ => Property::HostData(text),
                }
            }
            _ => Property::Other,
        })
    }

    /// `= true` or `= false`; nothing means true.
    fn hmpp_set(&mut self) -> Parsed<bool> {
        if self.eat(Punct::Eq) { self.hmpp_flag() } else { Ok(true) }
    }

    fn hmpp_flag(&mut self) -> Parsed<bool> {
        let span = self.span();
        // What `stdbool.h` makes of them.
        if matches!(self.peek(), TokenKind::Number(_)) {
            return Ok(self.hmpp_number()? != 0);
        }
        match self.hmpp_word("`true` or `false`")?.as_str() {
            "true" | "TRUE" => Ok(true),
            "false" | "FALSE" => Ok(false),
            word => {
                self.checker.error(span, format!("this is `true` or `false`, not `{word}`"));
                Err(Failed)
            }
        }
    }

    fn hmpp_transfer(&mut self) -> Parsed<Transfer> {
        self.expect(Punct::Eq, "after `transfer`")?;
        let span = self.span();
        let words = ["atcall", "atfirstcall", "manual", "auto"];
        let word = self.hmpp_word("when it is transferred")?;
        Ok(match word.as_str() {
            "atcall" => Transfer::AtCall,
            "atfirstcall" => Transfer::AtFirstCall,
            "manual" => Transfer::Manual,
            "auto" => Transfer::Auto,
            _ => {
                let message = format!("`transfer` is one of {}, not `{word}`", words.join(", "));
                let mut diagnostic = Diagnostic::error(message);
                if let Some(near) = did_you_mean(&word, words) {
                    diagnostic = diagnostic.meant(near);
                }
                self.checker.report(span, diagnostic);
                return Err(Failed);
            }
        })
    }

    /// `={a, b}`, or `={a..b, c..d}`.
    fn hmpp_extents(&mut self, word: &str) -> Parsed<Property> {
        self.expect(Punct::Eq, &format!("after `{word}`"))?;
        self.expect(Punct::LBrace, &format!("after `{word}=`"))?;
        let mut sizes = Vec::new();
        let mut sections = Vec::new();
        while !self.eat(Punct::RBrace) {
            let extent = self.hmpp_expression(word)?;
            self.eat(Punct::Comma);
            if word != "section" {
                sizes.push(extent);
                continue;
            }
            // To the scanner, `0..n` is one number.
            let text = extent.text.replace(" . . ", "..");
            let Some((first, last)) = text.split_once("..") else {
                let message = "a section is from the first element to the last: `{0..n-1}`";
                self.checker.error(extent.span, message);
                return Err(Failed);
            };
            if last.contains(':') {
                return Err(self.hmpp_refused("sections with a stride", extent.span));
            }
            let part = |text: &str| Text { text: text.to_owned(), span: extent.span };
            sections.push((part(first), part(last)));
        }
        Ok(if word == "section" { Property::Section(sections) } else { Property::Size(sizes) })
    }

    /// The text of an expression up to a `,` or `}`.
    fn hmpp_expression(&mut self, word: &str) -> Parsed<Text> {
        let start = self.span();
        let mut tokens = Vec::new();
        let mut depth = 0u32;
        loop {
            match self.peek() {
                TokenKind::EndOfPragma | TokenKind::Eof => break,
                TokenKind::Punct(Punct::LParen | Punct::LBracket | Punct::LBrace) => depth += 1,
                TokenKind::Punct(Punct::RBrace) if depth == 0 => break,
                TokenKind::Punct(Punct::RParen | Punct::RBracket | Punct::RBrace) => {
                    depth = depth.saturating_sub(1);
                }
                TokenKind::Punct(Punct::Comma) if depth == 0 => break,
                _ => {}
            }
            tokens.push(self.advance());
        }
        if tokens.is_empty() {
            return Err(self.unexpected(&format!("an expression in `{word}`")));
        }
        Ok(Text { text: self.spelled(&tokens), span: self.span_from(start) })
    }

    /// What stands in quotation marks, or up to the next comma.
    fn hmpp_quoted(&mut self, what: &str) -> Parsed<Text> {
        let span = self.span();
        if let TokenKind::String(symbol) = self.peek() {
            self.advance();
            let literal = self.checker.unit.text(symbol).to_owned();
            let text = literal.trim_matches('"').replace("\\\"", "\"");
            return Ok(Text { text, span });
        }
        let tokens = self.hmpp_value();
        if tokens.is_empty() {
            return Err(self.unexpected(what));
        }
        Ok(Text { text: self.spelled(&tokens), span: self.span_from(span) })
    }

    /// The tokens up to the next comma outside of parentheses.
    fn hmpp_value(&mut self) -> Vec<Token> {
        let mut tokens = Vec::new();
        let mut depth = 0u32;
        loop {
            match self.peek() {
                TokenKind::EndOfPragma | TokenKind::Eof => break,
                TokenKind::Punct(Punct::LParen | Punct::LBracket) => depth += 1,
                TokenKind::Punct(Punct::RParen | Punct::RBracket) if depth > 0 => depth -= 1,
                TokenKind::Punct(Punct::Comma | Punct::RBracket) if depth == 0 => break,
                _ => {}
            }
            tokens.push(self.advance());
        }
        tokens
    }
}

/// The arguments that the directive lists, which what follows is about.
fn listed(line: &Line) -> Option<ArgumentList> {
    line.arguments.last().map(|(list, _)| list.clone())
}

/// The family, for what is said to the user.
pub(super) const FAMILY: Family = Family::OpenHmpp;

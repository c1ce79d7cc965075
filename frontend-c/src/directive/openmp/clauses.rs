//! Reads the arguments of clauses.

use gpuc_diagnostics::Diagnostic;

use super::names::{ClauseName, Form};
use super::parser::refusal;
use super::{Behaviour, ClauseKind, Directive};
use crate::directive::{MappingKind, VarRef};
use crate::lex::{Punct, TokenKind};
use crate::parse::{Failed, Parsed, Parser};
use crate::tree::ExprId;

impl Parser {
    /// The argument of a clause, whose name has been read.
    pub(super) fn openmp_clause_kind(
        &mut self,
        name: &'static ClauseName,
        form: &'static Form,
    ) -> Parsed<ClauseKind> {
        let word = name.spelling;
        match word {
            "lastprivate" if self.is_conditional() => self.argument(word, |parser| {
                parser.eat_modifier("conditional");
                parser.in_order(name, form)
            }),
            "map" => self.argument(word, |parser| parser.map_argument(form)),
            "private" | "firstprivate" | "lastprivate" | "shared" | "copyprivate"
            | "is_device_ptr" | "use_device_ptr" | "use_device_addr" | "has_device_addr" | "to"
            | "from" => self.argument(word, |parser| {
                // What mappers update is what constructs have mapped by them.
                parser.list_modifiers()?;
                let of = parser.construct_of(form);
                // Whether data that is not present is an error (OpenMP 5.2 §5.9).
                if !parser.eat_modifier("present") {
                    parser.eat(Punct::Colon);
                }
                let vars = parser.var_list()?;
                if word == "firstprivate" && of == Some("target") && form.words != "target" {
                    return Ok(ClauseKind::OfTarget(vars));
                }
                if word == "use_device_addr"
                    && let Some(var) = vars.iter().find(|var| !parser.can_be_renamed(var))
                {
                    let what = "use_device_addr of a part of a variable";
                    parser.checker.report(var.span, refusal(what, name.section));
                    return Err(Failed);
                }
                Ok(ClauseKind::Vars(vars))
            }),
            "reduction" | "in_reduction" | "task_reduction" => self.argument(word, |parser| {
                let mut inscan = false;
                for modifier in ["inscan", "task", "default"] {
                    if parser.word().as_deref() == Some(modifier)
                        && parser.peek_ahead(1) == TokenKind::Punct(Punct::Comma)
                    {
                        // Tasks are executed at once, on the variable of their thread.
                        inscan |= modifier == "inscan";
                        parser.advance();
                        parser.advance();
                    }
                }
                if let Some(combined) = parser.user_reduction()? {
                    let inscan = inscan.then_some("reduction(inscan, …)");
                    let tasks = (word != "reduction").then_some(word);
                    if let (Some(what), ClauseKind::Combined(_)) = (inscan.or(tasks), &combined) {
                        let what = format!("{what} by a user-defined operator");
                        return Err(parser.refused(&what, name));
                    }
                    return Ok(match (inscan, combined) {
                        (Some(_), ClauseKind::Reduction { op, vars }) => {
                            ClauseKind::Scan { op, vars }
                        }
                        (_, combined) => combined,
                    });
                }
                // The difference combines by sums (OpenMP 5.2 §5.5.5).
                let op = match parser.at(Punct::Minus) {
                    true => {
                        parser.advance();
                        crate::directive::ReductionOp::Add
                    }
                    false => parser.reduction_operator()?,
                };
                parser.expect(Punct::Colon, "after the operator of `reduction`")?;
                if inscan && form.has("distribute") {
                    return Err(parser.refused("reduction(inscan, …) with distribute", name));
                }
                let vars = parser.var_list()?;
                Ok(match inscan {
                    true => ClauseKind::Scan { op, vars },
                    false => ClauseKind::Reduction { op, vars },
                })
            }),
            "inclusive" | "exclusive" => {
                self.argument(word, |parser| Ok(ClauseKind::Vars(parser.var_list()?)))
            }
            "sizes" => self.argument(word, |parser| {
                let sizes = parser.separated(Parser::integer)?;
                Ok(ClauseKind::Sizes(sizes))
            }),
            "filter" => self.argument(word, |parser| Ok(ClauseKind::Value(parser.integer()?))),
            "partial" if !self.at(Punct::LParen) => Ok(ClauseKind::Word),
            "partial" => self.argument(word, |parser| {
                let factor = parser.integer()?;
                let span = parser.checker.span(factor);
                match parser.checker.require_constant(factor, "the factor of `partial`") {
                    Some(1..=1024) => Ok(ClauseKind::Value(factor)),
                    Some(_) => {
                        parser.checker.error(span, "this is a number from 1 to 1024");
                        Err(Failed)
                    }
                    None => Err(Failed),
                }
            }),
            "at" | "severity" => self.argument(word, |parser| {
                let said = parser.word().unwrap_or_default();
                let known = match word {
                    "at" => ["compilation", "execution"],
                    _ => ["fatal", "warning"],
                };
                if !known.contains(&said.as_str()) {
                    return Err(parser.unexpected(&format!("`{}` or `{}`", known[0], known[1])));
                }
                parser.advance();
                Ok(ClauseKind::Said(said))
            }),
            "message" => self.argument(word, |parser| {
                let span = parser.span();
                parser.skip_to_end();
                let text = parser.checker.unit.source.slice(parser.span_from(span));
                let text = String::from_utf8_lossy(text).trim().trim_matches('"').to_owned();
                Ok(ClauseKind::Said(text))
            }),
            "collapse" => {
                let count = self.argument(word, Parser::collapsed_loops)?;
                Ok(ClauseKind::Collapse(count))
            }
            "num_teams" | "thread_limit" | "num_threads" => self.argument(word, |parser| {
                let mut value = parser.launch_size(word)?;
                if parser.eat(Punct::Colon) {
                    value = parser.launch_size(word)?;
                }
                Ok(ClauseKind::Value(value))
            }),
            "device" => self.argument(word, |parser| {
                if parser.eat_modifier("ancestor") {
                    return Err(parser.refused("device(ancestor:)", name));
                }
                parser.eat_modifier("device_num");
                Ok(ClauseKind::Value(parser.integer()?))
            }),
            "if" => self.argument(word, |parser| {
                let mut of = None;
                let (first, second) = (parser.word(), parser.peek_ahead(1));
                if second == TokenKind::Punct(Punct::Colon) {
                    of = first;
                    parser.advance();
                    parser.advance();
                } else if let (Some(first), TokenKind::Ident(_)) = (&first, second) {
                    // `target enter data:` and its kin.
                    let mut words = first.clone();
                    parser.advance();
                    while let Some(more) = parser.word() {
                        words += " ";
                        words += &more;
                        parser.advance();
                    }
                    parser.expect(Punct::Colon, "after the name of the construct")?;
                    of = Some(words);
                }
                Ok(ClauseKind::If { of, condition: parser.clause_condition()? })
            }),
            "defaultmap" => self.argument(word, |parser| parser.defaultmap_argument()),
            "default" => self.argument(word, |parser| {
                let none = parser.word().as_deref() == Some("none");
                for (word, copied) in [("firstprivate", true), ("private", false)] {
                    if parser.eat_word(word) {
                        return Ok(ClauseKind::DefaultOwn { copied });
                    }
                }
                if !none && !parser.eat_word("shared") {
                    let what = format!("default({})", parser.word().unwrap_or_default());
                    return Err(parser.refused(&what, name));
                }
                if none {
                    parser.advance();
                    return Ok(ClauseKind::DefaultNone);
                }
                Ok(ClauseKind::Word)
            }),
            "bind" => self.argument(word, |parser| {
                let binding = parser.word().unwrap_or_default();
                if !matches!(binding.as_str(), "teams" | "parallel" | "thread") {
                    return Err(parser.unexpected("`teams`, `parallel` or `thread`"));
                }
                parser.advance();
                Ok(ClauseKind::Bind(binding))
            }),
            "schedule" | "dist_schedule" => self.argument(word, |parser| {
                // `monotonic`, `nonmonotonic` and `simd` stand in front of a colon.
                while parser.leads_to_colon() {
                    parser.advance();
                }
                parser.eat(Punct::Colon);
                let kind = parser.word().unwrap_or_default();
                if !matches!(kind.as_str(), "static" | "dynamic" | "guided" | "auto" | "runtime") {
                    return Err(parser.unexpected("a kind of schedule such as `static`"));
                }
                parser.advance();
                let chunk = match parser.eat(Punct::Comma) {
                    true => Some(parser.integer()?),
                    false => None,
                };
                Ok(if kind == "static" { ClauseKind::Static(chunk) } else { ClauseKind::Word })
            }),
            "induction" => self.argument(word, |parser| {
                // What iterations do to the variable is in the loop; the step says it once more.
                while parser.leads_to_colon() && !parser.at(Punct::Colon) {
                    match parser.at(Punct::LParen) {
                        true => parser.skip_argument()?,
                        false => drop(parser.advance()),
                    }
                }
                parser.expect(Punct::Colon, "after the operator of `induction`")?;
                parser.in_order(name, form)
            }),
            "linear" if form.has("distribute") => Err(self.refused("linear with distribute", name)),
            "linear" => self.argument(word, |parser| parser.linear_argument()),
            // What they say leaves the freedom not to follow it.
            _ => {
                self.skip_argument()?;
                Ok(ClauseKind::Word)
            }
        }
    }

    /// The argument of a clause of `declare target`.
    pub(super) fn declare_target_clause(
        &mut self,
        name: &'static ClauseName,
        directive: &mut Directive,
    ) -> Parsed<()> {
        match name.spelling {
            "device_type" => self.argument(name.spelling, |parser| {
                match parser.word().as_deref() {
                    Some("host") => directive.host_only = true,
                    // Functions are compiled for those who call them.
                    Some("any" | "nohost") => {}
                    _ => return Err(parser.unexpected("`any`, `host` or `nohost`")),
                }
                parser.advance();
                Ok(())
            }),
            word => {
                let names = self.argument(word, Parser::declared_names)?;
                match word {
                    "link" => directive.linked.extend(names),
                    _ => directive.listed.extend(names),
                }
                Ok(())
            }
        }
    }

    /// Reports what is not supported; for the caller to stop.
    fn refused(&mut self, what: &str, name: &ClauseName) -> Failed {
        let span = self.span();
        self.checker.report(span, refusal(what, name.section));
        Failed
    }

    /// A number of teams or threads: a positive `int` (OpenMP 5.2 §10.1.2, §10.2, §13.3).
    fn launch_size(&mut self, word: &str) -> Parsed<ExprId> {
        let start = self.span();
        let size = self.integer()?;
        let message = match self.checker.constant_int(size) {
            Some(number @ ..=0) => format!("`{word}` takes a positive number, not {number}"),
            Some(number @ 0x8000_0000..) => {
                format!("`{word}` takes an `int`, which {number} is none of")
            }
            _ => return Ok(size),
        };
        let span = self.span_from(start);
        let help = "leave the clause out to have the number chosen";
        self.checker.report(span, Diagnostic::error(message).help(help));
        Err(Failed)
    }

    /// `mapper(…)` and `iterator(…)` in front of a list: the name of the mapper.
    fn list_modifiers(&mut self) -> Parsed<Option<String>> {
        let mut mapper = None;
        while self.peek_ahead(1) == TokenKind::Punct(Punct::LParen) && self.leads_to_colon() {
            match self.word().as_deref() {
                Some("mapper") => {
                    self.advance();
                    let name = self.argument("mapper", |parser| {
                        let name = parser.word();
                        parser.advance();
                        Ok(name)
                    })?;
                    mapper = name.filter(|name| name != "default").or(mapper);
                }
                Some("iterator") => {
                    self.advance();
                    self.iterators()?;
                }
                _ => break,
            }
            self.eat(Punct::Comma);
        }
        Ok(mapper)
    }

    pub(super) fn map_argument(&mut self, form: &'static Form) -> Parsed<ClauseKind> {
        let (mut always, mut present, mut last) = (false, false, false);
        let mut kind = None;
        let mut mapper = None;
        let start = self.span();
        // A variable may have the name of a modifier: only what leads to a colon is one.
        while self.leads_to_colon() && !self.at(Punct::Colon) {
            mapper = self.list_modifiers()?.or(mapper);
            if self.at(Punct::Colon) {
                break;
            }
            match self.word().as_deref() {
                Some("always") => always = true,
                Some("present") => present = true,
                // Where memory is shared, data is where it is (OpenMP 6.0 §7.9.6).
                Some("self") if self.checker.unit.shares_memory => {}
                Some("close") => {}
                Some("to") => kind = Some(MappingKind::CopyIn),
                Some("from") => kind = Some(MappingKind::CopyOut),
                Some("tofrom") => kind = Some(MappingKind::Copy),
                Some("alloc") => kind = Some(MappingKind::Create),
                Some("release") => kind = Some(MappingKind::Delete),
                Some("delete") => (kind, last) = (Some(MappingKind::Delete), true),
                _ => {
                    return Err(
                        self.unexpected("a map type or one of `always`, `close` and `present`")
                    );
                }
            }
            self.advance();
            self.eat(Punct::Comma);
        }
        self.eat(Punct::Colon);
        let kind = kind.unwrap_or(match form.words {
            "target enter data" => MappingKind::CopyIn,
            "target exit data" => MappingKind::CopyOut,
            _ => MappingKind::Copy,
        });
        let kind = match (form.words, kind) {
            ("target enter data", MappingKind::Copy) => MappingKind::CopyIn,
            ("target exit data", MappingKind::Copy) => MappingKind::CopyOut,
            (_, kind) => kind,
        };
        let fits = match form.words {
            "target enter data" => matches!(kind, MappingKind::CopyIn | MappingKind::Create),
            "target exit data" => matches!(kind, MappingKind::CopyOut | MappingKind::Delete),
            _ => kind != MappingKind::Delete,
        };
        if !fits {
            let message = format!("this map type cannot stand on `{}`", form.words);
            self.checker.report(
                start,
                Diagnostic::error(message).help(match form.words {
                    "target enter data" => "they are `to` and `alloc` (OpenMP 5.2 §13.6)",
                    "target exit data" => {
                        "they are `from`, `release` and `delete` (OpenMP 5.2 §13.7)"
                    }
                    _ => "they are `to`, `from`, `tofrom` and `alloc` (OpenMP 5.2 §5.8.3)",
                }),
            );
            return Err(Failed);
        }
        let vars = self.var_list()?;
        Ok(ClauseKind::Map { kind, always, present, last, mapper, vars })
    }

    /// Whether a variable's name can mean its device's address: an array, what a pointer points to, or all of it.
    fn can_be_renamed(&self, var: &VarRef) -> bool {
        let unit = &self.checker.unit;
        let ty = unit.exprs[var.base].ty;
        unit.types.as_array(ty).is_some()
            || unit.types.is_pointer(ty)
            || var.is_whole_variable(unit)
    }

    /// `construct:` in front of a list: of which part of a combined construct the clause is (OpenMP 6.0 §5.4).
    fn construct_of(&mut self, form: &'static Form) -> Option<&'static str> {
        let word = self.word()?;
        let leaf = form.leaves().into_iter().find(|leaf| *leaf == word)?;
        if self.peek_ahead(1) != TokenKind::Punct(Punct::Colon) {
            return None;
        }
        self.advance();
        Some(leaf)
    }

    /// To the parenthesis that ends an argument.
    fn skip_to_end(&mut self) {
        let mut depth = 0;
        loop {
            match self.peek() {
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) if depth == 0 => return,
                TokenKind::Punct(Punct::RParen) => depth -= 1,
                TokenKind::EndOfPragma | TokenKind::Eof => return,
                _ => {}
            }
            self.advance();
        }
    }

    /// Whether a colon outside of brackets follows before the argument ends.
    fn leads_to_colon(&self) -> bool {
        let mut depth = 0;
        for ahead in 0.. {
            match self.peek_ahead(ahead) {
                TokenKind::Punct(Punct::LParen | Punct::LBracket) => depth += 1,
                TokenKind::Punct(Punct::RParen | Punct::RBracket) if depth == 0 => return false,
                TokenKind::Punct(Punct::RParen | Punct::RBracket) => depth -= 1,
                TokenKind::Punct(Punct::Colon) if depth == 0 => return true,
                TokenKind::EndOfPragma | TokenKind::Eof => return false,
                _ => {}
            }
        }
        false
    }

    fn defaultmap_argument(&mut self) -> Parsed<ClauseKind> {
        let behaviour = match self.word().as_deref() {
            Some("to") => Behaviour::Map(MappingKind::CopyIn),
            Some("from") => Behaviour::Map(MappingKind::CopyOut),
            Some("tofrom") => Behaviour::Map(MappingKind::Copy),
            Some("alloc") => Behaviour::Map(MappingKind::Create),
            Some("present") => Behaviour::Map(MappingKind::Present),
            Some("firstprivate") => Behaviour::FirstPrivate,
            Some("none") => Behaviour::None,
            Some("default") => Behaviour::Default,
            _ => return Err(self.unexpected("a behaviour such as `tofrom`")),
        };
        self.advance();
        let mut category = None;
        if self.eat(Punct::Colon) {
            category = self.word();
            if !matches!(category.as_deref(), Some("scalar" | "aggregate" | "pointer" | "all")) {
                return Err(self.unexpected("`scalar`, `aggregate`, `pointer` or `all`"));
            }
            self.advance();
        }
        Ok(ClauseKind::DefaultMap { behaviour, category: category.filter(|word| word != "all") })
    }

    /// Whether `(conditional: …)` follows.
    fn is_conditional(&self) -> bool {
        matches!(self.peek_ahead(1), TokenKind::Ident(name)
            if self.checker.unit.text(name) == "conditional")
    }

    /// Variables for which iterations are executed in order.
    fn in_order(&mut self, name: &ClauseName, form: &Form) -> Parsed<ClauseKind> {
        if form.has("distribute") {
            return Err(self.refused(&format!("{} with distribute", name.spelling), name));
        }
        Ok(ClauseKind::InOrder(self.var_list()?))
    }

    /// `list[: step]`, `val(list)[: step]`, `list: step(step)[, val]` (OpenMP 5.2 §5.4.6).
    fn linear_argument(&mut self) -> Parsed<ClauseKind> {
        let modifier = self.peek_ahead(1) == TokenKind::Punct(Punct::LParen);
        let vars = match modifier && matches!(self.word().as_deref(), Some("val" | "ref" | "uval"))
        {
            true => {
                self.advance();
                self.argument("val", Parser::var_list)?
            }
            false => self.var_list()?,
        };
        let mut step = None;
        if self.eat(Punct::Colon) {
            loop {
                let word = self.word();
                if word.as_deref() == Some("step")
                    && self.peek_ahead(1) == TokenKind::Punct(Punct::LParen)
                {
                    self.advance();
                    step = Some(self.argument("step", Parser::integer)?);
                } else if word.as_deref() == Some("val") {
                    self.advance();
                } else {
                    step = Some(self.integer()?);
                }
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        Ok(ClauseKind::Linear { vars, step })
    }

    /// `( … )`, whatever stands in it; nothing where there is none.
    pub(super) fn skip_argument(&mut self) -> Parsed<()> {
        if !self.eat(Punct::LParen) {
            return Ok(());
        }
        let mut depth = 1;
        while depth > 0 {
            match self.peek() {
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) => depth -= 1,
                TokenKind::EndOfPragma | TokenKind::Eof => {
                    return Err(self.unexpected("`)` after the argument"));
                }
                _ => {}
            }
            self.advance();
        }
        Ok(())
    }
}

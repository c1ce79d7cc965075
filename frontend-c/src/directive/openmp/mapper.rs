//! `declare mapper` (OpenMP 5.2 §5.8.8): what a map of a structure maps, written out at each map.
//!
//! The clauses of a mapper are kept as tokens. Where a variable of its type is mapped, they are read once more
//! with that variable in the place of the mapper's own, from text that stands behind the program's, so that
//! the host program can have it.

use gpuc_diagnostics::Diagnostic;

use super::{CLAUSES, Clause, ClauseKind, Directive};
use crate::directive::{self, MappingKind, Section, VarRef};
use crate::lex::{Punct, Scanner, Token, TokenKind};
use crate::lower::role::declared_in;
use crate::parse::{Failed, Parsed, Parser};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{DeclId, StmtId};
use crate::types::Type;

use super::names::{ClauseName, FORMS, Form};

/// A mapper of a type.
#[derive(Clone, Debug)]
pub(crate) struct Mapper {
    /// Its name; the type's default where it has none.
    name: Option<String>,
    ty: Type,
    /// The variable that its clauses name.
    variable: Symbol,
    /// The arguments of its `map` clauses.
    maps: Vec<Vec<Token>>,
}

/// What moves of what is mapped: to the device, and back.
fn moves(kind: MappingKind) -> Option<(bool, bool)> {
    Some(match kind {
        MappingKind::Copy => (true, true),
        MappingKind::CopyIn => (true, false),
        MappingKind::CopyOut => (false, true),
        MappingKind::Create => (false, false),
        _ => return None,
    })
}

/// The type of a map by a mapper whose clause has `inner`, where the program's has `outer` (OpenMP 5.2 table 5.3).
fn combined(outer: MappingKind, inner: MappingKind) -> MappingKind {
    let (Some(outer_moves), Some(inner_moves)) = (moves(outer), moves(inner)) else { return outer };
    match (outer_moves.0 && inner_moves.0, outer_moves.1 && inner_moves.1) {
        (true, true) => MappingKind::Copy,
        (true, false) => MappingKind::CopyIn,
        (false, true) => MappingKind::CopyOut,
        (false, false) => MappingKind::Create,
    }
}

impl Parser {
    /// `([name:] type variable) map(…) …`, behind the words `declare mapper`.
    pub(super) fn declare_mapper(&mut self) -> Parsed<()> {
        let (name, ty, variable) = self.argument("declare mapper", |parser| {
            let mut name = None;
            if parser.peek_ahead(1) == TokenKind::Punct(Punct::Colon) {
                name = parser.word().filter(|name| name != "default");
                parser.advance();
                parser.advance();
            }
            let start = parser.span();
            let specifiers = parser.specifiers()?;
            let declarator = parser.declarator()?;
            let ty = parser.declared_type(&specifiers, &declarator);
            let Some((variable, _)) = declarator.name else {
                parser.checker.error(start, "a mapper names a variable of its type");
                return Err(Failed);
            };
            Ok((name, ty, variable))
        })?;
        let mut maps = Vec::new();
        while self.peek() != TokenKind::EndOfPragma {
            self.eat(Punct::Comma);
            if !self.eat_word("map") {
                return Err(self.unexpected("a `map` clause"));
            }
            self.expect(Punct::LParen, "after `map`")?;
            let mut tokens = Vec::new();
            let mut depth = 0;
            loop {
                match self.peek() {
                    TokenKind::Punct(Punct::LParen) => depth += 1,
                    TokenKind::Punct(Punct::RParen) if depth == 0 => break,
                    TokenKind::Punct(Punct::RParen) => depth -= 1,
                    TokenKind::EndOfPragma | TokenKind::Eof => {
                        return Err(self.unexpected("`)` after the argument"));
                    }
                    _ => {}
                }
                tokens.push(self.advance());
            }
            self.advance();
            maps.push(tokens);
        }
        self.mappers.push(Mapper { name, ty: ty.unqualified(), variable, maps });
        Ok(())
    }

    /// The mapper for variables of a type: that of a name, or its default.
    pub(super) fn mapper(&self, name: Option<&str>, ty: Type) -> Option<Mapper> {
        let types = &self.checker.unit.types;
        types.as_record(ty)?;
        let fits =
            |mapper: &&Mapper| mapper.name.as_deref() == name && mapper.ty == ty.unqualified();
        self.mappers.iter().rev().find(fits).cloned()
    }

    /// What a mapper maps of a variable that a clause maps in this way.
    pub(super) fn by_mapper(
        &mut self,
        mapper: &Mapper,
        map: &ClauseKind,
        var: &VarRef,
    ) -> Parsed<Vec<Clause>> {
        let ClauseKind::Map { kind, always, present, last, .. } = *map else {
            return Ok(Vec::new());
        };
        let slice = |parser: &Parser, span: Span| {
            String::from_utf8_lossy(parser.checker.unit.source.slice(span)).into_owned()
        };
        let object = slice(self, var.span);
        let mut clauses = Vec::new();
        // The structure is there, whatever its clauses say of it.
        let is_whole = |tokens: &Vec<Token>| {
            (0..tokens.len()).any(|i| {
                let kind = |at: usize| tokens.get(at).map(|token| token.kind);
                kind(i) == Some(TokenKind::Ident(mapper.variable))
                    && matches!(kind(i + 1), None | Some(TokenKind::Punct(Punct::Comma)))
            })
        };
        if !mapper.maps.iter().any(is_whole) {
            let vars = vec![var.clone()];
            let kind = ClauseKind::Map { kind, always, present, last, mapper: None, vars };
            clauses.push(Clause { name: name_of_map(), kind, span: var.span });
        }
        for tokens in &mapper.maps {
            let mut text = String::new();
            for token in tokens {
                match token.kind {
                    TokenKind::Ident(name) if name == mapper.variable => text += &object,
                    _ => text += &slice(self, token.span),
                }
                text.push(' ');
            }
            let span = self.checker.unit.source.append(&text, var.span.start);
            let tokens = self.tokens_of(span);
            let (name, form) = (name_of_map(), form_of_target());
            let known = self.mappers.clone();
            // A mapper maps structures in it member by member, not by mappers again.
            self.mappers.clear();
            let read = self.within(tokens, |parser| parser.map_argument(form));
            self.mappers = known;
            if let ClauseKind::Map { kind: inner, always: a, present: p, vars, .. } = read? {
                let maps_itself =
                    |own: &VarRef| !own.sections.is_empty() && own.ty.unqualified() == mapper.ty;
                if vars.iter().any(maps_itself) {
                    let diagnostic = Diagnostic::error(format!(
                        "the mapper of `{object}` maps another object of its type, so that it would map itself"
                    ))
                    .help(
                        "map such objects one by one, by `target enter data` and without the mapper (OpenMP 5.2 §5.8.8)",
                    );
                    self.checker.report(var.span, diagnostic);
                    return Err(Failed);
                }
                let kind = ClauseKind::Map {
                    kind: combined(kind, inner),
                    always: always || a,
                    present: present || p,
                    last,
                    mapper: None,
                    vars,
                };
                clauses.push(Clause { name, kind, span: var.span });
            }
        }
        Ok(clauses)
    }

    /// A `map` clause with what mappers make of its structures.
    pub(super) fn mapped(&mut self, clause: Clause) -> Parsed<Vec<Clause>> {
        let ClauseKind::Map { vars, mapper: name, .. } = &clause.kind else {
            return Ok(vec![clause]);
        };
        let mut clauses = Vec::new();
        let mut others = Vec::new();
        for var in vars {
            match self.mapper(name.as_deref(), var.ty).filter(|_| var.sections.is_empty()) {
                Some(mapper) => clauses.extend(self.by_mapper(&mapper, &clause.kind, var)?),
                None if name.is_some() => {
                    let message = format!(
                        "there is no mapper `{}` for this type",
                        name.clone().unwrap_or_default()
                    );
                    self.checker.error(var.span, message);
                    return Err(Failed);
                }
                None => others.push(var.clone()),
            }
        }
        let mut rest = clause;
        if let ClauseKind::Map { vars, .. } = &mut rest.kind {
            *vars = others;
        }
        clauses.push(rest);
        Ok(clauses)
    }

    /// Maps structures in no clause of a region as their types' default mappers say.
    pub(super) fn map_by_default(
        &mut self,
        directive: &mut directive::Directive,
        body: StmtId,
    ) -> Parsed<()> {
        if self.mappers.is_empty() {
            return Ok(());
        }
        let unit = &self.checker.unit;
        let inside = declared_in(unit, body);
        let listed = |decl: DeclId| {
            directive.data.iter().any(|mapping| mapping.var.decl == decl)
                || directive.private.iter().chain(&directive.firstprivate).any(|v| v.decl == decl)
        };
        let mut used: Vec<DeclId> = super::threads::named(unit, body)
            .into_iter()
            .filter(|decl| !inside.contains(decl) && !listed(*decl))
            .collect();
        used.sort_unstable();
        let whole = ClauseKind::Map {
            kind: MappingKind::Copy,
            always: false,
            present: false,
            last: false,
            mapper: None,
            vars: Vec::new(),
        };
        for decl in used {
            let ty = self.checker.unit.decls[decl].ty;
            let Some(mapper) = self.mapper(None, ty) else { continue };
            let name = self.checker.unit.name(decl).to_owned();
            let span = self.checker.unit.source.append(&name, directive.name.start);
            let base = self.checker.variable(decl, span);
            let var = VarRef { decl, base, sections: Vec::new(), first: base, ty, span };
            let clauses = self.by_mapper(&mapper, &whole, &var)?;
            let made = Directive {
                form: form_of_target(),
                clauses,
                listed: Vec::new(),
                linked: Vec::new(),
                host_only: false,
                span: directive.name,
            };
            directive.data.extend(made.mappings(&self.checker.unit));
        }
        Ok(())
    }

    /// The tokens of a part of the text.
    pub(super) fn tokens_of(&mut self, span: Span) -> Vec<Token> {
        let text = self.checker.unit.source.text().clone();
        let symbols = &mut self.checker.unit.symbols;
        let mut scanner = Scanner::new(&text[..span.end as usize], span.start as usize, symbols);
        let mut tokens = Vec::new();
        loop {
            let token = scanner.token();
            if token.kind == TokenKind::Eof {
                break;
            }
            tokens.push(token);
        }
        tokens.push(Token { kind: TokenKind::EndOfPragma, span: Span::new(span.end, span.end) });
        tokens
    }

    /// `iterator(name = first:end[:step], …)`, whose values sections then have.
    pub(super) fn iterators(&mut self) -> Parsed<()> {
        self.argument("iterator", |parser| {
            parser.separated(|parser| {
                let (mut name, mut span) = parser.expect_name("the name of an iterator")?;
                // A type may stand in front.
                if let TokenKind::Ident(_) = parser.peek() {
                    (name, span) = parser.expect_name("the name of an iterator")?;
                }
                parser.expect(Punct::Eq, "after the name of an iterator")?;
                let from = parser.span();
                let lower = parser.integer()?;
                parser.expect(Punct::Colon, "after the first value")?;
                let end = parser.integer()?;
                let until = parser.checker.span(end);
                if parser.at(Punct::Colon) {
                    let message =
                        "an iterator with a step is not supported by this version of gpuc";
                    parser.checker.report(span, Diagnostic::error(message));
                    return Err(Failed);
                }
                let slice = |span: Span| {
                    String::from_utf8_lossy(parser.checker.unit.source.slice(span)).into_owned()
                };
                let text = format!("({}) - ({})", slice(until), slice(parser.checker.span(lower)));
                let text = parser.checker.unit.source.append(&text, from.start);
                let tokens = parser.tokens_of(text);
                let length = parser.within(tokens, Parser::integer)?;
                let section = Section {
                    lower: Some(lower),
                    length: Some(length),
                    stride: None,
                    is_index: false,
                    span,
                };
                parser.iterators.push((name, section));
                Ok(())
            })
        })?;
        Ok(())
    }
}

fn name_of_map() -> &'static ClauseName {
    CLAUSES.iter().find(|clause| clause.spelling == "map").unwrap_or(&CLAUSES[0])
}

fn form_of_target() -> &'static Form {
    &FORMS[0]
}

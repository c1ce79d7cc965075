//! `declare reduction` (OpenMP 5.2 §5.5.11): operators of the program's own.
//!
//! One that is an operator of the language by another name is that operator. With any other, threads have copies of
//! the variable, which they combine by twos, block by block ([`super::combining`]). Where that cannot be, one thread executes the loop, with a
//! copy of the variable as every thread would have, and combines it at the end: with whatever values the copy begins, the
//! result is one that the program allows.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::offload::Construct;

use super::names::Form;
use super::{ClauseKind, Directive};
use crate::directive::construct::ComputeRegion;
use crate::directive::data::Mapping;
use crate::directive::{self, DataFlags, Kind, MappingKind, ReductionOp, VarRef, Written};
use crate::lex::{Punct, Token, TokenKind, scan};
use crate::parse::{Failed, Parsed, Parser};
use crate::pragma::spelling;
use crate::tree::{StmtId, StmtKind, TranslationUnit};
use crate::types::Type;

/// An operator of the program's own.
#[derive(Clone, Debug)]
pub(crate) struct UserReduction {
    /// Its name, or the operator that it stands for.
    name: String,
    types: Vec<Type>,
    /// What makes of `omp_out` and `omp_in` a new `omp_out`.
    combiner: Vec<Token>,
    /// What `omp_priv` begins with; zeros where it says nothing.
    initializer: Option<Vec<Token>>,
}

impl UserReduction {
    /// The combiner as a statement.
    pub(super) fn combining(&self, unit: &TranslationUnit, out: &str, part: &str) -> String {
        let names = |word: &str| match word {
            "omp_out" => Some(out),
            "omp_in" => Some(part),
            _ => None,
        };
        format!("{};", renamed(unit, &self.combiner, names))
    }

    /// What stands behind the declarator of a copy, which may say more than with what it begins.
    pub(super) fn beginning(&self, unit: &TranslationUnit, own: &str, orig: &str) -> String {
        let names = |word: &str| match word {
            "omp_priv" => Some(own),
            "omp_orig" => Some(orig),
            _ => None,
        };
        match self.initializer.as_deref() {
            None => "= { 0 };".to_owned(),
            Some([own, equals, value @ ..])
                if spelling(own, &unit.symbols) == "omp_priv"
                    && equals.kind == TokenKind::Punct(Punct::Eq) =>
            {
                format!("= {};", renamed(unit, value, names))
            }
            Some(call) => format!("= {{ 0 }}; {};", renamed(unit, call, names)),
        }
    }

    /// Whether copies begin with something of the value from before.
    pub(super) fn asks_for_before(&self, unit: &TranslationUnit) -> bool {
        self.initializer.iter().flatten().any(|token| spelling(token, &unit.symbols) == "omp_orig")
    }
}

/// Tokens as text, with other names.
fn renamed<'n>(
    unit: &TranslationUnit,
    tokens: &[Token],
    names: impl Fn(&str) -> Option<&'n str>,
) -> String {
    let words = tokens.iter().map(|token| {
        let text = spelling(token, &unit.symbols);
        names(&text).map_or(text, str::to_owned)
    });
    words.collect::<Vec<_>>().join(" ")
}

impl Parser {
    /// `(name : types : combiner) [initializer(…)]`, behind the words `declare reduction`.
    pub(super) fn declare_reduction(&mut self) -> Parsed<()> {
        let mut combiner = Vec::new();
        let (name, types) = self.argument("declare reduction", |parser| {
            let name = parser.reduction_name();
            parser.advance();
            parser.expect(Punct::Colon, "behind the name of a reduction")?;
            let types = parser.separated(Parser::type_name)?;
            // OpenMP 6.0 has the combiner in a clause.
            if parser.eat(Punct::Colon) {
                combiner = parser.balanced();
            }
            Ok((name, types))
        })?;
        let mut initializer = None;
        while self.peek() != TokenKind::EndOfPragma {
            self.eat(Punct::Comma);
            let (is_combiner, is_initializer) =
                (self.eat_word("combiner"), self.eat_word("initializer"));
            if !is_combiner && !is_initializer {
                return Err(self.unexpected("`initializer` or `combiner`"));
            }
            let tokens = self.argument("initializer", |parser| Ok(parser.balanced()))?;
            match is_combiner {
                true => combiner = tokens,
                false => initializer = Some(tokens),
            }
        }
        if combiner.is_empty() {
            return Err(self.unexpected("a combiner of `omp_out` and `omp_in`"));
        }
        let types = types.into_iter().map(Type::unqualified).collect();
        self.user_reductions.push(UserReduction { name, types, combiner, initializer });
        Ok(())
    }

    /// The name or the operator that stands there.
    fn reduction_name(&self) -> String {
        match self.peek() {
            TokenKind::Punct(punct) => punct.spelling().to_owned(),
            _ => self.word().unwrap_or_default(),
        }
    }

    /// The tokens up to the bracket that closes what is open.
    fn balanced(&mut self) -> Vec<Token> {
        let mut tokens = Vec::new();
        let mut depth = 0;
        loop {
            match self.peek() {
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) if depth == 0 => return tokens,
                TokenKind::Punct(Punct::RParen) => depth -= 1,
                TokenKind::EndOfPragma | TokenKind::Eof => return tokens,
                _ => {}
            }
            tokens.push(self.advance());
        }
    }

    /// The argument of `reduction` where its operator is one of the program's; `None` where it is the language's.
    pub(super) fn user_reduction(&mut self) -> Parsed<Option<ClauseKind>> {
        let name = self.reduction_name();
        let known = |reduction: &&UserReduction| reduction.name == name;
        if !self.user_reductions.iter().any(|reduction| known(&reduction)) {
            return Ok(None);
        }
        let predefined = match self.peek() {
            TokenKind::Punct(_) => true,
            _ => matches!(name.as_str(), "max" | "min"),
        };
        let op = match predefined {
            true => Some(self.reduction_operator()?),
            false => {
                self.advance();
                None
            }
        };
        self.expect(Punct::Colon, "after the operator of `reduction`")?;
        let vars = self.var_list()?;
        let of = |ty: Type| {
            let fits = |reduction: &UserReduction| {
                reduction.name == name && reduction.types.contains(&ty.unqualified())
            };
            self.user_reductions.iter().rposition(fits)
        };
        let found: Vec<Option<usize>> = vars.iter().map(|var| of(var.ty)).collect();
        if let Some(op) = op.filter(|_| found.iter().all(Option::is_none)) {
            return Ok(Some(ClauseKind::Reduction { op, vars }));
        }
        let mut items = Vec::new();
        let mut same = None;
        for (var, found) in vars.iter().zip(&found) {
            let Some(index) = *found else {
                let message = format!(
                    "`{name}` is not declared for the type of this variable (OpenMP 5.2 §5.5.11)"
                );
                self.checker.error(var.span, message);
                return Err(Failed);
            };
            let reduction = &self.user_reductions[index];
            let meant = predefined_by(&self.checker.unit, reduction, var.ty);
            same = if items.is_empty() || same == meant { meant } else { None };
            items.push((index, var.clone()));
        }
        Ok(Some(match same {
            Some(op) => ClauseKind::Reduction { op, vars },
            None => ClauseKind::Combined(items),
        }))
    }

    /// The statement of a loop that combines by the program's own operators.
    pub(super) fn combined(
        &mut self,
        directive: &mut directive::Directive,
        form: &Form,
        body: StmtId,
    ) -> Parsed<StmtId> {
        let Written::OpenMp(written) = &directive.written else { return Ok(body) };
        let items = written.combined_items();
        let Some((first, _)) = items.first() else { return Ok(body) };
        let unit = &self.checker.unit;
        let alone = form.has("distribute") && !form.has("teams")
            || form.has("loop") && !form.has("teams") && !self.in_parallel && !form.has("target");
        let others = ["lastprivate", "linear", "in_reduction"];
        let of_part = items
            .iter()
            .find(|(_, var)| !var.is_whole_variable(unit) || unit.types.as_array(var.ty).is_some());
        let name = &self.user_reductions[*first].name;
        let problem = if let Some((_, var)) = of_part {
            let text = String::from_utf8_lossy(unit.source.slice(var.span)).into_owned();
            Some(format!("`{name}` of `{text}`, which is an array or a part of something"))
        } else if !form.is_loop() || form.has("sections") || form.has("taskloop") || alone {
            Some(format!("`{name}` on `{}`", form.words))
        } else if directive.stays {
            Some(format!("`{name}` in a function that a region calls"))
        } else {
            let clause = others.iter().find(|name| written.clauses(name).next().is_some());
            clause.map(|clause| format!("`{name}` beside `{clause}`"))
        };
        let name = name.clone();
        if let Some(problem) = problem {
            let message = format!(
                "a user-defined reduction {problem} (OpenMP 5.2 §5.5.11) is not supported in device code by this version of gpuc"
            );
            let diagnostic = Diagnostic::error(message)
                .code(codes::NOT_SUPPORTED)
                .at(unit.place(directive.name));
            directive.refused.get_or_insert_with(|| Box::new(diagnostic.clone()));
            if !directive.stays {
                self.checker.report(directive.name, diagnostic);
            }
            return Ok(body);
        }
        if let Some(count) = self.copies(&items, form, body) {
            return self.combined_by_threads(directive, items, count, body);
        }
        self.combined_in_order(directive, form, items, &name, body)
    }

    /// The same where one thread executes it, with copies of the variables under their names.
    fn combined_in_order(
        &mut self,
        directive: &mut directive::Directive,
        form: &Form,
        items: Vec<(usize, VarRef)>,
        name: &str,
        body: StmtId,
    ) -> Parsed<StmtId> {
        let text = self.text_round(&items);
        let tokens = scan(&text, directive.name, &mut self.checker.unit.symbols);
        let whole = self.within(tokens, Parser::statement)?;
        let unit = &mut self.checker.unit;
        let StmtKind::Compound(mut list) = unit.stmts[whole].kind.clone() else { return Ok(body) };
        for stmt in &mut list {
            if matches!(unit.stmts[*stmt].kind, StmtKind::Empty) {
                *stmt = body;
            }
        }
        unit.stmts[whole].kind = StmtKind::Compound(list);
        let others: Vec<VarRef> = std::mem::take(&mut directive.reductions)
            .into_iter()
            .flat_map(|reduction| reduction.vars)
            .collect();
        directive.nest = None;
        directive.kind = match directive.kind {
            Kind::Compute(_) => {
                // Of no teams, and what they combine is the program's.
                directive.sizes = Default::default();
                directive.size_values.clear();
                let flags = DataFlags { one_count: true, ..DataFlags::default() };
                let known: Vec<_> = directive.data.iter().map(|mapping| mapping.var.decl).collect();
                let all = others.into_iter().chain(items.into_iter().map(|(_, var)| var));
                directive.data.extend(
                    all.filter(|var| !known.contains(&var.decl)).map(|var| Mapping {
                        kind: MappingKind::Copy,
                        flags,
                        var,
                    }),
                );
                Kind::Compute(ComputeRegion { construct: Construct::Serial })
            }
            _ => Kind::Block,
        };
        let message = format!(
            "the iterations of this `{}` are executed one after another: `{name}` is an operator of the program's own",
            directive.words
        );
        let warning = Diagnostic::warning(message)
            .at(self.checker.unit.place(directive.name))
            .help("operators that are `+`, `max` and the like by another name are combined in parallel");
        directive.remark.get_or_insert_with(|| Box::new(warning));
        if directive.kind == Kind::Block && self.in_parallel && !form.has("parallel") {
            directive.words = "single";
        }
        Ok(whole)
    }

    /// What stands round the loop: `;` is in its place.
    fn text_round(&self, items: &[(usize, VarRef)]) -> String {
        let unit = &self.checker.unit;
        let (mut before, mut after) = (String::new(), String::new());
        for (number, (index, var)) in items.iter().enumerate() {
            let reduction = &self.user_reductions[*index];
            let name = unit.name(var.decl);
            let [outer, own, part] =
                ["orig", "priv", "in"].map(|word| format!("__gpuc_omp_{word}{number}"));
            before += &format!(
                "__typeof__({name}) {outer} = {name}; __typeof__({name}) {own} {} {name} = {own}; ",
                reduction.beginning(unit, &own, &outer)
            );
            after += &format!(
                "__typeof__({name}) {part} = {name}; {name} = {outer}; {} ",
                reduction.combining(unit, name, &part)
            );
        }
        format!("{{ {before} ; {after} }}")
    }
}

impl Directive {
    /// The variables that operators of the program's own combine, with the number of the operator.
    pub(super) fn combined_items(&self) -> Vec<(usize, VarRef)> {
        let items = self.clauses.iter().filter_map(|clause| match &clause.kind {
            ClauseKind::Combined(items) => Some(items.clone()),
            _ => None,
        });
        items.flatten().collect()
    }
}

/// The operator of the language that one of the program's is, on variables of a type.
fn predefined_by(
    unit: &TranslationUnit,
    reduction: &UserReduction,
    ty: Type,
) -> Option<ReductionOp> {
    if !unit.types.is_arithmetic(ty) {
        return None;
    }
    let text = |tokens: &[Token]| {
        tokens.iter().map(|token| spelling(token, &unit.symbols)).collect::<String>()
    };
    let mut combiner = text(&reduction.combiner);
    while let Some(inner) = combiner.strip_prefix('(').and_then(|text| text.strip_suffix(')'))
        && !inner.contains('(')
    {
        combiner = inner.to_owned();
    }
    let initializer = reduction.initializer.as_deref().map(text);
    let begins = match &initializer {
        None => "0",
        Some(text) => text.strip_prefix("omp_priv=")?,
    };
    use ReductionOp::{Add, And, LogicalAnd, LogicalOr, Max, Min, Mul, Or, Xor};
    let op = match combiner.strip_prefix("omp_out")? {
        "+=omp_in" | "=omp_out+omp_in" | "=omp_in+omp_out" => Add,
        "*=omp_in" | "=omp_out*omp_in" | "=omp_in*omp_out" => Mul,
        "&=omp_in" | "=omp_out&omp_in" | "=omp_in&omp_out" => And,
        "|=omp_in" | "=omp_out|omp_in" | "=omp_in|omp_out" => Or,
        "^=omp_in" | "=omp_out^omp_in" | "=omp_in^omp_out" => Xor,
        "=omp_out&&omp_in" | "=omp_in&&omp_out" => LogicalAnd,
        "=omp_out||omp_in" | "=omp_in||omp_out" => LogicalOr,
        "=omp_in>omp_out?omp_in:omp_out"
        | "=omp_out<omp_in?omp_in:omp_out"
        | "=omp_out>omp_in?omp_out:omp_in"
        | "=omp_in<omp_out?omp_out:omp_in" => Max,
        "=omp_in<omp_out?omp_in:omp_out"
        | "=omp_out>omp_in?omp_in:omp_out"
        | "=omp_out<omp_in?omp_out:omp_in"
        | "=omp_in>omp_out?omp_out:omp_in" => Min,
        _ => return None,
    };
    let is_neutral = match op {
        Add | Or | Xor | LogicalOr => {
            matches!(begins, "0" | "0.0" | "0.0f" | "0.f" | "0." | "0L" | "0UL" | "0u" | "0U")
        }
        Mul | LogicalAnd => {
            matches!(begins, "1" | "1.0" | "1.0f" | "1.f" | "1." | "1L" | "1UL" | "1u" | "1U")
        }
        And => matches!(begins, "~0" | "-1"),
        Max | Min => begins == "omp_orig",
    };
    is_neutral.then_some(op)
}

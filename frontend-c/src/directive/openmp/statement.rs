//! OpenMP's directives in statements and at file scope: what each applies to.
//!
//! What stands in a `target` region is this compiler's, and leaves the host's text. All else stays in it for
//! the host compiler; it is read too, because device code may call its function, and what is wrong with it
//! is said only then.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::offload::{Construct, LoopOrder};

use super::meaning::meaning;
use super::names::Form;
use super::serial::{self, Excludes};
use super::threads::{Count, asks};
use crate::directive::action::Action;
use crate::directive::construct::{ComputeRegion, GANG, LANE};
use crate::directive::data::Mapping;
use crate::directive::{
    self, DataFlags, DefaultData, Family, Kind, MappingKind, VarRef, Written, check_body,
};
use crate::lex::{Punct, Token, TokenKind};
use crate::lower::uses::mutated_by;
use crate::parse::{Failed, Parsed, Parser};
use crate::source::Span;
use crate::tree::{DeclId, DeclKind, DirectiveId, ExprId, ItemKind, StmtId, StmtKind};
use crate::types::Type;

impl Parser {
    /// Reads the directive of pragma `number`; `None` where it means nothing to devices.
    fn openmp(&mut self, number: u32) -> Parsed<Option<(directive::Directive, &'static Form)>> {
        let line = self.advance().span;
        let mut tokens = self.pragma_tokens(number);
        let said = self.checker.diagnostics.len();
        if self.is_word(&tokens, "metadirective") {
            let in_device = self.device_depth > 0;
            self.checker.unit.pragmas[number as usize].ours = in_device;
            tokens = self.metadirective(tokens)?;
            let is_ours = in_device || self.is_word(&tokens, "target");
            if tokens.is_empty() || !is_ours {
                return Ok(None);
            }
        }
        let read = self.within(tokens, |parser| {
            let (form, span) = parser.openmp_form()?;
            Some((form, span, parser.openmp_directive(form, span)))
        });
        let Some((form, span, read)) = read else {
            let unit = &self.checker.unit;
            let body = unit.source.slice(unit.pragmas[number as usize].body);
            let text =
                String::from_utf8_lossy(body).split_whitespace().collect::<Vec<_>>().join(" ");
            // They say nothing that the host compiler must know, and not all know them.
            if text.contains("assumes") {
                self.checker.unit.pragmas[number as usize].ours = true;
                return Ok(None);
            }
            if self.device_depth > 0 {
                let message = "this is no directive of OpenMP 5.2 that device code can have";
                self.checker.report(line, Diagnostic::error(message).code(codes::NOT_SUPPORTED));
                return Err(Failed);
            }
            return Ok(None);
        };
        let ours = form.is_for_device() || form.words == "groupprivate" || self.device_depth > 0;
        self.checker.unit.pragmas[number as usize].ours = ours;
        let mut directive = match read {
            Ok(directive) => {
                if ours && form.words == "error" {
                    self.said_by_error(&directive)?;
                }
                let one = self.checker.int(1, Type::INT, span);
                meaning(directive, &self.checker.unit, one, self.in_parallel)
            }
            Err(Failed) if ours => return Err(Failed),
            Err(Failed) => directive::Directive::new(Family::OpenMp, form.words, span, Kind::Block),
        };
        if !ours {
            let mut found = self.checker.diagnostics.drain(said..);
            directive.refused = found.find(Diagnostic::is_error).map(Box::new);
        }
        directive.span = line;
        directive.stays = !ours;
        Ok(Some((directive, form)))
    }

    /// A directive within a function, with the statement it applies to.
    pub(crate) fn openmp_statement(&mut self, number: u32) -> Parsed<StmtId> {
        let start = self.span();
        let (mut directive, form) = match self.openmp(number) {
            Ok(Some(read)) => read,
            // The host compiler's; what follows may be a declaration.
            Ok(None) if self.at(Punct::RBrace) || self.starts_declaration() => {
                return Ok(self.stmt(StmtKind::Empty, start));
            }
            Ok(None) => return self.statement(),
            // The directive is reported; the statement behind it stands for itself.
            Err(Failed) if self.at(Punct::RBrace) => return Err(Failed),
            Err(Failed) => return self.statement(),
        };
        let ours = form.is_for_device() || self.device_depth > 0;
        if let Written::OpenMp(written) = &directive.written
            && form.words == "declare target"
            && written.is_of_functions(&self.checker.unit)
        {
            return Ok(self.stmt(StmtKind::Empty, start));
        }
        if matches!(form.words, "declare mapper" | "declare reduction" | "groupprivate") {
            return Ok(self.stmt(StmtKind::Empty, start));
        }
        if form.words.contains("declare") || form.words == "requires" {
            let message = format!("`{}` cannot stand inside of a function", form.words);
            self.checker.error(start, message);
            return Err(Failed);
        }
        if let Written::OpenMp(written) = &directive.written
            && form.words == "error"
            && written.is_said_when_executed()
        {
            let written = written.clone();
            // The host's version of a region says it, too.
            self.checker.unit.pragmas[number as usize].ours = false;
            return self.error_when_executed(&written);
        }
        let is_alone = form.words == "ordered"
            && matches!(&directive.written, Written::OpenMp(written) if written.is_doacross());
        if !form.has_body || is_alone {
            directive.data.retain(|mapping| !mapping.flags.itself);
            if is_alone {
                directive.kind = Kind::Hint;
            }
            let directive = self.checker.unit.directives.alloc(directive);
            return Ok(self.stmt(StmtKind::Directive { directive, body: None }, start));
        }
        if self.at(Punct::RBrace) || self.peek() == TokenKind::Eof {
            let message = format!("no statement follows this `{}`", form.words);
            self.checker.error(start, message);
            return Err(Failed);
        }
        let (outer_device, outer_parallel) = (self.device_depth, self.in_parallel);
        let outer_limit = self.thread_limit;
        if let Written::OpenMp(written) = &directive.written {
            self.thread_limit = written.thread_limit().or(self.thread_limit);
        }
        self.device_depth += u32::from(form.has("target"));
        self.in_parallel = ours && form.has("parallel") || self.in_parallel && !form.has("target");
        let outer_from = self.region_from;
        if form.has("parallel") || form.has("target") {
            self.region_from = self.checker.unit.decls.len() as u32;
        }
        let body = self.statement();
        let region_from = std::mem::replace(&mut self.region_from, outer_from);
        (self.device_depth, self.in_parallel) = (outer_device, outer_parallel);
        let limit = std::mem::replace(&mut self.thread_limit, outer_limit);
        let mut body = body?;
        body = self.transformed(&mut directive, form, body)?;
        body = self.filtered(&mut directive, form, number, body)?;
        self.check_scan(&mut directive, body);
        if form.has("sections") {
            body = self.sections_as_loop(body, directive.name)?;
        }
        if form.has("task") || form.has("taskloop") {
            self.note_own_of_task(&mut directive, region_from, body);
        } else {
            self.note_default_own(&mut directive, body);
        }
        if let Some((span, diagnostic)) = check_body(&directive, &self.checker.unit, body) {
            match ours {
                true => self.checker.report(span, diagnostic),
                false => {
                    let place = self.checker.unit.place(span);
                    directive.refused.get_or_insert_with(|| Box::new(diagnostic.at(place)));
                }
            }
        }
        let combined = match &directive.written {
            Written::OpenMp(written) => !written.combined_items().is_empty(),
            _ => false,
        };
        body = self.combined(&mut directive, form, body)?;
        let excludes = serial::excludes(&self.checker.unit, body);
        if let Some(because) = excludes {
            serial::in_turns(&self.checker.unit, &mut directive, because);
        }
        if form.has("target") && ours {
            self.map_by_default(&mut directive, body)?;
        }
        self.keep_mapped_pointers(&mut directive, form, body);
        if form.has("target") {
            self.note_group_private(&mut directive, body);
        }
        let mut teams = None;
        if form.words == "target" {
            match self.combines_in_order(body) {
                true => {
                    directive.kind = Kind::Compute(ComputeRegion { construct: Construct::Serial })
                }
                false => teams = self.take_teams(&mut directive, body),
            }
        } else if form.has("target") && form.has("teams") {
            teams = (!combined).then(|| directive.clone());
        } else if ours && form.words.starts_with("teams") {
            directive.refused = Some(Box::new(
                Diagnostic::error("`teams` must be all that its `target` region has")
                    .at(self.checker.unit.place(directive.name))
                    .help("write `target teams` (OpenMP 5.2 §10.2)"),
            ));
        }
        if directive.refused.is_none() && !combined {
            body = self.by_numbers(&mut directive, form, teams, limit, excludes, body)?;
        }
        if form.words == "target data" {
            body = self.addresses(&mut directive, body, start);
        }
        let directive = self.checker.unit.directives.alloc(directive);
        Ok(self.stmt(StmtKind::Directive { directive, body: Some(body) }, start))
    }

    /// Gives each team its own of the variables of `groupprivate` (OpenMP 6.0 §7.13).
    fn note_group_private(&mut self, directive: &mut directive::Directive, body: StmtId) {
        if self.group_private.is_empty() {
            return;
        }
        let here = super::threads::named(&self.checker.unit, body);
        let called = super::threads::named_by_callees(&self.checker.unit, body);
        for decl in self.group_private.clone() {
            if called.contains(&decl) {
                let unit = &self.checker.unit;
                let message = format!(
                    "`{}` is each team's own (OpenMP 6.0 §7.13), which functions that a region calls cannot use in \
                     this version of gpuc",
                    unit.name(decl)
                );
                let diagnostic = Diagnostic::error(message)
                    .code(codes::NOT_SUPPORTED)
                    .at(unit.place(directive.name));
                directive.refused.get_or_insert_with(|| Box::new(diagnostic.clone()));
                self.checker.report(directive.name, diagnostic);
            } else if here.contains(&decl) {
                let var = self.variable(decl);
                directive.private.push(var);
            }
        }
    }

    /// A pointer alone in `map` is the region's own, and leads to what is there of that to which it points
    /// (OpenMP 5.2 §5.8.6); one that the region changes is mapped itself.
    fn keep_mapped_pointers(
        &self,
        directive: &mut directive::Directive,
        form: &Form,
        body: StmtId,
    ) {
        let unit = &self.checker.unit;
        let changed = match form.has("target") {
            true => mutated_by(unit, body),
            false => Default::default(),
        };
        let sections: Vec<DeclId> = directive
            .data
            .iter()
            .filter(|mapping| !mapping.flags.itself)
            .map(|mapping| mapping.var.decl)
            .collect();
        let stays = |mapping: &Mapping| {
            let decl = mapping.var.decl;
            !mapping.flags.itself || changed.contains(&decl) && !sections.contains(&decl)
        };
        let (data, left): (Vec<_>, Vec<_>) = directive.data.drain(..).partition(stays);
        directive.data = data;
        if directive.default_data == Some(DefaultData::None) {
            directive.firstprivate.extend(left.into_iter().map(|mapping| mapping.var));
        }
    }

    /// The directive that a region's only statement has.
    fn only_directive(&self, body: StmtId) -> Option<DirectiveId> {
        match &self.checker.unit.stmts[body].kind {
            StmtKind::Compound(list) => match list.as_slice() {
                [only] => self.only_directive(*only),
                _ => None,
            },
            StmtKind::Directive { directive, .. } => Some(*directive),
            _ => None,
        }
    }

    /// Whether a region's only statement is one of teams that one thread executes, for the operators it combines by.
    fn combines_in_order(&mut self, body: StmtId) -> bool {
        let Some(id) = self.only_directive(body) else { return false };
        let teams = &mut self.checker.unit.directives[id];
        let Written::OpenMp(written) = &teams.written else { return false };
        let combines = teams.words.starts_with("teams") && !written.combined_items().is_empty();
        if combines && teams.kind == Kind::Block {
            teams.refused = None;
        }
        // Where threads combine, nothing is said.
        combines && teams.remark.is_some()
    }

    /// What the only statement of a `target` region says of its teams, which the region then has.
    fn take_teams(
        &mut self,
        target: &mut directive::Directive,
        body: StmtId,
    ) -> Option<directive::Directive> {
        let id = self.only_directive(body)?;
        let teams = &mut self.checker.unit.directives[id];
        if !teams.words.starts_with("teams") {
            return None;
        }
        teams.refused = None;
        if matches!(&teams.written, Written::OpenMp(written) if !written.combined_items().is_empty())
        {
            return None;
        }
        target.sizes = std::mem::take(&mut teams.sizes);
        target.size_values = std::mem::take(&mut teams.size_values);
        target.lane_limit = teams.lane_limit.or(target.lane_limit);
        target.values = target.size_values.iter().copied().chain(target.condition.device).collect();
        Some(teams.clone())
    }

    /// The statement of a construct whose teams or threads can be told apart, as loops over their numbers.
    fn by_numbers(
        &mut self,
        directive: &mut directive::Directive,
        form: &'static Form,
        teams: Option<directive::Directive>,
        limit: Option<ExprId>,
        excludes: Option<Excludes>,
        body: StmtId,
    ) -> Parsed<StmtId> {
        let mut asked = asks(&self.checker.unit, body);
        // What a thread leaves in a copy of its own, its next iteration finds there.
        let changed = mutated_by(&self.checker.unit, body);
        asked.threads |= form.has("parallel")
            && form.is_loop()
            && directive.firstprivate.iter().any(|var| changed.contains(&var.decl))
            && matches!(&directive.written, Written::OpenMp(written) if written.has_static_chunks());
        let mut body = body;
        // What the first thread of each team executes, its team executes once.
        let filters = matches!(&directive.written, Written::OpenMp(w) if w.filter().is_some());
        let by_each = !form.has("master") && (!form.has("masked") || filters);
        if form.has("parallel") && by_each {
            let (asks_number, condition) = match &directive.written {
                Written::OpenMp(written) => (written.threads(), written.parallel_condition()),
                _ => (None, None),
            };
            let count = Count { asked: asks_number, limit, condition, excludes };
            if !form.is_loop() {
                body = self.parallel_body(directive, &count, body)?;
            } else if asked.threads {
                if let Some(nest) = &mut directive.nest {
                    nest.shared[LANE] = true;
                    nest.levels[LANE] = None;
                    nest.levels[GANG].take_if(|_| !nest.shared[GANG]);
                }
                let inner = self.split_loop(directive, body);
                body = self.over_numbers(directive, LANE, &count, inner)?;
                if directive.kind == Kind::Loop {
                    directive.kind = Kind::Block;
                    directive.reductions.clear();
                }
            }
        }
        let Some(teams) = teams else { return Ok(body) };
        if let Some(nest) = directive.nest.as_mut().filter(|nest| nest.levels[LANE].is_none()) {
            // A team that has its number has its iterations one after another.
            let by_number = asked.teams || asked.threads;
            nest.order = nest.order.or((by_number && nest.shared[GANG]).then_some(LoopOrder::Seq));
        }
        // What each team adds is told apart by its number, too.
        if asked.teams || asked.threads || !teams.reductions.is_empty() && teams.nest.is_none() {
            body = self.split_loop(directive, body);
            let count = Count {
                asked: directive.sizes[GANG].first().copied(),
                limit: None,
                condition: None,
                excludes: None,
            };
            body = self.over_numbers(&teams, GANG, &count, body)?;
        }
        Ok(body)
    }

    /// The part of `target data` that is about names: a directive of its own, inside.
    fn addresses(&mut self, data: &mut directive::Directive, body: StmtId, start: Span) -> StmtId {
        let Written::OpenMp(written) = &data.written else { return body };
        let mappings = written.addresses();
        if mappings.is_empty() {
            return body;
        }
        let renamed = self.renamed(&mappings, body);
        let end = Span::new(data.span.end, data.span.end);
        let kind = Kind::Host(Action::Addresses);
        let inner = directive::Directive {
            span: end,
            data: mappings,
            renamed,
            ..directive::Directive::new(Family::OpenMp, data.words, data.name, kind)
        };
        let directive = self.checker.unit.directives.alloc(inner);
        self.stmt(StmtKind::Directive { directive, body: Some(body) }, start)
    }

    /// A directive at file scope.
    pub(crate) fn openmp_at_file_scope(&mut self, number: u32) -> ItemKind {
        let start = self.span();
        if let Some(item) = self.variant_at_file_scope(number) {
            return item;
        }
        let Ok(Some((mut directive, form))) = self.openmp(number) else { return ItemKind::Other };
        let Written::OpenMp(written) = &directive.written else { return ItemKind::Other };
        self.checker.unit.shares_memory |= written.shares_memory();
        let listed = written.listed.clone();
        let names = match form.words {
            "requires" | "declare mapper" | "declare reduction" | "groupprivate" => {
                return ItemKind::Other;
            }
            "begin declare target" => None,
            "declare target" if listed.is_empty() && written.linked.is_empty() => None,
            "declare target" if written.host_only => Some(Vec::new()),
            "declare target" => Some(listed),
            "end declare target" => match self.declare_target.pop() {
                Some((from, true)) => Some(self.declared_since(from)),
                Some((_, false)) => Some(Vec::new()),
                None => {
                    self.checker.error(start, "no `declare target` is open here");
                    return ItemKind::Other;
                }
            },
            _ => {
                let message = format!("`{}` cannot stand outside of a function", form.words);
                if form.is_for_device() {
                    self.checker.error(start, message);
                }
                return ItemKind::Other;
            }
        };
        let Some(names) = names else {
            self.declare_target.push((self.checker.unit.items.len(), !written.host_only));
            return ItemKind::Other;
        };
        for decl in names {
            let known = directive.data.iter().any(|mapping| mapping.var.decl == decl)
                || !self.declared_target.insert(decl);
            if known || !matches!(self.checker.unit.decls[decl].kind, DeclKind::Variable(_)) {
                continue;
            }
            let span = self.checker.unit.decls[decl].span;
            let Some(name) = self.checker.unit.decls[decl].name else { continue };
            let base = self.checker.name(name, span);
            let ty = self.checker.ty(base);
            let var = VarRef { decl, base, sections: Vec::new(), first: base, ty, span };
            let flags = DataFlags::default();
            directive.data.push(Mapping { kind: MappingKind::CopyIn, flags, var });
        }
        ItemKind::Directive(self.checker.unit.directives.alloc(directive))
    }

    /// Whether the first of a directive's tokens is a word.
    fn is_word(&self, tokens: &[Token], word: &str) -> bool {
        matches!(tokens.first(), Some(Token { kind: TokenKind::Ident(name), .. })
            if self.checker.unit.text(*name) == word)
    }

    /// `declare variant` at file scope: which function device code calls. It stays the host compiler's, too.
    fn variant_at_file_scope(&mut self, number: u32) -> Option<ItemKind> {
        let pragma = self.checker.unit.pragmas[number as usize];
        let text =
            String::from_utf8_lossy(self.checker.unit.source.slice(pragma.body)).into_owned();
        let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        if (words.next(), words.next()) != (Some("declare"), Some("variant")) {
            return None;
        }
        let line = self.advance().span;
        let tokens = self.pragma_tokens(number);
        let read = self.within(tokens, |parser| {
            // The name is one word in OpenMP 6.0.
            if parser.word().as_deref() == Some("declare") {
                parser.advance();
            }
            parser.advance();
            parser.declare_variant(line)
        });
        let Ok(read) = read else { return Some(ItemKind::Other) };
        // A call that is dispatched may be one of the function itself (OpenMP 5.2 §7.6).
        if text.contains("dispatch") {
            self.checker.unit.pragmas[number as usize].ours = true;
        }
        let by_place = ["parallel", "teams", "for", "simd", "dispatch"];
        if read.is_none()
            && text.contains("construct")
            && words.any(|word| by_place.contains(&word))
        {
            let message = "device code does not follow this `declare variant` (OpenMP 5.2 §7.5): it calls the \
                           function that it names, whatever constructs stand round the call";
            self.checker.report(line, Diagnostic::warning(message));
        }
        Some(match read {
            Some(directive) => ItemKind::Directive(self.checker.unit.directives.alloc(directive)),
            None => ItemKind::Other,
        })
    }

    /// The variables that the items from that number on declare.
    fn declared_since(&self, from: usize) -> Vec<DeclId> {
        let items = self.checker.unit.items.get(from..).unwrap_or_default();
        let declared = items.iter().flat_map(|item| match &item.kind {
            ItemKind::Declaration(decls) => decls.clone(),
            _ => Vec::new(),
        });
        declared.collect()
    }
}

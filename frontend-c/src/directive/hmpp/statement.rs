//! `#pragma hmpp` in functions and at file scope: what each directive does.

use gpuc_diagnostics::Diagnostic;

use super::codelet::is_for_device;
use super::labels::{Group, Move, Moves};
use super::line::{FAMILY, Line, Property, Text, Which};
use crate::directive::action::{Action, DeviceChoice};
use crate::directive::data::{Mapping, Memory};
use crate::directive::{self, DataFlags, Kind, MappingKind, VarRef, Written};
use crate::parse::{Failed, Parsed, Parser};
use crate::pragma;
use crate::source::Span;
use crate::tree::{DeclId, DeclKind, Item, ItemKind, StmtId, StmtKind};

impl Parser {
    /// A directive at file scope.
    pub(crate) fn hmpp_at_file_scope(&mut self, number: u32) -> ItemKind {
        if self.checker.unit.pragmas[number as usize].family == pragma::Family::HmppCg {
            let span = self.span();
            // Those that continue it are no directives of their own.
            self.hmpp_tokens(number);
            self.checker.error(span, "a directive of `hmppcg` stands in front of a loop");
            return ItemKind::Other;
        }
        let Ok(line) = self.hmpp_line(number) else { return ItemKind::Other };
        match line.form.spelling {
            "codelet" => self.codelet_directive(line),
            "group" => {
                let Some(name) = line.group.or(line.label) else {
                    self.checker
                        .error(line.name, "a group has a name: `#pragma hmpp <name> group`");
                    return ItemKind::Other;
                };
                let on_device = is_for_device(&line.targets);
                self.labels.groups.push(Group { name, transfer: line.transfer, on_device });
            }
            "map" | "mapbyname" => self.map_directive(&line),
            "resident" => self.labels.resident = Some(line.name),
            // Data belongs to the host memory that it is a copy of in any case.
            "mirror" => {}
            words => {
                let message = format!("`{words}` cannot stand outside of a function");
                self.checker.error(line.name, message);
            }
        }
        ItemKind::Other
    }

    /// `map` and `mapbyname`: arguments that are one.
    fn map_directive(&mut self, line: &Line) {
        if line.group.is_none() {
            let message =
                format!("`{0}` is about a group: `#pragma hmpp <name> {0}`", line.form.spelling);
            self.checker.error(line.name, message);
            return;
        }
        let by_name = line.form.spelling == "mapbyname";
        for (list, _) in &line.arguments {
            let open = list.iter().find(|item| {
                by_name != item.codelet.is_none() || !matches!(item.which, Which::Name(_))
            });
            if let (Some(item), false) = (open, by_name) {
                let message = "arguments of `map` name their codelet: `args[codelet::argument]`";
                self.checker.error(item.span, message);
                continue;
            }
            let entry = (line.group.clone(), list.clone());
            match by_name {
                true => self.labels.by_name.push(entry),
                false => self.labels.maps.push(entry),
            }
        }
    }

    /// What waits for the item that ends here: a codelet for its prototype, `resident` for its variables.
    pub(crate) fn hmpp_behind_item(&mut self, span: Span) {
        if self.labels.next.is_none() && self.labels.resident.is_none() {
            return;
        }
        let Some(ItemKind::Declaration(decls)) =
            self.checker.unit.items.last().map(|item| item.kind.clone())
        else {
            return;
        };
        if let Some(number) = self.labels.next.take() {
            let is_function = |decl: &DeclId| {
                matches!(self.checker.unit.decls[*decl].kind, DeclKind::Function(_))
            };
            match decls.iter().copied().find(is_function) {
                Some(function) => self.labels.codelets[number].function = Some(function),
                None => {
                    let at = self.labels.codelets[number].line.name;
                    self.checker.error(at, "no function follows this `codelet`");
                }
            }
        }
        if let Some(name) = self.labels.resident.take() {
            let end = Span::new(span.end, span.end);
            let data = decls.into_iter().filter_map(|decl| self.resident(decl)).collect();
            let directive = directive::Directive {
                span: end,
                data,
                ..directive::Directive::new(FAMILY, "resident", name, Kind::Host(Action::Scope))
            };
            let directive = self.checker.unit.directives.alloc(directive);
            self.checker.unit.items.push(Item { kind: ItemKind::Directive(directive), span: end });
        }
    }

    /// A variable that is on the device as long as the program runs.
    fn resident(&mut self, decl: DeclId) -> Option<Mapping> {
        let DeclKind::Variable(_) = self.checker.unit.decls[decl].kind else { return None };
        let span = self.checker.unit.decls[decl].span;
        let base = self.checker.variable(decl, span);
        let ty = self.checker.ty(base);
        if self.checker.unit.types.is_pointer(ty) {
            self.hmpp_refused("`resident` of a pointer", span);
            return None;
        }
        let var = VarRef { decl, base, sections: Vec::new(), first: base, ty, span };
        Some(Mapping { kind: MappingKind::CopyIn, flags: DataFlags::default(), var })
    }

    /// A directive within a function, with the statement it applies to.
    pub(crate) fn hmpp_statement(&mut self, number: u32) -> Parsed<StmtId> {
        let start = self.span();
        let Ok(line) = self.hmpp_line(number) else {
            return Ok(self.stmt(StmtKind::Empty, start));
        };
        let words = line.form.spelling;
        if self.device_depth > 0 {
            let message = format!("`{words}` is about the host, and stands in a codelet");
            self.checker.error(line.name, message);
            return Ok(self.stmt(StmtKind::Empty, start));
        }
        match words {
            "callsite" => return self.callsite(line, start),
            "region" => return self.hmpp_region(line, start),
            _ => {}
        }
        let read = match words {
            "acquire" => self.labelled(&line).map(|_| {
                let kind = Kind::Host(Action::Init(DeviceChoice::default()));
                vec![directive::Directive::new(FAMILY, words, line.name, kind)]
            }),
            "release" => self.release(&line),
            "synchronize" => self.labelled(&line).map(|codelets| {
                let waits = vec![self.queues_of(&codelets, line.name)];
                let mut directive =
                    directive::Directive::new(FAMILY, words, line.name, Kind::Host(Action::Wait));
                directive.order.waits = if codelets.is_empty() { Vec::new() } else { waits };
                vec![directive]
            }),
            "allocate" => self.moving(&line, Moves::Allocate, Action::Enter),
            "free" => self.moving(&line, Moves::Free, Action::Exit),
            "advancedload" => self.moving(&line, Moves::Load, Action::Enter),
            "delegatedstore" => self.moving(&line, Moves::Store, Action::Update),
            "mirror" => Ok(Vec::new()),
            _ => {
                let message = format!("`{words}` cannot stand inside of a function");
                self.checker.error(line.name, message);
                Err(Failed)
            }
        };
        let Ok(directives) = read else { return Ok(self.stmt(StmtKind::Empty, start)) };
        let mut stmts = Vec::new();
        for (index, mut directive) in directives.into_iter().enumerate() {
            // The second one stands right behind the first.
            directive.span = match index {
                0 => line.span,
                _ => Span::new(line.span.end, line.span.end),
            };
            directive.written = Written::OpenHmpp(super::Directive { text: line.text.clone() });
            let id = self.checker.unit.directives.alloc(directive);
            self.note_move(&line, id, index);
            stmts.push(self.stmt(StmtKind::Directive { directive: id, body: None }, start));
        }
        match stmts.as_slice() {
            [] => Ok(self.stmt(StmtKind::Empty, start)),
            [only] => Ok(*only),
            _ => Ok(self.stmt(StmtKind::Compound(stmts), start)),
        }
    }

    /// `release`: everything that the codelet or group keeps on the device goes.
    fn release(&mut self, line: &Line) -> Parsed<Vec<directive::Directive>> {
        let codelets = self.labelled(line)?;
        let owner = match (&line.group, codelets.first()) {
            (Some(group), _) => group.clone(),
            (None, Some(&codelet)) => self.labels.codelets[codelet].owner(),
            (None, None) => return Err(Failed),
        };
        let order = self.order_of(&codelets, false, line.name);
        let kind = Kind::Host(Action::LetGo);
        Ok(vec![directive::Directive {
            order,
            owner: Some(owner),
            ..directive::Directive::new(FAMILY, "release", line.name, kind)
        }])
    }

    /// A directive about data, of which more is known when the unit has been read; resident variables and expressions have
    /// one of their own.
    fn moving(
        &mut self,
        line: &Line,
        moves: Moves,
        action: Action,
    ) -> Parsed<Vec<directive::Directive>> {
        let codelets = self.labelled(line)?;
        for &codelet in &codelets {
            let label = self.labels.codelets[codelet].label.clone();
            if let ([_], Some(function)) =
                (codelets.as_slice(), self.labels.codelets[codelet].function)
                && let DeclKind::Function(function) = &self.checker.unit.decls[function].kind
            {
                let parameters = function.parameters.clone();
                let mut own = line.clone();
                own.arguments.retain(|(list, _)| {
                    list.iter().all(|item| item.codelet.as_deref() != Some(""))
                });
                self.check_arguments(&own, &label, &parameters);
            }
        }
        // What is written as C is looked at where it stands.
        for (_, property) in &line.arguments {
            let texts: Vec<&Text> = match property {
                Property::HostData(text) | Property::Addr(text) => vec![text],
                Property::Size(sizes) => sizes.iter().collect(),
                Property::Section(section) => section.iter().flat_map(|(a, b)| [a, b]).collect(),
                _ => Vec::new(),
            };
            for text in texts {
                self.own_text(&text.text.clone(), text.span, Parser::assignment_expression)?;
            }
        }
        let order = self.order_of(&codelets, line.asynchronous, line.name);
        let owner = match (codelets.first(), &line.group) {
            (Some(&codelet), _) => Some(self.labels.codelets[codelet].owner()),
            (None, group) => group.clone(),
        };
        let words = line.form.spelling;
        // Part of what is there is made the same.
        let is_part =
            line.arguments.iter().any(|(_, property)| matches!(property, Property::Section(_)));
        let action = match moves {
            Moves::Load if is_part => Action::Update,
            _ => action,
        };
        let main = directive::Directive {
            order: order.clone(),
            owner: owner.clone(),
            memory: self.data_memory(line, moves),
            ..directive::Directive::new(FAMILY, words, line.name, Kind::Host(action))
        };
        let mut all = vec![main];
        let resident = self.resident_data(line, moves)?;
        if !resident.is_empty() {
            all.push(directive::Directive {
                order,
                data: resident,
                ..directive::Directive::new(FAMILY, words, line.name, Kind::Host(Action::Update))
            });
        }
        Ok(all)
    }

    /// `data["expression"]`: memory of the host by what points to it.
    fn data_memory(&mut self, line: &Line, moves: Moves) -> Vec<Memory> {
        let size = line.arguments.iter().find_map(|(_, property)| match property {
            Property::Size(sizes) => Some(sizes.clone()),
            _ => None,
        });
        let mut memory = Vec::new();
        for text in &line.data {
            let read = self.own_text(&text.text.clone(), text.span, Parser::assignment_expression);
            let Ok(expr) = read else { continue };
            let ty = self.checker.ty(expr);
            let types = &self.checker.unit.types;
            let first = match types.as_array(ty) {
                None if !types.is_pointer(ty) => format!("(char *)&({})", text.text),
                _ => format!("(char *)({})", text.text),
            };
            let element = types.pointee(ty).and_then(|to| types.size_of(to));
            let bytes = match (types.as_array(ty), &size, element) {
                (None, Some(size), Some(element)) => {
                    let factors: Vec<String> =
                        size.iter().map(|size| format!("({})", size.text)).collect();
                    Some(format!("(unsigned long)({}) * {element}UL", factors.join(" * ")))
                }
                (None, None, Some(_)) => None,
                _ => Some(format!("sizeof({})", text.text)),
            };
            if bytes.is_none() && moves == Moves::Allocate {
                let message = format!("it is not known how much `{}` points to", text.text);
                let diagnostic = Diagnostic::error(message).help("write `size={count}`");
                self.checker.report(text.span, diagnostic);
                continue;
            }
            let kind = match moves {
                Moves::Allocate => MappingKind::Create,
                Moves::Free => MappingKind::Delete,
                Moves::Load => MappingKind::CopyIn,
                Moves::Store => MappingKind::UpdateHost,
            };
            let comes = matches!(moves, Moves::Allocate | Moves::Load);
            let flags = DataFlags {
                kept: comes,
                always: comes,
                finalize: moves == Moves::Free,
                whole: bytes.is_none(),
                ..DataFlags::default()
            };
            let bytes = bytes.unwrap_or_else(|| "1UL".to_owned());
            memory.push(Memory { kind, flags, name: text.text.clone(), first, bytes });
        }
        memory
    }

    /// `args[::x]`: variables that are resident.
    fn resident_data(&mut self, line: &Line, moves: Moves) -> Parsed<Vec<Mapping>> {
        let kind = match moves {
            Moves::Load => MappingKind::UpdateDevice,
            Moves::Store => MappingKind::UpdateHost,
            Moves::Allocate | Moves::Free => return Ok(Vec::new()),
        };
        let mut data = Vec::new();
        let items = line.arguments.iter().flat_map(|(list, _)| list);
        for item in items.filter(|item| item.codelet.as_deref() == Some("")) {
            let Which::Name(name) = &item.which else { continue };
            let vars = self.own_text(&name.clone(), item.span, Parser::var_list)?;
            data.extend(vars.into_iter().map(|var| Mapping {
                kind,
                flags: DataFlags::default(),
                var,
            }));
        }
        Ok(data)
    }

    /// Remembers a directive about arguments until the unit has been read.
    fn note_move(&mut self, line: &Line, directive: crate::tree::DirectiveId, index: usize) {
        let moves = match line.form.spelling {
            "allocate" => Moves::Allocate,
            "free" => Moves::Free,
            "advancedload" => Moves::Load,
            "delegatedstore" => Moves::Store,
            _ => return,
        };
        if index > 0 || !line.data.is_empty() {
            return;
        }
        let codelets = self.labels.named(line.group.as_deref(), line.label.as_deref());
        let within = self.function.as_ref().map(|function| function.decl);
        let line = line.clone();
        self.labels.moves.push(Move { moves, directive, within, at: line.name, codelets, line });
    }
}

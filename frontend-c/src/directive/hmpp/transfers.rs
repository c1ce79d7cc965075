//! Directives about data: which memory of the host they mean. The call that a directive belongs to may follow it, so they
//! are understood when the unit has been read.

use gpuc_diagnostics::Diagnostic;

use super::labels::{Move, Moves};
use super::line::{ArgumentItem, ArgumentList, Line, Property, Text, Which};
use crate::directive::data::Memory;
use crate::directive::{DataFlags, MappingKind};
use crate::parse::Parser;
use crate::source::Span;
use crate::tree::{DeclId, DeclKind, ExprId};
use crate::types::{ArraySize, Type};

/// An argument of a codelet.
type Argument = (usize, usize);

impl Parser {
    /// What had to wait for the end of the unit.
    pub(crate) fn finish_hmpp(&mut self) {
        for number in 0..self.labels.callsites.len() {
            self.settle_callsite(number);
        }
        for number in 0..self.labels.moves.len() {
            let one = self.labels.moves[number].clone();
            self.settle_move(&one);
        }
        self.warn_of_uncalled();
    }

    /// Codelets whose results are fetched though nobody sends a call of them.
    fn warn_of_uncalled(&mut self) {
        let moves = self.labels.moves.iter().filter(|one| one.moves == Moves::Store);
        let mut warnings = Vec::new();
        for one in moves {
            let is_called = |codelet: &usize| {
                self.labels.callsites.iter().any(|callsite| callsite.codelet == *codelet)
            };
            if one.codelets.is_empty() || one.codelets.iter().any(is_called) {
                continue;
            }
            let label = self.labels.codelets[one.codelets[0]].label.clone();
            warnings.push((
                one.at,
                Diagnostic::warning(format!(
                    "codelet `{label}` never runs on the device, from which this takes its results"
                ))
                .help("write `callsite` in front of the call"),
            ));
        }
        for (at, warning) in warnings {
            self.checker.report(at, warning);
        }
    }

    /// The parameters of a codelet's function.
    fn arguments_of(&self, codelet: usize) -> Vec<DeclId> {
        let function = self.labels.codelets[codelet].function;
        match function.map(|function| &self.checker.unit.decls[function].kind) {
            Some(DeclKind::Function(function)) => function.parameters.clone(),
            _ => Vec::new(),
        }
    }

    /// Whether a list names an argument, of whatever codelet it is about.
    fn names(&self, list: &ArgumentList, codelets: &[usize], argument: Argument) -> bool {
        let (codelet, index) = argument;
        let label = &self.labels.codelets[codelet].label;
        let parameters = self.arguments_of(codelet);
        let Some(&parameter) = parameters.get(index) else { return false };
        let name = self.checker.unit.name(parameter);
        codelets.contains(&codelet) && list.iter().any(|item| item.is(label, index, name))
    }

    /// The arguments that are one with an argument, itself first.
    fn mapped_with(&self, argument: Argument) -> Vec<Argument> {
        let group = self.labels.codelets[argument.0].group.clone();
        let mut all = vec![argument];
        if group.is_none() {
            return all;
        }
        let members = self.labels.named(group.as_deref(), None);
        let arguments: Vec<Argument> = members
            .iter()
            .flat_map(|&codelet| (0..self.arguments_of(codelet).len()).map(move |k| (codelet, k)))
            .collect();
        for (of, list) in &self.labels.maps {
            if *of == group && self.names(list, &members, argument) {
                let more = arguments.iter().filter(|&&other| self.names(list, &members, other));
                all.extend(more.copied());
            }
        }
        for (of, list) in &self.labels.by_name {
            if *of == group && self.names(list, &members, argument) {
                let name = self.argument_name(argument);
                let more = arguments.iter().filter(|&&other| self.argument_name(other) == name);
                all.extend(more.copied());
            }
        }
        let mut known = Vec::new();
        all.retain(|argument| {
            let is_new = !known.contains(argument);
            known.push(*argument);
            is_new
        });
        all
    }

    fn argument_name(&self, (codelet, index): Argument) -> String {
        self.arguments_of(codelet)
            .get(index)
            .map_or_else(String::new, |&decl| self.checker.unit.name(decl).to_owned())
    }

    /// Whether a directive of its own brings an argument back.
    pub(super) fn is_stored(&self, codelet: usize, index: usize) -> bool {
        self.mapped_with((codelet, index)).into_iter().any(|argument| {
            self.labels.moves.iter().any(|one| {
                one.moves == Moves::Store
                    && one.line.arguments.iter().any(|(list, property)| {
                        matches!(property, Property::Listed)
                            && self.names(list, &one.codelets, argument)
                    })
            })
        })
    }

    /// Fills in what a directive about data does.
    fn settle_move(&mut self, one: &Move) {
        let mut memory = Vec::new();
        let lists: Vec<&ArgumentList> = one
            .line
            .arguments
            .iter()
            .filter(|(_, property)| {
                one.moves == Moves::Allocate || matches!(property, Property::Listed)
            })
            .map(|(list, _)| list)
            .collect();
        let all: ArgumentList =
            vec![ArgumentItem { codelet: None, which: Which::All, span: one.at }];
        // Memory is made ready for all arguments; what is listed is said more of.
        let lists = match one.moves {
            Moves::Allocate | Moves::Free if lists.is_empty() => vec![&all],
            Moves::Allocate => vec![&all],
            _ => lists,
        };
        let mut seen: Vec<Argument> = Vec::new();
        for list in lists {
            for &codelet in &one.codelets {
                for index in 0..self.arguments_of(codelet).len() {
                    let argument = (codelet, index);
                    if !self.names(list, &one.codelets, argument) || seen.contains(&argument) {
                        continue;
                    }
                    seen.extend(self.mapped_with(argument));
                    if let Some(found) = self.memory_of(one, argument) {
                        memory.push(found);
                    }
                }
            }
        }
        self.checker.unit.directives[one.directive].memory.extend(memory);
    }

    /// The memory of an argument that a directive means; `None` where it means none, or it is reported.
    fn memory_of(&mut self, one: &Move, argument: Argument) -> Option<Memory> {
        let parameter = self.arguments_of(argument.0)[argument.1];
        let ty = self.checker.unit.decls[parameter].ty;
        // Values go with the call.
        self.checker.unit.types.pointee(ty)?;
        let name = self.argument_name(argument);
        let Some(first) = self.host_memory(one, argument) else {
            if one.moves == Moves::Allocate {
                // What the first transfer brings in is allocated then.
                return None;
            }
            let diagnostic = Diagnostic::error(format!(
                "it is not known which memory of the host is argument `{name}` here"
            ))
            .help(format!("write `args[{name}].hostdata=\"...\"`"));
            self.checker.report(one.at, diagnostic);
            return None;
        };
        let bytes = self.bytes_of(one, argument);
        let section = one.line.last(
            |item| self.is_argument(item, argument),
            |property| match property {
                Property::Section(section) => Some(section.clone()),
                _ => None,
            },
        );
        let kind = match one.moves {
            Moves::Allocate => MappingKind::Create,
            Moves::Free => MappingKind::Delete,
            Moves::Load if section.is_some() => MappingKind::UpdateDevice,
            Moves::Load => MappingKind::CopyIn,
            Moves::Store => MappingKind::UpdateHost,
        };
        let keeps = matches!(kind, MappingKind::Create | MappingKind::CopyIn);
        let mut flags = DataFlags {
            kept: keeps,
            always: keeps,
            finalize: one.moves == Moves::Free,
            ..DataFlags::default()
        };
        let (mut first, bytes) = match (bytes, section) {
            (_, Some(section)) => self.part(one, argument, &first, &section)?,
            (Some(bytes), None) => (first, bytes),
            (None, None) if one.moves == Moves::Allocate => return None,
            (None, None) => {
                flags.whole = true;
                (first, "1UL".to_owned())
            }
        };
        first.insert_str(0, "(char *)");
        Some(Memory { kind, flags, name, first, bytes })
    }

    fn is_argument(&self, item: &ArgumentItem, argument: Argument) -> bool {
        let name = self.argument_name(argument);
        item.is(&self.labels.codelets[argument.0].label, argument.1, &name)
    }

    /// What a directive of the same function says of an argument, or of one that is one with it.
    fn said<T>(
        &self,
        one: &Move,
        argument: Argument,
        pick: impl Fn(&Property) -> Option<T>,
    ) -> Option<T> {
        let all = self.mapped_with(argument);
        let of = |line: &Line, codelets: &[usize]| {
            all.iter()
                .filter(|argument| codelets.contains(&argument.0))
                .find_map(|&argument| line.last(|item| self.is_argument(item, argument), &pick))
        };
        of(&one.line, &one.codelets).or_else(|| {
            let near = self.labels.moves.iter().filter(|other| other.within == one.within);
            let mut near: Vec<&Move> = near.collect();
            // The last one in front of it counts, else the next one.
            near.sort_by_key(|other| distance(other.at, one.at));
            near.into_iter().find_map(|other| of(&other.line, &other.codelets))
        })
    }

    /// A pointer to the memory of the host that an argument has, as an expression of the directive's place.
    fn host_memory(&self, one: &Move, argument: Argument) -> Option<String> {
        let said = self.said(one, argument, |property| match property {
            Property::HostData(text) | Property::Addr(text) => Some(text.text.clone()),
            _ => None,
        });
        if let Some(text) = said {
            return Some(format!("({text})"));
        }
        let (expr, _) = self.call_near(one, argument)?;
        Some(format!("({})", self.source_text(expr)))
    }

    /// The argument of the nearest call: of what is brought in, the next one; of what is brought back, the last.
    fn call_near(&self, one: &Move, argument: Argument) -> Option<(ExprId, usize)> {
        let all = self.mapped_with(argument);
        let mut calls: Vec<_> = self
            .labels
            .callsites
            .iter()
            .enumerate()
            .filter(|(_, callsite)| callsite.within == one.within)
            .filter_map(|(number, callsite)| {
                let of = all.iter().find(|argument| argument.0 == callsite.codelet)?;
                let is_other = *of != argument;
                Some((is_other, callsite.at, *callsite.arguments.get(of.1)?, number))
            })
            .collect();
        let forwards = matches!(one.moves, Moves::Allocate | Moves::Load);
        calls.sort_by_key(|&(is_other, at, ..)| {
            let follows = at.start > one.at.start;
            (is_other, follows != forwards, at.start.abs_diff(one.at.start))
        });
        calls.first().map(|&(_, _, expr, number)| (expr, number))
    }

    /// The text of an expression of the program.
    fn source_text(&self, expr: ExprId) -> String {
        let span = self.checker.span(expr);
        let text = String::from_utf8_lossy(self.checker.unit.source.slice(span)).into_owned();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The length of an argument's memory in bytes, as an expression of the directive's place.
    fn bytes_of(&self, one: &Move, argument: Argument) -> Option<String> {
        let size = self.said(one, argument, |property| match property {
            Property::Size(sizes) => Some(product(sizes)),
            _ => None,
        });
        let parameter = self.arguments_of(argument.0)[argument.1];
        let to = self.checker.unit.types.pointee(self.checker.unit.decls[parameter].ty)?;
        let (element, inner) = self.elements(to);
        if let Some(size) = size {
            return Some(format!("(unsigned long){size} * {element}UL"));
        }
        let substitute = |expr: ExprId| self.in_terms_of_call(one, argument, expr);
        let mut factors = vec![format!("{element}UL")];
        let own = self.labels.codelets[argument.0].line.last(
            |item| self.is_argument(item, argument),
            |property| match property {
                Property::Size(sizes) => Some(product(sizes)),
                _ => None,
            },
        );
        let length = match self.checker.unit.decls[parameter].kind {
            DeclKind::Parameter { length, .. } => length,
            _ => None,
        };
        match (length, own) {
            (Some(ArraySize::Constant(count)), _) => factors.push(format!("{count}UL")),
            (Some(ArraySize::Variable(count)), _) => {
                factors.push(format!("(unsigned long)({})", substitute(count)?));
            }
            (_, Some(own)) => {
                let text = self.replaced(one, argument, &own)?;
                return Some(format!("(unsigned long){text} * {element}UL"));
            }
            _ => return None,
        }
        for size in inner {
            match size {
                ArraySize::Constant(count) => factors.push(format!("{count}UL")),
                ArraySize::Variable(count) => {
                    factors.push(format!("(unsigned long)({})", substitute(count)?));
                }
                _ => return None,
            }
        }
        Some(factors.join(" * "))
    }

    /// The size of an array's elements, and its dimensions.
    fn elements(&self, ty: Type) -> (u64, Vec<ArraySize>) {
        let types = &self.checker.unit.types;
        let mut sizes = Vec::new();
        let mut at = ty;
        while let Some((element, size)) = types.as_array(at) {
            sizes.push(size);
            at = element;
        }
        (types.size_of(at).unwrap_or(1), sizes)
    }

    /// An expression over a codelet's parameters, with the arguments of the call in their place.
    fn in_terms_of_call(&self, one: &Move, argument: Argument, expr: ExprId) -> Option<String> {
        let text = self.source_text(expr);
        self.replaced(one, argument, &text)
    }

    fn replaced(&self, one: &Move, argument: Argument, text: &str) -> Option<String> {
        let parameters = self.arguments_of(argument.0);
        let names: Vec<&str> =
            parameters.iter().map(|&decl| self.checker.unit.name(decl)).collect();
        let call = self.call_near(one, argument).map(|(_, number)| number);
        let call = call.map(|number| &self.labels.callsites[number]);
        let call = call.filter(|callsite| callsite.codelet == argument.0);
        let mut out = String::new();
        let mut rest = text;
        while let Some(start) = rest.find(|c: char| c.is_alphabetic() || c == '_') {
            let is_number = rest[..start].ends_with(|c: char| c.is_ascii_digit());
            let tail = &rest[start..];
            let end = tail.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(tail.len());
            let word = &tail[..end];
            out += &rest[..start];
            match names.iter().position(|name| *name == word) {
                Some(index) if !is_number => {
                    let value = *call?.arguments.get(index)?;
                    out += &format!("({})", self.source_text(value));
                }
                _ => out += word,
            }
            rest = &tail[end..];
        }
        Some(out + rest)
    }

    /// The memory of a section: rows of the first dimension, and all of the others.
    fn part(
        &mut self,
        one: &Move,
        argument: Argument,
        first: &str,
        section: &[(Text, Text)],
    ) -> Option<(String, String)> {
        let parameter = self.arguments_of(argument.0)[argument.1];
        let to = self.checker.unit.types.pointee(self.checker.unit.decls[parameter].ty)?;
        let (element, inner) = self.elements(to);
        if section.len() != 1 || !inner.is_empty() {
            let span = section.first().map_or(one.at, |(first, _)| first.span);
            self.hmpp_refused("sections of several dimensions", span);
            return None;
        }
        let (low, high) = (&section[0].0.text, &section[0].1.text);
        let first = format!("{first} + (unsigned long)({low}) * {element}UL");
        let bytes =
            format!("((unsigned long)({high}) - (unsigned long)({low}) + 1UL) * {element}UL");
        Some((first, bytes))
    }
}

/// A product of sizes.
fn product(sizes: &[Text]) -> String {
    let factors: Vec<String> = sizes.iter().map(|size| format!("({})", size.text)).collect();
    format!("({})", factors.join(" * "))
}

/// How far one directive is from another, those in front of it first.
fn distance(other: Span, from: Span) -> (bool, u32) {
    (other.start > from.start, other.start.abs_diff(from.start))
}

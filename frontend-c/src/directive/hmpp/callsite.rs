//! Callsites: calls of codelets that are sent to the device.

use gpuc_diagnostics::{Diagnostic, did_you_mean};

use super::labels::{Callsite, Transfer};
use super::line::{ArgumentItem, FAMILY, Line, Property};
use crate::directive::action::{Action, Condition, Order, QueueName, Sends, Waits};
use crate::directive::{self, Kind, Written};
use crate::lex::{Punct, TokenKind};
use crate::parse::{Failed, Parsed, Parser};
use crate::source::Span;
use crate::tree::{DeclId, DeclKind, ExprId, ExprKind, StmtId, StmtKind};

/// Of a digit of [`Sends::how`]: the call does not bring the argument in.
const NOT_IN: u8 = 1;
/// The call does not bring it back.
const NOT_OUT: u8 = 2;

impl Parser {
    /// The codelets that a directive in a function is about.
    pub(super) fn labelled(&mut self, line: &Line) -> Parsed<Vec<usize>> {
        let mut found = self.labels.named(line.group.as_deref(), line.label.as_deref());
        // Regions are waited for; they have no arguments by which data moves, and no calls.
        let waits = matches!(line.form.spelling, "synchronize" | "release");
        found.retain(|&number| waits || !self.labels.codelets[number].is_region);
        if !found.is_empty() {
            return Ok(found);
        }
        let is_group = |group: &str| self.labels.groups.iter().any(|known| known.name == group);
        let (message, near) = match (&line.group, &line.label) {
            (Some(group), None) if is_group(group) => return Ok(Vec::new()),
            (Some(group), None) => {
                let known = self.labels.groups.iter().map(|group| group.name.as_str());
                (format!("there is no group `{group}`"), did_you_mean(group, known))
            }
            (_, Some(label)) => {
                let known = self.labels.codelets.iter().map(|codelet| codelet.label.as_str());
                (format!("there is no codelet labelled `{label}`"), did_you_mean(label, known))
            }
            (None, None) => {
                let words = line.form.spelling;
                (format!("`{words}` needs a label: `#pragma hmpp label {words}`"), None)
            }
        };
        let mut diagnostic = Diagnostic::error(message);
        if let Some(near) = near {
            diagnostic = diagnostic.meant(near);
        } else if line.label.is_some() {
            diagnostic = diagnostic.help("its `codelet` directive stands in front of the function");
        }
        self.checker.report(line.name, diagnostic);
        Err(Failed)
    }

    /// The number of a codelet's queue, as an expression of the program.
    fn queue_of(&mut self, codelet: usize, at: Span) -> Option<ExprId> {
        let number = self.labels.codelets[codelet].queue;
        self.own_text(&number.to_string(), at, Parser::integer).ok()
    }

    /// The queues of codelets, to be waited for.
    pub(super) fn queues_of(&mut self, codelets: &[usize], at: Span) -> Waits {
        let queues = codelets.iter().filter_map(|&codelet| self.queue_of(codelet, at)).collect();
        Waits { device: None, queues }
    }

    /// When something of a codelet happens: in its queue, or behind all that is in it.
    pub(super) fn order_of(&mut self, codelets: &[usize], asynchronous: bool, at: Span) -> Order {
        if codelets.is_empty() {
            return Order::default();
        }
        if asynchronous {
            let queue = self.queue_of(codelets[0], at).map(QueueName::Number);
            return Order { queue, waits: Vec::new() };
        }
        Order { queue: None, waits: vec![self.queues_of(codelets, at)] }
    }

    /// The condition that a `cond` parameter has.
    pub(super) fn hmpp_condition(&mut self, line: &Line) -> Parsed<Condition> {
        let Some(condition) = &line.condition else { return Ok(Condition::default()) };
        let text = condition.text.clone();
        let when = self.own_text(&text, condition.span, Parser::clause_condition)?;
        Ok(Condition { when: Some(when), ..Condition::default() })
    }

    /// `callsite` with its call.
    pub(super) fn callsite(&mut self, line: Line, start: Span) -> Parsed<StmtId> {
        if self.at(Punct::RBrace) || self.peek() == TokenKind::Eof {
            self.checker.error(line.name, "no call follows this `callsite`");
            return Err(Failed);
        }
        let codelets = self.labelled(&line);
        let condition = self.hmpp_condition(&line);
        let body = self.statement()?;
        let (Ok(codelets), Ok(condition)) = (codelets, condition) else {
            // The directive is reported; the call stands for itself.
            return Ok(body);
        };
        let [codelet] = codelets.as_slice() else {
            self.checker.error(line.name, "a callsite needs the label of one codelet");
            return Ok(body);
        };
        let codelet = *codelet;
        let Some((function, arguments)) = self.called(body) else {
            let span = self.checker.unit.stmts[body].span;
            let place = self.checker.unit.place(line.name);
            let diagnostic = Diagnostic::error("a callsite is in front of a call of its codelet")
                .related(place, "the directive");
            self.checker.report(span, diagnostic);
            return Ok(body);
        };
        if let Some(own) = self.labels.codelets[codelet].function
            && own != function
        {
            let label = self.labels.codelets[codelet].label.clone();
            let unit = &self.checker.unit;
            let message = format!(
                "codelet `{label}` is the function `{}`, but `{}` is called here",
                unit.name(own),
                unit.name(function)
            );
            let span = unit.stmts[body].span;
            self.checker.error(span, message);
            return Ok(body);
        }
        if let DeclKind::Function(function) = &self.checker.unit.decls[function].kind {
            let (parameters, label) =
                (function.parameters.clone(), self.labels.codelets[codelet].label.clone());
            self.check_arguments(&line, &label, &parameters);
        }
        for (list, property) in &line.arguments {
            let what = match property {
                Property::Section(_) => "sections of a callsite",
                Property::Transfer(Transfer::AtFirstCall) => "`transfer=atfirstcall` of a callsite",
                _ => continue,
            };
            let span = list.first().map_or(line.name, |item| item.span);
            self.hmpp_refused(what, span);
        }
        let on_device = self.labels.codelets[codelet].on_device;
        if !on_device {
            return Ok(body);
        }
        let order = self.order_of(&[codelet], line.asynchronous, line.name);
        let owner = Some(self.labels.codelets[codelet].owner());
        let kind = Kind::Host(Action::Send);
        let written = super::Directive { text: line.text.clone() };
        let directive = directive::Directive {
            span: line.span,
            order,
            condition,
            owner,
            sends: Some(Sends { function, how: String::new() }),
            ..directive::Directive::new(FAMILY, "callsite", line.name, kind)
        }
        .written(Written::OpenHmpp(written));
        let directive = self.checker.unit.directives.alloc(directive);
        let within = self.function.as_ref().map(|function| function.decl);
        let at = line.name;
        let callsite = Callsite { codelet, directive, within, at, arguments, line };
        self.labels.callsites.push(callsite);
        Ok(self.stmt(StmtKind::Directive { directive, body: Some(body) }, start))
    }

    /// The function that a statement calls, with the arguments.
    fn called(&self, stmt: StmtId) -> Option<(DeclId, Vec<ExprId>)> {
        let unit = &self.checker.unit;
        let StmtKind::Expr(mut expr) = unit.stmts[stmt].kind else { return None };
        loop {
            match &unit.exprs[expr].kind {
                ExprKind::Paren(inner) => expr = *inner,
                ExprKind::Cast { operand, .. } => expr = *operand,
                ExprKind::Call { callee, arguments } => {
                    let mut callee = *callee;
                    while let ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } =
                        unit.exprs[callee].kind
                    {
                        callee = inner;
                    }
                    let decl = unit.named(callee)?;
                    let is_function = matches!(unit.decls[decl].kind, DeclKind::Function(_));
                    return is_function.then(|| (decl, arguments.to_vec()));
                }
                _ => return None,
            }
        }
    }

    /// How each argument of a call moves, once the unit has been read.
    pub(super) fn settle_callsite(&mut self, number: usize) {
        let callsite = self.labels.callsites[number].clone();
        let Some(sends) = &self.checker.unit.directives[callsite.directive].sends else { return };
        let DeclKind::Function(function) = &self.checker.unit.decls[sends.function].kind else {
            return;
        };
        let unit = &self.checker.unit;
        let names: Vec<String> =
            function.parameters.iter().map(|&decl| unit.name(decl).to_owned()).collect();
        let codelet = &self.labels.codelets[callsite.codelet];
        let digits = names.iter().enumerate().map(|(index, name)| {
            let is_its = |item: &ArgumentItem| item.is(&codelet.label, index, name);
            let transfer_of = |line: &Line| {
                let own = line.last(is_its, |property| match property {
                    Property::Transfer(transfer) => Some(*transfer),
                    _ => None,
                });
                own.or(line.transfer)
            };
            let group = codelet.group.as_ref().and_then(|name| {
                self.labels.groups.iter().find(|group| group.name == *name)?.transfer
            });
            let transfer = transfer_of(&callsite.line)
                .or_else(|| transfer_of(&codelet.line))
                .or(group)
                .unwrap_or(Transfer::Auto);
            let says = |pick: fn(&Property) -> Option<bool>| {
                callsite
                    .line
                    .last(is_its, pick)
                    .or_else(|| codelet.line.last(is_its, pick))
                    .unwrap_or(false)
            };
            let no_update = says(|property| match property {
                Property::NoUpdate(set) => Some(*set),
                _ => None,
            });
            let loaded = says(|property| match property {
                Property::AdvancedLoad(set) => Some(*set),
                _ => None,
            });
            let stored = says(|property| match property {
                Property::DelegatedStore(set) => Some(*set),
                _ => None,
            });
            let stored =
                stored || transfer == Transfer::Auto && self.is_stored(callsite.codelet, index);
            let digit = match transfer {
                Transfer::Manual => NOT_IN | NOT_OUT,
                _ if no_update => NOT_IN | NOT_OUT,
                _ => NOT_IN * u8::from(loaded) + NOT_OUT * u8::from(stored),
            };
            char::from(b'0' + digit)
        });
        let how = digits.collect();
        if let Some(sends) = &mut self.checker.unit.directives[callsite.directive].sends {
            sends.how = how;
        }
    }
}

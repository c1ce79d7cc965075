//! The directives of a translation unit, in order.

use gpuc_diagnostics::{Diagnostic, Severity};
use gpuc_dialects::builtin::ModuleOp;
use gpuc_ir::{Builder, Ir, Location, OpView};
use rustc_hash::FxHashSet;

use super::clause_items::{clause_items, program_items};
use super::function::{Callable, Callables};
use super::lowerer::{Failure, Lowerer};
use super::private::changed_copies;
use super::region::Site;
use super::walk::{self, Below, Node};
use super::{ConstructInfo, DataItem, Extent, Lowered, Options, crossings, depth, wishes};
use crate::directive::action::Action;
use crate::directive::construct::{Step, Wish};
use crate::directive::data::Memory;
use crate::directive::{Directive, Kind, MappingKind};
use crate::tree::{DeclId, DirectiveId, ItemKind, StmtId, StmtKind, TranslationUnit};

/// A `data` construct around the place being lowered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Enclosing {
    /// Its number among the unit's constructs.
    pub construct: usize,
    /// Its directive.
    pub directive: DirectiveId,
    /// The statement with which it ends.
    stmt: StmtId,
}

/// Lowers every compute construct of a unit, and notes every directive that the host program must
/// be rewritten for.
///
/// # Errors
/// What cannot be done, each at its place, with the way round it.
pub fn lower_unit(
    unit: &TranslationUnit,
    ir: &mut Ir,
    options: Options,
) -> Result<Lowered, Vec<Diagnostic>> {
    let module = ModuleOp::create(ir, Location::UNKNOWN).op();
    let name = ir.ctx.string_attr(&unit.source.line(0).0);
    ir.set_attr(module, "offload.source", name);
    let block = ir.body(module, 0);
    let lowerer =
        Lowerer::new(unit, Builder::at_end(ir, block, Location::UNKNOWN), options, module);
    let mut walker = Walker {
        unit,
        lowerer,
        constructs: Vec::new(),
        enclosing: Vec::new(),
        symbols: FxHashSet::default(),
        function: None,
        blocks: Vec::new(),
        stray: Vec::new(),
    };
    if unit.directives.is_empty() {
        return Ok(Lowered {
            module,
            constructs: Vec::new(),
            always: options.always,
            provides: false,
            reached: Vec::new(),
            remarks: Vec::new(),
        });
    }
    for item in &unit.items {
        match item.kind {
            ItemKind::Function(function) => walker.function(function),
            ItemKind::Directive(directive) => walker.program(directive),
            ItemKind::Declaration(_) | ItemKind::Other => {}
        }
    }
    let provides = options.only.is_none() && walker.provide();
    for (function, diagnostic) in walker.stray {
        let may_be_called = walker.lowerer.routines.get(function).is_some();
        if !may_be_called && !walker.lowerer.called.contains(&function) {
            walker.lowerer.diagnostics.push(diagnostic);
        }
    }
    let reached = std::mem::take(&mut walker.lowerer.reached);
    let (errors, remarks): (Vec<_>, Vec<_>) =
        walker.lowerer.diagnostics.into_iter().partition(Diagnostic::is_error);
    if errors.is_empty() {
        let (constructs, always) = (walker.constructs, options.always);
        Ok(Lowered { module, constructs, always, provides, reached, remarks })
    } else {
        Err(errors)
    }
}

/// Whether the host can run a construct in the device's place: device addresses are nothing to it.
fn is_for_host(directive: &Directive) -> bool {
    directive.data().all(|(kind, _)| kind != MappingKind::DevicePtr)
}

struct Walker<'a> {
    unit: &'a TranslationUnit,
    lowerer: Lowerer<'a>,
    constructs: Vec<ConstructInfo>,
    enclosing: Vec<Enclosing>,
    symbols: FxHashSet<String>,
    function: Option<DeclId>,
    /// The compound statements around.
    blocks: Vec<StmtId>,
    /// Loops and atomics outside of constructs, with their functions: good where a region calls
    /// these.
    stray: Vec<(DeclId, Diagnostic)>,
}

impl Walker<'_> {
    /// Makes the functions that other files may call on the device; whether there are any.
    fn provide(&mut self) -> bool {
        let unit = self.unit;
        let mut any = false;
        for decl in unit.functions() {
            let Some(function) = unit.function(decl) else { continue };
            if let Some(body) = function.body
                && !function.is_static
                && self.lowerer.routines.get(decl).is_some_and(|routine| routine.bind.is_none())
            {
                any |= self.lowerer.provide(decl, body);
            }
        }
        any
    }

    fn function(&mut self, decl: DeclId) {
        let unit = self.unit;
        self.function = Some(decl);
        let Some(body) = unit.function(decl).and_then(|function| function.body) else { return };
        self.lowerer.diagnostics.extend(crossings::check(unit, body));
        walk::stmt(unit, body, &mut |node| match node {
            Node::Stmt(stmt) => match unit.stmts[stmt].kind {
                StmtKind::Directive { directive, body } => self.directive(stmt, directive, body),
                StmtKind::Compound(_) => {
                    self.blocks.push(stmt);
                    Below::Enter
                }
                _ => Below::Enter,
            },
            Node::Leave(stmt) => {
                self.enclosing.retain(|around| around.stmt != stmt);
                self.blocks.retain(|&block| block != stmt);
                Below::Enter
            }
            // Directives are found in statements, also those within expressions.
            Node::Expr(_) | Node::Declare(_) => Below::Enter,
        });
    }

    /// What the host program needs to know of a directive that ends at `end`.
    fn info(&self, id: DirectiveId, action: Action, end: u32) -> ConstructInfo {
        let unit = self.unit;
        let directive = &unit.directives[id];
        let (file, line) = unit.source.line(unit.directives[id].span.start);
        ConstructInfo {
            end,
            directive: id,
            words: directive.words,
            action,
            order: directive.order.clone(),
            function: self.function.map_or_else(String::new, |decl| unit.name(decl).to_owned()),
            file: file.to_string(),
            line,
            data: Vec::new(),
            condition: directive.condition,
            host_waits: directive.host_waits.clone(),
            compute: None,
            steps: Vec::new(),
            own: Vec::new(),
        }
    }

    /// A directive at file scope: its data is there as long as the program runs.
    fn program(&mut self, id: DirectiveId) {
        let unit = self.unit;
        let directive = &unit.directives[id];
        if directive.action() != Some(Action::Scope) {
            return;
        }
        self.function = None;
        let mut info = self.info(id, Action::Program, unit.directives[id].span.end);
        match program_items(unit, directive) {
            Ok(data) => info.data = data,
            Err(diagnostic) => self.lowerer.diagnostics.push(*diagnostic),
        }
        self.lowerer.declared.extend(directive.data().map(|(_, var)| var.decl));
        self.constructs.push(info);
    }

    fn directive(&mut self, stmt: StmtId, id: DirectiveId, body: Option<StmtId>) -> Below {
        let unit = self.unit;
        let directive = &unit.directives[id];
        if let (Some(refused), Kind::Compute(_)) = (&directive.refused, directive.kind) {
            self.lowerer.diagnostics.push((**refused).clone());
        }
        let Some(action) = directive.action() else {
            self.stray(directive);
            return Below::Enter;
        };
        if self.lowerer.options.only.is_some_and(|only| only != id) {
            return Below::Enter;
        }
        let mut info = self.info(id, action, unit.stmts[stmt].span.end);
        if let (Action::Compute, Some(body)) = (action, body) {
            info.own = changed_copies(unit, directive, body);
            info.steps = wishes::of(unit, stmt);
            self.compute(&mut info, stmt, body);
            if unit.directives[id].found {
                info.action = Action::Nest;
                info.words = if unit.directives[id].asked { info.words } else { "nest" };
            }
            self.constructs.push(info);
            return Below::Skip;
        }
        match clause_items(unit, directive, &self.enclosing, self.function) {
            Ok(data) => info.data = data,
            Err(diagnostic) => self.lowerer.diagnostics.push(*diagnostic),
        }
        info.data.extend(directive.memory.iter().map(|memory| {
            let (_, line) = unit.source.line(directive.name.start);
            let extent = Extent::Elements(memory.first.clone(), memory.bytes.clone());
            let Memory { kind, flags, ref name, .. } = *memory;
            DataItem { name: name.clone(), kind, flags, line, extent, unnamed: None, element: None }
        }));
        let until = match action {
            Action::Data => Some(stmt),
            Action::Scope => self.blocks.last().copied(),
            _ => None,
        };
        if let Some(stmt) = until {
            let construct = self.constructs.len();
            self.enclosing.push(Enclosing { construct, directive: id, stmt });
        }
        self.constructs.push(info);
        Below::Enter
    }

    /// A directive of device code outside of compute constructs.
    fn stray(&mut self, directive: &Directive) {
        let shares = |wish: &&Wish| matches!(wish.step, Step::Share { .. });
        if let Some(wish) = directive.steps.iter().find(shares) {
            let diagnostic = Diagnostic::error("`share` is about a nest of a compute construct")
                .at(self.unit.place(wish.span))
                .help("functions that constructs call have no plan of their own: write it in front of the loops there");
            self.lowerer.diagnostics.push(diagnostic);
        }
        if directive.stays {
            return;
        }
        let help = match directive.kind {
            Kind::Loop => directive.family.stray_loop_help(),
            Kind::Atomic(_) => "put it into a compute construct, or call its function from one",
            _ => return,
        };
        let name = directive.words;
        let diagnostic =
            Diagnostic::error(format!("`{name}` stands outside of a compute construct"))
                .at(self.unit.place(directive.name))
                .help(help);
        match self.function {
            Some(function) => self.stray.push((function, diagnostic)),
            None => self.lowerer.diagnostics.push(diagnostic),
        }
    }

    /// Lowers a compute construct; once more from the start for every variable that turns out to be
    /// accessed with several types.
    fn compute(&mut self, info: &mut ConstructInfo, stmt: StmtId, body: StmtId) {
        let unit = self.unit;
        let Some(function) = self.function else { return };
        let values = &unit.directives[info.directive].values;
        if let Err(diagnostic) = depth::check(unit, values, body) {
            self.lowerer.diagnostics.push(*diagnostic);
            return;
        }
        let mut symbol = format!("{}_L{}", info.function, info.line);
        let mut number = 1;
        while !self.symbols.insert(symbol.clone()) {
            number += 1;
            symbol = format!("{}_L{}_{number}", info.function, info.line);
        }
        self.lowerer.as_bytes.clear();
        self.lowerer.as_address.clear();
        self.lowerer.as_linear.clear();
        loop {
            let site = Site {
                directive: &unit.directives[info.directive],
                stmt,
                body,
                enclosing: &self.enclosing,
                function,
                file: &info.file,
                line: info.line,
                span: unit.directives[info.directive].span,
                symbol: &symbol,
                found: unit.directives[info.directive].found,
            };
            let block = self.lowerer.b.body(self.lowerer.module, 0);
            self.lowerer.b.set_point(gpuc_ir::InsertPoint::End(block));
            let said = self.lowerer.diagnostics.len();
            let known = self.lowerer.functions.clone();
            match self.lowerer.construct(site) {
                Err(again) if self.lowerer.knows_better(&again) => {
                    self.lowerer.diagnostics.truncate(said);
                    let last = self.lowerer.b.last_op(block);
                    if let Some(last) = last
                        && self.lowerer.b.symbol_name(last) == Some(symbol.as_str())
                    {
                        self.lowerer.b.erase_op(last);
                    }
                }
                outcome => {
                    let made = match outcome {
                        Ok(made) => Some(made),
                        Err(Failure::Refused(diagnostic)) => {
                            // What stops a construct may have been found before: at a loop that was looked
                            // at ahead of it.
                            if !self.lowerer.diagnostics[said..].contains(&diagnostic) {
                                self.lowerer.diagnostics.push(*diagnostic);
                            }
                            None
                        }
                        Err(_) => None,
                    };
                    // What is wrong with one statement does not stop at it.
                    let fails = self.lowerer.diagnostics[said..].iter().any(Diagnostic::is_error);
                    let directive = &unit.directives[info.directive];
                    if fails && self.lowerer.options.unsupported_on_host && is_for_host(directive) {
                        self.leave_to_host(info, said, &symbol, known);
                    } else if let Some((compute, data)) = made {
                        info.compute = Some(compute);
                        info.data = data;
                    }
                    return;
                }
            }
        }
    }

    /// Makes warnings of the errors since `said`, and takes what was made of the construct, and of
    /// functions that were not `known` before it, out of the module.
    fn leave_to_host(
        &mut self,
        info: &mut ConstructInfo,
        said: usize,
        symbol: &str,
        known: Callables,
    ) {
        let words = "this construct is left to the host, as -foffload-unsupported=host asks";
        let place = self.unit.place(self.unit.directives[info.directive].span);
        for diagnostic in self.lowerer.diagnostics.iter_mut().skip(said) {
            if diagnostic.is_error() {
                diagnostic.severity = Severity::Warning;
                *diagnostic = diagnostic.clone().related(place.clone(), words);
            }
        }
        let attempted = std::mem::replace(&mut self.lowerer.functions, known);
        let mut symbols = vec![symbol.to_owned()];
        for (decl, callable) in attempted {
            if let Callable::Function(symbol) | Callable::Separate(symbol) = callable
                && !self.lowerer.functions.contains_key(&decl)
            {
                symbols.push(symbol);
            }
        }
        for symbol in symbols {
            let name = self.lowerer.b.ctx.ident(&symbol);
            if let Some(op) = self.lowerer.b.symbol_in(self.lowerer.module, name) {
                self.lowerer.b.erase_op(op);
            }
        }
        info.action = Action::Host;
    }
}

//! The directives of a translation unit, in order.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::builtin::ModuleOp;
use gpuc_ir::{Builder, Ir, Location, OpView};
use rustc_hash::FxHashSet;

use super::capture::clause_items;
use super::lowerer::{Failure, Lowerer};
use super::region::Site;
use super::walk::{self, Below, Node};
use super::{ConstructInfo, Lowered, Options, clauses, depth};
use crate::directive::openacc::DirectiveKind;
use crate::tree::{DeclId, DirectiveId, StmtId, StmtKind, TranslationUnit};

/// A `data` construct around the place being lowered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Enclosing {
    /// Its number among the unit's constructs.
    pub construct: usize,
    /// Its directive.
    pub directive: DirectiveId,
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
        stray: Vec::new(),
    };
    if unit.directives.is_empty() {
        return Ok(Lowered { module, constructs: Vec::new(), remarks: Vec::new() });
    }
    for function in unit.functions() {
        walker.function(function);
    }
    for (function, diagnostic) in walker.stray {
        if !walker.lowerer.called.contains(&function) {
            walker.lowerer.diagnostics.push(diagnostic);
        }
    }
    let (errors, remarks): (Vec<_>, Vec<_>) =
        walker.lowerer.diagnostics.into_iter().partition(Diagnostic::is_error);
    if errors.is_empty() {
        Ok(Lowered { module, constructs: walker.constructs, remarks })
    } else {
        Err(errors)
    }
}

struct Walker<'a> {
    unit: &'a TranslationUnit,
    lowerer: Lowerer<'a>,
    constructs: Vec<ConstructInfo>,
    enclosing: Vec<Enclosing>,
    symbols: FxHashSet<String>,
    function: Option<DeclId>,
    /// `atomic`s outside of constructs, with their functions: good where a region calls these.
    stray: Vec<(DeclId, Diagnostic)>,
}

impl Walker<'_> {
    fn function(&mut self, decl: DeclId) {
        let unit = self.unit;
        self.function = Some(decl);
        let Some(body) = unit.function(decl).and_then(|function| function.body) else { return };
        walk::stmt(unit, body, &mut |node| match node {
            Node::Stmt(stmt) => match unit.stmts[stmt].kind {
                StmtKind::Directive { directive, body } => self.directive(stmt, directive, body),
                _ => Below::Enter,
            },
            Node::Leave(stmt) => {
                self.enclosing.retain(|around| around.stmt != stmt);
                Below::Enter
            }
            // Directives are found in statements, also those within expressions.
            Node::Expr(_) | Node::Declare(_) => Below::Enter,
        });
    }

    fn directive(&mut self, stmt: StmtId, id: DirectiveId, body: Option<StmtId>) -> Below {
        let unit = self.unit;
        let directive = walk::openacc(unit, id);
        let (file, line) = unit.source.line(unit.directives[id].span.start);
        let mut info = ConstructInfo {
            stmt,
            directive: id,
            kind: directive.kind,
            function: self.function.map_or_else(String::new, |decl| unit.name(decl).to_owned()),
            file: file.to_string(),
            line,
            data: Vec::new(),
            condition: clauses::condition(directive),
            compute: None,
        };
        match (directive.kind, body) {
            (kind, Some(body)) if kind.is_compute() => {
                self.compute(&mut info, body);
                self.constructs.push(info);
                Below::Skip
            }
            (DirectiveKind::Loop | DirectiveKind::Atomic, _) => {
                let name = directive.kind.spelling();
                let help = match directive.kind {
                    DirectiveKind::Loop => {
                        "write `parallel loop`, or put it into a compute construct"
                    }
                    _ => "put it into a compute construct, or call its function from one",
                };
                let diagnostic =
                    Diagnostic::error(format!("`{name}` stands outside of a compute construct"))
                        .at(unit.place(directive.span))
                        .help(help);
                match (directive.kind, self.function) {
                    (DirectiveKind::Atomic, Some(function)) => {
                        self.stray.push((function, diagnostic));
                    }
                    _ => self.lowerer.diagnostics.push(diagnostic),
                }
                Below::Enter
            }
            (kind, _) => {
                match clause_items(unit, directive, &self.enclosing, self.function) {
                    Ok(data) => info.data = data,
                    Err(diagnostic) => self.lowerer.diagnostics.push(*diagnostic),
                }
                if kind == DirectiveKind::Data {
                    self.enclosing.push(Enclosing {
                        construct: self.constructs.len(),
                        directive: id,
                        stmt,
                    });
                }
                self.constructs.push(info);
                Below::Enter
            }
        }
    }

    /// Lowers a compute construct; once more from the start for every variable that turns out to be
    /// accessed with several types.
    fn compute(&mut self, info: &mut ConstructInfo, body: StmtId) {
        let unit = self.unit;
        let Some(function) = self.function else { return };
        let clauses = &walk::openacc(unit, info.directive).clauses;
        let values: Vec<_> =
            clauses.iter().flat_map(|clause| walk::clause_values(&clause.kind)).collect();
        if let Err(diagnostic) = depth::check(unit, &values, body) {
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
        loop {
            let site = Site {
                directive: walk::openacc(unit, info.directive),
                stmt: info.stmt,
                body,
                enclosing: &self.enclosing,
                function,
                file: &info.file,
                line: info.line,
                span: unit.directives[info.directive].span,
                symbol: &symbol,
            };
            let block = self.lowerer.b.body(self.lowerer.module, 0);
            self.lowerer.b.set_point(gpuc_ir::InsertPoint::End(block));
            let said = self.lowerer.diagnostics.len();
            match self.lowerer.construct(site) {
                Ok((compute, data)) => {
                    info.compute = Some(compute);
                    info.data = data;
                    return;
                }
                Err(Failure::Refused(diagnostic)) => {
                    self.lowerer.diagnostics.push(*diagnostic);
                    return;
                }
                Err(Failure::Reported) => return,
                Err(Failure::AsBytes(variable)) => {
                    self.lowerer.diagnostics.truncate(said);
                    self.lowerer.as_bytes.insert(variable);
                    let last = self.lowerer.b.last_op(block);
                    if let Some(last) = last
                        && self.lowerer.b.symbol_name(last) == Some(symbol.as_str())
                    {
                        self.lowerer.b.erase_op(last);
                    }
                }
            }
        }
    }
}

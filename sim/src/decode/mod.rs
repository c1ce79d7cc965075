//! From the syntax tree to the decoded program.
//!
//! [`Lowering`] walks one kernel with its device functions inlined, resolves every name, checks
//! operands against the instruction table and emits instructions; [`flow`] then finds where lanes
//! reconverge. What one instruction means beyond its table entry stands in the file of its family.

pub(crate) mod compare;
pub(crate) mod control;
pub(crate) mod convert;
mod flow;
pub(crate) mod integer;
pub(crate) mod memory;
mod operands;
mod scope;
pub(crate) mod warp;

use std::collections::BTreeMap;
use std::sync::Arc;

use gpuc_diagnostics::{Diagnostic, Place};
use rustc_hash::FxHashMap;

use crate::isa::{Build, find};
use crate::program::{
    Class, Code, Initial, Inst, List, MemorySpace, NO_ROW, Op, Origin, PRED_FIRST, PRED_TRUE,
    SharedVariable, Special, VariableAddress, pred_source,
};
use crate::syntax::{
    Function, Instruction, Location, Name, SourceText, Span, Statement, Tree, Variable,
};

use scope::{Scopes, Symbol};

/// An instruction or declaration that cannot be lowered.
pub(crate) type Refusal = Box<Diagnostic>;

/// Errors after which a kernel is given up.
const MAX_ERRORS: usize = 20;
/// Instructions of a kernel with everything inlined.
const MAX_INSTRUCTIONS: usize = 1 << 20;
/// Device functions inline no deeper than this.
const MAX_CALL_DEPTH: usize = 64;

/// The functions and variables of a module by name.
pub(crate) struct Names<'a, 't> {
    pub(crate) functions: FxHashMap<&'a str, &'t Function<'a>>,
    pub(crate) variables: FxHashMap<&'a str, u32>,
    pub(crate) files: FxHashMap<u32, Arc<str>>,
}

/// State while one kernel is lowered.
pub(crate) struct Lowering<'a, 't> {
    pub(crate) source: &'t SourceText<'a>,
    tree: &'t Tree<'a>,
    names: &'t Names<'a, 't>,
    code: Code,
    scopes: Scopes<'a>,
    /// Instruction number of each label, once known.
    labels: Vec<Option<u32>>,
    constants: FxHashMap<(u64, bool), u32>,
    specials: BTreeMap<Special, u32>,
    variables: FxHashMap<(u32, i64), u32>,
    /// Rows of addresses: whether shared, the variable's offset and size, the offset in it, width.
    variable_addresses: FxHashMap<(bool, u64, u64, i64, bool), u32>,
    /// Offsets of shared variables by the declaring function (empty at module scope) and name.
    shared: FxHashMap<(&'a str, &'a str), u64>,
    /// Rows that hold addresses in dynamic shared memory, with their offset from its start.
    dynamic_shared: Vec<(u32, u64)>,
    dynamic_align: u64,
    locations: FxHashMap<(u32, u32, u32), u32>,
    location: u32,
    /// Bytes of local memory in use here.
    local_top: u64,
    /// Names of the functions being inlined, the kernel first.
    calls: Vec<&'a str>,
    /// Where `ret` goes in an inlined function.
    returns_to: Vec<u32>,
    guard: u32,
    class: Class,
    line: u32,
    errors: Vec<Diagnostic>,
}

/// Operands of an instruction in decoded form.
#[derive(Clone, Copy)]
pub(crate) struct Operands {
    pub(crate) dst: u32,
    pub(crate) dst2: u32,
    pub(crate) src: [u32; 4],
    pub(crate) imm: i64,
}

impl Default for Operands {
    fn default() -> Self {
        Operands { dst: NO_ROW, dst2: crate::program::PRED_SINK, src: [NO_ROW; 4], imm: 0 }
    }
}

/// Lowers a kernel. `params` are the offsets of its parameters, by name.
pub(crate) fn lower<'a>(
    source: &SourceText<'a>,
    tree: &Tree<'a>,
    names: &Names<'a, '_>,
    kernel: &Function<'a>,
    params: &[(&'a str, u64)],
) -> Result<Code, Vec<Diagnostic>> {
    let mut lowering = Lowering {
        source,
        tree,
        names,
        code: Code { predicates: PRED_FIRST, ..Code::default() },
        scopes: Scopes::default(),
        labels: Vec::new(),
        constants: FxHashMap::default(),
        specials: BTreeMap::new(),
        variables: FxHashMap::default(),
        variable_addresses: FxHashMap::default(),
        shared: FxHashMap::default(),
        dynamic_shared: Vec::new(),
        dynamic_align: 16,
        locations: FxHashMap::default(),
        location: 0,
        local_top: 0,
        calls: vec![kernel.name.text],
        returns_to: Vec::new(),
        guard: pred_source(PRED_TRUE, false),
        class: Class::Misc,
        line: 0,
        errors: Vec::new(),
    };
    for &(name, offset) in params {
        lowering.scopes.declare(name, Symbol::KernelParam(offset));
    }
    if let Some(body) = &kernel.body {
        lowering.block(body);
    }
    lowering.plain(Op::Exit, Class::Control);
    lowering.finish()
}

impl<'a> Lowering<'a, '_> {
    pub(crate) fn error(&self, span: Span, message: impl Into<String>) -> Refusal {
        Box::new(Diagnostic::error(message).at(self.source.place(span)))
    }

    fn finish(mut self) -> Result<Code, Vec<Diagnostic>> {
        let base = self.code.shared_bytes.next_multiple_of(self.dynamic_align);
        self.code.dynamic_align = self.dynamic_align;
        for (row, offset) in std::mem::take(&mut self.dynamic_shared) {
            self.code.initial.push((row, Initial::B64(base + offset)));
        }
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        let labels: Vec<u32> = self
            .labels
            .iter()
            .map(|label| label.unwrap_or(self.code.insts.len() as u32 - 1))
            .collect();
        flow::resolve(&mut self.code, &labels);
        Ok(self.code)
    }

    /// Statements in a scope of their own.
    fn block(&mut self, statements: &[Statement<'a>]) {
        let local_top = self.local_top;
        self.scopes.enter();
        for statement in statements {
            if let Statement::Label(name) = statement {
                let label = self.new_label();
                if !self.scopes.declare(name.text, Symbol::Label(label)) {
                    self.errors
                        .push(*self.error(name.span, format!("`{}` is declared twice", name.text)));
                }
            }
        }
        for statement in statements {
            if self.errors.len() >= MAX_ERRORS {
                break;
            }
            if let Err(error) = self.statement(statement) {
                self.errors.push(*error);
            }
        }
        self.scopes.leave();
        self.local_top = local_top;
    }

    fn statement(&mut self, statement: &Statement<'a>) -> Result<(), Refusal> {
        match statement {
            Statement::Label(name) => {
                if let Some(Symbol::Label(label)) = self.scopes.find(name.text) {
                    self.place_label(label);
                }
                Ok(())
            }
            Statement::Registers { ty, names } => {
                for (name, count) in names {
                    if !self.scopes.declare_registers(name.text, *ty, *count) {
                        return Err(
                            self.error(name.span, format!("`{}` is declared twice", name.text))
                        );
                    }
                }
                Ok(())
            }
            Statement::Variable(variable) => self.declare_variable(variable),
            Statement::Instruction(instruction) => self.instruction(instruction),
            Statement::Block(statements) => {
                self.block(statements);
                Ok(())
            }
            Statement::Location(location) => {
                self.location = self.location_number(*location);
                Ok(())
            }
            Statement::BranchTargets { name, targets } => {
                let mut labels = Vec::new();
                for target in targets {
                    labels.push(self.label(*target)?);
                }
                let table = self.code.tables.len() as u32;
                self.code.tables.push(labels);
                self.scopes.declare(name.text, Symbol::Targets(table));
                Ok(())
            }
        }
    }

    fn location_number(&mut self, location: Location) -> u32 {
        // Line 0 means code that belongs to no line.
        if location.line == 0 {
            return self.location;
        }
        let Some(file) = self.names.files.get(&location.file) else { return 0 };
        let key = (location.file, location.line, location.column);
        *self.locations.entry(key).or_insert_with(|| {
            self.code.locations.push(Place::new(file.clone(), location.line, location.column, 0));
            self.code.locations.len() as u32
        })
    }

    fn declare_variable(&mut self, variable: &Variable<'a>) -> Result<(), Refusal> {
        use crate::syntax::Space;
        let symbol = match variable.space {
            Space::Local | Space::Param => {
                self.local_top = self.local_top.next_multiple_of(variable.align.max(1));
                let offset = self.local_top;
                self.local_top += variable.size;
                if self.local_top > 512 << 10 {
                    return Err(self.error(variable.name.span, "more than 512 KiB of local memory"));
                }
                self.code.local_bytes = self.code.local_bytes.max(self.local_top);
                self.code.local_variables.push(SharedVariable {
                    name: variable.name.text.into(),
                    offset,
                    size: variable.size,
                });
                let size = variable.size;
                if variable.space == Space::Local {
                    Symbol::Local(offset)
                } else {
                    Symbol::CallParam { offset, size }
                }
            }
            Space::Shared => self.shared_symbol(variable, self.calls[self.calls.len() - 1]),
            Space::Global | Space::Const => {
                return Err(self.error(
                    variable.name.span,
                    "`.global` and `.const` variables inside a function are not supported",
                ));
            }
        };
        if self.scopes.declare(variable.name.text, symbol) {
            Ok(())
        } else {
            Err(self
                .error(variable.name.span, format!("`{}` is declared twice", variable.name.text)))
        }
    }

    /// The place of a shared variable in the block's memory, given out at its first use.
    fn shared_symbol(&mut self, variable: &Variable<'a>, function: &'a str) -> Symbol {
        let align = variable.align.max(1);
        if variable.external {
            self.dynamic_align = self.dynamic_align.max(align);
            return Symbol::DynamicShared;
        }
        let key = (function, variable.name.text);
        if let Some(&offset) = self.shared.get(&key) {
            return Symbol::Shared(offset);
        }
        let offset = self.code.shared_bytes.next_multiple_of(align);
        self.code.shared_bytes = offset + variable.size;
        self.shared.insert(key, offset);
        self.code.shared_variables.push(SharedVariable {
            name: variable.name.text.into(),
            offset,
            size: variable.size,
        });
        Symbol::Shared(offset)
    }

    /// What a name means here: the innermost declaration, then the module's variables.
    pub(crate) fn find(&mut self, name: &str) -> Option<Symbol> {
        if let Some(symbol) = self.scopes.find_register(name, &mut self.code) {
            return Some(symbol);
        }
        let &index = self.names.variables.get(name)?;
        let variable = &self.tree.variables[index as usize];
        Some(match variable.space {
            crate::syntax::Space::Shared => self.shared_symbol(variable, ""),
            _ => Symbol::Module(index),
        })
    }

    pub(crate) fn new_label(&mut self) -> u32 {
        self.labels.push(None);
        self.labels.len() as u32 - 1
    }

    pub(crate) fn place_label(&mut self, label: u32) {
        self.labels[label as usize] = Some(self.code.insts.len() as u32);
    }

    /// The number of a label that is visible here.
    pub(crate) fn label(&self, name: Name<'_>) -> Result<u32, Refusal> {
        match self.scopes.find(name.text) {
            Some(Symbol::Label(label)) => Ok(label),
            _ => Err(self.unknown("label", name)),
        }
    }

    pub(crate) fn unknown(&self, what: &str, name: Name<'_>) -> Refusal {
        let mut error =
            self.error(name.span, format!("`{}` is not a {what} that is declared here", name.text));
        let known = self.scopes.names().chain(self.names.variables.keys().copied());
        let mut known: Vec<_> = known.collect();
        known.sort_unstable();
        if let Some(near) = gpuc_diagnostics::did_you_mean(name.text, known) {
            error.help.push(format!("did you mean `{near}`?"));
        }
        error
    }

    fn instruction(&mut self, instruction: &Instruction<'_>) -> Result<(), Refusal> {
        if self.code.insts.len() >= MAX_INSTRUCTIONS {
            return Err(
                self.error(instruction.span, "the kernel is too large with its functions inlined")
            );
        }
        let (form, matched) = find(instruction, self.source)?;
        self.line = self.source.line(instruction.opcode.span.start);
        self.class = form.class;
        self.guard = match instruction.guard {
            Some((name, negated)) => self.predicate(name, negated)?,
            None => pred_source(PRED_TRUE, false),
        };
        let result = match form.build {
            Build::Op(op) => {
                let operands = self.operands(instruction, form.operands, &matched)?;
                self.emit(op(&matched), operands);
                Ok(())
            }
            Build::Custom(lower) => lower(self, instruction, &matched),
        };
        self.guard = pred_source(PRED_TRUE, false);
        result
    }

    /// Appends an instruction under the current guard.
    pub(crate) fn emit(&mut self, op: Op, operands: Operands) {
        let Operands { dst, dst2, src, imm } = operands;
        self.code.insts.push(Inst { op, guard: self.guard, dst, dst2, src, imm });
        self.code.origins.push(Origin {
            class: self.class,
            ptx_line: self.line,
            location: self.location,
        });
    }

    /// Appends an instruction without operands.
    pub(crate) fn plain(&mut self, op: Op, class: Class) {
        self.class = class;
        self.emit(op, Operands::default());
    }

    /// Adds operands to the list pool.
    pub(crate) fn list(&mut self, items: &[u32]) -> List {
        let start = self.code.lists.len() as u32;
        self.code.lists.extend_from_slice(items);
        List { start, count: items.len() as u8 }
    }

    /// The row of a constant; `wide` for 64-bit lanes.
    pub(crate) fn constant(&mut self, bits: u64, wide: bool) -> u32 {
        let code = &mut self.code;
        *self.constants.entry((bits, wide)).or_insert_with(|| {
            let row = code.rows;
            code.rows += if wide { 2 } else { 1 };
            let value = if wide { Initial::B64(bits) } else { Initial::B32(bits as u32) };
            code.initial.push((row, value));
            row
        })
    }

    /// The row of a constant special register (32-bit lanes).
    pub(crate) fn special(&mut self, special: Special) -> u32 {
        let code = &mut self.code;
        *self.specials.entry(special).or_insert_with(|| {
            let row = code.rows;
            code.rows += 1;
            code.initial.push((row, Initial::Special(special)));
            row
        })
    }

    /// The row of a symbol's address (64-bit lanes) in its own space, plus an offset that the row
    /// includes.
    pub(crate) fn symbol_address(&mut self, symbol: Symbol, offset: i64) -> Option<u32> {
        Some(match symbol {
            Symbol::Module(index) => {
                let code = &mut self.code;
                *self.variables.entry((index, offset)).or_insert_with(|| {
                    let row = code.rows;
                    code.rows += 2;
                    code.initial.push((row, Initial::Variable(index, offset)));
                    row
                })
            }
            Symbol::Shared(_) | Symbol::Local(_) | Symbol::CallParam { .. } => {
                self.variable_address(symbol, offset, true)
            }
            Symbol::KernelParam(at) => self.constant(at.wrapping_add_signed(offset), true),
            Symbol::DynamicShared => {
                let row = self.code.rows;
                self.code.rows += 2;
                self.dynamic_shared.push((row, offset as u64));
                row
            }
            Symbol::Register { .. } | Symbol::Label(_) | Symbol::Targets(_) => return None,
        })
    }

    /// The row of an address in shared or local memory. It is not that of a number with the same
    /// value: checkers ask which variable an address came from.
    pub(crate) fn variable_address(&mut self, symbol: Symbol, offset: i64, wide: bool) -> u32 {
        let (space, at) = match symbol {
            Symbol::Local(at) | Symbol::CallParam { offset: at, .. } => (MemorySpace::Local, at),
            Symbol::Shared(at) => (MemorySpace::Shared, at),
            _ => return self.constant(0, wide),
        };
        let code = &mut self.code;
        let known = match space {
            MemorySpace::Shared => &code.shared_variables,
            _ => &code.local_variables,
        };
        // Scopes share local memory: the last variable declared at a place is the one meant.
        let Some(variable) = known.iter().rfind(|variable| variable.offset == at).cloned() else {
            return self.constant(at.wrapping_add_signed(offset), wide);
        };
        let key = (space == MemorySpace::Shared, at, variable.size, offset, wide);
        *self.variable_addresses.entry(key).or_insert_with(|| {
            let row = code.rows;
            code.rows += if wide { 2 } else { 1 };
            let value = at.wrapping_add_signed(offset);
            let initial = if wide { Initial::B64(value) } else { Initial::B32(value as u32) };
            code.initial.push((row, initial));
            code.addresses.push(VariableAddress {
                row,
                space,
                variable: at,
                size: variable.size,
                name: variable.name,
            });
            row
        })
    }

    /// Whether an inlined device function is being lowered.
    pub(crate) fn in_device_function(&self) -> bool {
        self.calls.len() > 1
    }
}

impl Lowering<'_, '_> {
    /// A fresh row pair of 64-bit lanes.
    pub(crate) fn scratch64(&mut self) -> u32 {
        self.code.rows += 2;
        self.code.rows - 2
    }
}

//! From the syntax tree to the decoded program.
//!
//! [`Lowering`] walks one kernel and the device functions that it reaches, resolves every name, checks
//! operands against the instruction table and emits instructions; [`functions`] puts the parts
//! together, and [`flow`] finds where lanes reconverge. What one instruction means beyond its table
//! entry stands in the file of its family.

pub(crate) mod asynchronous;
pub(crate) mod call;
pub(crate) mod compare;
pub(crate) mod control;
pub(crate) mod convert;
mod flow;
mod functions;
pub(crate) mod image;
pub(crate) mod integer;
pub(crate) mod matrix;
pub(crate) mod memory;
mod operands;
mod scope;
mod system;
pub(crate) mod video;
pub(crate) mod warp;

use std::collections::BTreeMap;
use std::rc::Rc;

use bumpalo::Bump;
use gpuc_diagnostics::{Diagnostic, Place};
use rustc_hash::FxHashMap;

use crate::isa::{Build, Form, Matched, Type, find};
use crate::link::Program;
use crate::program::{
    Class, Code, Initial, Inst, List, MemorySpace, NO_ROW, Op, Origin, PRED_FIRST, PRED_TRUE,
    SharedVariable, Special, VariableAddress, function_address, pred_source,
};
use crate::syntax::{
    self, Body, Instruction, Linkage, Location, Name, SourceText, Space, Span, Statement, Variable,
};

use functions::Frame;
pub(crate) use functions::lower;
use scope::{Scopes, Symbol};

/// An instruction or declaration that cannot be lowered.
pub(crate) type Refusal = Box<Diagnostic>;

/// Errors after which a kernel is given up.
const MAX_ERRORS: usize = 20;
/// Instructions of a kernel with its functions.
const MAX_INSTRUCTIONS: usize = 1 << 22;

/// State while one kernel is lowered.
pub(crate) struct Lowering<'a, 't> {
    /// The text that is being read, and its number.
    pub(crate) source: &'t SourceText<'a>,
    text: usize,
    program: &'t Program<'a>,
    /// Where the operands of all functions lie.
    arena: &'a Bump,
    code: Code,
    scopes: Scopes<'a>,
    /// Instruction number of each label, once known.
    labels: Vec<Option<u32>>,
    constants: FxHashMap<(u64, bool), u32>,
    specials: BTreeMap<Special, u32>,
    variables: FxHashMap<u32, u32>,
    /// Rows of addresses: whether shared, the variable's offset and size, the offset in it, width.
    variable_addresses: FxHashMap<(bool, u64, u64, i64, bool), u32>,
    /// Offsets of shared variables by the text and place of their declaration.
    shared: FxHashMap<(usize, u32), u64>,
    /// Rows that hold addresses in dynamic shared memory, with their offset from its start.
    dynamic_shared: Vec<(u32, u64)>,
    dynamic_align: u64,
    locations: FxHashMap<(usize, u32, u32, u32), u32>,
    location: u32,
    /// Instructions by their words and number of operands.
    recognised: FxHashMap<(&'a str, usize), Rc<Recognised>>,
    /// Bytes of the frame in use here, and the most of it.
    local_top: u64,
    local_most: u64,
    functions: functions::Functions<'a, 't>,
    /// The device function being lowered; `None` in the kernel.
    frame: Option<Frame>,
    guard: u32,
    class: Class,
    line: u32,
    errors: Vec<Diagnostic>,
}

/// What an instruction is.
struct Recognised {
    form: &'static Form,
    matched: Matched,
    signature: operands::Signature,
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

impl<'a, 't> Lowering<'a, 't> {
    fn new(program: &'t Program<'a>, text: usize, arena: &'a Bump) -> Lowering<'a, 't> {
        Lowering {
            source: &program.texts[text].source,
            text,
            program,
            arena,
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
            recognised: FxHashMap::default(),
            local_top: 0,
            local_most: 0,
            functions: functions::Functions::default(),
            frame: None,
            guard: pred_source(PRED_TRUE, false),
            class: Class::Misc,
            line: 0,
            errors: Vec::new(),
        }
    }

    pub(crate) fn error(&self, span: Span, message: impl Into<String>) -> Refusal {
        Box::new(Diagnostic::error(message).at(self.source.place(span)))
    }

    /// The body of a function.
    fn body(&mut self, body: Body) {
        match syntax::statements(self.source, body, self.arena) {
            Ok(statements) => self.block(&statements),
            Err(error) => self.errors.push(*error),
        }
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
            Statement::Prototype { name, returns, params } => {
                let number = self.functions.add_prototype(returns, params);
                self.scopes.declare(name.text, Symbol::Prototype(number));
                Ok(())
            }
            Statement::CallTargets { name, targets } => {
                // Any function may be reached; the names only have to be some.
                for target in targets {
                    if self.program.function(self.text, target.text).is_none() {
                        return Err(self.unknown("function", *target));
                    }
                }
                let first = targets
                    .first()
                    .and_then(|target| self.program.function(self.text, target.text))
                    .map(|number| &self.program.functions[number as usize].item);
                if let Some(function) = first {
                    let number = self.functions.add_prototype(&function.returns, &function.params);
                    self.scopes.declare(name.text, Symbol::Prototype(number));
                }
                Ok(())
            }
        }
    }

    fn location_number(&mut self, location: Location) -> u32 {
        // Line 0 means code that belongs to no line.
        if location.line == 0 {
            return self.location;
        }
        let Some(file) = self.program.file(self.text, location.file) else { return 0 };
        let key = (self.text, location.file, location.line, location.column);
        *self.locations.entry(key).or_insert_with(|| {
            self.code.locations.push(Place::new(file.clone(), location.line, location.column, 0));
            self.code.locations.len() as u32
        })
    }

    fn declare_variable(&mut self, variable: &Variable<'a>) -> Result<(), Refusal> {
        let symbol = match variable.space {
            Space::Local | Space::Param => {
                let Some(offset) = self.local_variable(variable.size, variable.align) else {
                    return Err(self.error(variable.name.span, "more than 512 KiB of local memory"));
                };
                if self.frame.is_none() {
                    self.code.local_variables.push(SharedVariable {
                        name: variable.name.text.into(),
                        offset,
                        size: variable.size,
                    });
                }
                let size = variable.size;
                if variable.space == Space::Local {
                    Symbol::Local(offset)
                } else {
                    Symbol::CallParam { offset, size }
                }
            }
            Space::Shared => self.shared_symbol(variable, self.text),
            Space::Global | Space::Const => {
                match self.program.inner_variable(self.text, variable.name) {
                    Some(number) => Symbol::Module(number),
                    None => return Err(self.unknown("variable", variable.name)),
                }
            }
            Space::Register => {
                return Err(self.error(variable.name.span, "expected a variable"));
            }
        };
        if self.scopes.declare(variable.name.text, symbol) {
            Ok(())
        } else {
            Err(self
                .error(variable.name.span, format!("`{}` is declared twice", variable.name.text)))
        }
    }

    /// A place in the frame; `None` if the frame becomes too large.
    pub(crate) fn local_variable(&mut self, size: u64, align: u64) -> Option<u64> {
        let offset = self.local_top.next_multiple_of(align.max(1));
        self.local_top = offset.checked_add(size).filter(|&top| top <= 512 << 10)?;
        self.local_most = self.local_most.max(self.local_top);
        Some(offset)
    }

    /// The place of a shared variable in the block's memory, given out at its first use.
    fn shared_symbol(&mut self, variable: &Variable<'a>, text: usize) -> Symbol {
        let align = variable.align.max(1);
        if variable.linkage == Linkage::Extern {
            self.dynamic_align = self.dynamic_align.max(align);
            return Symbol::DynamicShared;
        }
        let key = (text, variable.name.span.start);
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
        let Some(index) = self.program.variable(self.text, name) else {
            return self.program.function(self.text, name).map(Symbol::Function);
        };
        let variable = &self.program.variables[index as usize];
        Some(match variable.item.space {
            Space::Shared => self.shared_symbol(&variable.item, variable.text),
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
        let known = self.scopes.names().chain(self.program.variable_names(self.text));
        let mut known: Vec<_> = known.collect();
        known.sort_unstable();
        if let Some(near) = gpuc_diagnostics::did_you_mean(name.text, known) {
            error.help.push(format!("did you mean `{near}`?"));
        }
        error
    }

    fn instruction(&mut self, instruction: &Instruction<'_>) -> Result<(), Refusal> {
        if self.code.insts.len() >= MAX_INSTRUCTIONS {
            return Err(self.error(instruction.span, "the kernel is too large with its functions"));
        }
        let found = self.recognise(instruction)?;
        let Recognised { form, matched, signature } = &*found;
        self.line = self.source.line(instruction.opcode.span.start);
        self.class = form.class;
        self.guard = match instruction.guard {
            Some((name, negated)) => self.predicate(name, negated)?,
            None => pred_source(PRED_TRUE, false),
        };
        let result = match form.build {
            Build::Op(op) => {
                let operands = self.operands_of(instruction, signature)?;
                self.emit(op(matched), operands);
                Ok(())
            }
            Build::Custom(lower) => lower(self, instruction, matched),
        };
        self.guard = pred_source(PRED_TRUE, false);
        result
    }

    /// The form of an instruction. The same words with as many operands have the same one.
    fn recognise(&mut self, instruction: &Instruction<'_>) -> Result<Rc<Recognised>, Refusal> {
        let start = instruction.opcode.span;
        let end = instruction.modifiers.last().map_or(start, |modifier| modifier.span);
        let words = &self.source.text[start.start as usize..(end.start + end.length) as usize];
        let key = (words, instruction.operands.len());
        if let Some(known) = self.recognised.get(&key) {
            return Ok(Rc::clone(known));
        }
        let (form, matched) = find(instruction, self.source)?;
        let signature = operands::Signature::new(form.operands, &matched);
        let found = Rc::new(Recognised { form, matched, signature });
        self.recognised.insert(key, Rc::clone(&found));
        Ok(found)
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

    /// Row (64-bit lanes) and offset that together are a symbol's address in its own space.
    pub(crate) fn symbol_base(&mut self, symbol: Symbol) -> Option<(u32, i64)> {
        Some(match symbol {
            Symbol::Module(index) => {
                let code = &mut self.code;
                let row = *self.variables.entry(index).or_insert_with(|| {
                    let row = code.rows;
                    code.rows += 2;
                    code.initial.push((row, Initial::Variable(index, 0)));
                    row
                });
                (row, 0)
            }
            Symbol::Local(at) | Symbol::CallParam { offset: at, .. } => match &self.frame {
                Some(frame) => (frame.base, at as i64),
                None => (self.variable_address(symbol, 0, true), 0),
            },
            Symbol::Shared(_) => (self.variable_address(symbol, 0, true), 0),
            Symbol::KernelParam(at) => (self.constant(at, true), 0),
            Symbol::FormalParam { row, .. } => (row, 0),
            Symbol::DynamicShared => {
                let row = self.code.rows;
                self.code.rows += 2;
                self.dynamic_shared.push((row, 0));
                (row, 0)
            }
            Symbol::Function(number) => (self.constant(function_address(number), true), 0),
            Symbol::Register { .. }
            | Symbol::Label(_)
            | Symbol::Targets(_)
            | Symbol::Prototype(_) => return None,
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

    /// The row of a symbol's address (64-bit lanes) in its own space, plus an offset.
    pub(crate) fn symbol_address(&mut self, symbol: Symbol, offset: i64) -> Option<u32> {
        match symbol {
            Symbol::Local(_) | Symbol::CallParam { .. } if self.frame.is_none() => {
                return Some(self.variable_address(symbol, offset, true));
            }
            Symbol::Shared(_) => return Some(self.variable_address(symbol, offset, true)),
            Symbol::KernelParam(at) => {
                return Some(self.constant(at.wrapping_add_signed(offset), true));
            }
            _ => {}
        }
        let (base, inner) = self.symbol_base(symbol)?;
        let imm = inner.wrapping_add(offset);
        if imm == 0 {
            return Some(base);
        }
        let dst = self.scratch64();
        let src = [base, NO_ROW, NO_ROW, NO_ROW];
        self.emit(Op::AddImmediate, Operands { dst, src, imm, ..Operands::default() });
        Some(dst)
    }

    /// Whether a device function is being lowered.
    pub(crate) fn in_device_function(&self) -> bool {
        self.frame.is_some()
    }

    /// A fresh row pair of 64-bit lanes.
    pub(crate) fn scratch64(&mut self) -> u32 {
        scope::allocate(Type::B64, &mut self.code)
    }
}

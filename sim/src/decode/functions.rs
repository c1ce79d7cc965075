//! A kernel and the device functions that it reaches, put together.
//!
//! Every function is lowered once, behind the kernel, with registers of its own; a call moves values
//! or addresses of parameters through rows that all functions share (one for each result, then one
//! for each argument). Within a recursion a call saves the caller's registers. Frames in local memory
//! are taken from a stack whose pointer is a row; how deep it can get is added up where the calls
//! have no cycle.

use bumpalo::Bump;
use gpuc_diagnostics::Diagnostic;
use rustc_hash::FxHashMap;

use crate::isa::Type;
use crate::link::Program;
use crate::program::{
    Class, Code, Function as FunctionCode, Initial, NO_ROW, NOWHERE, Op, PRED_TRUE, pred_source,
};
use crate::syntax::{Function, Space, Variable};

use super::scope::{Scopes, Symbol};
use super::{Lowering, Operands, flow};

/// Bytes of the stack where its depth is not known: recursion, indirect calls, `alloca`.
const STACK_BYTES: u64 = 32 << 10;
/// Alignment of frames.
const FRAME_ALIGN: u64 = 16;
/// The caller that is the kernel itself.
const KERNEL: u32 = u32::MAX;

/// A parameter as a call passes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Formal {
    pub(super) ty: Type,
    pub(super) size: u64,
    pub(super) align: u64,
    /// In a register, not in the `.param` space.
    pub(super) register: bool,
}

impl Formal {
    pub(super) fn of(variable: &Variable<'_>) -> Formal {
        Formal {
            ty: variable.element,
            size: variable.size,
            align: variable.align,
            register: variable.space == Space::Register,
        }
    }
}

/// Results and parameters of a function.
#[derive(Clone, Debug, Default)]
pub(super) struct Signature {
    pub(super) results: Vec<Formal>,
    pub(super) params: Vec<Formal>,
}

impl Signature {
    pub(super) fn of(results: &[Variable<'_>], params: &[Variable<'_>]) -> Signature {
        Signature {
            results: results.iter().map(Formal::of).collect(),
            params: params.iter().map(Formal::of).collect(),
        }
    }
}

/// The functions that a kernel reaches.
#[derive(Default)]
pub(super) struct Functions<'a, 't> {
    /// Number in the program to number in the code.
    known: FxHashMap<u32, u32>,
    /// Functions by their number in the code: text, declaration.
    reached: Vec<(usize, &'t Function<'a>)>,
    pub(super) prototypes: Vec<Signature>,
    /// Who calls whom directly.
    calls: Vec<(u32, u32)>,
    /// Who calls what an address says.
    indirect: Vec<u32>,
    /// Who takes memory from the stack as it runs.
    allocating: bool,
    /// Bytes of each function's frame.
    frames: Vec<u64>,
    /// Errors of each function.
    errors: Vec<Vec<Diagnostic>>,
    /// The row of the stack pointer.
    stack: Option<u32>,
    /// The rows that pass results and arguments.
    passing: Vec<u32>,
}

impl Functions<'_, '_> {
    pub(super) fn add_prototype(
        &mut self,
        results: &[Variable<'_>],
        params: &[Variable<'_>],
    ) -> u32 {
        self.prototypes.push(Signature::of(results, params));
        self.prototypes.len() as u32 - 1
    }
}

/// The function being lowered.
pub(super) struct Frame {
    /// Its number in the code.
    pub(super) number: u32,
    /// The row of its frame's address in local memory.
    pub(super) base: u32,
    /// Registers that hold its results at the end, by the number of the result.
    pub(super) results: Vec<(usize, Type, u32)>,
}

/// Lowers a kernel, the function of that number in the program. `params` are the offsets of its
/// parameters, by name.
pub(crate) fn lower<'a>(
    program: &Program<'a>,
    kernel: u32,
    params: &[(&'a str, u64)],
) -> Result<Code, Vec<Diagnostic>> {
    let kernel = &program.functions[kernel as usize];
    let arena = Bump::new();
    let mut lowering = Lowering::new(program, kernel.text, &arena);
    for &(name, offset) in params {
        lowering.scopes.declare(name, Symbol::KernelParam(offset));
    }
    if let Some(body) = kernel.item.body {
        lowering.body(body);
    }
    lowering.plain(Op::Exit, Class::Control);
    let kernel_bytes = lowering.local_most.next_multiple_of(FRAME_ALIGN);
    let mut errors = std::mem::take(&mut lowering.errors);
    let mut next = 0;
    loop {
        while next < lowering.functions.reached.len() {
            lowering.function(next as u32);
            next += 1;
        }
        if lowering.functions.indirect.is_empty() || !lowering.code.pointers.is_empty() {
            break;
        }
        for &number in program.address_taken() {
            let reached = lowering.reach(number);
            lowering.code.pointers.push((number, reached));
        }
        if lowering.code.pointers.is_empty() {
            break;
        }
    }
    // What the kernel cannot avoid must be in order; what only an address leads to may never be
    // called.
    let functions = std::mem::take(&mut lowering.functions);
    let mut direct = functions.reachable(KERNEL);
    direct.sort_unstable();
    for &function in &direct {
        errors.extend_from_slice(&functions.errors[function as usize]);
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    functions.patch(&mut lowering.code, kernel_bytes);
    Ok(lowering.finish())
}

impl<'a, 't> Lowering<'a, 't> {
    /// The number in the code of a function of the program.
    pub(super) fn reach(&mut self, number: u32) -> u32 {
        if let Some(&known) = self.functions.known.get(&number) {
            return known;
        }
        let function = &self.program.functions[number as usize];
        let entry = self.new_label();
        self.code.functions.push(FunctionCode {
            entry,
            rows: 0..0,
            wide_rows: Vec::new(),
            predicates: 0..0,
        });
        self.functions.reached.push((function.text, &function.item));
        self.functions.frames.push(0);
        self.functions.errors.push(Vec::new());
        let reached = self.functions.reached.len() as u32 - 1;
        self.functions.known.insert(number, reached);
        reached
    }

    /// Notes a call of the current function.
    pub(super) fn note_call(&mut self, callee: Option<u32>) {
        let caller = self.frame.as_ref().map_or(KERNEL, |frame| frame.number);
        match callee {
            Some(callee) => self.functions.calls.push((caller, callee)),
            None => self.functions.indirect.push(caller),
        }
    }

    /// The row of the stack pointer.
    pub(super) fn stack_row(&mut self) -> u32 {
        match self.functions.stack {
            Some(row) => row,
            None => {
                let row = self.scratch64();
                self.functions.stack = Some(row);
                row
            }
        }
    }

    /// The row that passes the n-th of results and arguments together.
    pub(super) fn passing_row(&mut self, n: usize) -> u32 {
        while self.functions.passing.len() <= n {
            let row = self.scratch64();
            self.functions.passing.push(row);
        }
        self.functions.passing[n]
    }

    /// Notes that the stack's depth is not known before the run.
    pub(super) fn note_allocation(&mut self) {
        self.functions.allocating = true;
    }

    /// Lowers a function behind what there is; with errors, a refusal in its place.
    fn function(&mut self, number: u32) {
        let (text, function) = self.functions.reached[number as usize];
        (self.text, self.source) = (text, &self.program.texts[text].source);
        self.line = self.source.line(function.name.span.start);
        self.location = 0;
        self.guard = pred_source(PRED_TRUE, false);
        self.scopes = Scopes::default();
        (self.local_top, self.local_most) = (0, 0);
        let start = (self.code.insts.len(), self.code.tables.len());
        let stack = self.stack_row();
        let passed = function.returns.len() + function.params.len();
        for n in 0..passed {
            self.passing_row(n);
        }
        let first = (self.code.rows, self.code.predicates);
        let base = self.scratch64();
        self.place_label(self.code.functions[number as usize].entry);
        // The size of the frame is known at the end.
        let enter = self.code.insts.len();
        self.class = Class::Control;
        self.emit(
            Op::Allocate { align: FRAME_ALIGN as u32, sized: false },
            Operands { dst: base, src: [stack, NO_ROW, NO_ROW, NO_ROW], ..Operands::default() },
        );
        self.frame = Some(Frame { number, base, results: Vec::new() });
        self.formals(function);
        match function.body {
            Some(body) => self.body(body),
            None => self.errors.push(*self.error(function.name.span, undefined(function))),
        }
        self.leave();
        self.code.insts[enter].imm = self.local_most.next_multiple_of(FRAME_ALIGN).max(16) as i64;
        self.functions.frames[number as usize] = self.code.insts[enter].imm as u64;
        self.frame = None;
        let errors = std::mem::take(&mut self.errors);
        if let Some(first) = errors.first() {
            self.code.insts.truncate(start.0);
            self.code.origins.truncate(start.0);
            self.code.tables.truncate(start.1);
            let imm = self.code.refusals.len() as i64;
            self.code.refusals.push(first.clone());
            self.class = Class::Control;
            self.emit(Op::Refused, Operands { imm, ..Operands::default() });
        }
        self.functions.errors[number as usize] = errors;
        let code = &mut self.code.functions[number as usize];
        code.rows = first.0..self.code.rows;
        let wide = self.code.wide_rows.partition_point(|&row| row < first.0);
        code.wide_rows = self.code.wide_rows[wide..].to_vec();
        code.predicates = first.1..self.code.predicates;
    }

    /// Takes the parameters out of the rows that passed them.
    fn formals(&mut self, function: &Function<'a>) {
        let results = function.returns.len();
        for (n, variable) in function.returns.iter().chain(&function.params).enumerate() {
            let passing = self.passing_row(n);
            let name = variable.name.text;
            if variable.space != Space::Register {
                let row = self.scratch64();
                self.move_row(row, passing, true);
                self.scopes.declare(name, Symbol::FormalParam { row, size: variable.size });
                continue;
            }
            let ty = variable.element;
            let wide = ty.bits() > 32;
            let row = self.scratch64();
            self.scopes.declare(name, Symbol::Register { ty, row });
            if n >= results {
                self.move_row(row, passing, wide);
            } else if let Some(frame) = &mut self.frame {
                frame.results.push((n, ty, row));
            }
        }
    }

    pub(super) fn move_row(&mut self, dst: u32, from: u32, wide: bool) {
        let op = if wide { Op::Move64 } else { Op::Move32 };
        let src = [from, NO_ROW, NO_ROW, NO_ROW];
        self.emit(op, Operands { dst, src, ..Operands::default() });
    }

    /// The end of a function under the current guard: results, frame, return.
    pub(super) fn leave(&mut self) {
        let Some(Frame { base, results, .. }) = &self.frame else { return };
        let (base, results) = (*base, results.clone());
        for (n, ty, row) in results {
            let passing = self.passing_row(n);
            self.move_row(passing, row, ty.bits() > 32);
        }
        let stack = self.stack_row();
        self.class = Class::Control;
        self.move_row(stack, base, true);
        self.emit(Op::Return, Operands::default());
    }

    fn finish(mut self) -> Code {
        let base = self.code.shared_bytes.next_multiple_of(self.dynamic_align);
        self.code.dynamic_align = self.dynamic_align;
        for (row, offset) in std::mem::take(&mut self.dynamic_shared) {
            self.code.initial.push((row, Initial::B64(base + offset)));
        }
        let last = self.code.insts.len() as u32 - 1;
        let labels: Vec<u32> = self.labels.iter().map(|label| label.unwrap_or(last)).collect();
        flow::resolve(&mut self.code, &labels);
        self.code
    }
}

/// What is said of a function without a body.
pub(super) fn undefined(function: &Function<'_>) -> String {
    format!(
        "`{}` is declared but not defined in this module: link the text that defines it",
        function.name.text
    )
}

impl Functions<'_, '_> {
    /// Whom a function calls by name.
    fn direct_callees(&self, caller: u32) -> Vec<u32> {
        self.calls.iter().filter(|call| call.0 == caller).map(|call| call.1).collect()
    }

    /// Whom a function may call.
    fn callees(&self, caller: u32, pointers: &[(u32, u32)]) -> Vec<u32> {
        let mut out = self.direct_callees(caller);
        if self.indirect.contains(&caller) {
            out.extend(pointers.iter().map(|pointer| pointer.1));
        }
        out
    }

    /// The functions that direct calls lead to.
    fn reachable(&self, from: u32) -> Vec<u32> {
        let mut seen = vec![false; self.reached.len()];
        let mut open = self.direct_callees(from);
        let mut out = Vec::new();
        while let Some(function) = open.pop() {
            if !std::mem::replace(&mut seen[function as usize], true) {
                out.push(function);
                open.extend(self.direct_callees(function));
            }
        }
        out
    }

    /// Fills in what needs all functions: who saves registers, and the stack.
    fn patch(&self, code: &mut Code, kernel_bytes: u64) {
        let count = self.reached.len();
        let mut callees: Vec<Vec<u32>> =
            (0..count as u32).map(|function| self.callees(function, &code.pointers)).collect();
        callees.push(self.callees(KERNEL, &code.pointers));
        let component = components(&callees);
        for inst in &mut code.insts {
            let (saved, callee) = match &mut inst.op {
                Op::Call { function, saved } => (saved, Some(*function)),
                Op::CallIndirect { saved } => (saved, None),
                _ => continue,
            };
            // Until here `saved` is the caller.
            let Some(&own) = component.get(*saved as usize) else {
                *saved = NOWHERE;
                continue;
            };
            let recursive = match callee {
                Some(callee) => component[callee as usize] == own,
                None => code.pointers.iter().any(|pointer| component[pointer.1 as usize] == own),
            };
            if !recursive {
                *saved = NOWHERE;
            }
        }
        code.local_bytes = kernel_bytes;
        if let Some(row) = self.stack {
            code.initial.push((row, Initial::B64(kernel_bytes)));
            code.local_bytes += match depth(&callees, &component, &self.frames) {
                Some(bytes) if !self.allocating => bytes,
                known => known.unwrap_or_else(|| self.frames.iter().sum()) + STACK_BYTES,
            };
        }
    }
}

/// The strongly connected component of each node (Tarjan 1972), numbered so that a callee's component
/// is never greater than its caller's.
fn components(callees: &[Vec<u32>]) -> Vec<u32> {
    let count = callees.len();
    let (mut index, mut low) = (vec![u32::MAX; count], vec![0; count]);
    let mut component = vec![u32::MAX; count];
    let (mut next, mut number) = (0, 0);
    let mut stack = Vec::new();
    for root in 0..count {
        let mut open = vec![(root, 0usize)];
        while let Some((node, at)) = open.pop() {
            if at == 0 {
                if index[node] != u32::MAX {
                    continue;
                }
                (index[node], low[node]) = (next, next);
                next += 1;
                stack.push(node);
            }
            if let Some(&callee) = callees[node].get(at) {
                let callee = callee as usize;
                open.push((node, at + 1));
                if index[callee] == u32::MAX {
                    open.push((callee, 0));
                } else if component[callee] == u32::MAX {
                    low[node] = low[node].min(index[callee]);
                }
                continue;
            }
            for &callee in &callees[node] {
                if component[callee as usize] == u32::MAX {
                    low[node] = low[node].min(low[callee as usize]);
                }
            }
            if low[node] == index[node] {
                while let Some(member) = stack.pop() {
                    component[member] = number;
                    if member == node {
                        break;
                    }
                }
                number += 1;
            }
        }
    }
    component
}

/// Bytes of the deepest chain of calls from the last node, the kernel; `None` where there is a cycle.
fn depth(callees: &[Vec<u32>], component: &[u32], frames: &[u64]) -> Option<u64> {
    let mut order: Vec<usize> = (0..callees.len()).collect();
    order.sort_by_key(|&node| component[node]);
    let mut bytes = vec![0u64; callees.len()];
    for pair in order.windows(2) {
        if component[pair[0]] == component[pair[1]] {
            return None;
        }
    }
    for node in order {
        let mut deepest = 0;
        for &callee in &callees[node] {
            if callee as usize == node {
                return None;
            }
            deepest = deepest.max(bytes[callee as usize]);
        }
        bytes[node] = deepest + frames.get(node).copied().unwrap_or(0);
    }
    bytes.last().copied()
}

//! The machine: runs one function with everything it calls and launches.

use cranelift_entity::SecondaryMap;
use gpuc_diagnostics::Diagnostic;
use gpuc_ir::{Attr, Ir, Op, OpName, Type, WalkOrder};
use rustc_hash::FxHashMap;

use crate::eval::{self, Handler};
use crate::execution::Outcome;
use crate::fiber::Fiber;
use crate::grid::Grid;
use crate::memory::{BufferId, Memory};
use crate::names::Names;
use crate::value::RtValue;

/// An error inside the interpreter: boxed, because every step may return one.
pub(crate) type Fault = Box<Diagnostic>;

/// In which order iterations run that may run in any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As they would in a sequential loop.
    #[default]
    Forwards,
    /// The last first: shows programs that depend on the order.
    Backwards,
}

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether undefined behaviour is an error. Otherwise overflow wraps, division by zero gives
    /// all ones (its remainder the dividend), too long shifts shift everything out, conversions
    /// saturate (NaN to zero), and memory that was never written is zero.
    pub strict: bool,
    /// Operations to run, at most.
    pub step_limit: u64,
    /// Nested calls and regions, at most.
    pub depth_limit: usize,
    /// Bytes of memory, at most.
    pub memory_limit: usize,
    /// Order of parallel iterations and of the threads of a block.
    pub order: Order,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            strict: true,
            step_limit: 200_000_000,
            depth_limit: 10_000,
            memory_limit: 1 << 30,
            order: Order::Forwards,
        }
    }
}

/// Runs functions of a module. Globals and buffers live as long as it does.
#[derive(Debug)]
pub struct Interpreter<'a> {
    pub(crate) ir: &'a Ir,
    pub(crate) options: Options,
    pub(crate) names: Names,
    pub(crate) memory: Memory,
    pub(crate) fiber: Fiber,
    /// The grid that runs, while one does.
    pub(crate) grid: Option<Grid>,
    pub(crate) globals: FxHashMap<Op, BufferId>,
    module: Op,
    pub(crate) handlers: SecondaryMap<OpName, Option<Handler>>,
    symbols: FxHashMap<(Op, Attr), Option<Op>>,
    output: String,
    pub(crate) steps: u64,
    pub(crate) nesting: usize,
}

impl<'a> Interpreter<'a> {
    /// An interpreter of `module`, which should verify.
    pub fn new(ir: &'a Ir, module: Op, options: Options) -> Self {
        let mut handlers: SecondaryMap<OpName, Option<Handler>> = SecondaryMap::new();
        let by_name = eval::handlers();
        ir.walk(module, WalkOrder::PreOrder, &mut |op| {
            let name = ir.op_name(op);
            if handlers[name].is_none() {
                handlers[name] = by_name.get(ir.ctx.op_name_str(name)).copied();
            }
        });
        Interpreter {
            ir,
            names: Names::new(&ir.ctx),
            memory: Memory::new(options.memory_limit),
            options,
            fiber: Fiber::default(),
            grid: None,
            globals: FxHashMap::default(),
            module,
            handlers,
            symbols: FxHashMap::default(),
            output: String::new(),
            steps: 0,
            nesting: 0,
        }
    }

    /// Runs `function` with arguments and gives its results.
    #[allow(clippy::result_large_err)] // Once for a run.
    pub fn run(
        &mut self,
        function: &str,
        arguments: &[RtValue],
    ) -> Result<Vec<RtValue>, Diagnostic> {
        self.run_function(function, arguments).map_err(|fault| *fault)
    }

    /// Everything that the program has printed so far.
    pub fn output(&self) -> &str {
        &self.output
    }

    /// How many operations have been executed so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The types of the arguments and results of a function of the module.
    #[allow(clippy::result_large_err)] // Once for a run.
    pub fn signature(&self, function: &str) -> Result<(Vec<Type>, Vec<Type>), Diagnostic> {
        let op = self.find_function(function).map_err(|fault| *fault)?;
        let (inputs, results) = eval::func::signature(self.ir, op);
        Ok((inputs.to_vec(), results.to_vec()))
    }

    /// A value of a type as text.
    #[allow(clippy::result_large_err)] // Once for a run.
    pub fn text(&self, value: &RtValue, ty: Type) -> Result<String, Diagnostic> {
        eval::value_text(self, self.module, value, ty).map_err(|fault| *fault)
    }

    fn find_function(&self, name: &str) -> Result<Op, Fault> {
        let function = (self.ir.ctx.find_ident(name))
            .and_then(|ident| self.ir.symbol_in(self.module, ident))
            .filter(|&op| eval::func::body(self.ir, op).is_some());
        function.ok_or_else(|| {
            let names: Vec<&str> = (self.ir.regions(self.module).iter())
                .flat_map(|&region| self.ir.blocks(region))
                .flat_map(|&block| self.ir.ops(block))
                .filter(|&op| eval::func::body(self.ir, op).is_some())
                .filter_map(|op| self.ir.symbol_name(op))
                .collect();
            let mut error = Diagnostic::error(format!("there is no function @{name} with a body"));
            if let Some(near) = gpuc_diagnostics::did_you_mean(name, names.iter().copied()) {
                error = error.help(format!("did you mean @{near}?"));
            }
            Box::new(error)
        })
    }

    fn run_function(&mut self, name: &str, arguments: &[RtValue]) -> Result<Vec<RtValue>, Fault> {
        let function = self.find_function(name)?;
        let Some(block) = eval::func::body(self.ir, function) else {
            return Err(self.error(function, "has no body"));
        };
        self.fiber = Fiber::new(None, None);
        self.nesting = 0;
        let given = arguments.len();
        let expected = self.ir.arguments(block).len();
        if given != expected {
            let message = format!("@{name} takes {expected} arguments, but {given} were given");
            return Err(self.error(function, message));
        }
        match self.start(function, block, arguments.to_vec())? {
            Outcome::Finished(values) => Ok(values),
            Outcome::Suspended(pending) => {
                Err(self.error(pending.op, "is executed outside a kernel"))
            }
        }
    }

    /// What a symbol means at `op`.
    pub(crate) fn symbol(&mut self, op: Op, symbol: Attr) -> Option<Op> {
        // References from the same operation to the same name never change while running.
        let ir = self.ir;
        *self.symbols.entry((op, symbol)).or_insert_with(|| ir.lookup_symbol(op, symbol))
    }

    /// Appends to what the program prints.
    pub(crate) fn print(&mut self, text: &str) {
        self.output.push_str(text);
    }

    /// The module.
    pub(crate) fn module(&self) -> Op {
        self.module
    }
}

//! Reference interpreter of every level above ptx: slow, simple, the oracle of pass tests.
//!
//! An [`Interpreter`] runs one function of a module with everything it calls and launches. Memory is
//! buffers of bytes, each access checked; integers and floats have the widths and formats their
//! types say; the threads of a block run in turns from barrier to barrier. What a program must not
//! do is a located [`Diagnostic`]: accesses out of bounds or of released memory, barriers that not
//! all threads reach, and, unless [`Options::strict`] is off, everything that depends on undefined
//! behaviour. As in LLVM, an overflow that was promised not to happen does no harm until something
//! depends on its result.
//!
//! [`check_same`] runs a function of two modules on the same random inputs and compares everything
//! that can be seen afterwards; [`random`] makes programs for it.

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::{Ir, Op};

mod access;
mod compare;
mod eval;
mod execution;
mod fiber;
mod grid;
mod host;
mod interpreter;
mod memory;
mod names;
mod nest;
mod operands;
mod printf;
pub mod random;
mod value;

pub use compare::{Comparison, check_same};
pub use host::Element;
pub use interpreter::{Interpreter, Options, Order};
pub use value::{Float, Int, MemRef, Poison, RtValue};

/// Runs a function without arguments and gives everything it printed, followed by its results, one
/// a line.
#[allow(clippy::result_large_err)] // Once for a run.
pub fn run_to_text(ir: &Ir, module: Op, entry: &str) -> Result<String, Diagnostic> {
    let mut interpreter = Interpreter::new(ir, module, Options::default());
    let (inputs, results) = interpreter.signature(entry)?;
    if !inputs.is_empty() {
        return Err(Diagnostic::error(format!(
            "@{entry} takes {} arguments; only a function without any can be run",
            inputs.len()
        )));
    }
    let values = interpreter.run(entry, &[])?;
    let mut text = interpreter.output().to_owned();
    for (value, ty) in values.iter().zip(results) {
        text += &interpreter.text(value, ty)?;
        text.push('\n');
    }
    Ok(text)
}

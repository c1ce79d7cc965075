//! What operations do, one file a family.

use gpuc_ir::Op;
use rustc_hash::FxHashMap;

use crate::fiber::{Flow, State};
use crate::interpreter::{Fault, Interpreter};
use crate::value::RtValue;

mod affine;
mod atomic;
mod cast;
mod cf;
mod collective;
pub(crate) mod combine;
mod compare;
mod complex;
mod constant;
mod contract;
mod elementwise;
mod float;
pub(crate) mod func;
mod global;
mod gpu;
mod index;
mod integer;
mod launch;
mod masked;
mod math;
mod memory;
mod offload;
mod print;
mod ptr;
mod rearrange;
mod scf;
mod thread_loop;
mod transfer;
mod unsupported;
mod vector;
mod view;

pub(crate) use print::value_text;

/// What happened, and what is next.
pub(crate) type Step = Result<Flow, Fault>;

type Eval = fn(&mut Interpreter<'_>, Op) -> Step;
type Resume = fn(&mut Interpreter<'_>, Op, State, Vec<RtValue>) -> Step;

/// How an operation is executed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handler {
    /// Executes it.
    pub eval: Eval,
    /// Goes on with it when one of its regions has been left with values.
    pub resume: Option<Resume>,
}

impl Handler {
    const fn leaf(eval: Eval) -> Self {
        Handler { eval, resume: None }
    }

    const fn regions(eval: Eval, resume: Resume) -> Self {
        Handler { eval, resume: Some(resume) }
    }
}

/// Operations by name.
type Family = &'static [(&'static str, Handler)];

/// Every operation that can be executed.
pub(crate) fn handlers() -> FxHashMap<&'static str, Handler> {
    let families: &[Family] = &[
        constant::OPS,
        integer::OPS,
        index::OPS,
        complex::OPS,
        float::OPS,
        compare::OPS,
        cast::OPS,
        math::OPS,
        func::OPS,
        cf::OPS,
        scf::OPS,
        affine::OPS,
        memory::OPS,
        global::OPS,
        atomic::OPS,
        view::OPS,
        vector::OPS,
        rearrange::OPS,
        contract::OPS,
        masked::OPS,
        transfer::OPS,
        gpu::OPS,
        collective::OPS,
        launch::OPS,
        offload::OPS,
        print::OPS,
        ptr::OPS,
        unsupported::OPS,
    ];
    families.iter().flat_map(|family| family.iter().copied()).collect()
}

/// Ends a region with the operands of its terminator.
fn leave(m: &mut Interpreter<'_>, op: Op) -> Step {
    Ok(Flow::Leave(m.get_all(m.ir.operands(op))?))
}

/// Gives the results that the only region of an operation yields.
fn done(m: &mut Interpreter<'_>, op: Op, _: State, values: Vec<RtValue>) -> Step {
    m.set_results(op, values)
}

/// Does nothing.
fn nothing(_: &mut Interpreter<'_>, _: Op) -> Step {
    Ok(Flow::Next)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Operations that are looked at, never executed.
    const CONTAINERS: &[&str] = &[
        "builtin.module",
        "func.func",
        "gpu.func",
        "gpu.module",
        "gpu.module_end",
        "memref.global",
    ];

    #[test]
    fn every_operation_above_ptx_is_executed() {
        let handlers = handlers();
        for dialect in gpuc_dialects::ALL.iter().filter(|dialect| dialect.name != "ptx") {
            for def in dialect.ops {
                let name = def().name;
                let is_container = CONTAINERS.contains(&name);
                assert_ne!(handlers.contains_key(name), is_container, "{name}");
            }
        }
    }
}

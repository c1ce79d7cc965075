//! Threads of control: the host program is one, each thread of a kernel is another.
//!
//! A fiber is a stack of frames kept as data, so that it can stop at a barrier and go on later.

use std::rc::Rc;

use gpuc_ir::{Block, Op, Value};
use rustc_hash::FxHashMap;

use crate::memory::BufferId;
use crate::nest::Nest;
use crate::value::{Int, RtValue};

/// What values are worth.
pub(crate) type Values = FxHashMap<Value, RtValue>;

/// What an operation wants to happen next.
#[derive(Debug)]
pub(crate) enum Flow {
    /// The next operation of the block.
    Next,
    /// A region of the operation: its entry block, with arguments.
    Enter { block: Block, arguments: Vec<RtValue>, state: State },
    /// The body of a function, with values of its own.
    Call { block: Block, arguments: Vec<RtValue> },
    /// Another block of the same region.
    Jump { block: Block, arguments: Vec<RtValue> },
    /// The end of the region, with what it yields.
    Leave(Vec<RtValue>),
    /// A pause, until other threads have come as far.
    Suspend(Pending),
}

/// What a thread waits for.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    /// The operation.
    pub op: Op,
    /// The values it brings.
    pub operands: Vec<RtValue>,
}

/// What an operation with regions remembers while one of them runs.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// The outermost frame: its end ends the execution.
    Entry,
    /// The body of a function.
    Call,
    /// A region that runs once.
    Once,
    /// A counting loop.
    For { next: Int, remaining: u128, step: Int },
    /// A general loop, in its first or its second region.
    While { in_after: bool },
    /// A nest of loops with values that its iterations combine into.
    Nest { nest: Nest, accumulators: Vec<RtValue> },
}

/// A region that runs.
#[derive(Debug)]
pub(crate) struct Frame {
    /// The operation whose region it is; for `Call`, the call.
    pub owner: Op,
    /// The next operation; `None` behind the last one of a block.
    pub next: Option<Op>,
    pub state: State,
    /// How many stack buffers there were before, where the operation is an allocation scope.
    pub stack_mark: Option<usize>,
}

/// Where a thread of a kernel stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    pub block: [i64; 3],
    pub thread: [i64; 3],
}

/// See the [module](self).
#[derive(Debug, Default)]
pub(crate) struct Fiber {
    pub frames: Vec<Frame>,
    /// Values of the functions that run, the current one last.
    pub activations: Vec<Values>,
    /// Values of the host that the region of a launch sees.
    pub captured: Option<Rc<Values>>,
    /// Buffers to be released at the end of their scopes.
    pub stack: Vec<BufferId>,
    /// For threads of kernels.
    pub position: Option<Position>,
    /// The operation that runs.
    pub current: Option<Op>,
}

impl Fiber {
    /// A fiber whose first frame is still to be entered.
    pub fn new(captured: Option<Rc<Values>>, position: Option<Position>) -> Self {
        Fiber { activations: vec![Values::default()], captured, position, ..Fiber::default() }
    }

    /// What a value is worth.
    pub fn get(&self, value: Value) -> Option<&RtValue> {
        let found = self.activations.last().and_then(|values| values.get(&value));
        found.or_else(|| match &self.captured {
            // Only the outermost frame of a launched region sees the host's values.
            Some(captured) if self.activations.len() == 1 => captured.get(&value),
            _ => None,
        })
    }
}

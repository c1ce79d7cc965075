//! Execution: frames entered, left and gone on with.

use gpuc_ir::op::Traits;
use gpuc_ir::{Block, Op};

use crate::fiber::{Flow, Frame, Pending, State};
use crate::interpreter::{Fault, Interpreter};
use crate::value::RtValue;

/// Synchronous regions within each other (combiners of reductions), at most: they use the stack of
/// this program.
const NESTED_REGIONS: usize = 64;

/// How an execution ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The outermost frame was left with values.
    Finished(Vec<RtValue>),
    /// The fiber waits for others.
    Suspended(Pending),
}

impl Interpreter<'_> {
    /// Enters the first frame of the current fiber and runs it.
    pub(crate) fn start(
        &mut self,
        owner: Op,
        block: Block,
        arguments: Vec<RtValue>,
    ) -> Result<Outcome, Fault> {
        self.push_frame(owner, block, arguments, State::Entry)?;
        self.execute()
    }

    /// Runs a region to its end and gives what it yields. It must not wait for other threads.
    pub(crate) fn run_region(
        &mut self,
        owner: Op,
        block: Block,
        arguments: Vec<RtValue>,
    ) -> Result<Vec<RtValue>, Fault> {
        if self.nesting >= NESTED_REGIONS {
            return Err(self.error(owner, "regions of reductions and atomics are nested too deep"));
        }
        self.nesting += 1;
        let outcome = self.start(owner, block, arguments);
        self.nesting -= 1;
        match outcome? {
            Outcome::Finished(values) => Ok(values),
            Outcome::Suspended(pending) => {
                Err(self.error(pending.op, "cannot wait for other threads inside this region"))
            }
        }
    }

    /// Goes on until the latest `Entry` frame is left or the fiber has to wait.
    pub(crate) fn execute(&mut self) -> Result<Outcome, Fault> {
        loop {
            let Some(frame) = self.fiber.frames.last_mut() else {
                return Ok(Outcome::Finished(Vec::new()));
            };
            let owner = frame.owner;
            let Some(op) = frame.next else {
                return Err(self.error(owner, "has a block that ends without a terminator"));
            };
            frame.next = self.ir.next_op(op);
            self.fiber.current = Some(op);
            self.spend(op, 1)?;
            let Some(handler) = self.handlers[self.ir.op_name(op)] else {
                return Err(self.error(op, "cannot be executed"));
            };
            let flow = (handler.eval)(self, op)?;
            if let Some(outcome) = self.follow(op, flow)? {
                return Ok(outcome);
            }
        }
    }

    /// Counts steps: one for each operation, and one for each element where one operation works
    /// on many.
    pub(crate) fn spend(&mut self, op: Op, steps: u128) -> Result<(), Fault> {
        let total = u128::from(self.steps) + steps;
        match u64::try_from(total).ok().filter(|&total| total <= self.options.step_limit) {
            Some(total) => {
                self.steps = total;
                Ok(())
            }
            None => {
                let limit = self.options.step_limit;
                Err(self.error(op, format!("the limit of {limit} operations is reached")))
            }
        }
    }

    fn follow(&mut self, op: Op, flow: Flow) -> Result<Option<Outcome>, Fault> {
        let (mut op, mut flow) = (op, flow);
        loop {
            match flow {
                Flow::Next => return Ok(None),
                Flow::Suspend(pending) => return Ok(Some(Outcome::Suspended(pending))),
                Flow::Jump { block, arguments } => {
                    self.bind(op, block, arguments)?;
                    let first = self.ir.first_op(block);
                    if let Some(frame) = self.fiber.frames.last_mut() {
                        frame.next = first;
                    }
                    return Ok(None);
                }
                Flow::Enter { block, arguments, state } => {
                    self.push_frame(op, block, arguments, state)?;
                    return Ok(None);
                }
                Flow::Call { block, arguments } => {
                    self.fiber.activations.push(Default::default());
                    self.push_frame(op, block, arguments, State::Call)?;
                    return Ok(None);
                }
                Flow::Leave(values) => {
                    let Some(frame) = self.fiber.frames.pop() else {
                        return Ok(Some(Outcome::Finished(values)));
                    };
                    if let Some(mark) = frame.stack_mark {
                        self.release_stack(mark);
                    }
                    op = frame.owner;
                    flow = match frame.state {
                        State::Entry => return Ok(Some(Outcome::Finished(values))),
                        State::Call => {
                            self.fiber.activations.pop();
                            self.set_results(op, values)?;
                            Flow::Next
                        }
                        state => {
                            self.fiber.current = Some(op);
                            let resume = self.handlers[self.ir.op_name(op)].and_then(|h| h.resume);
                            match resume {
                                Some(resume) => resume(self, op, state, values)?,
                                None => return Err(self.error(op, "cannot be left")),
                            }
                        }
                    };
                }
            }
        }
    }

    fn push_frame(
        &mut self,
        owner: Op,
        block: Block,
        arguments: Vec<RtValue>,
        state: State,
    ) -> Result<(), Fault> {
        if self.fiber.frames.len() >= self.options.depth_limit {
            let message =
                format!("more than {} nested calls and regions", self.options.depth_limit);
            return Err(self.error(owner, message));
        }
        self.bind(owner, block, arguments)?;
        let is_scope = matches!(state, State::Call | State::Entry)
            || self.ir.has_trait(owner, Traits::ALLOCATION_SCOPE);
        self.fiber.frames.push(Frame {
            owner,
            next: self.ir.first_op(block),
            state,
            stack_mark: is_scope.then_some(self.fiber.stack.len()),
        });
        Ok(())
    }

    fn bind(&mut self, op: Op, block: Block, arguments: Vec<RtValue>) -> Result<(), Fault> {
        let formal = self.ir.arguments(block);
        if formal.len() != arguments.len() {
            let message = format!(
                "passes {} values to a block of {} arguments",
                arguments.len(),
                formal.len()
            );
            return Err(self.error(op, message));
        }
        for (&formal, value) in formal.iter().zip(arguments) {
            self.set(formal, value);
        }
        Ok(())
    }

    fn release_stack(&mut self, mark: usize) {
        while self.fiber.stack.len() > mark {
            if let Some(buffer) = self.fiber.stack.pop() {
                // A program may have released it by hand; that was reported then.
                let _ = self.memory.release(buffer);
            }
        }
    }
}

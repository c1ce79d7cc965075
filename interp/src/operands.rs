//! What values are worth, and the errors of operations that cannot use them.

use std::rc::Rc;

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::{Op, Value};

use crate::fiber::{Flow, State};
use crate::interpreter::{Fault, Interpreter};
use crate::value::{Int, MemRef, Poison, RtValue};

impl Interpreter<'_> {
    /// Sets what a value is worth.
    pub(crate) fn set(&mut self, value: Value, to: RtValue) {
        if let Some(values) = self.fiber.activations.last_mut() {
            values.insert(value, to);
        }
    }

    /// Sets the one result of an operation.
    pub(crate) fn set_result(&mut self, op: Op, value: RtValue) -> Result<Flow, Fault> {
        match *self.ir.results(op) {
            [result] => {
                self.set(result, value);
                Ok(Flow::Next)
            }
            ref results => {
                Err(self.error(op, format!("has {} results instead of one", results.len())))
            }
        }
    }

    /// Sets all results of an operation.
    pub(crate) fn set_results(&mut self, op: Op, values: Vec<RtValue>) -> Result<Flow, Fault> {
        let ir = self.ir;
        let results = ir.results(op);
        if results.len() != values.len() {
            let message = format!("has {} results, but {} were made", results.len(), values.len());
            return Err(self.error(op, message));
        }
        for (&result, value) in results.iter().zip(values) {
            self.set(result, value);
        }
        Ok(Flow::Next)
    }

    /// What a value is worth.
    pub(crate) fn get(&self, value: Value) -> Result<&RtValue, Fault> {
        self.fiber.get(value).ok_or_else(|| match self.fiber.current {
            Some(op) => self.error(op, "uses a value that has not been computed"),
            None => Box::new(Diagnostic::error("a value is used that has not been computed")),
        })
    }

    /// What operand `index` is worth.
    pub(crate) fn operand(&self, op: Op, index: usize) -> Result<&RtValue, Fault> {
        if index >= self.ir.operand_count(op) {
            return Err(self.error(op, format!("has no operand #{index}")));
        }
        self.get(self.ir.operand(op, index))
    }

    /// What values are worth.
    pub(crate) fn get_all(
        &self,
        values: impl IntoIterator<Item = Value>,
    ) -> Result<Vec<RtValue>, Fault> {
        values.into_iter().map(|value| self.get(value).cloned()).collect()
    }

    /// The integer that a value is; something depends on it.
    pub(crate) fn int(&self, op: Op, value: Value) -> Result<Int, Fault> {
        match self.get(value)? {
            RtValue::Int(int) => Ok(*int),
            other => Err(self.wrong_value(op, other, "an integer")),
        }
    }

    /// The `index` that a value is.
    pub(crate) fn index(&self, op: Op, value: Value) -> Result<i64, Fault> {
        // Nothing wider than 64 bits is used as an index.
        self.int(op, value).map(|int| int.signed() as i64)
    }

    /// The numbers that values of type `index` are.
    pub(crate) fn indices(
        &self,
        op: Op,
        values: impl IntoIterator<Item = Value>,
    ) -> Result<Vec<i64>, Fault> {
        values.into_iter().map(|value| self.index(op, value)).collect()
    }

    /// Whether a condition is true.
    pub(crate) fn condition(&self, op: Op, value: Value) -> Result<bool, Fault> {
        Ok(self.int(op, value)?.unsigned() != 0)
    }

    /// The buffer that a value is.
    pub(crate) fn memref(&self, op: Op, value: Value) -> Result<Rc<MemRef>, Fault> {
        match self.get(value)? {
            RtValue::MemRef(memref) => Ok(memref.clone()),
            other => Err(self.wrong_value(op, other, "a buffer")),
        }
    }

    /// The error for a value that an operation cannot use.
    pub(crate) fn wrong_value(&self, op: Op, value: &RtValue, expected: &str) -> Fault {
        match value {
            RtValue::Poison(poison) => self.depends_on(op, poison),
            _ => self.error(op, format!("needs {expected}, but has another value")),
        }
    }

    /// The error for an operation that depends on an undefined value.
    pub(crate) fn depends_on(&self, op: Op, poison: &Poison) -> Fault {
        let mut error =
            self.error(op, format!("undefined behaviour: depends on {}", poison.reason));
        if let Some(place) = self.ir.ctx.place(self.ir.location(poison.op)) {
            error.related.insert(0, (place, "the value comes from here".to_owned()));
        }
        error
    }

    /// The result of undefined behaviour that does no harm until it is used; `otherwise` where the
    /// program is not to be stopped by it.
    pub(crate) fn poison(&self, op: Op, reason: &'static str, otherwise: RtValue) -> RtValue {
        if self.options.strict {
            RtValue::Poison(Poison { op, reason, is_uninitialised: false })
        } else {
            otherwise
        }
    }

    /// An error at an operation.
    pub(crate) fn error(&self, op: Op, message: impl AsRef<str>) -> Fault {
        let place = self.ir.ctx.place(self.ir.location(op));
        let text = format!("'{}' op {}", self.ir.name(op), message.as_ref());
        let mut error = Diagnostic::error(text).at_option(place);
        let calls = self.fiber.frames.iter().rev().filter(|f| matches!(f.state, State::Call));
        for frame in calls.take(8) {
            if let Some(place) = self.ir.ctx.place(self.ir.location(frame.owner)) {
                error = error.related(place, "called from here");
            }
        }
        if let Some(position) = self.fiber.position {
            let text = |[x, y, z]: [i64; 3]| format!("({x}, {y}, {z})");
            error = error.help(format!(
                "in block {}, thread {}",
                text(position.block),
                text(position.thread)
            ));
        }
        Box::new(error)
    }
}

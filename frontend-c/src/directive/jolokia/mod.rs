//! JolokiaC++ (Patel 2014): calls and loops that are tasks of the device, and loops whose iterations are independent; its
//! types and operators become C first ([`language`]).
//!
//! A task's arrays belong to one space, of which host and device each see what is theirs (§3.1.1): what moves between
//! tasks is not what a directive says, but what the task-level data flow graph does (§3.1.3, §4.2.1). So a task is a nest
//! of the compiler's own finding that the program has asked for ([`crate::auto`]): its data stay on the device until the
//! host looks.

pub(crate) mod language;
mod names;
mod statement;
mod suggestion;

pub use names::{LOOP, Name, Support, WORDS};
pub use suggestion::{known, suggestions};

/// A directive as it was written, on one line.
#[derive(Clone, Debug)]
pub struct Directive {
    /// The text behind `#pragma`.
    pub text: String,
}

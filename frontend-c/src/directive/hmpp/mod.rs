//! OpenHMPP: codelets, calls of them, and what moves between; loop directives of device code.
//!
//! A codelet is a function whose body is a region of device code that runs where the call was sent there
//! ([`codelet`]); a callsite sends a call ([`callsite`]). Arguments move at the call, or by directives of their own
//! ([`transfers`]): their memory on the device belongs to the host memory that they have, and stays until the codelet, or
//! its group, lets go of it. `hmppcg` directives divide loops, and ask for steps of the construct's plan ([`loops`]).

mod callsite;
mod codelet;
mod labels;
mod line;
mod loops;
mod names;
mod region;
mod statement;
mod suggestion;
mod transfers;

pub(crate) use labels::Labels;
pub use names::{DIRECTIVES, LOOP_CLAUSES, LOOP_DIRECTIVES, Name, PARAMETERS, PROPERTIES, Support};
pub use suggestion::{known, suggestions};

/// A directive as it was written, on one line.
#[derive(Clone, Debug)]
pub struct Directive {
    /// The text behind `#pragma`.
    pub text: String,
}

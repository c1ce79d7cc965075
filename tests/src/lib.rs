//! The engine of the tests that work on files: what a test file says, how its commands run, and
//! how their output is judged.
//!
//! The tests themselves are the targets of `tests/tests`:
//!
//! - `lit`: the files of `tests/lit` and `tests/golden`, each with its own `RUN:` lines ([`lit`]),
//! - `programs`: C programs compiled by `gpuc` and by the host compiler, which must agree,
//! - `generated`: programs made at random ([`generate`]), which must agree in the same way,
//! - `judges`: what other tools (`ptxas`, `mlir-opt`) say of the text that `gpuc` writes,
//! - `tidy`: the repository itself.

pub mod bench;
pub mod command;
pub mod corpus;
pub mod diff;
pub mod execution;
pub mod filecheck;
pub mod generate;
pub mod lit;
pub mod project;
pub mod rot;
pub mod tools;

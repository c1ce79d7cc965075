//! How the steps of plans are written: parser and printer of each, behind its word.
//!
//! | module | steps |
//! |---|---|
//! | `orders` | layouts of arrays and orders of loops |
//! | `mapping` | who executes iterations |
//! | `tiles` | what is in registers and in memory of the block |

mod mapping;
mod orders;
mod tiles;

use std::fmt;

use gpuc_diagnostics::Diagnostic;

use super::cursor::Cursor;

/// How a step is written behind its word.
pub(super) trait StepText: Sized {
    /// Reads it.
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic>;
    /// Writes it, a blank first.
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    /// Numbers that a search may change.
    fn numbers(&mut self) -> Vec<(&'static str, &mut i64)> {
        Vec::new()
    }
}

const LOOP: &str = "the name of a loop";
const VARIABLE: &str = "the name of a variable";
/// Rounds of a loop in one, at most.
const MOST_ROUNDS: i64 = 256;

//! A checker of textual output after LLVM's FileCheck: directives in comments of a file say what
//! a command's output must hold, in which order.
//!
//! Known are `CHECK:`, `-NEXT`, `-SAME`, `-EMPTY`, `-NOT`, `-DAG`, `-LABEL` and `-COUNT-n` with
//! any prefix, regular expressions `{{...}}`, captures `[[NAME:regex]]` with uses `[[NAME]]`, and
//! the decimal numbers `[[#NAME:]]`, `[[#NAME+1]]`, `[[#]]` and `[[#@LINE-1]]`. As in FileCheck,
//! runs of blanks match each other unless `--strict-whitespace` is given.

mod directive;
mod matcher;
mod options;
mod pattern;

pub use directive::{CheckFile, Directive, Kind, SUFFIXES};
pub use matcher::{Failure, OUTPUT, check};
pub use options::Options;
pub use pattern::Pattern;

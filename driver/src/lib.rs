//! The binaries `gpuc`, `gpuc-opt` and `gpuc-reduce`, named pipelines, compile feedback.
//!
//! | module | holds |
//! |---|---|
//! | [`pipelines`] | every step of the compiler in order: the list to read first |
//! | [`auto`] | `--auto`: nests of plain C that are offloaded |
//! | [`compile`] | one translation unit: C text to PTX and host C |
//! | [`device_code`] | IR and PTX as inputs |
//! | `text` | the preprocessed text of a source |
//! | [`devmath`] | the device math library that is put beside the kernels |
//! | [`cc`] | the command line of `gpuc`: cc's flags, `run`, `tune`, linking |
//! | [`lsp`] | `gpuc lsp`: the language server |
//! | [`opt`] | the command line of `gpuc-opt` |
//! | [`reduce`] | the command line of `gpuc-reduce` |
//! | [`toolchain`] | the host compiler and the runtime library |
//! | [`guides`] | plans and tuning records that a compilation follows |
//! | [`search`] | plans that are expected to take less than the compiler's own |
//! | `failure` | what there is to say of a compilation that stopped |
//! | `wishes` | what directives ask of plans |
//! | [`feedback`] | printing diagnostics and `-Minfo` |
//! | [`output`] | writing files whole or not at all |
//! | [`temporary`] | temporary folders that no signal leaves behind |

// First: its macros take the place of the standard library's in all others.
#[macro_use]
pub mod output;

mod auto;
pub mod cc;
pub mod compile;
pub mod device_code;
pub mod devmath;
mod failure;
pub mod feedback;
pub mod guides;
pub mod lsp;
pub mod opt;
pub mod pipelines;
pub mod reduce;
pub mod search;
pub mod temporary;
mod text;
pub mod toolchain;
mod wishes;

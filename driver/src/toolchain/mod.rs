//! What stands beside the compiler: the host's C compiler and the runtime library.
//!
//! | module | holds |
//! |---|---|
//! | [`host`] | the host compiler: which command it is, running it |
//! | [`runtime`] | the runtime library: where it is, and how a program links it |

pub mod host;
pub mod runtime;

pub use host::HostCompiler;
pub use runtime::{Linkage, RuntimeLibrary};

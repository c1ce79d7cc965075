//! What stands beside the compiler: the host's C compiler and the runtime library.
//!
//! | module | holds |
//! |---|---|
//! | [`caches`] | what is kept on disk for this user |
//! | [`gpus`] | the GPUs of the machine, for which kernels are made where nobody says for which |
//! | [`host`] | the host compiler: which command it is, running it |
//! | [`runtime`] | the runtime library: where it is, and how a program links it |

pub mod caches;
pub mod gpus;
pub mod host;
pub mod runtime;

pub use host::HostCompiler;
pub use runtime::{Linkage, RuntimeLibrary};

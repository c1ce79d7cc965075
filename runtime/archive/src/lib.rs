//! The runtime library as a file that the compiler carries and programs link.
//!
//! A compiler that is copied or installed anywhere has its runtime with it. How the file is made of
//! the library's static build stands in `build.rs`.

/// The runtime library, a static library of one object whose global symbols are the C interface alone.
pub static ARCHIVE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libgpuc_runtime.a"));

/// `openacc.h`, which programs include to call the library.
pub static OPENACC_H: &str = include_str!("../../include/openacc.h");

/// `acc_prof.h`, which tools include to listen to it.
pub static ACC_PROF_H: &str = include_str!("../../include/acc_prof.h");

/// A short name for the contents of [`ARCHIVE`]: 16 hexadecimal digits.
pub const FINGERPRINT: &str = env!("GPUC_RUNTIME_FINGERPRINT");

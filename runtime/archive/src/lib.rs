//! The runtime library as a file that the compiler carries and programs link.
//!
//! A compiler that is copied or installed anywhere has its runtime with it. How the file is made of
//! the library's static build stands in `build.rs`.

/// The runtime library, packed (RFC 1951).
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libgpuc_runtime.a.deflate"));

/// The length of the library.
const BYTES: &str = env!("GPUC_RUNTIME_BYTES");

/// The length of the runtime library in bytes.
pub fn archive_bytes() -> u64 {
    BYTES.parse().unwrap_or(0)
}

/// The runtime library, a static library of one object whose global symbols are the C interface alone.
///
/// # Errors
/// What is carried is damaged.
pub fn archive() -> std::io::Result<Vec<u8>> {
    miniz_oxide::inflate::decompress_to_vec(PACKED).map_err(|error| {
        std::io::Error::other(format!("the compiler's own file is damaged: {error}"))
    })
}

/// `openacc.h`, which programs include to call the library.
pub static OPENACC_H: &str = include_str!("../../include/openacc.h");

/// `acc_prof.h`, which tools include to listen to it.
pub static ACC_PROF_H: &str = include_str!("../../include/acc_prof.h");

/// `jolokia.h`, by which programs in plain C have what JolokiaC++ has beside C.
pub static JOLOKIA_H: &str = include_str!("../../include/jolokia.h");

/// A short name for the contents of the [`archive`]: 16 hexadecimal digits.
pub const FINGERPRINT: &str = env!("GPUC_RUNTIME_FINGERPRINT");

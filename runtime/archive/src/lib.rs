//! The runtime library as a file that the compiler carries and programs link.
//!
//! A compiler that is copied or installed anywhere has its runtime with it. How the file is made of
//! the library's static build stands in `build.rs`.

use std::io::Read;

use lzma_rust2::LzmaReader;

/// The runtime library, packed (LZMA, with a header).
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libgpuc_runtime.a.lzma"));

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
    let mut bytes = Vec::new();
    LzmaReader::new_mem_limit(PACKED, u32::MAX, None)
        .and_then(|mut reader| reader.read_to_end(&mut bytes))
        .map_err(|error| {
            std::io::Error::other(format!("the compiler's own file is damaged: {error}"))
        })?;
    Ok(bytes)
}

/// `openacc.h`, which programs include to call the library.
pub static OPENACC_H: &str = include_str!("../../include/openacc.h");

/// `acc_prof.h`, which tools include to listen to it.
pub static ACC_PROF_H: &str = include_str!("../../include/acc_prof.h");

/// `jolokia.h`, by which programs in plain C have what JolokiaC++ has beside C.
pub static JOLOKIA_H: &str = include_str!("../../include/jolokia.h");

/// A short name for the contents of the [`archive`]: 16 hexadecimal digits.
pub const FINGERPRINT: &str = env!("GPUC_RUNTIME_FINGERPRINT");

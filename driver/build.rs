//! What the linker makes of release builds of the programs: no symbols, which were an eighth of them, and addresses that
//! are known when linking, as those of gcc's own programs. Some 24,000 pointers would else be set, and a hundred pages
//! copied for it, each time that a program starts. The linker is told rather than a profile, so that what the programs are
//! made of is the same for tests and benches.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The profile in which a panic ends the program.
const PANICS_END_IT: &str = "optimized";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=without-unwinding.ld");
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!("cargo::rustc-link-arg-bins=-Wl,--strip-all");
        println!("cargo::rustc-link-arg-bins=-no-pie");
        // Cargo tells build scripts neither the profile nor what it does about panics; the folder is named after it.
        let out = std::env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
        if out.ancestors().nth(3).and_then(Path::file_name) == Some(OsStr::new(PANICS_END_IT))
            && let Ok(folder) = std::env::var("CARGO_MANIFEST_DIR")
        {
            println!("cargo::rustc-link-arg-bins=-Wl,--no-eh-frame-hdr");
            println!("cargo::rustc-link-arg-bins=-Wl,-T,{folder}/without-unwinding.ld");
        }
    }
}

//! Makes of the runtime's static library the one that the compiler carries.
//!
//! The library is a build dependency, so cargo has built it, static form and all, when this runs.
//! That form is some 30 MB, most of it never called, and has the symbols of Rust's standard
//! library in it, which a program that links another library in Rust would have twice. So it is
//! linked once more, into one relocatable object, of which a library is made: what the C interface does not reach is left out,
//! and only the names of that interface stay visible.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use lzma_rust2::{LzmaOptions, LzmaWriter};

/// The beginnings of the names in the C interface: `runtime/include/gpuc_rt.h` and OpenACC's routines.
const INTERFACE: [&str; 3] = ["__gpuc_", "acc_", "omp_"];

/// How hard the library is packed, up to 9.
const LEVEL: u32 = 9;

fn main() -> ExitCode {
    match make() {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("the runtime library: {sentence}");
            ExitCode::FAILURE
        }
    }
}

fn make() -> Result<(), String> {
    println!("cargo::rerun-if-changed=build.rs");
    let library = library()?;
    println!("cargo::rerun-if-changed={}", library.display());
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let names = interface(&library)?;
    let list = folder.join("interface");
    std::fs::write(&list, names.join("\n")).map_err(|e| format!("{}: {e}", list.display()))?;
    let object = folder.join("libgpuc_runtime.o");
    let mut link = Command::new("ld");
    link.args(["-r", "--gc-sections", "--force-group-allocation"]);
    link.args(names.iter().flat_map(|name| ["-u", name]));
    run(link.arg(&library).arg("-o").arg(&object))?;
    let mut strip = Command::new("objcopy");
    // Rust's standard library has LLVM's bitcode beside its code.
    strip.args(["--strip-unneeded", "--remove-section=.llvmbc", "--remove-section=.llvmcmd"]);
    run(strip.arg(format!("--keep-global-symbols={}", list.display())).arg(&object))?;
    let archive = folder.join("libgpuc_runtime.a");
    drop(std::fs::remove_file(&archive));
    run(Command::new("ar").arg("rcsD").arg(&archive).arg(&object))?;
    let bytes = std::fs::read(&archive).map_err(|e| format!("{}: {e}", archive.display()))?;
    // A third of the compiler would be this file; read is it once, when it is written into a cache.
    let packed = packed(&bytes).map_err(|e| format!("packing: {e}"))?;
    let file = folder.join("libgpuc_runtime.a.lzma");
    std::fs::write(&file, packed).map_err(|e| format!("{}: {e}", file.display()))?;
    println!("cargo::rustc-env=GPUC_RUNTIME_BYTES={}", bytes.len());
    println!("cargo::rustc-env=GPUC_RUNTIME_FINGERPRINT={:016x}", fingerprint(&bytes));
    Ok(())
}

/// LZMA with a header, which makes two thirds of what deflate does.
fn packed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let options = LzmaOptions::with_preset(LEVEL);
    let mut writer = LzmaWriter::new_use_header(Vec::new(), &options, Some(bytes.len() as u64))?;
    writer.write_all(bytes)?;
    writer.finish()
}

/// FNV-1a of 64 bits.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The static library. Build scripts lie in `PROFILE/build/PACKAGE`, libraries in `PROFILE/deps`;
/// packages that are not of this workspace (`cargo install --git`) have a hash in their names.
fn library() -> Result<PathBuf, String> {
    let here = std::env::current_exe().map_err(|e| format!("this program's path: {e}"))?;
    let deps = here.ancestors().nth(3).unwrap_or(&here).join("deps");
    let is_ours = |path: &Path| {
        path.extension() == Some(OsStr::new("a"))
            && path.file_stem().is_some_and(|stem| {
                let stem = stem.to_string_lossy();
                stem == "libgpuc_runtime" || stem.starts_with("libgpuc_runtime-")
            })
    };
    let entries = std::fs::read_dir(&deps).map_err(|e| format!("{}: {e}", deps.display()))?;
    entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| is_ours(path))
        .max_by_key(|path| path.metadata().and_then(|m| m.modified()).ok())
        .ok_or_else(|| format!("cargo has left no libgpuc_runtime.a in {}", deps.display()))
}

/// The names of the C interface, sorted.
fn interface(library: &Path) -> Result<Vec<String>, String> {
    let symbols =
        run(Command::new("nm").args(["--defined-only", "--extern-only", "-P"]).arg(library))?;
    let mut names: Vec<String> = symbols
        .lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|name| INTERFACE.iter().any(|prefix| name.starts_with(prefix)))
        .map(str::to_owned)
        .collect();
    names.sort();
    names.dedup();
    if names.is_empty() {
        return Err(format!("{} has none of the interface's functions", library.display()));
    }
    Ok(names)
}

/// Runs one of the binutils, which every C compiler has with it; gives its standard output.
fn run(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("cannot run `{name}` of binutils: {e}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("`{name}` failed: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

//! Files of the repository.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The root of the repository.
pub fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        // Cargo's word at run time comes first: two checkouts may share a target folder.
        let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let package = package.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
        package.parent().map_or_else(|| PathBuf::from("."), Path::to_owned)
    })
}

/// All files below `directory` of the repository, relative to its root and sorted; none where
/// there is no such directory.
pub fn files_below(directory: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![PathBuf::from(directory)];
    while let Some(folder) = pending.pop() {
        let Ok(entries) = std::fs::read_dir(root().join(&folder)) else { continue };
        for entry in entries.flatten() {
            let path = folder.join(entry.file_name());
            if root().join(&path).is_dir() {
                pending.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The files below `directory` that end in one of `extensions`.
pub fn files_with(directory: &str, extensions: &[&str]) -> Vec<PathBuf> {
    let mut files = files_below(directory);
    files.retain(|file| has_extension(file, extensions));
    files
}

/// The C files of the examples, but those that need MPI's headers.
pub fn examples() -> Vec<PathBuf> {
    let mut files = files_with("examples", &["c"]);
    files.retain(|file| {
        let text = std::fs::read_to_string(root().join(file)).unwrap_or_default();
        !text.contains("#include <mpi.h>")
    });
    files
}

/// The options of gpuc that a program is for: those without a pragma are compiled with `--auto`, those of
/// OpenMP with `-fopenmp`, those of OpenHMPP with `-fhmpp`,
/// those of JolokiaC++ with `-fjolokia`.
pub fn options_of(program: &Path) -> &'static [&'static str] {
    let text = std::fs::read_to_string(root().join(program)).unwrap_or_default();
    let head = text.split("*/").next().unwrap_or_default();
    if program.starts_with("tests/openmp") || head.contains("gpuc run -fopenmp") {
        return &["-fopenmp"];
    }
    if program.starts_with("tests/hmpp") || head.contains("gpuc run -fhmpp") {
        return &["-fhmpp"];
    }
    if program.starts_with("tests/jolokia") || head.contains("gpuc run -fjolokia") {
        return &["-fjolokia"];
    }
    match program.starts_with("tests/programs/auto") || head.contains("gpuc run --auto") {
        true => &["--auto=all"],
        false => &[],
    }
}

/// Whether `file` ends in one of `extensions`.
pub fn has_extension(file: &Path, extensions: &[&str]) -> bool {
    file.extension().and_then(|e| e.to_str()).is_some_and(|e| extensions.contains(&e))
}

/// The files that git tracks, relative to the root; all files outside build folders where git
/// does not answer.
pub fn tracked_files() -> Vec<PathBuf> {
    let listed = std::process::Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root())
        .output()
        .ok()
        .filter(|output| output.status.success() && !output.stdout.is_empty());
    let mut files: Vec<PathBuf> = match listed {
        Some(output) => String::from_utf8_lossy(&output.stdout)
            .split_terminator('\0')
            .map(PathBuf::from)
            .collect(),
        None => files_below("")
            .into_iter()
            .filter(|f| !f.iter().any(|part| part == "target" || part == ".git"))
            .collect(),
    };
    // A file deleted but not yet committed is still listed.
    files.retain(|file| root().join(file).is_file());
    files.sort();
    files
}

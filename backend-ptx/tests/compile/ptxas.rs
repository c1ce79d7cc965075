//! ptxas as a judge, where there is one.

use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use super::support::ptx;

/// The targets that everything must assemble for.
pub const TARGETS: [&str; 5] = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"];

/// Where ptxas is: on PATH, or where the project's own copy is put.
pub fn find() -> Option<PathBuf> {
    let tools = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/tools/ptxas");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let candidates = std::env::split_paths(&path).map(|folder| folder.join("ptxas"));
    let found = candidates.chain([tools]).find(|file| file.is_file());
    if found.is_none() {
        eprintln!("skipped: there is no ptxas on PATH or in target/tools");
    }
    found
}

/// Assembles a text; what ptxas reports with `-v`.
pub fn assemble(text: &str, target: &str) -> Option<Result<String, String>> {
    let ptxas = find()?;
    let folder = std::env::temp_dir();
    let name = format!("gpuc-{}-{:?}", std::process::id(), std::thread::current().id());
    let input = folder.join(format!("{}.ptx", name.replace(['(', ')'], "")));
    let mut file = std::fs::File::create(&input).ok()?;
    file.write_all(text.as_bytes()).ok()?;
    let output = Command::new(ptxas)
        .args(["-v", "-arch", target, "-o", "/dev/null"])
        .arg(&input)
        .output()
        .ok()?;
    let _ = std::fs::remove_file(&input);
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    Some(if output.status.success() { Ok(report) } else { Err(report) })
}

/// Compiles for every target and assembles the text.
pub fn accepts(source: &str) {
    for target in TARGETS {
        accepts_for(source, target);
    }
}

/// Compiles for one target and assembles the text.
pub fn accepts_for(source: &str, target: &str) {
    let text = ptx(source, target);
    if let Some(Err(report)) = assemble(&text, target) {
        panic!("{target}: {report}\n{text}");
    }
}

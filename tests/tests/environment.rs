//! Variables of the environment are documented, and what is documented is read.

use std::path::PathBuf;
use std::process::Command;

use gpuc_tests::corpus;
use gpuc_tests::tools::Tools;

/// The tracked sources in Rust.
fn sources() -> impl Iterator<Item = (PathBuf, String)> {
    let files = corpus::tracked_files().into_iter();
    files.filter(|file| corpus::has_extension(file, &["rs"])).filter_map(|file| {
        let text = std::fs::read_to_string(corpus::root().join(&file)).ok()?;
        Some((file, text))
    })
}

/// The variables that the sources ask the environment for are those that the help, the manual page and
/// the documentation list.
#[test]
fn every_variable_is_documented() {
    const FOREIGN: [&str; 4] = ["HOME", "NO_COLOR", "TMPDIR", "XDG_CACHE_HOME"];
    let mut read: Vec<String> = FOREIGN.map(str::to_owned).to_vec();
    for (file, text) in sources() {
        // Tests have variables of their own.
        let mut parts = file.iter();
        let tests =
            parts.any(|part| ["tests", "tests.rs", "fuzz", "xtask"].iter().any(|t| part == *t));
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        // The list itself reads nothing.
        let lists = file.ends_with("arguments/help.rs");
        let names = code.split('"').filter(|word| {
            let plain = |c: char| c.is_ascii_uppercase() || c == '_';
            word.strip_prefix("GPUC_")
                .is_some_and(|rest| !rest.is_empty() && rest.chars().all(plain))
        });
        if !tests && !lists {
            read.extend(
                names
                    .filter(|name| {
                        !["GPUC_RUNTIME_FINGERPRINT", "GPUC_RUNTIME_BYTES"].contains(name)
                    })
                    .map(str::to_owned),
            );
        }
    }
    read.sort();
    read.dedup();
    assert!(read.len() > FOREIGN.len() + 5, "{read:?}");
    let page = std::fs::read_to_string(corpus::root().join("docs/environment.md")).unwrap();
    let help = Command::new(Tools::find().ours("gpuc").unwrap()).arg("--help").output().unwrap();
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let missing: Vec<&String> = read
        .iter()
        .filter(|name| {
            let in_help = *name == "HOME" || help.contains(&format!("\n  {name} "));
            !page.contains(&format!("`{name}`")) || !in_help
        })
        .collect();
    assert!(missing.is_empty(), "in docs/environment.md or `gpuc --help` there is no {missing:?}");
    let stale: Vec<&str> = page
        .split('`')
        .filter(|word| word.starts_with("GPUC_") && !read.iter().any(|name| name == word))
        .collect();
    assert!(stale.is_empty(), "docs/environment.md lists {stale:?}, which nothing reads");
}

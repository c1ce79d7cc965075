//! What the programs are made of may be given away: the licences of all dependencies.

/// Licences under which code may be part of a program that is given away under MIT or Apache-2.0.
const ALLOWED: [&str; 9] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Whether an expression of licences (SPDX) can be met by allowed ones.
fn is_met(expression: &str) -> bool {
    // Without parentheses AND binds stronger; with them they are round alternatives in all that crates write.
    let plain = expression.replace('/', " OR ");
    if plain.contains('(') {
        return plain.split(" AND ").all(|part| is_met(part.trim_matches(['(', ')', ' '])));
    }
    let allowed = |part: &str| ALLOWED.contains(&part.trim());
    plain.split(" OR ").any(|alternative| alternative.split(" AND ").all(allowed))
}

#[test]
fn expressions_are_read() {
    for (expression, met) in [
        ("MIT", true),
        ("MIT/Apache-2.0", true),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0", false),
        ("MIT AND GPL-3.0", false),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("(MIT OR Apache-2.0) AND GPL-3.0", false),
        ("Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT", true),
    ] {
        assert_eq!(is_met(expression), met, "{expression}");
    }
}

#[test]
fn dependencies_may_be_given_away() {
    let mut command = super::stage::cargo(&[
        "metadata",
        "--offline",
        "--locked",
        "--format-version=1",
        "--filter-platform=x86_64-unknown-linux-gnu",
    ]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let refused: Vec<String> = packages
        .iter()
        .filter(|package| !package["license"].as_str().is_some_and(is_met))
        .map(|package| format!("{} ({})", package["name"], package["license"]))
        .collect();
    assert!(packages.len() > 50 && refused.is_empty(), "{refused:?}");
}

/// Crates of which the compiler has two versions, because two of its dependencies want one each, and who wants the older one.
const TWICE: [(&str, &str); 6] = [
    ("bitflags", "lsp-types"),
    ("foldhash", "hashbrown"),
    ("hashbrown", "egg"),
    ("syn", "thiserror-impl"),
    ("thiserror", "egg"),
    ("thiserror-impl", "thiserror"),
];

/// A second version of a crate is built, linked and watched for nothing.
#[test]
fn no_crate_is_there_twice() {
    let arguments = ["tree", "--offline", "--locked", "-d", "-e", "normal", "-p", "gpuc-driver"];
    let mut command = super::stage::cargo(&arguments);
    let output = command.args(["--depth", "0", "--prefix", "none"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let mut names: Vec<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    names.retain(|name| !name.is_empty());
    names.sort_unstable();
    names.dedup();
    let known: Vec<&str> = TWICE.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, known);
}

//! The repository itself: the map is true, files stay small, names mean something, nothing is
//! left unfinished, and no path of somebody's machine is kept.

use std::path::{Path, PathBuf};

use gpuc_tests::corpus;

/// Lines beyond which a source file holds two subjects.
const LONGEST: usize = 800;

/// The tracked files that are text, with their contents.
fn texts(extensions: Option<&[&str]>) -> Vec<(PathBuf, String)> {
    corpus::tracked_files()
        .into_iter()
        .filter(|file| extensions.is_none_or(|known| corpus::has_extension(file, known)))
        .filter_map(|file| {
            let text = std::fs::read_to_string(corpus::root().join(&file)).ok()?;
            Some((file, text))
        })
        .collect()
}

/// Names every line of `files` that `wrong` says something about, and fails if there is one.
fn refuse(files: &[(PathBuf, String)], wrong: impl Fn(&str) -> Option<String>) {
    let mut found = Vec::new();
    for (file, text) in files {
        for (index, line) in text.lines().enumerate() {
            if let Some(sentence) = wrong(line) {
                found.push(format!("{}:{}: {sentence}", file.display(), index + 1));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn documents_name_paths_that_exist() {
    let mut missing = Vec::new();
    for document in ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md"] {
        let Ok(text) = std::fs::read_to_string(corpus::root().join(document)) else {
            missing.push(format!("{document} is missing"));
            continue;
        };
        for name in text.split('`').skip(1).step_by(2).filter(|name| is_path(name)) {
            if !corpus::root().join(name).exists() {
                missing.push(format!("{document} names `{name}`, which is not there"));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    for (document, text) in texts(Some(&["md"])) {
        let folder = corpus::root().join(&document);
        let folder = folder.parent().unwrap_or(corpus::root());
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or_default();
            if !target.contains("://") && !folder.join(target).exists() {
                broken.push(format!("{} links to `{target}`", document.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Whether a word in backticks is meant as a path of the repository: it has a `/`, begins with
/// one of our folders, and holds nothing but the letters of paths.
fn is_path(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    let first = name.split('/').next().unwrap_or_default();
    name.contains('/')
        && name.chars().all(plain)
        && !["target", "", "."].contains(&first)
        && corpus::root().join(first).is_dir()
}

#[test]
fn source_files_stay_small() {
    let long: Vec<String> = texts(Some(&["rs"]))
        .iter()
        .map(|(file, text)| (file, text.lines().count()))
        .filter(|(_, lines)| *lines > LONGEST)
        .map(|(file, lines)| format!("{}: {lines} lines", file.display()))
        .collect();
    assert!(long.is_empty(), "more than {LONGEST} lines, split by subject:\n{}", long.join("\n"));
}

#[test]
fn names_say_what_is_inside() {
    let vague: Vec<PathBuf> = corpus::tracked_files()
        .into_iter()
        .filter(|file| {
            file.iter().any(|part| {
                let stem = Path::new(part).file_stem().unwrap_or_default();
                ["util", "utils", "helper", "helpers", "misc", "common"].iter().any(|v| stem == *v)
            })
        })
        .collect();
    assert!(vague.is_empty(), "names that say nothing: {vague:?}");
}

#[test]
fn nothing_is_left_unfinished() {
    // In two pieces, or this file would name itself.
    let marks = [
        concat!("to", "do!("),
        concat!("unimpl", "emented!("),
        concat!("#[ig", "nore"),
        concat!("should_", "panic"),
        concat!("FIX", "ME"),
    ];
    refuse(&texts(Some(&["rs"])), |line| {
        marks.iter().find(|mark| line.contains(**mark)).map(|mark| format!("holds `{mark}`"))
    });
}

#[test]
fn no_file_holds_a_path_of_a_machine() {
    let homes = ["home", "root", "work", "Users"].map(|name| format!("/{name}/"));
    let begins =
        |before: &str| !before.ends_with(|c: char| c.is_alphanumeric() || "-_./}~".contains(c));
    refuse(&texts(None), |line| {
        homes
            .iter()
            .find(|home| line.match_indices(home.as_str()).any(|(at, _)| begins(&line[..at])))
            .map(|home| format!("holds a path below {home}"))
    });
}

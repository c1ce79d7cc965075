//! The repository itself: the map is true, files stay small, names mean something, nothing is
//! left unfinished, and no path of somebody's machine is kept.

use std::path::{Path, PathBuf};

use gpuc_diagnostics::codes;
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

/// The guides in `docs`, with their texts.
fn guides() -> Vec<(PathBuf, String)> {
    let is_guide = |file: &Path| {
        let name = file.to_string_lossy();
        name.starts_with("docs/add-") || name == "docs/passes.md"
    };
    let guides: Vec<_> =
        texts(Some(&["md"])).into_iter().filter(|(file, _)| is_guide(file)).collect();
    assert!(!guides.is_empty(), "no guide in docs");
    guides
}

#[test]
fn documents_name_paths_that_exist() {
    let mut missing = Vec::new();
    let mut documents = guides();
    for document in ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md"] {
        match std::fs::read_to_string(corpus::root().join(document)) {
            Ok(text) => documents.push((document.into(), text)),
            Err(_) => missing.push(format!("{document} is missing")),
        }
    }
    for (document, text) in documents {
        let document = document.display();
        for name in text.split('`').skip(1).step_by(2).filter(|name| is_path(name)) {
            if !corpus::root().join(name).exists() {
                missing.push(format!("{document} names `{name}`, which is not there"));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// What of `text` is not in `file` as it stands there: the first line of the first part that is
/// not. A line `...` leaves out lines of the file; how deep a part is indented does not matter.
fn missing_part<'a>(text: &'a [&'a str], file: &str) -> Option<&'a str> {
    let lines: Vec<&str> = file.lines().collect();
    let mut at = 0;
    for part in text.split(|line| line.trim() == "...").filter(|part| !part.is_empty()) {
        let found = (at..=lines.len().saturating_sub(part.len())).find(|&start| {
            lines.get(start..start + part.len()).is_some_and(|there| same_lines(part, there))
        });
        at = match found {
            Some(start) => start + part.len(),
            None => return part.first().copied(),
        };
    }
    None
}

/// Whether lines are the same but for one indentation of all.
fn same_lines(a: &[&str], b: &[&str]) -> bool {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let shift = |a: &str, b: &str| depth(a) as isize - depth(b) as isize;
    let filled = || a.iter().zip(b).filter(|(a, _)| !a.trim().is_empty());
    let first = filled().next().map(|(a, b)| shift(a, b));
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| a.trim() == b.trim())
        && filled().all(|(a, b)| Some(shift(a, b)) == first)
}

/// Code in a guide is code of ours: the line in front of each block ends by naming the file that
/// it is in, and there it is. Only commands need no file.
#[test]
fn code_in_guides_is_in_the_files_they_name() {
    let mut wrong = Vec::new();
    for (document, text) in guides() {
        let lines: Vec<&str> = text.lines().collect();
        let mut at = 0;
        let mut blocks = 0;
        while let Some(start) = (at..lines.len()).find(|&line| lines[line].starts_with("```")) {
            let end = (start + 1..lines.len()).find(|&line| lines[line] == "```");
            let end = end.unwrap_or(lines.len());
            at = end + 1;
            if lines[start] == "```sh" {
                continue;
            }
            blocks += 1;
            let here = format!("{}:{}", document.display(), start + 1);
            let before = lines[..start].iter().rev().find(|line| !line.is_empty());
            let named = before.and_then(|line| line.strip_suffix("`:")?.rsplit('`').next());
            let file =
                named.and_then(|name| std::fs::read_to_string(corpus::root().join(name)).ok());
            match file {
                None => wrong.push(format!("{here}: the line in front names no file of ours")),
                Some(file) => wrong.extend(
                    missing_part(&lines[start + 1..end], &file)
                        .map(|part| format!("{here}: not in the file as it stands here: {part}")),
                ),
            }
        }
        assert!(blocks > 0, "{} shows no code", document.display());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_part_that_differs_is_found() {
    let file = "fn f() {\n    g();\n    h();\n}\n";
    for (text, missing) in [
        ("fn f() {\n    g();", None),
        ("g();\nh();", None),
        ("fn f() {\n...\n}", None),
        ("g();\n    h();", Some("g();")),
        ("g();\n}", Some("g();")),
        ("h();\n...\ng();", Some("g();")),
    ] {
        let text: Vec<&str> = text.lines().collect();
        assert_eq!(missing_part(&text, file), missing, "{text:?}");
    }
}

/// A file whose doc comment opens with a table of modules names every module that it declares.
#[test]
fn tables_of_modules_are_whole() {
    let mut tables = 0;
    let mut missing = Vec::new();
    for (file, text) in texts(Some(&["rs"])) {
        let doc: String = text.lines().take_while(|line| line.starts_with("//!")).collect();
        if !doc.contains("| module |") {
            continue;
        }
        tables += 1;
        let mut tests_only = false;
        for line in text.lines() {
            let name = line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod ");
            if let Some(name) = name.and_then(|rest| rest.strip_suffix(';'))
                && !tests_only
                // Where something else has the name too, a link says which is meant.
                && !doc.contains(&format!("`{name}`"))
                && !doc.contains(&format!("`mod@{name}`"))
            {
                missing.push(format!("{}: `{name}`", file.display()));
            }
            tests_only = line == "#[cfg(test)]";
        }
    }
    assert!(tables > 0, "no table of modules");
    assert!(missing.is_empty(), "not in the table of the file:\n{}", missing.join("\n"));
}

#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    for (document, text) in texts(Some(&["md"])) {
        let folder = corpus::root().join(&document);
        let folder = folder.parent().unwrap_or(corpus::root());
        let mut in_code = false;
        let prose: String = text
            .lines()
            .filter(|line| {
                in_code ^= line.starts_with("```");
                !in_code
            })
            .collect();
        for link in prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or_default();
            if !target.contains("://") && !folder.join(target).exists() {
                broken.push(format!("{} links to `{target}`", document.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// The headings of a document as the parts of links that name them.
fn anchors(text: &str) -> Vec<String> {
    let mut in_code = false;
    let headings = text.lines().filter(|line| {
        in_code ^= line.starts_with("```");
        !in_code && line.starts_with('#')
    });
    let slug = |heading: &str| {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(slug).collect()
}

#[test]
fn links_lead_to_headings() {
    let mut broken = Vec::new();
    for (document, text) in texts(Some(&["md"])) {
        let folder = document.parent().unwrap_or(Path::new(""));
        let mut in_code = false;
        let prose: String = text
            .lines()
            .filter(|line| {
                in_code ^= line.starts_with("```");
                !in_code
            })
            .collect();
        for link in prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let Some((target, anchor)) = link.split_once('#') else { continue };
            let file = if target.is_empty() { document.clone() } else { folder.join(target) };
            if target.contains("://") || file.extension().is_none_or(|e| e != "md") {
                continue;
            }
            let text = std::fs::read_to_string(corpus::root().join(&file)).unwrap_or_default();
            if !anchors(&text).iter().any(|known| known == anchor) {
                broken.push(format!("{} links to `{link}`", document.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert_eq!(anchors("# A `b` c: d!\n```\n# no\n```\n## E_f"), ["a-b-c-d", "e_f"]);
}

/// The book has every page once, and no other; its summary is of the form that mdBook reads.
#[test]
fn every_page_is_in_the_book() {
    let read = |name: &str| std::fs::read_to_string(corpus::root().join(name)).unwrap();
    assert!(read("book.toml").contains("\nsrc = \"docs\"\n"));
    let mut listed = Vec::new();
    for line in read("docs/SUMMARY.md").lines().filter(|line| !line.is_empty()) {
        let entry = line.trim_start_matches("- ").strip_prefix('[').and_then(|entry| {
            let (title, page) = entry.strip_suffix(')')?.split_once("](")?;
            (!title.is_empty()).then(|| page.to_owned())
        });
        match entry {
            Some(page) => listed.push(page),
            None => assert!(line.starts_with("# "), "{line}"),
        }
    }
    let mut pages: Vec<String> = texts(Some(&["md"]))
        .iter()
        .filter_map(|(file, _)| Some(file.strip_prefix("docs").ok()?.display().to_string()))
        .filter(|page| page != "SUMMARY.md")
        .collect();
    listed.sort();
    pages.sort();
    assert_eq!(listed, pages);
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

#[test]
fn every_code_is_given_to_a_message() {
    const TABLE: &str = "diagnostics/src/codes.rs";
    let sources = texts(Some(&["rs"]));
    let unused: Vec<_> = codes::ALL
        .iter()
        .map(|known| known.constant)
        .filter(|name| {
            let used = format!("codes::{name}");
            !sources.iter().any(|(file, text)| !file.starts_with(TABLE) && text.contains(&used))
        })
        .collect();
    assert!(unused.is_empty(), "no message has the codes {unused:?}");
    let written: Vec<_> = sources
        .iter()
        .filter(|(file, text)| !file.starts_with(TABLE) && text.contains("code(\"GPUC"))
        .map(|(file, _)| file.display().to_string())
        .collect();
    assert!(written.is_empty(), "codes that the table does not hold: {written:?}");
}

//! Runs the files of `tests/lit` and `tests/golden`; see `gpuc_tests::lit` for what they say.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gpuc_tests::corpus;
use gpuc_tests::lit::{EXTENSIONS, TestFile};
use gpuc_tests::tools::Tools;
use libtest_mimic::{Arguments, Failed, Trial};

const FOLDERS: [&str; 2] = ["tests/lit", "tests/golden"];

fn main() {
    let arguments = Arguments::from_args();
    let tools = Arc::new(Tools::find());
    let mut skipped: BTreeSet<String> = BTreeSet::new();
    let mut trials = Vec::new();
    for folder in FOLDERS {
        for path in corpus::files_with(folder, &EXTENSIONS) {
            trials.push(file_trial(&path, &tools, &mut skipped));
        }
    }
    let orphans = orphans();
    trials.push(Trial::test("every expected output has its test", move || {
        if orphans.is_empty() { Ok(()) } else { Err(Failed::from(orphans.join("\n"))) }
    }));
    let conclusion = libtest_mimic::run(&arguments, trials);
    for line in skipped {
        println!("skipped: {line}");
    }
    conclusion.exit();
}

fn file_trial(path: &Path, tools: &Arc<Tools>, skipped: &mut BTreeSet<String>) -> Trial {
    let name = path.to_string_lossy().into_owned();
    let test = match TestFile::read(path) {
        Ok(test) => test,
        Err(why) => return Trial::test(name, || Err(Failed::from(why))),
    };
    let missing = test.missing(tools).join(" and ");
    if !missing.is_empty() {
        skipped.insert(format!("{name}: {missing} was not found"));
    }
    let tools = tools.clone();
    Trial::test(name, move || test.run(&tools).map_err(Failed::from))
        .with_ignored_flag(!missing.is_empty())
}

/// Files in the test folders that belong to no test: an `.expected` whose test is gone, a file
/// whose extension nothing reads. Headers are there to be included.
fn orphans() -> Vec<String> {
    let known = |path: &PathBuf| {
        if corpus::has_extension(path, &EXTENSIONS) || corpus::has_extension(path, &["h", "md"]) {
            return true;
        }
        let name = path.to_string_lossy();
        let of_test = |extension: &&str| {
            let test = name.find(&format!(".{extension}.")).map(|at| at + extension.len() + 1);
            test.is_some_and(|end| corpus::root().join(&name[..end]).is_file())
        };
        name.ends_with(".expected") && EXTENSIONS.iter().any(of_test)
    };
    FOLDERS
        .iter()
        .flat_map(|folder| corpus::files_below(folder))
        .filter(|path| !known(path))
        .map(|path| format!("{} belongs to no test", path.display()))
        .collect()
}

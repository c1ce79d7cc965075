//! The steps that judge the tree.

use std::path::PathBuf;
use std::process::Command;

use crate::dist;
use crate::provision::{self, on_path};
use crate::stage::{Summary, cargo, root, target};

/// What the file tests run: the compiler, with the library that compiled programs link in it.
const BINARIES: [&str; 2] = ["-p", "gpuc-driver"];

/// Everything, or with `quick` what usually breaks; with `filter` only tests of such a name.
pub fn test(summary: &mut Summary, quick: bool, filter: Option<&str>) {
    provision::all(summary);
    if filter.is_none() {
        format_check(summary);
        if !quick {
            clippy(summary);
            advisories(summary);
            // Of ours alone, and without code: 45 s of processor time where the lints have been.
            documentation(summary);
        }
    }
    let mut built = summary.run("build release binaries", build(true));
    if !quick {
        built &= summary.run("build debug binaries", build(false));
    }
    unit_tests(summary, filter);
    if filter.is_none() {
        summary.run("doc tests", cargo(&["test", "-q", "--doc", "--workspace", "--no-fail-fast"]));
    }
    if built {
        // As a user installs it; what is built already is not built again.
        let installs = filter.is_none() && summary.run("install", install());
        if filter.is_none() {
            dist::packages(summary, &dist::Form::ALL, dist::Profile::Release);
        }
        file_tests(summary, quick, filter, installs);
    } else {
        summary.skip("file tests", "the binaries were not built");
    }
    if filter.is_none() && !quick {
        accuracy(summary);
    }
}

/// Writes expected output anew.
pub fn bless(summary: &mut Summary, filter: Option<&str>) {
    if summary.run("build release binaries", build(true)) {
        let mut command = cargo(&["test", "-q", "-p", "gpuc-tests", "--test", "lit", "--"]);
        command.args(filter).env("GPUC_BLESS", "1").env("GPUC_BIN_DIR", target().join("release"));
        summary.run("bless", command);
    }
}

/// Runs the criterion benches.
pub fn bench(summary: &mut Summary, filter: Option<&str>) {
    let mut command = cargo(&["bench", "-p", "gpuc-benches", "--"]);
    command.args(filter);
    summary.run("benches", command);
}

/// Formats all sources.
pub fn format(summary: &mut Summary) {
    summary.run("format", cargo(&["fmt", "--all"]));
}

/// Format check and lints.
pub fn lint(summary: &mut Summary) {
    format_check(summary);
    clippy(summary);
    advisories(summary);
}

fn format_check(summary: &mut Summary) {
    summary.run("format check", cargo(&["fmt", "--all", "--check"]));
}

fn clippy(summary: &mut Summary) {
    let arguments = ["clippy", "-q", "--workspace", "--all-targets", "--", "-D", "warnings"];
    summary.run("clippy", cargo(&arguments));
}

/// The crates' documentation and the book, in which no link leads nowhere: the book's are a test (`tests/tests/tidy.rs`),
/// whether there is what renders it or not.
pub fn documentation(summary: &mut Summary) {
    let mut command = cargo(&["doc", "-q", "--workspace", "--no-deps", "--document-private-items"]);
    // It is for those who work on the crates, and holds what is private: links there are links.
    command.env("RUSTDOCFLAGS", "-D warnings -A rustdoc::private_intra_doc_links");
    summary.run("documentation of the crates", command);
    match on_path(&["mdbook"]) {
        Some(mdbook) => {
            let mut command = Command::new(mdbook);
            command.arg("build").current_dir(root());
            summary.run("book", command);
        }
        None => summary.skip("book", "mdbook is not installed"),
    }
}

/// What is known of dependencies: advisories need cargo-deny and its data base. Licences and duplicates are tests beside this
/// (`licences.rs`), which need nothing.
fn advisories(summary: &mut Summary) {
    let name = "advisories on dependencies";
    if !cargo(&["deny", "--version"]).output().is_ok_and(|output| output.status.success()) {
        return summary.skip(name, "cargo-deny is not installed");
    }
    summary.run(name, cargo(&["deny", "check", "advisories", "sources"]));
}

fn build(release: bool) -> Command {
    let mut command = cargo(&["build", "-q"]);
    command.args(release.then_some("--release")).args(BINARIES);
    command
}

/// The tests beside the code; the crate `gpuc-tests` has its own step.
fn unit_tests(summary: &mut Summary, filter: Option<&str>) {
    let nextest = cargo(&["nextest", "--version"]).output();
    let mut command = if nextest.is_ok_and(|output| output.status.success()) {
        cargo(&[
            "nextest",
            "run",
            "--no-fail-fast",
            "--no-tests=pass",
            "--status-level=fail",
            "--final-status-level=fail",
            "--show-progress=none",
            "--cargo-quiet",
        ])
    } else {
        cargo(&["test", "-q", "--no-fail-fast", "--lib", "--bins", "--tests"])
    };
    command.args(["--workspace", "--exclude", "gpuc-tests"]).args(filter);
    summary.run("unit tests", command);
}

/// The folder of an installation.
fn installation() -> PathBuf {
    target().join("installed")
}

fn install() -> Command {
    let mut command = cargo(&["install", "--quiet", "--locked", "--offline", "--force"]);
    command.args(["--path", "driver", "--root"]).arg(installation());
    command
}

fn file_tests(summary: &mut Summary, quick: bool, filter: Option<&str>, installs: bool) {
    let builds = if quick { &["release"][..] } else { &["release", "debug"] };
    let folders = builds.iter().map(|build| target().join(build));
    // A folder with a colon in its name cannot be handed over; cargo refuses such a target, too.
    let folders = std::env::join_paths(folders).unwrap_or_default();
    let mut command = cargo(&["test", "-q", "-p", "gpuc-tests", "--no-fail-fast", "--"]);
    command.args(filter).env("GPUC_BIN_DIR", folders);
    if installs {
        command.env("GPUC_INSTALLED", installation());
    }
    summary.run("file tests, programs, judges", command);
}

/// The device math against higher precision.
fn accuracy(summary: &mut Summary) {
    let name = "accuracy of device math";
    if on_path(&["make"]).is_none() {
        return summary.skip(name, "make was not found");
    }
    let mut make = Command::new("make");
    make.args(["-C", "devmath/accuracy", "quick"]).current_dir(root());
    make.arg(format!("BUILD={}", target().join("devmath").display()));
    summary.run(name, make);
}

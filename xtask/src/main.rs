//! The project's own chores: `cargo xtask COMMAND`.
//!
//! `test` is the one command that says whether a tree is good; CI runs nothing else.

mod checks;
mod dist;
#[cfg(test)]
mod licences;
mod papers;
mod projects;
mod provision;
mod stage;

use std::process::ExitCode;

use stage::Summary;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test [--quick] [FILTER]  everything: format, lints, unit, doc and file tests, outside judges,
                           accuracy of the device math; --quick leaves out lints, debug binaries
                           and accuracy, FILTER keeps the tests whose name holds it
  bless [FILTER]           write the expected output of the golden tests anew
  fmt                      format all sources
  lint                     format check, clippy, advisories on dependencies (cargo-deny)
  doc                      the crates' documentation, where every warning is an error, and the
                           book, where mdbook is installed
  bench [FILTER]           criterion benches
  papers [PAPER]           run the programs of papers, or of one, on the simulator, and write
                           benches/papers/REPORT.md and its plots
  projects [NAME]          build programs of the distribution's source packages with CC=gpuc, and run
                           their own tests; needs apt-get and the network
  dist [--deb] [--wheel] [--optimized]
                           pack compiler, runtime library, manual page and documentation into a
                           tarball in target/dist; --deb makes a Debian package of it as well,
                           --wheel a Python wheel; --optimized links it as a whole, which takes
                           ten minutes of processor time and makes it faster and a third
                           smaller
  provision                get ptxas and mlir-opt, as far as this machine allows
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut summary = Summary::default();
    let wanted = match words.as_slice() {
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        [command, rest @ ..] => run(command, rest, &mut summary),
        [] => Err("a command is missing".to_owned()),
    };
    if let Err(sentence) = wanted {
        eprint!("xtask: {sentence}\n\n{USAGE}");
        return ExitCode::from(2);
    }
    summary.print();
    if summary.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(command: &str, rest: &[&str], summary: &mut Summary) -> Result<(), String> {
    let known: &[&str] = match command {
        "test" => &["--quick"],
        "dist" => &["--deb", "--wheel", dist::OPTIMIZED],
        _ => &[],
    };
    let (flags, filter) = one_filter(rest, known)?;
    match (command, filter) {
        ("test", _) => checks::test(summary, !flags.is_empty(), filter),
        ("bless", _) => checks::bless(summary, filter),
        ("bench", _) => checks::bench(summary, filter),
        ("fmt", None) => checks::format(summary),
        ("lint", None) => checks::lint(summary),
        ("doc", None) => checks::documentation(summary),
        ("provision", None) => provision::all(summary),
        ("papers", _) => papers::report(summary, filter)?,
        ("projects", _) => projects::run(summary, filter),
        ("dist", None) => {
            let wanted = |form: &dist::Form| flags.contains(&form.flag());
            let forms: Vec<_> = dist::Form::ALL.into_iter().filter(wanted).collect();
            dist::packages(summary, &forms, dist::Profile::of(flags.contains(&dist::OPTIMIZED)));
        }
        ("fmt" | "lint" | "doc" | "provision" | "dist", Some(word)) => {
            return Err(format!("{command} takes no argument `{word}`"));
        }
        _ => return Err(format!("unknown command `{command}`")),
    }
    Ok(())
}

/// The flags of `words` that are among `known`, and at most one other word, a filter of names.
fn one_filter<'a>(
    words: &[&'a str],
    known: &[&str],
) -> Result<(Vec<&'a str>, Option<&'a str>), String> {
    let (flags, rest): (Vec<&str>, Vec<&str>) = words.iter().partition(|w| w.starts_with('-'));
    if let Some(unknown) = flags.iter().find(|flag| !known.contains(flag)) {
        return Err(format!("unknown option `{unknown}`"));
    }
    match rest.as_slice() {
        [] => Ok((flags, None)),
        [filter] => Ok((flags, Some(filter))),
        _ => Err("at most one FILTER is taken".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::one_filter;

    #[test]
    fn arguments_are_sorted() {
        let quick = ["--quick"];
        assert_eq!(one_filter(&["--quick", "sgemm"], &quick), Ok((vec!["--quick"], Some("sgemm"))));
        assert_eq!(one_filter(&[], &quick), Ok((vec![], None)));
        assert!(one_filter(&["--quikc"], &quick).is_err());
        assert!(one_filter(&["a", "b"], &quick).is_err());
    }

    /// What the runtime needs with other features as a build dependency than elsewhere is built twice, and so is
    /// the runtime; both shared libraries would be one file. Cargo's plan says it, to who may see what is unstable.
    #[test]
    fn the_runtime_is_built_once() {
        let mut command = super::stage::cargo(&["build", "--offline", "--release", "--workspace"]);
        command.args(["--unit-graph", "-Zunstable-options"]).env("RUSTC_BOOTSTRAP", "1");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let plan: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let units = plan["units"].as_array().unwrap();
        let is_runtime = |unit: &&serde_json::Value| {
            unit["target"]["name"] == "gpuc_runtime" && unit["mode"] == "build"
        };
        assert_eq!(units.iter().filter(is_runtime).count(), 1);
    }
}

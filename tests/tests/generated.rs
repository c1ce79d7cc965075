//! Programs made at random: compiled by `gpuc` and run on the simulator, and compiled by the host
//! compiler without their directives, they print the same.
//!
//! `GPUC_GENERATED=FROM-TO` runs other seeds than the few of every test run.

use std::path::{Path, PathBuf};
use std::process::Command;

use gpuc_tests::execution::{self, End, Outcome};
use gpuc_tests::tools::{self, Tools};
use gpuc_tests::{corpus, generate};
use libtest_mimic::{Arguments, Failed, Trial};

/// The seeds to run, as `FROM-TO`.
const SEEDS: &str = "GPUC_GENERATED";

/// The seeds of a usual run.
const USUAL: (u64, u64) = (1, 40);

fn main() {
    let arguments = Arguments::from_args();
    let tools = Tools::find();
    let (from, to) = std::env::var(SEEDS).ok().and_then(|text| seeds(&text)).unwrap_or(USUAL);
    let folder: PathBuf = tools.folders().next().map(|(_, f)| f.to_owned()).unwrap_or_default();
    let trials = (from..=to)
        .map(|seed| {
            let folder = folder.clone();
            Trial::test(format!("seed {seed}"), move || check(&folder, seed).map_err(Failed::from))
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn seeds(text: &str) -> Option<(u64, u64)> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    Some((from.parse().ok()?, to.parse().ok()?))
}

fn check(folder: &Path, seed: u64) -> Result<(), String> {
    let temporary = tempfile::tempdir().map_err(|e| format!("no temporary folder: {e}"))?;
    let (source, host) = (temporary.path().join("program.c"), temporary.path().join("host"));
    let gpuc = tools::ours_in(folder, "gpuc")?;
    std::fs::write(&source, generate::program(seed)).map_err(|e| format!("cannot write: {e}"))?;
    let mut compile = Command::new(tools::host_compiler());
    compile.args(["-O1", "-w", "-ffp-contract=off", "-o"]).arg(&host).arg(&source).arg("-lm");
    succeed("the host compiler", &mut compile)?;
    let expected = succeed("the host program", &mut Command::new(&host))?.text();
    let mut run = Command::new(gpuc);
    run.args(["run", "--device=sim", "-ffp-contract=off"])
        .arg(&source)
        .env("TMPDIR", temporary.path());
    let actual = succeed("gpuc run", &mut run)?.text();
    generate::agree(&expected, &actual)
        .map_err(|lines| format!("host (-) and device (+) print different text:\n{lines}"))
}

fn succeed(what: &str, command: &mut Command) -> Result<Outcome, String> {
    let outcome = execution::run(command.current_dir(corpus::root()), Vec::new(), false)?;
    let sentence = match outcome.end() {
        End::Success => return Ok(outcome),
        End::Refused(code) => format!("failed with status {code}"),
        End::Crashed(how) => how,
    };
    Err(format!("{what} {sentence}\n{}", outcome.tail()))
}

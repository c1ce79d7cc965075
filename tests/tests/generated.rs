//! Programs made at random: compiled by `gpuc` and run on the simulator, and compiled by the host
//! compiler without their directives, they print the same. Nests of plain C run twice: as `kernels` regions, and as
//! what `--auto=all` finds without a directive.
//!
//! `GPUC_GENERATED=FROM-TO` runs other seeds than the few of every test run, `GPUC_GENERATED_NESTS=FROM-TO` other nests;
//! `GPUC_GENERATED_KEPT=FOLDER` keeps the programs of those that fail.

use std::path::{Path, PathBuf};
use std::process::Command;

use gpuc_tests::execution::{self, End, Outcome};
use gpuc_tests::tools::{self, Tools};
use gpuc_tests::{corpus, generate};
use libtest_mimic::{Arguments, Failed, Trial};

/// The seeds to run, as `FROM-TO`.
const SEEDS: &str = "GPUC_GENERATED";
/// The same of nests.
const NESTS: &str = "GPUC_GENERATED_NESTS";
/// A folder to leave the programs of failed seeds in.
const KEPT: &str = "GPUC_GENERATED_KEPT";

/// The seeds of a usual run.
const USUAL: (u64, u64) = (1, 40);

fn main() {
    let arguments = Arguments::from_args();
    let tools = Tools::find();
    let range = |name: &str| std::env::var(name).ok().and_then(|text| seeds(&text));
    // Who asks for seeds of one kind does not want the usual ones of the other.
    let (programs, nests) = match (range(SEEDS), range(NESTS)) {
        (None, None) => (Some(USUAL), Some(USUAL)),
        asked => asked,
    };
    let folder: PathBuf = tools.folders().next().map(|(_, f)| f.to_owned()).unwrap_or_default();
    let mut trials = Vec::new();
    for (kind, range) in [("seed", programs), ("nests", nests)] {
        let Some((from, to)) = range else { continue };
        trials.extend((from..=to).map(|seed| {
            let folder = folder.clone();
            let run = move || {
                let (program, ways): (String, &[&[&str]]) = match kind {
                    "seed" => (generate::program(seed), &[&[]]),
                    _ => (generate::nests(seed), &[&["-DDIRECTIVES"], &["--auto=all"]]),
                };
                check(&folder, &program, ways).inspect_err(|_| keep(kind, seed, &program))
            };
            Trial::test(format!("{kind} {seed}"), move || run().map_err(Failed::from))
        }));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn seeds(text: &str) -> Option<(u64, u64)> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    Some((from.parse().ok()?, to.parse().ok()?))
}

fn keep(kind: &str, seed: u64, program: &str) {
    if let Some(folder) = std::env::var_os(KEPT) {
        let path = Path::new(&folder).join(format!("{kind}-{seed}.c"));
        std::fs::write(path, program).expect("the folder for failed programs can be written to");
    }
}

/// Whether a program prints what the host compiler's does, compiled with each of several lists of options.
fn check(folder: &Path, program: &str, ways: &[&[&str]]) -> Result<(), String> {
    let temporary = tempfile::tempdir().map_err(|e| format!("no temporary folder: {e}"))?;
    let (source, host) = (temporary.path().join("program.c"), temporary.path().join("host"));
    let gpuc = tools::ours_in(folder, "gpuc")?;
    std::fs::write(&source, program).map_err(|e| format!("cannot write: {e}"))?;
    let mut compile = Command::new(tools::host_compiler());
    compile.args(["-O1", "-w", "-ffp-contract=off", "-o"]).arg(&host).arg(&source).arg("-lm");
    succeed("the host compiler", &mut compile)?;
    let expected = succeed("the host program", &mut Command::new(&host))?.text();
    for options in ways {
        let mut run = Command::new(&gpuc);
        run.args(["run", "--device", &tools::device(), "-ffp-contract=off"])
            .args(*options)
            .arg(&source)
            .env("TMPDIR", temporary.path());
        let actual = succeed(&format!("gpuc run {}", options.join(" ")), &mut run)?.text();
        generate::agree(&expected, &actual).map_err(|lines| {
            let options = options.join(" ");
            format!("host (-) and device (+) print different text with {options}:\n{lines}")
        })?;
    }
    Ok(())
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

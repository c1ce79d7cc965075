//! Runs C programs with `gpuc run` and with the host compiler, and compares.
//!
//! A program of `tests/programs` prints the same text either way, for the target of the tests and for one with copies in
//! the background. An example checks itself and
//! times itself: it must end with success, and print the same lines up to the measured figures;
//! it also runs with all its sizes 0 and 1.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use gpuc_tests::execution::{self, End, Outcome};
use gpuc_tests::tools::{self, Tools};
use gpuc_tests::{corpus, diff};
use libtest_mimic::{Arguments, Failed, Trial};

/// What the programs are run with: a name and the arguments.
const EXAMPLE_RUNS: [(&str, &[&str]); 3] =
    [("default", &[]), ("zeros", &["0", "0", "0"]), ("ones", &["1", "1", "1"])];

/// A target with copies in the background, which tiles are made for in other ways.
const LATER: &str = "sm_90";

/// Whether the run-time library says on the error stream that the device of the tests is in use.
fn is_on_device(errors: &str) -> bool {
    let device = tools::device();
    errors
        .lines()
        .filter_map(|line| line.strip_prefix("gpuc: device 0: "))
        .any(|said| said.starts_with(&device) || said.ends_with(&format!("{device})")))
}

fn main() {
    let arguments = Arguments::from_args();
    let tools = Tools::find();
    let mut trials = Vec::new();
    for (build, folder) in tools.folders() {
        let folders =
            ["tests/programs", "tests/openacc", "tests/openmp", "tests/hmpp", "tests/jolokia"];
        for path in folders.into_iter().flat_map(|folder| corpus::files_with(folder, &["c"])) {
            if build == "release" && tools::device() == "sim" {
                let later = Run { name: LATER, arch: Some(LATER), ..Run::default() };
                trials.push(trial(&build, folder, path.clone(), later));
            }
            trials.push(trial(&build, folder, path, Run::default()));
        }
        for path in corpus::files_below("examples") {
            if path.ends_with("Makefile") {
                let made = path.parent().unwrap_or(&path).to_owned();
                let name = format!("{build} {} [make]", made.display());
                let text = std::fs::read_to_string(corpus::root().join(&path)).unwrap_or_default();
                let by_mpi = text.contains("mpirun");
                let lacks_mpi = by_mpi && !has_mpi();
                if lacks_mpi {
                    println!("skipped: {name}, there is no mpirun and mpicc");
                }
                let folder: Arc<Path> = folder.into();
                let trial =
                    Trial::test(name, move || make(&folder, &made, by_mpi).map_err(Failed::from));
                trials.push(trial.with_ignored_flag(lacks_mpi));
            }
            let is_alone = path.parent() == Some(Path::new("examples"));
            if !is_alone || !corpus::has_extension(&path, &["c"]) {
                continue;
            }
            for (name, sizes) in EXAMPLE_RUNS {
                let run = Run { name, sizes, example: true, ..Run::default() };
                trials.push(trial(&build, folder, path.clone(), run));
            }
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// How a program is run.
#[derive(Clone, Copy)]
struct Run {
    name: &'static str,
    /// The program's arguments.
    sizes: &'static [&'static str],
    example: bool,
    /// The target, if it is not that of the tests.
    arch: Option<&'static str>,
}

impl Default for Run {
    fn default() -> Run {
        Run { name: "default", sizes: &[], example: false, arch: None }
    }
}

fn trial(build: &str, folder: &Path, path: PathBuf, run: Run) -> Trial {
    let folder: Arc<Path> = folder.into();
    let name = format!("{build} {} [{}]", path.display(), run.name);
    Trial::test(name, move || agree(&folder, &path, run).map_err(Failed::from))
}

fn agree(folder: &Path, path: &Path, with: Run) -> Result<(), String> {
    let Run { sizes, example, arch, .. } = with;
    let temporary = tempfile::tempdir().map_err(|e| format!("no temporary folder: {e}"))?;
    let gpuc = tools::ours_in(folder, "gpuc")?;
    let host = temporary.path().join("host");
    let mut compile = Command::new(tools::host_compiler());
    compile.args(["-O2", "-w", "-o"]).arg(&host).arg(path).arg("-lm");
    if corpus::options_of(path).contains(&"-fopenmp") {
        // What the host's compiler does not know, programs leave out for it.
        compile.args(["-fopenmp", "-foffload=disable", "-DNATIVE"]);
    }
    succeed("the host compiler", &mut compile)?;
    let expected = succeed("the host program", Command::new(&host).args(sizes))?.text();

    let mut run = Command::new(gpuc);
    // Examples time themselves; the others run under every checker of the simulator, which must
    // find nothing.
    let device = tools::device();
    match example || device != "sim" {
        true => run.args(["run", "--device", &device]),
        false => run.arg("check"),
    };
    run.args(arch.map(|arch| format!("--arch={arch}")));
    run.args(corpus::options_of(path)).arg(path).arg("--").args(sizes);
    run.env("TMPDIR", temporary.path());
    let outcome = succeed("gpuc run", &mut run)?;
    // Right numbers from the host would say nothing of the compiler.
    let executor = String::from_utf8_lossy(&outcome.errors);
    if !is_on_device(&executor) {
        return Err(format!("gpuc run does not say that it runs on {device}:\n{}", outcome.tail()));
    }
    let actual = outcome.text();
    let (expected, actual) =
        if example { (verdicts(&expected), verdicts(&actual)) } else { (expected, actual) };
    let difference = diff::lines(&expected, &actual);
    if difference.is_empty() {
        return Ok(());
    }
    Err(format!("host (-) and device (+) print different text:\n{difference}"))
}

/// Whether programs of several processes can be made and run here.
fn has_mpi() -> bool {
    ["mpirun", "mpicc"].into_iter().all(|tool| {
        Command::new(tool).arg("--version").output().is_ok_and(|done| done.status.success())
    })
}

/// A program of several files, or processes: made by its Makefile with gpuc and with the host compiler, it says the same.
fn make(folder: &Path, program: &Path, by_mpi: bool) -> Result<(), String> {
    let gpuc = tools::ours_in(folder, "gpuc")?;
    let name = program.file_name().unwrap_or_default();
    let mut said: Vec<String> = Vec::new();
    for compiler in [gpuc.display().to_string(), format!("{} -w", tools::host_compiler().display())]
    {
        let temporary = tempfile::tempdir().map_err(|e| format!("no temporary folder: {e}"))?;
        for file in corpus::files_below(&program.display().to_string()) {
            let to = temporary.path().join(file.file_name().unwrap_or_default());
            std::fs::copy(corpus::root().join(&file), to).map_err(|e| format!("{e}"))?;
        }
        let mut make = Command::new("make");
        make.arg("-C").arg(temporary.path()).arg(format!("CC={compiler}"));
        // Containers run as root, which Open MPI wants to be told twice.
        make.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        let mut run = match by_mpi {
            true => {
                // With the host's compiler there is no header of the devices.
                if !said.is_empty() {
                    said.push(said[0].clone());
                    break;
                }
                make.arg("run");
                make
            }
            false => {
                succeed("make", &mut make)?;
                Command::new(temporary.path().join(name))
            }
        };
        let outcome = succeed("the program", run.env("GPUC_DEVICE", tools::device()))?;
        if by_mpi && !outcome.text().contains(" verified ") {
            return Err(format!("the processes disagree:\n{}", outcome.tail()));
        }
        let is_ours = said.is_empty();
        let errors = String::from_utf8_lossy(&outcome.errors).into_owned();
        if is_ours && !is_on_device(&errors) {
            let device = tools::device();
            return Err(format!(
                "the program does not say that it runs on {device}:\n{}",
                outcome.tail()
            ));
        }
        said.push(verdicts(&outcome.text()));
    }
    let difference = diff::lines(&said[1], &said[0]);
    match difference.is_empty() {
        true => Ok(()),
        false => Err(format!("host (-) and device (+) print different text:\n{difference}")),
    }
}

fn succeed(what: &str, command: &mut Command) -> Result<Outcome, String> {
    let outcome = execution::run(command.current_dir(corpus::root()), Vec::new(), false)?;
    let sentence = match outcome.end() {
        End::Success => return Ok(outcome),
        End::Refused(code) => format!("failed with status {code}"),
        End::Crashed(how) => how,
    };
    Err(format!("{what} {sentence}: {command:?}\n{}", outcome.tail()))
}

/// The lines of an example up to the figures, which differ from run to run.
fn verdicts(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.split(" (").next().unwrap_or(line))).collect()
}

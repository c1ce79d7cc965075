//! What other tools say of the text that gpuc writes for every example and test program: `ptxas`
//! assembles the PTX for each architecture without spilling registers, and `mlir-opt` accepts
//! the levels that are written in its dialects alone, and exchanges bytecode with `gpuc-opt`. The ptx dialect is judged by `gpuc-opt`, which
//! must read it, find it valid, and print it the same.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use gpuc_tests::execution::{self, End, Outcome};
use gpuc_tests::tools::Tools;
use gpuc_tests::{corpus, diff};
use libtest_mimic::{Arguments, Failed, Trial};

const ARCHITECTURES: [&str; 5] = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"];
const LEVELS: [&str; 3] = ["source", "affine", "gpu"];

/// Dialects that mlir-opt does not know: `ptr` not yet in version 19.
const OWN_DIALECTS: [&str; 3] = ["offload", "ptx", "ptr"];

/// Levels and our own dialects in them, with the programs whose text holds those.
type Unjudged = Arc<Mutex<BTreeMap<(&'static str, &'static str), usize>>>;

fn main() {
    let arguments = Arguments::from_args();
    let tools = Arc::new(Tools::find());
    let unjudged = Unjudged::default();
    let mut trials = Vec::new();
    let programs = corpus::examples()
        .into_iter()
        .chain(corpus::files_with("tests/programs", &["c"]))
        .chain(corpus::files_with("tests/openacc", &["c"]))
        .chain(corpus::files_with("tests/openmp", &["c"]))
        .chain(corpus::files_with("tests/hmpp", &["c"]))
        .chain(corpus::files_with("tests/jolokia", &["c"]));
    for path in programs {
        for arch in ARCHITECTURES {
            let (path, judge) = (path.clone(), tools.clone());
            let trial = Trial::test(format!("ptxas {arch} {}", path.display()), move || {
                assemble(&judge, &path, arch).map_err(Failed::from)
            });
            trials.push(trial.with_ignored_flag(tools.outside("ptxas").is_none()));
        }
        let (name, judge) = (path.display().to_string(), tools.clone());
        let program = path.clone();
        trials.push(Trial::test(format!("gpuc-opt ptx-ir {name}"), move || {
            read_back(&judge, &program).map_err(Failed::from)
        }));
        for level in LEVELS {
            let (path, judge, unjudged) = (path.clone(), tools.clone(), unjudged.clone());
            let trial = Trial::test(format!("mlir-opt {level} {}", path.display()), move || {
                accept(&judge, &path, level, &unjudged).map_err(Failed::from)
            });
            trials.push(trial.with_ignored_flag(tools.outside("mlir-opt").is_none()));
        }
    }
    for path in corpus::files_with("tests/lit", &["mlir"]) {
        let (name, tools) = (path.display().to_string(), tools.clone());
        let is_missing = tools.outside("mlir-opt").is_none();
        let trial = Trial::test(format!("mlir-opt bytecode {name}"), move || {
            exchange_bytecode(&tools, &path).map_err(Failed::from)
        });
        trials.push(trial.with_ignored_flag(is_missing));
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    for tool in ["ptxas", "mlir-opt"].iter().filter(|tool| tools.outside(tool).is_none()) {
        println!("skipped: all judgements by {tool}, which was not found");
    }
    let unjudged = unjudged.lock().map(|found| found.clone()).unwrap_or_default();
    for ((level, dialect), programs) in unjudged {
        println!("not judged: level {level} of {programs} programs, which holds dialect {dialect}");
    }
    conclusion.exit();
}

/// What gpuc writes at `level`.
fn emit(tools: &Tools, path: &Path, level: &str, arch: &str) -> Result<Vec<u8>, String> {
    let mut gpuc = Command::new(tools.ours("gpuc")?);
    gpuc.arg(format!("--emit={level}")).arg(format!("--arch={arch}"));
    gpuc.args(corpus::options_of(path)).arg(path).args(["-o", "-"]);
    Ok(succeed(&mut gpuc)?.output)
}

fn succeed(command: &mut Command) -> Result<Outcome, String> {
    let outcome = execution::run(command.current_dir(corpus::root()), Vec::new(), false)?;
    match outcome.end() {
        End::Success => Ok(outcome),
        End::Refused(code) => {
            Err(format!("{command:?} failed with status {code}:\n{}", outcome.tail()))
        }
        End::Crashed(how) => Err(format!("{command:?} {how}:\n{}", outcome.tail())),
    }
}

fn assemble(tools: &Tools, path: &Path, arch: &str) -> Result<(), String> {
    let ptx = emit(tools, path, "ptx", arch)?;
    let temporary = tempfile::tempdir().map_err(|e| format!("no temporary folder: {e}"))?;
    let (input, output) = (temporary.path().join("a.ptx"), temporary.path().join("a.cubin"));
    // What other files have is linked later.
    let calls_others = ptx.split(|&byte| byte == b'\n').any(|line| {
        let line = String::from_utf8_lossy(line);
        line.starts_with(".extern .func") && line.contains("$device(")
    });
    let makes_calls = String::from_utf8_lossy(&ptx).contains("$device(");
    std::fs::write(&input, ptx).map_err(|e| e.to_string())?;
    let ptxas = tools.outside("ptxas").ok_or("ptxas was not found")?;
    let mut command = Command::new(ptxas);
    command.arg("-v").arg(format!("-arch={arch}")).arg(&input).arg("-o").arg(&output);
    if calls_others {
        command.arg("-c");
    }
    let outcome = succeed(&mut command)?;
    let report = format!("{}{}", String::from_utf8_lossy(&outcome.errors), outcome.text());
    // Around calls, registers are saved as the ABI asks.
    let spills = |line: &&str| !makes_calls && spilled_bytes(line) > ALLOWED_SPILL;
    match report.lines().find(spills) {
        Some(line) => Err(format!("ptxas spills registers: {}", line.trim())),
        None => Ok(()),
    }
}

/// Bytes that ptxas may store of registers of its own choice: where one register more than 32 or 128 would cost occupancy, or a
/// plan bounds them for blocks that are to be resident together, it keeps numbers in memory that a loop does not need. On an
/// H100 products of matrices were fastest with 40 such bytes (benches/RESULTS.md).
const ALLOWED_SPILL: u64 = 48;

/// The bytes of spill stores that a line of ptxas tells of.
fn spilled_bytes(line: &str) -> u64 {
    let stores = line.split(", ").find_map(|part| part.trim().strip_suffix(" bytes spill stores"));
    stores.and_then(|bytes| bytes.parse().ok()).unwrap_or(0)
}

fn read_back(tools: &Tools, path: &Path) -> Result<(), String> {
    let text = emit(tools, path, "ptx-ir", "sm_90")?;
    let mut gpuc_opt = Command::new(tools.ours("gpuc-opt")?);
    let outcome = execution::run(gpuc_opt.arg("-"), text.clone(), false)?;
    if outcome.end() != End::Success {
        return Err(format!("gpuc-opt refuses level ptx-ir:\n{}", outcome.tail()));
    }
    let difference = diff::lines(&String::from_utf8_lossy(&text), &outcome.text());
    if difference.is_empty() {
        return Ok(());
    }
    Err(format!("gpuc-opt prints another text than it reads:\n{difference}"))
}

fn accept(
    tools: &Tools,
    path: &Path,
    level: &'static str,
    unjudged: &Unjudged,
) -> Result<(), String> {
    let text = emit(tools, path, level, "sm_90")?;
    if let Some(dialect) = own_dialect(&String::from_utf8_lossy(&text)) {
        if let Ok(mut found) = unjudged.lock() {
            *found.entry((level, dialect)).or_default() += 1;
        }
        return Ok(());
    }
    let mlir_opt = tools.outside("mlir-opt").ok_or("mlir-opt was not found")?;
    let outcome = execution::run(&mut Command::new(mlir_opt), text.clone(), false)?;
    if outcome.end() == End::Success {
        return Ok(());
    }
    Err(format!("mlir-opt refuses level {level}:\n{}", outcome.tail()))
}

/// The pieces of a test that both `mlir-opt` and `gpuc-opt` take are the same to each behind the other's bytecode.
fn exchange_bytecode(tools: &Tools, path: &Path) -> Result<(), String> {
    let theirs = tools.outside("mlir-opt").ok_or("mlir-opt was not found")?;
    let ours = tools.ours("gpuc-opt")?;
    let contents = std::fs::read_to_string(corpus::root().join(path)).map_err(|e| e.to_string())?;
    let bytecode = ["--emit-bytecode"];
    for piece in contents.split("// -----\n") {
        // mlir-opt names this operation's values by locations for which its text has no place.
        if piece.contains("test.polyfor") {
            continue;
        }
        let piece = piece.as_bytes().to_vec();
        // What is to be refused, or is of our dialects, is not for this test.
        let (Ok(written), Ok(_)) =
            (convert(theirs, &bytecode, piece.clone()), convert(&ours, &[], piece))
        else {
            continue;
        };
        // Names that a text gives to values are not in bytecode.
        let text = convert(theirs, &[], written.clone())?;
        let read = convert(&ours, &[], written)?;
        same("mlir-opt's bytecode", &convert(theirs, &[], read)?, &text)?;
        let written = convert(&ours, &bytecode, text.clone())?;
        same("gpuc-opt's bytecode", &convert(theirs, &[], written)?, &text)?;
    }
    Ok(())
}

/// What `mlir-opt` or `gpuc-opt` makes of an input.
fn convert(tool: &Path, options: &[&str], input: Vec<u8>) -> Result<Vec<u8>, String> {
    let mut command = Command::new(tool);
    command.arg("--allow-unregistered-dialect").args(options);
    let outcome = execution::run(&mut command, input, false)?;
    match outcome.end() {
        End::Success => Ok(outcome.output),
        _ => Err(format!("{} {options:?} refuses its input:\n{}", tool.display(), outcome.tail())),
    }
}

fn same(what: &str, read: &[u8], written: &[u8]) -> Result<(), String> {
    let (read, written) = (String::from_utf8_lossy(read), String::from_utf8_lossy(written));
    match diff::lines(&written, &read) {
        difference if difference.is_empty() => Ok(()),
        difference => Err(format!("{what} reads as another text:\n{difference}")),
    }
}

/// The first of our own dialects of which `text` holds an op, a type or an attribute.
fn own_dialect(text: &str) -> Option<&'static str> {
    let holds = |dialect: &&&str| {
        text.match_indices(&format!("{dialect}.")).any(|(at, found)| {
            let before = text[..at].chars().next_back();
            let after = text[at + found.len()..].chars().next();
            before.is_none_or(|c| " \n\t\"=(<,!#".contains(c))
                && after.is_some_and(|c| c.is_ascii_lowercase())
        })
    };
    OWN_DIALECTS.iter().find(holds).copied()
}

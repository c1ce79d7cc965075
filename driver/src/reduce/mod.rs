//! `gpuc-reduce`: makes a file in C, IR or PTX that shows a fault small, as creduce and mlir-reduce do.
//!
//! What the fault is a command says, which succeeds on files that show it. The steps know nothing of languages but
//! lines, brackets, words, numbers and names of values, so that what does not parse costs one run of the command.
//! They repeat until none makes the file smaller. The same file and command give the same result.
//!
//! | module | holds |
//! |---|---|
//! | [`interest`] | the command, run on candidates |
//! | [`list`] | leaving out parts of a list |
//! | [`step`] | the steps: lines, brackets, words, numbers, values |

mod interest;
mod list;
mod step;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, Command, value_parser};
use gpuc_diagnostics::Diagnostic;

use crate::feedback;
use crate::output::{finish, write_atomically};
use interest::Interest;

/// What the command line says.
struct Arguments {
    file: PathBuf,
    test: String,
    output: Option<PathBuf>,
    time_limit: Duration,
    most_runs: u64,
}

fn command() -> Command {
    Command::new("gpuc-reduce")
        .about("Makes a file that shows a fault small")
        .version(env!("CARGO_PKG_VERSION"))
        .after_help(
            "The command runs in a folder of its own, with the file's name in $1, and succeeds where the file still \
             shows the fault. A C file's own headers are not there: preprocess it first (cc -E -P).\n\n\
             gpuc-reduce --test='gpuc -c $1 2>&1 | grep -q \"internal error\"' -o small.c bug.c",
        )
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The file: C, .mlir, .ptx or any other text"),
        )
        .arg(
            Arg::new("test")
                .long("test")
                .value_name("COMMAND")
                .required(true)
                .help("A command of sh that succeeds on files that show the fault"),
        )
        .arg(
            Arg::new("output")
                .short('o')
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Where the result goes, each time it is smaller (default: standard output)"),
        )
        .arg(
            Arg::new("time-limit")
                .long("time-limit")
                .value_name("SECONDS")
                .default_value("20")
                .value_parser(value_parser!(u64).range(1..))
                .help("A command that takes longer has failed"),
        )
        .arg(
            Arg::new("max-runs")
                .long("max-runs")
                .value_name("COUNT")
                .default_value("20000")
                .value_parser(value_parser!(u64).range(1..))
                .help("Stop after so many runs of the command"),
        )
}

/// Runs the tool on command-line arguments.
pub fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let matches = match command().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => {
            let status = error.exit_code();
            if error.use_stderr() {
                let _ = error.print();
            } else {
                print!("{}", error.render());
            }
            return finish(ExitCode::from(status as u8));
        }
    };
    let seconds = matches.get_one("time-limit").copied().unwrap_or(20);
    let arguments = Arguments {
        file: matches.get_one::<PathBuf>("file").cloned().unwrap_or_default(),
        test: matches.get_one::<String>("test").cloned().unwrap_or_default(),
        output: matches.get_one::<PathBuf>("output").cloned(),
        time_limit: Duration::from_secs(seconds),
        most_runs: matches.get_one("max-runs").copied().unwrap_or(u64::MAX),
    };
    match run(&arguments) {
        Ok(()) => finish(ExitCode::SUCCESS),
        Err(error) => ExitCode::from(feedback::fail(&error)),
    }
}

fn run(arguments: &Arguments) -> Result<(), Diagnostic> {
    let shown = arguments.file.display();
    let text = std::fs::read(&arguments.file)
        .map_err(|error| Diagnostic::error(format!("cannot read `{shown}`: {error}")))?;
    let text = String::from_utf8(text)
        .map_err(|_| Diagnostic::error(format!("`{shown}` is not UTF-8 text")))?;
    let mut interest = Interest::new(arguments)?;
    if !interest.shows(&text)? {
        return Err(Diagnostic::error(format!("the command does not succeed on `{shown}` itself"))
            .help("it is run by sh, in a folder of its own, with the file's name in $1"));
    }
    let small = reduce(text.clone(), &mut interest, arguments.output.as_deref())?;
    match &arguments.output {
        Some(output) => write(output, &small)?,
        None => print!("{small}"),
    }
    eprintln!(
        "gpuc-reduce: {} of {} bytes are left, after {} runs of the command{}",
        small.len(),
        text.len(),
        interest.runs,
        if interest.is_over() {
            "; it may become smaller with more of them (--max-runs)"
        } else {
            ""
        }
    );
    Ok(())
}

/// Takes the steps until none helps.
fn reduce(
    mut text: String,
    interest: &mut Interest,
    output: Option<&Path>,
) -> Result<String, Diagnostic> {
    loop {
        let before = text.clone();
        for (name, step) in step::ALL {
            let length = text.len();
            text = step(text, interest)?;
            if text.len() < length {
                eprintln!("gpuc-reduce: {} bytes, after {name}", text.len());
                if let Some(output) = output {
                    write(output, &text)?;
                }
            }
        }
        if text == before || interest.is_over() {
            return Ok(text);
        }
    }
}

fn write(file: &Path, text: &str) -> Result<(), Diagnostic> {
    write_atomically(file, text.as_bytes())
        .map_err(|error| Diagnostic::error(format!("cannot write `{}`: {error}", file.display())))
}

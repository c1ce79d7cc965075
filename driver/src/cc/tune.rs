//! `gpuc tune`: runs a program with other plans, and keeps the fastest in a record.
//!
//! Each construct has its own candidates ([`search`]); one run of the program measures one of every
//! construct, by the time of its kernels: the device's, or that which the simulator's model gives them. A
//! candidate counts only where the program ends well. Of many candidates those are run that are expected to take least
//! ([`gpuc_passes::forecast`]), for sizes with which the launch has the threads that it had in the first run. The
//! record ([`gpuc_passes::plan::tuning`]) is written in one piece, beside what it has of other nests, devices and sizes.

use std::path::Path;
use std::process::{Command, Stdio};

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_frontend_c::preprocess::Preprocessed;
use gpuc_passes::forecast::Sizes;
use gpuc_passes::plan;
use gpuc_passes::plan::text::Plan;
use gpuc_passes::plan::tuning::{self, Record};
use serde_json::Value;

use super::{Arguments, Mode, build};
use crate::compile::{self, Level};
use crate::guides::Guides;
use crate::output::write_atomically;
use crate::search::{self, Nests, Priced};
use crate::temporary::Folder;

/// The record's file where no option names one.
const FILE: &str = "gpuc.tuning";

/// What a run measured of a construct.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Measured {
    seconds: f64,
    /// Threads and blocks of its largest launch.
    threads: i64,
    blocks: i64,
}

/// Candidates beside the compiler's own plan that are run.
const MOST_CANDIDATES: usize = 8;

/// A plan to try.
struct Candidate {
    plan: Plan,
    /// Microseconds that it is expected to take; `None` for the compiler's own.
    expected: Option<f64>,
}

/// Tunes a program; the exit status.
///
/// # Errors
/// There is no one source, it does not run, or the record cannot be written.
pub fn tune(arguments: &Arguments) -> Result<i32, Diagnostic> {
    let [source] = &arguments.sources[..] else {
        return Err(Diagnostic::error("`gpuc tune` takes one C source")
            .help("plans name functions and lines; objects of other files may stand beside it"));
    };
    let folder = Folder::new()?;
    let own = Arguments { plan: None, without_tuning: true, search: false, ..arguments.clone() };
    let opened = crate::text::preprocess(source, true, &own)
        .and_then(|text| Ok((compile::emit_text(text.clone(), &own, Level::Plan)?, text)));
    let (printed, text) = match opened {
        Ok(opened) => opened,
        Err(failure) => return Ok(failure.report(arguments)),
    };
    let plans = plan::text::parse(&printed, "plan")?;
    let file = folder.join("candidate.plan");
    // The compiler's own first; the others are chosen when that has run.
    let own_plan = |plan: &Plan| vec![Candidate { plan: plan.clone(), expected: None }];
    let mut tried: Vec<Vec<Candidate>> = plans.iter().map(own_plan).collect();
    let mut best: Vec<Option<(usize, Measured)>> = vec![None; plans.len()];
    let mut first: Vec<Measured> = vec![Measured::default(); plans.len()];
    let mut device = String::new();
    for run in 0.. {
        if tried.iter().all(|all| all.len() <= run) {
            break;
        }
        let chosen = tried.iter().filter_map(|all| all.get(run).or(all.first()));
        let chosen: Vec<&Plan> = chosen.map(|candidate| &candidate.plan).collect();
        write(&file, &chosen)?;
        let report = match measure(&own, &file, &folder)? {
            Ok(report) => report,
            Err(status) if run == 0 => return Ok(status),
            Err(_) => {
                println!("candidate {run}: the program fails, left out");
                continue;
            }
        };
        let (name, kernels) = read(&report).ok_or_else(|| {
            Diagnostic::error("the report of the run cannot be read").code(codes::TUNING)
        })?;
        device = name;
        for (index, all) in tried.iter().enumerate() {
            let Some(Candidate { plan, expected }) = all.get(run) else { continue };
            let Some(found) = of_line(&kernels, plan.key.line) else { continue };
            if run == 0 {
                first[index] = found;
            }
            if let Some(expected) = expected {
                println!(
                    "{}: candidate {run}, {expected:.3} us expected, {:.3} us",
                    plan.key.kernel(),
                    found.seconds * 1e6
                );
            }
            if best[index].is_none_or(|(_, known)| found.seconds < known.seconds) {
                best[index] = Some((run, found));
            }
        }
        if run == 0 {
            let threads = plans.iter().zip(&first).map(|(plan, first)| (plan, first.threads));
            let further = further(&text, &own, &threads.collect::<Vec<_>>());
            tried.iter_mut().zip(further).for_each(|(all, further)| all.extend(further));
        }
    }
    let name = arguments.tuning.clone().unwrap_or_else(|| FILE.to_owned());
    let mut records = known(&name);
    for (index, plan) in plans.iter().enumerate() {
        let kernel = plan.key.kernel();
        let Some((run, found)) = best[index] else {
            println!("{kernel}: no kernel ran");
            continue;
        };
        let record = Record {
            device: device.clone(),
            class: first[index].threads.max(1).ilog2(),
            time: (found.seconds * 1e9).round() as u64,
            plan: search::kept(plan, &tried[index][run].plan, found.blocks, found.threads),
        };
        println!(
            "{kernel}: {:.3} us as compiled, {:.3} us by candidate {run} of {}, on {device}",
            first[index].seconds * 1e6,
            found.seconds * 1e6,
            tried[index].len()
        );
        for step in &record.plan.steps {
            println!("  {}", step.step);
        }
        records.retain(|other| !other.is_of_same(&record));
        records.push(record);
    }
    write_atomically(Path::new(&name), tuning::text(&records).as_bytes())
        .map_err(|error| Diagnostic::error(format!("cannot write `{name}`: {error}")))?;
    println!("written to {name}");
    Ok(0)
}

/// What the record has already; what is damaged of it goes.
fn known(name: &str) -> Vec<Record> {
    std::fs::read(name).map_or_else(
        |_| Vec::new(),
        |bytes| tuning::parse(&String::from_utf8_lossy(&bytes), name).0,
    )
}

fn write(file: &Path, plans: &[&Plan]) -> Result<(), Diagnostic> {
    let texts: String = plans.iter().map(ToString::to_string).collect();
    std::fs::write(file, plan::text::header() + &texts)
        .map_err(|error| Diagnostic::error(format!("cannot write `{}`: {error}", file.display())))
}

/// The candidates beside the compiler's own plans that are worth a run, the most promising first, for launches of so many threads.
fn further(text: &Preprocessed, own: &Arguments, threads: &[(&Plan, i64)]) -> Vec<Vec<Candidate>> {
    let Ok(nests) = Nests::of(text, own, &Guides::default()) else { return Vec::new() };
    let of_plan = |(plan, threads): &(&Plan, i64)| {
        let Some(number) = nests.plans().position(|other| other.key == plan.key) else {
            return Vec::new();
        };
        let sizes = match own.sizes == Sizes::default() {
            true => fitted(*threads, |sizes| nests.price(number, sizes).threads),
            false => own.sizes.clone(),
        };
        let best = nests.ranked(number, &sizes).into_iter().take(MOST_CANDIDATES);
        let candidate =
            |(plan, price): Priced| Candidate { plan, expected: Some(price.seconds * 1e6) };
        best.map(candidate).collect()
    };
    threads.iter().map(of_plan).collect()
}

/// One size for all parameters with which the largest launch has about so many threads.
fn fitted(wanted: i64, threads: impl Fn(&Sizes) -> i64) -> Sizes {
    let sizes = |other| Sizes { other, ..Sizes::default() };
    let (mut low, mut high) = (1, 1 << 24);
    if threads(&sizes(low)) == threads(&sizes(high)) {
        return Sizes::default();
    }
    while low < high {
        let middle = low + (high - low) / 2;
        match threads(&sizes(middle)) < wanted {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    sizes(low)
}

/// Builds the program by a file of plans and runs it; the report, or the status that it ended with.
fn measure(
    own: &Arguments,
    plans: &Path,
    folder: &Folder,
) -> Result<Result<String, i32>, Diagnostic> {
    let (program, report) = (folder.join("program"), folder.join("report.json"));
    let link = Arguments {
        mode: Mode::Link,
        output: Some(program.clone()),
        plan: Some(plans.display().to_string()),
        ..own.clone()
    };
    let status = build::build(&link)?;
    if status != 0 {
        return Ok(Err(status));
    }
    let mut command = Command::new(&program);
    command.args(&own.program_arguments).envs(own.runtime_environment());
    command.env("GPUC_REPORT", "json").env("GPUC_REPORT_FILE", &report).env("GPUC_QUIET", "1");
    let ended = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Diagnostic::error(format!("cannot run the compiled program: {error}")))?;
    let status = ended.status;
    if !status.success() {
        eprint!("{}", String::from_utf8_lossy(&ended.stderr));
        eprintln!("gpuc: the program ended with {status}");
        return Ok(Err(status.code().unwrap_or(1).max(1)));
    }
    let text = std::fs::read_to_string(&report)
        .map_err(|error| Diagnostic::error(format!("the program wrote no report: {error}")))?;
    let _ = std::fs::remove_file(&report);
    Ok(Ok(text))
}

/// The device of a report and, of each kernel, the line of its construct and what was measured.
fn read(report: &str) -> Option<(String, Vec<(u32, Measured)>)> {
    let report: Value = serde_json::from_str(report).ok()?;
    let name = report["device"]["name"].as_str().unwrap_or("unknown");
    let name = name.to_lowercase().replace(' ', "-");
    let mut kernels = Vec::new();
    for kernel in report.get("kernels")?.as_array().into_iter().flatten() {
        let line = kernel["place"].as_str().and_then(|place| place.rsplit_once(':'));
        let Some(line) = line.and_then(|(_, line)| line.parse().ok()) else { continue };
        let seconds = kernel.get("seconds").or(kernel.get("host_seconds"))?.as_f64()?;
        let product = |name: &str| {
            let numbers = kernel[name].as_array().into_iter().flatten();
            numbers.filter_map(Value::as_i64).product::<i64>()
        };
        let blocks = product("grid");
        kernels.push((line, Measured { seconds, threads: blocks * product("block"), blocks }));
    }
    Some((name, kernels))
}

/// What the kernels of a line took together.
fn of_line(kernels: &[(u32, Measured)], line: u32) -> Option<Measured> {
    let own = kernels.iter().filter(|(at, _)| *at == line).map(|(_, measured)| *measured);
    own.reduce(|sum, next| Measured {
        seconds: sum.seconds + next.seconds,
        threads: sum.threads.max(next.threads),
        blocks: sum.blocks.max(next.blocks),
    })
}

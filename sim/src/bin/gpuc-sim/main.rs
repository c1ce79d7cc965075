//! `gpuc-sim`: runs a kernel of a PTX file on the simulator, with files and numbers as arguments.
//!
//! A binary of this crate and without a library for options, so that the simulator can be built and
//! installed by itself.

mod argument;
mod list;
mod options;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use gpuc_arch::Arch;
use gpuc_diagnostics::{Diagnostic, Sources};
use gpuc_sim::{
    Arguments, Assembled, Counters, FaultKind, KernelReport, Launch, LaunchError, Module, Progress,
    ProgressLine, Report, Simulator, Watch, findings_json,
};

use options::{Format, Options, USAGE};

/// The kernel faulted, or a checker found something.
const FOUND: u8 = 1;
/// What was asked for cannot be done.
const REFUSED: u8 = 2;
/// Ctrl-C, as shells say it: 128 and the number of the signal.
const STOPPED: u8 = 130;

/// Set by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|word| word == "--help" || word == "-h") {
        return match print(USAGE) {
            Ok(()) => ExitCode::SUCCESS,
            Err(errors) => refuse(&errors, &mut Sources::new()),
        };
    }
    let options = match Options::parse(arguments) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("gpuc-sim: {message}");
            eprintln!("`gpuc-sim --help` says how to call it");
            return ExitCode::from(REFUSED);
        }
    };
    let mut sources = Sources::new();
    match run(&options, &mut sources) {
        Ok(code) => code,
        Err(errors) => refuse(&errors, &mut sources),
    }
}

fn refuse(errors: &[Diagnostic], sources: &mut Sources) -> ExitCode {
    for error in errors {
        show(error, sources);
    }
    ExitCode::from(REFUSED)
}

/// Writes to standard output: all of it, unless its reader has gone.
fn print(text: &str) -> Result<(), Errors> {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(why) if why.kind() != ErrorKind::BrokenPipe => {
            Err(error(format!("cannot write the output: {why}")))
        }
        _ => Ok(()),
    }
}

/// Prints a diagnostic, with the lines of the files that it names where they can be read.
fn show(diagnostic: &Diagnostic, sources: &mut Sources) {
    let places = diagnostic.place.iter().chain(diagnostic.related.iter().map(|(place, _)| place));
    for place in places {
        if let Ok(text) = std::fs::read_to_string(&*place.file) {
            sources.insert(&*place.file, text.as_str());
        }
    }
    eprintln!("{}", diagnostic.render(sources, false));
}

type Errors = Vec<Diagnostic>;

fn error(message: impl std::fmt::Display) -> Errors {
    vec![Diagnostic::error(message.to_string())]
}

fn run(options: &Options, sources: &mut Sources) -> Result<ExitCode, Errors> {
    let mut texts = Vec::new();
    for file in &options.files {
        let text = std::fs::read_to_string(file).map_err(|e| error(format!("{file}: {e}")))?;
        sources.insert(file.as_str(), text.as_str());
        texts.push(text);
    }
    let texts: Vec<(&str, &str)> =
        texts.iter().zip(&options.files).map(|(text, file)| (&**text, &**file)).collect();
    let module = Module::link(&texts)?;
    if options.list {
        print(&list::kernels(&module))?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some(name) = options.kernel.as_deref() else {
        return Err(error("name the kernel after the PTX files; `--list` shows them"));
    };
    let target = options.arch.as_deref().or(module.target()).unwrap_or("sm_80");
    let arch = match &options.device {
        Some(name) => Arch::device(name).ok_or_else(|| {
            let known: Vec<&str> = Arch::devices().collect();
            error(format!("`{name}` is not a known device: there are {}", known.join(", ")))
        })?,
        None => Arch::by_name(target.trim_end_matches(['a', 'f']))
            .ok_or_else(|| error(format!("`{target}` is not a known architecture")))?,
    };
    let simulator = Simulator::checked(arch, options.checks);
    let mut buffers = Vec::new();
    let mut params = Vec::new();
    if let Some(kernel) = module.kernel(name) {
        let mut arguments = Arguments::new(kernel);
        for (at, text) in options.arguments.iter().enumerate() {
            let label = kernel.params().get(at).map_or("", |param| &param.name);
            let (bytes, buffer) = argument::place(text, label, &simulator)
                .map_err(|message| error(format!("argument `{text}`: {message}")))?;
            arguments = arguments.push_bytes(&bytes).map_err(error)?;
            buffers.extend(buffer);
        }
        params = arguments.finish().map_err(error)?;
    }
    let other = match &options.compare {
        Some(file) => {
            Some(std::fs::read_to_string(file).map_err(|e| error(format!("{file}: {e}")))?)
        }
        None => None,
    };
    let assembled = match (options.report, &texts[..]) {
        (Some(_), [(text, _)]) => gpuc_sim::assemble(text, arch).remove(name).unwrap_or_default(),
        _ => Assembled::default(),
    };
    let registers = options.registers.or(assembled.registers);
    end_on_interrupt();
    let line = ProgressLine::default();
    let tell = |progress: &Progress<'_>| line.show(progress);
    let watch = Watch { after: ProgressLine::AFTER, every: line.every(), tell: &tell };
    let launch = Launch {
        grid: options.grid,
        block: options.block,
        cluster: options.cluster,
        cooperative: options.cooperative,
        dynamic_shared_bytes: options.shared,
        params: &params,
        counters: if options.report.is_some() { Counters::Profile } else { Counters::Off },
        registers,
        sampled: options.sampled,
        worst_approximations: options.worst,
        threads: options.threads,
        instruction_budget: options.budget,
        time_limit: options.time_limit,
        interrupt: Some(&INTERRUPTED),
        watch: options.progress.unwrap_or(line.is_terminal()).then_some(watch),
        output: None,
    };
    let result = simulator.launch(&module, name, &launch);
    drop(line);
    if let Ok(done) = &result {
        for buffer in &buffers {
            buffer.write_back(&simulator).map_err(error)?;
        }
        match options.report {
            None => {}
            Some(format) => {
                let mut kernel = KernelReport::new(name, None);
                kernel.add(options.grid, options.block, done);
                kernel.sass = assembled.sass;
                let report = Report {
                    title: format!("{name} of {}", options.files.join(", ")),
                    device: Some(arch),
                    kernels: vec![kernel],
                    events: Vec::new(),
                };
                match format {
                    Format::Text => print(&report.text(options.counters))?,
                    Format::Json => print(&report.json())?,
                    Format::Html => print(&report.page(other.as_deref()))?,
                }
            }
        }
    }
    for buffer in &buffers {
        simulator.free(buffer.pointer()).map_err(error)?;
    }
    let mut findings = simulator.take_findings();
    findings.extend(simulator.leaks());
    if options.check_format == Format::Json {
        print(&findings_json(&findings))?;
    }
    match &result {
        // With checkers the fault is among the findings.
        Err(LaunchError::Fault(fault))
            if fault.kind != FaultKind::Interrupted && !findings.is_empty() => {}
        Err(LaunchError::Fault(fault)) => show(&fault.diagnostic(), sources),
        Err(LaunchError::Refused { reasons, .. }) => return Err(reasons.clone()),
        Err(other) => return Err(vec![other.diagnostic()]),
        Ok(_) => {}
    }
    if options.check_format == Format::Text {
        findings.iter().for_each(|finding| show(&finding.diagnostic(), sources));
    }
    if matches!(&result, Err(LaunchError::Fault(fault)) if fault.kind == FaultKind::Interrupted) {
        return Ok(ExitCode::from(STOPPED));
    }
    let found = result.is_err() || !findings.is_empty();
    Ok(if found { ExitCode::from(FOUND) } else { ExitCode::SUCCESS })
}

/// Lets Ctrl-C end the kernel, which then says where it was.
fn end_on_interrupt() {
    #[cfg(unix)]
    {
        extern "C" fn handler(number: i32) {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                // Asked twice, by somebody who does not want to wait for the end of a slice.
                // SAFETY: both may be called by a handler (signal-safety(7)).
                unsafe {
                    libc::signal(number, libc::SIG_DFL);
                    libc::raise(number);
                }
            }
        }
        // SAFETY: the handler does what handlers may do.
        unsafe {
            let handler: extern "C" fn(i32) = handler;
            if libc::signal(libc::SIGINT, handler as libc::sighandler_t) == libc::SIG_IGN {
                // As `nohup` and `&` of a script want it.
                libc::signal(libc::SIGINT, libc::SIG_IGN);
            }
        }
    }
}

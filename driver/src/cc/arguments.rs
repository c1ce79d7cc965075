//! Flags of `gpuc`: cc's, and our own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use gpuc_arch::Arch;
use gpuc_diagnostics::{Diagnostic, did_you_mean};

use crate::compile::Level;
use crate::feedback::RemarkOptions;

/// The text of `--help`.
pub const HELP: &str = "\
usage: gpuc [OPTIONS] FILE...              compile and link, like cc
       gpuc run [OPTIONS] FILE... [-- ARG...]   compile and run
       gpuc --emit=LEVEL FILE              print a level of the compiler

gpuc takes cc's options (-c -o -I -D -O -g -l -L ...) and hands on what it does not know.

Offloading:
  --arch=sm_XX          compute capability of the kernels (default sm_75; runs on later ones)
  --device=DEVICE       with run: auto (default), cuda, sim or host
  --require-gpu         with run: fail rather than use the simulator
  --emit=LEVEL          tokens, ast, source, affine, gpu, ptx or host-c
  --report              with run: print counters and times of each kernel at exit
  --time                with run: print the timing table of each region at exit
  -ffp-contract=MODE    fast (default) fuses multiply and add; on: within an expression; off: never
  -Minfo[=accel]        print what was parallelised and how, by function and line
  --print-ir-after-all  print the IR behind every pass, to standard error
  --timing              print the time spent in each stage, to standard error
  --explain CODE        explain a message's code

Environment: GPUC_CC names the host compiler; GPUC_DEVICE, GPUC_REQUIRE_GPU and GPUC_REPORT do for a
compiled program what the options above do for gpuc run.
";

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Compile and link.
    Link,
    /// `-c`.
    Compile,
    /// `gpuc run`.
    Run,
    /// `--emit`.
    Emit(Level),
    /// Nothing for us: `-E`, `-S`, `-M`, `-v` and the like go to the host compiler as they are.
    HostOnly,
    /// `--help`.
    Help,
    /// `--version`.
    Version,
}

/// Where kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// A GPU if there is one, else the simulator.
    Auto,
    /// A GPU.
    Cuda,
    /// The simulator.
    Sim,
    /// The host, as a program compiled without directives.
    Host,
}

/// An argument of the link command, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkItem {
    /// The object of the next source.
    Source,
    /// A file that is not C: an object, an archive, assembly, C++.
    Input(OsString),
    /// Anything else.
    Flag(OsString),
}

/// Flags, understood.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// What to do.
    pub mode: Mode,
    /// C sources, in order.
    pub sources: Vec<PathBuf>,
    /// `-o`.
    pub output: Option<PathBuf>,
    /// Flags for the preprocessor (`-I`, `-D`, ...), also part of `compile_flags`.
    pub preprocess_flags: Vec<OsString>,
    /// Flags for compiling on the host.
    pub compile_flags: Vec<OsString>,
    /// The link command's arguments.
    pub link_items: Vec<LinkItem>,
    /// Everything that is not ours, in order, for [`Mode::HostOnly`].
    pub host: Vec<OsString>,
    /// Arguments behind `--` of `gpuc run`.
    pub program_arguments: Vec<OsString>,
    /// `--arch`.
    pub arch: &'static Arch,
    /// `--device`.
    pub device: Option<Device>,
    /// `--require-gpu`.
    pub require_gpu: bool,
    /// `--report`.
    pub report: bool,
    /// `--time`.
    pub time: bool,
    /// `-ffp-contract` is not `off`.
    pub contract: bool,
    /// `-Minfo`, `-w`.
    pub remarks: RemarkOptions,
    /// `--print-ir-after-all`.
    pub print_after_all: bool,
    /// `--timing`.
    pub timing: bool,
    pub(super) shared: bool,
}

/// Options of cc that take their value as the next argument, where it is not attached.
const WITH_VALUE: &[&str] = &[
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-isysroot",
    "-MF",
    "-MT",
    "-MQ",
    "-Xlinker",
    "-Xpreprocessor",
    "-Xassembler",
    "-T",
    "-u",
    "-z",
    "-arch",
    "--param",
    "-x",
    "-e",
    "-h",
];

/// Options with a value that concern the preprocessor.
const PREPROCESSOR: &[&str] = &[
    "-I",
    "-D",
    "-U",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-isysroot",
    "-Xpreprocessor",
];

/// Options with a value that concern the linker only.
const LINKER: &[&str] = &["-L", "-l", "-Xlinker", "-T", "-u", "-z", "-e", "-h"];

/// Our own long options, for suggestions.
const OWN: &[&str] = &[
    "--arch",
    "--device",
    "--require-gpu",
    "--emit",
    "--report",
    "--time",
    "--explain",
    "--timing",
    "--print-ir-after-all",
    "--help",
    "--version",
];

impl Arguments {
    /// Reads the command line.
    pub fn parse(arguments: &[OsString]) -> Result<Arguments, Diagnostic> {
        let default_arch = Arch::by_name("sm_75").expect("the table holds sm_75");
        let mut parsed = Arguments {
            mode: Mode::Link,
            sources: Vec::new(),
            output: None,
            preprocess_flags: Vec::new(),
            compile_flags: Vec::new(),
            link_items: Vec::new(),
            host: Vec::new(),
            program_arguments: Vec::new(),
            arch: default_arch,
            device: None,
            require_gpu: false,
            report: false,
            time: false,
            contract: true,
            remarks: RemarkOptions::default(),
            print_after_all: false,
            timing: false,
            shared: false,
        };
        let mut rest = arguments.iter();
        if arguments.first().is_some_and(|first| first == "run") {
            parsed.mode = Mode::Run;
            rest.next();
        }
        while let Some(argument) = rest.next() {
            let text = argument.to_string_lossy();
            if text == "--" {
                parsed.program_arguments = rest.by_ref().cloned().collect();
            } else if text == "-" || !text.starts_with('-') {
                parsed.input(argument);
            } else if text == "-o" && rest.len() == 0 {
                return Err(Diagnostic::error("`-o` needs a value: the name of the output"));
            } else if !parsed.own_option(&text, &mut rest)? {
                parsed.host_option(argument, &text, &mut rest);
            }
        }
        parsed.check()
    }

    fn input(&mut self, argument: &OsString) {
        let path = Path::new(argument);
        self.host.push(argument.clone());
        if path.extension().is_some_and(|extension| extension == "c" || extension == "i") {
            self.sources.push(path.to_owned());
            self.link_items.push(LinkItem::Source);
        } else {
            self.link_items.push(LinkItem::Input(argument.clone()));
        }
    }

    /// Options of gpuc itself. Whether it was one.
    fn own_option<'a>(
        &mut self,
        text: &str,
        rest: &mut impl Iterator<Item = &'a OsString>,
    ) -> Result<bool, Diagnostic> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text, None),
        };
        let mut required = |what: &str| match &value {
            Some(value) => Ok(value.clone()),
            None => rest
                .next()
                .map(|next| next.to_string_lossy().into_owned())
                .ok_or_else(|| Diagnostic::error(format!("`{name}` needs a value: {what}"))),
        };
        match name {
            "--help" => self.mode = Mode::Help,
            "--version" => self.mode = Mode::Version,
            "--require-gpu" => self.require_gpu = true,
            "--report" => self.report = true,
            "--time" => self.time = true,
            "--timing" => self.timing = true,
            "--print-ir-after-all" => self.print_after_all = true,
            "-Minfo" => self.remarks.info = true,
            "--arch" => {
                let name = required("sm_75, sm_80, ...")?;
                self.arch = Arch::by_name(&name).ok_or_else(|| {
                    let known: Vec<_> = Arch::all().iter().map(|arch| arch.name).collect();
                    Diagnostic::error(format!("unknown compute capability `{name}`"))
                        .help(format!("known are {}", known.join(", ")))
                })?;
            }
            "--device" => {
                let name = required("auto, cuda, sim or host")?;
                self.device = Some(match name.as_str() {
                    "auto" => Device::Auto,
                    "cuda" => Device::Cuda,
                    "sim" => Device::Sim,
                    "host" => Device::Host,
                    _ => {
                        let near = did_you_mean(&name, ["auto", "cuda", "sim", "host"]);
                        let error = Diagnostic::error(format!("unknown device `{name}`"))
                            .help("devices are auto, cuda, sim and host");
                        return Err(match near {
                            Some(near) => error.help(format!("did you mean `{near}`?")),
                            None => error,
                        });
                    }
                });
            }
            "--emit" => {
                let name = required("tokens, ast, source, affine, gpu, ptx or host-c")?;
                self.mode = Mode::Emit(Level::parse(&name).ok_or_else(|| {
                    let error = Diagnostic::error(format!("unknown level `{name}`"))
                        .help(format!("levels are {}", Level::NAMES.join(", ")));
                    match did_you_mean(&name, Level::NAMES.iter().copied()) {
                        Some(near) => error.help(format!("did you mean `{near}`?")),
                        None => error,
                    }
                })?);
            }
            "--explain" => {
                let code = required("a message code")?;
                return Err(Diagnostic::error(format!("no message has the code `{code}`")));
            }
            "-ffp-contract" => {
                let mode = required("fast, on or off")?;
                if !["fast", "on", "off"].contains(&mode.as_str()) {
                    return Err(Diagnostic::error(format!("unknown `-ffp-contract={mode}`"))
                        .help("modes are fast, on and off"));
                }
                self.contract = mode != "off";
                // The host compiler keeps its own default: it fuses only where it is told to.
                self.compile_flags.push(text.into());
                self.host.push(text.into());
            }
            _ if text.starts_with("--") && name != "--param" => {
                // Options of cc begin with one dash, with few exceptions that it documents.
                if let Some(near) = did_you_mean(name, OWN.iter().copied()) {
                    return Err(Diagnostic::error(format!("unknown option `{text}`"))
                        .help(format!("did you mean `{near}`?")));
                }
                return Ok(false);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Options of the host compiler.
    fn host_option<'a>(
        &mut self,
        argument: &OsString,
        text: &str,
        rest: &mut impl Iterator<Item = &'a OsString>,
    ) {
        self.host.push(argument.clone());
        if text == "-o"
            || (text.starts_with("-o") && text.len() > 2 && !text.starts_with("-openmp"))
        {
            let path = match text {
                "-o" => {
                    rest.next().inspect(|path| self.host.push((*path).clone())).map(PathBuf::from)
                }
                attached => Some(PathBuf::from(&attached[2..])),
            };
            self.output = path.or(self.output.take());
            return;
        }
        match text {
            "-c" => {
                self.mode = Mode::Compile;
                return;
            }
            "-E" | "-S" | "-M" | "-MM" | "-v" | "-###" | "-fsyntax-only" => {
                self.mode = Mode::HostOnly
            }
            _ if text.starts_with("-print-") || text.starts_with("-dump") => {
                self.mode = Mode::HostOnly
            }
            "-w" => self.remarks.no_warnings = true,
            "-shared" | "-r" => self.shared = text == "-r",
            _ => {}
        }
        let option = WITH_VALUE.iter().find(|option| text.starts_with(**option));
        let mut words = vec![argument.clone()];
        if WITH_VALUE.contains(&text)
            && let Some(value) = rest.next()
        {
            self.host.push(value.clone());
            words.push(value.clone());
        }
        let is = |list: &[&str]| option.is_some_and(|option| list.contains(option));
        let standard =
            ["-std=", "-f", "-m", "-pthread", "-O", "-g", "-ansi", "-undef", "-nostdinc"];
        if is(PREPROCESSOR) || standard.iter().any(|prefix| text.starts_with(prefix)) {
            self.preprocess_flags.extend(words.iter().cloned());
        }
        let linker_only = is(LINKER) || text.starts_with("-Wl,");
        if !linker_only {
            self.compile_flags.extend(words.iter().cloned());
        }
        if !is(PREPROCESSOR) {
            self.link_items.extend(words.into_iter().map(LinkItem::Flag));
        }
    }

    fn check(self) -> Result<Arguments, Diagnostic> {
        if matches!(self.mode, Mode::Help | Mode::Version | Mode::HostOnly) {
            return Ok(self);
        }
        if self.sources.is_empty() && self.others().next().is_none() {
            // `gpuc -v`-like calls are the host compiler's; without any input it is an error.
            return Err(Diagnostic::error("no input files").help("usage: gpuc [OPTIONS] FILE..."));
        }
        if let Some(missing) = self.sources.iter().find(|source| !source.is_file()) {
            return Err(Diagnostic::error(format!(
                "cannot read `{}`: there is no such file",
                missing.display()
            )));
        }
        // Objects are no sources: the host compiler says that it does not need them here.
        let object = |file: &&OsString| {
            Path::new(file).extension().is_some_and(|e| ["o", "a", "so"].iter().any(|o| e == *o))
        };
        let inputs = self.sources.len() + self.others().filter(|file| !object(file)).count();
        if self.mode == Mode::Compile && inputs > 1 && self.output.is_some() {
            return Err(Diagnostic::error("cannot use `-o` with `-c` and several source files"));
        }
        if !self.program_arguments.is_empty() && self.mode != Mode::Run {
            return Err(Diagnostic::error("arguments behind `--` are for `gpuc run`"));
        }
        if matches!(self.mode, Mode::Emit(_)) && self.sources.is_empty() {
            return Err(Diagnostic::error("`--emit` needs a C source"));
        }
        Ok(self)
    }

    /// The input files that are not C, in order.
    pub fn others(&self) -> impl Iterator<Item = &OsString> {
        self.link_items.iter().filter_map(|item| match item {
            LinkItem::Input(file) => Some(file),
            _ => None,
        })
    }

    /// Whether the output is itself to be linked further.
    pub fn relocatable_output(&self) -> bool {
        self.shared
    }

    /// What the runtime of the program is told by `gpuc run`.
    pub fn runtime_environment(&self) -> Vec<(&'static str, String)> {
        let mut environment = Vec::new();
        if let Some(device) = self.device {
            let name = match device {
                Device::Auto => "auto",
                Device::Cuda => "cuda",
                Device::Sim => "sim",
                Device::Host => "host",
            };
            environment.push(("GPUC_DEVICE", name.to_owned()));
        }
        for (set, name) in [
            (self.require_gpu, "GPUC_REQUIRE_GPU"),
            (self.report, "GPUC_REPORT"),
            (self.time, "GPUC_TIME"),
        ] {
            if set {
                environment.push((name, "1".to_owned()));
            }
        }
        environment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, Diagnostic> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        Arguments::parse(&words)
    }

    /// A file that is there, as sources must be.
    const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/sgemm.c");

    #[test]
    fn flags_go_where_they_belong() {
        let arguments =
            parse(&format!("-O2 -I inc -DX=1 -L dir -lm a.o {SOURCE} -o out -Wl,-z,now")).unwrap();
        let text = |words: &[OsString]| {
            words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(arguments.mode, Mode::Link);
        assert_eq!(arguments.sources, [Path::new(SOURCE)]);
        assert_eq!(arguments.output.as_deref(), Some(Path::new("out")));
        assert_eq!(text(&arguments.preprocess_flags), "-O2 -I inc -DX=1");
        assert_eq!(text(&arguments.compile_flags), "-O2 -I inc -DX=1");
        let others: Vec<OsString> = arguments.others().cloned().collect();
        assert_eq!(text(&others), "a.o");
        let link: Vec<OsString> = arguments
            .link_items
            .into_iter()
            .map(|item| match item {
                LinkItem::Source => "SOURCE".into(),
                LinkItem::Input(word) | LinkItem::Flag(word) => word,
            })
            .collect();
        assert_eq!(text(&link), "-O2 -L dir -lm a.o SOURCE -Wl,-z,now");
    }

    #[test]
    fn mistakes_are_named() {
        for (line, message) in [
            ("", "no input files"),
            ("-L dir", "no input files"),
            ("a.o -o", "`-o` needs a value: the name of the output"),
            ("--arch=sm_1 a.o", "unknown compute capability `sm_1`"),
            ("--emit=ptx a.o", "`--emit` needs a C source"),
            ("-c a.s b.s -o c.o", "cannot use `-o` with `-c` and several source files"),
            ("a.o -- b", "arguments behind `--` are for `gpuc run`"),
            ("none.c", "cannot read `none.c`: there is no such file"),
            ("--raport a.o", "unknown option `--raport`"),
        ] {
            assert_eq!(parse(line).unwrap_err().message, message, "{line}");
        }
        assert!(parse(&format!("-c {SOURCE} a.o -o b.o")).is_ok());
    }
}

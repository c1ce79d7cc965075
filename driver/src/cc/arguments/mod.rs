//! Flags of `gpuc`: cc's, and our own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use gpuc_arch::Arch;
use gpuc_diagnostics::codes::Explanation;
use gpuc_diagnostics::{Diagnostic, codes, did_you_mean};
use gpuc_frontend_c::Families;

use crate::compile::Level;
use crate::feedback::RemarkOptions;

mod contraction;
mod help;
mod host;
mod input;
mod response;

pub use contraction::Contraction;
pub use help::HELP;
pub use input::{LinkItem, OtherInput, is_c};

use host::Steps;
use input::same_file;

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
    /// `--explain`.
    Explain(&'static Explanation),
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

/// Flags, understood.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// What to do.
    pub mode: Mode,
    /// C sources, in order.
    pub sources: Vec<PathBuf>,
    /// `-o`.
    pub output: Option<PathBuf>,
    /// The directive families that are offloaded.
    pub families: Families,
    /// Flags for the preprocessor (`-I`, `-D`, ...), also part of `compile_flags`.
    pub preprocess_flags: Vec<OsString>,
    /// `-MD` and what belongs to it.
    pub dependency_flags: Vec<OsString>,
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
    /// `-ffp-contract`.
    pub contraction: Contraction,
    /// `-Minfo`, `-w`.
    pub remarks: RemarkOptions,
    /// `--print-ir-after-all`.
    pub print_after_all: bool,
    /// `--timing`.
    pub timing: bool,
    /// `-S`: assembly instead of objects.
    pub assembly: bool,
    /// `-static` or `-static-pie`.
    pub static_link: Option<String>,
    /// Whether the command line names it; else the standard does.
    pub(super) contraction_given: bool,
    /// `-r`.
    pub(super) relocatable: bool,
    /// What `-x` says of the files behind it.
    pub(super) language: Option<OsString>,
    /// `-v`.
    pub(super) verbose: bool,
}

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
        let mut parsed = Arguments {
            mode: Mode::Link,
            sources: Vec::new(),
            output: None,
            families: Families { openacc: true },
            preprocess_flags: Vec::new(),
            dependency_flags: Vec::new(),
            compile_flags: Vec::new(),
            link_items: Vec::new(),
            host: Vec::new(),
            program_arguments: Vec::new(),
            arch: Arch::default_target(),
            device: None,
            require_gpu: false,
            report: false,
            time: false,
            contraction: Contraction::Fast,
            remarks: RemarkOptions::default(),
            print_after_all: false,
            timing: false,
            assembly: false,
            static_link: None,
            contraction_given: false,
            relocatable: false,
            language: None,
            verbose: false,
        };
        let arguments = response::expand(arguments)?;
        let mut rest = arguments.iter();
        if arguments.first().is_some_and(|first| first == "run") {
            parsed.mode = Mode::Run;
            rest.next();
        }
        while let Some(argument) = rest.next() {
            let text = argument.to_string_lossy();
            if text == "--" {
                parsed.program_arguments = rest.by_ref().cloned().collect();
            } else if text.starts_with("-x") {
                parsed.language(argument, &text, &mut rest)?;
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

    /// `-x LANGUAGE`.
    fn language<'a>(
        &mut self,
        argument: &OsString,
        text: &str,
        rest: &mut impl Iterator<Item = &'a OsString>,
    ) -> Result<(), Diagnostic> {
        self.host.push(argument.clone());
        let language = if text == "-x" {
            let missing = || Diagnostic::error("`-x` needs a value: the language of the files");
            let language = rest.next().ok_or_else(missing)?;
            self.host.push(language.clone());
            language.clone()
        } else {
            text[2..].into()
        };
        self.language = Some(language).filter(|language| language != "none");
        Ok(())
    }

    fn input(&mut self, argument: &OsString) {
        let path = Path::new(argument);
        self.host.push(argument.clone());
        let is_c = match &self.language {
            Some(language) => (language == "c" || language == "cpp-output") && argument != "-",
            None => is_c(path),
        };
        if is_c {
            self.sources.push(path.to_owned());
            self.link_items.push(LinkItem::Source);
        } else {
            let language = self.language.clone();
            self.link_items.push(LinkItem::Input(OtherInput { file: argument.clone(), language }));
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
                        .code(codes::BAD_OPTION)
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
                            .code(codes::BAD_OPTION)
                            .help("devices are auto, cuda, sim and host");
                        return Err(match near {
                            Some(near) => error.help(format!("did you mean `{near}`?")),
                            None => error,
                        });
                    }
                });
            }
            "--emit" => {
                let name = required(&Level::NAMES.join(", "))?;
                self.mode = Mode::Emit(Level::parse(&name).ok_or_else(|| {
                    let error = Diagnostic::error(format!("unknown level `{name}`"))
                        .code(codes::BAD_OPTION)
                        .help(format!("levels are {}", Level::NAMES.join(", ")));
                    match did_you_mean(&name, Level::NAMES.iter().copied()) {
                        Some(near) => error.help(format!("did you mean `{near}`?")),
                        None => error,
                    }
                })?);
            }
            "--explain" => {
                let code = required("a message code")?;
                self.mode = Mode::Explain(codes::explain(&code).map_err(|near| {
                    let error = Diagnostic::error(format!("no message has the code `{code}`"));
                    match near {
                        Some(near) => error.help(format!("did you mean `{near}`?")),
                        None => error.help("codes stand in brackets behind `error`: GPUC0001"),
                    }
                })?);
            }
            "-ffp-contract" => {
                let mode = required("fast, on or off")?;
                let contraction = Contraction::parse(&mode).ok_or_else(|| {
                    Diagnostic::error(format!("unknown `-ffp-contract={mode}`"))
                        .code(codes::BAD_OPTION)
                        .help("modes are fast, on and off")
                })?;
                self.contraction = contraction;
                self.contraction_given = true;
                // The host compiler keeps its own default: it fuses only where it is told to.
                self.compile_flags.push(text.into());
                self.host.push(text.into());
            }
            _ if text.starts_with("--") && name != "--param" => {
                // Options of cc begin with one dash, with few exceptions that it documents.
                if let Some(near) = did_you_mean(name, OWN.iter().copied()) {
                    return Err(Diagnostic::error(format!("unknown option `{text}`"))
                        .code(codes::BAD_OPTION)
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
            "-c" | "-S" => {
                self.mode = Mode::Compile;
                self.assembly |= text == "-S";
                return;
            }
            "-E" | "-M" | "-MM" | "-###" | "-fsyntax-only" => self.mode = Mode::HostOnly,
            _ if text.starts_with("-print-")
                || text == "-dumpversion"
                || text == "-dumpmachine" =>
            {
                self.mode = Mode::HostOnly;
            }
            "-v" | "--verbose" => self.verbose = true,
            "-w" => self.remarks.no_warnings = true,
            _ if !self.contraction_given && (text.starts_with("-std=") || text == "-ansi") => {
                let iso = text == "-ansi" || text.contains("=c") || text.contains("=iso");
                self.contraction = if iso { Contraction::Off } else { Contraction::Fast };
            }
            "-shared" | "-r" => self.relocatable = text == "-r",
            "-static" | "-static-pie" => self.static_link = Some(text.to_owned()),
            _ => {}
        }
        let option = host::classify(text);
        let mut words = vec![argument.clone()];
        if option.takes_next
            && let Some(value) = rest.next()
        {
            self.host.push(value.clone());
            words.push(value.clone());
        }
        let steps = option.steps;
        if matches!(steps, Steps::Everything | Steps::PreprocessAndCompile) {
            self.preprocess_flags.extend(words.iter().cloned());
        }
        if steps == Steps::Dependencies {
            self.dependency_flags.extend(words.iter().cloned());
        } else if steps != Steps::Link {
            self.compile_flags.extend(words.iter().cloned());
        }
        if steps != Steps::PreprocessAndCompile {
            self.link_items.extend(words.into_iter().map(LinkItem::Flag));
        }
    }

    fn check(mut self) -> Result<Arguments, Diagnostic> {
        if self.verbose && self.sources.is_empty() && self.others().next().is_none() {
            self.mode = Mode::HostOnly;
        }
        if matches!(self.mode, Mode::Help | Mode::Version | Mode::Explain(_) | Mode::HostOnly) {
            return Ok(self);
        }
        if self.sources.is_empty() && self.others().next().is_none() {
            return Err(Diagnostic::error("no input files").help("usage: gpuc [OPTIONS] FILE..."));
        }
        if let Some(missing) = self.sources.iter().find(|source| !source.is_file()) {
            return Err(Diagnostic::error(format!(
                "cannot read `{}`: there is no such file",
                missing.display()
            ))
            .code(codes::NO_SUCH_FILE));
        }
        self.output_is_no_input()?;
        // Objects are no sources: the host compiler says that it does not need them here.
        let object = |input: &&OtherInput| {
            let extension = Path::new(&input.file).extension();
            extension.is_some_and(|e| ["o", "a", "so"].iter().any(|o| e == *o))
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

    /// Refuses to write the output over an input, by whatever path each is named.
    fn output_is_no_input(&self) -> Result<(), Diagnostic> {
        let files = || {
            let others = self.others().map(|input| Path::new(&input.file));
            self.sources.iter().map(PathBuf::as_path).chain(others)
        };
        let dependencies = self.dependency_flags.windows(2);
        let dependencies =
            dependencies.filter(|pair| pair[0] == "-MF").map(|pair| Path::new(&pair[1]));
        for output in self.output.as_deref().into_iter().chain(dependencies) {
            if let Some(input) = files().find(|input| same_file(input, output)) {
                return Err(Diagnostic::error(format!(
                    "input file `{}` is the same as the output file",
                    input.display()
                ))
                .code(codes::OUTPUT_IS_INPUT)
                .help("name another file with `-o`"));
            }
        }
        Ok(())
    }

    /// The input files that are not C, in order.
    pub fn others(&self) -> impl Iterator<Item = &OtherInput> {
        self.link_items.iter().filter_map(|item| match item {
            LinkItem::Input(input) => Some(input),
            _ => None,
        })
    }

    /// Whether the output is itself to be linked further.
    pub fn relocatable_output(&self) -> bool {
        self.relocatable
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
        let others: Vec<OsString> = arguments.others().flat_map(OtherInput::words).collect();
        assert_eq!(text(&others), "a.o");
        let link: Vec<OsString> = arguments
            .link_items
            .into_iter()
            .flat_map(|item| match item {
                LinkItem::Source => vec!["SOURCE".into()],
                LinkItem::Input(input) => input.words(),
                LinkItem::Flag(word) => vec![word],
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

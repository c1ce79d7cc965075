//! Flags of `gpuc`: cc's, and our own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use gpuc_arch::Arch;
use gpuc_diagnostics::codes::Explanation;
use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_frontend_c::{Families, preprocess};
use gpuc_passes::forecast::Sizes;

use crate::cc::cache;
use crate::compile::Level;
use crate::device_code::is_device_code;
use crate::feedback::RemarkOptions;
use crate::toolchain::Linkage;

mod archs;
mod contraction;
mod help;
mod host;
mod input;
mod nvc;
mod own;
mod response;

pub use archs::default_archs;
pub use contraction::Contraction;
pub use help::{Shell, completions, help, man_page};
pub use host::Steps;
pub use input::{Item, OtherInput, is_c};
pub use response::words;

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
    /// `gpuc tune`.
    Tune,
    /// `gpuc lsp`.
    Serve,
    /// `gpuc cache`.
    Cache(cache::Action),
    /// `--emit`.
    Emit(Level),
    /// Nothing for us: `-E`, `-S`, `-M`, `-v` and the like go to the host compiler as they are.
    HostOnly,
    /// `--help`.
    Help,
    /// `--version`, `--print-config` and their kin.
    About(About),
    /// `--explain`; without a code, the list of all.
    Explain(Option<&'static Explanation>),
}

/// What `gpuc` is to say of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// `--version`; with `-v` also what belongs to it.
    Version,
    /// `--print-config`.
    Config,
    /// `-print-file-name=` of a file of ours.
    File(&'static str),
    /// `--print-man-page`.
    ManPage,
    /// `--print-completions=SHELL`.
    Completions(Shell),
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

impl Device {
    /// The one that options and the environment call so.
    pub fn of_name(name: &str) -> Option<Device> {
        Some(match name {
            "auto" => Device::Auto,
            "cuda" => Device::Cuda,
            "sim" => Device::Sim,
            "host" => Device::Host,
            _ => return None,
        })
    }
}

/// Which of the nests that the compiler finds are offloaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auto {
    /// Those that are worth it, which the program finds out.
    Worthwhile,
    /// All that can be.
    All,
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
    /// What the host compiler is to do, in order.
    pub items: Vec<Item>,
    /// Everything that is not ours, in order, for [`Mode::HostOnly`].
    pub host: Vec<OsString>,
    /// Arguments behind `--` of `gpuc run`.
    pub program_arguments: Vec<OsString>,
    /// `--arch`: what kernels are compiled for; nothing where no option says so ([`Arguments::archs`]).
    pub(super) targets: Vec<archs::Target>,
    /// What these came to, once that is known.
    pub(super) archs: OnceLock<Vec<&'static Arch>>,
    /// Whether programs are run at once.
    pub(super) runs: bool,
    /// `--device`.
    pub device: Option<Device>,
    /// `--require-gpu`.
    pub require_gpu: bool,
    /// `--check`: the list of checkers.
    pub check: Option<String>,
    /// `--check-format`.
    pub check_format: Option<String>,
    /// `--approx`.
    pub approx: Option<String>,
    /// `--budget`.
    pub budget: Option<String>,
    /// `--time-limit`.
    pub time_limit: Option<String>,
    /// `--progress`.
    pub progress: bool,
    /// `--report`: its form.
    pub report: Option<String>,
    /// `--report-file`.
    pub report_file: Option<String>,
    /// `--report-base`.
    pub report_base: Option<String>,
    /// `--counters`.
    pub counters: bool,
    /// `--device-model`: what the simulator stands for.
    pub device_model: Option<String>,
    /// `--time`.
    pub time: bool,
    /// `-ffp-contract`.
    pub contraction: Contraction,
    /// `--maxrregcount`: registers that a thread of a kernel has at most.
    pub max_registers: Option<u32>,
    /// `-fassociative-math`, `-fno-associative-math`.
    pub associative: bool,
    /// `-foffload-unsupported=host`.
    pub unsupported_on_host: bool,
    /// `--auto`: nests without a directive are offloaded too.
    pub auto: Option<Auto>,
    /// `-Minfo`, `-w`.
    pub remarks: RemarkOptions,
    /// `--mlir-print-debuginfo`.
    pub print_locations: bool,
    /// `--plan`: a file of plans to follow.
    pub plan: Option<String>,
    /// `--sizes`: numbers of parameters, for forecasts.
    pub sizes: Sizes,
    /// `--search`: whether plans are looked for that are expected to take less than the compiler's own.
    pub search: bool,
    /// `--tuning`: a record of tuning.
    pub tuning: Option<String>,
    /// Whether no record of tuning is followed, not even the environment's.
    pub without_tuning: bool,
    /// `--print-ir-after-all`.
    pub print_after_all: bool,
    /// `--timing`.
    pub timing: bool,
    /// `-static` or `-static-pie`.
    pub static_link: Option<String>,
    /// `-static-gpuc`, `-shared-gpuc`.
    pub linkage: Linkage,
    /// Whether the command line names it; else the standard does.
    pub(super) contraction_given: bool,
    /// Whether options name one target after the other.
    pub(super) targets_listed: bool,
    /// `-r`.
    pub(super) relocatable: bool,
    /// What `-x` says of the files behind it.
    pub(super) language: Option<OsString>,
    /// `-v`.
    pub verbose: bool,
}

impl Arguments {
    /// Reads the command line.
    pub fn parse(arguments: &[OsString]) -> Result<Arguments, Diagnostic> {
        let mut parsed = Arguments {
            mode: Mode::Link,
            sources: Vec::new(),
            output: None,
            families: Families { openacc: true, ..Families::default() },
            preprocess_flags: Vec::new(),
            dependency_flags: Vec::new(),
            compile_flags: Vec::new(),
            items: Vec::new(),
            host: Vec::new(),
            program_arguments: Vec::new(),
            targets: Vec::new(),
            archs: OnceLock::new(),
            runs: false,
            device: None,
            require_gpu: false,
            check: None,
            check_format: None,
            approx: None,
            budget: None,
            time_limit: None,
            progress: false,
            report: None,
            report_file: None,
            report_base: None,
            counters: false,
            device_model: None,
            time: false,
            contraction: Contraction::Fast,
            max_registers: None,
            associative: true,
            unsupported_on_host: false,
            auto: None,
            remarks: RemarkOptions::default(),
            plan: None,
            sizes: Sizes::default(),
            search: false,
            tuning: None,
            without_tuning: false,
            print_after_all: false,
            print_locations: false,
            timing: false,
            static_link: None,
            linkage: Linkage::Static,
            contraction_given: false,
            targets_listed: false,
            relocatable: false,
            language: None,
            verbose: false,
        };
        let arguments = response::expand(arguments)?;
        let mut rest = arguments.iter();
        if arguments.first().is_some_and(|first| first == "run") {
            parsed.mode = Mode::Run;
            rest.next();
        } else if arguments.first().is_some_and(|first| first == "tune") {
            parsed.mode = Mode::Tune;
            rest.next();
        } else if arguments.first().is_some_and(|first| first == "lsp") {
            // Editors add `--stdio`, which is how it speaks in any case.
            parsed.mode = Mode::Serve;
            return Ok(parsed);
        } else if arguments.first().is_some_and(|first| first == "cache") {
            let words: Vec<_> = arguments[1..].iter().map(|word| word.to_string_lossy()).collect();
            parsed.mode = Mode::Cache(cache::Action::parse(words.iter().map(AsRef::as_ref))?);
            return Ok(parsed);
        } else if arguments.first().is_some_and(|first| first == "check") {
            parsed.mode = Mode::Run;
            parsed.check = Some("all".to_owned());
            rest.next();
        } else if arguments.first().is_some_and(|first| first == "profile") {
            parsed.mode = Mode::Run;
            parsed.report = Some("text".to_owned());
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
            } else if !parsed.own_option(&text, &mut rest)? && !parsed.nvc_option(&text)? {
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
            None => is_c(path) || is_device_code(path),
        };
        if is_c {
            self.sources.push(path.to_owned());
        }
        let input = OtherInput { file: argument.clone(), language: self.language.clone() };
        self.items.push(if is_c { Item::Source(input) } else { Item::Input(input) });
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
            // Who asks for preprocessing alone, or for the rules for make, gets that.
            "-c" | "-S" if matches!(self.mode, Mode::HostOnly) => {}
            "-c" | "-S" => self.mode = Mode::Compile,
            "-E" | "-M" | "-MM" | "-###" | "-fsyntax-only" => self.mode = Mode::HostOnly,
            _ if text.starts_with("-print-")
                || text == "-dumpversion"
                || text == "-dumpmachine" =>
            {
                self.mode = Mode::HostOnly;
            }
            "-v" | "--verbose" => self.verbose = true,
            "-w" => self.remarks.no_warnings = true,
            "-fdiagnostics-color" | "-fdiagnostics-color=always" | "-fcolor-diagnostics" => {
                self.remarks.color = Some(true);
            }
            "-fno-diagnostics-color" | "-fdiagnostics-color=never" | "-fno-color-diagnostics" => {
                self.remarks.color = Some(false);
            }
            "-fdiagnostics-color=auto" => self.remarks.color = None,
            "-fdiagnostics-parseable-fixits" => self.remarks.fixits = true,
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
        self.flags(words, option.steps);
    }

    /// Words for some steps of the host compiler.
    fn flags(&mut self, words: Vec<OsString>, steps: Steps) {
        if matches!(steps, Steps::Everything | Steps::PreprocessAndCompile) {
            self.preprocess_flags.extend(words.iter().cloned());
        }
        if steps == Steps::Dependencies {
            self.dependency_flags.extend(words.iter().cloned());
        } else if steps != Steps::Link {
            self.compile_flags.extend(words.iter().cloned());
        }
        self.items.extend(words.into_iter().map(|word| Item::Flag(word, steps)));
    }

    /// An option in the host compiler's spelling, for what another compiler calls otherwise.
    fn translated(&mut self, option: &str) {
        self.host.push(option.into());
        self.flags(vec![option.into()], host::classify(option).steps);
    }

    fn check(mut self) -> Result<Arguments, Diagnostic> {
        self.runs = matches!(self.mode, Mode::Run | Mode::Tune);
        // `-Wl,--version` asks the linker behind the host compiler, as Meson does.
        let asks_linker = self.host.iter().any(|word| word.as_encoded_bytes().starts_with(b"-Wl,"));
        if (self.verbose || asks_linker)
            && self.mode == Mode::Link
            && self.sources.is_empty()
            && self.others().next().is_none()
        {
            self.mode = Mode::HostOnly;
        }
        if matches!(self.mode, Mode::Help | Mode::About(_) | Mode::Explain(_) | Mode::HostOnly) {
            return Ok(self);
        }
        if self.sources.is_empty() && self.others().next().is_none() {
            return Err(Diagnostic::error("no input files").help("usage: gpuc [OPTIONS] FILE..."));
        }
        if let Some(error) = self.sources.iter().find_map(|source| preprocess::missing_file(source))
        {
            return Err(error);
        }
        // To gcc a folder is a file for the linker, whose message is about its format.
        let folder = self.others().map(|input| Path::new(&input.file)).find(|file| file.is_dir());
        if self.mode != Mode::Compile
            && let Some(error) = folder.and_then(preprocess::missing_file)
        {
            return Err(error);
        }
        self.output_is_no_input()?;
        // Objects are no sources: the host compiler says that it does not need them here.
        let inputs = self.sources.len() + self.others().filter(|file| !file.is_linked()).count();
        if self.mode == Mode::Compile && inputs > 1 && self.output.is_some() {
            return Err(Diagnostic::error("cannot use `-o` with `-c` and several source files"));
        }
        if !self.program_arguments.is_empty() && !matches!(self.mode, Mode::Run | Mode::Tune) {
            return Err(Diagnostic::error(
                "arguments behind `--` are for `gpuc run` and `gpuc tune`",
            ));
        }
        if self.plan.is_some() && self.sources.len() > 1 {
            return Err(Diagnostic::error("`--plan` is for one source file")
                .help("plans name functions and lines; compile the files one by one, with `-c`"));
        }
        if matches!(self.mode, Mode::Emit(_)) && self.sources.is_empty() {
            return Err(Diagnostic::error("`--emit` needs a source: C, IR (.mlir) or PTX (.ptx)"));
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
        self.items.iter().filter_map(|item| match item {
            Item::Input(input) => Some(input),
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
        for (value, name) in [
            (&self.check, "GPUC_CHECK"),
            (&self.check_format, "GPUC_CHECK_FORMAT"),
            (&self.approx, "GPUC_SIM_APPROX"),
            (&self.budget, "GPUC_SIM_BUDGET"),
            (&self.time_limit, "GPUC_SIM_TIME_LIMIT"),
            (&self.report, "GPUC_REPORT"),
            (&self.report_file, "GPUC_REPORT_FILE"),
            (&self.report_base, "GPUC_REPORT_BASE"),
            (&self.device_model, "GPUC_SIM_DEVICE"),
        ] {
            environment.extend(value.clone().map(|value| (name, value)));
        }
        for (set, name) in [
            (self.require_gpu, "GPUC_REQUIRE_GPU"),
            (self.counters, "GPUC_COUNTERS"),
            (self.progress, "GPUC_PROGRESS"),
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
        let others: Vec<OsString> = arguments.others().map(|input| input.file.clone()).collect();
        assert_eq!(text(&others), "a.o");
        let linked: Vec<OsString> = arguments
            .items
            .into_iter()
            .filter_map(|item| match item {
                Item::Source(_) => Some("SOURCE".into()),
                Item::Input(input) => Some(input.file),
                Item::Flag(_, Steps::PreprocessAndCompile) => None,
                Item::Flag(word, _) => Some(word),
            })
            .collect();
        assert_eq!(text(&linked), "-O2 -L dir -lm a.o SOURCE -Wl,-z,now");
    }

    #[test]
    fn mistakes_are_named() {
        for (line, message) in [
            ("", "no input files"),
            ("-L dir", "no input files"),
            ("a.o -o", "`-o` needs a value: the name of the output"),
            ("--arch=sm_1 a.o", "unknown compute capability `sm_1`"),
            ("--emit=ptx a.o", "`--emit` needs a source: C, IR (.mlir) or PTX (.ptx)"),
            ("-c a.s b.s -o c.o", "cannot use `-o` with `-c` and several source files"),
            ("a.o -- b", "arguments behind `--` are for `gpuc run` and `gpuc tune`"),
            ("none.c", "cannot read `none.c`: there is no such file"),
            ("--raport a.o", "unknown option `--raport`"),
        ] {
            assert_eq!(parse(line).unwrap_err().message, message, "{line}");
        }
        assert!(parse(&format!("-c {SOURCE} a.o -o b.o")).is_ok());
    }
}

//! Options of gpuc itself.

use std::ffi::OsString;
use std::time::Duration;

use gpuc_arch::Arch;
use gpuc_diagnostics::{Diagnostic, codes, did_you_mean};
use gpuc_passes::forecast::{Sizes, USUAL_SIZE};

use super::archs::targets;
use super::help::OPTIONS;
use super::{About, Arguments, Auto, Contraction, Device, Mode, Shell, Steps};
use crate::compile::Level;
use crate::feedback::document;
use crate::toolchain::{Linkage, runtime};

impl Arguments {
    /// Options of gpuc itself. Whether it was one.
    pub(super) fn own_option<'a>(
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
            "--version" => self.mode = Mode::About(About::Version),
            "--print-task-graph" => {
                self.mode = Mode::Emit(match value.as_deref() {
                    None | Some("dot") => Level::TaskGraph,
                    Some("svg") => Level::TaskGraphSvg,
                    Some(form) => {
                        return Err(Diagnostic::error(format!("no graph of tasks as `{form}`"))
                            .code(codes::BAD_OPTION)
                            .help("forms are dot and svg"));
                    }
                });
            }
            "--print-config" => self.mode = Mode::About(About::Config),
            "--print-man-page" => self.mode = Mode::About(About::ManPage),
            "--print-completions" => {
                let name = required("bash, zsh or fish")?;
                let shell = Shell::parse(&name).ok_or_else(|| {
                    Diagnostic::error(format!("no completions for the shell `{name}`"))
                        .code(codes::BAD_OPTION)
                        .help("shells are bash, zsh and fish")
                })?;
                self.mode = Mode::About(About::Completions(shell));
            }
            "-print-file-name" | "--print-file-name" => {
                let file = [runtime::STATIC, runtime::SHARED].into_iter();
                match file.into_iter().find(|file| value.as_deref() == Some(file)) {
                    Some(file) => self.mode = Mode::About(About::File(file)),
                    None => return Ok(false),
                }
            }
            "-static-gpuc" => self.linkage = Linkage::Static,
            "-shared-gpuc" => self.linkage = Linkage::Shared,
            "--require-gpu" => self.require_gpu = true,
            "--check" => {
                let list = required("a list of checkers")?;
                let known = ["memcheck", "racecheck", "initcheck", "synccheck", "all"];
                let mut words = list.split(',').map(str::trim);
                if let Some(unknown) = words.find(|word| !known.contains(word)) {
                    let error = Diagnostic::error(format!("unknown checker `{unknown}`"))
                        .code(codes::BAD_OPTION)
                        .help(format!("checkers are {}", known.join(", ")));
                    return Err(match did_you_mean(unknown, known) {
                        Some(near) => error.help(format!("did you mean `{near}`?")),
                        None => error,
                    });
                }
                self.check = Some(list);
            }
            "--check-format" => {
                let format = required("text or json")?;
                if format != "text" && format != "json" {
                    let error = Diagnostic::error(format!("unknown form of findings `{format}`"));
                    return Err(error.code(codes::BAD_OPTION).help("forms are text and json"));
                }
                self.check_format = Some(format);
            }
            "--approx" => {
                let error = required("best or worst")?;
                if error != "best" && error != "worst" {
                    let message =
                        Diagnostic::error(format!("unknown error of approximations `{error}`"));
                    return Err(message.code(codes::BAD_OPTION).help("there are best and worst"));
                }
                self.approx = Some(error);
            }
            "--budget" => {
                let number = required("a number of warp instructions")?;
                if !number.parse().is_ok_and(|number: u64| number > 0) {
                    let message =
                        format!("`--budget={number}` is not a number of warp instructions");
                    return Err(Diagnostic::error(message).code(codes::BAD_OPTION));
                }
                self.budget = Some(number);
            }
            "--time-limit" => {
                let seconds = required("a number of seconds")?;
                let limit = seconds.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
                if limit.is_none_or(|limit| limit.is_zero()) {
                    let message = format!("`--time-limit={seconds}` is not a number of seconds");
                    return Err(Diagnostic::error(message).code(codes::BAD_OPTION));
                }
                self.time_limit = Some(seconds);
            }
            "--progress" => self.progress = true,
            "--report" => {
                let form = value.as_deref().unwrap_or("text");
                let known = ["text", "json", "html"];
                if !known.contains(&form) {
                    let error = Diagnostic::error(format!("unknown form of report `{form}`"))
                        .code(codes::BAD_OPTION)
                        .help("forms are text, json and html");
                    return Err(match did_you_mean(form, known) {
                        Some(near) => error.help(format!("did you mean `{near}`?")),
                        None => error,
                    });
                }
                self.report = Some(form.to_owned());
            }
            "--report-file" => self.report_file = Some(required("a file")?),
            "--report-base" => self.report_base = Some(required("a report written as json")?),
            "--counters" => self.counters = true,
            "--device-model" => {
                let name = required("a100-80, h100, ...")?;
                if Arch::device(&name).is_none() {
                    let known: Vec<_> = Arch::devices().collect();
                    let error = Diagnostic::error(format!("unknown model of device `{name}`"))
                        .code(codes::BAD_OPTION)
                        .help(format!("known are {}", known.join(", ")));
                    return Err(match did_you_mean(&name, known) {
                        Some(near) => error.help(format!("did you mean `{near}`?")),
                        None => error,
                    });
                }
                self.device_model = Some(name);
            }
            "--plan" => self.plan = Some(required("a file of plans")?),
            "--sizes" => {
                let list = required("sizes of forecasts, such as n=1024")?;
                self.sizes = Sizes::of(list.split(','), USUAL_SIZE).map_err(|entry| {
                    Diagnostic::error(format!("`{entry}` gives no parameter a size"))
                        .code(codes::BAD_OPTION)
                        .help("a name and a number, several with commas: --sizes=n=1024,m=512")
                })?;
            }
            "--search" => self.search = true,
            "--tuning" => self.tuning = Some(required("a record of tuning")?),
            _ if text.starts_with("-W") => return Ok(self.remarks.take(text)),
            "-fdiagnostics-format" => {
                let form = required("text, json or sarif")?;
                if !document::begin(&form) {
                    let error = Diagnostic::error(format!("unknown form of messages `{form}`"))
                        .code(codes::BAD_OPTION)
                        .help(format!("forms are {}", document::FORMS.join(", ")));
                    return Err(match did_you_mean(&form, document::FORMS.iter().copied()) {
                        Some(near) => error.help(format!("did you mean `{near}`?")),
                        None => error,
                    });
                }
                // Where the host compiler does all, it is its own to follow.
                self.host.push(text.into());
            }
            "--time" => self.time = true,
            "--timing" => self.timing = true,
            "--print-ir-after-all" => self.print_after_all = true,
            "--mlir-print-debuginfo" => self.print_locations = true,
            "--arch" => {
                let names = required("sm_75, sm_80, ..., native")?;
                self.targets = targets(&names)?;
            }
            "--maxrregcount" | "-maxrregcount" => {
                let number = required("registers of a thread, at most")?;
                self.limit_registers(name, &number)?;
            }
            "--device" => {
                let name = required("auto, cuda, sim or host")?;
                self.device = Some(match Device::of_name(&name) {
                    Some(device) => device,
                    None => {
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
            "--auto" | "-fauto" => {
                self.auto = Some(match value.as_deref() {
                    None => Auto::Worthwhile,
                    Some("all") => Auto::All,
                    Some(other) => {
                        let error = Diagnostic::error(format!("unknown `{name}={other}`"));
                        return Err(error
                            .code(codes::BAD_OPTION)
                            .help("it stands alone, or is `all`: whatever the size"));
                    }
                });
            }
            "--no-auto" | "-fno-auto" => self.auto = None,
            "--explain" => {
                let given = value
                    .clone()
                    .or_else(|| rest.next().map(|next| next.to_string_lossy().into_owned()));
                let Some(code) = given else {
                    self.mode = Mode::Explain(None);
                    return Ok(true);
                };
                self.mode = Mode::Explain(Some(codes::explain(&code).map_err(|near| {
                    let error = Diagnostic::error(format!("no message has the code `{code}`"));
                    match near {
                        Some(near) => error.help(format!("did you mean `{near}`?")),
                        None => error.help("codes stand in brackets behind `error`: GPUC0001"),
                    }
                })?));
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
                self.host.push(text.into());
                self.flags(vec![text.into()], Steps::CompileAndLink);
            }
            "-fassociative-math" | "-fno-associative-math" => {
                self.associative = name == "-fassociative-math";
                // Of the host's code it is as with the host compiler.
                self.host.push(text.into());
                self.flags(vec![text.into()], Steps::CompileAndLink);
            }
            "-foffload-unsupported" => {
                let mode = required("error or host")?;
                self.unsupported_on_host = match mode.as_str() {
                    "error" => false,
                    "host" => true,
                    _ => {
                        let message = format!("unknown `-foffload-unsupported={mode}`");
                        let error = Diagnostic::error(message).code(codes::BAD_OPTION);
                        return Err(error.help("modes are error and host"));
                    }
                };
            }
            _ if text.starts_with("--") && name != "--param" => {
                // Options of cc begin with one dash, with few exceptions that it documents.
                if let Some(near) =
                    did_you_mean(name, OPTIONS.iter().filter_map(|option| option.long()))
                {
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
}

//! The command line.

use std::time::Duration;

use gpuc_sim::Checks;

pub(crate) const USAGE: &str = "\
Runs a kernel of a PTX file on the simulator.

Usage: gpuc-sim FILE.ptx... KERNEL [OPTIONS] ARGUMENT...
       gpuc-sim FILE.ptx... --list

Arguments, in the order of the kernel's parameters:
  u32:5, f32:1.5, ...   a number: u8 to u64, s8 to s64, b8 to b64, f32, f64
  in:FILE               a buffer with what the file holds
  inout:FILE            the same, and the buffer is written back to the file
  out:FILE:BYTES        a buffer that nobody has written, written to the file
  zero:BYTES            a buffer of zeros
  tex:FORMAT:SIZE:FILE[:HOW...]
                        a texture, such as tex:f32:64x64:in.npy:linear or tex:u8x4:640x480:photo.raw:unit;
                        HOW is linear, normalized (coordinates), unit (integers up to 1), wrap, mirror, border
  surf:FORMAT:SIZE:FILE a surface, written back to the file
Files are raw bytes; of a .npy file the array is taken, and its header stays.

Options:
  --grid X[,Y[,Z]]      blocks [1,1,1]
  --block X[,Y[,Z]]     threads of a block [1,1,1]
  --cluster X[,Y[,Z]]   blocks of a cluster [what the kernel requires, or none]
  --cooperative         refuse a grid whose blocks do not all run at once: they wait for each other
  --shared BYTES        dynamic shared memory [0]
  --arch sm_NN          the device, by capability [the file's .target]
  --device NAME         the device, by name: v100, a100-40, a100-80, a6000, l40s, h100, h200, ...
  --registers N         registers of a thread [what ptxas says, if there is one; else estimated]
  --sampled             with --report: execute only as many blocks as the report needs (two waves);
                        what the kernel computes is then not there
  --check LIST          memcheck, racecheck, initcheck, synccheck or all, with commas
  --check-format FORM   findings as text (standard error) or json (standard output) [text]
  --report[=FORM]       what bounds the kernel on the device, as text, json or html
  --counters            with --report: every counter, under Nsight Compute's names
  --compare FILE        with --report=html: beside the run whose --report=json the file holds
  --budget N            end the kernel after N warp instructions
  --time-limit SECONDS  end the kernel after so long
  --approx=worst        approximate functions (sin.approx, ...) are off by as much as PTX allows
  --progress[=yes|no]   say on standard error how far a kernel is that runs for over a second
                        [yes where that is a terminal]
  --threads N           host threads [all processors]
  --list                show the kernels and their parameters
  -h, --help            show this

Exit status: 0 if the kernel ran and nothing was found, 1 if it faulted or a checker found something,
2 if it could not be run, 130 if Ctrl-C ended it.
";

/// How to print something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
    Html,
}

impl Format {
    fn of(word: &str) -> Result<Format, String> {
        match word {
            "text" => Ok(Format::Text),
            "json" => Ok(Format::Json),
            "html" => Ok(Format::Html),
            other => Err(format!("`{other}` is not a form: there are text, json and html")),
        }
    }
}

/// What was asked for.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) files: Vec<String>,
    pub(crate) kernel: Option<String>,
    pub(crate) arguments: Vec<String>,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) cluster: Option<[u32; 3]>,
    pub(crate) shared: u32,
    pub(crate) arch: Option<String>,
    pub(crate) device: Option<String>,
    pub(crate) registers: Option<u32>,
    pub(crate) cooperative: bool,
    pub(crate) sampled: bool,
    pub(crate) counters: bool,
    pub(crate) compare: Option<String>,
    pub(crate) checks: Checks,
    pub(crate) check_format: Format,
    pub(crate) report: Option<Format>,
    pub(crate) budget: Option<u64>,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) worst: bool,
    pub(crate) progress: Option<bool>,
    pub(crate) threads: Option<usize>,
    pub(crate) list: bool,
}

impl Options {
    pub(crate) fn parse(words: Vec<String>) -> Result<Options, String> {
        let mut options = Options {
            files: Vec::new(),
            kernel: None,
            arguments: Vec::new(),
            grid: [1; 3],
            block: [1; 3],
            cluster: None,
            shared: 0,
            arch: None,
            device: None,
            registers: None,
            cooperative: false,
            sampled: false,
            counters: false,
            compare: None,
            checks: Checks::default(),
            check_format: Format::Text,
            report: None,
            budget: None,
            time_limit: None,
            worst: false,
            progress: None,
            threads: None,
            list: false,
        };
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let Some(option) = word.strip_prefix("--") else {
                options.positional(word);
                continue;
            };
            let (name, inline) = match option.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (option.to_owned(), None),
            };
            let switch = match name.as_str() {
                "list" => Some(&mut options.list),
                "cooperative" => Some(&mut options.cooperative),
                "sampled" => Some(&mut options.sampled),
                "counters" => Some(&mut options.counters),
                _ => None,
            };
            if let Some(switch) = switch {
                *switch = true;
                continue;
            }
            if name == "report" {
                options.report = Some(Format::of(inline.as_deref().unwrap_or("text"))?);
                continue;
            }
            if name == "progress" {
                options.progress = Some(match inline.as_deref() {
                    None | Some("yes") => true,
                    Some("no") => false,
                    Some(other) => return Err(format!("`{other}`: there are yes and no")),
                });
                continue;
            }
            let mut value = || {
                inline.clone().or_else(|| words.next()).ok_or(format!("`--{name}` needs a value"))
            };
            match name.as_str() {
                "grid" => options.grid = extent(&value()?)?,
                "block" => options.block = extent(&value()?)?,
                "cluster" => options.cluster = Some(extent(&value()?)?),
                "shared" => options.shared = number(&value()?)?,
                "arch" => options.arch = Some(value()?),
                "device" => options.device = Some(value()?),
                "registers" => options.registers = Some(number(&value()?)?),
                "check" => options.checks = value()?.parse()?,
                "check-format" => {
                    let word = value()?;
                    options.check_format = Format::of(&word)?;
                    if options.check_format == Format::Html {
                        return Err("findings are text or json".into());
                    }
                }
                "compare" => options.compare = Some(value()?),
                "budget" => options.budget = Some(number(&value()?)?),
                "time-limit" => {
                    let seconds = value()?;
                    let limit =
                        seconds.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
                    let message = || format!("`{seconds}` is not a number of seconds");
                    options.time_limit = Some(limit.ok_or_else(message)?);
                }
                "approx" => {
                    options.worst = match value()?.as_str() {
                        "worst" => true,
                        "best" => false,
                        other => return Err(format!("`{other}`: there are worst and best")),
                    };
                }
                "threads" => options.threads = Some(number(&value()?)?),
                _ => return Err(format!("there is no option `--{name}`")),
            }
        }
        if options.files.is_empty() {
            return Err("no PTX file is given".into());
        }
        Ok(options)
    }

    /// Files come first, then the kernel, then its arguments.
    fn positional(&mut self, word: String) {
        if self.kernel.is_some() {
            self.arguments.push(word);
        } else if self.files.is_empty() || word.ends_with(".ptx") {
            self.files.push(word);
        } else {
            self.kernel = Some(word);
        }
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number that fits here"))
}

fn extent(text: &str) -> Result<[u32; 3], String> {
    let mut out = [1; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err(format!("`{text}` has more than three extents"));
    }
    for (out, part) in out.iter_mut().zip(parts) {
        *out = number(part.trim())?;
    }
    Ok(out)
}

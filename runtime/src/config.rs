//! What the environment asks of the runtime.

use std::path::PathBuf;
use std::time::Duration;

use gpuc_arch::Arch;
use gpuc_cache::Cache;
use gpuc_diagnostics::{Diagnostic, did_you_mean};
use gpuc_sim::Checks;

use crate::Failure;
use crate::device::cuda::CudaSettings;
use crate::device::sim::SimSettings;
use crate::profiling::notify;

/// The value of `GPUC_DEVICE`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// A GPU if there is one, otherwise the simulator.
    #[default]
    Auto,
    /// A GPU or an error.
    Cuda,
    /// The simulator.
    Sim,
    /// No device: regions run as host code.
    Host,
}

/// The value of `GPUC_REPORT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportForm {
    /// On standard error.
    Text,
    /// To a file, for programs.
    Json,
    /// To a file, for a browser.
    Html,
}

/// The value of `GPUC_AUTO`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AutoChoice {
    /// As the program was compiled.
    #[default]
    Compiled,
    /// Every nest that the compiler found, whatever its size.
    All,
    /// Those that are worth it by the model.
    Model,
    /// None.
    None,
}

/// The most devices that the simulator has.
const MOST_SIM_DEVICES: usize = 64;

/// What the environment asks of the runtime.
#[derive(Clone, Debug)]
pub struct Config {
    /// `GPUC_DEVICE=auto|cuda|sim|host`.
    pub device: DeviceChoice,
    /// `GPUC_REQUIRE_GPU=1`: anything but a GPU is an error.
    pub require_gpu: bool,
    /// `GPUC_SIM_DEVICE=h100` or `GPUC_SIM_ARCH=sm_90`: what the simulator stands for.
    pub sim_arch: &'static Arch,
    /// `GPUC_SIM_DEVICES=4`: how many devices the simulator has.
    pub sim_devices: usize,
    /// `GPUC_SIM_BUDGET=1000000`: warp instructions after which a launch on the simulator is stopped.
    pub sim_budget: Option<u64>,
    /// `GPUC_SIM_TIME_LIMIT=60`: time after which a launch on the simulator is stopped.
    pub sim_time_limit: Option<Duration>,
    /// `GPUC_SIM_APPROX=worst`: approximate functions are off by as much as PTX allows.
    pub sim_worst: bool,
    /// `GPUC_PROGRESS=0|1`: whether the simulator tells how far a long launch is; on terminals by default.
    pub progress: Option<bool>,
    /// `ACC_DEVICE_NUM=1`: the device that regions run on where the program chooses none.
    pub first_device: usize,
    /// `ACC_PROFLIB=libtool.so;libother.so`: tools that listen to what happens.
    pub tools: Vec<String>,
    /// `ACC_DEVICE_TYPE=host`: regions run on the host where the program chooses no device.
    pub on_host: bool,
    /// `GPUC_CHECK=memcheck,racecheck,initcheck,synccheck` or `all`: what the simulator checks; on a
    /// machine with a GPU too the simulator is then the device.
    pub checks: Checks,
    /// `GPUC_CHECK_FORMAT=text|json`: whether the findings are printed as JSON.
    pub check_json: bool,
    /// `GPUC_AUTO=all|model|none`: which of the nests that `--auto` found run on the device.
    pub auto: AutoChoice,
    /// `GPUC_NOTIFY=3`: what is said when it happens, by the bits of [`crate::profiling::notify`].
    pub notify: u32,
    /// `GPUC_DEBUG=1`: all of that and what is on the device, and each kernel is waited for.
    pub debug: bool,
    /// `GPUC_AUTOCOMPARE=1`: each construct runs on device and host, and what they leave is compared; the
    /// relative difference up to which numbers are the same.
    pub compare: Option<f64>,
    /// `GPUC_CACHE`, `GPUC_CACHE_MB`: where what a GPU's driver has compiled is kept.
    pub cache: Option<Cache>,
    /// `GPUC_STACK_KB=16`: bytes of stack for a thread of a GPU, which it has of its own accord where kernels call functions.
    pub stack_bytes: Option<u64>,
    /// `GPUC_POOL=0|1`: whether device memory that is given back is kept for later requests; by default that of GPUs.
    pub pool: Option<bool>,
    /// `GPUC_HEAP_MB=64`: bytes for `malloc` on the device.
    pub heap_bytes: Option<u64>,
    /// `GPUC_REPORT=text|json|html`: what kernels did and what moved, at exit.
    pub report: Option<ReportForm>,
    /// `GPUC_REPORT_FILE`: where a report of JSON or HTML goes.
    pub report_file: Option<PathBuf>,
    /// `GPUC_REPORT_BASE`: a report of JSON to compare with.
    pub report_base: Option<PathBuf>,
    /// `GPUC_COUNTERS=0|1`: whether the report tells every counter, or the simulator counts nothing;
    /// by default it counts and tells what follows.
    pub counters: Option<bool>,
    /// `GPUC_PROFILE`: the file for the timeline as a Chrome trace.
    pub trace: Option<PathBuf>,
    /// `GPUC_TIME=1`: the timing table at exit.
    pub time: bool,
    /// `GPUC_QUIET=1`: the executor is not announced.
    pub quiet: bool,
}

/// The relative difference of numbers that `GPUC_AUTOCOMPARE` takes for rounding: what sums of some thousand
/// `float`s in another order come to.
const TOLERANCE: f64 = 1e-4;

impl Config {
    /// Reads the process's environment.
    pub fn from_env() -> Result<Config, Failure> {
        Config::read(|name| std::env::var(name).ok())
    }

    /// Reads the variables that `get` knows.
    pub fn read(get: impl Fn(&str) -> Option<String>) -> Result<Config, Failure> {
        let get = |name: &str| get(name).filter(|value| !value.is_empty());
        // OpenMP 5.2 §21.2.11: no region leaves the host then.
        let disabled = get("OMP_TARGET_OFFLOAD")
            .is_some_and(|policy| policy.trim().eq_ignore_ascii_case("disabled"));
        let device = match get("GPUC_DEVICE") {
            None if disabled => DeviceChoice::Host,
            None => DeviceChoice::Auto,
            Some(value) => {
                let names = ["auto", "cuda", "sim", "host"];
                match value.as_str() {
                    "auto" => DeviceChoice::Auto,
                    "cuda" => DeviceChoice::Cuda,
                    "sim" => DeviceChoice::Sim,
                    "host" => DeviceChoice::Host,
                    other => return Err(unknown("GPUC_DEVICE", other, "a device", &names)),
                }
            }
        };
        let checks = match get("GPUC_CHECK") {
            None => Checks::default(),
            Some(list) => list
                .parse()
                .map_err(|message| Box::new(Diagnostic::error(format!("GPUC_CHECK: {message}"))))?,
        };
        let auto = match get("GPUC_AUTO").as_deref() {
            None => AutoChoice::Compiled,
            Some("all") => AutoChoice::All,
            Some("model") => AutoChoice::Model,
            Some("none") => AutoChoice::None,
            Some(other) => {
                let known = ["all", "model", "none"];
                return Err(unknown("GPUC_AUTO", other, "a choice of nests", &known));
            }
        };
        let check_json = match get("GPUC_CHECK_FORMAT").as_deref() {
            None | Some("text") => false,
            Some("json") => true,
            Some(other) => {
                return Err(unknown("GPUC_CHECK_FORMAT", other, "a form", &["text", "json"]));
            }
        };
        let device = match device {
            DeviceChoice::Auto if checks.any() => DeviceChoice::Sim,
            DeviceChoice::Cuda | DeviceChoice::Host if checks.any() => {
                let message = "GPUC_CHECK is set, but checkers listen to the simulator alone";
                let help = "unset GPUC_DEVICE, or set it to `sim`";
                return Err(Box::new(Diagnostic::error(message).help(help)));
            }
            other => other,
        };
        let sim_arch = simulated(get("GPUC_SIM_DEVICE"), get("GPUC_SIM_ARCH"))?;
        let number = |name: &str, least: usize, most: usize| match get(name) {
            None => Ok(None),
            Some(value) => match value.trim().parse::<usize>() {
                Ok(number) if (least..=most).contains(&number) => Ok(Some(number)),
                _ => {
                    let message =
                        format!("{name}=`{value}` is not a number from {least} to {most}");
                    Err(Box::new(Diagnostic::error(message)))
                }
            },
        };
        let sim_devices = number("GPUC_SIM_DEVICES", 1, MOST_SIM_DEVICES)?.unwrap_or(1);
        let sim_budget = number("GPUC_SIM_BUDGET", 1, usize::MAX)?.map(|n| n as u64);
        let sim_time_limit = get("GPUC_SIM_TIME_LIMIT").map(|value| seconds(&value)).transpose()?;
        let sim_worst = match get("GPUC_SIM_APPROX").as_deref() {
            None | Some("best") => false,
            Some("worst") => true,
            Some(other) => {
                return Err(unknown("GPUC_SIM_APPROX", other, "an error", &["best", "worst"]));
            }
        };
        let stack_bytes = number("GPUC_STACK_KB", 1, 512)?.map(|n| (n as u64) << 10);
        let heap_bytes = number("GPUC_HEAP_MB", 1, 1 << 20)?.map(|n| (n as u64) << 20);
        let first_device = number("ACC_DEVICE_NUM", 0, i32::MAX as usize)?.unwrap_or(0);
        // Names of devices have no case there (OpenACC 3.3 §4.1).
        let on_host = match get("ACC_DEVICE_TYPE").map(|kind| kind.to_lowercase()).as_deref() {
            None | Some("default" | "not_host" | "nvidia") => false,
            Some("host" | "multicore") => true,
            Some(other) => {
                let known = ["default", "not_host", "nvidia", "host", "multicore"];
                return Err(unknown("ACC_DEVICE_TYPE", other, "a type of device here", &known));
            }
        };
        let switch = |name: &str| match get(name).as_deref() {
            None => Ok(None),
            Some("0" | "no" | "off" | "false") => Ok(Some(false)),
            Some("1" | "yes" | "on" | "true") => Ok(Some(true)),
            Some(other) => Err(unknown(name, other, "a switch", &["0", "1"])),
        };
        let counters = switch("GPUC_COUNTERS")?;
        let debug = switch("GPUC_DEBUG")?.unwrap_or(false);
        let notify = match switch("GPUC_NOTIFY") {
            Ok(on) => u32::from(on.unwrap_or(false)) * notify::LAUNCHES,
            Err(_) => number("GPUC_NOTIFY", 0, notify::ALL as usize)?.unwrap_or(0) as u32,
        };
        let notify = if debug { notify::ALL } else { notify };
        let compare = match get("GPUC_AUTOCOMPARE") {
            Some(value) if switch("GPUC_AUTOCOMPARE").is_err() => match value.parse::<f64>() {
                Ok(tolerance) if (0.0..1.0).contains(&tolerance) => Some(tolerance),
                _ => {
                    let message = format!(
                        "GPUC_AUTOCOMPARE=`{value}` is no switch, and no relative difference below 1"
                    );
                    return Err(Box::new(
                        Diagnostic::error(message).help("as in GPUC_AUTOCOMPARE=1e-6"),
                    ));
                }
            },
            _ => switch("GPUC_AUTOCOMPARE")?.unwrap_or(false).then_some(TOLERANCE),
        };
        let report = match get("GPUC_REPORT").as_deref() {
            Some("text") => Some(ReportForm::Text),
            Some("json") => Some(ReportForm::Json),
            Some("html") => Some(ReportForm::Html),
            Some(other) if switch("GPUC_REPORT").is_err() => {
                let known = ["0", "1", "text", "json", "html"];
                return Err(unknown("GPUC_REPORT", other, "a form of report", &known));
            }
            _ => {
                switch("GPUC_REPORT")?.unwrap_or(counters == Some(true)).then_some(ReportForm::Text)
            }
        };
        let cache = Cache::of_user(get).map_err(|message| Box::new(Diagnostic::error(message)))?;
        let path = |name| get(name).map(PathBuf::from);
        Ok(Config {
            device,
            require_gpu: switch("GPUC_REQUIRE_GPU")?.unwrap_or(false),
            sim_arch,
            sim_devices,
            sim_budget,
            sim_time_limit,
            sim_worst,
            progress: switch("GPUC_PROGRESS")?,
            first_device,
            tools: get("ACC_PROFLIB").map_or(Vec::new(), |list| {
                list.split(';').filter(|name| !name.is_empty()).map(str::to_owned).collect()
            }),
            on_host,
            checks,
            check_json,
            auto,
            notify,
            debug,
            compare,
            cache,
            stack_bytes,
            pool: switch("GPUC_POOL")?,
            heap_bytes,
            report,
            report_file: path("GPUC_REPORT_FILE"),
            report_base: path("GPUC_REPORT_BASE"),
            counters,
            trace: path("GPUC_PROFILE"),
            time: switch("GPUC_TIME")?.unwrap_or(false),
            quiet: switch("GPUC_QUIET")?.unwrap_or(false),
        })
    }

    /// What GPUs are asked for.
    pub fn cuda_settings(&self) -> CudaSettings {
        CudaSettings {
            cache: self.cache.clone(),
            stack_bytes: self.stack_bytes,
            heap_bytes: self.heap_bytes,
        }
    }

    /// How the simulator runs kernels.
    pub fn sim_settings(&self) -> SimSettings {
        SimSettings {
            checks: self.checks,
            budget: self.sim_budget,
            time_limit: self.sim_time_limit,
            worst_approximations: self.sim_worst,
            heap_bytes: self.heap_bytes,
            progress: self.progress,
        }
    }

    /// Whether anything is told at exit.
    pub fn reports(&self) -> bool {
        self.report.is_some() || self.time || self.trace.is_some()
    }

    /// Whether the simulator counts.
    pub fn counts(&self) -> bool {
        (self.report.is_some() || self.trace.is_some()) && self.counters != Some(false)
    }
}

/// The value of `GPUC_SIM_TIME_LIMIT`.
fn seconds(value: &str) -> Result<Duration, Failure> {
    let time = value.trim().parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    time.filter(|time| !time.is_zero()).ok_or_else(|| {
        let message = format!("GPUC_SIM_TIME_LIMIT=`{value}` is not a number of seconds above 0");
        Box::new(Diagnostic::error(message))
    })
}

/// What the simulator stands for.
fn simulated(device: Option<String>, arch: Option<String>) -> Result<&'static Arch, Failure> {
    let by_arch = match &arch {
        None => None,
        Some(name) => Some(Arch::by_name(name).ok_or_else(|| {
            let names: Vec<&str> = Arch::all().iter().map(|arch| arch.name).collect();
            unknown("GPUC_SIM_ARCH", name, "an architecture", &names)
        })?),
    };
    let Some(name) = device else {
        return Ok(by_arch.unwrap_or(Arch::default_simulated()));
    };
    let Some(device) = Arch::device(&name) else {
        let names: Vec<&str> = Arch::devices().collect();
        return Err(unknown("GPUC_SIM_DEVICE", &name, "a device", &names));
    };
    match by_arch {
        Some(arch) if arch.number != device.number => {
            let message = format!(
                "GPUC_SIM_DEVICE=`{name}` is of {}, and GPUC_SIM_ARCH says {}",
                device.name, arch.name
            );
            Err(Box::new(Diagnostic::error(message).help("set one of them")))
        }
        _ => Ok(device),
    }
}

/// The error for a value that a variable cannot have.
fn unknown(variable: &str, value: &str, what: &str, known: &[&str]) -> Failure {
    let error = Diagnostic::error(format!("{variable}=`{value}` is not {what}"))
        .help(format!("{variable} takes {}", known.join(", ")));
    Box::new(match did_you_mean(value, known.iter().copied()) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Config, String> {
        Config::read(|name| {
            variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())
        })
        .map_err(|error| format!("{} / {}", error.message, error.help.join(" / ")))
    }

    #[test]
    fn defaults_values_and_errors() {
        let config = read(&[]).unwrap();
        assert_eq!(config.device, DeviceChoice::Auto);
        assert_eq!(config.sim_arch.name, "sm_90");
        assert!(!config.require_gpu && !config.reports() && !config.quiet);
        let config = read(&[("GPUC_DEVICE", "host"), ("GPUC_SIM_ARCH", "sm_75")]).unwrap();
        assert_eq!((config.device, config.sim_arch.name), (DeviceChoice::Host, "sm_75"));
        for (policy, device) in [("Disabled", DeviceChoice::Host), ("DEFAULT", DeviceChoice::Auto)]
        {
            assert_eq!(read(&[("OMP_TARGET_OFFLOAD", policy)]).unwrap().device, device);
        }
        let both = [("OMP_TARGET_OFFLOAD", "disabled"), ("GPUC_DEVICE", "sim")];
        assert_eq!(read(&both).unwrap().device, DeviceChoice::Sim);
        let config = read(&[("GPUC_COUNTERS", "1")]).unwrap();
        assert!(config.report == Some(ReportForm::Text) && config.counts());
        assert!(!read(&[("GPUC_COUNTERS", "0"), ("GPUC_REPORT", "1")]).unwrap().counts());
        let config = read(&[("GPUC_REPORT", "html"), ("GPUC_SIM_DEVICE", "a100-80")]).unwrap();
        assert_eq!((config.report, config.sim_arch.name), (Some(ReportForm::Html), "sm_80"));
        assert!(read(&[("GPUC_PROFILE", "t.json")]).unwrap().counts());
        let both = [("GPUC_SIM_DEVICE", "v100"), ("GPUC_SIM_ARCH", "sm_90")];
        assert!(read(&both).unwrap_err().contains("set one of them"));
        let notify = |value| read(&[("GPUC_NOTIFY", value)]).unwrap().notify;
        assert_eq!((notify("1"), notify("off"), notify("6")), (1, 0, 6));
        assert_eq!(read(&[("GPUC_DEBUG", "1")]).unwrap().notify, notify::ALL);
        let compare = |value| read(&[("GPUC_AUTOCOMPARE", value)]).unwrap().compare;
        assert_eq!(
            (compare("0"), compare("1"), compare("1e-6")),
            (None, Some(TOLERANCE), Some(1e-6))
        );
        for (variable, value, expected) in [
            ("GPUC_DEVICE", "cudo", "did you mean `cuda`?"),
            ("GPUC_SIM_ARCH", "sm90", "did you mean `sm_90`?"),
            ("GPUC_REPORT", "htlm", "did you mean `html`?"),
            ("GPUC_SIM_DEVICE", "a100-8", "did you mean `a100-80`?"),
            ("GPUC_TIME", "maybe", "GPUC_TIME=`maybe` is not a switch"),
            ("GPUC_CHECK", "lint", "`lint` is not a checker"),
            ("GPUC_AUTO", "modle", "did you mean `model`?"),
            ("GPUC_CHECK_FORMAT", "jsno", "did you mean `json`?"),
            ("GPUC_NOTIFY", "32", "is not a number from 0 to 31"),
            ("GPUC_DEBUG", "all", "is not a switch"),
            ("GPUC_AUTOCOMPARE", "2", "no relative difference below 1"),
            ("GPUC_SIM_DEVICES", "0", "is not a number from 1 to 64"),
            ("GPUC_SIM_BUDGET", "0", "is not a number from 1 to"),
            ("GPUC_SIM_TIME_LIMIT", "-1", "is not a number of seconds above 0"),
            ("GPUC_SIM_APPROX", "wrost", "did you mean `worst`?"),
            ("GPUC_CACHE", "here", "neither the absolute path of a folder nor 0"),
            ("GPUC_CACHE_MB", "all", "is not a number"),
            ("GPUC_PROGRESS", "often", "is not a switch"),
            ("ACC_DEVICE_NUM", "-1", "is not a number from 0 to"),
            ("ACC_DEVICE_TYPE", "nvidai", "did you mean `nvidia`?"),
        ] {
            let error = read(&[(variable, value)]).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn checkers_want_the_simulator() {
        let config = read(&[("GPUC_CHECK", "all"), ("GPUC_CHECK_FORMAT", "json")]).unwrap();
        assert_eq!((config.device, config.checks), (DeviceChoice::Sim, Checks::ALL));
        assert!(config.check_json && !read(&[("GPUC_CHECK", "all")]).unwrap().check_json);
        for device in ["cuda", "host"] {
            let error = read(&[("GPUC_CHECK", "all"), ("GPUC_DEVICE", device)]).unwrap_err();
            assert!(error.contains("listen to the simulator alone"), "{error}");
        }
    }
}
